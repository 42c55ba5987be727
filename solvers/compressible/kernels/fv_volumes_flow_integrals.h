/* fv_volumes_flow_integrals.h - sums over the gas of control volumes (fv_integrals.h), with
 * gradients of the state at a step's end. */

/* marks: of each leaf of the lists the slot, then -1 for its whole cells, which blocks sum. A group
 * has a leaf. */
TRM_GROUP_KERNEL4(fv_flow_marks, TRM_NO_SHARED, fv_params, TRM_RO(int) slots, TRM_RO(int) kinds,
                  TRM_RO(int) list, TRM_RW(int) marks)
{
  TRM_GROUP1(group);
  TRM_OUT(int) to = marks + (trm_index)group * (FV_CELLS + 1);
  TRM_SERIAL(i, FV_CELLS) {
    const int cell = group * FV_CELLS + i;
    const int is_whole = FV_FOUND_KIND(kinds[cell]) == FV_FOUND_GAS &&
                         !fv_is_listed(list, kinds, cell);
    to[1 + i] = is_whole ? -1 : 0;
    if (i == 0) to[0] = slots[group];
  }
}

typedef struct fv_flow_summed { real lane[FV_SUMS][FV_FLOW_LANES]; } fv_flow_summed;

/* parts: FV_SUMS of each chunk of volumes, which a group adds up. */
TRM_GROUP_KERNEL5(fv_flow_integrals, fv_flow_summed, fv_params, TRM_RO(real) gas, TRM_RO(real) w,
                  TRM_RO(real) gradients, TRM_RO(int) fresh, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_flow_summed, s);
  const int first = group * FV_FLOW_CHUNK;
  const int end = p.units - first < FV_FLOW_CHUNK ? p.units : first + FV_FLOW_CHUNK;
  TRM_SERIAL(lane, FV_FLOW_LANES) {
    real sum[FV_SUMS];
    for (int k = 0; k < FV_SUMS; k++) sum[k] = R(0.0);
    for (trm_index v = first + lane; v < end; v += FV_FLOW_LANES) {
      TRM_IN(real) own = w + v * FV_VALUES;
      const real volume = gas[v * FV_VOLUME_REALS + FV_GAS_END];
      fv_gradient g;
      fv_cell c;
      if (!(volume > R(0.0)) || fresh[v] != FV_FLOW_HOLDS) continue;
      for (int k = 0; k < 9; k++) g.s[k] = p.inv_h * gradients[v * FV_FLOW_GRADIENTS + k];
      c.u = own[0];
      c.v = own[1];
      c.w = own[2];
      c.rho = own[3];
      c.t = own[4] / own[3];
      const fv_integrand of = fv_integrate(p, c, g);
      for (int k = 0; k < FV_SUMS; k++) sum[k] = trm_fma(volume, of.value[k], sum[k]);
    }
    for (int k = 0; k < FV_SUMS; k++) s.lane[k][lane] = sum[k];
  }
  for (int fold = FV_FLOW_LANES / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) {
      for (int k = 0; k < FV_SUMS; k++) s.lane[k][i] = s.lane[k][i] + s.lane[k][i + fold];
    }
  TRM_EACH(k, FV_SUMS) { parts[(trm_index)group * FV_SUMS + k] = fv_volume(p) * s.lane[k][0]; }
}
