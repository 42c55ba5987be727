/* start.c - the first state of a flow in three dimensions: the equilibrium of the formulas'
 * velocity and density, off it by the velocity's slopes (Chapman and Enskog, first order), as a
 * collision leaves it: f = feq - (1 - omega) / omega w rho 3 (e e - 1/3) : grad u. */
#include "solvers/lbm3d/levels.h"

#include <math.h>
#include <stdlib.h>

#include "io/formula_slopes.h"

enum { AXES = 3 };
static const double shift_by = 1e-3; /* of a cell: differences of formulas in doubles */

typedef struct starting {
  lbm3d_solver *flow;
  trm_formula_slopes *u[3], *rho; /* no formula: 0; 1 */
  double omega, cell;          /* of the level; cell: its side */
  double *values;              /* a plane of all populations, in the layout's rows */
  double n[3];
  /* of a run of cells along x: where they are, and what the formulas are there */
  double x[TRM_FORMULA_RUN], rest[2];
  double u_at[3][TRM_SLOPES_PLACES][TRM_FORMULA_RUN], rho_at[1][TRM_FORMULA_RUN];
} starting;

static trm_status open_formula(const trm_config *config, const char *key, double step,
                               trm_formula_slopes **out)
{
  static const char *const names[] = { "x", "y", "z", "nx", "ny", "nz" };
  const char *text = trm_config_string(config, key);
  if (!*text) return TRM_OK;
  return trm_formula_slopes_create(text, names, 6, trm_config_origin(config, key), AXES, step, out);
}

/* ---- a run of cells ------------------------------------------------------------ */

/* Cells from `first` on, in cells of this level. */
static void place_run(starting *start, double first, size_t count)
{
  for (size_t i = 0; i < count; i++) start->x[i] = start->cell * (first + (double)i + 0.5);
  for (int i = 0; i < 3; i++)
    trm_formula_slopes_run(start->u[i], start->x, count, start->n);
  trm_formula_slopes_run(start->rho, start->x, count, start->n);
}

static void compute_row(starting *start, double y, double z)
{
  start->rest[0] = y;
  start->rest[1] = z;
  for (int i = 0; i < 3; i++) trm_formula_slopes_row(start->u[i], start->rest, start->u_at[i]);
  trm_formula_slopes_row(start->rho, start->rest, start->rho_at);
}

/* ---- one cell ------------------------------------------------------------------ */

/* A state that the method does not hold for is refused where a formula gives it. */
static trm_status check_cell(const double at[3], double rho, const double u[3])
{
  const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  if (!(rho > 0.0))
    return TRM_FAIL(INPUT, "lbm.rho_formula is %g at x = %g, y = %g, z = %g; a density is above 0",
                    rho, at[0], at[1], at[2]);
  if (!(speed * sqrt(3.0) <= LBM3D_MACH))
    return TRM_FAIL(INPUT, "lbm.u_formula, lbm.v_formula and lbm.w_formula give a speed of %g at x "
                    "= %g, y = %g, z = %g: Mach %.3g, and the method holds up to Mach %g; make it "
                    "smaller", speed, at[0], at[1], at[2], speed * sqrt(3.0), LBM3D_MACH);
  return TRM_OK;
}

/* slope[3 i + j]: of u_i along axis j. */
static void slopes_at(const starting *start, size_t cell, double slope[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < AXES; j++)
      slope[3 * i + j] = (start->u_at[i][2 * j + 2][cell] - start->u_at[i][2 * j + 1][cell]) /
                         (2 * shift_by) * start->cell;
}

/* Populations of a cell of the run, less their weights. */
static trm_status start_cell(const starting *start, size_t cell, double f[D3Q27])
{
  const int velocities = start->flow->scene.velocities;
  const double at[] = { start->x[cell], start->rest[0], start->rest[1] };
  const double rho = start->rho_at[0][cell];
  const double u[] = { start->u_at[0][0][cell], start->u_at[1][0][cell], start->u_at[2][0][cell] };
  const double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  double slope[9];
  TRM_TRY(check_cell(at, rho, u));
  slopes_at(start, cell, slope);
  const double trace = (slope[0] + slope[4] + slope[8]) / 3.0;
  for (int k = 0; k < velocities; k++) {
    const double e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
    const double eu = 3.0 * (e[0] * u[0] + e[1] * u[1] + e[2] * u[2]);
    double strain = -trace;
    for (int i = 0; i < 9; i++) strain += e[i / 3] * e[i % 3] * slope[i];
    f[k] = lbm3d_weight(velocities, k) *
           ((rho - 1.0) + rho * (eu + 0.5 * eu * eu - 1.5 * u2) -
            (1.0 - start->omega) / start->omega * 3.0 * rho * strain);
    if (!isfinite(f[k]))
      return TRM_FAIL(INPUT, "a formula of the first velocity has no finite slope at x = %g, y = "
                      "%g, z = %g; make it smooth there", at[0], at[1], at[2]);
  }
  return TRM_OK;
}

/* ---- planes ---------------------------------------------------------------------- */

/* Stored populations are made of reals that lie as what is shown. */
static const trm_layout *layout_of(const lbm3d_solver *flow)
{
  return flow->is_stored ? &flow->shown_layout : &flow->layout;
}

/* Cell x of row y: its populations f into the plane, and into ghosts as in a periodic row. */
static void keep_cell(starting *start, size_t x, size_t y, const double f[D3Q27])
{
  const trm_layout *layout = layout_of(start->flow);
  const size_t nx = (size_t)start->flow->scene.n[0], ghosts = layout->ghosts;
  const size_t plane = (size_t)start->flow->scene.n[1] * layout->row;
  for (size_t k = 0; k < (size_t)start->flow->scene.velocities; k++) {
    double *row = start->values + k * plane + y * layout->row + ghosts;
    row[x] = f[k];
    for (size_t g = 0; g < ghosts; g++) {
      if (x == nx - 1 - g) row[-1 - (ptrdiff_t)g] = f[k];
      if (x == g) row[nx + g] = f[k];
    }
  }
}

/* Cells first to first + count - 1 of each row; place_run was told of them. */
static trm_status fill_plane(starting *start, int z, size_t first, size_t count)
{
  const lbm3d_scene *scene = &start->flow->scene;
  const size_t nx = (size_t)scene->n[0], ny = (size_t)scene->n[1];
  for (size_t y = 0; y < ny; y++) {
    compute_row(start, (double)y + 0.5, z + 0.5);
    for (size_t i = 0; i < count; i++) {
      double f[D3Q27] = { 0 };
      if (!scene->solid || !scene->solid[((size_t)z * ny + y) * nx + first + i])
        TRM_TRY(start_cell(start, i, f));
      keep_cell(start, first + i, y, f);
    }
  }
  return TRM_OK;
}

static trm_status write_plane(const starting *start, int z)
{
  lbm3d_solver *flow = start->flow;
  if (flow->is_stored) return lbm3d_store_plane(flow, z, start->values);
  const trm_layout *layout = &flow->layout;
  const size_t ny = (size_t)flow->scene.n[1], plane = ny * layout->row;
  const size_t used = (ny - 1) * layout->row + (size_t)flow->scene.n[0] + 2 * layout->ghosts;
  for (size_t k = 0; k < (size_t)flow->scene.velocities; k++)
    TRM_TRY(trm_kit_write_reals(flow->lattice[0], flow->real_type,
                                layout->first - layout->ghosts + k * layout->component +
                                  (size_t)z * plane, start->values + k * plane, used));
  return TRM_OK;
}

static trm_status fill_box(starting *start)
{
  const lbm3d_solver *flow = start->flow;
  const trm_layout *layout = layout_of(flow);
  const size_t plane = (size_t)flow->scene.n[1] * layout->row + 2 * layout->ghosts;
  start->values = calloc(plane * (size_t)flow->scene.velocities, sizeof *start->values);
  if (!start->values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  trm_status status = TRM_OK;
  const size_t nx = (size_t)flow->scene.n[0];
  size_t placed = nx; /* of which run, by its first cell */
  for (int z = 0; z < flow->scene.n[2] && status == TRM_OK; z++) {
    for (size_t first = 0; first < nx && status == TRM_OK; first += TRM_FORMULA_RUN) {
      const size_t count = nx - first < TRM_FORMULA_RUN ? nx - first : TRM_FORMULA_RUN;
      if (placed != first) place_run(start, (double)first, count);
      placed = first;
      status = fill_plane(start, z, first, count);
    }
    if (status == TRM_OK) status = write_plane(start, z);
  }
  free(start->values);
  return status;
}

/* ---- blocks ---------------------------------------------------------------------- */

static trm_status fill_leaf(starting *start, size_t leaf)
{
  const trm_forest *forest = start->flow->levels->forest;
  const size_t velocities = (size_t)start->flow->scene.velocities;
  const uint8_t *solid = start->flow->levels->solid;
  start->cell = 1.0 / (1 << forest->level[leaf]);
  start->omega = 1.0 / (3.0 * start->flow->viscosity / start->cell + 0.5);
  double corner[3];
  for (int a = 0; a < 3; a++) corner[a] = 8.0 * forest->place[leaf][a];
  place_run(start, corner[0], 8);
  for (size_t i = 0; i < LEVELS_CELLS; i++) {
    double f[D3Q27] = { 0 };
    if (i % 8 == 0)
      compute_row(start, start->cell * (corner[1] + (double)(i / 8 % 8) + 0.5),
                  start->cell * (corner[2] + (double)(i / 64) + 0.5));
    if (!solid || !solid[leaf * LEVELS_CELLS + i]) TRM_TRY(start_cell(start, i % 8, f));
    for (size_t k = 0; k < velocities; k++) start->values[k * LEVELS_CELLS + i] = f[k];
  }
  return trm_kit_write_reals(start->flow->lattice[0], start->flow->real_type,
                             leaf * velocities * LEVELS_CELLS, start->values,
                             velocities * LEVELS_CELLS);
}

static trm_status fill_blocks(starting *start)
{
  trm_status status = TRM_OK;
  start->values = calloc((size_t)D3Q27 * LEVELS_CELLS, sizeof *start->values);
  if (!start->values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (size_t i = 0; i < start->flow->levels->blocks.count && status == TRM_OK; i++)
    status = fill_leaf(start, i);
  free(start->values);
  return status;
}

static trm_status fill(starting *start, const trm_config *config)
{
  static const char *const keys[] = { "lbm.u_formula", "lbm.v_formula", "lbm.w_formula" };
  for (int i = 0; i < 3; i++) TRM_TRY(open_formula(config, keys[i], shift_by, &start->u[i]));
  TRM_TRY(open_formula(config, "lbm.rho_formula", 0.0, &start->rho));
  if (!start->u[0] && !start->u[1] && !start->u[2] && !start->rho) return TRM_OK;
  for (size_t i = 0; i < TRM_FORMULA_RUN; i++) start->rho_at[0][i] = 1.0;
  return start->flow->levels ? fill_blocks(start) : fill_box(start);
}

/* Without formulas all is 0, as the lattices are made. */
trm_status lbm3d_start(lbm3d_solver *flow, const trm_config *config)
{
  starting *start = calloc(1, sizeof *start);
  if (!start) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  start->flow = flow;
  start->cell = 1.0;
  for (int a = 0; a < AXES; a++) start->n[a] = flow->scene.n[a];
  start->omega = 1.0 / (3.0 * flow->viscosity + 0.5);
  const trm_status status = fill(start, config);
  for (int i = 0; i < 3; i++) trm_formula_slopes_destroy(&start->u[i]);
  trm_formula_slopes_destroy(&start->rho);
  free(start);
  return status;
}
