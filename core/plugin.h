/* plugin.h - one plugin file: loaded, checked and probed once a process (core-internal). */
#ifndef TRMI_PLUGIN_H
#define TRMI_PLUGIN_H

#include "core/backend.h"

typedef struct trmi_plugin {
  struct trmi_plugin *next;
  char *name;                   /* the NAME of trireme_NAME.so */
  char *file;                   /* its real path: what is opened, and what makes it the same file */
  int loaded;                   /* what follows is known, and changes no more */
  const trm_backend *backend;   /* NULL unless the table is sound */
  trm_backend_state state;
  char summary[256], version[128], reason[1024], cure[640];
  size_t device_count;
} trmi_plugin;

/* The process's only entry for a file of that real path and name; NULL: out of memory. It is not
 * opened. Call it and the next one under the registry's lock. */
trmi_plugin *trmi_plugin_get(const char *name, const char *file);

/* Opens, checks and probes the file, the first time only. */
void trmi_plugin_load(trmi_plugin *plugin);

/* snprintf that cuts what does not fit. */
void trmi_say(char *out, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
