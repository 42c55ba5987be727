/* roofs.h - the best speeds of a device, measured on it: the roofs beside every speed.
 *
 * Bandwidths count each byte read and each byte written, as a solver's traffic does. Arrays are
 * larger than the caches of host and GPU, as far as free memory allows. */
#ifndef TRIREME_RUN_ROOFS_H
#define TRIREME_RUN_ROOFS_H

#include "core/trireme.h"
#include "run/measure/statistics.h"

enum { ROOF_SETS = 5 };        /* working sets of 1, 4, 16, 64 and 256 MiB */

/* A sample of count 0 was not measured. */
typedef struct device_roofs {
  size_t copy_bytes;           /* of one array of copies, triad and read */
  size_t nine_bytes;           /* of one lattice of the nine-stream copy */
  size_t transfer_bytes;       /* of one large transfer */
  sample copy_command;         /* bytes a second, by the device's own copy command */
  sample copy_kernel;          /* by a kernel that copies one stream */
  sample triad;                /* by a kernel: a = b + s c */
  sample read;                 /* by a kernel that sums eight rows into one */
  sample nine;                 /* by a kernel that copies nine streams */
  sample within[ROOF_SETS];    /* by a kernel, between two arrays that take 1 << 2 i MiB together:
                                * from caches, as far as these hold them */
  sample fma_f32, fma_f64;     /* operations a second in fused multiply-adds, two each; f64: empty
                                * where the device has none */
  sample launch_plain;         /* seconds a launch of a tiny kernel, one by one */
  sample launch_recorded;      /* the same, replayed from a recorded sequence */
  sample launch_apart;         /* the same without overlap; measured for rows that need it */
  sample to_device, from_device; /* bytes a second of a large transfer */
  sample transfer;             /* seconds of a transfer of four bytes to the host, waited for */
  sample serial;               /* seconds a value that one item sums */
  double here;                 /* bytes a second of copies between two arrays of here_bytes each */
  size_t here_bytes;           /* 0: such copies are too short to time; `here` is then the copy */
  char origin[64];             /* "trireme bench, 2026-11-20T16:30:00Z" */
  char missing[512];           /* why measurements are missing, or which; "" "" */
} device_roofs;

/* The measurements to make; all others stay empty. ROOF_ALL: the measurements that
 * `trireme bench` shows. */
enum {
  ROOF_COPY = 1, ROOF_STREAMS = 2, ROOF_ARITHMETIC = 4, ROOF_LAUNCHES = 8,
  ROOF_TRANSFERS = 16, ROOF_SERIAL = 32, ROOF_CACHES = 64, ROOF_ALL = 31 | ROOF_CACHES
};

/* The better of the two copies: the best repetition, in bytes a second. NaN: not measured. */
double roof_copy(const device_roofs *measured);
/* Copies of a working set of so many bytes, interpolated between those that were measured; `copy`:
 * of arrays larger than the caches. NaN: not measured. */
double roof_copy_of(const device_roofs *measured, double copy, double bytes);
/* Fused multiply-adds: the best repetition, in operations a second. */
double roof_fma(const device_roofs *measured, trm_precision precision);

/* Makes `runs` repetitions of each measurement. ROOF_COPY alone takes about 0.2 s. */
trm_status roof_measure(trm_device *device, unsigned parts, int runs, device_roofs *out);

/* Measures copies and transfers of arrays of so many bytes; copy, launches and transfers must be
 * known. A measurement too short to time stays unchanged. */
void roof_measure_here(trm_device *device, size_t bytes, device_roofs *measured);

/* ---- kept in the cache folder: the roofs for the kernels of a profile (roofs_file.c) --------- */

/* One file for each device, its driver and compiler, number of threads and version of this program:
 * the results of `trireme bench --json` for it. TRM_ERROR_IO where there is no folder or it cannot
 * be written. *path, malloc'd, to be freed by the caller, is the file. */
trm_status roofs_store(const trm_context *context, const trm_device *device,
                       const device_roofs *measured, char **path);

/* The stored results of `trireme bench` for the device, else the run's own copy; NULL: no copy was
 * measured, for the reason why_not. `missing` says which roofs are unknown, and the cure: "none
 * stored: run 'trireme bench --on=cuda:0'". */
device_roofs roofs_find(const trm_context *context, const trm_device *device,
                        trm_precision precision, const device_roofs *measured, const char *why_not);

#endif
