/* ballast.c - run.residency: local memory that nobody uses, so that no more groups are on a unit.
 *
 * OpenCL tells the local memory of a group, and not that of a unit, where groups share it. NVIDIA's
 * compute capability implies it; for other devices the user names it. A kernel of such a program
 * has one more argument, the ballast. It is the least with which one group too many does not
 * fit. */
#include "opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A multiprocessor has, by compute capability (CUDA C++ Programming Guide, technical
 * specifications): shared memory in KiB, items, and bytes that the system takes of each group. */
static const struct { int capability, kilobytes, items, taken; } units[] = {
  {50, 64, 2048, 0}, {52, 96, 2048, 0}, {53, 64, 2048, 0}, {60, 64, 2048, 0}, {61, 96, 2048, 0},
  {62, 64, 2048, 0}, {70, 96, 2048, 0}, {72, 96, 2048, 0}, {75, 64, 1024, 0},
  {80, 164, 2048, 1024}, {86, 100, 1536, 1024}, {87, 164, 1536, 1024}, {89, 100, 1536, 1024},
  {90, 228, 2048, 1024}, {100, 228, 2048, 1024}, {103, 228, 2048, 1024}, {120, 100, 1536, 1024},
};
static const char variable[] = "TRIREME_OPENCL_UNIT";

/* *found: whether the user names a unit. */
static trm_status read_variable(ocl_unit *out, int *found)
{
  const char *text = getenv(variable);
  int used = 0;
  *found = text && *text;
  if (!*found) return TRM_OK;
  if (sscanf(text, "%9d:%9d%n", &out->bytes, &out->items, &used) == 2 && !text[used] &&
      out->bytes > 0 && out->items > 0)
    return TRM_OK;
  return OCL_FAIL(INVALID, "%s=%s: write BYTES:ITEMS, the local memory of a compute unit and the "
                  "items that it holds at once, such as 65536:2048", variable, text);
}

trm_status ocl_unit_find(const ocl_site *site, const char *name, ocl_unit *out)
{
  enum { CAPABILITY_MINOR_NV = 0x4001 };
  const int major = ocl_nvidia(site);
  const int capability =
    10 * major + (int)ocl_device_number(site->device, CAPABILITY_MINOR_NV);
  int is_named;
  *out = (ocl_unit){0, 0, 0};
  TRM_TRY(read_variable(out, &is_named));
  for (size_t i = 0; i < sizeof units / sizeof *units && !is_named && major; i++)
    if (units[i].capability == capability)
      *out = (ocl_unit){units[i].kilobytes << 10, units[i].items, units[i].taken};
  if (out->bytes > 0) return TRM_OK;
  return OCL_FAIL(UNSUPPORTED, "run.residency: not testable on opencl (%s): OpenCL does not tell "
                  "the local memory of a compute unit; name it in %s=BYTES:ITEMS, with the items "
                  "that the unit holds, or run on cuda", name, variable);
}

trm_status ocl_ballast_find(const ocl_device *device, const ocl_kernel *kernel, size_t own,
                            size_t limit, size_t *out)
{
  enum { STEP = 128, LEAST = 16 };       /* an argument has some bytes */
  const ocl_unit *unit = &device->unit;
  const double items = (double)(kernel->local[0] * kernel->local[1]);
  const double part = device->residency * unit->items / items;
  const int groups = part < 2 ? 1 : (int)part;
  const int whole = unit->bytes / (groups + 1) + 1 - unit->taken; /* one more does not fit */
  const size_t bytes = whole > 0 ? ((size_t)whole + STEP - 1) / STEP * STEP : 0;
  *out = bytes > own + LEAST ? bytes - own : LEAST;
  if (own + *out <= limit) return TRM_OK;
  const size_t fewest = (size_t)unit->bytes / (limit + (size_t)unit->taken);
  const double least = items / unit->items * (double)fewest;
  char cure[64];
  if (least > 1) snprintf(cure, sizeof cure, "leave it out");
  else snprintf(cure, sizeof cure, "ask for %.3f or more", ceil(1e3 * least) / 1e3);
  return OCL_FAIL(UNSUPPORTED, "kernel %s: run.residency = %g needs %zu bytes of local memory a "
                  "group, %s gives a group %zu; %s, or run on cuda", kernel->declaration->name,
                  device->residency, own + *out, device->name, limit, cure);
}
