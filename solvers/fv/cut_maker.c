/* cut_maker.c - see cut_maker.h. */
#include "solvers/fv/cut_maker.h"

#include <stdlib.h>
#include <string.h>


double fv_cell_width(const fv_maker *m, size_t leaf)
{
  return m->h / (1 << m->forest->level[leaf]);
}

void fv_cell_place(const fv_maker *m, int32_t cell, const double within[3], double at[3])
{
  const size_t leaf = (size_t)cell / m->block;
  size_t rest = (size_t)cell % m->block;
  for (int a = 0; a < 3; a++) {
    const int32_t whole = m->forest->place[leaf][a] * m->side[a] +
                          (int32_t)(rest % (size_t)m->side[a]);
    at[a] = m->origin[a] + (whole + within[a]) * fv_cell_width(m, leaf);
    rest /= (size_t)m->side[a];
  }
}

trm_status fv_cell_refuse(const fv_maker *m, int32_t cell, const char *why)
{
  static const double middle[3] = { 0.5, 0.5, 0.5 };
  char when[FV_WHEN];
  double at[3];
  fv_cell_place(m, cell, middle, at);
  return TRM_FAIL(INPUT, "%s: in the cell at x = %g, y = %g, z = %g, %g wide%s, %s",
                  m->bodies->said, at[0], at[1], at[2],
                  fv_cell_width(m, (size_t)cell / m->block), fv_when(m->bodies, when), why);
}

trm_status fv_cut_refuse(const fv_bodies *bodies, const trm_forest *forest, double h,
                         const double origin[3], int32_t cell, int why)
{
  fv_maker m = { .bodies = bodies, .forest = forest, .h = h, .block = 1 };
  for (int a = 0; a < 3; a++) {
    m.origin[a] = origin[a];
    m.side[a] = forest->blocks.side[a];
    m.block *= (size_t)m.side[a];
  }
  return fv_cell_refuse(&m, cell, why == FV_LOOKS_BEYOND ? fv_no_room
                          : "too few neighbours hold gas; make the grid finer there "
                            "(grid.levels), or leave more room between walls");
}

trm_status fv_list_grow(void *array, size_t *room, size_t count, size_t bytes)
{
  void **at = array;
  if (count < *room) return TRM_OK;
  const size_t twice = *room ? 2 * *room : 1024, more = twice > count ? twice : count + 1;
  void *moved = realloc(*at, more * bytes);
  if (!moved) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu entries about walls", more);
  *at = moved;
  *room = more;
  return TRM_OK;
}

size_t fv_sizes(const fv_cut_tables *t, size_t walls)
{
  const size_t faces = (size_t)t->faces, group = FV_CUT_GROUP;
  return ((faces + group - 1) / group * FV_FACE_SIZES +
          (walls + group - 1) / group * FV_CUT_SIZES) * group;
}

double *fv_face_size(const fv_cut_tables *t, size_t face, size_t k)
{
  return t->size + (face / FV_CUT_GROUP * FV_FACE_SIZES + k) * FV_CUT_GROUP + face % FV_CUT_GROUP;
}

double *fv_wall_size(const fv_cut_tables *t, size_t wall, size_t k)
{
  return t->size + fv_sizes(t, 0) + (wall / FV_CUT_GROUP * FV_CUT_SIZES + k) * FV_CUT_GROUP +
         wall % FV_CUT_GROUP;
}
