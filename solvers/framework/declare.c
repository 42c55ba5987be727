/* declare.c - makes the declarations of solver.h from those of the framework. */
#include <config.h>

#include "solvers/framework/internal.h"

#include <math.h>
#include <string.h>

void grid_place_fields(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->field_count; i++)
    internal->fields[i].buffer = internal->cells[i][grid->declaration->fields[i].swaps ?
                                                    internal->current : 0];
}

static void declare_fields(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->field_count; i++) {
    const trm_framework_field *field = &grid->declaration->fields[i];
    const trm_framework_shape *shape = &internal->shapes[i];
    internal->fields[i] =
      (trm_field){ .name = field->name, .unit = field->unit ? field->unit : "1",
                   .help = field->help ? field->help : "", .type = shape->type,
                   .components = shape->components, .nx = (size_t)grid->nx, .ny = (size_t)grid->ny,
                   .nz = (size_t)grid->nz, .layout = shape->layout,
                   .in_picture = field->in_picture, .middle = field->middle };
    if (field->flags) internal->fields[i].flags = field->flags | TRM_FIELD_PERIODIC_X;
  }
  grid_place_fields(grid);
  grid->base.fields = internal->fields;
  grid->base.field_count = internal->field_count;
}

static double divisor(const trm_grid_solver *grid, trm_framework_fold fold)
{
  const double *side = grid->spacing;
  if (fold == TRM_FRAMEWORK_MEAN) return grid_cells(grid);
  return fold == TRM_FRAMEWORK_INTEGRAL ? 1 / (side[0] * side[1] * side[2]) : 1;
}

static void declare_series(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  for (size_t i = 0; i < internal->series_count; i++) {
    const trm_framework_series *series = &grid->declaration->series[i];
    internal->series[i] = (trm_series){ series->name, series->unit ? series->unit : "1",
                                       internal->sums,
                                      trm_real_type(grid->precision), divisor(grid, series->fold),
                                      i * GRID_BATCH, 0.0, 0.0 };
  }
  grid->base.series = internal->series;
  grid->base.series_count = internal->series_count;
}

/* ---- traffic ------------------------------------------------------------------ */

/* A next state is written whole; what a kernel writes otherwise it may read as well, but leaves. */
static trm_traffic launch_traffic(const trm_grid_solver *grid, const grid_launch *launch,
                                  double calls)
{
  const struct trm_framework_internal *internal = grid->internal;
  const double real_bytes = (double)trm_type_size(trm_real_type(grid->precision));
  trm_traffic traffic = { launch->declared->kernel, 0, 0,
                         launch->declared->flops * grid_cells(grid),
                          calls };
  for (size_t i = 0; i < launch->array_count; i++) {
    const grid_array *array = &launch->arrays[i];
    const trm_framework_shape *shape = &internal->shapes[array->index];
    const double bytes = array->is_leaves ? (double)internal->leaves * real_bytes
                         : grid_cells(grid) * shape->components *
                             (double)trm_type_size(shape->type);
    const int is_new = array->is_next || array->is_leaves ||
                       grid->declaration->fields[array->index].is_computed;
    if (!array->is_written || !is_new) traffic.bytes_read += bytes;
    if (array->is_written) traffic.bytes_written += bytes;
  }
  return traffic;
}

/* A fold sums the leaves of `fold_after` steps chunk by chunk of 4096, each in 256 lanes, and then
 * what the chunks leave: on average over its launches. */
static trm_traffic fold_traffic(const trm_grid_solver *grid, const char *kernel, size_t series)
{
  const struct trm_framework_internal *internal = grid->internal;
  const double real_bytes = (double)trm_type_size(trm_real_type(grid->precision));
  double values = 0, chunks = 0, launches = 0;
  size_t left = internal->leaves;
  do {
    const size_t groups = (left - 1) / 4096 + 1;
    values += (double)left;
    chunks += (double)groups;
    launches++;
    left = groups;
  } while (left > 1);
  const double rows = (double)internal->fold_after / launches;
  return (trm_traffic){ kernel, rows * values * real_bytes, rows * chunks * real_bytes,
                        rows * (values + 255 * chunks),
                        (double)series * launches / (double)internal->fold_after };
}

/* A kernel that a step launches more than once is one entry, with its average traffic. */
static size_t add_traffic(trm_traffic *list, size_t count, trm_traffic more)
{
  for (size_t i = 0; i < count; i++) {
    trm_traffic *traffic = &list[i];
    if (strcmp(traffic->kernel, more.kernel) != 0) continue;
    const double calls = traffic->calls_per_step;
    traffic->bytes_read = (traffic->bytes_read * calls + more.bytes_read) / (calls + 1);
    traffic->bytes_written = (traffic->bytes_written * calls + more.bytes_written) / (calls + 1);
    traffic->flops = (traffic->flops * calls + more.flops) / (calls + 1);
    traffic->calls_per_step = calls + more.calls_per_step;
    return count;
  }
  list[count] = more;
  return count + 1;
}

static void declare_traffic(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  size_t sums = 0, largest = 0, count = 0;
  for (size_t i = 0; i < internal->series_count; i++)
    if (grid->declaration->series[i].fold == TRM_FRAMEWORK_LARGEST) largest++;
    else sums++;
  for (size_t i = 0; i < internal->step.count; i++)
    count = add_traffic(internal->traffic, count, launch_traffic(grid, &internal->step.list[i], 1));
  for (size_t i = 0; i < internal->observe.count; i++)
    count = add_traffic(internal->traffic, count, launch_traffic(grid, &internal->observe.list[i],
                                                                 0));
  if (sums) internal->traffic[count++] = fold_traffic(grid, "reduce_sum", sums);
  if (largest) internal->traffic[count++] = fold_traffic(grid, "reduce_max", largest);
  grid->base.traffic = internal->traffic;
  grid->base.traffic_count = count;
}

/* The unit of the key SOLVER.length_x; NULL where there is no such key. */
static const char *length_unit(const trm_grid_solver *grid)
{
  const trm_solver_type *type = grid->declaration->type;
  const size_t length = strlen(type->name);
  for (size_t i = 0; i < type->option_count; i++)
    if (strncmp(type->options[i].key, type->name, length) == 0 &&
        strcmp(type->options[i].key + length, ".length_x") == 0)
      return type->options[i].unit;
  return NULL;
}

void grid_declare(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  declare_fields(grid);
  declare_series(grid);
  declare_traffic(grid);
  internal->results[0] = (trm_result){ "end_time", grid->declaration->time_unit ?
                                      grid->declaration->time_unit
                                                                      : "steps", NAN };
  grid->base.results = internal->results;
  grid->base.result_count = 1;
  for (size_t i = 0; i < sizeof grid->base.spacing / sizeof grid->base.spacing[0]; i++)
    grid->base.spacing[i] = grid->spacing[i];
  grid->base.length_unit = length_unit(grid);
  grid->base.time_unit = grid->declaration->time_unit;
  grid->base.cells = grid_cells(grid);
  grid->base.batch_limit = GRID_BATCH;
  grid->base.program = trm_program_describe(internal->program);
}
