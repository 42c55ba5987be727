/* environment.h - what must stand in the environment before any plugin is opened. */
#ifndef TRIREME_CLI_ENVIRONMENT_H
#define TRIREME_CLI_ENVIRONMENT_H

#include <stddef.h>

/* libgomp reads its settings when it is loaded, so the program, never the library, sets them: where
 * the user did not, OMP_PLACES=cores, OMP_PROC_BIND=close and a short GOMP_SPINCOUNT. A program
 * that stands in a build tree looks for its plugins there, unless TRIREME_BACKEND_PATH says
 * otherwise. */
void environment_prepare(void);

/* Processors that this process might use when it began; later its first thread is bound to one.
 * 0: the system does not tell. */
int environment_cores(void);

/* What the program and its plugins read, beside the variable of each option that names a key. */
typedef struct environment_variable {
  const char *name, *help;
} environment_variable;

extern const environment_variable environment_variables[];
extern const size_t environment_variable_count;

#endif
