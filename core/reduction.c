/* reduction.c - sums, minima and maxima of rows, level by level.
 *
 * With several devices, each folds the chunks of its own values on the first level. Parts of a run
 * do so on each level but the last.
 *
 * Each level is one launch of a kernel of reduce.k, which makes one value of each chunk. The last
 * level has one chunk a row and writes to the caller's buffer. The levels and the scratch buffers
 * between them are laid out once, so run only launches and can be recorded. */
#include "core/domain/parts.h"
#include "core/modules.h"

#include <stdlib.h>
#include <string.h>

typedef int64_t trm_index;
#include "core/kernels/reduce_params.h"

enum { CHUNK = 4096, MOST_LEVELS = 6 }; /* 4096^6 is beyond any size_t */

extern const char trm_text_reduce[];
TRM_DECLARE_MODULES(reduce);
const trm_program_source trmi_reduce_source = { "reduce", "core/kernels/reduce.k", trm_text_reduce,
                                                TRM_MODULES(reduce) };

struct trm_reduction {
  trm_device *device;                   /* alive while the program is */
  trm_precision type;
  trm_program *program;
  trm_kernel *kernel;
  size_t value_bytes, count, rows;
  int levels;
  size_t chunks[MOST_LEVELS];           /* chunks of a row at each level; 1 at the last */
  trm_buffer *scratch[MOST_LEVELS];     /* what level i leaves to level i + 1 */
};

/* ---- creating ---------------------------------------------------------------- */

static trm_status plan_levels(trm_reduction *reduction)
{
  size_t left = reduction->count, groups;
  do {
    left = (left - 1) / CHUNK + 1;
    reduction->chunks[reduction->levels++] = left;
  } while (left > 1);
  TRM_TRY(trm_size_mul(reduction->chunks[0], reduction->rows, "the chunks of a reduction",
                       &groups));
  if (groups > INT32_MAX)
    return TRM_FAIL(OVERFLOW,
                    "a reduction of %zu rows of %zu values needs %zu groups; a launch has at most "
                    "%d; reduce fewer rows at a time",
                    reduction->rows, reduction->count, groups, INT32_MAX);
  return TRM_OK;
}

static trm_status create_scratch(trm_reduction *reduction)
{
  for (int i = 0; i + 1 < reduction->levels; i++) {
    size_t bytes;
    TRM_TRY(trm_size_mul(reduction->chunks[i] * reduction->rows, reduction->value_bytes,
                         "the scratch memory of a reduction", &bytes));
    TRM_TRY(trm_buffer_create(reduction->device, bytes, "scratch of a reduction",
                              &reduction->scratch[i]));
    if (reduction->scratch[i]->part)
      TRM_TRY(domain_buffer_declare_chunks(reduction->scratch[i], reduction->chunks[i],
                                           reduction->rows, reduction->value_bytes));
  }
  return TRM_OK;
}

static trm_status fill(trm_reduction *reduction, trm_reduce_op op)
{
  static const char *const names[] = { [TRM_SUM] = "reduce_sum", [TRM_MIN] = "reduce_min",
                                       [TRM_MAX] = "reduce_max" };
  TRM_TRY(plan_levels(reduction));
  const trm_program_options options = { .precision = reduction->type, .math = TRM_STRICT };
  TRM_TRY(trmi_program_share(reduction->device, &trmi_reduce_source, &options,
                             &reduction->device->reductions[reduction->type],
                             &reduction->program));
  TRM_TRY(trm_program_kernel(reduction->program, names[op], &reduction->kernel));
  return create_scratch(reduction);
}

trm_status trm_reduction_create(trm_device *device, trm_reduce_op op, trm_precision type,
                                size_t count, size_t rows, trm_reduction **out)
{
  if (!device || !out) return TRM_FAIL(INVALID, "trm_reduction_create: device or out is NULL");
  if ((unsigned)op > (unsigned)TRM_MAX)
    return TRM_FAIL(INVALID,
                    "trm_reduction_create: operation %d; choose TRM_SUM, TRM_MIN or TRM_MAX",
                    (int)op);
  if (type != TRM_F32 && type != TRM_F64)
    return TRM_FAIL(INVALID,
                    "trm_reduction_create: unknown precision %d; choose TRM_F32 or TRM_F64",
                    (int)type);
  if (count == 0 || rows == 0)
    return TRM_FAIL(INVALID, "trm_reduction_create: %zu rows of %zu values; both are at least 1",
                    rows, count);
  trm_reduction *reduction = calloc(1, sizeof *reduction);
  if (!reduction) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a reduction");
  reduction->device = device;
  reduction->type = type;
  reduction->count = count;
  reduction->rows = rows;
  reduction->value_bytes = trm_type_size(trm_real_type(type));
  const trm_status status = fill(reduction, op);
  if (status != TRM_OK) {
    trm_reduction_destroy(&reduction);
    return status;
  }
  *out = reduction;
  return TRM_OK;
}

void trm_reduction_destroy(trm_reduction **reduction)
{
  if (!reduction || !*reduction) return;
  for (int i = 0; i < MOST_LEVELS; i++) trm_buffer_destroy(&(*reduction)->scratch[i]);
  if ((*reduction)->program)
    trmi_program_unshare(&(*reduction)->device->reductions[(*reduction)->type],
                         &(*reduction)->program);
  free(*reduction);
  *reduction = NULL;
}

/* ---- running ----------------------------------------------------------------- */

static trm_status check_run(const trm_reduction *reduction, const trm_buffer *source,
                            size_t source_offset, size_t source_stride, size_t rows,
                            const trm_buffer *destination, size_t destination_offset)
{
  if (!reduction || !source || !destination)
    return TRM_FAIL(INVALID, "trm_reduction_run: reduction, source or destination is NULL");
  if (source == destination)
    return TRM_FAIL(INVALID,
                    "trm_reduction_run: source and destination are the same buffer \"%s\"; reduce "
                    "into another",
                    source->name);
  if (rows == 0 || rows > reduction->rows)
    return TRM_FAIL(INVALID, "trm_reduction_run: %zu rows; the reduction was created for 1 to %zu",
                    rows, reduction->rows);
  TRM_TRY(trmi_buffer_holds(source, "trm_reduction_run", "the source", source_offset,
    source_stride, rows, reduction->count,
                      reduction->value_bytes));
  return trmi_buffer_holds(destination, "trm_reduction_run", "the destination",
    destination_offset, 1, rows, 1,
                     reduction->value_bytes);
}

trm_status trm_reduction_run(trm_reduction *reduction, trm_buffer *source, size_t source_offset,
                             size_t source_stride, size_t rows, trm_buffer *destination,
                             size_t destination_offset)
{
  TRM_TRY(check_run(reduction, source, source_offset, source_stride, rows, destination,
                    destination_offset));
  reduce_params params = { .count = (trm_index)reduction->count,
                           .from_first = (trm_index)source_offset,
                           .from_row = (trm_index)source_stride, .rows = (int)rows };
  trmi_chunks by = { CHUNK, reduction->count, source_offset, rows > 1 ? source_stride : 0 };
  trm_buffer *buffers[2] = { source, NULL };
  for (int i = 0; i < reduction->levels; i++) {
    const int is_last = i + 1 == reduction->levels;
    const size_t chunks = reduction->chunks[i];
    const trm_extent extent = { (int32_t)(chunks * rows), 1, 1, 0 };
    params.chunks = (int)chunks;
    params.to_first = is_last ? (trm_index)destination_offset : 0;
    buffers[1] = is_last ? destination : reduction->scratch[i];
    const int is_shared = i == 0 || (buffers[0]->part && !is_last);
    TRM_TRY(trmi_kernel_launch_chunks(reduction->kernel, &extent, (int32_t)rows,
                                      is_shared ? &by : NULL, &params, sizeof params, buffers, 2));
    by = (trmi_chunks){ CHUNK, chunks, 0, rows > 1 ? chunks : 0 };
    params.count = params.from_row = (trm_index)chunks;
    params.from_first = 0;
    buffers[0] = buffers[1];
  }
  return TRM_OK;
}
