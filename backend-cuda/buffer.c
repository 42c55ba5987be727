/* buffer.c - device memory, and moving bytes between it and the host.
 *
 * Transfers go through two pinned chunks in turn: while the GPU moves one, the host copies the
 * other. They are part of the stream, so they keep their place among launches. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdlib.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

trm_status cuda_free_memory(void *device, uint64_t *bytes)
{
  cuda_gpu *gpu = device;
  size_t available, total;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuMemGetInfo_v2, (&available, &total));
  *bytes = available;
  return TRM_OK;
}

trm_status cuda_no_memory(cuda_gpu *gpu, size_t bytes)
{
  size_t available = 0, total = 0;
  cu.cuMemGetInfo_v2(&available, &total);
  return CUDA_FAIL(NO_DEVICE_MEMORY, "%s: %zu bytes needed, %zu bytes available of %zu; use a "
                   "smaller grid, --precision=f32 or a device with more memory",
                   gpu->label, bytes, available,
                   total);
}

trm_status cuda_buffer_create(void *device, size_t bytes, void **buffer)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  cuda_buffer *made = calloc(1, sizeof *made);
  if (!made) return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for a buffer", gpu->label);
  const cu_result result = cu.cuMemAlloc_v2(&made->pointer, bytes);
  if (result == CU_OK) {
    made->bytes = bytes;
    *buffer = made;
    return TRM_OK;
  }
  free(made);
  return result == CU_OUT_OF_MEMORY ? cuda_no_memory(gpu, bytes)
                                    : cuda_error(gpu, result, "cuMemAlloc", __FILE__, __LINE__);
}

void cuda_buffer_destroy(void *device, void *buffer)
{
  cuda_gpu *gpu = device;
  cuda_buffer *old = buffer;
  cu.cuCtxSetCurrent(gpu->context);
  if (old->grains) {
    cuda_reserved_free(gpu, old);
    return;
  }
  if (old->is_adopted) cu.cuIpcCloseMemHandle(old->pointer);
  else cu.cuMemFree_v2(old->pointer);   /* waits for launches that use it */
  free(old);
}

/* ---- the pinned chunks -------------------------------------------------------- */

static trm_status staging_make(cuda_gpu *gpu)
{
  cuda_staging *s = &gpu->staging;
  if (s->ready) return TRM_OK;
  for (int i = 0; i < CUDA_CHUNKS; i++) {
    if (!s->chunk[i]) CU_TRY(gpu, cuMemAllocHost_v2, (&s->chunk[i], CUDA_CHUNK_BYTES));
    if (!s->passed[i]) CU_TRY(gpu, cuEventCreate, (&s->passed[i], CU_EVENT_NO_TIME));
  }
  s->ready = 1;
  return TRM_OK;
}

void cuda_staging_free(cuda_gpu *gpu)
{
  cuda_staging *s = &gpu->staging;
  for (int i = 0; i < CUDA_CHUNKS; i++) {
    if (s->passed[i]) cu.cuEventDestroy_v2(s->passed[i]);
    if (s->chunk[i]) cu.cuMemFreeHost(s->chunk[i]);
  }
}

/* Waits until the chunk's last transfer is over. */
static trm_status staging_wait(cuda_gpu *gpu, int slot)
{
  if (gpu->staging.busy[slot]) CU_TRY(gpu, cuEventSynchronize, (gpu->staging.passed[slot]));
  gpu->staging.busy[slot] = 0;
  return TRM_OK;
}

static trm_status staging_mark(cuda_gpu *gpu, int slot)
{
  CU_TRY(gpu, cuEventRecord, (gpu->staging.passed[slot], gpu->used));
  gpu->staging.busy[slot] = 1;
  return TRM_OK;
}

/* Returns as soon as the source is copied into the chunks: it may then be reused. */
trm_status cuda_buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                             const void *source)
{
  cuda_gpu *gpu = device;
  const cu_deviceptr to = ((cuda_buffer *)buffer)->pointer + offset;
  TRM_TRY(cuda_enter(gpu));
  *cuda_chained(gpu) = 0;
  TRM_TRY(staging_make(gpu));
  for (size_t done = 0; done < bytes;) {
    const size_t part = smaller(CUDA_CHUNK_BYTES, bytes - done);
    const int slot = gpu->staging.next;
    gpu->staging.next = (slot + 1) % CUDA_CHUNKS;
    TRM_TRY(staging_wait(gpu, slot));
    TRM_TRY(cuda_services->copy(gpu->staging.chunk[slot], (const char *)source + done, part));
    CU_TRY(gpu, cuMemcpyHtoDAsync_v2, (to + done, gpu->staging.chunk[slot], part, gpu->used));
    TRM_TRY(staging_mark(gpu, slot));
    done += part;
  }
  return TRM_OK;
}

trm_status cuda_buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                            void *destination)
{
  cuda_gpu *gpu = device;
  const cu_deviceptr from = ((cuda_buffer *)buffer)->pointer + offset;
  size_t asked = 0, done = 0;
  TRM_TRY(cuda_enter(gpu));
  *cuda_chained(gpu) = 0;
  TRM_TRY(staging_make(gpu));
  for (int ask = 0, take = 0; done < bytes;) {
    if (asked < bytes && ask - take < CUDA_CHUNKS) {     /* a chunk is free: fetch the next part */
      const int slot = ask++ % CUDA_CHUNKS;
      const size_t part = smaller(CUDA_CHUNK_BYTES, bytes - asked);
      TRM_TRY(staging_wait(gpu, slot)); /* of a write in another queue */
      CU_TRY(gpu, cuMemcpyDtoHAsync_v2, (gpu->staging.chunk[slot], from + asked, part,
                                         gpu->used));
      TRM_TRY(staging_mark(gpu, slot));
      asked += part;
    } else {                                             /* the oldest part: wait and hand it out */
      const int slot = take++ % CUDA_CHUNKS;
      const size_t part = smaller(CUDA_CHUNK_BYTES, bytes - done);
      TRM_TRY(staging_wait(gpu, slot));
      TRM_TRY(cuda_services->copy((char *)destination + done, gpu->staging.chunk[slot], part));
      done += part;
    }
  }
  return TRM_OK;
}
