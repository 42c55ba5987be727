/* volumes_launch.h - the lists of control volumes about bodies of facets, made on a device for each
 * step (kernels/fv_volumes_params.h has their places).
 *
 * A step's lists need seven counts: listed cells, outer cells, cells of trees, control volumes,
 * face parts, and volumes of gaps and of sheets. Each is read before the lists that it sizes, so no
 * list is ever too short. Buffers are kept, and grow with some room. Each step follows the one
 * before it, until the leaves change. */
#ifndef TRIREME_FV_VOLUMES_LAUNCH_H
#define TRIREME_FV_VOLUMES_LAUNCH_H

#include "core/trireme.h"
#include "solvers/compressible/kernels/fv_volumes_params.h"

/* The part of a step's lists that the next step reads. lacks: of gaps that are shut, if any. */
typedef struct fv_volumes_kept {
  trm_buffer *kinds, *gas, *kept, *volumes, *trees, *lacks;
  int has_lacks, tree_cells;
} fv_volumes_kept;

/* A list of the places of flags that are set. */
typedef struct fv_volumes_listing { trm_compact *compact; size_t room; } fv_volumes_listing;

/* Lists by leaf, cell of the leaves, listed cell, control volume and face part. */
typedef struct fv_volumes {
  trm_device *device;
  trm_program_options how;
  trm_program *program, *of_trees; /* of_trees: NULL until the first cell of several shapes */
  fv_volumes_params p;
  fv_volumes_kept now, before;
  fv_volumes_listing cells, outers, parts_there, faces_open, trees, covered, layered, unlayered;
  fv_volumes_listing shut;
  trm_buffer *shapes, *tables, *number;
  trm_buffer *leaves, *beside;
  trm_buffer *flags, *listed, *list;
  trm_buffer *found, *parts, *there, *places, *numbers, *open, *sided, *sides;
  trm_buffer *bodies, *walls, *asks, *gives, *hoods, *near, *olds, *taken;
  trm_buffer *joins, *openings, *shares;
  trm_buffer *outer, *outer_of, *outer_sides; /* fv_volumes_outer.h */
  trm_buffer *are_sheet, *sheet, *layers, *ways, *have_layers, *with_layer, *are_pockets, *pockets;
  int most_layers;             /* of sheets in this step */
  trm_buffer *passes;          /* openings that layers are found by; another name of a list */
  trm_buffer *sights, *gaps, *are_gaps, *gap_list, *wide, *counted;
  double counts[FV_GAP_COUNTS]; /* of gaps in this step */
  int gap_place[3];            /* a cell of the grid whose gap shuts or opens, if any does */
  trm_buffer *are_trees, *which, *owners, *word; /* which: cells of trees; word: of refusals */
} fv_volumes;

/* Facets of all bodies, and where they are in the step: reals and whole numbers as
 * fv_volumes_params.h has them. */
typedef struct fv_volumes_bodies {
  int count;
  const double *reals;
  const int32_t *ints;
  size_t real_count, int_count;
} fv_volumes_bodies;

/* variant: of the programs, NULL in three dimensions; it outlives the lists. group: items of a
 * group, 0: the device's own. side: cells of a leaf. The caller calls fv_volumes_close, also where
 * this fails. */
trm_status fv_volumes_open(trm_device *device, const char *variant, int group, const int side[3],
                           fv_volumes *out);
/* The program for cells of several shapes. Else their first launch opens it. */
trm_status fv_volumes_open_trees(fv_volumes *v);
void fv_volumes_close(fv_volumes *v);

/* The leaves near walls: each one's place in leaves, then the leaves below and above it along each
 * axis. -1 stands for a leaf that is not near walls. No step goes before the next one. */
trm_status fv_volumes_set_leaves(fv_volumes *v, int count, const int32_t *places,
                                 const int32_t *beside);

/* Makes the lists of a step. is_whole: all gas of the leaves is listed, also apart from bodies.
 * TRM_ERROR_INPUT names a cell with more facets, openings or walls than lists have room for, or gas
 * without a way out between bodies that meet. */
trm_status fv_volumes_step(fv_volumes *v, const fv_volumes_bodies *bodies, int is_whole);

/* For files beside this one. At least `count` entries of `each` bytes; a buffer that grows loses
 * its numbers. */
trm_status fv_volumes_reserve(fv_volumes *v, trm_buffer **buffer, int count, size_t each);
/* Lists the places of flags that are set, and tells how many. Beyond the step's, flags are 0. */
trm_status fv_volumes_list_flags(fv_volumes *v, fv_volumes_listing *listing, trm_buffer *flags,
                                 trm_buffer **list, int *count);
/* Launches a kernel of the program for so many items, of which a group has `group`; 0: as many as
 * the program's groups. Each part of a run launches it for all of them. */
trm_status fv_volumes_launch(const fv_volumes *v, const char *name, int items, int group,
                             const void *params, size_t bytes, trm_buffer *const *buffers,
                             size_t count);
/* The same where each part launches it for its own leaves alone (TRM_EACH_ITS_OWN); items: so many
 * as these have. adjacent: as in trm_sharing. */
trm_status fv_volumes_launch_own(const fv_volumes *v, const char *name, int items, int group,
                                 uint32_t adjacent, const void *params, size_t bytes,
                                 trm_buffer *const *buffers, size_t count);

#endif
