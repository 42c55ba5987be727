/* reserved.c - buffers of addresses, with memory behind held bytes alone (CUDA's virtual memory).
 *
 * A grain is the least memory that the driver maps, 2 MiB. Memory stays behind a grain that other
 * bytes may need too. The driver makes, maps and unmaps a block of grains at once. A block has at
 * most a thirty-second of the grains that were held together. So few of them stay mapped when rows
 * are dropped. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdlib.h>

enum { BLOCKS_OF_RUN = 32 };

static cu_memory_kind kind_of(const cuda_gpu *gpu)
{
  return (cu_memory_kind){ .type = CU_MEMORY_PINNED,
                           .place = { CU_MEMORY_OF_DEVICE, gpu->ordinal } };
}

static const struct CUmemAllocationProp_st *theirs(const cu_memory_kind *kind)
{
  return (const void *)kind;
}

trm_status cuda_know_grain(cuda_gpu *gpu)
{
  const cu_memory_kind kind = kind_of(gpu);
  CU_TRY(gpu, cuMemGetAllocationGranularity, (&gpu->grain, theirs(&kind), CU_GRAIN_RECOMMENDED));
  return TRM_OK;
}

/* ---- waiting ---------------------------------------------------------------------- */

/* Memory is not unmapped while this GPU or another one may still use it. */
static cu_result wait_for_users(const cuda_gpu *gpu)
{
  cu_result result = CU_OK;
  for (size_t i = 0; i < CUDA_MAX_GPUS && result == CU_OK; i++) {
    if (!gpu->readers[i]) continue;
    result = cu.cuCtxSetCurrent(gpu->readers[i]);
    if (result == CU_OK) result = cu.cuCtxSynchronize();
  }
  if (result == CU_OK) result = cu.cuCtxSetCurrent(gpu->context);
  return result == CU_OK ? cu.cuCtxSynchronize() : result;
}

/* ---- blocks ----------------------------------------------------------------------- */

/* Grains [first, end): whole blocks, or none. */
static cu_result unmap(const cuda_gpu *gpu, cuda_buffer *b, size_t first, size_t end)
{
  if (first == end) return CU_OK;
  for (size_t g = first; g < end; g++) b->blocks[g] = 0;
  return cu.cuMemUnmap(b->pointer + first * gpu->grain, (end - first) * gpu->grain);
}

/* The mapping alone keeps the memory: unmapping it frees it. */
static cu_result make_block(const cuda_gpu *gpu, cuda_buffer *b, size_t first, size_t end,
                            const char **function)
{
  const cu_memory_kind kind = kind_of(gpu);
  const size_t bytes = (end - first) * gpu->grain;
  cu_memory memory;
  *function = "cuMemCreate";
  cu_result result = cu.cuMemCreate(&memory, bytes, theirs(&kind), 0);
  if (result != CU_OK) return result;
  *function = "cuMemMap";
  result = cu.cuMemMap(b->pointer + first * gpu->grain, bytes, 0, memory, 0);
  cu.cuMemRelease(memory);
  for (size_t g = first; g < end && result == CU_OK; g++) b->blocks[g] = 1 + (uint32_t)first;
  return result;
}

/* This GPU may read and write them, others that have a direct way to it too. */
static cu_result give_access(const cuda_gpu *gpu, const cuda_buffer *b, size_t first, size_t end)
{
  cu_memory_access access[CUDA_MAX_GPUS + 1];
  size_t count = 0;
  access[count++] = (cu_memory_access){ kind_of(gpu).place, CU_MEMORY_READ_WRITE };
  for (int i = 0; i < CUDA_MAX_GPUS; i++)
    if (gpu->readers[i])
      access[count++] = (cu_memory_access){ { CU_MEMORY_OF_DEVICE, i }, CU_MEMORY_READ_WRITE };
  return cu.cuMemSetAccess(b->pointer + first * gpu->grain, (end - first) * gpu->grain,
                           (const void *)access, count);
}

/* Memory that another buffer had before is not empty. */
static cu_result clear(const cuda_gpu *gpu, const cuda_buffer *b, size_t first, size_t end)
{
  const cu_result result = cu.cuMemsetD8Async(b->pointer + first * gpu->grain, 0,
                                              (end - first) * gpu->grain, gpu->stream);
  return result != CU_OK ? result : cu.cuStreamSynchronize(gpu->stream);
}

/* Grains [first, end), none of which has memory; after a failure none has it either. */
static trm_status map_run(cuda_gpu *gpu, cuda_buffer *b, size_t first, size_t end)
{
  const size_t size = (end - first + BLOCKS_OF_RUN - 1) / BLOCKS_OF_RUN;
  const char *function = NULL;
  cu_result result = CU_OK;
  size_t done = first;
  while (done < end && result == CU_OK) {
    const size_t next = end - done < size ? end : done + size;
    result = make_block(gpu, b, done, next, &function);
    if (result == CU_OK) done = next;
  }
  if (result == CU_OK) {
    function = "cuMemSetAccess";
    result = give_access(gpu, b, first, end);
  }
  if (result == CU_OK) {
    function = "cuMemsetD8Async";
    result = clear(gpu, b, first, end);
  }
  if (result == CU_OK) return TRM_OK;
  unmap(gpu, b, first, done);
  return result == CU_OUT_OF_MEMORY ? cuda_no_memory(gpu, (end - first) * gpu->grain)
                                    : cuda_error(gpu, result, function, __FILE__, __LINE__);
}

/* Gives memory to all grains of [first, end) that have none, or to none of them. */
static trm_status map_missing(cuda_gpu *gpu, cuda_buffer *b, size_t first, size_t end)
{
  while (first < end && b->blocks[first]) first++;
  if (first == end) return TRM_OK;
  size_t last = first;
  while (last < end && !b->blocks[last]) last++;
  TRM_TRY(map_run(gpu, b, first, last));
  const trm_status status = map_missing(gpu, b, last, end);
  if (status != TRM_OK) unmap(gpu, b, first, last);
  return status;
}

/* ---- the entries ------------------------------------------------------------------ */

static trm_status create_whole(cuda_gpu *gpu, size_t bytes, void **buffer)
{
  void *made;
  TRM_TRY(cuda_buffer_create(gpu, bytes, &made));
  cu_result result = cu.cuMemsetD8Async(((cuda_buffer *)made)->pointer, 0, bytes, gpu->stream);
  if (result == CU_OK) result = cu.cuStreamSynchronize(gpu->stream);
  if (result != CU_OK) {
    cuda_buffer_destroy(gpu, made);
    return cuda_error(gpu, result, "cuMemsetD8Async", __FILE__, __LINE__);
  }
  *buffer = made;
  return TRM_OK;
}

/* A buffer of a grain or less has all of its memory at once: several share a grain. */
trm_status cuda_buffer_reserve(void *device, size_t bytes, void **buffer)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  if (bytes <= gpu->grain || gpu->grain == 0) return create_whole(gpu, bytes, buffer);
  const size_t grains = (bytes + gpu->grain - 1) / gpu->grain;
  cuda_buffer *made = calloc(1, sizeof *made);
  if (made) made->blocks = calloc(grains, sizeof *made->blocks);
  if (!made || !made->blocks) {
    free(made);
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for a buffer", gpu->label);
  }
  made->bytes = bytes;
  made->grains = grains;
  const cu_result result = cu.cuMemAddressReserve(&made->pointer, grains * gpu->grain, 0, 0, 0);
  if (result != CU_OK) {
    free(made->blocks);
    free(made);
    return cuda_error(gpu, result, "cuMemAddressReserve", __FILE__, __LINE__);
  }
  *buffer = made;
  return TRM_OK;
}

trm_status cuda_buffer_hold(void *device, void *buffer, size_t offset, size_t bytes)
{
  cuda_gpu *gpu = device;
  cuda_buffer *b = buffer;
  TRM_TRY(cuda_enter(gpu));
  if (b->grains == 0) return TRM_OK;
  return map_missing(gpu, b, offset / gpu->grain, (offset + bytes + gpu->grain - 1) / gpu->grain);
}

/* The end of the blocks that follow each other from grain `first` on and lie before `end`. */
static size_t end_of_blocks(const cuda_buffer *b, size_t first, size_t end)
{
  size_t last = first;
  for (size_t g = first; g < end && b->blocks[g]; g++)
    if (g + 1 == b->grains || b->blocks[g + 1] != b->blocks[g]) last = g + 1;
  return last;
}

/* Blocks that lie in the bytes: others have bytes that are needed, or may be. */
trm_status cuda_buffer_drop(void *device, void *buffer, size_t offset, size_t bytes)
{
  cuda_gpu *gpu = device;
  cuda_buffer *b = buffer;
  TRM_TRY(cuda_enter(gpu));
  if (b->grains == 0) return TRM_OK;
  const size_t end = offset + bytes == b->bytes ? b->grains : (offset + bytes) / gpu->grain;
  size_t g = (offset + gpu->grain - 1) / gpu->grain;
  cu_result result = wait_for_users(gpu);
  while (g < end && result == CU_OK) {
    const int is_first = b->blocks[g] == 1 + (uint32_t)g;
    const size_t last = is_first ? end_of_blocks(b, g, end) : g;
    result = unmap(gpu, b, g, last);
    g = last > g ? last : g + 1;
  }
  return result == CU_OK ? TRM_OK : cuda_error(gpu, result, "cuMemUnmap", __FILE__, __LINE__);
}

/* Errors are of no use to anyone here. */
void cuda_reserved_free(cuda_gpu *gpu, cuda_buffer *b)
{
  wait_for_users(gpu);
  for (size_t g = 0; g < b->grains;) {
    const size_t last = end_of_blocks(b, g, b->grains);
    unmap(gpu, b, g, last);
    g = last > g ? last : g + 1;
  }
  cu.cuMemAddressFree(b->pointer, b->grains * gpu->grain);
  free(b->blocks);
  free(b);
}
