/* volumes_flow.h - the gas of control volumes through a step, on a device: launches of
 * kernels/fv_volumes_flow.h and the files beside it.
 *
 * A step begins with fv_volumes_step and fv_flow_begin. Each of five stages is fv_flow_stage, the
 * stage of blocks, and fv_flow_update. Then fv_flow_forces may follow. Blocks have all gas that is
 * not listed. Where all gas is listed there are no blocks, and NULL stands for them. */
#ifndef TRIREME_FV_VOLUMES_FLOW_H
#define TRIREME_FV_VOLUMES_FLOW_H

#include "solvers/compressible/cutcells/volumes_launch.h"
#include "solvers/framework/params.h"
#include "solvers/compressible/kernels/fv_clock.h"
#include "solvers/compressible/kernels/fv_params.h"

/* The share of the lists of a part of a run: leaves, volumes and outer cells of its own slots, from
 * [0] on, up to [1]. Each part makes all volumes, from outer cells that the parts tell each other.
 * volumes, outers: the number before those of each slot. version: of the lists. */
typedef struct fv_flow_own {
  size_t slots, *volumes, *outers;
  int leaf[2], volume[2], outer[2];
  uint64_t version;
} fv_flow_own;

/* Arrays of blocks (fv_block.h); given: in dual time alone. slots: by leaf of the lists. A stage
 * reads the state w, and makes the state next. own: NULL on one device. */
typedef struct fv_flow_blocks {
  trm_buffer *slots, *near, *w, *next, *q, *part, *given;
  const fv_flow_own *own;
} fv_flow_blocks;

/* Parts tell each other places, values, fresh, slopes and gradients of outer cells. */
enum { FV_TOLD = 5 };

/* Arrays by control volume, face part, wall and outer cell. */
typedef struct fv_volumes_flow {
  fv_volumes *lists;
  fv_params p;                 /* of the step's launches */
  trm_buffer *state, *begin;   /* conserved; after a step, state has its end */
  trm_buffer *places, *values, *fresh, *filled, *slopes, *gradients, *fluxes, *pressures,
      *contents, *pushes, *held, *parts, *means, *grips;
  trm_buffer *asks, *gives, *hoods, *shares, *lacks; /* of rounds */
  trm_buffer *outer_begin, *outer_fluxes, *forces;
  trm_buffer *sources;         /* numbers of fv_source.h, the caller's; NULL: nothing acts inside */
  trm_buffer *marks;           /* of integrals */
  int is_dual, has_past;       /* sweeps of dual time; steps in it have a derivative by time */
  trm_buffer *past, *given;    /* of has_past: the state a step before; states before, by time */
  fv_volumes_listing lacking;
  trm_buffer *told[FV_TOLD], *entered; /* of parts: outer cells; states that come from blocks */
  uint64_t told_of;            /* the version of the lists that these are of */
  int lacked;                  /* volumes of the step that ended without mass or pressure */
} fv_volumes_flow;

/* The lists outlive the flow. The caller calls fv_flow_close, also where this fails. */
trm_status fv_flow_open(fv_volumes *lists, fv_volumes_flow *out);
void fv_flow_close(fv_volumes_flow *flow);

/* After the first lists, of bodies at rest: each volume has its cell's state, from blocks->q.
 * Without blocks the caller writes flow->state, which has room then. params: of all launches. Its
 * inv_h is the finest level's, since lengths of the lists are in cells of that level. */
trm_status fv_flow_start(fv_volumes_flow *flow, const fv_params *params,
                         const fv_flow_blocks *blocks);

/* The first part of it: blocks get the state of volumes, and rates. */
trm_status fv_flow_show(fv_volumes_flow *flow, const fv_params *params,
                        const fv_flow_blocks *blocks);

/* After the lists of a step: the state at its begin, by the step before. Cells that were not listed
 * have the state of blocks. So have all after new leaves: parts of a cell have its mean. */
trm_status fv_flow_begin(fv_volumes_flow *flow, const fv_params *params,
                         const fv_flow_blocks *blocks);

/* Dual time: the begin of a step; then the length of a sweep of stages, by the blocks' last rates.
 * The caller gets that length, too. */
trm_status fv_flow_given(fv_volumes_flow *flow, const fv_params *params, trm_buffer *clock);
trm_status fv_flow_local_step(const fv_volumes_flow *flow, const fv_params *params,
                              const fv_flow_blocks *blocks, trm_buffer *clock, double *dt);

/* A stage of the volumes; p: when, alpha and is_last. clock: of the device, with the step's length.
 * The last one redistributes, empties sheets, and makes rounds for volumes without pressure.
 * TRM_ERROR_INPUT if 64 rounds leave one. */
trm_status fv_flow_stage(fv_volumes_flow *flow, const fv_params *p, const fv_flow_blocks *blocks,
                         trm_buffer *clock);

/* After the blocks' own stage: writes outer cells to blocks->next, and in the last stage to
 * blocks->q. After all that acts in blocks fv_flow_put does the same with listed and solid cells.
 * In the last stage it writes the largest rates to blocks->part. */
trm_status fv_flow_update(const fv_volumes_flow *flow, const fv_params *p,
                          const fv_flow_blocks *blocks, trm_buffer *clock);
trm_status fv_flow_put(const fv_volumes_flow *flow, const fv_params *p,
                       const fv_flow_blocks *blocks, trm_buffer *clock);

/* After a step. fv_flow_look finds values and gradients of the state at its end, from blocks->w.
 * Then fv_flow_grip finds friction and heat of walls (flow->grips), over a step as long as that
 * one. And fv_flow_integrals sums over the gas of volumes. fv_flow_mark lists whole cells for the
 * kernel fv_integrals. */
trm_status fv_flow_look(fv_volumes_flow *flow, const fv_params *params,
                        const fv_flow_blocks *blocks, trm_buffer *clock);
trm_status fv_flow_grip(fv_volumes_flow *flow, trm_buffer *clock);
trm_status fv_flow_integrals(fv_volumes_flow *flow, double to[FV_SUMS]);
trm_status fv_flow_mark(fv_volumes_flow *flow, const fv_params *params,
                        const fv_flow_blocks *blocks);

/* Forces of the step: FV_FLOW_FORCES of each body. */
trm_status fv_flow_forces(fv_volumes_flow *flow, trm_buffer *clock, double (*to)[FV_FLOW_FORCES]);

#endif
