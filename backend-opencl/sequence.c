/* sequence.c - recorded commands, each launch with a kernel object of its own.
 *
 * The arguments are set once, when the sequence is made; a replay is one enqueue a launch. */
#include "opencl.h"

#include <stdlib.h>

typedef struct step {
  const trm_command *command;
  cl_kernel kernel; /* NULL: a copy or a fill */
  ocl_range range;
} step;

typedef struct ocl_sequence {
  size_t count;
  step steps[];
} ocl_sequence;

static trm_status freeze(const trm_command *command, step *out)
{
  const ocl_kernel *kernel = command->kernel;
  ocl_arguments none = {0};
  cl_int code;
  out->command = command;
  if (command->kind != TRM_COMMAND_LAUNCH) return TRM_OK;
  out->kernel = clCreateKernel(kernel->owner->handle, command->declaration->name, &code);
  if (code != CL_SUCCESS) {
    out->kernel = NULL;
    return OCL_ERROR(code, "clCreateKernel", command->declaration->name);
  }
  ocl_range_of(kernel, &command->extent, &out->range);
  return ocl_arguments_set(out->kernel, command, &none);
}

trm_status ocl_sequence_create(void *device, const trm_command *commands, size_t count,
                               void **sequence)
{
  ocl_sequence *created = calloc(1, sizeof *created + count * sizeof created->steps[0]);
  if (!created) return OCL_FAIL(NO_HOST_MEMORY, "no memory for a sequence of %zu commands", count);
  created->count = count;
  for (size_t i = 0; i < count; i++) {
    const trm_status status = freeze(&commands[i], &created->steps[i]);
    if (status != TRM_OK) {
      ocl_sequence_destroy(device, created);
      return status;
    }
  }
  *sequence = created;
  return TRM_OK;
}

trm_status ocl_sequence_replay(void *device, void *sequence, size_t times)
{
  const ocl_sequence *replayed = sequence;
  for (size_t t = 0; t < times; t++)
    for (size_t i = 0; i < replayed->count; i++) {
      const step *s = &replayed->steps[i];
      if (s->kernel)
        TRM_TRY(ocl_range_enqueue(device, s->kernel, &s->range, s->command->declaration->name));
      else
        TRM_TRY(ocl_enqueue(device, s->command));
    }
  return TRM_OK;
}

void ocl_sequence_destroy(void *device, void *sequence)
{
  ocl_sequence *destroyed = sequence;
  (void)device;
  for (size_t i = 0; i < destroyed->count; i++)
    if (destroyed->steps[i].kernel) clReleaseKernel(destroyed->steps[i].kernel);
  free(destroyed);
}
