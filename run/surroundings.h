/* surroundings.h - state of the process at its start: cores, and variables of the environment that
 * concern a run. */
#ifndef TRIREME_RUN_SURROUNDINGS_H
#define TRIREME_RUN_SURROUNDINGS_H

#include <stddef.h>

#include "core/trireme.h"

/* Call it before the first device is opened, since that binds the calling thread to one core. Later
 * calls change nothing. */
void surroundings_record(void);
/* Processors that the process was allowed to use then; 0: the system does not tell. */
int surroundings_cores(void);

/* Keeps the process, before the first device is opened, to so many cores: one thread of each, of
 * the processors that it may use. TRM_ERROR_INPUT where there are fewer. */
trm_status surroundings_limit(int cores);
int surroundings_limited(void); /* to so many; 0: it was not asked for */

/* Chooses among `count` processors by their numbers, one thread of each core: at most `wanted`.
 * root: of the system's files, "" for the real one. Returns how many were chosen. */
size_t surroundings_choose(const char *root, const int *processors, size_t count, size_t wanted,
                           int *chosen);

/* Variables that the program, the library and the plugins read, beside the variable of each option
 * that names a key. */
typedef struct environment_variable {
  const char *name, *help;
} environment_variable;

extern const environment_variable environment_variables[];
extern const size_t environment_variable_count;

#endif
