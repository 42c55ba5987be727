/* start.c - the first state of a flow in three dimensions: the equilibrium (of the collision's own
 * form) of the formulas' velocity and density, plus the departure from the velocity's slopes
 * (Chapman and Enskog, first order), after a collision: f = feq - (1 - omega) / omega w rho 3 (e e
 * - 1/3) : grad u. */
#include "solvers/lbm3d/levels/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_work.h"
#include "io/formula_slopes.h"

enum { AXES = 3, LEAVES_AT_ONCE = 64 };
/* Cells that are computed at once: a number known to the compiler, which makes vectors of them. */
enum { LANES = 8 };
_Static_assert(TRM_FORMULA_RUN % LANES == 0 && LEVELS_SIDE % LANES == 0, "rows are whole lanes");
static const double shift_by = 1e-3; /* of a cell: differences of formulas in doubles */

/* For one thread: formulas keep their last values. */
typedef struct starting {
  const lbm3d_solver *flow;
  double fastest_square;       /* of the largest speed so far */
  trm_formula_slopes *u[3], *rho; /* no formula: 0; 1 */
  double omega, cell;          /* of the level; cell: its side */
  double n[3];
  size_t placed;               /* the first cell of the run that place_run was told of, plus 1 */
  /* a run of cells along x: their places, and the values of the formulas there. Values behind the
   * run's last cell are computed, too, and not used */
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

/* ---- some cells ------------------------------------------------------------------ */

/* A state that the method does not hold for is refused where a formula gives it. */
static trm_status check_density(const double at[3], double rho)
{
  if (rho > 0.0) return TRM_OK;
  return TRM_FAIL(INPUT, "initial.density is %g at x = %g, y = %g, z = %g; a density is above "
                  "0", rho,
                  at[0], at[1], at[2]);
}

/* Sound of a relative amplitude moves the fluid at that Mach number. */
static trm_status check_cell(const lbm3d_scene *scene, const double at[3], double rho,
                             const double u[3])
{
  const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  TRM_TRY(check_density(at, rho));
  if (!(fabs(rho / scene->density - 1.0) <= LBM3D_MACH))
    return TRM_FAIL(INPUT, "initial.density is %g at x = %g, y = %g, z = %g, and %s is %g: the "
                    "difference would drive a flow of Mach %.3g, and the method holds up to Mach "
                    "%g; bring it between %.4g and %.4g", rho, at[0], at[1], at[2], scene->is_own
                    ? "the density of openings" : "its mean", scene->density,
                    fabs(rho / scene->density - 1.0), LBM3D_MACH,
                    scene->density * (1.0 - LBM3D_MACH), scene->density * (1.0 + LBM3D_MACH));
  if (!(speed * sqrt(3.0) <= LBM3D_MACH))
    return TRM_FAIL(INPUT, "initial.velocity_x, initial.velocity_y and initial.velocity_z give a "
                           "speed of %g at x = %g, y = %g, z = %g: Mach %.3g, and the method holds "
                           "up to Mach %g; make it "
                    "smaller", speed, at[0], at[1], at[2], speed * sqrt(3.0), LBM3D_MACH);
  return TRM_OK;
}

/* slope[3 i + j]: of u_i along axis j. */
static void slopes_at(const starting *start, size_t cell, double slope[9][LANES])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < AXES; j++) {
      const double *after = start->u_at[i][2 * j + 2] + cell;
      const double *before = start->u_at[i][2 * j + 1] + cell;
      for (int l = 0; l < LANES; l++)
        slope[3 * i + j][l] = (after[l] - before[l]) / (2 * shift_by) * start->cell;
    }
}

/* Values that all populations of some cells have in common. */
typedef struct cells {
  double u[3][LANES], rho[LANES], more[LANES]; /* more: density less 1 */
  double square[LANES];        /* 1.5 u u */
  double slope[9][LANES], trace[LANES]; /* trace: a third of it, with the other sign */
  double part[LANES];          /* of the strain in a population */
} cells;

static void take_cells(const starting *start, size_t cell, cells *c)
{
  const double part = (1.0 - start->omega) / start->omega * 3.0;
  slopes_at(start, cell, c->slope);
  for (int i = 0; i < 3; i++) memcpy(c->u[i], start->u_at[i][0] + cell, sizeof c->u[i]);
  memcpy(c->rho, start->rho_at[0] + cell, sizeof c->rho);
  for (int l = 0; l < LANES; l++) {
    c->more[l] = c->rho[l] - 1.0;
    c->part[l] = part * c->rho[l];
    c->square[l] =
      1.5 * (c->u[0][l] * c->u[0][l] + c->u[1][l] * c->u[1][l] + c->u[2][l] * c->u[2][l]);
    c->trace[l] = -((c->slope[0][l] + c->slope[4][l] + c->slope[8][l]) / 3.0);
  }
}

/* The equilibrium over weight and density, less 1: of second order. */
static void equilibrium(const cells *c, const double e[3], double out[LANES])
{
  for (int l = 0; l < LANES; l++) {
    const double eu = 3.0 * (e[0] * c->u[0][l] + e[1] * c->u[1][l] + e[2] * c->u[2][l]);
    out[l] = eu + 0.5 * eu * eu - c->square[l];
  }
}

/* The same for cumulants: the product of a factor for each axis. */
static void product_equilibrium(const cells *c, const double e[3], double out[LANES])
{
  for (int l = 0; l < LANES; l++) out[l] = 0.0;
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < LANES; l++) {
      const double u = c->u[a][l];
      const double more = 3.0 * e[a] * u + (e[a] != 0.0 ? 3.0 : -1.5) * u * u;
      out[l] += more + out[l] * more;
    }
}

/* e e : grad u, less a third of its trace. Terms of 0 are left out. */
static void strain_along(const cells *c, const double e[3], double out[LANES])
{
  memcpy(out, c->trace, LANES * sizeof *out);
  for (int i = 0; i < 9; i++) {
    const double both = e[i / 3] * e[i % 3];
    if (both == 0.0) continue;
    for (int l = 0; l < LANES; l++) out[l] += both * c->slope[i][l];
  }
}

/* Populations, less their weights, of cells from `cell` of the run on. Opposite populations, 1 and
 * 2, 3 and 4, ..., have one strain. sum: not 0 where a population is not finite. */
static void compute_lanes(const starting *start, size_t cell, double f[D3Q27][LANES],
                          double sum[LANES])
{
  const lbm3d_scene *scene = &start->flow->scene;
  double even[LANES], strain[LANES];
  cells c;
  take_cells(start, cell, &c);
  for (int k = 0; k < scene->velocities; k++) {
    const double e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
    const double weight = lbm3d_weight(scene->velocities, k);
    if (scene->is_product) product_equilibrium(&c, e, even);
    else equilibrium(&c, e, even);
    if (k == 0 || k % 2 == 1) strain_along(&c, e, strain);
    for (int l = 0; l < LANES; l++) {
      const double one = weight * (c.more[l] + c.rho[l] * even[l] - c.part[l] * strain[l]);
      f[k][l] = one;
      sum[l] += 0.0 * one;
    }
  }
}

/* Populations of `count` cells of the run, at most LANES, from `cell` on; solid: of these cells, or
 * NULL. Solid cells have none. */
static trm_status start_cells(starting *start, size_t cell, size_t count, const uint8_t *solid,
                              double f[D3Q27][LANES])
{
  double sum[LANES] = { 0 };
  compute_lanes(start, cell, f, sum);
  for (size_t l = 0; l < count; l++) {
    const double at[] = { start->x[cell + l], start->rest[0], start->rest[1] };
    const double u[] = { start->u_at[0][0][cell + l], start->u_at[1][0][cell + l],
                         start->u_at[2][0][cell + l] };
    const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    if (solid && solid[l]) {
      for (int k = 0; k < start->flow->scene.velocities; k++) f[k][l] = 0.0;
      continue;
    }
    TRM_TRY(check_cell(&start->flow->scene, at, start->rho_at[0][cell + l], u));
    if (square > start->fastest_square) start->fastest_square = square;
    if (!(sum[l] == 0.0))
      return TRM_FAIL(INPUT, "a formula of the first velocity has no finite slope at x = %g, y = "
                      "%g, z = %g; make it smooth there", at[0], at[1], at[2]);
  }
  return TRM_OK;
}

/* ---- planes ---------------------------------------------------------------------- */

/* Values of a cell that are kept: populations, or their moments. */
static size_t kept_of(const lbm3d_solver *flow)
{
  return flow->is_moments ? LBM3D_MOMENTS : (size_t)flow->scene.velocities;
}

/* Stored populations are made from reals in the layout of the shown fields. */
static const trm_layout *layout_of(const lbm3d_solver *flow)
{
  return flow->is_stored ? &flow->shown_layout : &flow->layout;
}

/* What threads share. */
typedef struct sharing {
  lbm3d_solver *flow;
  starting *threads;
  int count;                   /* of threads */
  trm_type type;               /* of the values: as the buffer has them, or doubles */
  void *values;                /* a plane of all populations, in the layout's rows; leaves */
  int z;
  size_t first, run;           /* cells of each row that are filled; the first leaf */
} sharing;

static void put(const sharing *all, size_t at, const double values[LANES], size_t count)
{
  float single[LANES];
  for (int l = 0; l < LANES; l++) single[l] = (float)values[l];
  if (all->type == TRM_TYPE_F64)
    memcpy((double *)all->values + at, values, count * sizeof *values);
  else memcpy((float *)all->values + at, single, count * sizeof *single);
}

/* Cells from x on of row y: what is kept of them into the plane, and into ghosts as in a periodic
 * row. */
static void keep_cells(const sharing *all, size_t x, size_t y, size_t count,
                       double f[D3Q27][LANES])
{
  const trm_layout *layout = layout_of(all->flow);
  const size_t nx = (size_t)all->flow->scene.n[0], ghosts = layout->ghosts;
  const size_t plane = (size_t)all->flow->scene.n[1] * layout->row;
  for (size_t k = 0; k < kept_of(all->flow); k++) {
    const size_t row = k * plane + y * layout->row + ghosts;
    put(all, row + x, f[k], count);
    for (size_t g = 0; g < ghosts; g++)
      for (size_t l = 0; l < count && (x <= g || x + count + g >= nx); l++) {
        const double ghost[LANES] = { f[k][l] };
        if (x + l == nx - 1 - g) put(all, row - 1 - g, ghost, 1);
        if (x + l == g) put(all, row + nx + g, ghost, 1);
      }
  }
}

static void take_moments(double f[D3Q27][LANES])
{
  for (int l = 0; l < LANES; l++) {
    double one[D3Q27], moments[LBM3D_MOMENTS];
    for (int k = 0; k < D3Q27; k++) one[k] = f[k][l];
    lbm3d_moments_of(one, moments);
    for (int k = 0; k < LBM3D_MOMENTS; k++) f[k][l] = moments[k];
  }
}

/* The run of cells in row y. */
static trm_status fill_row(void *user, size_t y, int thread)
{
  const sharing *all = user;
  const lbm3d_scene *scene = &all->flow->scene;
  const size_t nx = (size_t)scene->n[0], ny = (size_t)scene->n[1];
  const uint8_t *solid = scene->solid ? scene->solid + ((size_t)all->z * ny + y) * nx + all->first
                                      : NULL;
  starting *start = &all->threads[thread];
  if (start->placed != all->first + 1) place_run(start, (double)all->first, all->run);
  start->placed = all->first + 1;
  compute_row(start, (double)y + 0.5, all->z + 0.5);
  for (size_t i = 0; i < all->run; i += LANES) {
    const size_t left = all->run - i, count = left < LANES ? left : LANES;
    double f[D3Q27][LANES] = { { 0 } };
    TRM_TRY(start_cells(start, i, count, solid ? solid + i : NULL, f));
    if (all->flow->is_moments) take_moments(f);
    keep_cells(all, all->first + i, y, count, f);
  }
  return TRM_OK;
}

static trm_status write_plane(const sharing *all)
{
  lbm3d_solver *flow = all->flow;
  if (flow->is_stored) return lbm3d_store_plane(flow, all->z, all->values);
  const trm_layout *layout = &flow->layout;
  const size_t ny = (size_t)flow->scene.n[1], plane = ny * layout->row;
  const size_t used = (ny - 1) * layout->row + (size_t)flow->scene.n[0] + 2 * layout->ghosts;
  const size_t size = trm_type_size(all->type);
  for (size_t k = 0; k < kept_of(flow); k++)
    TRM_TRY(trm_buffer_write(flow->lattice[0], (layout->first - layout->ghosts +
                                                k * layout->component + (size_t)all->z * plane) *
                                               size,
                             used * size, (const char *)all->values + k * plane * size));
  return TRM_OK;
}

static trm_status fill_box(sharing *all)
{
  const lbm3d_solver *flow = all->flow;
  const trm_layout *layout = layout_of(flow);
  const size_t plane = (size_t)flow->scene.n[1] * layout->row + 2 * layout->ghosts;
  const size_t nx = (size_t)flow->scene.n[0], ny = (size_t)flow->scene.n[1];
  all->type = flow->is_stored ? TRM_TYPE_F64 : flow->real_type;
  all->values = calloc(plane * kept_of(flow), trm_type_size(all->type));
  if (!all->values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (all->z = 0; all->z < flow->scene.n[2]; all->z++) {
    /* in place, populations of a plane lie in those beside it */
    if (!lbm3d_is_near_own(&flow->scene, all->z, flow->in_place)) continue;
    for (all->first = 0; all->first < nx; all->first += TRM_FORMULA_RUN) {
      all->run = nx - all->first < TRM_FORMULA_RUN ? nx - all->first : TRM_FORMULA_RUN;
      TRM_TRY(trm_device_host_each(flow->base.device, ny, fill_row, all));
    }
    TRM_TRY(write_plane(all));
  }
  return TRM_OK;
}

/* ---- blocks ---------------------------------------------------------------------- */

/* The leaf in a slot. */
static trm_status fill_leaf(void *user, size_t i, int thread)
{
  const sharing *all = user;
  starting *start = &all->threads[thread];
  const trm_forest *forest = all->flow->levels->forest;
  const size_t velocities = (size_t)all->flow->scene.velocities, slot = all->first + i;
  const uint8_t *solid = all->flow->levels->solid;
  double *values = (double *)all->values + i * velocities * LEVELS_CELLS, corner[3];
  start->cell = 1.0 / (1 << forest->level[slot]);
  start->omega = 1.0 / (3.0 * all->flow->viscosity / start->cell + 0.5);
  for (int a = 0; a < 3; a++) corner[a] = (double)LEVELS_SIDE * forest->place[slot][a];
  place_run(start, corner[0], LEVELS_SIDE);
  for (size_t c = 0; c < LEVELS_CELLS; c += LANES) {
    double f[D3Q27][LANES];
    if (LEVELS_X(c) == 0)
      compute_row(start, start->cell * (corner[1] + (double)LEVELS_Y(c) + 0.5),
                  start->cell * (corner[2] + (double)LEVELS_Z(c) + 0.5));
    const uint8_t *solid_here = solid ? solid + slot * LEVELS_CELLS + c : NULL;
    TRM_TRY(start_cells(start, LEVELS_X(c), LANES, solid_here, f));
    for (size_t k = 0; k < velocities; k++)
      memcpy(values + k * LEVELS_CELLS + c, f[k], sizeof f[k]);
  }
  return TRM_OK;
}

static trm_status fill_blocks(sharing *all)
{
  const lbm3d_solver *flow = all->flow;
  const size_t leaves = flow->levels->blocks.count;
  const size_t each = (size_t)flow->scene.velocities * LEVELS_CELLS;
  all->values = malloc(LEAVES_AT_ONCE * each * sizeof(double));
  if (!all->values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (all->first = 0; all->first < leaves; all->first += LEAVES_AT_ONCE) {
    const size_t left = leaves - all->first;
    const size_t count = left < LEAVES_AT_ONCE ? left : LEAVES_AT_ONCE;
    TRM_TRY(trm_device_host_each(flow->base.device, count, fill_leaf, all));
    TRM_TRY(trm_framework_write_reals(flow->lattice[0], flow->real_type, all->first * each,
                                      all->values, count * each));
  }
  return TRM_OK;
}

/* Its formulas; *is_given where there are any. */
static trm_status open_start(lbm3d_solver *flow, const trm_config *config, starting *start,
                             int *is_given)
{
  static const char *const formulas[] = { "initial.velocity_x", "initial.velocity_y",
                                          "initial.velocity_z" };
  start->flow = flow;
  start->cell = 1.0;
  start->omega = 1.0 / (3.0 * flow->viscosity + 0.5);
  for (int a = 0; a < AXES; a++) start->n[a] = flow->scene.n[a];
  for (int i = 0; i < 3; i++)
    TRM_TRY(open_formula(config, formulas[i], shift_by, &start->u[i]));
  TRM_TRY(open_formula(config, "initial.density", 0.0, &start->rho));
  for (size_t i = 0; i < TRM_FORMULA_RUN; i++) start->rho_at[0][i] = 1.0;
  *is_given = start->u[0] || start->u[1] || start->u[2] || start->rho;
  return TRM_OK;
}

static void close_start(starting *start)
{
  for (int i = 0; i < 3; i++) trm_formula_slopes_destroy(&start->u[i]);
  trm_formula_slopes_destroy(&start->rho);
}

/* ---- the density of walls --------------------------------------------------------- */

enum { LEAST_DENSITY_PART = 2 }; /* a mean density is from 1 / this to this */

/* For a row of level 0: the sum by which its fluid cells' densities exceed `from`. */
typedef struct row_density { double more; size_t cells; } row_density;

typedef struct densities {
  const lbm3d_solver *flow;
  starting *threads;
  row_density *rows;
  double from;                 /* so that the mean of equal densities is exactly theirs */
} densities;

static trm_status measure_row(void *user, size_t i_own, int thread)
{
  const densities *all = user;
  const lbm3d_scene *scene = &all->flow->scene;
  const size_t nx = (size_t)scene->n[0], ny = (size_t)scene->n[1];
  const size_t row = (size_t)scene->own[0] * ny + i_own;
  starting *start = &all->threads[thread];
  const double rest[] = { (double)(row % ny) + 0.5, (double)(row / ny) + 0.5 };
  row_density *sum = &all->rows[row];
  for (size_t first = 0; first < nx; first += TRM_FORMULA_RUN) {
    const size_t count = nx - first < TRM_FORMULA_RUN ? nx - first : TRM_FORMULA_RUN;
    for (size_t i = 0; i < count; i++) start->x[i] = (double)(first + i) + 0.5;
    trm_formula_slopes_run(start->rho, start->x, count, start->n);
    trm_formula_slopes_row(start->rho, rest, start->rho_at);
    for (size_t i = 0; i < count; i++) {
      const double at[] = { start->x[i], rest[0], rest[1] };
      if (scene->solid && scene->solid[row * nx + first + i]) continue;
      TRM_TRY(check_density(at, start->rho_at[0][i]));
      sum->more += start->rho_at[0][i] - all->from;
      sum->cells++;
    }
  }
  return TRM_OK;
}

static trm_status measure_rows(lbm3d_solver *flow, const trm_config *config, densities *all)
{
  const int threads = trm_device_host_threads(flow->base.device);
  const lbm3d_scene *scene = &flow->scene;
  const size_t own = (size_t)scene->n[1] * (size_t)(scene->own[1] - scene->own[0]);
  const double first[] = { 0.5, 0.5 };
  if (!all->threads || !all->rows)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first density");
  for (int i = 0; i < threads; i++) {
    starting *start = &all->threads[i];
    for (int a = 0; a < AXES; a++) start->n[a] = flow->scene.n[a];
    TRM_TRY(open_formula(config, "initial.density", 0.0, &start->rho));
  }
  all->threads[0].x[0] = 0.5;
  trm_formula_slopes_run(all->threads[0].rho, all->threads[0].x, 1, all->threads[0].n);
  trm_formula_slopes_row(all->threads[0].rho, first, all->threads[0].rho_at);
  all->from = all->threads[0].rho_at[0][0];
  return trm_device_host_each(flow->base.device, own, measure_row, all);
}

/* A sum of sums of rows, in their order. */
static trm_status find_mean(lbm3d_solver *flow, const trm_config *config, densities *all)
{
  const size_t ny = (size_t)flow->scene.n[1], rows = ny * (size_t)flow->scene.n[2];
  row_density sum = { 0.0, 0 };
  TRM_TRY(lbm3d_complete_planes(&flow->scene, measure_rows(flow, config, all), all->rows,
                                ny * sizeof *all->rows));
  for (size_t i = 0; i < rows; i++) {
    sum.more += all->rows[i].more;
    sum.cells += all->rows[i].cells;
  }
  flow->scene.density = all->from + sum.more / (double)sum.cells;
  return TRM_OK;
}

static trm_status measure_start(lbm3d_solver *flow, const trm_config *config)
{
  const int count = trm_device_host_threads(flow->base.device);
  densities all = { .flow = flow };
  all.threads = calloc((size_t)count, sizeof *all.threads);
  all.rows = calloc((size_t)flow->scene.n[1] * (size_t)flow->scene.n[2], sizeof *all.rows);
  const trm_status status = find_mean(flow, config, &all);
  for (int i = 0; all.threads && i < count; i++)
    trm_formula_slopes_destroy(&all.threads[i].rho);
  free(all.threads);
  free(all.rows);
  return status;
}

/* The mean density of the openings; 0: no opening has a density. */
static double given_density(const lbm3d_scene *scene)
{
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < LBM3D_SIDES; i++) {
    if (scene->sides[i].kind != SIDE_OUTFLOW) continue;
    sum += scene->sides[i].density;
    count++;
  }
  for (size_t i = 0; i < scene->stl.patch_count; i++) {
    if (scene->openings[i].kind != SIDE_OUTFLOW) continue;
    sum += scene->openings[i].density;
    count++;
  }
  return count > 0 ? sum / count : 0.0;
}

/* Walls push with one density. With each cell's own density a closed box would not keep its mass,
 * since at an edge a cell has only one of two links that belong together. */
trm_status lbm3d_start_density(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_scene *scene = &flow->scene;
  const double given = given_density(scene);
  if (*trm_config_string(config, "initial.density")) TRM_TRY(measure_start(flow, config));
  scene->is_own = given > 0.0;
  if (scene->is_own) scene->density = given;
  if (scene->density * LEAST_DENSITY_PART >= 1.0 && scene->density <= LEAST_DENSITY_PART)
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: the mean of initial.density is %g, and densities of the lattice are "
                  "about 1, from %g to %g; divide it by %g (units.density is the fluid's own)",
                  trm_config_origin(config, "initial.density"), scene->density,
                  1.0 / LEAST_DENSITY_PART, (double)LEAST_DENSITY_PART, scene->density);
}

/* ---- all of it -------------------------------------------------------------------- */

/* The largest speed of all parts. */
static trm_status find_fastest(lbm3d_solver *flow, trm_status status, double own)
{
  const size_t planes = (size_t)flow->scene.n[2];
  double *all = calloc(planes, sizeof *all);
  if (!all && status == TRM_OK) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (int z = flow->scene.own[0]; z < flow->scene.own[1] && all; z++) all[z] = own;
  status = lbm3d_complete_planes(&flow->scene, status, all, sizeof *all);
  for (size_t z = 0; z < planes && status == TRM_OK; z++)
    flow->fastest = fmax(flow->fastest, all[z]);
  free(all);
  return status;
}

/* Without formulas all is 0, as the lattices are made. */
trm_status lbm3d_start(lbm3d_solver *flow, const trm_config *config)
{
  sharing all = { .flow = flow, .count = trm_device_host_threads(flow->base.device) };
  double fastest = 0.0;
  int is_given = 1;
  all.threads = calloc((size_t)all.count, sizeof *all.threads);
  trm_status status = all.threads ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (int i = 0; i < all.count && status == TRM_OK && is_given; i++)
    status = open_start(flow, config, &all.threads[i], &is_given);
  if (status == TRM_OK && is_given) status = flow->levels ? fill_blocks(&all) : fill_box(&all);
  for (int i = 0; i < all.count && all.threads; i++) {
    fastest = fmax(fastest, sqrt(all.threads[i].fastest_square));
    close_start(&all.threads[i]);
  }
  free(all.threads);
  free(all.values);
  return find_fastest(flow, status, fastest);
}
