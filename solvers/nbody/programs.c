/* programs.c - the N-body solver's programs and kernels, and its memory on the device. */
#include "solvers/nbody/nbody.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

extern const char trm_text_nbody_force[];
TRM_DECLARE_MODULES(nbody_force);
TRM_DECLARE_VARIANT(nbody_force, naive);
TRM_DECLARE_VARIANT(nbody_force, unroll2);
TRM_DECLARE_VARIANT(nbody_force, unroll4);
TRM_DECLARE_VARIANT(nbody_force, unroll8);
TRM_DECLARE_VARIANT(nbody_force, targets2);
TRM_DECLARE_VARIANT(nbody_force, targets4);
static const trm_host_module *const force_modules[] = {
  TRM_MODULES(nbody_force), TRM_VARIANT_MODULES(nbody_force, naive),
  TRM_VARIANT_MODULES(nbody_force, unroll2), TRM_VARIANT_MODULES(nbody_force, unroll4),
  TRM_VARIANT_MODULES(nbody_force, unroll8), TRM_VARIANT_MODULES(nbody_force, targets2),
  TRM_VARIANT_MODULES(nbody_force, targets4), NULL
};
static const trm_program_source force_source = {
  "nbody_force", "solvers/nbody/kernels/nbody_force.k", trm_text_nbody_force, force_modules
};

extern const char trm_text_nbody[];
TRM_DECLARE_MODULES(nbody);
static const trm_host_module *const modules[] = { TRM_MODULES(nbody), NULL };
static const trm_program_source source = {
  "nbody", "solvers/nbody/kernels/nbody.k", trm_text_nbody, modules
};

extern const char trm_text_nbody_hermite[];
TRM_DECLARE_MODULES(nbody_hermite);
static const trm_host_module *const hermite_modules[] = { TRM_MODULES(nbody_hermite), NULL };
static const trm_program_source hermite_source = {
  "nbody_hermite", "solvers/nbody/kernels/nbody_hermite.k", trm_text_nbody_hermite, hermite_modules
};

/* ---- programs --------------------------------------------------------------- */

/* The form of the force kernel. The best one has lanes of bodies on a host; on a GPU four targets
 * an item, so that one source read from the tile serves four interactions. */
static const char *find_variant(nbody_solver *nbody, const trm_config *config)
{
  static const struct { const char *name, *variant; int targets; } forms[] = {
    {"naive", "naive", 1}, {"tiled", NULL, 1}, {"tiled-unroll2", "unroll2", 1},
    {"tiled-unroll4", "unroll4", 1}, {"tiled-unroll8", "unroll8", 1}, {"targets2", "targets2", 2},
    {"targets4", "targets4", 4}};
  const char *name = trm_config_string(config, "nbody.kernel");
  if (strcmp(name, "best") == 0)
    name = trm_device_describe(nbody->base.device)->is_host ? "tiled" : "targets4";
  size_t i = 0;
  while (strcmp(forms[i].name, name) != 0) i++;
  nbody->targets = forms[i].targets;
  return forms[i].variant;
}

static trm_status build_pairs(nbody_solver *nbody, const trm_config *config,
                              trm_program_options how)
{
  how.variant = find_variant(nbody, config);
  TRM_TRY(trm_program_create(nbody->base.device, &force_source, &how, &nbody->pairs));
  return trm_program_kernel(nbody->pairs, nbody->full ? "nbody_force_full" : "nbody_force_plain",
                            &nbody->force);
}

static trm_status build_hermite(nbody_solver *nbody, const trm_program_options *how)
{
  TRM_TRY(trm_program_create(nbody->base.device, &hermite_source, how, &nbody->hermite));
  TRM_TRY(trm_program_kernel(nbody->hermite, "hermite_force", &nbody->jerk));
  TRM_TRY(trm_program_kernel(nbody->hermite, "hermite_predict", &nbody->predict));
  TRM_TRY(trm_program_kernel(nbody->hermite, "hermite_correct", &nbody->correct));
  return trm_program_kernel(nbody->hermite, "hermite_fold", &nbody->jerk_fold);
}

/* Where groups are few, segments are summed side by side; on a host one after the other. */
static void size_up(nbody_solver *nbody)
{
  const int is_host = trm_device_describe(nbody->base.device)->is_host;
  const int block = 4 * trm_program_describe(nbody->program)->group;
  nbody->segments_each = is_host || nbody->with_tree ? nbody->segments : 1;
  nbody->rows = (nbody->segments + nbody->segments_each - 1) / nbody->segments_each;
  nbody->stride = (nbody->sources + block - 1) / block * block;
  nbody->slots = NBODY_SLOTS;
  while (nbody->slots > 1 && (int64_t)nbody->slots * NBODY_MEASURES * nbody->stride > 1 << 22)
    nbody->slots /= 2;
}

trm_status nbody_build(nbody_solver *nbody, const trm_config *config,
                       const trm_solver_options *run)
{
  const int group = (int)trm_config_integer(config, "nbody.group");
  nbody->targets = 1;
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, group ? group : run->group };
  TRM_TRY(trm_program_create(nbody->base.device, &source, &how, &nbody->program));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_drift", &nbody->drift));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_explicit", &nbody->explicit_step));
  TRM_TRY(trm_program_kernel(nbody->program, nbody->full ? "nbody_kick_full" : "nbody_kick_plain",
                             &nbody->kick));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_measure", &nbody->measure));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_deposit", &nbody->deposit));
  size_up(nbody);
  const int is_hermite = nbody->integrator == NBODY_HERMITE;
  TRM_TRY(nbody->with_tree ? nbody_tree_create(nbody, &how)
          : is_hermite     ? build_hermite(nbody, &how)
                           : build_pairs(nbody, config, how));
  nbody->base.program = trm_program_describe(nbody->with_tree ? nbody->tree.program
                                             : is_hermite     ? nbody->hermite
                                                              : nbody->pairs);
  return TRM_OK;
}

/* ---- memory ------------------------------------------------------------------ */

trm_status nbody_allocate(const nbody_solver *nbody, size_t rows, size_t count, const char *name,
                          trm_buffer **out)
{
  const double nothing = 0.0;
  const size_t real_bytes = trm_type_size(trm_real_type(nbody->precision));
  size_t elements, bytes;
  TRM_TRY(trm_size_mul(rows, count, name, &elements));
  TRM_TRY(trm_size_mul(elements, real_bytes, name, &bytes));
  TRM_TRY(trm_buffer_create(nbody->base.device, bytes, name, out));
  return trm_buffer_fill(*out, 0, bytes, &nothing, real_bytes);
}

trm_status nbody_check_room(const nbody_solver *nbody, size_t stride, size_t rows, size_t slots)
{
  char what[64];
  const int is_hermite = nbody->integrator == NBODY_HERMITE;
  const uint64_t n = stride, side = (uint64_t)nbody->picture_width;
  const uint64_t real_bytes = trm_type_size(trm_real_type(nbody->precision));
  uint64_t reals =
      15 + (is_hermite ? 7 : 4) * rows + (is_hermite ? 13 : 0) + NBODY_MEASURES * slots;
  uint64_t ints = 0, nodes = 0;
  if (nbody->with_tree) { /* sorted bodies and their keys; the nodes */
    reals += 4;
    ints += 2 * (1 + TREE_WORDS);
    nodes = nbody_tree_nodes(nbody->count ? nbody->count : (int)stride);
  }
  snprintf(what, sizeof what, "a system of %zu bodies",
           nbody->count ? (size_t)nbody->count : stride);
  return trm_device_require(nbody->base.device,
                            (reals * n + TREE_NODE * nodes +
                             (uint64_t)NBODY_SERIES * NBODY_BATCH_LIMIT) * real_bytes +
                                4 * ints * n + 4 * side * side, what);
}

trm_status nbody_allocate_all(nbody_solver *nbody)
{
  TRM_TRY(nbody_check_room(nbody, (size_t)nbody->stride, (size_t)nbody->rows,
                           (size_t)nbody->slots));
  const size_t stride = (size_t)nbody->stride, slots = (size_t)nbody->slots;
  const size_t side = (size_t)nbody->picture_width;
  if (nbody->with_tree) TRM_TRY(nbody_tree_allocate(nbody));
  TRM_TRY(nbody_allocate(nbody, 4, stride, "positions", &nbody->bodies));
  TRM_TRY(nbody_allocate(nbody, 3, stride, "velocities", &nbody->motion));
  TRM_TRY(nbody_allocate(nbody, 7, stride, "accelerations", &nbody->pull));
  TRM_TRY(nbody_allocate(nbody, 1, stride, "masses", &nbody->mass));
  const int is_hermite = nbody->integrator == NBODY_HERMITE;
  const size_t sums = (is_hermite ? 7 : 4) * (size_t)nbody->rows;
  TRM_TRY(nbody_allocate(nbody, sums, stride, "partial sums", &nbody->part));
  if (is_hermite) TRM_TRY(nbody_allocate(nbody, 6, stride, "old positions", &nbody->old));
  if (is_hermite) TRM_TRY(nbody_allocate(nbody, 7, stride, "predicted forces", &nbody->found));
  TRM_TRY(nbody_allocate(nbody, NBODY_MEASURES * slots, stride, "measures", &nbody->leaves));
  TRM_TRY(nbody_allocate(nbody, NBODY_MEASURES, slots, "sums", &nbody->sums));
  TRM_TRY(nbody_allocate(nbody, NBODY_SERIES, NBODY_BATCH_LIMIT, "series", &nbody->series_rows));
  TRM_TRY(nbody_allocate(nbody, 1, 1, "energy at the start", &nbody->origin));
  TRM_TRY(trm_buffer_create(nbody->base.device, sizeof(int32_t), "place", &nbody->place));
  TRM_TRY(trm_buffer_create(nbody->base.device, side * side * sizeof(float), "density",
                            &nbody->density));
  return trm_reduction_create(nbody->base.device, TRM_SUM, nbody->precision, (size_t)nbody->count,
                              NBODY_MEASURES * slots, &nbody->fold);
}
