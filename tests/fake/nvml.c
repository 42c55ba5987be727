/* nvml.c - libnvidia-ml.so.1 without a GPU: the functions that the program asks for, and a state
 * that the test sets. A device's handle is the address of its name. */
#include "tests/fake/nvml.h"

#include <stdio.h>
#include <string.h>

#define FAKE_API __attribute__((visibility("default")))

enum { INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

FAKE_API fake_nvml fake_nvml_state;
#define state fake_nvml_state

FAKE_API int nvmlInit_v2(void);
FAKE_API int nvmlShutdown(void);
FAKE_API const char *nvmlErrorString(int code);
FAKE_API int nvmlDeviceGetCount_v2(unsigned *count);
FAKE_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, const char ***device);
FAKE_API int nvmlDeviceGetHandleByPciBusId_v2(const char *address, const char ***device);
FAKE_API int nvmlDeviceGetName(const char **device, char *name, unsigned bytes);
FAKE_API int nvmlDeviceGetTotalEnergyConsumption(const char **device, unsigned long long *out);
FAKE_API int nvmlDeviceGetClockInfo(const char **device, int which, unsigned *out);
FAKE_API int nvmlDeviceGetMaxClockInfo(const char **device, int which, unsigned *out);
FAKE_API int nvmlDeviceGetEccMode(const char **device, int *now, int *later);
FAKE_API int nvmlDeviceGetTemperature(const char **device, int which, unsigned *out);
FAKE_API int nvmlDeviceGetCurrentClocksThrottleReasons(const char **device,
                                                       unsigned long long *out);
FAKE_API int nvmlDeviceGetComputeRunningProcesses_v3(const char **device, unsigned *count,
                                                     void *list);

int nvmlInit_v2(void)
{
  state.is_open += state.init_result == 0;
  return state.init_result;
}

int nvmlShutdown(void)
{
  state.is_open--;
  return 0;
}

const char *nvmlErrorString(int code)
{
  return code == 9 ? "Driver Not Loaded" : code == NOT_SUPPORTED ? "Not Supported"
         : code == NOT_FOUND ? "Not Found" : "Error";
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
  *count = (unsigned)state.count;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const char ***device)
{
  if (index >= (unsigned)state.count) return INVALID;
  *device = &state.names[index];
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, const char ***device)
{
  for (int i = 0; i < state.count; i++)
    if (state.addresses[i] && strcmp(state.addresses[i], address) == 0) {
      *device = &state.names[i];
      return 0;
    }
  return NOT_FOUND;
}

int nvmlDeviceGetName(const char **device, char *name, unsigned bytes)
{
  snprintf(name, bytes, "%s", *device);
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(const char **device, unsigned long long *out)
{
  if (!*device || state.energy_result != 0) return state.energy_result;
  *out = state.millijoules;
  return 0;
}

int nvmlDeviceGetClockInfo(const char **device, int which, unsigned *out)
{
  if (!*device) return INVALID;
  *out = which == 2 ? 3201 : 1755;
  return 0;
}

int nvmlDeviceGetMaxClockInfo(const char **device, int which, unsigned *out)
{
  if (!*device) return INVALID;
  *out = which == 2 ? 3201 : 1980;
  return 0;
}

int nvmlDeviceGetEccMode(const char **device, int *now, int *later)
{
  *now = *later = *device != NULL;
  return 0;
}

int nvmlDeviceGetTemperature(const char **device, int which, unsigned *out)
{
  if (!*device || which != 0) return INVALID;
  *out = 41;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(const char **device, unsigned long long *out)
{
  *out = *device ? 0x24 : 0; /* power limit, heat */
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const char **device, unsigned *count, void *list)
{
  const unsigned room = *count;
  if (!*device) return INVALID;
  *count = state.processes;
  return list && room >= state.processes ? 0 : INSUFFICIENT_SIZE;
}
