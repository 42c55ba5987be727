/* cut_step.c - one step of the maps over cells that facets cut, for the tests of cut cells. */
#include "tests/solvers/compressible/cut_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/solver/fv.h"

/* ---- bodies ------------------------------------------------------------------------------- */

const double cut_ends[2] = { -50, 50 };
#if FV_IS_FLAT
const double cut_axis[3] = { 0, 0, 1 };
#else
const double cut_axis[3] = { 1. / 3, 2. / 3, 2. / 3 };
#endif

/* Corners that are beyond a plane by less are on it, to rounding. */
static double slack_of(const fv_facets *f)
{
  double far = 0;
  for (size_t i = 0; i < 3 * f->corner_count; i++) far = fmax(far, fabs(f->corner[i / 3][i % 3]));
  return 1e-15 * far;
}

mover cut_body(const char *text, double sag, double x, double y, double z)
{
  mover m = { .at = { x, y, z } };
  fv_bodies bodies;
  trm_config *config = NULL;
  TEST_OK(trm_config_create(&trm_solver_compressible.options,
                            &trm_solver_compressible.option_count, 1, &config));
  TEST_OK(trm_config_set(config, "bodies.shapes", text, "the test"));
  TEST_OK(fv_read_bodies(&bodies, config, 3, 1.4));
  TEST_OK(fv_facets_of_shape(&bodies.body[0], sag, cut_ends, &m.facets));
  m.is_outside = bodies.body[0].shape == FV_TUBE;
  m.bulge = fv_facets_bulge(&m.facets, slack_of(&m.facets));
  fv_free_bodies(&bodies);
  trm_config_destroy(&config);
  return m;
}

void cut_move(mover *m, double x, double y, double z)
{
  m->by[0] = x;
  m->by[1] = y;
  m->by[2] = z;
}

void cut_turn(const mover *m, int end, double to[9])
{
  const double s = -sin(m->angle[end]), c = cos(m->angle[end]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int k = 3 - i - j;
      const double across = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * cut_axis[k];
      to[3 * i + j] = (i == j) * c + (1 - c) * cut_axis[i] * cut_axis[j] + s * across;
    }
}

static void fill_reals(const mover *m, double *to)
{
  for (int a = 0; a < 3; a++) {
    to[FV_SHAPE_CELL + a] = floor(m->at[a]);
    for (int e = 0; e < 2; e++)
      to[FV_SHAPE_REST + 3 * e + a] = m->at[a] - floor(m->at[a]) + e * m->by[a];
    to[FV_SHAPE_LOW + a] = m->facets.low[a];
    to[FV_SHAPE_SPIN + a] = (m->angle[1] - m->angle[0]) * cut_axis[a];
  }
  for (int e = 0; e < 2; e++) cut_turn(m, e, to + FV_SHAPE_TURN + 9 * e);
  const double turn = fabs(m->angle[1] - m->angle[0]);
  to[FV_SHAPE_SWELL] = turn * (turn * N + 1);
  to[FV_SHAPE_PER] = m->facets.per;
  to[FV_SHAPE_HEAT] = m->heat;
  to[FV_SHAPE_SLACK] = slack_of(&m->facets);
}

typedef struct lists { double *reals; int32_t *ints; size_t real_count, int_count; } lists;

/* The numbers of all bodies, then their lists. */
static lists make_lists(const mover *movers, int count)
{
  lists l = { .real_count = (size_t)count * FV_SHAPE_REALS,
              .int_count = (size_t)count * FV_SHAPE_INTS };
  l.reals = calloc(1 << 20, sizeof *l.reals);
  l.ints = calloc(1 << 20, sizeof *l.ints);
  assert_true(l.reals && l.ints);
  for (int b = 0; b < count; b++) {
    const fv_facets *f = &movers[b].facets;
    int32_t *own = l.ints + b * FV_SHAPE_INTS;
    const size_t bins = (size_t)f->bins[0] * (size_t)f->bins[1] * (size_t)f->bins[2];
    const struct { int which; const void *from; size_t count; } parts[] = {
      { FV_SHAPE_FACETS, f->facet, 4 * f->facet_count }, { FV_SHAPE_FIRST, f->first, bins + 1 },
      { FV_SHAPE_LIST, f->list, (size_t)f->first[bins] } };
    fill_reals(&movers[b], l.reals + b * FV_SHAPE_REALS);
    memcpy(own + FV_SHAPE_BINS, f->bins, sizeof f->bins);
    own[FV_SHAPE_IS_OUTSIDE] = movers[b].is_outside;
    own[FV_SHAPE_KEEPS] = movers[b].rested;
    own[FV_SHAPE_GRIPS] = movers[b].grips;
    own[FV_SHAPE_CORNERS] = (int32_t)l.real_count;
    memcpy(l.reals + l.real_count, f->corner, f->corner_count * sizeof *f->corner);
    l.real_count += 3 * f->corner_count;
    own[FV_SHAPE_KIND] = movers[b].bulge > 0   ? FV_FOUND_CONVEX
                         : movers[b].bulge < 0 ? FV_FOUND_HOLLOW : FV_FOUND_TREE;
    own[FV_SHAPE_BOXES] = (int32_t)l.real_count;
    memcpy(l.reals + l.real_count, f->box, f->facet_count * sizeof *f->box);
    l.real_count += 6 * f->facet_count;
    own[FV_SHAPE_PLANES] = (int32_t)l.real_count;
    memcpy(l.reals + l.real_count, f->plane, f->plane_count * sizeof *f->plane);
    l.real_count += 4 * f->plane_count;
    for (int k = 0; k < 3; k++) {
      own[parts[k].which] = (int32_t)l.int_count;
      memcpy(l.ints + l.int_count, parts[k].from, parts[k].count * sizeof(int32_t));
      l.int_count += parts[k].count;
    }
    assert_true(l.real_count < 1 << 20 && l.int_count < 1 << 20);
  }
  return l;
}

/* ---- a step on a device ------------------------------------------------------------------- */

trm_buffer *cut_buffer(trm_device *device, size_t bytes)
{
  trm_buffer *made = NULL;
  TEST_OK(trm_buffer_create(device, bytes, "cells", &made));
  return made;
}

int cut_cell_of(int i)
{
  const int leaf = i / LEAF, within = i % LEAF;
  const int x = leaf % LEAVES * SIDE + within % SIDE;
  const int y = leaf / LEAVES % LEAVES * SIDE + within / SIDE % SIDE;
  return ((leaf / LEAVES / LEAVES * SIDE_Z + within / SIDE / SIDE) * N + y) * N + x;
}

#define READ(buffer, count, to) \
  TEST_OK(trm_buffer_read(buffer, 0, (size_t)(count) * sizeof *(to), to))

/* Control volumes stand in the order of listed cells, and number and list agree. */
static void read_volumes(const fv_volumes *l, result *r, const int32_t *listed)
{
  static int32_t number[CELLS * FV_CELL_PARTS], place[VOLUMES];
  r->volumes = l->p.volumes;
  assert_in_range(r->volumes, 0, VOLUMES);
  READ(l->numbers, r->listed * FV_CELL_PARTS, number);
  READ(l->places, r->volumes, place);
  READ(l->now.volumes, r->volumes, r->volume);
  READ(l->bodies, r->volumes, r->body);
  READ(l->walls, r->volumes, r->wall);
  READ(l->hoods, r->volumes, r->hood);
  READ(l->near, r->volumes, r->near);
  memset(r->parts, 0, sizeof r->parts);
  memset(r->first, -1, sizeof r->first);
  for (int v = 0; v < r->volumes; v++) {
    const int cell = cut_cell_of(listed[place[v] / FV_CELL_PARTS]);
    r->cell[v] = cell;
    assert_int_equal(number[place[v]], v);
    assert_int_equal(place[v] % FV_CELL_PARTS, r->parts[cell]);
    if (r->parts[cell]++ == 0) r->first[cell] = v;
  }
}

static void read_faces(const fv_volumes *l, result *r, const int32_t *listed)
{
  static int32_t place[FACES];
  r->faces = l->p.faces;
  r->outers = l->p.outer;
  READ(l->outer, r->outers, r->outer);
  for (int i = 0; i < r->outers; i++) r->outer[i] = cut_cell_of(r->outer[i]);
  assert_in_range(r->faces, 0, FACES);
  READ(l->sided, r->faces, place);
  READ(l->joins, r->faces, r->join);
  READ(l->openings, r->faces, r->opening);
  READ(l->shares, r->faces, r->share);
  for (int f = 0; f < r->faces; f++) {
    for (int i = FV_JOIN_LOW; i <= FV_JOIN_HIGH; i++)
      if (r->join[f][i] < 0) r->join[f][i] = -1 - r->outer[-1 - r->join[f][i]];
    const int is_lower = place[f] % FV_CELL_FACES >= FV_LOWER_FACES;
    r->face_cell[f] = is_lower ? -1 - r->join[f][FV_JOIN_LOW]
                               : cut_cell_of(listed[place[f] / FV_CELL_FACES]);
  }
}

static void read_trees(const fv_volumes *l, result *r, const int32_t *listed)
{
  static int32_t which[TREES], tree[TREES][FV_TREE_INTS];
  r->trees = l->p.trees;
  assert_in_range(r->trees, 0, TREES);
  READ(l->which, r->trees, which);
  READ(l->now.trees, r->trees, tree);
  READ(l->owners, r->trees, r->owner);
  TEST_OK(trm_buffer_read(l->walls, (size_t)r->volumes * sizeof *r->wall,
                          (size_t)r->trees * sizeof *r->tree_wall, r->tree_wall));
  memset(r->tree, -1, sizeof r->tree);
  r->nodes = 0;
  for (int i = 0; i < r->trees; i++) {
    r->tree[cut_cell_of(listed[which[i]])] = i;
    r->nodes += tree[i][FV_TREE_NODES];
  }
}

void cut_read(const cut_run *run, result *r)
{
  const fv_volumes *l = &run->lists;
  static double cut[CELLS][FV_GAS_REALS];
  static int32_t kind[CELLS], listed[CELLS];
  r->listed = l->p.listed;
  memset(r->count, 0, sizeof r->count);
  READ(l->now.kinds, CELLS, kind);
  READ(l->list, r->listed, listed);
  READ(l->now.gas, r->listed, cut);
  for (int k = 0; k < r->listed; k++)
    assert_int_equal(FV_FOUND_PLACE(kind[listed[k]]), k);
  for (int i = 0; i < CELLS; i++) {
    const int cell = cut_cell_of(i), own = FV_FOUND_KIND(kind[i]);
    assert_in_range(own, 0, FV_FOUND_TREE);
    r->kind[cell] = own;
    r->count[own]++;
    for (int k = 0; k < FV_GAS_REALS; k++)
      r->gas[cell][k] = k % 4 == 0 && own == FV_FOUND_GAS ? 1 : 0;
    if (own >= FV_FOUND_PLANE)
      memcpy(r->gas[cell], cut[FV_FOUND_PLACE(kind[i])], sizeof *cut);
  }
  read_volumes(l, r, listed);
  read_faces(l, r, listed);
  read_trees(l, r, listed);
}

/* Leaves of the grid, and the leaves below and above each along each axis. */
static void place_leaves(fv_volumes *to, int is_periodic)
{
  enum { ALL = LEAVES * LEAVES * LEAVES_Z };
  int32_t leaves[ALL][3], beside[ALL][6];
  for (int i = 0; i < ALL; i++)
    for (int a = 0, by = 1; a < 3; a++, by *= LEAVES) {
      const int at = i / by % LEAVES, first = i - at * by;
      leaves[i][a] = at;
      beside[i][a] = beside[i][3 + a] = -1;
      if (a == 2 && FV_IS_FLAT) continue;
      beside[i][a] = at > 0 || is_periodic ? first + (at + LEAVES - 1) % LEAVES * by : -1;
      beside[i][3 + a] = at < LEAVES - 1 || is_periodic ? first + (at + 1) % LEAVES * by : -1;
    }
  TEST_OK(fv_volumes_set_leaves(to, ALL, *leaves, *beside));
}

cut_run cut_open(trm_device *device, int is_whole)
{
  static const int side[3] = { SIDE, SIDE, SIDE_Z };
  cut_run run;
  TEST_OK(fv_volumes_open(device, FV_IS_FLAT ? "flat" : NULL, 0, side, &run.lists));
  run.lists.p.is_whole = is_whole;
  cut_restart(&run);
  return run;
}

void cut_restart(cut_run *run)
{
  place_leaves(&run->lists, run->lists.p.is_whole);
}

void cut_repeat(cut_run *run)
{
  place_leaves(&run->lists, 1);
}

void cut_close(cut_run *run)
{
  fv_volumes_close(&run->lists);
}

trm_status cut_try(cut_run *run, const mover *movers, int count)
{
  lists l = make_lists(movers, count);
  const fv_volumes_bodies bodies = { count, l.reals, l.ints, l.real_count, l.int_count };
  const trm_status status = fv_volumes_step(&run->lists, &bodies, run->lists.p.is_whole);
  free(l.reals);
  free(l.ints);
  return status;
}

void cut_make(cut_run *run, const mover *movers, int count)
{
  TEST_OK(cut_try(run, movers, count));
}

void cut_step(trm_device *device, const mover *movers, int count, result *r)
{
  cut_run run = cut_open(device, 0);
  cut_make(&run, movers, count);
  cut_read(&run, r);
  cut_close(&run);
}
