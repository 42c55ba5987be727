/* trireme.h - the dispatch interface: one solver, three engines.
 *
 * For authors of solvers. A solver opens a device, allocates buffers, builds a program from one
 * kernel text and launches kernels. The user chooses the engine that runs them (OpenMP, OpenCL,
 * CUDA). No solver names an engine.
 *
 * Ownership: the caller of a function named _create or _open owns the result, and
 * gives it back to the matching _destroy or _close. That function takes the handle's address,
 * accepts NULL, and clears the handle. Everything else that a function returns belongs to the
 * object given to it, and lives as long as that object.
 *
 * Errors: every function that can fail returns a trm_status and leaves its
 * outputs untouched on failure. The function that knows the cause records code,
 * text, file and line for the calling thread (trm_error_last); callers pass the
 * status on with TRM_TRY. The library never prints, exits or aborts.
 *
 * Threads: a device, and everything created on it, is used by one thread at a time. Different
 * devices may be used by different threads.
 *
 * Launches, fills and copies are asynchronous and run in order. trm_buffer_read blocks. Errors of
 * the device surface at trm_device_finish, trm_buffer_read or trm_event_elapsed. Sizes and offsets
 * of buffers are in bytes, of type size_t. A kernel receives whole buffers; offsets inside them are
 * element indices among its parameters. */
#ifndef TRIREME_H
#define TRIREME_H

#include <stddef.h>
#include <stdint.h>

#include "host_module.h" /* beside this file, here and where it is installed */

#ifdef __cplusplus
extern "C" {
#endif

#define TRM_API __attribute__((visibility("default")))

/* ---- statuses and errors ------------------------------------------------- */

#define TRM_STATUSES(X) \
  X(OK, "success") \
  X(INVALID, "invalid argument or wrong use") \
  X(OVERFLOW, "a size does not fit its type") \
  X(NO_HOST_MEMORY, "out of host memory") \
  X(NO_DEVICE_MEMORY, "out of device memory") \
  X(NOT_FOUND, "no such backend, device, kernel, variant or key") \
  X(NOT_READY, "the backend is not ready on this machine") \
  X(UNSUPPORTED, "the device cannot do this") \
  X(BUILD, "the kernels could not be built") \
  X(DEVICE, "the device reported an error") \
  X(INPUT, "bad input") \
  X(IO, "a file could not be read or written") \
  X(DIVERGED, "the run produced values that are not finite") \
  X(INTERRUPTED, "stopped by the user")

typedef enum trm_status {
#define TRM_STATUS_ENUM(name, text) TRM_ERROR_##name,
  TRM_STATUSES(TRM_STATUS_ENUM)
#undef TRM_STATUS_ENUM
  TRM_STATUS_COUNT
} trm_status;
#define TRM_OK TRM_ERROR_OK

typedef struct trm_error {
  trm_status status;
  int line;           /* line in the source where the cause was seen */
  const char *file;
  char text[1024];    /* one sentence: the cause and, where there is one, the cure */
} trm_error;

/* The generic text of a status ("out of device memory"). Never NULL. */
TRM_API const char *trm_status_text(trm_status status);

/* The calling thread's last recorded error. Never NULL; valid until the thread records another. */
TRM_API const trm_error *trm_error_last(void);

/* Records an error for the calling thread and returns its status; use TRM_FAIL. */
TRM_API trm_status trm_error_record(trm_status status, const char *file, int line,
                                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* return TRM_FAIL(INPUT, "%s:%d: ...", path, line); */
#define TRM_FAIL(name, ...) \
  trm_error_record(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)

/* Passes a failure on to the caller. */
#define TRM_TRY(call) \
  do { \
    const trm_status trm_try_status = (call); \
    if (trm_try_status != TRM_OK) return trm_try_status; \
  } while (0)

/* *out = a * b (or a + b); TRM_ERROR_OVERFLOW, naming `what`, when it does not fit. */
TRM_API trm_status trm_size_mul(size_t a, size_t b, const char *what, size_t *out);
TRM_API trm_status trm_size_add(size_t a, size_t b, const char *what, size_t *out);

/* ---- small vocabulary ---------------------------------------------------- */

typedef enum trm_type { TRM_TYPE_F32, TRM_TYPE_F64, TRM_TYPE_I32, TRM_TYPE_U8 } trm_type;

TRM_API const char *trm_precision_name(trm_precision precision); /* "f32", "f64" */
TRM_API const char *trm_math_name(trm_math math);                /* "strict", "fast" */
TRM_API size_t trm_type_size(trm_type type);                     /* bytes */
TRM_API const char *trm_type_name(trm_type type);                /* "f32", "f64", "i32", "u8" */
TRM_API trm_type trm_real_type(trm_precision precision);

/* The library's version, "0.1.0". */
TRM_API const char *trm_version(void);

typedef struct trm_context trm_context;
typedef struct trm_device trm_device;
typedef struct trm_buffer trm_buffer;
typedef struct trm_program trm_program;
typedef struct trm_kernel trm_kernel;
typedef struct trm_event trm_event;
typedef struct trm_sequence trm_sequence;
typedef struct trm_reduction trm_reduction;
typedef struct trm_sort trm_sort;
typedef struct trm_scan trm_scan;
typedef struct trm_compact trm_compact;

/* ---- context: the plugins, the cache, the log ---------------------------- */

typedef enum trm_log_level { TRM_LOG_WARNING, TRM_LOG_INFO, TRM_LOG_DEBUG } trm_log_level;
typedef void trm_log_fn(void *user, trm_log_level level, const char *text);

typedef struct trm_context_options {
  trm_log_fn *log;          /* NULL: silence */
  void *log_user;
  int no_cache;             /* nonzero: neither read nor write the program cache */
} trm_context_options;

/* options may be NULL. Looks for plugin files, opens none of them. */
TRM_API trm_status trm_context_create(const trm_context_options *options, trm_context **out);
TRM_API void trm_context_destroy(trm_context **context);

#define TRM_BACKEND_STATES(X) \
  X(READY, "ready") \
  X(NO_DRIVER, "no driver") \
  X(NO_DEVICE, "no device") \
  X(DRIVER_TOO_OLD, "driver too old") \
  X(MISSING_LIBRARY, "missing library") \
  X(ABI_MISMATCH, "ABI mismatch") \
  X(CANNOT_LOAD, "cannot load") \
  X(NOT_FOUND, "not found") \
  X(BROKEN, "broken")

typedef enum trm_backend_state {
#define TRM_BACKEND_STATE_ENUM(name, text) TRM_BACKEND_##name,
  TRM_BACKEND_STATES(TRM_BACKEND_STATE_ENUM)
#undef TRM_BACKEND_STATE_ENUM
  TRM_BACKEND_STATE_COUNT
} trm_backend_state;

TRM_API const char *trm_backend_state_text(trm_backend_state state);

/* One plugin file that was considered, or a known backend for which no file was found. */
typedef struct trm_backend_info {
  const char *name;        /* "openmp", "opencl", "cuda", or a plugin's own */
  const char *path;        /* the file; "" where none was found */
  const char *summary;     /* one line from the plugin; "" while it is not loaded */
  const char *version;     /* version of the driver or platform below the plugin; "" unknown ""
                            * unknown */
  trm_backend_state state;
  const char *reason;      /* why it is not ready, in the driver's own words; "" when ready */
  const char *cure;        /* what the user can do; "" when ready */
  size_t device_count;
} trm_backend_info;

/* Loads and probes every candidate; *list has *count entries and belongs to the context. */
TRM_API trm_status trm_backend_list(trm_context *context, const trm_backend_info **list,
                                    size_t *count);

/* ---- devices ------------------------------------------------------------- */

typedef struct trm_device_info {
  char backend[32];        /* "cuda" */
  size_t index;            /* within the backend: "cuda:0" */
  char name[128];          /* "NVIDIA H200" */
  char vendor[128];
  char driver[128];        /* driver or platform with its version */
  char compiler[128];      /* compiler of the kernel text, with its version */
  uint64_t memory_bytes;   /* total; 0 when unknown */
  uint64_t max_buffer_bytes; /* the largest single buffer; 0 when unlimited */
  int has_f64;             /* 1 when double precision works */
  int is_host;             /* 1 when kernels are ahead-of-time host code */
  int compute_units;       /* multiprocessors, or threads */
  int threads;             /* host threads used by an opened openmp device, else 0 */
  char pinning[32];        /* "cores", "none": how those threads are bound; "" on a GPU */
  char isa[32];            /* host instances in use: "x86-64-v4"; "" on a GPU */
  int row_group_x, row_group_y; /* default group shape of row kernels */
  int group;               /* default group size of group kernels */
  int row_align_bytes;     /* rows begin at multiples of this */
  int ghost_columns;       /* 1 on a host, whose kernels read neighbours beyond a row's end from
                            * ghost columns (trm_layout.ghosts: how many a row has); 0 on a GPU */
  char pci[32];            /* where the device sits, "0000:17:00.0"; "" on a host or unknown */
  char fused[96];          /* how many recorded steps share a launch, or why only one; "" unknown */
  char whole[96];          /* why it has memory for whole buffers alone, where several devices share
                            * them by rows; "" where it has memory for its own rows */
} trm_device_info;

/* Every device of every ready backend; belongs to the context. */
TRM_API trm_status trm_device_list(trm_context *context, const trm_device_info **list,
                                   size_t *count);

typedef struct trm_device_options {
  int threads;             /* host threads; 0: all cores (openmp only) */
  int wavefront;           /* steps in one pass of a host: 0 automatic, 1 off, else their number */
  int steps_per_launch;    /* recorded steps in one launch of a GPU: 0 the fastest number known, 1
                            * one step, else up to that many, even if it may be slower */
  int plain_replay;        /* nonzero: replay launch by launch (to measure and to test) */
  /* The form of a launch of steps_per_launch steps (docs/tune.md). Columns of a group: a multiple
   * of 32, or 56 with 3 steps and 1 row, for a warp (0: the backend chooses). Rows that a group
   * computes at once. Nonzero if these are all rows of the group. */
  int shape_columns, shape_rows, shape_is_tile;
  int plain_host;          /* nonzero: programs that have such an instance run as compiled without
                            * optimisation and vectors (openmp only; to measure) */
  double residency;        /* at most this part of a multiprocessor's items is resident, but a group
                            * at least: groups ask for shared memory that nobody uses. 0: as many as
                            * fit (cuda and opencl; to measure) */
  int no_overlap;          /* nonzero: a launch begins after the end of the launch before it (cuda
                            * only; to measure) */
  int read_only_loads;     /* nonzero: what a kernel only reads is loaded through the read-only
                            * cache; then launches do not overlap, either (cuda only; to measure) */
} trm_device_options;

/* Opens one device: "openmp", "cuda:0", "opencl:1" or "opencl:H200" (by part of its name, case
 * ignored). A backend that is not ready is TRM_ERROR_NOT_READY, with its reason and cure. An
 * unknown backend is TRM_ERROR_NOT_FOUND, with the nearest name. No other backend is ever opened in
 * its place. options may be NULL. */
TRM_API trm_status trm_device_open(trm_context *context, const char *name,
                                   const trm_device_options *options, trm_device **out);

/* Several devices are the parts of a run (docs/scale.md), each with its rows. Strict arithmetic has
 * the same bits as on a single device. Such a part's device describes itself as all of them. Its
 * info.backend is "devices", info.index their number, info.name their names. The key run.devices of
 * trm_run_open (trireme-run.h) names them. trm_device_open opens one device alone. */
typedef struct trm_device_part {
  const trm_device_info *info;
  double weight;
  size_t first, rows;      /* its rows of the grid that was declared last; 0 rows: no grid was */
  int rank;                /* the process that owns it,  */
  const char *node;        /* and the name of its machine; 0 and "" if there is one process */
} trm_device_part;
/* How many devices share the work, 0 for a single one; fills in up to `most` of them. out may be
 * NULL. */
TRM_API size_t trm_device_parts(const trm_device *device, size_t most, trm_device_part *out);

/* A launch that is not shared out by rows runs on the first part alone. Then other parts fetch its
 * results. Between trm_device_replicate(device, 1) and (device, 0), each part carries out these
 * launches and copies itself. Use it for results that are faster to compute again than to fetch. */
TRM_API void trm_device_replicate(trm_device *device, int on);

/* Processes of one run (docs/scale.md). Call trm_ranks_begin before anything else; it does nothing
 * if no launcher started several processes. *rank and *size are set in any case. Rank 0 continues,
 * and opens runs, in which each rank has one device; trm_device_open is refused. The others call
 * trm_ranks_run_worker, which returns when rank 0 is done. All processes end with
 * trm_ranks_end, also after a failure. A launcher whose library is missing is TRM_ERROR_NOT_READY;
 * the library of another launcher is TRM_ERROR_INVALID. Rank 0 refuses ranks that run different
 * programs or have different words in argv[1..]. Once a link between ranks has failed, each call
 * that needs a link fails, trm_ranks_end too. Then tell the user, and end all ranks by
 * trm_ranks_abort, since other ranks may wait for ever. */
TRM_API trm_status trm_ranks_begin(int argc, char *const *argv, int *rank, int *size);
TRM_API trm_status trm_ranks_run_worker(void);
TRM_API trm_status trm_ranks_end(void);
TRM_API void trm_ranks_abort(int exit_code) __attribute__((noreturn));
/* On rank 0: the devices of another rank (the caller frees *list), and the name of any rank's
 * machine, "" if there is no such rank. */
TRM_API trm_status trm_ranks_devices(int rank, trm_device_info **list, size_t *count);
TRM_API const char *trm_rank_node(int rank);

TRM_API void trm_device_close(trm_device **device);
TRM_API const trm_device_info *trm_device_describe(const trm_device *device);

/* Bytes that can still be allocated; 0 if the device does not tell. */
TRM_API trm_status trm_device_free_memory(trm_device *device, uint64_t *bytes);

/* Call it before a run allocates: TRM_ERROR_NO_DEVICE_MEMORY, with the memory that is needed and
 * available, unless `bytes` can still be allocated. A device that does not tell counts as large
 * enough. what: "a grid of 128 x 128 cells". */
TRM_API trm_status trm_device_require(trm_device *device, uint64_t bytes, const char *what);

/* Waits for everything launched so far. */
TRM_API trm_status trm_device_finish(trm_device *device);

/* ---- buffers ------------------------------------------------------------- */

/* name appears in messages. bytes > 0. Contents are undefined. Too little memory is
 * TRM_ERROR_NO_DEVICE_MEMORY and says how much was needed and how much is available. */
TRM_API trm_status trm_buffer_create(trm_device *device, size_t bytes, const char *name,
                                     trm_buffer **out);
TRM_API void trm_buffer_destroy(trm_buffer **buffer);
TRM_API size_t trm_buffer_bytes(const trm_buffer *buffer);

/* Write returns when source may be reused; read blocks until the data is there. */
TRM_API trm_status trm_buffer_write(trm_buffer *buffer, size_t offset, size_t bytes,
                                    const void *source);
TRM_API trm_status trm_buffer_read(trm_buffer *buffer, size_t offset, size_t bytes,
                                   void *destination);

/* Both on one device; ranges inside one buffer must not overlap. */
TRM_API trm_status trm_buffer_copy(trm_buffer *destination, size_t destination_offset,
                                   trm_buffer *source, size_t source_offset, size_t bytes);

/* Repeats a pattern of 1, 2, 4 or 8 bytes; offset and bytes are multiples of it. */
TRM_API trm_status trm_buffer_fill(trm_buffer *buffer, size_t offset, size_t bytes,
                                   const void *pattern, size_t pattern_bytes);

/* Where the cells of a field of `components` components of nx x ny x nz cells lie in a buffer of
 * this device. Rows are aligned, and have ghost columns where the device's kernels need them.
 * Strides are padded off the powers of two, which make streams fight for one cache set. All in
 * elements: cell (c, x, y, z) is element first + c * component + (z * ny + y) * row + x. */
typedef struct trm_layout {
  size_t first, row, component, elements;
  size_t ghosts;               /* ghost columns of each row on either side */
} trm_layout;

/* A buffer that several devices share. Row r = z * ny + y of component c has its nx values from
 * element layout.first + c * layout.component + r * layout.row on. It
 * is cut at rows, in three dimensions at planes. A row kernel over ny x nz rows that writes such
 * buffers is launched on each device for the device's own rows, and writes no other rows. Any other
 * launch runs on the first device alone, with whole buffers. */
typedef struct trm_by_rows {
  trm_type type;
  size_t nx, ny, nz, components;
  trm_layout layout;
  int is_output;           /* 1: a kernel that writes a row reads no other row, as with leaves */
  /* For rows with different numbers of values, such as the cells beside a wall: `lists` lists
   * one behind the other, each in the order of the rows. List i has the values of row r from
   * element starts[i * (ny * nz + 1) + r] to element starts[i * (ny * nz + 1) + r + 1], counted
   * from the component's first. NULL: none */
  size_t lists;
  const size_t *starts;
  /* In two dimensions a kernel's row may be a block of rows: rows of a block (0: no blocks), and
   * rows that a kernel reads beyond its block (0: `halo` blocks). A launch over as many rows as
   * there are blocks is over blocks; any other launch is over rows. In three dimensions a block is
   * a number of planes (0: one), as the groups of a kernel have them. Devices are divided at
   * blocks. */
  size_t block, reach;
  int is_bounded;          /* 1: no kernel reads across the edge, from first row to last */
  /* The values of a host's ghost columns in a row that comes from a GPU: 0: those of a periodic
   * grid; 1: the nearest value of the row */
  int is_repeated;
} trm_by_rows;
/* Declares the rows, once, before the first launch. More devices than rows are TRM_ERROR_INPUT. On
 * one device alone it changes nothing. */
TRM_API trm_status trm_buffer_rows(trm_buffer *buffer, const trm_by_rows *rows);

/* The part of a grid's rows that a buffer holds: rows [first, first + count) of `total`, and
 * `ghosts` rows of its neighbours on either side of them. Alone: 0, total, total, 0. In three
 * dimensions total is ny * nz, row = y + ny * z. */
typedef struct trm_rows {
  size_t first, count, total, ghosts;
} trm_rows;

TRM_API trm_status trm_layout_rows(const trm_device *device, trm_type type, size_t nx, size_t ny,
                                   size_t nz, size_t components, trm_layout *out);

/* trm_layout_rows for kernels that read more than one cell west or east: with room for `ghosts`
 * ghost columns on either side of each row. That number, at most 1024, is out->ghosts where the
 * device's kernels need ghost columns; on a GPU it is 0. */
TRM_API trm_status trm_layout_ghosts(const trm_device *device, trm_type type, size_t nx, size_t ny,
                                     size_t nz, size_t components, size_t ghosts,
                                     trm_layout *out);

/* ---- programs: one kernel text and its host instances (host_module.h) ----- */

typedef struct trm_program_source {
  const char *name;        /* "lbm" */
  const char *file;        /* "solvers/lbm/driven/lbm.k", for the compilers' messages */
  const char *text;        /* the kernel text */
  const trm_host_module *const *modules; /* every host instance; ends with NULL */
} trm_program_source;

typedef struct trm_program_options {
  trm_precision precision;
  trm_math math;
  const char *variant;     /* NULL or "": the default one */
  int row_group_x, row_group_y; /* 0: the device's default. x of 32s, but for TRM_ANY_GROUP */
  int group;               /* 0: the device's default; a multiple of 32 */
} trm_program_options;

typedef struct trm_program_info {
  trm_precision precision;
  trm_math math;
  const char *variant;
  const char *isa;         /* host: the instance in use; GPU: "" */
  int row_group_x, row_group_y, group; /* as built (a host's are fixed) */
  double build_seconds;
  int from_cache;          /* 1 when a cached binary was used */
} trm_program_info;

/* Builds (or loads from the cache) the text for the device. A variant without a host instance is
 * TRM_ERROR_NOT_FOUND; the text lists the existing variants. Strict arithmetic on a device that
 * fails the probe is TRM_ERROR_UNSUPPORTED, and names the operation. The error's text holds the
 * compiler's log. */
TRM_API trm_status trm_program_create(trm_device *device, const trm_program_source *source,
                                      const trm_program_options *options, trm_program **out);
TRM_API void trm_program_destroy(trm_program **program);
TRM_API const trm_program_info *trm_program_describe(const trm_program *program);

/* The kernel belongs to the program. */
TRM_API trm_status trm_program_kernel(trm_program *program, const char *name, trm_kernel **out);
TRM_API const char *trm_kernel_name(const trm_kernel *kernel);

/* Enqueues one launch. params is copied. Its size and the number of buffers must equal the kernel's
 * declaration. */
TRM_API trm_status trm_kernel_launch(trm_kernel *kernel, const trm_extent *extent,
                                     const void *params, size_t param_bytes,
                                     trm_buffer *const *buffers, size_t buffer_count);

/* trm_kernel_launch over one row, row number `row` of the buffers that it writes. With several
 * devices, the owner of this row does the work. */
TRM_API trm_status trm_kernel_launch_row(trm_kernel *kernel, const trm_extent *extent, int64_t row,
                                         const void *params, size_t param_bytes,
                                         trm_buffer *const *buffers, size_t buffer_count);

/* A launch of a group kernel that several devices share. Its groups [r * each, (r + 1) * each)
 * along x write row r, and no other row, of the buffers that it writes. These buffers are declared
 * by rows. The groups read only row r of these buffers, and of read-only buffers declared alike. If
 * bit i of `replicated` is set, they may read any row of buffer i. The kernel must not use TRM_NX.
 * On one device it is trm_kernel_launch. */
TRM_API trm_status trm_kernel_launch_groups(trm_kernel *kernel, const trm_extent *extent,
                                            int32_t each, uint32_t replicated, const void *params,
                                            size_t param_bytes, trm_buffer *const *buffers,
                                            size_t buffer_count);

/* ---- events: time on the device ------------------------------------------ */

TRM_API trm_status trm_event_create(trm_device *device, trm_event **out);
TRM_API void trm_event_destroy(trm_event **event);
TRM_API trm_status trm_event_record(trm_event *event);
/* Seconds between two recorded events; waits for the later one. */
TRM_API trm_status trm_event_elapsed(trm_event *begin, trm_event *end, double *seconds);

/* ---- sequences: record once, replay many times --------------------------- */

/* Between begin and end, launches, fills and copies on the device are recorded and not executed.
 * Parameters are copied, and buffers are retained until the sequence is destroyed. Reads, writes
 * and finish are refused while recording. */
TRM_API trm_status trm_sequence_begin(trm_device *device);
TRM_API trm_status trm_sequence_end(trm_device *device, trm_sequence **out);
/* Gives up a recording after an error. Does nothing when none is open. */
TRM_API void trm_sequence_cancel(trm_device *device);
TRM_API void trm_sequence_destroy(trm_sequence **sequence);
/* Enqueues the whole sequence `times` times. */
TRM_API trm_status trm_sequence_replay(trm_sequence *sequence, size_t times);
TRM_API size_t trm_sequence_length(const trm_sequence *sequence);

/* ---- reductions ---------------------------------------------------------- */

typedef enum trm_reduce_op { TRM_SUM, TRM_MIN, TRM_MAX } trm_reduce_op;

/* Reduces each of `rows` rows of `count` consecutive values to one value, on the device. The order
 * depends on count alone: equal bits on every backend and for any group size. The order: chunks of
 * 4096 values; in a chunk, lane i of 256 takes values i, i+256, ... in order, then the lanes are
 * folded by halves. The results of the chunks are reduced in the same way until one is left.
 * Missing values are +0 for sums and ignored otherwise. NaN makes a sum NaN; minimum and maximum of
 * values with a NaN among them are NaN. Scratch memory belongs to the object; nothing is allocated
 * by run. */
TRM_API trm_status trm_reduction_create(trm_device *device, trm_reduce_op op, trm_precision type,
                                        size_t count, size_t rows, trm_reduction **out);
TRM_API void trm_reduction_destroy(trm_reduction **reduction);
/* Row r reads source[source_offset + r * source_stride + i], i < count, and writes
 * destination[destination_offset + r]; offsets and stride in elements. rows <= the created rows. */
TRM_API trm_status trm_reduction_run(trm_reduction *reduction, trm_buffer *source,
                                     size_t source_offset, size_t source_stride, size_t rows,
                                     trm_buffer *destination, size_t destination_offset);

/* ---- sorting, running sums, compaction ------------------------------------ */

/* All on 32-bit ints, on the device; counts from 1 to 2^31 - 65537, offsets and strides in
 * elements; results depend on the values alone. Scratch memory belongs to the object; nothing is
 * allocated by run, which can be recorded. */

/* Sorts `count` records of `rows` words (1 to 4), in place. Word r of record i is
 * records[offset + r * stride + i]. The key is the first key_rows words as one unsigned number,
 * the first word most significant; the others move along. Stable. Scratch: as much again as the
 * records take. */
TRM_API trm_status trm_sort_create(trm_device *device, size_t count, size_t rows, trm_sort **out);
TRM_API void trm_sort_destroy(trm_sort **sort);
TRM_API trm_status trm_sort_run(trm_sort *sort, trm_buffer *records, size_t offset, size_t stride,
                                size_t key_rows);

/* Each of `count` values from values[offset] on becomes the sum of those before it, the first 0; in
 * place. The sum of all must fit an int. */
TRM_API trm_status trm_scan_create(trm_device *device, size_t count, trm_scan **out);
TRM_API void trm_scan_destroy(trm_scan **scan);
TRM_API trm_status trm_scan_run(trm_scan *scan, trm_buffer *values, size_t offset);

/* Lists, in ascending order from 0, the numbers i of the `count` flags that are not 0, from
 * list[list_offset] on. The list has room for all flags. number[number_offset] gets how many
 * numbers were listed. Three different buffers. */
TRM_API trm_status trm_compact_create(trm_device *device, size_t count, trm_compact **out);
TRM_API void trm_compact_destroy(trm_compact **compact);
TRM_API trm_status trm_compact_run(trm_compact *compact, trm_buffer *flags, size_t flags_offset,
                                   trm_buffer *list, size_t list_offset, trm_buffer *number,
                                   size_t number_offset);

#ifdef __cplusplus
}
#endif
#endif
