/* check_device.c - the check of each device in the probe process (backend.h, in_probe_process): a
 * small program is compiled and launched, since drivers end processes there. An ordinary failure is
 * not recorded: it will happen again later, with its own message. */
#include "opencl.h"

static const char text[] =
    "__kernel void trireme_check(__global float *x, const float a)\n"
    "{\n"
    "  const size_t i = get_global_id(0);\n"
    "  x[i] = a * x[i] + (float)i;\n"
    "}\n";

static void launch(cl_context context, cl_command_queue queue, cl_kernel kernel)
{
  const size_t count = 64;
  const float a = 2;
  cl_int code;
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof a, NULL, &code);
  if (code != CL_SUCCESS) return;
  if (clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS &&
      clSetKernelArg(kernel, 1, sizeof a, &a) == CL_SUCCESS &&
      clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL) == CL_SUCCESS)
    clFinish(queue);
  clReleaseMemObject(memory);
}

static void build(cl_context context, cl_command_queue queue, cl_device_id device)
{
  const char *part = text;
  cl_int code;
  cl_program program = clCreateProgramWithSource(context, 1, &part, NULL, &code);
  if (code != CL_SUCCESS) return;
  if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) == CL_SUCCESS) {
    cl_kernel kernel = clCreateKernel(program, "trireme_check", &code);
    if (code == CL_SUCCESS) {
      launch(context, queue, kernel);
      clReleaseKernel(kernel);
    }
  }
  clReleaseProgram(program);
}

void ocl_check_device(const ocl_site *site)
{
  const cl_context_properties which[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)site->platform,
                                         0};
  cl_int code;
  cl_context context = clCreateContext(which, 1, &site->device, NULL, NULL, &code);
  if (code != CL_SUCCESS) return;
  cl_command_queue queue = clCreateCommandQueue(context, site->device, 0, &code);
  if (code == CL_SUCCESS) {
    build(context, queue, site->device);
    clReleaseCommandQueue(queue);
  }
  clReleaseContext(context);
}
