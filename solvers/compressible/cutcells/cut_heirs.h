/* cut_heirs.h - what units take over from the cells of the step before, while it is found out
 * (cut_heirs.c, cut_covered.c, cut_gifts.c) and made into tables (cut_entries.c).
 *
 * These are maps over cells or units that read what earlier ones wrote and write what is their own:
 * nothing depends on an order but the rounding of sums. What few do in a step a map lists; such a
 * list is gone through in its order, which is that of leaves and cells. */
#ifndef TRIREME_FV_CUT_HEIRS_H
#define TRIREME_FV_CUT_HEIRS_H

#include "solvers/compressible/cutcells/cut_maker.h"

/* A unit's part of what a cell held that is none of its own: that walls covered, or of a unit that
 * filled it up. next: number of the unit's next, from 1 on; 0: none. */
typedef struct fv_covered { int32_t unit, cell, next; double part; } fv_covered;

/* So much gas, in cells, of all that a unit has of its own. next: the same of the receiver's. */
typedef struct fv_gift { int32_t from, to, next; double part; } fv_gift;

/* A unit. */
typedef struct fv_heir {
  int32_t first_covered, first_gift; /* numbers, from 1 on; 0: none */
  int32_t cells;               /* of how many it has gas of its own */
  int has_wall;
  double own, kept, has;       /* how much that is; what of it is left; with what it was given */
  double sweep, rest;          /* what its walls sweep; how much more it has than it should */
  double asked;                /* how much others ask of it at once */
} fv_heir;

typedef struct fv_heirs {
  fv_maker *m;
  fv_heir *unit;
  fv_covered *covered;
  fv_gift *gifts;
  size_t covered_count, covered_room, gift_count, gift_room;
  fv_rows beside;              /* of units with walls: those over their faces that have one too */
} fv_heirs;

/* cut_heirs.c: what a cell held before the step; its unit, -1. function(user, cell, part) for each
 * cell of which a unit has gas of its own. */
double fv_held_before(const fv_maker *m, int32_t cell);
int32_t fv_unit_of(const fv_maker *m, int32_t cell);
typedef trm_status fv_own_fn(void *user, int32_t cell, double part);
trm_status fv_each_own(const fv_heirs *h, size_t unit, fv_own_fn *function, void *user);

/* cut_covered.c: whose the gas is that covered cells held; one more of a unit. */
trm_status fv_list_covered(fv_heirs *h);
trm_status fv_add_covered(fv_heirs *h, int32_t unit, int32_t cell, double part);

/* cut_gifts.c: gas from unit to unit. Of those with walls over their faces: so much to another, of
 * all that are asked of one. */
trm_status fv_hand_out(fv_heirs *h);
double fv_level_gift(const fv_heirs *h, int32_t from, int32_t to);
double fv_level_gifts(const fv_heirs *h, int32_t from);

/* cut_entries.c: the entries as tables, unit by unit, and what cells hold after the step. */
trm_status fv_list_entries(fv_heirs *h);

#endif
