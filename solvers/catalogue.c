/* catalogue.c - solvers as plugins: checks whether a table can be run. */
#include "solvers/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "core/plugins/registry.h"

struct trm_catalogue {
  trmi_registry *registry;
  trm_solver_entry *entries;     /* made by the first list */
  size_t entry_count;
};

/* ---- the table ------------------------------------------------------------- */

static const char *missing_entry(const trm_solver_type *type)
{
  if (!type->summary) return "summary";
  if (!type->update_name) return "update_name";
  if (type->option_count > 0 && !type->options) return "options";
  if (type->files_usage && !type->configure) return "configure";
  if (!type->create) return "create";
  if (!type->advance) return "advance";
  if (!type->observe) return "observe";
  return type->destroy ? NULL : "destroy";
}

static void accept(trmi_plugin *plugin, void *address)
{
  const trm_solver_type *type = address;
  if (!trmi_plugin_has_size(plugin, type, sizeof *type)) return;
  if (!trmi_plugin_is_whole(plugin, missing_entry(type), type->name)) return;
  trmi_say(plugin->summary, sizeof plugin->summary, "%s", type->summary);
  plugin->cure[0] = '\0';
  plugin->table = type;
  plugin->state = TRM_BACKEND_READY;
}

/* ---- the catalogue --------------------------------------------------------- */

#define CURE "build it (./quickstart goes on where it was stopped; make in the build tree), or " \
             "install the program again (make install)"

/* The solvers of this tree. A new one is a name here, and a folder of its own. */
static const trmi_known known[] = {
  { "lbm", CURE }, { "lbm3d", CURE }, { "nbody", CURE }, { "shallow", CURE },
  { "compressible", CURE }, { NULL, NULL }
};

int trm_catalogue_owns(const char *name)
{
  for (const trmi_known *each = known; each->name; each++)
    if (strcmp(each->name, name) == 0) return 1;
  return 0;
}

trm_status trm_catalogue_create(trm_catalogue **out)
{
  static const trmi_kind kind = { "solver", "solver_", "trm_solver_", "TRIREME_SOLVER_PATH",
                                  TRM_SOLVER_ABI, known, accept, 1, "solvers" };
  trm_catalogue *catalogue = calloc(1, sizeof *catalogue);
  if (!catalogue) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of solvers");
  trm_status status = trmi_registry_create(&kind, NULL, &catalogue->registry);
  if (status != TRM_OK) {
    trm_catalogue_destroy(&catalogue);
    return status;
  }
  *out = catalogue;
  return TRM_OK;
}

void trm_catalogue_destroy(trm_catalogue **catalogue)
{
  if (!catalogue || !*catalogue) return;
  trmi_registry_destroy(&(*catalogue)->registry);
  free((*catalogue)->entries);
  free(*catalogue);
  *catalogue = NULL;
}

const char *trm_catalogue_nearest(const trm_catalogue *catalogue, const char *name)
{
  return trmi_registry_nearest(catalogue->registry, name);
}

static trm_status fill_entry(trm_catalogue *catalogue, const trm_backend_info *info,
                             trm_solver_entry *entry)
{
  *entry = (trm_solver_entry){ .name = info->name, .path = info->path, .state = info->state,
                               .reason = info->reason, .cure = info->cure };
  if (info->state != TRM_BACKEND_READY) return TRM_OK;
  return trm_catalogue_find(catalogue, info->name, &entry->type);
}

trm_status trm_catalogue_list(trm_catalogue *catalogue, const trm_solver_entry **list,
                              size_t *count)
{
  const trm_backend_info *infos;
  size_t found;
  TRM_TRY(trmi_registry_list(catalogue->registry, &infos, &found));
  if (!catalogue->entries) {
    catalogue->entries = calloc(found, sizeof *catalogue->entries);
    if (!catalogue->entries) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of solvers");
    for (size_t i = 0; i < found; i++)
      TRM_TRY(fill_entry(catalogue, &infos[i], &catalogue->entries[i]));
    catalogue->entry_count = found;
  }
  *list = catalogue->entries;
  *count = catalogue->entry_count;
  return TRM_OK;
}

trm_status trm_catalogue_find(trm_catalogue *catalogue, const char *name,
                              const trm_solver_type **out)
{
  const void *table;
  TRM_TRY(trmi_registry_find(catalogue->registry, name, &table, NULL));
  *out = table;
  return TRM_OK;
}
