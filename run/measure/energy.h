/* energy.h - the energy that a device took for the timed steps of a run.
 *
 * A GPU of NVIDIA counts the joules of its whole board (nvml.h). A processor counts those of its
 * packages, which Linux shows as files (powercap, "intel-rapl", on AMD's too). Both include what
 * the device takes when idle. Where nothing counts, the reason is kept, and there is no number. */
#ifndef TRIREME_CLI_ENERGY_H
#define TRIREME_CLI_ENERGY_H

#include "run/measure/nvml.h"
#include "core/trireme.h"

enum { ENERGY_ZONES = 16 };

/* A counter of one package: a file of microjoules that begins again at `range`. */
typedef struct energy_zone { char path[128]; double range, last; } energy_zone;

typedef struct energy_meter {
  double joules, seconds;      /* of the timed steps, once energy_end was called */
  char source[160];            /* what counted: "NVML, the whole board" */
  char missing[400];           /* why there is no number; "" where there is */
  nvml *gpu;
  double begin, begin_seconds; /* of the GPU's counter; of the clock, since the last begin */
  energy_zone zones[ENERGY_ZONES];
  size_t zone_count;
  int is_running;
} energy_meter;

/* Finds what counts for this device. powercap: "/sys/class/powercap". Close it in any case. */
void energy_open(energy_meter *meter, const trm_device_info *device, const char *powercap);
void energy_close(energy_meter *meter);

/* From the first to the last timed step, but for the time between a pause and the next begin.
 * Update at least once a minute, since a package's counter begins again after some minutes of full
 * load. Reads a few files, or nothing on a GPU. */
void energy_begin(energy_meter *meter);
void energy_update(energy_meter *meter);
void energy_pause(energy_meter *meter);
/* Pauses, and says in `missing` where what was counted is too little to be a number. */
void energy_end(energy_meter *meter);

#endif
