/* walls.c - bodies in the flow, on the device: buffers, launches and series for the tables of
 * cut.c. Before a stage, slopes, fluxes and sums of the listed units are computed from the stage's
 * own state. After the stage they replace its results there: its kernel knows no walls. */
#include "core/host_work.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL(fv) (fv)->walls

/* Flags of leaves' cells, while they are made. */
typedef struct solids { const fv_solver *fv; uint8_t *of; } solids;

static int chunks_of(int walls) { return (walls + FV_CUT_CHUNK - 1) / FV_CUT_CHUNK; }
static int groups_of(int items) { return (items + FV_CUT_GROUP - 1) / FV_CUT_GROUP; }

/* Entries of as many groups (FV_CUT_ENTRY). */
static size_t whole(size_t entries)
{
  return (entries + FV_CUT_GROUP - 1) / FV_CUT_GROUP * FV_CUT_GROUP;
}

/* For a run that ends at a time; a run that ends after steps may end before a path leaves the
 * grid. */
static trm_status check_paths(fv_solver *fv, const trm_config *config)
{
  const double end = trm_config_real(config, "run.end_time");
  const int64_t steps = trm_config_integer(config, "run.steps");
  double low[3], high[3];
  if (!(end > 0) || steps < strtoll(TRM_STEPS_UNTIL_END, NULL, 10)) return TRM_OK;
  for (int a = 0; a < 3; a++) {
    const int may_pass = fv->volumes && fv->p.kind[2 * a] == FV_PERIODIC;
    low[a] = may_pass ? -INFINITY : fv->origin[a];
    high[a] = may_pass ? INFINITY : fv->origin[a] + fv->h * fv->n[a];
  }
  return fv_check_paths(&fv->bodies, end, low, high);
}

static void name_remedy(fv_solver *fv)
{
  for (int i = 0; i < fv->bodies.count && fv->bodies.is_moving; i++)
    if (fv->bodies.body[i].slides)
      fv->base.remedy = "if a gap opens there beside a body that slides, lower compressible.cfl, "
                        "to 0.3 say, or open it more slowly (docs/bodies.md)";
}

trm_status fv_make_walls(fv_solver *fv, const trm_config *config)
{
  if (fv->bodies.count == 0) return TRM_OK;
  if (fv->volumes) {
    TRM_TRY(check_paths(fv, config));
    return fv_make_volumes(fv, trm_config_real(config, "run.end_time"));
  }
  name_remedy(fv);
  TRM_TRY(fv_find_slits(&fv->bodies, fv->h, fv->h / (1 << fv->finest)));
  for (int level = 0; level < FV_LEVELS; level++) {
    const double h = fv->h / (1 << level);
    fv->scales[level] = fv->n[2] == 1 ? h : h * h;
  }
  TRM_TRY(check_paths(fv, config));
  return fv_make_tables(fv, 0, 0);
}

int fv_stays_in_body(const fv_solver *fv, size_t leaf)
{
  int is_in = fv->cut && !fv->bodies.is_moving && !fv->adapt.is_asked;
  for (size_t i = 0; i < fv->block && is_in; i++)
    is_in = fv_cut_kind_of(fv->cut, fv->block, leaf, i) == -2;
  return is_in;
}

size_t fv_list_walls(fv_solver *fv, trm_framework_buffer *to)
{
  const fv_cut_tables *t = fv->cut;
  if (!t) return 0;
  const trm_type real_type = fv->real_type, ints = TRM_TYPE_I32;
  const size_t sloped = (size_t)t->sloped, units = (size_t)t->units, walls = (size_t)t->walls;
  const size_t all = (size_t)t->faces + walls, walled = (size_t)t->walled;
  const trm_framework_buffer list[FV_WALL_BUFFERS] = {
    { &ALL(fv).cell_of_unit, "cells with slopes at walls", sloped, ints, 0, t->spot },
    { &ALL(fv).stencil_slots, "the order of slopes at walls", FV_STENCIL_INTS * t->turns, ints, 0,
     t->turn },
    { &ALL(fv).stencils, "their neighbours", t->looks, ints, 1, NULL },
    { &ALL(fv).weights, "their factors", FV_CUT_GROUP * t->weights, real_type, 1, NULL },
    { &ALL(fv).slopes, "slopes at walls", FV_CUT_SLOPES * whole(sloped), real_type, 1, NULL },
    { &ALL(fv).faces, "faces at walls", 4 * all, ints, 0, t->face },
    { &ALL(fv).sizes, "their sizes", fv_sizes(t, walls), real_type, 0, t->size },
    { &ALL(fv).fluxes, "fluxes at walls", FV_VALUES * whole(all), real_type, 1, NULL },
    { &ALL(fv).forces, "forces on walls", FV_FORCES * walls, real_type, 1, NULL },
    { &ALL(fv).units, "cells at walls", 3 * (units + 1), ints, 0, t->unit },
    { &ALL(fv).joins, "their faces", t->joins, ints, 0, t->join },
    { &ALL(fv).volumes, "their volumes", 3 * units, real_type, 0, t->volume },
    { &ALL(fv).dt_ratios, "their rates to those of cells", units, real_type, 0, t->dt_ratio },
    { &ALL(fv).fresh, "their next state", FV_VALUES * whole(units), real_type, 1, NULL },
    { &ALL(fv).marks, "blocks at walls", (fv->block + 1) * walled, ints, 0, t->mark },
    { &ALL(fv).renewed, "factors to be made", t->turns, ints, 1, NULL },
    { &ALL(fv).numbers, "which blocks are at walls", fv->forest->blocks.count, ints, 0, t->number },
    { &ALL(fv).pieces, "their cells", fv->block * walled, ints, 0, t->piece },
    { &ALL(fv).members, "cells that walls cut", FV_RECORD_INTS * t->records, ints, 0, t->member },
    { &ALL(fv).centres, "their centroids", 4 * t->records, real_type, 0, t->centre },
    { &ALL(fv).scales, "sizes of levels", FV_LEVELS, real_type, 0, fv->scales },
    { &ALL(fv).solid, "solid cells", fv->forest->blocks.count * fv->block, TRM_TYPE_U8, 1, NULL },
    { &ALL(fv).places, "places of walls", 6 * walls, real_type, 1, NULL },
    { &ALL(fv).surface, "what walls feel", (FV_FELT - 2) * walls, real_type, 1, NULL },
    { &ALL(fv).firsts, "moving cells of units", fv->bodies.is_moving ? units + 1 : 0, ints, 0,
      t->first },
    { &ALL(fv).froms, "cells that walls move through", t->froms, ints, 0, t->from },
    { &ALL(fv).parts, "their parts", t->froms, real_type, 0, t->part },
    { &ALL(fv).tilts, "slopes of their groups", t->froms, ints, 0, t->tilt },
    { &ALL(fv).offs, "their places in groups", 3 * t->froms, real_type, 0, t->off },
    { &ALL(fv).chunks, "forces on chunks of walls",
      (size_t)(fv->bodies.count * chunks_of(t->walls)) * FV_FORCES, real_type, 1, NULL },
    { &ALL(fv).held, "gas in blocks at walls", fv->held ? fv->block * walled : 0, real_type, 0,
      fv->held },
  };
  memcpy(to, list, sizeof list);
  return FV_WALL_BUFFERS;
}

/* Of turns whose slopes could not be made the first unit's is told. */
trm_status fv_check_stencils(const fv_solver *fv)
{
  const fv_cut_tables *t = fv->cut;
  int32_t first = INT32_MAX, cell = 0, *why = malloc((t->renewed_count + 1) * sizeof *why);
  int reason = 0;
  if (!why) return TRM_FAIL(NO_HOST_MEMORY, "no memory for slopes at walls");
  trm_status status = trm_buffer_read(ALL(fv).renewed, 0, t->renewed_count * sizeof *why, why);
  for (size_t i = 0; i < t->renewed_count && status == TRM_OK; i++) {
    int32_t turn[FV_STENCIL_INTS];
    if (why[i] == 0) continue;
    const size_t number = fv->geometry.has_lists ? i : (size_t)t->renewed[i] / 2;
    status = trm_buffer_read(ALL(fv).stencil_slots, number * sizeof turn, sizeof turn, turn);
    if (status != TRM_OK || turn[FV_STENCIL_NUMBER] > first) continue;
    first = turn[FV_STENCIL_NUMBER];
    cell = turn[FV_STENCIL_CELL];
    reason = why[i];
  }
  free(why);
  TRM_TRY(status);
  return reason == 0 ? TRM_OK : fv_cut_refuse(&fv->bodies, fv->forest, fv->h, fv->origin, cell,
                                              reason);
}

trm_status fv_launch_stencils(fv_solver *fv)
{
  const fv_cut_tables *t = fv->cut;
  if (!t || fv->has_stencils) return TRM_OK;
  fv->has_stencils = 1;
  if (t->renewed_count == 0) return TRM_OK;
  if (!fv->geometry.has_lists) /* else they are all, and there */
    TRM_TRY(trm_buffer_write(ALL(fv).renewed, 0, t->renewed_count * sizeof *t->renewed,
                             t->renewed));
  fv->p.values = (int)t->renewed_count;
  return FV_LAUNCH(fv, FV_CUT_STENCIL, groups_of(fv->p.values), ALL(fv).renewed,
                   ALL(fv).stencil_slots, fv->near, ALL(fv).numbers, ALL(fv).pieces,
                   ALL(fv).members, ALL(fv).centres, ALL(fv).stencils, ALL(fv).weights,
                   ALL(fv).sizes);
}

trm_status fv_launch_slopes(fv_solver *fv)
{
  return FV_LAUNCH(fv, FV_CUT_SLOPED, 2 * groups_of((int)fv->cut->turns), fv->w[fv->current],
                   ALL(fv).stencil_slots, ALL(fv).stencils, ALL(fv).weights, ALL(fv).sizes,
                   ALL(fv).slopes);
}

static trm_status launch_fluxes(fv_solver *fv)
{
  TRM_TRY(fv_launch_slopes(fv));
  return FV_LAUNCH(fv, FV_CUT_FLUXES, groups_of(fv->p.faces + fv->p.walls), fv->w[fv->current],
                   ALL(fv).cell_of_unit, ALL(fv).slopes, ALL(fv).faces, ALL(fv).sizes,
                   ALL(fv).fluxes, ALL(fv).forces);
}

trm_status fv_launch_walls(fv_solver *fv, trm_buffer *given)
{
  if (!fv->cut) return TRM_OK;
  TRM_TRY(launch_fluxes(fv));
  if (fv->dual.is_on)
    return FV_LAUNCH(fv, FV_DUAL_SUMS, groups_of(fv->p.units), fv->q, ALL(fv).units, ALL(fv).joins,
                     ALL(fv).volumes, ALL(fv).fluxes, fv->clock, ALL(fv).fresh, given);
  return FV_LAUNCH(fv, FV_CUT_SUMS, FV_VALUES * groups_of(fv->p.units), fv->q, ALL(fv).units,
                   ALL(fv).joins, ALL(fv).volumes, ALL(fv).fluxes, fv->clock, ALL(fv).fresh);
}

trm_status fv_launch_heirs(fv_solver *fv, trm_buffer *slopes)
{
  TRM_TRY(FV_LAUNCH(fv, FV_CUT_INHERIT, groups_of(fv->p.units), fv->q, fv->w[fv->current],
                    ALL(fv).firsts, ALL(fv).froms, ALL(fv).parts, ALL(fv).tilts, ALL(fv).offs,
                    slopes, ALL(fv).fresh));
  TRM_TRY(FV_LAUNCH(fv, FV_CUT_HOLD, fv->cut->walled, ALL(fv).marks, ALL(fv).held, fv->gas));
  fv->p.is_last = 1;
  fv->p.moves = 1;
  return fv_update_walls(fv, 0);
}

trm_status fv_update_walls(fv_solver *fv, int begins)
{
  if (!fv->cut) return TRM_OK;
  fv->p.begins = begins;
  return FV_LAUNCH(fv, FV_CUT_UPDATE, fv->cut->walled * FV_CUT_UPDATERS(fv->p, fv->n[2]),
                   ALL(fv).marks, ALL(fv).fresh, ALL(fv).dt_ratios, fv->w[fv->current], fv->q,
                   fv->part, fv->clock, fv->near);
}

trm_status fv_launch_forces(fv_solver *fv)
{
  if (fv->volumes) return fv_write_forces(fv);
  if (!fv->cut) return TRM_OK;
  TRM_TRY(FV_LAUNCH(fv, FV_CUT_PARTS, fv->bodies.count * FV_FORCES * chunks_of(fv->cut->walls),
                    ALL(fv).faces, ALL(fv).forces, ALL(fv).scales, ALL(fv).chunks));
  return FV_LAUNCH(fv, FV_CUT_FORCES, fv->bodies.count * FV_FORCES, ALL(fv).chunks, fv->clock,
                   fv->tally, fv->series_buffer);
}

/* The parts of sums over the gas that walls have to do with (fv_integrals.h). */
trm_status fv_integrate_walls(fv_solver *fv, trm_buffer *w, trm_buffer *parts)
{
  if (fv->volumes) return fv_mark_volumes(fv, w, parts);
  if (!fv->cut) return TRM_OK;
  TRM_TRY(fv_launch_slopes(fv));
  fv->p.marked = 1;
  fv->p.first = 0;
  fv->p.values = fv->cut->walled;
  TRM_TRY(FV_LAUNCH(fv, FV_INTEGRALS, fv->cut->walled, w, fv->near, ALL(fv).marks, parts));
  return FV_LAUNCH(fv, FV_CUT_INTEGRALS, groups_of(fv->p.units), w, ALL(fv).units,
                   ALL(fv).volumes, ALL(fv).slopes, parts);
}

/* Which of a leaf's cells lie in bodies. */
static trm_status record_solid(void *user, size_t leaf, int thread)
{
  const fv_solver *fv = ((const solids *)user)->fv;
  uint8_t *solid = ((const solids *)user)->of + leaf * fv->block;
  (void)thread;
  for (size_t i = 0; i < fv->block; i++)
    solid[i] = fv_cut_kind_of(fv->cut, fv->block, leaf, i) == FV_KIND_SOLID;
  return TRM_OK;
}

/* Fields for output alone, made on request: where walls move they are new in each step. */
static trm_status show_walls(fv_solver *fv)
{
  const size_t leaves = fv->forest->blocks.count, cells = leaves * fv->block;
  const int has_places = fv->geometry.has_lists; /* as the device made them */
  TRM_TRY(fv_fetch_geometry(fv));
  solids all = { fv, malloc(cells) };
  if (!all.of) return TRM_FAIL(NO_HOST_MEMORY, "no memory for flags of solid cells");
  trm_status status = trm_device_host_each(fv->base.device, leaves, record_solid, &all);
  if (status == TRM_OK) status = trm_buffer_write(ALL(fv).solid, 0, cells, all.of);
  free(all.of);
  TRM_TRY(status);
  if (!has_places)
    TRM_TRY(trm_framework_write_reals(ALL(fv).places, fv->real_type, 0, fv->cut->place,
                                      6 * (size_t)fv->cut->walls));
  fv->is_shown = 1;
  return TRM_OK;
}

/* Forces and heat at the walls in the present state. */
trm_status fv_observe_walls(fv_solver *fv)
{
  if (fv->volumes) return fv_observe_volumes(fv);
  if (!fv->cut) return TRM_OK;
  if (!fv->is_shown) TRM_TRY(show_walls(fv));
  TRM_TRY(launch_fluxes(fv));
  return FV_LAUNCH(fv, FV_CUT_SURFACE, groups_of(fv->p.walls), ALL(fv).sizes, ALL(fv).forces,
                   ALL(fv).surface);
}

void fv_declare_forces(fv_solver *fv)
{
  static const struct { const char *name, *units[2]; } kinds[FV_FORCES] = {
    { "pressure_x", { "N", "N/m" } }, { "pressure_y", { "N", "N/m" } },
    { "pressure_z", { "N", "N/m" } }, { "friction_x", { "N", "N/m" } },
    { "friction_y", { "N", "N/m" } }, { "friction_z", { "N", "N/m" } },
    { "heat", { "W", "W/m" } }, { "moment_x", { "N m", "N" } }, { "moment_y", { "N m", "N" } },
    { "moment_z", { "N m", "N" } }, { "power", { "W", "W/m" } } };
  const int is_flat = fv->n[2] == 1;
  for (int i = 0; i < fv->bodies.count * FV_FORCES; i++) {
    const int kind = i % FV_FORCES;
    char *name = fv->force_names[i];
    if (is_flat && (kind == FV_FELT || kind == FV_FELT + 1)) continue;
    snprintf(name, sizeof fv->force_names[i], "body%d_%s", i / FV_FORCES + 1, kinds[kind].name);
    fv->series[fv->base.series_count++] = (trm_series){
      name, kinds[kind].units[is_flat], fv->series_buffer, fv->real_type, 1.0,
      (size_t)(FV_SERIES + i) * (size_t)fv->p.limit, 0.0, 0.0 };
  }
}

trm_field *fv_declare_solid(fv_solver *fv, trm_buffer *solid)
{
  trm_field *field = &fv->fields[fv->gas_fields];
  *field = fv->fields[0]; /* the grid's shape */
  field->name = "solid";
  field->unit = "1";
  field->help = "1 where a body is";
  field->type = TRM_TYPE_U8;
  field->stride = fv->block;
  field->buffer = solid;
  field->flags = 0;
  field->in_picture = 0;
  return field;
}

/* The last of the fields, anew where they are declared already. Forces and heat at walls are
 * points, one for each cut cell, so that they become bodies.vtp. Their number varies where bodies
 * move. */
void fv_declare_walls(fv_solver *fv)
{
  if (fv->volumes) fv_declare_volumes(fv);
  if (!fv->cut) return;
  const size_t walls = (size_t)fv->cut->walls;
  const struct {
    const char *name, *unit, *help;
    int components;
    size_t first;
    trm_buffer *buffer;
  } list[] = {
    { "position", "m", "of pieces of walls, one a cut cell", 3, 0, ALL(fv).places },
    { "wall_area", fv->n[2] == 1 ? "m" : "m^2", "their areas times the normal into the body", 3,
      3 * walls, ALL(fv).places },
    { "wall_pressure", "Pa", "the pressure there", 1, 0, ALL(fv).surface },
    { "wall_friction", "Pa", "friction there, on the body", 3, walls, ALL(fv).surface },
    { "wall_heat", "W/m^2", "heat that passes into the body", 1, 4 * walls, ALL(fv).surface } };
  const size_t count = sizeof list / sizeof *list;
  trm_field *field = fv_declare_solid(fv, ALL(fv).solid);
  if (fv->bodies.is_moving) {
    *++field = fv->fields[0];
    field->name = "gas";
    field->unit = "1";
    field->help = "share of a cell that holds gas, part of the state where bodies move";
    field->stride = fv->block;
    field->buffer = fv->gas;
    field->flags = TRM_FIELD_STATE;
    field->in_picture = 0;
  }
  for (size_t i = 0; i < count; i++)
    *++field = (trm_field){
      .name = list[i].name, .unit = list[i].unit, .help = list[i].help, .type = fv->real_type,
      .components = list[i].components, .nx = walls, .ny = 1, .nz = 1, .buffer = list[i].buffer,
      .layout = { .first = list[i].first, .row = walls, .component = walls,
                  .elements = 6 * walls }, .flags = TRM_FIELD_LIST };
  fv->base.field_count = (size_t)(field - fv->fields) + 1;
}

/* A cut cell's part that the body has counts nothing. */
trm_status fv_sum_beyond_walls(fv_solver *fv, double *mass, double *energy)
{
  const size_t slot = FV_VALUES * fv->block, leaves = fv->forest->blocks.count;
  if (fv->volumes) return fv_sum_volumes(fv, mass, energy);
  if (!fv->cut) return TRM_OK;
  TRM_TRY(fv_fetch_geometry(fv));
  const fv_cut_tables *t = fv->cut;
  double *q = malloc(slot * sizeof *q);
  trm_status status = q ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a block");
  for (size_t i = 0; i < leaves && status == TRM_OK; i++) {
    const size_t leaf = (size_t)fv->forest->blocks.slot[i], near = (size_t)t->near[leaf];
    const double times = ldexp(1, fv_axes(fv) *
                                    (fv->finest - fv->forest->level[leaf]));
    if (t->near[leaf] < 0) continue;
    status = trm_framework_read_reals(fv->q, fv->real_type, leaf * slot, q, slot);
    for (size_t k = 0; k < fv->block && status == TRM_OK; k++) {
      if (t->kind[near * fv->block + k] < 0) continue;
      const double covered = times * (t->held[near * fv->block + k] - 1);
      *mass += covered * q[k];
      *energy += covered * q[4 * fv->block + k];
    }
  }
  free(q);
  return status;
}
