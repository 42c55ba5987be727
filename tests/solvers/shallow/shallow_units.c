/* shallow_units.c - water flows the same in any units: lengths and times are scaled, by powers of
 * two to the bit, by others but for rounding. The bed is wet everywhere. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 32, STEPS = 20, LENGTH = 160 };

typedef struct units { double length, time; int is_exact; } units;

static shallow_run run_in(trm_device *device, trm_precision precision, const char *scheme,
                          const units *u)
{
  char dx[LENGTH], gravity[LENGTH], bed[LENGTH], surface[LENGTH], dry[LENGTH];
  const double l = u->length;
  snprintf(dx, sizeof dx, "%.17g", 0.5 * l);
  snprintf(gravity, sizeof gravity, "%.17g", 8 * l / (u->time * u->time));
  snprintf(bed, sizeof bed, "%.17g*(0.3*sin(x/%.17g)*cos(y/%.17g) - 1)", l, l, l);
  snprintf(surface, sizeof surface, "x < %.17g ? %.17g : 0", 10 * l, 0.5 * l);
  snprintf(dry, sizeof dry, "%.17g", 0x1p-20 * l);
  const char *const sets[] = {
    "grid.nx", "48", "grid.ny", "32", "grid.dx", dx, "shallow.gravity", gravity,
    "shallow.scheme", scheme, "shallow.bed_formula", bed, "initial.surface", surface,
    "shallow.dry", dry, SHALLOW_CLOSED, NULL };
  shallow_run run = shallow_run_begin(device, precision, sets);
  shallow_run_advance(&run, INFINITY, STEPS, STEPS);
  return run;
}

static double off(const shallow_run *a, const shallow_run *b, const char *field, double unit)
{
  double *v = shallow_run_values(a, field), *w = shallow_run_values(b, field), most = 0;
  for (int i = 0; i < NX * NY; i++) most = fmax(most, fabs(w[i] / unit - v[i]));
  free(v);
  free(w);
  return most;
}

static void water_flows_the_same_in_any_units(trm_device *device)
{
  test_is_spared(device);
  static const units own = { 1, 1, 1 }, others[] = { { 0x1p10, 0x1p5, 1 }, { 0x1p-10, 0x1p-8, 1 },
                                                     { 1000, 60, 0 }, { 0.3048, 3600, 0 } };
  static const char *const schemes[] = { "hllc", "lax-friedrichs" };
  const int precisions = trm_device_describe(device)->has_f64 ? 2 : 1;
  for (int s = 0; s < 2; s++)
    for (int p = 0; p < precisions; p++) {
      shallow_run base = run_in(device, (trm_precision)p, schemes[s], &own);
      for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        shallow_run other = run_in(device, (trm_precision)p, schemes[s], &others[i]);
        const double depth = off(&base, &other, "h", others[i].length);
        print_message("# %s, %s, lengths of %g: depth off by %.1e\n", schemes[s],
                      trm_precision_name((trm_precision)p), others[i].length, depth);
        assert_true(depth <= (others[i].is_exact ? 0 : p == TRM_F64 ? 1e-11 : 1e-4));
        shallow_run_end(&other);
      }
      shallow_run_end(&base);
    }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = { TEST_DEVICE(water_flows_the_same_in_any_units) };
  return TEST_RUN(argc, argv, cases);
}
