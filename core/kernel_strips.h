/* kernel_strips.h - the part of the dialect (kernel.h) for row kernels that take rows in
 * succession. A row of cells keeps values for its neighbours and for the next row.
 *
 * A launch's row is then a block of rows. In each turn a row is fetched; it becomes the row at hand
 * when the next row is fetched. Strips reach up to four cells beyond the cells at hand. A host
 * computes each cell of a strip once, and so does a GPU with warps. There strips lie in the group's
 * shared memory, and its first items also compute the cells beyond the group. A barrier ends each
 * TRM_SEE, so the code around it is uniform in the group. Elsewhere an item computes the cells
 * about its own. The solver lists its strips once:
 *
 *   #define FLOW_STRIPS TRM_RING(h) TRM_WIDE(mass) TRM_OWN(edge) TRM_PASS(tilt)
 *   TRM_STRIPS(flow_strips, FLOW_STRIPS)            at file scope
 *   TRM_STRIPS_HERE(flow_strips, FLOW_STRIPS);      in the kernel
 *   TRM_ROW_LOOP(rows) { ... }    the iterations; TRM_ROW_STEP is the number of this one
 *   TRM_SEE(x, west, east) { ... }                  the cells at hand and so many beyond
 *   TRM_SEE_SERIAL(x, west, east) { ... }           the same for cells that branch
 *
 * and reads and writes them cell by cell:
 *
 *   TRM_RING(name)   TRM_PUT(name, x, value) and TRM_NEW(name, x): of the row that is fetched;
 *                    TRM_HERE(name, x): of the row at hand; TRM_STEP(name, x): that less the row
 *                    before, kept up by TRM_STEPPED(name, x) after its use, and in iteration 1
 *   TRM_WIDE(name)   TRM_SEEN(name, x): neighbours read it
 *   TRM_OWN(name)    TRM_MINE(name, x): only its own cell does
 *   TRM_PASS(name)   TRM_NEXT(name, x) = ...: only the same cell in the next iteration does, by
 *                    TRM_LAST(name, x); TRM_PASSED(name, x) after that
 *   TRM_EITHER(list) strips of which one is needed at a time: on a host they share memory
 *
 * TRM_NEW, TRM_MINE and those of TRM_PASS are for a cell at hand, the others for x + 1 and the like
 * too. Under TRM_BY_SPAN (kernel.h) a TRM_MINE reaches as far as its loop. TRM_COLUMN(x, last) is
 * x, or `last` for an item beyond the grid. TRM_UNIFORM_ROWS(own, most): the iterations of a block
 * of own rows where the items of a group must take as many as the longest block does.
 *
 * TRM_OVERLAP, defined anew before the kernel (kernel.h): the furthest that a TRM_SEE of it goes.
 * The items at either end of a GPU's group then take the columns beyond it, which belong to the
 * neighbouring groups. Each loop is one round, and each item has one column. Without it, the first
 * items of a group take the columns beyond it in an earlier round. */
#ifndef TRM_KERNEL_STRIPS_H
#define TRM_KERNEL_STRIPS_H

/* 1; refuses a loop that goes further than the overlap, where there is one. */
#define TRM_REACHES(west, east) \
  ((int)sizeof(char[TRM_OVERLAP && ((west) > TRM_OVERLAP || (east) > TRM_OVERLAP) ? -1 : 1]))

/* ---- a host -------------------------------------------------------------------------------- */
#if defined(TRM_HOST)

/* The strips lie in one struct, so that one register finds them all. */
#define TRM_STRIPS(kind, list) typedef struct TRM_ALIGNED(64) kind { list } kind;
#define TRM_STRIPS_HERE(kind, list) kind trm_strips
#define TRM_STRIP_CELLS (TRM_SPAN + 2 * TRM_STRIP_PAD)
#define TRM_RING(name) real name[3][TRM_STRIP_CELLS];
#define TRM_WIDE(name) real name[TRM_STRIP_CELLS];
#define TRM_OWN(name) real name[TRM_STRIP_CELLS];
#define TRM_PASS(name) real name[2][TRM_STRIP_CELLS];
#define TRM_EITHER(list) union { list };
#define TRM_SEEN(name, x) trm_strips.name[(x) - trm_begin + TRM_STRIP_PAD]
#define TRM_MINE(name, x) TRM_SEEN(name, x)
#define TRM_PUT(name, x, value) TRM_NEW(name, x) = (value)
#define TRM_NEW(name, x) TRM_SEEN(name[trm_row_step % 3], x)
#define TRM_HERE(name, x) TRM_SEEN(name[(trm_row_step + 2) % 3], x)
#define TRM_STEP(name, x) (TRM_HERE(name, x) - TRM_SEEN(name[(trm_row_step + 1) % 3], x))
#define TRM_STEPPED(name, x)
#define TRM_NEXT(name, x) TRM_SEEN(name[trm_row_step & 1], x)
#define TRM_LAST(name, x) TRM_SEEN(name[(trm_row_step + 1) & 1], x)
#define TRM_PASSED(name, x)
#define TRM_SEE(x, west, east) TRM_REACH(x, TRM_REACHES(west, east) * (west), east)
#define TRM_SEE_SERIAL(x, west, east) \
  for (int x = trm_begin - TRM_REACHES(west, east) * (west); x < trm_end + (east); x++)
#define TRM_COLUMN(x, last) (x)
#define TRM_UNIFORM_ROWS(own, most) (own)

/* ---- a GPU --------------------------------------------------------------------------------- */
#else
#define TRM_STEP(name, x) TRM_ITEM_(step, name)
#define TRM_STEPPED(name, x) TRM_ITEM_(step, name) = TRM_NEW(name, x) - TRM_HERE(name, x)
#define TRM_MINE(name, x) TRM_ITEM_(own, name)
#define TRM_NEXT(name, x) TRM_ITEM_(next, name)
#define TRM_LAST(name, x) TRM_ITEM_(own, name)
#define TRM_PASSED(name, x) TRM_ITEM_(own, name) = TRM_ITEM_(next, name)
#define TRM_EITHER(list) list
#define TRM_SEE_SERIAL TRM_SEE
#define TRM_COLUMN(x, last) ((x) > (last) ? (last) : (x))

/* A strip on a device with warps: the newest row stays in registers too. OpenCL's functions have no
 * such memory. One struct serves for the group's values in shared memory and for an item's values
 * in registers: so one register finds all strips. An item's column is number TRM_LOCAL_X + 4 of its
 * group's. */
#if defined(TRM_OVERLAPPING) && (defined(TRM_CUDA) || !defined(TRM_STEPS))
#if defined(TRM_CUDA)
#define TRM_GROUP_MEMORY __shared__
#define TRM_SYNC __syncthreads()
#else
#define TRM_GROUP_MEMORY __local
#define TRM_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define TRM_STRIPS(kind, list) typedef struct kind { list } kind;
#define TRM_STRIPS_HERE(kind, list) TRM_GROUP_MEMORY kind trm_strips; kind trm_item
#define TRM_RING(name) \
  real ring_##name[2][TRM_ROW_GY][TRM_ROW_GX + 8]; \
  real new_##name, step_##name;
#define TRM_WIDE(name) real wide_##name[TRM_ROW_GY][TRM_ROW_GX + 8];
#define TRM_OWN(name) real own_##name;
#define TRM_PASS(name) real own_##name, next_##name;
#define TRM_ITEM_(what, name) trm_item.what##_##name
#define TRM_SEEN_(strip, x) trm_strips.strip[TRM_LOCAL_Y][(x) - trm_x + TRM_LOCAL_X + 4]
#define TRM_SEEN(name, x) TRM_SEEN_(wide_##name, x)
#define TRM_HERE(name, x) TRM_SEEN_(ring_##name[(trm_row_step + 1) & 1], x)
#define TRM_PUT(name, x, value) \
  TRM_SEEN_(ring_##name[trm_row_step & 1], x) = trm_item.new_##name = (value)
#define TRM_NEW(name, x) trm_item.new_##name
/* With overlap an item has one column in all loops, and the columns beyond belong to other items.
 * Without it, the first items compute the columns beyond first, so that an item's registers end
 * with its own cell. */
#define TRM_BEYOND_(west) \
  (TRM_BLOCK_X * TRM_ROW_GX + \
   (TRM_LOCAL_X < (west) ? -1 - TRM_LOCAL_X : TRM_ROW_GX + TRM_LOCAL_X - (west)))
#define TRM_SEE(x, west, east) \
  for (int trm_once = TRM_REACHES(west, east); trm_once; trm_once = 0, TRM_SYNC) \
    _Pragma("unroll 1") for (int trm_left = !TRM_OVERLAPS && TRM_LOCAL_X < (west) + (east), \
                                 x = trm_left ? TRM_BEYOND_(west) : trm_x; \
                             trm_left >= 0; trm_left--, x = trm_x)
#define TRM_UNIFORM_ROWS(own, most) (most)

/* With overlap a group's largest value goes to all leaves that begin in its columns, the first of
 * them rounded down. So one group, which has 32 columns or more, writes each leaf once. */
#undef TRM_LEAVES
#undef TRM_FOLD_MAX
#define TRM_LEAVES(name) \
  TRM_UNUSED TRM_GROUP_MEMORY real trm_most_##name[TRM_ROW_GY][TRM_ROW_GX / 32]; \
  real name = R(0.0)
#define TRM_FOLD_MAX(name, to) \
  do { \
    real trm_most = trm_fold_leaf_max(name); \
    if (!TRM_OVERLAPS) { \
      if (trm_inside && trm_x % TRM_LEAF == 0) (to)[trm_x / TRM_LEAF] = trm_most; \
    } else { \
      const int trm_at = TRM_BLOCK_X * TRM_ROW_OWN, trm_next = trm_at + TRM_ROW_OWN; \
      const int trm_leaf = trm_at / TRM_LEAF + TRM_LOCAL_X; \
      TRM_SYNC; \
      if (TRM_LOCAL_X % 32 == 0) trm_most_##name[TRM_LOCAL_Y][TRM_LOCAL_X / 32] = trm_most; \
      TRM_SYNC; \
      for (int trm_w = 0; trm_w < TRM_ROW_GX / 32; trm_w++) \
        trm_most = trm_more(trm_most, trm_most_##name[TRM_LOCAL_Y][trm_w]); \
      if (trm_y < TRM_NY && \
          trm_leaf < (trm_next < TRM_NX ? trm_next / TRM_LEAF : TRM_LEAVES_OF(TRM_NX))) \
        (to)[trm_leaf] = trm_most; \
    } \
  } while (0)

/* and any other. */
#else
#define TRM_STRIPS(kind, list)
#define TRM_STRIPS_HERE(kind, list) list
#define TRM_RING(name) real trm_ring_##name[2][9]; TRM_UNUSED real trm_step_##name = R(0.0);
#define TRM_WIDE(name) TRM_UNUSED real trm_wide_##name[9];
#define TRM_OWN(name) TRM_UNUSED real trm_own_##name = R(0.0);
#define TRM_PASS(name) TRM_OWN(name) TRM_UNUSED real trm_next_##name = R(0.0);
#define TRM_ITEM_(what, name) trm_##what##_##name
#define TRM_SEEN_(strip, x) strip[(x) - trm_x + 4]
#define TRM_SEEN(name, x) TRM_SEEN_(trm_wide_##name, x)
#define TRM_HERE(name, x) TRM_SEEN_(trm_ring_##name[(trm_row_step + 1) & 1], x)
#define TRM_PUT(name, x, value) TRM_NEW(name, x) = (value)
#define TRM_NEW(name, x) TRM_SEEN_(trm_ring_##name[trm_row_step & 1], x)
#define TRM_SEE(x, west, east) TRM_REACH(x, west, east)
#define TRM_UNIFORM_ROWS(own, most) (own)
#endif
#endif

#define TRM_ROW_LOOP(count) for (int trm_row_step = 0; trm_row_step < (count); trm_row_step++)
#define TRM_ROW_STEP trm_row_step

#endif
