/* case.h - what is to be run: a solver and the values of its keys, from the command line.
 *
 * `run CASE` reads a folder with case.conf, or a file; `run SOLVER FILES...` gives the files of
 * the solver's own tradition to the solver. */
#ifndef TRIREME_CLI_CASE_H
#define TRIREME_CLI_CASE_H

#include "cli/arguments.h"
#include "cli/run/settings.h"
#include "solvers/solver.h"

typedef struct run_case {
  const trm_solver_type *type;
  trm_config *config;
  run_settings settings;       /* strings belong to config */
  char name[64];               /* of the case, for the results' folder */
} run_case;

/* Checked and complete. Clear it in any case. */
trm_status case_create(const arguments *args, run_case *out);
/* The same with further settings, which come after those of the command line. */
trm_status case_create_with(const arguments *args, const setting *more, size_t count,
                            run_case *out);
void case_clear(run_case *chosen);

/* The solver of that name, built in or a plugin; TRM_ERROR_NOT_FOUND with the nearest, or
 * TRM_ERROR_NOT_READY with what is wrong with the plugin. */
trm_status solver_find(const char *name, const trm_solver_type **out);

#endif
