/* compressible_motion.c - bodies that move through the grid: a stream that they move with stays as
 * it is, mirror images stay such, the same bits everywhere, refusals. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>

#define STREAM "initial.pressure", "0.7", "grid.x0", "-0.503", "grid.y0", "-0.497", \
               "initial.velocity_y", "0.1"

/* The largest change of the density, the pressure or the velocity where there is gas, and what its
 * walls feel beside the pressure. */
static double change_of(trm_device *device, const char *const *sets, uint64_t steps)
{
  static const double speed[] = { 0.3, 0.1 };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, steps, 8);
  double most = fv_run_disturbed(&run, 0.7, speed);
  const size_t walls = (size_t)((const fv_solver *)run.solver)->cut->walls;
  double *felt = fv_run_values(&run, "wall_pressure"), *rub = fv_run_values(&run, "wall_friction");
  for (size_t i = 0; i < 3 * walls; i++)
    most = fmax(most, fmax(i < walls ? fabs(felt[i] - 0.7) : 0, fabs(rub[i])));
  free(felt);
  free(rub);
  fv_run_end(&run);
  return most;
}

static void a_stream_about_bodies_in_it_stays(trm_device *device)
{
  test_is_spared(device);
  static const char *const cases[][30] = {
    { "grid.nx", "64", "grid.ny", "64", STREAM, "initial.velocity_x", "0.3",
      "bodies.shapes", "cylinder -0.1 0 0.21 slip", "bodies.motion", "0.3*t, 0.1*t",
      NULL },
    { "grid.nx", "64", "grid.ny", "64", STREAM, "initial.velocity_x", "0.3",
      "bodies.shapes", "cylinder -0.2 0.1 0.15; box 0.05 0.21 -0.2 -0.03",
      "bodies.motion", "0.3*t, 0.1*t; 0.3*t, 0.1*t", "compressible.viscosity", "0.001",
      NULL },
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "grid.z0", "-0.49", STREAM,
      "initial.velocity_x", "0.3", "bodies.shapes", "sphere -0.1 0 0 0.27",
      "bodies.motion", "0.3*t, 0.1*t, 0", "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", "grid.z0", "-0.49", STREAM,
      "initial.velocity_x", "0.3", "bodies.shapes", "box -0.2 0.2 -0.2 0.2 -0.2 0.2",
      "bodies.motion", "0.3*t, 0.1*t, 0, 0.93 along 3 2 1", NULL },
    { "grid.nx", "64", "grid.ny", "64", STREAM, "initial.velocity_x", "0.3",
      "bodies.shapes", "cylinder -0.1 0 0.11", "bodies.motion", "0.3*t, 0.1*t",
      "compressible.viscosity", "0.001", "grid.levels", "1", "mesh.refine", "density 0.1",
      "mesh.adapt_every", "1", NULL } }; /* the grid follows the body, at last in step 19 */
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double most = change_of(device, cases[i], i < 2 ? 24 : i < 4 ? 8 : 19);
    print_message("# case %zu: %.1e\n", i + 1, most);
    assert_true(most <= 1e-13);
  }
}

/* Through six cells, a thousand steps. */
static void a_stream_stays_for_long(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "64", STREAM, "initial.velocity_x", "0.3",
    "bodies.shapes", "cylinder -0.1 0 0.11", "bodies.motion", "0.3*t, 0.1*t",
    "compressible.viscosity", "0.001", "compressible.cfl", "0.08", NULL };
  test_is_long();
  test_needs_f64(device);
  const double most = change_of(device, sets, 1000);
  print_message("# %.1e\n", most);
  assert_true(most <= 1e-13);
}

/* ---- mirror images ----------------------------------------------------------------------- */

/* Forces on a body, of so many steps. */
static void record_forces(trm_device *device, const char *const *sets, int steps, double (*to)[3])
{
  static const char *const names[2][3] = {
    { "body1_pressure_x", "body1_pressure_y", "body1_pressure_z" },
    { "body1_friction_x", "body1_friction_y", "body1_friction_z" } };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const int axes = run.solver->fields->nz > 1 ? 3 : 2;
  for (int i = 0; i < steps; i++) {
    fv_run_advance(&run, INFINITY, 1, 1);
    for (int a = 0; a < 3; a++)
      to[i][a] = a < axes ? fv_run_last(&run, names[0][a]) + fv_run_last(&run, names[1][a]) : 0;
  }
  fv_run_end(&run);
}

#define FLAT "grid.nx", "64", "grid.ny", "64", "grid.x0", "-0.5", "grid.y0", "-0.5", \
             "compressible.viscosity", "0.001", "bodies.shapes"
#define DEEP "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", "grid.x0", "-0.5", "grid.y0", \
             "-0.5", "grid.z0", "-0.5", "compressible.viscosity", "0.001", "bodies.shapes"
#define MOTION "bodies.motion"
#define PLATES "grid.nx", "96", "grid.ny", "48", "compressible.length_x", "2", \
               "initial.density", "1.4", "bodies.shapes", \
               "box 0.5 0.884 0.45 0.55 slip; box 0.94 1.36 0.45 0.55 slides slip", MOTION, \
               "; -0.035*(1 - cos(2*t)), 0"

/* Bodies and their images feel the same, the other way along an axis; one that is its own image
 * feels nothing along it. Planes are sides of cells, and middles of cells. */
static void mirror_images_feel_mirrored_forces(trm_device *device)
{
  test_is_spared(device);
  static const struct { int axis, steps; const char *one[20], *image[20]; } cases[] = {
    { 1, 60, { FLAT, "cylinder 0 0 0.15", MOTION, "0.08*sin(8*t), 0", NULL }, { NULL } },
    { 1, 60, { FLAT, "cylinder 0 0.0078125 0.15", MOTION, "0.08*sin(8*t), 0", NULL }, { NULL } },
    { 0, 60, { FLAT, "cylinder 0.05 0.02 0.15", MOTION, "0.3*t, 0.17*t", NULL },
      { FLAT, "cylinder -0.05 0.02 0.15", MOTION, "-0.3*t, 0.17*t", NULL } },
    { 1, 60, { FLAT, "box -0.15 0.15 -0.125 0.125", MOTION, "0.2*t, 0.2*t", NULL },
      { FLAT, "box -0.15 0.15 -0.125 0.125", MOTION, "0.2*t, -0.2*t", NULL } },
    { 2, 20, { DEEP, "sphere 0 0 0 0.2", MOTION, "0.3*t, 0, 0", NULL }, { NULL } },
    { 2, 20, { DEEP, "sphere 0 0.02 0.03 0.2", MOTION, "0.3*t, 0.2*t, -0.1*t", NULL },
      { DEEP, "sphere 0 0.02 -0.03 0.2", MOTION, "0.3*t, 0.2*t, 0.1*t", NULL } },
    { 1, 60, { PLATES, NULL }, { NULL } } };
  enum { STEPS = 60 };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double one[STEPS][3], image[STEPS][3], most = 0, worst = 0;
    const int steps = cases[i].steps;
    record_forces(device, cases[i].one, steps, one);
    record_forces(device, cases[i].image[0] ? cases[i].image : cases[i].one, steps, image);
    for (int k = 0; k < 3 * steps; k++) {
      const double force = image[k / 3][k % 3] * (k % 3 == cases[i].axis ? -1 : 1);
      most = fmax(most, fabs(one[k / 3][k % 3]));
      worst = fmax(worst, fabs(one[k / 3][k % 3] - force));
    }
    print_message("# case %zu: apart by %.1e of the largest force\n", i + 1, worst / most);
    assert_true(worst <= 1e-10 * most);
  }
}

/* ---- the same everywhere --------------------------------------------------------------- */

static const char *const swinging[] = {
  "grid.nx", "64", "grid.ny", "48", "initial.pressure", "0.7", "bodies.shapes",
  "cylinder 0.3 0.4 0.1; naca 2412 0.55 0.3 0.3 8 slip", "bodies.motion",
  "0.05*sin(9*t), 0.02*(1 - cos(9*t))", "compressible.viscosity", "0.001", NULL };

static void any_batch_gives_the_known_state(trm_device *device)
{
  static const uint64_t batches[] = { 1, 16 };
  for (int p = 0; p < 2; p++)
    for (size_t b = 0; fv_run_takes(device, swinging, (trm_precision)p) && b < 2; b++) {
      fv_run run = fv_run_begin(device, (trm_precision)p, swinging);
      fv_run_advance(&run, INFINITY, 16, batches[b]);
      fv_run_is(&run, "swinging");
      fv_run_end(&run);
    }
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  for (int p = 0; p < 2; p++)
    if (fv_run_takes(device, swinging, (trm_precision)p))
      fv_run_resumes(device, (trm_precision)p, swinging, 11, 5, "swinging");
}

/* Of which a thread works on some blocks, cells or groups. */
static void any_number_of_threads_gives_the_known_state(void)
{
  static const char *const sets[] = { "case", "piston", "grid.nx", "32", "grid.ny", "16",
                                      "grid.nz", "16", NULL };
  static const char *const meet[] = {
    "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", "bodies.shapes",
    "sphere 0.5 0.5 0.5 0.2; sphere 0.7 0.5 0.5 0.15", "bodies.motion", "0.1*t, 0, 0", NULL };
  static const int threads[] = { 1, 2, 3, 7 };
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    trm_device *device = test_open("openmp", &(trm_device_options){ .threads = threads[i] });
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, INFINITY, 8, 4);
    fv_run_is(&run, "piston");
    fv_run_end(&run);
    fv_run_refused(device, meet, TRM_ERROR_INPUT, "x = 0.625, y = 0.46875, z = 0.375");
    trm_device_close(&device);
  }
}

/* ---- what cannot be ---------------------------------------------------------------------- */

/* Slopes are made on the device, which tells of it by what is no number. */
static void a_gap_that_becomes_one_unit_wide_is_refused(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "bodies.shapes",
    "box 0.15 0.3421875 0.25 0.75; box 0.39375 0.6 0.25 0.75", "bodies.motion",
    "; -0.3*t, 0", NULL };
  trm_status status = TRM_OK;
  uint64_t made = 1;
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  for (int step = 0; step < 40 && status == TRM_OK; step++) {
    TEST_OK(trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made));
    status = trm_solver_compressible.account(run.solver, made, &made);
  }
  TEST_FAILS(status, TRM_ERROR_INPUT, "too few neighbours hold gas");
  fv_run_end(&run);
}

/* Nothing of a disc is farther from its middle than its radius, which half a cell is said of. */
static void a_disc_may_turn_by_almost_half_a_cell(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", "bodies.shapes",
                                      "cylinder 0.5 0.5 0.1", "bodies.motion",
                                      "0, 0, 6.5*t", NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_run_advance(&run, INFINITY, 1, 1);
  const double turned = ((const fv_solver *)run.solver)->bodies.body[0].turned;
  print_message("# by %g\n", 0.1 * turned);
  assert_true(0.1 * turned > 0.8 * 0.5 / 64 && 0.1 * turned < 0.5 / 64);
  fv_run_end(&run);
}

static void motions_that_cannot_be_are_refused(trm_device *device)
{
  static const struct { const char *motion, *part; } wrong[] = {
    { "0.1*t", "is not 'X, Y'" }, { "0.1*t, 0, 0, 0", "is not 'X, Y'" },
    { "0, 0, t about 1", "is not 'X, Y'" }, { "0, 0, t about 0.5 0.5 x", "is not 'X, Y'" },
    { "0, s", "s" },
    { "0.1*t, 0; 0, 0", "more paths than there are bodies" }, { "0.1*q, 0", "q" },
    { "sqrt(-1 - t), 0", "body 1 in bodies.motion is no number at t = 0" } };
  uint64_t made = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", "bodies.shapes",
                                 "cylinder 0.5 0.5 0.1", "bodies.motion", wrong[i].motion,
                                 NULL };
    fv_run_refused(device, sets, TRM_ERROR_INPUT, wrong[i].part);
  }
  static const char *const leaves[] = {
    "grid.nx", "64", "grid.ny", "64", "bodies.shapes", "cylinder 0.2 0.5 0.1",
    "bodies.motion", "0.05*t, 0.3*t^3", "run.end_time", "2", "run.steps", TRM_STEPS_UNTIL_END,
    NULL };
  fv_run_refused(device, leaves, TRM_ERROR_INPUT, "along y at t = 1.102 and the grid from 0 to 1");
  static const char *const opens[] = {
    "grid.nx", "64", "grid.ny", "64", "bodies.shapes", "tube 0.5 0.5 0.4",
    "bodies.motion", "0.1*t, 0", "run.end_time", "2", "run.steps", TRM_STEPS_UNTIL_END,
    NULL };
  fv_run_refused(device, opens, TRM_ERROR_INPUT, "along x at t = 1.002 and the grid from 0 to 1");
  static const char *const two[] = { "cylinder 0.2997 0.5 0.1; cylinder 0.7 0.5 0.1",
                                     "cylinder 0.2997 0.5 0.1; box 0.6 0.8 0.4 0.6",
                                     "tube 0.2997 0.5 0.2; naca 0040 0.25 0.5 0.1 0" };
  static const char *const meet[] = { "at t = 0.401; change their paths", "at t = 0.401; change",
                                      "at t = 0.301; change" };
  for (size_t i = 0; i < 3; i++) {
    const char *const sets[] = {
      "grid.nx", "64", "grid.ny", "64", "bodies.shapes", two[i], "bodies.motion",
      "0.5*t, 0", "run.end_time", "1", "run.steps", TRM_STEPS_UNTIL_END, NULL };
    fv_run_refused(device, sets, TRM_ERROR_INPUT, meet[i]);
  }
  static const struct { const char *motion, *part; } later[] = {
    { "10*t, 0", "more than half of a cell, 0.0078125" },
    { "0.01*t, 0; 10*t, 0", "after step 0 body 2 would move by " },
    { "0, sqrt(1e-4 - t)", "is no number at t = " }, { "-0.5*t, 0", "a body lies inside" } };
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
    const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", "bodies.shapes",
                                 "cylinder 0.115 0.5 0.1; cylinder 0.6 0.5 0.1",
                                 "bodies.motion", later[i].motion, NULL };
    trm_status status = TRM_OK;
    fv_run run = fv_run_begin(device, TRM_F32, sets);
    for (int k = 0; k < 8 && status == TRM_OK; k++) {
      status = trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made);
      if (status == TRM_OK)
        TEST_OK(trm_solver_compressible.account(run.solver, made, &made));
    }
    TEST_FAILS(status, TRM_ERROR_INPUT, later[i].part);
    fv_run_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_stream_about_bodies_in_it_stays),
    TEST_DEVICE(a_stream_stays_for_long),
    TEST_DEVICE(mirror_images_feel_mirrored_forces),
    TEST_DEVICE(any_batch_gives_the_known_state),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_HOST(any_number_of_threads_gives_the_known_state),
    TEST_DEVICE(a_gap_that_becomes_one_unit_wide_is_refused),
    TEST_DEVICE(a_disc_may_turn_by_almost_half_a_cell),
    TEST_DEVICE(motions_that_cannot_be_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
