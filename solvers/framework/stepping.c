/* stepping.c - the table's entry of a kernel that steps a field (TRM_FROM, TRM_TO). Its arrays, its
 * components and the place of its layout follow from the declarations, so that the kernel's text
 * need not state them. The program is built with a copy of the tables that has it. */
#include <config.h>

#include "solvers/framework/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the heading ------------------------------------------------------------- */

/* Behind the name in the heading of a row kernel; NULL: it is none. */
static const char *heading_of(const char *text, const char *kernel)
{
  char words[80];
  snprintf(words, sizeof words, "(%s,", kernel);
  for (const char *at = strstr(text, words); at; at = strstr(at + 1, words)) {
    const char *word = at;
    while (word > text && word[-1] != '\n') word--;
    if (strncmp(word, "TRM_ROW_KERNEL", 14) == 0) return at + strlen(words);
  }
  return NULL;
}

/* Which array of the heading is declared by this word; -1: none. */
static int array_of(const char *heading, const char *word)
{
  static const char *const words[] = { "TRM_RO(", "TRM_RW(", "TRM_FROM(", "TRM_TO(" };
  const char *end = heading + strcspn(heading, "{");
  int count = 0;
  for (const char *at = heading; at < end; at++)
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
      if (strncmp(at, words[i], strlen(words[i])) == 0) {
        if (strcmp(words[i], word) == 0) return count;
        count++;
      }
  return -1;
}

/* ---- the entry --------------------------------------------------------------- */

static int member_at(const trm_grid_solver *grid, const char *field, const char *what,
                     trm_precision precision)
{
  char name[64];
  snprintf(name, sizeof name, "%s_%s", field, what);
  const trm_framework_member *member = trm_framework_params_find(&grid->internal->params, name);
  return member ? (int)member->at[precision] : -1;
}

static int observes_next(const struct trm_framework_internal *internal, int field)
{
  for (size_t l = 0; l < internal->observe.count; l++)
    for (size_t a = 0; a < internal->observe.list[l].array_count; a++) {
      const grid_array *array = &internal->observe.list[l].arrays[a];
      if (array->is_next && !array->is_leaves && array->index == field) return 1;
    }
  return 0;
}

/* The stepping of this launch's kernel; 0 if it steps no field. */
static int stepping_of(const trm_grid_solver *grid, const grid_launch *launch,
                       trm_precision precision, trm_stepping *out)
{
  const char *heading = heading_of(grid->declaration->source->text, launch->declared->kernel);
  const int from = heading ? array_of(heading, "TRM_FROM(") : -1;
  const int to = heading ? array_of(heading, "TRM_TO(") : -1;
  if (from < 0 || to < 0 || from >= (int)launch->array_count || to >= (int)launch->array_count)
    return 0;
  const grid_array *read = &launch->arrays[from], *written = &launch->arrays[to];
  if (read->is_leaves || written->is_leaves || read->index != written->index || read->is_next ||
      !written->is_next)
    return 0;
  const trm_framework_field *field = &grid->declaration->fields[read->index];
  const int components = field->components ? field->components : 1;
  const int first = member_at(grid, field->name, "first", precision);
  const int row = member_at(grid, field->name, "row", precision);
  const int component = components > 1 ? member_at(grid, field->name, "component", precision) : row;
  if (first < 0 || row < 0 || component < 0) return 0;
  *out = (trm_stepping){ from, to, components, sizeof(trm_index), first, row, component,
                         !observes_next(grid->internal, read->index), 1 };
  return 1;
}

/* ---- the tables -------------------------------------------------------------- */

typedef struct table {
  trm_host_module module;
  trm_host_kernel *kernels;
  trm_stepping steps[TRM_FRAMEWORK_MOST];
} table;

static trm_status copy_table(const trm_grid_solver *grid, const trm_host_module *from, table *to)
{
  const size_t count = (size_t)from->kernel_count;
  to->module = *from;
  to->kernels = malloc(count * sizeof *to->kernels);
  if (!to->kernels) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a table of %zu kernels", count);
  memcpy(to->kernels, from->kernels, count * sizeof *to->kernels);
  to->module.kernels = to->kernels;
  for (size_t l = 0; l < grid->internal->step.count; l++)
    for (size_t i = 0; i < count; i++) {
      const grid_launch *launch = &grid->internal->step.list[l];
      if (strcmp(to->kernels[i].name, launch->declared->kernel) == 0 && !to->kernels[i].steps &&
          stepping_of(grid, launch, from->precision, &to->steps[l]))
        to->kernels[i].steps = &to->steps[l];
    }
  return TRM_OK;
}

trm_status grid_tables_make(const trm_grid_solver *grid, trm_program_source *source)
{
  struct trm_framework_internal *internal = grid->internal;
  size_t count = 0;
  while (source->modules[count]) count++;
  table *tables = calloc(count + 1, sizeof *tables);
  const trm_host_module **list = calloc(count + 1, sizeof *list);
  internal->tables = tables;
  internal->modules = list;
  if (!tables || !list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu tables", count);
  for (size_t i = 0; i < count; i++) {
    TRM_TRY(copy_table(grid, source->modules[i], &tables[i]));
    list[i] = &tables[i].module;
  }
  source->modules = list;
  return TRM_OK;
}

void grid_tables_free(struct trm_framework_internal *internal)
{
  table *tables = internal->tables;
  for (table *t = tables; t && t->kernels; t++) free(t->kernels);
  free(tables);
  free((void *)(uintptr_t)internal->modules);
}
