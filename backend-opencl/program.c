/* program.c - from kernel text to an executable of the driver, and the compiler's messages. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strict: IEEE division and square root in f32 where the device has them (the strict probe refuses
 * a device without); contraction is switched off in kernel.h. Fast: what reorders and contracts,
 * but never what assumes that there is no NaN: a diverged run must show. */
void ocl_program_options(const ocl_device *device, const trm_build *build, char *text,
                         size_t bytes)
{
  text[0] = 0;
  ocl_append(text, bytes, "-cl-std=CL1.2");
  if (build->math == TRM_FAST)
    ocl_append(text, bytes, " -cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations");
  else if (ocl_device_number(device->id, CL_DEVICE_SINGLE_FP_CONFIG) &
           CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
    ocl_append(text, bytes, " -cl-fp32-correctly-rounded-divide-sqrt");
  if (device->nvidia) ocl_append(text, bytes, " -DTRM_OVERLAPPING"); /* kernel_gpu.h */
  if (device->residency > 0) ocl_append(text, bytes, " -DTRM_BALLAST"); /* likewise */
  if (device->nvidia >= 8) ocl_append(text, bytes, " -DTRM_NVIDIA_COPIES"); /* kernel_group.h */
}

/* NVIDIA's compiler remarks on every kernel that it is a kernel; those lines say nothing. */
static void drop_remarks(char *text)
{
  char *to = text;
  for (char *line = text, *next; *line; line = next) {
    const size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    const char *remark = strstr(line, "is a kernel, so overriding noinline attribute");
    if (remark && remark < line + length) continue;
    memmove(to, line, (size_t)(next - line));
    to += next - line;
  }
  *to = 0;
}

/* The compiler's words, trimmed, with our files and lines, malloc'd; NULL when the compiler says
 * nothing. */
static char *build_log(const ocl_device *device, const ocl_source *source, cl_program handle)
{
  char *log = NULL;
  size_t length = 0;
  if (clGetProgramBuildInfo(handle, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
      CL_SUCCESS)
    return NULL;
  char *text = calloc(1, length + 1);
  if (!text) return NULL;
  clGetProgramBuildInfo(handle, device->id, CL_PROGRAM_BUILD_LOG, length, text, NULL);
  drop_remarks(text);
  length = strlen(text);
  while (length > 0 && strchr(" \t\r\n", text[length - 1])) text[--length] = 0;
  if (length > 0) log = ocl_source_log(source, text);
  free(text);
  return log;
}

/* The error's text has room for some lines: those from the first that says error. */
trm_status ocl_program_fail(const ocl_device *device, const trm_build *build,
                            const ocl_source *source, cl_program handle, cl_int code)
{
  char *log = build_log(device, source, handle);
  const char *first = log ? strstr(log, "error:") : NULL;
  while (first && first > log && first[-1] != '\n') first--;
  if (log) ocl_services->log(TRM_LOG_INFO, "%s: %s", build->file, log);
  const trm_status status =
      OCL_FAIL(BUILD, "program %s was not built by %s (%s): %.700s", build->name, device->name,
               ocl_error_name(code), first ? first : log ? log : "the compiler gave no reason");
  free(log);
  return status;
}

/* The shape must suit the device before its compiler meets it. */
static trm_status check_groups(const ocl_device *device, const trm_build *build)
{
  const cl_ulong limit = ocl_device_number(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const cl_ulong row = (cl_ulong)build->row_group_x * (cl_ulong)build->row_group_y;
  if (row > limit)
    return OCL_FAIL(UNSUPPORTED,
                    "a row group of %d x %d is more than the %llu items of a group on %s",
                    build->row_group_x, build->row_group_y, (unsigned long long)limit,
                    device->name);
  if ((cl_ulong)build->group > limit)
    return OCL_FAIL(UNSUPPORTED, "a group of %d is more than the %llu items of a group on %s",
                    build->group, (unsigned long long)limit, device->name);
  return TRM_OK;
}

trm_status ocl_program_adopt(ocl_device *device, cl_program handle, const trm_build *build,
                             const ocl_bytes *temporals, void **program)
{
  ocl_program *adopted = calloc(1, sizeof *adopted);
  if (!adopted) return OCL_FAIL(NO_HOST_MEMORY, "no memory for program %s", build->name);
  adopted->handle = handle;
  adopted->row_group_x = build->row_group_x;
  adopted->row_group_y = build->row_group_y;
  adopted->group = build->group;
  snprintf(adopted->name, sizeof adopted->name, "%s", build->name);
  const trm_status status = ocl_temporal_make(device, build, temporals, adopted);
  if (status != TRM_OK) {
    ocl_temporal_release(adopted);
    free(adopted);
    return status;
  }
  *program = adopted;
  return TRM_OK;
}

trm_status ocl_program_build(void *device, const trm_build *build, char **log, void **program)
{
  const ocl_device *opened = device;
  char options[256];
  ocl_source source;
  cl_int code;
  TRM_TRY(check_groups(opened, build));
  ocl_source_make(build, &source);
  cl_program handle =
      clCreateProgramWithSource(opened->context, OCL_SOURCE_PARTS, source.parts, NULL, &code);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clCreateProgramWithSource", build->name);
  ocl_program_options(opened, build, options, sizeof options);
  code = clBuildProgram(handle, 1, &opened->id, options, NULL, NULL);
  trm_status status = TRM_OK;
  if (code != CL_SUCCESS)
    status = ocl_program_fail(opened, build, &source, handle, code);
  else
    status = ocl_program_adopt(device, handle, build, NULL, program);
  if (status != TRM_OK) {
    clReleaseProgram(handle);
    return status;
  }
  *log = build_log(opened, &source, handle);
  return TRM_OK;
}

void ocl_program_destroy(void *device, void *program)
{
  ocl_program *destroyed = program;
  (void)device;
  while (destroyed->kernels) {
    ocl_kernel *kernel = destroyed->kernels;
    destroyed->kernels = kernel->next;
    clReleaseKernel(kernel->handle);
    free(kernel);
  }
  ocl_temporal_release(destroyed);
  clReleaseProgram(destroyed->handle);
  free(destroyed->words);
  free(destroyed);
}
