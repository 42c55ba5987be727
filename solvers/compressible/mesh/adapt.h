/* adapt.h - refinement as the flow goes: what is looked at, and how often. */
#ifndef TRIREME_FV_ADAPT_H
#define TRIREME_FV_ADAPT_H

#include "solvers/compressible/kernels/fv_clock.h"
#include "solvers/framework/forest.h"

/* Elements that buffers have room for. */
typedef struct fv_room {
  size_t slots, leaves, ghosts, interfaces, fluxes, edges;
} fv_room;

typedef struct fv_adaptation {
  double thresholds[FV_INDICATORS]; /* 0: not looked at */
  int is_asked;                /* mesh.refine names a criterion */
  uint64_t every;              /* steps between two adaptations; 0: of the first state alone */
  int reach;                   /* cells by which the finer grid extends beyond the cells that need
                                * it */
  size_t most;                 /* leaves that there may be */
  int coarsens;                /* beyond that thresholds are doubled; 0: the run ends */

  trm_buffer *indicated, *moves; /* fv_indicator, fv_move */
  trm_buffer *levels;          /* of `most` leaves, in their order; 255: no leaf. For checkpoints */
  uint64_t count;              /* adaptations that changed the grid */
  double squeezed;             /* the most that thresholds were multiplied by */
  double cell_steps, steps;    /* cells updated since the run began, and steps made */
  double seconds;              /* that adaptations took */
} fv_adaptation;

#endif
