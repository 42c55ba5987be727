/* fv_volumes_flow_source.h - an acceleration and sponges in control volumes, as fv_source.h has
 * them in blocks. They change the contents after fluxes and walls, before gas is shared out. The
 * acceleration acts on the gas of the stage's fluxes; the sponge is implicit. */

/* leaves: the place of each leaf of the lists. */
TRM_GROUP_KERNEL9(fv_flow_source, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(int) list,
                  TRM_RO(int) leaves, TRM_RO(real) gas, TRM_RO(real) places, TRM_RO(real) w,
                  TRM_RO(real) sources, TRM_RO(real) clock, TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int cell = list[volumes[v] / FV_CELL_PARTS], leaf = cell / FV_CELLS;
      const int within[3] = { cell % FV_SX, cell / FV_SX % FV_SY, cell / (FV_SX * FV_SY) % FV_SZ };
      const int sides[3] = { FV_SX, FV_SY, FV_SZ };
      const real length = clock[FV_DT] * p.alpha;
      TRM_IN(real) value = w + v * FV_VALUES;
      TRM_IN(real) far = sources + FV_SPONGE_STATE;
      TRM_OUT(real) to = contents + v * FV_VALUES;
      const real mass = length * (places[v * FV_FLOW_PLACE] * value[3]);
      real deep = R(0.0), push[3];
      for (int a = 0; a < FV_VOLUME_AXES; a++) {
        const real at = (real)(leaves[3 * leaf + a] * sides[a] + within[a]) + R(0.5);
        deep = trm_max(deep, fv_sponge_depth(sources, a, at / p.inv_h));
      }
      const real sponge = length * (sources[FV_SPONGE_STRENGTH] * (deep * deep));
      const real by = R(1.0) / (R(1.0) + sponge);
      const real drawn = sponge * fv_gas_then(gas + v * FV_VOLUME_REALS, p.alpha).volume;
      for (int a = 0; a < 3; a++) push[a] = mass * sources[FV_FORCE + a];
      to[4] += (push[0] * value[0] + push[1] * value[1]) + push[2] * value[2];
      for (int a = 0; a < 3; a++) to[1 + a] += push[a];
      for (int i = 0; i < FV_VALUES && sponge > R(0.0); i++)
        to[i] = trm_fma(drawn, far[i], to[i]) * by;
    }
  }
}
