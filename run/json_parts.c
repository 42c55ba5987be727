/* json_parts.c - see json_parts.h. */
#include "run/json_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/text/json.h"
#include "run/text/members.h"
#include "core/counters.h"
#include "core/domain/device.h"

json_t *json_config(const trm_config *config)
{
  json_t *out = json_object();
  for (size_t i = 0; i < trm_config_count(config); i++) {
    const trm_option *option = trm_config_option(config, i);
    const char *text = trm_config_text(config, option->key);
    json_t *value = json_text(text);
    if (text[0] && option->type == TRM_OPTION_INTEGER) {
      json_decref(value);
      value = json_integer((json_int_t)trm_config_integer(config, option->key));
    } else if (text[0] && option->type == TRM_OPTION_REAL && strcmp(text, "auto") != 0) {
      json_decref(value);
      value = json_number(trm_config_real(config, option->key));
    } else if (text[0] && option->type == TRM_OPTION_BOOLEAN) {
      json_decref(value);
      value = json_boolean(trm_config_boolean(config, option->key));
    }
    json_object_set_new(out, option->key, value);
  }
  return out;
}

json_t *json_device(const trm_device_info *info)
{
  char id[64];
  snprintf(id, sizeof id, "%s:%zu", info->backend, info->index);
  json_t *device = json_pack(
      "{s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:b, s:b, s:i}", "id", id, "backend",
      json_text(info->backend), "index", (json_int_t)info->index, "name", json_text(info->name),
      "vendor", json_text(info->vendor), "driver", json_text(info->driver), "compiler",
      json_text(info->compiler), "f64", info->has_f64, "host", info->is_host, "compute_units",
      info->compute_units);
  if (!device) return NULL;
  json_object_set_new(device, "memory_bytes",
                      info->memory_bytes ? json_integer((json_int_t)info->memory_bytes)
                                         : json_null());
  json_object_set_new(device, "max_buffer_bytes",
                      info->max_buffer_bytes ? json_integer((json_int_t)info->max_buffer_bytes)
                                             : json_null());
  if (info->threads > 0) json_object_set_new(device, "threads", json_integer(info->threads));
  if (info->pinning[0]) json_object_set_new(device, "pinning", json_text(info->pinning));
  if (info->pci[0]) json_object_set_new(device, "pci", json_text(info->pci));
  if (info->isa[0]) json_object_set_new(device, "isa", json_text(info->isa));
  if (info->fused[0])
    json_object_set_new(device, "steps_at_once", json_text(info->fused));
  return device;
}

/* How several devices share a run. */
static json_t *json_sharing(const trm_device *device)
{
  domain_way way;
  if (!domain_device_way(device, &way)) return json_null();
  const uint64_t bytes = way.moved.host_bytes + way.moved.direct_bytes;
  return json_pack("{s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "control", "parts", "carried_by",
                   json_text(way.carrier), "messages", (json_int_t)way.moved.messages,
                   "host_bytes", (json_int_t)way.moved.host_bytes, "direct_bytes",
                   (json_int_t)way.moved.direct_bytes, "direct_by",
                   way.direct_by && way.moved.direct_bytes ? json_text(way.direct_by) : json_null(),
                   "seconds", json_number(way.seconds),
                   "bytes_per_second",
                   way.seconds > 0 ? json_number((double)bytes / way.seconds) : json_null());
}

json_t *json_opened(const trm_device *device)
{
  const size_t count = trm_device_parts(device, 0, NULL);
  trm_device_part *parts = calloc(count + 1, sizeof *parts);
  if (!parts) return NULL;
  (void)trm_device_parts(device, count, parts);
  json_t *out = json_device(trm_device_describe(device)), *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *one = json_device(parts[i].info);
    json_object_set_new(one, "weight", json_number(parts[i].weight));
    json_object_set_new(one, "first_row", json_integer((json_int_t)parts[i].first));
    json_object_set_new(one, "rows", json_integer((json_int_t)parts[i].rows));
    json_object_set_new(one, "taken_bytes",
                        json_integer((json_int_t)trm_device_part_bytes(device, i)));
    if (parts[i].node[0]) {
      json_object_set_new(one, "rank", json_integer(parts[i].rank));
      json_object_set_new(one, "node", json_text(parts[i].node));
    }
    json_array_append_new(list, one);
  }
  if (count > 0 && *trm_ranks_library())
    json_object_set_new(out, "mpi", json_text(trm_ranks_library()));
  if (count > 0) json_object_set(out, "parts", list);
  if (count > 0) json_object_set_new(out, "sharing", json_sharing(device));
  json_decref(list);
  free(parts);
  return out;
}

double idle_lanes(const char *device, int x, int y)
{
  const int warp = strncmp(device, "gfx9", 4) == 0 ? 64 : 32, warps = (x * y + warp - 1) / warp;
  return 1.0 - (double)(x * y) / (double)(warp * warps);
}

json_t *json_program(const trm_program_info *info)
{
  if (!info) return json_null();
  return json_pack("{s:s, s:s, s:o, s:o, s:[i,i], s:i, s:o, s:b}", "precision",
                   trm_precision_name(info->precision), "math", trm_math_name(info->math),
                   "variant", json_text(info->variant), "isa", json_text(info->isa), "row_group",
                   info->row_group_x, info->row_group_y, "group", info->group, "build_seconds",
                   json_number(info->build_seconds), "from_cache", info->from_cache);
}

/* A run shows the first three. */
static const member_place roof_members[] = {
  MEMBER(device_roofs, SAMPLE, "copy_command", copy_command),
  MEMBER(device_roofs, SAMPLE, "copy_kernel", copy_kernel),
  MEMBER(device_roofs, COUNT, "copy_array_bytes", copy_bytes),
  MEMBER(device_roofs, SAMPLE, "triad", triad),
  MEMBER(device_roofs, SAMPLE, "read", read), MEMBER(device_roofs, SAMPLE, "nine_stream", nine),
  MEMBER(device_roofs, COUNT, "nine_lattice_bytes", nine_bytes),
  MEMBER(device_roofs, SAMPLE, "copy_of_1_mib", within[0]),
  MEMBER(device_roofs, SAMPLE, "copy_of_4_mib", within[1]),
  MEMBER(device_roofs, SAMPLE, "copy_of_16_mib", within[2]),
  MEMBER(device_roofs, SAMPLE, "copy_of_64_mib", within[3]),
  MEMBER(device_roofs, SAMPLE, "copy_of_256_mib", within[4]),
  MEMBER(device_roofs, SAMPLE, "fma_f32", fma_f32),
  MEMBER(device_roofs, SAMPLE, "fma_f64", fma_f64),
  MEMBER(device_roofs, SAMPLE, "launch_plain_seconds", launch_plain),
  MEMBER(device_roofs, SAMPLE, "launch_recorded_seconds", launch_recorded),
  MEMBER(device_roofs, SAMPLE, "to_device", to_device),
  MEMBER(device_roofs, SAMPLE, "from_device", from_device),
  MEMBER(device_roofs, COUNT, "transfer_bytes", transfer_bytes),
  MEMBER(device_roofs, SAMPLE, "transfer_seconds", transfer)};
enum { ROOFS = sizeof roof_members / sizeof *roof_members };

json_t *json_roofs_of(const device_roofs *measured, int all)
{
  json_t *out = json_object();
  json_object_set_new(out, "copy_bytes_per_second", json_number(roof_copy(measured)));
  return members_write(out, roof_members, all ? (size_t)ROOFS : 3, measured);
}

int json_roofs_read(const json_t *from, device_roofs *out)
{
  MEMBERS_READ(from, roof_members, out);
  for (size_t i = 0; i < ROOFS; i++) {
    const sample *one = (const void *)((const char *)out + roof_members[i].offset);
    const json_t *kept = json_object_get(from, roof_members[i].path);
    const int is_new = strncmp(roof_members[i].path, "copy_of_", 8) == 0; /* older files lack it */
    const int is_sound = json_is_null(kept) || (is_new && !kept) ||
                         (one->count > 0 && one->least > 0 && one->median >= one->least &&
                          one->most >= one->median);
    if (roof_members[i].kind == MEMBER_SAMPLE && !is_sound) return 0;
  }
  return 1;
}

json_t *json_energy(const energy_meter *meter, double updates)
{
  if (meter->missing[0]) return json_pack("{s:o}", "missing", json_text(meter->missing));
  return json_pack("{s:o, s:o, s:o, s:o}", "joules", json_number(meter->joules), "seconds",
                   json_number(meter->seconds), "joules_per_update",
                   json_number(updates > 0 ? meter->joules / updates : (double)NAN), "source",
                   json_text(meter->source));
}
