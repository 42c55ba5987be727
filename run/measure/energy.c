/* energy.c - counters before and after a run, or the reason why no counter exists. */
#include "run/measure/energy.h"

#include <stdio.h>
#include <string.h>

#include "run/measure/clock.h"

/* Counters are renewed every so often: NVIDIA's about ten times a second, a package's every
 * millisecond (Intel's Software Developer's Manual, volume 3, "RAPL"). Ten periods or more make an
 * error of a tenth or less. */
static const double least_seconds_gpu = 1.0, least_seconds_host = 0.02;
static const double period_gpu = 0.1, period_host = 0.001;

/* ---- packages ----------------------------------------------------------------- */

static void open_packages(energy_meter *meter, const char *powercap)
{
  meter->zone_count = powercap_find(powercap, "package", meter->zones, meter->missing,
                                    sizeof meter->missing);
  snprintf(meter->source, sizeof meter->source, "powercap, %zu package%s of the processor, memory "
           "not counted", meter->zone_count, meter->zone_count == 1 ? "" : "s");
}

/* Adds what the packages took since the last look. */
static void read_packages(energy_meter *meter, int is_first)
{
  if (!meter->missing[0])
    (void)powercap_take(meter->zones, meter->zone_count, is_first, &meter->joules, meter->missing,
                        sizeof meter->missing);
}

/* ---- the meter --------------------------------------------------------------- */

/* PoCL and Intel's runtime are OpenCL on the processor; their platforms' names say so. */
int is_processor(int is_host, const char *driver)
{
  return is_host || strstr(driver, "PoCL") || strstr(driver, "Portable Computing Language") ||
         strstr(driver, "CPU");
}

void energy_open(energy_meter *meter, const trm_device_info *device, const char *powercap)
{
  *meter = (energy_meter){0};
  if (strcmp(device->backend, "devices") == 0) {
    snprintf(meter->missing, sizeof meter->missing, "several devices share the work");
  } else if (is_processor(device->is_host, device->driver)) {
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
  node_begin(meter->node);
  if (meter->missing[0] || meter->is_running) return;
  meter->is_running = 1;
  if (meter->gpu)
    (void)nvml_energy(meter->gpu, &meter->begin, meter->missing, sizeof meter->missing);
  else read_packages(meter, 1);
  meter->begin_seconds = clock_now();
}

void energy_update(energy_meter *meter)
{
  node_update(meter->node);
  if (meter->is_running && !meter->gpu) read_packages(meter, 0);
}

void energy_pause(energy_meter *meter)
{
  double now = 0;
  node_pause(meter->node);
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
             "renewed every %.3g s; run more steps", meter->seconds,
             meter->gpu ? period_gpu : period_host);
  else if (meter->joules <= 0)
    snprintf(meter->missing, sizeof meter->missing, "the counter (%s) stood still for %.3g s",
             meter->source, meter->seconds);
}
