/* cut_flow.c - launches the flow's kernels of a step. */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <string.h>

typedef double real;
#include "solvers/compressible/kernels/fv_clock.h"
#include "solvers/compressible/kernels/fv_params.h"

static const double gas_constant = 1.4; /* the ratio of specific heats */

/* Parts of a step that its stages end at. */
static const double stages[] = { 0.25, 1. / 6, 0.375, 0.5, 1 };
enum { STAGES = sizeof stages / sizeof *stages };

typedef struct stage_buffers {
  trm_buffer *clock, *begin, *q, *places, *w, *fresh, *other, *slopes, *fluxes, *pressures;
  trm_buffer *contents, *pushes, *parts, *means;
} stage_buffers;

/* name: after fv_flow_. */
#define LAUNCH(name, items, p, ...) \
  cut_launch(&flow->run, "fv_flow_" #name, (size_t)(items), &(p), sizeof(p), \
             (trm_buffer *[]){ __VA_ARGS__ }, \
             sizeof(trm_buffer *[]){ __VA_ARGS__ } / sizeof(trm_buffer *))

static fv_params params_of(const cut_flow *flow)
{
  const fv_volumes *l = &flow->run.lists;
  const double g = gas_constant;
  return (fv_params){ .inv_gamma = 1 / g, .enthalpy = 1 / (g - 1), .heat = g * (g - 1),
                      .critical = 2 * (g - 1) / (g + 1), .chi = 0.5, .inv_h = 1,
                      .form = flow->form, .units = l->p.volumes, .faces = l->p.faces,
                      .walls = l->p.volumes + FV_TREE_WALLS * l->p.trees };
}

static trm_buffer *reals(const cut_flow *flow, int entries, int each)
{
  return cut_buffer(flow->device, ((size_t)entries + 1) * (size_t)each * sizeof(double));
}

static stage_buffers make_buffers(const cut_flow *flow)
{
  const fv_volumes *l = &flow->run.lists;
  const int volumes = l->p.volumes;
  const double clock[FV_CLOCK_REALS] = { [FV_DT] = flow->dt };
  stage_buffers b = {
    .clock = cut_buffer(flow->device, sizeof clock), .begin = reals(flow, volumes, VALUES),
    .q = reals(flow, volumes, VALUES), .places = reals(flow, volumes, 4),
    .w = reals(flow, volumes, VALUES),
    .fresh = cut_buffer(flow->device, ((size_t)volumes + 1) * sizeof(int32_t)),
    .other = cut_buffer(flow->device, ((size_t)volumes + 1) * sizeof(int32_t)),
    .slopes = reals(flow, volumes, 3 * VALUES), .fluxes = reals(flow, l->p.faces, VALUES),
    .pressures = reals(flow, params_of(flow).walls, 1),
    .contents = reals(flow, volumes, VALUES),
    .pushes = reals(flow, volumes, 4), .parts = reals(flow, volumes, 1),
    .means = reals(flow, volumes, 4 * VALUES) };
  TEST_OK(trm_buffer_write(b.clock, 0, sizeof clock, clock));
  return b;
}

static void free_buffers(stage_buffers *b)
{
  trm_buffer **all[] = { &b->clock, &b->begin, &b->places, &b->w, &b->fresh, &b->other, &b->slopes,
                         &b->fluxes, &b->pressures, &b->contents, &b->pushes, &b->parts,
                         &b->means };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) trm_buffer_destroy(all[i]);
}

/* The contents after a stage, without redistribution. */
static void make_contents(const cut_flow *flow, const fv_params p, const stage_buffers *b,
                          int stage)
{
  const fv_volumes *l = &flow->run.lists;
  trm_buffer *q = stage == 0 ? b->begin : b->q;
  LAUNCH(state, p.units, p, l->now.volumes, q, b->places, b->w, b->fresh);
  LAUNCH(slopes, p.units, p, b->places, l->near, b->w, b->fresh, b->slopes);
  LAUNCH(fill, p.units, p, l->places, b->places, l->sides, l->joins, l->openings, b->slopes,
         b->fresh, b->w, b->other);
  LAUNCH(fill, p.units, p, l->places, b->places, l->sides, l->joins, l->openings, b->slopes,
         b->other, b->w, b->fresh);
  if (stage == 0) LAUNCH(adopt, p.units, p, b->w, b->fresh, b->begin);
  LAUNCH(fluxes, p.faces, p, l->joins, l->openings, b->places, b->w, b->slopes, b->fresh,
         b->clock, b->fluxes);
  LAUNCH(walls, p.units, p, l->bodies, b->places, l->walls, l->hoods, b->w, b->slopes, b->clock,
         b->pressures);
  LAUNCH(sums, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->bodies, l->walls,
         b->begin, b->fluxes, b->pressures, b->clock, b->contents, b->pushes);
  LAUNCH(ease, p.units, p, l->places, l->sides, l->joins, l->shares, l->hoods, b->w, b->contents,
         b->pushes, b->parts);
  LAUNCH(press, p.units, p, l->bodies, b->pushes, b->parts, b->pressures, b->contents);
}

/* A sweep of the redistribution, by these shares. */
static void sweep(const cut_flow *flow, const fv_params p, const stage_buffers *b,
                  trm_buffer *slopes, trm_buffer *shares, trm_buffer *hoods)
{
  const fv_volumes *l = &flow->run.lists;
  LAUNCH(means, p.units, p, l->places, l->sides, l->joins, shares, hoods, b->contents, b->w,
         slopes, b->means);
  LAUNCH(shares, p.units, p, l->places, l->now.volumes, l->sides, l->joins, shares, hoods,
         b->means, b->contents);
}

/* Sweeps for volumes without mass or pressure, until each has some. */
static void fill_voids(cut_flow *flow, const fv_params p, const stage_buffers *b)
{
  static int32_t lacks[VOLUMES];
  const fv_volumes *l = &flow->run.lists;
  const double none = 0;
  trm_buffer *asks = reals(flow, p.units, FV_ASK_REALS);
  trm_buffer *gives = reals(flow, p.units, FV_GIVE_REALS);
  trm_buffer *hoods = reals(flow, p.units, FV_HOOD_REALS);
  trm_buffer *shares = reals(flow, p.faces, FV_SHARE_REALS);
  trm_buffer *const give[] = { l->places, l->now.volumes, l->sides, l->joins, l->openings, asks,
                               gives };
  trm_buffer *const hood[] = { l->places, l->now.volumes, l->sides, l->joins, l->openings,
                               l->bodies, l->walls, asks, gives, shares, hoods };
  for (int round = 0, count = 1; count > 0; round++) {
    assert_in_range(round, 0, 64);
    LAUNCH(lack, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->openings,
           b->contents, b->fresh, asks);
    TEST_OK(trm_buffer_read(b->fresh, 0, (size_t)p.units * sizeof *lacks, lacks));
    count = 0;
    for (int v = 0; v < p.units; v++) count += lacks[v];
    if (count == 0) break;
    flow->lacking += round == 0 ? count : 0;
    cut_launch(&flow->run, "fv_volumes_give", (size_t)p.units, &l->p, sizeof l->p, give, 7);
    cut_launch(&flow->run, "fv_volumes_hood", (size_t)p.units, &l->p, sizeof l->p, hood, 11);
    TEST_OK(trm_buffer_fill(b->slopes, 0, trm_buffer_bytes(b->slopes), &none, sizeof none));
    sweep(flow, p, b, b->slopes, shares, hoods);
  }
  trm_buffer_destroy(&asks);
  trm_buffer_destroy(&gives);
  trm_buffer_destroy(&hoods);
  trm_buffer_destroy(&shares);
}

static void make_stages(cut_flow *flow, fv_params p, const stage_buffers *b)
{
  const fv_volumes *l = &flow->run.lists;
  for (int stage = 0; stage < STAGES; stage++) {
    p.when = stage > 0 ? stages[stage - 1] : 0;
    p.alpha = stages[stage];
    make_contents(flow, p, b, stage);
    if (stage < STAGES - 1)
      LAUNCH(rates, p.units, p, l->places, l->now.volumes, l->sides, l->joins, l->shares, l->hoods,
             b->begin, b->contents, b->q);
  }
  fv_volumes_params sheet = l->p;
  if (l->most_layers > 0) LAUNCH(lift, p.units, sheet, l->layers, l->are_sheet, b->contents, b->q);
  for (sheet.layer = l->most_layers; sheet.layer > 0; sheet.layer--)
    LAUNCH(sheet, sheet.volumes, sheet, l->places, l->sides, l->joins, l->passes, l->layers,
           l->ways, b->q, b->contents);
  for (int i = 0; i < 2; i++) sweep(flow, p, b, b->slopes, l->shares, l->hoods);
  fill_voids(flow, p, b);
  LAUNCH(end, p.units, p, l->now.volumes, b->contents, b->q);
}

/* Sums over walls of the last stage. */
static void read_forces(cut_flow *flow, const stage_buffers *b)
{
  const fv_volumes *l = &flow->run.lists;
  const fv_params p = params_of(flow);
  const int chunks = (p.walls + FV_FLOW_CHUNK - 1) / FV_FLOW_CHUNK;
  const int groups = chunks * flow->count, sums = groups * FV_FLOW_FORCES;
  static double part[BODIES * FV_FLOW_FORCES * (VOLUMES + FV_TREE_WALLS * TREES) /
                     FV_FLOW_CHUNK];
  trm_buffer *parts = reals(flow, sums, 1);
  trm_buffer *const buffers[] = { l->bodies, l->owners, l->walls, b->pressures, b->clock, parts };
  assert_in_range(sums, 0, sizeof part / sizeof *part);
  cut_launch_groups(&flow->run, "fv_flow_forces", (size_t)groups, &p, sizeof p, buffers, 6);
  TEST_OK(trm_buffer_read(parts, 0, (size_t)sums * sizeof *part, part));
  trm_buffer_destroy(&parts);
  memset(flow->force, 0, sizeof flow->force);
  memset(flow->impulse, 0, sizeof flow->impulse);
  flow->work = 0;
  for (int i = 0; i < sums; i++)
    flow->force[i / chunks / FV_FLOW_FORCES][i / chunks % FV_FLOW_FORCES] += part[i];
  for (int body = 0; body < flow->count; body++) {
    for (int a = 0; a < 3; a++) flow->impulse[a] += flow->force[body][FV_FLOW_IMPULSE + a];
    flow->work += flow->force[body][FV_FLOW_WORK];
  }
}

/* Bodies rest, until they move on. */
static void stop(cut_flow *flow, mover *moves)
{
  for (int b = 0; b < flow->count; b++) {
    mover *body = &flow->movers[b];
    moves[b] = *body;
    memset(body->by, 0, sizeof body->by);
    body->angle[1] = body->angle[0];
  }
}

static void move_on(cut_flow *flow, const mover *moves)
{
  for (int b = 0; b < flow->count; b++) {
    memcpy(flow->movers[b].by, moves[b].by, sizeof moves[b].by);
    flow->movers[b].angle[1] = moves[b].angle[1];
  }
}

void flow_start(cut_flow *flow, void (*values_at)(const double *place, double *values),
                result *found)
{
  static double q[VOLUMES][VALUES];
  mover moves[BODIES];
  flow->run = cut_open(flow->device, 1);
  stop(flow, moves);
  cut_make(&flow->run, flow->movers, flow->count);
  move_on(flow, moves);
  cut_read(&flow->run, found);
  for (int v = 0; v < found->volumes; v++) {
    const int cell = found->cell[v];
    const double *gas = found->volume[v] + FV_GAS_END;
    double place[] = { cell % N + 0.5, cell / N % N + 0.5, cell / N / N + 0.5 }, w[VALUES];
    for (int a = 0; a < 3 && gas[0] > 0; a++) place[a] += gas[1 + a] / gas[0];
    values_at(place, w);
    q[v][0] = w[3];
    for (int a = 0; a < 3; a++) q[v][1 + a] = w[3] * w[a];
    q[v][4] = w[4] / (gas_constant * (gas_constant - 1)) +
              0.5 * w[3] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  }
  flow->state = reals(flow, found->volumes, VALUES);
  TEST_OK(trm_buffer_write(flow->state, 0, (size_t)found->volumes * sizeof *q, q));
}

void flow_step(cut_flow *flow, result *found, double (*q)[VALUES])
{
  const fv_volumes *l = &flow->run.lists;
  cut_make(&flow->run, flow->movers, flow->count);
  cut_read(&flow->run, found);
  const fv_params p = params_of(flow);
  stage_buffers b = make_buffers(flow);
  LAUNCH(begin, p.units, p, l->olds, l->taken, flow->state, b.begin);
  make_stages(flow, p, &b);
  TEST_OK(trm_buffer_read(b.q, 0, (size_t)found->volumes * sizeof *q, q));
  read_forces(flow, &b);
  trm_buffer_destroy(&flow->state);
  flow->state = b.q;
  free_buffers(&b);
  for (int m = 0; m < flow->count; m++) {
    mover *body = &flow->movers[m];
    for (int a = 0; a < 3; a++) body->at[a] += body->by[a];
    body->angle[1] += body->angle[1] - body->angle[0];
    body->angle[0] = 0.5 * (body->angle[0] + body->angle[1]);
  }
}

void flow_end(cut_flow *flow)
{
  trm_buffer_destroy(&flow->state);
  cut_close(&flow->run);
}

/* ---- of several tests ------------------------------------------------------------------------ */

void flow_waves(const double *place, double *values)
{
  const double turn = 2 * 3.14159265358979323846 / N;
  const double x = turn * place[0], y = turn * place[1], z = turn * place[2];
  values[0] = 0.1 * sin(x) * cos(2 * y);
  values[1] = 0.1 * cos(z) * sin(x);
  values[2] = 0.1 * sin(y + z);
  values[3] = 1 + 0.1 * cos(x) * sin(y);
  values[4] = 1 + 0.1 * sin(x + y) * cos(z);
}

void flow_sum(const result *found, double (*q)[VALUES], double sum[VALUES])
{
  long double exact[VALUES] = { 0 };
  for (int v = 0; v < found->volumes; v++)
    for (int i = 0; i < VALUES; i++)
      exact[i] += (long double)found->volume[v][FV_GAS_END] * q[v][i];
  for (int i = 0; i < VALUES; i++) sum[i] = (double)exact[i];
}

/* ---- gas that is kept ---------------------------------------------------------------------- */

double flow_pressure(const double *w)
{
  return w[0] > 0 ? 0.4 * (w[4] - 0.5 * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]) / w[0]) : -1;
}

flow_account flow_begin(cut_flow *flow, void (*values_at)(const double *, double *),
                        result *found, double (*q)[VALUES])
{
  flow_account a = { .least = 1e30 };
  mover moves[BODIES];
  flow_start(flow, values_at, found);
  stop(flow, moves);
  flow_step(flow, found, q);
  move_on(flow, moves);
  flow_sum(found, q, a.before);
  return a;
}

void flow_look(const cut_flow *flow, const result *found, double (*q)[VALUES], flow_account *a)
{
  int trees = 0;
  for (int k = 0; k < 3; k++) a->taken[1 + k] += flow->impulse[k];
  a->taken[4] += flow->work;
  for (int v = 0; v < found->volumes; v++) {
    const double p = 1.4 * flow_pressure(q[v]);
    trees += found->body[v] <= FV_SEVERAL_WALLS;
    if (!(found->volume[v][FV_GAS_END] > 0)) continue;
    a->empty += !(p > 0);
    a->least = fmin(a->least, p);
    a->most = fmax(a->most, p);
    for (int k = 1; k < 4 && q[v][0] > 0; k++)
      a->fastest = fmax(a->fastest, fabs(q[v][k] / q[v][0]));
  }
  if (trees > a->trees) a->trees = trees;
}

void flow_expect_kept(const result *found, double (*q)[VALUES], const flow_account *a)
{
  double after[VALUES];
  flow_sum(found, q, after);
  test_remark("mass %.2g, energy %.2g of %g, momentum %.2g %.2g %.2g; gamma p %.3g to %.3g, "
              "velocity %.3g, %d empty, %d of both", after[0] - a->before[0],
              after[4] + a->taken[4] - a->before[4], a->taken[4],
              after[1] + a->taken[1] - a->before[1], after[2] + a->taken[2] - a->before[2],
              after[3] + a->taken[3] - a->before[3], a->least, a->most, a->fastest, a->empty,
              a->trees);
  for (int k = 0; k < VALUES; k++)
    assert_true(fabs(after[k] + a->taken[k] - a->before[k]) <= 1e-13 * CELLS);
  assert_int_equal(a->empty, 0);
}
