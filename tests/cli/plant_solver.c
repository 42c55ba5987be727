/* plant_solver.c - a solver from outside whose kernels go wrong by one unit in the last place where
 * a case says so (plant.*): step, cell, kernel and target. tests/cli/bisect.sh looks for it. It can
 * also be slower than need be, and break a promise: what tests/cli/tune.sh finds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "solvers/solver.h"

typedef int64_t trm_index;
#define real float
#define plant_params params_f32
#include "plant_params.h"
#undef real
#undef plant_params
#define real double
#define plant_params params_f64
#include "plant_params.h"
#undef real
#undef plant_params

extern const char trm_text_plant[];
TRM_DECLARE_MODULES(plant);
static const trm_program_source source = { "plant", "tests/cli/plant.k", trm_text_plant,
                                           TRM_MODULES(plant) };

TRM_API extern const trm_solver_type trm_solver_plant;

enum { SEQUENCE = 8, IDLE_LAUNCHES = 32 };

typedef struct solver {
  trm_solver base;
  trm_precision precision;
  int nx, ny, idle, lying, guilty, place, x, y, step, current;
  trm_layout layout, trace_layout;
  trm_program *program;
  trm_kernel *tick, *move, *trace_kernel, *observe_kernel;
  trm_buffer *height[2], *trace, *clock, *shown;
  trm_sequence *sequence;
  trm_field fields[3];
} solver;

static const trm_option options[] = {
  { "grid.nx", TRM_OPTION_INTEGER, "1", "37", 3, 4096, 0, NULL, "cells along x" },
  { "grid.ny", TRM_OPTION_INTEGER, "1", "21", 3, 4096, 0, NULL, "cells along y" },
  { "plant.on", TRM_OPTION_STRING, "", "nothing", NAN, NAN, 0, "nothing|host|opencl|cuda",
    "what goes wrong" },
  { "plant.where", TRM_OPTION_STRING, "", "move", NAN, NAN, 0, "move|trace|observe", "kernel" },
  { "plant.step", TRM_OPTION_INTEGER, "1", "1", 1, 1 << 20, 0, NULL, "step" },
  { "plant.form", TRM_OPTION_STRING, "", "idle", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "idle|plain|lying", "slow, not so, or with other results than it promises" },
  { "plant.x", TRM_OPTION_INTEGER, "1", "0", 0, 4095, 0, NULL, NULL /* no help */ },
  { "plant.y", TRM_OPTION_INTEGER, "1", "0", 0, 4095, 0, NULL, "cell" },
};

static int choice(const trm_config *config, const char *key, const char *const *names)
{
  int i = 0;
  while (strcmp(trm_config_string(config, key), names[i]) != 0) i++;
  return i;
}

static void read_case(solver *s, const trm_config *config)
{
  static const char *const targets[] = { "nothing", "host", "opencl", "", "cuda" };
  static const char *const places[] = { "move", "trace", "observe" };
  s->nx = (int)trm_config_integer(config, "grid.nx");
  s->ny = (int)trm_config_integer(config, "grid.ny");
  s->idle = strcmp(trm_config_string(config, "plant.form"), "idle") == 0;
  s->lying = strcmp(trm_config_string(config, "plant.form"), "lying") == 0;
  s->guilty = choice(config, "plant.on", targets);
  s->place = choice(config, "plant.where", places);
  s->step = (int)trm_config_integer(config, "plant.step");
  s->x = (int)trm_config_integer(config, "plant.x");
  s->y = (int)trm_config_integer(config, "plant.y");
}

static trm_status upload_height(solver *s)
{
  const size_t ghosts = (size_t)trm_device_describe(s->base.device)->ghost_columns;
  const size_t size = trm_type_size(trm_real_type(s->precision)), nx = (size_t)s->nx;
  unsigned char *values = calloc(s->layout.elements, size);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the height");
  for (size_t y = 0; y < (size_t)s->ny; y++)
    for (size_t i = 0; i < nx + 2 * ghosts; i++) {
      const size_t x = (i + nx - ghosts) % nx;
      const double value = 1.0 + (double)((x * 7 + y * 13) % 16 + 1) / 32.0 + s->lying / 64.0;
      const size_t at = s->layout.first - ghosts + y * s->layout.row + i;
      if (s->precision == TRM_F64) ((double *)values)[at] = value;
      else ((float *)values)[at] = (float)value;
    }
  const trm_status status = trm_buffer_write(s->height[0], 0, s->layout.elements * size, values);
  free(values);
  return status;
}

static trm_status allocate(solver *s)
{
  const trm_type type = trm_real_type(s->precision);
  const size_t size = trm_type_size(type), nx = (size_t)s->nx, ny = (size_t)s->ny;
  const double zero = 0.0, one = 1.25;
  const float one_f32 = 1.25f;
  trm_device *device = s->base.device;
  TRM_TRY(trm_layout_rows(device, type, nx, ny, 1, 1, &s->layout));
  TRM_TRY(trm_layout_rows(device, type, nx, ny, 1, 2, &s->trace_layout));
  const size_t bytes = s->layout.elements * size, trace = s->trace_layout.elements * size;
  TRM_TRY(trm_buffer_create(device, bytes, "height 0", &s->height[0]));
  TRM_TRY(trm_buffer_create(device, bytes, "height 1", &s->height[1]));
  TRM_TRY(trm_buffer_create(device, trace, "trace", &s->trace));
  TRM_TRY(trm_buffer_create(device, size, "clock", &s->clock));
  TRM_TRY(trm_buffer_create(device, bytes, "shown", &s->shown));
  TRM_TRY(trm_buffer_fill(s->clock, 0, size, &zero, size));
  TRM_TRY(trm_buffer_fill(s->trace, 0, trace, size == 8 ? (const void *)&one : &one_f32, size));
  return upload_height(s);
}

static trm_status build(solver *s, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  TRM_TRY(trm_program_create(s->base.device, &source, &how, &s->program));
  TRM_TRY(trm_program_kernel(s->program, "plant_tick", &s->tick));
  TRM_TRY(trm_program_kernel(s->program, "plant_move", &s->move));
  TRM_TRY(trm_program_kernel(s->program, "plant_trace", &s->trace_kernel));
  return trm_program_kernel(s->program, "plant_observe", &s->observe_kernel);
}

static void declare(solver *s)
{
  const trm_type type = trm_real_type(s->precision);
  const size_t nx = (size_t)s->nx, ny = (size_t)s->ny;
  const trm_field plain = { .unit = "1", .type = type, .components = 1, .nx = nx, .ny = ny, .nz = 1,
                            .layout = s->layout, .flags = TRM_FIELD_STATE };
  trm_field *height = &s->fields[0], *trace = &s->fields[1], *shown = &s->fields[2];
  *height = *trace = *shown = plain;
  height->name = "height";
  height->help = "moved and mirrored";
  height->buffer = s->height[0];
  trace->name = "trace";
  trace->help = "steered by the height";
  trace->components = 2;
  trace->buffer = s->trace;
  trace->layout = s->trace_layout;
  shown->name = "shown";
  shown->help = "derived";
  shown->buffer = s->shown;
  shown->flags = 0;
  shown->in_picture = TRM_PICTURE_SHOWN;
  s->base.fields = s->fields;
  s->base.field_count = 3;
  s->base.cells = (double)s->nx * s->ny;
  s->base.batch_limit = 1000;
  s->base.program = trm_program_describe(s->program);
}

static void destroy(trm_solver **given)
{
  if (!given || !*given) return;
  solver *s = (solver *)*given;
  trm_sequence_destroy(&s->sequence);
  trm_buffer_destroy(&s->shown);
  trm_buffer_destroy(&s->clock);
  trm_buffer_destroy(&s->trace);
  trm_buffer_destroy(&s->height[1]);
  trm_buffer_destroy(&s->height[0]);
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
  base->type = &trm_solver_plant;
  base->device = device;
  s->precision = run->precision;
  read_case(s, config);
  trm_status status = allocate(s);
  if (status == TRM_OK) status = build(s, run);
  if (status != TRM_OK) {
    destroy(&base);
    return status;
  }
  declare(s);
  *out = base;
  return TRM_OK;
}

/* ---- steps ------------------------------------------------------------------------- */

#define PACK(to, type) \
  do { \
    (to).first = (trm_index)s->layout.first; \
    (to).row = (trm_index)s->layout.row; \
    (to).trace_first = (trm_index)s->trace_layout.first; \
    (to).trace_row = (trm_index)s->trace_layout.row; \
    (to).trace_component = (trm_index)s->trace_layout.component; \
    (to).step = (type)s->step; \
    (to).x = s->x; \
    (to).y = s->y; \
    (to).guilty = s->guilty; \
    (to).place = s->place; \
  } while (0)

static trm_status launch(solver *s, trm_kernel *kernel, int nx, int ny, trm_buffer *const *buffers,
                         size_t count)
{
  union { params_f32 f32; params_f64 f64; } params;
  const trm_extent cells = { nx, ny, 1, 0 };
  const int is_double = s->precision == TRM_F64;
  memset(&params, 0, sizeof params);
  if (is_double) PACK(params.f64, double);
  else PACK(params.f32, float);
  return trm_kernel_launch(kernel, &cells, &params,
                           is_double ? sizeof params.f64 : sizeof params.f32, buffers, count);
}

static trm_status launch_step(solver *s)
{
  trm_buffer *const from = s->height[s->current], *const to = s->height[!s->current];
  TRM_TRY(launch(s, s->tick, 1, 1, (trm_buffer *const[]){ s->clock }, 1));
  TRM_TRY(launch(s, s->move, s->nx, s->ny, (trm_buffer *const[]){ from, s->clock, to }, 3));
  TRM_TRY(launch(s, s->trace_kernel, s->nx, s->ny, (trm_buffer *const[]){ to, s->clock, s->trace },
                 3));
  for (int i = 0; i < IDLE_LAUNCHES && s->idle; i++)
    TRM_TRY(launch(s, s->observe_kernel, s->nx, s->ny,
                   (trm_buffer *const[]){ to, s->clock, s->shown }, 3));
  s->current = !s->current;
  return TRM_OK;
}

static trm_status record(solver *s)
{
  TRM_TRY(trm_sequence_begin(s->base.device));
  for (int i = 0; i < SEQUENCE; i++) TRM_TRY(launch_step(s));
  return trm_sequence_end(s->base.device, &s->sequence);
}

static trm_status advance(trm_solver *base, uint64_t max_steps, double t_end, int sync_state,
                          uint64_t *done)
{
  solver *s = (solver *)base;
  (void)t_end, (void)sync_state;
  for (uint64_t at = 0; at < max_steps;) {
    const int is_replayed = s->current == 0 && max_steps - at >= SEQUENCE;
    if (is_replayed && !s->sequence) TRM_TRY(record(s));
    TRM_TRY(is_replayed ? trm_sequence_replay(s->sequence, 1) : launch_step(s));
    at += is_replayed ? SEQUENCE : 1;
  }
  base->step += max_steps;
  base->time = (double)base->step;
  s->fields[0].buffer = s->height[s->current];
  *done = max_steps;
  return TRM_OK;
}

static trm_status observe(trm_solver *base)
{
  solver *s = (solver *)base;
  return launch(s, s->observe_kernel, s->nx, s->ny,
                (trm_buffer *const[]){ s->height[s->current], s->clock, s->shown }, 3);
}

const trm_solver_type trm_solver_plant = {
  .abi = TRM_SOLVER_ABI, .bytes = sizeof(trm_solver_type), .name = "plant",
  .summary = "an error of one unit in the last place, for the tests", .update_name = "cell updates",
  .options = options, .option_count = sizeof options / sizeof options[0], .create = create,
  .advance = advance, .observe = observe, .destroy = destroy,
};
