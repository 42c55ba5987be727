/* trace.c - the hooks of a traced device, called where buffers, layouts and commands pass through
 * core. While a hook runs, the device counts as one without hooks: its own commands are not
 * reported. */
#include "core/internal.h"

void trmi_device_trace(trm_device *device, const trmi_trace_hooks *trace)
{
  device->trace = trace;
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

trm_status trmi_trace_before(trm_device *device, const trmi_seen *seen)
{
  TELL(device, before, seen);
}

trm_status trmi_trace_after(trm_device *device, const trmi_seen *seen)
{
  TELL(device, after, seen);
}
