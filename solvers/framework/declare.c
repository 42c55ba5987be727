/* declare.c - makes the declarations of solver.h from those of the kit. */
#include <config.h>

#include "solvers/framework/inside.h"

#include <math.h>
#include <string.h>

void kit_place_fields(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->field_count; i++)
    inside->fields[i].buffer = inside->cells[i][kit->plan->fields[i].swaps ? inside->current : 0];
}

static void declare_fields(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->field_count; i++) {
    const trm_kit_field *field = &kit->plan->fields[i];
    const trm_kit_shape *shape = &inside->shapes[i];
    inside->fields[i] =
      (trm_field){ .name = field->name, .unit = field->unit ? field->unit : "1",
                   .help = field->help ? field->help : "", .type = shape->type,
                   .components = shape->components, .nx = (size_t)kit->nx, .ny = (size_t)kit->ny,
                   .nz = (size_t)kit->nz, .layout = shape->layout,
                   .in_picture = field->in_picture, .middle = field->middle };
    if (field->flags) inside->fields[i].flags = field->flags | TRM_FIELD_PERIODIC_X;
  }
  kit_place_fields(kit);
  kit->base.fields = inside->fields;
  kit->base.field_count = inside->field_count;
}

static double divisor(const trm_kit *kit, trm_kit_fold fold)
{
  const double *side = kit->spacing;
  if (fold == TRM_KIT_MEAN) return kit_cells(kit);
  return fold == TRM_KIT_INTEGRAL ? 1 / (side[0] * side[1] * side[2]) : 1;
}

static void declare_series(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  for (size_t i = 0; i < inside->series_count; i++) {
    const trm_kit_series *series = &kit->plan->series[i];
    inside->series[i] = (trm_series){ series->name, series->unit ? series->unit : "1", inside->sums,
                                      trm_real_type(kit->precision), divisor(kit, series->fold),
                                      i * KIT_BATCH, 0.0, 0.0 };
  }
  kit->base.series = inside->series;
  kit->base.series_count = inside->series_count;
}

/* ---- traffic ------------------------------------------------------------------ */

/* A next state is written whole; what a kernel writes otherwise it may read as well, but leaves. */
static trm_traffic launch_traffic(const trm_kit *kit, const kit_launch *launch, double calls)
{
  const struct trm_kit_inside *inside = kit->inside;
  const double real_bytes = (double)trm_type_size(trm_real_type(kit->precision));
  trm_traffic traffic = { launch->declared->kernel, 0, 0, launch->declared->flops * kit_cells(kit),
                          calls };
  for (size_t i = 0; i < launch->array_count; i++) {
    const kit_array *array = &launch->arrays[i];
    const trm_kit_shape *shape = &inside->shapes[array->index];
    const double bytes = array->is_leaves ? (double)inside->leaves * real_bytes
                         : kit_cells(kit) * shape->components *
                             (double)trm_type_size(shape->type);
    const int is_new = array->is_next || array->is_leaves ||
                       kit->plan->fields[array->index].is_computed;
    if (!array->is_written || !is_new) traffic.bytes_read += bytes;
    if (array->is_written) traffic.bytes_written += bytes;
  }
  return traffic;
}

/* A fold sums the leaves of `fold_after` steps chunk by chunk of 4096, each in 256 lanes, and then
 * what the chunks leave: on average over its launches. */
static trm_traffic fold_traffic(const trm_kit *kit, const char *kernel, size_t series)
{
  const struct trm_kit_inside *inside = kit->inside;
  const double real_bytes = (double)trm_type_size(trm_real_type(kit->precision));
  double values = 0, chunks = 0, launches = 0;
  size_t left = inside->leaves;
  do {
    const size_t groups = (left - 1) / 4096 + 1;
    values += (double)left;
    chunks += (double)groups;
    launches++;
    left = groups;
  } while (left > 1);
  const double rows = (double)inside->fold_after / launches;
  return (trm_traffic){ kernel, rows * values * real_bytes, rows * chunks * real_bytes,
                        rows * (values + 255 * chunks),
                        (double)series * launches / (double)inside->fold_after };
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

static void declare_traffic(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  size_t sums = 0, largest = 0, count = 0;
  for (size_t i = 0; i < inside->series_count; i++)
    if (kit->plan->series[i].fold == TRM_KIT_LARGEST) largest++;
    else sums++;
  for (size_t i = 0; i < inside->step.count; i++)
    count = add_traffic(inside->traffic, count, launch_traffic(kit, &inside->step.list[i], 1));
  for (size_t i = 0; i < inside->observe.count; i++)
    count = add_traffic(inside->traffic, count, launch_traffic(kit, &inside->observe.list[i], 0));
  if (sums) inside->traffic[count++] = fold_traffic(kit, "reduce_sum", sums);
  if (largest) inside->traffic[count++] = fold_traffic(kit, "reduce_max", largest);
  kit->base.traffic = inside->traffic;
  kit->base.traffic_count = count;
}

/* The unit of the key SOLVER.length_x; NULL where there is no such key. */
static const char *length_unit(const trm_kit *kit)
{
  const trm_solver_type *type = kit->plan->type;
  const size_t length = strlen(type->name);
  for (size_t i = 0; i < type->option_count; i++)
    if (strncmp(type->options[i].key, type->name, length) == 0 &&
        strcmp(type->options[i].key + length, ".length_x") == 0)
      return type->options[i].unit;
  return NULL;
}

void kit_declare(trm_kit *kit)
{
  struct trm_kit_inside *inside = kit->inside;
  declare_fields(kit);
  declare_series(kit);
  declare_traffic(kit);
  inside->results[0] = (trm_result){ "end_time", kit->plan->time_unit ? kit->plan->time_unit
                                                                      : "steps", NAN };
  kit->base.results = inside->results;
  kit->base.result_count = 1;
  for (size_t i = 0; i < sizeof kit->base.spacing / sizeof kit->base.spacing[0]; i++)
    kit->base.spacing[i] = kit->spacing[i];
  kit->base.length_unit = length_unit(kit);
  kit->base.time_unit = kit->plan->time_unit;
  kit->base.cells = kit_cells(kit);
  kit->base.batch_limit = KIT_BATCH;
  kit->base.program = trm_program_describe(inside->program);
}
