/* nvml.c - libnvidia-ml, opened at run time.
 *
 * Declarations after NVIDIA's NVML API Reference Guide: functions return 0 for success, energies
 * are in millijoules, clocks in MHz, powers in milliwatts. A function that an old library lacks is
 * NULL. */
#include "run/measure/nvml.h"
#include "run/text/text.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvmlDevice_st *nvmlDevice_t;
enum { NVML_SUCCESS = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2,
       NVML_TEMPERATURE_GPU = 0 };

/* member, symbol, arguments */
#define NVML_FUNCTIONS(X) \
  X(init, nvmlInit_v2, (void)) \
  X(shutdown, nvmlShutdown, (void)) \
  X(count, nvmlDeviceGetCount_v2, (unsigned *)) \
  X(by_index, nvmlDeviceGetHandleByIndex_v2, (unsigned, nvmlDevice_t *)) \
  X(by_address, nvmlDeviceGetHandleByPciBusId_v2, (const char *, nvmlDevice_t *)) \
  X(name, nvmlDeviceGetName, (nvmlDevice_t, char *, unsigned)) \
  X(energy, nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t, unsigned long long *)) \
  X(clock, nvmlDeviceGetClockInfo, (nvmlDevice_t, int, unsigned *)) \
  X(clock_max, nvmlDeviceGetMaxClockInfo, (nvmlDevice_t, int, unsigned *)) \
  X(ecc, nvmlDeviceGetEccMode, (nvmlDevice_t, int *, int *)) \
  X(power_limit, nvmlDeviceGetEnforcedPowerLimit, (nvmlDevice_t, unsigned *)) \
  X(temperature, nvmlDeviceGetTemperature, (nvmlDevice_t, int, unsigned *)) \
  X(slowed, nvmlDeviceGetCurrentClocksThrottleReasons, (nvmlDevice_t, unsigned long long *)) \
  X(processes, nvmlDeviceGetComputeRunningProcesses_v3, (nvmlDevice_t, unsigned *, void *))

struct nvml {
  void *library;
  int is_initialised;
  nvmlDevice_t device;
  const char *(*error_text)(int);
#define NVML_MEMBER(member, symbol, arguments) int (*member) arguments;
  NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

static void load(nvml *gpu)
{
  void *address = dlsym(gpu->library, "nvmlErrorString");
  memcpy(&gpu->error_text, &address, sizeof address);
#define NVML_LOAD(member, symbol, arguments) \
  address = dlsym(gpu->library, #symbol); \
  memcpy(&gpu->member, &address, sizeof address);
  NVML_FUNCTIONS(NVML_LOAD)
#undef NVML_LOAD
}

static const char *words(const nvml *gpu, int code)
{
  return gpu->error_text ? gpu->error_text(code) : "an error without words";
}

static int find_by_address(nvml *gpu, const char *pci, char *why, size_t bytes)
{
  const int code = gpu->by_address(pci, &gpu->device);
  if (code != NVML_SUCCESS) snprintf(why, bytes, "NVIDIA's management library says of the GPU at "
                                     "%s: %s", pci, words(gpu, code));
  return code == NVML_SUCCESS;
}

/* Finds the one GPU of that name; what is wrong goes to `why`. */
static int find_by_name(nvml *gpu, const char *wanted, char *why, size_t bytes)
{
  unsigned count = 0, matches = 0;
  char name[128];
  int code = gpu->count(&count);
  for (unsigned i = 0; i < count && code == NVML_SUCCESS; i++) {
    nvmlDevice_t device;
    if (gpu->by_index(i, &device) != NVML_SUCCESS) continue; /* one that is lost hides no other */
    code = gpu->name(device, name, sizeof name);
    if (code != NVML_SUCCESS || strcmp(name, wanted) != 0) continue;
    gpu->device = device;
    matches++;
  }
  if (code != NVML_SUCCESS) snprintf(why, bytes, "NVIDIA's management library says: %s",
                                     words(gpu, code));
  else if (matches == 0)
    snprintf(why, bytes, "NVIDIA's management library knows no '%s'", wanted);
  else if (matches > 1)
    snprintf(why, bytes, "%u GPUs of this machine are called '%s', and their counters cannot be "
             "told apart; let the run see only one (CUDA_VISIBLE_DEVICES)", matches, wanted);
  return code == NVML_SUCCESS && matches == 1;
}

static int start(nvml *gpu, char *why, size_t bytes)
{
  load(gpu);
  if (!gpu->init || !gpu->shutdown || !gpu->count || !gpu->by_index || !gpu->name) {
    snprintf(why, bytes, "libnvidia-ml.so.1 is too old: it lacks nvmlInit_v2 or its like");
    return 0;
  }
  const int code = gpu->init();
  gpu->is_initialised = code == NVML_SUCCESS;
  if (!gpu->is_initialised)
    snprintf(why, bytes, "NVIDIA's management library does not start: %s", words(gpu, code));
  return gpu->is_initialised;
}

/* The library, started, without a GPU. */
static nvml *open_library(char *why, size_t bytes)
{
  nvml *gpu = calloc(1, sizeof *gpu);
  if (!gpu) {
    snprintf(why, bytes, "no memory");
    return NULL;
  }
  gpu->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!gpu->library)
    snprintf(why, bytes, "libnvidia-ml.so.1, which comes with NVIDIA's driver, cannot be opened: "
                         "%s",
             dlerror());
  else if (start(gpu, why, bytes)) return gpu;
  nvml_close(&gpu);
  return NULL;
}

nvml *nvml_open(const char *pci, const char *name, char *why, size_t bytes)
{
  nvml *gpu = open_library(why, bytes);
  if (gpu && !(*pci && gpu->by_address ? find_by_address(gpu, pci, why, bytes)
                                       : find_by_name(gpu, name, why, bytes)))
    nvml_close(&gpu);
  return gpu;
}

nvml *nvml_open_at(unsigned index, char *why, size_t bytes)
{
  unsigned count = 0;
  nvml *gpu = open_library(why, bytes);
  if (!gpu) return NULL;
  int code = gpu->count(&count);
  if (code == NVML_SUCCESS && index < count) code = gpu->by_index(index, &gpu->device);
  if (code != NVML_SUCCESS)
    snprintf(why, bytes, "NVIDIA's management library says: %s", words(gpu, code));
  if (code != NVML_SUCCESS || index >= count) nvml_close(&gpu);
  return gpu;
}

void nvml_close(nvml **gpu)
{
  if (!*gpu) return;
  if ((*gpu)->is_initialised) (void)(*gpu)->shutdown();
  if ((*gpu)->library) dlclose((*gpu)->library);
  free(*gpu);
  *gpu = NULL;
}

int nvml_energy(const nvml *gpu, double *joules, char *why, size_t bytes)
{
  unsigned long long millijoules = 0;
  if (!gpu->energy) {
    snprintf(why, bytes, "libnvidia-ml.so.1 is too old to count energy");
    return 0;
  }
  const int code = gpu->energy(gpu->device, &millijoules);
  if (code != NVML_SUCCESS) {
    snprintf(why, bytes, "the GPU counts no energy: %s", words(gpu, code));
    return 0;
  }
  *joules = 1e-3 * (double)millijoules;
  return 1;
}

/* A clock in Hz, NaN where it is not told. */
static double clock_of(const nvml *gpu, int (*ask)(nvmlDevice_t, int, unsigned *), int which)
{
  unsigned megahertz = 0;
  return ask && ask(gpu->device, which, &megahertz) == NVML_SUCCESS ? 1e6 * megahertz : (double)NAN;
}

void nvml_read(const nvml *gpu, nvml_state *out)
{
  unsigned value = 0;
  unsigned long long bits = 0;
  int now = 0, later = 0;
  *out = (nvml_state){.power_limit_watts = NAN, .temperature_celsius = NAN, .ecc = -1,
                      .processes = -1, .slowed = -1};
  out->clock_hz = clock_of(gpu, gpu->clock, NVML_CLOCK_SM);
  out->clock_max_hz = clock_of(gpu, gpu->clock_max, NVML_CLOCK_SM);
  out->memory_clock_hz = clock_of(gpu, gpu->clock, NVML_CLOCK_MEM);
  out->memory_clock_max_hz = clock_of(gpu, gpu->clock_max, NVML_CLOCK_MEM);
  if (gpu->ecc && gpu->ecc(gpu->device, &now, &later) == NVML_SUCCESS) out->ecc = now != 0;
  if (gpu->power_limit && gpu->power_limit(gpu->device, &value) == NVML_SUCCESS)
    out->power_limit_watts = 1e-3 * value;
  if (gpu->temperature &&
      gpu->temperature(gpu->device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
    out->temperature_celsius = value;
  if (gpu->slowed && gpu->slowed(gpu->device, &bits) == NVML_SUCCESS) out->slowed = (long long)bits;
  value = 0; /* asks for the number of processes only */
  const int code = gpu->processes ? gpu->processes(gpu->device, &value, NULL) : -1;
  if (code == NVML_SUCCESS || code == NVML_ERROR_INSUFFICIENT_SIZE) out->processes = (int)value;
}

void nvml_slowed_text(long long slowed, char *text, size_t bytes)
{
  /* idle (1), the applications' own setting (2) and the display's (0x100) slow nothing down here */
  static const struct { long long bit; const char *name; } reasons[] = {
    {0x4, "power limit"}, {0x8, "hardware slowdown"}, {0x10, "boost shared with other GPUs"},
    {0x20, "heat"}, {0x40, "heat (hardware)"}, {0x80, "power brake"},
  };
  text[0] = 0;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons && slowed > 0; i++)
    if (slowed & reasons[i].bit)
      text_append(text, bytes, "%s%s", *text ? ", " : "", reasons[i].name);
}
