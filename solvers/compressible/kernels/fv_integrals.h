/* Sums over the gas as a series each: kinetic energy; half the square of the vorticity; the heat
 * that friction makes of the flow's energy. Parts of each of the three lie one behind another: of
 * the leaves by slot, then of the units at walls (fv_unit.h). They are folded in the order of
 * leaves. They lie where the next stage's values will. */

typedef struct fv_summed { real lane[FV_SUMS][FV_CELLS]; } fv_summed;
typedef struct fv_gradient { real s[9]; } fv_gradient; /* of u, v and w along x, y and z each */
typedef struct fv_integrand { real value[FV_SUMS]; } fv_integrand;

TRM_INLINE fv_integrand fv_integrate(const fv_params p, const fv_cell c, const fv_gradient g)
{
  const real curl_x = g.s[7] - g.s[5], curl_y = g.s[2] - g.s[6], curl_z = g.s[3] - g.s[1];
  const real shear_x = g.s[7] + g.s[5], shear_y = g.s[2] + g.s[6], shear_z = g.s[3] + g.s[1];
  const real spread = (g.s[0] + g.s[4]) + g.s[8];
  const real stretch = fv_square(g.s[0], g.s[4], g.s[8]);
  const real shear = fv_square(shear_x, shear_y, shear_z);
  real viscosity = p.viscosity;
  if (FV_FORM_OF(p) & FV_SUTHERLAND) viscosity = viscosity * fv_viscosity(p, c.t);
  fv_integrand to;
  to.value[0] = R(0.5) * c.rho * fv_square(c.u, c.v, c.w);
  to.value[1] = R(0.5) * fv_square(curl_x, curl_y, curl_z);
  to.value[2] = viscosity * trm_fma(R(2.0), stretch,
                                    trm_fma(R(-0.66666666666666663) * spread, spread, shear));
  return to;
}

TRM_INLINE real fv_volume(const fv_params own)
{
  const real h = R(1.0) / own.inv_h;
  return FV_SZ > 1 ? h * h * h : h * h;
}

/* Leaves; p.marked: once more those with listed or solid cells, which do not count here. */
TRM_GROUP_KERNEL4(fv_integrals, fv_summed, fv_params, TRM_RO(real) w, TRM_RO(int) near,
                  TRM_RO(int) marks, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_summed, s);
  TRM_IN(int) mark = marks + (trm_index)group * (FV_CELLS + 1);
  const trm_index slot = p.marked ? mark[0] : group;
  TRM_IN(real) here = w + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  const real per_two_h = R(0.5) * own.inv_h, volume = fv_volume(own);
  TRM_SERIAL(i, FV_CELLS) {
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
  TRM_EACH(k, FV_SUMS) {
    parts[(trm_index)k * (p.blocks + p.units) + slot] = volume * s.lane[k][0];
  }
}

/* Units: cells that a wall cuts, with the cells merged with them, and their neighbours. */
TRM_GROUP_KERNEL5(fv_cut_integrals, TRM_NO_SHARED, fv_params, TRM_RO(real) w, TRM_RO(int) units,
                  TRM_RO(real) volumes, TRM_RO(real) slopes, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < p.units) {
      const fv_params own = fv_at_level(p, units[3 * i + 2]);
      TRM_IN(real) from = FV_CUT_ENTRY(slopes, FV_CUT_SLOPES, i);
      const real volume = fv_volume(own) / volumes[3 * i];
      fv_gradient g;
      for (int k = 0; k < 9; k++) g.s[k] = own.inv_h * FV_CUT_OF(from, k);
      const fv_integrand of = fv_integrate(p, fv_cut_load(w, units[3 * i]), g);
      for (int k = 0; k < FV_SUMS; k++)
        parts[(trm_index)k * (p.blocks + p.units) + p.blocks + i] = volume * of.value[k];
    }
  }
}
