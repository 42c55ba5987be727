/* geometry_parts.h - what the files of geometry.h ask of one another. */
#ifndef TRIREME_FV_GEOMETRY_PARTS_H
#define TRIREME_FV_GEOMETRY_PARTS_H

#include "solvers/compressible/solver/fv.h"
#include "solvers/compressible/kernels/fv_geometry_places.h"

/* So many cells bodies may go before leaves near walls are found anew. */
#define FV_STRAY 1.0

static inline int fv_groups_of(size_t items)
{
  return (int)((items + FV_CUT_GROUP - 1) / FV_CUT_GROUP);
}

static inline size_t fv_corners_of_leaf(const fv_solver *fv)
{
  const size_t side = fv->n[2] == 1 ? FV_FLAT_SIDE + 1 : FV_SOLID_SIDE + 1;
  return side * side * (fv->n[2] == 1 ? 2 : side);
}

/* Room for as many as there may be in a step after one with so many. */
static inline size_t fv_room_for(size_t count) { return count + count / 16 + 1024; }

/* The same where there was room for so many before: a flat wall that enters its next cells makes
 * many small pieces at once, again and again. */
static inline size_t fv_room_again(size_t count, size_t before)
{
  return fv_room_for(count) > before ? fv_room_for(count) : before;
}

/* geometry_leaves.c: leaves near walls, in the order of leaves, then those that are solid; the
 * caller frees them, after a failure too. */
trm_status fv_find_leaves(const fv_solver *fv, fv_leaves *to);

/* geometry_known.c: of a body the corners of its outline, or the tree of its surface, so many
 * numbers; to: NULL, or room for them. Arrays with room for more than there is now; what they
 * hold is lost if they are new. The cells that the step begins with, from the host's tables. Whole
 * numbers, from place `at` on. */
size_t fv_body_outline(const fv_body *body, double *to);
trm_status fv_make_arrays(fv_solver *fv);
trm_status fv_load_geometry(fv_solver *fv);
/* What the device knows of the cells of leaves near walls, with these numbers, for those that are
 * near now. */
trm_status fv_renumber_geometry(fv_solver *fv, const int32_t *near);
trm_status fv_write_ints(fv_geometry *g, trm_index at, const int32_t *values, size_t count);

/* geometry_lists.c: room for a step's lists. How long turns of each kind (FV_ORDER_...) make these;
 * how many there are of each in the host's tables. */
trm_status fv_make_lists(fv_solver *fv);
void fv_count_turns(const fv_solver *fv, const size_t counts[FV_COUNTS], fv_cut_tables *to);
void fv_count_orders(const fv_solver *fv, size_t counts[FV_COUNTS]);
/* Of lists of reals, in the order of geometry_launch.c, how many numbers each has. */
void fv_count_exact(const fv_solver *fv, const fv_cut_tables *t, size_t to[FV_ROUNDINGS]);

/* geometry_launch.c: the kernels, in order. What cells are and hold goes to leaves' new numbers. */
trm_status fv_launch_lists(fv_solver *fv);
trm_status fv_launch_renumber(fv_solver *fv);

#endif
