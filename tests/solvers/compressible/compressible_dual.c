/* compressible_dual.c - steps in dual time: order two in the step, streams that
 * stay, sweeps that coarser grids save, the same bits everywhere, refusals. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUAL "compressible.time", "dual"

enum { N = 128 };

/* The density of cases/vortex after a second, by `steps` steps in dual time; 0: by explicit ones,
 * so short that they leave hardly an error of their own. */
static double *vortex_after(trm_device *device, int steps, double *cycles)
{
  char dt[32];
  snprintf(dt, sizeof dt, "%.17g", 1.0 / steps);
  const char *const implicit[] = { "case", "vortex", DUAL, "dual.dt", dt, "dual.tolerance", "1e-5",
                                   NULL };
  const char *const plain[] = { "case", "vortex", "compressible.cfl", "0.2", NULL };
  fv_run run = fv_run_begin(device, TRM_F64, steps > 0 ? implicit : plain);
  fv_run_advance(&run, 1.0, 100000, 512);
  double *rho = fv_run_values(&run, "density");
  if (steps > 0) {
    assert_int_equal((int)run.solver->step, steps);
    *cycles = ((const fv_solver *)run.solver)->dual.cycles / steps;
  }
  fv_run_end(&run);
  return rho;
}

/* Mean differences from short explicit steps on the same grid, which have the same error in space:
 * what is left is that of the step. */
static void a_vortex_has_order_two_in_the_step(trm_device *device)
{
  test_is_long_elsewhere(device);
  double error[2], cycles;
  test_needs_f64(device);
  double *plain = vortex_after(device, 0, NULL);
  for (int k = 0; k < 2; k++) {
    double *rho = vortex_after(device, 32 << k, &cycles);
    error[k] = 0;
    for (int i = 0; i < N * N; i++) error[k] += fabs(rho[i] - plain[i]) / (N * N);
    free(rho);
    print_message("# dt 1/%d, %.1f cycles a step: off by %.3e\n", 32 << k, cycles, error[k]);
  }
  free(plain);
  print_message("# order %.2f\n", log2(error[0] / error[1]));
  assert_true(log2(error[0] / error[1]) >= 1.95);
}

/* Over two levels, about a body whose axis the gas runs along, and in three dimensions. */
static void a_stream_stays(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const cases[][30] = {
    { "grid.nx", "64", "grid.ny", "64", "grid.levels", "1", "mesh.refine", "0.3 0.6 0.3 0.6",
      "initial.velocity_x", "0.3", "initial.velocity_y", "0.2", DUAL, NULL },
    { "grid.nx", "64", "grid.ny", "64", "bodies.shapes", "cylinder 0.503 0.497 0.21 slip",
      "initial.velocity_z", "0.3", DUAL, NULL },
    { "grid.nx", "32", "grid.ny", "32", "bodies.shapes", "cylinder 0.503 0.497 0.21 slip",
      "initial.velocity_z", "0.3", DUAL, "dual.iterations", "9", "compressible.cut_cells",
      "redistribution", NULL },
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "grid.levels", "1", "mesh.refine",
      "0.3 0.4 0.3 0.4 0.3 0.4", "initial.velocity_x", "0.3", DUAL,
      "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "64", "grid.ny", "64", "grid.levels", "1", "mesh.refine", "0.3 0.6 0.3 0.6",
      "initial.velocity_x", "0.3", DUAL, "compressible.multigrid", "3", NULL },
    { "grid.nx", "64", "grid.ny", "64", "bodies.shapes", "cylinder 0.503 0.497 0.21 slip",
      "initial.velocity_z", "0.3", DUAL, "compressible.multigrid", "2", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double most = 0;
    fv_run run = fv_run_begin(device, TRM_F64, cases[i]);
    double *first = fv_run_values(&run, "density"), *u = fv_run_values(&run, "velocity");
    const size_t cells = run.solver->fields[0].nx * run.solver->fields[0].ny *
                         run.solver->fields[0].nz;
    fv_run_advance(&run, INFINITY, test_runs_long() ? 10 : 2, 2);
    double *rho = fv_run_values(&run, "density"), *now = fv_run_values(&run, "velocity");
    for (size_t k = 0; k < cells; k++) {
      most = fmax(most, fabs(rho[k] - first[k]));
      for (size_t a = 0; a < 3; a++) most = fmax(most, fabs(now[k + a * cells] - u[k + a * cells]));
    }
    print_message("# case %zu: %.1e\n", i + 1, most);
    free(first);
    free(u);
    free(rho);
    free(now);
    fv_run_end(&run);
    assert_true(most <= 1e-13);
  }
}

#define T "0.7142857142857143"
#define SIDE(name) "boundary." name, "isothermal", "boundary." name "_temperature", T
#define CAVITY(n, tolerance, grids) \
  "grid.nx", n, "grid.ny", n, SIDE("west"), SIDE("east"), SIDE("south"), SIDE("north"), \
  "boundary.north_velocity", "0.2 0 0", "compressible.viscosity", "0.002", \
  "initial.pressure", T, "compressible.time", "steady", "dual.tolerance", tolerance, \
  "compressible.multigrid", grids, NULL

/* Where a run of cycles ended, and the fine sweeps that it took. */
static double *steady_velocity(trm_device *device, const char *const *sets, double *sweeps,
                               double *drag)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int i = 0; i < 400 && !run.solver->has_ended; i++)
    fv_run_advance(&run, INFINITY, 50, 50);
  assert_true(run.solver->has_ended);
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  for (size_t i = 0; i < run.solver->result_count; i++)
    if (strcmp(run.solver->results[i].name, "sweeps") == 0)
      *sweeps = run.solver->results[i].value;
  if (((const fv_solver *)run.solver)->cut)
    *drag = fv_run_last(&run, "body1_pressure_x") + fv_run_last(&run, "body1_friction_x");
  double *velocity = fv_run_values(&run, "velocity");
  fv_run_end(&run);
  return velocity;
}

/* The largest difference of velocities, of n x n cells, by 0.2, the lid's or the stream's. */
static double compare_grids(trm_device *device, const char *const *plain,
                            const char *const *grids, size_t n, double share)
{
  double single, nested, most = 0, drag[2] = { 0, 0 };
  double *u = steady_velocity(device, plain, &single, &drag[0]);
  double *v = steady_velocity(device, grids, &nested, &drag[1]);
  for (size_t i = 0; i < 2 * n * n; i++) most = fmax(most, fabs(u[i] - v[i]) / 0.2);
  print_message("# %zu cells: %.0f sweeps alone, %.0f with coarser grids; velocities differ by "
                "%.1e, drags %.5f and %.5f\n", n, single, nested, most, drag[0] / 0.02,
                drag[1] / 0.02);
  assert_true(nested <= share * single && fabs(drag[1] - drag[0]) <= 0.01 * fabs(drag[0]));
  free(u);
  free(v);
  return most;
}

static void coarser_grids_save_sweeps(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const plain[] = { CAVITY("64", "1e-2", "0") };
  static const char *const grids[] = { CAVITY("64", "1e-2", "2") };
  test_needs_f64(device);
  compare_grids(device, plain, grids, 64, 1.0 / 3);
}

/* And lead to the same flow. */
static void coarser_grids_lead_to_the_same_flow(trm_device *device)
{
  static const char *const plain[] = { CAVITY("64", "1e-6", "0") };
  static const char *const grids[] = { CAVITY("64", "1e-6", "2") };
  test_is_long();
  test_needs_f64(device);
  assert_true(compare_grids(device, plain, grids, 64, 1.0 / 3) <= 1e-4);
}

/* A cylinder in a stream at Re 40, in a grid so many wide; the coarser ones have walls too. */
#define CYLINDER(n, corner, width, levels, box, tolerance, grids) \
  "case", "cylinder-compressible", "grid.nx", n, "grid.ny", n, "grid.x0", corner, \
  "grid.y0", corner, "compressible.length_x", width, "grid.levels", levels, "mesh.refine", box, \
  "initial.velocity_y", "0", "compressible.time", "steady", "dual.tolerance", tolerance, \
  "compressible.multigrid", grids, NULL

static void coarser_grids_know_of_bodies(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const plain[] = { CYLINDER("64", "-4", "8", "0", "", "1e-3", "0") };
  static const char *const grids[] = { CYLINDER("64", "-4", "8", "0", "", "1e-3", "2") };
  test_needs_f64(device);
  compare_grids(device, plain, grids, 64, 0.55);
}

/* The finer the grid, the more. */
static void coarser_grids_about_bodies_save_sweeps(trm_device *device)
{
  static const char *const plain[] = { CYLINDER("128", "-4", "8", "0", "", "1e-3", "0") };
  static const char *const grids[] = { CYLINDER("128", "-4", "8", "0", "", "1e-3", "3") };
  test_is_long();
  test_needs_f64(device);
  compare_grids(device, plain, grids, 128, 1.0 / 3);
}

/* On levels, to the same flow. */
static void coarser_grids_about_bodies_lead_to_the_same_flow(trm_device *device)
{
#define FAR(tolerance, grids) \
  CYLINDER("32", "-16", "32", "4", "-1 3.5 -1.2 1.2", tolerance, grids)
  static const char *const plain[] = { FAR("1e-5", "0") };
  static const char *const grids[] = { FAR("1e-5", "3") };
  test_is_long();
  test_needs_f64(device);
  assert_true(compare_grids(device, plain, grids, 512, 1.0 / 3) <= 2e-3);
}

/* The same bits, and so the same cycles, on every device. */
#define FLAT "grid.nx", "64", "grid.ny", "64", "grid.levels", "1"
#define SWIRL \
  "compressible.length_x", "6.283185307179586", "compressible.viscosity", "0.01", \
  "initial.velocity_x", "sin(x)*cos(y)", "initial.velocity_y", "-cos(x)*sin(y)", \
  "initial.velocity_z", "0.3*sin(x + 2*y)", "initial.pressure", "20", DUAL, \
  "dual.tolerance", "0.02"
static void fields_have_the_known_bits(trm_device *device)
{
  test_is_spared(device);
  static const char *const cases[][36] = {
    { FLAT, SWIRL, "bodies.shapes", "cylinder 3 3.2 0.6", NULL },
    { FLAT, SWIRL, "mesh.refine", "1 2 3 5", "boundary.south", "wall", "boundary.north", "wall",
      "compressible.multigrid", "3", NULL },
    { "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", SWIRL, "compressible.multigrid", "2",
      "grid.levels", "1", "mesh.refine", "0 1 0 1 0 1", NULL },
    { FLAT, SWIRL, "bodies.shapes", "cylinder 3 3.2 0.6", "compressible.multigrid", "2",
      NULL },
    { "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", SWIRL, "bodies.shapes",
      "sphere 3 3.1 3.2 1.2", "compressible.multigrid", "1", NULL } };
  for (int i = 0; i < 10; i++) {
    if (!test_takes(device, (size_t)i / 2, (trm_precision)(i % 2))) continue;
    fv_run run = fv_run_begin(device, (trm_precision)(i % 2), cases[i / 2]);
    fv_run_advance(&run, INFINITY, 3, 3);
    print_message("# %g cycles\n", ((const fv_solver *)run.solver)->dual.cycles);
    fv_run_is(&run, "dual/%d", i / 2);
    fv_run_end(&run);
  }
}

/* ---- control volumes at walls ---------------------------------------------------------------- */

#define NEW "compressible.cut_cells", "redistribution"

/* Between a cylinder that turns and a tube, cycles end in Couette's flow. */
static void volumes_reach_the_flow_between_cylinders(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "grid.x0", "-1.5", "grid.y0", "-1.5", "compressible.length_x",
    "3", "bodies.shapes", "cylinder 0 0 1 isothermal 1 spin 0.03; tube 0 0 1.384 isothermal 1",
    "compressible.viscosity", "0.05", "compressible.time", "steady", "dual.tolerance", "2e-4", NEW,
    NULL };
  const double exact = 4 * acos(-1) * 0.05 * 0.03 * 1.915456 / 0.915456;
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (!run.solver->has_ended && run.solver->step < 250)
    fv_run_advance(&run, INFINITY, 10, 10);
  const double inner = -fv_run_last(&run, "body1_moment_z") / exact;
  const double outer = fv_run_last(&run, "body2_moment_z") / exact;
  print_message("# %d cycles, of the exact torque %.4f and %.4f\n", (int)run.solver->step, inner,
                outer);
  assert_true(run.solver->has_ended && fabs(inner - 1) <= 0.015 && fabs(outer - 1) <= 0.015);
  fv_run_end(&run);
}

/* A wave that meets a cylinder, after a time. */
static double *flow_after(trm_device *device, const char *dt)
{
  const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "bodies.shapes", "cylinder 0.51 0.48 0.16",
    "compressible.viscosity", "0.005", "initial.pressure",
    "0.7*(1 + 0.1*exp(-30*((x-0.2)^2 + (y-0.4)^2)))", DUAL, "dual.dt", dt,
    "dual.tolerance", "1e-5", NEW, NULL };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.2, 100000, 1);
  double *velocity = fv_run_values(&run, "velocity");
  fv_run_end(&run);
  return velocity;
}

static void volumes_have_order_two_in_the_step(trm_device *device)
{
  static const char *const steps[] = { "0.02", "0.01", "0.005" };
  double *u[3], by[2] = { 0, 0 };
  test_is_long();
  test_needs_f64(device);
  for (int k = 0; k < 3; k++) u[k] = flow_after(device, steps[k]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2 * 32 * 32; i++) by[k] += fabs(u[k][i] - u[k + 1][i]) / (2 * 32 * 32);
  for (int k = 0; k < 3; k++) free(u[k]);
  print_message("# halves differ by %.2e and %.2e, order %.2f\n", by[0], by[1],
                log2(by[0] / by[1]));
  assert_true(log2(by[0] / by[1]) >= 1.6); /* the first step has order one */
}

/* A checkpoint keeps the state of volumes a step before. */
static void volumes_go_on_with_the_same_bits(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "bodies.shapes", "cylinder 0.51 0.48 0.16 isothermal 0.8",
    "compressible.viscosity", "0.005", "initial.velocity_x", "0.2", DUAL, "dual.dt", "0.02",
    "dual.tolerance", "0.01", NEW, NULL };
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  fv_run_resumes(device, TRM_F64, sets, 2, 2, NULL);
}

static void contradictions_are_refused(trm_device *device)
{
  static const struct { trm_status status; const char *part, *sets[12]; } wrong[] = {
    { TRM_ERROR_INPUT, "compressible.time is 'explicit'", { "dual.dt", "0.1" } },
    { TRM_ERROR_INPUT, "compressible.time is 'explicit'", { "compressible.multigrid", "2" } },
    { TRM_ERROR_INPUT, "compressible.multigrid is 0", { DUAL, "dual.coarsest", "8" } },
    { TRM_ERROR_INPUT, "both dual.dt and dual.cfl", { DUAL, "dual.dt", "0.1", "dual.cfl", "8" } },
    { TRM_ERROR_UNSUPPORTED, "name boxes",
      { DUAL, "grid.levels", "1", "mesh.refine", "density 0.1" } },
    { TRM_ERROR_UNSUPPORTED, "the test: compressible.time = 'dual' does not work with probes or",
      { DUAL, "average_from", "0" } },
    { TRM_ERROR_UNSUPPORTED, "the test: compressible.time = 'dual' does not work with sides whose",
      { DUAL, "boundary.east", "farfield", "boundary.west", "outflow",
        "boundary.east_velocity", "t; 0; 0" } },
    { TRM_ERROR_UNSUPPORTED, "walls stay",
      { DUAL, "bodies.shapes", "cylinder 0.5 0.5 0.2", "bodies.motion", "0.1*t, 0" } },
    { TRM_ERROR_INPUT, "too many about these bodies, take 1: in coarser grid 2",
      { DUAL, "bodies.shapes", "cylinder 0.5 0.5 0.05", "compressible.multigrid", "2" } },
    { TRM_ERROR_UNSUPPORTED, "sweeps over one grid alone",
      { DUAL, "bodies.shapes", "cylinder 0.5 0.5 0.2", "compressible.multigrid", "1", NEW } },
    { TRM_ERROR_INPUT, "this grid has 2 coarser ones", { DUAL, "compressible.multigrid", "3" } } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, wrong[i].status, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_vortex_has_order_two_in_the_step),
    TEST_DEVICE(a_stream_stays),
    TEST_DEVICE(coarser_grids_save_sweeps),
    TEST_DEVICE(coarser_grids_lead_to_the_same_flow),
    TEST_DEVICE(coarser_grids_know_of_bodies),
    TEST_DEVICE(coarser_grids_about_bodies_save_sweeps),
    TEST_DEVICE(coarser_grids_about_bodies_lead_to_the_same_flow),
    TEST_DEVICE(fields_have_the_known_bits),
    TEST_DEVICE(volumes_reach_the_flow_between_cylinders),
    TEST_DEVICE(volumes_have_order_two_in_the_step),
    TEST_DEVICE(volumes_go_on_with_the_same_bits),
    TEST_DEVICE(contradictions_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
