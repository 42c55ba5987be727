/* framework_threads.c - a run of the framework by several parts, threads with a device each. Every
 * part runs the same host code. The fields and the series have the bits of one device. */
#include "tests/solvers/framework/pond.h"

#include "core/domain/device.h"
#include "core/domain/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 12, MOST_FIELDS = 4, SERIES = 3 };
static const int part_counts[] = { 1, 2, 3, 5 };

/* Steps of the advances, and their sum. Sequences and plain launches take turns. */
static const uint64_t lengths[] = { 1, 2, 32, 3, 17, 64, 6 };
enum { LENGTHS = sizeof lengths / sizeof lengths[0], STEPS = 125 };

typedef struct task {
  const char *device, *rows;    /* grid.ny */
  trm_precision precision;
  double weights[MOST_PARTS];
  /* of one device */
  void *fields[MOST_FIELDS];    /* dense */
  double series[SERIES][STEPS];
  size_t sent[MOST_PARTS];      /* messages of each part in the last advance, to others than 0 */
  size_t each;                  /* steps for which rows are fetched at once */
  int many;                     /* parts, where these are not part_counts */
} task;

/* ---- a table that counts ------------------------------------------------------------- */

static _Thread_local size_t sends;
static _Thread_local size_t received; /* bytes */
static _Thread_local size_t strays; /* messages to part 0 that leave the tree */
static _Thread_local const trm_comm *counted_table;
static _Thread_local trm_comm_place own_place;

static trm_status counted_send(void *part, int to, int channel, const void *bytes, size_t count,
                               void **request)
{
  /* Part 0 gets the leaves of folds, too. Channel 1 has answers of GPUs (core/domain/direct.c). */
  sends += to != 0 && channel == 0;
  return counted_table->send(part, to, channel, bytes, count, request);
}

/* Part 0 has neighbours, and the children 1, 2, 4 and 8. */
static trm_status counted_receive(void *part, int from, int channel, void *bytes, size_t count,
                                  void **request)
{
  received += count;
  strays += own_place.rank == 0 && (from & (from - 1)) != 0 && from != own_place.size - 1;
  return counted_table->receive(part, from, channel, bytes, count, request);
}

/* ---- a first state that is counted ------------------------------------------------------ */

static _Thread_local size_t starts;

static double counted_level(const trm_grid_solver *grid, trm_framework_cell at)
{
  starts++;
  return pond_table->fields[0].start(grid, at);
}

/* Each part has computed the two levels of its own cells, and no others. */
static trm_status check_starts(const trm_solver *solver, int part)
{
  const trm_field *field = &solver->fields[0];
  size_t first, count;
  TRM_TRY(trm_device_own(solver->device, field->ny, (size_t)part, &first, &count));
  if (starts == 2 * count * field->nx) return TRM_OK;
  return TRM_FAIL(INVALID, "%zu values were computed for %zu rows", starts, count);
}

/* ---- a run --------------------------------------------------------------------------- */

static trm_status advance(trm_solver *solver, uint64_t steps)
{
  while (steps > 0) {
    uint64_t done = 0;
    TRM_TRY(trm_framework_advance(solver, steps, INFINITY, 1, &done));
    steps -= done;
  }
  return TRM_OK;
}

static trm_status read_series(const trm_solver *solver, size_t count, size_t at,
                              double (*out)[STEPS])
{
  for (size_t i = 0; i < SERIES; i++)
    TRM_TRY(trm_framework_read_reals(solver->series[i].buffer, solver->series[i].type,
                                     solver->series[i].first, out[i] + at, count));
  return TRM_OK;
}

static trm_status run_alone(trm_device *device, task *t)
{
  trm_solver *solver = NULL;
  size_t at = 0, elements;
  TRM_TRY(pond_make(pond_table, device, t->precision, "grid.ny", t->rows, &solver));
  for (size_t i = 0; i < LENGTHS; at += lengths[i++]) {
    TRM_TRY(advance(solver, lengths[i]));
    TRM_TRY(read_series(solver, lengths[i], at, t->series));
  }
  TRM_TRY(trm_framework_observe(solver));
  for (size_t i = 0; i < solver->field_count; i++) {
    TRM_TRY(trm_field_elements(&solver->fields[i], &elements));
    t->fields[i] = malloc(elements * trm_type_size(solver->fields[i].type));
    TRM_TRY(trm_field_read(&solver->fields[i], t->fields[i]));
  }
  trm_framework_destroy(&solver);
  return TRM_OK;
}

/* Each field is that of one device. */
static trm_status compare_fields(const task *t, const trm_solver *solver)
{
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    size_t elements;
    TRM_TRY(trm_field_elements(field, &elements));
    const size_t bytes = elements * trm_type_size(field->type);
    void *found = malloc(bytes);
    const trm_status status = trm_field_read(field, found);
    const int differs = status == TRM_OK && memcmp(found, t->fields[i], bytes) != 0;
    free(found);
    TRM_TRY(status);
    if (differs) return TRM_FAIL(INVALID, "%s differs", field->name);
  }
  return TRM_OK;
}

static trm_status run_steps(task *t, trm_solver *solver, const domain_comm *comm)
{
  double found[SERIES][STEPS];
  size_t at = 0;
  for (size_t i = 0; i < LENGTHS; at += lengths[i++]) {
    sends = strays = 0;
    TRM_TRY(domain_device_agree(solver->device, advance(solver, lengths[i])));
    t->sent[comm->place.rank] = sends;
    if (t->many && strays > 0)
      return TRM_FAIL(INVALID, "%zu messages came to part 0 from parts far from it", strays);
    TRM_TRY(read_series(solver, lengths[i], at, found));
  }
  TRM_TRY(trm_framework_observe(solver));
  TRM_TRY(compare_fields(t, solver));
  if (memcmp(found, t->series, sizeof found) != 0)
    return TRM_FAIL(INVALID, "the series differ");
  return TRM_OK;
}

static trm_status run_part(void *user, const domain_comm *threads)
{
  task *t = user;
  trm_comm counting = *threads->table;
  domain_comm comm = *threads;
  const trm_device_options one_thread = { .threads = 1 };
  trm_device *device = NULL;
  trm_solver *solver = NULL;
  trm_framework_declaration counted = *pond_table;
  counted.fields[0].start = counted_level;
  starts = 0;
  counted_table = threads->table;
  counting.send = counted_send;
  counting.receive = counted_receive;
  own_place = threads->place;
  comm.table = &counting;
  TRM_TRY(trm_device_open(test_context(), t->device, &one_thread, &device));
  trm_status status = domain_device_join(device, &comm, t->weights);
  if (status == TRM_OK)
    status = domain_device_agree(device, pond_make(&counted, device, t->precision, "grid.ny",
                                                   t->rows, &solver));
  if (status == TRM_OK && comm.place.size > 1)
    status = domain_device_agree(device, check_starts(solver, comm.place.rank));
  if (status == TRM_OK) status = run_steps(t, solver, &comm);
  if (status == TRM_OK) status = domain_device_agree(device, TRM_OK);
  if (solver) trm_framework_destroy(&solver);
  trm_device_close(&device);
  return status;
}

/* One message a fetch to each neighbour, for any number of parts; part 0 is left out. */
static void check_messages(const task *t, int parts)
{
  const size_t steps = (size_t)lengths[LENGTHS - 1];
  for (int m = 0; m < parts && parts > 1; m++) {
    const int before = (m + parts - 1) % parts, after = (m + 1) % parts;
    const size_t neighbours = (size_t)(before != 0) + (after != 0 && after != before);
    const size_t most = (steps + t->each - 1) / t->each * neighbours;
    if (t->sent[m] > most || (t->each == 1 && t->sent[m] < most))
      fail_msg("%d parts: part %d sent %zu messages in %zu steps, and %zu neighbours need %zu",
               parts, m, t->sent[m], steps, neighbours, most);
  }
}

static void run_on(int parts, task *t)
{
  if (domain_threads_run(parts, run_part, t) != TRM_OK)
    fail_msg("%d parts, %s rows: %s", parts, t->rows, trm_error_last()->text);
}

static void run_task(trm_device *device, task *t)
{
  char name[64];
  snprintf(name, sizeof name, "%s:%zu", trm_device_describe(device)->backend,
           trm_device_describe(device)->index);
  t->device = name;
  TEST_OK(run_alone(device, t));
  if (t->many) run_on(t->many, t);
  for (size_t i = 0; i < sizeof part_counts / sizeof part_counts[0] && !t->many; i++) {
    run_on(part_counts[i], t);
    check_messages(t, part_counts[i]);
  }
  for (int i = 0; i < MOST_FIELDS; i++) free(t->fields[i]);
}

static void parts_have_the_bits_of_one_device(trm_device *device)
{
  test_needs_f64(device);
  for (int p = 0; p < 2; p++)
    run_task(device, &(task){ .rows = "61", .precision = (trm_precision)p,
                              .weights = { 1, 1, 1, 1, 1 }, .each = 1 });
}

static void parts_may_be_unequal(trm_device *device)
{
  run_task(device, &(task){ .rows = "61", .weights = { 2, 1, 3, 1, 1.5 }, .each = 1 });
}

/* A part computes rows beside its own, so that eight steps need one message. */
static void rows_are_fetched_for_several_steps(trm_device *device)
{
  run_task(device, &(task){ .rows = "700", .weights = { 1, 1, 1, 1, 1 }, .each = 8 });
}

/* Sums of more than nine parts. */
static void sums_of_many_parts_go_along_a_tree(trm_device *device)
{
  run_task(device, &(task){ .rows = "130", .many = MOST_PARTS, .each = 1,
                            .weights = { 1, 2, 1, 0.7, 1, 1, 1, 3, 1, 1, 1, 1 } });
}

/* ---- calls that one part leaves ------------------------------------------------------- */

enum { ROWS = 10, BLOCK = 3, PARTS = 3 };

/* Rows of two numbers: each part makes its own. */
static trm_status complete(trm_device *device, trm_status own)
{
  int32_t values[ROWS][2] = { { 0 } };
  size_t first, count;
  trm_device_made_rows(device, ROWS, BLOCK, &first, &count);
  if (count == ROWS || (first % BLOCK && first != ROWS))
    return TRM_FAIL(INVALID, "%zu rows from %zu on are a part's", count, first);
  for (size_t row = first; row < first + count; row++)
    for (size_t i = 0; i < 2; i++) values[row][i] = (int32_t)(10 * row + i + 1);
  TRM_TRY(trm_device_complete_rows(device, own, values, ROWS, BLOCK, sizeof *values));
  for (int row = 0; row < ROWS; row++)
    for (int i = 0; i < 2; i++)
      if (values[row][i] != 10 * row + i + 1) return TRM_FAIL(INVALID, "row %d is another", row);
  return TRM_OK;
}

/* One part fails; the others complete rows, or read. All end with its sentence. */
static trm_status leave(trm_device *device, trm_buffer *buffer, int part, int leaves, int reads)
{
  int32_t read[ROWS];
  trm_status status = part == leaves ? TRM_FAIL(INPUT, "part %d has left", leaves)
                      : reads ? trm_buffer_read(buffer, 0, sizeof read, read)
                              : complete(device, TRM_OK);
  if (status == TRM_OK) return TRM_FAIL(INVALID, "part %d has not heard of a failure", part);
  if (part != leaves && complete(device, TRM_OK) == TRM_OK)
    return TRM_FAIL(INVALID, "part %d goes on", part);
  status = domain_device_agree(device, status);
  if (status == TRM_ERROR_INPUT && strstr(trm_error_last()->text, "has left")) return TRM_OK;
  return TRM_FAIL(INVALID, "part %d: another failure: %s", part, trm_error_last()->text);
}

static trm_status run_leaving(void *user, const domain_comm *comm)
{
  static const double weights[PARTS] = { 1, 1, 1 };
  const trm_device_options one_thread = { .threads = 1 };
  const trm_by_rows rows = { .type = TRM_TYPE_I32, .nx = 1, .ny = ROWS, .nz = 1, .components = 1,
                             .layout = { .row = 1, .component = ROWS, .elements = ROWS },
                             .block = BLOCK };
  trm_device *device = NULL;
  trm_buffer *buffer = NULL;
  TRM_TRY(trm_device_open(test_context(), user, &one_thread, &device));
  trm_status status = domain_device_join(device, comm, weights);
  if (status == TRM_OK)
    status = trm_buffer_create(device, ROWS * sizeof(int32_t), "numbers", &buffer);
  if (status == TRM_OK) status = trm_buffer_rows(buffer, &rows);
  for (int i = 0; i < 2 * PARTS && status == TRM_OK; i++) {
    status = leave(device, buffer, comm->place.rank, i / 2, i % 2);
    if (status == TRM_OK) status = domain_device_agree(device, complete(device, TRM_OK));
  }
  trm_buffer_destroy(&buffer);
  trm_device_close(&device);
  return status;
}

static void a_part_that_leaves_a_call_ends_it_for_all(trm_device *device)
{
  char name[64];
  snprintf(name, sizeof name, "%s:%zu", trm_device_describe(device)->backend,
           trm_device_describe(device)->index);
  TEST_OK(domain_threads_run(PARTS, run_leaving, name));
}

/* ---- sums of many values --------------------------------------------------------------- */

/* Chunks of chunks: 6000 sums of 4096 values each, then a sum of 4096 of these, and one of 1904. */
enum { LINES = 6000, LINE = 4096 };

static float line_value(size_t i) { return (float)((i * 2654435761u) % 1000003u) * 1e-3f; }

static trm_status write_lines(trm_device *device, trm_buffer *buffer)
{
  static _Thread_local float line[LINE];
  size_t first, count;
  trm_device_made_rows(device, LINES, 1, &first, &count);
  for (size_t y = first; y < first + count; y++) {
    for (size_t x = 0; x < LINE; x++) line[x] = line_value(y * LINE + x);
    TRM_TRY(trm_buffer_write(buffer, y * sizeof line, sizeof line, line));
  }
  return TRM_OK;
}

static trm_status fold_lines(trm_device *device, float *out)
{
  const size_t values = (size_t)LINES * LINE;
  const trm_by_rows rows = { .type = TRM_TYPE_F32, .nx = LINE, .ny = LINES, .nz = 1,
                             .components = 1,
                             .layout = { .row = LINE, .component = values, .elements = values } };
  trm_buffer *from = NULL, *to = NULL;
  trm_reduction *sum = NULL;
  trm_status status = trm_buffer_create(device, values * sizeof(float), "lines", &from);
  if (status == TRM_OK) status = trm_buffer_create(device, sizeof(float), "their sum", &to);
  if (status == TRM_OK) status = trm_buffer_rows(from, &rows);
  if (status == TRM_OK) status = write_lines(device, from);
  if (status == TRM_OK) status = trm_reduction_create(device, TRM_SUM, TRM_F32, values, 1, &sum);
  received = 0;
  if (status == TRM_OK) status = trm_reduction_run(sum, from, 0, 0, 1, to, 0);
  if (status == TRM_OK && received > LINES * sizeof(float) * 3 / 4)
    status = TRM_FAIL(INVALID, "a part received %zu bytes, of %zu in all", received,
                      LINES * sizeof(float));
  if (status == TRM_OK) status = trm_buffer_read(to, 0, sizeof *out, out);
  trm_reduction_destroy(&sum);
  trm_buffer_destroy(&from);
  trm_buffer_destroy(&to);
  return status;
}

typedef struct folding {
  const char *device;
  float sum;                    /* of one device */
} folding;

static trm_status fold_on_part(void *user, const domain_comm *threads)
{
  const folding *f = user;
  const trm_device_options one_thread = { .threads = 1 };
  double weights[MOST_PARTS];
  trm_comm counting = *threads->table;
  domain_comm comm = *threads;
  trm_device *device = NULL;
  float found = 0;
  for (int i = 0; i < MOST_PARTS; i++) weights[i] = 1;
  own_place = threads->place;
  counted_table = threads->table;
  counting.receive = counted_receive;
  comm.table = &counting;
  TRM_TRY(trm_device_open(test_context(), f->device, &one_thread, &device));
  trm_status status = domain_device_join(device, &comm, weights);
  if (status == TRM_OK) status = domain_device_agree(device, fold_lines(device, &found));
  if (status == TRM_OK && memcmp(&found, &f->sum, sizeof found) != 0)
    status = TRM_FAIL(INVALID, "the sum is %.9g, and %.9g on one device", (double)found,
                      (double)f->sum);
  trm_device_close(&device);
  return status;
}

/* No part gets the sums of all others. */
static void sums_of_sums_are_shared(trm_device *device)
{
  char name[64];
  folding f = { name, 0 };
  snprintf(name, sizeof name, "%s:%zu", trm_device_describe(device)->backend,
           trm_device_describe(device)->index);
  TEST_OK(fold_lines(device, &f.sum));
  for (int parts = 7; parts <= MOST_PARTS; parts += 5)
    if (domain_threads_run(parts, fold_on_part, &f) != TRM_OK)
      fail_msg("%d parts: %s", parts, trm_error_last()->text);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_part_that_leaves_a_call_ends_it_for_all),
    TEST_DEVICE(parts_have_the_bits_of_one_device),
    TEST_DEVICE(parts_may_be_unequal),
    TEST_DEVICE(rows_are_fetched_for_several_steps),
    TEST_DEVICE(sums_of_many_parts_go_along_a_tree),
    TEST_DEVICE(sums_of_sums_are_shared),
  };
  setenv("TRIREME_DEBUG_BUFFERS", "rows", 1); /* a row that a part has not ends the test */
  return TEST_RUN(argc, argv, cases);
}
