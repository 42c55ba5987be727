/* initial.c - initial states. Numbers are computed with + - * / and sqrt only, so that every
 * machine makes the same bodies: directions and velocities are drawn by rejection, roots are found
 * by Newton's method.
 *
 * Sources: Plummer sphere, Aarseth, Henon, Wielen (1974); figure-eight, Chenciner and Montgomery
 * (2000) with Simo's numbers; planets, the Computer Language Benchmarks Game; cube, the AMD
 * SDK's sample. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define PI 3.141592653589793

typedef struct vector { double x, y, z; } vector;

static void put(nbody_bodies *b, size_t i, vector x, vector v, double m)
{
  const double value[7] = {x.x, x.y, x.z, v.x, v.y, v.z, m};
  for (int c = 0; c < 7; c++) b->value[c][i] = value[c];
}

static vector scaled(vector a, double by) { return (vector){a.x * by, a.y * by, a.z * by}; }

/* ---- drawing ---------------------------------------------------------------- */

/* Each statement draws one number: a compiler may evaluate arguments in any order. */

/* A point of the unit ball, and its distance from the middle. */
static vector draw_ball(nbody_random *r, double *length)
{
  for (;;) {
    const double x = 2.0 * nbody_random_uniform(r) - 1.0, y = 2.0 * nbody_random_uniform(r) - 1.0;
    const double z = 2.0 * nbody_random_uniform(r) - 1.0;
    const vector p = {x, y, z};
    const double square = p.x * p.x + p.y * p.y + p.z * p.z;
    if (square > 1.0 || square < 1e-12) continue;
    *length = sqrt(square);
    return p;
  }
}

static vector draw_direction(nbody_random *r)
{
  double length;
  const vector p = draw_ball(r, &length);
  return scaled(p, 1.0 / length);
}

static vector draw_angle(nbody_random *r)
{
  for (;;) {
    const double x = 2.0 * nbody_random_uniform(r) - 1.0, y = 2.0 * nbody_random_uniform(r) - 1.0;
    const double square = x * x + y * y;
    if (square > 1.0 || square < 1e-12) continue;
    return (vector){x / sqrt(square), y / sqrt(square), 0.0};
  }
}

/* Newton's method from above: monotone, converged after at most 100 steps. */
static double cube_root(double a)
{
  double y = 1.0;
  for (int i = 0; i < 100; i++) {
    const double next = (2.0 * y + a / (y * y)) / 3.0;
    if (next == y) break;
    y = next;
  }
  return y;
}

/* A speed in a Plummer sphere, as a part of the escape speed: density q^2 (1 - q^2)^(7/2). */
static double draw_speed(nbody_random *r)
{
  for (;;) {
    const double q = nbody_random_uniform(r), g = 0.1 * nbody_random_uniform(r);
    const double rest = 1.0 - q * q;
    if (g < q * q * rest * rest * rest * sqrt(rest)) return q;
  }
}

/* Of scale length 1 and G M = 1; cut at 22.8 scale lengths, which hold 99.7 % of the mass. */
static void draw_plummer(nbody_random *r, vector *x, vector *v)
{
  double radius;
  do {
    const double root = cube_root(nbody_random_uniform(r));
    radius = 1.0 / sqrt(1.0 / (root * root) - 1.0);
  } while (!(radius < 22.8));
  *x = scaled(draw_direction(r), radius);
  const double escape = sqrt(2.0 / sqrt(1.0 + radius * radius));
  const double speed = draw_speed(r) * escape;
  *v = scaled(draw_direction(r), speed);
}

/* Moves the centre of mass to the origin and brings it to rest. */
static void centre(nbody_bodies *b)
{
  double total = 0.0;
  for (size_t i = 0; i < b->count; i++) total += b->value[6][i];
  for (int c = 0; c < 6; c++) {
    double sum = 0.0;
    for (size_t i = 0; i < b->count; i++) sum += b->value[6][i] * b->value[c][i];
    for (size_t i = 0; i < b->count; i++) b->value[c][i] -= sum / total;
  }
}

/* ---- spheres ----------------------------------------------------------------- */

/* Henon's units: M = 1, E = -1/4 (for G = 1), so the scale length is 3 pi / 16. */
static void make_plummer(nbody_bodies *b, uint64_t seed, double gravity)
{
  const double scale = 3.0 * PI / 16.0, speed = sqrt(gravity / scale);
  for (size_t i = 0; i < b->count; i++) {
    nbody_random r = nbody_random_for(seed, i);
    vector x, v;
    draw_plummer(&r, &x, &v);
    put(b, i, scaled(x, scale), scaled(v, speed), 1.0 / (double)b->count);
  }
  centre(b);
}

/* A ball of radius 1 and mass 1, at rest: it falls together within pi sqrt(1/8) for G = 1. */
static void make_collapse(nbody_bodies *b, uint64_t seed)
{
  for (size_t i = 0; i < b->count; i++) {
    nbody_random r = nbody_random_for(seed, i);
    double length;
    put(b, i, draw_ball(&r, &length), (vector){0, 0, 0}, 1.0 / (double)b->count);
  }
  centre(b);
}

/* ---- galaxies ---------------------------------------------------------------- */

enum { HALO_PARTS = 2, PARTS = 5 }; /* two bodies in five are the halo's */
static const double halo_mass = 0.8, halo_scale = 0.5, disc_thickness = 0.02;

/* One galaxy of mass 1 and radius 1: a disc of surface density 1 / r on circular orbits in a
 * Plummer halo, which also consists of bodies. tilt: cosine and sine of the disc's inclination
 * about x. */
static void draw_star(nbody_random *r, int in_halo, double gravity, const double tilt[2], vector *x,
                      vector *v)
{
  vector p, w;
  if (in_halo) {
    draw_plummer(r, &p, &w);
    *x = scaled(p, halo_scale);
    *v = scaled(w, sqrt(gravity * halo_mass / halo_scale));
    return;
  }
  const double radius = nbody_random_uniform(r), s2 = radius * radius + halo_scale * halo_scale;
  const double inside = halo_mass * radius * radius * radius / (s2 * sqrt(s2)) +
                        (1.0 - halo_mass) * radius;
  const double speed = sqrt(gravity * inside / radius);
  const vector angle = draw_angle(r);
  double length;
  const vector stray = draw_ball(r, &length);
  p = (vector){radius * angle.x, radius * angle.y, disc_thickness * stray.z};
  w = (vector){speed * (0.1 * stray.x - angle.y), speed * (0.1 * stray.y + angle.x), 0.0};
  *x = (vector){p.x, tilt[0] * p.y - tilt[1] * p.z, tilt[1] * p.y + tilt[0] * p.z};
  *v = (vector){w.x, tilt[0] * w.y, tilt[1] * w.y};
}

static void make_galaxies(nbody_bodies *b, const trm_config *config, uint64_t seed, double gravity)
{
  static const double tilts[2][2] = {{1.0, 0.0}, {0.6, 0.8}};
  const double apart = trm_config_real(config, "nbody.separation") / 2.0;
  const double aside = trm_config_real(config, "nbody.impact") / 2.0;
  const double speed = trm_config_real(config, "nbody.approach") / 2.0;
  const size_t half = b->count / 2;
  for (size_t i = 0; i < b->count; i++) {
    nbody_random r = nbody_random_for(seed, i);
    const int second = i >= half;
    const size_t count = second ? b->count - half : half, place = second ? i - half : i;
    const size_t in_halo = count * HALO_PARTS / PARTS, in_disc = count - in_halo;
    const int is_halo = place < in_halo;
    const double sign = second ? 1.0 : -1.0;
    vector x, v;
    draw_star(&r, is_halo, gravity, tilts[second], &x, &v);
    const vector at = {x.x + sign * apart, x.y + sign * aside, x.z};
    const vector moving = {v.x - sign * speed, v.y, v.z};
    put(b, i, at, moving, is_halo ? halo_mass / (double)in_halo
                                  : (1.0 - halo_mass) / (double)in_disc);
  }
  centre(b);
}

/* ---- the studies' ------------------------------------------------------------ */

/* Uniform in [3, 50]^3 with masses in [1, 1000], at rest, as the AMD SDK's NBody sample draws
 * them: in single precision, (1 - r) * high + r * low. */
static float draw_between(nbody_glibc *g, float low, float high)
{
  const float r = (float)nbody_glibc_next(g) / (float)2147483647;
  const float from = (1.0f - r) * low, to = r * high;
  return from + to;
}

static void make_cube(nbody_bodies *b, uint32_t seed)
{
  nbody_glibc g;
  nbody_glibc_seed(&g, seed);
  for (size_t i = 0; i < b->count; i++) {
    for (int c = 0; c < 3; c++) b->value[c][i] = (double)draw_between(&g, 50.0f, 3.0f);
    b->value[6][i] = (double)draw_between(&g, 1000.0f, 1.0f);
  }
}

/* Uniform in a box, masses below a largest one, at rest, in single precision (OmpSs's study). */
static double draw_below(nbody_glibc *g, double most)
{
  return (double)((float)most * ((float)nbody_glibc_next(g) / 2147483648.0f));
}

static void make_box(nbody_bodies *b, uint32_t seed, double side, double heaviest)
{
  nbody_glibc g;
  nbody_glibc_seed(&g, seed);
  for (size_t i = 0; i < b->count; i++) {
    for (int c = 0; c < 3; c++) b->value[c][i] = draw_below(&g, side);
    b->value[6][i] = draw_below(&g, heaviest);
  }
}

/* ---- a few bodies ------------------------------------------------------------ */

static void make_figure_eight(nbody_bodies *b, double gravity)
{
  const double s = sqrt(gravity), x = 0.97000436, y = -0.24308754174337637;
  const double vx = -0.93240737665848691, vy = -0.86473144997952288;
  put(b, 0, (vector){x, y, 0}, (vector){-vx / 2 * s, -vy / 2 * s, 0}, 1.0);
  put(b, 1, (vector){-x, -y, 0}, (vector){-vx / 2 * s, -vy / 2 * s, 0}, 1.0);
  put(b, 2, (vector){0, 0, 0}, (vector){vx * s, vy * s, 0}, 1.0);
}

/* Sun, Jupiter, Saturn, Uranus, Neptune: AU, years of 365.24 days, solar masses; no net
 * momentum. */
static void make_five_bodies(nbody_bodies *b)
{
  static const double planet[4][7] = {
    {4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 1.66007664274403694e-3,
     7.69901118419740425e-3, -6.90460016972063023e-5, 9.54791938424326609e-4},
    {8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -2.76742510726862411e-3,
     4.99852801234917238e-3, 2.30417297573763929e-5, 2.85885980666130812e-4},
    {12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 2.96460137564761618e-3,
     2.37847173959480950e-3, -2.96589568540237556e-5, 4.36624404335156298e-5},
    {15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 2.68067772490389322e-3,
     1.62824170038242295e-3, -9.51592254519715870e-5, 5.15138902046611451e-5}};
  const double year = 365.24;
  vector sun = {0, 0, 0};
  for (size_t i = 0; i < 4; i++) {
    const double *p = planet[i];
    const vector v = {p[3] * year, p[4] * year, p[5] * year};
    put(b, i + 1, (vector){p[0], p[1], p[2]}, v, p[6]);
    sun = (vector){sun.x - v.x * p[6], sun.y - v.y * p[6], sun.z - v.z * p[6]};
  }
  put(b, 0, (vector){0, 0, 0}, sun, 1.0);
}

/* Two equal bodies of total mass 1 on a relative orbit of major half axis 1, at pericentre. */
static void make_kepler(nbody_bodies *b, double e, double gravity)
{
  const double x = (1.0 - e) / 2.0, v = sqrt(gravity * (1.0 + e) / (1.0 - e)) / 2.0;
  put(b, 0, (vector){x, 0, 0}, (vector){0, v, 0}, 0.5);
  put(b, 1, (vector){-x, 0, 0}, (vector){0, -v, 0}, 0.5);
}

/* ---- by name ------------------------------------------------------------------ */

size_t nbody_generated(const trm_config *config)
{
  const int kind = trm_config_choice(config, "nbody.initial");
  const size_t wanted = (size_t)trm_config_integer(config, "nbody.bodies");
  return kind == NBODY_EIGHT ? 3 : kind == NBODY_FIVE ? 5 : kind == NBODY_KEPLER ? 2 : wanted;
}

trm_status nbody_generate(const trm_config *config, double gravity, nbody_bodies *out)
{
  const int kind = trm_config_choice(config, "nbody.initial");
  const uint64_t seed = (uint64_t)trm_config_integer(config, "nbody.seed");
  const size_t count = nbody_generated(config);
  if (kind == NBODY_GALAXIES && count < 20)
    return TRM_FAIL(INPUT, "%s: two galaxies of %zu bodies; give them 20 at least",
                    trm_config_origin(config, "nbody.bodies"), count);
  TRM_TRY(nbody_bodies_create(count, out));
  switch (kind) {
  case NBODY_PLUMMER: make_plummer(out, seed, gravity); break;
  case NBODY_COLLAPSE: make_collapse(out, seed); break;
  case NBODY_GALAXIES: make_galaxies(out, config, seed, gravity); break;
  case NBODY_CUBE: make_cube(out, (uint32_t)seed); break;
  case NBODY_BOX:
    make_box(out, (uint32_t)seed, trm_config_real(config, "nbody.extent"),
             trm_config_real(config, "nbody.heaviest"));
    break;
  case NBODY_EIGHT: make_figure_eight(out, gravity); break;
  case NBODY_FIVE: make_five_bodies(out); break;
  case NBODY_KEPLER:
    make_kepler(out, trm_config_real(config, "nbody.eccentricity"), gravity);
    break;
  }
  return TRM_OK;
}
