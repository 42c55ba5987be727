/* launch.c - one command: a launch, a copy or a fill, into the device's stream. While the stream is
 * being captured (sequence.c) the same calls record instead. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdlib.h>
#include <string.h>

/* ---- launches -------------------------------------------------------------------- */

static unsigned int blocks_for(int32_t cells, unsigned int block)
{
  return ((unsigned int)cells + block - 1) / block;
}

static trm_status shape_grid(const cuda_gpu *gpu, const trm_command *command,
                             const cuda_kernel *kernel, unsigned int grid[3])
{
  const int is_row = command->declaration->kind == TRM_KERNEL_ROW;
  const trm_extent covered = trm_command_covers(command), *extent = &covered;
  grid[0] = is_row ? blocks_for(extent->nx, kernel->own_x) : (unsigned int)extent->nx;
  grid[1] = is_row ? blocks_for(extent->ny, kernel->block_y) : (unsigned int)extent->ny;
  grid[2] = (unsigned int)extent->nz;
  for (int i = 0; i < 3; i++)
    if (grid[i] > gpu->max_grid[i])
      return CUDA_FAIL(UNSUPPORTED, "%s: kernel %s over %d x %d x %d needs %u groups along %c, "
                       "the device takes %u; make the grid longer along x%s", gpu->label,
                       command->declaration->name, extent->nx, extent->ny, extent->nz, grid[i],
                       "xyz"[i], gpu->max_grid[i],
                       is_row && i == 1 ? ", or the row group higher" : "");
  return TRM_OK;
}

trm_status cuda_launch_put(cuda_gpu *gpu, const cuda_launch *launch, void **arguments,
                           int overlapped)
{
  const unsigned int *grid = launch->grid, *block = launch->block;
  if (!overlapped) {
    CU_TRY(gpu, cuLaunchKernel, (launch->function, grid[0], grid[1], grid[2], block[0], block[1],
                                 1, launch->shared_bytes, gpu->used, arguments, NULL));
    return TRM_OK;
  }
  cu_launch_attribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = CU_PROGRAMMATIC;
  attribute.value.programmatic_stream_serialization_allowed = 1;
  const cu_launch_config config = {grid[0], grid[1], grid[2], block[0], block[1], 1,
                                   launch->shared_bytes, gpu->used, &attribute, 1};
  CU_TRY(gpu, cuLaunchKernelEx, ((const struct CUlaunchConfig_st *)(const void *)&config,
                                 launch->function, arguments, NULL));
  return TRM_OK;
}

static trm_status put_launch(cuda_gpu *gpu, const trm_command *command, int overlapped)
{
  const cuda_kernel *kernel = command->kernel;
  void *arguments[TRM_MAX_BUFFERS + 2];
  cuda_launch launch = {.function = kernel->function, .block = {kernel->block_x, kernel->block_y},
                        .shared_bytes = kernel->shared_bytes};
  uint32_t count = 0;
  TRM_TRY(shape_grid(gpu, command, kernel, launch.grid));
  for (; count < command->buffer_count; count++)
    arguments[count] = &((cuda_buffer *)command->buffers[count])->pointer;
  /* The driver copies arguments during the call and changes none of them. */
  trm_command *given = (trm_command *)(uintptr_t)command;
  if (command->param_bytes) arguments[count++] = given->params;
  arguments[count] = &given->extent;
  return cuda_launch_put(gpu, &launch, arguments, overlapped);
}

/* ---- copies and fills -------------------------------------------------------------- */

static trm_status put_copy(cuda_gpu *gpu, const trm_command *command)
{
  const cuda_buffer *to = command->buffers[0], *from = command->buffers[1];
  CU_TRY(gpu, cuMemcpyDtoDAsync_v2, (to->pointer + command->offset,
                                     from->pointer + command->source_offset, command->bytes,
                                     gpu->used));
  return TRM_OK;
}

/* The driver has no memset of 8 bytes: one column of 4-byte words each, for a few rows, which
 * copies then double until the range is full. */
static trm_status put_fill8(cuda_gpu *gpu, cu_deviceptr to, const trm_command *command)
{
  enum { FIRST_WORDS = 1024 };
  const size_t words = command->bytes / 8;
  const size_t first = words < FIRST_WORDS ? words : FIRST_WORDS;
  uint32_t half[2];
  memcpy(half, command->pattern, sizeof half);
  if (half[0] == half[1]) {
    CU_TRY(gpu, cuMemsetD32Async, (to, half[0], 2 * words, gpu->used));
    return TRM_OK;
  }
  CU_TRY(gpu, cuMemsetD2D32Async, (to, 8, half[0], 1, first, gpu->used));
  CU_TRY(gpu, cuMemsetD2D32Async, (to + 4, 8, half[1], 1, first, gpu->used));
  for (size_t done = first; done < words;) {
    const size_t part = done < words - done ? done : words - done;
    CU_TRY(gpu, cuMemcpyDtoDAsync_v2, (to + 8 * done, to, 8 * part, gpu->used));
    done += part;
  }
  return TRM_OK;
}

static trm_status put_fill(cuda_gpu *gpu, const trm_command *command)
{
  const cu_deviceptr to = ((cuda_buffer *)command->buffers[0])->pointer + command->offset;
  uint16_t two;
  uint32_t four;
  switch (command->pattern_bytes) {
  case 1:
    CU_TRY(gpu, cuMemsetD8Async, (to, command->pattern[0], command->bytes, gpu->used));
    return TRM_OK;
  case 2:
    memcpy(&two, command->pattern, sizeof two);
    CU_TRY(gpu, cuMemsetD16Async, (to, two, command->bytes / 2, gpu->used));
    return TRM_OK;
  case 4:
    memcpy(&four, command->pattern, sizeof four);
    CU_TRY(gpu, cuMemsetD32Async, (to, four, command->bytes / 4, gpu->used));
    return TRM_OK;
  default:
    return put_fill8(gpu, to, command);
  }
}

trm_status cuda_put(cuda_gpu *gpu, const trm_command *command, int overlapped)
{
  switch (command->kind) {
  case TRM_COMMAND_COPY: return put_copy(gpu, command);
  case TRM_COMMAND_FILL: return put_fill(gpu, command);
  default: return put_launch(gpu, command, overlapped);
  }
}

int *cuda_chained(cuda_gpu *gpu)
{
  return &gpu->chained[gpu->used == gpu->stream ? TRM_QUEUE_COMMANDS : TRM_QUEUE_ARRIVALS];
}

trm_status cuda_enqueue(void *device, const trm_command *command)
{
  cuda_gpu *gpu = device;
  TRM_TRY(cuda_enter(gpu));
  const int waits = gpu->overlap && command->kind == TRM_COMMAND_LAUNCH &&
                    ((const cuda_kernel *)command->kernel)->waits;
  int *chained = cuda_chained(gpu);
  const int overlapped = waits && *chained;
  *chained = 0;
  TRM_TRY(cuda_put(gpu, command, overlapped));
  *chained = waits;
  return TRM_OK;
}
