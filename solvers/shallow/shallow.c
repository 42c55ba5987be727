/* shallow.c - shallow water: what a case may set, what a run allocates, what it declares.
 *
 * The methods and their units are in README.md here, the kernels in shallow.k, shallow_lf.k,
 * shallow_hllc.k and the headers that they include. Two states of three components; Lax-Friedrichs
 * swaps them, HLLC keeps the state in the first and a step's middle in the second. */
#include "solvers/shallow/shallow.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/implementations.h"
#include "solvers/shallow/implementation.h"

TRM_FRAMEWORK_SOURCE(shallow, "solvers/shallow/shallow.k");
TRM_FRAMEWORK_SOURCE(shallow_lf, "solvers/shallow/shallow_lf.k");
TRM_FRAMEWORK_SOURCE(shallow_hllc, "solvers/shallow/shallow_hllc.k");

#define ANY NAN, NAN, 0
#define SIDE_KINDS "open|wall|level|discharge|wave"
#define SIDE(name, where) \
  { "boundary." name, TRM_OPTION_STRING, "", "open", ANY, SIDE_KINDS, \
    "the edge " where ": open, wall, a given level, discharge or incoming wave" }, \
  { "boundary." name "_value", TRM_OPTION_REAL, "m, m^2/s", "0", ANY, NULL, \
    "its level, the surface's height in the wave, or the discharge into the grid " \
    "a metre of edge" }, \
  { "boundary." name "_table", TRM_OPTION_FILE, "", "", ANY, NULL, \
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
  { "shallow.implementation", TRM_OPTION_STRING, "", "best", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "best|three-kernels|tile|tile-bed-global",
    "lax-friedrichs: the solver's own kernel, or the course's three kernels: from memory, by tiles "
    "in shared memory, by tiles without the bed" },
  SHALLOW_FORM_KEYS,
  { "shallow.course", TRM_OPTION_FILE, "", "", ANY, NULL,
    "the course's files, by their beginning (Data_nx201_500km_T0.2); lengths in km, times in h" },
  { "shallow.bed", TRM_OPTION_FILE, "", "", ANY, NULL,
    "height of the bed: an ESRI ASCII grid or a netCDF file" },
  { "shallow.bed_variable", TRM_OPTION_STRING, "", "", ANY, NULL,
    "which variable of the netCDF file; empty: the only one on a grid" },
  { "shallow.bed_formula", TRM_OPTION_STRING, "m", "0", ANY, NULL,
    "the same as a formula of x and y, where no file is given" },
  { "shallow.fill", TRM_OPTION_STRING, "m", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "bed of cells without a value in the file; empty: such a file is refused" },
  { "initial.surface_file", TRM_OPTION_FILE, "", "", ANY, NULL,
    "height of the water's surface at the start: an ESRI ASCII grid or a netCDF file" },
  { "initial.surface_variable", TRM_OPTION_STRING, "", "", ANY, NULL,
    "which variable of the netCDF file; empty: the only one on a grid" },
  { "initial.surface", TRM_OPTION_STRING, "m", "0", ANY, NULL,
    "the same as a formula of x, y and z (the bed); below the bed: dry" },
  { "initial.velocity_x", TRM_OPTION_STRING, "m/s", "0", ANY, NULL,
    "velocity along x at the start, a formula of x, y, z and h" },
  { "initial.velocity_y", TRM_OPTION_STRING, "m/s", "0", ANY, NULL,
    "velocity along y at the start" },
  { "shallow.gravity", TRM_OPTION_REAL, "m/s^2", "9.81", 1e-9, NAN, 0, NULL,
    "gravity; the course's files: km/h^2" },
  { "shallow.cfl", TRM_OPTION_REAL, "1", "0", 0, 1, 0, NULL,
    "part of the largest step; 0: 1 for lax-friedrichs (0.95 where dt_every > 1), 0.25 for hllc "
    "(never a negative depth)" },
  { "shallow.dt_every", TRM_OPTION_INTEGER, "steps", "1", 1, 16, 0, NULL,
    "lax-friedrichs: steps that share a length, until a wave would outrun it; 3: three in one "
    "launch of a GPU" },
  { "shallow.dry", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL,
    "water no deeper stands still; 0: 1e-4 for lax-friedrichs, 1e-10 (f64), 1e-6 (f32) for hllc" },
  { "shallow.theta", TRM_OPTION_REAL, "1", "1.3", 1, 2, 0, NULL,
    "steepness of the slope limiter, hllc" },
  { "shallow.manning", TRM_OPTION_REAL, "s/m^(1/3)", "0", 0, 1, 0, NULL,
    "Manning's friction number, hllc" },
  { "shallow.exact_volume", TRM_OPTION_STRING, "", "auto", ANY, "auto|true|false",
    "keep the part that rounding takes from a depth, so that slow filling counts, hllc; auto: "
    "where an edge is not a wall" },
  { "probes", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "gauges, each a series of the surface's height: \"name x y, name x y\"" },
  { "shallow.maps", TRM_OPTION_BOOLEAN, "", "false", ANY, NULL,
    "keep the greatest depth, the greatest speed and the time of arrival of each cell" },
  { "shallow.still_level", TRM_OPTION_REAL, "m", "0", ANY, NULL,
    "the surface before anything arrives, for shallow.maps and incoming waves" },
  { "shallow.arrival", TRM_OPTION_REAL, "m", "0.01", 0, NAN, 0, NULL,
    "departure from still_level that counts as arrival; cells with less water are land" },
  SIDE("west", "x = 0"),
  SIDE("east", "at the largest x"),
  SIDE("south", "y = 0"),
  SIDE("north", "at the largest y"),
};

/* The names of keys in the last version. */
static const trm_former_key former_keys[] = {
  { "shallow.surface", "initial.surface_file", 0 },
  { "shallow.surface_variable", "initial.surface_variable", 0 },
  { "shallow.surface_formula", "initial.surface", 0 },
  { "shallow.u_formula", "initial.velocity_x", 0 },
  { "shallow.v_formula", "initial.velocity_y", 0 },
  { "shallow.gauges", "probes", 0 },
  { "boundary.west_file", "boundary.west_table", 0 },
  { "boundary.east_file", "boundary.east_table", 0 },
  { "boundary.south_file", "boundary.south_table", 0 },
  { "boundary.north_file", "boundary.north_table", 0 },
};

/* The step's kernels are one form; how they reach the device makes the implementations. */
static const trm_implementation list[] = {
  { "watched", "run.batch=1 run.plain_replay=true run.wavefront=1",
    "the host reads the length of every step before it launches the next", 0 },
  { "queued", "run.batch=0 run.plain_replay=true run.wavefront=1",
    "the length of a step stays on the device; the host reads many at once", TRM_SAVES_TRANSFERS },
  { "recorded", "run.batch=0 run.plain_replay=false run.wavefront=1",
    "steps are recorded once and replayed", TRM_SAVES_LAUNCHES },
  { "wavefront", "run.batch=0 run.plain_replay=false run.wavefront=0",
    "a host takes part of the grid through several steps while it is in the cache, where the "
    "scheme allows it", 0 },
};
static const trm_implementations implementations = { list, sizeof list / sizeof list[0], NULL };

/* ---- the case -------------------------------------------------------------- */

/* Steps made at once exclude values kept for each step, or computed from an earlier step. */
static trm_status check_every(const shallow_solver *swe, const trm_config *config)
{
  const char *origin = trm_config_origin(config, "shallow.dt_every");
  if (swe->p.every == 1) return TRM_OK;
  if (swe->p.scheme != SHALLOW_LAX_FRIEDRICHS)
    return TRM_FAIL(INPUT, "%s: shallow.dt_every = %d: hllc sets the length of each step; choose "
                    "shallow.scheme = \"lax-friedrichs\", or leave it at 1", origin, swe->p.every);
  if (swe->has_maps || *trm_config_string(config, "probes"))
    return TRM_FAIL(INPUT, "%s: shallow.dt_every = %d: shallow.maps and probes need each "
                           "step, but several steps are made at once here; leave it at 1, or leave "
                           "them out", origin, swe->p.every);
  return TRM_OK;
}

/* Where water comes in, slowly too, a depth keeps what rounding takes from it. */
static trm_status choose_exact(shallow_solver *swe, const trm_config *config)
{
  const char *key = "shallow.exact_volume", *wish = trm_config_string(config, key);
  const int is_auto = strcmp(wish, "auto") == 0, is_wanted = strcmp(wish, "true") == 0;
  if (is_wanted && swe->p.scheme == SHALLOW_LAX_FRIEDRICHS)
    return TRM_FAIL(INPUT, "%s: lax-friedrichs has no exact volume: its rule for depths of 0 or "
                    "less adds water; choose shallow.scheme = \"hllc\"",
                    trm_config_origin(config, key));
  if (is_wanted && swe->is_fast)
    return TRM_FAIL(INPUT, "%s: fast arithmetic may drop the part that rounding takes from a "
                    "depth; choose --math=strict", trm_config_origin(config, key));
  swe->p.exact = is_wanted;
  if (!is_auto || swe->is_fast || swe->p.scheme == SHALLOW_LAX_FRIEDRICHS) return TRM_OK;
  for (int i = 0; i < SHALLOW_SIDES; i++) swe->p.exact |= swe->sides[i].kind != SHALLOW_WALL;
  return TRM_OK;
}

/* The least numbers in the case's units. The units show in its gravity and its dry depth: the
 * numbers are scaled by the ratios of these to 9.81 and to the scheme's own depth, `dry`. */
static void choose_least(shallow_solver *swe, double dry)
{
  const double length = swe->p.dry / dry, speed = sqrt(length * (swe->p.g / 9.81));
  swe->p.still = 1e-16 * (length * speed);
  swe->p.creep = 1e-15 * speed;
  swe->p.trace = 1e-20 * length;
}

static trm_status read_case(shallow_solver *swe, const trm_config *config)
{
  const int is_lf = strcmp(trm_config_string(config, "shallow.scheme"), "lax-friedrichs") == 0;
  const double g = trm_config_real(config, "shallow.gravity");
  const double manning = trm_config_real(config, "shallow.manning");
  const double theta = trm_config_real(config, "shallow.theta");
  const double dry = swe->real_type == TRM_TYPE_F64 ? 1e-10 : 1e-6;
  static const trm_option_need theta_is = { "shallow.theta", "shallow.scheme", "hllc" };
  static const trm_option_need arrival_is = { "shallow.arrival", "shallow.maps", "true" };
  swe->p = (shallow_params){ .g = g, .root_g = sqrt(g),
                             .dry = trm_config_real(config, "shallow.dry"),
                             .cfl = trm_config_real(config, "shallow.cfl"),
                             .friction = g * manning * manning, .steep = 0.5 * theta,
                             .mean = 0.5 / theta,
                             .arrival = trm_config_real(config, "shallow.arrival"),
                             .scheme = is_lf ? SHALLOW_LAX_FRIEDRICHS : SHALLOW_HLLC,
                             .limit = SHALLOW_BATCH_LIMIT,
                             .every = (int)trm_config_integer(config, "shallow.dt_every") };
  if (swe->p.cfl == 0.0) swe->p.cfl = !is_lf ? 0.25 : swe->p.every > 1 ? 0.95 : 1.0;
  if (swe->p.dry == 0.0) swe->p.dry = is_lf ? 1e-4 : dry;
  swe->p.film = 0.1 * swe->p.dry;
  choose_least(swe, is_lf ? 1e-4 : dry);
  swe->still_level = trm_config_real(config, "shallow.still_level");
  swe->has_maps = trm_config_boolean(config, "shallow.maps");
  swe->end_time = NAN;
  if (is_lf && manning > 0.0)
    return TRM_FAIL(INPUT, "%s: lax-friedrichs knows no friction; choose shallow.scheme = \"hllc\"",
                    trm_config_origin(config, "shallow.manning"));
  if (!is_lf && *trm_config_string(config, "shallow.course"))
    return TRM_FAIL(INPUT, "%s: the course's files hold slopes of the bed and no heights, which "
                    "hllc needs; choose shallow.scheme = \"lax-friedrichs\"",
                    trm_config_origin(config, "shallow.scheme"));
  TRM_TRY(trm_config_check_needs(config, &theta_is, 1));
  TRM_TRY(trm_config_check_asked(config, &arrival_is, 1));
  TRM_TRY(check_every(swe, config));
  TRM_TRY(shallow_read_sides(swe, config));
  return choose_exact(swe, config);
}

/* The grid of the scene, and numbers derived from it. */
static void take_grid(shallow_solver *swe, const shallow_scene *scene)
{
  const double side = fmin(scene->dx, scene->dy);
  shallow_params *p = &swe->p;
  p->nx = scene->nx;
  p->ny = scene->ny;
  p->dx = scene->dx;
  p->inv_dx = 1.0 / scene->dx;
  p->inv_dy = 1.0 / scene->dy;
  p->still_step = p->cfl * side / sqrt(p->g * side);
  swe->base.origin[0] = scene->x0;
  swe->base.origin[1] = scene->y0;
  swe->base.spacing[0] = scene->dx;
  swe->base.spacing[1] = scene->dy;
  swe->reference = scene->reference;
  p->still_level = shallow_scene_height(scene, swe->still_level);
}

/* Notes everything that checks of the case need to know. */
static trm_status survey(void *user, const shallow_rows *rows)
{
  shallow_solver *swe = user;
  const size_t nx = (size_t)swe->p.nx, cells = nx * (size_t)rows->count;
  for (size_t i = 0; i < cells; i++) {
    swe->deepest = fmax(swe->deepest, rows->h[i]);
    if (rows->h[i] > swe->p.dry) swe->highest = fmax(swe->highest, rows->z[i] + rows->h[i]);
  }
  for (int i = 0; i < swe->p.gauges; i++) {
    shallow_gauge *gauge = &swe->gauges[i];
    const int row = gauge->y - rows->first;
    if (row < 0 || row >= rows->count) continue;
    gauge->h = rows->h[(size_t)row * nx + (size_t)gauge->x];
    gauge->z = rows->z[(size_t)row * nx + (size_t)gauge->x];
  }
  return TRM_OK;
}

static trm_status build(shallow_solver *swe, const trm_solver_options *run)
{
  static const char *const of_lf[] = { "shallow_lf", "shallow_lf_line", NULL };
  static const char *const of_hllc[] = { "shallow_hllc", NULL };
  static const char *const of_both[] = { "shallow_start", "shallow_peak", "shallow_clock",
    "shallow_maps", "shallow_observe", "shallow_gauge", "shallow_ghosts", NULL };
  int has_discharge = 0;
  for (int i = 0; i < SHALLOW_SIDES; i++)
    has_discharge |= swe->sides[i].kind == SHALLOW_DISCHARGE;
  /* as the kernel sees it, in the run's precision */
  const int is_rough = run->precision == TRM_F32 ? (float)swe->p.friction > 0.0f
                                                 : swe->p.friction > 0.0;
  const int is_hllc = swe->p.scheme == SHALLOW_HLLC;
  char defines[128]; /* shallow_common.h: what the text asks for, else it is compiled again */
  const int length = snprintf(defines, sizeof defines, "#define SHALLOW_HAS_DISCHARGE %d\n",
                              has_discharge);
  if (is_hllc)
    snprintf(defines + length, sizeof defines - (size_t)length, "#define SHALLOW_IS_EXACT %d\n"
             "#define SHALLOW_IS_ROUGH %d\n", swe->p.exact != 0, is_rough);
  const trm_framework_recipe steps = { is_hllc ? &shallow_hllc_source : &shallow_lf_source, NULL,
                                       "shallow_params", sizeof(shallow_params),
                                       is_hllc ? of_hllc : of_lf };
  static const trm_framework_recipe both = { &shallow_source, NULL, "shallow_params",
                                             sizeof(shallow_params), of_both };
  trm_solver_options how = *run;
  if (swe->implementation) how.row_group_x = how.row_group_y = 0; /* run.group is of its kernels */
  else
    TRM_TRY(trm_framework_program_create_with(swe->base.device, &steps, defines, run,
                                              &swe->programs[SHALLOW_OF_SCHEME]));
  return trm_framework_program_create(swe->base.device, &both, &how,
                                      &swe->programs[SHALLOW_OF_BOTH]);
}

/* ---- life ------------------------------------------------------------------ */

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  shallow_solver *swe = (shallow_solver *)*solver;
  trm_framework_stepper_clear(&swe->stepper);
  for (int i = 0; i < 4; i++) trm_sequence_destroy(&swe->blocks[i / 2][i % 2]);
  trm_framework_release(swe->memory, SHALLOW_BUFFERS);
  shallow_implementation_destroy(swe);
  for (int i = 0; i < SHALLOW_PROGRAMS; i++) trm_framework_program_destroy(&swe->programs[i]);
  shallow_free_sides(swe);
  free(swe->course);
  free(swe->caution);
  free(swe);
  *solver = NULL;
}

static trm_status observe(trm_solver *solver)
{
  shallow_solver *swe = (shallow_solver *)solver;
  return SHALLOW_LAUNCH(swe, OBSERVE, swe->p.nx, swe->p.ny, swe->state[swe->current],
                        swe->state[!swe->current], swe->bed, swe->land);
}

static trm_status finish(trm_solver *solver, const double *series_last)
{
  shallow_solver *swe = (shallow_solver *)solver;
  double volume;
  (void)series_last;
  TRM_TRY(shallow_measure_volume(swe, &volume));
  swe->results[SHALLOW_AT_TIME].value = solver->time;
  swe->results[SHALLOW_VOLUME].value = volume;
  swe->results[SHALLOW_CHANGE].value = swe->volume > 0 ? volume / swe->volume - 1.0 : 0.0;
  if (swe->p.scheme == SHALLOW_HLLC) return shallow_balance(swe);
  if (swe->p.every == 1) return TRM_OK;
  int32_t refreshed;
  TRM_TRY(trm_buffer_read(swe->tally, SHALLOW_REFRESHED * sizeof refreshed, sizeof refreshed,
                          &refreshed));
  swe->results[SHALLOW_SET_EARLY].value = refreshed;
  return TRM_OK;
}

/* "_nx201_500km_T0.2" of the course's files. */
static trm_status name_course(shallow_solver *swe, const char *path)
{
  if (!*path) {
    swe->base.unexported = "it has no shallow.course";
    return TRM_OK;
  }
  const char *name = strstr(strrchr(path, '/') ? strrchr(path, '/') : path, "_nx");
  swe->course = strdup(name ? name : "");
  return swe->course ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a name");
}

static trm_status set_up(shallow_solver *swe, const trm_config *config,
                         const trm_solver_options *run)
{
  shallow_scene scene = { 0 };
  const int is_f64 = swe->real_type == TRM_TYPE_F64;
  TRM_TRY(read_case(swe, config));
  TRM_TRY(shallow_implementation_read(swe, config, run));
  TRM_TRY(name_course(swe, trm_config_string(config, "shallow.course")));
  const shallow_wanted wanted = { .needs_slopes = swe->p.scheme == SHALLOW_LAX_FRIEDRICHS,
                                  .digits = is_f64 ? DBL_MANT_DIG : FLT_MANT_DIG,
                                  .in_bands = shallow_is_shared(swe), .dry = swe->p.dry,
                                  .largest = is_f64 ? DBL_MAX : FLT_MAX };
  trm_status status = shallow_scene_create(swe->base.device, config, &wanted, &scene);
  take_grid(swe, &scene);
  if (status == TRM_OK) status = shallow_read_gauges(swe, config);
  swe->highest = -INFINITY;
  if (status == TRM_OK) status = shallow_scene_walk(&scene, survey, swe);
  if (status == TRM_OK) status = shallow_check_open(swe, &scene);
  if (status == TRM_OK) status = shallow_check_numbers(swe, config);
  if (status == TRM_OK) shallow_resolve_sides(swe, &scene);
  if (status == TRM_OK) status = shallow_caution(swe, &scene);
  if (status == TRM_OK) status = shallow_check_waves(swe, &scene, config);
  if (status == TRM_OK) status = shallow_size_up(swe);
  if (status == TRM_OK) status = shallow_allocate(swe, &scene);
  if (status == TRM_OK) status = build(swe, run);
  if (status == TRM_OK && swe->implementation) status = shallow_implementation_create(swe, run);
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
  swe->real_type = trm_real_type(run->precision);
  swe->is_fast = run->math == TRM_FAST;
  trm_status status = set_up(swe, config, run);
  if (status == TRM_OK) {
    shallow_declare(swe);
    shallow_begin_steps(swe);
    status = shallow_measure_volume(swe, &swe->volume);
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
  .former_keys = former_keys, .former_key_count = sizeof former_keys / sizeof former_keys[0],
  .files_usage = "DIR_OR_PREFIX",
  .configure = shallow_configure,
  .create = create,
  .advance = shallow_advance,
  .account = shallow_account,
  .restore = shallow_restore,
  .observe = observe,
  .finish = finish,
  .export_files = shallow_export,
  .destroy = destroy,
  .implementations = &implementations,
  .size_keys = "grid.nx,grid.ny",
};
