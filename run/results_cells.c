/* results_cells.c - the fluid cells of a grid as one unstructured grid: fields.vtu of a solver with
 * a field `solid`, which is not 0 in solid cells. Corners shared by cells are one point. Memory: a
 * bit for each cell of the grid, and a number for each fluid cell and each of their points. */
#include "run/results.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/vtu.h"

enum { SPAN = 1 << 16 };       /* cells that are read at once */

typedef struct cells {
  const session *run;
  size_t n[3];                 /* cells of the grid along the axes */
  size_t corners;              /* of a cell: 4 or 8 */
  uint32_t *cell, *point;      /* numbers in the grid of the cells and of the points */
  size_t cell_count, point_count;
  uint32_t *bits, *ranks;      /* which of the grid's points there are; those before each word */
  unsigned char *span;
} cells;

static void free_cells(cells *c)
{
  free(c->cell);
  free(c->point);
  free(c->bits);
  free(c->ranks);
  free(c->span);
}

static const trm_field *solid_of(const session *run)
{
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i];
    if (strcmp(field->name, "solid") == 0 && field->type == TRM_TYPE_U8 && !field->blocks)
      return field;
  }
  return NULL;
}

/* Whether a file of cells can have it. */
static int is_of_cells(const trm_field *field, const trm_field *solid)
{
  return !field->blocks && !(field->flags & TRM_FIELD_LIST) && field->components <= 3 &&
         field->nx == solid->nx && field->ny == solid->ny && field->nz == solid->nz;
}

int results_has_cells(const results *out, const session *run)
{
  const trm_field *solid = solid_of(run);
  for (size_t i = 0; solid && i < run->solver->field_count; i++)
    if (out->selected[i] && is_of_cells(&run->solver->fields[i], solid)) return 1;
  return 0;
}

/* ---- which there are ------------------------------------------------------------ */

/* Corner number of a cell of the grid, corners in the order x, y, z. */
static size_t corner_of(const cells *c, size_t cell, size_t corner)
{
  const size_t x = cell % c->n[0] + (corner & 1);
  const size_t y = cell / c->n[0] % c->n[1] + (corner >> 1 & 1);
  const size_t z = cell / (c->n[0] * c->n[1]) + (corner >> 2);
  return (z * (c->n[1] + 1) + y) * (c->n[0] + 1) + x;
}

static void take_cell(cells *c, size_t cell)
{
  c->cell[c->cell_count++] = (uint32_t)cell;
  for (size_t i = 0; i < c->corners; i++) {
    const size_t at = corner_of(c, cell, i);
    c->bits[at / 32] |= (uint32_t)1 << at % 32;
  }
}

static trm_status find_cells(cells *c, const trm_field *solid)
{
  const size_t all = c->n[0] * c->n[1] * c->n[2];
  for (size_t first = 0; first < all; first += SPAN) {
    const size_t count = all - first < SPAN ? all - first : SPAN;
    TRM_TRY(trm_field_read_part(solid, 0, first, count, c->span));
    for (size_t i = 0; i < count; i++)
      if (c->span[i] == 0) take_cell(c, first + i);
  }
  return TRM_OK;
}

static void number_points(cells *c, size_t words)
{
  for (size_t word = 0; word < words; word++) {
    c->ranks[word] = (uint32_t)c->point_count;
    for (size_t bit = 0; bit < 32; bit++)
      if (c->bits[word] >> bit & 1) c->point[c->point_count++] = (uint32_t)(32 * word + bit);
  }
}

static trm_status make_cells(cells *c, const trm_field *solid)
{
  const size_t all = c->n[0] * c->n[1] * c->n[2];
  const size_t points = (c->n[0] + 1) * (c->n[1] + 1) * (c->corners > 4 ? c->n[2] + 1 : 1);
  const size_t words = (points + 31) / 32;
  if (points > UINT32_MAX)
    return TRM_FAIL(OVERFLOW, "fields.vtu: a grid of %zu cells has too many points; use vti", all);
  c->cell = malloc(all * sizeof *c->cell);
  c->point = malloc(points * sizeof *c->point);
  c->bits = calloc(words, sizeof *c->bits);
  c->ranks = calloc(words, sizeof *c->ranks);
  c->span = malloc(SPAN * sizeof(double));
  if (!c->cell || !c->point || !c->bits || !c->ranks || !c->span)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cells of fields.vtu; use vti");
  TRM_TRY(find_cells(c, solid));
  number_points(c, words);
  return TRM_OK;
}

/* ---- what is written -------------------------------------------------------------- */

static double point_at(const cells *c, size_t point, size_t axis)
{
  const trm_solver *solver = c->run->solver;
  const size_t number = c->point[point], row = number / (c->n[0] + 1);
  const size_t at[] = { number % (c->n[0] + 1), row % (c->n[1] + 1), row / (c->n[1] + 1) };
  return solver->origin[axis] +
         (double)at[axis] * (solver->spacing[axis] > 0 ? solver->spacing[axis] : 1);
}

static int32_t corner_at(const cells *c, size_t number)
{
  const size_t at = corner_of(c, c->cell[number / c->corners], number % c->corners);
  const uint32_t before = c->bits[at / 32] & (((uint32_t)1 << at % 32) - 1);
  return (int32_t)(c->ranks[at / 32] + (uint32_t)__builtin_popcount(before));
}

/* Spans of the grid, and from them what is fluid. */
static trm_status read_values(const cells *c, const trm_field *field, size_t component,
                              size_t first, size_t count, unsigned char *out)
{
  const size_t size = trm_type_size(field->type);
  for (size_t taken = 0; taken < count;) {
    const uint32_t *cell = c->cell + first + taken;
    size_t part = 1;
    while (taken + part < count && cell[part] - cell[0] < SPAN) part++;
    TRM_TRY(trm_field_read_part(field, component, cell[0], cell[part - 1] - cell[0] + 1, c->span));
    for (size_t i = 0; i < part; i++)
      memcpy(out + (taken + i) * size, c->span + (cell[i] - cell[0]) * size, size);
    taken += part;
  }
  return TRM_OK;
}

static trm_status read_part(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *out)
{
  const cells *c = user;
  const trm_field *field = c->run->solver->fields;
  if (strcmp(array->name, "Points") == 0)
    for (size_t i = 0; i < count; i++) ((double *)out)[i] = point_at(c, first + i, component);
  else if (strcmp(array->name, "connectivity") == 0)
    for (size_t i = 0; i < count; i++) ((int32_t *)out)[i] = corner_at(c, first + i);
  else {
    while (strcmp(field->name, array->name) != 0) field++;
    return read_values(c, field, component, first, count, out);
  }
  return TRM_OK;
}

static trm_status write_cells(const results *out, cells *c, const trm_field *solid,
                              const char *path)
{
  const trm_solver *solver = c->run->solver;
  trm_array fields[64] = { { 0 } };
  size_t count = 0;
  for (size_t i = 0; i < solver->field_count && count < 64; i++) {
    const trm_field *field = &solver->fields[i];
    if (!out->selected[i] || !is_of_cells(field, solid)) continue;
    fields[count++] = (trm_array){ field->name, field->unit, field->type, field->components,
                                   c->cell_count, 1, 1, NULL };
  }
  const trm_vtu grid = { (int)c->corners, c->point_count, c->cell_count, fields, count,
                         c->run->steps_done, solver->time };
  return trm_vtu_stream(path, &grid, &(trm_array_source){ read_part, c });
}

trm_status results_write_cells(const results *out, session *run, const char *path)
{
  const trm_field *solid = solid_of(run);
  cells c = { .run = run, .n = { solid->nx, solid->ny, solid->nz },
              .corners = solid->nz > 1 ? 8 : 4 };
  trm_status status = make_cells(&c, solid);
  if (status == TRM_OK) status = write_cells(out, &c, solid, path);
  free_cells(&c);
  return status;
}
