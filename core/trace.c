/* trace.c - the hooks of a traced device, called from where buffers, layouts, programs and
 * commands pass through core. While a hook runs, the device counts as unwatched. */
#include "core/internal.h"

#include <stdio.h>

void trmi_device_trace(trm_device *device, const trmi_trace_hooks *trace)
{
  device->trace = trace;
}

const char *trmi_buffer_name(const trm_buffer *buffer)
{
  return buffer ? buffer->name : "";
}

const char *trmi_program_name(const trm_program *program)
{
  return program ? program->name : "";
}

const trm_host_module *trmi_program_module(const trm_program *program)
{
  return program ? program->module : NULL;
}

/* Calls one hook, if there is a trace and it has that one. */
#define TELL(device, hook, ...) \
  do { \
    const trmi_trace_hooks *trace = (device)->trace; \
    if (!trace || !trace->hook) return TRM_OK; \
    (device)->trace = NULL; \
    const trm_status status = trace->hook(trace->user, __VA_ARGS__); \
    (device)->trace = trace; \
    return status; \
  } while (0)

trm_status trmi_trace_layout(const trm_device *device, trm_type type, const size_t shape[4],
                             const trm_layout *layout)
{
  const trmi_trace_hooks *trace = device->trace;
  return trace && trace->layout ? trace->layout(trace->user, type, shape, layout) : TRM_OK;
}

/* Not while a sequence is recorded: what the hook does to the buffer would become part of it. */
trm_status trmi_trace_buffer(trm_device *device, trm_buffer *created)
{
  if (device->recording) return TRM_OK;
  TELL(device, buffer, created);
}

trm_status trmi_trace_written(trm_device *device, trm_buffer *buffer)
{
  TELL(device, written, buffer);
}

trm_status trmi_trace_replay(trm_device *device, const trm_sequence *sequence, size_t times,
                             size_t *seen)
{
  TELL(device, replay, sequence, times, seen);
}

static trm_status tell_before(trm_device *device, const trmi_seen *seen)
{
  TELL(device, before, seen);
}

static trm_status tell_after(trm_device *device, const trmi_seen *seen)
{
  TELL(device, after, seen);
}

void trmi_launch_resources(trm_device *device, const trm_command *launch,
                           trm_kernel_resources *out)
{
  *out = (trm_kernel_resources){-1, -1, -1, -1, -1, -1, ""};
  if (device->info.is_host)
    snprintf(out->reason, sizeof out->reason, "a processor's registers were assigned "
             "when the program was built");
  else if (!device->table->kernel_resources)
    snprintf(out->reason, sizeof out->reason, "the %s backend does not tell", device->table->name);
  if (device->info.is_host || !device->table->kernel_resources) return;
  trm_error kept;
  trmi_error_keep(&kept);
  trmi_log_to(device->context);
  if (device->table->kernel_resources(device->handle, launch, out) != TRM_OK)
    snprintf(out->reason, sizeof out->reason, "%.190s", trm_error_last()->text);
  trmi_error_restore(&kept);
}

trm_status trmi_device_enqueue(trm_device *device, const trm_command *command,
                               trm_buffer *const *buffers, trm_program *program)
{
  const trmi_seen seen = { command, program, buffers };
  TRM_TRY(tell_before(device, &seen));
  trmi_log_to(device->context);
  TRM_TRY(device->table->enqueue(device->handle, command));
  return tell_after(device, &seen);
}
