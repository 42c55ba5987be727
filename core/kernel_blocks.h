/* kernel_blocks.h - the strips of kernel_temporal.h for fields of few components. An item takes
 * TRM_STEPS_WIDE x TRM_STEPS_TALL cells of its group's own columns, not one cell. Values that
 * neighbouring cells share then lie in its registers.
 *
 * An item holds the rows of its columns, from the row south of its cells to the row north of them.
 * TRM_GET in the solver's text finds them there. The compiler computes a value of such a cell (a
 * reciprocal, a flux) once for all cells that use it. Only the columns beside the item's own come
 * out of shared memory each time. The item's results go there a row at a time. An item also holds
 * the values that a cell reads of arrays that no launch changes (TRM_INVARIANT). A launch needs
 * only one row more of them than the launch before. The rows of the next tick are on their way
 * while the last launch of this tick is computed.
 *
 * Cells at an edge of the grid, rows at the begin and the end of a group's own, and the columns
 * beyond are done one by one. The schedule, its proof and the folds are those of
 * kernel_temporal.h. */
#ifndef TRM_KERNEL_BLOCKS_H
#define TRM_KERNEL_BLOCKS_H

enum { trm_s_abeam = TRM_STEPS_WIDTH / TRM_STEPS_WIDE }; /* items side by side */
typedef char trm_s_even[trm_s_abeam % 32 == 0 && TRM_STEPS_ROWS % TRM_STEPS_TALL == 0 ? 1 : -1];

/* ---- an item's columns in a row of one component ------------------------------------------- */

TRM_INLINE void trm_take_columns(real *to, const trm_place at)
{
#if defined(TRM_NVIDIA) && TRM_STEPS_WIDE == 2
  TRM_ASM volatile("ld.shared.v2." TRM_S_WORD " {%0, %1}, [%2];"
                   : "=" TRM_S_LETTER(to[0]), "=" TRM_S_LETTER(to[1]) : "r"(at));
#else
  TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++)
    to[c] = trm_take(at + c * (int)sizeof(real));
#endif
}
TRM_INLINE void trm_leave_columns(const trm_place at, const real *from)
{
#if defined(TRM_NVIDIA) && TRM_STEPS_WIDE == 2
  TRM_ASM volatile("st.shared.v2." TRM_S_WORD " [%0], {%1, %2};"
                   : : "r"(at), TRM_S_LETTER(from[0]), TRM_S_LETTER(from[1]));
#else
  TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++)
    trm_leave(at + c * (int)sizeof(real), from[c]);
#endif
}
TRM_INLINE void trm_hold(real *to, const trm_place at)
{
  TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++)
    trm_take_columns(to + (k * trm_s_held + 1), at + k * (trm_s_pitch * (int)sizeof(real)));
}
TRM_INLINE void trm_hold_beside(real *to, const trm_place at)
{
  TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++) {
    const trm_place row = at + k * (trm_s_pitch * (int)sizeof(real));
    to[k * trm_s_held] = trm_take(row - (int)sizeof(real));
    to[k * trm_s_held + trm_s_held - 1] = trm_take(row + TRM_STEPS_WIDE * (int)sizeof(real));
  }
}

/* ---- rows on their way ------------------------------------------------------------------- */

/* An item brings 16 bytes of a row, of every trm_s_abreast-th row of a tick and of every
 * trm_s_teams-th component. */
enum {
  trm_s_vectors = trm_s_pitch / trm_s_vector,
  trm_s_fitting = TRM_STEPS_ITEMS / trm_s_vectors,
  trm_s_abreast = trm_s_fitting >= TRM_STEPS_ROWS ? TRM_STEPS_ROWS
                  : TRM_STEPS_ROWS % 2 == 0 && trm_s_fitting >= TRM_STEPS_ROWS / 2
                      ? TRM_STEPS_ROWS / 2
                      : TRM_STEPS_ROWS % 4 == 0 && trm_s_fitting >= TRM_STEPS_ROWS / 4
                          ? TRM_STEPS_ROWS / 4 : 1,
  trm_s_party = trm_s_abreast * trm_s_vectors,
  trm_s_most_teams = TRM_STEPS_ITEMS / trm_s_party,
  trm_s_teams = trm_s_most_teams < TRM_STEPS_COMPONENTS ? trm_s_most_teams : TRM_STEPS_COMPONENTS
};
typedef char trm_s_all_travel[trm_s_most_teams > 0 ? 1 : -1];

typedef struct trm_porter {
  const TRM_GLOBAL real *from; /* its column in row 0 of its first component */
  trm_place low, to;           /* its column in ring 0's first line, and where its next row goes */
  int y, ny, row, team;        /* y, ny: of the grid; row: of those abreast */
} trm_porter;

/* The first `rows` rows from where the porter stands. */
TRM_INLINE void trm_fetch(const trm_porter p, const trm_temporal_layout layout, const int rows)
{
  TRM_UNROLL for (int i = 0; i < (rows + trm_s_abreast - 1) / trm_s_abreast; i++) {
    const int ahead = i * trm_s_abreast, y = p.y + ahead;
    const TRM_GLOBAL real *from = p.from + (y >= p.ny ? y - p.ny : y) * layout.row;
    const trm_place to = trm_onward(p.to, p.low, trm_s_first, ahead);
    TRM_UNROLL for (int k = 0; k < (TRM_STEPS_COMPONENTS + trm_s_teams - 1) / trm_s_teams; k++)
      if (p.team + k * trm_s_teams < TRM_STEPS_COMPONENTS && ahead + p.row < rows)
        trm_travel(to + k * (trm_s_teams * trm_s_pitch * (int)sizeof(real)),
                   from + k * trm_s_teams * layout.component);
  }
}
TRM_INLINE trm_porter trm_go_on(trm_porter p, const int rows)
{
  p.y = p.y + rows >= p.ny ? p.y + rows - p.ny : p.y + rows;
  p.to = trm_onward(p.to, p.low, trm_s_first, rows);
  return p;
}

/* ---- strips ------------------------------------------------------------------------------ */

/* Whether launches do the item's rows from q on, row y of the grid, as a block: all of them are its
 * group's own, and inside the grid. */
#define TRM_STEPS_IS_BLOCK(q, y) \
  (is_inner && inside && (q) >= 2 * trm_s_edge && (q) + TRM_STEPS_TALL - trm_s_edge <= own_h && \
   (y) >= TRM_STEPS && (y) + TRM_STEPS_TALL < TRM_NY)

/* Where those of row y + m of a tick are held. */
#define TRM_STEPS_SLOT(m) (((m) + TRM_STEPS * TRM_STEPS_TALL) % TRM_STEPS_TALL)

/* Launch t of the item's block, whose rows and columns are inside the grid and the group's own. The
 * values of the next row are asked for before a row is computed and left. */
#define TRM_STEPS_LINE(t, i) \
  (TRM_STEPS_RING(t) + ((t) == 0 ? ins[i] : ats[TRM_STEPS - (t) - 1 + (i)]))
#define TRM_STEPS_BLOCK_DO(t) \
  do { \
    real held[TRM_STEPS_TALL + 2][trm_s_row], south[TRM_STEPS_WIDE * trm_s_invariants]; \
    TRM_GLOBAL real *goal = out; \
    trm_hold(held[0], TRM_STEPS_LINE(t, 0)); \
    trm_hold(held[1], TRM_STEPS_LINE(t, 1)); \
    trm_hold_beside(held[1], TRM_STEPS_LINE(t, 1)); \
    trm_hold(held[2], TRM_STEPS_LINE(t, 2)); \
    if ((t) + 1 < TRM_STEPS) TRM_STEPS_ASK(t, y - (t) - 1, south, 0); \
    TRM_UNROLL for (int r = 0; r < TRM_STEPS_TALL; r++) { \
      const int row_y = y + (r - (t)); \
      real memo[trm_s_row], kept[TRM_STEPS_FOLDS * TRM_STEPS_WIDE + 1]; \
      if (r + 1 < TRM_STEPS_TALL) { \
        trm_hold_beside(held[r + 2], TRM_STEPS_LINE(t, r + 2)); \
        trm_hold(held[r + 3], TRM_STEPS_LINE(t, r + 3)); \
      } \
      TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++) { \
        const trm_cell trm_c = { x + c, row_y, 1, 1, 0, 0, kept + c, c > 0, \
                                 c + 1 < TRM_STEPS_WIDE, 1, \
                                 invariants[TRM_STEPS_SLOT(r - (t))] + c * trm_s_invariants, 0 }; \
        const trm_field trm_from = { 0, TRM_STEPS_LINE(t, r), TRM_STEPS_LINE(t, r + 1), \
                                     TRM_STEPS_LINE(t, r + 2), x, 1, held[r] + 1, \
                                     held[r + 1] + 1, held[r + 2] + 1, r > 0, 1, \
                                     r + 1 < TRM_STEPS_TALL }; \
        const trm_field trm_to = { 0, 0, 0, 0, x, 1, 0, memo + 1, 0, 0, 0, 0 }; \
        TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[t], trm_n, trm_c); \
      } \
      TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++) \
        if ((t) + 1 < TRM_STEPS) \
          trm_leave_columns(ats[TRM_STEPS - (t) + r] + \
                              (TRM_STEPS_RING((t) + 1) + k * (trm_s_pitch * (int)sizeof(real))), \
                            memo + (k * trm_s_held + 1)); \
        else \
          trm_write(goal + k * layout.component, memo + (k * trm_s_held + 1), TRM_STEPS_WIDE); \
      goal += layout.row; \
      TRM_UNROLL for (int k = 0; k < TRM_STEPS_FOLDS * TRM_STEPS_WIDE; k++) \
        trm_leave(leaf + (((t) * TRM_STEPS_FOLDS + k / TRM_STEPS_WIDE) * trm_s_values + \
                          r * (trm_s_chunks * trm_s_leaf) + \
                          k % TRM_STEPS_WIDE * (int)sizeof(real)), kept[k]); \
      if ((t) + 1 == TRM_STEPS && is_next) \
        TRM_STEPS_ASK(0, next_y + TRM_STEPS_SLOT(r - (t)), invariants[TRM_STEPS_SLOT(r - (t))], \
                      0); \
    } \
    if ((t) + 1 < TRM_STEPS) \
      TRM_UNROLL for (int k = 0; k < TRM_STEPS_WIDE * trm_s_invariants; k++) \
        invariants[TRM_STEPS_SLOT(-(t) - 1)][k] = south[k]; \
  } while (0)

/* Launch t of the item's cells one by one: those that later launches need. */
#define TRM_STEPS_CELLS_DO(t) \
  TRM_ROLL for (int i = 0; i < cells; i++) { \
    const int r = i / TRM_STEPS_WIDE, by = i % TRM_STEPS_WIDE * (int)sizeof(real); \
    const int most = q + r < q_end ? (q + r) / 2 + 1 : 0, row_y = y - (t) + r; \
    if ((t) < (most < reach ? most : reach)) { \
      const int depth = (t) == 0 ? trm_s_first : trm_s_depth; \
      const trm_place here = trm_onward((t) == 0 ? ins[1] : ats[TRM_STEPS - (t)], low, depth, r); \
      const trm_place to = trm_onward(ats[TRM_STEPS - (t)], low, trm_s_depth, r) + \
                           (by + TRM_STEPS_RING((t) + 1)); \
      const trm_place south = trm_southward(here, low, depth) + (by + TRM_STEPS_RING(t)); \
      const trm_place north = trm_onward(here, low, depth, 1) + (by + TRM_STEPS_RING(t)); \
      const trm_cell trm_c = { x + i % TRM_STEPS_WIDE, \
                               row_y < 0 ? row_y + TRM_NY : row_y >= TRM_NY ? row_y - TRM_NY \
                                                                            : row_y, \
                               inside, \
                               is_inner && (unsigned int)(q + r - (t) - trm_s_edge) < \
                                             (unsigned int)own_h, 0, \
                               leaf + ((t) * (TRM_STEPS_FOLDS * trm_s_values) + \
                                       r * (trm_s_chunks * trm_s_leaf) + by), 0, 0, 0, 0 }; \
      const trm_field trm_from = { 0, south, here + (by + TRM_STEPS_RING(t)), north, trm_c.x, 1, \
                                   0, 0, 0 }; \
      const trm_field trm_to = { writes, 0, to, 0, trm_c.x, (t) + 1 < TRM_STEPS, 0, 0, 0 }; \
      TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[t], trm_n, trm_c); \
    } \
  }

TRM_STEPS_HEADING TRM_STEPS_NAME(TRM_STEPS_ARRAYS, const trm_temporal_params params,
                                 const trm_extent trm_n, const trm_temporal_layout layout,
                                 const trm_temporal_share share)
{
  TRM_STEPS_SPACE(space);
  const int item = TRM_LOCAL_X, beyond = item - 32 * trm_s_inner;
  const trm_post post = trm_posted(share, TRM_NX);
  const int x0 = post.strip * TRM_STEPS_WIDTH, y0 = TRM_STEPS_Y0(post.part * post.rows);
  const int own_w = TRM_NX - x0 < TRM_STEPS_WIDTH ? TRM_NX - x0 : TRM_STEPS_WIDTH;
  const int own_h = TRM_STEPS_OWN_H(post.part * post.rows, post.rows);
  const int q_end = own_h + 2 * trm_s_edge;

  /* this item's seat: its first column, and its first row of each tick */
  const int is_inner = beyond < 0, side = beyond % (2 * trm_s_edge);
  const int seat = is_inner ? item % trm_s_abeam * TRM_STEPS_WIDE
                            : side < trm_s_edge ? side - trm_s_edge : own_w + side - trm_s_edge;
  const int row = is_inner ? item / trm_s_abeam * TRM_STEPS_TALL : beyond / (2 * trm_s_edge);
  const int away = is_inner ? 0 : seat < 0 ? -seat : seat - own_w + 1;
  const int reach = row < TRM_STEPS_ROWS ? TRM_STEPS - away : 0; /* launches that need its cells */
  const int cells = is_inner ? TRM_STEPS_WIDE * TRM_STEPS_TALL : reach > 0;
  const int inside = !is_inner || seat < own_w;
  const int x = is_inner ? x0 + seat : trm_around(x0 + seat, TRM_NX);
  const trm_place low = space + (trm_s_margin + seat) * (int)sizeof(real);
  int q = row, y = trm_around(y0 - trm_s_edge + row, TRM_NY);
  trm_place at = low + row * trm_s_line, in = at + trm_s_line;

  /* where its values wait for folds, and which leaf it folds itself */
  const trm_place values = space + trm_s_lines * trm_s_line;
  const trm_place leaf = values + (row * trm_s_chunks + seat / 32) * trm_s_leaf +
                         seat % 32 * (int)sizeof(real);
#if TRM_STEPS_FOLDS
  const int folder = item < 32 * (trm_s_warps - 1) ? trm_s_leaves : item % 32;
  int last = 0;
#endif

  const TRM_GLOBAL real *const reads = TRM_STEPS_READS;
  TRM_GLOBAL real *const writes = TRM_STEPS_WRITES;
  const int vector = item % trm_s_party % trm_s_vectors;
  trm_porter porter;
  porter.ny = TRM_NY;
  porter.team = item / trm_s_party;
  porter.row = item % trm_s_party / trm_s_vectors;
  porter.from = reads + layout.first + porter.team * layout.component +
                trm_around(x0 - trm_s_margin + vector * trm_s_vector, TRM_NX);
  porter.low = space + (porter.team * trm_s_pitch + vector * trm_s_vector) * (int)sizeof(real);
  porter.to = porter.low + porter.row * trm_s_line;
  porter.y = trm_around(y0 - trm_s_edge - 1 + porter.row, TRM_NY);
  const int fetches = porter.team < trm_s_teams;

  TRM_BEGIN;
  /* the R + 2 rows of the first tick; then the porter stands at the R rows of the second */
  if (fetches) trm_fetch(porter, layout, TRM_STEPS_ROWS);
  porter = trm_go_on(porter, TRM_STEPS_ROWS);
  if (fetches) trm_fetch(porter, layout, 2);
  porter = trm_go_on(porter, 2);
  trm_arrive();
  TRM_STEPS_BARRIER;

  real invariants[TRM_STEPS_TALL][TRM_STEPS_WIDE * trm_s_invariants];
  int is_block = 0; /* the first tick's rows are done one by one */
  for (int first = 0; first < q_end; first += TRM_STEPS_ROWS) {
    if (fetches && first + TRM_STEPS_ROWS < q_end) trm_fetch(porter, layout, TRM_STEPS_ROWS);
    const int next_y = y + TRM_STEPS_ROWS >= TRM_NY ? y + TRM_STEPS_ROWS - TRM_NY
                                                    : y + TRM_STEPS_ROWS;
    const int is_next = TRM_STEPS_IS_BLOCK(q + TRM_STEPS_ROWS, next_y);
    /* lines of ring 0 from row q - 1 on, and of the others from row q - TRM_STEPS on */
    trm_place ins[TRM_STEPS_TALL + 2], ats[TRM_STEPS_TALL + TRM_STEPS];
    ins[0] = trm_southward(in, low, trm_s_first);
    ins[1] = in;
    TRM_UNROLL for (int i = 2; i < TRM_STEPS_TALL + 2; i++)
      ins[i] = trm_onward(ins[i - 1], low, trm_s_first, 1);
    ats[TRM_STEPS] = at;
    TRM_UNROLL for (int i = TRM_STEPS - 1; i >= 0; i--)
      ats[i] = trm_southward(ats[i + 1], low, trm_s_depth);
    TRM_UNROLL for (int i = TRM_STEPS + 1; i < TRM_STEPS_TALL + TRM_STEPS; i++)
      ats[i] = trm_onward(ats[i - 1], low, trm_s_depth, 1);
    TRM_GLOBAL real *const out =
      writes + (layout.first + (y - (TRM_STEPS - 1)) * layout.row + x);
    TRM_UNROLL for (int t = 0; t < TRM_STEPS; t++) {
      if (is_block) TRM_STEPS_BLOCK_DO(t);
      else {
        TRM_STEPS_CELLS_DO(t)
        if (t + 1 == TRM_STEPS && is_next)
          TRM_UNROLL for (int r = 0; r < TRM_STEPS_TALL; r++)
            TRM_STEPS_ASK(0, next_y + r, invariants[r], 0);
      }
      if (t == TRM_STEPS - 2) trm_arrive();
      if (t < TRM_STEPS - 1 || TRM_STEPS_EVERY) TRM_STEPS_BARRIER;
#if TRM_STEPS_FOLDS
      if (t < TRM_STEPS - 1) TRM_STEPS_FOLD(t, first)
      if (t == 0) TRM_STEPS_FOLD(TRM_STEPS - 1, first - TRM_STEPS_ROWS)
#endif
    }
    q += TRM_STEPS_ROWS;
    y = next_y;
    is_block = is_next;
    at = trm_onward(at, low, trm_s_depth, TRM_STEPS_ROWS);
    in = trm_onward(in, low, trm_s_first, TRM_STEPS_ROWS);
    porter = trm_go_on(porter, TRM_STEPS_ROWS);
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
