/* compressible_volumes.c - runs with compressible.cut_cells = redistribution. A force and sponges
 * act, walls slide by `spin`, sums go over the gas, output has friction, the grid follows. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/counters.h"
#include "solvers/compressible/cutcells/volumes_run.h"

#define NEW "compressible.cut_cells", "redistribution"

static void spare(trm_device *device)
{
  const trm_device_info *info = trm_device_describe(device);
  test_is_spared(device);
  test_needs_f64(device);
  if (strcmp(info->backend, "opencl") == 0 && strstr(info->vendor, "NVIDIA"))
    TEST_SKIP("refused on NVIDIA's OpenCL");
}

/* ---- a force --------------------------------------------------------------------------------- */

/* Gas at rest lifts a body by the weight of gas in its place. The density falls with the height.
 * Walls are above and below. */
static void a_body_in_gas_at_rest_is_lifted(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "48", "compressible.length_x", "1", "grid.y0", "-0.75",
    "body_force", "0 -0.5 0", "initial.density", "1.4*exp(-0.7*y)",
    "initial.pressure", "exp(-0.7*y)", "boundary.south", "symmetry", "boundary.north", "symmetry",
    "bodies.shapes", "cylinder 0.513 0.021 0.27 slip", NEW, NULL };
  double lift = 0, most = 0;
  const double pi = acos(-1);
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->step < 12) {
    fv_run_advance(&run, INFINITY, 1, 1);
    lift += fv_run_last(&run, "body1_pressure_y") / 12;
  }
  double *u = fv_run_values(&run, "velocity");
  for (size_t i = 0; i < 2 * 32 * 48; i++) most = fmax(most, fabs(u[i]));
  free(u);
  double weight = 0; /* by rings: the mean of exp(-0.7 y) about a circle, and its middle's */
  for (int i = 0; i < 1000; i++) {
    const double r = 0.27 * (i + 0.5) / 1000;
    for (int k = 0; k < 64; k++)
      weight += 0.5 * 1.4 * exp(-0.7 * (0.021 + r * sin(2 * pi * k / 64))) * r * (0.27 / 1000) *
                (2 * pi / 64);
  }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  test_remark("lift %.5f, weight %.5f; velocity at most %.1e; mass %.1e", lift, weight, most,
              run.solver->results[1].value);
  assert_true(fabs(lift - weight) <= 0.01 * weight && most <= 5e-3);
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  fv_run_end(&run);
}

/* Gas falls freely, and bodies with it. Their mean speed in a step is the gas's in mid-step. In
 * stages it is not that of the gas, so what they disturb vanishes with the step's length. */
static double disturbed_in_fall(trm_device *device, const char *cfl)
{
  const char *const sets[] = {
    "grid.nx", "48", "grid.ny", "48", "body_force", "0.5 -0.25 0",
    "compressible.viscosity", "0.001", "bodies.shapes",
    "cylinder 0.4 0.6 0.17; box 0.65 0.87 0.21 0.33 slip", "bodies.motion",
    "0.25*t^2, -0.125*t^2; 0.25*t^2, -0.125*t^2", "compressible.cfl", cfl, NEW, NULL };
  static const double speed[2] = { 0.05, -0.025 };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.1, 1000, 1);
  const double off = fv_run_disturbed(&run, 1, speed);
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  test_remark("cfl %s: off by %.1e; mass %.1e", cfl, off, run.solver->results[1].value);
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  fv_run_end(&run);
  return off;
}

static void bodies_fall_with_the_gas(trm_device *device)
{
  spare(device);
  const double off = disturbed_in_fall(device, "0.8"), half = disturbed_in_fall(device, "0.4");
  assert_true(off <= 2e-3 && half <= 0.6 * off);
}

/* ---- sponges --------------------------------------------------------------------------------- */

/* A sponge about a body that moves with its state leaves this state as it is. A strong one draws
 * any gas to it, in cut cells too. */
static void sponges_act_about_bodies(trm_device *device)
{
#define SPONGE(strength) \
  "grid.nx", "48", "grid.ny", "32", "compressible.length_x", "1.5", "initial.velocity_x", "0.3", \
  "initial.velocity_y", "0.1", \
  "boundary.west", "inflow", "boundary.west_velocity", "0.3 0.1 0", \
  "boundary.west_pressure", "0.7", \
  "boundary.east", "outflow", "boundary.east_sponge", "1.4", \
  "compressible.sponge_strength", strength, "compressible.sponge_density", "1", \
  "compressible.sponge_velocity", "0.3 0.1 0", "compressible.sponge_pressure", "0.7", \
  "bodies.shapes", "cylinder 1.1 0.5 0.2", "bodies.motion", "0.3*t, 0.1*t", NEW
  static const char *const still[] = { SPONGE("3"), "initial.pressure", "0.7", NULL };
  static const char *const drawn[] = { SPONGE("1e6"), "initial.pressure", "0.9", NULL };
  static const double speed[2] = { 0.3, 0.1 };
  double off = 0, wall = 0;
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, still);
  fv_run_advance(&run, INFINITY, 6, 1);
  const double most = fv_run_disturbed(&run, 0.7, speed);
  fv_run_end(&run);
  run = fv_run_begin(device, TRM_F64, drawn);
  fv_run_advance(&run, INFINITY, 3, 1);
  double *p = fv_run_values(&run, "wall_pressure");
  const size_t walls = ((const fv_solver *)run.solver)->volumes->walls;
  for (size_t i = 0; i < walls; i++) {
    if (p[i] == 0) continue;   /* a step's end covers its volume */
    off = fmax(off, fabs(p[i] - 0.7));
    wall = fmax(wall, p[i]);
  }
  free(p);
  fv_run_end(&run);
  test_remark("%.1e; strong: %zu walls, pressure to %.6f, off by %.1e", most, walls, wall, off);
  assert_true(most <= 1e-13 && walls > 30 && off <= 1e-3);
}

/* ---- walls that slide ------------------------------------------------------------------------ */

/* Gas turns with a tube as a solid body would: no friction, no torque. Cells in the tube's wall do
 * not count in sums over the gas. */
static void gas_turns_with_a_tube(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "64", "compressible.length_x", "2.4", "grid.x0", "-1.2", "grid.y0",
    "-1.2", "bodies.shapes", "tube 0 0 1 wall spin 0.1", "compressible.viscosity", "0.01",
    "initial.velocity_x", "-0.1*y", "initial.velocity_y", "0.1*x",
    "initial.pressure", "1 + 0.005*(x^2 + y^2)", "compressible.integrals", "true", NEW, NULL };
  const double pi = acos(-1);
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, 3, 3);
  const double kinetic = fv_run_last(&run, "kinetic_energy") / (0.01 * pi / 4);
  const double turning = fv_run_last(&run, "enstrophy") / (0.02 * pi);
  const double heat = fv_run_last(&run, "dissipation") / (0.01 * 0.02 * pi);
  const double torque = fv_run_last(&run, "body1_moment_z") / (0.01 * 0.1 * 4 * pi);
  test_remark("kinetic energy %.6f, enstrophy %.6f, dissipation %.1e, torque %.1e", kinetic,
              turning, heat, torque);
  assert_true(fabs(kinetic - 1) <= 2e-3 && fabs(turning - 1) <= 2e-3);
  assert_true(fabs(heat) <= 1e-2 && fabs(torque) <= 3e-2);
  fv_run_end(&run);
}

/* Flow between a cylinder that turns and a tube: torques and the power are the exact ones. */
static void a_cylinder_turns_the_gas_beside_it(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "48", "grid.ny", "48", "grid.x0", "-1.5", "grid.y0", "-1.5", "compressible.length_x",
    "3", "bodies.shapes", "cylinder 0 0 1 spin 0.03; tube 0 0 1.384", "compressible.viscosity",
    "0.05", "initial.velocity_x", "-y*0.03/0.915456*(1.915456/(x^2+y^2) - 1)",
    "initial.velocity_y", "x*0.03/0.915456*(1.915456/(x^2+y^2) - 1)", NEW, NULL };
  const double exact = 4 * acos(-1) * 0.05 * 0.03 * 1.915456 / 0.915456;
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.4, 1000, 1);
  const double inner = -fv_run_last(&run, "body1_moment_z") / exact;
  const double outer = fv_run_last(&run, "body2_moment_z") / exact;
  const double power = fv_run_last(&run, "body1_power") / (0.03 * exact);
  test_remark("of the exact torque %.4f and %.4f, of the power %.4f", inner, outer, power);
  assert_true(fabs(inner - 1) <= 0.03 && fabs(outer - 1) <= 0.03 && fabs(power - inner) <= 5e-3);
  fv_run_end(&run);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* In a uniform stream the kinetic energy is that of all gas, and nothing turns. */
static void sums_have_all_gas_once(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "initial.velocity_x", "0.3", "initial.velocity_y", "0.1",
    "bodies.shapes", "cylinder 0.4 0.5 0.2; box 0.55 0.8 0.41 0.63 slip", "bodies.motion",
    "0.3*t, 0.1*t; 0.3*t, 0.1*t", "compressible.integrals", "true", NEW, NULL };
  spare(device);
  for (int p = 0; p < 2; p++) {
    fv_run run = fv_run_begin(device, (trm_precision)p, sets);
    fv_run_advance(&run, INFINITY, 2, 1);
    const fv_solver *fv = (const fv_solver *)run.solver;
    const double kinetic = fv_run_last(&run, "kinetic_energy") / (0.5 * 0.1 * fv->mass);
    const double turning = fv_run_last(&run, "enstrophy");
    test_remark("kinetic energy 1 + %.1e, enstrophy %.1e", kinetic - 1, turning);
    assert_true(fabs(kinetic - 1) <= (p == TRM_F64 ? 1e-12 : 1e-5));
    assert_true(fabs(turning) <= (p == TRM_F64 ? 1e-20 : 1e-6));
    fv_run_end(&run);
  }
}

/* ---- walls in output ------------------------------------------------------------------------- */

/* Friction and heat of pieces of walls add up to the bodies' series, but for the time between them:
 * a step's last stage, and its end. */
static void pieces_of_walls_add_up(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "48", "initial.pressure", "0.7", "initial.velocity_x", "0.2",
    "bodies.shapes", "cylinder 0.3 0.4 0.12 isothermal 1.4; box 0.61 0.83 0.31 0.52",
    "bodies.motion", "0.05*sin(9*t), 0.02*(1 - cos(9*t))", "compressible.viscosity", "0.002", NEW,
    NULL };
  static const char *const names[3] = { "friction_x", "pressure_x", "heat" };
  double felt[3] = { 0, 0, 0 }, told[3];
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, 40, 1);
  for (int k = 0; k < 3; k++) {
    char name[2][32];
    for (int b = 0; b < 2; b++) snprintf(name[b], sizeof name[b], "body%d_%s", b + 1, names[k]);
    told[k] = fv_run_last(&run, name[0]) + fv_run_last(&run, name[1]);
  }
  double *area = fv_run_values(&run, "wall_area"), *heat = fv_run_values(&run, "wall_heat");
  double *p = fv_run_values(&run, "wall_pressure"), *f = fv_run_values(&run, "wall_friction");
  const size_t walls = ((const fv_solver *)run.solver)->volumes->walls;
  for (size_t i = 0; i < walls; i++) {
    const double size = hypot(area[i], area[walls + i]);
    felt[0] += f[i] * size;
    felt[1] += p[i] * area[i];
    felt[2] += heat[i] * size;
    assert_true(fabs(f[i] * area[i] + f[walls + i] * area[walls + i]) <= 1e-12 * size);
  }
  free(area);
  free(heat);
  free(p);
  free(f);
  test_remark("friction %.6f, %.6f; pressure %.6f, %.6f; heat %.6f, %.6f", felt[0], told[0],
              felt[1], told[1], felt[2], told[2]);
  assert_true(fabs(felt[0] - told[0]) <= 0.02 * fabs(told[0]));
  assert_true(fabs(felt[2] - told[2]) <= 0.02 * fabs(told[2]));
  assert_true(fabs(felt[1] - told[1]) <= 0.15 * fabs(told[1]));
  fv_run_end(&run);
}

/* ---- grids that follow ----------------------------------------------------------------------- */

#define FOLLOWED(by) "grid.levels", "1", "mesh.refine", by, "mesh.adapt_every", "4"

/* Bodies go with a uniform stream, and the grid follows them. Nothing else changes. */
static void the_grid_follows_bodies_in_a_stream(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "112", "grid.ny", "80", "grid.x0", "-0.503", "initial.velocity_x", "1.3",
    "initial.velocity_y", "0.1", "initial.pressure", "0.7", "bodies.shapes",
    "cylinder -0.2 0.4 0.04; box -0.15 -0.13 0.37 0.43 slip", "bodies.motion",
    "1.3*t, 0.1*t; 1.3*t, 0.1*t", FOLLOWED("density 5"), NEW, NULL };
  static const double speed[2] = { 1.3, 0.1 };
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  fv_run_advance(&run, 0.08, 1000, 1);
  const double off = fv_run_disturbed(&run, 0.7, speed);
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  test_remark("%llu steps, %llu grids, %zu blocks: off by %.1e; mass %.1e, energy %.1e",
              (unsigned long long)run.solver->step, (unsigned long long)fv->adapt.count,
              fv->forest->blocks.count, off, run.solver->results[1].value,
              run.solver->results[2].value);
  assert_true(fv->adapt.count >= 4 && fv->forest->blocks.count < 80 && off <= 1e-12);
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  assert_true(fabs(run.solver->results[2].value) <= 1e-13);
  fv_run_end(&run);
}

/* Plates meet while the grid follows a wave. Gaps that are shut keep what they lack. */
static const char *const plates[] = {
  "grid.nx", "96", "grid.ny", "64", "initial.density", "1.4", "compressible.flux", "hllc",
  "initial.pressure", "1 + 0.8*exp(-6*((x-6)^2+(y-4)^2))", "compressible.length_x", "12",
  "bodies.shapes",
  "box 2.41 2.78 2.52 3.43 slip; box 2.85 3.31 2.63 3.31 slip", "bodies.motion",
  "; -0.073*(1 - cos(2.1*t)), 0", FOLLOWED("pressure 0.01"), NEW, NULL };

static void gaps_stay_shut_on_another_grid(trm_device *device)
{
  double work = 0, shut = 0;
  int were_shut = 0;
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, plates);
  const fv_solver *fv = (const fv_solver *)run.solver;
  while (run.solver->time < 1.2) {
    const uint64_t grids = fv->adapt.count;
    fv_run_advance(&run, 1.2, 1, 1);
    were_shut += fv->adapt.count > grids && fv_run_last(&run, "gap_cells_shut") > 0;
    shut += fv_run_last(&run, "gap_shut_area");
    work += fv_run_last(&run, "dt") *
            (fv_run_last(&run, "body1_power") + fv_run_last(&run, "body2_power"));
  }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  test_remark("%llu steps, %llu grids, %d with shut gaps, %.3f shut; mass %.1e, energy less "
              "work %.1e",
              (unsigned long long)run.solver->step, (unsigned long long)fv->adapt.count, were_shut,
              shut, run.solver->results[1].value, run.solver->results[2].value - work / fv->energy);
  assert_true(were_shut > 0 && fabs(shut - 0.68) <= 0.07);
  assert_true(fabs(run.solver->results[1].value) <= 1e-13);
  assert_true(fabs(run.solver->results[2].value - work / fv->energy) <= 1e-13);
  fv_run_end(&run);
}

static void a_restored_grid_goes_on_with_the_same_bits(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "48", "grid.ny", "48", "initial.pressure", "0.7", "initial.density",
    "1 - 0.3*exp(-400*((x-0.5)^2+(y-0.7)^2))", "bodies.shapes", "cylinder 0.3 0.3 0.09",
    "bodies.motion", "0.05*sin(9*t), 0.3*t", "compressible.viscosity", "0.001",
    FOLLOWED("density 0.02"), NEW, NULL };
  spare(device);
  fv_run_resumes(device, TRM_F64, sets, 18, 6, NULL);
  fv_run_resumes(device, TRM_F32, sets, 18, 6, NULL);
}

/* ---- periodic sides -------------------------------------------------------------------------- */

/* A body at a corner of a periodic grid has the forces that it has in the middle. This holds in
 * each step of a way through sides, with coarser cells away from bodies, too. */
static void bodies_pass_through_periodic_sides(trm_device *device)
{
#define MEETS(shapes, motion) \
  "grid.nx", "96", "grid.ny", "96", "grid.levels", "1", "mesh.refine", "wall 0.02", \
  "initial.pressure", "0.7", "bodies.shapes", shapes, \
  "compressible.viscosity", "0.001", "run.end_time", "0.4", "bodies.motion", motion, NEW, NULL
  static const char *const middle[] = {
    MEETS("box 0.4375 0.5375 0.40625 0.4725; cylinder 0.38 0.41 0.04 slip",
          "0.5*t, -0.4*t; 0.2*t, 0") };
  static const char *const corner[] = {
    MEETS("box 0.9375 1.0375 -0.09375 -0.0275; cylinder 0.88 -0.09 0.04 slip",
          "0.5*t, -0.4*t; 0.2*t, 0") };
  static const char *const *const both[] = { middle, corner };
  static const char *const names[] = { "body1_pressure_x", "body1_pressure_y", "body1_friction_x",
                                       "body2_pressure_x", "body1_moment_z", "body1_power" };
  enum { STEPS = 12, NAMES = sizeof names / sizeof *names };
  double of[2][STEPS][NAMES], most = 0;
  spare(device);
  for (int i = 0; i < 2; i++) {
    fv_run run = fv_run_begin(device, TRM_F64, both[i]);
    for (int step = 0; step < STEPS; step++) {
      fv_run_advance(&run, INFINITY, 1, 1);
      for (int k = 0; k < NAMES; k++) of[i][step][k] = fv_run_last(&run, names[k]);
    }
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    assert_true(fabs(run.solver->results[1].value) <= 1e-13);
    fv_run_end(&run);
  }
  for (int step = 0; step < STEPS; step++)
    for (int k = 0; k < NAMES; k++)
      most = fmax(most, fabs(of[0][step][k] - of[1][step][k]));
  test_remark("forces differ by %.1e; pressure %.6f", most, of[0][STEPS - 1][0]);
  assert_true(most <= 1e-12 && fabs(of[0][STEPS - 1][0]) > 1e-3);
}

/* Around the grid, past the place of its begin, in a stream that stays. A checkpoint does, too. */
static void a_body_goes_around_the_grid(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "32", "grid.ny", "32", "initial.velocity_x", "1.3", "initial.velocity_y", "0.6",
    "initial.pressure", "0.7", "bodies.shapes", "cylinder 0.4 0.6 0.15; box 0.7 0.8 0.5 0.66 slip",
    "bodies.motion", "1.3*t, 0.6*t; 1.3*t, 0.6*t", "run.end_time", "0.9", NEW, NULL };
  static const double speed[2] = { 1.3, 0.6 };
  spare(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 0.9, 1000, 1);
  const double off = fv_run_disturbed(&run, 0.7, speed);
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  test_remark("%llu steps: off by %.1e; mass %.1e", (unsigned long long)run.solver->step, off,
              run.solver->results[1].value);
  assert_true(off <= 1e-12 && fabs(run.solver->results[1].value) <= 1e-13);
  fv_run_end(&run);
  fv_run_resumes(device, TRM_F64, sets, 11, 3, NULL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The estimate of a dry run is near the bytes that buffers hold after a step. In the cases gas is
 * in a narrow place alone, and bodies lie in each other. */
static void a_dry_run_tells_the_memory(trm_device *device)
{
  static const char *const cases[][16] = {
    { "grid.nx", "192", "grid.ny", "192", "bodies.shapes",
      "cylinder 0.5 0.5 0.31; tube 0.5 0.5 0.39", "compressible.viscosity", "0.001", NEW, NULL },
    { "grid.nx", "40", "grid.ny", "40", "grid.nz", "40", "bodies.shapes",
      "sphere 0.413 0.51 0.49 0.23; box 0.31 0.81 0.407 0.613 0.391 0.593", NEW, NULL } };
  const trm_solver_options how = { .precision = TRM_F64, .math = TRM_STRICT };
  spare(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const uint64_t before = trm_device_counters(device).held_bytes;
    uint64_t told = 0;
    fv_run run = fv_run_begin(device, TRM_F64, cases[i]);
    fv_run_advance(&run, INFINITY, 1, 1);
    const double held = (double)(trm_device_counters(device).held_bytes - before);
    TEST_OK(trm_solver_compressible.memory(device, run.config, &how, &told));
    test_remark("told %.2f MiB, held %.2f", (double)told / 1048576, held / 1048576);
    assert_true(fabs((double)told / held - 1) <= 0.15);
    fv_run_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_body_in_gas_at_rest_is_lifted),
    TEST_DEVICE(bodies_fall_with_the_gas),
    TEST_DEVICE(sponges_act_about_bodies),
    TEST_DEVICE(gas_turns_with_a_tube),
    TEST_DEVICE(a_cylinder_turns_the_gas_beside_it),
    TEST_DEVICE(sums_have_all_gas_once),
    TEST_DEVICE(pieces_of_walls_add_up),
    TEST_DEVICE(the_grid_follows_bodies_in_a_stream),
    TEST_DEVICE(gaps_stay_shut_on_another_grid),
    TEST_DEVICE(a_restored_grid_goes_on_with_the_same_bits),
    TEST_DEVICE(bodies_pass_through_periodic_sides),
    TEST_DEVICE(a_body_goes_around_the_grid),
    TEST_DEVICE(a_dry_run_tells_the_memory),
  };
  return TEST_RUN(argc, argv, cases);
}
