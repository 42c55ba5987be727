/* Sources in the gas inside the box: an acceleration everywhere, and sponges along sides. A sponge
 * draws the state towards the undisturbed one, dq/dt = sigma (q_far - q). A launch of its own over
 * the blocks in question, after the stage. The acceleration uses the state of the stage's fluxes;
 * the sponge is implicit, so that its strength does not limit the step. A cell without a source
 * keeps its bits; a block in which a sponge begins has such cells. */

/* list: of each block its slot, its level and its first cell by axis. old: what the stage began
 * from; w, q: what it left. */
TRM_GROUP_KERNEL7(fv_source, fv_rates, fv_params, TRM_RO(int) list, TRM_RO(real) sources,
                  TRM_RO(real) old, TRM_RW(real) w, TRM_RW(real) q, TRM_RW(real) part,
                  TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_rates, s);
  TRM_IN(int) entry = list + (trm_index)group * FV_SOURCE_INTS;
  const trm_index slot = entry[0];
  TRM_IN(real) from = old + slot * FV_BLOCK;
  TRM_OUT(real) next = w + slot * FV_BLOCK;
  TRM_OUT(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, entry[1]);
  const real h = sources[FV_SOURCE_H] / (real)(1 << entry[1]), length = clock[FV_DT] * p.alpha;
  const int is_force = sources[FV_FORCE] != R(0.0) || sources[FV_FORCE + 1] != R(0.0) ||
                       sources[FV_FORCE + 2] != R(0.0);
  if (clock[FV_LIVE] > R(0.0)) {
    TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
    for (int z = 0; z < FV_SZ; z++)
      TRM_SERIAL(i, FV_SX * FV_SY) {
        const int at = z * FV_SX * FV_SY + i, x = i % FV_SX, y = i / FV_SX;
        const real deep_x = fv_sponge_depth(sources, 0, ((real)(entry[2] + x) + R(0.5)) * h);
        const real deep_y = fv_sponge_depth(sources, 1, ((real)(entry[3] + y) + R(0.5)) * h);
        const real deep_z = FV_SZ > 1 ? fv_sponge_depth(sources, 2,
                                                       ((real)(entry[4] + z) + R(0.5)) * h)
                                      : R(0.0);
        const real deep = trm_max(trm_max(deep_x, deep_y), deep_z);
        const real sponge = length * (sources[FV_SPONGE_STRENGTH] * (deep * deep));
        const real mass = length * from[3 * FV_CELLS + at], rho = next[3 * FV_CELLS + at];
        const real u = next[at], v = next[FV_CELLS + at], c = next[2 * FV_CELLS + at];
        const real push_x = mass * sources[FV_FORCE], push_y = mass * sources[FV_FORCE + 1];
        const real push_z = mass * sources[FV_FORCE + 2];
        const real energy = p.is_last ? kept[4 * FV_CELLS + at]
          : rho * (next[4 * FV_CELLS + at] / p.heat +
                   R(0.5) * fv_square(u, v, c));
        const real work = fv_of_axes(push_x * from[at], push_y * from[FV_CELLS + at],
                                     push_z * from[2 * FV_CELLS + at]);
        const real by = R(1.0) / (R(1.0) + sponge);
        TRM_IN(real) far = sources + FV_SPONGE_STATE;
        const real q0 = trm_fma(sponge, far[0], p.is_last ? kept[at] : rho) * by;
        const real q1 = trm_fma(sponge, far[1], (p.is_last ? kept[FV_CELLS + at] : rho * u) +
                                                push_x) * by;
        const real q2 = trm_fma(sponge, far[2], (p.is_last ? kept[2 * FV_CELLS + at] : rho * v) +
                                                push_y) * by;
        const real q3 = trm_fma(sponge, far[3], (p.is_last ? kept[3 * FV_CELLS + at] : rho * c) +
                                                push_z) * by;
        const real q4 = trm_fma(sponge, far[4], energy + work) * by;
        const fv_cell now = fv_values(own, q0, q1, q2, q3, q4);
        if (sponge > R(0.0) || is_force) FV_STORE(next, at, now);
        if (p.is_last) {
          kept[at] = q0;
          kept[FV_CELLS + at] = q1;
          kept[2 * FV_CELLS + at] = q2;
          kept[3 * FV_CELLS + at] = q3;
          kept[4 * FV_CELLS + at] = q4;
          s.speed[i] = trm_more(s.speed[i], fv_rate(own, now));
        }
      }
    if (p.is_last) {
      for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2)
        TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); }
      TRM_EACH(i, 1) { part[slot] = s.speed[0]; }
    }
  }
}
