/* kernel_gpu.h - the part of the dialect (kernel.h) for OpenCL and CUDA: a cell or an item is a
 * work item. Its text is put into kernel.h's for the GPU compilers. */
#ifndef TRM_KERNEL_GPU_H
#define TRM_KERNEL_GPU_H

/* TRM_ACROSS, redefined before a text's kernels: 1 where neighbouring items go along y, and the
 * host launches ny x nx cells. Such a text folds nothing. */
#define TRM_ACROSS 0
#define TRM_NX (TRM_ACROSS ? trm_n.ny : trm_n.nx)
#define TRM_NY (TRM_ACROSS ? trm_n.nx : trm_n.ny)
#define TRM_NZ (trm_n.nz)
#define TRM_BY_SPAN 0
#define TRM_FIRST trm_x
#define TRM_FINAL trm_x
#define TRM_LINES(x) for (int x = 0; 0;)
#define TRM_RESIDENT 0
#define TRM_WEST(x) ((x) == 0 ? TRM_NX - 1 : (x) - 1)
#define TRM_EAST(x) ((x) == TRM_NX - 1 ? 0 : (x) + 1)

#if defined(TRM_CUDA)
/* TRM_READ_ONLY_LOADS: no launch of this program begins before its predecessor's end, so that what
 * a kernel only reads may be loaded through the non-coherent path. */
#if defined(TRM_READ_ONLY_LOADS)
#define TRM_COHERENT
#else
#define TRM_COHERENT volatile
#endif
#define TRM_OVERLAPPING 1
#define TRM_LOCAL_X ((int)threadIdx.x)
#define TRM_LOCAL_Y (TRM_ROW_GY == 1 ? 0 : (int)threadIdx.y)
#define TRM_BLOCK_X ((int)blockIdx.x)
#define TRM_BLOCK_Y ((int)blockIdx.y)
#define TRM_BLOCK_Z ((int)blockIdx.z)
#define TRM_BARRIER __syncthreads()
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, access) \
  extern "C" __global__ void \
  __launch_bounds__(TRM_ROW_ITEMS, TRM_RESIDENT / TRM_ROW_ITEMS) name signature
#define TRM_ROW_ITEMS (TRM_ROW_GX * TRM_ROW_GY)
typedef struct trm_no_shared { char none; } TRM_NO_SHARED;
/* trm_shared_NAME tells the plugin how much dynamic shared memory a group of this size needs. */
#define TRM_GROUP_KERNEL_(name, S, P, n, signature, access) \
  extern "C" { __device__ int trm_shared_##name = (int)(sizeof(S) > 1 ? sizeof(S) : 0); } \
  extern "C" __global__ void \
  __launch_bounds__(TRM_GROUP, TRM_RESIDENT / TRM_GROUP) name signature
#define TRM_SHARED(type, name) \
  extern __shared__ __align__(16) unsigned char trm_shared_bytes[]; \
  type &name = *reinterpret_cast<type *>(trm_shared_bytes)
/* A kernel may have been started while its predecessor still ran (programmatic dependent launch).
 * It waits here, before it touches memory, and lets its own successor start as early. */
#if __CUDA_ARCH__ >= 900 && !defined(TRM_READ_ONLY_LOADS)
#define TRM_BEGIN \
  TRM_ASM volatile("griddepcontrol.wait;" ::: "memory"); \
  TRM_ASM volatile("griddepcontrol.launch_dependents;" ::: "memory")
#else
#define TRM_BEGIN
#endif
#else
#define TRM_LOCAL_X ((int)get_local_id(0))
#define TRM_LOCAL_Y (TRM_ROW_GY == 1 ? 0 : (int)get_local_id(1))
#define TRM_BLOCK_X ((int)get_group_id(0))
#define TRM_BLOCK_Y ((int)get_group_id(1))
#define TRM_BLOCK_Z ((int)get_group_id(2))
#define TRM_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, access) \
  __kernel __attribute__((reqd_work_group_size(TRM_ROW_GX, TRM_ROW_GY, 1))) void name signature
#define TRM_GROUP_KERNEL_(name, S, P, n, signature, access) \
  __kernel __attribute__((reqd_work_group_size(TRM_GROUP, 1, 1))) void name signature
#define TRM_SHARED(type, name) __local type name __attribute__((aligned(16)))
#define TRM_BEGIN
#endif

/* TRM_BALLAST: the plugin gives each group local memory that nobody uses. */
#if defined(TRM_BALLAST)
#define TRM_GROUP_HIDDEN(P) const P p, const trm_extent trm_n, TRM_LOCAL uchar *trm_ballast
#else
#define TRM_GROUP_HIDDEN(P) const P p, const trm_extent trm_n
#endif
#define TRM_ROW_HIDDEN(P) TRM_GROUP_HIDDEN(P)

/* With several devices, each has its own rows of the grid, in three dimensions planes, or its own
 * groups. */
#if defined(TRM_CUT)
#define TRM_CUT_ROW (TRM_NZ == 1 ? trm_n.unused : 0)
#define TRM_CUT_PLANE (TRM_NZ == 1 ? 0 : trm_n.unused)
#define TRM_CUT_GROUP trm_n.unused
#else
#define TRM_CUT_GROUP 0
#define TRM_CUT_ROW 0
#define TRM_CUT_PLANE 0
#endif

/* The columns on either side of a group that the neighbouring group computes too, and the group's
 * own columns. A plugin counts a launch's groups by trm_own_columns (backend.h), which must
 * agree. */
#if defined(TRM_OVERLAPPING) && !defined(TRM_STEPS)
#define TRM_OVERLAPS (TRM_ROW_GX - 2 * TRM_OVERLAP < TRM_LEAF ? 0 : TRM_OVERLAP)
#else
#define TRM_OVERLAPS 0
#endif
#define TRM_ROW_OWN (TRM_ROW_GX - 2 * TRM_OVERLAPS)

/* The item's cell; an item outside the grid looks at the last row and touches no cell, nor does one
 * whose column is another group's. */
#define TRM_ROW1 \
  TRM_BEGIN; \
  const int trm_fast = TRM_BLOCK_X * TRM_ROW_OWN + TRM_LOCAL_X - TRM_OVERLAPS; \
  const int trm_slow = TRM_CUT_ROW + TRM_BLOCK_Y * TRM_ROW_GY + TRM_LOCAL_Y; \
  const int trm_x = TRM_ACROSS ? trm_slow : trm_fast; \
  const int trm_y = TRM_ACROSS ? trm_fast : trm_slow; \
  const int trm_inside = \
    trm_x < TRM_NX && trm_y < TRM_NY && \
    (TRM_OVERLAPS == 0 || (TRM_LOCAL_X >= TRM_OVERLAPS && \
                           TRM_LOCAL_X < TRM_ROW_GX - TRM_OVERLAPS))
#define TRM_ROW(y) \
  TRM_ROW1; \
  const trm_index y = trm_y < TRM_NY ? trm_y : TRM_NY - 1
#define TRM_ROW3(y, z) \
  TRM_ROW(y); \
  const trm_index z = TRM_CUT_PLANE + TRM_BLOCK_Z
#define TRM_CELLS(x) for (TRM_UNUSED int x = trm_x, trm_once = trm_inside; trm_once; trm_once = 0)
#define TRM_SERIAL_CELLS(x) TRM_CELLS(x)
/* These replace TRM_ROW and TRM_CELLS in text of a GPU alone: the launch covers whole groups, and
 * the arrays have room for them. No item asks whether its cell is one. */
#define TRM_ROW_OF_ALL(y) TRM_ROW1; const trm_index y = trm_y; (void)trm_inside
#define TRM_CELLS_OF_ALL(x) for (TRM_UNUSED int x = trm_x, trm_once = 1; trm_once; trm_once = 0)
#define TRM_WRAP_WEST(row)
#define TRM_WRAP_EAST(row)
#define TRM_WRAP(row, columns)
#define TRM_FLAGS(bytes, name) TRM_IN(uchar) name = (bytes)
#define TRM_FLAG(name, x) (name[x])
#define TRM_BITS(words, name) const trm_bits name = trm_inside ? (words)[trm_x / 32] : 0
#define TRM_BIT(name, x) ((trm_mask)(name >> ((x) % 32) & 1))

/* An item learns at TRM_MARKS whether it is marked. After the cells' stores, the load would be
 * waited for again: 10 % of a D2Q9 step in f32. Only marked items load the values that they alone
 * need. */
#define TRM_MARKS(words, ranks, name) \
  TRM_IN(trm_bits) name##_words = (words), *name##_ranks = (ranks); \
  const int name = trm_inside && name##_words[trm_x / 32] >> trm_x % 32 & 1
#define TRM_MARKED(name, x, i) \
  for (TRM_UNUSED int x = trm_x, trm_once = name, \
                      i = name ? trm_number(name##_words, name##_ranks, trm_x) : 0; \
       trm_once; trm_once = 0)
#if defined(TRM_CUDA)
#define TRM_COUNT_BITS(word) __popc(word)
#else
#define TRM_COUNT_BITS(word) ((int)popcount(word))
#endif
TRM_INLINE int trm_number(TRM_IN(trm_bits) words, TRM_IN(trm_bits) ranks, const int x)
{
  return (int)ranks[x / 32] + TRM_COUNT_BITS(words[x / 32] & (((trm_bits)1 << x % 32) - 1));
}

/* A leaf is 32 neighbouring items of one row: a warp on NVIDIA's hardware, else local memory.
 * Groups of another shape have none, and no folds. A text that says #define TRM_ANY_GROUP 1 may run
 * in them, 10 x 10 or 8 x 128: it folds nothing where TRM_HAS_LEAVES is 0. */
#define TRM_HAS_LEAVES (TRM_ROW_GX % TRM_LEAF == 0)
#define TRM_ADD(name, x) name
#if defined(TRM_NVIDIA)
#if defined(TRM_CUDA)
#define trm_shift_down(v, by) __shfl_down_sync(0xffffffffu, v, by)
#else
TRM_INLINE uint trm_shift_word(uint v, uint by)
{
  uint r;
  TRM_ASM volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(v), "r"(by));
  return r;
}
#if TRM_F64_KERNEL
TRM_INLINE double trm_shift_down(double v, uint by)
{
  const uint2 w = as_uint2(v);
  return as_double((uint2)(trm_shift_word(w.x, by), trm_shift_word(w.y, by)));
}
#else
TRM_INLINE float trm_shift_down(float v, uint by)
{
  return as_float(trm_shift_word(as_uint(v), by));
}
#endif
#endif
TRM_INLINE real trm_fold_leaf(real v)
{
  v += trm_shift_down(v, 16);
  v += trm_shift_down(v, 8);
  v += trm_shift_down(v, 4);
  v += trm_shift_down(v, 2);
  v += trm_shift_down(v, 1);
  return v;
}
#define TRM_LEAVES(name) real name = R(0.0)
#define TRM_FOLD(name, to) \
  do { \
    TRM_WHOLE_ROWS; \
    const real trm_sum = trm_fold_leaf(name); \
    if (trm_inside && trm_x % TRM_LEAF == 0) (to)[trm_x / TRM_LEAF] = trm_sum; \
  } while (0)
TRM_INLINE real trm_fold_leaf_max(real v)
{
  v = trm_more(v, trm_shift_down(v, 16));
  v = trm_more(v, trm_shift_down(v, 8));
  v = trm_more(v, trm_shift_down(v, 4));
  v = trm_more(v, trm_shift_down(v, 2));
  v = trm_more(v, trm_shift_down(v, 1));
  return v;
}
#define TRM_FOLD_MAX(name, to) \
  do { \
    const real trm_most = trm_fold_leaf_max(name); \
    if (trm_inside && trm_x % TRM_LEAF == 0) (to)[trm_x / TRM_LEAF] = trm_most; \
  } while (0)
#else
TRM_INLINE real trm_fold_leaf(const __local real *v)
{
  real s[16];
  for (int i = 0; i < 16; i++) s[i] = v[i] + v[i + 16];
  for (int i = 0; i < 8; i++) s[i] += s[i + 8];
  for (int i = 0; i < 4; i++) s[i] += s[i + 4];
  return (s[0] + s[2]) + (s[1] + s[3]);
}
#define TRM_LEAVES(name) \
  __local real trm_leaf_##name[TRM_ROW_GX * TRM_ROW_GY]; \
  real name = R(0.0)
#define TRM_FOLD(name, to) \
  do { \
    TRM_WHOLE_ROWS; \
    __local real *trm_mine = trm_leaf_##name + (TRM_LOCAL_Y * TRM_ROW_GX + TRM_LOCAL_X); \
    *trm_mine = name; \
    TRM_BARRIER; \
    if (trm_inside && trm_x % TRM_LEAF == 0) (to)[trm_x / TRM_LEAF] = trm_fold_leaf(trm_mine); \
  } while (0)
TRM_INLINE real trm_fold_leaf_max(const __local real *v)
{
  real s[16];
  for (int i = 0; i < 16; i++) s[i] = trm_more(v[i], v[i + 16]);
  for (int i = 0; i < 8; i++) s[i] = trm_more(s[i], s[i + 8]);
  for (int i = 0; i < 4; i++) s[i] = trm_more(s[i], s[i + 4]);
  return trm_more(trm_more(s[0], s[2]), trm_more(s[1], s[3]));
}
#define TRM_FOLD_MAX(name, to) \
  do { \
    __local real *trm_mine = trm_leaf_##name + (TRM_LOCAL_Y * TRM_ROW_GX + TRM_LOCAL_X); \
    *trm_mine = name; \
    TRM_BARRIER; \
    if (trm_inside && trm_x % TRM_LEAF == 0) (to)[trm_x / TRM_LEAF] = trm_fold_leaf_max(trm_mine); \
  } while (0)
#endif

#if !TRM_HAS_LEAVES
#undef TRM_FOLD
#undef TRM_FOLD_MAX
#endif

/* Neighbours on an axis that ends: the mirror image beyond an edge; an item outside the grid stays
 * within it. */
TRM_INLINE int trm_mirror(int i, const int n)
{
  i = i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
  return i < 0 ? 0 : i;
}
#define TRM_BESIDE(x, by) trm_mirror((x) + (by), TRM_NX)
#define TRM_BEYOND_WEST(x) ((x) < 0)
#define TRM_BEYOND_EAST(x) ((x) >= TRM_NX)
#define TRM_GHOST(row, at, value)
#define TRM_GHOSTS if (0)
#define TRM_STRIP(name) real name[9]
#define TRM_ON(name, x) name[(x) - trm_x + 4]
#if defined(TRM_NVIDIA)
#define TRM_UNROLL _Pragma("unroll") /* a strip is then registers */
#define TRM_UNROLL_FOUR _Pragma("unroll 4")
#define TRM_ROLL _Pragma("unroll 1")
#else
#define TRM_UNROLL
#define TRM_UNROLL_FOUR
#if defined(__clang__)
#define TRM_ROLL _Pragma("unroll 1")
#else
#define TRM_ROLL
#endif
#endif
/* TRM_SHARED_LEAVES(name) makes the room, then TRM_FOLD_BY_ONE(name, to, leaves of a row, add) is
 * TRM_FOLD by the group's first item alone: add(v) adds 32 shared values. Of a GPU alone. */
#if defined(TRM_CUDA)
#define TRM_GROUP_REALS(name, n) __shared__ real name[n]
#else
#define TRM_GROUP_REALS(name, n) __local real name[n]
#endif
#if TRM_HAS_LEAVES
#define TRM_SHARED_LEAVES(name) \
  TRM_GROUP_REALS(trm_all_##name, TRM_ROW_GX * TRM_ROW_GY); \
  TRM_LEAVES(name)
#else
#define TRM_SHARED_LEAVES(name) real name = R(0.0)
#endif
#define TRM_FOLD_BY_ONE(name, to, row_leaves, add) \
  do { \
    trm_all_##name[TRM_LOCAL_Y * TRM_ROW_GX + TRM_LOCAL_X] = name; \
    TRM_BARRIER; \
    if (TRM_LOCAL_X == 0 && TRM_LOCAL_Y == 0) \
      for (int trm_j = 0; trm_j < TRM_ROW_GY && trm_y + trm_j < TRM_NY; trm_j++) \
        for (int trm_i = 0; trm_i < TRM_ROW_GX && trm_x + trm_i < TRM_NX; trm_i += TRM_LEAF) \
          ((to) + trm_j * (row_leaves))[(trm_x + trm_i) / TRM_LEAF] = \
            add(trm_all_##name + (trm_j * TRM_ROW_GX + trm_i)); \
  } while (0)

#define TRM_REACH(x, west, east) \
  TRM_UNROLL for (int trm_k = -(west), x = trm_x - (west); trm_k <= (east); trm_k++, x++)
#define TRM_KEEP(name) real name = R(0.0)
#define TRM_KEPT(name, x) name

#define TRM_GROUP1(gx) TRM_BEGIN; const int gx = TRM_CUT_GROUP + TRM_BLOCK_X
#define TRM_GROUP2(gx, gy) TRM_GROUP1(gx), gy = TRM_BLOCK_Y
#define TRM_GROUP3(gx, gy, gz) TRM_GROUP2(gx, gy), gz = TRM_BLOCK_Z
#define TRM_PRIVATE(type, name) type name
#define TRM_OF(name, t) name
#define TRM_ITEMS(t) \
  for (TRM_UNUSED int t = TRM_LOCAL_X, trm_once = 1; trm_once; trm_once = 0, TRM_BARRIER)
#define TRM_EACH(i, n) \
  for (int trm_once = 1; trm_once; trm_once = 0, TRM_BARRIER) \
    for (int i = TRM_LOCAL_X; i < (n); i += TRM_GROUP)
#define TRM_EACH2(i, j, ni, nj) \
  for (int trm_once = 1; trm_once; trm_once = 0, TRM_BARRIER) \
    for (int j = TRM_LOCAL_X / 32; j < (nj); j += TRM_GROUP / 32) \
      for (int i = TRM_LOCAL_X % 32; i < (ni); i += 32)

/* For the last tenths of speed, in text of a GPU alone:
 *   TRM_APART(f)       the pointer f is the same for a group, and computed apart from what is added
 *                      to it: on the group's own path
 *   TRM_WHOLE_LEAVES   after TRM_ROW, where rows are a multiple of 32 cells: items outside end. So
 *                      NVIDIA's compiler sees no branch around the cells, and computes on the
 *                      group's own path what is the same for all
 *   TRM_RESIDENT       #undef and #define it before a kernel: as many items at least are to be on a
 *                      multiprocessor at once, which bounds their registers; 0: any
 * trm_high_halves(a, b) is the pair of 16-bit numbers of the high ones of a and b. */
#if defined(TRM_NVIDIA)
#define TRM_WHOLE_LEAVES if (!trm_inside) return
#undef trm_two_halves /* both at once */
TRM_INLINE trm_bits trm_two_halves(const real low, const real high)
{
  trm_bits pair;
  TRM_ASM("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"((float)high), "f"((float)low));
  return pair;
}
TRM_INLINE trm_bits trm_high_halves(const trm_bits a, const trm_bits b)
{
  trm_bits pair;
  TRM_ASM("prmt.b32 %0, %1, %2, 0x7632;" : "=r"(pair) : "r"(a), "r"(b));
  return pair;
}
#else
#define TRM_WHOLE_LEAVES
#define trm_high_halves(a, b) ((a) >> 16 | ((b) & 0xffff0000u))
#endif
#if defined(TRM_CUDA)
#define TRM_APART(f) TRM_ASM("" : "+l"(f)); __builtin_assume(__isGlobal(f))
#elif defined(TRM_NVIDIA)
#define TRM_APART(f) \
  do { \
    size_t trm_apart = (size_t)(f); \
    TRM_ASM volatile("" : "+l"(trm_apart)); \
    f = (__typeof__(f))trm_apart; \
  } while (0)
#else
#define TRM_APART(f)
#endif

/* TRM_FOLD4(a, to_a, b, to_b, c, to_c, d, to_d) is TRM_FOLD of four sums. On NVIDIA's the halves
 * of a warp first take a sum each, then its quarters: 6 shuffles for 20, the same order, one store.
 * Cell 0 of the warp has sum a, 8 c, 16 b, 24 d. */
#if defined(TRM_NVIDIA)
#if defined(TRM_CUDA)
#define trm_across(v, by) __shfl_xor_sync(0xffffffffu, v, by)
#else
TRM_INLINE uint trm_across_word(uint v, uint by)
{
  uint r;
  TRM_ASM volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(v), "r"(by));
  return r;
}
#if TRM_F64_KERNEL
TRM_INLINE double trm_across(double v, uint by)
{
  const uint2 w = as_uint2(v);
  return as_double((uint2)(trm_across_word(w.x, by), trm_across_word(w.y, by)));
}
#else
TRM_INLINE float trm_across(float v, uint by)
{
  return as_float(trm_across_word(as_uint(v), by));
}
#endif
#endif
/* With 2 * by neighbouring items, the first half continue with a, the second half with b. */
TRM_INLINE real trm_fold_two(const real a, const real b, const int is_other, const int by)
{
  return (is_other ? b : a) + trm_across(is_other ? a : b, by);
}
#define TRM_FOLD4(a, to_a, b, to_b, c, to_c, d, to_d) \
  do { \
    TRM_WHOLE_ROWS; \
    const int trm_other = trm_x & 16, trm_last = trm_x & 8; \
    real trm_sum = trm_fold_two(trm_fold_two(a, b, trm_other, 16), \
                                trm_fold_two(c, d, trm_other, 16), trm_last, 8); \
    trm_sum += trm_shift_down(trm_sum, 4); \
    trm_sum += trm_shift_down(trm_sum, 2); \
    trm_sum += trm_shift_down(trm_sum, 1); \
    TRM_OUT(real) trm_first = trm_last ? (to_c) : (to_a); \
    TRM_OUT(real) trm_second = trm_last ? (to_d) : (to_b); \
    if (trm_inside && trm_x % 8 == 0) \
      (trm_other ? trm_second : trm_first)[trm_x / TRM_LEAF] = trm_sum; \
  } while (0)
#else
#define TRM_FOLD4(a, to_a, b, to_b, c, to_c, d, to_d) \
  TRM_FOLD(a, to_a); \
  TRM_FOLD(b, to_b); \
  TRM_FOLD(c, to_c); \
  TRM_FOLD(d, to_d)
#endif

/* Forms that are measured, in text of a GPU alone. TRM_LARGEST_OF_WARPS(lane, v, count) is
 * TRM_LARGEST (kernel_group.h) by shuffles, on NVIDIA's. TRM_ATOMIC_MORE(place, v): the real at
 * `place` in memory becomes v where v is larger, by the atomic maximum. TRM_SWAP_MORE(place, v)
 * does so by compare and swap. Neither is negative, so their bits compare as integers do, and a
 * NaN is kept. TRM_HAS_MAX, TRM_HAS_SWAP: 1 where a device has it; in f64 OpenCL may lack each. */
#if defined(TRM_NVIDIA)
#define TRM_LARGEST_OF_WARPS(lane, v, count) \
  TRM_ITEMS(trm_i) { \
    real trm_most = R(0.0); \
    for (int trm_k = trm_i; trm_k < (count); trm_k += TRM_GROUP) \
      trm_most = trm_more(trm_most, (v)[trm_k]); \
    trm_most = trm_fold_leaf_max(trm_most); \
    if (trm_i % TRM_LEAF == 0) (lane)[trm_i / TRM_LEAF] = trm_most; \
  } \
  TRM_EACH(trm_i, TRM_LEAF) { \
    const real trm_most = \
      trm_fold_leaf_max(trm_i < TRM_GROUP / TRM_LEAF ? (lane)[trm_i] : R(0.0)); \
    if (trm_i == 0) (lane)[0] = trm_most; \
  }
#endif
#if defined(TRM_CUDA)
#if TRM_F64_KERNEL
typedef unsigned long long trm_pattern;
#define TRM_PATTERN(v) ((trm_pattern)__double_as_longlong(v))
#define TRM_OF_PATTERN(bits) __longlong_as_double((long long)(bits))
#else
typedef unsigned int trm_pattern;
#define TRM_PATTERN(v) __float_as_uint(v)
#define TRM_OF_PATTERN(bits) __uint_as_float(bits)
#endif
#define TRM_HAS_MAX 1
#define TRM_HAS_SWAP 1
#define TRM_ATOMIC_MAX(place, bits) atomicMax(place, bits)
#define TRM_ATOMIC_SWAP(place, seen, bits) atomicCAS(place, seen, bits)
#elif TRM_F64_KERNEL
#if defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define TRM_HAS_SWAP 1
#endif
#if defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define TRM_HAS_MAX 1
#endif
typedef ulong trm_pattern;
#define TRM_PATTERN(v) as_ulong(v)
#define TRM_OF_PATTERN(bits) as_double(bits)
#define TRM_ATOMIC_MAX(place, bits) atom_max(place, bits)
#define TRM_ATOMIC_SWAP(place, seen, bits) atom_cmpxchg(place, seen, bits)
#else
#define TRM_HAS_MAX 1
#define TRM_HAS_SWAP 1
typedef uint trm_pattern;
#define TRM_PATTERN(v) as_uint(v)
#define TRM_OF_PATTERN(bits) as_float(bits)
#define TRM_ATOMIC_MAX(place, bits) atomic_max(place, bits)
#define TRM_ATOMIC_SWAP(place, seen, bits) atomic_cmpxchg(place, seen, bits)
#endif
#define TRM_ATOMIC_MORE(place, v) \
  TRM_ATOMIC_MAX((TRM_GLOBAL trm_pattern *)(place), TRM_PATTERN(v))
#define TRM_SWAP_MORE(place, v) \
  do { \
    volatile TRM_GLOBAL trm_pattern *trm_place = (volatile TRM_GLOBAL trm_pattern *)(place); \
    trm_pattern trm_seen = *trm_place, trm_next = TRM_PATTERN(v); \
    for (; trm_next > trm_seen;) { \
      const trm_pattern trm_then = \
        TRM_ATOMIC_SWAP((TRM_GLOBAL trm_pattern *)(place), trm_seen, trm_next); \
      trm_next = trm_then == trm_seen ? trm_then : trm_next; \
      trm_seen = trm_then; \
    } \
  } while (0)
/* TRM_ATOMIC_ADD(place, v) adds to the real at `place`, in any order among items: by CUDA's own
 * instruction where there is one, in f64 from compute capability 6.0 on; else by compare and
 * swap. */
#if defined(TRM_CUDA) && (!TRM_F64_KERNEL || __CUDA_ARCH__ >= 600)
#define TRM_ATOMIC_ADD(place, v) atomicAdd(place, v)
#else
#define TRM_ATOMIC_ADD(place, v) \
  do { \
    volatile TRM_GLOBAL trm_pattern *trm_place = (volatile TRM_GLOBAL trm_pattern *)(place); \
    trm_pattern trm_seen = *trm_place, trm_then; \
    for (;;) { \
      trm_then = TRM_ATOMIC_SWAP((TRM_GLOBAL trm_pattern *)(place), trm_seen, \
                                 TRM_PATTERN(TRM_OF_PATTERN(trm_seen) + (v))); \
      if (trm_then == trm_seen) break; \
      trm_seen = trm_then; \
    } \
  } while (0)
#endif

/* TRM_ATOMIC_ADD_WHOLE(place, n) adds to the trm_index at `place`: its sums are the same in any
 * order. TRM_HAS_ADD_WHOLE: 1 where a device has it; OpenCL may lack it in both precisions. */
#if defined(TRM_CUDA)
#define TRM_HAS_ADD_WHOLE 1
#define TRM_ATOMIC_ADD_WHOLE(place, n) \
  atomicAdd((unsigned long long *)(place), (unsigned long long)(n))
#elif defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define TRM_HAS_ADD_WHOLE 1
#define TRM_ATOMIC_ADD_WHOLE(place, n) atom_add(place, n)
#endif

#define TRM_TABLE_BEGIN
#define TRM_TABLE(name)
#define TRM_TABLE_STEPS(name, P, from, to, components, first, row, component, is_scratch)
#define TRM_TABLE_EDGES(name, P, from, to, components, first, row, component, is_scratch, edges)
#define TRM_TABLE_END

#endif
