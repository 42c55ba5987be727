/* Observation: surface, velocity and speed of the state; the maps of a whole run; and the start of
 * a run. */

/* Surface, u, v and speed into components 0 to 3; land is 1 where there is no water. */
TRM_ROW_KERNEL4(shallow_observe, 0, shallow_params, TRM_RO(real) u, TRM_RW(real) v,
                TRM_RO(real) beds, TRM_RW(uchar) lands)
{
  TRM_ROW(y);
  TRM_IN(real) c = u + p.first + y * p.row;
  TRM_IN(real) bed = beds + p.bed_first + y * p.bed_row;
  TRM_OUT(real) to = v + p.first + y * p.row;
  TRM_OUT(uchar) land = lands + p.land_first + y * p.land_row;
  const real dry = p.dry, limit = p.arrival;
  TRM_CELLS(x) {
    const real h = SHALLOW_H(c)[x];
    const int is_dry = h <= limit;
    const real inverse = shallow_inverse(dry, h);
    const real vx = SHALLOW_HU(c)[x] * inverse, vy = SHALLOW_HV(c)[x] * inverse;
    to[x] = h + bed[x];
    SHALLOW_HU(to)[x] = vx;
    SHALLOW_HV(to)[x] = vy;
    SHALLOW_HV(to)[(trm_index)p.component + x] = trm_sqrt(vx * vx + vy * vy);
    land[x] = (uchar)(is_dry ? 1 : 0);
  }
}

/* Greatest depth, greatest speed, and the time of arrival (-1: not yet), after a step. */
TRM_ROW_KERNEL4(shallow_maps, 0, shallow_params, TRM_RO(real) u, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) maps)
{
  TRM_ROW(y);
  TRM_IN(real) c = u + p.first + y * p.row;
  TRM_IN(real) bed = beds + p.bed_first + y * p.bed_row;
  TRM_OUT(real) to = maps + p.first + y * p.row;
  const real time = clock[SHALLOW_TIME], dry = p.dry, limit = p.arrival, level = p.still_level;
  TRM_CELLS(x) {
    const real h = SHALLOW_H(c)[x], z = bed[x];
    const real inverse = shallow_inverse(dry, h);
    const real vx = SHALLOW_HU(c)[x] * inverse, vy = SHALLOW_HV(c)[x] * inverse;
    const real speed = trm_sqrt(vx * vx + vy * vy);
    const real off = trm_fabs((h + z) - trm_max(level, z));
    const real arrived = SHALLOW_HV(to)[x];
    SHALLOW_H(to)[x] = trm_max(SHALLOW_H(to)[x], h);
    SHALLOW_HU(to)[x] = trm_max(SHALLOW_HU(to)[x], h > limit ? speed : R(0.0));
    SHALLOW_HV(to)[x] = arrived < R(0.0) && off > limit ? time : arrived;
  }
}

/* On several devices: the depths at those gauges that lie in the rows at hand; places has the row
 * and the element of each. Launched over as many cells as there are gauges. */
TRM_ROW_KERNEL3(shallow_gauge, 0, shallow_params, TRM_RO(real) u, TRM_RO(int) places,
                TRM_RW(real) depths)
{
  TRM_ROW(y);
  TRM_SERIAL_CELLS(x) {
    if (places[2 * x] == (int)y) depths[x] = u[places[2 * x + 1]];
  }
}

/* On hosts and GPUs together: the ghost columns, which a GPU's step does not make and a host reads
 * when it gets the row. Launched over the two western and the two eastern ones. */
TRM_ROW_KERNEL3(shallow_ghosts, 0, shallow_params, TRM_RW(real) u, TRM_RO(real) beds,
                TRM_RO(real) clock)
{
  TRM_ROW(y);
  TRM_OUT(real) to = u + p.first + y * p.row;
  TRM_IN(real) bed = beds + p.bed_first + y * p.bed_row;
  /* HLLC leaves the state alone at the run's end */
  const int is_made = p.ghost_time == 0 || p.scheme == SHALLOW_LAX_FRIEDRICHS ||
                      clock[SHALLOW_LIVE] > R(0.0);
  TRM_SERIAL_CELLS(x) {
    const int is_west = x < 2, far = x % 2, near = is_west ? 0 : p.nx - 1;
    const int step = is_west ? 1 : -1, at = (is_west ? 0 : 2) + p.ghost_time;
    const int i = near - (far + 1) * step;
    if (is_made) {
      const shallow_cell ghost = shallow_beyond(
        p, is_west ? p.west : p.east, (real)step, clock[SHALLOW_VALUE + at],
        clock + (is_west ? SHALLOW_OUT_WEST(y) : SHALLOW_OUT_EAST(y)),
        far, bed[i], shallow_across(p, to, bed, near), shallow_across(p, to, bed, near + step));
      SHALLOW_H(to)[i] = ghost.h;
      SHALLOW_HU(to)[i] = ghost.along;
      SHALLOW_HV(to)[i] = ghost.across;
    }
  }
}

/* The speeds of the initial state, without momenta that are too small, and a host's
 * ghost columns. In place. */
TRM_ROW_KERNEL4(shallow_start, 0, shallow_params, TRM_RW(real) u, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(y);
  TRM_OUT(real) c = u + p.first + y * p.row;
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);
  TRM_CELLS(x) {
    SHALLOW_HU(c)[x] = shallow_momentum(numbers, SHALLOW_HU(c)[x]);
    SHALLOW_HV(c)[x] = shallow_momentum(numbers, SHALLOW_HV(c)[x]);
  }
  if (p.scheme == SHALLOW_LAX_FRIEDRICHS)
    TRM_CELLS(x) {
      TRM_ADD(speed, x) = shallow_speed(numbers, SHALLOW_H(c)[x], SHALLOW_HU(c)[x],
                                        SHALLOW_HV(c)[x], SHALLOW_LAX_FRIEDRICHS);
    }
  else
    TRM_CELLS(x) {
      TRM_ADD(speed, x) = shallow_speed(numbers, SHALLOW_H(c)[x], SHALLOW_HU(c)[x],
                                        SHALLOW_HV(c)[x], SHALLOW_HLLC);
    }
  TRM_FOLD_MAX(speed, part + y * TRM_LEAVES_OF(TRM_NX));
  SHALLOW_GHOSTS(c, beds + p.bed_first + y * p.bed_row, y, 0);
}
