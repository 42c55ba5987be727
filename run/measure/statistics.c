/* statistics.c - order statistics of a handful of repetitions. */
#include "run/measure/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sort(const double *values, size_t count, double *order)
{
  if (order != values) memcpy(order, values, count * sizeof *order);
  qsort(order, count, sizeof *order, ascending);
}

sample sample_of(const double *values, size_t count, double *order)
{
  sample out = {0};
  if (count == 0) return out;
  sort(values, count, order);
  out.least = order[0];
  out.most = order[count - 1];
  out.median = count % 2 ? order[count / 2] : 0.5 * (order[count / 2 - 1] + order[count / 2]);
  out.count = (int)count;
  return out;
}

double sample_spread(const sample *measured)
{
  return measured->median > 0 ? (measured->most - measured->least) / measured->median : 0;
}

/* P(fewer than k of n fair coins show heads), each tail of the sign test. */
static double tail(size_t n, size_t k)
{
  double sum = 0, term = pow(0.5, (double)n);
  for (size_t i = 0; i < k; i++) {
    sum += term;
    term *= (double)(n - i) / (double)(i + 1);
  }
  return sum;
}

interval median_interval(const double *values, size_t count, double *order)
{
  interval out = {0};
  if (count == 0) return out;
  sort(values, count, order);
  size_t k = 1;
  while (2 * (k + 1) <= count && 1 - 2 * tail(count, k + 1) >= 0.95) k++;
  out.low = order[k - 1];
  out.high = order[count - k];
  out.confidence = 1 - 2 * tail(count, k);
  return out;
}

int interval_is_sure(const interval *range)
{
  return range->confidence >= VERDICT_PERCENT / 100.0;
}

int interval_shows(const interval *range)
{
  return interval_is_sure(range) && (range->low > 1 || range->high < 1);
}

const char *interval_text(const interval *range, const char *how, char text[INTERVAL_TEXT])
{
  char sure[24] = "more than 99";
  if (range->confidence < 0.995) snprintf(sure, sizeof sure, "%.0f", 100 * range->confidence);
  if (isnan(range->confidence)) snprintf(text, INTERVAL_TEXT, "whose confidence is not known");
  else
    snprintf(text, INTERVAL_TEXT, "%.3g to %.3g%s with %s %% confidence", range->low, range->high,
             how, sure);
  return text;
}

double separation_confidence(size_t count, size_t other)
{
  double orders = 1; /* binomial of count + other over count */
  for (size_t i = 1; i <= count; i++) orders *= (double)(other + i) / (double)i;
  return count && other ? fmax(0, 1 - 2 / orders) : 0;
}

double crossing_of(const double *sizes, const double *ratios, size_t count, int *rising)
{
  double found = (double)NAN;
  for (size_t i = 1; i < count; i++) {
    const double a = log(ratios[i - 1]), b = log(ratios[i]);
    if (!isfinite(a) || !isfinite(b) || (a < 0) == (b < 0)) continue;
    /* where the lines cross several times, the last crossing counts */
    const double x = log(sizes[i - 1]), y = log(sizes[i]);
    found = exp(x + (y - x) * (a / (a - b)));
    *rising = b > a;
  }
  return found;
}
