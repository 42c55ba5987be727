/* Where the HLLC kernel keeps what a row of cells leaves for its neighbours and for the next row.
 *
 * A row is fetched, and becomes the row at hand when the next one is fetched; strips reach two
 * cells beyond the cells at hand. A host computes each cell of a strip once, and so does a GPU with
 * warps: strips lie in the group's shared memory, its first items compute what lies beyond the
 * group as well. A barrier ends each reach, so what stands around it is uniform in the group.
 * Elsewhere an item computes the cells about its own.
 *
 *   SHALLOW_STRIPS;                 all of them, in a kernel
 *   SHALLOW_ON(name, x)             a strip's value at column x, or x + 1
 *   SHALLOW_KEPT(name, x)           one that only its own cell needs
 *   SHALLOW_PUT(name, x, value)     h, e, u, v, i of the row that is fetched,
 *   SHALLOW_NEW(name, x)            the same again,
 *   SHALLOW_AT(name, x)             of the row at hand,
 *   SHALLOW_STEP(name, x)           and that less the row before
 *   SHALLOW_NEXT(name, x)           written for the next row, which finds it as
 *   SHALLOW_LAST(name, x)
 *   SHALLOW_REACH(x, west, east)    a loop over the cells at hand and so many beyond */

/* ---- a host ---------------------------------------------------------------- */
#if defined(TRM_HOST)

/* The strips lie in one struct, so that one register finds them all; some take the place of
 * others that are no longer needed. Spans are short: 1.5 KiB a strip, in a core's first two
 * caches together. */
#undef TRM_SPAN
#define TRM_SPAN (1536 / (int)sizeof(real))
#define SHALLOW_STRIP(name) name[TRM_SPAN + 2 * TRM_STRIP_PAD]
typedef struct shallow_strips {
  struct {
    real SHALLOW_STRIP(h), SHALLOW_STRIP(e), SHALLOW_STRIP(u), SHALLOW_STRIP(v), SHALLOW_STRIP(i);
  } rows[3];
  struct { real SHALLOW_STRIP(edge_u), SHALLOW_STRIP(edge_v), SHALLOW_STRIP(tilt_y); } faces[2];
  real SHALLOW_STRIP(edge_h), SHALLOW_STRIP(edge_e), SHALLOW_STRIP(tilt_x);
  real SHALLOW_STRIP(below_mass), SHALLOW_STRIP(below_high), SHALLOW_STRIP(below_along);
  union { real SHALLOW_STRIP(west_h), SHALLOW_STRIP(depth_l), SHALLOW_STRIP(row_h); };
  union { real SHALLOW_STRIP(west_e), SHALLOW_STRIP(depth_r), SHALLOW_STRIP(row_u); };
  union { real SHALLOW_STRIP(west_u), SHALLOW_STRIP(south_u), SHALLOW_STRIP(row_v); };
  union { real SHALLOW_STRIP(west_v), SHALLOW_STRIP(south_v); };
  union { real SHALLOW_STRIP(east_h), SHALLOW_STRIP(face_l), SHALLOW_STRIP(mass); };
  union { real SHALLOW_STRIP(east_e), SHALLOW_STRIP(face_r), SHALLOW_STRIP(low); };
  union { real SHALLOW_STRIP(east_u), SHALLOW_STRIP(high); };
  union { real SHALLOW_STRIP(east_v), SHALLOW_STRIP(along); };
  real SHALLOW_STRIP(speed_l), SHALLOW_STRIP(speed_r);
} __attribute__((aligned(64))) shallow_strips;

#define SHALLOW_STRIPS shallow_strips strips
#define SHALLOW_ON(name, x) strips.name[(x) - trm_begin + TRM_STRIP_PAD]
#define SHALLOW_KEPT(name, x) SHALLOW_ON(name, x)
#define SHALLOW_PUT(name, x, value) SHALLOW_NEW(name, x) = (value)
#define SHALLOW_NEW(name, x) SHALLOW_ON(rows[turn % 3].name, x)
#define SHALLOW_AT(name, x) SHALLOW_ON(rows[(turn + 2) % 3].name, x)
#define SHALLOW_STEP(name, x) (SHALLOW_AT(name, x) - SHALLOW_ON(rows[(turn + 1) % 3].name, x))
#define SHALLOW_NEXT(name, x) SHALLOW_ON(faces[turn & 1].name, x)
#define SHALLOW_LAST(name, x) SHALLOW_ON(faces[(turn + 1) & 1].name, x)
#define SHALLOW_REACH(x, west, east) TRM_REACH(x, west, east)
/* The few rows beyond the grid have branches that no simd loop can have. */
#define SHALLOW_EDGE_REACH(x, west, east) \
  for (int x = trm_begin - (west); x < trm_end + (east); x++)
#define SHALLOW_COLUMN(x) (x)
#define SHALLOW_ROWS (y0 + p.rows < p.ny ? p.rows : p.ny - y0)

/* A host asks for the next row, since a core's own prefetcher starts anew with each short span, and
 * for the row that it will write next. */
#define SHALLOW_ASK_NEXT(from, bed, to) \
  for (int x = trm_begin; x < trm_end; x += TRM_STRIP_PAD) { \
    trm_prefetch(SHALLOW_H(from) + x); \
    trm_prefetch(SHALLOW_HU(from) + x); \
    trm_prefetch(SHALLOW_HV(from) + x); \
    trm_prefetch((bed) + x); \
    trm_prefetch(SHALLOW_H(to) + x); \
    trm_prefetch(SHALLOW_HU(to) + x); \
    trm_prefetch(SHALLOW_HV(to) + x); \
  }

/* ---- a GPU ----------------------------------------------------------------- */
#else
#define SHALLOW_STRIPS \
  SHALLOW_PAIR(rows_h); SHALLOW_PAIR(rows_e); SHALLOW_PAIR(rows_u); SHALLOW_PAIR(rows_v); \
  SHALLOW_PAIR(rows_i); \
  SHALLOW_STRIP(west_h); SHALLOW_STRIP(west_e); SHALLOW_STRIP(west_u); SHALLOW_STRIP(west_v); \
  SHALLOW_STRIP(east_h); SHALLOW_STRIP(east_e); SHALLOW_STRIP(east_u); SHALLOW_STRIP(east_v); \
  SHALLOW_STRIP(mass); SHALLOW_STRIP(low); SHALLOW_STRIP(high); SHALLOW_STRIP(along); \
  SHALLOW_STRIP(tilt_x); \
  TRM_KEEP(step_h); TRM_KEEP(step_e); TRM_KEEP(step_u); TRM_KEEP(step_v); \
  TRM_KEEP(depth_l); TRM_KEEP(depth_r); TRM_KEEP(speed_l); TRM_KEEP(speed_r); \
  TRM_KEEP(south_u); TRM_KEEP(south_v); TRM_KEEP(edge_h); TRM_KEEP(edge_e); \
  TRM_KEEP(edge_u); TRM_KEEP(edge_v); TRM_KEEP(tilt_y); \
  TRM_KEEP(edge_u_next); TRM_KEEP(edge_v_next); TRM_KEEP(tilt_y_next); \
  TRM_KEEP(below_mass); TRM_KEEP(below_high); TRM_KEEP(below_along); \
  TRM_KEEP(row_h); TRM_KEEP(row_u); TRM_KEEP(row_v)
#define SHALLOW_KEPT(name, x) TRM_KEPT(name, x)
#define SHALLOW_AT(name, x) SHALLOW_ON(rows_##name[(turn + 1) & 1], x)
#define SHALLOW_STEP(name, x) TRM_KEPT(step_##name, x)
#define SHALLOW_NEXT(name, x) TRM_KEPT(name##_next, x)
#define SHALLOW_LAST(name, x) TRM_KEPT(name, x)
#define SHALLOW_EDGE_REACH SHALLOW_REACH
#define SHALLOW_COLUMN(x) ((x) > TRM_NX + 1 ? TRM_NX + 1 : (x)) /* items beyond the grid */
#define SHALLOW_ASK_NEXT(from, bed, to)

/* One with warps, where the newest row stays in registers too; */
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#if defined(TRM_CUDA)
#define SHALLOW_SHARED __shared__
#define SHALLOW_SYNC __syncthreads()
#else
#define SHALLOW_SHARED __local
#define SHALLOW_SYNC barrier(CLK_LOCAL_MEM_FENCE)
#endif
#define SHALLOW_STRIP(name) SHALLOW_SHARED real name[TRM_ROW_GY][TRM_ROW_GX + 8]
#define SHALLOW_ON(name, x) name[TRM_LOCAL_Y][(x) - TRM_BLOCK_X * TRM_ROW_GX + 4]
#define SHALLOW_PAIR(name) \
  SHALLOW_SHARED real name[2][TRM_ROW_GY][TRM_ROW_GX + 8]; \
  TRM_UNUSED real name##_new = R(0.0)
#define SHALLOW_PUT(name, x, value) \
  SHALLOW_ON(rows_##name[turn & 1], x) = rows_##name##_new = (value)
#define SHALLOW_NEW(name, x) rows_##name##_new
#define SHALLOW_BEYOND(west) \
  (TRM_BLOCK_X * TRM_ROW_GX + \
   (TRM_LOCAL_X < (west) ? -1 - TRM_LOCAL_X : TRM_ROW_GX + TRM_LOCAL_X - (west)))
/* what lies beyond first, so that an item's registers end with its own cell */
#define SHALLOW_REACH(x, west, east) \
  for (int trm_once = 1; trm_once; trm_once = 0, SHALLOW_SYNC) \
    _Pragma("unroll 1") for (int trm_left = TRM_LOCAL_X < (west) + (east), \
                                 x = trm_left ? SHALLOW_BEYOND(west) : trm_x; \
                             trm_left >= 0; trm_left--, x = trm_x)
#define SHALLOW_ROWS p.rows

/* and any other. */
#else
#define SHALLOW_STRIP(name) TRM_STRIP(name)
#define SHALLOW_ON(name, x) TRM_ON(name, x)
#define SHALLOW_PAIR(name) real name[2][9]
#define SHALLOW_PUT(name, x, value) SHALLOW_NEW(name, x) = (value)
#define SHALLOW_NEW(name, x) SHALLOW_ON(rows_##name[turn & 1], x)
#define SHALLOW_REACH(x, west, east) TRM_REACH(x, west, east)
#define SHALLOW_ROWS (y0 + p.rows < p.ny ? p.rows : p.ny - y0)
#endif
#endif
