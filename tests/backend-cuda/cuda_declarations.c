/* cuda_declarations.c - compares backend-cuda/driver_api.h with the toolkit's cuda.h and nvrtc.h.
 *
 * The comparison is made by the compiler: this file does not compile when a function type, a
 * constant or a struct differs. It is built only where configure found a toolkit. */
#define __CUDA_API_VERSION_INTERNAL /* declares every version of a function under its own name */
#include <cuda.h>
#include <nvrtc.h>

#include <stdio.h>

#include "backend-cuda/driver_api.h"

/* A constraint violation, not a warning, when the types differ. */
#define SAME_FUNCTION(name, result, parameters) \
  _Static_assert(_Generic(&name, result (*) parameters: 1, default: 0), \
                 #name " is declared otherwise in the toolkit's header");
#define DRIVER_FUNCTION(name, parameters) SAME_FUNCTION(name, cu_result, parameters)
TRM_CUDA_DRIVER_FUNCTIONS(DRIVER_FUNCTION)
TRM_CUDA_NVRTC_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(ours, theirs, value) \
  _Static_assert((int)(theirs) == (value), #theirs " has another value in the toolkit's header");
TRM_CUDA_CONSTANTS(SAME_CONSTANT)

#define SAME_PLACE(ours, theirs, our_field, their_field) \
  _Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field), \
                 #their_field " lies elsewhere in the toolkit's header");
#define SAME_SIZE(ours, theirs) \
  _Static_assert(sizeof(ours) == sizeof(theirs) && _Alignof(ours) == _Alignof(theirs), \
                 #theirs " has another size in the toolkit's header");
SAME_SIZE(cu_launch_attribute, CUlaunchAttribute)
SAME_PLACE(cu_launch_attribute, CUlaunchAttribute, id, id)
SAME_PLACE(cu_launch_attribute, CUlaunchAttribute, value, value)
SAME_PLACE(cu_launch_attribute, CUlaunchAttribute, value.programmatic_stream_serialization_allowed,
           value.programmaticStreamSerializationAllowed)
SAME_SIZE(cu_launch_config, CUlaunchConfig)
SAME_PLACE(cu_launch_config, CUlaunchConfig, grid_x, gridDimX)
SAME_PLACE(cu_launch_config, CUlaunchConfig, grid_y, gridDimY)
SAME_PLACE(cu_launch_config, CUlaunchConfig, grid_z, gridDimZ)
SAME_PLACE(cu_launch_config, CUlaunchConfig, block_x, blockDimX)
SAME_PLACE(cu_launch_config, CUlaunchConfig, block_y, blockDimY)
SAME_PLACE(cu_launch_config, CUlaunchConfig, block_z, blockDimZ)
SAME_PLACE(cu_launch_config, CUlaunchConfig, shared_bytes, sharedMemBytes)
SAME_PLACE(cu_launch_config, CUlaunchConfig, stream, hStream)
SAME_PLACE(cu_launch_config, CUlaunchConfig, attributes, attrs)
SAME_PLACE(cu_launch_config, CUlaunchConfig, attribute_count, numAttrs)
SAME_SIZE(cu_memory_kind, CUmemAllocationProp)
SAME_PLACE(cu_memory_kind, CUmemAllocationProp, type, type)
SAME_PLACE(cu_memory_kind, CUmemAllocationProp, handles, requestedHandleTypes)
SAME_PLACE(cu_memory_kind, CUmemAllocationProp, place.type, location.type)
SAME_PLACE(cu_memory_kind, CUmemAllocationProp, place.device, location.id)
SAME_PLACE(cu_memory_kind, CUmemAllocationProp, windows, win32HandleMetaData)
SAME_PLACE(cu_memory_kind, CUmemAllocationProp, flags, allocFlags)
SAME_SIZE(cu_memory_access, CUmemAccessDesc)
SAME_PLACE(cu_memory_access, CUmemAccessDesc, place.type, location.type)
SAME_PLACE(cu_memory_access, CUmemAccessDesc, place.device, location.id)
SAME_PLACE(cu_memory_access, CUmemAccessDesc, flags, flags)
SAME_SIZE(cu_memory, CUmemGenericAllocationHandle)
SAME_SIZE(cu_device, CUdevice)
SAME_SIZE(cu_deviceptr, CUdeviceptr)

#define COUNT_DRIVER(name, parameters) +1
#define COUNT_NVRTC(name, result, parameters) +1
#define COUNT_CONSTANT(ours, theirs, value) +1

int main(void)
{
  printf("1..1\nok 1 - %d functions and %d constants are declared as in the toolkit for CUDA "
         "%d.%d\n",
         0 TRM_CUDA_DRIVER_FUNCTIONS(COUNT_DRIVER) TRM_CUDA_NVRTC_FUNCTIONS(COUNT_NVRTC),
         0 TRM_CUDA_CONSTANTS(COUNT_CONSTANT), CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  return 0;
}
