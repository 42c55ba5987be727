/* cut.h - walls in the grid: which cells they cut, which are too small and whom they join, and the
 * lists that the kernels of fv_unit.h work through. On the host, before the run. */
#ifndef TRIREME_FV_CUT_H
#define TRIREME_FV_CUT_H

#include "solvers/compressible/bodies/bodies.h"
#include "solvers/compressible/cutcells/cut_cell.h"
#include "solvers/framework/forest.h"

/* A cell that a wall cuts, or that a smaller one is merged with. A leaf is named by its slot, and
 * numbers of cells are slot * cells of a block + place in the block. */
typedef struct fv_cut_record {
  int32_t cell, master;        /* its group's; its own where it is none's */
  int32_t next;                /* record of the group's next member, -1 */
  int32_t wall;                /* its wall's number, -1: none */
  int32_t slope;               /* its group's slopes' number, -1: it is in none */
  int body, to[3];             /* whose wall; cells from it to its master */
  int is_gap;                  /* another body lies within two cells, and one of them slides */
  fv_cut cut;
  double total, centre[3];     /* the group's volume and centroid, in this cell's places */
} fv_cut_record;

/* What goes to the device, as fv_unit.h has it. */
typedef struct fv_cut_tables {
  int sloped, units, faces, sized, walls, walled; /* sized: of the faces those with sizes */
  size_t looks, joins, turns, weights; /* weights: in units of FV_CUT_GROUP */
  int32_t *spot, *turn, *face, *unit, *join, *mark;
  int32_t *number, *piece, *member; /* of leaves, of blocks at walls' cells, of records: */
  double *centre;              /* what makes factors of slopes (fv_cut_stencils.h) */
  int32_t *renewed;            /* turns whose factors are to be made (fv_cut_stencils.h) */
  size_t renewed_count, renewed_room;
  double *size, *volume, *dt_ratio;
  double *place;               /* of walls, their middles, then area times normal into the body, in
                                * metres: x of all, then y, then z */
  double *held;                /* of leaves near walls, cell by cell: how much of it holds gas, as
                                * it is kept count of; before a step was made, as walls leave it */
  size_t froms;                /* moving walls: what a unit takes over, as cell, part and place
                                * in the group that the cell was of (fv_unit.h) */
  int32_t *first, *from, *tilt;
  double *part, *off;
  fv_cut_record *record;
  size_t records, cuts;        /* the first ones are those of cut cells, leaf by leaf */
  uint16_t *far;               /* of leaves near walls: bits of the bodies that move and are far */
  int32_t *near;               /* of a leaf: -1 all gas, -2 all solid, else a number, and of that */
  int32_t *kind;               /* number's cells -1 whole, -2 solid, or a record */
  int32_t *turn_of;            /* of the same cells: their unit's turn (fv_unit.h), -1: none */
  size_t turn_room;            /* groups of them that there is room for */
  int near_count;              /* leaves with a number; level and place of each */
  int32_t *leaf;
  double *still;               /* at corners of their cells: distances from bodies that stay */
  uint64_t *inside;            /* which of them a corner is in or near (cut_maker.h) */
  float *reach;                /* bounds of distances from those that move, in cells; < 0: inside */
  double (*middle)[2];         /* of leaves and bodies: a distance of the leaf's middle, and by how
                                * much it may have changed since */
  int is_bare;                 /* of all this there is but what cells are and hold: a device had the
                                * rest (geometry.h) */
} fv_cut_tables;

/* The largest compressible.cfl_viscous at walls with friction (fv_cut_stencils.h, FV_CUT_MOST), and
 * the largest gamma / Pr times that, by which heat spreads there: so much in air. */
#define FV_MOST_AT_WALLS 0.1
#define FV_MOST_HEAT_AT_WALLS (0.1 * 1.4 / 0.72)

/* Refuses by name what no cells can be made of. h, origin: at level 0. before: NULL, or the tables
 * a step ago, of the same forest; whose lists are taken over. dt: what the step took in which walls
 * moved last; 0: they rest. The same bits for any number of the device's threads of the host. */
trm_status fv_cut_create(trm_device *device, const fv_bodies *bodies, const trm_forest *forest,
                         double h, const double origin[3], fv_cut_tables *before, double dt,
                         fv_cut_tables **out);
void fv_cut_destroy(fv_cut_tables **tables);

/* Refuses bodies that leave the grid, or whose walls end at a periodic side. near: of leaves, <
 * 0: no wall is near. */
trm_status fv_cut_check(const fv_bodies *bodies, const trm_forest *forest, double h,
                        const double origin[3], const int32_t *near);

/* What a leaf's cell is to walls: -1 whole, -2 solid, else the number of its record. */
static inline int32_t fv_cut_kind_of(const fv_cut_tables *t, size_t cells, size_t leaf,
                                     size_t cell)
{
  const int32_t near = t->near[leaf];
  return near < 0 ? near : t->kind[(size_t)near * cells + cell];
}

/* Lists all turns as those whose factors are to be made. */
trm_status fv_renew_stencils(fv_cut_tables *tables);

/* An error that names a cell whose unit has no slopes; why: FV_STENCIL_BEYOND or FV_STENCIL_FEW. */
trm_status fv_cut_refuse(const fv_bodies *bodies, const trm_forest *forest, double h,
                         const double origin[3], int32_t cell, int why);

/* How many numbers sizes are, of all faces that have some and of so many walls; number k of those
 * sizes, and of a wall (fv_unit.h). How much of a face is open. */
size_t fv_sizes(const fv_cut_tables *tables, size_t walls);
double *fv_face_size(const fv_cut_tables *tables, size_t sizes, size_t k);
double fv_face_open(const fv_cut_tables *tables, int32_t face);
double *fv_wall_size(const fv_cut_tables *tables, size_t wall, size_t k);

#endif
