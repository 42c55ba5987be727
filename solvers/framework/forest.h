/* forest.h - a box of blocks of cells. Each block may be split into eight (four in two dimensions),
 * again and again. A forest lists the blocks, their places in memory and their neighbours. It
 * exists on the host alone; the cells belong to the solver. Usable without the rest of the
 * framework. */
#ifndef TRIREME_FRAMEWORK_FOREST_H
#define TRIREME_FRAMEWORK_FOREST_H

#include "solvers/solver.h"

/* The description of a forest. */
typedef struct trm_forest_shape {
  int side[3];                 /* cells of a block; side[2] 1: two dimensions */
  int roots[3];                /* blocks of the box at level 0; roots[2] 1 in two dimensions */
  int level;                   /* how many times every root is split */
  int is_periodic[3];          /* 1: the two ends of the axis meet; the third is 1 in two
                                * dimensions */
  int finest;                  /* blocks of levels below `finest` are split where `wants` returns
                                * nonzero; 0: none are split. `wants` is asked about a block only if
                                * the block that was split into it was wanted. Blocks that touch
                                * over faces, edges or corners differ by one level at most: further
                                * blocks are split to keep this rule. */
  int (*wants)(const void *user, int level, const int32_t place[3]);
  trm_status (*affords)(const void *user, size_t leaves); /* NULL, or called with the number of
                                * leaves before they take memory; trm_forest_create returns its
                                * error */
  const void *user;            /* for `wants` and `affords` */
  const int32_t *slots;        /* NULL, or the slot of leaf i, each slot once; owned by the
                                * caller */
  uint64_t shuffle;            /* used if `slots` is NULL: 0: leaf i lies in slot i; else the seed
                                * of another order, for tests that no result depends on the slots */
} trm_forest_shape;

/* A block that leaves of its level read, but which is no leaf itself. It has a slot, whose cells
 * the solver fills where leaves read them. */
typedef enum trm_ghost_kind {
  TRM_GHOST_RESTRICTED,        /* its eight (four) children exist, or those beside the leaf */
  TRM_GHOST_PROLONGED,         /* a part of a leaf of the next coarser level */
  TRM_GHOST_BOUNDARY,          /* beyond an end of the box, next to a leaf or a restricted one */
  TRM_GHOST_OUTER_BOUNDARY,    /* beyond an end of the box, next to a prolonged one */
  TRM_GHOST_KINDS
} trm_ghost_kind;
typedef struct trm_ghost {
  int32_t slot, kind;
  int32_t source[8];           /* slots. Mean: the children, x fastest, -1 where that leaf does not
                                * exist. Line: the coarser leaf. Shells: the block inside */
  int8_t part[3];              /* line: which half of the leaf, 0 or 1, by axis. Shells: -1, 0 or 1:
                                * before, inside, after the box */
  int16_t from[3], to[3];      /* the cells that leaves read, at most two from a side, by axis; `to`
                                * is one beyond the last */
  int32_t level, place[3];     /* of the ghost; -1 or the number of blocks where it lies beyond an
                                * end */
} trm_ghost;

/* Blocks are named by their slots throughout; leaves have the first slots, 0 to blocks.count - 1.
 * `blocks` alone lists them by number, in Morton order: leaf i lies in slot blocks.slot[i]. Results
 * that depend on an order, such as sums, use this order. */
typedef struct trm_forest {
  trm_forest_shape shape;
  trm_blocks blocks;
  size_t slots;                /* leaves, then ghosts, kind by kind */
  trm_ghost *ghosts;
  size_t ghost_count;
  size_t first[TRM_GHOST_KINDS + 1]; /* number of a kind's first ghost; the last entry is the number
                                      * of all ghosts */
  uint8_t *level;              /* by slot of a leaf: its level and place, as in `blocks` */
  int32_t (*place)[3];
  int32_t (*near)[27];         /* by slot of a leaf: the neighbour at dx, dy, dz, each -1, 0 or 1,
                                * has number (dz + 1) * 9 + (dy + 1) * 3 + dx + 1 */
  struct trm_forest_table *table; /* places to slots */
  int32_t *leaf_slot;          /* blocks.slot points to it */
  uint8_t *leaf_level;
  int32_t (*leaf_place)[3];
} trm_forest;

/* TRM_ERROR_INPUT for a box of more than 2^24 blocks. The caller owns the forest. */
TRM_API trm_status trm_forest_create(const trm_forest_shape *shape, trm_forest **out);
TRM_API void trm_forest_destroy(trm_forest **forest);

/* The slot of the leaf at this place; -1: this block is split, or is part of a leaf. */
TRM_API int32_t trm_forest_leaf(const trm_forest *forest, int level, const int32_t place[3]);

#endif
