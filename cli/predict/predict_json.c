/* predict_json.c - what is predicted for a case, and for each step that was measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict/predict.h"
#include "run/json_parts.h"
#include "run/text/json.h"
#include "run/text/text.h"

static void set_number(json_t *out, const char *name, double value)
{
  json_object_set_new(out, name, json_number(value));
}

static void set_text(json_t *out, const char *name, const char *text)
{
  json_object_set_new(out, name, text[0] ? json_text(text) : json_null());
}

/* "NVIDIA H200 by cuda", "AMD EPYC, 2 threads" */
static void name_device(const predict_device *of, char *text, size_t bytes)
{
  text_copy(text, bytes, of->name);
  if (of->is_host && of->threads > 0)
    text_append(text, bytes, ", %.0f thread%s", of->threads, of->threads > 1 ? "s" : "");
  else text_append(text, bytes, " by %s", of->backend);
}

static void set_device(json_t *out, const predict_device *of)
{
  char name[PREDICT_TEXT + 40];
  name_device(of, name, sizeof name);
  set_text(out, "device", name);
}

static json_t *sources_json(const predict_data *all, const prediction *of)
{
  json_t *out = json_array();
  for (size_t i = 0; i < of->source_count; i++) {
    const predict_row *row = &all->rows[of->sources[i]];
    json_t *one = json_object();
    set_device(one, &all->devices[row->device]);
    set_text(one, "work", row->work);
    set_text(one, "shape", row->shape);
    set_number(one, "seconds_per_step", row->seconds);
    set_text(one, "source", row->source);
    json_array_append_new(out, one);
  }
  return out;
}

static void set_prediction(json_t *out, const predict_data *all, const prediction *of)
{
  const int is_known = !of->missing[0];
  set_number(out, "predicted_seconds_per_step", of->seconds);
  set_number(out, "low", of->low);
  set_number(out, "high", of->high);
  set_text(out, "not_predictable", of->missing);
  if (!is_known) return;
  json_t *terms = json_object();
  set_number(terms, "bytes", of->bytes);
  set_number(terms, "arithmetic", of->arithmetic);
  set_number(terms, "operations_at_the_roof", of->flops);
  set_number(terms, "launches", of->launches);
  set_number(terms, "transfers", of->transfers);
  json_object_set_new(out, "seconds", terms);
  set_text(out, "bound", predict_bounds[of->bound]);
  set_text(out, "arithmetic_by", of->is_by_sheet ? "data sheet" : "measured");
  json_object_set_new(out, "from", sources_json(all, of));
}

/* ---- the case -------------------------------------- */

static json_t *predictions_json(const predict_data *all, const predict_work *of, const char *on,
                                double steps)
{
  json_t *out = json_array();
  for (size_t d = 0; d < all->device_count; d++) {
    const predict_device *device = &all->devices[d];
    char name[PREDICT_TEXT + 40];
    name_device(device, name, sizeof name);
    if (on && !strstr(name, on)) continue;
    const prediction found = predict_step(all, of, d);
    json_t *one = json_object();
    set_device(one, device);
    set_number(one, "copy_bytes_per_second", device->copy);
    set_prediction(one, all, &found);
    set_number(one, "steps", steps);
    set_number(one, "loop_seconds", steps * found.seconds);
    json_array_append_new(out, one);
  }
  return out;
}

/* ---- what was measured -------------------------------------- */

static json_t *measured_json(const predict_data *all, const predict_row *row, double *error)
{
  json_t *out = json_object();
  const predict_work work = {row->solver, row->precision, row->math, row->config};
  prediction found = {.seconds = NAN, .low = NAN, .high = NAN};
  if (row->missing[0]) text_copy(found.missing, sizeof found.missing, row->missing);
  else found = predict_step(all, &work, row->device);
  *error = found.seconds / row->seconds - 1;
  set_text(out, "solver", row->solver);
  set_text(out, "work", row->work);
  set_text(out, "shape", row->shape);
  set_device(out, &all->devices[row->device]);
  set_text(out, "source", row->source);
  set_number(out, "seconds_per_step", row->seconds);
  set_number(out, "least", row->least);
  set_number(out, "most", row->most);
  set_prediction(out, all, &found);
  set_number(out, "error", *error);
  return out;
}

static json_t *all_measured_json(const predict_data *all, json_t *to)
{
  double error, worst = NAN;
  size_t count = 0;
  json_t *out = json_array();
  for (size_t i = 0; i < all->row_count; i++) {
    json_array_append_new(out, measured_json(all, &all->rows[i], &error));
    if (!isfinite(error)) continue;
    count++;
    if (!(fabs(error) <= fabs(worst))) worst = error;
  }
  set_number(to, "worst_error", worst);
  json_object_set_new(to, "predicted", json_integer((json_int_t)count));
  return out;
}

json_t *predict_json(const predict_data *all, const run_case *chosen, const char *on)
{
  const run_settings *settings = &chosen->settings;
  json_t *out = json_document("predict"), *config = json_config(chosen->config);
  const predict_work work = {chosen->type->name, trm_precision_name(settings->solver.precision),
                             trm_math_name(settings->solver.math), config};
  const int is_endless = isfinite(settings->end_time) ||
                         (double)settings->steps >= strtod(TRM_STEPS_UNTIL_END, NULL);
  const double steps = is_endless ? (double)NAN : (double)settings->steps;
  set_text(out, "solver", work.solver);
  set_text(out, "case", chosen->name);
  set_text(out, "precision", work.precision);
  set_text(out, "math", work.math);
  json_object_set_new(out, "predictions", predictions_json(all, &work, on, steps));
  json_object_set_new(out, "measured", all_measured_json(all, out));
  json_object_set_new(out, "config", config);
  return out;
}
