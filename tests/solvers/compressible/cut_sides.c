/* cut_sides.c - pairs of boxes with decimal sizes at decimal places, as users write them. Sides of
 * boxes agree with sides of cells but for rounding, and boxes touch or nearly do. The grid has 16^3
 * cells, or 32^2 in the variant `flat`. */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static result found;
static double q[VOLUMES][VALUES];
enum { AXES = FV_IS_FLAT ? 2 : 3 };

/* A processor's driver is spared: other tests have these kernels. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* How the second box moves, as seen from the first: it keeps its place, slides, comes or goes. */
enum { RESTS, SLIDES, COMES, GOES, MOTIONS };

/* A pair: the axis across the sides that face each other, whether the second box is above, and the
 * gap between. Both are turned by one angle. off: how far they are from their places. */
typedef struct pair {
  int axis, is_above, motion;
  double half[2][3], at[3], beside[3], gap, angle, off[2];
} pair;

static uint64_t drawn;

/* A multiple of 0.1, from `low` on. */
static double tenths(double low, int count)
{
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return low + 0.1 * (double)((drawn >> 33) % (uint64_t)count);
}

/* Pair i of the random ones. */
static pair draw(int i, int motion)
{
  static const double gaps[] = { 0, 0.05, 0.1, 0.3, 0 };
  static const double offs[] = { 0, 1e-15, -2e-13, 4.9e-13, 5.1e-13, -1.2e-12, 1e-10, -1e-8 };
  pair p = { .axis = i % AXES, .is_above = i / AXES % 2, .motion = motion, .gap = gaps[i % 5] };
  drawn = 977 * (uint64_t)i + 1;
  for (int k = 0; k < 8; k++) tenths(0, 1);
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < AXES; a++) p.half[b][a] = tenths(0.5, 20);
  for (int a = 0; a < AXES; a++) {
    p.at[a] = tenths(N / 2 - 2, 30);
    p.beside[a] = tenths(-0.5, 10);
  }
  if (i % 4 == 3) p.angle = FV_IS_FLAT && i % 8 == 3 ? acos(0) : 0.1 * (1 + i % 7);
  for (int b = 0; b < 2 && i % 6 == 5 && p.angle == 0; b++) p.off[b] = offs[(i / 6 + 3 * b) % 8];
  return p;
}

/* The boxes of a pair. A side of the first one is in the grid's middle, unless it is turned. The
 * second one moves by `way` a step. */
static void make(const pair *p, double way, mover *m)
{
  const double sense = p->is_above ? 1 : -1, middle = N / 2;
  double turn[9], off[3] = { 0 }, by[3] = { 0 };
  for (int b = 0; b < 2; b++) {
    const double *h = p->half[b], z = FV_IS_FLAT ? 40 : h[2];
    char text[192];
    snprintf(text, sizeof text, "box %.17g %.17g %.17g %.17g %.17g %.17g", -h[0], h[0], -h[1], h[1],
             -z, z);
    m[b] = cut_body(text, 0.05, p->at[0], p->at[1], FV_IS_FLAT ? 0.5 : p->at[2]);
    m[b].at[p->axis] = p->is_above ? middle - h[p->axis] : middle + h[p->axis];
    m[b].angle[0] = m[b].angle[1] = p->angle;
  }
  for (int a = 0; a < AXES; a++) {
    const int is_across = a == p->axis;
    off[a] = is_across ? sense * (p->half[0][a] + p->half[1][a] + p->gap) : p->beside[a];
    by[a] = !is_across ? (p->motion == RESTS ? 0 : way)
            : p->motion == COMES ? -sense * way : p->motion == GOES ? sense * way : 0;
  }
  cut_turn(&m[0], 0, turn);
  for (int a = 0; a < 3; a++) {
    double there = 0;
    for (int k = 0; k < 3; k++) {
      there += turn[3 * k + a] * off[k];
      m[1].by[a] += turn[3 * k + a] * by[k];
    }
    m[1].at[a] = m[0].at[a] + there;
  }
  for (int b = 0; b < 2; b++) m[b].at[p->axis] += p->off[b];
}

static void free_pair(mover *m)
{
  for (int b = 0; b < 2; b++) fv_free_facets(&m[b].facets);
}

/* ---- lists --------------------------------------------------------------------------------- */

/* Two steps of a pair: how many are refused. */
static int refusals(cut_run *run, const pair *p, int number)
{
  mover m[2];
  int refused = 0;
  make(p, 0.05, m);
  cut_restart(run);
  for (int step = 0; step < 2; step++) {
    const trm_status status = cut_try(run, m, 2);
    if (status != TRM_OK) test_remark("pair %d: %s", number, trm_error_last()->text);
    refused += status != TRM_OK;
    for (int a = 0; a < 3; a++) m[1].at[a] += m[1].by[a];
  }
  free_pair(m);
  return refused;
}

static void pairs_are_not_refused(trm_device *device)
{
  int refused = 0;
  needs_f64(device);
  cut_run run = cut_open(device, 1);
  const int count = test_runs_long() ? 1200 : 60;
  for (int i = 0; i < count; i++) {
    const pair p = draw(i, i % MOTIONS);
    refused += refusals(&run, &p, i);
  }
  cut_close(&run);
  assert_int_equal(refused, 0);
}

/* Pairs that touch, tilted from the sides of cells by little. There walls of two bodies and faces
 * end at places that rounding moves by 1e-16 over the tilt. */
static void tilted_pairs_are_not_refused(trm_device *device)
{
  static const double tilts[] = { 1e-14, -1e-13, 1e-12, 1e-9, -1e-8, 1e-7, -1e-7, 1e-5 };
  int refused = 0;
  needs_f64(device);
  cut_run run = cut_open(device, 1);
  for (int i = 0; i < (test_runs_long() ? 400 : 40); i++) {
    pair p = draw(7 * i, i / 2 % MOTIONS);
    p.gap = p.off[0] = p.off[1] = 0;
    p.angle = tilts[i % 8];
    refused += refusals(&run, &p, i);
  }
  cut_close(&run);
  assert_int_equal(refused, 0);
}

/* ---- the gas ------------------------------------------------------------------------------- */

static double stream[VALUES] = { 0, 0, 0, 1, 1 };

static void uniform(const double *place, double *values)
{
  (void)place;
  memcpy(values, stream, sizeof stream);
}

static cut_flow flow_of(trm_device *device, mover *m)
{
  return (cut_flow){ .device = device, .movers = m, .count = 2, .dt = 0.2, .form = FV_BY_HLLC };
}

/* The largest difference of any volume from the stream. A volume below 1e-3 cells between walls has
 * rounding of its walls, which its size does not hold: that counts by the size. */
static double off_stream(void)
{
  const double *u = stream;
  const double energy = u[4] / (1.4 * 0.4) +
                        0.5 * u[3] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const double right[VALUES] = { u[3], u[3] * u[0], u[3] * u[1], u[3] * u[2], energy };
  double most = 0;
  for (int v = 0; v < found.volumes; v++)
    for (int i = 0; i < VALUES; i++)
      most = fmax(most, fabs(q[v][i] - right[i]) * fmin(1, 1e3 * found.volume[v][FV_GAS_END]));
  return most;
}

/* A stream carries pairs. Every third one has a stream along the sides that face each other. Half
 * of them are turned and touch, so that rounding alone leaves gas between. */
static void carried_pairs_leave_a_stream_uniform(trm_device *device)
{
  static const double velocity[] = { 0.4, -0.25, 0.3 };
  static const int few[] = { 0, 1, 2, 4, 9, 12, 22, 35 };
  double most = 0;
  needs_f64(device);
  for (int k = 0; k < (test_runs_long() ? 200 : 8); k++) {
    const int i = test_runs_long() ? k : few[k];
    pair p = draw(3 * i + 1, RESTS);
    mover m[2];
    if (i % 2) {
      p.gap = p.off[0] = p.off[1] = 0;
      p.angle = 0.1 * (1 + i % 7);
    }
    make(&p, 0, m);
    cut_flow flow = flow_of(device, m);
    for (int a = 0; a < AXES; a++) {
      stream[a] = i % 3 == 1 && a == p.axis ? 0 : velocity[a];
      for (int b = 0; b < 2; b++) m[b].by[a] = flow.dt * stream[a];
    }
    flow_start(&flow, uniform, &found);
    for (int step = 0; step < 3; step++) {
      flow_step(&flow, &found, q);
      most = fmax(most, off_stream());
    }
    flow_end(&flow);
    free_pair(m);
  }
  memset(stream, 0, 3 * sizeof *stream);
  test_remark("off by %.2g", most);
  assert_true(most <= (test_runs_long() ? 1e-11 : 1e-12)); /* one grows from 1e-6 cells to 0.007 */
}

/* Extremes of the gas beside pairs: density, gamma p, and how far gas at rest is off. */
typedef struct extremes { double density, most, least, rests; } extremes;

/* Some steps of a pair, whose second body moves by `way`. Mass stays, and energy less work. */
static void run_pair(trm_device *device, const pair *p, double way, int steps, extremes *to)
{
  mover m[2];
  make(p, way, m);
  cut_flow flow = flow_of(device, m);
  flow_account a = flow_begin(&flow, uniform, &found, q);
  for (int step = 0; step < steps; step++) {
    flow_step(&flow, &found, q);
    flow_look(&flow, &found, q, &a);
    for (int v = 0; v < found.volumes; v++)
      if (found.volume[v][FV_GAS_END] > 0) to->density = fmax(to->density, q[v][0]);
    if (p->motion == RESTS) to->rests = fmax(to->rests, off_stream());
  }
  to->most = fmax(to->most, a.most);
  to->least = fmin(to->least, a.least);
  flow_expect_kept(&found, q, &a);
  flow_end(&flow);
  free_pair(m);
}

static void expect_extremes(const extremes *e)
{
  test_remark("density to %.3g, gamma p %.2g to %.3g, at rest off by %.2g", e->density, e->least,
              e->most, e->rests);
  assert_true(e->density <= 4 && e->most <= 6 && e->rests <= 1e-12);
}

/* Gas at rest stays at rest beside pairs at rest. Beside others its mass stays, and no volume has
 * a density or pressure that the motion, at most 0.43 of the speed of sound, does not bring. */
static void gas_beside_pairs_is_kept(trm_device *device)
{
  extremes e = { .least = 1 };
  needs_f64(device);
  for (int i = 0; i < (test_runs_long() ? 480 : FV_IS_FLAT ? 20 : 12); i++) {
    pair p = draw(7 * i + 2, (i + i / 4) % MOTIONS);
    p.off[0] = p.off[1] = 0;
    run_pair(device, &p, p.motion == SLIDES ? 0.05 : 0.02, test_runs_long() ? 6 : 3, &e);
  }
  expect_extremes(&e);
}

/* Pairs that touch but for slivers, which a side of cells parts: sides off from it, or tilted. The
 * numbers are those of pairs in two dimensions that failed. */
static void gas_in_slivers_is_kept(trm_device *device)
{
  static const struct { int number; double off[2], angle; } slivers[] = {
    { 14, { -1e-8, 5.1e-13 }, 0 }, { 84, { 2e-7, -3e-7 }, 0 }, { 301, { 0 }, 1e-9 },
    { 70, { 0 }, 1e-13 },
  };
  extremes e = { .least = 1 };
  needs_f64(device);
  for (size_t k = 0; FV_IS_FLAT && k < sizeof slivers / sizeof *slivers; k++) {
    pair p = draw(slivers[k].number, (slivers[k].number + slivers[k].number / 4) % MOTIONS);
    for (int b = 0; b < 2; b++) p.off[b] = slivers[k].off[b];
    p.gap = 0;
    p.angle = slivers[k].angle;
    run_pair(device, &p, 0.04, 4, &e);
  }
  expect_extremes(&e);
}

/* The same of random pairs. */
static void gas_in_any_sliver_is_kept(trm_device *device)
{
  static const double offs[][2] = { { -1e-8, 5.1e-13 }, { 1e-8, -1e-9 }, { -1e-12, 1e-11 },
                                    { -1e-8, 1e-7 }, { 3e-9, -2e-9 } };
  test_is_long();
  needs_f64(device);
  for (int i = 0; i < 300; i++) {
    extremes e = { .least = 1 };
    pair p = draw(7 * i, (7 * i + 7 * i / 4) % MOTIONS);
    for (int b = 0; b < 2; b++) p.off[b] = i % 6 < 5 ? offs[i % 6][b] : 0;
    p.gap = 0;
    p.angle = i % 6 < 5 ? 0 : 1e-13;
    run_pair(device, &p, 0.04, 4, &e);
    expect_extremes(&e);
  }
}

/* ---- images -------------------------------------------------------------------------------- */

/* A pair as the image that is shown: gas and energy by cell of the other after some steps. */
static void run_image(trm_device *device, const pair *p, double (*content)[2])
{
  const flow_image *i = &flow_shown;
  mover m[2], own[2];
  pair shown = *p;
  make(p, 0.03, own);
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < 2; b++) shown.half[b][a] = p->half[b][i->axis[a]];
  make(&shown, 0, m);
  cut_flow flow = flow_of(device, m);
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < AXES; a++) {
      const double x = own[b].at[i->axis[a]];
      m[b].at[a] = i->sign[a] < 0 ? N - x : x;
      m[b].by[a] = i->sign[a] * own[b].by[i->axis[a]];
    }
  flow_start(&flow, flow_imaged_waves, &found);
  for (int step = 0; step < 3; step++) flow_step(&flow, &found, q);
  flow_image_content(i, &found, q, content);
  flow_end(&flow);
  free_pair(m);
  free_pair(own);
}

static void images_are_images(trm_device *device)
{
  static double right[CELLS][2], other[CELLS][2];
  needs_f64(device);
  for (int i = 0; i < (test_runs_long() ? 40 : 2); i++) {
    pair p = draw(5 * i, SLIDES + i % 2);
    p.angle = p.off[0] = p.off[1] = 0;
    flow_shown = flow_turned(0, 0);
    run_image(device, &p, right);
    for (int k = FV_IS_FLAT ? 3 : 1; k < (test_runs_long() && !FV_IS_FLAT ? 6 : 4); k += 2) {
      double most = 0;
      flow_shown = flow_turned(k % 3, k > 2);
      run_image(device, &p, other);
      for (int cell = 0; cell < CELLS; cell++)
        for (int n = 0; n < 2; n++) most = fmax(most, fabs(other[cell][n] - right[cell][n]));
      test_remark("pair %d, image %d: %.2g", i, k, most);
      assert_true(most <= 1e-11);
    }
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(pairs_are_not_refused),
    TEST_DEVICE(tilted_pairs_are_not_refused),
    TEST_DEVICE(carried_pairs_leave_a_stream_uniform),
    TEST_DEVICE(gas_beside_pairs_is_kept),
    TEST_DEVICE(gas_in_slivers_is_kept),
    TEST_DEVICE(gas_in_any_sliver_is_kept),
    TEST_DEVICE(images_are_images),
  };
  return TEST_RUN(argc, argv, cases);
}
