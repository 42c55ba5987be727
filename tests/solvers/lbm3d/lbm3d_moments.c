/* lbm3d_moments.c - ten moments of a cell in memory are the flow of the regularised collision, in
 * the same bits for every tile; mass is kept; and what is refused. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOMENTS "lbm.collision=regularised|lbm.storage=moments|"
#define VORTICES "initial.velocity_x=0.05*sin(2*pi*x/nx)*cos(2*pi*y/ny)*cos(2*pi*z/nz)|" \
                 "initial.velocity_y=-0.05*cos(2*pi*x/nx)*sin(2*pi*y/ny)*cos(2*pi*z/nz)|" \
                 "initial.density=1+3*0.05^2/16*(cos(4*pi*x/nx)+cos(4*pi*y/ny))*(cos(4*pi*z/nz)+2)|"
#define CUBE "boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=moving|" \
             "boundary.bottom=wall|" \
             "boundary.top=wall|boundary.north_velocity=0.1; 0; 0|"
/* Walls of every kind meet at edges, and two that move. */
#define MOVED "boundary.west=wall|boundary.east=moving|boundary.east_velocity=0; 0.03; 0.01|" \
              "boundary.south=moving|" \
              "boundary.south_velocity=0.05; 0; 0.02|boundary.north=wall|boundary.bottom=moving|" \
              "boundary.bottom_velocity=0.02; -0.03; 0|boundary.top=wall|"
#define SOME "initial.velocity_z=0.02*cos(0.2*x+z)|initial.density=1+0.01*sin(x-y)|"

/* Smaller than a tile, as large, larger; several groups upwards; each axis alone periodic. */
static const char *const flows[] = {
  "grid.nx=40|grid.ny=37|grid.nz=35|lbm.viscosity=0.02|" VORTICES,
  "grid.nx=34|grid.ny=33|grid.nz=36|lbm.viscosity=0.05|" CUBE,
  "grid.nx=33|grid.ny=17|grid.nz=18|lbm.viscosity=0.02|body_force=1e-5 0 -2e-5|" MOVED
    SOME,
  "grid.nx=3|grid.ny=3|grid.nz=3|lbm.viscosity=0.02|" SOME,
  "grid.nx=3|grid.ny=4|grid.nz=3|lbm.viscosity=0.02|" MOVED,
  "grid.nx=65|grid.ny=8|grid.nz=16|lbm.viscosity=0.02|boundary.bottom=wall|boundary.top=moving|"
    "boundary.top_velocity=0.05; 0; 0|body_force=0 1e-5 0|" SOME,
  "grid.nx=32|grid.ny=16|grid.nz=17|lbm.viscosity=0.02|boundary.south=wall|boundary.north=wall|"
    "body_force=1e-5 0 0|" SOME,
  "grid.nx=130|grid.ny=5|grid.nz=33|lbm.viscosity=0.02|boundary.west=wall|boundary.east=wall|" SOME,
};
enum { FLOWS = sizeof flows / sizeof *flows };

static void begin(flow_run *run, trm_device *device, trm_precision precision, const char *flow,
                  const char *how)
{
  char settings[1024];
  const int length = snprintf(settings, sizeof settings, "%s%s", flow, how);
  assert_true(length > 0 && length < (int)sizeof settings);
  flow_begin(run, device, precision, settings);
}

/* ---- the same flow ----------------------------------------------------------------------- */

/* The greatest difference between values of a field. */
static double apart(flow_run *a, flow_run *b, const char *field, size_t components)
{
  double *u = flow_values(a, field), *v = flow_values(b, field), most = 0;
  const size_t count = components * (size_t)a->solver->cells;
  for (size_t i = 0; i < count; i++)
    if (!(fabs(u[i] - v[i]) <= most)) most = fabs(u[i] - v[i]); /* NaN stays */
  free(u);
  free(v);
  return most;
}

/* In f64 what is between them is rounding: 1e-12 after 100 steps, of speeds of 0.05. */
static void moments_are_the_regularised_collision(trm_device *device)
{
  test_is_spared(device);
  static const struct { const char *name; size_t components; } fields[] = {
    { "velocity", 3 }, { "density", 1 }, { "pressure", 1 }, { "speed", 1 }, { "vorticity", 1 } };
  enum { STEPS = 100 };
  test_needs_f64(device);
  for (int i = 0; i < FLOWS; i++) {
    flow_run populations, moments;
    begin(&populations, device, TRM_F64, flows[i], "lbm.collision=regularised");
    begin(&moments, device, TRM_F64, flows[i], MOMENTS);
    for (int look = 0; look < 2; look++) {
      for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        const double off = apart(&populations, &moments, fields[f].name, fields[f].components);
        if (!(off < 1e-12))
          fail_msg("%s, step %d: %s differs by %.3g", flows[i],
                   (int)moments.solver->step, fields[f].name, off);
      }
      flow_steps(&populations, look == 0 ? STEPS : 0, 0);
      flow_steps(&moments, look == 0 ? STEPS : 0, 0);
    }
    for (int step = 0; step < STEPS; step++)
      for (int series = 0; series < 2; series++) {
        const double off = populations.series[series][step] - moments.series[series][step];
        if (!(fabs(off) < 1e-12))
          fail_msg("%s: %s at step %d differs by %.3g", flows[i],
                   moments.solver->series[series].name, step, off);
      }
    assert_true(fabs(flow_series(&moments, "energy")[STEPS - 1]) > 1e-9);
    flow_end(&populations);
    flow_end(&moments);
  }
}

static void probes_and_means_are_those_of_populations(trm_device *device)
{
  test_is_spared(device);
  static const char *const means[] = { "mean_velocity", "mean_density", "rms_pressure" };
  static const char how[] = "probes=a point 20.5 3.5 4.5; b plane x 3.5|average_from=5|";
  flow_run populations, moments;
  test_needs_f64(device);
  char settings[1024];
  snprintf(settings, sizeof settings, "%s%s", flows[2], how);
  begin(&populations, device, TRM_F64, settings, "lbm.collision=regularised");
  begin(&moments, device, TRM_F64, settings, MOMENTS);
  flow_steps(&populations, 20, 0);
  flow_steps(&moments, 20, 0);
  assert_int_equal(populations.solver->series_count, moments.solver->series_count);
  assert_true(moments.solver->series_count == 8);
  for (size_t i = 2; i < 8; i++)
    for (int step = 0; step < 20; step++)
      assert_true(fabs(populations.series[i][step] - moments.series[i][step]) < 1e-12);
  assert_true(fabs(flow_series(&moments, "b_flux")[19]) > 1e-6);
  for (size_t i = 0; i < 3; i++)
    assert_true(apart(&populations, &moments, means[i], i == 0 ? 3 : 1) < 1e-12);
  flow_end(&populations);
  flow_end(&moments);
}

/* ---- the same bits ----------------------------------------------------------------------- */

static void expect_same(flow_run *a, flow_run *b, const char *flow, const char *how)
{
  char text[2][33];
  flow_print(a, text[0]);
  flow_print(b, text[1]);
  if (strcmp(text[0], text[1]) != 0)
    fail_msg("%s, %s, step %d: fingerprints %s, %s", flow, how, (int)a->solver->step, text[0],
             text[1]);
  for (size_t i = 0; i < a->solver->field_count; i++) {
    const char *name = a->solver->fields[i].name;
    double *of_a = flow_values(a, name), *of_b = flow_values(b, name);
    size_t count;
    TEST_OK(trm_field_elements(&a->solver->fields[i], &count));
    for (size_t j = 0; j < count; j++)
      if (memcmp(of_a + j, of_b + j, sizeof *of_a) != 0) /* -0 is not 0 */
        fail_msg("%s, %s: %s[%zu] is %.17g and %.17g", flow, how, name, j, of_a[j], of_b[j]);
    free(of_a);
    free(of_b);
  }
  for (size_t i = 0; i < a->solver->series_count; i++)
    for (uint64_t step = 0; step < a->solver->step; step++)
      if (memcmp(a->series[i] + step, b->series[i] + step, sizeof **a->series) != 0)
        fail_msg("%s, %s: series %s at step %d", flow, how, a->solver->series[i].name, (int)step);
}

/* Of a group of X x Y columns in f32 on a GPU: 16 populations of two planes, with a halo of one
 * column, and two sums; an item for each column, in whole warps. 0: auto. */
static size_t bytes_of(const char *tile, int *items)
{
  int x = 0, y = 0;
  *items = 0;
  if (sscanf(tile, "lbm.tile=%dx%d", &x, &y) != 2) return 0;
  *items = ((x + 2) * (y + 2) + 31) / 32 * 32;
  return sizeof(float) * (size_t)(32 * (x + 2) * (y + 2) + 2 * x * y);
}

/* OpenCL's devices may refuse a tile that takes more than NVIDIA's 48 KiB a group, or 256 items,
 * and say which key helps; no other does. */
static int is_taken(trm_device *device, const char *flow, const char *tile, const char *how)
{
  char settings[1024], taken[128];
  flow_run run;
  int items;
  const size_t bytes = bytes_of(tile, &items);
  snprintf(settings, sizeof settings, "%s%s", flow, how);
  snprintf(taken, sizeof taken, "groups of %d items and %zu bytes of shared memory", items, bytes);
  const trm_status status = flow_try(&run, device, TRM_F32, settings);
  if (strcmp(test_backend(device), "opencl") == 0 && (bytes > 48 << 10 || items > 256) &&
      status == TRM_ERROR_UNSUPPORTED) {
    TEST_FAILS(status, TRM_ERROR_UNSUPPORTED, taken);
    return 0;
  }
  TEST_OK(status);
  flow_end(&run);
  return 1;
}

static void every_tile_has_the_same_bits(trm_device *device)
{
  static const char *const tiles[] = {
    "lbm.tile=auto", "lbm.tile=32x2|lbm.tile_depth=32", "lbm.tile=32x4", "lbm.tile=32x8",
    "lbm.tile=64x4|lbm.tile_depth=48", "lbm.tile=128x2", "lbm.tile=32x16|lbm.tile_depth=16",
    "lbm.tile=64x8|lbm.tile_depth=16", "lbm.tile=128x4" };
  for (int i = 0; i < FLOWS; i++) {
    flow_run first;
    begin(&first, device, TRM_F32, flows[i], MOMENTS "lbm.tile=32x2|lbm.tile_depth=16");
    flow_steps(&first, 11, 0);
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
      char how[128];
      flow_run other;
      if (test_spares(device) && t % 3 != 0) continue; /* one text with other numbers */
      snprintf(how, sizeof how, MOMENTS "%s", tiles[t]);
      if (!is_taken(device, flows[i], tiles[t], how)) continue;
      begin(&other, device, TRM_F32, flows[i], how);
      flow_steps(&other, 4, 3);
      flow_steps(&other, 7, 0);
      expect_same(&first, &other, flows[i], tiles[t]);
      flow_end(&other);
    }
    flow_end(&first);
  }
}

/* After odd and even steps. */
static void what_is_kept_is_brought_back(trm_device *device)
{
  test_is_spared(device);
  for (int i = 0; i < 6; i++) {
    const char *flow = flows[i / 2];
    flow_run whole, cut, rest;
    begin(&whole, device, TRM_F32, flow, MOMENTS);
    begin(&cut, device, TRM_F32, flow, MOMENTS);
    begin(&rest, device, TRM_F32, flow, MOMENTS);
    assert_string_equal(cut.solver->fields[0].name, "moments");
    flow_brought_back(&whole, &cut, &rest, 9 + (uint64_t)i % 2, 23);
    flow_end(&whole);
    flow_end(&cut);
    flow_end(&rest);
  }
}

/* ---- mass -------------------------------------------------------------------------------- */

/* Mass in f32: its change in a thousand steps, of the mass, and that of populations. */
static void mass_drifts_no_more_than_with_populations(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const boxes[] = {
    "grid.nx=16|grid.ny=16|grid.nz=16|lbm.reynolds=100|" CUBE,
    "grid.nx=32|grid.ny=32|grid.nz=32|lbm.reynolds=400|" CUBE,
    "grid.nx=32|grid.ny=32|grid.nz=32|lbm.viscosity=0.004|" VORTICES };
  for (int i = 0; i < 3; i++) {
    double drift[2];
    for (int with = 0; with < 2; with++) {
      flow_run run;
      begin(&run, device, TRM_F32, boxes[i], with ? MOMENTS : "lbm.collision=regularised");
      flow_steps(&run, 1001, 0);
      drift[with] = flow_series(&run, "density_change")[1000] -
                    flow_series(&run, "density_change")[0];
      flow_end(&run);
    }
    print_message("box %d: mass %+.2e a thousand steps, populations %+.2e\n", i, drift[1],
                  drift[0]);
    assert_true(fabs(drift[1]) < 1e-6 && fabs(drift[1]) <= 2 * fabs(drift[0]) + 1e-8);
  }
}

/* ---- what is refused, and memory --------------------------------------------------------- */

#define BOX "grid.nx=9|grid.ny=9|grid.nz=9|lbm.viscosity=0.02|lbm.storage=moments|"
#define FIT BOX "lbm.collision=regularised|"
static void what_moments_cannot_do_is_refused(trm_device *device)
{
  static const struct { const char *settings, *part; } all[] = {
    { BOX, "set lbm.collision = \"regularised\", or leave out lbm.storage" },
    { BOX "lbm.collision=mrt", "keeps only the moments of the regularised collision" },
    { FIT "lbm.lattice=d3q27", "is of 19 velocities" },
    { FIT "lbm.streaming=in-place", "leave out lbm.streaming" },
    { FIT "lbm.rows=folded|grid.nx=64", "has no folded rows" },
    { FIT "bodies.shapes=sphere 4 4 4 2", "has no bodies; leave out bodies.shapes" },
    { FIT "lbm.smagorinsky=0.1", "has no eddies below the grid" },
    { FIT "lbm.blocks=true|grid.nx=8|grid.ny=8|grid.nz=8", "has no blocks" },
    { FIT "boundary.west=inflow|boundary.west_velocity=0.05; 0; 0|boundary.east=outflow",
      "has no inflows and outflows" },
    { FIT "boundary.bottom=moving|boundary.bottom_velocity=0.05*y/ny; 0; 0|boundary.top=wall",
      "lbm.storage = \"moments\" moves a wall with the same velocity everywhere" },
    { FIT "lbm.tile_depth=20", "it is a multiple of 16" },
    { "grid.nx=9|grid.ny=9|grid.nz=9|lbm.viscosity=0.02|lbm.tile=32x8",
      "lbm.tile is of lbm.storage = \"moments\"" },
    { "grid.nx=9|grid.ny=9|grid.nz=9|lbm.viscosity=0.02|lbm.tile_depth=16",
      "lbm.tile_depth is of lbm.storage = \"moments\"" } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    flow_refused(device, all[i].settings, all[i].part);
}

/* Two lattices of ten reals, and two sums for each 512 cells. */
static void memory_is_what_was_promised(trm_device *device)
{
  const trm_solver_options how = { .precision = TRM_F32 };
  static const char *const boxes[] = { "grid.nx=512|grid.ny=64|grid.nz=64|lbm.viscosity=0.02|",
                                       "grid.nx=512|grid.ny=64|grid.nz=32|lbm.viscosity=0.02|" };
  uint64_t bytes[2];
  for (int i = 0; i < 2; i++) {
    flow_run run;
    begin(&run, device, TRM_F32, boxes[i], MOMENTS);
    TEST_OK(run.solver->type->memory(device, run.config, &how, &bytes[i]));
    flow_end(&run);
  }
  const double a_cell = (double)(bytes[0] - bytes[1]) / (512 * 64 * 32);
  print_message("%.2f bytes a cell\n", a_cell);
  assert_true(a_cell >= 80.0 && a_cell < 84.0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(moments_are_the_regularised_collision),
    TEST_DEVICE(probes_and_means_are_those_of_populations),
    TEST_DEVICE(every_tile_has_the_same_bits),
    TEST_DEVICE(what_is_kept_is_brought_back),
    TEST_DEVICE(mass_drifts_no_more_than_with_populations),
    TEST_DEVICE(what_moments_cannot_do_is_refused),
    TEST_DEVICE(memory_is_what_was_promised),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
