/* geometry.h - lists about moving walls that the device makes (fv_geometry.k), and when it does. */
#ifndef TRIREME_FV_GEOMETRY_H
#define TRIREME_FV_GEOMETRY_H

#include "solvers/framework/framework.h"
#include "solvers/compressible/kernels/fv_geometry_params.h"

/* Lists of reals, which are made in double precision and rounded for a state of single. */
enum { FV_ROUNDINGS = 8 };

/* Leaves near walls. */
typedef struct fv_leaves {
  int32_t *near;               /* of leaves: which of these they are; -1 all gas, -2 solid */
  int32_t *leaf;               /* FV_LEAF_INTS of each, then of solid ones */
  size_t count, nears, solids; /* count: of the grid */
} fv_leaves;

typedef struct fv_geometry {
  int is_on;                   /* the device makes the lists of steps */
  int is_known;                /* it knows the cells of the last one */
  int is_ahead;                /* and what fv_solver.cut has of them is older */
  int is_sampled;              /* and how far surfaces of triangles were from their corners */
  int has_lists;               /* the lists that there are were made by it */
  uint64_t grid;               /* whose leaves those near walls are; 0: none yet */
  double strayed;              /* how far bodies went since these were found, at most */
  fv_leaves leaves;
  size_t surfaces;             /* bodies that are surfaces of triangles */
  size_t room_nears, room_leaves; /* for which there is room in the arrays */
  size_t most_records, most_units, most_sloped; /* that a step's launches look at */
  size_t turns[4], sized;      /* of each kind (FV_ORDER_...); faces with sizes */
  fv_geometry_params p;
  trm_framework_program program;
  trm_buffer *ints, *reals, *bodies;
  size_t int_count, real_count, body_count;
  trm_buffer *exact[FV_ROUNDINGS];
  size_t exact_room[FV_ROUNDINGS], most_exact[FV_ROUNDINGS];
  uint64_t steps;              /* whose lists the device made */
} fv_geometry;

#endif
