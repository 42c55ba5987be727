/* cut_faces.c - the faces of units at walls, and what is summed of them and of walls: its joins.
 *
 * Of the units that one group of a launch works on, first all faces at one side are numbered, then
 * all at the next: what its items read of them lies side by side. A face of two listed units is
 * the first one's in that order, which either tells by itself, so groups are worked on apart. Most
 * faces lie between whole cells: those have no sizes. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_clock.h"

/* A face, as a unit sees it at side f of one of its cells: the cell beyond it, and that one's unit.
 * is_own: the unit numbers it. */
typedef struct sight {
  int32_t cell, beside, other;
  int8_t f, is_own, is_whole;
} sight;

/* Of a group: what a thread has of it, which is its own, and where its faces and joins begin. */
typedef struct bundle {
  int thread;
  size_t first, count;         /* sights */
  size_t first_other, others;  /* units beside those listed */
  size_t faces, sized, joins;
} bundle;

typedef struct seen {          /* of a thread */
  sight *sights;
  size_t count, room;
  int32_t *others;
  size_t other_count, other_room;
} seen;

typedef struct weave {
  fv_maker *m;
  int32_t units, *faces;       /* faces: numbers of those behind near leaves' cells, by axis */
  bundle *bundles;
  seen *seen;
} weave;

/* What lies beyond face f of a unit's cell, of this kind, if gas passes to another unit there. */
static int sees(const fv_maker *m, int32_t master, int32_t cell, int32_t kind, int f, sight *out)
{
  if (kind >= 0 && m->t->record[kind].cut.open[f] <= 0) return 0;
  const int32_t beside = fv_cell_beyond(m, cell, f), beyond = fv_cell_kind(m, beside);
  const int32_t other = beyond >= 0 ? m->t->record[beyond].master : beside;
  *out = (sight){ cell, beside, other, (int8_t)f, 0, kind < 0 && beyond < 0 };
  return beyond != FV_SOLID && other != master;
}

/* ---- what units see ------------------------------------------------------------------ */

/* Whether unit i comes to a face at its side f before unit j, which has it at the other. */
static int comes_first(int32_t i, int f, int32_t j)
{
  const int32_t group = i / FV_CUT_GROUP, other = j / FV_CUT_GROUP;
  return group == other ? f % 2 == 0 : group < other;
}

static trm_status add_sight(const weave *w, seen *to, int32_t unit, sight s)
{
  const fv_maker *m = w->m;
  if (!fv_cell_is_ghost(m, s.beside)) {
    const int32_t j = m->slope[fv_cell_index(m, s.other)];
    s.is_own = j < 0 || comes_first(unit, s.f, j);
    if (j < 0) {
      TRM_TRY(fv_list_grow(&to->others, &to->other_room, to->other_count, sizeof s.other));
      to->others[to->other_count++] = s.other;
    }
  }
  TRM_TRY(fv_list_grow(&to->sights, &to->room, to->count, sizeof s));
  to->sights[to->count++] = s;
  return TRM_OK;
}

/* The joins of a unit are the faces of its cells, in order, each followed by its wall. */
static trm_status look_from(const weave *w, seen *to, int32_t unit, bundle *b)
{
  const fv_maker *m = w->m;
  const int32_t master = m->sloped[unit];
  int32_t cell = master;
  for (int32_t at = fv_cell_kind(m, master);; cell = m->t->record[at].cell) {
    for (int f = 0; f < fv_cell_faces(m); f++) {
      sight one;
      if (sees(m, master, cell, at, f, &one)) TRM_TRY(add_sight(w, to, unit, one));
    }
    b->joins += at >= 0 && m->t->record[at].wall >= 0;
    if (at < 0 || m->t->record[at].next < 0) return TRM_OK;
    at = m->t->record[at].next;
  }
}

/* In the order in which faces are numbered. */
static trm_status check_room(const fv_maker *m, const sight *sights, size_t count)
{
  for (int f = 0; f < fv_cell_faces(m); f++)
    for (size_t i = 0; i < count; i++)
      if (sights[i].f == f && fv_cell_is_ghost(m, sights[i].beside))
        return fv_cell_refuse(m, sights[i].cell, fv_no_room);
  return TRM_OK;
}

static int32_t end_of(const weave *w, size_t group)
{
  const int32_t end = (int32_t)(group + 1) * FV_CUT_GROUP;
  return end < w->units ? end : w->units;
}

static trm_status look(void *user, size_t group, int thread)
{
  const weave *w = user;
  seen *to = &w->seen[thread];
  bundle *b = &w->bundles[group];
  *b = (bundle){ .thread = thread, .first = to->count, .first_other = to->other_count };
  for (int32_t i = (int32_t)group * FV_CUT_GROUP; i < end_of(w, group); i++)
    TRM_TRY(look_from(w, to, i, b));
  b->count = to->count - b->first;
  b->others = to->other_count - b->first_other;
  b->joins += b->count;
  int has_ghosts = 0;
  for (size_t i = b->first; i < to->count; i++) {
    b->faces += (size_t)to->sights[i].is_own;
    b->sized += (size_t)(to->sights[i].is_own && !to->sights[i].is_whole);
    has_ghosts |= fv_cell_is_ghost(w->m, to->sights[i].beside);
  }
  return has_ghosts ? check_room(w->m, to->sights + b->first, b->count) : TRM_OK;
}

/* ---- numbers ------------------------------------------------------------------------- */

static int32_t *number_of(const weave *w, const sight *s)
{
  const int32_t left = s->f % 2 ? s->cell : s->beside;
  return &w->faces[3 * fv_cell_index(w->m, left) + (size_t)s->f / 2];
}

/* Faces' last numbers too (fv_unit.h). */
static trm_status number(void *user, size_t group, int thread)
{
  const weave *w = user;
  const bundle *b = &w->bundles[group];
  const sight *sights = w->seen[b->thread].sights + b->first;
  int32_t next[7] = { 0 }, sized[7] = { 0 }; /* of faces at side f: how many, then the next */
  (void)thread;
  for (size_t i = 0; i < b->count; i++) {
    next[sights[i].f + 1] += sights[i].is_own;
    sized[sights[i].f + 1] += sights[i].is_own && !sights[i].is_whole;
  }
  next[0] = (int32_t)b->faces;
  sized[0] = (int32_t)b->sized;
  for (int f = 0; f < 6; f++) {
    next[f + 1] += next[f];
    sized[f + 1] += sized[f];
  }
  for (size_t i = 0; i < b->count; i++) {
    const sight *s = &sights[i];
    if (!s->is_own) continue;
    const int32_t level = w->m->forest->level[s->cell >> w->m->shift[3]];
    w->m->t->face[4 * (size_t)next[s->f] + 3] =
      level + (s->is_whole ? 0 : (FV_FACE_LEVEL + 1) * sized[s->f]++);
    *number_of(w, s) = next[s->f]++;
  }
  return TRM_OK;
}

/* Where each group's faces and joins begin; units beside those listed get slopes. */
static trm_status count_all(weave *w, size_t groups)
{
  fv_cut_tables *t = w->m->t;
  size_t sized = 0;
  for (size_t g = 0; g < groups; g++) {
    bundle *b = &w->bundles[g];
    const bundle own = *b;
    b->faces = (size_t)t->faces;
    b->sized = sized;
    b->joins = t->joins;
    t->faces += (int32_t)own.faces;
    sized += own.sized;
    t->joins += own.joins;
    const int32_t *others = w->seen[b->thread].others + b->first_other;
    for (size_t i = 0; i < b->others; i++) TRM_TRY(fv_number_slope(w->m, others[i]));
  }
  t->sized = (int)sized;
  t->face = malloc((4 * (size_t)(t->faces + t->walls) + 1) * sizeof *t->face);
  return t->face && sized < INT32_MAX / (FV_FACE_LEVEL + 1)
           ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %d faces about walls", t->faces);
}

/* ---- the tables ---------------------------------------------------------------------- */

/* Of the face behind a cell along an axis: how open it is, one over the way between the centroids
 * on both sides, and its middle as seen from both centroids. */
static void measure_face(const fv_maker *m, int32_t left, int32_t right, int axis, double *size)
{
  const fv_cut_record *r = fv_cell_record(m, left), *other = fv_cell_record(m, right);
  double at[3] = { 0.5, 0.5, 0.5 };
  size[0] = 1;
  if (r) {
    memcpy(at, r->cut.face[2 * axis + 1], sizeof at);
    size[0] = r->cut.open[2 * axis + 1];
  } else if (other) { /* the opening as the cut cell sees it: the same */
    memcpy(at, other->cut.face[2 * axis], sizeof at);
    size[0] = other->cut.open[2 * axis];
  }
  at[axis] = 1;
  fv_from_centre(m, r, at, size + 2);
  at[axis] = 0;
  fv_from_centre(m, other, at, size + 5);
  size[1] = 1 / fmax(size[2 + axis] - size[5 + axis], 0.5);
}

static void fill_face(const fv_maker *m, int32_t number, const sight *s)
{
  const int32_t left = s->f % 2 ? s->cell : s->beside, right = s->f % 2 ? s->beside : s->cell;
  const int32_t own = fv_cell_master(m, s->cell);
  const int is_central = fv_cell_is_central(m, left) && fv_cell_is_central(m, right);
  int32_t *face = m->t->face + 4 * (size_t)number;
  double size[FV_FACE_SIZES];
  face[0] = s->f / 2 + (s->is_whole ? FV_FACE_WHOLE : 0) + (is_central ? FV_FACE_CENTRAL : 0);
  face[1] = m->slope[fv_cell_index(m, s->f % 2 ? own : s->other)];
  face[2] = m->slope[fv_cell_index(m, s->f % 2 ? s->other : own)];
  if (s->is_whole) return;
  measure_face(m, left, right, s->f / 2, size);
  double *to = fv_face_size(m->t, (size_t)face[3] / (FV_FACE_LEVEL + 1), 0);
  for (size_t k = 0; k < FV_FACE_SIZES; k++) to[k * FV_CUT_GROUP] = size[k];
}

/* Returns how many joins there are then. */
static size_t fill_unit(const weave *w, int32_t unit, const sight **next, const sight *end,
                        size_t join)
{
  const fv_maker *m = w->m;
  fv_cut_tables *t = m->t;
  int32_t cell = m->sloped[unit], at = fv_cell_kind(m, cell);
  const double total = at >= 0 ? t->record[at].total : 1;
  t->volume[3 * unit] = 1 / total;
  t->volume[3 * unit + 1] = total;
  t->volume[3 * unit + 2] = 0;
  t->unit[3 * unit] = cell;
  t->unit[3 * unit + 1] = (int32_t)join;
  t->unit[3 * unit + 2] = m->forest->level[cell >> m->shift[3]];
  for (;; cell = t->record[at].cell) {
    for (; *next < end && (*next)->cell == cell; ++*next) {
      const int32_t face = *number_of(w, *next);
      if ((*next)->is_own) fill_face(m, face, *next);
      t->join[join++] = 2 * face + ((*next)->f % 2 == 0);
    }
    if (at >= 0 && t->record[at].wall >= 0) t->join[join++] = 2 * (t->faces + t->record[at].wall);
    if (at < 0 || t->record[at].next < 0) return join;
    at = t->record[at].next;
  }
}

static trm_status fill(void *user, size_t group, int thread)
{
  const weave *w = user;
  const bundle *b = &w->bundles[group];
  const sight *next = w->seen[b->thread].sights + b->first, *end = next + b->count;
  size_t join = b->joins;
  (void)thread;
  for (int32_t i = (int32_t)group * FV_CUT_GROUP; i < end_of(w, group); i++)
    join = fill_unit(w, i, &next, end, join);
  return TRM_OK;
}

/* Zeros in the last groups of faces and of walls, which are not full. */
static void clear_ends(const fv_cut_tables *t)
{
  const size_t sized = (size_t)t->sized / FV_CUT_GROUP * FV_CUT_GROUP;
  const size_t wall = (size_t)t->walls / FV_CUT_GROUP * FV_CUT_GROUP;
  const size_t bytes = FV_CUT_GROUP * sizeof *t->size;
  if (sized < (size_t)t->sized) memset(fv_face_size(t, sized, 0), 0, FV_FACE_SIZES * bytes);
  if (wall < (size_t)t->walls) memset(fv_wall_size(t, wall, 0), 0, FV_CUT_SIZES * bytes);
}

/* Those of faces, then those of walls. */
static trm_status fill_all(weave *w, size_t groups)
{
  fv_cut_tables *t = w->m->t;
  const size_t units = (size_t)w->units, all = (size_t)(t->faces + t->walls);
  t->size = malloc((fv_sizes(t, (size_t)t->walls) + 1) * sizeof *t->size);
  t->unit = malloc(3 * (units + 1) * sizeof *t->unit);
  t->volume = malloc((3 * units + 1) * sizeof *t->volume);
  t->join = malloc((t->joins + 1) * sizeof *t->join);
  if (!t->size || !t->unit || !t->volume || !t->join)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu faces about walls", all);
  clear_ends(t);
  TRM_TRY(trm_device_host_each(w->m->device, groups, fill, w));
  t->unit[3 * units] = 0;
  t->unit[3 * units + 1] = (int32_t)t->joins;
  t->unit[3 * units + 2] = 0;
  return TRM_OK;
}

trm_status fv_list_faces(fv_maker *m)
{
  const size_t groups = ((size_t)m->t->units + FV_CUT_GROUP - 1) / FV_CUT_GROUP;
  const int threads = trm_device_host_threads(m->device);
  weave w = { .m = m, .units = m->t->units,
              .faces = malloc(3 * ((size_t)m->t->near_count * m->block + 1) * sizeof *w.faces),
              .bundles = malloc((groups + 1) * sizeof *w.bundles),
              .seen = calloc((size_t)threads, sizeof *w.seen) };
  trm_status status = w.faces && w.bundles && w.seen ? TRM_OK
                        : TRM_FAIL(NO_HOST_MEMORY, "no memory for faces about walls");
  if (status == TRM_OK) status = trm_device_host_each(m->device, groups, look, &w);
  if (status == TRM_OK) status = count_all(&w, groups);
  if (status == TRM_OK) status = trm_device_host_each(m->device, groups, number, &w);
  if (status == TRM_OK) status = fill_all(&w, groups);
  for (int i = 0; i < threads && w.seen; i++) {
    free(w.seen[i].sights);
    free(w.seen[i].others);
  }
  free(w.seen);
  free(w.bundles);
  free(w.faces);
  return status;
}
