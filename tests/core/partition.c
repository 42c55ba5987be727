/* partition.c - rows of parts, and spans of rows that go on at row 0, against one flag a row. */
#include "tests/harness.h"
#include "core/domain/partition.h"
#include "core/domain/tree.h"

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
    while (domain_next_missing(valid, PARTS, total, to, &left, &run) && run.count > 0) {
      assert_true(run.first + run.count <= total && run.from < PARTS);
      for (size_t k = 0; k < PARTS; k++)
        assert_true(rows_from(has[k], total, run.first) <= rows_from(has[run.from], total,
                                                                     run.first));
      for (size_t row = run.first; row < run.first + run.count; row++) {
        assert_true(wanted[row] && !has[to][row] && has[run.from][row]);
        wanted[row] = 0;
      }
    }
    const int is_lost = left.count > 0 && domain_next_missing(valid, PARTS, total, to, &left, &run);
    for (size_t row = 0; row < total && !is_lost; row++) assert_true(!wanted[row] || has[to][row]);
    for (size_t k = 0; k < PARTS && is_lost; k++) assert_false(has[k][run.first]);
  }
}

/* ---- trees (tree.h) ---------------------------------------------------------------- */

/* From any part it is log2 of the parts to the root at most, and each part has one parent. */
static void a_tree_has_every_part_once(void)
{
  for (size_t parts = 1; parts <= 70; parts++)
    for (size_t root = 0; root < parts; root += 1 + parts / 7) {
      size_t sizes = 0, log2 = 0;
      while ((size_t)1 << log2 < parts) log2++;
      for (size_t part = 0; part < parts; part++) {
        const size_t number = domain_tree_number(root, parts, part);
        size_t ways = 0, below = 1, last = number;
        assert_int_equal(domain_tree_part(root, parts, number), part);
        for (size_t at = number; at > 0; at = domain_tree_parent(at)) ways++;
        assert_true(ways <= log2);
        for (size_t step = 1; number + step < domain_tree_end(number, parts); step *= 2) {
          assert_int_equal(domain_tree_parent(number + step), number);
          assert_true(number + step == last + 1); /* behind those below the child before */
          last = domain_tree_end(number + step, parts) - 1;
          below += domain_tree_end(number + step, parts) - (number + step);
        }
        assert_int_equal(domain_tree_end(number, parts) - number, below);
        sizes += number == 0 ? below : 0;
      }
      assert_int_equal(sizes, parts);
    }
}

/* Rows of neighbours for all parts, a buffer that part `to` gathers, one that part `from` sends. */
static size_t make_pieces(size_t parts, size_t to, size_t from, domain_piece *out)
{
  size_t count = 0;
  for (size_t m = 0; m < parts; m++) {
    for (size_t b = 0; b < 5; b++) {
      out[count++] = (domain_piece){ b, (m + parts - 1) % parts, m, 0, 7 * m, 1, 0, NULL };
      out[count++] = (domain_piece){ b, (m + 1) % parts, m, 0, 7 * m + 6, 1, 0, NULL };
    }
    if (m != to) out[count++] = (domain_piece){ 7, m, to, 0, 3 * m, 3, 1, NULL };
    if (m != from) out[count++] = (domain_piece){ 8, from, m, 0, 0, 2, 1, NULL };
  }
  return count;
}

static void rows_of_many_take_a_tree_and_those_of_neighbours_do_not(void)
{
  enum { FAR = 40 };
  domain_piece pieces[12 * FAR];
  domain_trees trees;
  for (size_t parts = 4; parts <= FAR; parts += 4)
    for (size_t to = 0; to < parts; to += 3) {
      const size_t count = make_pieces(parts, to, (to + 1) % parts, pieces);
      TEST_OK(domain_trees_find(pieces, count, parts, &trees));
      for (size_t i = 0; i < count; i++) {
        const domain_route wanted = parts <= 9 ? DOMAIN_STRAIGHT
                                    : pieces[i].buffer == 8 ? DOMAIN_SPREAD
                                    : pieces[i].to == to ? DOMAIN_GATHERED : DOMAIN_STRAIGHT;
        assert_int_equal(domain_trees_route(&trees, &pieces[i]), wanted);
      }
    }
}

/* Where every part gets from every other, none is the root of a tree. */
static void rows_of_all_for_all_take_no_tree(void)
{
  enum { ALL = 20 };
  domain_piece pieces[ALL * ALL];
  domain_trees trees;
  size_t count = 0;
  for (size_t to = 0; to < ALL; to++)
    for (size_t from = 0; from < ALL; from++)
      if (from != to) pieces[count++] = (domain_piece){ 0, from, to, 0, from, 1, 1, NULL };
  TEST_OK(domain_trees_find(pieces, count, ALL, &trees));
  for (size_t i = 0; i < count; i++)
    assert_int_equal(domain_trees_route(&trees, &pieces[i]), DOMAIN_STRAIGHT);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(parts_follow_each_other_and_have_all_rows),
    TEST_HOST(joined_spans_have_the_rows_of_both),
    TEST_HOST(rows_that_are_missing_come_from_a_part_that_has_them),
    TEST_HOST(a_tree_has_every_part_once),
    TEST_HOST(rows_of_many_take_a_tree_and_those_of_neighbours_do_not),
    TEST_HOST(rows_of_all_for_all_take_no_tree),
  };
  return TEST_RUN(argc, argv, cases);
}
