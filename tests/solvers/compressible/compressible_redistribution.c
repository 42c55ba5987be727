/* compressible_redistribution.c - runs with compressible.cut_cells = redistribution: streams, sums,
 * gas that is pressed, gaps that shut and open, checkpoints, refusals. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/cutcells/volumes_run.h"

#define NEW "compressible.cut_cells", "redistribution"
#define STREAM "initial.pressure", "0.7", "grid.x0", "-0.503", "grid.y0", "-0.497", \
               "initial.velocity_x", "0.3", "initial.velocity_y", "0.1", NEW

static void spare(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

/* The largest change of density, pressure and velocity where there is gas. */
static double change_of(trm_device *device, trm_precision precision, const char *const *sets,
                        uint64_t steps)
{
  static const double speed[] = { 0.3, 0.1 };
  fv_run run = fv_run_begin(device, precision, sets);
  fv_run_advance(&run, INFINITY, steps, 8);
  const double most = fv_run_disturbed(&run, 0.7, speed);
  fv_run_end(&run);
  return most;
}

static void a_stream_about_bodies_in_it_stays(trm_device *device)
{
  static const char *const cases[][28] = {
    { "grid.nx", "64", "grid.ny", "64", STREAM, "bodies.shapes",
      "cylinder -0.2 0.1 0.15; box 0.05 0.21 -0.2 -0.03 slip", "bodies.motion",
      "0.3*t, 0.1*t; 0.3*t, 0.1*t", "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "grid.z0", "-0.49", STREAM,
      "bodies.shapes", "box -0.2 0.2 -0.2 0.2 -0.2 0.2 slip", "bodies.motion",
      "0.3*t, 0.1*t, 0, 0.93 along 3 2 1", NULL },
    { "grid.nx", "48", "grid.ny", "48", STREAM, "grid.levels", "1", "mesh.refine",
      "-0.35 0.3 -0.25 0.35", "bodies.shapes", "cylinder -0.1 0.05 0.15", "bodies.motion",
      "0.3*t, 0.1*t", "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "96", "grid.ny", "32", STREAM, "bodies.shapes", /* from block to block */
      "cylinder -0.4 -0.42 0.03", "bodies.motion", "0.3*t, 0.1*t", NULL } };
  spare(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t steps = i == 0 ? 24 : i == 1 ? 4 : i == 2 ? 12 : 220;
    const double most = change_of(device, TRM_F64, cases[i], steps);
    const double single = change_of(device, TRM_F32, cases[i], steps);
    test_remark("case %zu: %.1e, f32 %.1e", i + 1, most, single);
    assert_true(most <= 1e-13 && single <= 2e-5);
  }
}

/* ---- gas that is pressed --------------------------------------------------------------------- */

/* Bars from side to side. One goes towards the other, slowly, and gas between them follows the
 * isentropic law; the work on it is the energy's change. */
static void slow_compression_is_isentropic(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "16", "initial.density", "1.4", "bodies.shapes",
    "box 0.21 0.343 0 0.25 slip; box 0.627 0.81 0 0.25 slip", "bodies.motion",
    "0.06*(t/2.4)^3*(10 - 15*(t/2.4) + 6*(t/2.4)^2), 0", NEW, NULL };
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double work = 0;
  while (run.solver->time < 2.4) {
    fv_run_advance(&run, 2.4, 1, 1);
    work += fv_run_last(&run, "dt") *
            (fv_run_last(&run, "body1_power") + fv_run_last(&run, "body2_power"));
  }
  const double way = ((const fv_solver *)run.solver)->bodies.body[0].moved[0];
  const double inside = pow((0.627 - 0.343) / (0.627 - 0.343 - way), 1.4);
  const double out = pow((1 - 0.81 + 0.21) / (1 - 0.81 + 0.21 + way), 1.4);
  const double force = fv_run_last(&run, "body2_pressure_x") / 0.25;
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  const double gas = 0.25 * (1 - 0.133 - 0.183) / 0.4;
  test_remark("pressed by %.4f to %.4f: force %.5f, %.5f is right; mass %.1e, energy less work "
              "%.1e", way, inside, force, inside - out, run.solver->results[1].value,
              run.solver->results[2].value - work / gas);
  assert_true(fabs(force - (inside - out)) <= 0.01 * (inside - out));
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  assert_true(fabs(run.solver->results[2].value - work / gas) <= 1e-12);
  fv_run_end(&run);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* A plate goes to another one, into it, and back. */
static const char *const plates[] = {
  "grid.nx", "32", "grid.ny", "32", "initial.density", "1.4", "compressible.flux", "hllc",
  "compressible.length_x", "2", "bodies.shapes",
  "box 0.41 0.78 0.52 1.43 slip; box 0.91 1.37 0.63 1.31 slip", "bodies.motion",
  "; -0.073*(1 - cos(2.1*t)), 0", NEW, NULL };

static void a_gap_shuts_and_opens(trm_device *device)
{
  double shut = 0, opened = 0, work = 0, most = 0;
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, plates);
  while (run.solver->time < 2.9) {
    fv_run_advance(&run, 2.9, 1, 1);
    shut += fv_run_last(&run, "gap_shut_area");
    opened += fv_run_last(&run, "gap_opened_area");
    most = fmax(most, fv_run_last(&run, "gap_cells_shut"));
    work += fv_run_last(&run, "dt") *
            (fv_run_last(&run, "body1_power") + fv_run_last(&run, "body2_power"));
  }
  const double at[2] = { fv_run_last(&run, "gap_x"), fv_run_last(&run, "gap_y") };
  const double gas = (4 - 0.37 * 0.91 - 0.46 * 0.68) / 0.4;
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  test_remark("%.3f shut, %.3f opened, at most %g cells, last at %.3f %.3f; mass %.1e, energy "
              "less work %.1e of %.2g", shut, opened, most, at[0], at[1],
              run.solver->results[1].value, run.solver->results[2].value - work / gas, work / gas);
  assert_true(fabs(shut - 0.68) <= 0.07); /* the length of the plates' gap */
  assert_true(opened > 0 && opened < 0.1); /* at the rim: where plates met nothing is shut */
  assert_true(most > 5 && fv_run_last(&run, "gap_cells_shut") == 0);
  assert_true(at[0] > 0.7 && at[0] < 0.9 && at[1] > 0.6 && at[1] < 1.4);
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  assert_true(fabs(run.solver->results[2].value - work / gas) <= 1e-12);
  fv_run_end(&run);
}

/* Walls that output has close, lie on the bodies, and enclose their areas (Gauss). A corner's two
 * walls are one piece, whose middle is off them by less than half of a cell. */
static void walls_enclose_the_bodies(trm_device *device)
{
  spare(device);
  const double h = 2. / 32;
  fv_run run = fv_run_begin(device, TRM_F64, plates);
  for (int step = 0; step < 2; step++) {
    double sum[2] = { 0, 0 }, encloses = 0, off = 0, far = 0;
    double *at = fv_run_values(&run, "position"), *area = fv_run_values(&run, "wall_area");
    double *p = fv_run_values(&run, "wall_pressure");
    const size_t walls = ((const fv_solver *)run.solver)->volumes->walls;
    for (size_t i = 0; i < walls; i++) {
      for (size_t a = 0; a < 2; a++) {
        sum[a] += area[a * walls + i];
        encloses -= 0.5 * at[a * walls + i] * area[a * walls + i];
      }
      off = fmax(off, fabs(p[i] - 1));
      const double place[3] = { at[i], at[walls + i], 0 };
      far = fmax(far, fabs(fv_bodies_distance(&((const fv_solver *)run.solver)->bodies, place,
                                              NULL, NULL)));
    }
    test_remark("%zu walls, open by %.1e %.1e, about %.15g, pressure 1 + %.1e", walls, sum[0],
                sum[1], encloses, off);
    assert_true(walls > 50 && fabs(sum[0]) + fabs(sum[1]) <= 1e-13 && off <= 1e-2);
    assert_true(far < 0.5 * h);
    assert_true(fabs(encloses - (0.37 * 0.91 + 0.46 * 0.68)) <= 8 * 0.5 * h * h);
    free(at);
    free(area);
    free(p);
    fv_run_advance(&run, INFINITY, 1, 1);
  }
  fv_run_end(&run);
}

/* ---- the same everywhere --------------------------------------------------------------------- */

static const char *const swinging[] = {
  "grid.nx", "64", "grid.ny", "48", "initial.pressure", "0.7", "bodies.shapes",
  "cylinder 0.3 0.4 0.1; naca 2412 0.55 0.3 0.3 8 isothermal 0.8", "bodies.motion",
  "0.05*sin(9*t), 0.02*(1 - cos(9*t))", "compressible.viscosity", "0.001", NEW, NULL };
static const char *const turning[] = {
  "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "initial.pressure", "0.7", "bodies.shapes",
  "box 0.31 0.72 0.33 0.64 0.37 0.69", "bodies.motion", "0.1*t, 0, 0, 2*t along 1 2 3", NEW, NULL };

/* Single precision rounds the gas away from walls. Walls are made in double, and so are the cells
 * beside them. So mass stays to its rounding, and forces are those of double. */
static void single_precision_is_near_double(trm_device *device)
{
  double force[2][2], mass[2];
  spare(device);
  for (int p = 0; p < 2; p++) {
    fv_run run = fv_run_begin(device, (trm_precision)p, swinging);
    fv_run_advance(&run, 0.05, 1000, 1);
    force[p][0] = fv_run_last(&run, "body1_pressure_x");
    force[p][1] = fv_run_last(&run, "body1_friction_x");
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    mass[p] = run.solver->results[1].value;
    fv_run_end(&run);
  }
  test_remark("pressure %.7f, f32 %.7f; friction %.7f, %.7f; mass %.1e, %.1e", force[1][0],
              force[0][0], force[1][1], force[0][1], mass[1], mass[0]);
  assert_true(fabs(mass[TRM_F32]) <= 1e-6 && fabs(mass[TRM_F64]) <= 1e-13);
  for (int k = 0; k < 2; k++)
    assert_true(fabs(force[0][k] - force[1][k]) <= 1e-4 * fabs(force[1][k]));
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  test_needs_f64(device);
  fv_run_resumes(device, TRM_F64, swinging, 5, 3, "redistribution/flat");
  spare(device);
  fv_run_resumes(device, TRM_F64, turning, 2, 1, "redistribution/deep");
  fv_run_resumes(device, TRM_F32, swinging, 5, 3, "redistribution/flat");
  fv_run_resumes(device, TRM_F32, turning, 2, 1, "redistribution/deep");
  fv_run_resumes(device, TRM_F64, plates, 0, 2, NULL);
  fv_run_resumes(device, TRM_F64, plates, 42, 3, NULL); /* gaps are shut */
}

/* A body leaves the blocks of finest cells. */
static void the_end_of_finest_cells_ends_a_run(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "96", "grid.ny", "48", "compressible.length_x", "2", "grid.levels", "1",
    "bodies.shapes", "cylinder 0.59 0.5 0.1", "bodies.motion", "0.7*t, 0", NEW, NULL };
  trm_status status = TRM_OK;
  uint64_t made = 1;
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->time < 0.6 && status == TRM_OK) {
    status = trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made);
    if (status == TRM_OK)
      TEST_OK(trm_solver_compressible.account(run.solver, made, &made));
  }
  TEST_FAILS(status, TRM_ERROR_INPUT, "body 1 comes to less than four cells from cells that are "
                                      "coarser, near x = ");
  fv_run_end(&run);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(trm_device *device, const char *const *sets, trm_status status,
                    const char *part)
{
  static const trm_option program[] = {
    { "run.steps", TRM_OPTION_INTEGER, "1", "1", 1, NAN, 0, NULL, "steps" },
    { "run.end_time", TRM_OPTION_REAL, "s", "0", 0, NAN, 0, NULL, "" } };
  const trm_option *const tables[] = { program, trm_solver_compressible.options };
  const size_t counts[] = { 2, trm_solver_compressible.option_count };
  const trm_solver_options how = { .precision = TRM_F64, .math = TRM_STRICT };
  trm_config *config = NULL;
  trm_solver *solver = NULL;
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  TEST_OK(trm_config_set(config, "grid.nx", "32", "the test"));
  TEST_OK(trm_config_set(config, "grid.ny", "32", "the test"));
  TEST_OK(trm_config_set(config, "compressible.cut_cells", "redistribution", "the test"));
  for (; *sets; sets += 2) TEST_OK(trm_config_set(config, sets[0], sets[1], "the test"));
  TEST_FAILS(trm_solver_compressible.create(device, config, &how, &solver), status, part);
  trm_config_destroy(&config);
}

static void other_runs_are_refused(trm_device *device)
{
#define DISC "bodies.shapes", "cylinder 0.5 0.5 0.2"
  static const struct { const char *sets[8], *part; } cases[] = {
    { { NULL }, "the case has no body" },
    { { DISC, "compressible.time", "dual", "compressible.multigrid", "1", NULL },
      "one grid alone" },
  };
  static const char *const near[] = { "bodies.shapes", "cylinder 0.27 0.5 0.2", "boundary.west",
                                      "wall", "boundary.east", "wall", NULL };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    refused(device, cases[i].sets, TRM_ERROR_UNSUPPORTED, cases[i].part);
  refused(device, near, TRM_ERROR_UNSUPPORTED, "less than three cells from x = 0");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_stream_about_bodies_in_it_stays),
    TEST_DEVICE(slow_compression_is_isentropic),
    TEST_DEVICE(a_gap_shuts_and_opens),
    TEST_DEVICE(walls_enclose_the_bodies),
    TEST_DEVICE(single_precision_is_near_double),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_DEVICE(the_end_of_finest_cells_ends_a_run),
    TEST_DEVICE(other_runs_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
