/* compressible_drag.c - what a body that moves feels: the drag of one in a stream, and the force
 * that Stokes found for a cylinder that swings by little, Duetsch for one that swings far. */
#include "tests/solvers/compressible/fv_run.h"

#include <complex.h>
#include <math.h>

#define WIDE \
  "grid.nx", "128", "grid.ny", "96", "grid.x0", "-8", "grid.y0", "-6", "grid.levels", "1", \
      "mesh.refine", "-2.5 2.5 -1.2 1.2", "compressible.length_x", "16", "compressible.viscosity", \
      "0.005", "compressible.chi", "0.05", "initial.pressure", "0.7142857142857143", \
      "boundary.west", "farfield", "boundary.west_pressure", "0.7142857142857143", \
      "boundary.east", "farfield", "boundary.east_pressure", "0.7142857142857143", \
      "boundary.south", "farfield", "boundary.south_pressure", "0.7142857142857143", \
      "boundary.north", "farfield", "boundary.north_pressure", "0.7142857142857143"
#define OF(side) "boundary." side "_velocity", "0.2 0 0"

/* Mean drags of units of time. */
static void drags(trm_device *device, const char *const *sets, int end, double *mean)
{
  double time = 0, length[16] = { 0 };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int i = 0; i < end; i++) mean[i] = 0;
  while (run.solver->time < end) {
    fv_run_advance(&run, end, 1, 1);
    const double dt = run.solver->time - time;
    const int unit = (int)(0.5 * (time + run.solver->time));
    time = run.solver->time;
    mean[unit] += dt * (fv_run_last(&run, "body1_pressure_x") +
                        fv_run_last(&run, "body1_friction_x"));
    length[unit] += dt;
  }
  for (int i = 0; i < end; i++) mean[i] /= length[i] * 0.02;
  fv_run_end(&run);
}

static void compare_histories(trm_device *device, int end)
{
  static const char *const moving[] = { WIDE, "bodies.shapes", "cylinder 1.5 0 0.5",
                                        "bodies.motion", "-0.2*t, 0", NULL };
  static const char *const fixed[] = { WIDE, "bodies.shapes", "cylinder 0 0 0.5",
                                       "initial.velocity_x", "0.2", OF("west"), OF("east"),
                                       OF("south"), OF("north"), NULL };
  double one[16], other[16], worst = 0;
  test_needs_f64(device);
  drags(device, moving, end, one);
  drags(device, fixed, end, other);
  for (int i = 4; i < end; i++) { /* before, the start's wave is in it */
    print_message("# to %d: drag %.4f, in a stream %.4f\n", i + 1, one[i], other[i]);
    worst = fmax(worst, fabs(one[i] / other[i] - 1));
  }
  assert_true(worst <= 0.02);
}
static void a_moving_body_feels_what_one_in_a_stream_does(trm_device *device)
{
  test_is_spared(device);
  compare_histories(device, 6);
}
static void a_moving_body_goes_on_to_feel_it(trm_device *device)
{
  test_is_long();
  compare_histories(device, 15);
}

/* Stokes (1851): with lambda = a root(i omega / nu) the force is -rho pi a^2 (1 + 4 K1(lambda) /
 * (lambda K0(lambda))) times the acceleration; K by its integral. Friction and what it adds to the
 * pressure are halves of the second part. */
static double complex stokes(double radius, double omega, double nu)
{
  const double complex lambda = radius * csqrt(I * omega / nu);
  double complex k0 = 0, k1 = 0;
  for (int i = 0; i < 1200; i++) {
    const double c = cosh(0.005 * (i + 0.5));
    k0 += cexp(-lambda * c);
    k1 += c * cexp(-lambda * c);
  }
  return 4 * k1 / (lambda * k0);
}

/* 16 cells across, the layer at the wall 2; by least squares over the second swing. */
static void a_swinging_cylinder_feels_what_stokes_found(trm_device *device)
{
  static const char *const sets[] = {
    "case", "oscillating-cylinder", "grid.levels", "2", "mesh.refine", "-1.4 1.4 -0.7 0.7",
    "bodies.shapes", "cylinder 0.0037 0.0021 0.5", "bodies.motion",
    "-0.05*sin(0.12566370614*t)*(1 - exp(-(t/10)^2)), 0", NULL };
  const double omega = 0.12566370614, mass = acos(-1) / 4;
  double uu = 0, ua = 0, aa = 0, fu[2] = { 0, 0 }, fa[2] = { 0, 0 };
  test_is_long();
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->time < 100) {
    fv_run_advance(&run, 100, 1, 1);
    const double at = omega * run.solver->time;
    const double u = -0.05 * omega * cos(at), a = 0.05 * omega * omega * sin(at);
    const double felt[2] = { fv_run_last(&run, "body1_pressure_x"),
                             fv_run_last(&run, "body1_friction_x") };
    if (run.solver->time <= 50) continue;
    uu += u * u;
    ua += u * a;
    aa += a * a;
    for (int k = 0; k < 2; k++) {
      fu[k] -= felt[k] * u;
      fa[k] -= felt[k] * a;
    }
  }
  const double complex layer = stokes(0.5, omega, 0.001);
  for (int k = 0; k < 2; k++) {
    const double det = uu * aa - ua * ua;
    const double drag = (fu[k] * aa - fa[k] * ua) / det / (mass * omega);
    const double inertia = (fa[k] * uu - fu[k] * ua) / det / mass;
    const double exact[2] = { -0.5 * cimag(layer), (k ? 0 : 1) + 0.5 * creal(layer) };
    print_message("# %s: drag %.4f, exactly %.4f; inertia %.4f, exactly %.4f\n",
                  k ? "friction" : "pressure", drag, exact[0], inertia, exact[1]);
    assert_true(fabs(drag - exact[0]) <= 0.03 && fabs(inertia - exact[1]) <= 0.03);
  }
  fv_run_end(&run);
}

/* cases/oscillating-cylinder: F = -cD rho D |U| U / 2 - cM rho pi D^2 / 4 dU/dt by least squares
 * over the second period, against Duetsch et al. (1998); and how far the force strays from step to
 * step. */
static void an_oscillating_cylinder_has_the_known_coefficients(trm_device *device)
{
  static const char *const sets[] = { "case", "oscillating-cylinder", NULL };
  const double omega = 0.12566370614, pi = acos(-1);
  double uu = 0, ua = 0, aa = 0, fu = 0, fa = 0, most = 0, strays = 0, time = 0;
  double last[2] = { 0, 0 };
  test_is_long();
  test_needs_f64(device);
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  while (run.solver->time < 100) {
    fv_run_advance(&run, 100, 1, 1);
    const double now = run.solver->time, dt = now - time;
    const double felt = fv_run_last(&run, "body1_pressure_x") +
                        fv_run_last(&run, "body1_friction_x");
    const double speed = -0.7957747 * omega * cos(omega * now);
    const double u = -0.5 * fabs(speed) * speed;
    const double a = -0.25 * pi * 0.7957747 * omega * omega * sin(omega * now);
    if (time > 50) {
      uu += dt * u * u;
      ua += dt * u * a;
      aa += dt * a * a;
      fu += dt * u * felt;
      fa += dt * a * felt;
      most = fmax(most, fabs(felt));
      strays = fmax(strays, fabs(last[0] - 0.5 * (last[1] + felt)));
    }
    last[1] = last[0];
    last[0] = felt;
    time = now;
  }
  const double drag = (fu * aa - fa * ua) / (uu * aa - ua * ua);
  const double inertia = (fa * uu - fu * ua) / (uu * aa - ua * ua);
  print_message("# cD %.3f, cM %.3f, strays by %.4f of the largest force\n", drag, inertia,
                strays / most);
  assert_true(fabs(drag / 2.09 - 1) <= 0.05 && fabs(inertia / 1.45 - 1) <= 0.05);
  assert_true(most > 0 && strays <= 0.02 * most);
  fv_run_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_moving_body_feels_what_one_in_a_stream_does),
    TEST_DEVICE(a_moving_body_goes_on_to_feel_it),
    TEST_DEVICE(a_swinging_cylinder_feels_what_stokes_found),
    TEST_DEVICE(an_oscillating_cylinder_has_the_known_coefficients),
  };
  return TEST_RUN(argc, argv, cases);
}
