/* cuda_parts.c - parts of a run that are GPUs of one process, on the fake driver (tests/fake), each
 * part a thread. Rows go from GPU to GPU, and have the bytes of their part. A part holds memory for
 * its own rows and for rows that came. No GPU needed. */
#include "core/domain/device.h"
#include "core/domain/threads.h"
#include "tests/fake/driver.h"
#include "tests/harness.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 64, ROWS = 48, TALL = 65536, ROUNDS = 40 };

static fake_driver *fake;
static int refuses_shared;

static void use_fake(void)
{
  void *driver = dlopen(FAKE_FOLDER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) fail_msg("%s", dlerror());
  fake = dlsym(driver, "fake_driver_state");
  assert_non_null(fake);
  *fake = (fake_driver)FAKE_HEALTHY;
  fake->takes_any = 1;
  fake->refuses_shared = refuses_shared;
  setenv("TRIREME_NVRTC", FAKE_FOLDER "/libnvrtc.so", 1);
}

typedef struct task {
  const char *const *devices;
  size_t rows, components;
  int reads_at_once;            /* before all have agreed */
  int are_ranks;                /* the parts take each other for processes of this machine */
  domain_moved moved;
} task;

static float value_of(int part, size_t round, size_t component, size_t row, size_t x)
{
  return (float)(part + 1) + 10.0f * (float)round + 0.5f * (float)component +
         (float)(row * NX + x) / 65536.0f;
}

static size_t layout_bytes(const trm_layout *layout) { return layout->elements * sizeof(float); }

static trm_status make(trm_device *device, const task *t, const char *name, trm_layout *layout,
                       trm_buffer **out)
{
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_F32, NX, t->rows, 1, t->components, layout));
  TRM_TRY(trm_buffer_create(device, layout_bytes(layout), name, out));
  return trm_buffer_rows(*out, &(trm_by_rows){ .type = TRM_TYPE_F32, .nx = NX, .ny = t->rows,
                                               .nz = 1, .components = t->components,
                                               .layout = *layout });
}

/* Each part fills its copy with values of its own. */
static void fill(const task *t, const trm_layout *layout, int part, size_t round, float *values)
{
  for (size_t c = 0; c < t->components; c++)
    for (size_t row = 0; row < t->rows; row++)
      for (size_t x = 0; x < NX; x++)
        values[layout->first + c * layout->component + row * layout->row + x] =
          value_of(part, round, c, row, x);
}

static trm_status check(const task *t, const trm_device *device, const trm_layout *layout,
                        int parts, size_t round, const float *found)
{
  for (int m = 0; m < parts; m++) {
    size_t first, count;
    TRM_TRY(trm_device_own(device, t->rows, (size_t)m, &first, &count));
    for (size_t c = 0; c < t->components; c++)
      for (size_t row = first; row < first + count; row++)
        for (size_t x = 0; x < NX; x++) {
          const float due = value_of(m, round, c, row, x);
          const float got = found[layout->first + c * layout->component + row * layout->row + x];
          if (got != due)
            return TRM_FAIL(INVALID, "round %zu, part %d, component %zu, row %zu, cell %zu: %g "
                            "came, where %g was due", round, m, c, row, x, (double)got,
                            (double)due);
        }
  }
  return TRM_OK;
}

/* Part 0 has all rows of a copy. If it is a host, rows of a GPU have ghosts there, which repeat
 * their other end. Nobody wrote these ghosts. */
static trm_status check_ghosts(trm_device *device, const task *t, const trm_layout *l, int parts,
                               size_t round, trm_buffer *copy, float *found)
{
  TRM_TRY(trm_buffer_read(copy, 0, layout_bytes(l), found));
  for (int m = 1; m < parts && strcmp(t->devices[0], "openmp") == 0; m++) {
    size_t first, count;
    TRM_TRY(trm_device_own(device, t->rows, (size_t)m, &first, &count));
    for (size_t c = 0; c < t->components; c++)
      for (size_t row = first; row < first + count; row++) {
        const float *cells = found + l->first + c * l->component + row * l->row;
        if (cells[-1] != value_of(m, round, c, row, NX - 1) ||
            cells[NX] != value_of(m, round, c, row, 0))
          return TRM_FAIL(INVALID, "part %d, row %zu: %g and %g are its ghosts", m, row,
                          (double)cells[-1], (double)cells[NX]);
      }
  }
  return TRM_OK;
}

/* A copy of one cell fewer than all is made by part 0, which needs all rows of both buffers. */
static trm_status exchange(trm_device *device, task *t, const domain_comm *comm)
{
  trm_layout layout;
  trm_buffer *from = NULL, *to = NULL;
  TRM_TRY(make(device, t, "from", &layout, &from));
  TRM_TRY(make(device, t, "to", &layout, &to));
  float *values = calloc(layout_bytes(&layout), 1), *found = calloc(layout_bytes(&layout), 1);
  trm_status status = TRM_OK;
  for (size_t round = 0; round < ROUNDS && status == TRM_OK; round++) {
    trm_buffer *one = NULL;
    status = make(device, t, "one", &layout, &one);
    fill(t, &layout, comm->place.rank, round, values);
    if (status == TRM_OK) status = trm_buffer_write(one, 0, layout_bytes(&layout), values);
    if (status == TRM_OK) status = trm_buffer_copy(to, 4, one, 4, layout_bytes(&layout) - 4);
    if (status == TRM_OK && !t->reads_at_once) status = domain_device_agree(device, TRM_OK);
    if (status == TRM_OK) status = trm_buffer_read(one, 0, layout_bytes(&layout), found);
    if (status == TRM_OK) status = check(t, device, &layout, comm->place.size, round, found);
    if (status == TRM_OK)
      status = check_ghosts(device, t, &layout, comm->place.size, round, to, found);
    trm_buffer_destroy(&one);
    /* rows of `to` are part 0's now: the next round begins with a new buffer */
    trm_buffer_destroy(&to);
    if (status == TRM_OK) status = make(device, t, "to", &layout, &to);
  }
  trm_buffer_destroy(&from);
  trm_buffer_destroy(&to);
  free(values);
  free(found);
  return status;
}

static trm_status run_part(void *user, const domain_comm *link)
{
  static const double weights[] = { 1, 2, 1 };
  task *t = user;
  domain_comm own = *link;
  const domain_comm *comm = &own;
  own.is_one_process = !t->are_ranks;
  trm_device *device = NULL;
  const char *name = t->devices[comm->place.rank];
  const trm_status opened = trm_device_open(test_context(), name, NULL, &device);
  trm_status status = domain_agree(comm, opened);
  if (status == TRM_OK) status = domain_device_join(device, comm, weights);
  if (status == TRM_OK) status = exchange(device, t, comm);
  if (status == TRM_OK) status = domain_device_agree(device, TRM_OK);
  domain_way way;
  if (status == TRM_OK && comm->place.rank == 0 && domain_device_way(device, &way))
    t->moved = way.moved;
  trm_device_close(&device);
  return status;
}

static void run_task(task *t, int parts)
{
  use_fake();
  TEST_OK(domain_threads_run(parts, run_part, t));
  assert_string_equal(fake->misuse, "");
  assert_int_equal(fake->buffers, 0);
  assert_int_equal(fake->reservations, 0);
  assert_int_equal(fake->mapped_bytes, 0);
  assert_int_equal(fake->events, 0);
  assert_int_equal(fake->contexts, 0);
}

static void rows_go_from_gpu_to_gpu(void)
{
  static const char *const two[] = { "cuda:0", "cuda:1" }, *const once[] = { "cuda:0", "cuda:0" };
  static const char *const three[] = { "cuda:1", "cuda:0", "cuda:1" };
  const struct { const char *const *devices; int parts; } cases[] = {
    { two, 2 }, { once, 2 }, { three, 3 } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (size_t components = 1; components <= 3; components += 2) {
      task t = { .devices = cases[i].devices, .rows = ROWS, .components = components };
      run_task(&t, cases[i].parts);
      assert_int_equal(t.moved.host_bytes, 0);
      assert_int_equal(t.moved.messages, (size_t)(cases[i].parts - 1) * ROUNDS);
      assert_true(fake->copies >= t.moved.messages);
    }
}

/* They share memory by handles, and let go of it before its owner frees it. */
static void rows_go_from_rank_to_rank_of_a_machine(void)
{
  static const char *const once[] = { "cuda:0", "cuda:0" }, *const two[] = { "cuda:0", "cuda:1" };
  static const char *const three[] = { "cuda:1", "openmp", "cuda:0" };
  const struct { const char *const *devices; int parts; } cases[] = {
    { once, 2 }, { two, 2 }, { three, 3 } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int components = 1; components <= 3; components += 2) {
      task t = { .devices = cases[i].devices, .rows = ROWS, .components = (size_t)components,
                 .are_ranks = 1 };
      run_task(&t, cases[i].parts);
      assert_true(t.moved.direct_bytes > 0);
      assert_int_equal(t.moved.host_bytes > 0, cases[i].parts == 3);
      assert_true(fake->opens > 2);
    }
}

static void ranks_that_share_no_memory_take_that_of_the_host(void)
{
  static const char *const two[] = { "cuda:0", "cuda:1" };
  task t = { .devices = two, .rows = ROWS, .components = 3, .are_ranks = 1 };
  refuses_shared = 1;
  run_task(&t, 2);
  refuses_shared = 0;
  assert_int_equal(t.moved.direct_bytes, 0);
  assert_true(t.moved.host_bytes > 0);
}

static void rows_between_a_gpu_and_a_host_go_by_its_memory(void)
{
  static const char *const mixed[] = { "cuda:0", "openmp" };
  task t = { .devices = mixed, .rows = ROWS, .components = 3 };
  run_task(&t, 2);
  assert_int_equal(t.moved.direct_bytes, 0);
  assert_true(t.moved.host_bytes > 0);
}

static void a_host_gets_ghosts_of_rows_from_a_gpu(void)
{
  static const char *const mixed[] = { "openmp", "cuda:0" };
  for (size_t components = 1; components <= 3; components += 2) {
    task t = { .devices = mixed, .rows = ROWS, .components = components };
    run_task(&t, 2);
    assert_int_equal(t.moved.messages, ROUNDS);
  }
}

/* The launch of part 1 that packs its rows. At the next agreement, or the next read, both parts end
 * with its sentence, and none waits. */
static void a_launch_that_fails_on_one_part_ends_all(void)
{
  static const char *const two[] = { "cuda:0", "cuda:1" };
  for (int at_once = 0; at_once < 2; at_once++) {
    task t = { .devices = two, .rows = ROWS, .components = 1, .reads_at_once = at_once };
    use_fake();
    fake->refused_launch = 1;
    fake->refused_result = CU_LAUNCH_OUT_OF_RESOURCES;
    TEST_FAILS(domain_threads_run(2, run_part, &t), TRM_ERROR_DEVICE, "part 1: ");
    assert_null(strstr(trm_error_last()->text, "was due"));
    assert_string_equal(fake->misuse, "");
  }
}

/* 16 MiB, of which the parts have a third and two thirds, and grains of 2 MiB at each end. */
static trm_status hold(void *user, const domain_comm *comm)
{
  static const double weights[] = { 1, 2 };
  const task *t = user;
  trm_device *device = NULL;
  trm_layout layout;
  trm_buffer *buffer = NULL;
  const char *name = t->devices[comm->place.rank];
  const trm_status opened = trm_device_open(test_context(), name, NULL, &device);
  trm_status status = domain_agree(comm, opened);
  if (status == TRM_OK) status = domain_device_join(device, comm, weights);
  if (status == TRM_OK)
    status = domain_device_agree(device, make(device, t, "tall", &layout, &buffer));
  if (status == TRM_OK && comm->place.rank == 0) {
    assert_int_equal(layout_bytes(&layout) / (2 << 20), 8);
    assert_in_range(fake->mapped_bytes, layout_bytes(&layout), layout_bytes(&layout) + (4 << 20));
  }
  if (status == TRM_OK) status = domain_device_agree(device, TRM_OK);
  trm_buffer_destroy(&buffer);
  trm_device_close(&device);
  return status;
}

static void a_gpu_has_memory_for_its_rows(void)
{
  static const char *const two[] = { "cuda:0", "cuda:1" };
  task t = { .devices = two, .rows = TALL, .components = 1 };
  use_fake();
  TEST_OK(domain_threads_run(2, hold, &t));
  assert_string_equal(fake->misuse, "");
  assert_int_equal(fake->mapped_bytes, 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(rows_go_from_gpu_to_gpu),
    TEST_HOST(rows_go_from_rank_to_rank_of_a_machine),
    TEST_HOST(ranks_that_share_no_memory_take_that_of_the_host),
    TEST_HOST(rows_between_a_gpu_and_a_host_go_by_its_memory),
    TEST_HOST(a_host_gets_ghosts_of_rows_from_a_gpu),
    TEST_HOST(a_launch_that_fails_on_one_part_ends_all),
    TEST_HOST(a_gpu_has_memory_for_its_rows),
  };
  return TEST_RUN(argc, argv, cases);
}
