/* programs.c - the N-body solver's programs and kernels, and its memory on the device. */
#include "solvers/nbody/nbody.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char trm_text_nbody_force[];
TRM_DECLARE_MODULES(nbody_force);
static const trm_program_source force_source = {
  "nbody_force", "solvers/nbody/kernels/nbody_force.k", trm_text_nbody_force,
  TRM_MODULES(nbody_force)
};

TRM_FRAMEWORK_SOURCE(nbody, "solvers/nbody/kernels/nbody.k");
TRM_FRAMEWORK_SOURCE(nbody_hermite, "solvers/nbody/kernels/nbody_hermite.k");

/* ---- programs --------------------------------------------------------------- */

/* The form of the force kernel. The best kernel on a host computes several bodies in the lanes of a
 * vector. On a GPU each item has four targets, so that one source read from the tile serves four
 * interactions. */
typedef struct force_form {
  const char *name, *variant;
  int targets, has_tile, unroll;
} force_form;
static const force_form forms[] = {
  {"naive", "naive", 1, 0, 1}, {"tiled", NULL, 1, 1, 1}, {"tiled-unroll2", "unroll2", 1, 1, 2},
  {"tiled-unroll4", "unroll4", 1, 1, 4}, {"tiled-unroll8", "unroll8", 1, 1, 8},
  {"targets2", "targets2", 2, 1, 4}, {"targets4", "targets4", 4, 1, 4}};

static const force_form *find_form(const nbody_solver *nbody, const trm_config *config)
{
  const char *name = trm_config_string(config, "nbody.implementation");
  if (strcmp(name, "best") == 0)
    name = trm_device_describe(nbody->base.device)->is_host ? "tiled" : "targets4";
  size_t i = 0;
  while (strcmp(forms[i].name, name) != 0) i++;
  return &forms[i];
}

/* A host has the compiled forms: one with that unrolling. */
static trm_status unroll_on_host(const trm_config *config, int unroll, const force_form **form)
{
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (forms[i].targets == (*form)->targets && forms[i].has_tile == (*form)->has_tile &&
        forms[i].unroll == unroll) {
      *form = &forms[i];
      return TRM_OK;
    }
  return TRM_FAIL(UNSUPPORTED, "%s: nbody.unroll = %d of the kernel %s: a host has it with %d "
                  "alone; choose nbody.implementation = tiled, or a device of opencl or cuda",
                  trm_config_origin(config, "nbody.unroll"), unroll, (*form)->name,
                  (*form)->unroll);
}

static int rereads_target(const trm_config *config)
{
  return strcmp(trm_config_string(config, "nbody.target"), "memory") == 0;
}

/* Items of a host take turns, so that each reads its target from a cache in any case. */
static trm_status check_target(const nbody_solver *nbody, const trm_config *config,
                               const force_form *form)
{
  const char *origin = trm_config_origin(config, "nbody.target");
  if (form->has_tile)
    return TRM_FAIL(INPUT, "%s: nbody.target = memory is of the kernel without a tile; choose "
                    "nbody.implementation = naive, or leave it out", origin);
  if (trm_device_describe(nbody->base.device)->is_host)
    return TRM_FAIL(UNSUPPORTED, "%s: nbody.target = memory: not testable here: a host has no "
                    "registers of an item; choose a device of opencl or cuda", origin);
  return TRM_OK;
}

/* The keys that change a form, for the compiler of a GPU; "": none is given. */
static trm_status read_keys(nbody_solver *nbody, const trm_config *config, const force_form **form,
                            char *defines, size_t bytes)
{
  const char *loads = trm_config_string(config, "nbody.loads");
  const char *unroll = trm_config_string(config, "nbody.unroll");
  const int has_unroll = strcmp(unroll, "named") != 0, rereads = rereads_target(config);
  const int each = has_unroll ? atoi(unroll) : (*form)->unroll;
  defines[0] = 0;
  nbody->loads = strcmp(loads, "named") == 0 ? 0 : atoi(loads);
  if (nbody->loads == 16 && nbody->is_shared) {
    trm_framework_several several;
    trm_framework_name_several(nbody->base.device, &several);
    return TRM_FAIL(UNSUPPORTED, "%s: nbody.loads = 16 works on one device alone, and %s; leave it "
                    "out, or %s", trm_config_origin(config, "nbody.loads"), several.named,
                    several.cure);
  }
  if (rereads) TRM_TRY(check_target(nbody, config, *form));
  if (!has_unroll && !nbody->loads && !rereads) return TRM_OK;
  if (trm_device_describe(nbody->base.device)->is_host)
    return unroll_on_host(config, each, form);
  snprintf(defines, bytes, "#define NBODY_LOADS %d\n#define NBODY_EACH %d\n"
           "#define NBODY_TARGETS %d\n%s", nbody->loads, each,
           (*form)->has_tile ? (*form)->targets : 0, rereads ? "#define NBODY_REREAD 1\n" : "");
  return TRM_OK;
}

/* The keys are of the kernel of all pairs. */
static trm_status check_keys(const nbody_solver *nbody, const trm_config *config)
{
  static const char *const keys[] = { "nbody.loads", "nbody.unroll", "nbody.target" };
  if (!nbody->with_tree && nbody->integrator != NBODY_HERMITE) return TRM_OK;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (strcmp(trm_config_string(config, keys[i]), "named") != 0)
      return TRM_FAIL(INPUT, "%s: %s is of the kernel of all pairs, which %s has not; leave it "
                      "out, or choose %s", trm_config_origin(config, keys[i]), keys[i],
                      nbody->with_tree ? "nbody.force = tree" : "nbody.integrator = hermite4",
                      nbody->with_tree ? "nbody.force = pairs" : "nbody.integrator = leapfrog");
  return TRM_OK;
}

static trm_status build(nbody_solver *nbody, const trm_program_source *program, const char *variant,
                        const char *const *kernels, const trm_solver_options *how,
                        trm_framework_program *out)
{
  const trm_framework_recipe recipe = {program, variant, "nbody_params", sizeof(nbody_params),
                                       kernels};
  return trm_framework_program_create(nbody->base.device, &recipe, how, out);
}

/* The kernels of the forces without a tree. */
static trm_status build_forces(nbody_solver *nbody, const trm_config *config,
                               const trm_solver_options *how)
{
  static const char *const hermite[] = {"hermite_force", "hermite_predict", "hermite_correct",
                                        "hermite_fold", NULL};
  const char *const pairs[] = {nbody->full ? "nbody_force_full" : "nbody_force_plain", NULL};
  if (nbody->integrator == NBODY_HERMITE)
    return build(nbody, &nbody_hermite_source, NULL, hermite, how, &nbody->forces);
  const force_form *form = find_form(nbody, config);
  char defines[128];
  TRM_TRY(read_keys(nbody, config, &form, defines, sizeof defines));
  nbody->targets = form->targets;
  const trm_framework_recipe recipe = {&force_source, form->variant, "nbody_params",
                                       sizeof(nbody_params), pairs};
  return trm_framework_program_create_with(nbody->base.device, &recipe, defines, how,
                                           &nbody->forces);
}

int nbody_block(const nbody_solver *nbody)
{
  return NBODY_BLOCK * trm_program_describe(nbody->moves.program)->group;
}

/* Where groups are few, segments are summed side by side; on a host one after the other. */
static void size_up(nbody_solver *nbody)
{
  const int is_host = trm_device_describe(nbody->base.device)->is_host;
  const int block = nbody_block(nbody);
  nbody->segments_each = is_host || nbody->with_tree ? nbody->segments : 1;
  nbody->rows = (nbody->segments + nbody->segments_each - 1) / nbody->segments_each;
  nbody->stride = (nbody->count + block - 1) / block * block;
  nbody->slots = NBODY_SLOTS;
  while (nbody->slots > 1 && (int64_t)nbody->slots * NBODY_MEASURES * nbody->stride > 1 << 22)
    nbody->slots /= 2;
}

/* Devices that share groups have groups of one size; a host's is fixed. */
static trm_status choose_group(nbody_solver *nbody, int *group)
{
  enum { HOST_GROUP = 64 };      /* TRM_GROUP of core/kernel_host.h */
  size_t hosts, all;
  TRM_TRY(trm_framework_count_hosts(nbody->base.device, &hosts, &all));
  if (hosts > 0) *group = HOST_GROUP;
  else if (all > 0 && *group == 0) *group = trm_device_describe(nbody->base.device)->group;
  nbody->is_shared = all > 0;
  return TRM_OK;
}

trm_status nbody_build(nbody_solver *nbody, const trm_config *config,
                       const trm_solver_options *run)
{
  const char *const moves[] = {"nbody_drift", "nbody_explicit",
                               nbody->full ? "nbody_kick_full" : "nbody_kick_plain",
                               "nbody_measure", "nbody_deposit", "nbody_pack", NULL};
  int group = (int)trm_config_integer(config, "nbody.group");
  trm_solver_options how = *run;
  TRM_TRY(choose_group(nbody, &group));
  if (group) how.group = group;
  nbody->targets = 1;
  TRM_TRY(check_keys(nbody, config));
  TRM_TRY(build(nbody, &nbody_source, NULL, moves, &how, &nbody->moves));
  size_up(nbody);
  TRM_TRY(nbody->with_tree ? nbody_tree_build(nbody, &how) : build_forces(nbody, config, &how));
  nbody->base.program = trm_program_describe(nbody->with_tree ? nbody->tree.grower.program
                                                              : nbody->forces.program);
  return TRM_OK;
}

/* ---- memory ------------------------------------------------------------------ */

void nbody_list(nbody_solver *nbody, trm_buffer **buffer, const char *name, size_t count,
                trm_type type)
{
  nbody->memory[nbody->memory_count++] =
    (trm_framework_buffer){buffer, name, count, type, type == trm_real_type(nbody->precision),
                           NULL};
}

trm_status nbody_check_room(nbody_solver *nbody)
{
  const trm_type real_type = trm_real_type(nbody->precision);
  const size_t stride = (size_t)nbody->stride, slots = (size_t)nbody->slots;
  const size_t side = (size_t)nbody->picture_width;
  const size_t jerk = nbody->integrator == NBODY_HERMITE ? stride : 0;
  const struct { trm_buffer **buffer; const char *name; size_t reals; } all[] = {
    {&nbody->bodies, "positions", 4 * stride},
    {&nbody->packed, "positions side by side", nbody->loads == 16 ? 4 * stride : 0},
    {&nbody->motion, "velocities", 3 * stride},
    {&nbody->pull, "accelerations", 7 * stride}, {&nbody->mass, "masses", stride},
    {&nbody->part, "partial sums", (size_t)nbody->rows * (jerk ? 7 : 4) * stride},
    {&nbody->old, "old positions", 6 * jerk}, {&nbody->found, "predicted forces", 7 * jerk},
    {&nbody->leaves, "measures", NBODY_MEASURES * slots * stride},
    {&nbody->sums, "sums", NBODY_MEASURES * slots},
    {&nbody->series_rows, "series", NBODY_SERIES * NBODY_BATCH_LIMIT},
    {&nbody->origin, "energy at the start", 1}};
  char what[64];
  uint64_t bytes, more = 0;
  nbody->memory_count = 0;
  if (nbody->with_tree) nbody_tree_list(nbody, &more);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    nbody_list(nbody, all[i].buffer, all[i].name, all[i].reals, real_type);
  nbody_list(nbody, &nbody->place, "place", 1, TRM_TYPE_I32);
  nbody_list(nbody, &nbody->density, "density", side * side, TRM_TYPE_F32);
  if (nbody->is_moved)
    nbody_list(nbody, &nbody->places, "places", 3 * (size_t)nbody->count, TRM_TYPE_F64);
  snprintf(what, sizeof what, "a system of %d bodies", nbody->count);
  TRM_TRY(trm_framework_bytes(nbody->memory, nbody->memory_count, &bytes));
  return trm_device_require(nbody->base.device, bytes + more, what);
}

/* Several devices share out blocks of bodies: their places, accelerations and measured values. */
static trm_status share(const nbody_solver *nbody, trm_buffer *buffer)
{
  const size_t stride = (size_t)nbody->stride, bodies = (size_t)nbody_block(nbody);
  const trm_type type = trm_real_type(nbody->precision);
  const size_t components = buffer ? trm_buffer_bytes(buffer) / trm_type_size(type) / stride : 0;
  const trm_by_rows rows = { .type = type, .nx = bodies, .ny = stride / bodies, .nz = 1,
                             .components = components, .is_output = 1,
                             .layout = { .row = bodies, .component = stride } };
  if (!buffer) return TRM_OK;
  trm_buffer_rows_called(buffer, "block of bodies", "blocks of bodies");
  return trm_buffer_rows(buffer, &rows);
}

static trm_status share_out(const nbody_solver *nbody)
{
  trm_buffer *const shared[] = { nbody->bodies, nbody->motion, nbody->pull, nbody->part, nbody->old,
                                 nbody->found, nbody->leaves, nbody->tree.walked };
  for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) TRM_TRY(share(nbody, shared[i]));
  return TRM_OK;
}

trm_status nbody_allocate(nbody_solver *nbody)
{
  TRM_TRY(nbody_check_room(nbody));
  TRM_TRY(trm_framework_allocate(nbody->base.device, nbody->memory, nbody->memory_count,
                                 "the bodies"));
  TRM_TRY(share_out(nbody));
  if (nbody->with_tree) TRM_TRY(nbody_tree_allocate(nbody));
  return trm_reduction_create(nbody->base.device, TRM_SUM, nbody->precision, (size_t)nbody->count,
                              NBODY_MEASURES * (size_t)nbody->slots, &nbody->fold);
}
