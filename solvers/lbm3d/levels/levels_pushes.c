/* levels_pushes.c - the velocities of walls at changes of level.
 *
 * A wall reflects a coarser cell's population: eight parts, each of which crosses the wall at a
 * place of its own. Some of them may have entered finer cells, and finer cells get back populations
 * that they sent through the coarser cell (lbm3d_levels_interface.h). The middle of the other
 * parts' places is then no longer the place of the coarser link. So each part brings the push of
 * the velocity at its own place. A part on the opposite way, or a finer cell, brings the same push
 * with the other sign there, and mass is kept. Kernels take the coarser link's push, and the list
 * has the difference. For a wall with one velocity the list is empty. */
#include "solvers/lbm3d/levels/levels.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { PARTS = 8 };

/* Population k of a coarser cell, counted from the box's corner; places in finer cells. */
typedef struct edge {
  const lbm3d_solver *flow;
  int level, k, e[3], cell[3];
  int32_t site;                /* of the cell */
  int side;                    /* of its link, that decides; -1: none */
  double cross[3], gives;      /* place where the link crosses it, and its push */
} edge;

/* The side that decides about a cell of a level; -1: the cell is in the box. */
static int side_beyond(const lbm3d_solver *flow, int level, const int cell[3])
{
  int side = -1;
  for (int a = 0; a < 3; a++) {
    const int one = cell[a] < 0 ? 2 * a : cell[a] >= flow->scene.n[a] << level ? 2 * a + 1 : -1;
    if (one < 0 || flow->scene.sides[one].kind == SIDE_PERIODIC) continue;
    if (side < 0 || flow->scene.sides[one].kind > flow->scene.sides[side].kind) side = one;
  }
  return side;
}

/* The leaf of the finer level that has the cell; -1: none has. */
static int32_t finer_leaf(const edge *at, const int cell[3])
{
  const trm_forest *forest = at->flow->levels->forest;
  int32_t place[3];
  if (side_beyond(at->flow, at->level + 1, cell) >= 0) return -1;
  for (int a = 0; a < 3; a++) {
    const int n = at->flow->scene.n[a] << (at->level + 1);
    place[a] = (cell[a] + n) % n / LEVELS_SIDE;
  }
  return trm_forest_leaf(forest, at->level + 1, place);
}

/* The push of a side at a place; 0 from walls at rest and openings of given density. */
static double push_at(const edge *at, int side, const double place[3])
{
  double wall[3];
  for (int a = 0; a < 3; a++) wall[a] = ldexp(place[a], -at->level - 1);
  return lbm3d_side_push(&at->flow->scene, side, wall, at->k);
}

static lbm3d_kind kind_of(const edge *at, int side) { return at->flow->scene.sides[side].kind; }

static void set_edge(edge *at)
{
  int from[3];
  for (int a = 0; a < 3; a++) {
    from[a] = at->cell[a] - at->e[a];
    at->cross[a] = 2.0 * at->cell[a] + 1.0 - at->e[a];
  }
  at->side = side_beyond(at->flow, at->level, from);
  at->gives = at->side < 0 ? 0.0 : push_at(at, at->side, at->cross);
}

/* The push of a part that crosses a side between `from` and from - e. At edges of the box (D3Q27)
 * it differs. If another side decides about the whole link, the part brings a push only beside a
 * finer cell. If the part of the second step would have come by the edge, that of the first brings
 * its push, at the link's place along the edge. */
static double part_brings(const edge *at, const int from[3], int is_first)
{
  int to[3], before[3], inside[3];
  double place[3];
  for (int a = 0; a < 3; a++) {
    to[a] = inside[a] = from[a] - at->e[a];
    before[a] = from[a] + at->e[a];
    place[a] = from[a] + 0.5 - 0.5 * at->e[a];
  }
  const int side = side_beyond(at->flow, at->level + 1, to);
  const int edge_side = side_beyond(at->flow, at->level + 1, before);
  inside[side / 2] = from[side / 2];
  if (kind_of(at, side) == SIDE_INFLOW || kind_of(at, side) == SIDE_OUTFLOW) return at->gives;
  if (side != at->side && finer_leaf(at, inside) < 0) return at->gives;
  for (int a = 0; a < 3 && is_first && edge_side >= 0; a++)
    if (a != side / 2 && a != edge_side / 2) place[a] = at->cross[a];
  return push_at(at, side, place);
}

/* The mean push of the parts that enter no finer cell, less that of the link; 0 if none enters. */
static double parts_bring_more(const edge *at)
{
  double more = 0.0;
  int others = 0;
  for (int part = 0; part < PARTS; part++) {
    int from[3], by[3];
    for (int a = 0; a < 3; a++) {
      from[a] = 2 * at->cell[a] + (part >> a & 1);
      by[a] = from[a] - at->e[a];
    }
    if (finer_leaf(at, by) >= 0) continue;
    const int is_first = side_beyond(at->flow, at->level + 1, by) >= 0;
    more += part_brings(at, is_first ? from : by, is_first) - at->gives;
    others++;
  }
  return others < PARTS && others > 0 ? more / others : 0.0;
}

/* ---- lists ----------------------------------------------------------------------- */

/* own: the site of the cell with whose density it is pushed; -1: as given. */
static trm_status put(lbm3d_levels *all, int32_t slot, int cell, int bits, int32_t own,
                      double value)
{
  const size_t i = all->push_count;
  if (value == 0.0) return TRM_OK;
  if ((i & (i - 1)) == 0) {
    const size_t room = i == 0 ? 1 : 2 * i;
    int32_t *pushes = realloc(all->pushes, LEVELS_PUSH_INTS * room * sizeof *pushes);
    if (pushes) all->pushes = pushes;
    double *values = pushes ? realloc(all->push_values, room * sizeof *values) : NULL;
    if (values) all->push_values = values;
    if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for walls' velocities at interfaces");
  }
  int32_t *to = all->pushes + LEVELS_PUSH_INTS * i;
  to[0] = LEVELS_CELLS * slot + cell;
  to[1] = bits;
  to[2] = own;
  all->push_values[i] = value;
  all->push_count++;
  return TRM_OK;
}

static int number_of(const int at[3])
{
  int number = 0;
  for (int a = 2; a >= 0; a--) number = 3 * number + (at[a] < 0 ? 0 : at[a] < LEVELS_SIDE ? 1 : 2);
  return number;
}

/* The coarser cell's own population. */
static trm_status put_link(lbm3d_levels *all, const edge *at, int32_t leaf)
{
  int from[3];
  if (kind_of(at, at->side) != SIDE_WALL && kind_of(at, at->side) != SIDE_MOVING) return TRM_OK;
  for (int a = 0; a < 3; a++)
    from[a] = at->cell[a] - LEVELS_SIDE * all->forest->place[leaf][a] - at->e[a];
  return put(all, all->forest->near[leaf][number_of(from)], LEVELS_CELL(from[0], from[1], from[2]),
             at->k, -1, parts_bring_more(at));
}

/* Finer cells' populations that come back at the second step through the part `here` of the cell. A
 * moving wall pushes them if it decides about the coarser link too: so mass is kept. An inflow
 * pushes with the density that it has for the coarser cell. */
static trm_status put_return(lbm3d_levels *all, const edge *at, const int here[3])
{
  int from[3], to[3], in[3];
  double place[3];
  for (int a = 0; a < 3; a++) {
    from[a] = here[a] - at->e[a];
    to[a] = here[a] + at->e[a];
    in[a] = (to[a] & (LEVELS_SIDE - 1)) - at->e[a];
    place[a] = here[a] + 0.5 - 0.5 * at->e[a];
  }
  const int side = side_beyond(at->flow, at->level + 1, from);
  if (side < 0) return TRM_OK;
  const lbm3d_kind kind = kind_of(at, side);
  if (kind != SIDE_INFLOW && (kind != SIDE_MOVING || side != at->side)) return TRM_OK;
  const int32_t leaf = finer_leaf(at, to);
  const int is_own = kind == SIDE_INFLOW && at->flow->scene.is_own;
  if (leaf < 0) return TRM_OK;
  return put(all, all->forest->near[leaf][number_of(in)], LEVELS_CELL(here[0], here[1], here[2]),
             at->k | LEVELS_PUSH_RETURNS, is_own ? at->site : -1,
             push_at(at, side, place) - at->gives);
}

static trm_status put_cell(lbm3d_solver *flow, edge *at, int32_t leaf)
{
  lbm3d_levels *all = flow->levels;
  for (at->k = 7; at->k < flow->scene.velocities; at->k++) {
    const int e[] = { lbm3d_ex[at->k], lbm3d_ey[at->k], lbm3d_ez[at->k] };
    for (int a = 0; a < 3; a++) at->e[a] = e[a];
    set_edge(at);
    if (at->side < 0) continue;
    TRM_TRY(put_link(all, at, leaf));
    for (int part = 0; part < PARTS; part++) {
      const int here[] = { 2 * at->cell[0] + (part & 1), 2 * at->cell[1] + (part >> 1 & 1),
                           2 * at->cell[2] + (part >> 2) };
      TRM_TRY(put_return(all, at, here));
    }
  }
  return TRM_OK;
}

/* Of cells at the leaf's own edges: no other one is beside a finer leaf and at a side. */
static trm_status put_leaf(lbm3d_solver *flow, int32_t leaf)
{
  const lbm3d_levels *all = flow->levels;
  edge at = { .flow = flow, .level = all->forest->level[leaf] };
  for (int i = 0; i < LEVELS_CELLS; i++) {
    const int in[] = { LEVELS_X(i), LEVELS_Y(i), LEVELS_Z(i) };
    int ends = 0;
    for (int a = 0; a < 3; a++) {
      ends += in[a] == 0 || in[a] == LEVELS_SIDE - 1;
      at.cell[a] = LEVELS_SIDE * all->forest->place[leaf][a] + in[a];
    }
    at.site = LEVELS_CELLS * leaf + i;
    if (ends >= 2) TRM_TRY(put_cell(flow, &at, leaf));
  }
  return TRM_OK;
}

trm_status lbm3d_levels_pushes(lbm3d_solver *flow)
{
  lbm3d_levels *all = flow->levels;
  int moves = 0;
  for (int side = 0; side < LBM3D_SIDES; side++)
    moves |= flow->scene.sides[side].kind == SIDE_MOVING ||
             flow->scene.sides[side].kind == SIDE_INFLOW;
  for (int level = 0; level <= all->finest; level++) {
    all->push[level].first = (int)all->push_count;
    for (int i = 0; i < all->interface[level].count && moves; i++)
      TRM_TRY(put_leaf(flow, all->interfaces[all->interface[level].first + i]));
    all->push[level].count = (int)all->push_count - all->push[level].first;
  }
  return TRM_OK;
}
