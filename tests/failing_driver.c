/* failing_driver.c - an OpenCL driver with one platform whose devices cannot be had.
 *
 * Registered beside a working driver it must not hide it: tests/opencl_platforms.c. Entries that
 * the ICD loader and the plugin have no reason to call stay NULL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct _cl_platform_id {
  const cl_icd_dispatch *dispatch; /* where the loader looks for it */
};

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
  (void)platform, (void)type, (void)room, (void)devices, (void)count;
  return CL_OUT_OF_HOST_MEMORY;
}

static const cl_icd_dispatch dispatch = {
    .clGetPlatformInfo = platform_info,
    .clGetDeviceIDs = device_ids,
};
static struct _cl_platform_id only_platform = {&dispatch};

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
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
