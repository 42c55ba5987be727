/* buffer.c - device memory.
 *
 * OpenCL may put off an allocation until a buffer is first used. Too little memory has to show when
 * the buffer is created, so its first byte is written at once. */
#include "opencl.h"

#include <stdlib.h>

/* OpenCL 1.2 cannot be asked. The most that can be left is the memory not yet taken by this run.
 * Drivers of CPUs promise more, and the system kills the process when it uses that much. */
trm_status ocl_free_memory(void *device, uint64_t *bytes)
{
  const ocl_device *opened = device;
  const uint64_t total = opened->memory_bytes, used = opened->allocated_bytes;
  *bytes = used < total ? total - used : 0;
  return TRM_OK;
}

static trm_status fail_memory(const ocl_device *device, const char *words)
{
  return OCL_FAIL(NO_DEVICE_MEMORY, "%.1f of its %.1f MiB are in use by this run%s%s",
                  (double)device->allocated_bytes / 1048576.0,
                  (double)device->memory_bytes / 1048576.0, *words ? ", " : "", words);
}

/* Makes the driver allocate; what it says then. */
static cl_int touch(ocl_device *device, cl_mem memory)
{
  const unsigned char zero = 0;
  cl_event done;
  cl_int code = clEnqueueFillBuffer(device->queue, memory, &zero, 1, 0, 1, 0, NULL, &done);
  if (code != CL_SUCCESS) return code;
  code = clWaitForEvents(1, &done);
  clReleaseEvent(done);
  return code;
}

trm_status ocl_buffer_create(void *device, size_t bytes, void **buffer)
{
  ocl_device *opened = device;
  uint64_t left = 0;
  cl_int code;
  TRM_TRY(ocl_free_memory(device, &left));
  if (opened->memory_bytes && bytes > left) return fail_memory(opened, "");
  ocl_buffer *created = calloc(1, sizeof *created);
  if (!created) return OCL_FAIL(NO_HOST_MEMORY, "no memory for a buffer's record");
  created->memory = clCreateBuffer(opened->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  if (code == CL_SUCCESS) {
    code = touch(opened, created->memory);
    if (code != CL_SUCCESS) clReleaseMemObject(created->memory);
  }
  if (code != CL_SUCCESS) {
    free(created);
    return fail_memory(opened, ocl_error_name(code));
  }
  created->serial = ++opened->next_buffer;
  created->bytes = bytes;
  opened->allocated_bytes += bytes;
  *buffer = created;
  return TRM_OK;
}

void ocl_buffer_destroy(void *device, void *buffer)
{
  ocl_device *opened = device;
  ocl_buffer *destroyed = buffer;
  opened->allocated_bytes -= destroyed->bytes;
  clReleaseMemObject(destroyed->memory);
  free(destroyed);
}

trm_status ocl_buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                            const void *source)
{
  ocl_device *opened = device;
  const ocl_buffer *target = buffer;
  const cl_int code = clEnqueueWriteBuffer(opened->queue, target->memory, CL_TRUE, offset, bytes,
                                           source, 0, NULL, NULL);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clEnqueueWriteBuffer", opened->name);
}

trm_status ocl_buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                           void *destination)
{
  ocl_device *opened = device;
  const ocl_buffer *source = buffer;
  opened->unflushed = 0;
  const cl_int code = clEnqueueReadBuffer(opened->queue, source->memory, CL_TRUE, offset, bytes,
                                          destination, 0, NULL, NULL);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clEnqueueReadBuffer", opened->name);
}
