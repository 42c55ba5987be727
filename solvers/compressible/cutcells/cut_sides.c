/* cut_sides.c - bodies that reach a periodic side: gas there may meet neither a body beyond it nor
 * another opening, since no wall is made between the two. So walls that reach one side have to go
 * on at the other, as a cylinder's along z or a bar's through the whole box do. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <math.h>

/* Openings of one face that differ by more are two; of a cell's side. */
static const double SAME = 1e-9;

/* Whether a body touches either end of the box along an axis. What has no ends along z has the same
 * walls at both. */
static int reaches_end(const fv_maker *m, const fv_body *body, int axis)
{
  const double slack = 2 * FV_NEAREST * m->h, low = m->origin[axis];
  const double high = low + m->h * m->forest->shape.roots[axis] * m->side[axis];
  double least[3], most[3];
  fv_body_box(body, least, most);
  if (axis == 2 && !(least[2] < most[2])) return 0;
  return least[axis] < low + slack || most[axis] > high - slack;
}

/* What bodies leave open of a face with these corners; NAN: two parts. */
static double opening(const fv_maker *m, const double corner[4][3], double width)
{
  double distance[8];
  fv_cut cut;
  for (int k = 0; k < 4; k++) {
    const double away = fv_bodies_distance(m->bodies, corner[k], NULL, m->look) / width;
    distance[k] = distance[k + 4] = fabs(away) < FV_NEAREST ? -FV_NEAREST : away;
  }
  return fv_cut_cell(distance, &cut) == FV_CUT_TORN ? NAN : cut.volume;
}

static trm_status check_face(const fv_maker *m, int axis, double length, double width,
                             double corner[4][3])
{
  char when[FV_WHEN];
  double middle[3] = { 0 };
  const double here = opening(m, (const double (*)[3])corner, width);
  for (int k = 0; k < 4; k++) {
    for (int a = 0; a < 3; a++) middle[a] += 0.25 * corner[k][a];
    corner[k][axis] += length;
  }
  const double beyond = opening(m, (const double (*)[3])corner, width);
  if (!(fabs(here - beyond) > SAME)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: at x = %g, y = %g, z = %g%s a body reaches the periodic side, and no "
                  "wall like its own is at the other side, %c = %g; move it off the side, or let "
                  "it go on there", m->bodies->said, middle[0], middle[1], middle[2],
                  fv_when(m->bodies, when), "xyz"[axis], middle[axis] + length);
}

/* The faces of a leaf at the box's end along an axis, upper or lower. */
static trm_status check_leaf(const fv_maker *m, size_t leaf, int axis, int is_upper)
{
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  const double width = fv_cell_width(m, leaf);
  const double length = m->h * m->forest->shape.roots[axis] * m->side[axis];
  for (int k = 0; k < m->side[i] * m->side[j]; k++) {
    double corner[4][3];
    for (int c = 0; c < 4; c++) {
      int within[3] = { 0 };
      within[axis] = is_upper ? m->side[axis] : 0;
      within[i] = k % m->side[i] + (c & 1);
      within[j] = k / m->side[i] + (c >> 1);
      for (int a = 0; a < 3; a++)
        corner[c][a] = m->origin[a] +
                       (m->forest->place[leaf][a] * m->side[a] + within[a]) * width;
    }
    TRM_TRY(check_face(m, axis, is_upper ? -length : length, width, corner));
  }
  return TRM_OK;
}

static trm_status check_axis(const fv_maker *m, int axis)
{
  const trm_forest *forest = m->forest;
  for (size_t n = 0; n < forest->blocks.count; n++) {
    const size_t leaf = (size_t)forest->blocks.slot[n];
    const int32_t end = (forest->shape.roots[axis] << forest->level[leaf]) - 1;
    const int32_t at = forest->place[leaf][axis];
    if (m->near && m->near[leaf] < 0) continue;
    if (at == 0) TRM_TRY(check_leaf(m, leaf, axis, 0));
    if (at == end) TRM_TRY(check_leaf(m, leaf, axis, 1));
  }
  return TRM_OK;
}

trm_status fv_check_sides(const fv_maker *m)
{
  for (int axis = 0; axis < m->bodies->dimensions; axis++) {
    int reaches = 0;
    for (int b = 0; b < m->bodies->count && m->forest->shape.is_periodic[axis]; b++)
      reaches |= reaches_end(m, &m->bodies->body[b], axis);
    if (reaches) TRM_TRY(check_axis(m, axis));
  }
  return TRM_OK;
}
