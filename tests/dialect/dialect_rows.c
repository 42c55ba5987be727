/* dialect_rows.c - row kernels on every backend: dimensions, halos, edges, flags, leaves; bit
 * for bit what plain C computes, for every instruction set, forwards and backwards, and every group
 * shape. */
#include "tests/dialect/dialect.h"

#include <stdlib.h>
#include <string.h>

/* Around leaves of 32 cells and spans of 512. */
static const int widths[] = { 1, 31, 32, 33, 97, 511, 512, 513, 1030 };
static const int heights[] = { 1, 2, 3, 7 };
enum {
  WIDTHS = sizeof widths / sizeof *widths,
  HEIGHTS = sizeof heights / sizeof *heights,
  STEPS = 5 /* a step that leaves wrong ghost columns is seen by the next */
};

/* ---- one dimension, variants ----------------------------------------------------------- */

static void check_line(const dialect_run *run, double a_expected)
{
  for (int i = 0; i < WIDTHS; i++) {
    const int nx = widths[i];
    void *f = dialect_room(run, (size_t)nx), *want = dialect_room(run, (size_t)nx);
    run->want->numbers(f, (size_t)nx, 1);
    run->want->line(f, want, nx, a_expected);
    dialect_field from = dialect_field_make(run, nx, 1, 1, f);
    dialect_field to = dialect_field_make(run, nx, 1, 1, NULL);
    dialect_params params = { .a = 0.37 };
    dialect_use(&params, &from);
    trm_buffer *const buffers[] = { from.buffer, to.buffer };
    dialect_launch(run, "dialect_line", nx, 1, 1, &params, buffers, 2);
    dialect_field_expect(run, &to, want);
    trm_buffer_destroy(&from.buffer);
    trm_buffer_destroy(&to.buffer);
    free(f);
    free(want);
  }
}

static void line_body(const dialect_run *run) { check_line(run, 0.37); }
static void negated_body(const dialect_run *run)
{
  assert_string_equal(run->info->variant, "negated");
  check_line(run, -0.37);
}

static void a_row_of_one_dimension(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, line_body);
}

static void a_variant_is_compiled_with_its_define(trm_device *device)
{
  dialect_each(device, &dialect_source, "negated", negated_body);
}

/* ---- stencils -------------------------------------------------------------------------- */

typedef void stencil_fn(const dialect_run *run, const void *f, void *g, int nx, int ny, int nz);

static void smooth(const dialect_run *run, const void *f, void *g, int nx, int ny, int nz)
{
  (void)nz;
  run->want->smooth(f, g, nx, ny, 0.2);
}
static void wide(const dialect_run *run, const void *f, void *g, int nx, int ny, int nz)
{
  (void)nz;
  run->want->wide(f, g, nx, ny);
}
static void space(const dialect_run *run, const void *f, void *g, int nx, int ny, int nz)
{
  run->want->space(f, g, nx, ny, nz);
}

static void reach(const dialect_run *run, const void *f, void *g, int nx, int ny, int nz)
{
  run->want->reach(f, g, nx, ny, nz);
}

/* A field and its expected state after some steps of a stencil, which reaches so many cells west
 * and east. */
typedef struct stencil {
  const char *kernel;
  stencil_fn *step;
  int reach;
  int nx, ny, nz;
  void *start, *want, *spare;
  dialect_field fields[2];
  dialect_params params;
} stencil;

static void stencil_open(const dialect_run *run, stencil *s, int steps)
{
  const size_t cells = (size_t)(s->nx * s->ny * s->nz);
  s->start = dialect_room(run, cells);
  s->want = dialect_room(run, cells);
  s->spare = dialect_room(run, cells);
  run->want->numbers(s->start, cells, 2);
  memcpy(s->want, s->start, cells * run->size);
  for (int k = 0; k < steps; k++) {
    void *next = s->spare;
    s->step(run, s->want, next, s->nx, s->ny, s->nz);
    s->spare = s->want;
    s->want = next;
  }
  s->fields[0] = dialect_field_wide(run, s->nx, s->ny, s->nz, s->reach, s->start);
  s->fields[1] = dialect_field_wide(run, s->nx, s->ny, s->nz, s->reach, NULL);
  s->params.a = 0.2;
  dialect_use(&s->params, &s->fields[0]);
}

static void stencil_close(stencil *s)
{
  trm_buffer_destroy(&s->fields[0].buffer);
  trm_buffer_destroy(&s->fields[1].buffer);
  free(s->start);
  free(s->want);
  free(s->spare);
}

static void stencil_step(const dialect_run *run, const stencil *s, int from)
{
  trm_buffer *const buffers[] = { s->fields[from].buffer, s->fields[1 - from].buffer };
  dialect_launch(run, s->kernel, s->nx, s->ny, s->nz, &s->params, buffers, 2);
}

static void check_plain(const dialect_run *run, stencil s)
{
  stencil_open(run, &s, STEPS);
  for (int k = 0; k < STEPS; k++) stencil_step(run, &s, k % 2);
  dialect_field_expect(run, &s.fields[STEPS % 2], s.want);
  stencil_close(&s);
}

/* Two launches recorded and replayed: a graph, or a wavefront where the halo allows it. */
static void check_recorded(const dialect_run *run, stencil s)
{
  enum { REPLAYS = 4 };
  trm_sequence *sequence = NULL;
  stencil_open(run, &s, 2 * REPLAYS);
  TEST_OK(trm_sequence_begin(run->device));
  stencil_step(run, &s, 0);
  stencil_step(run, &s, 1);
  TEST_OK(trm_sequence_end(run->device, &sequence));
  TEST_OK(trm_sequence_replay(sequence, REPLAYS));
  dialect_field_expect(run, &s.fields[0], s.want);
  trm_sequence_destroy(&sequence);
  stencil_close(&s);
}

static void check_plane(const dialect_run *run, const char *kernel, stencil_fn *step)
{
  stencil s = { .kernel = kernel, .step = step, .reach = 1, .nz = 1 };
  for (int i = 0; i < WIDTHS; i++) {
    s.nx = widths[i], s.ny = heights[i % HEIGHTS];
    check_plain(run, s);
  }
  for (int j = 0; j < HEIGHTS; j++) {
    s.nx = 33, s.ny = heights[j];
    check_plain(run, s);
  }
  s.nx = 33, s.ny = 2;
  check_recorded(run, s);
  s.nx = 513, s.ny = 61;
  check_recorded(run, s);
}

/* The last two hold wavefronts of planes. */
static void check_space(const dialect_run *run, const char *kernel, stencil_fn *step, int reach)
{
  static const int sizes[][3] = { { 1, 1, 1 }, { 33, 1, 2 }, { 97, 3, 1 }, { 130, 5, 4 },
                                  { 513, 2, 3 }, { 2, 7, 40 }, { 61, 5, 17 } };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const stencil s = { .kernel = kernel, .step = step, .reach = reach, .nx = sizes[i][0],
                        .ny = sizes[i][1], .nz = sizes[i][2] };
    check_plain(run, s);
    check_recorded(run, s);
  }
}

static void smooth_body(const dialect_run *run) { check_plane(run, "dialect_smooth", smooth); }
static void wide_body(const dialect_run *run) { check_plane(run, "dialect_wide", wide); }
static void space_body(const dialect_run *run) { check_space(run, "dialect_space", space, 1); }
static void reach_body(const dialect_run *run) { check_space(run, "dialect_reach", reach, 2); }

static void neighbours_in_a_plane_with_halo_1(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, smooth_body);
}

static void neighbours_in_a_plane_with_halo_2(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, wide_body);
}

static void neighbours_in_space(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, space_body);
}

static void neighbours_in_space_with_halo_2(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, reach_body);
}

/* ---- steps that may share a launch ----------------------------------------------------- */

/* The field's two states, the leaves of two folds, and flags. */
typedef struct temporal {
  int nx, ny, steps;
  trm_layout layout;
  size_t leaves;
  trm_buffer *buffers[5]; /* words, one state, sums, the other, peaks */
} temporal;

static void temporal_open(const dialect_run *run, temporal *m)
{
  const size_t words = (size_t)((m->nx + 31) / 32 * m->ny);
  TEST_OK(trm_layout_rows(run->device, run->type, (size_t)m->nx, (size_t)m->ny, 1, 2, &m->layout));
  m->leaves = words * (size_t)m->steps;
  const size_t counts[5] = { words, m->layout.elements, m->leaves, m->layout.elements, m->leaves };
  for (unsigned i = 0; i < 5; i++) {
    void *values = dialect_room(run, counts[i]);
    run->want->numbers(values, counts[i], i);
    m->buffers[i] = dialect_upload(run, values, counts[i] * run->size);
    free(values);
  }
}

static void temporal_step(const dialect_run *run, const temporal *m, int step)
{
  dialect_params params = { .a = 0.37, .first = (trm_index)m->layout.first,
                            .row = (trm_index)m->layout.row, .flag_row = (m->nx + 31) / 32,
                            .distance = (trm_index)m->layout.component };
  trm_buffer *buffers[5];
  memcpy(buffers, m->buffers, sizeof buffers);
  params.count = step * (int)params.flag_row * m->ny;
  buffers[1] = m->buffers[step % 2 ? 3 : 1];
  buffers[3] = m->buffers[step % 2 ? 1 : 3];
  dialect_launch(run, "dialect_step", m->nx, m->ny, 1, &params, buffers, 5);
}

/* All that either may have written. */
static void temporal_same(const dialect_run *run, temporal *one, temporal *other)
{
  const size_t counts[5] = { 0, one->layout.elements, one->leaves, one->layout.elements,
                             one->leaves };
  for (int i = 1; i < 5; i++) {
    void *want = dialect_room(run, counts[i]);
    TEST_OK(trm_buffer_read(one->buffers[i], 0, counts[i] * run->size, want));
    dialect_expect(run, other->buffers[i], want, counts[i]);
    free(want);
  }
  for (int i = 0; i < 5; i++) {
    trm_buffer_destroy(&one->buffers[i]);
    trm_buffer_destroy(&other->buffers[i]);
  }
}

static void check_temporal(const dialect_run *run, int nx, int ny, int steps)
{
  temporal plain = { .nx = nx, .ny = ny, .steps = steps }, recorded = plain;
  trm_sequence *sequence = NULL;
  temporal_open(run, &plain);
  temporal_open(run, &recorded);
  for (int i = 0; i < steps; i++) temporal_step(run, &plain, i);
  TEST_OK(trm_sequence_begin(run->device));
  for (int i = 0; i < steps; i++) temporal_step(run, &recorded, i);
  TEST_OK(trm_sequence_end(run->device, &sequence));
  TEST_OK(trm_sequence_replay(sequence, 1));
  temporal_same(run, &plain, &recorded);
  trm_sequence_destroy(&sequence);
}

/* Small grids and large ones, rows that end within a leaf or a group, tails of every length. */
static void temporal_body(const dialect_run *run)
{
  static const int sizes[][2] = { { 128, 128 }, { 4, 12 }, { 132, 13 }, { 200, 77 }, { 97, 40 },
                                  { 64, 3 }, { 36, 31 } };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int steps = 5; steps <= 16; steps += 11) check_temporal(run, sizes[i][0], sizes[i][1],
                                                                 steps);
  for (int steps = 1; steps <= 15; steps++) check_temporal(run, 68, 29, steps);
  check_temporal(run, 644, 517, 15);
  check_temporal(run, 1028, 300, 9);
}

static void recorded_steps_of_a_field(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, temporal_body);
}

/* ---- flags and leaves ------------------------------------------------------------------ */

typedef struct sums {
  int nx, ny;
  void *f, *g, *open, *square;
  uchar *flags;
  size_t cells, parts;
} sums;

static void sums_open(const dialect_run *run, sums *s)
{
  s->cells = (size_t)(s->nx * s->ny);
  s->parts = (size_t)(s->ny * ((s->nx + 31) / 32));
  s->f = dialect_room(run, s->cells);
  s->g = dialect_room(run, s->cells);
  s->open = dialect_room(run, s->parts);
  s->square = dialect_room(run, s->parts);
  s->flags = malloc(s->cells);
  assert_non_null(s->flags);
  run->want->numbers(s->f, s->cells, 3);
  for (size_t i = 0; i < s->cells; i++) s->flags[i] = (uchar)((i * 7 % 5 == 0) * (i % 255 + 1));
  run->want->sums(s->f, s->flags, s->g, s->open, s->square, s->nx, s->ny, -2.5);
}

static void sums_close(sums *s)
{
  free(s->f);
  free(s->g);
  free(s->open);
  free(s->square);
  free(s->flags);
}

/* The flags in rows, 0xFF around them: a flag taken from outside the row would count. */
static trm_buffer *lay_out_flags(const dialect_run *run, const sums *s, dialect_params *params)
{
  trm_layout layout;
  TEST_OK(trm_layout_rows(run->device, TRM_TYPE_U8, (size_t)s->nx, (size_t)s->ny, 1, 1, &layout));
  uchar *all = malloc(layout.elements);
  assert_non_null(all);
  memset(all, 0xFF, layout.elements);
  for (int y = 0; y < s->ny; y++)
    memcpy(all + layout.first + (size_t)y * layout.row, s->flags + y * s->nx, (size_t)s->nx);
  params->flag_first = (trm_index)layout.first;
  params->flag_row = (trm_index)layout.row;
  trm_buffer *made = dialect_upload(run, all, layout.elements);
  free(all);
  return made;
}

static void check_sums(const dialect_run *run, int nx, int ny)
{
  sums s = { .nx = nx, .ny = ny };
  dialect_params params = { .b = -2.5 };
  sums_open(run, &s);
  dialect_field from = dialect_field_make(run, nx, ny, 1, s.f);
  dialect_field to = dialect_field_make(run, nx, ny, 1, NULL);
  dialect_use(&params, &from);
  trm_buffer *buffers[] = { from.buffer, to.buffer, lay_out_flags(run, &s, &params),
                            dialect_poison(run, s.parts * run->size),
                            dialect_poison(run, s.parts * run->size) };
  dialect_launch(run, "dialect_sums", nx, ny, 1, &params, buffers, 5);
  dialect_field_expect(run, &to, s.g);
  dialect_expect(run, buffers[3], s.open, s.parts);
  dialect_expect(run, buffers[4], s.square, s.parts);
  for (size_t i = 0; i < 5; i++) trm_buffer_destroy(&buffers[i]);
  sums_close(&s);
}

static void sums_body(const dialect_run *run)
{
  for (int i = 0; i < WIDTHS; i++) check_sums(run, widths[i], heights[i % HEIGHTS]);
  check_sums(run, 1030, 61);
}

static void flags_and_folded_leaves(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, sums_body);
}

/* Flags as bits, each row from a word of its own; bits beyond the row are set, and do not count. */
static void check_bits(const dialect_run *run, int nx, int ny)
{
  sums s = { .nx = nx, .ny = ny };
  const size_t words = (size_t)((nx + 31) / 32);
  dialect_params params = { .b = -2.5, .flag_row = (trm_index)words };
  sums_open(run, &s);
  uint32_t *bits = malloc((size_t)ny * words * sizeof *bits);
  assert_non_null(bits);
  memset(bits, 0xFF, (size_t)ny * words * sizeof *bits);
  for (int i = 0; i < nx * ny; i++)
    if (!s.flags[i])
      bits[(size_t)(i / nx) * words + (size_t)(i % nx / 32)] &= ~(1u << (i % nx % 32));
  dialect_field from = dialect_field_make(run, nx, ny, 1, s.f);
  dialect_field to = dialect_field_make(run, nx, ny, 1, NULL);
  dialect_use(&params, &from);
  trm_buffer *buffers[] = { from.buffer, to.buffer,
                            dialect_upload(run, bits, (size_t)ny * words * sizeof *bits) };
  dialect_launch(run, "dialect_bits", nx, ny, 1, &params, buffers, 3);
  dialect_field_expect(run, &to, s.g);
  for (size_t i = 0; i < 3; i++) trm_buffer_destroy(&buffers[i]);
  free(bits);
  sums_close(&s);
}

static void bits_body(const dialect_run *run)
{
  for (int i = 0; i < WIDTHS; i++) check_bits(run, widths[i], heights[i % HEIGHTS]);
}

static void flags_that_are_bits(trm_device *device)
{
  dialect_each(device, &dialect_source, NULL, bits_body);
}

/* ---- the tests' own eyes --------------------------------------------------------------- */

static void the_reverse_instance_shows_a_race_between_cells(void)
{
  float start[257];
  for (int i = 0; i < 257; i++) start[i] = (float)(i * i);
  dialect_expect_race(&dialect_source, "dialect_racy_row", 256, start, 257);
}

static void three_threads_and_poisoned_buffers_change_nothing(void)
{
  static dialect_body *const bodies[] = { smooth_body, wide_body, space_body, reach_body, sums_body,
                                          bits_body, NULL };
  dialect_each_checked(&dialect_source, bodies);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_row_of_one_dimension),
    TEST_DEVICE(a_variant_is_compiled_with_its_define),
    TEST_DEVICE(neighbours_in_a_plane_with_halo_1),
    TEST_DEVICE(neighbours_in_a_plane_with_halo_2),
    TEST_DEVICE(neighbours_in_space),
    TEST_DEVICE(neighbours_in_space_with_halo_2),
    TEST_DEVICE(recorded_steps_of_a_field),
    TEST_DEVICE(flags_and_folded_leaves),
    TEST_DEVICE(flags_that_are_bits),
    TEST_HOST(the_reverse_instance_shows_a_race_between_cells),
    TEST_HOST(three_threads_and_poisoned_buffers_change_nothing),
  };
  return TEST_RUN(argc, argv, cases);
}
