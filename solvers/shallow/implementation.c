/* implementation.c - an implementation's sizes, program, memory and steps (implementation.h). The
 * kernels are in shallow_implementations.k. */
#include "solvers/shallow/implementation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TRM_FRAMEWORK_SOURCE(shallow_implementations, "solvers/shallow/shallow_implementations.k");

/* The kernels, as they are numbered in `program`. */
enum { NU, MAXIMUM, UPDATE };
enum { SHALLOW_TILE_CELLS = 1024 }; /* as IMPL_ROOM counts on */
enum { TILE_SIDE = 16 };       /* the report's, unless run.group says another shape */

#define LAUNCH(swe, kernel, nx, ny, ...) \
  TRM_FRAMEWORK_LAUNCH(&(swe)->implementation->program, kernel, nx, ny, \
                       &(swe)->implementation->p, __VA_ARGS__)

static int groups_of(int cells, int group) { return (cells + group - 1) / group; }

/* ---- sizes ------------------------------------------------------------------------- */

static void choose_group(struct shallow_implementation *implementation,
                         const trm_device_info *device, const trm_solver_options *run)
{
  const int is_device = !implementation->form.is_tile && !device->is_host;
  const int has_shape = run->row_group_x > 0;
  implementation->group_x = has_shape ? run->row_group_x : is_device ? device->row_group_x
                                                                     : TILE_SIDE;
  implementation->group_y = has_shape ? run->row_group_y : is_device ? device->row_group_y
                                                                     : TILE_SIDE;
}

static void fill_form(struct shallow_implementation *implementation)
{
  const shallow_form *form = &implementation->form;
  shallow_implementation_params *p = &implementation->p;
  p->is_padded = form->edges == SHALLOW_PADDED;
  p->constants = form->constants;
  p->tile_x = implementation->group_x;
  p->tile_y = implementation->group_y;
  p->pitch = p->tile_x + 2 + (form->pitch == SHALLOW_ODD && p->tile_x % 2 == 0);
  p->has_slopes = form->slopes == SHALLOW_IN_TILE;
  p->has_results = form->results == SHALLOW_IN_TILE;
}

/* A host has no groups, and takes a tile of any shape. */
static trm_status check_tile(const struct shallow_implementation *implementation)
{
  const int x = implementation->group_x, y = implementation->group_y;
  if (x >= 1 && y >= 1 && x <= SHALLOW_TILE_CELLS && y <= SHALLOW_TILE_CELLS / x) return TRM_OK;
  return TRM_FAIL(INVALID, "solver 'shallow': groups of %d x %d; x and y are 1 or more, and x "
                  "times y at most %d", x, y, SHALLOW_TILE_CELLS);
}

/* NVIDIA's OpenCL gives a group 48 KiB. */
static trm_status check_room(const shallow_solver *swe, const shallow_implementation_params *p)
{
  const trm_device_info *device = trm_device_describe(swe->base.device);
  const int tiles = 3 + 2 * p->has_slopes + 3 * p->has_results;
  const size_t bytes = (size_t)(tiles * (p->tile_y + 2) * p->pitch) *
                       trm_type_size(swe->real_type);
  if (!swe->implementation->form.is_tile || bytes <= 48 * 1024 ||
      strcmp(device->backend, "opencl") != 0 || !strstr(device->vendor, "NVIDIA")) return TRM_OK;
  return TRM_FAIL(UNSUPPORTED, "solver 'shallow': %d tiles of %d x %d cells and their ring take "
                  "%zu bytes of shared memory, and NVIDIA's OpenCL gives a group 49152; choose "
                  "shallow.results = memory, a smaller run.group, or a device of cuda", tiles,
                  p->tile_x, p->tile_y, bytes);
}

static trm_status check_share(const shallow_solver *swe)
{
  trm_framework_several several;
  if (!shallow_is_shared(swe)) return TRM_OK;
  trm_framework_name_several(swe->base.device, &several);
  return TRM_FAIL(UNSUPPORTED, "solver 'shallow': shallow.implementation = \"%s\" works on one "
                  "device alone, and %s; choose shallow.implementation = \"best\", or %s",
                  swe->implementation->form.name, several.named, several.cure);
}

trm_status shallow_implementation_read(shallow_solver *swe, const trm_config *config,
                                       const trm_solver_options *run)
{
  shallow_form form;
  int is_best;
  TRM_TRY(shallow_form_read(swe, config, &form, &is_best));
  if (is_best) return TRM_OK;
  struct shallow_implementation *implementation = calloc(1, sizeof *implementation);
  if (!implementation) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  swe->implementation = implementation;
  implementation->form = form;
  choose_group(implementation, trm_device_describe(swe->base.device), run);
  fill_form(implementation);
  TRM_TRY(check_tile(implementation));
  TRM_TRY(check_room(swe, &implementation->p));
  return check_share(swe);
}

void shallow_implementation_cover(const shallow_solver *swe, size_t *nx, size_t *ny)
{
  struct shallow_implementation *implementation = swe->implementation;
  const int x = implementation->group_x, y = implementation->group_y;
  const int is_padded = implementation->p.is_padded;
  implementation->width = is_padded ? groups_of(swe->p.nx, x) * x : swe->p.nx;
  implementation->height = is_padded ? groups_of(swe->p.ny, y) * y : swe->p.ny;
  *nx = (size_t)implementation->width;
  *ny = (size_t)implementation->height;
}

size_t shallow_implementation_maxima(const shallow_solver *swe)
{
  const struct shallow_implementation *implementation = swe->implementation;
  const size_t cells = (size_t)implementation->width * (size_t)implementation->height;
  if (implementation->form.gather != SHALLOW_VALUES) return 1;
  return (cells + SHALLOW_CHUNK_VALUES - 1) / SHALLOW_CHUNK_VALUES;
}

/* ---- life -------------------------------------------------------------------------- */

static void fill_params(shallow_solver *swe)
{
  const shallow_params *from = &swe->p;
  shallow_implementation_params *p = &swe->implementation->p;
  p->g = from->g;
  p->root_g = from->root_g;
  p->dry = from->dry;
  p->film = from->film;
  p->inv_dx = from->inv_dx;
  p->still = from->still;
  p->nx = from->nx;
  p->ny = from->ny;
  p->first = from->first;
  p->row = from->row;
  p->component = from->component;
  p->bed_first = from->bed_first;
  p->bed_row = from->bed_row;
  p->bed_component = from->bed_component;
  p->west = from->west;
  p->east = from->east;
  p->south = from->south;
  p->north = from->north;
  p->values = swe->implementation->width * swe->implementation->height;
}

/* As IMPL_NUMBERS counts them. */
static void list_numbers(const shallow_implementation_params *p, double out[SHALLOW_NUMBERS])
{
  const double numbers[SHALLOW_NUMBERS] = { p->g, p->root_g, p->dry, p->film, p->inv_dx,
                                            p->still };
  memcpy(out, numbers, sizeof numbers);
}

/* The lines before a GPU's text: the form, and the table of constants, if it has one. A number of
 * f32 is rounded before it is written, so that it is rounded once. */
static void write_lines(const struct shallow_implementation *implementation,
                        const trm_solver_options *run, char *lines, size_t bytes)
{
  const shallow_form *form = &implementation->form;
  const shallow_implementation_params *p = &implementation->p;
  const int is_table = form->constants == SHALLOW_CONSTANT;
  double numbers[SHALLOW_NUMBERS];
  int used = snprintf(lines, bytes, "#define IMPL_ONE 1\n#define IMPL_PADDED %d\n"
                      "#define IMPL_CONSTANTS %d\n#define IMPL_SLOPES %d\n"
                      "#define IMPL_RESULTS %d\n#define IMPL_TILE_X %d\n#define IMPL_TILE_Y %d\n"
                      "#define IMPL_PITCH %d\n#define IMPL_SHUFFLES %d\n#define IMPL_GATHER %d\n"
                      "#define IMPL_CONSTANTS_IN_TABLE %d\n#define IMPL_TILED %d\n"
                      "#define IMPL_TABLE_VALUES ",
                      p->is_padded, form->constants, p->has_slopes, p->has_results, p->tile_x,
                      p->tile_y, p->pitch, form->maximum, form->gather, is_table,
                      form->is_tile);
  list_numbers(p, numbers);
  for (int i = 0; i < SHALLOW_NUMBERS; i++) {
    const double number = run->precision == TRM_F32 ? (double)(float)numbers[i] : numbers[i];
    used += snprintf(lines + used, bytes - (size_t)used, "%sR(%.17e)", i ? ", " : "", number);
  }
  snprintf(lines + used, bytes - (size_t)used, "\n");
}

/* OpenCL has atomics of 64 bits by two extensions: a device without them has no such kernel in f64,
 * and reports so. */
static trm_status refuse_gather(const shallow_solver *swe)
{
  const int is_swap = swe->implementation->form.gather == SHALLOW_SWAP;
  return TRM_FAIL(UNSUPPORTED, "shallow.gather = %s: not testable here: %s has no such atomics of "
                  "64 bits; choose shallow.gather = values, or --precision=f32",
                  is_swap ? "swap" : "atomic", trm_device_describe(swe->base.device)->name);
}

static trm_status build(shallow_solver *swe, const trm_solver_options *run)
{
  struct shallow_implementation *implementation = swe->implementation;
  const char *const kernels[] = { "shallow_nu", "shallow_maximum",
                                  implementation->form.is_tile ? "shallow_update_tile"
                                                               : "shallow_update", NULL };
  const trm_framework_recipe recipe = { &shallow_implementations_source, NULL,
                                        "shallow_implementation_params",
                                        sizeof(shallow_implementation_params), kernels };
  const int items = implementation->group_x * implementation->group_y;
  trm_solver_options how = *run;
  char lines[800];
  const int is_host = trm_device_describe(swe->base.device)->is_host;
  if (is_host && implementation->form.is_tile) how.row_group_x = how.row_group_y = 0;
  if (!is_host) {
    how.row_group_x = implementation->group_x;
    how.row_group_y = implementation->group_y;
  }
  if (implementation->form.is_tile) how.group = groups_of(items, 32) * 32;
  write_lines(implementation, run, lines, sizeof lines);
  const trm_status status = trm_framework_program_create_with(swe->base.device, &recipe, lines,
                                                              &how, &implementation->program);
  if (status == TRM_ERROR_NOT_FOUND && implementation->form.gather != SHALLOW_VALUES)
    return refuse_gather(swe);
  TRM_TRY(status);
  implementation->info = *trm_program_describe(implementation->program.program);
  if (implementation->form.is_tile) {
    implementation->info.row_group_x = implementation->group_x;
    implementation->info.row_group_y = implementation->group_y;
  }
  return TRM_OK;
}

trm_status shallow_implementation_create(shallow_solver *swe, const trm_solver_options *run)
{
  struct shallow_implementation *implementation = swe->implementation;
  const size_t cells = (size_t)implementation->width * (size_t)implementation->height;
  const trm_framework_buffer list[] = {
    { &implementation->nu, "speeds", cells, swe->real_type, 0, NULL },
    { &implementation->maxima, "maxima of groups", shallow_implementation_maxima(swe),
      swe->real_type, 0, NULL },
    { &implementation->numbers, "numbers of the scheme", SHALLOW_NUMBERS, swe->real_type, 0, NULL },
  };
  double numbers[SHALLOW_NUMBERS];
  fill_params(swe);
  memcpy(implementation->memory, list, sizeof list);
  TRM_TRY(trm_framework_allocate(swe->base.device, implementation->memory, 3,
                                 "shallow.implementation"));
  list_numbers(&implementation->p, numbers);
  TRM_TRY(trm_framework_write_reals(implementation->numbers, swe->real_type, 0, numbers,
                                    SHALLOW_NUMBERS));
  return build(swe, run);
}

void shallow_implementation_destroy(shallow_solver *swe)
{
  if (!swe->implementation) return;
  trm_framework_release(swe->implementation->memory, 3);
  trm_framework_program_destroy(&swe->implementation->program);
  free(swe->implementation);
  swe->implementation = NULL;
}

/* ---- steps ------------------------------------------------------------------------- */

static trm_status launch_update(shallow_solver *swe)
{
  const struct shallow_implementation *implementation = swe->implementation;
  const int is_tile = implementation->form.is_tile;
  const int x = is_tile ? implementation->group_x : 1, y = is_tile ? implementation->group_y : 1;
  return LAUNCH(swe, UPDATE, groups_of(implementation->width, x),
                groups_of(implementation->height, y), swe->state[swe->current],
                swe->state[!swe->current], swe->bed, swe->clock, implementation->numbers);
}

static trm_status launch_maximum(shallow_solver *swe)
{
  static const double zero = 0.0;
  const struct shallow_implementation *implementation = swe->implementation;
  const size_t bytes = trm_type_size(swe->real_type);
  if (implementation->form.gather != SHALLOW_VALUES)
    TRM_TRY(trm_buffer_fill(implementation->maxima, 0, bytes, &zero, bytes));
  return LAUNCH(swe, MAXIMUM, groups_of(implementation->p.values, SHALLOW_CHUNK_VALUES), 1,
                implementation->nu, implementation->maxima);
}

trm_status shallow_implementation_step(shallow_solver *swe)
{
  const struct shallow_implementation *implementation = swe->implementation;
  TRM_TRY(launch_update(swe));
  swe->current = !swe->current;
  TRM_TRY(LAUNCH(swe, NU, implementation->width, implementation->height, swe->state[swe->current],
                 implementation->numbers, implementation->nu));
  return launch_maximum(swe);
}

trm_buffer *shallow_implementation_buffer(const shallow_solver *swe)
{
  return swe->implementation->maxima;
}

const trm_program_info *shallow_implementation_program(const shallow_solver *swe)
{
  return &swe->implementation->info;
}

/* ---- what a step moves --------------------------------------------------------------- */

/* Operations: two for each cell of a tile with its ring, then as many a cell as are counted
 * (tests/dialect/traffic.sh). */
static double count_update(const struct shallow_implementation *implementation, double cells)
{
  const int x = implementation->group_x, y = implementation->group_y;
  if (!implementation->form.is_tile) return 61.0 * cells;
  return 60.0 * cells + 2.0 * groups_of(implementation->width, x) *
                          groups_of(implementation->height, y) * (x + 2.0) * (y + 2.0);
}

size_t shallow_implementation_declare(const shallow_solver *swe, trm_traffic *out)
{
  const struct shallow_implementation *implementation = swe->implementation;
  const double cells = (double)implementation->width * implementation->height;
  const double bytes = (double)trm_type_size(swe->real_type) * cells;
  const double speed = swe->real_type == TRM_TYPE_F64 ? 32.0 : 24.0;
  const char *update = implementation->form.is_tile ? "shallow_update_tile" : "shallow_update";
  out[0] = (trm_traffic){ update, 5.0 * bytes, 3.0 * bytes, count_update(implementation, cells),
                          1.0 };
  out[1] = (trm_traffic){ "shallow_nu", 3.0 * bytes, bytes, speed * cells, 1.0 };
  out[2] = (trm_traffic){ "shallow_maximum", bytes, 0.0, 0.0, 1.0 };
  return 3;
}
