/* The condition under which a kernel's launch counts, and the length of a stage in a cell. Steps in
 * dual time (Jameson, AIAA 91-1596) repeat a sweep of five stages in pseudo time, with each cell's
 * own length. They end when the flow's residual together with the derivative by time has fallen far
 * enough.
 *
 * Residual: the flux out of the cell by time, plus PER_DT q - given, where `given` holds the terms
 * of the derivative by time from earlier states. The stages take PER_DT q at their own state, and
 * so stay stable for any length of the physical step (Melson, Sanetrik and Atkins, 1993): q(k) =
 * q(0) - a dtau / (1 + a dtau PER_DT) residual(q(k - 1)), with q(0) in PER_DT q. */

/* A conserved state, or what leaves a cell: mass, momentum by axis, energy. */
typedef struct fv_state { real mass, u, v, w, energy; } fv_state;

#define FV_RUNS(clock) ((clock)[FV_FORM_OF(p) & FV_IN_DUAL ? FV_GOES : FV_LIVE] > R(0.0))
/* The last stage decides what passes between cells. In dual time each stage's fluxes at interfaces
 * count: the residual is made of them. */
#define FV_MATCHES(p) ((FV_FORM_OF(p) & FV_IN_DUAL) || (p).is_last)

/* At a cell whose numbers in `given` begin at `here`. */
TRM_INLINE fv_state fv_residual(const fv_params p, const real per_dt, const fv_state q,
                                const fv_state leaves, TRM_IN(real) here)
{
  fv_state r;
  r.mass = trm_fma(p.inv_h, leaves.mass, trm_fma(per_dt, q.mass, -here[0]));
  r.u = trm_fma(p.inv_h, leaves.u, trm_fma(per_dt, q.u, -here[FV_CELLS]));
  r.v = trm_fma(p.inv_h, leaves.v, trm_fma(per_dt, q.v, -here[2 * FV_CELLS]));
  r.w = trm_fma(p.inv_h, leaves.w, trm_fma(per_dt, q.w, -here[3 * FV_CELLS]));
  r.energy = trm_fma(p.inv_h, leaves.energy, trm_fma(per_dt, q.energy, -here[4 * FV_CELLS]));
  return r;
}

/* The factor of the residual. */
#define fv_pseudo_step(p, per_dt, q) fv_pseudo_step_of(p, per_dt, q, FV_FORM_OF(p))
TRM_INLINE real fv_pseudo_step_of(const fv_params p, const real per_dt, const fv_state q,
                                  const int form)
{
  const fv_cell c = fv_values(p, q.mass, q.u, q.v, q.w, q.energy);
  const real step = p.alpha * p.cfl;
  return step / trm_fma(per_dt, step, fv_rate_of(p, c, form));
}

#define FV_STORE_STATE(to, at, q) \
  (to)[at] = (q).mass; \
  (to)[FV_CELLS + (at)] = (q).u; \
  (to)[2 * FV_CELLS + (at)] = (q).v; \
  (to)[3 * FV_CELLS + (at)] = (q).w; \
  (to)[4 * FV_CELLS + (at)] = (q).energy;
