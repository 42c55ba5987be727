/* edges.h - what the sides of the box have by formula of x, y, z and t, or by a table in time. */
#ifndef TRIREME_FV_EDGES_H
#define TRIREME_FV_EDGES_H

#include "io/formula.h"
#include "io/table.h"
#include "solvers/compressible/kernels/fv_clock.h"

typedef struct fv_side {
  trm_formula *value[FV_SIDE_VALUES]; /* as FV_SIDE_VALUES; NULL: a number */
  trm_formula *where;          /* not 0 where the side is of its other kind; NULL: it has one */
  int kind, there;             /* both kinds */
  trm_table table;             /* in time; count 0: none */
  int varies;                  /* it has entries (fv_edges.h) */
  int is_timed;                /* they change with time */
} fv_side;

typedef struct fv_edges {
  fv_side side[6];
  size_t entries;              /* of the grid */
  int32_t *code;               /* host memory, until it is on the device */
  double *number;
  size_t code_count, number_count;
  trm_buffer *list, *codes, *numbers, *values;
} fv_edges;

#endif
