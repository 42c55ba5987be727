/* tuned.h - the fastest settings found by `trireme tune`, kept in the cache folder for later runs.
 *
 * There is one file for each combination of device, driver and compiler, solver, kernel text,
 * version, precision, arithmetic and size class (the power of two below the number of cells). It
 * holds a JSON object with the values of some keys. All of these keys promise the same bits
 * (TRM_OPTION_SAME_RESULT). A run takes them for keys that have their default. A file that is
 * damaged, or of another kind, is named in a warning and not used. */
#ifndef TRIREME_RUN_TUNED_H
#define TRIREME_RUN_TUNED_H

#include "run/session.h"

enum { TUNED_LIMIT = 16, TUNED_FORMAT = 1, TUNED_LINE = 768 };

typedef struct tuned_value { char key[64], text[64]; } tuned_value;

typedef struct tuned {
  tuned_value values[TUNED_LIMIT];  /* none: the defaults are the fastest settings known */
  size_t count;
  double gain;                      /* speed against the defaults, as measured then */
} tuned;

/* The solver gives the size class. TRM_ERROR_IO where there is no folder or it cannot be written.
 * *path, malloc'd, to be freed by the caller, is the file. */
trm_status tuned_store(const trm_context *context, const trm_device *device,
                       const trm_solver *solver, const trm_solver_options *options,
                       const tuned *found, char **path);

/* 1 where there is a sound file for this run. */
int tuned_load(const trm_context *context, const trm_device *device, const trm_solver *solver,
               const trm_solver_options *options, tuned *out);

/* Sets the keys of the case that are at their default to these values; `line` names the keys, and
 * is "" where no value changed. */
trm_status tuned_apply(const trm_context *context, const tuned *found, run_case *chosen,
                       char line[TUNED_LINE]);

/* Whether the key has its default. */
int tuned_is_free(const run_case *chosen, const char *key);

#endif
