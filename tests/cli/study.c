/* study.c - what a study concludes from its numbers: parts that add up, crossings, intervals. */
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/scaling.h"
#include "cli/retrace/retrace.h"
#include "cli/study/study.h"

/* Numbers of a test, the same each time: in (0, 1). */
static double next(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(*state >> 33) + 0.5) / 2147483648.0;
}

static double normal(uint64_t *state)
{
  const double u = next(state), v = next(state);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* ---- why ------------------------------------------------------------------------- */

static const device_roofs roofs = {
  .copy_command.most = 1e12, .here = 1e12, .launch_plain.median = 3e-6,
  .launch_recorded.median = 1e-6, .to_device.median = 1e10, .from_device.median = 2e10,
  .transfer.median = 1e-5, .serial.median = 1e-9};

static study_row row(double step_seconds, row_cost cost)
{
  static double rates[8];
  static int used;
  double *rate = &rates[used++ % 8];
  *rate = 1000 / step_seconds;
  return (study_row){.who.benchmark = {.cells = 1000, .run_count = 1, .rates = rate}, .cost = cost};
}

static const why_part *part_of(const why *because, const char *what)
{
  for (size_t i = 0; i < because->count; i++)
    if (strcmp(because->parts[i].what, what) == 0) return &because->parts[i];
  return NULL;
}

static void a_part_is_a_count_times_its_price(void)
{
  const study_row slow = row(1e-3, (row_cost){.launches = 6, .written = 1e6, .read = 1e6,
                                              .transfers = 2, .bytes = 4e8,
                                              .burden.serial_values = 1e5, .burden.groups = 100,
                                              .burden.divergent_groups = 10});
  const study_row fast = row(2e-4, (row_cost){.launches = 2, .replayed = 2, .bytes = 1e8});
  const why because = study_explain(&slow, &fast, &roofs, 1);
  assert_true(fabs(because.saved - 8e-4) < 1e-12);
  assert_true(fabs(part_of(&because, "transfers")->seconds - (1e-4 + 5e-5 + 2e-5)) < 1e-12);
  assert_true(fabs(part_of(&because, "launches")->seconds - (18e-6 - 2e-6)) < 1e-12);
  assert_true(fabs(part_of(&because, "bytes")->seconds - 3e-4) < 1e-12);
  assert_true(fabs(part_of(&because, "serial")->seconds - 1e-4) < 1e-12);
  assert_true(isnan(part_of(&because, "divergence")->seconds));
}

/* A host that waits for each step's length moves few bytes, and pays for each time. */
static void few_bytes_in_many_transfers_are_told(void)
{
  const study_row slow = row(1e-4, (row_cost){.launches = 4, .read = 44, .transfers = 8});
  const study_row fast = row(2e-5, (row_cost){.launches = 4, .read = 24, .transfers = 0.004});
  const why because = study_explain(&slow, &fast, &roofs, 0);
  assert_true(fabs(part_of(&because, "transfers")->seconds - (20 / 2e10 + 7.996e-5)) < 1e-12);
  const study_row late = row(2e-5, (row_cost){.launches = 4, .read = 24, .transfers = 0.006});
  const why same = study_explain(&late, &fast, &roofs, 0);
  assert_null(part_of(&same, "transfers"));
}

/* A GPU's queue hides all of a launch but the gap between two kernels. */
static void launches_hide_behind_long_kernels_on_a_gpu(void)
{
  const study_row slow = row(1e-3, (row_cost){.launches = 6});
  const study_row fast = row(9e-4, (row_cost){.launches = 2});
  const why hidden = study_explain(&slow, &fast, &roofs, 0);
  const why waited = study_explain(&slow, &fast, &roofs, 1);
  assert_true(fabs(part_of(&hidden, "launches")->seconds - 4e-6) < 1e-12);
  assert_true(fabs(part_of(&waited, "launches")->seconds - 12e-6) < 1e-12);
  const study_row quick = row(8e-6, (row_cost){.launches = 2});
  const study_row tight = row(20e-6, (row_cost){.launches = 6});
  const why bound = study_explain(&tight, &quick, &roofs, 0);
  assert_true(fabs(part_of(&bound, "launches")->seconds - 12e-6) < 1e-12);
}

static const why_part *one_part(const row_cost *before, const row_cost *after, double seconds,
                                double next_seconds, const char *what)
{
  static why because;
  const study_row a = row(seconds, *before), b = row(next_seconds, *after);
  device_roofs prices = roofs;
  prices.launch_apart.median = 3e-6;
  because = study_explain(&a, &b, &prices, 0);
  assert_int_equal(because.count, 1);
  assert_true(fabs(because.rest + because.parts[0].seconds - because.saved) < 1e-15);
  return part_of(&because, what);
}

/* A step of 100 items in 128 lanes takes at most 1.28 times as long. */
static void a_bound_explains_no_more_than_it_may_cost(void)
{
  const row_cost whole = {.items = 256, .lanes = 256}, part = {.items = 100, .lanes = 128};
  assert_true(fabs(one_part(&whole, &part, 1e-3, 1.2e-3, "lanes")->seconds + 2e-4) < 1e-12);
  assert_true(fabs(one_part(&whole, &part, 1e-3, 1.5e-3, "lanes")->seconds + 2.8e-4) < 1e-12);
  assert_true(one_part(&whole, &part, 1e-3, 0.9e-3, "lanes")->seconds == 0);
  assert_true(fabs(one_part(&part, &whole, 1.28e-3, 1e-3, "lanes")->seconds - 2.8e-4) < 1e-12);
  const row_cost all = {.launches = 1}, quarter = {.launches = 1, .resident = 0.25};
  assert_true(fabs(one_part(&all, &quarter, 1e-3, 3e-3, "residency")->seconds + 2e-3) < 1e-12);
  assert_true(fabs(one_part(&all, &quarter, 1e-3, 5e-3, "residency")->seconds + 3e-3) < 1e-12);
}

/* Ten launches that no longer overlap: 3 us each for 1 us. */
static void a_lost_overlap_has_its_price(void)
{
  const row_cost over = {.launches = 10}, apart = {.launches = 10, .apart = 1};
  assert_true(fabs(one_part(&over, &apart, 1e-4, 1.3e-4, "overlap")->seconds + 2e-5) < 1e-12);
  assert_true(fabs(one_part(&apart, &over, 1.3e-4, 1e-4, "overlap")->seconds - 2e-5) < 1e-12);
}

static void parts_and_rest_are_the_whole(void)
{
  uint64_t seed = 1;
  for (int t = 0; t < 1000; t++) {
    row_cost cost[2];
    for (int i = 0; i < 2; i++)
      cost[i] = (row_cost){.launches = 9 * next(&seed), .replayed = 0, .written = 1e6 * next(&seed),
                           .read = 1e6 * next(&seed), .transfers = 3 * next(&seed),
                           .bytes = 1e8 * next(&seed), .burden.serial_values = 1e6 * next(&seed),
                           .burden.groups = 100, .burden.divergent_groups = 100 * next(&seed)};
    const study_row a = row(1e-3 * next(&seed), cost[0]), b = row(1e-3 * next(&seed), cost[1]);
    const why because = study_explain(&a, &b, &roofs, t % 2);
    double sum = because.rest;
    for (size_t i = 0; i < because.count; i++)
      if (isfinite(because.parts[i].seconds)) sum += because.parts[i].seconds;
    assert_true(fabs(sum - because.saved) < 1e-15);
  }
}

static void what_does_not_change_is_no_part(void)
{
  const row_cost cost = {.launches = 3, .written = 1e6, .bytes = 1e8, .burden.serial_values = 5,
                         .burden.groups = 8, .burden.divergent_groups = 2};
  const study_row a = row(2e-4, cost), b = row(1e-4, cost);
  const why because = study_explain(&a, &b, &roofs, 1);
  assert_int_equal(because.count, 0);
  assert_true(fabs(because.rest - 1e-4) < 1e-12);
}

/* ---- crossings -------------------------------------------------------------------- */

static void a_crossing_of_power_laws_is_exact(void)
{
  const double sizes[] = {32, 64, 128, 256, 512, 1024};
  double ratios[6];
  int rising = -1;
  for (int i = 0; i < 6; i++) ratios[i] = pow(sizes[i] / 180, 1.3);
  assert_true(fabs(crossing_of(sizes, ratios, 6, &rising) - 180) < 1e-9);
  assert_int_equal(rising, 1);
  for (int i = 0; i < 6; i++) ratios[i] = 1 / ratios[i];
  assert_true(fabs(crossing_of(sizes, ratios, 6, &rising) - 180) < 1e-9);
  assert_int_equal(rising, 0);
}

/* A step on a processor: n^2 / c; on a GPU: a launch and n^2 / g. They cross where n^2 (1/c -
 * 1/g) is the launch. */
static void a_crossing_of_two_devices_is_found(void)
{
  const double c = 1e9, g = 2e10, launch = 20e-6;
  const double truth = sqrt(launch / (1 / c - 1 / g));
  double sizes[8], ratios[8];
  int rising = 0;
  for (int i = 0; i < 8; i++) {
    sizes[i] = 32 << i;
    ratios[i] = (sizes[i] * sizes[i] / c) / (launch + sizes[i] * sizes[i] / g);
  }
  assert_true(fabs(crossing_of(sizes, ratios, 8, &rising) / truth - 1) < 0.03);
  assert_int_equal(rising, 1);
}

static void where_nothing_crosses_nothing_is_found(void)
{
  const double sizes[] = {1, 2, 4}, above[] = {1.1, 2, 3}, hole[] = {0.5, (double)NAN, 2};
  int rising = 0;
  assert_true(isnan(crossing_of(sizes, above, 3, &rising)));
  assert_true(isnan(crossing_of(sizes, above, 1, &rising)));
  assert_true(isnan(crossing_of(sizes, hole, 3, &rising)));
}

/* ---- intervals ---------------------------------------------------------------------- */

/* Two rows whose speeds differ by 1.3, with noise of their own and a drift that both share. */
static void an_interval_of_a_ratio_covers_the_truth(void)
{
  enum { DRAWS = 4000, RUNS = 6 };
  uint64_t seed = 7;
  int covered = 0;
  for (int t = 0; t < DRAWS; t++) {
    double rates[2][RUNS];
    const benchmark a = {.cells = 1, .run_count = RUNS, .rates = rates[0]};
    const benchmark b = {.cells = 1, .run_count = RUNS, .rates = rates[1]};
    for (int i = 0; i < RUNS; i++) {
      const double drift = exp(0.3 * normal(&seed));
      a.rates[i] = drift * exp(0.05 * normal(&seed));
      b.rates[i] = 1.3 * drift * exp(0.05 * normal(&seed));
    }
    interval range;
    (void)benchmark_ratio(&b, &a, &range);
    covered += range.low <= 1.3 && range.high >= 1.3;
  }
  /* six coins all alike: 1 - 2 / 64 = 0.969, give or take three standard deviations */
  assert_true(covered > DRAWS * 0.960 && covered < DRAWS * 0.978);
}

/* ---- several devices ---------------------------------------------------------------- */

static scaling scaled(const scaled_run *runs, size_t count, size_t one)
{
  scaling of;
  scaling_of(runs, count, one, &of);
  return of;
}

static void a_perfect_run_is_as_fast_as_its_devices_together(void)
{
  static const scaled_run runs[] = {
    {"openmp:0", "Some CPU", 3e-3}, {"opencl:0", "Some GPU", 1e-3},
    {"devices:2", "openmp:0, opencl:0", 1e-3}, {"devices:2", "opencl:0@0, opencl:1@1", 1e-3},
    {"devices:300", "opencl:0, opencl:1 and 298 more", 1e-5}};
  scaling of = scaled(runs, 5, 2);
  assert_float_equal(of.speedup, 3, 1e-9);
  assert_float_equal(of.efficiency, 0.75, 1e-9); /* of 4 000 steps a second */
  assert_float_equal(of.lost, 0.25e-3, 1e-12);
  assert_string_equal(of.missing, "");
  of = scaled(runs, 5, 3);               /* the second GPU counts as the first */
  assert_float_equal(of.efficiency, 0.5, 1e-9);
  of = scaled(runs, 5, 4);               /* and so do those that are not named */
  assert_float_equal((3 * of.efficiency), 1, 1e-6);
  of = scaled(runs, 5, 1);
  assert_float_equal(of.efficiency, 1, 1e-9);
  assert_float_equal(of.lost, 0, 1e-12);
}

static void of_unlike_devices_each_must_have_run_alone(void)
{
  static const scaled_run runs[] = {
    {"openmp:0", "Some CPU", 4e-3}, {"devices:2", "openmp:0, opencl:0", 1e-3},
    {"devices:99", "openmp:0, openmp:0, opencl:0 and 96 more", 1e-3},
    {"opencl:0", "Some GPU", (double)NAN}};
  scaling of = scaled(runs, 4, 1);
  assert_float_equal(of.speedup, 4, 1e-9);
  assert_true(isnan(of.efficiency) && isnan(of.lost));
  assert_string_equal(of.missing, "opencl:0 was not run alone");
  static const scaled_run more[] = {{"openmp:0", "", 4e-3}, {"opencl:0", "", 1e-3},
                                    {"devices:99", "openmp:0, opencl:0 and 97 more", 1e-3}};
  of = scaled(more, 3, 2);
  assert_true(isnan(of.efficiency));
  assert_string_equal(of.missing, "not all of the devices are named");
}

static void like_devices_are_held_against_fewer(void)
{
  static const scaled_run runs[] = {
    {"devices:2", "cuda:0@0, cuda:0@1", 4e-3},
    {"devices:4", "cuda:0@0, cuda:0@1, cuda:0@2, cuda:0@3", 2.5e-3},
    {"devices:4", "cuda:0@0, cuda:0@1, cuda:0@2, openmp:0@3", 2.5e-3}};
  assert_float_equal(scaled(runs, 3, 1).efficiency, 0.8, 1e-9);
  assert_string_equal(scaled(runs, 3, 2).missing, "cuda:0 was not run alone");
}

/* ---- verdicts on a published report ------------------------------------------------ */

static const interval sure = {1.9, 2.1, 0.97}, unsure = {0.9, 2.1, 0.97}, slower = {0.4, 0.6, 0.97},
                      few = {1.9, 2.1, 0.5};

static void a_ratio_is_judged_by_sign_and_size(void)
{
  assert_int_equal(retrace_compare(2.5, 2.0, &sure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_compare(3.0, 2.0, &sure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_compare(3.01, 2.0, &sure), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_compare(1.3, 2.0, &sure), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_compare(2.0, 2.0, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_compare(2.0, 2.0, &few), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_compare(2.0, 0.5, &slower), RETRACE_OPPOSITE);
  assert_int_equal(retrace_compare(0.5, 0.5, &slower), RETRACE_REPRODUCED);
  assert_int_equal(retrace_compare(0.5, 2.0, &sure), RETRACE_OPPOSITE);
}

static void a_claim_without_a_number_has_limits(void)
{
  const double none = (double)NAN;
  const retrace_limits above = {1.2, none, none, none, none}, most = {none, 1.5, none, none, none},
                       both = {1.0, 2.0, none, none, none}, least = {none, none, 0.97, none, none},
                       within = {none, none, none, 0.05, none},
                       under = {none, none, none, none, 0.9},
                       between = {none, 1.5, 0.97, none, none};
  assert_int_equal(retrace_limit(&above, 2.0, &sure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&above, 1.1, &sure), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_limit(&above, 1.1, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_limit(&above, 0.5, &slower), RETRACE_OPPOSITE);
  assert_int_equal(retrace_limit(&most, 2.0, &sure), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_limit(&most, 1.1, &unsure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&both, 1.5, &sure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&both, 2.5, &sure), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_limit(&both, 1.1, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_limit(&least, 2.0, &sure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&least, 0.98, &slower), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&least, 0.5, &slower), RETRACE_OPPOSITE);
  assert_int_equal(retrace_limit(&under, 0.5, &slower), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&under, 0.95, &slower), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_limit(&under, 2.0, &sure), RETRACE_OPPOSITE);
  assert_int_equal(retrace_limit(&under, 1.1, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_limit(&within, 1.04, &unsure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&within, 1.1, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_limit(&within, 0.5, &slower), RETRACE_OPPOSITE);
  assert_int_equal(retrace_limit(&most, 1.6, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_limit(&most, 0.9, &slower), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&least, 0.9, &unsure), RETRACE_NOT_SEEN);
  assert_int_equal(retrace_limit(&between, 0.5, &slower), RETRACE_OPPOSITE);
  assert_int_equal(retrace_limit(&between, 1.1, &unsure), RETRACE_REPRODUCED);
  assert_int_equal(retrace_limit(&between, 2.0, &sure), RETRACE_OTHER_SIZE);
  assert_int_equal(retrace_limit(&within, 2.0, &sure), RETRACE_OPPOSITE);
}

/* A report of one table and rows a, b, c with these seconds published and these speeds here. */
enum { OF_TABLE = 3, RUNS = 6 };

typedef struct small_report {
  retrace all;
  study_row rows[OF_TABLE];
  retrace_entry entries[OF_TABLE];
  double rates[OF_TABLE][RUNS];
  device_roofs roofs[1];
  candidate_device device;
  trm_device_info info;
  char devices[1][128];
} small_report;

static void make_report(small_report *out, const double speeds[OF_TABLE])
{
  static const trm_implementation form = {.name = "a form", .settings = ""};
  static const char text[] =
    "{\"tables\": [{\"id\": \"t\", \"rows\": [{\"row\": \"a\", \"published\": 4},"
    "{\"row\": \"b\", \"published\": 2}, {\"row\": \"c\", \"published\": 1.99}]}],"
    "\"claims\": [{\"claim\": \"C\", \"kind\": \"order\", \"table\": \"t\"},"
    "{\"claim\": \"B\", \"kind\": \"bits\", \"table\": \"t\"},"
    "{\"claim\": \"F\", \"kind\": \"best\", \"table\": \"t\", \"row\": \"b\", \"within\": 0.1}]}";
  *out = (small_report){.all.of.row_count = OF_TABLE};
  retrace *all = &out->all;
  all->report = json_loads(text, 0, NULL);
  const json_t *table = json_array_get(json_object_get(all->report, "tables"), 0);
  for (size_t i = 0; i < OF_TABLE; i++) {
    for (size_t k = 0; k < RUNS; k++)
      out->rates[i][k] = speeds[i] * (1 + 0.001 * (double)(k % 2));
    out->rows[i].who.benchmark = (benchmark){.cells = 1000, .repeats = 1, .rates = out->rates[i],
                                             .run_count = RUNS, .fingerprint = "f"};
    out->rows[i].implementation = &form;
    out->entries[i] = (retrace_entry){
      .table = table, .row = json_array_get(json_object_get(table, "rows"), i), .at = (long)i};
  }
  all->of.rows = out->rows;
  all->of.roofs = out->roofs;
  all->of.devices.list = &out->device;
  all->entries = out->entries;
  all->entry_count = OF_TABLE;
  all->infos = &out->info;
  all->devices = out->devices;
  all->device_count = 1;
  retrace_judge(all);
}

static void clear_report(small_report *of)
{
  json_decref(of->all.report);
  free(of->all.claims);
}

/* JSON with ' for ". */
static json_t *json_of(const char *text)
{
  char *quoted = strdup(text);
  for (char *at = quoted; *at; at++)
    if (*at == '\'') *at = '"';
  json_t *made = json_loads(quoted, 0, NULL);
  free(quoted);
  assert_non_null(made);
  return made;
}

/* Judges it again, with this claim alone. */
static const retrace_claim *judge_claim(small_report *of, const char *claim)
{
  json_t *list = json_array();
  json_array_append_new(list, json_of(claim));
  json_object_set_new(of->all.report, "claims", list);
  free(of->all.claims);
  of->all.claims = NULL;
  of->all.claim_count = 0;
  for (size_t i = 0; i < of->all.entry_count; i++) {
    of->entries[i].verdict = RETRACE_FREE;
    of->entries[i].reason[0] = 0;
  }
  retrace_judge(&of->all);
  assert_int_equal(of->all.claim_count, 1);
  return of->all.claims;
}

static void rows_of_a_report_are_judged(void)
{
  small_report made;
  make_report(&made, (const double[]){100, 210, 300});
  assert_int_equal(made.entries[0].verdict, RETRACE_FREE);
  assert_int_equal(made.entries[1].verdict, RETRACE_REPRODUCED);
  assert_true(fabs(made.entries[1].published - 2) < 1e-12);
  assert_int_equal(made.entries[2].verdict, RETRACE_FREE); /* half a percent, in single runs */
  assert_non_null(strstr(made.entries[2].reason, "No verdict"));
  assert_int_equal(made.all.claims[0].verdict, RETRACE_REPRODUCED);
  assert_int_equal(made.all.claims[1].verdict, RETRACE_REPRODUCED);
  assert_int_equal(made.all.claims[2].verdict, RETRACE_OPPOSITE);
  assert_non_null(strstr(made.all.claims[2].reason, "the fastest is 'c', 1.43 times"));
  clear_report(&made);
  make_report(&made, (const double[]){100, 210, 220});
  assert_int_equal(made.all.claims[2].verdict, RETRACE_REPRODUCED);
  clear_report(&made);
}

/* A tree updates bodies, and pairs are interactions: a factor is of the times of a step. */
static void a_factor_is_one_of_steps(void)
{
  small_report made;
  make_report(&made, (const double[]){100, 100, 100});
  made.rows[1].who.benchmark.cells = 250; /* a step of row b takes 2.5 s, of row a 10 s */
  (void)judge_claim(&made, "{'kind': 'none'}");
  assert_float_equal(made.entries[1].factor, 4, 1e-9);
  assert_true(made.entries[1].range.low > 3.9 && made.entries[1].range.high < 4.1);
  clear_report(&made);
}

static void two_runs_or_wrong_bits_decide_no_claim_on_speed(void)
{
  static const char *const claims[] = {
    "{'kind': 'order', 'table': 't'}",
    "{'kind': 'best', 'table': 't', 'row': 'c', 'within': 0.1}",
    "{'kind': 'returns', 'table': 't', 'rows': ['a', 'b', 'c']}",
    "{'kind': 'maximum', 'table': 't', 'row': 'c', 'others': ['a', 'b']}",
    "{'kind': 'row', 'table': 't', 'row': 'c', 'above': 1.1}"};
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    small_report made;
    make_report(&made, (const double[]){100, 210, 300});
    assert_int_equal(judge_claim(&made, claims[i])->verdict, RETRACE_REPRODUCED);
    for (size_t k = 0; k < OF_TABLE; k++) made.rows[k].who.benchmark.run_count = 2;
    const retrace_claim *two = judge_claim(&made, claims[i]);
    assert_int_equal(two->verdict, RETRACE_UNTESTABLE);
    assert_non_null(strstr(two->reason, "too few runs"));
    for (size_t k = 0; k < OF_TABLE; k++) made.rows[k].who.benchmark.run_count = RUNS;
    snprintf(made.rows[2].who.benchmark.fingerprint, 33, "g");
    const retrace_claim *wrong = judge_claim(&made, claims[i]);
    if (i == 0) assert_non_null(strstr(wrong->reason, "1 of 1 pairs")); /* a and b alone */
    else assert_int_equal(wrong->verdict, RETRACE_UNTESTABLE);
    clear_report(&made);
  }
}

/* Limits of a row whose base failed, or has other bits. */
static void a_row_without_a_good_base_has_no_verdict(void)
{
  static const char *const limits[] = {"above", "most", "least", "within", "under"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    small_report made;
    make_report(&made, (const double[]){100, 210, 300});
    json_t *row = (json_t *)made.entries[2].row;
    json_object_set_new(row, limits[i], json_real(1));
    made.rows[1].status = ROW_FAILED;
    (void)judge_claim(&made, "{'kind': 'none'}");
    assert_int_equal(made.entries[2].verdict, RETRACE_UNTESTABLE);
    assert_non_null(strstr(made.entries[2].reason, "its base, row 'b', cannot run here"));
    made.rows[1].status = ROW_FINISHED;
    snprintf(made.rows[1].who.benchmark.fingerprint, 33, "g");
    (void)judge_claim(&made, "{'kind': 'none'}");
    assert_int_equal(made.entries[2].verdict, RETRACE_UNTESTABLE);
    assert_non_null(strstr(made.entries[2].reason, "has a result that differs"));
    clear_report(&made);
  }
}

static void noise_is_no_proof_of_the_best(void)
{
  static const char claim[] = "{'kind': 'best', 'table': 't', 'row': 'a', 'within': 0.1}";
  static const double noise[RUNS] = {0.5, 2, 1, 3, 0.7, 2};
  small_report made;
  make_report(&made, (const double[]){100, 100, 100});
  assert_int_equal(judge_claim(&made, claim)->verdict, RETRACE_REPRODUCED);
  for (size_t k = 0; k < RUNS; k++) made.rates[1][k] = 100 * noise[k];
  assert_int_equal(judge_claim(&made, claim)->verdict, RETRACE_NOT_SEEN);
  made.rows[1].status = made.rows[2].status = ROW_FAILED;
  assert_int_equal(judge_claim(&made, claim)->verdict, RETRACE_UNTESTABLE);
  clear_report(&made);
}

static void a_maximum_is_above_all_others(void)
{
  static const char claim[] = "{'kind': 'maximum', 'table': 't', 'row': 'b', "
                              "'others': ['a', 'c']}";
  static const struct { double speeds[OF_TABLE]; retrace_verdict verdict; } cases[] = {
    {{100, 210, 150}, RETRACE_REPRODUCED}, {{100, 210, 300}, RETRACE_OPPOSITE},
    {{100, 210, 210}, RETRACE_NOT_SEEN}, {{300, 210, 210}, RETRACE_OPPOSITE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    make_report(&made, cases[i].speeds);
    assert_int_equal(judge_claim(&made, claim)->verdict, cases[i].verdict);
    clear_report(&made);
  }
}

/* The gain of a third row lies below that of the second, whatever each is held against. */
static void returns_decrease_from_row_to_row(void)
{
  static const char claim[] = "{'kind': 'returns', 'table': 't', 'rows': ['a', 'b', 'c']}";
  static const struct { double speeds[OF_TABLE]; retrace_verdict verdict; } cases[] = {
    {{100, 200, 300}, RETRACE_REPRODUCED}, {{100, 200, 500}, RETRACE_OPPOSITE},
    {{100, 200, 400}, RETRACE_NOT_SEEN}, {{100, 90, 80}, RETRACE_REPRODUCED}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    make_report(&made, cases[i].speeds);
    json_object_set_new((json_t *)made.entries[1].row, "against", json_string("c"));
    assert_int_equal(judge_claim(&made, claim)->verdict, cases[i].verdict);
    clear_report(&made);
  }
}

static void a_rate_above_the_roof_needs_a_cache(void)
{
  static const char claim[] = "{'kind': 'roof', 'table': 't', 'row': 'a', 'low': 0.6, 'high': 1}";
  static const struct {
    double part, here;
    retrace_verdict verdict;
    const char *says, *not;
  } cases[] = {
    {0.8, 1, RETRACE_REPRODUCED, "0.8 of the device's copy", "allows"},
    {0.5, 1, RETRACE_OTHER_SIZE, "unexplained, the rule allows 0.6 to 1", "cache"},
    {2.0, 2, RETRACE_OTHER_SIZE, "lie in a cache", "unexplained"},
    {2.0, 1, RETRACE_OTHER_SIZE, "unexplained, the rule allows", "cache"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    make_report(&made, (const double[]){1000, 210, 300}); /* a step a second */
    made.roofs[0] = roofs;
    made.roofs[0].here = 1e12 * cases[i].here;
    made.rows[0].cost.bytes = cases[i].part * 1e12 / 1.0005;
    const retrace_claim *of = judge_claim(&made, claim);
    assert_int_equal(of->verdict, cases[i].verdict);
    assert_non_null(strstr(of->reason, cases[i].says));
    assert_null(strstr(of->reason, cases[i].not));
    clear_report(&made);
  }
}

/* Two sizes that are near each other need little noise for a power of their times. */
static void a_power_is_judged_by_its_noise(void)
{
  static const char claim[] = "{'kind': 'growth', 'tables': ['s', 't'], 'row': 'a', 'power': 1}";
  static const struct {
    double cells, speed, noise;
    size_t runs;
    retrace_verdict verdict;
  } cases[] = {
    {1e6, 100, 0, RUNS, RETRACE_REPRODUCED}, {1e6, 100, 0.3, RUNS, RETRACE_REPRODUCED},
    {1200, 100, 0.3, RUNS, RETRACE_NOT_SEEN}, {1e6, 400, 0.01, RUNS, RETRACE_OTHER_SIZE},
    {1e6, 100, 0, 2, RETRACE_UNTESTABLE}, {1000, 100, 0, RUNS, RETRACE_UNTESTABLE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    make_report(&made, (const double[]){100, 100, 100});
    json_t *tables = json_object_get(made.all.report, "tables"), *other = json_of("{'id': 's'}");
    json_array_append_new(tables, other);
    made.entries[1].table = other;
    made.entries[1].row = made.entries[0].row;
    made.rows[1].who.benchmark.cells = cases[i].cells;
    for (size_t k = 0; k < RUNS; k++)
      made.rates[1][k] = cases[i].speed * (1 + cases[i].noise * (double)(k % 2));
    for (size_t k = 0; k < OF_TABLE; k++) made.rows[k].who.benchmark.run_count = cases[i].runs;
    assert_int_equal(judge_claim(&made, claim)->verdict, cases[i].verdict);
    clear_report(&made);
  }
}

/* Row b takes 5 s a step less than row a; its transfers, at 1e10 bytes a second, would take so
 * many. */
static void a_gain_is_held_against_its_parts(void)
{
  static const char exact[] = "{'kind': 'row', 'table': 't', 'row': 'b', 'above': 1, "
                              "'parts': ['transfers']}",
                    most[] = "{'kind': 'row', 'table': 't', 'row': 'b', 'above': 1, "
                             "'parts': ['transfers'], 'is_most': true}";
  static const struct {
    const char *claim;
    double seconds;
    retrace_verdict verdict;
  } cases[] = {
    {exact, 5, RETRACE_REPRODUCED}, {exact, 7, RETRACE_REPRODUCED}, {exact, 8, RETRACE_OTHER_SIZE},
    {exact, 3, RETRACE_OTHER_SIZE}, {exact, 0, RETRACE_OTHER_SIZE}, {most, 8, RETRACE_REPRODUCED},
    {most, 3, RETRACE_OTHER_SIZE}, {most, 0, RETRACE_OTHER_SIZE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    make_report(&made, (const double[]){100, 200, 300});
    made.roofs[0] = roofs;
    made.rows[0].cost.written = 1e10 * cases[i].seconds;
    const retrace_claim *of = judge_claim(&made, cases[i].claim);
    assert_int_equal(of->verdict, cases[i].verdict);
    if (of->verdict == RETRACE_REPRODUCED) assert_non_null(strstr(of->reason, "at 10 GB/s"));
    if (cases[i].seconds < 5) assert_non_null(strstr(of->reason, "unexplained"));
    made.roofs[0].copy_command.most = 0;
    of = judge_claim(&made, cases[i].claim);
    assert_int_equal(of->verdict, RETRACE_OTHER_SIZE);
    assert_non_null(strstr(of->reason, "costs were not measured"));
    clear_report(&made);
  }
}

static void each_of_several_rows_is_judged(void)
{
  static const char claim[] = "{'kind': 'row', 'table': 't', 'rows': ['b', 'c'], 'above': 1.1}";
  small_report made;
  make_report(&made, (const double[]){100, 200, 300});
  assert_int_equal(judge_claim(&made, claim)->verdict, RETRACE_REPRODUCED);
  clear_report(&made);
  make_report(&made, (const double[]){100, 200, 150});
  assert_int_equal(judge_claim(&made, claim)->verdict, RETRACE_OPPOSITE);
  assert_non_null(strstr(made.all.claims[0].reason, "t, row 'c': opposite"));
  clear_report(&made);
}

/* Row a with a kept profile. */
static const retrace_claim *judge_profile(small_report *made, const char *claim,
                                          const char *kept)
{
  static const variation cases = {0};
  make_report(made, (const double[]){100, 200, 300});
  made->rows[0].who.cases = &cases;
  made->all.of.kernels = json_object();
  json_object_set_new(made->all.of.kernels, "", json_of(kept));
  return judge_claim(made, claim);
}

static void few_kernels_take_most_of_the_time(void)
{
  static const char claim[] = "{'kind': 'few', 'table': 't', 'row': 'a', 'count': 2, "
                              "'above': 0.8}";
  static const struct {
    const char *profile;
    retrace_verdict verdict;
    const char *says;
  } cases[] = {
    {"[[{'name': 'x', 'share': 0.5}, {'name': 'y', 'share': 0.31}, {'name': 'z', 'share': 0.19}]]",
     RETRACE_REPRODUCED, "x 50.0, y 31.0: 81.0 % of the time"},
    {"[[{'name': 'x', 'share': 0.5}, {'name': 'y', 'share': 0.29}, {'name': 'z', 'share': 0.21}]]",
     RETRACE_OTHER_SIZE, "unexplained: x 50.0, y 29.0: 79.0 %"},
    {"[[]]", RETRACE_UNTESTABLE, "no time of kernels is known"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    const retrace_claim *of = judge_profile(&made, claim, cases[i].profile);
    assert_int_equal(of->verdict, cases[i].verdict);
    assert_non_null(strstr(of->reason, cases[i].says));
    json_decref(made.all.of.kernels);
    clear_report(&made);
  }
}

static void the_limit_of_each_kernel_is_told(void)
{
  static const char claim[] = "{'kind': 'bound', 'table': 't', 'row': 'a', "
                              "'kernels': ['x', 'y'], 'bound': 'arithmetic'}";
  static const struct {
    const char *x, *y, *part; /* part: of the arithmetic that y has */
    retrace_verdict verdict;
    const char *says;
  } cases[] = {
    {"arithmetic", "arithmetic", "0.7", RETRACE_REPRODUCED,
     "x has 0.2 of the bandwidth and 0.7 of the"},
    {"arithmetic", "bandwidth", "0.1", RETRACE_OPPOSITE, "arithmetic: bandwidth binds"},
    {"launch", "arithmetic", "0.7", RETRACE_NOT_SEEN, "launch binds"},
    {"latency", "latency", "0.1", RETRACE_NOT_SEEN, "latency binds"},
    {"arithmetic", "", "0.1", RETRACE_UNTESTABLE, "kernel y are not known"},
    {"arithmetic", "bandwidth", "null", RETRACE_UNTESTABLE, "kernel y are not known"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    small_report made;
    char kept[400];
    snprintf(kept, sizeof kept,
             "[[{'name': 'x', 'of_bandwidth': 0.2, 'of_arithmetic': 0.7, 'bound': '%s'}"
             "%s%s%s%s%s]]",
             cases[i].x, *cases[i].y ? ", {'name': 'y', 'of_bandwidth': 0.6, 'bound': '" : "",
             cases[i].y, *cases[i].y ? "', 'of_arithmetic': " : "",
             *cases[i].y ? cases[i].part : "", *cases[i].y ? "}" : "");
    const retrace_claim *of = judge_profile(&made, claim, kept);
    assert_int_equal(of->verdict, cases[i].verdict);
    assert_non_null(strstr(of->reason, cases[i].says));
    json_decref(made.all.of.kernels);
    clear_report(&made);
  }
}

/* ---- two devices and three grids --------------------------------------------------------- */

enum { GRIDS = 3, DEVICES = 2 };

static retrace_verdict judge_crossing(const double speeds[GRIDS], const double noise[GRIDS],
                                      size_t runs, const char *says)
{
  static const arguments args = {0};
  static const trm_implementation form = {.name = "a form", .settings = ""};
  const char text[] =
    "{'tables': [{'id': 's'}, {'id': 'm'}, {'id': 'l'}], 'row': {'row': 'r'}, 'claims': ["
    "{'kind': 'crossover', 'tables': ['s', 'm', 'l'], 'host': 'r', 'gpu': 'r', "
    "'published': [0.53, 0.92, 2.57]}]}";
  retrace_entry entries[GRIDS * DEVICES] = {0};
  study_row rows[GRIDS * DEVICES] = {0};
  double rates[GRIDS * DEVICES][RUNS];
  device_roofs prices[1] = {{.launch_plain.median = 3e-6}};
  candidate_device device = {0};
  trm_device_info infos[DEVICES] = {{.is_host = 1}, {.is_host = 0}};
  char names[DEVICES][128] = {"openmp", "cuda"};
  retrace all = {.of.row_count = GRIDS * DEVICES, .of.rows = rows, .of.roofs = prices,
                 .of.args = &args, .of.devices.list = &device, .entries = entries,
                 .entry_count = GRIDS * DEVICES, .infos = infos, .devices = names,
                 .device_count = DEVICES, .report = json_of(text)};
  for (size_t i = 0; i < GRIDS * DEVICES; i++) {
    const int is_gpu = i % DEVICES == 1;
    const double speed = is_gpu ? speeds[i / DEVICES] : 1;
    for (size_t k = 0; k < RUNS; k++)
      rates[i][k] = speed * (1 + noise[i / DEVICES] * (double)(k % 2));
    rows[i].who.benchmark = (benchmark){.cells = 1000, .repeats = 1, .rates = rates[i],
                                        .run_count = runs, .fingerprint = "f"};
    rows[i].implementation = &form;
    if (!(speed > 0)) rows[i].status = ROW_FAILED;
    entries[i] = (retrace_entry){
      .table = json_array_get(json_object_get(all.report, "tables"), i / DEVICES),
      .row = json_object_get(all.report, "row"), .device = (size_t)is_gpu, .at = (long)i};
  }
  retrace_judge(&all);
  const retrace_verdict verdict = all.claims[0].verdict;
  if (says) assert_non_null(strstr(all.claims[0].reason, says));
  assert_int_equal(all.claim_count, 1); /* none of the processor */
  json_decref(all.report);
  free(all.claims);
  return verdict;
}

static void a_crossover_is_one_between_the_published_grids(void)
{
  const double none = (double)NAN, little[GRIDS] = {0.01, 0.01, 0.01}, much[GRIDS] = {1, 1, 1},
               at_first[GRIDS] = {2, 0.01, 0.01}, between[GRIDS] = {0.01, 2, 0.01};
  const struct {
    double speeds[GRIDS];
    const double *noise;
    const char *says;
    retrace_verdict verdict;
  } cases[] = {
    {{0.5, 0.9, 2}, little, NULL, RETRACE_REPRODUCED},
    {{0.5, 0.9, 2}, at_first, NULL, RETRACE_REPRODUCED},
    {{0.5, 0.9, 2}, between, "noise hides between which", RETRACE_NOT_SEEN},
    {{0.5, 1.5, 2}, little, "other grids", RETRACE_OTHER_SIZE},
    {{0.5, 0.6, 0.7}, at_first, "no crossover could be shown", RETRACE_NOT_SEEN},
    {{2, 3, 4}, little, "the GPU is ahead at all sizes, a launch takes 3", RETRACE_NOT_SEEN},
    {{0.2, 0.3, 0.4}, little, "the processor is ahead at all sizes", RETRACE_NOT_SEEN},
    {{2, 0.5, 4}, little, "it crosses 1 both ways", RETRACE_NOT_SEEN},
    {{2, 1.5, 0.5}, little, "the processor overtakes", RETRACE_OPPOSITE},
    {{0.5, 3, 0.5}, at_first, "the processor overtakes", RETRACE_OPPOSITE},
    {{0.9, 0.95, 1.1}, much, "no crossover could be", RETRACE_NOT_SEEN},
    {{none, 0.9, 2}, little, "all its grids are needed", RETRACE_UNTESTABLE},
    {{0.5, none, 2}, little, "all its grids are needed", RETRACE_UNTESTABLE},
    {{none, none, none}, little, "did not run here", RETRACE_UNTESTABLE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(judge_crossing(cases[i].speeds, cases[i].noise, RUNS, cases[i].says),
                     cases[i].verdict);
  assert_int_equal(judge_crossing(cases[0].speeds, little, 1, "too few runs"), RETRACE_UNTESTABLE);
}

/* ---- kernels, prices, PoCL ----------------------------------------------------------------- */

/* Published: a before b. Here b takes longer, as its bytes say, or as nothing says. */
static void shares_of_kernels_have_bytes_as_a_reason(void)
{
  json_t *claim = json_pack("{s [{s s s s s f}, {s s s s s f}]}", "kernels", "name", "a", "kernels",
                            "a*", "published", 0.6, "name", "b", "kernels", "b", "published", 0.4);
  profile_row rows[] = {{.name = "b", .share = 0.6, .bytes = 48, .calls = 10},
                        {.name = "a_one", .share = 0.2, .bytes = 16, .calls = 10},
                        {.name = "a_two", .share = 0.1, .bytes = 80, .calls = 1},
                        {.name = "other", .share = 0.1, .bytes = 900, .calls = 10}};
  const profile_table table = {.rows = rows, .count = 4};
  retrace_claim of = {.claim = claim};
  retrace_compare_shares(&of, &table);
  assert_int_equal(of.verdict, RETRACE_OPPOSITE);
  assert_string_equal(of.reason, "a 33.3 % (published 60.0), b 66.7 % (published 40.0); 2 shares "
                      "are apart by more than 1.5, 1 pair reversed; their bytes would give 33.3, "
                      "66.7 %: memory binds all");
  of = (retrace_claim){.claim = claim};
  rows[0].bytes = 16;
  retrace_compare_shares(&of, &table);
  assert_non_null(strstr(of.reason, "; unexplained: 2 shares are"));
  assert_non_null(strstr(of.reason, "; their bytes would give 60.0, 40.0 %"));
  assert_null(strstr(of.reason, "binds"));
  rows[1].share = 0.7;
  of = (retrace_claim){.claim = claim};
  retrace_compare_shares(&of, &table);
  assert_int_equal(of.verdict, RETRACE_REPRODUCED);
  rows[0].share = 0.91; /* 1 % more than a's: one profile cannot tell */
  of = (retrace_claim){.claim = claim};
  rows[1].share = 0.8;
  retrace_compare_shares(&of, &table);
  assert_int_equal(of.verdict, RETRACE_REPRODUCED);
  snprintf(rows[0].name, sizeof rows[0].name, "c");
  of = (retrace_claim){.claim = claim};
  retrace_compare_shares(&of, &table);
  assert_int_equal(of.verdict, RETRACE_UNTESTABLE);
  assert_string_equal(of.reason, "no time of kernel b is known");
  json_decref(claim);
}

static void without_prices_a_difference_is_unexplained(void)
{
  small_report made;
  make_report(&made, (const double[]){200, 100, 300});
  assert_int_equal(made.entries[1].verdict, RETRACE_OPPOSITE);
  assert_non_null(strstr(made.entries[1].reason, "unexplained"));
  assert_int_equal(made.all.claims[0].verdict, RETRACE_OPPOSITE);
  clear_report(&made);
  make_report(&made, (const double[]){100, 100, 100});
  assert_int_equal(made.entries[1].verdict, RETRACE_NOT_SEEN);
  assert_int_equal(made.all.claims[0].verdict, RETRACE_NOT_SEEN);
  clear_report(&made);
}

/* Bytes that a row saves are a reason only if their price is the time that it saves. */
static void prices_explain_a_difference_of_their_size(void)
{
  small_report made;
  make_report(&made, (const double[]){1e6, 5e6, 5e6});
  made.roofs[0] = roofs;
  made.rows[0].cost.bytes = 9e8;
  made.rows[1].cost.bytes = made.rows[2].cost.bytes = 1e8;
  char text[RETRACE_REASON];
  retrace_explain(&made.all, &made.rows[0], &made.rows[1], &made.entries[1].range, text);
  assert_non_null(strstr(text, "of memory before"));
  assert_null(strstr(text, "unexplained"));
  assert_non_null(strstr(text, "of 800 \u00b5s saved a step"));
  retrace_explain(&made.all, &made.rows[1], &made.rows[0], &made.entries[1].range, text);
  assert_non_null(strstr(text, "of 800 \u00b5s lost a step"));
  assert_null(strstr(text, "unexplained"));
  made.rows[0].cost.bytes = 2e8;
  retrace_explain(&made.all, &made.rows[0], &made.rows[1], &made.entries[1].range, text);
  assert_non_null(strstr(text, "of memory before"));
  assert_non_null(strstr(text, "unexplained"));
  clear_report(&made);
}

static void noise_has_no_reason(void)
{
  small_report made;
  make_report(&made, (const double[]){5e6, 5e6, 1e7});
  made.roofs[0] = roofs;
  made.rows[0].cost.launches = 2;
  for (size_t k = 0; k < RUNS; k++) made.rates[1][k] *= k % 2 ? 0.9 : 1.1;
  made.entries[1].reason[0] = 0;
  free(made.all.claims);
  made.all.claim_count = 0;
  retrace_judge(&made.all);
  assert_int_equal(made.entries[1].verdict, RETRACE_NOT_SEEN);
  assert_non_null(strstr(made.entries[1].reason, "2 to 0 commands a step: +2 "));
  assert_non_null(strstr(made.entries[1].reason, "; the interval holds 1"));
  clear_report(&made);
}

static void numbers_have_three_digits_and_no_exponent(void)
{
  assert_string_equal(RETRACE_NUMBER(1.0249), "1.02");
  assert_string_equal(RETRACE_NUMBER(999.4), "999");
  assert_string_equal(RETRACE_NUMBER(999.5), "1000");
  assert_string_equal(RETRACE_NUMBER(-4384.0), "-4380");
  assert_string_equal(RETRACE_NUMBER(123456.0), "123000");
  assert_string_equal(RETRACE_NUMBER(0.00203), "0.00203");
  assert_string_equal(RETRACE_RATIO(4384.0, 0.5, 1e9), "4380 (0.5 to 1000000000)");
}

/* Two prices above the whole step explain nothing, even if their sum is the time saved. */
static void parts_above_the_step_explain_nothing(void)
{
  small_report made;
  make_report(&made, (const double[]){5e6, 1e7, 1e7}); /* 200 and 100 us */
  made.roofs[0] = roofs;
  made.rows[0].cost.bytes = 5e8;
  made.rows[1].cost.burden.serial_values = 4e5;
  char text[RETRACE_REASON];
  retrace_explain(&made.all, &made.rows[0], &made.rows[1], &made.entries[1].range, text);
  assert_non_null(strstr(text, "unexplained, since a part is more than the whole step: of 100 "));
  made.rows[0].cost.bytes = 1e8;
  made.rows[1].cost.burden.serial_values = 0;
  retrace_explain(&made.all, &made.rows[0], &made.rows[1], &made.entries[1].range, text);
  assert_null(strstr(text, "unexplained"));
  clear_report(&made);
}

static void pocl_and_rows_with_other_bits_get_no_verdict_on_speed(void)
{
  small_report made;
  make_report(&made, (const double[]){100, 200, 300});
  free(made.all.claims);
  made.all.claim_count = 0;
  snprintf(made.info.driver, sizeof made.info.driver, "OpenCL 3.0 PoCL 3.1");
  snprintf(made.rows[2].who.benchmark.fingerprint, 33, "g");
  made.entries[1].verdict = RETRACE_FREE;
  retrace_judge(&made.all);
  assert_int_equal(made.entries[1].verdict, RETRACE_UNTESTABLE);
  assert_int_equal(made.all.claims[0].verdict, RETRACE_UNTESTABLE);
  assert_int_equal(made.all.claims[1].verdict, RETRACE_OPPOSITE);
  clear_report(&made);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_part_is_a_count_times_its_price),
    TEST_HOST(few_bytes_in_many_transfers_are_told),
    TEST_HOST(launches_hide_behind_long_kernels_on_a_gpu),
    TEST_HOST(a_bound_explains_no_more_than_it_may_cost),
    TEST_HOST(a_lost_overlap_has_its_price),
    TEST_HOST(parts_and_rest_are_the_whole),
    TEST_HOST(what_does_not_change_is_no_part),
    TEST_HOST(a_crossing_of_power_laws_is_exact),
    TEST_HOST(a_crossing_of_two_devices_is_found),
    TEST_HOST(where_nothing_crosses_nothing_is_found),
    TEST_HOST(an_interval_of_a_ratio_covers_the_truth),
    TEST_HOST(a_perfect_run_is_as_fast_as_its_devices_together),
    TEST_HOST(of_unlike_devices_each_must_have_run_alone),
    TEST_HOST(like_devices_are_held_against_fewer),
    TEST_HOST(a_ratio_is_judged_by_sign_and_size),
    TEST_HOST(a_claim_without_a_number_has_limits),
    TEST_HOST(rows_of_a_report_are_judged),
    TEST_HOST(a_factor_is_one_of_steps),
    TEST_HOST(two_runs_or_wrong_bits_decide_no_claim_on_speed),
    TEST_HOST(a_row_without_a_good_base_has_no_verdict),
    TEST_HOST(noise_is_no_proof_of_the_best),
    TEST_HOST(a_maximum_is_above_all_others),
    TEST_HOST(returns_decrease_from_row_to_row),
    TEST_HOST(a_rate_above_the_roof_needs_a_cache),
    TEST_HOST(a_power_is_judged_by_its_noise),
    TEST_HOST(a_gain_is_held_against_its_parts),
    TEST_HOST(each_of_several_rows_is_judged),
    TEST_HOST(few_kernels_take_most_of_the_time),
    TEST_HOST(the_limit_of_each_kernel_is_told),
    TEST_HOST(a_crossover_is_one_between_the_published_grids),
    TEST_HOST(shares_of_kernels_have_bytes_as_a_reason),
    TEST_HOST(without_prices_a_difference_is_unexplained),
    TEST_HOST(prices_explain_a_difference_of_their_size),
    TEST_HOST(parts_above_the_step_explain_nothing),
    TEST_HOST(noise_has_no_reason),
    TEST_HOST(numbers_have_three_digits_and_no_exponent),
    TEST_HOST(pocl_and_rows_with_other_bits_get_no_verdict_on_speed),
  };
  return TEST_RUN(argc, argv, cases);
}
