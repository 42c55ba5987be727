/* lbm3d_walls.c - bodies and surfaces on blocks of several levels: the bits of rows where there is
 * one level, mass and momentum, flows that are known, and where a change of level may not be. */
#include "tests/solvers/flow_run.h"
#include "tests/solvers/lbm3d/tube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double result_of(const flow_run *run, const char *name)
{
  for (size_t i = 0; i < run->solver->result_count; i++)
    if (strcmp(run->solver->results[i].name, name) == 0) return run->solver->results[i].value;
  fail_msg("there is no result %s", name);
  return NAN;
}

/* ---- one level ------------------------------------------------------------------------------- */

static void assert_same(const flow_run *rows, const flow_run *blocks, const char *settings,
                        const char *name)
{
  double *a = flow_values((flow_run *)rows, name), *b = flow_values((flow_run *)blocks, name);
  const trm_field *field = rows->solver->fields;
  while (strcmp(field->name, name) != 0) field++;
  const size_t values = field->nx * field->ny * field->nz * (size_t)field->components;
  if (memcmp(a, b, values * sizeof *a) != 0) fail_msg("%s: other bits of %s", settings, name);
  free(a);
  free(b);
}

static void assert_bits(trm_device *device, trm_precision precision, const char *settings)
{
  static const char *const names[] = {"populations", "solid", "density", "wall_shear",
                                      "mean_velocity", "mean_density"};
  char more[2000];
  flow_run rows, blocks;
  snprintf(more, sizeof more, "%s|average_from=5|lbm.blocks=true", settings);
  flow_begin(&blocks, device, precision, more);
  *strrchr(more, '|') = 0;
  flow_begin(&rows, device, precision, more);
  flow_steps(&rows, 13, 0);
  flow_steps(&blocks, 13, 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_same(&rows, &blocks, settings, names[i]);
  for (size_t i = 2; i < rows.solver->series_count; i++) {
    const char *name = rows.solver->series[i].name;
    const double a = flow_series(&rows, name)[12], b = flow_series(&blocks, name)[12];
    if (!(fabs(a - b) <= (precision == TRM_F64 ? 1e-14 : 1e-6)))
      fail_msg("%s: %s is %.17g, in blocks %.17g", settings, name, a, b);
  }
  flow_end(&rows);
  flow_end(&blocks);
}

#define SPHERE "grid.nx=24|grid.ny=16|grid.nz=24|lbm.viscosity=0.05|body_force=1e-4 0 0|" \
               "bodies.shapes=sphere 9.2 8.6 9.4 3.3; box 18 5 5 21 12 12"

static void blocks_have_the_bits_of_rows(trm_device *device)
{
  test_is_spared(device);
  static const char *const flows[] = {
    SPHERE, SPHERE "|lbm.bounce_back=halfway", SPHERE "|lbm.collision=mrt|lbm.smagorinsky=0.1",
    SPHERE "|lbm.collision=cumulant|lbm.lattice=d3q27|initial.velocity_x=0.02*sin(y)",
    SPHERE "|lbm.collision=regularised|boundary.bottom=wall|boundary.top=wall"};
  char tube[1600];
  snprintf(tube, sizeof tube, "grid.nx=40|grid.ny=24|grid.nz=24|lbm.viscosity=0.1|bodies.stl=%s|"
           "bodies.stl_cell=0.0625|lbm.patches=inlet density 1.002; outlet density 0.998",
           write_tube(2, 0.1, 1));
  const size_t count = sizeof flows / sizeof *flows;
  for (size_t i = 0; i <= count; i++)
    for (int p = 0; p < 2; p++)
      if (test_takes(device, i, (trm_precision)p))
        assert_bits(device, (trm_precision)p, i < count ? flows[i] : tube);
}

/* ---- balances -------------------------------------------------------------------------------- */

static void assert_mass(trm_device *device, const char *settings, const char *in, const char *out,
                        double volume)
{
  flow_run run;
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 40, 0);
  const double *change = flow_series(&run, "density_change");
  const double *from = flow_series(&run, in), *to = flow_series(&run, out);
  double off = 0;
  for (int i = 1; i < 40; i++)
    off = fmax(off, fabs((change[i] - change[i - 1]) * volume - from[i] - to[i]));
  print_message("# mass is off by %.1e of %.3g that flow in a step\n", off, from[39]);
  assert_true(fabs(from[39]) > 1e-3 && off <= 1e-11);
  flow_end(&run);
}

/* Cells of the fluid, in cells of level 0. */
static double fluid_of(trm_device *device, const char *settings)
{
  flow_run run;
  double solid = 0;
  flow_begin(&run, device, TRM_F64, settings);
  double *values = flow_values(&run, "solid");
  const trm_field *field = &run.solver->fields[0];
  const size_t n = field->nx * field->ny * field->nz;
  for (size_t i = 0; i < n; i++) solid += values[i];
  free(values);
  flow_end(&run);
  return ((double)n - solid) / 8;
}

#define TUNNEL "grid.nx=40|grid.ny=16|grid.nz=24|lbm.viscosity=0.02|boundary.west=inflow|" \
  "boundary.west_velocity=0.05*(1-(2*y/ny-1)^2); 0; 0|boundary.east=outflow|boundary.south=wall|" \
  "boundary.north=wall|" \
  "bodies.shapes=sphere 10.2 8.6 11.4 3.3|grid.levels=1|mesh.refine=wall 3.5"

static void mass_changes_by_what_flows_in(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const how[] = {"", "|lbm.bounce_back=halfway", "|lbm.lattice=d3q27"};
  char tube[1600];
  test_needs_f64(device);
  for (int i = 0; i < 3; i++) {
    char settings[800];
    snprintf(settings, sizeof settings, "%s%s", TUNNEL, how[i]);
    assert_mass(device, settings, "west_flux", "east_flux", fluid_of(device, settings));
  }
  snprintf(tube, sizeof tube, "grid.nx=48|grid.ny=32|grid.nz=32|lbm.viscosity=0.1|bodies.stl=%s|"
           "bodies.stl_cell=0.036|lbm.patches=inlet density 1.002; outlet density 0.998|"
           "grid.levels=1|mesh.refine=wall 2.4", write_tube(1.5, 0, 1));
  assert_mass(device, tube, "inlet_flux", "outlet_flux", fluid_of(device, tube));
}

/* Of the fluid after a collision, with the whole of the force; in cells of level 0. */
static double momentum(flow_run *run, double force)
{
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density"), sum = 0;
  double *solid = flow_values(run, "solid");
  const trm_field *field = &run->solver->fields[1];
  const trm_blocks *b = field->blocks;
  for (size_t i = 0; i < b->count * 512; i++) {
    const size_t leaf = i / 512, in[] = {i % 8, i / 8 % 8, i / 64 % 8};
    const int coarser = 1 - b->level[leaf];
    size_t cell = 0;
    for (int a = 2; a >= 0; a--)
      cell = cell * (a == 2 ? field->nz : a == 1 ? field->ny : field->nx) +
             (((size_t)b->place[leaf][a] * 8 + in[a]) << coarser);
    if (solid[cell] == 0)
      sum += ldexp(rho[cell] * u[cell] + 0.5 * ldexp(force, -b->level[leaf]),
                   -3 * b->level[leaf]);
  }
  free(u);
  free(rho);
  free(solid);
  return sum;
}

/* Of all walls along x, in step `step`. */
static double felt_by_walls(const flow_run *run, int step)
{
  double sum = 0;
  for (size_t i = 0; i < run->solver->series_count; i++) {
    const char *name = run->solver->series[i].name, *end = strstr(name, "force_x");
    if (end && !end[7]) sum += flow_series(run, name)[step];
  }
  return sum;
}

static void assert_momentum(trm_device *device, const char *settings)
{
  flow_run run;
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 40, 0);
  const double before = momentum(&run, 1e-5);
  flow_steps(&run, 1, 0);
  const double after = momentum(&run, 1e-5), felt = felt_by_walls(&run, 40);
  const double off = fluid_of(device, settings) * 1e-5 - felt - (after - before);
  print_message("# a force of %.6g is off by %.1e; %.3g of the finest grid's updates\n", felt, off,
                result_of(&run, "of_finest"));
  assert_true(felt > 1e-3 && fabs(off) <= 1e-11);
  assert_true(result_of(&run, "of_finest") < 0.8);
  flow_end(&run);
}

/* A sphere; and the nose of cases/nose, closed, in which a force moves the air. */
static void walls_feel_what_the_fluid_loses(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char sphere[] =
    "grid.nx=40|grid.ny=16|grid.nz=24|lbm.viscosity=0.05|body_force=1e-5 0 0|"
    "bodies.shapes=sphere 10.2 8.6 11.4 3.3|grid.levels=1|mesh.refine=wall 3.5";
  char settings[1600];
  test_needs_f64(device);
  assert_momentum(device, sphere);
  snprintf(settings, sizeof settings, "%s|lbm.bounce_back=halfway|lbm.collision=mrt", sphere);
  assert_momentum(device, settings);
  snprintf(settings, sizeof settings, "grid.nx=40|grid.ny=24|grid.nz=32|lbm.viscosity=0.05|"
           "body_force=1e-5 0 0|grid.levels=1|mesh.refine=wall 1|bodies.stl_cell=3|bodies.stl=%s",
           test_data("../../cases/nose/airway.stl"));
  assert_momentum(device, settings);
}

/* ---- momentum through openings --------------------------------------------------------------- */

/* Along an axis, in cells of level 0; without a force on the fluid. */
static double momentum_of(flow_run *run, int axis)
{
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density"), sum = 0;
  const trm_field *field = &run->solver->fields[1];
  const size_t n = field->nx * field->ny * field->nz;
  for (size_t i = 0; i < n; i++) sum += rho[i] * u[(size_t)axis * n + i];
  const double side = field->blocks ? run->solver->spacing[0] : 1;
  free(u);
  free(rho);
  return sum * pow(side, 3);
}

/* Of all series of that name, whatever stands before it, in step `step`. */
static double all_of(const flow_run *run, const char *what, int step)
{
  double sum = 0;
  for (size_t i = 0; i < run->solver->series_count; i++) {
    const char *name = run->solver->series[i].name;
    const size_t end = strlen(name), length = strlen(what);
    if (end >= length && strcmp(name + end - length, what) == 0)
      sum += flow_series(run, name)[step];
  }
  return sum;
}

/* One more step, beside the largest of what crosses openings and walls in it. */
static void assert_balance(flow_run *run, const char *settings, int step)
{
  static const char *const in[] = {"momentum_x", "momentum_y", "momentum_z"};
  static const char *const felt[] = {"force_x", "force_y", "force_z"};
  double before[3], off = 0, all = 0, change = 0;
  for (int a = 0; a < 3; a++) before[a] = momentum_of(run, a);
  flow_steps(run, 1, 0);
  for (int a = 0; a < 3; a++) {
    const double came = all_of(run, in[a], step), lost = all_of(run, felt[a], step);
    const double gained = momentum_of(run, a) - before[a];
    off = fmax(off, fabs(came - lost - gained));
    change = fmax(change, fabs(gained));
    all = fmax(all, fmax(fabs(came), fabs(lost)));
  }
  print_message("# step %d: %.3g came in, the fluid's changed by %.1e; off by %.1e of it\n", step,
                all, change, off / all);
  if (!(all > 1e-4 && off <= 1e-10 * all))
    fail_msg("%s: momentum is off by %g of %g", settings, off, all);
}

static void assert_momentum_through(trm_device *device, const char *settings, int later)
{
  flow_run run;
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 30, 0);
  assert_balance(&run, settings, 30);
  if (later) flow_steps(&run, (uint64_t)later, 0);
  if (later) assert_balance(&run, settings, 31 + later);
  flow_end(&run);
}

#define TUBE "lbm.viscosity=0.1|lbm.patches=inlet density 1.002; outlet density 0.998|"

/* In rows, in place, on blocks and on two levels; soon, and when the flow is steady. */
static void momentum_changes_by_what_openings_and_walls_give(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const tubes[] = {
    TUBE "bodies.stl_cell=0.083", TUBE "bodies.stl_cell=0.083|lbm.streaming=in-place",
    TUBE "bodies.stl_cell=0.083|lbm.lattice=d3q27|lbm.collision=cumulant",
    TUBE "bodies.stl_cell=0.083|lbm.blocks=true",
    TUBE "bodies.stl_cell=0.1|grid.levels=1|mesh.refine=wall 1.5",
    ("lbm.viscosity=0.1|lbm.patches=inlet inflow 0.02 0.004 0; outlet density 1|"
     "bodies.stl_cell=0.083|lbm.bounce_back=halfway")};
  static const char nose[] = "lbm.viscosity=0.05|lbm.patches=nostril_left density 1; "
    "nostril_right density 1; throat density 0.999";
  static const char *const noses[] = {
    "grid.nx=80|grid.ny=32|grid.nz=56|bodies.stl_cell=1.5",
    "grid.nx=40|grid.ny=24|grid.nz=32|bodies.stl_cell=3|grid.levels=1|mesh.refine=wall 1"};
  char settings[1600];
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof tubes / sizeof *tubes; i++) {
    snprintf(settings, sizeof settings, "grid.nx=32|grid.ny=24|grid.nz=24|%s|bodies.stl=%s",
             tubes[i], write_tube(2, 0.2, 1));
    assert_momentum_through(device, settings, i == 0 ? 1500 : 0);
  }
  for (int i = 0; i < 2; i++) {
    snprintf(settings, sizeof settings, "%s|%s|bodies.stl=%s", noses[i], nose,
             test_data("../../cases/nose/airway.stl"));
    assert_momentum_through(device, settings, 0);
  }
}

#define STREAM "grid.nx=40|grid.ny=16|grid.nz=24|lbm.viscosity=0.02|boundary.west=inflow|" \
  "boundary.west_velocity=0.05; 0.01; 0|boundary.east=outflow|bodies.shapes=sphere 10.2 8.6 11.4 " \
  "3.3"

/* Through sides of the box; in the last flow the cells at the inflow are of two levels. */
static void momentum_changes_by_what_sides_and_bodies_give(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const how[] = {"", "|lbm.blocks=true|lbm.lattice=d3q27",
                                    "|grid.levels=1|mesh.refine=wall 3.5",
                                    "|grid.levels=1|mesh.refine=wall 3.5|grid.nz=48"};
  char settings[800];
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
    snprintf(settings, sizeof settings, "%s%s", STREAM, how[i]);
    assert_momentum_through(device, settings, 0);
  }
}

/* ---- what is known --------------------------------------------------------------------------- */

/* What flows through a tube, relative to Hagen and Poiseuille's pi D^4 dp / (128 rho nu) of its
 * length; it begins as that flow. fine: cells across on the finest level. levels 0: uniform. */
static double tube_error(trm_device *device, int fine, int levels, const char *refine)
{
  const double length = 1, viscosity = ldexp(0.1, -levels), d = ldexp(fine, -levels);
  const double drop = 0.004 / 3, r = d / 2;
  const double speed = drop * r * r / (4 * viscosity * length * d);
  const double known = 0.5 * speed * pi * r * r;
  const int nx = ((int)(length * d) + 4 + 7) / 8 * 8, n = ((int)d + 4 + 7) / 8 * 8;
  const int steps = (int)(0.3 * d * d / viscosity / 4);
  char settings[2000];
  flow_run run;
  snprintf(settings, sizeof settings,
           "grid.nx=%d|grid.ny=%d|grid.nz=%d|lbm.viscosity=%.17g|bodies.stl=%s|"
           "bodies.stl_cell=%.17g|lbm.patches=inlet density 1.002; outlet density 0.998|"
           "initial.velocity_x=max(0,%.17g*(1-((y-ny/2)^2+(z-nz/2)^2)/%.17g))|"
           "initial.density=1-0.004*(x-nx/2)/%.17g%s",
           nx, n, n, viscosity, write_tube(length, 0, 1), 1.0 / d, speed, r * r, length * d,
           refine);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)steps, 0);
  const double in = flow_series(&run, "inlet_flux")[steps - 1];
  const double out = flow_series(&run, "outlet_flux")[steps - 1];
  print_message("# %d cells across, %d levels, %d steps: flux %.8g and %.8g, off by %.3g; %.3g of "
                "the finest grid's updates, %g cells across\n", fine, levels, steps, in, out,
                in / known - 1, levels ? result_of(&run, "of_finest") : 1,
                result_of(&run, "cells_across"));
  assert_true(fabs(in + out) <= 2e-3 * in);
  flow_end(&run);
  return in / known - 1;
}

static void a_tube_is_hagen_poiseuilles(trm_device *device)
{
  test_needs_f64(device);
  test_is_long();
  const double alone = tube_error(device, 28, 0, "");
  const double refined = tube_error(device, 56, 1, "|grid.levels=1|mesh.refine=wall 2.4");
  assert_true(fabs(alone) <= 0.01 && fabs(refined) <= 0.01);
}

/* The drag of a sphere of 8 fine cells at Re 100, over 2 diameters' time from the 10th on; how: the
 * grid, which has `scale` of those cells. */
static double drag(trm_device *device, double scale, const char *how)
{
  const int to = (int)(12 * 8 * scale / 0.06), from = (int)(10 * 8 * scale / 0.06);
  char settings[800];
  double sum = 0;
  flow_run run;
  snprintf(settings, sizeof settings, "boundary.west=inflow|boundary.west_velocity=0.06; 0; 0|"
           "boundary.east=outflow|lbm.reynolds=100|initial.velocity_x=0.06|lbm.collision=mrt|"
           "grid.nx=%g|grid.ny=%g|grid.nz=%g|bodies.shapes=sphere %g %g %g %g%s", 96 * scale,
           64 * scale, 64 * scale, 32 * scale, 32 * scale, 32 * scale, 4 * scale, how);
  flow_begin(&run, device, TRM_F32, settings);
  flow_steps(&run, (uint64_t)to, 0);
  for (int i = from; i < to; i++) sum += flow_series(&run, "force_x")[i];
  const double updates = *how ? result_of(&run, "of_finest") : 1;
  flow_end(&run);
  const double drag = sum / (to - from) / (0.5 * 0.06 * 0.06 * pi * pow(4 * scale, 2));
  print_message("# drag %.4f, %.3g of the finest grid's updates\n", drag, updates);
  return drag;
}

static void a_sphere_feels_what_it_feels_on_the_fine_grid(trm_device *device)
{
  test_is_long();
  const double fine = drag(device, 1, "");
  const double refined = drag(device, 0.5, "|grid.levels=1|mesh.refine=wall 4");
  assert_true(fabs(refined / fine - 1) <= 0.01);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void batches_do_not_matter(trm_device *device)
{
  test_is_spared(device);
  char once[33], often[33];
  flow_run run;
  for (uint64_t batch = 0; batch < 4; batch += 3) {
    flow_begin(&run, device, TRM_F32, TUNNEL);
    flow_steps(&run, 11, batch);
    flow_print(&run, batch ? often : once);
    flow_end(&run);
  }
  assert_string_equal(once, often);
}

static void walls_near_a_change_of_level_are_refused(trm_device *device)
{
  flow_refused(device, SPHERE "|grid.levels=1|mesh.refine=0 8 0 16 0 24",
               "the size of cells changes within two cells of a wall");
  flow_refused(device, SPHERE "|grid.levels=1|mesh.refine=wall 0.1|bodies.shapes=sphere 12 8 8 3.2",
               "write 'wall 4' in mesh.refine");
  flow_refused(device, SPHERE "|lbm.blocks=true|boundary.west=inflow|"
                              "boundary.west_velocity=0.01; 0; 0|"
               "boundary.east=outflow|bodies.shapes=sphere 3 8 8 2",
               "within two cells of the side 'west', which lets flow through");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(blocks_have_the_bits_of_rows),
    TEST_DEVICE(mass_changes_by_what_flows_in),
    TEST_DEVICE(walls_feel_what_the_fluid_loses),
    TEST_DEVICE(momentum_changes_by_what_openings_and_walls_give),
    TEST_DEVICE(momentum_changes_by_what_sides_and_bodies_give),
    TEST_DEVICE(a_tube_is_hagen_poiseuilles),
    TEST_DEVICE(a_sphere_feels_what_it_feels_on_the_fine_grid),
    TEST_DEVICE(batches_do_not_matter),
    TEST_DEVICE(walls_near_a_change_of_level_are_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
