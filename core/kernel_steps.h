/* kernel_steps.h - the part of the dialect (kernel.h) for several steps in one launch. A row
 * kernel, compiled once more with TRM_STEPS defined, becomes a function of one cell. The text of
 * kernel_temporal.h calls it for several recorded launches in one launch of a GPU. Its field then
 * lies in shared memory; everything else is unchanged.
 *
 * Given by the plugin: TRM_STEPS, the launches; TRM_STEPS_WIDTH and TRM_STEPS_ROWS, columns of a
 * group and rows of a tick; TRM_STEPS_TILE, whether one tick does all of a group's rows;
 * TRM_STEPS_WIDE and TRM_STEPS_TALL, the columns and rows of an item's cells (kernel_blocks.h);
 * TRM_STEPS_COMPONENTS of the field; TRM_STEPS_FOLDS, the folds of the kernel whose values wait in
 * shared memory (below); TRM_STEPS_INVARIANTS, how often it says TRM_INVARIANT; TRM_STEPS_ITEMS and
 * TRM_STEPS_BYTES, what steps.c makes of these. */
#ifndef TRM_KERNEL_STEPS_H
#define TRM_KERNEL_STEPS_H

/* trm_steps_needs in steps.c has the same formulas. */
enum {
  trm_s_edge = TRM_STEPS - 1,               /* beyond the group's own part in the first launch */
  trm_s_vector = 16 / (int)sizeof(real),    /* elements that travel at once */
  trm_s_margin = (TRM_STEPS + trm_s_vector - 1) / trm_s_vector * trm_s_vector,
  trm_s_pitch = TRM_STEPS_WIDTH + 2 * trm_s_margin,
  trm_s_line = TRM_STEPS_COMPONENTS * trm_s_pitch * (int)sizeof(real), /* bytes of a row */
  trm_s_depth = TRM_STEPS_ROWS + 2,         /* lines of a ring between launches */
  trm_s_first = TRM_STEPS_TILE ? trm_s_depth : 2 * TRM_STEPS_ROWS + 2, /* of global memory's */
  trm_s_lines = TRM_STEPS_TILE ? 2 * trm_s_depth : trm_s_first + trm_s_edge * trm_s_depth,
  trm_s_chunks = TRM_STEPS_WIDTH / 32,
  /* warps of own columns */
  trm_s_inner = TRM_STEPS_ROWS * trm_s_chunks / (TRM_STEPS_WIDE * TRM_STEPS_TALL),
  trm_s_outer = (TRM_STEPS_ROWS * 2 * trm_s_edge + 31) / 32,   /* warps of columns beyond */
  trm_s_warps = trm_s_inner + trm_s_outer,
  /* Values that wait for their fold: leaves of a launch, 33 apart. So no two items of a fold use
   * the same bank. */
  trm_s_leaf = 33 * (int)sizeof(real),
  trm_s_leaves = TRM_STEPS_TILE ? (TRM_STEPS_ROWS - 2 * trm_s_edge) * trm_s_chunks
                                : TRM_STEPS_ROWS * trm_s_chunks,
  trm_s_values = trm_s_leaves * trm_s_leaf,
  /* values that an item has in registers, of a row and component, and of a row */
  trm_s_held = TRM_STEPS_WIDE + 2,
  trm_s_row = TRM_STEPS_COMPONENTS * trm_s_held
};
enum {
  /* where values wait, a warp for their folds; in blocks a warp of the columns beyond has time */
  trm_s_folders = TRM_STEPS_FOLDS > 0 && !TRM_STEPS_TILE && TRM_STEPS_WIDE * TRM_STEPS_TALL == 1,
  trm_s_invariants = 4,                     /* values of TRM_INVARIANT that a cell may have */
  trm_s_items = TRM_STEPS_WARPS ? 32 : 32 * (trm_s_warps + trm_s_folders),
  /* where a warp goes alone: of a row on its way, of which there are three */
  trm_s_bytes_of_row = (TRM_STEPS_COMPONENTS + trm_s_invariants) * 32 * TRM_STEPS_WIDE *
                       (int)sizeof(real),
  trm_s_bytes = TRM_STEPS_WARPS
                  ? 3 * trm_s_bytes_of_row
                  : trm_s_lines * trm_s_line + TRM_STEPS * TRM_STEPS_FOLDS * trm_s_values
};
typedef char trm_s_items_agree[TRM_STEPS_ITEMS == trm_s_items ? 1 : -1];
typedef char trm_s_bytes_agree[TRM_STEPS_BYTES == trm_s_bytes ? 1 : -1];

/* ---- shared memory --------------------------------------------------------------------------
 *
 * A place in it is an address of its window on NVIDIA's devices, where the compiler would find the
 * window's begin anew at every access; a pointer elsewhere. */
#if defined(TRM_NVIDIA)
typedef unsigned int trm_place;
#if TRM_F64_KERNEL
#define TRM_S_WORD "f64"
#define TRM_S_LETTER "d"
#define TRM_S_BYTES "8"
#else
#define TRM_S_WORD "f32"
#define TRM_S_LETTER "f"
#define TRM_S_BYTES "4"
#endif
TRM_INLINE real trm_take(const trm_place at)
{
  real v;
  TRM_ASM volatile("ld.shared." TRM_S_WORD " %0, [%1];" : "=" TRM_S_LETTER(v) : "r"(at));
  return v;
}
TRM_INLINE void trm_leave(const trm_place at, const real v)
{
  TRM_ASM volatile("st.shared." TRM_S_WORD " [%0], %1;" : : "r"(at), TRM_S_LETTER(v));
}
#else
typedef TRM_LOCAL char *trm_place;
TRM_INLINE real trm_take(const trm_place at) { return *(const TRM_LOCAL real *)at; }
TRM_INLINE void trm_leave(const trm_place at, const real v) { *(TRM_LOCAL real *)at = v; }
#endif

/* ---- lines: a row of the field, in shared memory or (the last launch's) in global ------------ */

typedef struct trm_line {
  TRM_GLOBAL real *far;    /* this item's column of component 0 */
  trm_place place;         /* the same in shared memory */
  int x, is_shared;        /* is_shared: a literal once all is inlined */
  real *held;              /* NULL, or the item's columns in registers, component by component, */
  int beside;              /* and those beside them: a literal */
  real *memo;              /* NULL, or their values of TRM_MEMO */
  int is_new;              /* a literal: 1: they are made here */
} trm_line;
typedef struct trm_field {
  TRM_GLOBAL real *far;    /* the buffer */
  trm_place south, here, north;
  int x, is_shared;
  real *south_held, *here_held, *north_held;
  int south_beside, here_beside, north_beside;
  real *south_memo, *here_memo, *north_memo;
} trm_field;

TRM_INLINE trm_line trm_line_at(const trm_field f, const trm_place place, real *held,
                                const int beside, real *memo, const int is_new,
                                const trm_index row)
{
  const trm_line line = { f.is_shared ? 0 : f.far + (row + f.x), place, f.x, f.is_shared, held,
                          beside, memo, is_new };
  return line;
}
TRM_INLINE real trm_get(const trm_line line, const int k, const trm_index component, const int x)
{
  const int column = x - line.x;
  if (line.held && column >= -line.beside && column < TRM_STEPS_WIDE + line.beside)
    return line.held[k * trm_s_held + column];
  return line.is_shared
           ? trm_take(line.place + (k * trm_s_pitch + (x - line.x)) * (int)sizeof(real))
           : line.far[k * component + (x - line.x)];
}
TRM_INLINE void trm_set(const trm_line line, const int k, const trm_index component, const int x,
                        const real value)
{
  if (line.held) line.held[k * trm_s_held + (x - line.x)] = value;
  else if (line.is_shared)
    trm_leave(line.place + (k * trm_s_pitch + (x - line.x)) * (int)sizeof(real), value);
  else
    line.far[k * component + (x - line.x)] = value;
}
TRM_INLINE real trm_memo(const trm_line line, const int x, const real value)
{
  if (line.memo && line.is_new) line.memo[x - line.x] = value;
  return line.memo ? line.memo[x - line.x] : value;
}
#define TRM_FROM(type) const trm_field
#define TRM_TO(type) const trm_field
#define TRM_LINE_IN(type) const trm_line
#define TRM_LINE_OUT(type) const trm_line
#define TRM_LINE(f, first, row, y) \
  trm_line_at(f, (f).here, (f).here_held, (f).here_beside, (f).here_memo, 0, \
              (first) + (trm_index)(y) * (row))
#define TRM_LINE_SOUTH(f, first, row, y) \
  trm_line_at(f, (f).south, (f).south_held, (f).south_beside, (f).south_memo, 0, 0)
#define TRM_LINE_NORTH(f, first, row, y) \
  trm_line_at(f, (f).north, (f).north_held, (f).north_beside, (f).north_memo, 1, 0)
#define TRM_GET(line, k, component, x) trm_get(line, k, component, x)
#define TRM_SET(line, k, component, x, value) trm_set(line, k, component, x, value)
#undef TRM_MEMO
#undef TRM_HAS_MEMO
#define TRM_MEMO(line, x, value) trm_memo(line, x, value)
#define TRM_HAS_MEMO TRM_STEPS_WARPS
#undef TRM_WEST
#undef TRM_EAST
#define TRM_WEST(x) ((x) - 1) /* the group has the columns beyond the edges of the grid too */
#define TRM_EAST(x) ((x) + 1)
#define TRM_IS_WEST(x) (!trm_c.off_west && (x) == 0)
#define TRM_IS_EAST(x) (!trm_c.off_east && (x) == TRM_NX - 1)
#define TRM_IS_SOUTH(y) (!trm_c.off_rows && (y) == 0)
#define TRM_IS_NORTH(y) (!trm_c.off_rows && (y) == TRM_NY - 1)

/* Literals: where the cell is done (kernel_temporal.h): in CUDA's strips, in tiles. */
#if defined(TRM_CUDA)
#define TRM_IN_STRIP (!TRM_STEPS_TILE)
#else
#define TRM_IN_STRIP 0
#endif
#define TRM_IN_TILE TRM_STEPS_TILE

/* ---- a heading makes a function of one cell -------------------------------------------------- */

typedef struct trm_cell {
  int x, y;       /* of the grid */
  int inside;     /* 0: an item that only takes part in the fold of its warp */
  int folds;      /* the warp's cells are a leaf of the group's own rows */
  int is_fold;    /* a literal: 1: no cell, but the leaf that begins at x is folded */
  trm_place leaf; /* where the values of the first fold wait: this cell's, or the leaf's first */
  real *kept;     /* NULL, or where they wait in registers, TRM_STEPS_WIDE apart */
  int off_west, off_east, off_rows; /* literals: the cell is not at that edge, at no row's edge */
  real *invariants; /* NULL, or the cell's values of TRM_INVARIANT in registers */
  int asks;       /* a literal: 1: no cell, but these are fetched to there */
  trm_bits *bits; /* NULL, or its word of TRM_INVARIANT_BITS */
  int sends;      /* a literal: 1: no cell, but the invariant values are sent for, */
  trm_place goal; /* to there, a component's row apart */
} trm_cell;
TRM_INLINE real trm_invariant(const trm_cell c, const int k, const real value)
{
  if (c.sends) return R(0.0);
  if (c.invariants && c.asks) c.invariants[k] = value;
  return c.invariants && !c.asks ? c.invariants[k] : value;
}
TRM_INLINE trm_bits trm_invariant_bits(const trm_cell c, const trm_bits word)
{
  if (c.bits && c.asks) *c.bits = word;
  return c.bits && !c.asks ? *c.bits : word;
}
#undef TRM_INVARIANT
#undef TRM_INVARIANT_BITS
#if TRM_STEPS_WARPS
TRM_INLINE void trm_send_invariant(const trm_cell c, const int k, const TRM_GLOBAL real *from)
{
  if (c.sends)
    TRM_ASM volatile("cp.async.ca.shared.global [%0], [%1], " TRM_S_BYTES ";"
                     : : "r"(c.goal + k * (32 * TRM_STEPS_WIDE * (int)sizeof(real))), "l"(from)
                     : "memory");
}
#define TRM_INVARIANT(k, value) \
  (trm_send_invariant(trm_c, k, &(value)), trm_invariant(trm_c, k, value))
#else
#define TRM_INVARIANT(k, value) trm_invariant(trm_c, k, value)
#endif
#define TRM_INVARIANT_BITS(words, name) \
  const trm_bits name = trm_invariant_bits(trm_c, trm_inside ? (words)[trm_x / 32] : 0)
#undef TRM_ROW_HIDDEN
#undef TRM_ROW_KERNEL_
#undef TRM_ROW1
#undef TRM_ROW
#undef TRM_LEAVES
#undef TRM_FOLD
#undef TRM_FOLD_MAX
#define TRM_ROW_HIDDEN(P) const P p, const trm_extent trm_n, const trm_cell trm_c
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, access) \
  typedef P trm_##name##_params; \
  TRM_INLINE void trm_##name##_row signature
#define TRM_ROW1 \
  TRM_UNUSED const int trm_x = trm_c.x, trm_inside = trm_c.inside; \
  TRM_UNUSED trm_place trm_leaf = trm_c.leaf; \
  TRM_UNUSED real *trm_kept = trm_c.kept
#define TRM_ROW(row) TRM_ROW1; const int row = trm_c.y /* 32 bits: the plugin has looked at sizes */
#undef TRM_SOUTH
#undef TRM_NORTH
#define TRM_SOUTH(y) ((y) == 0 ? TRM_NY - 1 : (y) - 1)
#define TRM_NORTH(y) ((y) == TRM_NY - 1 ? 0 : (y) + 1)
#define TRM_LEAVES(name) real name = R(0.0)

/* A fold by shuffles costs every warp their delay before a barrier that all warps wait at. So the
 * values wait in shared memory. An idle warp goes through the kernel once more, without its cells,
 * an item for each leaf, and adds the values up in the same order. (D2Q9 at 4096^2 on an H200:
 * 111.8 thousand million updates a second, 106.7 by shuffles.) In tiles they wait for the end of
 * the launch. */
#if TRM_STEPS_FOLDS
#define TRM_S_FOLD_AS(fold, add) \
  TRM_INLINE real fold(const trm_place at) \
  { \
    real s[16]; \
    TRM_UNROLL for (int i = 0; i < 16; i++) { \
      const real a = trm_take(at + i * (int)sizeof(real)); \
      const real b = trm_take(at + (i + 16) * (int)sizeof(real)); \
      s[i] = add(a, b); \
    } \
    TRM_UNROLL for (int i = 0; i < 8; i++) s[i] = add(s[i], s[i + 8]); \
    TRM_UNROLL for (int i = 0; i < 4; i++) s[i] = add(s[i], s[i + 4]); \
    const real even = add(s[0], s[2]), odd = add(s[1], s[3]); \
    return add(even, odd); \
  }
#define TRM_S_PLUS(a, b) ((a) + (b))
TRM_S_FOLD_AS(trm_fold_values, TRM_S_PLUS)
TRM_S_FOLD_AS(trm_fold_values_max, trm_more)
#define TRM_S_FOLD(name, to, fold) \
  do { \
    if (trm_c.is_fold) (to)[trm_x / TRM_LEAF] = trm_kept ? *trm_kept : fold(trm_leaf); \
    else if (trm_kept) *trm_kept = name; \
    else if (trm_c.folds) trm_leave(trm_leaf, name); \
    if (trm_kept) trm_kept += TRM_STEPS_WIDE; \
    trm_leaf += trm_s_values; \
  } while (0)
#define TRM_FOLD(name, to) TRM_S_FOLD(name, to, trm_fold_values)
#define TRM_FOLD_MAX(name, to) TRM_S_FOLD(name, to, trm_fold_values_max)
#else
#define TRM_S_FOLD(value, to) \
  do { \
    if (trm_c.folds) { \
      const real trm_folded = value; \
      if (trm_inside && trm_x % TRM_LEAF == 0) (to)[trm_x / TRM_LEAF] = trm_folded; \
    } \
  } while (0)
#define TRM_FOLD(name, to) TRM_S_FOLD(trm_fold_leaf(name), to)
#define TRM_FOLD_MAX(name, to) TRM_S_FOLD(trm_fold_leaf_max(name), to)
#endif

#endif
