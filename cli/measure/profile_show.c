/* profile_show.c - the profile as JSON and as CSV: the same rows and numbers. */
#include "cli/measure/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/json.h"

const char *profile_kind(const profile_row *row)
{
  return row->kind == TRM_COMMAND_LAUNCH ? "kernel"
         : row->kind == TRM_COMMAND_COPY ? "copy" : "fill";
}

double profile_call_seconds(const profile_row *row) { return row->seconds / (double)row->calls; }
double profile_byte_rate(const profile_row *row) { return row->bytes / profile_call_seconds(row); }
double profile_flop_rate(const profile_row *row) { return row->flops / profile_call_seconds(row); }

/* ---- JSON ------------------------------------------------------------------------- */

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
      "{s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
      json_text(row->name), "kind", profile_kind(row), "calls", (json_int_t)row->calls, "timed",
      (json_int_t)row->timed, "seconds", json_number(row->seconds), "seconds_per_call",
      json_number(profile_call_seconds(row)), "share", json_number(row->share), "bytes_per_call",
      json_number(row->bytes), "flops_per_call", json_number(row->flops), "bytes_per_second",
      json_number(profile_byte_rate(row)), "flops_per_second", json_number(profile_flop_rate(row)),
      "part_of_bandwidth", json_number(row->of_bandwidth), "part_of_arithmetic",
      json_number(row->of_arithmetic), "bound", row->bound ? json_string(row->bound) : json_null(),
      "part_of_bound", json_number(row->of_bound), "resources", json_resources(row));
}

static json_t *json_roofs(const profile_roofs *roofs, const char *precision)
{
  char key[32];
  json_t *out = json_pack("{s:o, s:o}", "copy_bytes_per_second", json_number(roofs->copy),
                          "origin", json_text(roofs->origin));
  snprintf(key, sizeof key, "fma_%s", precision);
  if (out) json_object_set_new(out, key, json_number(roofs->fma));
  if (out && roofs->missing[0]) json_object_set_new(out, "missing", json_text(roofs->missing));
  return out;
}

json_t *profile_json(const profile_table *table)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < table->count; i++)
    json_array_append_new(rows, json_row(&table->rows[i]));
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "rows", rows, "seconds",
                   json_number(table->seconds), "device_seconds",
                   json_number(table->device_seconds), "event_seconds", json_number(table->floor),
                   "launch_seconds", json_number(table->launch), "ceilings",
                   json_roofs(&table->roofs, trm_precision_name(table->precision)));
}

/* ---- CSV -------------------------------------------------------------------------- */

/* A number with all its digits, after a comma; nothing where it is not known. */
static void put_number(FILE *to, double value)
{
  if (isfinite(value)) fprintf(to, ",%.17g", value);
  else fputc(',', to);
}

static void put_count(FILE *to, int value)
{
  put_number(to, value >= 0 ? value : (double)NAN);
}

/* In quotes, doubled inside (RFC 4180). */
static void put_text(FILE *to, const char *text)
{
  fputc('"', to);
  for (; *text; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  fputc('"', to);
}

static void put_row(FILE *to, const profile_row *row)
{
  const trm_kernel_resources *used = &row->resources;
  const int is_kernel = row->kind == TRM_COMMAND_LAUNCH;
  put_text(to, row->name);
  fprintf(to, ",%s,%llu,%llu", profile_kind(row), (unsigned long long)row->calls,
          (unsigned long long)row->timed);
  const double numbers[] = {row->seconds, profile_call_seconds(row), row->share, row->bytes,
                            row->flops, profile_byte_rate(row), profile_flop_rate(row),
                            row->of_bandwidth, row->of_arithmetic};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put_number(to, numbers[i]);
  fprintf(to, ",%s", row->bound ? row->bound : "");
  put_number(to, row->of_bound);
  put_count(to, is_kernel ? used->group_items : -1);
  put_count(to, is_kernel ? used->registers : -1);
  put_count(to, is_kernel ? used->local_bytes : -1);
  put_count(to, is_kernel ? used->shared_bytes : -1);
  put_count(to, is_kernel ? used->resident_groups : -1);
  put_number(to, is_kernel && used->occupancy >= 0 ? used->occupancy : (double)NAN);
  fputc(',', to);
  put_text(to, used->reason);
  fputc('\n', to);
}

char *profile_csv(const profile_table *table)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *to = open_memstream(&text, &bytes);
  if (!to) return NULL;
  fputs("name,kind,calls,timed,seconds,seconds_per_call,share,bytes_per_call,flops_per_call,"
        "bytes_per_second,flops_per_second,part_of_bandwidth,part_of_arithmetic,bound,"
        "part_of_bound,group_items,registers,local_bytes,shared_bytes,resident_groups,occupancy,"
        "missing\n", to);
  for (size_t i = 0; i < table->count; i++) put_row(to, &table->rows[i]);
  const int failed = ferror(to);
  if (fclose(to) != 0 || failed) {
    free(text);
    return NULL;
  }
  return text;
}
