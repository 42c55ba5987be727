/* Output of a run beside its state: values at probes as series, means over time, and the gradient
 * of the density. */

/* list: of each probe the slot and the cell, and its first series. One group. */
TRM_GROUP_KERNEL5(fv_probe, TRM_NO_SHARED, fv_params, TRM_RO(int) list, TRM_RO(real) w,
                  TRM_RO(real) clock, TRM_RO(int) tally, TRM_RW(real) series)
{
  TRM_GROUP1(group);
  if (group == 0 && clock[FV_LIVE] > R(0.0)) {
    TRM_SERIAL(i, p.probes) {
      TRM_IN(int) probe = list + 3 * i;
      TRM_IN(real) from = w + (trm_index)probe[0] * FV_BLOCK + probe[1];
      TRM_OUT(real) to = series + (trm_index)probe[2] * p.limit + tally[FV_SLOT];
      to[0] = from[3 * FV_CELLS];
      to[p.limit] = from[0];
      to[2 * (trm_index)p.limit] = from[FV_CELLS];
      to[3 * (trm_index)p.limit] = from[2 * FV_CELLS];
      to[4 * (trm_index)p.limit] = p.inv_gamma * (from[3 * FV_CELLS] * from[4 * FV_CELLS]);
    }
  }
}

/* Means of u, v, w, rho and p over the time since clock[FV_AVERAGE_FROM]; a step counts by its
 * length. averaged[0]: the averaged time. All groups read it, so it grows in a launch of its
 * own. */
TRM_GROUP_KERNEL4(fv_average, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(real) clock,
                  TRM_RO(real) averaged, TRM_RW(real) means)
{
  TRM_GROUP1(group);
  const trm_index slot = group;
  TRM_IN(real) here = w + slot * FV_BLOCK;
  TRM_OUT(real) mean = means + slot * FV_BLOCK;
  if (clock[FV_LIVE] > R(0.0) && clock[FV_TIME] >= clock[FV_AVERAGE_FROM]) {
    const real part = clock[FV_DT] / (averaged[0] + clock[FV_DT]);
    TRM_SERIAL(i, FV_CELLS) {
      const real p_here = p.inv_gamma * (here[3 * FV_CELLS + i] * here[4 * FV_CELLS + i]);
      for (int v = 0; v < FV_VALUES; v++) {
        const real value = v == 4 ? p_here : here[v * FV_CELLS + i];
        mean[v * FV_CELLS + i] = trm_fma(part, value - mean[v * FV_CELLS + i],
                                         mean[v * FV_CELLS + i]);
      }
    }
  }
}
TRM_GROUP_KERNEL2(fv_averaged, TRM_NO_SHARED, fv_params, TRM_RO(real) clock, TRM_RW(real) averaged)
{
  TRM_GROUP1(group);
  if (group == 0 && clock[FV_LIVE] > R(0.0) && clock[FV_TIME] >= clock[FV_AVERAGE_FROM])
    TRM_EACH(i, 1) { averaged[0] = averaged[0] + clock[FV_DT]; }
}

/* The length of the density's gradient, by central differences. */
TRM_GROUP_KERNEL3(fv_steepness, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) near,
                  TRM_RW(real) steep)
{
  TRM_GROUP1(group);
  const trm_index slot = group;
  const real per_two_h = R(0.5) * fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]).inv_h;
  TRM_SERIAL(i, FV_CELLS) {
    const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
    const real gx = FV_SLOPE_X(3), gy = FV_SLOPE_Y(3), gz = FV_SLOPE_Z(3);
    steep[slot * FV_CELLS + i] = per_two_h * trm_sqrt(fv_square(gx, gy, gz));
  }
}

/* Sums over the gas (fv_integrals.h): a group a sum, into the series from p.sums on. */
TRM_GROUP_KERNEL5(fv_fold, fv_lanes, fv_params, TRM_RO(real) parts, TRM_RO(int) near,
                  TRM_RO(real) clock, TRM_RO(int) tally, TRM_RW(real) series)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  const int count = p.blocks + p.units;
  TRM_IN(real) part = parts + (trm_index)group * count;
  TRM_SERIAL(lane, 256) {
    real sum = R(0.0);
    for (int i = lane; i < count; i += 256)
      sum = sum + part[i < p.blocks ? near[(trm_index)i * FV_NEAR_INTS + FV_SLOT_OF] : i];
    s.lane[lane] = sum;
  }
  for (int fold = 128; fold > 0; fold /= 2)
    TRM_EACH(i, fold) { s.lane[i] = s.lane[i] + s.lane[i + fold]; }
  if (clock[FV_LIVE] > R(0.0))
    TRM_EACH(i, 1) {
      series[(trm_index)(p.sums + group) * p.limit + tally[FV_SLOT]] = s.lane[0];
    }
}
