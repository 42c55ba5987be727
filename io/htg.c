/* htg.c - VTK XML hyper tree grids. A tree's nodes come generation by generation; in each, blocks
 * in Morton order, and of a block its cells in Morton order. In this order the means of a block's
 * cells, 8 (4) by 8, are one eighth (fourth) of the cells of the block that was split into it. */
#include <config.h>

#include "io/htg.h"
#include "io/vtk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of a file in their order; fields follow. */
enum { X, Y, Z, DESCRIPTORS, VERTICES, TREES, DEPTHS, FIELDS };
enum { LEVELS = 32 };

/* The tree of a block of level 0. */
typedef struct tree {
  size_t leaf, node;           /* the first of its leaves, of its nodes */
  size_t blocks[LEVELS];       /* of each level, split or not */
  int levels;
} tree;

/* A component of a field: VTK 9.1 reads a third of an array of three. */
typedef struct column {
  const trm_array *field;
  size_t component;
  char name[80];
} column;

typedef struct forest {
  const trm_htg *grid;
  const trm_array_source *source;
  size_t parts;                /* that a cell is split into: 4 or 8 */
  size_t block;                /* cells of a block */
  int above;                   /* generations above a block's cells */
  size_t *morton;              /* of a block's cells in Morton order: the number, x fastest */
  tree *trees;                 /* tree_count and one that begins beyond the end */
  size_t tree_count, bits;     /* bits of descriptors */
  uint8_t *descriptors;
  int64_t *vertices, *ids;     /* of each generation of each tree; of each tree */
  size_t vertex_count;         /* numbers in `vertices` */
  uint32_t *depths;
  double *axis[3];             /* where roots begin along the axes, and end */
  trm_array *arrays;           /* of the file */
  column *columns;             /* a component of a field each */
  size_t column_count;
  /* One tree's nodes of a column. */
  const column *shown;
  size_t shown_tree;
  double *values, *cells;
  unsigned char *raw;
} forest;

static void release(forest *f)
{
  free(f->morton);
  free(f->trees);
  free(f->descriptors);
  free(f->vertices);
  free(f->ids);
  free(f->depths);
  for (int a = 0; a < 3; a++) free(f->axis[a]);
  free(f->arrays);
  free(f->columns);
  free(f->values);
  free(f->cells);
  free(f->raw);
}

/* ---- the trees ------------------------------------------------------------------------------ */

/* Counts a block of this level and all blocks split from it; *leaf goes on. */
static trm_status count_blocks(const forest *f, tree *t, int level, size_t *leaf)
{
  const trm_htg *grid = f->grid;
  if (level >= LEVELS || *leaf >= grid->leaf_count || grid->level[*leaf] < level)
    return TRM_FAIL(INVALID, "the %zu blocks of a hyper tree grid do not make up its roots",
                    grid->leaf_count);
  t->blocks[level]++;
  if (level >= t->levels) t->levels = level + 1;
  if (grid->level[*leaf] == level) {
    ++*leaf;
    return TRM_OK;
  }
  for (size_t i = 0; i < f->parts; i++) TRM_TRY(count_blocks(f, t, level + 1, leaf));
  return TRM_OK;
}

/* Nodes above the cells of the block of level 0. */
static size_t nodes_above(const forest *f)
{
  size_t nodes = 0;
  for (size_t n = f->block / f->parts; n > 0; n /= f->parts) nodes += n;
  return nodes;
}

static trm_status count_trees(forest *f)
{
  size_t leaf = 0, node = 0;
  for (size_t i = 0; i < f->tree_count; i++) {
    tree *t = &f->trees[i];
    t->leaf = leaf;
    t->node = node;
    TRM_TRY(count_blocks(f, t, 0, &leaf));
    node += nodes_above(f);
    for (int l = 0; l < t->levels; l++) node += t->blocks[l] * f->block;
    f->vertex_count += (size_t)(f->above + t->levels);
    f->bits += nodes_above(f);
    for (int l = 0; l + 1 < t->levels; l++) f->bits += t->blocks[l] * f->block;
  }
  f->trees[f->tree_count] = (tree){ .leaf = leaf, .node = node };
  if (leaf == f->grid->leaf_count) return TRM_OK;
  return TRM_FAIL(INVALID, "a hyper tree grid of %zu roots has %zu blocks more than they hold",
                  f->tree_count, f->grid->leaf_count - leaf);
}

/* Whether cells are split: a bit each, the first one in a byte's highest. *bit goes on. */
static void describe(forest *f, size_t *bit, size_t count, int is_split)
{
  for (size_t i = 0; i < count; i++, ++*bit)
    if (is_split) f->descriptors[*bit / 8] |= (uint8_t)(128 >> *bit % 8);
}

/* The bits of a block's cells at bit[level], and of all blocks split from it. */
static void describe_blocks(forest *f, int level, size_t bit[], int levels, size_t *leaf)
{
  const int is_split = f->grid->level[*leaf] > level;
  if (level + 1 < levels) describe(f, &bit[level], f->block, is_split);
  if (!is_split) ++*leaf;
  else
    for (size_t i = 0; i < f->parts; i++) describe_blocks(f, level + 1, bit, levels, leaf);
}

static void describe_trees(forest *f)
{
  const trm_htg *grid = f->grid;
  size_t bit = 0, vertex = 0;
  for (size_t i = 0; i < f->tree_count; i++) {
    const tree *t = &f->trees[i];
    size_t at[LEVELS + 1], leaf = t->leaf, generation = 1;
    describe(f, &bit, nodes_above(f), 1);
    at[0] = bit;
    for (int l = 0; l < t->levels; l++)
      at[l + 1] = at[l] + (l + 1 < t->levels ? t->blocks[l] * f->block : 0);
    bit = at[t->levels];
    describe_blocks(f, 0, at, t->levels, &leaf);
    for (int d = 0; d < f->above; d++, generation *= f->parts)
      f->vertices[vertex++] = (int64_t)generation;
    for (int l = 0; l < t->levels; l++) f->vertices[vertex++] = (int64_t)(t->blocks[l] * f->block);
    f->depths[i] = (uint32_t)(f->above + t->levels);
    const int32_t *place = grid->place[t->leaf];
    const int level = grid->level[t->leaf];
    const int64_t x = place[0] >> level, y = place[1] >> level,
                  z = grid->dimensions > 2 ? place[2] >> level : 0;
    f->ids[i] = x + grid->roots[0] * (y + grid->roots[1] * z);
  }
}

static trm_status reserve_trees(forest *f)
{
  f->descriptors = calloc(f->bits / 8 + 1, 1);
  f->vertices = malloc((f->vertex_count + 1) * sizeof *f->vertices);
  f->ids = malloc((f->tree_count + 1) * sizeof *f->ids);
  f->depths = malloc((f->tree_count + 1) * sizeof *f->depths);
  size_t most = 0;
  for (size_t i = 0; i < f->tree_count; i++) {
    const size_t nodes = f->trees[i + 1].node - f->trees[i].node;
    if (most < nodes) most = nodes;
  }
  f->values = malloc((most + 1) * sizeof *f->values);
  return f->descriptors && f->vertices && f->ids && f->depths && f->values
    ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the trees of a hyper tree grid");
}

/* Cells of a block in Morton order. */
static void order_cells(forest *f)
{
  const size_t side = (size_t)f->grid->side;
  for (size_t i = 0; i < f->block; i++) {
    size_t at[3] = { 0 };
    for (int bit = 0; i >> (bit * f->grid->dimensions); bit++)
      for (int a = 0; a < f->grid->dimensions; a++)
        at[a] |= (i >> (bit * f->grid->dimensions + a) & 1) << bit;
    f->morton[i] = (at[2] * side + at[1]) * side + at[0];
  }
}

static trm_status make_axes(forest *f)
{
  for (int a = 0; a < 3; a++) {
    const size_t count = a < f->grid->dimensions ? (size_t)f->grid->roots[a] + 1 : 1;
    f->axis[a] = malloc(count * sizeof *f->axis[a]);
    if (!f->axis[a])
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for the places of %zu roots", count);
    for (size_t i = 0; i < count; i++)
      f->axis[a][i] = f->grid->origin[a] + (double)i * f->grid->width[a];
  }
  return TRM_OK;
}

static trm_status make_forest(forest *f)
{
  const trm_htg *grid = f->grid;
  f->parts = (size_t)1 << grid->dimensions;
  f->block = f->tree_count = 1;
  for (int a = 0; a < grid->dimensions; a++) f->block *= (size_t)grid->side;
  for (int a = 0; a < 3; a++) f->tree_count *= (size_t)grid->roots[a];
  while (1 << f->above < grid->side) f->above++;
  if (1 << f->above != grid->side)
    return TRM_FAIL(INVALID, "blocks of %d cells along an axis do not halve into the nodes of a "
                    "tree; it has to be a power of two", grid->side);
  f->morton = malloc(f->block * sizeof *f->morton);
  f->trees = calloc(f->tree_count + 1, sizeof *f->trees);
  f->cells = malloc(LEVELS * f->block * sizeof *f->cells);
  f->raw = malloc(f->block * sizeof(double));
  if (!f->morton || !f->trees || !f->cells || !f->raw)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu roots of a hyper tree grid",
                    f->tree_count);
  order_cells(f);
  TRM_TRY(make_axes(f));
  TRM_TRY(count_trees(f));
  TRM_TRY(reserve_trees(f));
  describe_trees(f);
  return TRM_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static trm_status read_leaf(forest *f, size_t leaf, double *cells)
{
  const trm_array *field = f->shown->field;
  TRM_TRY(f->source->read(f->source->user, field, f->shown->component, leaf * f->block, f->block,
                          f->raw));
  const trm_array block = { field->name, field->unit, field->type, 1, f->block, 1, 1, f->raw };
  for (size_t i = 0; i < f->block; i++) cells[i] = trm_array_value(&block, f->morton[i]);
  return TRM_OK;
}

/* Means of `count` times `parts` cells. */
static void halve(const forest *f, const double *cells, size_t count, double *means)
{
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    for (size_t k = 0; k < f->parts; k++) sum += cells[i * f->parts + k];
    means[i] = sum / (double)f->parts;
  }
}

/* A block's cells, in f->cells of its level; of those it was split into as well to values[]. */
static trm_status show_blocks(forest *f, int level, double *values[], size_t *leaf)
{
  double *own = f->cells + (size_t)level * f->block;
  const size_t part = f->block / f->parts;
  if (f->grid->level[*leaf] == level) TRM_TRY(read_leaf(f, (*leaf)++, own));
  else
    for (size_t i = 0; i < f->parts; i++) {
      TRM_TRY(show_blocks(f, level + 1, values, leaf));
      halve(f, own + f->block, part, own + i * part);
    }
  memcpy(values[level], own, f->block * sizeof *own);
  values[level] += f->block;
  return TRM_OK;
}

static trm_status show_tree(forest *f, size_t number)
{
  const tree *t = &f->trees[number];
  double *values[LEVELS + 1], *generation = f->values + nodes_above(f);
  size_t leaf = t->leaf;
  values[0] = generation;
  for (int l = 0; l < t->levels; l++) values[l + 1] = values[l] + t->blocks[l] * f->block;
  TRM_TRY(show_blocks(f, 0, values, &leaf));
  for (size_t n = f->block / f->parts; n > 0; n /= f->parts) {
    halve(f, generation, n, generation - n);
    generation -= n;
  }
  f->shown_tree = number;
  return TRM_OK;
}

static void put(trm_type type, void *out, size_t i, double value)
{
  if (type == TRM_TYPE_F64) ((double *)out)[i] = value;
  else if (type == TRM_TYPE_F32) ((float *)out)[i] = (float)value;
  else if (type == TRM_TYPE_I32) ((int32_t *)out)[i] = (int32_t)value;
  else ((uint8_t *)out)[i] = (uint8_t)value;
}

/* Nodes of a column, tree by tree. */
static trm_status read_nodes(forest *f, const column *from, size_t first, size_t count, void *out)
{
  size_t number = 0;
  if (f->shown != from) f->shown_tree = f->tree_count;
  else if (first >= f->trees[f->shown_tree].node) number = f->shown_tree;
  f->shown = from;
  for (size_t i = 0; i < count; i++) {
    while (first + i >= f->trees[number + 1].node) number++;
    if (number != f->shown_tree) TRM_TRY(show_tree(f, number));
    put(from->field->type, out, i, f->values[first + i - f->trees[number].node]);
  }
  return TRM_OK;
}

static trm_status read_part(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *out)
{
  forest *f = user;
  (void)component;
  if (!array->data)
    return read_nodes(f, &f->columns[array - f->arrays - FIELDS], first, count, out);
  memcpy(out, (const unsigned char *)array->data + first * trm_type_size(array->type),
         count * trm_type_size(array->type));
  return TRM_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

static trm_status write_head(trm_file *file, const forest *f, uint64_t *places)
{
  const trm_htg *grid = f->grid;
  const trm_array *arrays = f->arrays;
  const size_t nodes = f->trees[f->tree_count].node;
  TRM_TRY(trm_file_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"HyperTreeGrid\" "
                         "version=\"2.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                         "compressor=\"vtkZLibDataCompressor\">\n  <HyperTreeGrid "
                         "BranchFactor=\"2\" TransposedRootIndexing=\"0\" "
                         "Dimensions=\"%d %d %d\">\n", grid->roots[0] + 1, grid->roots[1] + 1,
                         grid->dimensions > 2 ? grid->roots[2] + 1 : 1));
  TRM_TRY(trmi_vtk_when(file, grid->time, grid->step));
  TRM_TRY(trm_file_print(file, "    <Grid>\n"));
  for (int i = X; i <= Z; i++)
    TRM_TRY(trmi_vtk_tuples(file, &arrays[i], "Float64", arrays[i].nx, &places[i]));
  TRM_TRY(trm_file_print(file, "    </Grid>\n    <Trees>\n"));
  TRM_TRY(trmi_vtk_tuples(file, &arrays[DESCRIPTORS], "Bit", f->bits, &places[DESCRIPTORS]));
  TRM_TRY(trmi_vtk_tuples(file, &arrays[VERTICES], "Int64", f->vertex_count, &places[VERTICES]));
  TRM_TRY(trmi_vtk_tuples(file, &arrays[TREES], "Int64", f->tree_count, &places[TREES]));
  TRM_TRY(trmi_vtk_tuples(file, &arrays[DEPTHS], "UInt32", f->tree_count, &places[DEPTHS]));
  TRM_TRY(trm_file_print(file, "    </Trees>\n    <CellData>\n"));
  for (size_t i = FIELDS; i < FIELDS + f->column_count; i++)
    TRM_TRY(trmi_vtk_tuples(file, &arrays[i], trmi_vtk_type(arrays[i].type), nodes, &places[i]));
  return trm_file_print(file, "    </CellData>\n  </HyperTreeGrid>\n");
}

static trm_status write_all(const char *path, forest *f, uint64_t *places)
{
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = write_head(file, f, places);
  if (status == TRM_OK)
    status = trmi_vtk_values(file, f->arrays, places, FIELDS + f->column_count,
                             &(trm_array_source){ read_part, f });
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}

static trm_array bytes_of(const char *name, const void *data, size_t bytes)
{
  return (trm_array){ name, "", TRM_TYPE_U8, 1, bytes, 1, 1, data };
}

/* "density"; "velocity_x" of up to three components; "populations_12" of more. */
static void name_column(column *of, const trm_array *field, int component)
{
  if (field->components == 1) snprintf(of->name, sizeof of->name, "%s", field->name);
  else if (field->components > 3)
    snprintf(of->name, sizeof of->name, "%s_%d", field->name, component);
  else snprintf(of->name, sizeof of->name, "%s_%c", field->name, 'x' + component);
}

static void name_arrays(forest *f)
{
  static const char *const axes[] = { "XCoordinates", "YCoordinates", "ZCoordinates" };
  const trm_htg *grid = f->grid;
  for (int a = 0; a < 3; a++)
    f->arrays[X + a] = (trm_array){ axes[a], "", TRM_TYPE_F64, 1,
                                    a < grid->dimensions ? (size_t)grid->roots[a] + 1 : 1, 1, 1,
                                    f->axis[a] };
  f->arrays[DESCRIPTORS] = bytes_of("Descriptors", f->descriptors, (f->bits + 7) / 8);
  f->arrays[VERTICES] = bytes_of("NumberOfVerticesPerDepth", f->vertices,
                                 f->vertex_count * sizeof *f->vertices);
  f->arrays[TREES] = bytes_of("TreeIds", f->ids, f->tree_count * sizeof *f->ids);
  f->arrays[DEPTHS] = bytes_of("DepthPerTree", f->depths, f->tree_count * sizeof *f->depths);
  column *next = f->columns;
  for (size_t i = 0; i < grid->field_count; i++)
    for (int c = 0; c < grid->fields[i].components; c++, next++) {
      const trm_array *field = &grid->fields[i];
      next->field = field;
      next->component = (size_t)c;
      name_column(next, field, c);
      f->arrays[FIELDS + (next - f->columns)] =
        (trm_array){ next->name, field->unit, field->type, 1, f->trees[f->tree_count].node, 1, 1,
                     NULL };
    }
}

static trm_status write_forest(const char *path, forest *f)
{
  for (size_t i = 0; i < f->grid->field_count; i++)
    f->column_count += (size_t)f->grid->fields[i].components;
  f->arrays = malloc((FIELDS + f->column_count) * sizeof *f->arrays);
  f->columns = malloc((f->column_count + 1) * sizeof *f->columns);
  uint64_t *places = malloc((FIELDS + f->column_count) * sizeof *places);
  trm_status status = TRM_OK;
  if (!f->arrays || !f->columns || !places) {
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory to write %zu fields", f->grid->field_count);
  } else {
    name_arrays(f);
    status = write_all(path, f, places);
  }
  free(places);
  return status;
}

trm_status trm_htg_stream(const char *path, const trm_htg *grid, const trm_array_source *source)
{
  forest f = { .grid = grid, .source = source };
  trm_status status = make_forest(&f);
  if (status == TRM_OK) status = write_forest(path, &f);
  release(&f);
  return status;
}
