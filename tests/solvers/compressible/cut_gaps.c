/* cut_gaps.c - the flow in control volumes of several bodies (fv_volumes_flow_walls.h): bodies that
 * nearly touch, slide past each other, part and meet. The grid has 16^3 cells. */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_clock.h"

static result found;
static double q[VOLUMES][VALUES];

/* A processor's driver is spared: bits_are_the_hosts has its kernels. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

static cut_flow flow_of(trm_device *device, mover *m, int count, double dt)
{
  return (cut_flow){ .device = device, .movers = m, .count = count, .dt = dt, .form = FV_BY_HLLC };
}

static void finish(cut_flow *flow)
{
  flow_end(flow);
  for (int b = 0; b < flow->count; b++) fv_free_facets(&flow->movers[b].facets);
}

/* ---- streams ------------------------------------------------------------------------------- */

static double stream[VALUES] = { 0, 0, 0, 1, 1 };

static void uniform(const double *place, double *values)
{
  (void)place;
  memcpy(values, stream, sizeof stream);
}

static void set_stream(double u, double v, double w)
{
  stream[0] = u;
  stream[1] = v;
  stream[2] = w;
}

/* The largest difference of any volume from the stream. */
static double off_stream(void)
{
  const double *u = stream;
  const double energy = u[4] / (1.4 * 0.4) +
                        0.5 * u[3] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const double right[VALUES] = { u[3], u[3] * u[0], u[3] * u[1], u[3] * u[2], energy };
  double most = 0;
  for (int v = 0; v < found.volumes; v++)
    for (int i = 0; i < VALUES && found.volume[v][FV_GAS_END] > 0; i++)
      most = fmax(most, fabs(q[v][i] - right[i]));
  return most;
}

/* Steps of bodies that do not disturb the stream. Returns how many trees several bodies reach. */
static int stays_uniform(cut_flow *flow, int steps, double *most)
{
  int trees = 0;
  flow_start(flow, uniform, &found);
  *most = 0;
  for (int step = 0; step < steps; step++) {
    flow_step(flow, &found, q);
    *most = fmax(*most, off_stream());
  }
  for (int v = 0; v < found.volumes; v++) trees += found.body[v] <= FV_SEVERAL_WALLS;
  return trees;
}

/* A stream carries a sphere and a box, some way apart, touching and in each other. */
static void carried_bodies_leave_a_stream_uniform(trm_device *device)
{
  static const double gaps[] = { 0.3, 0.05, 1e-6, 0, -0.4 };
  needs_f64(device);
  for (int i = 0; i < 5; i++) {
    double most;
    mover m[] = { cut_body("sphere 0 0 0 2.6", 0.05, 5.31, 8.22, 7.93),
                  cut_body("box -2 2 -2.2 2.2 -2.1 2.1", 0.05, 9.91 + gaps[i], 8.1, 8.2) };
    cut_flow flow = flow_of(device, m, 2, 0.2);
    set_stream(0.4, -0.25, 0.3);
    for (int b = 0; b < 2; b++)
      cut_move(&m[b], 0.2 * stream[0], 0.2 * stream[1], 0.2 * stream[2]);
    const int trees = stays_uniform(&flow, test_runs_long() ? 20 : 6, &most);
    test_remark("%g apart, %d volumes of both: %.2g", gaps[i], trees, most);
    assert_true(most <= 1e-12);
    assert_true(trees > 0);
    finish(&flow);
  }
}

/* A bar that a stream carries slides over a floor that slides the other way. */
static void plates_that_slide_leave_a_stream_uniform(trm_device *device)
{
  static const double gaps[] = { 0.05, 0.3, 0.7, 1, 1.3 }, places[] = { 0.13, 0, 0.5, 0.87 };
  static const double speeds[] = { 0.05, 0.1, 0.3 };
  needs_f64(device);
  for (int i = 0; i < (test_runs_long() ? 60 : 12); i++) {
    const double u = speeds[i % 3], gap = gaps[i % 5], place = 5 + places[i % 4];
    double most;
    mover m[] = { cut_body("box -40 40 -40 40 -0.6 0.6", 0.05, 8, 8, place - 0.6),
                  cut_body("box -3.2 3.2 -2.1 2.1 -0.7 0.7", 0.05, 7.3, 8.1,
                           place + gap + 0.7) };
    cut_flow flow = flow_of(device, m, 2, 0.2);
    set_stream(u, 0.3 * u, 0);
    cut_move(&m[0], -0.2 * u, 0.1 * u, 0);
    cut_move(&m[1], 0.2 * stream[0], 0.2 * stream[1], 0);
    const int trees = stays_uniform(&flow, test_runs_long() ? 20 : 4, &most);
    test_remark("clearance %g at %g, %g: %d volumes of both, %.2g", gap, place, u, trees, most);
    assert_true(most <= 1e-12);
    finish(&flow);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(carried_bodies_leave_a_stream_uniform),
    TEST_DEVICE(plates_that_slide_leave_a_stream_uniform),
  };
  return TEST_RUN(argc, argv, cases);
}
