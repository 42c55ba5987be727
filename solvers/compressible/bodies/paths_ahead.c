/* paths_ahead.c - what of the bodies' paths can be refused before the run: by points of their
 * surfaces, at a thousand times. */
#include "solvers/compressible/bodies/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 1000, ROUND = 256, ALONG = 8, LONGEST = 400 };

/* Points of a body's surface, where the case has it. */
typedef struct points {
  double (*at)[3];
  size_t count;
} points;

static double *add(points *p, const double middle[3])
{
  double *at = p->at[p->count++];
  for (int a = 0; a < 3; a++) at[a] = middle[a];
  return at;
}

/* Around a circle, or along a spiral over a ball. */
static void add_round(const fv_body *body, points *p)
{
  const double golden = 2.399963229728653, pi = 3.14159265358979323846;
  for (int i = 0; i < ROUND; i++) {
    const int is_ball = body->shape == FV_SPHERE;
    const double angle = is_ball ? golden * i : 2 * pi * i / ROUND;
    const double up = is_ball ? (2 * i + 1.0) / ROUND - 1 : 0;
    double *at = add(p, body->at);
    at[0] += body->size[0] * sqrt(1 - up * up) * cos(angle);
    at[1] += body->size[0] * sqrt(1 - up * up) * sin(angle);
    at[2] += body->size[0] * up;
  }
}

/* Adds the points of a lattice through a box that lie on its surface; a box without ends is
 * flat. */
static void add_box(const fv_body *body, points *p)
{
  const int planes = body->size[2] > 0 ? ALONG + 1 : 1;
  for (int k = 0; k < (ALONG + 1) * (ALONG + 1) * planes; k++) {
    const int i[3] = { k % (ALONG + 1), k / (ALONG + 1) % (ALONG + 1),
                       k / (ALONG + 1) / (ALONG + 1) };
    int is_end = 0;
    for (int a = 0; a < (planes > 1 ? 3 : 2); a++) is_end |= i[a] % ALONG == 0;
    if (!is_end) continue;
    double *at = add(p, body->at);
    for (int a = 0; a < (planes > 1 ? 3 : 2); a++)
      at[a] += body->size[a] * (2.0 * i[a] / ALONG - 1);
  }
}

static void add_outline(const fv_body *body, points *p)
{
  const int step = body->corners / LONGEST + 1;
  for (int i = 0; i < body->corners; i += step)
    memcpy(add(p, body->at), body->outline[i], sizeof body->outline[i]);
}

/* Corners and middles of triangles. */
static void add_surface(const fv_body *body, points *p)
{
  const size_t step = 4 * body->within / LONGEST + 1;
  for (size_t i = 0; i < 4 * body->within; i += step) {
    const double *v = body->surface.corners + 9 * (i / 4);
    double *at = add(p, body->at);
    for (size_t a = 0; a < 3; a++)
      at[a] = i % 4 < 3 ? v[3 * (i % 4) + a] : (v[a] + v[3 + a] + v[6 + a]) / 3;
  }
}

static trm_status list_points(const fv_body *body, points *p)
{
  enum { BOX = (ALONG + 1) * (ALONG + 1) * (ALONG + 1), MOST = BOX > LONGEST ? BOX : LONGEST };
  *p = (points){ .at = malloc(MOST * sizeof *p->at) };
  if (!p->at) return TRM_FAIL(NO_HOST_MEMORY, "no memory for points of a body");
  if (body->shape == FV_BOX) add_box(body, p);
  else if (body->shape == FV_PROFILE) add_outline(body, p);
  else if (body->shape == FV_SURFACE) add_surface(body, p);
  else add_round(body, p);
  return TRM_OK;
}

/* Compares boxes about both. A tube or a hollow body is solid all around, and so never apart. */
static int are_apart(const fv_body *one, const fv_body *other)
{
  double low[2][3], high[2][3];
  int apart = 0;
  if (other->shape == FV_TUBE || other->is_hollow) return 0;
  fv_body_box(one, low[0], high[0]);
  fv_body_box(other, low[1], high[1]);
  const int have_ends = low[0][2] < high[0][2] && low[1][2] < high[1][2];
  for (int a = 0; a < 2 + have_ends; a++)
    apart |= low[0][a] > high[1][a] || low[1][a] > high[0][a];
  return apart;
}

/* Checks all points of one body against another body. */
static trm_status check_pair(const fv_bodies *bodies, const points *all, int one, int other)
{
  const fv_body *body = bodies->body;
  char when[FV_WHEN];
  trm_stl_cursor cursor = { .is_any = 0 };
  if (one == other || bodies->may_meet || body[one].slides || body[other].slides ||
      !(body[one].path[0] || body[other].path[0]) ||
      are_apart(&body[one], &body[other])) return TRM_OK;
  for (size_t i = 0; i < all[one].count; i++) {
    double at[3];
    fv_body_to_here(&body[one], all[one].at[i], at);
    if (fv_body_distance(&body[other], at, &cursor) < 0)
      return TRM_FAIL(INPUT, "%s: bodies %d and %d overlap at x = %g, y = %g, z = %g%s; change "
                      "their paths, or let one of them be one that 'slides'", bodies->said,
                      one + 1, other + 1, at[0], at[1], at[2], fv_when(bodies, when));
  }
  return TRM_OK;
}

static trm_status look_ahead(fv_bodies *bodies, const points *all, double end, const double low[3],
                             const double high[3])
{
  const int pairs = bodies->count * bodies->count;
  for (int k = 1; k <= TIMES; k++) {
    fv_move_bodies(bodies, end * k / TIMES);
    TRM_TRY(fv_check_places(bodies, low, high));
    for (int i = 0; i < pairs; i++)
      TRM_TRY(check_pair(bodies, all, i / bodies->count, i % bodies->count));
  }
  return TRM_OK;
}

trm_status fv_check_paths(fv_bodies *bodies, double end, const double low[3], const double high[3])
{
  points all[FV_BODIES] = { { NULL, 0 } };
  trm_status status = TRM_OK;
  if (!bodies->is_moving) return TRM_OK;
  for (int i = 0; i < bodies->count && status == TRM_OK; i++)
    status = list_points(&bodies->body[i], &all[i]);
  if (status == TRM_OK) status = look_ahead(bodies, all, end, low, high);
  for (int i = 0; i < bodies->count; i++) free(all[i].at);
  fv_begin_bodies(bodies);
  return status;
}
