/* The stencils of slopes of units at walls, and the factors of their least squares (fv_unit.h),
 * made from the cells at walls. A turn is made once and kept until the cells about it change.
 *
 * numbers: for a leaf, its number among the blocks at walls, -1: none. pieces of such a block: for
 * each cell FV_KIND_WHOLE, FV_KIND_SOLID or the number of its record. records: the unit's cell, the
 * unit's next record, its wall, FV_CUT_FAST ...; centres: the unit's centroid relative to the
 * record's cell, in its sides, and the unit's volume, in whole cells. */

/* A parabola through the wall, the centroid and the slope there has 2, by the distance. The faster
 * friction grows with the velocity the shorter steps have to be; MOST bounds it, by volume: heat
 * between cylinders is stable with steps of 0.12 rho h^2 / mu (without it 0.1), not with 0.16. */
#define FV_CUT_STEEPEST R(2.0)
#define FV_CUT_MOST R(6.0)

/* The determinant of a unit's least squares: below it, neighbours lie in a plane or a line. */
#define FV_CUT_LEAST_DET R(1e-3)

/* Weights are 1 / the squared distance, which counts as no less. */
#define FV_CUT_LEAST_SQUARE R(1e-6)
#define FV_CUT_LEAST_WALL R(0.0625)

/* Row k of a turn's looks, or of its weights. */
#define FV_CUT_ROW(k) ((trm_index)(k) * FV_CUT_GROUP)

/* FV_KIND_WHOLE, FV_KIND_SOLID or a cell's record. */
TRM_INLINE int fv_cut_record(const fv_params p, TRM_IN(int) numbers, TRM_IN(int) pieces,
                             const int cell)
{
  const int slot = cell / FV_CELLS, number = slot < p.blocks ? numbers[slot] : -1;
  return number < 0 ? FV_KIND_WHOLE : pieces[(trm_index)number * FV_CELLS + cell % FV_CELLS];
}

/* ---- least squares ------------------------------------------------------------------ */

typedef struct fv_cut_fit { real a[9], inverse[9], det; } fv_cut_fit;

TRM_INLINE real fv_cut_squared(const real *off)
{
  real square = R(0.0);
  for (int a = 0; a < FV_CUT_AXES; a++) square += off[a] * off[a];
  return square;
}

TRM_INLINE void fv_cut_gather(fv_cut_fit *fit, const real *off, const real weight)
{
  TRM_UNROLL for (int i = 0; i < 9; i++) fit->a[i] += weight * off[i / 3] * off[i % 3];
}

TRM_INLINE void fv_cut_invert(fv_cut_fit *fit)
{
  const real *a = fit->a;
  TRM_UNROLL for (int k = 0; k < 9; k++) {
    const int i = k / 3, j = k % 3, up = (i + 1) % 3 * 3, down = (i + 2) % 3 * 3;
    fit->inverse[3 * j + i] = a[up + (j + 1) % 3] * a[down + (j + 2) % 3] -
                              a[up + (j + 2) % 3] * a[down + (j + 1) % 3];
  }
  fit->det = a[0] * fit->inverse[0] + a[1] * fit->inverse[3] + a[2] * fit->inverse[6];
}

/* gap: of fv_cut_gap. */
TRM_INLINE void fv_cut_solve(fv_cut_fit *fit, const int gap)
{
#if FV_SZ == 1
  fit->a[2] = fit->a[5] = fit->a[6] = fit->a[7] = R(0.0);
  fit->a[8] = R(1.0);
#endif
  fv_cut_invert(fit);
  if (gap == 2) { /* no slopes: a line would reach far beyond its looks */
    TRM_UNROLL for (int i = 0; i < 9; i++) fit->inverse[i] = R(0.0);
    fit->det = R(1.0);
  } else if (!(fit->det > FV_CUT_LEAST_DET) && gap) { /* one unit wide: hardly a slope across */
    for (int i = 0; i < FV_CUT_AXES; i++) fit->a[4 * i] += R(0.05);
    fv_cut_invert(fit);
  }
}

/* A look's factor along an axis. */
TRM_INLINE real fv_cut_factor(const fv_cut_fit *fit, const real *off, const real weight,
                              const int axis)
{
  real sum = R(0.0);
  for (int j = 0; j < FV_CUT_AXES; j++) sum += fit->inverse[3 * axis + j] * off[j];
  return axis < FV_CUT_AXES ? weight * sum / fit->det : R(0.0);
}

/* For a unit in a gap beside a body that slides: 1, or 2 if it has cells that do not touch its
 * master, as when a wide gap opens. */
TRM_INLINE int fv_cut_gap(TRM_IN(int) records, const int first)
{
  int flags = 0;
  for (int i = first; i >= 0; i = records[4 * i + FV_RECORD_NEXT])
    flags |= records[4 * i + FV_RECORD_FLAGS];
  return flags & FV_CUT_GAP ? flags & FV_CUT_CHAIN ? 2 : 1 : 0;
}

/* ---- the looks of a turn ------------------------------------------------------------ */

/* The way to each look lies in the rows of its factors until these are made; with walls, also the
 * volume of its unit. */
TRM_INLINE void fv_cut_keep(TRM_OUT(real) row, const real *off, const real total, const int walled)
{
  for (int a = 0; a < 3; a++) row[FV_CUT_ROW(a)] = off[a];
  if (walled) row[FV_CUT_ROW(3)] = total;
}

/* The units about one, each once. Returns how many; -1: there is no room. */
TRM_INLINE int fv_cut_cells_about(const fv_params p, TRM_IN(int) turn, TRM_IN(int) near,
                                  TRM_IN(int) numbers, TRM_IN(int) pieces, TRM_IN(int) records,
                                  TRM_IN(real) centres, TRM_OUT(int) looks, TRM_OUT(real) weights,
                                  fv_cut_fit *fit)
{
  const int cell = turn[FV_STENCIL_CELL], own = fv_cut_record(p, numbers, pieces, cell);
  const int walled = turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED;
  int count = 0, pieces_found = 0, found[27]; /* found: of these, units of cells with records */
  for (int k = FV_CUT_BEGIN; k < FV_CUT_END; k++) {
    const int to = fv_cut_next_to(near, cell, k), other = fv_cut_record(p, numbers, pieces, to);
    const int unit = other >= 0 ? records[4 * other + FV_RECORD_MASTER] : to;
    int is_new = k != FV_CUT_OWN && other != FV_KIND_SOLID && unit != cell;
    for (int i = 0; i < pieces_found && other >= 0; i++) is_new &= found[i] != unit;
    if (is_new && to >= p.blocks * FV_CELLS) return -1;
    if (is_new) {
      const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      real off[3];
      for (int a = 0; a < 3; a++)
        off[a] = (real)by[a] + (other >= 0 ? centres[4 * other + a] : R(0.5)) -
                 (own >= 0 ? centres[4 * own + a] : R(0.5));
      fv_cut_gather(fit, off, R(1.0) / trm_max(fv_cut_squared(off), FV_CUT_LEAST_SQUARE));
      if (other >= 0) found[pieces_found++] = unit;
      looks[FV_CUT_ROW(count)] = unit;
      fv_cut_keep(weights + FV_CUT_ROW(count * (walled ? 6 : 3)), off,
                  other >= 0 ? centres[4 * other + 3] : R(1.0), walled);
      count++;
    }
  }
  return count;
}

/* The walls of a unit's cells that hold the gas fast. */
TRM_INLINE void fv_cut_walls_about(const fv_params p, const int own, TRM_IN(int) records,
                                   TRM_IN(real) sizes, const int count, TRM_OUT(int) looks,
                                   TRM_OUT(real) weights, fv_cut_fit *fit)
{
  for (int i = own, k = count; i >= 0; i = records[4 * i + FV_RECORD_NEXT])
    if (records[4 * i + FV_RECORD_FLAGS] & FV_CUT_FAST) {
      const int wall = records[4 * i + FV_RECORD_WALL];
      real off[3];
      for (int a = 0; a < 3; a++) off[a] = FV_CUT_WALL(p, sizes, wall, 3 + a);
      fv_cut_gather(fit, off, R(1.0) / trm_max(fv_cut_squared(off), FV_CUT_LEAST_WALL));
      looks[FV_CUT_ROW(k)] = -1 - wall;
      fv_cut_keep(weights + FV_CUT_ROW(6 * k), off, R(0.0), 1);
      k++;
    }
}

/* The mean over a unit of so much volume of the squared distance from a plane; away: how far its
 * centroid lies from it. */
TRM_INLINE real fv_cut_square_from(const real total, const real away)
{
  return away * away + total * total / R(12.0);
}

/* The amount by which a velocity's slope at a wall, in the direction into the body, is steeper than
 * at the centroid. It follows from the amount by which the line along the centroid's slope misses
 * there. It preserves a parabola along the normal whose slope is 0 at the wall, for any stencil of
 * units and walls. The members are sums over the stencil; n: the wall's normal, wall: the way to
 * it. */
typedef struct fv_cut_bend { real n[3], wall[3], slope[3], own, here, per_area; } fv_cut_bend;

TRM_INLINE void fv_cut_begin_bend(const fv_params p, TRM_IN(real) sizes, const int number,
                                  const real total, fv_cut_bend *b)
{
  b->per_area = FV_CUT_WALL(p, sizes, number, 13);
  b->own = R(0.0);
  for (int a = 0; a < 3; a++) {
    b->n[a] = FV_CUT_WALL(p, sizes, number, a) * b->per_area;
    b->wall[a] = FV_CUT_WALL(p, sizes, number, 3 + a);
    b->slope[a] = R(0.0);
    b->own += b->n[a] * b->wall[a];
  }
  b->here = fv_cut_square_from(total, b->own);
}

/* One more look, whose factors these are; total: of its unit, is_cell: 0, it is a wall. */
TRM_INLINE void fv_cut_bend_by(fv_cut_bend *b, const real *off, const real *factors,
                               const real total, const int is_cell)
{
  real away = b->own;
  for (int a = 0; a < 3; a++) away -= b->n[a] * off[a];
  const real there = is_cell ? fv_cut_square_from(total, away) : away * away;
  for (int a = 0; a < 3; a++) b->slope[a] += factors[a] * (there - b->here);
}

/* Times the wall's area. */
TRM_INLINE real fv_cut_end_bend(const fv_cut_bend *b, const real total)
{
  real along = R(0.0), ahead = R(0.0);
  for (int a = 0; a < 3; a++) {
    along += b->slope[a] * b->n[a];
    ahead += b->slope[a] * b->wall[a];
  }
  const real missed = -(b->here + ahead), most = FV_CUT_STEEPEST / trm_max(b->own, R(0.25));
  const real steeper = missed > R(0.0) ? trm_min(trm_max(-along / missed, R(0.0)), most) : R(0.0);
  return b->per_area > R(0.0) ? trm_min(steeper / b->per_area, FV_CUT_MOST * total) : R(0.0);
}

/* A look's weight: of a cell's unit, or of a wall. */
TRM_INLINE real fv_cut_weight(const real *off, const int is_cell)
{
  return R(1.0) / trm_max(fv_cut_squared(off), is_cell ? FV_CUT_LEAST_SQUARE : FV_CUT_LEAST_WALL);
}

/* Factors in the place of ways: without walls, then with them; with all for the wall as well. Four
 * looks at a time, which a GPU reads at once. */
TRM_INLINE void fv_cut_list_factors(TRM_IN(int) turn, const int cells, const fv_cut_fit *plain,
                                    const fv_cut_fit *all, fv_cut_bend *b, TRM_OUT(real) weights)
{
  const int walled = turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED;
  const int count = cells + turn[FV_STENCIL_WALLS];
  for (int first = 0; first < count; first += 4) {
    real off[12], total[4];
    TRM_UNROLL for (int i = 0; i < 4; i++) {
      const int k = first + i < count ? first + i : count - 1;
      TRM_IN(real) row = weights + FV_CUT_ROW(k * (walled ? 6 : 3));
      for (int a = 0; a < 3; a++) off[3 * i + a] = row[FV_CUT_ROW(a)];
      total[i] = walled ? row[FV_CUT_ROW(3)] : R(0.0);
    }
    TRM_UNROLL for (int i = 0; i < 4; i++) {
      const int k = first + i, is_cell = k < cells;
      const real weight = fv_cut_weight(off + 3 * i, is_cell);
      TRM_OUT(real) row = weights + FV_CUT_ROW(k * (walled ? 6 : 3));
      real factors[3];
      for (int a = 0; a < 3 && k < count; a++)
        row[FV_CUT_ROW(a)] = is_cell ? fv_cut_factor(plain, off + 3 * i, weight, a) : R(0.0);
      if (k < count && walled) {
        for (int a = 0; a < 3; a++)
          row[FV_CUT_ROW(3 + a)] = factors[a] = fv_cut_factor(all, off + 3 * i, weight, a);
        fv_cut_bend_by(b, off + 3 * i, factors, total[i], is_cell);
      }
    }
  }
}

/* For a wall behind a unit's first, whose stencil's ways still lie in the rows. */
TRM_INLINE real fv_cut_bend_of(const fv_params p, TRM_IN(real) sizes, const int number,
                               const int cells, const int count, const real total,
                               const fv_cut_fit *all, TRM_IN(real) weights)
{
  fv_cut_bend b;
  fv_cut_begin_bend(p, sizes, number, total, &b);
  for (int k = 0; k < count; k++) {
    TRM_IN(real) row = weights + FV_CUT_ROW(6 * k);
    const real off[3] = { row[0], row[FV_CUT_ROW(1)], row[FV_CUT_ROW(2)] };
    const real weight = fv_cut_weight(off, k < cells);
    real factors[3];
    for (int a = 0; a < 3; a++) factors[a] = fv_cut_factor(all, off, weight, a);
    fv_cut_bend_by(&b, off, factors, row[FV_CUT_ROW(3)], k < cells);
  }
  return fv_cut_end_bend(&b, total);
}

/* Factors, and behind their rows the steeper slopes of velocities at each wall of a unit; own: its
 * first record. The first wall takes the same pass as the factors. */
TRM_INLINE void fv_cut_list_walled(const fv_params p, const int own, TRM_IN(int) turn,
                                   TRM_IN(int) records, TRM_IN(real) centres, TRM_IN(real) sizes,
                                   const int cells, const fv_cut_fit *plain,
                                   const fv_cut_fit *all, TRM_OUT(real) weights)
{
  const int count = cells + turn[FV_STENCIL_WALLS];
  const real total = centres[4 * own + 3];
  TRM_OUT(real) to = weights + FV_CUT_ROW(6 * turn[FV_STENCIL_ROOM]);
  int first = -1, k = 0;
  fv_cut_bend b;
  for (int i = own; i >= 0; i = records[4 * i + FV_RECORD_NEXT])
    if (records[4 * i + FV_RECORD_FLAGS] & FV_CUT_FAST) {
      const int wall = records[4 * i + FV_RECORD_WALL];
      if (first < 0) first = wall;
      else to[FV_CUT_ROW(k)] = fv_cut_bend_of(p, sizes, wall, cells, count, total, all, weights);
      k++;
    }
  fv_cut_begin_bend(p, sizes, first, total, &b);
  fv_cut_list_factors(turn, cells, plain, all, &b, weights);
  to[0] = fv_cut_end_bend(&b, total);
}

/* For a unit without slopes: its state becomes NaN, and the host looks for the reason. Its stencil
 * is the unit itself, then its walls. */
TRM_INLINE int fv_cut_fail(TRM_IN(int) turn, const int why, TRM_OUT(int) looks,
                           TRM_OUT(real) weights)
{
  looks[0] = 1;
  looks[FV_CUT_ROW(1)] = turn[FV_STENCIL_CELL];
  for (int k = 0; k < (turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED ? 6 : 3); k++)
    weights[FV_CUT_ROW(k)] = trm_sqrt(R(-1.0));
  return why;
}

/* Returns 0, or why there are no slopes: FV_STENCIL_BEYOND, FV_STENCIL_FEW. */
TRM_INLINE int fv_cut_make_stencil(const fv_params p, TRM_IN(int) turn, TRM_IN(int) near,
                                   TRM_IN(int) numbers, TRM_IN(int) pieces, TRM_IN(int) records,
                                   TRM_IN(real) centres, TRM_IN(real) sizes, TRM_OUT(int) looks,
                                   TRM_OUT(real) weights)
{
  const int cell = turn[FV_STENCIL_CELL], own = fv_cut_record(p, numbers, pieces, cell);
  const int gap = fv_cut_gap(records, own);
  fv_cut_fit plain, all;
  for (int i = 0; i < 9; i++) plain.a[i] = plain.inverse[i] = R(0.0);
  plain.det = R(0.0);
  const int cells = fv_cut_cells_about(p, turn, near, numbers, pieces, records, centres,
                                       looks + FV_CUT_GROUP, weights, &plain);
  if (cells < 0) return fv_cut_fail(turn, FV_STENCIL_BEYOND, looks, weights);
  all = plain;
  fv_cut_solve(&plain, gap);
  if (!(plain.det > FV_CUT_LEAST_DET)) return fv_cut_fail(turn, FV_STENCIL_FEW, looks, weights);
  looks[0] = cells;
  if (turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED) {
    fv_cut_walls_about(p, own, records, sizes, cells, looks + FV_CUT_GROUP, weights, &all);
    fv_cut_solve(&all, gap);
    if (!(all.det > FV_CUT_LEAST_DET)) return fv_cut_fail(turn, FV_STENCIL_FEW, looks, weights);
    fv_cut_list_walled(p, own, turn, records, centres, sizes, cells, &plain, &all, weights);
  } else {
    fv_cut_bend none;
    fv_cut_list_factors(turn, cells, &plain, &all, &none, weights);
  }
  return 0;
}

/* Walls have other numbers in each step, and their sizes are new. */
TRM_INLINE void fv_cut_number_walls(const fv_params p, TRM_IN(int) turn, TRM_IN(int) numbers,
                                    TRM_IN(int) pieces, TRM_IN(int) records, TRM_OUT(int) looks,
                                    TRM_IN(real) weights, TRM_OUT(real) sizes)
{
  TRM_OUT(int) look = looks + FV_CUT_ROW(1 + looks[0]);
  TRM_IN(real) steeper = weights + FV_CUT_ROW(6 * turn[FV_STENCIL_ROOM]);
  for (int i = fv_cut_record(p, numbers, pieces, turn[FV_STENCIL_CELL]); i >= 0;
       i = records[4 * i + FV_RECORD_NEXT])
    if (records[4 * i + FV_RECORD_FLAGS] & FV_CUT_FAST) {
      *look = -1 - records[4 * i + FV_RECORD_WALL];
      FV_CUT_WALL(p, sizes, records[4 * i + FV_RECORD_WALL], 15) = *steeper;
      look += FV_CUT_GROUP;
      steeper += FV_CUT_GROUP;
    }
}

/* renewed: twice the number of a turn, and 1 where its factors are kept; after that 0, or why it
 * has none. */
TRM_GROUP_KERNEL10(fv_cut_stencil, TRM_NO_SHARED, fv_params, TRM_RW(int) renewed, TRM_RO(int) turns,
                   TRM_RO(int) near, TRM_RO(int) numbers, TRM_RO(int) pieces, TRM_RO(int) records,
                   TRM_RO(real) centres, TRM_RW(int) looks, TRM_RW(real) weights,
                   TRM_RW(real) sizes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.values) {
      const int number = renewed[i] / 2, kept = renewed[i] % 2, item = number % FV_CUT_GROUP;
      TRM_IN(int) turn = turns + (trm_index)number * FV_STENCIL_INTS;
      TRM_OUT(int) look = looks + turn[FV_STENCIL_FIRST] + item;
      TRM_OUT(real) weight = weights + FV_CUT_ROW(turn[FV_STENCIL_WEIGHT]) + item;
      int why = 0;
      if (turn[FV_STENCIL_NUMBER] < 0)
        why = 0;
      else if (turn[FV_STENCIL_KIND] == FV_STENCIL_CENTRAL)
        for (int f = 0; f < FV_CUT_BESIDE; f++) {
          const int by = f / 2 == 0 ? 1 : f / 2 == 1 ? 3 : 9;
          look[FV_CUT_ROW(f)] = fv_cut_next_to(near, turn[FV_STENCIL_CELL],
                                               FV_CUT_OWN + (f % 2 ? by : -by));
        }
      else if (!kept)
        why = fv_cut_make_stencil(p, turn, near, numbers, pieces, records, centres, sizes, look,
                                  weight);
      if (turn[FV_STENCIL_NUMBER] >= 0 && turn[FV_STENCIL_KIND] == FV_STENCIL_WALLED)
        fv_cut_number_walls(p, turn, numbers, pieces, records, look, weight, sizes);
      renewed[i] = why;
    }
  }
}
