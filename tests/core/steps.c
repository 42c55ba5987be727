/* steps.c - which recorded launches may share a launch of a GPU (core/steps.c): lists of commands,
 * and the parts that they are cut into. */
#include "core/steps.h"
#include "tests/harness.h"

#include <stdio.h>
#include <string.h>

typedef struct layout { int32_t first, row, component, slot; } layout;

static trm_stepping stepping = { 0, 1, 9, 4, 0, 4, 8, 0, 1 };
static const trm_host_kernel step_kernel = {.name = "step", .kind = TRM_KERNEL_ROW, .halo = 1,
                                            .buffer_count = 4, .param_bytes = sizeof(layout),
                                            .access = "rwrw", .steps = &stepping };
static const trm_host_kernel other_kernel = {.name = "other", .kind = TRM_KERNEL_ROW};
static int one, two, walls, sums, window, handle, other_handle;
static int device_takes, device_repeats = 1;

/* Step i of a run that begins by reading `one`. */
static trm_command step(int i)
{
  const layout p = { 0, 64, 4096, i };
  trm_command made = {.kind = TRM_COMMAND_LAUNCH, .kernel = &handle, .declaration = &step_kernel,
                      .extent = { 64, 64, 1, 0 }, .param_bytes = sizeof p, .buffer_count = 4,
                      .buffers = { i % 2 ? &two : &one, i % 2 ? &one : &two, &walls, &sums } };
  memcpy(made.params, &p, sizeof p);
  return made;
}

static trm_command other(void *first, void *second)
{
  return (trm_command){.kind = TRM_COMMAND_LAUNCH, .kernel = &other_handle,
                       .declaration = &other_kernel, .extent = { 1, 1, 1, 0 }, .buffer_count = 2,
                       .buffers = { first, second } };
}

static int takes(const void *user, const trm_command *launch, int *times)
{
  (void)user;
  assert_int_equal(*times, 1);
  *times = device_repeats;
  assert_ptr_equal(launch->declaration, &step_kernel);
  return device_takes;
}

enum { MOST = 24 };
static trm_command commands[MOST];
static void record_steps(void)
{
  for (int i = 0; i < MOST; i++) commands[i] = step(i);
}

/* The parts of the first `count` commands, as words; each command is in one of them, in order. */
static void expect(size_t count, const char *wanted)
{
  trm_part parts[MOST];
  char text[128] = "";
  size_t at = 0;
  const size_t made = trm_steps_plan(commands, count, takes, NULL, parts);
  for (size_t i = 0; i < made; i++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu", i ? " " : "",
             parts[i].launches);
    assert_int_equal(parts[i].first, at);
    at += parts[i].launches;
  }
  assert_int_equal(at, count);
  assert_string_equal(text, wanted);
}

static void steps_go_together_and_the_last_alone(void)
{
  record_steps();
  device_takes = 3;
  expect(1, "1");
  expect(3, "1 1 1");
  expect(4, "3 1");
  expect(9, "3 3 1 1 1");
  expect(10, "3 3 3 1");
  device_takes = 5;
  expect(10, "5 1 1 1 1 1");
  device_takes = 1;
  expect(3, "1 1 1");
}

/* An odd number of times, so that the last launch writes what a single one would. */
static void a_launch_may_do_its_steps_several_times(void)
{
  record_steps();
  device_takes = 3;
  device_repeats = 5;
  expect(3, "1 1 1");
  expect(9, "3 3 1 1 1");
  expect(10, "9 1");
  expect(13, "9 3 1");
  expect(16, "15 1");
  expect(19, "15 3 1");
  device_repeats = 2; /* even: one time less */
  expect(10, "3 3 3 1");
  device_repeats = 1;
}

static void what_is_overwritten_next_need_not_be_left_right(void)
{
  record_steps();
  device_takes = 3;
  commands[6] = other(&sums, &window); /* then step 6, which writes what step 5 read */
  for (int i = 7; i < 12; i++) commands[i] = step(i - 1);
  expect(12, "3 3 1 3 1 1");
  commands[6] = other(&two, &window);  /* reads what step 5 read */
  expect(12, "3 1 1 1 1 3 1 1");
  commands[6] = (trm_command){.kind = TRM_COMMAND_COPY, .buffers = { &window, &two } };
  expect(12, "3 1 1 1 1 3 1 1");
  commands[6] = (trm_command){.kind = TRM_COMMAND_FILL, .buffers = { &two } };
  expect(12, "3 1 1 1 1 3 1 1");
}

static void what_is_scratch_need_not_be_left_right(void)
{
  record_steps();
  device_takes = 3;
  stepping.is_scratch = 1;
  expect(3, "3");
  expect(10, "3 3 3 1");
  commands[6] = other(&sums, &window);
  for (int i = 7; i < 13; i++) commands[i] = step(i - 1);
  expect(13, "3 3 1 3 3");
  commands[12] = other(&one, &window); /* reads what is older then */
  expect(13, "3 3 1 3 1 1 1");
  stepping.is_scratch = 0;
}

static void a_run_ends_where_anything_differs(void)
{
  device_takes = 3;
  record_steps();
  commands[4].extent.nx = 32;
  expect(9, "3 1 1 3 1");
  record_steps();
  ((layout *)(void *)commands[4].params)->row = 128;
  expect(9, "3 1 1 3 1");
  record_steps();
  commands[4].buffers[2] = &window;
  expect(9, "3 1 1 3 1");
  record_steps();
  commands[4].kernel = &other_handle;
  expect(9, "3 1 1 3 1");
  record_steps();
  commands[4] = step(3); /* the same direction twice */
  expect(9, "3 1 1 3 1");
  record_steps();
  for (int i = 0; i < 9; i++) commands[i].extent.nz = 2;
  expect(9, "1 1 1 1 1 1 1 1 1");
}

/* A launch over nx x 2048 cells by groups of `rows` rows. */
static void expect_groups(const trm_steps_shape *shape, int nx, int rows, int edges, int edge_rows,
                          int along_x, int along_y)
{
  trm_command launch = step(0);
  int groups[2];
  launch.extent.nx = nx;
  launch.extent.ny = 2048;
  stepping.edges = edges;
  const trm_steps_share share = trm_steps_share_of(shape, &launch, rows);
  trm_steps_groups(shape, &launch.extent, &share, groups);
  stepping.edges = 1;
  assert_int_equal(share.rows, rows);
  assert_int_equal(share.edge_rows, edge_rows);
  assert_int_equal(share.edge_groups, edge_rows == rows ? 0 : (2048 + edge_rows - 1) / edge_rows);
  assert_int_equal(groups[0], along_x);
  assert_int_equal(groups[1], along_y);
}

static void edges_that_take_longer_have_groups_of_fewer_rows(void)
{
  static const trm_steps_shape strips = {3, 128, 4, 0, 2}, tiles = {5, 32, 24, 1, 1};
  expect_groups(&strips, 4096, 128, 1, 128, 32, 16);
  expect_groups(&strips, 4096, 128, 0, 128, 32, 16);
  expect_groups(&strips, 4096, 128, 4, 32, 2 * 64 + 30 * 16, 1);
  expect_groups(&strips, 4090, 129, 2, 64, 2 * 32 + 30 * 16, 1);
  expect_groups(&strips, 4096, 128, 1000, 12, 2 * 171 + 30 * 16, 1); /* never less than 12 */
  expect_groups(&strips, 257, 200, 8, 25, 2 * 82 + 11, 1);
  expect_groups(&strips, 256, 128, 8, 128, 2, 16); /* both strips are edges */
  expect_groups(&strips, 4096, 12, 8, 12, 32, 171);
  expect_groups(&tiles, 4096, 16, 8, 16, 128, 128);
}

static void expect_block(trm_steps_shape shape, int components, int real_bytes, int wide, int tall,
                         int items, int bytes)
{
  int found_wide, found_tall, found_items, found_bytes;
  trm_steps_block(&shape, components, real_bytes, &found_wide, &found_tall);
  trm_steps_needs(&shape, components, real_bytes, 1, &found_items, &found_bytes);
  assert_int_equal(found_wide, wide);
  assert_int_equal(found_tall, tall);
  assert_int_equal(found_items, items);
  assert_int_equal(found_bytes, bytes);
}

static void small_cells_go_to_items_in_blocks(void)
{
  static const trm_steps_shape large = {3, 128, 8, 0, 1}, most = {3, 512, 8, 0, 1};
  static const trm_host_kernel kernel = {.name = "wide_step", .steps = &stepping};
  char why[256];
  expect_block(large, 3, 4, 2, 4, 160, 38 * 3 * 136 * 4 + 3 * 32 * 33 * 4);
  expect_block((trm_steps_shape){3, 64, 6, 0, 1}, 3, 4, 2, 3, 96,
               30 * 3 * 72 * 4 + 3 * 12 * 33 * 4);
  expect_block((trm_steps_shape){3, 96, 4, 0, 1}, 2, 8, 1, 4, 128,
               22 * 2 * 104 * 8 + 3 * 12 * 33 * 8);
  expect_block((trm_steps_shape){3, 64, 7, 0, 1}, 1, 4, 2, 1, 256,
               34 * 72 * 4 + 3 * 14 * 33 * 4);
  /* D2Q9, and tiles, have an item for each cell */
  expect_block((trm_steps_shape){3, 128, 4, 0, 2}, 9, 4, 1, 1, 576,
               22 * 9 * 136 * 4 + 3 * 16 * 33 * 4);
  expect_block((trm_steps_shape){5, 32, 24, 1, 1}, 3, 4, 1, 1, 960,
               52 * 3 * 48 * 4 + 5 * 16 * 33 * 4);
  const int components = stepping.components;
  stepping.components = 3;
  assert_false(trm_steps_is_refused(&most, &kernel, "", 4, why, sizeof why));
  assert_true(trm_steps_is_refused(&most, &kernel, "", 8, why, sizeof why));
  assert_non_null(strstr(why, "wide_step"));
  assert_non_null(strstr(why, "items, and 1024 are the most"));
  stepping.components = components;
}

static void a_warp_goes_alone_with_small_cells_and_maxima(void)
{
  static const char maxima[] = "TRM_ROW_KERNEL1(wide_step, 1, P, x)\n{\n  TRM_FOLD_MAX(a, b);\n}\n";
  static const char mixed[] = "TRM_ROW_KERNEL1(wide_step, 1, P, x)\n{\n  TRM_FOLD_MAX(a, b);\n"
                              "  TRM_FOLD(c, d);\n}\n";
  static const trm_steps_shape alone = {3, 56, 1, 0, 16}, strips = {3, 64, 8, 0, 1};
  static const trm_host_kernel kernel = {.name = "wide_step", .steps = &stepping};
  const trm_extent extent = {.nx = 8192, .ny = 8192, .nz = 1};
  const int components = stepping.components;
  char why[256];
  int groups[2];
  assert_true(trm_steps_by_warps(&alone));
  assert_false(trm_steps_by_warps(&strips));
  expect_block(alone, 3, 4, 2, 1, 32, 3 * (3 + 4) * 64 * 4);
  const trm_steps_share share = {147, 147, 0, 0, 8192};
  trm_steps_groups(&alone, &extent, &share, groups);
  assert_int_equal(groups[0], 147); /* 146 of 56 columns, and 16 more */
  assert_int_equal(groups[1], 56);
  stepping.components = 3;
  assert_false(trm_steps_is_refused(&alone, &kernel, maxima, 4, why, sizeof why));
  assert_true(trm_steps_is_refused(&alone, &kernel, mixed, 4, why, sizeof why));
  assert_non_null(strstr(why, "wide_step in a shape of 56 columns"));
  assert_true(trm_steps_is_refused(&alone, &kernel, maxima, 8, why, sizeof why));
  assert_false(trm_steps_is_refused(&strips, &kernel, mixed, 8, why, sizeof why));
  stepping.components = components;
}

/* Launch i of nine covers 20 rows from `last` on, and 8 - i beside these at either end. */
static void record_rows(int last)
{
  record_steps();
  for (int i = 0; i < 9; i++) {
    commands[i].first_row = last - (8 - i);
    commands[i].rows = 20 + 2 * (8 - i);
  }
}

static void a_part_of_a_run_takes_steps_over_fewer_and_fewer_rows(void)
{
  stepping.is_scratch = 1;
  device_takes = 3;
  record_rows(30);
  expect(9, "3 3 3");
  record_rows(60); /* goes on at row 0 */
  expect(9, "3 3 3");
  record_rows(30);
  commands[4].rows--; /* lacks a row that launch 5 reads */
  expect(9, "3 1 1 3 1");
  record_rows(30);
  commands[4].first_row++;
  commands[4].rows--;
  expect(9, "3 1 1 3 1");
  record_rows(30);
  commands[4].rows = 0; /* all rows */
  expect(9, "3 1 1 3 1");
  record_rows(30);
  for (int i = 0; i < 9; i++) { /* nothing lies beyond row 0 */
    commands[i].rows += commands[i].first_row;
    commands[i].first_row = 0;
  }
  expect(9, "3 3 3");
  for (int i = 0; i < 9; i++) commands[i].rows -= 8 - i; /* as many rows each time */
  expect(9, "1 1 1 1 1 1 1 1 1");
  stepping.is_scratch = 0;
}

static void groups_share_the_rows_of_a_part(void)
{
  static const trm_steps_shape strips = {3, 32, 4, 0, 2};
  trm_command launch = step(0), pieces[2];
  int groups[2];
  launch.first_row = 50;
  launch.rows = 20;
  const trm_extent covered = trm_command_covers(&launch);
  const trm_steps_share share = trm_steps_share_of(&strips, &launch, 8);
  trm_steps_groups(&strips, &covered, &share, groups);
  assert_int_equal(share.first, 50);
  assert_int_equal(share.count, 20);
  assert_int_equal(groups[1], 3);
  assert_int_equal(trm_steps_single(&launch, pieces), 2);
  assert_int_equal(pieces[0].extent.unused, 50);
  assert_int_equal(pieces[0].rows, 14);
  assert_int_equal(pieces[1].extent.unused, 0);
  assert_int_equal(pieces[1].rows, 6);
  launch.first_row += 64; /* as a pass over memory counts it */
  launch.rows = 14;
  assert_int_equal(trm_steps_single(&launch, pieces), 1);
  assert_int_equal(pieces[0].extent.unused, 50);
  launch.rows = 0;
  assert_int_equal(trm_steps_single(&launch, pieces), 1);
  assert_int_equal(trm_steps_share_of(&strips, &launch, 8).count, 64);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(steps_go_together_and_the_last_alone),
    TEST_HOST(a_launch_may_do_its_steps_several_times),
    TEST_HOST(what_is_overwritten_next_need_not_be_left_right),
    TEST_HOST(what_is_scratch_need_not_be_left_right),
    TEST_HOST(a_run_ends_where_anything_differs),
    TEST_HOST(a_part_of_a_run_takes_steps_over_fewer_and_fewer_rows),
    TEST_HOST(groups_share_the_rows_of_a_part),
    TEST_HOST(edges_that_take_longer_have_groups_of_fewer_rows),
    TEST_HOST(small_cells_go_to_items_in_blocks),
    TEST_HOST(a_warp_goes_alone_with_small_cells_and_maxima),
  };
  return TEST_RUN(argc, argv, cases);
}
