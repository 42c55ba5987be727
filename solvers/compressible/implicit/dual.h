/* dual.h - steps in dual time: what the case asks for, what they need, what they took. */
#ifndef TRIREME_FV_DUAL_H
#define TRIREME_FV_DUAL_H

#include "core/trireme.h"

typedef struct fv_dual {
  int is_on;                   /* compressible.time is not explicit */
  int is_steady;               /* a step is a cycle; the run ends once the residual has fallen */
  int has_past;                /* else: steps look at the state before */
  double dt, cfl;              /* dual.dt, 0: by dual.cfl */
  double tolerance, most;      /* dual.tolerance, dual.iterations */

  trm_buffer *before, *given;  /* as q: the state a step before; what the derivative by time takes
                                * from the states so far */
  trm_buffer *norms;           /* of leaves, the residual's squares */

  int grids;                   /* compressible.multigrid: coarser grids of a cycle */
  struct fv_solver *coarser;   /* the next grid of a cycle; NULL: this is the coarsest */
  const struct fv_solver *finest; /* of a coarser grid */
  int halvings;                /* of the finest roots that a coarser grid has in one of its own */
  int coarsest;                /* sweeps in a cycle, where this is the coarsest grid of several */
  double sweeps;               /* that a cycle is worth, of the finest grid */
  int is_coarse;               /* a coarser grid itself: `before` comes from the finer grid */
  trm_buffer *rest;            /* and that one's residual, of coarser grids */
  trm_buffer *family, *parents; /* its leaves and those of the finer grid (fv_multigrid.h), as */
  int32_t *parts, *parent;
  int32_t *rows, *leaves;      /* parts of a run: of its leaves the first leaf of the finest grid;
                                * of each leaf of the finest grid its leaf. Else NULL */
  trm_buffer *transfers, *nested, *shares; /* its cells at walls, the finer grid's cells in them */
  struct fv_transfers *transfer; /* what these begin with; NULL: no bodies */

  int guess;                   /* cycles of the last step */
  double cycles, steps;        /* since the run began */
} fv_dual;

#endif
