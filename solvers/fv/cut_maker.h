/* cut_maker.h - what makes the lists about walls (cut.h), shared by its files: cut_find.c (which
 * cells are cut), cut_groups.c, cut_lists.c (units, faces, walls), cut_slopes.c, cut_heirs.c (walls
 * that move); cut_maker.c finds a cell's neighbours. */
#ifndef TRIREME_FV_CUT_MAKER_H
#define TRIREME_FV_CUT_MAKER_H

#include "solvers/fv/cut.h"

enum { FV_WHOLE = -1, FV_SOLID = -2 };

typedef struct fv_maker {
  const fv_bodies *bodies;
  const trm_forest *forest;
  double h, origin[3], dt;
  const fv_cut_tables *before;
  int32_t side[3];
  size_t block;                /* cells of one */
  fv_cut_tables *t;
  size_t record_room;
  trm_stl_look *look;          /* of each body */
  uint8_t *closeness;          /* of near leaves' cells (cut_lists.c) */
  int32_t *slope, *unit, *faces; /* of near leaves' cells: numbers in the lists, -1; of the faces
                                  * behind a cell along x, y and z */
  int32_t *sloped;             /* cells by number */
  size_t sloped_room;
} fv_maker;

/* Entries that the arrays of units and faces have room for. */
typedef struct fv_lists {
  size_t face_room, size_room, unit_room, volume_room, join_room;
} fv_lists;

extern const char *const fv_no_room; /* for fv_cell_refuse */

/* cut_maker.c: whether a cell lies in a block that is no leaf; where its numbers lie among those of
 * leaves near walls; FV_WHOLE, FV_SOLID or its record; its group's master; the cell so far from it,
 * or beyond a face; how many faces cells have; a side of a leaf's cells; a place in a cell. */
int fv_cell_is_ghost(const fv_maker *m, int32_t cell);
size_t fv_cell_index(const fv_maker *m, int32_t cell);
int32_t fv_cell_kind(const fv_maker *m, int32_t cell);
int32_t fv_cell_master(const fv_maker *m, int32_t cell);
int32_t fv_cell_beside(const fv_maker *m, int32_t cell, const int by[3]);
int32_t fv_cell_beyond(const fv_maker *m, int32_t cell, int f);
int fv_cell_faces(const fv_maker *m);
double fv_cell_width(const fv_maker *m, size_t leaf);
void fv_cell_place(const fv_maker *m, int32_t cell, const double within[3], double at[3]);
/* An error that names the cell. */
trm_status fv_cell_refuse(const fv_maker *m, int32_t cell, const char *why);
/* Room for one more entry of so many bytes: `array` is the address of a pointer. */
trm_status fv_list_grow(void *array, size_t *room, size_t count, size_t bytes);
/* Room for all numbers of a face or wall, and zeros. */
trm_status fv_list_sizes(fv_cut_tables *t, size_t *room, size_t number);

/* In order: records of cut cells; groups; units, faces and joins; walls; numbers of units' slopes;
 * slopes; who has the gas that cells had. */
trm_status fv_find_cut_cells(fv_maker *m);
trm_status fv_group_cells(fv_maker *m);
trm_status fv_list_units(fv_maker *m, fv_lists *l);
trm_status fv_list_wall_pieces(fv_maker *m, fv_lists *l);
trm_status fv_list_unit_slopes(fv_maker *m);
trm_status fv_list_slopes(fv_maker *m);
trm_status fv_list_heirs(fv_maker *m);

/* cut_heirs.c, where walls move: whether a cell held other than a whole one before the step. */
int fv_cell_is_odd(const fv_maker *m, int32_t cell);

/* cut_lists.c: what a cell's wall sweeps in the step, in cells. Whether slopes in one are central:
 * it and all beside it are whole. A place relative to a unit's centroid, from one in its cells. */
double fv_wall_sweep(const fv_maker *m, const fv_cut_record *r);
int fv_cell_is_central(const fv_maker *m, int32_t cell);
void fv_cell_from_centre(const fv_maker *m, int32_t cell, const double at[3], double off[3]);

#endif
