/* platform.c - the platforms and devices of this machine.
 *
 * Devices are numbered over all platforms: GPUs first, then the others, each in the loader's order,
 * so that plain "opencl" is a GPU where there is one. A platform or device that cannot be used is
 * named in the probe's reason and hides no other. */
#include "opencl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_SITES = 64 };

static const char loading[] = "the drivers that the ICD loader opens";

static ocl_site sites[MAX_SITES];
static size_t site_count, gpu_count;

void ocl_append(char *text, size_t bytes, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  if (used + 1 < bytes) vsnprintf(text + used, bytes - used, format, list);
  va_end(list);
}

/* No blanks at the ends, one between words. */
static void trim(char *text)
{
  size_t length = 0;
  for (const char *from = text; *from; from++) {
    const int blank = strchr(" \t\r\n", *from) != NULL;
    if (!blank) text[length++] = *from;
    else if (length > 0 && text[length - 1] != ' ') text[length++] = ' ';
  }
  if (length > 0 && text[length - 1] == ' ') length--;
  text[length] = 0;
}

/* Names and versions only are asked for here; a driver refuses to tell a text that is longer. */
enum { LONGEST_TEXT = 8192 };

/* Keeps what fits of a text that may be longer than its place. */
static void text_keep(const char *full, cl_int code, char *text, size_t bytes)
{
  text[0] = 0;
  if (code == CL_SUCCESS) ocl_append(text, bytes, "%s", full);
  trim(text);
}

void ocl_device_text(cl_device_id device, cl_device_info what, char *text, size_t bytes)
{
  char full[LONGEST_TEXT] = "";
  text_keep(full, clGetDeviceInfo(device, what, sizeof full - 1, full, NULL), text, bytes);
}

void ocl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t bytes)
{
  char full[LONGEST_TEXT] = "";
  text_keep(full, clGetPlatformInfo(platform, what, sizeof full - 1, full, NULL), text, bytes);
}

void ocl_platform_version(cl_platform_id platform, char *text, size_t bytes)
{
  ocl_platform_text(platform, CL_PLATFORM_VERSION, text, bytes);
  text[strcspn(text, ",")] = 0;
  trim(text);
}

cl_ulong ocl_device_number(cl_device_id device, cl_device_info what)
{
  cl_ulong value = 0; /* little endian: a shorter property fills the low bytes */
  const cl_int code = clGetDeviceInfo(device, what, sizeof value, &value, NULL);
  return code == CL_SUCCESS ? value : 0;
}

int ocl_nvidia(const ocl_site *site)
{
  enum { CAPABILITY_MAJOR_NV = 0x4000 };
  char vendor[64];
  ocl_platform_text(site->platform, CL_PLATFORM_VENDOR, vendor, sizeof vendor);
  if (strncmp(vendor, "NVIDIA", 6) != 0) return 0;
  return (int)ocl_device_number(site->device, CAPABILITY_MAJOR_NV);
}

/* Why a device cannot serve; NULL when it can. */
static const char *device_complaint(cl_device_id device)
{
  char version[64];
  int major = 0, minor = 0;
  ocl_device_text(device, CL_DEVICE_VERSION, version, sizeof version);
  if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2) return "tells no OpenCL version";
  if (major < 1 || (major == 1 && minor < 2)) return "is older than OpenCL 1.2";
  if (!ocl_device_number(device, CL_DEVICE_AVAILABLE)) return "is not available";
  if (!ocl_device_number(device, CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
  if (!ocl_device_number(device, CL_DEVICE_ENDIAN_LITTLE)) return "is big-endian";
  return NULL;
}

static void clause(trm_probe *out, const char *what, const char *name, const char *complaint)
{
  ocl_append(out->reason, sizeof out->reason, "%s%s %s: %s", *out->reason ? "; " : "", what, name,
             complaint);
}

static void add_site(cl_platform_id platform, cl_device_id device)
{
  size_t at = site_count++;
  if (ocl_device_number(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) {
    memmove(sites + gpu_count + 1, sites + gpu_count, (at - gpu_count) * sizeof sites[0]);
    at = gpu_count++;
  }
  sites[at] = (ocl_site){platform, device};
}

static void probe_devices(cl_platform_id platform, const char *name, trm_probe *out)
{
  char version[128];
  cl_device_id devices[MAX_SITES];
  cl_uint count = 0;
  ocl_platform_version(platform, version, sizeof version);
  const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_SITES, devices, &count);
  if (code != CL_SUCCESS) {
    clause(out, "platform", name, ocl_error_name(code));
    return;
  }
  ocl_append(out->version, sizeof out->version, "%s%s, %s", *out->version ? "; " : "", name,
             version);
  for (cl_uint i = 0; i < count && i < MAX_SITES; i++) {
    char device_name[128];
    const char *complaint = device_complaint(devices[i]);
    if (!complaint && site_count == MAX_SITES) complaint = "beyond the largest number of devices";
    ocl_device_text(devices[i], CL_DEVICE_NAME, device_name, sizeof device_name);
    if (complaint)
      clause(out, "device", device_name, complaint);
    else
      add_site(platform, devices[i]);
    if (!complaint && ocl_services->in_probe_process) ocl_check_device(&(ocl_site){platform,
                                                                                   devices[i]});
  }
}

/* A platform that ended its probe process is named and not touched. PoCL is not touched either
 * where it would fail later or end this process. 1: the fault can be mended without another
 * driver. */
static int probe_platform(cl_platform_id platform, trm_probe *out)
{
  char name[128], part[144];
  const char *cure = "";
  ocl_platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
  const char *complaint = ocl_pocl_complaint(name, &cure);
  if (complaint) {
    clause(out, "platform", name, complaint);
    snprintf(out->cure, sizeof out->cure, "%s", cure);
    return 1;
  }
  snprintf(part, sizeof part, "platform %s", name);
  const char *words = ocl_services->part(part);
  if (!words) {
    probe_devices(platform, name, out);
    ocl_services->part(NULL);
    return 0;
  }
  clause(out, "platform", name, words);
  const char *cache = ocl_pocl_cache(name);
  if (cache && !*out->cure)
    snprintf(out->cure, sizeof out->cure, "remove the folder where it keeps kernels, of which a "
             "file may be damaged (rm -r '%s'), or update that driver; it is tried again at once",
             cache);
  if (!*out->cure)
    snprintf(out->cure, sizeof out->cure, "update or remove the driver of that platform "
             "(/etc/OpenCL/vendors/*.icd names them); it is tried again when its files change, and "
             "after an hour");
  return 0;
}

/* No usable device: the state, and the driver to install. is_curable: the installed drivers suffice
 * once they are mended. */
static void probe_nothing(cl_uint platform_count, int is_curable, trm_probe *out)
{
  char why[sizeof out->reason];
  snprintf(why, sizeof why, "%s", out->reason);
  out->reason[0] = 0;
  if (platform_count == 0) {
    out->state = TRM_BACKEND_NO_DRIVER;
    ocl_append(out->reason, sizeof out->reason, "the OpenCL ICD loader %s found no platform",
               ocl_loader_file());
  } else {
    out->state = TRM_BACKEND_NO_DEVICE;
    ocl_append(out->reason, sizeof out->reason, "no OpenCL platform has a device that can be used");
  }
  if (*why) ocl_append(out->reason, sizeof out->reason, " (%s)", why);
  if (is_curable) return;
  ocl_append(out->cure, sizeof out->cure, "%s", *out->cure ? "; or " : "");
  ocl_append(out->cure, sizeof out->cure,
             "install an OpenCL driver: `apt install pocl-opencl-icd` for this CPU, or the "
             "GPU vendor's (nvidia-opencl-icd, rocm-opencl-runtime, intel-opencl-icd); "
             "`clinfo -l` lists what the loader sees");
}

void ocl_probe(trm_probe *out)
{
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint count = 0;
  memset(out, 0, sizeof *out);
  site_count = gpu_count = 0;
  const char *words = ocl_services->part(loading);
  if (words) {
    out->state = TRM_BACKEND_BROKEN;
    snprintf(out->reason, sizeof out->reason, "%s: %s", loading, words);
    snprintf(out->cure, sizeof out->cure, "update or remove that driver (/etc/OpenCL/vendors/*.icd "
             "names them all), or let OCL_ICD_VENDORS name one that works");
    return;
  }
  ocl_pocl_prepare();
  const cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &count);
  if (code != CL_SUCCESS) count = 0;
  ocl_services->part(NULL);
  int is_curable = 0;
  for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++)
    is_curable |= probe_platform(platforms[i], out);
  ocl_vendor_complaints(out->reason, sizeof out->reason);
  out->device_count = site_count;
  out->state = TRM_BACKEND_READY;
  if (site_count == 0) probe_nothing(count, is_curable, out);
}

const ocl_site *ocl_site_at(size_t index)
{
  return &sites[index];
}
