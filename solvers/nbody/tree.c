/* tree.c - Barnes and Hut's force, from sort to walk: the launches of nbody_tree.k and nbody_walk.k
 * for one force.
 *
 * Nothing is read back; how many nodes there are follows from N alone. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

extern const char trm_text_nbody_tree[];
TRM_DECLARE_MODULES(nbody_tree);
static const trm_host_module *const modules[] = { TRM_MODULES(nbody_tree), NULL };
static const trm_program_source source = {
  "nbody_tree", "solvers/nbody/kernels/nbody_tree.k", trm_text_nbody_tree, modules
};

extern const char trm_text_nbody_walk[];
TRM_DECLARE_MODULES(nbody_walk);
static const trm_host_module *const walk_modules[] = { TRM_MODULES(nbody_walk), NULL };
static const trm_program_source walk_source = {
  "nbody_walk", "solvers/nbody/kernels/nbody_walk.k", trm_text_nbody_walk, walk_modules
};

/* A node is opened within TREE_SIZE times its longest side / theta of its centre of mass (and the
 * offset of that). With quadrupoles the error is then below that of the monopoles of cubic cells
 * with side / distance < theta, body by body: the theta of the literature. docs/measurements.md. */
static const double TREE_SIZE = 0.64;

/* ---- parameters ------------------------------------------------------------ */

typedef union packed { tree_params_f32 f32; tree_params_f64 f64; } packed;

#define PACK(to, type) \
  do { \
    (to).eps2 = (type)(nbody->softening * nbody->softening); \
    (to).per_theta = (type)(TREE_SIZE / tree->theta); \
    (to).bodies = nbody->count; \
    (to).stride = nbody->stride; \
    (to).words = tree->words; \
    (to).first = tree->first[level]; \
    (to).count = tree->count[level]; \
    (to).padded = padded(tree, level); \
    (to).below_count = level ? tree->count[level - 1] : 0; \
    (to).leaves = tree->first[0]; \
    (to).blocks = tree->first[1]; \
    (to).above = tree->levels - 2; \
  } while (0)

/* A level's nodes and those that complete the last family; the root has no sisters. */
static int padded(const nbody_tree *tree, int level)
{
  return level == tree->levels - 1 ? 1 : (tree->count[level] + TREE_FAN - 1) / TREE_FAN * TREE_FAN;
}

static trm_status launch(const nbody_solver *nbody, trm_kernel *kernel, int groups, int level,
                         trm_buffer *const *buffers, size_t count)
{
  const nbody_tree *tree = &nbody->tree;
  packed params;
  memset(&params, 0, sizeof params);
  const trm_extent extent = {groups, 1, 1, 0};
  if (nbody->precision == TRM_F64) PACK(params.f64, double);
  else PACK(params.f32, float);
  return trm_kernel_launch(kernel, &extent, &params,
                           nbody->precision == TRM_F64 ? sizeof params.f64 : sizeof params.f32,
                           buffers, count);
}

static int groups_for(const nbody_tree *tree, int items)
{
  const int group = trm_program_describe(tree->program)->group;
  return (items + group - 1) / group;
}

/* ---- life ------------------------------------------------------------------ */

static trm_status build(nbody_tree *tree, trm_device *device, trm_program_options how)
{
  how.variant = NULL;
  TRM_TRY(trm_program_create(device, &source, &how, &tree->program));
  TRM_TRY(trm_program_kernel(tree->program, "tree_keys", &tree->keys_of));
  TRM_TRY(trm_program_kernel(tree->program, "tree_gather", &tree->gather));
  TRM_TRY(trm_program_kernel(tree->program, "tree_leaves", &tree->leaves));
  TRM_TRY(trm_program_kernel(tree->program, "tree_level", &tree->level));
  how.group = TREE_BLOCK;
  TRM_TRY(trm_program_create(device, &walk_source, &how, &tree->walker));
  return trm_program_kernel(tree->walker, "walk_force", &tree->walk);
}

/* ---- keys ------------------------------------------------------------------- */

/* Place of a body in a box of 2^20 cells a side; the upper ten bits of all coordinates come first,
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

/* Bodies of one cell are not told apart by the sort: a block of them is as wide as the cell. Where
 * many share one, as in tight clusters of a wide box, the keys get another ten bits a coordinate;
 * not everywhere, since the sort takes eight passes a word. In f32 two words are enough: their
 * cells are about ten times as wide as the places are rounded, and centres of mass of smaller nodes
 * would be rounding alone. */
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

/* ---- memory ----------------------------------------------------------------- */

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

static size_t nodes_of(const nbody_tree *tree)
{
  return (size_t)tree->first[0] + (size_t)padded(tree, 0);
}

size_t nbody_tree_nodes(int bodies)
{
  nbody_tree tree;
  count_levels(&tree, bodies);
  return nodes_of(&tree);
}

static trm_status allocate_ints(const nbody_solver *nbody, size_t rows, size_t count,
                                const char *name, trm_buffer **out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(rows, count, name, &bytes));
  TRM_TRY(trm_size_mul(bytes, sizeof(int32_t), name, &bytes));
  return trm_buffer_create(nbody->base.device, bytes, name, out);
}

trm_status nbody_tree_allocate(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  trm_device *device = nbody->base.device;
  const size_t stride = (size_t)nbody->stride, n = (size_t)nbody->count;
  const size_t nodes = nodes_of(tree);
  TRM_TRY(allocate_ints(nbody, 1 + (size_t)tree->words, stride, "keys", &tree->keys));
  TRM_TRY(allocate_ints(nbody, 1, (n + TREE_BLOCK - 1) / TREE_BLOCK, "tally", &tree->tally));
  TRM_TRY(nbody_allocate(nbody, 4, nodes, "nodes of the tree", &tree->gates));
  TRM_TRY(nbody_allocate(nbody, 8, nodes, "moments of the tree", &tree->moments));
  TRM_TRY(nbody_allocate(nbody, 6, nodes, "boxes of the tree", &tree->boxes));
  TRM_TRY(nbody_allocate(nbody, 4, stride, "sorted bodies", &tree->sorted));
  TRM_TRY(nbody_allocate(nbody, 1, 4, "lowest coordinates", &tree->lows));
  TRM_TRY(nbody_allocate(nbody, 1, 4, "highest coordinates", &tree->highs));
  TRM_TRY(trm_sort_create(device, n, 1 + (size_t)tree->words, &tree->sort));
  TRM_TRY(trm_reduction_create(device, TRM_MIN, nbody->precision, n, 3, &tree->lowest));
  return trm_reduction_create(device, TRM_MAX, nbody->precision, n, 3, &tree->highest);
}

trm_status nbody_tree_create(nbody_solver *nbody, const trm_program_options *how)
{
  count_levels(&nbody->tree, nbody->count);
  return build(&nbody->tree, nbody->base.device, *how);
}

void nbody_tree_destroy(nbody_tree *tree)
{
  trm_buffer **const buffers[] = {&tree->lows, &tree->highs, &tree->keys, &tree->sorted,
                                  &tree->gates, &tree->moments, &tree->boxes, &tree->tally};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) trm_buffer_destroy(buffers[i]);
  trm_sort_destroy(&tree->sort);
  trm_reduction_destroy(&tree->lowest);
  trm_reduction_destroy(&tree->highest);
  trm_program_destroy(&tree->program);
  trm_program_destroy(&tree->walker);
}

/* ---- a force ---------------------------------------------------------------- */

static trm_status make_keys(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  const size_t stride = (size_t)nbody->stride;
  trm_buffer *const buffers[] = {nbody->bodies, tree->lows, tree->highs, tree->keys};
  TRM_TRY(trm_reduction_run(tree->lowest, nbody->bodies, 0, stride, 3, tree->lows, 0));
  TRM_TRY(trm_reduction_run(tree->highest, nbody->bodies, 0, stride, 3, tree->highs, 0));
  return launch(nbody, tree->keys_of, groups_for(tree, nbody->count), 0, buffers, 4);
}

static trm_status grow(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  trm_buffer *const gather[] = {nbody->bodies, tree->keys, tree->sorted};
  trm_buffer *const leaves[] = {tree->sorted, tree->gates, tree->moments, tree->boxes};
  TRM_TRY(launch(nbody, tree->gather, groups_for(tree, nbody->count), 0, gather, 3));
  TRM_TRY(launch(nbody, tree->leaves, groups_for(tree, padded(tree, 0)), 0, leaves, 4));
  for (int i = 1; i < tree->levels; i++)
    TRM_TRY(launch(nbody, tree->level, groups_for(tree, padded(tree, i)), i,
                   leaves + 1, 3));
  return TRM_OK;
}

trm_status nbody_tree_force(nbody_solver *nbody)
{
  nbody_tree *tree = &nbody->tree;
  trm_buffer *const walk[] = {tree->sorted, tree->keys, tree->gates, tree->moments,
                              tree->boxes, nbody->part, tree->tally};
  const int blocks = (nbody->count + TREE_BLOCK - 1) / TREE_BLOCK;
  TRM_TRY(make_keys(nbody));
  TRM_TRY(trm_sort_run(nbody->tree.sort, nbody->tree.keys, 0, (size_t)nbody->stride,
                       (size_t)nbody->tree.words));
  TRM_TRY(grow(nbody));
  return launch(nbody, tree->walk, blocks, 0, walk, 7);
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
