/* compressible_axes.c - the names of the axes: the same flow along other axes has the same bits. A
 * flow is written twice, the second time with x, y and z, the velocities, the sides and the boxes
 * renamed; then each cell holds what the cell with the renamed place holds. */
#include "tests/solvers/compressible/fv_run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 64, LENGTH = 240 };

typedef struct flow {
  const char *name;
  int axes;                    /* 2 or 3 */
  uint64_t steps;
  int adapts;                  /* its grid changes */
  const char *sets[TEXTS];
} flow;

static const flow flows[] = {
  { "a blast, which the grid follows", 3, 24, 1,
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "grid.levels", "1",
      "mesh.refine", "pressure 0.2; reach 4", "compressible.slopes",
      "van-albada", "compressible.flux", "hllc", "boundary.west", "symmetry",
      "boundary.east", "outflow", "boundary.south", "symmetry", "boundary.north", "farfield",
      "boundary.bottom", "symmetry", "boundary.top", "symmetry", "initial.density",
      "1 + 0.3*sin(3*x + 2*y)*cos(5*z)", "initial.velocity_x", "0.4*cos(7*y*z)",
      "initial.velocity_y", "0.3*x - 0.2*z", "initial.pressure",
      "0.1 + 20*exp(-(4*(x-0.2)^2 + (y-0.25)^2 + 2*(z-0.3)^2)/0.005)",
      NULL } },
  { "friction across levels", 3, 12, 0,
    { "grid.nx", "24", "grid.ny", "24", "grid.nz", "24", "grid.levels", "1",
      "mesh.refine", "0.4 0.45 0.3 0.32 0.5 0.7", "compressible.viscosity", "0.01",
      "initial.velocity_x", "0.3*sin(2*pi*z)", "initial.velocity_y", "0.1*cos(2*pi*x)",
      "initial.velocity_z", "0.2*cos(2*pi*x)*sin(4*pi*y)", NULL } },
  { "walls, a force and a sponge", 3, 12, 0,
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "boundary.west", "wall",
      "boundary.east", "isothermal", "boundary.east_temperature", "1.2", "boundary.south", "wall",
      "boundary.north", "wall", "boundary.bottom", "wall", "boundary.top", "symmetry",
      "boundary.top_sponge", "0.3", "compressible.sponge_strength", "5",
      "compressible.sponge_density", "1", "compressible.sponge_pressure", "1",
      "body_force", "0.1 -0.2 0.3", "compressible.viscosity", "0.01",
      "initial.velocity_x", "0.2*sin(2*pi*y)*sin(2*pi*z)", NULL } },
  { "between plates, of which one moves", 3, 12, 0,
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "boundary.bottom", "isothermal",
      "boundary.bottom_temperature", "1.2", "boundary.top", "wall",
      "boundary.top_velocity", "0.5 0.2 0", "compressible.viscosity", "0.01",
      "initial.velocity_x", "0.2*sin(2*pi*y)*sin(2*pi*z)", NULL } },
  { "Sutherland's law and van Albada's slopes", 3, 12, 0,
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "compressible.slopes", "van-albada",
      "compressible.viscosity", "0.01", "compressible.sutherland", "0.4",
      "compressible.viscosity_at", "1",
      "initial.velocity_y", "0.7*sin(2*pi*x)*cos(2*pi*z)", "initial.pressure",
      "1 + 0.5*cos(2*pi*y)", NULL } },
  { "AUSM+", 3, 12, 0,
    { "grid.nx", "16", "grid.ny", "16", "grid.nz", "16", "compressible.slopes", "van-albada",
      "compressible.flux", "ausm+", "initial.velocity_z", "0.7*sin(2*pi*x)*cos(2*pi*y)",
      "initial.pressure", "x + 2*y < z + 1 ? 1 : 0.1", NULL } },
  { "a blast in two dimensions, which the grid follows", 2, 24, 1,
    { "grid.nx", "48", "grid.ny", "48", "grid.levels", "2",
      "mesh.refine", "density 0.1; pressure 0.1", "compressible.slopes", "van-albada",
      "compressible.flux", "hllc", "boundary.west", "wall", "boundary.east", "outflow",
      "boundary.south", "symmetry", "boundary.north", "outflow", "compressible.viscosity", "0.001",
      "initial.velocity_x", "0.4*cos(7*y)", "initial.pressure",
      "0.1 + 20*exp(-(4*(x-0.3)^2 + (y-0.45)^2)/0.02)", NULL } },
};

/* ---- names -------------------------------------------------------------------------- */

static const char *const sides[] = { "west", "east", "south", "north", "bottom", "top" };

/* The side's number, or -1. */
static int side_of(const char *key)
{
  for (int i = 0; i < 6; i++)
    if (strncmp(key, "boundary.", 9) == 0 && strncmp(key + 9, sides[i], strlen(sides[i])) == 0)
      return i;
  return -1;
}

static void rename_key(const char *key, const int to[3], char *out)
{
  const int side = side_of(key);
  const size_t length = strlen(key);
  snprintf(out, LENGTH, "%s", key);
  if (side >= 0)
    snprintf(out, LENGTH, "boundary.%s%s", sides[2 * to[side / 2] + side % 2],
             key + 9 + strlen(sides[side]));
  else if (strncmp(key, "initial.velocity_", 17) == 0 || strncmp(key, "grid.n", 6) == 0)
    out[length - 1] = (char)('x' + to[key[length - 1] - 'x']);
}

/* Numbers by axis, `each` to an axis. */
static void rename_numbers(const char *text, const int to[3], int each, int axes, char *out)
{
  double number[6];
  assert_int_equal(sscanf(text, "%lf %lf %lf %lf %lf %lf", &number[0], &number[1], &number[2],
                          &number[3], &number[4], &number[5]), each * axes);
  *out = 0;
  for (int a = 0; a < axes; a++)
    for (int from = 0; from < axes; from++)
      for (int k = 0; to[from] == a && k < each; k++)
        snprintf(out + strlen(out), LENGTH - strlen(out), "%s%.17g", *out ? " " : "",
                 number[each * from + k]);
}

/* In formulas the names x, y and z that are no part of a word. */
static void rename_text(const char *key, const char *text, const int to[3], int axes, char *out)
{
  const int is_boxes = strcmp(key, "mesh.refine") == 0 && isdigit((unsigned char)*text);
  const size_t length = strlen(text);
  snprintf(out, LENGTH, "%s", text);
  if (is_boxes || strcmp(key, "body_force") == 0 ||
      (side_of(key) >= 0 && strstr(key, "_velocity")))
    rename_numbers(text, to, is_boxes ? 2 : 1, axes, out);
  else if (strncmp(key, "initial.", 8) == 0)
    for (size_t i = 0; i < length; i++)
      if (text[i] >= 'x' && text[i] <= 'z' && !(i > 0 && isalpha((unsigned char)text[i - 1])) &&
          !isalpha((unsigned char)text[i + 1]))
        out[i] = (char)('x' + to[text[i] - 'x']);
}

/* ---- flows -------------------------------------------------------------------------- */

static fv_run flow_along(trm_device *device, trm_precision precision, const flow *of,
                         const int to[3])
{
  char keys[TEXTS][LENGTH], texts[TEXTS][LENGTH];
  const char *sets[TEXTS + 1];
  int count = 0;
  for (; of->sets[count]; count += 2) {
    rename_key(of->sets[count], to, keys[count]);
    rename_text(of->sets[count], of->sets[count + 1], to, of->axes, texts[count]);
    sets[count] = keys[count];
    sets[count + 1] = texts[count];
  }
  sets[count] = NULL;
  fv_run run = fv_run_begin(device, precision, sets);
  fv_run_advance(&run, INFINITY, of->steps, of->steps);
  return run;
}

/* How many values differ: v[component][z][y][x], and w along the axes that they were renamed to. */
static size_t count_differences(const trm_field *f, const double *v, const double *w,
                                const int to[3])
{
  const size_t n[3] = { f->nx, f->ny, f->nz }, all = n[0] * n[1] * n[2];
  size_t differences = 0;
  for (size_t c = 0; c < (size_t)f->components; c++)
    for (size_t i = 0; i < all; i++) {
      const size_t at[3] = { i % n[0], i / n[0] % n[1], i / (n[0] * n[1]) };
      size_t there[3];
      for (int a = 0; a < 3; a++) there[to[a]] = at[a];
      const size_t component = f->components == 3 ? (size_t)to[c] : c;
      const double *other = w + component * all;
      differences += !(v[c * all + i] == other[(there[2] * n[1] + there[1]) * n[0] + there[0]]);
    }
  return differences;
}

static void compare_along(trm_device *device, trm_precision precision, const flow *of,
                          const int to[3])
{
  static const int own[3] = { 0, 1, 2 };
  static const char *const fields[] = { "density", "momentum", "energy" };
  fv_run one = flow_along(device, precision, of, own);
  fv_run other = flow_along(device, precision, of, to);
  assert_int_equal(one.solver->step, of->steps);
  assert_true(!of->adapts || ((fv_solver *)one.solver)->adapt.count > 0);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    double *v = fv_run_values(&one, fields[i]), *w = fv_run_values(&other, fields[i]);
    const trm_field *f = &one.solver->fields[i];
    assert_string_equal(f->name, fields[i]);
    const size_t differences = count_differences(f, v, w, to);
    if (differences)
      fail_msg("%s, %s: %zu of %zu values of %s differ", of->name, trm_precision_name(precision),
               differences, (size_t)f->components * f->nx * f->ny * f->nz, fields[i]);
    free(v);
    free(w);
  }
  fv_run_end(&one);
  fv_run_end(&other);
}

/* All orders of three axes are made of these two; of two axes, of the first. */
static void compare_all(trm_device *device, trm_precision precision)
{
  static const int swapped[3] = { 1, 0, 2 }, turned[3] = { 1, 2, 0 };
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
    compare_along(device, precision, &flows[i], swapped);
    if (flows[i].axes == 3) compare_along(device, precision, &flows[i], turned);
  }
}

static void a_flow_does_not_depend_on_the_axes_names(trm_device *device)
{
  test_is_long_elsewhere(device);
  compare_all(device, TRM_F32);
}
static void nor_in_double_precision(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  compare_all(device, TRM_F64);
}

/* The octant of a blast, cases/sedov: the state is its own image. */
static void assert_own_image(trm_device *device, const char *const *sets, uint64_t steps)
{
  static const int swapped[3] = { 1, 0, 2 }, turned[3] = { 1, 2, 0 };
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  fv_run_advance(&run, 1.0, steps, 64);
  for (size_t i = 0; i < 3; i++) {
    const trm_field *f = &run.solver->fields[i];
    double *v = fv_run_values(&run, f->name);
    assert_int_equal(count_differences(f, v, v, swapped), 0);
    assert_int_equal(count_differences(f, v, v, turned), 0);
    free(v);
  }
  fv_run_end(&run);
}

static void a_blast_is_the_same_along_all_axes(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const sets[] = { "case", "sedov", NULL };
  test_needs_f64(device);
  assert_own_image(device, sets, 16);
}

static void a_blast_is_the_same_along_all_axes_to_its_end(trm_device *device)
{
  static const char *const sets[] = { "case", "sedov", NULL };
  test_is_long();
  test_needs_f64(device);
  assert_own_image(device, sets, 100000);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_flow_does_not_depend_on_the_axes_names),
    TEST_DEVICE(nor_in_double_precision),
    TEST_DEVICE(a_blast_is_the_same_along_all_axes),
    TEST_DEVICE(a_blast_is_the_same_along_all_axes_to_its_end),
  };
  return TEST_RUN(argc, argv, cases);
}
