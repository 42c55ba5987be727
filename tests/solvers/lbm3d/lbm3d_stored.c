/* lbm3d_stored.c - populations in one lattice have the bits of two, in 16 bits their accuracy and
 * their mass; and what is refused. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOX "grid.nx=37|grid.ny=9|grid.nz=7|lbm.viscosity=0.02|"
#define STREAM "initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|boundary.west=inflow|" \
               "boundary.east=outflow|" \
               "boundary.west_velocity=0.05*y*(ny-y)/ny^2; 0; 0|boundary.south=wall|" \
               "boundary.north=wall|"
#define BODY "bodies.shapes=sphere 12.3 4.5 3.5 1.9; box 20 2 1 23 6 3|"
#define PROBES "probes=in plane x 3.5; wake point 17.5 4.5 3.5|"

static const char *const flows[] = {
  BOX STREAM BODY PROBES,
  BOX STREAM BODY PROBES "lbm.lattice=d3q27|lbm.collision=cumulant|body_force=0 1e-5 0",
  BOX STREAM BODY "lbm.collision=bgk|lbm.smagorinsky=0.15|lbm.bounce_back=halfway",
  BOX STREAM BODY "lbm.collision=cumulant|lbm.lattice=d3q27|lbm.smagorinsky=0.1",
  BOX "body_force=1e-5 0 0|initial.velocity_z=0.02*cos(0.2*x+z)|initial.density=1+0.01*sin(x-y)",
  "grid.nx=300|grid.ny=3|grid.nz=3|lbm.viscosity=0.02|initial.velocity_x=0.02*sin(0.1*y+x)",
  BOX "boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=moving|"
      "boundary.bottom=wall|boundary.top=wall|"
      "boundary.north_velocity=0.1; 0; 0.02",
};
/* same_fields.c has the kernels of all but this one. */
enum { FLOWS = sizeof flows / sizeof *flows, FORCED = 1 };

/* Rows that can be folded: bodies across both ends of a half, solid cells beside fluid ones of the
 * other half. */
#define BODIES "bodies.shapes=sphere 31.3 3.5 2.5 1.4; box 62 2 1 66 4 3; box 0 4 3 1 6 5|"
static const char *const wide_flows[] = {
  "grid.nx=128|grid.ny=6|grid.nz=5|lbm.viscosity=0.02|" STREAM BODIES
    "probes=in plane x 63.5; wake point 64.5 4.5 3.5|",
  "grid.nx=192|grid.ny=4|grid.nz=3|lbm.viscosity=0.02|initial.velocity_x=0.02*sin(0.1*y+x)|"
    "body_force=1e-5 0 0|initial.velocity_z=0.02*cos(0.2*x+z)|initial.density=1+0.01*sin(x-y)",
  "grid.nx=64|grid.ny=5|grid.nz=4|lbm.viscosity=0.02|" STREAM
    "bodies.shapes=box 30 2 1 34 4 3|lbm.collision=bgk|lbm.smagorinsky=0.15|"
    "lbm.bounce_back=halfway",
  "grid.nx=64|grid.ny=5|grid.nz=4|lbm.viscosity=0.02|boundary.west=wall|boundary.east=wall|"
  "boundary.south=wall|"
    "boundary.north=moving|boundary.bottom=wall|boundary.top=wall|boundary.north_velocity=0.1; "
    "0; 0.02|"
    "lbm.lattice=d3q27|lbm.collision=cumulant|body_force=0 1e-5 0",
  "grid.nx=128|grid.ny=4|grid.nz=3|lbm.viscosity=0.02|" STREAM
    "lbm.collision=cumulant|lbm.lattice=d3q27|lbm.smagorinsky=0.1",
};
enum { WIDE_FLOWS = sizeof wide_flows / sizeof *wide_flows };

static void begin(flow_run *run, trm_device *device, trm_precision precision, const char *flow,
                  const char *how)
{
  char settings[1024];
  snprintf(settings, sizeof settings, "%s|%s", flow, how);
  flow_begin(run, device, precision, settings);
}

/* Every field and the values of every series since the start. */
static void expect_same(flow_run *a, flow_run *b, const char *flow)
{
  char text[2][33];
  flow_print(a, text[0]);
  flow_print(b, text[1]);
  if (strcmp(text[0], text[1]) != 0)
    fail_msg("%s, step %d: fingerprints %s, %s", flow, (int)a->solver->step, text[0], text[1]);
  assert_int_equal(a->solver->field_count, b->solver->field_count);
  for (size_t i = 0; i < a->solver->field_count; i++) {
    const char *name = a->solver->fields[i].name;
    double *of_a = flow_values(a, name), *of_b = flow_values(b, name);
    size_t count;
    TEST_OK(trm_field_elements(&a->solver->fields[i], &count));
    for (size_t j = 0; j < count; j++)
      if (memcmp(of_a + j, of_b + j, sizeof *of_a) != 0) /* -0 is not 0 */
        fail_msg("%s, step %d: %s[%zu] is %.17g and %.17g", flow, (int)a->solver->step, name, j,
                 of_a[j], of_b[j]);
    free(of_a);
    free(of_b);
  }
  for (size_t i = 0; i < a->solver->series_count; i++)
    for (uint64_t step = 0; step < a->solver->step; step++)
      if (memcmp(a->series[i] + step, b->series[i] + step, sizeof **a->series) != 0)
        fail_msg("%s: series %s at step %d", flow, a->solver->series[i].name, (int)step);
}

static void compare_flow(trm_device *device, trm_precision precision, const char *flow,
                         const char *first, const char *second)
{
  static const uint64_t steps[] = { 0, 1, 4, 1, 17, 8 };
  flow_run a, b;
  begin(&a, device, precision, flow, first);
  begin(&b, device, precision, flow, second);
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    flow_steps(&a, steps[k], 0);
    flow_steps(&b, steps[k], k % 2 ? 3 : 0);
    expect_same(&a, &b, flow);
  }
  flow_end(&a);
  flow_end(&b);
}

static void compare_ways(trm_device *device, trm_precision precision, const char *first,
                         const char *second)
{
  for (int i = 0; i < FLOWS; i++)
    if (!test_spares(device) || i == FORCED)
      compare_flow(device, precision, flows[i], first, second);
}

static void one_lattice_has_the_bits_of_two(trm_device *device)
{
  compare_ways(device, TRM_F32, "lbm.streaming=two-lattices", "lbm.streaming=in-place");
  if (trm_device_describe(device)->has_f64 && !test_spares(device))
    compare_ways(device, TRM_F64, "lbm.streaming=two-lattices", "lbm.streaming=in-place");
}

static void also_where_they_are_of_16_bits(trm_device *device)
{
  compare_ways(device, TRM_F32, "lbm.storage=half", "lbm.storage=half|lbm.streaming=in-place");
}

static void folded_rows_have_the_bits_of_plain_ones(trm_device *device)
{
  static const struct { const char *plain, *folded; } ways[] = {
    { "lbm.storage=half|lbm.rows=plain", "lbm.storage=half|lbm.rows=folded" },
    { "lbm.storage=half|lbm.rows=plain",
      "lbm.storage=half|lbm.rows=folded|lbm.streaming=in-place" },
    { "lbm.rows=plain", "lbm.rows=folded" },
    { "lbm.rows=plain", "lbm.rows=folded|lbm.streaming=in-place" } };
  /* A bit for each way: with same_fields.c, each kernel of folded rows once. */
  static const unsigned spared[WIDE_FLOWS] = { 7, 6, 12, 8, 1 };
  for (int i = 0; i < WIDE_FLOWS; i++)
    for (int k = 0; k < 4; k++)
      if (!test_spares(device) || spared[i] >> k & 1)
        compare_flow(device, TRM_F32, wide_flows[i], ways[k].plain, ways[k].folded);
}

/* The state that is written goes back to where it came from, after odd and even steps. A driver
 * that compiles for seconds has one way: the other ways have the same kernels. */
static void what_is_kept_is_brought_back(trm_device *device)
{
  static const char *const ways[] = { "lbm.streaming=in-place", "lbm.storage=half",
                                      "lbm.storage=half|lbm.streaming=in-place",
                                      "lbm.rows=folded", "lbm.rows=folded|lbm.streaming=in-place",
                                      "lbm.rows=folded|lbm.storage=half",
                                      "lbm.rows=folded|lbm.storage=half|lbm.streaming=in-place" };
  for (int i = 0; i < 10; i++) {
    const char *flow = i < 6 ? flows[i % 2] : wide_flows[0], *way = ways[i < 6 ? i / 2 : i - 3];
    flow_run whole, cut, rest;
    if (test_spares(device) && i != 3) continue;
    begin(&whole, device, TRM_F32, flow, way);
    begin(&cut, device, TRM_F32, flow, way);
    begin(&rest, device, TRM_F32, flow, way);
    flow_brought_back(&whole, &cut, &rest, 9 + (uint64_t)i % 3, 23);
    flow_end(&whole);
    flow_end(&cut);
    flow_end(&rest);
  }
}

/* ---- accuracy ---------------------------------------------------------------------------- */

/* Root mean square of how two runs' velocities differ, of the greatest speed. */
static double apart(flow_run *a, flow_run *b)
{
  double *u = flow_values(a, "velocity"), *v = flow_values(b, "velocity"), sum = 0, most = 0;
  const size_t count = 3 * (size_t)a->solver->cells;
  for (size_t i = 0; i < count; i++) {
    sum += (u[i] - v[i]) * (u[i] - v[i]);
    most = fmax(most, fabs(u[i]));
  }
  free(u);
  free(v);
  return sqrt(sum / (double)count) / most;
}

/* What 16 bits cost beside f32: the velocity, the energy, the mass per thousand steps. */
static void cost_of_16_bits(trm_device *device, const char *name, const char *flow, uint64_t steps,
                            double most, double mass)
{
  flow_run full, half;
  begin(&full, device, TRM_F32, flow, "lbm.streaming=in-place");
  begin(&half, device, TRM_F32, flow, "lbm.streaming=in-place|lbm.storage=half");
  flow_steps(&full, steps, 0);
  flow_steps(&half, steps, 0);
  const double energy = flow_series(&half, "energy")[steps - 1] /
                        flow_series(&full, "energy")[steps - 1] - 1;
  const double *change = flow_series(&half, "density_change");
  const double *change_full = flow_series(&full, "density_change");
  const double per = 1000.0 / (double)(steps - 1), off = apart(&full, &half);
  const double drift = (change[steps - 1] - change[0]) * per;
  print_message("%s, 16 bits beside f32 after %d steps: velocity %.2e of the greatest (rms), "
                "energy %+.2e, mass %+.2e a thousand steps (f32 %+.2e)\n", name, (int)steps, off,
                energy, drift, (change_full[steps - 1] - change_full[0]) * per);
  assert_true(off > 0 && off <= most && fabs(energy) <= most);
  assert_true(fabs(drift) < mass);
  flow_end(&full);
  flow_end(&half);
}

static const char cavity[] =
  "grid.nx=%d|grid.ny=%d|grid.nz=%d|boundary.west=wall|boundary.east=wall|boundary.south=wall|"
  "boundary.north=moving|"
  "boundary.north_velocity=0.1; 0; 0|boundary.bottom=wall|boundary.top=wall|lbm.reynolds=%g";
static const char vortices[] =
  "grid.nx=%d|grid.ny=%d|grid.nz=%d|lbm.lattice=d3q27|lbm.collision=cumulant|"
  "lbm.reynolds=%g|lbm.reference_speed=0.05|lbm.reynolds_dim=%g|"
  "initial.velocity_x=0.05*sin(2*pi*x/nx)*cos(2*pi*y/ny)*cos(2*pi*z/nz)%s|"
  "initial.velocity_y=-0.05*cos(2*pi*x/nx)*sin(2*pi*y/ny)*cos(2*pi*z/nz)|"
  "initial.density=1+3*0.05^2/16*(cos(4*pi*x/nx)+cos(4*pi*y/ny))*(cos(4*pi*z/nz)+2)";

static void cavity_of(char *settings, size_t bytes, int n, double reynolds)
{
  snprintf(settings, bytes, cavity, n, n, n, reynolds);
}

/* more: added to u. */
static void vortices_of(char *settings, size_t bytes, int n, double reynolds, const char *more)
{
  snprintf(settings, bytes, vortices, n, n, n, reynolds, n / (8 * atan(1)), more);
}

static void sixteen_bits_cost_little(trm_device *device)
{
  test_is_long_elsewhere(device);
  char settings[900];
  cavity_of(settings, sizeof settings, 16, 100);
  cost_of_16_bits(device, "cavity", settings, 1000, 2e-3, 1e-6);
  vortices_of(settings, sizeof settings, 16, 100, "");
  cost_of_16_bits(device, "vortices", settings, 1000, 2e-3, 1e-6);
}

static void sixteen_bits_on_64_cells(trm_device *device)
{
  char settings[900];
  test_is_long();
  cavity_of(settings, sizeof settings, 64, 1000);
  cost_of_16_bits(device, "cavity", settings, 5000, 2e-3, 1e-6);
  vortices_of(settings, sizeof settings, 64, 1000, "");
  cost_of_16_bits(device, "vortices", settings, 2000, 2e-3, 1e-6);
}

/* Taylor-Green vortices break up, and then differences grow by themselves: what 16 bits lose is
 * held against what f32 makes of a start that is off by as little as its rounding to 16 bits,
 * 2.4e-5 of the speed (this one by 2.9e-5). Measured at t U / L = 4.9, 9.8, 14.7, 19.6 and 24.5: on
 * 32 cells 1.5, 1.0, 1.2, 1.3, 1.5 times that, on 64 cells 1.8, 0.9, 1.1, 1.9, 1.6, while it grew
 * 140 and 420 times. 16 bits that lose four times as much are not those of README.md. */
static void vortices_that_break_up(trm_device *device, int n, int looks, uint64_t steps)
{
  static const char *const ways[] = { "lbm.storage=full", "lbm.storage=full", "lbm.storage=half" };
  static const char *const starts[] = { "", "+5e-6*sin(6*pi*y/ny+1)*cos(4*pi*z/nz)", "" };
  flow_run runs[3];
  double first = 0, last = 0;
  for (int i = 0; i < 3; i++) {
    char settings[900];
    vortices_of(settings, sizeof settings, n, 1000, starts[i]);
    begin(&runs[i], device, TRM_F32, settings, ways[i]);
  }
  first = apart(&runs[0], &runs[1]);
  for (int look = 1; look <= looks; look++) {
    for (int i = 0; i < 3; i++) flow_steps(&runs[i], steps, 0);
    const double half = apart(&runs[0], &runs[2]);
    const size_t at = (size_t)look * steps - 1;
    const double energy = flow_series(&runs[2], "energy")[at] /
                          flow_series(&runs[0], "energy")[at] - 1;
    last = apart(&runs[0], &runs[1]);
    print_message("vortices, %d cells, step %d: 16 bits off by %.2e of the greatest velocity "
                  "(rms), another start by %.2e; energy %+.2e\n", n, (int)(at + 1), half, last,
                  energy);
    assert_true(half > 0 && half <= 4 * last && fabs(energy) <= 2e-3);
  }
  assert_true(last > 50 * first); /* else nothing broke up */
  for (int i = 0; i < 3; i++) flow_end(&runs[i]);
}

static void sixteen_bits_differ_as_starts_do(trm_device *device)
{
  test_is_long_elsewhere(device);
  vortices_that_break_up(device, 32, 5, 500);
}

static void as_starts_do_on_64_cells(trm_device *device)
{
  test_is_long();
  vortices_that_break_up(device, 64, 5, 1000);
}

/* The mass of a box around bodies grows by what flows in through its sides, and by nothing that is
 * rounded at half-way and interpolated walls, moving ones, inflows and outflows. */
static void sixteen_bits_keep_what_flows_in(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const boxes[] = {
    BOX STREAM BODY, BOX STREAM BODY "lbm.bounce_back=halfway|lbm.lattice=d3q27|"
                                     "lbm.collision=cumulant",
    BOX BODY "boundary.south=wall|boundary.north=moving|boundary.north_velocity=0.05; 0; 0.02" };
  enum { STEPS = 1001 };
  for (int i = 0; i < 3; i++) {
    flow_run run;
    begin(&run, device, TRM_F32, boxes[i], "lbm.storage=half");
    flow_steps(&run, STEPS, 0);
    const double *change = flow_series(&run, "density_change");
    double came = 0;
    for (int t = 1; t < STEPS && i < 2; t++)
      came += flow_series(&run, "west_flux")[t] + flow_series(&run, "east_flux")[t];
    const double off = change[STEPS - 1] - change[0] - came / flow_fluid_cells(&run);
    if (!(fabs(off) < 1e-6)) fail_msg("box %d: %.3g of a cell's mass appeared", i, off);
    flow_end(&run);
  }
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void sixteen_bits_are_of_f32(trm_device *device)
{
  test_needs_f64(device);
  flow_run run;
  begin(&run, device, TRM_F32, BOX, "lbm.storage=half");
  const trm_solver_options how = { .precision = TRM_F64 };
  trm_solver *solver = NULL;
  TEST_FAILS(run.solver->type->create(device, run.config, &how, &solver), TRM_ERROR_INPUT,
             "keeps 16 bits of numbers that have 32; set run.precision = \"f32\"");
  flow_end(&run);
}

static void other_collisions_keep_two_lattices(trm_device *device)
{
  static const char *const ways[] = { "lbm.storage=half", "lbm.streaming=in-place" };
  static const char *const collisions[] = { "mrt", "regularised" };
  for (int i = 0; i < 4; i++) {
    char settings[256];
    snprintf(settings, sizeof settings, BOX "%s|lbm.collision=%s", ways[i % 2], collisions[i / 2]);
    flow_refused(device, settings, "keeps two lattices of reals; leave out lbm.storage");
  }
}

static void rows_that_cannot_fold(trm_device *device)
{
  static const char *const flows_of[] = { BOX "lbm.storage=half|lbm.rows=folded",
                                          "grid.nx=96|grid.ny=3|grid.nz=3|lbm.rows=folded" };
  for (int i = 0; i < 2; i++)
    flow_refused(device, flows_of[i], "in rows of a multiple of 64 cells (grid.nx is ");
}

static uint64_t bytes_of(trm_device *device, const char *flow, const char *way)
{
  const trm_solver_options how = { .precision = TRM_F32 };
  flow_run run;
  uint64_t bytes;
  begin(&run, device, TRM_F32, flow, way);
  TEST_OK(run.solver->type->memory(device, run.config, &how, &bytes));
  flow_end(&run);
  return bytes;
}

/* One lattice and one component of reals: 44 bytes a cell of 19 populations of 16 bits; f32 82.
 * Sides that are walls take what they give beside that, 8 reals a population, and one that moves
 * otherwise from place to place takes lists. */
#define CUBE "grid.nx=64|grid.ny=64|grid.nz=64|lbm.viscosity=0.02|"
#define CLOSED "boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=moving|" \
               "boundary.bottom=wall|" \
               "boundary.top=wall|boundary.north_velocity="
static void memory_is_what_was_promised(trm_device *device)
{
  static const struct { const char *how; double most; } ways[] = {
    { "lbm.storage=half|lbm.streaming=in-place", 44 }, { "lbm.streaming=in-place", 82 } };
  for (int i = 0; i < 2; i++) {
    const char *how = ways[i].how;
    const uint64_t bytes =
      bytes_of(device, "grid.nx=512|grid.ny=64|grid.nz=64|lbm.viscosity=0.02", how);
    const uint64_t fewer =
      bytes_of(device, "grid.nx=512|grid.ny=64|grid.nz=32|lbm.viscosity=0.02", how);
    const double a_cell = (double)(bytes - fewer) / (512 * 64 * 32);
    print_message("%s: %.2f bytes a cell\n", how, a_cell);
    assert_true(a_cell > 0.9 * ways[i].most && a_cell <= ways[i].most);
    const uint64_t open = bytes_of(device, CUBE, how);
    const uint64_t closed = bytes_of(device, CUBE CLOSED "0.1; 0; 0", how);
    const uint64_t listed = bytes_of(device, CUBE CLOSED "0.1*x/nx; 0; 0", how);
    assert_true(closed > open && closed - open <= 8 * 19 * sizeof(float));
    assert_true(listed > open + 64 * 64 * 5 * 20);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(one_lattice_has_the_bits_of_two),
    TEST_DEVICE(also_where_they_are_of_16_bits),
    TEST_DEVICE(folded_rows_have_the_bits_of_plain_ones),
    TEST_DEVICE(what_is_kept_is_brought_back),
    TEST_DEVICE(sixteen_bits_cost_little),
    TEST_DEVICE(sixteen_bits_on_64_cells),
    TEST_DEVICE(sixteen_bits_differ_as_starts_do),
    TEST_DEVICE(as_starts_do_on_64_cells),
    TEST_DEVICE(sixteen_bits_keep_what_flows_in),
    TEST_DEVICE(sixteen_bits_are_of_f32),
    TEST_DEVICE(other_collisions_keep_two_lattices),
    TEST_DEVICE(rows_that_cannot_fold),
    TEST_DEVICE(memory_is_what_was_promised),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
