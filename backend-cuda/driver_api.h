/* driver_api.h - what this plugin uses of NVIDIA's driver and compiler, declared by ourselves.
 *
 * There is one list of functions of libcuda and one of libnvrtc, with the exact exported names, and
 * the few types and constants that they need. No CUDA toolkit is needed to build. Where a toolkit
 * is at hand, tests/backend-cuda/cuda_declarations.c compares every line here with its cuda.h and
 * nvrtc.h. Enumerations are unsigned int, as they are in NVIDIA's binary interface; the tags of
 * pointed-to structs are NVIDIA's own, so that the function types can be compared. */
#ifndef TRM_CUDA_DRIVER_API_H
#define TRM_CUDA_DRIVER_API_H

#include <stddef.h>

typedef unsigned int cu_result;
typedef unsigned int cu_attribute;
typedef int cu_device;
typedef unsigned long long cu_deviceptr;
typedef unsigned long long cu_memory;
typedef struct CUctx_st *cu_context;
typedef struct CUmod_st *cu_module;
typedef struct CUfunc_st *cu_function;
typedef struct CUstream_st *cu_stream;
typedef struct CUevent_st *cu_event;
typedef struct CUgraph_st *cu_graph;
typedef struct CUgraphExec_st *cu_graph_exec;
typedef unsigned int nvrtc_result;
typedef struct _nvrtcProgram *nvrtc_program;
struct CUlaunchConfig_st;
struct CUmemAllocationProp_st;
struct CUmemAccessDesc_st;
struct CUipcMemHandle_st;
struct CUipcEventHandle_st;

/* The launch attribute and configuration, laid out as NVIDIA's. */
typedef struct cu_launch_attribute {
  unsigned int id;
  char pad[4];
  union {
    char pad[64];
    int programmatic_stream_serialization_allowed;
    void *alignment;
  } value;
} cu_launch_attribute;

typedef struct cu_launch_config {
  unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  cu_stream stream;
  cu_launch_attribute *attributes;
  unsigned int attribute_count;
} cu_launch_config;

/* Memory to make, and who reaches it, laid out as NVIDIA's. */
typedef struct cu_memory_place { unsigned int type; int device; } cu_memory_place;

typedef struct cu_memory_kind {
  unsigned int type, handles;
  cu_memory_place place;
  void *windows;
  unsigned char flags[8];
} cu_memory_kind;

typedef struct cu_memory_access {
  cu_memory_place place;
  unsigned int flags;
} cu_memory_access;

/* X(our name, NVIDIA's name, value) */
#define TRM_CUDA_CONSTANTS(X) \
  X(CU_OK, CUDA_SUCCESS, 0) \
  X(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY, 2) \
  X(CU_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY, 34) \
  X(CU_DEVICE_UNAVAILABLE, CUDA_ERROR_DEVICE_UNAVAILABLE, 46) \
  X(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE, 100) \
  X(CU_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE, 200) \
  X(CU_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU, 209) \
  X(CU_ECC_UNCORRECTABLE, CUDA_ERROR_ECC_UNCORRECTABLE, 214) \
  X(CU_INVALID_PTX, CUDA_ERROR_INVALID_PTX, 218) \
  X(CU_NVLINK_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) \
  X(CU_NO_PEER, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217) \
  X(CU_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222) \
  X(CU_NOT_FOUND, CUDA_ERROR_NOT_FOUND, 500) \
  X(CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS, 700) \
  X(CU_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) \
  X(CU_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
  X(CU_PEER_IS_ENABLED, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704) \
  X(CU_CONTEXT_IS_DESTROYED, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) \
  X(CU_ASSERT, CUDA_ERROR_ASSERT, 710) \
  X(CU_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR, 714) \
  X(CU_ILLEGAL_INSTRUCTION, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) \
  X(CU_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS, 716) \
  X(CU_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) \
  X(CU_INVALID_PC, CUDA_ERROR_INVALID_PC, 718) \
  X(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED, 719) \
  X(CU_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY, 802) \
  X(CU_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803) \
  X(CU_COMPAT_NOT_SUPPORTED, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804) \
  X(CU_UNKNOWN, CUDA_ERROR_UNKNOWN, 999) \
  X(CU_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
  X(CU_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5) \
  X(CU_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6) \
  X(CU_MAX_GRID_DIM_Z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7) \
  X(CU_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  X(CU_MAX_THREADS_PER_UNIT, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39) \
  X(CU_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  X(CU_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
  X(CU_MAX_SHARED_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
  X(CU_HAS_MAPPED_MEMORY, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) \
  X(CU_MEMORY_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED, 1) \
  X(CU_MEMORY_OF_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE, 1) \
  X(CU_MEMORY_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3) \
  X(CU_GRAIN_RECOMMENDED, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1) \
  X(CU_FUNC_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) \
  X(CU_FUNC_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) \
  X(CU_FUNC_LOCAL_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) \
  X(CU_FUNC_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS, 4) \
  X(CU_FUNC_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
  X(CU_NON_BLOCKING, CU_STREAM_NON_BLOCKING, 1) \
  X(CU_EVENT_PLAIN, CU_EVENT_DEFAULT, 0) \
  X(CU_EVENT_NO_TIME, CU_EVENT_DISABLE_TIMING, 2) \
  X(CU_EVENT_SHARED, CU_EVENT_INTERPROCESS, 4) \
  X(CU_SHARED_LAZILY, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, 1) \
  X(CU_CAPTURE_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1) \
  X(CU_PROGRAMMATIC, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6)

enum {
#define TRM_CUDA_CONSTANT(ours, theirs, value) ours = value,
  TRM_CUDA_CONSTANTS(TRM_CUDA_CONSTANT)
#undef TRM_CUDA_CONSTANT
  CU_CONSTANTS_END
};

/* X(exported name, parameters); each returns cu_result. The event's time is asked for by its first
 * name, which every driver exports. */
#define TRM_CUDA_DRIVER_FUNCTIONS(X) \
  X(cuInit, (unsigned int flags)) \
  X(cuDriverGetVersion, (int *version)) \
  X(cuGetErrorName, (cu_result error, const char **text)) \
  X(cuGetErrorString, (cu_result error, const char **text)) \
  X(cuDeviceGetCount, (int *count)) \
  X(cuDeviceGet, (cu_device *device, int ordinal)) \
  X(cuDeviceGetName, (char *name, int bytes, cu_device device)) \
  X(cuDeviceTotalMem_v2, (size_t *bytes, cu_device device)) \
  X(cuDeviceGetPCIBusId, (char *address, int bytes, cu_device device)) \
  X(cuDeviceGetAttribute, (int *value, cu_attribute attribute, cu_device device)) \
  X(cuDevicePrimaryCtxRetain, (cu_context *context, cu_device device)) \
  X(cuDevicePrimaryCtxRelease_v2, (cu_device device)) \
  X(cuCtxSetCurrent, (cu_context context)) \
  X(cuCtxSynchronize, (void)) \
  X(cuCtxGetStreamPriorityRange, (int *least, int *greatest)) \
  X(cuStreamCreate, (cu_stream *stream, unsigned int flags)) \
  X(cuStreamCreateWithPriority, (cu_stream *stream, unsigned int flags, int priority)) \
  X(cuStreamDestroy_v2, (cu_stream stream)) \
  X(cuStreamSynchronize, (cu_stream stream)) \
  X(cuStreamWaitEvent, (cu_stream stream, cu_event event, unsigned int flags)) \
  X(cuDeviceCanAccessPeer, (int *can, cu_device device, cu_device peer)) \
  X(cuCtxEnablePeerAccess, (cu_context peer, unsigned int flags)) \
  X(cuStreamBeginCapture_v2, (cu_stream stream, unsigned int mode)) \
  X(cuStreamEndCapture, (cu_stream stream, cu_graph *graph)) \
  X(cuMemGetInfo_v2, (size_t *available, size_t *total)) \
  X(cuMemAlloc_v2, (cu_deviceptr *pointer, size_t bytes)) \
  X(cuMemFree_v2, (cu_deviceptr pointer)) \
  X(cuIpcGetMemHandle, (struct CUipcMemHandle_st *shared, cu_deviceptr pointer)) \
  X(cuIpcOpenMemHandle_v2, (cu_deviceptr *pointer, struct CUipcMemHandle_st shared, \
                            unsigned int flags)) \
  X(cuIpcCloseMemHandle, (cu_deviceptr pointer)) \
  X(cuIpcGetEventHandle, (struct CUipcEventHandle_st *shared, cu_event event)) \
  X(cuIpcOpenEventHandle, (cu_event *event, struct CUipcEventHandle_st shared)) \
  X(cuMemGetAllocationGranularity, (size_t *bytes, const struct CUmemAllocationProp_st *kind, \
                                    unsigned int option)) \
  X(cuMemAddressReserve, (cu_deviceptr *pointer, size_t bytes, size_t alignment, \
                          cu_deviceptr wanted, unsigned long long flags)) \
  X(cuMemAddressFree, (cu_deviceptr pointer, size_t bytes)) \
  X(cuMemCreate, (cu_memory *memory, size_t bytes, const struct CUmemAllocationProp_st *kind, \
                  unsigned long long flags)) \
  X(cuMemRelease, (cu_memory memory)) \
  X(cuMemMap, (cu_deviceptr pointer, size_t bytes, size_t offset, cu_memory memory, \
               unsigned long long flags)) \
  X(cuMemUnmap, (cu_deviceptr pointer, size_t bytes)) \
  X(cuMemSetAccess, (cu_deviceptr pointer, size_t bytes, \
                     const struct CUmemAccessDesc_st *access, size_t count)) \
  X(cuMemAllocHost_v2, (void **pointer, size_t bytes)) \
  X(cuMemFreeHost, (void *pointer)) \
  X(cuMemcpyDtoH_v2, (void *to, cu_deviceptr from, size_t bytes)) \
  X(cuMemcpyHtoDAsync_v2, (cu_deviceptr to, const void *from, size_t bytes, cu_stream stream)) \
  X(cuMemcpyDtoHAsync_v2, (void *to, cu_deviceptr from, size_t bytes, cu_stream stream)) \
  X(cuMemcpyDtoDAsync_v2, (cu_deviceptr to, cu_deviceptr from, size_t bytes, cu_stream stream)) \
  X(cuMemcpyPeerAsync, (cu_deviceptr to, cu_context to_context, cu_deviceptr from, \
                        cu_context from_context, size_t bytes, cu_stream stream)) \
  X(cuMemsetD8Async, (cu_deviceptr to, unsigned char value, size_t count, cu_stream stream)) \
  X(cuMemsetD16Async, (cu_deviceptr to, unsigned short value, size_t count, cu_stream stream)) \
  X(cuMemsetD32Async, (cu_deviceptr to, unsigned int value, size_t count, cu_stream stream)) \
  X(cuMemsetD2D32Async, (cu_deviceptr to, size_t pitch, unsigned int value, size_t width, \
                         size_t height, cu_stream stream)) \
  X(cuModuleLoadData, (cu_module *module, const void *image)) \
  X(cuModuleUnload, (cu_module module)) \
  X(cuModuleGetFunction, (cu_function *function, cu_module module, const char *name)) \
  X(cuModuleGetGlobal_v2, (cu_deviceptr *pointer, size_t *bytes, cu_module module, \
                           const char *name)) \
  X(cuFuncGetAttribute, (int *value, cu_attribute attribute, cu_function function)) \
  X(cuFuncSetAttribute, (cu_function function, cu_attribute attribute, int value)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, cu_function function, int threads, \
                                                  size_t shared_bytes)) \
  X(cuLaunchKernel, (cu_function function, unsigned int grid_x, unsigned int grid_y, \
                     unsigned int grid_z, unsigned int block_x, unsigned int block_y, \
                     unsigned int block_z, unsigned int shared_bytes, cu_stream stream, \
                     void **arguments, void **extra)) \
  X(cuLaunchKernelEx, (const struct CUlaunchConfig_st *config, cu_function function, \
                       void **arguments, void **extra)) \
  X(cuEventCreate, (cu_event *event, unsigned int flags)) \
  X(cuEventDestroy_v2, (cu_event event)) \
  X(cuEventRecord, (cu_event event, cu_stream stream)) \
  X(cuEventSynchronize, (cu_event event)) \
  X(cuEventElapsedTime, (float *milliseconds, cu_event begin, cu_event end)) \
  X(cuGraphInstantiateWithFlags, (cu_graph_exec *exec, cu_graph graph, unsigned long long flags)) \
  X(cuGraphUpload, (cu_graph_exec exec, cu_stream stream)) \
  X(cuGraphLaunch, (cu_graph_exec exec, cu_stream stream)) \
  X(cuGraphExecDestroy, (cu_graph_exec exec)) \
  X(cuGraphDestroy, (cu_graph graph))

/* X(exported name, result, parameters) */
#define TRM_CUDA_NVRTC_FUNCTIONS(X) \
  X(nvrtcGetErrorString, const char *, (nvrtc_result result)) \
  X(nvrtcVersion, nvrtc_result, (int *major, int *minor)) \
  X(nvrtcGetNumSupportedArchs, nvrtc_result, (int *count)) \
  X(nvrtcGetSupportedArchs, nvrtc_result, (int *archs)) \
  X(nvrtcCreateProgram, nvrtc_result, (nvrtc_program *program, const char *source, \
                                       const char *name, int header_count, \
                                       const char *const *headers, \
                                       const char *const *include_names)) \
  X(nvrtcDestroyProgram, nvrtc_result, (nvrtc_program *program)) \
  X(nvrtcCompileProgram, nvrtc_result, (nvrtc_program program, int option_count, \
                                        const char *const *options)) \
  X(nvrtcGetProgramLogSize, nvrtc_result, (nvrtc_program program, size_t *bytes)) \
  X(nvrtcGetProgramLog, nvrtc_result, (nvrtc_program program, char *log)) \
  X(nvrtcGetPTXSize, nvrtc_result, (nvrtc_program program, size_t *bytes)) \
  X(nvrtcGetPTX, nvrtc_result, (nvrtc_program program, char *ptx)) \
  X(nvrtcGetCUBINSize, nvrtc_result, (nvrtc_program program, size_t *bytes)) \
  X(nvrtcGetCUBIN, nvrtc_result, (nvrtc_program program, char *cubin))

/* The oldest driver with all of these (CUDA 11.8), and the oldest whose captured graphs know
 * programmatic edges (CUDA 12.3). */
enum { TRM_CUDA_OLDEST_DRIVER = 11080, TRM_CUDA_PROGRAMMATIC_GRAPHS = 12030 };

#endif
