/* framework.c - a run of the framework: the grid, its memory, its life. */
#include <config.h>

#include "solvers/framework/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the grid ---------------------------------------------------------------- */

static int has_key(const trm_grid_solver *grid, const char *key)
{
  for (size_t i = 0; i < grid->declaration->type->option_count; i++)
    if (strcmp(grid->declaration->type->options[i].key, key) == 0) return 1;
  return 0;
}

static trm_status read_axis(trm_grid_solver *grid, const trm_config *config, int axis, int *cells)
{
  const char *solver = grid->declaration->type->name;
  char count[16], length[64];
  snprintf(count, sizeof count, "grid.n%c", "xyz"[axis]);
  snprintf(length, sizeof length, "%s.length_%c", solver, "xyz"[axis]);
  if (!has_key(grid, count))
    return TRM_FAIL(INVALID, "solver %s: a grid of %d dimensions needs the key %s; declare it by "
                    "TRM_FRAMEWORK_GRID_%dD", solver, grid->declaration->dimensions, count,
                    grid->declaration->dimensions);
  const int64_t given = trm_config_integer(config, count);
  if (given < 1 || given > INT_MAX)
    return TRM_FAIL(INPUT, "%s: %s = %lld; give 1 to 2^31 cells", trm_config_origin(config, count),
                    count, (long long)given);
  *cells = (int)given;
  grid->spacing[axis] = has_key(grid, length) ? trm_config_real(config, length) / *cells : 1;
  return TRM_OK;
}

static trm_status read_grid(trm_grid_solver *grid, const trm_config *config)
{
  size_t cells;
  grid->nz = 1;
  grid->spacing[2] = 1;
  TRM_TRY(read_axis(grid, config, 0, &grid->nx));
  TRM_TRY(read_axis(grid, config, 1, &grid->ny));
  if (grid->declaration->dimensions == 3) TRM_TRY(read_axis(grid, config, 2, &grid->nz));
  TRM_TRY(trm_size_mul((size_t)grid->nx, (size_t)grid->ny, "grid.nx * grid.ny", &cells));
  TRM_TRY(trm_size_mul(cells, (size_t)grid->nz, "grid.nx * grid.ny * grid.nz", &cells));
  if (cells > INT_MAX)
    return TRM_FAIL(INPUT, "%s: a grid of %d x %d x %d cells is too large: there may be 2^31; make "
                    "grid.nx or another axis smaller", trm_config_origin(config, "grid.nx"),
                    grid->nx, grid->ny, grid->nz);
  return TRM_OK;
}

double grid_cells(const trm_grid_solver *grid)
{
  return (double)grid->nx * grid->ny * grid->nz;
}

trm_status trm_framework_choose_dt(trm_grid_solver *grid, const trm_config *config, double longest)
{
  const char *unit = grid->declaration->time_unit ? grid->declaration->time_unit : "";
  char key[64];
  snprintf(key, sizeof key, "%s.dt", grid->declaration->type->name);
  grid->internal->has_chosen_dt = 1;
  if (!has_key(grid, key))
    return TRM_FAIL(INVALID, "solver %s: trm_framework_choose_dt reads the key %s; declare it by "
                    "TRM_FRAMEWORK_DT", grid->declaration->type->name, key);
  if (!(longest > 0) || isinf(longest))
    return TRM_FAIL(INVALID,
                    "solver %s: trm_framework_choose_dt is given %g as the longest stable step; "
                    "compute it from the keys and grid->spacing", grid->declaration->type->name,
                    longest);
  const double dt = trm_config_real(config, key);
  if (dt > longest)
    return TRM_FAIL(INPUT, "%s: %s = %g %s is too long: on this grid a step is stable up to %g %s; "
                    "shorten it, or leave it out", trm_config_origin(config, key), key, dt, unit,
                    longest, unit);
  grid->dt = dt > 0 ? dt : 0.9 * longest;
  return TRM_OK;
}

/* ---- sizes and memory -------------------------------------------------------- */

static trm_status lay_out(trm_grid_solver *grid, size_t i)
{
  const trm_framework_field *field = &grid->declaration->fields[i];
  const int components = field->components ? field->components : 1;
  trm_framework_shape *shape = &grid->internal->shapes[i];
  *shape = (trm_framework_shape){ .type = field->is_flags ?
                                 TRM_TYPE_U8 : trm_real_type(grid->precision),
                                  .nx = grid->nx, .ny = grid->ny, .nz = grid->nz,
                                  .components = components };
  const trm_status status =
    trm_layout_rows(grid->base.device, shape->type, (size_t)grid->nx, (size_t)grid->ny,
                    (size_t)grid->nz, (size_t)components, &shape->layout);
  if (status != TRM_ERROR_OVERFLOW) return status;
  return TRM_FAIL(OVERFLOW, "solver %s: the field '%s' of %d components on %d x %d x %d cells does "
                  "not fit a size; make the grid smaller", grid->declaration->type->name,
                  field->name, components, grid->nx, grid->ny, grid->nz);
}

static void add(struct trm_framework_internal *internal, trm_buffer **buffer, const char *name,
                size_t count, trm_type type, int is_zero)
{
  internal->memory[internal->memory_count++] = (trm_framework_buffer){ buffer, name, count, type,
                                                                      is_zero,
                                                             NULL };
}

/* Leaves of many steps are folded at once. Their memory is at most half of the fields' memory. On a
 * device with memory of its own it is at most 16 MiB, or an eighth of the fields' memory if that is
 * more (at 8192 x 8192 cells, so that a GPU may take 3 steps a launch between two folds). */
static size_t choose_slots(const trm_grid_solver *grid, uint64_t field_bytes)
{
  const struct trm_framework_internal *internal = grid->internal;
  const uint64_t step_bytes = (uint64_t)internal->leaves * internal->leaves_count *
                              trm_type_size(trm_real_type(grid->precision));
  const uint64_t eighth = field_bytes / 8, least = (uint64_t)16 << 20;
  const uint64_t most = least < eighth ? eighth : least;
  const int is_host = trm_device_describe(grid->base.device)->is_host;
  const uint64_t room = is_host || field_bytes / 2 < most ? field_bytes / 2 : most;
  size_t slots = GRID_SLOTS;
  while (slots > 2 && slots * step_bytes > room) slots /= 2;
  return slots;
}

static trm_status size_up(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  const trm_type real_type = trm_real_type(grid->precision);
  uint64_t field_bytes;
  for (size_t i = 0; i < internal->field_count; i++) {
    const trm_framework_field *field = &grid->declaration->fields[i];
    TRM_TRY(lay_out(grid, i));
    for (int k = 0; k <= (field->swaps != 0); k++)
      add(internal, &internal->cells[i][k], field->name, internal->shapes[i].layout.elements,
          internal->shapes[i].type, k == 1 || !field->start);
  }
  TRM_TRY(trm_framework_bytes(internal->memory, internal->memory_count, &field_bytes));
  internal->leaves = ((size_t)grid->nx + 31) / 32 * (size_t)grid->ny * (size_t)grid->nz;
  internal->slots = choose_slots(grid, field_bytes);
  internal->fold_after = (size_t)trm_framework_whole(grid->base.device, internal->slots);
  for (size_t i = 0; i < internal->leaves_count; i++)
    add(internal, &internal->parts[i], internal->leaves_names[i],
        internal->slots * internal->leaves, real_type, 1); /* not those of a run before */
  add(internal, &internal->sums, "series", internal->series_count * GRID_BATCH, real_type, 0);
  add(internal, &internal->window, "series of a sequence",
      internal->series_count * TRM_FRAMEWORK_LONGEST, real_type, 0);
  return TRM_OK;
}

static trm_status create_folds(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->series_count; i++) {
    const int is_largest = grid->declaration->series[i].fold == TRM_FRAMEWORK_LARGEST;
    trm_reduction **fold = is_largest ? &internal->largest : &internal->sum;
    if (!*fold)
      TRM_TRY(trm_reduction_create(grid->base.device, is_largest ? TRM_MAX : TRM_SUM,
                                   grid->precision, internal->leaves, internal->slots, fold));
  }
  return TRM_OK;
}

/* Several devices take the rows of fields and leaves. */
static trm_status share_out(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->field_count; i++)
    for (int k = 0; k <= (grid->declaration->fields[i].swaps != 0); k++)
      TRM_TRY(trm_framework_by_rows(internal->cells[i][k], &internal->shapes[i]));
  for (size_t i = 0; i < internal->leaves_count; i++)
    TRM_TRY(trm_framework_leaves_by_rows(internal->parts[i], trm_real_type(grid->precision),
                                         grid->nx, grid->ny, grid->nz, internal->slots));
  return TRM_OK;
}

static trm_status allocate(trm_grid_solver *grid)
{
  char what[64];
  if (grid->nz > 1)
    snprintf(what, sizeof what, "a grid of %d x %d x %d cells", grid->nx, grid->ny, grid->nz);
  else snprintf(what, sizeof what, "a grid of %d x %d cells", grid->nx, grid->ny);
  TRM_TRY(trm_framework_allocate(grid->base.device, grid->internal->memory,
                                 grid->internal->memory_count, what));
  TRM_TRY(share_out(grid));
  return create_folds(grid);
}

/* ---- program and parameters ---------------------------------------------------- */

static trm_status find_kernels(trm_grid_solver *grid, grid_launches *launches)
{
  const int group = trm_program_describe(grid->internal->program)->group;
  for (size_t i = 0; i < launches->count; i++) {
    grid_launch *launch = &launches->list[i];
    const char *name = launch->declared->kernel;
    TRM_TRY(trm_program_kernel(grid->internal->program, name, &launch->kernel));
    if (launch->is_group && grid->nx % group != 0)
      return TRM_FAIL(INPUT, "solver %s: the groups of %s are %d cells of a row here, and grid.nx "
                      "= %d is no multiple of that; choose one", grid->declaration->type->name,
                      name, group, grid->nx);
  }
  return TRM_OK;
}

static trm_status build(trm_grid_solver *grid, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  trm_program_source source = *grid->declaration->source;
  TRM_TRY(grid_tables_make(grid, &source));
  TRM_TRY(trm_program_create(grid->base.device, &source, &how, &grid->internal->program));
  TRM_TRY(find_kernels(grid, &grid->internal->step));
  return find_kernels(grid, &grid->internal->observe);
}

static void set_index(const trm_framework_params *params, const char *field, const char *what,
                      size_t value, void *packed)
{
  char name[64];
  snprintf(name, sizeof name, "%s_%s", field, what);
  const trm_framework_member *member = trm_framework_params_find(params, name);
  const trm_index index = (trm_index)value;
  if (member) memcpy((unsigned char *)packed + member->at[TRM_F64], &index, sizeof index);
}

/* The parameters of every launch: the solver's, and the layouts. */
static void pack(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->field_count; i++) {
    const char *name = grid->declaration->fields[i].name;
    const trm_layout *layout = &internal->shapes[i].layout;
    set_index(&internal->params, name, "first", layout->first, grid->own);
    set_index(&internal->params, name, "row", layout->row, grid->own);
    set_index(&internal->params, name, "component", layout->component, grid->own);
  }
  trm_framework_params_pack(&internal->params, grid->precision, grid->own, internal->packed);
  const trm_framework_member *leaves = trm_framework_params_find(&internal->params, "leaves");
  if (leaves) internal->leaves_at = leaves->at[grid->precision];
}

/* ---- the first state ----------------------------------------------------------- */

/* The first cell whose value is no number. */
typedef struct lost { int is_any; trm_framework_cell at; double value; } lost;
typedef struct starting { const trm_grid_solver *grid; trm_framework_start_fn *start;
                         lost *first_lost; } starting;

static double start_value(const void *user, trm_framework_cell at)
{
  const starting *s = user;
  const double value = s->start(s->grid, at);
  if (!isfinite(value) && !s->first_lost->is_any) *s->first_lost = (lost){ 1, at, value };
  return value;
}

static trm_status set_start(trm_grid_solver *grid, size_t i)
{
  const trm_framework_field *field = &grid->declaration->fields[i];
  lost cell = { .is_any = 0 };
  const starting s = { grid, field->start, &cell };
  if (!s.start) return TRM_OK;
  TRM_TRY(trm_framework_upload(grid->internal->cells[i][0], &grid->internal->shapes[i], start_value,
                               &s));
  if (!cell.is_any) return TRM_OK;
  return TRM_FAIL(INVALID, "solver %s: start of the field '%s' gives %g for component %d of cell "
                  "%d, %d, %d", grid->declaration->type->name, field->name, cell.value,
                  cell.at.component, cell.at.x, cell.at.y, cell.at.z);
}

/* ---- life ---------------------------------------------------------------------- */

trm_status trm_framework_configure(const trm_framework_declaration *declaration, trm_config *config)
{
  return declaration->steps ? trm_config_set(config, "run.steps", declaration->steps,
                                             declaration->type->name) : TRM_OK;
}

void trm_framework_destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  trm_grid_solver *grid = (trm_grid_solver *)*solver;
  struct trm_framework_internal *internal = grid->internal;
  if (internal) {
    trm_framework_stepper_clear(&internal->stepper);
    trm_reduction_destroy(&internal->largest);
    trm_reduction_destroy(&internal->sum);
    trm_framework_release(internal->memory, internal->memory_count);
    trm_program_destroy(&internal->program);
    grid_tables_free(internal);
  }
  if (grid->own && grid->declaration->release) grid->declaration->release(grid);
  free(grid->own);
  free(internal);
  free(grid);
  *solver = NULL;
}

/* Checks the length of a step after prepare. */
static trm_status check_dt(const trm_grid_solver *grid, const trm_config *config)
{
  const char *solver = grid->declaration->type->name;
  char key[64];
  snprintf(key, sizeof key, "%s.dt", solver);
  if (!(grid->dt > 0) || isinf(grid->dt))
    return TRM_FAIL(INVALID, "solver %s: prepare leaves a step of %g; give grid->dt a length above "
                    "0", solver, grid->dt);
  if (grid->dt == 1 && has_key(grid, key) && !grid->internal->has_chosen_dt &&
      trm_config_real(config, key) != 1)
    return TRM_FAIL(INVALID, "solver %s: prepare leaves the key %s without effect; call "
                    "trm_framework_choose_dt, or set grid->dt", solver, key);
  return TRM_OK;
}

/* Everything up to the first allocation on the device. */
static trm_status plan_run(trm_grid_solver *grid, const trm_config *config)
{
  const trm_framework_declaration *declaration = grid->declaration;
  TRM_TRY(grid_check(grid));
  TRM_TRY(read_grid(grid, config));
  grid->own = calloc(1, declaration->own_bytes ?
                     declaration->own_bytes : declaration->params_bytes);
  if (!grid->own) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  if (declaration->prepare) TRM_TRY(declaration->prepare(grid, config));
  TRM_TRY(check_dt(grid, config));
  return size_up(grid);
}

static trm_status begin(const trm_framework_declaration *declaration, trm_device *device,
                        const trm_config *config, const trm_solver_options *run, trm_solver **out)
{
  trm_grid_solver *grid = calloc(1, sizeof *grid);
  if (!grid) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &grid->base;
  solver->type = declaration->type;
  solver->device = device;
  grid->declaration = declaration;
  grid->precision = run->precision;
  grid->dt = 1;
  grid->internal = calloc(1, sizeof *grid->internal);
  const trm_status status = grid->internal ? plan_run(grid, config)
                                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  if (status == TRM_OK) *out = solver;
  else trm_framework_destroy(&solver);
  return status;
}

trm_status trm_framework_memory(const trm_framework_declaration *declaration, trm_device *device,
                                const trm_config *config, const trm_solver_options *run,
                                uint64_t *bytes)
{
  trm_solver *solver;
  TRM_TRY(begin(declaration, device, config, run, &solver));
  const struct trm_framework_internal *internal = ((trm_grid_solver *)solver)->internal;
  const trm_status status = trm_framework_bytes(internal->memory, internal->memory_count, bytes);
  trm_framework_destroy(&solver);
  return status;
}

static trm_status set_up(trm_grid_solver *grid, const trm_solver_options *run)
{
  TRM_TRY(allocate(grid));
  TRM_TRY(build(grid, run));
  pack(grid);
  for (size_t i = 0; i < grid->internal->field_count; i++) TRM_TRY(set_start(grid, i));
  grid_begin_steps(grid);
  grid_declare(grid);
  return TRM_OK;
}

trm_status trm_framework_create(const trm_framework_declaration *declaration, trm_device *device,
                                const trm_config *config, const trm_solver_options *run,
                                trm_solver **out)
{
  trm_solver *solver;
  TRM_TRY(begin(declaration, device, config, run, &solver));
  const trm_status status = set_up((trm_grid_solver *)solver, run);
  if (status == TRM_OK) *out = solver;
  else trm_framework_destroy(&solver);
  return status;
}
