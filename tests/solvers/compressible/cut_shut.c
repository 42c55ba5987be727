/* cut_shut.c - gaps that are shut before they vanish, and open again (fv_volumes_gaps.h). The grid
 * has 16^3 cells. */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/compressible/kernels/fv_clock.h"

static result found;
static double q[VOLUMES][VALUES];
static const double dt = 0.2;

/* A processor's driver is spared: cut_outer and compressible_redistribution have its kernels. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

static cut_flow flow_of(trm_device *device, mover *m, int count)
{
  return (cut_flow){ .device = device, .movers = m, .count = count, .dt = dt, .form = FV_BY_HLLC };
}

static void finish(cut_flow *flow)
{
  flow_end(flow);
  for (int b = 0; b < flow->count; b++) fv_free_facets(&flow->movers[b].facets);
}

static void rest(const double *place, double *values)
{
  (void)place;
  for (int i = 0; i < VALUES; i++) values[i] = i < 3 ? 0 : 1;
}

/* ---- sheets ------------------------------------------------------------------------------- */

/* A sphere covers and uncovers volumes. Each has a neighbourhood that keeps most of its gas, so no
 * sheet is looked for. */
static void a_body_alone_has_no_sheets(trm_device *device)
{
  needs_f64(device);
  mover m = cut_body("sphere 0 0 0 5.3", 0.02, 7.9, 8.1, 7.7);
  cut_run run = cut_open(device, 1);
  for (int step = 0; step < 8; step++) {
    cut_make(&run, &m, 1);
    assert_int_equal(run.lists.p.sheet, 0);
    for (int a = 0; a < 3; a++) m.at[a] += m.by[a];
    cut_move(&m, 0.3, 0.02, 0.05);
  }
  cut_close(&run);
  fv_free_facets(&m.facets);
}

/* ---- a gap over a run ---------------------------------------------------------------------- */

/* The counts of a run: FV_GAP_CLOSED and the others, summed over steps. */
typedef struct gap_run { double gap, sums[FV_GAP_COUNTS], shut; flow_account account; } gap_run;

/* Steps in which the second body moves along z by `way` each, and along x by `slide`. */
static void run_steps(cut_flow *flow, gap_run *run, int steps, double way, double slide)
{
  const double *counts = flow->run.lists.counts;
  cut_move(&flow->movers[1], slide, 0, way);
  for (int step = 0; step < steps; step++) {
    flow_step(flow, &found, q);
    flow_look(flow, &found, q, &run->account);
    run->gap += way;
    for (int k = 0; k < FV_GAP_COUNTS; k++) run->sums[k] += counts[k];
    run->shut = counts[FV_GAP_SHUT];
    if (counts[FV_GAP_CLOSED] + counts[FV_GAP_OPENED] > 0)
      test_remark("gap %.4f: %g shut (%.4f, %.4g of gas), %g open (%.4f), at %d %d %d", run->gap,
                  counts[FV_GAP_CLOSED], counts[FV_GAP_CLOSED_AREA], counts[FV_GAP_TAKEN],
                  counts[FV_GAP_OPENED], counts[FV_GAP_OPENED_AREA],
                  flow->run.lists.gap_place[0], flow->run.lists.gap_place[1],
                  flow->run.lists.gap_place[2]);
  }
}

static gap_run run_begin(cut_flow *flow, double gap)
{
  gap_run run = { .gap = gap };
  run.account = flow_begin(flow, rest, &found, q);
  return run;
}

/* Plates 4.4 and 4.8 cells wide above wider ones. */
static cut_flow plates(trm_device *device, mover *m, double gap, double place, double tilt)
{
  m[0] = cut_body("box -3.1 3.1 -3.3 3.3 -1.1 1.1", 0.05, 7.9, 8.1, place - 1.1);
  m[1] = cut_body("box -2.2 2.2 -2.4 2.4 -0.8 0.8", 0.05, 8.2, 7.7, place + gap + 0.8);
  for (int b = 0; b < 2; b++) m[b].angle[0] = m[b].angle[1] = tilt;
  return flow_of(device, m, 2);
}

/* Plates meet, or nearly, and part. */
typedef struct meeting { double speed, place, turn, tilt, most; } meeting;

/* Returns how many volumes needed sweeps of their own. */
static int run_meeting(trm_device *device, const meeting *m)
{
  const double way = dt * m->speed, gap = 0.7;
  const int down = (int)((gap - m->turn) / way + 0.5), up = (int)((0.4 - m->turn) / way);
  mover bodies[2];
  cut_flow flow = plates(device, bodies, gap, m->place, m->tilt);
  gap_run run = run_begin(&flow, gap);
  run_steps(&flow, &run, down, -way, 0.1 * way);
  const double area = run.sums[FV_GAP_CLOSED_AREA];
  run_steps(&flow, &run, 1, 0, 0);
  run_steps(&flow, &run, up, way, 0.1 * way);
  test_remark("%g at %g to %g, turned %g: area %.3f, %d lacking", m->speed, m->place, m->turn,
              m->tilt, area, flow.lacking);
  flow_expect_kept(&found, q, &run.account);
  assert_true(run.account.most <= m->most);
  assert_true(area > 7 && area < 22); /* inner cells at least, 4.4 * 4.8 at most */
  assert_true(run.sums[FV_GAP_TAKEN] > 0 && run.sums[FV_GAP_TAKEN] < 0.0973 * area);
  assert_true(run.shut == 0);
  if (m->turn > 0) assert_true(fabs(run.sums[FV_GAP_OPENED_AREA] - area) <= 1.5);
  finish(&flow);
  return flow.lacking;
}

/* The exact multiples of steps left gas of 1e-15 cells, with a pressure of 1e13. */
static void plates_that_meet_keep_their_gas(trm_device *device)
{
  static const meeting few[] = {
    { 0.1, 8, -0.08, 0, 4 }, { 0.3, 8.93, -0.08, 0, 16 }, { 0.1, 8.13, 0.06, 0, 4 },
    { 0.2, 8.2, -0.04, 0.6, 12 } };
  static const double speeds[] = { 0.05, 0.1, 0.2, 0.3 }, turns[] = { -0.08, 0.06 };
  static const double places[] = { 8, 8.13, 8.5, 8.93 }, tilts[] = { 0, 0.3, 0.9 };
  int lacking = 0;
  needs_f64(device);
  for (size_t i = 0; i < sizeof few / sizeof *few; i++) lacking += run_meeting(device, &few[i]);
  assert_true(lacking > 0);
  for (int i = 0; i < (test_runs_long() ? 96 : 0); i++) {
    const meeting m = { speeds[i % 4], places[i / 4 % 4], turns[i / 16 % 2], tilts[i / 32], 40 };
    run_meeting(device, &m);
  }
}

/* A gap that bodies leave at 0.06 stays shut while they rest or slide. It opens from nothing. */
static void a_shut_gap_stays_shut(trm_device *device)
{
  mover bodies[2];
  needs_f64(device);
  cut_flow flow = plates(device, bodies, 0.3, 8.13, 0);
  gap_run run = run_begin(&flow, 0.3);
  run_steps(&flow, &run, 12, -0.02, 0);
  const double shut = run.shut, area = run.sums[FV_GAP_CLOSED_AREA];
  assert_true(shut > 0);
  run_steps(&flow, &run, 4, 0, 0);
  assert_true(run.shut == shut);
  run_steps(&flow, &run, 3, 0, -0.02);
  assert_true(run.shut == shut && run.sums[FV_GAP_CLOSED_AREA] == area);
  run_steps(&flow, &run, 1, 0.02, 0);
  double least = 1;
  for (int v = 0; v < found.volumes; v++)
    if (found.volume[v][FV_GAS_BEGIN] == 0 && found.volume[v][FV_GAS_END] > 0)
      least = fmin(least, fabs(found.volume[v][FV_GAS_END] - 0.04));
  assert_true(run.shut == 0 && least <= 1e-12); /* the way and as much of the lack */
  run_steps(&flow, &run, 3, 0.02, 0);
  flow_expect_kept(&found, q, &run.account);
  finish(&flow);
}

/* A gap at rest, and one that slides, are open however narrow they are. */
static void gaps_at_rest_stay_open(trm_device *device)
{
  mover bodies[2];
  needs_f64(device);
  cut_flow flow = plates(device, bodies, 0.02, 8.13, 0);
  gap_run run = run_begin(&flow, 0.02);
  run_steps(&flow, &run, 2, 0, 0);
  run_steps(&flow, &run, 4, 0, 0.06);
  run_steps(&flow, &run, 2, 0.01, 0.06);
  for (int k = 0; k < FV_GAP_AT; k++) assert_true(run.sums[k] == 0);
  flow_expect_kept(&found, q, &run.account);
  finish(&flow);
}

/* A piston meets the head of its sleeve. The gas leaves through clearances of 0.05 at its sides,
 * which agree with sides of cells but for rounding. */
static void a_piston_meets_its_head(trm_device *device)
{
  static const double places[] = { 2, 2.93 };
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    const double z = places[i], gap = 0.5, way = 0.04;
    mover m[] = { cut_body("box -4 4 -40 40 -1 1", 0.05, 8.2, 8, z),
                  cut_body("box -2.2 2.2 -40 40 -0.8 0.8", 0.05, 8.2, 8, z + 1.8 + gap),
                  cut_body("box -1 1 -40 40 -4 4", 0.05, 5.95 - 1, 8, z + 4.6),
                  cut_body("box -1 1 -40 40 -4 4", 0.05, 10.45 + 1, 8, z + 4.6) };
    cut_flow flow = flow_of(device, m, 4);
    gap_run run = run_begin(&flow, gap);
    run_steps(&flow, &run, (int)(gap / way) + 1, -way, 0);
    run_steps(&flow, &run, 4, way, 0);
    flow_expect_kept(&found, q, &run.account);
    assert_true(run.sums[FV_GAP_CLOSED_AREA] >= 2.4 * N && run.account.most <= 250);
    finish(&flow);
  }
}

/* Gas that plates leave no way out stays, and is squeezed, until they meet. */
static void gas_without_a_way_out_is_not_shut(trm_device *device)
{
  mover m[] = { cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 6.83),
                cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 7.83 + 0.12 + 1) };
  double most = 0;
  needs_f64(device);
  cut_flow flow = flow_of(device, m, 2);
  gap_run run = run_begin(&flow, 0.12);
  run_steps(&flow, &run, 20, -0.003, 0);
  for (int v = 0; v < found.volumes; v++)
    if (found.volume[v][FV_GAS_END] < 0.1 && found.volume[v][FV_GAS_END] > 0)
      most = fmax(most, 1.4 * flow_pressure(q[v]));
  test_remark("gamma p %.5f, right %.5f", most, pow(2, 1.4));
  assert_true(run.sums[FV_GAP_CLOSED] == 0 && fabs(most / pow(2, 1.4) - 1) <= 0.03);
  flow_expect_kept(&found, q, &run.account);
  finish(&flow);
}

/* A plate turns onto another one, and back. */
static void a_plate_turns_onto_another(trm_device *device)
{
  needs_f64(device);
  mover m[] = { cut_body("box -3.1 3.1 -3.3 3.3 -1.1 1.1", 0.05, 7.9, 8.1, 7.03),
                cut_body("box -2.2 2.2 -2.4 2.4 -0.4 0.4", 0.05, 8.2, 7.7, 8.93) };
  cut_flow flow = flow_of(device, m, 2);
  m[1].angle[0] = m[1].angle[1] = 0.28;
  gap_run run = run_begin(&flow, 0);
  m[1].angle[1] = m[1].angle[0] - 0.02;
  run_steps(&flow, &run, 14, -0.0286, 0);
  m[1].angle[1] = m[1].angle[0] + 0.02;
  run_steps(&flow, &run, 6, 0.0286, 0);
  assert_true(run.sums[FV_GAP_CLOSED] > 0 && run.account.most < 40);
  flow_expect_kept(&found, q, &run.account);
  finish(&flow);
}

/* The state held in single precision. */
static void single_precision_ends(trm_device *device)
{
  mover bodies[2];
  double before[VALUES], after[VALUES];
  needs_f64(device);
  cut_flow flow = plates(device, bodies, 0.3, 8.93, 0);
  gap_run run = run_begin(&flow, 0.3);
  memcpy(before, run.account.before, sizeof before);
  for (int step = 0; step < 20; step++) {
    run_steps(&flow, &run, 1, step < 10 ? -0.04 : 0.04, 0);
    for (int v = 0; v < found.volumes; v++)
      for (int i = 0; i < VALUES; i++) q[v][i] = (float)q[v][i];
    TEST_OK(trm_buffer_write(flow.gas.state, 0, (size_t)found.volumes * sizeof *q, q));
  }
  flow_sum(&found, q, after);
  test_remark("mass %.2g, gamma p to %g", after[0] / before[0] - 1, run.account.most);
  assert_true(fabs(after[0] / before[0] - 1) <= 1e-7 && run.account.empty == 0);
  assert_true(run.sums[FV_GAP_CLOSED] > 0 && run.account.most <= 10);
  finish(&flow);
}

/* ---- images -------------------------------------------------------------------------------- */

/* Plates that meet, with axis a in place of axis (a + turn) % 3, and mirrored along x. Gas by cell,
 * turned back. */
static void run_image(trm_device *device, int turn, int is_mirrored, double (*content)[2])
{
  const flow_image image = flow_turned(turn, is_mirrored);
  static const double half[2][3] = { { 3.1, 3.3, 1.1 }, { 2.2, 2.4, 0.8 } };
  static const double at[2][3] = { { 7.9, 8.1, 7.03 }, { 8.2, 7.7, 9.13 } };
  mover m[2];
  for (int b = 0; b < 2; b++) {
    char text[96];
    const double *h = half[b];
    snprintf(text, sizeof text, "box -%g %g -%g %g -%g %g", h[turn], h[turn], h[(1 + turn) % 3],
             h[(1 + turn) % 3], h[(2 + turn) % 3], h[(2 + turn) % 3]);
    m[b] = cut_body(text, 0.05, 0, 0, 0);
    for (int a = 0; a < 3; a++) {
      const double x = at[b][(a + turn) % 3];
      m[b].at[a] = a == 0 && is_mirrored ? N - x : x;
    }
  }
  cut_flow flow = flow_of(device, m, 2);
  for (int a = 0; a < 3; a++) {
    const double way = (a + turn) % 3 == 2 ? -0.05 : (a + turn) % 3 == 0 ? 0.01 : 0;
    m[1].by[a] = a == 0 && is_mirrored ? -way : way;
  }
  flow_start(&flow, rest, &found);
  double closed = 0;
  for (int step = 0; step < 6; step++) {
    if (step == 4)
      for (int a = 0; a < 3; a++) m[1].by[a] = -m[1].by[a];
    flow_step(&flow, &found, q);
    closed += flow.run.lists.counts[FV_GAP_CLOSED];
  }
  assert_true(closed > 0);
  flow_image_content(&image, &found, q, content);
  finish(&flow);
}

static void images_are_images(trm_device *device)
{
  static double right[CELLS][2], other[CELLS][2];
  needs_f64(device);
  run_image(device, 0, 0, right);
  for (int i = 1; i < (test_runs_long() ? 6 : 3); i++) {
    double most = 0;
    run_image(device, i % 3, i > 1, other);
    for (int cell = 0; cell < CELLS; cell++)
      for (int k = 0; k < 2; k++)
        most = fmax(most, fabs(other[cell][k] - right[cell][k]));
    test_remark("image %d: gas %.2g", i, most);
    assert_true(most <= 1e-11);
  }
}

/* ---- bits ---------------------------------------------------------------------------------- */

static void run_all(trm_device *device, double (*to)[VALUES], double *counts)
{
  mover m[2];
  cut_flow flow = plates(device, m, 0.12, 8.97, 0.3);
  cut_move(&m[1], 0.003, 0.002, -0.03);
  flow_start(&flow, flow_waves, &found);
  for (int step = 0; step < 5; step++) {
    if (step == 3) cut_move(&m[1], 0, 0, 0.03);
    flow_step(&flow, &found, to);
    memcpy(counts + step * FV_GAP_COUNTS, flow.run.lists.counts, FV_GAP_COUNTS * sizeof *counts);
  }
  finish(&flow);
}

/* Every backend has the host's bits. */
static void bits_are_the_hosts(trm_device *device)
{
  static double other[VOLUMES][VALUES];
  double counts[2][5 * FV_GAP_COUNTS], closed = 0;
  const int is_host = trm_device_describe(device)->is_host;
  trm_device *host = NULL;
  needs_f64(device);
  if (is_host && !test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  if (is_host) setenv("TRIREME_ISA", "reverse", 1);
  run_all(device, other, counts[0]);
  unsetenv("TRIREME_ISA");
  host = test_open("openmp", NULL);
  run_all(host, q, counts[1]);
  trm_device_close(&host);
  TEST_SAME_BITS(*q, *other, (size_t)found.volumes * VALUES, TRM_TYPE_F64);
  TEST_SAME_BITS(counts[1], counts[0], 5 * FV_GAP_COUNTS, TRM_TYPE_F64);
  for (int step = 0; step < 5; step++)
    closed += counts[1][step * FV_GAP_COUNTS + FV_GAP_CLOSED];
  assert_true(closed > 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_body_alone_has_no_sheets),
    TEST_DEVICE(plates_that_meet_keep_their_gas),
    TEST_DEVICE(a_shut_gap_stays_shut),
    TEST_DEVICE(gaps_at_rest_stay_open),
    TEST_DEVICE(a_piston_meets_its_head),
    TEST_DEVICE(gas_without_a_way_out_is_not_shut),
    TEST_DEVICE(a_plate_turns_onto_another),
    TEST_DEVICE(single_precision_ends),
    TEST_DEVICE(images_are_images),
    TEST_DEVICE(bits_are_the_hosts),
  };
  return TEST_RUN(argc, argv, cases);
}
