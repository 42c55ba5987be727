/* compressible_closed.c - bodies that move in closed boxes: mass stays and energy is what walls do,
 * also of a piston with a valve and where gaps between bodies open and close. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes a step; what the bodies' walls do in it. */
static double step_work(fv_run *run, double end)
{
  const fv_solver *fv = (const fv_solver *)run->solver;
  double power = 0;
  fv_run_advance(run, end, 1, 1);
  for (int body = 1; body <= fv->bodies.count; body++) {
    char name[32];
    snprintf(name, sizeof name, "body%d_power", body);
    power += fv_run_last(run, name);
  }
  return power * fv_run_last(run, "dt");
}

/* The mass that the gas has gained so far, and its energy less the work; the largest ones. */
static void read_balance(const fv_run *run, double work, double *mass, double *energy)
{
  const fv_solver *fv = (const fv_solver *)run->solver;
  TEST_OK(trm_solver_compressible.finish(run->solver, NULL));
  *mass = fmax(*mass, fabs(fv->results[1].value));
  *energy = fmax(*energy, fabs(fv->results[2].value - work / fv->energy));
}

static void mass_stays_and_energy_is_what_walls_do(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const cases[][20] = {
    { "grid.nx", "48", "grid.ny", "48", "bodies.shapes", "cylinder 0.5 0.5 0.2 slip",
      "bodies.motion", "0.11*sin(3*t), 0.02*t", NULL },
    { "grid.nx", "64", "grid.ny", "32", "bodies.shapes",
      "cylinder 0.3 0.25 0.1; box 0.6 0.8 0.1 0.3", "bodies.motion",
      "0.1*sin(4*t), 0; 0, 0.1*sin(2*t)", "compressible.viscosity", "0.002", NULL },
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "bodies.shapes",
      "sphere 0.5 0.5 0.5 0.2", "bodies.motion", "0.11*sin(3*t), 0.02*t, 0",
      "compressible.viscosity", "0.001", NULL },
    /* ends of boxes at sides of cells; edges that uncover a cell */
    { "grid.nx", "64", "grid.ny", "64", "bodies.shapes",
      "box 0.296875 0.53125 0.25 0.515625", "bodies.motion",
      "-0.04*sin(6*t), 0.03*sin(5*t)", NULL },
    { "grid.nx", "64", "grid.ny", "64", "bodies.shapes", "box 0.35625 0.53925 0.355 0.64325",
      "bodies.motion", "0.0265*sin(5.92*t), -0.0205*sin(7.84*t)", "compressible.viscosity",
      "0.0025", NULL },
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "bodies.shapes",
      "box 0.375 0.625 0.25 0.5 0.375 0.625", "bodies.motion", "-0.2*t, 0.1*t, 0", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double work = 0, mass = 0, energy = 0;
    fv_run run = fv_run_begin(device, TRM_F64, cases[i]);
    for (int step = 0; step < (i == 2 || i == 5 ? 30 : 100); step++) {
      work += step_work(&run, INFINITY);
      read_balance(&run, work, &mass, &energy);
    }
    print_message("# case %zu: mass %.1e, energy less work %.1e, work %.1e\n", i + 1, mass, energy,
                  work);
    assert_true(mass <= 1e-12 && energy <= 1e-12 && fabs(work) > 1e-4);
    fv_run_end(&run);
  }
}

/* ---- a piston and a valve ---------------------------------------------------------------- */

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
    work += step_work(&run, end);
    read_balance(&run, work, &mass, &energy);
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
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  run_piston(device, 0.5);
}
static void a_valve_opens_into_a_chamber_and_the_piston_goes_back(trm_device *device)
{
  test_is_long();
  test_needs_f64(device);
  run_piston(device, 9);
}

/* ---- gaps -------------------------------------------------------------------------------- */

/* Gas about two bodies keeps its mass, and its energy less the work of both, and no pressure is
 * beyond half and twice the first one. Returns how far, along x, the second body went at least. */
static double run_gap(trm_device *device, const char *const *sets, double end)
{
  double work = 0, mass = 0, energy = 0, most = 0, least = INFINITY, farthest = 0;
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  const fv_solver *fv = (const fv_solver *)run.solver;
  while (run.solver->time < end) {
    work += step_work(&run, end);
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
  read_balance(&run, work, &mass, &energy);
  print_message("# mass %.1e, energy less work %.1e, work %.1e, pressure %.3f to %.3f\n", mass,
                energy, work, least, most);
  assert_true(mass <= 1e-12 && energy <= 1e-12 && fabs(work) > 1e-6);
  assert_true(least >= 0.5 && most <= 2);
  fv_run_end(&run);
  return farthest;
}

#define PLATES "grid.nx", "96", "grid.ny", "48", "compressible.length_x", "2", \
               "initial.density", "1.4"

/* A plate leaves the flat end of another: a sheet of cells six high and one wide opens at once. */
static void a_gap_opens_between_flat_ends(trm_device *device)
{
  test_is_spared(device);
  static const char *const ends[] = { "0.884", "0.895" };
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    char bodies[128];
    snprintf(bodies, sizeof bodies, "box 0.5 %s 0.45 0.55 slip; box 0.88 1.3 0.45 0.55 slides slip",
             ends[i]);
    const char *const sets[] = { PLATES, "bodies.shapes", bodies, "bodies.motion",
                                 "; 0.05*t, 0", NULL };
    run_gap(device, sets, 1.2);
  }
}

/* A box opened by a gate in its middle, five times the pressure on one side of it: gas streams at
 * Mach 2 through a gap one cell wide, then two. */
#define GATE(end, speed) \
  "grid.nx", "96", "grid.ny", "96", "compressible.length_x", "1", "bodies.shapes", \
      "tube 0.5 0.5 0.35 slip; box 0.46 0.54 0.1 " end " slides slip; " \
      "box 0.46 0.54 0.49 0.87 slides slip", "bodies.motion", "; ; 0, " speed "*t"
static void gas_streams_through_a_gap_faster_than_sound(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = { GATE("0.503", "0.05"), "initial.density",
                                      "x < 0.5 ? 7 : 1.4", "initial.pressure",
                                      "x < 0.5 ? 5 : 1", NULL };
  double work = 0, mass = 0, energy = 0, most = 0;
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->time < 0.9) work += step_work(&run, 0.9);
  read_balance(&run, work, &mass, &energy);
  TEST_OK(trm_solver_compressible.observe(run.solver));
  double *mach = fv_run_values(&run, "mach");
  for (size_t k = 0; k < (size_t)run.solver->cells; k++) most = fmax(most, mach[k]);
  free(mach);
  print_message("# mass %.1e, energy less work %.1e, Mach number %.2f\n", mass, energy, most);
  assert_true(mass <= 1e-12 && energy <= 1e-12 && most >= 1.5);
  fv_run_end(&run);
}

/* From a wall at cells' sides none of the gap is there before all of it is. */
static void a_gap_from_the_side_of_cells_is_refused(trm_device *device)
{
  static const char *const sets[] = { GATE("0.5", "0.05"), NULL };
  trm_status status = TRM_OK;
  uint64_t made = 0;
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  assert_non_null(strstr(run.solver->remedy, "lower compressible.cfl"));
  for (int step = 0; step < 100 && status == TRM_OK; step++) {
    status = trm_solver_compressible.advance(run.solver, 1, INFINITY, 1, &made);
    if (status == TRM_OK) TEST_OK(trm_solver_compressible.account(run.solver, made, &made));
  }
  TEST_FAILS(status, TRM_ERROR_INPUT, "a gap opens to a whole cell in one step; move the flat");
  fv_run_end(&run);
}

/* There groups hold less gas than whole cells behind openings as wide, and steps are shorter. */
static void little_gas_in_a_gap_makes_steps_shorter(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = {
    PLATES, "bodies.shapes",
    "box 0.5 0.884 0.45 0.55 slip; box 0.88 1.3 0.45 0.55 slides slip", "bodies.motion",
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
  test_is_long_elsewhere(device);
  static const struct { const char *sets[20]; double gap; } cases[] = {
    { { PLATES, "bodies.shapes",
        "box 0.5 0.884 0.45 0.55 slip; box 0.94 1.36 0.45 0.55 slides slip",
        "bodies.motion", "; -0.035*(1 - cos(2*t)), 0", NULL }, 0.056 },
    { { PLATES, "bodies.shapes",
        "box 0.5 0.895 0.45 0.55 slip; box 0.94 1.36 0.45 0.55 slides slip",
        "bodies.motion", "; -0.035*(1 - cos(2*t)), 0", NULL }, 0.045 },
    { { "grid.nx", "48", "grid.ny", "24", "grid.nz", "24", "compressible.length_x", "2",
        "initial.density", "1.4", "bodies.shapes",
        "box 0.4 0.82 0.37 0.63 0.37 0.63 slip; box 0.9 1.4 0.37 0.63 0.37 0.63 slides slip",
        "bodies.motion", "; -0.05*(1 - cos(2*t)), 0, 0", NULL }, 0.08 } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_true(run_gap(device, cases[i].sets, 2.6) < -cases[i].gap);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(mass_stays_and_energy_is_what_walls_do),
    TEST_DEVICE(a_piston_presses_gas_together),
    TEST_DEVICE(a_valve_opens_into_a_chamber_and_the_piston_goes_back),
    TEST_DEVICE(a_gap_opens_between_flat_ends),
    TEST_DEVICE(gas_streams_through_a_gap_faster_than_sound),
    TEST_DEVICE(a_gap_from_the_side_of_cells_is_refused),
    TEST_DEVICE(little_gas_in_a_gap_makes_steps_shorter),
    TEST_DEVICE(a_gap_closes_and_opens_again),
  };
  return TEST_RUN(argc, argv, cases);
}
