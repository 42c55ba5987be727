/* lbm_cylinder.c - the Geneva course's cylinder against the course's own script (tests/data), in
 * one kernel and in eight; the force against the momentum balance. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/lbm/channel/channel.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char course[] =
  "lbm.flow=geneva|grid.nx=420|grid.ny=180|lbm.speed=0.04|lbm.perturbation=1e-4|lbm.reynolds=150|"
  "lbm.reynolds_dim=20|bodies.shapes=cylinder 105.5 90.5 20|probes=165 90";

static FILE *open_data(const char *name)
{
  FILE *file = fopen(test_data(name), "r");
  if (!file) fail_msg("%s cannot be opened", test_data(name));
  return file;
}

/* Density and velocity of every sampled cell before the collision of pass n. */
static void hold_cells(flow_run *run, long n, double tolerance)
{
  const size_t cells = 420 * 180;
  double *velocity = flow_values(run, "velocity"), *density = flow_values(run, "density");
  FILE *file = open_data("cylinder_420x180.txt");
  char line[256];
  double off = 0;
  int held = 0;
  while (fgets(line, sizeof line, file)) {
    long at;
    int x, y;
    double rho, ux, uy;
    if (sscanf(line, "cell %ld %d %d %lf %lf %lf", &at, &x, &y, &rho, &ux, &uy) != 6 || at != n)
      continue;
    const size_t i = (size_t)y * 420 + (size_t)x;
    off = fmax(off, fabs(density[i] - rho));
    off = fmax(off, fabs(velocity[i] - ux));
    off = fmax(off, fabs(velocity[cells + i] - uy));
    held++;
  }
  fclose(file);
  print_message("pass %ld: %d cells, off by at most %.2g\n", n, held, off);
  assert_int_equal(held, 120);
  assert_true(off <= tolerance);
  free(velocity);
  free(density);
}

/* Sums over every column and row, so that no cell's error is left out. */
static void hold_sums(flow_run *run, long n, double tolerance)
{
  double *velocity = flow_values(run, "velocity"), *density = flow_values(run, "density");
  const double *const fields[] = {density, velocity, velocity + 420 * 180};
  FILE *file = open_data("cylinder_sums.txt");
  char line[256], what[16];
  double off = 0, sums[3];
  int held = 0, at;
  long pass;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%15s %ld %d %lf %lf %lf", what, &pass, &at, sums, sums + 1, sums + 2) != 6 ||
        pass != n)
      continue;
    const int is_row = strcmp(what, "row") == 0, count = is_row ? 420 : 180;
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int i = 0; i < count; i++)
        sum += fields[k][is_row ? at * 420 + i : i * 420 + at] - (k == 0);
      off = fmax(off, fabs(sum - sums[k]));
    }
    held++;
  }
  fclose(file);
  print_message("pass %ld: %d sums, off by at most %.2g\n", n, held, off);
  assert_int_equal(held, 420 + 180);
  assert_true(off <= tolerance);
  free(velocity);
  free(density);
}

/* The series' step i is pass i. */
static void hold_probe(const flow_run *run, long passes, double tolerance)
{
  FILE *file = open_data("cylinder_420x180.txt");
  char line[256];
  double off = 0;
  int held = 0;
  while (fgets(line, sizeof line, file)) {
    long at;
    double ux, uy, rho;
    if (sscanf(line, "probe %ld %lf %lf %lf", &at, &ux, &uy, &rho) != 4 || at >= passes) continue;
    off = fmax(off, fabs(flow_series(run, "probe1_u")[at] - ux));
    off = fmax(off, fabs(flow_series(run, "probe1_v")[at] - uy));
    off = fmax(off, fabs(flow_series(run, "probe1_density")[at] - rho));
    held++;
  }
  fclose(file);
  print_message("probe: %d passes, off by at most %.2g\n", held, off);
  assert_true(held >= 30);
  assert_true(off <= tolerance);
}

static void passes_1_100_and_1000_are_the_scripts(trm_device *device)
{
  test_is_spared(device);
  flow_run run;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, course);
  flow_steps(&run, 1, 0);
  hold_cells(&run, 1, 1e-12);
  flow_steps(&run, 99, 0);
  hold_cells(&run, 100, 1e-12);
  flow_steps(&run, 900, 0);
  hold_cells(&run, 1000, 1e-12);
  hold_sums(&run, 1000, 1e-11);
  hold_probe(&run, 1000, 1e-12);
  flow_end(&run);
}

static void pass_20000_is_the_scripts(trm_device *device)
{
  flow_run run;
  test_is_long();
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, course);
  flow_steps(&run, 20000, 0);
  hold_cells(&run, 20000, 1e-10);
  hold_sums(&run, 20000, 1e-9);
  hold_probe(&run, 20000, 1e-10);
  flow_end(&run);
}

/* The cylinder sheds with a period of 4135.67 passes once it does so regularly. */
static void vortices_leave_in_the_known_period(trm_device *device)
{
  char settings[512];
  flow_run run;
  test_is_long();
  if (!trm_device_describe(device)->is_host && strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("openmp and cuda show it; the bits are those of every backend");
  test_needs_f64(device);
  snprintf(settings, sizeof settings, "%s|lbm.statistics_from=60000", course);
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 120000, 0);
  const double period = flow_result(&run, "period");
  print_message("period %.3f, strouhal %.5f, %g periods\n", period, flow_result(&run, "strouhal"),
                flow_result(&run, "periods"));
  assert_true(fabs(period / 4135.67 - 1.0) < 0.005);
  TEST_CLOSE(flow_result(&run, "strouhal"), 40.0 / (period * 0.04), 1e-12);
  flow_end(&run);
}

/* ---- regular periods ----------------------------------------------------------------- */

static int has_result(flow_run *run, const char *name)
{
  (void)flow_result(run, "periods"); /* finishes the run */
  for (size_t i = 0; i < run->solver->result_count; i++)
    if (strcmp(run->solver->results[i].name, name) == 0) return 1;
  return 0;
}

/* The lift of the first steps is noise: eight irregular crossings of zero within 27 steps; regular
 * ones every 1.8 steps at first, and sound takes 5.2 steps to pass the box. */
static void the_noise_of_a_start_has_no_strouhal_number(trm_device *device)
{
  test_is_spared(device);
  static const struct { const char *settings; uint64_t steps; double periods; } starts[] = {
    {"lbm.flow=geneva|grid.nx=256|grid.ny=176|lbm.speed=0.04|lbm.perturbation=1e-4|"
     "lbm.reynolds=150|lbm.reynolds_dim=20|bodies.shapes=cylinder 105.5 90.5 20", 100, 1},
    {"lbm.flow=channel|grid.nx=32|grid.ny=32|boundary.west=periodic|boundary.east=periodic|"
     "boundary.south=periodic|boundary.north=periodic|lbm.viscosity=0.005|lbm.reference_speed=0.01|"
     "bodies.shapes=box 14 3 17 6|initial.velocity_x=0|initial.velocity_y=0.01*sin(2*pi*y/ny)",
         36, 5}};
  test_needs_f64(device);
  for (size_t i = 0; i < 2; i++) {
    flow_run run;
    flow_begin(&run, device, TRM_F64, starts[i].settings);
    flow_steps(&run, starts[i].steps, 0);
    assert_true(flow_result(&run, "periods") == starts[i].periods);
    assert_false(has_result(&run, "period"));
    assert_false(has_result(&run, "strouhal"));
    flow_end(&run);
  }
}

/* The mean of the latest periods within 5 % of one another, by the series of the lift. */
static double mean_period(const double *lift, int steps, int *count)
{
  double first = 0, last = 0, least = 0, most = 0;
  int crossings = 0;
  for (int t = 1; t < steps; t++) {
    if (!(lift[t - 1] < 0.0 && lift[t] >= 0.0)) continue;
    const double at = t - 1 + lift[t - 1] / (lift[t - 1] - lift[t]), period = at - last;
    const int begins = crossings < 2 || fmax(most, period) > 1.05 * fmin(least, period);
    first = crossings == 0 ? at : begins ? last : first;
    least = begins ? period : fmin(least, period);
    most = begins ? period : fmax(most, period);
    crossings = crossings == 0 ? 1 : begins ? 2 : crossings + 1;
    last = at;
  }
  *count = crossings - 1;
  return (last - first) / *count;
}

/* Sound between the two faces of a wall in a periodic column: noise at first, from the sharp
 * start, then a period of the 30 cells between the faces, times sqrt(3). */
static void five_regular_periods_have_a_strouhal_number(trm_device *device)
{
  test_is_spared(device);
  flow_run run;
  int count;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64,
             "lbm.flow=channel|grid.nx=4|grid.ny=32|boundary.west=periodic|boundary.east=periodic|"
             "boundary.south=periodic|boundary.north=periodic|lbm.viscosity=0.02|"
             "lbm.reference_speed=0.01|"
             "bodies.shapes=box 0 15 4 17|initial.velocity_x=0|initial.velocity_y=0.001|probes=0 "
             "0");
  flow_steps(&run, 540, 0);
  assert_true(flow_result(&run, "periods") == 4.0);
  assert_false(has_result(&run, "period"));
  flow_steps(&run, 460, 0);
  const double mean = mean_period(flow_series(&run, "lift"), 1000, &count);
  const double period = flow_result(&run, "period");
  print_message("%d periods of %.3f steps\n", count, period);
  assert_int_equal(count, 12);
  assert_int_equal(flow_result(&run, "periods"), count);
  TEST_CLOSE(period, mean, 1e-9);
  assert_true(fabs(period / (30.0 * sqrt(3.0)) - 1.0) < 0.002);
  TEST_CLOSE(flow_result(&run, "strouhal"), 2.0 / (period * 0.01), 1e-12);
  flow_end(&run);
}

/* ---- one kernel and eight ------------------------------------------------------------ */

/* Narrow rows, a box and a polygon, a perturbation that is large. */
static const char small[] =
  "lbm.flow=geneva|grid.nx=%d|grid.ny=%d|lbm.speed=0.06|lbm.perturbation=0.2|lbm.viscosity=0.02|"
  "bodies.shapes=cylinder 12.5 9.5 4; box 20 2 23 6; polygon 20 12 26 13 22 16|"
  "probes=0 3; 16 9; 30 18; 25 4|lbm.implementation=%s";

static void run_small(flow_run *run, trm_device *device, trm_precision precision, int nx, int ny,
                      const char *kernels, uint64_t batch)
{
  char settings[512];
  snprintf(settings, sizeof settings, small, nx, ny, kernels);
  flow_begin(run, device, precision, settings);
  flow_steps(run, 333, batch);
}

static void same_series(const flow_run *a, const flow_run *b)
{
  assert_int_equal(a->solver->series_count, b->solver->series_count);
  for (size_t i = 0; i < a->solver->series_count; i++)
    TEST_SAME_BITS(a->series[i], b->series[i], 333, TRM_TYPE_F64);
}

/* A host reads ghost columns in the fields that are derived: those of the last column hold them. */
static void same_fields(flow_run *a, flow_run *b)
{
  static const char *const names[] = {"density", "velocity", "speed", "vorticity"};
  const size_t cells = (size_t)a->solver->cells;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double *of_a = flow_values(a, names[i]), *of_b = flow_values(b, names[i]);
    TEST_SAME_BITS(of_a, of_b, (strcmp(names[i], "velocity") == 0 ? 2 : 1) * cells, TRM_TYPE_F64);
    free(of_b);
    free(of_a);
  }
}

static void eight_kernels_leave_the_same_bits_as_one(trm_device *device)
{
  test_is_spared(device);
  static const int sizes[][2] = {{31, 19}, {64, 20}, {130, 19}, {515, 19}};
  for (int p = 0; p <= trm_device_describe(device)->has_f64; p++)
    for (size_t i = 0; i < 4; i++) {
      flow_run fused, split;
      char a[33], b[33];
      run_small(&fused, device, (trm_precision)p, sizes[i][0], sizes[i][1], "fused", 0);
      run_small(&split, device, (trm_precision)p, sizes[i][0], sizes[i][1], "split", 0);
      flow_print(&fused, a);
      flow_print(&split, b);
      assert_string_equal(a, b);
      same_series(&fused, &split);
      same_fields(&fused, &split);
      flow_end(&split);
      flow_end(&fused);
    }
}

/* ---- forms of the eight kernels -------------------------------------------------------- */

static const char *const moments[] = {"memory|lbm.velocities=memory", "memory",
                                      "registers|lbm.velocities=memory",
                                      "registers|lbm.velocities=constants"};

static void run_form(flow_run *run, trm_device *device, trm_precision precision, const char *form)
{
  char kernels[160];
  snprintf(kernels, sizeof kernels, "split|lbm.moments=%s", form);
  run_small(run, device, precision, 70, 19, kernels, 0);
}

/* One print for all, another than that of sums in pairs; the same flow. */
static void forms_of_the_moments_share_their_bits(trm_device *device)
{
  const int is_host = trm_device_describe(device)->is_host;
  for (int p = 0; p <= trm_device_describe(device)->has_f64; p++) {
    flow_run pairs, first;
    char in_pairs[33], known[33], found[33];
    run_small(&pairs, device, (trm_precision)p, 70, 19, "split", 0);
    run_form(&first, device, (trm_precision)p, moments[0]);
    flow_print(&pairs, in_pairs);
    flow_print(&first, known);
    assert_string_not_equal(in_pairs, known);
    for (size_t i = 1; i < 2 * COUNT(moments); i++) {
      char form[120];
      flow_run other;
      const int is_across = i >= COUNT(moments);
      if (!test_takes(device, i, (trm_precision)p) || (is_across && is_host)) continue;
      snprintf(form, sizeof form, "%s%s", moments[i % COUNT(moments)],
               is_across ? "|lbm.items=across" : "|lbm.items=along");
      run_form(&other, device, (trm_precision)p, form);
      flow_print(&other, found);
      assert_string_equal(found, known);
      same_series(&first, &other);
      flow_end(&other);
    }
    double *a = flow_values(&pairs, "velocity"), *b = flow_values(&first, "velocity");
    for (size_t i = 0; i < 2 * 70 * 19; i++) assert_true(fabs(a[i] - b[i]) < (p ? 1e-13 : 1e-5));
    free(b);
    free(a);
    flow_end(&first);
    flow_end(&pairs);
  }
}

static double real_at(const char *raw, size_t i, int is_f32)
{
  return is_f32 ? (double)((const float *)(const void *)raw)[i]
                : ((const double *)(const void *)raw)[i];
}

/* volatile: gcc 12 leaves the rounding out of two sums that it makes side by side. */
static double rounded(double value, int is_f32)
{
  const volatile float in_f32 = (float)value;
  return is_f32 ? (double)in_f32 : value;
}

static char *read_all(trm_buffer *buffer)
{
  char *raw = malloc(trm_buffer_bytes(buffer));
  assert_non_null(raw);
  TEST_OK(trm_buffer_read(buffer, 0, trm_buffer_bytes(buffer), raw));
  return raw;
}

/* Velocity and density of a cell from the populations that came, 0 to 8 one after the other; but in
 * the first column, which the inflow changes. */
static void moments_are_summed_in_the_stated_order(trm_device *device)
{
  static const int ex[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  for (int p = 0; p <= trm_device_describe(device)->has_f64; p++)
    for (size_t i = 0; i < COUNT(moments); i += 3) {
      flow_run run;
      const int is_f32 = p == 0;
      run_form(&run, device, (trm_precision)p, moments[i]);
      const channel_solver *flow = (const channel_solver *)run.solver;
      const trm_layout *at = &flow->box.layout;
      char *in = read_all(flow->box.lattice[1]), *macro = read_all(flow->macro);
      for (size_t cell = 0; cell < 70 * 19; cell++) {
        const size_t place = at->first + cell / 70 * at->row + cell % 70;
        double sum[3] = {0};
        if (cell % 70 == 0) continue;
        for (size_t k = 0; k < 9; k++) {
          const double f = real_at(in, place + k * at->component, is_f32);
          sum[0] = rounded(sum[0] + ex[k] * f, is_f32);
          sum[1] = rounded(sum[1] + ey[k] * f, is_f32);
          sum[2] = rounded(sum[2] + f, is_f32);
        }
        for (size_t k = 0; k < 3; k++)
          assert_true(real_at(macro, place + k * at->component, is_f32) ==
                      (k == 2 ? sum[2] : rounded(sum[k] / sum[2], is_f32)));
      }
      free(macro);
      free(in);
      flow_end(&run);
    }
}

static void forms_without_sense_are_refused(trm_device *device)
{
  static const char flow[] = "lbm.flow=geneva|grid.nx=40|grid.ny=19|lbm.speed=0.06|"
                             "lbm.viscosity=0.02|bodies.shapes=cylinder 12.5 9.5 4|";
  char settings[400];
  snprintf(settings, sizeof settings, "%slbm.moments=memory", flow);
  flow_refused(device, settings, "lbm.implementation = split");
  snprintf(settings, sizeof settings, "%slbm.implementation=split|lbm.velocities=memory", flow);
  flow_refused(device, settings, "lbm.moments = memory or registers");
  flow_refused(device, "grid.nx=40|grid.ny=19|lbm.items=across", "\"geneva\"");
  if (!trm_device_describe(device)->is_host) return;
  flow_run run;
  snprintf(settings, sizeof settings, "%slbm.implementation=split|lbm.items=across", flow);
  TEST_FAILS(flow_try(&run, device, TRM_F32, settings), TRM_ERROR_UNSUPPORTED,
             "not testable here: a host has no groups");
}

static void batches_of_any_size_give_the_same_bits(trm_device *device)
{
  static const uint64_t batches[] = {1, 7, 130};
  flow_run whole;
  char a[33], b[33];
  run_small(&whole, device, TRM_F32, 131, 19, "fused", 0);
  flow_print(&whole, a);
  for (size_t i = 0; i < 3; i++) {
    flow_run parts;
    run_small(&parts, device, TRM_F32, 131, 19, "fused", batches[i]);
    flow_print(&parts, b);
    assert_string_equal(a, b);
    same_series(&whole, &parts);
    assert_true(flow_result(&whole, "drag_mean") == flow_result(&parts, "drag_mean"));
    assert_true(flow_result(&whole, "lift_max") == flow_result(&parts, "lift_max"));
    flow_end(&parts);
  }
  flow_end(&whole);
}

static void every_bit_is_the_one_of_every_backend(trm_device *device)
{
  for (int p = 0; p <= trm_device_describe(device)->has_f64; p++) {
    flow_run run;
    char print[33], force[64];
    run_small(&run, device, (trm_precision)p, 97, 23, "fused", 0);
    flow_print(&run, print);
    snprintf(force, sizeof force, "%a", flow_series(&run, "drag")[332]);
    test_is_known(print, "lbm/cylinder/%s/state", trm_precision_name((trm_precision)p));
    test_is_known(force, "lbm/cylinder/%s/drag", trm_precision_name((trm_precision)p));
    flow_end(&run);
  }
}

/* ---- forces -------------------------------------------------------------------------- */

/* A box of cells around all obstacles, away from inflow and outflow. */
enum { WEST = 4, EAST = 28, SOUTH = 0, NORTH = 18, NX = 40, NY = 19 };

static int is_inside(int x, int y)
{
  return x >= WEST && x < EAST && y >= SOUTH && y < NORTH;
}

/* The momentum of the fluid in the box, and what streaming will carry across the box's edges. */
static void balance(flow_run *run, double momentum[2], double carried[2])
{
  static const int ex[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  double *f = flow_values(run, "populations"), *solid = flow_values(run, "solid");
  momentum[0] = momentum[1] = carried[0] = carried[1] = 0;
  for (int k = 0; k < 9; k++)
    for (int y = 0; y < NY; y++)
      for (int x = 1; x < NX - 1; x++) {
        const int to_x = x + ex[k], to_y = (y + ey[k] + NY) % NY;
        const double value = f[(k * NY + y) * NX + x];
        const int stays = is_inside(to_x, to_y) - is_inside(x, y);
        if (solid[y * NX + x] != 0.0) continue;
        if (is_inside(x, y)) momentum[0] += ex[k] * value;
        if (is_inside(x, y)) momentum[1] += ey[k] * value;
        carried[0] += stays * ex[k] * value;
        carried[1] += stays * ey[k] * value;
      }
  free(solid);
  free(f);
}

/* What the fluid around the obstacles loses from one pass to the next they gain: on the way to them
 * in the later pass, on the way back in the earlier one. */
static void the_force_is_what_the_fluid_loses(trm_device *device)
{
  test_is_spared(device);
  static const char *const kernels[] = {"fused", "split"};
  test_needs_f64(device);
  for (int i = 0; i < 2; i++) {
    flow_run run;
    double before[2], after[2], carried[2], unused[2];
    run_small(&run, device, TRM_F64, NX, NY, kernels[i], 0);
    balance(&run, before, carried);
    flow_steps(&run, 1, 0);
    balance(&run, after, unused);
    /* the small case's coefficients are of speed 0.06 and the shapes' height, 14 */
    const double scale = 0.5 * 0.06 * 0.06 * 14.0;
    const double *drags = flow_series(&run, "drag"), *lifts = flow_series(&run, "lift");
    const double drag = 0.5 * scale * (drags[332] + drags[333]);
    const double lift = 0.5 * scale * (lifts[332] + lifts[333]);
    print_message("drag %.15g, lift %.15g\n", drag, lift);
    assert_true(drag > 1e-3);
    assert_true(fabs(before[0] + carried[0] - after[0] - drag) < 1e-13);
    assert_true(fabs(before[1] + carried[1] - after[1] - lift) < 1e-13);
    flow_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(passes_1_100_and_1000_are_the_scripts),
    TEST_DEVICE(the_noise_of_a_start_has_no_strouhal_number),
    TEST_DEVICE(five_regular_periods_have_a_strouhal_number),
    TEST_DEVICE(eight_kernels_leave_the_same_bits_as_one),
    TEST_DEVICE(forms_of_the_moments_share_their_bits),
    TEST_DEVICE(moments_are_summed_in_the_stated_order),
    TEST_DEVICE(forms_without_sense_are_refused),
    TEST_DEVICE(batches_of_any_size_give_the_same_bits),
    TEST_DEVICE(every_bit_is_the_one_of_every_backend),
    TEST_DEVICE(the_force_is_what_the_fluid_loses),
    TEST_DEVICE(pass_20000_is_the_scripts),
    TEST_DEVICE(vortices_leave_in_the_known_period),
  };
  return TEST_RUN(argc, argv, cases);
}
