/* rung.c - a rung's program, memory and steps (rung.h). The kernels are in rung_split.k,
 * rung_fused.k. */
#include "solvers/lbm/driven/rung.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

extern const char trm_text_rung_split[], trm_text_rung_fused[];
TRM_DECLARE_MODULES(rung_split);
TRM_DECLARE_MODULES(rung_fused);
static const trm_host_module *const split_modules[] = { TRM_MODULES(rung_split), NULL };
static const trm_host_module *const fused_modules[] = { TRM_MODULES(rung_fused), NULL };
static const trm_program_source split_source = {
  "rung_split", "solvers/lbm/driven/rung_split.k", trm_text_rung_split, split_modules
};
static const trm_program_source fused_source = {
  "rung_fused", "solvers/lbm/driven/rung_fused.k", trm_text_rung_fused, fused_modules
};

static const rung_form forms[] = {
  { "bristol-copied", NULL, 1, 1, 0, 1, 1 },
  { "bristol-resident", NULL, 1, 0, 0, 1, 1 },
  { "bristol-fused", "rung_structs", 1, 0, 1, 1, 1 },
  { "bristol-swapped", "rung_structs", 1, 0, 0, 1, 1 },
  { "bristol-arrays", "rung_arrays", 0, 0, 0, 1, 1 },
  { "bristol-tree", "rung_tree", 0, 0, 0, 0, 1 },
  { "bristol-selects", "rung_selects", 0, 0, 0, 0, 0 },
};

/* ---- parameters --------------------------------------------------------------- */

typedef union rung_packed { rung_params_f32 f32; rung_params_f64 f64; } rung_packed;

#define PACK(to, type) \
  do { \
    LBM_PACK(to, type); \
    (to).accelerated_row = lbm->ny - 2; \
    (to).nx = lbm->nx; \
    (to).ny = lbm->ny; \
    (to).at = (int)at; \
  } while (0)

/* Over every row, over one, or by one group. */
static trm_status launch(const lbm_solver *lbm, trm_kernel *kernel, int nx, int ny, size_t at,
                         trm_buffer *const *buffers, size_t count)
{
  rung_packed params;
  memset(&params, 0, sizeof params);
  if (lbm->precision == TRM_F64) PACK(params.f64, double);
  else PACK(params.f32, float);
  const size_t bytes = lbm->precision == TRM_F64 ? sizeof params.f64 : sizeof params.f32;
  const trm_extent extent = { nx, ny, 1, 0 };
  return trm_kernel_launch(kernel, &extent, &params, bytes, buffers, count);
}

static trm_status launch_grid(const lbm_solver *lbm, trm_kernel *kernel,
                              trm_buffer *const *buffers, size_t count)
{
  return launch(lbm, kernel, lbm->nx, lbm->ny, 0, buffers, count);
}

/* ---- life ------------------------------------------------------------------------ */

/* Programs are built for the same device alike, whichever rung asks. */
static trm_status build(struct lbm_rung *rung, trm_device *device, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  TRM_TRY(trm_program_create(device, &split_source, &how, &rung->split));
  TRM_TRY(trm_program_create(device, &fused_source, &how, &rung->fused));
  TRM_TRY(trm_program_kernel(rung->split, "rung_sum", &rung->sum));
  TRM_TRY(trm_program_kernel(rung->fused, "rung_pack", &rung->pack));
  TRM_TRY(trm_program_kernel(rung->fused, "rung_unpack", &rung->unpack));
  TRM_TRY(rung->form->is_structs
            ? trm_program_kernel(rung->split, "rung_accelerate", &rung->accelerate)
            : trm_program_kernel(rung->fused, "rung_push", &rung->accelerate));
  if (rung->form->kernel) return trm_program_kernel(rung->fused, rung->form->kernel, &rung->step);
  TRM_TRY(trm_program_kernel(rung->split, "rung_propagate", &rung->propagate));
  TRM_TRY(trm_program_kernel(rung->split, "rung_rebound", &rung->rebound));
  TRM_TRY(trm_program_kernel(rung->split, "rung_collide", &rung->collide));
  return trm_program_kernel(rung->split, "rung_speed", &rung->speed);
}

static trm_status allocate(struct lbm_rung *rung, const lbm_solver *lbm)
{
  trm_device *device = lbm->base.device;
  const size_t real_bytes = trm_type_size(trm_real_type(lbm->precision));
  const size_t cells = (size_t)lbm->nx * (size_t)lbm->ny;
  size_t speeds;
  TRM_TRY(trm_size_mul(cells, real_bytes, "speeds", &speeds));
  TRM_TRY(trm_size_mul(speeds, LBM_POPULATIONS, "a lattice", &rung->lattice_bytes));
  const uint64_t bytes = (rung->form->is_structs ? 2 * (uint64_t)rung->lattice_bytes : 0) +
                         (rung->form->is_serial ? speeds : 0);
  if (bytes) TRM_TRY(trm_device_require(device, bytes, "the lattices of lbm.variant"));
  if (rung->form->is_serial) TRM_TRY(trm_buffer_create(device, speeds, "speeds", &rung->speeds));
  if (!rung->form->is_structs) return TRM_OK;
  TRM_TRY(trm_buffer_create(device, rung->lattice_bytes, "cells", &rung->structs[0]));
  TRM_TRY(trm_buffer_create(device, rung->lattice_bytes, "streamed cells", &rung->structs[1]));
  if (!rung->form->travels) return TRM_OK;
  rung->host = malloc(rung->lattice_bytes);
  return rung->host ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of a lattice",
                                        rung->lattice_bytes);
}

trm_status lbm_rung_create(const lbm_solver *lbm, const trm_config *config,
                           const trm_solver_options *run, struct lbm_rung **out)
{
  const char *name = trm_config_string(config, "lbm.variant");
  const rung_form *form = NULL;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (strcmp(forms[i].name, name) == 0) form = &forms[i];
  *out = NULL;
  if (!form) return TRM_OK;
  struct lbm_rung *rung = calloc(1, sizeof *rung);
  if (!rung) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  rung->form = form;
  trm_status status = build(rung, lbm->base.device, run);
  if (status == TRM_OK) status = allocate(rung, lbm);
  if (status == TRM_OK) *out = rung;
  else lbm_rung_destroy(&rung);
  return status;
}

void lbm_rung_destroy(struct lbm_rung **rung)
{
  if (!rung || !*rung) return;
  free((*rung)->host);
  trm_buffer_destroy(&(*rung)->structs[1]);
  trm_buffer_destroy(&(*rung)->structs[0]);
  trm_buffer_destroy(&(*rung)->speeds);
  trm_program_destroy(&(*rung)->fused);
  trm_program_destroy(&(*rung)->split);
  free(*rung);
  *rung = NULL;
}

/* ---- steps ----------------------------------------------------------------------- */

static trm_status begin(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  if (!rung->form->is_structs || rung->holds) return TRM_OK;
  trm_buffer *const buffers[] = { lbm->lattice[lbm->current], rung->structs[0] };
  TRM_TRY(launch_grid(lbm, rung->pack, buffers, 2));
  if (rung->form->travels)
    TRM_TRY(trm_buffer_read(rung->structs[0], 0, rung->lattice_bytes, rung->host));
  rung->holds = 1;
  return TRM_OK;
}

static trm_status end(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  if (!rung->holds) return TRM_OK;
  trm_buffer *const buffers[] = { rung->structs[0], lbm->lattice[lbm->current] };
  rung->holds = 0;
  return launch_grid(lbm, rung->unpack, buffers, 2);
}

static trm_status accelerate(lbm_solver *lbm, trm_buffer *f)
{
  trm_buffer *const buffers[] = { f, lbm->solid };
  return launch(lbm, lbm->rung->accelerate, lbm->nx, 1, 0, buffers, 2);
}

/* A kernel for each function of the course's program, from f over t into f. */
static trm_status step_split(lbm_solver *lbm, trm_buffer *f, trm_buffer *t)
{
  struct lbm_rung *rung = lbm->rung;
  trm_buffer *const streams[] = { f, t }, *const turns[] = { t, f, lbm->solid };
  trm_buffer *const shows[] = { t, rung->speeds, lbm->solid };
  TRM_TRY(launch_grid(lbm, rung->propagate, streams, 2));
  TRM_TRY(launch_grid(lbm, rung->rebound, turns, 3));
  TRM_TRY(launch_grid(lbm, rung->collide, turns, 3));
  return launch_grid(lbm, rung->speed, shows, 3);
}

/* The sum of the speeds to lbm->sums[at]. */
static trm_status sum(lbm_solver *lbm, size_t at)
{
  struct lbm_rung *rung = lbm->rung;
  if (!rung->form->is_serial)
    return trm_reduction_run(lbm->fold, lbm->partial, 0, (size_t)lbm->leaves, 1, lbm->sums, at);
  trm_buffer *const buffers[] = { rung->speeds, lbm->partial, lbm->sums };
  return launch(lbm, rung->sum, 1, 1, at, buffers, 3);
}

static trm_status step_structs(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  trm_buffer *f = rung->structs[0], *g = rung->structs[1];
  TRM_TRY(accelerate(lbm, f));
  if (!rung->form->kernel) return step_split(lbm, f, g);
  trm_buffer *const buffers[] = { f, g, lbm->solid, rung->speeds };
  TRM_TRY(launch_grid(lbm, rung->step, buffers, 4));
  if (rung->form->copies_back) return trm_buffer_copy(f, 0, g, 0, rung->lattice_bytes);
  rung->structs[0] = g;
  rung->structs[1] = f;
  return TRM_OK;
}

static trm_status step_arrays(lbm_solver *lbm)
{
  struct lbm_rung *rung = lbm->rung;
  trm_buffer *f = lbm->lattice[lbm->current], *g = lbm->lattice[!lbm->current];
  trm_buffer *const buffers[] = { f, g, lbm->solid,
                                  rung->form->is_serial ? rung->speeds : lbm->partial };
  TRM_TRY(accelerate(lbm, f));
  TRM_TRY(launch_grid(lbm, rung->step, buffers, 4));
  lbm->current = !lbm->current;
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
