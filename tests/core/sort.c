/* sort.c - trm_sort, trm_scan and trm_compact on every backend, from one value to several chunks,
 * beside plain C; and what they refuse. */
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = { 1, 2, 3, 31, 127, 2047, 2048, 2049, 4097, 30011, 65535, 65536,
  65537,
                                200003 };
enum { SIZES = sizeof sizes / sizeof sizes[0], OFFSET = 5 };

static uint32_t mixed(size_t i)
{
  uint32_t word = (uint32_t)(i + 1) * 2654435769u;
  word ^= word >> 15;
  return word * 2246822519u;
}

static int32_t *room(size_t count)
{
  int32_t *made = calloc(count, sizeof *made);
  assert_non_null(made);
  return made;
}

static trm_buffer *upload(trm_device *device, const int32_t *values, size_t count)
{
  trm_buffer *made = NULL;
  TEST_OK(trm_buffer_create(device, count * sizeof *values, "values", &made));
  TEST_OK(trm_buffer_write(made, 0, count * sizeof *values, values));
  return made;
}

static void expect(trm_buffer *buffer, const int32_t *want, size_t count)
{
  int32_t *found = room(count);
  TEST_OK(trm_buffer_read(buffer, 0, count * sizeof *found, found));
  for (size_t i = 0; i < count; i++)
    if (found[i] != want[i])
      fail_msg("value %zu of %zu: %d, not %d", i, count, (int)found[i], (int)want[i]);
  free(found);
}

/* ---- sorting -------------------------------------------------------------------- */

typedef struct record { uint32_t word[4]; size_t place; } record;
static size_t key_words;

static int ascending(const void *a, const void *b)
{
  const record *const x = a, *const y = b;
  for (size_t k = 0; k < key_words; k++)
    if (x->word[k] != y->word[k]) return x->word[k] < y->word[k] ? -1 : 1;
  return x->place < y->place ? -1 : 1; /* stable */
}

/* Keys of many equal values, with and without the highest bit; the last row is the place. */
static void check_sort(trm_device *device, size_t count, size_t rows, size_t keys, int of_few)
{
  const size_t stride = count + 3, all = OFFSET + rows * stride;
  int32_t *values = room(all), *want = room(all);
  record *records = calloc(count, sizeof *records);
  assert_non_null(records);
  for (size_t i = 0; i < all; i++) values[i] = want[i] = -7; /* between the rows: kept */
  for (size_t i = 0; i < count; i++) {
    records[i].place = i;
    for (size_t r = 0; r < rows; r++) {
      const uint32_t word = r + 1 == rows && keys < rows ? (uint32_t)i : mixed(4 * i + r);
      records[i].word[r] = of_few && r < keys ? word % 3 * 0x7fffffffu : word;
      memcpy(&values[OFFSET + r * stride + i], &records[i].word[r], sizeof word);
    }
  }
  key_words = keys;
  qsort(records, count, sizeof *records, ascending);
  for (size_t i = 0; i < count; i++)
    for (size_t r = 0; r < rows; r++)
      memcpy(&want[OFFSET + r * stride + i], &records[i].word[r], sizeof records[i].word[r]);
  trm_sort *sort = NULL;
  trm_buffer *buffer = upload(device, values, all);
  TEST_OK(trm_sort_create(device, count, rows, &sort));
  TEST_OK(trm_sort_run(sort, buffer, OFFSET, stride, keys));
  expect(buffer, want, all);
  trm_sort_destroy(&sort);
  trm_buffer_destroy(&buffer);
  free(values);
  free(want);
  free(records);
}

static void records_are_sorted(trm_device *device)
{
  for (size_t i = 0; i < SIZES; i++) check_sort(device, sizes[i], 3, 1, 0);
  for (size_t rows = 1; rows <= 4; rows++)
    for (size_t keys = 1; keys <= rows; keys++) check_sort(device, 3001, rows, keys, keys % 2 == 0);
}

static void equal_keys_keep_their_order(trm_device *device)
{
  for (size_t i = 0; i < SIZES; i++) check_sort(device, sizes[i], 2, 1, 1);
}

/* ---- running sums ---------------------------------------------------------------- */

static void check_scan(trm_device *device, size_t count, int repeats)
{
  const size_t all = OFFSET + count + 2;
  int32_t *values = room(all), *want = room(all);
  for (size_t i = 0; i < all; i++) values[i] = want[i] = (int32_t)(mixed(i) % 2001) - 1000;
  for (int k = 0; k < repeats; k++) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; i++) {
      const int32_t own = want[OFFSET + i];
      want[OFFSET + i] = sum;
      sum += own;
    }
  }
  trm_scan *scan = NULL;
  trm_sequence *sequence = NULL;
  trm_buffer *buffer = upload(device, values, all);
  TEST_OK(trm_scan_create(device, count, &scan));
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(trm_scan_run(scan, buffer, OFFSET));
  TEST_OK(trm_sequence_end(device, &sequence));
  TEST_OK(trm_sequence_replay(sequence, (size_t)repeats));
  expect(buffer, want, all);
  trm_sequence_destroy(&sequence);
  trm_scan_destroy(&scan);
  trm_buffer_destroy(&buffer);
  free(values);
  free(want);
}

static void running_sums_and_recorded_ones(trm_device *device)
{
  for (size_t i = 0; i < SIZES; i++) check_scan(device, sizes[i], 1);
  check_scan(device, 100, 3);
}

/* ---- compaction ------------------------------------------------------------------ */

/* one_in: 0: no flag is set. */
static void check_compact(trm_device *device, size_t count, uint32_t one_in)
{
  int32_t *flags = room(count + 1), *want = room(count + 2), number[3] = { -1, 0, -1 };
  int32_t kept = 0;
  want[0] = -9;
  for (size_t i = 0; i < count; i++) {
    flags[i + 1] = one_in && mixed(i) % one_in == 0 ? (int32_t)mixed(i + 3) | 4 : 0;
    if (flags[i + 1]) want[1 + kept++] = (int32_t)i;
  }
  number[1] = kept;
  int32_t *empty = room(count + 2), none[3] = { -1, -1, -1 };
  empty[0] = -9;
  trm_compact *compact = NULL;
  trm_buffer *from = upload(device, flags, count + 1), *to = upload(device, empty, count + 2);
  trm_buffer *how_many = upload(device, none, 3);
  TEST_OK(trm_compact_create(device, count, &compact));
  TEST_OK(trm_compact_run(compact, from, 1, to, 1, how_many, 1));
  expect(to, want, count + 2);
  expect(how_many, number, 3);
  trm_compact_destroy(&compact);
  trm_buffer_destroy(&from);
  trm_buffer_destroy(&to);
  trm_buffer_destroy(&how_many);
  free(flags);
  free(want);
  free(empty);
}

static void flags_that_are_set_are_listed(trm_device *device)
{
  for (size_t i = 0; i < SIZES; i++)
    for (uint32_t one_in = 0; one_in < 4; one_in++) check_compact(device, sizes[i], one_in);
}

/* ---- refusals -------------------------------------------------------------------- */

static void wrong_use_is_told(void)
{
  trm_device *device = test_open("openmp", NULL);
  const int32_t values[8] = { 0 };
  trm_buffer *eight = upload(device, values, 8), *other = upload(device, values, 8);
  trm_sort *sort = NULL;
  trm_scan *scan = NULL;
  trm_compact *compact = NULL;
  TEST_FAILS(trm_sort_create(device, 0, 1, &sort), TRM_ERROR_INVALID, "0 values");
  TEST_FAILS(trm_sort_create(device, 4, 5, &sort), TRM_ERROR_INVALID, "1 to 4");
  TEST_FAILS(trm_scan_create(NULL, 4, &scan), TRM_ERROR_INVALID, "device");
  TEST_FAILS(trm_compact_create(device, (size_t)1 << 31, &compact), TRM_ERROR_INVALID,
             "2147483648 values");
  TEST_OK(trm_sort_create(device, 4, 2, &sort));
  TEST_OK(trm_scan_create(device, 8, &scan));
  TEST_OK(trm_compact_create(device, 8, &compact));
  TEST_FAILS(trm_sort_run(sort, eight, 0, 4, 3), TRM_ERROR_INVALID, "keys of 3 words");
  TEST_FAILS(trm_sort_run(sort, eight, 0, 3, 1), TRM_ERROR_INVALID, "overlap");
  TEST_FAILS(trm_sort_run(sort, eight, 1, 4, 1), TRM_ERROR_INVALID, "records reaches to byte 36");
  TEST_FAILS(trm_sort_run(NULL, eight, 0, 4, 1), TRM_ERROR_INVALID, "sort is NULL");
  TEST_FAILS(trm_scan_run(scan, eight, 1), TRM_ERROR_INVALID, "values reaches to byte 36");
  TEST_FAILS(trm_scan_run(scan, NULL, 0), TRM_ERROR_INVALID, "values is NULL");
  TEST_FAILS(trm_compact_run(compact, eight, 0, other, 0, other, 0), TRM_ERROR_INVALID,
             "three buffers");
  TEST_FAILS(trm_compact_run(compact, eight, 0, other, 0, eight, 8), TRM_ERROR_INVALID,
             "number reaches to byte 36");
  trm_sort_destroy(&sort);
  trm_scan_destroy(&scan);
  trm_compact_destroy(&compact);
  trm_compact_destroy(&compact);
  trm_buffer_destroy(&eight);
  trm_buffer_destroy(&other);
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(records_are_sorted),
    TEST_DEVICE(equal_keys_keep_their_order),
    TEST_DEVICE(running_sums_and_recorded_ones),
    TEST_DEVICE(flags_that_are_set_are_listed),
    TEST_HOST(wrong_use_is_told),
  };
  return TEST_RUN(argc, argv, cases);
}
