/* compressible_blocks.c - the same flow in other blocks has the same bits: in two dimensions, in
 * blocks of 16 x 16 cells, and in three, the same in each plane, in blocks of 8 x 8 x 8. */
#include "tests/solvers/compressible/fv_run.h"

#include <stdlib.h>
#include <string.h>

enum { NX = 48, NY = 32, DEPTH = 8, PLANE = NX * NY };

#define SIZE "grid.nx", "48", "grid.ny", "32", "compressible.cfl", "0.4"
#define SHOCK \
  "compressible.slopes", "van-albada", "boundary.west", "symmetry", "boundary.east", "outflow", \
  "initial.pressure", "x + y < 0.6 ? 1 : 0.1", "initial.density", \
  "x + y < 0.6 ? 1 : 0.125"
#define SWIRL \
  "compressible.viscosity", "0.002", "initial.velocity_x", "0.3*sin(2*pi*x)*cos(3*pi*y)", \
  "initial.velocity_y", "-0.2*cos(2*pi*x)*sin(3*pi*y)"

static const struct { const char *name, *sets[32]; } flows[] = {
  { "friction between walls",
    { SIZE, SWIRL, "boundary.south", "wall", "boundary.north", "isothermal",
      "boundary.north_velocity", "0.4 0 0", "boundary.north_temperature", "1.2", NULL } },
  { "Sutherland's law", { SIZE, SWIRL, "compressible.sutherland", "0.4",
      "compressible.viscosity_at", "1", NULL } },
  { "a shock by ausm", { SIZE, SHOCK, NULL } },
  { "a shock by ausm+", { SIZE, SHOCK, "compressible.flux", "ausm+", NULL } },
  { "a shock by hllc", { SIZE, SHOCK, "compressible.flux", "hllc", NULL } },
};

/* The state of two dimensions in each plane of three. */
static void repeat_state(const fv_run *flat, const fv_run *deep)
{
  for (size_t f = 0; f < flat->solver->field_count; f++) {
    const trm_field *from = &flat->solver->fields[f];
    if (!(from->flags & TRM_FIELD_KEPT)) continue;
    const size_t bytes = trm_type_size(from->type) * PLANE, all = (size_t)from->components * bytes;
    char *plane = malloc(all), *planes = malloc(DEPTH * all);
    assert_non_null(plane);
    assert_non_null(planes);
    TEST_OK(trm_field_read(from, plane));
    for (size_t i = 0; i < (size_t)from->components * DEPTH; i++)
      memcpy(planes + i * bytes, plane + i / DEPTH * bytes, bytes);
    TEST_OK(trm_field_write(&deep->solver->fields[f], planes));
    free(plane);
    free(planes);
  }
  TEST_OK(trm_solver_compressible.restore(deep->solver, 0, 0.0));
}

static size_t count_differences(const fv_run *flat, const fv_run *deep, const char *name)
{
  double *v = fv_run_values(flat, name), *w = fv_run_values(deep, name);
  const size_t components = strcmp(name, "momentum") == 0 ? 3 : 1;
  size_t differences = 0;
  for (size_t i = 0; i < components * DEPTH * PLANE; i++)
    differences += !(w[i] == v[i / (DEPTH * PLANE) * PLANE + i % PLANE]);
  free(v);
  free(w);
  return differences;
}

static void compare(trm_device *device, trm_precision precision)
{
  test_is_spared(device);
  static const char *const fields[] = { "density", "momentum", "energy" };
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
    const char *sets[34] = { "grid.nz", "8" };
    memcpy(sets + 2, flows[i].sets, sizeof flows[i].sets);
    fv_run flat = fv_run_begin(device, precision, flows[i].sets);
    fv_run deep = fv_run_begin(device, precision, sets);
    repeat_state(&flat, &deep);
    fv_run_advance(&flat, INFINITY, 20, 20);
    fv_run_advance(&deep, INFINITY, 20, 20);
    assert_true(flat.solver->step == 20 && deep.solver->step == 20);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      const size_t differences = count_differences(&flat, &deep, fields[f]);
      if (differences)
        fail_msg("%s, %s: %zu values of %s differ", flows[i].name, trm_precision_name(precision),
                 differences, fields[f]);
    }
    fv_run_end(&flat);
    fv_run_end(&deep);
  }
}

static void other_blocks_give_the_same_bits(trm_device *device) { compare(device, TRM_F32); }
static void and_in_double_precision(trm_device *device)
{
  test_needs_f64(device);
  compare(device, TRM_F64);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(other_blocks_give_the_same_bits),
    TEST_DEVICE(and_in_double_precision),
  };
  return TEST_RUN(argc, argv, cases);
}
