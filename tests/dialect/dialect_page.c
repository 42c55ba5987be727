/* dialect_page.c - the host side of docs/dialect.md's kernels, run on every backend and compared
 * bit for bit with plain C. dialect_shown.sh sees to it that the page shows this text. */
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "core/trireme.h"

typedef float real;
typedef int64_t trm_index;
#include "tests/dialect/dialect_page_params.h"

TRM_DECLARE_MODULES(dialect_page);
extern const char trm_text_dialect_page[];
static const trm_program_source source = {
  .name = "dialect_page", .file = "tests/dialect/dialect_page.k", .text = trm_text_dialect_page,
  .modules = TRM_MODULES(dialect_page)
};

static trm_status build(trm_device *device, trm_program **out)
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  return trm_program_create(device, &source, &options, out);
}

/* Steps from fields[0] into fields[1] and back; both are laid out by trm_layout_rows. */
static trm_status diffuse(trm_program *program, const trm_extent *cells, const page_params *params,
                          trm_buffer *const fields[2], int steps)
{
  trm_kernel *kernel = NULL;
  TRM_TRY(trm_program_kernel(program, "diffuse", &kernel));
  for (int step = 0; step < steps; step++) {
    trm_buffer *const buffers[] = { fields[step % 2], fields[1 - step % 2] };
    TRM_TRY(trm_kernel_launch(kernel, cells, params, sizeof *params, buffers, 2));
  }
  return TRM_OK;
}

/* Folds rows into leaves, then the leaves into total[0], in orders that numbers alone decide. */
static trm_status sum_heat(trm_program *program, const trm_extent *cells, const page_params *params,
                           trm_buffer *field, trm_buffer *solid, trm_buffer *part,
                           trm_reduction *sum_of_parts, trm_buffer *total)
{
  trm_kernel *kernel = NULL;
  trm_buffer *const buffers[] = { field, solid, part };
  TRM_TRY(trm_program_kernel(program, "heat", &kernel));
  TRM_TRY(trm_kernel_launch(kernel, cells, params, sizeof *params, buffers, 3));
  return trm_reduction_run(sum_of_parts, part, 0, 0, 1, total, 0);
}

/* One group for each TRM_GROUP bodies; the program knows how many that is. */
static trm_status attract(trm_program *program, const page_params *params, trm_buffer *x,
                          trm_buffer *mass, trm_buffer *a)
{
  trm_kernel *kernel = NULL;
  trm_buffer *const buffers[] = { x, mass, a };
  const trm_extent groups = { params->bodies / trm_program_describe(program)->group, 1, 1, 0 };
  TRM_TRY(trm_program_kernel(program, "attract", &kernel));
  return trm_kernel_launch(kernel, &groups, params, sizeof *params, buffers, 3);
}

/* ---- the test ---------------------------------------------------------------------------- */

enum { NX = 97, NY = 61, LEAVES = (NX + 31) / 32, STEPS = 7, BODIES = 512 };

static float number(int i)
{
  return (float)((i * 7919 + 13) % 1009) / 1009.0f + 0.001f * (float)(i % 3);
}

static trm_buffer *upload(trm_device *device, const void *data, size_t bytes)
{
  trm_buffer *made = NULL;
  TEST_OK(trm_buffer_create(device, bytes, "values", &made));
  TEST_OK(trm_buffer_write(made, 0, bytes, data));
  return made;
}

/* The field in rows, with its ghost columns. */
static trm_buffer *upload_field(trm_device *device, const trm_layout *layout, float cells[NY][NX])
{
  float *all = calloc(layout->elements, sizeof *all);
  assert_non_null(all);
  for (size_t y = 0; y < NY; y++) {
    float *row = all + layout->first + y * layout->row;
    memcpy(row, cells[y], sizeof cells[y]);
    if (trm_device_describe(device)->ghost_columns) row[-1] = row[NX - 1], row[NX] = row[0];
  }
  trm_buffer *made = upload(device, all, layout->elements * sizeof *all);
  free(all);
  return made;
}

static void expect_field(const trm_layout *layout, trm_buffer *field, float cells[NY][NX])
{
  for (size_t y = 0; y < NY; y++) {
    float row[NX];
    TEST_OK(trm_buffer_read(field, (layout->first + y * layout->row) * sizeof *row, sizeof row,
                            row));
    TEST_SAME_BITS(row, cells[y], NX, TRM_TYPE_F32);
  }
}

static void step_by_hand(float t[NY][NX], float rate)
{
  float u[NY][NX];
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      const float around = (t[y][(x + NX - 1) % NX] + t[y][(x + 1) % NX]) +
                           (t[(y + NY - 1) % NY][x] + t[(y + 1) % NY][x]);
      u[y][x] = fmaf(rate, fmaf(-4.0f, t[y][x], around), t[y][x]);
    }
  memcpy(t, u, sizeof u);
}

static void the_first_kernel_diffuses(trm_device *device)
{
  static float cells[NY][NX];
  trm_layout layout;
  trm_program *program = NULL;
  const trm_extent extent = { NX, NY, 1, 0 };
  for (int i = 0; i < NX * NY; i++) cells[i / NX][i % NX] = number(i);
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &layout));
  const page_params params = { .first = (trm_index)layout.first, .row = (trm_index)layout.row,
                               .rate = 0.2f };
  trm_buffer *fields[] = { upload_field(device, &layout, cells),
                           upload_field(device, &layout, cells) };
  TEST_OK(build(device, &program));
  TEST_OK(diffuse(program, &extent, &params, fields, STEPS));
  for (int step = 0; step < STEPS; step++) step_by_hand(cells, params.rate);
  expect_field(&layout, fields[STEPS % 2], cells);
  for (int i = 0; i < 2; i++) trm_buffer_destroy(&fields[i]);
  trm_program_destroy(&program);
}

/* The order of trireme.h for one chunk: lanes of 256, folded by halves. */
static float reduce_by_hand(const float *part, int count)
{
  float lane[256] = { 0 };
  assert_true(count <= 256);
  for (int i = 0; i < count; i++) lane[i] = part[i];
  for (int half = 128; half > 0; half /= 2)
    for (int i = 0; i < half; i++) lane[i] += lane[i + half];
  return lane[0];
}

static float heat_by_hand(float t[NY][NX], const uint8_t *solid)
{
  float part[NY * LEAVES];
  for (int y = 0; y < NY; y++)
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      float lane[32] = { 0 };
      for (int i = 0; i < 32 && 32 * leaf + i < NX; i++) {
        float *cell = &t[y][32 * leaf + i];
        if (solid[y * NX + 32 * leaf + i]) *cell = 0.0f;
        lane[i] = *cell;
      }
      for (int half = 16; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
      part[y * LEAVES + leaf] = lane[0];
    }
  return reduce_by_hand(part, NY * LEAVES);
}

static trm_buffer *upload_flags(trm_device *device, const uint8_t *flags, page_params *params)
{
  trm_layout layout;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_U8, NX, NY, 1, 1, &layout));
  uint8_t *all = calloc(layout.elements, 1);
  assert_non_null(all);
  for (size_t y = 0; y < NY; y++)
    memcpy(all + layout.first + y * layout.row, flags + y * NX, NX);
  params->solid_first = (trm_index)layout.first;
  params->solid_row = (trm_index)layout.row;
  trm_buffer *made = upload(device, all, layout.elements);
  free(all);
  return made;
}

static void the_second_kernel_sums_what_is_not_solid(trm_device *device)
{
  static float cells[NY][NX];
  static uint8_t flags[NY * NX];
  static const float nothing[NY * LEAVES];
  trm_layout layout;
  trm_program *program = NULL;
  trm_reduction *sum = NULL;
  const trm_extent extent = { NX, NY, 1, 0 };
  float found, right;
  for (int i = 0; i < NX * NY; i++) cells[i / NX][i % NX] = number(i);
  for (int i = 0; i < NX * NY; i++) flags[i] = i % 7 == 0;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &layout));
  page_params params = { .first = (trm_index)layout.first, .row = (trm_index)layout.row };
  trm_buffer *buffers[] = { upload_field(device, &layout, cells),
                            upload_flags(device, flags, &params),
                            upload(device, nothing, sizeof nothing),
                            upload(device, nothing, sizeof *nothing) };
  TEST_OK(trm_reduction_create(device, TRM_SUM, TRM_F32, NY * LEAVES, 1, &sum));
  TEST_OK(build(device, &program));
  TEST_OK(sum_heat(program, &extent, &params, buffers[0], buffers[1], buffers[2], sum, buffers[3]));
  right = heat_by_hand(cells, flags);
  TEST_OK(trm_buffer_read(buffers[3], 0, sizeof found, &found));
  TEST_SAME_BITS(&found, &right, 1, TRM_TYPE_F32);
  expect_field(&layout, buffers[0], cells);
  for (int i = 0; i < 4; i++) trm_buffer_destroy(&buffers[i]);
  trm_reduction_destroy(&sum);
  trm_program_destroy(&program);
}

static void the_third_kernel_attracts(trm_device *device)
{
  float x[BODIES], mass[BODIES], right[BODIES], found[BODIES];
  trm_program *program = NULL;
  const page_params params = { .bodies = BODIES };
  for (int i = 0; i < BODIES; i++) x[i] = number(i), mass[i] = number(3 * i);
  for (int i = 0; i < BODIES; i++) {
    right[i] = 0.0f;
    for (int j = 0; j < BODIES; j++) {
      const float d = x[j] - x[i], r2 = fmaf(d, d, 0.01f), r3 = r2 * sqrtf(r2);
      right[i] += mass[j] * d / r3;
    }
  }
  trm_buffer *buffers[] = { upload(device, x, sizeof x), upload(device, mass, sizeof mass),
                            upload(device, x, sizeof x) };
  TEST_OK(build(device, &program));
  TEST_OK(attract(program, &params, buffers[0], buffers[1], buffers[2]));
  TEST_OK(trm_buffer_read(buffers[2], 0, sizeof found, found));
  TEST_SAME_BITS(found, right, BODIES, TRM_TYPE_F32);
  for (int i = 0; i < 3; i++) trm_buffer_destroy(&buffers[i]);
  trm_program_destroy(&program);
}

/* One row of the fourth kernel: mirror images beyond both ends. */
static void smooth_by_hand(float t[NX], float rate, float steepest[LEAVES])
{
  float u[NX];
  memset(steepest, 0, LEAVES * sizeof *steepest);
  for (int x = 0; x < NX; x++) {
    const float west = x > 0 ? t[x] - t[x - 1] : 0.0f, east = x < NX - 1 ? t[x + 1] - t[x] : 0.0f;
    u[x] = fmaf(rate, east - west, t[x]);
    steepest[x / 32] = fmaxf(steepest[x / 32], fabsf(east));
  }
  memcpy(t, u, sizeof u);
}

static trm_buffer *upload_mirrored(trm_device *device, const trm_layout *layout,
                                   float cells[NY][NX])
{
  trm_buffer *field = upload_field(device, layout, cells);
  for (size_t y = 0; y < NY && trm_device_describe(device)->ghost_columns; y++) {
    const size_t row = layout->first + y * layout->row;
    TEST_OK(trm_buffer_write(field, (row - 1) * 4, 4, &cells[y][0]));
    TEST_OK(trm_buffer_write(field, (row + NX) * 4, 4, &cells[y][NX - 1]));
  }
  return field;
}

static void the_fourth_kernel_smooths_between_mirrors(trm_device *device)
{
  static float cells[NY][NX], steepest[NY][LEAVES], found[NY][LEAVES];
  trm_layout layout;
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  const trm_extent extent = { NX, NY, 1, 0 };
  for (int i = 0; i < NX * NY; i++) cells[i / NX][i % NX] = number(i);
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &layout));
  const page_params params = { .first = (trm_index)layout.first, .row = (trm_index)layout.row,
                               .rate = 0.2f };
  trm_buffer *fields[] = { upload_mirrored(device, &layout, cells),
                           upload_mirrored(device, &layout, cells) };
  trm_buffer *part = upload(device, found, sizeof found);
  TEST_OK(build(device, &program));
  TEST_OK(trm_program_kernel(program, "smooth", &kernel));
  for (int step = 0; step < STEPS; step++) {
    trm_buffer *const buffers[] = { fields[step % 2], fields[1 - step % 2], part };
    TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 3));
    for (int y = 0; y < NY; y++) smooth_by_hand(cells[y], params.rate, steepest[y]);
  }
  expect_field(&layout, fields[STEPS % 2], cells);
  TEST_OK(trm_buffer_read(part, 0, sizeof found, found));
  TEST_SAME_BITS(found, steepest, NY * LEAVES, TRM_TYPE_F32);
  for (int i = 0; i < 2; i++) trm_buffer_destroy(&fields[i]);
  trm_buffer_destroy(&part);
  trm_program_destroy(&program);
}

/* One step of the sixth kernel, the whole field at once; peaks of blocks of `rows` rows. */
static void flow_by_hand(float t[NY][NX], float rate, int rows, float peaks[NY][NX])
{
  static float u[NY][NX];
  memset(peaks, 0, sizeof(float[NY][NX]));
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      const float west = x > 0 ? t[y][x] - t[y][x - 1] : 0.0f;
      const float east = x < NX - 1 ? t[y][x + 1] - t[y][x] : 0.0f;
      const float south = y > 0 ? t[y][x] - t[y - 1][x] : 0.0f;
      const float north = y < NY - 1 ? t[y + 1][x] - t[y][x] : 0.0f;
      u[y][x] = fmaf(rate, (east - west) + (north - south), t[y][x]);
      peaks[y / rows][x] = fmaxf(peaks[y / rows][x], t[y][x]);
    }
  memcpy(t, u, sizeof u);
}

/* row_group_y above 1 puts blocks of several lengths into one group of a GPU. */
static void check_flow(trm_device *device, int rows, int row_group_x, int row_group_y)
{
  static float cells[NY][NX], peaks[NY][NX], found[NY][NX];
  const int blocks = (NY + rows - 1) / rows;
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT,
                                        .row_group_x = row_group_x, .row_group_y = row_group_y };
  trm_layout layout;
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  const trm_extent extent = { NX, blocks, 1, 0 };
  for (int i = 0; i < NX * NY; i++) cells[i / NX][i % NX] = number(i);
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &layout));
  const page_params params = { .first = (trm_index)layout.first, .row = (trm_index)layout.row,
                               .rate = 0.2f, .rows = rows, .ny = NY };
  trm_buffer *fields[] = { upload_mirrored(device, &layout, cells),
                           upload_mirrored(device, &layout, cells) };
  trm_buffer *part = upload(device, found, sizeof found);
  TEST_OK(trm_program_create(device, &source, &options, &program));
  TEST_OK(trm_program_kernel(program, "flow", &kernel));
  for (int step = 0; step < STEPS; step++) {
    trm_buffer *const buffers[] = { fields[step % 2], fields[1 - step % 2], part };
    TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 3));
    flow_by_hand(cells, params.rate, rows, peaks);
  }
  expect_field(&layout, fields[STEPS % 2], cells);
  TEST_OK(trm_buffer_read(part, 0, sizeof found, found));
  TEST_SAME_BITS(found, peaks, (size_t)blocks * NX, TRM_TYPE_F32);
  for (int i = 0; i < 2; i++) trm_buffer_destroy(&fields[i]);
  trm_buffer_destroy(&part);
  trm_program_destroy(&program);
}

static void the_sixth_kernel_flows_through_each_face_once(trm_device *device)
{
  const int is_host = trm_device_describe(device)->is_host;
  for (int rows = 1; rows <= 9; rows += 2) check_flow(device, rows, 0, 0);
  check_flow(device, NY, 0, 0);
  if (is_host) return;
  check_flow(device, 8, 64, 1);
  check_flow(device, 8, 32, 4);
}

static void the_sixth_kernel_runs_backwards(void)
{
  if (!test_has_isa("reverse"))
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  trm_device *device = test_open("openmp", NULL);
  setenv("TRIREME_ISA", "reverse", 1);
  check_flow(device, 5, 0, 0);
  unsetenv("TRIREME_ISA");
  trm_device_close(&device);
}

static void the_seventh_kernel_finds_directions(trm_device *device)
{
  static float a[NY][NX], b[NY][NX], row_a[NX], row_b[NX];
  trm_layout layout;
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  const trm_extent extent = { NX, NY, 1, 0 };
  for (int i = 0; i < NX * NY; i++) {
    a[i / NX][i % NX] = number(i) - 0.5f;
    b[i / NX][i % NX] = number(3 * i + 1) - 0.3f;
  }
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &layout));
  const page_params params = { .first = (trm_index)layout.first, .row = (trm_index)layout.row };
  trm_buffer *fields[] = { upload_field(device, &layout, a), upload_field(device, &layout, b) };
  TEST_OK(build(device, &program));
  TEST_OK(trm_program_kernel(program, "direct", &kernel));
  TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, fields, 2));
  for (size_t y = 0; y < NY; y++) {
    const size_t at = (layout.first + y * layout.row) * sizeof(float);
    TEST_OK(trm_buffer_read(fields[0], at, sizeof row_a, row_a));
    TEST_OK(trm_buffer_read(fields[1], at, sizeof row_b, row_b));
    for (int x = 0; x < NX; x++) {
      const double length = hypot((double)a[y][x], (double)b[y][x]);
      TEST_CLOSE(row_a[x], a[y][x] / length, 4e-7);
      TEST_CLOSE(row_b[x], b[y][x] / length, 4e-7);
    }
  }
  for (int i = 0; i < 2; i++) trm_buffer_destroy(&fields[i]);
  trm_program_destroy(&program);
}

static int is_marked(int i) { return i % 11 == 3 || i == NX * NY - 1; }

/* Marks of every eleventh cell, of the last one, and each word's rank; how many there are. */
static trm_buffer *upload_marks(trm_device *device, page_params *params, int *count)
{
  trm_layout layout;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_I32, LEAVES, NY, 1, 2, &layout));
  uint32_t *words = calloc(layout.elements, sizeof *words);
  assert_non_null(words);
  *count = 0;
  for (int i = 0; i < NX * NY; i++) {
    uint32_t *word = words + layout.first + (size_t)(i / NX) * layout.row + (size_t)(i % NX / 32);
    if (i % NX % 32 == 0) word[layout.component] = (uint32_t)*count;
    if (!is_marked(i)) continue;
    *word |= (uint32_t)1 << i % NX % 32;
    ++*count;
  }
  params->marks_first = (trm_index)layout.first;
  params->marks_row = (trm_index)layout.row;
  params->ranks = (trm_index)layout.component;
  trm_buffer *made = upload(device, words, layout.elements * sizeof *words);
  free(words);
  return made;
}

static void the_fifth_kernel_burns_where_it_is_marked(trm_device *device)
{
  static float cells[NY][NX], flame[NY * NX];
  trm_layout layout;
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  int count, burnt = 0;
  const trm_extent extent = { NX, NY, 1, 0 };
  for (int i = 0; i < NX * NY; i++) cells[i / NX][i % NX] = number(i), flame[i] = number(5 * i + 2);
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, NX, NY, 1, 1, &layout));
  page_params params = { .first = (trm_index)layout.first, .row = (trm_index)layout.row,
                         .rate = 0.5f };
  trm_buffer *buffers[] = { upload_field(device, &layout, cells),
                            upload_field(device, &layout, cells),
                            upload_marks(device, &params, &count),
                            upload(device, flame, sizeof flame) };
  TEST_OK(build(device, &program));
  TEST_OK(trm_program_kernel(program, "burn", &kernel));
  TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 4));
  for (int i = 0, number = 0; i < NX * NY; i++) {
    float *cell = &cells[i / NX][i % NX];
    const float next = is_marked(i) ? flame[number++] : 0.0f;
    burnt += next > *cell;
    *cell = next > *cell ? next : 0.5f * *cell;
  }
  assert_true(burnt > 0 && burnt < count);
  expect_field(&layout, buffers[1], cells);
  for (int i = 0; i < 4; i++) trm_buffer_destroy(&buffers[i]);
  trm_program_destroy(&program);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(the_first_kernel_diffuses),
    TEST_DEVICE(the_second_kernel_sums_what_is_not_solid),
    TEST_DEVICE(the_third_kernel_attracts),
    TEST_DEVICE(the_fourth_kernel_smooths_between_mirrors),
    TEST_DEVICE(the_fifth_kernel_burns_where_it_is_marked),
    TEST_DEVICE(the_sixth_kernel_flows_through_each_face_once),
    TEST_HOST(the_sixth_kernel_runs_backwards),
    TEST_DEVICE(the_seventh_kernel_finds_directions),
  };
  return TEST_RUN(argc, argv, cases);
}
