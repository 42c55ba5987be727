/* registry.h - which backend plugins there are, and in what state (core-internal).
 *
 * A context has a registry: the plugin files found when the context was made, in the order of the
 * search path, and behind them the known backends for which no file was found. The files themselves
 * are loaded and probed once a process, behind one mutex, and are never closed; so two registries
 * share what they have in common, and everything returned here about a plugin lives for ever.
 *
 * Quiet while listing, exact when asked by name. */
#ifndef TRMI_REGISTRY_H
#define TRMI_REGISTRY_H

#include "core/backend.h"

typedef struct trmi_registry trmi_registry;

/* Looks for trireme_NAME.so in the folders of TRIREME_BACKEND_PATH (absolute elements between
 * colons; ignored in a program with raised rights), else in `default_path` (TRM_PLUGIN_DIR). Opens
 * no file. An element that is not absolute becomes an entry with its reason. */
trm_status trmi_registry_create(const char *default_path, trmi_registry **out);
void trmi_registry_destroy(trmi_registry **registry);

/* Loads and probes every candidate; the list belongs to the registry, and each call gives the
 * same. */
trm_status trmi_registry_list(trmi_registry *registry, const trm_backend_info **list,
                              size_t *count);

/* The table of a ready backend. Loads and probes that candidate only. NOT_READY with reason and
 * cure, or NOT_FOUND with the nearest known name. device_count may be NULL. */
trm_status trmi_registry_find(trmi_registry *registry, const char *name,
                              const trm_backend **backend, size_t *device_count);

/* describe, under the registry's lock; out->backend and out->index are filled in. */
trm_status trmi_registry_describe(const trm_backend *backend, size_t index, trm_device_info *out);

/* What every plugin is given: trm_error_record and trmi_log (internal.h). */
const trm_services *trmi_registry_services(void);

#endif
