/* schaefer_turek.c - Schaefer and Turek's benchmarks of 1996, a cylinder in a channel, as the
 * tree's cases compute them: what was published lies in the ranges of their paper. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The density on the axis at a wall, by the parabola through three columns of two probes each, of
 * which the first is number `first` and lies next to the wall. */
static double density_at_wall(const flow_run *run, int first, uint64_t step)
{
  static const double parts[] = {15.0 / 8.0, -10.0 / 8.0, 3.0 / 8.0};
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    char name[32];
    snprintf(name, sizeof name, "probe%d_density", first + i);
    sum += 0.5 * parts[i / 2] * flow_series(run, name)[step];
  }
  return sum;
}

/* The pressure in front of the cylinder less that behind it, over density times the square of a
 * velocity that is `metres` a second in the benchmark and `lattice` here. */
static double pressure_difference(const flow_run *run, uint64_t step, double metres, double lattice)
{
  const double scale = metres / lattice * (metres / lattice) / 3.0;
  return scale * (density_at_wall(run, 1, step) - density_at_wall(run, 7, step));
}

static void needs_long_f64(trm_device *device)
{
  test_is_long();
  test_needs_f64(device);
  if (strcmp(test_backend(device), "opencl") == 0)
    TEST_SKIP("openmp and cuda show it; the bits are those of every backend");
}

/* Re 20: steady. */
static void case_2d_1_is_met(trm_device *device)
{
  flow_run run;
  needs_long_f64(device);
  const uint64_t steps = flow_begin_case(&run, device, "schaefer-turek-1");
  flow_steps(&run, steps, 0);
  const double drag = flow_series(&run, "drag")[steps - 1];
  const double lift = flow_series(&run, "lift")[steps - 1];
  const double fastest = trm_config_real(run.config, "lbm.speed");
  const double difference = pressure_difference(&run, steps - 1, 0.3, fastest);
  print_message("drag %.4f, lift %.5f, pressure difference %.5f\n", drag, lift, difference);
  assert_true(drag > 5.57 && drag < 5.59);
  assert_true(lift > 0.0104 && lift < 0.0110);
  assert_true(difference > 0.1172 && difference < 0.1176);
  flow_end(&run);
}

/* Re 100: vortices leave in turn; the pressure difference is that half a period
 * after the highest lift. */
static void case_2d_2_is_met(trm_device *device)
{
  flow_run run;
  needs_long_f64(device);
  const uint64_t steps = flow_begin_case(&run, device, "schaefer-turek-2");
  flow_steps(&run, steps, 0);
  const double drag = flow_result(&run, "drag_max"), lift = flow_result(&run, "lift_max");
  const double strouhal = flow_result(&run, "strouhal"), period = flow_result(&run, "period");
  const double fastest = trm_config_real(run.config, "lbm.speed");
  const double *lifts = flow_series(&run, "lift");
  uint64_t highest = steps - (uint64_t)(1.6 * period);
  for (uint64_t i = highest, end = i + (uint64_t)period; i < end; i++)
    if (lifts[i] > lifts[highest]) highest = i;
  const double difference =
    pressure_difference(&run, highest + (uint64_t)(0.5 * period), 1.5, fastest);
  print_message("drag %.4f, lift %.4f, Strouhal %.4f, pressure difference %.4f\n", drag, lift,
                strouhal, difference);
  assert_true(drag > 3.22 && drag < 3.24);
  assert_true(lift > 0.99 && lift < 1.01);
  assert_true(strouhal > 0.295 && strouhal < 0.305);
  assert_true(difference > 2.46 && difference < 2.50);
  flow_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(case_2d_1_is_met),
    TEST_DEVICE(case_2d_2_is_met),
  };
  return TEST_RUN(argc, argv, cases);
}
