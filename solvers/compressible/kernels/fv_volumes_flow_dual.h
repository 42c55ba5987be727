/* fv_volumes_flow_dual.h - control volumes about bodies at rest, in dual time (fv_local_step.h).
 *
 * A sweep is a step of volumes with their pseudo step, which all of them share. In every stage, the
 * last one too, a volume in need takes its neighbourhood's mean rate: a residual times its factor.
 * No sweep redistributes the state. So sweeps end where each volume's own residual is zero. */

#define FV_STEP_LANES 64
typedef struct fv_flow_rate { real lane[FV_STEP_LANES]; } fv_flow_rate;

/* The pseudo step that the fastest block with volumes bears. part: rates by slot. */
TRM_GROUP_KERNEL3(fv_flow_local_step, fv_flow_rate, fv_params, TRM_RO(int) slots,
                  TRM_RO(real) part, TRM_RW(real) clock)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_flow_rate, s);
  TRM_SERIAL(lane, FV_STEP_LANES) {
    real most = R(0.0);
    for (int i = group * FV_STEP_LANES + lane; i < p.values; i += FV_STEP_LANES)
      most = trm_more(most, fv_flow_held(p, part, slots[i]));
    s.lane[lane] = most;
  }
  for (int fold = FV_STEP_LANES / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) { s.lane[i] = trm_more(s.lane[i], s.lane[i + fold]); }
  TRM_EACH(i, 1) { clock[FV_DT] = p.cfl / s.lane[0]; }
}

/* At the begin of a step, as fv_begin has it of blocks. */
TRM_GROUP_KERNEL4(fv_flow_given, TRM_NO_SHARED, fv_params, TRM_RO(real) q, TRM_RW(real) before,
                  TRM_RW(real) given, TRM_RO(real) clock)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    for (trm_index i = v * FV_VALUES; v < p.units && i < (v + 1) * FV_VALUES; i++) {
      given[i] = trm_fma(clock[FV_AHEAD], q[i], -(clock[FV_BEHIND] * before[i]));
      before[i] = q[i];
    }
  }
}

/* Contents after a stage lose the derivative by time. q: at the sweep's begin. */
TRM_GROUP_KERNEL5(fv_flow_derive, TRM_NO_SHARED, fv_params, TRM_RO(real) gas, TRM_RO(real) q,
                  TRM_RO(real) given, TRM_RO(real) clock, TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    for (trm_index i = v * FV_VALUES; v < p.units && i < (v + 1) * FV_VALUES; i++)
      contents[i] -= p.alpha * clock[FV_DT] * gas[v * FV_VOLUME_REALS + FV_GAS_END] *
                     (clock[FV_PER_DT] * q[i] - given[i]);
  }
}

/* The factors that keep sweeps stable in steps of any length, and at walls with friction. begin: at
 * the sweep's begin. */
TRM_GROUP_KERNEL4(fv_flow_damp, TRM_NO_SHARED, fv_params, TRM_RO(real) begin, TRM_RO(real) parts,
                  TRM_RO(real) clock, TRM_RW(real) q)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    const real part = v < p.units && p.viscosity > R(0.0) ? parts[v] : R(1.0);
    const real by = part / trm_fma(p.alpha * clock[FV_DT], clock[FV_PER_DT], R(1.0));
    for (trm_index i = v * FV_VALUES; v < p.units && i < (v + 1) * FV_VALUES; i++)
      q[i] = begin[i] + by * (q[i] - begin[i]);
  }
}
