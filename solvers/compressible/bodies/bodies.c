/* bodies.c - see bodies.h. */
#include "solvers/compressible/bodies/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static const char *const key = "bodies.shapes";

/* ---- the case -------------------------------------------------------------- */

/* Reads the words about a body's walls, after its shape: "slip", "wall", "isothermal T", "spin
 * OMEGA"; and "hollow" and "slides". Each word once, and one of the first three. 0: other words. */
static int read_wall(const char *text, double gamma, fv_body *body)
{
  enum { KIND = 1, SPIN = 2, HOLLOW = 4, SLIDES = 8 };
  static const struct { const char *words; int one; } all[] = { { "isothermal #", KIND },
    { "spin #", SPIN }, { "hollow", HOLLOW }, { "slides", SLIDES }, { "slip", KIND },
    { "wall", KIND } };
  int given = 0;
  while (text[strspn(text, " ")]) {
    trm_words read = { 0 };
    int i = -1;
    while (!read.used && i < 5) read = trm_words_read(text, all[++i].words);
    const double value = read.number[0];
    if (!read.used || (given & all[i].one) || (i == 0 && !(value > 0))) return 0;
    if (i == 0) body->temperature = gamma * value;
    if (i == 1) body->spin = value;
    body->is_hollow |= i == 2;
    body->slides |= i == 3;
    if (all[i].one == KIND)
      body->wall = i == 0 ? FV_WALL_ISOTHERMAL : i == 4 ? FV_WALL_SLIP : FV_WALL_ADIABATIC;
    given |= all[i].one;
    text += read.used;
  }
  return 1;
}

/* A profile of NACA's four-digit series, cut off where its tail closes; the chord lies along x,
 * turned nose up by so many degrees. */
static trm_status draw_profile(fv_body *body, int digits, double degrees)
{
  enum { SIDE = 200 };
  const double camber = digits / 1000 * 0.01, place = digits / 100 % 10 * 0.1;
  const double thick = digits % 100 * 0.01, pi = 3.14159265358979323846, chord = body->size[0];
  const double turn = -degrees * pi / 180, cosine = cos(turn), sine = sin(turn);
  body->outline = malloc(2 * SIDE * sizeof *body->outline);
  if (!body->outline) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a profile");
  body->corners = 2 * SIDE;
  for (int i = 0; i < 2 * SIDE; i++) { /* from the tail over the upper side to the nose and back */
    const int is_upper = i < SIDE, k = is_upper ? SIDE - i : i - SIDE;
    const double x = 0.5 * (1 - cos(pi * k / SIDE));
    const double half = 5 * thick * (0.2969 * sqrt(x) + x * (-0.1260 + x * (-0.3516 + x *
                                     (0.2843 - 0.1036 * x))));
    const int before = place > 0 && x < place;
    const double reach = before ? place : 1 - place;
    const double line = camber == 0 ? 0 : camber / (reach * reach) *
                        (before ? x * (2 * place - x) : 1 - 2 * place + x * (2 * place - x));
    const double slope = camber == 0 ? 0 : 2 * camber / (reach * reach) * (place - x);
    const double root = 1 / sqrt(1 + slope * slope), up = is_upper ? half : -half;
    const double px = x - up * slope * root, py = line + up * root;
    body->outline[i][0] = body->at[0] + chord * (px * cosine - py * sine);
    body->outline[i][1] = body->at[1] + chord * (px * sine + py * cosine);
  }
  body->least = thick * chord;
  return TRM_OK;
}

/* Inwards from each triangle to one that faces the other way; outwards of a hollow one. */
double fv_surface_thickness(const fv_body *body)
{
  const double sense = body->is_hollow ? -1 : 1;
  double least = INFINITY;
  for (size_t i = 0; i < body->within; i++) {
    double normal[2][3] = { { 0 } }, length[2], middle[3], facing = 0, to = INFINITY;
    size_t other = i;
    for (int k = 0; k < 2; k++) {
      const double *v = body->surface.corners + 9 * other;
      for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        normal[k][a] = (v[3 + c] - v[c]) * (v[6 + b] - v[b]) -
                       (v[3 + b] - v[b]) * (v[6 + c] - v[c]);
        if (k == 0) middle[a] = (v[a] + v[3 + a] + v[6 + a]) / 3;
      }
      length[k] = sqrt(normal[k][0] * normal[k][0] + normal[k][1] * normal[k][1] +
                       normal[k][2] * normal[k][2]);
      for (int a = 0; a < 3; a++) normal[k][a] *= sense / length[k];
      if (k == 1) break;
      for (int a = 0; a < 3; a++) middle[a] += 1e-9 * sqrt(length[0]) * normal[0][a];
      to = trm_stl_first(body->tree, middle, normal[0], least, &other);
      if (to == INFINITY) break;
    }
    for (int a = 0; a < 3; a++) facing -= normal[0][a] * normal[1][a];
    if (to < INFINITY && facing > 0.966) least = to; /* else a rim, which is thin by itself */
  }
  return least;
}

static trm_status read_surface(const trm_config *config, const char *name, fv_body *body)
{
  const double scale = body->size[0];
  static const char *const file = "bodies.stl";
  const char *path = trm_config_string(config, file);
  if (!*path)
    return TRM_FAIL(INPUT, "%s: a body is an 'stl', but %s names no file; set it to one",
                    trm_config_origin(config, key), file);
  TRM_TRY(trm_stl_read(path, &body->surface));
  if (*name) TRM_TRY(trm_stl_choose(&body->surface, name, path));
  TRM_TRY(trm_stl_check_closed(&body->surface, path));
  TRM_TRY(trm_stl_check_crossing(&body->surface, path));
  TRM_TRY(trm_stl_leave_narrow(&body->surface, path));
  for (size_t i = 0; i < 9 * body->surface.count; i++)
    body->surface.corners[i] = body->at[i % 3] + scale * body->surface.corners[i];
  for (int a = 0; a < 3; a++) {
    body->surface.low[a] = body->at[a] + scale * body->surface.low[a];
    body->surface.high[a] = body->at[a] + scale * body->surface.high[a];
  }
  TRM_TRY(trm_stl_tree_create(&body->surface, &body->tree));
  body->within = body->surface.count;
  body->least = fv_surface_thickness(body);
  return TRM_OK;
}

/* The origin of a profile and of a surface, beside place and size. */
typedef struct origin {
  int digits;                  /* NACA's */
  double degrees;
  char solid[256];             /* "": all solids of the file */
} origin;

static int read_box(const char *text, int dimensions, fv_body *body)
{
  const trm_words read = trm_words_read(text, dimensions == 2 ? "box # # # #" : "box # # # # # #");
  const double *v = read.number;
  if (!read.used) return 0;
  body->shape = FV_BOX;
  for (int a = 0; a < dimensions; a++) {
    body->at[a] = 0.5 * (v[2 * a] + v[2 * a + 1]);
    body->size[a] = 0.5 * (v[2 * a + 1] - v[2 * a]);
    body->end[a][0] = body->end[a][1] = body->size[a];
  }
  return read.used;
}

/* The digits of a NACA profile, up to four; 0: the word has other characters. */
static int digits_of(const trm_words *read)
{
  char digits[5];
  if (!trm_words_take(read, 0, digits, sizeof digits)) return 0;
  return digits[strspn(digits, "0123456789")] ? 0 : atoi(digits);
}

/* Returns the length of the shape's text; 0: it is no shape. */
static int read_shape(const char *text, int dimensions, fv_body *body, origin *from)
{
  static const struct { const char *words; int shape, dimensions, places; } all[] = {
    { "cylinder # # #", FV_CYLINDER, 2, 2 }, { "tube # # #", FV_TUBE, 2, 2 },
    { "naca @ # # # #", FV_PROFILE, 2, 2 }, { "sphere # # # #", FV_SPHERE, 3, 3 },
    { "stl # # # #", FV_SURFACE, 3, 3 }, { "stl @ # # # #", FV_SURFACE, 3, 3 } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const trm_words read = trm_words_read(text, all[i].words);
    if (!read.used || all[i].dimensions > dimensions) continue;
    body->shape = all[i].shape;
    memcpy(body->at, read.number, (size_t)all[i].places * sizeof *body->at);
    body->size[0] = read.number[all[i].places];
    from->degrees = body->shape == FV_PROFILE ? read.number[3] : 0;
    if (body->shape == FV_PROFILE) from->digits = digits_of(&read);
    if (body->shape == FV_SURFACE && read.length[0] &&
        !trm_words_take(&read, 0, from->solid, sizeof from->solid)) return 0;
    return read.used;
  }
  return read_box(text, dimensions, body);
}

static int has_size(const fv_body *body, const origin *from, int dimensions)
{
  int has = isfinite(body->at[0] + body->at[1] + body->at[2] + from->degrees) &&
            (body->shape != FV_PROFILE || (from->digits > 0 && from->digits % 100 > 0));
  for (int a = 0; a < (body->shape == FV_BOX ? dimensions : 1); a++)
    has &= body->size[a] > 0 && isfinite(body->size[a]);
  return has;
}

/* why: with ": " before it, or "". */
static trm_status refuse_body(const char *text, const trm_config *config, int is_flat,
                              const char *why)
{
  return TRM_FAIL(INPUT, "%s: '%s' in %s is no body%s; write %s'cylinder X Y RADIUS', 'tube X Y "
                  "RADIUS' (solid outside of it), 'box %s' or 'naca DIGITS X Y CHORD ANGLE', "
                  "then one of 'slip', 'wall' and 'isothermal T', then, if it turns, 'spin OMEGA', "
                  "if it slides along others 'slides'%s, and ';' between bodies",
                  trm_config_origin(config, key), text, key, why,
                  is_flat ? "" : "'sphere X Y Z RADIUS', 'stl [NAME] X Y Z SCALE', ",
                  is_flat ? "X0 X1 Y0 Y1" : "X0 X1 Y0 Y1 Z0 Z1",
                  is_flat ? "" : ", if the gas is in an stl 'hollow'");
}

/* Refuses walls that this shape cannot have. */
static trm_status check_wall(const char *text, const trm_config *config, const fv_body *body)
{
  if (body->is_hollow && body->shape != FV_SURFACE)
    return TRM_FAIL(INPUT, "%s: '%s' in %s: 'hollow' is for an stl; for a cylinder write 'tube'",
                    trm_config_origin(config, key), text, key);
  if (body->spin != 0 && body->shape >= FV_BOX)
    return TRM_FAIL(INPUT, "%s: '%s' in %s would sweep through the grid as it turns; 'spin' is for "
                    "cylinders, tubes and spheres, whose walls only slide",
                    trm_config_origin(config, key), text, key);
  if (body->spin != 0 && body->wall == FV_WALL_SLIP)
    return TRM_FAIL(INPUT, "%s: '%s' in %s: 'spin' takes the gas along by friction, and a wall "
                    "that is 'slip' has none; leave out one of the two",
                    trm_config_origin(config, key), text, key);
  return TRM_OK;
}

static trm_status read_body(const char *text, const trm_config *config, int dimensions,
                            double gamma, fv_body *body)
{
  origin from = { 0 };
  *body = (fv_body){ .wall = FV_WALL_ADIABATIC };
  const int used = read_shape(text, dimensions, body, &from);
  const int is_flat = dimensions == 2;
  fv_body solid = { 0 };
  if (!used)
    return refuse_body(text, config, is_flat, is_flat && read_shape(text, 3, &solid, &from)
                         ? " in two dimensions (grid.nz = 1)" : "");
  if (!has_size(body, &from, dimensions))
    return refuse_body(text, config, is_flat, ": a size is not above 0, or a number is not finite");
  if (!read_wall(text + used, gamma, body))
    return refuse_body(text, config, is_flat, ": the words after its shape are no wall");
  TRM_TRY(check_wall(text, config, body));
  if (body->shape == FV_PROFILE) return draw_profile(body, from.digits, from.degrees);
  if (body->shape == FV_SURFACE) return read_surface(config, from.solid, body);
  body->least = 2 * body->size[0];
  for (int a = 1; a < dimensions && body->shape == FV_BOX; a++)
    body->least = fmin(body->least, 2 * body->size[a]);
  return TRM_OK;
}

trm_status fv_read_bodies(fv_bodies *bodies, const trm_config *config, int dimensions,
                          double gamma)
{
  char *text = strdup(trm_config_string(config, key)), *rest = NULL;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for bodies");
  *bodies = (fv_bodies){ .dimensions = dimensions, .small = 0.5 - 1e-9,
                         .said = strdup(trm_config_origin(config, key)) };
  if (!bodies->said) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for bodies");
  for (char *one = text ? strtok_r(text, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest)) {
    if (bodies->count == FV_BODIES)
      status = TRM_FAIL(INPUT, "%s: more than %d bodies in %s; leave some out",
                        trm_config_origin(config, key), FV_BODIES, key);
    else status = read_body(one, config, dimensions, gamma, &bodies->body[bodies->count++]);
  }
  free(text);
  int surfaces = 0;
  for (int i = 0; i < bodies->count; i++) surfaces += bodies->body[i].shape == FV_SURFACE;
  if (status == TRM_OK && !surfaces && trm_config_is_given(config, "bodies.stl"))
    return TRM_FAIL(INPUT, "%s: bodies.stl is the file of bodies that are an 'stl', and "
                    "%s has none; add one, 'stl 0 0 0 1', or leave the file out",
                    trm_config_origin(config, "bodies.stl"), key);
  return status == TRM_OK ? fv_read_paths(bodies, config) : status;
}

void fv_free_bodies(fv_bodies *bodies)
{
  for (int i = 0; i < bodies->count; i++) {
    free(bodies->body[i].outline);
    for (int a = 0; a < 3; a++) trm_formula_destroy(&bodies->body[i].path[a]);
    trm_formula_destroy(&bodies->body[i].rotation);
    trm_stl_tree_destroy(&bodies->body[i].tree);
    trm_stl_free(&bodies->body[i].surface);
    free(bodies->body[i].slits);
  }
  trm_table_free(&bodies->table);
  free(bodies->said);
  *bodies = (fv_bodies){ 0 };
}

/* ---- distances --------------------------------------------------------------- */

static double to_outline(const fv_body *body, const double at[3])
{
  const double (*p)[2] = (const double (*)[2])body->outline;
  double least = INFINITY;
  int is_inside = 0;
  for (int i = 0, j = body->corners - 1; i < body->corners; j = i++) {
    const double dx = p[i][0] - p[j][0], dy = p[i][1] - p[j][1];
    const double ax = at[0] - p[j][0], ay = at[1] - p[j][1], square = dx * dx + dy * dy;
    const double t = square > 0 ? fmin(fmax((ax * dx + ay * dy) / square, 0), 1) : 0;
    const double rx = ax - t * dx, ry = ay - t * dy;
    least = fmin(least, rx * rx + ry * ry);
    if ((p[i][1] > at[1]) != (p[j][1] > at[1]) && ax < dx * (ay / dy)) is_inside = !is_inside;
  }
  return is_inside ? -sqrt(least) : sqrt(least);
}

double fv_body_distance(const fv_body *body, const double at[3], trm_stl_cursor *cursor)
{
  double here[3], off[3], most = -INFINITY;
  fv_body_from_here(body, at, here);
  for (int a = 0; a < 3; a++) off[a] = here[a] - body->at[a];
  switch (body->shape) {
  case FV_SPHERE:
    return sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) - body->size[0];
  case FV_CYLINDER:
    return sqrt(off[0] * off[0] + off[1] * off[1]) - body->size[0];
  case FV_TUBE:
    return body->size[0] - sqrt(off[0] * off[0] + off[1] * off[1]);
  case FV_PROFILE: {
    const double far = sqrt(off[0] * off[0] + off[1] * off[1]) - 1.1 * body->size[0];
    return far > 0.5 * body->size[0] ? far : to_outline(body, here);
  }
  case FV_SURFACE: {
    const double distance = trm_stl_distance(body->tree, here, cursor);
    return body->is_hollow ? -distance : distance;
  }
  default:
    for (int a = 0; a < 3; a++)
      if (body->size[a] > 0)
        most = fmax(most, fmax(off[a] - body->end[a][1], -off[a] - body->end[a][0]));
    return most;
  }
}

void fv_body_side(const fv_body *body, const double at[3], double side, trm_stl_cursor *cursor)
{
  if (body->shape != FV_SURFACE || !cursor->is_any) return;
  fv_body_from_here(body, at, cursor->at);
  cursor->distance = body->is_hollow ? -side : side;
}

double fv_bodies_distance(const fv_bodies *bodies, const double at[3], int *which,
                          trm_stl_cursor *cursors)
{
  double least = INFINITY;
  for (int i = 0; i < bodies->count; i++) {
    const double distance = fv_body_distance(&bodies->body[i], at, cursors ? &cursors[i] : NULL);
    if (distance < least) {
      least = distance;
      if (which) *which = i;
    }
  }
  return least;
}
