/* implementation_launch.c - the launches of a stage in each implementation. */
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>

#include "solvers/compressible/kernels/fv_implementations.h"

/* ---- a stage of lists ---------------------------------------------------------------- */

/* The kernels' parameters: hosts find there what FV_STRUCTS says to a GPU's compiler. */
static fv_params listed(const fv_solver *fv)
{
  fv_params p = fv->p;
  p.interfaces = fv->implementation.structs;
  return p;
}

static trm_status launch_faces(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  const fv_params p = listed(fv);
  trm_buffer *state = fv->w[fv->current];
  if (implementation->structs & FV_STRUCTS_OF_CELLS) {
    TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->program, FV_KERNEL_PACK, (int)fv->forest->slots,
                                 1, &p, state, fv->clock, implementation->packed));
    state = implementation->packed;
  }
  return TRM_FRAMEWORK_LAUNCH(&implementation->program, FV_KERNEL_LIST_FACES, p.faces / FV_LISTED,
                              1, &p, state, implementation->faces, implementation->beside,
                              fv->clock, implementation->fluxes);
}

static trm_status launch_cells(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  const fv_params p = listed(fv);
  const int has_sides = implementation->form == FV_SIDE_ORDER;
  return TRM_FRAMEWORK_LAUNCH(has_sides ? &implementation->pushes : &implementation->program,
                              has_sides ? FV_KERNEL_SIDE_CELLS : FV_KERNEL_LIST_CELLS, p.blocks, 1,
                              &p, fv->w[fv->current], fv->w[!fv->current], fv->q,
                              implementation->sides, implementation->fluxes, fv->clock, fv->part);
}

/* 0, of reals or of whole numbers. */
static trm_status clear(const fv_solver *fv, trm_buffer *sums)
{
  static const double zero = 0.0;
  const size_t each = sums == fv->implementation.whole ? sizeof zero : trm_type_size(fv->real_type);
  return trm_buffer_fill(sums, 0, trm_buffer_bytes(sums), &zero, each);
}

/* A launch for each side of faces and each axis, over that axis' faces. */
static trm_status push_sides(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  fv_params p = listed(fv);
  TRM_TRY(clear(fv, implementation->rest));
  for (int side = 0; side < 2; side++)
    for (int axis = 0; axis < fv_axes(fv); axis++) {
      const size_t *first = &implementation->first_face[axis];
      p.units = side;
      p.first = (int)first[0];
      TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->pushes, FV_KERNEL_PUSH_SIDE,
                                   (int)(first[1] - first[0]) / FV_LISTED, 1, &p,
                                   implementation->faces, implementation->fluxes, fv->clock,
                                   implementation->rest));
    }
  return TRM_OK;
}

static trm_status push_both(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  const fv_params p = listed(fv);
  TRM_TRY(clear(fv, implementation->rest));
  return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, FV_KERNEL_PUSH_BOTH, p.faces / FV_LISTED, 1,
                              &p, implementation->faces, implementation->fluxes, fv->clock,
                              implementation->rest);
}

/* Their units are parts of the largest fluxes, which a launch finds first. */
static trm_status push_whole(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  const fv_params p = listed(fv);
  TRM_TRY(clear(fv, implementation->whole));
  TRM_TRY(clear(fv, implementation->most));
  TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->pushes, FV_KERNEL_PUSH_MOST, p.faces / FV_LISTED, 1,
                               &p, implementation->fluxes, fv->clock, implementation->most));
  return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, FV_KERNEL_PUSH_WHOLE, p.faces / FV_LISTED, 1,
                              &p, implementation->faces, implementation->fluxes,
                              implementation->most, fv->clock, implementation->whole);
}

static trm_status launch_pushed(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  trm_buffer *now = fv->w[fv->current], *next = fv->w[!fv->current];
  const fv_params p = listed(fv);
  TRM_TRY(launch_faces(fv));
  if (fv_is_whole(implementation)) {
    TRM_TRY(push_whole(fv));
    return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, FV_KERNEL_WHOLE_CELLS, p.blocks, 1, &p,
                                now, next, fv->q, implementation->whole, implementation->most,
                                fv->clock, fv->part);
  }
  TRM_TRY(implementation->form == FV_PUSH_SIDES ? push_sides(fv) : push_both(fv));
  return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, FV_KERNEL_PUSH_CELLS, p.blocks, 1, &p, now,
                              next, fv->q, implementation->rest, fv->clock, fv->part);
}

/* ---- copied before and after each launch --------------------------------------------- */

/* The arrays and their mirrors: w by its number, so that it keeps its mirror when both change
 * places. */
enum { OLD, NEW, KEPT, CLOCK_OF, PART, FLUXES, FACES, BESIDE, SIDES };

static trm_buffer *array_of(const fv_solver *fv, int which)
{
  const fv_implementation *implementation = &fv->implementation;
  trm_buffer *const arrays[FV_MIRRORS] = {
    [OLD] = fv->w[0], [NEW] = fv->w[1], [KEPT] = fv->q, [CLOCK_OF] = fv->clock, [PART] = fv->part,
    [FLUXES] = implementation->fluxes, [FACES] = implementation->faces,
    [BESIDE] = implementation->beside, [SIDES] = implementation->sides };
  return arrays[which];
}

static trm_status come_back(fv_solver *fv, int which)
{
  trm_buffer *array = array_of(fv, which);
  return trm_buffer_read(array, 0, trm_buffer_bytes(array), fv->implementation.mirrors[which]);
}

static trm_status go(fv_solver *fv, const int *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    trm_buffer *array = array_of(fv, list[i]);
    TRM_TRY(trm_buffer_write(array, 0, trm_buffer_bytes(array),
                             fv->implementation.mirrors[list[i]]));
  }
  return TRM_OK;
}

/* All arrays are on the host, as the launches before have left them. */
static trm_status make_mirrors(fv_solver *fv)
{
  fv_implementation *implementation = &fv->implementation;
  for (int i = 0; i < FV_MIRRORS && !implementation->has_mirrors; i++) {
    implementation->mirrors[i] = malloc(trm_buffer_bytes(array_of(fv, i)));
    if (!implementation->mirrors[i]) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a copy");
    TRM_TRY(come_back(fv, i));
  }
  implementation->has_mirrors = 1;
  return TRM_OK;
}

/* Arrays that other launches wrote since the last stage come back first: the state beyond sides,
 * the clock, and with sources the sums. */
static trm_status launch_copied(fv_solver *fv)
{
  const int now = fv->current ? NEW : OLD, next = fv->current ? OLD : NEW;
  const int of_faces[] = { now, FACES, BESIDE, CLOCK_OF, FLUXES };
  const int of_cells[] = { now, next, KEPT, SIDES, FLUXES, CLOCK_OF, PART };
  TRM_TRY(make_mirrors(fv));
  TRM_TRY(come_back(fv, now));
  TRM_TRY(come_back(fv, CLOCK_OF));
  if (fv->sources.count > 0) TRM_TRY(come_back(fv, KEPT));
  TRM_TRY(go(fv, of_faces, sizeof of_faces / sizeof *of_faces));
  TRM_TRY(launch_faces(fv));
  TRM_TRY(come_back(fv, FLUXES));
  TRM_TRY(go(fv, of_cells, sizeof of_cells / sizeof *of_cells));
  TRM_TRY(launch_cells(fv));
  TRM_TRY(come_back(fv, next));
  TRM_TRY(come_back(fv, KEPT));
  return come_back(fv, PART);
}

trm_status fv_launch_implementation(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  trm_buffer *now = fv->w[fv->current], *next = fv->w[!fv->current];
  if (implementation->form == FV_TWO_KERNELS) {
    TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->program, FV_KERNEL_BLOCK_FACES, fv->p.blocks, 1,
                                 &fv->p, now, fv->near, fv->clock, implementation->fluxes));
    return TRM_FRAMEWORK_LAUNCH(&implementation->program, FV_KERNEL_BLOCK_CELLS, fv->p.blocks, 1,
                                &fv->p, now, next, fv->q, implementation->fluxes, fv->clock,
                                fv->part);
  }
  if (implementation->form == FV_COPIED) return launch_copied(fv);
  if (fv_is_pushed(implementation)) return launch_pushed(fv);
  TRM_TRY(launch_faces(fv));
  return launch_cells(fv);
}
