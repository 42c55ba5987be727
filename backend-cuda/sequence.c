/* sequence.c - recorded commands as CUDA graphs, made by capturing the stream.
 *
 * A graph of many nodes has the least cost for each node. So a second graph holds the sequence
 * several times over and serves most of a long replay. The first replay that is long enough makes
 * it. Between two launches the edge may be programmatic: the later kernel's blocks start while the
 * earlier kernel drains. Its first instruction waits until the earlier kernel is complete. Every
 * kernel of a chain waits, so each is complete only after all before it. Next to copies and fills,
 * and where a graph begins, edges are full edges. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdlib.h>

typedef struct cuda_sequence {
  const trm_command *commands;     /* core's; they outlive the sequence */
  trm_part *parts;
  size_t count, part_count;
  size_t repeats;                  /* in the graph `many` */
  cu_graph_exec one, many;         /* many: NULL until it pays */
} cuda_sequence;

static int may_overlap(const cuda_gpu *gpu, const trm_command *earlier, const trm_command *later)
{
  return gpu->overlap && earlier && earlier->kind == TRM_COMMAND_LAUNCH &&
         later->kind == TRM_COMMAND_LAUNCH && ((const cuda_kernel *)earlier->kernel)->waits &&
         ((const cuda_kernel *)later->kernel)->waits;
}

/* A launch by itself: two where its rows go on at row 0. */
static trm_status put_single(cuda_gpu *gpu, const trm_command *command, int overlapped)
{
  trm_command pieces[2];
  if (command->kind != TRM_COMMAND_LAUNCH) return cuda_put(gpu, command, overlapped);
  const int count = trm_steps_single(command, pieces);
  for (int i = 0; i < count; i++)
    TRM_TRY(cuda_put(gpu, &pieces[i], i == 0 ? overlapped : may_overlap(gpu, command, command)));
  return TRM_OK;
}

static trm_status put_all(cuda_gpu *gpu, const cuda_sequence *sequence, size_t times)
{
  const trm_command *earlier = NULL;
  for (size_t t = 0; t < times; t++)
    for (size_t i = 0; i < sequence->part_count; i++) {
      const trm_command *command = &sequence->commands[sequence->parts[i].first];
      const int overlapped = may_overlap(gpu, earlier, command);
      const char *why;
      if (sequence->parts[i].launches > 1)
        TRM_TRY(cuda_put_temporal(gpu, command, cuda_temporal_of(gpu, command, &why), overlapped));
      else
        TRM_TRY(put_single(gpu, command, overlapped));
      earlier = command;
    }
  return TRM_OK;
}

/* The stream is taken out of capture whatever happened in between. */
static trm_status capture(cuda_gpu *gpu, const cuda_sequence *sequence, size_t times,
                          cu_graph *graph)
{
  cu_graph captured = NULL;
  CU_TRY(gpu, cuStreamBeginCapture_v2, (gpu->stream, CU_CAPTURE_THREAD));
  const trm_status status = put_all(gpu, sequence, times);
  const cu_result result = cu.cuStreamEndCapture(gpu->stream, &captured);
  if (status != TRM_OK) {
    if (result == CU_OK && captured) cu.cuGraphDestroy(captured);
    return status;
  }
  if (result != CU_OK) return cuda_error(gpu, result, "cuStreamEndCapture", __FILE__, __LINE__);
  *graph = captured;
  return TRM_OK;
}

static trm_status make_graph(cuda_gpu *gpu, const cuda_sequence *sequence, size_t times,
                             cu_graph_exec *exec)
{
  cu_graph graph = NULL;
  TRM_TRY(capture(gpu, sequence, times, &graph));
  const cu_result result = cu.cuGraphInstantiateWithFlags(exec, graph, 0);
  cu.cuGraphDestroy(graph);
  if (result != CU_OK) {
    *exec = NULL;
    return cuda_error(gpu, result, "cuGraphInstantiate", __FILE__, __LINE__);
  }
  CU_TRY(gpu, cuGraphUpload, (*exec, gpu->stream));
  return TRM_OK;
}

static int at_once(const void *device, const trm_command *launch, int *times)
{
  const char *why;
  const cuda_temporal *temporal = cuda_temporal_of(device, launch, &why);
  (void)times;
  return temporal ? temporal->shape.steps : 1;
}

int cuda_sequence_fused(void *device, void *sequence, size_t command, const char **why)
{
  const cuda_sequence *asked = sequence;
  const trm_command *launch = &asked->commands[command];
  const trm_part *part = trm_steps_part(asked->parts, asked->part_count, command);
  if (part->launches > 1) return (int)part->launches;
  *why = trm_steps_alone(launch);
  if (!*why && cuda_temporal_of(device, launch, why)) *why = TRM_STEPS_FEW;
  return 1;
}

trm_status cuda_sequence_create(void *device, const trm_command *commands, size_t count,
                                void **sequence)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  cuda_sequence *made = calloc(1, sizeof *made);
  if (!made) return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for a sequence", gpu->label);
  made->commands = commands;
  made->count = count;
  made->repeats = count && gpu->graph_nodes > count ? gpu->graph_nodes / count : 1;
  made->parts = calloc(count + 1, sizeof *made->parts);
  if (made->parts)
    made->part_count = trm_steps_plan(commands, count, at_once, gpu, made->parts);
  const trm_status status =
    made->parts ? make_graph(gpu, made, 1, &made->one)
                : CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for a sequence", gpu->label);
  if (status != TRM_OK) {
    cuda_sequence_destroy(gpu, made);
    return status;
  }
  *sequence = made;
  return TRM_OK;
}

trm_status cuda_sequence_replay(void *device, void *sequence, size_t times)
{
  cuda_gpu *gpu = device;
  cuda_sequence *recorded = sequence;
  TRM_TRY(cuda_enter(gpu));
  gpu->chained[TRM_QUEUE_COMMANDS] = 0;
  if (!recorded->many && recorded->repeats > 1 && times >= recorded->repeats)
    TRM_TRY(make_graph(gpu, recorded, recorded->repeats, &recorded->many));
  if (recorded->many)
    for (; times >= recorded->repeats; times -= recorded->repeats)
      CU_TRY(gpu, cuGraphLaunch, (recorded->many, gpu->stream));
  for (; times > 0; times--) CU_TRY(gpu, cuGraphLaunch, (recorded->one, gpu->stream));
  return TRM_OK;
}

/* The driver keeps a graph that is still running until it is done. */
void cuda_sequence_destroy(void *device, void *sequence)
{
  cuda_gpu *gpu = device;
  cuda_sequence *old = sequence;
  cu.cuCtxSetCurrent(gpu->context);
  if (old->one) cu.cuGraphExecDestroy(old->one);
  if (old->many) cu.cuGraphExecDestroy(old->many);
  free(old->parts);
  free(old);
}
