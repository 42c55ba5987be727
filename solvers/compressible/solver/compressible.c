/* compressible.c - compressible flow: what a case is read to, what a run allocates.
 *
 * The methods and their units are in docs/compressible.md, the kernels in kernels/fv_*.k and the
 * headers that these include. */
#include "solvers/compressible/solver/fv.h"
#include "solvers/compressible/solver/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the case -------------------------------------------------------------- */

static trm_status read_grid(fv_solver *fv, const trm_config *config, trm_forest_shape *shape)
{
  static const char *const keys[] = { "grid.nx", "grid.ny", "grid.nz" };
  static const char *const corners[] = { "grid.x0", "grid.y0", "grid.z0" };
  const int is_flat = trm_config_integer(config, "grid.nz") == 1;
  *shape = (trm_forest_shape){ .shuffle = (uint64_t)trm_config_integer(config, "mesh.shuffle") };
  fv->block = 1;
  for (int a = 0; a < 3; a++) {
    const int side = is_flat ? (a == 2 ? 1 : FV_FLAT_SIDE) : FV_SOLID_SIDE;
    fv->n[a] = (int)trm_config_integer(config, keys[a]);
    fv->origin[a] = trm_config_real(config, corners[a]);
    shape->side[a] = side;
    shape->roots[a] = fv->n[a] / side;
    fv->block *= (size_t)side;
    if (fv->n[a] % side || fv->n[a] < side)
      return TRM_FAIL(INPUT, "%s: %s = %d is no multiple of %d; in %s dimensions a block has %d^%d "
                      "cells: take %d", trm_config_origin(config, keys[a]), keys[a], fv->n[a], side,
                      is_flat ? "two" : "three", side, is_flat ? 2 : 3,
                      (fv->n[a] / side + 1) * side);
  }
  fv->h = trm_config_real(config, "compressible.length_x") / fv->n[0];
  return TRM_OK;
}

/* The most that compressible.cfl may be. The stages' polynomial is stable to 2.59 on the negative
 * real axis. In gas at rest, by hllc, a checkerboard of the pressure loses twice its amplitude for
 * each axis and each cell that sound passes. By ausm+, a checkerboard of the velocity loses 15/4 /
 * (gamma a* / a) of it, where a* is the critical speed of sound, and friction takes a part of that
 * limit. Cells so small that both limit the step alike were seen to oscillate from 0.78 of it on.
 * ausm is stable beyond 1.25, at which the key ends. */
static double most_cfl(const char *flux, int is_flat, double gamma, int has_friction)
{
  const double left = has_friction ? 0.72 : 1.0;
  if (strcmp(flux, "hllc") == 0) return 2.59 / (is_flat ? 4.0 : 6.0);
  if (strcmp(flux, "ausm+") == 0) return left * 2.59 / 3.75 * gamma * sqrt(2.0 / (gamma + 1.0));
  return 1.25;
}

static trm_status read_cfl(const fv_solver *fv, const trm_config *config, double *cfl)
{
  const int is_flat = fv->n[2] == 1;
  const char *flux = trm_config_string(config, "compressible.flux");
  const int is_hllc = strcmp(flux, "hllc") == 0;
  const double most = most_cfl(flux, is_flat, trm_config_real(config, "compressible.gamma"),
                               trm_config_real(config, "compressible.viscosity") > 0.0);
  const double asked = trm_config_real(config, "compressible.cfl");
  const double usual = is_hllc ? (is_flat ? 0.6 : 0.4) : is_flat ? 0.8 : 0.6;
  if (asked > most)
    return TRM_FAIL(INPUT, "%s: compressible.cfl = %g is too much for %s, which with this gamma "
                    "in %s dimensions bears %.3f: the %s would swing from cell to cell ever more; "
                    "leave it out or take another flux",
                    trm_config_origin(config, "compressible.cfl"), asked, flux,
                    is_flat ? "two" : "three", most, is_hllc ? "pressure" : "velocity");
  *cfl = asked > 0.0 ? asked : fmin(usual, 0.93 * most);
  return TRM_OK;
}

/* How many cells the stream may pass in a step, the sum over the axes of |u| + a / 2. It is the
 * limit of the linear analysis of all three fluxes, at any speed and in any direction. The limit of
 * ausm is less where chi damps the pressure less. */
static double most_along_all_axes(const trm_config *config)
{
  const int is_ausm = strcmp(trm_config_string(config, "compressible.flux"), "ausm") == 0;
  return is_ausm ? 0.73 + 0.48 * trm_config_real(config, "compressible.chi") : 0.97;
}

/* The most that gamma / Pr viscosity dt / (density h^2) may be, by which heat spreads. */
#define MOST_CONDUCTED 0.5

static trm_status read_gas(fv_solver *fv, const trm_config *config)
{
  double cfl = 0.0;
  const double gamma = trm_config_real(config, "compressible.gamma");
  const double prandtl = trm_config_real(config, "compressible.prandtl");
  const double viscosity = trm_config_real(config, "compressible.viscosity");
  const double viscous = trm_config_real(config, "compressible.cfl_viscous");
  const double at = trm_config_real(config, "compressible.viscosity_at");
  TRM_TRY(read_cfl(fv, config, &cfl));
  fv->p = (fv_params){ .inv_gamma = 1.0 / gamma, .enthalpy = 1.0 / (gamma - 1.0),
                       .heat = gamma * (gamma - 1.0),
                       .critical = 2.0 * (gamma - 1.0) / (gamma + 1.0),
                       .chi = trm_config_real(config, "compressible.chi"),
                       .viscosity = viscosity,
                       .per_reference = at > 0.0 ? 1.0 / (gamma * at) : 0.0,
                       .sutherland = trm_config_real(config, "compressible.sutherland"),
                       .conduction = 1.0 / ((gamma - 1.0) * prandtl),
                       .inv_h = 1.0 / fv->h, .cfl = cfl,
                       .oblique = cfl / most_along_all_axes(config),
                       .diffusion = cfl / fmin(viscous, MOST_CONDUCTED * prandtl / gamma) *
                                    viscosity / (fv->h * fv->h),
                       .limit = FV_BATCH_LIMIT };
  return TRM_OK;
}

/* The same limits at sides with friction, and at isothermal sides for heat. On the parabola through
 * the wall's value more passes the wall's face than a face inside. In a corner all axes add: there
 * noise was seen to last from 0.46 of heat on in two dimensions, in three from 0.32 of heat and
 * 0.37 of friction on. */
#define MOST_AT_SIDES(is_flat) ((is_flat) ? 0.5 : 0.3)
#define MOST_HEAT_AT_SIDES(is_flat) ((is_flat) ? 0.4 : 0.28)

/* Walls that hold the gas fast reduce compressible.cfl_viscous. Friction in a small piece of a cell
 * grows faster with its velocity than in a whole one, and so does heat. */
static void heed_walls(fv_solver *fv, const trm_config *config)
{
  const double conducted = trm_config_real(config, "compressible.gamma") /
                           trm_config_real(config, "compressible.prandtl");
  const double most = fmin(trm_config_real(config, "compressible.cfl_viscous"),
                           MOST_CONDUCTED / conducted);
  const int is_flat = fv->n[2] == 1;
  double least = most;
  for (int i = 0; i < fv->bodies.count; i++)
    if (fv->bodies.body[i].wall != FV_WALL_SLIP)
      least = fmin(least, fmin(FV_MOST_AT_WALLS, FV_MOST_HEAT_AT_WALLS / conducted));
  for (int side = 0; side < 6; side++) {
    const fv_side *s = &fv->edges.side[side];
    if (fv_side_is_wall(fv, side)) least = fmin(least, MOST_AT_SIDES(is_flat));
    if (s->kind == FV_ISOTHERMAL || s->there == FV_ISOTHERMAL)
      least = fmin(least, MOST_HEAT_AT_SIDES(is_flat) / conducted);
  }
  fv->p.diffusion *= most / least;
}

/* The form of the kernels; refuses contradictions. */
static trm_status choose_form(fv_solver *fv, const trm_config *config)
{
  const int is_sutherland = fv->p.sutherland > 0.0;
  static const trm_option_need at = { "compressible.viscosity_at", "compressible.sutherland",
                                      NULL };
  static const trm_option_need asked[] = {
    { "compressible.prandtl", "compressible.viscosity", NULL },
    { "compressible.cfl_viscous", "compressible.viscosity", NULL },
    { "compressible.chi", "compressible.flux", "ausm" } };
  const char *slopes = trm_config_string(config, "compressible.slopes");
  const char *flux = trm_config_string(config, "compressible.flux");
  fv->p.form = (strcmp(slopes, "van-albada") == 0 ? FV_LIMITED : 0) |
               (is_sutherland ? FV_SUTHERLAND : 0) | (strcmp(flux, "ausm+") == 0 ? FV_BY_PLUS : 0) |
               (strcmp(flux, "hllc") == 0 ? FV_BY_HLLC : 0) | (fv->dual.is_on ? FV_IN_DUAL : 0);
  TRM_TRY(trm_config_check_needs(config, &at, 1));
  TRM_TRY(trm_config_check_asked(config, asked, sizeof asked / sizeof *asked));
  if (is_sutherland && !(fv->p.viscosity > 0.0))
    return TRM_FAIL(INPUT, "%s: compressible.sutherland says how compressible.viscosity grows with "
                    "the temperature, and that is %g; set it or leave compressible.sutherland out",
                    trm_config_origin(config, "compressible.sutherland"),
                    (double)fv->p.viscosity);
  if (is_sutherland && !(fv->p.per_reference > 0.0))
    return TRM_FAIL(INPUT, "%s: compressible.sutherland needs the temperature at which the "
                    "viscosity is compressible.viscosity; set compressible.viscosity_at, a "
                    "pressure by a density", trm_config_origin(config, "compressible.sutherland"));
  return TRM_OK;
}

static trm_status read_case(fv_solver *fv, const trm_config *config)
{
  trm_forest_shape shape;
  TRM_TRY(read_grid(fv, config, &shape));
  TRM_TRY(read_gas(fv, config));
  TRM_TRY(fv_read_dual(fv, config));
  TRM_TRY(choose_form(fv, config));
  TRM_TRY(fv_read_sides(fv, config));
  for (int a = 0; a < 3; a++) shape.is_periodic[a] = fv->p.kind[2 * a] == FV_PERIODIC;
  TRM_TRY(fv_read_bodies(&fv->bodies, config, fv_axes(fv), 1.0 / fv->p.inv_gamma));
  TRM_TRY(fv_choose_volumes(fv, config));
  double high[3];
  for (int a = 0; a < 3; a++) high[a] = fv->origin[a] + fv->h * fv->n[a];
  TRM_TRY(fv_open_ends(&fv->bodies, fv->origin, high, shape.is_periodic));
  if (fv->bodies.is_moving) fv->p.limit = 1; /* so many steps an advance takes then */
  heed_walls(fv, config);
  TRM_TRY(fv_read_sources(fv, config));
  fv_read_integrals(fv, config);
  TRM_TRY(fv_read_levels(fv, config, &shape));
  TRM_TRY(fv_read_diagnostics(fv, config));
  fv_read_implementation(fv, config);
  trm_status status = trm_forest_create(&shape, &fv->forest);
  if (status != TRM_OK) return fv_refuse_level_limit(fv, config, &shape, status);
  TRM_TRY(fv_order_shared(fv));
  fv_count_interfaces(fv);
  fv->blocks = fv->forest->blocks;
  if (fv->adapt.is_asked && fv->blocks.count > fv->adapt.most) {
    status = TRM_FAIL(INPUT, "%s: the grid has %zu blocks before any refinement for the flow, and "
                      "mesh.blocks = %zu; raise it",
                      trm_config_origin(config, "mesh.blocks"), fv->blocks.count, fv->adapt.most);
    return fv_refuse_level_limit(fv, config, &shape, status);
  }
  TRM_TRY(fv_check_dual(fv, config));
  TRM_TRY(fv_check_implementation(fv, config));
  TRM_TRY(fv_read_geometry(fv, config));
  TRM_TRY(fv_check_volumes(fv, config));
  TRM_TRY(fv_make_walls(fv, config));
  TRM_TRY(fv_make_grids(fv, config));
  for (int a = 0; a < 3; a++) {
    fv->base.origin[a] = fv->origin[a];
    fv->base.spacing[a] = fv->h / (1 << fv->finest);
  }
  fv->base.length_unit = "m";
  fv->base.time_unit = fv->dual.is_steady ? NULL : "s"; /* cycles are counted */
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------ */

/* What read_case makes. */
static void free_case(fv_solver *fv)
{
  trm_forest_destroy(&fv->forest);
  fv_cut_destroy(&fv->cut);
  fv_free_volumes(fv);
  fv_free_geometry(fv);
  fv_free_bodies(&fv->bodies);
  fv_free_edges(&fv->edges);
  free(fv->boxes);
  free(fv->held);
}

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  fv_solver *fv = (fv_solver *)*solver;
  trm_framework_stepper_clear(&fv->stepper);
  fv_free_grids(fv);
  trm_framework_release(fv->memory, fv->buffer_count);
  trm_buffer_destroy(&fv->walls.others);
  fv_free_programs(fv);
  fv_free_implementation(fv);
  free_case(fv);
  free(fv);
  *solver = NULL;
}

static trm_status observe(trm_solver *solver)
{
  fv_solver *fv = (fv_solver *)solver;
  TRM_TRY(fv_launch_ghosts(fv));
  TRM_TRY(fv_observe_walls(fv));
  TRM_TRY(fv_observe_steepness(fv));
  return FV_SHARE(fv, FV_OBSERVE, fv->p.blocks, FV_LEAVES_OF(1), fv->w[fv->current],
                  fv->w[!fv->current], fv->near);
}

/* Mass and energy of the state. */
static trm_status measure(fv_solver *fv, double *mass, double *energy)
{
  const double h = fv->h / (1 << fv->finest), cell = h * h * (fv->n[2] == 1 ? 1.0 : h);
  TRM_TRY(trm_field_sum(&fv->fields[0], NULL, mass));
  TRM_TRY(trm_field_sum(&fv->fields[2], NULL, energy));
  TRM_TRY(fv_sum_beyond_walls(fv, mass, energy));
  *mass *= cell;
  *energy *= cell;
  return TRM_OK;
}

static trm_status finish(trm_solver *solver, const double *series_last)
{
  fv_solver *fv = (fv_solver *)solver;
  double mass, energy;
  (void)series_last;
  TRM_TRY(measure(fv, &mass, &energy));
  fv->results[0].value = solver->time;
  fv->results[1].value = mass / fv->mass - 1.0;
  fv->results[2].value = energy / fv->energy - 1.0;
  fv_declare_levels(fv);
  fv_declare_cycles(fv);
  return TRM_OK;
}

/* Values, rates and the next step's length follow from the conserved state and the clock's time. */
static trm_status restore(trm_solver *solver, uint64_t step, double time)
{
  fv_solver *fv = (fv_solver *)solver;
  solver->step = step;
  solver->time = time;
  fv->current = 0;
  fv->end_time = NAN;
  fv_place_fields(fv);
  fv_place_walls(fv, time);
  TRM_TRY(fv_restore_counts(fv));
  return fv_launch_start(fv);
}

static trm_status reshape(trm_solver *solver)
{
  fv_solver *fv = (fv_solver *)solver;
  TRM_TRY(fv_reshape(solver));
  return fv->volumes ? fv_reshape_volumes(fv) : TRM_OK;
}

static trm_status set_up(fv_solver *fv, const trm_config *config, const trm_solver_options *run)
{
  TRM_TRY(read_case(fv, config));
  TRM_TRY(fv_check_shared(fv, config));
  TRM_TRY(fv_check_level_limit(fv, config));
  TRM_TRY(fv_allocate(fv));
  TRM_TRY(fv_share_out(fv));
  TRM_TRY(fv_build_volumes(fv, run));
  TRM_TRY(fv_fill(fv, config));
  TRM_TRY(fv_build_programs(fv, run));
  TRM_TRY(fv_build_implementation(fv, run));
  TRM_TRY(fv_build_geometry(fv, run));
  fv_share_grids(fv);
  fv_declare(fv);
  fv_begin_steps(fv);
  TRM_TRY(fv_launch_start(fv));
  TRM_TRY(fv_adapt_start(fv, config));
  TRM_TRY(fv_keep_counts(fv));
  TRM_TRY(measure(fv, &fv->mass, &fv->energy));
  fv_compare_sides(fv, config);
  return TRM_OK;
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  fv_solver *fv = calloc(1, sizeof *fv);
  if (!fv) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &fv->base;
  solver->type = &trm_solver_compressible;
  solver->device = device;
  fv->real_type = trm_real_type(run->precision);
  fv->end_time = NAN;
  const trm_status status = set_up(fv, config, run);
  if (status != TRM_OK) {
    destroy(&solver);
    return status;
  }
  *out = solver;
  return TRM_OK;
}

static trm_status memory(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, uint64_t *bytes)
{
  fv_solver fv = { .base.device = device, .real_type = trm_real_type(run->precision) };
  trm_status status = read_case(&fv, config);
  if (status == TRM_OK) {
    fv_list_buffers(&fv);
    status = trm_framework_bytes(fv.memory, fv.buffer_count, bytes);
    if (status == TRM_OK) status = fv_count_grids(&fv, bytes);
    if (status == TRM_OK) status = fv_count_geometry(&fv, bytes);
    if (status == TRM_OK) status = fv_count_volumes(&fv, bytes);
    if (status == TRM_OK) status = fv_check_level_limit(&fv, config);
  }
  fv_free_grids(&fv);
  free_case(&fv);
  return status;
}

const trm_solver_type trm_solver_compressible = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "compressible",
  .summary = "compressible flow: finite volumes of second order on blocks of cells",
  .update_name = "cell steps",
  .options = options,
  .option_count = sizeof options / sizeof options[0],
  .former_keys = former_keys, .former_key_count = sizeof former_keys / sizeof former_keys[0],
  .create = create,
  .advance = fv_advance,
  .account = fv_account,
  .observe = observe,
  .finish = finish,
  .destroy = destroy,
  .size_keys = "grid.nx,grid.ny",
  .memory = memory,
  .restore = restore,
  .reshape = reshape,
  .state_version = 1,
  .implementations = &fv_implementations,
};
