/* diagnostics.c - probes, means over time, and the density's steepness (fv_diagnostics.h): what the
 * case asks for, where it lies, how it is declared. */
#include "solvers/compressible/solver/fv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static const char *const parts[FV_PROBED] = { "density", "velocity_x", "velocity_y", "velocity_z",
                                              "pressure" };
static const char *const units[FV_PROBED] = { "kg/m^3", "m/s", "m/s", "m/s", "Pa" };

/* ---- the case -------------------------------------------------------------------------------- */

static trm_status check_name(const fv_solver *fv, const char *origin, const fv_probe *probe)
{
  for (size_t i = 0; probe->name[i]; i++)
    if (!isalnum((unsigned char)probe->name[i]) && probe->name[i] != '_')
      return TRM_FAIL(INPUT, "%s: the name '%s' in probes is of letters, digits and "
                      "'_'; change it", origin, probe->name);
  for (int i = 0; i < fv->diagnostics.count; i++)
    if (strcmp(fv->diagnostics.probe[i].name, probe->name) == 0)
      return TRM_FAIL(INPUT, "%s: two probes are called '%s'; rename one", origin, probe->name);
  return TRM_OK;
}

static trm_status add_probe(fv_solver *fv, const char *origin, const char *text)
{
  const int dimensions = fv_axes(fv);
  fv_probe probe = { 0 };
  const trm_words read = trm_words_read(text, dimensions == 2 ? "@ # #" : "@ # # #");
  memcpy(probe.at, read.number, sizeof probe.at);
  if (!read.used || text[read.used] || !trm_words_take(&read, 0, probe.name, sizeof probe.name))
    return TRM_FAIL(INPUT, "%s: '%s' in probes is no probe; write a name of up to 15 "
                    "letters and %s, and ';' between probes", origin, text,
                    dimensions == 2 ? "x and y" : "x, y and z");
  for (int a = 0; a < dimensions; a++) {
    const double end = fv->origin[a] + fv->h * fv->n[a];
    if (!(probe.at[a] >= fv->origin[a] && probe.at[a] < end))
      return TRM_FAIL(INPUT, "%s: the probe '%s' lies at %c = %g, and the grid reaches from %g to "
                      "%g; move it", origin, probe.name, "xyz"[a], probe.at[a], fv->origin[a], end);
  }
  if (fv->bodies.count > 0 && fv_bodies_distance(&fv->bodies, probe.at, NULL, NULL) < 0)
    return TRM_FAIL(INPUT, "%s: the probe '%s' lies in a body; move it", origin, probe.name);
  TRM_TRY(check_name(fv, origin, &probe));
  if (fv->diagnostics.count == FV_PROBES)
    return TRM_FAIL(INPUT, "%s: more than %d probes; leave some out", origin, FV_PROBES);
  fv->diagnostics.probe[fv->diagnostics.count++] = probe;
  return TRM_OK;
}

static trm_status read_probes(fv_solver *fv, const trm_config *config)
{
  const char *origin = trm_config_origin(config, "probes");
  char *text = strdup(trm_config_string(config, "probes")), *rest = NULL;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for probes");
  for (char *one = text ? strtok_r(text, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest))
    status = add_probe(fv, origin, one);
  free(text);
  return status;
}

trm_status fv_read_diagnostics(fv_solver *fv, const trm_config *config)
{
  const char *average = trm_config_string(config, "average_from");
  char *end;
  fv->diagnostics.is_steep = trm_config_boolean(config, "compressible.schlieren");
  fv->diagnostics.has_means = *average != '\0';
  fv->diagnostics.from = trm_number(average, &end);
  if (*end || !(fv->diagnostics.from >= 0 && isfinite(fv->diagnostics.from)))
    return TRM_FAIL(INPUT, "%s: average_from = '%s' is no time from 0 on; write one, "
                    "or leave it out", trm_config_origin(config, "average_from"),
                    average);
  if (fv->diagnostics.has_means && fv->bodies.is_moving)
    return TRM_FAIL(UNSUPPORTED, "%s: average_from: means over time would count the "
                    "cells under a moving body as gas; leave it out, or bodies.motion",
                    trm_config_origin(config, "average_from"));
  TRM_TRY(read_probes(fv, config));
  fv->p.probes = fv->diagnostics.count;
  return TRM_OK;
}

/* ---- on the device --------------------------------------------------------------------------- */

size_t fv_probe_series(const fv_solver *fv)
{
  return FV_SERIES + (size_t)fv->bodies.count * FV_FORCES + FV_SUMS + FV_DUAL_SERIES;
}

size_t fv_list_diagnostics(const fv_solver *fv, const fv_room *room, trm_framework_buffer *to)
{
  fv_solver *all = (fv_solver *)(uintptr_t)fv; /* handles are kept there */
  const size_t cells = room->slots * fv->block;
  const trm_framework_buffer list[] = {
    { &all->diagnostics.list, "probes", 3 * (size_t)fv->diagnostics.count, TRM_TYPE_I32, 0, NULL },
    { &all->diagnostics.means, "means", fv->diagnostics.has_means ? FV_VALUES * cells : 0,
     fv->real_type, 1,
      NULL },
    { &all->diagnostics.averaged, "time of means", 1, fv->real_type, 1, NULL },
    { &all->diagnostics.steep, "steepness", fv->diagnostics.is_steep ? cells : 0, fv->real_type, 1,
     NULL },
  };
  memcpy(to, list, sizeof list);
  return sizeof list / sizeof *list;
}

/* The leaf about a place, and the cell in it. */
static void find_cell(const fv_solver *fv, const double at[3], int32_t *slot, int32_t *cell)
{
  const int32_t *side = fv->forest->blocks.side;
  for (int level = fv->forest->shape.finest; level >= 0; level--) {
    const double h = fv->h / (1 << level);
    int32_t place[3] = { 0, 0, 0 }, in[3] = { 0, 0, 0 };
    for (int a = 0; a < fv_axes(fv); a++) {
      int i = (int)floor((at[a] - fv->origin[a]) / h);
      if (i >= fv->n[a] << level) i = (fv->n[a] << level) - 1; /* by rounding */
      place[a] = i / side[a];
      in[a] = i % side[a];
    }
    *slot = trm_forest_leaf(fv->forest, level, place);
    *cell = (in[2] * side[1] + in[1]) * side[0] + in[0];
    if (*slot >= 0) return;
  }
}

size_t fv_find_probed(const fv_solver *fv, int32_t slots[FV_PROBES])
{
  const size_t count = (size_t)fv->diagnostics.count;
  int32_t cell;
  for (size_t i = 0; i < count; i++)
    find_cell(fv, fv->diagnostics.probe[i].at, &slots[i], &cell);
  return count;
}

trm_status fv_write_probes(const fv_solver *fv)
{
  int32_t list[FV_PROBES][3];
  const size_t count = (size_t)fv->diagnostics.count;
  for (size_t i = 0; i < count; i++) {
    find_cell(fv, fv->diagnostics.probe[i].at, &list[i][0], &list[i][1]);
    list[i][2] = (int32_t)(fv_probe_series(fv) + i * FV_PROBED);
  }
  return count > 0 ? trm_buffer_write(fv->diagnostics.list, 0, count * sizeof *list, list) : TRM_OK;
}

trm_status fv_launch_diagnostics(fv_solver *fv)
{
  trm_buffer *w = fv->w[fv->current];
  const trm_sharing of_probes = { .adjacent = 1 << 1, .derived = (int64_t)fv_probed_row(fv) + 1 };
  if (fv->diagnostics.count > 0)
    TRM_TRY(FV_SHARE(fv, FV_PROBE, 1, &of_probes, fv->diagnostics.list, w, fv->clock, fv->tally,
                     fv_series_of_one(fv)));
  if (!fv->diagnostics.has_means) return TRM_OK;
  TRM_TRY(FV_SHARE(fv, FV_AVERAGE, fv->p.blocks, FV_LEAVES_OF(0), w, fv->clock,
                   fv->diagnostics.averaged, fv->diagnostics.means));
  trm_device_replicate(fv->base.device, 1);
  const trm_status status = FV_LAUNCH(fv, FV_AVERAGED, 1, fv->clock, fv->diagnostics.averaged);
  trm_device_replicate(fv->base.device, 0);
  return status;
}

trm_status fv_observe_steepness(fv_solver *fv)
{
  if (!fv->diagnostics.is_steep) return TRM_OK;
  return FV_SHARE(fv, FV_STEEPNESS, fv->p.blocks, FV_LEAVES_OF(1), fv->w[fv->current], fv->near,
                  fv->diagnostics.steep);
}

/* ---- declarations ---------------------------------------------------------------------------- */

void fv_declare_probes(fv_solver *fv)
{
  for (int i = 0; i < fv->diagnostics.count * FV_PROBED; i++) {
    char *name = fv->diagnostics.names[i];
    snprintf(name, sizeof fv->diagnostics.names[i], "%s_%s",
             fv->diagnostics.probe[i / FV_PROBED].name, parts[i % FV_PROBED]);
    fv->series[fv->base.series_count++] = (trm_series){
      name, units[i % FV_PROBED], fv_series_of_one(fv), fv->real_type, 1.0,
      (fv_probe_series(fv) + (size_t)i) * (size_t)fv->p.limit, 0.0, 0.0 };
  }
}

/* A field like the first one. */
static trm_field *add_field(fv_solver *fv, const char *name, const char *unit, int components,
                            size_t value, const char *help)
{
  trm_field *field = &fv->fields[fv->base.field_count++];
  *field = fv->fields[0];
  field->name = name;
  field->unit = unit;
  field->help = help;
  field->components = components;
  field->layout.first = value * fv->block;
  field->flags = 0;
  field->in_picture = 0;
  return field;
}

void fv_declare_diagnostics(fv_solver *fv)
{
  if (fv->diagnostics.is_steep) {
    trm_field *steep = add_field(fv, "schlieren", "kg/m^4", 1, 0,
                                 "the length of the density's gradient");
    steep->stride = fv->block;
    steep->buffer = fv->diagnostics.steep;
    steep->in_picture = TRM_PICTURE_SHOWN | TRM_PICTURE_BULK;
  }
  if (!fv->diagnostics.has_means) return;
  const size_t first = fv->base.field_count;
  add_field(fv, "mean_velocity", "m/s", 3, 0, "the velocity's mean over time");
  add_field(fv, "mean_density", "kg/m^3", 1, 3, "the density's mean over time");
  add_field(fv, "mean_pressure", "Pa", 1, 4, "the pressure's mean over time");
  for (size_t i = first; i < fv->base.field_count; i++) {
    fv->fields[i].buffer = fv->diagnostics.means;
    fv->fields[i].flags = TRM_FIELD_KEPT | TRM_FIELD_MEAN;
  }
  trm_field *averaged = add_field(fv, "averaged_time", "s", 1, 0, "length of time of the means");
  averaged->nx = averaged->ny = averaged->nz = 1;
  averaged->blocks = NULL;
  averaged->stride = 0;
  averaged->layout = (trm_layout){ .row = 1, .component = 1, .elements = 1 };
  averaged->buffer = fv->diagnostics.averaged;
  averaged->flags = TRM_FIELD_KEPT | TRM_FIELD_LIST;
}
