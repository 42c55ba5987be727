/* cuda_sequences.c - recorded sequences, events, and errors that surface late in trireme_cuda.so,
 * against a fake driver (tests/fake). No GPU is needed. */
#include "tests/fake/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sequences --------------------------------------------------------------------------- */

/* Two launches, a copy within y and a launch, `times` times over, plainly on the host. */
static void expected_y(int32_t *y, size_t times)
{
  memset(y, 0, CELLS * sizeof *y);
  for (size_t t = 0; t < times; t++) {
    for (int i = 0; i < CELLS; i++) y[i] += 1 * (i + 1) + 3;
    for (int i = 0; i < CELLS; i++) y[i] += 2 * (i + 1) - 1;
    memcpy(y + 8, y, 4 * sizeof *y);
    for (int i = 0; i < CELLS; i++) y[i] += 7;
  }
}

static void replay_and_compare(const char *nodes, size_t times, size_t graph_launches)
{
  int32_t want[CELLS], got[CELLS];
  void *sequence = NULL;
  use_fake();
  setenv("TRIREME_CUDA_GRAPH_NODES", nodes, 1);
  rig r = set_up();
  const trm_command commands[] = {
    add_command(&r, 3, 1), add_command(&r, -1, 2),
    {.kind = TRM_COMMAND_COPY, .buffers = {r.y, r.y}, .offset = 32, .bytes = 16},
    add_command(&r, 7, 0),
  };
  TEST_OK(table()->sequence_create(r.device, commands, 4, &sequence));
  TEST_OK(table()->sequence_replay(r.device, sequence, times));
  TEST_OK(table()->buffer_read(r.device, r.y, 0, sizeof got, got));
  expected_y(want, times);
  assert_memory_equal(got, want, sizeof want);
  assert_int_equal(fake->graph_launches, graph_launches);
  assert_int_equal(fake->launch_count, 3 * times);
  table()->sequence_destroy(r.device, sequence);
  tear_down(&r);
}

static void a_replay_is_the_same_as_its_launches(void)
{
  replay_and_compare("1", 3, 3);
  replay_and_compare("4", 3, 3);
  replay_and_compare("512", 1, 1);
  replay_and_compare("8", 5, 3);           /* two and two and one */
  replay_and_compare("16", 8, 2);
  replay_and_compare("512", 0, 0);
}

/* ---- several steps a launch -------------------------------------------------------------- */

static const trm_stepping stepping = {.from = 0, .to = 1, .components = 9, .index_bytes = 4,
                                      .first = 0, .row = 4, .component = 8};
static const trm_host_kernel step_kernel = {.name = "take_step", .kind = TRM_KERNEL_ROW, .halo = 1,
                                            .buffer_count = 2, .param_bytes = 16, .access = "rw",
                                            .steps = &stepping};
static const trm_host_module step_module = {.program = "steps", .kernel_count = 1,
                                            .kernels = &step_kernel};

static int last_at_once;          /* what is told of the first of them */
static const char *last_why;

/* The names of the launches that a replay of seven steps over nx x ny cells makes. */
static const char *seven_steps(int nx, int ny, int row, int steps_per_launch)
{
  static char text[256];
  const trm_device_options options = {.steps_per_launch = steps_per_launch};
  void *device = NULL, *program = NULL, *kernel = NULL, *sequence = NULL, *field[2];
  trm_build build = add_build;
  trm_device_info info;
  trm_command commands[7];
  char *log = NULL;
  use_fake();
  fake->takes_any = 1;
  build.module = &step_module;
  table()->close(open_device());
  TEST_OK(table()->describe(0, &info));
  TEST_OK(table()->open(0, &options, &info, &device));
  TEST_OK(table()->program_build(device, &build, &log, &program));
  TEST_OK(table()->kernel_get(device, program, &step_kernel, &kernel));
  for (int i = 0; i < 2; i++) TEST_OK(table()->buffer_create(device, 4096, &field[i]));
  for (int i = 0; i < 7; i++) {
    const int32_t layout[4] = {0, row, 4 * row, i};
    commands[i] = (trm_command){.kind = TRM_COMMAND_LAUNCH, .kernel = kernel,
                                .declaration = &step_kernel, .extent = {nx, ny, 1, 0},
                                .param_bytes = 16, .buffer_count = 2,
                                .buffers = {field[i % 2], field[1 - i % 2]}};
    memcpy(commands[i].params, layout, sizeof layout);
  }
  TEST_OK(table()->sequence_create(device, commands, 7, &sequence));
  TEST_OK(table()->sequence_replay(device, sequence, 1));
  TEST_OK(table()->finish(device));
  last_at_once = table()->sequence_fused(device, sequence, 0, &last_why);
  text[0] = '\0';
  for (size_t i = 0; i < fake->launch_count; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
             strcmp(fake->launches[i].name, "take_step") ? fake->launches[i].name : "one");
  table()->sequence_destroy(device, sequence);
  for (int i = 0; i < 2; i++) table()->buffer_destroy(device, field[i]);
  table()->program_destroy(device, program);
  table()->close(device);
  assert_left_empty();
  return text;
}

static void recorded_steps_share_launches_where_the_grid_allows_it(void)
{
  const char *alone = "one one one one one one one";
  assert_string_equal(seven_steps(128, 128, 128, 0), "trm_steps_take_step one one");
  assert_int_equal(last_at_once, 5);
  assert_string_equal(seven_steps(1024, 512, 1024, 0),
                      "trm_steps_take_step trm_steps_take_step one");
  assert_string_equal(seven_steps(128, 128, 128, 1), alone);
  assert_string_equal(seven_steps(130, 128, 160, 0), alone);  /* no multiple of 16 bytes */
  assert_string_equal(seven_steps(128, 128, 130, 0), alone);
  assert_int_equal(last_at_once, 1);
  assert_string_equal(last_why, "rows are no multiple of 16 bytes");
  assert_string_equal(seven_steps(128, 11, 128, 0), alone);   /* less than a tile is high */
  assert_string_equal(seven_steps(256, 256, 256, 0), "trm_steps_take_step one one");
  assert_string_equal(seven_steps(384, 384, 384, 0), alone);  /* gains nothing */
}

static void a_cached_binary_without_the_code_for_it_is_refused(void)
{
  void *device, *program = NULL, *bytes = NULL;
  size_t count = 0;
  char *log = NULL;
  trm_build build = add_build;
  use_fake();
  fake->takes_any = 1;
  device = open_device();
  build.module = &step_module;
  TEST_OK(table()->program_build(device, &build, &log, &program));
  TEST_OK(table()->program_binary(device, program, &bytes, &count));
  table()->program_destroy(device, program);
  TEST_OK(table()->program_load(device, &build, bytes, count, &program));
  table()->program_destroy(device, program);
  TEST_FAILS(table()->program_load(device, &build, bytes, count - 64, &program), TRM_ERROR_BUILD,
             "lacks kernel take_step for several steps a launch");
  free(bytes);
  table()->close(device);
  assert_left_empty();
}

/* Which launches carry the attribute, as a text of 0 and 1: of a replay, or, after one and a record
 * of an event, of the same commands given one by one. */
static const char *overlapped_with(const trm_device_options *options, const char *dialect,
                                   int recorded)
{
  static char text[8];
  void *sequence = NULL, *program = NULL, *kernel = NULL, *event = NULL;
  char *log = NULL;
  rig r = set_up_with(options);
  trm_build build = add_build;
  build.dialect = dialect;
  TEST_OK(table()->program_build(r.device, &build, &log, &program));
  TEST_OK(table()->kernel_get(r.device, program, &fake_kernels[ADD], &kernel));
  r.kernels[ADD] = kernel;
  const trm_command commands[] = {
    add_command(&r, 3, 1), add_command(&r, -1, 2),
    {.kind = TRM_COMMAND_COPY, .buffers = {r.y, r.y}, .offset = 32, .bytes = 16},
    add_command(&r, 7, 0), add_command(&r, 8, 0),
  };
  TEST_OK(table()->sequence_create(r.device, commands, 5, &sequence));
  TEST_OK(table()->sequence_replay(r.device, sequence, 1));
  TEST_OK(table()->event_create(r.device, &event));
  for (size_t i = 0; i < 5 && !recorded; i++) {
    TEST_OK(table()->event_record(r.device, event));
    TEST_OK(table()->enqueue(r.device, &commands[i]));
  }
  TEST_OK(table()->finish(r.device));
  const fake_launch *first = fake->launches + (recorded ? 0 : 4);
  for (size_t i = 0; i < 4; i++) text[i] = first[i].programmatic ? '1' : '0';
  table()->event_destroy(r.device, event);
  table()->sequence_destroy(r.device, sequence);
  table()->program_destroy(r.device, program);
  tear_down(&r);
  return text;
}

static const char *overlapped(const char *dialect, int recorded)
{
  return overlapped_with(NULL, dialect, recorded);
}

static void launches_overlap_only_behind_launches_and_only_where_kernels_wait(void)
{
  for (int recorded = 0; recorded < 2; recorded++) {
    use_fake();
    assert_string_equal(overlapped("... griddepcontrol.wait ...", recorded), "0101");
    use_fake();
    assert_string_equal(overlapped("a dialect that does not wait", recorded), "0000");
    use_fake();
    assert_string_equal(overlapped_with(&(trm_device_options){.no_overlap = 1},
                                        "... griddepcontrol.wait ...", recorded), "0000");
    assert_string_equal(overlapped_with(&(trm_device_options){.read_only_loads = 1},
                                        "... griddepcontrol.wait ...", recorded), "0000");
    use_fake();
    setenv("TRIREME_CUDA_PDL", "0", 1);
    assert_string_equal(overlapped("... griddepcontrol.wait ...", recorded), "0000");
    use_fake();
    fake->capability = 80;
    assert_string_equal(overlapped("... griddepcontrol.wait ...", recorded), "0000");
    use_fake();
    fake->version = 12020;
    assert_string_equal(overlapped("... griddepcontrol.wait ...", recorded), "0000");
  }
}

static void settings_that_make_no_sense_are_refused(void)
{
  trm_device_info info;
  void *device = NULL;
  use_fake();
  fake->capability = 80;
  table()->close(open_device());
  TEST_OK(table()->describe(0, &info));
  setenv("TRIREME_CUDA_PDL", "1", 1);
  TEST_FAILS(table()->open(0, NULL, &info, &device), TRM_ERROR_UNSUPPORTED,
             "compute capability 8.0, code for 8.0, driver for CUDA 12.4");
  setenv("TRIREME_CUDA_PDL", "yes", 1);
  TEST_FAILS(table()->open(0, NULL, &info, &device), TRM_ERROR_INVALID, "TRIREME_CUDA_PDL=yes");
  unsetenv("TRIREME_CUDA_PDL");
  TEST_FAILS(table()->open(0, &(trm_device_options){.no_overlap = 1}, &info, &device),
             TRM_ERROR_UNSUPPORTED, "run.overlap=false: launches do not overlap on this device");
  fake->capability = 90;
  setenv("TRIREME_CUDA_PDL", "1", 1);
  TEST_FAILS(table()->open(0, &(trm_device_options){.read_only_loads = 1}, &info, &device),
             TRM_ERROR_INVALID,
             "TRIREME_CUDA_PDL=1: launches would overlap, and run.loads=read-only");
  unsetenv("TRIREME_CUDA_PDL");
  setenv("TRIREME_CUDA_GRAPH_NODES", "0", 1);
  TEST_FAILS(table()->open(0, NULL, &info, &device), TRM_ERROR_INVALID, "from 1 to 65536");
  assert_int_equal(fake->contexts, 0);
}

static void a_sequence_that_cannot_be_made_leaves_nothing_behind(void)
{
  void *sequence = NULL;
  use_fake();
  rig r = set_up();
  trm_command commands[2] = {add_command(&r, 1, 1), add_command(&r, 1, 1)};
  commands[1].extent.nz = 70000;
  TEST_FAILS(table()->sequence_create(r.device, commands, 2, &sequence), TRM_ERROR_UNSUPPORTED,
             "70000 groups along z");
  commands[1].extent.nz = 1;
  fake->instantiate_result = CU_OUT_OF_MEMORY;
  TEST_FAILS(table()->sequence_create(r.device, commands, 2, &sequence), TRM_ERROR_NO_DEVICE_MEMORY,
             "cuGraphInstantiate reported CUDA_ERROR_OUT_OF_MEMORY");
  fake->instantiate_result = 0;
  TEST_OK(table()->enqueue(r.device, &commands[0]));
  assert_int_equal(y_at(&r, 0), 2);
  tear_down(&r);
}

/* ---- events, and errors that come late --------------------------------------------------- */

static void events_measure_what_lies_between_them(void)
{
  void *begin = NULL, *end = NULL;
  double seconds = 0.0;
  use_fake();
  rig r = set_up();
  const trm_command add = add_command(&r, 1, 1);
  TEST_OK(table()->event_create(r.device, &begin));
  TEST_OK(table()->event_create(r.device, &end));
  TEST_OK(table()->event_record(r.device, begin));
  for (int i = 0; i < 3; i++) TEST_OK(table()->enqueue(r.device, &add));
  TEST_OK(table()->event_record(r.device, end));
  TEST_OK(table()->event_elapsed(r.device, begin, end, &seconds));
  TEST_CLOSE(seconds, 0.003, 1e-6);
  table()->event_destroy(r.device, begin);
  table()->event_destroy(r.device, end);
  tear_down(&r);
}

static void a_crashed_kernel_surfaces_later_and_the_device_stays_lost(void)
{
  use_fake();
  rig r = set_up();
  const trm_command crash = {.kind = TRM_COMMAND_LAUNCH, .kernel = r.kernels[CRASH],
                             .declaration = &fake_kernels[CRASH], .extent = {1, 1, 1, 0},
                             .buffer_count = 1, .buffers = {r.y}};
  const trm_command add = add_command(&r, 1, 1);
  TEST_OK(table()->enqueue(r.device, &crash));
  TEST_FAILS(table()->finish(r.device), TRM_ERROR_DEVICE,
             "cuStreamSynchronize reported CUDA_ERROR_ILLEGAL_ADDRESS");
  TEST_FAILS(table()->enqueue(r.device, &add), TRM_ERROR_DEVICE,
             "cuda:0 (Fake GPU 0) was lost earlier: cuStreamSynchronize reported");
  TEST_FAILS(table()->finish(r.device), TRM_ERROR_DEVICE, "Start the program again");
  tear_down(&r);
  r = set_up();                            /* opened anew, the fake device works again */
  TEST_OK(table()->finish(r.device));
  tear_down(&r);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_replay_is_the_same_as_its_launches),
    TEST_HOST(recorded_steps_share_launches_where_the_grid_allows_it),
    TEST_HOST(a_cached_binary_without_the_code_for_it_is_refused),
    TEST_HOST(launches_overlap_only_behind_launches_and_only_where_kernels_wait),
    TEST_HOST(settings_that_make_no_sense_are_refused),
    TEST_HOST(a_sequence_that_cannot_be_made_leaves_nothing_behind),
    TEST_HOST(events_measure_what_lies_between_them),
    TEST_HOST(a_crashed_kernel_surfaces_later_and_the_device_stays_lost),
  };
  return TEST_RUN(argc, argv, cases);
}
