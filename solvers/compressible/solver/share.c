/* share.c - what several devices are told of the grid: buffers by leaves, in the order of their
 * slots, and which leaves a leaf's work reads. Blocks that are no leaves each device makes for
 * itself, from the leaves that they are made of. */
#include "solvers/compressible/solver/fv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fv_is_shared(const fv_solver *fv) { return trm_device_parts(fv->base.device, 0, NULL) > 0; }

trm_buffer *fv_series_of_one(const fv_solver *fv)
{
  return fv->series_gathered ? fv->series_gathered : fv->series_buffer;
}

trm_status fv_check_shared(const fv_solver *fv, const trm_config *config)
{
  const int is_part = trm_device_is_part(fv->base.device);
  const struct { int is_asked; const char *key, *what, *cure; } wrong[] = {
    { fv->bodies.count > 0 && !(fv->volumes && is_part), "bodies.shapes", "a flow about bodies",
      is_part ? "take compressible.cut_cells = 'redistribution'" : "leave bodies.shapes out" },
    { fv->bodies.count > 0 && fv->forest->shape.shuffle, "mesh.shuffle",
      "a flow about bodies in shuffled slots", "leave mesh.shuffle out" },
    { fv->adapt.is_asked && !is_part, "mesh.refine", "a grid that follows the flow",
      "refine in boxes alone (mesh.refine)" },
    { fv->adapt.is_asked && fv->forest->shape.shuffle, "mesh.shuffle",
      "a grid that follows the flow in shuffled slots", "leave mesh.shuffle out" },
    { fv->dual.is_on && !is_part, "compressible.time", "dual time",
      "take compressible.time = 'explicit'" },
    { fv->dual.grids > 0 && !is_part, "compressible.multigrid", "a cycle over coarser grids",
      "take compressible.multigrid = 0" },
    { fv->dual.grids > 0 && fv->forest->shape.shuffle, "mesh.shuffle",
      "a cycle over coarser grids in shuffled slots", "leave mesh.shuffle out" } };
  const size_t devices = trm_device_parts(fv->base.device, 0, NULL);
  trm_framework_several several;
  trm_framework_name_several(fv->base.device, &several);
  if (devices > 1) snprintf(several.named, sizeof several.named, "%zu were named", devices);
  for (size_t i = 0; devices > 0 && i < sizeof wrong / sizeof *wrong; i++)
    if (wrong[i].is_asked)
      return TRM_FAIL(UNSUPPORTED, "%s: %s works on one device alone, and %s; %s, or %s",
                      trm_config_origin(config, wrong[i].key), wrong[i].what, several.named,
                      several.cure, wrong[i].cure);
  return TRM_OK;
}

/* ---- the order of slots ------------------------------------------------------ */

static int is_inner(const trm_forest *forest, size_t leaf, size_t first, size_t end)
{
  for (int i = 0; i < 27; i++) {
    const size_t slot = (size_t)forest->near[leaf][i];
    if (slot < first || slot >= end) return 0;
  }
  return 1;
}

/* On each device, leaves whose neighbours are all on that device come first, so that they are
 * computed while others' leaves come. Where leaves have ghosts that are made of leaves, all of them
 * wait for these, and slots stay as they are. So they do where the grid follows the flow, since
 * then blocks go from curve to curve. Coarser grids and lists of bodies follow the curve, too. */
trm_status fv_order_shared(fv_solver *fv)
{
  trm_forest *forest = fv->forest;
  const size_t leaves = forest->blocks.count, devices = trm_device_parts(fv->base.device, 0, NULL);
  trm_forest_shape shape = forest->shape;
  if (devices == 0 || forest->ghost_count > 0 || fv->adapt.is_asked || fv->bodies.count > 0 ||
      fv->dual.grids > 0 || shape.shuffle)
    return TRM_OK;
  int32_t *slots = malloc(leaves * sizeof *slots);
  trm_status status = slots ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  for (size_t m = 0, first, count; m < devices && status == TRM_OK; m++) {
    status = trm_device_own(fv->base.device, leaves, m, &first, &count);
    size_t next = first;
    for (int inner = 1; inner >= 0 && status == TRM_OK; inner--)
      for (size_t i = first; i < first + count; i++)
        if (is_inner(forest, i, first, first + count) == inner) slots[i] = (int32_t)next++;
  }
  shape.slots = slots;
  if (status == TRM_OK) {
    trm_forest_destroy(&fv->forest);
    status = trm_forest_create(&shape, &fv->forest);
  }
  if (status == TRM_OK) fv->forest->shape.slots = NULL; /* it has them */
  free(slots);
  return status;
}

/* ---- buffers ----------------------------------------------------------------- */

static trm_status declare(trm_buffer *buffer, const trm_by_rows *rows)
{
  trm_buffer_rows_called(buffer, "block of cells", "blocks of cells");
  return trm_buffer_rows_anew(buffer, rows);
}

/* Rows: leaves of the finest grid. Leaves of a coarser one lie with the first of these. */
static size_t rows_of(const fv_solver *fv)
{
  const fv_solver *finest = fv->dual.finest ? fv->dual.finest : fv;
  return finest->forest->blocks.count;
}

/* Values listed leaf by leaf. starts: of each row, and behind the last one. derived: values of a
 * block beside leaves, 1: these have none. */
static trm_status by_starts(const fv_solver *fv, trm_buffer *buffer, trm_type type,
                            const size_t *starts, size_t derived)
{
  const trm_by_rows rows = { .type = type, .nx = derived, .ny = rows_of(fv), .nz = 1,
                             .components = 1, .is_bounded = 1, .lists = 1, .starts = starts };
  return declare(buffer, &rows);
}

static trm_status by_coarser_leaves(const fv_solver *fv, trm_buffer *buffer, trm_type type,
                                    size_t values)
{
  const size_t rows = rows_of(fv);
  size_t *starts = calloc(rows + 1, sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of %zu leaves", rows);
  for (size_t i = 0; i < fv->forest->blocks.count; i++) starts[fv->dual.rows[i] + 1] = values;
  for (size_t i = 0; i < rows; i++) starts[i + 1] += starts[i];
  const trm_status status = by_starts(fv, buffer, type, starts, values);
  free(starts);
  return status;
}

static trm_status by_leaves(const fv_solver *fv, trm_buffer *buffer, trm_type type, size_t values,
                            size_t components)
{
  const size_t leaves = fv->forest->blocks.count;
  if (fv->dual.rows) return by_coarser_leaves(fv, buffer, type, values);
  const trm_by_rows rows = { .type = type, .nx = values, .ny = leaves, .nz = 1,
                             .components = components, .is_bounded = 1,
                             .layout = { .row = values, .component = leaves * values,
                                         .elements = components * leaves * values } };
  return declare(buffer, &rows);
}

trm_status fv_share_leaves(const fv_solver *fv, trm_buffer *buffer, trm_type type, size_t values)
{
  return fv_is_shared(fv) ? by_leaves(fv, buffer, type, values, 1) : TRM_OK;
}

/* Fluxes that sides keep, and interfaces, are listed so. */
static trm_status share_interfaces(const fv_solver *fv)
{
  const size_t leaves = fv->forest->blocks.count, rows = rows_of(fv), each = fv_faces(fv);
  size_t *starts = calloc(2 * (rows + 1), sizeof *starts), *interfaces = starts + rows + 1;
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the interfaces of %zu leaves",
                               leaves);
  for (size_t i = 0; i < leaves; i++) {
    const int32_t row = fv_row_of(fv, (int32_t)i);
    int is_coarser = 0, fluxes = 0;
    for (int side = 0; side < 6; side++) fluxes += fv_keeps_flux(fv, i, side, &is_coarser);
    starts[row + 1] = (size_t)fluxes * each * FV_VALUES;
    interfaces[row + 1] = is_coarser ? FV_INTERFACE_INTS : 0;
  }
  for (size_t i = 0; i < rows; i++) {
    starts[i + 1] += starts[i];
    interfaces[i + 1] += interfaces[i];
  }
  trm_status status = by_starts(fv, fv->flux, fv->real_type, starts, 1);
  if (status == TRM_OK && fv->interfaces)
    status = by_starts(fv, fv->interfaces, TRM_TYPE_I32, interfaces, 1);
  free(starts);
  return status;
}

/* Blocks with sources, too. */
static trm_status share_sources(const fv_solver *fv)
{
  const size_t leaves = fv->forest->blocks.count;
  size_t *starts = calloc(leaves + 1, sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the sources of %zu leaves", leaves);
  for (size_t i = 0; i < leaves; i++)
    starts[i + 1] = starts[i] + (fv_has_source(fv, i) ? FV_SOURCE_INTS : 0);
  const trm_status status = by_starts(fv, fv->sources.list, TRM_TYPE_I32, starts, 1);
  free(starts);
  return status;
}

/* Leaves of the next grid by the leaves that are, or contain, their first sources: both ascend. The
 * owner of a source makes them, and the new owner copies them. */
trm_status fv_share_moves(const fv_solver *fv, const int32_t *list, size_t count,
                          trm_buffer *moves, trm_buffer *to)
{
  const size_t leaves = fv->forest->blocks.count, each = fv->block * FV_VALUES;
  if (!fv_is_shared(fv)) return TRM_OK;
  size_t *starts = calloc(2 * (leaves + 1), sizeof *starts), *values = starts + leaves + 1;
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the moves of %zu blocks", count);
  for (size_t i = 0; i < count; i++) starts[list[i * FV_MOVE_INTS + 2] + 1]++;
  for (size_t i = 0; i < leaves; i++) {
    values[i + 1] = values[i] + starts[i + 1] * each;
    starts[i + 1] = starts[i] + starts[i + 1] * FV_MOVE_INTS;
  }
  trm_status status = by_starts(fv, moves, TRM_TYPE_I32, starts, 1);
  if (status == TRM_OK) status = by_starts(fv, to, fv->real_type, values, 1);
  free(starts);
  return status;
}

/* ---- what is near ------------------------------------------------------------ */

/* The sources of ghost g: at most 28 slots. */
static size_t sources_of(const fv_solver *fv, size_t g, int32_t to[28])
{
  const trm_forest *forest = fv->forest;
  const trm_ghost *ghost = &forest->ghosts[g];
  size_t count = 0;
  for (int i = 0; i < (ghost->kind == TRM_GHOST_RESTRICTED ? 8 : 1); i++)
    if (ghost->source[i] >= 0) to[count++] = ghost->source[i];
  for (int side = 0; side < 6; side++) {
    const int32_t beside = fv_beside_source(fv, ghost, side);
    if (beside >= 0) to[count++] = beside;
  }
  if (ghost->kind != TRM_GHOST_PROLONGED) return count;
  memcpy(to + count, forest->near[ghost->source[0]], sizeof *forest->near);
  return count + 27;
}

static void find_near(const fv_solver *fv, size_t *begins, int32_t *reads)
{
  const trm_forest *forest = fv->forest;
  const size_t leaves = forest->blocks.count, rows = rows_of(fv);
  size_t next = 0;
  for (size_t i = 0; i < rows; i++, next += 27) {
    begins[i] = next;
    memcpy(reads + next, forest->near[fv_leaf_of(fv, i)], sizeof *forest->near);
  }
  for (size_t g = 0; g < forest->ghost_count; g++) {
    begins[rows + g] = next;
    next += sources_of(fv, g, reads + next);
  }
  begins[rows + forest->ghost_count] = next;
  if (fv->diagnostics.count > 0)
    begins[rows + forest->ghost_count + 1] = next + fv_find_probed(fv, reads + next);
  for (size_t i = 0; i < next && fv->dual.rows; i++)
    reads[i] = (size_t)reads[i] < leaves ? fv->dual.rows[reads[i]]
                                         : reads[i] + (int32_t)rows - (int32_t)leaves;
}

/* Behind the ghosts, a row that stands for the leaves with probes. */
size_t fv_probed_row(const fv_solver *fv) { return fv->forest->ghost_count; }

/* Work on a leaf reads two layers of cells of a leaf beside it. Along y and z these are long
 * pieces; along x they would be of two values, and the whole block goes. */
enum { SOUTH, NORTH, BOTTOM, TOP, SLABS };

static void list_slabs(const fv_solver *fv, trm_slabs *out)
{
  enum { LAYERS = 2 };
  const int32_t *side = fv->forest->blocks.side;
  const size_t line = (size_t)side[0], plane = line * (size_t)side[1], all = fv->block * FV_VALUES;
  for (int s = 0; s < SLABS; s++) {
    const size_t layer = s < BOTTOM ? line : plane, stride = s < BOTTOM ? plane : fv->block;
    const size_t values = LAYERS * layer < stride ? LAYERS * layer : stride;
    const int is_last = s == SOUTH || s == BOTTOM; /* of the leaf there */
    out->slab[s] = (trm_slab){ is_last ? stride - values : 0, stride, all / stride, values };
  }
  out->count = SLABS;
}

/* The slabs that are enough of one of the 27 leaves about a leaf. */
static uint8_t enough_of(int step)
{
  const int y = step / 3 % 3, z = step / 9;
  return (uint8_t)((y == 0) << SOUTH | (y == 2) << NORTH | (z == 0) << BOTTOM | (z == 2) << TOP);
}

/* Whether both leaves may become one of a coarser grid, which reads all of them. */
static int are_united(const fv_solver *fv, size_t leaf, int32_t other)
{
  const trm_forest *forest = fv->forest;
  if (fv->dual.grids == 0 || (size_t)other >= forest->blocks.count ||
      forest->level[leaf] != forest->level[other]) return 0;
  for (int a = 0; a < fv_axes(fv); a++)
    if (forest->place[leaf][a] >> 1 != forest->place[other][a] >> 1) return 0;
  return 1;
}

static trm_status share_slabs(const fv_solver *fv, const size_t *begins, size_t rows)
{
  const size_t leaves = fv->forest->blocks.count;
  uint8_t *enough = calloc(begins[rows] + 1, 1);
  trm_slabs slabs = { .enough = enough };
  if (!enough)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the neighbours of %zu leaves", leaves);
  for (size_t i = 0; i < leaves; i++)
    for (int step = 0; step < 27; step++)
      enough[begins[i] + (size_t)step] = are_united(fv, i, fv->forest->near[i][step])
                                           ? 0 : enough_of(step);
  list_slabs(fv, &slabs);
  trm_status status = trm_buffer_slabs(fv->w[0], &slabs);
  if (status == TRM_OK) status = trm_buffer_slabs(fv->w[1], &slabs);
  free(enough);
  return status;
}

static trm_status share_near(const fv_solver *fv)
{
  const trm_forest *forest = fv->forest;
  const size_t rows = rows_of(fv);
  const size_t derived = forest->ghost_count + (fv->diagnostics.count > 0);
  size_t *begins = malloc((rows + derived + 1) * sizeof *begins);
  int32_t *reads = malloc((rows * 27 + forest->ghost_count * 28 + FV_PROBES) * sizeof *reads);
  trm_status status =
      begins && reads
          ? TRM_OK
          : TRM_FAIL(NO_HOST_MEMORY, "no memory for the neighbours of %zu leaves", rows);
  if (status == TRM_OK) find_near(fv, begins, reads);
  const trm_adjacency near = { rows, derived, begins, reads };
  trm_buffer *const buffers[] = { fv->w[0], fv->w[1], fv->flux, fv->q, fv->dual.before,
                                  fv->dual.given };
  const size_t count = sizeof buffers / sizeof *buffers - (fv->dual.rows ? 0 : 2);
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    status = trm_buffer_adjacency(buffers[i], &near);
  if (status == TRM_OK && !fv->dual.rows) status = share_slabs(fv, begins, rows + derived);
  free(begins);
  free(reads);
  return status;
}

static trm_status share_dual(const fv_solver *fv)
{
  const size_t block = fv->block * FV_VALUES;
  if (!fv->dual.is_on) return TRM_OK;
  if (fv->dual.has_past || fv->dual.is_coarse)
    TRM_TRY(by_leaves(fv, fv->dual.before, fv->real_type, block, 1));
  TRM_TRY(by_leaves(fv, fv->dual.given, fv->real_type, block, 1));
  return fv->dual.is_coarse ? by_leaves(fv, fv->dual.rest, fv->real_type, block, 1)
                            : by_leaves(fv, fv->dual.norms, fv->real_type, 1, 1);
}

trm_status fv_share_out(fv_solver *fv)
{
  const size_t block = fv->block * FV_VALUES;
  if (!fv_is_shared(fv)) return TRM_OK;
  TRM_TRY(share_dual(fv));
  TRM_TRY(by_leaves(fv, fv->part, fv->real_type, 1, 1));
  TRM_TRY(by_leaves(fv, fv->q, fv->real_type, block, 1));
  for (int i = 0; i < 2; i++) TRM_TRY(by_leaves(fv, fv->w[i], fv->real_type, block, 1));
  if (fv->sums) TRM_TRY(by_leaves(fv, fv->sums, fv->real_type, 1, FV_SUMS));
  if (fv->diagnostics.has_means) TRM_TRY(by_leaves(fv, fv->diagnostics.means, fv->real_type, block,
                                                   1));
  if (fv->diagnostics.is_steep) TRM_TRY(by_leaves(fv, fv->diagnostics.steep, fv->real_type,
                                                  fv->block, 1));
  if (fv->adapt.is_asked) TRM_TRY(by_leaves(fv, fv->adapt.indicated, fv->real_type,
                                            fv_sub_blocks(fv), 1));
  TRM_TRY(share_interfaces(fv));
  if (fv->sources.list) TRM_TRY(share_sources(fv));
  TRM_TRY(share_near(fv));
  return fv->dual.coarser ? fv_share_out(fv->dual.coarser) : TRM_OK;
}
