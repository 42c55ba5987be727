/* kernel.h - the kernel dialect: C that is at once C11, OpenCL C 1.2 and CUDA C++.
 *
 * A kernel is one C function of a .k file, written with the macros below. This header is included
 * before it by every compiler: ahead of time by the host's (one object an instance), at run time by
 * the GPU compilers (this file's text goes before the kernel's). docs/dialect.md teaches it.
 *
 * Row kernels: code that is uniform over a row, then loops over the row's cells.
 *
 *   TRM_ROW_KERNEL2(smooth, 1, smooth_params, TRM_RO(real) f, TRM_RW(real) g)
 *   {                                      halo 1: reads rows y-1 .. y+1, writes row y only
 *     TRM_ROW(y);                          always first; TRM_ROW3(y, z) in 3D, TRM_ROW1 in 1D
 *     TRM_IN(real) c = f + p.first + y * p.row;
 *     TRM_CELLS(x) { ... c[TRM_WEST(x)] ... }
 *     TRM_WRAP_WEST(g + p.first + y * p.row);   the host's ghost columns
 *     TRM_WRAP_EAST(g + p.first + y * p.row);
 *   }
 *
 * Group kernels: a group of TRM_GROUP items works in phases; the barrier is part of the phase.
 *
 *   TRM_GROUP_KERNEL2(nbody, nbody_tile, nbody_params, TRM_RO(real) x, TRM_RW(real) a)
 *   {
 *     TRM_GROUP1(gx);                      which group; TRM_GROUP2(gx, gy), TRM_GROUP3(gx, gy, gz)
 *     TRM_SHARED(nbody_tile, s);           one struct; TRM_NO_SHARED in the heading: none
 *     TRM_PRIVATE(real, sum);              one value an item, lives across phases
 *     TRM_ITEMS(t) { TRM_OF(sum, t) = R(0.0); }
 *     TRM_EACH(i, count) { ... }           a phase over any count
 *   }
 *
 * The file ends with TRM_TABLE_BEGIN, a TRM_TABLE(name) for each kernel, TRM_TABLE_END.
 * Strict kernels (docs/design.md) use + - * /, comparison, selection, integers and the trm_
 * functions below; contraction is written out as trm_fma. */
#ifndef TRM_KERNEL_H
#define TRM_KERNEL_H

/* ======== the target: a host instance, OpenCL or CUDA ==================================== */

#if !defined(TRM_OPENCL) && !defined(TRM_CUDA)
#define TRM_HOST 1
#endif

#if defined(TRM_HOST)
#include <math.h>
#include <string.h>
#include "trireme.h" /* beside this file, here and where it is installed */
typedef unsigned char uchar;
typedef uint32_t trm_bits;
typedef int64_t trm_index;
#define TRM_GLOBAL
#define TRM_LOCAL
#define TRM_CONSTANT static const
#define TRM_UNUSED __attribute__((unused))
#define TRM_INLINE static inline __attribute__((always_inline, unused))
#elif defined(TRM_CUDA)
typedef unsigned char uchar;
typedef unsigned int trm_bits;
typedef long long trm_index;
typedef struct trm_extent { int nx, ny, nz, unused; } trm_extent;
#define TRM_GLOBAL
#define TRM_LOCAL
#define TRM_CONSTANT static __constant__ const
#define TRM_UNUSED __attribute__((unused))
#define TRM_INLINE static __device__ __forceinline__ TRM_UNUSED
#define restrict __restrict__
#else
typedef uint trm_bits;
typedef long trm_index;
typedef struct trm_extent { int nx, ny, nz, unused; } trm_extent;
#define TRM_GLOBAL __global
#define TRM_LOCAL __local
#define TRM_CONSTANT __constant
#define TRM_UNUSED __attribute__((unused))
#if defined(__NV_CL_C_VERSION)
#define TRM_INLINE static inline
#else /* PoCL vectorises over the items of a group only what holds no call: D2Q9 gains 3.6 times */
#define TRM_INLINE static inline __attribute__((always_inline))
#endif
#if TRM_F64_KERNEL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if TRM_STRICT_KERNEL
#pragma OPENCL FP_CONTRACT OFF
#endif
#endif

/* ======== real numbers ==================================================================== */

/* R(0.5) is one literal of the program's precision, rounded once. trm_mask is an integer as wide
 * as real, so that a select between reals stays in one register width. */
#if TRM_F64_KERNEL
typedef double real;
#define R(literal) literal
#else
typedef float real;
#define R(literal) literal##f
#endif

#if defined(TRM_HOST)
#if TRM_F64_KERNEL
typedef int64_t trm_mask;
#define trm_sqrt(a) __builtin_sqrt(a)
#define trm_fma(a, b, c) __builtin_fma(a, b, c)
#define trm_rint(a) __builtin_rint(a)
#define trm_floor(a) __builtin_floor(a)
#define trm_fabs(a) __builtin_fabs(a)
#else
typedef int32_t trm_mask;
#define trm_sqrt(a) __builtin_sqrtf(a)
#define trm_fma(a, b, c) __builtin_fmaf(a, b, c)
#define trm_rint(a) __builtin_rintf(a)
#define trm_floor(a) __builtin_floorf(a)
#define trm_fabs(a) __builtin_fabsf(a)
#endif
#elif defined(TRM_CUDA)
typedef int trm_mask;
#if TRM_F64_KERNEL
#define trm_sqrt(a) sqrt(a)
#define trm_fma(a, b, c) fma(a, b, c)
#define trm_rint(a) rint(a)
#define trm_floor(a) floor(a)
#define trm_fabs(a) fabs(a)
#else
#define trm_sqrt(a) sqrtf(a)
#define trm_fma(a, b, c) fmaf(a, b, c)
#define trm_rint(a) rintf(a)
#define trm_floor(a) floorf(a)
#define trm_fabs(a) fabsf(a)
#endif
#else
typedef int trm_mask;
#define trm_sqrt(a) sqrt(a)
#define trm_fma(a, b, c) fma(a, b, c)
#define trm_rint(a) rint(a)
#define trm_floor(a) floor(a)
#define trm_fabs(a) fabs(a)
#endif

/* ======== arguments ======================================================================= */

/* Arrays that a kernel reads, or reads and writes; and pointers into them (a row), without the
 * promise of no aliasing, which belongs to a kernel's arguments alone. */
#if defined(TRM_CUDA) /* restrict would make loads non-coherent (ld.global.nc), which needs data that
                       * nobody writes while the kernel exists; it exists before its TRM_BEGIN */
#define TRM_RO(type) const type *
#else
#define TRM_RO(type) const TRM_GLOBAL type *restrict
#endif
#define TRM_RW(type) TRM_GLOBAL type *restrict
#define TRM_IN(type) const TRM_GLOBAL type *
#define TRM_OUT(type) TRM_GLOBAL type *

/* Neighbours on a periodic axis. Rows wrap by a select in uniform code; along x the host has ghost
 * columns (TRM_WRAP_WEST and TRM_WRAP_EAST fill them), a GPU selects. A split domain changes these
 * helpers only. */
#define TRM_SOUTH(y) ((y) == 0 ? (trm_index)TRM_NY - 1 : (y) - 1)
#define TRM_NORTH(y) ((y) == (trm_index)TRM_NY - 1 ? 0 : (y) + 1)
#define TRM_BELOW(z) ((z) == 0 ? (trm_index)TRM_NZ - 1 : (z) - 1)
#define TRM_ABOVE(z) ((z) == (trm_index)TRM_NZ - 1 ? 0 : (z) + 1)

/* Cells to a leaf of a sum: 32 consecutive cells of one row, folded by halves. */
#define TRM_LEAF 32
#define TRM_LEAVES_OF(nx) (((nx) + TRM_LEAF - 1) / TRM_LEAF)

/* ======== host ============================================================================ */
#if defined(TRM_HOST)

#define TRM_SPAN 512 /* cells of a row handled at once: leaves and masks of a span stay in L1 */
#define TRM_GROUP 64 /* items to a group on a host */

#define TRM_NX (trm_n->nx)
#define TRM_NY (trm_n->ny)
#define TRM_NZ (trm_n->nz)
#define TRM_ROW1 (void)trm_row
#define TRM_ROW(y) const trm_index y = trm_row
#define TRM_ROW3(y, z) const trm_index z = trm_row / TRM_NY, y = trm_row - z * TRM_NY
#define TRM_WEST(x) ((x) - 1)
#define TRM_EAST(x) ((x) + 1)

#if defined(TRM_REVERSE) /* cells, phases and spans backwards: a test of independence */
#define TRM_CELLS(x) for (int x = trm_end - 1; x >= trm_begin; x--)
#define TRM_COUNT(i, n) for (int i = (n) - 1; i >= 0; i--)
#define TRM_SPANS(nx) for (int trm_begin = ((nx) - 1) / TRM_SPAN * TRM_SPAN; trm_begin >= 0; \
                           trm_begin -= TRM_SPAN)
#define TRM_LAST_SPAN (trm_begin == 0)
#else
#define TRM_CELLS(x) _Pragma("omp simd") for (int x = trm_begin; x < trm_end; x++)
#define TRM_COUNT(i, n) _Pragma("omp simd") for (int i = 0; i < (n); i++)
#define TRM_SPANS(nx) for (int trm_begin = 0; trm_begin < (nx); trm_begin += TRM_SPAN)
#define TRM_LAST_SPAN (trm_end == TRM_NX)
#endif

/* Ghost columns of a finished row: the western one repeats the last cell, the eastern one the
 * first. A kernel fills those that its neighbours read. */
#define TRM_WRAP_WEST(row) do { if (TRM_LAST_SPAN) (row)[-1] = (row)[TRM_NX - 1]; } while (0)
#define TRM_WRAP_EAST(row) do { if (TRM_LAST_SPAN) (row)[TRM_NX] = (row)[0]; } while (0)

/* Flags, a byte a cell, widened once a span: TRM_FLAGS(solid_row, wall); TRM_FLAG(wall, x). The
 * row is read up to the next multiple of 64 cells; a trm_layout_rows of bytes has room for that. */
#define TRM_FLAGS(bytes, name) \
  trm_mask name[TRM_SPAN] __attribute__((aligned(64))); \
  trm_widen(name, (bytes) + trm_begin, trm_end - trm_begin)
#define TRM_FLAG(name, x) (name[(x) - trm_begin])
TRM_INLINE void trm_widen(trm_mask *to, const uchar *from, int n)
{
  for (int block = 0; block < n; block += 64)
    _Pragma("omp simd") for (int i = block; i < block + 64; i++) to[i] = from[i];
}

/* The same of flags that are a bit a cell, cell x in bit x % 32 of word x / 32 of the row:
 * TRM_BITS(solid_row, wall); TRM_BIT(wall, x). A warp of a GPU reads one word. */
#define TRM_BITS(words, name) \
  trm_mask name[TRM_SPAN] __attribute__((aligned(64))); \
  trm_spread(name, (words) + trm_begin / 32, trm_end - trm_begin)
#define TRM_BIT(name, x) (name[(x) - trm_begin])
TRM_INLINE void trm_spread(trm_mask *to, const trm_bits *from, int n)
{
  for (int block = 0; block < n; block += 32, from++) {
    trm_bits word = *from;
    __asm__("" : "+r"(word)); /* else clang vectorises across words with scatters: 20 % of a step */
    _Pragma("omp simd") for (int i = 0; i < 32; i++) to[block + i] = (trm_mask)(word >> i & 1);
  }
}

/* One value a cell, to be summed: TRM_LEAVES(speed); TRM_ADD(speed, x) = ...; TRM_FOLD(speed, to);
 * leaf l of the row goes to to[l]. Cells outside the row count +0. */
#define TRM_LEAVES(name) \
  real name[TRM_SPAN] __attribute__((aligned(64))); \
  trm_clear_tail(name, trm_end - trm_begin)
#define TRM_ADD(name, x) name[(x) - trm_begin]
#define TRM_FOLD(name, to) trm_fold(name, (to) + trm_begin / TRM_LEAF, trm_end - trm_begin)
TRM_INLINE void trm_clear_tail(real *leaves, int n)
{
  for (int i = n; i % TRM_LEAF != 0; i++) leaves[i] = R(0.0);
}
TRM_INLINE void trm_fold(const real *leaves, real *to, int n)
{
  for (int l = 0; l * TRM_LEAF < n; l++) {
    const real *v = leaves + l * TRM_LEAF;
    real s[8];
    _Pragma("omp simd") for (int i = 0; i < 8; i++)
      s[i] = (v[i] + v[i + 16]) + (v[i + 8] + v[i + 24]);
    to[l] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

/* The largest of one value a cell, in the same leaves (TRM_LEAVES, TRM_ADD): values are not
 * negative; cells outside the row count +0; a NaN is kept. */
#define TRM_FOLD_MAX(name, to) trm_fold_max(name, (to) + trm_begin / TRM_LEAF, trm_end - trm_begin)
TRM_INLINE real trm_more(const real a, const real b)
{
  const real most = b > a ? b : a;
  return b != b ? b : most;
}
TRM_INLINE void trm_fold_max(const real *leaves, real *to, int n)
{
  for (int l = 0; l * TRM_LEAF < n; l++) {
    const real *v = leaves + l * TRM_LEAF;
    real s[8];
    _Pragma("omp simd") for (int i = 0; i < 8; i++)
      s[i] = trm_more(trm_more(v[i], v[i + 16]), trm_more(v[i + 8], v[i + 24]));
    to[l] = trm_more(trm_more(trm_more(s[0], s[4]), trm_more(s[2], s[6])),
                     trm_more(trm_more(s[1], s[5]), trm_more(s[3], s[7])));
  }
}

/* A cell's neighbour on an axis that ends at the grid's edges: TRM_BESIDE(x, -2). Beyond an edge a
 * host finds ghost columns, which a kernel fills by TRM_GHOST(row, -1, value); a GPU finds the
 * mirror image, and TRM_BEYOND_WEST(x), TRM_BEYOND_EAST(x) tell it to change its sign and the like. */
#define TRM_BESIDE(x, by) ((x) + (by))
#define TRM_BEYOND_WEST(x) 0
#define TRM_BEYOND_EAST(x) 0
#define TRM_GHOST(row, at, value) do { if (TRM_LAST_SPAN) (row)[at] = (value); } while (0)

/* A strip: values along a row that reach beyond the cells at hand, computed once a cell on a host
 * and again by each item on a GPU. TRM_STRIP(u); TRM_REACH(x, 2, 2) { TRM_ON(u, x) = ...; } fills it
 * from two cells west to two cells east, at most 4; then TRM_CELLS(x) { ... TRM_ON(u, x + 1) ... }. */
#define TRM_STRIP_PAD (64 / (int)sizeof(real))
#define TRM_STRIP(name) real name[TRM_SPAN + 2 * TRM_STRIP_PAD] __attribute__((aligned(64)))
#define TRM_ON(name, x) name[(x) - trm_begin + TRM_STRIP_PAD]
#if defined(TRM_REVERSE)
#define TRM_REACH(x, west, east) for (int x = trm_end - 1 + (east); x >= trm_begin - (west); x--)
#else
#define TRM_REACH(x, west, east) \
  _Pragma("omp simd") for (int x = trm_begin - (west); x < trm_end + (east); x++)
#endif

/* One value a cell that lives from one loop over the cells to the next: TRM_KEEP(flux);
 * TRM_KEPT(flux, x) = ...; */
#define TRM_KEEP(name) real name[TRM_SPAN] __attribute__((aligned(64)))
#define TRM_KEPT(name, x) name[(x) - trm_begin]

/* A kernel is an inline function of one span of a row, called from a loop over rows and spans. */
#define TRM_ROW_HIDDEN(P) \
  TRM_UNUSED const P p, TRM_UNUSED const trm_extent *trm_n, TRM_UNUSED trm_index trm_row, \
  TRM_UNUSED int trm_begin, TRM_UNUSED int trm_end
#define TRM_ROW_PASS p, &trm_e, trm_row, trm_begin, trm_end
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, pass, c0, c1, c2, c3, c4, c5, c6, c7) \
  TRM_INLINE void trm_##name##_row signature; \
  TRM_FACTS(name, TRM_KERNEL_ROW, halo, n, P, 0, c0, c1, c2, c3, c4, c5, c6, c7) \
  static void name(const trm_extent *trm_n, int64_t begin, int64_t end, const void *params, \
                   void *const *b) \
  { \
    P p; \
    memcpy(&p, params, sizeof p); \
    const trm_extent trm_e = *trm_n; \
    for (trm_index trm_row = begin; trm_row < end; trm_row++) \
      TRM_SPANS(trm_e.nx) { \
        const int trm_left = trm_e.nx - trm_begin; \
        const int trm_end = trm_begin + (trm_left < TRM_SPAN ? trm_left : TRM_SPAN); \
        trm_##name##_row pass; \
      } \
  } \
  TRM_INLINE void trm_##name##_row signature

#define TRM_SHARED(type, name) type name
#define TRM_PRIVATE(type, name) type name[TRM_GROUP] __attribute__((aligned(64)))
#define TRM_OF(name, t) name[t]
#define TRM_ITEMS(t) TRM_COUNT(t, TRM_GROUP)
#define TRM_EACH(i, n) TRM_COUNT(i, n)
#define TRM_EACH2(i, j, ni, nj) for (int j = 0; j < (nj); j++) TRM_COUNT(i, ni)
typedef struct trm_no_shared { char none; } TRM_NO_SHARED;

#define TRM_GROUP1(gx) const int gx = (int)trm_g; (void)trm_n
#define TRM_GROUP2(gx, gy) \
  const int gx = (int)(trm_g % TRM_NX), gy = (int)(trm_g / TRM_NX)
#define TRM_GROUP3(gx, gy, gz) \
  const int gx = (int)(trm_g % TRM_NX), gy = (int)(trm_g / TRM_NX % TRM_NY), \
            gz = (int)(trm_g / TRM_NX / TRM_NY)

#define TRM_GROUP_HIDDEN(P) \
  TRM_UNUSED const P p, TRM_UNUSED const trm_extent *trm_n, TRM_UNUSED int64_t trm_g
#define TRM_GROUP_PASS p, &trm_e, trm_g
#define TRM_GROUP_KERNEL_(name, S, P, n, signature, pass, c0, c1, c2, c3, c4, c5, c6, c7) \
  static void trm_##name##_group signature; \
  TRM_FACTS(name, TRM_KERNEL_GROUP, -1, n, P, (sizeof(S) > 1 ? sizeof(S) : 0), c0, c1, c2, c3, c4, \
            c5, c6, c7) \
  static void name(const trm_extent *trm_n, int64_t begin, int64_t end, const void *params, \
                   void *const *b) \
  { \
    P p; \
    memcpy(&p, params, sizeof p); \
    const trm_extent trm_e = *trm_n; \
    for (int64_t trm_g = begin; trm_g < end; trm_g++) trm_##name##_group pass; \
  } \
  static void trm_##name##_group signature

/* What the table tells of a kernel, taken from its heading. */
#define TRM_FACTS(name, kind, halo, n, P, shared, c0, c1, c2, c3, c4, c5, c6, c7) \
  enum { trm_##name##_kind = kind, trm_##name##_halo = halo, trm_##name##_count = n, \
         trm_##name##_params = sizeof(P), trm_##name##_shared = (int)(shared) }; \
  static const char trm_##name##_access[] = { c0, c1, c2, c3, c4, c5, c6, c7, 0 };

#define TRM_TABLE_BEGIN static const trm_host_kernel trm_kernels[] = {
#define TRM_TABLE(name) \
  { #name, (trm_kernel_kind)trm_##name##_kind, trm_##name##_halo, trm_##name##_count, \
    trm_##name##_params, trm_##name##_shared, trm_##name##_access, name },
#define TRM_PASTE_MODULE(program, real_, math_, isa, variant) \
  trm_module_##program##_##real_##_##math_##_##isa##variant
#define TRM_MODULE_NAME(program, real_, math_, isa, variant) \
  TRM_PASTE_MODULE(program, real_, math_, isa, variant)
#define TRM_QUOTE(text) #text
#define TRM_QUOTED(text) TRM_QUOTE(text)
#if TRM_F64_KERNEL
#define TRM_REAL_WORD f64
#else
#define TRM_REAL_WORD f32
#endif
#if TRM_STRICT_KERNEL
#define TRM_MATH_WORD strict
#else
#define TRM_MATH_WORD fast
#endif
#if defined(TRM_VARIANT)
#define TRM_VARIANT_TEXT TRM_QUOTED(TRM_VARIANT)
#define TRM_PASTE_VARIANT(variant) _##variant
#define TRM_VARIANT_TAIL(variant) TRM_PASTE_VARIANT(variant)
#else
#define TRM_VARIANT_TEXT ""
#define TRM_VARIANT
#define TRM_VARIANT_TAIL(variant)
#endif
#define TRM_TABLE_END \
  }; \
  extern const trm_host_module TRM_MODULE_NAME(TRM_PROGRAM, TRM_REAL_WORD, TRM_MATH_WORD, TRM_ISA, \
                                               TRM_VARIANT_TAIL(TRM_VARIANT)); \
  const trm_host_module TRM_MODULE_NAME(TRM_PROGRAM, TRM_REAL_WORD, TRM_MATH_WORD, TRM_ISA, \
                                        TRM_VARIANT_TAIL(TRM_VARIANT)) = { \
    TRM_HOST_MODULE_ABI, TRM_QUOTED(TRM_PROGRAM), TRM_ISA_NAME, TRM_VARIANT_TEXT, \
    TRM_F64_KERNEL ? TRM_F64 : TRM_F32, TRM_STRICT_KERNEL ? TRM_STRICT : TRM_FAST, TRM_GROUP, \
    (int)(sizeof trm_kernels / sizeof trm_kernels[0]), trm_kernels };


/* ======== GPUs ============================================================================ */
#else

#define TRM_NX (trm_n.nx)
#define TRM_NY (trm_n.ny)
#define TRM_NZ (trm_n.nz)
#define TRM_WEST(x) ((x) == 0 ? TRM_NX - 1 : (x) - 1)
#define TRM_EAST(x) ((x) == TRM_NX - 1 ? 0 : (x) + 1)

#if defined(TRM_CUDA)
#define TRM_LOCAL_X ((int)threadIdx.x)
#define TRM_LOCAL_Y ((int)threadIdx.y)
#define TRM_BLOCK_X ((int)blockIdx.x)
#define TRM_BLOCK_Y ((int)blockIdx.y)
#define TRM_BLOCK_Z ((int)blockIdx.z)
#define TRM_BARRIER __syncthreads()
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, pass, c0, c1, c2, c3, c4, c5, c6, c7) \
  extern "C" __global__ void __launch_bounds__(TRM_ROW_GX * TRM_ROW_GY) name signature
typedef struct trm_no_shared { char none; } TRM_NO_SHARED;
/* trm_shared_NAME tells the plugin how much dynamic shared memory a group of this size needs. */
#define TRM_GROUP_KERNEL_(name, S, P, n, signature, pass, c0, c1, c2, c3, c4, c5, c6, c7) \
  extern "C" { __device__ int trm_shared_##name = (int)(sizeof(S) > 1 ? sizeof(S) : 0); } \
  extern "C" __global__ void __launch_bounds__(TRM_GROUP) name signature
#define TRM_SHARED(type, name) \
  extern __shared__ __align__(16) unsigned char trm_shared_bytes[]; \
  type &name = *reinterpret_cast<type *>(trm_shared_bytes)
/* A kernel may have been started while its predecessor still ran (programmatic dependent launch):
 * it waits here, before it touches memory; and lets its own successor start as early. */
#if __CUDA_ARCH__ >= 900
#define TRM_BEGIN \
  asm volatile("griddepcontrol.wait;" ::: "memory"); \
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory")
#else
#define TRM_BEGIN
#endif
#else
#define TRM_LOCAL_X ((int)get_local_id(0))
#define TRM_LOCAL_Y ((int)get_local_id(1))
#define TRM_BLOCK_X ((int)get_group_id(0))
#define TRM_BLOCK_Y ((int)get_group_id(1))
#define TRM_BLOCK_Z ((int)get_group_id(2))
#define TRM_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, pass, c0, c1, c2, c3, c4, c5, c6, c7) \
  __kernel __attribute__((reqd_work_group_size(TRM_ROW_GX, TRM_ROW_GY, 1))) void name signature
#define TRM_GROUP_KERNEL_(name, S, P, n, signature, pass, c0, c1, c2, c3, c4, c5, c6, c7) \
  __kernel __attribute__((reqd_work_group_size(TRM_GROUP, 1, 1))) void name signature
#define TRM_SHARED(type, name) __local type name
#define TRM_BEGIN
#endif

#define TRM_ROW_HIDDEN(P) const P p, const trm_extent trm_n
#define TRM_ROW_PASS
#define TRM_GROUP_HIDDEN(P) const P p, const trm_extent trm_n
#define TRM_GROUP_PASS

/* The item's cell; an item outside the grid looks at the last row and touches no cell. */
#define TRM_ROW1 \
  TRM_BEGIN; \
  const int trm_x = TRM_BLOCK_X * TRM_ROW_GX + TRM_LOCAL_X; \
  const int trm_y = TRM_BLOCK_Y * TRM_ROW_GY + TRM_LOCAL_Y; \
  const int trm_inside = trm_x < TRM_NX && trm_y < TRM_NY
#define TRM_ROW(y) \
  TRM_ROW1; \
  const trm_index y = trm_y < TRM_NY ? trm_y : TRM_NY - 1
#define TRM_ROW3(y, z) \
  TRM_ROW(y); \
  const trm_index z = TRM_BLOCK_Z
#define TRM_CELLS(x) for (TRM_UNUSED int x = trm_x, trm_once = trm_inside; trm_once; trm_once = 0)
#define TRM_WRAP_WEST(row)
#define TRM_WRAP_EAST(row)
#define TRM_FLAGS(bytes, name) TRM_IN(uchar) name = (bytes)
#define TRM_FLAG(name, x) (name[x])
#define TRM_BITS(words, name) const trm_bits name = trm_inside ? (words)[trm_x / 32] : 0
#define TRM_BIT(name, x) ((trm_mask)(name >> ((x) % 32) & 1))

/* A leaf is 32 neighbouring items of one row: a warp on NVIDIA's hardware, else local memory. */
#define TRM_ADD(name, x) name
TRM_INLINE real trm_more(const real a, const real b)
{
  const real most = b > a ? b : a;
  return b != b ? b : most;
}
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#if defined(TRM_CUDA)
#define trm_shift_down(v, by) __shfl_down_sync(0xffffffffu, v, by)
#else
TRM_INLINE uint trm_shift_word(uint v, uint by)
{
  uint r;
  __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(r) : "r"(v), "r"(by));
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
#define TRM_STRIP(name) real name[9]
#define TRM_ON(name, x) name[(x) - trm_x + 4]
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#define TRM_UNROLL _Pragma("unroll") /* a strip is then registers */
#else
#define TRM_UNROLL
#endif
#define TRM_REACH(x, west, east) \
  TRM_UNROLL for (int trm_k = -(west), x = trm_x - (west); trm_k <= (east); trm_k++, x++)
#define TRM_KEEP(name) real name = R(0.0)
#define TRM_KEPT(name, x) name

#define TRM_GROUP1(gx) TRM_BEGIN; const int gx = TRM_BLOCK_X
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

#define TRM_TABLE_BEGIN
#define TRM_TABLE(name)
#define TRM_TABLE_END

#endif

/* ======== headings: TRM_ROW_KERNELn(name, halo, params, n arrays) ========================= */
/*          TRM_GROUP_KERNELn(name, shared struct or TRM_NO_SHARED, params, n arrays)          */

#define TRM_LETTER(text) ((text)[5] == 'O' ? 'r' : 'w') /* TRM_RO or TRM_RW */

#define TRM_ROW_KERNEL1(name, halo, P, A0) \
  TRM_ROW_KERNEL_(name, halo, P, 1, (A0, TRM_ROW_HIDDEN(P)), \
    (b[0], TRM_ROW_PASS), \
    TRM_LETTER(#A0), 0, 0, 0, \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL2(name, halo, P, A0, A1) \
  TRM_ROW_KERNEL_(name, halo, P, 2, (A0, A1, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), 0, 0, \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL3(name, halo, P, A0, A1, A2) \
  TRM_ROW_KERNEL_(name, halo, P, 3, (A0, A1, A2, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), 0, \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL4(name, halo, P, A0, A1, A2, A3) \
  TRM_ROW_KERNEL_(name, halo, P, 4, (A0, A1, A2, A3, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL5(name, halo, P, A0, A1, A2, A3, A4) \
  TRM_ROW_KERNEL_(name, halo, P, 5, (A0, A1, A2, A3, A4, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), 0, 0, 0)
#define TRM_ROW_KERNEL6(name, halo, P, A0, A1, A2, A3, A4, A5) \
  TRM_ROW_KERNEL_(name, halo, P, 6, (A0, A1, A2, A3, A4, A5, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), 0, 0)
#define TRM_ROW_KERNEL7(name, halo, P, A0, A1, A2, A3, A4, A5, A6) \
  TRM_ROW_KERNEL_(name, halo, P, 7, (A0, A1, A2, A3, A4, A5, A6, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), 0)
#define TRM_ROW_KERNEL8(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7) \
  TRM_ROW_KERNEL_(name, halo, P, 8, (A0, A1, A2, A3, A4, A5, A6, A7, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), TRM_LETTER(#A7))
#define TRM_GROUP_KERNEL1(name, S, P, A0) \
  TRM_GROUP_KERNEL_(name, S, P, 1, (A0, TRM_GROUP_HIDDEN(P)), \
    (b[0], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), 0, 0, 0, \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL2(name, S, P, A0, A1) \
  TRM_GROUP_KERNEL_(name, S, P, 2, (A0, A1, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), 0, 0, \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL3(name, S, P, A0, A1, A2) \
  TRM_GROUP_KERNEL_(name, S, P, 3, (A0, A1, A2, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), 0, \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL4(name, S, P, A0, A1, A2, A3) \
  TRM_GROUP_KERNEL_(name, S, P, 4, (A0, A1, A2, A3, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL5(name, S, P, A0, A1, A2, A3, A4) \
  TRM_GROUP_KERNEL_(name, S, P, 5, (A0, A1, A2, A3, A4, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), 0, 0, 0)
#define TRM_GROUP_KERNEL6(name, S, P, A0, A1, A2, A3, A4, A5) \
  TRM_GROUP_KERNEL_(name, S, P, 6, (A0, A1, A2, A3, A4, A5, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), 0, 0)
#define TRM_GROUP_KERNEL7(name, S, P, A0, A1, A2, A3, A4, A5, A6) \
  TRM_GROUP_KERNEL_(name, S, P, 7, (A0, A1, A2, A3, A4, A5, A6, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), 0)
#define TRM_GROUP_KERNEL8(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7) \
  TRM_GROUP_KERNEL_(name, S, P, 8, (A0, A1, A2, A3, A4, A5, A6, A7, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), TRM_LETTER(#A7))

#endif
