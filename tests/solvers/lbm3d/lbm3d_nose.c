/* lbm3d_nose.c - the nose of cases/nose when its flow is steady: as much flows out as in, and walls
 * feel what the momentum through openings says. On a GPU:
 * TRIREME_TEST_LONG=1 TRIREME_TEST_BACKENDS=cuda tests/run lbm3d_nose */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sum in the last step of all series whose names end so. */
static double all_of(const flow_run *run, const char *what)
{
  double sum = 0;
  for (size_t i = 0; i < run->solver->series_count; i++) {
    const char *name = run->solver->series[i].name;
    const size_t end = strlen(name), length = strlen(what);
    if (end >= length && strcmp(name + end - length, what) == 0)
      sum += flow_series(run, name)[run->solver->step - 1];
  }
  return sum;
}

static double momentum(flow_run *run, int axis)
{
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density");
  const size_t n = (size_t)run->solver->cells;
  long double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long double)(rho[i] * u[(size_t)axis * n + i]);
  free(u);
  free(rho);
  const double side = run->solver->spacing[0]; /* 0: 1 */
  return (double)sum * (side > 0 ? side * side * side : 1);
}

/* One more step: what comes in through openings, less the forces on walls, is what the momentum
 * grows by; all of the largest of them. */
static double imbalance(flow_run *run)
{
  static const char *const in[] = {"momentum_x", "momentum_y", "momentum_z"};
  static const char *const felt[] = {"force_x", "force_y", "force_z"};
  const double dt = run->solver->time / (double)run->solver->step;
  double before[3], off = 0, all = 0;
  for (int a = 0; a < 3; a++) before[a] = momentum(run, a);
  flow_steps(run, 1, 0);
  for (int a = 0; a < 3; a++) {
    const double came = all_of(run, in[a]), lost = all_of(run, felt[a]);
    off = fmax(off, fabs(came - lost - (momentum(run, a) - before[a]) / dt));
    all = fmax(all, fmax(fabs(came), fabs(lost)));
  }
  assert_true(all > 0);
  return off / all;
}

/* Inflow at the nostrils less outflow at the throat, of the inflow, in the last step. */
static double difference(const flow_run *run)
{
  const size_t last = (size_t)run->solver->step - 1;
  const double in = flow_series(run, "nostril_left_flux")[last] +
                    flow_series(run, "nostril_right_flux")[last];
  return (in + flow_series(run, "throat_flux")[last]) / in;
}

/* In cells of `cell` metres, otherwise as in cases/nose. */
static void begin(flow_run *run, trm_device *device, trm_precision precision, const char *grid,
                  double cell)
{
  char settings[900];
  snprintf(settings, sizeof settings,
           "%s|bodies.stl=%s|bodies.stl_cell=%g|units.cell=%g|units.speed=0.05|"
           "units.viscosity=1.5e-5|units.density=1.2|lbm.reference_speed=0.02|"
           "lbm.reynolds_dim=%.17g|"
           "lbm.patches=nostril_left pressure 0; nostril_right pressure 0; throat pressure -0.02",
           grid, test_data("../../cases/nose/airway.stl"), cell * 1e3, cell, 0.0105 / cell);
  flow_begin(run, device, precision, settings);
}

static void hold(flow_run *run, const char *name, double asked)
{
  const double balance = imbalance(run), flows = fabs(difference(run));
  test_remark("%s, %g s: in and out differ by %.1e, asked %g; momentum and forces on walls by "
              "%.1e, asked 1e-10", name, run->solver->time, flows, asked, balance);
  assert_true(flows <= asked && balance <= 1e-10);
}

/* Long before it is steady: in and out may differ by anything. */
static void walls_feel_what_openings_say(trm_device *device)
{
  flow_run run;
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  begin(&run, device, TRM_F64, "grid.nx=76|grid.ny=30|grid.nz=50", 1.5e-3);
  flow_steps(&run, 299, 0);
  hold(&run, "1.5 mm, f64", INFINITY);
  flow_end(&run);
}

static void a_coarse_nose_gets_steady(trm_device *device)
{
  flow_run run;
  test_is_long_once(device);
  test_needs_f64(device);
  begin(&run, device, TRM_F64, "grid.nx=76|grid.ny=30|grid.nz=50", 1.5e-3);
  flow_steps(&run, 5999, 0);
  hold(&run, "1.5 mm, f64", 1e-4);
  flow_end(&run);
}

/* The case of the tree, at the end that it has and before. */
static void the_nose_gets_steady(trm_device *device)
{
  flow_run run;
  test_is_for_a_gpu(device);
  test_needs_f64(device);
  const uint64_t steps = flow_begin_case(&run, device, "nose");
  flow_steps(&run, 10000, 0);
  test_remark("0.75 mm, f64, %g s: in and out differ by %.1e", run.solver->time, difference(&run));
  flow_steps(&run, steps - 10001, 0);
  hold(&run, "0.75 mm, f64", 1e-4);
  flow_end(&run);
}

static void the_nose_gets_steady_in_f32(trm_device *device)
{
  flow_run run;
  test_is_for_a_gpu(device);
  begin(&run, device, TRM_F32, "grid.nx=148|grid.ny=54|grid.nz=96", 7.5e-4);
  for (int i = 0; i < 2; i++) {
    flow_steps(&run, i ? 3333 : 10000, 0);
    test_remark("0.75 mm, f32, %g s: in and out differ by %.1e%s", run.solver->time,
                difference(&run), i ? ", asked 1e-4" : "");
  }
  assert_true(fabs(difference(&run)) <= 1e-4);
  flow_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(walls_feel_what_openings_say),
    TEST_DEVICE(a_coarse_nose_gets_steady),
    TEST_DEVICE(the_nose_gets_steady),
    TEST_DEVICE(the_nose_gets_steady_in_f32),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
