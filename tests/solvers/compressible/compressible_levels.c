/* compressible_levels.c - grids of several levels: a vortex across a jump, its order and what it
 * conserves, uniform flow, the same bits on every device and in any batches, refusals. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VORTEX(n) \
  "grid.nx", n, "grid.ny", n, "grid.x0", "-5", "grid.y0", "-5", "compressible.length_x", "10", \
  "initial.density", "(1 - 0.09046534253780159*exp(1-x^2-y^2))^2.5", \
  "initial.velocity_x", "1 - 0.7957747154594768*y*exp(0.5*(1-x^2-y^2))", \
  "initial.velocity_y", "1 + 0.7957747154594768*x*exp(0.5*(1-x^2-y^2))", \
  "initial.pressure", "(1 - 0.09046534253780159*exp(1-x^2-y^2))^3.5"
#define EAST_HALF "grid.levels", "1", "mesh.refine", "0.01 5 -5 5"

/* energy: whether no wall does any work. */
static void assert_conserved(fv_run *run, double bound, int energy)
{
  TEST_OK(trm_solver_compressible.finish(run->solver, NULL));
  print_message("# mass %.1e, energy %.1e\n", run->solver->results[1].value,
                run->solver->results[2].value);
  assert_true(fabs(run->solver->results[1].value) <= bound);
  assert_true(!energy || fabs(run->solver->results[2].value) <= bound);
}

/* The mean difference of the density from what it was, after one passage through the box. */
static double error_of_density(trm_device *device, const char *const *sets)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double *before = fv_run_values(&run, "density");
  fv_run_advance(&run, 10.0, 100000, 100000);
  double *after = fv_run_values(&run, "density"), sum = 0;
  const trm_field *density = &run.solver->fields[0];
  const size_t cells = density->nx * density->ny;
  for (size_t i = 0; i < cells; i++) sum += fabs(after[i] - before[i]);
  assert_conserved(&run, 1e-13, 1);
  free(before);
  free(after);
  fv_run_end(&run);
  return sum / (double)cells;
}

/* The eastern half has cells of half the size. Bounds: 1.1 times an independent program's errors,
 * which are below those of the coarser grid alone. */
static void a_vortex_crosses_a_jump(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { VORTEX("32"), EAST_HALF, NULL };
  test_needs_f64(device);
  const double error = error_of_density(device, sets);
  print_message("# L1 %.3e\n", error);
  assert_true(error <= 1.1 * 4.57e-3);
}

static void a_vortex_crosses_a_jump_on_fine_grids(trm_device *device)
{
  static const char *const coarse[] = { VORTEX("64"), EAST_HALF, NULL };
  static const char *const fine[] = { VORTEX("128"), EAST_HALF, NULL };
  test_is_long();
  test_needs_f64(device);
  const double at_64 = error_of_density(device, coarse);
  const double at_128 = error_of_density(device, fine);
  print_message("# L1 %.3e, %.3e, order %.2f\n", at_64, at_128, log2(at_64 / at_128));
  assert_true(at_64 <= 1.1 * 1.20e-3 && at_128 <= 1.1 * 3.17e-4);
  assert_true(log2(at_64 / at_128) >= 1.8);
}

/* Three levels, boxes at an edge, at a corner and within; in two and three dimensions. */
#define FLAT_BOXES \
  "grid.nx", "64", "grid.ny", "48", "grid.levels", "2", "mesh.refine", \
  "0.3 0.4 0.3 0.31; 0.9 1 0.7 0.75"
#define DEEP_BOXES \
  "grid.nx", "24", "grid.ny", "16", "grid.nz", "16", "grid.levels", "2", "mesh.refine", \
  "0.4 0.45 0.3 0.35 0.3 0.35; 0.9 1 0.6 0.66 0.6 0.66"
#define WIND \
  "initial.velocity_x", "0.7", "initial.velocity_y", "-0.3", "initial.density", \
  "1.3", "compressible.viscosity", "0.001"

static double change_of_wind(trm_device *device, const char *const *sets, uint64_t steps)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double *before = fv_run_values(&run, "momentum");
  fv_run_advance(&run, INFINITY, steps, steps);
  double *after = fv_run_values(&run, "momentum"), most = 0;
  const trm_field *f = &run.solver->fields[1];
  for (size_t i = 0; i < 3 * f->nx * f->ny * f->nz; i++)
    most = fmax(most, fabs(after[i] - before[i]));
  free(before);
  free(after);
  fv_run_end(&run);
  return most;
}

static void uniform_flow_stays(trm_device *device)
{
  test_is_spared(device);
  static const char *const flat[] = { FLAT_BOXES, WIND, NULL };
  static const char *const deep[] = { DEEP_BOXES, WIND, "initial.velocity_z", "0.2", NULL };
  test_needs_f64(device);
  const double in_2d = change_of_wind(device, flat, 40), in_3d = change_of_wind(device, deep, 5);
  print_message("# %.1e, %.1e\n", in_2d, in_3d);
  assert_true(in_2d <= 1e-13 && in_3d <= 1e-13);
}

static void uniform_flow_stays_for_long(trm_device *device)
{
  static const char *const flat[] = { FLAT_BOXES, WIND, NULL };
  static const char *const deep[] = { DEEP_BOXES, WIND, "initial.velocity_z", "0.2", NULL };
  test_is_long();
  test_needs_f64(device);
  const double in_2d = change_of_wind(device, flat, 1000);
  const double in_3d = change_of_wind(device, deep, 1000);
  print_message("# %.1e, %.1e\n", in_2d, in_3d);
  assert_true(in_2d <= 1e-13 && in_3d <= 1e-13);
}

/* Whatever the thread count, the batches and the device: walls and jumps together, a shock across
 * them, friction in three dimensions. */
typedef struct history {
  const char *name;
  const char *sets[40];
} history;
static const history histories[] = {
  { "shock",
    { FLAT_BOXES, "compressible.slopes", "van-albada", "compressible.flux", "hllc",
      "boundary.west", "symmetry", "boundary.east", "symmetry", "boundary.south", "wall",
      "boundary.north", "wall", "initial.pressure", "x + y < 0.6 ? 1 : 0.1",
      "initial.density", "x + y < 0.6 ? 1 : 0.125", "compressible.viscosity", "1e-4", NULL } },
  { "deep",
    { DEEP_BOXES, "boundary.north", "wall", "boundary.south", "wall", "boundary.north_velocity",
      "0.5 0 0.1", "compressible.viscosity", "0.01", "initial.velocity_x", "0.3*sin(2*pi*z)",
      "initial.velocity_z", "0.2*cos(2*pi*x)", NULL } },
};

static void any_batch_gives_the_known_state(trm_device *device)
{
  static const uint64_t batches[] = { 5, 12 };
  for (size_t c = 0; c < sizeof histories / sizeof *histories; c++)
    for (int p = 0; p < 2; p++)
      for (size_t b = 0; fv_run_takes(device, histories[c].sets, (trm_precision)p) && b < 2; b++) {
        fv_run run = fv_run_begin(device, (trm_precision)p, histories[c].sets);
        fv_run_advance(&run, INFINITY, c ? 5 : 12, batches[b]);
        assert_conserved(&run, p == TRM_F64 ? 1e-13 : 1e-5, c == 0);
        print_message("# %s\n", histories[c].name);
        fv_run_is(&run, "levels/%s", histories[c].name);
        fv_run_end(&run);
      }
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  const char *const *sets = histories[0].sets;
  fv_run_resumes(device, fv_run_precision(device, sets), sets, 9, 6, NULL);
}

/* How near a leaf comes to the southern side, or to the round body in the middle, of radius 0.1. */
static double nearest(const fv_solver *fv, size_t leaf, int is_body)
{
  const trm_blocks *blocks = &fv->forest->blocks;
  const double side = fv->h / (1 << blocks->level[leaf]) * blocks->side[0];
  double least = INFINITY;
  for (int i = 0; i < 33 * 33; i++) {
    const double x = (blocks->place[leaf][0] + i % 33 / 32.0) * side - 0.5;
    const double y = (blocks->place[leaf][1] + i / 33 / 32.0) * side;
    least = fmin(least, is_body ? fabs(hypot(x, y - 0.5) - 0.1) : y);
  }
  return least;
}

/* Leaves of each level, which all are of the finest one where they come nearer than D, or than N
 * cells of the next level, to a wall. */
static void blocks_near_walls_are_split(trm_device *device)
{
  test_is_spared(device);
#define WALLED "grid.nx", "64", "grid.ny", "64", "boundary.south", "wall", \
               "boundary.north", "symmetry"
  static const struct {
    const char *sets[20];
    double far, cells;
    int is_body, leaves[3];
  } grids[] = {
    { { WALLED, "grid.levels", "2", "mesh.refine", "wall 0.1", NULL }, 0.1, 0, 0, { 12, 8, 32 } },
    { { WALLED, "grid.levels", "2", "mesh.refine", "wall 0.2", NULL }, 0.2, 0, 0, { 8, 16, 64 } },
    { { WALLED, "grid.nz", "16", "grid.levels", "1", "mesh.refine", "wall 0.2", NULL },
      0.2, 0, 0, { 96, 256, 0 } },
    { { WALLED, "grid.levels", "2", "mesh.refine", "distance wall 100", NULL }, 0, 100, 0,
      { 0, 32, 128 } },
    { { WALLED, "grid.nz", "16", "grid.levels", "1", "mesh.refine", "distance wall 3", NULL },
      0, 3, 0, { 112, 128, 0 } },
    { { "grid.nx", "64", "grid.ny", "64", "grid.levels", "2", "bodies.shapes",
        "cylinder 0.5 0.5 0.1 slip", "mesh.refine", "distance wall 30", NULL },
      0, 30, 1, { 0, 48, 64 } },
    { { "grid.nx", "64", "grid.ny", "64", "grid.levels", "1", "bodies.shapes",
        "cylinder 0.5 0.5 0.1 slip", "mesh.refine", "wall 0.3", NULL }, 0.3, 0, 1, { 0, 64, 0 } },
  };
  for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
    fv_run run = fv_run_begin(device, TRM_F32, grids[g].sets);
    const fv_solver *fv = (const fv_solver *)run.solver;
    int leaves[3] = { 0 };
    for (size_t i = 0; i < fv->forest->blocks.count; i++) {
      const int level = fv->forest->blocks.level[i];
      const double far = fmax(grids[g].far, grids[g].cells * fv->h / (2 << level));
      leaves[level]++;
      assert_true(level == fv->finest || nearest(fv, i, grids[g].is_body) >= far - 1e-12);
    }
    print_message("# %d, %d, %d leaves\n", leaves[0], leaves[1], leaves[2]);
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    for (int level = 0; level <= fv->finest; level++)
      assert_true(run.solver->results[3 + level].value == (double)fv->block * leaves[level]);
    assert_memory_equal(leaves, grids[g].leaves, sizeof leaves);
    fv_run_end(&run);
  }
}

static void levels_that_cannot_be_are_refused(trm_device *device)
{
  static const struct { const char *sets[5], *part; } wrong[] = {
    { { "grid.levels", "1", NULL }, "but mesh.refine not where" },
    { { "mesh.refine", "0 1 0 1", NULL }, "but grid.levels not how much" },
    { { "grid.levels", "1", "mesh.refine", "0 1 0", NULL }, "is not a list of boxes" },
    { { "grid.levels", "1", "mesh.refine", "1 0 0 1", NULL }, "is not a list of boxes" },
    { { "grid.levels", "1", "mesh.refine", "wall -1", NULL }, "is not a list of boxes" },
    { { "grid.levels", "1", "mesh.refine", "wall 0.1", NULL }, "the flow has none" },
    { { "grid.levels", "1", "mesh.refine", "distance wall 3", NULL }, "the flow has none" },
    { { "grid.levels", "1", "mesh.refine", "distance 3", NULL }, "is not a list of boxes" },
    { { "grid.levels", "1", "mesh.refine", "wall 1; wall 2", NULL }, "names 'wall' twice" },
    { { "grid.levels", "1", "mesh.refine", "0 1 1 2", NULL }, "is from y = 1 to 2, and the grid" },
    { { "grid.levels", "12", "mesh.refine", "0 1 0 1", NULL }, "deepest that fits is grid.levels" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fv_run_refused(device, wrong[i].sets, TRM_ERROR_INPUT, wrong[i].part);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_vortex_crosses_a_jump),
    TEST_DEVICE(a_vortex_crosses_a_jump_on_fine_grids),
    TEST_DEVICE(uniform_flow_stays),
    TEST_DEVICE(uniform_flow_stays_for_long),
    TEST_DEVICE(any_batch_gives_the_known_state),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_DEVICE(blocks_near_walls_are_split),
    TEST_DEVICE(levels_that_cannot_be_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
