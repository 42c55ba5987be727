/* kernel_temporal.h - TRM_STEPS recorded launches of one row kernel in one launch of a GPU. This
 * text follows the solver's; kernel_steps.h made its kernel a function of one cell. The plugin
 * defines
 *   TRM_STEPS_NAME, TRM_STEPS_ROW, TRM_STEPS_PARAMS   trm_steps_lbm_step, trm_lbm_step_row, ...
 *   TRM_STEPS_ARRAYS   the heading's arrays: TRM_ANY b0, TRM_ANY b1, ...
 *   TRM_STEPS_READS, TRM_STEPS_WRITES                 those of them that the field lies in
 *   TRM_STEPS_PASS     the same as arguments, trm_from and trm_to in the place of the field
 *   TRM_STEPS_RESIDENT   groups that a multiprocessor shall hold at least (CUDA)
 *   TRM_STEPS_ROUNDS     tiles: how often a launch does TRM_STEPS at most; not defined: once.
 * Two schedules: strips on large grids, tiles on small ones.
 *
 * A launch writes `share.count` rows from `share.first` on: all, or those of a part of a run. They
 * may go on at row 0.
 *
 * Strips. A group has TRM_STEPS_WIDTH columns and `share.rows` rows, and goes north by R =
 * TRM_STEPS_ROWS rows a tick. Rows q are counted from trm_s_edge rows south of its own first one.
 * In tick n launch t computes rows [R n - t, R n - t + R). It reads ring t of lines in shared
 * memory and writes ring t + 1; the last launch writes global memory. The proof that this is in
 * order:
 * - Launch t needs rows q - 1 .. q + 1 of launch t - 1. The northernmost, R n - t + R, was done in
 *   this tick, a barrier ago. The southernmost, R n - t - 1, is R + 1 lines behind that, and a ring
 *   has R + 2 lines: it is overwritten in the next tick, with at least one barrier between.
 * - Ring 0 is filled from global memory a tick ahead. It has 2 R + 2 lines. R + 2 lines are being
 *   read. R lines for the next tick are on their way, over the lines that launch 0 read for the
 *   last time a tick ago.
 * - A group also computes the columns and rows beyond its own part that later launches need. Its
 *   neighbour computes them too: the same bits from the same values. Launch t computes
 *   trm_s_edge - t of them.
 * - The buffer that the last launch writes is not the buffer that the first launch reads.
 * - The values that launch t makes for its folds are folded behind the barrier after the launch,
 *   and before the next barrier. Launch t writes there again a tick later, after that barrier.
 * One warp is 32 own columns of one row, a leaf; further warps have the columns beyond. Where
 * values wait for folds, one more warp does these (in blocks the last warp of columns beyond).
 *
 * Tiles. A group has all its rows at once, and trm_s_edge more on each side. Each item has one
 * cell, for all launches. Launch t reads lines t % 2 and writes the other lines, with a barrier
 * between any two launches. It computes the rows and columns that later launches need. Values of
 * folds wait for the end: one place for each launch and leaf. An item asks once for the values of
 * TRM_INVARIANT arrays, while the field is on its way.
 *
 * Rounds. Where all groups of tiles are on the device at once, one launch may do `rounds` times
 * TRM_STEPS steps, from one buffer into the other and back. The number of rounds is odd. After each
 * round they write, wait for each other, and fetch. For drivers whose launches take long. */

#if defined(TRM_CUDA)
struct trm_any { /* a buffer as the type that a parameter has */
  void *at;
  template <typename type> __device__ __forceinline__ operator type *() const { return (type *)at; }
};
#define TRM_ANY trm_any
#define TRM_STEPS_HEADING \
  extern "C" __global__ void __launch_bounds__(TRM_STEPS_ITEMS, TRM_STEPS_RESIDENT)
#define TRM_STEPS_SPACE(space) \
  extern __shared__ __align__(16) unsigned char trm_s_space[]; \
  const trm_place space = (trm_place)__cvta_generic_to_shared(trm_s_space)
#define TRM_STEPS_BARRIER __syncthreads()
#define TRM_STEPS_EVERY 0
#else
#define TRM_ANY TRM_GLOBAL void *
#define TRM_STEPS_HEADING __kernel __attribute__((reqd_work_group_size(TRM_STEPS_ITEMS, 1, 1))) void
#if defined(TRM_NVIDIA)
#define TRM_STEPS_SPACE(space) \
  __local float4 trm_s_space[(TRM_STEPS_BYTES + 15) / 16]; \
  const trm_place space = (trm_place)(size_t)trm_s_space
#else
#define TRM_STEPS_SPACE(space) \
  __local float4 trm_s_space[(TRM_STEPS_BYTES + 15) / 16]; \
  const trm_place space = (trm_place)trm_s_space
#endif
#define TRM_STEPS_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#if defined(TRM_NVIDIA)
#define TRM_STEPS_EVERY 0
#else
#define TRM_STEPS_EVERY 1 /* PoCL 3.1 goes wrong where some iterations of a loop skip a barrier */
#endif
#endif

typedef struct trm_temporal_params { TRM_STEPS_PARAMS at[TRM_STEPS]; } trm_temporal_params;
typedef struct trm_temporal_layout { trm_index first, row, component; } trm_temporal_layout;
/* Of rows: trm_steps_share in steps.h. */
typedef struct trm_temporal_share {
  int rows, edge_rows, edge_groups, first, count;
} trm_temporal_share;

TRM_INLINE int trm_around(const int i, const int n)
{
  const int left = i % n;
  return left < 0 ? left + n : left;
}

/* The same where -n <= i < 2 n. A tile's items take no branch and no division before their first
 * load: they work that out beside the launch before them, which waits for the same processors. */
TRM_INLINE int trm_once_around(const int i, const int n)
{
  const int left = i < 0 ? i + n : i;
  return left >= n ? left - n : left;
}

/* The same where 0 <= i < 2 n. */
TRM_INLINE int trm_onward_around(const int i, const int n) { return i < n ? i : i - n; }

/* Where a group begins that is `along` rows from the launch's first one, and its rows. */
#define TRM_STEPS_Y0(along) trm_onward_around(share.first + (along), TRM_NY)
#define TRM_STEPS_OWN_H(along, rows) \
  (share.count - (along) < (rows) ? share.count - (along) : (rows))

/* The arguments of a launch beside the buffers, and the parameters of step t. Rounds:
 * `given` has the parameters of all steps. */
#if defined(TRM_STEPS_ROUNDS)
#define TRM_STEPS_GIVEN \
  __constant trm_temporal_params *const given, volatile TRM_GLOBAL unsigned int *const gate, \
    const int rounds
#define TRM_STEPS_OF(t) given[round].at[t]
#define TRM_STEPS_TIMES rounds
#define TRM_STEPS_FENCE TRM_ASM volatile("membar.gl;" : : : "memory") /* of the whole device */
/* Behind this all groups see what all had written before it. gate: how many have come, and how
 * often all had, which is `before` now. Both count on from launch to launch, and around. */
TRM_INLINE void trm_gather(volatile TRM_GLOBAL unsigned int *const gate, const unsigned int before)
{
  const unsigned int groups = (unsigned int)(get_num_groups(0) * get_num_groups(1));
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (TRM_LOCAL_X == 0) {
    TRM_STEPS_FENCE;
    atomic_inc(gate);
    while ((int)(gate[0] - (before + 1) * groups) < 0) { }
    TRM_STEPS_FENCE;
    if (TRM_BLOCK_X == 0 && TRM_BLOCK_Y == 0) gate[1] = before + 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#define TRM_STEPS_GATHER trm_gather(gate, gathered + (unsigned int)(round - 1))
#else
#define TRM_STEPS_GIVEN const trm_temporal_params params
#define TRM_STEPS_OF(t) params.at[t]
#define TRM_STEPS_TIMES 1
#define TRM_STEPS_GATHER
#endif

/* From a line of a ring to the line south of it; low: this item's column in the ring's first
 * line. */
TRM_INLINE trm_place trm_southward(const trm_place at, const trm_place low, const int depth)
{
  return at == low ? at + (depth - 1) * trm_s_line : at - trm_s_line;
}
TRM_INLINE trm_place trm_onward(const trm_place at, const trm_place low, const int depth,
                                const int lines)
{
  const trm_place next = at + lines * trm_s_line;
  return next >= low + depth * trm_s_line ? next - depth * trm_s_line : next;
}

/* The invariant values of a row of the item's columns, and its word of bits or NULL. The solver's
 * text is gone through once more for them, with fields of nothing: a compiler leaves out the
 * rest. */
#define TRM_STEPS_ASK(t, row_y, to, word) \
  do { \
    real nothing[trm_s_row], away[trm_s_row], spare[TRM_STEPS_FOLDS * TRM_STEPS_WIDE + 1]; \
    TRM_UNROLL for (int k = 0; k < trm_s_row; k++) nothing[k] = R(0.0); \
    TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++) { \
      const trm_cell trm_c = { x + c, row_y, 1, TRM_STEPS_FOLDS > 0, 0, 0, spare + c, c > 0, \
                               c + 1 < TRM_STEPS_WIDE, 1, (to) + c * trm_s_invariants, 1, word }; \
      const trm_field trm_from = { 0, 0, 0, 0, x, 1, nothing + 1, nothing + 1, nothing + 1, \
                                   1, 1, 1 }; \
      const trm_field trm_to = { 0, 0, 0, 0, x, 1, 0, away + 1, 0, 0, 0, 0 }; \
      TRM_STEPS_ROW(TRM_STEPS_PASS, TRM_STEPS_OF(t), trm_n, trm_c); \
    } \
  } while (0)

/* ---- rows on their way from global memory -------------------------------------------------- */

#if defined(TRM_NVIDIA)
TRM_INLINE void trm_travel(const trm_place to, const TRM_GLOBAL real *from)
{
  TRM_ASM volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                   : : "r"(to), "l"((size_t)from) : "memory");
}
TRM_INLINE void trm_arrive(void) { TRM_ASM volatile("cp.async.wait_all;" : : : "memory"); }
#else
TRM_INLINE void trm_travel(const trm_place to, const TRM_GLOBAL real *from)
{
  for (int i = 0; i < trm_s_vector; i++) trm_leave(to + i * (int)sizeof(real), from[i]);
}
TRM_INLINE void trm_arrive(void) { }
#endif

#if !TRM_STEPS_TILE

/* Where ring t begins. */
#define TRM_STEPS_RING(t) \
  ((t) == 0 ? 0 : (trm_s_first + ((t) - 1) * trm_s_depth) * trm_s_line)

/* Which strip of columns and which part of its rows a group has. */
typedef struct trm_post { int strip, part, rows; } trm_post;
TRM_INLINE trm_post trm_posted(const trm_temporal_share share, const int nx)
{
  trm_post post = { TRM_BLOCK_X, TRM_BLOCK_Y, share.rows };
  if (share.edge_groups) {
    const int strips = (nx + TRM_STEPS_WIDTH - 1) / TRM_STEPS_WIDTH;
    const int inner = TRM_BLOCK_X - 2 * share.edge_groups; /* the two edges take turns before */
    post.strip = inner >= 0 ? 1 + inner % (strips - 2) : TRM_BLOCK_X % 2 ? strips - 1 : 0;
    post.part = inner >= 0 ? inner / (strips - 2) : TRM_BLOCK_X / 2;
    post.rows = inner >= 0 ? share.rows : share.edge_rows;
  }
  return post;
}

/* Folds what launch t left in the tick that begins with row `begin` of launch 0; `t` is a
 * literal. */
#define TRM_STEPS_FOLD(t, begin) \
  for (int w = folder; w < trm_s_leaves; w += 32) { \
    const int r = (begin) + w / trm_s_chunks - (t) - trm_s_edge; \
    const trm_cell trm_c = { x0 + w % trm_s_chunks * 32, trm_onward_around(y0 + r, TRM_NY), 0, 0, \
                             1, \
                             values + ((t) * TRM_STEPS_FOLDS * trm_s_values + w * trm_s_leaf) }; \
    const trm_field trm_from = { 0, 0, 0, 0, 0, 1 }, trm_to = trm_from; \
    if ((unsigned int)r < (unsigned int)own_h && trm_c.x < TRM_NX) \
      TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[t], trm_n, trm_c); \
  }

#if TRM_STEPS_WARPS
#include "kernel_warps.h"
#elif TRM_STEPS_WIDE * TRM_STEPS_TALL > 1
#include "kernel_blocks.h"
#else

/* An item brings the same 16 bytes of a row each time, of every trm_s_teams-th component. */
enum {
  trm_s_vectors = trm_s_pitch / trm_s_vector,
  trm_s_party = TRM_STEPS_ROWS * trm_s_vectors,
  trm_s_most_teams = TRM_STEPS_ITEMS / trm_s_party,
  trm_s_teams = trm_s_most_teams < TRM_STEPS_COMPONENTS ? trm_s_most_teams : TRM_STEPS_COMPONENTS
};
/* a tick has no more rows than its items can fetch */
typedef char trm_s_all_travel[trm_s_most_teams > 0 ? 1 : -1];
typedef struct trm_porter {
  const TRM_GLOBAL real *from; /* its column in row 0 of its first component */
  trm_place low, to;  /* its column in ring 0's first line, and where the next row goes */
  int y, row, team;   /* y: of the grid; row: of a tick */
} trm_porter;

TRM_INLINE void trm_fetch(const trm_porter p, const trm_temporal_layout layout)
{
  const TRM_GLOBAL real *from = p.from + p.y * layout.row;
  TRM_UNROLL for (int k = 0; k < (TRM_STEPS_COMPONENTS + trm_s_teams - 1) / trm_s_teams; k++)
    if (p.team + k * trm_s_teams < TRM_STEPS_COMPONENTS)
      trm_travel(p.to + k * (trm_s_teams * trm_s_pitch * (int)sizeof(real)),
                 from + k * trm_s_teams * layout.component);
}

/* ---- strips ----------------------------------------------------------------------------- */

TRM_STEPS_HEADING TRM_STEPS_NAME(TRM_STEPS_ARRAYS, const trm_temporal_params params,
                                 const trm_extent trm_n, const trm_temporal_layout layout,
                                 const trm_temporal_share share)
{
  TRM_STEPS_SPACE(space);
  const int item = TRM_LOCAL_X, warp = item / 32, beyond = item - 32 * trm_s_inner;
  const trm_post post = trm_posted(share, TRM_NX);
  const int x0 = post.strip * TRM_STEPS_WIDTH, y0 = TRM_STEPS_Y0(post.part * post.rows);
  const int own_w = TRM_NX - x0 < TRM_STEPS_WIDTH ? TRM_NX - x0 : TRM_STEPS_WIDTH;
  const int own_h = TRM_STEPS_OWN_H(post.part * post.rows, post.rows);
  const int q_end = own_h + 2 * trm_s_edge;

  /* this item's seat: a column, and a row of each tick */
  const int is_inner = warp < trm_s_inner, side = beyond % (2 * trm_s_edge);
  const int seat = is_inner ? warp % trm_s_chunks * 32 + item % 32
                            : side < trm_s_edge ? side - trm_s_edge : own_w + side - trm_s_edge;
  const int row = is_inner ? warp / trm_s_chunks : beyond / (2 * trm_s_edge);
  const int away = is_inner ? 0 : seat < 0 ? -seat : seat - own_w + 1;
  const int reach = row < TRM_STEPS_ROWS ? TRM_STEPS - away : 0; /* launches that need its column */
  const int inside = !is_inner || seat < own_w, x = trm_around(x0 + seat, TRM_NX);
  const trm_place low = space + (trm_s_margin + seat) * (int)sizeof(real);
  int q = row, y = trm_around(y0 - trm_s_edge + row, TRM_NY);
  trm_place at = low + row * trm_s_line, in = at + trm_s_line;

  /* where its values wait for folds, and which leaf it folds itself */
  const trm_place values = space + trm_s_lines * trm_s_line;
#if TRM_STEPS_FOLDS
  const trm_place leaf = values + (warp * trm_s_leaf + item % 32 * (int)sizeof(real));
  const int folder = warp < trm_s_warps ? trm_s_leaves : item % 32;
  int last = 0;
#else
  const trm_place leaf = values;
#endif

  const TRM_GLOBAL real *const reads = TRM_STEPS_READS;
  TRM_GLOBAL real *const writes = TRM_STEPS_WRITES;
  const int team = item / trm_s_party, vector = item % trm_s_party % trm_s_vectors;
  const int fetches = team < trm_s_teams;
  trm_porter porter, more;
  porter.team = team;
  porter.row = item % trm_s_party / trm_s_vectors;
  porter.from = reads + layout.first + team * layout.component +
                trm_around(x0 - trm_s_margin + vector * trm_s_vector, TRM_NX);
  porter.low = space + (team * trm_s_pitch + vector * trm_s_vector) * (int)sizeof(real);
  porter.to = porter.low + porter.row * trm_s_line;
  porter.y = trm_around(y0 - trm_s_edge - 1 + porter.row, TRM_NY);
  more = porter;

  TRM_BEGIN;
  /* the R + 2 rows of the first tick; then the porter stands at the R rows of the second */
  if (fetches) trm_fetch(porter, layout);
  TRM_UNROLL for (int ahead = TRM_STEPS_ROWS; ahead < TRM_STEPS_ROWS + 2; ahead += TRM_STEPS_ROWS) {
    more.to = porter.to + ahead * trm_s_line;
    more.y = trm_around(porter.y + ahead, TRM_NY);
    if (fetches && ahead + porter.row < TRM_STEPS_ROWS + 2) trm_fetch(more, layout);
  }
  porter.to = trm_onward(porter.to, porter.low, trm_s_first, TRM_STEPS_ROWS + 2);
  porter.y = trm_around(porter.y + TRM_STEPS_ROWS + 2, TRM_NY);
  trm_arrive();
  TRM_STEPS_BARRIER;

  for (int first = 0; first < q_end; first += TRM_STEPS_ROWS) {
    if (fetches && first + TRM_STEPS_ROWS < q_end) trm_fetch(porter, layout);
    const int most = q < q_end ? q / 2 + 1 : 0, active = most < reach ? most : reach;
    trm_place north = trm_onward(in, low, trm_s_first, 1), here = in;
    trm_place south = trm_southward(in, low, trm_s_first), to = at;
    TRM_UNROLL for (int t = 0; t < TRM_STEPS; t++) {
      if (t < active) {
        const trm_cell trm_c = { x, y - t < 0 ? y - t + TRM_NY : y - t, inside,
                                 is_inner && (unsigned int)(q - t - trm_s_edge) <
                                               (unsigned int)own_h, 0,
                                 leaf + t * (TRM_STEPS_FOLDS * trm_s_values) };
        const trm_field trm_from = { 0, south + TRM_STEPS_RING(t), here + TRM_STEPS_RING(t),
                                     north + TRM_STEPS_RING(t), x, 1 };
        const trm_field trm_to = { writes, 0, to + TRM_STEPS_RING(t + 1), 0, x,
                                   t + 1 < TRM_STEPS };
        TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[t], trm_n, trm_c);
      }
      if (t == TRM_STEPS - 2) trm_arrive();
      if (t < TRM_STEPS - 1 || TRM_STEPS_EVERY) TRM_STEPS_BARRIER;
#if TRM_STEPS_FOLDS
      if (t < TRM_STEPS - 1) TRM_STEPS_FOLD(t, first)
      if (t == 0) TRM_STEPS_FOLD(TRM_STEPS - 1, first - TRM_STEPS_ROWS)
#endif
      /* the next launch: a row further south, in rings of the other depth */
      north = t == 0 ? at : here;
      here = t == 0 ? trm_southward(at, low, trm_s_depth) : south;
      south = trm_southward(here, low, trm_s_depth);
      to = here;
    }
    q += TRM_STEPS_ROWS;
    y = y + TRM_STEPS_ROWS >= TRM_NY ? y + TRM_STEPS_ROWS - TRM_NY : y + TRM_STEPS_ROWS;
    at = trm_onward(at, low, trm_s_depth, TRM_STEPS_ROWS);
    in = trm_onward(in, low, trm_s_first, TRM_STEPS_ROWS);
    porter.y = porter.y + TRM_STEPS_ROWS >= TRM_NY ? porter.y + TRM_STEPS_ROWS - TRM_NY
                                                   : porter.y + TRM_STEPS_ROWS;
    porter.to = trm_onward(porter.to, porter.low, trm_s_first, TRM_STEPS_ROWS);
#if TRM_STEPS_FOLDS
    last = first;
#endif
  }
#if TRM_STEPS_FOLDS
  TRM_STEPS_BARRIER;
  TRM_STEPS_FOLD(TRM_STEPS - 1, last)
#endif
}

#endif
#else

/* ---- tiles ------------------------------------------------------------------------------ */

/* CUDA: all launches but the last are one code, which is fetched once (128^2 on an H200: 0.89 us a
 * step, 0.92 unrolled). NVIDIA's OpenCL would copy parameters that are indexed. */
#if defined(TRM_CUDA)
#define TRM_STEPS_LOOP TRM_ROLL
#else
#define TRM_STEPS_LOOP TRM_UNROLL
#endif

enum {
  trm_s_half = trm_s_depth * trm_s_line, /* bytes of the lines that a launch reads */
  trm_s_vectors = trm_s_pitch / trm_s_vector,
  trm_s_pieces = trm_s_depth * TRM_STEPS_COMPONENTS, /* rows of a component */
  /* whole rows at a time, where there are items for one: then an item keeps its component */
  trm_s_abreast = TRM_STEPS_ITEMS / (trm_s_vectors * TRM_STEPS_COMPONENTS),
  trm_s_teams = trm_s_abreast ? trm_s_abreast * TRM_STEPS_COMPONENTS
                              : TRM_STEPS_ITEMS / trm_s_vectors,
  trm_s_loads = (trm_s_pieces + trm_s_teams - 1) / trm_s_teams
};
typedef char trm_s_all_travel[trm_s_teams > 0 ? 1 : -1];

TRM_INLINE int trm_column(const int i, const int n)
{
  return n < TRM_STEPS_WIDTH + trm_s_margin ? trm_around(i, n) : trm_once_around(i, n);
}

/* Launch t of this item's cell; swap: where the lines begin that it reads. */
#define TRM_STEPS_DO(t, is_shared) \
  if ((t) < active) { \
    const trm_cell trm_c = { x, y, inside, folds, 0, \
                             leaf + (t) * (TRM_STEPS_FOLDS * trm_s_values), 0, 0, 0, 0, \
                             TRM_STEPS_INVARIANTS ? invariants : 0, 0, TRM_STEPS_INVARIANTS ? \
                                 &bits : 0 }; \
    const trm_field trm_from = { 0, here + swap - trm_s_line, here + swap, \
                                 here + swap + trm_s_line, x, 1 }; \
    const trm_field trm_to = { writes, 0, here + (trm_s_half - swap), 0, x, is_shared }; \
    TRM_STEPS_ROW(TRM_STEPS_PASS, TRM_STEPS_OF(t), trm_n, trm_c); \
  }

TRM_STEPS_HEADING TRM_STEPS_NAME(TRM_STEPS_ARRAYS, TRM_STEPS_GIVEN, const trm_extent trm_n,
                                 const trm_temporal_layout layout, const trm_temporal_share share)
{
  TRM_STEPS_SPACE(space);
  const int item = TRM_LOCAL_X, warp = item / 32, beyond = item - 32 * trm_s_inner;
  const int x0 = TRM_BLOCK_X * TRM_STEPS_WIDTH, y0 = TRM_STEPS_Y0(TRM_BLOCK_Y * share.rows);
  const int own_w = TRM_NX - x0 < TRM_STEPS_WIDTH ? TRM_NX - x0 : TRM_STEPS_WIDTH;
  const int own_h = TRM_STEPS_OWN_H(TRM_BLOCK_Y * share.rows, share.rows);

  /* this item's cell: its column, and its row counted from the tile's first row; the number of
   * launches that need the cell: fewer if it lies further beyond the group's own part */
  const int is_inner = warp < trm_s_inner, side = beyond % (2 * trm_s_edge);
  const int seat = is_inner ? warp % trm_s_chunks * 32 + item % 32
                            : side < trm_s_edge ? side - trm_s_edge : own_w + side - trm_s_edge;
  const int line = is_inner ? warp / trm_s_chunks : beyond / (2 * trm_s_edge);
  const int has_row = line < TRM_STEPS_ROWS, row = has_row ? line : 0;
  const int away = is_inner ? 0 : seat < 0 ? -seat : seat - own_w + 1;
  const int south = row + 1, north = own_h + 2 * trm_s_edge - row;
  const int along = south < north ? south : north;
  const int reach = has_row ? TRM_STEPS - away : 0;
  const int active = along < reach ? along : reach;
  const int inside = !is_inner || seat < own_w, x = trm_column(x0 + seat, TRM_NX);
  const int y = trm_once_around(y0 - trm_s_edge + row, TRM_NY), own = row - trm_s_edge;
  const int folds = is_inner && (unsigned int)own < (unsigned int)own_h;
  const trm_place here = space + (trm_s_margin + seat) * (int)sizeof(real) + south * trm_s_line;
  const trm_place values = space + 2 * trm_s_half;
  const trm_place leaf = values + ((own * trm_s_chunks + warp % trm_s_chunks) * trm_s_leaf +
                                   item % 32 * (int)sizeof(real));

  /* the pieces of rows that it brings: every trm_s_teams-th one's 16 bytes at the same columns */
  const TRM_GLOBAL real *const reads = TRM_STEPS_READS;
  TRM_GLOBAL real *writes = TRM_STEPS_WRITES;
  const int team = item / trm_s_vectors, vector = item % trm_s_vectors;
  const TRM_GLOBAL real *const from = reads + layout.first +
    trm_column(x0 - trm_s_margin + vector * trm_s_vector, TRM_NX);
  const int first_y = y0 - trm_s_edge - 1;
  const TRM_GLOBAL real *pieces[trm_s_loads];
#if defined(TRM_STEPS_ROUNDS)
  const unsigned int gathered = gate[1]; /* no group gets past the first gate before this one has */
  trm_index onward = ((trm_index)(size_t)writes - (trm_index)(size_t)reads) / (int)sizeof(real);
#endif
  TRM_UNROLL for (int i = 0; i < trm_s_loads; i++) {
    const int piece = team + i * trm_s_teams;
    const int component = (trm_s_abreast ? team : piece) % TRM_STEPS_COMPONENTS;
    const int from_row = trm_s_abreast ? team / TRM_STEPS_COMPONENTS + i * trm_s_abreast
                                       : piece / TRM_STEPS_COMPONENTS;
    const int from_y = trm_once_around(first_y + from_row, TRM_NY);
    pieces[i] = from + (component * layout.component + from_y * layout.row);
  }

  TRM_BEGIN;
  TRM_UNUSED real invariants[trm_s_invariants];
  TRM_UNUSED trm_bits bits = 0;
  for (int round = 0; round < TRM_STEPS_TIMES; round++) {
    if (round > 0) TRM_STEPS_GATHER;
    TRM_UNROLL for (int i = 0; i < trm_s_loads; i++) {
      const int piece = team + i * trm_s_teams;
      if (team < trm_s_teams && piece < trm_s_pieces)
        trm_travel(space + (piece * trm_s_vectors + vector) * 16, pieces[i]);
    }
#if TRM_STEPS_INVARIANTS
    if (round == 0) TRM_STEPS_ASK(0, y, invariants, &bits);
#endif
    trm_arrive();
    TRM_STEPS_BARRIER;

    int swap = 0;
    TRM_STEPS_LOOP for (int t = 0; t < TRM_STEPS - 1; t++) {
      TRM_STEPS_DO(t, 1)
      TRM_STEPS_BARRIER;
      swap = trm_s_half - swap;
    }
    TRM_STEPS_DO(TRM_STEPS - 1, 0)
#if TRM_STEPS_FOLDS
    TRM_STEPS_BARRIER;
    for (int w = item; w < TRM_STEPS * trm_s_leaves; w += TRM_STEPS_ITEMS) {
      const int t = w / trm_s_leaves, r = w % trm_s_leaves / trm_s_chunks;
      const trm_cell trm_c = { x0 + w % trm_s_leaves % trm_s_chunks * 32,
                               trm_onward_around(y0 + r, TRM_NY), 0, 0, 1,
                               values + (t * TRM_STEPS_FOLDS * trm_s_values +
                                         w % trm_s_leaves * trm_s_leaf) };
      const trm_field trm_from = { 0, 0, 0, 0, 0, 1 }, trm_to = trm_from;
      if (r < own_h && trm_c.x < TRM_NX)
        TRM_STEPS_ROW(TRM_STEPS_PASS, TRM_STEPS_OF(t), trm_n, trm_c);
    }
#endif
#if defined(TRM_STEPS_ROUNDS)
    /* the next one reads where this one wrote */
    TRM_UNROLL for (int i = 0; i < trm_s_loads; i++) pieces[i] += onward;
    writes -= onward;
    onward = -onward;
#endif
  }
}

#endif
