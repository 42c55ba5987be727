/* implementation.c - an implementation's program, memory and steps (implementation.h). The kernels
 * are in lbm_implementations.k. */
#include "solvers/lbm/driven/implementation.h"

#include <stdlib.h>
#include <string.h>

TRM_FRAMEWORK_SOURCE(lbm_implementations, "solvers/lbm/driven/lbm_implementations.k");

static const implementation_form forms[] = {
  { "bristol-copied", NULL, 1, 1, 0, 1, 1 },
  { "bristol-resident", NULL, 1, 0, 0, 1, 1 },
  { "bristol-fused", "impl_structs", 1, 0, 1, 1, 1 },
  { "bristol-swapped", "impl_structs", 1, 0, 0, 1, 1 },
  { "bristol-arrays", "impl_arrays", 0, 0, 0, 1, 1 },
  { "bristol-tree", "impl_tree", 0, 0, 0, 0, 1 },
  { "bristol-selects", "impl_selects", 0, 0, 0, 0, 0 },
};

/* The kernels, as they are numbered in `program`; STEP: that of the form, if it has one. */
enum { SUM, PACK, UNPACK, ACCELERATE, PROPAGATE, REBOUND, COLLIDE, SPEED, STEP };

#define LAUNCH(lbm, kernel, ny, ...) \
  TRM_FRAMEWORK_LAUNCH(&(lbm)->implementation->program, kernel, (lbm)->box.nx, ny, &(lbm)->p, \
                       __VA_ARGS__)

/* ---- life ------------------------------------------------------------------------ */

static trm_status build(struct lbm_implementation *implementation, trm_device *device,
                        const trm_solver_options *run)
{
  const char *const kernels[] = { "impl_sum", "impl_pack", "impl_unpack",
    implementation->form->is_structs ? "impl_accelerate" : "impl_push", "impl_propagate",
        "impl_rebound",
    "impl_collide", "impl_speed", implementation->form->kernel, NULL };
  const trm_framework_recipe recipe = { &lbm_implementations_source, NULL, "lbm_params",
                                       sizeof(lbm_params),
                                       kernels };
  return trm_framework_program_create(device, &recipe, run, &implementation->program);
}

static trm_status allocate(struct lbm_implementation *implementation, const lbm_solver *lbm)
{
  const trm_type real_type = lbm->box.real_type;
  const size_t cells = (size_t)lbm->box.nx * (size_t)lbm->box.ny;
  const size_t reals = implementation->form->is_structs ? D2Q9 * cells : 0;
  const trm_framework_buffer list[] = {
    { &implementation->speeds, "speeds", implementation->form->is_serial ? cells : 0, real_type, 0,
     NULL },
    { &implementation->structs[0], "cells", reals, real_type, 0, NULL },
    { &implementation->structs[1], "streamed cells", reals, real_type, 0, NULL },
  };
  memcpy(implementation->memory, list, sizeof list);
  TRM_TRY(trm_framework_allocate(lbm->box.base.device, implementation->memory, 3,
                                 "the lattices of lbm.implementation"));
  implementation->lattice_bytes = reals * trm_type_size(real_type);
  if (!implementation->form->travels) return TRM_OK;
  implementation->host = malloc(implementation->lattice_bytes);
  return implementation->host ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY,
                                                  "no memory for %zu bytes of a lattice",
                                                  implementation->lattice_bytes);
}

/* Cells that lie together, and sums by one item, are cut by no rows. */
static trm_status check_share(const lbm_solver *lbm, const implementation_form *form)
{
  trm_device *device = lbm->box.base.device;
  size_t hosts, all;
  TRM_TRY(trm_framework_count_hosts(device, &hosts, &all));
  if (all < 2 || !(form->is_structs || form->is_serial)) return TRM_OK;
  trm_framework_several several;
  trm_framework_name_several(device, &several);
  return TRM_FAIL(UNSUPPORTED, "solver 'lbm': lbm.implementation = \"%s\" works on one device "
                  "alone, and %s; choose lbm.implementation = \"best\", or %s", form->name,
                  several.named, several.cure);
}

trm_status lbm_implementation_create(const lbm_solver *lbm, const trm_config *config,
                                     const trm_solver_options *run, struct lbm_implementation **out)
{
  const char *name = trm_config_string(config, "lbm.implementation");
  const implementation_form *form = NULL;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (strcmp(forms[i].name, name) == 0) form = &forms[i];
  *out = NULL;
  if (!form) return TRM_OK;
  TRM_TRY(check_share(lbm, form));
  struct lbm_implementation *implementation = calloc(1, sizeof *implementation);
  if (!implementation) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  implementation->form = form;
  trm_status status = build(implementation, lbm->box.base.device, run);
  if (status == TRM_OK) status = allocate(implementation, lbm);
  if (status == TRM_OK) *out = implementation;
  else lbm_implementation_destroy(&implementation);
  return status;
}

void lbm_implementation_destroy(struct lbm_implementation **implementation)
{
  if (!implementation || !*implementation) return;
  free((*implementation)->host);
  trm_framework_release((*implementation)->memory, 3);
  trm_framework_program_destroy(&(*implementation)->program);
  free(*implementation);
  *implementation = NULL;
}

/* ---- steps ----------------------------------------------------------------------- */

static trm_status begin(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  if (!implementation->form->is_structs || implementation->holds) return TRM_OK;
  TRM_TRY(LAUNCH(lbm, PACK, lbm->box.ny, lbm->box.lattice[lbm->box.current],
                 implementation->structs[0]));
  if (implementation->form->travels)
    TRM_TRY(trm_buffer_read(implementation->structs[0], 0, implementation->lattice_bytes,
                            implementation->host));
  implementation->holds = 1;
  return TRM_OK;
}

static trm_status end(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  if (!implementation->holds) return TRM_OK;
  implementation->holds = 0;
  return LAUNCH(lbm, UNPACK, lbm->box.ny, implementation->structs[0],
                lbm->box.lattice[lbm->box.current]);
}

/* A kernel for each function of the course's program, from f over t into f. */
static trm_status step_split(lbm_solver *lbm, trm_buffer *f, trm_buffer *t)
{
  TRM_TRY(LAUNCH(lbm, PROPAGATE, lbm->box.ny, f, t));
  TRM_TRY(LAUNCH(lbm, REBOUND, lbm->box.ny, t, f, lbm->box.solid));
  TRM_TRY(LAUNCH(lbm, COLLIDE, lbm->box.ny, t, f, lbm->box.solid));
  return LAUNCH(lbm, SPEED, lbm->box.ny, t, lbm->implementation->speeds, lbm->box.solid);
}

/* The sum of the speeds to box.sums[at]: by a fold, or by one item. */
static trm_status sum(lbm_solver *lbm, size_t at)
{
  struct lbm_implementation *implementation = lbm->implementation;
  lbm_box *box = &lbm->box;
  if (!implementation->form->is_serial)
    return trm_reduction_run(box->fold, box->partial, 0, (size_t)lbm->leaves, 1, box->sums, at);
  lbm->p.part = (int)at;
  return TRM_FRAMEWORK_LAUNCH(&implementation->program, SUM, 1, 1, &lbm->p, implementation->speeds,
                              box->partial, box->sums);
}

static trm_status step_structs(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  trm_buffer *f = implementation->structs[0], *g = implementation->structs[1];
  TRM_TRY(LAUNCH(lbm, ACCELERATE, 1, f, lbm->box.solid));
  if (!implementation->form->kernel) return step_split(lbm, f, g);
  TRM_TRY(LAUNCH(lbm, STEP, lbm->box.ny, f, g, lbm->box.solid, implementation->speeds));
  if (implementation->form->copies_back) return trm_buffer_copy(f, 0, g, 0,
                                                                implementation->lattice_bytes);
  implementation->structs[0] = g;
  implementation->structs[1] = f;
  return TRM_OK;
}

static trm_status step_arrays(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  trm_buffer *f = lbm->box.lattice[lbm->box.current], *g = lbm->box.lattice[!lbm->box.current];
  TRM_TRY(LAUNCH(lbm, ACCELERATE, 1, f, lbm->box.solid));
  TRM_TRY(LAUNCH(lbm, STEP, lbm->box.ny, f, g, lbm->box.solid,
                 implementation->form->is_serial ? implementation->speeds : lbm->box.partial));
  lbm->box.current = !lbm->box.current;
  return TRM_OK;
}

static trm_status step(lbm_solver *lbm, size_t at)
{
  struct lbm_implementation *implementation = lbm->implementation;
  const size_t bytes = implementation->lattice_bytes;
  if (implementation->form->travels) TRM_TRY(trm_buffer_write(implementation->structs[0], 0, bytes,
                                                              implementation->host));
  TRM_TRY(implementation->form->is_structs ? step_structs(lbm) : step_arrays(lbm));
  TRM_TRY(sum(lbm, at));
  return implementation->form->travels ? trm_buffer_read(implementation->structs[0], 0, bytes,
                                                         implementation->host) : TRM_OK;
}

trm_status lbm_implementation_steps(lbm_solver *lbm, uint64_t count, int sync_state)
{
  TRM_TRY(begin(lbm));
  for (uint64_t at = 0; at < count; at++) TRM_TRY(step(lbm, (size_t)at));
  return sync_state ? end(lbm) : TRM_OK;
}
