/* nbody_units.c - bodies move the same in any units: scaled by powers of two to the bit, by powers
 * of ten but for rounding. G is 1: with lengths L and masses M, times are sqrt(L^3 / M). */
#include "tests/solvers/nbody/nbody_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 40, STEPS = 20 };

typedef struct units { double length, mass; int is_exact; } units;

/* A place in -1 to 1 that looks like any other. */
static double scatter(int number)
{
  const double whole = number * 0.6180339887498949;
  return 2 * (whole - floor(whole)) - 1;
}

static const char *write_bodies(const units *u)
{
  static char path[1024];
  const double speed = sqrt(u->mass / u->length);
  snprintf(path, sizeof path, "%s/units.txt", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < BODIES; i++) {
    for (int k = 0; k < 3; k++) fprintf(file, "%.17g ", u->length * (float)scatter(7 * i + k));
    for (int k = 0; k < 3; k++) fprintf(file, "%.17g ", speed * (float)scatter(5 * i + k + 3));
    fprintf(file, "%.17g\n", u->mass * (1 + i % 4));
  }
  fclose(file);
  return path;
}

static double *positions_in(trm_device *device, trm_precision precision, const char *force,
                            const units *u)
{
  char settings[2048];
  size_t count;
  nbody_run run;
  snprintf(settings, sizeof settings,
           "initial=file file=%s dt=%.17g softening=%.17g force=%s energy=false", write_bodies(u),
           sqrt(u->length * u->length * u->length / u->mass) / 256, 0.0625 * u->length, force);
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  nbody_steps(&run, STEPS, 0);
  double *at = nbody_values(&run, "position", &count);
  assert_int_equal(count, 3 * BODIES);
  nbody_end(&run);
  return at;
}

static void bodies_move_the_same_in_any_units(trm_device *device)
{
  test_is_spared(device);
  static const units own = { 1, 1, 1 }, others[] = { { 0x1p20, 0x1p24, 1 }, { 0x1p-20, 0x1p-22, 1 },
                                                     { 1e8, 1e6, 0 }, { 1e-7, 1e-3, 0 } };
  static const char *const forces[] = { "pairs", "tree" };
  const int precisions = trm_device_describe(device)->has_f64 ? 2 : 1;
  for (int p = 0; p < precisions; p++)
    for (int f = 0; f < 2; f++) {
      double *base = positions_in(device, (trm_precision)p, forces[f], &own);
      for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double *at = positions_in(device, (trm_precision)p, forces[f], &others[i]), most = 0;
        for (int k = 0; k < 3 * BODIES; k++)
          most = fmax(most, fabs(at[k] / others[i].length - base[k]));
        print_message("# %s, %s, lengths of %g: off by %.1e\n", forces[f],
                      trm_precision_name((trm_precision)p), others[i].length, most);
        assert_true(most <= (others[i].is_exact ? 0 : p == TRM_F64 ? 1e-11 : 1e-3));
        free(at);
      }
      free(base);
    }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = { TEST_DEVICE(bodies_move_the_same_in_any_units) };
  return TEST_RUN(argc, argv, cases);
}
