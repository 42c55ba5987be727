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

static trm_buffer *buffer_of(trm_device *device, const void *bytes, size_t count)
{
  trm_buffer *made = NULL;
  TEST_OK(trm_buffer_create(device, count, "cells", &made));
  if (bytes) TEST_OK(trm_buffer_write(made, 0, count, bytes));
  return made;
}

static void launch(trm_program *program, const char *name, size_t items,
                   const fv_volumes_params *p, trm_buffer *const *buffers, size_t count)
{
  trm_kernel *kernel = NULL;
  const size_t group = (size_t)trm_program_describe(program)->group;
  const trm_extent groups = { (int)((items + group - 1) / group), 1, 1, 0 };
  TEST_OK(trm_program_kernel(program, name, &kernel));
  TEST_OK(trm_kernel_launch(kernel, &groups, p, sizeof *p, buffers, count));
}

/* The cells of leaves, in the grid's order. */
static int cell_of(int i)
{
  const int leaf = i / (SIDE * SIDE * SIDE), within = i % (SIDE * SIDE * SIDE);
  const int x = leaf % LEAVES * SIDE + within % SIDE;
  const int y = leaf / LEAVES % LEAVES * SIDE + within / SIDE % SIDE;
  return ((leaf / LEAVES / LEAVES * SIDE + within / SIDE / SIDE) * N + y) * N + x;
}

typedef struct arrays {
  trm_buffer *kinds, *list, *gas, *walls, *bodies, *numbers, *parted, *volumes;
  trm_buffer *sided, *joins, *openings;
} arrays;

static void read_cells(const arrays *a, result *r, const int32_t *listed)
{
  static double cut[CELLS][FV_GAS_REALS], wall[CELLS][FV_WALL_REALS];
  static int32_t body[CELLS];
  const size_t count = (size_t)r->listed;
  TEST_OK(trm_buffer_read(a->gas, 0, count * sizeof *cut, cut));
  TEST_OK(trm_buffer_read(a->walls, 0, count * sizeof *wall, wall));
  TEST_OK(trm_buffer_read(a->bodies, 0, count * sizeof *body, body));
  for (int k = 0; k < r->listed; k++) {
    const int cell = cell_of(listed[k]);
    if (r->kind[cell] >= FV_FOUND_PLANE) memcpy(r->gas[cell], cut[k], sizeof *cut);
    memcpy(r->wall[cell], wall[k], sizeof *wall);
    r->body[cell] = body[k];
  }
}

/* Control volumes stand in the order of listed cells, and number and list agree. */
static void read_volumes(const arrays *a, result *r, const int32_t *listed)
{
  static int32_t number[CELLS * FV_CELL_PARTS], place[CELLS];
  const size_t flags = (size_t)r->listed * FV_CELL_PARTS;
  TEST_OK(trm_buffer_read(a->numbers, 0, flags * sizeof *number, number));
  TEST_OK(trm_buffer_read(a->parted, 0, (size_t)r->volumes * sizeof *place, place));
  TEST_OK(trm_buffer_read(a->volumes, 0, (size_t)r->volumes * sizeof *r->volume, r->volume));
  memset(r->parts, 0, sizeof r->parts);
  memset(r->first, -1, sizeof r->first);
  for (int v = 0; v < r->volumes; v++) {
    const int cell = cell_of(listed[place[v] / FV_CELL_PARTS]);
    assert_int_equal(number[place[v]], v);
    assert_int_equal(place[v] % FV_CELL_PARTS, r->parts[cell]);
    if (r->parts[cell]++ == 0) r->first[cell] = v;
  }
}

static void read_faces(const arrays *a, result *r, const int32_t *listed)
{
  static int32_t place[CELLS];
  const size_t faces = (size_t)r->faces;
  assert_in_range(r->faces, 1, CELLS);
  TEST_OK(trm_buffer_read(a->sided, 0, faces * sizeof *place, place));
  TEST_OK(trm_buffer_read(a->joins, 0, faces * sizeof *r->join, r->join));
  TEST_OK(trm_buffer_read(a->openings, 0, faces * sizeof *r->opening, r->opening));
  for (int f = 0; f < r->faces; f++) {
    for (int i = FV_JOIN_LOW; i <= FV_JOIN_HIGH; i++)
      if (r->join[f][i] < 0) r->join[f][i] = -1 - cell_of(-1 - r->join[f][i]);
    const int is_lower = place[f] % FV_CELL_FACES >= FV_LOWER_FACES;
    r->face_cell[f] = is_lower ? -1 - r->join[f][FV_JOIN_LOW]
                               : cell_of(listed[place[f] / FV_CELL_FACES]);
  }
}

static void read_back(const arrays *a, result *r)
{
  static int32_t kind[CELLS], listed[CELLS];
  memset(r->count, 0, sizeof r->count);
  memset(r->wall, 0, sizeof r->wall);
  TEST_OK(trm_buffer_read(a->kinds, 0, sizeof kind, kind));
  TEST_OK(trm_buffer_read(a->list, 0, (size_t)r->listed * sizeof *listed, listed));
  for (int k = 0; k < r->listed; k++)
    assert_int_equal(FV_FOUND_PLACE(kind[listed[k]]), k);
  for (int i = 0; i < CELLS; i++) {
    const int cell = cell_of(i), own = FV_FOUND_KIND(kind[i]);
    assert_in_range(own, 0, FV_FOUND_TREE);
    r->kind[cell] = own;
    r->body[cell] = FV_NO_WALL;
    r->count[own]++;
    for (int k = 0; k < FV_GAS_REALS; k++)
      r->gas[cell][k] = k % 4 == 0 && own == FV_FOUND_GAS ? 1 : 0;
  }
  read_cells(a, r, listed);
  read_volumes(a, r, listed);
  read_faces(a, r, listed);
}

void cut_forget(step_before *before)
{
  trm_buffer_destroy(&before->kinds);
  trm_buffer_destroy(&before->gas);
}

/* Leaves of the grid, and the leaves below and above each along each axis. */
static void place_leaves(int32_t leaves[][3], int32_t beside[][6])
{
  for (int i = 0; i < LEAVES * LEAVES * LEAVES; i++)
    for (int a = 0; a < 3; a++) {
      leaves[i][a] = i >> a & 1;
      beside[i][a] = i >> a & 1 ? i ^ 1 << a : -1;
      beside[i][3 + a] = i >> a & 1 ? -1 : i ^ 1 << a;
    }
}

/* Lists the places of flags that are set, and returns how many. */
static int32_t count_flags(trm_device *device, trm_buffer *flags, size_t count, trm_buffer *list)
{
  int32_t found = 0;
  trm_compact *compact = NULL;
  trm_buffer *number = buffer_of(device, NULL, sizeof found);
  TEST_OK(trm_compact_create(device, count, &compact));
  TEST_OK(trm_compact_run(compact, flags, 0, list, 0, number, 0));
  TEST_OK(trm_buffer_read(number, 0, sizeof found, &found));
  trm_compact_destroy(&compact);
  trm_buffer_destroy(&number);
  return found;
}

void cut_step(trm_device *device, const mover *movers, int count, step_before *before, result *r)
{
  const trm_program_options options = { .precision = TRM_F64, .math = TRM_STRICT };
  fv_volumes_params p = { .bodies = count, .leaves = LEAVES * LEAVES * LEAVES,
                          .side = { SIDE, SIDE, SIDE }, .follows = before && before->kinds };
  int32_t leaves[LEAVES * LEAVES * LEAVES][3], beside[LEAVES * LEAVES * LEAVES][6];
  lists l = make_lists(movers, count);
  trm_program *program = NULL;
  place_leaves(leaves, beside);
  TEST_OK(trm_program_create(device, &source, &options, &program));
  trm_buffer *shapes = buffer_of(device, l.reals, l.real_count * sizeof *l.reals);
  trm_buffer *tables = buffer_of(device, l.ints, l.int_count * sizeof *l.ints);
  trm_buffer *places = buffer_of(device, leaves, sizeof leaves);
  trm_buffer *near = buffer_of(device, beside, sizeof beside);
  trm_buffer *flags = buffer_of(device, NULL, CELLS * sizeof(int32_t));
  arrays a = { .list = buffer_of(device, NULL, CELLS * sizeof(int32_t)),
               .kinds = buffer_of(device, NULL, CELLS * sizeof(int32_t)) };
  launch(program, "fv_volumes_mark", CELLS, &p,
         (trm_buffer *[]){ shapes, tables, places, flags }, 4);
  p.listed = count_flags(device, flags, CELLS, a.list);
  r->listed = p.listed;
  const size_t cells = (size_t)p.listed + 1;
  trm_buffer *found = buffer_of(device, NULL, cells * FV_FOUND_INTS * sizeof(int32_t));
  a.gas = buffer_of(device, NULL, cells * FV_GAS_REALS * sizeof(double));
  a.walls = buffer_of(device, NULL, cells * FV_WALL_REALS * sizeof(double));
  a.bodies = buffer_of(device, NULL, cells * sizeof(int32_t));
  launch(program, "fv_volumes_find", cells, &p,
         (trm_buffer *[]){ shapes, tables, places, a.list, a.kinds, found }, 6);
  launch(program, "fv_volumes_fill", N * N * LEAVES, &p,
         (trm_buffer *[]){ shapes, tables, places, flags, a.kinds }, 5);
  launch(program, "fv_volumes_cut", cells, &p,
         (trm_buffer *[]){ shapes, tables, places, a.list, a.kinds, found,
                           p.follows ? before->kinds : a.kinds,
                           p.follows ? before->gas : a.walls, a.gas }, 9);
  launch(program, "fv_volumes_walls", cells, &p,
         (trm_buffer *[]){ shapes, tables, places, near, a.list, a.kinds, found, a.gas, a.walls,
                           a.bodies }, 10);
  trm_buffer *parts = buffer_of(device, NULL, cells * FV_FOUND_PLANES * sizeof(int32_t));
  trm_buffer *there = buffer_of(device, NULL, cells * FV_CELL_PARTS * sizeof(int32_t));
  a.parted = buffer_of(device, NULL, cells * FV_CELL_PARTS * sizeof(int32_t));
  a.numbers = buffer_of(device, NULL, cells * FV_CELL_PARTS * sizeof(int32_t));
  launch(program, "fv_volumes_link", cells, &p,
         (trm_buffer *[]){ shapes, tables, places, a.list, a.kinds, found, parts, there }, 8);
  p.volumes = count_flags(device, there, (size_t)p.listed * FV_CELL_PARTS, a.parted);
  r->volumes = p.volumes;
  a.volumes = buffer_of(device, NULL, ((size_t)p.volumes + 1) * sizeof *r->volume);
  launch(program, "fv_volumes_number", (size_t)p.volumes + 1, &p,
         (trm_buffer *[]){ shapes, tables, places, a.list, a.kinds, found, parts, a.gas, a.parted,
                           a.numbers, a.volumes }, 11);
  const size_t sides = (size_t)p.listed * FV_CELL_FACES;
  trm_buffer *open = buffer_of(device, NULL, (sides + 1) * sizeof(int32_t));
  a.sided = buffer_of(device, NULL, (sides + 1) * sizeof(int32_t));
  launch(program, "fv_volumes_faces", cells, &p,
         (trm_buffer *[]){ shapes, tables, places, near, a.list, a.kinds, found, a.gas, open }, 9);
  p.faces = count_flags(device, open, sides, a.sided);
  r->faces = p.faces;
  a.joins = buffer_of(device, NULL, ((size_t)p.faces + 1) * sizeof *r->join);
  a.openings = buffer_of(device, NULL, ((size_t)p.faces + 1) * sizeof *r->opening);
  launch(program, "fv_volumes_join", (size_t)p.faces + 1, &p,
         (trm_buffer *[]){ shapes, tables, places, near, a.list, a.kinds, found, parts, a.numbers,
                           a.sided, a.joins }, 11);
  launch(program, "fv_volumes_open", (size_t)p.faces + 1, &p,
         (trm_buffer *[]){ shapes, tables, places, a.list, a.kinds, found, a.gas, a.sided,
                           a.openings }, 9);
  read_back(&a, r);
  if (before) {
    cut_forget(before);
    *before = (step_before){ a.kinds, a.gas };
    a.kinds = a.gas = NULL;
  }
  trm_buffer *all[] = { shapes, tables, places, near, flags, found,
                        parts, there, a.list, a.kinds, a.gas, a.walls, a.bodies, a.numbers,
                        a.parted, a.volumes, open, a.sided, a.joins, a.openings };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) trm_buffer_destroy(&all[i]);
  trm_program_destroy(&program);
  free(l.reals);
  free(l.ints);
}
