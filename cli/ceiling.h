/* ceiling.h - what a device can do at best, measured on it now: the roof beside every speed.
 *
 * Bandwidths count each byte read and each byte written, as a solver's traffic does. Arrays are
 * larger than the caches of host and GPU, as far as free memory allows. */
#ifndef TRIREME_CLI_CEILING_H
#define TRIREME_CLI_CEILING_H

#include "core/trireme.h"
#include "cli/statistics.h"

typedef struct ceiling {
  size_t copy_bytes;           /* of one array of the copies */
  size_t nine_bytes;           /* of one lattice of the nine-stream copy */
  sample copy_command;         /* bytes a second, by the device's own copy command */
  sample copy_kernel;          /* by a kernel that copies one stream */
  sample nine;                 /* by a kernel that copies nine streams */
  sample launch_plain;         /* seconds a launch of a tiny kernel, one by one */
  sample launch_recorded;      /* the same, replayed from a recorded sequence */
} ceiling;

/* The better of the two copies: its best repetition, in bytes a second. */
double ceiling_copy(const ceiling *measured);

/* The two copies only, `runs` repetitions each: takes about 0.2 s. */
trm_status ceiling_measure_copy(trm_device *device, int runs, ceiling *out);
/* All of it. */
trm_status ceiling_measure(trm_device *device, int runs, ceiling *out);

#endif
