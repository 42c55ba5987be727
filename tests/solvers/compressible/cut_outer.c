/* cut_outer.c - control volumes near walls beside whole cells, which go by the stages of blocks
 * (fv_volumes_flow_outer.h). In two dimensions, too: cut_flat. */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Along z there are no places in two dimensions, and shapes have no ends there. */
#if FV_IS_FLAT
#define ALONG_Z(solid, flat) flat
#define BALL(r) "cylinder 0 0 " #r
#define MIDDLE { 11.31, 12.72, 0.5 }
static const char plate[] = "box -0.15 0.15 -5.2 5.2 -40 40";
static const char box[] = "box -5 3 -2.5 2 -40 40";
static const char floor_bar[] = "box -40 40 -2.3 2.3 -40 40";
#else
#define ALONG_Z(solid, flat) solid
#define BALL(r) "sphere 0 0 0 " #r
#define MIDDLE { 11.31, 12.72, 11.13 }
static const char plate[] = "box -5.2 5.2 -4.1 4.1 -0.15 0.15";
static const char box[] = "box -5 3 -2.5 2 -3.1 3";
static const char floor_bar[] = "box -40 40 -40 40 -2.3 2.3";
#endif

static result found;
static double q[VOLUMES][VALUES], whole[CELLS][VALUES];

/* A processor's driver is spared: bits_are_the_hosts has its kernels. */
static void needs_f64(trm_device *device)
{
  test_is_spared(device);
  test_needs_f64(device);
}

static cut_flow flow_of(trm_device *device, mover *movers, int count)
{
  return (cut_flow){ .device = device, .movers = movers, .count = count, .dt = 0.2,
                     .form = FV_BY_HLLC, .has_blocks = 1, .viscosity = 0.05 };
}

static int is_beyond(const result *r, int cell)
{
  return r->kind[cell] == FV_FOUND_GAS && r->first[cell] < 0;
}

/* The gas of volumes, and of whole cells beyond the list. */
static void sum_all(const cut_flow *flow, const result *r, double sum[VALUES])
{
  long double beyond[VALUES] = { 0 };
  flow_sum(r, q, sum);
  flow_read_blocks(flow, whole);
  for (int cell = 0; cell < CELLS; cell++)
    for (int k = 0; k < VALUES && is_beyond(r, cell); k++) beyond[k] += whole[cell][k];
  for (int k = 0; k < VALUES; k++) sum[k] += (double)beyond[k];
}

/* ---- uniform streams ------------------------------------------------------------------------ */

static double stream[VALUES];

static void uniform(const double *place, double *values)
{
  (void)place;
  memcpy(values, stream, sizeof stream);
}

/* The largest difference of any volume, or whole cell, from the stream. */
static double off_stream(const cut_flow *flow, const result *r)
{
  const double *u = stream;
  const double energy = u[4] / (1.4 * 0.4) +
                        0.5 * u[3] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const double right[VALUES] = { u[3], u[3] * u[0], u[3] * u[1], u[3] * u[2], energy };
  double most = 0;
  flow_read_blocks(flow, whole);
  for (int v = 0; v < r->volumes; v++)
    for (int i = 0; i < VALUES && r->volume[v][FV_GAS_END] > 0; i++)
      most = fmax(most, fabs(q[v][i] - right[i]));
  for (int cell = 0; cell < CELLS; cell++)
    for (int i = 0; i < VALUES && r->kind[cell] != FV_FOUND_SOLID; i++)
      if (is_beyond(r, cell) || r->volume[r->first[cell]][FV_GAS_END] > 0)
        most = fmax(most, fabs(whole[cell][i] - right[i]));
  return most;
}

/* A body, its speed, and whether its walls hold the gas fast, as a body may that moves with the
 * stream. Bars along x slide in a stream along x, at any speed. */
typedef struct streamed { const char *text; double at[3], by[3], turn; int grips; } streamed;

static void expect_uniform(trm_device *device, const streamed *bodies, int count,
                           const double *velocity)
{
  mover m[2];
  const double values[VALUES] = { velocity[0], velocity[1], velocity[2], 1, 1 };
  double most = 0, fastest = 0;
  memcpy(stream, values, sizeof stream);
  for (int i = 0; i < count; i++) {
    m[i] = cut_body(bodies[i].text, 0.05, bodies[i].at[0], bodies[i].at[1], bodies[i].at[2]);
    m[i].angle[0] = m[i].angle[1] = bodies[i].turn;
    m[i].grips = bodies[i].grips;
  }
  cut_flow flow = flow_of(device, m, count);
  flow_start(&flow, uniform, &found);
  for (int i = 0; i < count; i++) {
    const double *by = bodies[i].by;
    cut_move(&m[i], 0.2 * by[0], 0.2 * by[1], 0.2 * by[2]);
  }
  for (int step = 0; step < (test_runs_long() ? 30 : 6); step++) {
    flow_step(&flow, &found, q);
    most = fmax(most, off_stream(&flow, &found));
  }
  for (int a = 0; a < 3; a++) fastest = fmax(fastest, fabs(velocity[a]) + 1);
  test_remark("%s: %.2g; %d of %d cells listed", bodies[0].text, most, found.listed, CELLS);
  assert_true(most <= 1e-12);
  assert_true(fabs(flow_rate(&flow) - fastest) <= 1e-12);
  assert_true(found.outers > 0 && found.listed < CELLS / 2);
  flow_end(&flow);
  for (int i = 0; i < count; i++) fv_free_facets(&m[i].facets);
}

static void streams_stay_uniform(trm_device *device)
{
  static const double oblique[3] = { 0.4, -0.25, ALONG_Z(0.3, 0) };
  static const double along[3] = { 0.4, 0, 0 }, none[3] = { 0 };
  static const streamed carried[] = {
    { BALL(5.3), MIDDLE, { 0.4, -0.25, ALONG_Z(0.3, 0) }, 0, 1 },
    { plate, MIDDLE, { 0.4, -0.25, ALONG_Z(0.3, 0) }, 0.7, 1 } };
  static const streamed bars[] = {
    { ALONG_Z("box -40 40 -2.3 2.3 -2.2 2.2", floor_bar),
      { 12, ALONG_Z(12.71, 15.71), ALONG_Z(14.13, 0.5) }, { 0.9, 0, 0 }, 0, 0 },
    { floor_bar, { 12, ALONG_Z(12, 10.41), ALONG_Z(8.9, 0.5) }, { -0.3, 0, 0 }, 0, 0 } };
  static const streamed rests[] = {
    { box, MIDDLE, { 0 }, 0.7, 1 } };
  needs_f64(device);
  for (int i = 0; i < 2; i++) expect_uniform(device, &carried[i], 1, oblique);
  expect_uniform(device, bars, 2, along);
  expect_uniform(device, rests, 1, none);
}

/* ---- gas that is kept ----------------------------------------------------------------------- */

/* Waves of the grid's length. Mass stays; walls take momentum and energy, and give them. It stays
 * when the leaves are new, too. */
static void gas_is_kept(trm_device *device)
{
  static const struct { const char *body; double way[3], turn; } cases[] = {
    { BALL(5.3), { 0.06, -0.04, ALONG_Z(0.05, 0) }, 0 },
    { plate, { 0.06, 0.02, ALONG_Z(0.05, 0) }, 0 },
    { box, { 0.05, 0.01, 0 }, 0.012 } };
  needs_f64(device);
  for (int i = 0; i < 3; i++) {
    const double at[] = MIDDLE;
    mover m = cut_body(cases[i].body, 0.05, at[0], at[1], at[2]);
    cut_flow flow = flow_of(device, &m, 1);
    double before[VALUES], taken[VALUES] = { 0 }, after[VALUES];
    m.angle[0] = m.angle[1] = i > 0 ? 0.7 : 0;
    m.grips = i != 1;
    flow_start(&flow, flow_waves, &found);
    flow_step(&flow, &found, q); /* at rest, so that q has the state of volumes */
    sum_all(&flow, &found, before);
    cut_move(&m, cases[i].way[0], cases[i].way[1], cases[i].way[2]);
    m.angle[1] = m.angle[0] + cases[i].turn;
    for (int step = 0; step < (test_runs_long() ? 30 : 6); step++) {
      if (step == 4) cut_repeat(&flow.run);
      flow_step(&flow, &found, q);
      for (int a = 0; a < 3; a++) taken[1 + a] += flow.impulse[a];
      taken[4] += flow.work;
    }
    sum_all(&flow, &found, after);
    flow_expect_sums(before, after, taken);
    assert_true(fabs(taken[4]) > ALONG_Z(0.1, 0.01));
    flow_end(&flow);
    fv_free_facets(&m.facets);
  }
}

/* ---- images --------------------------------------------------------------------------------- */

/* Gas by cell after some steps about a sphere, in the frame of the first. */
static void run_image(trm_device *device, const flow_image *i, double (*to)[VALUES])
{
  static double gas[CELLS];
  static const double at[] = MIDDLE, by[] = { 0.06, -0.04, ALONG_Z(0.05, 0) };
  mover m = cut_body(BALL(5.3), 0.05, 0, 0, 0);
  m.grips = 1;
  cut_flow flow = flow_of(device, &m, 1);
  flow_shown = *i;
  for (int a = 0; a < 3; a++)
    m.at[a] = i->sign[a] < 0 ? N - at[i->axis[a]] : at[i->axis[a]];
  flow_start(&flow, flow_imaged_waves, &found);
  for (int a = 0; a < 3; a++) m.by[a] = i->sign[a] * by[i->axis[a]];
  for (int step = 0; step < 8; step++) flow_step(&flow, &found, q);
  flow_read_blocks(&flow, whole);
  memset(gas, 0, sizeof gas);
  for (int v = 0; v < found.volumes; v++) gas[found.cell[v]] += found.volume[v][FV_GAS_END];
  for (int from = 0; from < CELLS; from++) {
    const double holds = is_beyond(&found, from) ? 1 : gas[from];
    const int cell = flow_cell_of_image(i, from);
    for (int a = 0; a < 3; a++)
      to[cell][1 + i->axis[a]] = holds * i->sign[a] * whole[from][1 + a];
    for (int k = 0; k < VALUES; k += 4) to[cell][k] = holds * whole[from][k];
  }
  flow_end(&flow);
  fv_free_facets(&m.facets);
}

static void images_are_images(trm_device *device)
{
  static const flow_image images[] = {
    { { 0, 1, 2 }, { -1, 1, 1 } }, { { 1, 0, 2 }, { 1, -1, 1 } },
    { { 1, ALONG_Z(2, 0), ALONG_Z(0, 2) }, { 1, 1, 1 } } };
  static const flow_image itself = { { 0, 1, 2 }, { 1, 1, 1 } };
  static double right[CELLS][VALUES], other[CELLS][VALUES];
  needs_f64(device);
  run_image(device, &itself, right);
  for (size_t i = test_runs_long() ? 0 : 1; i < (test_runs_long() ? 3 : 2); i++) {
    double most = 0;
    run_image(device, &images[i], other);
    for (int cell = 0; cell < CELLS; cell++)
      for (int k = 0; k < VALUES; k++)
        most = fmax(most, fabs(other[cell][k] - right[cell][k]));
    test_remark("image %d: %.2g", (int)i, most);
    assert_true(most <= 1e-11);
  }
}

/* ---- accuracy ------------------------------------------------------------------------------- */

static void rest(const double *place, double *values)
{
  (void)place;
  for (int i = 0; i < VALUES; i++) values[i] = i < 3 ? 0 : 1;
}

/* A wall that is accelerated sends simple waves: both sides stay isentropic. */
static void an_accelerated_wall_has_its_pressure(trm_device *device)
{
  const double g = 1.4, rate = 0.04;
  mover m = cut_body("box -2.2 2.2 -40 40 -40 40", 0.05, 12.1, 12.1, ALONG_Z(12.1, 0.5));
  cut_flow flow = flow_of(device, &m, 1);
  double sum = 0, worst = 0;
  needs_f64(device);
  flow.viscosity = 0;
  flow_start(&flow, rest, &found);
  for (int step = 0; step < 30; step++) {
    const double u = rate * (step + 0.5) * flow.dt;
    m.by[0] = u * flow.dt;
    const double right = (pow(1 + (g - 1) / 2 * u, 2 * g / (g - 1)) -
                          pow(1 - (g - 1) / 2 * u, 2 * g / (g - 1))) / g;
    flow_step(&flow, &found, q);
    const double push = -flow.impulse[0] / flow.dt / (CELLS / N);
    worst = fmax(worst, fabs(push - right));
    sum += fabs(push - right) / 30;
  }
  test_remark("off by %.2g, %.2g at most", sum, worst);
  assert_true(sum <= 4e-4 && worst <= 1e-3);
  flow_end(&flow);
  fv_free_facets(&m.facets);
}

/* A wave of the density in a stream. */
static double passed;
static const double carry[3] = { 0.5, 0.25, 0 };

static void dense_wave(const double *place, double *values)
{
  const double turn = 2 * 3.14159265358979323846 / N;
  for (int a = 0; a < 3; a++) values[a] = carry[a];
  values[3] = 1 + 0.2 * sin(turn * (place[0] - carry[0] * passed)) *
                    cos(turn * (place[1] - carry[1] * passed));
  values[4] = 1;
}

/* The mean difference of whole cells' densities from the wave, after some steps. */
static double off_wave(trm_device *device, mover *movers, int count, double *pressure)
{
  cut_flow flow = flow_of(device, movers, count);
  double sum = 0;
  int cells = 0;
  passed = 0;
  flow.viscosity = 0;
  flow_start(&flow, dense_wave, &found);
  for (int i = 0; i < count; i++) cut_move(&movers[i], 0.2 * carry[0], 0.2 * carry[1], 0);
  for (int step = 0; step < 20; step++) flow_step(&flow, &found, q);
  passed = 20 * flow.dt;
  flow_read_blocks(&flow, whole);
  *pressure = 0;
  for (int cell = 0; cell < CELLS; cell++) {
    const double place[] = { cell % N + 0.5, cell / N % N + 0.5, cell / N / N + 0.5 };
    const double *own = whole[cell];
    double right[VALUES];
    if (count > 0 && !is_beyond(&found, cell) &&
        !(found.kind[cell] == FV_FOUND_GAS || found.gas[cell][FV_GAS_END] == 1)) continue;
    dense_wave(place, right);
    sum += fabs(own[0] - right[3]);
    *pressure = fmax(*pressure, fabs(0.56 * (own[4] - 0.5 * (own[1] * own[1] + own[2] * own[2] +
                                                             own[3] * own[3]) / own[0]) - 1));
    cells++;
  }
  flow_end(&flow);
  return sum / cells;
}

/* A body that a stream carries along does not disturb the stream's waves of density. */
static void a_wave_is_carried(trm_device *device)
{
  const double at[] = MIDDLE;
  mover m = cut_body(BALL(4.3), 0.05, at[0], at[1], at[2]);
  double alone, beside, pressure, pressure_alone;
  needs_f64(device);
  alone = off_wave(device, NULL, 0, &pressure_alone);
  beside = off_wave(device, &m, 1, &pressure);
  test_remark("off by %.3g alone, %.3g beside a ball; pressure by %.2g", alone, beside, pressure);
  assert_true(beside <= 1.5 * alone && pressure <= 1e-12 && pressure_alone <= 1e-12);
  fv_free_facets(&m.facets);
}

/* ---- viscous gas ----------------------------------------------------------------------------- */

enum { ACROSS = ALONG_Z(2, 1) }; /* bars */

#if FV_IS_FLAT /* many steps: in two dimensions alone */
/* Gas between slip walls, the bar and its image beyond a periodic side. A cosine of the velocity
 * along them has no stress there, and decays by viscosity alone. */
static const double bar[2] = { 9.7, 14.3 };

static double sheared_at(double at)
{
  const double from = at - bar[1] + (at < bar[1] ? N : 0), width = N - (bar[1] - bar[0]);
  return 0.02 * cos(3.14159265358979323846 * from / width);
}

static void sheared(const double *place, double *values)
{
  rest(place, values);
  values[0] = sheared_at(place[ACROSS]);
}

/* How much of the cosine is there: momentum of volumes and whole cells, by its product with it. */
static double amplitude(const cut_flow *flow, const result *r)
{
  static const int strides[] = { 1, N, N * N };
  double product = 0, square = 0;
  flow_read_blocks(flow, whole);
  for (int cell = 0; cell < CELLS; cell++) {
    const int v = r->first[cell];
    const double *gas = v < 0 ? NULL : r->volume[v] + FV_GAS_END;
    if (r->kind[cell] == FV_FOUND_SOLID || (gas && !(gas[0] > 0))) continue;
    const double off = gas ? gas[1 + ACROSS] / gas[0] : 0, holds = gas ? gas[0] : 1;
    const double wave = sheared_at(cell / strides[ACROSS] % N + 0.5 + off);
    product += holds * wave * whole[cell][1];
    square += holds * wave * wave;
  }
  return product / square;
}

static void shear_decays_between_slip_walls(trm_device *device)
{
  const double width = N - (bar[1] - bar[0]), turn = 3.14159265358979323846 / width;
  const int steps = ALONG_Z(40, 200);
  mover m = cut_body(floor_bar, 0.05, 12, ALONG_Z(12, 12), ALONG_Z(12, 0.5));
  cut_flow flow = flow_of(device, &m, 1);
  double begin;
  needs_f64(device);
  flow.viscosity = 0.3;
  flow_start(&flow, sheared, &found);
  begin = amplitude(&flow, &found);
  m.by[0] = 0.02; /* it slides */
  for (int step = 0; step < steps; step++) flow_step(&flow, &found, q);
  const double lost = -log(amplitude(&flow, &found) / begin);
  const double right = flow.viscosity * turn * turn * steps * flow.dt;
  test_remark("decays by %.5g; %.5g is right", lost, right);
  assert_true(fabs(lost - right) <= ALONG_Z(0.008, 0.005) * right);
  flow_end(&flow);
  fv_free_facets(&m.facets);
}

#endif

/* Two bars hold the gas fast, at rest and in motion. Both channels between them have a constant
 * slope of the velocity. First the bars' middles, and half of their thickness. */
static const double bars_at[2] = { 5.43, 5.43 + N / 2 + 0.31 }, half = 2.3;
static const double bars_by[2] = { 0, 0.05 };

static double couette_at(double at)
{
  for (int i = 0; i < 2; i++) {
    const double from = bars_at[i] + half, to = bars_at[1 - i] - half + (i == 1 ? N : 0);
    const double there = at < bars_at[0] ? at + N : at;
    if (there >= from - 1 && there <= to + 1)
      return bars_by[i] + (bars_by[1 - i] - bars_by[i]) * (there - from) / (to - from);
  }
  return 0;
}

static void couette(const double *place, double *values)
{
  rest(place, values);
  values[0] = couette_at(place[ACROSS]);
}

static void friction_holds_a_couette_flow(trm_device *device)
{
  static const int strides[] = { 1, N, N * N };
  mover m[2];
  double most = 0, right = 0, worst = 0;
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    m[i] = cut_body(floor_bar, 0.05, 12, ALONG_Z(12, bars_at[i]), ALONG_Z(bars_at[i], 0.5));
    m[i].grips = 1;
  }
  cut_flow flow = flow_of(device, m, 2);
  flow.viscosity = 0.3;
  flow_start(&flow, couette, &found);
  for (int i = 0; i < 2; i++) {
    m[i].by[0] = bars_by[i] * flow.dt;
    right += 0.3 * bars_by[1] / (fabs(bars_at[1] - bars_at[0] - i * N) - 2 * half) * (CELLS / N);
  }
  for (int step = 0; step < ALONG_Z(24, 300); step++) {
    flow_step(&flow, &found, q);
    const double drag = flow.force[0][FV_FLOW_FRICTION] / flow.dt;
    if (step >= 20) worst = fmax(worst, fabs(drag - right));
  }
  flow_read_blocks(&flow, whole);
  for (int cell = 0; cell < CELLS; cell++) {
    const int v = found.first[cell];
    const double *gas = v < 0 ? NULL : found.volume[v] + FV_GAS_END;
    if (found.kind[cell] == FV_FOUND_SOLID || (gas && !(gas[0] > 0))) continue;
    const double at = cell / strides[ACROSS] % N + 0.5 + (gas ? gas[1 + ACROSS] / gas[0] : 0);
    most = fmax(most, fabs(whole[cell][1] / whole[cell][0] - couette_at(at)));
  }
  test_remark("velocity off by %.2g of %g, force by %.2g of %g", most, bars_by[1], worst, right);
  assert_true(most <= ALONG_Z(0.01, 2e-4) * bars_by[1] && worst <= 2e-3 * right);
  flow_end(&flow);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
}

#if FV_IS_FLAT
/* The same bars at rest, with temperatures: gas at rest conducts heat, at a pressure of 1. */
static void conducting(const double *place, double *values)
{
  rest(place, values);
  values[3] = 1 / (1 + couette_at(place[ACROSS]));
}

static void heat_passes_between_walls(trm_device *device)
{
  mover m[2];
  double worst = 0, fastest = 0, right = 0;
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    m[i] = cut_body(floor_bar, 0.05, 12, ALONG_Z(12, bars_at[i]), ALONG_Z(bars_at[i], 0.5));
    m[i].grips = 1;
    m[i].heat = 1 + bars_by[i];
    right += 0.3 / (0.4 * 0.72) * bars_by[1] /
             (fabs(bars_at[1] - bars_at[0] - i * N) - 2 * half) * (CELLS / N);
  }
  cut_flow flow = flow_of(device, m, 2);
  flow.viscosity = 0.3;
  flow.dt = 0.1;
  flow_start(&flow, conducting, &found);
  for (int step = 0; step < ALONG_Z(60, 600); step++) {
    flow_step(&flow, &found, q);
    if (step >= ALONG_Z(40, 300))
      for (int i = 0; i < 2; i++)
        worst = fmax(worst, fabs((i ? -1 : 1) * flow.force[i][FV_FLOW_HEAT] / flow.dt - right));
  }
  for (int v = 0; v < found.volumes; v++)
    for (int a = 0; a < 3 && found.volume[v][FV_GAS_END] > 0; a++)
      fastest = fmax(fastest, fabs(q[v][1 + a]));
  test_remark("heat off by %.2g of %g, velocity %.2g", worst, right, fastest);
  assert_true(worst <= 0.01 * right && fastest <= 1e-3);
  flow_end(&flow);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
}

#endif

/* Gas in a gap of 0.15 cells, between a bar at rest and one in motion, soon has the mean velocity.
 * So much friction in one step would throw it back. */
static void gas_in_a_gap_is_held(trm_device *device)
{
  const double low = 8.3, gap = 0.15, by = 0.05;
  mover m[2];
  double most = 0;
  int count = 0;
  needs_f64(device);
  for (int i = 0; i < 2; i++) {
    const double at = low + (i ? gap + half : -half);
    m[i] = cut_body(floor_bar, 0.05, 12, ALONG_Z(12, at), ALONG_Z(at, 0.5));
    m[i].grips = 1;
  }
  cut_flow flow = flow_of(device, m, 2);
  flow.viscosity = 0.3;
  flow_start(&flow, rest, &found);
  m[1].by[0] = by * flow.dt;
  for (int step = 0; step < ALONG_Z(15, 40); step++) flow_step(&flow, &found, q);
  for (int v = 0; v < found.volumes; v++) {
    const int row = found.cell[v] / (CELLS / N) % N;
    if (row != (int)low || !(found.volume[v][FV_GAS_END] > 0)) continue;
    most = fmax(most, fabs(q[v][1] / q[v][0] - by / 2));
    count++;
  }
  test_remark("%d volumes, velocity off by %.2g of %g", count, most, by / 2);
  assert_true(count == CELLS / N && most <= ALONG_Z(0.1, 0.01) * by);
  flow_end(&flow);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
}

/* A cylinder turns in a tube at rest: u = A r + B / r along the circle, and a known torque. */
#if FV_IS_FLAT
static const double radii[2] = { 6.2, 13.2 }, spin = 0.01, middle[2] = { 16.13, 15.87 };

static double turning_at(double r)
{
  const double a = radii[0] * radii[0], b = radii[1] * radii[1];
  return spin * a / (b - a) * (b / r - r);
}

static void turning(const double *place, double *values)
{
  const double x = place[0] - middle[0], y = place[1] - middle[1], r = hypot(x, y);
  const double u = turning_at(fmin(radii[1], fmax(radii[0], r)));
  rest(place, values);
  values[0] = -u * y / r;
  values[1] = u * x / r;
}

static void a_cylinder_turns_in_a_tube(trm_device *device)
{
  const double a = radii[0] * radii[0], b = radii[1] * radii[1];
  const double right = 4 * 3.14159265358979323846 * 0.3 * spin * a * b / (b - a);
  mover m[] = { cut_body("cylinder 0 0 6.2", 0.02, middle[0], middle[1], 0.5),
                cut_body("tube 0 0 13.2", 0.02, middle[0], middle[1], 0.5) };
  double most = 0, torque = 0;
  needs_f64(device);
  for (int i = 0; i < 2; i++) m[i].grips = 1;
  cut_flow flow = flow_of(device, m, 2);
  flow.viscosity = 0.3;
  flow_start(&flow, turning, &found);
  m[0].angle[1] = spin * flow.dt;
  for (int step = 0; step < 400; step++) {
    flow_step(&flow, &found, q);
    if (step >= 300) torque -= flow.force[0][FV_FLOW_MOMENT + 2] / flow.dt / 100;
  }
  flow_read_blocks(&flow, whole);
  for (int cell = 0; cell < CELLS; cell++) {
    const double x = cell % N + 0.5 - middle[0], y = cell / N % N + 0.5 - middle[1];
    const double *own = whole[cell], r = hypot(x, y);
    if (found.kind[cell] != FV_FOUND_GAS || r > radii[1]) continue;
    most = fmax(most, fabs((own[2] * x - own[1] * y) / r / own[0] - turning_at(r)));
  }
  test_remark("velocity off by %.2g of %g, torque %.5g; %.5g is right", most, spin * radii[0],
              torque, right);
  assert_true(most <= 0.02 * spin * radii[0] && fabs(torque - right) <= 0.02 * right);
  flow_end(&flow);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
}
#endif

/* ---- bits ----------------------------------------------------------------------------------- */

/* A plate that parts cells turns and moves, beside a sphere. */
static void run_both(trm_device *device, double (*to)[VALUES])
{
  mover m[] = { cut_body(BALL(4.3), 0.05, 6.3, 12.1, ALONG_Z(11.7, 0.5)),
                cut_body(plate, 0.05, 17.31, 11.72, ALONG_Z(12.13, 0.5)) };
  cut_flow flow = flow_of(device, m, 2);
  m[1].angle[0] = m[1].angle[1] = 0.7;
  m[0].grips = m[1].grips = 1;
  flow_start(&flow, flow_waves, &found);
  for (int i = 0; i < 2; i++) cut_move(&m[i], 0.06, -0.04, ALONG_Z(0.03, 0));
  m[1].angle[1] = 0.71;
  for (int step = 0; step < 3; step++) flow_step(&flow, &found, q);
  flow_read_blocks(&flow, to);
  flow_end(&flow);
  for (int i = 0; i < 2; i++) fv_free_facets(&m[i].facets);
}

/* Every backend has the host's bits. */
static void bits_are_the_hosts(trm_device *device)
{
  static double other[CELLS][VALUES];
  const int is_host = trm_device_describe(device)->is_host;
  trm_device *host = NULL;
  test_needs_f64(device);
  if (FV_IS_FLAT) test_is_spared(device); /* the variant's kernels take 17 s to compile there */
  if (is_host && !test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  if (is_host) setenv("TRIREME_ISA", "reverse", 1);
  run_both(device, other);
  unsetenv("TRIREME_ISA");
  host = test_open("openmp", NULL);
  run_both(host, whole);
  trm_device_close(&host);
  TEST_SAME_BITS(*whole, *other, CELLS * VALUES, TRM_TYPE_F64);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(streams_stay_uniform),
    TEST_DEVICE(gas_is_kept),
    TEST_DEVICE(images_are_images),
    TEST_DEVICE(an_accelerated_wall_has_its_pressure),
    TEST_DEVICE(a_wave_is_carried),
    TEST_DEVICE(friction_holds_a_couette_flow),
    TEST_DEVICE(gas_in_a_gap_is_held),
#if FV_IS_FLAT
    TEST_DEVICE(shear_decays_between_slip_walls),
    TEST_DEVICE(heat_passes_between_walls),
    TEST_DEVICE(a_cylinder_turns_in_a_tube),
#endif
    TEST_DEVICE(bits_are_the_hosts),
  };
  return TEST_RUN(argc, argv, cases);
}
