/* The clock: the largest rate of the grid, the next step's length, the end of the run; and the
 * fields that are derived for output. */

/* One value for each chunk of a large grid's blocks. */
TRM_GROUP_KERNEL2(fv_peak, fv_lanes, fv_params, TRM_RO(real) part, TRM_RW(real) peaks)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  const int rest = p.blocks - group * FV_CHUNK, count = rest < FV_CHUNK ? rest : FV_CHUNK;
  TRM_IN(real) v = part + (trm_index)group * FV_CHUNK;
  TRM_LARGEST(s.lane, v, count)
  TRM_EACH(i, 1) { peaks[group] = s.lane[0]; }
}

/* The step that was made is counted and noted; the length of the next one is set. A step that would
 * end just before the run does ends with it. */
TRM_GROUP_KERNEL4(fv_clock, fv_lanes, fv_params, TRM_RO(real) peaks, TRM_RW(real) clock,
                  TRM_RW(int) tally, TRM_RW(real) series)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  const real live = group == 0 ? clock[FV_LIVE] : R(0.0);
  if (group == 0 && (live > R(0.0) || p.begins)) {
    TRM_LARGEST(s.lane, peaks, p.values)
    TRM_EACH(i, 1) {
      real time = clock[FV_TIME], rest = clock[FV_TIME_REST];
      const real end = clock[FV_END], end_rest = clock[FV_END_REST];
      const real rate = s.lane[0];
      if (!p.begins) {
        const int slot = tally[FV_SLOT];
        FV_RECORD_STEP
        tally[FV_SLOT] = slot + 1;
        clock[FV_TIME] = time;
        clock[FV_TIME_REST] = rest;
      }
      const real wanted = p.cfl / rate;
      const real left = (end - time) + (end_rest - rest);
      const int is_end = !(left > R(0.0)), is_last = FV_STRETCH * wanted >= left;
      clock[FV_DT] = is_end ? R(0.0) : is_last ? left : wanted;
      clock[FV_LIVE] = is_end ? R(0.0) : is_last ? R(2.0) : R(1.0);
    }
  }
}

/* Pressure, Mach number and vorticity, in the places of a slot's values. */
TRM_GROUP_KERNEL3(fv_observe, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RW(real) seen,
                  TRM_RO(int) near)
{
  TRM_GROUP1(group);
  const trm_index slot = group;
  TRM_IN(real) here = w + slot * FV_BLOCK;
  TRM_OUT(real) next = seen + slot * FV_BLOCK;
  const real per_two_h = R(0.5) * fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]).inv_h;
  TRM_SERIAL(i, FV_CELLS) {
    const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
    const real u = here[i], v = here[FV_CELLS + i], c = here[2 * FV_CELLS + i];
    const real t = here[4 * FV_CELLS + i];
    next[i] = p.inv_gamma * (here[3 * FV_CELLS + i] * t);
    next[FV_CELLS + i] = trm_near_sqrt(fv_square(u, v, c)) * trm_near_rsqrt(t);
    next[2 * FV_CELLS + i] = per_two_h * (FV_SLOPE_Y(2) - FV_SLOPE_Z(1));
    next[3 * FV_CELLS + i] = per_two_h * (FV_SLOPE_Z(0) - FV_SLOPE_X(2));
    next[4 * FV_CELLS + i] = per_two_h * (FV_SLOPE_X(1) - FV_SLOPE_Y(0));
  }
}
