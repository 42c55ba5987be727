/* rung.c - a rung's program, memory and steps (rung.h). The kernels are in rung.k. */
#include "solvers/lbm/driven/rung.h"

#include <stdlib.h>
#include <string.h>

TRM_KIT_SOURCE(rung, "solvers/lbm/driven/rung.k");

static const rung_form forms[] = {
  { "bristol-copied", NULL, 1, 1, 0, 1, 1 },
  { "bristol-resident", NULL, 1, 0, 0, 1, 1 },
  { "bristol-fused", "rung_structs", 1, 0, 1, 1, 1 },
  { "bristol-swapped", "rung_structs", 1, 0, 0, 1, 1 },
  { "bristol-arrays", "rung_arrays", 0, 0, 0, 1, 1 },
  { "bristol-tree", "rung_tree", 0, 0, 0, 0, 1 },
  { "bristol-selects", "rung_selects", 0, 0, 0, 0, 0 },
};

/* The kernels, as they are numbered in `program`; STEP: that of the form, if it has one. */
enum { SUM, PACK, UNPACK, ACCELERATE, PROPAGATE, REBOUND, COLLIDE, SPEED, STEP };

#define LAUNCH(lbm, kernel, ny, ...) \
  TRM_KIT_LAUNCH(&(lbm)->rung->program, kernel, (lbm)->box.nx, ny, &(lbm)->p, __VA_ARGS__)

/* ---- life ------------------------------------------------------------------------ */

static trm_status build(struct lbm_rung *rung, trm_device *device, const trm_solver_options *run)
{
  const char *const kernels[] = { "rung_sum", "rung_pack", "rung_unpack",
    rung->form->is_structs ? "rung_accelerate" : "rung_push", "rung_propagate", "rung_rebound",
    "rung_collide", "rung_speed", rung->form->kernel, NULL };
  const trm_kit_recipe recipe = { &rung_source, NULL, "lbm_params", sizeof(lbm_params), kernels };
  return trm_kit_program_create(device, &recipe, run, &rung->program);
}

static trm_status allocate(struct lbm_rung *rung, const lbm_solver *lbm)
{
  const trm_type real_type = lbm->box.real_type;
  const size_t cells = (size_t)lbm->box.nx * (size_t)lbm->box.ny;
  const size_t reals = rung->form->is_structs ? D2Q9 * cells : 0;
  const trm_kit_buffer list[] = {
    { &rung->speeds, "speeds", rung->form->is_serial ? cells : 0, real_type, 0, NULL },
    { &rung->structs[0], "cells", reals, real_type, 0, NULL },
    { &rung->structs[1], "streamed cells", reals, real_type, 0, NULL },
  };
  memcpy(rung->memory, list, sizeof list);
  TRM_TRY(trm_kit_allocate(lbm->box.base.device, rung->memory, 3, "the lattices of "
      "lbm.implementation"));
  rung->lattice_bytes = reals * trm_type_size(real_type);
  if (!rung->form->travels) return TRM_OK;
  rung->host = malloc(rung->lattice_bytes);
  return rung->host ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of a lattice",
                                        rung->lattice_bytes);
}

/* Cells that lie together, and sums by one item, are cut by no rows. */
static trm_status check_share(const lbm_solver *lbm, const rung_form *form)
{
  trm_device *device = lbm->box.base.device;
  size_t hosts, all;
  TRM_TRY(trm_kit_count_hosts(device, &hosts, &all));
  if (all < 2 || !(form->is_structs || form->is_serial)) return TRM_OK;
  trm_kit_several several;
  trm_kit_name_several(device, &several);
  return TRM_FAIL(UNSUPPORTED, "solver 'lbm': lbm.implementation = \"%s\" works on one device "
                               "alone, and %s; choose lbm.implementation = \"best\", or "
                               "%s", form->name, several.named,
                  several.cure);
}

trm_status lbm_rung_create(const lbm_solver *lbm, const trm_config *config,
                           const trm_solver_options *run, struct lbm_rung **out)
{
  const char *name = trm_config_string(config, "lbm.implementation");
  const rung_form *form = NULL;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (strcmp(forms[i].name, name) == 0) form = &forms[i];
  *out = NULL;
  if (!form) return TRM_OK;
  TRM_TRY(check_share(lbm, form));
  struct lbm_rung *rung = calloc(1, sizeof *rung);
  if (!rung) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  rung->form = form;
  trm_status status = build(rung, lbm->box.base.device, run);
  if (status == TRM_OK) status = allocate(rung, lbm);
  if (status == TRM_OK) *out = rung;
  else lbm_rung_destroy(&rung);
  return status;
}

void lbm_rung_destroy(struct lbm_rung **rung)
{
  if (!rung || !*rung) return;
  free((*rung)->host);
  trm_kit_release((*rung)->memory, 3);
  trm_kit_program_destroy(&(*rung)->program);
  free(*rung);
  *rung = NULL;
}

/* ---- steps ----------------------------------------------------------------------- */

static trm_status begin(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  if (!rung->form->is_structs || rung->holds) return TRM_OK;
  TRM_TRY(LAUNCH(lbm, PACK, lbm->box.ny, lbm->box.lattice[lbm->box.current], rung->structs[0]));
  if (rung->form->travels)
    TRM_TRY(trm_buffer_read(rung->structs[0], 0, rung->lattice_bytes, rung->host));
  rung->holds = 1;
  return TRM_OK;
}

static trm_status end(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  if (!rung->holds) return TRM_OK;
  rung->holds = 0;
  return LAUNCH(lbm, UNPACK, lbm->box.ny, rung->structs[0], lbm->box.lattice[lbm->box.current]);
}

/* A kernel for each function of the course's program, from f over t into f. */
static trm_status step_split(lbm_solver *lbm, trm_buffer *f, trm_buffer *t)
{
  TRM_TRY(LAUNCH(lbm, PROPAGATE, lbm->box.ny, f, t));
  TRM_TRY(LAUNCH(lbm, REBOUND, lbm->box.ny, t, f, lbm->box.solid));
  TRM_TRY(LAUNCH(lbm, COLLIDE, lbm->box.ny, t, f, lbm->box.solid));
  return LAUNCH(lbm, SPEED, lbm->box.ny, t, lbm->rung->speeds, lbm->box.solid);
}

/* The sum of the speeds to box.sums[at]: by a fold, or by one item. */
static trm_status sum(lbm_solver *lbm, size_t at)
{
  struct lbm_rung *rung = lbm->rung;
  lbm_box *box = &lbm->box;
  if (!rung->form->is_serial)
    return trm_reduction_run(box->fold, box->partial, 0, (size_t)lbm->leaves, 1, box->sums, at);
  lbm->p.part = (int)at;
  return TRM_KIT_LAUNCH(&rung->program, SUM, 1, 1, &lbm->p, rung->speeds, box->partial, box->sums);
}

static trm_status step_structs(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  trm_buffer *f = rung->structs[0], *g = rung->structs[1];
  TRM_TRY(LAUNCH(lbm, ACCELERATE, 1, f, lbm->box.solid));
  if (!rung->form->kernel) return step_split(lbm, f, g);
  TRM_TRY(LAUNCH(lbm, STEP, lbm->box.ny, f, g, lbm->box.solid, rung->speeds));
  if (rung->form->copies_back) return trm_buffer_copy(f, 0, g, 0, rung->lattice_bytes);
  rung->structs[0] = g;
  rung->structs[1] = f;
  return TRM_OK;
}

static trm_status step_arrays(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  trm_buffer *f = lbm->box.lattice[lbm->box.current], *g = lbm->box.lattice[!lbm->box.current];
  TRM_TRY(LAUNCH(lbm, ACCELERATE, 1, f, lbm->box.solid));
  TRM_TRY(LAUNCH(lbm, STEP, lbm->box.ny, f, g, lbm->box.solid,
                 rung->form->is_serial ? rung->speeds : lbm->box.partial));
  lbm->box.current = !lbm->box.current;
  return TRM_OK;
}

static trm_status step(lbm_solver *lbm, size_t at)
{
  struct lbm_rung *rung = lbm->rung;
  const size_t bytes = rung->lattice_bytes;
  if (rung->form->travels) TRM_TRY(trm_buffer_write(rung->structs[0], 0, bytes, rung->host));
  TRM_TRY(rung->form->is_structs ? step_structs(lbm) : step_arrays(lbm));
  TRM_TRY(sum(lbm, at));
  return rung->form->travels ? trm_buffer_read(rung->structs[0], 0, bytes, rung->host) : TRM_OK;
}

trm_status lbm_rung_steps(lbm_solver *lbm, uint64_t count, int settle)
{
  TRM_TRY(begin(lbm));
  for (uint64_t at = 0; at < count; at++) TRM_TRY(step(lbm, (size_t)at));
  return settle ? end(lbm) : TRM_OK;
}
