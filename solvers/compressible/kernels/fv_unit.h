/* Cells that a wall cuts, and those about them whose faces look at one: lists, beside the stage.
 *
 * A unit is a cell, or a group of cells that acts as one: a small piece and the cell that it is
 * merged with. Slopes are least squares over the neighbouring units, with factors that depend on
 * places alone (fv_cut_stencils.h). Where all neighbours are whole cells, slopes are central, and a
 * face's flux equals fv_face's except for rounding. Each face is computed once. Before the stage:
 * slopes, fluxes, sums. After the stage: its results in listed cells are replaced, and solid cells
 * are at rest again.
 *
 * The lists, whose entries lie as items read them, FV_CUT_GROUP side by side:
 * - cell_of_unit[unit]: the cell of a unit.
 * - stencil_slots: the units in the order in which their slopes are computed, the units of a kind
 *   in groups of their own (FV_STENCIL_NUMBER -1: none).
 * - stencils: for a unit, the number of cells; unless slopes are central, the cells; then walls, as
 *   -1 less their number. Weights: none where slopes are central; three a neighbour; where walls
 *   count too, three without walls and three with them.
 * - faces: axis and flags (FV_FACE_...), the units to the left and right, level, number of sizes.
 *   After p.faces follow the walls: kind, unit, body, level.
 * - sizes: for each of p.sized faces its open fraction, 1 / the distance of both places along the
 *   axis, the place of the face from either side's. For a wall its area and normal, place,
 *   velocity, temperature, arm about the body's place, 1 / area, normal speed times area, and the
 *   additional slope at the wall, times area (fv_cut_wall).
 * - units: master cell, first of its joins, level. joins: twice a face's number, plus 1 where the
 *   unit lies to its right.
 * - marks of a block: slot, then for each cell -1, -2 where it is solid, or its number among the
 *   units.
 * - dt_ratios: for a unit, its rate relative to a whole cell's (cut.c). */

/* Slopes, sizes, fluxes and the values of units lie as items read them: one number of FV_CUT_GROUP
 * entries side by side, then their next number. The place of entry i's first number, with that many
 * numbers to an entry; and of its number k. */
#define FV_CUT_ENTRY(list, numbers, i) \
  ((list) + ((trm_index)((i) / FV_CUT_GROUP) * (numbers) * FV_CUT_GROUP + (i) % FV_CUT_GROUP))
#define FV_CUT_OF(entry, k) (entry)[(k) * FV_CUT_GROUP]

/* Sizes of walls begin behind those of all groups of faces, which have fewer numbers. A wall's
 * number k. */
#define FV_CUT_WALLS(p, sizes) \
  ((sizes) + (trm_index)(((p).sized + FV_CUT_GROUP - 1) / FV_CUT_GROUP) * FV_FACE_SIZES * \
               FV_CUT_GROUP)
#define FV_CUT_WALL(p, sizes, wall, k) \
  FV_CUT_OF(FV_CUT_ENTRY(FV_CUT_WALLS(p, sizes), FV_CUT_SIZES, wall), k)

#define FV_CUT_INDEX(cell) ((trm_index)((cell) / FV_CELLS) * FV_BLOCK + (cell) % FV_CELLS)

TRM_INLINE fv_cell fv_cut_load(TRM_IN(real) w, const int cell)
{
  TRM_IN(real) from = w + FV_CUT_INDEX(cell);
  fv_cell c;
  c.u = from[0];
  c.v = from[FV_CELLS];
  c.w = from[2 * FV_CELLS];
  c.rho = from[3 * FV_CELLS];
  c.t = from[4 * FV_CELLS];
  return c;
}

/* A value of a unit whose slopes begin at number k, at a distance from its centroid along each
 * axis. The way is given as three numbers, since it lies in a kernel's own memory or in the
 * device's. The second macro is for a way that lies among the numbers of a wall. */
TRM_INLINE real fv_cut_at(const real value, TRM_IN(real) slope, const int k, const real x,
                          const real y, const real z)
{
  return trm_fma(FV_CUT_OF(slope, k), x,
                 trm_fma(FV_CUT_OF(slope, k + 1), y,
                         trm_fma(FV_CUT_OF(slope, k + 2), z, value)));
}
TRM_INLINE real fv_cut_there(const real value, TRM_IN(real) slope, const int k, TRM_IN(real) off)
{
  return fv_cut_at(value, slope, k, off[0], FV_CUT_OF(off, 1), FV_CUT_OF(off, 2));
}
