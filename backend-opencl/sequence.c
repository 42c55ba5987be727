/* sequence.c - recorded commands, each launch with a kernel object of its own, or with two if it
 * covers rows that go on at row 0.
 *
 * The arguments are set once, when the sequence is made; a replay is one enqueue a launch. */
#include "opencl.h"

#include <stdlib.h>

typedef struct step {
  const trm_command *command;
  ocl_frozen frozen;
} step;

typedef struct ocl_sequence {
  const trm_command *commands;
  trm_part *parts;
  size_t part_count;        /* a launch of several recorded ones is one part, */
  size_t count;             /* and one step */
  step steps[];
} ocl_sequence;

/* command: the recorded one; piece: it, or its first or second piece. */
static trm_status freeze_single(const trm_command *command, const trm_command *piece, step *out)
{
  const ocl_kernel *kernel = command->kernel;
  ocl_arguments none = {0};
  cl_int code;
  out->command = command;
  out->frozen.kernel = clCreateKernel(kernel->owner->handle, command->declaration->name, &code);
  if (code != CL_SUCCESS) {
    out->frozen.kernel = NULL;
    return OCL_ERROR(code, "clCreateKernel", command->declaration->name);
  }
  const trm_extent covered = trm_command_covers(piece);
  ocl_range_of(kernel, &covered, &out->frozen.range);
  return ocl_arguments_set(out->frozen.kernel, piece, &none);
}

static trm_status freeze(const ocl_device *device, const trm_part *part, ocl_sequence *sequence)
{
  const trm_command *command = &sequence->commands[part->first];
  trm_command pieces[2];
  step *out = &sequence->steps[sequence->count];
  if (command->kind != TRM_COMMAND_LAUNCH || part->launches > 1) {
    sequence->count++;
    out->command = command;
    return command->kind != TRM_COMMAND_LAUNCH
             ? TRM_OK : ocl_temporal_freeze(device, command, part->launches, &out->frozen);
  }
  const int count = trm_steps_single(command, pieces);
  for (int i = 0; i < count; i++)
    TRM_TRY(freeze_single(command, &pieces[i], &sequence->steps[sequence->count++]));
  return TRM_OK;
}

static int at_once(const void *device, const trm_command *launch, int *times)
{
  const char *why;
  const ocl_temporal *temporal = ocl_temporal_of(device, launch, &why);
  if (temporal) *times = ocl_temporal_rounds(device, temporal, launch);
  return temporal ? temporal->shape.steps : 1;
}

int ocl_sequence_fused(void *device, void *sequence, size_t command, const char **why)
{
  const ocl_sequence *asked = sequence;
  const trm_command *launch = &asked->commands[command];
  const trm_part *part = trm_steps_part(asked->parts, asked->part_count, command);
  if (part->launches > 1) return (int)part->launches;
  *why = trm_steps_alone(launch);
  if (!*why && ocl_temporal_of(device, launch, why)) *why = TRM_STEPS_FEW;
  return 1;
}

trm_status ocl_sequence_create(void *device, const trm_command *commands, size_t count,
                               void **sequence)
{
  ocl_sequence *created = calloc(1, sizeof *created + 2 * count * sizeof created->steps[0]);
  trm_part *parts = calloc(count + 1, sizeof *parts);
  trm_status status = TRM_OK;
  if (!created || !parts) {
    free(created);
    free(parts);
    return OCL_FAIL(NO_HOST_MEMORY, "no memory for a sequence of %zu commands", count);
  }
  created->commands = commands;
  created->parts = parts;
  created->part_count = trm_steps_plan(commands, count, at_once, device, parts);
  for (size_t i = 0; i < created->part_count && status == TRM_OK; i++)
    status = freeze(device, &parts[i], created);
  if (status != TRM_OK) {
    ocl_sequence_destroy(device, created);
    return status;
  }
  *sequence = created;
  return TRM_OK;
}

trm_status ocl_sequence_replay(void *device, void *sequence, size_t times)
{
  ocl_sequence *replayed = sequence;
  for (size_t t = 0; t < times; t++)
    for (size_t i = 0; i < replayed->count; i++) {
      step *s = &replayed->steps[i];
      if (s->frozen.kernel)
        TRM_TRY(ocl_range_enqueue(device, s->frozen.kernel, &s->frozen.range,
                                  s->command->declaration->name, &s->frozen.was_run));
      else
        TRM_TRY(ocl_enqueue(device, s->command));
    }
  return TRM_OK;
}

void ocl_sequence_destroy(void *device, void *sequence)
{
  ocl_sequence *destroyed = sequence;
  (void)device;
  for (size_t i = 0; i < destroyed->count; i++) {
    const ocl_frozen *frozen = &destroyed->steps[i].frozen;
    if (frozen->kernel) clReleaseKernel(frozen->kernel);
    if (frozen->given) clReleaseMemObject(frozen->given);
    if (frozen->gate) clReleaseMemObject(frozen->gate);
  }
  free(destroyed->parts);
  free(destroyed);
}
