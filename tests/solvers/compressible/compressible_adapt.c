/* compressible_adapt.c - grids that follow the flow: a vortex as it moves, uniform wind, a cloud
 * and a shock beside the finest grid, the same bits on every device and in any batches, limits of
 * room, refusals. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t leaves_of(const fv_run *run, int *finest)
{
  const trm_blocks *blocks = run->solver->fields[0].blocks;
  *finest = 0;
  for (size_t i = 0; i < blocks->count; i++)
    if (blocks->level[i] > *finest) *finest = blocks->level[i];
  return blocks->count;
}

static void assert_kept(const fv_run *run, double bound)
{
  TEST_OK(trm_solver_compressible.finish(run->solver, NULL));
  print_message("# mass %.1e, energy %.1e\n", run->solver->results[1].value,
                run->solver->results[2].value);
  assert_true(fabs(run->solver->results[1].value) <= bound);
  assert_true(fabs(run->solver->results[2].value) <= bound);
}

/* ---- a vortex that moves ----------------------------------------------------------- */

#define VORTEX \
  "grid.x0", "-5", "grid.y0", "-5", "compressible.length_x", "10", \
  "initial.density", "(1 - 0.09046534253780159*exp(1-x^2-y^2))^2.5", \
  "initial.velocity_x", "1 - 0.7957747154594768*y*exp(0.5*(1-x^2-y^2))", \
  "initial.velocity_y", "1 + 0.7957747154594768*x*exp(0.5*(1-x^2-y^2))", \
  "initial.pressure", "(1 - 0.09046534253780159*exp(1-x^2-y^2))^3.5"
#define AROUND_IT "grid.levels", "1", "mesh.refine", "vorticity 0.2"

/* After one passage through the periodic box. cells: of a mean step. */
static double error_of(trm_device *device, const char *const *sets, double *cells)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double *before = fv_run_values(&run, "density"), sum = 0;
  fv_run_advance(&run, 10.0, 100000, 100000);
  double *after = fv_run_values(&run, "density");
  const trm_field *density = &run.solver->fields[0];
  for (size_t i = 0; i < density->nx * density->ny; i++) sum += fabs(after[i] - before[i]);
  sum /= (double)(density->nx * density->ny);
  *cells = run.solver->cells;
  assert_kept(&run, 1e-13);
  free(before);
  free(after);
  fv_run_end(&run);
  return sum;
}

/* 3.38e-4 and 8.03e-5 are the errors of 128^2 and 256^2 cells everywhere, 1.52e-3 that of 64^2. */
static void a_vortex_is_followed(trm_device *device)
{
  static const char *const coarse[] = { "grid.nx", "64", "grid.ny", "64", VORTEX, AROUND_IT, NULL };
  static const char *const fine[] = { "grid.nx", "128", "grid.ny", "128", VORTEX, AROUND_IT, NULL };
  double cells[2];
  test_is_long();
  test_needs_f64(device);
  const double at_64 = error_of(device, coarse, &cells[0]);
  const double at_128 = error_of(device, fine, &cells[1]);
  print_message("# L1 %.3e, %.3e, order %.2f; cells %.0f, %.0f\n", at_64, at_128,
                log2(at_64 / at_128), cells[0], cells[1]);
  assert_true(at_64 <= 1.1 * 3.38e-4 && at_128 <= 1.1 * 8.03e-5);
  assert_true(log2(at_64 / at_128) >= 1.8 && cells[1] < 0.95 * 256 * 256);
}

/* ---- gas at rest ------------------------------------------------------------------- */

/* Warm gas at rest, whose ends lie between 4 and 8 cells of level 1 from a block of level 0, and 16
 * from another. */
#define WARM "grid.nx", "64", "grid.ny", "64", "grid.levels", "1", "initial.density", \
  "abs(x - 0.46) < 0.165 ? 1 : 2"

static void the_grid_stays_where_the_flow_does(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { WARM, "mesh.refine", "density 0.05", NULL };
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_run_advance(&run, INFINITY, 24, 8);
  assert_int_equal(((fv_solver *)run.solver)->adapt.count, 0);
  fv_run_end(&run);
}

/* Of four columns, each of four blocks or of sixteen of level 1. */
static void the_finer_grid_reaches_as_far_as_asked(trm_device *device)
{
  test_is_spared(device);
  static const struct { const char *refine; size_t finer; } known[] = {
    { "density 0.05; reach 4", 2 }, { "reach 8, density 0.05", 3 }, { "density 0.05", 3 },
    { "density 0.05; reach 12", 3 }, { "density 0.05; reach 16", 4 } };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *const sets[] = { WARM, "mesh.refine", known[i].refine, NULL };
    int finest;
    fv_run run = fv_run_begin(device, TRM_F32, sets);
    print_message("# %s: %zu\n", known[i].refine, leaves_of(&run, &finest));
    assert_int_equal(leaves_of(&run, &finest), 4 * (4 - known[i].finer) + 16 * known[i].finer);
    fv_run_end(&run);
  }
}

/* Three of the four columns for the density, and of the fourth the block at the wall. */
static void a_list_names_the_flow_and_walls(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    WARM, "mesh.refine", "density 0.05, vorticity 2, distance wall 3", "boundary.south", "wall",
    "boundary.north", "symmetry", NULL };
  int finest;
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  assert_true(fv->adapt.thresholds[FV_INDICATOR_DENSITY] == 0.05);
  assert_true(fv->adapt.thresholds[FV_INDICATOR_VORTICITY] == 2 && fv->wall_cells == 3);
  assert_int_equal(leaves_of(&run, &finest), 3 + 4 * 13);
  fv_run_advance(&run, INFINITY, 8, 8);
  assert_int_equal(leaves_of(&run, &finest), 3 + 4 * 13);
  fv_run_end(&run);
}

/* ---- a cloud in the wind -------------------------------------------------------------- */

#define CLOUD(size) \
  "compressible.slopes", "van-albada", "initial.velocity_x", "1", "initial.velocity_y", \
  "0.5", "initial.density", "1 + " size "*exp(-((x-0.3)^2+(y-0.3)^2)/0.005)"

/* So thin that it is nothing to the wind, while the grid follows it and changes so often. */
static void assert_wind_stays(trm_device *device, const char *slopes, uint64_t steps,
                              uint64_t changes, double bound)
{
  const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", CLOUD("1e-10"),
                               "compressible.slopes", slopes, "grid.levels", "2", "mesh.refine",
                               "density 5e-12", NULL };
  int finest;
  double most = 0;
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const size_t begun = leaves_of(&run, &finest);
  assert_int_equal(finest, 2);
  fv_run_advance(&run, INFINITY, steps, 60);
  const size_t ended = leaves_of(&run, &finest);
  assert_true(finest == 2 && begun < 8 * 16 && ended < 8 * 16);
  assert_true(((fv_solver *)run.solver)->adapt.count >= changes);
  double *u = fv_run_values(&run, "velocity"), *p = fv_run_values(&run, "pressure");
  const trm_field *f = &run.solver->fields[0];
  for (size_t i = 0; i < f->nx * f->ny; i++)
    most = fmax(fmax(most, fabs(p[i] - 1)),
                fmax(fabs(u[i] - 1), fabs(u[f->nx * f->ny + i] - 0.5)));
  print_message("# %zu, then %zu blocks; off by %.1e\n", begun, ended, most);
  assert_true(most <= bound);
  assert_kept(&run, 1e-13);
  free(u);
  free(p);
  fv_run_end(&run);
}

/* Limited slopes make of the cloud what is a thousandth of it, as on the finest grid. */
static void wind_stays_where_the_grid_changes(trm_device *device)
{
  test_is_spared(device);
  assert_wind_stays(device, "van-albada", 120, 4, 2e-13);
}

static void wind_stays_for_long_where_the_grid_changes(trm_device *device)
{
  test_is_long();
  assert_wind_stays(device, "central", 1000, 60, 1e-13);
}

static double *blown(trm_device *device, const char *const *sets, double *cells)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.05, 100000, 100000);
  *cells = run.solver->cells;
  double *density = fv_run_values(&run, "density");
  fv_run_end(&run);
  return density;
}

static void a_cloud_is_that_of_the_finest_grid(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", CLOUD("1"), "grid.levels",
                                      "1", "mesh.refine", "density 0.02", NULL };
  static const char *const finest[] = { "grid.nx", "128", "grid.ny", "128", CLOUD("1"), NULL };
  double cells, all, most = 0;
  test_needs_f64(device);
  double *one = blown(device, sets, &cells), *other = blown(device, finest, &all);
  for (size_t i = 0; i < 128 * 128; i++) most = fmax(most, fabs(one[i] - other[i]));
  print_message("# largest difference %.1e; %.0f cells of %.0f\n", most, cells, all);
  assert_true(most <= 1e-4 && cells < 0.8 * all);
  free(one);
  free(other);
}

/* ---- a shock in a tube ------------------------------------------------------------------ */

#define TUBE \
  "grid.ny", "16", "boundary.west", "outflow", "boundary.east", "outflow", "compressible.slopes", \
  "van-albada", "compressible.flux", "hllc", "initial.density", "x<0.5?1:0.125", \
  "initial.pressure", "x<0.5?1:0.1"

static double *shocked(trm_device *device, const char *const *sets, double *cells)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.2, 100000, 100000);
  *cells = run.solver->cells;
  double *density = fv_run_values(&run, "density");
  fv_run_end(&run);
  return density;
}

static void a_shock_is_that_of_the_finest_grid(trm_device *device)
{
  static const char *const sets[] = { "grid.nx", "256", TUBE, "grid.levels", "2", "mesh.refine",
                                      "density 0.02, pressure 0.02", NULL };
  static const char *const finest[] = { "grid.nx", "1024", TUBE, "compressible.length_x", "1",
                                        NULL };
  double cells, all, sum = 0;
  test_is_long();
  test_needs_f64(device);
  double *one = shocked(device, sets, &cells), *other = shocked(device, finest, &all);
  for (size_t i = 0; i < 1024; i++) sum += fabs(one[i] - other[i]) / 1024;
  print_message("# mean difference %.2e; %.0f cells of %.0f\n", sum, cells / 4, all);
  assert_true(sum <= 1e-3 && cells / 4 < 0.4 * all);
  free(one);
  free(other);
}

/* The double Mach reflection, with cells of 1/120 where the case says that the grid is finer. */
static void a_reflection_is_that_of_the_finest_grid(trm_device *device)
{
  static const char *const sets[] = { "case", "double-mach", "grid.levels", "1", NULL };
  static const char *const finest[] = { "case", "double-mach", "grid.levels", "0", "mesh.refine",
                                        "", "grid.nx", "480", "grid.ny", "128", NULL };
  double cells, all, off = 0, sum = 0;
  test_is_long();
  test_needs_f64(device);
  double *one = shocked(device, sets, &cells), *other = shocked(device, finest, &all);
  for (size_t i = 0; i < 480 * 128; i++) {
    off += fabs(one[i] - other[i]);
    sum += other[i];
  }
  print_message("# mean difference %.2e; %.0f cells of %.0f\n", off / sum, cells, all);
  assert_true(off <= 1e-3 * sum && cells < 0.45 * all);
  free(one);
  free(other);
}

/* ---- bits ---------------------------------------------------------------------------------- */

typedef struct history {
  const char *name;
  const char *sets[40];
} history;
static const history histories[] = {
  { "flat",
    { "grid.nx", "48", "grid.ny", "32", "grid.levels", "2", "mesh.refine",
      "density 0.03; pressure 0.03; 0 0.1 0 0.1", "compressible.slopes", "van-albada",
      "compressible.flux", "hllc", "boundary.west", "symmetry", "boundary.east", "outflow",
      "initial.pressure", "x + y < 0.3 ? 1 : 0.1", "initial.density",
      "x + y < 0.3 ? 1 : 0.125", NULL } },
  { "deep",
    { "grid.nx", "32", "grid.ny", "16", "grid.nz", "24", "grid.levels", "1", "mesh.adapt_every",
      "2", "mesh.refine", "velocity 0.04, vorticity 8", "compressible.viscosity", "0.001",
      "boundary.top", "wall", "boundary.bottom", "wall", "boundary.top_velocity", "0.5 0 0",
      "initial.velocity_x", "0.3*exp(-((x-0.2)^2+(z-0.2)^2)/0.01)", NULL } },
};

static void any_batch_gives_the_known_state(trm_device *device)
{
  static const uint64_t batches[] = { 3, 16 };
  for (size_t c = 0; c < sizeof histories / sizeof *histories; c++)
    for (int p = 0; p < 2; p++)
      for (size_t b = 0; fv_run_takes(device, histories[c].sets, (trm_precision)p) && b < 2; b++) {
        int finest;
        fv_run run = fv_run_begin(device, (trm_precision)p, histories[c].sets);
        fv_run_advance(&run, INFINITY, c ? 6 : 16, batches[b]);
        print_message("# %s: %zu blocks\n", histories[c].name, leaves_of(&run, &finest));
        fv_run_is(&run, "adapt/%s", histories[c].name);
        fv_run_end(&run);
      }
}

/* ---- room ------------------------------------------------------------------------------------ */

#define WAVES "grid.nx", "64", "grid.ny", "64", "grid.levels", "2", "initial.density", \
  "1 + 0.1*sin(2*pi*x)", "mesh.refine", "density 0.0005"

static void a_grid_beyond_its_room_is_made_coarser_by_a_rule(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { WAVES, "mesh.blocks", "200", "mesh.overflow", "coarsen",
                                      NULL };
  static const char *const none[] = { WAVES, "mesh.blocks", "200", NULL };
  static const char *const few[] = { WAVES, "mesh.blocks", "10", NULL };
  int finest;
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  assert_true(leaves_of(&run, &finest) <= 200);
  fv_run_advance(&run, INFINITY, 8, 8);
  assert_true(leaves_of(&run, &finest) <= 200);
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  const trm_result *last = &run.solver->results[run.solver->result_count - 1];
  assert_string_equal(last->name, "thresholds_raised");
  assert_true(last->value > 1);
  fv_run_end(&run);
  fv_run_refused(device, none, TRM_ERROR_INPUT, "and mesh.blocks = 200");
  fv_run_refused(device, few, TRM_ERROR_INPUT, "mesh.blocks = 10; raise it");
  fv_run_end(&run);
}

/* A blast whose front needs ever more blocks: 91 of them at the begin. */
#define GROWS "grid.nx", "128", "grid.ny", "128", "grid.levels", "1", "mesh.blocks", "100", \
  "initial.pressure", "0.7 + 4*exp(-2000*((x - 0.5625)^2 + (y - 0.5625)^2))", \
  "mesh.refine", "pressure 0.02"

static void a_flow_that_outgrows_its_room_stops_or_goes_on_coarser(trm_device *device)
{
  test_is_spared(device);
  static const char *const stops[] = { GROWS, NULL };
  static const char *const coarsens[] = { GROWS, "mesh.overflow", "coarsen", NULL };
  uint64_t made, step = 0;
  char at[64];
  int finest;
  fv_run run = fv_run_begin(device, TRM_F32, stops);
  assert_int_equal(leaves_of(&run, &finest), 91);
  trm_status status = TRM_OK;
  while (status == TRM_OK && step < 100) {
    status = trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made);
    if (status == TRM_OK) status = trm_solver_compressible.account(run.solver, made, &made);
    step++;
  }
  assert_true(step > 4);
  TEST_FAILS(status, TRM_ERROR_INPUT, "and mesh.blocks = 100; raise it, or the thresholds of "
             "mesh.refine, lower grid.levels, or set mesh.overflow = \"coarsen\"");
  snprintf(at, sizeof at, "after step %llu the grid would have ", (unsigned long long)step);
  assert_non_null(strstr(trm_error_last()->text, at));
  fv_run_end(&run);
  run = fv_run_begin(device, TRM_F32, coarsens);
  fv_run_advance(&run, INFINITY, step, 8);
  assert_true(leaves_of(&run, &finest) <= 100 && finest > 0);
  assert_true(((fv_solver *)run.solver)->adapt.squeezed > 1);
  fv_run_advance(&run, INFINITY, 8, 8);
  assert_true(leaves_of(&run, &finest) <= 100);
  fv_run_end(&run);
}

static void criteria_that_cannot_be_are_refused(trm_device *device)
{
  static const struct { const char *sets[9], *part; } wrong[] = {
    { { "mesh.refine", "density 0.1", NULL }, "but grid.levels not how much" },
    { { "grid.levels", "1", "mesh.refine", "density", NULL }, "without a threshold above 0" },
    { { "grid.levels", "1", "mesh.refine", "density -1", NULL }, "without a threshold above 0" },
    { { "grid.levels", "1", "mesh.refine", "density 0.1 x", NULL }, "is not a list of boxes and" },
    { { "grid.levels", "1", "mesh.refine", "warmth 0.1", NULL }, "is not a list of boxes and" },
    { { "grid.levels", "1", "mesh.refine", "density 1; reach 6", NULL }, "multiple of 4 cells" },
    { { "grid.levels", "1", "mesh.refine", "density 1; density 2", NULL },
      "names 'density' twice" },
    { { "grid.levels", "1", "mesh.refine", "density 1, reach 4, reach 8", NULL },
      "names 'reach' twice" },
    { { "grid.levels", "1", "mesh.refine", "density 1; reach 12", "grid.nz", "8", NULL },
      "up to a block's 8" },
    { { "grid.levels", "1", "mesh.refine", "reach 4", NULL }, "names no quantity of the flow" },
    { { "mesh.adapt_every", "3", NULL }, "names no quantity of the flow" },
    { { "mesh.blocks", "300", NULL }, "names no quantity of the flow" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_vortex_is_followed),
    TEST_DEVICE(the_grid_stays_where_the_flow_does),
    TEST_DEVICE(the_finer_grid_reaches_as_far_as_asked),
    TEST_DEVICE(a_list_names_the_flow_and_walls),
    TEST_DEVICE(wind_stays_where_the_grid_changes),
    TEST_DEVICE(wind_stays_for_long_where_the_grid_changes),
    TEST_DEVICE(a_cloud_is_that_of_the_finest_grid),
    TEST_DEVICE(a_shock_is_that_of_the_finest_grid),
    TEST_DEVICE(a_reflection_is_that_of_the_finest_grid),
    TEST_DEVICE(any_batch_gives_the_known_state),
    TEST_DEVICE(a_grid_beyond_its_room_is_made_coarser_by_a_rule),
    TEST_DEVICE(a_flow_that_outgrows_its_room_stops_or_goes_on_coarser),
    TEST_DEVICE(criteria_that_cannot_be_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
