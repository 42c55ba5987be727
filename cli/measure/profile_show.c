/* profile_show.c - the profile as a table, as JSON and as CSV: the same rows and numbers. */
#include "cli/measure/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/json.h"

static const char *kind_name(trm_command_kind kind)
{
  return kind == TRM_COMMAND_LAUNCH ? "kernel" : kind == TRM_COMMAND_COPY ? "copy" : "fill";
}

static double mean_of(const profile_row *row) { return row->seconds / (double)row->calls; }
static double bytes_rate(const profile_row *row) { return row->bytes / mean_of(row); }
static double flops_rate(const profile_row *row) { return row->flops / mean_of(row); }

/* ---- the table ------------------------------------------------------------------ */

/* A number in `width` columns, or "-" where it is not known. */
static void print_number(int width, int digits, double value)
{
  if (isfinite(value)) printf(" %*.*f", width, digits, value);
  else printf(" %*s", width, "-");
}

/* -1: not known. */
static void print_count(int width, int value)
{
  if (value >= 0) printf(" %*d", width, value);
  else printf(" %*s", width, "-");
}

static void print_row(const profile_row *row)
{
  const trm_kernel_resources *used = &row->resources;
  const int is_kernel = row->kind == TRM_COMMAND_LAUNCH;
  printf("%-22s %-6s %9llu", row->name, kind_name(row->kind), (unsigned long long)row->calls);
  print_number(9, 4, row->seconds);
  print_number(10, 3, 1e6 * mean_of(row));
  print_number(6, 2, 100 * row->share);
  print_number(7, 1, 1e-9 * bytes_rate(row));
  print_number(8, 1, 1e-9 * flops_rate(row));
  print_number(6, 3, row->of_bound);
  printf(" %-10s", row->bound ? row->bound : "-");
  print_count(9, is_kernel ? used->registers : -1);
  print_count(6, is_kernel ? used->local_bytes : -1);
  print_count(6, is_kernel ? used->shared_bytes : -1);
  print_number(9, 3, is_kernel && used->occupancy >= 0 ? used->occupancy : (double)NAN);
  printf("\n");
}

/* Each reason once, with the kernels that it is about. */
static void print_reasons(const profile_table *table)
{
  for (size_t i = 0; i < table->count; i++) {
    const char *reason = table->rows[i].resources.reason;
    int is_first = *reason != 0;
    for (size_t k = 0; k < i; k++)
      is_first &= strcmp(table->rows[k].resources.reason, reason) != 0;
    if (is_first)
      printf("not available        a kernel's registers, memory or occupancy: %s\n", reason);
  }
  int undeclared = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (table->rows[i].kind != TRM_COMMAND_LAUNCH || isfinite(table->rows[i].bytes)) continue;
    printf("%s%s", undeclared++ ? ", " : "not available        GB/s and GFLOP/s of ",
           table->rows[i].name);
  }
  if (undeclared) printf(": the solver declares no traffic of them\n");
}

static void print_roofs(const profile_table *table)
{
  const profile_roofs *roofs = &table->roofs;
  printf("roofs                ");
  if (isfinite(roofs->copy)) printf("copy %.1f GB/s", 1e-9 * roofs->copy);
  if (isfinite(roofs->copy) && isfinite(roofs->fma)) printf(", ");
  if (isfinite(roofs->fma)) printf("fused multiply-add %.1f GFLOP/s", 1e-9 * roofs->fma);
  if (roofs->origin[0]) printf(" (%s)", roofs->origin);
  if (roofs->missing[0])
    printf("%snot available: %s", isfinite(roofs->copy) || isfinite(roofs->fma) ? "; " : "",
           roofs->missing);
  printf("\n");
}

void profile_print(const profile_table *table)
{
  uint64_t calls = 0, timed = 0;
  for (size_t i = 0; i < table->count; i++) {
    calls += table->rows[i].calls;
    timed += table->rows[i].timed;
  }
  printf("\nprofile              %llu of %llu calls were timed one by one, less the %.3g us that "
         "this adds to each; a kernel without work takes %.3g us\n", (unsigned long long)timed,
         (unsigned long long)calls, 1e6 * table->floor, 1e6 * table->launch);
  printf("%-22s %-6s %9s %9s %10s %6s %7s %8s %6s %-10s %9s %6s %6s %9s\n", "what", "kind", "calls",
         "seconds", "us a call", "%", "GB/s", "GFLOP/s", "of it", "bound by", "registers", "local",
         "shared", "occupancy");
  for (size_t i = 0; i < table->count; i++) print_row(&table->rows[i]);
  const double rest = table->device_seconds - table->seconds;
  printf("sum %.4f s; the steps took the device %.4f s: %.1f %% %s\n", table->seconds,
         table->device_seconds, 100 * fabs(rest) / table->device_seconds,
         rest >= 0 ? "between commands"
                   : table->is_host ? "less, as only what is timed goes without wavefronts"
                                    : "less, as only what is timed goes one by one");
  print_roofs(table);
  print_reasons(table);
}

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
      json_text(row->name), "kind", kind_name(row->kind), "calls", (json_int_t)row->calls, "timed",
      (json_int_t)row->timed, "seconds", json_number(row->seconds), "seconds_per_call",
      json_number(mean_of(row)), "share", json_number(row->share), "bytes_per_call",
      json_number(row->bytes), "flops_per_call", json_number(row->flops), "bytes_per_second",
      json_number(bytes_rate(row)), "flops_per_second", json_number(flops_rate(row)),
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
  fprintf(to, ",%s,%llu,%llu", kind_name(row->kind), (unsigned long long)row->calls,
          (unsigned long long)row->timed);
  const double numbers[] = {row->seconds, mean_of(row), row->share, row->bytes, row->flops,
                            bytes_rate(row), flops_rate(row), row->of_bandwidth,
                            row->of_arithmetic};
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
