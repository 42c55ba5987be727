/* partition.c - rows of parts, and spans of rows that go on at row 0, against one flag a row. */
#include "tests/harness.h"
#include "core/domain/partition.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 24, PARTS = 4 };

static size_t random_below(size_t n) { return (size_t)rand() % n; }

static void parts_follow_each_other_and_have_all_rows(void)
{
  srand(1);
  for (int i = 0; i < 2000; i++) {
    const size_t parts = 1 + random_below(9), total = 1 + random_below(5000);
    const size_t grain = 1 + random_below(40), units = domain_units(total, grain);
    double weights[9], all = 0;
    size_t next = 0;
    for (size_t k = 0; k < parts; k++) all += weights[k] = 0.1 + (double)random_below(50) / 7;
    for (size_t k = 0; k < parts; k++) {
      const domain_span own = domain_own(weights, parts, total, grain, k);
      const double share = (double)units * weights[k] / all;
      const double has = (double)domain_units(own.count, grain);
      assert_int_equal(own.first, next);
      assert_true(own.first % grain == 0 || own.first == total);
      assert_true(has > share - 1.001 && has < share + 1.001);
      next = own.first + own.count;
    }
    assert_int_equal(next, total);
  }
}

static void fill(char *has, domain_span span, size_t total)
{
  for (size_t i = 0; i < span.count; i++) has[(span.first + i) % total] = 1;
}

static domain_span random_span(size_t total)
{
  const size_t count = random_below(total + 1);
  return count == total ? (domain_span){ 0, total } : (domain_span){ random_below(total), count };
}

/* A span with both has no row more than needed. Spans that touch leave no gap. */
static void joined_spans_have_the_rows_of_both(void)
{
  srand(2);
  for (int i = 0; i < 20000; i++) {
    const size_t total = 1 + random_below(MOST);
    const domain_span a = random_span(total), b = random_span(total);
    const domain_span both = domain_join(a, b, total);
    char wanted[MOST] = { 0 }, has[MOST] = { 0 };
    size_t gaps = 0;
    fill(wanted, a, total);
    fill(wanted, b, total);
    fill(has, both, total);
    for (size_t row = 0; row < total; row++) {
      assert_true(has[row] || !wanted[row]);
      gaps += wanted[row] && !wanted[(row + 1) % total];
    }
    if (gaps <= 1 && a.count && b.count) assert_memory_equal(has, wanted, total);
  }
}

static size_t rows_from(const char *has, size_t total, size_t row)
{
  size_t count = 0;
  while (count < total && has[(row + count) % total]) count++;
  return count;
}

/* Every row that is lacking comes once, from the part with the most rows from there on. */
static void rows_that_are_missing_come_from_a_part_that_has_them(void)
{
  srand(3);
  for (int i = 0; i < 20000; i++) {
    const size_t total = 1 + random_below(MOST), to = random_below(PARTS);
    domain_span valid[PARTS], left = random_span(total);
    char has[PARTS][MOST] = { { 0 } }, wanted[MOST] = { 0 };
    domain_run run;
    for (size_t k = 0; k < PARTS; k++) {
      valid[k] = random_span(total);
      fill(has[k], valid[k], total);
    }
    fill(wanted, left, total);
    while (domain_find_missing(valid, PARTS, total, to, left, &run) && run.count > 0) {
      assert_true(run.first + run.count <= total && run.from < PARTS);
      for (size_t k = 0; k < PARTS; k++)
        assert_true(rows_from(has[k], total, run.first) <= rows_from(has[run.from], total,
                                                                     run.first));
      for (size_t row = run.first; row < run.first + run.count; row++) {
        assert_true(wanted[row] && !has[to][row] && has[run.from][row]);
        wanted[row] = 0;
      }
      left = domain_rest(left, total, &run);
    }
    const int is_lost = left.count > 0 && domain_find_missing(valid, PARTS, total, to, left, &run);
    for (size_t row = 0; row < total && !is_lost; row++) assert_true(!wanted[row] || has[to][row]);
    for (size_t k = 0; k < PARTS && is_lost; k++) assert_false(has[k][run.first]);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(parts_follow_each_other_and_have_all_rows),
    TEST_HOST(joined_spans_have_the_rows_of_both),
    TEST_HOST(rows_that_are_missing_come_from_a_part_that_has_them),
  };
  return TEST_RUN(argc, argv, cases);
}
