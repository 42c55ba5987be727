/* rig.c - a device of the CUDA backend on the fake driver, set up and taken down. */
#include "tests/fake/rig.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

fake_driver *fake;

static void log_nothing(trm_log_level level, const char *format, ...)
{
  (void)level;
  (void)format;
}

static trm_status copy(void *to, const void *from, size_t bytes)
{
  memcpy(to, from, bytes);
  return TRM_OK;
}

const trm_services fake_services = {TRM_BACKEND_ABI, sizeof fake_services, trm_error_record,
                                    log_nothing, NULL, 0, copy};

const trm_backend *table(void)
{
  return trm_backend_cuda(TRM_BACKEND_ABI, &fake_services);
}

void use_fake(void)
{
  void *driver = dlopen(FAKE_FOLDER "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) fail_msg("%s", dlerror());
  fake = dlsym(driver, "fake_driver_state");
  assert_non_null(fake);
  *fake = (fake_driver)FAKE_HEALTHY;
  setenv("TRIREME_NVRTC", FAKE_FOLDER "/libnvrtc.so", 1);
  unsetenv("TRIREME_CUDA_PDL");
  unsetenv("TRIREME_CUDA_GRAPH_NODES");
}

/* ---- a device ------------------------------------------------------------------------------ */

const trm_host_kernel fake_kernels[KERNELS] = {
  {.name = "fake_add", .kind = TRM_KERNEL_ROW, .halo = 0, .buffer_count = 2, .param_bytes = 8,
   .access = "rw"},
  {.name = "fake_bare", .kind = TRM_KERNEL_GROUP, .buffer_count = 1, .access = "w",
   .shared_bytes = 50000}, /* on a host; the program says 100000 */
  {.name = "fake_crash", .kind = TRM_KERNEL_ROW, .buffer_count = 1, .access = "w"},
  {.name = "absent", .kind = TRM_KERNEL_ROW, .buffer_count = 1, .access = "w"},
  {.name = "fake_greedy", .kind = TRM_KERNEL_GROUP, .buffer_count = 1, .access = "w",
   .shared_bytes = 300000},
};
static const trm_host_module add_module = {.program = "adding", .kernel_count = KERNELS,
                                           .kernels = fake_kernels};
const trm_build add_build = {
  .name = "adding", .dialect_file = "core/kernel.h", .dialect = "DIALECT griddepcontrol.wait",
  .file = "add.k", .text = "TEXT", .defines = "#define TRM_X 1\n", .precision = TRM_F32,
  .math = TRM_STRICT, .row_group_x = 32, .row_group_y = 2, .group = 64,
  .module = &add_module,
};

static void *open_with(const trm_device_options *options)
{
  trm_probe probe;
  trm_device_info info;
  void *device = NULL;
  table()->probe(&probe);
  assert_int_equal(probe.state, TRM_BACKEND_READY);
  TEST_OK(table()->describe(0, &info));
  TEST_OK(table()->open(0, options, &info, &device));
  return device;
}

void *open_device(void) { return open_with(NULL); }

rig set_up(void) { return set_up_with(NULL); }

rig set_up_with(const trm_device_options *options)
{
  rig r = {0};
  char *log = NULL;
  int32_t x[CELLS], y[CELLS] = {0};
  for (int i = 0; i < CELLS; i++) x[i] = i + 1;
  r.device = open_with(options);
  TEST_OK(table()->program_build(r.device, &add_build, &log, &r.program));
  assert_null(log);
  for (int k = ADD; k <= CRASH; k++)
    TEST_OK(table()->kernel_get(r.device, r.program, &fake_kernels[k], &r.kernels[k]));
  TEST_OK(table()->buffer_create(r.device, sizeof x, &r.x));
  TEST_OK(table()->buffer_create(r.device, sizeof y, &r.y));
  TEST_OK(table()->buffer_write(r.device, r.x, 0, sizeof x, x));
  TEST_OK(table()->buffer_write(r.device, r.y, 0, sizeof y, y));
  return r;
}

void tear_down(rig *r)
{
  table()->buffer_destroy(r->device, r->x);
  table()->buffer_destroy(r->device, r->y);
  table()->program_destroy(r->device, r->program);
  table()->close(r->device);
  assert_left_empty();
}

void assert_left_empty(void)
{
  assert_string_equal(fake->misuse, "");
  assert_int_equal(fake->contexts, 0);
  assert_int_equal(fake->streams, 0);
  assert_int_equal(fake->buffers, 0);
  assert_int_equal(fake->reservations, 0);
  assert_int_equal(fake->handles, 0);
  assert_int_equal(fake->mapped_bytes, 0);
  assert_int_equal(fake->pinned, 0);
  assert_int_equal(fake->modules, 0);
  assert_int_equal(fake->events, 0);
  assert_int_equal(fake->graphs, 0);
  assert_int_equal(fake->execs, 0);
}

trm_command add_command(const rig *r, int32_t add, int32_t factor)
{
  const int32_t params[2] = {add, factor};
  trm_command command = {.kind = TRM_COMMAND_LAUNCH, .kernel = r->kernels[ADD],
                         .declaration = &fake_kernels[ADD], .extent = {4, 3, 1, 0},
                         .param_bytes = sizeof params, .buffer_count = 2,
                         .buffers = {r->x, r->y}};
  memcpy(command.params, params, sizeof params);
  return command;
}

int32_t y_at(const rig *r, size_t i)
{
  int32_t value;
  TEST_OK(table()->buffer_read(r->device, r->y, i * sizeof value, sizeof value, &value));
  return value;
}

