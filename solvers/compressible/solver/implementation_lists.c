/* implementation_lists.c - the lists of faces and of cells that an implementation reads. */
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_implementations.h"

/* A flow's boxes are periodic along an axis or have a face more than cells. */
size_t fv_faces_along(const fv_solver *fv, int axis)
{
  const size_t cells = fv->forest->blocks.count * fv->block, ends = cells / (size_t)fv->n[axis];
  const size_t faces = cells + (fv->forest->shape.is_periodic[axis] ? 0 : ends);
  return (faces + FV_LISTED - 1) / FV_LISTED * FV_LISTED;
}

/* The number of the cell that lies so far from a leaf's first one, up to two beyond its sides. */
static int32_t number_at(const fv_solver *fv, size_t leaf, const int at[3])
{
  const int32_t *side = fv->forest->blocks.side;
  int block = 0, cell = 0;
  for (int a = 2; a >= 0; a--) {
    const int beyond = at[a] < 0 ? 0 : at[a] < side[a] ? 1 : 2;
    block = 3 * block + (side[a] == 1 ? 1 : beyond);
    cell = cell * side[a] + (at[a] + side[a]) % side[a];
  }
  return fv->forest->near[leaf][block] * (int32_t)fv->block + cell;
}

/* The opposite of `open` in fv_update.h. */
static int is_closed(const fv_solver *fv, int32_t before, int32_t after, int axis)
{
  const int32_t first_boundary = fv->p.boundaries * (int32_t)fv->block;
  const int kind = fv->p.kind[2 * axis + (after >= first_boundary)];
  return (before >= first_boundary || after >= first_boundary) && kind != FV_PERIODIC &&
         kind <= FV_CLOSED;
}

typedef struct lists { int32_t *faces, *beside, *sides; size_t count; } lists;

/* Cells about one, as faces look at them: two-dimensional ones are their own, below and above. */
static void enter_beside(const fv_solver *fv, lists *to, size_t leaf, const int at[3])
{
  int32_t *beside = to->beside + 6 * (size_t)number_at(fv, leaf, at);
  for (int side = 0; side < 6; side++) {
    int next[3] = { at[0], at[1], at[2] };
    next[side / 2] += side / 2 < fv_axes(fv) ? 2 * (side % 2) - 1 : 0;
    beside[side] = number_at(fv, leaf, next);
  }
}

/* The face before a cell along an axis, and the last one after it. */
static void enter_face(const fv_solver *fv, lists *to, size_t leaf, const int at[3], int axis)
{
  int last[3] = { at[0], at[1], at[2] };
  last[axis]--;
  const int32_t before = number_at(fv, leaf, last), after = number_at(fv, leaf, at);
  int32_t *face = to->faces + 3 * to->count;
  face[0] = before;
  face[1] = after;
  face[2] = axis + (is_closed(fv, before, after, axis) ? 4 : 0);
  to->sides[6 * (size_t)before + 2 * (size_t)axis + 1] = (int32_t)to->count;
  to->sides[6 * (size_t)after + 2 * (size_t)axis] = (int32_t)to->count++;
  enter_beside(fv, to, leaf, last);
  enter_beside(fv, to, leaf, at);
}

static void enter_leaf(const fv_solver *fv, lists *to, size_t leaf, int axis)
{
  const int32_t *side = fv->forest->blocks.side;
  const size_t boundaries = (size_t)fv->p.boundaries;
  int at[3];
  for (at[2] = 0; at[2] < side[2]; at[2]++)
    for (at[1] = 0; at[1] < side[1]; at[1]++)
      for (at[0] = 0; at[0] < side[0]; at[0]++) {
        int next[3] = { at[0], at[1], at[2] };
        next[axis]++;
        enter_face(fv, to, leaf, at, axis);
        if (next[axis] == side[axis] &&
            (size_t)number_at(fv, leaf, next) >= boundaries * fv->block)
          enter_face(fv, to, leaf, next, axis);
      }
}

/* An axis' faces are filled up to whole groups by copies of its last one. */
static void enter_all(const fv_solver *fv, lists *to)
{
  for (int axis = 0; axis < fv_axes(fv); axis++) {
    const size_t end = to->count + fv_faces_along(fv, axis);
    for (size_t leaf = 0; leaf < fv->forest->blocks.count; leaf++) enter_leaf(fv, to, leaf, axis);
    for (; to->count < end; to->count++) {
      int32_t *face = to->faces + 3 * to->count;
      memcpy(face, face - 3, 3 * sizeof *face);
      face[2] |= FV_COPY_OF_FACE;
    }
  }
}

trm_status fv_write_implementation(const fv_solver *fv)
{
  const size_t cells = fv->forest->slots * fv->block, faces = fv->implementation.face_count;
  if (!fv_is_listed(&fv->implementation)) return TRM_OK;
  lists all = { malloc(3 * faces * sizeof(int32_t)), calloc(6 * cells, sizeof(int32_t)),
                calloc(6 * cells, sizeof(int32_t)), 0 };
  trm_status status = TRM_OK;
  if (!all.faces || !all.beside || !all.sides)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of %zu faces", faces);
  if (status == TRM_OK) {
    enter_all(fv, &all);
    status = trm_buffer_write(fv->implementation.faces, 0, 3 * faces * sizeof(int32_t), all.faces);
  }
  if (status == TRM_OK)
    status = trm_buffer_write(fv->implementation.beside, 0, 6 * cells * sizeof(int32_t),
                              all.beside);
  if (status == TRM_OK)
    status = trm_buffer_write(fv->implementation.sides, 0, 6 * cells * sizeof(int32_t), all.sides);
  free(all.faces);
  free(all.beside);
  free(all.sides);
  return status;
}
