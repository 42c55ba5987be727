/* profile_show.c - the profile as JSON and as CSV: the same rows and numbers. */
#include "run/measure/profile.h"

#include <math.h>

#include "run/text/csv.h"
#include "run/text/json.h"

const char *profile_kind(const profile_row *row)
{
  return row->kind == TRM_COMMAND_LAUNCH ? "kernel"
         : row->kind == TRM_COMMAND_COPY ? "copy" : "fill";
}

double profile_call_seconds(const profile_row *row) { return row->seconds / (double)row->calls; }
double profile_byte_rate(const profile_row *row) { return row->bytes / profile_call_seconds(row); }
double profile_flop_rate(const profile_row *row) { return row->flops / profile_call_seconds(row); }

static json_t *count_or_null(int value)
{
  return value >= 0 ? json_integer(value) : json_null();
}

static json_t *json_resources(const profile_row *row)
{
  const trm_kernel_resources *used = &row->resources;
  if (row->kind != TRM_COMMAND_LAUNCH) return json_null();
  json_t *out = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o}", "group_items", count_or_null(used->group_items),
      "registers", count_or_null(used->registers), "local_bytes", count_or_null(used->local_bytes),
      "shared_bytes", count_or_null(used->shared_bytes), "resident_groups",
      count_or_null(used->resident_groups), "occupancy",
      json_number(used->occupancy >= 0 ? used->occupancy : (double)NAN));
  if (out && used->reason[0]) json_object_set_new(out, "missing", json_text(used->reason));
  return out;
}

static json_t *json_row(const profile_row *row)
{
  return json_pack(
      "{s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
      "name", json_text(row->name), "kind", profile_kind(row), "calls",
      (json_int_t)row->calls, "timed", (json_int_t)row->timed, "seconds",
      json_number(row->seconds), "seconds_per_call",
      json_number(profile_call_seconds(row)), "share", json_number(row->share), "bytes_per_call",
      json_number(row->bytes), "flops_per_call", json_number(row->flops), "bytes_per_second",
      json_number(profile_byte_rate(row)), "flops_per_second", json_number(profile_flop_rate(row)),
      "part_of_bandwidth", json_number(row->of_bandwidth), "part_of_arithmetic",
      json_number(row->of_arithmetic), "bound", row->bound ? json_string(row->bound) : json_null(),
      "part_of_bound", json_number(row->of_bound), "at_once",
      row->fused ? json_integer(row->fused) : json_null(), "alone",
      row->alone[0] ? json_text(row->alone) : json_null(), "resources", json_resources(row));
}

static json_t *json_rows(const profile_table *table)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < table->count; i++)
    json_array_append_new(rows, json_row(&table->rows[i]));
  return rows;
}

static json_t *json_roofs(const device_roofs *roofs, trm_precision precision)
{
  json_t *out = json_pack("{s:o, s:o, s:o}", "copy_bytes_per_second",
                          json_number(roof_copy(roofs)), "origin", json_text(roofs->origin),
                          precision == TRM_F64 ? "fma_f64" : "fma_f32",
                          json_number(roof_fma(roofs, precision)));
  if (out && roofs->missing[0]) json_object_set_new(out, "missing", json_text(roofs->missing));
  return out;
}

json_t *profile_json(const profile_table *table)
{
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "rows", json_rows(table), "seconds",
                   json_number(table->seconds), "device_seconds",
                   json_number(table->device_seconds), "event_seconds", json_number(table->floor),
                   "launch_seconds", json_number(table->launch), "ceilings",
                   json_roofs(&table->roofs, table->precision));
}

char *profile_csv(const profile_table *table)
{
  static const char *const columns[] = {
    "name", "kind", "calls", "timed", "seconds", "seconds_per_call", "share", "bytes_per_call",
    "flops_per_call", "bytes_per_second", "flops_per_second", "part_of_bandwidth",
    "part_of_arithmetic", "bound", "part_of_bound", "resources.group_items", "resources.registers",
    "resources.local_bytes", "resources.shared_bytes", "resources.resident_groups",
    "resources.occupancy", "resources.missing", "at_once", "alone", NULL};
  json_t *rows = json_rows(table);
  char *text = json_is_whole(rows) ? csv_rows(rows, columns) : NULL;
  json_decref(rows);
  return text;
}
