/* results_levels.c - fields on blocks of several levels, cell by cell as they are: as one
 * unstructured grid, fields.vtu, in which the corners of a leaf's cells are points of its own, and
 * as trees, fields.htg. Leaves in their order. Nothing is whole in host memory. */
#include "cli/run/results.h"

#include <stdint.h>
#include <string.h>

#include "io/htg.h"
#include "io/vtu.h"

/* The grid of the leaves, and the numbers of one of them. */
typedef struct leaves {
  const session *run;
  const trm_blocks *blocks;
  size_t n[3], cells, points;  /* cells along the axes, and in all, of a leaf; its points */
  int finest;                  /* the level whose cells the solver's spacing is of */
} leaves;

static int finest_of(const trm_field *field)
{
  const trm_blocks *blocks = field->blocks;
  const size_t along = (size_t)blocks->side[0] * (size_t)blocks->roots[0];
  int finest = 0;
  while (finest < 24 && field->nx > along << finest) finest++;
  return finest;
}

/* A leaf's point along an axis. */
static double point_at(const leaves *l, size_t point, size_t component)
{
  const size_t leaf = point / l->points, rest = point % l->points;
  const size_t at[3] = { rest % (l->n[0] + 1), rest / (l->n[0] + 1) % (l->n[1] + 1),
                         rest / ((l->n[0] + 1) * (l->n[1] + 1)) };
  const trm_solver *solver = l->run->solver;
  const double cell = (solver->spacing[component] > 0 ? solver->spacing[component] : 1) *
                      (double)(1 << (l->finest - l->blocks->level[leaf]));
  const double place = (double)l->blocks->place[leaf][component] * (double)l->n[component];
  return solver->origin[component] +
         (l->n[component] > 1 ? (place + (double)at[component]) * cell : 0);
}

/* The number of a corner of a cell, corners in the order x, y, z. */
static int32_t corner_at(const leaves *l, size_t number)
{
  const size_t corners = l->n[2] > 1 ? 8 : 4, cell = number / corners, corner = number % corners;
  const size_t leaf = cell / l->cells, rest = cell % l->cells;
  const size_t x = rest % l->n[0] + (corner & 1), y = rest / l->n[0] % l->n[1] + (corner >> 1 & 1);
  const size_t z = rest / (l->n[0] * l->n[1]) + (corner >> 2);
  return (int32_t)(leaf * l->points + (z * (l->n[1] + 1) + y) * (l->n[0] + 1) + x);
}

/* Values of a field, leaf by leaf. */
static trm_status read_cells(const leaves *l, const trm_field *field, size_t component,
                             size_t first, size_t count, unsigned char *out)
{
  const size_t size = trm_type_size(field->type);
  while (count > 0) {
    const size_t leaf = first / l->cells, at = first % l->cells;
    const size_t part = l->cells - at < count ? l->cells - at : count;
    const size_t from = (size_t)l->blocks->slot[leaf] * field->stride + field->layout.first +
                        component * l->cells + at;
    TRM_TRY(trm_buffer_read(field->buffer, from * size, part * size, out));
    for (size_t i = 0; i < part && field->scale != 0; i++)
      if (field->type == TRM_TYPE_F64) ((double *)(void *)out)[i] *= field->scale;
      else ((float *)(void *)out)[i] *= (float)field->scale;
    out += part * size;
    first += part;
    count -= part;
  }
  return TRM_OK;
}

static trm_status read_part(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *out)
{
  const leaves *l = user;
  const trm_field *field = l->run->solver->fields;
  if (strcmp(array->name, "Points") == 0)
    for (size_t i = 0; i < count; i++)
      ((double *)out)[i] = point_at(l, first + i, component);
  else if (strcmp(array->name, "connectivity") == 0)
    for (size_t i = 0; i < count; i++) ((int32_t *)out)[i] = corner_at(l, first + i);
  else if (strcmp(array->name, "level") == 0)
    for (size_t i = 0; i < count; i++)
      ((uint8_t *)out)[i] = l->blocks->level[(first + i) / l->cells];
  else {
    while (strcmp(field->name, array->name) != 0) field++;
    return read_cells(l, field, component, first, count, out);
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

trm_status results_write_leaves(const results *out, session *run, const char *path)
{
  trm_array fields[MOST_FIELDS];
  leaves l;
  if (!has_leaves(out, run)) return results_write_cells(out, run, path);
  const size_t count = choose(out, run, &l, fields);
  const trm_vtu grid = { l.n[2] > 1 ? 8 : 4, l.blocks->count * l.points,
                         l.blocks->count * l.cells, fields, count, run->steps_done,
                         run->solver->time };
  return trm_vtu_stream(path, &grid, &(trm_array_source){ read_part, &l });
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
  return trm_htg_stream(path, &grid, &(trm_array_source){ read_part, &l });
}

trm_status results_check_leaves(const results *out, const session *run)
{
  const unsigned formats = out->chosen->settings.formats;
  const char *origin = trm_config_origin(out->chosen->config, "output.formats");
  if ((formats & OUTPUT_HTG) && !has_leaves(out, run))
    return TRM_FAIL(INPUT, "%s: output.formats has htg, which is for fields on blocks of several "
                    "levels, and none of the fields to write is on such; use vti", origin);
  if (!(formats & OUTPUT_VTU) || has_leaves(out, run) || results_has_cells(out, run))
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: output.formats has vtu, which is for fields on blocks of several "
                  "levels and for cells around bodies (the field solid), and none of the fields to "
                  "write is either; use vti", origin);
}
