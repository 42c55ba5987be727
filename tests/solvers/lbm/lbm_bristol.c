/* lbm_bristol.c - the coursework's cases 128x128 and 128x256 against its own results (tests/data):
 * the whole 40000 steps where they take seconds, the first 2001 on an OpenCL device that is a
 * processor and under sanitizers. */
#include "tests/solvers/lbm/lbm_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run, made once for all claims about it -------------------------------- */

typedef struct outcome {
  char backend[32];
  const lbm_case *lbm;
  double *speeds, *velocity, *speed, *pressure, *solid;
  double mass_drift;   /* |mass - mass at the start| / mass at the start */
  double reynolds;
  lbm_print print;
} outcome;

static double mass(lbm_run *run)
{
  double *f = lbm_values(run, "populations");
  long double sum = 0;
  for (int i = 0; i < 9 * run->lbm->nx * run->lbm->ny; i++) sum += f[i];
  free(f);
  return (double)sum;
}

static double reynolds(lbm_run *run)
{
  const double last = lbm_speed(run, run->solver->step - 1);
  TEST_OK(run->solver->type->finish(run->solver, &last));
  for (size_t i = 0; i < run->solver->result_count; i++)
    if (strcmp(run->solver->results[i].name, "reynolds") == 0) return run->solver->results[i].value;
  fail_msg("there is no result reynolds");
  return 0;
}

static void forget(outcome *old)
{
  free(old->speeds);
  free(old->velocity);
  free(old->speed);
  free(old->pressure);
  free(old->solid);
  *old = (outcome){0};
}

static void run_course(trm_device *device, const lbm_case *lbm, trm_precision precision,
                       outcome *out)
{
  lbm_run run;
  lbm_begin(&run, device, lbm, precision, NULL);
  const double before = mass(&run);
  lbm_steps(&run, lbm->steps, 0, 0);
  out->mass_drift = fabs(mass(&run) - before) / before;
  out->print = lbm_prints(&run);
  out->reynolds = reynolds(&run);
  TEST_OK(run.solver->type->observe(run.solver));
  out->velocity = lbm_values(&run, "velocity");
  out->speed = lbm_values(&run, "speed");
  out->pressure = lbm_values(&run, "pressure");
  out->solid = lbm_values(&run, "solid");
  out->speeds = malloc((size_t)lbm->steps * sizeof *out->speeds);
  assert_non_null(out->speeds);
  for (uint64_t step = 0; step < lbm->steps; step++) out->speeds[step] = lbm_speed(&run, step);
  lbm_end(&run);
  snprintf(out->backend, sizeof out->backend, "%s", test_backend(device));
  out->lbm = lbm;
}

/* The taller course, twice the work, where the tests are long. */
static int runs_to_the_end(trm_device *device, int tall)
{
  const trm_device_info *info = trm_device_describe(device);
#ifdef TEST_SANITIZED
  return 0; /* 40000 steps took 13 minutes in one thread */
#endif
  if (tall && !test_runs_long()) return 0;
  return info->is_host || strstr(info->vendor, "NVIDIA") != NULL;
}

/* tall: 128x256 */
static const outcome *course(trm_device *device, int tall, trm_precision precision)
{
  static outcome outcomes[2][2];
  outcome *known = &outcomes[tall][precision];
  if (precision == TRM_F64) test_needs_f64(device);
  if (strcmp(known->backend, test_backend(device)) == 0) return known;
  const int whole = tall ? LBM_COURSE_TALL : LBM_COURSE;
  const int start = tall ? LBM_COURSE_TALL_START : LBM_COURSE_START;
  forget(known);
  run_course(device, &lbm_cases[runs_to_the_end(device, tall) ? whole : start], precision, known);
  return known;
}

/* ---- the course's figures ---------------------------------------------------- */

static FILE *reference(const lbm_case *lbm, const char *kind)
{
  char name[64];
  snprintf(name, sizeof name, "bristol_%dx%d.%s", lbm->nx, lbm->ny, kind);
  FILE *file = fopen(test_data(name), "r");
  if (!file) fail_msg("%s cannot be opened", test_data(name));
  return file;
}

static void hold_speeds(const outcome *run, double tolerance)
{
  FILE *file = reference(run->lbm, "av_vels");
  unsigned long step;
  double expected;
  int held = 0;
  while (fscanf(file, "%lu: %lf", &step, &expected) == 2) {
    if (step >= run->lbm->steps) continue;
    if (!(fabs(run->speeds[step] - expected) <= tolerance * expected))
      fail_msg("mean speed of step %lu: %.13g, the course's %.13g", step, run->speeds[step],
               expected);
    held++;
  }
  assert_true(feof(file));
  fclose(file);
  assert_true(held >= (run->lbm->steps == 40000 ? 110 : 15));
}

/* Velocities against the largest speed, which is among the lines. */
static void hold_state(const outcome *run, double tolerance)
{
  FILE *file = reference(run->lbm, "final_state");
  const int cells = run->lbm->nx * run->lbm->ny;
  double ux, uy, speed, pressure, fastest = 0, off = 0;
  int x, y, solid, held = 0;
  while (fscanf(file, "%d %d %lf %lf %lf %lf %d", &x, &y, &ux, &uy, &speed, &pressure, &solid) ==
         7) {
    const int i = y * run->lbm->nx + x;
    TEST_CLOSE(run->pressure[i], pressure, tolerance);
    assert_int_equal((int)run->solid[i], solid);
    off = fmax(off, fabs(run->velocity[i] - ux));
    off = fmax(off, fabs(run->velocity[cells + i] - uy));
    off = fmax(off, fabs(run->speed[i] - speed));
    fastest = fmax(fastest, speed);
    held++;
  }
  assert_true(feof(file));
  fclose(file);
  assert_true(held >= 200);
  if (!(off <= tolerance * fastest))
    fail_msg("velocities differ by %g of the largest speed, %g", off / fastest, fastest);
}

/* The course's Reynolds number from its last mean speed u: 10 u / nu, nu = (2 / 1.85 - 1) / 6. */
static void hold_reynolds(const outcome *run, double tolerance)
{
  FILE *file = reference(run->lbm, "av_vels");
  unsigned long step;
  double speed, last = 0;
  while (fscanf(file, "%lu: %lf", &step, &speed) == 2) last = speed;
  fclose(file);
  TEST_CLOSE(run->reynolds, last * 10.0 * 6.0 / (2.0 / 1.85 - 1.0), tolerance);
}

static void hold_whole(trm_device *device, trm_precision precision, double tolerance)
{
  if (!runs_to_the_end(device, 0)) TEST_SKIP("too slow here for more than 2001 of 40000 steps");
  for (int tall = 0; tall < 2; tall++) {
    if (!runs_to_the_end(device, tall)) continue;
    const outcome *run = course(device, tall, precision);
    hold_state(run, tolerance);
    hold_reynolds(run, tolerance);
  }
}

static void mean_speeds_are_the_courses(trm_device *device)
{
  test_is_spared(device);
  for (int tall = 0; tall < 2; tall++) hold_speeds(course(device, tall, TRM_F64), 1e-10);
}

static void the_final_state_is_the_courses(trm_device *device)
{
  hold_whole(device, TRM_F64, 1e-10);
}

static void mean_speeds_in_single_precision_are_near(trm_device *device)
{
  test_is_spared(device);
  for (int tall = 0; tall < 2; tall++) hold_speeds(course(device, tall, TRM_F32), 2e-3);
}

static void the_final_state_in_single_precision_is_near(trm_device *device)
{
  hold_whole(device, TRM_F32, 2e-3);
}

/* ---- ours -------------------------------------------------------------------- */

static void mass_is_kept(trm_device *device)
{
  static const double allowed[] = {2e-3, 1e-11};
  for (int tall = 0; tall < 2; tall++)
    for (int p = 0; p < lbm_precisions(device); p++) {
      const outcome *run = course(device, tall, (trm_precision)p);
      print_message("%s, %s: mass drifts by %.2g\n", run->lbm->name,
                    trm_precision_name((trm_precision)p), run->mass_drift);
      assert_true(run->mass_drift < allowed[p]);
    }
}

static void every_bit_is_the_one_of_every_backend(trm_device *device)
{
  for (int tall = 0; tall < 2; tall++)
    for (int p = 0; p < lbm_precisions(device); p++) {
      const outcome *run = course(device, tall, (trm_precision)p);
      lbm_print_is_known(&run->print, run->lbm, (trm_precision)p);
    }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(mean_speeds_are_the_courses),
    TEST_DEVICE(the_final_state_is_the_courses),
    TEST_DEVICE(mean_speeds_in_single_precision_are_near),
    TEST_DEVICE(the_final_state_in_single_precision_is_near),
    TEST_DEVICE(mass_is_kept),
    TEST_DEVICE(every_bit_is_the_one_of_every_backend),
  };
  return TEST_RUN(argc, argv, cases);
}
