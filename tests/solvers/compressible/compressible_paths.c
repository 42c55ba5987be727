/* compressible_paths.c - the paths of bodies that move: turns, about an axis too, and tables. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What series has after some steps. */
static double after(trm_device *device, const char *const *sets, uint64_t steps, const char *series)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, steps, 1);
  const double value = fv_run_last(&run, series);
  fv_run_end(&run);
  return value;
}

#define TURNS "grid.nx", "48", "grid.ny", "48", "compressible.viscosity", "0.01"

/* A cylinder that turns is one whose wall slides; about another place it is one that moves. */
static void a_turning_cylinder_is_one_that_slides_or_moves(trm_device *device)
{
  test_is_spared(device);
  static const char *const slides[] = { TURNS, "bodies.shapes",
                                        "cylinder 0.5 0.5 0.2 spin 0.3", NULL };
  static const char *const turns[] = { TURNS, "bodies.shapes", "cylinder 0.5 0.5 0.2",
                                       "bodies.motion", "0, 0, 0.3*t", NULL };
  static const char *const moves[] = { TURNS, "bodies.shapes", "cylinder 0.6 0.5 0.1 slip",
                                       "bodies.motion", "0.1*(cos(t)-1), 0.1*sin(t)", NULL };
  static const char *const orbits[] = { TURNS, "bodies.shapes", "cylinder 0.6 0.5 0.1 slip",
                                        "bodies.motion", "0, 0, t about 0.5 0.5", NULL };
  test_needs_f64(device);
  const double one = after(device, slides, 40, "body1_moment_z");
  const double two = after(device, turns, 40, "body1_moment_z");
  print_message("# moments %.6e, %.6e\n", one, two);
  assert_true(fabs(two / one - 1) <= 1e-3 && fabs(one) > 1e-4);
  for (int a = 0; a < 2; a++) {
    const char *series = a ? "body1_pressure_y" : "body1_pressure_x";
    const double path = after(device, moves, 40, series), orbit = after(device, orbits, 40, series);
    print_message("# forces %.6e, %.6e\n", path, orbit);
    assert_true(fabs(orbit / path - 1) <= 0.05);
  }
}

/* In three dimensions about a slanting axis: where it turns to is where it would be moved to. */
static void a_turn_about_an_axis_is_rodrigues_formula(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "bodies.shapes",
    "sphere 0.65 0.5 0.5 0.2", "bodies.motion",
    "0, 0, 0, 2*t about 0.5 0.5 0.5 along 1 1 1", NULL };
  static const double axis = 0.57735026918962576;
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_solver *fv = (fv_solver *)run.solver;
  const double own[3] = { 0.65, 0.5, 0.5 }, off = 0.15;
  for (int i = 0; i < 6; i++) {
    const double time = 0.4 * i, c = cos(2 * time), s = sin(2 * time);
    const double want[3] = { c + (1 - c) / 3, s * axis + (1 - c) / 3, -s * axis + (1 - c) / 3 };
    double at[3], back[3];
    fv_move_bodies(&fv->bodies, time);
    fv_body_to_here(&fv->bodies.body[0], own, at);
    fv_body_from_here(&fv->bodies.body[0], at, back);
    for (int a = 0; a < 3; a++) {
      assert_true(fabs(at[a] - 0.5 - off * want[a]) <= 1e-14);
      assert_true(fabs(back[a] - own[a]) <= 1e-15);
    }
  }
  fv_run_end(&run);
}

static void a_path_from_a_table_is_that_path(trm_device *device)
{
  test_is_spared(device);
  char path[] = "motion-XXXXXX";
  const int file = mkstemp(path);
  FILE *out = fdopen(file, "w");
  assert_non_null(out);
  fputs("t s\n", out);
  for (int i = 0; i <= 40; i++) fprintf(out, "%.17g %.17g\n", 0.05 * i, 0.05 * sin(2 * 0.05 * i));
  fclose(out);
  const char *const table[] = { TURNS, "bodies.shapes", "cylinder 0.5 0.5 0.15",
                                "bodies.motion", "s, 0", "bodies.motion_table", path,
                                NULL };
  static const char *const formula[] = { TURNS, "bodies.shapes", "cylinder 0.5 0.5 0.15",
                                         "bodies.motion", "0.05*sin(2*t), 0", NULL };
  test_needs_f64(device);
  const double one = after(device, table, 40, "body1_pressure_x");
  const double other = after(device, formula, 40, "body1_pressure_x");
  remove(path);
  print_message("# force %.6e, by formula %.6e\n", one, other);
  assert_true(fabs(one / other - 1) <= 0.02 && fabs(other) > 1e-3);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_turning_cylinder_is_one_that_slides_or_moves),
    TEST_DEVICE(a_turn_about_an_axis_is_rodrigues_formula),
    TEST_DEVICE(a_path_from_a_table_is_that_path),
  };
  return TEST_RUN(argc, argv, cases);
}
