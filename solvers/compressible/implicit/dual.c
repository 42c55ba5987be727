/* dual.c - implicit steps: cycles in pseudo time until the residual of the whole step has fallen by
 * a factor (fv_local_step.h, fv_dual.h). The residual consists of the fluxes out of cells and the
 * derivative by time.
 *
 * The device counts the cycles and closes the step, so that their number is the same everywhere;
 * what is launched beyond changes nothing. The host reads after a few cycles whether it is done. */
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 2, MOST = 64 }; /* cycles between two looks */

/* ---- the case ---------------------------------------------------------------------- */

static trm_status check_keys(const fv_solver *fv, const trm_config *config)
{
  static const char *const keys[] = { "dual.dt", "dual.cfl", "dual.iterations", "dual.tolerance",
                                      "compressible.multigrid", "dual.coarsest" };
  const int count = fv->dual.has_past ? 0 : fv->dual.is_steady ? 3 : 6;
  for (int i = 0; i < count; i++)
    if (trm_config_is_given(config, keys[i]))
      return TRM_FAIL(INPUT, "%s: %s is of steps in dual time, and compressible.time is '%s'; set "
                      "that to 'dual' or leave this out", trm_config_origin(config, keys[i]),
                      keys[i], trm_config_string(config, "compressible.time"));
  if (fv->dual.has_past && fv->dual.dt > 0.0 && trm_config_is_given(config, "dual.cfl"))
    return TRM_FAIL(INPUT, "%s: both dual.dt and dual.cfl say how long a step is; leave one out",
                    trm_config_origin(config, "dual.cfl"));
  if (trm_config_is_given(config, "dual.coarsest") &&
      trm_config_integer(config, "compressible.multigrid") == 0)
    return TRM_FAIL(INPUT, "%s: dual.coarsest is of coarser grids, and compressible.multigrid is "
                    "0; set that or leave this out", trm_config_origin(config, "dual.coarsest"));
  return TRM_OK;
}

trm_status fv_read_dual(fv_solver *fv, const trm_config *config)
{
  fv_dual *dual = &fv->dual;
  dual->is_steady = strcmp(trm_config_string(config, "compressible.time"), "steady") == 0;
  dual->has_past = strcmp(trm_config_string(config, "compressible.time"), "dual") == 0;
  dual->is_on = dual->is_steady || dual->has_past;
  dual->dt = dual->is_steady ? 1 : trm_config_real(config, "dual.dt");
  dual->cfl = trm_config_real(config, "dual.cfl");
  dual->tolerance = trm_config_real(config, "dual.tolerance");
  dual->most = (double)trm_config_integer(config, "dual.iterations");
  dual->grids = (int)trm_config_integer(config, "compressible.multigrid");
  return check_keys(fv, config);
}

/* `what`: a key, or words for several, of which the case may have left out the first. */
static trm_status refuse(const trm_config *config, const char *what, const char *why)
{
  const char *key = strchr(what, ' ') ? "compressible.time" : what;
  return TRM_FAIL(UNSUPPORTED, "%s: compressible.time = '%s' does not work with %s yet: %s",
                  trm_config_origin(config, key), trm_config_string(config, "compressible.time"),
                  what, why);
}

trm_status fv_check_dual(const fv_solver *fv, const trm_config *config)
{
  if (!fv->dual.is_on) return TRM_OK;
  if (fv->adapt.is_asked)
    return refuse(config, "mesh.refine", "the grid cannot change with the flow, because the state "
                  "of the step before stays on it; name boxes");
  for (int side = 0; side < 6; side++)
    if (fv->edges.side[side].is_timed)
      return refuse(config, "sides whose values change with time", "a step's cycles have no time "
                    "of their own; give numbers, or formulas of x, y and z");
  if (fv->sources.is_force || fv->sources.is_sponge)
    return refuse(config, "a force or a sponge", "neither is in the residual; leave "
                  "body_force and boundary.SIDE_sponge out");
  if (fv->diagnostics.count > 0 || fv->diagnostics.has_means)
    return refuse(config, "probes or means", "they are of explicit steps; leave "
                  "probes and average_from out");
  if (fv->bodies.is_moving)
    return refuse(config, "bodies.motion", "walls stay in a step; leave it out");
  return TRM_OK;
}

/* ---- memory ------------------------------------------------------------------------ */

size_t fv_list_dual(fv_solver *fv, trm_framework_buffer *to)
{
  const size_t leaves = fv->forest->blocks.count, reals = leaves * fv->block * FV_VALUES;
  const trm_framework_buffer list[] = {
    { &fv->dual.before, "state a step before", fv->dual.has_past ? reals : 0, fv->real_type, 1,
      NULL },
    { &fv->dual.given, "states before, by time", reals, fv->real_type, 1, NULL },
    { &fv->dual.norms, "residuals", leaves, fv->real_type, 1, NULL } };
  if (!fv->dual.is_on) return 0;
  memcpy(to, list, sizeof list);
  return sizeof list / sizeof *list;
}

/* The clock's numbers of the case. Volumes are in those of a cell of level 0. */
trm_status fv_begin_dual(fv_solver *fv)
{
  const fv_dual *dual = &fv->dual;
  double volume = 0;
  if (!dual->is_on) return TRM_OK;
  for (size_t i = 0; i < fv->forest->blocks.count; i++)
    volume += (double)fv->block * ldexp(1, -fv_axes(fv) * fv->forest->level[i]);
  const double given[FV_GIVEN_REALS] = {
    [FV_TOLERANCE - FV_GIVEN] = dual->tolerance, [FV_MOST - FV_GIVEN] = dual->most,
    [FV_ASKED_DT - FV_GIVEN] = dual->dt, [FV_ASKED_CFL - FV_GIVEN] = dual->cfl,
    [FV_PER_VOLUME - FV_GIVEN] = 1 / volume, [FV_STEADY - FV_GIVEN] = dual->is_steady };
  return trm_framework_write_reals(fv->clock, fv->real_type, FV_GIVEN, given, FV_GIVEN_REALS);
}

/* ---- steps ------------------------------------------------------------------------- */

trm_status fv_launch_norm(fv_solver *fv)
{
  return FV_SHARE(fv, FV_NORM, fv->p.blocks, FV_LEAVES_OF(0), fv->w[fv->current], fv->q,
                  fv->dual.norms, fv->clock, fv->near);
}

trm_status fv_launch_cycle(fv_solver *fv)
{
  if (fv->volumes) TRM_TRY(fv_begin_volumes(fv));
  TRM_TRY(fv->dual.coarser ? fv_launch_v(fv) : fv_launch_sweep(fv, 1));
  TRM_TRY(fv_launch_clock(fv, 2));
  if (!fv->dual.is_steady) return TRM_OK;
  TRM_TRY(fv_launch_forces(fv));
  TRM_TRY(fv_launch_integrals(fv));
  return fv_launch_clock(fv, 0);
}

void fv_account_cycles(fv_solver *fv, int made, int is_over)
{
  fv->dual.cycles += made;
  fv->dual.steps += made;
  fv->base.has_ended = is_over;
  fv_declare_cells(fv);
}

/* Cycles until the device says that the step is closed: as many as the last one took, then few. */
static trm_status make_cycles(fv_solver *fv)
{
  double goes = 1;
  for (int count = fv->dual.guess; goes > 0; count = 8) {
    count = count < FEWEST ? FEWEST : count > MOST ? MOST : count;
    for (int i = 0; i < count && fv->volumes; i++) TRM_TRY(fv_launch_cycle(fv));
    if (!fv->volumes) TRM_TRY(trm_framework_steps(&fv->stepper, 0, (uint64_t)count));
    TRM_TRY(trm_framework_read_reals(fv->clock, fv->real_type, FV_GOES, &goes, 1));
  }
  return TRM_OK;
}

/* Forces at walls belong to the state at the end of the step. */
trm_status fv_advance_dual(fv_solver *fv, double t_end, uint64_t *done)
{
  const int32_t none = 0;
  int32_t cycles = 0;
  if (t_end != fv->end_time) TRM_TRY(fv_set_end(fv, t_end));
  TRM_TRY(trm_buffer_fill(fv->tally, FV_SLOT * sizeof none, sizeof none, &none, sizeof none));
  TRM_TRY(FV_SHARE(fv, FV_BEGIN, fv->p.blocks, FV_LEAVES_OF(0), fv->q, fv->dual.before,
                   fv->dual.given, fv->clock));
  TRM_TRY(fv_begin_dual_volumes(fv));
  TRM_TRY(make_cycles(fv));
  TRM_TRY(trm_buffer_read(fv->tally, FV_CYCLES * sizeof cycles, sizeof cycles, &cycles));
  fv->dual.guess = cycles;
  fv->dual.cycles += cycles;
  fv->dual.steps += cycles > 0;
  if (fv->cut) {
    TRM_TRY(fv_launch_ghosts(fv));
    TRM_TRY(fv_observe_walls(fv));
  }
  TRM_TRY(fv_launch_forces(fv));
  TRM_TRY(fv_launch_integrals(fv));
  TRM_TRY(fv_launch_clock(fv, 0));
  fv_place_fields(fv);
  fv_declare_cells(fv);
  *done = 1;
  return TRM_OK;
}

/* ---- what it tells ----------------------------------------------------------------- */

void fv_declare_dual(fv_solver *fv)
{
  static const struct { const char *name, *unit; } series[FV_DUAL_SERIES] = {
    { "residual_begin", "1/s" }, { "residual", "1/s" }, { "cycles", "1" } };
  if (!fv->dual.is_on) return;
  fv->p.paced = FV_SERIES + fv->bodies.count * FV_FORCES + FV_SUMS;
  for (int i = 0; i < FV_DUAL_SERIES; i++)
    fv->series[fv->base.series_count++] = (trm_series){
      series[i].name, series[i].unit, fv->series_buffer, fv->real_type, 1.0,
      (size_t)(fv->p.paced + i) * (size_t)fv->p.limit, 0.0, 0.0 };
  fv->kept[0] = (trm_kept){ "last_dt", fv->real_type, fv->clock, FV_LAST_DT, 1 };
  fv->kept[1] = (trm_kept){ "residuals", fv->real_type, fv->clock, FV_FIRST, 2 };
  fv->base.kept = fv->kept;
  fv->base.kept_count = fv->dual.is_steady ? 2 : 1;
}

/* A stage also reads what is given of the states before; sweeps are as many as they were. */
void fv_declare_sweeps(fv_solver *fv)
{
  const fv_dual *dual = &fv->dual;
  const double bytes = FV_VALUES * (double)trm_type_size(fv->real_type) * fv->base.cells;
  const double cycles = dual->steps > 0 ? dual->cycles / dual->steps : 1;
  fv->traffic[0].bytes_read += bytes;
  fv->traffic[0].flops += 60.0 * fv->base.cells;
  fv->traffic[0].calls_per_step = FV_STAGES * cycles * dual->sweeps;
  fv->traffic[2] = (trm_traffic){ "fv_norm", 2 * bytes, 0, 80.0 * fv->base.cells, cycles };
}

void fv_declare_cycles(fv_solver *fv)
{
  if (!fv->dual.is_on) return;
  fv->results[fv->base.result_count++] = (trm_result){ "cycles", "1", fv->dual.cycles };
  fv->results[fv->base.result_count++] = (trm_result){ "sweeps", "1",
                                                       fv->dual.cycles * fv->dual.sweeps };
}
