/* plugin.c - the table of the CUDA backend, and the plugin's one exported symbol.
 *
 * Environment, read when a device is opened:
 *   TRIREME_NVRTC             absolute path of libnvrtc, instead of the loader's (for the probe)
 *   TRIREME_CUDA_PDL          0 or 1: programmatic dependent launch, recorded or not
 *                             (default: 1 from compute capability 9.0 and CUDA 12.3 on)
 *   TRIREME_CUDA_GRAPH_NODES  commands in one graph: a short sequence is repeated in it (512) */
#include "config.h"

#include "backend-cuda/device.h"

static const trm_backend table = {
  .abi = TRM_BACKEND_ABI,
  .bytes = sizeof(trm_backend),
  .name = "cuda",
  .summary = "NVIDIA GPUs through the CUDA driver; kernels compiled by NVRTC",
  .probe = cuda_probe,
  .describe = cuda_describe,
  .open = cuda_open,
  .close = cuda_close,
  .finish = cuda_finish,
  .free_memory = cuda_free_memory,
  .buffer_create = cuda_buffer_create,
  .buffer_destroy = cuda_buffer_destroy,
  .buffer_write = cuda_buffer_write,
  .buffer_read = cuda_buffer_read,
  .program_build = cuda_program_build,
  .program_binary = cuda_program_binary,
  .program_load = cuda_program_load,
  .program_destroy = cuda_program_destroy,
  .program_key = cuda_program_key,
  .kernel_get = cuda_kernel_get,
  .enqueue = cuda_enqueue,
  .event_create = cuda_event_create,
  .event_destroy = cuda_event_destroy,
  .event_record = cuda_event_record,
  .event_elapsed = cuda_event_elapsed,
  .sequence_create = cuda_sequence_create,
  .sequence_replay = cuda_sequence_replay,
  .sequence_destroy = cuda_sequence_destroy,
  .kernel_resources = cuda_kernel_resources,
  .sequence_fused = cuda_sequence_fused,
  .queue_wait = cuda_queue_wait,
  .queue_record = cuda_queue_record,
  .arrive = cuda_arrive,
  .queue_use = cuda_queue_use,
  .queue_mark = cuda_queue_mark,
  .peer_access = cuda_peer_access,
  .queue_mark_shared = cuda_queue_mark_shared,
  .share = cuda_share,
  .adopt = cuda_adopt,
  .shared_by = "CUDA IPC",
  .buffer_reserve = cuda_buffer_reserve,
  .buffer_hold = cuda_buffer_hold,
  .buffer_drop = cuda_buffer_drop,
};

trm_backend_entry trm_backend_cuda;

TRM_API const trm_backend *trm_backend_cuda(uint32_t abi, const trm_services *services)
{
  if (abi != TRM_BACKEND_ABI || services->bytes < sizeof(trm_services)) {
    services->fail(TRM_ERROR_NOT_READY, __FILE__, __LINE__,
                   "trireme_cuda.so serves plugin ABI %d, the library has %u: install both from "
                   "one build", TRM_BACKEND_ABI, (unsigned int)abi);
    return NULL;
  }
  cuda_services = services;
  return &table;
}
