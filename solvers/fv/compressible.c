/* compressible.c - compressible flow: what a case may set, what a run allocates.
 *
 * The methods and their units are in docs/compressible.md, the kernels in fv.k and the headers that
 * it includes. */
#include "solvers/fv/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char trm_text_fv[];
TRM_DECLARE_MODULES(fv);
#define EACH_VARIANT(_) \
  _(flat) _(limited) _(flatlimited) _(plus) _(flatplus) _(limitedplus) _(flatlimitedplus) \
  _(hllc) _(flathllc) _(limitedhllc) _(flatlimitedhllc) \
  _(sutherland) _(flatsutherland) _(limitedsutherland) _(flatlimitedsutherland) \
  _(dual) _(flatdual)
#define DECLARE(variant) TRM_DECLARE_VARIANT(fv, variant);
#define LIST(variant) TRM_VARIANT_MODULES(fv, variant),
EACH_VARIANT(DECLARE)
static const trm_host_module *const modules[] = {
  TRM_MODULES(fv), EACH_VARIANT(LIST) NULL };
static const trm_program_source source = { "fv", "solvers/fv/fv.k", trm_text_fv, modules };

#define ANY NAN, NAN, 0
#define FORMULA NAN, NAN, TRM_OPTION_FORMULA
#define CELLS(axis, count, least) \
  { "grid.n" axis, TRM_OPTION_INTEGER, "cells", count, least, 1 << 22, 0, NULL, \
    "cells along " axis ", a multiple of a block's: 16 in two dimensions, 8 in three" }
#define START(name, unit, value, what) \
  { "compressible." name, TRM_OPTION_STRING, unit, value, ANY, NULL, \
    what " at the start, a formula of x, y and z" }

#define SIDE(name, where) \
  { "boundary." name, TRM_OPTION_STRING, "", "periodic", ANY, \
    "periodic|symmetry|wall|isothermal|inflow|outflow|subsonic_inflow|subsonic_outflow|farfield", \
    "the side at the " where ": periodic; symmetry, or a wall without friction; an adiabatic or " \
    "isothermal wall; in and out, supersonic or subsonic; an undisturbed flow far away" }, \
  { "boundary." name "_velocity", TRM_OPTION_STRING, "m/s", "0 0 0", ANY, NULL, \
    "velocity of its wall or of what comes in: u v w; or 'u; v; w', formulas of x, y, z, t and " \
    "table" }, \
  { "boundary." name "_density", TRM_OPTION_STRING, "kg/m^3", "1", FORMULA, NULL, \
    "density of what comes in there, a number or such a formula" }, \
  { "boundary." name "_pressure", TRM_OPTION_STRING, "Pa", "1", FORMULA, NULL, \
    "pressure outside, a number or a formula" }, \
  { "boundary." name "_temperature", TRM_OPTION_STRING, "m^2/s^2", "1", FORMULA, NULL, \
    "pressure by density at its isothermal wall, a number or a formula" }, \
  { "boundary." name "_table", TRM_OPTION_FILE, "", "", ANY, NULL, \
    "a file of times and values, of which 'table' in its formulas has that at time t" }, \
  { "boundary." name "_where", TRM_OPTION_STRING, "", "", ANY, NULL, \
    "a formula of x, y, z and t: where it is not 0 the side is of the kind _there" }, \
  { "boundary." name "_there", TRM_OPTION_STRING, "", "", ANY, NULL, \
    "that kind, any but periodic: of a hole in a wall, say, through which gas is blown" }, \
  { "boundary." name "_sponge", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL, \
    "how wide the sponge before it is, which draws the flow to compressible.sponge_...; 0: none" }

static const trm_option options[] = {
  CELLS("x", "64", 8),
  CELLS("y", "64", 8),
  { "grid.nz", TRM_OPTION_INTEGER, "cells", "1", 1, 1 << 22, 0, NULL,
    "cells along z, a multiple of 8; 1: two dimensions" },
  { "grid.x0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "least x of the grid" },
  { "grid.y0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "least y of the grid" },
  { "grid.z0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "least z of the grid" },
  { "grid.levels", TRM_OPTION_INTEGER, "", "0", 0, 12, 0, NULL,
    "how many times blocks may be split, in halves along each axis, where mesh.refine says so" },
  { "mesh.refine", TRM_OPTION_STRING, "m", "", ANY, NULL,
    "where blocks are split, with ; between entries: a box, as least and largest x, y and, in " \
    "three dimensions, z; or what the flow shows: 'density T', 'pressure T', 'velocity T' " \
    "(relative change from cell to cell), 'vorticity T' (1/s), beyond T" },
  { "mesh.adapt_every", TRM_OPTION_INTEGER, "steps", "4", 0, 1 << 20, 0, NULL,
    "steps after which the grid is fitted to the flow anew, by what mesh.refine says; 0: to the " \
    "first state alone" },
  { "mesh.blocks", TRM_OPTION_INTEGER, "blocks", "65536", 1, 1 << 24, 0, NULL,
    "most blocks of such a grid" },
  { "mesh.overflow", TRM_OPTION_STRING, "", "stop", ANY, "stop|coarsen",
    "where they would be more: the run ends; or thresholds are doubled until they are not" },
  { "compressible.bodies", TRM_OPTION_STRING, "m", "", ANY, NULL,
    "bodies in the flow, ';' between them: 'sphere X Y Z RADIUS', 'cylinder X Y RADIUS', " \
    "'tube X Y RADIUS', 'box X0 X1 Y0 Y1 [Z0 Z1]', 'naca DIGITS X Y CHORD ANGLE', " \
    "'stl [NAME] X Y Z SCALE', then 'slip', 'wall' or 'isothermal T', 'spin OMEGA', 'slides' " \
    "(docs/bodies.md)" },
  { "compressible.surface", TRM_OPTION_FILE, "", "", ANY, NULL,
    "the STL file of bodies that are an 'stl'" },
  { "compressible.motion", TRM_OPTION_STRING, "m", "", ANY, NULL,
    "paths of the bodies, in order, ';' between them, empty for one that stays: 'X, Y[, Z]', " \
    "formulas of t that are added to its place, then ', ANGLE' by which it is turned, in rad, " \
    "'about X0 Y0[ Z0]' and in three dimensions 'along AX AY AZ'" },
  { "compressible.motion_table", TRM_OPTION_FILE, "", "", ANY, NULL,
    "a file with lines of a time and a value: the s of formulas in compressible.motion" },
  { "compressible.length_x", TRM_OPTION_REAL, "m", "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "length of the grid along x; cells are squares or cubes" },
  START("density", "kg/m^3", "1", "density"),
  START("velocity_x", "m/s", "0", "velocity along x"),
  START("velocity_y", "m/s", "0", "velocity along y"),
  START("velocity_z", "m/s", "0", "velocity along z"),
  START("pressure", "Pa", "1", "pressure"),
  { "compressible.gamma", TRM_OPTION_REAL, "1", "1.4", 1, 10, TRM_OPTION_EXCLUSIVE, NULL,
    "ratio of the heat capacities" },
  { "compressible.prandtl", TRM_OPTION_REAL, "1", "0.72", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "Prandtl number" },
  { "compressible.viscosity", TRM_OPTION_REAL, "Pa s", "0", 0, NAN, 0, NULL,
    "dynamic viscosity; 0: none, and no conduction of heat" },
  { "compressible.sutherland", TRM_OPTION_REAL, "1", "0", 0, NAN, 0, NULL,
    "Sutherland's temperature by that where the viscosity is compressible.viscosity (air at 0 " \
    "degrees Celsius: 0.404); 0: the same viscosity everywhere" },
  { "compressible.viscosity_at", TRM_OPTION_REAL, "m^2/s^2", "1", 0, NAN, TRM_OPTION_EXCLUSIVE,
    NULL, "that temperature, as pressure by density" },
  { "compressible.slopes", TRM_OPTION_STRING, "", "central", ANY, "central|van-albada",
    "slopes in a cell: central; van-albada: limited, for flows with shocks" },
  { "compressible.flux", TRM_OPTION_STRING, "", "ausm", ANY, "ausm|ausm+|hllc",
    "what the flow carries through a face: ausm, for smooth flows; ausm+, for shocks too; hllc, " \
    "which stands any shock" },
  { "compressible.chi", TRM_OPTION_REAL, "1", "0.5", 0, 0.5, 0, NULL,
    "AUSM: how much the pressure at a face is taken from upwind; less smears and damps less" },
  { "compressible.cfl", TRM_OPTION_REAL, "1", "0", 0, 1.25, 0, NULL,
    "length of a step, in cells that the fastest wave passes; 0: 0.8, with hllc 0.6; in three " \
    "dimensions 0.6, with hllc 0.4" },
  { "compressible.cfl_viscous", TRM_OPTION_REAL, "1", "0.25", 0, 0.6, TRM_OPTION_EXCLUSIVE, NULL,
    "the same by friction: viscosity * dt / (density * h^2); about bodies with friction 0.1 at " \
    "most" },
  { "compressible.time", TRM_OPTION_STRING, "", "explicit", ANY, "explicit|dual|steady",
    "how steps are made: explicit; dual, implicit ones of any length, each by cycles in pseudo " \
    "time until its residual has fallen; steady, such cycles alone, until the flow stays" },
  { "dual.dt", TRM_OPTION_REAL, "s", "0", 0, NAN, 0, NULL,
    "length of a step in dual time; 0: by dual.cfl" },
  { "dual.cfl", TRM_OPTION_REAL, "1", "16", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "the same in cells that the fastest wave passes" },
  { "dual.tolerance", TRM_OPTION_REAL, "1", "1e-3", 0, 1, TRM_OPTION_EXCLUSIVE, NULL,
    "part of the first residual that a step's cycles end at" },
  { "dual.iterations", TRM_OPTION_INTEGER, "cycles", "200", 1, 1 << 20, 0, NULL,
    "most cycles of a step" },
  { "compressible.stage", TRM_OPTION_STRING, "", "fused", ANY, "fused|two-kernels|lists",
    "how a stage is carried out, with the same bits: fused; or a rung of the ladder, two-kernels " \
    "or lists (of cells and faces), to see what they cost" },
  { "compressible.multigrid", TRM_OPTION_INTEGER, "", "0", 0, 24, 0, NULL,
    "coarser grids that a cycle in pseudo time goes down to, of blocks twice as wide each" },
  { "compressible.force", TRM_OPTION_STRING, "m/s^2", "0 0 0", ANY, NULL,
    "acceleration of all gas: x y z" },
  { "compressible.sponge_strength", TRM_OPTION_REAL, "1/s", "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "how fast sponges draw the flow, at the side; it falls as the square of the depth" },
  { "compressible.sponge_density", TRM_OPTION_REAL, "kg/m^3", "1", 0, NAN, TRM_OPTION_EXCLUSIVE,
    NULL, "the density that sponges draw to" },
  { "compressible.sponge_velocity", TRM_OPTION_STRING, "m/s", "0 0 0", ANY, NULL,
    "the velocity that sponges draw to: u v w" },
  { "compressible.sponge_pressure", TRM_OPTION_REAL, "Pa", "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "the pressure that sponges draw to" },
  { "compressible.probes", TRM_OPTION_STRING, "m", "", ANY, NULL,
    "places whose density, velocity and pressure are series, ';' between them: 'NAME X Y [Z]'" },
  { "compressible.average_from", TRM_OPTION_STRING, "s", "", ANY, NULL,
    "the time from which on fields mean_velocity, mean_density and mean_pressure are made; '': " \
    "none are" },
  { "compressible.schlieren", TRM_OPTION_BOOLEAN, "", "false", ANY, NULL,
    "a field schlieren, the length of the density's gradient" },
  { "compressible.integrals", TRM_OPTION_BOOLEAN, "", "false", ANY, NULL,
    "sum kinetic energy, enstrophy and dissipation over the gas after each step, as series" },
  SIDE("west", "least x"),
  SIDE("east", "largest x"),
  SIDE("south", "least y"),
  SIDE("north", "largest y"),
  SIDE("bottom", "least z"),
  SIDE("top", "largest z"),
};

/* ---- the case -------------------------------------------------------------- */

static trm_status read_grid(fv_solver *fv, const trm_config *config, trm_forest_shape *shape)
{
  static const char *const keys[] = { "grid.nx", "grid.ny", "grid.nz" };
  static const char *const corners[] = { "grid.x0", "grid.y0", "grid.z0" };
  const int is_flat = trm_config_integer(config, "grid.nz") == 1;
  *shape = (trm_forest_shape){ .level = 0 };
  fv->block = 1;
  for (int a = 0; a < 3; a++) {
    const int side = is_flat ? (a == 2 ? 1 : 16) : 8;
    fv->n[a] = (int)trm_config_integer(config, keys[a]);
    fv->origin[a] = trm_config_real(config, corners[a]);
    shape->side[a] = side;
    shape->roots[a] = fv->n[a] / side;
    fv->block *= (size_t)side;
    if (fv->n[a] % side || fv->n[a] < side)
      return TRM_FAIL(INPUT, "%s: %s = %d is no multiple of %d; in %s dimensions a block has %s "
                      "cells: take %d", trm_config_origin(config, keys[a]), keys[a], fv->n[a], side,
                      is_flat ? "two" : "three", is_flat ? "16 x 16" : "8 x 8 x 8",
                      (fv->n[a] / side + 1) * side);
  }
  fv->h = trm_config_real(config, "compressible.length_x") / fv->n[0];
  return TRM_OK;
}

/* A grid-wide checkerboard of the pressure loses, by hllc, twice its amplitude per axis and cell
 * that sound passes; the stages' polynomial bears 2.59 of that on the negative real axis. The other
 * fluxes take the mass flux from the mean of both sides at rest, and lose nothing there. */
static trm_status read_cfl(const fv_solver *fv, const trm_config *config, double *cfl)
{
  const int is_flat = fv->n[2] == 1;
  const int is_hllc = strcmp(trm_config_string(config, "compressible.flux"), "hllc") == 0;
  const double most = 2.59 / (is_flat ? 4.0 : 6.0), asked = trm_config_real(config,
                                                                             "compressible.cfl");
  if (is_hllc && asked > most)
    return TRM_FAIL(INPUT, "%s: compressible.cfl = %g is too much for hllc, which in %s dimensions "
                    "bears %.3f: the pressure would swing from cell to cell ever more; leave it "
                    "out or take another flux", trm_config_origin(config, "compressible.cfl"),
                    asked, is_flat ? "two" : "three", most);
  *cfl = asked > 0.0 ? asked : is_hllc ? (is_flat ? 0.6 : 0.4) : is_flat ? 0.8 : 0.6;
  return TRM_OK;
}

static trm_status read_gas(fv_solver *fv, const trm_config *config)
{
  double cfl = 0.0;
  const double gamma = trm_config_real(config, "compressible.gamma");
  const double prandtl = trm_config_real(config, "compressible.prandtl");
  const double viscosity = trm_config_real(config, "compressible.viscosity");
  TRM_TRY(read_cfl(fv, config, &cfl));
  fv->p = (fv_params){ .inv_gamma = 1.0 / gamma, .enthalpy = 1.0 / (gamma - 1.0),
                       .heat = gamma * (gamma - 1.0),
                       .critical = 2.0 * (gamma - 1.0) / (gamma + 1.0),
                       .chi = trm_config_real(config, "compressible.chi"),
                       .viscosity = viscosity,
                       .per_reference = 1.0 / (gamma * trm_config_real(config,
                                                               "compressible.viscosity_at")),
                       .sutherland = trm_config_real(config, "compressible.sutherland"),
                       .conduction = 1.0 / ((gamma - 1.0) * prandtl),
                       .inv_h = 1.0 / fv->h, .cfl = cfl,
                       .diffusion = cfl / trm_config_real(config, "compressible.cfl_viscous") *
                                    viscosity / (fv->h * fv->h),
                       .limit = FV_BATCH_LIMIT };
  return TRM_OK;
}

/* Walls that hold the gas fast leave less of compressible.cfl_viscous: friction in a small piece of
 * a cell grows faster with its velocity than in a whole one. */
static void heed_walls(fv_solver *fv, const trm_config *config)
{
  const double part = trm_config_real(config, "compressible.cfl_viscous") / FV_MOST_AT_WALLS;
  int holds = 0;
  for (int i = 0; i < fv->bodies.count; i++) holds |= fv->bodies.body[i].wall != FV_WALL_SLIP;
  if (holds) fv->p.diffusion *= fmax(part, 1.0);
}

/* Refuses what no variant of the kernels is for. */
static trm_status choose_variant(fv_solver *fv, const trm_config *config)
{
  const int is_sutherland = fv->p.sutherland > 0.0;
  const char *slopes = trm_config_string(config, "compressible.slopes");
  const char *flux = trm_config_string(config, "compressible.flux");
  snprintf(fv->variant, sizeof fv->variant, "%s%s%s", fv->n[2] == 1 ? "flat" : "",
           strcmp(slopes, "van-albada") == 0 ? "limited" : "",
           fv->dual.is_on ? "dual" :
           strcmp(flux, "ausm+") == 0 ? "plus" : strcmp(flux, "hllc") == 0 ? "hllc" :
           is_sutherland ? "sutherland" : "");
  if (is_sutherland && (strcmp(flux, "ausm") != 0 || !(fv->p.viscosity > 0.0)))
    return TRM_FAIL(INPUT, "%s: Sutherland's viscosity goes with compressible.flux = ausm and a "
                    "compressible.viscosity, and these are %s and %g; change them or leave "
                    "compressible.sutherland out",
                    trm_config_origin(config, "compressible.sutherland"), flux,
                    (double)fv->p.viscosity);
  return TRM_OK;
}

static trm_status read_case(fv_solver *fv, const trm_config *config)
{
  trm_forest_shape shape;
  TRM_TRY(read_grid(fv, config, &shape));
  TRM_TRY(read_gas(fv, config));
  TRM_TRY(fv_read_dual(fv, config));
  TRM_TRY(choose_variant(fv, config));
  TRM_TRY(fv_read_sides(fv, config));
  for (int a = 0; a < 3; a++) shape.is_periodic[a] = fv->p.kind[2 * a] == FV_PERIODIC;
  TRM_TRY(fv_read_bodies(&fv->bodies, config, fv->n[2] == 1 ? 2 : 3, 1.0 / fv->p.inv_gamma));
  heed_walls(fv, config);
  TRM_TRY(fv_read_sources(fv, config));
  fv_read_integrals(fv, config);
  TRM_TRY(fv_read_levels(fv, config, &shape));
  TRM_TRY(fv_read_watch(fv, config));
  fv_read_rung(fv, config);
  trm_status status = trm_forest_create(&shape, &fv->forest);
  if (status != TRM_OK) return fv_refuse_depth(fv, config, &shape, status);
  fv_count_jumps(fv);
  fv->blocks = fv->forest->blocks;
  if (fv->adapt.is_asked && fv->blocks.count > fv->adapt.most) {
    status = TRM_FAIL(INPUT, "%s: the grid has %zu blocks where nothing is refined for what the "
                      "flow shows, and mesh.blocks = %zu; raise it",
                      trm_config_origin(config, "mesh.blocks"), fv->blocks.count, fv->adapt.most);
    return fv_refuse_depth(fv, config, &shape, status);
  }
  TRM_TRY(fv_check_dual(fv, config));
  TRM_TRY(fv_check_rung(fv, config));
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

static trm_status build(fv_solver *fv, const trm_solver_options *run)
{
  const char *kernels[FV_KERNELS + 1] = { [FV_STAGE] = "fv_stage", [FV_START] = "fv_start",
    [FV_SHELL] = "fv_shell", [FV_MEAN] = "fv_mean", [FV_LINE] = "fv_line",
    [FV_MATCH] = "fv_match", [FV_PEAK] = "fv_peak", [FV_CLOCK] = "fv_clock",
    [FV_OBSERVE] = "fv_observe", [FV_CUT_SLOPED] = "fv_cut_slopes",
    [FV_CUT_FLUXES] = "fv_cut_fluxes", [FV_CUT_SUMS] = "fv_cut_sums",
    [FV_CUT_SETTLE] = "fv_cut_settle", [FV_CUT_PARTS] = "fv_cut_parts",
    [FV_CUT_FORCES] = "fv_cut_forces",
    [FV_CUT_SURFACE] = "fv_cut_surface", [FV_CUT_INHERIT] = "fv_cut_inherit",
    [FV_CUT_HOLD] = "fv_cut_hold",
    [FV_INTEGRALS] = "fv_integrals", [FV_CUT_INTEGRALS] = "fv_cut_integrals",
    [FV_FOLD] = "fv_fold", [FV_SENSE] = "fv_sense", [FV_MOVE] = "fv_move",
    [FV_EDGES] = "fv_edges", [FV_SOURCE] = "fv_source",
    [FV_PROBE] = "fv_probe", [FV_AVERAGE] = "fv_average", [FV_AVERAGED] = "fv_averaged",
    [FV_STEEPNESS] = "fv_steepness",
    [FV_BEGIN] = "fv_begin", [FV_NORM] = "fv_norm", [FV_PSEUDO_CLOCK] = "fv_pseudo_clock",
    [FV_DOWN] = "fv_down", [FV_UP] = "fv_up", [FV_SOFTEN] = "fv_soften",
    [FV_CUT_DOWN] = "fv_cut_down",
    [FV_CUT_REST] = "fv_cut_rest", [FV_CUT_UNITE] = "fv_cut_unite" };
  if (!fv->dual.is_on) kernels[FV_BEGIN] = NULL;
  const trm_kit_recipe recipe = { &source, *fv->variant ? fv->variant : NULL, "fv_params",
                                  sizeof(fv_params), kernels };
  trm_solver_options how = *run;
  if (how.group == 0 && fv->n[2] > 1 && !trm_device_describe(fv->base.device)->is_host)
    how.group = 64; /* an item a column of a block (fv_columns.h) */
  return trm_kit_program_create(fv->base.device, &recipe, &how, &fv->program);
}

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  fv_solver *fv = (fv_solver *)*solver;
  trm_kit_stepper_clear(&fv->stepper);
  fv_free_grids(fv);
  trm_kit_release(fv->memory, fv->buffer_count);
  trm_buffer_destroy(&fv->walls.others);
  trm_kit_program_destroy(&fv->program);
  trm_kit_program_destroy(&fv->rung.program);
  trm_forest_destroy(&fv->forest);
  fv_cut_destroy(&fv->cut);
  fv_free_bodies(&fv->bodies);
  fv_free_edges(&fv->edges);
  free(fv->boxes);
  free(fv->solid);
  free(fv->held);
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
static trm_status measure(const fv_solver *fv, double *mass, double *energy)
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
  return fv_launch_start(fv);
}

static trm_status set_up(fv_solver *fv, const trm_config *config, const trm_solver_options *run)
{
  TRM_TRY(read_case(fv, config));
  TRM_TRY(fv_check_shared(fv, config));
  TRM_TRY(fv_check_depth(fv, config));
  TRM_TRY(fv_allocate(fv));
  TRM_TRY(fv_share_out(fv));
  TRM_TRY(fv_fill(fv, config));
  TRM_TRY(build(fv, run));
  TRM_TRY(fv_build_rung(fv, run));
  fv_share_grids(fv);
  fv_declare(fv);
  fv_begin_steps(fv);
  TRM_TRY(fv_launch_start(fv));
  TRM_TRY(fv_adapt_start(fv, config));
  return measure(fv, &fv->mass, &fv->energy);
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
    status = trm_kit_bytes(fv.memory, fv.buffer_count, bytes);
    if (status == TRM_OK) status = fv_count_grids(&fv, bytes);
    if (status == TRM_OK) status = fv_check_depth(&fv, config);
  }
  fv_free_grids(&fv);
  trm_forest_destroy(&fv.forest);
  fv_cut_destroy(&fv.cut);
  fv_free_bodies(&fv.bodies);
  fv_free_edges(&fv.edges);
  free(fv.boxes);
  free(fv.solid);
  free(fv.held);
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
  .create = create,
  .advance = fv_advance,
  .account = fv_account,
  .observe = observe,
  .finish = finish,
  .destroy = destroy,
  .size_keys = "grid.nx,grid.ny",
  .memory = memory,
  .restore = restore,
  .reshape = fv_reshape,
  .ladder = &fv_ladder,
};
