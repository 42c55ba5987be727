/* lbm3d_edges.c - lattice Boltzmann on levels whose changes meet sides of the box: what is uniform
 * stays so, a closed box keeps its mass, what passes openings is told, a wall drags as much as it
 * should, and numbers of another code (levels_2d.py). Every collision, kind of side, place of the
 * change and precision is combined with each other; make check takes some of all, make check-long
 * all. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const collisions[] = {
  "bgk", "trt", "regularised", "mrt", "bgk|lbm.lattice=d3q27", "trt|lbm.lattice=d3q27",
  "regularised|lbm.lattice=d3q27", "cumulant|lbm.lattice=d3q27"};
enum { COLLISIONS = sizeof collisions / sizeof *collisions };

/* In a box of 16^3 cells: across x, y, z, at corners that stick out and in, three levels. */
static const char *const places[] = {
  "1|mesh.refine=8 16 0 16 0 16", "1|mesh.refine=0 16 0 8 0 16", "1|mesh.refine=0 16 0 16 8 16",
  "1|mesh.refine=8 16 8 16 8 16", "1|mesh.refine=0 8 0 16 0 16; 0 16 0 8 0 8",
  "2|mesh.refine=formula 3.5-abs(x-16)-abs(y-2)"};
enum { PLACES = sizeof places / sizeof *places };

static const char *const side_names[] = {"west", "east", "south", "north", "bottom", "top"};

/* p periodic, i inflow, o outflow, m moving, w wall; velocities of inflows and moving walls. */
static void add_sides(char *settings, size_t size, const char *kinds, const char *inflow,
                      const char *moving)
{
  for (int side = 0; side < 6; side++) {
    const size_t end = strlen(settings);
    const char kind = kinds[side];
    const char *name = kind == 'p' ? "periodic" : kind == 'i' ? "inflow" : kind == 'o' ? "outflow"
                       : kind == 'm' ? "moving" : "wall";
    snprintf(settings + end, size - end, "|boundary.%s=%s", side_names[side], name);
    if (kind == 'i' || kind == 'm')
      snprintf(settings + strlen(settings), size - strlen(settings), "|boundary.%s_velocity=%s",
               side_names[side], kind == 'i' ? inflow : moving);
  }
}

/* ---- a uniform stream ---------------------------------------------------------------------- */

/* The axes that a stream may go along, no wall across them: 1 for x, 2 for y and 4 for z; 0: it
 * rests. */
static const struct { const char *kinds; int along; } boxes[] = {
  {"iopppp", 7}, {"iommpp", 5}, {"oipppp", 7}, {"ppiopp", 7}, {"iooimo", 3}, {"iimmmm", 1},
  {"oooooo", 7}, {"iiiiii", 7}, {"ppppmm", 3}, {"ppmmmm", 1}, {"wwwwww", 0}, {"iowwww", 0}};
enum { BOXES = sizeof boxes / sizeof *boxes, STREAMS = 2 };

static double uniform_off(trm_device *device, trm_precision precision, int which)
{
  const int collision = which % COLLISIONS, place = which / COLLISIONS % PLACES;
  const int box = which / COLLISIONS / PLACES % BOXES;
  const int oblique = which / COLLISIONS / PLACES / BOXES;
  const int along = boxes[box].along;
  const double u[3] = {along & 1 ? 0.05 : 0.0, along & 2 && oblique ? -0.031 : 0.0,
                       along & 4 && oblique ? 0.017 : 0.0};
  char settings[1024], velocity[96];
  flow_run run;
  double off = 0;
  snprintf(velocity, sizeof velocity, "%g; %g; %g", u[0], u[1], u[2]);
  snprintf(settings, sizeof settings, "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.02|"
           "initial.velocity_x=%g|initial.velocity_y=%g|initial.velocity_z=%g|lbm.collision=%s|"
           "grid.levels=%s",
           u[0], u[1], u[2], collisions[collision], places[place]);
  add_sides(settings, sizeof settings, boxes[box].kinds, velocity, velocity);
  flow_begin(&run, device, precision, settings);
  flow_steps(&run, test_runs_long() ? 20 : 4, 0);
  const trm_field *field = &run.solver->fields[1];
  const size_t n = field->nx * field->ny * field->nz;
  double *v = flow_values(&run, "velocity");
  for (size_t i = 0; i < 3 * n; i++) off = fmax(off, fabs(v[i] - u[i / n]));
  free(v);
  v = flow_values(&run, "density");
  for (size_t i = 0; i < n; i++) off = fmax(off, fabs(v[i] - 1));
  free(v);
  flow_end(&run);
  if (!(off <= (precision == TRM_F64 ? 1e-13 : 5e-6))) fail_msg("%s: off by %g", settings, off);
  return off;
}

static void a_stream_stays_uniform(trm_device *device)
{
  const int all = COLLISIONS * PLACES * BOXES * STREAMS, by = test_runs_long() ? 1 : 85;
  double off[2] = {0, 0};
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int i = 0; i < all; i += by) {
    off[0] = fmax(off[0], uniform_off(device, TRM_F64, i));
    if (test_runs_long() || i % 2) off[1] = fmax(off[1], uniform_off(device, TRM_F32, i));
  }
  print_message("# off by %.1e, in f32 by %.1e\n", off[0], off[1]);
}

/* ---- mass ------------------------------------------------------------------------------------ */

#define WAVE "0.39269908169872415" /* one in 16 cells */
/* Walls that move along themselves, faster in their middle or slower. */
#define LID "|boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=wall|" \
            "boundary.bottom=wall|" \
            "boundary.top=moving|boundary.top_velocity="
static const char *const lids[] = {
  LID "0.05; 0.02; 0", LID "0.05*sin(3.1416*x/nx); 0; 0",
  LID "0.05*sin(0.2*x)*cos(0.3*y); 0.03*sin(x+y); 0",
  "|boundary.south=wall|boundary.north=moving|boundary.north_velocity=0.05; 0; 0.02",
  "|boundary.south=moving|boundary.south_velocity=0.05*sin(" WAVE "*x); 0; 0.02*cos(" WAVE "*z)|"
  "boundary.north=wall"};
enum { LIDS = sizeof lids / sizeof *lids };

static double mass_off(trm_device *device, int which)
{
  const int collision = which % COLLISIONS, place = which / COLLISIONS % PLACES;
  const int steps = test_runs_long() ? 40 : 6;
  char settings[1024];
  flow_run run;
  snprintf(settings, sizeof settings, "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.02|"
           "initial.velocity_x=0.03*sin(0.3927*x)*cos(0.3927*y)|lbm.collision=%s|grid.levels=%s%s",
           collisions[collision], places[place], lids[which / COLLISIONS / PLACES]);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)steps, 0);
  const double *change = flow_series(&run, "density_change");
  const double off = fabs(change[steps - 1] - change[0]);
  flow_end(&run);
  if (!(off <= 1e-15)) fail_msg("%s: mass grows by %g of it", settings, off);
  return off;
}

static void a_moving_wall_keeps_the_mass(trm_device *device)
{
  const int all = COLLISIONS * PLACES * LIDS, by = test_runs_long() ? 1 : 19;
  double off = 0;
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int i = 0; i < all; i += by) off = fmax(off, mass_off(device, i));
  print_message("# grows by %.1e of it\n", off);
}

/* ---- what passes ---------------------------------------------------------------------------- */

static const char *const openings[] = {"iopppp", "oipppp", "ppoipp", "ppppoo", "iooopp", "oooooo",
                                       "iowwmm", "wowwww", "iommww"};
enum { OPENINGS = sizeof openings / sizeof *openings };

static void sum_up(flow_run *run, double sums[4])
{
  const trm_field *field = &run->solver->fields[1];
  const size_t n = field->nx * field->ny * field->nz;
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density");
  const double volume = 4096.0 / (double)n;
  long double all[4] = {0};
  for (size_t i = 0; i < n; i++) {
    all[0] += rho[i] - 1;
    for (size_t a = 0; a < 3; a++) all[1 + a] += rho[i] * u[a * n + i];
  }
  for (int v = 0; v < 4; v++) sums[v] = volume * (double)all[v];
  free(u);
  free(rho);
}

/* In the last of some steps: mass, and where there are no walls beside openings momentum. Walls
 * move along the openings, and on D3Q19 alone: what they give to links across such an edge, which
 * are theirs, is in no flux. */
static void hold_balance(trm_device *device, int which, double off[2])
{
  static const char *const values[] = {"flux", "momentum_x", "momentum_y", "momentum_z"};
  const int collision = which % COLLISIONS, place = which / COLLISIONS % PLACES, steps = 5;
  const char *kinds = openings[which / COLLISIONS / PLACES];
  char settings[1024], name[32];
  double before[4], after[4];
  flow_run run;
  snprintf(settings, sizeof settings, "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.02|"
           "initial.velocity_x=0.03+0.02*sin(0.3927*x)*cos(0.3927*y)|"
           "initial.velocity_z=0.02*sin(0.3927*(x+z))|initial.density=1+0.004*sin(x-y)|"
           "lbm.collision=%s|grid.levels=%s",
           collisions[collision], places[place]);
  add_sides(settings, sizeof settings, kinds, "0.03; 0.01*sin(0.3*z); 0.02*cos(0.4*y)",
            kinds[2] == 'm' ? "0; 0; 0.03*sin(x)" : "0; 0.03*sin(x); 0");
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)steps - 1, 0);
  sum_up(&run, before);
  flow_steps(&run, 1, 0);
  sum_up(&run, after);
  for (int v = 0; v < (strpbrk(kinds, "wm") ? 1 : 4); v++) {
    double passed = 0;
    for (int side = 0; side < 6; side++) {
      if (kinds[side] != 'i' && kinds[side] != 'o') continue;
      snprintf(name, sizeof name, "%s_%s", side_names[side], values[v]);
      passed += flow_series(&run, name)[steps - 1];
    }
    off[v > 0] = fmax(off[v > 0], fabs(after[v] - before[v] - passed));
    if (!(fabs(after[v] - before[v] - passed) <= 1e-12))
      fail_msg("%s: %s: %.17g passed, %.17g is more", settings, values[v], passed,
               after[v] - before[v]);
  }
  flow_end(&run);
}

static void what_passes_openings_is_told(trm_device *device)
{
  const int all = COLLISIONS * PLACES * OPENINGS, by = test_runs_long() ? 1 : 29;
  double off[2] = {0, 0};
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int i = 0; i < all; i += by)
    if (i % COLLISIONS < 4 || !strchr(openings[i / COLLISIONS / PLACES], 'm'))
      hold_balance(device, i, off);
  print_message("# mass off by %.1e, momentum by %.1e\n", off[0], off[1]);
}

/* ---- Couette's flow -------------------------------------------------------------------------- */

/* Half of x finer, the wall along z; the largest error of any component, of the wall's speed. */
static double couette_off(trm_device *device, int n, const char *collision, int along)
{
  const double speed = 0.05, nu = 0.1;
  char settings[1024];
  flow_run run;
  double off = 0;
  snprintf(settings, sizeof settings, "grid.nx=%d|grid.ny=8|grid.nz=%d|lbm.viscosity=%g|"
           "initial.velocity_%c=%g*z/nz|boundary.bottom=wall|boundary.top=moving|"
           "boundary.top_velocity=%g; %g; 0|"
           "lbm.collision=%s|grid.levels=1|mesh.refine=0 %d 0 8 0 %d", n, n, nu, "xy"[along], speed,
           along ? 0.0 : speed, along ? speed : 0.0, collision, n / 2, n);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, (uint64_t)(n * n), 0);
  const trm_field *field = &run.solver->fields[1];
  const size_t cells = field->nx * field->ny * field->nz;
  double *u = flow_values(&run, "velocity");
  for (size_t i = 0; i < cells; i++) {
    const size_t x = i % field->nx, z = i / field->nx / field->ny;
    const double at = x < field->nx / 2 ? 0.5 * ((double)z + 0.5) : (double)(z / 2) + 0.5;
    for (size_t a = 0; a < 3; a++)
      off = fmax(off, fabs(u[a * cells + i] - (a == (size_t)along ? speed * at / n : 0.0)));
  }
  free(u);
  flow_end(&run);
  return off / speed;
}

static void a_wall_drags_across_a_jump(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (int i = test_runs_long() ? 0 : 1; i < (test_runs_long() ? COLLISIONS : 2); i++)
    for (int along = 0; along < (i == 1 ? 2 : 1); along++) {
      const double coarse = couette_off(device, 16, collisions[i], along);
      print_message("# %s: 16 cells %.2e\n", collisions[i], coarse);
      assert_true(coarse <= 0.01);
      if (!test_runs_long()) continue;
      const double fine = couette_off(device, 32, collisions[i], along);
      print_message("# %s: 32 cells %.2e\n", collisions[i], fine);
      assert_true(fine <= 0.7 * coarse || fine <= 1e-12);
    }
}

/* ---- a channel ------------------------------------------------------------------------------- */

/* A parabola flows in and out; cells beside the walls are finer. With coarser or finer cells
 * everywhere it is as far off, 1.0 and 0.8 %. */
static void a_channel_keeps_its_parabola(trm_device *device)
{
  static const char settings[] =
    "grid.nx=32|grid.ny=24|grid.nz=8|lbm.viscosity=0.05|initial.velocity_x=0.05*y*(ny-y)/144|"
    "boundary.west=inflow|boundary.west_velocity=0.05*y*(ny-y)/144; 0; 0|boundary.east=outflow|"
    "boundary.south=wall|"
    "boundary.north=wall|grid.levels=1|mesh.refine=wall 4";
  flow_run run;
  double off = 0;
  test_is_long();
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 600, 0);
  double *u = flow_values(&run, "velocity");
  for (size_t k = 0; k < 64 * 48 * 16; k++) {
    const size_t row = k / 64 % 48;
    const double y = row >= 16 && row < 32 ? (double)(row / 2) + 0.5 : 0.5 * ((double)row + 0.5);
    off = fmax(off, fabs(u[k] - 0.05 * y * (24 - y) / 144));
  }
  free(u);
  const double *change = flow_series(&run, "density_change");
  const double more = 32 * 24 * 8 * (change[599] - change[598]);
  const double passed = flow_series(&run, "west_flux")[599] + flow_series(&run, "east_flux")[599];
  flow_end(&run);
  print_message("# off by %.2e, mass by %.1e\n", off / 0.05, more - passed);
  assert_true(off <= 0.01 * 0.05 && fabs(more - passed) <= 1e-11);
}

/* ---- another code ---------------------------------------------------------------------------- */

/* As in levels_2d.py; what is along z is the same. */
static const struct { const char *name, *settings; } planes[] = {
  {"channel", "grid.nx=24|grid.ny=24|lbm.viscosity=0.02|initial.velocity_x=0.05*y*(24-y)/144|"
   "boundary.west=inflow|boundary.west_velocity=0.05*y*(24-y)/144; 0; 0|boundary.east=outflow|"
   "boundary.south=wall|"
   "boundary.north=wall|mesh.refine=wall 4"},
  {"lid", "grid.nx=16|grid.ny=16|lbm.viscosity=0.03|boundary.west=wall|boundary.east=wall|"
          "boundary.south=wall|"
   "boundary.north=moving|boundary.north_velocity=0.05*sin(3.14159265358979324*x/16); 0; 0|"
   "mesh.refine=0 8 0 16 0 8"},
  {"corner", "grid.nx=16|grid.ny=16|lbm.viscosity=0.03|boundary.west=inflow|"
             "boundary.west_velocity=0.04; 0.02; "
             "0|boundary.east=outflow|boundary.south=moving|boundary.south_velocity=0.05; 0; 0|"
   "boundary.north=outflow|"
   "initial.velocity_x=0.04+0.03*sin(0.3*x)*cos(0.4*y)|initial.velocity_y=0.02+0.02*cos(0.5*x)|"
   "mesh.refine=8 16 8 16 0 8"},
  {"shear", "grid.nx=16|grid.ny=16|lbm.viscosity=0.1|boundary.south=moving|"
            "boundary.south_velocity=-0.02; 0; "
   "0|boundary.north=moving|boundary.north_velocity=0.05+0.01*sin(3.14159265358979324*x/8); 0; 0|"
   "initial.velocity_x=0.05*y/16|mesh.refine=0 8 0 16 0 8"}};

/* The lines of the flow; how many there are. */
static int hold_plane(flow_run *run, const char *name, FILE *numbers, double *off)
{
  char line[256], flow[16];
  int steps, x, y, found = 0;
  double at[3];
  const trm_field *field = &run->solver->fields[1];
  const size_t n = field->nx * field->ny * field->nz;
  double *u = flow_values(run, "velocity"), *rho = flow_values(run, "density");
  while (fgets(line, sizeof line, numbers)) {
    if (sscanf(line, "%15s %d %d %d %lf %lf %lf", flow, &steps, &x, &y, &at[0], &at[1],
               &at[2]) != 7 || strcmp(flow, name) != 0)
      continue;
    const size_t i = (size_t)(y + 5 * (int)field->ny) * field->nx + (size_t)x;
    assert_int_equal((uint64_t)steps, run->solver->step);
    *off = fmax(*off, fmax(fabs(u[i] - at[0]), fabs(u[n + i] - at[1])));
    *off = fmax(*off, fmax(fabs(u[2 * n + i]), fabs(rho[i] - 1 - at[2])));
    found++;
  }
  free(u);
  free(rho);
  return found;
}

static void numbers_are_those_of_another_code(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
    FILE *numbers = fopen(test_data("lbm3d_levels_2d.txt"), "r");
    char settings[1024];
    double off = 0;
    flow_run run;
    assert_non_null(numbers);
    snprintf(settings, sizeof settings, "grid.nz=8|grid.levels=1|%s", planes[i].settings);
    flow_begin(&run, device, TRM_F64, settings);
    flow_steps(&run, 40, 0);
    const int found = hold_plane(&run, planes[i].name, numbers, &off);
    print_message("# %s: off by %.1e at %d cells\n", planes[i].name, off, found);
    fclose(numbers);
    flow_end(&run);
    assert_true(found == 24 && off <= 1e-11);
  }
}

/* Also one that holds a finer cell's middle alone. */
static void a_body_keeps_away_from_openings(trm_device *device)
{
  static const char near[] =
    "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.02|boundary.west=inflow|"
    "boundary.west_velocity=0.03; 0; 0|boundary.east=outflow|grid.levels=1|mesh.refine=wall 4|"
    "bodies.shapes=sphere 8 8 8 2; sphere ";
  char settings[512];
  flow_run run;
  snprintf(settings, sizeof settings, "%s15 8 8 0.6", near);
  flow_refused(device, settings, "within two cells of the side 'east'");
  snprintf(settings, sizeof settings, "%s12 8 8 0.6", near);
  flow_begin(&run, device, TRM_F32, settings);
  flow_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_stream_stays_uniform),
    TEST_DEVICE(a_moving_wall_keeps_the_mass),
    TEST_DEVICE(what_passes_openings_is_told),
    TEST_DEVICE(a_wall_drags_across_a_jump),
    TEST_DEVICE(a_channel_keeps_its_parabola),
    TEST_DEVICE(numbers_are_those_of_another_code),
    TEST_DEVICE(a_body_keeps_away_from_openings),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
