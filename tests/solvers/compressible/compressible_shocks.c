/* compressible_shocks.c - flow with shocks, by AUSM+ and HLLC: Riemann problems beside their exact
 * solution, which is found here anew. Bounds: 1.1 times an independent program's errors with 400
 * cells. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double gamma_ = 1.4;

/* ---- the exact solution (Toro, Riemann Solvers, chapter 4) --------------------------------- */

typedef struct gas { double rho, u, p; } gas;

/* What the wave on one side adds to the velocity between pressure p and the state s. */
static double wave(const gas *s, double p)
{
  const double a = sqrt(gamma_ * s->p / s->rho);
  if (p > s->p)
    return (p - s->p) * sqrt(2 / (gamma_ + 1) / s->rho / (p + (gamma_ - 1) / (gamma_ + 1) * s->p));
  return 2 * a / (gamma_ - 1) * (pow(p / s->p, (gamma_ - 1) / 2 / gamma_) - 1);
}

/* The pressure between the waves, by halving its logarithm's interval. */
static double middle_pressure(const gas *l, const gas *r)
{
  double low = -30, high = 30;
  for (int i = 0; i < 200; i++) {
    const double p = exp((low + high) / 2);
    if (wave(l, p) + wave(r, p) + r->u - l->u > 0) high = (low + high) / 2;
    else low = (low + high) / 2;
  }
  return exp((low + high) / 2);
}

/* The density at a speed s on the left of the contact; for the right one all is mirrored. */
static double left_density(const gas *l, double p, double u, double s)
{
  const double a = sqrt(gamma_ * l->p / l->rho), low = (gamma_ - 1) / (gamma_ + 1);
  if (p > l->p) {
    const double speed = l->u - a * sqrt((gamma_ + 1) / 2 / gamma_ * p / l->p +
                                         (gamma_ - 1) / 2 / gamma_);
    return s < speed ? l->rho : l->rho * (p / l->p + low) / (low * p / l->p + 1);
  }
  const double tail = u - a * pow(p / l->p, (gamma_ - 1) / 2 / gamma_);
  if (s < l->u - a) return l->rho;
  if (s > tail) return l->rho * pow(p / l->p, 1 / gamma_);
  return l->rho * pow(2 / (gamma_ + 1) + low / a * (l->u - s), 2 / (gamma_ - 1));
}

static double exact_density(const gas *l, const gas *r, double s)
{
  const double p = middle_pressure(l, r), u = (l->u + r->u + wave(r, p) - wave(l, p)) / 2;
  const gas mirrored = { r->rho, -r->u, r->p };
  return s < u ? left_density(l, p, u, s) : left_density(&mirrored, p, -u, -s);
}

/* ---- Riemann problems ---------------------------------------------------------------------- */

typedef struct problem {
  const char *name;
  gas left, right;
  double at, end;
  double known;                /* error with 400 cells of an independent program; 0: none is */
  double coarse;               /* our own with 96, the larger one of ausm+ and hllc; 0: not asked */
} problem;
static const problem problems[] = {
  { "Sod", { 1, 0, 1 }, { 0.125, 0, 0.1 }, 0.5, 0.2, 1.67e-3, 0 },
  { "Lax", { 0.445, 0.698, 3.528 }, { 0.5, 0, 0.571 }, 0.5, 0.14, 6.5e-3, 0 },
  { "Toro 1", { 1, 0.75, 1 }, { 0.125, 0, 0.1 }, 0.3, 0.2, 2.3e-3, 0 },
  { "Toro 2", { 1, -2, 0.4 }, { 1, 2, 0.4 }, 0.5, 0.15, 3.8e-3, 1.2e-2 },
  { "Toro 3", { 1, 0, 1000 }, { 1, 0, 0.01 }, 0.5, 0.012, 4.9e-2, 0.14 },
  { "Toro 4", { 5.99924, 19.5975, 460.894 }, { 5.99242, -6.19633, 46.095 }, 0.4, 0.035, 0, 0.6 },
  { "Toro 5", { 1, -19.59745, 1000 }, { 1, -19.59745, 0.01 }, 0.8, 0.012, 0, 4.2e-2 },
  { "Mach 3", { 3.857, 0.92, 10.333 }, { 1, 3.55, 1 }, 0.5, 0.09, 4.6e-3, 1.7e-2 },
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static const char *jump(char text[96], double at, double left, double right)
{
  snprintf(text, 96, "x < %.17g ? %.17g : %.17g", at, left, right);
  return text;
}

/* The mean error of the density with n cells. */
static double error_of(trm_device *device, const problem *it, const char *flux, int n)
{
  char cells[16], rho[96], u[96], p[96];
  const char *const sets[] = {
    "grid.nx", cells, "grid.ny", "16", "compressible.slopes", "van-albada", "compressible.flux",
    flux, "boundary.west", "outflow", "boundary.east", "outflow", "initial.density",
    jump(rho, it->at, it->left.rho, it->right.rho), "initial.velocity_x",
    jump(u, it->at, it->left.u, it->right.u), "initial.pressure",
    jump(p, it->at, it->left.p, it->right.p), NULL };
  snprintf(cells, sizeof cells, "%d", n);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, it->end, 1000000, 4096);
  assert_true(run.solver->time == it->end);
  double *got = fv_run_values(&run, "density"), *pressure = fv_run_values(&run, "pressure");
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double mean = 0;
    for (int k = 0; k < 20; k++) {
      const double x = (i + (k + 0.5) / 20) / n;
      mean += exact_density(&it->left, &it->right, (x - it->at) / it->end);
    }
    assert_true(pressure[i] > 0);
    sum += fabs(got[i] - mean / 20) / n;
  }
  free(got);
  free(pressure);
  fv_run_end(&run);
  return sum;
}

static void strong_shocks_are_stood(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const fluxes[] = { "ausm+", "hllc" };
  test_needs_f64(device);
  for (int f = 0; f < 2; f++)
    for (int i = 0; i < PROBLEMS; i++) {
      if (problems[i].coarse == 0) continue;
      const double error = error_of(device, &problems[i], fluxes[f], 96);
      print_message("# %s, %s: %.2e\n", problems[i].name, fluxes[f], error);
      assert_true(error <= 1.1 * problems[i].coarse);
    }
}

static void errors_are_the_known_ones(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const fluxes[] = { "ausm+", "hllc" };
  test_is_long();
  test_needs_f64(device);
  for (int f = 0; f < 2; f++)
    for (int i = 0; i < PROBLEMS; i++) {
      const double error = error_of(device, &problems[i], fluxes[f], 400);
      print_message("# %s, %s: %.2e (%.2e)\n", problems[i].name, fluxes[f], error,
                    problems[i].known);
      if (problems[i].known > 0) assert_true(error <= 1.1 * problems[i].known);
    }
}

/* A checkerboard of the pressure must die away, not grow: hllc damps it along each axis, which
 * bounds the step. */
static void a_checkerboard_dies_away(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const flat = "1+0.01*sin(16*pi*x)*sin(16*pi*y)";
  static const char *const solid = "1+0.01*sin(16*pi*x)*sin(16*pi*y)*sin(16*pi*z)";
  for (int is_solid = 0; is_solid < 2; is_solid++) {
    const char *const sets[] = { "grid.nx", "16", "grid.ny", "16", "grid.nz", is_solid ? "8" : "1",
                                 "compressible.flux", "hllc", "initial.pressure",
                                 is_solid ? solid : flat, NULL };
    fv_run run = fv_run_begin(device, TRM_F32, sets);
    fv_run_advance(&run, INFINITY, 60, 60);
    double *p = fv_run_values(&run, "pressure");
    for (size_t i = 0; i < (is_solid ? 2048 : 256); i++) assert_true(fabs(p[i] - 1) <= 1e-3);
    free(p);
    fv_run_end(&run);
    const char *const bold[] = { "compressible.flux", "hllc", "grid.nz", is_solid ? "8" : "1",
                                 "compressible.cfl", "0.65", NULL };
    fv_run_refused(device, bold, TRM_ERROR_INPUT, "too much for hllc");
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(strong_shocks_are_stood),
    TEST_DEVICE(a_checkerboard_dies_away),
    TEST_DEVICE(errors_are_the_known_ones),
  };
  return TEST_RUN(argc, argv, cases);
}
