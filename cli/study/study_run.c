/* study_run.c - the runs of a study: verification, then rounds in which the rows of a group take
 * turns. A failure of one row affects no other row. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/process.h"
#include "cli/compare/comparison.h"
#include "cli/study/study.h"
#include "run/json_parts.h"
#include "run/measure/clock.h"

enum { ROOF_RUNS = 5, WORTH_TELLING = 5 /* seconds */ };

/* A device that failed may answer to nobody any more: the next row gets a new one. */
static void keep_failure(study *all, study_row *row, trm_status status)
{
  row->status = ROW_FAILED;
  snprintf(row->error, sizeof row->error, "%.511s", trm_error_last()->text);
  char name[256];
  candidate_say(&row->who, name, sizeof name);
  message_warning("%s failed: %s", name, row->error);
  if (status == TRM_ERROR_DEVICE) trm_device_close(&all->devices.list[row->who.device].device);
}

static trm_status run_steps(study *all, const study_row *row, const candidate_order *order,
                            run_case *shortened, session *run)
{
  candidate_device *of = &all->devices.list[row->who.device];
  *run = (session){0};
  if (!of->device && !of->is_several)
    TRM_TRY(device_open(all->devices.context, of->spec, &of->options, "again", &of->device));
  return candidate_run(&row->who, &all->devices, order, shortened, run);
}

/* ---- verification ---------------------------------------------------------------- */

/* How the run's launches go. */
static void take_form(study_row *row, const session *run)
{
  const run_settings *chosen = &row->who.chosen->settings;
  const trm_device_info *info = trm_device_describe(run->device);
  const int has_own = chosen->solver.row_group_x > 0;
  const int x = has_own ? chosen->solver.row_group_x : info->row_group_x;
  const int y = has_own ? chosen->solver.row_group_y : info->row_group_y;
  row->cost.apart = chosen->device.no_overlap || chosen->device.read_only_loads;
  row->cost.items = info->is_host ? 0 : (double)x * y;
  row->cost.lanes = info->is_host ? 0 : (double)x * y / (1 - idle_lanes(info->name, x, y));
  row->cost.resident = chosen->device.residency;
}

static void take_facts(const study *all, study_row *row, const session *run)
{
  const trm_solver *solver = run->solver;
  const uint64_t most = row->who.chosen->settings.steps;
  benchmark_take_facts(&row->who.benchmark, run);
  candidate_take_tuned(&row->who, &all->devices, run);
  candidate_print_series(run, row->series);
  row->verified_rate = session_rate(run);
  row->cost.bytes = row->who.benchmark.step_bytes;
  const trm_implementations *ladder = solver->type->implementations;
  if (ladder && ladder->burden) ladder->burden(solver, &row->cost.burden);
  take_form(row, run);
  const double wanted = all->seconds * row->verified_rate / solver->cells;
  row->steps = wanted >= (double)most ? most : wanted < 2 ? 2 : (uint64_t)wanted;
  if (row->steps > most) row->steps = most;
}

/* Rows that must agree take as many steps as the first of them. A measurement of its speed sets
 * that number: the lowest implementation of a ladder may take seconds a step. */
static trm_status choose_verified(study *all, study_row *row)
{
  enum { PILOT = 2 };
  const uint64_t most = row->who.chosen->settings.steps;
  const study_row *reference = &all->rows[row->who.reference];
  session run;
  run_case shortened;
  row->verified_steps = most < STUDY_VERIFIED_STEPS ? most : STUDY_VERIFIED_STEPS;
  if (reference != row && reference->verified_steps > 0)
    row->verified_steps = reference->verified_steps;
  if (reference != row || row->verified_steps <= PILOT) return TRM_OK;
  const candidate_order pilot = {.what = "a pilot run", .steps = PILOT};
  const trm_status status = run_steps(all, row, &pilot, &shortened, &run);
  if (status == TRM_OK) {
    const double steps = STUDY_VERIFIED_SECONDS * PILOT / run.times.loop;
    if (steps < (double)row->verified_steps) row->verified_steps = steps > PILOT ? (uint64_t)steps
                                                                                 : PILOT;
  }
  session_end(&run);
  return status;
}

/* Compares a further run of `other`, of as many steps, with the kept result of the row. */
static trm_status measure_apart(study *all, const study_row *row, const study_row *other,
                                const kept_run *kept, double *apart, char in[64])
{
  session run;
  run_case shortened;
  const candidate_order order = {.what = "a comparison", .steps = row->near_steps};
  trm_status status = run_steps(all, other, &order, &shortened, &run);
  if (status == TRM_OK) status = kept_run_apart(kept, &run, apart, in);
  session_end(&run);
  return status;
}

/* A row with a bound is compared with its neighbour, and with itself if its bits vary. */
static trm_status find_apart(study *all, study_row *row)
{
  char in[64];
  session run;
  run_case shortened;
  kept_run kept = {0};
  if (!(row->tolerance > 0)) return TRM_OK;
  if (row->near_steps > row->verified_steps) row->near_steps = row->verified_steps;
  const candidate_order order = {.what = "a comparison", .steps = row->near_steps};
  trm_status status = run_steps(all, row, &order, &shortened, &run);
  if (status == TRM_OK) status = kept_run_take(&run, &kept);
  session_end(&run);
  if (status == TRM_OK)
    status = measure_apart(all, row, &all->rows[row->near], &kept, &row->apart, row->apart_in);
  if (status == TRM_OK && row_varies(row))
    status = measure_apart(all, row, row, &kept, &row->own_apart, in);
  kept_run_free(&kept);
  return status;
}

static trm_status verify(study *all, study_row *row)
{
  session run;
  run_case shortened;
  TRM_TRY(choose_verified(all, row));
  const candidate_order order = {.what = "verification", .steps = row->verified_steps};
  const double begun = clock_now();
  const trm_status status = run_steps(all, row, &order, &shortened, &run);
  const double loop = run.times.loop;
  if (status == TRM_OK) take_facts(all, row, &run);
  session_end(&run);
  row->start_seconds = clock_now() - begun - loop;
  return status == TRM_OK ? find_apart(all, row) : status;
}

/* ---- timing ------------------------------------------------------------------------ */

/* For the solver's kernel with the most launches at once; the first of several. */
static void take_fused(study_row *row, const session *run)
{
  const trmi_fused_launches *list, *found = NULL;
  const size_t count = trmi_device_fused(run->device, &list);
  for (size_t i = 0; i < count; i++)
    if (run->solver->program && strcmp(list[i].program, "bench") != 0 &&
        (!found || list[i].launches > found->launches))
      found = &list[i];
  row->cost.at_once = found ? found->launches : 1;
  snprintf(row->cost.alone, sizeof row->cost.alone, "%s",
           found ? found->reason : "nothing is recorded");
}

static void take_cost(study_row *row, const session *run)
{
  const double steps = (double)run->steady_steps;
  const trm_counters *counters = &run->counters;
  row->cost.launches = (double)(counters->launches + counters->copies + counters->fills) / steps;
  row->cost.replayed = (double)counters->replayed / steps;
  row->cost.written = (double)counters->written_bytes / steps;
  row->cost.read = (double)counters->read_bytes / steps;
  row->cost.transfers = (double)(counters->writes + counters->reads) / steps;
  take_fused(row, run);
}

static trm_status take_run(const study *all, study_row *row, const session *run,
                           const energy_meter *meter)
{
  TRM_TRY(benchmark_take(&row->who.benchmark, run, meter));
  take_cost(row, run);
  const int strict = row->who.chosen->settings.solver.math == TRM_STRICT;
  if (row->timed_print[0] && strict && strcmp(row->timed_print, run->fingerprint) != 0)
    row->who.benchmark.repeats = 0;
  memcpy(row->timed_print, run->fingerprint, sizeof row->timed_print);
  if (row->who.benchmark.run_count == all->runs) row->status = ROW_FINISHED;
  return TRM_OK;
}

static trm_status time_row(study *all, study_row *row, size_t round)
{
  char what[64];
  session run;
  run_case shortened;
  snprintf(what, sizeof what, "run %zu of %zu", round + 1, all->runs);
  energy_meter meter = all->devices.list[row->who.device].meter;
  const candidate_place place = {all->out.folder, (size_t)(row - all->rows), round + 1, all->until};
  const candidate_order order = {what, row->steps, &meter, &place, 0};
  trm_status status = run_steps(all, row, &order, &shortened, &run);
  if (status == TRM_OK) status = take_run(all, row, &run, &meter);
  session_end(&run);
  return status;
}

/* Keeps the outcome. Only an interruption, or a result that cannot be written, stops the study. */
static trm_status apply_round(study *all, study_row *row, trm_status status)
{
  if (status == TRM_ERROR_INTERRUPTED) {
    all->stopped = 1;
    return TRM_FAIL(INTERRUPTED, "stopped %s; finished runs are kept: the same command with "
                                 "--output=%s goes on from there",
                    process_cause(), all->out.folder);
  }
  if (status != TRM_OK) keep_failure(all, row, status);
  json_decref(all->host);
  all->host = conditions_host("", &all->clock);
  return study_save(all);
}

/* ---- a group ------------------------------------------------------------------------ */

/* The fewest bytes that a row of the group moves a step, half of them: an array of the case. */
static size_t array_bytes(const study *all, size_t group)
{
  double bytes = 0;
  for (size_t i = 0; i < all->row_count; i++) {
    const study_row *row = &all->rows[i];
    if (row->group == group && row->who.benchmark.fingerprint[0] &&
        (bytes <= 0 || row->cost.bytes < bytes))
      bytes = row->cost.bytes;
  }
  return (size_t)(bytes / 2) / 64 * 64;
}

static void measure_roofs(study *all, trm_device *device, const char *spec, size_t group)
{
  device_roofs *roofs = &all->roofs[group];
  for (size_t i = 0; i < all->row_count && !(roof_copy(roofs) > 0); i++)
    if (strcmp(all->rows[i].who.benchmark.on, spec) == 0)
      *roofs = all->roofs[all->rows[i].group];
  if (!(roof_copy(roofs) > 0) &&
      roof_measure(device, ROOF_COPY | ROOF_ARITHMETIC | ROOF_LAUNCHES | ROOF_TRANSFERS |
                   ROOF_SERIAL, ROOF_RUNS, roofs) != TRM_OK)
    snprintf(roofs->missing, sizeof roofs->missing, "%.250s", trm_error_last()->text);
  if (roof_copy(roofs) > 0) roof_measure_here(device, array_bytes(all, group), roofs);
}

/* The price of launches that do not overlap, where a row of the group has them. */
static void measure_apart_launches(study *all, const char *spec, size_t group)
{
  const trm_device_options options = {.no_overlap = 1};
  device_roofs *roofs = &all->roofs[group], apart;
  trm_device *device = NULL;
  size_t i = 0;
  while (i < all->row_count && (all->rows[i].group != group || !(all->rows[i].cost.apart > 0))) i++;
  if (i == all->row_count || roofs->launch_apart.median > 0 || !(roof_copy(roofs) > 0)) return;
  if (device_open(all->devices.context, spec, &options, "--on", &device) == TRM_OK &&
      roof_measure(device, ROOF_LAUNCHES, ROOF_RUNS, &apart) == TRM_OK)
    roofs->launch_apart = apart.launch_recorded;
  trm_device_close(&device);
}

/* On a device of its own, without the rows' ways of replaying. */
static void find_roofs(study *all, size_t group)
{
  size_t i = 0;
  while (all->rows[i].group != group) i++;
  const candidate_device *of = &all->devices.list[all->rows[i].who.device];
  const trm_device_options options = {.threads = of->options.threads};
  trm_device *device = NULL;
  device_roofs *roofs = &all->roofs[group];
  if (!all->rows[i].who.chosen->settings.roof)
    snprintf(roofs->missing, sizeof roofs->missing, "run.roof is false");
  else if (of->is_several)
    snprintf(roofs->missing, sizeof roofs->missing, "several devices share the work");
  else if (device_open(all->devices.context, of->spec, &options, "--on", &device) != TRM_OK)
    snprintf(roofs->missing, sizeof roofs->missing, "%.250s", trm_error_last()->text);
  else measure_roofs(all, device, of->spec, group);
  trm_device_close(&device);
  if (!of->is_several) measure_apart_launches(all, of->spec, group);
}

/* A timed run also makes its first state, which a large case does in more time than its loop. */
static void say_with_starts(const study *all, size_t group)
{
  size_t runs = 0;
  double loops = 0, starts = 0;
  for (size_t i = 0; i < all->row_count; i++) {
    const study_row *row = &all->rows[i];
    const size_t done = row->who.benchmark.run_count;
    if (row->group != group || row->status != ROW_OPEN || done >= all->runs) continue;
    const size_t open = all->runs - done;
    runs += open;
    loops += (double)open * all->seconds;
    starts += (double)open * row->start_seconds;
  }
  if (starts > WORTH_TELLING && starts > 0.2 * loops)
    message_note("the next %zu runs take at most about %.0f s, %.0f s of them to start", runs,
                 loops + starts, starts);
}

static trm_status run_group(study *all, size_t group)
{
  for (size_t i = 0; i < all->row_count; i++) {
    study_row *row = &all->rows[i];
    if (row->group != group || row->status != ROW_OPEN) continue;
    if (!row->who.benchmark.fingerprint[0]) TRM_TRY(apply_round(all, row, verify(all, row)));
  }
  if (all->is_ladder && !(roof_copy(&all->roofs[group]) > 0)) find_roofs(all, group);
  say_with_starts(all, group);
  for (size_t round = 0; round < all->runs; round++)
    for (size_t i = 0; i < all->row_count; i++) {
      study_row *row = &all->rows[i];
      if (row->group != group || row->status != ROW_OPEN || row->who.benchmark.run_count > round)
        continue;
      TRM_TRY(apply_round(all, row, time_row(all, row, round)));
    }
  return TRM_OK;
}

void study_say_estimate(const study *all)
{
  if (all->is_ladder && all->rows[0].who.chosen->settings.keep_every != 0)
    message_note("implementations of a ladder have no checkpoints: if one is interrupted, its run "
                 "starts again from the first step");
  size_t rows = 0, runs = 0;
  for (size_t i = 0; i < all->row_count; i++) {
    const size_t done = all->rows[i].who.benchmark.run_count;
    rows += done < all->runs;
    runs += done < all->runs ? all->runs - done : 0;
  }
  if ((double)runs * all->seconds > WORTH_TELLING)
    message_note("%zu row%s, %zu run%s of at most about %g s: about %.0f s, and the start of each; "
                 "before that, at most about %d s to verify each row",
                 rows, rows == 1 ? "" : "s", runs, runs == 1 ? "" : "s", all->seconds,
                 (double)runs * all->seconds, (int)STUDY_VERIFIED_SECONDS);
}

trm_status study_run(study *all)
{
  conditions_begin("", &all->clock);
  for (size_t group = 0; group < all->group_count; group++) TRM_TRY(run_group(all, group));
  TRM_TRY(study_save(all));
  candidate_keep_remove(all->out.folder);
  return TRM_OK;
}
