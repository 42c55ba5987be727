/* grid_check.c - what a grid's numbers alone tell: places in degrees that were taken for metres,
 * marks of missing cells that were taken for heights. */
#include <config.h>

#include "io/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "io/file.h"

typedef struct range {
  double low, high;            /* of cells with a value */
  double second_low, second_high; /* the next values inwards */
} range;

static void add(range *r, double z)
{
  if (z < r->low) {
    r->second_low = r->low;
    r->low = z;
  } else if (z > r->low && z < r->second_low) r->second_low = z;
  if (z > r->high) {
    r->second_high = r->high;
    r->high = z;
  } else if (z < r->high && z > r->second_high) r->second_high = z;
}

static trm_status find_range(trm_grid *grid, range *r)
{
  const double *values;
  *r = (range){ INFINITY, -INFINITY, INFINITY, -INFINITY };
  grid->missing = 0;
  for (size_t row = 0, rows; row < grid->ny; row += rows) {
    TRM_TRY(trm_grid_hold(grid, row, &values, &rows));
    for (size_t i = 0; i < rows * grid->nx; i++) {
      add(r, values[i]);
      grid->missing += isnan(values[i]) != 0;
    }
  }
  return TRM_OK;
}

/* ---- degrees ----------------------------------------------------------------------- */

enum { UNKNOWN, METRES, DEGREES };

/* Reads the file of a projection beside the grid, as GDAL and ArcGIS write it. */
static trm_status read_projection(const char *path, char beside[], size_t room, int *kind)
{
  static const char *const in_degrees[] = { "GEOGCS", "GEOGCRS", "GEODCRS", "GEOGRAPHICCRS" };
  static const char *const in_lengths[] = { "PROJCS", "PROJCRS", "LOCAL_CS", "ENGCRS", "BOUNDCRS" };
  const char *slash = strrchr(path, '/'), *point = strrchr(slash ? slash : path, '.');
  char *text = NULL, *end;
  *kind = UNKNOWN;
  if (snprintf(beside, room, "%.*s.prj", (int)(point ? (size_t)(point - path) : strlen(path)),
               path) >= (int)room || access(beside, R_OK) != 0) return TRM_OK;
  TRM_TRY(trm_file_load_text(beside, (size_t)1 << 20, &text, NULL));
  for (size_t i = 0; i < sizeof in_degrees / sizeof *in_degrees; i++)
    if (strncmp(text, in_degrees[i], strlen(in_degrees[i])) == 0) *kind = DEGREES;
  for (size_t i = 0; i < sizeof in_lengths / sizeof *in_lengths; i++)
    if (strncmp(text, in_lengths[i], strlen(in_lengths[i])) == 0) *kind = METRES;
  const char *unit = NULL;
  for (const char *c = text; *kind == METRES && (c = strstr(c, "UNIT[\"")); c++) unit = c + 6;
  const char *factor = unit ? strchr(unit, ',') : NULL;
  trm_status status = TRM_OK;
  if (factor && fabs(trm_number(factor + 1, &end) - 1.0) > 1e-9)
    status = TRM_FAIL(INPUT, "%s: its unit is '%.*s', not metres; project the grid to metres "
                      "(gdalwarp -t_srs EPSG:...)", beside, (int)strcspn(unit, "\""), unit);
  free(text);
  return status;
}

/* A third of an arc second and its multiples, which are no short decimals. */
static int is_of_seconds(double side)
{
  const double parts = side * 3600.0 * 9.0, tenths = side * 1e4;
  return parts > 0.5 && fabs(parts - round(parts)) < 2e-5 * parts &&
         fabs(tenths - round(tenths)) > 1e-3;
}

/* Longitude and latitude of cells that would be centimetres wide under hills of many metres. */
static int are_like_degrees(const trm_grid *grid, const range *r)
{
  const double x1 = grid->x0 + (double)grid->nx * grid->dx;
  const double y1 = grid->y0 + (double)grid->ny * grid->dy;
  const double extent = fmax(x1 - grid->x0, y1 - grid->y0), far = fmax(fabs(r->low), fabs(r->high));
  const double slack = grid->dx;
  if (grid->x0 < -180.0 - slack || x1 > 360.0 + slack || grid->y0 < -90.0 - slack ||
      y1 > 90.0 + slack || x1 - grid->x0 > 360.0 + 2 * slack) return 0;
  if (is_of_seconds(grid->dx) && is_of_seconds(grid->dy)) return far > 0.5 * extent;
  return far > 10.0 * extent && (grid->x0 != 0.0 || grid->y0 != 0.0);
}

static trm_status check_unit(const char *path, const range *r, trm_grid *grid)
{
  char beside[4096];
  int kind;
  if (grid->has_unit) return TRM_OK;
  TRM_TRY(read_projection(path, beside, sizeof beside, &kind));
  if (kind == DEGREES)
    return trmi_grid_from_degrees(path, grid->y0 + 0.5 * (double)grid->ny * grid->dy, grid);
  if (kind == METRES || !are_like_degrees(grid, r)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: cells of %.9g by %.9g from (%.9g, %.9g) on under heights from %.9g "
                  "to %.9g m look like degrees; name the unit in a file beside it: echo GEOGCS "
                  ">'%s' (degrees) or echo LOCAL_CS >'%s' (metres)", path, grid->dx, grid->dy,
                  grid->x0, grid->y0, r->low, r->high, beside, beside);
}

/* ---- heights ----------------------------------------------------------------------- */

static const double beyond = 1e5; /* m: no mountain of any planet */

/* Values that programs write for cells without a height. */
static int is_usual_mark(double z)
{
  static const double marks[] = { -999, -9999, -99999, -32768, -32767, 32767, 32768, 9999, 99999,
                                  65535, -9999.9, -999.9 };
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (z == marks[i]) return 1;
  return !(fabs(z) < beyond);
}

/* The cell with this height, or the first cell without one (z: NaN). */
trm_status trm_grid_find(trm_grid *grid, double z, size_t *cell)
{
  const double *values;
  for (size_t row = 0, rows; row < grid->ny; row += rows) {
    TRM_TRY(trm_grid_hold(grid, row, &values, &rows));
    for (size_t i = 0; i < rows * grid->nx; i++) {
      *cell = row * grid->nx + i;
      if (isnan(z) ? isnan(values[i]) : values[i] == z) return TRM_OK;
    }
  }
  return TRM_OK;
}

/* Checks the height at an end of the range: is it far beyond the others? */
static trm_status check_mark(const char *path, trm_grid *grid, double z, double next, double last)
{
  size_t i = 0;
  if (!is_usual_mark(z)) return TRM_OK;
  const double gap = fabs(z - next), rest = fabs(next - last);
  const int is_alone = !isfinite(next); /* every cell has it */
  if (fabs(z) < beyond && (is_alone || gap <= 2 * rest)) return TRM_OK;
  TRM_TRY(trm_grid_find(grid, z, &i));
  return TRM_FAIL(INPUT, "%s: the height in cell (%zu, %zu) is %.9g m, as programs mark cells "
                         "without "
                  "one; declare it (NODATA_value %.9g in the head of an ESRI grid, missing_value "
                  "in "
                  "netCDF: ncatted -a missing_value,VARIABLE,o,d,%.9g), or mend the cell", path,
                  i % grid->nx, i / grid->nx, z, z, z);
}

/* One height is as far from all others as these lie apart, a hundred times. */
static trm_status name_far(const char *path, trm_grid *grid, double z, double next, double last)
{
  static const double times = 100.0;
  size_t i = 0;
  if (!isfinite(next) || next == last || fabs(z - next) < times * fabs(next - last)) return TRM_OK;
  TRM_TRY(trm_grid_find(grid, z, &i));
  snprintf(grid->caution, sizeof grid->caution, "%.160s: the height in cell (%zu, %zu) is %.9g m, "
           "where all others lie between %.9g and %.9g m; if it marks cells without a height, "
           "declare it in the file", path, i % grid->nx, i / grid->nx, z, fmin(next, last),
           fmax(next, last));
  return TRM_OK;
}

trm_status trmi_grid_check(const char *path, trm_grid *grid)
{
  range r;
  TRM_TRY(find_range(grid, &r));
  if (!isfinite(r.low)) return TRM_OK; /* no cell has a height */
  TRM_TRY(check_mark(path, grid, r.high, r.second_high, r.low));
  TRM_TRY(check_mark(path, grid, r.low, r.second_low, r.high));
  TRM_TRY(name_far(path, grid, r.high, r.second_high, r.low));
  TRM_TRY(name_far(path, grid, r.low, r.second_low, r.high));
  return check_unit(path, &r, grid);
}
