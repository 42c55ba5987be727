/* cut_maker.c - see cut_maker.h. */
#include "solvers/compressible/cutcells/cut_maker.h"

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
  return fv_cell_refuse(&m, cell, why == FV_STENCIL_BEYOND ? fv_no_room
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

/* ---- numbers in order ---------------------------------------------------------------- */

enum { CHUNK = 512 };          /* entries that are looked through at a time */

static size_t chunks_of(const fv_numbering *n) { return (n->count + CHUNK - 1) / CHUNK; }

static size_t end_of(const fv_numbering *n, size_t chunk)
{
  return (chunk + 1) * CHUNK < n->count ? (chunk + 1) * CHUNK : n->count;
}

static trm_status count_chunk(void *user, size_t chunk, int thread)
{
  const fv_numbering *n = user;
  size_t found[FV_NUMBERED] = { 0 };
  (void)thread;
  for (size_t i = chunk * CHUNK; i < end_of(n, chunk); i++) {
    const int kind = n->kind(n->user, i);
    if (kind >= 0) found[kind]++;
  }
  memcpy(n->first[chunk], found, sizeof found);
  return TRM_OK;
}

static trm_status take_chunk(void *user, size_t chunk, int thread)
{
  const fv_numbering *n = user;
  size_t next[FV_NUMBERED];
  (void)thread;
  memcpy(next, n->first[chunk], sizeof next);
  for (size_t i = chunk * CHUNK; i < end_of(n, chunk); i++) {
    const int kind = n->kind(n->user, i);
    if (kind >= 0) n->take(n->user, i, kind, next[kind]++);
  }
  return TRM_OK;
}

trm_status fv_count_kinds(const fv_maker *m, fv_numbering *n)
{
  memset(n->found, 0, sizeof n->found);
  n->first = malloc((chunks_of(n) + 1) * sizeof *n->first);
  if (!n->first) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu entries about walls", n->count);
  const trm_status status = trm_device_host_each(m->device, chunks_of(n), count_chunk, n);
  for (size_t i = 0; i < chunks_of(n) && status == TRM_OK; i++)
    for (int kind = 0; kind < FV_NUMBERED; kind++) {
      const size_t found = n->first[i][kind];
      n->first[i][kind] = n->found[kind];
      n->found[kind] += found;
    }
  if (status != TRM_OK) fv_end_numbering(n);
  return status;
}

trm_status fv_take_kinds(const fv_maker *m, fv_numbering *n)
{
  const trm_status status = trm_device_host_each(m->device, chunks_of(n), take_chunk, n);
  fv_end_numbering(n);
  return status;
}

void fv_end_numbering(fv_numbering *n)
{
  free(n->first);
  n->first = NULL;
}

/* ---- sizes --------------------------------------------------------------------------- */

size_t fv_sizes(const fv_cut_tables *t, size_t walls)
{
  const size_t sized = (size_t)t->sized, group = FV_CUT_GROUP;
  return ((sized + group - 1) / group * FV_FACE_SIZES +
          (walls + group - 1) / group * FV_CUT_SIZES) * group;
}

double *fv_face_size(const fv_cut_tables *t, size_t sizes, size_t k)
{
  return t->size + (sizes / FV_CUT_GROUP * FV_FACE_SIZES + k) * FV_CUT_GROUP + sizes % FV_CUT_GROUP;
}

double fv_face_open(const fv_cut_tables *t, int32_t face)
{
  const int32_t *of = t->face + 4 * (size_t)face;
  return of[0] & FV_FACE_WHOLE ? 1 : *fv_face_size(t, (size_t)of[3] / (FV_FACE_LEVEL + 1), 0);
}

double *fv_wall_size(const fv_cut_tables *t, size_t wall, size_t k)
{
  return t->size + fv_sizes(t, 0) + (wall / FV_CUT_GROUP * FV_CUT_SIZES + k) * FV_CUT_GROUP +
         wall % FV_CUT_GROUP;
}
