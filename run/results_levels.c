/* results_levels.c - fields on blocks of several levels, cell by cell as stored. One form is an
 * unstructured grid, fields.vtu, in which each leaf has its own points for its cells' corners; the
 * other is trees, fields.htg. Leaves come in their order. The unstructured grid leaves out cells of
 * bodies. No field is whole in host memory. */
#include "run/results.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/htg.h"
#include "io/vtu.h"

/* The grid of the leaves, and the numbers of one of them. */
typedef struct leaves {
  const session *run;
  const trm_blocks *blocks;
  size_t n[3], cells, points;  /* cells along the axes, and in all, of a leaf; its points */
  int finest;                  /* the level whose cells the solver's spacing is of */
  const trm_field *solid;      /* not 0 where a body is; NULL: there are none */
  size_t *cells_to, *points_to; /* of a leaf: cells and points to write in those before it */
  size_t shown;                /* the leaf of which these are: numbers in it of cells and points */
  uint16_t *cell, *point;      /*   to write, */
  uint16_t *ordinal;           /*   and a point's among them */
  unsigned char *raw;          /* a leaf's values */
} leaves;

static int finest_of(const trm_field *field)
{
  const trm_blocks *blocks = field->blocks;
  const size_t along = (size_t)blocks->side[0] * (size_t)blocks->roots[0];
  int finest = 0;
  while (finest < 24 && field->nx > along << finest) finest++;
  return finest;
}

/* A component's values in a leaf, scaled. */
static trm_status read_leaf(const leaves *l, const trm_field *field, size_t component, size_t leaf,
                            size_t at, size_t count, unsigned char *out)
{
  const size_t size = trm_type_size(field->type);
  const size_t from = (size_t)l->blocks->slot[leaf] * field->stride + field->layout.first +
                      component * l->cells + at;
  TRM_TRY(trm_buffer_read(field->buffer, from * size, count * size, out));
  for (size_t i = 0; i < count && field->scale != 0; i++)
    if (field->type == TRM_TYPE_F64) ((double *)(void *)out)[i] *= field->scale;
    else ((float *)(void *)out)[i] *= (float)field->scale;
  return TRM_OK;
}

/* ---- which cells are written --------------------------------------------------- */

/* The point of a leaf that is a corner of its cell, corners in the order x, y, z. */
static size_t corner_of(const leaves *l, size_t cell, size_t corner)
{
  const size_t x = cell % l->n[0] + (corner & 1), y = cell / l->n[0] % l->n[1] + (corner >> 1 & 1);
  const size_t z = cell / (l->n[0] * l->n[1]) + (corner >> 2);
  return (z * (l->n[1] + 1) + y) * (l->n[0] + 1) + x;
}

/* Lists a leaf's cells that no body has, and their corners; how many of both. */
static trm_status show_leaf(leaves *l, size_t leaf, size_t *cells, size_t *points)
{
  const size_t corners = l->n[2] > 1 ? 8 : 4;
  size_t count = 0;
  l->shown = leaf;
  *cells = 0;
  memset(l->ordinal, 0, l->points * sizeof *l->ordinal);
  if (l->solid) TRM_TRY(read_leaf(l, l->solid, 0, leaf, 0, l->cells, l->raw));
  for (size_t i = 0; i < l->cells; i++) {
    if (l->solid && l->raw[i]) continue;
    l->cell[(*cells)++] = (uint16_t)i;
    for (size_t k = 0; k < corners; k++) l->ordinal[corner_of(l, i, k)] = 1;
  }
  for (size_t i = 0; i < l->points; i++) {
    if (!l->ordinal[i]) continue;
    l->point[count] = (uint16_t)i;
    l->ordinal[i] = (uint16_t)count++;
  }
  *points = count;
  return TRM_OK;
}

static trm_status count_leaves(leaves *l)
{
  const size_t count = l->blocks->count;
  l->cells_to = calloc(count + 1, sizeof *l->cells_to);
  l->points_to = calloc(count + 1, sizeof *l->points_to);
  l->cell = malloc(l->cells * sizeof *l->cell);
  l->point = malloc(l->points * sizeof *l->point);
  l->ordinal = malloc(l->points * sizeof *l->ordinal);
  l->raw = malloc(l->cells * sizeof(double));
  if (!l->cells_to || !l->points_to || !l->cell || !l->point || !l->ordinal || !l->raw)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cells of %zu blocks", count);
  for (size_t leaf = 0; leaf < count; leaf++) {
    size_t cells, points;
    TRM_TRY(show_leaf(l, leaf, &cells, &points));
    l->cells_to[leaf + 1] = l->cells_to[leaf] + cells;
    l->points_to[leaf + 1] = l->points_to[leaf] + points;
  }
  return TRM_OK;
}

static void free_leaves(leaves *l)
{
  free(l->cells_to);
  free(l->points_to);
  free(l->cell);
  free(l->point);
  free(l->ordinal);
  free(l->raw);
}

/* The leaf that contains number i, by the counts in `to`; loads its lists. */
static trm_status find_leaf(leaves *l, const size_t *to, size_t i, size_t *leaf)
{
  size_t low = l->shown, high = l->blocks->count, cells, points;
  if (to[low] > i) low = 0;
  else if (i < to[low + 1]) high = low + 1;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (to[middle] <= i) low = middle;
    else high = middle;
  }
  *leaf = low;
  return low == l->shown ? TRM_OK : show_leaf(l, low, &cells, &points);
}

/* ---- what is written ------------------------------------------------------------- */

/* A leaf's point along an axis. */
static double point_at(const leaves *l, size_t leaf, size_t rest, size_t component)
{
  const size_t at[3] = { rest % (l->n[0] + 1), rest / (l->n[0] + 1) % (l->n[1] + 1),
                         rest / ((l->n[0] + 1) * (l->n[1] + 1)) };
  const trm_solver *solver = l->run->solver;
  const double cell = (solver->spacing[component] > 0 ? solver->spacing[component] : 1) *
                      (double)(1 << (l->finest - l->blocks->level[leaf]));
  const double place = (double)l->blocks->place[leaf][component] * (double)l->n[component];
  return solver->origin[component] +
         (l->n[component] > 1 ? (place + (double)at[component]) * cell : 0);
}

static trm_status read_points(leaves *l, size_t component, size_t first, size_t count, double *out)
{
  for (size_t i = 0, leaf; i < count; i++) {
    TRM_TRY(find_leaf(l, l->points_to, first + i, &leaf));
    out[i] = point_at(l, leaf, l->point[first + i - l->points_to[leaf]], component);
  }
  return TRM_OK;
}

static trm_status read_corners(leaves *l, size_t first, size_t count, int32_t *out)
{
  const size_t corners = l->n[2] > 1 ? 8 : 4;
  for (size_t i = 0, leaf; i < count; i++) {
    const size_t cell = (first + i) / corners;
    TRM_TRY(find_leaf(l, l->cells_to, cell, &leaf));
    const size_t at = corner_of(l, l->cell[cell - l->cells_to[leaf]], (first + i) % corners);
    out[i] = (int32_t)(l->points_to[leaf] + l->ordinal[at]);
  }
  return TRM_OK;
}

/* Values of a field; NULL: the levels of cells. */
static trm_status read_values(leaves *l, const trm_field *field, size_t component, size_t first,
                              size_t count, unsigned char *out)
{
  const size_t size = field ? trm_type_size(field->type) : 1;
  for (size_t taken = 0, leaf; taken < count;) {
    TRM_TRY(find_leaf(l, l->cells_to, first + taken, &leaf));
    const size_t at = first + taken - l->cells_to[leaf];
    const size_t left = l->cells_to[leaf + 1] - l->cells_to[leaf] - at;
    const size_t part = left < count - taken ? left : count - taken;
    if (field) TRM_TRY(read_leaf(l, field, component, leaf, 0, l->cells, l->raw));
    for (size_t i = 0; i < part; i++)
      if (field) memcpy(out + (taken + i) * size, l->raw + l->cell[at + i] * size, size);
      else out[taken + i] = l->blocks->level[leaf];
    taken += part;
  }
  return TRM_OK;
}

static const trm_field *field_of(const leaves *l, const char *name)
{
  const trm_field *field = l->run->solver->fields;
  while (strcmp(field->name, name) != 0) field++;
  return field;
}

static trm_status read_part(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *out)
{
  leaves *l = user;
  if (strcmp(array->name, "Points") == 0) return read_points(l, component, first, count, out);
  if (strcmp(array->name, "connectivity") == 0) return read_corners(l, first, count, out);
  return read_values(l, strcmp(array->name, "level") == 0 ? NULL : field_of(l, array->name),
                     component, first, count, out);
}

/* The same of trees, which have all cells. */
static trm_status read_node_part(void *user, const trm_array *array, size_t component,
                                 size_t first, size_t count, void *out)
{
  const leaves *l = user;
  const int is_level = strcmp(array->name, "level") == 0;
  const trm_field *field = is_level ? NULL : field_of(l, array->name);
  for (size_t taken = 0; taken < count;) {
    const size_t leaf = (first + taken) / l->cells, at = (first + taken) % l->cells;
    const size_t part = l->cells - at < count - taken ? l->cells - at : count - taken;
    unsigned char *to = (unsigned char *)out + taken * (field ? trm_type_size(field->type) : 1);
    if (field) TRM_TRY(read_leaf(l, field, component, leaf, at, part, to));
    else memset(to, l->blocks->level[leaf], part);
    taken += part;
  }
  return TRM_OK;
}

/* Whether a file of cells of several sizes can have it. */
static int is_on_blocks(const trm_field *field)
{
  return field->blocks && !field->blocks->solid;
}

static int has_leaves(const results *out, const session *run)
{
  int is_any = 0;
  for (size_t i = 0; i < run->solver->field_count; i++)
    is_any |= out->selected[i] && is_on_blocks(&run->solver->fields[i]);
  return is_any;
}

enum { MOST_FIELDS = 64 };

/* The grid, and its fields, the level of each cell first; how many. */
static size_t choose(const results *out, const session *run, leaves *l, trm_array *fields)
{
  size_t count = 1;
  *l = (leaves){ .run = run, .cells = 1, .points = 1 };
  for (size_t i = 0; i < run->solver->field_count && count < MOST_FIELDS; i++) {
    const trm_field *field = &run->solver->fields[i];
    if (!out->selected[i] || !is_on_blocks(field)) continue;
    l->blocks = field->blocks;
    l->finest = finest_of(field);
    fields[count++] = (trm_array){ field->name, field->unit, field->type, field->components,
                                   0, 1, 1, NULL };
  }
  for (int a = 0; a < 3; a++) {
    l->n[a] = (size_t)l->blocks->side[a];
    l->cells *= l->n[a];
    l->points *= l->n[a] > 1 ? l->n[a] + 1 : 1;
  }
  fields[0] = (trm_array){ "level", "", TRM_TYPE_U8, 1, 0, 1, 1, NULL };
  for (size_t i = 0; i < count; i++) fields[i].nx = l->blocks->count * l->cells;
  return count;
}

/* The flags of bodies' cells, of a solver that has any. */
static const trm_field *solid_of(const leaves *l)
{
  for (size_t i = 0; i < l->run->solver->field_count; i++) {
    const trm_field *field = &l->run->solver->fields[i];
    if (strcmp(field->name, "solid") == 0 && field->type == TRM_TYPE_U8 &&
        field->blocks == l->blocks) return field;
  }
  return NULL;
}

trm_status results_write_leaves(const results *out, session *run, const char *path)
{
  trm_array fields[MOST_FIELDS];
  leaves l;
  if (!has_leaves(out, run)) return results_write_cells(out, run, path);
  const size_t count = choose(out, run, &l, fields);
  l.solid = solid_of(&l);
  trm_status status = count_leaves(&l);
  if (status == TRM_OK) {
    const size_t cells = l.cells_to[l.blocks->count], points = l.points_to[l.blocks->count];
    for (size_t i = 0; i < count; i++) fields[i].nx = cells;
    const trm_vtu grid = { l.n[2] > 1 ? 8 : 4, points, cells, fields, count, run->steps_done,
                           run->solver->time };
    status = trm_vtu_stream(path, &grid, &(trm_array_source){ read_part, &l });
  }
  free_leaves(&l);
  return status;
}

trm_status results_write_trees(const results *out, session *run, const char *path)
{
  trm_array fields[MOST_FIELDS];
  leaves l;
  const trm_solver *solver = run->solver;
  const size_t count = choose(out, run, &l, fields);
  trm_htg grid = { .dimensions = l.n[2] > 1 ? 3 : 2, .side = l.blocks->side[0],
                   .leaf_count = l.blocks->count, .level = l.blocks->level,
                   .place = l.blocks->place, .fields = fields, .field_count = count,
                   .step = run->steps_done, .time = solver->time };
  for (int a = 0; a < 3; a++) {
    grid.roots[a] = l.blocks->roots[a];
    grid.origin[a] = solver->origin[a];
    grid.width[a] = (solver->spacing[a] > 0 ? solver->spacing[a] : 1) *
                    (double)(l.n[a] << l.finest);
  }
  return trm_htg_stream(path, &grid, &(trm_array_source){ read_node_part, &l });
}

trm_status results_check_leaves(const results *out, const session *run)
{
  const unsigned formats = out->chosen->settings.formats;
  const char *origin = trm_config_origin(out->chosen->config, "output.formats");
  if ((formats & OUTPUT_HTG) && !has_leaves(out, run))
    return TRM_FAIL(INPUT, "%s: output.formats has htg, which is for fields on blocks of several "
                    "levels; no field to write is of that kind; use vti", origin);
  if (!(formats & OUTPUT_VTU) || has_leaves(out, run) || results_has_cells(out, run))
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: output.formats has vtu, which is for fields on blocks of several "
                  "levels and for cells around bodies (the field solid); no field to write is of "
                  "either kind; use vti", origin);
}
