/* launch.c - the fake driver's stream: its operations, launches, events and graphs. */
#include "tests/fake/internal.h"

queue fake_queue;
_Thread_local cu_graph fake_capture;
cu_result fake_final;

/* ---- the queue --------------------------------------------------------------------------- */

void fake_push(queue *q, const operation *op)
{
  if (q->count == q->capacity) {
    q->capacity = q->capacity ? 2 * q->capacity : 64;
    q->items = realloc(q->items, q->capacity * sizeof *q->items);
  }
  q->items[q->count++] = *op;
}

void fake_put(const operation *op)
{
  operation given = *op;
  LOCKED;
  given.thread = fake_thread();
  fake_push(fake_capture ? &fake_capture->operations : &fake_queue, &given);
}

/* ---- kernels that pack rows --------------------------------------------------------------- */

static void pack(int32_t *to, const int32_t *from, int words)
{
  const size_t bytes = (size_t)words * sizeof *to;
  if (!fake_is_memory(to, bytes, 0) || !fake_is_memory(from, bytes, 0))
    fake_misuse("rows packed outside of memory");
  else memmove(to, from, bytes);
}

static void pack_rows(const operation *op)
{
  const sort_params *p = &op->rows;
  for (int piece = 0; piece < op->extent[1]; piece++)
    pack(op->y + p->to_first + piece * p->to_row, op->x + p->first + piece * p->row, p->count);
}

static void pack_pieces(const operation *op)
{
  enum { ROW = 5, HIGH = 1 << 30 };
  const sort_params *p = &op->rows;
  for (int piece = 0; piece < op->extent[1]; piece++) {
    const int32_t *row = op->table + (p->first + piece) * ROW;
    const int64_t here = (int64_t)row[1] * HIGH + row[2], there = (int64_t)row[3] * HIGH + row[4];
    pack(op->y + (p->starts ? here : there), op->x + (p->starts ? there : here), row[0]);
  }
}

static void run_launch(const operation *op)
{
  if (fake.launch_count < FAKE_MAX_LAUNCHES) fake.launches[fake.launch_count] = op->launch;
  fake.launch_count++;
  if (fake.launch_count == fake.fatal_launch) fake_final = fake.fatal_result;
  if (strcmp(op->launch.name, "pack_rows") == 0) pack_rows(op);
  if (strcmp(op->launch.name, "pack_pieces") == 0) pack_pieces(op);
  if (strcmp(op->launch.name, "fake_crash") == 0) fake_final = CU_ILLEGAL_ADDRESS;
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

void fake_run_until(size_t position)
{
  while (fake_queue.done < position && !fake_final) run(&fake_queue.items[fake_queue.done++]);
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
  LOCKED;
  for (struct CUfunc_st *f = module->functions, *next; f; f = next) {
    next = f->next;
    free(f);
  }
  free(module);
  fake.modules--;
  return fake_final;
}

cu_result cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
  NEEDS_CONTEXT;
  if (strncmp(name, "fake_", 5) && !fake.takes_any) return CU_NOT_FOUND;
  struct CUfunc_st *made = calloc(1, sizeof *made);
  snprintf(made->name, sizeof made->name, "%s", name);
  made->next = module->functions;
  module->functions = made;
  *function = made;
  return CU_OK;
}

/* What the code says of its kernels' shared memory, as kernel.h leaves it there. */
static const int bare_shared = 100000, greedy_shared = 300000, other_shared = 1024;

cu_result cuModuleGetGlobal_v2(cu_deviceptr *pointer, size_t *bytes, cu_module module,
                               const char *name)
{
  NEEDS_CONTEXT;
  (void)module;
  const int *variable = strcmp(name, "trm_shared_fake_bare") == 0     ? &bare_shared
                        : strcmp(name, "trm_shared_fake_greedy") == 0 ? &greedy_shared
                        : fake.takes_any                              ? &other_shared : NULL;
  if (!variable) return CU_NOT_FOUND;
  *pointer = (cu_deviceptr)(uintptr_t)variable;
  *bytes = sizeof bare_shared;
  return CU_OK;
}

cu_result cuMemcpyDtoH_v2(void *to, cu_deviceptr from, size_t bytes)
{
  NEEDS_CONTEXT;
  const int *variable = (const int *)(uintptr_t)from;
  if (variable != &bare_shared && variable != &greedy_shared && variable != &other_shared)
    return fake_misuse("a copy that waits, of something else than a variable");
  if (bytes > sizeof *variable)
    return fake_misuse("a copy of more than a variable has");
  memcpy(to, variable, bytes);
  return CU_OK;
}

cu_result cuFuncGetAttribute(int *value, cu_attribute attribute, cu_function function)
{
  *value = attribute == CU_FUNC_MAX_THREADS ? 1024
           : attribute == CU_FUNC_REGISTERS ? 40
           : attribute == CU_FUNC_LOCAL_BYTES && strncmp(function->name, "trm_steps_", 10) ? 16 : 0;
  return CU_OK;
}

/* As many groups as 65536 registers hold, of 40 for each thread, and as 227
 * KiB of shared memory. */
cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu_function function,
                                                      int threads, size_t shared_bytes)
{
  NEEDS_CONTEXT;
  (void)function;
  const int by_registers = 65536 / (40 * threads);
  const int by_memory = shared_bytes ? (int)((227 << 10) / shared_bytes) : by_registers;
  *blocks = by_memory < by_registers ? by_memory : by_registers;
  return CU_OK;
}

cu_result cuFuncSetAttribute(cu_function function, cu_attribute attribute, int value)
{
  (void)function;
  return attribute == CU_FUNC_MAX_DYNAMIC_SHARED && value > 48 << 10 ? CU_OK : fake_misuse("an "
                    "attribute");
}

/* The last command of the calling thread; NULL: none. Devices of several threads share the
 * stream. */
static const operation *last_command(void)
{
  const queue *before = fake_capture ? &fake_capture->operations : &fake_queue;
  for (size_t i = before->count; i > 0; i--)
    if (before->items[i - 1].thread == fake_thread()) return &before->items[i - 1];
  return NULL;
}

static cu_result launch(const cu_launch_config *c, cu_function function, void **arguments,
                        int programmatic)
{
  operation op = {.kind = LAUNCH,
                  .launch = {.grid = {c->grid_x, c->grid_y, c->grid_z},
                             .block = {c->block_x, c->block_y, c->block_z},
                             .shared_bytes = c->shared_bytes, .programmatic = programmatic}};
  NEEDS_CONTEXT;
  if (c->stream != &fake_stream) return fake_misuse("a launch in another stream");
  if (++fake.offered_launches == fake.refused_launch) return fake.refused_result;
  const operation *last = last_command();
  if (programmatic && !(last && last->kind == LAUNCH && !last->is_replayed))
    return fake_misuse("a programmatic launch that follows no launch");
  snprintf(op.launch.name, sizeof op.launch.name, "%s", function->name);
  const int is_add = strcmp(function->name, "fake_add") == 0;
  const int is_pack = strncmp(function->name, "pack_", 5) == 0;
  int next = 0;
  if (strncmp(function->name, "fake_", 5) && !is_pack) {
    fake_put(&op);
    return CU_OK;
  }
  if (strcmp(function->name, "pack_pieces") == 0) op.table = *(int32_t **)arguments[next++];
  if (is_add || is_pack) op.x = *(int32_t **)arguments[next++];
  op.y = *(int32_t **)arguments[next++];
  if (is_add) memcpy(op.params, arguments[next++], sizeof op.params);
  if (is_pack) memcpy(&op.rows, arguments[next++], sizeof op.rows);
  memcpy(op.extent, arguments[next], sizeof op.extent);
  fake_put(&op);
  return CU_OK;
}

cu_result cuLaunchKernel(cu_function function, unsigned int grid_x, unsigned int grid_y,
                         unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                         unsigned int block_z, unsigned int shared_bytes, cu_stream which,
                         void **arguments, void **extra)
{
  const cu_launch_config config = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                                   which, NULL, 0};
  return extra ? fake_misuse("extra arguments") : launch(&config, function, arguments, 0);
}

cu_result cuLaunchKernelEx(const struct CUlaunchConfig_st *config, cu_function function,
                           void **arguments, void **extra)
{
  const cu_launch_config *c = (const void *)config;
  if (extra || c->attribute_count != 1 || c->attributes->id != CU_PROGRAMMATIC ||
      c->attributes->value.programmatic_stream_serialization_allowed != 1)
    return fake_misuse("launch attributes");
  return launch(c, function, arguments, 1);
}

/* ---- events ------------------------------------------------------------------------------ */

cu_result cuEventCreate(cu_event *event, unsigned int flags)
{
  NEEDS_CONTEXT;
  *event = calloc(1, sizeof **event);
  (*event)->flags = flags;
  fake.events++;
  return CU_OK;
}

/* An event of another process is an object of its own, and nothing is recorded in it. */
cu_result cuIpcGetEventHandle(struct CUipcEventHandle_st *shared, cu_event event)
{
  NEEDS_CONTEXT;
  if (event->flags != (CU_EVENT_SHARED | CU_EVENT_NO_TIME)) return fake_misuse("a shared event");
  memset(shared, 7, sizeof *shared);
  return CU_OK;
}

cu_result cuIpcOpenEventHandle(cu_event *event, struct CUipcEventHandle_st shared)
{
  NEEDS_CONTEXT;
  if (shared.bytes[63] != 7) return fake_misuse("no shared event");
  *event = calloc(1, sizeof **event);
  fake.events++;
  return CU_OK;
}

cu_result cuEventDestroy_v2(cu_event event)
{
  LOCKED;
  free(event);
  fake.events--;
  return fake_final;
}

cu_result cuEventRecord(cu_event event, cu_stream which)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  (void)which;
  event->position = fake_queue.count;
  return CU_OK;
}

cu_result cuEventSynchronize(cu_event event)
{
  NEEDS_CONTEXT;
  fake_run_until(event->position);
  return fake_final;
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
  if (which != &fake_stream || mode != CU_CAPTURE_THREAD) return fake_misuse("a capture");
  fake_capture = calloc(1, sizeof *fake_capture);
  return CU_OK;
}

cu_result cuStreamEndCapture(cu_stream which, cu_graph *graph)
{
  NEEDS_CONTEXT;
  if (!fake_capture || which != &fake_stream) return fake_misuse("no capture to end");
  *graph = fake_capture;
  fake_capture = NULL;
  fake.graphs++;
  return CU_OK;
}

cu_result cuGraphInstantiateWithFlags(cu_graph_exec *exec, cu_graph graph, unsigned long long flags)
{
  NEEDS_CONTEXT;
  if (fake.instantiate_result || flags) return fake.instantiate_result;
  *exec = calloc(1, sizeof **exec);
  for (size_t i = 0; i < graph->operations.count; i++)
    fake_push(&(*exec)->operations, &graph->operations.items[i]);
  fake.execs++;
  return CU_OK;
}

cu_result cuGraphUpload(cu_graph_exec exec, cu_stream which)
{
  NEEDS_CONTEXT;
  return exec && which == &fake_stream ? CU_OK : fake_misuse("an upload");
}

cu_result cuGraphLaunch(cu_graph_exec exec, cu_stream which)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (which != &fake_stream) return fake_misuse("a graph in another stream");
  for (size_t i = 0; i < exec->operations.count; i++) {
    operation op = exec->operations.items[i];
    op.is_replayed = 1;
    fake_put(&op);
  }
  fake.graph_launches++;
  return CU_OK;
}

cu_result cuGraphExecDestroy(cu_graph_exec exec)
{
  LOCKED;
  free(exec->operations.items);
  free(exec);
  fake.execs--;
  return fake_final;
}

cu_result cuGraphDestroy(cu_graph graph)
{
  LOCKED;
  free(graph->operations.items);
  free(graph);
  fake.graphs--;
  return fake_final;
}
