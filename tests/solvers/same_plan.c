/* same_plan.c - halo plans (core/domain/plan.c) of every solver, from declarations alone. The cases
 * of same_cases.c run on three devices. Before each launch the plan names the rows that core/crew
 * moves, in the same order. After it the plan knows the rows that are valid on each device. */
#include "tests/solvers/same_run.h"

#include "core/crew/crew.h"
#include "core/domain/plan.h"
#include "core/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "openmp,openmp*2,openmp"
#define WEIGHTS { 1, 2, 1 }
enum { PARTS = 3, SHARE = 16, MOST = 1024 };

typedef struct known {
  const trm_buffer *buffer;     /* NULL: it is gone */
  domain_rows rows;
} known;

typedef struct watch {
  const crew_device *crew;
  domain_plan *plan;
  known list[MOST];             /* by number in the plan */
  size_t numbers[TRM_MAX_BUFFERS]; /* of the launch at hand */
  size_t count, planned, pieces, listed, left_out;
  uint64_t moved;               /* by the crew, before the launch at hand */
  int is_planned;               /* the launch at hand is */
} watch;

static domain_rows rows_of(const crew_buffer *b)
{
  return (domain_rows){ .total = b->total, .grain = b->grain, .plane = b->plane, .reach = b->reach,
                        .nx = b->nx, .row = b->row, .first = b->first, .component = b->component,
                        .components = b->components, .ghosts = b->ghosts,
                        .value_bytes = b->value_bytes, .bytes = b->bytes, .lists = b->lists,
                        .starts = b->starts, .is_cut = b->is_cut, .is_output = b->is_output,
                        .is_bounded = b->is_bounded };
}

/* The present state of the crew, where the plan has not followed it. */
static void take_over(watch *w, size_t number, const crew_buffer *b)
{
  memcpy(domain_plan_valid(w->plan, number), b->fresh, PARTS * sizeof *b->fresh);
}

/* The number of a buffer; a new one if it was created, or declared by rows, since. */
static trm_status find(watch *w, const trm_buffer *buffer, size_t *number)
{
  const crew_buffer *b = buffer->handle;
  domain_rows rows;
  memset(&rows, 0, sizeof rows);
  rows = rows_of(b);
  for (size_t i = 0; i < w->count; i++) {
    if (w->list[i].buffer != buffer) continue;
    *number = i;
    if (memcmp(&w->list[i].rows, &rows, sizeof rows) == 0) return TRM_OK;
    w->list[i].buffer = NULL;
  }
  if (w->count == MOST) return TRM_FAIL(INVALID, "more than %d buffers", MOST);
  TRM_TRY(domain_plan_buffer(w->plan, &rows, number));
  w->list[w->count++] = (known){ buffer, rows };
  take_over(w, *number, b);
  return TRM_OK;
}

/* The run that fails for it may not say why. */
static trm_status tell(trm_status status)
{
  if (status != TRM_OK) test_remark("%s", trm_error_last()->text);
  return status;
}

static trm_status before(void *user, const trmi_seen *seen)
{
  watch *w = user;
  size_t *numbers = w->numbers;
  for (uint32_t i = 0; i < seen->command->buffer_count; i++)
    TRM_TRY(tell(find(w, seen->buffers[i], &numbers[i])));
  const trm_status status = domain_plan_launch(w->plan, seen->command, numbers);
  w->is_planned = status == TRM_OK;
  w->moved = w->crew->moved;
  return status == TRM_ERROR_UNSUPPORTED ? TRM_OK : tell(status);
}

static const char *name_of(const trmi_seen *seen)
{
  return seen->command->kind == TRM_COMMAND_LAUNCH ? seen->command->declaration->name : "a copy";
}

static trm_status compare_pieces(const watch *w, const trmi_seen *seen)
{
  const size_t moved = (size_t)(w->crew->moved - w->moved);
  size_t count;
  const domain_piece *pieces = domain_plan_pieces(w->plan, &count);
  for (size_t i = 0; i < count && i < moved; i++) {
    const domain_piece *p = &pieces[i];
    const crew_move *m = &w->crew->moves[i];
    if (w->list[p->buffer].buffer->handle != m->buffer || p->from != m->from || p->to != m->to ||
        p->list != m->list || p->row != m->row || p->count != m->count ||
        p->is_awaited != m->is_awaited)
      return TRM_FAIL(INVALID, "%s: piece %zu is rows [%zu, +%zu) of \"%s\" from %zu to %zu, and "
                      "[%zu, +%zu) went from %zu to %zu", name_of(seen), i, p->row, p->count,
                      w->list[p->buffer].buffer->name, p->from, p->to, m->row, m->count, m->from,
                      m->to);
  }
  if (count == moved) return TRM_OK;
  return TRM_FAIL(INVALID, "%s: the plan has %zu pieces, and %zu went", name_of(seen), count,
                  moved);
}

/* Parts of a list of rows that may go on at row 0; a launch takes `each` values to a part. */
static size_t count_parts(const crew_buffer *list, size_t each, size_t first, size_t count)
{
  const size_t *starts = list->starts, total = list->total;
  const size_t end = first + count > total ? total : first + count;
  const size_t rest = first + count - end;
  return (starts[end] - starts[first] + starts[rest] - starts[0]) / each;
}

/* Each device has the parts of its own rows, and of rows beside them that the crew has it compute
 * as well. */
static trm_status compare_lists(watch *w, const trmi_seen *seen)
{
  const trm_sharing *how = &seen->command->sharing->how;
  const crew_buffer *list = how->counts ? seen->buffers[how->counts - 1]->handle : NULL;
  if (!list || !list->starts || seen->command->declaration->kind != TRM_KERNEL_ROW) return TRM_OK;
  for (size_t m = 0; m < PARTS; m++) {
    static const double weights[PARTS] = WEIGHTS;
    const domain_span own = domain_own(weights, PARTS, list->total, list->grain, m);
    const domain_span more = w->crew->members[m].more;
    const size_t first = (own.first + list->total - more.first) % list->total;
    const size_t parts = count_parts(list, (size_t)how->each, first,
                                     more.first + own.count + more.count);
    const size_t before = count_parts(list, (size_t)how->each, 0, first);
    domain_share share;
    size_t planned = 0;
    domain_plan_share(w->plan, m, &share);
    for (size_t i = 0; i < share.count; i++) planned += share.spans[i].count;
    if (planned != parts || (parts && share.spans[0].first != before))
      return TRM_FAIL(INVALID, "%s: device %zu has %zu parts of the list, and %zu by the plan",
                      name_of(seen), m, parts, planned);
    w->listed += parts;
  }
  return TRM_OK;
}

static trm_status compare_valid(watch *w, const trmi_seen *seen, uint32_t i)
{
  size_t number;
  TRM_TRY(find(w, seen->buffers[i], &number));
  const crew_buffer *b = seen->buffers[i]->handle;
  const domain_span *valid = domain_plan_valid(w->plan, number);
  for (size_t m = 0; m < PARTS && w->is_planned; m++)
    if (valid[m].count != b->fresh[m].count ||
        (valid[m].count > 0 && valid[m].count < b->total && valid[m].first != b->fresh[m].first))
      return TRM_FAIL(INVALID, "%s: then rows [%zu, +%zu) of \"%s\" are valid on device %zu, and "
                      "[%zu, +%zu) by the plan", name_of(seen), b->fresh[m].first,
                      b->fresh[m].count, seen->buffers[i]->name, m, valid[m].first,
                      valid[m].count);
  if (!w->is_planned) take_over(w, number, b);
  return TRM_OK;
}

static trm_status after(void *user, const trmi_seen *seen)
{
  watch *w = user;
  size_t count;
  (void)domain_plan_pieces(w->plan, &count);
  if (w->is_planned) TRM_TRY(tell(compare_pieces(w, seen)));
  if (w->is_planned && seen->command->kind == TRM_COMMAND_LAUNCH)
    TRM_TRY(tell(compare_lists(w, seen)));
  for (uint32_t i = 0; i < seen->command->buffer_count; i++)
    TRM_TRY(tell(compare_valid(w, seen, i)));
  w->planned += w->is_planned != 0;
  w->left_out += !w->is_planned;
  w->pieces += w->is_planned ? count : 0;
  return TRM_OK;
}

/* A buffer that is gone may have had this address. */
static trm_status forget(void *user, trm_buffer *created)
{
  watch *w = user;
  for (size_t i = 0; i < w->count; i++)
    if (w->list[i].buffer == created) w->list[i].buffer = NULL;
  return TRM_OK;
}

/* A grid that three devices can share. */
typedef struct planned_grid {
  const char *solver, *settings;
  same_size size;
} planned_grid;

static void plan_case(trm_device *device, const planned_grid *grid, const same_case *from,
                      watch *sum)
{
  static const double weights[PARTS] = WEIGHTS;
  same_sample seen[SAME_SAMPLES] = { { NULL, 0 } };
  watch w = { .crew = device->handle };
  char text[1024];
  const trmi_trace_hooks hooks = { .user = &w, .buffer = forget, .before = before, .after = after };
  const int is_moments = strstr(from->settings, "lbm.storage=moments") != NULL; /* in blocks */
  snprintf(text, sizeof text, "%s%s", from->settings, is_moments ? "|grid.nz=130" : grid->settings);
  const same_case of = { from->solver, text, from->sizes };
  TEST_OK(domain_plan_create(weights, PARTS, SHARE, &w.plan));
  trmi_device_trace(device, &hooks);
  if (same_run(device, &of, grid->size, TRM_F32, NULL, seen, DEVICES)) same_forget(seen);
  trmi_device_trace(device, NULL);
  domain_plan_destroy(&w.plan);
  sum->planned += w.planned;
  sum->pieces += w.pieces;
  sum->listed += w.listed;
  sum->left_out += w.left_out;
}

/* So many pieces at least, of all cases together. */
static watch plan_all(const planned_grid *grid, size_t least)
{
  const trm_device_options one_thread = { .threads = 1 };
  trm_device *one = test_open("openmp", &one_thread), *device;
  watch sum = { .planned = 0 };
  trm_device_close(&one);
  TEST_OK(trm_device_open(test_context(), DEVICES, &one_thread, &device));
  for (size_t c = 0; c < same_case_count; c++)
    if (strcmp(same_cases[c].solver, grid->solver) == 0)
      plan_case(device, grid, &same_cases[c], &sum);
  trm_device_close(&device);
  test_remark("%s: %zu launches were planned, %zu pieces, %zu parts of lists; %zu launches were "
              "left out", grid->solver, sum.planned, sum.pieces, sum.listed, sum.left_out);
  assert_true(sum.pieces >= least);
  return sum;
}

static void lattice_boltzmann(void) { plan_all(&(planned_grid){ "lbm", "", { 31, 61 } }, 2000); }
/* Rows are fetched for five launches at once and more. */
static void deep_ghost_rows(void) { plan_all(&(planned_grid){ "lbm", "", { 31, 700 } }, 1000); }
static void shallow_water(void) { plan_all(&(planned_grid){ "shallow", "", { 31, 61 } }, 2000); }
static void three_dimensions(void)
{
  const watch sum = plan_all(&(planned_grid){ "lbm3d", "|grid.nz=16", { 31, 9 } }, 1000);
  assert_true(sum.listed >= 1000);
}
static void bodies(void)
{
  plan_all(&(planned_grid){ "nbody", "|nbody.bodies=1031", { 31, 9 } }, 2000);
}
/* Blocks have their neighbours in a table: these launches are left out. */
static void compressible_flow(void)
{
  plan_all(&(planned_grid){ "compressible", "|grid.nx=32|grid.ny=32", { 31, 9 } }, 100);
}

/* ---- launches for which rows are fetched at once --------------------------------- */

static const trm_stepping stepping = { .to = 1 };

/* Planes that part 1 of two sends part 0 before a launch from one buffer of 128 planes into
 * another; cells: of a plane, in f64. */
static size_t planes_at_once(size_t cells, size_t price, const trm_stepping *steps)
{
  enum { PLANES = 128 };
  const trm_host_kernel kernel = { .kind = TRM_KERNEL_ROW, .halo = 1, .buffer_count = 2,
                                   .access = "rw", .steps = steps };
  const trmi_sharing sharing = { .how.write_only = 1 << 1 };
  const trm_command command = { .kind = TRM_COMMAND_LAUNCH, .declaration = &kernel,
                                .extent = { (int)cells, 1, PLANES, 0 }, .buffer_count = 2,
                                .sharing = &sharing };
  const domain_rows rows = { .total = PLANES, .grain = 1, .plane = 1, .nx = cells, .row = cells,
                             .component = PLANES * cells, .components = 1, .value_bytes = 8,
                             .bytes = PLANES * cells * 8, .lists = 1, .is_cut = 1 };
  domain_plan *plan = NULL;
  size_t numbers[2], count, planes = 0;
  TEST_OK(domain_plan_create((const double[]){ 1, 1 }, 2, SHARE, &plan));
  if (price) domain_plan_price(plan, price);
  for (int i = 0; i < 2; i++) {
    TEST_OK(domain_plan_buffer(plan, &rows, &numbers[i]));
    domain_plan_declare(plan, numbers[i], &rows);
  }
  TEST_OK(domain_plan_launch(plan, &command, numbers));
  assert_true(!domain_plan_writes(plan, numbers[0]) && domain_plan_writes(plan, numbers[1]));
  const domain_piece *pieces = domain_plan_pieces(plan, &count);
  for (size_t i = 0; i < count; i++) planes += pieces[i].to == 0 ? pieces[i].count : 0;
  domain_plan_destroy(&plan);
  assert_int_equal(planes % 2, 0);
  return planes / 2;
}

/* With k launches at once, k - 1 planes of 16 bytes a cell are computed twice, and an exchange is
 * spared k - 1 times in k. */
static void an_exchange_is_weighed_against_planes_computed_twice(void)
{
  enum { CELLS = 1000, PLANE = 16 * CELLS };
  assert_int_equal(planes_at_once(CELLS, 0, NULL), 4); /* a sixteenth of 64 planes */
  assert_int_equal(planes_at_once(CELLS, PLANE, NULL), 1);
  assert_int_equal(planes_at_once(CELLS, 3 * PLANE, NULL), 2);
  assert_int_equal(planes_at_once(CELLS, 7 * PLANE, NULL), 3);
  assert_int_equal(planes_at_once(CELLS, 1000 * PLANE, NULL), 4);
  assert_int_equal(planes_at_once(CELLS, PLANE, &stepping), 4); /* steps share a launch */
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(an_exchange_is_weighed_against_planes_computed_twice),
    TEST_HOST(lattice_boltzmann), TEST_HOST(deep_ghost_rows), TEST_HOST(shallow_water),
    TEST_HOST(three_dimensions),  TEST_HOST(bodies),          TEST_HOST(compressible_flow),
  };
  return TEST_RUN(argc, argv, cases);
}
