/* cut_heirs.h - what units take over from the cells of the step before, while it is found out
 * (cut_heirs.c, cut_gifts.c) and made into tables (cut_entries.c). */
#ifndef TRIREME_FV_CUT_HEIRS_H
#define TRIREME_FV_CUT_HEIRS_H

#include "solvers/fv/cut_maker.h"

/* A unit takes over so much of what a cell held, in cells. */
typedef struct fv_entry { int32_t unit, cell; double part; } fv_entry;

typedef struct fv_heirs {
  fv_maker *m;
  fv_entry *entries;
  size_t count, room;
  int32_t *most;               /* of a unit: its entry of the cell that gives the most */
  double *sweep, *has, *rest;  /* what its walls sweep; what it has, and how much more than it
                                * should */
  uint8_t *has_wall;
} fv_heirs;

/* Of what a thread listed, that of a leaf or a unit. */
typedef struct fv_section { int thread; size_t first, count; } fv_section;

/* cut_heirs.c: one more entry. A cell's unit, -1. */
trm_status fv_add_entry(fv_heirs *h, int32_t unit, int32_t cell, double part);
int32_t fv_unit_of(const fv_maker *m, int32_t cell);

/* cut_gifts.c: gas from unit to unit. */
trm_status fv_hand_out(fv_heirs *h);

/* cut_entries.c: the entries as tables, unit by unit, and what cells hold after the step. */
trm_status fv_list_entries(fv_heirs *h);

#endif
