/* streams.c - streamlines, by Runge and Kutta's method of fourth order for the place along the
 * line's length, in steps of a quarter of a cell. */
#include <config.h>

#include "io/streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static const double step = 0.25;           /* in cells */
enum { KEPT = 2, MOST_LINES = 100000 };    /* every so many steps are points */

typedef struct tracer {
  const trm_stream_flow *flow;
  long n[3];
  double slowest;              /* cells a unit of time */
  trm_streams *out;
  size_t room, lines;
} tracer;

/* ---- the flow at a place --------------------------------------------------------------- */

static long inside(long i, long n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static int is_fluid(const tracer *t, const double at[3])
{
  const trm_array *solid = t->flow->solid;
  long c[3];
  for (int a = 0; a < 3; a++) {
    c[a] = (long)floor(at[a]);
    if (!(at[a] >= 0) || c[a] >= t->n[a]) return 0;
  }
  return !solid || !((const uint8_t *)solid->data)[(c[2] * t->n[1] + c[1]) * t->n[0] + c[0]];
}

/* In cells a unit of time; its length. */
static double velocity_at(const tracer *t, const double at[3], double w[3])
{
  const trm_array *v = t->flow->velocity;
  const size_t cells = v->nx * v->ny * v->nz;
  double part[3], square = 0;
  long low[3];
  for (int a = 0; a < 3; a++) {
    low[a] = (long)floor(at[a] - 0.5);
    part[a] = at[a] - 0.5 - (double)low[a];
    w[a] = 0;
  }
  for (int i = 0; i < 8; i++) {
    const int d[3] = {i & 1, i >> 1 & 1, i >> 2};
    double weight = 1;
    long c[3];
    for (int a = 0; a < 3; a++) {
      weight *= d[a] ? part[a] : 1 - part[a];
      c[a] = inside(low[a] + d[a], t->n[a]);
    }
    const size_t cell = (size_t)((c[2] * t->n[1] + c[1]) * t->n[0] + c[0]);
    for (size_t a = 0; a < 3; a++) w[a] += weight * trm_array_value(v, a * cells + cell);
  }
  for (int a = 0; a < 3; a++) {
    w[a] /= t->flow->side[a];
    square += w[a] * w[a];
  }
  return sqrt(square);
}

/* How fast the flow is, in its own unit. */
static double speed_of(const tracer *t, const double w[3])
{
  const double *h = t->flow->side;
  return sqrt(w[0] * w[0] * h[0] * h[0] + w[1] * w[1] * h[1] * h[1] + w[2] * w[2] * h[2] * h[2]);
}

/* ---- a line ----------------------------------------------------------------------------- */

static trm_status add_point(tracer *t, const double at[3], double speed, double time)
{
  trm_streams *out = t->out;
  if (out->points == t->room) {
    const size_t room = t->room ? 2 * t->room : 1024;
    float (*places)[3] = realloc(out->at, room * sizeof *places);
    if (places) out->at = places;
    float *speeds = realloc(out->speed, room * sizeof *speeds);
    if (speeds) out->speed = speeds;
    float *times = realloc(out->time, room * sizeof *times);
    if (times) out->time = times;
    if (!places || !speeds || !times)
      return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu points of lines", room);
    t->room = room;
  }
  for (int a = 0; a < 3; a++) out->at[out->points][a] = (float)at[a];
  out->speed[out->points] = (float)speed;
  out->time[out->points++] = (float)time;
  return TRM_OK;
}

/* One step with the flow, or against it. 0: the line ends. */
static int advance(const tracer *t, double sign, double at[3], double *time)
{
  static const double on[4] = {0, 0.5, 0.5, 1}, share[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
  double next[3] = {at[0], at[1], at[2]}, w[3] = {0, 0, 0}, before[3] = {0, 0, 0}, slow = 0;
  for (int stage = 0; stage < 4; stage++) {
    double place[3];
    for (int a = 0; a < 3; a++) place[a] = at[a] + on[stage] * before[a];
    const double length = velocity_at(t, place, w);
    if (!(length > t->slowest)) return 0;
    for (int a = 0; a < 3; a++) {
      before[a] = sign * step * w[a] / length;
      next[a] += share[stage] * before[a];
    }
    slow += share[stage] / length;
  }
  if (!is_fluid(t, next)) return 0;
  memcpy(at, next, sizeof next);
  *time += sign * step * slow;
  return 1;
}

static trm_status follow(tracer *t, const double seed[3], double sign)
{
  const long most = (long)(4 / step) * (t->n[0] + t->n[1] + t->n[2]);
  double at[3] = {seed[0], seed[1], seed[2]}, time = 0;
  for (long i = 1; i <= most && advance(t, sign, at, &time); i++) {
    double w[3];
    (void)velocity_at(t, at, w);
    if (i % KEPT == 0) TRM_TRY(add_point(t, at, speed_of(t, w), time));
  }
  return TRM_OK;
}

static void swap_points(trm_streams *s, size_t i, size_t k)
{
  for (int a = 0; a < 3; a++) {
    const float kept = s->at[i][a];
    s->at[i][a] = s->at[k][a];
    s->at[k][a] = kept;
  }
  const float speed = s->speed[i], time = s->time[i];
  s->speed[i] = s->speed[k];
  s->speed[k] = speed;
  s->time[i] = s->time[k];
  s->time[k] = time;
}

/* Against the flow, turned round; the seed; with the flow. */
static trm_status trace_one(tracer *t, const double seed[3])
{
  trm_streams *out = t->out;
  const size_t first = out->points;
  double w[3];
  if (!is_fluid(t, seed)) return TRM_OK;
  TRM_TRY(follow(t, seed, -1));
  for (size_t i = first, k = out->points; i + 1 < k; i++) swap_points(out, i, --k);
  (void)velocity_at(t, seed, w);
  TRM_TRY(add_point(t, seed, speed_of(t, w), 0));
  TRM_TRY(follow(t, seed, 1));
  if (out->points - first < 2) out->points = first; /* the fluid rests */
  else out->first[++out->count] = out->points;
  return TRM_OK;
}

/* ---- places ------------------------------------------------------------------------------ */

static tracer begin(const trm_stream_flow *flow)
{
  const trm_array *v = flow->velocity;
  return (tracer){.flow = flow, .n = {(long)v->nx, (long)v->ny, (long)v->nz}};
}

/* Place i of an even spread over a unit cube: M. Roberts's sequence, of the root of x^4 = x + 1. */
static double spread(size_t i, int axis)
{
  static const double by[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  const double at = 0.5 + by[axis] * (double)(i + 1);
  return at - floor(at);
}

static trm_status no_place(const char *text, const char *origin)
{
  return TRM_FAIL(INPUT, "%s: '%s' is no place for streamlines; write 'line X0 Y0 Z0 X1 Y1 Z1 N', "
                  "'box X0 Y0 Z0 X1 Y1 Z1 N' or 'count N', with N of 1 to %d", origin, text,
                  (int)MOST_LINES);
}

trm_status trm_streams_seed(const trm_stream_flow *flow, const char *text, const char *origin,
                            double (**places)[3], size_t *count)
{
  const tracer t = begin(flow);
  double from[3], to[3];
  const trm_words counted = trm_words_read(text, "count #");
  const trm_words box = trm_words_read(text, "box # # # # # # #");
  const trm_words along = trm_words_read(text, "line # # # # # # #");
  const trm_words *read = counted.used ? &counted : box.used ? &box : &along;
  const int line = along.used;
  const double wanted = read->number[counted.used ? 0 : 6];
  if (!read->used || text[read->used] || wanted != rint(wanted) || !(wanted >= 1) ||
      wanted > MOST_LINES)
    return no_place(text, origin);
  const long lines = (long)wanted;
  for (int a = 0; a < 3; a++) {
    from[a] = counted.used ? flow->origin[a] : read->number[a];
    to[a] = counted.used ? flow->origin[a] + (double)t.n[a] * flow->side[a] : read->number[3 + a];
  }
  double (*found)[3] = calloc((size_t)lines, sizeof *found);
  if (!found) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %ld streamlines", lines);
  const size_t tries = (size_t)lines * (line ? 1 : 1000); /* a thousandth of the box may be fluid */
  size_t kept = 0;
  for (size_t i = 0; i < tries && kept < (size_t)lines; i++) {
    for (int a = 0; a < 3; a++) {
      const double part = !line ? spread(i, a)
                          : lines > 1 ? (double)i / (double)(lines - 1) : 0.5;
      found[kept][a] = (from[a] + part * (to[a] - from[a]) - flow->origin[a]) / flow->side[a];
    }
    kept += (size_t)is_fluid(&t, found[kept]);
  }
  if (kept == 0) {
    free(found);
    return TRM_FAIL(INPUT, "%s: no place of '%s' is in the fluid; move it", origin, text);
  }
  *places = found;
  *count = kept;
  return TRM_OK;
}

/* ---- all ---------------------------------------------------------------------------------- */

static trm_status check(const trm_stream_flow *flow)
{
  const trm_array *v = flow->velocity, *s = flow->solid;
  TRM_TRY(trm_array_elements(v, NULL));
  if (v->components != 3)
    return TRM_FAIL(INVALID, "'%s' has %d components; a velocity has 3", v->name, v->components);
  if (s && (s->type != TRM_TYPE_U8 || s->nx != v->nx || s->ny != v->ny || s->nz != v->nz))
    return TRM_FAIL(INVALID, "the flags '%s' do not belong to the cells of '%s'", s->name, v->name);
  for (int a = 0; a < 3; a++)
    if (!(flow->side[a] > 0) || !isfinite(flow->side[a]))
      return TRM_FAIL(INVALID, "a cell of '%s' has a side of %g", v->name, flow->side[a]);
  return TRM_OK;
}

static double slowest_of(const tracer *t)
{
  const trm_array *v = t->flow->velocity;
  const size_t cells = v->nx * v->ny * v->nz;
  double most = 0;
  for (size_t i = 0; i < cells; i++) {
    double square = 0;
    for (size_t a = 0; a < 3; a++) {
      const double part = trm_array_value(v, a * cells + i) / t->flow->side[a];
      square += part * part;
    }
    if (square > most) most = square;
  }
  return 1e-6 * sqrt(most);
}

trm_status trm_streams_trace(const trm_stream_flow *flow, double (*places)[3], size_t count,
                             trm_streams *out)
{
  TRM_TRY(check(flow));
  tracer t = begin(flow);
  *out = (trm_streams){.first = calloc(count + 1, sizeof *out->first)};
  t.out = out;
  t.slowest = slowest_of(&t);
  trm_status status = out->first ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu lines",
                                                     count);
  for (size_t i = 0; i < count && status == TRM_OK; i++) status = trace_one(&t, places[i]);
  if (status != TRM_OK) trm_streams_free(out);
  return status;
}

void trm_streams_free(trm_streams *streams)
{
  free(streams->first);
  free(streams->at);
  free(streams->speed);
  free(streams->time);
  *streams = (trm_streams){0};
}
