/* channel.c - flows between boundaries: what a case says, what a run builds, its life. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/lbm/channel/channel_options.h"

TRM_FRAMEWORK_SOURCE(cylinder, "solvers/lbm/channel/cylinder.k");
extern const char trm_text_channel[];
TRM_DECLARE_MODULES(channel);
static const trm_program_source channel_source = {
  "channel", "solvers/lbm/channel/channel.k", trm_text_channel, TRM_MODULES(channel)
};

/* ---- keys ---------------------------------------------------------------------- */

static const trm_option both_keys[] = { CHANNEL_BOTH_KEYS }, only_keys[] = { CHANNEL_ONLY_KEYS };

static trm_status refuse(const trm_config *config, const char *key, const char *needed)
{
  if (!trm_config_is_given(config, key)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s belongs to lbm.flow = %s, and this case has lbm.flow = \"%s\"; "
                  "leave it out", trm_config_origin(config, key), key, needed,
                  trm_config_string(config, "lbm.flow"));
}

/* Each flow has implementations of its own; all have "best". */
static trm_status check_implementation(const trm_config *config, int is_driven, int is_channel)
{
  const char *name = trm_config_string(config, "lbm.implementation");
  const int is_ladder = strncmp(name, "bristol-", 8) == 0, is_best = strcmp(name, "best") == 0;
  if (is_best || (is_driven && is_ladder) || (!is_driven && !is_channel && !is_ladder))
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: lbm.implementation = \"%s\" belongs to lbm.flow = \"%s\", and this "
                         "case has lbm.flow = \"%s\", whose implementations are best%s",
                  trm_config_origin(config, "lbm.implementation"), name,
                  is_ladder ? "driven" : "geneva",
                  trm_config_string(config, "lbm.flow"),
                  is_driven ? " and all names that begin with bristol-"
                            : is_channel ? "" : " (which is fused), fused and split");
}

/* A key that this flow does not look at is no way to change it. */
trm_status lbm_check_keys(const trm_config *config)
{
  static const char *const geneva[] = { "lbm.moments", "lbm.velocities", "lbm.items" };
  static const char *const driven[] = { "lbm.density", "lbm.accel", "lbm.transfer", "lbm.split",
                                        "lbm.back", "lbm.layout", "lbm.walls", "lbm.sum",
                                        "lbm.fold" };
  const char *flow = trm_config_string(config, "lbm.flow");
  const int is_driven = strcmp(flow, "driven") == 0, is_channel = strcmp(flow, "channel") == 0;
  const char *const both = "\"channel\" or \"geneva\"";
  for (size_t i = 0; is_driven && i < sizeof both_keys / sizeof both_keys[0]; i++)
    TRM_TRY(refuse(config, both_keys[i].key, both));
  for (size_t i = 0; !is_channel && i < sizeof only_keys / sizeof only_keys[0]; i++)
    TRM_TRY(refuse(config, only_keys[i].key, "\"channel\""));
  for (size_t i = 0; (is_driven || is_channel) && i < sizeof geneva / sizeof geneva[0]; i++)
    TRM_TRY(refuse(config, geneva[i], "\"geneva\""));
  for (size_t i = 0; !is_driven && i < sizeof driven / sizeof driven[0]; i++)
    TRM_TRY(refuse(config, driven[i], "\"driven\""));
  return check_implementation(config, is_driven, is_channel);
}

/* ---- the fluid ------------------------------------------------------------------ */

static trm_status contradict(const trm_config *config, const char *key, double value,
                             double implied, const char *by)
{
  if (fabs(value - implied) <= 1e-6 * fabs(implied)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s = %g contradicts %s, from which %s = %.9g follows; give one of "
                  "them", trm_config_origin(config, key), key, value, by, key, implied);
}

trm_status lbm_check_omega(const trm_config *config, const char *key, double omega,
                           trm_type real_type)
{
  if (real_type == TRM_TYPE_F64 || (float)omega < 2.0f) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s gives omega = %.10g, which is 2 in single precision, a fluid "
                  "without viscosity; give it more, or set run.precision to f64",
                  trm_config_origin(config, key), key, omega);
}

/* Viscosity from the Reynolds number, itself or omega; what is given besides must agree. */
static trm_status read_fluid(channel_solver *flow, const trm_config *config)
{
  const double reynolds = trm_config_real(config, "lbm.reynolds");
  const double given = trm_config_real(config, "lbm.viscosity"), meant = flow->units.viscosity;
  const double viscosity = meant > 0.0 ? meant : given;
  const double omega = flow->box.omega; /* as the key has it */
  if (meant > 0.0 && given > 0.0)
    TRM_TRY(contradict(config, "lbm.viscosity", given, meant, "units.viscosity"));
  if (reynolds > 0.0) {
    if (flow->reference_speed == 0.0)
      return TRM_FAIL(INPUT, "%s: lbm.reynolds needs a speed: set lbm.reference_speed",
                      trm_config_origin(config, "lbm.reynolds"));
    flow->viscosity = flow->reference_speed * flow->box.reynolds_dim / reynolds;
    if (viscosity > 0.0)
      TRM_TRY(contradict(config, meant > 0.0 ? "units.viscosity" : "lbm.viscosity", viscosity,
                         flow->viscosity, "lbm.reynolds"));
  } else {
    flow->viscosity = viscosity;
  }
  if (flow->viscosity > 0.0) {
    flow->box.omega = 1.0 / (3.0 * flow->viscosity + 0.5);
    if (trm_config_is_given(config, "lbm.omega"))
      TRM_TRY(contradict(config, "lbm.omega", omega, flow->box.omega,
                         reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity"));
  } else {
    flow->viscosity = (1.0 / omega - 0.5) / 3.0;
  }
  if (!(flow->box.omega > 0.0 && flow->box.omega < 2.0))
    return TRM_FAIL(INPUT, "%s: the viscosity %g gives omega = %g; it must lie between 0 and 2: "
                    "make the Reynolds number smaller, or the speed larger",
                    trm_config_origin(config, reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity"),
                    flow->viscosity, flow->box.omega);
  return lbm_check_omega(config, reynolds > 0.0 ? "lbm.reynolds"
                         : viscosity > 0.0 ? "lbm.viscosity" : "lbm.omega", flow->box.omega,
                         flow->box.real_type);
}

/* Refuses keys for which this flow has no use. */
static trm_status check_asked(const channel_solver *flow, const trm_config *config,
                              const channel_scene *scene)
{
  static const char *const of_obstacles[] = { "lbm.length", "lbm.statistics_from" };
  static const trm_option_need needs[] = {
    { "lbm.magic", "lbm.collision", "trt" }, { "lbm.bounce_back", "bodies.shapes", NULL },
    { "lbm.inflow", "boundary.west", "inflow" }, { "lbm.perturbation", "boundary.west", "inflow"
                                                   } };
  for (size_t i = 0; i < sizeof of_obstacles / sizeof *of_obstacles; i++)
    if (scene->solid_count == 0 && trm_config_is_asked(config, of_obstacles[i]))
      return TRM_FAIL(INPUT, "%s: %s needs obstacles, whose forces it is for; set "
                      "bodies.shapes, lbm.mask or lbm.obstacles, or leave it out",
                      trm_config_origin(config, of_obstacles[i]), of_obstacles[i]);
  if (!flow->is_geneva && scene->west != SIDE_INFLOW && flow->units.cell == 0 &&
      trm_config_is_asked(config, "lbm.speed"))
    return TRM_FAIL(INPUT, "%s: lbm.speed is the speed of an inflow, or units.speed in lattice "
                    "units, and this case has neither; set boundary.west = \"inflow\" or units, or "
                    "leave it out",
                    trm_config_origin(config, "lbm.speed"));
  return trm_config_check_asked(config, needs, sizeof needs / sizeof *needs);
}

static trm_status read_force(channel_solver *flow, const trm_config *config)
{
  double force[3];
  TRM_TRY(trm_config_three(config, "body_force", force));
  if (force[2] != 0.0)
    return TRM_FAIL(INPUT, "%s: body_force = '%s' has a part along z, and this flow has two "
                    "dimensions; make it 0", trm_config_origin(config, "body_force"),
                    trm_config_string(config, "body_force"));
  flow->p.force_x = force[0];
  flow->p.force_y = force[1];
  return TRM_OK;
}

static void read_collision(channel_solver *flow, const trm_config *config)
{
  const char *collision = trm_config_string(config, "lbm.collision");
  const double magic = trm_config_real(config, "lbm.magic");
  flow->p.plus = flow->p.minus = flow->box.omega;
  if (strcmp(collision, "trt") == 0)
    flow->p.minus = 1.0 / (magic / (1.0 / flow->box.omega - 0.5) + 0.5);
  flow->is_regularised = strcmp(collision, "regularised") == 0;
}

static trm_status read_case(channel_solver *flow, const trm_config *config,
                            const channel_scene *scene)
{
  const double reference = trm_config_real(config, "lbm.reference_speed");
  const double length = trm_config_real(config, "lbm.length");
  const int has_inflow = flow->is_geneva || scene->west == SIDE_INFLOW;
  flow->reference_speed = reference > 0.0 ? reference
                          : has_inflow ? fabs(channel_mean_inflow(scene)) : fabs(scene->wall_speed);
  flow->length = length > 0.0 ? length : scene->length;
  flow->p.has_forces = scene->solid_count > 0;
  flow->box.fluid_cells = (size_t)flow->box.nx * (size_t)flow->box.ny - scene->solid_count;
  flow->p.open_x = scene->west != SIDE_PERIODIC;
  flow->p.open_y = scene->south != SIDE_PERIODIC;
  flow->statistics_from = (uint64_t)trm_config_integer(config, "lbm.statistics_from");
  flow->series_used = 3 * scene->probe_count + (flow->p.has_forces ? 2 : 0);
  TRM_TRY(lbm_units_read(config, fmax(fabs(scene->speed), fabs(scene->wall_speed)), "lbm.speed",
                         "lbm.speed, or lbm.wall_speed,", &flow->units));
  if (flow->units.cell > 0) flow->box.step_time = flow->units.step;
  TRM_TRY(read_fluid(flow, config));
  TRM_TRY(check_asked(flow, config, scene));
  read_collision(flow, config);
  TRM_TRY(read_force(flow, config));
  return channel_check_outflow(config, scene, flow->viscosity);
}

/* ---- what the method can bear ------------------------------------------------------- */

static void say_caution(channel_solver *flow, const char *format, ...)
  __attribute__((format(printf, 2, 3)));

static void say_caution(channel_solver *flow, const char *format, ...)
{
  const size_t used = strlen(flow->caution), left = sizeof flow->caution - used;
  va_list list;
  va_start(list, format);
  (void)snprintf(flow->caution + used, left, "%s", used ? "; also, " : "");
  (void)vsnprintf(flow->caution + strlen(flow->caution),
                  sizeof flow->caution - strlen(flow->caution), format, list);
  va_end(list);
  flow->box.base.caution = flow->caution;
}

static trm_status check_fluid(const channel_solver *flow, const trm_config *config)
{
  const double magic = trm_config_real(config, "lbm.magic");
  const char *key = trm_config_real(config, "lbm.reynolds") > 0.0 ? "lbm.reynolds"
                    : flow->units.cell > 0.0 ? "units.viscosity"
                    : trm_config_real(config, "lbm.viscosity") > 0.0 ? "lbm.viscosity"
                    : "lbm.omega";
  TRM_TRY(lbm_check_reference(config, flow->reference_speed));
  TRM_TRY(lbm_check_viscosity(config, key, flow->viscosity, flow->box.real_type == TRM_TYPE_F32));
  if (strcmp(trm_config_string(config, "lbm.collision"), "trt") != 0 ||
      (magic >= LBM_LEAST_MAGIC && magic <= LBM_MOST_MAGIC))
    return TRM_OK;
  return lbm_refuse_magic(config, magic);
}

/* How far walls along an axis's flow are apart; x: across the axis y. */
static double width_across(const channel_scene *scene, int is_x)
{
  const double nx = scene->nx, ny = scene->ny;
  if (is_x) return scene->south == SIDE_PERIODIC ? (double)INFINITY : ny;
  if (scene->west == SIDE_PERIODIC) return (double)INFINITY;
  return scene->west == SIDE_WALL && scene->east == SIDE_WALL ? nx : 2.0 * nx;
}

static int is_closed_along(const channel_scene *scene, int is_x)
{
  return is_x ? scene->west == SIDE_WALL && scene->east == SIDE_WALL
              : scene->south != SIDE_PERIODIC;
}

/* The speed where obstacles alone hold the fluid: by a row of cylinders of their height (Hasimoto
 * 1959, a mean distance of many radii). In a fast flow it follows from their drag. */
static double speed_past(const channel_solver *flow, const channel_scene *scene,
                         double acceleration)
{
  const double area = (double)scene->nx * scene->ny, pi = 3.14159265358979323846;
  return fmin(acceleration * area / (4.0 * pi * flow->viscosity),
              sqrt(2.0 * acceleration * area / fmax(scene->length, 1.0)));
}

static trm_status check_force(channel_solver *flow, const trm_config *config,
                              const channel_scene *scene, int is_x, double force)
{
  const char *name = is_x ? "body_force along x" : "body_force along y";
  const int n = is_x ? scene->nx : scene->ny;
  const int has_ends = is_x && scene->west != SIDE_PERIODIC;
  const double acceleration = fabs(force) / scene->density;
  const double across[] = { width_across(scene, is_x), INFINITY };
  if (is_closed_along(scene, is_x)) return lbm_check_standing(config, name, force, acceleration, n);
  lbm_reach reach = lbm_reach_of(acceleration, flow->viscosity, across, flow->steps);
  const double past = scene->solid_count == 0 ? INFINITY
    : fmin(speed_past(flow, scene, acceleration), acceleration * flow->steps);
  reach.laminar = fmin(reach.laminar, past);
  reach.least = fmin(reach.least, past);
  if (has_ends) reach.laminar = fmin(reach.laminar, sqrt(2.0 * acceleration * n));
  const double mach = reach.laminar * sqrt(3.0);
  if (!isfinite(mach) || mach <= CHANNEL_MACH) return TRM_OK;
  if (reach.least * sqrt(3.0) > CHANNEL_MACH && scene->solid_count == 0 && !has_ends)
    return lbm_refuse_force(config, name, force, mach);
  say_caution(flow, LBM_FORCE_CAUTION, name, force, mach, CHANNEL_MACH,
              lbm_force_cure(force, mach));
  return TRM_OK;
}

/* A run's length is not the case's alone: no reason to refuse it. */
static void check_statistics(channel_solver *flow)
{
  if ((double)flow->statistics_from < flow->steps || flow->statistics_from == 0) return;
  say_caution(flow, "lbm.statistics_from = %g is not before the run's last step, %g: there will be "
              "no statistics; make it smaller, or the run longer", (double)flow->statistics_from,
              flow->steps);
}

static trm_status check_bounds(channel_solver *flow, const trm_config *config,
                               const channel_scene *scene)
{
  flow->steps = lbm_steps_of(config, flow->box.step_time);
  TRM_TRY(check_fluid(flow, config));
  if (flow->p.has_forces) check_statistics(flow);
  if (flow->p.force_x != 0.0) TRM_TRY(check_force(flow, config, scene, 1, flow->p.force_x));
  if (flow->p.force_y != 0.0) TRM_TRY(check_force(flow, config, scene, 0, flow->p.force_y));
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------------- */

const char *channel_step_name(const channel_solver *flow)
{
  if (flow->is_geneva) return "cylinder_step";
  return flow->p.force_x != 0.0 || flow->p.force_y != 0.0 ? "channel_forced_step" : "channel_step";
}

static trm_status build(channel_solver *flow, const trm_solver_options *run)
{
  const char *const geneva[] = { channel_step_name(flow), "cylinder_observe", "channel_vorticity",
    "channel_collect", "channel_shed", "cylinder_record", "streaming_step", "outflow",
    flow->macroscopic, "inflow", "equilibrium", "update_fin", "collision", "bounce_back", NULL };
  const char *const channel[] = { channel_step_name(flow), "channel_observe", "channel_vorticity",
                                  "channel_collect", "channel_shed", NULL };
  const trm_framework_recipe recipe = { flow->is_geneva ? &cylinder_source : &channel_source,
                                  flow->is_regularised ? "regularised" : NULL, "channel_params",
                                  sizeof(channel_params), flow->is_geneva ? geneva : channel };
  trm_device *device = flow->box.base.device;
  TRM_TRY(trm_framework_program_create(device, &recipe, run, &flow->box.program));
  if (!flow->is_across) return TRM_OK;
  return trm_framework_program_create_with(device, &recipe, "#define CYLINDER_ACROSS 1\n", run,
                                           &flow->across);
}

static void release(lbm_box *box)
{
  trm_framework_program_destroy(&((channel_solver *)box)->across);
}

static trm_status set_up_scene(channel_solver *flow, const trm_config *config,
                               const trm_solver_options *run, const channel_scene *scene)
{
  channel_marks marks = { 0 };
  trm_status status = read_case(flow, config, scene);
  flow->density = scene->density;
  if (status == TRM_OK) status = check_bounds(flow, config, scene);
  if (status == TRM_OK) status = channel_marks_create(flow->box.base.device, scene, &marks);
  if (status == TRM_OK) status = channel_size_up(flow, config, &marks);
  if (status == TRM_OK) status = channel_allocate(flow, scene, &marks);
  if (status == TRM_OK) status = build(flow, run);
  if (status == TRM_OK) status = channel_start(flow, scene, config);
  if (status == TRM_OK) channel_declare(flow, scene);
  if (status == TRM_OK) channel_begin_steps(flow);
  channel_marks_free(&marks);
  return status;
}

static trm_status set_up(lbm_box *box, const trm_config *config, const trm_solver_options *run)
{
  channel_solver *flow = (channel_solver *)box;
  flow->is_geneva = strcmp(trm_config_string(config, "lbm.flow"), "geneva") == 0;
  TRM_TRY(channel_study_read(flow, config));
  channel_scene scene = { .nx = box->nx, .ny = box->ny, .is_geneva = flow->is_geneva };
  trm_status status = channel_scene_create(config, &scene);
  if (status == TRM_OK) status = channel_start_density(config, &scene);
  if (status == TRM_OK) status = set_up_scene(flow, config, run, &scene);
  channel_scene_free(&scene);
  return status;
}

const lbm_flow lbm_channel = { sizeof(channel_solver), set_up, channel_steps, channel_observe,
                               channel_finish, NULL, release, channel_restore };
