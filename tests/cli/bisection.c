/* bisection.c - trails of runs that agree: on every solver and every pair of backends, each command
 * has its counterpart, every buffer of fields can be compared, and nothing differs. So what
 * --bisect points at is where runs part, and no scratch memory that may differ. */
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/bisect/bisection.h"

static char *words[][10] = {
  { "lbm", "grid.nx=40", "grid.ny=24", "run.steps=9" },
  { "nbody", "nbody.initial=plummer", "nbody.bodies=768", "nbody.dt=0.01", "run.steps=9" },
  { "nbody", "nbody.initial=plummer", "nbody.bodies=768", "nbody.dt=0.01", "run.steps=9",
    "nbody.force=tree" },
  { "nbody", "nbody.initial=plummer", "nbody.bodies=768", "nbody.dt=0.01", "run.steps=9",
    "nbody.integrator=hermite4" },
  { "shallow", "grid.nx=40", "grid.ny=24", "grid.dx=1", "run.steps=9", "shallow.bed_formula=-2",
    "initial.surface=0.1*x/(x+1)" },
  { "shallow", "grid.nx=40", "grid.ny=24", "grid.dx=1", "run.steps=9", "shallow.bed_formula=-2",
    "initial.surface=0.1*x/(x+1)", "shallow.scheme=lax-friedrichs" },
};
enum { CASES = sizeof words / sizeof words[0] };

static run_case read_case(char *const *word)
{
  setting settings[10] = { { 0 } };
  size_t count = 0;
  for (; word[1 + count]; count++) {
    char *equals = strchr(word[1 + count], '=');
    settings[count] = (setting){ strndup(word[1 + count], (size_t)(equals - word[1 + count])),
                                 equals + 1, word[1 + count], TRM_RANK_SET };
  }
  const case_request wanted = { .settings = settings, .setting_count = count,
                                .operands = (const char *const *)word, .operand_count = 1 };
  run_case chosen;
  TEST_OK(case_create(&wanted, &chosen));
  for (size_t i = 0; i < count; i++) free(settings[i].key);
  return chosen;
}

static void examine(const run_case *chosen, trm_device *a, trm_device *b, bisection_stage stage,
                    uint64_t step)
{
  bisection found = { .side = { { chosen, a, "a", "a" }, { chosen, b, "b", "b" } }, .steps = 9,
                      .stage = stage, .step = step };
  TEST_OK(bisection_examine(&found));
  /* the scratch memory of bodies has as many rows as a device likes; that is said, and no more */
  const int is_split = strcmp(chosen->type->name, "nbody") == 0 && found.skipped[0] &&
                       !strstr(found.skipped, "\"positions\"") &&
                       !strstr(found.skipped, "\"velocities\"") &&
                       !strstr(found.skipped, "\"accelerations\"");
  const bisection_outcome none = is_split                     ? BISECTION_UNMATCHED
                                 : stage == BISECTION_OBSERVE ? BISECTION_NOTHING
                                                              : BISECTION_ALONE;
  if (found.outcome != none)
    fail_msg("%s, stage %d: buffer \"%s\" of %s differs in %zu of %zu values "
             "(%zu x %zu x %zu x %zu), first %zu: %g and %g; skipped: %s",
             chosen->name, (int)stage, found.buffer, found.command[0].kernel,
             found.difference.differing, found.difference.values, found.view.shape[0],
             found.view.shape[1], found.view.shape[2], found.view.shape[3], found.index,
             found.values[0], found.values[1], found.skipped);
  if (!is_split) assert_string_equal(found.skipped, "");
  assert_true(stage == BISECTION_CREATE || found.launches[0] > 0);
  assert_int_equal(found.launches[0], found.launches[1]);
}

static void runs_that_agree_leave_one_trail(trm_device *device)
{
  trm_device *host = test_open("openmp", NULL);
  for (size_t i = 0; i < CASES; i++) {
    run_case chosen = read_case(words[i]);
    examine(&chosen, host, device, BISECTION_CREATE, 0);
    examine(&chosen, host, device, BISECTION_STEP, 1);
    examine(&chosen, host, device, BISECTION_STEP, 9);
    examine(&chosen, host, device, BISECTION_OBSERVE, 9);
    case_clear(&chosen);
  }
  trm_device_close(&host);
}

static void a_search_in_runs_that_agree_finds_nothing(trm_device *device)
{
  run_case chosen = read_case(words[0]);
  trm_device *host = test_open("openmp", NULL);
  const bisection_side a = { &chosen, host, "a", "a" }, b = { &chosen, device, "b", "b" };
  bisection found;
  TEST_OK(bisection_run(&a, &b, 9, &found));
  assert_int_equal(found.outcome, BISECTION_NOTHING);
  trm_device_close(&host);
  case_clear(&chosen);
}

/* ---- layouts ------------------------------------------------------------------------- */

/* 2 x 2 cells with a ghost on each side against as many without. */
static void cells_are_compared_whatever_lies_between_them(void)
{
  const float wide[16] = { 9, 9, 9, 8, 1, 2, 8, 9, 8, 3, 4, 8, 9, 9, 9, 9 };
  float dense[4] = { 1, 2, 3, 4 };
  trail_layout of[2] = { { TRAIL_NONE, TRM_TYPE_F32, { 2, 2, 1, 1 }, { 4, 5, 10, 14, 0 }, 56, 0 },
                         { TRAIL_NONE, TRM_TYPE_F32, { 2, 2, 1, 1 }, { 0, 2, 4, 4, 0 }, 16, 0 } };
  trail_buffer buffers[2] = { { NULL, "f", 0, 56, 0, 0 }, { NULL, "f", 0, 16, 0, 0 } };
  trail trails[2];
  for (int i = 0; i < 2; i++)
    trails[i] = (trail){ .layouts = &of[i], .layout_count = 1,
                         .buffers = &buffers[i], .buffer_count = 1 };
  const bisection_pair pair = { { &trails[0], &trails[1] }, { 0, 0 },
                                { NULL, NULL },
                                { (const unsigned char *)wide, (const unsigned char *)dense },
                                TRM_TYPE_F32 };
  int comparable = 0;
  bisection_view view;
  trm_difference found;
  TEST_OK(bisection_compare(&pair, &comparable, &view, &found));
  assert_true(comparable);
  assert_int_equal(found.values, 4);
  assert_int_equal(found.differing, 0);
  dense[2] = 3.0000002f;
  TEST_OK(bisection_compare(&pair, &comparable, &view, &found));
  assert_int_equal(found.differing, 1);
  assert_int_equal(found.ulps, 1);
  assert_int_equal(found.first.x, 0);
  assert_int_equal(found.first.y, 1);
  of[1].shape[0] = 1; /* another field: nothing in common, and other sizes */
  TEST_OK(bisection_compare(&pair, &comparable, &view, &found));
  assert_false(comparable);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(cells_are_compared_whatever_lies_between_them),
    TEST_DEVICE(runs_that_agree_leave_one_trail),
    TEST_DEVICE(a_search_in_runs_that_agree_finds_nothing),
  };
  return TEST_RUN(argc, argv, cases);
}
