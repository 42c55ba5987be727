/* kernel_strips.h - the part of the dialect (kernel.h) for row kernels that take rows one after the
 * other: what a row of cells leaves for its neighbours and for the next row.
 *
 * A launch's row is then a block of rows. In each turn a row is fetched, and becomes the row at
 * hand when the next one is fetched; strips reach up to four cells beyond the cells at hand. A host
 * computes each cell of a strip once, and so does a GPU with warps: strips lie in the group's
 * shared memory, its first items compute what lies beyond the group as well. A barrier ends each
 * TRM_SEE, so what stands around it is uniform in the group. Elsewhere an item computes the cells
 * about its own. The solver lists its strips once:
 *
 *   #define FLOW_STRIPS TRM_RING(h) TRM_WIDE(mass) TRM_OWN(edge) TRM_PASS(tilt)
 *   TRM_STRIPS(flow_strips, FLOW_STRIPS)            at file scope
 *   TRM_STRIPS_HERE(flow_strips, FLOW_STRIPS);      in the kernel
 *   TRM_TURNS(rows) { ... }                         the turns; TRM_TURN is the number of this one
 *   TRM_SEE(x, west, east) { ... }                  the cells at hand and so many beyond
 *   TRM_SEE_SERIAL(x, west, east) { ... }           the same for cells that branch
 *
 * and reads and writes them cell by cell:
 *
 *   TRM_RING(name)   TRM_PUT(name, x, value) and TRM_NEW(name, x): of the row that is fetched;
 *                    TRM_HERE(name, x): of the row at hand; TRM_STEP(name, x): that less the row
 *                    before, kept up by TRM_STEPPED(name, x) after its use, and in turn 1
 *   TRM_WIDE(name)   TRM_SEEN(name, x): neighbours read it
 *   TRM_OWN(name)    TRM_MINE(name, x): only its own cell does
 *   TRM_PASS(name)   TRM_NEXT(name, x) = ...: only the same cell in the next turn does, by
 *                    TRM_LAST(name, x); TRM_PASSED(name, x) after that
 *   TRM_EITHER(list) strips of which one is needed at a time: on a host they share memory
 *
 * TRM_NEW, TRM_MINE and those of TRM_PASS are for a cell at hand, the others for x + 1 and the like
 * too. Under TRM_BY_SPAN (kernel.h) a TRM_MINE reaches as far as its loop. TRM_COLUMN(x, last) is
 * x, or `last` for an item beyond the grid. TRM_TOGETHER(own, most): the turns of a block of own
 * rows where the items of a group must take as many as the longest block does. */
#ifndef TRM_KERNEL_STRIPS_H
#define TRM_KERNEL_STRIPS_H

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
#define TRM_NEW(name, x) TRM_SEEN(name[trm_turn % 3], x)
#define TRM_HERE(name, x) TRM_SEEN(name[(trm_turn + 2) % 3], x)
#define TRM_STEP(name, x) (TRM_HERE(name, x) - TRM_SEEN(name[(trm_turn + 1) % 3], x))
#define TRM_STEPPED(name, x)
#define TRM_NEXT(name, x) TRM_SEEN(name[trm_turn & 1], x)
#define TRM_LAST(name, x) TRM_SEEN(name[(trm_turn + 1) & 1], x)
#define TRM_PASSED(name, x)
#define TRM_SEE(x, west, east) TRM_REACH(x, west, east)
#define TRM_SEE_SERIAL(x, west, east) \
  for (int x = trm_begin - (west); x < trm_end + (east); x++)
#define TRM_COLUMN(x, last) (x)
#define TRM_TOGETHER(own, most) (own)

/* ---- a GPU --------------------------------------------------------------------------------- */
#else
#define TRM_STRIPS(kind, list)
#define TRM_STRIPS_HERE(kind, list) list
#define TRM_OWN(name) TRM_UNUSED real trm_own_##name = R(0.0);
#define TRM_PASS(name) TRM_OWN(name) TRM_UNUSED real trm_next_##name = R(0.0);
#define TRM_EITHER(list) list
#define TRM_MINE(name, x) trm_own_##name
#define TRM_HERE(name, x) TRM_SEEN_(trm_ring_##name[(trm_turn + 1) & 1], x)
#define TRM_STEP(name, x) trm_step_##name
#define TRM_STEPPED(name, x) trm_step_##name = TRM_NEW(name, x) - TRM_HERE(name, x)
#define TRM_NEXT(name, x) trm_next_##name
#define TRM_LAST(name, x) trm_own_##name
#define TRM_PASSED(name, x) trm_own_##name = trm_next_##name
#define TRM_SEE_SERIAL TRM_SEE
#define TRM_COLUMN(x, last) ((x) > (last) ? (last) : (x))
#define TRM_SEEN(name, x) TRM_SEEN_(trm_wide_##name, x)

/* One with warps: the newest row stays in registers too. OpenCL's functions have no such memory; */
#if defined(TRM_NVIDIA) && (defined(TRM_CUDA) || !defined(TRM_STEPS))
#if defined(TRM_CUDA)
#define TRM_GROUP_MEMORY __shared__
#define TRM_SYNC __syncthreads()
#else
#define TRM_GROUP_MEMORY __local
#define TRM_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define TRM_WIDE(name) TRM_GROUP_MEMORY real trm_wide_##name[TRM_ROW_GY][TRM_ROW_GX + 8];
#define TRM_SEEN_(strip, x) strip[TRM_LOCAL_Y][(x) - TRM_BLOCK_X * TRM_ROW_GX + 4]
#define TRM_RING(name) \
  TRM_GROUP_MEMORY real trm_ring_##name[2][TRM_ROW_GY][TRM_ROW_GX + 8]; \
  TRM_UNUSED real trm_new_##name = R(0.0), trm_step_##name = R(0.0);
#define TRM_PUT(name, x, value) \
  TRM_SEEN_(trm_ring_##name[trm_turn & 1], x) = trm_new_##name = (value)
#define TRM_NEW(name, x) trm_new_##name
#define TRM_BEYOND_(west) \
  (TRM_BLOCK_X * TRM_ROW_GX + \
   (TRM_LOCAL_X < (west) ? -1 - TRM_LOCAL_X : TRM_ROW_GX + TRM_LOCAL_X - (west)))
/* what lies beyond first, so that an item's registers end with its own cell */
#define TRM_SEE(x, west, east) \
  for (int trm_once = 1; trm_once; trm_once = 0, TRM_SYNC) \
    _Pragma("unroll 1") for (int trm_left = TRM_LOCAL_X < (west) + (east), \
                                 x = trm_left ? TRM_BEYOND_(west) : trm_x; \
                             trm_left >= 0; trm_left--, x = trm_x)
#define TRM_TOGETHER(own, most) (most)

/* and any other. */
#else
#define TRM_WIDE(name) TRM_UNUSED real trm_wide_##name[9];
#define TRM_SEEN_(strip, x) strip[(x) - trm_x + 4]
#define TRM_RING(name) \
  real trm_ring_##name[2][9]; \
  TRM_UNUSED real trm_step_##name = R(0.0);
#define TRM_PUT(name, x, value) TRM_NEW(name, x) = (value)
#define TRM_NEW(name, x) TRM_SEEN_(trm_ring_##name[trm_turn & 1], x)
#define TRM_SEE(x, west, east) TRM_REACH(x, west, east)
#define TRM_TOGETHER(own, most) (own)
#endif
#endif

#define TRM_TURNS(count) for (int trm_turn = 0; trm_turn < (count); trm_turn++)
#define TRM_TURN trm_turn

#endif
