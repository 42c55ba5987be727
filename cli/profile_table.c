/* profile_table.c - the profile of a run as a table on standard output. */
#include "cli/run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
  printf("%-22s %-6s %9llu", row->name, profile_kind(row), (unsigned long long)row->calls);
  print_number(9, 4, row->seconds);
  print_number(10, 3, 1e6 * profile_call_seconds(row));
  print_number(6, 2, 100 * row->share);
  print_number(7, 1, 1e-9 * profile_byte_rate(row));
  print_number(8, 1, 1e-9 * profile_flop_rate(row));
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

void profile_table_print(const profile_table *table)
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
