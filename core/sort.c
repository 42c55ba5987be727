/* sort.c - trm_sort, trm_scan and trm_compact: the launches of sort.k. Scratch memory is laid out
 * once, so run only launches and can be recorded. A compaction holds a scan, a sort another one. */
#include "core/internal.h"
#include "core/modules.h"

#include <stdlib.h>
#include <string.h>

typedef int64_t trm_index;
#include "core/kernels/sort_params.h"

enum { DIGITS = 16, TILE = 2048, MOST_ROWS = 4, CHUNK = 65536, PART = 4096 }; /* of sort.k */

extern const char trm_text_sort[];
TRM_DECLARE_MODULES(sort);
static const trm_program_source source = { "sort", "core/kernels/sort.k", trm_text_sort,
                                           TRM_MODULES(sort) };

/* ---- what the three have in common ----------------------------------------------- */

/* Integers only: the program's precision and arithmetic do not matter. Fast arithmetic needs no
 * probe of the device; a host, which needs none either, has all its instances in strict. */
static trm_status take_program(trm_device *device, trm_program **out)
{
  const trm_math math = device->info.is_host ? TRM_STRICT : TRM_FAST;
  const trm_program_options options = { .precision = TRM_F32, .math = math };
  return trmi_program_share(device, &source, &options, &device->sorts, out);
}

static trm_status check_count(const char *what, const trm_device *device, size_t count,
                              const void *out)
{
  if (!device || !out) return TRM_FAIL(INVALID, "%s: device or out is NULL", what);
  if (count == 0 || count > INT32_MAX - CHUNK)
    return TRM_FAIL(INVALID, "%s: %zu values; the count is 1 to %d", what, count,
                    INT32_MAX - CHUNK);
  return TRM_OK;
}

static trm_status create_ints(trm_device *device, size_t count, const char *name, trm_buffer **out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(count, sizeof(int32_t), name, &bytes));
  return trm_buffer_create(device, bytes, name, out);
}

static trm_status check_ints(const char *what, const trm_buffer *buffer, const char *role,
                             size_t first, size_t stride, size_t rows, size_t count)
{
  if (!buffer) return TRM_FAIL(INVALID, "%s: %s is NULL", what, role);
  return trmi_buffer_holds(buffer, what, role, first, stride, rows, count, sizeof(int32_t));
}

static int parts(size_t count, size_t size) { return (int)((count - 1) / size + 1); }

static trm_status launch(trm_kernel *kernel, int groups, const sort_params *params,
                         trm_buffer *const *buffers, size_t count)
{
  const trm_extent extent = { groups, 1, 1, 0 };
  return trm_kernel_launch(kernel, &extent, params, sizeof *params, buffers, count);
}

trm_status trmi_pack_take(trm_device *device, trmi_pack *out)
{
  if (!out->program) TRM_TRY(take_program(device, &out->program));
  TRM_TRY(trm_program_kernel(out->program, "pack_pieces", &out->by_table));
  return trm_program_kernel(out->program, "pack_rows", &out->one);
}

/* Of sort.k: words of a group; and pieces of a launch. */
enum { PACK_PART = 1024, PACK_PLACES = 1 << 30, PACK_MOST = 32768 };

trm_status trmi_pack_one(const trmi_pack *kernels, trm_buffer *from, trm_place from_place,
                         trm_buffer *to, trm_place to_place, size_t words, size_t pieces)
{
  const sort_params params = { .first = (trm_index)from_place.first,
                               .row = (trm_index)from_place.row,
                               .to_first = (trm_index)to_place.first,
                               .to_row = (trm_index)to_place.row, .count = (int)words };
  const trm_extent groups = { parts(words, PACK_PART), (int)pieces, 1, 0 };
  return trm_kernel_launch(kernels->one, &groups, &params, sizeof params,
                                   (trm_buffer *const[]){ from, to }, 2);
}

void trmi_pack_row(int32_t *row, size_t words, size_t place, size_t packed_place)
{
  row[0] = (int32_t)words;
  row[1] = (int32_t)(place / PACK_PLACES);
  row[2] = (int32_t)(place % PACK_PLACES);
  row[3] = (int32_t)(packed_place / PACK_PLACES);
  row[4] = (int32_t)(packed_place % PACK_PLACES);
}

trm_status trmi_pack_by_table(const trmi_pack *kernels, trm_buffer *table, size_t row, size_t rows,
                              size_t words, trm_buffer *buffer, trm_buffer *packed, int is_back)
{
  for (size_t left; rows > 0; row += left, rows -= left) {
    left = rows < PACK_MOST ? rows : PACK_MOST;
    const sort_params params = { .first = (trm_index)row, .starts = is_back };
    const trm_extent groups = { parts(words, PACK_PART), (int)left, 1, 0 };
    trm_buffer *const buffers[] = { table, is_back ? packed : buffer, is_back ? buffer : packed };
    TRM_TRY(trm_kernel_launch(kernels->by_table, &groups, &params, sizeof params, buffers,
                                      3));
  }
  return TRM_OK;
}

/* ---- running sums ----------------------------------------------------------------- */

struct trm_scan {
  trm_device *device;    /* alive while the program is */
  trm_program *program;
  trm_kernel *sum, *place;
  trm_buffer *sums;      /* of the chunks */
  size_t count;
};

static trm_status fill_scan(trm_scan *scan)
{
  TRM_TRY(take_program(scan->device, &scan->program));
  TRM_TRY(trm_program_kernel(scan->program, "scan_sums", &scan->sum));
  TRM_TRY(trm_program_kernel(scan->program, "scan_place", &scan->place));
  return create_ints(scan->device, (size_t)parts(scan->count, CHUNK), "sums of chunks",
                     &scan->sums);
}

trm_status trm_scan_create(trm_device *device, size_t count, trm_scan **out)
{
  TRM_TRY(check_count("trm_scan_create", device, count, out));
  trm_scan *scan = calloc(1, sizeof *scan);
  if (!scan) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a running sum");
  scan->device = device;
  scan->count = count;
  const trm_status status = fill_scan(scan);
  if (status == TRM_OK) *out = scan;
  else trm_scan_destroy(&scan);
  return status;
}

void trm_scan_destroy(trm_scan **scan)
{
  if (!scan || !*scan) return;
  trm_buffer_destroy(&(*scan)->sums);
  if ((*scan)->program) trmi_program_unshare(&(*scan)->device->sorts, &(*scan)->program);
  free(*scan);
  *scan = NULL;
}

trm_status trm_scan_run(trm_scan *scan, trm_buffer *values, size_t offset)
{
  if (!scan) return TRM_FAIL(INVALID, "trm_scan_run: scan is NULL");
  TRM_TRY(check_ints("trm_scan_run", values, "values", offset, 0, 1, scan->count));
  const int chunks = parts(scan->count, CHUNK);
  const sort_params whole = { .first = (trm_index)offset, .count = (int)scan->count,
                              .starts = chunks > 1 };
  const sort_params starts = { .count = chunks };
  trm_buffer *const sum[] = { values, scan->sums };
  trm_buffer *const among[] = { values, scan->sums }, *const place[] = { scan->sums, values };
  if (chunks > 1) {
    TRM_TRY(launch(scan->sum, chunks, &whole, sum, 2));
    TRM_TRY(launch(scan->place, 1, &starts, among, 2));
  }
  return launch(scan->place, chunks, &whole, place, 2);
}

/* ---- sorting ----------------------------------------------------------------------- */

struct trm_sort {
  trm_device *device;
  trm_program *program;
  trm_kernel *counter, *place;
  trm_scan *scan;
  trm_buffer *table;      /* digits x tiles */
  trm_buffer *other;      /* the records between two passes */
  size_t count, rows;
};

static trm_status fill_sort(trm_sort *sort)
{
  static const char *const places[MOST_ROWS] = { "sort_place1", "sort_place2", "sort_place3",
                                                 "sort_place4" };
  const size_t table = DIGITS * (size_t)parts(sort->count, TILE);
  size_t records;
  TRM_TRY(take_program(sort->device, &sort->program));
  TRM_TRY(trm_program_kernel(sort->program, "sort_count", &sort->counter));
  TRM_TRY(trm_program_kernel(sort->program, places[sort->rows - 1], &sort->place));
  TRM_TRY(trm_scan_create(sort->device, table, &sort->scan));
  TRM_TRY(create_ints(sort->device, table, "digits of a sort", &sort->table));
  TRM_TRY(trm_size_mul(sort->rows, sort->count, "the records of a sort", &records));
  return create_ints(sort->device, records, "records between passes", &sort->other);
}

trm_status trm_sort_create(trm_device *device, size_t count, size_t rows, trm_sort **out)
{
  TRM_TRY(check_count("trm_sort_create", device, count, out));
  if (rows == 0 || rows > MOST_ROWS)
    return TRM_FAIL(INVALID, "trm_sort_create: records of %zu words; a record has 1 to %d", rows,
                    (int)MOST_ROWS);
  trm_sort *sort = calloc(1, sizeof *sort);
  if (!sort) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a sort");
  sort->device = device;
  sort->count = count;
  sort->rows = rows;
  const trm_status status = fill_sort(sort);
  if (status == TRM_OK) *out = sort;
  else trm_sort_destroy(&sort);
  return status;
}

void trm_sort_destroy(trm_sort **sort)
{
  if (!sort || !*sort) return;
  trm_buffer_destroy(&(*sort)->table);
  trm_buffer_destroy(&(*sort)->other);
  trm_scan_destroy(&(*sort)->scan);
  if ((*sort)->program) trmi_program_unshare(&(*sort)->device->sorts, &(*sort)->program);
  free(*sort);
  *sort = NULL;
}

/* A stable pass over one digit, from the caller's buffer to the scratch one or back. */
static trm_status sort_pass(trm_sort *sort, trm_buffer *records, sort_params digit, int is_back)
{
  trm_buffer *const from = is_back ? sort->other : records;
  trm_buffer *const count[] = { from, sort->table };
  trm_buffer *const place[] = { from, sort->table, is_back ? records : sort->other };
  if (is_back) {
    digit.to_first = digit.first;
    digit.to_row = digit.row;
    digit.first = 0;
    digit.row = (trm_index)sort->count;
  }
  TRM_TRY(launch(sort->counter, digit.groups, &digit, count, 2));
  TRM_TRY(trm_scan_run(sort->scan, sort->table, 0));
  return launch(sort->place, digit.groups, &digit, place, 3);
}

/* An even number of passes leaves the records where they were. */
trm_status trm_sort_run(trm_sort *sort, trm_buffer *records, size_t offset, size_t stride,
                        size_t key_rows)
{
  if (!sort) return TRM_FAIL(INVALID, "trm_sort_run: sort is NULL");
  if (key_rows == 0 || key_rows > sort->rows)
    return TRM_FAIL(INVALID, "trm_sort_run: keys of %zu words; a record here has %zu", key_rows,
                    sort->rows);
  if (sort->rows > 1 && stride < sort->count)
    return TRM_FAIL(INVALID, "trm_sort_run: rows of %zu values %zu apart overlap", sort->count,
                    stride);
  TRM_TRY(check_ints("trm_sort_run", records, "records", offset, stride, sort->rows, sort->count));
  sort_params digit = { .first = (trm_index)offset, .row = (trm_index)stride,
                        .to_row = (trm_index)sort->count, .count = (int)sort->count,
                        .groups = parts(sort->count, TILE) };
  for (digit.word = (int)key_rows - 1; digit.word >= 0; digit.word--)
    for (digit.shift = 0; digit.shift < 32; digit.shift += 4)
      TRM_TRY(sort_pass(sort, records, digit, digit.shift / 4 % 2));
  return TRM_OK;
}

/* ---- compaction -------------------------------------------------------------------- */

struct trm_compact {
  trm_device *device;
  trm_program *program;
  trm_kernel *mark, *place;
  trm_scan *scan;
  trm_buffer *places;
  size_t count;
};

static trm_status fill_compact(trm_compact *compact)
{
  TRM_TRY(take_program(compact->device, &compact->program));
  TRM_TRY(trm_program_kernel(compact->program, "compact_mark", &compact->mark));
  TRM_TRY(trm_program_kernel(compact->program, "compact_place", &compact->place));
  TRM_TRY(trm_scan_create(compact->device, compact->count, &compact->scan));
  return create_ints(compact->device, compact->count, "places of a compaction", &compact->places);
}

trm_status trm_compact_create(trm_device *device, size_t count, trm_compact **out)
{
  TRM_TRY(check_count("trm_compact_create", device, count, out));
  trm_compact *compact = calloc(1, sizeof *compact);
  if (!compact) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a compaction");
  compact->device = device;
  compact->count = count;
  const trm_status status = fill_compact(compact);
  if (status == TRM_OK) *out = compact;
  else trm_compact_destroy(&compact);
  return status;
}

void trm_compact_destroy(trm_compact **compact)
{
  if (!compact || !*compact) return;
  trm_buffer_destroy(&(*compact)->places);
  trm_scan_destroy(&(*compact)->scan);
  if ((*compact)->program) trmi_program_unshare(&(*compact)->device->sorts, &(*compact)->program);
  free(*compact);
  *compact = NULL;
}

trm_status trm_compact_run(trm_compact *compact, trm_buffer *flags, size_t flags_offset,
                           trm_buffer *list, size_t list_offset, trm_buffer *number,
                           size_t number_offset)
{
  if (!compact) return TRM_FAIL(INVALID, "trm_compact_run: compact is NULL");
  TRM_TRY(check_ints("trm_compact_run", flags, "flags", flags_offset, 0, 1, compact->count));
  TRM_TRY(check_ints("trm_compact_run", list, "list", list_offset, 0, 1, compact->count));
  TRM_TRY(check_ints("trm_compact_run", number, "number", number_offset, 0, 1, 1));
  if (flags == list || flags == number || list == number)
    return TRM_FAIL(INVALID, "trm_compact_run: flags, list and number are three buffers");
  const sort_params params = { .first = (trm_index)flags_offset,
                               .to_first = (trm_index)list_offset,
                               .number = (trm_index)number_offset, .count = (int)compact->count };
  trm_buffer *const mark[] = { flags, compact->places };
  trm_buffer *const place[] = { flags, compact->places, list, number };
  const int groups = parts(compact->count, PART);
  TRM_TRY(launch(compact->mark, groups, &params, mark, 2));
  TRM_TRY(trm_scan_run(compact->scan, compact->places, 0));
  return launch(compact->place, groups, &params, place, 4);
}
