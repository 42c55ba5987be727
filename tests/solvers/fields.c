/* Fields of a solver: interiors read without ghosts and padding, and the fingerprint of a state. */
#include "tests/harness.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "solvers/field.h"
#include "solvers/registry.h"

/* A value for each cell that tells where it belongs. */
static float value_of(size_t index) { return (float)index * 0.5f + 1.0f; }

/* A field in a buffer whose every other element is a NaN, so that a ghost that leaks shows. */
static trm_field make_field(trm_device *device, int components, size_t nx, size_t ny, size_t nz,
                            const trm_layout *layout)
{
  trm_field f = {.name = "population", .unit = "lattice", .type = TRM_TYPE_F32,
                 .components = components, .nx = nx, .ny = ny, .nz = nz, .flags = TRM_FIELD_STATE};
  const uint32_t poison = 0x7fc00000;
  if (layout) f.layout = *layout;
  else TEST_OK(trm_layout_rows(device, f.type, nx, ny, nz, (size_t)components, &f.layout));
  TEST_OK(trm_buffer_create(device, f.layout.elements * sizeof(float), "cells", &f.buffer));
  TEST_OK(trm_buffer_fill(f.buffer, 0, f.layout.elements * sizeof(float), &poison, sizeof poison));
  float *row = malloc(nx * sizeof *row);
  for (size_t c = 0, index = 0; c < (size_t)components; c++)
    for (size_t r = 0; r < ny * nz; r++) {
      for (size_t x = 0; x < nx; x++) row[x] = value_of(index++);
      const size_t at = f.layout.first + c * f.layout.component + r * f.layout.row;
      TEST_OK(trm_buffer_write(f.buffer, at * sizeof *row, nx * sizeof *row, row));
    }
  free(row);
  return f;
}

/* The elements of all chunks, each in its place, and how often each element came. */
typedef struct arrivals {
  float *values;
  atomic_int *times;
  size_t each, all;
} arrivals;

static trm_status arrive(void *user, size_t first, const void *elements, size_t count)
{
  const arrivals *a = user;
  if (first % a->each || count != (a->all - first < a->each ? a->all - first : a->each))
    return TRM_FAIL(INVALID, "a chunk of %zu elements from %zu on", count, first);
  memcpy(a->values + first, elements, count * sizeof *a->values);
  for (size_t i = first; i < first + count; i++) atomic_fetch_add(&a->times[i], 1);
  return TRM_OK;
}

static trm_status refuse(void *user, size_t first, const void *elements, size_t count)
{
  (void)user, (void)elements, (void)count;
  return TRM_FAIL(INVALID, "the chunk from %zu on", first);
}

static void comes_in_chunks(const trm_field *f, const float *expected, size_t count)
{
  static const size_t lengths[] = {1, 7, 100, 4096, 65536};
  arrivals a = {malloc(count * sizeof *a.values), NULL, 0, count};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    if (count / lengths[i] > 4096) continue;
    a.each = lengths[i];
    a.times = calloc(count, sizeof *a.times);
    TEST_OK(trmi_field_each_chunk(f, a.each, arrive, &a));
    TEST_SAME_BITS(a.values, expected, count, TRM_TYPE_F32);
    for (size_t k = 0; k < count; k++) assert_int_equal(a.times[k], 1);
    free(a.times);
  }
  free(a.values);
  TEST_FAILS(trmi_field_each_chunk(f, 7, refuse, NULL), TRM_ERROR_INVALID, "the chunk from 0 on");
}

static void reads_back(const trm_field *f)
{
  size_t count = 0;
  TEST_OK(trm_field_elements(f, &count));
  assert_int_equal(count, (size_t)f->components * f->nx * f->ny * f->nz);
  float *values = malloc((count + 1) * sizeof *values),
        *expected = malloc(count * sizeof *expected);
  for (size_t i = 0; i < count; i++) expected[i] = value_of(i);
  values[count] = -7.0f;
  TEST_OK(trm_field_read(f, values));
  TEST_SAME_BITS(values, expected, count, TRM_TYPE_F32);
  assert_true(values[count] == -7.0f);
  comes_in_chunks(f, expected, count);
  const size_t cells = f->nx * f->ny * f->nz, most = cells / 3 + 1;
  for (size_t c = 0; c < (size_t)f->components; c++) /* parts that begin and end inside of rows */
    for (size_t first = 0, part; first < cells; first += part) {
      part = cells - first < most ? cells - first : most;
      values[part] = -7.0f;
      TEST_OK(trm_field_read_part(f, c, first, part, values));
      TEST_SAME_BITS(values, expected + c * cells + first, part, TRM_TYPE_F32);
      assert_true(values[part] == -7.0f);
    }
  TEST_OK(trm_field_read_part(f, 0, cells, 0, NULL));
  TEST_FAILS(trm_field_read_part(f, 0, cells, 1, values), TRM_ERROR_INVALID, "has no cells");
  TEST_FAILS(trm_field_read_part(f, (size_t)f->components, 0, 1, values), TRM_ERROR_INVALID,
             "in component");
  free(values);
  free(expected);
}

static void interiors_of_every_shape_are_read(trm_device *device)
{
  static const size_t shapes[][4] = {
    {1, 1, 1, 1}, {9, 97, 61, 1}, {3, 130, 67, 1}, {2, 5, 4, 3}, {1, 1, 7, 1}, {1, 64, 1, 1}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    trm_field f =
        make_field(device, (int)shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], NULL);
    reads_back(&f);
    trm_buffer_destroy(&f.buffer);
  }
}

/* Rows far apart: several chunks; rows without a gap: one; the last row ends with the buffer. */
static void interiors_of_every_layout_are_read(trm_device *device)
{
  static const trm_layout sparse = {.first = 3, .row = 1 << 20, .component = 20 << 20};
  static const trm_layout dense = {.row = 11, .component = 11 * 20};
  static const trm_layout wide = {.row = 3 << 20};
  trm_layout l = sparse;
  l.elements = 3 + (size_t)19 * l.row + 11;
  trm_field f = make_field(device, 1, 11, 20, 1, &l);
  reads_back(&f);
  trm_buffer_destroy(&f.buffer);
  l = dense;
  l.elements = 3 * l.component;
  f = make_field(device, 3, 11, 5, 4, &l);
  reads_back(&f);
  trm_buffer_destroy(&f.buffer);
  l = wide;                                          /* one row is more than a chunk */
  l.elements = (size_t)3 << 20;
  f = make_field(device, 1, (size_t)3 << 20, 1, 1, &l);
  reads_back(&f);
  trm_buffer_destroy(&f.buffer);
}

static void a_layout_beyond_its_buffer_is_refused(trm_device *device)
{
  trm_field f = make_field(device, 2, 8, 4, 1, NULL);
  float values[2 * 8 * 4];
  f.ny = 4000;
  TEST_FAILS(trm_field_read(&f, values), TRM_ERROR_INVALID, "does not fit its shape or its buffer");
  f.ny = 4;
  f.layout.row = 7;
  TEST_FAILS(trm_field_read(&f, values), TRM_ERROR_INVALID, "7 elements apart for 8 cells");
  f.layout.row = SIZE_MAX / 2;
  TEST_FAILS(trm_field_read(&f, values), TRM_ERROR_OVERFLOW, "population");
  f.nx = 0;
  TEST_FAILS(trm_field_read(&f, values), TRM_ERROR_INVALID, "has no cell");
  trm_buffer_destroy(&f.buffer);
}

/* ---- writing ------------------------------------------------------------------- */

/* Bytes that tell where they belong, of elements of any type. */
static void number_bytes(unsigned char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)(i * 37 + i / 251 + 1);
}

static const unsigned char *element(const trm_field *f, const unsigned char *dense, size_t c,
                                    size_t row, size_t x)
{
  const size_t rows = f->rows.total ? f->rows.count : f->ny * f->nz;
  return dense + ((c * rows + row) * f->nx + x) * trm_type_size(f->type);
}

/* The buffer holds the dense cells, their periodic images where asked for, and poison elsewhere. */
static void lies_as_declared(const trm_field *f, const unsigned char *dense, unsigned char poison)
{
  const size_t size = trm_type_size(f->type), bytes = trm_buffer_bytes(f->buffer);
  const size_t rows = f->rows.total ? f->rows.count : f->ny * f->nz;
  const size_t ghosts = f->flags & TRM_FIELD_PERIODIC_X ? f->layout.ghosts : 0;
  unsigned char *expected = malloc(bytes), *found = malloc(bytes);
  memset(expected, poison, bytes);
  for (size_t c = 0; c < (size_t)f->components; c++)
    for (size_t row = 0; row < rows; row++)
      for (size_t i = 0; i < f->nx + 2 * ghosts; i++) {
        const size_t x = (i + ghosts * f->nx - ghosts) % f->nx;
        const size_t at = f->layout.first + c * f->layout.component + row * f->layout.row + i;
        memcpy(expected + (at - ghosts) * size, element(f, dense, c, row, x), size);
      }
  TEST_OK(trm_buffer_read(f->buffer, 0, bytes, found));
  assert_memory_equal(found, expected, bytes);
  free(found);
  free(expected);
}

static void writes_and_reads(trm_device *device, trm_field *f)
{
  const unsigned char poison = 0xEE;
  size_t count, bytes;
  TEST_OK(trm_field_elements(f, &count));
  bytes = count * trm_type_size(f->type);
  unsigned char *dense = malloc(bytes), *again = malloc(bytes);
  number_bytes(dense, bytes);
  TEST_OK(trm_buffer_create(device, f->layout.elements * trm_type_size(f->type), "cells",
                            &f->buffer));
  TEST_OK(trm_buffer_fill(f->buffer, 0, trm_buffer_bytes(f->buffer), &poison, 1));
  TEST_OK(trm_field_write(f, dense));
  lies_as_declared(f, dense, poison);
  TEST_OK(trm_field_read(f, again));
  assert_memory_equal(again, dense, bytes);
  trm_buffer_destroy(&f->buffer);
  free(again);
  free(dense);
}

static const trm_type stored_types[] = {TRM_TYPE_F32, TRM_TYPE_F64, TRM_TYPE_I32, TRM_TYPE_U8};

static void what_is_written_is_read_again(trm_device *device)
{
  static const size_t shapes[][4] = {
    {1, 1, 1, 1}, {9, 97, 61, 1}, {2, 5, 4, 3}, {1, 1, 7, 2}, {1, 64, 1, 1}, {3, 17, 9, 5}};
  for (size_t t = 0; t < sizeof stored_types / sizeof *stored_types; t++)
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
      const size_t *s = shapes[i / 2];
      trm_field f = {.name = "any", .type = stored_types[t], .components = (int)s[0], .nx = s[1],
                     .ny = s[2], .nz = s[3], .flags = i % 2 ? TRM_FIELD_PERIODIC_X : 0};
      TEST_OK(trm_layout_rows(device, f.type, s[1], s[2], s[3], s[0], &f.layout));
      writes_and_reads(device, &f);
    }
}

/* Several chunks of rows; one row that is more than a chunk; no gap; more ghosts than cells. */
static void every_layout_is_written(trm_device *device)
{
  static const trm_layout layouts[] = {
    {.first = 3, .row = 1 << 20, .component = 20 << 20, .elements = (20 << 20) + 14, .ghosts = 3},
    {.first = 0, .row = 11, .component = 11 * 20, .elements = 11 * 20 * 2},
    {.first = 2, .row = 15, .component = 300, .elements = 602, .ghosts = 2},
    {.first = 30, .row = 71, .component = 71 * 20, .elements = 71 * 40 + 30, .ghosts = 30}};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    for (unsigned flags = 0; flags <= TRM_FIELD_PERIODIC_X; flags += TRM_FIELD_PERIODIC_X) {
      trm_field f = {.name = "any", .type = TRM_TYPE_F32, .components = i ? 2 : 1, .nx = 11,
                     .ny = 20, .nz = 1, .layout = layouts[i], .flags = flags};
      writes_and_reads(device, &f);
    }
  trm_field wide = {.name = "wide", .type = TRM_TYPE_F32, .components = 1, .nx = 3 << 20, .ny = 2,
                    .nz = 1, .layout = {.row = 3 << 20, .elements = 6 << 20}};
  writes_and_reads(device, &wide);
}

/* Rows 4 to 6 of 12, two of its neighbours' on either side. */
static void a_part_of_the_rows_is_read_and_written(trm_device *device)
{
  trm_field f = {.name = "part", .type = TRM_TYPE_F32, .components = 2, .nx = 9, .ny = 4, .nz = 3,
                 .rows = {.first = 4, .count = 3, .total = 12, .ghosts = 2},
                 .flags = TRM_FIELD_STATE};
  trm_solver_type type = {.name = "sample"};
  trm_solver solver = {.type = &type, .device = device, .fields = &f, .field_count = 1};
  char text[33];
  size_t count;
  TEST_OK(trm_layout_rows(device, f.type, f.nx, 3 + 2 * 2, 1, 2, &f.layout));
  f.layout.first += 2 * f.layout.row;
  writes_and_reads(device, &f);
  TEST_FAILS(trm_solver_fingerprint(&solver, text), TRM_ERROR_UNSUPPORTED,
             "'part' holds 3 of its 12 rows, and a fingerprint needs all of them");
  f.rows.count = 9;
  TEST_FAILS(trm_field_elements(&f, &count), TRM_ERROR_INVALID, "holds rows 4 to 13 of 12");
  f.rows = (trm_rows){.count = 3, .total = 11};
  TEST_FAILS(trm_field_elements(&f, &count), TRM_ERROR_INVALID, "ny * nz = 12");
}

/* Two blocks of 8^3, in slots 2 and 0, side by side: a grid of 16 x 8 x 8. */
static void a_field_on_blocks_of_one_level_is_a_grid(trm_device *device)
{
  static const int32_t slots[] = {2, 0}, places[][3] = {{0, 0, 0}, {1, 0, 0}};
  static const uint8_t levels[] = {0, 0};
  const trm_blocks blocks = {.side = {8, 8, 8}, .roots = {2, 1, 1}, .count = 2, .slot = slots,
                             .level = levels, .place = places};
  static float raw[3 * 3 * 512], back[3 * 3 * 512], cells[2 * 1024];
  trm_field f = make_field(device, 1, 8, 8, 8, NULL);
  trm_buffer_destroy(&f.buffer);
  for (int i = 0; i < 3 * 3 * 512; i++) raw[i] = (float)i;
  TEST_OK(trm_buffer_create(device, sizeof raw, "blocks", &f.buffer));
  TEST_OK(trm_buffer_write(f.buffer, 0, sizeof raw, raw));
  f.blocks = &blocks;
  f.components = 2;
  f.nx = 16;
  f.stride = 3 * 512;
  f.layout.first = 512;
  TEST_OK(trm_field_read(&f, cells));
  for (int c = 0; c < 2; c++)
    for (int i = 0; i < 1024; i++) {
      const int x = i % 16, slot = x < 8 ? 2 : 0;
      const int at = slot * 3 * 512 + (c + 1) * 512 + i / 16 * 8 + x % 8;
      assert_true(cells[c * 1024 + i] == raw[at]);
    }
  for (int i = 0; i < 2 * 1024; i++) cells[i] = -cells[i];
  TEST_OK(trm_field_write(&f, cells));
  TEST_OK(trm_buffer_read(f.buffer, 0, sizeof back, back));
  for (int i = 0; i < 3 * 3 * 512; i++) {
    const int is_field = i / 1536 != 1 && i % 1536 >= 512;
    assert_true(back[i] == (is_field ? -raw[i] : raw[i]));
  }
  static const size_t parts[][2] = {{0, 1024}, {5, 9}, {8, 8}, {120, 17}, {1023, 1}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    for (size_t c = 0; c < 2; c++) {
      TEST_OK(trm_field_read_part(&f, c, parts[i][0], parts[i][1], back));
      TEST_SAME_BITS(back, cells + c * 1024 + parts[i][0], parts[i][1], TRM_TYPE_F32);
    }
  trm_buffer_destroy(&f.buffer);
}

/* What a walk brings, and what a fill takes back. */
static trm_status gather(void *user, const void *elements, size_t count)
{
  float **next = user;
  memcpy(*next, elements, count * sizeof **next);
  *next += count;
  return TRM_OK;
}

static trm_status scatter(void *user, void *elements, size_t count)
{
  float **next = user;
  memcpy(elements, *next, count * sizeof **next);
  *next += count;
  return TRM_OK;
}

/* Leaf by leaf, wherever they lie: those at f's blocks. */
static void a_cell_is_stored_once(const trm_field *f, const float *raw)
{
  static float stored[9 * 512], back[9 * 512];
  float *next = stored;
  size_t rows, nx;
  double sum = 0, once = 0;
  TEST_OK(trmi_field_walk_stored(f, gather, &next));
  assert_true(next == stored + 9 * 512);
  trmi_field_stored(f, &rows, &nx);
  assert_true(rows == 9 * 64 && nx == 8);
  for (int i = 0; i < 9 * 512; i++) {
    assert_true(stored[i] == raw[f->blocks->slot[i / 512] * 512 + i % 512]);
    once += (i < 512 ? 8 : 1) * (double)stored[i];
    stored[i] += 1;
  }
  TEST_OK(trm_field_sum(f, NULL, &sum));
  assert_true(sum == once);
  next = stored;
  TEST_OK(trmi_field_fill_stored(f, scatter, &next));
  TEST_OK(trm_buffer_read(f->buffer, 0, sizeof back, back));
  for (int i = 0; i < 9 * 512; i++) assert_true(back[i] == raw[i] + 1);
}

/* A block, and beside it eight of half its size: a grid of 32 x 16 x 16, in which each of the first
 * one's cells is there eight times. */
static void a_field_on_blocks_of_several_levels_is_the_finest_grid(trm_device *device)
{
  static const int32_t slots[] = {3, 0, 1, 2, 4, 5, 6, 7, 8};
  static const int32_t places[][3] = {{0, 0, 0}, {2, 0, 0}, {3, 0, 0}, {2, 1, 0}, {3, 1, 0},
                                      {2, 0, 1}, {3, 0, 1}, {2, 1, 1}, {3, 1, 1}};
  static const uint8_t levels[] = {0, 1, 1, 1, 1, 1, 1, 1, 1};
  const trm_blocks blocks = {.side = {8, 8, 8}, .roots = {2, 1, 1}, .count = 9, .slot = slots,
                             .level = levels, .place = places};
  enum { NX = 32, NY = 16, NZ = 16, CELLS = NX * NY * NZ };
  static float raw[9 * 512], back[CELLS], cells[CELLS];
  trm_field f = make_field(device, 1, 8, 8, 8, NULL);
  trm_buffer_destroy(&f.buffer);
  for (int i = 0; i < 9 * 512; i++) raw[i] = (float)i;
  TEST_OK(trm_buffer_create(device, sizeof raw, "blocks", &f.buffer));
  TEST_OK(trm_buffer_write(f.buffer, 0, sizeof raw, raw));
  f.blocks = &blocks;
  f.nx = NX;
  f.ny = NY;
  f.nz = NZ;
  f.stride = 512;
  f.layout.first = 0;
  TEST_OK(trm_field_read(&f, cells));
  for (int i = 0; i < CELLS; i++) {
    const int x = i % NX, y = i / NX % NY, z = i / NX / NY, is_fine = x >= 16;
    const int leaf = is_fine ? 1 + (x - 16) / 8 + 2 * (y / 8) + 4 * (z / 8) : 0;
    const int at = is_fine ? (z % 8 * 8 + y % 8) * 8 + x % 8 : (z / 2 * 8 + y / 2) * 8 + x / 2;
    assert_true(cells[i] == (float)(slots[leaf] * 512 + at));
  }
  comes_in_chunks(&f, cells, CELLS);
  static const size_t parts[][2] = {{0, CELLS}, {5, 9}, {13, 7}, {120, 700}, {CELLS - 1, 1}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    TEST_OK(trm_field_read_part(&f, 0, parts[i][0], parts[i][1], back));
    TEST_SAME_BITS(back, cells + parts[i][0], parts[i][1], TRM_TYPE_F32);
  }
  for (int i = 0; i < CELLS; i++) cells[i] = -cells[i];
  TEST_OK(trm_field_write(&f, cells));
  TEST_OK(trm_buffer_read(f.buffer, 0, sizeof raw, back));
  for (int i = 0; i < 9 * 512; i++) assert_true(back[i] == -raw[i]);
  for (int i = 0; i < 9 * 512; i++) raw[i] = back[i];
  a_cell_is_stored_once(&f, raw);
  f.nx = 16;
  TEST_FAILS(trm_field_read(&f, cells), TRM_ERROR_INVALID, "has 16 cells along axis 0");
  trm_buffer_destroy(&f.buffer);
}

/* Halves of halves towards a corner, 17 times: the finest grid has 2^60 cells, the leaves 61440. */
static void the_finest_grid_may_be_far_larger_than_memory(trm_device *device)
{
  enum { LEVELS = 17, LEAVES = 7 * LEVELS + 1 };
  static int32_t slots[LEAVES], places[LEAVES][3];
  static uint8_t levels[LEAVES];
  static float ones[LEAVES * 512], seen[LEAVES * 512];
  float *next = seen;
  const trm_blocks blocks = {.side = {8, 8, 8}, .roots = {1, 1, 1}, .count = LEAVES, .slot = slots,
                             .level = levels, .place = (const int32_t (*)[3])places};
  trm_field f = make_field(device, 1, 8, 8, 8, NULL);
  double sum = 0;
  size_t i = 0;
  levels[i++] = LEVELS;
  for (int level = LEVELS; level > 0; level--)
    for (int part = 1; part < 8; part++, i++) {
      slots[i] = (int32_t)i;
      levels[i] = (uint8_t)level;
      for (int a = 0; a < 3; a++) places[i][a] = part >> a & 1;
    }
  assert_int_equal(i, LEAVES);
  for (i = 0; i < LEAVES * 512; i++) {
    ones[i] = 1;
    seen[i] = 0;
  }
  trm_buffer_destroy(&f.buffer);
  TEST_OK(trm_buffer_create(device, sizeof ones, "blocks", &f.buffer));
  TEST_OK(trm_buffer_write(f.buffer, 0, sizeof ones, ones));
  f.blocks = &blocks;
  f.nx = f.ny = f.nz = (size_t)8 << LEVELS;
  f.stride = 512;
  f.layout.first = 0;
  TEST_OK(trm_field_sum(&f, NULL, &sum));
  assert_true(sum == 0x1p60);
  TEST_OK(trmi_field_walk_stored(&f, gather, &next));
  TEST_SAME_BITS(seen, ones, LEAVES * 512, TRM_TYPE_F32);
  trm_buffer_destroy(&f.buffer);
}

static void ghosts_beyond_the_buffer_are_refused(trm_device *device)
{
  trm_field f = make_field(device, 2, 8, 4, 1, NULL);
  const float cells[2 * 8 * 4] = {0};
  f.flags = TRM_FIELD_PERIODIC_X;
  f.layout.ghosts = f.layout.row - f.nx + 1;
  TEST_FAILS(trm_field_write(&f, cells), TRM_ERROR_INVALID, "for 8 cells with ");
  f.layout.ghosts = 1;
  f.layout.first = 0;
  TEST_FAILS(trm_field_write(&f, cells), TRM_ERROR_INVALID, "does not fit its shape");
  trm_buffer_destroy(&f.buffer);
}

/* ---- fingerprints ----------------------------------------------------------- */

static size_t put(unsigned char *out, size_t at, const void *bytes, size_t count)
{
  memcpy(out + at, bytes, count);
  return at + count;
}

/* The documented bytes of one field, hashed in one piece; chunks of 65536 values before. */
static void expected_text(const trm_field *f, uint64_t step, char text[33])
{
  const size_t count = (size_t)f->components * f->nx * f->ny * f->nz;
  const uint32_t name = (uint32_t)strlen(f->name), type = 3, components = (uint32_t)f->components;
  const uint64_t shape[4] = {f->nx, f->ny, f->nz, step};
  float *values = malloc(count * sizeof *values);
  unsigned char *bytes = malloc(256 + count);
  size_t at = put(bytes, 0, &name, 4);
  at = put(bytes, at, f->name, name);
  at = put(bytes, at, &type, 4);
  at = put(bytes, at, "f32", 3);
  at = put(bytes, at, &components, 4);
  at = put(bytes, at, shape, sizeof shape);
  for (size_t i = 0; i < count; i++) values[i] = value_of(i);
  for (size_t i = 0; i < count; i += 65536) {
    XXH128_canonical_t chunk;
    const size_t left = count - i;
    XXH128_canonicalFromHash(&chunk, XXH3_128bits(values + i, 4 * (left < 65536 ? left : 65536)));
    at = put(bytes, at, &chunk, sizeof chunk);
  }
  const XXH128_hash_t hash = XXH3_128bits(bytes, at);
  snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high64,
           (unsigned long long)hash.low64);
  free(values);
  free(bytes);
}

static void the_fingerprint_is_the_documented_hash(trm_device *device)
{
  trm_field f = make_field(device, 9, 97, 61, 1, NULL);
  trm_solver solver = {.device = device, .fields = &f, .field_count = 1, .step = 1001};
  char text[33], expected[33], again[33];
  TEST_OK(trm_solver_fingerprint(&solver, text));
  expected_text(&f, 1001, expected);
  assert_string_equal(text, expected);

  /* Chunks that end within a row, and one that ends with the field. */
  for (int wide = 0; wide < 2; wide++) {
    trm_field large = make_field(device, wide ? 4 : 9, wide ? 256 : 197, wide ? 64 : 101, 1, NULL);
    solver.fields = &large;
    TEST_OK(trm_solver_fingerprint(&solver, again));
    expected_text(&large, 1001, expected);
    assert_string_equal(again, expected);
    trm_buffer_destroy(&large.buffer);
  }

  /* Another layout, the same number; another step, name or bit, another number. */
  const trm_layout spread = {.first = 17, .row = 200, .component = 200 * 61 + 5,
                             .elements = 17 + 9 * (200 * 61 + 5)};
  trm_field other = make_field(device, 9, 97, 61, 1, &spread);
  solver.fields = &other;
  TEST_OK(trm_solver_fingerprint(&solver, again));
  assert_string_equal(text, again);
  solver.step = 1002;
  TEST_OK(trm_solver_fingerprint(&solver, again));
  assert_string_not_equal(text, again);
  solver.step = 1001;
  other.name = "populatiom";
  TEST_OK(trm_solver_fingerprint(&solver, again));
  assert_string_not_equal(text, again);
  other.name = f.name;
  const float changed = value_of(0) * 1.0000001f;
  TEST_OK(
      trm_buffer_write(other.buffer, other.layout.first * sizeof(float), sizeof changed, &changed));
  TEST_OK(trm_solver_fingerprint(&solver, again));
  assert_string_not_equal(text, again);
  trm_buffer_destroy(&f.buffer);
  trm_buffer_destroy(&other.buffer);
}

static void only_fields_of_the_state_enter(trm_device *device)
{
  trm_field fields[2] = {make_field(device, 1, 8, 4, 1, NULL),
                         make_field(device, 1, 8, 4, 1, NULL)};
  trm_solver_type type = {.name = "sample"};
  trm_solver solver = {.type = &type, .device = device, .fields = fields, .field_count = 2};
  char both[33], one[33], expected[33];
  TEST_OK(trm_solver_fingerprint(&solver, both));
  fields[1].flags = TRM_FIELD_KEPT;
  TEST_OK(trm_solver_fingerprint(&solver, one));
  expected_text(&fields[0], 0, expected);
  assert_string_equal(one, expected);
  assert_string_not_equal(one, both);
  fields[0].flags = 0;
  TEST_FAILS(trm_solver_fingerprint(&solver, one), TRM_ERROR_INVALID, "'sample' declares no field");
  trm_buffer_destroy(&fields[0].buffer);
  trm_buffer_destroy(&fields[1].buffer);
}

static void the_built_in_solvers_are_listed(void)
{
  const trm_solver_type *const *types = trm_solver_types();
  assert_non_null(types[0]);
  for (; *types; types++) {
    assert_int_equal((*types)->abi, TRM_SOLVER_ABI);
    assert_int_equal((*types)->bytes, sizeof **types);
    assert_true((*types)->name && (*types)->summary && (*types)->create && (*types)->advance);
    trm_config *config = NULL;
    TEST_OK(trm_config_create(&(*types)->options, &(*types)->option_count, 1, &config));
    trm_config_destroy(&config);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(interiors_of_every_shape_are_read),
    TEST_DEVICE(interiors_of_every_layout_are_read),
    TEST_DEVICE(a_layout_beyond_its_buffer_is_refused),
    TEST_DEVICE(what_is_written_is_read_again),
    TEST_DEVICE(every_layout_is_written),
    TEST_DEVICE(a_part_of_the_rows_is_read_and_written),
    TEST_DEVICE(a_field_on_blocks_of_one_level_is_a_grid),
    TEST_DEVICE(a_field_on_blocks_of_several_levels_is_the_finest_grid),
    TEST_DEVICE(the_finest_grid_may_be_far_larger_than_memory),
    TEST_DEVICE(ghosts_beyond_the_buffer_are_refused),
    TEST_DEVICE(the_fingerprint_is_the_documented_hash),
    TEST_DEVICE(only_fields_of_the_state_enter),
    TEST_HOST(the_built_in_solvers_are_listed),
  };
  return TEST_RUN(argc, argv, cases);
}
