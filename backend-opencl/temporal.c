/* temporal.c - several recorded steps of a row kernel in one launch (core/kernel_temporal.h): the
 * shapes, their programs, and which of them serves a launch.
 *
 * NVIDIA's OpenCL gives a group 48 KiB of shared memory, whatever the device has. It reports for
 * every kernel that a group has at most 256 items. But its compiler limits the registers of a
 * kernel that names its group size, so such a group always fits. Other devices take several steps
 * where run.steps_per_launch asks for them; the gain was not measured. */
#include "opencl.h"

#include "core/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char trm_text_kernel_temporal[];
/* Rounds: a launch by NVIDIA's OpenCL takes the host 5 us; groups that wait for each other, 1. */
enum { MOST_STEPS = 9, MOST_ROUNDS = 15 };

/* By the bytes of a cell: up to `cell_bytes`; the last line serves all the rest. */
static const struct shapes {
  int cell_bytes;
  trm_steps_shape shape[TRM_STEPS_SHAPES];
} shapes[] = {
  {16, {{3, 64, 8, 0, 0}, {3, 64, 4, 0, 0}, {3, 32, 12, 1, 0}, {5, 32, 12, 1, 0}}},
  {36, {{3, 64, 3, 0, 0}, {3, 32, 5, 0, 0}, {3, 32, 12, 1, 0}, {5, 32, 12, 1, 0}}},
  {1 << 20, {{3, 32, 2, 0, 0}, {3, 32, 2, 0, 0}, {3, 32, 6, 1, 0}, {3, 32, 6, 1, 0}}},
};

static int real_bytes_of(const trm_build *build)
{
  return build->precision == TRM_F64 ? 8 : 4;
}

static int shape_count(const ocl_device *device)
{
  return device->shape.steps ? 1 : TRM_STEPS_SHAPES;
}

static const trm_steps_shape *shapes_of(const ocl_device *device, const trm_build *build,
                                        const trm_host_kernel *kernel)
{
  const struct shapes *line = shapes;
  if (device->shape.steps) return &device->shape;
  while (line->cell_bytes < kernel->steps->components * real_bytes_of(build)) line++;
  return line->shape;
}

/* Without shuffles all folds wait in shared memory. */
static int folds_of(const ocl_device *device, const trm_build *build,
                    const trm_host_kernel *kernel, const trm_steps_shape *shape)
{
  return device->nvidia && shape->is_tile ? 0 : trm_steps_folds(build->text, kernel->name);
}

/* Asynchronous copies came with capability 8. */
static int is_wanted(const ocl_device *device)
{
  if (device->nvidia) return device->nvidia >= 8 && device->steps_per_launch != 1;
  return device->steps_per_launch > 1;
}

void ocl_temporal_tell(int nvidia, char *text, size_t bytes)
{
  snprintf(text, bytes, "%s",
           nvidia >= 8 ? "3 in one launch, on small grids 5 to 75"
           : nvidia ? "1: no asynchronous copies into shared memory"
           : "1: more was not measured on such a device; run.steps_per_launch = 3 or 5 tries");
}

int ocl_temporal_count(const ocl_device *device, const trm_build *build)
{
  int count = 0;
  for (int i = 0; i < build->module->kernel_count && is_wanted(device); i++)
    if (build->module->kernels[i].steps) count += shape_count(device);
  return count;
}

/* FNV-1a. */
uint64_t ocl_temporal_key(const ocl_device *device)
{
  uint64_t key = UINT64_C(0xcbf29ce484222325);
  for (const char *c = trm_text_kernel_temporal; *c; c++)
    key = (key ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < sizeof shapes; i++)
    key = (key ^ ((const unsigned char *)shapes)[i]) * UINT64_C(0x100000001b3);
  for (size_t i = 0; i < sizeof device->shape; i++)
    key = (key ^ ((const unsigned char *)&device->shape)[i]) * UINT64_C(0x100000001b3);
  key = (key ^ (uint64_t)(device->steps_per_launch == 0)) * UINT64_C(0x100000001b3); /* rounds */
  return key;
}

/* ---- programs ---------------------------------------------------------------------------- */

/* Groups of a device may wait for each other only where all of them are there at once. NVIDIA's
 * devices hold as many groups as they have units, as long as no group needs more than a unit has;
 * other devices are not known to. A user who asks for a number of steps gets no more steps. */
static int has_rounds(const ocl_device *device, const trm_steps_shape *shape, int which)
{
  return device->nvidia && device->steps_per_launch == 0 && which == TRM_STEPS_SMALL &&
         shape->is_tile;
}

static void describe(const ocl_device *device, const trm_build *build,
                     const trm_host_kernel *kernel, int which, ocl_temporal *temporal)
{
  const trm_steps_shape *shape = &shapes_of(device, build, kernel)[which];
  temporal->declaration = kernel;
  temporal->shape = *shape;
  temporal->has_rounds = has_rounds(device, shape, which);
  temporal->real_bytes = real_bytes_of(build);
  trm_steps_needs(shape, kernel->steps->components, temporal->real_bytes, folds_of(device, build,
                                                                                   kernel, shape),
                  &temporal->items, &temporal->shared_bytes);
}

/* Why the device cannot hold it at all; NULL where it can. Then it has no program. */
static const char *misfit(const ocl_device *device, const ocl_temporal *temporal)
{
  const cl_ulong shared = ocl_device_number(device->id, CL_DEVICE_LOCAL_MEM_SIZE);
  const cl_ulong items = ocl_device_number(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const cl_ulong arguments = ocl_device_number(device->id, CL_DEVICE_MAX_PARAMETER_SIZE);
  const int bytes = (temporal->has_rounds ? 0 : temporal->shape.steps *
                     temporal->declaration->param_bytes) +
                    8 * temporal->declaration->buffer_count + 80;
  if ((cl_ulong)temporal->shared_bytes > shared)
    return "a group needs more shared memory than there is";
  if ((cl_ulong)temporal->items > items) return "a group needs more items than the device takes";
  if ((cl_ulong)bytes > arguments) return "the parameters of so many steps are no argument here";
  return NULL;
}

static trm_status compile_temporal(ocl_device *device, const trm_build *build,
                                   ocl_temporal *temporal)
{
  char before[640], after[2048], options[256];
  ocl_source source;
  cl_int code;
  if (trm_steps_defines(&temporal->shape, temporal->declaration, build->text, temporal->real_bytes,
                        folds_of(device, build, temporal->declaration, &temporal->shape), before,
                        sizeof before, after, sizeof after) != 0)
    return OCL_FAIL(BUILD, "%s: the name of kernel %s is too long", build->name,
                    temporal->declaration->name);
  if (temporal->has_rounds) {
    const size_t used = strlen(before);
    snprintf(before + used, sizeof before - used, "#define TRM_STEPS_ROUNDS %d\n", MOST_ROUNDS);
  }
  ocl_source_make_temporal(build, before, after, trm_text_kernel_temporal, &source);
  temporal->handle = clCreateProgramWithSource(device->context, OCL_SOURCE_PARTS, source.parts,
                                               NULL, &code);
  if (code != CL_SUCCESS) {
    temporal->handle = NULL;
    return OCL_ERROR(code, "clCreateProgramWithSource", build->name);
  }
  ocl_program_options(device, build, options, sizeof options);
  code = clBuildProgram(temporal->handle, 1, &device->id, options, NULL, NULL);
  return code == CL_SUCCESS ? TRM_OK
                            : ocl_program_fail(device, build, &source, temporal->handle, code);
}

static trm_status load_temporal(ocl_device *device, const trm_build *build, ocl_temporal *temporal,
                                const unsigned char *binary, size_t bytes)
{
  char options[256];
  cl_int state = CL_SUCCESS, code;
  temporal->handle = clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, &binary,
                                            &state, &code);
  if (code != CL_SUCCESS) temporal->handle = NULL;
  if (code == CL_SUCCESS && state != CL_SUCCESS) code = state;
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clCreateProgramWithBinary", build->name);
  ocl_program_options(device, build, options, sizeof options);
  code = clBuildProgram(temporal->handle, 1, &device->id, options, NULL, NULL);
  return code == CL_SUCCESS ? TRM_OK : OCL_ERROR(code, "clBuildProgram", build->name);
}

/* NULL binary: from the text. */
static trm_status make_temporal(ocl_device *device, const trm_build *build, ocl_temporal *temporal,
                                const ocl_bytes *binary)
{
  char name[128], why[256];
  size_t limit = 0;
  cl_int code;
  if (trm_steps_by_warps(&temporal->shape))
    return OCL_FAIL(INVALID, "%s: a shape of %d columns, where a warp goes alone, is CUDA's; give "
                    "columns in multiples of 32", build->name, temporal->shape.width);
  if (trm_steps_is_refused(&temporal->shape, temporal->declaration, build->text,
                           temporal->real_bytes, why, sizeof why))
    return OCL_FAIL(INVALID, "%s: %s", build->name, why);
  if (misfit(device, temporal)) return TRM_OK;
  TRM_TRY(binary ? load_temporal(device, build, temporal, binary->bytes, binary->count)
                 : compile_temporal(device, build, temporal));
  snprintf(name, sizeof name, "trm_steps_%s", temporal->declaration->name);
  cl_kernel kernel = clCreateKernel(temporal->handle, name, &code);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clCreateKernel", name);
  code = clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
                                  &limit, NULL);
  clReleaseKernel(kernel);
  temporal->fits = code == CL_SUCCESS && (device->nvidia || limit >= (size_t)temporal->items);
  return TRM_OK;
}

trm_status ocl_temporal_make(ocl_device *device, const trm_build *build, const ocl_bytes *binaries,
                          ocl_program *program)
{
  const int count = ocl_temporal_count(device, build);
  if (count == 0) return TRM_OK;
  program->temporals = calloc((size_t)count, sizeof *program->temporals);
  if (!program->temporals) return OCL_FAIL(NO_HOST_MEMORY, "no memory for program %s", build->name);
  for (int i = 0; i < build->module->kernel_count; i++) {
    const trm_host_kernel *kernel = &build->module->kernels[i];
    for (int which = 0; kernel->steps && which < shape_count(device); which++) {
      ocl_temporal *temporal = &program->temporals[program->temporal_count];
      describe(device, build, kernel, which, temporal);
      const ocl_bytes *binary = binaries ? &binaries[program->temporal_count] : NULL;
      program->temporal_count++;
      TRM_TRY(make_temporal(device, build, temporal, binary));
    }
  }
  return TRM_OK;
}

void ocl_temporal_release(ocl_program *program)
{
  for (int i = 0; i < program->temporal_count; i++)
    if (program->temporals[i].handle) clReleaseProgram(program->temporals[i].handle);
  free(program->temporals);
}

/* ---- choice ------------------------------------------------------------------------------ */

static const char *obstacle(const ocl_device *device, const ocl_temporal *temporal,
                            const trm_command *launch)
{
  const trm_stepping *s = launch->declaration->steps;
  const char *why = misfit(device, temporal);
  if (why) return why;
  if (!temporal->fits) return "a group needs more registers than there are";
  for (int i = 0; i < (int)launch->buffer_count; i++)
    if (i != s->from && i != s->to &&
        ((const ocl_buffer *)launch->buffers[i])->bytes > INT32_MAX)
      return "one of its other arrays is larger than 2 GiB";
  return trm_steps_obstacle(&temporal->shape, launch, temporal->real_bytes);
}

/* A launch by NVIDIA's OpenCL costs 5 us and more, so tiles pay on larger grids than with CUDA. On
 * an H100, 256 x 256 in f64 takes 5.6 us a step; with one step a launch, 7.5 us. */
static int is_small(const trm_extent *extent, int real_bytes)
{
  enum { MOST_BYTES = 640 << 10 };
  return (int64_t)extent->nx * extent->ny * real_bytes <= MOST_BYTES;
}

const ocl_temporal *ocl_temporal_of(const ocl_device *device, const trm_command *launch,
                              const char **why)
{
  const ocl_program *program = ((const ocl_kernel *)launch->kernel)->owner;
  const ocl_temporal *first = NULL;
  for (int i = program->temporal_count; i-- > 0;)
    if (program->temporals[i].declaration == launch->declaration) first = &program->temporals[i];
  *why = device->steps_per_launch == 1 ? "run.steps_per_launch = 1"
         : device->nvidia ? "no asynchronous copies into shared memory"
         : "more was not measured on such a device; run.steps_per_launch = 3 or 5 tries";
  if (!first) return NULL;
  int which = device->shape.steps ? 0 : trm_steps_choose(device->steps_per_launch,
                                                         &launch->extent, first->real_bytes);
  if (which < 0 && device->nvidia && is_small(&launch->extent, first->real_bytes))
    which = TRM_STEPS_MIDDLE;
  *why = "a grid of this size gains nothing by more";
  if (which < 0) return NULL;
  *why = obstacle(device, first + which, launch);
  return *why ? NULL : first + which;
}

/* ---- launches ---------------------------------------------------------------------------- */

/* Long grids get groups in two waves of resident groups; there are at least as many groups as
 * units. */
static int rows_of(const ocl_device *device, const ocl_temporal *temporal, const trm_extent *extent)
{
  enum { RESIDENT = 5, WAVES = 2 };
  const int strips = (extent->nx + temporal->shape.width - 1) / temporal->shape.width;
  const int units = (int)ocl_device_number(device->id, CL_DEVICE_MAX_COMPUTE_UNITS);
  const int groups = WAVES * RESIDENT * units / strips;
  return trm_steps_own_rows(&temporal->shape, extent, groups > 1 ? groups : 1);
}

static trm_steps_share share_of(const ocl_device *device, const ocl_temporal *temporal,
                                const trm_command *last, int groups[2])
{
  const trm_extent covered = trm_command_covers(last);
  const trm_steps_share share = trm_steps_share_of(&temporal->shape, last,
                                                   rows_of(device, temporal, &covered));
  trm_steps_groups(&temporal->shape, &covered, &share, groups);
  return share;
}

int ocl_temporal_rounds(const ocl_device *device, const ocl_temporal *temporal,
                        const trm_command *first)
{
  int groups[2];
  if (!temporal->has_rounds || first->rows) return 1; /* rows of others would stay as they are */
  (void)share_of(device, temporal, first, groups);
  return (cl_ulong)groups[0] * (cl_ulong)groups[1] <=
             ocl_device_number(device->id, CL_DEVICE_MAX_COMPUTE_UNITS) ? MOST_ROUNDS : 1;
}

static trm_status make_memory(const ocl_device *device, cl_mem_flags flags, size_t bytes,
                              void *from, cl_mem *out)
{
  cl_int code;
  *out = clCreateBuffer(device->context, flags | CL_MEM_COPY_HOST_PTR, bytes, from, &code);
  if (code == CL_SUCCESS) return TRM_OK;
  *out = NULL;
  return OCL_ERROR(code, "clCreateBuffer", "parameters of steps that share a launch");
}

/* The parameters of `launches` steps, and the gate. */
static trm_status make_given(const ocl_device *device, const trm_command *first, size_t launches,
                             ocl_frozen *out)
{
  unsigned char params[TRM_MAX_PARAM_BYTES * MOST_STEPS * MOST_ROUNDS];
  cl_uint gate[2] = {0, 0};
  for (size_t t = 0; t < launches; t++)
    memcpy(params + t * first->param_bytes, first[t].params, first->param_bytes);
  TRM_TRY(make_memory(device, CL_MEM_READ_ONLY, launches * first->param_bytes, params,
                      &out->given));
  return make_memory(device, CL_MEM_READ_WRITE, sizeof gate, gate, &out->gate);
}

typedef struct argument {
  size_t bytes;
  const void *value;
} argument;

static trm_status set_arguments(const ocl_device *device, const trm_command *first,
                                const ocl_temporal *temporal, size_t launches,
                                const trm_steps_share *share, ocl_frozen *out)
{
  unsigned char params[TRM_MAX_PARAM_BYTES * MOST_STEPS];
  const trm_steps_layout layout = trm_steps_layout_of(first);
  const cl_int rounds = (cl_int)(launches / (size_t)temporal->shape.steps);
  argument all[TRM_MAX_BUFFERS + 6];
  cl_uint count = 0;
  /* the last launch's buffer is written; their number is odd, so it is the first one's too */
  for (; count < first->buffer_count; count++) {
    const ocl_buffer *buffer = first->buffers[count];
    all[count] = (argument){sizeof buffer->memory, &buffer->memory};
  }
  if (temporal->has_rounds) {
    TRM_TRY(make_given(device, first, launches, out));
    all[count++] = (argument){sizeof out->given, &out->given};
    all[count++] = (argument){sizeof out->gate, &out->gate};
    all[count++] = (argument){sizeof rounds, &rounds};
  } else {
    for (size_t t = 0; t < launches; t++)
      memcpy(params + t * first->param_bytes, first[t].params, first->param_bytes);
    all[count++] = (argument){launches * first->param_bytes, params};
  }
  all[count++] = (argument){sizeof first->extent, &first->extent};
  all[count++] = (argument){sizeof layout, &layout};
  all[count++] = (argument){sizeof *share, share};
  for (cl_uint i = 0; i < count; i++) {
    const cl_int code = clSetKernelArg(out->kernel, i, all[i].bytes, all[i].value);
    if (code != CL_SUCCESS) return OCL_ERROR(code, "clSetKernelArg", temporal->declaration->name);
  }
  return TRM_OK;
}

trm_status ocl_temporal_freeze(const ocl_device *device, const trm_command *first, size_t launches,
                            ocl_frozen *out)
{
  const char *why;
  char name[128];
  cl_int code;
  const ocl_temporal *temporal = ocl_temporal_of(device, first, &why);
  int groups[2];
  const trm_steps_share share = share_of(device, temporal, first + launches - 1, groups);
  const size_t items = (size_t)temporal->items;
  snprintf(name, sizeof name, "trm_steps_%s", temporal->declaration->name);
  out->kernel = clCreateKernel(temporal->handle, name, &code);
  if (code != CL_SUCCESS) {
    out->kernel = NULL;
    return OCL_ERROR(code, "clCreateKernel", name);
  }
  out->range = (ocl_range){{(size_t)groups[0] * items, (size_t)groups[1], 1}, {items, 1, 1}};
  return set_arguments(device, first, temporal, launches, &share, out);
}
