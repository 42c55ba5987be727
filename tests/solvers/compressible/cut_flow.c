/* cut_flow.c - steps of the gas, by the solver's own launches (volumes_flow.h). */
#include "tests/solvers/compressible/cut_flow.h"

#include <math.h>
#include <string.h>

#include "core/modules.h"

static const double gas_constant = 1.4; /* the ratio of specific heats */

/* Parts of a step that its stages end at. */
static const double stages[] = { 0.25, 1. / 6, 0.375, 0.5, 1 };
enum { STAGES = sizeof stages / sizeof *stages };

static fv_params params_of(const cut_flow *flow)
{
  const double g = gas_constant;
  return (fv_params){ .inv_gamma = 1 / g, .enthalpy = 1 / (g - 1), .heat = g * (g - 1),
                      .critical = 2 * (g - 1) / (g + 1), .chi = 0.5, .inv_h = 1, .cfl = 1,
                      .viscosity = flow->viscosity, .conduction = 1 / ((g - 1) * 0.72),
                      .form = flow->form, .blocks = flow->run.lists.p.leaves,
                      .boundaries = flow->run.lists.p.leaves };
}

/* ---- blocks ---------------------------------------------------------------------------------- */

TRM_DECLARE_MODULES(fv_hllc);
extern const char trm_text_fv_hllc[];
static const trm_program_source stage_source = { "fv_hllc",
                                                 "solvers/compressible/kernels/fv_hllc.k",
                                                 trm_text_fv_hllc, TRM_MODULES(fv_hllc) };

enum { BLOCKS = LEAVES * LEAVES * LEAVES_Z };

/* Slots have another order than leaves. */
static int slot_of(int leaf) { return (5 * leaf + 3) % BLOCKS; }

static const fv_flow_blocks *blocks_of(const cut_flow *flow)
{
  return flow->has_blocks ? &flow->blocks : NULL;
}

static void write_tables(const cut_flow *flow)
{
  int32_t slots[BLOCKS], near[BLOCKS][FV_NEAR_INTS];
  memset(near, -1, sizeof near);
  for (int i = 0; i < BLOCKS; i++) {
    int32_t *own = near[slot_of(i)];
    slots[i] = slot_of(i);
    own[FV_LEVEL] = own[FV_IN_BODY] = 0;
    for (int k = 0; k < 27; k++) {
      const int x = i % LEAVES + k % 3 + LEAVES - 1;
      const int y = i / LEAVES % LEAVES + k / 3 % 3 + LEAVES - 1;
      const int z = i / LEAVES / LEAVES + k / 9 + LEAVES_Z - 1;
      own[k] = slot_of((z % LEAVES_Z * LEAVES + y % LEAVES) * LEAVES + x % LEAVES);
    }
  }
  TEST_OK(trm_buffer_write(flow->blocks.slots, 0, sizeof slots, slots));
  TEST_OK(trm_buffer_write(flow->blocks.near, 0, sizeof near, near));
}

static void conserved(const double w[VALUES], double q[VALUES])
{
  q[0] = w[3];
  for (int a = 0; a < 3; a++) q[1 + a] = w[3] * w[a];
  q[4] = w[4] / (gas_constant * (gas_constant - 1)) +
         0.5 * w[3] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

/* The place of a cell of the leaves in arrays of blocks. */
static size_t place_of(int cell, int value)
{
  return ((size_t)slot_of(cell / FV_CELLS) * FV_VALUES + (size_t)value) * FV_CELLS +
         (size_t)(cell % FV_CELLS);
}

static void make_blocks(cut_flow *flow, void (*values_at)(const double *place, double *values))
{
  static double q[CELLS * VALUES], w[CELLS * VALUES];
  const trm_program_options options = { .precision = TRM_F64, .math = TRM_STRICT,
                                        .variant = FV_IS_FLAT ? "flat" : NULL };
  fv_flow_blocks *b = &flow->blocks;
  assert_int_equal(SIDE, FV_SX);
  TEST_OK(trm_program_create(flow->device, &stage_source, &options, &flow->stages));
  b->slots = cut_buffer(flow->device, BLOCKS * sizeof(int32_t));
  b->near = cut_buffer(flow->device, BLOCKS * FV_NEAR_INTS * sizeof(int32_t));
  b->w = cut_buffer(flow->device, sizeof w);
  b->next = cut_buffer(flow->device, sizeof w);
  b->q = cut_buffer(flow->device, sizeof q);
  b->part = cut_buffer(flow->device, BLOCKS * sizeof(double));
  flow->unused = cut_buffer(flow->device, sizeof(double));
  write_tables(flow);
  for (int i = 0; i < CELLS; i++) {
    const int cell = cut_cell_of(i);
    const double place[] = { cell % N + 0.5, cell / N % N + 0.5, cell / N / N + 0.5 };
    double values[VALUES], state[VALUES];
    values_at(place, values);
    conserved(values, state);
    values[4] /= values[3]; /* T */
    for (int k = 0; k < VALUES; k++) {
      q[place_of(i, k)] = state[k];
      w[place_of(i, k)] = values[k];
    }
  }
  TEST_OK(trm_buffer_write(b->q, 0, sizeof q, q));
  TEST_OK(trm_buffer_write(b->w, 0, sizeof w, w));
  TEST_OK(trm_buffer_write(b->next, 0, sizeof w, w));
}

static void free_blocks(cut_flow *flow)
{
  fv_flow_blocks *b = &flow->blocks;
  trm_buffer **all[] = { &b->slots, &b->near, &b->w, &b->next, &b->q, &b->part,
                         &flow->unused };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) trm_buffer_destroy(all[i]);
  trm_program_destroy(&flow->stages);
}

static void launch_stage(const cut_flow *flow, const fv_params *p)
{
  const fv_flow_blocks *b = &flow->blocks;
  trm_kernel *kernel = NULL;
  const trm_extent extent = { BLOCKS, 1, 1, 0 };
  trm_buffer *const buffers[] = { b->w, b->next, b->q, b->near, flow->clock, b->part,
                                  flow->unused, b->w };
  TEST_OK(trm_program_kernel(flow->stages, "fv_stage", &kernel));
  TEST_OK(trm_kernel_launch(kernel, &extent, p, sizeof *p, buffers, 8));
}

void flow_read_blocks(const cut_flow *flow, double (*to)[VALUES])
{
  static double q[CELLS * VALUES];
  TEST_OK(trm_buffer_read(flow->blocks.q, 0, sizeof q, q));
  for (int i = 0; i < CELLS; i++)
    for (int k = 0; k < VALUES; k++) to[cut_cell_of(i)][k] = q[place_of(i, k)];
}

double flow_rate(const cut_flow *flow)
{
  double part[BLOCKS], most = 0;
  TEST_OK(trm_buffer_read(flow->blocks.part, 0, sizeof part, part));
  for (int i = 0; i < BLOCKS; i++) most = fmax(most, part[i]);
  return most;
}

/* ---- steps ----------------------------------------------------------------------------------- */

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
  const double clock[FV_CLOCK_REALS] = { [FV_DT] = flow->dt, [FV_LIVE] = 1 };
  const fv_params p = params_of(flow);
  mover moves[BODIES];
  flow->run = cut_open(flow->device, !flow->has_blocks);
  if (flow->has_blocks) cut_repeat(&flow->run);
  TEST_OK(fv_flow_open(&flow->run.lists, &flow->gas));
  flow->clock = cut_buffer(flow->device, sizeof clock);
  TEST_OK(trm_buffer_write(flow->clock, 0, sizeof clock, clock));
  stop(flow, moves);
  cut_make(&flow->run, flow->movers, flow->count);
  move_on(flow, moves);
  cut_read(&flow->run, found);
  if (flow->has_blocks) make_blocks(flow, values_at);
  TEST_OK(fv_flow_start(&flow->gas, &p, blocks_of(flow)));
  for (int v = 0; v < found->volumes && !flow->has_blocks; v++) {
    const int cell = found->cell[v];
    const double *gas = found->volume[v] + FV_GAS_END;
    double place[] = { cell % N + 0.5, cell / N % N + 0.5, cell / N / N + 0.5 }, w[VALUES];
    for (int a = 0; a < 3 && gas[0] > 0; a++) place[a] += gas[1 + a] / gas[0];
    values_at(place, w);
    conserved(w, q[v]);
  }
  if (!flow->has_blocks)
    TEST_OK(trm_buffer_write(flow->gas.state, 0, (size_t)found->volumes * sizeof *q, q));
}

static void make_stages(cut_flow *flow)
{
  fv_params p = params_of(flow);
  TEST_OK(fv_flow_begin(&flow->gas, &p, blocks_of(flow)));
  for (int stage = 0; stage < STAGES; stage++) {
    p.when = stage > 0 ? stages[stage - 1] : 0;
    p.alpha = stages[stage];
    p.stage = stage;
    p.is_last = stage == STAGES - 1;
    TEST_OK(fv_flow_stage(&flow->gas, &p, blocks_of(flow), flow->clock));
    if (!flow->has_blocks) continue;
    launch_stage(flow, &p);
    TEST_OK(fv_flow_update(&flow->gas, &p, &flow->blocks, flow->clock));
    TEST_OK(fv_flow_put(&flow->gas, &p, &flow->blocks, flow->clock));
    trm_buffer *made = flow->blocks.next;
    flow->blocks.next = flow->blocks.w;
    flow->blocks.w = made;
  }
}

/* Sums over walls of the last stage. */
static void read_forces(cut_flow *flow)
{
  TEST_OK(fv_flow_forces(&flow->gas, flow->clock, flow->force));
  memset(flow->impulse, 0, sizeof flow->impulse);
  flow->work = 0;
  for (int body = 0; body < flow->count; body++) {
    for (int a = 0; a < 3; a++) flow->impulse[a] += flow->force[body][FV_FLOW_IMPULSE + a] +
                          flow->force[body][FV_FLOW_FRICTION + a];
    flow->work += flow->force[body][FV_FLOW_WORK];
  }
}

void flow_step(cut_flow *flow, result *found, double (*q)[VALUES])
{
  cut_make(&flow->run, flow->movers, flow->count);
  cut_read(&flow->run, found);
  make_stages(flow);
  TEST_OK(trm_buffer_read(flow->gas.state, 0, (size_t)found->volumes * sizeof *q, q));
  flow->lacking += flow->gas.lacked;
  read_forces(flow);
  for (int m = 0; m < flow->count; m++) {
    mover *body = &flow->movers[m];
    for (int a = 0; a < 3; a++) body->at[a] += body->by[a];
    body->angle[1] += body->angle[1] - body->angle[0];
    body->angle[0] = 0.5 * (body->angle[0] + body->angle[1]);
  }
}

void flow_end(cut_flow *flow)
{
  fv_flow_close(&flow->gas);
  trm_buffer_destroy(&flow->clock);
  if (flow->has_blocks) free_blocks(flow);
  cut_close(&flow->run);
}

/* ---- of several tests ------------------------------------------------------------------------ */

void flow_waves(const double *place, double *values)
{
  const double turn = 2 * 3.14159265358979323846 / N;
  const double x = turn * place[0], y = turn * place[1], z = FV_IS_FLAT ? 0 : turn * place[2];
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

/* ---- images ---------------------------------------------------------------------------------- */

flow_image flow_shown;

void flow_imaged_waves(const double *place, double *values)
{
  double there[3], w[VALUES];
  for (int a = 0; a < 3; a++)
    there[flow_shown.axis[a]] = flow_shown.sign[a] < 0 ? N - place[a] : place[a];
  flow_waves(there, w);
  for (int a = 0; a < 3; a++) values[a] = flow_shown.sign[a] * w[flow_shown.axis[a]];
  values[3] = w[3];
  values[4] = w[4];
}

int flow_cell_of_image(const flow_image *image, int cell)
{
  static const int strides[] = { 1, N, N * N };
  int other = 0;
  for (int a = 0; a < 3; a++) {
    const int x = cell / strides[a] % N;
    other += (image->sign[a] < 0 ? N - 1 - x : x) * strides[image->axis[a]];
  }
  return other;
}

flow_image flow_turned(int turn, int is_mirrored)
{
  flow_image image = { { 0 }, { is_mirrored ? -1 : 1, 1, 1 } };
  for (int a = 0; a < 3; a++) image.axis[a] = (a + turn) % 3;
  return image;
}

void flow_image_content(const flow_image *image, const result *found, double (*q)[VALUES],
                        double (*content)[2])
{
  memset(content, 0, CELLS * sizeof *content);
  for (int v = 0; v < found->volumes; v++) {
    const int cell = flow_cell_of_image(image, found->cell[v]);
    for (int k = 0; k < 2; k++)
      content[cell][k] += found->volume[v][FV_GAS_END] * q[v][4 * k];
  }
}

/* ---- gas that is kept ---------------------------------------------------------------------- */

void flow_expect_sums(const double before[VALUES], const double after[VALUES],
                      const double taken[VALUES])
{
  test_remark("mass %.2g, energy %.2g of %g, momentum %.2g %.2g %.2g", after[0] - before[0],
              after[4] + taken[4] - before[4], taken[4], after[1] + taken[1] - before[1],
              after[2] + taken[2] - before[2], after[3] + taken[3] - before[3]);
  for (int k = 0; k < VALUES; k++)
    assert_true(fabs(after[k] + taken[k] - before[k]) <= 1e-13 * (k % 4 == 0 ? CELLS : 1000));
}

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
