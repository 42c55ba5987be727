/* shapes.c - obstacles described by shapes (shapes.h). */
#include "solvers/lbm/channel/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

/* ---- text ------------------------------------------------------------------ */

static trm_status read_numbers(const char *text, const char *origin, shape *out)
{
  const char *at = text;
  out->numbers = calloc(strlen(text) / 2 + 1, sizeof *out->numbers);
  if (!out->numbers) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a shape");
  for (;;) {
    at += strspn(at, " \t,");
    if (!*at) return TRM_OK;
    char *end;
    const double value = trm_number(at, &end);
    if (end == at || (*end && !strchr(" \t,", *end)) || !isfinite(value))
      return TRM_FAIL(INPUT, "%s: '%s' in bodies.shapes does not begin with a finite number; write "
                      "coordinates in cells", origin, at);
    out->numbers[out->count++] = value;
    at = end;
  }
}

static trm_status check(const shape *one, const char *text, const char *origin)
{
  const double *v = one->numbers;
  if (one->kind == SHAPE_CYLINDER && (one->count != 3 || !(v[2] > 0)))
    return TRM_FAIL(INPUT, "%s: '%s' in bodies.shapes: a cylinder is X Y RADIUS, the radius "
                           "above 0",
                    origin, text);
  if (one->kind == SHAPE_BOX && (one->count != 4 || !(v[2] > v[0]) || !(v[3] > v[1])))
    return TRM_FAIL(INPUT, "%s: '%s' in bodies.shapes: a box is X0 Y0 X1 Y1 with X0 < X1 and Y0 "
                           "< Y1",
                    origin, text);
  if (one->kind == SHAPE_POLYGON && (one->count < 6 || one->count % 2 != 0))
    return TRM_FAIL(INPUT, "%s: '%s' in bodies.shapes: a polygon is three points X Y or more, so "
                           "6, 8 ... numbers", origin, text);
  return TRM_OK;
}

static trm_status parse_one(char *text, const char *origin, shape *out)
{
  static const char *const names[] = { "cylinder", "box", "polygon" };
  const size_t word = strcspn(text, " \t,");
  for (int kind = 0; kind < 3; kind++) {
    if (strlen(names[kind]) != word || strncmp(text, names[kind], word) != 0) continue;
    out->kind = (shape_kind)kind;
    TRM_TRY(read_numbers(text + word, origin, out));
    return check(out, text, origin);
  }
  return TRM_FAIL(INPUT, "%s: '%s' in bodies.shapes is not a shape; write cylinder X Y RADIUS, "
                         "box X0 Y0 X1 Y1 or polygon X Y X Y X Y ..., and ';' between "
                         "shapes", origin, text);
}

trm_status shapes_parse(const char *text, const char *origin, shape_list *out)
{
  char *copy = strdup(text), *rest = NULL;
  shape_list list = { .items = calloc(strlen(text) / 2 + 1, sizeof *list.items),
                      .holds = calloc(strlen(text) / 2 + 1, 1) };
  trm_status status = TRM_OK;
  if (!copy || !list.items || !list.holds) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for "
      "shapes");
  for (char *one = copy ? strtok_r(copy, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest)) {
    one += strspn(one, " \t");
    if (*one) status = parse_one(one, origin, &list.items[list.count++]);
  }
  free(copy);
  if (status != TRM_OK) {
    shapes_free(&list);
    return status;
  }
  *out = list;
  return TRM_OK;
}

void shapes_free(shape_list *list)
{
  for (size_t i = 0; i < list->count; i++) free(list->items[i].numbers);
  free(list->items);
  free(list->holds);
  *list = (shape_list){ 0 };
}

/* ---- inside ---------------------------------------------------------------- */

/* Even-odd rule; an edge counts for the points west of it. */
static int polygon_contains(const shape *one, double x, double y)
{
  const double *v = one->numbers;
  int inside = 0;
  for (size_t i = 0, j = one->count - 2; i < one->count; j = i, i += 2) {
    if ((v[i + 1] > y) == (v[j + 1] > y)) continue;
    if (x < v[i] + (v[j] - v[i]) * (y - v[i + 1]) / (v[j + 1] - v[i + 1])) inside = !inside;
  }
  return inside;
}

static int contains(const shape *one, double x, double y)
{
  const double *v = one->numbers;
  if (one->kind == SHAPE_CYLINDER)
    return (x - v[0]) * (x - v[0]) + (y - v[1]) * (y - v[1]) < v[2] * v[2];
  if (one->kind == SHAPE_BOX) return x > v[0] && x < v[2] && y > v[1] && y < v[3];
  return polygon_contains(one, x, y);
}

/* Image number i of nine periodic images of a shape: its offset; 0: that image does not exist. */
static int image_at(const shape_list *list, int i, double by[2])
{
  const int at[] = { i % 3 - 1, i / 3 - 1 };
  for (int a = 0; a < 2; a++) {
    if (at[a] != 0 && list->period[a] == 0.0) return 0;
    by[a] = at[a] * list->period[a];
  }
  return 1;
}

void shape_bounds(const shape *one, double bounds[4])
{
  const double *v = one->numbers;
  if (one->kind == SHAPE_CYLINDER) {
    for (int i = 0; i < 2; i++) {
      bounds[i] = v[i] - v[2];
      bounds[i + 2] = v[i] + v[2];
    }
    return;
  }
  bounds[0] = bounds[2] = v[0];
  bounds[1] = bounds[3] = v[1];
  for (size_t i = 0; i < one->count; i++) {
    bounds[i % 2] = fmin(bounds[i % 2], v[i]);
    bounds[i % 2 + 2] = fmax(bounds[i % 2 + 2], v[i]);
  }
}

/* The cells whose centres may lie between two places. */
static int first_cell(double low) { return low > 1.0 ? (int)(low - 1.0) : 0; }
static int end_cell(double high, int n) { return high < n - 1.0 ? (int)(high + 1.0) : n; }

/* Fills the image of a shape that is `by` away. Returns whether the image holds a cell. */
static int fill_image(const shape *one, const double by[2], int nx, int ny, uint8_t *cells)
{
  double b[4];
  int found = 0;
  shape_bounds(one, b);
  const int end_x = end_cell(b[2] + by[0], nx), end_y = end_cell(b[3] + by[1], ny);
  for (int y = first_cell(b[1] + by[1]); y < end_y; y++)
    for (int x = first_cell(b[0] + by[0]); x < end_x; x++)
      if (contains(one, x + 0.5 - by[0], y + 0.5 - by[1]))
        cells[(size_t)y * (size_t)nx + (size_t)x] = (uint8_t)(found = 1);
  return found;
}

void shapes_fill(shape_list *list, int nx, int ny, uint8_t *cells)
{
  double by[2];
  for (size_t i = 0; i < list->count; i++)
    for (int image = 0; image < 9; image++)
      if (image_at(list, image, by))
        list->holds[i] |= (uint8_t)fill_image(&list->items[i], by, nx, ny, cells);
}

/* ---- on the way ------------------------------------------------------------ */

/* Where (x, y) + q (dx, dy) first meets the edge from a to b; 1 where it does not. */
static double meet_edge(const double a[2], const double b[2], double x, double y, double dx,
                        double dy)
{
  const double ex = b[0] - a[0], ey = b[1] - a[1], cross = dx * ey - dy * ex;
  if (cross == 0.0) return 1.0;
  const double q = ((a[0] - x) * ey - (a[1] - y) * ex) / cross;
  const double along = ((a[0] - x) * dy - (a[1] - y) * dx) / cross;
  return q >= 0.0 && q < 1.0 && along >= -1e-12 && along <= 1.0 + 1e-12 ? q : 1.0;
}

static double meet_cylinder(const double *v, double x, double y, double dx, double dy)
{
  const double px = x - v[0], py = y - v[1];
  const double a = dx * dx + dy * dy, b = px * dx + py * dy;
  const double c = px * px + py * py - v[2] * v[2], square = b * b - a * c;
  if (square < 0.0) return 1.0;
  const double q = (-b - sqrt(square)) / a;
  return q >= 0.0 && q < 1.0 ? q : 1.0;
}

static double meet(const shape *one, double x, double y, double dx, double dy)
{
  const double *v = one->numbers;
  double first = 1.0;
  if (one->kind == SHAPE_CYLINDER) return meet_cylinder(v, x, y, dx, dy);
  if (one->kind == SHAPE_BOX) {
    const double corners[5][2] = { { v[0], v[1] }, { v[2], v[1] }, { v[2], v[3] }, { v[0], v[3] },
                                   { v[0], v[1] } };
    for (int i = 0; i < 4; i++)
      first = fmin(first, meet_edge(corners[i], corners[i + 1], x, y, dx, dy));
    return first;
  }
  for (size_t i = 0, j = one->count - 2; i < one->count; j = i, i += 2)
    first = fmin(first, meet_edge(v + j, v + i, x, y, dx, dy));
  return first;
}

double shapes_distance(const shape_list *list, double x, double y, double dx, double dy)
{
  double first = 1.0;
  double by[2];
  for (size_t i = 0; i < list->count; i++)
    for (int image = 0; image < 9; image++)
      if (image_at(list, image, by))
        first = fmin(first, meet(&list->items[i], x - by[0], y - by[1], dx, dy));
  return first;
}
