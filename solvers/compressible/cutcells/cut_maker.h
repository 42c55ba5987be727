/* cut_maker.h - what makes the lists about walls (cut.h), shared by its files: cut_corners.c
 * (distances), cut_find.c (which cells are cut), cut_groups.c, cut_fresh.c (what changed),
 * cut_lists.c (units, walls), cut_faces.c, cut_turns.c (in which order slopes are computed),
 * cut_heirs.c, cut_covered.c, cut_gifts.c and cut_entries.c (walls that move), cut_rows.c. */
#ifndef TRIREME_FV_CUT_MAKER_H
#define TRIREME_FV_CUT_MAKER_H

#include "core/host_work.h"
#include "solvers/compressible/cutcells/cut.h"
#include "solvers/compressible/kernels/fv_clock.h"

enum { FV_WHOLE = FV_KIND_WHOLE, FV_SOLID = FV_KIND_SOLID };

/* A corner of cells that the body is said to reach, as its gas would lie in two parts of one. */
typedef struct fv_filled { int32_t level, at[3]; } fv_filled;

typedef struct fv_maker {
  trm_device *device;          /* whose threads of the host work */
  const fv_bodies *bodies;
  const trm_forest *forest;
  double h, origin[3], dt;
  fv_cut_tables *before, *known; /* known: NULL, or those before, whole */
  int32_t side[3], shift[4];   /* sides are powers of two: cell x + (y << shift[1]) + ... */
  size_t block;                /* cells of one */
  int paths;                   /* bodies that have one */
  const int32_t *near;         /* of leaves, < 0: no wall is near; NULL: not known yet */
  int holds_corners;           /* what `known` knew of corners is handed over: leaves are alike */
  fv_cut_tables *t;
  size_t record_room;
  fv_filled *filled;
  size_t filled_count;
  trm_stl_cursor *look;        /* of each body; a thread's own (cut_find.c) */
  uint8_t *is_beside;          /* of near leaves' cells: 1, it or one beside it is not whole */
  uint8_t *fresh, *calm;       /* of these: 1, not as before the step; of leaves: 1, no such cell
                                * lies in them or in those beside them (cut_fresh.c) */
  int32_t *slope, *unit;       /* of near leaves' cells: numbers in the lists, -1 */
  int32_t *sloped;             /* cells by number */
  size_t sloped_room;
} fv_maker;

/* What of bodies is known at a corner, a bit for each: whether it is in the body or on its wall;
 * from FV_IN on whether it is in one that does not slide; from FV_NEAR on whether its wall may be
 * FV_ABOUT cells away or nearer; from FV_BOUND on whether its distance is not known yet, but for a
 * bound and the side. Bodies that no corner of a cell is near to are more than two and a half away
 * from its middle, and their walls farther from the cell's than one that cuts it. */
enum { FV_IN = FV_BODIES, FV_NEAR = 2 * FV_BODIES, FV_BOUND = 3 * FV_BODIES };
#define FV_ABOUT 3.4

/* No corner lies nearer to a wall than this part of a cell: it is in the body then. */
#define FV_NEAREST 1e-6

/* The same of a corner in the grid: at a periodic side those of both ends are one. */
fv_filled fv_corner_key(const fv_maker *m, size_t leaf, size_t corner);

/* Of the corners of a leaf's cells, in cells. */
typedef struct fv_corners {
  size_t count;
  double *distance, *own;      /* the least of all bodies; that of one */
  uint64_t *inside;
  uint8_t *is_gas;             /* 1: outside of all bodies */
  uint8_t *is_stirred;         /* 1: a body that moved in the step is near, or was */
  size_t at[8];                /* those of the cell that is looked at */
} fv_corners;

extern const char *const fv_no_room; /* for fv_cell_refuse */

/* What differs by less is as much: rounding must not choose, or bodies that are mirror images would
 * have groups, and gas, that are none. */
#define FV_ALIKE (1 + 1e-9)

/* Which of a leaf's cells lists have at turn k: 8 along each axis at a time, in Morton order as
 * leaves are. So their order, and with it that of sums, does not depend on the side of blocks. */
static inline size_t fv_cell_in_turn(const fv_maker *m, size_t k)
{
  const int bits = m->side[2] == 1 ? 6 : 9;
  const size_t part = k >> bits, in = k & ((size_t)(1 << bits) - 1);
  const size_t x = (in & 7) + ((part & 1) << 3), y = (in >> 3 & 7) + ((part >> 1 & 1) << 3);
  return x + (y << m->shift[1]) + (((in >> 6) + (part >> 2 << 3)) << m->shift[2]);
}

/* Whether a cell lies in a block that is no leaf. */
static inline int fv_cell_is_ghost(const fv_maker *m, int32_t cell)
{
  return (size_t)(cell >> m->shift[3]) >= m->forest->blocks.count;
}

/* Where a cell's numbers lie among those of leaves near walls. */
static inline size_t fv_cell_index(const fv_maker *m, int32_t cell)
{
  return ((size_t)m->t->near[cell >> m->shift[3]] << m->shift[3]) +
         ((size_t)cell & (m->block - 1));
}

/* FV_WHOLE, FV_SOLID or its record; its group's master. */
static inline int32_t fv_cell_kind(const fv_maker *m, int32_t cell)
{
  if (fv_cell_is_ghost(m, cell)) return FV_WHOLE;
  const int32_t near = m->t->near[cell >> m->shift[3]];
  return near < 0 ? near : m->t->kind[fv_cell_index(m, cell)];
}

/* NULL: it has none. */
static inline const fv_cut_record *fv_cell_record(const fv_maker *m, int32_t cell)
{
  const int32_t kind = fv_cell_kind(m, cell);
  return kind >= 0 ? &m->t->record[kind] : NULL;
}

static inline int32_t fv_cell_master(const fv_maker *m, int32_t cell)
{
  const fv_cut_record *r = fv_cell_record(m, cell);
  return r ? r->master : cell;
}

/* A place relative to a unit's centroid, from one in its cell of this record, NULL: a whole one. */
static inline void fv_from_centre(const fv_maker *m, const fv_cut_record *r, const double at[3],
                                  double off[3])
{
  for (int a = 0; a < 3; a++) off[a] = at[a] - (r ? r->centre[a] : 0.5);
  if (m->side[2] == 1) off[2] = 0;
}

/* The cell so far from one, a cell at most along each axis; that beyond its face f. */
static inline int32_t fv_cell_beside(const fv_maker *m, int32_t cell, const int by[3])
{
  int32_t to = 0;
  int beside = 13;
  for (int a = 0, weight = 1; a < 3; a++, weight *= 3) {
    const int32_t side = m->side[a], at = (cell >> m->shift[a] & (side - 1)) + by[a];
    beside += (at < 0 ? -1 : at >= side) * weight;
    to += (at & (side - 1)) << m->shift[a];
  }
  return (m->forest->near[cell >> m->shift[3]][beside] << m->shift[3]) + to;
}

static inline int32_t fv_cell_beyond(const fv_maker *m, int32_t cell, int f)
{
  static const int weight[3] = { 1, 3, 9 };
  const int axis = f / 2, shift = m->shift[axis];
  const int32_t row = (f % 2 ? 1 : -1) * (1 << shift), last = m->side[axis] - 1;
  const int32_t at = cell >> shift & last;
  if (f % 2 ? at < last : at > 0) return cell + row;
  const int beside = f % 2 ? 13 + weight[axis] : 13 - weight[axis];
  return (m->forest->near[cell >> m->shift[3]][beside] << m->shift[3]) +
         (cell & ((int32_t)m->block - 1)) - last * row;
}

/* How many faces cells have. */
static inline int fv_cell_faces(const fv_maker *m) { return m->side[2] == 1 ? 4 : 6; }

/* cut_maker.c: a side of a leaf's cells; a place in a cell. */
double fv_cell_width(const fv_maker *m, size_t leaf);
void fv_cell_place(const fv_maker *m, int32_t cell, const double within[3], double at[3]);
/* An error that names the cell. */
trm_status fv_cell_refuse(const fv_maker *m, int32_t cell, const char *why);
/* Room for one more entry of so many bytes: `array` is the address of a pointer. */
trm_status fv_list_grow(void *array, size_t *room, size_t count, size_t bytes);

/* Numbers entries of a few kinds, each kind in order, by all threads: first how many there are,
 * then take(user, i, kind, number) for each. Functions may be called for entries in any order. */
enum { FV_NUMBERED = 4 };
typedef struct fv_numbering {
  size_t count;                /* entries */
  int (*kind)(const void *user, size_t i); /* -1: it gets no number */
  void (*take)(void *user, size_t i, int kind, size_t number);
  void *user;
  size_t found[FV_NUMBERED];
  size_t (*first)[FV_NUMBERED]; /* its own: of chunks of entries, their first numbers */
} fv_numbering;
trm_status fv_count_kinds(const fv_maker *m, fv_numbering *n);
trm_status fv_take_kinds(const fv_maker *m, fv_numbering *n); /* or fv_end_numbering */
void fv_end_numbering(fv_numbering *n);

/* cut_rows.c: lists of a map's items. function(user, i, row) adds to that of item i alone, entries
 * of so many bytes. Rows begin as 0 and are freed after a failure too. */
typedef struct fv_row { void *of; size_t count, room, bytes; } fv_row;
typedef struct fv_section { int thread; size_t first, count; } fv_section;
typedef struct fv_rows {
  int threads;
  fv_row *thread;              /* what a thread listed */
  fv_section *item;            /* which of that is an item's */
} fv_rows;
typedef trm_status fv_row_fn(void *user, size_t i, fv_row *row);
trm_status fv_rows_make(trm_device *device, size_t items, size_t bytes, fv_row_fn *function,
                        void *user, fv_rows *rows);
trm_status fv_row_add(fv_row *row, const void *entries, size_t count);
const void *fv_rows_of(const fv_rows *rows, size_t i); /* NULL: none */
/* Behind an array's entries those of all items in their order, as fv_list_grow has it. */
trm_status fv_rows_join(const fv_rows *rows, size_t items, void *array, size_t *room,
                        size_t *count);
void fv_rows_free(fv_rows *rows);

/* cut_corners.c: how many corners a leaf's cells have. FV_WHOLE or FV_SOLID of a leaf that lies
 * more than so many cells from all walls, else 0. Which bodies that have a path are far outside of
 * a leaf: no corner of it knows of their walls. */
size_t fv_corner_count(const fv_maker *m);
int fv_leaf_side(const fv_maker *m, size_t leaf, double band);
uint16_t fv_leaf_far(const fv_maker *m, size_t leaf);
/* Room for what is known of corners. */
trm_status fv_make_corners(fv_maker *m);
/* Distances at a leaf's corners; no place may be in two bodies. What bodies that do not move have
 * is kept from step to step; of those that do, some distances are but bounded: such a corner of a
 * cell that may be cut has yet to be filled. */
trm_status fv_sample_corners(const fv_maker *m, size_t leaf, fv_corners *c);
void fv_fill_corner(const fv_maker *m, size_t leaf, size_t corner, fv_corners *c);
/* Of a leaf where they are as before the step. */
void fv_keep_corners(const fv_maker *m, size_t leaf);
/* Of a place in a cut cell, in its places, by its corners: the nearest wall is no farther; that of
 * a body is no nearer. */
double fv_cell_distance(const fv_corners *c, const double at[3]);
double fv_cell_bound(const fv_maker *m, size_t leaf, int body, const fv_corners *c,
                     const double at[3]);

/* cut_sides.c: refuses walls at a periodic side that do not go on at the other. */
trm_status fv_check_sides(const fv_maker *m);

/* cut_turns.c: whether a record's wall holds the gas fast. */
int fv_wall_is_fast(const fv_maker *m, const fv_cut_record *r);

/* cut_fresh.c: whether all about a cell is as it was before the step. */
int fv_cell_is_kept(const fv_maker *m, int32_t cell);

/* In order: records of cut cells; groups; what is new since the step before; units; faces and
 * joins; walls; slopes; who has the gas that cells had. */
trm_status fv_find_cut_cells(fv_maker *m);
trm_status fv_check_ends(const fv_maker *m); /* that bodies lie in the grid: cut_sides.c too */
trm_status fv_group_cells(fv_maker *m);
trm_status fv_mark_fresh(fv_maker *m);
trm_status fv_list_units(fv_maker *m);
trm_status fv_list_faces(fv_maker *m);
trm_status fv_list_wall_pieces(fv_maker *m);
trm_status fv_list_slopes(fv_maker *m);
trm_status fv_list_heirs(fv_maker *m);

/* cut_heirs.c, where walls move: whether a cell held other than a whole one before the step. */
int fv_cell_is_odd(const fv_maker *m, int32_t cell);

/* cut_lists.c: the unit of a master gets slopes, if it has none. What a cell's wall sweeps in the
 * step, in cells. Whether slopes in one are central: it and all beside it are whole. */
trm_status fv_number_slope(fv_maker *m, int32_t master);
double fv_wall_sweep(const fv_maker *m, const fv_cut_record *r);
int fv_cell_is_central(const fv_maker *m, int32_t cell);

#endif
