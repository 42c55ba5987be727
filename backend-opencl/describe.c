/* describe.c - what a device is, in the words of trm_device_info. */
#include "opencl.h"

#include <stdio.h>
#include <string.h>

/* Double precision as the strict promise needs it; OpenCL has its division and square root
 * correctly rounded wherever it has doubles. */
static int has_f64(cl_device_id device)
{
  const cl_ulong need = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_DENORM | CL_FP_INF_NAN;
  return (ocl_device_number(device, CL_DEVICE_DOUBLE_FP_CONFIG) & need) == need;
}

/* The widest multiple of 32 that the device takes, up to `wanted`. */
static int group_limit(cl_device_id device, int wanted)
{
  const cl_ulong limit = ocl_device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  while (wanted > 32 && (cl_ulong)wanted > limit) wanted /= 2;
  return wanted;
}

/* Measured on PoCL, microseconds of processor time a step of D2Q9 f32: at 128^2 with 32, 64,
 * 128, 256, 512 x 1: 124 107 107 196 393; at 1024^2 with 64, 128, 256, 512 x 1: 6690 6560 6400
 * 6620. A GPU gets the same shape, four warps. */
static void groups(cl_device_id device, trm_device_info *out)
{
  out->row_group_x = group_limit(device, 128);
  out->row_group_y = 1;
  out->group = group_limit(device, 256);
}

/* Numbers of two extensions: cl_khr_pci_bus_info (Khronos, since 2021), and those that NVIDIA's
 * driver answers beside cl_nv_device_attribute_query. A slot there is 8 * device + function. */
enum { PCI_BUS_INFO = 0x410F, PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A };

/* "0000:17:00.0"; "" where the driver tells neither. */
static void pci_address(cl_device_id device, char *text, size_t bytes)
{
  cl_uint place[4], slot;   /* domain, bus, device, function */
  if (clGetDeviceInfo(device, PCI_BUS_INFO, sizeof place, place, NULL) != CL_SUCCESS) {
    if (clGetDeviceInfo(device, PCI_BUS_NV, sizeof place[1], &place[1], NULL) != CL_SUCCESS ||
        clGetDeviceInfo(device, PCI_SLOT_NV, sizeof slot, &slot, NULL) != CL_SUCCESS)
      return;
    place[0] = (cl_uint)ocl_device_number(device, PCI_DOMAIN_NV);
    place[2] = slot >> 3;
    place[3] = slot & 7;
  }
  snprintf(text, bytes, "%04x:%02x:%02x.%x", place[0], place[1], place[2], place[3]);
}

trm_status ocl_describe(size_t index, trm_device_info *out)
{
  const ocl_site *site = ocl_site_at(index);
  char platform[64], driver[48];
  memset(out, 0, sizeof *out);
  snprintf(out->backend, sizeof out->backend, "opencl");
  out->index = index;
  ocl_device_text(site->device, CL_DEVICE_NAME, out->name, sizeof out->name);
  ocl_device_text(site->device, CL_DEVICE_VENDOR, out->vendor, sizeof out->vendor);
  ocl_platform_version(site->platform, platform, sizeof platform);
  ocl_device_text(site->device, CL_DRIVER_VERSION, driver, sizeof driver);
  ocl_append(out->driver, sizeof out->driver, "%s, driver %s", platform, driver);
  ocl_device_text(site->device, CL_DEVICE_OPENCL_C_VERSION, out->compiler, sizeof out->compiler);
  out->memory_bytes = ocl_device_number(site->device, CL_DEVICE_GLOBAL_MEM_SIZE);
  out->max_buffer_bytes = ocl_device_number(site->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  out->has_f64 = has_f64(site->device);
  out->compute_units = (int)ocl_device_number(site->device, CL_DEVICE_MAX_COMPUTE_UNITS);
  groups(site->device, out);
  pci_address(site->device, out->pci, sizeof out->pci);
  ocl_temporal_tell(ocl_nvidia(site), out->fused, sizeof out->fused);
  out->row_align_bytes = 128;
  return TRM_OK;
}
