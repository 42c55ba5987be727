/* integrals.c - kinetic energy, enstrophy and dissipation as series: sums over the gas after each
 * step, in the order of leaves, by the kernels of fv_integrals.h. */
#include "solvers/compressible/solver/fv.h"

void fv_read_integrals(fv_solver *fv, const trm_config *config)
{
  fv->has_integrals = trm_config_boolean(config, "compressible.integrals");
  fv->p.sums = FV_SERIES + fv->bodies.count * FV_FORCES;
}

/* Ghosts of leaves, and slopes at walls, are computed again: the last stage had those of its
 * begin. */
trm_status fv_launch_integrals(fv_solver *fv)
{
  trm_buffer *w = fv->w[fv->current], *parts = fv->sums ? fv->sums : fv->w[!fv->current];
  if (!fv->has_integrals) return TRM_OK;
  TRM_TRY(fv_launch_ghosts(fv));
  fv->p.marked = 0;
  TRM_TRY(FV_SHARE(fv, FV_INTEGRALS, fv->p.blocks, FV_LEAVES_OF(1), w, fv->near, fv->near,
                   parts));
  TRM_TRY(fv_integrate_walls(fv, w, parts));
  TRM_TRY(FV_LAUNCH(fv, FV_FOLD, FV_SUMS, parts, fv->near, fv->clock, fv->tally,
                    fv_series_of_one(fv)));
  return fv_add_integrals(fv);
}

void fv_declare_integrals(fv_solver *fv)
{
  static const struct { const char *name, *units[2]; } kinds[FV_SUMS] = {
    { "kinetic_energy", { "J", "J/m" } }, { "enstrophy", { "m^3/s^2", "m^2/s^2" } },
    { "dissipation", { "W", "W/m" } } };
  for (int i = 0; fv->has_integrals && i < FV_SUMS; i++)
    fv->series[fv->base.series_count++] = (trm_series){
      kinds[i].name, kinds[i].units[fv->n[2] == 1], fv_series_of_one(fv), fv->real_type, 1.0,
      (size_t)(fv->p.sums + i) * (size_t)fv->p.limit, 0.0, 0.0 };
}
