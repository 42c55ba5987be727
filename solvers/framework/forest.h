/* forest.h - a box of blocks of cells, each of which may be split into eight (four in two
 * dimensions) again and again: which blocks there are, where each lies in memory, and which lie
 * beside it. On the host alone: cells are the solver's. Usable without the rest of the
 * framework. */
#ifndef TRIREME_FRAMEWORK_FOREST_H
#define TRIREME_FRAMEWORK_FOREST_H

#include "solvers/solver.h"

/* What a forest is made of. */
typedef struct trm_forest_shape {
  int side[3];                 /* cells of a block; side[2] 1: two dimensions */
  int roots[3];                /* blocks of the box at level 0; roots[2] 1 in two dimensions */
  int level;                   /* every root is split so many times; 0: not */
  int is_periodic[3];          /* an axis whose ends meet; the third is in two dimensions */
  int finest;                  /* blocks of lower levels are split where `wants` says so; 0: none
                                * are. It is asked about a block only where that which was
                                * split into it was wanted. Blocks that touch over faces, edges or
                                * corners differ by one level at most: others are split for that. */
  int (*wants)(const void *user, int level, const int32_t place[3]);
  trm_status (*affords)(const void *user, size_t leaves); /* NULL, or asked once it is known how
                                * many leaves there are, before they take memory: an error of it is
                                * that of trm_forest_create */
  const void *user;            /* of both */
  const int32_t *slots;        /* NULL, or where leaf i lies: each slot once; the caller's */
  uint64_t shuffle;            /* where `slots` is NULL: 0: leaf i lies in slot i; else the seed of
                                * another order, for tests that no result depends on where a block
                                * lies */
} trm_forest_shape;

/* A block that leaves of its level look at, but no leaf itself. It has a slot, which the solver
 * fills where they look. */
typedef enum trm_ghost_kind {
  TRM_GHOST_RESTRICTED,        /* its eight (four) children are there, or those beside the leaf */
  TRM_GHOST_PROLONGED,         /* a part of a leaf of the next coarser level */
  TRM_GHOST_BOUNDARY,          /* beyond an end of the box, next to a leaf or a restricted one */
  TRM_GHOST_OUTER_BOUNDARY,    /* beyond an end of the box, next to a prolonged one */
  TRM_GHOST_KINDS
} trm_ghost_kind;
typedef struct trm_ghost {
  int32_t slot, kind;
  int32_t source[8];           /* slots: of a restricted one the children, x fastest, -1 where
                                * there is no such leaf; of a prolonged one the coarser leaf; of a
                                * boundary the one inside */
  int8_t part[3];              /* of a prolonged one: which half of the leaf, 0 or 1, by axis; of a
                                * boundary: -1, 0 or 1: before, inside, after the box */
  int16_t from[3], to[3];      /* the cells that leaves look at, at most two from a side, by axis;
                                * `to` is one beyond the last */
  int32_t level, place[3];     /* its own; -1 or the number of blocks where it lies beyond an end */
} trm_ghost;

/* Blocks are named by their slots throughout; leaves have the first ones, 0 to blocks.count - 1.
 * `blocks` alone lists them by number, in Morton order: leaf i lies in slot blocks.slot[i]. What
 * depends on an order, as sums do, goes by that. */
typedef struct trm_forest {
  trm_forest_shape shape;
  trm_blocks blocks;
  size_t slots;                /* leaves, then ghosts, kind by kind */
  trm_ghost *ghosts;
  size_t ghost_count;
  size_t first[TRM_GHOST_KINDS + 1]; /* number of a kind's first ghost; of the last, all of them */
  uint8_t *level;              /* of each leaf's slot: its level and place, as in `blocks` */
  int32_t (*place)[3];
  int32_t (*near)[27];         /* of each leaf's slot: the slot at dx, dy, dz, each -1, 0 or 1, is
                                * number (dz + 1) * 9 + (dy + 1) * 3 + dx + 1 */
  struct trm_forest_table *table; /* places to slots */
  int32_t *leaf_slot;          /* what `blocks` points at */
  uint8_t *leaf_level;
  int32_t (*leaf_place)[3];
} trm_forest;

/* TRM_ERROR_INPUT for a box of more than 2^24 blocks. The forest is the caller's. */
TRM_API trm_status trm_forest_create(const trm_forest_shape *shape, trm_forest **out);
TRM_API void trm_forest_destroy(trm_forest **forest);

/* The slot of the leaf that is this block; -1: the block is split, or a part of one that is not. */
TRM_API int32_t trm_forest_leaf(const trm_forest *forest, int level, const int32_t place[3]);

#endif
