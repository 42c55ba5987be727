/* body_ends.c - bodies that end exactly at periodic sides continue beyond them. A box continues by
 * ends that lie far out, a surface by images of itself, one grid's length away. The section in the
 * side's plane is then no wall: a distance from there would bend the walls beside it. */
#include "solvers/compressible/bodies/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

/* A fraction of the grid's length: corners closer to a side lie in it, as corners of single
 * precision do; sections that differ by more are different. */
static const double SLACK = 1e-6;

/* Where the grid ends along an axis. */
typedef struct span { double low, high; } span;

/* ---- boxes ------------------------------------------------------------------- */

/* Whether a body keeps its ends at the sides that it has them at. */
static int stays(const fv_body *body, int axis, const int at[2])
{
  return !body->path[0] || (at[0] && at[1] && (!body->rotation || fabs(body->axis[axis]) == 1));
}

static void open_box(fv_body *body, int axis, span grid)
{
  const double length = grid.high - grid.low, slack = 1e-9 * length;
  const int at[2] = { body->at[axis] - body->size[axis] < grid.low + slack,
                      body->at[axis] + body->size[axis] > grid.high - slack };
  if (body->size[axis] == 0 || !stays(body, axis, at)) return;
  for (int k = 0; k < 2; k++) body->end[axis][k] += at[k] ? length : 0;
}

/* ---- surfaces ------------------------------------------------------------------- */

/* The section of a surface in a side's plane: its area and moments up to the second, in lengths of
 * the grid; > 0: its normal points along the axis. */
typedef struct section { double moments[6]; size_t count; } section;

static int lies_at(const double *v, int axis, double side)
{
  return v[axis] == side && v[3 + axis] == side && v[6 + axis] == side;
}

static void add_triangle(section *s, const double *v, int axis, const double low[3], double length)
{
  double at[2][3], sum[2];
  for (int k = 0; k < 2; k++) {
    const int a = (axis + 1 + k) % 3;
    for (int i = 0; i < 3; i++) at[k][i] = (v[3 * i + a] - low[a]) / length;
    sum[k] = at[k][0] + at[k][1] + at[k][2];
  }
  const double area = 0.5 * ((at[0][1] - at[0][0]) * (at[1][2] - at[1][0]) -
                             (at[0][2] - at[0][0]) * (at[1][1] - at[1][0]));
  double products[3];
  for (int k = 0; k < 3; k++) {
    const double *one = at[k / 2], *other = at[(k + 1) / 2];
    products[k] = sum[k / 2] * sum[(k + 1) / 2];
    for (int i = 0; i < 3; i++) products[k] += one[i] * other[i];
  }
  const double parts[6] = { 1, sum[0] / 3, sum[1] / 3, products[0] / 12, products[1] / 12,
                            products[2] / 12 };
  for (int i = 0; i < 6; i++) s->moments[i] += area * parts[i];
  s->count++;
}

/* The sections at both sides; corners at them are put there exactly. */
static void find_sections(fv_body *body, int axis, span grid, const double low[3], section out[2])
{
  trm_stl *stl = &body->surface;
  const double length = grid.high - grid.low, sides[2] = { grid.low, grid.high };
  for (int k = 0; k < 2; k++) {
    double *ends[2] = { &stl->low[axis], &stl->high[axis] };
    for (size_t i = 0; i < 3 * stl->count; i++) {
      double *at = &stl->corners[3 * i + (size_t)axis];
      if (fabs(*at - sides[k]) <= SLACK * length) *at = sides[k];
    }
    for (int e = 0; e < 2; e++)
      if (fabs(*ends[e] - sides[k]) <= SLACK * length) *ends[e] = sides[k];
    out[k] = (section){ .count = 0 };
    for (size_t i = 0; i < stl->count; i++)
      if (lies_at(stl->corners + 9 * i, axis, sides[k]))
        add_triangle(&out[k], stl->corners + 9 * i, axis, low, length);
  }
}

/* All triangles but the sections, then their images beyond both sides, which end there. */
static trm_status add_images(fv_body *body, int axis, span grid)
{
  trm_stl *stl = &body->surface;
  const size_t most = 3 * stl->count;
  const double length = grid.high - grid.low, by[3] = { 0, length, -length };
  size_t count = 0, within = 0;
  TRM_TRY(trmi_memory_require("a surface with its images beyond periodic sides",
                              most * (9 * sizeof *stl->corners + 1)));
  double *corners = malloc(most * 9 * sizeof *corners);
  uint8_t *patch = malloc(most);
  if (!corners || !patch) {
    free(corners);
    free(patch);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu triangles beyond periodic sides", most);
  }
  for (int image = 0; image < 3; image++)
    for (size_t i = 0; i < stl->count; i++) {
      const double *v = stl->corners + 9 * i;
      const int is_low = lies_at(v, axis, grid.low), is_high = lies_at(v, axis, grid.high);
      if ((is_low && image != 2) || (is_high && image != 1)) continue;
      memcpy(corners + 9 * count, v, 9 * sizeof *v);
      for (size_t k = 0; k < 3; k++) corners[9 * count + 3 * k + (size_t)axis] += by[image];
      within += image == 0 && i < body->within;
      patch[count++] = stl->patch[i];
    }
  free(stl->corners);
  free(stl->patch);
  stl->corners = corners;
  stl->patch = patch;
  stl->count = count;
  body->within = within;
  return TRM_OK;
}

static trm_status open_surface(const fv_bodies *bodies, int number, fv_body *body, int axis,
                               const double low[3], span grid)
{
  section found[2];
  int differ = 0;
  find_sections(body, axis, grid, low, found);
  const int at[2] = { found[0].count > 0, found[1].count > 0 };
  if ((!at[0] && !at[1]) || !stays(body, axis, at)) return TRM_OK;
  for (int i = 0; i < 6; i++)
    differ |= !(fabs(found[0].moments[i] + found[1].moments[i]) <= SLACK);
  if (differ)
    return TRM_FAIL(INPUT, "%s: body %d ends at the periodic side %c = %g, and its section there "
                    "is not that at the other side, %c = %g; a surface that ends at both goes on "
                    "beyond them: give it the same section there, or move it off the side",
                    bodies->said, number + 1, "xyz"[axis], at[0] ? grid.low : grid.high,
                    "xyz"[axis], at[0] ? grid.high : grid.low);
  return add_images(body, axis, grid);
}

trm_status fv_open_ends(fv_bodies *bodies, const double low[3], const double high[3],
                        const int is_periodic[3])
{
  for (int b = 0; b < bodies->count; b++)
    for (int a = 0; a < 3; a++) {
      fv_body *body = &bodies->body[b];
      const span grid = { low[a], high[a] };
      if (!is_periodic[a]) continue;
      if (body->shape == FV_BOX) open_box(body, a, grid);
      if (body->shape == FV_SURFACE) TRM_TRY(open_surface(bodies, b, body, a, low, grid));
    }
  for (int b = 0; b < bodies->count; b++) {
    fv_body *body = &bodies->body[b];
    if (body->shape != FV_SURFACE || body->within == body->surface.count) continue;
    trm_stl_tree_destroy(&body->tree);
    TRM_TRY(trm_stl_tree_create(&body->surface, &body->tree));
    body->least = fv_surface_thickness(body);
  }
  return TRM_OK;
}
