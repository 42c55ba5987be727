/* implementations.h - the solver's implementations of a stage in other forms than fv_stage, with
 * its bits. */
#ifndef TRIREME_FV_IMPLEMENTATIONS_HOST_H
#define TRIREME_FV_IMPLEMENTATIONS_HOST_H

#include "solvers/framework/program.h"

typedef enum fv_form {         /* in the order of the choices of compressible.implementation */
  FV_FUSED,                    /* fv_stage */
  FV_TWO_KERNELS,              /* on blocks: fluxes to memory, then cells */
  FV_LISTS                     /* the same on a list of faces and a list of cells */
} fv_form;

typedef struct fv_implementation {
  fv_form form;                /* if it is FV_FUSED, all else is empty */
  trm_framework_program program;
  size_t face_count;           /* of the list */
  trm_buffer *faces, *beside, *sides, *fluxes; /* fv_implementations.k */
} fv_implementation;

#endif
