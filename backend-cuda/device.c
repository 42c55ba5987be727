/* device.c - opening and closing a GPU, waiting for it, its events and its errors. */
#include "config.h"

#include "backend-cuda/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---------------------------------------------------------------- */

/* Errors after which a context answers every call with the same error. */
static int is_final(cu_result result)
{
  switch (result) {
  case CU_ECC_UNCORRECTABLE: case CU_NVLINK_UNCORRECTABLE: case CU_ILLEGAL_ADDRESS:
  case CU_LAUNCH_TIMEOUT: case CU_CONTEXT_IS_DESTROYED: case CU_ASSERT:
  case CU_HARDWARE_STACK_ERROR: case CU_ILLEGAL_INSTRUCTION: case CU_MISALIGNED_ADDRESS:
  case CU_INVALID_ADDRESS_SPACE: case CU_INVALID_PC: case CU_LAUNCH_FAILED:
  case CU_NO_DEVICE: case CU_UNKNOWN:
    return 1;
  default:
    return 0;
  }
}

static const char *cure_of(cu_result result)
{
  switch (result) {
  case CU_ECC_UNCORRECTABLE: case CU_NVLINK_UNCORRECTABLE:
    return "the hardware failed: see nvidia-smi -q and the kernel's log";
  case CU_LAUNCH_TIMEOUT:
    return "a kernel ran longer than the display's watchdog allows: use a GPU without a display";
  case CU_CONTEXT_IS_DESTROYED:
    return "something else in this process reset the device";
  case CU_NO_DEVICE: case CU_UNKNOWN:
    return "the driver gave the device up: see nvidia-smi and the kernel's log (dmesg)";
  case CU_OUT_OF_MEMORY:
    return "; nvidia-smi shows who holds its memory: free some, or use another device";
  case CU_DEVICE_UNAVAILABLE:
    return "; another process has the device to itself: wait for it, or use another device";
  case CU_LAUNCH_OUT_OF_RESOURCES:
    return "; a group needs more registers than there are: give a smaller one (--group)";
  default:
    return "a kernel went wrong, most likely outside its buffers: run the case on openmp with "
           "the sanitizers to find where";
  }
}

trm_status cuda_error(cuda_gpu *gpu, cu_result result, const char *function, const char *file,
                      int line)
{
  char text[256];
  cuda_result_text(result, text, sizeof text);
  if (gpu && is_final(result)) {
    snprintf(gpu->lost, sizeof gpu->lost, "%s reported %s; %s", function, text, cure_of(result));
    return cuda_services->fail(TRM_ERROR_DEVICE, file, line,
                               "%s: %s. The device is lost to this process: start the program "
                               "again",
                               gpu->label, gpu->lost);
  }
  const int is_known = result == CU_OUT_OF_MEMORY || result == CU_DEVICE_UNAVAILABLE ||
                       result == CU_LAUNCH_OUT_OF_RESOURCES;
  return cuda_services->fail(result == CU_OUT_OF_MEMORY ? TRM_ERROR_NO_DEVICE_MEMORY
                                                        : TRM_ERROR_DEVICE,
                             file, line, "%s: %s reported %s%s", gpu ? gpu->label : "cuda",
                             function, text, is_known ? cure_of(result) : "");
}

trm_status cuda_enter(cuda_gpu *gpu)
{
  if (gpu->lost[0])
    return CUDA_FAIL(DEVICE, "%s was lost earlier: %s. Start the program again", gpu->label,
                     gpu->lost);
  CU_TRY(gpu, cuCtxSetCurrent, (gpu->context));
  return TRM_OK;
}

/* ---- open and close --------------------------------------------------------- */

/* Reads a whole number from the environment; the default where it is unset. */
static trm_status setting(const char *name, long least, long most, long fallback, long *out)
{
  const char *text = getenv(name);
  char *end;
  if (!text || !*text) {
    *out = fallback;
    return TRM_OK;
  }
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (errno || *end || value < least || value > most)
    return CUDA_FAIL(INVALID, "%s=%s: a whole number from %ld to %ld is needed", name, text, least,
                     most);
  *out = value;
  return TRM_OK;
}

/* Programmatic dependent launch lets the blocks of a kernel start on the multiprocessors while the
 * kernel before it drains; `griddepcontrol.wait`, with which the dialect begins every kernel from
 * sm_90 on, then waits until that one is complete and its memory visible. Code made for less has no
 * such instruction, and older drivers capture no such edge. */
static trm_status resolve_replay(cuda_gpu *gpu, int no_overlap)
{
  long overlap, nodes;
  const int able = gpu->capability >= 90 && gpu->target.arch >= 90 &&
                   cuda_found.driver_version >= TRM_CUDA_PROGRAMMATIC_GRAPHS;
  const char *key = gpu->read_only_loads ? "run.loads=read-only" : "run.overlap=false";
  TRM_TRY(setting("TRIREME_CUDA_PDL", 0, 1, able && !no_overlap, &overlap));
  if (overlap && no_overlap)
    return CUDA_FAIL(INVALID, "TRIREME_CUDA_PDL=1: launches would overlap, and %s is asked for; "
                     "leave one of them out", key);
  if (!able && no_overlap && !gpu->read_only_loads)
    return CUDA_FAIL(UNSUPPORTED, "%s: run.overlap=false: launches do not overlap on this device; "
                     "leave it out", gpu->label);
  if (overlap && !able)
    return CUDA_FAIL(UNSUPPORTED, "TRIREME_CUDA_PDL=1: %s (compute capability %d.%d, code for "
                     "%d.%d, driver for CUDA %d.%d) has no programmatic dependent launch in "
                     "graphs, which needs 9.0, 9.0 and 12.3; unset it",
                     gpu->label, gpu->capability / 10,
                     gpu->capability % 10, gpu->target.arch / 10, gpu->target.arch % 10,
                     cuda_found.driver_version / 1000, cuda_found.driver_version % 1000 / 10);
  TRM_TRY(setting("TRIREME_CUDA_GRAPH_NODES", 1, 65536, 512, &nodes));
  gpu->overlap = (int)overlap;
  gpu->graph_nodes = (size_t)nodes;
  return TRM_OK;
}

static trm_status know_limits(cuda_gpu *gpu)
{
  static const cu_attribute grid[3] = {CU_MAX_GRID_DIM_X, CU_MAX_GRID_DIM_Y, CU_MAX_GRID_DIM_Z};
  int major, minor, value;
  CU_TRY(gpu, cuDeviceGetAttribute, (&major, CU_CAPABILITY_MAJOR, gpu->ordinal));
  CU_TRY(gpu, cuDeviceGetAttribute, (&minor, CU_CAPABILITY_MINOR, gpu->ordinal));
  CU_TRY(gpu, cuDeviceGetAttribute, (&gpu->max_threads, CU_MAX_THREADS_PER_BLOCK, gpu->ordinal));
  CU_TRY(gpu, cuDeviceGetAttribute, (&gpu->max_shared, CU_MAX_SHARED_OPTIN, gpu->ordinal));
  for (int i = 0; i < 3; i++) {
    CU_TRY(gpu, cuDeviceGetAttribute, (&value, grid[i], gpu->ordinal));
    gpu->max_grid[i] = (unsigned int)value;
  }
  CU_TRY(gpu, cuDeviceGetAttribute, (&gpu->units, CU_MULTIPROCESSOR_COUNT, gpu->ordinal));
  gpu->capability = 10 * major + minor;
  gpu->target = cuda_target_of(gpu->capability);
  if (gpu->target.is_ptx && gpu->target.arch)
    CUDA_LOG(INFO, "%s: NVRTC %d.%d does not know compute capability %d.%d; it makes PTX for "
             "%d.%d, which the driver translates", gpu->label, cuda_found.nvrtc_major,
             cuda_found.nvrtc_minor, major, minor, gpu->target.arch / 10, gpu->target.arch % 10);
  return TRM_OK;
}

static trm_status begin(cuda_gpu *gpu)
{
  CU_TRY(gpu, cuDevicePrimaryCtxRetain, (&gpu->context, gpu->ordinal));
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuStreamCreate, (&gpu->stream, CU_NON_BLOCKING));
  gpu->used = gpu->stream;
  return TRM_OK;
}

trm_status cuda_open(size_t index, const trm_device_options *options, trm_device_info *info,
                     void **device)
{
  cuda_gpu *gpu = calloc(1, sizeof *gpu);
  if (!gpu) return CUDA_FAIL(NO_HOST_MEMORY, "cuda:%zu: no host memory for the device", index);
  snprintf(gpu->label, sizeof gpu->label, "cuda:%zu (%s)", index, info->name);
  gpu->steps_per_launch = options ? options->steps_per_launch : 0;
  gpu->shape = trm_steps_wanted(options);
  gpu->residency = options ? options->residency : 0;
  gpu->read_only_loads = options && options->read_only_loads;
  /* A launch of several steps has no ballast, and reads what it wrote. */
  if (gpu->residency > 0 || gpu->read_only_loads) gpu->steps_per_launch = 1;
  trm_status status = TRM_OK;
  const cu_result result = cu.cuDeviceGet(&gpu->ordinal, (int)index);
  if (result != CU_OK) status = cuda_error(gpu, result, "cuDeviceGet", __FILE__, __LINE__);
  if (status == TRM_OK) status = know_limits(gpu);
  const int no_overlap = options && (options->no_overlap || options->read_only_loads);
  if (status == TRM_OK) status = resolve_replay(gpu, no_overlap);
  if (status == TRM_OK) status = begin(gpu);
  if (status == TRM_OK && !info->whole[0]) status = cuda_know_grain(gpu);
  if (status == TRM_OK)
    *device = gpu;
  else
    cuda_close(gpu);
  return status;
}

/* Errors are of no use to anyone here: the device goes either way. */
void cuda_close(void *device)
{
  cuda_gpu *gpu = device;
  if (gpu->context) {
    cu.cuCtxSetCurrent(gpu->context);
    cuda_staging_free(gpu);
    if (gpu->arrivals) cu.cuStreamDestroy_v2(gpu->arrivals);
    if (gpu->stream) cu.cuStreamDestroy_v2(gpu->stream);
    cu.cuCtxSetCurrent(NULL);
    cu.cuDevicePrimaryCtxRelease_v2(gpu->ordinal);
  }
  free(gpu);
}

trm_status cuda_finish(void *device)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuStreamSynchronize, (gpu->stream));
  return TRM_OK;
}

/* ---- events ------------------------------------------------------------------ */

trm_status cuda_event_create(void *device, void **event)
{
  cuda_gpu *gpu = device;
  cu_event created;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuEventCreate, (&created, CU_EVENT_PLAIN));
  *event = created;
  return TRM_OK;
}

void cuda_event_destroy(void *device, void *event)
{
  cuda_gpu *gpu = device;
  cu.cuCtxSetCurrent(gpu->context);
  cu.cuEventDestroy_v2(event);
}

trm_status cuda_event_record(void *device, void *event)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuEventRecord, (event, gpu->stream));
  return TRM_OK;
}

trm_status cuda_event_elapsed(void *device, void *begin_event, void *end_event, double *seconds)
{
  cuda_gpu *gpu = device;
  float milliseconds;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuEventSynchronize, (begin_event));
  CU_TRY(gpu, cuEventSynchronize, (end_event));
  CU_TRY(gpu, cuEventElapsedTime, (&milliseconds, begin_event, end_event));
  *seconds = 1e-3 * (double)milliseconds;
  return TRM_OK;
}
