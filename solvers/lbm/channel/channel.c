/* channel.c - flows between boundaries: what a case says, what a run builds, its life. */
#include "solvers/lbm/channel/channel.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "solvers/lbm/channel/channel_options.h"

extern const char trm_text_cylinder[], trm_text_channel[];
TRM_DECLARE_MODULES(cylinder);
TRM_DECLARE_MODULES(channel);
TRM_DECLARE_VARIANT(channel, regularised);
static const trm_host_module *const cylinder_modules[] = { TRM_MODULES(cylinder), NULL };
static const trm_host_module *const channel_modules[] = {
  TRM_MODULES(channel), TRM_VARIANT_MODULES(channel, regularised), NULL
};
static const trm_program_source cylinder_source = {
  "cylinder", "solvers/lbm/channel/cylinder.k", trm_text_cylinder, cylinder_modules
};
static const trm_program_source channel_source = {
  "channel", "solvers/lbm/channel/channel.k", trm_text_channel, channel_modules
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

/* Each flow has variants of its own; all have "best". */
static trm_status check_variant(const trm_config *config, int is_driven, int is_channel)
{
  const char *variant = trm_config_string(config, "lbm.variant");
  const int is_rung = strncmp(variant, "bristol-", 8) == 0, is_best = strcmp(variant, "best") == 0;
  if (is_best || (is_driven && is_rung) || (!is_driven && !is_channel && !is_rung)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: lbm.variant = \"%s\" belongs to lbm.flow = \"%s\", and this case has "
                  "lbm.flow = \"%s\", whose variants are best%s",
                  trm_config_origin(config, "lbm.variant"), variant, is_rung ? "driven" : "geneva",
                  trm_config_string(config, "lbm.flow"),
                  is_driven ? " and those that begin with bristol-"
                            : is_channel ? "" : " (which is fused), fused and split");
}

/* A key that this flow does not look at is no way to change it. */
trm_status lbm_check_keys(const trm_config *config)
{
  static const char *const driven[] = { "lbm.density", "lbm.accel" };
  const char *flow = trm_config_string(config, "lbm.flow");
  const int is_driven = strcmp(flow, "driven") == 0, is_channel = strcmp(flow, "channel") == 0;
  const char *const both = "\"channel\" or \"geneva\"";
  for (size_t i = 0; is_driven && i < sizeof both_keys / sizeof both_keys[0]; i++)
    TRM_TRY(refuse(config, both_keys[i].key, both));
  for (size_t i = 0; !is_channel && i < sizeof only_keys / sizeof only_keys[0]; i++)
    TRM_TRY(refuse(config, only_keys[i].key, "\"channel\""));
  for (size_t i = 0; !is_driven && i < sizeof driven / sizeof driven[0]; i++)
    TRM_TRY(refuse(config, driven[i], "\"driven\""));
  return check_variant(config, is_driven, is_channel);
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
                           trm_precision precision)
{
  if (precision == TRM_F64 || (float)omega < 2.0f) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s gives omega = %.10g, which is 2 in single precision, a fluid "
                  "without viscosity; give it more, or set run.precision to f64",
                  trm_config_origin(config, key), key, omega);
}

/* Viscosity from the Reynolds number, itself or omega; what is given besides must agree. */
static trm_status read_fluid(channel_solver *flow, const trm_config *config)
{
  const double reynolds = trm_config_real(config, "lbm.reynolds");
  const double viscosity = trm_config_real(config, "lbm.viscosity");
  const double omega = trm_config_real(config, "lbm.omega");
  flow->reynolds_dim = trm_config_real(config, "lbm.reynolds_dim");
  if (reynolds > 0.0) {
    if (flow->reference_speed == 0.0)
      return TRM_FAIL(INPUT, "%s: lbm.reynolds needs a speed: set lbm.reference_speed",
                      trm_config_origin(config, "lbm.reynolds"));
    flow->viscosity = flow->reference_speed * flow->reynolds_dim / reynolds;
    if (viscosity > 0.0)
      TRM_TRY(contradict(config, "lbm.viscosity", viscosity, flow->viscosity, "lbm.reynolds"));
  } else {
    flow->viscosity = viscosity;
  }
  if (flow->viscosity > 0.0) {
    flow->omega = 1.0 / (3.0 * flow->viscosity + 0.5);
    if (trm_config_is_given(config, "lbm.omega"))
      TRM_TRY(contradict(config, "lbm.omega", omega, flow->omega,
                         reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity"));
  } else {
    flow->omega = omega;
    flow->viscosity = (1.0 / omega - 0.5) / 3.0;
  }
  if (!(flow->omega > 0.0 && flow->omega < 2.0))
    return TRM_FAIL(INPUT, "%s: the viscosity %g gives omega = %g; it must lie between 0 and 2: "
                    "make the Reynolds number smaller, or the speed larger",
                    trm_config_origin(config, reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity"),
                    flow->viscosity, flow->omega);
  return lbm_check_omega(config, reynolds > 0.0 ? "lbm.reynolds"
                         : viscosity > 0.0 ? "lbm.viscosity" : "lbm.omega", flow->omega,
                         flow->precision);
}

static void read_collision(channel_solver *flow, const trm_config *config)
{
  const char *collision = trm_config_string(config, "lbm.collision");
  const double magic = trm_config_real(config, "lbm.magic");
  flow->omega_minus = flow->omega;
  if (strcmp(collision, "trt") == 0)
    flow->omega_minus = 1.0 / (magic / (1.0 / flow->omega - 0.5) + 0.5);
  flow->is_regularised = strcmp(collision, "regularised") == 0;
  flow->force_x = trm_config_real(config, "lbm.force_x");
  flow->force_y = trm_config_real(config, "lbm.force_y");
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
  flow->has_forces = scene->solid_count > 0;
  flow->fluid_cells = (size_t)flow->nx * (size_t)flow->ny - scene->solid_count;
  flow->open_x = scene->west != SIDE_PERIODIC;
  flow->open_y = scene->south != SIDE_PERIODIC;
  flow->statistics_from = (uint64_t)trm_config_integer(config, "lbm.statistics_from");
  flow->series_used = 3 * scene->probe_count + (flow->has_forces ? 2 : 0);
  TRM_TRY(read_fluid(flow, config));
  read_collision(flow, config);
  return channel_check_outflow(config, scene, flow->viscosity);
}

/* ---- parameters ------------------------------------------------------------------- */

#define PACK(to, type) \
  do { \
    (to).plus = (type)flow->omega; \
    (to).minus = (type)flow->omega_minus; \
    (to).force_x = (type)flow->force_x; \
    (to).force_y = (type)flow->force_y; \
    (to).first = (int)flow->layout.first; \
    (to).row = (int)flow->layout.row; \
    (to).component = (int)flow->layout.component; \
    (to).flags_first = (int)flow->flags_layout.first; \
    (to).flags_row = (int)flow->flags_layout.row; \
    (to).walls_first = (int)flow->walls_layout.first; \
    (to).walls_row = (int)flow->walls_layout.row; \
    (to).marks_first = (int)flow->marks_layout.first; \
    (to).marks_row = (int)flow->marks_layout.row; \
    (to).ranks = (int)flow->marks_layout.component; \
    (to).marks = flow->marks; \
    (to).part = moment.slot * 2 * flow->marks; \
    (to).moment = moment.moment; \
    (to).at = moment.at; \
    (to).count = moment.count; \
    (to).start = moment.start; \
    (to).has_forces = flow->has_forces; \
    (to).open_x = flow->open_x; \
    (to).open_y = flow->open_y; \
  } while (0)

void channel_pack(const channel_solver *flow, channel_moment moment, channel_packed *out,
                  size_t *bytes)
{
  memset(out, 0, sizeof *out);
  if (flow->precision == TRM_F64) {
    PACK(out->f64, double);
    *bytes = sizeof out->f64;
  } else {
    PACK(out->f32, float);
    *bytes = sizeof out->f32;
  }
}

/* ---- life ------------------------------------------------------------------------- */

const char *channel_step_name(const channel_solver *flow)
{
  if (flow->is_geneva) return "cylinder_step";
  return flow->force_x != 0.0 || flow->force_y != 0.0 ? "channel_forced_step" : "channel_step";
}

static trm_status build(channel_solver *flow, const trm_solver_options *run)
{
  static const char *const eight[] = { "streaming_step", "outflow", "macroscopic", "inflow",
                                       "equilibrium", "update_fin", "collision", "bounce_back" };
  const trm_program_options how = { run->precision, run->math,
                                    flow->is_regularised ? "regularised" : NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  const int is_geneva = flow->is_geneva;
  TRM_TRY(trm_program_create(flow->base.device, is_geneva ? &cylinder_source : &channel_source,
                             &how, &flow->program));
  trm_program *program = flow->program;
  TRM_TRY(trm_program_kernel(program, channel_step_name(flow), &flow->step));
  TRM_TRY(trm_program_kernel(program, is_geneva ? "cylinder_observe" : "channel_observe",
                             &flow->observe));
  for (int i = 0; i < 8 && flow->is_split; i++)
    TRM_TRY(trm_program_kernel(program, eight[i], &flow->split[i]));
  if (flow->is_split) TRM_TRY(trm_program_kernel(program, "cylinder_record", &flow->record));
  TRM_TRY(trm_program_kernel(program, "channel_vorticity", &flow->vorticity));
  TRM_TRY(trm_program_kernel(program, "channel_collect", &flow->collect));
  return trm_program_kernel(program, "channel_shed", &flow->shed);
}

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  channel_solver *flow = (channel_solver *)*solver;
  trm_buffer **const buffers[] = { &flow->statistics, &flow->values, &flow->window, &flow->part,
                                   &flow->inlet, &flow->links, &flow->notes, &flow->marked,
                                   &flow->walls, &flow->flags, &flow->macro, &flow->feq,
                                   &flow->lattice[1], &flow->lattice[0] };
  for (int i = 0; i < CHANNEL_SEQUENCES; i++) trm_sequence_destroy(&flow->sequences[i]);
  trm_reduction_destroy(&flow->fold);
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) trm_buffer_destroy(buffers[i]);
  trm_program_destroy(&flow->program);
  free(flow);
  *solver = NULL;
}

static trm_status set_state(channel_solver *flow, const channel_scene *scene,
                            const trm_config *config)
{
  double *values = calloc((size_t)flow->nx * (size_t)flow->ny, LBM_POPULATIONS * sizeof *values);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  trm_status status = channel_start(flow, scene, config, values);
  if (status == TRM_OK) status = channel_set_state(flow, values);
  free(values);
  return status;
}

/* Sizes that no layout and no kernel could count are refused before anything is allocated. */
static trm_status read_size(channel_solver *flow, const trm_config *config)
{
  const int64_t nx = trm_config_integer(config, "grid.nx");
  const int64_t ny = trm_config_integer(config, "grid.ny");
  if (nx * ny > INT_MAX)
    return TRM_FAIL(INPUT, "%s: a grid of %lld x %lld cells is too large: at most 2^31 cells",
                    trm_config_origin(config, "grid.nx"), (long long)nx, (long long)ny);
  flow->nx = (int)nx;
  flow->ny = (int)ny;
  return TRM_OK;
}

static trm_status set_up(channel_solver *flow, const trm_config *config,
                         const trm_solver_options *run)
{
  channel_scene scene = { .nx = flow->nx, .ny = flow->ny, .is_geneva = flow->is_geneva };
  channel_marks marks = { 0 };
  trm_status status = channel_scene_create(config, &scene);
  if (status == TRM_OK) status = read_case(flow, config, &scene);
  if (status == TRM_OK) status = channel_marks_create(&scene, &marks);
  if (status == TRM_OK) status = channel_size_up(flow, config, &marks);
  if (status == TRM_OK) status = channel_allocate(flow, &scene, &marks);
  if (status == TRM_OK) status = build(flow, run);
  if (status == TRM_OK) status = set_state(flow, &scene, config);
  if (status == TRM_OK) channel_declare(flow, &scene);
  channel_marks_free(&marks);
  channel_scene_free(&scene);
  return status;
}

static const trm_solver_type channel_type;

trm_status channel_create(trm_device *device, const trm_config *config,
                          const trm_solver_options *run, trm_solver **out)
{
  channel_solver *flow = calloc(1, sizeof *flow);
  if (!flow) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &flow->base;
  solver->type = &channel_type;
  solver->device = device;
  flow->precision = run->precision;
  flow->is_geneva = strcmp(trm_config_string(config, "lbm.flow"), "geneva") == 0;
  flow->is_split = strcmp(trm_config_string(config, "lbm.variant"), "split") == 0;
  trm_status status = read_size(flow, config);
  if (status == TRM_OK) status = set_up(flow, config, run);
  if (status != TRM_OK) {
    destroy(&solver);
    return status;
  }
  *out = solver;
  return TRM_OK;
}

/* What lbm.c's table hands on to. */
static const trm_solver_type channel_type = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "lbm",
  .advance = channel_advance,
  .observe = channel_observe,
  .finish = channel_finish,
  .destroy = destroy,
};
