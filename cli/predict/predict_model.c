/* predict_model.c - terms of a step, taken from a device where it was measured to another one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict/predict.h"
#include "run/text/text.h"

const char *const predict_bounds[] = {"bytes", "arithmetic", "launches", "transfers"};

/* Bytes and arithmetic overlap in part: more than in their sum, less than where the longer alone
 * counts. The exponent 1.5 has the least worst error on the rows of docs/measure
 * (docs/predict.md). */
static double power(double x) { return x * sqrt(x); }
static double root(double x) { return cbrt(x * x); }

/* Sizes that differ by more are another work: caches, tails and launches weigh otherwise. */
static const double most_scale = 16;
/* The part of a step below which launches of an unknown price are left in its arithmetic. */
static const double few_launches = 0.05;

static const char *precision_name(int is_f64) { return is_f64 ? "f64" : "f32"; }

/* ---- what a measured step was made of -------------------------------------- */

typedef struct parts {
  double bytes, arithmetic;    /* seconds on the row's device */
  double work;                 /* seconds of both */
  double moved;                /* bytes of memory, of one pass */
  double launches, transfers;  /* seconds */
} parts;

static double price(double count, const sample *seconds)
{
  return count > 0 && seconds->count > 0 ? count * seconds->median : 0;
}

static double transfer_seconds(double bytes, const device_roofs *roofs)
{
  return bytes > 0 ? bytes / roofs->to_device.median : 0;
}

/* 0, with the reason, where bytes or roofs are unknown, or where another thing binds. Launches
 * whose price on `to` is unknown are taken for a part of the arithmetic. */
static int take_apart(const predict_row *row, const predict_device *on, const predict_device *to,
                      parts *out, char *why, size_t bytes)
{
  const device_roofs *roofs = &on->roofs;
  const double copy = row->copy > 0 ? row->copy : on->copy;
  const double launches = price(row->launches, &roofs->launch_recorded);
  const int is_priced = to->roofs.launch_recorded.count > 0;
  if (row->missing[0]) snprintf(why, bytes, "%s", row->missing);
  else if (!(row->bytes > 0) || !(row->flops > 0))
    snprintf(why, bytes, "solver %s declares neither bytes nor operations of this step, whose "
             "number depends on the result", row->solver);
  else if (!(copy > 0))
    snprintf(why, bytes, "the copy of %s was never measured: run 'trireme bench --json' there",
             on->name);
  else if (!is_priced && launches > few_launches * row->seconds)
    snprintf(why, bytes, "launches take %.0f %% of the step on %s, and a launch of %s was never "
             "measured: run 'trireme bench --json' there", 100 * launches / row->seconds, on->name,
             to->name);
  else if (row->transferred > 0 && (roofs->to_device.count == 0 || to->roofs.to_device.count == 0))
    snprintf(why, bytes, "each step transfers %.4g bytes, and transfers of %s were never measured: "
             "run 'trireme bench --json' there", row->transferred,
             roofs->to_device.count > 0 ? to->name : on->name);
  if (why[0]) return 0;
  *out = (parts){.moved = row->bytes, .launches = is_priced ? launches : 0,
                 .transfers = transfer_seconds(row->transferred, roofs)};
  out->work = row->seconds - out->launches - out->transfers;
  if (!(out->work > 0.1 * row->seconds)) {
    snprintf(why, bytes, "on %s the prices of its launches and transfers are the whole step",
             on->name);
    return 0;
  }
  const double share = out->moved / copy / out->work;
  if (share > 1 && row->at_once > 1) out->moved /= row->at_once;
  out->bytes = out->moved / copy;
  /* a hundredth: the copy's own spread */
  if (out->bytes > 1.01 * out->work) {
    snprintf(why, bytes, "on %s its bytes come from caches (%.3g times the copy), whose speed is "
             "no roof of the model", on->name, share);
    return 0;
  }
  out->bytes = fmin(out->bytes, out->work);
  out->arithmetic = root(power(out->work) - power(out->bytes));
  return 1;
}

/* ---- from one device to another -------------------------------------- */

static double fma_of(const predict_device *of, int is_f64)
{
  return roof_fma(&of->roofs, is_f64 ? TRM_F64 : TRM_F32);
}

static double sheet_of(const predict_device *of, int is_f64)
{
  return is_f64 ? of->sheet_f64 : of->sheet_f32;
}

/* How many times as long arithmetic takes on `to`; NaN: unknown. */
static double arithmetic_ratio(const predict_device *from, const predict_device *to, int is_f64,
                               int *is_by_sheet)
{
  const double measured = fma_of(from, is_f64) / fma_of(to, is_f64);
  const double sheet = sheet_of(from, is_f64) / sheet_of(to, is_f64);
  *is_by_sheet = !isfinite(measured) && isfinite(sheet);
  return isfinite(measured) ? measured : sheet;
}

static void say_no_ratio(const predict_device *from, const predict_device *to, int is_f64,
                         const parts *of, double least, char *why, size_t bytes)
{
  const int is_here = isfinite(fma_of(from, is_f64));
  snprintf(why, bytes, "arithmetic is a part of it (bytes are %.0f %% of the copy on %s), and the "
           "%s fused multiply-adds of %s were never measured: run 'trireme bench --json' there; "
           "bytes alone take %.4g us", 100 * of->bytes / of->work, from->name,
           precision_name(is_f64), is_here ? to->name : from->name, 1e6 * least);
}

/* The row's step on another device, `scale` times as large. */
static int carry(const predict_data *all, const predict_row *row, size_t device, double scale,
                 prediction *out, char *why, size_t bytes)
{
  const predict_device *from = &all->devices[row->device], *to = &all->devices[device];
  const int is_f64 = strcmp(row->precision, "f64") == 0;
  parts of;
  int is_by_sheet = 0;
  why[0] = 0;
  if (!take_apart(row, from, to, &of, why, bytes)) return 0;
  const double moved = scale * of.moved / to->copy;
  const double ratio = arithmetic_ratio(from, to, is_f64, &is_by_sheet);
  if (!isfinite(ratio)) {
    say_no_ratio(from, to, is_f64, &of, moved, why, bytes);
    return 0;
  }
  const double arithmetic = scale * ratio * of.arithmetic;
  /* the two ends: nothing overlaps, or all does, so that the longer binds */
  const double apart = moved + scale * ratio * (of.work - of.bytes);
  const double together = fmax(moved, scale * ratio * of.work);
  const double launches = price(row->launches, &to->roofs.launch_recorded);
  const double transfers = transfer_seconds(scale * row->transferred, &to->roofs);
  const double beside = launches + transfers;
  const double work = root(power(moved) + power(arithmetic));
  *out = (prediction){
    .seconds = work + beside, .bytes = moved, .arithmetic = arithmetic, .launches = launches,
    .low = fmin(work, fmin(apart, together)) + beside,
    .high = fmax(work, fmax(apart, together)) + beside,
    .transfers = transfers, .flops = scale * row->flops / fma_of(to, is_f64),
    .is_by_sheet = is_by_sheet};
  if (isnan(row->launches)) out->launches = NAN; /* not counted */
  if (isnan(row->transferred)) out->transfers = NAN;
  out->bound = launches > fmax(moved, arithmetic) ? BOUND_LAUNCHES
             : transfers > fmax(moved, arithmetic) ? BOUND_TRANSFERS
             : moved >= arithmetic ? BOUND_BYTES : BOUND_ARITHMETIC;
  return 1;
}

/* ---- all rows of the same work -------------------------------------- */

static double distance(double scale) { return fabs(log(scale)); }

static int may_serve(const predict_data *all, const predict_work *of, size_t device, size_t i,
                     double *scale)
{
  const predict_device *own = &all->devices[device], *its = &all->devices[all->rows[i].device];
  return strcmp(own->name, its->name) != 0 && own->is_host == its->is_host &&
         predict_is_same(of, &all->rows[i], scale);
}

/* Why no row serves. */
static void say_nothing(const predict_data *all, const predict_work *of, size_t device, char *why,
                        size_t bytes)
{
  const predict_device *own = &all->devices[device];
  double scale;
  size_t same = 0, other_kind = 0;
  for (size_t i = 0; i < all->row_count; i++) {
    if (!predict_is_same(of, &all->rows[i], &scale)) continue;
    same++;
    other_kind += all->devices[all->rows[i].device].is_host != own->is_host;
  }
  if (same == 0) snprintf(why, bytes, "no result of this work in the given files");
  else if (other_kind > 0)
    snprintf(why, bytes, "this work was measured on no other %s: what part of the roofs a %s "
             "reaches tells nothing of a %s", own->is_host ? "processor" : "GPU",
             own->is_host ? "GPU" : "processor", own->is_host ? "processor" : "GPU");
  else snprintf(why, bytes, "this work was measured on no other device");
}

/* The middle of several in logarithms; the range holds all. */
static void join(prediction *all, const prediction *one, size_t row)
{
  const size_t count = all->source_count;
  const double part = 1 / ((double)count + 1);
  if (count == PREDICT_SOURCES) return;
  if (count == 0) *all = *one;
  else {
    all->seconds *= pow(one->seconds / all->seconds, part);
    all->bytes *= pow(one->bytes / all->bytes, part);
    all->arithmetic += part * (one->arithmetic - all->arithmetic);
    all->low = fmin(all->low, one->low);
    all->high = fmax(all->high, one->high);
    all->is_by_sheet |= one->is_by_sheet;
  }
  all->sources[count] = row;
  all->source_count = count + 1;
}

prediction predict_step(const predict_data *all, const predict_work *of, size_t device)
{
  prediction out = {.seconds = NAN, .low = NAN, .high = NAN, .bytes = NAN, .arithmetic = NAN,
                    .launches = NAN, .transfers = NAN, .flops = NAN}, one;
  const predict_device *own = &all->devices[device];
  double nearest = INFINITY, scale = 1;
  char why[PREDICT_REASON] = "";
  for (size_t i = 0; i < all->row_count; i++)
    if (may_serve(all, of, device, i, &scale)) nearest = fmin(nearest, distance(scale));
  if (!(own->copy > 0))
    snprintf(out.missing, sizeof out.missing, "the copy of %s was never measured: run 'trireme "
             "bench --json' there", own->name);
  else if (!isfinite(nearest)) say_nothing(all, of, device, out.missing, sizeof out.missing);
  else if (nearest > log(most_scale) + 1e-9)
    snprintf(out.missing, sizeof out.missing, "the nearest size that was measured has %.3g times "
             "as many updates or fewer by that factor; %.0f is the most that the model bridges",
             exp(nearest), most_scale);
  for (size_t i = 0; i < all->row_count && !out.missing[0]; i++) {
    if (!may_serve(all, of, device, i, &scale) || distance(scale) > nearest + 0.05) continue;
    if (carry(all, &all->rows[i], device, scale, &one, why, sizeof why)) join(&out, &one, i);
  }
  if (!out.missing[0] && out.source_count == 0) text_copy(out.missing, sizeof out.missing, why);
  return out;
}
