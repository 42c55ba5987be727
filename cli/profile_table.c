/* profile_table.c - the profile of a run as a table on standard output. */
#include "cli/run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"

/* In the order in which they are left out where a terminal is narrow: the highest rank first. */
static const table_column columns[] = {
  {"what", 1, 0}, {"kind", 1, 3}, {"calls", 0, 0}, {"seconds", 0, 2}, {"us a call", 0, 0},
  {"%", 0, 0}, {"GB/s", 0, 0}, {"GFLOP/s", 0, 1}, {"of roof", 0, 0}, {"bound by", 1, 0},
  {"registers", 0, 4}, {"local", 0, 6}, {"shared", 0, 7}, {"occupancy", 0, 5},
};

/* -1: not known. */
static double count_of(int value) { return value >= 0 ? value : (double)NAN; }

static void cell_of(const void *of, size_t index, size_t column, char text[TABLE_TEXT])
{
  const profile_row *row = &((const profile_table *)of)->rows[index];
  const int is_kernel = row->kind == TRM_COMMAND_LAUNCH;
  const trm_kernel_resources unknown = {.registers = -1, .local_bytes = -1, .shared_bytes = -1,
                                        .occupancy = -1};
  const trm_kernel_resources *used = is_kernel ? &row->resources : &unknown;
  switch (column) {
  case 0: snprintf(text, TABLE_TEXT, "%s", row->name); break;
  case 1: snprintf(text, TABLE_TEXT, "%s", profile_kind(row)); break;
  case 2: snprintf(text, TABLE_TEXT, "%llu", (unsigned long long)row->calls); break;
  case 3: table_significant(row->seconds, text, TABLE_TEXT); break;
  case 4: table_significant(1e6 * profile_call_seconds(row), text, TABLE_TEXT); break;
  case 5: table_significant(100 * row->share, text, TABLE_TEXT); break;
  case 6: table_significant(1e-9 * profile_byte_rate(row), text, TABLE_TEXT); break;
  case 7: table_significant(1e-9 * profile_flop_rate(row), text, TABLE_TEXT); break;
  case 8: table_significant(row->of_bound, text, TABLE_TEXT); break;
  case 9: snprintf(text, TABLE_TEXT, "%s", row->bound ? row->bound : "-"); break;
  case 10: table_number(text, 0, count_of(used->registers)); break;
  case 11: table_number(text, 0, count_of(used->local_bytes)); break;
  case 12: table_number(text, 0, count_of(used->shared_bytes)); break;
  case 13:
    table_significant(used->occupancy >= 0 ? used->occupancy : (double)NAN, text, TABLE_TEXT);
    break;
  }
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

/* For each recorded kernel: how it is replayed when it is not timed. */
static void print_fused(const profile_table *table)
{
  const char *label = "launches at once     ";
  for (size_t i = 0; i < table->count; i++) {
    const profile_row *row = &table->rows[i];
    if (!row->fused) continue;
    printf("%s%s: %d%s%s%s\n", label, row->name, row->fused, row->fused == 1 ? "" :
           table->is_host ? " in one pass over memory" : " in one launch of the device",
           row->alone[0] ? ": " : "", row->alone);
    label = "                     ";
  }
}

static void print_roofs(const profile_table *table)
{
  const device_roofs *roofs = &table->roofs;
  const double copy = roof_copy(roofs), fma = roof_fma(roofs, table->precision);
  printf("roofs                ");
  if (isfinite(copy)) printf("copy %.1f GB/s", 1e-9 * copy);
  if (isfinite(copy) && isfinite(fma)) printf(", ");
  if (isfinite(fma)) printf("fused multiply-add %.1f GFLOP/s", 1e-9 * fma);
  if (roofs->origin[0]) printf(" (%s)", roofs->origin);
  if (roofs->missing[0])
    printf("%snot available: %s", isfinite(copy) || isfinite(fma) ? "; " : "",
           roofs->missing);
  printf("\n");
}

/* Timed calls run one by one, so they may take longer than the steps that they are a part of. */
static void print_sum(const profile_table *table)
{
  const double all = table->device_seconds, rest = all - table->seconds;
  printf("sum %.4f s; the steps took the device %.4f s: ", table->seconds, all);
  if (rest >= 0) printf("%.1f %% between commands\n", 100 * rest / all);
  else
    printf("the parts add up to %.3g times\nthe time of the steps, since timed calls run %s\n",
           table->seconds / all, table->is_host ? "without wavefronts" : "one by one");
}

void profile_table_print(const profile_table *table)
{
  uint64_t calls = 0, timed = 0;
  for (size_t i = 0; i < table->count; i++) {
    calls += table->rows[i].calls;
    timed += table->rows[i].timed;
  }
  printf("\nprofile              %llu of %llu calls timed one by one; the cost of a timing, "
         "%.3g us,\n                     is subtracted; a kernel without work takes %.3g us\n",
         (unsigned long long)timed, (unsigned long long)calls, 1e6 * table->floor,
         1e6 * table->launch);
  table_print(columns, sizeof columns / sizeof columns[0], cell_of, table, table->count);
  print_sum(table);
  print_roofs(table);
  print_fused(table);
  print_reasons(table);
}
