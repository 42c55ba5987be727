/* compressible_times.c - the clock: a time at which a run is to stop changes nothing but the
 * lengths of steps; no step is next to nothing; none is launched in vain. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

/* ---- how many steps ------------------------------------------------------------------ */

/* Gas that streams evenly: each step is as long as the first. */
static const char *const even[] = { "grid.nx", "16", "grid.ny", "16", "initial.velocity_x",
                                    "0.3", NULL };

/* Steps up to an end, and how many were launched for them. */
static uint64_t steps_to(trm_device *device, trm_precision precision, double end, uint64_t batch,
                         uint64_t *launched)
{
  fv_run run = fv_run_begin(device, precision, even);
  trm_solver *solver = run.solver;
  double before = 0;
  *launched = 0;
  while (solver->time < end) {
    uint64_t count = 0, made = 0;
    TEST_OK(trm_solver_compressible.advance(solver, batch, end, 1, &count));
    TEST_OK(trm_solver_compressible.account(solver, count, &made));
    *launched += count;
    assert_true(made > 0);
    run.made = made;
    const double dt = fv_run_last(&run, "dt");
    assert_true(dt >= 1e-9 * before);
    before = dt;
  }
  assert_true(solver->time == end);
  const uint64_t steps = solver->step;
  fv_run_end(&run);
  return steps;
}

static double even_step(trm_device *device, trm_precision precision)
{
  fv_run run = fv_run_begin(device, precision, even);
  fv_run_advance(&run, INFINITY, 1, 1);
  const double dt = fv_run_last(&run, "dt");
  fv_run_end(&run);
  return dt;
}

static void an_end_that_is_a_multiple_of_the_step_takes_so_many(trm_device *device)
{
  static const double off[] = { 0, 3e-16, -3e-16, 1e-11, -1e-11 };
  for (int f64 = 0; f64 < 2; f64++) {
    const double dt = even_step(device, f64 ? TRM_F64 : TRM_F32);
    for (uint64_t steps = 1; steps < 60; steps += steps < 8 ? 1 : 17)
      for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        uint64_t launched;
        const double end = (double)steps * dt * (1 + off[i]);
        const uint64_t made = steps_to(device, f64 ? TRM_F64 : TRM_F32, end, 64, &launched);
        if (made != steps)
          fail_msg("%llu steps of %.17g to %.17g", (unsigned long long)made, dt, end);
      }
    uint64_t launched;
    assert_int_equal(steps_to(device, f64 ? TRM_F64 : TRM_F32, 10.25 * dt, 64, &launched), 11);
    assert_int_equal(steps_to(device, f64 ? TRM_F64 : TRM_F32, 9.75 * dt, 64, &launched), 10);
  }
}

static void no_step_is_launched_beyond_the_end(trm_device *device)
{
  static const uint64_t batches[] = { 1, 19, 64, 4096 };
  const double dt = even_step(device, TRM_F32);
  for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
    uint64_t launched;
    assert_int_equal(steps_to(device, TRM_F32, 18.5 * dt, batches[i], &launched), 19);
    assert_int_equal(launched, 19);
  }
}

/* ---- a run with stops beside one without ---------------------------------------------- */

static void compare_field(const fv_run *a, const fv_run *b, const char *name, double slack)
{
  size_t count = 0;
  for (size_t i = 0; i < a->solver->field_count; i++)
    if (strcmp(a->solver->fields[i].name, name) == 0)
      TEST_OK(trm_field_elements(&a->solver->fields[i], &count));
  assert_true(count > 0);
  double *one = fv_run_values(a, name), *other = fv_run_values(b, name), most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(one[i] - other[i]));
  print_message("# %s differs by %.1e\n", name, most);
  free(one);
  free(other);
  assert_true(most <= slack);
}

/* `stops`: after how many steps of the free run each is. These are its own steps' ends, so that
 * lengths change by rounding alone: and so does all else. */
static void stops_change_nothing(trm_device *device, const char *const *sets, uint64_t steps,
                                 uint64_t stops, const char *const *fields)
{
  static double at[MOST];
  size_t count = 0;
  fv_run straight = fv_run_begin(device, TRM_F64, sets);
  for (uint64_t done = 0; done < steps; done += stops) {
    fv_run_advance(&straight, INFINITY, stops, stops);
    at[count++] = straight.solver->time;
  }
  fv_run stopped = fv_run_begin(device, TRM_F64, sets);
  for (size_t i = 0; i < count; i++) {
    fv_run_advance(&stopped, at[i], UINT64_MAX, 64);
    assert_true(stopped.solver->time == at[i]);
  }
  assert_int_equal(stopped.solver->step, straight.solver->step);
  assert_true(stopped.solver->cells == straight.solver->cells);
  const trm_field *a = &straight.solver->fields[0], *b = &stopped.solver->fields[0];
  assert_int_equal(a->blocks->count, b->blocks->count);
  TEST_OK(trm_solver_compressible.observe(straight.solver));
  TEST_OK(trm_solver_compressible.observe(stopped.solver));
  for (; *fields; fields++) compare_field(&straight, &stopped, *fields, 1e-9);
  fv_run_end(&straight);
  fv_run_end(&stopped);
}

#define BLAST "initial.pressure", "1 + 4*exp(-200*((x - 0.5)^2 + (y - 0.5)^2))"
static const char *const adapted[] = { "grid.nx", "32", "grid.ny", "32", "grid.levels", "1",
  "mesh.refine", "pressure 0.03", "mesh.adapt_every", "3", BLAST, "average_from",
  "0.01", NULL };

static void grids_that_follow_do_so_at_stops(trm_device *device)
{
  test_is_spared(device);
  static const char *const fields[] = { "density", "pressure", "mean_density", NULL };
  stops_change_nothing(device, adapted, 48, 3, fields);
  stops_change_nothing(device, adapted, 48, 12, fields);
  stops_change_nothing(device, adapted, 48, 4, fields);
}

static void walls_that_move_do_so_alike(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", "bodies.shapes",
    "cylinder 0.5 0.5 0.15", "bodies.motion", "0.05*sin(3*t), 0.1*t",
    "compressible.viscosity", "0.001", "compressible.integrals", "true", NULL };
  static const char *const fields[] = { "density", "pressure", "gas", NULL };
  stops_change_nothing(device, sets, 24, 6, fields);
}

static void dual_time_goes_on_alike(trm_device *device)
{
  test_is_spared(device);
  static const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", BLAST,
    "compressible.time", "dual", "dual.cfl", "5", "dual.tolerance", "1e-10", "dual.iterations",
    "400", NULL };
  static const char *const fields[] = { "density", "pressure", NULL };
  stops_change_nothing(device, sets, 8, 2, fields);
}

/* A run whose values are no numbers any more says so at a stop too: the grid is not asked. */
static void a_grid_is_not_made_of_no_numbers(trm_device *device)
{
  static const char *const sets[] = { "grid.nx", "32", "grid.ny", "32", "grid.levels", "1",
    "mesh.refine", "density 0.03", "mesh.adapt_every", "1", "initial.pressure",
    "x < 0.5 ? 1 : 1e-7", "initial.density", "x < 0.5 ? 1 : 1e-5", "initial.velocity_x",
    "x < 0.5 ? -9 : 9", NULL };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  double rate = 1;
  for (int i = 1; i < 400 && isfinite(rate); i++) {
    uint64_t launched = 0, made = 0;
    TEST_OK(trm_solver_compressible.advance(run.solver, 1, 2e-4 * i, 1, &launched));
    TEST_OK(trm_solver_compressible.account(run.solver, launched, &made));
    run.made = made;
    rate = fv_run_last(&run, "rate");
  }
  assert_true(!isfinite(rate));
  fv_run_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(an_end_that_is_a_multiple_of_the_step_takes_so_many),
    TEST_DEVICE(no_step_is_launched_beyond_the_end),
    TEST_DEVICE(grids_that_follow_do_so_at_stops),
    TEST_DEVICE(walls_that_move_do_so_alike),
    TEST_DEVICE(dual_time_goes_on_alike),
    TEST_DEVICE(a_grid_is_not_made_of_no_numbers),
  };
  return TEST_RUN(argc, argv, cases);
}
