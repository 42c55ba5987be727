/* sides.c - the edges of the grid with their hydrographs, and the gauges. */
#include "solvers/shallow/shallow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


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
  static const char *const kinds[] = { "open", "wall", "level", "discharge", "wave" };
  char key[64], value_key[64], file_key[64];
  snprintf(key, sizeof key, "boundary.%s", name);
  snprintf(value_key, sizeof value_key, "boundary.%s_value", name);
  snprintf(file_key, sizeof file_key, "boundary.%s_file", name);
  const char *kind = trm_config_string(config, key), *file = trm_config_string(config, file_key);
  while (strcmp(kinds[side->kind], kind) != 0) side->kind++;
  if (side->kind == SHALLOW_OPEN || side->kind == SHALLOW_WALL) {
    if (*file)
      return TRM_FAIL(INPUT, "%s: %s = \"%s\" takes no hydrograph; choose level, discharge or wave",
                      trm_config_origin(config, file_key), key, kind);
    if (trm_config_is_given(config, value_key))
      return TRM_FAIL(INPUT, "%s: %s = \"%s\" takes no value; choose level, discharge or wave",
                      trm_config_origin(config, value_key), key, kind);
    return TRM_OK;
  }
  if (scheme == SHALLOW_LAX_FRIEDRICHS)
    return TRM_FAIL(INPUT, "%s: lax-friedrichs has open edges and walls, no %s; choose "
                    "shallow.scheme = \"hllc\"", trm_config_origin(config, key), kind);
  return *file ? trm_table_read(file, "a time", "a value", &side->water)
               : constant(side, trm_config_real(config, value_key));
}

trm_status shallow_read_sides(shallow_solver *swe, const trm_config *config)
{
  for (int i = 0; i < SHALLOW_SIDES; i++)
    TRM_TRY(read_side(&swe->sides[i], swe->scheme, side_names[i], config));
  return TRM_OK;
}

void shallow_free_sides(shallow_solver *swe)
{
  for (int i = 0; i < SHALLOW_SIDES; i++) trm_table_free(&swe->sides[i].water);
}

/* ---- gauges ---------------------------------------------------------------- */

/* A column of series.csv has a name of its own. */
static int is_taken(const shallow_solver *swe, const char *name)
{
  static const char *const own[] = { "step", "dt", "time", "rate" };
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (strcmp(own[i], name) == 0) return 1;
  for (int i = 0; i < swe->gauge_count; i++)
    if (strcmp(swe->gauges[i].name, name) == 0) return 1;
  return 0;
}

static trm_status add_gauge(shallow_solver *swe, const char *origin, const char *text)
{
  shallow_gauge gauge = { 0 };
  double x, y;
  int used = 0;
  if (sscanf(text, " %31s %lf %lf %n", gauge.name, &x, &y, &used) != 3 || text[used])
    return TRM_FAIL(INPUT, "%s: '%s' is no gauge; write a name, x and y, and a comma between "
                    "gauges", origin, text);
  const double cx = (x - swe->x0) / swe->dx, cy = (y - swe->y0) / swe->dy;
  if (!(cx >= 0 && cy >= 0 && cx < swe->nx && cy < swe->ny))
    return TRM_FAIL(INPUT, "%s: gauge %s at (%g, %g) is off the grid, which reaches from (%g, %g) "
                    "to (%g, %g); move it", origin, gauge.name, x, y, swe->x0, swe->y0,
                    swe->x0 + swe->nx * swe->dx, swe->y0 + swe->ny * swe->dy);
  if (is_taken(swe, gauge.name))
    return TRM_FAIL(INPUT, "%s: there is a series '%s' already; give the gauge another name",
                    origin, gauge.name);
  if (swe->gauge_count == SHALLOW_GAUGES)
    return TRM_FAIL(INPUT, "%s: more than %d gauges; leave some out", origin, SHALLOW_GAUGES);
  gauge.x = (int)cx;
  gauge.y = (int)cy;
  swe->gauges[swe->gauge_count++] = gauge;
  return TRM_OK;
}

trm_status shallow_read_gauges(shallow_solver *swe, const trm_config *config)
{
  const char *origin = trm_config_origin(config, "shallow.gauges");
  char *text = strdup(trm_config_string(config, "shallow.gauges")), *rest = NULL;
  if (!text) return TRM_FAIL(NO_HOST_MEMORY, "no memory for gauges");
  trm_status status = TRM_OK;
  for (char *one = strtok_r(text, ",;", &rest); one && status == TRM_OK;
       one = strtok_r(NULL, ",;", &rest))
    status = add_gauge(swe, origin, one);
  free(text);
  return status;
}
