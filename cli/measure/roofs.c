/* roofs.c - the figures of `trireme bench` that outlive it. */
#include "cli/measure/roofs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/cached.h"
#include "cli/run/json.h"

/* Everything that the figures depend on. */
static void conditions_of(const trm_device *device, char *line)
{
  const trm_device_info *info = trm_device_describe(device);
  snprintf(line, CACHED_LINE, "%s; %s; %s; %s; %s; %d units; %d threads; trireme %s", info->backend,
           info->name, info->driver, info->compiler, info->isa, info->compute_units, info->threads,
           trm_version());
}

static cached about(const char *line)
{
  return (cached){"roofs", line, ROOFS_FORMAT, "trireme bench"};
}

/* Every figure: its name in the file, and its place. */
#define FIGURES(X) \
  X(copy) X(triad) X(read) X(fma_f32) X(fma_f64) X(launch_plain) X(launch_recorded) X(to_device) \
  X(from_device) X(transfer)

/* A sample without repetitions was not measured. */
static double most(const sample *measured)
{
  return measured->count > 0 ? measured->most : (double)NAN;
}

static double median(const sample *measured)
{
  return measured->count > 0 ? measured->median : (double)NAN;
}

device_roofs roofs_of_ceiling(const ceiling *measured)
{
  return (device_roofs){
    .copy = ceiling_copy(measured),
    .triad = most(&measured->triad),
    .read = most(&measured->read),
    .fma_f32 = most(&measured->fma_f32),
    .fma_f64 = most(&measured->fma_f64),
    .launch_plain = median(&measured->launch_plain),
    .launch_recorded = median(&measured->launch_recorded),
    .to_device = most(&measured->to_device),
    .from_device = most(&measured->from_device),
    .transfer = median(&measured->transfer),
  };
}

trm_status roofs_store(const trm_context *context, const trm_device *device,
                       const device_roofs *roofs, char **path)
{
  char line[CACHED_LINE];
  conditions_of(device, line);
  const cached kept = about(line);
  json_t *content = json_object();
  json_object_set_new(content, "written", json_written());
#define STORE(name) json_object_set_new(content, #name, json_number(roofs->name));
  FIGURES(STORE)
#undef STORE
  return cached_store(context, &kept, content, path);
}

/* Null stands for what the device cannot. */
static int read_figure(const json_t *document, const char *name, double *out)
{
  const json_t *value = json_object_get(document, name);
  *out = json_is_number(value) ? json_number_value(value) : (double)NAN;
  return json_is_null(value) || *out > 0;
}

static int read_document(const json_t *document, device_roofs *out)
{
  const char *written = json_string_value(json_object_get(document, "written"));
  int is_sound = written && strlen(written) < sizeof out->written;
  if (is_sound) snprintf(out->written, sizeof out->written, "%s", written);
#define READ(name) is_sound &= read_figure(document, #name, &out->name);
  FIGURES(READ)
#undef READ
  return is_sound && out->copy > 0;
}

int roofs_load(const trm_context *context, const trm_device *device, device_roofs *out,
               char missing[ROOFS_REASON])
{
  const trm_device_info *info = trm_device_describe(device);
  char line[CACHED_LINE], threads[64] = "";
  device_roofs read;
  conditions_of(device, line);
  const cached kept = about(line);
  json_t *document = cached_load(context, &kept);
  const int is_sound = document && read_document(document, &read);
  if (document && !is_sound) cached_refuse(context, &kept, "it is damaged");
  json_decref(document);
  if (info->threads > 0) snprintf(threads, sizeof threads, "OMP_NUM_THREADS=%d ", info->threads);
  if (is_sound) *out = read;
  else
    snprintf(missing, ROOFS_REASON, "none stored: run '%strireme bench --on=%s:%zu'", threads,
             info->backend, info->index);
  return is_sound;
}
