/* device.h - an opened CUDA device and its objects: shared by the files of this plugin.
 *
 * A device is the primary context of one GPU and one stream of it. Every command goes through that
 * stream, which gives the order. Only rows that arrive from another GPU use a second stream
 * (queue.c). Every entry makes the context current for its thread first (cuda_enter), because calls
 * may come from different threads in turn. */
#ifndef TRM_CUDA_DEVICE_H
#define TRM_CUDA_DEVICE_H

#include "backend-cuda/driver.h"
#include "core/steps.h"

/* The target of the compiler: the device's own architecture, as a CUBIN. If NVRTC is older than the
 * device, it is the newest architecture that NVRTC knows, as PTX, which the driver translates. arch
 * 0: NVRTC has dropped this device. */
typedef struct cuda_target {
  int arch, is_ptx;                /* 90 is sm_90 */
} cuda_target;

enum { CUDA_PLAIN_SHARED = 48 << 10 }; /* above this a kernel asks for dynamic shared memory */
enum { CUDA_MAX_GPUS = 64 };             /* of one machine that reach each other directly */
enum { CUDA_CHUNKS = 2, CUDA_CHUNK_BYTES = 4 << 20 };

/* Host memory that the GPU reads and writes directly; a transfer uses the chunks in turn. */
typedef struct cuda_staging {
  void *chunk[CUDA_CHUNKS];
  cu_event passed[CUDA_CHUNKS];    /* the chunk's last transfer is over */
  int busy[CUDA_CHUNKS];           /* such a transfer was enqueued */
  int next;                        /* the chunk to write next */
  int ready;
} cuda_staging;

typedef struct cuda_gpu {
  cu_device ordinal;
  cu_context context;
  cu_stream stream;
  cu_stream arrivals;              /* queue.c; NULL until it is needed */
  cu_stream used;                  /* of the two, that which commands go into */
  uint64_t peers;                  /* bits of the ordinals to which a direct way was looked for */
  uint64_t near;                   /* and of those to which there is one */
  cu_context readers[CUDA_MAX_GPUS]; /* by ordinal: that of a GPU with a direct way to this one */
  size_t grain;                    /* bytes that are mapped at least (reserved.c); 0: it cannot */
  int chained[2];                  /* of each queue: its last command is a launch that waits */
  char label[192];                 /* "cuda:0 (NVIDIA H200)" */
  int capability;                  /* 90 */
  cuda_target target;
  int max_threads, max_shared;     /* of a block; shared memory in bytes, on request */
  unsigned int max_grid[3];
  int overlap;                     /* launches after launches use programmatic dependent launch */
  int units;                       /* multiprocessors */
  int steps_per_launch;            /* as in trm_device_options (temporal.c) */
  trm_steps_shape shape;           /* asked for; of steps 0: none */
  double residency;                /* as in trm_device_options; 0: no bound */
  int read_only_loads;             /* likewise */
  size_t graph_nodes;              /* a graph holds repeats of a sequence up to this length */
  cuda_staging staging;
  char lost[512];                  /* why the device cannot be used any more; "" while it can */
} cuda_gpu;

typedef struct cuda_buffer {
  cu_deviceptr pointer;
  size_t bytes;
  size_t grains;                   /* of addresses (reserved.c); 0: all of it is memory */
  uint32_t *blocks;                /* of each grain: 1 + the first one of its block; 0: no memory */
  int is_adopted;                  /* memory of another process (shared.c) */
} cuda_buffer;

/* ---- temporal.c: several recorded steps in one launch ------------------------- */

enum { CUDA_MAX_STEPS = 9 };
#define CUDA_TEMPORAL_MARK UINT64_C(0x6863726d5f6d7274) /* before each CUBIN of one in an image */

typedef struct cuda_temporal {
  const trm_host_kernel *declaration;
  trm_steps_shape shape;
  cu_module module;
  cu_function function;
  int items, shared_bytes, local_bytes, resident, real_bytes;
} cuda_temporal;

/* For trm_device_info.fused. */
void cuda_temporal_tell(cuda_target target, char *text, size_t bytes);

typedef struct cuda_kernel {
  struct cuda_kernel *next;
  cu_function function;
  unsigned int block_x, block_y, shared_bytes;
  unsigned int own_x;                    /* columns of its own that a group has */
  int waits;                       /* begins by waiting for the launch before it */
  const cuda_temporal *temporals; /* cuda_temporal_shapes of them, or NULL */
} cuda_kernel;

typedef struct cuda_program {
  cu_module module;
  int row_group_x, row_group_y, group;
  int waits;                       /* its dialect begins kernels with griddepcontrol.wait */
  cuda_kernel *kernels;
  cuda_temporal *temporals;       /* cuda_temporal_shapes for each kernel that has them */
  int temporal_count;
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
/* Refuses so many bytes, and tells how many are left. */
trm_status cuda_no_memory(cuda_gpu *gpu, size_t bytes);

trm_status cuda_know_grain(cuda_gpu *gpu);
trm_status cuda_buffer_reserve(void *device, size_t bytes, void **buffer);
trm_status cuda_buffer_hold(void *device, void *buffer, size_t offset, size_t bytes);
trm_status cuda_buffer_drop(void *device, void *buffer, size_t offset, size_t bytes);
void cuda_reserved_free(cuda_gpu *gpu, cuda_buffer *buffer);

trm_status cuda_queue_wait(void *device, trm_queue queue, void *event);
trm_status cuda_queue_record(void *device, trm_queue queue, void *event);
trm_status cuda_queue_use(void *device, trm_queue queue);
trm_status cuda_queue_mark(void *device, void **event);
trm_status cuda_peer_access(void *device, void *from_device, int *can);
trm_status cuda_queue_mark_shared(void *device, void **event);
trm_status cuda_share(void *device, void *buffer, void *event, trm_shared *out);
trm_status cuda_adopt(void *device, const trm_shared *shared, void **buffer, void **event);
trm_status cuda_arrive(void *device, void *to, size_t to_offset, void *from_device, void *from,
                       size_t from_offset, size_t bytes);

trm_status cuda_program_build(void *device, const trm_build *build, char **log, void **program);
trm_status cuda_program_binary(void *device, void *program, void **bytes, size_t *count);
trm_status cuda_program_load(void *device, const trm_build *build, const void *bytes, size_t count,
                             void **program);
void cuda_program_destroy(void *device, void *program);
trm_status cuda_program_key(void *device, const trm_build *build, char *line, size_t bytes);
trm_status cuda_kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                           void **kernel);

trm_status cuda_enqueue(void *device, const trm_command *command);
/* chained of the queue in use; whatever but a launch goes into a queue clears it. */
int *cuda_chained(cuda_gpu *gpu);
/* The same for a command of a recording; overlapped: it may be prepared while the launch before it
 * still runs (its kernel waits for that one's end itself). */
trm_status cuda_put(cuda_gpu *gpu, const trm_command *command, int overlapped);

typedef struct cuda_launch {
  cu_function function;
  unsigned int grid[3], block[2], shared_bytes;
} cuda_launch;
trm_status cuda_launch_put(cuda_gpu *gpu, const cuda_launch *launch, void **arguments,
                           int overlapped);

/* How many blocked forms a program of this module has: 0 where the device cannot or shall not. */
int cuda_temporal_count(const cuda_gpu *gpu, const trm_build *build);
/* Changes with their text and shapes. */
uint64_t cuda_temporal_key(const cuda_gpu *gpu);
/* How many shapes a kernel has: one where one was asked for. */
int cuda_temporal_shapes(const cuda_gpu *gpu);
/* Compiles them and appends them to the program's image. */
trm_status cuda_temporal_build(cuda_gpu *gpu, const trm_build *build, void **image, size_t *bytes);
/* Loads them from the image; what was loaded before a failure is left to cuda_temporal_unload. */
trm_status cuda_temporal_load(cuda_gpu *gpu, const trm_build *build, const void *image,
                              size_t bytes, cuda_program *program);
void cuda_temporal_unload(cuda_program *program);
/* The blocked form that serves this launch and its followers, or NULL and the reason. */
const cuda_temporal *cuda_temporal_of(const cuda_gpu *gpu, const trm_command *launch,
                                      const char **why);
/* The steps of `first` and the commands behind it, as many as the form takes, in one launch. */
trm_status cuda_put_temporal(cuda_gpu *gpu, const trm_command *first, const cuda_temporal *temporal,
                          int overlapped);

trm_status cuda_sequence_create(void *device, const trm_command *commands, size_t count,
                                void **sequence);
trm_status cuda_sequence_replay(void *device, void *sequence, size_t times);
void cuda_sequence_destroy(void *device, void *sequence);
int cuda_sequence_fused(void *device, void *sequence, size_t command, const char **why);

trm_status cuda_kernel_resources(void *device, const trm_command *launch,
                                 trm_kernel_resources *out);

/* ---- compile.c: NVRTC alone, without a device (the tests use it as it is) -------------------- */

/* The options of NVRTC in one line, for keys and messages. */
void cuda_compile_options(trm_math math, cuda_target target, char *line, size_t bytes);

/* The texts around the program's text: more defines before it, and the texts behind it. */
typedef struct cuda_text {
  const char *before, *after, *tail;
} cuda_text;

/* Around a program whose launches never overlap, so that loads may be read-only (kernel.h). */
extern const cuda_text cuda_read_only_text;

/* Compiles; around: NULL or see above; *image (malloc'd) is a CUBIN, or PTX text ending in 0 for
 * a PTX target. *log (malloc'd) holds the compiler's words, or NULL. */
trm_status cuda_compile(const trm_build *build, cuda_target target, const cuda_text *around,
                        char **log, void **image, size_t *bytes);

#endif
