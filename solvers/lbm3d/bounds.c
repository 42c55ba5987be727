/* bounds.c - checks that a case stays within the limits of the method before it runs. It checks
 * speeds at every place of a side, the viscosity, and the speed that a force or differences of
 * pressure will give the flow. */
#include "solvers/lbm3d/levels/levels.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 2048 };        /* along an axis of a side, at most */

void lbm3d_caution(lbm3d_solver *flow, const char *format, ...)
{
  const size_t used = strlen(flow->caution);
  va_list list;
  va_start(list, format);
  (void)snprintf(flow->caution + used, sizeof flow->caution - used, "%s", used ? "; also, " : "");
  (void)vsnprintf(flow->caution + strlen(flow->caution),
                  sizeof flow->caution - strlen(flow->caution), format, list);
  va_end(list);
  flow->base.caution = flow->caution;
}

/* ---- sides ------------------------------------------------------------------------ */

/* How to write what was meant in m/s. */
static void tell_units(const trm_config *config, double speed, char *text, size_t bytes)
{
  const double metres = trm_config_real(config, "units.speed");
  const double reference = trm_config_real(config, "lbm.reference_speed");
  if (metres > 0.0 && reference > 0.0 && speed * reference / metres <= lbm_fastest())
    snprintf(text, bytes, "a cell a step is %g m/s here: if it is meant in m/s, divide it by that",
             metres / reference);
  else if (metres > 0.0)
    snprintf(text, bytes, "if it is meant in m/s, set units.speed = %g, lbm.reference_speed = "
             "0.05, "
             "and divide it by %g", speed, speed / 0.05);
  else
    snprintf(text, bytes, "make it smaller; or if it is meant in m/s, divide it by %g, and set "
             "units.speed = %g, lbm.reference_speed = 0.05, units.cell (m) and units.viscosity "
             "(m2/s)", speed / 0.05, speed);
}

static trm_status refuse_speed(const trm_config *config, const char *key, double speed,
                               const double at[3])
{
  char units[240];
  tell_units(config, speed, units, sizeof units);
  return TRM_FAIL(INPUT, "%s: %s gives a speed of %g cells a step at x = %g, y = %g, z = %g: Mach "
                  "%.3g, and the method holds up to Mach %g, %.3g; %s",
                  trm_config_origin(config, key), key, speed, at[0], at[1], at[2],
                  speed * sqrt(3.0), LBM3D_MACH, lbm_round_down(lbm_fastest()), units);
}

/* A wall that moves across itself would leave its place; here mass would come out of it. */
static trm_status refuse_normal(const trm_config *config, const char *key, int side, double across,
                                const double at[3])
{
  return TRM_FAIL(INPUT, "%s: %s leads through the wall, with %g along %c at x = %g, y = %g, z = "
                  "%g; a moving wall moves along itself: make that part 0, or set boundary.%s = "
                  "\"inflow\" if the fluid comes through it", trm_config_origin(config, key), key,
                  across, "xyz"[side / 2], at[0], at[1], at[2], lbm3d_side_names[side]);
}

/* Places along an axis of a side: where links of the finest cells cross it; one, if nothing depends
 * on it. */
static int places_along(const lbm3d_scene *scene, const lbm3d_side *side, int axis, int finest)
{
  unsigned uses = 0;
  for (int i = 0; i < 3; i++) uses |= trm_formula_uses(side->velocity[i]);
  const long count = ((long)scene->n[axis] << (finest + 1)) + 1;
  return !(uses >> axis & 1) ? 1 : count < PLACES + 1 ? (int)count : PLACES + 1;
}

trm_status lbm3d_check_side(const trm_config *config, const char *key, lbm3d_scene *scene, int side)
{
  lbm3d_side *one = &scene->sides[side];
  const int axis = side / 2, first = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
  const int finest = (int)trm_config_integer(config, "grid.levels");
  const int along[] = { places_along(scene, one, first, finest),
                        places_along(scene, one, two, finest) };
  for (int j = 0; j < along[1]; j++)
    for (int i = 0; i < along[0]; i++) {
      double at[3], u[3];
      at[axis] = side % 2 ? scene->n[axis] : 0.0;
      at[first] = along[0] > 1 ? scene->n[first] * ((double)i / (along[0] - 1))
                               : 0.5 * scene->n[first];
      at[two] = along[1] > 1 ? scene->n[two] * ((double)j / (along[1] - 1)) : 0.5 * scene->n[two];
      lbm3d_side_velocity(scene, side, at, u);
      const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
      if (!(speed * sqrt(3.0) <= LBM3D_MACH)) return refuse_speed(config, key, speed, at);
      if (one->kind == SIDE_MOVING && fabs(u[axis]) > 1e-12)
        return refuse_normal(config, key, side, u[axis], at);
      one->fastest = fmax(one->fastest, speed);
    }
  return TRM_OK;
}

/* ---- the fluid -------------------------------------------------------------------- */

trm_status lbm3d_check_fluid(const lbm3d_solver *flow, const trm_config *config, const char *key)
{
  return lbm_check_viscosity(config, key, flow->viscosity, flow->real_type == TRM_TYPE_F32);
}

/* ---- what drives ------------------------------------------------------------------- */

static int has_ends(const lbm3d_scene *scene, int axis)
{
  return scene->sides[2 * axis].kind != SIDE_PERIODIC;
}

static int is_closed(const lbm3d_scene *scene, int axis)
{
  for (int i = 2 * axis; i < 2 * axis + 2; i++)
    if (scene->sides[i].kind != SIDE_WALL && scene->sides[i].kind != SIDE_MOVING) return 0;
  return 1;
}

/* How far apart what holds the fluid is across an axis: walls at both ends, or at one with its
 * mirror image; the surface around the fluid. */
static double width_along(const lbm3d_scene *scene, int axis, int is_lumen)
{
  double low = INFINITY, high = -INFINITY;
  if (!is_lumen)
    return !has_ends(scene, axis) ? INFINITY
           : is_closed(scene, axis) ? scene->n[axis] : 2.0 * scene->n[axis];
  for (size_t i = 0; i < 3 * scene->stl.count; i++) {
    low = fmin(low, scene->stl.corners[3 * i + (size_t)axis]);
    high = fmax(high, scene->stl.corners[3 * i + (size_t)axis]);
  }
  return high - low;
}

/* Where bodies alone hold the fluid: the radius of a sphere that the largest of them has about it,
 * of each, in sum. */
static double radius_of(const lbm3d_scene *scene)
{
  double sum = 0.0;
  for (size_t i = 0; i < scene->shape_count; i++) {
    const lbm3d_shape *shape = &scene->shapes[i];
    double most = shape->radius;
    for (int a = 0; a < 3 && shape->is_box; a++)
      most = fmax(most, 0.5 * (shape->to[a] - shape->at[a]));
    sum += most;
  }
  for (int a = 0; a < 3 && scene->stl.count > 0; a++)
    sum = fmax(sum, 0.5 * width_along(scene, a, 1));
  return sum;
}

/* Stokes's drag of that sphere, or that of a fast flow past it. */
static double speed_past(const lbm3d_scene *scene, double acceleration, double viscosity)
{
  const double volume = (double)scene->n[0] * scene->n[1] * scene->n[2], radius = radius_of(scene);
  const double pi = 3.14159265358979323846;
  if (radius == 0.0) return INFINITY;
  return fmin(acceleration * volume / (6.0 * pi * viscosity * radius),
              sqrt(2.0 * acceleration * volume / (pi * radius * radius)));
}

static trm_status check_force(lbm3d_solver *flow, const trm_config *config, int axis, double force)
{
  static const char *const names[] = { "body_force along x", "body_force along y",
                                       "body_force along z" };
  const char *name = names[axis];
  const lbm3d_scene *scene = &flow->scene;
  const int is_lumen = scene->stl.count > 0 &&
                       strcmp(trm_config_string(config, "lbm.fluid"), "inside") == 0;
  const double acceleration = fabs(force) / scene->density;
  const double steps = lbm_steps_of(config, flow->units.cell > 0.0 ? flow->units.step : 1.0);
  const double across[] = { width_along(scene, (axis + 1) % 3, is_lumen),
                            width_along(scene, (axis + 2) % 3, is_lumen) };
  const int is_held = scene->solid != NULL;
  if (!is_lumen && is_closed(scene, axis))
    return lbm_check_standing(config, name, force, acceleration, scene->n[axis]);
  lbm_reach reach = lbm_reach_of(acceleration, flow->viscosity, across, steps);
  if (is_held && !is_lumen) {
    const double past = fmin(speed_past(scene, acceleration, flow->viscosity),
                             acceleration * steps);
    reach.laminar = fmin(reach.laminar, past);
    reach.least = fmin(reach.least, past);
  }
  if (has_ends(scene, axis))   /* a fall along the box */
    reach.least = reach.laminar = fmin(reach.laminar, sqrt(2.0 * acceleration * scene->n[axis]));
  const double mach = reach.laminar * sqrt(3.0);
  if (!isfinite(mach)) return TRM_OK; /* no end of the run is known */
  flow->fastest = fmax(flow->fastest, reach.least);
  if (mach <= LBM3D_MACH) return TRM_OK;
  if (reach.least * sqrt(3.0) > LBM3D_MACH && !is_held && !has_ends(scene, axis) &&
      flow->p.eddy == 0.0)
    return lbm_refuse_force(config, name, force, mach);
  lbm3d_caution(flow, LBM_FORCE_CAUTION, name, force, mach, LBM3D_MACH,
                lbm_force_cure(force, mach));
  return TRM_OK;
}

/* ---- pressures ---------------------------------------------------------------------- */

static void centre_of(const trm_stl *stl, size_t patch, double centre[3])
{
  size_t count = 0;
  memset(centre, 0, 3 * sizeof *centre);
  for (size_t i = 0; i < 3 * stl->count; i++) {
    if (stl->patch[i / 3] != patch) continue;
    for (int a = 0; a < 3; a++) centre[a] += stl->corners[3 * i + (size_t)a];
    count++;
  }
  for (int a = 0; a < 3; a++) centre[a] /= (double)count;
}

/* Between two openings, along a tube as wide as the narrowest passage and no longer than the way:
 * Poiseuille's, or Bernoulli's where friction does not hold it. */
static double speed_between(const lbm3d_solver *flow, size_t one, size_t other)
{
  const lbm3d_scene *scene = &flow->scene;
  double from[3], to[3], way = 0.0;
  const double differs = fabs(scene->openings[one].density - scene->openings[other].density);
  const int level = flow->levels && flow->levels->wall > 0.0 ? flow->levels->finest : 0;
  const double push = differs / (3.0 * scene->density), across = ldexp(scene->across, -level);
  centre_of(&scene->stl, one, from);
  centre_of(&scene->stl, other, to);
  for (int a = 0; a < 3; a++) way += (to[a] - from[a]) * (to[a] - from[a]);
  const double bernoulli = sqrt(2.0 * push);
  if (across <= 0.0 || way == 0.0) return bernoulli;
  return fmin(bernoulli, push * across * across / (16.0 * flow->viscosity * sqrt(way)));
}

static void check_pressures(lbm3d_solver *flow)
{
  const lbm3d_scene *scene = &flow->scene;
  double most = 0.0, differs = 0.0;
  for (size_t i = 0; i < scene->stl.patch_count; i++)
    for (size_t j = 0; j < i; j++) {
      if (scene->openings[i].kind != SIDE_OUTFLOW || scene->openings[j].kind != SIDE_OUTFLOW)
        continue;
      const double speed = speed_between(flow, i, j);
      if (speed <= most) continue;
      most = speed;
      differs = fabs(scene->openings[i].density - scene->openings[j].density);
    }
  flow->fastest = fmax(flow->fastest, most);
  if (most * sqrt(3.0) <= LBM3D_MACH) return;
  lbm3d_caution(flow, "a difference of %g between the densities of openings may drive the flow to "
                "Mach %.3g, and the method holds up to Mach %g: if it does, make the difference "
                "%.3g or less%s", differs, most * sqrt(3.0), LBM3D_MACH,
                lbm_round_down(fmax(differs * lbm_fastest() / most * 0.98,
                                    0.5 * LBM3D_MACH * LBM3D_MACH)),
                flow->units.cell > 0.0 ? " (by a smaller lbm.reference_speed)" : "");
}

/* In an opening of given density, the viscous stress is of the step before. With trt, mrt and
 * d3q27, a duct's outflow diverged from 0.18 on; at 0.17 it did not. */
static void check_openings(lbm3d_solver *flow)
{
  static const double most = 0.17;
  double viscosity = flow->scene.is_own ? flow->viscosity : 0.0;
  if (flow->levels) viscosity = ldexp(viscosity, flow->levels->finest);
  if (viscosity <= most) return;
  lbm3d_caution(flow, "with an opening of a given density a flow was seen to diverge at a "
                "viscosity "
                "above %g on the lattice%s, and it is %.3g; make the viscosity and the speeds %.3g "
                "times smaller, for as many more steps", most,
                flow->levels && flow->levels->finest > 0 ? " of the finest level" : "", viscosity,
                lbm_round_up(viscosity / most));
}

/* ---- all of it ------------------------------------------------------------------------ */

/* Checks that units.speed is a speed of this flow. */
static void check_units(lbm3d_solver *flow, double fastest)
{
  const double ratio = fastest / flow->reference_speed;
  if (flow->units.cell == 0.0 || fastest == 0.0 || (ratio < 4.0 && ratio > 0.25)) return;
  lbm3d_caution(flow, "the fastest side is %.3g m/s, since lbm.reference_speed = %g stands for "
                "units.speed = %g m/s: if that is not meant, make the velocities of sides %.3g "
                "times as large", fastest * flow->units.speed, flow->reference_speed,
                flow->reference_speed * flow->units.speed, 1.0 / ratio);
}

trm_status lbm3d_check_drive(lbm3d_solver *flow, const trm_config *config)
{
  const double forces[] = { flow->p.force_x, flow->p.force_y, flow->p.force_z };
  for (int i = 0; i < LBM3D_SIDES; i++)
    flow->fastest = fmax(flow->fastest, flow->scene.sides[i].fastest);
  check_units(flow, flow->fastest);
  check_pressures(flow);
  check_openings(flow);
  lbm3d_means_caution(flow, config);
  for (int axis = 0; axis < 3; axis++)
    if (forces[axis] != 0.0) TRM_TRY(check_force(flow, config, axis, forces[axis]));
  return TRM_OK;
}
