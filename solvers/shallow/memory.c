/* memory.c - how a run's fields lie in memory, and the buffers that a scene fills. */
#include "solvers/shallow/shallow.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEYOND = 2 }; /* ghosts on each side */

/* ---- sizes ----------------------------------------------------------------- */

trm_status shallow_size_up(shallow_solver *swe)
{
  const trm_device *device = swe->base.device;
  const trm_type type = trm_real_type(swe->precision);
  const int is_host = trm_device_describe(device)->is_host;
  /* HLLC reads two cells beyond an edge; a layout has room for one on either side, on a host. */
  const size_t wide = (size_t)swe->nx + (is_host ? 2 : 0), ny = (size_t)swe->ny;
  TRM_TRY(trm_layout_rows(device, type, wide, ny, 1, 4, &swe->layout));
  if (swe->scheme == SHALLOW_LAX_FRIEDRICHS)
    TRM_TRY(trm_layout_rows(device, type, wide, ny, 1, 3, &swe->bed_layout));
  else {
    /* The bed has its ghosts everywhere: rows of their own, and columns in the ends of rows, for
     * which one more row lies before the first. */
    TRM_TRY(trm_layout_rows(device, type, (size_t)swe->nx + 2 * BEYOND, ny + 2 * BEYOND + 1, 1, 1,
                            &swe->bed_layout));
    swe->bed_layout.first += (BEYOND + 1) * swe->bed_layout.row;
  }
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_U8, (size_t)swe->nx, ny, 1, 1, &swe->land_layout));
  if (swe->layout.component > INT_MAX || swe->bed_layout.component > INT_MAX)
    return TRM_FAIL(INPUT, "a grid of %d x %d cells is too large: a field must stay below 2^31 "
                    "elements", swe->nx, swe->ny);
  /* A block's rows share the fluxes between them; threads need blocks enough to be busy. At least
   * 2: of the blocks beside it a block reads two rows. */
  if (is_host) swe->rows = ny >= 512 ? 32 : 8;
  else swe->rows = (size_t)swe->nx * ny <= (size_t)1 << 20 ? 2 : 16;
  return TRM_OK;
}

/* ---- memory ---------------------------------------------------------------- */

static void put(const shallow_solver *swe, unsigned char *to, size_t at, double value)
{
  if (swe->precision == TRM_F64) ((double *)(void *)to)[at] = value;
  else ((float *)(void *)to)[at] = (float)value;
}

/* Values of the scene into a component. */
static void place(const shallow_solver *swe, const trm_layout *layout, size_t component,
                  const double *values, unsigned char *to)
{
  const size_t nx = (size_t)swe->nx, first = layout->first + component * layout->component;
  for (size_t y = 0; y < (size_t)swe->ny; y++)
    for (size_t x = 0; x < nx; x++) put(swe, to, first + y * layout->row + x, values[y * nx + x]);
}

/* What lies at `at` along an axis of n cells, `step` elements apart: beyond an edge the mirror
 * image, a straight line where a level or a discharge is given there, level ground where it is
 * open. */
static double along(const double *values, int at, int n, size_t step, const shallow_side sides[2])
{
  const shallow_side *side = at < 0 ? &sides[0] : &sides[1];
  const int far = at < 0 ? -1 - at : at - n;
  if (at >= 0 && at < n) return values[(size_t)at * step];
  const double near = values[at < 0 ? 0 : (size_t)(n - 1) * step];
  const double next = values[at < 0 ? step : (size_t)(n - 2) * step];
  if (side->kind == SHALLOW_LEVEL || side->kind == SHALLOW_DISCHARGE)
    return near + (far + 1) * (near - next);
  return far && side->kind != SHALLOW_OPEN ? next : near;
}

/* HLLC's bed, with two ghosts on every side; corners are never looked at. */
static void place_bed(const shallow_solver *swe, const double *z, unsigned char *to)
{
  const int nx = swe->nx, ny = swe->ny;
  const trm_layout *layout = &swe->bed_layout;
  const size_t origin = layout->first - BEYOND * layout->row - BEYOND;
  for (int y = -BEYOND; y < ny + BEYOND; y++)
    for (int x = -BEYOND; x < nx + BEYOND; x++) {
      const size_t at = origin + (size_t)(y + BEYOND) * layout->row + (size_t)(x + BEYOND);
      const int is_row = y >= 0 && y < ny, is_column = x >= 0 && x < nx;
      const double value = is_row ? along(z + (size_t)y * (size_t)nx, x, nx, 1, swe->sides)
                         : is_column ? along(z + x, y, ny, (size_t)nx, swe->sides + 2) : 0.0;
      put(swe, to, at, value);
    }
}

static trm_status upload(const shallow_solver *swe, const trm_layout *layout,
                         const double *const *components, size_t count, const char *name,
                         trm_buffer **out)
{
  size_t bytes;
  const size_t size = trm_type_size(trm_real_type(swe->precision));
  TRM_TRY(trm_size_mul(layout->elements, size, name, &bytes));
  unsigned char *values = calloc(bytes, 1);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of %s", bytes, name);
  for (size_t c = 0; c < count; c++)
    if (layout == &swe->bed_layout && swe->scheme == SHALLOW_HLLC)
      place_bed(swe, components[c], values);
    else if (components[c]) place(swe, layout, c, components[c], values);
  trm_status status = trm_buffer_create(swe->base.device, bytes, name, out);
  if (status == TRM_OK) status = trm_buffer_write(*out, 0, bytes, values);
  free(values);
  return status;
}

static trm_status zeroed(const shallow_solver *swe, size_t bytes, const char *name,
                         trm_buffer **out)
{
  const uint32_t nothing = 0;
  TRM_TRY(trm_buffer_create(swe->base.device, bytes, name, out));
  return trm_buffer_fill(*out, 0, bytes, &nothing, sizeof nothing);
}

/* Tables of the sides: a pair of times and values each; where they are stands in the tally. */
static trm_status upload_tables(shallow_solver *swe)
{
  int32_t tally[SHALLOW_TALLY_INTS] = { 0 };
  size_t count = 1;
  for (int i = 0; i < SHALLOW_SIDES; i++) count += 2 * swe->sides[i].water.count;
  double *values = calloc(count, sizeof *values);
  float *rounded = calloc(count, sizeof *rounded);
  trm_status status = TRM_OK;
  if (!values || !rounded) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for hydrographs");
  size_t at = 0;
  for (int i = 0; i < SHALLOW_SIDES && status == TRM_OK; i++) {
    const size_t points = swe->sides[i].water.count;
    tally[SHALLOW_TABLES + 2 * i] = (int32_t)at;
    tally[SHALLOW_TABLES + 2 * i + 1] = (int32_t)points;
    if (points) memcpy(values + at, swe->sides[i].water.places, points * sizeof *values);
    if (points) memcpy(values + at + points, swe->sides[i].water.values, points * sizeof *values);
    at += 2 * points;
  }
  for (size_t i = 0; status == TRM_OK && i < count; i++) rounded[i] = (float)values[i];
  const size_t bytes = count * trm_type_size(trm_real_type(swe->precision));
  if (status == TRM_OK)
    status = trm_buffer_create(swe->base.device, bytes, "hydrographs", &swe->tables);
  if (status == TRM_OK)
    status = trm_buffer_write(swe->tables, 0, bytes,
                              swe->precision == TRM_F64 ? (const void *)values : rounded);
  if (status == TRM_OK) status = zeroed(swe, sizeof tally, "tally", &swe->tally);
  if (status == TRM_OK) status = trm_buffer_write(swe->tally, 0, sizeof tally, tally);
  free(rounded);
  free(values);
  return status;
}

static trm_status upload_gauges(shallow_solver *swe)
{
  int32_t cells[2 * SHALLOW_GAUGES + 2] = { 0 };
  for (int i = 0; i < swe->gauge_count; i++) {
    const size_t x = (size_t)swe->gauges[i].x, y = (size_t)swe->gauges[i].y;
    cells[2 * i] = (int32_t)(swe->layout.first + y * swe->layout.row + x);
    cells[2 * i + 1] = (int32_t)(swe->bed_layout.first + y * swe->bed_layout.row + x);
  }
  TRM_TRY(zeroed(swe, sizeof cells, "gauges", &swe->gauge_cells));
  return trm_buffer_write(swe->gauge_cells, 0, sizeof cells, cells);
}

static size_t clock_reals(const shallow_solver *swe)
{
  return SHALLOW_OUTSIDE + 2 * ((size_t)swe->nx + (size_t)swe->ny);
}

/* Live: so that the first fold of the speeds is made. */
static trm_status upload_clock(shallow_solver *swe, const shallow_scene *scene)
{
  const size_t count = clock_reals(swe);
  const size_t bytes = count * trm_type_size(trm_real_type(swe->precision));
  double *values = calloc(count, sizeof *values);
  unsigned char *rounded = malloc(bytes);
  trm_status status = TRM_OK;
  if (!values || !rounded) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the clock");
  else {
    values[SHALLOW_LIVE] = 1.0;
    shallow_outside(swe, scene, values + SHALLOW_OUTSIDE);
    for (size_t i = 0; i < count; i++) put(swe, rounded, i, values[i]);
    status = trm_buffer_create(swe->base.device, bytes, "clock", &swe->clock);
  }
  if (status == TRM_OK) status = trm_buffer_write(swe->clock, 0, bytes, rounded);
  free(rounded);
  free(values);
  return status;
}

static trm_status upload_maps(shallow_solver *swe, const shallow_scene *scene)
{
  if (!swe->has_maps) return TRM_OK;
  const size_t cells = (size_t)swe->nx * (size_t)swe->ny;
  double *speed = calloc(cells, sizeof *speed), *arrival = malloc(cells * sizeof *arrival);
  trm_status status = TRM_OK;
  if (!speed || !arrival) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the maps");
  for (size_t i = 0; status == TRM_OK && i < cells; i++) {
    const double level = fmax(swe->still_level, scene->z[i]);
    arrival[i] = fabs(scene->h[i] + scene->z[i] - level) > swe->arrival ? 0.0 : -1.0;
  }
  const double *const components[] = { scene->h, speed, arrival };
  if (status == TRM_OK) status = upload(swe, &swe->layout, components, 3, "maps", &swe->maps);
  free(arrival);
  free(speed);
  return status;
}

static trm_status check_room(const shallow_solver *swe, uint64_t leaves)
{
  char what[64];
  const uint64_t size = trm_type_size(trm_real_type(swe->precision));
  const uint64_t reals = (swe->has_maps ? 3u : 2u) * (uint64_t)swe->layout.elements +
                         swe->bed_layout.elements + leaves + clock_reals(swe) +
                         (uint64_t)(SHALLOW_SERIES + SHALLOW_GAUGES) * SHALLOW_BATCH_LIMIT;
  snprintf(what, sizeof what, "a grid of %d x %d cells", swe->nx, swe->ny);
  return trm_device_require(swe->base.device, reals * size + swe->land_layout.elements, what);
}

trm_status shallow_allocate(shallow_solver *swe, const shallow_scene *scene)
{
  const double *const state[] = { scene->h, scene->hu, scene->hv };
  const double *const beds[] = { scene->z, scene->zx, scene->zy };
  const size_t is_lf = swe->scheme == SHALLOW_LAX_FRIEDRICHS;
  const size_t size = trm_type_size(trm_real_type(swe->precision));
  const size_t leaves = shallow_leaves(swe), ones = SHALLOW_SERIES + SHALLOW_GAUGES;
  TRM_TRY(check_room(swe, leaves));
  TRM_TRY(upload(swe, &swe->layout, state, 3, "state 0", &swe->state[0]));
  TRM_TRY(upload(swe, &swe->layout, state, 3, "state 1", &swe->state[1]));
  TRM_TRY(upload(swe, &swe->bed_layout, beds, is_lf ? 3 : 1, "bed", &swe->bed));
  TRM_TRY(zeroed(swe, leaves * size, "maxima", &swe->part));
  TRM_TRY(zeroed(swe, (leaves / SHALLOW_CHUNK_VALUES + 1) * size, "maxima of chunks", &swe->peaks));
  TRM_TRY(zeroed(swe, ones * SHALLOW_BATCH_LIMIT * size, "series", &swe->series_buffer));
  TRM_TRY(zeroed(swe, (swe->land_layout.elements + 3) / 4 * 4, "land", &swe->land));
  TRM_TRY(upload_clock(swe, scene));
  TRM_TRY(upload_tables(swe));
  TRM_TRY(upload_gauges(swe));
  return upload_maps(swe, scene);
}
