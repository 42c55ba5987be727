/* command.c - launches, copies and fills: one call into the driver each. */
#include "opencl.h"

#include <pthread.h>

static size_t round_up(size_t count, size_t multiple)
{
  return (count + multiple - 1) / multiple * multiple;
}

/* Rows: an item a cell, the last groups hang over; groups may share columns. Groups: one work-group
 * each. */
void ocl_range_of(const ocl_kernel *kernel, const trm_extent *extent, ocl_range *out)
{
  const size_t nx = (size_t)extent->nx, ny = (size_t)extent->ny, nz = (size_t)extent->nz;
  const size_t *local = kernel->local;
  const int is_row = kernel->declaration->kind == TRM_KERNEL_ROW;
  *out = (ocl_range){{is_row ? (nx + kernel->own - 1) / kernel->own * local[0] : nx * local[0],
                      is_row ? round_up(ny, local[1]) : ny, nz},
                     {local[0], local[1], 1}};
}

static trm_status enqueue_range(ocl_device *device, cl_kernel handle, const ocl_range *range,
                                const char *name)
{
  const cl_int code = clEnqueueNDRangeKernel(device->queue, handle, 3, NULL, range->global,
                                             range->local, 0, NULL, NULL);
  return code == CL_SUCCESS ? ocl_queued(device) : OCL_ERROR(code, "clEnqueueNDRangeKernel", name);
}

/* If two threads launch a kernel for the first time at once, PoCL notes its code twice. It counts
 * the launches of both at one, and ends the process (pocl_release_dlhandle_cache). So a handle's
 * first launch runs alone. */
trm_status ocl_range_enqueue(ocl_device *device, cl_kernel handle, const ocl_range *range,
                             const char *name, int *was_run)
{
  static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
  if (!device->is_pocl || *was_run) return enqueue_range(device, handle, range, name);
  pthread_mutex_lock(&first);
  trm_status status = enqueue_range(device, handle, range, name);
  if (status == TRM_OK) status = ocl_finish(device);
  pthread_mutex_unlock(&first);
  *was_run = 1;
  return status;
}

static trm_status launch(ocl_device *device, const trm_command *command)
{
  ocl_kernel *kernel = command->kernel;
  ocl_range range;
  TRM_TRY(ocl_arguments_set(kernel->handle, command, &kernel->set));
  const trm_extent covered = trm_command_covers(command);
  ocl_range_of(kernel, &covered, &range);
  return ocl_range_enqueue(device, kernel->handle, &range, command->declaration->name,
                           &kernel->was_run);
}

static trm_status copy(ocl_device *device, const trm_command *command)
{
  const ocl_buffer *to = command->buffers[0], *from = command->buffers[1];
  const cl_int code =
      clEnqueueCopyBuffer(device->queue, from->memory, to->memory, command->source_offset,
                          command->offset, command->bytes, 0, NULL, NULL);
  return code == CL_SUCCESS ? ocl_queued(device)
                            : OCL_ERROR(code, "clEnqueueCopyBuffer", device->name);
}

static trm_status fill(ocl_device *device, const trm_command *command)
{
  const ocl_buffer *buffer = command->buffers[0];
  const cl_int code =
      clEnqueueFillBuffer(device->queue, buffer->memory, command->pattern, command->pattern_bytes,
                          command->offset, command->bytes, 0, NULL, NULL);
  return code == CL_SUCCESS ? ocl_queued(device)
                            : OCL_ERROR(code, "clEnqueueFillBuffer", device->name);
}

trm_status ocl_enqueue(void *device, const trm_command *command)
{
  switch (command->kind) {
  case TRM_COMMAND_LAUNCH: return launch(device, command);
  case TRM_COMMAND_COPY: return copy(device, command);
  case TRM_COMMAND_FILL: return fill(device, command);
  }
  return OCL_FAIL(INVALID, "a command of unknown kind %d", (int)command->kind);
}
