/* lbm_forms.c - keys that change one property of a step of the ladder. Each combination has the
 * bits of the solver's own kernel and does what its keys say. Combinations without sense are
 * refused. Groups may have any shape on a GPU. */
#include "tests/solvers/lbm/lbm_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/counters.h"
#include "solvers/lbm/driven/implementation.h"

/* Three leaves to a row, the last of 6 cells; rocks in the accelerated row too. */
static const lbm_case small = {.name = "small", .nx = 70, .ny = 6, .steps = 21, .solids = ROCKS};
/* More leaves than a chunk of the reduction has. */
static const lbm_case columns = {.name = "columns", .nx = 5, .ny = 9001, .steps = 3,
                                 .solids = ROCKS};

/* ---- combinations ------------------------------------------------------------------ */

typedef struct check_point {
  trm_device *device;
  trm_precision precision;
  lbm_print best;
  size_t forms;       /* so many were checked or left to the other precision */
} check_point;

static void check_run(lbm_run *run, const check_point *at, const char *keys)
{
  lbm_steps(run, 10, 4, 0);
  TEST_OK(run->solver->type->observe(run->solver));
  lbm_steps(run, run->lbm->steps - 10, 0, 0);
  const lbm_print found = lbm_prints(run);
  if (strcmp(found.state, at->best.state) != 0 || strcmp(found.series, at->best.series) != 0)
    fail_msg("%s: state %s, series %s; the best kernel has %s, %s", keys, found.state,
             found.series, at->best.state, at->best.series);
}

static void check_form(check_point *at, const char *keys, const trm_solver_options *options)
{
  lbm_run run;
  if (!test_takes(at->device, at->forms++, at->precision)) return;
  TEST_OK(lbm_try_keys(&run, at->device, &small, at->precision, keys, options));
  check_run(&run, at, keys);
  lbm_end(&run);
}

static check_point best_of(trm_device *device, trm_precision precision)
{
  check_point at = {.device = device, .precision = precision};
  lbm_run run;
  lbm_begin(&run, device, &small, precision, NULL);
  lbm_steps(&run, small.steps, 0, 0);
  at.best = lbm_prints(&run);
  lbm_end(&run);
  return at;
}

static const char *const layouts[] = {"arrays", "structs"};
static const char *const walls[] = {"branch", "select", "mask"};
static const char *const sums[] = {"item", "group", "tree", "group lbm.fold=host",
                                   "tree lbm.fold=host"};

/* A driver of a processor compiles a program for each layout, walls and class of sums (by one item,
 * by groups, by trees). There each layout has one class with each kind of walls, and each class has
 * both layouts. */
static int has_class(trm_device *device, size_t layout, size_t wall, size_t sum)
{
  static const size_t classes[COUNT(sums)] = {0, 1, 2, 1, 2};
  return !test_spares(device) || classes[sum] == (layout + wall) % 3;
}

/* Layout, walls and sums meet in the kernels, of a whole step or of one function each. */
static void kernels_that_combine(check_point *at, const char *split)
{
  char keys[256];
  for (size_t l = 0; l < COUNT(layouts); l++)
    for (size_t w = 0; w < COUNT(walls); w++)
      for (size_t s = 0; s < COUNT(sums); s++) {
        if (!has_class(at->device, l, w, s)) continue;
        snprintf(keys, sizeof keys, "lbm.implementation=bristol-fused lbm.split=%s "
                 "lbm.layout=%s lbm.walls=%s lbm.sum=%s", split, layouts[l], walls[w], sums[s]);
        at->forms = l + w;
        check_form(at, keys, NULL);
      }
}

/* Ways of a lattice meet layouts. */
static void ways_that_combine(check_point *at)
{
  static const char *const ways[] = {"lbm.back=swap", "lbm.back=command", "lbm.back=kernel",
                                     "lbm.back=waits", "lbm.transfer=step",
                                     "lbm.transfer=step lbm.back=command",
                                     "lbm.transfer=step lbm.split=true"};
  char keys[256];
  for (size_t l = 0; l < COUNT(layouts); l++)
    for (size_t i = 0; i < COUNT(ways); i++) {
      snprintf(keys, sizeof keys, "lbm.implementation=bristol-selects lbm.layout=%s %s",
               layouts[l], ways[i]);
      check_form(at, keys, NULL);
    }
}

static void every_combination_has_the_same_bits(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    check_point at = best_of(device, (trm_precision)p);
    kernels_that_combine(&at, "false");
    kernels_that_combine(&at, "true");
    ways_that_combine(&at);
  }
}

/* ---- the order of the sums ---------------------------------------------------------- */

/* volatile: gcc 12 leaves the rounding out of sums that it makes side by side. */
static double rounded(double sum, int is_f32)
{
  const volatile float in_f32 = (float)sum;
  return is_f32 ? (double)in_f32 : sum;
}

/* Fold by halves of values whose places are `at` and each `every`-th one after it: the two halves
 * are the odd and the even ones of these. */
static double halves(const double *v, int count, int at, int every, int is_f32)
{
  if (every == count) return v[at];
  return rounded(halves(v, count, at, 2 * every, is_f32) +
                 halves(v, count, at + every, 2 * every, is_f32), is_f32);
}

/* 256 lanes over chunks of 4096, then the chunks' sums; fewer than 4096 of these. */
static double reduced(const double *v, int count, int is_f32)
{
  double lane[256] = {0};
  if (count > 4096) {
    double chunks[64];
    const int last = (count - 1) / 4096;
    for (int c = 0; c <= last; c++)
      chunks[c] = reduced(v + 4096 * c, c < last ? 4096 : count - 4096 * last, is_f32);
    return reduced(chunks, last + 1, is_f32);
  }
  for (int i = 0; i < count; i++) lane[i % 256] = rounded(lane[i % 256] + v[i], is_f32);
  return halves(lane, 256, 0, 1, is_f32);
}

/* A cell's speeds of the last step, as doubles: malloc'd, the caller's. */
static double *speeds_of(const lbm_run *run)
{
  const lbm_solver *lbm = (const lbm_solver *)run->solver;
  const size_t cells = (size_t)run->lbm->nx * (size_t)run->lbm->ny;
  const size_t size = run->precision == TRM_F64 ? sizeof(double) : sizeof(float);
  char *raw = malloc(cells * size);
  double *speeds = malloc(cells * sizeof *speeds);
  assert_non_null(raw);
  assert_non_null(speeds);
  TEST_OK(trm_buffer_read(lbm->implementation->speeds, 0, cells * size, raw));
  for (size_t i = 0; i < cells; i++)
    speeds[i] = size == 8 ? ((const double *)(void *)raw)[i] : (double)((float *)(void *)raw)[i];
  free(raw);
  return speeds;
}

/* Leaves of 32 cells of a row, by halves; then their reduction. */
static double sum_as_stated(const double *speeds, int nx, int ny, int is_f32)
{
  const int row = (nx + 31) / 32;
  double *leaves = malloc((size_t)row * (size_t)ny * sizeof *leaves);
  assert_non_null(leaves);
  for (int l = 0; l < row * ny; l++) {
    double leaf[32] = {0};
    for (int i = 0; i < 32 && l % row * 32 + i < nx; i++)
      leaf[i] = speeds[l / row * nx + l % row * 32 + i];
    leaves[l] = halves(leaf, 32, 0, 1, is_f32);
  }
  const double sum = reduced(leaves, row * ny, is_f32);
  free(leaves);
  return sum;
}

static double of_series(const lbm_run *run, uint64_t step)
{
  const size_t size = run->precision == TRM_F64 ? sizeof(double) : sizeof(float);
  const unsigned char *at = run->series + size * step;
  double in_f64;
  float in_f32;
  if (size == sizeof in_f64) memcpy(&in_f64, at, size);
  else memcpy(&in_f32, at, size), in_f64 = (double)in_f32;
  return in_f64;
}

/* The sum that each step is to have, by the speeds of a run that keeps them; its own sums are
 * equal. Sums from first to last differ: so these speeds tell orders apart. */
static void find_sums(trm_device *device, const lbm_case *lbm, trm_precision precision,
                      double *stated)
{
  lbm_run run;
  const int is_f32 = precision == TRM_F32;
  int others = 0;
  TEST_OK(lbm_try_keys(&run, device, lbm, precision,
                       "lbm.implementation=bristol-arrays lbm.sum=item", NULL));
  for (uint64_t step = 0; step < lbm->steps; step++) {
    double plain = 0;
    lbm_steps(&run, 1, 1, 1);
    double *speeds = speeds_of(&run);
    stated[step] = sum_as_stated(speeds, lbm->nx, lbm->ny, is_f32);
    for (int i = 0; i < lbm->nx * lbm->ny; i++) plain = rounded(plain + speeds[i], is_f32);
    free(speeds);
    assert_true(of_series(&run, step) == stated[step]);
    others += plain != stated[step];
  }
  lbm_end(&run);
  assert_true(others > 0);
}

static void sums_in_the_order_of(trm_device *device, const lbm_case *lbm, trm_precision precision)
{
  double stated[32];
  assert_true(lbm->steps <= COUNT(stated));
  find_sums(device, lbm, precision, stated);
  for (size_t i = 1; i < COUNT(sums); i++) {
    char keys[200];
    lbm_run run;
    snprintf(keys, sizeof keys, "lbm.implementation=bristol-arrays lbm.sum=%s", sums[i]);
    TEST_OK(lbm_try_keys(&run, device, lbm, precision, keys, NULL));
    lbm_steps(&run, lbm->steps, 0, 0);
    for (uint64_t step = 0; step < lbm->steps; step++)
      if (of_series(&run, step) != stated[step]) fail_msg("%s: another sum", keys);
    lbm_end(&run);
  }
}

static void sums_are_in_the_stated_order(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    if (!test_takes(device, TRM_F32, (trm_precision)p)) continue;
    sums_in_the_order_of(device, &small, (trm_precision)p);
    sums_in_the_order_of(device, &columns, (trm_precision)p);
  }
}

/* ---- groups -------------------------------------------------------------------------- */

static void refused(trm_device *device, const char *keys, const trm_solver_options *options,
                    trm_status status, const char *part)
{
  lbm_run run;
  TEST_FAILS(lbm_try_keys(&run, device, &small, TRM_F32, keys, options), status, part);
}

/* Shapes that the best kernel or a host refuses. */
static void check_refusals(trm_device *device, const trm_solver_options *options)
{
  if (options->row_group_x % 32 == 0) return;
  refused(device, "lbm.implementation=best", options, TRM_ERROR_INVALID, "x is a multiple of 32");
  if (trm_device_describe(device)->is_host)
    refused(device, "lbm.implementation=bristol-selects", options, TRM_ERROR_UNSUPPORTED,
            "not testable here: a host has no groups");
}

/* Shapes of the report, full and odd ones. */
static void groups_of_any_shape_have_the_same_bits(trm_device *device)
{
  static const int shapes[][2] = {{10, 10}, {1, 32}, {8, 128}, {24, 4}, {64, 2}};
  static const int whole[][2] = {{64, 1}, {32, 4}};
  const int is_host = trm_device_describe(device)->is_host;
  for (int p = 0; p < lbm_precisions(device); p++) {
    check_point at = best_of(device, (trm_precision)p);
    for (size_t i = 0; i < COUNT(shapes); i++) {
      const trm_solver_options options = {.row_group_x = shapes[i][0],
                                          .row_group_y = shapes[i][1]};
      char keys[200];
      check_refusals(device, &options);
      at.forms = i;
      snprintf(keys, sizeof keys, "lbm.implementation=bristol-selects lbm.sum=%s",
               sums[i % COUNT(sums)]);
      if (!is_host) check_form(&at, keys, &options);
    }
    /* one item adds several leaves of each group */
    for (size_t i = 0; i < COUNT(whole) && !is_host; i++) {
      const trm_solver_options options = {.row_group_x = whole[i][0], .row_group_y = whole[i][1]};
      at.forms = i;
      check_form(&at, "lbm.implementation=bristol-selects lbm.sum=group", &options);
    }
    at.forms = 0;
    const trm_solver_options odd = {.row_group_x = 10, .row_group_y = 10};
    for (size_t s = 1; s < COUNT(sums) && !is_host; s++, at.forms = 0) {
      char keys[200];
      snprintf(keys, sizeof keys, "lbm.implementation=bristol-copied lbm.sum=%s", sums[s]);
      check_form(&at, keys, &odd);
    }
  }
}

/* ---- what the keys do ------------------------------------------------------------------ */

static void keys_without_sense_are_refused(trm_device *device)
{
  refused(device, "lbm.sum=group", NULL, TRM_ERROR_INPUT, "best is the solver's own kernel");
  refused(device, "lbm.implementation=bristol-arrays lbm.fold=host", NULL, TRM_ERROR_INPUT,
          "choose lbm.sum = group");
  refused(device, "lbm.implementation=bristol-copied lbm.back=kernel", NULL, TRM_ERROR_INPUT,
          "nothing goes back");
}

/* The commands of ten steps, past the first. */
static trm_counters counters_of(trm_device *device, const char *keys)
{
  lbm_run run;
  uint64_t done;
  TEST_OK(lbm_try_keys(&run, device, &small, TRM_F32, keys, NULL));
  TEST_OK(run.solver->type->advance(run.solver, 1, (double)INFINITY, 0, &done));
  const trm_counters before = trm_device_counters(device);
  TEST_OK(run.solver->type->advance(run.solver, 10, (double)INFINITY, 0, &done));
  const trm_counters after = trm_device_counters(device);
  lbm_end(&run);
  return (trm_counters){.launches = after.launches - before.launches,
                        .copies = after.copies - before.copies,
                        .writes = after.writes - before.writes,
                        .reads = after.reads - before.reads,
                        .read_bytes = after.read_bytes - before.read_bytes};
}

static void keys_do_what_they_say(trm_device *device)
{
  const char *const step = "lbm.implementation=bristol-selects ";
  char keys[200];
  static const struct { const char *keys; uint64_t launches, copies, writes, reads; } all[] = {
    {"", 30, 0, 0, 0}, /* acceleration, step, reduction */
    {"lbm.back=kernel", 40, 0, 0, 0},
    {"lbm.back=command", 30, 10, 0, 0},
    {"lbm.back=waits", 30, 10, 0, 0},
    {"lbm.split=true", 60, 0, 0, 0},
    {"lbm.sum=item", 30, 0, 0, 0},
    {"lbm.sum=group", 30, 0, 0, 0},
    {"lbm.fold=host", 20, 0, 1, 10}, /* leaves each step, the batch's sums once */
    {"lbm.transfer=step", 30, 0, 10, 10},
  };
  for (size_t i = 0; i < COUNT(all); i++) {
    snprintf(keys, sizeof keys, "%s%s", step, all[i].keys);
    const trm_counters found = counters_of(device, keys);
    print_message("# %s: %d launches, %d copies, %d writes, %d reads\n", all[i].keys,
                  (int)found.launches, (int)found.copies, (int)found.writes, (int)found.reads);
    assert_int_equal(found.launches, all[i].launches);
    assert_int_equal(found.copies, all[i].copies);
    assert_int_equal(found.writes, all[i].writes);
    assert_int_equal(found.reads, all[i].reads);
  }
  snprintf(keys, sizeof keys, "%slbm.fold=host", step);
  assert_int_equal(counters_of(device, keys).read_bytes, 10 * 18 * sizeof(float));
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_combination_has_the_same_bits),
    TEST_DEVICE(sums_are_in_the_stated_order),
    TEST_DEVICE(groups_of_any_shape_have_the_same_bits),
    TEST_DEVICE(keys_without_sense_are_refused),
    TEST_DEVICE(keys_do_what_they_say),
  };
  return TEST_RUN(argc, argv, cases);
}
