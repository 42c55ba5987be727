/* wavefront.c - T row launches in one pass over memory, without redundant work, the bits unchanged.
 *
 * Launch t = 0 .. T-1 writes row y and reads rows y-h .. y+h, periodic in `rows`. Two (launch, row)
 * pairs (t, y) and (s, z) with t < s touch a common row, one of them writing, only if the distance
 * of y and z on the ring is at most h; any order is right that runs such pairs in the order of
 * launches. (A launch that reads what an older launch than its predecessor wrote, or overwrites
 * what one read, is the same case.)
 *
 * Each thread has a slab [a, b) of rows, the slabs tile the ring. In the coordinate u = y + h*t:
 *   phase 1, the slab's trapezoid:   launch t, rows [a + h*t, b - h*t),  u in [a + 2*h*t, b)
 *   barrier
 *   phase 2, the wedge at b:         launch t, rows [b - h*t, b + h*t),  u in [b, b + 2*h*t)
 *   barrier
 * Both are traversed by blocks of u ascending, t ascending in a block. Distance at most h and t < s
 * mean u(t, y) <= u(s, z), so within a part the order is right. Between parts, for t != s:
 *   - trapezoids (at the same time): rows y < b - h*t of one and z >= b + h*s of the next are
 *     h*(t + s) + 1 > h apart;
 *   - a trapezoid before a wedge: launch t of the trapezoid and an older launch s < t of the wedge
 *     are h*(t - s) + 1 > h apart;
 *   - wedges (at the same time) at b and at the other end of a slab of height H: y < b + h*t and
 *     z >= b + H - h*s are H - h*(t + s) + 1 apart, and t + s <= 2*T - 3: more than h where
 *     H >= 2*h*(T - 1), which also keeps a trapezoid's rows from becoming fewer than none.
 * One thread has one slab, whose wedge lies across the seam 0 / rows; the proof is the same. The
 * lowest slab has rows / threads (rounded down) rows: that bounds T. */
#include <omp.h>

#include "backend-openmp/openmp.h"

enum { MAX_DEPTH = 64 };

trmo_wavefront trmo_wavefront_plan(int64_t rows, int halo, size_t row_bytes, int threads,
                                   int wanted, const trmo_caches *caches)
{
  const int64_t slab = rows / threads;
  const int64_t limit = halo > 0 ? slab / (2 * (int64_t)halo) + 1 : MAX_DEPTH;
  trmo_wavefront plan = {.rows = rows, .halo = halo, .depth = wanted, .block = 1};

  (void)row_bytes;
  (void)caches;
  if (wanted == 0) plan.depth = 8;
  if (plan.depth > MAX_DEPTH) plan.depth = MAX_DEPTH;
  if (plan.depth > limit) plan.depth = (int)limit;
  return plan;
}

/* Rows [begin, end) of the ring; a wedge at the seam goes beyond the last row, by less than a slab. */
static void run_rows(const trmo_launch *launch, int64_t rows, int64_t begin, int64_t end)
{
  if (begin < rows && end > rows) {
    launch->run(launch->extent, begin, rows, launch->params, launch->data);
    begin = rows;
  }
  if (begin >= rows) {
    begin -= rows;
    end -= rows;
  }
  launch->run(launch->extent, begin, end, launch->params, launch->data);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

void trmo_wavefront_trapezoid(const trmo_wavefront *wave, const trmo_launch *launches,
                              size_t modulo, size_t first, int depth, int index, int count)
{
  const int64_t a = trmo_part_begin(wave->rows, index, count);
  const int64_t b = trmo_part_begin(wave->rows, index + 1, count);
  const int64_t skew = wave->halo;

  for (int64_t u = a; u < b; u += wave->block)
    for (int t = 0; t < depth; t++) {
      const int64_t begin = most(u, a + 2 * skew * t), end = least(u + wave->block, b);
      if (begin >= end) break;
      run_rows(&launches[(first + (size_t)t) % modulo], wave->rows, begin - skew * t,
               end - skew * t);
    }
}

void trmo_wavefront_wedge(const trmo_wavefront *wave, const trmo_launch *launches, size_t modulo,
                          size_t first, int depth, int index, int count)
{
  const int64_t b = trmo_part_begin(wave->rows, index + 1, count);
  const int64_t skew = wave->halo, last = b + 2 * skew * (depth - 1);

  for (int64_t u = b; u < last; u += wave->block)
    for (int t = 0; t < depth; t++) {
      const int64_t end = least(u + wave->block, b + 2 * skew * t);
      if (u < end)
        run_rows(&launches[(first + (size_t)t) % modulo], wave->rows, u - skew * t,
                 end - skew * t);
    }
}

/* The launches are cut in wavefronts of about equal depth. */
void trmo_wavefront_run(const trmo_wavefront *wave, const trmo_launch *launches, size_t modulo,
                        size_t total, int index, int count, trmo_barrier *barrier)
{
  size_t pieces = (total + (size_t)wave->depth - 1) / (size_t)wave->depth, done = 0;
  for (; pieces > 0; pieces--) {
    const size_t depth = (total - done + pieces - 1) / pieces;
    trmo_wavefront_trapezoid(wave, launches, modulo, done % modulo, (int)depth, index, count);
    trmo_barrier_wait(barrier, count);
    if (depth > 1 && wave->halo > 0) {
      trmo_wavefront_wedge(wave, launches, modulo, done % modulo, (int)depth, index, count);
      trmo_barrier_wait(barrier, count);
    }
    done += depth;
  }
}
