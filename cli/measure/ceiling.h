/* ceiling.h - what a device can do at best, measured on it now: the roofs beside every speed.
 *
 * Bandwidths count each byte read and each byte written, as a solver's traffic does. Arrays are
 * larger than the caches of host and GPU, as far as free memory allows. */
#ifndef TRIREME_CLI_CEILING_H
#define TRIREME_CLI_CEILING_H

#include "core/trireme.h"
#include "cli/measure/statistics.h"

typedef struct ceiling {
  size_t copy_bytes;           /* of one array of copies, triad and read */
  size_t nine_bytes;           /* of one lattice of the nine-stream copy */
  size_t transfer_bytes;       /* of one large transfer */
  sample copy_command;         /* bytes a second, by the device's own copy command */
  sample copy_kernel;          /* by a kernel that copies one stream */
  sample triad;                /* by a kernel: a = b + s c */
  sample read;                 /* by a kernel that sums eight rows into one */
  sample nine;                 /* by a kernel that copies nine streams */
  sample fma_f32, fma_f64;     /* operations a second in fused multiply-adds, two each; f64: empty
                                * where the device has none */
  sample launch_plain;         /* seconds a launch of a tiny kernel, one by one */
  sample launch_recorded;      /* the same, replayed from a recorded sequence */
  sample to_device, from_device; /* bytes a second of a large transfer */
  sample transfer;             /* seconds of a transfer of four bytes to the host, waited for */
} ceiling;

/* What to measure; all others stay empty. */
enum {
  CEILING_COPY = 1, CEILING_STREAMS = 2, CEILING_ARITHMETIC = 4, CEILING_LAUNCHES = 8,
  CEILING_TRANSFERS = 16, CEILING_ALL = 31
};

/* The better of the two copies: its best repetition, in bytes a second. */
double ceiling_copy(const ceiling *measured);

/* `runs` repetitions each. CEILING_COPY alone takes about 0.2 s. */
trm_status ceiling_measure(trm_device *device, unsigned parts, int runs, ceiling *out);

/* Seconds of a transfer of `bytes` to the device, or from it, waited for: `runs` repetitions of
 * `times` each, after one that warms up. */
typedef enum ceiling_way { TO_DEVICE, FROM_DEVICE } ceiling_way;
trm_status ceiling_transfer(trm_buffer *buffer, trm_device *device, ceiling_way way, size_t bytes,
                            void *host, int times, int runs, sample *seconds);

#endif
