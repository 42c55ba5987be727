/* cut_step.c - one step of the maps over cells that facets cut, for the tests of cut cells. */
#include "tests/solvers/compressible/cut_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "solvers/compressible/solver/fv.h"

TRM_DECLARE_MODULES(cut_volumes);
extern const char trm_text_cut_volumes[];
static const trm_program_source source = { "cut_volumes",
                                           "tests/solvers/compressible/cut_volumes.k",
                                           trm_text_cut_volumes, TRM_MODULES(cut_volumes) };

/* ---- bodies ------------------------------------------------------------------------------- */

const double cut_ends[2] = { -50, 50 };
const double cut_axis[3] = { 1. / 3, 2. / 3, 2. / 3 };

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
  double far = 0;
  for (size_t i = 0; i < 3 * m->facets.corner_count; i++)
    far = fmax(far, fabs(m->facets.corner[i / 3][i % 3]));
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
  to[FV_SHAPE_SLACK] = 1e-15 * far;
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
    own[FV_SHAPE_CORNERS] = (int32_t)l.real_count;
    memcpy(l.reals + l.real_count, f->corner, f->corner_count * sizeof *f->corner);
    l.real_count += 3 * f->corner_count;
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

static trm_buffer *buffer_of(trm_device *device, const void *bytes, size_t count)
{
  trm_buffer *made = cut_buffer(device, count);
  TEST_OK(trm_buffer_write(made, 0, count, bytes));
  return made;
}

/* Room for so many entries of so many numbers, and at least one. */
static trm_buffer *reals(trm_device *device, int32_t entries, int each)
{
  return cut_buffer(device, ((size_t)entries + 1) * (size_t)each * sizeof(double));
}

static trm_buffer *ints(trm_device *device, int32_t entries, int each)
{
  return cut_buffer(device, ((size_t)entries + 1) * (size_t)each * sizeof(int32_t));
}

void cut_launch(const cut_lists *l, const char *name, size_t items, const void *params,
                size_t bytes, trm_buffer *const *buffers, size_t count)
{
  trm_kernel *kernel = NULL;
  const size_t group = (size_t)trm_program_describe(l->program)->group;
  const trm_extent groups = { (int)((items + group) / group), 1, 1, 0 };
  TEST_OK(trm_program_kernel(l->program, name, &kernel));
  TEST_OK(trm_kernel_launch(kernel, &groups, params, bytes, buffers, count));
}

/* name: after fv_volumes_. */
#define LAUNCH(l, name, items, ...) \
  cut_launch(l, "fv_volumes_" #name, (size_t)(items), &(l)->p, sizeof (l)->p, \
             (trm_buffer *[]){ __VA_ARGS__ }, \
             sizeof(trm_buffer *[]){ __VA_ARGS__ } / sizeof(trm_buffer *))

/* The cells of leaves, in the grid's order. */
static int cell_of(int i)
{
  const int leaf = i / (SIDE * SIDE * SIDE), within = i % (SIDE * SIDE * SIDE);
  const int x = leaf % LEAVES * SIDE + within % SIDE;
  const int y = leaf / LEAVES % LEAVES * SIDE + within / SIDE % SIDE;
  return ((leaf / LEAVES / LEAVES * SIDE + within / SIDE / SIDE) * N + y) * N + x;
}

#define READ(buffer, count, to) \
  TEST_OK(trm_buffer_read(buffer, 0, (size_t)(count) * sizeof *(to), to))

/* Control volumes stand in the order of listed cells, and number and list agree. */
static void read_volumes(const cut_lists *l, result *r, const int32_t *listed)
{
  static int32_t number[CELLS * FV_CELL_PARTS], place[VOLUMES];
  r->volumes = l->p.volumes;
  assert_in_range(r->volumes, 0, VOLUMES);
  READ(l->numbers, r->listed * FV_CELL_PARTS, number);
  READ(l->places, r->volumes, place);
  READ(l->volumes, r->volumes, r->volume);
  READ(l->bodies, r->volumes, r->body);
  READ(l->walls, r->volumes, r->wall);
  READ(l->hoods, r->volumes, r->hood);
  READ(l->near, r->volumes, r->near);
  memset(r->parts, 0, sizeof r->parts);
  memset(r->first, -1, sizeof r->first);
  for (int v = 0; v < r->volumes; v++) {
    const int cell = cell_of(listed[place[v] / FV_CELL_PARTS]);
    r->cell[v] = cell;
    assert_int_equal(number[place[v]], v);
    assert_int_equal(place[v] % FV_CELL_PARTS, r->parts[cell]);
    if (r->parts[cell]++ == 0) r->first[cell] = v;
  }
}

static void read_faces(const cut_lists *l, result *r, const int32_t *listed)
{
  static int32_t place[FACES];
  r->faces = l->p.faces;
  assert_in_range(r->faces, 1, FACES);
  READ(l->sided, r->faces, place);
  READ(l->joins, r->faces, r->join);
  READ(l->openings, r->faces, r->opening);
  READ(l->shares, r->faces, r->share);
  for (int f = 0; f < r->faces; f++) {
    for (int i = FV_JOIN_LOW; i <= FV_JOIN_HIGH; i++)
      if (r->join[f][i] < 0) r->join[f][i] = -1 - cell_of(-1 - r->join[f][i]);
    const int is_lower = place[f] % FV_CELL_FACES >= FV_LOWER_FACES;
    r->face_cell[f] = is_lower ? -1 - r->join[f][FV_JOIN_LOW]
                               : cell_of(listed[place[f] / FV_CELL_FACES]);
  }
}

void cut_read(const cut_lists *l, result *r)
{
  static double cut[CELLS][FV_GAS_REALS];
  static int32_t kind[CELLS], listed[CELLS];
  r->listed = l->p.listed;
  memset(r->count, 0, sizeof r->count);
  READ(l->kinds, CELLS, kind);
  READ(l->list, r->listed, listed);
  READ(l->gas, r->listed, cut);
  for (int k = 0; k < r->listed; k++)
    assert_int_equal(FV_FOUND_PLACE(kind[listed[k]]), k);
  for (int i = 0; i < CELLS; i++) {
    const int cell = cell_of(i), own = FV_FOUND_KIND(kind[i]);
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
}

void cut_forget(step_before *before)
{
  trm_buffer_destroy(&before->kinds);
  trm_buffer_destroy(&before->gas);
  trm_buffer_destroy(&before->kept);
  trm_buffer_destroy(&before->volumes);
}

void cut_follow(step_before *before, cut_lists *l)
{
  cut_forget(before);
  *before = (step_before){ l->kinds, l->gas, l->kept, l->volumes };
  l->kinds = l->gas = l->kept = l->volumes = NULL;
}

void cut_free(cut_lists *l)
{
  trm_buffer **all[] = {
    &l->shapes, &l->tables, &l->leaves, &l->beside, &l->flags, &l->listed, &l->list, &l->kinds,
    &l->found, &l->gas, &l->parts, &l->there, &l->places, &l->numbers, &l->volumes, &l->open,
    &l->sided, &l->joins, &l->openings, &l->sides, &l->bodies, &l->walls, &l->asks, &l->gives,
    &l->shares, &l->hoods, &l->near, &l->kept, &l->olds,
    &l->taken };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) trm_buffer_destroy(all[i]);
  trm_program_destroy(&l->program);
}

/* Leaves of the grid, and the leaves below and above each along each axis. */
static void place_leaves(trm_device *device, int is_periodic, cut_lists *l)
{
  int32_t leaves[LEAVES * LEAVES * LEAVES][3], beside[LEAVES * LEAVES * LEAVES][6];
  for (int i = 0; i < LEAVES * LEAVES * LEAVES; i++)
    for (int a = 0; a < 3; a++) {
      leaves[i][a] = i >> a & 1;
      beside[i][a] = i >> a & 1 || is_periodic ? i ^ 1 << a : -1;
      beside[i][3 + a] = i >> a & 1 && !is_periodic ? -1 : i ^ 1 << a;
    }
  l->leaves = buffer_of(device, leaves, sizeof leaves);
  l->beside = buffer_of(device, beside, sizeof beside);
}

/* Lists the places of flags that are set, and returns how many. */
static int32_t count_flags(trm_device *device, trm_buffer *flags, size_t count, trm_buffer *list)
{
  int32_t found = 0;
  trm_compact *compact = NULL;
  trm_buffer *number = cut_buffer(device, sizeof found);
  TEST_OK(trm_compact_create(device, count, &compact));
  TEST_OK(trm_compact_run(compact, flags, 0, list, 0, number, 0));
  TEST_OK(trm_buffer_read(number, 0, sizeof found, &found));
  trm_compact_destroy(&compact);
  trm_buffer_destroy(&number);
  return found;
}

/* Lists all gas, too. */
static void list_whole(cut_lists *l)
{
  static int32_t kinds[CELLS], flags[CELLS];
  READ(l->kinds, CELLS, kinds);
  READ(l->flags, CELLS, flags);
  for (int i = 0; i < CELLS; i++) flags[i] |= kinds[i] == FV_FOUND_GAS;
  TEST_OK(trm_buffer_write(l->listed, 0, sizeof flags, flags));
}

static void list_cells(trm_device *device, int is_whole, cut_lists *l)
{
  l->flags = ints(device, CELLS, 1);
  l->listed = ints(device, CELLS, 1);
  l->list = ints(device, CELLS, 1);
  l->kinds = cut_buffer(device, CELLS * sizeof(int32_t));
  LAUNCH(l, mark, CELLS, l->shapes, l->tables, l->leaves, l->flags);
  LAUNCH(l, fill, N * N * LEAVES, l->shapes, l->tables, l->leaves, l->flags, l->kinds);
  if (is_whole) list_whole(l);
  else LAUNCH(l, ring, CELLS, l->beside, l->flags, l->kinds, l->listed);
  l->p.listed = count_flags(device, l->listed, CELLS, l->list);
}

static void make_volumes(trm_device *device, const step_before *before, cut_lists *l)
{
  const int32_t cells = l->p.listed;
  l->parts = ints(device, cells, FV_FOUND_PLANES);
  l->there = ints(device, cells, FV_CELL_PARTS);
  l->places = ints(device, cells, FV_CELL_PARTS);
  l->numbers = ints(device, cells, FV_CELL_PARTS);
  LAUNCH(l, link, cells, l->shapes, l->tables, l->leaves, l->list, l->kinds, l->found, l->parts,
         l->there);
  l->p.volumes = count_flags(device, l->there, (size_t)cells * FV_CELL_PARTS, l->places);
  l->volumes = reals(device, l->p.volumes, FV_VOLUME_REALS);
  LAUNCH(l, number, l->p.volumes, l->shapes, l->tables, l->leaves, l->list, l->kinds, l->found,
         l->parts, l->gas, l->places, l->numbers, l->volumes);
  l->kept = ints(device, cells, FV_KEPT_INTS);
  LAUNCH(l, keep, cells, l->list, l->found, l->parts, l->there, l->numbers, l->kept);
  if (!l->p.follows) return;
  l->olds = ints(device, l->p.volumes, FV_OLD_INTS);
  l->taken = reals(device, l->p.volumes, FV_CELL_PARTS);
  LAUNCH(l, begin, l->p.volumes, l->shapes, l->tables, l->leaves, l->kept, l->places,
         before->kinds, before->kept, before->volumes, l->volumes, l->olds, l->taken);
}

static void make_faces(trm_device *device, cut_lists *l)
{
  const int32_t cells = l->p.listed;
  l->open = ints(device, cells, FV_CELL_FACES);
  l->sided = ints(device, cells, FV_CELL_FACES);
  l->sides = ints(device, cells, FV_CELL_SIDES);
  LAUNCH(l, faces, cells, l->shapes, l->tables, l->leaves, l->beside, l->list, l->kinds, l->found,
         l->gas, l->open);
  l->p.faces = count_flags(device, l->open, (size_t)cells * FV_CELL_FACES, l->sided);
  l->joins = ints(device, l->p.faces, FV_JOIN_INTS);
  l->openings = reals(device, l->p.faces, FV_OPENING_REALS);
  LAUNCH(l, join, l->p.faces, l->shapes, l->tables, l->leaves, l->beside, l->list, l->kinds,
         l->found, l->parts, l->numbers, l->sided, l->joins);
  LAUNCH(l, open, l->p.faces, l->shapes, l->tables, l->leaves, l->list, l->kinds, l->found, l->gas,
         l->sided, l->openings);
  LAUNCH(l, no_sides, cells, l->sides);
  LAUNCH(l, sides, l->p.faces, l->beside, l->list, l->kinds, l->sided, l->sides);
}

/* Walls, neighbourhoods and neighbours of volumes, by their face parts. */
static void make_hoods(trm_device *device, cut_lists *l)
{
  const int32_t volumes = l->p.volumes;
  l->bodies = ints(device, volumes, 1);
  l->walls = reals(device, volumes, FV_WALL_REALS);
  l->asks = reals(device, volumes, FV_ASK_REALS);
  l->gives = reals(device, volumes, FV_GIVE_REALS);
  l->hoods = reals(device, volumes, FV_HOOD_REALS);
  l->near = ints(device, volumes, FV_NEAR_LIST_INTS);
  l->shares = reals(device, l->p.faces, FV_SHARE_REALS);
  LAUNCH(l, owners, volumes, l->beside, l->list, l->kinds, l->found, l->places, l->bodies);
  LAUNCH(l, walls, volumes, l->shapes, l->leaves, l->list, l->places, l->volumes, l->sides,
         l->joins, l->openings, l->bodies, l->walls);
  LAUNCH(l, need, volumes, l->places, l->volumes, l->sides, l->joins, l->openings, l->asks);
  LAUNCH(l, give, volumes, l->places, l->volumes, l->sides, l->joins, l->openings, l->asks,
         l->gives);
  LAUNCH(l, hood, volumes, l->places, l->volumes, l->sides, l->joins, l->openings, l->walls,
         l->asks, l->gives, l->shares, l->hoods);
  LAUNCH(l, neighbours, volumes, l->places, l->sides, l->joins, l->near);
}

void cut_make(trm_device *device, const mover *movers, int count, const step_before *before,
              int is_whole, cut_lists *l)
{
  const trm_program_options options = { .precision = TRM_F64, .math = TRM_STRICT };
  lists own = make_lists(movers, count);
  *l = (cut_lists){ .p = { .bodies = count, .leaves = LEAVES * LEAVES * LEAVES,
                           .side = { SIDE, SIDE, SIDE }, .follows = before && before->kinds } };
  TEST_OK(trm_program_create(device, &source, &options, &l->program));
  l->shapes = buffer_of(device, own.reals, own.real_count * sizeof *own.reals);
  l->tables = buffer_of(device, own.ints, own.int_count * sizeof *own.ints);
  free(own.reals);
  free(own.ints);
  place_leaves(device, is_whole, l);
  list_cells(device, is_whole, l);
  l->found = ints(device, l->p.listed, FV_FOUND_INTS);
  l->gas = reals(device, l->p.listed, FV_GAS_REALS);
  LAUNCH(l, find, l->p.listed, l->shapes, l->tables, l->leaves, l->list, l->flags, l->kinds,
         l->found);
  LAUNCH(l, cut, l->p.listed, l->shapes, l->tables, l->leaves, l->list, l->kinds, l->found,
         l->p.follows ? before->kinds : l->kinds, l->p.follows ? before->gas : l->shapes, l->gas);
  make_volumes(device, before, l);
  make_faces(device, l);
  make_hoods(device, l);
}

void cut_step(trm_device *device, const mover *movers, int count, step_before *before, result *r)
{
  cut_lists l;
  cut_make(device, movers, count, before, 0, &l);
  cut_read(&l, r);
  if (before) cut_follow(before, &l);
  cut_free(&l);
}
