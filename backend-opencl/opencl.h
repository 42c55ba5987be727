/* opencl.h - shared by the files of the OpenCL plugin.
 *
 * The plugin speaks OpenCL 1.2 through the ICD loader. One device is one context with one
 * in-order queue. Names that cross files begin with ocl_; nothing but the entry is exported. */
#ifndef TRIREME_BACKEND_OPENCL_H
#define TRIREME_BACKEND_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "core/steps.h"

/* ---- errors (error.c) ---------------------------------------------------- */

extern const trm_services *ocl_services;

/* return OCL_FAIL(INVALID, "..."); */
#define OCL_FAIL(name, ...) \
  ocl_services->fail(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)

/* return OCL_ERROR(code, "clFinish", device->name); a code of the driver, the call that gave it,
 * and its object. */
#define OCL_ERROR(code, call, what) ocl_error_record((code), (call), (what), __FILE__, __LINE__)

/* "CL_OUT_OF_RESOURCES"; never NULL. */
const char *ocl_error_name(cl_int code);
/* TRM_ERROR_NO_DEVICE_MEMORY, TRM_ERROR_NO_HOST_MEMORY or TRM_ERROR_DEVICE. */
trm_status ocl_error_status(cl_int code);
trm_status ocl_error_record(cl_int code, const char *call, const char *what, const char *file,
                            int line);

/* ---- what the machine has (platform.c, check_device.c, vendor.c, loader.c, pocl.c) */

typedef struct ocl_site {
  cl_platform_id platform;
  cl_device_id device;
} ocl_site;

void ocl_probe(trm_probe *out);
trm_status ocl_describe(size_t index, trm_device_info *out);
/* The device with this number over all platforms; index < device_count of the probe. */
const ocl_site *ocl_site_at(size_t index);

/* Compiles and launches something small there, in the probe process. */
void ocl_check_device(const ocl_site *site);

/* A text property, trimmed; "" when the driver does not tell. */
void ocl_device_text(cl_device_id device, cl_device_info what, char *text, size_t bytes);
void ocl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t bytes);
/* "OpenCL 3.0 PoCL 3.1": the platform's version without the list of its build options. */
void ocl_platform_version(cl_platform_id platform, char *text, size_t bytes);
/* A number property; 0 when the driver does not tell. */
cl_ulong ocl_device_number(cl_device_id device, cl_device_info what);
/* Compute capability's major number; 0: not NVIDIA's. */
int ocl_nvidia(const ocl_site *site);

/* Appends to a text of `bytes` bytes, cutting what does not fit. */
void ocl_append(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends one clause for every driver that is registered with the ICD loader and cannot be used.
 * Appends one for every variable that is set for a loader and that this loader does not read. */
void ocl_vendor_complaints(char *text, size_t bytes);

/* Whether the word, a variable's name for one, is among the ICD loader's constants. */
int ocl_loader_knows(const char *word);
/* The ICD loader's file; kept by the dynamic linker. */
const char *ocl_loader_file(void);

/* Settings that PoCL reads in the first platform call: its kernel cache in a folder of this
 * process, no second compilation at the first launch. */
void ocl_pocl_prepare(void);
int ocl_pocl_is(const char *platform);
/* Why PoCL cannot keep its kernels, with the folder and the cure; NULL: it can, or the platform is
 * another. The folder is made, as PoCL would. */
const char *ocl_pocl_complaint(const char *platform, const char **cure);
/* The folder where PoCL keeps kernels beyond this process; NULL: PoCL keeps none, or the platform
 * is not PoCL. */
const char *ocl_pocl_cache(const char *platform);

/* ---- an opened device (device.c) ------------------------------------------ */

/* A compute unit, where its groups share local memory (ballast.c). */
typedef struct ocl_unit {
  int bytes, items;                      /* of all its groups together */
  int taken;                             /* bytes of each group that the system takes */
} ocl_unit;

typedef struct ocl_device {
  cl_context context;
  cl_command_queue queue;
  cl_device_id id;
  cl_platform_id platform;
  char name[128];
  uint64_t memory_bytes;
  uint64_t allocated_bytes;              /* in living buffers */
  uint64_t next_buffer;                  /* serial number of the next buffer */
  unsigned unflushed;                    /* enqueued since the last flush */
  int nvidia;                            /* of ocl_nvidia */
  int is_pocl;
  int steps_per_launch;                  /* as in trm_device_options (temporal.c) */
  trm_steps_shape shape;                 /* asked for; of steps 0: none */
  double residency;                      /* as in trm_device_options; 0: no bound, and no unit */
  ocl_unit unit;
} ocl_device;

trm_status ocl_open(size_t index, const trm_device_options *options, trm_device_info *info,
                    void **device);
void ocl_close(void *device);
trm_status ocl_finish(void *device);
/* Counts one enqueued command and hands the queue to the driver now and then. */
trm_status ocl_queued(ocl_device *device);

/* ---- buffers (buffer.c) ---------------------------------------------------- */

typedef struct ocl_buffer {
  cl_mem memory;
  uint64_t serial;                       /* never used twice, unlike the driver's handle */
  size_t bytes;
} ocl_buffer;

trm_status ocl_free_memory(void *device, uint64_t *bytes);
trm_status ocl_buffer_create(void *device, size_t bytes, void **buffer);
void ocl_buffer_destroy(void *device, void *buffer);
trm_status ocl_buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                            const void *source);
trm_status ocl_buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                           void *destination);

/* ---- programs and kernels (source.c, program.c, binary.c, kernel.c, resources.c) */

enum { OCL_SOURCE_PARTS = 9 };

/* The texts for the driver's compiler, one part after another; it points into the build and into
 * itself. */
typedef struct ocl_source {
  const char *parts[OCL_SOURCE_PARTS];
  char lines[2][512];                    /* the #line directives among the parts */
} ocl_source;

void ocl_source_make(const trm_build *build, ocl_source *out);
/* ocl_source_make with defines before the dialect, and texts after the solver's text. */
void ocl_source_make_temporal(const trm_build *build, const char *before, const char *after,
                           const char *tail, ocl_source *out);
/* A compiler's log with each "<kernel>:LINE:", where LINE counts through all parts, replaced by our
 * file and line; malloc'd, NULL without memory. */
char *ocl_source_log(const ocl_source *source, const char *log);
/* Registers and bytes of the stack of kernel `name`, read from the output of NVIDIA's compiler with
 * -cl-nv-verbose; a number that is missing there stays unchanged. */
void ocl_words_read(const char *text, const char *name, int *registers, int *local_bytes);

/* The arguments as they were last set on a kernel. */
typedef struct ocl_arguments {
  int known;                             /* 0: nothing was set yet */
  uint64_t buffers[TRM_MAX_BUFFERS];     /* serials */
  unsigned char params[TRM_MAX_PARAM_BYTES];
  trm_extent extent;
} ocl_arguments;

typedef struct ocl_kernel {
  struct ocl_kernel *next;
  struct ocl_program *owner;
  cl_kernel handle;
  const trm_host_kernel *declaration;
  size_t local[3];
  size_t own;                            /* row kernels: columns of its own that a group has */
  size_t ballast;                        /* bytes of its last argument; 0: it has none */
  ocl_arguments set;
  int was_run;
} ocl_kernel;

typedef struct ocl_program {
  cl_program handle;
  char name[64];
  int row_group_x, row_group_y, group;
  ocl_kernel *kernels;
  char *words;                           /* of a verbose compiler; NULL until asked for, or none */
  struct ocl_temporal *temporals;         /* a kernel that has them: TRM_STEPS_SHAPES, or one */
  int temporal_count;
} ocl_program;

/* Refuses a device whose unit is not known; `name` is the device's. */
trm_status ocl_unit_find(const ocl_site *site, const char *name, ocl_unit *out);
/* The ballast of a kernel with so many bytes of local memory of its own, where a group may have
 * `limit` bytes. */
trm_status ocl_ballast_find(const ocl_device *device, const ocl_kernel *kernel, size_t own,
                            size_t limit, size_t *out);

/* The compiler's options for this device and arithmetic. */
void ocl_program_options(const ocl_device *device, const trm_build *build, char *text,
                         size_t bytes);
struct ocl_bytes;
/* Takes over the driver's program, with its blocked forms from their binaries (NULL: from their
 * text); on failure it is still the caller's. */
trm_status ocl_program_adopt(ocl_device *device, cl_program handle, const trm_build *build,
                             const struct ocl_bytes *temporals, void **program);
trm_status ocl_program_build(void *device, const trm_build *build, char **log, void **program);
/* The driver's binary of one of its programs, malloc'd. */
trm_status ocl_binary_of(cl_program handle, const char *name, unsigned char **bytes,
                         size_t *count);
/* Records why the driver's compiler refused the source. */
trm_status ocl_program_fail(const ocl_device *device, const trm_build *build,
                            const ocl_source *source, cl_program handle, cl_int code);
trm_status ocl_program_binary(void *device, void *program, void **bytes, size_t *count);
trm_status ocl_program_load(void *device, const trm_build *build, const void *bytes, size_t count,
                            void **program);
void ocl_program_destroy(void *device, void *program);
trm_status ocl_program_key(void *device, const trm_build *build, char *line, size_t bytes);
trm_status ocl_kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                          void **kernel);
trm_status ocl_kernel_resources(void *device, const trm_command *launch, trm_kernel_resources *out);

/* ---- several recorded steps in one launch (temporal.c) ------------------------- */

typedef struct ocl_bytes {
  const unsigned char *bytes;
  size_t count;
} ocl_bytes;

typedef struct ocl_temporal {
  const trm_host_kernel *declaration;
  trm_steps_shape shape;
  cl_program handle;                     /* NULL: the device cannot hold its groups */
  int items, shared_bytes, real_bytes;
  int fits;                              /* the driver takes a group of so many items */
  int has_rounds;                        /* a launch may do its steps several times */
} ocl_temporal;

/* How many a program of this module has: 0 where they are not wanted. */
int ocl_temporal_count(const ocl_device *device, const trm_build *build);
/* For trm_device_info.fused. */
void ocl_temporal_tell(int nvidia, char *text, size_t bytes);
/* Changes with their text and shapes. */
uint64_t ocl_temporal_key(const ocl_device *device);
/* Makes the kernels of several steps from their text, or from as many binaries (empty: no binary).
 * After a failure, ocl_temporal_release releases the parts made so far. */
trm_status ocl_temporal_make(ocl_device *device, const trm_build *build, const ocl_bytes *binaries,
                          ocl_program *program);
void ocl_temporal_release(ocl_program *program);
/* The blocked form that serves this launch and its followers, or NULL and the reason. */
const ocl_temporal *ocl_temporal_of(const ocl_device *device, const trm_command *launch,
                              const char **why);
/* One command for the driver, its sizes worked out. */
typedef struct ocl_range {
  size_t global[3], local[3];
} ocl_range;

/* A command with its arguments set. */
typedef struct ocl_frozen {
  cl_kernel kernel;                      /* NULL: a copy or a fill */
  ocl_range range;
  cl_mem given, gate;                    /* of rounds (kernel_temporal.h); NULL: it has none */
  int was_run;
} ocl_frozen;

/* How often a launch of `first` and the commands behind it may do the form's steps one after the
 * other. */
int ocl_temporal_rounds(const ocl_device *device, const ocl_temporal *temporal,
                        const trm_command *first);
/* A kernel object that does the steps of `first` and of the commands behind it, `launches` of them,
 * and its sizes. */
trm_status ocl_temporal_freeze(const ocl_device *device, const trm_command *first, size_t launches,
                            ocl_frozen *out);

/* ---- commands, events, sequences (command.c, event.c, sequence.c) ----------- */

void ocl_range_of(const ocl_kernel *kernel, const trm_extent *extent, ocl_range *out);
/* Sets what differs from *set, and notes it there. */
trm_status ocl_arguments_set(cl_kernel handle, const trm_command *command, ocl_arguments *set);
/* *was_run: whether this handle was launched before; then it is 1. */
trm_status ocl_range_enqueue(ocl_device *device, cl_kernel handle, const ocl_range *range,
                             const char *name, int *was_run);

trm_status ocl_enqueue(void *device, const trm_command *command);

trm_status ocl_event_create(void *device, void **event);
void ocl_event_destroy(void *device, void *event);
trm_status ocl_event_record(void *device, void *event);
trm_status ocl_event_elapsed(void *device, void *begin, void *end, double *seconds);

trm_status ocl_sequence_create(void *device, const trm_command *commands, size_t count,
                               void **sequence);
trm_status ocl_sequence_replay(void *device, void *sequence, size_t times);
void ocl_sequence_destroy(void *device, void *sequence);
int ocl_sequence_fused(void *device, void *sequence, size_t command, const char **why);

#endif
