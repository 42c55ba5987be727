/* implementations.c - the solver's implementations of a stage: on lists of cells and faces, on
 * blocks in two kernels, in one kernel, and that recorded (fv_implementations.k). All have the same
 * state, in the same buffers. */
#include "solvers/compressible/solver/fv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_implementations.h"
#include "solvers/implementations.h"

extern const char trm_text_fv_implementations[];
TRM_DECLARE_MODULES(fv_implementations);
static const trm_program_source source = {
  "fv_implementations", "solvers/compressible/kernels/fv_implementations.k",
      trm_text_fv_implementations,
      TRM_MODULES(fv_implementations) };

TRM_FRAMEWORK_SOURCE(fv_push, "solvers/compressible/kernels/fv_push.k");

enum { LIST_FACES, LIST_CELLS, BLOCK_FACES, BLOCK_CELLS, PACK };
enum { PUSH_SIDE, PUSH_CELLS, SIDE_CELLS, WHOLE_CELLS, PUSH_BOTH, PUSH_MOST, PUSH_WHOLE };

static int is_listed(const fv_implementation *implementation)
{
  return implementation->form >= FV_LISTS;
}

/* Cells take what was pushed into `rest`, or as whole numbers. */
static int is_pushed(const fv_implementation *implementation)
{
  return implementation->form >= FV_PUSH_SIDES;
}

static int is_whole(const fv_implementation *implementation)
{
  return implementation->form == FV_PUSH_FIXED;
}

#define PLAIN " run.plain_replay=true"
static const trm_implementation implementations[] = {
  { "lists", "compressible.implementation=lists" PLAIN,
    "a list of cells, each with its neighbours' numbers, and a list of faces: fluxes to memory, "
    "then each cell gathers its own", 0 },
  { "two-kernels", "compressible.implementation=two-kernels" PLAIN,
    "cells in blocks: a table names a block's neighbours, not each cell's, and faces of a block "
    "load a cell once",
    TRM_SAVES_BYTES },
  { "fused", "compressible.implementation=fused" PLAIN,
    "fluxes of a block and its cells in one kernel: no flux goes through memory, faces between "
    "blocks are computed twice",
    TRM_SAVES_BYTES | TRM_SAVES_LAUNCHES },
  { "recorded", "compressible.implementation=fused run.plain_replay=false",
    "steps are recorded once and replayed", TRM_SAVES_LAUNCHES },
};
const trm_implementations fv_implementations = { implementations,
                                                sizeof implementations / sizeof implementations[0],
                                                NULL };

/* ---- the case ---------------------------------------------------------------------- */

void fv_read_implementation(fv_solver *fv, const trm_config *config)
{
  fv->implementation.form = (fv_form)trm_config_choice(config, "compressible.implementation");
  fv->implementation.structs = (int)trm_config_choice(config, "compressible.structs");
}

static trm_status check_structs(const fv_solver *fv, const trm_config *config)
{
  const fv_implementation *implementation = &fv->implementation;
  if (!implementation->structs || (is_listed(implementation) && implementation->form != FV_COPIED))
    return TRM_OK;
  return TRM_FAIL(UNSUPPORTED, "%s: compressible.structs = %s is of lists that stay on the device, "
                  "and compressible.implementation is '%s'; choose lists, or leave "
                  "compressible.structs out", trm_config_origin(config, "compressible.structs"),
                  trm_config_string(config, "compressible.structs"),
                  trm_config_string(config, "compressible.implementation"));
}

trm_status fv_check_implementation(const fv_solver *fv, const trm_config *config)
{
  const int is_shared = fv_is_shared(fv);
  const int is_default = fv->p.form == 0;
  trm_framework_several several;
  trm_framework_name_several(fv->base.device, &several);
  const struct { int is_asked; const char *what, *cure; } wrong[] = {
    { !is_default, "one flux and one kind of slopes, without Sutherland's viscosity, in explicit "
      "steps", "leave compressible.flux, slopes, sutherland and time out" },
    { trm_config_integer(config, "grid.levels") > 0, "a grid of one level",
      "leave grid.levels and mesh.refine out" },
    { fv->bodies.count > 0, "a flow without bodies", "leave bodies.shapes out" },
    { is_shared, "one device", several.cure },
    { fv->forest->slots > INT32_MAX / (6 * fv->block), "fewer cells, whose neighbours are counted "
      "in 32 bits", "take a smaller grid" } };
  for (size_t i = 0; fv->implementation.form != FV_FUSED && i < sizeof wrong / sizeof *wrong; i++)
    if (wrong[i].is_asked)
      return TRM_FAIL(UNSUPPORTED, "%s: compressible.implementation = '%s' is one of the ladder's "
                                   "and knows %s; %s, or leave compressible.implementation out",
                      trm_config_origin(config, "compressible.implementation"),
                      trm_config_string(config, "compressible.implementation"), wrong[i].what,
                      wrong[i].cure);
  return check_structs(fv, config);
}

/* ---- the lists --------------------------------------------------------------------- */

static int axes_of(const fv_solver *fv) { return fv->n[2] == 1 ? 2 : 3; }

/* A flow's boxes are periodic along an axis or have a face more than cells. */
static size_t faces_along(const fv_solver *fv, int axis)
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
    next[side / 2] += side / 2 < axes_of(fv) ? 2 * (side % 2) - 1 : 0;
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
  for (int axis = 0; axis < axes_of(fv); axis++) {
    const size_t end = to->count + faces_along(fv, axis);
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
  if (!is_listed(&fv->implementation)) return TRM_OK;
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

/* ---- memory ------------------------------------------------------------------------ */

/* Faces of a block, those at its sides included. */
static size_t faces_of_cells(const fv_solver *fv)
{
  const size_t axes = (size_t)axes_of(fv);
  return axes * ((size_t)fv_block_side(fv) + 1) * fv_faces(fv);
}

/* FV_ROW_X of fv_stage_host.h: three more to a row, or none. */
size_t fv_faces_of_block(const fv_solver *fv)
{
  const int has_sheets = fv->n[2] == 1 || fv->real_type == TRM_TYPE_F32;
  const int is_host = trm_device_describe(fv->base.device)->is_host;
  const size_t rows = fv_faces(fv);
  return faces_of_cells(fv) + (is_host && has_sheets ? 3 * rows : 0);
}

size_t fv_list_implementation(fv_solver *fv, trm_framework_buffer *to)
{
  fv_implementation *implementation = &fv->implementation;
  const size_t cells = fv->forest->slots * fv->block;
  if (implementation->form == FV_FUSED) return 0;
  implementation->face_count = fv->forest->blocks.count * fv_faces_of_block(fv);
  if (is_listed(implementation)) {
    implementation->face_count = 0;
    for (int axis = 0; axis < axes_of(fv); axis++) {
      implementation->first_face[axis] = implementation->face_count;
      implementation->face_count += faces_along(fv, axis);
      implementation->first_face[axis + 1] = implementation->face_count;
    }
  }
  fv->p.faces = (int)implementation->face_count;
  const size_t listed = (size_t)is_listed(implementation);
  const size_t pushed = (size_t)is_pushed(implementation);
  const size_t whole = (size_t)is_whole(implementation);
  const size_t packed = implementation->structs & FV_STRUCTS_OF_CELLS ? FV_VALUES * cells : 0;
  const trm_framework_buffer list[] = {
    { &implementation->fluxes, "fluxes of faces", implementation->face_count * FV_VALUES,
     fv->real_type, 1, NULL },
    { &implementation->faces, "list of faces", listed * 3 * implementation->face_count,
     TRM_TYPE_I32, 0, NULL },
    { &implementation->beside, "cells' neighbours", listed * 6 * cells, TRM_TYPE_I32, 0, NULL },
    { &implementation->sides, "cells' faces", listed * 6 * cells, TRM_TYPE_I32, 0, NULL },
    { &implementation->rest, "sums of fluxes", (pushed - whole) * FV_VALUES * cells,
      fv->real_type, 1, NULL },
    { &implementation->whole, "sums of fluxes in whole numbers", whole * FV_VALUES * cells,
      TRM_TYPE_F64, 1, NULL }, /* of 64 bits too */
    { &implementation->most, "largest fluxes", whole * FV_VALUES, fv->real_type, 1, NULL },
    { &implementation->packed, "cells' values side by side", packed, fv->real_type, 1, NULL } };
  memcpy(to, list, sizeof list);
  return sizeof list / sizeof *list;
}

/* ---- a stage ----------------------------------------------------------------------- */

/* OpenCL has atomics of 64 bits by an extension: a device without it has no kernel with them, in
 * f32 none of whole numbers. */
static trm_status find_atomics(fv_solver *fv)
{
  static const char *const of_reals[] = { "fv_push_both" };
  static const char *const of_whole[] = { "fv_push_most", "fv_push_whole" };
  const int whole = is_whole(&fv->implementation);
  trm_framework_program *pushes = &fv->implementation.pushes;
  trm_status status = TRM_OK;
  for (int i = 0; i < 1 + whole && status == TRM_OK; i++)
    status = trm_program_kernel(pushes->program, whole ? of_whole[i] : of_reals[i],
                                &pushes->kernels[(whole ? PUSH_MOST : PUSH_BOTH) + i]);
  if (status != TRM_ERROR_NOT_FOUND) return status;
  return TRM_FAIL(UNSUPPORTED, "compressible.implementation = %s: not testable here: %s has no "
                  "atomics of 64 bits; choose push-sides%s", whole ? "push-fixed" : "push-atomics",
                  trm_device_describe(fv->base.device)->name, whole ? "" : ", or --precision=f32");
}

trm_status fv_build_implementation(fv_solver *fv, const trm_solver_options *run)
{
  static const char *const kernels[] = { [LIST_FACES] = "fv_list_faces",
    [LIST_CELLS] = "fv_list_cells", [BLOCK_FACES] = "fv_block_faces",
    [BLOCK_CELLS] = "fv_block_cells", [PACK] = "fv_pack", NULL };
  static const char *const of_pushes[] = { [PUSH_SIDE] = "fv_push_side",
    [PUSH_CELLS] = "fv_push_cells", [SIDE_CELLS] = "fv_side_cells",
    [WHOLE_CELLS] = "fv_whole_cells", NULL };
  const char *variant = fv->n[2] == 1 ? "flat" : NULL;
  const trm_framework_recipe recipe = { &source, variant, "fv_params", sizeof(fv_params),
                                        kernels };
  const trm_framework_recipe pushes = { &fv_push_source, variant, "fv_params", sizeof(fv_params),
                                        of_pushes };
  trm_solver_options how = *run;
  char defines[32];
  if (fv->implementation.form == FV_FUSED) return TRM_OK;
  snprintf(defines, sizeof defines, "#define FV_STRUCTS %d\n", fv->implementation.structs);
  if (how.group == 0 && is_listed(&fv->implementation) &&
      !trm_device_describe(fv->base.device)->is_host)
    how.group = FV_LISTED < 32 ? 32 : FV_LISTED; /* a group of a GPU has 32 items at least */
  TRM_TRY(trm_framework_program_create_with(fv->base.device, &recipe, defines, &how,
                                            &fv->implementation.program));
  if (fv->implementation.form < FV_SIDE_ORDER) return TRM_OK;
  TRM_TRY(trm_framework_program_create_with(fv->base.device, &pushes, defines, &how,
                                            &fv->implementation.pushes));
  return fv->implementation.form >= FV_PUSH_ATOMICS ? find_atomics(fv) : TRM_OK;
}

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
    TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->program, PACK, (int)fv->forest->slots, 1, &p,
                                 state, fv->clock, implementation->packed));
    state = implementation->packed;
  }
  return TRM_FRAMEWORK_LAUNCH(&implementation->program, LIST_FACES, p.faces / FV_LISTED, 1, &p,
                              state, implementation->faces, implementation->beside, fv->clock,
                              implementation->fluxes);
}

static trm_status launch_cells(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  const fv_params p = listed(fv);
  const int has_sides = implementation->form == FV_SIDE_ORDER;
  return TRM_FRAMEWORK_LAUNCH(has_sides ? &implementation->pushes : &implementation->program,
                              has_sides ? SIDE_CELLS : LIST_CELLS, p.blocks, 1, &p,
                              fv->w[fv->current], fv->w[!fv->current], fv->q,
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
    for (int axis = 0; axis < axes_of(fv); axis++) {
      const size_t *first = &implementation->first_face[axis];
      p.units = side;
      p.first = (int)first[0];
      TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->pushes, PUSH_SIDE,
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
  return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, PUSH_BOTH, p.faces / FV_LISTED, 1, &p,
                              implementation->faces, implementation->fluxes, fv->clock,
                              implementation->rest);
}

/* Their units are parts of the largest fluxes, which a launch finds first. */
static trm_status push_whole(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  const fv_params p = listed(fv);
  TRM_TRY(clear(fv, implementation->whole));
  TRM_TRY(clear(fv, implementation->most));
  TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->pushes, PUSH_MOST, p.faces / FV_LISTED, 1, &p,
                               implementation->fluxes, fv->clock, implementation->most));
  return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, PUSH_WHOLE, p.faces / FV_LISTED, 1, &p,
                              implementation->faces, implementation->fluxes, implementation->most,
                              fv->clock, implementation->whole);
}

static trm_status launch_pushed(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  trm_buffer *now = fv->w[fv->current], *next = fv->w[!fv->current];
  const fv_params p = listed(fv);
  TRM_TRY(launch_faces(fv));
  if (is_whole(implementation)) {
    TRM_TRY(push_whole(fv));
    return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, WHOLE_CELLS, p.blocks, 1, &p, now, next,
                                fv->q, implementation->whole, implementation->most, fv->clock,
                                fv->part);
  }
  TRM_TRY(implementation->form == FV_PUSH_SIDES ? push_sides(fv) : push_both(fv));
  return TRM_FRAMEWORK_LAUNCH(&implementation->pushes, PUSH_CELLS, p.blocks, 1, &p, now, next,
                              fv->q, implementation->rest, fv->clock, fv->part);
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

void fv_free_implementation(fv_solver *fv)
{
  for (int i = 0; i < FV_MIRRORS; i++) free(fv->implementation.mirrors[i]);
  trm_framework_program_destroy(&fv->implementation.pushes);
  trm_framework_program_destroy(&fv->implementation.program);
}

trm_status fv_launch_implementation(fv_solver *fv)
{
  const fv_implementation *implementation = &fv->implementation;
  trm_buffer *now = fv->w[fv->current], *next = fv->w[!fv->current];
  if (implementation->form == FV_TWO_KERNELS) {
    TRM_TRY(TRM_FRAMEWORK_LAUNCH(&implementation->program, BLOCK_FACES, fv->p.blocks, 1, &fv->p,
                                 now, fv->near, fv->clock, implementation->fluxes));
    return TRM_FRAMEWORK_LAUNCH(&implementation->program, BLOCK_CELLS, fv->p.blocks, 1, &fv->p, now,
                                next, fv->q, implementation->fluxes, fv->clock, fv->part);
  }
  if (implementation->form == FV_COPIED) return launch_copied(fv);
  if (is_pushed(implementation)) return launch_pushed(fv);
  TRM_TRY(launch_faces(fv));
  return launch_cells(fv);
}

static void declare(fv_solver *fv, size_t *count, const trm_traffic *one)
{
  fv->traffic[(*count)++] = *one;
}

/* Pushed: each face's flux and the numbers of its cells are read. Sums of cells are read and
 * written. There is a launch for each side and axis, or one. Sums begin with 0. */
static void declare_pushes(fv_solver *fv, double faces, double values, size_t *count)
{
  const fv_implementation *implementation = &fv->implementation;
  const int is_by_sides = implementation->form == FV_PUSH_SIDES, axes = axes_of(fv);
  const double each = is_by_sides ? faces / axes : faces, cells = fv->base.cells;
  const double index = sizeof(int32_t), launches = is_by_sides ? 2.0 * axes : 1.0;
  const double sums = is_whole(implementation) ? FV_VALUES * sizeof(double) : values;
  const double operations = FV_VALUES * (is_by_sides ? 1.0 : is_whole(implementation) ? 4.0 : 2.0);
  trm_buffer *cleared = is_whole(implementation) ? implementation->whole : implementation->rest;
  if (is_whole(implementation))
    declare(fv, count, &(trm_traffic){ "fv_push_most", values * faces, 0.0, 0.0, FV_STAGES });
  declare(fv, count, &(trm_traffic){ is_by_sides ? "fv_push_side" : is_whole(implementation)
                                     ? "fv_push_whole" : "fv_push_both",
                                     values * each + sums * cells +
                                       (is_by_sides ? 2 : 3) * index * each, sums * cells,
                                     operations * each, launches * FV_STAGES });
  declare(fv, count, &(trm_traffic){ "fill", 0.0, (double)trm_buffer_bytes(cleared), 0.0,
                                     FV_STAGES });
}

/* Operations of a cell's update, beside those of lists: pushed, they have the sums; in the order of
 * sides, an addition a value more. */
static double of_cell(const fv_solver *fv, double cell)
{
  const int axes = axes_of(fv);
  if (is_pushed(&fv->implementation)) return cell - FV_VALUES * (axes + 2.0);
  return fv->implementation.form == FV_SIDE_ORDER && axes == 3 ? cell + FV_VALUES : cell;
}

static const char *cells_kernel(const fv_implementation *implementation)
{
  return is_whole(implementation) ? "fv_whole_cells" : is_pushed(implementation) ? "fv_push_cells"
         : implementation->form == FV_SIDE_ORDER ? "fv_side_cells"
         : is_listed(implementation) ? "fv_list_cells" : "fv_block_cells";
}

/* Lists have three numbers of a face, and of a cell its neighbours' six and those of its faces.
 * Nobody reads the faces between rows. traffic[1] is declared elsewhere. */
size_t fv_declare_implementation(fv_solver *fv, double face, double cell)
{
  const fv_implementation *implementation = &fv->implementation;
  const int has_lists = is_listed(implementation), has_rest = is_pushed(implementation);
  const double cells = fv->base.cells, faces = (double)implementation->face_count;
  const double index = sizeof(int32_t);
  const double values = FV_VALUES * (double)trm_type_size(fv->real_type);
  const double read = has_rest ? cells : has_lists ? faces
                                : (double)(fv->forest->blocks.count * faces_of_cells(fv));
  const double sums = is_whole(implementation) ? FV_VALUES * sizeof(double) : values;
  const double looked_up = has_lists ? index * (3.0 * faces + 6.0 * cells) : 0.0;
  const double gathered = has_lists && !has_rest ? index * 2.0 * axes_of(fv) * cells : 0.0;
  size_t count = 3;
  fv->traffic[0] = (trm_traffic){ has_lists ? "fv_list_faces" : "fv_block_faces",
                                  values * cells + looked_up,
                                  values * faces, face * faces, FV_STAGES };
  fv->traffic[2] = (trm_traffic){ cells_kernel(implementation),
                                  values * cells + sums * read + gathered,
                                  (1.0 + 1.0 / FV_STAGES) * values * cells,
                                  of_cell(fv, cell) * cells,
                                  FV_STAGES };
  if (has_rest) declare_pushes(fv, faces, values, &count);
  if (implementation->packed) {
    const double bytes = (double)trm_buffer_bytes(implementation->packed);
    declare(fv, &count, &(trm_traffic){ "fv_pack", bytes, bytes, 0.0, FV_STAGES });
  }
  return count;
}
