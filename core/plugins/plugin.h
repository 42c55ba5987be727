/* plugin.h - one plugin file: loaded, checked and asked once a process (core-internal).
 *
 * What a plugin may be is a kind: the backends (backend.c) and the solvers from outside
 * (solvers/catalogue.c). Both are sought, opened and refused by the same code. */
#ifndef TRMI_PLUGIN_H
#define TRMI_PLUGIN_H

#include "core/trireme.h"

#include "core/plugins/probe_process.h"

typedef struct trmi_plugin trmi_plugin;

/* A name that has an entry even where no file is found, and the cure for that. */
typedef struct trmi_known {
  const char *name;
  const char *cure;
} trmi_known;

typedef struct trmi_kind {
  const char *noun;             /* "backend": for messages, and `trireme backends` lists them */
  const char *prefix;           /* files are PREFIX NAME .so */
  const char *symbol;           /* and export SYMBOL NAME */
  const char *variable;         /* of the environment: the folders to search */
  uint32_t abi;                 /* what its tables begin with */
  const trmi_known *known;      /* ends with a NULL name */
  /* Judges what the symbol names: on success fills table, state, summary, version, device_count;
   * else state, reason and cure. */
  void (*accept)(trmi_plugin *plugin, void *address);
  const char *own;              /* NULL, or the folder of a build tree in which the program's own
                                 * plugins are made: these come first, and their names are taken */
} trmi_kind;

struct trmi_plugin {
  struct trmi_plugin *next;
  const trmi_kind *kind;
  char *name;                   /* the NAME of the file's name */
  char *file;                   /* its real path: what is opened, and what makes it the same file */
  const trmi_probe_result *result; /* while it is loaded: how a process of its own fared with it */
  int is_own;                   /* belongs to the program: it needs no probe process */
  int loaded;                   /* what follows is known, and changes no more */
  const void *table;            /* NULL unless it is sound */
  trm_backend_state state;
  char summary[256], version[128], reason[1024], cure[640];
  size_t device_count;
};

/* The process's only entry for a file of that kind, name and real path; NULL: out of memory. It is
 * not opened. Call it and the next one under the registry's lock. */
trmi_plugin *trmi_plugin_get(const trmi_kind *kind, const char *name, const char *file);

/* Opens, checks and asks the file, the first time only. */
void trmi_plugin_load(trmi_plugin *plugin);

/* For accept: 0 with reason and cure when the table, which begins with the numbers abi and bytes,
 * has another one of either than this library's (nothing behind them is touched before, and the
 * second only where the first is ours), and when an entry is missing (NULL: none) or the table's
 * own name is not the file's. */
TRM_API int trmi_plugin_has_size(trmi_plugin *plugin, const void *table, size_t expected);
TRM_API int trmi_plugin_is_whole(trmi_plugin *plugin, const char *missing, const char *name);

/* The folder of what belongs to this library: PART/.libs of a build tree, else the folder of
 * plugins beside an installation that was moved, or the one that was configured. */
void trmi_own_folder(const char *part, char *path, size_t bytes);

/* Nonzero when others can write to the file or folder, or can put another in its place: *out says
 * who, where, and the cure. Everybody is an other; to root, who may start what somebody else
 * installed, so is each user but root and whoever this library belongs to. */
typedef struct trmi_open {
  char who[32], where[640], cure[640];
} trmi_open;
int trmi_is_open(const char *path, trmi_open *out);
#define TRMI_NOT_TRUSTED "%s is not trusted: %s can write to %s"   /* file, who, where */

/* snprintf that cuts what does not fit. */
TRM_API void trmi_say(char *out, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define TRMI_REBUILD \
  "build it again with the headers of this version and install it (make clean; make; make install)"
#define TRMI_REFUSE(plugin, code, ...) \
  do { \
    (plugin)->state = TRM_BACKEND_##code; \
    trmi_say((plugin)->reason, sizeof (plugin)->reason, __VA_ARGS__); \
  } while (0)
#define TRMI_CURE(plugin, ...) trmi_say((plugin)->cure, sizeof (plugin)->cure, __VA_ARGS__)

#endif
