/* volumes_flow.c - launches a step of the gas in control volumes: its begin, stages, rounds, sheets
 * and forces. */
#include "solvers/compressible/cutcells/volumes_flow.h"

#include <stdlib.h>
#include <string.h>

#include "core/sharing.h"

enum { FV_MOST_ROUNDS = 64 };

/* name: after fv_flow_. each: items of a group, 0: the program's. */
#define LAUNCH_BY(each, name, items, p, ...) \
  TRM_TRY(fv_volumes_launch(l, name, items, each, &(p), sizeof(p), \
                            (trm_buffer *[]){ __VA_ARGS__ }, \
                            sizeof(trm_buffer *[]){ __VA_ARGS__ } / sizeof(trm_buffer *)))
#define LAUNCH(name, items, p, ...) LAUNCH_BY(0, "fv_flow_" #name, items, p, __VA_ARGS__)
/* For own leaves. near: bits of buffers whose blocks beside these leaves are read, too. */
#define LAUNCH_OWN(each, name, items, near, p, ...) \
  TRM_TRY(fv_volumes_launch_own(l, "fv_flow_" #name, items, each, near, &(p), sizeof(p), \
                                (trm_buffer *[]){ __VA_ARGS__ }, \
                                sizeof(trm_buffer *[]){ __VA_ARGS__ } / sizeof(trm_buffer *)))

trm_status fv_flow_open(fv_volumes *lists, fv_volumes_flow *out)
{
  memset(out, 0, sizeof *out);
  out->lists = lists;
  return TRM_OK;
}

void fv_flow_close(fv_volumes_flow *flow)
{
  trm_buffer **all[] = { &flow->state, &flow->begin, &flow->places, &flow->values, &flow->fresh,
                         &flow->filled, &flow->slopes, &flow->gradients, &flow->fluxes,
                         &flow->pressures, &flow->contents, &flow->pushes, &flow->held,
                         &flow->parts, &flow->means, &flow->asks, &flow->gives, &flow->hoods,
                         &flow->shares, &flow->lacks, &flow->outer_begin, &flow->outer_fluxes,
                         &flow->grips, &flow->forces, &flow->marks, &flow->past, &flow->given };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) trm_buffer_destroy(all[i]);
  for (int i = 0; i < FV_TOLD; i++) trm_buffer_destroy(&flow->told[i]);
  trm_buffer_destroy(&flow->entered);
  trm_compact_destroy(&flow->lacking.compact);
  memset(flow, 0, sizeof *flow);
}

/* The parameters of a launch, with the counts of the lists. */
static fv_params with_counts(const fv_volumes_flow *flow, const fv_params *from)
{
  const fv_volumes *l = flow->lists;
  fv_params p = *from;
  p.units = l->p.volumes;
  p.faces = l->p.faces;
  p.walls = l->p.volumes + FV_TREE_WALLS * l->p.trees;
  p.values = l->p.outer;
  p.first = 0;
  return p;
}

/* The same for own leaves, or for their outer cells. */
static fv_params of_leaves(const fv_params from, const fv_volumes *l, const fv_flow_own *own)
{
  fv_params p = from;
  p.first = own ? own->leaf[0] : 0;
  p.values = own ? own->leaf[1] : l->p.leaves;
  return p;
}

static fv_params of_outers(const fv_params from, const fv_volumes *l, const fv_flow_own *own)
{
  fv_params p = from;
  p.first = own ? own->outer[0] : 0;
  p.values = own ? own->outer[1] : l->p.outer;
  return p;
}

/* ---- parts of a run -------------------------------------------------------------------------- */

/* As LAUNCH has launches: each part copies all. */
static trm_status copy(const fv_volumes *l, trm_buffer *to, size_t at, trm_buffer *from,
                       size_t bytes)
{
  trm_device_replicate(l->device, 1);
  const trm_status status = trm_buffer_copy(to, at, from, 0, bytes);
  trm_device_replicate(l->device, 0);
  return status;
}

/* counts: how many entries of `each` values lie before those of each slot. */
static trm_status share(const fv_flow_own *own, trm_buffer *buffer, trm_type type,
                        const size_t *counts, size_t each)
{
  size_t *starts = malloc((own->slots + 1) * sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  for (size_t i = 0; i <= own->slots; i++) starts[i] = counts[i] * each;
  const trm_by_rows rows = { .type = type, .nx = 1, .ny = own->slots, .nz = 1, .components = 1,
                             .is_bounded = 1, .lists = 1, .starts = starts };
  trm_buffer_rows_called(buffer, "block of cells", "blocks of cells");
  const trm_status status = trm_buffer_rows_anew(buffer, &rows);
  free(starts);
  return status;
}

/* Numbers of outer cells: the buffer that they go to, so many of each cell. They may be the same of
 * all cells. */
typedef struct told { trm_buffer *to; int each; trm_type type; int is_same; } told;

static void list_told(const fv_volumes_flow *flow, told list[FV_TOLD])
{
  const trm_type type = sizeof(real) == sizeof(double) ? TRM_TYPE_F64 : TRM_TYPE_F32;
  const int has_gradients = flow->p.viscosity > 0 || flow->p.is_plain;
  const told all[FV_TOLD] = { { flow->places, 4, type, 1 }, { flow->values, FV_VALUES, type, 0 },
                              { flow->fresh, 1, TRM_TYPE_I32, 1 },
                              { flow->slopes, 3 * FV_VALUES, type, 0 },
                              { flow->gradients, has_gradients ? FV_FLOW_GRADIENTS : 0, type, 0 } };
  memcpy(list, all, sizeof all);
}

/* The places of outer cells and their marks, as fv_flow_outer has them. */
static trm_status write_same(const fv_volumes_flow *flow)
{
  const fv_volumes *l = flow->lists;
  const size_t volumes = (size_t)l->p.volumes, outers = (size_t)l->p.outer;
  real *places = calloc(4 * outers + 1, sizeof *places);
  int32_t *fresh = malloc((outers + 1) * sizeof *fresh);
  trm_status status = places && fresh ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at "
                                                          "walls");
  for (size_t i = 0; i < outers && status == TRM_OK; i++) {
    places[4 * i] = 1;
    fresh[i] = FV_FLOW_HOLDS;
  }
  if (status == TRM_OK && outers > 0)
    status = trm_buffer_write(flow->places, 4 * volumes * sizeof *places,
                              4 * outers * sizeof *places, places);
  if (status == TRM_OK && outers > 0)
    status = trm_buffer_write(flow->fresh, volumes * sizeof *fresh, outers * sizeof *fresh, fresh);
  free(places);
  free(fresh);
  return trm_device_agree(l->device, status);
}

static trm_status make_told(fv_volumes_flow *flow, const fv_flow_own *own)
{
  fv_volumes *l = flow->lists;
  told list[FV_TOLD];
  if (!own || flow->told_of == own->version) return TRM_OK;
  list_told(flow, list);
  TRM_TRY(fv_volumes_reserve(l, &flow->entered, l->p.volumes, FV_VALUES * sizeof(real)));
  TRM_TRY(share(own, flow->entered, list[0].type, own->volumes, FV_VALUES));
  for (int i = 0; i < FV_TOLD; i++) {
    const size_t each = list[i].each > 0 ? (size_t)list[i].each : FV_FLOW_GRADIENTS;
    TRM_TRY(fv_volumes_reserve(l, &flow->told[i], l->p.outer,
                               each * trm_type_size(list[i].type)));
    if (!list[i].is_same) TRM_TRY(share(own, flow->told[i], list[i].type, own->outers, each));
  }
  flow->told_of = own->version;
  return TRM_OK;
}

/* Outer cells of all parts, behind the volumes. */
static trm_status take_told(const fv_volumes_flow *flow)
{
  const fv_volumes *l = flow->lists;
  told list[FV_TOLD];
  list_told(flow, list);
  for (int i = 0; i < FV_TOLD; i++) {
    const size_t bytes = (size_t)list[i].each * trm_type_size(list[i].type);
    if (!list[i].is_same)
      TRM_TRY(copy(l, list[i].to, (size_t)l->p.volumes * bytes, flow->told[i],
                   (size_t)l->p.outer * bytes));
  }
  return TRM_OK;
}

/* States of volumes that come from blocks, to `to`. olds: as for the kernel. */
static trm_status enter(const fv_volumes_flow *flow, const fv_params from,
                        const fv_flow_blocks *blocks, trm_buffer *olds, trm_buffer *to)
{
  const fv_volumes *l = flow->lists;
  const fv_flow_own *own = blocks->own;
  const size_t bytes = (size_t)l->p.volumes * FV_VALUES * sizeof(real);
  trm_buffer *state = own ? flow->entered : to;
  fv_params p = from;
  if (l->p.volumes == 0) return TRM_OK;
  if (own) p.first = own->volume[0];
  if (own) p.units = own->volume[1];
  if (own) TRM_TRY(copy(l, state, 0, to, bytes));
  LAUNCH_OWN(0, enter, p.units - p.first, 0, p, l->places, l->list, blocks->slots, olds,
             blocks->q, state);
  return own ? copy(l, to, 0, state, bytes) : TRM_OK;
}

/* The state of listed cells, and of solid ones, to blocks. */
static trm_status show(const fv_volumes_flow *flow, const fv_params from,
                       const fv_flow_blocks *blocks, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  const fv_params p = of_leaves(from, l, blocks->own);
  if (l->p.leaves == 0) return TRM_OK;
  LAUNCH_OWN(1, blocks, p.values - p.first, 0, p, blocks->slots, l->now.kinds, l->list,
             l->now.kept, l->now.volumes, flow->state, clock, blocks->next, blocks->q,
             blocks->part);
  return TRM_OK;
}

/* Outer cells, as blocks have them. */
static trm_status fetch_outer(const fv_volumes_flow *flow, const fv_params from,
                              const fv_flow_blocks *blocks)
{
  const fv_volumes *l = flow->lists;
  fv_params p = of_outers(from, l, blocks->own);
  told list[FV_TOLD];
  trm_buffer *to[FV_TOLD];
  list_told(flow, list);
  for (int i = 0; i < FV_TOLD; i++) to[i] = blocks->own ? flow->told[i] : list[i].to;
  if (l->p.outer == 0) return TRM_OK;
  if (blocks->own) p.units = 0;
  LAUNCH_OWN(0, outer, p.values - p.first, 1 << 3, p, l->outer, blocks->slots, blocks->near,
             blocks->w, blocks->q, to[0], to[1], to[2], to[3], to[4], flow->outer_begin);
  return blocks->own ? take_told(flow) : TRM_OK;
}

/* Room for all arrays but the state. */
static trm_status make_room(fv_volumes_flow *flow)
{
  fv_volumes *l = flow->lists;
  const int volumes = l->p.volumes, all = volumes + l->p.outer, outer = l->p.outer;
  const struct { trm_buffer **buffer; int count, each; } of_reals[] = {
    { &flow->begin, volumes, FV_VALUES },       { &flow->places, all, 4 },
    { &flow->values, all, FV_VALUES },          { &flow->slopes, all, 3 * FV_VALUES },
    { &flow->fluxes, l->p.faces, FV_VALUES },
    { &flow->gradients, flow->p.viscosity > 0 ? all : 0, FV_FLOW_GRADIENTS },
    { &flow->grips, flow->p.viscosity > 0 ? flow->p.walls : 0, FV_FLOW_GRIP },
    { &flow->pressures, volumes + FV_TREE_WALLS * l->p.trees, 1 },
    { &flow->contents, volumes, FV_VALUES },    { &flow->pushes, volumes, FV_VALUES - 1 },
    { &flow->held, volumes, FV_VALUES - 1 },
    { &flow->parts, volumes, 1 },               { &flow->means, volumes, 4 * FV_VALUES },
    { &flow->asks, volumes, FV_ASK_REALS },     { &flow->gives, volumes, FV_GIVE_REALS },
    { &flow->hoods, volumes, FV_HOOD_REALS },   { &flow->shares, l->p.faces, FV_SHARE_REALS },
    { &flow->outer_begin, outer, FV_VALUES },
    { &flow->outer_fluxes, outer, FV_CELL_SIDES * FV_VALUES } };
  for (size_t i = 0; i < sizeof of_reals / sizeof *of_reals; i++)
    TRM_TRY(fv_volumes_reserve(l, of_reals[i].buffer, of_reals[i].count,
                               (size_t)of_reals[i].each * sizeof(real)));
  TRM_TRY(fv_volumes_reserve(l, &flow->fresh, all, sizeof(int32_t)));
  TRM_TRY(fv_volumes_reserve(l, &flow->filled, all, sizeof(int32_t)));
  return fv_volumes_reserve(l, &flow->lacks, volumes, sizeof(int32_t));
}

static trm_status make_state(fv_volumes_flow *flow)
{
  trm_buffer **const of_volumes[] = { &flow->state, &flow->past, &flow->given };
  for (int i = 0; i < (flow->has_past ? 3 : 1); i++)
    TRM_TRY(fv_volumes_reserve(flow->lists, of_volumes[i], flow->lists->p.volumes,
                               FV_VALUES * sizeof(real)));
  return TRM_OK;
}

/* ---- dual time ------------------------------------------------------------------------------- */

trm_status fv_flow_given(fv_volumes_flow *flow, const fv_params *params, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  const fv_params p = with_counts(flow, params);
  LAUNCH(given, p.units, p, flow->state, flow->past, flow->given, clock);
  return TRM_OK;
}

trm_status fv_flow_local_step(const fv_volumes_flow *flow, const fv_params *params,
                              const fv_flow_blocks *blocks, trm_buffer *clock, double *dt)
{
  const fv_volumes *l = flow->lists;
  const fv_params p = of_leaves(with_counts(flow, params), l, NULL);
  LAUNCH_BY(1, "fv_flow_local_step", 1, p, blocks->slots, blocks->part, clock);
  return trm_buffer_read(clock, FV_DT * sizeof *dt, sizeof *dt, dt);
}

/* The state after a stage of a sweep. */
static trm_status damp(const fv_volumes_flow *flow, const fv_params p, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  if (flow->is_dual && (flow->has_past || p.viscosity > 0))
    LAUNCH(damp, p.units, p, flow->begin, flow->parts, clock, flow->state);
  return TRM_OK;
}

trm_status fv_flow_start(fv_volumes_flow *flow, const fv_params *params,
                         const fv_flow_blocks *blocks)
{
  fv_volumes *l = flow->lists;
  fv_params p = with_counts(flow, params);
  const real none = 0;
  p.begins = 1;
  TRM_TRY(make_state(flow));
  if (flow->has_past)
    TRM_TRY(trm_buffer_fill(flow->past, 0, trm_buffer_bytes(flow->past), &none, sizeof none));
  if (!blocks) return TRM_OK;
  if (blocks->own) flow->p = p;
  TRM_TRY(make_told(flow, blocks->own));
  TRM_TRY(enter(flow, p, blocks, l->places, flow->state));
  flow->told_of = 0; /* the step has places for them */
  return fv_flow_show(flow, params, blocks);
}

static trm_status start_outer(const fv_volumes_flow *flow, const fv_params from,
                              const fv_flow_blocks *blocks)
{
  const fv_volumes *l = flow->lists;
  const fv_params p = of_outers(from, l, blocks->own);
  if (!(p.form & FV_IN_SINGLE) || l->p.outer == 0) return TRM_OK;
  LAUNCH_OWN(0, outer_start, p.values - p.first, 0, p, l->outer, blocks->slots, l->outer_sides,
             blocks->q, blocks->next);
  return TRM_OK;
}

trm_status fv_flow_show(fv_volumes_flow *flow, const fv_params *params,
                        const fv_flow_blocks *blocks)
{
  fv_params p = with_counts(flow, params);
  p.begins = 1;
  p.alpha = 1;
  TRM_TRY(start_outer(flow, p, blocks));
  return show(flow, p, blocks, flow->state);
}

trm_status fv_flow_begin(fv_volumes_flow *flow, const fv_params *params,
                         const fv_flow_blocks *blocks)
{
  fv_volumes *l = flow->lists;
  fv_params p = with_counts(flow, params);
  p.begins = !l->p.follows;
  flow->p = p;
  TRM_TRY(make_room(flow));
  if (l->p.follows) LAUNCH(begin, p.units, p, l->olds, l->taken, flow->state, flow->begin);
  if (blocks && blocks->own && flow->told_of != blocks->own->version) TRM_TRY(write_same(flow));
  if (blocks) TRM_TRY(make_told(flow, blocks->own));
  if (blocks) TRM_TRY(enter(flow, p, blocks, l->olds, flow->begin));
  flow->lacked = 0;
  return make_state(flow);
}

/* ---- a stage --------------------------------------------------------------------------------- */

static trm_status find_grips(const fv_volumes_flow *flow, const fv_params p, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  LAUNCH(grip, p.units, p, l->shapes, l->tables, l->bodies, l->owners, l->walls, flow->places,
         l->near, flow->values, flow->fresh, clock, flow->grips);
  return TRM_OK;
}

static trm_status find_gradients(const fv_volumes_flow *flow, const fv_params p, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  LAUNCH(gradients, p.units, p, l->shapes, l->tables, l->bodies, l->owners, l->walls, flow->places,
         l->near, flow->values, flow->fresh, clock, flow->gradients);
  return TRM_OK;
}

/* Values of volumes and of outer cells. */
static trm_status find_values(const fv_volumes_flow *flow, const fv_params p, trm_buffer *q,
                              const fv_flow_blocks *blocks)
{
  const fv_volumes *l = flow->lists;
  LAUNCH(state, p.units, p, l->now.volumes, q, flow->places, flow->values, flow->fresh);
  return blocks ? fetch_outer(flow, p, blocks) : TRM_OK;
}

/* Friction at walls that hold the gas fast. */
static trm_status slow_down(const fv_volumes_flow *flow, const fv_params p, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  TRM_TRY(find_grips(flow, p, clock));
  LAUNCH(drag, p.units, p, l->places, l->sides, l->joins, l->bodies, l->now.volumes, l->shares,
         l->hoods, flow->begin, flow->contents, flow->grips, flow->pushes, flow->parts);
  LAUNCH(slow, p.units, p, flow->pushes, flow->contents);
  return TRM_OK;
}

/* The contents after a stage, without redistribution. */
static trm_status make_contents(const fv_volumes_flow *flow, const fv_params p,
                                const fv_flow_blocks *blocks, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  TRM_TRY(find_values(flow, p, p.when > 0 ? flow->state : flow->begin, blocks));
  LAUNCH(slopes, p.units, p, flow->places, l->near, flow->values, flow->fresh, flow->slopes);
  LAUNCH(fill, p.units, p, l->places, flow->places, l->sides, l->joins, l->openings, flow->slopes,
         flow->fresh, flow->values, flow->filled);
  LAUNCH(fill, p.units, p, l->places, flow->places, l->sides, l->joins, l->openings, flow->slopes,
         flow->filled, flow->values, flow->fresh);
  if (!(p.when > 0)) LAUNCH(adopt, p.units, p, flow->values, flow->fresh, flow->begin);
  LAUNCH(fluxes, p.faces, p, l->joins, l->openings, flow->places, flow->values, flow->slopes,
         flow->fresh, clock, flow->fluxes);
  if (p.viscosity > 0) {
    TRM_TRY(find_gradients(flow, p, clock));
    LAUNCH(stress, p.faces, p, l->joins, l->openings, flow->places, flow->values, flow->slopes,
           flow->gradients, flow->fresh, clock, flow->fluxes);
  }
  LAUNCH(walls, p.units, p, l->bodies, flow->places, l->walls, l->hoods, flow->values,
         flow->slopes, clock, flow->pressures);
  LAUNCH(sums, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->bodies, l->walls,
         flow->begin, flow->fluxes, flow->pressures, clock, flow->contents, flow->pushes);
  LAUNCH(dust, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->openings, l->asks,
         flow->contents, flow->pushes);
  LAUNCH(hold, p.units, p, l->places, l->sides, l->joins, l->shares, l->hoods, l->bodies,
         l->walls, flow->contents, flow->pushes, clock, flow->pressures, flow->held);
  LAUNCH(ease, p.units, p, l->places, l->sides, l->joins, l->shares, l->hoods, flow->values,
         flow->contents, flow->held, flow->parts);
  LAUNCH(press, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->openings, l->asks,
         l->bodies, flow->held, flow->parts, flow->pressures, flow->contents);
  if (flow->has_past)
    LAUNCH(derive, p.units, p, l->now.volumes, flow->begin, flow->given, clock, flow->contents);
  if (p.viscosity > 0) TRM_TRY(slow_down(flow, p, clock));
  if (flow->sources)
    LAUNCH(source, p.units, p, l->places, l->list, l->leaves, l->now.volumes, flow->places,
           flow->values, flow->sources, clock, flow->contents);
  return TRM_OK;
}

/* A sweep of the redistribution, by these shares. */
static trm_status sweep(const fv_volumes_flow *flow, const fv_params p, trm_buffer *shares,
                        trm_buffer *hoods)
{
  const fv_volumes *l = flow->lists;
  LAUNCH(means, p.units, p, l->places, l->sides, l->joins, shares, hoods, flow->contents,
         flow->values, flow->slopes, flow->means);
  LAUNCH(shares, p.units, p, l->places, l->now.volumes, l->sides, l->joins, shares, hoods,
         flow->means, flow->contents);
  return TRM_OK;
}

/* Sweeps for volumes without mass or pressure, until each has some. */
static trm_status make_rounds(fv_volumes_flow *flow, const fv_params p)
{
  fv_volumes *l = flow->lists;
  const real none = 0;
  const int32_t no = 0;
  TRM_TRY(trm_buffer_fill(flow->lacks, 0, trm_buffer_bytes(flow->lacks), &no, sizeof no));
  for (int round = 0;; round++) {
    int count = 0;
    LAUNCH(lack, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->openings,
           flow->contents, flow->lacks, flow->asks);
    TRM_TRY(fv_volumes_list_flags(l, &flow->lacking, flow->lacks, &flow->filled, &count));
    if (count == 0) return TRM_OK;
    if (round == 0) flow->lacked = count;
    if (round == FV_MOST_ROUNDS)
      return TRM_FAIL(INPUT, "%d cells at walls end a step without pressure, and their neighbours "
                             "have none to give; let bodies move more slowly", count);
    LAUNCH_BY(0, "fv_volumes_give", p.units, l->p, l->places, l->now.volumes, l->sides, l->joins,
              l->openings, flow->asks, flow->gives);
    LAUNCH_BY(0, "fv_volumes_hood", p.units, l->p, l->places, l->now.volumes, l->sides, l->joins,
              l->openings, l->bodies, l->walls, flow->asks, flow->gives, flow->shares,
              flow->hoods);
    TRM_TRY(trm_buffer_fill(flow->slopes, 0, trm_buffer_bytes(flow->slopes), &none, sizeof none));
    TRM_TRY(sweep(flow, p, flow->shares, flow->hoods));
  }
}

/* Sheets empty, then volumes get their shares. */
static trm_status end_step(fv_volumes_flow *flow, const fv_params p)
{
  const fv_volumes *l = flow->lists;
  fv_volumes_params sheet = l->p;
  if (l->most_layers > 0)
    LAUNCH(lift, p.units, sheet, l->layers, l->are_sheet, flow->contents, flow->state);
  for (sheet.layer = l->most_layers; sheet.layer > 0; sheet.layer--)
    LAUNCH(sheet, sheet.volumes, sheet, l->places, l->sides, l->joins, l->passes, l->layers,
           l->ways, flow->state, flow->contents);
  for (int i = 0; i < 2; i++) TRM_TRY(sweep(flow, p, l->shares, l->hoods));
  TRM_TRY(make_rounds(flow, p));
  LAUNCH(end, p.units, p, l->now.volumes, flow->contents, flow->state);
  return TRM_OK;
}

trm_status fv_flow_stage(fv_volumes_flow *flow, const fv_params *params,
                         const fv_flow_blocks *blocks, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  const fv_params p = with_counts(flow, params);
  TRM_TRY(make_contents(flow, p, blocks, clock));
  if (p.is_last && !flow->is_dual) return end_step(flow, p);
  LAUNCH(rates, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->shares, l->hoods,
         flow->begin, flow->contents, flow->state);
  return damp(flow, p, clock);
}

trm_status fv_flow_update(const fv_volumes_flow *flow, const fv_params *params,
                          const fv_flow_blocks *blocks, trm_buffer *clock)
{
  const fv_volumes *l = flow->lists;
  const fv_params all = with_counts(flow, params), p = of_outers(all, l, blocks->own);
  const int own = p.values - p.first;
  if (l->p.outer == 0) return TRM_OK;
  LAUNCH_OWN(FV_OUTER_FACES, outer_fluxes, FV_CELL_SIDES * own, 1 << 4, p, l->outer,
             blocks->slots, l->outer_sides, blocks->near, blocks->w, flow->outer_fluxes);
  LAUNCH_OWN(0, outer_update, own, 0, p, l->outer, blocks->slots, l->outer_sides,
             flow->outer_begin, flow->fluxes, flow->outer_fluxes, clock,
             flow->is_dual ? blocks->given : flow->outer_begin, blocks->next, blocks->q);
  return p.is_last ? start_outer(flow, all, blocks) : TRM_OK;
}

trm_status fv_flow_put(const fv_volumes_flow *flow, const fv_params *params,
                       const fv_flow_blocks *blocks, trm_buffer *clock)
{
  return show(flow, with_counts(flow, params), blocks, clock);
}

/* ---- the state at a step's end --------------------------------------------------------------- */

trm_status fv_flow_look(fv_volumes_flow *flow, const fv_params *params,
                        const fv_flow_blocks *blocks, trm_buffer *clock)
{
  fv_volumes *l = flow->lists;
  flow->p = with_counts(flow, params);
  flow->p.when = flow->p.alpha = 1;
  flow->p.is_plain = !(flow->p.viscosity > 0); /* gas that walls do not hold */
  TRM_TRY(make_room(flow));
  TRM_TRY(fv_volumes_reserve(l, &flow->gradients, flow->p.units + flow->p.values,
                             FV_FLOW_GRADIENTS * sizeof(real)));
  TRM_TRY(make_told(flow, blocks->own));
  if (blocks->own) TRM_TRY(write_same(flow));
  TRM_TRY(find_values(flow, flow->p, flow->state, blocks));
  return find_gradients(flow, flow->p, clock);
}

trm_status fv_flow_grip(fv_volumes_flow *flow, trm_buffer *clock)
{
  return find_grips(flow, flow->p, clock);
}

trm_status fv_flow_mark(fv_volumes_flow *flow, const fv_params *params,
                        const fv_flow_blocks *blocks)
{
  fv_volumes *l = flow->lists;
  const fv_params p = with_counts(flow, params);
  const int cells = l->p.side[0] * l->p.side[1] * l->p.side[2];
  TRM_TRY(fv_volumes_reserve(l, &flow->marks, l->p.leaves * (cells + 1), sizeof(int32_t)));
  LAUNCH_BY(1, "fv_flow_marks", l->p.leaves, p, blocks->slots, l->now.kinds, l->list, flow->marks);
  return TRM_OK;
}

trm_status fv_flow_integrals(fv_volumes_flow *flow, double to[FV_SUMS])
{
  fv_volumes *l = flow->lists;
  const fv_params p = flow->p;
  const int chunks = (p.units + FV_FLOW_CHUNK - 1) / FV_FLOW_CHUNK;
  for (int k = 0; k < FV_SUMS; k++) to[k] = 0;
  if (chunks == 0) return TRM_OK;
  TRM_TRY(fv_volumes_reserve(l, &flow->forces, FV_SUMS * chunks, sizeof(real)));
  LAUNCH_BY(1, "fv_flow_integrals", chunks, p, l->now.volumes, flow->values, flow->gradients,
            flow->fresh, flow->forces);
  double *part = malloc((size_t)chunks * FV_SUMS * sizeof *part);
  if (!part) return TRM_FAIL(NO_HOST_MEMORY, "no memory for sums over %d volumes", p.units);
  const trm_status status = trm_buffer_read(flow->forces, 0,
                                            (size_t)chunks * FV_SUMS * sizeof *part, part);
  for (int i = 0; i < chunks * FV_SUMS && status == TRM_OK; i++) to[i % FV_SUMS] += part[i];
  free(part);
  return status;
}

/* ---- forces ---------------------------------------------------------------------------------- */

trm_status fv_flow_forces(fv_volumes_flow *flow, trm_buffer *clock, double (*to)[FV_FLOW_FORCES])
{
  fv_volumes *l = flow->lists;
  const fv_params p = flow->p;
  const int chunks = (p.walls + FV_FLOW_CHUNK - 1) / FV_FLOW_CHUNK, bodies = l->p.bodies;
  const size_t sums = (size_t)chunks * (size_t)bodies * FV_FLOW_FORCES;
  memset(to, 0, (size_t)bodies * sizeof *to);
  if (sums == 0) return TRM_OK;
  double *part = malloc(sums * sizeof *part);
  if (!part) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the forces on %d bodies", bodies);
  trm_status status = fv_volumes_reserve(l, &flow->forces, (int)sums, sizeof(real));
  if (status == TRM_OK) {
    trm_buffer *const buffers[] = { l->bodies, l->owners, l->walls, flow->pressures,
                                    flow->grips, clock, flow->forces };
    status = fv_volumes_launch(l, "fv_flow_forces", chunks * bodies, 1, &p, sizeof p, buffers,
                               sizeof buffers / sizeof *buffers);
  }
  if (status == TRM_OK) status = trm_buffer_read(flow->forces, 0, sums * sizeof *part, part);
  for (size_t i = 0; i < sums && status == TRM_OK; i++)
    to[i / (size_t)chunks / FV_FLOW_FORCES][i / (size_t)chunks % FV_FLOW_FORCES] += part[i];
  free(part);
  return status;
}
