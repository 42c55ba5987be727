/* compressible_bodies.c - flow about bodies: cells that walls cut are closed, gas at rest and along
 * walls stays as it is, the same bits everywhere, refusals. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one cell ------------------------------------------------------------------------- */

static void cut_cells_are_closed(void)
{
  uint32_t word = 1;
  int parts = 0;
  for (int n = 0; n < 20000; n++) {
    double distance[8], plane[4], sum[3];
    fv_cut cut;
    for (int i = 0; i < 4; i++) {
      word = word * 1664525u + 1013904223u;
      plane[i] = (double)word / 4294967296.0 - 0.5;
    }
    for (int i = 0; i < 8; i++)
      distance[i] = plane[0] * ((i & 1) - 0.5) + plane[1] * ((i >> 1 & 1) - 0.5) +
                    plane[2] * ((i >> 2) - 0.5) + 0.6 * plane[3];
    if (fv_cut_cell(distance, &cut) != FV_CUT_PART) continue;
    parts++;
    assert_true(cut.volume > -1e-15 && cut.volume < 1 + 1e-15);
    for (int a = 0; a < 3; a++) {
      sum[a] = cut.open[2 * a + 1] - cut.open[2 * a] + cut.wall[a];
      assert_true(fabs(sum[a]) <= 1e-15);
      assert_true(cut.centroid[a] >= 0 && cut.centroid[a] <= 1);
    }
    /* a plane: its wall is flat, its centroid on it, and the gas's on the gas's side */
    double at = 0.6 * plane[3], along = 0, length = 0;
    for (int a = 0; a < 3; a++) {
      at += plane[a] * (cut.at[a] - 0.5);
      along += plane[a] * cut.wall[a];
      length += plane[a] * plane[a];
    }
    double area = 0;
    for (int a = 0; a < 3; a++) area += cut.wall[a] * cut.wall[a];
    assert_true(fabs(at) <= 1e-12);
    assert_true(fabs(along + sqrt(area * length)) <= 1e-12);
  }
  assert_true(parts > 5000);
}

/* How much the cut cells' gas and walls miss of those about a sphere, relative. */
static void miss_sphere(int n, double radius, double miss[2])
{
  double volume = 0, area = 0;
  for (int k = 0; k < n * n * n; k++) {
    const int at[3] = { k % n, k / n % n, k / (n * n) };
    double distance[8], wall = 0;
    fv_cut cut;
    for (int i = 0; i < 8; i++) {
      double square = 0;
      for (int a = 0; a < 3; a++) {
        const double x = at[a] + (i >> a & 1) - 0.5 * n - 0.013 * (a + 1);
        square += x * x;
      }
      distance[i] = sqrt(square) - radius;
    }
    const fv_cut_kind kind = fv_cut_cell(distance, &cut);
    assert_true(kind != FV_CUT_TORN);
    volume += cut.volume;
    for (int a = 0; a < 3; a++) wall += cut.wall[a] * cut.wall[a];
    area += sqrt(wall);
  }
  const double pi = acos(-1);
  miss[0] = fabs((n * n * n - volume) / (4 * pi / 3 * radius * radius * radius) - 1);
  miss[1] = fabs(area / (4 * pi * radius * radius) - 1);
}

static void cut_cells_add_up_to_a_sphere(void)
{
  double coarse[2], fine[2];
  miss_sphere(24, 9, coarse);
  miss_sphere(48, 18, fine);
  print_message("# volume off by %.1e, %.1e, area by %.1e, %.1e\n", coarse[0], fine[0],
                coarse[1], fine[1]);
  assert_true(coarse[0] <= 1e-2 && coarse[1] <= 1e-2);
  for (int i = 0; i < 2; i++) assert_true(log2(coarse[i] / fine[i]) >= 1.8);
}

/* Of a cube of 9 cells, turned by `angle` about the axis 3 2 1, in 20^3: how many cells are torn,
 * and how much the gas misses, by the cube. */
static double miss_cube(double angle, int *torn)
{
  static const double axis[3] = { 3, 2, 1 };
  const double c = cos(angle), s = sin(angle) / sqrt(14), side = 9;
  double volume = 0;
  for (int k = 0; k < 20 * 20 * 20; k++) {
    const int at[3] = { k % 20, k / 20 % 20, k / 400 };
    double distance[8];
    fv_cut cut = { .volume = 1 };
    for (int i = 0; i < 8; i++) {
      double x[3], along = 0, beyond = 0, most = -INFINITY;
      for (int a = 0; a < 3; a++) {
        x[a] = at[a] + (i >> a & 1) - 10.03;
        along += x[a] * axis[a] / 14;
      }
      for (int a = 0; a < 3; a++) {
        const int j = (a + 1) % 3, l = (a + 2) % 3;
        const double part = c * (x[a] - along * axis[a]) + s * (axis[j] * x[l] - axis[l] * x[j]) +
                            along * axis[a];
        const double out = fabs(part) - 0.5 * side;
        beyond += out > 0 ? out * out : 0;
        most = fmax(most, out);
      }
      distance[i] = beyond > 0 ? sqrt(beyond) : most;
    }
    const fv_cut_kind kind = fv_cut_cell(distance, &cut);
    *torn += kind == FV_CUT_TORN;
    volume += kind == FV_CUT_SOLID ? 0 : cut.volume;
    for (int a = 0; a < 3 && kind == FV_CUT_PART; a++) {
      assert_true(fabs(cut.open[2 * a + 1] - cut.open[2 * a] + cut.wall[a]) <= 1e-15);
      assert_true(cut.volume >= 0 && cut.volume <= 1 && cut.centroid[a] >= 0);
    }
  }
  return (20 * 20 * 20 - volume) / (side * side * side) - 1;
}

/* An edge may pass through a cell and leave the body at corners that are not beside one another. */
static void a_turned_cube_tears_no_cell(void)
{
  double worst = 0;
  int torn = 0;
  for (int i = 0; i < 32; i++) worst = fmax(worst, fabs(miss_cube(0.1 * i + 0.03, &torn)));
  print_message("# torn: %d; volume off by at most %.1e\n", torn, worst);
  assert_int_equal(torn, 0);
  assert_true(worst <= 0.04);
}

/* ---- gas that stays as it is ------------------------------------------------------------- */

/* The largest change of density, momentum and energy in so many steps. */
static double change_of(trm_device *device, const char *const *sets, uint64_t steps)
{
  static const char *const names[] = { "density", "momentum", "energy" };
  double *before[3], most = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int f = 0; f < 3; f++) before[f] = fv_run_values(&run, names[f]);
  fv_run_advance(&run, INFINITY, steps, 512);
  for (int f = 0; f < 3; f++) {
    double *after = fv_run_values(&run, names[f]);
    size_t count;
    TEST_OK(trm_field_elements(&run.solver->fields[f], &count));
    for (size_t i = 0; i < count; i++) {
      assert_true(isfinite(after[i]));
      most = fmax(most, fabs(after[i] - before[f][i]));
    }
    free(before[f]);
    free(after);
  }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  assert_true(fabs(run.solver->results[1].value) <= 1e-12);
  fv_run_end(&run);
  return most;
}

#define AWAY "grid.x0", "-0.503", "grid.y0", "-0.497", "initial.pressure", "0.7"
static void gas_along_walls_stays_as_it_is(trm_device *device)
{
  test_is_spared(device);
  static const char *const cases[][40] = {
    { "grid.nx", "64", "grid.ny", "64", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder 0 0 0.21 slip", NULL },
    { "grid.nx", "64", "grid.ny", "64", AWAY, "bodies.shapes",
      "naca 2412 -0.3 0 0.6 7.3 wall", "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "64", "grid.ny", "64", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "box -0.21 0.13 -0.2 0.1 slip; cylinder 0.29 0.29 0.0612 slip",
      "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "grid.z0", "-0.49", AWAY,
      "bodies.shapes", "sphere 0 0 0 0.27 slip", NULL },
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "8", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder 0 0 0.27 slip", NULL },
    { "grid.nx", "64", "grid.ny", "64", "grid.levels", "1", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder 0 0 0.11 slip", NULL },
    { "grid.nx", "64", "grid.ny", "64", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder -0.39 0 0.1 slip", NULL },
    { "grid.nx", "32", "grid.ny", "32", "grid.levels", "2", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder 0 0 0.11 slip", "mesh.refine", "pressure 0.05", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double most = change_of(device, cases[i], i < 3 ? 20 : 8);
    print_message("# case %zu: %.1e\n", i + 1, most);
    assert_true(most <= 1e-13);
  }
}

static void gas_stays_as_it_is_for_long(trm_device *device)
{
  static const char *const cases[][40] = {
    { "grid.nx", "64", "grid.ny", "64", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder 0 0 0.21 slip", NULL },
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "grid.z0", "-0.49", AWAY,
      "bodies.shapes", "sphere 0 0 0 0.27 slip", NULL },
    { "grid.nx", "64", "grid.ny", "64", "grid.levels", "1", AWAY, "initial.velocity_z", "0.5",
      "bodies.shapes", "cylinder 0 0 0.11 slip", NULL } };
  test_is_long();
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double most = change_of(device, cases[i], 1000);
    print_message("# case %zu, 1000 steps: %.1e\n", i + 1, most);
    assert_true(most <= 1e-13);
  }
}

/* ---- the same everywhere -------------------------------------------------------------------- */

typedef struct history {
  const char *sets[40];
} history;
static const history histories[] = {
  { { "grid.nx", "64", "grid.ny", "48", "initial.pressure", "0.7", "initial.velocity_x",
      "0.3", "boundary.west", "farfield", "boundary.east", "farfield", "boundary.south", "farfield",
      "boundary.north", "farfield", "boundary.west_pressure", "0.7", "boundary.west_velocity",
      "0.3 0 0", "bodies.shapes", "cylinder 0.3 0.4 0.1; naca 2412 0.55 0.3 0.3 8 slip",
      "compressible.viscosity", "0.001", "grid.levels", "1", NULL } },
  { { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "initial.pressure", "0.7",
      "initial.velocity_x", "0.3", "bodies.shapes",
      "sphere 0.5 0.5 0.5 0.27 isothermal 0.8 spin 0.4", "compressible.viscosity", "0.001",
      NULL } },
  { { "grid.nx", "80", "grid.ny", "80", "grid.levels", "1", "mesh.refine", "pressure 0.02",
      "initial.pressure", "0.7*(1 + exp(-900*((x-0.3)^2+(y-0.7)^2)))",
      "initial.density", "1 + exp(-900*((x-0.3)^2+(y-0.7)^2))", "bodies.shapes",
      "cylinder 0.7 0.3 0.061", "compressible.viscosity", "0.001", NULL } } };

static void any_batch_gives_the_known_state(trm_device *device)
{
  static const uint64_t batches[] = { 1, 3, 8 };
  for (size_t c = 0; c < sizeof histories / sizeof *histories; c++)
    for (int p = 0; p < 2; p++)
      for (size_t b = 0; fv_run_takes(device, histories[c].sets, (trm_precision)p) && b < 3; b++) {
        fv_run run = fv_run_begin(device, (trm_precision)p, histories[c].sets);
        fv_run_advance(&run, INFINITY, 8, batches[b]);
        assert_true((((const fv_solver *)run.solver)->adapt.count > 0) == (c == 2));
        fv_run_is(&run, "bodies/%zu", c);
        TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
        if (c == 2 && p == TRM_F64) assert_true(fabs(run.solver->results[1].value) <= 1e-14);
        fv_run_end(&run);
      }
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  const char *const *sets = histories[0].sets;
  fv_run_resumes(device, fv_run_precision(device, sets), sets, 5, 3, "bodies/0");
}

/* ---- mirror images ------------------------------------------------------------------- */

/* A stream along x past a round body in the middle of the box: along y, and z, both halves of it
 * are one another's image, to rounding. */
static void a_stream_past_a_body_is_its_own_mirror_image(trm_device *device)
{
  test_is_spared(device);
  static const char *const cases[][12] = {
    { "grid.nx", "64", "grid.ny", "64", "initial.velocity_x", "0.3", "bodies.shapes",
      "cylinder 0.5 0.5 0.13", NULL },
    { "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", "initial.velocity_x", "0.3",
      "bodies.shapes", "sphere 0.5 0.5 0.5 0.125", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double most = 0;
    fv_run run = fv_run_begin(device, TRM_F64, cases[i]);
    const size_t nx = run.solver->fields->nx, ny = run.solver->fields->ny;
    const size_t nz = run.solver->fields->nz;
    fv_run_advance(&run, INFINITY, 5, 5);
    double *rho = fv_run_values(&run, "density");
    for (size_t k = 0; k < nx * ny * nz; k++) {
      const size_t x = k % nx, y = k / nx % ny, z = k / nx / ny;
      const size_t along_y = (z * ny + ny - 1 - y) * nx + x;
      const size_t along_z = ((nz - 1 - z) * ny + y) * nx + x;
      most = fmax(most, fmax(fabs(rho[k] - rho[along_y]), fabs(rho[k] - rho[along_z])));
    }
    print_message("# case %zu: %.1e\n", i + 1, most);
    assert_true(most <= 1e-13);
    free(rho);
    fv_run_end(&run);
  }
}

/* ---- what cannot be ------------------------------------------------------------------ */

static void bodies_that_cannot_be_are_refused(trm_device *device)
{
  static const struct { const char *bodies, *part, *more[6]; } wrong[] = {
    { "cone 0 0 1", "is no body", { NULL } },
    { "cylinder 0.5 0.5 -1", "is no body", { NULL } },
    { "cylinder 0.5 0.5 0.1 rough", "is no body", { NULL } },
    { "naca 0024 0.2 0.5 0.6 nan", "is no body", { NULL } },
    { "cylinder 0.5 0.5 0.2 isothermal inf", "is no body", { NULL } },
    { "cylinder 0.5 0.5 0.1 slip isothermal 1", "one of 'slip', 'wall' and", { NULL } },
    { "cylinder 0.5 0.5 0.1 spin 1 spin 2", "is no body", { NULL } },
    { "cylinder 0.5 0.5 0.1 spin 1 slip", "a wall that is 'slip' has none", { NULL } },
    { "sphere 0.5 0.5 0.5 0.1", "is no body", { NULL } },
    { "box 0.4 0.6 0.4 0.6 spin 1", "would sweep through the grid", { NULL } },
    { "cylinder 0.9 0.5 0.2", "a body lies inside", { NULL } },
    { "cylinder 0.5 0.5 0.01", "grid.levels = 1 would resolve it", { NULL } },
    { "box 0.4 0.6 0.5005 0.502", "grid.levels = 5 would resolve it", { NULL } },
    { "cylinder 0.5 0.5 0.1; cylinder 0.6 0.5 0.1", "bodies overlap", { NULL } },
    { "cylinder 0.4 0.5 0.1; cylinder 0.603 0.5 0.1", "two bodies that stay", { NULL } },
    { "box 0.2 0.5 0.2 0.5; box 0.507 0.8 0.2 0.5", "two bodies ", { NULL } },
    { "cylinder 0.5 0.53 0.45; tube 0.5 0.5 0.49", "leaves the gas in two parts", { NULL } },
    { "naca 0012 0.3125 0.5 0.4 45", "leaves the gas in two parts", { NULL } },
    { "tube 0.5 0.5 0.1; cylinder 0.495 0.5 0.1 slides", "has no neighbour that", { NULL } },
    { "box 0.15 0.3421875 0.25 0.75; box 0.361 0.6 0.25 0.75", "too few neighbours hold gas",
      { NULL } },
    { "box 0.2 0.8 0.2 0.8; cylinder 0.5 0.5 0.1 slides", "inside of another body; move it",
      { NULL } },
    { "tube 0.53 0.5 0.49", "a body reaches the periodic side", { NULL } },
    { "tube 0.9 0.5 0.6", "a body reaches the periodic side", { NULL } },
    { "cylinder 0.2 0.5 0.2", "a body reaches the periodic side", { NULL } }, /* with one corner */
    { "cylinder 0.5 0.5 -1", "is no body: a size is not above 0", { NULL } },
    { "cylinder 0.5 0.5 0.1 rough", "is no body: the words after its shape are no wall", { NULL } },
    { "sphere 0.5 0.5 0.5 0.1", "is no body in two dimensions", { NULL } },
    { "cylinder 0.5 0.5 1e-9", "thicker than two cells of the finest grid.levels, 12", { NULL } },
    { "box 0.7 1 0.3 0.6", "x = 1; move it off the side, or let it go on there", { NULL } },
    { "box 0 1 0 0.25", "y = 1; move it off the side, or let it go on there", { NULL } },
    { "box 0.3 0.6 0.3 0.6 0 0.25", "z = 1; move it off the side, or let it go on there",
      { "grid.nx", "32", "grid.ny", "32", "grid.nz", "32" } },
    { "cylinder 0.5 0.17 0.15", "within three cells of a side",
      { "boundary.south", "symmetry", "boundary.north", "symmetry", NULL } },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *sets[13] = { "grid.nx", "64", "grid.ny", "64", "bodies.shapes",
                             wrong[i].bodies };
    for (int k = 0; k < 6 && wrong[i].more[k]; k++) sets[6 + k] = wrong[i].more[k];
    fv_run_refused(device, sets, TRM_ERROR_INPUT, wrong[i].part);
  }
}

/* Where a grid has two blocks, the one beside a body is also the one beyond the periodic side. */
static void a_body_beside_a_periodic_side_feels_what_one_amid_feels(trm_device *device)
{
  test_is_spared(device);
  static const char *const bodies[] = { "cylinder 0.115 0.5 0.1", "cylinder 0.615 0.5 0.1" };
  double force[2];
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", "initial.velocity_x", "0.2",
                                 "compressible.viscosity", "0.001", "bodies.shapes",
                                 bodies[i], NULL };
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, INFINITY, 10, 10);
    force[i] = fv_run_last(&run, "body1_pressure_x");
    fv_run_end(&run);
  }
  print_message("# %g, %g\n", force[0], force[1]);
  assert_true(fabs(force[0] - force[1]) <= 1e-12 * fabs(force[1]));
}

/* Finer cells reach as far beyond a periodic side as they do amid the grid. */
static void finer_cells_about_a_body_reach_beyond_a_periodic_side(trm_device *device)
{
  test_is_spared(device);
  static const char *const bodies[] = { "cylinder 0.885 0.5 0.1", "cylinder 0.385 0.5 0.1",
                                        "cylinder 0.885 0.5 0.1", "cylinder 0.385 0.5 0.1",
                                        "cylinder 0.985 0.5 0.1", "cylinder 0.485 0.5 0.1" };
  double force[6];
  test_needs_f64(device);
  for (int i = 0; i < 6; i++) {
    const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", "grid.levels",
                                 i < 2 ? "3" : "2", "initial.velocity_x", "0.2",
                                 "compressible.viscosity", "0.001", "bodies.shapes", bodies[i],
                                 "compressible.cut_cells", i < 2 ? "merging" : "redistribution",
                                 NULL };
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, INFINITY, 4, 4);
    force[i] = fv_run_last(&run, "body1_pressure_x");
    fv_run_end(&run);
  }
  for (int i = 0; i < 6; i += 2) {
    print_message("# %g, %g\n", force[i], force[i + 1]);
    assert_true(fabs(force[i] - force[i + 1]) <= 1e-12 * fabs(force[i + 1]));
  }
}

/* Of cells that a wall halves none is a small piece by rounding alone. */
static void walls_midway_through_cells_leave_a_mirror_image(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "grid.x0",
    "-0.5", "grid.y0", "-0.5", "grid.z0", "-0.5", "initial.velocity_x", "0.2",
    "compressible.viscosity", "0.001", "bodies.shapes",
    "box -0.1875 0.1875 -0.1875 0.1875 -0.1875 0.1875", NULL };
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, 6, 6);
  const double along = fv_run_last(&run, "body1_pressure_x");
  const double across = fv_run_last(&run, "body1_pressure_y");
  print_message("# %g, %g\n", along, across);
  assert_true(along > 0.01 && fabs(across) <= 1e-13);
  fv_run_end(&run);
}

/* Tails that go through a cell from corner to corner: with these places in these grids the gas lay
 * in two parts of it. Gas at rest stays so. */
static void a_tail_from_corner_to_corner_is_a_body(trm_device *device)
{
  test_is_spared(device);
  static const char *const grids[][4] = { { "64", "3", "-1", "-1.5" }, { "96", "4", "-1.5",
    "-2.1052921002356086" }, { "80", "2", "-0.5623195977852822", "-0.9488974906728875" } };
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
    const char *const *g = grids[i];
    const char *const sets[] = { "grid.nx", g[0], "grid.ny", g[0], "compressible.length_x", g[1],
      "grid.x0", g[2], "grid.y0", g[3], "bodies.shapes", "naca 4415 0 0 1 9",
      "compressible.viscosity", "0.001", NULL };
    fv_run run = fv_run_begin(device, TRM_F64, sets);
    fv_run_advance(&run, INFINITY, 20, 10);
    size_t count;
    double *speed = fv_run_values(&run, "velocity"), most = 0;
    TEST_OK(trm_field_elements(&run.solver->fields[1], &count));
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(speed[k]));
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    print_message("# %s cells: velocity %.1e, mass %.1e\n", g[0], most,
                  run.solver->results[1].value);
    assert_true(most <= 1e-12 && fabs(run.solver->results[1].value) <= 1e-13);
    free(speed);
    fv_run_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(cut_cells_are_closed),
    TEST_HOST(cut_cells_add_up_to_a_sphere),
    TEST_HOST(a_turned_cube_tears_no_cell),
    TEST_DEVICE(a_tail_from_corner_to_corner_is_a_body),
    TEST_DEVICE(gas_along_walls_stays_as_it_is),
    TEST_DEVICE(gas_stays_as_it_is_for_long),
    TEST_DEVICE(any_batch_gives_the_known_state),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_DEVICE(a_stream_past_a_body_is_its_own_mirror_image),
    TEST_DEVICE(a_body_beside_a_periodic_side_feels_what_one_amid_feels),
    TEST_DEVICE(finer_cells_about_a_body_reach_beyond_a_periodic_side),
    TEST_DEVICE(walls_midway_through_cells_leave_a_mirror_image),
    TEST_DEVICE(bodies_that_cannot_be_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
