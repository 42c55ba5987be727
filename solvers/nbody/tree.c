/* tree.c - Barnes and Hut's force, from sort to walk: the launches of nbody_tree.k and nbody_walk.k
 * for one force.
 *
 * Nothing is read back; how many nodes there are follows from N alone. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>

TRM_FRAMEWORK_SOURCE(nbody_tree, "solvers/nbody/kernels/nbody_tree.k");
TRM_FRAMEWORK_SOURCE(nbody_walk, "solvers/nbody/kernels/nbody_walk.k");

/* A node is opened within TREE_SIZE times its longest side / theta of its centre of mass (and the
 * offset of that). With quadrupoles the error is then, body by body, below that of monopoles of
 * cubic cells with side / distance < theta: the theta of the literature. docs/measurements.md. */
static const double TREE_SIZE = 0.64;

/* ---- parameters ------------------------------------------------------------ */

/* Nodes of a level, filled up to whole families of TREE_FAN; the root stands alone. */
static int padded(const nbody_tree *tree, int level)
{
  return level == tree->levels - 1 ? 1 : (tree->count[level] + TREE_FAN - 1) / TREE_FAN * TREE_FAN;
}

static tree_params params_of(const nbody_solver *nbody, int level)
{
  const nbody_tree *tree = &nbody->tree;
  return (tree_params){
    .eps2 = nbody->softening * nbody->softening, .per_theta = TREE_SIZE / tree->theta,
    .bodies = nbody->count, .stride = nbody->stride, .words = tree->words,
    .first = tree->first[level], .count = tree->count[level], .padded = padded(tree, level),
    .below_count = level ? tree->count[level - 1] : 0, .leaves = tree->first[0],
    .blocks = tree->first[1], .above = tree->levels - 2, .in_order = nbody->is_shared };
}

static int groups_for(const nbody_tree *tree, int items)
{
  const int group = trm_program_describe(tree->grower.program)->group;
  return (items + group - 1) / group;
}

/* ---- keys ------------------------------------------------------------------- */

/* Place of a body in a box of 2^20 cells a side. The upper ten bits of all coordinates come first,
 * so that bodies of one cell of the 2^10 have equal upper halves. */
static uint64_t cell_of(const nbody_bodies *bodies, size_t body, const double low[3], double side)
{
  uint64_t upper = 0, lower = 0;
  for (int c = 0; c < 3; c++) {
    const double at = (bodies->value[c][body] - low[c]) / side * 0x1p20;
    const uint64_t cell = at < 0x1p20 - 1 ? (uint64_t)at : (1u << 20) - 1;
    upper = upper << 10 | cell >> 10;
    lower = lower << 10 | (cell & 1023);
  }
  return upper << 30 | lower;
}

static int ascending(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Whether one body in eight lies in a cell that it shares with a block or more; sorted cells. */
static int are_crowded(const uint64_t *cells, size_t count, int shift)
{
  size_t crowded = 0, from = 0;
  for (size_t i = 1; i <= count; i++) {
    if (i < count && cells[i] >> shift == cells[from] >> shift) continue;
    if (i - from > TREE_BLOCK) crowded += i - from;
    from = i;
  }
  return 8 * crowded > count;
}

/* The sort cannot distinguish bodies of one cell: a block of them is as wide as the cell. If many
 * bodies share a cell, as in tight clusters of a wide box, the keys get another ten bits a
 * coordinate. They do not always have them, since the sort takes eight passes a word. In f32 two
 * words are enough. Their cells are about ten times as wide as the rounding of places, and centres
 * of mass of smaller nodes would be rounding alone. */
trm_status nbody_tree_choose_keys(nbody_solver *nbody, const nbody_bodies *bodies)
{
  const size_t n = bodies->count;
  double low[3], side = 0.0;
  for (int c = 0; c < 3; c++) {
    double high = low[c] = bodies->value[c][0];
    for (size_t i = 1; i < n; i++) {
      low[c] = fmin(low[c], bodies->value[c][i]);
      high = fmax(high, bodies->value[c][i]);
    }
    side = fmax(side, high - low[c]);
  }
  nbody->tree.words = n >= TREE_LONG_KEYS ? 2 : 1;
  if (!(side > 0.0)) return TRM_OK;
  uint64_t *cells = calloc(n, sizeof *cells);
  if (!cells) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cells of %zu bodies", n);
  for (size_t i = 0; i < n; i++) cells[i] = cell_of(bodies, i, low, side);
  qsort(cells, n, sizeof *cells, ascending);
  if (are_crowded(cells, n, 30)) nbody->tree.words = 2;
  if (nbody->precision == TRM_F64 && are_crowded(cells, n, 0)) nbody->tree.words = 3;
  free(cells);
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------ */

trm_status nbody_tree_build(nbody_solver *nbody, const trm_solver_options *run)
{
  static const char *const growing[] = {"tree_keys", "tree_gather", "tree_leaves", "tree_level",
                                        "tree_scatter", NULL};
  static const char *const walking[] = {"walk_force", NULL};
  static const trm_framework_recipe grower = {&nbody_tree_source, NULL, "tree_params",
                                              sizeof(tree_params), growing};
  static const trm_framework_recipe walker = {&nbody_walk_source, NULL, "tree_params",
                                              sizeof(tree_params), walking};
  trm_solver_options how = *run;
  TRM_TRY(trm_framework_program_create(nbody->base.device, &grower, &how, &nbody->tree.grower));
  how.group = TREE_BLOCK;
  return trm_framework_program_create(nbody->base.device, &walker, &how, &nbody->tree.walker);
}

/* Leaves, and levels above them up to one node; two levels at least, for blocks of 32 bodies. Then
 * the numbers of the nodes from the root down, as tree_node.h has it. */
static void count_levels(nbody_tree *tree, int bodies)
{
  tree->count[0] = (bodies + TREE_LEAF - 1) / TREE_LEAF;
  tree->levels = 1;
  while (tree->levels < 2 || tree->count[tree->levels - 1] > 1) {
    tree->count[tree->levels] = (tree->count[tree->levels - 1] + TREE_FAN - 1) / TREE_FAN;
    tree->levels++;
  }
  tree->first[tree->levels - 1] = TREE_ROOT;
  for (int i = tree->levels - 2; i >= 0; i--)
    tree->first[i] = TREE_FAN * (tree->first[i + 1] - 2);
}

void nbody_tree_list(nbody_solver *nbody, uint64_t *more)
{
  nbody_tree *tree = &nbody->tree;
  const trm_type real_type = trm_real_type(nbody->precision);
  const size_t n = (size_t)nbody->count, stride = (size_t)nbody->stride;
  const size_t rows = 1 + (size_t)tree->words;
  count_levels(tree, nbody->count);
  const size_t nodes = (size_t)tree->first[0] + (size_t)padded(tree, 0);
  nbody_list(nbody, &tree->keys, "keys", rows * stride, TRM_TYPE_I32);
  nbody_list(nbody, &tree->tally, "tally", stride / TREE_BLOCK, TRM_TYPE_I32);
  if (nbody->is_shared) nbody_list(nbody, &tree->walked, "walked", 4 * stride, real_type);
  nbody_list(nbody, &tree->gates, "nodes of the tree", 4 * nodes, real_type);
  nbody_list(nbody, &tree->moments, "moments of the tree", 8 * nodes, real_type);
  nbody_list(nbody, &tree->boxes, "boxes of the tree", 6 * nodes, real_type);
  nbody_list(nbody, &tree->sorted, "sorted bodies", 4 * stride, real_type);
  nbody_list(nbody, &tree->lows, "lowest coordinates", 4, real_type);
  nbody_list(nbody, &tree->highs, "highest coordinates", 4, real_type);
  *more = rows * n * sizeof(int32_t); /* the sort's second set of records */
}

trm_status nbody_tree_allocate(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  trm_device *device = nbody->base.device;
  const size_t n = (size_t)nbody->count, bodies = (size_t)nbody_block(nbody);
  const trm_by_rows rows = { .type = TRM_TYPE_I32, .nx = bodies / TREE_BLOCK,
                             .ny = (size_t)nbody->stride / bodies, .nz = 1, .components = 1,
                             .is_output = 1, .layout = { .row = bodies / TREE_BLOCK } };
  trm_buffer_rows_called(tree->tally, "block of bodies", "blocks of bodies");
  TRM_TRY(trm_buffer_rows(tree->tally, &rows));
  TRM_TRY(trm_sort_create(device, n, 1 + (size_t)tree->words, &tree->sort));
  TRM_TRY(trm_reduction_create(device, TRM_MIN, nbody->precision, n, 3, &tree->lowest));
  return trm_reduction_create(device, TRM_MAX, nbody->precision, n, 3, &tree->highest);
}

void nbody_tree_destroy(nbody_tree *tree)
{
  trm_sort_destroy(&tree->sort);
  trm_reduction_destroy(&tree->lowest);
  trm_reduction_destroy(&tree->highest);
  trm_framework_program_destroy(&tree->grower);
  trm_framework_program_destroy(&tree->walker);
}

/* ---- a force ---------------------------------------------------------------- */

static trm_status grow(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  const size_t stride = (size_t)nbody->stride;
  const int each = groups_for(tree, nbody->count);
  tree_params params = params_of(nbody, 0);
  TRM_TRY(trm_reduction_run(tree->lowest, nbody->bodies, 0, stride, 3, tree->lows, 0));
  TRM_TRY(trm_reduction_run(tree->highest, nbody->bodies, 0, stride, 3, tree->highs, 0));
  TRM_TRY(TRM_FRAMEWORK_LAUNCH(&tree->grower, GROW_KEYS, each, 1, &params, nbody->bodies,
                               tree->lows, tree->highs, tree->keys));
  TRM_TRY(trm_sort_run(tree->sort, tree->keys, 0, stride, (size_t)tree->words));
  TRM_TRY(TRM_FRAMEWORK_LAUNCH(&tree->grower, GROW_GATHER, each, 1, &params, nbody->bodies,
                               tree->keys, tree->sorted));
  TRM_TRY(TRM_FRAMEWORK_LAUNCH(&tree->grower, GROW_LEAVES, groups_for(tree, params.padded), 1,
                               &params, tree->sorted, tree->gates, tree->moments, tree->boxes));
  for (int i = 1; i < tree->levels; i++) {
    params = params_of(nbody, i);
    TRM_TRY(TRM_FRAMEWORK_LAUNCH(&tree->grower, GROW_LEVEL, groups_for(tree, params.padded), 1,
                                 &params, tree->gates, tree->moments, tree->boxes));
  }
  return TRM_OK;
}

/* Each block of bodies finds its own sums. */
static trm_status walk(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  const tree_params params = params_of(nbody, 0);
  trm_buffer *const buffers[] = { tree->sorted, tree->keys, tree->gates, tree->moments, tree->boxes,
                                  nbody->is_shared ? tree->walked : nbody->part, tree->tally };
  return trm_framework_program_launch_groups(&tree->walker, 0,
                                             (nbody->count + TREE_BLOCK - 1) / TREE_BLOCK, 1,
                                             nbody_block(nbody) / TREE_BLOCK, 0, &params, buffers,
                                             sizeof buffers / sizeof buffers[0]);
}

static trm_status scatter(nbody_solver *nbody)
{
  const nbody_tree *tree = &nbody->tree;
  const tree_params params = params_of(nbody, 0);
  return TRM_FRAMEWORK_LAUNCH(&tree->grower, GROW_SCATTER, groups_for(tree, nbody->count), 1,
                              &params, tree->keys, tree->walked, nbody->part);
}

/* With several devices, each has all places, grows the whole tree, and puts all sums in order: both
 * take less time than fetching the tree. */
trm_status nbody_tree_force(nbody_solver *nbody)
{
  trm_device *device = nbody->base.device;
  trm_device_replicate(device, 1);
  trm_status status = grow(nbody);
  trm_device_replicate(device, 0);
  if (status == TRM_OK) status = walk(nbody);
  if (status != TRM_OK || !nbody->is_shared) return status;
  trm_device_replicate(device, 1);
  status = scatter(nbody);
  trm_device_replicate(device, 0);
  return status;
}

trm_status nbody_tree_tally(const nbody_solver *nbody, double *interactions)
{
  const size_t blocks = ((size_t)nbody->count + TREE_BLOCK - 1) / TREE_BLOCK;
  int32_t *tally = malloc(blocks * sizeof *tally);
  if (!tally) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the tally of %zu blocks", blocks);
  const trm_status status = trm_buffer_read(nbody->tree.tally, 0, blocks * sizeof *tally, tally);
  double sum = 0.0;
  for (size_t i = 0; i < blocks && status == TRM_OK; i++) {
    const size_t left = (size_t)nbody->count - i * TREE_BLOCK;
    sum += (double)tally[i] * (double)(left < TREE_BLOCK ? left : TREE_BLOCK);
  }
  free(tally);
  if (status == TRM_OK) *interactions = sum / nbody->count;
  return status;
}
