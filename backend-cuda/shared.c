/* shared.c - buffers and marks of another process of this machine (CUDA IPC). The driver maps the
 * memory of the other process here; between two GPUs that needs a direct way between them. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdlib.h>
#include <string.h>

struct CUipcMemHandle_st { char bytes[sizeof(trm_shared)]; };
struct CUipcEventHandle_st { char bytes[sizeof(trm_shared)]; };

trm_status cuda_queue_mark_shared(void *device, void **event)
{
  cuda_gpu *gpu = device;
  cu_event created;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuEventCreate, (&created, CU_EVENT_NO_TIME | CU_EVENT_SHARED));
  *event = created;
  return TRM_OK;
}

trm_status cuda_share(void *device, void *buffer, void *event, trm_shared *out)
{
  cuda_gpu *gpu = device;
  struct CUipcMemHandle_st memory;
  struct CUipcEventHandle_st mark;
  TRM_TRY(cuda_enter(gpu));
  if (buffer) {
    CU_TRY(gpu, cuIpcGetMemHandle, (&memory, ((cuda_buffer *)buffer)->pointer));
    memcpy(out, &memory, sizeof *out);
  } else {
    CU_TRY(gpu, cuIpcGetEventHandle, (&mark, event));
    memcpy(out, &mark, sizeof *out);
  }
  return TRM_OK;
}

static trm_status adopt_buffer(cuda_gpu *gpu, const trm_shared *shared, void **buffer)
{
  struct CUipcMemHandle_st memory;
  cuda_buffer *made = calloc(1, sizeof *made);
  if (!made) return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for a buffer", gpu->label);
  memcpy(&memory, shared, sizeof memory);
  const cu_result result = cu.cuIpcOpenMemHandle_v2(&made->pointer, memory, CU_SHARED_LAZILY);
  if (result != CU_OK) {
    free(made);
    return cuda_error(gpu, result, "cuIpcOpenMemHandle", __FILE__, __LINE__);
  }
  made->is_adopted = 1;
  *buffer = made;
  return TRM_OK;
}

trm_status cuda_adopt(void *device, const trm_shared *shared, void **buffer, void **event)
{
  cuda_gpu *gpu = device;
  struct CUipcEventHandle_st mark;
  cu_event opened;
  TRM_TRY(cuda_enter(gpu));
  if (buffer) return adopt_buffer(gpu, shared, buffer);
  memcpy(&mark, shared, sizeof mark);
  CU_TRY(gpu, cuIpcOpenEventHandle, (&opened, mark));
  *event = opened;
  return TRM_OK;
}
