/* channel_start.c - the first state of a flow between boundaries: what a collision left before the
 * first step. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sharing.h"
#include "io/formula_slopes.h"

static double equilibrium(int k, double rho, double ux, double uy)
{
  const double eu = 3.0 * (channel_ex[k] * ux + channel_ey[k] * uy);
  return rho * lbm_weight[k] * (1.0 + eu + 0.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
}

/* Rows that are made and uploaded at once: of each population, in doubles. */
enum { STRIP = 64 };
typedef struct strip {
  int first, rows;
  double *values;
} strip;

static double *row_of(const strip *to, const channel_scene *scene, size_t k, int y)
{
  return to->values + (k * (size_t)to->rows + (size_t)(y - to->first)) * (size_t)scene->nx;
}

/* The script begins with the equilibrium of density 1 and the inflow's velocity in every cell, and
 * streams last. So before its first pass these populations were at the cells from which they
 * streamed. */
static void start_geneva(const channel_scene *scene, const strip *to)
{
  const int nx = scene->nx, ny = scene->ny;
  for (int k = 0; k < D2Q9; k++)
    for (int y = to->first; y < to->first + to->rows; y++) {
      const int from = (y + channel_ey[k] + ny) % ny;
      const double f = equilibrium(k, 1.0, channel_inflow(scene, from + 0.5, from), 0.0);
      double *row = row_of(to, scene, (size_t)k, y);
      for (int x = 0; x < nx; x++) row[x] = f;
    }
}

/* ---- formulas ---------------------------------------------------------------- */

/* The places of formula_slopes.h. */
enum { MIDDLE, WEST, EAST, SOUTH, NORTH, PLACES };
static const double shift_by = 1e-3; /* of a cell: differences of formulas in doubles */

typedef struct starting {
  const channel_scene *scene;
  double omega;
  const strip *to;
  trm_formula_slopes *u, *v, *rho; /* u NULL: the inflow's profile */
  /* a run of cells along x: their places, and the values of the formulas there */
  double x[TRM_FORMULA_RUN], n[2];
  double u_at[PLACES][TRM_FORMULA_RUN], v_at[PLACES][TRM_FORMULA_RUN], rho_at[1][TRM_FORMULA_RUN];
} starting;

static trm_status open_formula(const trm_config *config, const char *key, double step,
                               trm_formula_slopes **out)
{
  static const char *const names[] = { "x", "y", "nx", "ny" };
  const char *text = trm_config_string(config, key);
  if (!*text) return TRM_OK;
  return trm_formula_slopes_create(text, names, 4, trm_config_origin(config, key), 2, step, out);
}

/* Cells from `first` on. */
static void place_run(starting *start, size_t first, size_t count)
{
  for (size_t i = 0; i < count; i++) start->x[i] = (double)(first + i) + 0.5;
  trm_formula_slopes_run(start->u, start->x, count, start->n);
  trm_formula_slopes_run(start->v, start->x, count, start->n);
  trm_formula_slopes_run(start->rho, start->x, count, start->n);
}

static void fill_profile(starting *start, double middle, size_t count)
{
  const double ys[] = { middle, middle, middle, middle - shift_by, middle + shift_by };
  for (size_t p = 0; p < PLACES; p++) {
    const double u = channel_inflow(start->scene, ys[p], ys[p] - 0.5);
    for (size_t i = 0; i < count; i++) start->u_at[p][i] = u;
  }
}

static void compute_row(starting *start, int y, size_t count)
{
  const double middle = y + 0.5;
  if (!start->u && start->scene->west == SIDE_INFLOW) fill_profile(start, middle, count);
  trm_formula_slopes_row(start->u, &middle, start->u_at);
  trm_formula_slopes_row(start->v, &middle, start->v_at);
  trm_formula_slopes_row(start->rho, &middle, start->rho_at);
}

/* Off its equilibrium by the velocity's gradients (Chapman and Enskog, first order), as a collision
 * leaves it: f = feq - (1 - omega) / omega w rho 3 (e e - 1/3) : grad u. */
static void start_cell(const starting *start, size_t i, double f[])
{
  const double rho = start->rho_at[0][i], omega = start->omega;
  const double ux = start->u_at[MIDDLE][i], uy = start->v_at[MIDDLE][i];
  const double xx = (start->u_at[EAST][i] - start->u_at[WEST][i]) / (2 * shift_by);
  const double yy = (start->v_at[NORTH][i] - start->v_at[SOUTH][i]) / (2 * shift_by);
  const double xy = (start->u_at[NORTH][i] - start->u_at[SOUTH][i] +
                     start->v_at[EAST][i] - start->v_at[WEST][i]) / (2 * shift_by);
  for (int k = 0; k < D2Q9; k++) {
    const double ex = channel_ex[k], ey = channel_ey[k];
    const double strain = (ex * ex - 1.0 / 3.0) * xx + (ey * ey - 1.0 / 3.0) * yy + ex * ey * xy;
    f[k] = equilibrium(k, rho, ux, uy) -
           (1.0 - omega) / omega * lbm_weight[k] * rho * 3.0 * strain;
  }
}

static trm_status check_density(double rho, int x, int y)
{
  if (rho > 0.0) return TRM_OK;
  return TRM_FAIL(INPUT, "initial.density is %g in cell (%d, %d), at x = %g, y = %g; a density "
                  "is above 0", rho, x, y, x + 0.5, y + 0.5);
}

/* A state that the method does not hold for is refused where a formula gives it. Sound of a
 * relative amplitude moves the fluid at that Mach number. */
static trm_status check_cell(const starting *start, size_t i, int x, int y, const double f[])
{
  const double rho = start->rho_at[0][i];
  const double speed = hypot(start->u_at[MIDDLE][i], start->v_at[MIDDLE][i]);
  const double mean = start->scene->density, differs = fabs(rho / mean - 1.0);
  TRM_TRY(check_density(rho, x, y));
  if (!(differs <= CHANNEL_MACH))
    return TRM_FAIL(INPUT, "initial.density is %g in cell (%d, %d), and %s is %g: the difference "
                    "would drive a flow of Mach %.3g, and the method holds up to Mach %g; bring it "
                    "between %.4g and %.4g", rho, x, y, start->scene->is_own
                    ? "the outflow's density" : "its mean", mean, differs, CHANNEL_MACH,
                    mean * (1.0 - CHANNEL_MACH), mean * (1.0 + CHANNEL_MACH));
  if (!(speed * sqrt(3.0) <= CHANNEL_MACH))
    return TRM_FAIL(INPUT, "initial.velocity_x and initial.velocity_y give a speed of %g in cell "
                           "(%d, %d), at x = %g, y = %g: Mach %.3g, and the method holds up to "
                           "Mach %g; make it "
                    "smaller", speed, x, y, x + 0.5, y + 0.5, speed * sqrt(3.0), CHANNEL_MACH);
  for (int k = 0; k < D2Q9; k++)
    if (!isfinite(f[k]))
      return TRM_FAIL(INPUT, "initial.velocity_x or initial.velocity_y has no finite slope in "
                             "cell (%d, %d), at x = %g, y = %g; make it smooth "
                             "there", x, y, x + 0.5, y + 0.5);
  return TRM_OK;
}

/* Cells first to first + count - 1 of row y. */
static trm_status fill_row(starting *start, int y, size_t first, size_t count)
{
  const channel_scene *scene = start->scene;
  for (size_t i = 0; i < count; i++) {
    double f[D2Q9];
    if (scene->solid[(size_t)y * (size_t)scene->nx + first + i]) memcpy(f, lbm_weight, sizeof f);
    else {
      start_cell(start, i, f);
      TRM_TRY(check_cell(start, i, (int)(first + i), y, f));
    }
    for (size_t k = 0; k < D2Q9; k++) row_of(start->to, scene, k, y)[first + i] = f[k];
  }
  return TRM_OK;
}

static trm_status open_formulas(starting *start, const trm_config *config)
{
  TRM_TRY(open_formula(config, "initial.velocity_x", shift_by, &start->u));
  TRM_TRY(open_formula(config, "initial.velocity_y", shift_by, &start->v));
  TRM_TRY(open_formula(config, "initial.density", 0.0, &start->rho));
  for (size_t i = 0; i < TRM_FORMULA_RUN; i++) start->rho_at[0][i] = 1.0;
  return TRM_OK;
}

static trm_status fill(starting *start)
{
  const size_t nx = (size_t)start->scene->nx;
  const int end = start->to->first + start->to->rows;
  for (size_t first = 0; first < nx; first += TRM_FORMULA_RUN) {
    const size_t count = nx - first < TRM_FORMULA_RUN ? nx - first : TRM_FORMULA_RUN;
    place_run(start, first, count);
    for (int y = start->to->first; y < end; y++) {
      compute_row(start, y, count);
      TRM_TRY(fill_row(start, y, first, count));
    }
  }
  return TRM_OK;
}

/* ---- the density of walls ------------------------------------------------------- */

/* In sum over the fluid, how much it is above the first cell's, so that the mean of equal densities
 * is exactly theirs. */
static trm_status sum_density(starting *start, double *first, double *more, size_t *cells)
{
  const channel_scene *scene = start->scene;
  const size_t nx = (size_t)scene->nx;
  for (size_t from = 0; from < nx; from += TRM_FORMULA_RUN) {
    const size_t count = nx - from < TRM_FORMULA_RUN ? nx - from : TRM_FORMULA_RUN;
    for (size_t i = 0; i < count; i++) start->x[i] = (double)(from + i) + 0.5;
    trm_formula_slopes_run(start->rho, start->x, count, start->n);
    for (int y = 0; y < scene->ny; y++) {
      const double middle = y + 0.5;
      trm_formula_slopes_row(start->rho, &middle, start->rho_at);
      for (size_t i = 0; i < count; i++) {
        if (scene->solid[(size_t)y * nx + from + i]) continue;
        TRM_TRY(check_density(start->rho_at[0][i], (int)(from + i), y));
        if ((*cells)++ == 0) *first = start->rho_at[0][i];
        *more += start->rho_at[0][i] - *first;
      }
    }
  }
  return TRM_OK;
}

trm_status channel_start_density(const trm_config *config, channel_scene *scene)
{
  double first = 1.0, more = 0.0;
  size_t cells = 0;
  starting *start = calloc(1, sizeof *start);
  scene->is_own = !scene->is_geneva && scene->east == SIDE_OUTFLOW;
  scene->density = 1.0;
  if (!start) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first density");
  *start = (starting){ .scene = scene, .n = { scene->nx, scene->ny } };
  trm_status status = scene->is_geneva ? TRM_OK
                      : open_formula(config, "initial.density", 0.0, &start->rho);
  if (status == TRM_OK && start->rho) status = sum_density(start, &first, &more, &cells);
  if (status == TRM_OK && cells > 0 && !scene->is_own)
    scene->density = first + more / (double)cells;
  trm_formula_slopes_destroy(&start->rho);
  free(start);
  TRM_TRY(status);
  if (scene->density >= 0.5 && scene->density <= 2.0) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: the mean of initial.density is %g, and densities of the lattice are "
                  "about 1, from 0.5 to 2; divide it by %g (units.density is the fluid's own)",
                  trm_config_origin(config, "initial.density"), scene->density, scene->density);
}

static trm_status set_rows(channel_solver *flow, starting *start, strip *to)
{
  const channel_scene *scene = start->scene;
  const trm_buffer *lattice = flow->box.lattice[0];
  const trm_layout *layout = &flow->box.layout;
  const size_t size = trm_type_size(flow->box.real_type);
  start->to = to;
  for (to->first = 0; to->first < scene->ny; to->first += STRIP) {
    to->rows = scene->ny - to->first < STRIP ? scene->ny - to->first : STRIP;
    if (!trm_buffer_takes(lattice, (layout->first + (size_t)to->first * layout->row) * size,
                          (size_t)to->rows * layout->row * size)) continue;
    if (scene->is_geneva) start_geneva(scene, to);
    else TRM_TRY(fill(start));
    TRM_TRY(channel_set_rows(flow, to->first, to->rows, to->values));
  }
  return TRM_OK;
}

trm_status channel_start(channel_solver *flow, const channel_scene *scene,
                         const trm_config *config)
{
  strip to = { .values = calloc((size_t)scene->nx * STRIP, D2Q9 * sizeof *to.values) };
  starting *start = calloc(1, sizeof *start);
  trm_status status = start && to.values ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  if (status == TRM_OK)
    *start = (starting){ .scene = scene, .omega = flow->box.omega,
                         .n = { scene->nx, scene->ny } };
  if (status == TRM_OK && !scene->is_geneva) status = open_formulas(start, config);
  if (status == TRM_OK) status = set_rows(flow, start, &to);
  if (start) {
    trm_formula_slopes_destroy(&start->u);
    trm_formula_slopes_destroy(&start->v);
    trm_formula_slopes_destroy(&start->rho);
  }
  free(start);
  free(to.values);
  return status;
}
