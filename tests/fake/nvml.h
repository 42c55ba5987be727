/* nvml.h - what a test sets in the fake management library (nvml.c). */
#ifndef TRIREME_TESTS_FAKE_NVML_H
#define TRIREME_TESTS_FAKE_NVML_H

typedef struct fake_nvml {
  int init_result, count;
  const char *names[4];
  const char *addresses[4];        /* NULL: at none */
  int energy_result;               /* 0, or 3: not supported */
  unsigned long long millijoules;
  unsigned processes;
  int is_open;                     /* init without shutdown */
} fake_nvml;

#endif
