/* check.c - the declarations of a solver against themselves and against its program.
 *
 * A mistake is reported when the solver is created, with the names of solver and declaration and
 * the cure. The results of the check are kept: numbers of arrays, places of parameters. */
#include <config.h>

#include "solvers/framework/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A fault in a solver's declarations is wrong use, not bad input. */
#define REFUSE(grid, ...) refuse((grid)->declaration->type->name, __LINE__, __VA_ARGS__)

static trm_status __attribute__((format(printf, 3, 4)))
refuse(const char *solver, int line, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return trm_error_record(TRM_ERROR_INVALID, __FILE__, line, "solver %s: %s", solver, text);
}

/* ---- names ------------------------------------------------------------------- */

static int is_name(const char *text, size_t length, const char *name)
{
  return name && strlen(name) == length && strncmp(text, name, length) == 0;
}

static int find_field(const trm_grid_solver *grid, const char *text, size_t length)
{
  for (size_t i = 0; i < grid->internal->field_count; i++)
    if (is_name(text, length, grid->declaration->fields[i].name)) return (int)i;
  return -1;
}

static int find_leaves(const trm_grid_solver *grid, const char *text, size_t length)
{
  for (size_t i = 0; i < grid->internal->leaves_count; i++)
    if (is_name(text, length, grid->internal->leaves_names[i])) return (int)i;
  return -1;
}

/* "; did you mean 'temperature'?", or the names there are. */
static void suggest(const trm_grid_solver *grid, const char *name, char *text, size_t bytes)
{
  const char *names[2 * TRM_FRAMEWORK_MOST];
  const struct trm_framework_internal *internal = grid->internal;
  size_t count = 0;
  for (size_t i = 0; i < internal->field_count; i++)
    names[count++] = grid->declaration->fields[i].name;
  for (size_t i = 0; i < internal->leaves_count; i++) names[count++] = internal->leaves_names[i];
  const char *near = trm_nearest_name(name, names, count);
  if (near) snprintf(text, bytes, "did you mean '%s'?", near);
  else snprintf(text, bytes, "declare it in .fields, or as .leaves of a series");
}

/* ---- lists ------------------------------------------------------------------- */

/* Entries up to the first without a name are declared; one behind it would be left out. */
static trm_status check_list(const trm_grid_solver *grid, const char *what, const char *name,
                             const void *list, size_t size, size_t count)
{
  const unsigned char *bytes = list;
  for (size_t i = count * size; i < TRM_FRAMEWORK_MOST * size; i++)
    if (bytes[i])
      return REFUSE(grid, "entry %zu of .%s has no .%s; give it one, or take it out", i / size,
                    what, name);
  return TRM_OK;
}
#define CHECK_LIST(grid, what, name, count) \
  check_list(grid, #what, #name, (grid)->declaration->what, sizeof (grid)->declaration->what[0], \
             count)

/* A launch lists names of arrays. */
static trm_status check_array_name(const trm_grid_solver *grid, const char *what, const char *name)
{
  const size_t length = strcspn(name, " \t\n'");
  if (length > 0 && !name[length] && length < GRID_NAME) return TRM_OK;
  return REFUSE(grid, "%s '%s': the name of an array has 1 to %d letters, no blank and no '", what,
                name, GRID_NAME - 1);
}

/* ---- keys -------------------------------------------------------------------- */

/* Keys of the grid and of the step that the framework would not find, and leave without effect. */
static trm_status check_keys(const trm_grid_solver *grid)
{
  static const char *const own[] = { ".length_x", ".length_y", ".length_z", ".dt" };
  const trm_solver_type *type = grid->declaration->type;
  const int dimensions = grid->declaration->dimensions;
  if (dimensions != 2 && dimensions != 3)
    return REFUSE(grid, "a grid of %d dimensions; TRM_FRAMEWORK_SOLVER takes 2 or 3", dimensions);
  for (size_t i = 0; i < type->option_count; i++) {
    const char *key = type->options[i].key;
    const size_t word = strcspn(key, ".");
    if (dimensions == 2 && strcmp(key, "grid.nz") == 0)
      return REFUSE(grid, "the key %s, and a grid of 2 dimensions; declare its keys by "
                    "TRM_FRAMEWORK_GRID_2D, or give TRM_FRAMEWORK_SOLVER 3", key);
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
      if (strcmp(key + word, own[k]) == 0 && !is_name(key, word, type->name))
        return REFUSE(grid, "the key %s would have no effect; the framework reads %s%s", key,
                      type->name, own[k]);
  }
  return TRM_OK;
}

/* ---- fields and series ------------------------------------------------------- */

static trm_status check_field(const trm_grid_solver *grid, size_t i)
{
  const trm_framework_field *field = &grid->declaration->fields[i];
  TRM_TRY(check_array_name(grid, "the field", field->name));
  if (find_field(grid, field->name, strlen(field->name)) != (int)i)
    return REFUSE(grid, "two fields are called '%s'; rename one", field->name);
  if (!field->start && !field->is_computed)
    return REFUSE(grid, "the field '%s' has no start; give it one, or say .is_computed = 1 where a "
                  "launch fills it", field->name);
  if (field->components < 0)
    return REFUSE(grid, "the field '%s' has %d components; it needs at least one", field->name,
                  field->components);
  return TRM_OK;
}

static trm_status check_fields(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  while (internal->field_count < TRM_FRAMEWORK_MOST &&
         grid->declaration->fields[internal->field_count].name)
    internal->field_count++;
  TRM_TRY(CHECK_LIST(grid, fields, name, internal->field_count));
  if (internal->field_count == 0) return REFUSE(grid, "no field is declared; a state needs one");
  for (size_t i = 0; i < internal->field_count; i++) TRM_TRY(check_field(grid, i));
  return TRM_OK;
}

static trm_status check_one_series(trm_grid_solver *grid, size_t i)
{
  struct trm_framework_internal *internal = grid->internal;
  const trm_framework_series *series = &grid->declaration->series[i];
  for (size_t k = 0; k < i; k++)
    if (strcmp(grid->declaration->series[k].name, series->name) == 0)
      return REFUSE(grid, "two series are called '%s'; rename one", series->name);
  if (!series->leaves || !*series->leaves)
    return REFUSE(grid, "the series '%s' has no leaves; name the array that a kernel folds them "
                  "into", series->name);
  TRM_TRY(check_array_name(grid, "the leaves", series->leaves));
  const size_t length = strlen(series->leaves);
  if (find_field(grid, series->leaves, length) >= 0)
    return REFUSE(grid, "the leaves '%s' of the series '%s' have the name of a field; rename one",
                  series->leaves, series->name);
  if (find_leaves(grid, series->leaves, length) < 0)
    internal->leaves_names[internal->leaves_count++] = series->leaves;
  internal->leaves_of[i] = find_leaves(grid, series->leaves, length);
  for (size_t k = 0; k < i; k++) {
    const trm_framework_series *other = &grid->declaration->series[k];
    if (internal->leaves_of[k] == internal->leaves_of[i] &&
        (other->fold == TRM_FRAMEWORK_LARGEST) != (series->fold == TRM_FRAMEWORK_LARGEST))
      return REFUSE(grid, "the series '%s' and '%s' are a sum and a largest value of the same "
                    "leaves '%s'; a kernel folds leaves either by TRM_FOLD or by "
                    "TRM_FOLD_MAX: give each series its own leaves", other->name, series->name,
                    series->leaves);
  }
  return TRM_OK;
}

static trm_status check_series(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  while (internal->series_count < TRM_FRAMEWORK_MOST &&
         grid->declaration->series[internal->series_count].name)
    TRM_TRY(check_one_series(grid, internal->series_count++));
  return CHECK_LIST(grid, series, name, internal->series_count);
}

/* ---- launches ---------------------------------------------------------------- */

/* The program's own table of kernels, in this precision; NULL: it is built in the other alone. */
static const trm_host_module *module_of(const trm_grid_solver *grid)
{
  const trm_host_module *const *module = grid->declaration->source->modules;
  while (*module && (*module)->precision != grid->precision) module++;
  return *module;
}

static trm_status find_kernel(const trm_grid_solver *grid, const char *name,
                              const trm_host_kernel **out)
{
  const trm_host_module *module = module_of(grid);
  const char *names[64];
  size_t count = 0;
  for (int i = 0; i < module->kernel_count; i++) {
    if (strcmp(module->kernels[i].name, name) == 0) {
      *out = &module->kernels[i];
      return TRM_OK;
    }
    if (count < 64) names[count++] = module->kernels[i].name;
  }
  const char *near = trm_nearest_name(name, names, count);
  return REFUSE(grid, "a launch names the kernel '%s', and %s has none of that name%s%s%s", name,
                grid->declaration->source->file, near ?
                "; did you mean '" : "; see its TRM_TABLE lines", near ? near : "", near ?
                "'?" : "");
}

static trm_status find_array(const trm_grid_solver *grid, const trm_framework_launch *launch,
                             const char *text, size_t length, grid_array *out)
{
  char name[64], advice[128];
  const int is_next = length > 0 && text[length - 1] == '\'';
  length -= (size_t)is_next;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  const int field = find_field(grid, text, length), leaves = find_leaves(grid, text, length);
  if (field < 0 && leaves < 0) {
    suggest(grid, name, advice, sizeof advice);
    return REFUSE(grid, "the launch of %s names the array '%s', which is not declared; %s",
                  launch->kernel, name, advice);
  }
  if (is_next && (field < 0 || !grid->declaration->fields[field].swaps))
    return REFUSE(grid,
                  "the launch of %s names %s', and '%s' is not a field with a next state; say "
                  ".swaps = 1, or leave the ' out", launch->kernel, name, name);
  *out = (grid_array){ field >= 0 ? field : leaves, field < 0, is_next, 0 };
  return TRM_OK;
}

/* A kernel's arrays do not overlap where one of them is written (`restrict`). */
static trm_status check_twice(const trm_grid_solver *grid, const grid_launch *launch,
                              const grid_array *array, const char *text, size_t length)
{
  for (size_t i = 0; i < launch->array_count; i++) {
    const grid_array *other = &launch->arrays[i];
    const int swaps = !array->is_leaves && grid->declaration->fields[array->index].swaps;
    if (other->index == array->index && other->is_leaves == array->is_leaves &&
        other->is_next == array->is_next && (other->is_written || array->is_written))
      return REFUSE(grid, "the launch of %s names '%.*s' twice and writes it; a kernel takes an "
                    "array that it writes once%s", launch->declared->kernel, (int)length, text,
                    swaps ? "; the next state of a field is its name with a '" : "");
  }
  return TRM_OK;
}

/* A kernel that takes reals would read and write beyond the end of flags. */
static trm_status check_type(const trm_grid_solver *grid, const grid_launch *launch,
                             const grid_array *array, const char *text, size_t length)
{
  const int is_flags = !array->is_leaves && grid->declaration->fields[array->index].is_flags;
  const char *given = is_flags ? "uchar" : "real";
  const char *taken = grid_type_taken(grid->declaration->source->text, launch->declared->kernel,
                                      launch->array_count);
  if (!taken || strcmp(taken, given) == 0) return TRM_OK;
  return REFUSE(grid, "the launch of %s gives it '%.*s', an array of %s, for one of %s; give "
                "another, or change %s", launch->declared->kernel, (int)length, text, given, taken,
                is_flags ? ".is_flags" : "the kernel's heading");
}

static trm_status check_arrays(const trm_grid_solver *grid, const trm_host_kernel *kernel,
                               grid_launch *out)
{
  const trm_framework_launch *launch = out->declared;
  static const char blanks[] = " \t\n";
  size_t named = 0;
  for (const char *at = launch->arrays; at && *(at += strspn(at, blanks)); named++) {
    const size_t length = strcspn(at, blanks);
    grid_array array;
    TRM_TRY(find_array(grid, launch, at, length, &array));
    at += length;
    if (named >= TRM_MAX_BUFFERS || named >= (size_t)kernel->buffer_count) continue;
    array.is_written = kernel->access[named] == 'w';
    TRM_TRY(check_twice(grid, out, &array, at - length, length));
    TRM_TRY(check_type(grid, out, &array, at - length, length));
    out->arrays[out->array_count++] = array;
  }
  if (named != (size_t)kernel->buffer_count)
    return REFUSE(grid, "the launch of %s names %zu arrays (\"%s\"), and the kernel takes %d; name "
                  "one for each, in the kernel's order", launch->kernel, named,
                  launch->arrays ? launch->arrays : "", kernel->buffer_count);
  return TRM_OK;
}

static trm_status check_precision(const trm_grid_solver *grid)
{
  const char *built = trm_precision_name(grid->precision == TRM_F32 ? TRM_F64 : TRM_F32);
  if (module_of(grid)) return TRM_OK;
  return REFUSE(grid, "its kernels are built in %s only; choose --precision=%s", built, built);
}

static trm_status check_launches(const trm_grid_solver *grid, const trm_framework_launch *declared,
                                 grid_launches *out)
{
  for (; out->count < TRM_FRAMEWORK_MOST && declared[out->count].kernel; out->count++) {
    grid_launch *launch = &out->list[out->count];
    const trm_host_kernel *kernel;
    launch->declared = &declared[out->count];
    TRM_TRY(find_kernel(grid, launch->declared->kernel, &kernel));
    launch->is_group = kernel->kind == TRM_KERNEL_GROUP;
    TRM_TRY(check_arrays(grid, kernel, launch));
    if ((size_t)kernel->param_bytes != grid->internal->params.bytes[grid->precision])
      return REFUSE(grid, "the kernel %s takes %d bytes of parameters, and struct %s has %zu; all "
                    "kernels of the framework take this struct", kernel->name, kernel->param_bytes,
                    grid->declaration->params, grid->internal->params.bytes[grid->precision]);
  }
  return TRM_OK;
}

/* ---- who writes what --------------------------------------------------------- */

static int is_written(const grid_launches *launches, int index, int is_leaves, int is_next)
{
  for (size_t l = 0; l < launches->count; l++)
    for (size_t a = 0; a < launches->list[l].array_count; a++) {
      const grid_array *array = &launches->list[l].arrays[a];
      if (array->is_written && array->index == index && array->is_leaves == is_leaves &&
          array->is_next == is_next)
        return 1;
    }
  return 0;
}

static trm_status check_writers(const trm_grid_solver *grid)
{
  const struct trm_framework_internal *internal = grid->internal;
  if (internal->step.count == 0) return REFUSE(grid, "a step launches no kernel; declare .step");
  for (size_t i = 0; i < internal->field_count; i++) {
    const trm_framework_field *field = &grid->declaration->fields[i];
    if (field->swaps && !is_written(&internal->step, (int)i, 0, 1))
      return REFUSE(grid,
                    "the field '%s' swaps, and no kernel of a step writes %s'; name %s' among "
                    "the arrays of one", field->name, field->name, field->name);
    if (!field->is_computed && !(field->flags & TRM_FIELD_KEPT) &&
        (field->swaps || is_written(&internal->step, (int)i, 0, 0)))
      return REFUSE(grid, "a step changes the field '%s', which no checkpoint would keep; say "
                    ".flags = TRM_FIELD_STATE, or TRM_FIELD_KEPT", field->name);
    if (field->is_computed && !field->swaps && !is_written(&internal->step, (int)i, 0, 0) &&
        !is_written(&internal->observe, (int)i, 0, 0))
      return REFUSE(grid, "the field '%s' is computed, and no kernel writes it", field->name);
  }
  for (size_t i = 0; i < internal->leaves_count; i++)
    if (!is_written(&internal->step, (int)i, 1, 0))
      return REFUSE(grid, "no kernel of a step writes the leaves '%s' of a series; name them among "
                    "the arrays of one", internal->leaves_names[i]);
  return TRM_OK;
}

/* ---- parameters -------------------------------------------------------------- */

/* A member that the framework fills is a trm_index; one that looks like it and names no field would
 * stay 0. */
static trm_status check_member(const trm_grid_solver *grid, const trm_framework_member *member)
{
  static const char *const endings[] = { "_first", "_row", "_component" };
  const size_t length = strlen(member->name);
  const int is_filled = strcmp(member->name, "leaves") == 0;
  if (is_filled && member->kind != 'x')
    return REFUSE(grid, "%s.leaves is not a trm_index; make it one", grid->declaration->params);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    const size_t ending = strlen(endings[i]);
    if (length <= ending || strcmp(member->name + length - ending, endings[i]) != 0) continue;
    const int field = find_field(grid, member->name, length - ending);
    if (field >= 0 && member->kind != 'x')
      return REFUSE(grid, "%s.%s is not a trm_index; make it one", grid->declaration->params,
                    member->name);
    if (field < 0 && member->kind == 'x')
      return REFUSE(grid, "%s.%s is the layout of a field that is not declared; no field is called "
                    "'%.*s'", grid->declaration->params, member->name, (int)(length - ending),
                    member->name);
  }
  return TRM_OK;
}

static trm_status check_params(trm_grid_solver *grid)
{
  struct trm_framework_internal *internal = grid->internal;
  const trm_framework_declaration *declaration = grid->declaration;
  const trm_status status = trm_framework_params_read(declaration->source->text,
                                                      declaration->params, &internal->params);
  if (status != TRM_OK) return REFUSE(grid, "%s", trm_error_last()->text);
  if (internal->params.bytes[TRM_F64] != declaration->params_bytes)
    return REFUSE(grid,
                  "struct %s is %zu bytes in the kernel text and %zu on the host; include the "
                  "kernels' header", declaration->params, internal->params.bytes[TRM_F64],
                  declaration->params_bytes);
  if (declaration->own_bytes && declaration->own_bytes < declaration->params_bytes)
    return REFUSE(grid,
                  ".own_bytes is %zu, and struct %s alone has %zu; let your struct begin with "
                  "it", declaration->own_bytes, declaration->params, declaration->params_bytes);
  for (size_t i = 0; i < internal->params.count; i++)
    TRM_TRY(check_member(grid, &internal->params.members[i]));
  if (internal->leaves_count > 0 && !trm_framework_params_find(&internal->params, "leaves"))
    return REFUSE(grid, "there are series, and struct %s has no member `trm_index leaves`",
                  declaration->params);
  return TRM_OK;
}

trm_status grid_check(trm_grid_solver *grid)
{
  TRM_TRY(check_keys(grid));
  TRM_TRY(check_fields(grid));
  TRM_TRY(check_series(grid));
  TRM_TRY(check_params(grid));
  TRM_TRY(check_precision(grid));
  TRM_TRY(check_launches(grid, grid->declaration->step, &grid->internal->step));
  TRM_TRY(check_launches(grid, grid->declaration->observe, &grid->internal->observe));
  TRM_TRY(CHECK_LIST(grid, step, kernel, grid->internal->step.count));
  TRM_TRY(CHECK_LIST(grid, observe, kernel, grid->internal->observe.count));
  return check_writers(grid);
}
