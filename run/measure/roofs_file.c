/* roofs_file.c - stores and reads the figures of `trireme bench`. */
#include "run/measure/roofs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/cached.h"
#include "run/json_parts.h"
#include "run/text/json.h"
#include "run/text/members.h"

enum { ROOFS_FORMAT = 2 };

/* Everything that the figures depend on. */
static void conditions_of(const trm_device *device, char *line)
{
  const trm_device_info *info = trm_device_describe(device);
  snprintf(line, CACHED_LINE, "%s; %s; %s; %s; %s%s; %d units; %d threads; trireme %s",
           info->backend, info->name, info->driver, info->compiler, info->isa,
           info->is_host ? " strict" : "", info->compute_units, info->threads, trm_version());
}

static cached about(const char *line)
{
  return (cached){"roofs", line, ROOFS_FORMAT, "trireme bench"};
}

trm_status roofs_store(const trm_context *context, const trm_device *device,
                       const device_roofs *measured, char **path)
{
  char line[CACHED_LINE];
  conditions_of(device, line);
  const cached kept = about(line);
  json_t *content = json_roofs_of(measured, 1);
  json_object_set_new(content, "written", json_written());
  return cached_store(context, &kept, content, path);
}

static int read_document(const json_t *document, device_roofs *out)
{
  const char *written = member_text(document, "written");
  snprintf(out->origin, sizeof out->origin, "trireme bench, %.31s", written);
  return json_roofs_read(document, out) && *written && out->copy_command.count > 0;
}

/* 1 where a sound file of this device exists; else out->missing says why it does not. */
static int load(const trm_context *context, const trm_device *device, device_roofs *out)
{
  const trm_device_info *info = trm_device_describe(device);
  char line[CACHED_LINE], threads[64] = "";
  device_roofs read = {0};
  conditions_of(device, line);
  const cached kept = about(line);
  json_t *document = cached_load(context, &kept);
  const int is_sound = document && read_document(document, &read);
  if (document && !is_sound) cached_refuse(context, &kept, "it is damaged");
  json_decref(document);
  if (info->threads > 0) snprintf(threads, sizeof threads, "OMP_NUM_THREADS=%d ", info->threads);
  if (is_sound) *out = read;
  else if (trm_device_parts(device, 0, NULL) > 0)
    snprintf(out->missing, sizeof out->missing, "several devices share the work");
  else
    snprintf(out->missing, sizeof out->missing, "none stored: run '%strireme bench --on=%s:%zu'",
             threads, info->backend, info->index);
  return is_sound;
}

device_roofs roofs_find(const trm_context *context, const trm_device *device,
                        trm_precision precision, const device_roofs *measured, const char *why_not)
{
  char missing[sizeof measured->missing];
  device_roofs found = {0};
  if (load(context, device, &found)) {
    if (!isfinite(roof_fma(&found, precision)))
      snprintf(found.missing, sizeof found.missing, "fused multiply-adds: the device has no %s",
               trm_precision_name(precision));
    return found;
  }
  snprintf(missing, sizeof missing, "%s", found.missing);
  if (measured) {
    found = *measured;
    snprintf(found.origin, sizeof found.origin, "measured after this run");
    snprintf(found.missing, sizeof found.missing, "fused multiply-adds: %.480s", missing);
  } else {
    snprintf(found.missing, sizeof found.missing, "copy (%.150s) and fused multiply-adds: %.320s",
             why_not, missing);
  }
  return found;
}
