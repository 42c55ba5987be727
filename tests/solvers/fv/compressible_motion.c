/* compressible_motion.c - bodies that move through the grid: a stream that they move with stays as
 * it is, a moving body's drag is that of one in a stream, the same bits everywhere, refusals. */
#include "tests/solvers/fv/fv_run.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STREAM "compressible.pressure", "0.7", "grid.x0", "-0.503", "grid.y0", "-0.497", \
               "compressible.velocity_y", "0.1"

/* The largest change of the density, the pressure or the velocity where there is gas. */
static double change_of(trm_device *device, const char *const *sets, uint64_t steps)
{
  double most = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  const double speed = trm_config_is_given(run.config, "compressible.motion") ? 0.3 : 0;
  fv_run_advance(&run, INFINITY, steps, 8);
  double *rho = fv_run_values(&run, "density"), *u = fv_run_values(&run, "velocity");
  double *p = fv_run_values(&run, "pressure");
  const size_t cells = (size_t)fv->n[0] * (size_t)fv->n[1] * (size_t)fv->n[2];
  for (size_t i = 0; i < cells; i++)
    if (rho[i] != 0)
      most = fmax(fmax(most, fabs(rho[i] - 1)), fmax(fabs(p[i] - 0.7), fabs(u[i] - speed)));
  free(rho);
  free(u);
  free(p);
  fv_run_end(&run);
  return most;
}

static void a_stream_about_bodies_in_it_stays(trm_device *device)
{
  static const char *const cases[][30] = {
    { "grid.nx", "64", "grid.ny", "64", STREAM, "compressible.velocity_x", "0.3",
      "compressible.bodies", "cylinder -0.1 0 0.21 slip", "compressible.motion", "0.3*t, 0.1*t",
      NULL },
    { "grid.nx", "64", "grid.ny", "64", STREAM, "compressible.velocity_x", "0.3",
      "compressible.bodies", "cylinder -0.2 0.1 0.15; box 0.05 0.21 -0.2 -0.03",
      "compressible.motion", "0.3*t, 0.1*t; 0.3*t, 0.1*t", "compressible.viscosity", "0.001",
      NULL },
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "grid.z0", "-0.49", STREAM,
      "compressible.velocity_x", "0.3", "compressible.bodies", "sphere -0.1 0 0 0.27",
      "compressible.motion", "0.3*t, 0.1*t, 0", "compressible.viscosity", "0.001", NULL },
    { "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", "grid.z0", "-0.49", STREAM,
      "compressible.velocity_x", "0.3", "compressible.bodies", "box -0.2 0.2 -0.2 0.2 -0.2 0.2",
      "compressible.motion", "0.3*t, 0.1*t, 0, 0.93 along 3 2 1", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double most = change_of(device, cases[i], i < 2 ? 24 : 8);
    print_message("# case %zu: %.1e\n", i + 1, most);
    assert_true(most <= 1e-13);
  }
}

/* Through six cells, a thousand steps. */
static void a_stream_stays_for_long(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "64", "grid.ny", "64", STREAM, "compressible.velocity_x", "0.3",
    "compressible.bodies", "cylinder -0.1 0 0.11", "compressible.motion", "0.3*t, 0.1*t",
    "compressible.viscosity", "0.001", "compressible.cfl", "0.08", NULL };
  test_is_long();
  test_needs_f64(device);
  const double most = change_of(device, sets, 1000);
  print_message("# %.1e\n", most);
  assert_true(most <= 1e-13);
}

/* In closed boxes: what walls do is what the gas gains. */
static void mass_stays_and_energy_is_what_walls_do(trm_device *device)
{
  static const char *const cases[][20] = {
    { "grid.nx", "48", "grid.ny", "48", "compressible.bodies", "cylinder 0.5 0.5 0.2 slip",
      "compressible.motion", "0.11*sin(3*t), 0.02*t", NULL },
    { "grid.nx", "64", "grid.ny", "32", "compressible.bodies",
      "cylinder 0.3 0.25 0.1; box 0.6 0.8 0.1 0.3", "compressible.motion",
      "0.1*sin(4*t), 0; 0, 0.1*sin(2*t)", "compressible.viscosity", "0.002", NULL },
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "compressible.bodies",
      "sphere 0.5 0.5 0.5 0.2", "compressible.motion", "0.11*sin(3*t), 0.02*t, 0",
      "compressible.viscosity", "0.001", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double work = 0, mass = 0, energy = 0;
    fv_run run = fv_run_begin(device, TRM_F64, cases[i]);
    const fv_solver *fv = (const fv_solver *)run.solver;
    for (int step = 0; step < (i < 2 ? 100 : 30); step++) {
      double power = 0;
      fv_run_advance(&run, INFINITY, 1, 1);
      power = fv_run_last(&run, "body1_power");
      if (i == 1) power += fv_run_last(&run, "body2_power");
      work += power * fv_run_last(&run, "dt");
      TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
      mass = fmax(mass, fabs(fv->results[1].value));
      energy = fmax(energy, fabs(fv->results[2].value - work / fv->energy));
    }
    print_message("# case %zu: mass %.1e, energy less work %.1e, work %.1e\n", i + 1, mass, energy,
                  work);
    assert_true(mass <= 1e-12 && energy <= 1e-12 && fabs(work) > 1e-4);
    fv_run_end(&run);
  }
}

/* ---- turning, tables, a piston ----------------------------------------------------------- */

/* What series has after some steps. */
static double after(trm_device *device, const char *const *sets, uint64_t steps, const char *series)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, INFINITY, steps, 1);
  const double value = fv_run_last(&run, series);
  fv_run_end(&run);
  return value;
}

#define TURNS "grid.nx", "48", "grid.ny", "48", "compressible.viscosity", "0.01"

/* A cylinder that turns is one whose wall slides; about another place it is one that moves. */
static void a_turning_cylinder_is_one_that_slides_or_moves(trm_device *device)
{
  static const char *const slides[] = { TURNS, "compressible.bodies",
                                        "cylinder 0.5 0.5 0.2 spin 0.3", NULL };
  static const char *const turns[] = { TURNS, "compressible.bodies", "cylinder 0.5 0.5 0.2",
                                       "compressible.motion", "0, 0, 0.3*t", NULL };
  static const char *const moves[] = { TURNS, "compressible.bodies", "cylinder 0.6 0.5 0.1 slip",
                                       "compressible.motion", "0.1*(cos(t)-1), 0.1*sin(t)", NULL };
  static const char *const orbits[] = { TURNS, "compressible.bodies", "cylinder 0.6 0.5 0.1 slip",
                                        "compressible.motion", "0, 0, t about 0.5 0.5", NULL };
  test_needs_f64(device);
  const double one = after(device, slides, 40, "body1_moment_z");
  const double two = after(device, turns, 40, "body1_moment_z");
  print_message("# moments %.6e, %.6e\n", one, two);
  assert_true(fabs(two / one - 1) <= 1e-3 && fabs(one) > 1e-4);
  for (int a = 0; a < 2; a++) {
    const char *series = a ? "body1_pressure_y" : "body1_pressure_x";
    const double path = after(device, moves, 40, series), orbit = after(device, orbits, 40, series);
    print_message("# forces %.6e, %.6e\n", path, orbit);
    assert_true(fabs(orbit / path - 1) <= 0.05);
  }
}

/* In three dimensions about a slanting axis: where it turns to is where it would be moved to. */
static void a_turn_about_an_axis_is_rodrigues_formula(trm_device *device)
{
  static const char *const sets[] = {
    "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "compressible.bodies",
    "sphere 0.65 0.5 0.5 0.2", "compressible.motion",
    "0, 0, 0, 2*t about 0.5 0.5 0.5 along 1 1 1", NULL };
  static const double axis = 0.57735026918962576;
  fv_run run = fv_run_begin(device, TRM_F32, sets);
  fv_solver *fv = (fv_solver *)run.solver;
  const double own[3] = { 0.65, 0.5, 0.5 }, off = 0.15;
  for (int i = 0; i < 6; i++) {
    const double time = 0.4 * i, c = cos(2 * time), s = sin(2 * time);
    const double want[3] = { c + (1 - c) / 3, s * axis + (1 - c) / 3, -s * axis + (1 - c) / 3 };
    double at[3], back[3];
    fv_move_bodies(&fv->bodies, time);
    fv_body_to_here(&fv->bodies.body[0], own, at);
    fv_body_from_here(&fv->bodies.body[0], at, back);
    for (int a = 0; a < 3; a++) {
      assert_true(fabs(at[a] - 0.5 - off * want[a]) <= 1e-14);
      assert_true(fabs(back[a] - own[a]) <= 1e-15);
    }
  }
  fv_run_end(&run);
}

static void a_path_from_a_table_is_that_path(trm_device *device)
{
  char path[] = "motion-XXXXXX";
  const int file = mkstemp(path);
  FILE *out = fdopen(file, "w");
  assert_non_null(out);
  fputs("t s\n", out);
  for (int i = 0; i <= 40; i++) fprintf(out, "%.17g %.17g\n", 0.05 * i, 0.05 * sin(2 * 0.05 * i));
  fclose(out);
  const char *const table[] = { TURNS, "compressible.bodies", "cylinder 0.5 0.5 0.15",
                                "compressible.motion", "s, 0", "compressible.motion_table", path,
                                NULL };
  static const char *const formula[] = { TURNS, "compressible.bodies", "cylinder 0.5 0.5 0.15",
                                         "compressible.motion", "0.05*sin(2*t), 0", NULL };
  test_needs_f64(device);
  const double one = after(device, table, 40, "body1_pressure_x");
  const double other = after(device, formula, 40, "body1_pressure_x");
  remove(path);
  print_message("# force %.6e, by formula %.6e\n", one, other);
  assert_true(fabs(one / other - 1) <= 0.02 && fabs(other) > 1e-3);
}

/* The mean pressure of the gas between the piston and the valve. */
static double mean_pressure(const fv_run *run)
{
  const size_t cells = 48 * 24 * 24;
  double *pressure = fv_run_values(run, "pressure"), *gas = fv_run_values(run, "gas");
  double sum = 0, all = 0;
  for (size_t i = 0; i < cells; i++)
    if ((double)(i % 48) < 1.06 * 24) {
      sum += gas[i] * pressure[i];
      all += gas[i];
    }
  free(pressure);
  free(gas);
  return sum / all;
}

/* That, against (V0 / V)^gamma by the rooms' 32-gons; mass, and energy less work. */
static void run_piston(trm_device *device, double end)
{
  static const char *const sets[] = { "case", "piston", NULL };
  const double room = 0.5 * 32 * sin(2 * 3.14159265358979323846 / 32) * 0.35 * 0.35;
  const double port = room * 0.17 * 0.17 / (0.35 * 0.35) * 0.06, first = room * 0.55 + port;
  double work = 0, worst = 0, mass = 0, energy = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  while (run.solver->time < end) {
    double power = 0;
    fv_run_advance(&run, end, 1, 1);
    for (int body = 1; body <= 3; body++) {
      char name[32];
      snprintf(name, sizeof name, "body%d_power", body);
      power += fv_run_last(&run, name);
    }
    work += power * fv_run_last(&run, "dt");
    TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
    mass = fmax(mass, fabs(fv->results[1].value));
    energy = fmax(energy, fabs(fv->results[2].value - work / fv->energy));
    if (run.solver->step % 10 || run.solver->time > 4.4) continue;
    const double face = 0.45 + fv->bodies.body[1].moved[0];
    const double law = pow(first / (room * (1 - face) + port), 1.4);
    const double pressure = mean_pressure(&run);
    print_message("# %.3f: %.4f, law %.4f\n", run.solver->time, pressure, law);
    worst = fmax(worst, fabs(pressure / law - 1));
  }
  print_message("# to %g: pressure off by %.4f, mass %.1e, energy less work %.1e, work %.3g of "
                "%.3g\n", end, worst, mass, energy, work, fv->energy);
  assert_true(worst <= 0.01 && worst > 0 && mass <= 1e-12 && energy <= 1e-12 && work > 0);
  fv_run_end(&run);
}
static void a_piston_presses_gas_together(trm_device *device)
{
  test_needs_f64(device);
  run_piston(device, 0.5);
}
static void a_valve_opens_into_a_chamber_and_the_piston_goes_back(trm_device *device)
{
  test_is_long();
  test_needs_f64(device);
  run_piston(device, 9);
}

/* Gas about two bodies keeps its mass, and its energy less the work of both, and no pressure is
 * beyond half and twice the first one. Returns how far, along x, the second body went at least. */
static double run_gap(trm_device *device, const char *const *sets, double end)
{
  double work = 0, most = 0, least = INFINITY, farthest = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  while (run.solver->time < end) {
    fv_run_advance(&run, end, 1, 1);
    work += fv_run_last(&run, "dt") * (fv_run_last(&run, "body1_power") +
                                       fv_run_last(&run, "body2_power"));
    double *pressure = fv_run_values(&run, "pressure"), *rho = fv_run_values(&run, "density");
    for (size_t k = 0; k < (size_t)run.solver->cells; k++) {
      if (rho[k] == 0) continue; /* solid */
      most = fmax(most, pressure[k]);
      least = fmin(least, pressure[k]);
    }
    free(pressure);
    free(rho);
    farthest = fmin(farthest, fv->bodies.body[1].moved[0]);
  }
  TEST_OK(trm_solver_compressible.finish(run.solver, NULL));
  const double mass = fv->results[1].value, energy = fv->results[2].value - work / fv->energy;
  print_message("# mass %.1e, energy less work %.1e, work %.1e, pressure %.3f to %.3f\n", mass,
                energy, work, least, most);
  assert_true(fabs(mass) <= 1e-12 && fabs(energy) <= 1e-12 && fabs(work) > 1e-6);
  assert_true(least >= 0.5 && most <= 2);
  fv_run_end(&run);
  return farthest;
}

#define PLATES "grid.nx", "96", "grid.ny", "48", "compressible.length_x", "2", \
               "compressible.density", "1.4"

/* A plate leaves the flat end of another: a sheet of cells six high and one wide opens at once. */
static void a_gap_opens_between_flat_ends(trm_device *device)
{
  static const char *const ends[] = { "0.884", "0.895" };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    char bodies[128];
    snprintf(bodies, sizeof bodies, "box 0.5 %s 0.45 0.55 slip; box 0.88 1.3 0.45 0.55 slides slip",
             ends[i]);
    const char *const sets[] = { PLATES, "compressible.bodies", bodies, "compressible.motion",
                                 "; 0.05*t, 0", NULL };
    run_gap(device, sets, 1.2);
  }
}

/* There groups hold less gas than whole cells behind openings as wide, and steps are shorter. */
static void little_gas_in_a_gap_makes_steps_shorter(trm_device *device)
{
  static const char *const sets[] = {
    PLATES, "compressible.bodies",
    "box 0.5 0.884 0.45 0.55 slip; box 0.88 1.3 0.45 0.55 slides slip", "compressible.motion",
    "; 0.05*t, 0", NULL };
  double least = INFINITY, most = 0;
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const size_t cells = (size_t)run.solver->cells;
  for (int step = 0; step < 60; step++) {
    fv_run_advance(&run, INFINITY, 1, 1);
    double *p = fv_run_values(&run, "pressure"), *rho = fv_run_values(&run, "density");
    double *u = fv_run_values(&run, "velocity"), own = 0;
    for (size_t i = 0; i < cells; i++)
      if (rho[i] > 0)
        own = fmax(own, 48 * (fmax(fabs(u[i]), fabs(u[cells + i])) + sqrt(1.4 * p[i] / rho[i])));
    least = fmin(least, fv_run_last(&run, "rate") / own);
    most = fmax(most, fv_run_last(&run, "rate") / own);
    free(p);
    free(rho);
    free(u);
  }
  print_message("# the rate is %.4f to %.4f times that of cells\n", least, most);
  assert_true(least >= 1 - 1e-12 && most >= 1.25);
  fv_run_end(&run);
}

/* A plate meets the flat end of another, reaches into it and leaves it again, in two dimensions and
 * in three. In the middle of the ends no cell is left beside those that are covered last. */
static void a_gap_closes_and_opens_again(trm_device *device)
{
  static const struct { const char *sets[20]; double gap; } cases[] = {
    { { PLATES, "compressible.bodies",
        "box 0.5 0.884 0.45 0.55 slip; box 0.94 1.36 0.45 0.55 slides slip",
        "compressible.motion", "; -0.035*(1 - cos(2*t)), 0", NULL }, 0.056 },
    { { PLATES, "compressible.bodies",
        "box 0.5 0.895 0.45 0.55 slip; box 0.94 1.36 0.45 0.55 slides slip",
        "compressible.motion", "; -0.035*(1 - cos(2*t)), 0", NULL }, 0.045 },
    { { "grid.nx", "48", "grid.ny", "24", "grid.nz", "24", "compressible.length_x", "2",
        "compressible.density", "1.4", "compressible.bodies",
        "box 0.4 0.82 0.37 0.63 0.37 0.63 slip; box 0.9 1.4 0.37 0.63 0.37 0.63 slides slip",
        "compressible.motion", "; -0.05*(1 - cos(2*t)), 0, 0", NULL }, 0.08 } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_true(run_gap(device, cases[i].sets, 2.6) < -cases[i].gap);
}

#define WIDE \
  "grid.nx", "128", "grid.ny", "96", "grid.x0", "-8", "grid.y0", "-6", "grid.levels", "1", \
      "mesh.refine", "-2.5 2.5 -1.2 1.2", "compressible.length_x", "16", "compressible.viscosity", \
      "0.005", "compressible.chi", "0.05", "compressible.pressure", "0.7142857142857143", \
      "boundary.west", "farfield", "boundary.west_pressure", "0.7142857142857143", \
      "boundary.east", "farfield", "boundary.east_pressure", "0.7142857142857143", \
      "boundary.south", "farfield", "boundary.south_pressure", "0.7142857142857143", \
      "boundary.north", "farfield", "boundary.north_pressure", "0.7142857142857143"
#define OF(side) "boundary." side "_velocity", "0.2 0 0"

/* Mean drags of units of time. */
static void drags(trm_device *device, const char *const *sets, int end, double *mean)
{
  double time = 0, length[16] = { 0 };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int i = 0; i < end; i++) mean[i] = 0;
  while (run.solver->time < end) {
    fv_run_advance(&run, end, 1, 1);
    const double dt = run.solver->time - time;
    const int unit = (int)(0.5 * (time + run.solver->time));
    time = run.solver->time;
    mean[unit] += dt * (fv_run_last(&run, "body1_pressure_x") +
                        fv_run_last(&run, "body1_friction_x"));
    length[unit] += dt;
  }
  for (int i = 0; i < end; i++) mean[i] /= length[i] * 0.02;
  fv_run_end(&run);
}

static void compare_histories(trm_device *device, int end)
{
  static const char *const moving[] = { WIDE, "compressible.bodies", "cylinder 1.5 0 0.5",
                                        "compressible.motion", "-0.2*t, 0", NULL };
  static const char *const fixed[] = { WIDE, "compressible.bodies", "cylinder 0 0 0.5",
                                       "compressible.velocity_x", "0.2", OF("west"), OF("east"),
                                       OF("south"), OF("north"), NULL };
  double one[16], other[16], worst = 0;
  test_needs_f64(device);
  drags(device, moving, end, one);
  drags(device, fixed, end, other);
  for (int i = 4; i < end; i++) { /* before, the start's wave is in it */
    print_message("# to %d: drag %.4f, in a stream %.4f\n", i + 1, one[i], other[i]);
    worst = fmax(worst, fabs(one[i] / other[i] - 1));
  }
  assert_true(worst <= 0.02);
}
static void a_moving_body_feels_what_one_in_a_stream_does(trm_device *device)
{
  compare_histories(device, 6);
}
static void a_moving_body_goes_on_to_feel_it(trm_device *device)
{
  test_is_long();
  compare_histories(device, 15);
}

/* ---- a cylinder that swings by little ---------------------------------------------------- */

/* Stokes (1851): with lambda = a root(i omega / nu) the force is -rho pi a^2 (1 + 4 K1(lambda) /
 * (lambda K0(lambda))) times the acceleration; K by its integral. Friction and what it adds to the
 * pressure are halves of the second part. */
static double complex stokes(double radius, double omega, double nu)
{
  const double complex lambda = radius * csqrt(I * omega / nu);
  double complex k0 = 0, k1 = 0;
  for (int i = 0; i < 1200; i++) {
    const double c = cosh(0.005 * (i + 0.5));
    k0 += cexp(-lambda * c);
    k1 += c * cexp(-lambda * c);
  }
  return 4 * k1 / (lambda * k0);
}

/* 16 cells across, the layer at the wall 2; by least squares over the second swing. */
static void a_swinging_cylinder_feels_what_stokes_found(trm_device *device)
{
  static const char *const sets[] = {
    "case", "oscillating-cylinder", "grid.levels", "2", "mesh.refine", "-1.4 1.4 -0.7 0.7",
    "compressible.bodies", "cylinder 0.0037 0.0021 0.5", "compressible.motion",
    "-0.05*sin(0.12566370614*t)*(1 - exp(-(t/10)^2)), 0", NULL };
  const double omega = 0.12566370614, mass = acos(-1) / 4;
  double uu = 0, ua = 0, aa = 0, fu[2] = { 0, 0 }, fa[2] = { 0, 0 };
  test_is_long();
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->time < 100) {
    fv_run_advance(&run, 100, 1, 1);
    const double at = omega * run.solver->time;
    const double u = -0.05 * omega * cos(at), a = 0.05 * omega * omega * sin(at);
    const double felt[2] = { fv_run_last(&run, "body1_pressure_x"),
                             fv_run_last(&run, "body1_friction_x") };
    if (run.solver->time <= 50) continue;
    uu += u * u;
    ua += u * a;
    aa += a * a;
    for (int k = 0; k < 2; k++) {
      fu[k] -= felt[k] * u;
      fa[k] -= felt[k] * a;
    }
  }
  const double complex layer = stokes(0.5, omega, 0.001);
  for (int k = 0; k < 2; k++) {
    const double det = uu * aa - ua * ua;
    const double drag = (fu[k] * aa - fa[k] * ua) / det / (mass * omega);
    const double inertia = (fa[k] * uu - fu[k] * ua) / det / mass;
    const double exact[2] = { -0.5 * cimag(layer), (k ? 0 : 1) + 0.5 * creal(layer) };
    print_message("# %s: drag %.4f, exactly %.4f; inertia %.4f, exactly %.4f\n",
                  k ? "friction" : "pressure", drag, exact[0], inertia, exact[1]);
    assert_true(fabs(drag - exact[0]) <= 0.03 && fabs(inertia - exact[1]) <= 0.03);
  }
  fv_run_end(&run);
}

/* ---- the same everywhere --------------------------------------------------------------- */

static const char *const swinging[] = {
  "grid.nx", "64", "grid.ny", "48", "compressible.pressure", "0.7", "compressible.bodies",
  "cylinder 0.3 0.4 0.1; naca 2412 0.55 0.3 0.3 8 slip", "compressible.motion",
  "0.05*sin(9*t), 0.02*(1 - cos(9*t))", "compressible.viscosity", "0.001", NULL };
static const char *const prints[] = { "38328aaac6d4a01ba7f7b3c904229de7",
                                      "1f2c73041ee42318f8832c3b7ac21141" }; /* f32, f64 */

static void any_batch_gives_the_known_state(trm_device *device)
{
  static const uint64_t batches[] = { 1, 16 };
  for (int p = 0; p < 2; p++)
    for (size_t b = 0; b < 2; b++) {
      fv_run run = fv_run_begin(device, (trm_precision)p, swinging);
      fv_run_advance(&run, INFINITY, 16, batches[b]);
      fv_run_is(&run, prints[p]);
      fv_run_end(&run);
    }
}

static void a_restored_state_goes_on_with_the_same_bits(trm_device *device)
{
  for (int p = 0; p < 2; p++) {
    fv_run first = fv_run_begin(device, (trm_precision)p, swinging);
    fv_run second = fv_run_begin(device, (trm_precision)p, swinging);
    fv_run_advance(&first, INFINITY, 11, 11);
    fv_run_restore(&second, &first);
    fv_run_advance(&second, INFINITY, 5, 5);
    fv_run_is(&second, prints[p]);
    fv_run_end(&first);
    fv_run_end(&second);
  }
}

/* ---- what cannot be ---------------------------------------------------------------------- */

static void motions_that_cannot_be_are_refused(trm_device *device)
{
  static const struct { const char *motion, *part; } wrong[] = {
    { "0.1*t", "is not 'X, Y'" }, { "0.1*t, 0, 0, 0", "is not 'X, Y'" },
    { "0, 0, t about 1", "is not 'X, Y'" }, { "0, 0, t about 0.5 0.5 x", "is not 'X, Y'" },
    { "0, s", "s" },
    { "0.1*t, 0; 0, 0", "more paths than there are bodies" }, { "0.1*q, 0", "q" } };
  uint64_t made = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", "compressible.bodies",
                                 "cylinder 0.5 0.5 0.1", "compressible.motion", wrong[i].motion,
                                 NULL };
    fv_run_refused(device, sets, TRM_ERROR_INPUT, wrong[i].part);
  }
  static const char *const leaves[] = {
    "grid.nx", "64", "grid.ny", "64", "compressible.bodies", "cylinder 0.2 0.5 0.1",
    "compressible.motion", "0.05*t, 0.3*t^3", "run.end_time", "2", "run.steps", TRM_STEPS_UNTIL_END,
    NULL };
  fv_run_refused(device, leaves, TRM_ERROR_INPUT, "along y at t = 1.102 and the grid from 0 to 1");
  static const struct { const char *motion, *part; } later[] = {
    { "10*t, 0", "more than half of a cell" }, { "-0.5*t, 0", "a body lies inside" } };
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
    const char *const sets[] = { "grid.nx", "64", "grid.ny", "64", "compressible.bodies",
                                 "cylinder 0.115 0.5 0.1", "compressible.motion", later[i].motion,
                                 NULL };
    trm_status status = TRM_OK;
    fv_run run = fv_run_begin(device, TRM_F32, sets);
    for (int k = 0; k < 8 && status == TRM_OK; k++) {
      status = trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made);
      if (status == TRM_OK)
        TEST_OK(trm_solver_compressible.account(run.solver, made, &made));
    }
    TEST_FAILS(status, TRM_ERROR_INPUT, later[i].part);
    fv_run_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_stream_about_bodies_in_it_stays),
    TEST_DEVICE(a_stream_stays_for_long),
    TEST_DEVICE(mass_stays_and_energy_is_what_walls_do),
    TEST_DEVICE(a_turning_cylinder_is_one_that_slides_or_moves),
    TEST_DEVICE(a_turn_about_an_axis_is_rodrigues_formula),
    TEST_DEVICE(a_path_from_a_table_is_that_path),
    TEST_DEVICE(a_piston_presses_gas_together),
    TEST_DEVICE(a_valve_opens_into_a_chamber_and_the_piston_goes_back),
    TEST_DEVICE(a_gap_opens_between_flat_ends),
    TEST_DEVICE(little_gas_in_a_gap_makes_steps_shorter),
    TEST_DEVICE(a_gap_closes_and_opens_again),
    TEST_DEVICE(a_moving_body_feels_what_one_in_a_stream_does),
    TEST_DEVICE(a_moving_body_goes_on_to_feel_it),
    TEST_DEVICE(a_swinging_cylinder_feels_what_stokes_found),
    TEST_DEVICE(any_batch_gives_the_known_state),
    TEST_DEVICE(a_restored_state_goes_on_with_the_same_bits),
    TEST_DEVICE(motions_that_cannot_be_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
