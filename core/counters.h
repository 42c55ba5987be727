/* counters.h - counts of the commands that a device was given, for programs that explain where the
 * time of a step goes. */
#ifndef TRIREME_COUNTERS_H
#define TRIREME_COUNTERS_H

#include "core/trireme.h"

/* Counts since the device was opened. The commands of a sequence count at each replay. Differences
 * of two tallies say what a step costs beside its work. */
typedef struct trm_counters {
  uint64_t launches, copies, fills;
  uint64_t replayed;       /* of the launches, those of sequences that the backend replays */
  uint64_t writes, reads;  /* transfers between host and device */
  uint64_t copied_bytes, written_bytes, read_bytes;
  uint64_t held_bytes, most_bytes; /* of its buffers: now, and the most that there were at once; of
                                    * several devices, of the one that has the most */
} trm_counters;
TRM_API trm_counters trm_device_counters(const trm_device *device);
/* Of device m of several: the most bytes that its buffers have taken at any time. */
TRM_API uint64_t trm_device_part_bytes(const trm_device *device, size_t m);
/* Of device m of several: why it has memory for whole buffers; NULL where it has it for its own
 * rows, or where a device before it has the same backend and reason. */
TRM_API const char *trm_device_whole(const trm_device *device, size_t m);

#endif
