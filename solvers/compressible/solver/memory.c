/* memory.c - the buffers of the compressible solver, and their change with the grid. */
#include "solvers/compressible/solver/fv.h"

#include <stdio.h>
#include <string.h>

/* The room that the grid needs; call it after fv_count_interfaces. */
static fv_room room_of(const fv_solver *fv)
{
  const trm_forest *forest = fv->forest;
  return (fv_room){ forest->slots, forest->blocks.count, forest->ghost_count,
                    (size_t)fv->p.interfaces, fv->flux_count, fv->edges.entries };
}

static size_t list_sized(const fv_solver *fv, trm_framework_buffer *to)
{
  fv_solver *all = (fv_solver *)(uintptr_t)fv; /* handles are kept there */
  const fv_room *room = &fv->room;
  const size_t reals = room->slots * fv->block * FV_VALUES;
  const size_t faces = fv_faces(fv);
  const size_t adapted = fv->adapt.is_asked ? room->leaves : 0;
  const size_t sourced = fv->sources.is_force || fv->sources.is_sponge ? room->leaves : 0;
  const trm_type real_type = fv->real_type;
  const trm_framework_buffer list[] = {
    { &all->w[0], "state 0", reals, real_type, 0, NULL },
    { &all->w[1], "state 1", reals, real_type, 0, NULL },
    { &all->q, "conserved state", reals, real_type, 0, NULL },
    { &all->near, "neighbours", room->leaves * FV_NEAR_INTS, TRM_TYPE_I32, 0, NULL },
    { &all->ghosts, "blocks beside leaves", room->ghosts * FV_GHOST_INTS, TRM_TYPE_I32, 0, NULL },
    { &all->interfaces, "interfaces", room->interfaces * FV_INTERFACE_INTS, TRM_TYPE_I32, 0, NULL },
    { &all->flux, "fluxes at interfaces", (room->fluxes ? room->fluxes : 1) * faces * FV_VALUES,
      real_type, 0, NULL },
    { &all->edges.list, "faces at sides", room->edges * FV_EDGE_INTS, TRM_TYPE_I32, 0, NULL },
    { &all->edges.values, "values at sides",
      (room->edges ? room->edges : 1) * faces * FV_EDGE_REALS, real_type, 1, NULL },
    { &all->sources.list, "blocks with sources", sourced * FV_SOURCE_INTS, TRM_TYPE_I32, 0, NULL },
    { &all->part, "rates", room->leaves, real_type, 1, NULL },
    { &all->sums, "sums of leaves", fv_is_shared(fv) && fv->has_integrals ? FV_SUMS * room->leaves
                                                                          : 0, real_type, 0, NULL },
    { &all->peaks, "rates of chunks", room->leaves / FV_CHUNK + 1, real_type, 1, NULL },
    { &all->adapt.indicated, "what leaves show", adapted * fv_sub_blocks(fv), real_type, 0, NULL },
    { &all->gas, "gas in cells", fv->cut && fv->bodies.is_moving ? room->leaves * fv->block : 0,
      real_type, 0, NULL },
    { &all->adapt.moves, "moves of leaves", adapted * FV_MOVE_INTS, TRM_TYPE_I32, 0, NULL },
  };
  memcpy(to, list, sizeof list);
  return sizeof list / sizeof *list + fv_list_diagnostics(fv, room,
                                                          to + sizeof list / sizeof *list);
}

void fv_list_buffers(fv_solver *fv)
{
  const size_t series = fv_probe_series(fv) + (size_t)fv->diagnostics.count * FV_PROBED +
                        fv_gap_series(fv);
  fv->room = room_of(fv);
  fv->sized = list_sized(fv, fv->memory);
  const trm_framework_buffer list[] = {
    { &fv->clock, "clock", FV_CLOCK_REALS, fv->real_type, 1, NULL },
    { &fv->edges.codes, "formulas of sides", fv->edges.code_count, TRM_TYPE_I32, 0, NULL },
    { &fv->edges.numbers, "numbers of sides", fv->edges.number_count, fv->real_type, 0, NULL },
    { &fv->sources.numbers, "sources", FV_SOURCE_REALS, fv->real_type, 0, fv->sources.number },
    { &fv->tally, "tally", FV_TALLY_INTS, TRM_TYPE_I32, 1, NULL },
    { &fv->series_buffer, "series", series * (size_t)fv->p.limit, fv->real_type, 1, NULL },
    { &fv->series_gathered, "gathered series",
      fv_is_shared(fv) ? series * (size_t)fv->p.limit : 0, fv->real_type, 1, NULL },
    { &fv->counts, "counts", fv_counts(fv), TRM_TYPE_F64, 1, NULL },
    { &fv->adapt.levels, "levels", fv->adapt.is_asked ? fv->adapt.most : 0, TRM_TYPE_U8, 0, NULL },
  };
  memcpy(fv->memory + fv->sized, list, sizeof list);
  fv->buffer_count = fv->sized + sizeof list / sizeof *list;
  fv->buffer_count += fv_list_dual(fv, fv->memory + fv->buffer_count);
  fv->buffer_count += fv_list_implementation(fv, fv->memory + fv->buffer_count);
  fv->buffer_count += fv_list_walls(fv, fv->memory + fv->buffer_count); /* the last */
}

size_t fv_list_grid(fv_solver *fv)
{
  fv->room = room_of(fv);
  return list_sized(fv, fv->memory);
}

trm_status fv_allocate(fv_solver *fv)
{
  char what[64];
  snprintf(what, sizeof what, "a grid of %d x %d x %d cells", fv->n[0], fv->n[1], fv->n[2]);
  fv_list_buffers(fv);
  TRM_TRY(trm_framework_allocate(fv->base.device, fv->memory, fv->buffer_count, what));
  TRM_TRY(fv_write_tables(fv));
  TRM_TRY(fv_keep_levels(fv));
  TRM_TRY(fv_upload_formulas(fv));
  TRM_TRY(trm_framework_write_reals(fv->clock, fv->real_type, FV_AVERAGE_FROM,
                                    &fv->diagnostics.from, 1));
  TRM_TRY(trm_framework_write_reals(fv->clock, fv->real_type, FV_DRAW, fv->draw, 3));
  TRM_TRY(fv_begin_dual(fv));
  TRM_TRY(fv_write_implementation(fv));
  TRM_TRY(fv_allocate_grids(fv));
  return trm_framework_write_reals(fv->clock, fv->real_type, FV_SIDE, fv->sides[0],
                                   6 * FV_SIDE_VALUES);
}

/* ---- another grid ---------------------------------------------------------------- */

/* Where the room is too small, it becomes a quarter more than the need. */
static void grow(size_t *room, size_t need)
{
  if (need > *room) *room = need + need / 4;
}

/* Buffers that are too small are made anew; what the others hold stays. */
static trm_status make_room(fv_solver *fv)
{
  const fv_room need = room_of(fv);
  trm_framework_buffer list[FV_BUFFERS];
  size_t small = 0;
  char what[96];
  grow(&fv->room.slots, need.slots);
  grow(&fv->room.leaves, need.leaves);
  grow(&fv->room.ghosts, need.ghosts);
  grow(&fv->room.interfaces, need.interfaces);
  grow(&fv->room.fluxes, need.fluxes);
  grow(&fv->room.edges, need.edges);
  list_sized(fv, list);
  for (size_t i = 0; i < fv->sized; i++) {
    const int is_small = list[i].count > fv->memory[i].count;
    fv->memory[i] = list[i];
    if (is_small) list[small++] = list[i];
  }
  if (small == 0) return TRM_OK;
  snprintf(what, sizeof what, "a grid of %zu blocks after step %llu", need.leaves,
           (unsigned long long)fv->base.step);
  trm_framework_release(list, small);
  const trm_status status = trm_framework_allocate(fv->base.device, list, small, what);
  return status == TRM_OK ? TRM_OK : fv_say_level_limit(fv, status);
}

int fv_has_room(const fv_solver *fv, const trm_forest *next)
{
  return next->slots <= fv->room.slots && next->blocks.count <= fv->room.leaves;
}

trm_status fv_take_forest(fv_solver *fv, trm_forest **next)
{
  const uint64_t version = fv->blocks.version + 1;
  trm_forest_destroy(&fv->forest);
  fv->forest = *next;
  *next = NULL;
  fv_count_interfaces(fv);
  fv->blocks = fv->forest->blocks;
  fv->blocks.version = version;
  TRM_TRY(make_room(fv));
  trm_status status = fv_share_out(fv);
  if (status == TRM_OK) status = fv_write_tables(fv);
  if (status == TRM_OK) status = fv_renew_volumes(fv);
  TRM_TRY(trm_device_agree(fv->base.device, status));
  fv_place_fields(fv);
  return fv_keep_levels(fv);
}
