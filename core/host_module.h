/* host_module.h - a host instance of a kernel text, as the library finds it: the table that the
 * macros of kernel.h write.
 *
 * trireme.h declares more; kernel texts need this header alone. They include no other header of the
 * host, so that a change of another header compiles no kernel again (tests/core/depends.sh). */
#ifndef TRM_HOST_MODULE_H
#define TRM_HOST_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* ---- host instances of kernels ------------------------------------------- */

typedef enum trm_precision { TRM_F32, TRM_F64 } trm_precision;
typedef enum trm_math { TRM_STRICT, TRM_FAST } trm_math;
typedef enum trm_kernel_kind { TRM_KERNEL_ROW, TRM_KERNEL_GROUP } trm_kernel_kind;
enum { TRM_MAX_BUFFERS = 12, TRM_MAX_PARAM_BYTES = 256 };

/* How many cells (row kernel: nx cells in each of ny rows in each of nz planes) or groups
 * (group kernel: nx * ny * nz groups) a launch covers. All at least 1. Each fits an int. */
typedef struct trm_extent {
  int32_t nx, ny, nz, unused;
} trm_extent;

/* The function of a host instance of a kernel. Row kernels: rows [begin, end) of the ny * nz rows,
 * row = y + ny * z. Group kernels: groups [begin, end) of nx * ny * nz, x fastest. */
typedef void trm_host_fn(const trm_extent *extent, int64_t begin, int64_t end,
                         const void *params, void *const *buffers);

/* A row kernel whose successive launches step a field from one buffer to another and back, so that
 * a GPU may do several steps in one launch (docs/dialect.md; TRM_TABLE_STEPS). */
typedef struct trm_stepping {
  int from, to;                /* numbers of the kernel's buffers */
  int components;
  int index_bytes;             /* of the layout's numbers: 4 or 8 */
  int first, row, component;   /* where the parameters have the field's layout, in bytes */
  int is_scratch;              /* 1: nothing reads a state after its step, so the older of the two
                                * buffers need not hold the last state but one */
  int edges;                   /* where boundaries are, how many times as long the first and last
                                * columns of the grid take as other columns; 0 or 1: as long */
} trm_stepping;

/* One kernel of one host instance; written by the macros of kernel.h (TRM_KERNEL_TABLE). */
typedef struct trm_host_kernel {
  const char *name;
  trm_kernel_kind kind;
  int halo;                /* reads rows y-halo .. y+halo (of planes z-halo .. z+halo), writes row
                            * y; -1: no promise */
  int buffer_count;
  int param_bytes;
  int shared_bytes;        /* group kernels: shared memory of a group of this host instance */
  const char *access;      /* a letter a buffer: 'r' read only, 'w' read and written */
  trm_host_fn *run;
  const trm_stepping *steps; /* NULL: its launches are not combined */
  int overlap;             /* row kernels: columns on either side of a group that belong to the
                            * neighbouring group, on devices whose groups share memory
                            * (TRM_OVERLAP) */
} trm_host_kernel;

/* All kernels of a program, compiled for one (precision, math, variant, instruction set). */
typedef struct trm_host_module {
  uint32_t abi;            /* TRM_HOST_MODULE_ABI */
  const char *program;
  const char *isa;         /* "baseline", "x86-64-v3", "x86-64-v4", "reverse" */
  const char *variant;     /* "": the default; NAME: compiled with TRM_VARIANT_NAME defined as 1 */
  trm_precision precision;
  trm_math math;
  int group;               /* TRM_GROUP of this instance */
  int kernel_count;
  const trm_host_kernel *kernels;
} trm_host_module;
enum { TRM_HOST_MODULE_ABI = 5 };

#endif
