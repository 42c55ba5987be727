/* surroundings.h - state of the process at its start: cores, and variables of the environment that
 * concern a run. */
#ifndef TRIREME_RUN_SURROUNDINGS_H
#define TRIREME_RUN_SURROUNDINGS_H

#include <stddef.h>

/* Call it before the first device is opened, since that binds the calling thread to one core. Later
 * calls change nothing. */
void surroundings_record(void);
/* Processors that the process was allowed to use then; 0: the system does not tell. */
int surroundings_cores(void);

/* Variables that the program, the library and the plugins read, beside the variable of each option
 * that names a key. */
typedef struct environment_variable {
  const char *name, *help;
} environment_variable;

extern const environment_variable environment_variables[];
extern const size_t environment_variable_count;

#endif
