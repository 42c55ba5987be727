/* compressible_between.c - between two cylinders, in two and three dimensions: a supersonic vortex
 * and Couette's flow converge; cells that were not merged would diverge. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>

typedef struct errors { double l1, most, torque[2]; } errors;

static const double inner = 1, outer = 1.384;

/* Of the density, or in Couette's flow of the velocity, at the gas's centroid of each cell. */
static errors error_between(trm_device *device, const char *const *sets, double end, int is_couette)
{
  errors e = { 0, 0, { 0, 0 } };
  double area = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  fv_run_advance(&run, end, 1000000, 1024);
  double *rho = fv_run_values(&run, "density"), *u = fv_run_values(&run, "velocity");
  const size_t n = (size_t)fv->n[0], cells = (size_t)run.solver->cells;
  const size_t wide = (size_t)fv->forest->blocks.side[0], high = (size_t)fv->forest->blocks.side[1];
  for (size_t leaf = 0; leaf < fv->forest->blocks.count; leaf++)
    for (size_t i = 0; i < fv->block; i++) {
      const int32_t kind = fv_cut_kind_of(fv->cut, fv->block, leaf, i);
      const int32_t *place = fv->forest->place[leaf];
      const size_t x = (size_t)place[0] * wide + i % wide;
      const size_t y = (size_t)place[1] * high + i / wide % high;
      const size_t z = (size_t)place[2] * high + i / (wide * high), at = (z * n + y) * n + x;
      const fv_cut_record *r = kind >= 0 ? &fv->cut->record[kind] : NULL;
      if (kind == -2) continue;
      const double cx = fv->origin[0] + ((double)x + (r ? r->centre[0] : 0.5)) * fv->h;
      const double cy = fv->origin[1] + ((double)y + (r ? r->centre[1] : 0.5)) * fv->h;
      const double radius = sqrt(cx * cx + cy * cy), volume = r ? r->cut.volume : 1;
      double error;
      if (is_couette) {
        const double b = 0.03 * inner * outer * outer / (outer * outer - inner * inner);
        const double speed = b / radius - b / (outer * outer) * radius;
        error = hypot(u[at] + speed * cy / radius, u[cells + at] - speed * cx / radius) / 0.03;
      } else {
        error = fabs(rho[at] - pow(1 + 0.2 * 2.25 * 2.25 * (1 - 1 / (radius * radius)), 2.5));
      }
      e.l1 += error * volume;
      area += volume;
      e.most = fmax(e.most, error);
    }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  if (is_couette) { /* the torque on each ring */
    const double b = 0.03 * inner * outer * outer / (outer * outer - inner * inner);
    const double depth = fv->n[2] > 1 ? fv->n[2] * fv->h : 1;
    e.torque[0] = fv_run_last(&run, "body1_moment_z") / (4 * acos(-1) * 0.05 * b * depth);
    e.torque[1] = fv_run_last(&run, "body2_moment_z") / (4 * acos(-1) * 0.05 * b * depth);
  }
  e.l1 /= area;
  free(rho);
  free(u);
  fv_run_end(&run);
  return e;
}

#define VORTEX(n) \
  "grid.nx", n, "grid.ny", n, "grid.x0", "-1.5", "grid.y0", "-1.5", "compressible.length_x", "3", \
  "bodies.shapes", "cylinder 0 0 1 slip; tube 0 0 1.384 slip", "initial.density", \
  "(1 + 1.0125*(1 - 1/(x^2+y^2)))^2.5", "initial.pressure", \
  "(1 + 1.0125*(1 - 1/(x^2+y^2)))^3.5/1.4", "initial.velocity_x", "-2.25*y/(x^2+y^2)", \
  "initial.velocity_y", "2.25*x/(x^2+y^2)"
#define COUETTE(n) \
  "grid.nx", n, "grid.ny", n, "grid.x0", "-1.5", "grid.y0", "-1.5", "compressible.length_x", "3", \
  "bodies.shapes", "cylinder 0 0 1 spin 0.03; tube 0 0 1.384", "compressible.viscosity", \
  "0.05", "compressible.chi", "0.05", "initial.pressure", "0.71428571428571430"

#define DEEP "grid.nz", "8" /* the same in each plane */

static void converges(trm_device *device, const char *const sets[2][40])
{
  test_is_long();
  test_needs_f64(device);
  const errors coarse = error_between(device, sets[0], 2, 0);
  const errors fine = error_between(device, sets[1], 2, 0);
  print_message("# L1 %.3e, %.3e, order %.2f; largest %.2e, %.2e\n", coarse.l1, fine.l1,
                log2(coarse.l1 / fine.l1), coarse.most, fine.most);
  assert_true(log2(coarse.l1 / fine.l1) >= 1.8 && log2(coarse.most / fine.most) >= 1.0);
}
static void a_supersonic_vortex_converges(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[2][40] = { { VORTEX("48"), NULL }, { VORTEX("96"), NULL } };
  converges(device, sets);
}
static void a_supersonic_vortex_converges_in_space(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[2][40] = { { VORTEX("48"), DEEP, NULL },
                                           { VORTEX("96"), DEEP, NULL } };
  converges(device, sets);
}

/* off: by how much the torques may differ from the exact one on the finer grid. */
static void turns(trm_device *device, const char *const sets[2][40], double off)
{
  test_is_long();
  test_needs_f64(device);
  const errors coarse = error_between(device, sets[0], 8, 1);
  const errors fine = error_between(device, sets[1], 8, 1);
  print_message("# L1 %.3e, %.3e, order %.2f; largest %.2e, %.2e; torque off by %.1e %.1e, then "
                "%.1e %.1e\n", coarse.l1, fine.l1, log2(coarse.l1 / fine.l1), coarse.most,
                fine.most, fabs(coarse.torque[0]) - 1, fabs(coarse.torque[1]) - 1,
                fabs(fine.torque[0]) - 1, fabs(fine.torque[1]) - 1);
  assert_true(log2(coarse.l1 / fine.l1) >= 1.8 && log2(coarse.most / fine.most) >= 1.0);
  for (int i = 0; i < 2; i++) {
    const double before = fabs(fabs(coarse.torque[i]) - 1), after = fabs(fabs(fine.torque[i]) - 1);
    assert_true(before <= 8e-3 && after <= off && log2(before / after) >= 1.0);
  }
}
static void couette_flow_converges(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[2][40] = { { COUETTE("48"), NULL }, { COUETTE("96"), NULL } };
  turns(device, sets, 2e-3);
}
static void couette_flow_converges_in_space(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[2][40] = { { COUETTE("48"), DEEP, NULL },
                                           { COUETTE("96"), DEEP, NULL } };
  turns(device, sets, 2.5e-3);
}

/* How much faster than the inner wall gas between the cylinders is at most after some steps, if
 * pieces of cells that are smaller than that are merged with neighbours. */
static double fastest(trm_device *device, double small)
{
  static const char *const sets[] = { COUETTE("48"), NULL };
  double most = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_solver *fv = (fv_solver *)run.solver;
  fv->bodies.small = small;
  fv->walled--; /* as of another grid: tables are made anew */
  TEST_OK(fv_launch_start(fv));
  fv_run_advance(&run, INFINITY, 100, 100);
  size_t count = (size_t)run.solver->cells, groups = 0;
  for (size_t i = 0; i < fv->cut->records; i++) groups += fv->cut->record[i].next >= 0;
  assert_true((groups > 0) == (small > 0));
  double *u = fv_run_values(&run, "velocity");
  for (size_t i = 0; i < 2 * count; i++) most = isfinite(u[i]) ? fmax(most, fabs(u[i])) : INFINITY;
  free(u);
  fv_run_end(&run);
  return most / 0.03;
}

/* What groups are for. Were their members cells of their own, steps would be too long for the
 * smallest. */
static void pieces_of_cells_alone_diverge(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
  const double merged = fastest(device, 0.5), alone = fastest(device, 0);
  print_message("# merged %.3f, alone %.3e\n", merged, alone);
  assert_true(merged <= 1.05 && !(alone <= 100));
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_supersonic_vortex_converges),
    TEST_DEVICE(a_supersonic_vortex_converges_in_space),
    TEST_DEVICE(couette_flow_converges),
    TEST_DEVICE(couette_flow_converges_in_space),
    TEST_DEVICE(pieces_of_cells_alone_diverge),
  };
  return TEST_RUN(argc, argv, cases);
}
