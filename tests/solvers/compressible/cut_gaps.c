/* cut_gaps.c - the flow in control volumes of several bodies (fv_volumes_flow_walls.h): bodies that
 * nearly touch, slide past each other, part and meet. The grid has 16^3 cells. */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <stdio.h>
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

/* ---- gas that is kept ---------------------------------------------------------------------- */

static void rest(const double *place, double *values)
{
  (void)place;
  for (int i = 0; i < VALUES; i++) values[i] = i < 3 ? 0 : 1;
}

/* Two plates that part from where they touch or overlap, or that meet. */
static cut_flow plates(trm_device *device, mover *m, double gap, double place, double u)
{
  m[0] = cut_body("box -3.1 3.1 -3.3 3.3 -1.1 1.1", 0.05, 7.9, 8.1, place - 1.1);
  m[1] = cut_body("box -2.2 2.2 -2.4 2.4 -0.8 0.8", 0.05, 8.2, 7.7, place + gap + 0.8);
  cut_move(&m[1], 0.03 * fabs(u), 0.02 * fabs(u), 0.2 * u);
  return flow_of(device, m, 2, 0.2);
}

static void plates_part_and_meet(trm_device *device)
{
  static const double places[] = { 0.13, 0.5, 0, 0.87 }, speeds[] = { 0.1, 0.05, 0.2, 0.3 };
  static const double gaps[] = { 0, -0.1, 0.713 };
  static const int few[] = { 0, 2, 7, 24, 44 };
  needs_f64(device);
  for (int k = 0; k < (test_runs_long() ? 48 : 5); k++) {
    const int i = test_runs_long() ? k : few[k], meets = i % 3 == 2;
    const double u = speeds[i / 3 % 4], place = 8 + places[i / 12 % 4], gap = gaps[i % 3];
    const int steps = (int)((meets ? gap + 0.15 : 0.6 - gap) / (0.2 * u));
    mover m[2];
    cut_flow flow = plates(device, m, gap, place, meets ? -u : u);
    flow_account a = flow_begin(&flow, rest, &found, q);
    for (int step = 0; step < steps; step++) {
      flow_step(&flow, &found, q);
      flow_look(&flow, &found, q, &a);
    }
    test_remark("%s at %g, %g: %d steps, %d lacking", meets ? "meet" : "part", u, place, steps,
                flow.lacking);
    flow_expect_kept(&found, q, &a);
    finish(&flow);
  }
}

/* A plate turns beside a box and a sphere. */
static void a_plate_turns_beside_others(trm_device *device)
{
  needs_f64(device);
  mover m[] = { cut_body("box -3.1 3.1 -2.9 2.9 -0.2 0.2", 0.05, 7.9, 8.1, 8.3),
                cut_body("box -4 4 -4 4 -0.7 0.7", 0.05, 8.2, 7.7, 6.6),
                cut_body("sphere 0 0 0 2.2", 0.05, 8.1, 8.1, 11.2) };
  cut_flow flow = flow_of(device, m, 3, 0.2);
  cut_move(&m[0], 0.01, 0.02, 0.01);
  m[0].angle[1] = 0.02;
  cut_move(&m[2], 0, 0, -0.02);
  flow_account a = flow_begin(&flow, flow_waves, &found, q);
  for (int step = 0; step < 12; step++) {
    flow_step(&flow, &found, q);
    flow_look(&flow, &found, q, &a);
  }
  flow_expect_kept(&found, q, &a);
  finish(&flow);
}

/* Plates that reach through the grid close their gap at once. */
static void gas_without_a_way_out_is_refused(trm_device *device)
{
  mover m[] = { cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 6.83),
                cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 8.88) };
  cut_run run;
  needs_f64(device);
  run = cut_open(device, 1);
  cut_make(&run, m, 2);
  cut_move(&m[1], 0, 0, -0.06);
  TEST_FAILS(cut_try(&run, m, 2), TRM_ERROR_INPUT,
             "cell 0 0 7 of the finest level: bodies that meet leave its gas no room");
  cut_close(&run);
  for (int b = 0; b < 2; b++) fv_free_facets(&m[b].facets);
}

/* ---- known pressures ----------------------------------------------------------------------- */

/* Gas between two plates that reach through the grid is squeezed slowly: p goes as the gap to the
 * power of -1.4. Both plates feel it. */
static void gas_that_is_squeezed_is_isentropic(trm_device *device)
{
  static const double gaps[][2] = { { 1.3, 0.65 }, { 0.4, 0.2 }, { 0.3, 0.6 } };
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    const double speed = 0.02, from = gaps[i][0], to = gaps[i][1], dt = 0.25;
    const int steps = (int)(fabs(to - from) / (speed * dt) + 0.5);
    mover m[] = { cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 6.83),
                  cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 8.83 + from) };
    cut_flow flow = flow_of(device, m, 2, dt);
    cut_move(&m[1], 0, 0, (to - from) / steps);
    flow_account a = flow_begin(&flow, rest, &found, q);
    double outer[2] = { 0 }, inner[2] = { 0 };
    for (int step = 0; step < steps; step++) {
      flow_step(&flow, &found, q);
      flow_look(&flow, &found, q, &a);
    }
    /* the outer gas presses on the other sides of the plates */
    for (int v = 0; v < found.volumes; v++)
      for (int b = 0; b < 2; b++)
        if (found.cell[v] / N / N == (b ? (int)(m[1].at[2] + 1) + 1 : 4))
          outer[b] = flow_pressure(q[v]);
    for (int b = 0; b < 2; b++)
      inner[b] = outer[b] + (b ? 1 : -1) * flow.force[b][FV_FLOW_IMPULSE + 2] / dt / (N * N);
    const double right = pow(to / from, -1.4) / 1.4;
    test_remark("%g to %g: pressures %.5f %.5f, right %.5f", from, to, inner[0], inner[1], right);
    flow_expect_kept(&found, q, &a);
    for (int b = 0; b < 2; b++) assert_true(fabs(inner[b] / right - 1) <= 0.02);
    finish(&flow);
  }
}

/* Two plates start at once and together, across their gap. Each alone would stop the gas within a
 * part of a step, so the limit on wall pressure has to count both. The gas moves along. */
static void gas_in_a_gap_moves_along(trm_device *device)
{
  static const double gaps[] = { 0.2, 0.07 }, speeds[] = { 0.3, 0.2 };
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    double slowest = 1, fastest = -1, last = 0;
    mover m[] = { cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 6.83),
                  cut_body("box -40 40 -40 40 -1 1", 0.05, 8, 8, 8.83 + gaps[i]) };
    cut_flow flow = flow_of(device, m, 2, 0.2);
    for (int b = 0; b < 2; b++) cut_move(&m[b], 0, 0, 0.2 * speeds[i]);
    flow_start(&flow, rest, &found);
    for (int step = 0; step < 15; step++) {
      flow_step(&flow, &found, q);
      for (int v = 0; v < found.volumes; v++) {
        const double *gas = found.volume[v] + FV_GAS_END;
        const double z = found.cell[v] / N / N + 0.5 + gas[3] / gas[0];
        if (!(gas[0] > 0) || z < m[0].at[2] + 1 || z > m[1].at[2] - 1) continue;
        last = q[v][3] / q[v][0];
        slowest = fmin(slowest, last);
        fastest = fmax(fastest, last);
      }
    }
    test_remark("gap %g: %.4f to %.4f, %.4f at last", gaps[i], slowest, fastest, last);
    assert_true(slowest >= speeds[i] - 0.1 && fastest <= speeds[i] + 0.1);
    assert_true(fabs(last - speeds[i]) <= 1e-3);
    finish(&flow);
  }
}

/* ---- a body in two halves ------------------------------------------------------------------ */

/* Two halves that touch have the forces and moments of the whole. */
static void two_halves_have_the_forces_of_the_whole(trm_device *device)
{
  double force[2][FV_FLOW_FORCES] = { { 0 } };
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    const double x = 8.1, y = 7.9, z = 8.3;
    mover whole[] = { cut_body("box -3 3 -2.1 2.1 -1.7 1.7", 0.05, x, y, z) };
    mover half[] = { cut_body("box -1.5 1.5 -2.1 2.1 -1.7 1.7", 0.05, x - 1.5, y, z),
                     cut_body("box -1.5 1.5 -2.1 2.1 -1.7 1.7", 0.05, x + 1.5, y, z) };
    cut_flow flow = flow_of(device, i ? half : whole, i ? 2 : 1, 0.2);
    for (int b = 0; b <= i; b++) cut_move(&flow.movers[b], 0.03, -0.02, 0.025);
    flow_start(&flow, flow_waves, &found);
    for (int step = 0; step < 5; step++) flow_step(&flow, &found, q);
    for (int b = 0; b <= i; b++) {
      const double *own = flow.force[b], arm = i ? (b ? 1.5 : -1.5) : 0;
      for (int k = 0; k < FV_FLOW_FORCES; k++) force[i][k] += own[k];
      force[i][FV_FLOW_MOMENT + 1] -= arm * own[FV_FLOW_IMPULSE + 2];
      force[i][FV_FLOW_MOMENT + 2] += arm * own[FV_FLOW_IMPULSE + 1];
    }
    finish(&flow);
  }
  for (int k = 0; k < FV_FLOW_FRICTION; k++) {
    const double off = fabs(force[1][k] - force[0][k]);
    test_remark("%d: %.8f, off by %.2g", k, force[0][k], off);
    assert_true(fabs(force[0][k]) > 0.01 && off <= (k < 3 || k == 6 ? 1e-4 : 3e-3));
  }
}

/* ---- places -------------------------------------------------------------------------------- */

/* A sphere near a box, as the image that is shown. Gas by cell after some steps, turned back, and
 * the force on the box. */
static void run_near(trm_device *device, int steps, double shift, double (*content)[2],
                     double *force)
{
  static const double half[] = { 1.9, 2.3, 2.1 }, by[] = { 0.06, -0.04, 0.05 };
  const double at[2][3] = { { 5.31, 8.22, 7.93 }, { 10.03 + shift, 8.1, 8.2 } };
  double h[3];
  char text[96];
  const flow_image *i = &flow_shown;
  for (int a = 0; a < 3; a++) h[a] = half[i->axis[a]];
  snprintf(text, sizeof text, "box -%g %g -%g %g -%g %g", h[0], h[0], h[1], h[1], h[2], h[2]);
  mover m[] = { cut_body("sphere 0 0 0 2.6", 0.05, 0, 0, 0), cut_body(text, 0.05, 0, 0, 0) };
  cut_flow flow = flow_of(device, m, 2, 0.2);
  for (int b = 0; b < 2; b++)
    for (int a = 0; a < 3; a++) {
      const double x = at[b][i->axis[a]];
      m[b].at[a] = i->sign[a] < 0 ? N - x : x;
      m[b].by[a] = (b ? -0.5 : 1) * i->sign[a] * by[i->axis[a]];
    }
  flow_start(&flow, flow_imaged_waves, &found);
  for (int step = 0; step < steps; step++) flow_step(&flow, &found, q);
  flow_image_content(i, &found, q, content);
  for (int a = 0; a < 3; a++)
    force[i->axis[a]] = i->sign[a] * flow.force[1][FV_FLOW_IMPULSE + a] / flow.dt;
  finish(&flow);
}

static void images_are_images(trm_device *device)
{
  static double right[CELLS][2], other[CELLS][2];
  double force[3], others[3];
  needs_f64(device);
  flow_shown = flow_turned(0, 0);
  run_near(device, 2, 0, right, force);
  for (int i = 1; i < (test_runs_long() ? 6 : 3); i++) {
    double most = 0, least = 0;
    flow_shown = flow_turned(i % 3, i > 1);
    run_near(device, 2, 0, other, others);
    for (int cell = 0; cell < CELLS; cell++)
      for (int k = 0; k < 2; k++)
        most = fmax(most, fabs(other[cell][k] - right[cell][k]));
    for (int a = 0; a < 3; a++) least = fmax(least, fabs(others[a] - force[a]));
    test_remark("image %d: gas %.2g, force %.2g of %g", i, most, least, force[0]);
    assert_true(most <= 1e-11 && least <= 1e-11);
  }
}

/* The force does not jump where cells of both bodies become thin or new ones appear. */
static void a_small_shift_changes_little(trm_device *device)
{
  static const double shifts[] = { 0, 1e-7, 2e-7, 1e-6 };
  static double content[CELLS][2];
  double force[4][3];
  needs_f64(device);
  flow_shown = flow_turned(0, 0);
  for (int i = 0; i < 4; i++) run_near(device, 5, shifts[i], content, force[i]);
  const double one = force[1][0] - force[0][0], two = force[2][0] - force[1][0];
  const double ten = force[3][0] - force[0][0];
  test_remark("%g and %g by 1e-7, %g by 1e-6, of %g", one, two, ten, force[0][0]);
  assert_true(fabs(one) <= 1e-5 && fabs(one) > 1e-10);
  assert_true(fabs(two - one) <= 0.05 * fabs(one) && fabs(ten - 10 * one) <= 0.5 * fabs(one));
}

/* ---- bits ---------------------------------------------------------------------------------- */

/* Plates meet, so that a sheet is covered, beside a plate that turns. */
static void run_all(trm_device *device, double (*to)[VALUES], double *forces)
{
  mover m[3];
  cut_flow flow = plates(device, m, 0.0613, 8.13, -0.2);
  m[2] = cut_body("box -2.1 2.1 -2.2 2.2 -0.2 0.2", 0.05, 8.3, 8.2, 10.3);
  m[2].angle[1] = 0.02;
  flow.count = 3;
  flow_start(&flow, flow_waves, &found);
  for (int step = 0; step < 4; step++) flow_step(&flow, &found, to);
  memcpy(forces, flow.force, sizeof flow.force);
  finish(&flow);
}

/* Every backend has the host's bits. */
static void bits_are_the_hosts(trm_device *device)
{
  static double other[VOLUMES][VALUES];
  double forces[2][BODIES * FV_FLOW_FORCES];
  const int is_host = trm_device_describe(device)->is_host;
  trm_device *host = NULL;
  test_needs_f64(device);
  if (is_host && !test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  if (is_host) setenv("TRIREME_ISA", "reverse", 1);
  run_all(device, other, forces[0]);
  unsetenv("TRIREME_ISA");
  host = test_open("openmp", NULL);
  run_all(host, q, forces[1]);
  trm_device_close(&host);
  TEST_SAME_BITS(*q, *other, (size_t)found.volumes * VALUES, TRM_TYPE_F64);
  TEST_SAME_BITS(forces[1], forces[0], BODIES * FV_FLOW_FORCES, TRM_TYPE_F64);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(carried_bodies_leave_a_stream_uniform),
    TEST_DEVICE(plates_that_slide_leave_a_stream_uniform),
    TEST_DEVICE(plates_part_and_meet),
    TEST_DEVICE(a_plate_turns_beside_others),
    TEST_DEVICE(gas_without_a_way_out_is_refused),
    TEST_DEVICE(gas_that_is_squeezed_is_isentropic),
    TEST_DEVICE(gas_in_a_gap_moves_along),
    TEST_DEVICE(two_halves_have_the_forces_of_the_whole),
    TEST_DEVICE(images_are_images),
    TEST_DEVICE(a_small_shift_changes_little),
    TEST_DEVICE(bits_are_the_hosts),
  };
  return TEST_RUN(argc, argv, cases);
}
