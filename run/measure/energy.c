/* energy.c - counters before and after a run, or the reason why no counter exists. */
#include "run/measure/energy.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/clock.h"

/* Counters are renewed every so often: NVIDIA's about ten times a second, a package's every
 * millisecond (Intel's Software Developer's Manual, volume 3, "RAPL"). Ten periods or more make an
 * error of a tenth or less. */
static const double least_seconds_gpu = 1.0, least_seconds_host = 0.02;

/* ---- powercap ---------------------------------------------------------------- */

/* The number in a file; 0, with errno, when it cannot be read. */
static int read_number(const char *folder, const char *name, double *out)
{
  char path[192], text[64], *end;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  errno = EINVAL;
  const int is_read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  if (!is_read) return 0;
  *out = strtod(text, &end);
  return end != text;
}

static int is_package(const char *folder)
{
  char path[192], name[64] = "";
  snprintf(path, sizeof path, "%s/name", folder);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  const int is_read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return is_read && strncmp(name, "package", 7) == 0;
}

static void add_zone(energy_meter *meter, const char *folder)
{
  energy_zone *zone = &meter->zones[meter->zone_count];
  double microjoules;
  if (!is_package(folder) || meter->missing[0]) return;
  if (!read_number(folder, "energy_uj", &microjoules) ||
      !read_number(folder, "max_energy_range_uj", &zone->range)) {
    snprintf(meter->missing, sizeof meter->missing, "%s/energy_uj cannot be read: %s%s", folder,
             strerror(errno), errno == EACCES ? "; let root run this, or chmod a+r it" : "");
    return;
  }
  snprintf(zone->path, sizeof zone->path, "%s", folder);
  meter->zone_count++;
}

static void open_packages(energy_meter *meter, const char *powercap)
{
  DIR *listing = opendir(powercap);
  if (!listing) {
    snprintf(meter->missing, sizeof meter->missing, "this system shows no counters of its "
             "packages: %s: %s", powercap, strerror(errno));
    return;
  }
  for (struct dirent *entry; (entry = readdir(listing));) {
    char folder[sizeof meter->zones[0].path];
    /* A zone is "intel-rapl:0". Its parts, "intel-rapl:0:0", are counted in it already;
     * "intel-rapl-mmio:0" is the same counter by another interface. */
    const char *number = strncmp(entry->d_name, "intel-rapl:", 11) == 0 ? entry->d_name + 11 : NULL;
    if (!number || strchr(number, ':') || meter->zone_count == ENERGY_ZONES) continue;
    const int length = snprintf(folder, sizeof folder, "%s/%s", powercap, entry->d_name);
    if (length > 0 && (size_t)length < sizeof folder) add_zone(meter, folder);
  }
  closedir(listing);
  if (meter->zone_count == 0 && !meter->missing[0])
    snprintf(meter->missing, sizeof meter->missing,
             "no package of this processor has a counter in %s", powercap);
  snprintf(meter->source, sizeof meter->source, "powercap, %zu package%s of the processor, memory "
           "not counted", meter->zone_count, meter->zone_count == 1 ? "" : "s");
}

/* Adds what the packages took since the last look. */
static void read_packages(energy_meter *meter, int is_first)
{
  for (size_t i = 0; i < meter->zone_count && !meter->missing[0]; i++) {
    energy_zone *zone = &meter->zones[i];
    double now;
    if (!read_number(zone->path, "energy_uj", &now)) {
      snprintf(meter->missing, sizeof meter->missing,
               "%s/energy_uj could not be read on the way: %s", zone->path, strerror(errno));
      return;
    }
    const double taken = now - zone->last;
    if (!is_first) meter->joules += 1e-6 * (taken < 0 ? taken + zone->range : taken);
    zone->last = now;
  }
}

/* ---- the meter --------------------------------------------------------------- */

/* PoCL and Intel's runtime are OpenCL on the processor; their platforms' names say so. */
static int is_processor(const trm_device_info *device)
{
  return device->is_host || strstr(device->driver, "PoCL") ||
         strstr(device->driver, "Portable Computing Language") || strstr(device->driver, "CPU");
}

void energy_open(energy_meter *meter, const trm_device_info *device, const char *powercap)
{
  *meter = (energy_meter){0};
  if (strcmp(device->backend, "devices") == 0) {
    snprintf(meter->missing, sizeof meter->missing, "several devices share the work");
  } else if (is_processor(device)) {
    open_packages(meter, powercap);
  } else if (strncmp(device->vendor, "NVIDIA", 6) == 0) {
    double joules;
    snprintf(meter->source, sizeof meter->source, "NVML, the whole board");
    meter->gpu = nvml_open(device->pci, device->name, meter->missing, sizeof meter->missing);
    if (meter->gpu)
      (void)nvml_energy(meter->gpu, &joules, meter->missing, sizeof meter->missing);
  } else {
    snprintf(meter->missing, sizeof meter->missing,
             "no counter is known for devices of '%s'", device->vendor);
  }
}

void energy_close(energy_meter *meter)
{
  nvml_close(&meter->gpu);
}

void energy_begin(energy_meter *meter)
{
  if (meter->missing[0] || meter->is_running) return;
  meter->is_running = 1;
  if (meter->gpu)
    (void)nvml_energy(meter->gpu, &meter->begin, meter->missing, sizeof meter->missing);
  else read_packages(meter, 1);
  meter->begin_seconds = clock_now();
}

void energy_update(energy_meter *meter)
{
  if (meter->is_running && !meter->gpu) read_packages(meter, 0);
}

void energy_pause(energy_meter *meter)
{
  double now = 0;
  if (meter->missing[0] || !meter->is_running) return;
  meter->is_running = 0;
  if (!meter->gpu) read_packages(meter, 0);
  else if (nvml_energy(meter->gpu, &now, meter->missing, sizeof meter->missing))
    meter->joules += now - meter->begin;
  meter->seconds += clock_now() - meter->begin_seconds;
}

void energy_end(energy_meter *meter)
{
  const double least = meter->gpu ? least_seconds_gpu : least_seconds_host;
  energy_pause(meter);
  if (meter->missing[0]) return;
  if (meter->seconds <= 0)
    snprintf(meter->missing, sizeof meter->missing, "the run ended with its first batch, which is "
             "not timed; run more steps");
  else if (meter->seconds < least)
    snprintf(meter->missing, sizeof meter->missing, "%.3g s are too short for a counter that is "
             "renewed every %.3g s; run more steps", meter->seconds, 0.1 * least);
  else if (meter->joules <= 0)
    snprintf(meter->missing, sizeof meter->missing, "the counter (%s) stood still for %.3g s",
             meter->source, meter->seconds);
}
