/* lbm3d_levels.c - lattice Boltzmann on blocks of several levels: the bits of rows where there is
 * one level, what is conserved and how near a flow across a jump comes to what is known, the same
 * state in any batches, and cases that are refused. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- one level ------------------------------------------------------------------------------- */

static double *after(trm_device *device, trm_precision precision, const char *settings,
                     const char *more, uint64_t steps, const char *field, size_t *count)
{
  char all[1024];
  flow_run run;
  snprintf(all, sizeof all, "%s%s", settings, more);
  flow_begin(&run, device, precision, all);
  flow_steps(&run, steps, 0);
  double *values = flow_values(&run, field);
  *count = run.solver->fields[1].nx * run.solver->fields[1].ny * run.solver->fields[1].nz;
  flow_end(&run);
  return values;
}

#define START "|initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|" \
              "initial.velocity_z=0.02*cos(0.2*x+z)|" \
              "initial.density=1+0.01*sin(x-y)|lbm.viscosity=0.02"
#define PERIODIC "grid.nx=24|grid.ny=16|grid.nz=8" START

/* Not where sides move or let flow through: what they add is rounded at another place (below). */
static void blocks_have_the_bits_of_rows(trm_device *device)
{
  test_is_spared(device);
  static const char *const flows[] = {
    PERIODIC, PERIODIC "|lbm.lattice=d3q27", PERIODIC "|lbm.collision=mrt|body_force=1e-4 0 0",
    PERIODIC "|lbm.lattice=d3q27|lbm.collision=cumulant", PERIODIC "|lbm.collision=regularised",
    PERIODIC "|lbm.smagorinsky=0.1", PERIODIC "|boundary.west=wall|boundary.east=wall|"
                                              "boundary.south=wall|"
    "boundary.north=wall|boundary.bottom=wall|boundary.top=wall"};
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
    size_t count;
    double *rows = after(device, TRM_F32, flows[i], "", 9, "populations", &count);
    double *blocks = after(device, TRM_F32, flows[i], "|lbm.blocks=true", 9, "populations", &count);
    const size_t bytes = count * (strstr(flows[i], "d3q27") ? 27 : 19) * sizeof *rows;
    if (memcmp(rows, blocks, bytes) != 0) fail_msg("%s: other bits", flows[i]);
    free(rows);
    free(blocks);
  }
}

/* An outflow looks at the cell beside, in its own block or in the next one, as rows do. */
static void openings_of_blocks_are_those_of_rows(trm_device *device)
{
  test_is_spared(device);
  static const char *const flows[] = {
    "0.03; 0.01; 0|boundary.south=wall|boundary.north=moving|boundary.north_velocity=0.02; 0; 0.01",
    "0.03; 0.01; 0|lbm.lattice=d3q27|lbm.collision=cumulant",
    "0.03; 0.01; 0|boundary.bottom=wall|boundary.top=wall|body_force=0 1e-4 0",
    ("0.03*y*(ny-y)*z/500; 0.02*sin(z); 0.01*y/ny|boundary.south=wall|boundary.north=moving|"
     "boundary.north_velocity=0.02*x/nx; 0; 0.01*sin(0.7*z)"),
    "0.03*sin(y)*cos(z); 0.02*sin(z); 0|lbm.lattice=d3q27|lbm.collision=cumulant" };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
    char settings[1024];
    size_t count;
    snprintf(settings, sizeof settings, "grid.nx=24|grid.ny=16|grid.nz=16" START
             "|boundary.east=outflow|boundary.west=inflow|boundary.west_velocity=%s", flows[i]);
    double *rows = after(device, TRM_F64, settings, "", 30, "velocity", &count), off = 0;
    double *blocks = after(device, TRM_F64, settings, "|lbm.blocks=true", 30, "velocity", &count);
    for (size_t k = 0; k < count; k++) off = fmax(off, fabs(rows[k] - blocks[k]));
    print_message("# off by %.1e\n", off);
    assert_true(off <= 1e-15);
    free(rows);
    free(blocks);
  }
}

/* ---- what is conserved -------------------------------------------------------------------- */

/* Corners of finer regions stick out and in, in a box of three levels. */
#define STAIRS "|grid.levels=2|mesh.refine=formula 5-abs(x-12)-abs(y-8)-abs(z-8); 0 4 0 4 0 4"
#define CLOSED "grid.nx=24|grid.ny=16|grid.nz=16" START

static void assert_mass(trm_device *device, const char *settings)
{
  const int steps = test_runs_long() ? 20 : 8;
  flow_run run;
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)steps, 0);
  const double *change = flow_series(&run, "density_change");
  print_message("# %s: %.1e\n", strrchr(settings, '|'), change[steps - 1] - change[0]);
  assert_true(fabs(change[steps - 1] - change[0]) <= 1e-14);
  flow_end(&run);
}

static void mass_is_kept(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  assert_mass(device, CLOSED STAIRS);
  assert_mass(device, CLOSED STAIRS "|body_force=1e-4 0 0|lbm.lattice=d3q27");
  assert_mass(device, CLOSED STAIRS "|boundary.bottom=wall|boundary.top=wall");
  assert_mass(device, CLOSED STAIRS "|boundary.west=wall|boundary.east=wall|boundary.south=wall|"
                                    "boundary.north=wall|"
              "boundary.bottom=wall|boundary.top=wall");
  assert_mass(device, CLOSED STAIRS "|boundary.south=wall|boundary.north=moving|"
                                    "boundary.north_velocity=0.05; 0; 0.02|lbm.lattice=d3q27");
}

static void what_flows_in_is_what_it_grows_by(trm_device *device)
{
  test_is_long_elsewhere(device);
  flow_run run;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64,
             CLOSED STAIRS "|boundary.west=inflow|boundary.west_velocity=0.02*y/ny; 0; "
             "0.01|boundary.east=outflow|boundary.south=wall|boundary.north=wall|"
             "boundary.bottom=wall|boundary.top=wall");
  flow_steps(&run, 20, 0);
  const double *change = flow_series(&run, "density_change");
  const double *in = flow_series(&run, "west_flux"), *out = flow_series(&run, "east_flux");
  double off = 0, volume = 24 * 16 * 16;
  for (int i = 1; i < 20; i++)
    off = fmax(off, fabs((change[i] - change[i - 1]) * volume - in[i] - out[i]));
  print_message("# off by %.1e\n", off);
  assert_true(off <= 1e-11);
  flow_end(&run);
}

static void a_uniform_flow_stays_uniform(trm_device *device)
{
  test_is_long_elsewhere(device);
  size_t count;
  test_needs_f64(device);
  double *u = after(device, TRM_F64, "grid.nx=24|grid.ny=16|grid.nz=16|initial.velocity_x=0.05|"
                    "initial.velocity_y=-0.03|initial.velocity_z=0.01|lbm.viscosity=0.02",
                        STAIRS, 20,
                    "velocity", &count);
  double off = 0;
  for (size_t i = 0; i < count; i++) off = fmax(off, fabs(u[i] - 0.05));
  print_message("# off by %.1e\n", off);
  assert_true(off <= 1e-14);
  free(u);
}

/* ---- what is known -------------------------------------------------------------------- */

typedef double known_fn(const double at[3], double n, double speed);

/* The error of the velocity along x over the cells of all blocks, relative, by volume. */
static double error_of(flow_run *run, known_fn *known, double n, double speed)
{
  double *u = flow_values(run, "velocity"), off = 0, all = 0;
  const trm_field *field = &run->solver->fields[1];
  const trm_blocks *b = field->blocks;
  int finest = 0;
  for (size_t i = 0; i < b->count; i++) finest = b->level[i] > finest ? b->level[i] : finest;
  for (size_t i = 0; i < b->count * 512; i++) {
    const size_t leaf = i / 512, in[] = {i % 8, i / 8 % 8, i / 64 % 8};
    const size_t scale = (size_t)1 << (finest - b->level[leaf]);
    const double h = 1.0 / (1 << b->level[leaf]);
    size_t cell[3];
    double at[3];
    for (int a = 0; a < 3; a++) {
      cell[a] = ((size_t)b->place[leaf][a] * 8 + in[a]) * scale;
      at[a] = h * ((double)b->place[leaf][a] * 8 + (double)in[a] + 0.5);
    }
    const double is = u[(cell[2] * field->ny + cell[1]) * field->nx + cell[0]];
    const double right = known(at, n, speed);
    off += h * h * h * pow(is - right, 2);
    all += h * h * h * right * right;
  }
  free(u);
  return sqrt(off / all);
}

static double vortices(const double at[3], double n, double speed)
{
  return speed * cos(2 * pi * at[0] / n) * sin(2 * pi * at[1] / n);
}

/* Taylor and Green's vortices in a plane, until their speed is `left` of what it was. */
static double vortex_error(trm_device *device, int n, const char *how)
{
  const double k = 2 * pi / n, nu = 0.02, speed = 0.64 / n, left = 0.4;
  const uint64_t steps = (uint64_t)(-log(left) / (2 * nu * k * k));
  char settings[1024];
  flow_run run;
  snprintf(settings, sizeof settings,
           "grid.nx=%d|grid.ny=%d|grid.nz=8|lbm.viscosity=%g|lbm.blocks=true|"
           "initial.velocity_x=%.17g*cos(%.17g*x)*sin(%.17g*y)|"
           "initial.velocity_y=-%.17g*sin(%.17g*x)*cos("
           "%.17g*y)|initial.density=1-0.75*%.17g*(cos(2*%.17g*x)+cos(2*%.17g*y))%s", n, n, nu,
           speed, k, k, speed, k, k, speed * speed, k, k, how);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, steps, 0);
  const double error = error_of(&run, vortices, n,
                                speed * exp(-2 * nu * k * k * (double)steps));
  flow_end(&run);
  return error;
}

static double parabola(const double at[3], double n, double speed)
{
  return 4 * speed * at[1] / n * (1 - at[1] / n);
}

static double channel_error(trm_device *device, int n, const char *how)
{
  const double nu = 0.25, speed = 0.32 / n, force = 8 * nu * speed / (n * n);
  char settings[1024];
  flow_run run;
  snprintf(settings, sizeof settings,
           "grid.nx=8|grid.ny=%d|grid.nz=8|lbm.viscosity=%g|lbm.blocks=true|body_force=%.17g 0 0|"
           "boundary.south=wall|boundary.north=wall|initial.velocity_x=%.17g*y*(ny-y)%s", n, nu,
               force,
           4 * speed / (n * n), how);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)(0.6 * n * n / nu), 0);
  const double error = error_of(&run, parabola, n, speed);
  flow_end(&run);
  return error;
}

typedef double error_fn(trm_device *device, int n, const char *how);

static void assert_order(trm_device *device, error_fn *error, const char *how_16,
                         const char *how_32, const char *collision)
{
  char a[256], b[256];
  snprintf(a, sizeof a, "%s%s", how_16, collision);
  snprintf(b, sizeof b, "%s%s", how_32, collision);
  const double alone = error(device, 16, collision), coarse = error(device, 16, a);
  const double fine = error(device, 32, b);
  print_message("# %s %s: %.3e and %.3e, order %.2f; one level %.3e\n", how_32, collision, coarse,
                fine, log2(coarse / fine), alone);
  assert_true(coarse <= 2 * alone && log2(coarse / fine) >= 1.8);
}

static void vortices_cross_a_jump(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  assert_order(device, vortex_error, "|grid.levels=1|mesh.refine=0 7 0 16 0 8",
               "|grid.levels=1|mesh.refine=0 15 0 32 0 8", "");
  assert_order(device, vortex_error, "|grid.levels=1|mesh.refine=0 7 0 7 0 8",
               "|grid.levels=1|mesh.refine=0 15 0 15 0 8", "");
}

static void a_channel_crosses_a_jump(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  assert_order(device, channel_error, "|grid.levels=1|mesh.refine=0 8 0 7 0 8",
               "|grid.levels=1|mesh.refine=0 8 0 15 0 8", "|lbm.collision=bgk");
  /* walls are where they should be: nothing but the jump is off */
  const double error = channel_error(device, 16, "|grid.levels=1|mesh.refine=0 8 0 7 0 8");
  print_message("# trt: %.3e\n", error);
  assert_true(error <= 1e-3);
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* Over a rectangle of a plane across y, in cells of the finest grid: the flux, in faces of level 0,
 * and the mean pressure. */
static void plane_of(flow_run *run, int at, const int from[2], const int to[2], double found[2])
{
  const trm_field *field = &run->solver->fields[1];
  const size_t n = field->nx * field->ny * field->nz;
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density"), cells = 0;
  found[0] = found[1] = 0;
  for (int z = from[1]; z < to[1]; z++)
    for (int x = from[0]; x < to[0]; x++, cells++) {
      const size_t i = ((size_t)z * field->ny + (size_t)at) * field->nx + (size_t)x;
      found[0] += rho[i] * u[n + i] / 16;
      found[1] += (rho[i] - 1) / 3;
    }
  found[1] /= cells;
  free(u);
  free(rho);
}

/* A point is the cell of the fields that has it, on each of three levels; a plane and a part of
 * one cross them. Odd and even steps: level 0 lies in either lattice. */
static void probes_are_what_the_fields_are(trm_device *device)
{
  test_is_spared(device);
  static const double places[3][3] = {{20.3, 2.1, 14.9}, {12.4, 8.3, 7.9}, {1.3, 3.9, 0.2}};
  static const char *const names[] = {"far", "in", "low"};
  test_needs_f64(device);
  for (int steps = 6; steps < 8; steps++) {
    flow_run run;
    double all[2], part[2];
    flow_begin(&run, device, TRM_F64, CLOSED STAIRS "|body_force=0 1e-4 0|probes=far point 20.3 "
               "2.1 14.9; in point 12.4 8.3 7.9; low point 1.3 3.9 0.2; all plane y 8.3; "
               "part plane y 3.1 1.5 0.5 9 7.25");
    flow_steps(&run, (uint64_t)steps, 0);
    const trm_field *field = &run.solver->fields[1];
    const size_t n = field->nx * field->ny * field->nz;
    double *u = flow_values(&run, "velocity"), *p = flow_values(&run, "pressure");
    for (int i = 0; i < 3; i++) {
      size_t cell = 0;
      char name[16];
      for (int a = 2; a >= 0; a--)
        cell = cell * (a == 2 ? field->nz : a == 1 ? field->ny : field->nx) +
               (size_t)(4 * places[i][a]);
      for (int a = 0; a < 3; a++) {
        snprintf(name, sizeof name, "%s_%c", names[i], "uvw"[a]);
        assert_true(flow_series(&run, name)[steps - 1] == u[(size_t)a * n + cell]);
      }
      snprintf(name, sizeof name, "%s_pressure", names[i]);
      assert_true(fabs(flow_series(&run, name)[steps - 1] - p[cell]) < 1e-15);
    }
    plane_of(&run, 33, (int[]){0, 0}, (int[]){96, 64}, all);
    plane_of(&run, 12, (int[]){6, 2}, (int[]){36, 29}, part);
    print_message("# %g and %g, %g and %g\n", all[0], flow_series(&run, "all_flux")[steps - 1],
                  part[1], flow_series(&run, "part_pressure")[steps - 1]);
    assert_true(fabs(flow_series(&run, "all_flux")[steps - 1] - all[0]) < 1e-12);
    assert_true(fabs(flow_series(&run, "all_pressure")[steps - 1] - all[1]) < 1e-13);
    assert_true(fabs(flow_series(&run, "part_flux")[steps - 1] - part[0]) < 1e-12);
    assert_true(fabs(flow_series(&run, "part_pressure")[steps - 1] - part[1]) < 1e-13);
    free(u);
    free(p);
    flow_end(&run);
  }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void batches_do_not_matter(trm_device *device)
{
  test_is_spared(device);
  char once[33], often[33];
  flow_run run;
  for (uint64_t batch = 0; batch < 4; batch += 3) {
    flow_begin(&run, device, TRM_F32, CLOSED STAIRS "|boundary.south=wall|boundary.north=wall");
    flow_steps(&run, 17, batch);
    flow_print(&run, batch ? often : once);
    flow_end(&run);
  }
  assert_string_equal(once, often);
}

static void what_there_is_not_is_refused(trm_device *device)
{
  flow_refused(device, CLOSED "|grid.levels=1", "mesh.refine not where; set both");
  flow_refused(device, CLOSED "|mesh.refine=0 1 0 1 0 1", "grid.levels not how much; set both");
  flow_refused(device, CLOSED "|grid.levels=1|mesh.refine=0 1 0 1", "'0 1 0 1' in mesh.refine is "
               "no place");
  flow_refused(device, CLOSED "|grid.levels=1|mesh.refine=1 0 0 1 0 1", "is no place");
  flow_refused(device, CLOSED "|grid.levels=1|mesh.refine=formula x; formula y", "two formulas");
  flow_refused(device, "grid.nx=20|grid.ny=16|grid.nz=16|lbm.viscosity=0.1|lbm.blocks=true",
               "grid.nx = 20 is no multiple of 8; a block has 8 x 8 x 8 cells: take 24");
  flow_refused(device, CLOSED STAIRS "|probes=a point 1 1 24.5",
               "outside of the box of 24 x 16 x 16 cells; move it");
  flow_refused(device, "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.3" STAIRS,
               "is 1.2 on level 2");
  flow_refused(device, "grid.nx=64|grid.ny=16|grid.nz=16|lbm.viscosity=0.1|lbm.blocks=true|"
               "lbm.rows=folded", "the test: blocks (grid.levels, lbm.blocks) keep two lattices");
  flow_refused(device, CLOSED "|mesh.shuffle=1", "is of blocks, and cells lie in rows");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(blocks_have_the_bits_of_rows),
    TEST_DEVICE(openings_of_blocks_are_those_of_rows),
    TEST_DEVICE(mass_is_kept),
    TEST_DEVICE(what_flows_in_is_what_it_grows_by),
    TEST_DEVICE(a_uniform_flow_stays_uniform),
    TEST_DEVICE(vortices_cross_a_jump),
    TEST_DEVICE(a_channel_crosses_a_jump),
    TEST_DEVICE(probes_are_what_the_fields_are),
    TEST_DEVICE(batches_do_not_matter),
    TEST_DEVICE(what_there_is_not_is_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
