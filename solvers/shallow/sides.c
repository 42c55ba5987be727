/* sides.c - the edges of the grid with their hydrographs, and the gauges. */
#include "solvers/shallow/shallow.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static const char *const side_names[SHALLOW_SIDES] = { "west", "east", "south", "north" };

/* ---- hydrographs ----------------------------------------------------------- */

static trm_status constant(shallow_side *side, double value)
{
  side->water.places = calloc(1, sizeof *side->water.places);
  side->water.values = calloc(1, sizeof *side->water.values);
  if (!side->water.places || !side->water.values)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a boundary");
  side->water.values[0] = value;
  side->water.count = 1;
  return TRM_OK;
}

static trm_status read_side(shallow_side *side, int scheme, const char *name,
                            const trm_config *config)
{
  char key[64], value_key[64], table_key[64];
  snprintf(key, sizeof key, "boundary.%s", name);
  snprintf(value_key, sizeof value_key, "boundary.%s_value", name);
  snprintf(table_key, sizeof table_key, "boundary.%s_table", name);
  const char *kind = trm_config_string(config, key), *file = trm_config_string(config, table_key);
  side->kind = trm_config_choice(config, key);
  if (side->kind == SHALLOW_OPEN || side->kind == SHALLOW_WALL) {
    if (*file)
      return TRM_FAIL(INPUT, "%s: %s = \"%s\" takes no hydrograph; choose level, discharge or wave",
                      trm_config_origin(config, table_key), key, kind);
    if (trm_config_is_given(config, value_key))
      return TRM_FAIL(INPUT, "%s: %s = \"%s\" takes no value; choose level, discharge or wave",
                      trm_config_origin(config, value_key), key, kind);
    return TRM_OK;
  }
  if (scheme == SHALLOW_LAX_FRIEDRICHS)
    return TRM_FAIL(INPUT, "%s: lax-friedrichs has open edges and walls, no %s; choose "
                    "shallow.scheme = \"hllc\"", trm_config_origin(config, key), kind);
  if (*file && trm_config_is_given(config, value_key))
    return TRM_FAIL(INPUT, "%s: the file of %s says it at each time; leave one out",
                    trm_config_origin(config, value_key), table_key);
  return *file ? trm_table_read(file, "a time", "a value", &side->water)
               : constant(side, trm_config_real(config, value_key));
}

trm_status shallow_read_sides(shallow_solver *swe, const trm_config *config)
{
  for (int i = 0; i < SHALLOW_SIDES; i++)
    TRM_TRY(read_side(&swe->sides[i], swe->p.scheme, side_names[i], config));
  swe->p.west = swe->sides[0].kind;
  swe->p.east = swe->sides[1].kind;
  swe->p.south = swe->sides[2].kind;
  swe->p.north = swe->sides[3].kind;
  return TRM_OK;
}

void shallow_resolve_sides(shallow_solver *swe, const shallow_scene *scene)
{
  for (int i = 0; i < SHALLOW_SIDES; i++) {
    trm_table *water = &swe->sides[i].water;
    const int is_height = swe->sides[i].kind == SHALLOW_LEVEL || swe->sides[i].kind == SHALLOW_WAVE;
    for (size_t k = 0; is_height && k < water->count; k++)
      water->values[k] = shallow_scene_height(scene, water->values[k]);
  }
}

void shallow_free_sides(shallow_solver *swe)
{
  for (int i = 0; i < SHALLOW_SIDES; i++) trm_table_free(&swe->sides[i].water);
}

/* ---- open edges ------------------------------------------------------------- */

static size_t length_of(const shallow_solver *swe, int side)
{
  return (size_t)(side < 2 ? swe->p.ny : swe->p.nx);
}

/* The first cell of a side. */
static const shallow_edge *edge_of(const shallow_solver *swe, const shallow_scene *scene, int side)
{
  const shallow_edge *first = scene->edges;
  for (int i = 0; i < side; i++) first += length_of(swe, i);
  return first;
}

/* u +- 2c of the start, computed as a kernel does: a lake at rest is one to the last bit. */
static double outside(const shallow_solver *swe, int side, const shallow_edge *at)
{
  const double u = (side & 1 ? -1.0 : 1.0) * at->flow / at->h;
  if (swe->real_type == TRM_TYPE_F64) return u + 2.0 * sqrt(swe->p.g * at->h);
  return u + 2.0 * (double)sqrtf((float)swe->p.g * (float)at->h);
}

void shallow_outside(const shallow_solver *swe, const shallow_scene *scene, double *out)
{
  const unsigned char *is_flat = scene->is_flat;
  const shallow_edge *at = scene->edges;
  for (int side = 0; side < SHALLOW_SIDES; side++)
    for (size_t i = 0; i < length_of(swe, side); i++, out++, at++) {
      if (swe->p.scheme == SHALLOW_LAX_FRIEDRICHS || *is_flat++) *out = SHALLOW_COPIED;
      else if (at->h <= swe->p.dry) *out = -SHALLOW_COPIED;
      else *out = outside(swe, side, at);
    }
}

/* Lax-Friedrichs smooths the depth, not the surface: over a bed that slopes at an open edge it
 * pours water in without end. The course's files tell slopes alone; they run as in the course. */
trm_status shallow_check_open(const shallow_solver *swe, const shallow_scene *scene)
{
  if (swe->p.scheme != SHALLOW_LAX_FRIEDRICHS || swe->course) return TRM_OK;
  for (int side = 0; side < SHALLOW_SIDES; side++)
    for (size_t i = 0; i < length_of(swe, side) && swe->sides[side].kind == SHALLOW_OPEN; i++) {
      const shallow_edge *at = edge_of(swe, scene, side) + i;
      const double rise = fabs(at->z - at->next), h = at->h;
      if (h <= swe->p.dry || rise <= SHALLOW_LF_RISE * h) continue;
      return TRM_FAIL(INPUT, "boundary.%s: at this open edge the bed rises or falls by %.3g from "
                      "cell to cell under water %.3g deep, where lax-friedrichs is not stable; "
                      "choose shallow.scheme = \"hllc\", or a wall there", side_names[side],
                      rise, h);
    }
  return TRM_OK;
}

/* Over no sea a wave's edge is a wall, whatever height it is given. */
trm_status shallow_check_waves(const shallow_solver *swe, const shallow_scene *scene,
                               const trm_config *config)
{
  for (int side = 0; side < SHALLOW_SIDES; side++) {
    const double still = trm_config_real(config, "shallow.still_level");
    double lowest = INFINITY;
    if (swe->sides[side].kind != SHALLOW_WAVE) continue;
    for (size_t i = 0; i < length_of(swe, side); i++)
      lowest = fmin(lowest, edge_of(swe, scene, side)[i].z);
    if (still > lowest + scene->reference) continue;
    return TRM_FAIL(INPUT, "%s: boundary.%s: a wave runs in over still water, and this edge is "
                    "dry: the bed is %.6g m high or more there, and shallow.still_level is %.6g; "
                    "set it to the surface before anything arrives",
                    trm_config_origin(config, "shallow.still_level"), side_names[side],
                    lowest + scene->reference, still);
  }
  return TRM_OK;
}

/* ---- gauges ---------------------------------------------------------------- */

/* A column of series.csv has a name of its own. */
static int is_taken(const shallow_solver *swe, const char *name)
{
  static const char *const own[] = { "step", "dt", "time", "rate" };
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (strcmp(own[i], name) == 0) return 1;
  for (int i = 0; i < swe->p.gauges; i++)
    if (strcmp(swe->gauges[i].name, name) == 0) return 1;
  return 0;
}

/* A column of series.csv too. */
static trm_status check_name(const char *origin, const char *name)
{
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
      return TRM_FAIL(INPUT, "%s: the name '%s' in probes is of letters, digits, '_', '-' "
                      "and '.'; change it", origin, name);
  return TRM_OK;
}

static trm_status add_gauge(shallow_solver *swe, const char *origin, const char *text)
{
  shallow_gauge gauge = { 0 };
  const trm_words read = trm_words_read(text, "@ # #");
  const double x = read.number[0], y = read.number[1];
  if (!read.used || text[read.used] || !trm_words_take(&read, 0, gauge.name, sizeof gauge.name))
    return TRM_FAIL(INPUT, "%s: '%s' is not a gauge; write a name, x and y, and a comma between "
                    "gauges", origin, text);
  TRM_TRY(check_name(origin, gauge.name));
  const double *corner = swe->base.origin, *cell = swe->base.spacing;
  const double cx = (x - corner[0]) / cell[0], cy = (y - corner[1]) / cell[1];
  if (!(cx >= 0 && cy >= 0 && cx < swe->p.nx && cy < swe->p.ny))
    return TRM_FAIL(INPUT, "%s: gauge %s at (%g, %g) is off the grid, which reaches from (%g, %g) "
                    "to (%g, %g); move it", origin, gauge.name, x, y, corner[0], corner[1],
                    corner[0] + swe->p.nx * cell[0], corner[1] + swe->p.ny * cell[1]);
  if (is_taken(swe, gauge.name))
    return TRM_FAIL(INPUT, "%s: there is a series '%s' already; give the gauge another name",
                    origin, gauge.name);
  if (swe->p.gauges == SHALLOW_GAUGES)
    return TRM_FAIL(INPUT, "%s: more than %d gauges; leave some out", origin, SHALLOW_GAUGES);
  gauge.x = (int)cx;
  gauge.y = (int)cy;
  swe->gauges[swe->p.gauges++] = gauge;
  return TRM_OK;
}

trm_status shallow_read_gauges(shallow_solver *swe, const trm_config *config)
{
  const char *origin = trm_config_origin(config, "probes");
  char *text = strdup(trm_config_string(config, "probes")), *rest = NULL;
  if (!text) return TRM_FAIL(NO_HOST_MEMORY, "no memory for gauges");
  trm_status status = TRM_OK;
  for (char *one = strtok_r(text, ",;", &rest); one && status == TRM_OK;
       one = strtok_r(NULL, ",;", &rest))
    status = add_gauge(swe, origin, one);
  free(text);
  return status;
}

/* The highest water that the case names: of the start, and of given levels and waves. Land below it
 * may be there to be flooded. */
static double highest_water(const shallow_solver *swe)
{
  double highest = swe->highest;
  for (int side = 0; side < SHALLOW_SIDES; side++) {
    const int kind = swe->sides[side].kind;
    const trm_table *water = &swe->sides[side].water;
    if (kind != SHALLOW_LEVEL && kind != SHALLOW_WAVE) continue;
    for (size_t i = 0; i < water->count; i++) highest = fmax(highest, water->values[i]);
  }
  return highest;
}

/* On land above all given water, the series of a gauge is the height of the bed, whatever happens
 * beside it. *dry: the names of such gauges, NULL if none; to be freed by the caller. */
static trm_status list_dry_gauges(const shallow_solver *swe, const shallow_scene *scene, char **dry)
{
  const double highest = swe->p.gauges ? highest_water(swe) : INFINITY;
  for (int i = 0; i < swe->p.gauges; i++) {
    const shallow_gauge *gauge = &swe->gauges[i];
    char *text = NULL;
    if (gauge->h > swe->p.dry || gauge->z < highest) continue;
    if (asprintf(&text, "%s%sgauge %s stands on dry land, its bed %.6g high", *dry ? *dry : "",
                 *dry ? ", " : "", gauge->name, gauge->z + scene->reference) < 0)
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for a caution");
    free(*dry);
    *dry = text;
  }
  return TRM_OK;
}

trm_status shallow_caution(shallow_solver *swe, const shallow_scene *scene)
{
  char *dry = NULL;
  trm_status status = list_dry_gauges(swe, scene, &dry);
  if (status == TRM_OK && (dry || *scene->caution) &&
      asprintf(&swe->caution, "%s%s%s%s", scene->caution, dry && *scene->caution ? "; " : "",
               dry ? dry : "", dry ? ": until water comes its series is the height of the bed; "
                                     "move it to the water, if it is to show waves" : "") < 0) {
    swe->caution = NULL;
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a caution");
  }
  swe->base.caution = swe->caution;
  free(dry);
  return status;
}
