/* kit.c - a run of the kit: the grid, its memory, its life. */
#include <config.h>

#include "solvers/framework/inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the grid ---------------------------------------------------------------- */

static int has_key(const trm_kit *kit, const char *key)
{
  for (size_t i = 0; i < kit->plan->type->option_count; i++)
    if (strcmp(kit->plan->type->options[i].key, key) == 0) return 1;
  return 0;
}

static trm_status read_axis(trm_kit *kit, const trm_config *config, int axis, int *cells)
{
  const char *solver = kit->plan->type->name;
  char count[16], length[64];
  snprintf(count, sizeof count, "grid.n%c", "xyz"[axis]);
  snprintf(length, sizeof length, "%s.length_%c", solver, "xyz"[axis]);
  if (!has_key(kit, count))
    return TRM_FAIL(INVALID, "solver %s: a grid of %d dimensions needs the key %s; declare it by "
                    "TRM_KIT_GRID_%dD", solver, kit->plan->dimensions, count,
                    kit->plan->dimensions);
  const int64_t given = trm_config_integer(config, count);
  if (given < 1 || given > INT_MAX)
    return TRM_FAIL(INPUT, "%s: %s = %lld; give 1 to 2^31 cells", trm_config_origin(config, count),
                    count, (long long)given);
  *cells = (int)given;
  kit->spacing[axis] = has_key(kit, length) ? trm_config_real(config, length) / *cells : 1;
  return TRM_OK;
}

static trm_status read_grid(trm_kit *kit, const trm_config *config)
{
  size_t cells;
  kit->nz = 1;
  kit->spacing[2] = 1;
  TRM_TRY(read_axis(kit, config, 0, &kit->nx));
  TRM_TRY(read_axis(kit, config, 1, &kit->ny));
  if (kit->plan->dimensions == 3) TRM_TRY(read_axis(kit, config, 2, &kit->nz));
  TRM_TRY(trm_size_mul((size_t)kit->nx, (size_t)kit->ny, "grid.nx * grid.ny", &cells));
  TRM_TRY(trm_size_mul(cells, (size_t)kit->nz, "grid.nx * grid.ny * grid.nz", &cells));
  if (cells > INT_MAX)
    return TRM_FAIL(INPUT, "%s: a grid of %d x %d x %d cells is too large: there may be 2^31; make "
                    "grid.nx or another axis smaller", trm_config_origin(config, "grid.nx"),
                    kit->nx, kit->ny, kit->nz);
  return TRM_OK;
}

double kit_cells(const trm_kit *kit)
{
  return (double)kit->nx * kit->ny * kit->nz;
}

trm_status trm_kit_choose_dt(trm_kit *kit, const trm_config *config, double longest)
{
  const char *unit = kit->plan->time_unit ? kit->plan->time_unit : "";
  char key[64];
  snprintf(key, sizeof key, "%s.dt", kit->plan->type->name);
  kit->inside->has_chosen_dt = 1;
  if (!has_key(kit, key))
    return TRM_FAIL(INVALID, "solver %s: trm_kit_choose_dt reads the key %s; declare it by "
                    "TRM_KIT_DT", kit->plan->type->name, key);
  if (!(longest > 0) || isinf(longest))
    return TRM_FAIL(INVALID, "solver %s: trm_kit_choose_dt is given %g as the longest stable step; "
                    "compute it from the keys and kit->spacing", kit->plan->type->name, longest);
  const double dt = trm_config_real(config, key);
  if (dt > longest)
    return TRM_FAIL(INPUT, "%s: %s = %g %s is too long: on this grid a step is stable up to %g %s; "
                    "shorten it, or leave it out", trm_config_origin(config, key), key, dt, unit,
                    longest, unit);
  kit->dt = dt > 0 ? dt : 0.9 * longest;
  return TRM_OK;
}

/* ---- sizes and memory -------------------------------------------------------- */

static trm_status lay_out(trm_kit *kit, size_t i)
{
  const trm_kit_field *field = &kit->plan->fields[i];
  const int components = field->components ? field->components : 1;
  trm_kit_shape *shape = &kit->inside->shapes[i];
  *shape = (trm_kit_shape){ .type = field->is_flags ? TRM_TYPE_U8 : trm_real_type(kit->precision),
                            .nx = kit->nx, .ny = kit->ny, .nz = kit->nz,
                            .components = components };
  const trm_status status =
    trm_layout_rows(kit->base.device, shape->type, (size_t)kit->nx, (size_t)kit->ny,
                    (size_t)kit->nz, (size_t)components, &shape->layout);
  if (status != TRM_ERROR_OVERFLOW) return status;
  return TRM_FAIL(OVERFLOW, "solver %s: the field '%s' of %d components on %d x %d x %d cells does "
                  "not fit a size; make the grid smaller", kit->plan->type->name, field->name,
                  components, kit->nx, kit->ny, kit->nz);
}

static void add(struct trm_kit_inside *inside, trm_buffer **buffer, const char *name, size_t count,
                trm_type type, int is_zero)
{
  inside->memory[inside->memory_count++] = (trm_kit_buffer){ buffer, name, count, type, is_zero,
                                                             NULL };
}

/* Leaves of many steps are folded at once. Their memory is at most half of the fields' memory. On a
 * device with memory of its own it is at most 16 MiB, or an eighth of the fields' memory if that is
 * more (at 8192 x 8192 cells, so that a GPU may take 3 steps a launch between two folds). */
static size_t choose_slots(const trm_kit *kit, uint64_t field_bytes)
{
  const struct trm_kit_inside *inside = kit->inside;
  const uint64_t step_bytes = (uint64_t)inside->leaves * inside->leaves_count *
                              trm_type_size(trm_real_type(kit->precision));
  const uint64_t eighth = field_bytes / 8, least = (uint64_t)16 << 20;
  const uint64_t most = least < eighth ? eighth : least;
  const int is_host = trm_device_describe(kit->base.device)->is_host;
  const uint64_t room = is_host || field_bytes / 2 < most ? field_bytes / 2 : most;
  size_t slots = KIT_SLOTS;
  while (slots > 2 && slots * step_bytes > room) slots /= 2;
  return slots;
}

static trm_status size_up(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  const trm_type real_type = trm_real_type(kit->precision);
  uint64_t field_bytes;
  for (size_t i = 0; i < inside->field_count; i++) {
    const trm_kit_field *field = &kit->plan->fields[i];
    TRM_TRY(lay_out(kit, i));
    for (int k = 0; k <= (field->swaps != 0); k++)
      add(inside, &inside->cells[i][k], field->name, inside->shapes[i].layout.elements,
          inside->shapes[i].type, k == 1 || !field->start);
  }
  TRM_TRY(trm_kit_bytes(inside->memory, inside->memory_count, &field_bytes));
  inside->leaves = ((size_t)kit->nx + 31) / 32 * (size_t)kit->ny * (size_t)kit->nz;
  inside->slots = choose_slots(kit, field_bytes);
  inside->fold_after = (size_t)trm_kit_whole(kit->base.device, inside->slots);
  for (size_t i = 0; i < inside->leaves_count; i++)
    add(inside, &inside->parts[i], inside->leaves_names[i], inside->slots * inside->leaves,
        real_type, 0);
  add(inside, &inside->sums, "series", inside->series_count * KIT_BATCH, real_type, 0);
  add(inside, &inside->window, "series of a sequence", inside->series_count * TRM_KIT_LONGEST,
      real_type, 0);
  return TRM_OK;
}

static trm_status create_folds(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->series_count; i++) {
    const int is_largest = kit->plan->series[i].fold == TRM_KIT_LARGEST;
    trm_reduction **fold = is_largest ? &inside->largest : &inside->sum;
    if (!*fold)
      TRM_TRY(trm_reduction_create(kit->base.device, is_largest ? TRM_MAX : TRM_SUM, kit->precision,
                                   inside->leaves, inside->slots, fold));
  }
  return TRM_OK;
}

/* Several devices take the rows of fields and leaves. */
static trm_status share_out(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->field_count; i++)
    for (int k = 0; k <= (kit->plan->fields[i].swaps != 0); k++)
      TRM_TRY(trm_kit_by_rows(inside->cells[i][k], &inside->shapes[i]));
  for (size_t i = 0; i < inside->leaves_count; i++)
    TRM_TRY(trm_kit_leaves_by_rows(inside->parts[i], trm_real_type(kit->precision), kit->nx,
                                   kit->ny, kit->nz, inside->slots));
  return TRM_OK;
}

static trm_status allocate(trm_kit *kit)
{
  char what[64];
  if (kit->nz > 1)
    snprintf(what, sizeof what, "a grid of %d x %d x %d cells", kit->nx, kit->ny, kit->nz);
  else snprintf(what, sizeof what, "a grid of %d x %d cells", kit->nx, kit->ny);
  TRM_TRY(trm_kit_allocate(kit->base.device, kit->inside->memory, kit->inside->memory_count, what));
  TRM_TRY(share_out(kit));
  return create_folds(kit);
}

/* ---- program and parameters ---------------------------------------------------- */

static trm_status find_kernels(trm_kit *kit, kit_launches *launches)
{
  for (size_t i = 0; i < launches->count; i++)
    TRM_TRY(trm_program_kernel(kit->inside->program, launches->list[i].declared->kernel,
                               &launches->list[i].kernel));
  return TRM_OK;
}

static trm_status build(trm_kit *kit, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  trm_program_source source = *kit->plan->source;
  TRM_TRY(kit_tables_make(kit, &source));
  TRM_TRY(trm_program_create(kit->base.device, &source, &how, &kit->inside->program));
  TRM_TRY(find_kernels(kit, &kit->inside->step));
  return find_kernels(kit, &kit->inside->observe);
}

static void set_index(const trm_kit_params *params, const char *field, const char *what,
                      size_t value, void *packed)
{
  char name[64];
  snprintf(name, sizeof name, "%s_%s", field, what);
  const trm_kit_member *member = trm_kit_params_find(params, name);
  const trm_index index = (trm_index)value;
  if (member) memcpy((unsigned char *)packed + member->at[TRM_F64], &index, sizeof index);
}

/* The parameters of every launch: the solver's, and the layouts. */
static void pack(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->field_count; i++) {
    const char *name = kit->plan->fields[i].name;
    const trm_layout *layout = &inside->shapes[i].layout;
    set_index(&inside->params, name, "first", layout->first, kit->own);
    set_index(&inside->params, name, "row", layout->row, kit->own);
    set_index(&inside->params, name, "component", layout->component, kit->own);
  }
  trm_kit_params_pack(&inside->params, kit->precision, kit->own, inside->packed);
  const trm_kit_member *leaves = trm_kit_params_find(&inside->params, "leaves");
  if (leaves) inside->leaves_at = leaves->at[kit->precision];
}

/* ---- the first state ----------------------------------------------------------- */

/* The first cell whose value is no number. */
typedef struct lost { int is_any; trm_kit_cell at; double value; } lost;
typedef struct starting { const trm_kit *kit; trm_kit_start_fn *start; lost *first_lost; } starting;

static double start_value(const void *user, trm_kit_cell at)
{
  const starting *s = user;
  const double value = s->start(s->kit, at);
  if (!isfinite(value) && !s->first_lost->is_any) *s->first_lost = (lost){ 1, at, value };
  return value;
}

static trm_status set_start(trm_kit *kit, size_t i)
{
  const trm_kit_field *field = &kit->plan->fields[i];
  lost cell = { .is_any = 0 };
  const starting s = { kit, field->start, &cell };
  if (!s.start) return TRM_OK;
  TRM_TRY(trm_kit_upload(kit->inside->cells[i][0], &kit->inside->shapes[i], start_value, &s));
  if (!cell.is_any) return TRM_OK;
  return TRM_FAIL(INVALID, "solver %s: start of the field '%s' gives %g for component %d of cell "
                  "%d, %d, %d", kit->plan->type->name, field->name, cell.value, cell.at.component,
                  cell.at.x, cell.at.y, cell.at.z);
}

/* ---- life ---------------------------------------------------------------------- */

trm_status trm_kit_configure(const trm_kit_plan *plan, trm_config *config)
{
  return plan->steps ? trm_config_set(config, "run.steps", plan->steps, plan->type->name) : TRM_OK;
}

void trm_kit_destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  trm_kit *kit = (trm_kit *)*solver;
  struct trm_kit_inside *inside = kit->inside;
  if (inside) {
    trm_kit_stepper_clear(&inside->stepper);
    trm_reduction_destroy(&inside->largest);
    trm_reduction_destroy(&inside->sum);
    trm_kit_release(inside->memory, inside->memory_count);
    trm_program_destroy(&inside->program);
    kit_tables_free(inside);
  }
  if (kit->own && kit->plan->release) kit->plan->release(kit);
  free(kit->own);
  free(inside);
  free(kit);
  *solver = NULL;
}

/* Checks the length of a step after prepare. */
static trm_status check_dt(const trm_kit *kit, const trm_config *config)
{
  const char *solver = kit->plan->type->name;
  char key[64];
  snprintf(key, sizeof key, "%s.dt", solver);
  if (!(kit->dt > 0) || isinf(kit->dt))
    return TRM_FAIL(INVALID, "solver %s: prepare leaves a step of %g; give kit->dt a length above "
                    "0", solver, kit->dt);
  if (kit->dt == 1 && has_key(kit, key) && !kit->inside->has_chosen_dt &&
      trm_config_real(config, key) != 1)
    return TRM_FAIL(INVALID, "solver %s: prepare leaves the key %s without effect; call "
                    "trm_kit_choose_dt, or set kit->dt", solver, key);
  return TRM_OK;
}

/* Everything up to the first allocation on the device. */
static trm_status plan_run(trm_kit *kit, const trm_config *config)
{
  const trm_kit_plan *plan = kit->plan;
  TRM_TRY(kit_check(kit));
  TRM_TRY(read_grid(kit, config));
  kit->own = calloc(1, plan->own_bytes ? plan->own_bytes : plan->params_bytes);
  if (!kit->own) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  if (plan->prepare) TRM_TRY(plan->prepare(kit, config));
  TRM_TRY(check_dt(kit, config));
  return size_up(kit);
}

static trm_status begin(const trm_kit_plan *plan, trm_device *device, const trm_config *config,
                        const trm_solver_options *run, trm_solver **out)
{
  trm_kit *kit = calloc(1, sizeof *kit);
  if (!kit) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &kit->base;
  solver->type = plan->type;
  solver->device = device;
  kit->plan = plan;
  kit->precision = run->precision;
  kit->dt = 1;
  kit->inside = calloc(1, sizeof *kit->inside);
  const trm_status status = kit->inside ? plan_run(kit, config)
                                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  if (status == TRM_OK) *out = solver;
  else trm_kit_destroy(&solver);
  return status;
}

trm_status trm_kit_memory(const trm_kit_plan *plan, trm_device *device, const trm_config *config,
                          const trm_solver_options *run, uint64_t *bytes)
{
  trm_solver *solver;
  TRM_TRY(begin(plan, device, config, run, &solver));
  const struct trm_kit_inside *inside = ((trm_kit *)solver)->inside;
  const trm_status status = trm_kit_bytes(inside->memory, inside->memory_count, bytes);
  trm_kit_destroy(&solver);
  return status;
}

static trm_status set_up(trm_kit *kit, const trm_solver_options *run)
{
  TRM_TRY(allocate(kit));
  TRM_TRY(build(kit, run));
  pack(kit);
  for (size_t i = 0; i < kit->inside->field_count; i++) TRM_TRY(set_start(kit, i));
  kit_begin_steps(kit);
  kit_declare(kit);
  return TRM_OK;
}

trm_status trm_kit_create(const trm_kit_plan *plan, trm_device *device, const trm_config *config,
                          const trm_solver_options *run, trm_solver **out)
{
  trm_solver *solver;
  TRM_TRY(begin(plan, device, config, run, &solver));
  const trm_status status = set_up((trm_kit *)solver, run);
  if (status == TRM_OK) *out = solver;
  else trm_kit_destroy(&solver);
  return status;
}
