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
  if (!implementation->structs ||
      (fv_is_listed(implementation) && implementation->form != FV_COPIED))
    return TRM_OK;
  return TRM_FAIL(UNSUPPORTED,
                  "%s: compressible.structs = %s is of lists that stay on the device, "
                  "and compressible.implementation is '%s'; choose lists, or leave "
                  "compressible.structs out",
                  trm_config_origin(config, "compressible.structs"),
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

/* ---- memory ------------------------------------------------------------------------ */

/* Faces of a block, those at its sides included. */
static size_t faces_of_cells(const fv_solver *fv)
{
  const size_t axes = (size_t)fv_axes(fv);
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
  if (fv_is_listed(implementation)) {
    implementation->face_count = 0;
    for (int axis = 0; axis < fv_axes(fv); axis++) {
      implementation->first_face[axis] = implementation->face_count;
      implementation->face_count += fv_faces_along(fv, axis);
      implementation->first_face[axis + 1] = implementation->face_count;
    }
  }
  fv->p.faces = (int)implementation->face_count;
  const size_t listed = (size_t)fv_is_listed(implementation);
  const size_t pushed = (size_t)fv_is_pushed(implementation);
  const size_t whole = (size_t)fv_is_whole(implementation);
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
  const int whole = fv_is_whole(&fv->implementation);
  trm_framework_program *pushes = &fv->implementation.pushes;
  trm_status status = TRM_OK;
  for (int i = 0; i < 1 + whole && status == TRM_OK; i++)
    status = trm_program_kernel(
        pushes->program, whole ? of_whole[i] : of_reals[i],
        &pushes->kernels[(whole ? FV_KERNEL_PUSH_MOST : FV_KERNEL_PUSH_BOTH) + i]);
  if (status != TRM_ERROR_NOT_FOUND) return status;
  return TRM_FAIL(UNSUPPORTED,
                  "compressible.implementation = %s: not testable here: %s has no "
                  "atomics of 64 bits; choose push-sides%s",
                  whole ? "push-fixed" : "push-atomics", trm_device_describe(fv->base.device)->name,
                  whole ? "" : ", or --precision=f32");
}

trm_status fv_build_implementation(fv_solver *fv, const trm_solver_options *run)
{
  static const char *const kernels[] = { [FV_KERNEL_LIST_FACES] = "fv_list_faces",
    [FV_KERNEL_LIST_CELLS] = "fv_list_cells", [FV_KERNEL_BLOCK_FACES] = "fv_block_faces",
    [FV_KERNEL_BLOCK_CELLS] = "fv_block_cells", [FV_KERNEL_PACK] = "fv_pack", NULL };
  static const char *const of_pushes[] = { [FV_KERNEL_PUSH_SIDE] = "fv_push_side",
    [FV_KERNEL_PUSH_CELLS] = "fv_push_cells", [FV_KERNEL_SIDE_CELLS] = "fv_side_cells",
    [FV_KERNEL_WHOLE_CELLS] = "fv_whole_cells", NULL };
  const char *variant = fv->n[2] == 1 ? "flat" : NULL;
  const trm_framework_recipe recipe = { &source, variant, "fv_params", sizeof(fv_params),
                                        kernels };
  const trm_framework_recipe pushes = { &fv_push_source, variant, "fv_params", sizeof(fv_params),
                                        of_pushes };
  trm_solver_options how = *run;
  char defines[32];
  if (fv->implementation.form == FV_FUSED) return TRM_OK;
  snprintf(defines, sizeof defines, "#define FV_STRUCTS %d\n", fv->implementation.structs);
  if (how.group == 0 && fv_is_listed(&fv->implementation) &&
      !trm_device_describe(fv->base.device)->is_host)
    how.group = FV_LISTED < 32 ? 32 : FV_LISTED; /* a group of a GPU has 32 items at least */
  TRM_TRY(trm_framework_program_create_with(fv->base.device, &recipe, defines, &how,
                                            &fv->implementation.program));
  if (fv->implementation.form < FV_SIDE_ORDER) return TRM_OK;
  TRM_TRY(trm_framework_program_create_with(fv->base.device, &pushes, defines, &how,
                                            &fv->implementation.pushes));
  return fv->implementation.form >= FV_PUSH_ATOMICS ? find_atomics(fv) : TRM_OK;
}

void fv_free_implementation(fv_solver *fv)
{
  for (int i = 0; i < FV_MIRRORS; i++) free(fv->implementation.mirrors[i]);
  trm_framework_program_destroy(&fv->implementation.pushes);
  trm_framework_program_destroy(&fv->implementation.program);
}

/* ---- traffic ----------------------------------------------------------------------- */

static void declare(fv_solver *fv, size_t *count, const trm_traffic *one)
{
  fv->traffic[(*count)++] = *one;
}

/* Pushed: each face's flux and the numbers of its cells are read. Sums of cells are read and
 * written. There is a launch for each side and axis, or one. Sums begin with 0. */
static void declare_pushes(fv_solver *fv, double faces, double values, size_t *count)
{
  const fv_implementation *implementation = &fv->implementation;
  const int is_by_sides = implementation->form == FV_PUSH_SIDES, axes = fv_axes(fv);
  const double each = is_by_sides ? faces / axes : faces, cells = fv->base.cells;
  const double index = sizeof(int32_t), launches = is_by_sides ? 2.0 * axes : 1.0;
  const double sums = fv_is_whole(implementation) ? FV_VALUES * sizeof(double) : values;
  const double operations = FV_VALUES * (is_by_sides                   ? 1.0
                                         : fv_is_whole(implementation) ? 4.0
                                                                       : 2.0);
  trm_buffer *cleared = fv_is_whole(implementation) ? implementation->whole : implementation->rest;
  if (fv_is_whole(implementation))
    declare(fv, count, &(trm_traffic){ "fv_push_most", values * faces, 0.0, 0.0, FV_STAGES });
  declare(fv, count, &(trm_traffic){ is_by_sides ? "fv_push_side" : fv_is_whole(implementation)
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
  const int axes = fv_axes(fv);
  if (fv_is_pushed(&fv->implementation)) return cell - FV_VALUES * (axes + 2.0);
  return fv->implementation.form == FV_SIDE_ORDER && axes == 3 ? cell + FV_VALUES : cell;
}

static const char *cells_kernel(const fv_implementation *implementation)
{
  return fv_is_whole(implementation)             ? "fv_whole_cells"
         : fv_is_pushed(implementation)          ? "fv_push_cells"
         : implementation->form == FV_SIDE_ORDER ? "fv_side_cells"
         : fv_is_listed(implementation)          ? "fv_list_cells"
                                                 : "fv_block_cells";
}

/* Lists have three numbers of a face, and of a cell its neighbours' six and those of its faces.
 * Nobody reads the faces between rows. traffic[1] is declared elsewhere. */
size_t fv_declare_implementation(fv_solver *fv, double face, double cell)
{
  const fv_implementation *implementation = &fv->implementation;
  const int has_lists = fv_is_listed(implementation), has_rest = fv_is_pushed(implementation);
  const double cells = fv->base.cells, faces = (double)implementation->face_count;
  const double index = sizeof(int32_t);
  const double values = FV_VALUES * (double)trm_type_size(fv->real_type);
  const double read = has_rest ? cells : has_lists ? faces
                                : (double)(fv->forest->blocks.count * faces_of_cells(fv));
  const double sums = fv_is_whole(implementation) ? FV_VALUES * sizeof(double) : values;
  const double looked_up = has_lists ? index * (3.0 * faces + 6.0 * cells) : 0.0;
  const double gathered = has_lists && !has_rest ? index * 2.0 * fv_axes(fv) * cells : 0.0;
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
