/* geometry_lists.c - room for the lists about moving walls that the device makes (geometry.h): as
 * long as those of the step before, and somewhat longer. */
#include "solvers/compressible/cutcells/geometry_parts.h"

#include <string.h>

/* Looks of so many turns of each kind, and factors, in units of FV_CUT_GROUP. */
void fv_count_turns(const fv_solver *fv, const size_t counts[FV_COUNTS], fv_cut_tables *to)
{
  to->turns = to->looks = to->weights = 0;
  for (int kind = 0; kind < FV_COUNTS; kind++) {
    const size_t groups = (size_t)fv_groups_of(counts[kind]);
    to->turns += groups * FV_CUT_GROUP;
    to->looks += groups * FV_CUT_GROUP * (size_t)FV_ORDER_STENCILS(kind, fv->n[2]);
    to->weights += groups * (size_t)FV_ORDER_FACTORS(kind, fv->n[2]);
  }
}

/* Of tables that the host made, or what the device told. */
void fv_count_orders(const fv_solver *fv, size_t counts[FV_COUNTS])
{
  const fv_cut_tables *t = fv->cut;
  memset(counts, 0, FV_COUNTS * sizeof *counts);
  for (size_t i = 0; i < t->turns && t->turn; i++) {
    const int32_t *turn = t->turn + FV_STENCIL_INTS * i;
    const int kind = turn[FV_STENCIL_KIND];
    if (turn[FV_STENCIL_NUMBER] < 0) continue;
    counts[kind == FV_STENCIL_CENTRAL ? FV_ORDER_CENTRAL : kind == FV_STENCIL_PLAIN ? FV_ORDER_PLAIN
             : turn[FV_STENCIL_WALLS] > FV_SPARE_WALLS ? FV_ORDER_HARD : FV_ORDER_WALLED]++;
  }
}

void fv_count_exact(const fv_solver *fv, const fv_cut_tables *t, size_t to[FV_ROUNDINGS])
{
  const size_t units = (size_t)t->units, walls = (size_t)t->walls;
  const size_t counts[FV_ROUNDINGS] = { fv_sizes(t, walls), 3 * units, units, 4 * t->records,
                                        t->froms, 3 * t->froms, fv->block * (size_t)t->walled,
                                        6 * walls };
  memcpy(to, counts, sizeof counts);
}

static trm_status make_exact(fv_solver *fv, int number, size_t count)
{
  fv_geometry *g = &fv->geometry;
  if (fv->real_type == TRM_TYPE_F64 || count <= g->exact_room[number]) return TRM_OK;
  const trm_framework_buffer one = { &g->exact[number], "lists about moving walls",
                                    count + count / 4,
                               TRM_TYPE_F64, 1, NULL };
  trm_framework_release(&one, 1);
  g->exact_room[number] = one.count;
  return trm_framework_allocate(fv->base.device, &one, 1, "walls that move");
}

/* Room for lists somewhat longer than those of the step before. */
trm_status fv_make_lists(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  fv_cut_tables most = *fv->cut, *own = fv->cut;
  size_t counts[FV_COUNTS];
  for (int k = 0; k < FV_COUNTS; k++) counts[k] = fv_room_for(g->turns[k]) - 960;
  fv_count_turns(fv, counts, &most);
  most.sloped = (int)fv_room_again((size_t)own->sloped, g->most_sloped);
  most.units = (int)fv_room_again((size_t)own->units, g->most_units);
  most.faces = (int)fv_room_again((size_t)own->faces, (size_t)g->p.rooms[0]);
  most.sized = (int)fv_room_again(g->has_lists ? g->sized : (size_t)own->sized,
                                  (size_t)g->p.rooms[1]);
  most.records = fv_room_again(own->records, g->most_records);
  most.walls = (int)most.records;
  most.joins = fv_room_again(own->joins, (size_t)g->p.rooms[2]);
  most.walled = (int)(g->leaves.nears + g->leaves.solids);
  most.froms = fv_room_again(own->froms ? own->froms : 12 * own->records + (size_t)own->units,
                             (size_t)g->p.rooms[3]);
  g->p.rooms[0] = most.faces;
  g->p.rooms[1] = most.sized;
  g->p.rooms[2] = (int)most.joins;
  g->p.rooms[3] = (int)most.froms;
  g->p.turn_groups = fv_groups_of(most.turns);
  g->most_records = most.records;
  g->most_units = (size_t)most.units;
  g->most_sloped = (size_t)most.sloped;
  g->p.most_records = (int)most.records;
  g->p.most_units = most.units;
  g->p.most_sloped = most.sloped;
  fv->cut = &most;
  trm_status status = fv_grow_walls(fv);
  fv->cut = own;
  fv_count_exact(fv, &most, g->most_exact);
  for (int i = 0; i < FV_ROUNDINGS && status == TRM_OK; i++)
    status = make_exact(fv, i, g->most_exact[i]);
  g->p.looks = (int)(fv->wall_room[FV_WALL_STENCILS] / FV_CUT_GROUP);
  g->p.weights = (int)(fv->wall_room[FV_WALL_WEIGHTS] / FV_CUT_GROUP);
  return status;
}
