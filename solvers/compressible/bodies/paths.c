/* paths.c - how bodies move: the keys bodies.motion and bodies.motion_table, and where
 * bodies are at a time. */
#include "solvers/compressible/bodies/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static const char *const key = "bodies.motion", *const file = "bodies.motion_table";

/* ---- the case -------------------------------------------------------------- */

/* Cuts off what comes before the next comma outside of brackets; *rest NULL: that was all. */
static char *next_part(char **rest)
{
  char *part = *rest;
  int depth = 0;
  for (char *c = part; c && *c; c++) {
    depth += (*c == '(') - (*c == ')');
    if (*c != ',' || depth > 0) continue;
    *c = '\0';
    *rest = c + 1;
    return part;
  }
  *rest = NULL;
  return part;
}

static const char *skip(const char *text) { return text + strspn(text, " "); }

/* "about X0 Y0 Z0", "along AX AY AZ" behind an angle, which they are cut off from. */
static int read_axis(char *text, int dimensions, fv_body *body)
{
  char *about = strstr(text, " about "), *along = strstr(text, " along ");
  double *c = body->centre, *n = body->axis;
  memcpy(c, body->at, sizeof body->centre);
  n[0] = n[1] = 0;
  n[2] = 1;
  if (about) {
    const trm_words read = trm_words_read(about, dimensions == 2 ? "about # #" : "about # # #");
    const char *end = about + read.used;
    if (!read.used || (*end && (!along || end != skip(along)))) return 0;
    memcpy(c, read.number, (size_t)dimensions * sizeof *c);
  }
  if (along) {
    const trm_words read = trm_words_read(along, "along # # #");
    if (!read.used || along[read.used] || dimensions == 2) return 0;
    memcpy(n, read.number, 3 * sizeof *n);
  }
  if (about) *about = '\0';
  if (along) *along = '\0';
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int a = 0; a < 3; a++) n[a] /= length;
  return isfinite(c[0] + c[1] + c[2]) && length > 0 && isfinite(length);
}

/* Least and largest x, y and z of a body where the case has it; not along z of one without ends. */
static void box_of(const fv_body *body, double low[3], double high[3])
{
  for (int a = 0; a < 3; a++) {
    const int is_surface = body->shape == FV_SURFACE;
    const double reach = is_surface || body->shape == FV_PROFILE ? 0
                       : body->shape == FV_BOX ? body->size[a]
                       : a == 2 && body->shape != FV_SPHERE ? 0 : body->size[0];
    low[a] = (is_surface ? body->surface.low[a] : body->at[a]) - reach;
    high[a] = (is_surface ? body->surface.high[a] : body->at[a]) + reach;
    for (int i = 0; i < body->corners && a < 2; i++) {
      low[a] = fmin(low[a], body->outline[i][a]);
      high[a] = fmax(high[a], body->outline[i][a]);
    }
  }
}

/* Checks the body that a rotation names: round shapes stay where they are, and shapes endless along
 * z turn about z alone. */
static trm_status check_rotation(const fv_bodies *bodies, int number, const char *origin)
{
  const fv_body *body = &bodies->body[number];
  const int is_endless = body->shape == FV_CYLINDER || body->shape == FV_TUBE ||
                         body->shape == FV_PROFILE || (body->shape == FV_BOX && body->size[2] == 0);
  if (bodies->dimensions == 3 && is_endless && fabs(body->axis[2]) < 1)
    return TRM_FAIL(INPUT, "%s: body %d in %s reaches through the whole grid along z and can turn "
                    "about that axis alone; leave 'along' out, or take an stl", origin, number + 1,
                    key);
  if (body->spin != 0)
    return TRM_FAIL(INPUT, "%s: body %d in %s turns, and its wall slides by 'spin'; take one of "
                    "the two", origin, number + 1, key);
  return TRM_OK;
}

/* How far from the place that it turns about a body reaches. */
static double reach_of(const fv_body *body, int places)
{
  double low[3], high[3], square = 0, off = 0, most = 0;
  const double *c = body->centre;
  const int is_round = body->shape == FV_SPHERE || body->shape == FV_CYLINDER ||
                       body->shape == FV_TUBE;
  box_of(body, low, high);
  for (int a = 0; a < places; a++) {
    const double far = fmax(fabs(low[a] - body->centre[a]), fabs(high[a] - body->centre[a]));
    const double own = body->at[a] - body->centre[a];
    square += far * far;
    off += a == 2 && body->shape != FV_SPHERE ? 0 : own * own;
  }
  for (int i = 0; i < body->corners; i++)
    most = fmax(most, hypot(body->outline[i][0] - c[0], body->outline[i][1] - c[1]));
  for (size_t i = 0; i < 3 * body->within; i++) {
    const double *v = body->surface.corners + 3 * i;
    most = fmax(most, sqrt((v[0] - c[0]) * (v[0] - c[0]) + (v[1] - c[1]) * (v[1] - c[1]) +
                           (v[2] - c[2]) * (v[2] - c[2])));
  }
  return is_round ? sqrt(off) + body->size[0] : body->shape == FV_BOX ? sqrt(square) : most;
}

static trm_status read_path(fv_bodies *bodies, int number, char *text, const char *origin)
{
  static const char *const names[] = { "t", "s" };
  fv_body *body = &bodies->body[number];
  const int places = bodies->dimensions;
  char *rest = text;
  int parts = 0, is_good = 1;
  while (rest && parts <= places) {
    char *part = next_part(&rest);
    if (parts == places && !(is_good = read_axis(part, places, body))) break;
    TRM_TRY(trm_formula_create(part, names, bodies->table.count > 0 ? 2 : 1, origin,
                               parts < places ? &body->path[parts] : &body->rotation));
    parts++;
  }
  if (rest || parts < places || !is_good)
    return TRM_FAIL(INPUT, "%s: the path of body %d in %s is not %s; write formulas of t%s, with "
                    "',' between them and ';' between bodies", origin, number + 1, key,
                    places == 2 ? "'X, Y' or 'X, Y, ANGLE [about X0 Y0]'"
                                : "'X, Y, Z' or 'X, Y, Z, ANGLE [about X0 Y0 Z0] "
                                  "[along AX AY AZ]'",
                    bodies->table.count > 0 ? " and s" : "");
  if (body->rotation) TRM_TRY(check_rotation(bodies, number, origin));
  body->reach = reach_of(body, places);
  return TRM_OK;
}

void fv_begin_bodies(fv_bodies *bodies)
{
  fv_move_bodies(bodies, 0);
  for (int i = 0; i < bodies->count; i++) {
    memset(bodies->body[i].step, 0, sizeof bodies->body[i].step);
    bodies->body[i].turned = 0;
  }
}

/* For each body, in order, X, Y and Z, then the angle. */
trm_status fv_read_paths(fv_bodies *bodies, const trm_config *config)
{
  const char *origin = trm_config_origin(config, key), *path = trm_config_string(config, file);
  char *text = strdup(trm_config_string(config, key)), *rest = text;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for paths");
  if (status == TRM_OK && *path && !*text)
    status = TRM_FAIL(INPUT, "%s: %s gives the s of formulas in %s, and that key has no formula; "
                      "write one, '0, s'", trm_config_origin(config, file), file, key);
  if (status == TRM_OK && *path) status = trm_table_read(path, "a time", "a value", &bodies->table);
  for (int i = 0; status == TRM_OK && rest && *rest; i++) {
    char *one = strsep(&rest, ";");
    if (strspn(one, " ") == strlen(one)) continue;
    if (i >= bodies->count)
      status = TRM_FAIL(INPUT, "%s: %s has more paths than there are bodies, %d; leave out path %d",
                        origin, key, bodies->count, i + 1);
    else status = read_path(bodies, i, one, origin);
    bodies->is_moving = 1;
  }
  free(text);
  if (status == TRM_OK) fv_begin_bodies(bodies);
  return status;
}

/* ---- where they are ---------------------------------------------------------- */

/* The table's value: cubics through its points, whose slopes are those of parabolas through three;
 * beyond its ends the last one. */
static double table_value(const trm_table *table, double time)
{
  const double *x = table->places, *y = table->values;
  const size_t n = table->count;
  double slope[2];
  size_t k = 0;
  if (n == 0) return 0;
  if (time <= x[0] || n == 1) return y[0];
  if (time >= x[n - 1]) return y[n - 1];
  while (time >= x[k + 1]) k++;
  for (size_t i = k; i < k + 2; i++) {
    const size_t before = i > 0 ? i - 1 : i, after = i + 1 < n ? i + 1 : i;
    if (before == i || after == i) slope[i - k] = (y[after] - y[before]) / (x[after] - x[before]);
    else {
      const double left = x[i] - x[before], right = x[after] - x[i];
      slope[i - k] = ((y[i] - y[before]) / left * right + (y[after] - y[i]) / right * left) /
                     (left + right);
    }
  }
  const double h = x[k + 1] - x[k], t = (time - x[k]) / h, rest = 1 - t;
  return rest * rest * ((1 + 2 * t) * y[k] + t * h * slope[0]) +
         t * t * ((1 + 2 * rest) * y[k + 1] - rest * h * slope[1]);
}

double fv_move_bodies(fv_bodies *bodies, double time)
{
  const double values[2] = { time, table_value(&bodies->table, time) };
  double most = 0;
  bodies->time = time;
  for (int i = 0; i < bodies->count; i++) {
    fv_body *body = &bodies->body[i];
    const double angle = body->rotation ? trm_formula_value(body->rotation, values) : 0;
    body->turned = angle - body->angle;
    body->angle = angle;
    body->cosine = trm_formula_cos(angle);
    body->sine = trm_formula_sin(angle);
    for (int a = 0; a < 3; a++) {
      const double now = body->path[a] ? trm_formula_value(body->path[a], values) : 0;
      body->step[a] = now - body->moved[a];
      body->moved[a] = now;
      const double far = fabs(body->step[a]) + fabs(body->turned) * body->reach;
      if (far <= most) continue;
      most = far;
      bodies->fastest = i;
    }
  }
  return most;
}

/* A vector turned about the body's axis (Rodrigues); back: the other way. */
static void rotate(const fv_body *body, int back, const double v[3], double out[3])
{
  const double *n = body->axis, s = back ? -body->sine : body->sine, c = body->cosine;
  const double along = (1 - c) * (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
  for (int a = 0; a < 3; a++) {
    const int i = (a + 1) % 3, j = (a + 2) % 3;
    out[a] = c * v[a] + s * (n[i] * v[j] - n[j] * v[i]) + along * n[a];
  }
}

void fv_body_from_here(const fv_body *body, const double at[3], double own[3])
{
  double off[3];
  for (int a = 0; a < 3; a++) own[a] = at[a] - body->moved[a];
  if (!body->rotation) return;
  for (int a = 0; a < 3; a++) off[a] = own[a] - body->centre[a];
  rotate(body, 1, off, own);
  for (int a = 0; a < 3; a++) own[a] += body->centre[a];
}

void fv_body_to_here(const fv_body *body, const double own[3], double at[3])
{
  double off[3];
  for (int a = 0; a < 3; a++) at[a] = own[a];
  if (body->rotation) {
    for (int a = 0; a < 3; a++) off[a] = own[a] - body->centre[a];
    rotate(body, 0, off, at);
    for (int a = 0; a < 3; a++) at[a] += body->centre[a];
  }
  for (int a = 0; a < 3; a++) at[a] += body->moved[a];
}

void fv_body_turn(const fv_body *body, double turn[9])
{
  for (int a = 0; a < 3; a++) {
    const double unit[3] = { a == 0, a == 1, a == 2 };
    double own[3] = { a == 0, a == 1, a == 2 };
    if (body->rotation) rotate(body, 1, unit, own);
    for (int b = 0; b < 3; b++) turn[3 * b + a] = own[b];
  }
}

void fv_body_box(const fv_body *body, double low[3], double high[3])
{
  double least[3], most[3];
  box_of(body, least, most);
  for (int k = 0; k < 8; k++) {
    const double corner[3] = { k & 1 ? most[0] : least[0], k & 2 ? most[1] : least[1],
                               k & 4 ? most[2] : least[2] };
    double at[3];
    fv_body_to_here(body, corner, at);
    for (int a = 0; a < 3; a++) {
      low[a] = k && low[a] < at[a] ? low[a] : at[a];
      high[a] = k && high[a] > at[a] ? high[a] : at[a];
    }
  }
}

const char *fv_when(const fv_bodies *bodies, char text[FV_WHEN])
{
  *text = '\0';
  if (bodies->is_moving) snprintf(text, FV_WHEN, " at t = %g", bodies->time);
  return text;
}

trm_status fv_check_numbers(const fv_bodies *bodies)
{
  char when[FV_WHEN];
  for (int i = 0; i < bodies->count; i++)
    for (int a = 0; a < 3; a++)
      if (!isfinite(bodies->body[i].moved[a] + bodies->body[i].angle))
        return TRM_FAIL(INPUT, "%s: the path of body %d in %s is no number%s; change the formula",
                        bodies->said, i + 1, key, fv_when(bodies, when));
  return TRM_OK;
}

static void take_in(const fv_body *body, const double own[3], double about, double low[3],
                    double high[3])
{
  double at[3];
  fv_body_to_here(body, own, at);
  for (int a = 0; a < 3; a++) {
    low[a] = fmin(low[a], at[a] - about);
    high[a] = fmax(high[a], at[a] + about);
  }
}

/* A box that turns with the body is larger than the least one about it. */
void fv_body_bounds(const fv_body *body, double low[3], double high[3])
{
  const int is_round = body->shape == FV_SPHERE || body->shape == FV_CYLINDER ||
                       body->shape == FV_TUBE;
  if (body->shape == FV_BOX) {
    fv_body_box(body, low, high);
    return;
  }
  for (int a = 0; a < 3; a++) {
    low[a] = INFINITY;
    high[a] = -INFINITY;
  }
  if (is_round) take_in(body, body->at, body->size[0], low, high);
  for (int i = 0; i < body->corners; i++)
    take_in(body, (const double[3]){ body->outline[i][0], body->outline[i][1], body->at[2] }, 0,
            low, high);
  for (size_t i = 0; i < 3 * body->within; i++)
    take_in(body, body->surface.corners + 3 * i, 0, low, high);
}

/* Whether a body reaches out of the grid along an axis, by more than rounding. */
static int is_out(const double least[3], const double most[3], int axis, const double low[3],
                  const double high[3])
{
  const double slack = 1e-9 * (high[axis] - low[axis]);
  return least[axis] < low[axis] - slack || most[axis] > high[axis] + slack;
}

static trm_status check_place(const fv_bodies *bodies, int number, const double low[3],
                              const double high[3])
{
  const fv_body *body = &bodies->body[number];
  double least[3], most[3];
  char when[FV_WHEN];
  fv_body_box(body, least, most);
  fv_when(bodies, when);
  for (int a = 0, is_least = !body->rotation; a < bodies->dimensions; a++) {
    const int is_long = a == 2 && body->size[2] == 0 && body->shape != FV_SPHERE &&
                        body->shape != FV_SURFACE;
    if ((body->shape == FV_TUBE && !body->path[a]) || is_long) continue; /* cut_sides.c */
    if (!is_least && is_out(least, most, a, low, high)) {
      fv_body_bounds(body, least, most);
      is_least = 1;
    }
    if (is_out(least, most, a, low, high))
      return TRM_FAIL(INPUT, "%s: body %d reaches from %.12g to %.12g along %c%s and the grid "
                      "from %.12g to %.12g; a body lies inside: move it, or make the grid larger%s",
                      bodies->said, number + 1, least[a], most[a], "xyz"[a], when, low[a], high[a],
                      body->shape == FV_SURFACE && !body->path[0]
                        ? ", or, where sides are periodic, cut it there and move what is beyond to "
                          "the opposite side" : "");
  }
  return TRM_OK;
}

trm_status fv_check_places(const fv_bodies *bodies, const double low[3], const double high[3])
{
  TRM_TRY(fv_check_numbers(bodies));
  for (int i = 0; i < bodies->count; i++) TRM_TRY(check_place(bodies, i, low, high));
  return TRM_OK;
}
