/* plugin.h - one plugin file: loaded, checked and asked once a process (core-internal).
 *
 * A kind is a type of plugin: the backends (backend.c) and the solvers from outside
 * (solvers/catalogue.c). The same code searches, opens and refuses plugins of both kinds. */
#ifndef TRMI_PLUGIN_H
#define TRMI_PLUGIN_H

#include <limits.h>

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
  uint32_t abi;                 /* first number of its tables */
  const trmi_known *known;      /* ends with a NULL name */
  /* Judges the table at the symbol: on success it fills in table, state, summary, version and
   * device_count; else state, reason and cure. */
  void (*accept)(trmi_plugin *plugin, void *address);
  int is_table;                 /* 1: the symbol is the table; 0: a function that returns it */
  const char *own;              /* NULL, or the folder of a build tree in which the program's own
                                 * plugins are made: these come first, and no other plugin may have
                                 * their names */
} trmi_kind;

struct trmi_plugin {
  struct trmi_plugin *next;
  const trmi_kind *kind;
  char *name;                   /* the NAME of the file's name */
  char *file;                   /* its real path: the file that is opened. Equal paths are the same
                                 * file */
  const trmi_probe_result *result; /* while it is loaded: result of its probe process */
  int is_own;                   /* belongs to the program: it needs no probe process */
  int loaded;                   /* the members below are known, and change no more */
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

/* Reads the first number of the table `symbol` from a plugin's file, without loading it; 0: the
 * file does not tell. */
int trmi_plugin_abi_in_file(const char *path, const char *symbol, uint32_t *number);

/* Checks for accept; both return 0, with reason and cure, for a table that is refused.
 * trmi_plugin_has_size compares abi, the first number of the table, with this library's, and, if
 * they agree, bytes, the second number, with `expected`. It reads no further. trmi_plugin_is_whole
 * refuses a table with a missing entry (`missing` is its name; NULL: none), or with a name that is
 * not the file's. */
TRM_API int trmi_plugin_has_size(trmi_plugin *plugin, const void *table, size_t expected);
TRM_API int trmi_plugin_is_whole(trmi_plugin *plugin, const char *missing, const char *name);

/* The folder of the running library; "" where it is unknown. Returns 1 for a library in core/.libs
 * of a build tree; the folder is then that of the tree. */
int trmi_library_folder(char folder[PATH_MAX]);
/* The folder of plugins that belong to this library: PART/.libs of a build tree, else the folder of
 * plugins beside an installation that was moved, or the one that was configured. */
void trmi_own_folder(const char *part, char *path, size_t bytes);

/* Nonzero when another user can write to the file or folder, or can replace it. *out says who,
 * where, and the cure. Any other user counts. For root, who may start a program that another user
 * installed, every user but root and the owner of this library counts. */
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
