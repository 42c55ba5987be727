/* openmp_team.c - launches cut in parts, the team of threads and its barrier, and wavefronts of
 * every depth against launches one after the other on one thread. The kernels are integer hashes: a
 * row read one launch too early or too late changes every bit after it. */
#include <stdlib.h>
#include <string.h>

#include "tests/backend-openmp/openmp_table.h"

enum { NX = 5, MAX_LAUNCHES = 70, MAX_ROWS = 600 };

/* ---- kernels ------------------------------------------------------------- */

typedef struct hash_params {
  uint32_t salt;
  int halo;
  int sums;                /* the row of the sums that this launch writes */
} hash_params;

static uint32_t mix(uint32_t hash, uint32_t value)
{
  hash = (hash ^ value) * 0x9E3779B1u;
  return hash ^ (hash >> 15);
}

/* to[y] from rows y-halo .. y+halo of from, and a sum a row. In three dimensions from the same rows
 * of planes z-halo .. z+halo: every combination of the two. */
static void hash_rows(const trm_extent *extent, int64_t begin, int64_t end, const void *params,
                      void *const *buffers)
{
  const uint32_t *from = buffers[0];
  uint32_t *to = buffers[1], *sums = buffers[2];
  const int64_t ny = extent->ny, nx = extent->nx, nz = extent->nz;
  hash_params p;
  memcpy(&p, params, sizeof p);
  for (int64_t row = begin; row < end; row++) {
    const int64_t deep = nz > 1 ? p.halo : 0, y = row % ny, z = row / ny;
    uint32_t sum = 0;
    for (int64_t x = 0; x < nx; x++) {
      uint32_t hash = p.salt;
      for (int64_t c = -deep; c <= deep; c++)
        for (int64_t d = -p.halo; d <= p.halo; d++)
          for (int64_t e = -1; e <= 1; e++) {
            const int64_t beside = ((z + c) % nz + nz) % nz * ny + ((y + d) % ny + ny) % ny;
            hash = mix(hash, from[beside * nx + (x + e + nx) % nx]);
          }
      to[row * nx + x] = hash;
      sum += hash;
    }
    sums[p.sums * ny * nz + row] = sum;
  }
}

/* Group g folds the sums of launch g; there are groups * rows of them. */
static void fold_groups(const trm_extent *extent, int64_t begin, int64_t end, const void *params,
                        void *const *buffers)
{
  const uint32_t *sums = buffers[0];
  uint32_t *series = buffers[1];
  int32_t rows;
  (void)extent;
  memcpy(&rows, params, sizeof rows);
  for (int64_t g = begin; g < end; g++)
    for (int32_t y = 0; y < rows; y++) series[g] = mix(series[g], sums[g * rows + y]);
}

static const trm_host_kernel kernels[] = {
    {"hash0", TRM_KERNEL_ROW, 0, 3, sizeof(hash_params), 0, "rww", hash_rows, NULL, 0},
    {"hash1", TRM_KERNEL_ROW, 1, 3, sizeof(hash_params), 0, "rww", hash_rows, NULL, 0},
    {"hash2", TRM_KERNEL_ROW, 2, 3, sizeof(hash_params), 0, "rww", hash_rows, NULL, 0},
    {"free", TRM_KERNEL_ROW, -1, 3, sizeof(hash_params), 0, "rww", hash_rows, NULL, 0},
    {"fold", TRM_KERNEL_GROUP, -1, 2, sizeof(int32_t), 0, "rw", fold_groups, NULL, 0},
};
enum { FREE = 3, FOLD = 4 };

/* ---- a field and commands on it -------------------------------------------- */

typedef struct field {
  void *device;
  int ny, nz, lattices;    /* lattices: how many take turns, 2 or 3 */
  void *lattice[3], *sums, *series;
  trm_command commands[MAX_LAUNCHES + 8];
  size_t count, launches;
} field;

static void *new_buffer(void *device, size_t words, uint32_t seed)
{
  uint32_t *values = malloc(words * sizeof *values);
  void *buffer = NULL;
  assert_non_null(values);
  for (size_t i = 0; i < words; i++) values[i] = mix(seed, (uint32_t)i);
  TEST_OK(table()->buffer_create(device, words * sizeof *values, &buffer));
  TEST_OK(table()->buffer_write(device, buffer, 0, words * sizeof *values, values));
  free(values);
  return buffer;
}

static void field_open(field *f, void *device, int ny, int nz, int lattices)
{
  const size_t rows = (size_t)ny * (size_t)nz;
  memset(f, 0, sizeof *f);
  f->device = device;
  f->ny = ny;
  f->nz = nz;
  f->lattices = lattices;
  for (int i = 0; i < lattices; i++) f->lattice[i] = new_buffer(device, rows * NX, (uint32_t)i);
  f->sums = new_buffer(device, rows * MAX_LAUNCHES, 7);
  f->series = new_buffer(device, MAX_LAUNCHES, 8);
}

static void field_close(field *f)
{
  for (int i = 0; i < f->lattices; i++) table()->buffer_destroy(f->device, f->lattice[i]);
  table()->buffer_destroy(f->device, f->sums);
  table()->buffer_destroy(f->device, f->series);
  table()->close(f->device);
}

static trm_command *add(field *f, trm_command_kind kind, int kernel, uint32_t buffers)
{
  trm_command *command = &f->commands[f->count++];
  assert_true(f->count <= sizeof f->commands / sizeof f->commands[0]);
  command->kind = kind;
  command->declaration = kind == TRM_COMMAND_LAUNCH ? &kernels[kernel] : NULL;
  command->buffer_count = buffers;
  return command;
}

static void add_hash(field *f, int kernel, int halo)
{
  const hash_params params = {(uint32_t)f->launches * 77u, halo, (int)f->launches};
  trm_command *command = add(f, TRM_COMMAND_LAUNCH, kernel, 3);
  command->extent = (trm_extent){NX, f->ny, f->nz, 0};
  command->param_bytes = sizeof params;
  memcpy(command->params, &params, sizeof params);
  command->buffers[0] = f->lattice[f->launches % (size_t)f->lattices];
  command->buffers[1] = f->lattice[(f->launches + 1) % (size_t)f->lattices];
  command->buffers[2] = f->sums;
  f->launches++;
}

static void add_fold(field *f)
{
  const int32_t rows = f->ny * f->nz;
  trm_command *command = add(f, TRM_COMMAND_LAUNCH, FOLD, 2);
  command->extent = (trm_extent){(int32_t)f->launches, 1, 1, 0};
  command->param_bytes = sizeof rows;
  memcpy(command->params, &rows, sizeof rows);
  command->buffers[0] = f->sums;
  command->buffers[1] = f->series;
}

/* Everything that the commands may have changed, as one number. */
static uint32_t field_hash(field *f)
{
  static uint32_t values[MAX_ROWS * MAX_LAUNCHES];
  uint32_t hash = 1;
  for (int i = 0; i < f->lattices + 2; i++) {
    void *buffer = i < f->lattices ? f->lattice[i] : i == f->lattices ? f->sums : f->series;
    const size_t bytes = ((trmo_buffer *)buffer)->bytes;
    TEST_OK(table()->buffer_read(f->device, buffer, 0, bytes, values));
    for (size_t j = 0; j < bytes / sizeof *values; j++) hash = mix(hash, values[j]);
  }
  return hash;
}

/* What a sequence should leave: command by command on one thread. */
static uint32_t expected_hash(void (*record)(field *), int ny, int nz, int lattices, int times)
{
  field f;
  field_open(&f, open_team(1, 1), ny, nz, lattices);
  record(&f);
  for (int i = 0; i < times; i++)
    for (size_t j = 0; j < f.count; j++) TEST_OK(table()->enqueue(f.device, &f.commands[j]));
  const uint32_t hash = field_hash(&f);
  field_close(&f);
  return hash;
}

static uint32_t replayed_hash(void (*record)(field *), int ny, int nz, int lattices, int times,
                              int threads, int depth)
{
  void *sequence = NULL;
  field f;
  field_open(&f, open_team(threads, depth), ny, nz, lattices);
  record(&f);
  TEST_OK(table()->sequence_create(f.device, f.commands, f.count, &sequence));
  ((trmo_sequence *)sequence)->threads = threads; /* small grids too */
  TEST_OK(table()->sequence_replay(f.device, sequence, (size_t)times));
  TEST_OK(table()->finish(f.device));
  table()->sequence_destroy(f.device, sequence);
  const uint32_t hash = field_hash(&f);
  field_close(&f);
  return hash;
}

static void check(void (*record)(field *), int ny, int nz, int lattices)
{
  static const int depths[] = {0, 1, 2, 3, 5, 8, 16, 64};
  const uint32_t expected = expected_hash(record, ny, nz, lattices, 3);
  for (int threads = 1; threads <= 3; threads++)
    for (size_t j = 0; j < sizeof depths / sizeof depths[0]; j++)
      if (replayed_hash(record, ny, nz, lattices, 3, threads, depths[j]) != expected)
        fail_msg("%d x %d rows, %d threads, depth %d", ny, nz, threads, depths[j]);
}

static void check_all(void (*record)(field *), int lattices)
{
  static const int rows[] = {1, 2, 3, 4, 5, 7, 11, 16, 33, 61, 128};
  static const int planes[][2] = {{1, 2}, {1, 61}, {2, 5}, {3, 33}, {7, 17}, {16, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check(record, rows[i], 1, lattices);
  for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
    check(record, planes[i][0], planes[i][1], lattices);
}

/* ---- sequences -------------------------------------------------------------- */

static void record_steps(field *f)
{
  for (int i = 0; i < 18; i++) add_hash(f, 1, 1);
}

static void record_steps_and_fold(field *f)
{
  for (int i = 0; i < 21; i++) add_hash(f, 1, 1);
  add_fold(f);
}

static void record_wide_halo(field *f)
{
  for (int i = 0; i < 13; i++) add_hash(f, 2, 2);
}

static void record_pointwise(field *f)
{
  for (int i = 0; i < 9; i++) add_hash(f, 0, 0);
}

static void record_mixed_halos(field *f)
{
  for (int i = 0; i < 20; i++) add_hash(f, i % 3, i % 3);
}

/* Whatever ends a wavefront, between row launches. */
static void record_interrupted(field *f)
{
  trm_command *command;
  for (int i = 0; i < 5; i++) add_hash(f, 1, 1);
  command = add(f, TRM_COMMAND_FILL, 0, 1);
  command->buffers[0] = f->sums;
  command->offset = 4;
  command->bytes = ((trmo_buffer *)f->sums)->bytes - 4;
  command->pattern_bytes = 4;
  memcpy(command->pattern, "abcd", 4);
  for (int i = 0; i < 4; i++) add_hash(f, 1, 1);
  add_hash(f, FREE, 2);
  command = add(f, TRM_COMMAND_COPY, 0, 2);
  command->buffers[0] = f->lattice[0];
  command->buffers[1] = f->lattice[1];
  command->bytes = ((trmo_buffer *)f->lattice[0])->bytes / 2 / 4 * 4;
  command->source_offset = 4;
  for (int i = 0; i < 3; i++) add_hash(f, 1, 1);
  add_fold(f);
  add_hash(f, 1, 1);
}

static void replayed_steps_have_the_bits_of_plain_launches(void) { check_all(record_steps, 2); }
static void three_lattices_in_turn_too(void) { check_all(record_steps, 3); }
static void so_with_a_fold_after_the_steps(void) { check_all(record_steps_and_fold, 2); }
static void so_with_a_halo_of_two(void) { check_all(record_wide_halo, 2); }
static void so_without_a_halo(void) { check_all(record_pointwise, 2); }
static void so_with_halos_that_differ(void) { check_all(record_mixed_halos, 3); }
static void so_with_fills_and_copies_between(void) { check_all(record_interrupted, 2); }

/* ---- the parts of a wavefront are independent --------------------------------- */

/* The trapezoids of `count` slabs in this order, then the wedges. ny: rows of each of nz planes. */
static uint32_t parts_hash(trmo_wavefront wave, int ny, int nz, int count, const int *order)
{
  trmo_launch launches[MAX_LAUNCHES];
  field f;
  field_open(&f, open_team(1, 0), ny, nz, 2);
  for (int t = 0; t < wave.depth; t++) {
    add_hash(&f, wave.halo, wave.halo);
    trmo_launch_prepare(&f.commands[t], &launches[t]);
  }
  for (int i = 0; i < count; i++)
    trmo_wavefront_trapezoid(&wave, launches, MAX_LAUNCHES, 0, wave.depth, order[i], count);
  for (int i = 0; i < count; i++)
    trmo_wavefront_wedge(&wave, launches, MAX_LAUNCHES, 0, wave.depth, order[i], count);
  const uint32_t hash = field_hash(&f);
  field_close(&f);
  return hash;
}

static uint32_t slabs_hash(int ny, int halo, int depth, int64_t block, const int *order)
{
  const trmo_wavefront wave = {.rows = ny, .high = ny, .height = 1, .tile = 1, .halo = halo,
                               .depth = depth,
                               .block = block, .group = 1 + (int)block % depth,
                               .panel = 1 + block * 3 / 2};
  return parts_hash(wave, ny, 1, 3, order);
}

static uint32_t tiles_hash(int nz, int ny, int tile, int halo, int depth, const int *order)
{
  const trmo_wavefront wave = {.rows = nz, .high = nz, .height = ny, .tile = tile, .halo = halo,
                               .depth = depth, .block = 1 + tile % 2, .group = depth, .panel = nz};
  return parts_hash(wave, ny, nz, 2, order);
}

/* What threads do at the same time gives the same bits in any order, for the deepest wavefront that
 * a slab holds. */
static void slabs_and_wedges_run_in_any_order(void)
{
  static const int orders[4][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};
  for (int halo = 1; halo <= 2; halo++)
    for (int slab = 2 * halo; slab <= 14; slab++) {
      const int depth = slab / (2 * halo) + 1, ny = 3 * slab;
      const uint32_t expected = slabs_hash(ny, halo, depth, 1, orders[0]);
      for (int i = 1; i < 4; i++)
        for (int block = 1; block <= 9; block += 4)
          if (slabs_hash(ny, halo, depth, block, orders[i]) != expected)
            fail_msg("halo %d, slab of %d rows, block %d, order %d", halo, slab, block, i);
    }
}

/* The bound is sharp: this is how the test above would fail. */
static void one_launch_more_than_a_slab_holds_breaks_the_bits(void)
{
  static const int up[3] = {0, 1, 2}, down[3] = {2, 1, 0};
  assert_int_equal(slabs_hash(24, 1, 5, 1, up), slabs_hash(24, 1, 5, 1, down));
  assert_int_not_equal(slabs_hash(24, 1, 6, 1, up), slabs_hash(24, 1, 6, 1, down));
}

/* Launches over fewer rows each, from row `low` on; rows may go on at row 0. slabs 0: launch by
 * launch; else as a wavefront of so many slabs in this order. Every other launch has no halo. */
static uint32_t part_hash(int ny, int low, int rows, int halo, int depth, int slabs,
                          const int *order)
{
  const trmo_wavefront wave = {.rows = ny, .low = low, .high = low + rows, .is_part = true,
                               .height = 1, .tile = 1, .halo = halo, .depth = depth, .block = 2,
                               .group = depth, .panel = rows + 2 * depth * halo};
  trmo_launch launches[MAX_LAUNCHES];
  field f;
  field_open(&f, open_team(1, 0), ny, 1, 2);
  for (int t = 0, less = 0; t < depth; t++) {
    const int own = t % 2 ? 0 : halo;
    add_hash(&f, own, own);
    less += own;
    f.commands[t].first_row = low + less - halo;
    f.commands[t].rows = rows - 2 * (less - halo);
    trmo_launch_prepare(&f.commands[t], &launches[t]);
  }
  for (int t = 0; t < depth && slabs == 0; t++)
    for (int64_t y = launches[t].first; y < launches[t].first + launches[t].units; y++)
      launches[t].run(launches[t].extent, y % ny, y % ny + 1, launches[t].params,
                      launches[t].data);
  for (int i = 0; i < slabs; i++)
    trmo_wavefront_trapezoid(&wave, launches, MAX_LAUNCHES, 0, depth, order[i], slabs);
  for (int i = 0; i < slabs; i++)
    trmo_wavefront_wedge(&wave, launches, MAX_LAUNCHES, 0, depth, order[i], slabs);
  const uint32_t hash = field_hash(&f);
  field_close(&f);
  return hash;
}

static void launches_over_parts_of_the_rows_have_the_bits_of_each_alone(void)
{
  static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
  enum { NY = 61, ROWS = 44 };
  for (int halo = 1; halo <= 2; halo++)
    for (int low = 0; low < NY; low += 6)
      for (int slabs = 1; slabs <= 3; slabs++) {
        const int depth = slabs == 1 ? 8 : ROWS / slabs / (2 * halo) + 1;
        const uint32_t expected = part_hash(NY, low, ROWS, halo, depth, 0, orders[0]);
        for (int i = 0; i < (slabs == 3 ? 3 : 1); i++)
          if (part_hash(NY, low, ROWS, halo, depth, slabs, orders[i]) != expected)
            fail_msg("halo %d, from row %d, %d slabs, order %d", halo, low, slabs, i);
      }
}

/* Tiles of every width, for the deepest wavefront that planes and their rows hold. */
static void tiles_of_planes_have_the_bits_of_whole_ones(void)
{
  static const int up[2] = {0, 1}, down[2] = {1, 0};
  for (int halo = 1; halo <= 2; halo++)
    for (int ny = halo; ny <= 12; ny++) {
      const int depth = ny / halo + 1, nz = 4 * halo * (depth - 1) + 1;
      const uint32_t expected = tiles_hash(nz, ny, ny, halo, depth, up);
      for (int tile = 1; tile < ny; tile++) {
        if (tiles_hash(nz, ny, tile, halo, depth, up) != expected ||
            tiles_hash(nz, ny, tile, halo, depth, down) != expected)
          fail_msg("halo %d, planes of %d rows, tiles of %d", halo, ny, tile);
      }
    }
}

static void check_plan(trmo_wavefront plan, int halo, int threads)
{
  assert_true(plan.depth >= 1 && plan.block >= 1 && plan.panel >= 1 && plan.height >= 1);
  assert_true(plan.group >= 1 && plan.group <= plan.depth);
  assert_true(plan.depth == 1 || plan.rows / threads >= 2 * halo * (plan.depth - 1));
  assert_true(plan.tile >= 1 && plan.tile <= plan.height);
  assert_true(plan.tile == plan.height || plan.group == plan.depth);
  assert_true(plan.tile == plan.height || plan.height >= halo * (plan.depth - 1));
}

static void a_plan_never_exceeds_what_a_slab_holds(void)
{
  const trmo_caches caches = {32 << 10, 1 << 20, 32 << 20};
  for (int64_t rows = 1; rows < 200; rows++)
    for (int threads = 1; threads <= 9; threads++)
      for (int wanted = 0; wanted < 70; wanted += 23)
        for (int halo = 1; halo <= 3; halo++) {
          const trm_extent plane = {1000, (int32_t)rows, 1, 0}, space = {50, 20, (int32_t)rows, 0};
          const trm_extent low = {250, 4, (int32_t)rows, 0};
          const size_t bytes = (size_t)(rows * rows) * 4000;
          check_plan(trmo_wavefront_plan(&plane, halo, bytes, threads, wanted, &caches), halo,
                     threads);
          check_plan(trmo_wavefront_plan(&space, halo, bytes, threads, wanted, &caches), halo,
                     threads);
          check_plan(trmo_wavefront_plan(&low, halo, 20 * bytes, threads, wanted, &caches), halo,
                     threads);
        }
}

/* Where planes are too few for a wavefront, threads share the rows of all. */
static void planes_are_gone_over_where_a_slab_holds_two_launches_of_them(void)
{
  const trmo_caches caches = {32 << 10, 1 << 20, 32 << 20};
  const trm_extent cube = {256, 256, 256, 0}, flat = {256, 256, 3, 0};
  const trmo_wavefront deep = trmo_wavefront_plan(&cube, 1, 128 << 20, 2, 0, &caches);
  const trmo_wavefront plain = trmo_wavefront_plan(&flat, 1, 2 << 20, 2, 0, &caches);
  assert_true(deep.rows == 256 && deep.height == 256 && deep.depth > 3);
  assert_true(plain.rows == 3 * 256 && plain.height == 1 && plain.depth == 1);
}

/* Where the cache holds few planes, tiles of them: 152 bytes a cell and 8 MiB a thread hold 287 of
 * rows of 192 cells. */
static void planes_that_the_cache_does_not_hold_go_by_tiles(void)
{
  const trmo_caches caches = {32 << 10, 1 << 20, 64 << 20};
  const trm_extent box = {192, 192, 192, 0}, low = {192, 8, 192, 0};
  const size_t bytes = (size_t)192 * 192 * 192 * 152, few = (size_t)192 * 8 * 192 * 152;
  const trmo_wavefront all = trmo_wavefront_plan(&box, 1, bytes, 2, 0, &caches);
  const trmo_wavefront wanted = trmo_wavefront_plan(&box, 1, bytes, 2, 5, &caches);
  const trmo_wavefront whole = trmo_wavefront_plan(&low, 1, few, 2, 0, &caches);
  assert_true(all.rows == 192 && all.height == 192 && all.depth == 11 && all.tile == 287 / 11);
  assert_true(wanted.depth == 5 && wanted.tile == 287 / 5);
  assert_true(whole.height == 8 && whole.tile == 8 && whole.depth > 3);
}

/* ---- plain commands -------------------------------------------------------------- */

static void plain_launches_do_not_depend_on_threads(void)
{
  const uint32_t expected = expected_hash(record_interrupted, 61, 1, 2, 2);
  for (int threads = 2; threads <= 3; threads++) {
    field f;
    field_open(&f, open_team(threads, 0), 61, 1, 2);
    record_interrupted(&f);
    for (int i = 0; i < 2; i++)
      for (size_t j = 0; j < f.count; j++) {
        trm_command *command = &f.commands[j];
        trmo_launch launch;
        if (command->kind == TRM_COMMAND_LAUNCH) trmo_launch_prepare(command, &launch);
        for (int part = threads; part-- > 0;)
          trmo_command_part(command, &launch, part, threads);
      }
    assert_int_equal(field_hash(&f), expected);
    field_close(&f);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(replayed_steps_have_the_bits_of_plain_launches),
    TEST_HOST(three_lattices_in_turn_too),
    TEST_HOST(so_with_a_fold_after_the_steps),
    TEST_HOST(so_with_a_halo_of_two),
    TEST_HOST(so_without_a_halo),
    TEST_HOST(so_with_halos_that_differ),
    TEST_HOST(so_with_fills_and_copies_between),
    TEST_HOST(slabs_and_wedges_run_in_any_order),
    TEST_HOST(one_launch_more_than_a_slab_holds_breaks_the_bits),
    TEST_HOST(launches_over_parts_of_the_rows_have_the_bits_of_each_alone),
    TEST_HOST(tiles_of_planes_have_the_bits_of_whole_ones),
    TEST_HOST(a_plan_never_exceeds_what_a_slab_holds),
    TEST_HOST(planes_are_gone_over_where_a_slab_holds_two_launches_of_them),
    TEST_HOST(planes_that_the_cache_does_not_hold_go_by_tiles),
    TEST_HOST(plain_launches_do_not_depend_on_threads),
  };
  unsetenv("OMP_WAIT_POLICY"); /* threads spin, as users have them; in other tests they sleep */
  return TEST_RUN(argc, argv, cases);
}
