/* plugin.c - the plugin's table and its one exported symbol.
 *
 * Nothing here touches a driver: the ICD loader looks for platforms in probe. */
#include "opencl.h"

static const trm_backend backend = {
    .abi = TRM_BACKEND_ABI,
    .bytes = sizeof(trm_backend),
    .name = "opencl",
    .summary = "GPUs and CPUs of any vendor through the OpenCL ICD loader",
    .probe = ocl_probe,
    .describe = ocl_describe,
    .open = ocl_open,
    .close = ocl_close,
    .finish = ocl_finish,
    .free_memory = ocl_free_memory,
    .buffer_create = ocl_buffer_create,
    .buffer_destroy = ocl_buffer_destroy,
    .buffer_write = ocl_buffer_write,
    .buffer_read = ocl_buffer_read,
    .program_build = ocl_program_build,
    .program_binary = ocl_program_binary,
    .program_load = ocl_program_load,
    .program_destroy = ocl_program_destroy,
    .program_key = ocl_program_key,
    .kernel_get = ocl_kernel_get,
    .enqueue = ocl_enqueue,
    .event_create = ocl_event_create,
    .event_destroy = ocl_event_destroy,
    .event_record = ocl_event_record,
    .event_elapsed = ocl_event_elapsed,
    .sequence_create = ocl_sequence_create,
    .sequence_replay = ocl_sequence_replay,
    .sequence_destroy = ocl_sequence_destroy,
    .kernel_resources = ocl_kernel_resources,
    .sequence_fused = ocl_sequence_fused,
};

TRM_API const trm_backend *trm_backend_opencl(uint32_t abi, const trm_services *services);

const trm_backend *trm_backend_opencl(uint32_t abi, const trm_services *services)
{
  ocl_services = services;
  if (abi != TRM_BACKEND_ABI) {
    OCL_FAIL(NOT_READY,
             "the opencl plugin speaks ABI %d, the library asks for %u: "
             "install both from one build",
             TRM_BACKEND_ABI, abi);
    return NULL;
  }
  return &backend;
}
