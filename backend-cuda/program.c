/* program.c - programs and kernels: modules of the driver, made from an image that NVRTC just
 * compiled or that core kept in its cache. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trm_status fail_memory(const trm_build *build)
{
  return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for the program", build->name);
}

/* The driver refused code that the compiler had made for it. */
static trm_status fail_load(cuda_gpu *gpu, const trm_build *build, cu_result result)
{
  char text[256];
  if (result != CU_INVALID_IMAGE && result != CU_NO_BINARY_FOR_GPU && result != CU_INVALID_PTX &&
      result != CU_UNSUPPORTED_PTX_VERSION)
    return cuda_error(gpu, result, "cuModuleLoadData", __FILE__, __LINE__);
  return CUDA_FAIL(BUILD, "%s: %s cannot load the code of NVRTC %d.%d for %s_%d: %s; the driver "
                   "is for CUDA %d.%d: update it, or name an older NVRTC in TRIREME_NVRTC",
                   build->name,
                   gpu->label, cuda_found.nvrtc_major, cuda_found.nvrtc_minor,
                   gpu->target.is_ptx ? "compute" : "sm", gpu->target.arch,
                   cuda_result_text(result, text, sizeof text), cuda_found.driver_version / 1000,
                   cuda_found.driver_version % 1000 / 10);
}

static trm_status load_image(cuda_gpu *gpu, const trm_build *build, const void *image,
                             size_t bytes, cuda_program **out)
{
  cuda_program *made = calloc(1, sizeof *made);
  if (!made) return fail_memory(build);
  const cu_result result = cu.cuModuleLoadData(&made->module, image);
  if (result != CU_OK) {
    free(made);
    return fail_load(gpu, build, result);
  }
  made->row_group_x = build->row_group_x;
  made->row_group_y = build->row_group_y;
  made->group = build->group;
  made->waits = !gpu->read_only_loads && strstr(build->dialect, "griddepcontrol.wait") != NULL;
  const trm_status status = cuda_temporal_load(gpu, build, image, bytes, made);
  if (status != TRM_OK) {
    cuda_program_destroy(gpu, made);
    return status;
  }
  *out = made;
  return TRM_OK;
}

trm_status cuda_program_build(void *device, const trm_build *build, char **log, void **program)
{
  cuda_gpu *gpu = device;
  cuda_program *made;
  char *words = NULL;
  void *image = NULL;
  size_t bytes = 0;
  TRM_TRY(cuda_enter(gpu));
  if (!gpu->target.arch)
    return CUDA_FAIL(UNSUPPORTED, "%s: NVRTC %d.%d no longer compiles for compute capability "
                     "%d.%d (%d.%d is its oldest); name an older NVRTC in TRIREME_NVRTC",
                     gpu->label,
                     cuda_found.nvrtc_major, cuda_found.nvrtc_minor, gpu->capability / 10,
                     gpu->capability % 10, cuda_found.archs[0] / 10, cuda_found.archs[0] % 10);
  TRM_TRY(cuda_compile(build, gpu->target, gpu->read_only_loads ? &cuda_read_only_text : NULL,
                       &words, &image, &bytes));
  trm_status status = cuda_temporal_build(gpu, build, &image, &bytes);
  if (status == TRM_OK) status = load_image(gpu, build, image, bytes, &made);
  if (status != TRM_OK) {
    free(words);
    free(image);
    return status;
  }
  made->image = image;
  made->image_bytes = bytes;
  *log = words;
  *program = made;
  return TRM_OK;
}

trm_status cuda_program_binary(void *device, void *program, void **bytes, size_t *count)
{
  const cuda_gpu *gpu = device;
  const cuda_program *made = program;
  if (!made->image)
    return CUDA_FAIL(INVALID, "%s: the program was loaded from a binary, not built", gpu->label);
  void *copy = malloc(made->image_bytes);
  if (!copy)
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for a copy of the code", gpu->label);
  memcpy(copy, made->image, made->image_bytes);
  *bytes = copy;
  *count = made->image_bytes;
  return TRM_OK;
}

/* The driver takes an image without its length, so what it must find is looked for first. */
trm_status cuda_program_load(void *device, const trm_build *build, const void *bytes, size_t count,
                             void **program)
{
  cuda_gpu *gpu = device;
  cuda_program *made;
  TRM_TRY(cuda_enter(gpu));
  const char *text = bytes;
  const int sound = gpu->target.is_ptx ? count > 1 && text[count - 1] == '\0'
                                       : count > 64 && memcmp(text, "\177ELF", 4) == 0;
  if (!sound) return CUDA_FAIL(BUILD, "%s: the cached code is no %s", build->name,
                               gpu->target.is_ptx ? "PTX" : "CUBIN");
  TRM_TRY(load_image(gpu, build, bytes, count, &made));
  *program = made;
  return TRM_OK;
}

void cuda_program_destroy(void *device, void *program)
{
  cuda_gpu *gpu = device;
  cuda_program *old = program;
  cu.cuCtxSetCurrent(gpu->context);
  cu.cuModuleUnload(old->module);
  cuda_temporal_unload(old);
  for (cuda_kernel *kernel = old->kernels, *next; kernel; kernel = next) {
    next = kernel->next;
    free(kernel);
  }
  free(old->image);
  free(old);
}

trm_status cuda_program_key(void *device, const trm_build *build, char *line, size_t bytes)
{
  const cuda_gpu *gpu = device;
  char options[256];
  cuda_compile_options(build->math, gpu->target, options, sizeof options);
  snprintf(line, bytes,
           "capability %d driver %d %s nvrtc %d.%d %llu options %s temporals %016llx%s",
           gpu->capability, cuda_found.driver_version, cuda_found.driver_release,
           cuda_found.nvrtc_major, cuda_found.nvrtc_minor, cuda_found.nvrtc_bytes, options,
           cuda_temporal_count(gpu, build) ? (unsigned long long)cuda_temporal_key(gpu) : 0,
           gpu->read_only_loads ? " read-only loads" : "");
  return TRM_OK;
}

/* ---- kernels ------------------------------------------------------------------- */

/* Shared memory of a group, as the program was built: its size may depend on the group's. The
 * dialect leaves it in a variable beside the kernel. */
static trm_status shared_memory(cuda_gpu *gpu, const cuda_program *program,
                                const trm_host_kernel *declaration, int *out)
{
  char name[128];
  cu_deviceptr variable;
  size_t bytes;
  if (declaration->kind == TRM_KERNEL_ROW || declaration->shared_bytes == 0) {
    *out = 0;
    return TRM_OK;
  }
  snprintf(name, sizeof name, "trm_shared_%s", declaration->name);
  const cu_result result = cu.cuModuleGetGlobal_v2(&variable, &bytes, program->module, name);
  if (result == CU_NOT_FOUND)
    return CUDA_FAIL(NOT_FOUND, "%s: the code has no variable %s, so the shared memory of kernel "
                     "%s is not known; write the kernel with TRM_GROUP_KERNEL", gpu->label, name,
                     declaration->name);
  if (result != CU_OK) return cuda_error(gpu, result, "cuModuleGetGlobal", __FILE__, __LINE__);
  CU_TRY(gpu, cuMemcpyDtoH_v2, (out, variable, sizeof *out));
  return TRM_OK;
}

/* *shared: the fewest bytes with which no more groups are resident than the device's residency
 * allows, or one. */
static trm_status add_ballast(cuda_gpu *gpu, const cuda_kernel *kernel, int items, int fixed_shared,
                              int *shared)
{
  enum { STEP = 128 };         /* the finest in which the driver counts */
  int most, groups, low = *shared, high = (gpu->max_shared - fixed_shared) / STEP * STEP;
  CU_TRY(gpu, cuDeviceGetAttribute, (&most, CU_MAX_THREADS_PER_UNIT, gpu->ordinal));
  const int wanted = gpu->residency * most < 2.0 * items ? 1 : (int)(gpu->residency * most / items);
  CU_TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor, (&groups, kernel->function, items,
                                                            (size_t)low));
  if (groups <= wanted || low >= high) return TRM_OK;
  CU_TRY(gpu, cuFuncSetAttribute, (kernel->function, CU_FUNC_MAX_DYNAMIC_SHARED, high));
  low = (low + STEP - 1) / STEP * STEP;
  while (low < high) {
    const int middle = (low + high) / (2 * STEP) * STEP;
    CU_TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor, (&groups, kernel->function, items,
                                                              (size_t)middle));
    if (groups > wanted) low = middle + STEP;
    else high = middle;
  }
  *shared = high;
  return TRM_OK;
}

/* Fills in block and shared memory, and refuses what the device cannot hold. */
static trm_status shape_kernel(cuda_gpu *gpu, const cuda_program *program,
                               const trm_host_kernel *declaration, cuda_kernel *kernel)
{
  const int is_row = declaration->kind == TRM_KERNEL_ROW;
  const int x = is_row ? program->row_group_x : program->group;
  const int y = is_row ? program->row_group_y : 1;
  int shared, threads, fixed_shared;
  TRM_TRY(shared_memory(gpu, program, declaration, &shared));
  CU_TRY(gpu, cuFuncGetAttribute, (&threads, CU_FUNC_MAX_THREADS, kernel->function));
  CU_TRY(gpu, cuFuncGetAttribute, (&fixed_shared, CU_FUNC_SHARED_BYTES, kernel->function));
  if ((long)x * y > threads)
    return CUDA_FAIL(UNSUPPORTED, "%s: kernel %s can run groups of %d items at most here, not %d "
                     "x %d; choose a smaller group", gpu->label, declaration->name, threads, x, y);
  if ((long)shared + fixed_shared > gpu->max_shared)
    return CUDA_FAIL(UNSUPPORTED, "%s: kernel %s needs %d bytes of shared memory a group, the "
                     "device has %d; choose a smaller tile or group", gpu->label, declaration->name,
                     shared + fixed_shared, gpu->max_shared);
  if (gpu->residency > 0) TRM_TRY(add_ballast(gpu, kernel, x * y, fixed_shared, &shared));
  if (shared + fixed_shared > CUDA_PLAIN_SHARED)
    CU_TRY(gpu, cuFuncSetAttribute, (kernel->function, CU_FUNC_MAX_DYNAMIC_SHARED, shared));
  kernel->block_x = (unsigned int)x;
  kernel->block_y = (unsigned int)y;
  kernel->own_x = (unsigned int)(is_row ? trm_own_columns(declaration, x) : 1);
  kernel->shared_bytes = (unsigned int)shared;
  return TRM_OK;
}

trm_status cuda_kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                           void **kernel)
{
  cuda_gpu *gpu = device;
  cuda_program *owner = program;
  TRM_TRY(cuda_enter(gpu));
  cuda_kernel *made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for kernel %s", gpu->label,
                     declaration->name);
  const cu_result result =
    cu.cuModuleGetFunction(&made->function, owner->module, declaration->name);
  trm_status status;
  if (result == CU_NOT_FOUND)
    status = CUDA_FAIL(NOT_FOUND, "%s: the code has no kernel %s, though its table declares one",
                       gpu->label, declaration->name);
  else if (result != CU_OK)
    status = cuda_error(gpu, result, "cuModuleGetFunction", __FILE__, __LINE__);
  else
    status = shape_kernel(gpu, owner, declaration, made);
  if (status != TRM_OK) {
    free(made);
    return status;
  }
  made->waits = owner->waits;
  for (int i = owner->temporal_count; declaration->steps && i-- > 0;)
    if (owner->temporals[i].declaration == declaration) made->temporals = &owner->temporals[i];
  made->next = owner->kernels;
  owner->kernels = made;
  *kernel = made;
  return TRM_OK;
}

trm_status cuda_kernel_resources(void *device, const trm_command *launch,
                                 trm_kernel_resources *out)
{
  cuda_gpu *gpu = device;
  const cuda_kernel *kernel = launch->kernel;
  const int items = (int)(kernel->block_x * kernel->block_y);
  int registers, local, shared, groups, most;
  TRM_TRY(cuda_enter(gpu));
  CU_TRY(gpu, cuFuncGetAttribute, (&registers, CU_FUNC_REGISTERS, kernel->function));
  CU_TRY(gpu, cuFuncGetAttribute, (&local, CU_FUNC_LOCAL_BYTES, kernel->function));
  CU_TRY(gpu, cuFuncGetAttribute, (&shared, CU_FUNC_SHARED_BYTES, kernel->function));
  CU_TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor, (&groups, kernel->function, items,
                                                            kernel->shared_bytes));
  CU_TRY(gpu, cuDeviceGetAttribute, (&most, CU_MAX_THREADS_PER_UNIT, gpu->ordinal));
  *out = (trm_kernel_resources){items, registers, local, shared + (int)kernel->shared_bytes, groups,
                                most > 0 ? (double)groups * items / most : -1, ""};
  return TRM_OK;
}
