/* internal.h - what the files of libtrireme share: the objects behind the opaque types.
 *
 * Lifetimes are reference counts. A child keeps its parent. Buffers, programs, events and sequences
 * hold their device; a device holds its context; a sequence holds the buffers and programs of its
 * commands. So a destroy in any order is safe; the backend's object goes with the last holder.
 * Counts are plain integers: a device and its children belong to one thread at a time. Only a
 * context is shared by the threads of different devices: its count is atomic, its list locked. */
#ifndef TRIREME_INTERNAL_H
#define TRIREME_INTERNAL_H

#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "core/backend.h"
#include "core/cache.h"
#include "core/probe.h"
#include "core/plugins/registry.h"
#include "core/counters.h"
#include "core/trace.h"
#include "core/sharing.h"

/* ---- context -------------------------------------------------------------- */

struct trm_context {
  atomic_size_t holders;
  trm_log_fn *log;
  void *log_user;
  trmi_registry *registry;
  trmi_cache *cache;            /* NULL: none */
  pthread_mutex_t lock;         /* for all members below */
  trm_device_info *devices;     /* filled by the first trm_device_list */
  size_t device_count;
};

void trmi_context_retain(trm_context *context);
void trmi_context_release(trm_context *context);

/* Backends log through a function without a context (backend.h). The text goes to the context that
 * this thread named last. Core names one before every call into a plugin. NULL: nowhere. */
void trmi_log_to(const trm_context *context);
void trmi_log(trm_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- errors and names ----------------------------------------------------- */

/* A failing destroy, or a question on the side, must not replace the cause that a caller is about
 * to read. So keep the thread's error before, and restore it after. */
void trmi_error_keep(trm_error *kept);
void trmi_error_restore(const trm_error *kept);
/* Keeps the first of several failures: the recorded error becomes *first if `status` is a failure
 * and *first has none yet. */
static inline void trmi_error_first(trm_error *first, trm_status status)
{
  if (status != TRM_OK && first->status == TRM_OK) *first = *trm_error_last();
}
/* Records a failure again, since another one may have followed. */
static inline trm_status trmi_error_again(const trm_error *kept)
{
  return kept->status == TRM_OK ? TRM_OK
         : trm_error_record(kept->status, kept->file, kept->line, "%s", kept->text);
}

/* Puts ` (did you mean "NAME"?)` into text, or "" when nothing is near. Returns text. */
const char *trmi_suggestion(const char *name, const char *const *names, size_t count, char *text,
                            size_t bytes);

/* Appends to a bounded text; what does not fit is cut. */
void trmi_append(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- device --------------------------------------------------------------- */

/* A program that several objects of a device share; the first of them builds it. */
typedef struct trmi_shared_program {
  trm_program *program;
  size_t users;
} trmi_shared_program;

struct trm_device {
  size_t holders;
  trm_context *context;
  const trm_backend *table;
  void *handle;
  trm_device_info info;
  trm_device_options options;
  trm_sequence *recording;      /* open between trm_sequence_begin and trm_sequence_end */
  int is_strict[2];             /* by precision: the probe of probe.c was passed */
  trm_counters counters;
  size_t unasked_bytes;         /* that buffers may take before the machine is asked again */
  trmi_shared_program reductions[2], sorts; /* by precision; for sorts, scans and compaction */
  const trmi_trace_hooks *trace; /* NULL: none */
  trmi_fused_launches *fused; /* a kernel each (fused.c) */
  size_t fused_count;
  int is_replicated;            /* trm_device_replicate */
  struct domain_packer *packer; /* domain/pack.c; NULL: none */
  trm_spent spent;              /* for a device of a part */
  int is_exact;                 /* of a part: launches are waited for, to time them */
  struct domain_device *domain; /* of a device of one part of a run (domain/device.h); NULL: it is
                                 * alone */
  struct trmi_host_team *host_team; /* host_team.c; NULL: not needed yet */
};

/* Ends the threads of trm_device_host_each. *team becomes NULL; it may be NULL already. */
typedef struct trmi_host_team trmi_host_team;
void trmi_host_team_destroy(trmi_host_team **team);
/* For trm_services.copy: the device whose threads share the copy; NULL: the caller copies alone. */
void trmi_host_copy_for(trm_device *device);
trm_status trmi_host_copy(void *to, const void *from, size_t bytes);
/* Cores that the process might use when it began. */
int trmi_host_cores(void);

void trmi_device_retain(trm_device *device);
void trmi_device_release(trm_device *device);
/* "cuda:0 (NVIDIA H200)", for messages. */
const char *trmi_device_label(const trm_device *device, char *text, size_t bytes);
/* TRM_ERROR_INVALID while a sequence is recorded on the device; what: "trm_buffer_read". */
trm_status trmi_device_idle(const trm_device *device, const char *what);
/* Threads and drivers of a device exist in the process that opened it, not in a forked child. In a
 * child devices are refused, and a release leaves the driver's objects as they are. */
int trmi_is_forked(void);
trm_status trmi_refuse_forked(const char *what);
/* Waits for all launches so far, before an object that they may use is destroyed; keeps the
 * error. */
void trmi_device_wait(trm_device *device);
/* Counts one command. */
void trmi_count_command(trm_counters *counters, const trm_command *command);
/* Executes or, while recording, keeps one checked command. buffers: count handles behind
 * command->buffers, retained by a recording; program NULL for copies and fills. */
trm_status trmi_device_submit(trm_device *device, const trm_command *command,
                              trm_buffer *const *buffers, size_t buffer_count,
                              trm_program *program);

/* Carries out one checked command now, between its two hooks. */
trm_status trmi_device_enqueue(trm_device *device, const trm_command *command,
                               trm_buffer *const *buffers, trm_program *program);
/* trace.c: calls the device's hook for an event, if it has one. */
trm_status trmi_trace_before(trm_device *device, const trmi_seen *seen);
trm_status trmi_trace_after(trm_device *device, const trmi_seen *seen);
trm_status trmi_trace_layout(const trm_device *device, trm_type type, const size_t shape[4],
                             const trm_layout *layout);
trm_status trmi_trace_buffer(trm_device *device, trm_buffer *created);
trm_status trmi_trace_written(trm_device *device, trm_buffer *buffer);
trm_status trmi_trace_replay(trm_device *device, const trm_sequence *sequence, size_t times,
                             size_t *seen);

/* ---- several devices: trm_command.sharing --------------------------------- */

/* Chunks of the rows of a buffer. */
typedef struct trmi_chunks {
  size_t values, count;         /* values of a chunk, 0: there are no chunks; values of a row */
  size_t first, stride;         /* the first value of row 0 in the buffer; distance between rows */
} trmi_chunks;

enum { TRMI_REPLICATED = -1 };  /* as how.each: every device makes the whole launch */

typedef struct trmi_sharing {
  trm_sharing how;
  int64_t at_row;               /* trm_kernel_launch_row: the number of the row + 1; 0: all rows */
  trmi_chunks chunks;
} trmi_sharing;

/* ---- buffers, programs, events, sequences --------------------------------- */

struct trm_buffer {
  size_t holders;
  trm_device *device;
  void *handle;
  size_t bytes, held_bytes;     /* held: those with memory behind them */
  struct domain_buffer *part;   /* of a buffer that all parts of a run have; NULL: it is the
                                 * device's own */
  char name[64];
};

/* A buffer of a device that is one of several: zeros, of which memory is taken for bytes that are
 * held alone. Where the backend cannot reserve addresses it is a whole buffer. Bytes are held once,
 * and dropped only after they were. */
trm_status trmi_buffer_reserve(trm_device *device, size_t bytes, const char *name,
                               trm_buffer **out);
trm_status trmi_buffer_hold(trm_buffer *buffer, size_t offset, size_t bytes);
trm_status trmi_buffer_drop(trm_buffer *buffer, size_t offset, size_t bytes);
void trmi_buffer_retain(trm_buffer *buffer);
void trmi_buffer_release(trm_buffer *buffer);

struct trm_kernel {
  trm_program *program;
  const trm_host_kernel *declaration;
  void *handle;                 /* NULL until first needed */
};

struct trm_program {
  size_t holders;
  trm_device *device;
  void *handle;
  const trm_host_module *module;
  trm_program_info info;
  char name[64];                /* for messages */
  uint64_t text;                /* see core/program_text.h */
  trm_kernel *kernels;          /* module->kernel_count of them */
};

void trmi_program_retain(trm_program *program);
trm_status trmi_program_share(trm_device *device, const trm_program_source *source,
                              const trm_program_options *options, trmi_shared_program *shared,
                              trm_program **out);
void trmi_program_unshare(trmi_shared_program *shared, trm_program **program);
/* Do `rows` rows of `count` values from `first`, `stride` apart, lie inside the buffer? what, role:
 * the function and the argument, for the message. */
trm_status trmi_buffer_holds(const trm_buffer *buffer, const char *what, const char *role,
                             size_t first, size_t stride, size_t rows, size_t count,
                             size_t value_bytes);
void trmi_program_release(trm_program *program);

struct trm_event {
  trm_device *device;
  void *handle;
  int recorded;
};

/* The objects that a recorded command keeps alive, and how it is shared. */
typedef struct trmi_kept {
  trmi_sharing sharing;
  trm_program *program;
  trm_buffer *buffers[TRM_MAX_BUFFERS];
  size_t buffer_count;
} trmi_kept;

struct trm_sequence {
  trm_device *device;
  trm_command *commands;
  trmi_kept *kept;
  size_t count, capacity;
  trm_counters counters;        /* of one replay */
  uint64_t number;              /* no other sequence of this process has or had it */
  void *handle;                 /* the backend's; NULL: core replays command by command */
  struct domain_kept *exchanges; /* with other parts, domain/launches.c; NULL: none yet */
};

/* Appends a copy of a command to an open recording and retains the objects that it names. */
trm_status trmi_sequence_keep(trm_sequence *sequence, const trm_command *command,
                              trm_buffer *const *buffers, size_t buffer_count,
                              trm_program *program);

/* A launch that was recorded, and how many of its kind the device carries out at once. */
#define TRMI_FUSED_PLAIN "commands are enqueued one by one (run.plain_replay, a trace)"
void trmi_fused_note(trm_device *device, const trm_program *program, const trm_command *launch,
                     int launches, const char *why);
/* Asks the backend about each launch of a sequence that it was given. */
void trmi_fused_record(trm_device *device, const trm_sequence *sequence);

/* Kernels that copy pieces of 32-bit words (sort.k); places are in words. `one`: `pieces`
 * pieces with as many words each; by_table: `rows` rows of a table from `row` on, each of at most
 * so many words, from the buffer to the packed buffer or back.
 * trmi_program_unshare(&device->sorts, ...) releases the program. */
typedef struct trmi_pack {
  trm_program *program;
  trm_kernel *one, *by_table;
} trmi_pack;
typedef struct trm_place { size_t first, row; } trm_place;
enum { TRMI_PACK_ROW = 5 };     /* numbers in a row of a table */
trm_status trmi_pack_take(trm_device *device, trmi_pack *out);
trm_status trmi_pack_one(const trmi_pack *kernels, trm_buffer *from, trm_place from_place,
                         trm_buffer *to, trm_place to_place, size_t words, size_t pieces);
void trmi_pack_row(int32_t *row, size_t words, size_t place, size_t packed_place);
trm_status trmi_pack_by_table(const trmi_pack *kernels, trm_buffer *table, size_t row, size_t rows,
                              size_t words, trm_buffer *buffer, trm_buffer *packed, int is_back);

/* As trm_kernel_launch, for a group kernel. Each of `rows` groups reduces one chunk of the first
 * buffer, the chunk with the group's number; one row each. NULL: each group reads the whole
 * buffer. */
trm_status trmi_kernel_launch_chunks(trm_kernel *kernel, const trm_extent *extent, int32_t rows,
                                     const trmi_chunks *chunks, const void *params,
                                     size_t param_bytes, trm_buffer *const *buffers,
                                     size_t buffer_count);

/* An event for queue_record and queue_wait of a backend that has them. */
trm_status trmi_mark_create(trm_device *device, trm_event **out);
trm_status trmi_mark_create_shared(trm_device *device, trm_event **out);

/* ---- host instances (isa.c, module.c) -------------------------------------- */

enum { TRMI_MAX_ISAS = 4 };
/* The instruction sets that host instances may use here, best first. Where TRIREME_ISA is set: only
 * that one, or an error when the processor cannot run it. At least one. */
trm_status trmi_isa_list(const char *names[TRMI_MAX_ISAS], size_t *count);
/* The first of them that this build has; TRM_ERROR_UNSUPPORTED where it has none. */
trm_status trmi_isa_best(const char **out);
/* The instance for precision, arithmetic and variant: on a host the best that the processor can
 * run, on a GPU any. Every table of the source is checked on the way. */
trm_status trmi_module_pick(const trm_device *device, const trm_program_source *source,
                            const trm_program_options *options, const trm_host_module **out);

/* ---- texts that are compiled in ------------------------------------------- */

extern const char trm_text_kernel_header[];   /* core/kernel.h (kernel_text.c) */

#endif
