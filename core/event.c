/* event.c - points in a device's queue, and the time between two of them. */
#include "core/internal.h"

#include <stdlib.h>

typedef trm_status make_fn(void *device, void **event);

static trm_status create(trm_device *device, make_fn *make, trm_event **out)
{
  if (trmi_is_forked()) return trmi_refuse_forked("trm_event_create");
  trm_event *event = calloc(1, sizeof *event);
  if (!event) return TRM_FAIL(NO_HOST_MEMORY, "trm_event_create: out of host memory");
  trmi_log_to(device->context);
  const trm_status status = make(device->handle, &event->handle);
  if (status != TRM_OK) {
    free(event);
    return status;
  }
  event->device = device;
  trmi_device_retain(device);
  *out = event;
  return TRM_OK;
}

trm_status trm_event_create(trm_device *device, trm_event **out)
{
  if (!device || !out) return TRM_FAIL(INVALID, "trm_event_create: device or out is NULL");
  return create(device, device->table->event_create, out);
}

trm_status trmi_mark_create(trm_device *device, trm_event **out)
{
  return create(device, device->table->queue_mark, out);
}

trm_status trmi_mark_create_shared(trm_device *device, trm_event **out)
{
  return create(device, device->table->queue_mark_shared, out);
}

void trm_event_destroy(trm_event **event)
{
  if (!event || !*event || trmi_is_forked()) return;
  trm_device *device = (*event)->device;
  trm_error kept;
  trmi_error_keep(&kept);
  trmi_log_to(device->context);
  device->table->event_destroy(device->handle, (*event)->handle);
  trmi_error_restore(&kept);
  trmi_device_release(device);
  free(*event);
  *event = NULL;
}

trm_status trm_event_record(trm_event *event)
{
  if (!event) return TRM_FAIL(INVALID, "trm_event_record: event is NULL");
  TRM_TRY(trmi_device_idle(event->device, "trm_event_record"));
  trmi_log_to(event->device->context);
  TRM_TRY(event->device->table->event_record(event->device->handle, event->handle));
  event->recorded = 1;
  return TRM_OK;
}

trm_status trm_event_elapsed(trm_event *begin, trm_event *end, double *seconds)
{
  if (!begin || !end || !seconds)
    return TRM_FAIL(INVALID, "trm_event_elapsed: begin, end or seconds is NULL");
  if (begin->device != end->device)
    return TRM_FAIL(INVALID, "trm_event_elapsed: the events belong to different devices");
  if (!begin->recorded || !end->recorded)
    return TRM_FAIL(INVALID, "trm_event_elapsed: the %s event was never recorded; call "
                             "trm_event_record first", begin->recorded ? "second" : "first");
  TRM_TRY(trmi_device_idle(begin->device, "trm_event_elapsed"));
  trm_device *device = begin->device;
  trmi_log_to(device->context);
  return device->table->event_elapsed(device->handle, begin->handle, end->handle, seconds);
}
