/* conditions.h - the conditions of a run: the machine, its other load, the GPU's
 * clocks.
 *
 * Read from files of Linux and from NVIDIA's management library. A number that cannot be read is
 * null in the JSON, never zero, and "unknown" says why. */
#ifndef TRIREME_RUN_CONDITIONS_H
#define TRIREME_RUN_CONDITIONS_H

#include <jansson.h>

#include "run/measure/nvml.h"

/* Root of the system's files: "" for the real one, a folder in a test. */
typedef struct conditions_clock {
  double seconds;              /* on the clock */
  double busy;                 /* processor seconds of all processes since the start; NaN:
                                * unknown */
  double own;                  /* processor seconds of this process */
  double all, stolen;          /* processor seconds in all, and taken by a host (machine.h); NaN:
                                * unknown */
} conditions_clock;

/* Call it before the timed part. */
void conditions_begin(const char *root, conditions_clock *out);

/* The machine, and the load by other processes since `begin`; NULL without memory. */
json_t *conditions_host(const char *root, const conditions_clock *begin);

/* Call it right after the timed part. gpu may be NULL: then `why` gives the reason. */
json_t *conditions_gpu(const nvml *gpu, const char *why);

/* {"compiler", "flags"} of this program, and the command line as an array. */
json_t *conditions_build(void);
json_t *conditions_command(void);

#endif
