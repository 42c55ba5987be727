/* profile_rows.c - makes rows from counted and timed commands: scaled times, bytes and operations,
 * and the limit that binds each kernel. */
#include "run/measure/profile_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel is bound by its launch if it takes less than three times as long as a kernel without
 * work. A kernel that reaches less than a quarter of either roof is bound by latency: its own steps
 * take their time one after the other. */
static const double launches_that_bind = 3.0, least_part = 0.25;

/* ---- rows from entries ------------------------------------------------------- */

static profile_row *row_of(profile_table *table, const profile_entry *entry)
{
  for (size_t i = 0; i < table->count; i++)
    if (table->rows[i].kind == entry->command.kind &&
        strcmp(table->rows[i].name, entry->name) == 0)
      return &table->rows[i];
  profile_row *row = &table->rows[table->count++];
  *row = (profile_row){.kind = entry->command.kind, .of_bandwidth = NAN, .of_arithmetic = NAN,
                       .of_bound = NAN};
  memcpy(row->name, entry->name, sizeof row->name);
  return row;
}

/* Seconds of all calls. Calls that were never timed count as long as the timed ones of their row;
 * NaN: no call was timed. */
static double seconds_of(const profile *p, const profile_row *row)
{
  double sum = 0;
  uint64_t known = 0, calls = 0;
  for (size_t i = 0; i < p->entry_count; i++) {
    const profile_entry *entry = &p->entries[i];
    if (entry->command.kind != row->kind || strcmp(entry->name, row->name) != 0) continue;
    const double mean = profile_mean(p, entry);
    calls += entry->calls;
    if (!isfinite(mean)) continue;
    known += entry->calls;
    sum += mean * (double)entry->calls;
  }
  return known > 0 ? sum * (double)calls / (double)known : NAN;
}

static int is_longer(const void *a, const void *b)
{
  const profile_row *left = a, *right = b;
  const double x = isfinite(left->seconds) ? left->seconds : -1;
  const double y = isfinite(right->seconds) ? right->seconds : -1;
  return (x < y) - (x > y);
}

static void add_rows(const profile *p, profile_table *table)
{
  for (size_t i = 0; i < p->entry_count; i++) {
    const profile_entry *entry = &p->entries[i];
    if (entry->calls == 0) continue;
    profile_row *row = row_of(table, entry);
    const double moved = (double)entry->command.bytes * (row->kind == TRM_COMMAND_COPY ? 2 : 1);
    row->calls += entry->calls;
    row->timed += entry->timed ? entry->timed : entry->timed_cold;
    row->bytes += moved * (double)entry->calls;
    if (row->resources.group_items == 0 && row->kind == TRM_COMMAND_LAUNCH)
      trmi_launch_resources(p->device, &entry->command, &row->resources);
  }
  for (size_t i = 0; i < table->count; i++) {
    profile_row *row = &table->rows[i];
    row->seconds = seconds_of(p, row);
    row->bytes /= (double)row->calls;
    if (isfinite(row->seconds)) table->seconds += row->seconds;
  }
  qsort(table->rows, table->count, sizeof *table->rows, is_longer);
}

/* ---- bytes and operations, and the limits that bind kernels ------------------------ */

static void declare(profile_row *row, const trm_solver *solver)
{
  if (row->kind != TRM_COMMAND_LAUNCH) return; /* a copy moves its bytes and computes nothing */
  row->bytes = row->flops = NAN;
  for (size_t i = 0; i < solver->traffic_count; i++) {
    const trm_traffic *traffic = &solver->traffic[i];
    if (strcmp(traffic->kernel, row->name) != 0) continue;
    row->bytes = traffic->bytes_read + traffic->bytes_written;
    row->flops = traffic->flops;
    return;
  }
}

static void ask_fused(const trm_device *device, profile_row *row)
{
  const trmi_fused_launches *list;
  const size_t count = row->kind == TRM_COMMAND_LAUNCH ? trmi_device_fused(device, &list) : 0;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].kernel, row->name) != 0) continue;
    row->fused = list[i].launches;
    memcpy(row->alone, list[i].reason, sizeof row->alone);
  }
}

static void bind(profile_row *row, const profile_table *table)
{
  const double mean = row->seconds / (double)row->calls;
  row->of_bandwidth = row->bytes / mean / roof_copy(&table->roofs);
  row->of_arithmetic = row->flops / mean / roof_fma(&table->roofs, table->precision);
  if (!isfinite(mean)) return;
  const int is_arithmetic = row->of_arithmetic > row->of_bandwidth ||
                            (isfinite(row->of_arithmetic) && !isfinite(row->of_bandwidth));
  const double most = is_arithmetic ? row->of_arithmetic : row->of_bandwidth;
  if (mean < launches_that_bind * table->launch) {
    row->bound = "launch";
    row->of_bound = mean > 0 ? fmin(1, table->launch / mean) : 1;
  } else if (isfinite(most)) {
    row->bound = most < least_part ? "latency" : is_arithmetic ? "arithmetic" : "bandwidth";
    row->of_bound = most;
  }
}

trm_status profile_tabulate(profile *made, const trm_solver *solver, trm_precision precision,
                            const device_roofs *roofs, profile_table *out)
{
  const trm_device_info *device = trm_device_describe(made->device);
  profile_table table = {.floor = made->floor, .launch = made->launch, .roofs = *roofs,
                         .precision = precision, .device_seconds = made->device_seconds};
  table.rows = calloc(made->entry_count + 1, sizeof *table.rows);
  if (!table.rows) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the profile of a run");
  add_rows(made, &table);
  table.is_host = device->is_host;
  for (size_t i = 0; i < table.count; i++) {
    profile_row *row = &table.rows[i];
    row->share = row->seconds / table.seconds;
    declare(row, solver);
    ask_fused(made->device, row);
    bind(row, &table);
  }
  *out = table;
  return TRM_OK;
}

void profile_clear(profile_table *table)
{
  free(table->rows);
  *table = (profile_table){0};
}
