/* kernel_warps.h - strips of kernel_temporal.h in which a warp goes alone, for fields of few
 * components whose folds are maxima: it waits for no other. For CUDA.
 *
 * An item has TRM_STEPS_WIDE columns; the outermost trm_s_margin columns of a warp at either side
 * belong to its neighbours. For each launch t an item holds three rows in registers. The newest, to
 * the north, is the result of launch t - 1 in this tick, or comes from global memory. In the next
 * tick it is the row at hand, then the row to the south. Values beside an item's columns come from
 * the neighbouring items, by shuffles. Rows are counted from TRM_STEPS rows south of the group's
 * first own row. In tick n, row n of the field arrives, and launch t does row n - 1 - t. That is
 * right from tick 2 + 2 t on, and 1 + t columns from either end of the warp. Rows of the field, and
 * of arrays that no launch changes (TRM_INVARIANT), are on their way into shared memory for two
 * ticks. An item reads nothing there except the values that it sent for itself. Values that the
 * text makes of one cell alone (TRM_MEMO) are made where the cell's row is new, and held as long as
 * the row. A maximum does not depend on the order. It is taken over all rows of the group, and over
 * columns and rows of its neighbours too, whose bits are the same here. It goes to the leaves of
 * the group's first row that end in its columns; the leaves of other rows get 0. */
#ifndef TRM_KERNEL_WARPS_H
#define TRM_KERNEL_WARPS_H

enum {
  trm_s_own = TRM_STEPS_WIDE * (int)sizeof(real),    /* bytes of an item's columns */
  trm_s_strip = 32 * trm_s_own,                      /* of a row of one component */
  trm_s_ending = TRM_STEPS_WIDTH / TRM_LEAF + 2,     /* leaves at most that end in the columns */
  trm_s_ticks = 2 * TRM_STEPS                        /* before a group's own first row is done */
};
/* A row's place is a literal in every third tick, an invariant value's in every TRM_STEPS-th. */
typedef char trm_s_three[TRM_STEPS == 3 ? 1 : -1];
typedef char trm_s_filled[TRM_STEPS_WIDE * 32 == TRM_STEPS_WIDTH + 2 * trm_s_margin &&
                          trm_s_margin % TRM_STEPS_WIDE == 0 ? 1 : -1];

/* ---- columns ------------------------------------------------------------------------------ */

/* The columns beside an item's own, of values that each item has of its own. ptxas leaves out those
 * that nobody looks at. */
TRM_INLINE void trm_shuffle_columns(real *held)
{
  held[0] = __shfl_up_sync(0xffffffffu, held[TRM_STEPS_WIDE], 1);
  held[TRM_STEPS_WIDE + 1] = __shfl_down_sync(0xffffffffu, held[1], 1);
}

/* trm_more, as one instruction. */
TRM_INLINE real trm_most(const real a, const real b)
{
#if TRM_F64_KERNEL
  return trm_more(a, b);
#else
  real most;
  TRM_ASM("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
  return most;
#endif
}

/* ---- rows on their way -------------------------------------------------------------------- */

/* Sends for the item's columns of row y of the field. */
TRM_INLINE void trm_send(const trm_place to, const TRM_GLOBAL real *from,
                         const trm_temporal_layout layout, const int y)
{
  from += y * layout.row;
  TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++)
    TRM_ASM volatile("cp.async.ca.shared.global [%0], [%1], 2 * " TRM_S_BYTES ";"
                     : : "r"(to + k * trm_s_strip), "l"(from + k * layout.component) : "memory");
}
/* ... and for the invariant values of row y: the solver's text is gone through for where they
 * lie. */
#define TRM_SEND_INVARIANTS(place, row_y) \
  do { \
    real nothing[trm_s_row], spare[TRM_STEPS_FOLDS * TRM_STEPS_WIDE + 1]; \
    TRM_UNROLL for (int k = 0; k < trm_s_row; k++) nothing[k] = R(0.0); \
    TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++) { \
      const trm_cell trm_c = { x + c, row_y, 1, 0, 0, 0, spare + c, 1, 1, 1, 0, 0, 0, 1, \
                               (place) + TRM_STEPS_COMPONENTS * trm_s_strip + \
                                 c * (int)sizeof(real) }; \
      const trm_field trm_from = { 0, 0, 0, 0, x, 1, nothing + 1, nothing + 1, nothing + 1, \
                                   1, 1, 1 }; \
      const trm_field trm_to = { 0, 0, 0, 0, x, 1, 0, nothing + 1 }; \
      TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[0], trm_n, trm_c); \
    } \
  } while (0)
#define TRM_SENT TRM_ASM volatile("cp.async.commit_group;" : : : "memory")
#define TRM_ALL_BUT_LAST TRM_ASM volatile("cp.async.wait_group 1;" : : : "memory")

/* Takes one component's columns that have arrived. */
TRM_INLINE void trm_take_columns(real *to, const trm_place at)
{
  TRM_ASM volatile("ld.shared.v2." TRM_S_WORD " {%0, %1}, [%2];"
                   : "=" TRM_S_LETTER(to[0]), "=" TRM_S_LETTER(to[1]) : "r"(at) : "memory");
}

/* ---- ticks -------------------------------------------------------------------------------- */

/* Launch t of tick n, the j-th of three; off: a literal, 1 where no column and no row is at an edge
 * of the grid. */
#define TRM_WARPS_LAUNCH(t, j, off) \
  do { \
    real *const south = rows[t][(j) % 3], *const south_memo = memos[t][(j) % 3]; \
    real *const here = rows[t][((j) + 1) % 3], *const here_memo = memos[t][((j) + 1) % 3]; \
    real *const north = rows[t][((j) + 2) % 3], *const north_memo = memos[t][((j) + 2) % 3]; \
    real done[trm_s_row], kept[TRM_STEPS_FOLDS * TRM_STEPS_WIDE + 1]; \
    const int row_y = (off) || y > (t) ? y - 1 - (t) : y - 1 - (t) + TRM_NY; \
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++) { \
      trm_shuffle_columns(south + k * trm_s_held); \
      trm_shuffle_columns(here + k * trm_s_held); \
      trm_shuffle_columns(north + k * trm_s_held); \
    } \
    trm_shuffle_columns(south_memo); \
    trm_shuffle_columns(here_memo); \
    TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++) { \
      const trm_cell trm_c = { x + c, row_y, 1, 1, 0, 0, kept + c, (off) || c > 0, \
                               (off) || c + 1 < TRM_STEPS_WIDE, off, \
                               invariants[((j) + 2 - (t)) % 3] + c * trm_s_invariants }; \
      const trm_field trm_from = { 0, 0, 0, 0, x, 1, south + 1, here + 1, north + 1, 1, 1, 1, \
                                   south_memo + 1, here_memo + 1, north_memo + 1 }; \
      const trm_field trm_to = { 0, 0, 0, 0, x, 1, 0, done + 1 }; \
      TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[t], trm_n, trm_c); \
    } \
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_FOLDS; k++) { \
      TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++) \
        most[t][k] = trm_most(most[t][k], kept[k * TRM_STEPS_WIDE + c]); \
      if (n < 2 + 2 * (t)) most[t][k] = R(0.0); \
    } \
    if ((t) + 1 < TRM_STEPS) { \
      real *const next = rows[((t) + 1) % TRM_STEPS][((j) + 2) % 3]; \
      TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++) \
        TRM_UNROLL for (int c = 1; c <= TRM_STEPS_WIDE; c++) \
          next[k * trm_s_held + c] = done[k * trm_s_held + c]; \
    } else if (is_own && (unsigned int)(n - trm_s_ticks) < (unsigned int)own_h) { \
      TRM_GLOBAL real *const out = to + row_y * layout.row; \
      TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++) \
        trm_write(out + k * layout.component, done + (k * trm_s_held + 1), TRM_STEPS_WIDE); \
    } \
  } while (0)

/* Tick n, with row y: takes what has come, sends for the row after the next, and does the
 * launches. */
#define TRM_WARPS_TICK(j, off) \
  do { \
    const trm_place come = space + (j) % 3 * trm_s_bytes_of_row; \
    const trm_place goes = space + ((j) + 2) % 3 * trm_s_bytes_of_row; \
    const int next_y = y + 1 < TRM_NY ? y + 1 : 0; \
    TRM_ALL_BUT_LAST; \
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_COMPONENTS; k++) \
      trm_take_columns(rows[0][((j) + 2) % 3] + k * trm_s_held + 1, come + k * trm_s_strip); \
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_INVARIANTS; k++) { \
      real columns[TRM_STEPS_WIDE]; \
      trm_take_columns(columns, come + (TRM_STEPS_COMPONENTS + k) * trm_s_strip); \
      TRM_UNROLL for (int c = 0; c < TRM_STEPS_WIDE; c++) \
        invariants[((j) + 2) % 3][c * trm_s_invariants + k] = columns[c]; \
    } \
    trm_send(goes, from, layout, next_y + 1 < TRM_NY ? next_y + 1 : 0); \
    TRM_SEND_INVARIANTS(goes, next_y); \
    TRM_SENT; \
    TRM_WARPS_LAUNCH(0, j, off); \
    TRM_WARPS_LAUNCH(1, j, off); \
    TRM_WARPS_LAUNCH(2, j, off); \
    y = next_y; \
    n++; \
  } while (0)

TRM_STEPS_HEADING TRM_STEPS_NAME(TRM_STEPS_ARRAYS, const trm_temporal_params params,
                                 const trm_extent trm_n, const trm_temporal_layout layout,
                                 const trm_temporal_share share)
{
  TRM_STEPS_SPACE(whole);
  const trm_place space = whole + TRM_LOCAL_X * trm_s_own;
  const trm_post post = trm_posted(share, TRM_NX);
  const int x0 = post.strip * TRM_STEPS_WIDTH, y0 = TRM_STEPS_Y0(post.part * post.rows);
  const int own_w = TRM_NX - x0 < TRM_STEPS_WIDTH ? TRM_NX - x0 : TRM_STEPS_WIDTH;
  const int own_h = TRM_STEPS_OWN_H(post.part * post.rows, post.rows);
  const int seat = TRM_LOCAL_X * TRM_STEPS_WIDE - trm_s_margin, x = trm_around(x0 + seat, TRM_NX);
  const int is_own = seat >= 0 && seat < own_w;
  const int is_between = x0 > trm_s_margin && x0 + TRM_STEPS_WIDTH + trm_s_margin < TRM_NX;
  const TRM_GLOBAL real *const reads = TRM_STEPS_READS, *const from = reads + layout.first + x;
  TRM_GLOBAL real *const writes = TRM_STEPS_WRITES, *const to = writes + layout.first + x;
  real rows[TRM_STEPS][3][trm_s_row], memos[TRM_STEPS][3][trm_s_held];
  real invariants[3][TRM_STEPS_WIDE * trm_s_invariants], most[TRM_STEPS][TRM_STEPS_FOLDS + 1];
  int n = 0, y = trm_around(y0 - TRM_STEPS, TRM_NY);

  TRM_BEGIN;
  TRM_UNROLL for (int t = 0; t < TRM_STEPS; t++) {
    TRM_UNROLL for (int i = 0; i < 3; i++) {
      TRM_UNROLL for (int k = 0; k < trm_s_row; k++) rows[t][i][k] = R(0.0);
      TRM_UNROLL for (int k = 0; k < trm_s_held; k++) memos[t][i][k] = R(0.0);
    }
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_FOLDS; k++) most[t][k] = R(0.0);
  }
  TRM_UNROLL for (int i = 0; i < 3; i++)
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_WIDE * trm_s_invariants; k++)
      invariants[i][k] = R(0.0);
  /* the row before the first has no invariant values that count */
  trm_send(space, from, layout, y);
  TRM_SEND_INVARIANTS(space, y);
  TRM_SENT;
  trm_send(space + trm_s_bytes_of_row, from, layout, y + 1 < TRM_NY ? y + 1 : 0);
  TRM_SEND_INVARIANTS(space + trm_s_bytes_of_row, y);
  TRM_SENT;
  TRM_ROLL while (n < own_h + trm_s_ticks) {
    if (is_between && y > TRM_STEPS && y + 3 < TRM_NY) {
      TRM_WARPS_TICK(0, 1);
      TRM_WARPS_TICK(1, 1);
      TRM_WARPS_TICK(2, 1);
    } else {
      TRM_WARPS_TICK(0, 0);
      TRM_WARPS_TICK(1, 0);
      TRM_WARPS_TICK(2, 0);
    }
  }

#if TRM_STEPS_FOLDS
  const int end = x0 + own_w == TRM_NX ? TRM_LEAVES_OF(TRM_NX) : (x0 + own_w) / TRM_LEAF;
  TRM_UNROLL for (int t = 0; t < TRM_STEPS; t++) {
    TRM_UNROLL for (int k = 0; k < TRM_STEPS_FOLDS; k++)
      most[t][k] = __shfl_sync(0xffffffffu, trm_fold_leaf_max(is_own ? most[t][k] : R(0.0)), 0);
    for (int w = TRM_LOCAL_X; w < own_h * trm_s_ending; w += 32) {
      const int r = w / trm_s_ending, leaf = x0 / TRM_LEAF + w % trm_s_ending;
      real kept[TRM_STEPS_FOLDS * TRM_STEPS_WIDE];
      TRM_UNROLL for (int k = 0; k < TRM_STEPS_FOLDS; k++)
        kept[k * TRM_STEPS_WIDE] = r == 0 ? most[t][k] : R(0.0);
      const trm_cell trm_c = { leaf * TRM_LEAF, trm_onward_around(y0 + r, TRM_NY), 0, 0, 1, 0,
                               kept };
      const trm_field trm_from = { 0, 0, 0, 0, 0, 1 }, trm_to = trm_from;
      if (leaf < end) TRM_STEPS_ROW(TRM_STEPS_PASS, params.at[t], trm_n, trm_c);
    }
  }
#endif
}

#endif
