/* memory.c - the layout of a run's fields in memory, the list of its buffers, and their first
 * values from a scene. */
#include "solvers/shallow/shallow.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEYOND = SHALLOW_BEYOND };

/* ---- sizes ----------------------------------------------------------------- */

/* The bed has its ghosts everywhere: rows of their own, and columns in the ends of rows, for which
 * one more row lies before the first. */
static trm_status lay_out_bed(shallow_solver *swe)
{
  const trm_device *device = swe->base.device;
  size_t nx = (size_t)swe->p.nx, ny = (size_t)swe->p.ny;
  if (swe->implementation) shallow_implementation_cover(swe, &nx, &ny);
  if (swe->p.scheme == SHALLOW_LAX_FRIEDRICHS)
    return trm_layout_ghosts(device, swe->real_type, nx, ny, 1, 3, BEYOND, &swe->bed_layout);
  TRM_TRY(trm_layout_rows(device, swe->real_type, nx + 2 * BEYOND, ny + 2 * BEYOND + 1, 1, 1,
                          &swe->bed_layout));
  swe->bed_layout.first += (BEYOND + 1) * swe->bed_layout.row;
  return TRM_OK;
}

/* A block's rows share the fluxes between them; threads need blocks enough to be busy. At least 2:
 * of the blocks beside it a block reads two rows. */
static int rows_of_blocks(const shallow_solver *swe, int is_host)
{
  const size_t cells = (size_t)swe->p.nx * (size_t)swe->p.ny;
  if (is_host) return swe->p.ny >= 512 ? 32 : 8;
  if (cells <= (size_t)1 << 20) return 2;
  if (cells < (size_t)1 << 25 || swe->real_type == TRM_TYPE_F64) return 16;
  return swe->p.scheme == SHALLOW_LAX_FRIEDRICHS ? 32 : 24;
}

static void fill_params(shallow_solver *swe)
{
  shallow_params *p = &swe->p;
  const int is_host = trm_device_describe(swe->base.device)->is_host;
  p->first = (int)swe->layout.first;
  p->row = (int)swe->layout.row;
  p->component = (int)swe->layout.component;
  p->bed_first = (int)swe->bed_layout.first;
  p->bed_row = (int)swe->bed_layout.row;
  p->bed_component = (int)swe->bed_layout.component;
  p->land_first = (int)swe->land_layout.first;
  p->land_row = (int)swe->land_layout.row;
  p->rows = rows_of_blocks(swe, is_host);
}

static size_t clock_reals(const shallow_solver *swe)
{
  return SHALLOW_OUTSIDE + 2 * ((size_t)swe->p.nx + (size_t)swe->p.ny);
}

static void list_buffers(shallow_solver *swe)
{
  const trm_type real_type = swe->real_type;
  const size_t cells = swe->layout.elements, leaves = shallow_leaves(swe);
  const int is_blocked = swe->p.every > 1, is_shared = shallow_is_shared(swe);
  /* on one device the size does not depend on the blocks of rows, so that two runs compare */
  const size_t steps = is_blocked || !is_shared
                       ? leaves * (size_t)swe->p.every
                       : leaves / (size_t)swe->p.ny * (size_t)shallow_blocks(swe);
  const size_t gauges = swe->p.gauges ? (size_t)swe->p.gauges : 1;
  size_t points = 1, peaks = leaves / SHALLOW_CHUNK_VALUES + 1;
  if (swe->implementation) peaks += shallow_implementation_maxima(swe) / SHALLOW_CHUNK_VALUES;
  if (is_shared) peaks += (size_t)shallow_blocks(swe) * shallow_chunks(swe);
  for (int i = 0; i < SHALLOW_SIDES; i++) points += 2 * swe->sides[i].water.count;
  const trm_framework_buffer list[SHALLOW_BUFFERS] = {
    { &swe->state[0], "state 0", cells, real_type, 1, NULL },
    { &swe->state[1], "state 1", cells, real_type, 1, NULL },
    { &swe->bed, "bed", swe->bed_layout.elements, real_type, 1, NULL },
    { &swe->part, "maxima", steps, real_type, 1, NULL },
    { &swe->start_part, "maxima of the start", leaves, real_type, 1, NULL },
    { &swe->peaks, "maxima of chunks", peaks, real_type, 1, NULL },
    { &swe->series_buffer, "series",
      (size_t)(SHALLOW_SERIES + SHALLOW_GAUGES) * SHALLOW_BATCH_LIMIT, real_type, 1, NULL },
    { &swe->land, "land", (swe->land_layout.elements + 3) / 4 * 4, TRM_TYPE_U8, 1, NULL },
    { &swe->clock, "clock", clock_reals(swe), real_type, 0, NULL },
    { &swe->tables, "hydrographs", points, real_type, 1, NULL },
    { &swe->tally, "tally", SHALLOW_TALLY_INTS, TRM_TYPE_I32, 1, NULL },
    { &swe->gauge_cells, "gauges", 2 * SHALLOW_GAUGES + 2, TRM_TYPE_I32, 1, NULL },
    { &swe->gauge_places, "places of gauges", is_shared ? 2 * gauges : 0, TRM_TYPE_I32, 1, NULL },
    { &swe->gauge_depths, "depths at gauges", is_shared ? gauges : 0, real_type, 1, NULL },
    { &swe->gauge_beds, "bed at gauges", is_shared ? gauges : 0, real_type, 1, NULL },
    { &swe->book, "book of the edges",
      swe->p.scheme == SHALLOW_HLLC ? shallow_book_reals(swe) : 0, real_type, 1, NULL },
    { &swe->maps, "maps", swe->has_maps ? cells : 0, real_type, 1, NULL },
    { &swe->begin_state, "state at the batch's begin", is_blocked ? cells : 0, real_type, 0, NULL },
    { &swe->begin_clock, "clock at the batch's begin", is_blocked ? clock_reals(swe) : 0, real_type,
      0, NULL },
    { &swe->begin_counters, "tally at the batch's begin", is_blocked ? SHALLOW_TALLY_INTS : 0,
      TRM_TYPE_I32, 0, NULL },
  };
  memcpy(swe->memory, list, sizeof list);
}

trm_status shallow_size_up(shallow_solver *swe)
{
  const size_t nx = (size_t)swe->p.nx, ny = (size_t)swe->p.ny;
  size_t wide = nx, high = ny;
  TRM_TRY(shallow_find_kinds(swe));
  if (swe->implementation) shallow_implementation_cover(swe, &wide, &high);
  TRM_TRY(trm_layout_ghosts(swe->base.device, swe->real_type, wide, high, 1, 4, BEYOND,
                            &swe->layout));
  TRM_TRY(lay_out_bed(swe));
  TRM_TRY(trm_layout_rows(swe->base.device, TRM_TYPE_U8, nx, ny, 1, 1, &swe->land_layout));
  if (swe->layout.component > INT_MAX || swe->bed_layout.component > INT_MAX)
    return TRM_FAIL(INPUT, "a grid of %d x %d cells is too large: a field must stay below 2^31 "
                    "elements", swe->p.nx, swe->p.ny);
  fill_params(swe);
  list_buffers(swe);
  return TRM_OK;
}

/* ---- what the scene says ---------------------------------------------------- */

/* Rows of a field; its other rows are zeros, or will be written too. Ghosts of states are the
 * kernels': shallow_start makes them. */
static trm_framework_shape shape_of(const shallow_solver *swe, const trm_layout *layout,
                                    const shallow_rows *rows, int components)
{
  trm_framework_shape shape = { swe->real_type, swe->p.nx, rows->count, 1, components, *layout };
  shape.layout.ghosts = shape.layout.elements = 0;
  shape.layout.first += (size_t)rows->first * layout->row;
  return shape;
}

/* A bed `far` cells beyond an edge, from its last two cells. It is their mirror image. Where a
 * level or a discharge is given, it lies on a straight line. Where the edge is open, it is
 * level. */
static double beyond(double near, double next, int far, const shallow_side *side)
{
  if (side->kind == SHALLOW_LEVEL || side->kind == SHALLOW_DISCHARGE)
    return near + (far + 1) * (near - next);
  return far && side->kind != SHALLOW_OPEN ? next : near;
}

typedef struct ground {
  const shallow_solver *swe;
  const shallow_scene *scene;
  const double *z;             /* of the rows */
} ground;

/* HLLC's bed, counted from its western ghost. */
static double bed_value(const void *user, trm_framework_cell at)
{
  const ground *g = user;
  const int nx = g->swe->p.nx, x = at.x - BEYOND;
  const double *row = g->z + (size_t)at.y * (size_t)nx;
  if (x < 0) return beyond(row[0], row[1], -1 - x, &g->swe->sides[0]);
  return x < nx ? row[x] : beyond(row[nx - 1], row[nx - 2], x - nx, &g->swe->sides[1]);
}

/* Rows beyond the southern edge, from the far one on; corners are never looked at. */
static double southern_value(const void *user, trm_framework_cell at)
{
  const ground *g = user;
  const int x = at.x - BEYOND;
  if (x < 0 || x >= g->swe->p.nx) return 0.0;
  const shallow_edge *e = g->scene->edges + 2 * g->swe->p.ny + x;
  return beyond(e->z, e->next, BEYOND - 1 - at.y, &g->swe->sides[2]);
}

static double northern_value(const void *user, trm_framework_cell at)
{
  const ground *g = user;
  const int x = at.x - BEYOND;
  if (x < 0 || x >= g->swe->p.nx) return 0.0;
  const shallow_edge *e = g->scene->edges + 2 * g->swe->p.ny + g->swe->p.nx + x;
  return beyond(e->z, e->next, at.y, &g->swe->sides[3]);
}

/* HLLC's bed has columns beyond the edges. */
static trm_status upload_bed_rows(const shallow_solver *swe, int first, int count,
                                  trm_framework_value_fn *value, const ground *under)
{
  const shallow_rows rows = { .first = 0, .count = count };
  trm_framework_shape shape = shape_of(swe, &swe->bed_layout, &rows, 1);
  shape.nx += 2 * BEYOND;
  shape.layout.first = (size_t)((ptrdiff_t)swe->bed_layout.first +
                                first * (ptrdiff_t)swe->bed_layout.row) - BEYOND;
  return trm_framework_upload(swe->bed, &shape, value, under);
}

static trm_status upload_bed(const shallow_solver *swe, const shallow_scene *scene,
                             const shallow_rows *rows)
{
  const double *const beds[] = { rows->z, rows->zx, rows->zy };
  const trm_framework_shape shape = shape_of(swe, &swe->bed_layout, rows, 3);
  const ground under = { swe, scene, rows->z };
  if (swe->p.scheme == SHALLOW_LAX_FRIEDRICHS)
    return trm_framework_upload_arrays(swe->bed, &shape, beds);
  return upload_bed_rows(swe, rows->first, rows->count, bed_value, &under);
}

static trm_status upload_beyond(const shallow_solver *swe, const shallow_scene *scene)
{
  const ground under = { swe, scene, NULL };
  if (swe->p.scheme == SHALLOW_LAX_FRIEDRICHS) return TRM_OK;
  TRM_TRY(upload_bed_rows(swe, -BEYOND, BEYOND, southern_value, &under));
  return upload_bed_rows(swe, swe->p.ny, BEYOND, northern_value, &under);
}

/* Tables of the sides: a pair of times and values each; where they are stands in the tally. */
static trm_status upload_tables(const shallow_solver *swe)
{
  int32_t tally[SHALLOW_TALLY_INTS] = { 0 };
  size_t at = 0;
  for (int i = 0; i < SHALLOW_SIDES; i++) {
    const trm_table *water = &swe->sides[i].water;
    tally[SHALLOW_TABLES + 2 * i] = (int32_t)at;
    tally[SHALLOW_TABLES + 2 * i + 1] = (int32_t)water->count;
    if (water->count == 0) continue;
    TRM_TRY(trm_framework_write_reals(swe->tables, swe->real_type, at, water->places,
                                      water->count));
    at += water->count;
    TRM_TRY(trm_framework_write_reals(swe->tables, swe->real_type, at, water->values,
                                      water->count));
    at += water->count;
  }
  return trm_buffer_write(swe->tally, 0, sizeof tally, tally);
}

static trm_status upload_gauges(const shallow_solver *swe)
{
  int32_t cells[2 * SHALLOW_GAUGES + 2] = { 0 };
  for (int i = 0; i < swe->p.gauges; i++) {
    const size_t x = (size_t)swe->gauges[i].x, y = (size_t)swe->gauges[i].y;
    cells[2 * i] = (int32_t)(swe->layout.first + y * swe->layout.row + x);
    cells[2 * i + 1] = (int32_t)(swe->bed_layout.first + y * swe->bed_layout.row + x);
  }
  return trm_buffer_write(swe->gauge_cells, 0, sizeof cells, cells);
}

/* Live: so that the first fold of the speeds is made. */
static trm_status upload_clock(const shallow_solver *swe, const shallow_scene *scene)
{
  double *values = calloc(clock_reals(swe), sizeof *values);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the clock");
  values[SHALLOW_LIVE] = 1.0;
  shallow_outside(swe, scene, values + SHALLOW_OUTSIDE);
  const trm_status status = trm_framework_write_reals(swe->clock, swe->real_type, 0, values,
                                                      clock_reals(swe));
  free(values);
  return status;
}

typedef struct beginning { const shallow_solver *swe; const shallow_rows *rows; } beginning;

/* The maps at the start: depth and speed, and arrival time 0 where the surface already departs from
 * still_level. */
static double map_value(const void *user, trm_framework_cell at)
{
  const beginning *b = user;
  const shallow_params *p = &b->swe->p;
  const size_t i = (size_t)at.y * (size_t)p->nx + (size_t)at.x;
  const double h = b->rows->h[i], z = b->rows->z[i];
  if (at.component == 0) return h;
  if (at.component == 1) {
    const double u = b->rows->hu[i] / h, v = b->rows->hv[i] / h;
    return h > p->arrival ? sqrt(u * u + v * v) : 0.0;
  }
  return fabs(h + z - fmax(p->still_level, z)) > p->arrival ? 0.0 : -1.0;
}

typedef struct uploading { shallow_solver *swe; const shallow_scene *scene; } uploading;

static trm_status upload_rows(void *user, const shallow_rows *rows)
{
  const uploading *to = user;
  const shallow_solver *swe = to->swe;
  const double *const state[] = { rows->h, rows->hu, rows->hv };
  const trm_framework_shape shape = shape_of(swe, &swe->layout, rows, 3);
  const beginning start = { swe, rows };
  for (int i = 0; i < 2; i++)
    TRM_TRY(trm_framework_upload_arrays(swe->state[i], &shape, state));
  TRM_TRY(upload_bed(swe, to->scene, rows));
  return swe->has_maps ? trm_framework_upload(swe->maps, &shape, map_value, &start) : TRM_OK;
}

trm_status shallow_allocate(shallow_solver *swe, shallow_scene *scene)
{
  uploading all = { swe, scene };
  char what[64];
  snprintf(what, sizeof what, "a grid of %d x %d cells", swe->p.nx, swe->p.ny);
  TRM_TRY(trm_framework_allocate(swe->base.device, swe->memory, SHALLOW_BUFFERS, what));
  TRM_TRY(upload_gauges(swe));
  TRM_TRY(shallow_share_out(swe)); /* it makes another list of gauges */
  TRM_TRY(shallow_scene_walk(scene, upload_rows, &all));
  TRM_TRY(upload_beyond(swe, scene));
  TRM_TRY(upload_clock(swe, scene));
  return upload_tables(swe);
}
