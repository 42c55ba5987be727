/* energy.h - the energy that a device took for the timed steps of a run.
 *
 * A GPU of NVIDIA counts the joules of its whole board (nvml.h). A processor counts the joules of
 * its packages; Linux shows the counters as files (powercap, "intel-rapl", on AMD's too). Both
 * include the idle power of the device. Where no counter exists, the reason is kept, and there is
 * no number. */
#ifndef TRIREME_RUN_ENERGY_H
#define TRIREME_RUN_ENERGY_H

#include "run/measure/node.h"
#include "core/trireme.h"

typedef struct energy_meter {
  double joules, seconds;      /* of the timed steps, once energy_end was called */
  char source[160];            /* the counter: "NVML, the whole board" */
  char missing[400];           /* why there is no number; "" where there is */
  nvml *gpu;
  double begin, begin_seconds; /* value of the GPU's counter; time on the clock; both since the last
                                * begin */
  energy_zone zones[ENERGY_ZONES];
  size_t zone_count;
  int is_running;
  node_meter *node;            /* the whole machine, metered over the same steps; NULL: it is not */
} energy_meter;

/* Whether a device is the processor; OpenCL may open it, as no host of ours. */
int is_processor(int is_host, const char *driver);
/* Finds the counters of this device. powercap: "/sys/class/powercap". Close it in any case. */
void energy_open(energy_meter *meter, const trm_device_info *device, const char *powercap);
void energy_close(energy_meter *meter);

/* The measurement runs from the first to the last timed step, except between a pause and the next
 * begin. Update at least once a minute, since a package's counter starts again from 0 after some
 * minutes of full load. An update reads a few files, or nothing on a GPU. */
void energy_begin(energy_meter *meter);
void energy_update(energy_meter *meter);
void energy_pause(energy_meter *meter);
/* Pauses. If too little was counted to give a number, `missing` says so. */
void energy_end(energy_meter *meter);

#endif
