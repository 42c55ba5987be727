/* lbm3d.c - lattice Boltzmann in three dimensions: what a case may set, what a run builds, its
 * life. The method and its units are in README.md here, the kernels in kernels/. */
#include "solvers/lbm3d/levels/levels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---------------------------------------------------------------------- */

#define CELLS(axis) \
  { "grid.n" axis, TRM_OPTION_INTEGER, "cells", NULL, 3, 1 << 16, 0, NULL, "cells along " axis }
#define SIDE(side, where) \
  { "boundary." side, TRM_OPTION_STRING, "", "periodic", NAN, NAN, 0, \
    "periodic|wall|moving|inflow|outflow", "the side at " where }, \
  { "boundary." side "_velocity", TRM_OPTION_STRING, "lattice", "", NAN, NAN, \
    TRM_OPTION_NUMBERS, NULL, \
    "'U; V; W', numbers or formulas of x, y, z, nx, ny, nz: of its moving wall or inflow" }

static const trm_option options[] = {
  CELLS("x"), CELLS("y"), CELLS("z"),
  { "grid.levels", TRM_OPTION_INTEGER, "", "0", 0, LEVELS_MOST, 0, NULL,
    "how many times blocks of 8^3 cells may be split, in halves along each axis, where mesh.refine "
    "says so; the other keys stay in cells and steps of level 0" },
  { "mesh.refine", TRM_OPTION_STRING, "cells", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "where blocks are split, with ; between entries: a box, as least and largest x, y and z; "
    "'wall D', nearer than D to walls, bodies and the surface; 'formula F', where F of x, y, z, "
    "nx, ny, nz is positive" },
  { "mesh.shuffle", TRM_OPTION_INTEGER, "", "0", 0, INT32_MAX, TRM_OPTION_SAME_RESULT, NULL,
    "for tests: blocks lie in memory in another order, which this seed gives; 0: in their own" },
  { "lbm.blocks", TRM_OPTION_BOOLEAN, "", "false", NAN, NAN, 0, NULL,
    "cells in blocks of 8^3 without levels too, for comparison: rows of cells are the same flow" },
  { "lbm.lattice", TRM_OPTION_STRING, "", "d3q19", NAN, NAN, 0, "d3q19|d3q27",
    "19 or 27 velocities" },
  { "lbm.collision", TRM_OPTION_STRING, "", "trt", NAN, NAN, 0,
    "bgk|trt|regularised|mrt|cumulant",
    "one relaxation time, two, second moments alone, 19 moments (d3q19), cumulants (d3q27)" },
  { "lbm.storage", TRM_OPTION_STRING, "", "full", NAN, NAN, 0, "full|half|moments",
    "populations as reals, or as 16-bit numbers: half the memory and traffic of f32, 3 digits; or "
    "ten moments of a cell as reals (collision regularised, d3q19)" },
  { "lbm.tile", TRM_OPTION_STRING, "", "auto", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "auto|32x2|32x4|32x8|64x4|128x2|32x16|64x8|128x4",
    "lbm.storage = moments: columns of cells, along x and y, that a group takes at once" },
  { "lbm.tile_depth", TRM_OPTION_INTEGER, "cells", "0", 0, 1 << 16, TRM_OPTION_SAME_RESULT, NULL,
    "lbm.storage = moments: cells along z of a group, a multiple of 16; 0: by the grid's size" },
  { "lbm.streaming", TRM_OPTION_STRING, "", "two-lattices", NAN, NAN, 0, "two-lattices|in-place",
    "from one lattice into the other, or within one: half the memory, the same bits" },
  { "lbm.rows", TRM_OPTION_STRING, "", "plain", NAN, NAN, 0, "plain|folded",
    "folded: cells x and x + nx/2 beside each other, which a GPU steps as one; f32 or 16 bits, nx "
    "a multiple of 64; the same bits" },
  { "lbm.smagorinsky", TRM_OPTION_REAL, "1", "0", 0, 1, 0, NULL,
    "Smagorinsky's constant, 0.1 to 0.17, of eddies smaller than a cell; 0: none" },
  { "lbm.magic", TRM_OPTION_REAL, "1", "0.1875", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "trt: (1/omega - 1/2)(1/omega_minus - 1/2); 3/16 puts walls half-way exactly" },
  { "lbm.viscosity", TRM_OPTION_REAL, "lattice", "0", 0, NAN, 0, NULL,
    "kinematic viscosity; 0: lbm.reynolds is given" },
  { "lbm.reynolds", TRM_OPTION_REAL, "1", "0", 0, NAN, 0, NULL,
    "Reynolds number, of reference_speed and reynolds_dim; 0: lbm.viscosity is given" },
  { "lbm.reference_speed", TRM_OPTION_REAL, "lattice", "0", 0, NAN, 0, NULL,
    "speed of the Reynolds number; 0: the largest of the sides, each in its middle" },
  { "lbm.reynolds_dim", TRM_OPTION_REAL, "cells", "0", 0, NAN, 0, NULL,
    "length of the Reynolds number; 0: the first body's height, without bodies nz" },
  SIDE("west", "x = 0"), SIDE("east", "x = nx"), SIDE("south", "y = 0"), SIDE("north", "y = ny"),
  SIDE("bottom", "z = 0"), SIDE("top", "z = nz"),
  { "body_force", TRM_OPTION_STRING, "lattice", "0 0 0", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "force on the fluid of a cell: x y z" },
  { "bodies.shapes", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "bodies, in cells: 'sphere X Y Z RADIUS; box X0 Y0 Z0 X1 Y1 Z1'" },
  { "bodies.stl", TRM_OPTION_FILE, "", "", NAN, NAN, 0, NULL,
    "a closed surface, STL, text or binary, placed in the middle of the box" },
  { "bodies.stl_cell", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL,
    "a cell's side in the surface's unit; 0: as small as two cells around it allow" },
  { "lbm.fluid", TRM_OPTION_STRING, "", "inside", NAN, NAN, 0, "inside|outside",
    "on which side of the surface the fluid is" },
  { "lbm.patches", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "openings among the surface's solids: 'NAME inflow U V W', 'NAME density RHO' or 'NAME "
    "pressure P' (above density 1's; Pa with units), ';' between; others: walls" },
  { "lbm.bounce_back", TRM_OPTION_STRING, "", "interpolated", NAN, NAN, 0, "halfway|interpolated",
    "bodies' and surfaces' walls: half-way between cells, or where they cut the links" },
  { "probes", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "series of the flow, in cells: 'NAME point X Y Z', velocity and pressure of its cell; 'NAME "
    "plane x X' or 'NAME plane x X Y0 Z0 Y1 Z1', flux and mean pressure; ';' between" },
  { "average_from", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL,
    "from that time on (steps; s with units), means over time: fields mean_velocity, mean_density, "
    "mean_pressure, rms_velocity, rms_density, rms_pressure; empty: none" },
  { "initial.velocity_x", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL,
    "first velocity along x, of x, y, z (cells), nx, ny, nz; empty: 0" },
  { "initial.velocity_y", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL, "the same along y" },
  { "initial.velocity_z", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL, "the same along z" },
  { "initial.density", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL,
    "first density; empty: 1" },
  LBM_UNITS_OPTIONS("lbm.reference_speed, or the fastest side's,"),
};

/* The names of keys in the last version. */
static const trm_former_key former_keys[] = {
  { "lbm.west", "boundary.west", 0 },
  { "lbm.west_velocity", "boundary.west_velocity", 0 },
  { "lbm.east", "boundary.east", 0 },
  { "lbm.east_velocity", "boundary.east_velocity", 0 },
  { "lbm.south", "boundary.south", 0 },
  { "lbm.south_velocity", "boundary.south_velocity", 0 },
  { "lbm.north", "boundary.north", 0 },
  { "lbm.north_velocity", "boundary.north_velocity", 0 },
  { "lbm.bottom", "boundary.bottom", 0 },
  { "lbm.bottom_velocity", "boundary.bottom_velocity", 0 },
  { "lbm.top", "boundary.top", 0 },
  { "lbm.top_velocity", "boundary.top_velocity", 0 },
  { "lbm.shapes", "bodies.shapes", 0 },
  { "lbm.geometry", "bodies.stl", 0 },
  { "lbm.geometry_cell", "bodies.stl_cell", 0 },
  { "lbm.probes", "probes", 0 },
  { "lbm.average_from", "average_from", 0 },
  { "lbm.u_formula", "initial.velocity_x", 0 },
  { "lbm.v_formula", "initial.velocity_y", 0 },
  { "lbm.w_formula", "initial.velocity_z", 0 },
  { "lbm.rho_formula", "initial.density", 0 },
  { "lbm.force_x", "body_force", 1 },
  { "lbm.force_y", "body_force", 2 },
  { "lbm.force_z", "body_force", 3 },
  { "lbm.surface", "lbm.bounce_back", 0 },
  { "lbm.length", "lbm.reynolds_dim", 0 },
};

/* ---- the fluid ------------------------------------------------------------------ */

static trm_status read_viscosity(lbm3d_solver *flow, const trm_config *config)
{
  const double reynolds = trm_config_real(config, "lbm.reynolds");
  flow->viscosity = trm_config_real(config, "lbm.viscosity");
  if (flow->units.cell > 0.0) {
    const char *other = reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity";
    if (reynolds > 0.0 || flow->viscosity > 0.0)
      return TRM_FAIL(INPUT, "%s: units.viscosity is given as well as %s; leave one out",
                      trm_config_origin(config, other), other);
    flow->viscosity = flow->units.viscosity;
    return TRM_OK;
  }
  if ((reynolds > 0.0) == (flow->viscosity > 0.0))
    return TRM_FAIL(INPUT, "%s: lbm.viscosity = %g and lbm.reynolds = %g; give one of them",
                    trm_config_origin(config, reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity"),
                    flow->viscosity, reynolds);
  if (reynolds > 0.0 && flow->reference_speed == 0.0)
    return TRM_FAIL(INPUT, "%s: lbm.reynolds needs a speed: set lbm.reference_speed",
                    trm_config_origin(config, "lbm.reynolds"));
  if (reynolds > 0.0) flow->viscosity = flow->reference_speed * flow->length / reynolds;
  return lbm3d_check_fluid(flow, config, reynolds > 0.0 ? "lbm.reynolds" : "lbm.viscosity");
}

/* The collision and the variant of its lattice; some collisions are of one lattice. */
static trm_status read_collision(lbm3d_solver *flow, const trm_config *config)
{
  static const struct collision { /* flops: without a force, with one, with eddies */
    const char *name, *variants[2];
    double flops[2][3], most_reynolds[2]; /* of a cell, of one at an outflow (declarations.c) */
  } all[] = {
    { "bgk", { "", "d3q27" }, { { 229, 278, 362 }, { 327, 392, 495 } }, { 12, 8 } },
    { "trt", { "", "d3q27" }, { { 229, 278, 362 }, { 327, 392, 495 } }, { 25, 8 } },
    { "regularised", { "", "d3q27" }, { { 234, 296, 317 }, { 346, 423, 444 } },
      { 16, 25 } },
    { "mrt", { "", NULL }, { { 243, 299, 342 }, { 0 } }, { 40, 33 } },
    { "cumulant", { NULL, "cumulant" }, { { 0 }, { 680, 686, 767 } }, { 40, 20 } } };
  static const trm_option_need magic = { "lbm.magic", "lbm.collision", "trt" };
  const char *collision = trm_config_string(config, "lbm.collision");
  const int is_27 = flow->scene.velocities == D3Q27;
  const int i = trm_config_choice(config, "lbm.collision");
  flow->variant = all[i].variants[is_27];
  if (!flow->variant)
    return TRM_FAIL(INPUT, "%s: lbm.collision = \"%s\" is of the lattice %s; set lbm.lattice",
                    trm_config_origin(config, "lbm.collision"), collision,
                    is_27 ? "d3q19" : "d3q27");
  TRM_TRY(trm_config_check_asked(config, &magic, 1));
  lbm3d_params *p = &flow->p;
  const double eddy = trm_config_real(config, "lbm.smagorinsky");
  p->plus = p->minus = 1.0 / (3.0 * flow->viscosity + 0.5);
  p->magic = strcmp(collision, "trt") == 0 ? trm_config_real(config, "lbm.magic") : 0.0;
  if (p->magic > 0.0 && (p->magic < LBM_LEAST_MAGIC || p->magic > LBM_MOST_MAGIC))
    return lbm_refuse_magic(config, p->magic);
  if (p->magic > 0.0) p->minus = 1.0 / (p->magic / (1.0 / p->plus - 0.5) + 0.5);
  p->eddy = 18.0 * sqrt(2.0) * eddy * eddy;
  flow->collision = all[i].name;
  flow->scene.is_product = strcmp(collision, "cumulant") == 0;
  memcpy(flow->most_reynolds, all[i].most_reynolds, sizeof flow->most_reynolds);
  flow->flops = all[i].flops[is_27][eddy > 0.0 ? 2 : flow->scene.is_forced];
  return lbm3d_check_stored_collision(flow, config);
}

/* Pressures of openings as densities: p = rho / 3, in units density (cell / step)^2. */
static trm_status read_pressures(lbm3d_solver *flow, const trm_config *config)
{
  const lbm_units *units = &flow->units;
  const double unit = units->cell > 0.0 ? units->density * units->speed * units->speed : 1.0;
  for (size_t i = 0; i < flow->scene.stl.patch_count; i++) {
    lbm3d_opening *opening = &flow->scene.openings[i];
    opening->density += 3.0 * opening->pressure / unit;
    if (opening->kind != SIDE_OUTFLOW) continue;
    if (opening->density >= 0.9 && opening->density <= 1.1) continue;
    if (opening->pressure == 0.0)
      return TRM_FAIL(INPUT, "%s: a density of %g at %s: it may be 0.9 to 1.1, where the method "
                      "holds; bring it nearer to 1", trm_config_origin(config, "lbm.patches"),
                      opening->density, flow->scene.stl.names[i]);
    return TRM_FAIL(INPUT, "%s: a pressure of %g at %s is a density of %g on the lattice, where it "
                    "may be 0.9 to 1.1; make %s", trm_config_origin(config, "lbm.patches"),
                    opening->pressure, flow->scene.stl.names[i], opening->density,
                    units->cell > 0.0 ? "lbm.reference_speed smaller, for shorter steps"
                    : "it smaller");
  }
  return TRM_OK;
}

static trm_status read_fluid(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_scene *scene = &flow->scene;
  const lbm3d_shape *first = &scene->shapes[0];
  const double speed = trm_config_real(config, "lbm.reference_speed");
  const double length = trm_config_real(config, "lbm.reynolds_dim");
  flow->reference_speed = speed > 0.0 ? speed : lbm3d_fastest(scene);
  flow->length = length > 0.0 ? length : scene->shape_count == 0 ? scene->n[2]
                 : first->is_box ? first->to[2] - first->at[2] : 2.0 * first->radius;
  TRM_TRY(lbm_check_reference(config, flow->reference_speed));
  TRM_TRY(lbm_units_read(config, flow->reference_speed, "lbm.reference_speed",
                         "lbm.reference_speed", &flow->units));
  TRM_TRY(read_viscosity(flow, config));
  TRM_TRY(read_pressures(flow, config));
  lbm3d_params *p = &flow->p;
  double force[3];
  TRM_TRY(trm_config_three(config, "body_force", force));
  p->force_x = force[0];
  p->force_y = force[1];
  p->force_z = force[2];
  flow->scene.is_forced = p->force_x != 0.0 || p->force_y != 0.0 || p->force_z != 0.0;
  TRM_TRY(read_collision(flow, config));
  p->open_x = scene->sides[0].kind != SIDE_PERIODIC;
  p->open_y = scene->sides[2].kind != SIDE_PERIODIC;
  p->open_z = scene->sides[4].kind != SIDE_PERIODIC;
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------------- */

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  lbm3d_solver *flow = (lbm3d_solver *)*solver;
  trm_framework_stepper_clear(&flow->stepper);
  trm_framework_stepper_clear(&flow->averager);
  trm_reduction_destroy(&flow->fold);
  for (int i = 0; i < LBM3D_PATCHES; i++) trm_reduction_destroy(&flow->folds[i]);
  for (int i = 0; i < LBM3D_PROBES; i++) trm_reduction_destroy(&flow->probe_folds[i]);
  free(flow->probes.list);
  free(flow->shear.sites);
  free(flow->shear.parts);
  trm_framework_release(flow->memory, flow->memory_count);
  trm_framework_program_destroy(&flow->steps);
  trm_framework_program_destroy(&flow->program);
  trm_framework_program_destroy(&flow->means.program);
  lbm3d_marks_free(&flow->marks);
  for (int i = 0; i < LBM3D_LISTS; i++) lbm3d_spans_free(&flow->spans[i]);
  lbm3d_levels_free(&flow->levels);
  lbm3d_scene_free(&flow->scene);
  free(flow);
  *solver = NULL;
}

/* A grid without room for its lattices is refused before any memory of that size is filled. */
static trm_status read_grid(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_scene *scene = &flow->scene;
  char what[64];
  static const char *const keys[] = { "grid.nx", "grid.ny", "grid.nz" };
  for (int i = 0; i < 3; i++) scene->n[i] = (int)trm_config_integer(config, keys[i]);
  const char *lattice = trm_config_string(config, "lbm.lattice");
  scene->velocities = strcmp(lattice, "d3q27") == 0 ? D3Q27 : D3Q19;
  if ((int64_t)scene->n[0] * scene->n[1] > INT_MAX / scene->n[2])
    return TRM_FAIL(INPUT, "%s: a grid of %d x %d x %d cells is too large: there may be 2^31; make "
                    "grid.nx or another axis smaller", trm_config_origin(config, "grid.nx"),
                    scene->n[0], scene->n[1], scene->n[2]);
  TRM_TRY(lbm3d_read_storage(flow, config));
  TRM_TRY(lbm3d_moments_read(flow, config));
  scene->is_rounded = flow->is_16;
  TRM_TRY(lbm3d_means_read(flow, config));
  TRM_TRY(lbm3d_levels_read(config, &flow->levels));
  if (flow->levels && flow->is_stored)
    return TRM_FAIL(INPUT,
                    "%s: blocks (grid.levels, lbm.blocks) keep two lattices of reals; leave out "
                    "lbm.storage, lbm.streaming and lbm.rows, or set grid.levels = 0",
                    trm_config_origin(config, flow->is_16 ? "lbm.storage" : flow->in_place
                                      ? "lbm.streaming" : "lbm.rows"));
  if (flow->levels && trm_device_parts(flow->base.device, 0, NULL) > 0) {
    trm_framework_several several;
    trm_framework_name_several(flow->base.device, &several);
    return TRM_FAIL(UNSUPPORTED, "solver 'lbm3d': blocks (grid.levels, lbm.blocks) are of one "
                    "device, and %s; %s, or leave them out", several.named, several.cure);
  }
  if (flow->levels) return TRM_OK;
  TRM_TRY(lbm3d_lay_out(flow, config));
  snprintf(what, sizeof what, "a grid of %d x %d x %d cells", scene->n[0], scene->n[1],
           scene->n[2]);
  return trm_device_require(flow->base.device, lbm3d_lattice_bytes(flow), what);
}

static trm_status plan_levels(lbm3d_solver *flow, const trm_config *config)
{
  TRM_TRY(lbm3d_levels_check(config, flow->scene.n));
  TRM_TRY(lbm3d_scene_create(config, 1, &flow->scene));
  TRM_TRY(read_fluid(flow, config));
  flow->scene.viscosity = flow->viscosity;
  TRM_TRY(lbm3d_start_density(flow, config));
  TRM_TRY(lbm3d_levels_plan(flow, config));
  return lbm3d_check_drive(flow, config);
}

static trm_status plan_moments(lbm3d_solver *flow, const trm_config *config)
{
  TRM_TRY(lbm3d_moments_plan(flow, config));
  TRM_TRY(lbm3d_probes_create(config, flow));
  TRM_TRY(lbm3d_spans_create(flow));
  lbm3d_size_up(flow);
  return lbm3d_check_drive(flow, config);
}

/* Everything up to the first allocation on the device. */
static trm_status plan(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_scene *scene = &flow->scene;
  lbm3d_scene_share(scene, flow->levels ? NULL : flow->base.device, (int)lbm3d_planes(flow));
  if (flow->levels) return plan_levels(flow, config);
  TRM_TRY(lbm3d_scene_create(config, 0, scene));
  flow->fluid_cells = (double)scene->n[0] * scene->n[1] * scene->n[2] - (double)scene->solid_count;
  TRM_TRY(read_fluid(flow, config));
  scene->viscosity = flow->viscosity;
  TRM_TRY(lbm3d_start_density(flow, config));
  if (flow->is_moments) return plan_moments(flow, config);
  if (flow->is_stored && trm_device_parts(flow->base.device, 0, NULL) == 0) {
    lbm3d_sides_give(scene, flow->walls);
    scene->given = flow->walls;
  }
  TRM_TRY(lbm3d_marks_create(scene, &flow->marks));
  flow->is_bounded = flow->marks.link_count > 0 || flow->marks.side_links > 0;
  TRM_TRY(lbm3d_lumen_check(config, scene, &flow->marks));
  TRM_TRY(lbm3d_shear_create(scene, &flow->marks, &flow->shear));
  TRM_TRY(lbm3d_probes_create(config, flow));
  TRM_TRY(lbm3d_spans_create(flow));
  lbm3d_size_up(flow);
  return lbm3d_check_drive(flow, config);
}

TRM_API extern const trm_solver_type trm_solver_lbm3d;

/* lattices: their bytes, also where there is no memory for them. */
static trm_status begin(trm_device *device, const trm_config *config,
                        const trm_solver_options *run, uint64_t *lattices, trm_solver **out)
{
  lbm3d_solver *flow = calloc(1, sizeof *flow);
  if (!flow) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &flow->base;
  solver->type = &trm_solver_lbm3d;
  solver->device = device;
  flow->real_type = trm_real_type(run->precision);
  trm_status status = read_grid(flow, config);
  if (status == TRM_OK) status = plan(flow, config);
  *lattices = flow->levels ? flow->levels->lattice_bytes : lbm3d_lattice_bytes(flow);
  if (status == TRM_OK) *out = solver;
  else destroy(&solver);
  return status;
}

static trm_status memory(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, uint64_t *bytes)
{
  trm_solver *solver;
  const trm_status begun = begin(device, config, run, bytes, &solver);
  if (begun == TRM_ERROR_NO_DEVICE_MEMORY) return TRM_OK; /* the lattices alone are too much */
  TRM_TRY(begun);
  const lbm3d_solver *flow = (lbm3d_solver *)solver;
  const trm_status status = trm_framework_bytes(flow->memory, flow->memory_count, bytes);
  destroy(&solver);
  return status;
}

/* Groups of folded rows of 16 bits in place, where the user leaves them to us: on an H200 512^3
 * takes 2.814 ms a step with 256 items (128: 2.880). */
static trm_solver_options with_groups(const lbm3d_solver *flow, const trm_solver_options *run)
{
  const char *backend = trm_device_describe(flow->base.device)->backend;
  trm_solver_options chosen = *run;
  if (run->row_group_x == 0 && flow->is_16 && flow->stored.fold && flow->in_place &&
      strcmp(backend, "cuda") == 0) {
    chosen.row_group_x = 256;
    chosen.row_group_y = 1;
  }
  return chosen;
}

static trm_status set_up_rows(lbm3d_solver *flow, const trm_solver_options *run)
{
  const char *const kernels[] = { lbm3d_step_name(flow), "lbm3d_observe", "lbm3d_vorticity",
                                  "lbm3d_fetch", "lbm3d_hand", "lbm3d_probe", "lbm3d_shear",
                                  NULL };
  const char *const stored[] = { lbm3d_stored_step_name(flow), "stored_bring", "stored_derive",
                                 "stored_fetch", "stored_hand", "stored_probe", "stored_shear",
                                 "stored_put_back", "stored_walls",
                                 flow->is_16 ? "stored_walls_rest" : NULL, NULL };
  const trm_framework_recipe recipe = { &lbm3d_stored_source,
                                  *flow->variant ? flow->variant : NULL,
                                  flow->is_stored ? "stored_params" : "lbm3d_params",
                                  flow->is_stored ? sizeof flow->stored : sizeof flow->p,
                                  flow->is_stored ? stored : kernels };
  TRM_TRY(lbm3d_check_stored(flow));
  TRM_TRY(lbm3d_allocate(flow));
  const trm_solver_options chosen = with_groups(flow, run);
  if (!flow->is_stored) return lbm3d_build(flow, &recipe, &chosen);
  return trm_framework_program_create(flow->base.device, &recipe, &chosen, &flow->program);
}

static trm_status set_up(lbm3d_solver *flow, const trm_config *config,
                         const trm_solver_options *run)
{
  TRM_TRY(flow->levels ? lbm3d_levels_set_up(flow, run)
          : flow->is_moments ? lbm3d_moments_set_up(flow, run) : set_up_rows(flow, run));
  TRM_TRY(lbm3d_means_set_up(flow, run));
  TRM_TRY(lbm3d_start(flow, config));
  lbm3d_begin_steps(flow);
  lbm3d_declare(flow);
  return TRM_OK;
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  trm_solver *solver;
  uint64_t lattices;
  TRM_TRY(begin(device, config, run, &lattices, &solver));
  const trm_status status = set_up((lbm3d_solver *)solver, config, run);
  if (status == TRM_OK) *out = solver;
  else destroy(&solver);
  return status;
}

/* The kept populations are in the lattice that is current after create. A step fills the ghosts of
 * its own rows and reads the ghosts that trm_field_write filled. */
static trm_status restore(trm_solver *solver, uint64_t step, double time)
{
  ((lbm3d_solver *)solver)->shows = -1;
  solver->step = step;
  solver->time = time;
  return TRM_OK;
}

const trm_solver_type trm_solver_lbm3d = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "lbm3d",
  .summary = "lattice Boltzmann in three dimensions, D3Q19 and D3Q27: walls, inflows, bodies",
  .update_name = "lattice updates",
  .options = options,
  .option_count = sizeof options / sizeof options[0],
  .former_keys = former_keys, .former_key_count = sizeof former_keys / sizeof former_keys[0],
  .create = create,
  .advance = lbm3d_advance,
  .observe = lbm3d_observe,
  .destroy = destroy,
  .memory = memory,
  .restore = restore,
  .state_version = 1,
  .implementations = &lbm3d_implementations,
  .size_keys = "grid.nx,grid.ny,grid.nz",
};
