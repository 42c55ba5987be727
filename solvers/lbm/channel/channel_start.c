/* channel_start.c - the first state of a flow between boundaries: what a collision left before the
 * first step. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>
#include <stdlib.h>

#include "io/formula.h"

static double equilibrium(int k, double rho, double ux, double uy)
{
  const double eu = 3.0 * (channel_ex[k] * ux + channel_ey[k] * uy);
  return rho * lbm_weight[k] * (1.0 + eu + 0.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
}

/* The script begins with the equilibrium of density 1 and the inflow's velocity in every cell, and
 * streams last: before its first pass these populations stood where they streamed from. */
static void start_geneva(const channel_scene *scene, double *values)
{
  const int nx = scene->nx, ny = scene->ny;
  for (int k = 0; k < D2Q9; k++)
    for (int y = 0; y < ny; y++) {
      const int to = (y + channel_ey[k] + ny) % ny;
      const double f = equilibrium(k, 1.0, channel_inflow(scene, to + 0.5, to), 0.0);
      double *row = values + ((size_t)k * (size_t)ny + (size_t)y) * (size_t)nx;
      for (int x = 0; x < nx; x++) row[x] = f;
    }
}

/* ---- formulas ---------------------------------------------------------------- */

typedef struct start_formulas {
  const channel_scene *scene;
  trm_formula *u, *v, *rho;  /* u NULL: the inflow's profile */
} start_formulas;

static double value_of(const start_formulas *start, const trm_formula *formula, double x, double y)
{
  const double values[] = { x, y, start->scene->nx, start->scene->ny };
  if (formula) return trm_formula_value(formula, values);
  return start->scene->west == SIDE_INFLOW ? channel_inflow(start->scene, y, y - 0.5) : 0.0;
}

static trm_status open_formula(const trm_config *config, const char *key, trm_formula **out)
{
  static const char *const names[] = { "x", "y", "nx", "ny" };
  const char *text = trm_config_string(config, key);
  if (!*text) return TRM_OK;
  return trm_formula_create(text, names, 4, trm_config_origin(config, key), out);
}

/* Off its equilibrium by the velocity's gradients (Chapman and Enskog, first order), as a collision
 * leaves it: f = feq - (1 - omega) / omega w rho 3 (e e - 1/3) : grad u. */
static void start_cell(const start_formulas *start, double omega, int x, int y, double f[])
{
  static const double by = 1e-3; /* of a cell: differences of formulas in doubles */
  const double cx = x + 0.5, cy = y + 0.5;
  const double rho = value_of(start, start->rho, cx, cy);
  const double ux = value_of(start, start->u, cx, cy), uy = value_of(start, start->v, cx, cy);
  const double xx = (value_of(start, start->u, cx + by, cy) -
                     value_of(start, start->u, cx - by, cy)) / (2 * by);
  const double yy = (value_of(start, start->v, cx, cy + by) -
                     value_of(start, start->v, cx, cy - by)) / (2 * by);
  const double xy = (value_of(start, start->u, cx, cy + by) -
                     value_of(start, start->u, cx, cy - by) +
                     value_of(start, start->v, cx + by, cy) -
                     value_of(start, start->v, cx - by, cy)) / (2 * by);
  for (int k = 0; k < D2Q9; k++) {
    const double ex = channel_ex[k], ey = channel_ey[k];
    const double strain = (ex * ex - 1.0 / 3.0) * xx + (ey * ey - 1.0 / 3.0) * yy + ex * ey * xy;
    f[k] = equilibrium(k, rho, ux, uy) -
           (1.0 - omega) / omega * lbm_weight[k] * rho * 3.0 * strain;
  }
}

/* A state that the method does not hold for is refused where a formula gives it. */
static trm_status check_cell(const start_formulas *start, int x, int y)
{
  const double rho = value_of(start, start->rho, x + 0.5, y + 0.5);
  const double speed = hypot(value_of(start, start->u, x + 0.5, y + 0.5),
                             value_of(start, start->v, x + 0.5, y + 0.5));
  if (!(rho > 0.0))
    return TRM_FAIL(INPUT, "lbm.rho_formula is %g in cell (%d, %d), at x = %g, y = %g; a density "
                    "is above 0", rho, x, y, x + 0.5, y + 0.5);
  if (!(speed * sqrt(3.0) <= CHANNEL_MACH))
    return TRM_FAIL(INPUT, "lbm.u_formula and lbm.v_formula give a speed of %g in cell (%d, %d), "
                    "at x = %g, y = %g: Mach %.3g, and the method holds up to Mach %g; make it "
                    "smaller", speed, x, y, x + 0.5, y + 0.5, speed * sqrt(3.0), CHANNEL_MACH);
  return TRM_OK;
}

static trm_status start_channel(const start_formulas *start, double omega, double *values)
{
  const channel_scene *scene = start->scene;
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)scene->ny;
  for (int y = 0; y < scene->ny; y++)
    for (int x = 0; x < scene->nx; x++) {
      const size_t at = (size_t)y * nx + (size_t)x;
      double f[D2Q9];
      if (!scene->solid[at]) TRM_TRY(check_cell(start, x, y));
      if (scene->solid[at])
        for (int k = 0; k < D2Q9; k++) f[k] = lbm_weight[k];
      else start_cell(start, omega, x, y, f);
      for (size_t k = 0; k < D2Q9; k++) {
        if (!isfinite(f[k]))
          return TRM_FAIL(INPUT, "lbm.u_formula or lbm.v_formula has no finite slope in cell (%d, "
                          "%d), at x = %g, y = %g; make it smooth there", x, y, x + 0.5, y + 0.5);
        values[k * cells + at] = f[k];
      }
    }
  return TRM_OK;
}

trm_status channel_start(const channel_solver *flow, const channel_scene *scene,
                         const trm_config *config, double *values)
{
  start_formulas start = { .scene = scene };
  if (scene->is_geneva) {
    start_geneva(scene, values);
    return TRM_OK;
  }
  trm_status status = open_formula(config, "lbm.u_formula", &start.u);
  if (status == TRM_OK) status = open_formula(config, "lbm.v_formula", &start.v);
  if (status == TRM_OK) status = open_formula(config, "lbm.rho_formula", &start.rho);
  if (status == TRM_OK) status = start_channel(&start, flow->box.omega, values);
  trm_formula_destroy(&start.u);
  trm_formula_destroy(&start.v);
  trm_formula_destroy(&start.rho);
  return status;
}
