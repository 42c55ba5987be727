/* pack.c - the launches that pack rows. Where the pieces lie is a table in the device's memory,
 * so one launch packs all of a buffer. A run repeats a few exchanges over and over: their
 * tables are kept. */
#include "core/domain/pack.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES = 32 }; /* of each part of a launch there and back, of some launches */

typedef struct table {
  int32_t *rows;                /* TRMI_PACK_ROW numbers each */
  size_t count, room;           /* room: that of `on_device` */
  trm_buffer *on_device;
  uint64_t used;                /* when, counted in exchanges */
} table;

typedef struct domain_packer {
  trmi_pack kernels;
  trm_buffer *packed;
  size_t bytes;
  table tables[TABLES];
  uint64_t exchanges;
} domain_packer;

void pack_free(trm_device *device)
{
  domain_packer *packer = device ? device->packer : NULL;
  if (!packer) return;
  device->packer = NULL;
  trm_buffer_destroy(&packer->packed);
  for (int t = 0; t < TABLES; t++) {
    trm_buffer_destroy(&packer->tables[t].on_device);
    free(packer->tables[t].rows);
  }
  if (packer->kernels.program) trmi_program_unshare(&device->sorts, &packer->kernels.program);
  free(packer);
}

size_t pack_bytes(const packed_piece *pieces, size_t count)
{
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += pieces[i].rows.components * pieces[i].rows.bytes;
  return bytes;
}

int pack_can(const packed_piece *pieces, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const packed_rows *rows = &pieces[i].rows;
    if (rows->offset % 4 || rows->stride % 4 || rows->bytes % 4 || rows->bytes >= INT32_MAX)
      return 0;
  }
  return 1;
}

static size_t rows_of(const packed_piece *pieces, size_t count)
{
  size_t all = 0;
  for (size_t i = 0; i < count; i++) all += pieces[i].rows.components;
  return all;
}

/* So many pieces that asking for each would take longer. */
static int is_due(const trm_device *device, const packed_piece *pieces, size_t count)
{
  return !device->info.is_host && rows_of(pieces, count) > 1 && pack_can(pieces, count);
}

static trm_status find_packer(trm_device *device, domain_packer **out)
{
  if (!device->packer) device->packer = calloc(1, sizeof *device->packer);
  if (!device->packer) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
  if (!device->packer->kernels.one) TRM_TRY(trmi_pack_take(device, &device->packer->kernels));
  *out = device->packer;
  return TRM_OK;
}

/* ---- tables ------------------------------------------------------------------- */

static size_t place_of(const packed_rows *rows, size_t component)
{
  return (rows->offset + component * rows->stride) / 4;
}

/* Packed, the pieces lie one behind the other. */
static void fill(int32_t *row, const packed_piece *pieces, size_t count)
{
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    const packed_rows *rows = &pieces[i].rows;
    for (size_t c = 0; c < rows->components; c++, row += TRMI_PACK_ROW, at += rows->bytes)
      trmi_pack_row(row, rows->bytes / 4, place_of(rows, c), at / 4);
  }
}

static trm_status make_table(trm_device *device, table *t, int32_t *rows, size_t count)
{
  const size_t bytes = count * TRMI_PACK_ROW * sizeof *rows;
  free(t->rows);
  t->rows = rows;
  t->count = 0;                 /* until it is there */
  if (t->room < bytes) {
    trm_buffer_destroy(&t->on_device);
    t->room = 0;
    TRM_TRY(trm_buffer_create(device, 2 * bytes, "places of rows between devices", &t->on_device));
    t->room = 2 * bytes;
  }
  TRM_TRY(trm_buffer_write(t->on_device, 0, bytes, rows));
  t->count = count;
  return TRM_OK;
}

/* The table of these pieces: one that is kept, or instead of the one that was not used for
 * longest. */
static trm_status find_table(trm_device *device, domain_packer *packer, const packed_piece *pieces,
                             size_t count, const table **out)
{
  const size_t all = rows_of(pieces, count), bytes = all * TRMI_PACK_ROW * sizeof(int32_t);
  int32_t *rows = malloc(bytes);
  if (!rows) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
  fill(rows, pieces, count);
  table *oldest = packer->tables, *found = NULL;
  for (table *t = packer->tables; t < packer->tables + TABLES && !found; t++) {
    if (t->count == all && memcmp(t->rows, rows, bytes) == 0) found = t;
    if (t->used < oldest->used) oldest = t;
  }
  if (found) free(rows);
  else TRM_TRY(make_table(device, found = oldest, rows, all));
  found->used = ++packer->exchanges;
  *out = found;
  return TRM_OK;
}

/* ---- launches ----------------------------------------------------------------- */

/* A launch for each run of pieces of one buffer. */
static trm_status by_table(trm_device *device, domain_packer *packer, const packed_piece *pieces,
                           size_t count, trm_buffer *packed, int is_back)
{
  const table *t = NULL;
  TRM_TRY(find_table(device, packer, pieces, count, &t));
  for (size_t i = 0, row = 0; i < count;) {
    size_t rows = 0, words = 0;
    trm_buffer *buffer = pieces[i].buffer;
    for (; i < count && pieces[i].buffer == buffer; i++) {
      rows += pieces[i].rows.components;
      if (words < pieces[i].rows.bytes / 4) words = pieces[i].rows.bytes / 4;
    }
    TRM_TRY(trmi_pack_by_table(&packer->kernels, t->on_device, row, rows, words, buffer, packed,
                               is_back));
    row += rows;
  }
  return TRM_OK;
}

trm_status pack(trm_device *device, const packed_piece *pieces, size_t count, trm_buffer *packed,
                int is_back)
{
  domain_packer *packer = NULL;
  TRM_TRY(find_packer(device, &packer));
  if (count > 1) return by_table(device, packer, pieces, count, packed, is_back);
  const packed_rows *rows = &pieces->rows;
  const trm_place there = { rows->offset / 4, rows->stride / 4 }, here = { 0, rows->bytes / 4 };
  return is_back ? trmi_pack_one(&packer->kernels, packed, here, pieces->buffer, there,
                                 rows->bytes / 4, rows->components)
                 : trmi_pack_one(&packer->kernels, pieces->buffer, there, packed, here,
                                 rows->bytes / 4, rows->components);
}

/* ---- to and from the host's memory -------------------------------------------- */

static trm_status make_room(trm_device *device, size_t bytes, domain_packer **out)
{
  TRM_TRY(find_packer(device, out));
  domain_packer *packer = *out;
  if (packer->bytes >= bytes) return TRM_OK;
  trm_buffer_destroy(&packer->packed);
  packer->bytes = 0;
  TRM_TRY(trm_buffer_create(device, bytes + bytes / 2, "rows between devices", &packer->packed));
  packer->bytes = bytes + bytes / 2;
  return TRM_OK;
}

/* One of from, which is written, and to. */
static trm_status by_way_of_packed(trm_device *device, const packed_piece *pieces, size_t count,
                                   const unsigned char *from, unsigned char *to)
{
  const size_t bytes = pack_bytes(pieces, count);
  domain_packer *packer = NULL;
  TRM_TRY(make_room(device, bytes, &packer));
  if (from) TRM_TRY(trm_buffer_write(packer->packed, 0, bytes, from));
  TRM_TRY(pack(device, pieces, count, packer->packed, from != NULL));
  return from ? TRM_OK : trm_buffer_read(packer->packed, 0, bytes, to);
}

/* A GPU leaves ghost columns as they are; a host's kernels read them. */
static void wrap(const packed_rows *rows, unsigned char *piece)
{
  const size_t size = rows->value_bytes;
  for (size_t r = 0; rows->ghosts && r < rows->rows; r++) {
    unsigned char *cells = piece + (r * rows->row + rows->ghosts) * size;
    for (size_t g = 0; g < rows->ghosts; g++) {
      const size_t west = rows->is_repeated ? 0 : rows->nx - 1 - g % rows->nx;
      const size_t east = rows->is_repeated ? rows->nx - 1 : g % rows->nx;
      memcpy(cells - (g + 1) * size, cells + west * size, size);
      memcpy(cells + (rows->nx + g) * size, cells + east * size, size);
    }
  }
}

trm_status pack_read(const packed_piece *pieces, size_t count, unsigned char *to)
{
  trm_device *device = pieces->buffer->device;
  const int is_one = is_due(device, pieces, count);
  if (is_one) TRM_TRY(by_way_of_packed(device, pieces, count, NULL, to));
  for (size_t i = 0; i < count; i++) {
    const packed_rows *rows = &pieces[i].rows;
    for (size_t c = 0; c < rows->components; c++, to += rows->bytes) {
      if (!is_one)
        TRM_TRY(trm_buffer_read(pieces[i].buffer, rows->offset + c * rows->stride, rows->bytes,
                                to));
      wrap(rows, to);
    }
  }
  return TRM_OK;
}

trm_status pack_write(const packed_piece *pieces, size_t count, const unsigned char *from)
{
  trm_device *device = pieces->buffer->device;
  if (is_due(device, pieces, count))
    return by_way_of_packed(device, pieces, count, from, NULL);
  for (size_t i = 0; i < count; i++) {
    const packed_rows *rows = &pieces[i].rows;
    for (size_t c = 0; c < rows->components; c++, from += rows->bytes)
      TRM_TRY(trm_buffer_write(pieces[i].buffer, rows->offset + c * rows->stride, rows->bytes,
                               from));
  }
  return TRM_OK;
}
