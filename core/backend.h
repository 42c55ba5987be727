/* backend.h - the contract between libtrireme and a backend plugin.
 *
 * A plugin is one shared object, trireme_NAME.so, with one exported symbol,
 *
 *     const trm_backend *trm_backend_NAME(uint32_t abi, const trm_services *services);
 *
 * which returns the backend's table, or NULL after services->fail when it cannot serve this
 * library at all (another ABI number). It must not touch a driver; only probe does. The plugin has
 * no undefined symbol of the core; `services` holds the functions of the core that it may call.
 *
 * Core checks every argument before it calls an entry: handles are not NULL and belong to the
 * device, ranges lie inside buffers, counts match the kernel's declaration. An entry only reports
 * the errors of its driver. A failing entry calls services->fail once, with the driver's own words,
 * and returns its status. Outputs are written on success only. Destroy entries accept no NULL.
 *
 * Calls for one device come from one thread at a time; probe and describe are called under the
 * registry's lock. Entries marked (optional) may be NULL.
 *
 * A change of anything in this file, or of the structs of trireme.h that it uses, needs a new
 * TRM_BACKEND_ABI. */
#ifndef TRIREME_BACKEND_H
#define TRIREME_BACKEND_H

#include "trireme.h"

enum { TRM_BACKEND_ABI = 18 };

typedef struct trm_services {
  uint32_t abi, bytes;                   /* TRM_BACKEND_ABI, sizeof(trm_services) */
  /* Records an error for the calling thread and returns status. */
  trm_status (*fail)(trm_status status, const char *file, int line, const char *format, ...)
      __attribute__((format(printf, 4, 5)));
  /* To the log of the context for which the device was opened, or nowhere. */
  void (*log)(trm_log_level level, const char *format, ...)
      __attribute__((format(printf, 2, 3)));
  /* For probe alone. Drivers may end or hang the process: so a separate process, trireme-probe,
   * first loads the plugin and probes (in_probe_process is nonzero there). Before a probe touches a
   * part that is not essential, such as one of several drivers, it names the part: NULL means
   * continue. Other words say how that process ended at this part: leave the part out and name it
   * in the reason. If the process fails outside of parts, the plugin
   * itself is refused. It does more than a
   * probe: it compiles and launches something small on each
   * device if the driver's compiler is
   * known to end processes. */
  const char *(*part)(const char *name);
  int in_probe_process;
  /* For buffer_write and buffer_read: copies bytes of the host between two places that do not
   * overlap. Several threads share a large copy. */
  trm_status (*copy)(void *to, const void *from, size_t bytes);
} trm_services;

typedef struct trm_probe {
  trm_backend_state state;
  char reason[512];                      /* why not ready; what was left out ("platform X: ") */
  char cure[512];
  char version[128];                     /* driver, platform or runtime, with version */
  size_t device_count;
} trm_probe;

/* A program as core hands it to the backend: the texts, and the host instance whose table declares
 * the kernels. */
typedef struct trm_build {
  const char *name;                      /* program, for messages */
  const char *dialect_file, *dialect;    /* kernel.h, as text */
  const char *file, *text;               /* the solver's kernels */
  const char *defines;                   /* lines to put before everything: precision, arithmetic,
                                            group shape, variant; in order, each with its newline */
  trm_precision precision;
  trm_math math;
  int row_group_x, row_group_y, group;
  const trm_host_module *module;         /* the host instance for this CPU; never NULL: its kernel
                                            table also tells a GPU backend kinds, halos and
                                            sizes */
} trm_build;

/* Another process of the machine reaches a buffer or a mark by these bytes. */
typedef struct trm_shared { unsigned char bytes[64]; } trm_shared;

typedef enum trm_queue { TRM_QUEUE_COMMANDS, TRM_QUEUE_ARRIVALS } trm_queue;

typedef enum trm_command_kind {
  TRM_COMMAND_LAUNCH, TRM_COMMAND_COPY, TRM_COMMAND_FILL
} trm_command_kind;

typedef struct trm_command {
  trm_command_kind kind;
  /* launch */
  void *kernel;                          /* the backend's handle */
  const trm_host_kernel *declaration;    /* kind, halo, sizes; on a host the function itself */
  trm_extent extent;
  uint32_t param_bytes, buffer_count;
  unsigned char params[TRM_MAX_PARAM_BYTES];
  void *buffers[TRM_MAX_BUFFERS];        /* handles; copy: [0] destination, [1] source; fill: [0] */
  /* copy and fill, in bytes */
  size_t offset, source_offset, bytes;
  unsigned char pattern[8];
  uint32_t pattern_bytes;
  /* A launch of a row kernel on one of several devices covers `rows` rows from first_row on, in
   * three dimensions whole planes. Its first row or plane is extent.unused, and the kernel adds it
   * (TRM_CUT). A recorded launch on a host may have rows behind the last one, which go on at row 0.
   * For a group kernel, extent.unused is the first group along x, and extent.nx the number of
   * groups. */
  int64_t first_row, rows;
  const struct trmi_sharing *sharing;    /* core's own: how several devices share a launch */
} trm_command;

/* The extent that a launch covers: its whole extent, or its part of it. */
static inline trm_extent trm_command_covers(const trm_command *launch)
{
  trm_extent part = launch->extent;
  if (launch->rows == 0) return part;
  if (part.nz > 1) part.nz = (int32_t)(launch->rows / part.ny);
  else part.ny = (int32_t)launch->rows;
  return part;
}

/* Columns that a group of `items` along x has of its own, for a row kernel whose text was built
 * with TRM_OVERLAPPING, as in kernel_gpu.h. */
static inline int trm_own_columns(const trm_host_kernel *kernel, int items)
{
  const int own = items - 2 * kernel->overlap;
  return own < 32 ? items : own;
}

/* The resources that one launch of a kernel takes. -1: unknown. */
typedef struct trm_kernel_resources {
  int group_items;                       /* items of a group */
  int registers;                         /* of 32 bits, an item */
  int local_bytes;                       /* an item: private arrays and spilled registers */
  int shared_bytes;                      /* a group */
  int resident_groups;                   /* groups that one multiprocessor holds at once */
  double occupancy;                      /* their items as a share of the most it holds: 0 to 1 */
  char reason[192];                      /* why values of -1 are unknown; "" if there are none */
} trm_kernel_resources;

typedef struct trm_backend {
  uint32_t abi, bytes;                   /* TRM_BACKEND_ABI, sizeof(trm_backend): checked first */
  const char *name;                      /* "cuda": equal to the NAME of file and symbol */
  const char *summary;                   /* one line for `trireme backends` */

  /* Looks for driver and devices, quietly; always fills *out. Called once a process. */
  void (*probe)(trm_probe *out);
  /* index < device_count. */
  trm_status (*describe)(size_t index, trm_device_info *out);

  /* *info is updated with facts that only an opened device knows (threads, pinning, isa). */
  trm_status (*open)(size_t index, const trm_device_options *options, trm_device_info *info,
                     void **device);
  void (*close)(void *device);
  trm_status (*finish)(void *device);
  trm_status (*free_memory)(void *device, uint64_t *bytes);          /* (optional) */

  trm_status (*buffer_create)(void *device, size_t bytes, void **buffer);
  void (*buffer_destroy)(void *device, void *buffer);
  trm_status (*buffer_write)(void *device, void *buffer, size_t offset, size_t bytes,
                             const void *source);
  trm_status (*buffer_read)(void *device, void *buffer, size_t offset, size_t bytes,
                            void *destination);

  /* Compiles; *log (malloc'd by the backend, freed by core with free, may stay NULL) holds
   * warnings. */
  trm_status (*program_build)(void *device, const trm_build *build, char **log, void **program);
  /* (optional, both or none) The binary that load reads, malloc'd, freed by core. A binary that
   * load refuses is built again. */
  trm_status (*program_binary)(void *device, void *program, void **bytes, size_t *count);
  trm_status (*program_load)(void *device, const trm_build *build, const void *bytes,
                             size_t count, void **program);
  void (*program_destroy)(void *device, void *program);
  /* Everything besides texts and defines that a binary depends on: device, driver, compiler and
   * options, as one line for the cache's key. An empty line: the driver keeps its programs from
   * process to process, and core keeps none. */
  trm_status (*program_key)(void *device, const trm_build *build, char *line,
                            size_t bytes);                                         /* (optional) */
  /* The kernel handle lives as long as the program. */
  trm_status (*kernel_get)(void *device, void *program, const trm_host_kernel *declaration,
                           void **kernel);

  /* Launches, copies or fills; asynchronous, in order. */
  trm_status (*enqueue)(void *device, const trm_command *command);

  trm_status (*event_create)(void *device, void **event);
  void (*event_destroy)(void *device, void *event);
  trm_status (*event_record)(void *device, void *event);
  trm_status (*event_elapsed)(void *device, void *begin, void *end, double *seconds);

  /* (optional, all or none: core then enqueues command by command) The commands, and the buffers
   * and kernels they name, stay alive and unchanged until sequence_destroy. */
  trm_status (*sequence_create)(void *device, const trm_command *commands, size_t count,
                                void **sequence);
  trm_status (*sequence_replay)(void *device, void *sequence, size_t times);
  void (*sequence_destroy)(void *device, void *sequence);

  /* (optional) For a launch: every member of *out is unknown at the call. The entry fills in the
   * members it knows, and a reason if others stay unknown. */
  trm_status (*kernel_resources)(void *device, const trm_command *launch,
                                 trm_kernel_resources *out);
  /* (optional) How many recorded launches a replay of the sequence carries out together with its
   * command number `command`, a launch. On a GPU they share one launch, on a host one pass over
   * memory. If that is 1, *why tells the reason; the text stays valid. */
  int (*sequence_fused)(void *device, void *sequence, size_t command, const char **why);

  /* (optional, all or none: core then moves bytes between devices through the host's memory) Each
   * device has two queues: one for its commands, one for transfers to or from another device of
   * this backend. `event` may belong to another device. Commands given to a queue after queue_wait
   * begin when all earlier commands of the queue that recorded the event are done. The entry arrive
   * copies in the second queue, from a buffer of `from_device` to one of `device`. Calls for
   * `device` come from its thread; `from_device` may have another thread, which gives it other
   * commands at that time. After queue_use, commands of enqueue, buffer_write and buffer_read go
   * into that queue. At first, and whenever core calls any other entry, the queue of commands is
   * in use. The entry queue_mark makes an event for queue_wait and queue_record alone, which tells
   * no time; event_destroy destroys it. */
  trm_status (*queue_wait)(void *device, trm_queue queue, void *event);
  trm_status (*queue_record)(void *device, trm_queue queue, void *event);
  trm_status (*arrive)(void *device, void *to, size_t to_offset, void *from_device, void *from,
                       size_t from_offset, size_t bytes);
  trm_status (*queue_use)(void *device, trm_queue queue);
  trm_status (*queue_mark)(void *device, void **event);
  /* (optional) Whether launches of `device` may be given buffers of `from_device`, another device
   * of this backend, to read only. Called before the two have buffers or threads of their own. */
  trm_status (*peer_access)(void *device, void *from_device, int *can);

  /* (optional, all or none) Rows from process to process of one machine. Without these entries core
   * takes the host's memory. queue_mark_shared makes a mark that `share` accepts. The entry share
   * tells of a buffer or of such a mark, and the pointer to the other kind is NULL. In
   * another process adopt makes a buffer or a mark of `device` from this. The entry arrive may read
   * from this buffer as from one of `device` itself, and queue_wait takes the mark. To let go of
   * them, core calls buffer_destroy and event_destroy. It does so before their owner destroys them.
   * The text shared_by names the way. */
  trm_status (*queue_mark_shared)(void *device, void **event);
  trm_status (*share)(void *device, void *buffer, void *event, trm_shared *out);
  trm_status (*adopt)(void *device, const trm_shared *shared, void **buffer, void **event);
  const char *shared_by;

  /* (optional, all or none: core then makes the whole buffer) A buffer of addresses, with no memory
   * behind them. Held bytes have memory: other entries and kernels touch no others. buffer_hold
   * puts memory behind these bytes. New memory is full of zeros. buffer_drop may take the memory
   * away where no other byte needs it. Earlier commands may still use it. A device that cannot do
   * so says why in trm_device_info.whole. Its buffer_reserve makes a whole buffer full of zeros,
   * and the two other entries are not called. */
  trm_status (*buffer_reserve)(void *device, size_t bytes, void **buffer);
  trm_status (*buffer_hold)(void *device, void *buffer, size_t offset, size_t bytes);
  trm_status (*buffer_drop)(void *device, void *buffer, size_t offset, size_t bytes);
} trm_backend;

typedef const trm_backend *trm_backend_entry(uint32_t abi, const trm_services *services);

#endif
