/* declarations.c - what a run of the compressible solver tells of itself: fields, series, traffic,
 * results. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>

/* A field of so many components of a slot's values, from `value` on. */
static trm_field *declare_field(fv_solver *fv, const char *name, const char *unit, int components,
                                size_t value, const char *help)
{
  trm_field *field = &fv->fields[fv->base.field_count++];
  *field = (trm_field){ .name = name, .unit = unit, .help = help, .type = fv->real_type,
                        .components = components, .nx = (size_t)fv->n[0] << fv->finest,
                        .ny = (size_t)fv->n[1] << fv->finest,
                        .nz = fv->n[2] == 1 ? 1 : (size_t)fv->n[2] << fv->finest,
                        .blocks = &fv->blocks, .stride = FV_VALUES * fv->block };
  field->layout.first = value * fv->block;
  return field;
}

/* Derived fields lie in the values that the next step overwrites. */
void fv_place_fields(fv_solver *fv)
{
  for (int i = 0; i < 3; i++) fv->fields[i].buffer = fv->q;
  fv->fields[3].buffer = fv->clock;
  fv->fields[4].buffer = fv->w[fv->current];
  for (int i = 5; i < 8; i++) fv->fields[i].buffer = fv->w[!fv->current];
  if (fv->dual.has_past) fv->fields[FV_BEFORE].buffer = fv->dual.before;
  const int first = FV_BEFORE + fv->dual.has_past;
  if (fv->diagnostics.is_steep) fv->fields[first].buffer = fv->diagnostics.steep;
  for (int i = 0; i < 3 && fv->diagnostics.has_means; i++)
    fv->fields[first + fv->diagnostics.is_steep + i].buffer = fv->diagnostics.means;
  if (fv->volumes && fv->base.field_count > fv->gas_fields) fv_place_volumes(fv);
  if (fv->cut && fv->bodies.is_moving) fv->fields[fv->gas_fields + 1].buffer = fv->gas;
}

static void declare_fields(fv_solver *fv)
{
  declare_field(fv, "density", "kg/m^3", 1, 0, "rho")->in_picture = TRM_PICTURE_SHOWN;
  declare_field(fv, "momentum", "kg/(m^2 s)", 3, 1, "rho u");
  declare_field(fv, "energy", "J/m^3", 1, 4, "rho E, inner and kinetic");
  trm_field *clock = declare_field(fv, "time", "s", 2, 0,
                                   "time of the state, and its rounding error");
  clock->nx = clock->ny = clock->nz = 1;
  clock->blocks = NULL;
  clock->stride = 0;
  clock->layout = (trm_layout){ .first = FV_TIME, .row = 1, .component = 1, .elements = 2 };
  for (int i = 0; i < 4; i++) fv->fields[i].flags = TRM_FIELD_STATE;
  clock->flags |= TRM_FIELD_LIST;
  fv->fields[0].flags |= TRM_FIELD_POSITIVE;
  declare_field(fv, "velocity", "m/s", 3, 0, "u, v, w");
  declare_field(fv, "pressure", "Pa", 1, 0, "p")->flags = TRM_FIELD_POSITIVE;
  declare_field(fv, "mach", "1", 1, 1, "|u| / a");
  declare_field(fv, "vorticity", "1/s", 3, 2, "the velocity's curl, by central differences");
  if (fv->dual.has_past)
    declare_field(fv, "before", "", FV_VALUES, 0,
                  "density, momentum and energy a step before")->flags = TRM_FIELD_STATE;
  fv_declare_diagnostics(fv);
  fv->gas_fields = fv->base.field_count;
  fv_declare_walls(fv);
  fv_place_fields(fv);
}

static void declare_kept(fv_solver *fv)
{
  if (fv->volumes && fv->bodies.is_moving)
    fv->kept[fv->base.kept_count++] = (trm_kept){ "times_of_walls", TRM_TYPE_F64,
                                                  fv->volumes->kept, 0, FV_TIMES };
  fv->base.kept = fv->kept;
  if (fv->adapt.is_asked)
    fv->kept[fv->base.kept_count++] = (trm_kept){ "levels", TRM_TYPE_U8, fv->adapt.levels, 0,
                                                  fv->adapt.most };
}

static void declare_series(fv_solver *fv)
{
  static const char *const names[FV_SERIES] = { "dt", "time", "rate" };
  static const char *const units[FV_SERIES] = { "s", "s", "1/s" };
  for (size_t i = 0; i < FV_SERIES; i++)
    fv->series[i] = (trm_series){ names[i], fv->dual.is_steady && i < 2 ? "1" : units[i],
                                  fv->series_buffer, fv->real_type, 1.0, i * (size_t)fv->p.limit,
                                  0.0, 0.0 };
  fv->base.series = fv->series;
  fv->base.series_count = FV_SERIES;
  fv_declare_forces(fv);
  fv_declare_integrals(fv);
  fv_declare_dual(fv);
  fv_declare_probes(fv);
  fv_declare_gaps(fv);
}

/* A stage reads values and the step's state and writes values, the last one also the state.
 * Operations: of a face and of a cell, counted (tests/dialect/traffic.sh). */
static void declare_traffic(fv_solver *fv)
{
  const double cells = fv->base.cells, bytes = (double)trm_type_size(fv->real_type) * cells;
  const int is_flat = fv->n[2] == 1, is_f64 = fv->real_type == TRM_TYPE_F64;
  const double faces = (double)fv_faces_of_block(fv) / (double)fv->block;
  const double face = is_f64 ? 185.0 : 169.0;
  const double cell = (is_f64 ? 64.6 : 57.4) + (is_flat ? 0.0 : 5.0);
  fv->traffic[0] = (trm_traffic){ "fv_stage", 2.0 * FV_VALUES * bytes,
                                  (FV_VALUES + FV_VALUES / (double)FV_STAGES) * bytes,
                                  (faces * face + cell) * cells, FV_STAGES };
  if (fv->dual.is_on) fv_declare_sweeps(fv);
  fv->base.traffic_count = fv->implementation.form != FV_FUSED
                           ? fv_declare_implementation(fv, face, cell) : fv->dual.is_on ? 3 : 2;
  fv->traffic[1] = (trm_traffic){ "fv_start", FV_VALUES * bytes, FV_VALUES * bytes,
                              (is_f64 ? 52.0 : 40.0) * cells, 0.0 };
  fv->base.traffic = fv->traffic;
}

void fv_declare_cells(fv_solver *fv)
{
  fv->base.cells = fv->adapt.steps > 0 ? fv->adapt.cell_steps / fv->adapt.steps
                                            : (double)fv->p.blocks * (double)fv->block;
  declare_traffic(fv);
}

/* Results: the cells of each level, and the history of a grid that follows the flow. */
void fv_declare_levels(fv_solver *fv)
{
  const fv_adaptation *adapt = &fv->adapt;
  size_t leaves[FV_LEVELS] = { 0 };
  fv->base.result_count = 3;
  if (fv->bodies.is_moving)
    fv->results[fv->base.result_count++] = (trm_result){ "geometry_time", "s", fv->geometry_time };
  if (fv->bodies.is_moving)
    fv->results[fv->base.result_count++] = (trm_result){ "geometry_host_time", "s",
                                                          fv->host_time };
  for (size_t i = 0; i < fv->forest->blocks.count; i++) leaves[fv->forest->level[i]]++;
  for (int level = 0; fv->finest > 0 && level <= fv->finest; level++) {
    snprintf(fv->level_names[level], sizeof fv->level_names[level], "cells_level_%d", level);
    fv->results[fv->base.result_count++] = (trm_result){ fv->level_names[level], "1",
                                                          (double)(leaves[level] * fv->block) };
  }
  if (!adapt->is_asked) return;
  fv->results[fv->base.result_count++] = (trm_result){ "adaptations", "1", (double)adapt->count };
  fv->results[fv->base.result_count++] = (trm_result){ "adaptation_time", "s", adapt->seconds };
  if (adapt->squeezed > 1)
    fv->results[fv->base.result_count++] = (trm_result){ "thresholds_raised", "1",
                                                          adapt->squeezed };
}

/* ---- what results count since the run began, for checkpoints -------------------------- */

enum { COUNTS = 8 };

size_t fv_counts(const fv_solver *fv)
{
  return fv->adapt.is_asked || fv->dual.is_on || fv->bodies.is_moving ? COUNTS : 0;
}

trm_status fv_keep_counts(fv_solver *fv)
{
  const fv_adaptation *adapt = &fv->adapt;
  const double counts[COUNTS] = { (double)adapt->count, adapt->squeezed, adapt->cell_steps,
                                  adapt->steps, adapt->seconds,
                                  fv->bodies.is_moving ? fv->host_time : fv->dual.cycles,
                                  fv->dual.steps, fv->geometry_time }; /* of these two one */
  return fv_counts(fv) ? trm_buffer_write(fv->counts, 0, sizeof counts, counts) : TRM_OK;
}

trm_status fv_restore_counts(fv_solver *fv)
{
  fv_adaptation *adapt = &fv->adapt;
  double counts[COUNTS];
  if (!fv_counts(fv)) return TRM_OK;
  TRM_TRY(trm_buffer_read(fv->counts, 0, sizeof counts, counts));
  adapt->count = (uint64_t)counts[0];
  adapt->squeezed = counts[1];
  adapt->cell_steps = counts[2];
  adapt->steps = counts[3];
  adapt->seconds = counts[4];
  *(fv->bodies.is_moving ? &fv->host_time : &fv->dual.cycles) = counts[5];
  fv->dual.steps = counts[6];
  fv->geometry_time = counts[7];
  fv_declare_cells(fv);
  return TRM_OK;
}

static void declare_counts(fv_solver *fv)
{
  if (!fv_counts(fv)) return;
  fv->kept[fv->base.kept_count++] = (trm_kept){ "counts", TRM_TYPE_F64, fv->counts, 0, COUNTS };
  fv->base.kept = fv->kept;
}

void fv_declare(fv_solver *fv)
{
  fv_declare_cells(fv);
  declare_fields(fv);
  declare_kept(fv);
  declare_series(fv);
  declare_counts(fv);
  fv->results[0] = (trm_result){ "time", fv->dual.is_steady ? "1" : "s", NAN };
  fv->results[1] = (trm_result){ "mass_change", "1", NAN };
  fv->results[2] = (trm_result){ "energy_change", "1", NAN };
  fv->base.fields = fv->fields;
  fv->base.results = fv->results;
  fv->base.result_count = 3;
  fv->base.batch_limit = (uint64_t)fv->p.limit;
  fv->base.program = trm_program_describe(fv->programs[0].program);
}
