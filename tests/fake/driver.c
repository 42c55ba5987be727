/* driver.c - a fake libcuda.so.1: device memory is host memory, and a stream is a queue that runs
 * only when something waits for it, so that a backend which forgets to wait reads old bytes.
 *
 * It knows three kernels by name. fake_add (x, y; add, factor; extent): y[i] += factor * x[i] + add
 * over nx * ny ints. fake_bare (y; extent): y[0] = 100 ny + nx. fake_crash: an illegal address,
 * after which the context answers every call with that error. */
#include "tests/fake/driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(name, parameters) EXPORT cu_result name parameters;
TRM_CUDA_DRIVER_FUNCTIONS(DECLARE)

EXPORT fake_driver fake_driver_state;
#define fake fake_driver_state

struct CUfunc_st { char name[32]; struct CUfunc_st *next; };
struct CUmod_st { struct CUfunc_st *functions; };
struct CUevent_st { size_t position; };          /* operations before it */
struct CUctx_st { int unused; };
struct CUstream_st { int unused; };

typedef enum kind { COPY, SET, LAUNCH } kind;

typedef struct operation {
  kind kind;
  unsigned char *to;
  const unsigned char *from;
  size_t bytes;                    /* copy: all; set: of one element */
  size_t count, pitch;             /* set */
  uint32_t value;
  int between_ranges;              /* copy: device to device */
  fake_launch launch;
  int32_t *x, *y;
  int32_t params[2], extent[4];
} operation;

typedef struct queue { operation *items; size_t count, done, capacity; } queue;
struct CUgraph_st { queue operations; };
struct CUgraphExec_st { queue operations; };

enum { MAX_RANGES = 64 };
static struct range { unsigned char *begin; size_t bytes; int is_pinned; } ranges[MAX_RANGES];
static struct CUctx_st the_context;
static struct CUstream_st the_stream;
static cu_context current;
static queue stream;
static cu_graph capturing;
static cu_result final_error;
static size_t used_bytes;

/* ---- the rules -------------------------------------------------------------------- */

static cu_result misuse(const char *what)
{
  if (!fake.misuses++) snprintf(fake.misuse, sizeof fake.misuse, "%s", what);
  return 1;
}

static struct range *range_of(const void *begin, size_t bytes, int is_pinned)
{
  const uintptr_t p = (uintptr_t)begin;
  for (int i = 0; i < MAX_RANGES; i++) {
    const uintptr_t first = (uintptr_t)ranges[i].begin;
    if (first && ranges[i].is_pinned == is_pinned && p >= first &&
        p + bytes <= first + ranges[i].bytes)
      return &ranges[i];
  }
  return NULL;
}

#define NEEDS_CONTEXT \
  if (final_error) return final_error; \
  if (current != &the_context) return misuse("a call without a current context")
#define NO_CAPTURE if (capturing) return misuse("a call that a capture does not allow")

/* ---- the queue ----------------------------------------------------------------------- */

static void push(queue *q, const operation *op)
{
  if (q->count == q->capacity) {
    q->capacity = q->capacity ? 2 * q->capacity : 64;
    q->items = realloc(q->items, q->capacity * sizeof *q->items);
  }
  q->items[q->count++] = *op;
}

static void put(const operation *op) { push(capturing ? &capturing->operations : &stream, op); }

static void run_launch(const operation *op)
{
  if (fake.launch_count < FAKE_MAX_LAUNCHES) fake.launches[fake.launch_count] = op->launch;
  fake.launch_count++;
  if (strcmp(op->launch.name, "fake_crash") == 0) final_error = CU_ILLEGAL_ADDRESS;
  if (strcmp(op->launch.name, "fake_bare") == 0) op->y[0] = 100 * op->extent[1] + op->extent[0];
  if (strcmp(op->launch.name, "fake_add") == 0)
    for (int i = 0; i < op->extent[0] * op->extent[1]; i++)
      op->y[i] += op->params[1] * op->x[i] + op->params[0];
}

static void run(const operation *op)
{
  switch (op->kind) {
  case COPY:
    memcpy(op->to, op->from, op->bytes);
    fake.copies += op->between_ranges != 0;
    break;
  case SET:
    for (size_t i = 0; i < op->count; i++) memcpy(op->to + i * op->pitch, &op->value, op->bytes);
    fake.sets++;
    break;
  case LAUNCH:
    run_launch(op);
    break;
  }
}

static void run_until(size_t position)
{
  while (stream.done < position && !final_error) run(&stream.items[stream.done++]);
}

/* ---- start, device, context ------------------------------------------------------------- */

cu_result cuInit(unsigned int flags) { return flags ? 1 : fake.init_result; }

cu_result cuDriverGetVersion(int *version)
{
  if (fake.init_result == CU_STUB_LIBRARY) return CU_STUB_LIBRARY;
  *version = fake.version;
  return CU_OK;
}

cu_result cuGetErrorName(cu_result error, const char **text)
{
#define NAME(ours, theirs, value) \
  if (error == (value) && !strncmp(#theirs, "CUDA_", 5)) *text = #theirs;
  TRM_CUDA_CONSTANTS(NAME)
#undef NAME
  return CU_OK;
}

cu_result cuGetErrorString(cu_result error, const char **text)
{
  *text = error == CU_NO_DEVICE ? "no CUDA-capable device is detected" : "in the driver's words";
  return CU_OK;
}

cu_result cuDeviceGetCount(int *count) { *count = fake.device_count; return CU_OK; }
cu_result cuDeviceGet(cu_device *device, int ordinal) { *device = 40 + ordinal; return CU_OK; }

cu_result cuDeviceGetName(char *name, int bytes, cu_device device)
{
  snprintf(name, (size_t)bytes, "Fake GPU %d", device - 40);
  return CU_OK;
}

cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
  (void)device;
  *bytes = fake.memory_bytes;
  return CU_OK;
}

cu_result cuDeviceGetAttribute(int *value, cu_attribute attribute, cu_device device)
{
  (void)device;
  switch (attribute) {
  case CU_MAX_THREADS_PER_BLOCK: *value = 1024; break;
  case CU_MAX_GRID_DIM_X: *value = 2147483647; break;
  case CU_MAX_GRID_DIM_Y: case CU_MAX_GRID_DIM_Z: *value = 65535; break;
  case CU_MULTIPROCESSOR_COUNT: *value = 132; break;
  case CU_CAPABILITY_MAJOR: *value = fake.capability / 10; break;
  case CU_CAPABILITY_MINOR: *value = fake.capability % 10; break;
  case CU_MAX_SHARED_OPTIN: *value = 227 << 10; break;
  default: return misuse("an unknown attribute");
  }
  return CU_OK;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
  (void)device;
  *context = &the_context;
  fake.contexts++;
  return CU_OK;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
  (void)device;
  fake.contexts--;
  final_error = CU_OK;
  return CU_OK;
}

cu_result cuCtxSetCurrent(cu_context context) { current = context; return CU_OK; }

cu_result cuStreamCreate(cu_stream *created, unsigned int flags)
{
  NEEDS_CONTEXT;
  if (flags != CU_NON_BLOCKING) return misuse("a stream that waits for the null stream");
  *created = &the_stream;
  fake.streams++;
  return CU_OK;
}

cu_result cuStreamDestroy_v2(cu_stream old) { (void)old; fake.streams--; return CU_OK; }

cu_result cuStreamSynchronize(cu_stream which)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (which != &the_stream) return misuse("another stream");
  run_until(stream.count);
  return final_error;
}

/* ---- memory ------------------------------------------------------------------------------- */

static cu_result allocate(unsigned char **pointer, size_t bytes, int is_pinned)
{
  for (int i = 0; i < MAX_RANGES; i++)
    if (!ranges[i].begin) {
      ranges[i] = (struct range){malloc(bytes), bytes, is_pinned};
      memset(ranges[i].begin, 0xa5, bytes);
      *pointer = ranges[i].begin;
      return CU_OK;
    }
  return misuse("more allocations than the fake driver counts");
}

static cu_result release(void *pointer, int is_pinned)
{
  struct range *range = range_of(pointer, 1, is_pinned);
  if (!range || range->begin != pointer) return misuse("memory freed that is none");
  if (!is_pinned) used_bytes -= range->bytes;
  run_until(stream.count);
  free(range->begin);
  range->begin = NULL;
  return CU_OK;
}

cu_result cuMemGetInfo_v2(size_t *available, size_t *total)
{
  NEEDS_CONTEXT;
  *available = fake.memory_bytes - used_bytes;
  *total = fake.memory_bytes;
  return CU_OK;
}

cu_result cuMemAlloc_v2(cu_deviceptr *pointer, size_t bytes)
{
  unsigned char *memory = NULL;
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (bytes > fake.memory_bytes - used_bytes) return CU_OUT_OF_MEMORY;
  const cu_result result = allocate(&memory, bytes, 0);
  if (result == CU_OK) {
    *pointer = (uintptr_t)memory;
    used_bytes += bytes;
    fake.buffers++;
  }
  return result;
}

cu_result cuMemFree_v2(cu_deviceptr pointer)
{
  fake.buffers--;
  return release((void *)(uintptr_t)pointer, 0);
}

cu_result cuMemAllocHost_v2(void **pointer, size_t bytes)
{
  unsigned char *memory = NULL;
  NEEDS_CONTEXT;
  const cu_result result = allocate(&memory, bytes, 1);
  if (result == CU_OK) {
    *pointer = memory;
    fake.pinned++;
  }
  return result;
}

cu_result cuMemFreeHost(void *pointer) { fake.pinned--; return release(pointer, 1); }

/* ---- copies and sets --------------------------------------------------------------------- */

static cu_result copy(unsigned char *to, int to_pinned, const unsigned char *from, int from_pinned,
                      size_t bytes, cu_stream which)
{
  NEEDS_CONTEXT;
  if (which != &the_stream) return misuse("a copy in another stream");
  if (!range_of(to, bytes, to_pinned) || !range_of(from, bytes, from_pinned))
    return misuse("a copy outside its memory");
  put(&(operation){.kind = COPY, .to = to, .from = from, .bytes = bytes,
                   .between_ranges = !to_pinned && !from_pinned});
  return CU_OK;
}

cu_result cuMemcpyHtoDAsync_v2(cu_deviceptr to, const void *from, size_t bytes, cu_stream which)
{
  return copy((unsigned char *)(uintptr_t)to, 0, from, 1, bytes, which);
}

cu_result cuMemcpyDtoHAsync_v2(void *to, cu_deviceptr from, size_t bytes, cu_stream which)
{
  return copy(to, 1, (const unsigned char *)(uintptr_t)from, 0, bytes, which);
}

cu_result cuMemcpyDtoDAsync_v2(cu_deviceptr to, cu_deviceptr from, size_t bytes, cu_stream which)
{
  const cu_deviceptr gap = to > from ? to - from : from - to;
  if (gap < bytes) return misuse("a copy between ranges that overlap");
  return copy((unsigned char *)(uintptr_t)to, 0, (const unsigned char *)(uintptr_t)from, 0, bytes,
              which);
}

static cu_result set(cu_deviceptr to, uint32_t value, size_t element, size_t pitch, size_t count,
                     cu_stream which)
{
  unsigned char *pointer = (unsigned char *)(uintptr_t)to;
  NEEDS_CONTEXT;
  if (which != &the_stream) return misuse("a set in another stream");
  if (to % element || !range_of(pointer, (count - 1) * pitch + element, 0))
    return misuse("a set outside its memory");
  put(&(operation){.kind = SET, .to = pointer, .value = value, .bytes = element, .pitch = pitch,
                   .count = count});
  return CU_OK;
}

cu_result cuMemsetD8Async(cu_deviceptr to, unsigned char value, size_t count, cu_stream which)
{
  return set(to, value, 1, 1, count, which);
}

cu_result cuMemsetD16Async(cu_deviceptr to, unsigned short value, size_t count, cu_stream which)
{
  return set(to, value, 2, 2, count, which);
}

cu_result cuMemsetD32Async(cu_deviceptr to, unsigned int value, size_t count, cu_stream which)
{
  return set(to, value, 4, 4, count, which);
}

cu_result cuMemsetD2D32Async(cu_deviceptr to, size_t pitch, unsigned int value, size_t width,
                             size_t height, cu_stream which)
{
  return width == 1 ? set(to, value, 4, pitch, height, which) : misuse("a wide set");
}

/* ---- modules and launches ---------------------------------------------------------------- */

cu_result cuModuleLoadData(cu_module *module, const void *image)
{
  NEEDS_CONTEXT;
  if (fake.module_result) return fake.module_result;
  if (memcmp(image, "\177ELF", 4)) return CU_INVALID_IMAGE;
  *module = calloc(1, sizeof **module);
  fake.modules++;
  return CU_OK;
}

cu_result cuModuleUnload(cu_module module)
{
  for (struct CUfunc_st *f = module->functions, *next; f; f = next) {
    next = f->next;
    free(f);
  }
  free(module);
  fake.modules--;
  return CU_OK;
}

cu_result cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
  NEEDS_CONTEXT;
  if (strncmp(name, "fake_", 5)) return CU_NOT_FOUND;
  struct CUfunc_st *made = calloc(1, sizeof *made);
  snprintf(made->name, sizeof made->name, "%s", name);
  made->next = module->functions;
  module->functions = made;
  *function = made;
  return CU_OK;
}

cu_result cuFuncGetAttribute(int *value, cu_attribute attribute, cu_function function)
{
  (void)function;
  *value = attribute == CU_FUNC_MAX_THREADS ? 1024 : 0;
  return CU_OK;
}

cu_result cuFuncSetAttribute(cu_function function, cu_attribute attribute, int value)
{
  (void)function;
  return attribute == CU_FUNC_MAX_DYNAMIC_SHARED && value > 48 << 10 ? CU_OK : misuse("an "
                    "attribute");
}

static cu_result launch(const cu_launch_config *c, cu_function function, void **arguments,
                        int programmatic)
{
  operation op = {.kind = LAUNCH,
                  .launch = {.grid = {c->grid_x, c->grid_y, c->grid_z},
                             .block = {c->block_x, c->block_y, c->block_z},
                             .shared_bytes = c->shared_bytes, .programmatic = programmatic}};
  NEEDS_CONTEXT;
  if (c->stream != &the_stream) return misuse("a launch in another stream");
  const queue *graph = capturing ? &capturing->operations : NULL;
  if (programmatic && !(graph && graph->count && graph->items[graph->count - 1].kind == LAUNCH))
    return misuse("a programmatic launch that follows no launch of its graph");
  snprintf(op.launch.name, sizeof op.launch.name, "%s", function->name);
  const int is_add = strcmp(function->name, "fake_add") == 0;
  int next = 0;
  if (is_add) op.x = *(int32_t **)arguments[next++];
  op.y = *(int32_t **)arguments[next++];
  if (is_add) memcpy(op.params, arguments[next++], sizeof op.params);
  memcpy(op.extent, arguments[next], sizeof op.extent);
  put(&op);
  return CU_OK;
}

cu_result cuLaunchKernel(cu_function function, unsigned int grid_x, unsigned int grid_y,
                         unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                         unsigned int block_z, unsigned int shared_bytes, cu_stream which,
                         void **arguments, void **extra)
{
  const cu_launch_config config = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                                   which, NULL, 0};
  return extra ? misuse("extra arguments") : launch(&config, function, arguments, 0);
}

cu_result cuLaunchKernelEx(const struct CUlaunchConfig_st *config, cu_function function,
                           void **arguments, void **extra)
{
  const cu_launch_config *c = (const void *)config;
  if (extra || c->attribute_count != 1 || c->attributes->id != CU_PROGRAMMATIC ||
      c->attributes->value.programmatic_stream_serialization_allowed != 1)
    return misuse("launch attributes");
  return launch(c, function, arguments, 1);
}

/* ---- events ------------------------------------------------------------------------------ */

cu_result cuEventCreate(cu_event *event, unsigned int flags)
{
  NEEDS_CONTEXT;
  (void)flags;
  *event = calloc(1, sizeof **event);
  fake.events++;
  return CU_OK;
}

cu_result cuEventDestroy_v2(cu_event event) { free(event); fake.events--; return CU_OK; }

cu_result cuEventRecord(cu_event event, cu_stream which)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  (void)which;
  event->position = stream.count;
  return CU_OK;
}

cu_result cuEventSynchronize(cu_event event)
{
  NEEDS_CONTEXT;
  run_until(event->position);
  return final_error;
}

cu_result cuEventElapsedTime(float *milliseconds, cu_event begin, cu_event end)
{
  NEEDS_CONTEXT;
  *milliseconds = (float)(end->position - begin->position);
  return CU_OK;
}

/* ---- graphs ------------------------------------------------------------------------------ */

cu_result cuStreamBeginCapture_v2(cu_stream which, unsigned int mode)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (which != &the_stream || mode != CU_CAPTURE_THREAD) return misuse("a capture");
  capturing = calloc(1, sizeof *capturing);
  return CU_OK;
}

cu_result cuStreamEndCapture(cu_stream which, cu_graph *graph)
{
  NEEDS_CONTEXT;
  if (!capturing || which != &the_stream) return misuse("no capture to end");
  *graph = capturing;
  capturing = NULL;
  fake.graphs++;
  return CU_OK;
}

cu_result cuGraphInstantiateWithFlags(cu_graph_exec *exec, cu_graph graph, unsigned long long flags)
{
  NEEDS_CONTEXT;
  if (fake.instantiate_result || flags) return fake.instantiate_result;
  *exec = calloc(1, sizeof **exec);
  for (size_t i = 0; i < graph->operations.count; i++)
    push(&(*exec)->operations, &graph->operations.items[i]);
  fake.execs++;
  return CU_OK;
}

cu_result cuGraphUpload(cu_graph_exec exec, cu_stream which)
{
  NEEDS_CONTEXT;
  return exec && which == &the_stream ? CU_OK : misuse("an upload");
}

cu_result cuGraphLaunch(cu_graph_exec exec, cu_stream which)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (which != &the_stream) return misuse("a graph in another stream");
  for (size_t i = 0; i < exec->operations.count; i++) put(&exec->operations.items[i]);
  fake.graph_launches++;
  return CU_OK;
}

cu_result cuGraphExecDestroy(cu_graph_exec exec)
{
  free(exec->operations.items);
  free(exec);
  fake.execs--;
  return CU_OK;
}

cu_result cuGraphDestroy(cu_graph graph)
{
  free(graph->operations.items);
  free(graph);
  fake.graphs--;
  return CU_OK;
}
