/* Steps in dual time (fv_local_step.h): their begin, the residual's size, the clock; and the
 * sums at walls, which are others there. */

/* At the begin of a step: what the derivative by time takes from the states so far. */
TRM_GROUP_KERNEL4(fv_begin, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RW(real) before,
                  TRM_RW(real) given, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  const trm_index first = (trm_index)group * FV_BLOCK;
  TRM_IN(real) now = q + first;
  TRM_OUT(real) past = before + first;
  TRM_OUT(real) to = given + first;
  const real ahead = clock[FV_AHEAD], behind = clock[FV_BEHIND];
  if (FV_RUNS(clock))
    TRM_EACH(i, FV_BLOCK) {
      to[i] = trm_fma(ahead, now[i], -(behind * past[i]));
      past[i] = now[i];
    }
}

typedef struct fv_squares { real lane[FV_SX * FV_SY]; } fv_squares;

/* The residual of a block at the sweep's begin, after the first stage, with the values w: a sum of
 * squares by volume. Its terms are the residuals of mass by density, of momentum by density and
 * speed of sound, of energy by density and its square. Solid cells, which hold no gas, do not
 * count. */
TRM_GROUP_KERNEL5(fv_norm, fv_squares, fv_params, TRM_RO(real) w, TRM_RO(real) q,
                  TRM_RW(real) norms, TRM_RO(real) clock, TRM_RO(int) near)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_squares, s);
  const trm_index slot = group;
  TRM_IN(real) after = w + slot * FV_BLOCK;
  TRM_IN(real) kept = q + slot * FV_BLOCK;
  const int level = near[slot * FV_NEAR_INTS + FV_LEVEL];
  const fv_params own = fv_at_level(p, level);
  const real per_dt = clock[FV_PER_DT], inner = p.enthalpy * p.inv_gamma;
  const real parts = (real)(1 << level), share = R(1.0) / (parts * parts *
                                                          (FV_SZ > 1 ? parts : R(1.0)));
  if (FV_RUNS(clock)) {
    TRM_EACH(i, FV_SX * FV_SY) { s.lane[i] = R(0.0); }
    for (int k = 0; k < FV_SZ; k++)
      TRM_EACH(i, FV_SX * FV_SY) {
        const int at = k * FV_SX * FV_SY + i;
        FV_STATE(before, at);
        const real u = after[at], v = after[FV_CELLS + at], c = after[2 * FV_CELLS + at];
        const real rho = after[3 * FV_CELLS + at], t = after[4 * FV_CELLS + at];
        const real energy = rho * trm_fma(inner, t, R(0.5) * fv_square(u, v, c));
        const int is_gas = before.mass != R(0.0);
        const real dt_ratio = R(1.0) / (is_gas ? fv_pseudo_step(own, per_dt, before) : R(1.0));
        const real scale = dt_ratio / rho, sound = R(1.0) / t;
        const real a = rho - before.mass, e = energy - before.energy;
        const real x = trm_fma(rho, u, -before.u), y = trm_fma(rho, v, -before.v);
        const real z = trm_fma(rho, c, -before.w);
        const real square = trm_fma(a, a, sound * trm_fma(x, x, trm_fma(y, y,
                                    trm_fma(z, z, sound * (e * e)))));
        s.lane[i] = s.lane[i] + (is_gas ? scale * scale * square : R(0.0));
      }
    for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2)
      TRM_EACH(i, fold) { s.lane[i] = s.lane[i] + s.lane[i + fold]; }
    TRM_EACH(i, 1) { norms[slot] = share * s.lane[0]; }
  }
}

/* p.begins 2: after a cycle of the step at hand, which ends or goes on; NaN ends it. Towards a
 * steady flow the first residual is the run's. */
TRM_INLINE void fv_count_cycle(const real sum, TRM_OUT(real) clock, TRM_OUT(int) tally)
{
  const real residual = trm_sqrt(sum * clock[FV_PER_VOLUME]);
  const int cycles = tally[FV_CYCLES] + 1;
  const real first = clock[FV_FIRST] > R(0.0) ? clock[FV_FIRST] : residual;
  const int is_open = residual > clock[FV_TOLERANCE] * first && (real)cycles < clock[FV_MOST];
  tally[FV_CYCLES] = cycles;
  clock[FV_FIRST] = first;
  clock[FV_LATEST] = residual;
  clock[FV_GOES] = is_open ? R(1.0) : R(0.0);
}

/* The derivative by time of the next step, of length dt after a step of last_dt. It is by two
 * steps, which may differ (second order), or by one step if there was no last one. */
TRM_INLINE void fv_derive(const real dt, TRM_OUT(real) clock)
{
  const real last_dt = clock[FV_LAST_DT];
  const real ratio = last_dt > R(0.0) ? dt / last_dt : R(0.0), more = R(1.0) + ratio;
  clock[FV_PER_DT] = (more + ratio) / (more * dt);
  clock[FV_AHEAD] = more / dt;
  clock[FV_BEHIND] = ratio * ratio / (more * dt);
}

/* As fv_clock, by p.begins: 0, the step that was made is counted and noted, and the next one's
 * length is set; 1, that alone; 2, see above. A step a thousandth longer than asked for ends a run
 * that would end just behind it. */
TRM_GROUP_KERNEL6(fv_pseudo_clock, fv_lanes, fv_params, TRM_RO(real) peaks, TRM_RO(real) norms,
                  TRM_RO(int) near, TRM_RW(real) clock, TRM_RW(int) tally, TRM_RW(real) series)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_lanes, s);
  if (p.begins == 2) {
    if (group == 0 && FV_RUNS(clock)) {
      TRM_SERIAL(lane, 256) {
        real sum = R(0.0);
        for (int i = lane; i < p.blocks; i += 256)
          sum = sum + norms[near[(trm_index)i * FV_NEAR_INTS + FV_SLOT_OF]];
        s.lane[lane] = sum;
      }
      for (int fold = 128; fold > 0; fold /= 2)
        TRM_EACH(i, fold) { s.lane[i] = s.lane[i] + s.lane[i + fold]; }
      TRM_EACH(i, 1) { fv_count_cycle(s.lane[0], clock, tally); }
    }
  } else {
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
          series[(trm_index)p.paced * p.limit + slot] = clock[FV_FIRST];
          series[(trm_index)(p.paced + 1) * p.limit + slot] = clock[FV_LATEST];
          series[(trm_index)(p.paced + 2) * p.limit + slot] = (real)tally[FV_CYCLES];
          tally[FV_SLOT] = slot + 1;
          clock[FV_TIME] = time;
          clock[FV_TIME_REST] = rest;
          clock[FV_LAST_DT] = clock[FV_DT];
        }
        const real asked = clock[FV_ASKED_DT];
        const real wanted = asked > R(0.0) ? asked : clock[FV_ASKED_CFL] / rate;
        const real left = (end - time) + (end_rest - rest);
        const int is_end = !(left > R(0.0)), is_last = R(1.001) * wanted >= left;
        const real dt = is_end ? R(0.0) : is_last ? left : wanted;
        const int is_steady = clock[FV_STEADY] > R(0.0);
        const real first = clock[FV_FIRST];
        const int is_done = is_steady && first > R(0.0) &&
                            clock[FV_LATEST] <= clock[FV_TOLERANCE] * first;
        const int is_over = is_end || is_done;
        clock[FV_DT] = dt;
        clock[FV_LIVE] = is_over ? R(0.0) : is_last ? R(2.0) : R(1.0);
        clock[FV_GOES] = is_over ? R(0.0) : R(1.0);
        tally[FV_CYCLES] = 0;
        if (!is_steady) clock[FV_FIRST] = R(0.0);
        if (!is_over && !is_steady) fv_derive(dt, clock);
      }
    }
  }
}

/* The values of each unit at walls after the stage; or, where the stage computes residuals, the
 * unit's own residual. volumes: 1 / its volume. */
TRM_GROUP_KERNEL8(fv_dual_sums, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RO(int) units,
                  TRM_RO(int) joins, TRM_RO(real) volumes, TRM_RO(real) fluxes,
                  TRM_RO(real) clock, TRM_RW(real) fresh, TRM_RO(real) given)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.units) {
      const trm_index first = FV_CUT_INDEX(units[3 * i]);
      TRM_IN(real) kept = q + first;
      TRM_OUT(real) to = FV_CUT_ENTRY(fresh, FV_VALUES, i);
      const int end = units[3 * i + 4];
      fv_params own = fv_at_level(p, units[3 * i + 2]);
      real sum[FV_VALUES];
      for (int v = 0; v < FV_VALUES; v++) sum[v] = R(0.0);
      for (int e = units[3 * i + 1]; e < end; e++) {
        TRM_IN(real) flux = FV_CUT_ENTRY(fluxes, FV_VALUES, joins[e] / 2);
        for (int v = 0; v < FV_VALUES; v++)
          sum[v] = joins[e] & 1 ? sum[v] - FV_CUT_OF(flux, v) : sum[v] + FV_CUT_OF(flux, v);
      }
      FV_STATE(before, 0);
      const fv_state leaves = { sum[0], sum[1], sum[2], sum[3], sum[4] };
      const real length = fv_pseudo_step(own, clock[FV_PER_DT], before);
      own.inv_h = own.inv_h * volumes[3 * (trm_index)i];
      const fv_state rest = fv_residual(own, clock[FV_PER_DT], before, leaves, given + first);
      const int is_rest = p.is_last == FV_RESIDUAL;
      FV_CUT_OF(to, 0) = is_rest ? rest.mass : trm_fma(-length, rest.mass, before.mass);
      FV_CUT_OF(to, 1) = is_rest ? rest.u : trm_fma(-length, rest.u, before.u);
      FV_CUT_OF(to, 2) = is_rest ? rest.v : trm_fma(-length, rest.v, before.v);
      FV_CUT_OF(to, 3) = is_rest ? rest.w : trm_fma(-length, rest.w, before.w);
      FV_CUT_OF(to, 4) =
        is_rest ? rest.energy : trm_fma(-length, rest.energy, before.energy);
    }
  }
}
