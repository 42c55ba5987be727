/* compressible_cylinder.c - what walls feel: drag and wake of a cylinder in a stream, drag of a
 * sphere, heat between two cylinders, the pieces of walls that become bodies.vtp. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE "case", "cylinder-compressible"
/* A force of 1 by half the density, the square of the speed and the diameter. */
static const double per_stream = 0.5 * 0.2 * 0.2;

static double drag_of(const fv_run *run)
{
  return (fv_run_last(run, "body1_pressure_x") + fv_run_last(run, "body1_friction_x")) / per_stream;
}

/* How far behind the cylinder the flow along the middle turns. */
static double wake_of(const fv_run *run)
{
  const fv_solver *fv = (const fv_solver *)run->solver;
  const size_t n = (size_t)fv->n[0] << fv->finest;
  const double h = fv->h / (1 << fv->finest);
  double *u = fv_run_values(run, "velocity"), before = 0, length = 0;
  for (size_t i = 0; i < n && length == 0; i++) {
    const double x = fv->origin[0] + ((double)i + 0.5) * h;
    const double along = 0.5 * (u[(n / 2 - 1) * n + i] + u[n / 2 * n + i]);
    if (x > 0.6 && along > 0) length = x - h * along / (along - before) - 0.5;
    before = along;
  }
  free(u);
  return length;
}

/* Pieces of walls: they close up, and what they feel is what the body does. */
static void check_pieces(const fv_run *run)
{
  double *area = fv_run_values(run, "wall_area"), *at = fv_run_values(run, "position");
  double *pressure = fv_run_values(run, "wall_pressure");
  double *friction = fv_run_values(run, "wall_friction");
  double sum[5] = { 0 };
  const size_t n = (size_t)((const fv_solver *)run->solver)->p.walls;
  for (size_t i = 0; i < n; i++) {
    const double size = hypot(area[i], area[n + i]);
    assert_true(fabs(hypot(at[i], at[n + i]) - 0.5) <= 0.02);
    sum[0] += area[i];
    sum[1] += area[n + i];
    sum[2] += size;
    sum[3] += pressure[i] * area[i];
    sum[4] += friction[i] * size;
  }
  const double push = fv_run_last(run, "body1_pressure_x") / sum[3];
  const double drag = fv_run_last(run, "body1_friction_x") / sum[4];
  print_message("# around %.5f; pressure %.5f, friction %.5f of the series'\n", sum[2], push, drag);
  assert_true(fabs(sum[0]) <= 1e-12 && fabs(sum[1]) <= 1e-12);
  assert_true(fabs(sum[2] / 3.14159265358979 - 1) <= 5e-3);
  assert_true(fabs(push - 1) <= 1e-3 && fabs(drag - 1) <= 1e-3);
  free(area);
  free(at);
  free(pressure);
  free(friction);
}

/* 8 cells across in a grid 48 diameters wide, not yet steady. */
static void a_coarse_cylinder_has_nearly_the_drag(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = { CASE, "grid.nx", "48", "grid.ny", "48", "grid.x0", "-24",
                                      "grid.y0", "-24", "compressible.length_x", "48",
                                      "grid.levels", "3", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 40, 100000, 512);
  print_message("# drag %.4f\n", drag_of(&run));
  assert_true(fabs(drag_of(&run) / 1.535 - 1) <= 0.1);
  check_pieces(&run);
  fv_run_end(&run);
}

/* Textbooks' drag is 1.52 to 1.55, their wakes 2.1 to 2.4 long. */
static void a_cylinder_at_40_has_the_drag_and_the_wake(trm_device *device)
{
  static const char *const sets[] = { CASE, "grid.levels", "3", NULL };
  test_is_long();
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 200, 1000000, 4096);
  const double drag = drag_of(&run), wake = wake_of(&run);
  print_message("# drag %.4f, wake %.3f\n", drag, wake);
  assert_true(drag >= 0.97 * 1.52 && drag <= 1.03 * 1.55);
  assert_true(wake >= 2.1 && wake <= 2.4);
  fv_run_end(&run);
}

/* The same drag in boxes 12.8, 25.6 and 51.2 diameters wide, with 10 cells across, at the time at
 * which the shipped case ends. (It becomes steady slowly: by time 600 it falls by 0.1 to 0.6 %.) */
static void a_cylinder_has_the_same_drag_in_any_box(trm_device *device)
{
  static const char *const boxes[][3] = { { "32", "-6.4", "12.8" }, { "64", "-12.8", "25.6" },
                                          { "128", "-25.6", "51.2" } };
  double drag[3];
  test_is_long();
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    const char *const sets[] = { CASE, "grid.nx", boxes[i][0], "grid.ny", boxes[i][0], "grid.x0",
                                 boxes[i][1], "grid.y0", boxes[i][1], "compressible.length_x",
                                 boxes[i][2], "grid.levels", "2", NULL };
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, 200, 1000000, 4096);
    drag[i] = drag_of(&run);
    print_message("# %s wide: drag %.4f\n", boxes[i][2], drag[i]);
    fv_run_end(&run);
  }
  for (int i = 0; i < 2; i++) assert_true(fabs(drag[i] / drag[2] - 1) <= 5e-3);
}

/* Vortices leave in turn; how often, by the lift's zeros, and the mean drag, from `begin` on. */
typedef struct shedding {
  double strouhal, drag;
  int periods;
} shedding;

static shedding shed(trm_device *device, const char *const *sets, double begin, double end,
                     uint64_t batch)
{
  shedding found = { .periods = -1 };
  double before = 0, first = 0, last = 0, length = 0, time = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->time < end) {
    fv_run_advance(&run, end, batch, batch);
    const double lift = fv_run_last(&run, "body1_pressure_y") +
                        fv_run_last(&run, "body1_friction_y");
    const double now = run.solver->time, dt = now - time;
    if (now > begin && before <= 0 && lift > 0) {
      last = now - dt * lift / (lift - before);
      if (++found.periods == 0) first = last;
    }
    if (now > begin && found.periods >= 0) {
      found.drag += dt * drag_of(&run);
      length += dt;
    }
    before = lift;
    time = now;
  }
  fv_run_end(&run);
  found.strouhal = found.periods / (last - first) / 0.2;
  found.drag /= length;
  print_message("# Strouhal %.4f over %d periods, mean drag %.4f\n", found.strouhal, found.periods,
                found.drag);
  return found;
}

static void a_cylinder_at_100_sheds_as_often(trm_device *device)
{
  static const char *const sets[] = { CASE, "compressible.viscosity", "0.002", NULL };
  test_is_long();
  test_needs_f64(device);
  const shedding found = shed(device, sets, 250, 400, 16);
  assert_true(found.periods >= 3 && found.strouhal >= 0.160 && found.strouhal <= 0.169);
  assert_true(found.drag >= 0.97 * 1.32 && found.drag <= 1.03 * 1.36);
}

/* By steps 21 times as long as explicit ones, with 20 cells across. */
static void long_steps_in_dual_time_shed_as_often(trm_device *device)
{
#define AT_100 CASE, "compressible.viscosity", "0.002", "grid.levels", "3"
  static const char *const plain[] = { AT_100, NULL };
  static const char *const dual[] = { AT_100, "compressible.time", "dual", "dual.dt",
                                      "0.66666666666666667", NULL };
  test_is_long();
  test_needs_f64(device);
  const shedding by_explicit = shed(device, plain, 300, 450, 16);
  const shedding by_dual = shed(device, dual, 300, 450, 1);
  assert_true(by_explicit.periods >= 3 && by_dual.periods >= 3);
  assert_true(fabs(by_dual.strouhal / by_explicit.strouhal - 1) <= 0.01);
  assert_true(fabs(by_dual.drag / by_explicit.drag - 1) <= 0.01);
}

/* 16 cells across; Johnson and Patel (1999) have 1.087 where it is steady. At time 60 it falls by a
 * quarter of a hundredth in 10. */
static void a_sphere_at_100_has_the_drag(trm_device *device)
{
  static const char *const sets[] = { "case", "sphere-compressible", "grid.levels", "3", NULL };
  double drag[2];
  test_is_long();
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int i = 0; i < 2; i++) {
    fv_run_advance(&run, i ? 60 : 50, 1000000, 64);
    drag[i] = drag_of(&run) * 4 / acos(-1); /* of a circle, not of a width */
    print_message("# drag %.4f at %g, lift %.1e\n", drag[i], run.solver->time,
                  fv_run_last(&run, "body1_pressure_y") / fv_run_last(&run, "body1_pressure_x"));
  }
  assert_true(drag[1] >= 1.06 && drag[1] <= 1.12 && fabs(drag[1] / drag[0] - 1) <= 0.005);
  fv_run_end(&run);
}

/* Still gas conducts heat from one cylinder to the other by 1 / log of the radii. */
static void heat_passes_between_cylinders(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = {
    "grid.nx", "48", "grid.ny", "48", "grid.x0", "-1.5", "grid.y0", "-1.5",
    "compressible.length_x", "3", "bodies.shapes",
    "cylinder 0 0 1 isothermal 0.72; tube 0 0 1.384 isothermal 0.70", "compressible.viscosity",
    "0.05", "initial.pressure", "0.71", NULL };
  const double exact = 2 * 3.14159265358979 * 0.05 * 1.4 * 0.02 / (0.4 * 0.72) / log(1.384);
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 6, 100000, 512);
  const double from = -fv_run_last(&run, "body1_heat"), to = fv_run_last(&run, "body2_heat");
  print_message("# heat off by %.4f, %.4f; moment %.1e\n", from / exact - 1, to / exact - 1,
                fv_run_last(&run, "body1_moment_z"));
  assert_true(fabs(from / exact - 1) <= 0.01 && fabs(to / exact - 1) <= 0.01);
  assert_true(fabs(fv_run_last(&run, "body1_moment_z")) <= 1e-6);
  fv_run_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_coarse_cylinder_has_nearly_the_drag),
    TEST_DEVICE(a_cylinder_at_40_has_the_drag_and_the_wake),
    TEST_DEVICE(a_cylinder_has_the_same_drag_in_any_box),
    TEST_DEVICE(a_cylinder_at_100_sheds_as_often),
    TEST_DEVICE(long_steps_in_dual_time_shed_as_often),
    TEST_DEVICE(a_sphere_at_100_has_the_drag),
    TEST_DEVICE(heat_passes_between_cylinders),
  };
  return TEST_RUN(argc, argv, cases);
}
