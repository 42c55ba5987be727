/* queue.c - exchange of rows with another GPU. A second stream packs, copies and unpacks rows, and
 * computes the rows that wait for them. The first stream computes all other rows. Where the GPUs
 * have a link, or one GPU is named twice, the bytes go straight; else the driver takes them through
 * the host's memory. */
#include "config.h"

#include "backend-cuda/device.h"

static trm_status stream_of(cuda_gpu *gpu, trm_queue queue, cu_stream *out)
{
  int least, greatest;             /* priorities */
  if (queue == TRM_QUEUE_ARRIVALS && !gpu->arrivals) {
    CU_TRY(gpu, cuCtxGetStreamPriorityRange, (&least, &greatest));
    CU_TRY(gpu, cuStreamCreateWithPriority, (&gpu->arrivals, CU_NON_BLOCKING, greatest));
  }
  *out = queue == TRM_QUEUE_ARRIVALS ? gpu->arrivals : gpu->stream;
  return TRM_OK;
}

trm_status cuda_queue_mark(void *device, void **event)
{
  cuda_gpu *gpu = device;
  cu_event created;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuEventCreate, (&created, CU_EVENT_NO_TIME));
  *event = created;
  return TRM_OK;
}

trm_status cuda_queue_wait(void *device, trm_queue queue, void *event)
{
  cuda_gpu *gpu = device;
  cu_stream stream;
  TRM_TRY(cuda_enter(gpu));
  TRM_TRY(stream_of(gpu, queue, &stream));
  gpu->chained[queue] = 0;
  CU_TRY(gpu, cuStreamWaitEvent, (stream, event, 0));
  return TRM_OK;
}

trm_status cuda_queue_record(void *device, trm_queue queue, void *event)
{
  cuda_gpu *gpu = device;
  cu_stream stream;
  TRM_TRY(cuda_enter(gpu));
  TRM_TRY(stream_of(gpu, queue, &stream));
  CU_TRY(gpu, cuEventRecord, (event, stream));
  return TRM_OK;
}

trm_status cuda_queue_use(void *device, trm_queue queue)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  return stream_of(gpu, queue, &gpu->used);
}

/* Once for each other GPU. The context of a GPU is the same for all who open it in this process, so
 * another one may have opened the way. */
static trm_status find_way(cuda_gpu *gpu, const cuda_gpu *from)
{
  int can = 0;
  const uint64_t bit = UINT64_C(1) << (from->ordinal & 63);
  if (gpu->peers & bit) return TRM_OK;
  CU_TRY(gpu, cuDeviceCanAccessPeer, (&can, gpu->ordinal, from->ordinal));
  const cu_result result = can ? cu.cuCtxEnablePeerAccess(from->context, 0) : CU_OK;
  if (result != CU_OK && result != CU_PEER_IS_ENABLED)
    return cuda_error(gpu, result, "cuCtxEnablePeerAccess", __FILE__, __LINE__);
  CUDA_LOG(INFO, "%s: what comes from %s goes %s", gpu->label, from->label,
           can ? "straight from GPU to GPU" : "through the host's memory");
  gpu->peers |= bit;
  if (can) gpu->near |= bit;
  return TRM_OK;
}

static int is_near_to(const cuda_gpu *gpu, const cuda_gpu *from)
{
  return (int)(gpu->near >> (from->ordinal & 63) & 1);
}

/* Memory that `from_device` maps from now on can be read here. */
trm_status cuda_peer_access(void *device, void *from_device, int *can)
{
  cuda_gpu *gpu = device;
  cuda_gpu *other = from_device;
  const int is_one = other->context == gpu->context;
  TRM_TRY(cuda_enter(gpu));
  if (!is_one) TRM_TRY(find_way(gpu, other));
  const int is_near = is_near_to(gpu, other);
  if (is_near) other->readers[gpu->ordinal & (CUDA_MAX_GPUS - 1)] = gpu->context;
  *can = is_one || is_near;
  return TRM_OK;
}

trm_status cuda_arrive(void *device, void *to, size_t to_offset, void *from_device, void *from,
                       size_t from_offset, size_t bytes)
{
  cuda_gpu *gpu = device;
  const cuda_gpu *other = from_device;
  const cu_deviceptr target = ((cuda_buffer *)to)->pointer + to_offset;
  const cu_deviceptr source = ((cuda_buffer *)from)->pointer + from_offset;
  cu_stream stream;
  TRM_TRY(cuda_enter(gpu));
  TRM_TRY(stream_of(gpu, TRM_QUEUE_ARRIVALS, &stream));
  gpu->chained[TRM_QUEUE_ARRIVALS] = 0;
  if (other->context == gpu->context) {
    CU_TRY(gpu, cuMemcpyDtoDAsync_v2, (target, source, bytes, stream));
    return TRM_OK;
  }
  TRM_TRY(find_way(gpu, other));
  if (is_near_to(gpu, other)) {    /* mapped memory is known to a copy by its addresses */
    CU_TRY(gpu, cuMemcpyDtoDAsync_v2, (target, source, bytes, stream));
    return TRM_OK;
  }
  CU_TRY(gpu, cuMemcpyPeerAsync, (target, gpu->context, source, other->context, bytes, stream));
  return TRM_OK;
}
