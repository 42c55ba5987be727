/* binary.c - programs as bytes for core's cache, and what those bytes depend on. */
#include "opencl.h"

#include <stdlib.h>

trm_status ocl_program_binary(void *device, void *program, void **bytes, size_t *count)
{
  const ocl_program *built = program;
  size_t length = 0;
  (void)device;
  cl_int code = clGetProgramInfo(built->handle, CL_PROGRAM_BINARY_SIZES, sizeof length, &length,
                                 NULL);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clGetProgramInfo", built->name);
  if (length == 0)
    return OCL_FAIL(UNSUPPORTED, "program %s: the driver gives no binary", built->name);
  unsigned char *text = malloc(length);
  if (!text) return OCL_FAIL(NO_HOST_MEMORY, "no memory for the binary of %s", built->name);
  code = clGetProgramInfo(built->handle, CL_PROGRAM_BINARIES, sizeof text, &text, NULL);
  if (code != CL_SUCCESS) {
    free(text);
    return OCL_ERROR(code, "clGetProgramInfo", built->name);
  }
  *bytes = text;
  *count = length;
  return TRM_OK;
}

trm_status ocl_program_load(void *device, const trm_build *build, const void *bytes, size_t count,
                            void **program)
{
  const ocl_device *opened = device;
  const unsigned char *binary = bytes;
  char options[256];
  cl_int state = CL_SUCCESS, code;
  cl_program handle = clCreateProgramWithBinary(opened->context, 1, &opened->id, &count, &binary,
                                                &state, &code);
  if (code == CL_SUCCESS && state != CL_SUCCESS) {
    clReleaseProgram(handle);
    code = state;
  }
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clCreateProgramWithBinary", build->name);
  ocl_program_options(opened, build, options, sizeof options);
  code = clBuildProgram(handle, 1, &opened->id, options, NULL, NULL);
  const trm_status status = code == CL_SUCCESS ? ocl_program_adopt(handle, build, program)
                                               : OCL_ERROR(code, "clBuildProgram", build->name);
  if (status != TRM_OK) clReleaseProgram(handle);
  return status;
}

trm_status ocl_program_key(void *device, const trm_build *build, char *line, size_t bytes)
{
  const ocl_device *opened = device;
  const cl_device_info words[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                  CL_DRIVER_VERSION, CL_DEVICE_OPENCL_C_VERSION};
  char text[256];
  line[0] = 0;
  ocl_platform_text(opened->platform, CL_PLATFORM_NAME, text, sizeof text);
  ocl_append(line, bytes, "%s", text);
  ocl_platform_text(opened->platform, CL_PLATFORM_VERSION, text, sizeof text);
  ocl_append(line, bytes, " | %s", text);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    ocl_device_text(opened->id, words[i], text, sizeof text);
    ocl_append(line, bytes, " | %s", text);
  }
  ocl_program_options(opened, build, text, sizeof text);
  ocl_append(line, bytes, " | %s", text);
  return TRM_OK;
}
