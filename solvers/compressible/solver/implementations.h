/* implementations.h - the solver's implementations of a stage in other forms than fv_stage, with
 * its bits. */
#ifndef TRIREME_FV_IMPLEMENTATIONS_HOST_H
#define TRIREME_FV_IMPLEMENTATIONS_HOST_H

#include "solvers/framework/program.h"

typedef enum fv_form {         /* in the order of the choices of compressible.implementation */
  FV_FUSED,                    /* fv_stage */
  FV_TWO_KERNELS,              /* on blocks: fluxes to memory, then cells */
  FV_LISTS,                    /* the same on a list of faces and a list of cells; then as this: */
  FV_COPIED,                   /* arrays go to the device before each launch, and come back */
  FV_SIDE_ORDER,               /* cells gather in the order of the next */
  FV_PUSH_SIDES,               /* faces add to cells, a launch a side and axis (fv_push.k) */
  FV_PUSH_ATOMICS,             /* all at once, by atomic additions in any order */
  FV_PUSH_FIXED                /* the same in whole numbers, whose sums are the same in any order */
} fv_form;

enum { FV_MIRRORS = 9 };

typedef struct fv_implementation {
  fv_form form;                /* if it is FV_FUSED, all else is empty */
  trm_framework_program program, pushes;
  size_t face_count;           /* of the list */
  size_t first_face[4];        /* of each axis, and the end */
  trm_buffer *faces, *beside, *sides, *fluxes; /* fv_implementations.k */
  int structs;                 /* FV_STRUCTS of fv_implementations.h */
  trm_buffer *packed;          /* the state, a cell's values side by side */
  trm_buffer *rest;            /* fv_push.k; in whole numbers: */
  trm_buffer *whole, *most;
  void *mirrors[FV_MIRRORS];   /* of the arrays of FV_COPIED, on the host: now, next, q, ... */
  int has_mirrors;
} fv_implementation;

/* Numbers of kernels in the programs of fv_implementations.k and fv_push.k. */
enum { FV_KERNEL_LIST_FACES, FV_KERNEL_LIST_CELLS, FV_KERNEL_BLOCK_FACES, FV_KERNEL_BLOCK_CELLS,
       FV_KERNEL_PACK };
enum { FV_KERNEL_PUSH_SIDE, FV_KERNEL_PUSH_CELLS, FV_KERNEL_SIDE_CELLS, FV_KERNEL_WHOLE_CELLS,
       FV_KERNEL_PUSH_BOTH, FV_KERNEL_PUSH_MOST, FV_KERNEL_PUSH_WHOLE };

static inline int fv_is_listed(const fv_implementation *implementation)
{
  return implementation->form >= FV_LISTS;
}

/* Faces add their fluxes to sums in memory, as reals or as whole numbers. */
static inline int fv_is_pushed(const fv_implementation *implementation)
{
  return implementation->form >= FV_PUSH_SIDES;
}

static inline int fv_is_whole(const fv_implementation *implementation)
{
  return implementation->form == FV_PUSH_FIXED;
}

#endif
