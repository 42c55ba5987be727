/* registry.h - the plugins of a kind, and the state of each (core-internal).
 *
 * A registry holds the plugin files found when it was made, in the order of the search path. Before
 * them come the program's own plugins, behind them the known names for which no file was found. A
 * context has one of backends. The files themselves are loaded and asked once a process, behind one
 * mutex, and are never closed. Two registries share the plugins that both contain; everything
 * returned here about a plugin lives for ever.
 *
 * A listing is quiet; a call by name reports the exact reason. */
#ifndef TRMI_REGISTRY_H
#define TRMI_REGISTRY_H

#include "core/backend.h"
#include "core/plugins/plugin.h"

typedef struct trmi_registry trmi_registry;

/* Looks for the kind's files in the folders of its variable (absolute elements between colons;
 * ignored in a program with raised rights), else in `default_path` (NULL: TRM_PLUGIN_DIR). Opens no
 * file.
 * An element that is not absolute becomes an entry with its reason. */
TRM_API trm_status trmi_registry_create(const trmi_kind *kind, const char *default_path,
                                        trmi_registry **out);
TRM_API void trmi_registry_destroy(trmi_registry **registry);

/* Loads and asks every candidate; the list belongs to the registry, and each call gives the
 * same. */
TRM_API trm_status trmi_registry_list(trmi_registry *registry, const trm_backend_info **list,
                                      size_t *count);

/* The table of a ready plugin. Loads and asks that candidate only. NOT_READY with reason and cure,
 * or NOT_FOUND with the nearest known name. device_count may be NULL. */
TRM_API trm_status trmi_registry_find(trmi_registry *registry, const char *name,
                                      const void **table, size_t *device_count);

/* Fails where no plugin of that name is known; loads nothing. */
trm_status trmi_registry_check_name(const trmi_registry *registry, const char *name);

/* Whether a file of that name was found, ready or not. */
int trmi_registry_has_file(const trmi_registry *registry, const char *name);

/* The known name nearest to an unknown one, without opening a file; NULL when no name is near. */
TRM_API const char *trmi_registry_nearest(const trmi_registry *registry, const char *name);

/* describe, under the registry's lock; out->backend and out->index are filled in. */
trm_status trmi_registry_describe(const trm_backend *backend, size_t index, trm_device_info *out);

/* The backends (backend.c), and the services for each: trm_error_record and trmi_log
 * (internal.h). */
extern const trmi_kind trmi_backend_kind;
trm_status trmi_backend_find(trmi_registry *registry, const char *name,
                             const trm_backend **backend, size_t *device_count);
const trm_services *trmi_backend_services(void);

#endif
