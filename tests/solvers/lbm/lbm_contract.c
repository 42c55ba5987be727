/* lbm_contract.c - what the lattice-Boltzmann solver declares is so: fields, series, traffic,
 * memory, the end of an advance, and the cases that it refuses. */
#include "tests/solvers/lbm/lbm_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solvers/lbm/box.h"

static trm_type type_of(const char *field, trm_precision precision)
{
  return strcmp(field, "solid") == 0 ? TRM_TYPE_U8 : trm_real_type(precision);
}

/* Rows with their ghosts, and components, do not run into each other nor out of the buffer. */
static void lies_inside(const trm_field *field, size_t ghosts)
{
  const trm_layout *l = &field->layout;
  const size_t components = (size_t)field->components;
  assert_true(l->first >= ghosts);
  assert_true(l->row >= field->nx + (ghosts ? 1 : 0));
  if (components > 1) assert_true(l->component >= l->row * field->ny);
  const size_t last = l->first + (components - 1) * l->component + (field->ny - 1) * l->row +
                      field->nx - 1 + ghosts;
  assert_true((last + 1) * trm_type_size(field->type) <= trm_buffer_bytes(field->buffer));
}

static void fields_are_declared_as_they_are(trm_device *device)
{
  static const struct { const char *name, *unit; int components, is_state, in_picture; } known[] = {
    {"populations", "lattice", 9, 1, 0}, {"velocity", "lattice", 2, 0, 0},
    {"speed", "lattice", 1, 0, 1},       {"pressure", "lattice", 1, 0, 0},
    {"solid", "1", 1, 0, 0}};
  const size_t ghosts = (size_t)trm_device_describe(device)->ghost_columns;
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[LBM_ODD], (trm_precision)p, NULL);
    assert_int_equal(run.solver->field_count, COUNT(known));
    for (size_t i = 0; i < COUNT(known); i++) {
      const trm_field *field = lbm_field(&run, known[i].name);
      assert_string_equal(field->unit, known[i].unit);
      assert_true(field->help && *field->help);
      assert_int_equal(field->type, type_of(field->name, (trm_precision)p));
      assert_int_equal(field->components, known[i].components);
      assert_int_equal((field->flags & TRM_FIELD_STATE) == TRM_FIELD_STATE, known[i].is_state);
      assert_int_equal(field->in_picture, known[i].in_picture);
      assert_true(field->nx == 97 && field->ny == 61 && field->nz == 1);
      lies_inside(field, ghosts);
    }
    lbm_end(&run);
  }
}

static void the_series_has_room_for_a_batch(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[LBM_ODD], (trm_precision)p, NULL);
    const trm_series *series = run.solver->series;
    assert_int_equal(run.solver->series_count, 1);
    assert_string_equal(series->name, "mean_speed");
    assert_string_equal(series->unit, "lattice");
    assert_int_equal(series->type, trm_real_type((trm_precision)p));
    assert_true(series->divisor > 0);
    assert_true((series->first + run.solver->batch_limit) * trm_type_size(series->type) <=
                trm_buffer_bytes(series->buffer));
    lbm_end(&run);
  }
}

/* Density and momentum of the populations of cell i. */
static void moments_of(const double *f, int i, int cells, double *rho, double *mx, double *my)
{
  static const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  *rho = *mx = *my = 0;
  for (int k = 0; k < 9; k++) {
    *rho += f[k * cells + i];
    *mx += ex[k] * f[k * cells + i];
    *my += ey[k] * f[k * cells + i];
  }
}

static void derived_fields_follow_from_the_populations(trm_device *device)
{
  static const double epsilon[] = {1e-6, 1e-14};
  const lbm_case *lbm = &lbm_cases[LBM_ODD];
  const int cells = lbm->nx * lbm->ny;
  uint8_t *mask = lbm_mask(lbm);
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, lbm, (trm_precision)p, NULL);
    lbm_steps(&run, 301, 0, 0);
    double *f = lbm_values(&run, "populations"), *solid = lbm_values(&run, "solid");
    TEST_OK(run.solver->type->observe(run.solver));
    double *u = lbm_values(&run, "velocity"), *speed = lbm_values(&run, "speed");
    double *pressure = lbm_values(&run, "pressure");
    double sum = 0, fluid = 0;
    for (int i = 0; i < cells; i++) {
      double rho, mx, my;
      moments_of(f, i, cells, &rho, &mx, &my);
      assert_int_equal((int)solid[i], mask[i]);
      if (mask[i]) {
        assert_true(u[i] == 0 && u[cells + i] == 0 && speed[i] == 0);
        TEST_CLOSE(pressure[i], 0.1 / 3, epsilon[p]);
        continue;
      }
      assert_true(fabs(u[i] - mx / rho) <= epsilon[p]);
      assert_true(fabs(u[cells + i] - my / rho) <= epsilon[p]);
      TEST_CLOSE(pressure[i], rho / 3, epsilon[p]);
      assert_true(fabs(speed[i] - hypot(mx, my) / rho) <= epsilon[p]);
      sum += speed[i];
      fluid++;
    }
    TEST_CLOSE(lbm_speed(&run, 300), sum / fluid, 10 * epsilon[p]);
    free(f);
    free(solid);
    free(u);
    free(speed);
    free(pressure);
    lbm_end(&run);
  }
  free(mask);
}

static void a_run_begins_at_rest(trm_device *device)
{
  const lbm_case *lbm = &lbm_cases[LBM_ODD];
  const int cells = lbm->nx * lbm->ny;
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, lbm, (trm_precision)p, NULL);
    assert_int_equal(run.solver->step, 0);
    assert_true(run.solver->time == 0);
    double *f = lbm_values(&run, "populations");
    for (int k = 0; k < 9; k++) {
      const double rest = 0.1 * (k == 0 ? 4.0 / 9 : k < 5 ? 1.0 / 9 : 1.0 / 36);
      for (int i = 0; i < cells; i++) TEST_CLOSE(f[k * cells + i], rest, p ? 1e-15 : 1e-7);
    }
    free(f);
    lbm_end(&run);
  }
}

/* and a word of walls and a partial sum for 32 cells of a row */
static void traffic_is_nine_streams_in_and_out(trm_device *device)
{
  for (int p = 0; p < lbm_precisions(device); p++) {
    lbm_run run;
    lbm_begin(&run, device, &lbm_cases[LBM_WIDE], (trm_precision)p, NULL);
    const trm_traffic *traffic = run.solver->traffic;
    assert_int_equal(run.solver->traffic_count, 1);
    assert_string_equal(traffic->kernel, "lbm_step");
    assert_true(traffic->calls_per_step == 1);
    const double size = p ? 8 : 4, lattice = 9 * size * 1030 * 70, leaves = 33 * 70;
    assert_true(traffic->bytes_read == lattice + 4 * leaves);
    assert_true(traffic->bytes_written == lattice + size * leaves);
    assert_true(traffic->flops > 0);
    assert_true(run.solver->cells == 1030.0 * 70);
    lbm_end(&run);
  }
}

/* The real thing: a solver of 4096 x 4096 cells on a device without ghost columns, as GPUs are. */
static void memory_is_two_lattices_and_little_more(trm_device *device)
{
  static const lbm_case large = {"large", 4096, 4096, 1, OPEN, NULL};
  const double lattices = 2.0 * 9 * 4 * 4096 * 4096;
  if (trm_device_describe(device)->ghost_columns)
    TEST_SKIP("this device has ghost columns: the limit is one for GPUs");
  if ((double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) < 4e9)
    TEST_SKIP("less than 4 GB of free memory");
  lbm_run run;
  lbm_begin(&run, device, &large, TRM_F32, NULL);
  const lbm_box *lbm = (const lbm_box *)run.solver;
  trm_buffer *const buffers[] = {lbm->lattice[0], lbm->lattice[1], lbm->solid,
                                 lbm->partial,    lbm->window,     lbm->sums};
  double bytes = 0;
  for (size_t i = 0; i < COUNT(buffers); i++) bytes += (double)trm_buffer_bytes(buffers[i]);
  print_message("%.2f %% above two lattices\n", 100 * (bytes / lattices - 1));
  assert_true(bytes > lattices);
  assert_true(bytes < 1.04 * lattices);
  lbm_end(&run);
}

static void an_advance_ends_where_it_is_told(trm_device *device)
{
  lbm_run run;
  uint64_t done = 99;
  lbm_begin(&run, device, &lbm_cases[LBM_TINY], TRM_F32, NULL);
  trm_solver *solver = run.solver;
  TEST_OK(solver->type->advance(solver, 10, 4.0, 1, &done));
  assert_int_equal(done, 4);
  TEST_OK(solver->type->advance(solver, 10, 4.0, 1, &done)); /* it is there */
  assert_int_equal(done, 0);
  TEST_OK(solver->type->advance(solver, 10, 6.5, 1, &done)); /* steps are whole */
  assert_int_equal(done, 3);
  TEST_OK(solver->type->advance(solver, 5, 1e300, 1, &done));
  assert_int_equal(done, 5);
  assert_int_equal(solver->step, 12);
  assert_true(solver->time == 12);
  assert_true(solver->batch_limit >= 1);
  TEST_OK(solver->type->advance(solver, solver->batch_limit + 1, (double)INFINITY, 1, &done));
  assert_int_equal(done, solver->batch_limit);
  lbm_end(&run);
}

/* ---- refusals ---------------------------------------------------------------- */

static void too_few_rows_or_columns_are_refused(void)
{
  const trm_solver_type *type = lbm_type();
  const size_t count = type->option_count;
  trm_config *config = NULL;
  TEST_OK(trm_config_create(&type->options, &count, 1, &config));
  TEST_FAILS(trm_config_set(config, "grid.ny", "2", "case.conf:3"), TRM_ERROR_INPUT,
             "case.conf:3: grid.ny");
  TEST_FAILS(trm_config_set(config, "grid.nx", "2", "case.conf:4"), TRM_ERROR_INPUT,
             "case.conf:4: grid.nx");
  TEST_OK(trm_config_set(config, "grid.nx", "3", "case.conf:4"));
  TEST_FAILS(trm_config_check(config), TRM_ERROR_INPUT, "grid.ny"); /* nothing was set */
  trm_config_destroy(&config);
}

static void a_grid_beyond_the_kernels_integers_is_refused(trm_device *device)
{
  static const lbm_case huge[] = {
    {"huge", 65536, 32768, 1, OPEN, NULL},
    {"wider", 1 << 30, 3, 1, OPEN, NULL},
    {"square", 1 << 30, 1 << 30, 1, OPEN, NULL}};
  for (size_t i = 0; i < COUNT(huge); i++) lbm_refused(device, &huge[i], "too large");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(fields_are_declared_as_they_are),
    TEST_DEVICE(the_series_has_room_for_a_batch),
    TEST_DEVICE(derived_fields_follow_from_the_populations),
    TEST_DEVICE(a_run_begins_at_rest),
    TEST_DEVICE(traffic_is_nine_streams_in_and_out),
    TEST_DEVICE(memory_is_two_lattices_and_little_more),
    TEST_DEVICE(an_advance_ends_where_it_is_told),
    TEST_HOST(too_few_rows_or_columns_are_refused),
    TEST_DEVICE(a_grid_beyond_the_kernels_integers_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
