/* The clock: the largest speed of the grid, the next step's length, the end of the run, and the
 * numbers kept of each step. */

#define SHALLOW_SERIES_KEPT 3 /* dt, time, rate */
/* So much longer than wanted a step may be that ends where the run does: else rounding would leave
 * one more, of next to no length. */
#define SHALLOW_STRETCH (TRM_F64_KERNEL ? R(1.000000001) : R(1.00001))
#define SHALLOW_CHUNK 1024 /* values that a group of shallow_peak folds; as SHALLOW_CHUNK_VALUES */

typedef struct shallow_lanes { real lane[256]; } shallow_lanes;

/* One value for each chunk of a large grid's leaves; p.of_row leaves at a time make chunks of their
 * own. */
TRM_GROUP_KERNEL3(shallow_peak, shallow_lanes, shallow_params, TRM_RO(real) part,
                  TRM_RW(real) peaks, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_SHARED(shallow_lanes, s);
  const int chunks = (p.of_row + SHALLOW_CHUNK - 1) / SHALLOW_CHUNK;
  const int row = group / chunks, begin = group % chunks * SHALLOW_CHUNK;
  const int count = p.of_row - begin < SHALLOW_CHUNK ? p.of_row - begin : SHALLOW_CHUNK;
  TRM_IN(real) v = part + p.part + (trm_index)row * p.of_row + begin;
  if (clock[SHALLOW_LIVE] > R(0.0)) {
    TRM_LARGEST(s.lane, v, count)
    TRM_EACH(i, 1) { peaks[group] = s.lane[0]; }
  }
}

/* The value of a side's hydrograph at a time: linear between points, constant beyond them. times
 * and values follow each other. */
TRM_INLINE real shallow_hydrograph(TRM_IN(real) table, const int points, const real time)
{
  int low = 0, high = points - 1;
  if (time <= table[0]) return table[points];
  if (time >= table[high]) return table[points + high];
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (table[middle] <= time) low = middle;
    else high = middle;
  }
  const real part = (time - table[low]) / (table[high] - table[low]);
  return table[points + low] + part * (table[points + high] - table[points + low]);
}

/* The time after the step, in two parts: the sum, and its rounding error. */
TRM_INLINE void shallow_add(real *time, real *rest, const real dt)
{
  const real small = dt + *rest, sum = *time + small;
  *rest = small - (sum - *time);
  *time = sum;
}

/* Values of a side at the begin (0) and the end (1) of the coming step. The end of the last step is
 * the begin of this one: ghost columns were made with its values. */
TRM_INLINE void shallow_edges(const shallow_params p, TRM_OUT(real) clock, TRM_IN(int) tally,
                              TRM_IN(real) tables, const int side, const int kind, const real now,
                              const real then)
{
  TRM_OUT(real) value = clock + SHALLOW_VALUE + 2 * side;
  TRM_OUT(real) depth = clock + SHALLOW_DEPTH + 2 * side;
  if (kind != SHALLOW_OPEN && kind != SHALLOW_WALL) {
    TRM_IN(real) table = tables + tally[SHALLOW_TABLES + 2 * side];
    const int points = tally[SHALLOW_TABLES + 2 * side + 1];
    if (p.begins == 0) value[0] = value[1];
    if (p.begins == 1) value[0] = shallow_hydrograph(table, points, now);
    value[1] = shallow_hydrograph(table, points, then);
    for (int i = 0; i < 2; i++) {
      const real wave_speed = kind == SHALLOW_DISCHARGE && value[i] != R(0.0)
                          ? shallow_cbrt(p.g * trm_fabs(value[i])) : R(0.0);
      depth[i] = wave_speed * wave_speed / p.g;
    }
  }
}

/* The rate that the given discharges demand in a step of length dt: that of the waves in critical
 * flow, u + c = 2 (g q)^(1/3), which run into the first cell even if it is dry. */
TRM_INLINE real shallow_given_rate(const shallow_params p, TRM_IN(int) tally, TRM_IN(real) tables,
                                   const int side, const int kind, const real now, const real then)
{
  TRM_IN(real) table = tables + tally[SHALLOW_TABLES + 2 * side];
  const int points = tally[SHALLOW_TABLES + 2 * side + 1];
  real rate = R(0.0);
  if (kind == SHALLOW_DISCHARGE) {
    const real q = trm_max(trm_fabs(shallow_hydrograph(table, points, now)),
                           trm_fabs(shallow_hydrograph(table, points, then)));
    if (q > R(0.0)) rate = R(2.0) * shallow_cbrt(p.g * q) * (side < 2 ? p.inv_dx : p.inv_dy);
  }
  return rate;
}

/* The step's length, cut so that it ends at the next corner of a side's discharge: between
 * corners a step's mean is exact. A corner within a hundredth of a step is passed. */
TRM_INLINE real shallow_to_corner(TRM_IN(int) tally, TRM_IN(real) tables, const int side,
                                  const int kind, const real time, const real rest, const real dt)
{
  TRM_IN(real) table = tables + tally[SHALLOW_TABLES + 2 * side];
  const int points = tally[SHALLOW_TABLES + 2 * side + 1];
  real wanted = dt;
  if (kind == SHALLOW_DISCHARGE && points > 1) {
    int low = -1, high = points; /* the first corner that is ahead */
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if ((table[middle] - time) - rest > R(0.01) * dt) high = middle;
      else low = middle;
    }
    if (high < points) wanted = trm_min(wanted, (table[high] - time) - rest);
  }
  return wanted;
}

/* Counts and notes the finished step; sets the length of the next one. peaks: p.values maxima.
 * gauges: each cell's element in the state and in the bed. */
TRM_GROUP_KERNEL8(shallow_clock, shallow_lanes, shallow_params, TRM_RO(real) peaks,
                  TRM_RW(real) clock, TRM_RW(int) tally, TRM_RW(real) series, TRM_RO(real) tables,
                  TRM_RO(real) u, TRM_RO(real) beds, TRM_RO(int) gauges)
{
  TRM_GROUP1(group);
  TRM_SHARED(shallow_lanes, s);
  const real live = group == 0 ? clock[SHALLOW_LIVE] : R(0.0);
  if (group == 0 && (live > R(0.0) || p.begins)) {
    TRM_LARGEST(s.lane, peaks + p.part, p.values)
    TRM_EACH(i, p.begins ? 0 : p.gauges) {
      series[(trm_index)(SHALLOW_SERIES_KEPT + i) * p.limit + tally[SHALLOW_SLOT]] =
        u[gauges[2 * i]] + beds[gauges[2 * i + 1]];
    }
    TRM_EACH(i, 1) {
      real time = clock[SHALLOW_TIME], rest = clock[SHALLOW_TIME_REST];
      const real end = clock[SHALLOW_END], end_rest = clock[SHALLOW_END_REST];
      const real made = clock[SHALLOW_DT], most = s.lane[0];
      const int is_last = !p.begins && live > R(1.0);
      /* the square root of the largest square is the largest speed */
      const real rate = p.scheme == SHALLOW_LAX_FRIEDRICHS
                          ? trm_sqrt(R(2.0)) * trm_sqrt(most) * p.inv_dx : most;
      if (!p.begins) {
        const int slot = tally[SHALLOW_SLOT];
        shallow_add(&time, &rest, made);
        time = is_last ? end : time;
        rest = is_last ? end_rest : rest;
        series[slot] = made;
        series[(trm_index)p.limit + slot] = time;
        series[2 * (trm_index)p.limit + slot] = rate;
        tally[SHALLOW_SLOT] = slot + 1;
        tally[SHALLOW_STEPS] = tally[SHALLOW_STEPS] + 1;
        clock[SHALLOW_TIME] = time;
        clock[SHALLOW_TIME_REST] = rest;
      }
      /* a length serves p.every steps, or until a wave would outrun it */
      const real shared = clock[SHALLOW_BLOCK_DT];
      const int is_begin = tally[SHALLOW_STEPS] % p.every == 0;
      const int is_outrun = !(shared * rate <= R(1.0));
      real fresh = most == R(0.0) ? p.still_step : p.cfl / rate;
      const int has_given = p.west == SHALLOW_DISCHARGE || p.east == SHALLOW_DISCHARGE ||
                            p.south == SHALLOW_DISCHARGE || p.north == SHALLOW_DISCHARGE;
      if (has_given) {
        const int kinds[4] = { p.west, p.east, p.south, p.north };
        real asked = R(0.0);
        for (int side = 0; side < 4; side++)
          asked = trm_max(asked, shallow_given_rate(p, tally, tables, side, kinds[side], time,
                                                    time + fresh));
        if (asked * fresh > p.cfl) fresh = p.cfl / asked;
        for (int side = 0; side < 4; side++)
          fresh = shallow_to_corner(tally, tables, side, kinds[side], time, rest, fresh);
      }
      const real wanted = is_begin || is_outrun || p.begins == 1 ? fresh : shared;
      if (!p.begins && !is_begin && is_outrun)
        tally[SHALLOW_REFRESHED] = tally[SHALLOW_REFRESHED] + 1;
      clock[SHALLOW_BLOCK_DT] = wanted;
      const real left = (end - time) + (end_rest - rest);
      const int is_end = !(left > R(0.0)), ends = SHALLOW_STRETCH * wanted >= left;
      const real dt = ends ? left : wanted;
      clock[SHALLOW_DT] = is_end ? R(0.0) : dt;
      clock[SHALLOW_LIVE] = is_end ? R(0.0) : ends ? R(2.0) : R(1.0);
      if (p.ahead > 0 && (clock[SHALLOW_DT] != made || clock[SHALLOW_LIVE] != live)) {
        tally[SHALLOW_FAILED] = tally[SHALLOW_SLOT]; /* what was made beyond is to be made again */
        clock[SHALLOW_LIVE] = R(0.0);
      }
      shallow_edges(p, clock, tally, tables, 0, p.west, time, time + dt);
      shallow_edges(p, clock, tally, tables, 1, p.east, time, time + dt);
      shallow_edges(p, clock, tally, tables, 2, p.south, time, time + dt);
      shallow_edges(p, clock, tally, tables, 3, p.north, time, time + dt);
    }
  }
}
