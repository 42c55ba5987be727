/* device.c - one opened device: a context and one in-order queue.
 *
 * The queue measures time, for the events. The driver is handed what was enqueued every
 * FLUSH_EVERY commands, so that it works while the host still enqueues. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_EVERY = 64 };

trm_status ocl_open(size_t index, const trm_device_options *options, trm_device_info *info,
                    void **device)
{
  const ocl_site *site = ocl_site_at(index);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              (cl_context_properties)site->platform, 0};
  cl_int code;
  ocl_unit unit = {0, 0, 0};
  char platform[128];
  const double residency = options ? options->residency : 0;
  if (residency > 0) TRM_TRY(ocl_unit_find(site, info->name, &unit));
  ocl_device *opened = calloc(1, sizeof *opened);
  if (!opened) return OCL_FAIL(NO_HOST_MEMORY, "no memory to open opencl:%zu", index);
  opened->id = site->device;
  opened->platform = site->platform;
  opened->memory_bytes = info->memory_bytes;
  opened->nvidia = ocl_nvidia(site);
  ocl_platform_text(site->platform, CL_PLATFORM_NAME, platform, sizeof platform);
  opened->is_pocl = ocl_pocl_is(platform);
  opened->steps_per_launch = options ? options->steps_per_launch : 0;
  opened->shape = trm_steps_wanted(options);
  opened->residency = residency;
  opened->unit = unit;
  if (residency > 0) opened->steps_per_launch = 1; /* launches of several steps have no ballast */
  snprintf(opened->name, sizeof opened->name, "%s", info->name);
  opened->context = clCreateContext(properties, 1, &site->device, NULL, NULL, &code);
  if (code != CL_SUCCESS) {
    OCL_ERROR(code, "clCreateContext", info->name);
    goto free_device;
  }
  opened->queue =
      clCreateCommandQueue(opened->context, opened->id, CL_QUEUE_PROFILING_ENABLE, &code);
  if (code != CL_SUCCESS) {
    OCL_ERROR(code, "clCreateCommandQueue", info->name);
    goto release_context;
  }
  *device = opened;
  return TRM_OK;

release_context:
  clReleaseContext(opened->context);
free_device:
  free(opened);
  return ocl_error_status(code);
}

void ocl_close(void *device)
{
  ocl_device *closed = device;
  clFinish(closed->queue);
  clReleaseCommandQueue(closed->queue);
  clReleaseContext(closed->context);
  free(closed);
}

trm_status ocl_finish(void *device)
{
  ocl_device *opened = device;
  opened->unflushed = 0;
  const cl_int code = clFinish(opened->queue);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clFinish", opened->name);
}

trm_status ocl_queued(ocl_device *device)
{
  if (++device->unflushed < FLUSH_EVERY) return TRM_OK;
  device->unflushed = 0;
  const cl_int code = clFlush(device->queue);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clFlush", device->name);
}
