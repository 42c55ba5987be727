/* march.c - several recorded steps of a row kernel in one launch (core/kernel_march.h): the shapes,
 * their code, and which of them serves a launch.
 *
 * Measured on an H200 with D2Q9 f32, thousand million updates a second at 4096^2: 54.1 with a step
 * a launch; with 3 steps 102.9 (128 columns, 4 rows a tick), 101.6 (160, 3), 99.1 (64, 4), 98.1
 * (128, 2), 97.4 (64, 8). f64: 27.9; 53.2 (32, 4), 52.6 (64, 2). At 128^2 a step takes 1.45 us,
 * 1.09 by tiles of 5 steps and 12 rows, 1.15 by 7 steps, 1.22 by 3. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char trm_text_kernel_march[];

/* Cells of a grid up to which a tile pays, and from which strips do; between them a launch takes
 * one step, which was as fast to 5 %. */
enum { TILE_CELLS = 32768, STRIP_CELLS = 200000, LONG_ROWS = 128, LEAST_ARCH = 80 };

/* By the bytes of a cell: up to `cell_bytes`; the last line serves all the rest. */
static const struct shapes {
  int cell_bytes;
  cuda_shape shape[CUDA_SHAPES]; /* large grids, small grids */
} shapes[] = {
  {16, {{7, 128, 4, 0, 2}, {5, 32, 12, 1, 1}}},
  {36, {{3, 128, 4, 0, 2}, {5, 32, 12, 1, 1}}},
  {1 << 20, {{3, 32, 4, 0, 3}, {5, 32, 12, 1, 1}}},
};

static const cuda_shape *shape_of(const trm_build *build, const trm_host_kernel *kernel, int which)
{
  const int bytes = kernel->steps->components * (build->precision == TRM_F64 ? 8 : 4);
  const struct shapes *line = shapes;
  while (line->cell_bytes < bytes) line++;
  return &line->shape[which];
}

int cuda_march_count(const cuda_gpu *gpu, const trm_build *build)
{
  int count = 0;
  if (!gpu->steps || gpu->target.is_ptx || gpu->target.arch < LEAST_ARCH) return 0;
  for (int i = 0; i < build->module->kernel_count; i++)
    if (build->module->kernels[i].steps) count += CUDA_SHAPES;
  return count;
}

/* FNV-1a. */
uint64_t cuda_march_key(void)
{
  uint64_t key = UINT64_C(0xcbf29ce484222325);
  for (const char *c = trm_text_kernel_march; *c; c++)
    key = (key ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < sizeof shapes; i++)
    key = (key ^ ((const unsigned char *)shapes)[i]) * UINT64_C(0x100000001b3);
  return key;
}

/* ---- code ---------------------------------------------------------------------------- */

static void list(char *text, size_t bytes, const trm_host_kernel *kernel, int is_heading)
{
  size_t used = 0;
  for (int i = 0; i < kernel->buffer_count; i++) {
    const char *comma = i ? ", " : "";
    const char *field = i == kernel->steps->from ? "trm_from"
                        : i == kernel->steps->to ? "trm_to" : NULL;
    if (!is_heading && field)
      used += (size_t)snprintf(text + used, bytes - used, "%s%s", comma, field);
    else
      used += (size_t)snprintf(text + used, bytes - used, "%s%sb%d", comma,
                               is_heading ? "trm_any " : "", i);
  }
}

/* What the march of this kernel is compiled with: before all, and after the solver's text. */
static trm_status compile_march(cuda_gpu *gpu, const trm_build *build,
                                const trm_host_kernel *kernel, const cuda_shape *shape,
                                void **image, size_t *bytes)
{
  enum { LONG = 256 };
  char before[2 * LONG], after[8 * LONG], heading[LONG], pass[LONG];
  list(heading, sizeof heading, kernel, 1);
  list(pass, sizeof pass, kernel, 0);
  snprintf(before, sizeof before, "#define TRM_STEPS %d\n#define TRM_STEPS_WIDTH %d\n"
           "#define TRM_STEPS_ROWS %d\n#define TRM_STEPS_TILE %d\n#define TRM_STEPS_RESIDENT %d\n"
           "#define TRM_STEPS_COMPONENTS %d\n", shape->steps, shape->width, shape->rows,
           shape->is_tile, shape->resident, kernel->steps->components);
  const int length = snprintf(after, sizeof after, "#define TRM_STEPS_NAME trm_steps_%s\n"
           "#define TRM_STEPS_ROW trm_%s_row\n#define TRM_STEPS_PARAMS trm_%s_params\n"
           "#define TRM_STEPS_ARRAYS %s\n#define TRM_STEPS_PASS %s\n#define TRM_STEPS_READS b%d\n"
           "#define TRM_STEPS_WRITES b%d\n#line 1 \"core/kernel_march.h\"\n", kernel->name,
           kernel->name, kernel->name, heading, pass, kernel->steps->from, kernel->steps->to);
  if (length < 0 || (size_t)length >= sizeof after)
    return CUDA_FAIL(BUILD, "%s: the name of kernel %s is too long", build->name, kernel->name);
  const cuda_text text = {before, after, trm_text_kernel_march};
  return cuda_compile(build, gpu->target, &text, NULL, image, bytes);
}

/* Appends one CUBIN to the program's image: a 16-byte head with its length, then itself, padded. */
static trm_status append(const trm_build *build, void **image, size_t *bytes, const void *more,
                         size_t count)
{
  const size_t begin = (*bytes + 15) / 16 * 16, end = begin + 16 + (count + 15) / 16 * 16;
  const uint64_t head[2] = {CUDA_MARCH_MARK, count};
  unsigned char *grown = realloc(*image, end);
  if (!grown) return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for the program", build->name);
  memset(grown + *bytes, 0, end - *bytes);
  memcpy(grown + begin, head, sizeof head);
  memcpy(grown + begin + sizeof head, more, count);
  *image = grown;
  *bytes = end;
  return TRM_OK;
}

trm_status cuda_march_build(cuda_gpu *gpu, const trm_build *build, void **image, size_t *bytes)
{
  const trm_host_module *module = build->module;
  if (cuda_march_count(gpu, build) == 0) return TRM_OK;
  for (int i = 0; i < module->kernel_count; i++)
    for (int which = 0; module->kernels[i].steps && which < CUDA_SHAPES; which++) {
      const cuda_shape *shape = shape_of(build, &module->kernels[i], which);
      void *code = NULL;
      size_t count = 0;
      TRM_TRY(compile_march(gpu, build, &module->kernels[i], shape, &code, &count));
      const trm_status status = append(build, image, bytes, code, count);
      free(code);
      TRM_TRY(status);
    }
  return TRM_OK;
}

/* ---- loading --------------------------------------------------------------------------- */

static trm_status prepare(cuda_gpu *gpu, cuda_march *march)
{
  cu_deviceptr facts;
  size_t bytes;
  int values[2];
  char name[128];
  snprintf(name, sizeof name, "trm_steps_%s", march->declaration->name);
  CU_TRY(gpu, cuModuleGetFunction, (&march->function, march->module, name));
  CU_TRY(gpu, cuModuleGetGlobal_v2, (&facts, &bytes, march->module, "trm_march_facts"));
  CU_TRY(gpu, cuMemcpyDtoH_v2, (values, facts, sizeof values));
  march->items = values[0];
  march->shared_bytes = values[1];
  CU_TRY(gpu, cuFuncGetAttribute, (&march->local_bytes, CU_FUNC_LOCAL_BYTES, march->function));
  if (march->shared_bytes > gpu->max_shared) return TRM_OK; /* cuda_march_of will say so */
  if (march->shared_bytes > CUDA_PLAIN_SHARED)
    CU_TRY(gpu, cuFuncSetAttribute, (march->function, CU_FUNC_MAX_DYNAMIC_SHARED,
                                     march->shared_bytes));
  CU_TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor,
         (&march->resident, march->function, march->items, (size_t)march->shared_bytes));
  return TRM_OK;
}

/* The next CUBIN of an image, from *at on; NULL where there is none. */
static const void *next_image(const unsigned char *image, size_t bytes, size_t *at)
{
  uint64_t head[2];
  if (bytes - *at < sizeof head) return NULL;
  memcpy(head, image + *at, sizeof head);
  if (head[0] != CUDA_MARCH_MARK || head[1] < 64 || head[1] > bytes - *at - sizeof head)
    return NULL;
  const unsigned char *found = image + *at + sizeof head;
  *at += sizeof head + (head[1] + 15) / 16 * 16;
  return memcmp(found, "\177ELF", 4) == 0 ? found : NULL;
}

/* Where the first appended CUBIN begins: the images lie at the end, so they are sought for by the
 * mark, at multiples of 16. */
static size_t first_image(const unsigned char *image, size_t bytes)
{
  const uint64_t mark = CUDA_MARCH_MARK;
  size_t at = 64;
  while (at + 16 < bytes && memcmp(image + at, &mark, sizeof mark) != 0) at += 16;
  return at;
}

trm_status cuda_march_load(cuda_gpu *gpu, const trm_build *build, const void *image, size_t bytes,
                           cuda_program *program)
{
  const int count = cuda_march_count(gpu, build);
  if (count == 0) return TRM_OK;
  size_t at = first_image(image, bytes);
  program->marches = calloc((size_t)count, sizeof *program->marches);
  if (!program->marches)
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for the program", build->name);
  for (int i = 0; i < build->module->kernel_count; i++)
    for (int which = 0; build->module->kernels[i].steps && which < CUDA_SHAPES; which++) {
      cuda_march *march = &program->marches[program->march_count];
      const void *code = at < bytes ? next_image(image, bytes, &at) : NULL;
      if (!code)
        return CUDA_FAIL(BUILD, "%s: the cached code lacks kernel %s for several steps a launch",
                         build->name, build->module->kernels[i].name);
      march->declaration = &build->module->kernels[i];
      march->shape = *shape_of(build, march->declaration, which);
      march->real_bytes = build->precision == TRM_F64 ? 8 : 4;
      CU_TRY(gpu, cuModuleLoadData, (&march->module, code));
      program->march_count++;
      TRM_TRY(prepare(gpu, march));
    }
  return TRM_OK;
}

void cuda_march_unload(cuda_program *program)
{
  for (int i = 0; i < program->march_count; i++) cu.cuModuleUnload(program->marches[i].module);
  free(program->marches);
}

/* ---- choice ------------------------------------------------------------------------------ */

static const char *obstacle(const cuda_gpu *gpu, const cuda_march *march, const trm_command *launch)
{
  const trm_stepping *s = launch->declaration->steps;
  const trm_steps_layout at = trm_steps_layout_of(launch);
  const int vector = 16 / march->real_bytes;
  if (march->shared_bytes > gpu->max_shared || march->resident < 1)
    return "a group needs more shared memory or registers than there are";
  if (march->local_bytes > 0) return "its values do not fit in registers";
  if (launch->extent.nx % vector || at.first % vector || at.row % vector || at.component % vector)
    return "rows are no multiple of 16 bytes";
  if (launch->extent.ny < march->shape.rows) return "the grid has too few rows";
  for (int i = 0; i < (int)launch->buffer_count; i++)
    if (i != s->from && i != s->to &&
        ((const cuda_buffer *)launch->buffers[i])->bytes > INT32_MAX)
      return "one of its other arrays is larger than 2 GiB";
  return NULL;
}

const cuda_march *cuda_march_of(const cuda_gpu *gpu, const trm_command *launch, const char **why)
{
  const cuda_kernel *kernel = launch->kernel;
  const int64_t cells = (int64_t)launch->extent.nx * launch->extent.ny;
  *why = gpu->steps ? "the device or its compiler has no asynchronous copies into shared memory"
                    : "run.steps_per_launch = 1";
  if (!kernel->marches) return NULL;
  *why = "a grid of this size gains nothing by more";
  if (cells > TILE_CELLS && cells < STRIP_CELLS) return NULL;
  const cuda_march *march = &kernel->marches[cells <= TILE_CELLS];
  *why = obstacle(gpu, march, launch);
  return *why ? NULL : march;
}

/* ---- launches ---------------------------------------------------------------------------- */

/* Rows of a group: long grids in two waves of what is resident, which level out better. */
static int rows_of(const cuda_gpu *gpu, const cuda_march *march, const trm_extent *extent,
                   int strips)
{
  const int resident = march->resident * gpu->units;
  if (march->shape.is_tile) return march->shape.rows - 2 * (march->shape.steps - 1);
  for (int waves = 2;; waves--) {
    const int groups = waves * resident / strips > 1 ? waves * resident / strips : 1;
    const int rows = (extent->ny + groups - 1) / groups;
    if (waves == 1 || rows >= LONG_ROWS) return rows;
  }
}

trm_status cuda_put_march(cuda_gpu *gpu, const trm_command *first, const cuda_march *march,
                          int overlapped)
{
  unsigned char params[TRM_MAX_PARAM_BYTES * CUDA_MAX_STEPS];
  void *arguments[TRM_MAX_BUFFERS + 4];
  const trm_extent *extent = &first->extent;
  const int strips = (extent->nx + march->shape.width - 1) / march->shape.width;
  trm_steps_layout layout = trm_steps_layout_of(first);
  int rows = rows_of(gpu, march, extent, strips);
  uint32_t count = 0;
  for (; count < first->buffer_count; count++)
    arguments[count] = &((cuda_buffer *)first->buffers[count])->pointer;
  /* the last launch's buffer is written; T is odd, so it is the first one's too */
  for (int t = 0; t < march->shape.steps; t++)
    memcpy(params + (size_t)t * first->param_bytes, first[t].params, first->param_bytes);
  trm_extent cells = *extent;
  arguments[count++] = params;
  arguments[count++] = &cells;
  arguments[count++] = &layout;
  arguments[count++] = &rows;
  const cuda_launch launch = {march->function, {(unsigned int)strips, (unsigned int)((extent->ny +
                              rows - 1) / rows), 1}, {(unsigned int)march->items, 1},
                              (unsigned int)march->shared_bytes};
  return cuda_launch_put(gpu, &launch, arguments, overlapped);
}
