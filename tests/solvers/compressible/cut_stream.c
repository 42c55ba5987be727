/* cut_stream.c - invariants of the flow in control volumes (fv_volumes_flow.h). */
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

/* ---- uniform streams ------------------------------------------------------------------------ */

static const double stream[VALUES] = { 0.4, -0.25, 0.3, 1, 1 };

static void uniform(const double *place, double *values)
{
  (void)place;
  memcpy(values, stream, sizeof stream);
}

/* The largest difference of any volume from the stream. */
static double off_stream(const result *r)
{
  const double *u = stream;
  const double energy = u[4] / (1.4 * 0.4) +
                        0.5 * u[3] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const double right[VALUES] = { u[3], u[3] * u[0], u[3] * u[1], u[3] * u[2], energy };
  double most = 0;
  for (int v = 0; v < r->volumes; v++)
    for (int i = 0; i < VALUES && r->volume[v][FV_GAS_END] > 0; i++)
      most = fmax(most, fabs(q[v][i] - right[i]));
  return most;
}

/* Bodies that a stream carries along leave it as it is. */
static void carried_bodies_leave_a_stream_uniform(trm_device *device)
{
  static const char *const bodies[] = { "sphere 0 0 0 5.3", "box -5.2 5.2 -4.1 4.1 -0.15 0.15",
                                        "box -3 3 -2.5 2 -3.1 3",
                                        "box -0.4 0.4 -0.7 0.7 -0.6 0.6", "tube 0 0 0.6",
                                        "tube 0 0 0.1" };
  static const int forms[] = { FV_BY_HLLC, 0, FV_BY_PLUS, FV_BY_HLLC, FV_BY_HLLC, FV_BY_HLLC };
  needs_f64(device);
  for (int i = 0; i < 6; i++) {
    mover m = cut_body(bodies[i], i < 5 ? 0.05 : 0.015, 14.31, 16.72, 15.13);
    cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = 0.2, .form = forms[i] };
    double most = 0;
    if (i == 1 || i == 3) m.angle[0] = m.angle[1] = 0.7;
    flow_start(&flow, uniform, &found);
    cut_move(&m, 0.2 * stream[0], 0.2 * stream[1], 0.2 * stream[2]);
    for (int step = 0; step < (test_runs_long() ? 15 : 8); step++) {
      flow_step(&flow, &found, q);
      assert_int_equal(found.count[FV_FOUND_TREE], 0);
      most = fmax(most, off_stream(&found));
    }
    test_remark("%s: %.2g", bodies[i], most);
    assert_true(most <= 1e-12);
    flow_end(&flow);
    fv_free_facets(&m.facets);
  }
}

/* ---- gas that is kept ----------------------------------------------------------------------- */

/* Mass stays. Walls take momentum and energy, and give them. */
static void mass_stays_and_walls_account(trm_device *device)
{
  static const char *const bodies[] = { "sphere 0 0 0 5.3", "box -5.2 5.2 -4.1 4.1 -0.15 0.15",
                                        "box -5.2 5.2 -4.1 4.1 -0.15 0.15" };
  static const double ways[][4] = { { 0.06, -0.04, 0.05, 0 }, { 0.06, 0.02, 0.05, 0 },
                                    { 0, 0.01, 0, 0.012 } };
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    mover m = cut_body(bodies[i], 0.05, 14.31, 16.72, 15.13);
    cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = 0.2, .form = FV_BY_HLLC };
    double before[VALUES], taken[VALUES] = { 0 }, after[VALUES];
    m.angle[0] = m.angle[1] = i > 0 ? 0.7 : 0;
    flow_start(&flow, flow_waves, &found);
    flow_step(&flow, &found, q); /* at rest, so that q has the state of volumes */
    flow_sum(&found, q, before);
    cut_move(&m, ways[i][0], ways[i][1], ways[i][2]);
    m.angle[1] = m.angle[0] + ways[i][3];
    for (int step = 0; step < (test_runs_long() ? 15 : 8); step++) {
      flow_step(&flow, &found, q);
      for (int a = 0; a < 3; a++) taken[1 + a] += flow.impulse[a];
      taken[4] += flow.work;
    }
    flow_sum(&found, q, after);
    flow_expect_sums(before, after, taken);
    assert_true(fabs(taken[4]) > 0.1);
    flow_end(&flow);
    fv_free_facets(&m.facets);
  }
}

/* ---- images --------------------------------------------------------------------------------- */

/* Gas by cell after some steps about a sphere, and the impulses. */
static void run_image(trm_device *device, const flow_image *i, double (*content)[VALUES],
                      double *impulse)
{
  static const double at[] = { 14.31, 16.72, 15.13 }, by[] = { 0.06, -0.04, 0.05 };
  mover m = cut_body("sphere 0 0 0 5.3", 0.05, 0, 0, 0);
  cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = 0.2, .form = FV_BY_HLLC };
  flow_shown = *i;
  for (int a = 0; a < 3; a++)
    m.at[a] = i->sign[a] < 0 ? N - at[i->axis[a]] : at[i->axis[a]];
  flow_start(&flow, flow_imaged_waves, &found);
  for (int a = 0; a < 3; a++) m.by[a] = i->sign[a] * by[i->axis[a]];
  for (int step = 0; step < 8; step++) flow_step(&flow, &found, q);
  memset(content, 0, CELLS * sizeof *content);
  for (int v = 0; v < found.volumes; v++) {
    const int cell = flow_cell_of_image(i, found.cell[v]);
    for (int k = 0; k < VALUES; k += 4)
      content[cell][k] += found.volume[v][FV_GAS_END] * q[v][k];
    for (int a = 0; a < 3; a++)
      content[cell][1 + i->axis[a]] +=
          i->sign[a] * found.volume[v][FV_GAS_END] * q[v][1 + a];
  }
  for (int a = 0; a < 3; a++) impulse[i->axis[a]] = i->sign[a] * flow.impulse[a];
  flow_end(&flow);
  fv_free_facets(&m.facets);
}

static void images_are_images(trm_device *device)
{
  static const flow_image images[] = {
    { { 0, 1, 2 }, { -1, 1, 1 } }, { { 0, 1, 2 }, { 1, -1, -1 } },
    { { 1, 2, 0 }, { 1, 1, 1 } },  { { 1, 0, 2 }, { 1, -1, 1 } } };
  static const flow_image itself = { { 0, 1, 2 }, { 1, 1, 1 } };
  static double right[CELLS][VALUES], other[CELLS][VALUES];
  double impulse[3], others[3];
  needs_f64(device);
  run_image(device, &itself, right, impulse);
  for (size_t i = test_runs_long() ? 0 : 2; i < sizeof images / sizeof *images; i++) {
    double most = 0, least = 0;
    run_image(device, &images[i], other, others);
    for (int cell = 0; cell < CELLS; cell++)
      for (int k = 0; k < VALUES; k++)
        most = fmax(most, fabs(other[cell][k] - right[cell][k]));
    for (int a = 0; a < 3; a++) least = fmax(least, fabs(others[a] - impulse[a]));
    test_remark("image %d: gas %.2g, impulse %.2g of %g", (int)i, most, least, impulse[0]);
    assert_true(most <= 1e-11 && least <= 1e-11);
  }
}

/* ---- places --------------------------------------------------------------------------------- */

static double push_at(trm_device *device, double shift)
{
  mover m = cut_body("sphere 0 0 0 5.3", 0.05, 14.31 + shift, 16.72, 15.13);
  cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = 0.2, .form = FV_BY_HLLC };
  flow_start(&flow, flow_waves, &found);
  cut_move(&m, 0.06, -0.04, 0.05);
  for (int step = 0; step < 6; step++) flow_step(&flow, &found, q);
  const double push = flow.impulse[0] / flow.dt;
  flow_end(&flow);
  fv_free_facets(&m.facets);
  return push;
}

/* The force does not jump where cells become thin or new ones appear. */
static void a_small_shift_changes_little(trm_device *device)
{
  double push[4];
  needs_f64(device);
  for (int i = 0; i < 4; i++) push[i] = push_at(device, i < 3 ? 1e-7 * i : 1e-6);
  const double one = push[1] - push[0], two = push[2] - push[1], ten = push[3] - push[0];
  test_remark("%g and %g by 1e-7, %g by 1e-6, of %g", one, two, ten, push[0]);
  assert_true(fabs(one) <= 1e-6 && fabs(one) > 1e-9);
  assert_true(fabs(two - one) <= 0.05 * fabs(one) && fabs(ten - 10 * one) <= 0.5 * fabs(one));
}

/* ---- a piston ------------------------------------------------------------------------------- */

static void rest(const double *place, double *values)
{
  (void)place;
  for (int i = 0; i < VALUES; i++) values[i] = i < 3 ? 0 : 1;
}

/* A wall across an axis, 4.4 cells thick. */
static mover wall_across(int axis)
{
  char text[128];
  double half[3] = { 40, 40, 40 };
  half[axis] = 2.2;
  snprintf(text, sizeof text, "box %g %g %g %g %g %g", -half[0], half[0], -half[1], half[1],
           -half[2], half[2]);
  return cut_body(text, 0.05, 16.1, 16.1, 16.1);
}

/* The gas pressure ahead less that behind, in a step. */
static double push_of(cut_flow *flow, int axis)
{
  flow_step(flow, &found, q);
  return -flow->impulse[axis] / flow->dt / (N * N);
}

/* A wall moves at once at 0.3 of the speed of sound: a shock runs ahead, and an expansion behind.
 * Their pressures are known (Rankine and Hugoniot, and isentropic). */
static void a_piston_has_its_pressure(trm_device *device)
{
  const double g = 1.4, u = 0.3, mach = (g + 1) * u / 4 + sqrt(pow((g + 1) * u / 4, 2) + 1);
  const double ahead = (1 + 2 * g / (g + 1) * (mach * mach - 1)) / g;
  const double behind = pow(1 - (g - 1) / 2 * u, 2 * g / (g - 1)) / g;
  needs_f64(device);
  for (int axis = 0; axis < (test_runs_long() ? 3 : 1); axis++) {
    double sum = 0, worst = 0;
    mover m = wall_across(axis);
    cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = 0.2, .form = FV_BY_HLLC };
    flow_start(&flow, rest, &found);
    m.by[axis] = u * flow.dt;
    for (int step = 0; step < 50; step++) {
      const double push = push_of(&flow, axis) / (ahead - behind);
      sum += step < 20 ? 0 : push / 30;
      if (step >= 20) worst = fmax(worst, fabs(push - 1));
    }
    test_remark("%.5f of the pressure; worst step off by %.2g", sum, worst);
    assert_true(fabs(sum - 1) <= 2e-3 && worst <= 1e-2);
    flow_end(&flow);
    fv_free_facets(&m.facets);
  }
}

/* The same at the speed of sound, and at six times that, where the gas behind ends. */
static void fast_pistons_have_it_too(trm_device *device)
{
  static const struct { double speed, most; } cases[] = { { 1, 0.03 }, { 6, 0.2 } };
  needs_f64(device);
  for (int i = test_runs_long() ? 0 : 1; i < 2; i++) {
    const double g = 1.4, u = cases[i].speed;
    const double mach = (g + 1) * u / 4 + sqrt(pow((g + 1) * u / 4, 2) + 1);
    const double ahead = (1 + 2 * g / (g + 1) * (mach * mach - 1)) / g;
    const double behind = pow(fmax(0, 1 - (g - 1) / 2 * u), 2 * g / (g - 1)) / g;
    mover m = wall_across(0);
    cut_flow flow = { .device = device, .movers = &m, .count = 1, .form = FV_BY_HLLC };
    double worst = 0, sum = 0;
    flow.dt = i == 0 ? 0.125 : 0.02;
    flow_start(&flow, rest, &found);
    m.by[0] = u * flow.dt;
    for (int step = 0; step < 40; step++) {
      const double push = push_of(&flow, 0) / (ahead - behind);
      if (step >= 20) worst = fmax(worst, fabs(push - 1));
      sum += step < 20 ? 0 : push / 20;
      for (int v = 0; v < found.volumes; v++) {
        const double *own = q[v];
        const double twice = own[1] * own[1] + own[2] * own[2] + own[3] * own[3];
        if (found.volume[v][FV_GAS_END] > 0)
          assert_true(own[0] > 0 && own[4] - 0.5 * twice / own[0] > 0);
      }
    }
    test_remark("%g: %.5f of the pressure; worst step off by %.2g", u, sum, worst);
    assert_true(fabs(sum - 1) <= 0.5 * cases[i].most && worst <= cases[i].most);
    flow_end(&flow);
    fv_free_facets(&m.facets);
  }
}

/* A wall that is accelerated sends simple flow_waves: both sides stay isentropic. */
static void an_accelerated_wall_has_its_pressure(trm_device *device)
{
  const double g = 1.4, rate = 0.04, dt = 0.2;
  mover m = wall_across(0);
  cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = dt, .form = FV_BY_HLLC };
  double sum = 0, worst = 0;
  test_is_long(); /* cut_outer has it, with blocks */
  needs_f64(device);
  flow_start(&flow, rest, &found);
  for (int step = 0; step < 40; step++) {
    const double u = rate * (step + 0.5) * dt;
    m.by[0] = u * dt;
    const double right = (pow(1 + (g - 1) / 2 * u, 2 * g / (g - 1)) -
                          pow(1 - (g - 1) / 2 * u, 2 * g / (g - 1))) / g;
    const double push = push_of(&flow, 0);
    worst = fmax(worst, fabs(push - right));
    sum += fabs(push - right) / 40;
  }
  test_remark("off by %.2g, %.2g at most", sum, worst);
  assert_true(sum <= 4e-4 && worst <= 1e-3);
  flow_end(&flow);
  fv_free_facets(&m.facets);
}

/* ---- narrow gas ----------------------------------------------------------------------------- */

/* A tube a fifth of a cell wide moves at once across its gas. Walls would stop the gas within a
 * part of a step. So a pressure that acts for the whole step throws it back. The gas moves along.
 */
static void gas_in_a_narrow_tube_moves_along(trm_device *device)
{
  static const double way[3] = { 0.3, 0.1, 0 };
  mover m = cut_body("tube 0 0 0.1", 0.015, 15.9, 16.05, 15.13);
  cut_flow flow = { .device = device, .movers = &m, .count = 1, .dt = 0.2, .form = FV_BY_HLLC };
  double sum[VALUES], fastest = 0;
  needs_f64(device);
  flow_start(&flow, rest, &found);
  for (int a = 0; a < 3; a++) m.by[a] = way[a] * flow.dt;
  for (int step = 0; step < 30; step++) {
    flow_step(&flow, &found, q);
    for (int v = 0; v < found.volumes && step >= 10; v++)
      for (int a = 0; a < 2 && found.volume[v][FV_GAS_END] > 0; a++)
        fastest = fmax(fastest, fabs(q[v][1 + a] / q[v][0] - way[a]));
  }
  flow_sum(&found, q, sum);
  test_remark("on average %.4f %.4f; %.2g off at most", sum[1] / sum[0], sum[2] / sum[0], fastest);
  for (int a = 0; a < 2; a++) assert_true(fabs(sum[1 + a] / sum[0] - way[a]) <= 0.02);
  assert_true(fastest <= 0.05);
  flow_end(&flow);
  fv_free_facets(&m.facets);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* A plate that parts cells turns and moves, beside a sphere. */
static void run_both(trm_device *device, double (*to)[VALUES])
{
  mover m[] = { cut_body("sphere 0 0 0 5.3", 0.05, 9.3, 16.1, 14.7),
                cut_body("box -4.2 4.2 -4.1 4.1 -0.15 0.15", 0.05, 22.31, 15.72, 16.13) };
  cut_flow flow = { .device = device, .movers = m, .count = 2, .dt = 0.2, .form = FV_BY_HLLC };
  m[1].angle[0] = m[1].angle[1] = 0.7;
  flow_start(&flow, flow_waves, &found);
  for (int i = 0; i < 2; i++) cut_move(&m[i], 0.06, -0.04, 0.03);
  m[1].angle[1] = 0.71;
  for (int step = 0; step < 3; step++) flow_step(&flow, &found, to);
  flow_end(&flow);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
}

/* Every backend has the host's bits. */
static void bits_are_the_hosts(trm_device *device)
{
  static double other[VOLUMES][VALUES];
  const int is_host = trm_device_describe(device)->is_host;
  trm_device *host = NULL;
  test_needs_f64(device);
  if (is_host && !test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  if (is_host) setenv("TRIREME_ISA", "reverse", 1);
  run_both(device, other);
  unsetenv("TRIREME_ISA");
  host = test_open("openmp", NULL);
  run_both(host, q);
  trm_device_close(&host);
  TEST_SAME_BITS(*q, *other, (size_t)found.volumes * VALUES, TRM_TYPE_F64);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(carried_bodies_leave_a_stream_uniform),
    TEST_DEVICE(mass_stays_and_walls_account),
    TEST_DEVICE(images_are_images),
    TEST_DEVICE(a_small_shift_changes_little),
    TEST_DEVICE(a_piston_has_its_pressure),
    TEST_DEVICE(fast_pistons_have_it_too),
    TEST_DEVICE(an_accelerated_wall_has_its_pressure),
    TEST_DEVICE(gas_in_a_narrow_tube_moves_along),
    TEST_DEVICE(bits_are_the_hosts),
  };
  return TEST_RUN(argc, argv, cases);
}
