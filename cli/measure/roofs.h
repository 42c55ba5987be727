/* roofs.h - a device's roofs as `trireme bench` measured them, kept in the cache folder for later
 * runs: what a profile's kernels stand beside.
 *
 * One file a device, its driver and compiler, number of threads and version of this program. */
#ifndef TRIREME_CLI_ROOFS_H
#define TRIREME_CLI_ROOFS_H

#include "cli/measure/ceiling.h"

/* Rates are those of the best repetition, times those of the median one. NaN: the device cannot
 * (f64 on one that has none). */
typedef struct device_roofs {
  double copy, triad, read;            /* bytes a second, each read and each written byte counted */
  double fma_f32, fma_f64;              /* operations a second, two to a fused multiply-add */
  double launch_plain, launch_recorded; /* seconds a launch of a tiny kernel */
  double to_device, from_device;        /* bytes a second of a large transfer */
  double transfer;                      /* seconds that a transfer of a few bytes takes */
  char written[32];                     /* when: "2026-11-20T16:30:00Z" */
} device_roofs;

enum { ROOFS_FORMAT = 1, ROOFS_REASON = 512 };

device_roofs roofs_of_ceiling(const ceiling *measured);

/* TRM_ERROR_IO where there is no folder or it cannot be written; *path, malloc'd and the caller's,
 * is the file. */
trm_status roofs_store(const trm_context *context, const trm_device *device,
                       const device_roofs *roofs, char **path);

/* 1 where there is a sound file of this device; else `missing` says why there is none, and what to
 * do: "none stored: run 'trireme bench --on=cuda:0'". A damaged file is named and left aside. */
int roofs_load(const trm_context *context, const trm_device *device, device_roofs *out,
               char missing[ROOFS_REASON]);

#endif
