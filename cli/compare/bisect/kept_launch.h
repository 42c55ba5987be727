/* kept_launch.h - a folder that holds one command of two runs that parted: its parameters,
 * everything that it read, and what it wrote, on both sides; and its repetition on any device.
 *
 *   launch.json     what follows, with names, sizes and checksums of the other files
 *   side-N.conf     the case of each side
 *   side-N-BUFFER-NUMBER.before, .after
 *                   the bytes of its buffers, in the layout of that side
 *
 * A device repeats the command of the side that fits it: a host's kernels need ghost columns, which
 * a GPU's buffers lack; a group kernel counts groups of its own size. */
#ifndef TRIREME_CLI_KEPT_LAUNCH_H
#define TRIREME_CLI_KEPT_LAUNCH_H

#include "cli/arguments.h"
#include "cli/compare/bisect/bisection.h"

enum { KEPT_LAUNCH_FORMAT = 1 };

typedef struct kept_data {
  char name[64];
  char access;
  size_t bytes;
  unsigned char *before, *after; /* malloc'd; after NULL where it is not written */
} kept_data;

typedef struct kept_side {
  char label[192], spec[128];
  run_case chosen;
  trm_device_info device;      /* is_host, ghost_columns */
  char program[64], variant[64], kernel[64];
  int group;
  trm_command command;         /* without handles */
  kept_data buffers[TRM_MAX_BUFFERS];
} kept_side;

/* Which buffers of the two sides are the same one, and how their cells lie. */
typedef struct kept_view {
  size_t buffers[2];
  bisection_view view;
} kept_view;

typedef struct kept_launch {
  char name[64], stage[16];
  uint64_t step;
  kept_side sides[2];
  kept_view views[TRM_MAX_BUFFERS];
  size_t view_count;
} kept_launch;

/* path: the folder, or its launch.json. Clear it in any case. */
trm_status kept_launch_read(const char *path, kept_launch *out);
void kept_launch_clear(kept_launch *kept);

/* The side whose command the device can repeat, not before `from`; 2 when there is none. */
int kept_launch_side(const kept_launch *kept, const trm_device_info *device, int from);

/* Carries the command of a side out on the device and leaves what it wrote in after[i], malloc'd
 * and the caller's, for each buffer that it writes. */
trm_status kept_launch_repeat(const kept_launch *kept, int side, trm_device *device,
                              unsigned char *after[TRM_MAX_BUFFERS]);

/* `trireme compare --replay`: *differs is 1 if a device gives other bytes than the first side. */
trm_status replay_show(const arguments *args, int *differs);

#endif
