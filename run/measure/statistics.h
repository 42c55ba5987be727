/* statistics.h - medians, spreads, and an interval for a ratio that assumes nothing. */
#ifndef TRIREME_RUN_STATISTICS_H
#define TRIREME_RUN_STATISTICS_H

#include <stddef.h>

/* A few repetitions of one measurement. */
typedef struct sample {
  double least, median, most;
  int count;
} sample;

/* order: the caller's room for `count` sorted values; may be `values` itself. */
sample sample_of(const double *values, size_t count, double *order);

/* (most - least) / median; 0 for an empty sample. */
double sample_spread(const sample *measured);

/* An interval for the median of the distribution of `values`, by order statistics (the sign test).
 * It is the narrowest symmetric interval with at least 95 % confidence, else from least to most.
 * *confidence is its confidence: 1 - 2^(1-count) for least to most. */
typedef struct interval {
  double low, high, confidence;
} interval;

/* A verdict ("faster", "slower", "ahead") needs that confidence; the fewest runs that reach it have
 * 94 %. */
enum { VERDICT_PERCENT = 90, VERDICT_RUNS = 5 };

/* 1: the interval has the confidence of a verdict. */
int interval_is_sure(const interval *range);
/* 1: the interval of a ratio leaves 1 out, with the confidence of a verdict. */
int interval_shows(const interval *range);
/* "9 to 11 with 94 % confidence"; no interval is said to be certain. */
enum { INTERVAL_TEXT = 96 };
const char *interval_text(const interval *range, const char *how, char text[INTERVAL_TEXT]);

/* The confidence that two speeds differ whose runs did not alternate, if each of `count` runs of
 * one is faster than each of `other` runs of the other (the test of Mann and Whitney, both
 * sides). */
double separation_confidence(size_t count, size_t other);

/* The size where one speed overtakes another. ratios[i] is the speed of the second over the first
 * at sizes[i], ascending. It is where the ratio crosses 1 for the last time, on a straight line
 * between logarithms; NaN: the ratio does not cross 1. rising: 1 when the second is faster above
 * that size. */
double crossing_of(const double *sizes, const double *ratios, size_t count, int *rising);

interval median_interval(const double *values, size_t count, double *order);

#endif
