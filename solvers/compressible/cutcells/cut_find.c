/* cut_find.c - which cells walls cut, from distances at corners; bodies that no cells can be made
 * of are refused. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many cells about a wall there are lists; leaves farther away have none. */
static const double BAND = 5.0;

enum { DEEPEST = 12 };         /* grid.levels */

/* What a thread has of its own: where it looked for surfaces last, and records of cut cells. */
typedef struct finder {
  fv_maker m;
  trm_stl_cursor look[FV_BODIES];
  fv_corners corners;
  fv_cut_record *record;
  size_t count, room;
  fv_filled *filled;           /* corners that are to be: fill_cell */
  size_t filled_count, filled_room;
} finder;

/* A leaf's records: a part of a finder's, until they are joined in the order of leaves. */
typedef struct part {
  const finder *by;
  size_t first, count, to;     /* to: where among all */
} part;

typedef struct search {
  fv_maker *m;
  int count;
  finder *finders;             /* of threads */
  part *found;                 /* of leaves in order; none of one that is not near walls */
} search;

static trm_status check_thickness(const fv_maker *m, int number, double width)
{
  const fv_body *body = &m->bodies->body[number];
  if (body->least >= 2 * width) return TRM_OK;
  int level = 0;
  while (2 * m->h / (1 << level) > body->least && level <= DEEPEST) level++;
  if (level > DEEPEST)
    return TRM_FAIL(INPUT, "%s: body %d is %g thick, and cells at it are %g wide: make it thicker "
                    "than two cells of the finest grid.levels, %d, which would be %g wide",
                    m->bodies->said, number + 1, body->least, width, DEEPEST,
                    m->h / (1 << DEEPEST));
  return TRM_FAIL(INPUT, "%s: body %d is %g thick, and cells at it are %g wide: less than two "
                  "across; grid.levels = %d would resolve it, or a grid %g times finer",
                  m->bodies->said, number + 1, body->least, width, level,
                  ceil(2 * width / body->least));
}

static const char *const two_near =
  "two bodies that stay leave a gap narrower than a cell; make the grid finer there (grid.levels), "
  "or let one body be both";

static const char *const two_meet =
  "two bodies meet; bodies neither overlap nor touch, unless one 'slides': move them apart, or "
  "make one of them";

/* Whether the gas between a cell's wall and another body, both of which stay, is narrower than the
 * cell, by its middle. */
static int is_slit(const fv_maker *m, const fv_cut_record *r, const fv_body *other)
{
  const fv_body *body = &m->bodies->body[r->body];
  const double width = fv_cell_width(m, (size_t)r->cell / m->block);
  double at[3];
  if (m->before || body->path[0] || body->rotation || other->path[0] || other->rotation) return 0;
  fv_cell_place(m, r->cell, r->cut.at, at);
  return fv_body_distance(other, at, &m->look[other - m->bodies->body]) < (1 - 1e-6) * width;
}

/* Other bodies in a cell that one cuts; seen: what its corners are in or near. None may be, but
 * for one that slides along the other: the cell's wall is its own then, and what it sweeps is right
 * where the other lies along its way. */
static trm_status find_others(const fv_maker *m, const fv_corners *c, uint64_t seen,
                              fv_cut_record *r)
{
  const fv_body *body = m->bodies->body;
  static const double half[3] = { 0.5, 0.5, 0.5 }, near = 2.5;
  const size_t leaf = (size_t)r->cell / m->block;
  const double width = fv_cell_width(m, leaf);
  const int nearest = r->body;
  double middle[3];
  fv_cell_place(m, r->cell, half, middle);
  for (int i = 0; i < m->bodies->count; i++) {
    if (i == nearest || !(seen >> (FV_NEAR + i) & 1)) continue;
    if (!r->is_gap && (body[i].slides || body[nearest].slides))
      r->is_gap = fv_cell_bound(m, leaf, i, c, half) <= near &&
                  fabs(fv_body_distance(&body[i], middle, &m->look[i])) <= near * width;
    if (!body[i].slides && !body[nearest].slides) {
      if (seen >> i & 1) return fv_cell_refuse(m, r->cell, two_meet);
      if (is_slit(m, r, &body[i])) return fv_cell_refuse(m, r->cell, two_near);
    }
    if (!(seen >> i & 1)) continue;
    if (body[i].slides && !body[r->body].slides) r->body = i;
  }
  return TRM_OK;
}

/* Bodies that stand so near to each other that the gas between them reaches no corner. */
static trm_status check_solid(const fv_maker *m, int32_t cell, const double distance[8])
{
  const fv_body *body = m->bodies->body;
  int first = -1;
  for (int c = 0; c < 8 && m->bodies->count > 1 && !m->before; c++) {
    double at[3];
    int which = -1;
    if (distance[c] < -2) return TRM_OK;
    fv_cell_place(m, cell, (const double[3]){ c & 1, c >> 1 & 1, c >> 2 }, at);
    fv_bodies_distance(m->bodies, at, &which, m->look);
    if (first < 0) first = which;
    if (which != first && !body[which].slides && !body[first].slides)
      return fv_cell_refuse(m, cell, two_meet);
  }
  return TRM_OK;
}

/* Whose wall is in the middle of the cell's: bodies that may be are asked if there are several. */
static void find_nearest(const fv_maker *m, const fv_corners *c, uint64_t seen, fv_cut_record *r)
{
  static const double slack = 1e-5; /* corners on walls count as in the body */
  const size_t leaf = (size_t)r->cell / m->block;
  const double most = fv_cell_distance(c, r->cut.at) + slack;
  double at[3], least = INFINITY;
  int found[FV_BODIES], count = 0;
  for (int i = 0; i < m->bodies->count; i++)
    if (seen >> (FV_NEAR + i) & 1 && fv_cell_bound(m, leaf, i, c, r->cut.at) <= most)
      found[count++] = i;
  fv_cell_place(m, r->cell, r->cut.at, at);
  for (int k = 0; k < count; k++) {
    const fv_body *body = &m->bodies->body[found[k]];
    const double away = count == 1 ? 0 : fv_body_distance(body, at, &m->look[found[k]]);
    if (away < least) r->body = found[k];
    least = fmin(away, least);
  }
}

/* A cell's record, for the rest to be filled in; kind: its number among the finder's. */
static trm_status add_record(finder *f, int32_t cell, int32_t *kind, fv_cut_record **out)
{
  TRM_TRY(fv_list_grow(&f->record, &f->room, f->count, sizeof **out));
  *kind = (int32_t)f->count;
  *out = &f->record[f->count++];
  (*out)->cell = (*out)->master = cell;
  (*out)->next = (*out)->wall = (*out)->slope = -1;
  (*out)->body = (*out)->is_gap = 0;
  memset((*out)->to, 0, sizeof (*out)->to);
  return TRM_OK;
}

/* A thin tail that goes through a cell from corner to corner leaves a little gas on both sides. The
 * corner of the lesser one is given to the body, in all cells that have it: so the cells are made
 * anew. Not where bodies move, as corners would come and go, nor between two bodies. */
static const double MOST_FILLED = 0.25; /* of a cell, from the wall */

static trm_status fill_cell(finder *f, int32_t cell, uint64_t seen)
{
  const fv_maker *m = &f->m;
  const fv_corners *c = &f->corners;
  const uint64_t near = seen >> FV_NEAR & ((1 << FV_BODIES) - 1);
  double least = INFINITY;
  for (int k = 0; k < 8; k++) {
    const double distance = c->distance[c->at[k]];
    if (distance > 0) least = fmin(least, distance);
  }
  if (least > MOST_FILLED || m->paths > 0 || (near & (near - 1)))
    return fv_cell_refuse(m, cell, "a wall leaves the gas in two parts; make the grid finer "
                                   "there (grid.levels), or move the bodies");
  for (int k = 0; k < 8; k++) {
    const double distance = c->distance[c->at[k]];
    if (!(distance > 0) || distance > least * FV_ALIKE) continue;
    TRM_TRY(fv_list_grow(&f->filled, &f->filled_room, f->filled_count, sizeof *f->filled));
    f->filled[f->filled_count++] = fv_corner_key(m, (size_t)cell / m->block, c->at[k]);
  }
  return TRM_OK;
}

/* A cell's kind; one that is cut gets a record. seen: what its corners are in or near. */
static trm_status cut_one(finder *f, int32_t cell, uint64_t seen, int32_t *kind)
{
  const fv_maker *m = &f->m;
  const fv_corners *c = &f->corners;
  double distance[8];
  fv_cut cut;
  fv_cut_record *r;
  int gas = 0;
  for (int k = 0; k < 8; k++) distance[k] = c->distance[c->at[k]];
  for (int k = 0; k < 8; k++) gas += distance[k] > 0;
  *kind = gas == 0 ? FV_SOLID : FV_WHOLE;
  if (gas == 0) return check_solid(m, cell, distance);
  if (gas == 8) return TRM_OK;
  const fv_cut_kind is = fv_cut_cell(distance, &cut);
  if (is == FV_CUT_TORN) return fill_cell(f, cell, seen);
  TRM_TRY(add_record(f, cell, kind, &r));
  r->cut = cut;
  if (m->bodies->count > 1) find_nearest(m, c, seen, r);
  TRM_TRY(check_thickness(m, r->body, fv_cell_width(m, (size_t)cell / m->block)));
  return m->bodies->count > 1 ? find_others(m, c, seen, r) : TRM_OK;
}

/* Whether a leaf's cells are as they were before the step: what moved in it is and was far. */
static int is_kept(const fv_maker *m, size_t leaf)
{
  const fv_cut_tables *old = m->known;
  if (!old || old->near[leaf] < 0) return 0;
  const uint16_t far = m->t->far[m->t->near[leaf]] & old->far[old->near[leaf]];
  for (int b = 0; b < m->bodies->count; b++) {
    const fv_body *body = &m->bodies->body[b];
    const int moved = body->step[0] != 0 || body->step[1] != 0 || body->step[2] != 0 ||
                      body->turned != 0;
    if (moved && !(far >> b & 1)) return 0;
  }
  return 1;
}

/* Cell i of a leaf is as it was before the step. */
static trm_status keep_cell(finder *f, size_t leaf, size_t i)
{
  const fv_maker *m = &f->m;
  const fv_cut_tables *old = m->known;
  const int32_t kind = old->kind[(size_t)old->near[leaf] * m->block + i];
  int32_t *to = &m->t->kind[(size_t)m->t->near[leaf] * m->block + i];
  *to = kind >= 0 ? FV_WHOLE : kind;
  if (kind < 0 || (size_t)kind >= old->cuts) return TRM_OK;
  const fv_cut_record *was = &old->record[kind];
  fv_cut_record *r;
  TRM_TRY(add_record(f, was->cell, to, &r));
  r->body = was->body;
  r->is_gap = was->is_gap;
  r->cut = was->cut;
  return TRM_OK;
}

static trm_status keep_leaf(finder *f, size_t leaf)
{
  const fv_maker *m = &f->m;
  const int32_t *was = m->known->kind + (size_t)m->known->near[leaf] * m->block;
  int32_t *kinds = m->t->kind + (size_t)m->t->near[leaf] * m->block;
  fv_keep_corners(m, leaf);
  for (size_t k = 0; k < m->block; k++) {
    const size_t i = fv_cell_in_turn(m, k);
    if (was[i] < 0) kinds[i] = was[i];
    else TRM_TRY(keep_cell(f, leaf, i));
  }
  return TRM_OK;
}

/* How many of a cell's corners have a mark; its first corner, and those of a row and of a plane. */
static int count_marks(const uint8_t *mark, size_t first, size_t row, size_t plane)
{
  const uint8_t *up = mark + first + plane;
  mark += first;
  return mark[0] + mark[1] + mark[row] + mark[row + 1] + up[0] + up[1] + up[row] + up[row + 1];
}

static trm_status cut_anew(finder *f, int32_t cell, int32_t *kind)
{
  const fv_maker *m = &f->m;
  fv_corners *c = &f->corners;
  const size_t leaf = (size_t)cell >> m->shift[3];
  uint64_t in = 0;
  int gas = 0;
  for (int k = 0; k < 8; k++) gas += c->is_gas[c->at[k]];
  for (int k = 0; k < 8; k++) {
    in |= c->inside[c->at[k]];
    if (gas && c->inside[c->at[k]] >> FV_BOUND) fv_fill_corner(m, leaf, c->at[k], c);
  }
  return cut_one(f, cell, in, kind);
}

static trm_status cut_leaf(finder *f, size_t leaf)
{
  const fv_maker *m = &f->m;
  fv_corners *c = &f->corners;
  const size_t row = (size_t)m->side[0] + 1, plane = row * ((size_t)m->side[1] + 1);
  const int32_t *shift = m->shift + 1;
  int32_t *kinds = m->t->kind + (size_t)m->t->near[leaf] * m->block;
  TRM_TRY(fv_sample_corners(m, leaf, c));
  for (size_t turn = 0; turn < m->block; turn++) {
    const size_t i = fv_cell_in_turn(m, turn);
    const size_t x = i & (size_t)(m->side[0] - 1), y = i >> shift[0] & (size_t)(m->side[1] - 1);
    const size_t first = (i >> shift[1]) * plane + y * row + x;
    const int gas = count_marks(c->is_gas, first, row, plane);
    if (gas == 8 || (gas == 0 && m->before)) { /* nothing to look for */
      kinds[i] = gas ? FV_WHOLE : FV_SOLID;
      continue;
    }
    for (size_t k = 0; k < 8; k++)
      c->at[k] = first + (k & 1) + (k >> 1 & 1) * row + (k >> 2) * plane;
    TRM_TRY(count_marks(c->is_stirred, first, row, plane)
              ? cut_anew(f, (int32_t)(leaf * m->block + i), &kinds[i])
              : keep_cell(f, leaf, i));
  }
  return TRM_OK;
}

/* Leaves beyond a periodic side, of which distances know nothing, beside those at walls: they do
 * not lie where the way to them leads. */
static void look_around(fv_maker *m)
{
  const trm_forest *forest = m->forest;
  const int32_t own = m->t->near_count;
  for (size_t i = 0; i < forest->blocks.count; i++)
    for (int k = 0; k < 27 && m->t->near[i] >= 0 && m->t->near[i] < own; k++) {
      const int by[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
      const int32_t slot = forest->near[i][k];
      int is_beyond = 0;
      if ((size_t)slot >= forest->blocks.count || m->t->near[slot] != FV_WHOLE) continue;
      for (int a = 0; a < 3; a++)
        is_beyond |= forest->place[slot][a] != forest->place[i][a] + by[a];
      if (is_beyond) m->t->near[slot] = m->t->near_count++;
    }
}

static trm_status make_room(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t near = (size_t)t->near_count + 1;
  t->kind = malloc(near * m->block * sizeof *t->kind);
  t->far = malloc(near * sizeof *t->far);
  if (!t->kind || !t->far)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d blocks at walls", t->near_count);
  return fv_make_corners(m);
}

/* Whose maker knows of the leaves near walls now. */
static trm_status prepare(finder *f, const fv_maker *m)
{
  const size_t all = fv_corner_count(m);
  f->m = *m;
  f->m.look = f->look;
  f->corners = (fv_corners){
    .count = all, .distance = malloc(all * sizeof *f->corners.distance),
    .own = malloc(all * sizeof *f->corners.own), .inside = malloc(all * sizeof *f->corners.inside),
    .is_gas = malloc(all), .is_stirred = malloc(all) };
  const fv_corners *c = &f->corners;
  return c->distance && c->own && c->inside && c->is_gas && c->is_stirred
           ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for corners of a block");
}

static trm_status note_side(void *user, size_t leaf, int thread)
{
  const finder *f = &((const search *)user)->finders[thread];
  f->m.t->near[leaf] = fv_leaf_side(&f->m, leaf, BAND);
  return TRM_OK;
}

static trm_status search_leaf(void *user, size_t i, int thread)
{
  const search *s = user;
  finder *f = &s->finders[thread];
  const fv_maker *m = &f->m;
  const size_t leaf = (size_t)m->forest->blocks.slot[i];
  if (m->t->near[leaf] < 0) return TRM_OK;
  s->found[i] = (part){ .by = f, .first = f->count };
  m->t->far[m->t->near[leaf]] = fv_leaf_far(m, leaf);
  TRM_TRY(is_kept(m, leaf) ? keep_leaf(f, leaf) : cut_leaf(f, leaf));
  s->found[i].count = f->count - s->found[i].first;
  return TRM_OK;
}

/* A leaf's records to their place among all. */
static trm_status join_leaf(void *user, size_t number, int thread)
{
  const search *s = user;
  const part *own = &s->found[number];
  const size_t leaf = (size_t)s->m->forest->blocks.slot[number];
  fv_cut_tables *t = s->m->t;
  (void)thread;
  if (own->count == 0) return TRM_OK;
  memcpy(t->record + own->to, own->by->record + own->first, own->count * sizeof *t->record);
  int32_t *kinds = t->kind + (size_t)t->near[leaf] * s->m->block;
  for (size_t i = 0; i < s->m->block && own->to != own->first; i++)
    if (kinds[i] >= 0) kinds[i] += (int32_t)own->to - (int32_t)own->first;
  return TRM_OK;
}

/* In the order of leaves; those of a single finder are. */
static trm_status join_records(search *s)
{
  fv_maker *m = s->m;
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count;
  for (size_t i = 0; i < leaves; i++) {
    s->found[i].to = t->records;
    t->records += s->found[i].count;
  }
  for (int i = 0; i < s->count; i++) {
    finder *f = &s->finders[i];
    if (f->count != t->records || f->count == 0) continue;
    t->record = f->record;
    m->record_room = f->room;
    f->record = NULL;
    return TRM_OK;
  }
  m->record_room = t->records + t->records / 4; /* whole cells that become masters */
  t->record = malloc((m->record_room + 1) * sizeof *t->record);
  if (!t->record) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at walls", t->records);
  return trm_device_host_each(m->device, leaves, join_leaf, s);
}

static trm_status search_leaves(search *s)
{
  fv_maker *m = s->m;
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count;
  for (int i = 0; i < s->count; i++) {
    s->finders[i].m = *m;
    s->finders[i].m.look = s->finders[i].look;
  }
  TRM_TRY(trm_device_host_each(m->device, leaves, note_side, s));
  for (size_t i = 0; i < leaves; i++)
    if (t->near[i] >= 0) t->near[i] = t->near_count++;
  look_around(m);
  TRM_TRY(make_room(m));
  for (int i = 0; i < s->count; i++) TRM_TRY(prepare(&s->finders[i], m));
  TRM_TRY(trm_device_host_each(m->device, leaves, search_leaf, s));
  return join_records(s);
}

static void free_finder(finder *f)
{
  free(f->filled);
  free(f->corners.distance);
  free(f->corners.own);
  free(f->corners.inside);
  free(f->corners.is_gas);
  free(f->corners.is_stirred);
  free(f->record);
}

static trm_status take_filled(fv_maker *m, const finder *f, int *is_done)
{
  const size_t count = m->filled_count + f->filled_count;
  if (f->filled_count == 0) return TRM_OK;
  fv_filled *grown = realloc(m->filled, count * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu corners", count);
  memcpy(grown + m->filled_count, f->filled, f->filled_count * sizeof *grown);
  m->filled = grown;
  m->filled_count = count;
  *is_done = 0;
  return TRM_OK;
}

/* Before the cells are looked for once more. */
static void forget(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  void *const all[] = { t->kind, t->far, t->still, t->inside, t->reach, t->record };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  t->kind = NULL;
  t->far = NULL;
  t->still = NULL;
  t->inside = NULL;
  t->reach = NULL;
  t->record = NULL;
  t->records = 0;
  t->near_count = 0;
}

static trm_status search_all(fv_maker *m, int *is_done)
{
  const int threads = trm_device_host_threads(m->device);
  search s = { .m = m, .count = threads, .finders = calloc((size_t)threads, sizeof *s.finders),
               .found = calloc(m->forest->blocks.count, sizeof *s.found) };
  trm_status status = s.finders && s.found ? search_leaves(&s)
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory to look for cells at walls");
  for (int i = 0; i < threads && status == TRM_OK; i++)
    status = take_filled(m, &s.finders[i], is_done);
  for (int i = 0; i < threads && s.finders; i++) free_finder(&s.finders[i]);
  free(s.finders);
  free(s.found);
  return status;
}

static trm_status check_bodies(const fv_maker *m)
{
  double least = INFINITY;
  for (size_t i = 0; i < m->forest->blocks.count; i++) least = fmin(least, fv_cell_width(m, i));
  for (int b = 0; b < m->bodies->count; b++) {
    size_t found = 0;
    while (found < m->t->records && m->t->record[found].body != b) found++;
    if (found < m->t->records) continue;
    TRM_TRY(check_thickness(m, b, least));
    return TRM_FAIL(INPUT, "%s: the wall of body %d passes through no cell, as it does inside of "
                    "another body; move it, make the grid finer, or leave the body out",
                    m->bodies->said, b + 1);
  }
  return TRM_OK;
}

trm_status fv_check_ends(const fv_maker *m)
{
  double high[3];
  for (int a = 0; a < 3; a++)
    high[a] = m->origin[a] + m->h * m->forest->shape.roots[a] * m->side[a];
  TRM_TRY(fv_check_places(m->bodies, m->origin, high));
  return fv_check_sides(m);
}

trm_status fv_find_cut_cells(fv_maker *m)
{
  fv_cut_tables *t = m->t;
  const size_t leaves = m->forest->blocks.count;
  TRM_TRY(fv_check_ends(m));
  t->near = malloc(leaves * sizeof *t->near);
  t->middle = malloc(leaves * (size_t)m->bodies->count * sizeof *t->middle);
  if (!t->near || !t->middle)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu blocks", leaves);
  for (int is_done = 0; !is_done;) {
    is_done = 1;
    TRM_TRY(search_all(m, &is_done));
    if (!is_done) forget(m);
  }
  t->cuts = t->records;
  t->walls = (int)t->cuts; /* each has one */
  for (size_t i = 0; i < t->cuts; i++) t->record[i].wall = (int32_t)i;
  return check_bodies(m);
}
