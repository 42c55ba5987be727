/* view.c - what a view takes from the run, and the orders that it gives to it. */
#include <config.h>

#include "cli/view/view_parts.h"
#include "cli/view/view_picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "run/measure/clock.h"
#include "cli/process.h"
#include "run/results_picture.h"
#include "run/session.h"
#include "run/text/json.h"
#include "core/number.h"
#include "io/json_kept.h"

enum { SERIES = 4, POINTS = 240 };

static const double patience = 2, share = 20;   /* seconds; of the time one part of 20 */

/* ---- orders --------------------------------------------------------------------------------- */

int view_take_order(view_orders *orders, const char *text)
{
  const trm_words range = trm_words_read(text, "range # #");
  if (strcmp(text, "pause") == 0) orders->pause = 1;
  else if (strcmp(text, "go") == 0) orders->pause = 0, orders->steps = 0;
  else if (strcmp(text, "step") == 0) orders->pause = 1, orders->steps++;
  else if (strcmp(text, "stop") == 0) orders->stop = 1;
  else if (strcmp(text, "range auto") == 0) orders->has_range = 0, orders->changed++;
  else if (range.used) {
    const double low = range.number[0], high = range.number[1];
    if (text[range.used] || !isfinite(high - low) || !(low < high)) return 0;
    orders->has_range = 1, orders->low = low, orders->high = high, orders->changed++;
  } else if (strncmp(text, "field ", 6) == 0 && strlen(text + 6) < sizeof orders->field) {
    snprintf(orders->field, sizeof orders->field, "%s", text + 6);
    orders->has_range = 0, orders->changed++;
  } else return 0;
  return 1;
}

static view_orders orders_now(view *v)
{
  pthread_mutex_lock(&v->lock);
  const view_orders now = v->orders;
  pthread_mutex_unlock(&v->lock);
  return now;
}

/* ---- what is shown -------------------------------------------------------------------------- */

/* At most POINTS values of each of the first series. */
static json_t *series_json(const session *run)
{
  json_t *all = json_array();
  const uint64_t count = run->steps_done, points = count < POINTS ? count : POINTS;
  for (size_t i = 0; i < run->series_count && i < SERIES && points > 1; i++) {
    json_t *values = json_array();
    for (uint64_t k = 0; k < points; k++)
      json_array_append_new(values, json_number(run->series[i][k * (count - 1) / (points - 1)]));
    json_array_append_new(all, json_pack("{so so}", "name",
                                         json_text(run->solver->series[i].name), "values", values));
  }
  return all;
}

static char *state_json(const view *v, const session *run, const view_picture *p, int is_paused)
{
  const trm_solver *solver = run->solver;
  const trm_run_info *info = trm_run_describe(v->run);
  json_t *all = json_object(), *fields = json_array();
  for (size_t i = 0; i < solver->field_count; i++)
    if (results_has_picture(&solver->fields[i]))
      json_array_append_new(fields, json_text(solver->fields[i].name));
  json_object_set_new(all, "name", json_text(run->chosen->name));
  json_object_set_new(all, "frame", json_integer((json_int_t)v->frame + 1));
  json_object_set_new(all, "step", json_integer((json_int_t)run->steps_done));
  json_object_set_new(all, "end", info->end_step == UINT64_MAX ? json_null()
                                  : json_integer((json_int_t)info->end_step));
  json_object_set_new(all, "time", json_number(solver->time));
  json_object_set_new(all, "time_unit", json_text(solver->time_unit ? solver->time_unit : ""));
  json_object_set_new(all, "rate", json_number(session_rate(run)));
  json_object_set_new(all, "counted", json_text(info->counted));
  json_object_set_new(all, "paused", json_boolean(is_paused));
  json_object_set_new(all, "fields", fields);
  json_object_set_new(all, "field", json_text(p->field->name));
  json_object_set_new(all, "unit", json_text(p->field->unit));
  json_object_set_new(all, "width", json_integer((json_int_t)p->width));
  json_object_set_new(all, "height", json_integer((json_int_t)p->height));
  json_object_set_new(all, "low", json_number(p->low));
  json_object_set_new(all, "high", json_number(p->high));
  json_object_set_new(all, "middle", json_number(p->middle));
  json_object_set_new(all, "colours", json_integer(p->colours));
  json_object_set_new(all, "series", series_json(run));
  char *text = trmi_json_dumps(all, JSON_COMPACT);
  json_decref(all);
  return text;
}

/* Stores a new picture for the next request. A view that cannot does without: the run goes on. */
static void leave(view *v, session *run, const view_orders *orders)
{
  const view_range range = {orders->has_range, orders->low, orders->high};
  view_picture p;
  if (view_take_picture(run, orders->field, &range, VIEW_WIDTH, VIEW_HEIGHT, &p) != TRM_OK) return;
  const size_t count = p.width * p.height;
  uint8_t *levels = malloc(count);
  char *state = state_json(v, run, &p, orders->pause);
  if (levels && state) {
    for (size_t i = 0; i < count; i++) levels[i] = view_level(&p, (double)p.values[i]);
    pthread_mutex_lock(&v->lock);
    uint8_t *old_levels = v->levels;
    char *old_state = v->state;
    v->levels = levels, v->state = state;
    v->width = p.width, v->height = p.height;
    v->frame++;
    v->fetched = 0;
    pthread_mutex_unlock(&v->lock);
    levels = old_levels, state = old_state;
  }
  free(levels);
  free(state);
  free(p.values);
}

/* ---- at ends of batches --------------------------------------------------------------------- */

static int is_viewed(void *user, session *run)
{
  view *v = user;
  const double now = clock_now();
  (void)run;
  pthread_mutex_lock(&v->lock);
  const int wanted = v->orders.pause || v->orders.stop ||
                     (v->asked > 0 && now - v->asked < patience && (v->fetched || !v->state) &&
                      now - v->shown >= share * v->cost);
  pthread_mutex_unlock(&v->lock);
  return wanted;
}

/* Takes one ordered step; 0: no step was ordered. */
static int take_step(view *v)
{
  pthread_mutex_lock(&v->lock);
  const int is_there = v->orders.steps > 0;
  if (is_there) v->orders.steps--;
  pthread_mutex_unlock(&v->lock);
  return is_there;
}

/* Until the page says go, step or stop, or the run has to go on by itself. */
static trm_status wait_paused(view *v, session *run)
{
  static const struct timespec tick = {0, 20000000};
  view_orders seen = orders_now(v);
  if (run->meter) energy_pause(run->meter);
  for (;;) {
    int is_over;
    const view_orders now = orders_now(v);
    TRM_TRY(session_heed(run, &is_over));
    if (!now.pause || now.stop || is_over) return TRM_OK;
    if (take_step(v)) {
      run->plan.fixed = 1;
      return TRM_OK;
    }
    if (now.changed != seen.changed) leave(v, run, &now);
    seen = now;
    nanosleep(&tick, NULL);
  }
}

static trm_status show(void *user, session *run)
{
  view *v = user;
  view_orders now = orders_now(v);
  const double begin = clock_now();
  leave(v, run, &now);
  v->shown = clock_now();
  v->cost = v->shown - begin + run->observing;
  run->plan.fixed = run->chosen->settings.batch;
  if (now.pause) TRM_TRY(wait_paused(v, run));
  now = orders_now(v);
  if (now.stop) process_interrupt();
  if (!now.pause) v->shown = clock_now();
  return TRM_OK;
}

/* ---- begin and end -------------------------------------------------------------------------- */

static trm_status make_key(view *v)
{
  uint8_t random[16];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return TRM_FAIL(IO, "no random numbers for the key of a view: %s", strerror(errno));
  for (int i = 0; i < 16; i++) snprintf(v->key + 2 * i, 3, "%02x", random[i]);
  return TRM_OK;
}

trm_status view_open(trm_run *run, const char *port, view **out)
{
  view *v = calloc(1, sizeof *v);
  if (!v) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a view");
  v->run = run;
  pthread_mutex_init(&v->lock, NULL);
  trm_status status = make_key(v);
  if (status == TRM_OK) status = view_serve(v, port);
  if (status != TRM_OK) {
    view_close(&v);
    return status;
  }
  snprintf(v->address, sizeof v->address, "http://127.0.0.1:%u/?key=%s", v->port, v->key);
  trm_run_set_viewer(run, v, is_viewed, show);
  *out = v;
  return TRM_OK;
}

const char *view_address(const view *v) { return v->address; }

void view_close(view **handle)
{
  view *v = *handle;
  if (!v) return;
  trm_run_set_viewer(v->run, NULL, NULL, NULL);
  view_end_serving(v);
  pthread_mutex_destroy(&v->lock);
  free(v->state);
  free(v->levels);
  free(v);
  *handle = NULL;
}
