/* level_limit.c - a grid too deep for the memory: how deep it may be. */
#include "solvers/compressible/solver/fv.h"

#include <string.h>

/* The last error's text up to its advice, since this is another one. */
static void keep_cause(char *text, size_t size)
{
  const char *said = trm_error_last()->text;
  size_t length = strcspn(said, ";");
  if (length >= size) length = size - 1;
  memcpy(text, said, length);
  text[length] = '\0';
}

/* Blocks that the part of a block's tree has at least: those that are wanted. Counts to `most`. */
static size_t count_wanted(const trm_forest_shape *shape, int level, const int32_t place[3],
                           size_t most)
{
  const int is_flat = shape->side[2] == 1;
  size_t count = 0;
  if (level == shape->finest || !shape->wants(shape->user, level, place)) return 1;
  for (int i = 0; i < (is_flat ? 4 : 8) && count < most; i++) {
    const int32_t part[3] = { 2 * place[0] + (i & 1), 2 * place[1] + (i >> 1 & 1),
                              is_flat ? 0 : 2 * place[2] + (i >> 2) };
    count += count_wanted(shape, level + 1, part, most - count);
  }
  return count;
}

/* Whether the state of these alone has room: forests of millions of blocks take seconds to make. */
static int may_fit(const fv_solver *fv, const trm_forest_shape *shape)
{
  const size_t most = (size_t)1 << 24;
  const uint64_t block = 3 * FV_VALUES * fv->block * trm_type_size(fv->real_type);
  size_t count = 0;
  for (int32_t z = 0; z < shape->roots[2]; z++)
    for (int32_t y = 0; y < shape->roots[1]; y++)
      for (int32_t x = 0; x < shape->roots[0] && count < most; x++)
        count += count_wanted(shape, 0, (const int32_t[3]){ x, y, z }, most - count);
  return count < most && trm_device_require(fv->base.device, block * count, "a grid") == TRM_OK;
}

/* Whether there is room for the grid with no level beyond that one, but for bodies and for coarser
 * grids. */
static int fits(const fv_solver *fv, const trm_forest_shape *shape, int finest)
{
  fv_solver as = *fv; /* with that grid, to count */
  trm_forest_shape to = *shape;
  uint64_t bytes = 0;
  to.finest = finest;
  as.cut = NULL;
  if (!may_fit(fv, &to) || trm_forest_create(&to, &as.forest) != TRM_OK) return 0;
  fv_count_interfaces(&as);
  fv_list_buffers(&as);
  const int has_room =
    !(as.adapt.is_asked && as.forest->blocks.count > as.adapt.most) &&
    trm_framework_bytes(as.memory, as.buffer_count, &bytes) == TRM_OK &&
    trm_device_require(fv->base.device, bytes, "a grid") == TRM_OK;
  trm_forest_destroy(&as.forest);
  return has_room;
}

trm_status fv_refuse_level_limit(const fv_solver *fv, const trm_config *config,
                                 const trm_forest_shape *shape, trm_status status)
{
  const trm_error cause = *trm_error_last();
  const int is_more = fv->bodies.count > 0 || fv->dual.is_on;
  char said[sizeof cause.text];
  int deepest = shape->finest - 1;
  if (shape->finest == 0) return status;
  keep_cause(said, sizeof said);
  while (deepest >= 0 && !fits(fv, shape, deepest)) deepest--;
  if (deepest < 0)
    return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  return trm_error_record(status, cause.file, cause.line, "%s: grid.levels = %d is too deep: %s; "
                          "the deepest that fits is grid.levels = %d%s",
                          trm_config_origin(config, "grid.levels"), shape->finest, said, deepest,
                          is_more ? ", unless bodies or coarser grids need more memory" : "");
}

trm_status fv_check_level_limit(const fv_solver *fv, const trm_config *config)
{
  fv_solver as = *fv; /* a list of its own */
  uint64_t bytes = 0;
  if (fv->forest->shape.finest == 0) return TRM_OK; /* fv_allocate will say what is needed */
  fv_list_buffers(&as);
  TRM_TRY(trm_framework_bytes(as.memory, as.buffer_count, &bytes));
  TRM_TRY(fv_count_grids(fv, &bytes));
  const trm_status status = trm_device_require(fv->base.device, bytes, "this grid");
  return status == TRM_OK ? TRM_OK : fv_refuse_level_limit(fv, config, &fv->forest->shape, status);
}

/* In a grid that ends at a level, a finer block counts as its fraction of the block of that
 * level. */
static double blocks_down_to(const trm_forest *forest, int level)
{
  const double part = forest->shape.side[2] == 1 ? 0.25 : 0.125;
  double blocks = 0;
  for (size_t i = 0; i < forest->blocks.count; i++) {
    double share = 1;
    for (int k = level; k < forest->level[i]; k++) share *= part;
    blocks += share;
  }
  return blocks;
}

trm_status fv_say_level_limit(const fv_solver *fv, trm_status status)
{
  const trm_error cause = *trm_error_last();
  char said[sizeof cause.text];
  int level = fv->forest->shape.finest - 1;
  uint64_t bytes;
  if (status != TRM_ERROR_NO_DEVICE_MEMORY) return status;
  keep_cause(said, sizeof said);
  TRM_TRY(trm_framework_bytes(fv->memory, fv->sized, &bytes));
  const double each = (double)bytes / (double)fv->forest->blocks.count;
  while (level >= 0 && trm_device_require(fv->base.device,
                                          (uint64_t)(each * blocks_down_to(fv->forest, level)),
                                          "a grid") != TRM_OK) level--;
  if (level < 0)
    return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  return trm_error_record(status, cause.file, cause.line, "%s; of the flow as it is now the "
                          "deepest grid that fits is that of grid.levels = %d", said, level);
}
