/* kernel.h - the kernel dialect: C that is at once C11, OpenCL C 1.2 and CUDA C++.
 *
 * A kernel is one C function of a .k file, written with the macros below. Every compiler reads this
 * header before the kernel. The host's compiler does so ahead of time, one object an instance. The
 * GPU compilers do so at run time: this file's text goes before the kernel's text, and the files of
 * its #include lines are put in place. Lines written "# include" are for the host alone.
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

/* TRM_ALIGNED(16) stands before a struct's name: its alignment in bytes. TRM_VOLATILE_LOAD(type,
 * element) reads an element of an array at an index that the kernel reads from another array. Where
 * NVRTC can prove that nobody writes the array, it would load the element through the non-coherent
 * path. A kernel that starts before its predecessor ends must not use that path. */

/* ======== the target: a host instance, OpenCL or CUDA ==================================== */

#if !defined(TRM_OPENCL) && !defined(TRM_CUDA)
#define TRM_HOST 1
#endif
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#define TRM_NVIDIA 1 /* by CUDA or by OpenCL: warps of 32, PTX */
#if defined(TRM_CUDA)
#define TRM_ASM asm
#else
#define TRM_ASM __asm__
#endif
#endif

#if defined(TRM_HOST)
#include <math.h>
#include <string.h>
# include "host_module.h" /* beside this file, here and where it is installed */
typedef unsigned char uchar;
typedef uint32_t trm_bits;
typedef int64_t trm_index;
#define TRM_GLOBAL
#define TRM_LOCAL
#define TRM_CONSTANT static const
#define TRM_UNUSED __attribute__((unused))
#define TRM_ALIGNED(bytes) __attribute__((aligned(bytes)))
#define TRM_VOLATILE_LOAD(type, element) (element)
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
#define TRM_ALIGNED(bytes) __align__(bytes)
#define TRM_VOLATILE_LOAD(type, element) (*(const TRM_COHERENT type *)&(element))
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
#define TRM_ALIGNED(bytes) __attribute__((aligned(bytes)))
#define TRM_VOLATILE_LOAD(type, element) (element)
#if defined(__NV_CL_C_VERSION)
#define TRM_INLINE static inline
#else /* PoCL vectorises over the items of a group only code without calls: D2Q9 gains 3.6 times */
#define TRM_INLINE static inline __attribute__((always_inline))
#endif
#if TRM_F64_KERNEL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if TRM_STRICT_KERNEL
#pragma OPENCL FP_CONTRACT OFF
#endif
#endif

#define TRM_IN_MEMORY(type, element) (*(volatile TRM_GLOBAL type *)&(element)) /* at each access */
/* ======== real numbers ==================================================================== */
/* R(0.5) is one literal of the program's precision, rounded once. The type trm_mask is an integer
 * as wide as real, so that a select between reals stays in one register width. */
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

/* Arrays that a kernel reads, or reads and writes; and pointers into them (a row). The pointers
 * promise no absence of aliasing; only a kernel's arguments do. */
#if defined(TRM_CUDA) && !defined(TRM_READ_ONLY_LOADS) /* restrict would make loads non-coherent
                       * (ld.global.nc). They need data that nobody writes while the kernel exists,
                       * and it exists before its TRM_BEGIN, if launches may overlap */
#define TRM_RO(type) const type *
#else
#define TRM_RO(type) const TRM_GLOBAL type *restrict
#endif
#define TRM_RW(type) TRM_GLOBAL type *restrict
#define TRM_IN(type) const TRM_GLOBAL type *
#define TRM_OUT(type) TRM_GLOBAL type *

/* Neighbours on a periodic axis; two cells away is TRM_WEST(TRM_WEST(x)). Rows wrap by a select in
 * uniform code; along x the host has ghost columns (TRM_WRAP fills them), a GPU selects. A split
 * domain changes these helpers only. */
#define TRM_SOUTH(y) ((y) == 0 ? (trm_index)TRM_NY - 1 : (y) - 1)
#define TRM_NORTH(y) ((y) == (trm_index)TRM_NY - 1 ? 0 : (y) + 1)
#define TRM_BELOW(z) ((z) == 0 ? (trm_index)TRM_NZ - 1 : (z) - 1)
#define TRM_ABOVE(z) ((z) == (trm_index)TRM_NZ - 1 ? 0 : (z) + 1)

/* A field that a kernel steps from one array to another: a GPU may do several steps in one launch
 * (TRM_TABLE_STEPS; docs/dialect.md has the rules). TRM_FROM and TRM_TO in the heading, rows of it
 * by TRM_LINE and its neighbours, a component's cell by TRM_GET and TRM_SET. Where a launch is one
 * step, these are pointers and subscripts. */
#if !defined(TRM_STEPS)
#define TRM_FROM(type) TRM_RO(type)
#define TRM_TO(type) TRM_RW(type)
#define TRM_LINE_IN(type) TRM_IN(type)
#define TRM_LINE_OUT(type) TRM_OUT(type)
#define TRM_LINE(f, first, row, y) ((f) + (first) + (y) * (row))
#define TRM_LINE_SOUTH(f, first, row, y) ((f) + (first) + TRM_SOUTH(y) * (row))
#define TRM_LINE_NORTH(f, first, row, y) ((f) + (first) + TRM_NORTH(y) * (row))
#define TRM_GET(line, k, component, x) (((line) + (trm_index)(k) * (component))[x])
#define TRM_SET(line, k, component, x, value) \
  (((line) + (trm_index)(k) * (component))[x] = (value))
#endif

/* TRM_BY_SPAN is 1 on a host: the code around a loop over cells runs once for a span of a row, and
 * TRM_CELLS is the loop. It is 0 on a GPU: all of it runs once for a cell. For schedules: several
 * short loops under if (TRM_BY_SPAN), one long body under if (!TRM_BY_SPAN). Every compiler reads
 * both arms; their bits are the same. TRM_FIRST and TRM_FINAL are the first and the last cell at
 * hand; TRM_LINES(x) visits the first cell of each cache line of a span, for trm_prefetch, and none
 * on a GPU. Before a loop, TRM_UNROLL, TRM_UNROLL_FOUR and TRM_ROLL ask a GPU's compiler to unroll
 * it wholly, by four, or not. */

/* Cells to a leaf of a sum: 32 consecutive cells of one row, folded by halves. */
#define TRM_LEAF 32
#define TRM_LEAVES_OF(nx) (((nx) + TRM_LEAF - 1) / TRM_LEAF)

/* TRM_OVERLAP, which a text redefines before a kernel with strips (kernel_strips.h): how many
 * columns on either side of a GPU's group belong to the neighbouring group. Both groups compute
 * them. A kernel with overlap folds no sums, whose leaves would have parts in two groups. */
#define TRM_OVERLAP 0
#define TRM_WHOLE_ROWS (void)sizeof(char[TRM_OVERLAP ? -1 : 1])

/* A single-precision number in memory, in programs of any precision. */
typedef float trm_single;

#include "kernel_math.h"

/* ======== loops, shared memory, reductions, headings ====================================== */

#if defined(TRM_HOST)
# include "kernel_host.h"
#else
#include "kernel_gpu.h"
#endif
#include "kernel_group.h"
#include "kernel_strips.h"
#if defined(TRM_STEPS)
#include "kernel_steps.h"
#endif
#include "kernel_headings.h"

#endif
