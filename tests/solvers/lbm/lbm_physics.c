/* lbm_physics.c - the lattice-Boltzmann solver against a textbook's loop, and what no run may
 * break: rest, and the symmetry of a channel (lbm_bristol.c: mass in long runs). */
#include "tests/solvers/lbm/lbm_reference.h"
#include "tests/solvers/lbm/lbm_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the textbook ------------------------------------------------------------ */

typedef struct far { double populations, velocity, pressure, series; } far;

/* A difference that is not a number stays. */
static void widen(double *most, double difference)
{
  if (!isnan(*most) && !(difference <= *most)) *most = difference;
}

/* Largest differences: populations and pressure relative, velocities and mean speeds in units of
 * the speed of sound, which is the size of what they are differences of. */
static far compare(lbm_run *run, const lbm_reference *lattice, const long double *speeds)
{
  const int cells = lattice->nx * lattice->ny;
  const long double sound = sqrtl(1.0L / 3);
  far off = {0};
  double *f = lbm_values(run, "populations");
  TEST_OK(run->solver->type->observe(run->solver));
  double *u = lbm_values(run, "velocity"), *p = lbm_values(run, "pressure");
  double *speed = lbm_values(run, "speed");
  for (int i = 0; i < cells; i++) {
    long double rho, ux, uy;
    lbm_reference_moments(lattice, i, &rho, &ux, &uy);
    for (int k = 0; k < 9; k++)
      widen(&off.populations,
            (double)(fabsl(f[k * cells + i] - lattice->f[k][i]) / fabsl(lattice->f[k][i])));
    if (lattice->solid[i]) {
      rho = lattice->density;
      ux = uy = 0;
    }
    widen(&off.pressure, (double)(fabsl(3 * p[i] - rho) / rho));
    widen(&off.velocity, (double)(hypotl(u[i] - ux, u[cells + i] - uy) / sound));
    widen(&off.velocity, (double)(fabsl(speed[i] - hypotl(ux, uy)) / sound));
  }
  for (uint64_t step = 0; step < run->solver->step; step++)
    widen(&off.series, (double)(fabsl(lbm_speed(run, step) - speeds[step]) / sound));
  free(f);
  free(u);
  free(p);
  free(speed);
  return off;
}

enum { TEXTBOOK_STEPS = 200 };
static const int textbook_cases[] = {LBM_ODD, LBM_ODD_BOX, LBM_TINY, LBM_NARROW, LBM_SHORT_ROWS,
                                     LBM_FLAT, LBM_FLAT_ROCKS, LBM_LONG_ROWS, LBM_CHANNEL};
static struct page {
  lbm_reference lattice;
  uint8_t *solid;
  long double speeds[TEXTBOOK_STEPS];
} textbook[COUNT(textbook_cases)];

/* Calculated once, for every backend and precision. */
static const struct page *look_up(size_t c)
{
  struct page *page = &textbook[c];
  const lbm_case *lbm = &lbm_cases[textbook_cases[c]];
  if (page->solid) return page;
  const long double accel = lbm->accel ? strtold(lbm->accel, NULL) : 0.005L;
  page->solid = lbm_mask(lbm);
  lbm_reference_begin(&page->lattice, lbm->nx, lbm->ny, 0.1L, accel, 1.85L, page->solid);
  for (int step = 0; step < TEXTBOOK_STEPS; step++)
    page->speeds[step] = lbm_reference_step(&page->lattice);
  return page;
}

static void close_textbook(void)
{
  for (size_t c = 0; c < COUNT(textbook); c++) {
    if (textbook[c].solid) lbm_reference_end(&textbook[c].lattice);
    free(textbook[c].solid);
  }
}

static void hold_to_textbook(trm_device *device, trm_precision precision, double tolerance)
{
  for (size_t c = 0; c < COUNT(textbook); c++) {
    const struct page *page = look_up(c);
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[textbook_cases[c]], precision, NULL);
    lbm_steps(&run, TEXTBOOK_STEPS, 0, 0);
    const far off = compare(&run, &page->lattice, page->speeds);
    print_message("%s: populations %.2g, velocity %.2g, pressure %.2g, series %.2g\n",
                  run.lbm->name, off.populations, off.velocity, off.pressure, off.series);
    assert_true(off.populations <= tolerance);
    assert_true(off.pressure <= tolerance);
    assert_true(off.velocity <= tolerance / 10);
    assert_true(off.series <= tolerance / 10);
    lbm_end(&run);
  }
}

static void double_precision_is_the_textbook_to_rounding(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
  hold_to_textbook(device, TRM_F64, 1e-13);
}

static void single_precision_is_near_the_textbook(trm_device *device)
{
  test_is_spared(device);
  hold_to_textbook(device, TRM_F32, 2e-5);
}

/* ---- what stays --------------------------------------------------------------- */

static void rest_stays_rest(trm_device *device)
{
  test_is_spared(device);
  static const lbm_case still[] = {
    {"still", 67, 43, 1000, OPEN, "0"},
    {"still rocks", 67, 43, 1000, ROCKS, "0"}};
  static const double epsilon[] = {6e-8, 1.2e-16};
  for (size_t c = 0; c < COUNT(still); c++)
    for (int p = 0; p < lbm_precisions(device); p++) {
      lbm_run run;
      double fastest = 0, densest = 0;
      lbm_begin(&run, device, &still[c], (trm_precision)p, NULL);
      lbm_steps(&run, still[c].steps, 0, 0);
      TEST_OK(run.solver->type->observe(run.solver));
      double *speed = lbm_values(&run, "speed"), *pressure = lbm_values(&run, "pressure");
      for (int i = 0; i < still[c].nx * still[c].ny; i++) {
        widen(&fastest, speed[i]);
        widen(&densest, fabs(3 * pressure[i] / 0.1 - 1));
      }
      print_message("%s, %s: speed %.2g, pressure %.2g\n", still[c].name,
                    trm_precision_name((trm_precision)p), fastest, densest);
      assert_true(fastest <= 20 * epsilon[p]);
      assert_true(densest <= (double)still[c].steps * epsilon[p]);
      free(speed);
      free(pressure);
      lbm_end(&run);
    }
}

/* Nothing tells the columns of a channel apart, so that no bit may: not at the ends of a row, of a
 * vector, of a group. */
static void a_channel_is_the_same_in_every_column(trm_device *device)
{
  test_is_spared(device);
  for (int p = 0; p < lbm_precisions(device); p++) {
    const lbm_case *lbm = &lbm_cases[LBM_CHANNEL];
    lbm_run run;
    lbm_begin(&run, device, lbm, (trm_precision)p, NULL);
    lbm_steps(&run, lbm->steps, 0, 0);
    double *f = lbm_values(&run, "populations");
    for (int row = 0; row < 9 * lbm->ny; row++)
      for (int x = 1; x < lbm->nx; x++)
        if (memcmp(&f[row * lbm->nx + x], &f[row * lbm->nx], sizeof *f) != 0)
          fail_msg("population %d of cell (%d, %d) is not that of column 0", row / lbm->ny, x,
                   row % lbm->ny);
    free(f);
    lbm_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(double_precision_is_the_textbook_to_rounding),
    TEST_DEVICE(single_precision_is_near_the_textbook),
    TEST_DEVICE(rest_stays_rest),
    TEST_DEVICE(a_channel_is_the_same_in_every_column),
  };
  const int status = TEST_RUN(argc, argv, cases);
  close_textbook();
  return status;
}
