/* profile.c - which commands are timed, and their times.
 *
 * Events lie between commands, one each, so that neighbours share them; they are read when a batch
 * is over. Where kernels are short, the device first gets other work, so that the host is ahead of
 * it. Then the time between two events is the device's work alone. */
#include "run/measure/profile_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/clock.h"
#include "core/counters.h"

/* A hundredth of the run goes to replays command by command, or 20 ms, so that a short run has its
 * figures too. Eight calls of each command outside replays are timed in any case. In a batch, at
 * most REPLAYED_SPANS commands of a replay are timed, and OTHER_SPANS others. */
static const double part_of_run = 0.01, least_seconds = 0.02;
enum { LEAST_TIMED = 8, REPLAYED_SPANS = 128, OTHER_SPANS = 64 };

/* A host enqueues a launch and an event in less than this. */
static const double short_seconds = 50e-6;

double profile_mean(const profile *made, const profile_entry *entry)
{
  if (entry->timed == 0 && entry->timed_cold == 0) return NAN;
  const double mean = entry->timed ? entry->seconds / (double)entry->timed
                                   : entry->seconds_cold / (double)entry->timed_cold;
  return fmax(0, mean - made->floor);
}

/* ---- entries ------------------------------------------------------------------ */

static int is_same(const trm_command *a, const trm_command *b)
{
  if (a->kind != b->kind) return 0;
  if (a->kind != TRM_COMMAND_LAUNCH) return a->buffers[0] == b->buffers[0] && a->bytes == b->bytes;
  return a->declaration == b->declaration && memcmp(&a->extent, &b->extent, sizeof a->extent) == 0;
}

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the profile of a run");
}

/* The array with room for one more; NULL: no memory, and it stays as it was. */
static void *grown(void *array, size_t count, size_t *capacity, size_t bytes)
{
  if (count < *capacity) return array;
  const size_t wanted = *capacity ? 2 * *capacity : 32;
  void *larger = realloc(array, wanted * bytes);
  if (larger) *capacity = wanted;
  return larger;
}

static trm_status find_entry(profile *p, const trmi_seen *seen, size_t *out)
{
  for (size_t i = 0; i < p->entry_count; i++)
    if (is_same(&p->entries[i].command, seen->command)) {
      *out = i;
      return TRM_OK;
    }
  profile_entry *entries =
    grown(p->entries, p->entry_count, &p->entry_capacity, sizeof *p->entries);
  if (!entries) return no_memory();
  p->entries = entries;
  profile_entry *entry = &p->entries[p->entry_count];
  *entry = (profile_entry){.command = *seen->command};
  snprintf(entry->name, sizeof entry->name, "%s",
           seen->command->kind == TRM_COMMAND_LAUNCH ? seen->command->declaration->name
                                                     : trmi_buffer_name(seen->buffers[0]));
  *out = p->entry_count++;
  return TRM_OK;
}

/* ---- sequences ---------------------------------------------------------------- */

static trm_status add_to_recipe(profile_recipe *recipe, size_t entry)
{
  for (size_t i = 0; i < recipe->count; i++)
    if (recipe->entries[i] == entry) {
      recipe->times[i]++;
      return TRM_OK;
    }
  const size_t bytes = (recipe->count + 1) * sizeof(size_t);
  size_t *entries = realloc(recipe->entries, bytes);
  if (entries) recipe->entries = entries;
  size_t *times = realloc(recipe->times, bytes);
  if (times) recipe->times = times;
  if (!entries || !times) return no_memory();
  entries[recipe->count] = entry;
  times[recipe->count++] = 1;
  return TRM_OK;
}

static trm_status find_recipe(profile *p, const trm_sequence *sequence, profile_recipe **out)
{
  const uint64_t number = trmi_sequence_number(sequence);
  for (size_t i = 0; i < p->recipe_count; i++)
    if (p->recipes[i].number == number) {
      *out = &p->recipes[i];
      return TRM_OK;
    }
  profile_recipe *recipes =
    grown(p->recipes, p->recipe_count, &p->recipe_capacity, sizeof *p->recipes);
  if (!recipes) return no_memory();
  p->recipes = recipes;
  profile_recipe *recipe = &p->recipes[p->recipe_count++];
  *recipe = (profile_recipe){.number = number};
  for (size_t i = 0; i < trm_sequence_length(sequence); i++) {
    const trmi_seen seen = trmi_sequence_command(sequence, i);
    size_t entry;
    TRM_TRY(find_entry(p, &seen, &entry));
    TRM_TRY(add_to_recipe(recipe, entry));
  }
  *out = recipe;
  return TRM_OK;
}

/* Seconds that timing may still take. */
static double allowance(const profile *p)
{
  return fmax(least_seconds, part_of_run * fmax(p->elapsed, p->expected)) - p->spent;
}

/* Costs are those of the first batch where nothing else is known yet; what was never met alone
 * costs nothing, as most of a sequence was. NaN: nothing of it was. */
static double cost_of(const profile *p, const profile_recipe *recipe)
{
  double cost = 0;
  int is_new = 1;
  for (size_t i = 0; i < recipe->count; i++) {
    const profile_entry *entry = &p->entries[recipe->entries[i]];
    const double mean = profile_mean(p, entry);
    is_new &= !isfinite(mean) && entry->pending == 0;
    cost += (double)recipe->times[i] * (isfinite(mean) ? mean : 0);
  }
  return is_new ? (double)NAN : cost;
}

/* Sees one of the replays, if wanted: the first of a batch that may cost what it does. */
static trm_status choose_replay(profile *p, const profile_recipe *recipe, size_t length,
                                size_t *chosen)
{
  const double cost = cost_of(p, recipe);
  const int is_short = p->filled && !(cost > short_seconds * (double)length);
  const double ahead = is_short ? p->ahead : 0;
  *chosen = 0;
  if (p->has_seen || (isfinite(cost) && (p->is_cold || cost + ahead > allowance(p)))) return TRM_OK;
  if (is_short) TRM_TRY(profile_get_ahead(p));
  if (!p->is_cold) p->spent += ahead;
  p->has_seen = 1;
  p->in_replay = length;
  p->untimed = length / 4;
  *chosen = 1;
  return TRM_OK;
}

static trm_status on_replay(void *user, const trm_sequence *sequence, size_t times, size_t *seen)
{
  profile *p = user;
  profile_recipe *recipe = NULL;
  TRM_TRY(find_recipe(p, sequence, &recipe));
  TRM_TRY(choose_replay(p, recipe, trm_sequence_length(sequence), seen));
  for (size_t i = 0; i < recipe->count; i++)
    p->entries[recipe->entries[i]].calls += (uint64_t)recipe->times[i] * (times - *seen);
  p->is_chained = 0;
  return TRM_OK;
}

/* ---- commands ----------------------------------------------------------------- */

static uint64_t transfers_of(const profile *p)
{
  const trm_counters counters = trm_device_counters(p->device);
  return counters.writes + counters.reads;
}

static trm_status record(profile *p, size_t *event)
{
  TRM_TRY(trm_event_record(p->events[p->event_count]));
  *event = p->event_count++;
  return TRM_OK;
}

static int is_wanted(const profile *p, const profile_entry *entry)
{
  if (p->event_count + 2 > PROFILE_EVENTS || p->span_count == PROFILE_EVENTS) return 0;
  const uint64_t known = (p->is_cold ? entry->timed_cold : entry->timed) + entry->pending;
  if (known + entry->timed_cold == 0) return 1;
  if (p->in_replay > 0) return p->untimed == 0 && p->replayed_spans < REPLAYED_SPANS;
  if (known < LEAST_TIMED) return 1;
  return p->other_spans < OTHER_SPANS && !p->is_cold && allowance(p) > 0;
}

static trm_status on_before(void *user, const trmi_seen *seen)
{
  profile *p = user;
  TRM_TRY(find_entry(p, seen, &p->current));
  profile_entry *entry = &p->entries[p->current];
  entry->calls++;
  p->is_timed = is_wanted(p, entry);
  entry->seen += p->is_timed || p->in_replay > 0;
  *(p->in_replay > 0 ? &p->replayed_spans : &p->other_spans) += (size_t)p->is_timed;
  if (p->in_replay > 0) p->in_replay--;
  if (p->untimed > 0) p->untimed--;
  if (!p->is_timed) return TRM_OK;
  profile_span *span = &p->spans[p->span_count];
  span->entry = p->current;
  if (p->is_chained && p->transfers == transfers_of(p)) {
    span->begin = p->event_count - 1;
    return TRM_OK;
  }
  return record(p, &span->begin);
}

static trm_status on_after(void *user, const trmi_seen *seen)
{
  profile *p = user;
  (void)seen;
  p->is_chained = p->is_timed;
  if (!p->is_timed) return TRM_OK;
  TRM_TRY(record(p, &p->spans[p->span_count].end));
  p->entries[p->current].pending++;
  p->span_count++;
  p->transfers = transfers_of(p);
  return TRM_OK;
}

/* ---- batches -------------------------------------------------------------------- */

void profile_trace(profile *made, int is_first, double expected)
{
  if (!made) return;
  made->is_cold = is_first;
  made->expected = expected;
  made->is_chained = made->has_seen = 0;
  made->replayed_spans = made->other_spans = 0;
  trmi_device_trace(made->device, &made->trace);
}

void profile_rest(profile *made)
{
  if (made) trmi_device_trace(made->device, NULL);
}

static trm_status read_spans(profile *p)
{
  for (size_t i = 0; i < p->span_count; i++) {
    const profile_span *span = &p->spans[i];
    profile_entry *entry = &p->entries[span->entry];
    double seconds;
    TRM_TRY(trm_event_elapsed(p->events[span->begin], p->events[span->end], &seconds));
    *(p->is_cold ? &entry->seconds_cold : &entry->seconds) += seconds;
    *(p->is_cold ? &entry->timed_cold : &entry->timed) += 1;
  }
  return TRM_OK;
}

trm_status profile_collect(profile *made, double seconds)
{
  const double begin = clock_now();
  made->device_seconds += seconds;
  TRM_TRY(read_spans(made));
  if (!made->is_cold) {
    made->elapsed += seconds;
    made->spent += clock_now() - begin;
  }
  for (size_t i = 0; i < made->entry_count; i++) {
    profile_entry *entry = &made->entries[i];
    if (!made->is_cold && entry->seen > 0)
      made->spent += (double)entry->seen * (profile_mean(made, entry) + made->floor);
    entry->pending = entry->seen = 0;
  }
  made->event_count = made->span_count = made->in_replay = made->untimed = 0;
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------------ */

trm_status profile_create(trm_device *device, profile **out)
{
  profile *made = calloc(1, sizeof *made);
  if (!made) return no_memory();
  made->device = device;
  made->trace = (trmi_trace_hooks){.user = made, .before = on_before, .after = on_after,
                                   .replay = on_replay};
  trm_status status = TRM_OK;
  for (size_t i = 0; i < PROFILE_EVENTS && status == TRM_OK; i++)
    status = trm_event_create(device, &made->events[i]);
  if (status == TRM_OK) status = profile_measure_floor(made);
  if (status == TRM_OK) *out = made;
  else profile_destroy(&made);
  return status;
}

void profile_destroy(profile **made)
{
  if (!*made) return;
  profile *p = *made;
  profile_rest(p);
  trm_buffer_destroy(&p->filled);
  for (size_t i = 0; i < PROFILE_EVENTS; i++) trm_event_destroy(&p->events[i]);
  for (size_t i = 0; i < p->recipe_count; i++) {
    free(p->recipes[i].entries);
    free(p->recipes[i].times);
  }
  free(p->recipes);
  free(p->entries);
  free(p);
  *made = NULL;
}
