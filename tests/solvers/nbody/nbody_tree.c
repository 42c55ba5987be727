/* nbody_tree.c - Barnes and Hut's force against direct sums, and on bodies placed to be awkward. */
#include "tests/solvers/nbody/nbody_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct errors { double median, p99, largest; } errors;

/* Of the acceleration by the tree against that by all pairs, body by body. */
static errors compare(trm_device *device, const char *bodies, const char *tree,
                      trm_precision precision)
{
  char settings[512];
  size_t count = 0;
  nbody_run run;
  snprintf(settings, sizeof settings, "%s dt=0.01", bodies);
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  double *exact = nbody_values(&run, "acceleration", &count);
  nbody_end(&run);
  snprintf(settings, sizeof settings, "%s dt=0.01 force=tree %s", bodies, tree);
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  double *found = nbody_values(&run, "acceleration", NULL);
  nbody_end(&run);
  const size_t n = count / 3;
  double *relative = calloc(n, sizeof *relative);
  assert_non_null(relative);
  for (size_t i = 0; i < n; i++) {
    double error = 0.0, scale = 0.0;
    for (size_t c = 0; c < 3; c++) {
      error += pow(found[c * n + i] - exact[c * n + i], 2);
      scale += pow(exact[c * n + i], 2);
    }
    relative[i] = scale > 0.0 ? sqrt(error / scale) : sqrt(error);
  }
  qsort(relative, n, sizeof *relative, ascending);
  const errors of = {relative[n / 2], relative[n * 99 / 100], relative[n - 1]};
  free(relative);
  free(exact);
  free(found);
  return of;
}

static void the_error_lies_inside_the_published_curve_and_falls_with_theta(trm_device *device)
{
  test_is_spared(device);
  /* monopoles, s / d < theta: nbody_barneshut_error.csv */
  static const struct { const char *theta; double median, p99; } curve[] = {
    {"theta=1.0", 1.2e-2, 9.0e-2}, {"theta=0.7", 4.2e-3, 2.6e-2}, {"theta=0.5", 1.7e-3, 1.1e-2},
    {"theta=0.3", 4.3e-4, 2.4e-3}};
  double before = 1.0;
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof curve / sizeof curve[0]; i++) {
    const errors of = compare(device, "initial=plummer bodies=10000 softening=0", curve[i].theta,
                              TRM_F64);
    print_message("%s: median %.2e, 99 %% %.2e, largest %.2e\n", curve[i].theta, of.median, of.p99,
                  of.largest);
    if (!(of.median <= 1.3 * curve[i].median && of.p99 <= 1.3 * curve[i].p99))
      fail_msg("%s: median %g, 99 %% %g", curve[i].theta, of.median, of.p99);
    assert_true(of.median < before);
    before = of.median;
  }
}

static void theta_to_zero_is_the_direct_sum(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
  const errors of = compare(device, "initial=plummer bodies=1003 softening=0", "theta=1e-9",
                            TRM_F64);
  if (!(of.largest <= 1e-12 && of.median <= 1e-13))
    fail_msg("median %g, largest %g", of.median, of.largest);
}

/* A file of n bodies whose place is place(i). */
static const char *write_bodies(const char *name, int n, void (*place)(int, double[3]))
{
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < n; i++) {
    double x[3] = {0, 0, 0};
    place(i, x);
    fprintf(file, "%.17g %.17g %.17g 0 0 0 %d\n", x[0], x[1], x[2], 1 + i % 3);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}

static void on_a_line(int i, double x[3]) { x[0] = 0.1 * i; }
static void in_a_point(int i, double x[3]) { x[1] = 0.5 + 0.0 * i; }
static void in_two_clusters(int i, double x[3])
{
  x[0] = (i % 2 ? 1e6 : -1e6) + 0.01 * (i % 17);
  x[1] = 0.01 * (i % 31);
  x[2] = 0.01 * (i % 7);
}
/* Two clusters whose radius is this part of the box around both; golden sections fill them. */
static double tight_radius;
static void in_tight_clusters(int i, double x[3])
{
  static const double golden[] = {0.618033988749895, 0.7548776662466927, 0.5698402909980532};
  for (int c = 0; c < 3; c++) {
    const double at = 0.5 + (i / 2 + 1) * golden[c];
    x[c] = (i % 2 ? 0.5 : -0.5) * (c == 0) + tight_radius * (2.0 * (at - floor(at)) - 1.0);
  }
}
static void in_pairs(int i, double x[3])
{
  x[0] = i / 2 % 10;
  x[1] = i / 20 % 10;
  x[2] = i / 200;
}

static void awkward(trm_device *device, const char *name, int n, void (*place)(int, double[3]),
                    double bound)
{
  char settings[1200];
  snprintf(settings, sizeof settings, "initial=file softening=0.1 file=%s",
           write_bodies(name, n, place));
  const errors of = compare(device, settings, "theta=0.5", TRM_F32);
  if (!(of.p99 <= bound)) fail_msg("%s: 99 %% %g, largest %g", name, of.p99, of.largest);
}

static void bodies_on_a_line_in_a_point_in_pairs_and_in_far_clusters_are_summed(trm_device *device)
{
  test_is_spared(device);
  awkward(device, "line", 777, on_a_line, 2e-2);
  awkward(device, "point", 100, in_a_point, 1e-6);
  awkward(device, "pairs", 1000, in_pairs, 5e-2); /* in this lattice forces nearly cancel */
  awkward(device, "clusters", 500, in_two_clusters, 2e-2);
}

static void one_leaf_and_one_block_and_a_few_bodies_more(trm_device *device)
{
  static const int counts[] = {2, 3, 8, 9, 31, 32, 33, 129, 2049};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    char settings[128];
    snprintf(settings, sizeof settings, "initial=collapse bodies=%d softening=0.05", counts[i]);
    const errors of = compare(device, settings, "theta=0.3", TRM_F32);
    if (!(of.p99 <= 1e-2)) fail_msg("%d bodies: %g", counts[i], of.p99);
  }
}

/* What the case's result says after one step. */
static double interactions_of(trm_device *device, const char *bodies, const char *tree,
                              trm_precision precision)
{
  char settings[1200];
  nbody_run run;
  double found = NAN, *last;
  snprintf(settings, sizeof settings, "%s dt=0.001 %s", bodies, tree);
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  nbody_steps(&run, 1, 0);
  last = calloc(run.solver->series_count, sizeof *last);
  assert_non_null(last);
  for (size_t s = 0; s < run.solver->series_count; s++) last[s] = run.series[s][0];
  TEST_OK(run.solver->type->finish(run.solver, last));
  for (size_t i = 0; i < run.solver->result_count; i++)
    if (strcmp(run.solver->results[i].name, "interactions_a_body") == 0)
      found = run.solver->results[i].value;
  assert_string_equal(run.solver->counted, "bodies");
  assert_true(run.solver->cells == 4096.0);
  free(last);
  nbody_end(&run);
  return found;
}

static double interactions(trm_device *device, const char *tree)
{
  return interactions_of(device, "initial=plummer bodies=4096 softening=0.05", tree,
                         TRM_F32);
}

/* The keys of ordinary bodies have 2^10 cells a side: a cluster would lie in one of them, and each
 * of its 2048 bodies act on every other. f32 places the bodies in steps of 6e-8 of the box. */
static void tight_clusters_in_a_wide_box_are_told_apart(trm_device *device)
{
  test_is_spared(device);
  const double ball = interactions(device, "force=tree theta=0.5");
  for (int p = 0; p <= trm_device_describe(device)->has_f64; p++) {
    char settings[1100];
    tight_radius = p == TRM_F64 ? 1e-6 : 1e-5;
    snprintf(settings, sizeof settings, "initial=file softening=1e-8 gravity=1e-20 file=%s",
             write_bodies("tight", 4096, in_tight_clusters));
    const errors of = compare(device, settings, "theta=0.5", (trm_precision)p);
    const double acted = interactions_of(device, settings, "force=tree theta=0.5",
                                         (trm_precision)p);
    print_message("median %.2e, 99 %% %.2e; %.0f act on a body, in one sphere %.0f\n", of.median,
                  of.p99, acted, ball);
    assert_true(of.median <= 1.7e-3 && of.p99 <= 1.1e-2);
    assert_true(acted < 1.2 * ball);
  }
}

static void bodies_are_counted_and_what_acted_on_them_is_told(trm_device *device)
{
  nbody_run run;
  const double all = interactions(device, "force=tree theta=1e-9");
  const double half = interactions(device, "force=tree theta=0.5");
  const double one = interactions(device, "force=tree theta=1.0");
  if (all != 4095.0) fail_msg("with nothing far away %.17g bodies act on each", all);
  if (!(one > 31.0 && one < 0.8 * half && half < 0.8 * all))
    fail_msg("%g, %g of %g", one, half, all);
  nbody_begin(&run, device, "initial=plummer bodies=4096 dt=0.001", TRM_F32, TRM_STRICT);
  assert_null(run.solver->counted);
  assert_true(run.solver->cells == 4096.0 * 4096.0);
  nbody_end(&run);
}

static void theta_outside_its_range_and_hermite_are_refused(trm_device *device)
{
  trm_config *config = nbody_config("dt=0.1");
  TEST_FAILS(trm_config_set(config, "nbody.theta", "0", "--set"), TRM_ERROR_INPUT, "1.5");
  TEST_FAILS(trm_config_set(config, "nbody.theta", "1.6", "--set"), TRM_ERROR_INPUT, "1.5");
  trm_config_destroy(&config);
  TEST_FAILS(nbody_try(device, "dt=0.1 force=tree integrator=hermite4", TRM_F32), TRM_ERROR_INPUT,
             "leapfrog");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_error_lies_inside_the_published_curve_and_falls_with_theta),
    TEST_DEVICE(theta_to_zero_is_the_direct_sum),
    TEST_DEVICE(bodies_on_a_line_in_a_point_in_pairs_and_in_far_clusters_are_summed),
    TEST_DEVICE(tight_clusters_in_a_wide_box_are_told_apart),
    TEST_DEVICE(one_leaf_and_one_block_and_a_few_bodies_more),
    TEST_DEVICE(bodies_are_counted_and_what_acted_on_them_is_told),
    TEST_DEVICE(theta_outside_its_range_and_hermite_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
