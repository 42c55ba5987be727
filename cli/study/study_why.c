/* study_why.c - the parts of an implementation's gain: counts in a step, each at its price as
 * measured on the device, and the unexplained rest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/study/study.h"

static void add(why *out, const char *what, const char *how, double seconds, const char *text)
{
  why_part *part = &out->parts[out->count++];
  *part = (why_part){.what = what, .how = how, .seconds = seconds};
  snprintf(part->text, sizeof part->text, "%s", text);
  if (isfinite(seconds)) out->rest -= seconds;
}

/* A GPU takes launches from a queue. Where kernels are longer than launches, the host is ahead, and
 * the time between two kernels is the time of a recorded launch. */
static double launch_seconds(const study_row *row, const device_roofs *roofs, int is_host)
{
  const double launch = roofs->launch_plain.median, recorded = roofs->launch_recorded.median;
  const double plain = row->cost.launches - row->cost.replayed;
  const int is_hidden =
      !is_host && benchmark_step_seconds(&row->who.benchmark) > 2 * row->cost.launches * launch;
  return plain * (is_hidden ? fmin(recorded, launch) : launch) + row->cost.replayed * recorded;
}

static double transfer_seconds(const study_row *row, const device_roofs *roofs)
{
  return row->cost.written / roofs->to_device.median + row->cost.read / roofs->from_device.median +
         row->cost.transfers * roofs->transfer.median;
}

static int differs(double a, double b)
{
  return fabs(a - b) > 0.005 * fmax(fabs(a), fabs(b));
}

/* "75.5 MB", "4 bytes" */
static const char *amount(double bytes, char text[32])
{
  static const char *const units[] = {"bytes", "kB", "MB", "GB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 3; unit++) bytes /= 1000;
  snprintf(text, 32, "%.3g %s", bytes, units[unit]);
  return text;
}

static void add_transfers(why *out, const study_row *a, const study_row *b,
                          const device_roofs *roofs)
{
  enum { FEW_BYTES = 64 };
  const double few = 0.1; /* transfers a step: a batch's read-back of its series is fewer */
  char text[160], before[32], after[32];
  const double from = a->cost.written + a->cost.read, to = b->cost.written + b->cost.read;
  const double x = a->cost.transfers, y = b->cost.transfers;
  const double seconds = transfer_seconds(a, roofs) - transfer_seconds(b, roofs);
  if ((!differs(from, to) || fmax(from, to) < FEW_BYTES) && (!differs(x, y) || fmax(x, y) < few))
    return;
  snprintf(text, sizeof text, "per step: %s in %.3g transfers before, %s in %.3g after",
           amount(from, before), x, amount(to, after), y);
  add(out, "transfers", "measured", seconds, text);
}

static void add_launches(why *out, const study_row *a, const study_row *b,
                         const device_roofs *roofs, int is_host)
{
  char text[160];
  const row_cost *x = &a->cost, *y = &b->cost;
  if (!differs(x->launches, y->launches) && !differs(x->replayed, y->replayed)) return;
  const double seconds = launch_seconds(a, roofs, is_host) - launch_seconds(b, roofs, is_host);
  snprintf(text, sizeof text, "%.3g to %.3g commands a step", x->launches, y->launches);
  if (x->replayed > 0 || y->replayed > 0)
    snprintf(text + strlen(text), sizeof text - strlen(text), ", %.3g to %.3g of them recorded "
             "launches", x->replayed, y->replayed);
  add(out, "launches", "measured", seconds, text);
}

static void add_bytes(why *out, const study_row *a, const study_row *b, const device_roofs *roofs)
{
  char text[160], before[32], after[32];
  const double from = a->cost.bytes, to = b->cost.bytes;
  if (!differs(from, to)) return;
  snprintf(text, sizeof text, "per step: %s of memory before, %s after", amount(from, before),
           amount(to, after));
  add(out, "bytes", "declared", (from - to) / roofs->here, text);
}

static void add_serial(why *out, const study_row *a, const study_row *b, const device_roofs *roofs)
{
  char text[160];
  const double from = a->cost.burden.serial_values, to = b->cost.burden.serial_values;
  if (!differs(from, to)) return;
  const double share = from * roofs->serial.median / benchmark_step_seconds(&a->who.benchmark);
  snprintf(text, sizeof text, "%.6g to %.6g values a step summed by one item (%.0f %% of the step)",
           from, to, 100 * share);
  add(out, "serial", "declared", (from - to) * roofs->serial.median, text);
}

/* The loss of a group that takes both paths depends on the paths: it is counted, not priced. */
static void add_divergence(why *out, const study_row *a, const study_row *b)
{
  char text[160];
  const double from = a->cost.burden.divergent_groups, to = b->cost.burden.divergent_groups;
  if (from <= 0 && to <= 0) return;
  if (!differs(from, to) && a->cost.burden.groups == b->cost.burden.groups) return;
  const row_cost *const of[] = {&a->cost, &b->cost};
  char counts[2][48];
  for (int i = 0; i < 2; i++)
    if (of[i]->burden.divergent_groups <= 0) snprintf(counts[i], sizeof counts[i], "none");
    else
      snprintf(counts[i], sizeof counts[i], "%.6g of %.6g", of[i]->burden.divergent_groups,
               of[i]->burden.groups);
  snprintf(text, sizeof text, "groups whose cells take different paths: %s before, %s after",
           counts[0], counts[1]);
  add(out, "divergence", "measured", (double)NAN, text);
}

/* A pass over memory serves so many launches. */
static void add_passes(why *out, const study_row *a, const study_row *b, const device_roofs *roofs)
{
  char text[160];
  const double from = a->cost.at_once, to = b->cost.at_once;
  if (!(from > 0) || !(to > 0) || from == to) return;
  snprintf(text, sizeof text, "one pass over memory for %.3g recorded step%s before, for %.3g "
           "after", from, from > 1 ? "s" : "", to);
  add(out, "passes", "declared",
      (a->cost.bytes / from - b->cost.bytes / to) / roofs->here, text);
}

/* A part that costs something between nothing and `most`: it explains as much of the rest. */
static void add_bound(why *out, const char *what, double most, const char *text)
{
  add(out, what, "bound", fmax(fmin(out->rest, fmax(most, 0)), fmin(most, 0)), text);
}

/* Where launches do not overlap, the time from one to the next is longer. */
static void add_overlap(why *out, const study_row *a, const study_row *b, const device_roofs *roofs)
{
  char text[160];
  if ((a->cost.apart > 0) == (b->cost.apart > 0)) return;
  const study_row *waiting = b->cost.apart > 0 ? b : a;
  const double each = roofs->launch_apart.median - roofs->launch_recorded.median;
  const double seconds = waiting->cost.launches * each;
  snprintf(text, sizeof text, "%.3g launches a step %s overlap", waiting->cost.launches,
           waiting == b ? "no longer" : "now");
  add(out, "overlap", "measured",
      !(roofs->launch_apart.median > 0) ? (double)NAN : waiting == b ? -seconds : seconds, text);
}

/* Idle lanes take the time of others where arithmetic binds, and none where memory does. */
static void add_lanes(why *out, const study_row *a, const study_row *b)
{
  char text[240];
  const row_cost *x = &a->cost, *y = &b->cost;
  if (!(x->items > 0) || !(y->items > 0)) return;
  const double from = x->lanes / x->items, to = y->lanes / y->items;
  if (!differs(from, to)) return;
  const double most = benchmark_step_seconds(&a->who.benchmark) * (1 - to / from);
  snprintf(text, sizeof text, "idle lanes of a group: %.0f of %.0f before, %.0f of %.0f after; if "
           "arithmetic binds, %+.3g us", x->lanes - x->items, x->lanes, y->lanes - y->items,
           y->lanes, 1e6 * most);
  add_bound(out, "lanes", most, text);
}

/* Fewer resident items hide less of the time that a load takes. */
static void add_residency(why *out, const study_row *a, const study_row *b)
{
  char text[240];
  const double from = a->cost.resident > 0 ? a->cost.resident : 1;
  const double to = b->cost.resident > 0 ? b->cost.resident : 1;
  if (!differs(from, to)) return;
  const double most = benchmark_step_seconds(&a->who.benchmark) * (1 - from / to);
  snprintf(text, sizeof text, "items of a multiprocessor that may be resident: %.3g %% before, "
           "%.3g %% after; if waiting for loads binds, %+.3g us", 100 * from, 100 * to, 1e6 * most);
  add_bound(out, "residency", most, text);
}

/* The intended savings of the implementation that are not seen. */
static void add_unseen(why *out, const trm_implementation *implementation, const row_cost *cost,
                       int is_host)
{
  static const char *const names[WHY_SAVINGS] = {"transfers", "launches", "bytes", "serial",
                                                 "divergence", "passes"};
  char text[240];
  for (unsigned bit = 0; implementation && bit < WHY_SAVINGS; bit++) {
    size_t i = 0;
    while (i < out->count && strcmp(out->parts[i].what, names[bit]) != 0) i++;
    if (!(implementation->saves & 1u << bit) || i < out->count) continue;
    const int is_passes = 1u << bit == TRM_SAVES_PASSES;
    const int is_for_gpus = is_passes && is_host && cost->at_once > 1; /* a wavefront has them */
    snprintf(text, sizeof text, "%s", is_for_gpus
             ? "This step helps GPUs only; on a processor it changes nothing"
             : "This step changes nothing here");
    if (is_passes && !is_for_gpus)
      snprintf(text + strlen(text), sizeof text - strlen(text),
               ": %.3g recorded step%s at once%s%s", cost->at_once, cost->at_once > 1 ? "s" : "",
               cost->alone[0] ? ", " : "", cost->alone);
    add(out, names[bit], "declared", (double)NAN, text);
  }
}

why study_explain(const study_row *before, const study_row *after, const device_roofs *roofs,
                  int is_host)
{
  why out = {.saved = benchmark_step_seconds(&before->who.benchmark) -
                      benchmark_step_seconds(&after->who.benchmark)};
  out.rest = out.saved;
  add_transfers(&out, before, after, roofs);
  add_launches(&out, before, after, roofs, is_host);
  if (before->cost.at_once == after->cost.at_once) add_bytes(&out, before, after, roofs);
  add_serial(&out, before, after, roofs);
  add_divergence(&out, before, after);
  add_passes(&out, before, after, roofs);
  add_overlap(&out, before, after, roofs);
  add_lanes(&out, before, after);
  add_residency(&out, before, after);
  add_unseen(&out, after->implementation, &after->cost, is_host);
  return out;
}
