/* backend.c - the backends as a kind of plugin: checks of their tables and of the results of a
 * probe. */
#include "core/internal.h"
#include "core/plugins/plugin.h"

#include <string.h>

#define REFUSE TRMI_REFUSE
#define CURE TRMI_CURE

static const trmi_probe_result *result; /* of the probed backend; under the registry's lock */

static const char *part(const char *name)
{
  return result && name ? trmi_probe_process_words(result, name) : NULL;
}

static const trm_services services = {
  TRM_BACKEND_ABI, sizeof(trm_services), trm_error_record, trmi_log, part, 0,
  trmi_host_copy
};

const trm_services *trmi_backend_services(void)
{
  return &services;
}

/* ---- the table ------------------------------------------------------------- */

#define REQUIRED(X) \
  X(probe) X(describe) X(open) X(close) X(finish) \
  X(buffer_create) X(buffer_destroy) X(buffer_write) X(buffer_read) \
  X(program_build) X(program_destroy) X(kernel_get) X(enqueue) \
  X(event_create) X(event_destroy) X(event_record) X(event_elapsed)

static const char *missing_entry(const trm_backend *backend)
{
#define CHECK_ENTRY(entry) if (!backend->entry) return #entry;
  REQUIRED(CHECK_ENTRY)
#undef CHECK_ENTRY
  /* Optional entries come all together or not at all. */
  if (backend->program_binary && !backend->program_load) return "program_load";
  if (backend->program_load && !backend->program_binary) return "program_binary";
  if (backend->sequence_create || backend->sequence_replay || backend->sequence_destroy) {
    if (!backend->sequence_create) return "sequence_create";
    if (!backend->sequence_replay) return "sequence_replay";
    if (!backend->sequence_destroy) return "sequence_destroy";
  }
  if (backend->queue_wait || backend->queue_record || backend->arrive || backend->queue_use) {
    if (!backend->queue_wait) return "queue_wait";
    if (!backend->queue_record) return "queue_record";
    if (!backend->arrive) return "arrive";
    if (!backend->queue_use) return "queue_use";
  }
  if (backend->buffer_reserve || backend->buffer_hold || backend->buffer_drop) {
    if (!backend->buffer_reserve) return "buffer_reserve";
    if (!backend->buffer_hold) return "buffer_hold";
    if (!backend->buffer_drop) return "buffer_drop";
  }
  return NULL;
}

static const trm_backend *ask_for_table(trmi_plugin *plugin, void *address)
{
  trm_backend_entry *entry;
  memcpy(&entry, &address, sizeof entry);
  trm_error_record(TRM_OK, __FILE__, __LINE__, "%s", "");
  const trm_backend *backend = entry(TRM_BACKEND_ABI, trmi_backend_services());
  if (!backend) {
    const char *words = trm_error_last()->text;
    REFUSE(plugin, ABI_MISMATCH, "%s refuses this library%s%s", plugin->file,
           words[0] ? ": " : " without saying why", words);
    CURE(plugin, "%s", TRMI_REBUILD);
    return NULL;
  }
  if (!trmi_plugin_has_size(plugin, backend, sizeof *backend)) return NULL;
  return trmi_plugin_is_whole(plugin, missing_entry(backend), backend->name) ? backend : NULL;
}

/* ---- probe ----------------------------------------------------------------- */

static void probe(trmi_plugin *plugin, const trm_backend *backend)
{
  trm_probe found;
  memset(&found, 0, sizeof found);
  found.state = TRM_BACKEND_STATE_COUNT;
  result = plugin->result;
  backend->probe(&found);
  result = NULL;
  found.reason[sizeof found.reason - 1] = '\0';
  found.cure[sizeof found.cure - 1] = '\0';
  found.version[sizeof found.version - 1] = '\0';
  trmi_say(plugin->version, sizeof plugin->version, "%s", found.version);
  CURE(plugin, "%s", TRMI_REBUILD);
  if ((unsigned)found.state >= (unsigned)TRM_BACKEND_STATE_COUNT) {
    REFUSE(plugin, BROKEN, "the probe of %s left no state", plugin->file);
    return;
  }
  if (found.state == TRM_BACKEND_READY && found.device_count == 0) {
    REFUSE(plugin, BROKEN, "the probe of %s says ready, but names no device", plugin->file);
    return;
  }
  plugin->state = found.state;
  plugin->device_count = found.state == TRM_BACKEND_READY ? found.device_count : 0;
  trmi_say(plugin->reason, sizeof plugin->reason, "%s",
           found.reason[0] || found.state == TRM_BACKEND_READY ? found.reason
                                                                : "the plugin gave no reason");
  CURE(plugin, "%s", found.cure);
  plugin->table = backend;
}

static void accept(trmi_plugin *plugin, void *address)
{
  const trm_backend *backend = ask_for_table(plugin, address);
  if (!backend) return;
  trmi_say(plugin->summary, sizeof plugin->summary, "%s", backend->summary ? backend->summary : "");
  probe(plugin, backend);
}

static const trmi_known known[] = {
  { "openmp",
    "install the plugin (make install), or name its folder in TRIREME_BACKEND_PATH" },
  { "opencl",
    "configure with --with-opencl=yes, build and install again, or name the folder of "
    "trireme_opencl.so in TRIREME_BACKEND_PATH" },
  { "cuda",
    "configure with --with-cuda=yes, build and install again, or name the folder of "
    "trireme_cuda.so in TRIREME_BACKEND_PATH" },
  { NULL, NULL }
};

const trmi_kind trmi_backend_kind = {
  "backend", "trireme_", "trm_backend_", "TRIREME_BACKEND_PATH", TRM_BACKEND_ABI, known, accept,
  0, NULL
};

trm_status trmi_backend_find(trmi_registry *registry, const char *name,
                             const trm_backend **backend, size_t *device_count)
{
  const void *table;
  TRM_TRY(trmi_registry_find(registry, name, &table, device_count));
  *backend = table;
  return TRM_OK;
}
