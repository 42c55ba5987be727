/* Sums over the gas as a series each: kinetic energy; half the square of the vorticity; the heat
 * that friction makes of the flow's energy. Parts of each of the three lie one behind another: of
 * the leaves by slot, then of the units at walls (fv_unit.h). They are folded in the order of
 * leaves. They lie where the next stage's values will. */

typedef struct fv_summed { real lane[FV_SUMS][FV_CELLS]; } fv_summed;

/* Leaves; p.marked: once more those with listed or solid cells, which do not count here: entries of
 * marks from p.first on, up to p.values. */
TRM_GROUP_KERNEL4(fv_integrals, fv_summed, fv_params, TRM_RO(real) w, TRM_RO(int) near,
                  TRM_RO(int) marks, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_summed, s);
  const int entry = p.first + group, is_there = !p.marked || entry < p.values;
  TRM_IN(int) mark = marks + (trm_index)(is_there ? entry : 0) * (FV_CELLS + 1);
  const trm_index slot = !p.marked ? group : is_there ? mark[0] : 0;
  TRM_IN(real) here = w + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  const real per_two_h = R(0.5) * own.inv_h, volume = fv_volume(own);
  if (is_there) TRM_SERIAL(i, FV_CELLS) {
    const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
    const int counts = !p.marked || mark[1 + i] == -1;
    fv_gradient g;
    fv_cell c;
    for (int v = 0; v < 3; v++) {
      g.s[3 * v] = per_two_h * FV_SLOPE_X(v);
      g.s[3 * v + 1] = per_two_h * FV_SLOPE_Y(v);
      g.s[3 * v + 2] = per_two_h * FV_SLOPE_Z(v);
    }
    c.u = here[i];
    c.v = here[FV_CELLS + i];
    c.w = here[2 * FV_CELLS + i];
    c.rho = here[3 * FV_CELLS + i];
    c.t = here[4 * FV_CELLS + i];
    const fv_integrand of = fv_integrate(p, c, g);
    for (int k = 0; k < FV_SUMS; k++) s.lane[k][i] = counts ? of.value[k] : R(0.0);
  }
  for (int fold = FV_CELLS / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) {
      for (int k = 0; k < FV_SUMS; k++) s.lane[k][i] = s.lane[k][i] + s.lane[k][i + fold];
    }
  if (is_there) TRM_EACH(k, FV_SUMS) {
    parts[(trm_index)k * (p.blocks + p.units) + slot] = volume * s.lane[k][0];
  }
}
