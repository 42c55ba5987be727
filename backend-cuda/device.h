/* device.h - an opened CUDA device and what lives on it: shared by the files of this plugin.
 *
 * A device is the primary context of one GPU and one stream of it; everything goes through that
 * stream, so order is the stream's. Every entry makes the context current for its thread first
 * (cuda_enter), because calls may come from different threads in turn. */
#ifndef TRM_CUDA_DEVICE_H
#define TRM_CUDA_DEVICE_H

#include "backend-cuda/driver.h"

/* What code is made for: the device's own architecture as a CUBIN, or, when NVRTC is older than
 * the device, the newest that NVRTC knows as PTX, which the driver translates. arch 0: NVRTC has
 * dropped this device. */
typedef struct cuda_target {
  int arch, is_ptx;                /* 90 is sm_90 */
} cuda_target;

enum { CUDA_CHUNKS = 2, CUDA_CHUNK_BYTES = 4 << 20 };

/* Host memory that the GPU reads and writes directly; a transfer uses the chunks in turn. */
typedef struct cuda_staging {
  void *chunk[CUDA_CHUNKS];
  cu_event passed[CUDA_CHUNKS];    /* the chunk's last transfer is over */
  int busy[CUDA_CHUNKS];           /* such a transfer was enqueued */
  int ready;
} cuda_staging;

typedef struct cuda_gpu {
  cu_device ordinal;
  cu_context context;
  cu_stream stream;
  char label[192];                 /* "cuda:0 (NVIDIA H200)" */
  int capability;                  /* 90 */
  cuda_target target;
  int max_threads, max_shared;     /* of a block; shared memory in bytes, on request */
  unsigned int max_grid[3];
  int overlap;                     /* recorded launches use programmatic dependent launch */
  size_t graph_nodes;              /* a graph holds repeats of a sequence up to this length */
  cuda_staging staging;
  char lost[512];                  /* why the device cannot be used any more; "" while it can */
} cuda_gpu;

typedef struct cuda_buffer {
  cu_deviceptr pointer;
  size_t bytes;
} cuda_buffer;

typedef struct cuda_kernel {
  struct cuda_kernel *next;
  cu_function function;
  unsigned int block_x, block_y, shared_bytes;
  int waits;                       /* begins by waiting for the launch before it */
} cuda_kernel;

typedef struct cuda_program {
  cu_module module;
  int row_group_x, row_group_y, group;
  int waits;                       /* its dialect begins kernels with griddepcontrol.wait */
  cuda_kernel *kernels;
  void *image;                     /* the CUBIN (or PTX), for program_binary; NULL when loaded */
  size_t image_bytes;
} cuda_program;

/* ---- errors --------------------------------------------------------------- */

/* Records what a driver function reported, and the loss of the device. gpu may be NULL. */
trm_status cuda_error(cuda_gpu *gpu, cu_result result, const char *function, const char *file,
                      int line);

/* CU_TRY(gpu, cuStreamSynchronize, (gpu->stream)); */
#define CU_TRY(gpu, function, arguments) \
  do { \
    const cu_result cu_try_result = cu.function arguments; \
    if (cu_try_result != CU_OK) \
      return cuda_error(gpu, cu_try_result, #function, __FILE__, __LINE__); \
  } while (0)

/* Makes the context current; refuses a lost device with the reason. */
trm_status cuda_enter(cuda_gpu *gpu);

/* ---- probe.c -------------------------------------------------------------- */

void cuda_probe(trm_probe *out);
trm_status cuda_describe(size_t index, trm_device_info *out);
cuda_target cuda_target_of(int capability);

/* ---- the entries of the backend's table, by file --------------------------- */

trm_status cuda_open(size_t index, const trm_device_options *options, trm_device_info *info,
                     void **device);
void cuda_close(void *device);
trm_status cuda_finish(void *device);
trm_status cuda_event_create(void *device, void **event);
void cuda_event_destroy(void *device, void *event);
trm_status cuda_event_record(void *device, void *event);
trm_status cuda_event_elapsed(void *device, void *begin, void *end, double *seconds);

trm_status cuda_free_memory(void *device, uint64_t *bytes);
trm_status cuda_buffer_create(void *device, size_t bytes, void **buffer);
void cuda_buffer_destroy(void *device, void *buffer);
trm_status cuda_buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                             const void *source);
trm_status cuda_buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                            void *destination);
void cuda_staging_free(cuda_gpu *gpu);

trm_status cuda_program_build(void *device, const trm_build *build, char **log, void **program);
trm_status cuda_program_binary(void *device, void *program, void **bytes, size_t *count);
trm_status cuda_program_load(void *device, const trm_build *build, const void *bytes, size_t count,
                             void **program);
void cuda_program_destroy(void *device, void *program);
trm_status cuda_program_key(void *device, const trm_build *build, char *line, size_t bytes);
trm_status cuda_kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                           void **kernel);

trm_status cuda_enqueue(void *device, const trm_command *command);
/* The same for a command of a recording; overlapped: it may be prepared while the launch before it
 * still runs (its kernel waits for that one's end itself). */
trm_status cuda_put(cuda_gpu *gpu, const trm_command *command, int overlapped);

trm_status cuda_sequence_create(void *device, const trm_command *commands, size_t count,
                                void **sequence);
trm_status cuda_sequence_replay(void *device, void *sequence, size_t times);
void cuda_sequence_destroy(void *device, void *sequence);

trm_status cuda_kernel_resources(void *device, const trm_command *launch,
                                 trm_kernel_resources *out);

/* ---- compile.c: NVRTC alone, without a device (the tests use it as it is) -------------------- */

/* One line of what NVRTC is told, for keys and messages. */
void cuda_compile_options(trm_math math, cuda_target target, char *line, size_t bytes);

/* Compiles; *image (malloc'd) is a CUBIN, or PTX text ending in 0 for a PTX target. *log (malloc'd)
 * holds the compiler's words, or NULL. */
trm_status cuda_compile(const trm_build *build, cuda_target target, char **log, void **image,
                        size_t *bytes);

#endif
