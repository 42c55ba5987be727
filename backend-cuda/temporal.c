/* temporal.c - several recorded steps of a row kernel in one launch (core/kernel_temporal.h): the
 * shapes, their code, and which of them serves a launch.
 *
 * Measured on an H200 with D2Q9, in thousand million updates a second. One step a launch: f32 54.6
 * at 4096^2, 51.4 at 1024^2; f64 28.1, 26.4. f32 at 4096^2 and 1024^2: 111.8 and 89.6 (128 columns,
 * 4 rows a tick), 110.7 and 89.8 (64, 8), 108.3 and 81.7 (160, 3), 103.6 (96, 4), 102.1 (128, 2),
 * 101.9 and 84.5 (64, 4). f64: 57.8 and 51.2 (64, 2), 57.4 and 45.4 (32, 4). More warps to a
 * multiprocessor are faster: 36 of them in the first, 28 to 34 in the others. A launch that stays a
 * whole tick behind its predecessor needs only one barrier a tick, but more lines: 26 warps, 93.4
 * at best. Tiles, in a run: 128^2 0.71 us a step (one step 1.36), 256^2 1.15 (1.9). At 1024^2 64
 * columns and 7 rows take 11.75 us, 8 rows 11.89. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char trm_text_kernel_temporal[];

enum { LEAST_ARCH = 80 };
#define ROOMY (UINT64_C(1) << 62) /* in the length of a CUBIN of that shape */

/* By the bytes of a cell: each line serves cells up to `cell_bytes`, the last line all larger
 * cells. The shapes `roomy` are for strips of a kernel with many values: they do not fit in the
 * registers that the other shapes leave an item. */
static const struct shapes {
  int cell_bytes;
  trm_steps_shape shape[TRM_STEPS_SHAPES], roomy;
} shapes[] = {
  {8, {{3, 128, 8, 0, 3}, {3, 64, 8, 0, 4}, {5, 32, 24, 1, 1}, {5, 32, 12, 1, 1}},
   {3, 128, 8, 0, 2}},
  {12, {{3, 56, 1, 0, 16}, {3, 64, 8, 0, 4}, {5, 32, 24, 1, 1}, {5, 32, 12, 1, 1}},
   {3, 128, 8, 0, 2}},
  {16, {{3, 128, 8, 0, 3}, {3, 64, 8, 0, 4}, {5, 32, 24, 1, 1}, {5, 32, 12, 1, 1}},
   {3, 128, 8, 0, 2}},
  {36, {{3, 128, 4, 0, 2}, {3, 64, 7, 0, 2}, {5, 32, 24, 1, 1}, {5, 32, 12, 1, 1}},
   {3, 96, 5, 0, 2}},
  {1 << 20, {{3, 64, 2, 0, 3}, {3, 64, 2, 0, 3}, {5, 32, 16, 1, 1}, {5, 32, 12, 1, 1}},
   {3, 64, 2, 0, 2}},
};

int cuda_temporal_shapes(const cuda_gpu *gpu)
{
  return gpu->shape.steps ? 1 : TRM_STEPS_SHAPES;
}

/* As many groups to a multiprocessor as shared memory holds, with 56 registers an item (f64: 112),
 * as D2Q9 takes them: what the shapes above have. */
static int resident_of(const trm_steps_shape *shape, int components, int real_bytes, int folds)
{
  enum { SHARED = 227 << 10, REGISTERS = 65536, OF_AN_ITEM = 56, WARPS = 16 };
  int items, bytes;
  if (trm_steps_by_warps(shape)) return WARPS;
  trm_steps_needs(shape, components, real_bytes, folds, &items, &bytes);
  const int by_shared = SHARED / (bytes + 1024);
  const int by_registers = REGISTERS / (items * OF_AN_ITEM * real_bytes / 4);
  const int least = by_shared < by_registers ? by_shared : by_registers;
  return least > 1 ? least : 1;
}

static int real_bytes_of(const trm_build *build) { return build->precision == TRM_F64 ? 8 : 4; }

static int folds_of(const trm_build *build, const trm_host_kernel *kernel,
                    const trm_steps_shape *shape);

static trm_steps_shape shape_of(const cuda_gpu *gpu, const trm_build *build,
                                const trm_host_kernel *kernel, int which, int is_roomy)
{
  const int components = kernel->steps->components, bytes = components * real_bytes_of(build);
  const struct shapes *line = shapes;
  trm_steps_shape wanted = gpu->shape;
  while (line->cell_bytes < bytes ||
         (trm_steps_by_warps(&line->shape[TRM_STEPS_HUGE]) &&
          !trm_steps_serves_warps(kernel, build->text, real_bytes_of(build))))
    line++;
  if (!wanted.steps) return is_roomy ? line->roomy : line->shape[which];
  wanted.resident = resident_of(&wanted, components, real_bytes_of(build),
                                folds_of(build, kernel, &wanted));
  return wanted;
}

static int can_temporal(cuda_target target) { return !target.is_ptx && target.arch >= LEAST_ARCH; }

void cuda_temporal_tell(cuda_target target, char *text, size_t bytes)
{
  snprintf(text, bytes, "%s", can_temporal(target) ? "3 in one launch, on small grids 5"
                                                : "1: no asynchronous copies into shared memory");
}

int cuda_temporal_count(const cuda_gpu *gpu, const trm_build *build)
{
  int count = 0;
  if (gpu->steps_per_launch == 1 || !can_temporal(gpu->target)) return 0;
  for (int i = 0; i < build->module->kernel_count; i++)
    if (build->module->kernels[i].steps) count += cuda_temporal_shapes(gpu);
  return count;
}

/* FNV-1a. */
uint64_t cuda_temporal_key(const cuda_gpu *gpu)
{
  uint64_t key = UINT64_C(0xcbf29ce484222325);
  for (const char *c = trm_text_kernel_temporal; *c; c++)
    key = (key ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < sizeof shapes; i++)
    key = (key ^ ((const unsigned char *)shapes)[i]) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < sizeof gpu->shape; i++)
    key = (key ^ ((const unsigned char *)&gpu->shape)[i]) * UINT64_C(0x100000001b3);
  return key;
}

/* ---- code ---------------------------------------------------------------------------- */

/* Tiles of 8 bytes fold by shuffles (kernel_steps.h); of 4, at the end of the launch: 2 % faster.
 */
static int folds_of(const trm_build *build, const trm_host_kernel *kernel,
                    const trm_steps_shape *shape)
{
  if (shape->is_tile && build->precision == TRM_F64) return 0;
  return trm_steps_folds(build->text, kernel->name);
}

/* The defines for compiling the blocked form of this kernel: before all texts, and after the
 * solver's text. */
static trm_status compile_temporal(cuda_gpu *gpu, const trm_build *build,
                                const trm_host_kernel *kernel, const trm_steps_shape *shape,
                                void **image, size_t *bytes)
{
  char before[512], after[2048], why[256];
  const int real_bytes = real_bytes_of(build);
  if (trm_steps_is_refused(shape, kernel, build->text, real_bytes, why, sizeof why))
    return CUDA_FAIL(INVALID, "%s: %s", build->name, why);
  if (trm_steps_defines(shape, kernel, build->text, real_bytes, folds_of(build, kernel, shape),
                        before, sizeof before, after, sizeof after) != 0)
    return CUDA_FAIL(BUILD, "%s: the name of kernel %s is too long", build->name, kernel->name);
  const cuda_text text = {before, after, trm_text_kernel_temporal};
  return cuda_compile(build, gpu->target, &text, NULL, image, bytes);
}

/* The bytes of an item's values that do not fit in registers. */
static trm_status find_spill(cuda_gpu *gpu, const trm_host_kernel *kernel, const void *code,
                             int *bytes)
{
  char name[128];
  cu_module module;
  cu_function function;
  snprintf(name, sizeof name, "trm_steps_%s", kernel->name);
  CU_TRY(gpu, cuModuleLoadData, (&module, code));
  cu_result result = cu.cuModuleGetFunction(&function, module, name);
  if (result == CU_OK) result = cu.cuFuncGetAttribute(bytes, CU_FUNC_LOCAL_BYTES, function);
  cu.cuModuleUnload(module);
  return result == CU_OK ? TRM_OK
                         : cuda_error(gpu, result, "cuFuncGetAttribute", __FILE__, __LINE__);
}

/* A strip whose values do not fit in registers is compiled once more, in its roomy shape. */
static trm_status compile_fitting(cuda_gpu *gpu, const trm_build *build,
                                  const trm_host_kernel *kernel, int which, int *is_roomy,
                                  void **code, size_t *count)
{
  int spill = 0;
  for (*is_roomy = 0;; *is_roomy = 1) {
    const trm_steps_shape shape = shape_of(gpu, build, kernel, which, *is_roomy);
    TRM_TRY(compile_temporal(gpu, build, kernel, &shape, code, count));
    if (*is_roomy || shape.is_tile || gpu->shape.steps) return TRM_OK;
    const trm_status status = find_spill(gpu, kernel, *code, &spill);
    if (status == TRM_OK && spill == 0) return TRM_OK;
    free(*code);
    *code = NULL;
    TRM_TRY(status);
  }
}

/* Appends one CUBIN to the program's image: a 16-byte head with its length, then itself, padded. */
static trm_status append(const trm_build *build, void **image, size_t *bytes, const void *more,
                         size_t count, int is_roomy)
{
  const size_t begin = (*bytes + 15) / 16 * 16, end = begin + 16 + (count + 15) / 16 * 16;
  const uint64_t head[2] = {CUDA_TEMPORAL_MARK, count | (is_roomy ? ROOMY : 0)};
  unsigned char *grown = realloc(*image, end);
  if (!grown) return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for the program", build->name);
  memset(grown + *bytes, 0, end - *bytes);
  memcpy(grown + begin, head, sizeof head);
  memcpy(grown + begin + sizeof head, more, count);
  *image = grown;
  *bytes = end;
  return TRM_OK;
}

trm_status cuda_temporal_build(cuda_gpu *gpu, const trm_build *build, void **image, size_t *bytes)
{
  const trm_host_module *module = build->module;
  if (cuda_temporal_count(gpu, build) == 0) return TRM_OK;
  for (int i = 0; i < module->kernel_count; i++)
    for (int which = 0; module->kernels[i].steps && which < cuda_temporal_shapes(gpu); which++) {
      void *code = NULL;
      size_t count = 0;
      int is_roomy;
      TRM_TRY(compile_fitting(gpu, build, &module->kernels[i], which, &is_roomy, &code, &count));
      const trm_status status = append(build, image, bytes, code, count, is_roomy);
      free(code);
      TRM_TRY(status);
    }
  return TRM_OK;
}

/* ---- loading --------------------------------------------------------------------------- */

static trm_status prepare(cuda_gpu *gpu, cuda_temporal *temporal)
{
  char name[128];
  snprintf(name, sizeof name, "trm_steps_%s", temporal->declaration->name);
  CU_TRY(gpu, cuModuleGetFunction, (&temporal->function, temporal->module, name));
  CU_TRY(gpu, cuFuncGetAttribute, (&temporal->local_bytes, CU_FUNC_LOCAL_BYTES,
                                   temporal->function));
  if (temporal->shared_bytes > gpu->max_shared) return TRM_OK; /* cuda_temporal_of will say so */
  if (temporal->shared_bytes > CUDA_PLAIN_SHARED)
    CU_TRY(gpu, cuFuncSetAttribute, (temporal->function, CU_FUNC_MAX_DYNAMIC_SHARED,
                                     temporal->shared_bytes));
  CU_TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor, (&temporal->resident, temporal->function,
                                                            temporal->items,
                                                            (size_t)temporal->shared_bytes));
  return TRM_OK;
}

/* The next CUBIN of an image, from *at on; NULL after the last. */
static const void *next_image(const unsigned char *image, size_t bytes, size_t *at, int *is_roomy)
{
  uint64_t head[2];
  if (bytes - *at < sizeof head) return NULL;
  memcpy(head, image + *at, sizeof head);
  *is_roomy = (head[1] & ROOMY) != 0;
  head[1] &= ~ROOMY;
  if (head[0] != CUDA_TEMPORAL_MARK || head[1] < 64 || head[1] > bytes - *at - sizeof head)
    return NULL;
  const unsigned char *found = image + *at + sizeof head;
  *at += sizeof head + (head[1] + 15) / 16 * 16;
  return memcmp(found, "\177ELF", 4) == 0 ? found : NULL;
}

/* Where the first appended CUBIN begins: the images lie at the end, so they are sought for by the
 * mark, at multiples of 16. */
static size_t first_image(const unsigned char *image, size_t bytes)
{
  const uint64_t mark = CUDA_TEMPORAL_MARK;
  size_t at = 64;
  while (at + 16 < bytes && memcmp(image + at, &mark, sizeof mark) != 0) at += 16;
  return at;
}

trm_status cuda_temporal_load(cuda_gpu *gpu, const trm_build *build, const void *image,
                              size_t bytes, cuda_program *program)
{
  const int count = cuda_temporal_count(gpu, build);
  if (count == 0) return TRM_OK;
  size_t at = first_image(image, bytes);
  program->temporals = calloc((size_t)count, sizeof *program->temporals);
  if (!program->temporals)
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for the program", build->name);
  for (int i = 0; i < build->module->kernel_count; i++)
    for (int which = 0; build->module->kernels[i].steps && which < cuda_temporal_shapes(gpu);
         which++) {
      cuda_temporal *temporal = &program->temporals[program->temporal_count];
      int is_roomy = 0;
      const void *code = at < bytes ? next_image(image, bytes, &at, &is_roomy) : NULL;
      if (!code)
        return CUDA_FAIL(BUILD, "%s: the cached code lacks kernel %s for several steps a launch",
                         build->name, build->module->kernels[i].name);
      temporal->declaration = &build->module->kernels[i];
      temporal->shape = shape_of(gpu, build, temporal->declaration, which, is_roomy);
      temporal->real_bytes = build->precision == TRM_F64 ? 8 : 4;
      trm_steps_needs(&temporal->shape, temporal->declaration->steps->components,
                      temporal->real_bytes, folds_of(build, temporal->declaration,
                                                     &temporal->shape), &temporal->items,
                      &temporal->shared_bytes);
      CU_TRY(gpu, cuModuleLoadData, (&temporal->module, code));
      program->temporal_count++;
      TRM_TRY(prepare(gpu, temporal));
    }
  return TRM_OK;
}

void cuda_temporal_unload(cuda_program *program)
{
  for (int i = 0; i < program->temporal_count; i++) cu.cuModuleUnload(program->temporals[i].module);
  free(program->temporals);
}

/* ---- choice ------------------------------------------------------------------------------ */

static const char *obstacle(const cuda_gpu *gpu, const cuda_temporal *temporal,
                            const trm_command *launch)
{
  const trm_stepping *s = launch->declaration->steps;
  if (temporal->shared_bytes > gpu->max_shared || temporal->resident < 1)
    return "a group needs more shared memory or registers than there are";
  if (temporal->local_bytes > 0) return "its values do not fit in registers";
  for (int i = 0; i < (int)launch->buffer_count; i++)
    if (i != s->from && i != s->to &&
        ((const cuda_buffer *)launch->buffers[i])->bytes > INT32_MAX)
      return "one of its other arrays is larger than 2 GiB";
  return trm_steps_obstacle(&temporal->shape, launch, temporal->real_bytes);
}

const cuda_temporal *cuda_temporal_of(const cuda_gpu *gpu, const trm_command *launch,
                                      const char **why)
{
  const cuda_kernel *kernel = launch->kernel;
  *why = "run.steps_per_launch = 1";
  if (gpu->steps_per_launch != 1)
    *why = "the device or its compiler has no asynchronous copies into shared memory";
  if (!kernel->temporals) return NULL;
  const int which = gpu->shape.steps ? 0 : trm_steps_choose(gpu->steps_per_launch, &launch->extent,
                                                            kernel->temporals->real_bytes);
  *why = "a grid of this size gains nothing by more";
  if (which < 0) return NULL;
  *why = obstacle(gpu, &kernel->temporals[which], launch);
  return *why ? NULL : &kernel->temporals[which];
}

/* ---- launches ---------------------------------------------------------------------------- */

/* Rows of a group: long grids in two waves of resident groups, which balance better than one; in
 * four waves where a warp goes on alone. */
static int rows_of(const cuda_gpu *gpu, const cuda_temporal *temporal, const trm_extent *extent)
{
  enum { LONG_ROWS = 128 };
  const int strips = (extent->nx + temporal->shape.width - 1) / temporal->shape.width;
  const int resident = temporal->resident * gpu->units;
  for (int waves = trm_steps_by_warps(&temporal->shape) ? 4 : 2;; waves /= 2) {
    const int groups = waves * resident / strips > 1 ? waves * resident / strips : 1;
    const int rows = trm_steps_own_rows(&temporal->shape, extent, groups);
    if (waves == 1 || rows >= LONG_ROWS) return rows;
  }
}

trm_status cuda_put_temporal(cuda_gpu *gpu, const trm_command *first, const cuda_temporal *temporal,
                          int overlapped)
{
  unsigned char params[TRM_MAX_PARAM_BYTES * CUDA_MAX_STEPS];
  void *arguments[TRM_MAX_BUFFERS + 4];
  const trm_command *last = first + temporal->shape.steps - 1;
  const trm_extent covered = trm_command_covers(last);
  trm_steps_layout layout = trm_steps_layout_of(first);
  trm_steps_share share = trm_steps_share_of(&temporal->shape, last, rows_of(gpu, temporal,
                                                                             &covered));
  int groups[2];
  uint32_t count = 0;
  trm_steps_groups(&temporal->shape, &covered, &share, groups);
  for (; count < first->buffer_count; count++)
    arguments[count] = &((cuda_buffer *)first->buffers[count])->pointer;
  /* the last launch's buffer is written; T is odd, so it is the first one's too */
  for (int t = 0; t < temporal->shape.steps; t++)
    memcpy(params + (size_t)t * first->param_bytes, first[t].params, first->param_bytes);
  trm_extent cells = first->extent;
  arguments[count++] = params;
  arguments[count++] = &cells;
  arguments[count++] = &layout;
  arguments[count++] = &share;
  const cuda_launch launch = {temporal->function, {(unsigned int)groups[0], (unsigned int)groups[1],
                              1}, {(unsigned int)temporal->items, 1},
                              (unsigned int)temporal->shared_bytes};
  return cuda_launch_put(gpu, &launch, arguments, overlapped);
}
