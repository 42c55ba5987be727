/* check.c - whether the numbers of a case fit the precision, and whether steps and softening fit
 * the bodies.
 *
 * It refuses bodies whose squares of distances, attractions, energies or steps are beyond the range
 * of the precision. It adds a caution about motions that the method would follow badly. Shortest
 * orbits are looked for among neighbours along x, up to a number of pairs. */
#include "solvers/nbody/nbody.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FEW = 64,                    /* bodies of which each is one, not many of a galaxy */
  STEPS_AN_ORBIT = 20,         /* a leapfrog's phase is then wrong by 3 degrees a turn */
  MOST_PAIRS = 1 << 24         /* that are looked at: 0.1 s */
};
static const double narrow = 0.1;      /* of a pair's distance: softening weakens it by 1.5 % */
static const double two_pi = 6.283185307179586;

typedef struct limits { const char *name; double least, most, rounding; } limits;

static limits limits_of(const nbody_solver *nbody)
{
  return nbody->precision == TRM_F64
           ? (limits){"f64", DBL_MIN, DBL_MAX, DBL_EPSILON / 2}
           : (limits){"f32", (double)FLT_MIN, (double)FLT_MAX, (double)FLT_EPSILON / 2};
}

/* What pairs there are. */
typedef struct pairs {
  double distance, orbit;      /* the least; INFINITY: none attract each other */
  double pull;                 /* the largest of G m / distance^3 */
  size_t near[2], quick[2];    /* whose they are */
} pairs;

/* ---- pairs ------------------------------------------------------------------- */

typedef struct along { double x; size_t body; } along;

static int compare(const void *left, const void *right)
{
  const along *a = left, *b = right;
  return a->x != b->x ? (a->x < b->x ? -1 : 1) : a->body < b->body ? -1 : 1;
}

/* The least distance of two bodies that are alone, on the orbit that they are on. */
static double pericentre(const nbody_solver *nbody, const nbody_bodies *b, double distance)
{
  const double mu = nbody->gravity * (b->value[6][0] + b->value[6][1]);
  double r[3], v[3], square = 0.0, along_r = 0.0;
  for (int c = 0; c < 3; c++) {
    r[c] = b->value[c][1] - b->value[c][0];
    v[c] = b->value[3 + c][1] - b->value[3 + c][0];
    square += v[c] * v[c];
    along_r += r[c] * v[c];
  }
  const double energy = square / 2.0 - mu / distance;
  if (!(energy < 0.0)) return distance;
  const double spin2 = distance * distance * square - along_r * along_r;
  const double major = -mu / (2.0 * energy);
  return major * (1.0 - sqrt(fmax(0.0, 1.0 - fmax(0.0, spin2) / (mu * major))));
}

static void check_pair(const nbody_solver *nbody, const nbody_bodies *b, size_t i, size_t j,
                       pairs *out)
{
  const double *const *value = (const double *const *)b->value;
  const double mass = value[6][i] + value[6][j], heavy = fmax(value[6][i], value[6][j]);
  const size_t first = i < j ? i : j, second = i < j ? j : i;
  double square = 0.0;
  if (!(mass > 0.0)) return;
  for (int c = 0; c < 3; c++)
    square += (value[c][j] - value[c][i]) * (value[c][j] - value[c][i]);
  double r = sqrt(square);
  if (r < out->distance) {
    out->distance = r;
    out->near[0] = first;
    out->near[1] = second;
  }
  const double soft = sqrt(square + nbody->softening * nbody->softening);
  out->pull = fmax(out->pull, nbody->gravity * heavy / soft / soft / soft);
  if (b->count == 2) r = pericentre(nbody, b, r);
  const double s = sqrt(r * r + nbody->softening * nbody->softening);
  const double orbit = two_pi * s * sqrt(s / (nbody->gravity * mass));
  if (orbit < out->orbit) {
    out->orbit = orbit;
    out->quick[0] = first;
    out->quick[1] = second;
  }
}

/* Whether bodies so far apart along x may still be nearer or quicker than those found. */
static int may_count(const nbody_solver *nbody, double heaviest, double apart, const pairs *found)
{
  const double s = hypot(apart, nbody->softening);
  return apart < found->distance ||
         two_pi * s * sqrt(s / (2.0 * nbody->gravity * heaviest)) < found->orbit;
}

static trm_status find_pairs(const nbody_solver *nbody, const nbody_bodies *b, pairs *out)
{
  along *order = malloc(b->count * sizeof *order);
  double heaviest = 0.0;
  size_t seen = 0;
  *out = (pairs){.distance = (double)INFINITY, .orbit = (double)INFINITY};
  if (!order) return TRM_FAIL(NO_HOST_MEMORY, "no memory to compare %zu positions", b->count);
  for (size_t i = 0; i < b->count; i++) {
    order[i] = (along){b->value[0][i], i};
    heaviest = fmax(heaviest, b->value[6][i]);
  }
  qsort(order, b->count, sizeof *order, compare);
  for (size_t i = 0; i < b->count && seen < MOST_PAIRS; i++)
    for (size_t j = i + 1; j < b->count && seen < MOST_PAIRS; j++, seen++) {
      if (!may_count(nbody, heaviest, order[j].x - order[i].x, out)) break;
      check_pair(nbody, b, order[i].body, order[j].body, out);
    }
  free(order);
  return TRM_OK;
}

/* The root mean square of speeds, as they are or beside the common motion. */
static double speed_of(const nbody_solver *nbody, const nbody_bodies *b, int is_inner)
{
  double squares = 0.0;
  for (int c = 3; c < 6; c++) {
    double mean = 0.0;
    for (size_t i = 0; i < b->count; i++) mean += b->value[6][i] * b->value[c][i];
    mean = is_inner ? mean / nbody->total_mass : 0.0;
    for (size_t i = 0; i < b->count; i++)
      squares += b->value[6][i] * (b->value[c][i] - mean) * (b->value[c][i] - mean);
  }
  return sqrt(squares / nbody->total_mass);
}

/* ---- refusals ------------------------------------------------------------------ */

/* A number with so many digits that reading it gives no more (down) or no less than it. */
static double rounded(double value, int up)
{
  const double unit = pow(10.0, floor(log10(value)) - 1.0);
  return (up ? ceil(value / unit) : floor(value / unit)) * unit;
}

static trm_status refuse(const nbody_solver *nbody, const char *origin, const char *what,
                         double value, const char *unit)
{
  const limits of = limits_of(nbody);
  return TRM_FAIL(INPUT, "%s: %s (%.4g %s) is beyond the range of %s, %.2g to %.2g; %s", origin,
                  what, value, unit, of.name, of.least, of.most,
                  nbody->precision == TRM_F64
                    ? "give lengths, masses and times in units nearer to those of the bodies"
                    : "set --precision=f64, or give lengths, masses and times in units nearer to "
                      "those of the bodies (nbody.units)");
}

static int fits(const limits *of, double value) { return value >= of->least && value <= of->most; }

static trm_status check_keys(const nbody_solver *nbody, const trm_config *config, double heaviest)
{
  const limits of = limits_of(nbody);
  const double eps = nbody->softening, mu = nbody->gravity * heaviest;
  if (!fits(&of, nbody->dt))
    return refuse(nbody, trm_config_origin(config, "nbody.dt"), "a step nbody.dt", nbody->dt,
                  nbody->time_unit);
  if (!fits(&of, mu))
    return refuse(nbody, trm_config_origin(config, "nbody.units"), "G m of the heaviest body", mu,
                  "");
  if (eps == 0.0 || (fits(&of, eps * eps) && mu / eps / eps / eps <= of.most)) return TRM_OK;
  if (eps * eps > of.most)
    return refuse(nbody, trm_config_origin(config, "nbody.softening"),
                  "the square of nbody.softening", eps * eps, "");
  return TRM_FAIL(INPUT, "%s: nbody.softening = %g is too small for %s: at that distance a body "
                  "would attract beyond its range; set nbody.softening=0 for points%s",
                  trm_config_origin(config, "nbody.softening"), eps, of.name,
                  nbody->precision == TRM_F64 ? "" : ", or --precision=f64");
}

/* Checks the set's width, its closest pair and its sums. */
static trm_status check_sums(const nbody_solver *nbody, const nbody_bodies *b, const pairs *found,
                             const char *origin)
{
  const limits of = limits_of(nbody);
  const double soft = hypot(found->distance, nbody->softening), *middle = nbody->middle;
  const double speed = speed_of(nbody, b, 0), momentum = nbody->total_mass * speed;
  const double far = nbody->extent + fmax(fabs(middle[0]), fmax(fabs(middle[1]), fabs(middle[2])));
  double widest = 0.0;
  for (size_t i = 0; i < b->count; i++)
    widest = fmax(widest, hypot(b->value[0][i], hypot(b->value[1][i], b->value[2][i])));
  if (4.0 * widest * widest > of.most)
    return refuse(nbody, origin, "the square of a distance", 4.0 * widest * widest, "");
  if (isfinite(soft) && soft > 0.0 && !(soft * soft >= of.least && found->pull <= of.most))
    return TRM_FAIL(INPUT, "%s: bodies %zu and %zu are %.4g %s apart, where their attraction is "
                    "beyond the range of %s; set a nbody.softening%s", origin, found->near[0] + 1,
                    found->near[1] + 1, found->distance, nbody->length_unit, of.name,
                    nbody->precision == TRM_F64 ? "" : ", or --precision=f64");
  if (found->pull > 0.0 && found->pull < of.least)
    return refuse(nbody, origin, "the attraction of the closest bodies over their distance",
                  found->pull, "");
  double energy = momentum * speed;
  if (nbody->with_energy && nbody->extent > 0.0)
    energy = fmax(energy, nbody->gravity * nbody->total_mass / nbody->extent * nbody->total_mass);
  if (energy > of.most) return refuse(nbody, origin, "the energy of the bodies", energy, "");
  if (momentum * far > of.most)
    return refuse(nbody, origin, "the angular momentum of the bodies", momentum * far, "");
  return TRM_OK;
}

/* ---- cautions ------------------------------------------------------------------- */

static void caution(nbody_solver *nbody, const char *text)
{
  const size_t used = strlen(nbody->caution);
  snprintf(nbody->caution + used, sizeof nbody->caution - used, "%s%s", used ? "; and " : "", text);
}

/* How fast bodies are beside their common motion, or may become as they fall. */
static double inner_speed(const nbody_solver *nbody, const nbody_bodies *b)
{
  const double fall = nbody->extent > 0.0
                        ? sqrt(nbody->gravity * nbody->total_mass / nbody->extent) : 0.0;
  return fmax(speed_of(nbody, b, 1), fall);
}

/* The softening with which a pair's orbit has enough steps, and no body passes another between
 * two. */
static double wider_softening(const nbody_solver *nbody, const nbody_bodies *b,
                              const pairs *found, double speed)
{
  const double turn = nbody->dt * STEPS_AN_ORBIT / two_pi;
  const double mass = b->value[6][found->quick[0]] + b->value[6][found->quick[1]];
  return rounded(fmax(cbrt(nbody->gravity * mass * turn * turn), speed * nbody->dt), 1);
}

static void say_orbit(nbody_solver *nbody, const nbody_bodies *b, const pairs *found,
                      double around, double speed)
{
  const double orbit = fmin(found->orbit, around);
  char who[96], softer[64] = "", text[400];
  const int is_pair = found->orbit <= around;
  if (is_pair)
    snprintf(who, sizeof who, "bodies %zu and %zu about each other", found->quick[0] + 1,
             found->quick[1] + 1);
  else snprintf(who, sizeof who, "the bodies about their middle");
  if (is_pair && b->count > FEW)
    snprintf(softer, sizeof softer, ", or nbody.softening=%.2g",
             wider_softening(nbody, b, found, speed));
  snprintf(text, sizeof text, "nbody.dt = %g %s gives %.3g steps to an orbit of %s (%.3g %s), "
                              "which needs %d; set nbody.dt=%.2g%s", nbody->dt, nbody->time_unit,
                                  orbit / nbody->dt, who,
           orbit, nbody->time_unit, (int)STEPS_AN_ORBIT, rounded(orbit / STEPS_AN_ORBIT, 0),
           softer);
  caution(nbody, text);
}

static void say_crossing(nbody_solver *nbody, double speed)
{
  char text[300];
  snprintf(text, sizeof text, "bodies move by %.3g %s in a step, more than nbody.softening = %g, "
                              "and would miss close encounters; set nbody.dt=%.2g",
                                  speed * nbody->dt, nbody->length_unit,
           nbody->softening, rounded(nbody->softening / speed, 0));
  caution(nbody, text);
}

static void say_collision(nbody_solver *nbody, const nbody_bodies *b, const pairs *found)
{
  char text[300];
  snprintf(text, sizeof text, "bodies 1 and 2 fall straight onto each other, for which no step is "
                              "short enough; set nbody.softening=%.2g, or give them a motion to "
                              "the side",
           wider_softening(nbody, b, found, 0.0));
  caution(nbody, text);
}

/* The shortest time that steps have to resolve: of a pair's orbit, or of the orbit of all bodies
 * about their middle. With many bodies it may also be the passage through another's softened
 * core. */
static void check_steps(nbody_solver *nbody, const nbody_bodies *b, const pairs *found,
                        double speed)
{
  /* of two, the pair says all */
  const double around = b->count > 2 && speed > 0.0 ? two_pi * nbody->extent / speed
                                                   : (double)INFINITY;
  const double orbit = fmin(found->orbit, around) / STEPS_AN_ORBIT;
  const double crossing = b->count > FEW && nbody->softening > 0.0 && speed > 0.0
                            ? nbody->softening / speed : (double)INFINITY;
  const double most = fmin(orbit, crossing);
  if (!(nbody->dt > most * 1.000001)) return;
  if (most < 1e-9 * nbody->dt) say_collision(nbody, b, found);
  else if (orbit <= crossing) say_orbit(nbody, b, found, around, speed);
  else say_crossing(nbody, speed);
}

static void check_rounding(nbody_solver *nbody, double speed)
{
  const limits of = limits_of(nbody);
  const double least = of.rounding * nbody->extent;
  char text[300];
  if (!(speed > 0.0) || !(speed * nbody->dt < least)) return;
  snprintf(text, sizeof text, "bodies move by %.3g %s in a step, less than %s rounds places (%.3g "
           "%s), and so may not move at all; set nbody.dt=%.2g%s", speed * nbody->dt,
           nbody->length_unit, of.name, least, nbody->length_unit, rounded(least / speed, 1),
           nbody->precision == TRM_F64 ? "" : " or more, or --precision=f64");
  caution(nbody, text);
}

/* Bodies of which each is one: a softening as wide as a pair lets it go. */
static void check_softening(nbody_solver *nbody, const trm_config *config, const nbody_bodies *b,
                            const pairs *found)
{
  const int is_single = trm_config_choice(config, "nbody.initial") >= NBODY_EIGHT;
  const double part = nbody->softening / found->distance;
  char text[300];
  if (!is_single || b->count > FEW || !(part > narrow) || !isfinite(part)) return;
  snprintf(text, sizeof text, "nbody.softening = %g %s is %.3g of the distance of bodies %zu and "
           "%zu, which attract each other with %.2g of the force of points; set nbody.softening=0, "
           "or %.2g", nbody->softening, nbody->length_unit, part, found->near[0] + 1,
           found->near[1] + 1, 1.0 / pow(1.0 + part * part, 1.5),
           rounded(narrow * found->distance, 0));
  caution(nbody, text);
}

trm_status nbody_check_numbers(nbody_solver *nbody, const trm_config *config,
                               const nbody_bodies *bodies)
{
  const char *origin = nbody_bodies_origin(config);
  double heaviest = 0.0;
  pairs found;
  for (size_t i = 0; i < bodies->count; i++) heaviest = fmax(heaviest, bodies->value[6][i]);
  TRM_TRY(check_keys(nbody, config, heaviest));
  TRM_TRY(find_pairs(nbody, bodies, &found));
  TRM_TRY(check_sums(nbody, bodies, &found, origin));
  const double speed = inner_speed(nbody, bodies);
  check_softening(nbody, config, bodies, &found);
  check_steps(nbody, bodies, &found, speed);
  check_rounding(nbody, speed);
  return TRM_OK;
}
