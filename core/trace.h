/* trace.h - a device that reports its buffers, layouts and commands to hooks (for the program's own
 * tools; no part of the interface for solvers).
 *
 * A traced device carries out recorded sequences command by command, so that hooks see each
 * command. Begin before anything is created on the device: a backend replays a sequence unseen if
 * it took it before. A hook for replays may choose the replays to show. The hooks may read and
 * write buffers; their own commands are not reported. If a hook fails, the call that triggered it
 * fails. */
#ifndef TRMI_TRACE_H
#define TRMI_TRACE_H

#include "core/backend.h"

/* One command as it is carried out. */
typedef struct trmi_seen {
  const trm_command *command;
  trm_program *program;             /* of a launch; NULL for copies and fills */
  trm_buffer *const *buffers;       /* command->buffer_count of them */
} trmi_seen;

/* NULL entries are not called. */
typedef struct trmi_trace_hooks {
  void *user;
  /* shape: nx, ny, nz, components. */
  trm_status (*layout)(void *user, trm_type type, const size_t shape[4], const trm_layout *layout);
  trm_status (*buffer)(void *user, trm_buffer *created);   /* not those made while recording */
  trm_status (*before)(void *user, const trmi_seen *seen);
  trm_status (*after)(void *user, const trmi_seen *seen);
  trm_status (*written)(void *user, trm_buffer *buffer);   /* by trm_buffer_write */
  /* The backend replays sequences, except the last *seen of the `times` replays: these are carried
   * out command by command. *seen is 0 unless the hook sets it. */
  trm_status (*replay)(void *user, const trm_sequence *sequence, size_t times, size_t *seen);
} trmi_trace_hooks;

/* The hooks are the caller's and stay alive until others, or NULL for none, take their place. */
TRM_API void trmi_device_trace(trm_device *device, const trmi_trace_hooks *trace);

/* To the log that the context was created with. */
TRM_API void trmi_context_say(const trm_context *context, trm_log_level level, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

/* The folder of the program cache, which is this user's alone; "" if there is none. */
TRM_API const char *trmi_context_folder(const trm_context *context);

/* Command number i < trm_sequence_length of a sequence, and a number that no other sequence of this
 * process has or had. */
TRM_API trmi_seen trmi_sequence_command(const trm_sequence *sequence, size_t i);
TRM_API uint64_t trmi_sequence_number(const trm_sequence *sequence);

/* How a kernel's recorded launches were carried out so far. launches: the largest number
 * of them in one launch of a GPU, or in one pass of a host over memory. reason: why that number is
 * 1; else "". */
typedef struct trmi_fused_launches {
  char program[64], kernel[64], reason[160];
  int launches;
} trmi_fused_launches;
/* One entry for each kernel that was recorded; the list belongs to the device. */
TRM_API size_t trmi_device_fused(const trm_device *device, const trmi_fused_launches **list);

/* The resources of its device that a launch takes, with a reason for unknown numbers
 * (backend.h). */
TRM_API void trmi_launch_resources(trm_device *device, const trm_command *launch,
                                   trm_kernel_resources *out);

/* Bytes of the host's memory that this process can still have: the machine's memory, or the rest of
 * its control group's limit (a container, a batch job); 0: unknown. */
TRM_API uint64_t trmi_host_memory(void);

/* "1.5 GiB", in a unit that makes the larger of two amounts readable. */
TRM_API const char *trmi_amount(uint64_t bytes, uint64_t other, char *text, size_t size);

/* The name given at creation. */
TRM_API const char *trmi_buffer_name(const trm_buffer *buffer);
TRM_API const char *trmi_program_name(const trm_program *program);

/* Its host instance, which lists the kernels of its text. */
TRM_API const trm_host_module *trmi_program_module(const trm_program *program);

#endif
