/* nvml.h - facts about a GPU from NVIDIA's management library: energy, clocks, ECC, other processes
 * on it.
 *
 * libnvidia-ml.so.1 comes with the driver and is opened at run time; the build needs no part of it.
 * Types and numbers are those of NVIDIA's "NVML API Reference Guide". */
#ifndef TRIREME_RUN_NVML_H
#define TRIREME_RUN_NVML_H

#include <stddef.h>

typedef struct nvml nvml;

/* The GPU at this PCI address ("0000:17:00.0"). Where that is "", the GPU of this name ("NVIDIA
 * H200"); it is refused if two GPUs have the name, since they cannot be distinguished. Where the
 * library or the GPU is missing: NULL, and why, as a sentence. */
nvml *nvml_open(const char *pci, const char *name, char *why, size_t bytes);
/* The GPU of this number. NULL, and why: the library does not start. NULL alone: the number is
 * beyond the last GPU. */
nvml *nvml_open_at(unsigned index, char *why, size_t bytes);
/* Accepts NULL; clears the handle. */
void nvml_close(nvml **gpu);

/* Joules of the whole board since the driver was loaded. 0, and why: this GPU does not count. */
int nvml_energy(const nvml *gpu, double *joules, char *why, size_t bytes);

/* NaN or -1: the GPU does not tell. */
typedef struct nvml_state {
  double clock_hz, clock_max_hz;   /* of its multiprocessors, now and at most */
  double memory_clock_hz, memory_clock_max_hz;
  double power_limit_watts, temperature_celsius;
  int ecc;                         /* 1: memory is checked and corrected */
  int processes;                   /* processes that compute on it, this one included */
  long long slowed;                /* bits of NVML's clocksThrottleReasons */
} nvml_state;

void nvml_read(const nvml *gpu, nvml_state *out);

/* Names the reasons that slow the clocks, from nvml_state.slowed: "power limit, heat"; "" where no
 * reason is given. */
void nvml_slowed_text(long long slowed, char *text, size_t bytes);

#endif
