/* error.c - the driver's error codes by name, with their usual meaning here.
 *
 * One list; a code that is not in it is printed as a number. */
#include "opencl.h"

#include <stdio.h>

const trm_services *ocl_services;

#ifndef CL_PLATFORM_NOT_FOUND_KHR
#define CL_PLATFORM_NOT_FOUND_KHR (-1001) /* from CL/cl_ext.h, which asks for more than 1.2 */
#endif

#define CODES(X) \
  X(CL_DEVICE_NOT_FOUND, "") \
  X(CL_DEVICE_NOT_AVAILABLE, "another process may hold the device for itself alone") \
  X(CL_COMPILER_NOT_AVAILABLE, "the driver was installed without its compiler") \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE, "too little device memory: take a smaller grid or f32") \
  X(CL_OUT_OF_RESOURCES, "too little device memory, a kernel that reached outside its buffers, " \
                         "or a group too large for its registers") \
  X(CL_OUT_OF_HOST_MEMORY, "too little memory on the host") \
  X(CL_PROFILING_INFO_NOT_AVAILABLE, "") \
  X(CL_MEM_COPY_OVERLAP, "") \
  X(CL_BUILD_PROGRAM_FAILURE, "") \
  X(CL_MAP_FAILURE, "") \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET, "") \
  X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an earlier command failed") \
  X(CL_COMPILE_PROGRAM_FAILURE, "") \
  X(CL_LINKER_NOT_AVAILABLE, "") \
  X(CL_LINK_PROGRAM_FAILURE, "") \
  X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "") \
  X(CL_INVALID_VALUE, "") \
  X(CL_INVALID_DEVICE_TYPE, "") \
  X(CL_INVALID_PLATFORM, "") \
  X(CL_INVALID_DEVICE, "") \
  X(CL_INVALID_CONTEXT, "") \
  X(CL_INVALID_QUEUE_PROPERTIES, "") \
  X(CL_INVALID_COMMAND_QUEUE, "an earlier command has broken the queue: a kernel reached outside " \
                              "its buffers, or the device was reset") \
  X(CL_INVALID_MEM_OBJECT, "") \
  X(CL_INVALID_BINARY, "made by another driver or for another device") \
  X(CL_INVALID_BUILD_OPTIONS, "") \
  X(CL_INVALID_PROGRAM, "") \
  X(CL_INVALID_PROGRAM_EXECUTABLE, "") \
  X(CL_INVALID_KERNEL_NAME, "no kernel of that name in the text, or it is the name of one of " \
                            "OpenCL's own functions: rename it") \
  X(CL_INVALID_KERNEL_DEFINITION, "") \
  X(CL_INVALID_KERNEL, "") \
  X(CL_INVALID_ARG_INDEX, "the kernel has fewer arguments than its table says") \
  X(CL_INVALID_ARG_VALUE, "") \
  X(CL_INVALID_ARG_SIZE, "the device lays the parameter struct out in another size than the host") \
  X(CL_INVALID_KERNEL_ARGS, "the kernel has more arguments than its table says") \
  X(CL_INVALID_WORK_DIMENSION, "") \
  X(CL_INVALID_WORK_GROUP_SIZE, "the group shape does not suit the kernel or the device") \
  X(CL_INVALID_WORK_ITEM_SIZE, "the group is too wide for the device") \
  X(CL_INVALID_GLOBAL_OFFSET, "") \
  X(CL_INVALID_EVENT_WAIT_LIST, "") \
  X(CL_INVALID_EVENT, "") \
  X(CL_INVALID_OPERATION, "") \
  X(CL_INVALID_BUFFER_SIZE, "larger than the device's largest buffer") \
  X(CL_INVALID_GLOBAL_WORK_SIZE, "") \
  X(CL_INVALID_PROPERTY, "") \
  X(CL_PLATFORM_NOT_FOUND_KHR, "no platform is installed")

static const struct code {
  cl_int code;
  const char *name, *hint;
} codes[] = {
#define CODE(code, hint) {code, #code, hint},
    CODES(CODE)
#undef CODE
};

static const struct code *find(cl_int code)
{
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (codes[i].code == code) return &codes[i];
  return NULL;
}

const char *ocl_error_name(cl_int code)
{
  static _Thread_local char number[40];
  const struct code *known = find(code);
  if (known) return known->name;
  snprintf(number, sizeof number, "OpenCL code %d", (int)code);
  return number;
}

trm_status ocl_error_status(cl_int code)
{
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE) return TRM_ERROR_NO_DEVICE_MEMORY;
  if (code == CL_OUT_OF_HOST_MEMORY) return TRM_ERROR_NO_HOST_MEMORY;
  return TRM_ERROR_DEVICE;
}

trm_status ocl_error_record(cl_int code, const char *call, const char *what, const char *file,
                            int line)
{
  const struct code *known = find(code);
  const char *hint = known ? known->hint : "";
  return ocl_services->fail(ocl_error_status(code), file, line, "%s: %s: %s%s%s%s", what, call,
                            ocl_error_name(code), *hint ? " (" : "", hint, *hint ? ")" : "");
}
