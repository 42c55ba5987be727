/* partition.c - see partition.h. */
#include "core/domain/partition.h"

#include <math.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- parts --------------------------------------------------------------------- */

size_t domain_units(size_t total, size_t grain) { return (total + grain - 1) / grain; }

/* before, all: the weights of the parts before, and of all, added in the order of parts. */
static size_t begin_of(double before, double all, size_t units)
{
  return least((size_t)floor((double)units * (before / all) + 0.5), units);
}

/* The part's own weight lies between these two sums. */
static domain_span between(const double sums[2], double all, size_t total, size_t grain,
                           int is_last)
{
  const size_t units = domain_units(total, grain);
  const size_t begin = least(begin_of(sums[0], all, units) * grain, total);
  const size_t end = is_last ? total : least(begin_of(sums[1], all, units) * grain, total);
  return (domain_span){ begin, end - begin };
}

domain_span domain_own(const double *weights, size_t parts, size_t total, size_t grain,
                       size_t part)
{
  double sums[2] = { 0, 0 }, all = 0;
  for (size_t i = 0; i < parts; i++) {
    if (i == part) sums[0] = all;
    all += weights[i];
    if (i == part) sums[1] = all;
  }
  return between(sums, all, total, grain, part + 1 == parts);
}

void domain_add_weights(const double *weights, size_t parts, double *sums)
{
  sums[0] = 0;
  for (size_t i = 0; i < parts; i++) sums[i + 1] = sums[i] + weights[i];
}

domain_span domain_own_of(const double *sums, size_t parts, size_t total, size_t grain,
                          size_t part)
{
  return between(sums + part, sums[parts], total, grain, part + 1 == parts);
}

size_t domain_owner(const double *sums, size_t parts, size_t total, size_t grain, size_t row)
{
  size_t m = 0;
  while (m + 1 < parts) {
    const domain_span own = domain_own_of(sums, parts, total, grain, m);
    if (row < own.first + own.count) break;
    m++;
  }
  return m;
}

/* ---- spans --------------------------------------------------------------------- */

size_t domain_rows_in(domain_span span, size_t total, size_t row)
{
  const size_t behind = (row + total - span.first) % total;
  if (span.count >= total) return total;
  return behind < span.count ? span.count - behind : 0;
}

size_t domain_rows_out(domain_span span, size_t total, size_t row)
{
  return span.count ? (span.first + total - row) % total : total;
}

domain_span domain_join(domain_span a, domain_span b, size_t total)
{
  const size_t after = (b.first + total - a.first) % total;
  const size_t before = (a.first + total - b.first) % total;
  domain_span both = { 0, total };
  if (a.count == 0) return b;
  if (after <= a.count)
    both = (domain_span){ a.first, after + b.count > a.count ? after + b.count : a.count };
  else if (before <= b.count)
    both = (domain_span){ b.first, before + a.count > b.count ? before + a.count : b.count };
  return both.count < total ? both : (domain_span){ 0, total };
}

/* ---- rows that a part lacks ------------------------------------------------------ */

static domain_run find_giver(const domain_span *valid, size_t parts, size_t total, size_t row)
{
  domain_run run = { 0, row, 0 };
  for (size_t i = 0; i < parts; i++) {
    const size_t there = domain_rows_in(valid[i], total, row);
    if (there <= run.count) continue;
    run.from = i;
    run.count = there;
  }
  return run;
}

int domain_next_missing(const domain_span *valid, size_t parts, size_t total, size_t to,
                        domain_span *left, domain_run *run)
{
  for (size_t done = 0, has; done < left->count; done += has) {
    const size_t row = (left->first + done) % total;
    has = domain_rows_in(valid[to], total, row);
    if (has > 0) continue;
    *run = find_giver(valid, parts, total, row);
    run->count = least(run->count, domain_rows_out(valid[to], total, row));
    run->count = least(run->count, least(left->count - done, total - row));
    done += run->count;
    *left = (domain_span){ (left->first + done) % total, left->count - done };
    return 1;
  }
  return 0;
}
