/* implementation_lists.c - the lists of faces and of cells that an implementation reads. */
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>
#include <string.h>

#include "core/host_work.h"
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
    const int beyond = at[a] < 0 ? -1 : at[a] < side[a] ? 0 : 1;
    block = 3 * block + (side[a] == 1 ? 1 : beyond + 1);
    cell = cell * side[a] + at[a] - beyond * side[a];
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

typedef struct lists {
  const fv_solver *fv;
  int32_t *faces, *beside, *sides;
  size_t *first;               /* of leaves: the number of their first face along `axis` */
  int axis;
} lists;

/* Cells about one, as faces look at them: two-dimensional ones are their own, below and above. */
static void enter_beside(lists *to, size_t leaf, const int at[3])
{
  int32_t *beside = to->beside + 6 * (size_t)number_at(to->fv, leaf, at);
  for (int side = 0; side < 6; side++) {
    int next[3] = { at[0], at[1], at[2] };
    next[side / 2] += side / 2 < fv_axes(to->fv) ? 2 * (side % 2) - 1 : 0;
    beside[side] = number_at(to->fv, leaf, next);
  }
}

/* The face before a cell along an axis, and the last one after it. */
static void enter_face(lists *to, size_t number, size_t leaf, const int at[3])
{
  const fv_solver *fv = to->fv;
  const int axis = to->axis, boundaries = fv->p.boundaries * (int32_t)fv->block;
  int last[3] = { at[0], at[1], at[2] };
  last[axis]--;
  const int32_t before = number_at(fv, leaf, last), after = number_at(fv, leaf, at);
  int32_t *face = to->faces + 3 * number;
  face[0] = before;
  face[1] = after;
  face[2] = axis + (is_closed(fv, before, after, axis) ? 4 : 0);
  to->sides[6 * (size_t)before + 2 * (size_t)axis + 1] = (int32_t)number;
  to->sides[6 * (size_t)after + 2 * (size_t)axis] = (int32_t)number;
  if (before >= boundaries) enter_beside(to, leaf, last);
  if (after >= boundaries || axis == 0) enter_beside(to, leaf, at);
}

/* The block that follows along an axis is one of a boundary. */
static int is_last(const fv_solver *fv, size_t leaf, int axis)
{
  int next[3] = { 0, 0, 0 };
  next[axis] = fv->forest->blocks.side[axis];
  return number_at(fv, leaf, next) >= fv->p.boundaries * (int32_t)fv->block;
}

/* A leaf's faces are its own, so that threads share the leaves. */
static trm_status enter_leaf(void *user, size_t leaf, int thread)
{
  lists *to = user;
  const int32_t *side = to->fv->forest->blocks.side;
  const int has_ends = is_last(to->fv, leaf, to->axis);
  size_t number = to->first[leaf];
  int at[3];
  (void)thread;
  for (at[2] = 0; at[2] < side[2]; at[2]++)
    for (at[1] = 0; at[1] < side[1]; at[1]++)
      for (at[0] = 0; at[0] < side[0]; at[0]++) {
        int next[3] = { at[0], at[1], at[2] };
        enter_face(to, number++, leaf, at);
        if (++next[to->axis] == side[to->axis] && has_ends) enter_face(to, number++, leaf, next);
      }
  return TRM_OK;
}

/* An axis' faces are filled up to whole groups by copies of its last one. */
static trm_status enter_all(lists *to)
{
  const fv_solver *fv = to->fv;
  const size_t leaves = fv->forest->blocks.count;
  for (to->axis = 0; to->axis < fv_axes(fv); to->axis++) {
    size_t count = fv->implementation.first_face[to->axis];
    const size_t ends = fv->block / (size_t)fv->forest->blocks.side[to->axis];
    const size_t end = count + fv_faces_along(fv, to->axis);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
      to->first[leaf] = count;
      count += fv->block + (is_last(fv, leaf, to->axis) ? ends : 0);
    }
    TRM_TRY(trm_device_host_each(fv->base.device, leaves, enter_leaf, to));
    for (; count < end; count++) {
      int32_t *face = to->faces + 3 * count;
      memcpy(face, face - 3, 3 * sizeof *face);
      face[2] |= FV_COPY_OF_FACE;
    }
  }
  return TRM_OK;
}

trm_status fv_write_implementation(const fv_solver *fv)
{
  const size_t cells = fv->forest->slots * fv->block, faces = fv->implementation.face_count;
  if (!fv_is_listed(&fv->implementation)) return TRM_OK;
  lists all = { .fv = fv,
                .faces = malloc(3 * faces * sizeof(int32_t)),
                .beside = calloc(6 * cells, sizeof(int32_t)),
                .sides = calloc(6 * cells, sizeof(int32_t)),
                .first = malloc(fv->forest->blocks.count * sizeof(size_t)) };
  trm_status status = TRM_OK;
  if (!all.faces || !all.beside || !all.sides || !all.first)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of %zu faces", faces);
  if (status == TRM_OK) status = enter_all(&all);
  if (status == TRM_OK)
    status = trm_buffer_write(fv->implementation.faces, 0, 3 * faces * sizeof(int32_t), all.faces);
  if (status == TRM_OK)
    status = trm_buffer_write(fv->implementation.beside, 0, 6 * cells * sizeof(int32_t),
                              all.beside);
  if (status == TRM_OK)
    status = trm_buffer_write(fv->implementation.sides, 0, 6 * cells * sizeof(int32_t), all.sides);
  free(all.faces);
  free(all.beside);
  free(all.sides);
  free(all.first);
  return status;
}
