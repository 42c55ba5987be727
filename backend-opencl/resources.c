/* resources.c - the resources that a launch takes, as far as OpenCL tells.
 *
 * OpenCL knows the memory of a group and of an item. Only NVIDIA's compiler tells the registers, in
 * its log and on request (-cl-nv-verbose). So the program's binary is compiled once more, only for
 * that log, when the registers are first needed. The binary is PTX, a text; a line is added to it,
 * because the driver prints nothing about programs in its own cache. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the words of NVIDIA's compiler ----------------------------------------- */

static char *words_of(const ocl_device *device, cl_program handle)
{
  size_t length = 0;
  if (clGetProgramBuildInfo(handle, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
      CL_SUCCESS)
    return NULL;
  char *text = calloc(1, length + 1);
  if (text)
    clGetProgramBuildInfo(handle, device->id, CL_PROGRAM_BUILD_LOG, length, text, NULL);
  return text;
}

/* The text with a comment of its own at its end, malloc'd; NULL: it is not text. */
static unsigned char *make_new(const void *bytes, size_t count, size_t *out)
{
  enum { COMMENT = 64 };
  struct timespec now;
  if (count < 2 || memcmp(bytes, "//", 2) != 0) return NULL;
  char *text = malloc(count + COMMENT);
  if (!text) return NULL;
  memcpy(text, bytes, count);
  text[count] = '\0';
  const size_t length = strlen(text);
  clock_gettime(CLOCK_REALTIME, &now);
  const int added = snprintf(text + length, COMMENT, "\n// %lld.%09ld\n", (long long)now.tv_sec,
                             now.tv_nsec);
  *out = length + (size_t)added + 1;
  return (unsigned char *)text;
}

/* NULL: there are none. */
static char *compile_aloud(ocl_device *device, ocl_program *program)
{
  unsigned char *bytes = NULL;
  size_t count = 0;
  char *text = NULL;
  cl_int state, code;
  if (ocl_binary_of(program->handle, program->name, &bytes, &count) != TRM_OK) return NULL;
  unsigned char *made = make_new(bytes, count, &count);
  const unsigned char *binary = made ? made : bytes;
  cl_program again =
      clCreateProgramWithBinary(device->context, 1, &device->id, &count, &binary, &state, &code);
  free(made);
  free(bytes);
  if (code != CL_SUCCESS) return NULL;
  if (clBuildProgram(again, 1, &device->id, "-cl-nv-verbose", NULL, NULL) == CL_SUCCESS)
    text = words_of(device, again);
  clReleaseProgram(again);
  return text;
}

/* ---- what is known ------------------------------------------------------------ */

/* A number of a kernel in bytes; -1 when the driver does not tell. */
static int kernel_bytes(const ocl_device *device, const ocl_kernel *kernel,
                        cl_kernel_work_group_info what)
{
  cl_ulong value = 0;
  const cl_int code =
      clGetKernelWorkGroupInfo(kernel->handle, device->id, what, sizeof value, &value, NULL);
  return code == CL_SUCCESS && value <= 0x7fffffff ? (int)value : -1;
}

trm_status ocl_kernel_resources(void *device, const trm_command *launch, trm_kernel_resources *out)
{
  ocl_device *opened = device;
  const ocl_kernel *kernel = launch->kernel;
  ocl_program *program = kernel->owner;
  char vendor[64];
  out->group_items = (int)(kernel->local[0] * kernel->local[1]);
  out->shared_bytes = kernel_bytes(opened, kernel, CL_KERNEL_LOCAL_MEM_SIZE);
  out->local_bytes = kernel_bytes(opened, kernel, CL_KERNEL_PRIVATE_MEM_SIZE);
  ocl_device_text(opened->id, CL_DEVICE_VENDOR, vendor, sizeof vendor);
  if (strncmp(vendor, "NVIDIA", 6) == 0) {
    if (!program->words) program->words = compile_aloud(opened, program);
    if (program->words)
      ocl_words_read(program->words, kernel->declaration->name, &out->registers, &out->local_bytes);
  }
  snprintf(out->reason, sizeof out->reason, "OpenCL tells %s how many groups run at once",
           out->registers < 0 ? "neither registers nor" : "not");
  return TRM_OK;
}
