/* predict_model.c - terms of a step, taken from a device where it was measured to another one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict/predict.h"
#include "run/text/text.h"

const char *const predict_bounds[] = {"bytes", "arithmetic", "launches", "transfers",
                                        "caches"};

/* Bytes and arithmetic overlap in part: more than in their sum, less than where the longer alone
 * counts. The exponent 1.5 has the least worst error on the rows of docs/measure
 * (docs/predict.md). */
static double power(double x) { return x * sqrt(x); }
static double root(double x) { return cbrt(x * x); }

/* Sizes that differ by more are another work: caches, tails and launches weigh otherwise. */
static const double most_scale = 16;

static const char *precision_name(int is_f64) { return is_f64 ? "f64" : "f32"; }

/* ---- what a measured step was made of -------------------------------------- */

typedef struct parts {
  double bytes, arithmetic;    /* seconds on the row's device */
  double work;                 /* seconds of both */
  double moved;                /* bytes of memory, of one pass */
  double copy;                 /* bytes a second, of the row's device */
  int is_cached;               /* 1: how many of a host's bytes come from memory is unknown */
  double launches, transfers;  /* seconds */
} parts;

static double median_of(const sample *measured)
{
  return measured->count > 0 ? measured->median : NAN;
}

/* Launches of a step that takes `seconds` without them: the replayed ones, and the others. On a GPU
 * the host is ahead where kernels take longer than launches, so that a recorded launch's time is
 * between two kernels (as in a study's parts). NaN: a price is unknown. */
static double launch_seconds(const predict_row *row, const predict_device *on, double seconds)
{
  const double plain_price = median_of(&on->roofs.launch_plain);
  const double recorded_price = median_of(&on->roofs.launch_recorded);
  if (!(row->launches > 0)) return 0;
  const double replayed = row->replayed > 0 ? fmin(row->replayed, row->launches) : 0;
  const double plain = row->launches - replayed;
  const int is_hidden = !on->is_host && seconds > 2 * row->launches * plain_price;
  const double price = is_hidden ? fmin(recorded_price, plain_price) : plain_price;
  return (plain > 0 ? plain * price : 0) + (replayed > 0 ? replayed * recorded_price : 0);
}

/* The rates of copies of the row's memory, where both devices were measured with sets of that size;
 * else of large arrays. On the other device the case is `scale` times as large. */
static void find_copies(const predict_row *row, const predict_device *from,
                        const predict_device *to, double scale, double *here, double *there)
{
  const double own = row->copy > 0 ? row->copy : from->copy;
  const double here_within = roof_copy_of(&from->roofs, own, row->memory);
  const double there_within = roof_copy_of(&to->roofs, to->copy, scale * row->memory);
  const int is_known = here_within > 0 && there_within > 0;
  *here = is_known ? here_within : own;
  *there = is_known ? there_within : to->copy;
}

static double transfer_seconds(double bytes, const device_roofs *roofs)
{
  return bytes > 0 ? bytes / roofs->to_device.median : 0;
}

/* Launches that have no price on one of the two would be a part of its arithmetic, and count once
 * more, or not at all, on the other. */
static void say_no_price(const predict_row *row, const predict_device *from,
                         const predict_device *to, char *why, size_t bytes)
{
  const int is_from = isnan(launch_seconds(row, from, row->seconds));
  if (is_from || isnan(launch_seconds(row, to, row->seconds)))
    snprintf(why, bytes, "a step has %.3g launches, and a launch of %s was never measured: run "
             "'trireme bench --json' there", row->launches, is_from ? from->name : to->name);
}

/* 0, with the reason, where bytes or roofs are unknown, or where another thing binds. */
static int take_apart(const predict_row *row, const predict_device *on, const predict_device *to,
                      double copy, parts *out, char *why, size_t bytes)
{
  const device_roofs *roofs = &on->roofs;
  if (row->missing[0]) snprintf(why, bytes, "%s", row->missing);
  else if (!(row->bytes > 0) || !(row->flops > 0))
    snprintf(why, bytes, "a result of solver %s holds no bytes or no operations of its step",
             row->solver);
  else if (!(copy > 0))
    snprintf(why, bytes, "the copy of %s was never measured: run 'trireme bench --json' there",
             on->name);
  else if (row->transferred > 0 && (roofs->to_device.count == 0 || to->roofs.to_device.count == 0))
    snprintf(why, bytes, "each step transfers %.4g bytes, and transfers of %s were never measured: "
             "run 'trireme bench --json' there", row->transferred,
             roofs->to_device.count > 0 ? to->name : on->name);
  else say_no_price(row, on, to, why, bytes);
  if (why[0]) return 0;
  *out = (parts){.moved = row->bytes, .copy = copy,
                 .launches = launch_seconds(row, on, row->seconds),
                 .transfers = transfer_seconds(row->transferred, roofs)};
  out->work = row->seconds - out->launches - out->transfers;
  if (!(out->work > 0.1 * row->seconds)) {
    snprintf(why, bytes, "on %s the prices of its launches and transfers are the whole step",
             on->name);
    return 0;
  }
  /* where nobody counted the steps of a pass, bytes above the copy tell that they were several */
  const double share = out->moved / copy / out->work;
  if (row->at_once > 1 && (row->is_counted || share > 1)) out->moved /= row->at_once;
  out->bytes = out->moved / copy;
  /* a hundredth: the copy's own spread */
  if (out->bytes > 1.01 * out->work && on->is_host) {
    /* a host's waves keep rows in the caches of its cores, which go along with their arithmetic */
    out->is_cached = 1;
    out->arithmetic = out->work;
    return 1;
  }
  if (out->bytes > 1.01 * out->work) {
    snprintf(why, bytes, "on %s its bytes come from caches (%.3g times the copy), whose speed is "
             "no roof of the model", on->name, out->bytes / out->work);
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
  snprintf(why, bytes, "arithmetic%s is a part of it (bytes are %.0f %% of the copy on %s), and "
           "the %s fused multiply-adds of %s were never measured: run 'trireme bench --json' "
           "there; bytes alone take %.4g us", of->is_cached ? " with caches" : "",
           100 * of->bytes / of->work, from->name, precision_name(is_f64),
           is_here ? to->name : from->name, 1e6 * least);
}

/* The row's step on another device, `scale` times as large. */
static int carry(const predict_data *all, const predict_row *row, size_t device, double scale,
                 prediction *out, char *why, size_t bytes)
{
  const predict_device *from = &all->devices[row->device], *to = &all->devices[device];
  const int is_f64 = strcmp(row->precision, "f64") == 0;
  parts of;
  int is_by_sheet = 0;
  double copy, to_copy;
  why[0] = 0;
  find_copies(row, from, to, scale, &copy, &to_copy);
  if (!take_apart(row, from, to, copy, &of, why, bytes)) return 0;
  const double all_moved = scale * of.moved / to_copy, moved = of.is_cached ? 0 : all_moved;
  const double ratio = arithmetic_ratio(from, to, is_f64, &is_by_sheet);
  if (!isfinite(ratio)) {
    say_no_ratio(from, to, is_f64, &of, all_moved, why, bytes);
    return 0;
  }
  const double arithmetic = scale * ratio * of.arithmetic;
  /* the two ends: nothing overlaps, or all does, so that the longer binds. From caches: arithmetic
   * alone counts, or memory alone */
  const double apart = of.is_cached ? scale * of.work * of.copy / to_copy
                                    : moved + scale * ratio * (of.work - of.bytes);
  const double together = fmax(moved, scale * ratio * of.work);
  const double work = root(power(moved) + power(arithmetic));
  const double launches = launch_seconds(row, to, work);
  const double transfers = transfer_seconds(scale * row->transferred, &to->roofs);
  const double beside = launches + transfers;
  *out = (prediction){
    .seconds = work + beside, .bytes = moved, .arithmetic = arithmetic, .launches = launches,
    .low = fmin(work, fmin(apart, together)) + beside,
    .high = fmax(work, fmax(apart, together)) + beside,
    .transfers = transfers, .flops = scale * row->flops / fma_of(to, is_f64),
    .is_by_sheet = is_by_sheet, .is_cached = of.is_cached};
  if (isnan(row->launches)) out->launches = NAN; /* not counted */
  if (isnan(row->transferred)) out->transfers = NAN;
  if (isfinite(out->high) && out->low > 0) return 1;
  snprintf(why, bytes, "the numbers of a step on %s give no finite time", from->name);
  return 0;
}

/* ---- all rows of the same work -------------------------------------- */

static double distance(double scale) { return fabs(log(scale)); }

/* PoCL puts more before the processor's name. */
static int ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), other = strlen(end);
  if (other == 0 || length < other || strcmp(text + length - other, end) != 0) return 0;
  return length == other || strchr("- ", text[length - other - 1]);
}

static int is_one_device(const predict_device *a, const predict_device *b)
{
  return strcmp(a->name, b->name) == 0 || ends_with(a->name, b->name) ||
         ends_with(b->name, a->name);
}

static int may_serve(const predict_data *all, const predict_work *of, size_t device, size_t i,
                     double *scale)
{
  const predict_device *own = &all->devices[device], *its = &all->devices[all->rows[i].device];
  return !is_one_device(own, its) && own->is_host == its->is_host &&
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

static double known(double seconds) { return isfinite(seconds) ? seconds : 0; }

/* Adds one: sums of the terms, and of the time's logarithms. */
static void add(prediction *to, const prediction *one, size_t row)
{
  if (to->source_count == 0) {
    *to = (prediction){.low = one->low, .high = one->high, .sources = to->sources,
                       .launches = NAN, .transfers = NAN};
  }
  to->seconds += log(one->seconds);
  to->bytes += one->bytes;
  to->arithmetic += one->arithmetic;
  to->flops += one->flops;
  if (isfinite(one->launches)) to->launches = known(to->launches) + one->launches;
  if (isfinite(one->transfers)) to->transfers = known(to->transfers) + one->transfers;
  to->low = fmin(to->low, one->low);
  to->high = fmax(to->high, one->high);
  to->is_by_sheet |= one->is_by_sheet;
  to->is_cached |= one->is_cached;
  to->sources[to->source_count++] = row;
}

/* The middle of all in logarithms. The terms are as in the means, and give that time. */
static void finish(prediction *of)
{
  const double sum = root(power(of->bytes) + power(of->arithmetic)) + known(of->launches) +
                     known(of->transfers);
  of->seconds = exp(of->seconds / (double)of->source_count);
  const double part = of->seconds / sum;
  of->flops /= (double)of->source_count;
  of->bytes *= part;
  of->arithmetic *= part;
  of->launches *= part;
  of->transfers *= part;
  const double work = fmax(of->bytes, of->arithmetic);
  of->bound = known(of->launches) > fmax(work, known(of->transfers)) ? BOUND_LAUNCHES
            : known(of->transfers) > work ? BOUND_TRANSFERS
            : of->bytes >= of->arithmetic ? BOUND_BYTES
            : of->is_cached ? BOUND_CACHES : BOUND_ARITHMETIC;
}

static int is_near(double scale) { return distance(scale) <= log(most_scale) + 1e-9; }

/* The case is `scale` times as large as the nearest that was measured. */
static void say_too_far(double scale, char *why, size_t bytes)
{
  snprintf(why, bytes, "%s has %.3g times the updates of %s; %.0f times is the most that the "
           "model bridges", scale > 1 ? "this work" : "the nearest size that was measured",
           scale > 1 ? scale : 1 / scale,
           scale > 1 ? "the nearest size that was measured" : "this work", most_scale);
}

/* The scale of the nearest row that can be used; NaN, with the reason of the nearest of all. */
static double find_nearest(const predict_data *all, const predict_work *of, size_t device,
                           char *why, size_t bytes)
{
  prediction one;
  double scale, best = NAN, nearest = NAN;
  char reason[PREDICT_REASON];
  for (size_t i = 0; i < all->row_count; i++) {
    if (!may_serve(all, of, device, i, &scale)) continue;
    const int is_first = isnan(nearest) || distance(scale) < distance(nearest);
    if (is_first) nearest = scale;
    if (!isnan(best) && distance(scale) >= distance(best)) continue;
    if (is_near(scale) && carry(all, &all->rows[i], device, scale, &one, reason, sizeof reason))
      best = scale;
    else if (is_first && is_near(scale)) text_copy(why, bytes, reason);
    else if (is_first) say_too_far(scale, why, bytes);
  }
  if (isnan(nearest)) say_nothing(all, of, device, why, bytes);
  if (!isnan(best)) why[0] = 0;
  return best;
}

prediction predict_step(const predict_data *all, const predict_work *of, size_t device)
{
  prediction out = {.seconds = NAN, .low = NAN, .high = NAN, .bytes = NAN, .arithmetic = NAN,
                    .launches = NAN, .transfers = NAN, .flops = NAN, .sources = all->sources}, one;
  const predict_device *own = &all->devices[device];
  double nearest = NAN, scale;
  char why[PREDICT_REASON];
  if (!(own->copy > 0))
    snprintf(out.missing, sizeof out.missing, "the copy of %s was never measured: run 'trireme "
             "bench --json' there", own->name);
  else nearest = find_nearest(all, of, device, out.missing, sizeof out.missing);
  for (size_t i = 0; i < all->row_count && isfinite(nearest); i++) {
    if (!may_serve(all, of, device, i, &scale) || !is_near(scale) ||
        distance(scale) > distance(nearest) + 0.05)
      continue;
    if (carry(all, &all->rows[i], device, scale, &one, why, sizeof why)) add(&out, &one, i);
  }
  if (out.source_count > 0) finish(&out);
  return out;
}
