/* wavefront.c - T row launches in one pass over memory, without redundant work, the bits unchanged.
 * In three dimensions it goes over planes: read "plane" for "row" below.
 *
 * Launch t = 0 .. T-1 writes row y and reads rows y-h .. y+h, periodic in `rows`. Two (launch, row)
 * pairs (t, y) and (s, z) with t < s, one of them writing, touch a common row only if the distance
 * of y and z on the ring is at most h. Any order is right that runs such pairs in the order of
 * launches. (The case is the same for a launch that reads a row written by a launch before its
 * predecessor, or overwrites a row that such a launch read.)
 *
 * Each thread has a slab [a, b) of rows; the slabs tile the ring. In the coordinate u = y + h*t:
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
 * One thread has one slab, whose wedge lies across the seam 0 / rows; the proof is the same.
 * A part of a run has fewer rows in each launch, as rows of other parts are missing. Its slabs tile
 * the rows of the first launch. No slab lies beyond the first and the last one, so these need no
 * wedge there. Within them u ascends, as everywhere, and each launch has all of its rows.
 * The lowest slab has rows / threads (rounded down) rows: that bounds T.
 *
 * Where T planes are more than the cache holds, each part goes over them tile by tile, along the
 * rows of a plane. Below, y is such a row, v = y + h*t, and a tile has the v of an interval. Launch
 * t has each row of its ring once, v in [2*h*t, height + 2*h*t), tiles ascend, and in one u does.
 * Two pairs t < s that touch are near one another along both axes. On the ring, the row of pair t
 * lies at most h after the other's row, so v(t) <= v(s). If that is beyond the last row of t, take
 * the same row a whole ring before. So its tile is no later. */
#include <omp.h>

#include "backend-openmp/openmp.h"

enum {
  MAX_DEPTH = 64,      /* that can be asked for */
  CACHED_DEPTH = 16,   /* where one level of cache holds the wavefront: more gains nothing */
  OUTER_DEPTH = 32,    /* where groups of launches fit a core's cache and the rest the shared one */
  LEAST_GROUP = 4,     /* even of rows that seem too wide: much of them is used again at once */
  PANEL = 16,
  MAX_BLOCK = 8,
  OWN_SHARE = 2,           /* a wavefront over tiles takes this part of a core's own cache, or */
  SHARED_SHARE = 4         /* this one of a thread's part of the shared cache: others use it too */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* A wavefront of T launches and R rows a call holds about T + R + 1 rows in cache. Measured on two
 * cores (48 KiB, 2 MiB; D2Q9 f32, million updates a second a core; one launch at a time first):
 * 256^2  367, 632 at T = 8, 700 at T = 16 with R = 2: a call costs 15 ns, so short rows go by twos;
 * 1024^2 400, 667 at T = 4, 731 at T = 8 and at T = 16;
 * 4096^2 190, 412 at T = 16 in one group, 490 in groups of 4, 540 at T = 32 in groups of 4;
 * 8192 x 512 at T = 32: 396 in groups of 1, 492 of 2, 524 of 3, 516 of 4.
 * Planes do not fit a core's own cache, so the shared cache holds them. The heat equation at 256^3
 * gains equally, 1.6 to 2 times, at every depth from 4 to 32 and in groups of 2, 4 and all. Where
 * that cache holds few planes, they go by tiles (plan_tiles): D3Q19 f32 192^3 (2 MiB and 240 MiB a
 * core, rows of 29 KB) 167 one launch at a time, 227 at T = 4 over whole planes and no more at 16;
 * over tiles of 48 rows 228 at T = 4, 260 at 8, 283 at 16, where tiles of 32, 64 and 96 have 277,
 * 279 and 268. Tiles that a core's own cache holds gained nothing over that. */
static trmo_wavefront plan(int64_t rows, int64_t slab, int halo, size_t all_bytes, int threads,
                           int wanted, const trmo_caches *caches)
{
  const int64_t bytes = most((int64_t)all_bytes / rows, 1);
  const int64_t limit = halo > 0 ? slab / (2 * (int64_t)halo) + 1 : MAX_DEPTH;
  const int64_t block = least(most((caches->first / 2 + bytes - 1) / bytes, 1), MAX_BLOCK);
  const int64_t group = most(caches->own / bytes - block - 1, LEAST_GROUP);
  const int64_t shared = caches->last / threads / bytes - PANEL - 1;
  int64_t depth = wanted;

  if (wanted == 0 && group >= CACHED_DEPTH / 2) depth = least(group, CACHED_DEPTH);
  if (wanted == 0 && group < CACHED_DEPTH / 2) depth = most(group, least(shared, OUTER_DEPTH));
  depth = least(least(depth, MAX_DEPTH), limit);
  return (trmo_wavefront){.rows = rows, .high = rows, .height = 1, .tile = 1, .halo = halo,
                          .depth = (int)depth,
                          .group = (int)least(group, depth),
                          .panel = group < depth ? PANEL : rows,
                          .block = depth > 1 ? block : rows};
}

/* A pass over tiles of B rows reads and writes B + 2*h*T rows for B rows. It is T launches long and
 * has about T*B rows in cache. With room for C rows, T^2 = C / (2*h) moves least, and B is 2*h*T.
 * Nothing changes where T whole planes have room. A row beyond the ring's seam belongs to the next
 * ring, so T is limited by h*(T - 1) <= height. */
static void plan_tiles(trmo_wavefront *planes, int64_t slab, int64_t bytes, int threads,
                       int wanted, const trmo_caches *caches)
{
  const int64_t room = most(caches->own / OWN_SHARE, caches->last / threads / SHARED_SHARE);
  const int64_t rows = room / most(bytes, 1), twice = 2 * (int64_t)planes->halo;
  const int64_t limit = least(slab, 2 * planes->height) / most(twice, 1) + 1;
  int64_t depth = 1;

  while (depth < least(OUTER_DEPTH, limit) && (depth + 1) * (depth + 1) * twice <= rows) depth++;
  if (wanted) depth = planes->depth;
  if (twice == 0 || depth < 2 || depth > limit || rows / depth >= planes->height) return;
  planes->depth = planes->group = (int)depth;
  planes->tile = least(most(rows / depth, twice), planes->height);
  planes->panel = planes->rows;
}

/* slab: rows, or planes, of a thread at least. */
static trmo_wavefront plan_slabs(const trm_extent *extent, int64_t slab, int halo, size_t bytes,
                                 int threads, int wanted, const trmo_caches *caches)
{
  const int64_t rows = (int64_t)extent->ny * extent->nz;
  trmo_wavefront planes;
  if (extent->nz == 1) return plan(rows, slab, halo, bytes, threads, wanted, caches);
  planes = plan(extent->nz, slab, halo, bytes, threads, wanted, caches);
  planes.height = planes.tile = extent->ny;
  if (planes.group < CACHED_DEPTH / 2)
    plan_tiles(&planes, slab, (int64_t)bytes / rows, threads, wanted, caches);
  return planes;
}

trmo_wavefront trmo_wavefront_plan(const trm_extent *extent, int halo, size_t bytes, int threads,
                                   int wanted, const trmo_caches *caches)
{
  const int64_t rows = (int64_t)extent->ny * extent->nz;
  const int64_t slab = (extent->nz == 1 ? rows : extent->nz) / threads;
  const trmo_wavefront planes = plan_slabs(extent, slab, halo, bytes, threads, wanted, caches);
  if (extent->nz == 1 || planes.depth > 1) return planes;
  return plan(rows, rows / threads, halo, bytes, threads, 1, caches);
}

/* One thread has a slab without a wedge, as high as may be. */
trmo_wavefront trmo_wavefront_plan_part(const trmo_launch *launches, size_t count, int halo,
                                        size_t bytes, int threads, int wanted,
                                        const trmo_caches *caches)
{
  const trm_extent *extent = launches->extent;
  const int64_t height = extent->nz > 1 ? extent->ny : 1;
  int64_t low = launches->first, high = launches->first + launches->units;
  for (size_t i = 1; i < count; i++) {
    low = least(low, launches[i].first);
    high = most(high, launches[i].first + launches[i].units);
  }
  const int64_t slab = threads > 1 ? (high - low) / height / threads : INT32_MAX;
  trmo_wavefront part = plan_slabs(extent, slab, halo, bytes, threads, wanted, caches);
  part.low = low / height;
  part.high = high / height;
  part.is_part = true;
  part.panel = part.group < part.depth ? part.panel : part.high - part.low + 2 * MAX_DEPTH * halo;
  return part;
}

/* Runs, in each plane of [begin, end), the rows [south, north) of its ring; the seam may lie among
 * them. */
static void run_tile(const trmo_launch *launch, int64_t height, int64_t begin, int64_t end,
                     int64_t south, int64_t north)
{
  for (int64_t first = begin * height; first < end * height; first += height) {
    if (south < height)
      launch->run(launch->extent, first + south, first + least(north, height), launch->params,
                  launch->data);
    if (north > height)
      launch->run(launch->extent, first + most(south - height, 0), first + north - height,
                  launch->params, launch->data);
  }
}

/* Planes [begin, end) of the ring, of which some may lie beyond the last one: a wedge at the seam
 * goes there, by half a slab at most. */
static void run_planes(const trmo_launch *launch, const trmo_wavefront *wave, int64_t begin,
                       int64_t end, int64_t south, int64_t north)
{
  const int64_t rows = wave->rows, height = wave->height;
  if (begin < rows && end > rows) {
    run_planes(launch, wave, begin, rows, south, north);
    begin = rows;
  }
  if (begin >= rows) {
    begin -= rows;
    end -= rows;
  }
  if (south > 0 || north < height) run_tile(launch, height, begin, end, south, north);
  else launch->run(launch->extent, begin * height, end * height, launch->params, launch->data);
}

/* A region of a wavefront: launch t over u in [low + low_slope * t, high + high_slope * t). */
typedef struct region {
  const trmo_wavefront *wave;
  const trmo_launch *launches;
  size_t modulo, first;
  int64_t low, low_slope, high, high_slope;
} region;

/* Launches t0 .. t1 - 1 over u in [u0, u1), a block of planes after the other, and v in [v0, v1);
 * v0 < 0: over whole planes. */
static void run_group(const region *part, int t0, int t1, int64_t u0, int64_t u1, int64_t v0,
                      int64_t v1)
{
  const trmo_wavefront *wave = part->wave;
  const trmo_launch *begin = part->launches + (part->first + (size_t)t0) % part->modulo;
  const trmo_launch *end = part->launches + part->modulo;

  for (int64_t u = u0; u < u1; u += wave->block) {
    const int64_t stop = least(u + wave->block, u1);
    const trmo_launch *launch = begin;
    for (int t = t0; t < t1; t++) {
      const int64_t by = (int64_t)wave->halo * t;
      int64_t from = most(u, part->low + part->low_slope * t);
      int64_t to = least(stop, part->high + part->high_slope * t);
      if (wave->is_part) {
        const int64_t first = launch->first / wave->height;
        from = most(from, first + by);
        to = least(to, first + launch->units / wave->height + by);
      }
      const int64_t south = v0 < 0 ? 0 : most(v0 - by, by);
      const int64_t north = v0 < 0 ? wave->height : least(v1 - by, wave->height + by);
      if (from < to && south < north) run_planes(launch, wave, from - by, to - by, south, north);
      if (++launch == end) launch = part->launches;
    }
  }
}

static void run_region(const region *part, int depth)
{
  const trmo_wavefront *wave = part->wave;
  const int64_t high = part->high + part->high_slope * (depth - 1);
  const int64_t far = wave->height + 2 * (int64_t)wave->halo * (depth - 1);

  if (wave->tile < wave->height)
    for (int64_t v = 0; v < far; v += wave->tile)
      run_group(part, 0, depth, part->low, high, v, v + wave->tile);
  else
    for (int64_t u = part->low; u < high; u += wave->panel)
      for (int t = 0; t < depth; t += wave->group)
        run_group(part, t, (int)least(t + wave->group, depth),
                  most(u, part->low + part->low_slope * t), least(u + wave->panel, high), -1, -1);
}

/* Where slab `index` of `count` begins. */
static int64_t slab_begin(const trmo_wavefront *wave, int index, int count)
{
  return wave->low + trmo_part_begin(wave->high - wave->low, index, count);
}

/* The ends of a part's rows have no slab beyond them: there each launch has all of its rows. */
void trmo_wavefront_trapezoid(const trmo_wavefront *wave, const trmo_launch *launches,
                              size_t modulo, size_t first, int depth, int index, int count)
{
  const bool is_first = wave->is_part && index == 0, is_last = wave->is_part && index + 1 == count;
  const region part = {
      .wave = wave, .launches = launches, .modulo = modulo, .first = first,
      .low = slab_begin(wave, index, count), .low_slope = is_first ? 0 : 2 * wave->halo,
      .high = slab_begin(wave, index + 1, count), .high_slope = is_last ? wave->halo : 0};
  run_region(&part, depth);
}

void trmo_wavefront_wedge(const trmo_wavefront *wave, const trmo_launch *launches, size_t modulo,
                          size_t first, int depth, int index, int count)
{
  const int64_t b = slab_begin(wave, index + 1, count);
  const region part = {.wave = wave, .launches = launches, .modulo = modulo, .first = first,
                       .low = b, .low_slope = 0, .high = b, .high_slope = 2 * wave->halo};
  if (!wave->is_part || index + 1 < count) run_region(&part, depth);
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
