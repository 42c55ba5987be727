/* event.c - time on the device: markers in the queue, and when they were passed. */
#include "opencl.h"

#include <stdlib.h>

typedef struct ocl_event {
  cl_event marker; /* NULL until recorded */
} ocl_event;

trm_status ocl_event_create(void *device, void **event)
{
  (void)device;
  ocl_event *created = calloc(1, sizeof *created);
  if (!created) return OCL_FAIL(NO_HOST_MEMORY, "no memory for an event");
  *event = created;
  return TRM_OK;
}

void ocl_event_destroy(void *device, void *event)
{
  ocl_event *destroyed = event;
  (void)device;
  if (destroyed->marker) clReleaseEvent(destroyed->marker);
  free(destroyed);
}

trm_status ocl_event_record(void *device, void *event)
{
  ocl_device *opened = device;
  ocl_event *recorded = event;
  cl_event marker;
  const cl_int code = clEnqueueMarkerWithWaitList(opened->queue, 0, NULL, &marker);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clEnqueueMarkerWithWaitList", opened->name);
  if (recorded->marker) clReleaseEvent(recorded->marker);
  recorded->marker = marker;
  return ocl_queued(opened);
}

/* Nanoseconds of the device's clock when everything before the marker was done. */
static trm_status passed_at(const ocl_device *device, const ocl_event *event, cl_ulong *out)
{
  if (!event->marker) return OCL_FAIL(INVALID, "the event was never recorded");
  cl_int code = clWaitForEvents(1, &event->marker);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clWaitForEvents", device->name);
  code = clGetEventProfilingInfo(event->marker, CL_PROFILING_COMMAND_END, sizeof *out, out, NULL);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clGetEventProfilingInfo", device->name);
}

trm_status ocl_event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  ocl_device *opened = device;
  cl_ulong from, to;
  opened->unflushed = 0;
  const cl_int code = clFlush(opened->queue);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clFlush", opened->name);
  TRM_TRY(passed_at(opened, begin, &from));
  TRM_TRY(passed_at(opened, end, &to));
  *seconds = to >= from ? 1e-9 * (double)(to - from) : -1e-9 * (double)(from - to);
  return TRM_OK;
}
