/* stepping.c - the table's entry of a kernel that steps a field (TRM_FROM, TRM_TO). Its arrays, its
 * components and the place of its layout follow from the declarations, so that the kernel's text
 * need not state them. The program is built with a copy of the tables that has it. */
#include <config.h>

#include "solvers/framework/inside.h"

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

static int member_at(const trm_kit *kit, const char *field, const char *what,
                     trm_precision precision)
{
  char name[64];
  snprintf(name, sizeof name, "%s_%s", field, what);
  const trm_kit_member *member = trm_kit_params_find(&kit->inside->params, name);
  return member ? (int)member->at[precision] : -1;
}

static int observes_next(const struct trm_kit_inside *inside, int field)
{
  for (size_t l = 0; l < inside->observe.count; l++)
    for (size_t a = 0; a < inside->observe.list[l].array_count; a++) {
      const kit_array *array = &inside->observe.list[l].arrays[a];
      if (array->is_next && !array->is_leaves && array->index == field) return 1;
    }
  return 0;
}

/* The stepping of this launch's kernel; 0 if it steps no field. */
static int stepping_of(const trm_kit *kit, const kit_launch *launch, trm_precision precision,
                       trm_stepping *out)
{
  const char *heading = heading_of(kit->plan->source->text, launch->declared->kernel);
  const int from = heading ? array_of(heading, "TRM_FROM(") : -1;
  const int to = heading ? array_of(heading, "TRM_TO(") : -1;
  if (from < 0 || to < 0 || from >= (int)launch->array_count || to >= (int)launch->array_count)
    return 0;
  const kit_array *read = &launch->arrays[from], *written = &launch->arrays[to];
  if (read->is_leaves || written->is_leaves || read->index != written->index || read->is_next ||
      !written->is_next)
    return 0;
  const trm_kit_field *field = &kit->plan->fields[read->index];
  const int components = field->components ? field->components : 1;
  const int first = member_at(kit, field->name, "first", precision);
  const int row = member_at(kit, field->name, "row", precision);
  const int component = components > 1 ? member_at(kit, field->name, "component", precision) : row;
  if (first < 0 || row < 0 || component < 0) return 0;
  *out = (trm_stepping){ from, to, components, sizeof(trm_index), first, row, component,
                         !observes_next(kit->inside, read->index), 1 };
  return 1;
}

/* ---- the tables -------------------------------------------------------------- */

typedef struct table {
  trm_host_module module;
  trm_host_kernel *kernels;
  trm_stepping steps[TRM_KIT_MOST];
} table;

static trm_status copy_table(const trm_kit *kit, const trm_host_module *from, table *to)
{
  const size_t count = (size_t)from->kernel_count;
  to->module = *from;
  to->kernels = malloc(count * sizeof *to->kernels);
  if (!to->kernels) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a table of %zu kernels", count);
  memcpy(to->kernels, from->kernels, count * sizeof *to->kernels);
  to->module.kernels = to->kernels;
  for (size_t l = 0; l < kit->inside->step.count; l++)
    for (size_t i = 0; i < count; i++) {
      const kit_launch *launch = &kit->inside->step.list[l];
      if (strcmp(to->kernels[i].name, launch->declared->kernel) == 0 && !to->kernels[i].steps &&
          stepping_of(kit, launch, from->precision, &to->steps[l]))
        to->kernels[i].steps = &to->steps[l];
    }
  return TRM_OK;
}

trm_status kit_tables_make(const trm_kit *kit, trm_program_source *source)
{
  struct trm_kit_inside *inside = kit->inside;
  size_t count = 0;
  while (source->modules[count]) count++;
  table *tables = calloc(count + 1, sizeof *tables);
  const trm_host_module **list = calloc(count + 1, sizeof *list);
  inside->tables = tables;
  inside->modules = list;
  if (!tables || !list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu tables", count);
  for (size_t i = 0; i < count; i++) {
    TRM_TRY(copy_table(kit, source->modules[i], &tables[i]));
    list[i] = &tables[i].module;
  }
  source->modules = list;
  return TRM_OK;
}

void kit_tables_free(struct trm_kit_inside *inside)
{
  table *tables = inside->tables;
  for (table *t = tables; t && t->kernels; t++) free(t->kernels);
  free(tables);
  free((void *)(uintptr_t)inside->modules);
}
