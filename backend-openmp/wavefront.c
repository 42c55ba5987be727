/* wavefront.c - T row launches in one pass over memory, without redundant work, the bits unchanged.
 * In three dimensions it goes over planes: read "plane" for "row" in what follows.
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

enum {
  MAX_DEPTH = 64,      /* that can be asked for */
  CACHED_DEPTH = 16,   /* where one level of cache holds the wavefront: more gains nothing */
  OUTER_DEPTH = 32,    /* where groups of launches fit a core's cache and the rest the shared one */
  LEAST_GROUP = 4,     /* even of rows that seem too wide: much of them is used again at once */
  PANEL = 16,
  MAX_BLOCK = 8
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* A wavefront of T launches and R rows a call holds about T + R + 1 rows in cache. Measured on two
 * cores (48 KiB, 2 MiB; D2Q9 f32, million updates a second a core; one launch at a time first):
 * 256^2  367, 632 at T = 8, 700 at T = 16 with R = 2: a call costs 15 ns, so short rows go by twos;
 * 1024^2 400, 667 at T = 4, 731 at T = 8 and at T = 16;
 * 4096^2 190, 412 at T = 16 in one group, 490 in groups of 4, 540 at T = 32 in groups of 4;
 * 8192 x 512 at T = 32: 396 in groups of 1, 492 of 2, 524 of 3, 516 of 4.
 * Planes do not fit a core's own cache, so the shared one holds them: the heat equation at 256^3
 * gains the same, 1.6 to 2 times, at every depth from 4 to 32 and in groups of 2, 4 and all. */
static trmo_wavefront plan(int64_t rows, int halo, size_t all_bytes, int threads, int wanted,
                           const trmo_caches *caches)
{
  const int64_t slab = rows / threads, bytes = most((int64_t)all_bytes / rows, 1);
  const int64_t limit = halo > 0 ? slab / (2 * (int64_t)halo) + 1 : MAX_DEPTH;
  const int64_t block = least(most((caches->first / 2 + bytes - 1) / bytes, 1), MAX_BLOCK);
  const int64_t group = most(caches->own / bytes - block - 1, LEAST_GROUP);
  const int64_t shared = caches->last / threads / bytes - PANEL - 1;
  int64_t depth = wanted;

  if (wanted == 0 && group >= CACHED_DEPTH / 2) depth = least(group, CACHED_DEPTH);
  if (wanted == 0 && group < CACHED_DEPTH / 2) depth = most(group, least(shared, OUTER_DEPTH));
  depth = least(least(depth, MAX_DEPTH), limit);
  return (trmo_wavefront){.rows = rows, .height = 1, .halo = halo, .depth = (int)depth,
                          .group = (int)least(group, depth),
                          .panel = group < depth ? PANEL : rows,
                          .block = depth > 1 ? block : rows};
}

trmo_wavefront trmo_wavefront_plan(const trm_extent *extent, int halo, size_t bytes, int threads,
                                   int wanted, const trmo_caches *caches)
{
  const int64_t rows = (int64_t)extent->ny * extent->nz;
  trmo_wavefront planes;
  if (extent->nz == 1) return plan(rows, halo, bytes, threads, wanted, caches);
  planes = plan(extent->nz, halo, bytes, threads, wanted, caches);
  planes.height = extent->ny;
  return planes.depth > 1 ? planes : plan(rows, halo, bytes, threads, 1, caches);
}

/* Rows [begin, end) of the ring; a wedge at the seam goes beyond the last row, by half a slab
 * at most. */
static void run_rows(const trmo_launch *launch, const trmo_wavefront *wave, int64_t begin,
                     int64_t end)
{
  const int64_t rows = wave->rows, height = wave->height;
  if (begin < rows && end > rows) {
    launch->run(launch->extent, begin * height, rows * height, launch->params, launch->data);
    begin = rows;
  }
  if (begin >= rows) {
    begin -= rows;
    end -= rows;
  }
  launch->run(launch->extent, begin * height, end * height, launch->params, launch->data);
}

/* A part of a wavefront: launch t over u in [low + low_slope * t, high + high_slope * t). */
typedef struct region {
  const trmo_wavefront *wave;
  const trmo_launch *launches;
  size_t modulo, first;
  int64_t low, low_slope, high, high_slope;
} region;

/* Launches t0 .. t1 - 1 over u in [u0, u1), a block of rows after the other. */
static void run_group(const region *part, int t0, int t1, int64_t u0, int64_t u1)
{
  const trmo_wavefront *wave = part->wave;
  const trmo_launch *begin = part->launches + (part->first + (size_t)t0) % part->modulo;
  const trmo_launch *end = part->launches + part->modulo;

  for (int64_t u = u0; u < u1; u += wave->block) {
    const int64_t stop = least(u + wave->block, u1);
    const trmo_launch *launch = begin;
    for (int t = t0; t < t1; t++) {
      const int64_t from = most(u, part->low + part->low_slope * t);
      const int64_t to = least(stop, part->high + part->high_slope * t);
      if (from < to)
        run_rows(launch, wave, from - wave->halo * t, to - wave->halo * t);
      if (++launch == end) launch = part->launches;
    }
  }
}

static void run_region(const region *part, int depth)
{
  const trmo_wavefront *wave = part->wave;
  const int64_t high = part->high + part->high_slope * (depth - 1);

  for (int64_t u = part->low; u < high; u += wave->panel)
    for (int t = 0; t < depth; t += wave->group)
      run_group(part, t, (int)least(t + wave->group, depth),
                most(u, part->low + part->low_slope * t), least(u + wave->panel, high));
}

void trmo_wavefront_trapezoid(const trmo_wavefront *wave, const trmo_launch *launches,
                              size_t modulo, size_t first, int depth, int index, int count)
{
  const region part = {
      .wave = wave, .launches = launches, .modulo = modulo, .first = first,
      .low = trmo_part_begin(wave->rows, index, count), .low_slope = 2 * wave->halo,
      .high = trmo_part_begin(wave->rows, index + 1, count), .high_slope = 0};
  run_region(&part, depth);
}

void trmo_wavefront_wedge(const trmo_wavefront *wave, const trmo_launch *launches, size_t modulo,
                          size_t first, int depth, int index, int count)
{
  const int64_t b = trmo_part_begin(wave->rows, index + 1, count);
  const region part = {.wave = wave, .launches = launches, .modulo = modulo, .first = first,
                       .low = b, .low_slope = 0, .high = b, .high_slope = 2 * wave->halo};
  run_region(&part, depth);
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
