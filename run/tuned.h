/* tuned.h - what `trireme tune` found to be fastest, kept in the cache folder for later runs.
 *
 * One file a device, its driver and compiler, solver, kernel text, version, precision, arithmetic
 * and size class (the power of two below the number of cells): a JSON object with the values of
 * some keys, all of which promise the same bits (TRM_OPTION_SAME_RESULT). A run takes them for keys
 * that are left at their default. A file that is damaged, or of another kind, is named and left
 * aside. */
#ifndef TRIREME_CLI_TUNED_H
#define TRIREME_CLI_TUNED_H

#include "run/session.h"

enum { TUNED_LIMIT = 16, TUNED_FORMAT = 1, TUNED_LINE = 768 };

typedef struct tuned_value { char key[64], text[64]; } tuned_value;

typedef struct tuned {
  tuned_value values[TUNED_LIMIT];  /* none: the defaults are the fastest known */
  size_t count;
  double gain;                      /* speed against the defaults, as measured then */
} tuned;

/* The solver tells its size. TRM_ERROR_IO where there is no folder or it cannot be written; *path,
 * malloc'd and the caller's, is the file. */
trm_status tuned_store(const trm_context *context, const trm_device *device,
                       const trm_solver *solver, const trm_solver_options *options,
                       const tuned *found, char **path);

/* 1 where there is a sound file for this run. */
int tuned_load(const trm_context *context, const trm_device *device, const trm_solver *solver,
               const trm_solver_options *options, tuned *out);

/* Takes the values over into the keys of the case that are at their default; `line` says which, and
 * is "" where none of them was another before. */
trm_status tuned_apply(const trm_context *context, const tuned *found, run_case *chosen,
                       char line[TUNED_LINE]);

/* Whether the key has its default. */
int tuned_is_free(const run_case *chosen, const char *key);

#endif
