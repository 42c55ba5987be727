/* forest.h - a box of blocks of cells, each of which may be split into eight (four in two
 * dimensions) again and again: which blocks there are, where each lies in memory, and which lie
 * beside it. On the host alone: cells are the solver's. Usable without the rest of the kit. */
#ifndef TRIREME_KIT_FOREST_H
#define TRIREME_KIT_FOREST_H

#include "solvers/solver.h"

/* What a forest is made of. */
typedef struct trm_forest_shape {
  int side[3];                 /* cells of a block; side[2] 1: two dimensions */
  int roots[3];                /* blocks of the box at level 0; roots[2] 1 in two dimensions */
  int level;                   /* every root is split so many times; 0: not */
  int is_periodic[3];          /* an axis whose ends meet; the third is in two dimensions */
} trm_forest_shape;

/* A block beyond an end of the box that the blocks at that end look at. It has a slot, which the
 * solver fills. */
typedef struct trm_forest_shell {
  int32_t slot;
  int32_t inner;               /* slot of the leaf at the end of the box that lies next to it */
  int8_t beyond[3];            /* -1, 0 or 1: before, inside, after the box, by axis */
} trm_forest_shell;

typedef struct trm_forest {
  trm_forest_shape shape;
  trm_blocks blocks;           /* the leaves in Morton order; leaf i lies in slot i */
  size_t slots;                /* leaves, then shells */
  trm_forest_shell *shells;
  size_t shell_count;
  int32_t (*near)[27];         /* of each leaf's slot: the slot at dx, dy, dz, each -1, 0 or 1, is
                                * number (dz + 1) * 9 + (dy + 1) * 3 + dx + 1 */
  int32_t *slot;               /* what `blocks` points at */
  uint8_t *level;
  int32_t (*place)[3];
} trm_forest;

/* TRM_ERROR_INPUT for a box of more than 2^24 blocks. The forest is the caller's. */
TRM_API trm_status trm_forest_create(const trm_forest_shape *shape, trm_forest **out);
TRM_API void trm_forest_destroy(trm_forest **forest);

#endif
