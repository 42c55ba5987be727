/* shallow.c - shallow water: what a case may set, what a run allocates, what it declares.
 *
 * The methods and their units are in README.md here, the kernels in shallow.k and the headers that it
 * includes. Two states of three components; Lax-Friedrichs swaps them, HLLC keeps the state in the
 * first and a step's middle in the second. */
#include "solvers/shallow/shallow.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

extern const char trm_text_shallow[];
TRM_DECLARE_MODULES(shallow);
static const trm_host_module *const modules[] = { TRM_MODULES(shallow), NULL };
static const trm_program_source source = {
  "shallow", "solvers/shallow/shallow.k", trm_text_shallow, modules
};

#define ANY NAN, NAN, 0
#define SIDE_KINDS "open|wall|level|discharge"
#define SIDE(name, where) \
  { "boundary." name, TRM_OPTION_STRING, "", "open", ANY, SIDE_KINDS, \
    "the edge " where ": open, wall, a given level or a given discharge" }, \
  { "boundary." name "_value", TRM_OPTION_REAL, "m, m^2/s", "0", ANY, NULL, \
    "its level, or its discharge into the grid a metre of edge" }, \
  { "boundary." name "_file", TRM_OPTION_FILE, "", "", ANY, NULL, \
    "its hydrograph instead: lines of time and value" }

static const trm_option options[] = {
  { "grid.nx", TRM_OPTION_INTEGER, "cells", "0", 0, 1 << 30, 0, NULL,
    "cells along x; 0: as many as the bed's file has" },
  { "grid.ny", TRM_OPTION_INTEGER, "cells", "0", 0, 1 << 30, 0, NULL,
    "cells along y; 0: as many as the bed's file has" },
  { "grid.dx", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL,
    "a cell's side along x; 0: the bed's file tells" },
  { "grid.dy", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL, "a cell's side along y; 0: as grid.dx" },
  { "grid.x0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "x of the western edge" },
  { "grid.y0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "y of the southern edge" },
  { "shallow.scheme", TRM_OPTION_STRING, "", "hllc", ANY, "hllc|lax-friedrichs",
    "hllc: second order, well balanced; lax-friedrichs: the EPFL course's" },
  { "shallow.course", TRM_OPTION_FILE, "", "", ANY, NULL,
    "the course's files, by their beginning (Data_nx201_500km_T0.2); lengths in km, times in h" },
  { "shallow.bed", TRM_OPTION_FILE, "", "", ANY, NULL, "height of the bed: an ESRI ASCII grid" },
  { "shallow.bed_formula", TRM_OPTION_STRING, "m", "0", ANY, NULL,
    "the same as a formula of x and y, where no file is given" },
  { "shallow.fill", TRM_OPTION_STRING, "m", "", ANY, NULL,
    "bed of cells without a value in the file; empty: such a file is refused" },
  { "shallow.surface", TRM_OPTION_FILE, "", "", ANY, NULL,
    "height of the water's surface at the start: an ESRI ASCII grid" },
  { "shallow.surface_formula", TRM_OPTION_STRING, "m", "0", ANY, NULL,
    "the same as a formula of x, y and z (the bed); below the bed: dry" },
  { "shallow.u_formula", TRM_OPTION_STRING, "m/s", "0", ANY, NULL,
    "velocity along x at the start, a formula of x, y, z and h" },
  { "shallow.v_formula", TRM_OPTION_STRING, "m/s", "0", ANY, NULL, "velocity along y at the start" },
  { "shallow.gravity", TRM_OPTION_REAL, "m/s^2", "9.81", 0, NAN, 1, NULL,
    "gravity; the course's files: km/h^2" },
  { "shallow.cfl", TRM_OPTION_REAL, "1", "0", 0, 1, 0, NULL,
    "part of the largest step; 0: 1 for lax-friedrichs, 0.25 for hllc (never a negative depth)" },
  { "shallow.dry", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL,
    "water no deeper stands still; 0: 1e-4 for lax-friedrichs, 1e-10 (f64), 1e-6 (f32) for hllc" },
  { "shallow.theta", TRM_OPTION_REAL, "1", "1.3", 1, 2, 0, NULL,
    "steepness of the slope limiter, hllc" },
  { "shallow.manning", TRM_OPTION_REAL, "s/m^(1/3)", "0", 0, 1, 0, NULL,
    "Manning's friction number, hllc" },
  { "shallow.gauges", TRM_OPTION_STRING, "", "", ANY, NULL,
    "gauges, each a series of the surface's height: \"name x y, name x y\"" },
  { "shallow.maps", TRM_OPTION_BOOLEAN, "", "false", ANY, NULL,
    "keep the greatest depth, the greatest speed and the time of arrival of each cell" },
  { "shallow.still_level", TRM_OPTION_REAL, "m", "0", ANY, NULL,
    "the surface before anything arrives, for shallow.maps" },
  { "shallow.arrival", TRM_OPTION_REAL, "m", "0.01", 0, NAN, 0, NULL,
    "departure from that level which counts as arrival; land is what is less deep" },
  SIDE("west", "x = 0"),
  SIDE("east", "at the largest x"),
  SIDE("south", "y = 0"),
  SIDE("north", "at the largest y"),
};

/* ---- parameters ------------------------------------------------------------ */

#define PACK(to, type) \
  do { \
    (to).g = (type)swe->gravity; \
    (to).half_g = (type)(0.5 * swe->gravity); \
    (to).inv_dx = (type)(1.0 / swe->dx); \
    (to).inv_dy = (type)(1.0 / swe->dy); \
    (to).dx = (type)swe->dx; \
    (to).dry = (type)swe->dry; \
    (to).film = (type)swe->film; \
    (to).cfl = (type)swe->cfl; \
    (to).friction = (type)(swe->gravity * swe->manning * swe->manning); \
    (to).theta = (type)swe->theta; \
    (to).still_step = (type)(swe->cfl * fmin(swe->dx, swe->dy) / \
                             sqrt(swe->gravity * fmin(swe->dx, swe->dy))); \
    (to).still_level = (type)swe->still_level; \
    (to).arrival = (type)swe->arrival; \
    (to).first = (int)swe->layout.first; \
    (to).row = (int)swe->layout.row; \
    (to).component = (int)swe->layout.component; \
    (to).bed_first = (int)swe->bed_layout.first; \
    (to).bed_row = (int)swe->bed_layout.row; \
    (to).bed_component = (int)swe->bed_layout.component; \
    (to).land_first = (int)swe->land_layout.first; \
    (to).land_row = (int)swe->land_layout.row; \
    (to).ny = swe->ny; \
    (to).rows = swe->rows; \
    (to).west = swe->sides[0].kind; \
    (to).east = swe->sides[1].kind; \
    (to).south = swe->sides[2].kind; \
    (to).north = swe->sides[3].kind; \
    (to).stage = at.stage; \
    (to).values = at.values; \
    (to).begins = at.begins; \
    (to).scheme = swe->scheme; \
    (to).gauges = swe->gauge_count; \
    (to).limit = SHALLOW_BATCH_LIMIT; \
  } while (0)

void shallow_pack(const shallow_solver *swe, shallow_moment at, shallow_packed *out, size_t *bytes)
{
  memset(out, 0, sizeof *out);
  if (swe->precision == TRM_F64) {
    PACK(out->f64, double);
    *bytes = sizeof out->f64;
  } else {
    PACK(out->f32, float);
    *bytes = sizeof out->f32;
  }
}

/* ---- the case -------------------------------------------------------------- */

static trm_status read_case(shallow_solver *swe, const trm_config *config)
{
  const int is_lf = strcmp(trm_config_string(config, "shallow.scheme"), "lax-friedrichs") == 0;
  swe->scheme = is_lf ? SHALLOW_LAX_FRIEDRICHS : SHALLOW_HLLC;
  swe->gravity = trm_config_real(config, "shallow.gravity");
  swe->cfl = trm_config_real(config, "shallow.cfl");
  if (swe->cfl == 0.0) swe->cfl = is_lf ? 1.0 : 0.25;
  swe->dry = trm_config_real(config, "shallow.dry");
  if (swe->dry == 0.0) swe->dry = is_lf ? 1e-4 : swe->precision == TRM_F64 ? 1e-10 : 1e-6;
  swe->film = 0.1 * swe->dry;
  swe->theta = trm_config_real(config, "shallow.theta");
  swe->manning = trm_config_real(config, "shallow.manning");
  swe->still_level = trm_config_real(config, "shallow.still_level");
  swe->arrival = trm_config_real(config, "shallow.arrival");
  swe->has_maps = trm_config_boolean(config, "shallow.maps");
  swe->end_time = NAN;
  if (is_lf && swe->manning > 0.0)
    return TRM_FAIL(INPUT, "%s: lax-friedrichs knows no friction; choose shallow.scheme = \"hllc\"",
                    trm_config_origin(config, "shallow.manning"));
  if (!is_lf && *trm_config_string(config, "shallow.course"))
    return TRM_FAIL(INPUT, "%s: the course's files hold slopes of the bed and no heights, which hllc "
                    "needs; choose shallow.scheme = \"lax-friedrichs\"",
                    trm_config_origin(config, "shallow.scheme"));
  return shallow_read_sides(swe, config);
}

/* ---- sizes ----------------------------------------------------------------- */

static trm_status size_up(shallow_solver *swe)
{
  const trm_device *device = swe->base.device;
  const trm_type type = trm_real_type(swe->precision);
  const int is_host = trm_device_describe(device)->is_host;
  /* HLLC reads two cells beyond an edge; a layout has room for one on either side. */
  const size_t wide = (size_t)swe->nx + (is_host ? 2 : 0), ny = (size_t)swe->ny;
  const size_t beds = swe->scheme == SHALLOW_LAX_FRIEDRICHS ? 3 : 1;
  TRM_TRY(trm_layout_rows(device, type, wide, ny, 1, 4, &swe->layout));
  TRM_TRY(trm_layout_rows(device, type, wide, ny, 1, beds, &swe->bed_layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_U8, (size_t)swe->nx, ny, 1, 1, &swe->land_layout));
  if (swe->layout.component > INT_MAX || swe->bed_layout.component > INT_MAX)
    return TRM_FAIL(INPUT, "a grid of %d x %d cells is too large: a field must stay below 2^31 "
                    "elements", swe->nx, swe->ny);
  /* A block's rows share the fluxes between them. A GPU needs blocks enough to be busy. */
  swe->rows = is_host ? 16 : (size_t)swe->nx * ny > (size_t)1 << 20 ? 8 : 2;
  return TRM_OK;
}

/* ---- memory ---------------------------------------------------------------- */

/* Values of the scene into a component, with the mirror images that a host's ghosts are. */
static void place(const shallow_solver *swe, const trm_layout *layout, size_t component,
                  const double *values, unsigned char *to)
{
  const int ghosts = trm_device_describe(swe->base.device)->is_host ? 2 : 0;
  for (int y = 0; y < swe->ny; y++)
    for (int x = -ghosts; x < swe->nx + ghosts; x++) {
      const int inside = x < 0 ? -1 - x : x >= swe->nx ? 2 * swe->nx - 1 - x : x;
      const double value = values[(size_t)y * (size_t)swe->nx + (size_t)inside];
      const size_t at = layout->first + component * layout->component + (size_t)y * layout->row +
                        (size_t)(x + ghosts) - (size_t)ghosts;
      if (swe->precision == TRM_F64) ((double *)(void *)to)[at] = value;
      else ((float *)(void *)to)[at] = (float)value;
    }
}

static trm_status upload(const shallow_solver *swe, const trm_layout *layout,
                         const double *const *components, size_t count, const char *name,
                         trm_buffer **out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(layout->elements, trm_type_size(trm_real_type(swe->precision)), name, &bytes));
  unsigned char *values = calloc(bytes, 1);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of %s", bytes, name);
  for (size_t c = 0; c < count; c++)
    if (components[c]) place(swe, layout, c, components[c], values);
  trm_status status = trm_buffer_create(swe->base.device, bytes, name, out);
  if (status == TRM_OK) status = trm_buffer_write(*out, 0, bytes, values);
  free(values);
  return status;
}

static trm_status zeroed(const shallow_solver *swe, size_t bytes, const char *name, trm_buffer **out)
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
  for (int i = 0; i < SHALLOW_SIDES; i++) count += 2 * (size_t)swe->sides[i].points;
  double *values = calloc(count, sizeof *values);
  float *rounded = calloc(count, sizeof *rounded);
  trm_status status = values && rounded ? TRM_OK
                                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for hydrographs");
  size_t at = 0;
  for (int i = 0; i < SHALLOW_SIDES && status == TRM_OK; i++) {
    const size_t points = (size_t)swe->sides[i].points;
    tally[SHALLOW_TABLES + 2 * i] = (int32_t)at;
    tally[SHALLOW_TABLES + 2 * i + 1] = (int32_t)points;
    if (points) memcpy(values + at, swe->sides[i].times, points * sizeof *values);
    if (points) memcpy(values + at + points, swe->sides[i].values, points * sizeof *values);
    at += 2 * points;
  }
  for (size_t i = 0; status == TRM_OK && i < count; i++) rounded[i] = (float)values[i];
  const size_t bytes = count * trm_type_size(trm_real_type(swe->precision));
  if (status == TRM_OK) status = trm_buffer_create(swe->base.device, bytes, "hydrographs", &swe->tables);
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

/* Live: so that the first fold of the speeds is made. */
static trm_status upload_clock(shallow_solver *swe)
{
  const size_t size = trm_type_size(trm_real_type(swe->precision));
  const float one_f32 = 1.0f;
  const double one_f64 = 1.0;
  TRM_TRY(zeroed(swe, SHALLOW_CLOCK_REALS * size, "clock", &swe->clock));
  return trm_buffer_write(swe->clock, SHALLOW_LIVE * size, size,
                          swe->precision == TRM_F64 ? (const void *)&one_f64 : &one_f32);
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

static trm_status allocate(shallow_solver *swe, const shallow_scene *scene)
{
  const double *const state[] = { scene->h, scene->hu, scene->hv };
  const double *const beds[] = { scene->z, scene->zx, scene->zy };
  const size_t is_lf = swe->scheme == SHALLOW_LAX_FRIEDRICHS;
  const size_t size = trm_type_size(trm_real_type(swe->precision));
  const size_t leaves = shallow_leaves(swe, swe->ny), ones = SHALLOW_SERIES + SHALLOW_GAUGES;
  TRM_TRY(upload(swe, &swe->layout, state, 3, "state 0", &swe->state[0]));
  TRM_TRY(upload(swe, &swe->layout, state, 3, "state 1", &swe->state[1]));
  TRM_TRY(upload(swe, &swe->bed_layout, beds, is_lf ? 3 : 1, "bed", &swe->bed));
  TRM_TRY(zeroed(swe, leaves * size, "maxima", &swe->part));
  TRM_TRY(zeroed(swe, (leaves / SHALLOW_CHUNK_VALUES + 1) * size, "maxima of chunks", &swe->peaks));
  TRM_TRY(zeroed(swe, ones * SHALLOW_BATCH_LIMIT * size, "series", &swe->series_buffer));
  TRM_TRY(zeroed(swe, (swe->land_layout.elements + 3) / 4 * 4, "land", &swe->land));
  TRM_TRY(upload_clock(swe));
  TRM_TRY(upload_tables(swe));
  TRM_TRY(upload_gauges(swe));
  return upload_maps(swe, scene);
}

static trm_status build(shallow_solver *swe, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  TRM_TRY(trm_program_create(swe->base.device, &source, &how, &swe->program));
  TRM_TRY(trm_program_kernel(swe->program, "shallow_lf", &swe->lf));
  TRM_TRY(trm_program_kernel(swe->program, "shallow_hllc", &swe->hllc));
  TRM_TRY(trm_program_kernel(swe->program, "shallow_start", &swe->start));
  TRM_TRY(trm_program_kernel(swe->program, "shallow_peak", &swe->peak));
  TRM_TRY(trm_program_kernel(swe->program, "shallow_clock", &swe->clock_kernel));
  TRM_TRY(trm_program_kernel(swe->program, "shallow_maps", &swe->maps_kernel));
  return trm_program_kernel(swe->program, "shallow_observe", &swe->observe);
}

/* ---- declarations ---------------------------------------------------------- */

static void declare_field(shallow_solver *swe, const char *name, const char *unit, int components,
                          size_t component, const char *help)
{
  trm_field *field = &swe->fields[swe->base.field_count++];
  *field = (trm_field){ name, unit, help, trm_real_type(swe->precision), components,
                        (size_t)swe->nx, (size_t)swe->ny, 1, NULL, swe->layout, 0, 0 };
  field->layout.first += component * swe->layout.component;
}

/* The derived fields lie in the state that the next step overwrites. */
void shallow_place_fields(shallow_solver *swe)
{
  for (int i = 0; i < 3; i++) swe->fields[i].buffer = swe->state[swe->current];
  swe->fields[3].buffer = swe->clock;
  for (int i = 4; i < 7; i++) swe->fields[i].buffer = swe->state[!swe->current];
}

static void declare_fields(shallow_solver *swe)
{
  const char *length = swe->course ? "km" : "m", *speed = swe->course ? "km/h" : "m/s";
  const char *flow = swe->course ? "km^2/h" : "m^2/s", *time = swe->course ? "h" : "s";
  declare_field(swe, "h", length, 1, 0, "depth of the water");
  declare_field(swe, "hu", flow, 1, 1, "discharge along x a unit of width");
  declare_field(swe, "hv", flow, 1, 2, "discharge along y a unit of width");
  declare_field(swe, "time", time, 2, 0, "time of the state, and what rounding took from it");
  trm_field *clock = &swe->fields[3];
  clock->nx = clock->ny = 1;
  clock->layout = (trm_layout){ SHALLOW_TIME, 1, 1, 2 };
  for (int i = 0; i < 4; i++) swe->fields[i].is_state = 1;
  declare_field(swe, "surface", length, 1, 0, "height of the water's surface; of the bed where dry");
  swe->fields[4].in_picture = 1;
  declare_field(swe, "velocity", speed, 2, 1, "u, v; 0 where dry");
  declare_field(swe, "speed", speed, 1, 3, "|u|");
  declare_field(swe, "bed", length, 1, 0, "height of the bed");
  swe->fields[7].buffer = swe->bed;
  swe->fields[7].layout = swe->bed_layout;
  declare_field(swe, "land", "1", 1, 0, "1 where the water is no deeper than shallow.arrival");
  swe->fields[8].buffer = swe->land;
  swe->fields[8].type = TRM_TYPE_U8;
  swe->fields[8].layout = swe->land_layout;
  if (swe->has_maps) {
    declare_field(swe, "greatest_depth", length, 1, 0, "the largest depth so far");
    declare_field(swe, "greatest_speed", speed, 1, 1, "the largest speed so far");
    declare_field(swe, "arrival", time, 1, 2, "when the surface first departed from the still level; "
                  "-1: not yet");
    for (int i = 9; i < 12; i++) swe->fields[i].buffer = swe->maps;
  }
  shallow_place_fields(swe);
}

static void declare_series(shallow_solver *swe)
{
  const char *time = swe->course ? "h" : "s", *length = swe->course ? "km" : "m";
  const trm_type type = trm_real_type(swe->precision);
  trm_series *series = swe->series;
  series[0] = (trm_series){ "dt", time, swe->series_buffer, type, 1.0, 0 };
  series[1] = (trm_series){ "time", time, swe->series_buffer, type, 1.0, SHALLOW_BATCH_LIMIT };
  series[2] = (trm_series){ "rate", swe->course ? "1/h" : "1/s", swe->series_buffer, type, 1.0,
                            2 * SHALLOW_BATCH_LIMIT };
  for (int i = 0; i < swe->gauge_count; i++)
    series[SHALLOW_SERIES + i] =
      (trm_series){ swe->gauges[i].name, length, swe->series_buffer, type, 1.0,
                    (size_t)(SHALLOW_SERIES + i) * SHALLOW_BATCH_LIMIT };
  swe->base.series = series;
  swe->base.series_count = (size_t)(SHALLOW_SERIES + swe->gauge_count);
}

static void declare(shallow_solver *swe)
{
  const double cells = (double)swe->nx * swe->ny;
  const double bytes = (double)trm_type_size(trm_real_type(swe->precision)) * cells;
  declare_fields(swe);
  declare_series(swe);
  /* Lax-Friedrichs: state and two slopes read, state written; operations as the course counts them.
   * HLLC: the state and the bed read and a state written, and once more with the step's begin read. */
  if (swe->scheme == SHALLOW_HLLC)
    swe->traffic[0] = (trm_traffic){ "shallow_hllc", 8.5 * bytes, 350.0 * cells, 2.0 };
  else swe->traffic[0] = (trm_traffic){ "shallow_lf", 8.0 * bytes, 89.0 * cells, 1.0 };
  swe->traffic[1] = (trm_traffic){ "shallow_maps", 10.0 * bytes, 12.0 * cells, 1.0 };
  swe->results[0] = (trm_result){ "time", swe->course ? "h" : "s", NAN };
  swe->results[1] = (trm_result){ "volume", swe->course ? "km^3" : "m^3", NAN };
  swe->results[2] = (trm_result){ "volume_change", "1", NAN };
  swe->base.fields = swe->fields;
  swe->base.traffic = swe->traffic;
  swe->base.traffic_count = swe->has_maps ? 2 : 1;
  swe->base.results = swe->results;
  swe->base.result_count = 3;
  swe->base.cells = cells;
  swe->base.origin[0] = swe->x0;
  swe->base.origin[1] = swe->y0;
  swe->base.spacing[0] = swe->dx;
  swe->base.spacing[1] = swe->dy;
  swe->base.batch_limit = SHALLOW_BATCH_LIMIT;
  swe->base.program = trm_program_describe(swe->program);
}

/* ---- life ------------------------------------------------------------------ */

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  shallow_solver *swe = (shallow_solver *)*solver;
  trm_buffer **const buffers[] = { &swe->maps, &swe->gauge_cells, &swe->tables, &swe->series_buffer,
                                   &swe->tally, &swe->clock, &swe->peaks, &swe->part, &swe->land,
                                   &swe->bed, &swe->state[1], &swe->state[0] };
  for (int i = 0; i < SHALLOW_SEQUENCES; i++) trm_sequence_destroy(&swe->sequences[i]);
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) trm_buffer_destroy(buffers[i]);
  trm_program_destroy(&swe->program);
  shallow_free_sides(swe);
  free(swe->course);
  free(swe);
  *solver = NULL;
}

static trm_status observe(trm_solver *solver)
{
  shallow_solver *swe = (shallow_solver *)solver;
  shallow_packed params;
  size_t bytes;
  shallow_pack(swe, (shallow_moment){ 0, 0, 0 }, &params, &bytes);
  const trm_extent extent = { swe->nx, swe->ny, 1, 0 };
  trm_buffer *const buffers[] = { swe->state[swe->current], swe->state[!swe->current], swe->bed,
                                  swe->land };
  return trm_kernel_launch(swe->observe, &extent, &params, bytes, buffers, 4);
}

/* Volume of the state, summed in doubles in the order of the cells. */
static trm_status measure_volume(const shallow_solver *swe, double *out)
{
  const trm_field *depth = &swe->fields[0];
  const size_t cells = depth->nx * depth->ny;
  void *values = malloc(cells * trm_type_size(depth->type));
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the depths");
  const trm_status status = trm_field_read(depth, values);
  double sum = 0, rest = 0;
  for (size_t i = 0; status == TRM_OK && i < cells; i++) {
    const double value = depth->type == TRM_TYPE_F64 ? ((const double *)values)[i]
                                                     : (double)((const float *)values)[i];
    const double small = value - rest, next = sum + small;
    rest = (next - sum) - small;
    sum = next;
  }
  free(values);
  *out = sum * swe->dx * swe->dy;
  return status;
}

static trm_status finish(trm_solver *solver, const double *series_last)
{
  shallow_solver *swe = (shallow_solver *)solver;
  double volume;
  (void)series_last;
  TRM_TRY(measure_volume(swe, &volume));
  swe->results[0].value = solver->time;
  swe->results[1].value = volume;
  swe->results[2].value = swe->volume > 0 ? volume / swe->volume - 1.0 : 0.0;
  return TRM_OK;
}

/* "_nx201_500km_T0.2" of the course's files. */
static trm_status name_course(shallow_solver *swe, const char *path)
{
  if (!*path) return TRM_OK;
  const char *name = strstr(strrchr(path, '/') ? strrchr(path, '/') : path, "_nx");
  swe->course = strdup(name ? name : "");
  return swe->course ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a name");
}

static trm_status set_up(shallow_solver *swe, const trm_config *config,
                         const trm_solver_options *run)
{
  shallow_scene scene = { 0 };
  TRM_TRY(read_case(swe, config));
  TRM_TRY(name_course(swe, trm_config_string(config, "shallow.course")));
  trm_status status = shallow_scene_create(config, swe->scheme == SHALLOW_LAX_FRIEDRICHS, swe->dry,
                                           &scene);
  swe->nx = scene.nx;
  swe->ny = scene.ny;
  swe->dx = scene.dx;
  swe->dy = scene.dy;
  swe->x0 = scene.x0;
  swe->y0 = scene.y0;
  if (status == TRM_OK) status = shallow_read_gauges(swe, config);
  if (status == TRM_OK) status = size_up(swe);
  if (status == TRM_OK) status = allocate(swe, &scene);
  if (status == TRM_OK) status = build(swe, run);
  shallow_scene_free(&scene);
  return status;
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  shallow_solver *swe = calloc(1, sizeof *swe);
  if (!swe) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &swe->base;
  solver->type = &trm_solver_shallow;
  solver->device = device;
  swe->precision = run->precision;
  trm_status status = set_up(swe, config, run);
  if (status == TRM_OK) {
    declare(swe);
    status = measure_volume(swe, &swe->volume);
  }
  if (status != TRM_OK) {
    destroy(&solver);
    return status;
  }
  *out = solver;
  return TRM_OK;
}

const trm_solver_type trm_solver_shallow = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "shallow",
  .summary = "shallow water: Lax-Friedrichs (the EPFL course's) and HLLC of second order",
  .update_name = "cell steps",
  .options = options,
  .option_count = sizeof options / sizeof options[0],
  .files_usage = "DIR_OR_PREFIX",
  .configure = shallow_configure,
  .create = create,
  .advance = shallow_advance,
  .account = shallow_account,
  .observe = observe,
  .finish = finish,
  .export_files = shallow_export,
  .destroy = destroy,
};
