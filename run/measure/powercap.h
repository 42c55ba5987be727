/* powercap.h - counters of energy that Linux shows as files: of a processor's packages, and of the
 * memory beside each ("intel-rapl", on AMD's too). */
#ifndef TRIREME_RUN_POWERCAP_H
#define TRIREME_RUN_POWERCAP_H

#include <stddef.h>

enum { ENERGY_ZONES = 16 };

/* A file of microjoules that starts again from 0 at `range`. */
typedef struct energy_zone { char path[128]; double range, last; } energy_zone;

/* The zones of a kind, "package" or "dram", in a folder such as /sys/class/powercap. 0, and why:
 * the folder has none, or one cannot be read. */
size_t powercap_find(const char *folder, const char *kind, energy_zone zones[ENERGY_ZONES],
                     char *why, size_t bytes);

/* Adds the joules that they took since the last look; is_first: looks only. 0, and why: one cannot
 * be read. */
int powercap_take(energy_zone *zones, size_t count, int is_first, double *joules, char *why,
                  size_t bytes);

#endif
