/* declarations.c - what a flow in three dimensions tells of itself: fields, series, traffic,
 * results. */
#include "solvers/lbm3d/levels/levels.h"

#include <math.h>
#include <stdio.h>

/* ---- fields ------------------------------------------------------------------ */

void lbm3d_place_fields(lbm3d_solver *flow)
{
  for (size_t i = 0; i < flow->own_fields && !flow->is_stored; i++)
    if (flow->fields[i].type == flow->real_type)
      flow->fields[i].buffer = flow->lattice[i == 0 ? flow->current : !flow->current];
}

static trm_field *declare(lbm3d_solver *flow, const char *name, int components, size_t component,
                          const char *help)
{
  trm_field *field = &flow->fields[flow->base.field_count++];
  *field = (trm_field){ .name = name, .unit = "lattice", .help = help, .type = flow->real_type,
                        .components = components, .nx = (size_t)flow->scene.n[0],
                        .ny = (size_t)flow->scene.n[1], .nz = (size_t)flow->scene.n[2],
                        .layout = flow->layout };
  field->layout.first += component * flow->layout.component;
  if (flow->levels) lbm3d_levels_place(flow, field, component);
  if (flow->is_stored) lbm3d_show(flow, field);
  return field;
}

static void declare_fields(lbm3d_solver *flow)
{
  trm_field *state = flow->is_moments
    ? declare(flow, "moments", LBM3D_MOMENTS, 0, "post-collision: density less 1; momentum; second "
              "moments xx, yy, zz, xy, xz, yz less a third of density less 1 (README.md)")
    : declare(flow, "populations", flow->scene.velocities, 0, "post-collision, each less its "
              "weight; 0 rests, then opposite pairs (README.md)");
  state->flags = TRM_FIELD_STATE | (flow->levels ? 0 : TRM_FIELD_PERIODIC_X);
  declare(flow, "velocity", 3, 0, "u_x, u_y, u_z; 0 in solid cells");
  declare(flow, "density", 1, 3, "density; a third of it is the pressure");
  declare(flow, "speed", 1, 4, "|u|")->in_picture = 1;
  declare(flow, "vorticity", 1, 5, "|curl u|")->in_picture = TRM_PICTURE_BULK;
  trm_field *pressure = declare(flow, "pressure", 1, 6, "(density - 1) / 3");
  pressure->in_picture = TRM_PICTURE_SHOWN | TRM_PICTURE_BULK;
  pressure->terms = 1.0 / 3.0;
  if (flow->shear.count > 0)
    declare(flow, "wall_shear", 1, 7, "shear stress on the wall beside the cell; 0 elsewhere");
  if (flow->scene.solid) {
    trm_field *solid = declare(flow, "solid", 1, 0, "1 where the cell is solid");
    solid->unit = "1";
    solid->type = TRM_TYPE_U8;
    solid->buffer = flow->solid;
    solid->layout = flow->levels ? (trm_layout){ 0 } : flow->solid_layout;
    solid->stride = LEVELS_CELLS;
    solid->bring = solid->put = NULL;
  }
  flow->own_fields = flow->base.field_count;
  lbm3d_place_fields(flow);
  lbm3d_means_declare(flow);
  flow->base.fields = flow->fields;
}

/* ---- series -------------------------------------------------------------------- */

size_t lbm3d_series_count(const lbm3d_solver *flow)
{
  size_t count = 2;
  for (size_t i = 0; i < flow->marks.patch_count; i++)
    count += flow->marks.patches[i].values;
  for (size_t i = 0; i < flow->probes.count; i++)
    count += lbm3d_probe_values(&flow->probes.all[i]);
  return count;
}

/* unit: its name if the case has units. scale: size of the lattice's unit in it. terms: in lattice
 * units, as in trm_series: all series are sums of populations, of density 1 and pressure 1/3. */
static void declare_one(lbm3d_solver *flow, const char *patch, const char *what, double divisor,
                        const char *unit, double scale, double terms)
{
  const int has_units = flow->units.cell > 0.0;
  const size_t i = flow->base.series_count++;
  snprintf(flow->names[i], sizeof flow->names[i], "%s%s%s", patch, *patch ? "_" : "", what);
  flow->series[i] = (trm_series){ flow->names[i], has_units ? unit : "lattice", flow->sums,
                                  flow->real_type, has_units ? divisor / scale : divisor,
                                  i * LBM3D_BATCH, has_units ? terms * scale : terms,
                                  0.0 };
}

static void declare_series(lbm3d_solver *flow)
{
  const lbm_units *units = &flow->units;
  const double cells = flow->fluid_cells, speed = units->speed;
  const double pascal = units->density * speed * speed, newton = pascal * units->cell * units->cell;
  const double flux = units->density * speed * units->cell * units->cell;
  const double faces = flow->levels ? ldexp(1.0, 2 * flow->levels->finest) : 1.0;
  declare_one(flow, "", "energy", cells, "m2/s2", speed * speed, 0.0);
  declare_one(flow, "", "density_change", cells, "kg/m3", units->density, 1.0);
  for (size_t i = 0; i < flow->marks.patch_count; i++) {
    const lbm3d_patch *patch = &flow->marks.patches[i];
    static const char *const forces[] = { "force_x", "force_y", "force_z" };
    static const char *const momenta[] = { "momentum_x", "momentum_y", "momentum_z" };
    if (!patch->is_body) { /* what flows in; and a third of the mean of rho - 1 beside it */
      declare_one(flow, patch->name, "flux", 1.0, "kg/s", flux, patch->area);
      declare_one(flow, patch->name, "pressure", 3.0 * patch->area, "Pa", pascal, 1.0 / 3.0);
    }
    for (int a = 0; a < 3 && patch->values >= LBM3D_FORCES; a++)
      declare_one(flow, patch->name, patch->is_body ? forces[a] : momenta[a], 1.0, "N", newton,
                  patch->area / 3.0);
  }
  for (size_t i = 0; i < flow->probes.count; i++) {
    const lbm3d_probe *probe = &flow->probes.all[i];
    static const char *const velocity[] = { "u", "v", "w" };
    for (int a = 0; a < 3 && probe->axis < 0; a++)
      declare_one(flow, probe->name, velocity[a], 1.0, "m/s", speed, 1.0);
    if (probe->axis >= 0)
      declare_one(flow, probe->name, "flux", faces, "kg/s", flux, (double)probe->count / faces);
    declare_one(flow, probe->name, "pressure", 3.0 * (double)probe->count, "Pa", pascal, 1.0 / 3.0);
  }
  flow->base.series = flow->series;
}

/* ---- metres, seconds, kilograms --------------------------------------------------- */

static void declare_units(lbm3d_solver *flow)
{
  const lbm_units *units = &flow->units;
  const int finer = flow->levels ? 1 << flow->levels->finest : 1;
  for (int a = 0; a < 3 && flow->levels; a++) flow->base.spacing[a] = 1.0 / finer;
  if (units->cell == 0.0) return;
  for (int a = 0; a < 3; a++) flow->base.spacing[a] = units->cell / finer;
  flow->base.length_unit = "m";
  flow->base.time_unit = "s";
  lbm_units_convert(&flow->fields[1], "m/s", units->speed);
  lbm_units_convert(&flow->fields[2], "kg/m3", units->density);
  lbm_units_convert(&flow->fields[3], "m/s", units->speed);
  lbm_units_convert(&flow->fields[4], "1/s", 1.0 / units->step);
  for (int i = 5; i < 6 + (flow->shear.count > 0); i++)
    lbm_units_convert(&flow->fields[i], "Pa", units->density * units->speed * units->speed);
}

/* ---- traffic --------------------------------------------------------------------- */

const char *lbm3d_step_name(const lbm3d_solver *flow)
{
  if (flow->is_stored) return lbm3d_stored_step_name(flow);
  if (flow->is_moments) return lbm3d_moments_step_name(flow);
  if (flow->p.eddy > 0.0) return "lbm3d_eddy_step";
  return flow->scene.is_forced ? "lbm3d_forced_step" : "lbm3d_step";
}

/* Populations, or of moments the first four, and eight reals in, and nine out. */
static void declare_means(lbm3d_solver *flow, double kept)
{
  const double cells = flow->base.cells, size = (double)trm_type_size(flow->real_type);
  if (!flow->means.is_on) return;
  flow->traffic[flow->base.traffic_count++] = flow->is_moments
    ? (trm_traffic){ "means_moments", 12.0 * size * cells, 9.0 * size * cells, 54.0 * cells, 1.0 }
    : (trm_traffic){
        flow->is_stored ? "means_stored" : "means_rows",
        cells * (flow->scene.velocities * kept + 8.0 * size) + 4.0 * (double)flow->leaves,
        9.0 * size * cells, (flow->scene.velocities == D3Q27 ? 121.0 : 97.0) * cells, 1.0 };
}

/* Moments once in and once out, and of each leaf two sums. */
static void declare_moments(lbm3d_solver *flow)
{
  const double size = (double)trm_type_size(flow->real_type), cells = flow->base.cells;
  const double lattice = LBM3D_MOMENTS * size * cells, probed = (double)flow->probes.cells;
  flow->traffic[0] = (trm_traffic){ lbm3d_step_name(flow), lattice,
                                    lattice + 2.0 * (double)flow->leaves * size,
                                    lbm3d_moments_flops(flow), 1.0 };
  flow->base.traffic = flow->traffic;
  flow->base.traffic_count = 1;
  declare_means(flow, size);
  if (flow->probes.cells == 0) return;
  flow->traffic[flow->base.traffic_count++] = (trm_traffic){
    "moments_probe", probed * (8.0 + 4.0 * size), LBM3D_PROBED * size * probed, 13.0 * probed,
    1.0 };
}

/* Words of marks that cells beside sides that move have, two each. */
static double words_beside_moving(const lbm3d_solver *flow, double words)
{
  const double across[] = { (double)flow->p.ny * flow->p.nz, flow->p.nz * words,
                            flow->p.ny * words };
  double sum = 0.0;
  for (int side = 0; side < LBM3D_SIDES; side++)
    if (flow->scene.sides[side].kind == SIDE_MOVING) sum += across[side / 2];
  return sum;
}

/* Traffic of stored populations: each population that comes back from a wall, in and out;
 * populations beside sides that move, once more, where the rounding goes to the population at rest;
 * two words of each 32 cells of rows at sides, or at the ends of other rows. Operations of 16 bits
 * include their conversions, which take some operations on a host, as counted in a cube. */
static void declare_walls(lbm3d_solver *flow, double kept)
{
  const lbm3d_params *p = &flow->p;
  const double links = (double)flow->marks.side_links, rests = (double)flow->marks.side_rests;
  const double rows = (double)p->ny * p->nz, words = (p->nx + 31) / 32;
  const double inner = (double)(p->open_y ? p->ny - 2 : p->ny) * (p->open_z ? p->nz - 2 : p->nz);
  const double ends = p->open_x ? inner * fmin(words, 2.0) : 0.0;
  const double marks = 8.0 * ((rows - inner) * words + ends), rounding = 9.7;
  if (links == 0.0) return;
  flow->traffic[flow->base.traffic_count++] = (trm_traffic){
    "stored_walls", kept * links + marks, kept * links, (flow->is_16 ? rounding : 2.0) * links,
    1.0 };
  if (!flow->is_16 || rests == 0.0) return;
  const double moving = (double)flow->marks.rest_links;
  flow->traffic[flow->base.traffic_count++] = (trm_traffic){
    "stored_walls_rest", kept * (moving + rests) + 8.0 * words_beside_moving(flow, words),
    kept * rests, 9.0 * moving + 5.0 * rests, 1.0 };
}

/* Populations once in and once out, three words of 32 cells in, two leaves of 32 cells out. For a
 * marked cell also its entry and links, and its share of sums: on a GPU by launches of their
 * own. */
static void declare_traffic(lbm3d_solver *flow)
{
  if (flow->levels) {
    lbm3d_levels_declare_traffic(flow);
    return;
  }
  if (flow->is_moments) {
    declare_moments(flow);
    return;
  }
  const lbm3d_marks *marks = &flow->marks;
  const double size = (double)trm_type_size(flow->real_type), leaves = (double)flow->leaves;
  const double kept = flow->is_16 ? 2.0 : size; /* of a population */
  const double lattice = flow->base.cells * flow->scene.velocities * kept;
  const double scaling = flow->is_16 ? 7.0 * flow->scene.velocities - 4.0 : 0.0;
  const double links = (double)marks->link_count, cells = (double)marks->count;
  const int is_listed = flow->is_stored || flow->sites != NULL;
  const double marked_in = 8.0 * cells + (8.0 + 4.0 * size) * links;
  double marked_out = 0.0;
  for (size_t i = 0; i < marks->patch_count; i++)
    marked_out += size * (double)(marks->patches[i].values * marks->patches[i].count);
  flow->traffic[0] = (trm_traffic){
    lbm3d_step_name(flow), lattice + (is_listed ? 4.0 * leaves : 8.0 * leaves + marked_in),
    lattice + 2.0 * leaves * size + (is_listed ? 0.0 : marked_out),
    (flow->flops + scaling) * (flow->base.cells + (is_listed ? 0.0 : cells)) +
      8.0 * links * !is_listed, 1.0 };
  flow->traffic[1] = (trm_traffic){ flow->is_stored ? "stored_fetch" : "lbm3d_fetch",
                                    4.0 * cells + marked_in + size * links,
                                    marked_out + size * links, 8.0 * links, 1.0 };
  flow->traffic[2] = (trm_traffic){ flow->is_stored ? "stored_hand" : "lbm3d_hand",
                                    (12.0 + size) * links, kept * links, 0.0, 1.0 };
  flow->base.traffic = flow->traffic;
  flow->base.traffic_count = flow->sites ? 3 : 1;
  declare_walls(flow, kept);
  declare_means(flow, kept);
  if (flow->probes.cells == 0) return;
  const double probed = (double)flow->probes.cells;
  flow->traffic[flow->base.traffic_count++] = (trm_traffic){
    flow->is_stored ? "stored_probe" : "lbm3d_probe",
    probed * (8.0 + flow->scene.velocities * kept), LBM3D_PROBED * size * probed,
    flow->scene.velocities == D3Q27 ? 76.0 * probed : 52.0 * probed, 1.0 };
}

/* ---- results --------------------------------------------------------------------- */

/* All are known from the case. */
static void add_result(lbm3d_solver *flow, const char *name, const char *unit, double value)
{
  flow->results[flow->base.result_count++] = (trm_result){ name, unit, value };
}

static void declare_results(lbm3d_solver *flow)
{
  const double speed = flow->reference_speed; /* 0: none is known, as where pressures drive it */
  if (speed > 0.0) add_result(flow, "reynolds", "1", speed * flow->length / flow->viscosity);
  if (speed > 0.0) add_result(flow, "mach", "1", speed * sqrt(3.0));
  add_result(flow, "viscosity", "lattice", flow->viscosity);
  if (flow->units.cell > 0.0) add_result(flow, "step", "s", flow->units.step);
  if (flow->levels) add_result(flow, "blocks", "1", (double)flow->leaves);
  if (flow->levels) add_result(flow, "of_finest", "1", lbm3d_levels_share(flow));
  if (flow->scene.across > 0) add_result(flow, "cells_across", "1", flow->scene.across);
  flow->base.results = flow->results;
}

/* The level of the coarsest cells at an outflow of the box; -1: no outflow. */
static int level_at_outflow(const lbm3d_solver *flow)
{
  int least = -1;
  for (int side = 0; side < LBM3D_SIDES; side++) {
    if (flow->scene.sides[side].kind != SIDE_OUTFLOW) continue;
    const int level = flow->levels ? lbm3d_levels_at_side(flow->levels, side) : 0;
    if (least < 0 || level < least) least = level;
  }
  return least;
}

/* A flow between walls and openings that starts suddenly was seen to diverge beyond some value of
 * speed times cell over viscosity. In periodic boxes the limit is higher; with an outflow it is
 * lower (README.md). A level has half the cell of the one before it. */
static void declare_caution(lbm3d_solver *flow)
{
  const double *most = flow->most_reynolds;
  const double fastest = fmax(flow->reference_speed, flow->fastest);
  const double reynolds = fastest / flow->viscosity;
  const int level = level_at_outflow(flow);
  const int is_outflow = level >= 0 && most[1] < most[0] && ldexp(reynolds, -level) > most[1];
  if (!flow->is_bounded || flow->p.eddy > 0.0 || !(is_outflow || reynolds > most[0])) return;
  lbm3d_caution(flow,
           "the Reynolds number of a cell, speed / viscosity = %g / %.3g on the lattice, is %.3g: "
           "lbm.collision = \"%s\" was seen to diverge above %g%s; make the grid finer%s", fastest,
           flow->viscosity, reynolds, flow->collision, most[is_outflow],
           is_outflow ? " where there is an outflow" : "",
           most[0] < 40 && reynolds <= (is_outflow ? 20 : 40)
             ? ", or take \"mrt\", or \"cumulant\" with lbm.lattice = \"d3q27\""
             : is_outflow ? " along it (mesh.refine), or set lbm.smagorinsky = 0.12"
                          : ", or set lbm.smagorinsky = 0.12");
}

void lbm3d_declare(lbm3d_solver *flow)
{
  trm_solver *base = &flow->base;
  const int *n = flow->scene.n;
  base->cells = flow->levels ? lbm3d_levels_updates(flow) : (double)n[0] * n[1] * n[2];
  base->batch_limit = LBM3D_BATCH;
  base->program = trm_program_describe(lbm3d_program_of(flow, STEP)->program);
  base->remedy = "lower its speeds or differences of pressure (in SI units: lbm.reference_speed), "
                 "raise the viscosity, make the grid finer or change lbm.collision";
  declare_fields(flow);
  declare_series(flow);
  declare_units(flow);
  declare_traffic(flow);
  declare_results(flow);
  declare_caution(flow);
}
