/* compressible_far.c - what leaves by a far field: hot gas, wakes, waves, a vortex. Exact answers:
 * in a uniform stream gas of any temperature is carried along and the pressure stays; in a wake
 * whose streams are parallel it does too. The rest is compared with a box so long that nothing
 * comes back, computed by another method (far_field.py, whose tables are below). */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 96, LENGTH = 160 };

/* Keys and texts, made by printf. */
typedef struct flow {
  int count;
  char text[TEXTS][LENGTH];
  const char *sets[TEXTS + 1];
} flow;

static void put(flow *f, const char *key, const char *text)
{
  assert_true(f->count + 2 <= TEXTS);
  snprintf(f->text[f->count], LENGTH, "%s", key);
  snprintf(f->text[f->count + 1], LENGTH, "%s", text);
  for (int i = 0; i < 2; i++, f->count++) f->sets[f->count] = f->text[f->count];
  f->sets[f->count] = NULL;
}

static void put_number(flow *f, const char *key, double value)
{
  char text[LENGTH];
  snprintf(text, sizeof text, "%.17g", value);
  put(f, key, text);
}

static const char *const names[6] = { "west", "east", "south", "north", "bottom", "top" };

static void put_side(flow *f, int side, const char *value, const char *text)
{
  char key[LENGTH];
  snprintf(key, sizeof key, "boundary.%s%s", names[side], value);
  put(f, key, text);
}

/* A far field of density and pressure 1 with this velocity. */
static void put_far(flow *f, int side, const double velocity[3])
{
  char text[LENGTH];
  snprintf(text, sizeof text, "%.17g %.17g %.17g", velocity[0], velocity[1], velocity[2]);
  put_side(f, side, "", "farfield");
  put_side(f, side, "_velocity", text);
}

/* The farthest that the pressure comes from 1, at times up to `end`. */
static double swing_until(trm_device *device, trm_precision precision, const flow *f, double end)
{
  fv_run run = fv_run_begin(device, precision, f->sets);
  const trm_field *field = run.solver->fields;
  const size_t cells = field->nx * field->ny * field->nz;
  double most = 0;
  for (int part = 1; part <= 12; part++) {
    fv_run_advance(&run, end * part / 12, 1000000, 4096);
    double *p = fv_run_values(&run, "pressure");
    for (size_t i = 0; i < cells; i++)
      most = isfinite(p[i]) ? fmax(most, fabs(p[i] - 1)) : INFINITY;
    free(p);
  }
  fv_run_end(&run);
  return most;
}

/* ---- hot gas ------------------------------------------------------------------------- */

typedef struct hot_spot {
  const char *flux, *slopes;
  double gamma, hotter, most;
} hot_spot;

/* Hot gas runs out at Mach 0.3 by a side of a box that is 64 cells long. */
static double swing_of_hot_spot(trm_device *device, trm_precision precision, const hot_spot *s,
                                int side, int dimensions, const char *more[2])
{
  static const char axes[] = "xyz";
  flow f = { .count = 0 };
  char text[LENGTH], key[LENGTH];
  double velocity[3] = { 0 };
  const int axis = side / 2;
  velocity[axis] = (side % 2 ? 0.3 : -0.3) * sqrt(s->gamma);
  for (int a = 0; a < dimensions; a++) {
    snprintf(key, sizeof key, "grid.n%c", axes[a]);
    put(&f, key, a == axis ? "64" : dimensions == 2 ? "16" : "8");
  }
  put_number(&f, "compressible.length_x", axis == 0 ? 1 : dimensions == 2 ? 0.25 : 0.125);
  snprintf(text, sizeof text, "1/(1 + %g*exp(-((%c - 0.5)/0.12)^2))", s->hotter - 1, axes[axis]);
  put(&f, "initial.density", text);
  snprintf(key, sizeof key, "initial.velocity_%c", axes[axis]);
  put_number(&f, key, velocity[axis]);
  put_number(&f, "compressible.gamma", s->gamma);
  put(&f, "compressible.flux", s->flux);
  put(&f, "compressible.slopes", s->slopes);
  if (more) put(&f, more[0], more[1]);
  for (int k = 0; k < 2; k++) put_far(&f, 2 * axis + k, velocity);
  return swing_until(device, precision, &f, 2.4);
}

static const hot_spot hot_spots[] = {
  { "hllc", "van-albada", 1.4, 1.5, 2e-4 }, { "ausm", "central", 1.4, 1.02, 1e-3 },
  { "hllc", "van-albada", 1.1, 4, 2e-3 }, { "ausm", "van-albada", 1.4, 1.5, 2e-2 },
  { "ausm+", "van-albada", 1.4, 1.5, 2e-3 }, { "ausm", "central", 1.4, 1.5, 2e-3 },
  { "ausm", "central", 1.1, 4, 3e-3 },
};

static void hot_gas_leaves_in_the_east(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof hot_spots / sizeof *hot_spots; i++) {
    const hot_spot *s = &hot_spots[i];
    const double swing = swing_of_hot_spot(device, TRM_F64, s, 1, 2, NULL);
    print_message("# %s, %s slopes, gamma %g, %g times hotter: %.1e\n", s->flux, s->slopes,
                  s->gamma, s->hotter, swing);
    assert_true(swing <= s->most);
  }
}

static void hot_gas_leaves_by_every_side(trm_device *device)
{
  test_is_long_elsewhere(device);
  for (int side = 0; side < 6; side++)
    for (int dimensions = side < 4 ? 2 : 3; dimensions <= 3; dimensions++) {
      const double swing = swing_of_hot_spot(device, TRM_F32, &hot_spots[0], side, dimensions,
                                             NULL);
      print_message("# %s, %d dimensions, f32: %.1e\n", names[side], dimensions, swing);
      assert_true(swing <= 1e-3);
    }
}

/* A hot ball is carried obliquely out of a box all of whose sides are far fields, by a corner. */
static double swing_of_ball(trm_device *device, trm_precision precision, int dimensions,
                            const char *const *more)
{
  flow f = { .count = 0 };
  const double velocity[3] = { 0.25, 0.2, dimensions == 3 ? 0.15 : 0 };
  static const char *const along[3] = { "initial.velocity_x", "initial.velocity_y",
                                        "initial.velocity_z" };
  static const char *const size[3] = { "grid.nx", "grid.ny", "grid.nz" };
  for (int a = 0; a < dimensions; a++) {
    put(&f, size[a], dimensions == 3 ? "16" : "32");
    put_number(&f, along[a], velocity[a]);
    for (int k = 0; k < 2; k++) put_far(&f, 2 * a + k, velocity);
  }
  put(&f, "initial.density",
      dimensions == 3 ? "1/(1 + exp(-((x-0.7)^2 + (y-0.7)^2 + (z-0.7)^2)/0.03))"
                      : "1/(1 + exp(-((x-0.7)^2 + (y-0.7)^2)/0.02))");
  put(&f, "compressible.flux", "hllc");
  put(&f, "compressible.slopes", "van-albada");
  for (int i = 0; more && more[i]; i += 2) put(&f, more[i], more[i + 1]);
  return swing_until(device, precision, &f, 2.4);
}

static void hot_gas_leaves_by_corners(trm_device *device)
{
  test_is_long_elsewhere(device);
  for (int dimensions = 2; dimensions <= 3; dimensions++) {
    const double swing = swing_of_ball(device, TRM_F32, dimensions, NULL);
    print_message("# %d dimensions: %.1e\n", dimensions, swing);
    assert_true(swing <= 1e-3);
  }
}

/* ---- wakes ------------------------------------------------------------------------------ */

/* Streams that are parallel at Mach 0.2, slower by 30 % in the middle, where the gas is `hot` times
 * as hot: Cp is 0. Returns the farthest that it comes from 0. */
static double cp_of_wake(trm_device *device, const char *flux, const char *slopes, const char *hot,
                         const char *rule)
{
  flow f = { .count = 0 };
  char density[LENGTH];
  const double speed = 0.2 * sqrt(1.4), undisturbed[3] = { speed, 0, 0 };
#define SLOW "0.23664319132398465*(1 - 0.3*exp(-((y-0.5)/0.12)^2))"
  snprintf(density, sizeof density, "1/(1 + (%s - 1)*exp(-((y-0.5)/0.12)^2))", hot);
  put(&f, "grid.nx", "32");
  put(&f, "grid.ny", "32");
  put(&f, "compressible.flux", flux);
  put(&f, "compressible.slopes", slopes);
  put(&f, "initial.density", density);
  put(&f, "initial.velocity_x", SLOW);
  put(&f, "compressible.farfield", rule);
  put_side(&f, 0, "", "inflow");
  put_side(&f, 0, "_velocity", SLOW "; 0; 0");
  put_side(&f, 0, "_density", density);
  put_far(&f, 1, undisturbed);
  put_side(&f, 2, "", "symmetry");
  put_side(&f, 3, "", "symmetry");
  return swing_until(device, TRM_F64, &f, 12) / (0.5 * speed * speed);
}

static void the_pressure_stays_in_a_wake(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  static const char *const how[2][2] = { { "hllc", "van-albada" }, { "ausm", "central" } };
  static const char *const hot[2] = { "1", "1.5" };
  for (int i = 0; i < 4; i++) {
    const double cp = cp_of_wake(device, how[i / 2][0], how[i / 2][1], hot[i % 2], "nscbc");
    print_message("# %s, %s times hotter: Cp up to %.1e\n", how[i / 2][0], hot[i % 2], cp);
    assert_true(cp <= 0.02);
  }
  const double held = cp_of_wake(device, "hllc", "van-albada", "1", "characteristic");
  print_message("# where no wave comes in: %.2f\n", held);
  assert_true(held > 0.2); /* the undisturbed velocity is asked of it */
}

/* Outside flows what a source beside the box makes of a stream: the sides let it through, at
 * small angles too. (Far away, a wake is felt as a source of strength drag / (rho U).) */
static void gas_passes_along_a_side(trm_device *device)
{
  test_is_long_elsewhere(device);
#define R2 "(x*x + y*y)"
#define ALONG "0.23664319132398465 + 0.02*x/" R2
#define ACROSS "0.02*y/" R2
#define PRESSURE "1 - 0.004732863826479693*x/" R2
  flow f = { .count = 0 };
  put(&f, "grid.nx", "32");
  put(&f, "grid.ny", "32");
  put(&f, "grid.x0", "-1.6");
  put(&f, "grid.y0", "1");
  put(&f, "compressible.length_x", "3.2");
  put(&f, "initial.velocity_x", ALONG);
  put(&f, "initial.pressure", PRESSURE);
  put(&f, "compressible.farfield_relaxation", "1");
  for (int side = 0; side < 4; side++) {
    put_side(&f, side, "", "farfield");
    put_side(&f, side, "_velocity", ALONG "; " ACROSS "; 0");
    put_side(&f, side, "_pressure", PRESSURE);
  }
  fv_run run = fv_run_begin(device, TRM_F32, f.sets);
  fv_run_advance(&run, 60, 1000000, 4096);
  double *v = fv_run_values(&run, "velocity"), *p = fv_run_values(&run, "pressure");
  double least = INFINITY, most = 0, cp = 0;
  for (int x = 0; x < 32; x++) {
    const double at = -1.6 + 0.1 * (x + 0.5), y = 4.15, r2 = at * at + y * y;
    const double part = v[32 * 32 + 31 * 32 + x] / (0.02 * y / r2);
    least = fmin(least, part);
    most = fmax(most, part);
    cp = fmax(cp, fabs(p[31 * 32 + x] - (1 - 0.004732863826479693 * at / r2)) / 0.0392);
  }
  print_message("# leaves at %.3f to %.3f of the speed outside; Cp off by %.4f\n", least, most, cp);
  assert_true(least >= 0.92 && most <= 1.08 && cp <= 0.02);
  free(v);
  free(p);
  fv_run_end(&run);
}

/* ---- waves and a vortex, beside a long box -------------------------------------------------- */

enum { PUFFS = 5, VORTICES = 4 };
typedef struct seen { double time, pressure[4]; } seen;

/* A run's pressure between the cells about these places, less the table's; the farthest. */
static double off_table(trm_device *device, const flow *f, const seen *table, int rows, int columns,
                        const double (*places)[2], double *last)
{
  fv_run run = fv_run_begin(device, TRM_F64, f->sets);
  const trm_field *field = run.solver->fields;
  double most = 0;
  for (int i = 0; i < rows; i++) {
    fv_run_advance(&run, table[i].time, 100000, 4096);
    double *p = fv_run_values(&run, "pressure");
    *last = 0;
    for (int k = 0; k < columns; k++) {
      const size_t x = (size_t)lround(places[k][0] * (double)field->nx);
      const size_t y = (size_t)lround(places[k][1] * (double)field->nx);
      const double *at = p + y * field->nx + x;
      const double mean = 0.25 * (at[0] + at[-1] + at[-(long)field->nx] + at[-(long)field->nx - 1]);
      *last = fmax(*last, fabs(mean - table[i].pressure[k]));
    }
    most = fmax(most, *last);
    free(p);
  }
  fv_run_end(&run);
  return most;
}

static const double puff_places[3][2] = { { 0.25, 0.125 }, { 0.5, 0.125 }, { 0.75, 0.125 } };
static const seen puffs[PUFFS] = {
  { 0.3, { 1.08254, 1.00524, 1.00622 } }, { 0.6, { 1.00461, 1.00044, 1.00014 } },
  { 1.2, { 1.00004, 1.00000, 1.00000 } }, { 1.8, { 1.00000, 1.00000, 1.00000 } },
  { 2.4, { 1.00000, 1.00000, 1.00000 } } };

/* Of its sound, waves of 0.1, both runs are off by 2.6e-3 at t = 0.3 by their 64 cells: a long box
 * of such cells is as well (128 cells: 6e-4). What comes back is 1.5e-3 by nscbc, which draws the
 * pressure to that outside while a wave runs out: at most K / 2 times the integral of the wave's
 * pressure over time, with K = sigma a (1 - M^2) / length = 0.27 and 0.1 sqrt(pi) 0.1 / (a + un) in
 * all, 1.6e-3. It is linear in the wave, and the same on finer grids; it fades slowly. By
 * `characteristic` next to nothing is left at the end. */
static double off_puff(trm_device *device, const char *rule, double *last)
{
  flow f = { .count = 0 };
  const double velocity[3] = { 0.3 * sqrt(1.4), 0, 0 };
  put(&f, "grid.nx", "64");
  put(&f, "grid.ny", "16");
  put(&f, "compressible.flux", "hllc");
  put(&f, "compressible.slopes", "van-albada");
  put(&f, "initial.density", "1/(1 + 0.5*exp(-((x-0.5)/0.1)^2))");
  put(&f, "initial.pressure", "1 + 0.2*exp(-((x-0.5)/0.1)^2)");
  put(&f, "compressible.farfield", rule);
  put_number(&f, "initial.velocity_x", velocity[0]);
  for (int side = 0; side < 2; side++) put_far(&f, side, velocity);
  const double most = off_table(device, &f, puffs, PUFFS, 3, puff_places, last);
  print_message("# %s: pressure off by %.1e, at the end by %.1e\n", rule, most, *last);
  return most;
}

static void a_puff_of_hot_gas_leaves_as_from_a_long_box(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  double last;
  assert_true(off_puff(device, "nscbc", &last) <= 3e-3 && last <= 1.6e-3);
  assert_true(off_puff(device, "characteristic", &last) <= 3e-3 && last <= 2e-5);
}

static const double vortex_places[4][2] = { { 0.5, 0.5 }, { 0.75, 0.5 }, { 0.9375, 0.375 },
                                            { 0.9375, 0.625 } };
static const seen vortices[VORTICES] = {
  { 0.6, { 0.99999, 0.98775, 0.99915, 0.99913 } }, { 1.2, { 1.00000, 0.99997, 0.99815, 0.99813 } },
  { 1.8, { 0.99999, 0.99999, 0.99998, 1.00001 } },
  { 2.4, { 1.00000, 1.00000, 0.99998, 1.00000 } } };
#define DEPRESSION 0.01885

/* What is off while the vortex leaves (docs/compressible.md), and after it has. */
static void a_vortex_leaves(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
#define SPIN "0.11832159566199232*exp(0.5 - 50*((x-0.6)^2 + (y-0.5)^2))*10"
#define COLD "(1 - 0.002*exp(1 - 100*((x-0.6)^2 + (y-0.5)^2)))"
  flow f = { .count = 0 };
  const double velocity[3] = { 0.3 * sqrt(1.4), 0, 0 };
  double last;
  put(&f, "grid.nx", "48");
  put(&f, "grid.ny", "48");
  put(&f, "compressible.flux", "hllc");
  put(&f, "compressible.slopes", "van-albada");
  put(&f, "initial.density", COLD "^2.5");
  put(&f, "initial.pressure", COLD "^3.5");
  put(&f, "initial.velocity_x", "0.35496478698597694 - (y-0.5)*" SPIN);
  put(&f, "initial.velocity_y", "(x-0.6)*" SPIN);
  for (int side = 0; side < 2; side++) put_far(&f, side, velocity);
  const double most = off_table(device, &f, vortices, VORTICES, 4, vortex_places, &last);
  print_message("# of its depression: %.3f, at the end %.3f\n", most / DEPRESSION,
                last / DEPRESSION);
  assert_true(most <= 0.3 * DEPRESSION && last <= 0.08 * DEPRESSION);
}

/* ---- with all that may lie beside it ------------------------------------------------------- */

static void levels_and_friction_leave_hot_gas_alone(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const more[][7] = {
    { "grid.levels", "1", "mesh.refine", "0.55 1.5 0.3 0.8", NULL },
    { "compressible.farfield", "characteristic", NULL },
    { "compressible.implementation", "fused", "mesh.shuffle", "7", NULL } };
  static const double most[] = { 3e-3, 1e-3, 1e-3 };
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    const double swing = swing_of_ball(device, TRM_F32, 2, more[i]);
    print_message("# %s: %.1e\n", more[i][0], swing);
    assert_true(swing <= most[i]);
  }
}

static void a_key_without_a_far_field_is_refused(trm_device *device)
{
  fv_run_refused(device, (const char *const[]){ "compressible.farfield", "characteristic", NULL },
                 TRM_ERROR_INPUT, "none is; leave it out");
  fv_run_refused(device, (const char *const[]){ "compressible.farfield_relaxation", "1", NULL },
                 TRM_ERROR_INPUT, "belongs to sides that are 'farfield'");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(hot_gas_leaves_in_the_east),
    TEST_DEVICE(hot_gas_leaves_by_every_side),
    TEST_DEVICE(hot_gas_leaves_by_corners),
    TEST_DEVICE(the_pressure_stays_in_a_wake),
    TEST_DEVICE(gas_passes_along_a_side),
    TEST_DEVICE(a_puff_of_hot_gas_leaves_as_from_a_long_box),
    TEST_DEVICE(a_vortex_leaves),
    TEST_DEVICE(levels_and_friction_leave_hot_gas_alone),
    TEST_DEVICE(a_key_without_a_far_field_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
