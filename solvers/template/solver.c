/* @name@.c - the heat equation on a plate: what a case may set, what a run allocates and declares,
 * and how it gets through a batch of steps.
 *
 * The kernel and its scheme are in @name@.k. Output, pictures, comparison and fingerprints follow
 * from the declarations (solvers/solver.h); nothing here names a backend. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "solvers/solver.h"

/* The kernels' parameters as each precision lays them out. */
typedef int64_t trm_index;
#define real float
#define @name@_params params_f32
#include "@name@_params.h"
#undef real
#undef @name@_params
#define real double
#define @name@_params params_f64
#include "@name@_params.h"
#undef real
#undef @name@_params

/* The program: the text that the build embeds, and its compiled host instances. */
extern const char trm_text_@name@[];
TRM_DECLARE_MODULES(@name@);
static const trm_host_module *const modules[] = { TRM_MODULES(@name@), NULL };
static const trm_program_source source = { "@name@", "@name@.k", trm_text_@name@, modules };

TRM_API extern const trm_solver_type trm_solver_@name@;

enum {
  SLOTS = 64,          /* steps whose partial sums wait for one fold; even, so that a sequence of so
                        * many ends in the buffer in which it began */
  BATCH_LIMIT = 65536  /* steps whose sums fit the series' buffer */
};

typedef struct solver {
  trm_solver base;     /* first, as solver.h asks */
  trm_precision precision;
  int nx, ny, has_edge, slots;
  double dx, dy, dt, diffusivity, wall;
  trm_layout layout;
  size_t leaves;       /* partial sums of one step and one series */
  trm_program *program;
  trm_kernel *step;
  trm_buffer *plate[2];   /* plate[current] holds the temperature */
  trm_buffer *part;       /* of each slot: leaves of the sum; `slots` slots on, of the square */
  trm_buffer *sums;       /* what the series are: BATCH_LIMIT sums, then as many of the square */
  trm_buffer *window;     /* the sums of a replayed sequence, copied to `sums` after it */
  trm_reduction *fold;
  trm_sequence *sequence; /* of `slots` steps, from plate 0; made when first needed */
  int current;
  trm_field fields[1];
  trm_series series[2];
  trm_traffic traffic[2];
  trm_result results[1];
} solver;

/* ---- what a case may set ------------------------------------------------------ */

static const trm_option options[] = {
  { "grid.nx", TRM_OPTION_INTEGER, "cells", "256", 3, 1 << 24, 0, NULL, "cells along x" },
  { "grid.ny", TRM_OPTION_INTEGER, "cells", "256", 3, 1 << 24, 0, NULL, "cells along y" },
  { "@name@.length_x", TRM_OPTION_REAL, "m", "1", 0, NAN, 1, NULL, "side of the plate along x" },
  { "@name@.length_y", TRM_OPTION_REAL, "m", "1", 0, NAN, 1, NULL, "side of the plate along y" },
  { "@name@.diffusivity", TRM_OPTION_REAL, "m2/s", "1", 0, NAN, 1, NULL, "thermal diffusivity" },
  { "@name@.dt", TRM_OPTION_REAL, "s", "0", 0, NAN, 0, NULL,
    "length of a step; 0: 0.9 of the longest stable one" },
  { "@name@.edge", TRM_OPTION_STRING, "", "insulated", NAN, NAN, 0, "insulated|fixed|periodic",
    "what lies around the plate: no flow of heat, a wall of fixed temperature, "
    "or the plate again" },
  { "@name@.wall", TRM_OPTION_REAL, "K", "0", NAN, NAN, 0, NULL,
    "temperature of a fixed edge" },
  { "@name@.initial", TRM_OPTION_STRING, "", "square", NAN, NAN, 0, "square|wave",
    "a square of 1 K in the middle, or the slowest mode that the edge allows, of 1 K" },
};

/* `trireme run @name@` names no case, so it is told here how long to run. */
static trm_status configure(trm_config *config, size_t count, const char *const *files)
{
  (void)count, (void)files;
  return trm_config_set(config, "run.steps", "5000", "@name@.c");
}

static trm_status read_case(solver *s, const trm_config *config)
{
  const char *edge = trm_config_string(config, "@name@.edge");
  s->nx = (int)trm_config_integer(config, "grid.nx");
  s->ny = (int)trm_config_integer(config, "grid.ny");
  s->dx = trm_config_real(config, "@name@.length_x") / s->nx;
  s->dy = trm_config_real(config, "@name@.length_y") / s->ny;
  s->diffusivity = trm_config_real(config, "@name@.diffusivity");
  s->has_edge = strcmp(edge, "periodic") != 0;
  s->wall = strcmp(edge, "fixed") == 0 ? trm_config_real(config, "@name@.wall") : NAN;
  s->dt = trm_config_real(config, "@name@.dt");
  const double longest = 0.5 / (s->diffusivity * (1 / (s->dx * s->dx) + 1 / (s->dy * s->dy)));
  if (s->dt > longest)
    return TRM_FAIL(INPUT, "%s: @name@.dt = %g s is too long for cells of %g m x %g m: an explicit "
                    "step is stable up to %g s; shorten it, or leave it out",
                    trm_config_origin(config, "@name@.dt"), s->dt, s->dx, s->dy, longest);
  if (s->dt == 0) s->dt = 0.9 * longest;
  return TRM_OK;
}

/* ---- sizes and memory -------------------------------------------------------- */

static trm_status size_up(solver *s, const trm_config *config)
{
  const size_t nx = (size_t)s->nx, ny = (size_t)s->ny;
  size_t cells;
  TRM_TRY(trm_size_mul(nx, ny, "grid.nx * grid.ny", &cells));
  if (cells > INT_MAX)
    return TRM_FAIL(INPUT, "%s: a grid of %d x %d cells is too large: there may be 2^31; make "
                    "grid.nx or grid.ny smaller",
                    trm_config_origin(config, "grid.nx"), s->nx, s->ny);
  TRM_TRY(trm_layout_rows(s->base.device, trm_real_type(s->precision), nx, ny, 1, 1, &s->layout));
  s->leaves = (nx + 31) / 32 * ny;
  /* Partial sums of many steps are folded at once, in no more memory than the plate takes. */
  for (s->slots = SLOTS; s->slots > 2 && 2 * (size_t)s->slots * s->leaves > cells;) s->slots /= 2;
  return TRM_OK;
}

static trm_status allocate(solver *s)
{
  trm_device *device = s->base.device;
  const size_t real_bytes = trm_type_size(trm_real_type(s->precision));
  const size_t plate = s->layout.elements * real_bytes;
  const size_t part = 2 * (size_t)s->slots * s->leaves * real_bytes;
  TRM_TRY(trm_buffer_create(device, plate, "plate 0", &s->plate[0]));
  TRM_TRY(trm_buffer_create(device, plate, "plate 1", &s->plate[1]));
  TRM_TRY(trm_buffer_create(device, part, "partial sums", &s->part));
  TRM_TRY(trm_buffer_create(device, 2 * BATCH_LIMIT * real_bytes, "sums", &s->sums));
  TRM_TRY(trm_buffer_create(device, 2 * SLOTS * real_bytes, "sums of a sequence", &s->window));
  return trm_reduction_create(device, TRM_SUM, s->precision, s->leaves, (size_t)s->slots, &s->fold);
}

static trm_status build(solver *s, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  TRM_TRY(trm_program_create(s->base.device, &source, &how, &s->program));
  return trm_program_kernel(s->program, "@name@_step", &s->step);
}

/* ---- the initial state ------------------------------------------------------- */

static const double pi = 3.14159265358979323846;

/* Along one axis of n cells: the mode that decays slowest, at the middle of cell i. */
static double mode(const solver *s, int i, int n)
{
  const double at = (i + 0.5) / n;
  if (!s->has_edge) return cos(2 * pi * at);
  return isnan(s->wall) ? cos(pi * at) : sin(pi * at);
}

static double initial_value(const solver *s, int is_wave, int x, int y)
{
  const double base = isnan(s->wall) ? 0.0 : s->wall;
  if (is_wave) return base + mode(s, x, s->nx) * mode(s, y, s->ny);
  return base + (abs(2 * x + 1 - s->nx) * 3 < s->nx && abs(2 * y + 1 - s->ny) * 3 < s->ny);
}

/* Fills plate 0 whole: rows, the ghost columns that a host's kernels read, and the padding. */
static trm_status set_initial(solver *s, int is_wave)
{
  const int ghosts = trm_device_describe(s->base.device)->ghost_columns;
  const size_t real_bytes = trm_type_size(trm_real_type(s->precision));
  unsigned char *values = calloc(s->layout.elements, real_bytes);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the initial temperature");
  for (int y = 0; y < s->ny; y++)
    for (int i = 0; i < s->nx + 2 * ghosts; i++) {
      const double value = initial_value(s, is_wave, (i - ghosts + s->nx) % s->nx, y);
      const size_t at = s->layout.first - (size_t)ghosts + (size_t)y * s->layout.row + (size_t)i;
      if (s->precision == TRM_F64) ((double *)values)[at] = value;
      else ((float *)values)[at] = (float)value;
    }
  const size_t bytes = s->layout.elements * real_bytes;
  const trm_status status = trm_buffer_write(s->plate[0], 0, bytes, values);
  free(values);
  return status;
}

/* ---- declarations ------------------------------------------------------------ */

static void declare(solver *s)
{
  const trm_type type = trm_real_type(s->precision);
  const double cells = (double)s->nx * s->ny;
  s->fields[0] = (trm_field){ "temperature", "K", "at the middle of each cell", type, 1,
                              (size_t)s->nx, (size_t)s->ny, 1, s->plate[0], s->layout, 1, 1 };
  s->series[0] = (trm_series){ "total_heat", "K m2", s->sums, type, 1 / (s->dx * s->dy), 0 };
  s->series[1] = (trm_series){ "mean_square", "K2", s->sums, type, cells, BATCH_LIMIT };
  /* one cell read, one written, and two partial sums a leaf; a fused
   * multiply-add is two operations */
  const double bytes = cells * (double)trm_type_size(type);
  s->traffic[0] = (trm_traffic){ "@name@_step", bytes, bytes * (1 + 2.0 / 32), 15 * cells, 1 };
  /* a fold sums the leaves of so many steps, in 256 lanes that are then added;
   * one for each series */
  const double sums = (double)s->slots, leaves = (double)s->leaves, value = bytes / cells;
  s->traffic[1] = (trm_traffic){ "reduce_sum", sums * leaves * value, sums * value,
                                 sums * (leaves + 255), 2 / sums };
  s->results[0] = (trm_result){ "end_time", "s", NAN };
  s->base.fields = s->fields;
  s->base.field_count = 1;
  s->base.series = s->series;
  s->base.series_count = 2;
  s->base.traffic = s->traffic;
  s->base.traffic_count = 2;
  s->base.results = s->results;
  s->base.result_count = 1;
  s->base.cells = cells;
  s->base.batch_limit = BATCH_LIMIT;
  s->base.program = trm_program_describe(s->program);
  s->base.spacing[0] = s->dx;
  s->base.spacing[1] = s->dy;
}

/* ---- life -------------------------------------------------------------------- */

static void destroy(trm_solver **given)
{
  if (!given || !*given) return;
  solver *s = (solver *)*given;
  trm_sequence_destroy(&s->sequence);
  trm_reduction_destroy(&s->fold);
  trm_buffer_destroy(&s->window);
  trm_buffer_destroy(&s->sums);
  trm_buffer_destroy(&s->part);
  trm_buffer_destroy(&s->plate[1]);
  trm_buffer_destroy(&s->plate[0]);
  trm_program_destroy(&s->program);
  free(s);
  *given = NULL;
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  solver *s = calloc(1, sizeof *s);
  if (!s) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *base = &s->base;
  base->type = &trm_solver_@name@;
  base->device = device;
  s->precision = run->precision;
  trm_status status = read_case(s, config);
  if (status == TRM_OK) status = size_up(s, config);
  if (status == TRM_OK) status = allocate(s);
  if (status == TRM_OK) status = build(s, run);
  if (status == TRM_OK)
    status = set_initial(s, strcmp(trm_config_string(config, "@name@.initial"), "wave") == 0);
  if (status != TRM_OK) {
    destroy(&base);
    return status;
  }
  declare(s);
  *out = base;
  return TRM_OK;
}

/* ---- steps ------------------------------------------------------------------- */

#define PACK(to, type) \
  do { \
    (to).first = (trm_index)s->layout.first; \
    (to).row = (trm_index)s->layout.row; \
    (to).part = (trm_index)((size_t)slot * s->leaves); \
    (to).squares = (trm_index)((size_t)s->slots * s->leaves); \
    (to).rate_x = (type)(s->diffusivity * s->dt / (s->dx * s->dx)); \
    (to).rate_y = (type)(s->diffusivity * s->dt / (s->dy * s->dy)); \
    (to).beyond_scale = isnan(s->wall) ? (type)1 : (type)-1; \
    (to).beyond_shift = isnan(s->wall) ? (type)0 : (type)(2 * s->wall); \
    (to).has_edge = s->has_edge; \
    (to).last_row = s->ny - 1; \
  } while (0)

static trm_status launch_step(solver *s, int slot)
{
  union { params_f32 f32; params_f64 f64; } params;
  const trm_extent cells = { s->nx, s->ny, 1, 0 };
  trm_buffer *const buffers[] = { s->plate[s->current], s->plate[!s->current], s->part };
  const int is_double = s->precision == TRM_F64;
  memset(&params, 0, sizeof params);
  if (is_double) PACK(params.f64, double);
  else PACK(params.f32, float);
  TRM_TRY(trm_kernel_launch(s->step, &cells, &params,
                            is_double ? sizeof params.f64 : sizeof params.f32, buffers, 3));
  s->current = !s->current;
  return TRM_OK;
}

/* count <= slots steps; their sums go to elements sum and square onwards of `to`. */
static trm_status launch_steps(solver *s, size_t count, trm_buffer *to, size_t sum, size_t square)
{
  const size_t squares = (size_t)s->slots * s->leaves;
  for (size_t slot = 0; slot < count; slot++) TRM_TRY(launch_step(s, (int)slot));
  TRM_TRY(trm_reduction_run(s->fold, s->part, 0, s->leaves, count, to, sum));
  return trm_reduction_run(s->fold, s->part, squares, s->leaves, count, to, square);
}

static trm_status record(solver *s)
{
  TRM_TRY(trm_sequence_begin(s->base.device));
  const trm_status status = launch_steps(s, (size_t)s->slots, s->window, 0, SLOTS);
  if (status == TRM_OK) return trm_sequence_end(s->base.device, &s->sequence);
  trm_sequence_cancel(s->base.device);
  return status;
}

/* A recorded sequence costs less to launch, and a host runs it as one wavefront. */
static trm_status replay(solver *s, size_t at)
{
  const size_t real_bytes = trm_type_size(trm_real_type(s->precision));
  const size_t bytes = (size_t)s->slots * real_bytes;
  if (!s->sequence) TRM_TRY(record(s));
  TRM_TRY(trm_sequence_replay(s->sequence, 1));
  TRM_TRY(trm_buffer_copy(s->sums, at * real_bytes, s->window, 0, bytes));
  return trm_buffer_copy(s->sums, (BATCH_LIMIT + at) * real_bytes, s->window, SLOTS * real_bytes,
                         bytes);
}

static trm_status advance(trm_solver *base, uint64_t max_steps, double t_end, int settle,
                          uint64_t *done)
{
  solver *s = (solver *)base;
  const double left = ceil((t_end - base->time) / s->dt * (1 - 1e-12));
  size_t count = max_steps < BATCH_LIMIT ? (size_t)max_steps : BATCH_LIMIT, at = 0;
  (void)settle; /* the state after every step is canonical */
  if (left < (double)count) count = left > 0 ? (size_t)left : 0;
  while (at < count) {
    const size_t most = s->current == 0 ? (size_t)s->slots : 1; /* a sequence begins in plate 0 */
    const size_t steps = count - at < most ? count - at : most;
    if (steps == (size_t)s->slots) TRM_TRY(replay(s, at));
    else TRM_TRY(launch_steps(s, steps, s->sums, at, BATCH_LIMIT + at));
    at += steps;
  }
  base->step += count;
  base->time = (double)base->step * s->dt;
  s->fields[0].buffer = s->plate[s->current];
  *done = count;
  return TRM_OK;
}

/* The only field is the state itself, which is always current. */
static trm_status observe(trm_solver *base)
{
  (void)base;
  return TRM_OK;
}

static trm_status finish(trm_solver *base, const double *series_last)
{
  (void)series_last;
  ((solver *)base)->results[0].value = base->time;
  return TRM_OK;
}

const trm_solver_type trm_solver_@name@ = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "@name@",
  .summary = "heat in a plate: the heat equation, explicit, of second order in space",
  .update_name = "cell updates",
  .options = options,
  .option_count = sizeof options / sizeof options[0],
  .configure = configure,
  .create = create,
  .advance = advance,
  .observe = observe,
  .finish = finish,
  .destroy = destroy,
};
