/* catalogue.h - the solvers that the program can run: its own, and plugins from outside.
 *
 * A solver plugin is one shared object, solver_NAME.so, that exports its table as
 *
 *     const trm_solver_type trm_solver_NAME;
 *
 * The program's own solvers are such files too, beside its backends. Other plugins are sought in
 * the folders of TRIREME_SOLVER_PATH (absolute, between colons), else in the folder of the
 * installation. They are refused by the same rules and in the same words as backends
 * (core/plugins/registry.h). A plugin cannot take the name of one of the program's own solvers. */
#ifndef TRIREME_CATALOGUE_H
#define TRIREME_CATALOGUE_H

#include "core/plugins/plugin.h"
#include "solvers/solver.h"

typedef struct trm_catalogue trm_catalogue;

/* One solver, or one plugin file that was considered. Belongs to the catalogue. */
typedef struct trm_solver_entry {
  const char *name;
  const char *path;              /* the file; "" where no file was found */
  const trm_solver_type *type;   /* NULL unless it can be run; lives as long as the process */
  trm_backend_state state;       /* TRM_BACKEND_READY, or another state, as for a backend */
  const char *reason, *cure;     /* "" when ready */
} trm_solver_entry;

/* Nonzero for the name of one of the program's own solvers. */
int trm_catalogue_owns(const char *name);

/* Looks for the files, opens none of them. */
trm_status trm_catalogue_create(trm_catalogue **out);
void trm_catalogue_destroy(trm_catalogue **catalogue);

/* The known name nearest to an unknown one, without opening a file; NULL when no name is near. */
const char *trm_catalogue_nearest(const trm_catalogue *catalogue, const char *name);

/* Opens every file, and lists all entries. */
trm_status trm_catalogue_list(trm_catalogue *catalogue, const trm_solver_entry **list,
                              size_t *count);

/* Opens that solver's file only. TRM_ERROR_NOT_FOUND, or TRM_ERROR_NOT_READY with reason and
 * cure. */
trm_status trm_catalogue_find(trm_catalogue *catalogue, const char *name,
                              const trm_solver_type **out);

#endif
