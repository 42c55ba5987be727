/* failing_driver.c - an OpenCL driver with one platform, failing as TRIREME_TEST_DRIVER says:
 *
 *   (unset)  its devices cannot be had
 *   load     it ends the process when the ICD loader asks for its platforms
 *   list     ... when it is asked for its devices
 *   build    ... in its compiler
 *   hang     it never comes back from being asked for its devices
 *
 * Registered beside a working driver it must not hide it: tests/backend-opencl/opencl_platforms.c.
 * Entries that the ICD loader and the plugin have no reason to call stay NULL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Where the loader looks for it in every object. */
struct _cl_platform_id { const cl_icd_dispatch *dispatch; };
struct _cl_device_id { const cl_icd_dispatch *dispatch; };
struct _cl_context { const cl_icd_dispatch *dispatch; };
struct _cl_command_queue { const cl_icd_dispatch *dispatch; };
struct _cl_program { const cl_icd_dispatch *dispatch; };
static struct _cl_device_id only_device;
static struct _cl_context only_context;
static struct _cl_command_queue only_queue;
static struct _cl_program only_program;

static int is_to(const char *mode)
{
  const char *chosen = getenv("TRIREME_TEST_DRIVER");
  return chosen && strcmp(chosen, mode) == 0;
}

/* A bad address, as in a real driver. */
static void crash(void)
{
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

static cl_int tell(const char *text, size_t size, void *value, size_t *size_out)
{
  const size_t length = strlen(text) + 1;
  if (value && size < length) return CL_INVALID_VALUE;
  if (value) memcpy(value, text, length);
  if (size_out) *size_out = length;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what,
                                        size_t size, void *value, size_t *size_out)
{
  (void)platform;
  switch (what) {
  case CL_PLATFORM_NAME: return tell("Failing Platform", size, value, size_out);
  case CL_PLATFORM_VENDOR: return tell("trireme tests", size, value, size_out);
  case CL_PLATFORM_VERSION: return tell("OpenCL 1.2 failing", size, value, size_out);
  case CL_PLATFORM_PROFILE: return tell("FULL_PROFILE", size, value, size_out);
  case CL_PLATFORM_EXTENSIONS: return tell("cl_khr_icd", size, value, size_out);
  case CL_PLATFORM_ICD_SUFFIX_KHR: return tell("FAIL", size, value, size_out);
  default: return CL_INVALID_VALUE;
  }
}

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                     cl_device_id *devices, cl_uint *count)
{
  (void)platform, (void)type;
  if (is_to("list")) crash();
  while (is_to("hang")) pause();
  if (!is_to("build")) return CL_OUT_OF_HOST_MEMORY;
  if (devices && room > 0) devices[0] = &only_device;
  if (count) *count = 1;
  return CL_SUCCESS;
}

/* ---- as much of a device as comes before its compiler --------------------------- */

static cl_int give(const void *bytes, size_t count, size_t size, void *value, size_t *size_out)
{
  if (value && size < count) return CL_INVALID_VALUE;
  if (value) memcpy(value, bytes, count);
  if (size_out) *size_out = count;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size,
                                      void *value, size_t *size_out)
{
  const cl_bool yes = CL_TRUE;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  (void)device;
  switch (what) {
  case CL_DEVICE_NAME: return tell("Failing Device", size, value, size_out);
  case CL_DEVICE_VERSION: return tell("OpenCL 1.2 failing", size, value, size_out);
  case CL_DEVICE_TYPE: return give(&type, sizeof type, size, value, size_out);
  case CL_DEVICE_AVAILABLE: case CL_DEVICE_COMPILER_AVAILABLE: case CL_DEVICE_ENDIAN_LITTLE:
    return give(&yes, sizeof yes, size, value, size_out);
  default: return CL_INVALID_VALUE;
  }
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                             const cl_device_id *devices,
                                             void(CL_CALLBACK *notify)(const char *, const void *,
                                                                       size_t, void *),
                                             void *user, cl_int *code)
{
  (void)properties, (void)count, (void)devices, (void)notify, (void)user;
  if (code) *code = CL_SUCCESS;
  return &only_context;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *code)
{
  (void)context, (void)device, (void)properties;
  if (code) *code = CL_SUCCESS;
  return &only_queue;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *lengths, cl_int *code)
{
  (void)context, (void)count, (void)texts, (void)lengths;
  if (code) *code = CL_SUCCESS;
  return &only_program;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
  (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)user;
  crash();
  return CL_BUILD_PROGRAM_FAILURE;
}

static const cl_icd_dispatch dispatch = {
    .clGetPlatformInfo = platform_info,
    .clGetDeviceIDs = device_ids,
    .clGetDeviceInfo = device_info,
    .clCreateContext = create_context,
    .clCreateCommandQueue = create_queue,
    .clCreateProgramWithSource = create_program,
    .clBuildProgram = build,
};
static struct _cl_platform_id only_platform = {&dispatch};
static struct _cl_device_id only_device = {&dispatch};
static struct _cl_context only_context = {&dispatch};
static struct _cl_command_queue only_queue = {&dispatch};
static struct _cl_program only_program = {&dispatch};

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
  if (is_to("load")) crash();
  if (platforms && room > 0) platforms[0] = &only_platform;
  if (count) *count = 1;
  return CL_SUCCESS;
}

/* ocl-icd asks for both of these. */
EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  void *address = NULL;
  cl_int (*ids)(cl_uint, cl_platform_id *, cl_uint *) = platform_ids;
  cl_int (*info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) = platform_info;
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) memcpy(&address, &ids, sizeof address);
  if (strcmp(name, "clGetPlatformInfo") == 0) memcpy(&address, &info, sizeof address);
  return address;
}
