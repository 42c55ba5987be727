/* kernel.c - kernels: their group shapes, and their arguments.
 *
 * Arguments in order: the buffers, the parameter struct by value (absent when it is empty), the
 * extent by value, and the ballast if there is one. Setting one is a call into the driver, so a
 * kernel remembers what it has. */
#include "opencl.h"

#include <stdlib.h>
#include <string.h>

/* A number that the driver has of a kernel on this device. */
static trm_status ask(const ocl_device *device, const ocl_kernel *kernel,
                      cl_kernel_work_group_info what, size_t bytes, void *value)
{
  const cl_int code = clGetKernelWorkGroupInfo(kernel->handle, device->id, what, bytes, value,
                                               NULL);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clGetKernelWorkGroupInfo",
                                                 kernel->declaration->name);
}

/* A kernel that needs many registers may take fewer items to a group than the device does. NVIDIA's
 * driver reports 256 items for each kernel. But it gives the items of a kernel that names its group
 * size, as all kernels here do, as few registers as that group needs. */
static trm_status check_items(const ocl_device *device, const ocl_kernel *kernel)
{
  const size_t items = kernel->local[0] * kernel->local[1];
  size_t limit = (size_t)ocl_device_number(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  if (!device->nvidia)
    TRM_TRY(ask(device, kernel, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit));
  if (items > limit)
    return OCL_FAIL(UNSUPPORTED, "kernel %s takes at most %zu items to a group on %s, not %zu; "
                                 "a smaller --group helps a kernel of the steps, for others take "
                                 "another driver or backend",
                    kernel->declaration->name, limit, device->name, items);
  return TRM_OK;
}

/* Checks the shared memory of the built kernel; the declaration has the size of a group on a host,
 * which differs. */
static trm_status check_shared(const ocl_device *device, ocl_kernel *kernel)
{
  const cl_ulong memory = ocl_device_number(device->id, CL_DEVICE_LOCAL_MEM_SIZE);
  cl_ulong taken = 0;
  TRM_TRY(ask(device, kernel, CL_KERNEL_LOCAL_MEM_SIZE, sizeof taken, &taken));
  if (taken > memory)
    return OCL_FAIL(UNSUPPORTED, "kernel %s needs %llu bytes of shared memory a group, %s has "
                    "%llu; choose a smaller tile or group", kernel->declaration->name,
                    (unsigned long long)taken, device->name, (unsigned long long)memory);
  return device->residency > 0 ? ocl_ballast_find(device, kernel, (size_t)taken, (size_t)memory,
                                                  &kernel->ballast)
                               : TRM_OK;
}

static trm_status check_kernel(const ocl_device *device, ocl_kernel *kernel)
{
  TRM_TRY(check_items(device, kernel));
  return check_shared(device, kernel);
}

trm_status ocl_kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                          void **kernel)
{
  const ocl_device *opened = device;
  ocl_program *built = program;
  cl_int code;
  ocl_kernel *created = calloc(1, sizeof *created);
  if (!created) return OCL_FAIL(NO_HOST_MEMORY, "no memory for kernel %s", declaration->name);
  const int is_row = declaration->kind == TRM_KERNEL_ROW;
  created->owner = built;
  created->declaration = declaration;
  created->local[0] = (size_t)(is_row ? built->row_group_x : built->group);
  created->local[1] = is_row ? (size_t)built->row_group_y : 1;
  created->local[2] = 1;
  const int shares = is_row && opened->nvidia;
  created->own = (size_t)(shares ? trm_own_columns(declaration, built->row_group_x)
                                 : built->row_group_x);
  created->handle = clCreateKernel(built->handle, declaration->name, &code);
  if (code != CL_SUCCESS) {
    free(created);
    if (code == CL_INVALID_KERNEL_NAME)
      return OCL_FAIL(NOT_FOUND, "the program has no kernel %s on %s, which lacks an extension of "
                      "OpenCL; choose another device", declaration->name, opened->name);
    return OCL_ERROR(code, "clCreateKernel", declaration->name);
  }
  const trm_status status = check_kernel(opened, created);
  if (status != TRM_OK) {
    clReleaseKernel(created->handle);
    free(created);
    return status;
  }
  created->next = built->kernels;
  built->kernels = created;
  *kernel = created;
  return TRM_OK;
}

trm_status ocl_arguments_set(cl_kernel handle, const trm_command *command, ocl_arguments *set)
{
  cl_uint index = 0;
  cl_int code = CL_SUCCESS;
  const int known = set->known;
  const size_t ballast = ((const ocl_kernel *)command->kernel)->ballast;
  set->known = 0;
  for (; index < command->buffer_count && code == CL_SUCCESS; index++) {
    const ocl_buffer *buffer = command->buffers[index];
    if (known && set->buffers[index] == buffer->serial) continue;
    code = clSetKernelArg(handle, index, sizeof buffer->memory, &buffer->memory);
    set->buffers[index] = buffer->serial;
  }
  const size_t bytes = command->param_bytes;
  if (bytes > 0 && code == CL_SUCCESS) {
    if (!known || memcmp(set->params, command->params, bytes) != 0) {
      code = clSetKernelArg(handle, index, bytes, command->params);
      memcpy(set->params, command->params, bytes);
    }
    index++;
  }
  if (code == CL_SUCCESS &&
      (!known || memcmp(&set->extent, &command->extent, sizeof set->extent) != 0)) {
    code = clSetKernelArg(handle, index, sizeof command->extent, &command->extent);
    set->extent = command->extent;
  }
  if (code == CL_SUCCESS && ballast > 0 && !known)
    code = clSetKernelArg(handle, index + 1, ballast, NULL);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clSetKernelArg", command->declaration->name);
  set->known = 1;
  return TRM_OK;
}
