/* plugin.c - the plugin's table and its one exported symbol.
 *
 * Nothing here touches a driver: the ICD loader looks for platforms in probe. */
#include "opencl.h"

static const trm_backend backend = {
    TRM_BACKEND_ABI,
    sizeof(trm_backend),
    "opencl",
    "GPUs and CPUs of any vendor through the OpenCL ICD loader",
    ocl_probe,
    ocl_describe,
    ocl_open,
    ocl_close,
    ocl_finish,
    ocl_free_memory,
    ocl_buffer_create,
    ocl_buffer_destroy,
    ocl_buffer_write,
    ocl_buffer_read,
    ocl_program_build,
    ocl_program_binary,
    ocl_program_load,
    ocl_program_destroy,
    ocl_program_key,
    ocl_kernel_get,
    ocl_enqueue,
    ocl_event_create,
    ocl_event_destroy,
    ocl_event_record,
    ocl_event_elapsed,
    ocl_sequence_create,
    ocl_sequence_replay,
    ocl_sequence_destroy,
    ocl_kernel_resources,
    ocl_sequence_together,
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
