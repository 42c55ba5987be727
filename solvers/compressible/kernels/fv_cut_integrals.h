/* Sums over the gas (fv_integrals.h) at walls. */

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
