/* implementation.c - an implementation's program, memory and steps (implementation.h). The kernels
 * are in lbm_implementations.k. */
#include "solvers/lbm/driven/implementation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TRM_FRAMEWORK_SOURCE(lbm_implementations, "solvers/lbm/driven/lbm_implementations.k");

/* The kernels, as they are numbered in `program`. */
enum { ACCELERATE, PROPAGATE, COPY, REBOUND, COLLIDE, SPEED, STEP, SUM, LEAVES, PACK, UNPACK };

#define LAUNCH(lbm, kernel, ny, ...) \
  TRM_FRAMEWORK_LAUNCH(&(lbm)->implementation->program, kernel, (lbm)->box.nx, ny, &(lbm)->p, \
                       __VA_ARGS__)

/* ---- life ------------------------------------------------------------------------ */

static const char *const layouts[] = { "arrays", "structs" };
static const char *const walls[] = { "branch", "select", "mask" };

/* impl_WORK_LAYOUT_WALLS */
static void fill_names(const implementation_form *form, implementation_names *names)
{
  char *const each[] = { names->accelerate, names->propagate, names->copy, names->rebound,
                         names->collide, names->speed, names->step };
  static const char *const work[] = { "accelerate", "propagate", "copy", "rebound", "collide",
                                      "speed", "step" };
  for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
    const int has_walls = i >= REBOUND;
    snprintf(each[i], sizeof names->step, "impl_%s_%s%s%s", work[i], layouts[form->layout],
             has_walls ? "_" : "", has_walls ? walls[form->walls] : "");
  }
}

/* How a kernel hands on the speeds, where a group's rows are leaves. */
static int sum_of(const implementation_form *form)
{
  return form->sum == LBM_ITEM ? IMPL_VALUES : form->sum == LBM_GROUP ? IMPL_GROUP : IMPL_TREE;
}

static trm_status build(struct lbm_implementation *implementation, trm_device *device,
                        const trm_solver_options *run)
{
  const implementation_names *names = &implementation->names;
  const char *const kernels[] = { names->accelerate, names->propagate, names->copy, names->rebound,
                                  names->collide, names->speed, names->step, "impl_sum",
                                  "impl_leaves", "impl_pack", "impl_unpack", NULL };
  const trm_framework_recipe recipe = { &lbm_implementations_source, NULL, "lbm_params",
                                        sizeof(lbm_params), kernels };
  const implementation_form *form = &implementation->form;
  char defines[200];
  snprintf(defines, sizeof defines, "#define IMPL_ONE 1\n#define IMPL_ONE_%s 1\n"
           "#define IMPL_ONE_%s_%s 1\n#define IMPL_SUM %d\n", layouts[form->layout],
           layouts[form->layout], walls[form->walls], sum_of(form));
  return trm_framework_program_create_with(device, &recipe, defines, run,
                                           &implementation->program);
}

static trm_status take(void **out, size_t bytes, const char *what)
{
  *out = malloc(bytes);
  return *out ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of %s", bytes, what);
}

/* A row has so many values of each cell. */
static trm_status lay_by_rows(const lbm_solver *lbm, trm_buffer *buffer, size_t values)
{
  const size_t nx = (size_t)lbm->box.nx * values, ny = (size_t)lbm->box.ny;
  const trm_by_rows rows = { .type = lbm->box.real_type, .nx = nx, .ny = ny, .nz = 1,
                             .components = 1, .layout = { .row = nx, .component = nx * ny,
                                                          .elements = nx * ny } };
  return buffer ? trm_buffer_rows(buffer, &rows) : TRM_OK;
}

static trm_status allocate(struct lbm_implementation *implementation, const lbm_solver *lbm)
{
  const implementation_form *form = &implementation->form;
  const trm_type real_type = lbm->box.real_type;
  const size_t real_bytes = trm_type_size(real_type);
  const size_t cells = (size_t)lbm->box.nx * (size_t)lbm->box.ny;
  const size_t structs = form->layout == LBM_STRUCTS ? D2Q9 * cells : 0;
  const size_t lattice = structs ? structs : lbm->box.layout.elements;
  const trm_framework_buffer list[] = {
    { &implementation->speeds, "speeds", implementation->stores_values ? cells : 0, real_type, 0,
      NULL },
    { &implementation->structs[0], "cells", structs, real_type, 0, NULL },
    { &implementation->structs[1], "streamed cells", structs, real_type, 0, NULL },
  };
  memcpy(implementation->memory, list, sizeof list);
  TRM_TRY(trm_framework_allocate(lbm->box.base.device, implementation->memory, 3,
                                 "the lattices of lbm.implementation"));
  TRM_TRY(lay_by_rows(lbm, implementation->speeds, 1));
  for (int i = 0; i < 2; i++) TRM_TRY(lay_by_rows(lbm, implementation->structs[i], D2Q9));
  implementation->lattice_bytes = lattice * real_bytes;
  if (form->transfer == LBM_EACH_STEP)
    TRM_TRY(take(&implementation->host, implementation->lattice_bytes, "a lattice"));
  if (form->fold == LBM_DEVICE) return TRM_OK;
  TRM_TRY(take(&implementation->leaves, (size_t)lbm->leaves * real_bytes, "leaves"));
  return take(&implementation->sums, LBM_BATCH_LIMIT * real_bytes, "sums");
}

/* A group whose rows are not of 32 items cannot make leaves. */
static int stores_values(const struct lbm_implementation *implementation, const trm_device *device)
{
  const int columns = trm_program_describe(implementation->program.program)->row_group_x;
  return implementation->form.sum == LBM_ITEM ||
         (!trm_device_describe(device)->is_host && columns % 32 != 0);
}

static trm_status set_up(struct lbm_implementation *implementation, const lbm_solver *lbm,
                         const trm_solver_options *run)
{
  trm_device *device = lbm->box.base.device;
  fill_names(&implementation->form, &implementation->names);
  TRM_TRY(build(implementation, device, run));
  implementation->stores_values = stores_values(implementation, device);
  return allocate(implementation, lbm);
}

trm_status lbm_implementation_create(const lbm_solver *lbm, const trm_config *config,
                                     const trm_solver_options *run, struct lbm_implementation **out)
{
  implementation_form form;
  int is_best;
  *out = NULL;
  TRM_TRY(lbm_form_read(config, &form, &is_best));
  if (is_best) return TRM_OK;
  struct lbm_implementation *implementation = calloc(1, sizeof *implementation);
  if (!implementation) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  implementation->form = form;
  const trm_status status = set_up(implementation, lbm, run);
  if (status == TRM_OK) *out = implementation;
  else lbm_implementation_destroy(&implementation);
  return status;
}

void lbm_implementation_destroy(struct lbm_implementation **implementation)
{
  if (!implementation || !*implementation) return;
  free((*implementation)->sums);
  free((*implementation)->leaves);
  free((*implementation)->host);
  trm_framework_release((*implementation)->memory, 3);
  trm_framework_program_destroy(&(*implementation)->program);
  free(*implementation);
  *implementation = NULL;
}

/* ---- the lattice ----------------------------------------------------------------- */

/* Lattice 0 has the state, 1 is for the next one. */
static trm_buffer **lattice(lbm_solver *lbm, int which)
{
  struct lbm_implementation *implementation = lbm->implementation;
  if (implementation->form.layout == LBM_STRUCTS) return &implementation->structs[which];
  return &lbm->box.lattice[which ? !lbm->box.current : lbm->box.current];
}

static trm_status begin(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  if (implementation->holds) return TRM_OK;
  implementation->holds = 1;
  if (implementation->form.layout == LBM_STRUCTS)
    TRM_TRY(LAUNCH(lbm, PACK, lbm->box.ny, lbm->box.lattice[lbm->box.current],
                   implementation->structs[0]));
  if (implementation->form.transfer == LBM_EACH_RUN) return TRM_OK;
  return trm_buffer_read(*lattice(lbm, 0), 0, implementation->lattice_bytes, implementation->host);
}

static trm_status end(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  implementation->holds = 0;
  if (implementation->form.layout == LBM_ARRAYS) return TRM_OK;
  return LAUNCH(lbm, UNPACK, lbm->box.ny, implementation->structs[0],
                lbm->box.lattice[lbm->box.current]);
}

static void swap(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  trm_buffer *const first = implementation->structs[0];
  if (implementation->form.layout == LBM_ARRAYS) {
    lbm->box.current = !lbm->box.current;
    return;
  }
  implementation->structs[0] = implementation->structs[1];
  implementation->structs[1] = first;
}

/* The new lattice, 1, in the place of the old one, 0. */
static trm_status bring_back(lbm_solver *lbm)
{
  trm_buffer *f = *lattice(lbm, 0), *g = *lattice(lbm, 1);
  const size_t bytes = lbm->implementation->lattice_bytes;
  switch (lbm->implementation->form.back) {
  case LBM_SWAP: swap(lbm); return TRM_OK;
  case LBM_KERNEL: return LAUNCH(lbm, COPY, lbm->box.ny, g, f);
  case LBM_COMMAND: return trm_buffer_copy(f, 0, g, 0, bytes);
  default: TRM_TRY(trm_buffer_copy(f, 0, g, 0, bytes));
  }
  return trm_device_finish(lbm->box.base.device);
}

/* ---- the speeds ------------------------------------------------------------------ */

/* Leaves of a row of cells, and from speeds in memory to leaves. */
static int row_leaves(const lbm_solver *lbm) { return (lbm->box.nx + 31) / 32; }

static trm_status make_leaves(lbm_solver *lbm)
{
  const struct lbm_implementation *implementation = lbm->implementation;
  return TRM_FRAMEWORK_LAUNCH(&implementation->program, LEAVES, row_leaves(lbm), lbm->box.ny,
                              &lbm->p, implementation->speeds, lbm->box.partial);
}

/* The sum of the speeds to box.sums[at]: by one item, by a fold, or by the host. */
static trm_status sum(lbm_solver *lbm, size_t at)
{
  struct lbm_implementation *implementation = lbm->implementation;
  lbm_box *box = &lbm->box;
  const size_t real_bytes = trm_type_size(box->real_type), leaves = (size_t)lbm->leaves;
  if (implementation->form.sum == LBM_ITEM) {
    lbm->p.part = (int)at;
    return TRM_FRAMEWORK_LAUNCH(&implementation->program, SUM, 1, 1, &lbm->p,
                                implementation->speeds, box->partial, box->sums);
  }
  if (implementation->stores_values) TRM_TRY(make_leaves(lbm));
  if (implementation->form.fold == LBM_DEVICE)
    return trm_reduction_run(box->fold, box->partial, 0, leaves, 1, box->sums, at);
  TRM_TRY(trm_buffer_read(box->partial, 0, leaves * real_bytes, implementation->leaves));
  lbm_add_leaves(box->real_type, implementation->leaves, leaves,
                 (char *)implementation->sums + at * real_bytes);
  return TRM_OK;
}

/* ---- steps ----------------------------------------------------------------------- */

/* A kernel for each function of the course's program, from f over t into f. */
static trm_status step_split(lbm_solver *lbm, trm_buffer *to)
{
  trm_buffer *f = *lattice(lbm, 0), *t = *lattice(lbm, 1), *solid = lbm->box.solid;
  TRM_TRY(LAUNCH(lbm, PROPAGATE, lbm->box.ny, f, t));
  TRM_TRY(LAUNCH(lbm, REBOUND, lbm->box.ny, t, f, solid));
  TRM_TRY(LAUNCH(lbm, COLLIDE, lbm->box.ny, t, f, solid));
  return LAUNCH(lbm, SPEED, lbm->box.ny, t, to, solid);
}

static trm_status step_fused(lbm_solver *lbm, trm_buffer *to)
{
  TRM_TRY(LAUNCH(lbm, STEP, lbm->box.ny, *lattice(lbm, 0), *lattice(lbm, 1), lbm->box.solid, to));
  return bring_back(lbm);
}

static trm_status accelerate(lbm_solver *lbm)
{
  trm_buffer *const buffers[] = { *lattice(lbm, 0), lbm->box.solid };
  return trm_framework_program_launch_row(&lbm->implementation->program, ACCELERATE, lbm->box.nx,
                                          lbm->p.accelerated_row, &lbm->p, buffers, 2);
}

static trm_status step(lbm_solver *lbm, size_t at)
{
  struct lbm_implementation *implementation = lbm->implementation;
  const implementation_form *form = &implementation->form;
  const size_t bytes = implementation->lattice_bytes;
  const int travels = form->transfer == LBM_EACH_STEP;
  trm_buffer *to = implementation->stores_values ? implementation->speeds : lbm->box.partial;
  lbm->p.sum = implementation->stores_values ? IMPL_VALUES : sum_of(form);
  if (travels) TRM_TRY(trm_buffer_write(*lattice(lbm, 0), 0, bytes, implementation->host));
  TRM_TRY(accelerate(lbm));
  TRM_TRY(form->split ? step_split(lbm, to) : step_fused(lbm, to));
  TRM_TRY(sum(lbm, at));
  return travels ? trm_buffer_read(*lattice(lbm, 0), 0, bytes, implementation->host) : TRM_OK;
}

trm_status lbm_implementation_steps(lbm_solver *lbm, uint64_t count, int sync_state)
{
  const struct lbm_implementation *implementation = lbm->implementation;
  const size_t real_bytes = trm_type_size(lbm->box.real_type);
  TRM_TRY(begin(lbm));
  for (uint64_t at = 0; at < count; at++) TRM_TRY(step(lbm, (size_t)at));
  if (implementation->sums)
    TRM_TRY(trm_buffer_write(lbm->box.sums, 0, (size_t)count * real_bytes, implementation->sums));
  return sync_state ? end(lbm) : TRM_OK;
}
