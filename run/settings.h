/* settings.h - the program's own keys of a case: run.* and output.*.
 *
 * A solver brings its own keys; every run has the keys of this file. */
#ifndef TRIREME_RUN_SETTINGS_H
#define TRIREME_RUN_SETTINGS_H

#include "core/trireme.h"
#include "io/config.h"
#include "solvers/solver.h"

/* In the form of a solver's: options and former_keys alone. */
extern const trm_solver_type program_keys;

enum { OUTPUT_PNG = 1, OUTPUT_VTI = 2, OUTPUT_NPY = 4, OUTPUT_COURSE = 8,
       OUTPUT_VTU = 16, OUTPUT_HTG = 32, OUTPUT_VTK = OUTPUT_VTI | OUTPUT_VTU | OUTPUT_HTG };

typedef struct run_settings {
  const char *backend;              /* one device, or several with commas; belongs to the config */
  const char *backend_key;          /* the key that names it: run.backend or run.devices */
  trm_device_options device;
  trm_solver_options solver;
  uint64_t steps, batch;            /* batch 0: automatic */
  double end_time;                  /* in the solver's unit of time; INFINITY: none */
  int roof;                         /* measure the copy roof after the run */
  const char *folder;               /* "" : results/NAME-NNNN */
  unsigned formats;                 /* OUTPUT_xxx */
  const char *fields;               /* "a,b", or "" for all fields that are not raw state */
  const char *colours, *range, *plane; /* of pictures, as the keys have them */
  int grid;                         /* outlines of blocks are drawn */
  const char *rendering;            /* of pictures in three dimensions: a word of the key */
  double from[2];                   /* azimuth and elevation of the viewer, degrees */
  const char *streamlines;          /* their starting points; "": none */
  size_t width;                     /* of a picture's cells, in pixels; 0: automatic */
  const char *movie;                /* field of the frames; "": none */
  uint64_t movie_every;             /* steps from frame to frame */
  uint64_t every;                   /* 0: at the end only */
  double every_time;                /* interval in the solver's time; 0: none */
  double keep_every;                /* seconds between two checkpoints; 0: none, below 0: chosen by
                                     * their cost */
  double mtbf;                      /* seconds between two failures of the machine */
  double seconds;                   /* the run stops after this time; 0: never */
} run_settings;

/* Checks conditions beyond the range of an option (lists, shapes). Strings belong to the config. */
trm_status settings_read(const trm_config *config, run_settings *out);

/* Walks a comma-separated list: copies the next word without blanks to `word`, returns the rest, or
 * NULL when there is no further word. A word longer than the array is cut, and then matches
 * nothing. */
const char *list_next(const char *list, char *word, size_t bytes);

#endif
