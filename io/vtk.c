/* vtk.c - shared by the writers of VTK's XML formats.
 *
 * A field is compressed by zlib in blocks. Their table stands before the blocks: the number of
 * blocks; the bytes of a whole block and of the last block before compression; the bytes of each
 * block after it (UInt64 all). Table and blocks are two base64 texts. Offsets count encoded
 * characters. Both the offsets and the tables are known only after later data, so their places are
 * kept and filled in later. VTK wants the components of a cell together, so they are interleaved
 * here.
 *
 * Vectors of two components get a third component of zeros, since VTK's filters want three.
 * TriremeComponents gives the field's own number, since a vector of three components may have
 * zeros, too. */
#include <config.h>

#include "io/vtk.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *trmi_vtk_type(trm_type type)
{
  switch (type) {
  case TRM_TYPE_F32: return "Float32";
  case TRM_TYPE_F64: return "Float64";
  case TRM_TYPE_I32: return "Int32";
  case TRM_TYPE_U8: break;
  }
  return "UInt8";
}

trm_status trmi_vtk_name(trm_file *file, const char *text)
{
  for (; *text; text++) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;" : NULL;
    TRM_TRY(escape ? trm_file_print(file, "%s", escape) : trm_file_print(file, "%c", *text));
  }
  return TRM_OK;
}

trm_status trmi_vtk_when(trm_file *file, double time, uint64_t step)
{
  return trm_file_print(file,
                        "    <FieldData>\n"
                        "      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                        "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n"
                        "      <DataArray type=\"UInt64\" Name=\"STEP\" NumberOfTuples=\"1\" "
                        "format=\"ascii\">%llu</DataArray>\n    </FieldData>\n",
                        time, (unsigned long long)step);
}

/* ---- values in one appended section -------------------------------------------------------- */

enum {
  CHUNK = 3 * 4096,
  BLOCK = 1 << 18,             /* bytes before compression: a multiple of each tuple of up to 8 */
  OFFSET_DIGITS = 20
};

/* Base64 of a stream of bytes. */
typedef struct encoder {
  trm_file *file;
  uint8_t raw[CHUNK];
  size_t length;
} encoder;

/* Writes what is there, padded with '=' when it is not a multiple of three. */
static trm_status drain(encoder *e)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char text[CHUNK / 3 * 4];
  size_t n = 0;
  for (size_t i = 0; i < e->length; i += 3) {
    const size_t rest = e->length - i;
    const unsigned a = e->raw[i], b = rest > 1 ? e->raw[i + 1] : 0,
                   c = rest > 2 ? e->raw[i + 2] : 0;
    text[n++] = digits[a >> 2];
    text[n++] = digits[(a & 3) << 4 | b >> 4];
    text[n++] = rest > 1 ? digits[(b & 15) << 2 | c >> 6] : '=';
    text[n++] = rest > 2 ? digits[c & 63] : '=';
  }
  e->length = 0;
  return trm_file_write(e->file, text, n);
}

static trm_status push(encoder *e, const void *bytes, size_t count)
{
  const uint8_t *source = bytes;
  while (count) {
    const size_t room = CHUNK - e->length, part = count < room ? count : room;
    memcpy(e->raw + e->length, source, part);
    e->length += part;
    source += part;
    count -= part;
    if (e->length == CHUNK) TRM_TRY(drain(e));
  }
  return TRM_OK;
}

static trm_status write_encoded(trm_file *file, const void *bytes, size_t count)
{
  encoder e = {.file = file};
  TRM_TRY(push(&e, bytes, count));
  return drain(&e);
}

/* Components in the file. */
static size_t file_components(const trm_array *f)
{
  return f->components == 2 ? 3 : (size_t)f->components;
}

static size_t cells_of(const trm_array *f) { return f->nx * f->ny * f->nz; }

/* Bytes of a cell, and cells of a whole block, in the file. */
static size_t tuple_bytes(const trm_array *f)
{
  return file_components(f) * trm_type_size(f->type);
}

static size_t block_cells(const trm_array *f) { return BLOCK / tuple_bytes(f); }

/* The means of writing a field: its source, one block before and after compression, and the field's
 * table. */
typedef struct workspace {
  const trm_array_source *source; /* NULL: the fields have data */
  uint8_t *plain, *packed;
  uint64_t *table;
} workspace;

/* The cells from `first` on as the file has them, in w->plain: interleaved, a third component of
 * zeros. */
static trm_status gather(const trm_array *f, size_t first, size_t cells, workspace *w)
{
  const size_t size = trm_type_size(f->type), tuple = tuple_bytes(f);
  if (f->components == 1) return trm_array_part(f, w->source, 0, first, cells, w->plain);
  memset(w->plain, 0, cells * tuple);
  for (size_t c = 0; c < (size_t)f->components; c++) {
    TRM_TRY(trm_array_part(f, w->source, c, first, cells, w->packed));
    for (size_t i = 0; i < cells; i++)
      memcpy(w->plain + i * tuple + c * size, w->packed + i * size, size);
  }
  return TRM_OK;
}

enum { TABLE_BLOCKS, TABLE_WHOLE, TABLE_LAST, TABLE_SIZES };

static size_t blocks_of(const trm_array *f)
{
  return (cells_of(f) + block_cells(f) - 1) / block_cells(f);
}

static size_t table_bytes(const trm_array *f)
{
  return (TABLE_SIZES + blocks_of(f)) * sizeof(uint64_t);
}

static trm_status write_blocks(trm_file *file, const trm_array *f, workspace *w)
{
  encoder e = {.file = file};
  const size_t whole = block_cells(f), count = blocks_of(f);
  const size_t last = cells_of(f) - (count - 1) * whole;
  w->table[TABLE_BLOCKS] = count;
  w->table[TABLE_WHOLE] = whole * tuple_bytes(f);
  w->table[TABLE_LAST] = last == whole ? 0 : last * tuple_bytes(f);
  for (size_t i = 0; i < count; i++) {
    const size_t cells = i + 1 < count ? whole : last;
    uLongf packed = compressBound(BLOCK);
    TRM_TRY(gather(f, i * whole, cells, w));
    if (compress2(w->packed, &packed, w->plain, cells * tuple_bytes(f), Z_BEST_SPEED) != Z_OK)
      return TRM_FAIL(NO_HOST_MEMORY, "no memory to compress '%s'", f->name);
    w->table[TABLE_SIZES + i] = packed;
    TRM_TRY(push(&e, w->packed, packed));
  }
  return drain(&e);
}

/* The field, with room for the table before it, which is filled in then. */
static trm_status write_field(trm_file *file, const trm_array *f, workspace *w)
{
  const uint64_t at = trm_file_position(file);
  memset(w->table, 0, table_bytes(f));
  TRM_TRY(write_encoded(file, w->table, table_bytes(f)));
  TRM_TRY(write_blocks(file, f, w));
  const uint64_t end = trm_file_position(file);
  TRM_TRY(trm_file_seek(file, at));
  TRM_TRY(write_encoded(file, w->table, table_bytes(f)));
  return trm_file_seek(file, end);
}

static trm_status open_array(trm_file *file, const trm_array *array, const char *type)
{
  TRM_TRY(trm_file_print(file, "        <DataArray type=\"%s\" Name=\"", type));
  TRM_TRY(trmi_vtk_name(file, array->name));
  TRM_TRY(trm_file_print(file, "\" NumberOfComponents=\"%zu\"", file_components(array)));
  if (file_components(array) == (size_t)array->components) return TRM_OK;
  /* VTK ignores attributes that it does not know */
  return trm_file_print(file, " TriremeComponents=\"%d\"", array->components);
}

static trm_status close_array(trm_file *file, uint64_t *place)
{
  TRM_TRY(trm_file_print(file, " format=\"appended\" offset=\""));
  *place = trm_file_position(file);
  return trm_file_print(file, "%0*d\"/>\n", OFFSET_DIGITS, 0);
}

trm_status trmi_vtk_array(trm_file *file, const trm_array *array, uint64_t *place)
{
  TRM_TRY(open_array(file, array, trmi_vtk_type(array->type)));
  return close_array(file, place);
}

trm_status trmi_vtk_tuples(trm_file *file, const trm_array *array, const char *type, size_t tuples,
                           uint64_t *place)
{
  TRM_TRY(open_array(file, array, type));
  TRM_TRY(trm_file_print(file, " NumberOfTuples=\"%zu\"", tuples));
  return close_array(file, place);
}

static trm_status write_arrays(trm_file *file, const trm_array *arrays, const uint64_t *places,
                               size_t count, workspace *w)
{
  TRM_TRY(trm_file_print(file, "  <AppendedData encoding=\"base64\">\n_"));
  const uint64_t begin = trm_file_position(file);
  for (size_t i = 0; i < count; i++) {
    const uint64_t at = trm_file_position(file);
    TRM_TRY(trm_file_seek(file, places[i]));
    TRM_TRY(trm_file_print(file, "%0*llu", OFFSET_DIGITS, (unsigned long long)(at - begin)));
    TRM_TRY(trm_file_seek(file, at));
    TRM_TRY(write_field(file, &arrays[i], w));
  }
  return trm_file_print(file, "\n  </AppendedData>\n</VTKFile>\n");
}

trm_status trmi_vtk_values(trm_file *file, const trm_array *arrays, const uint64_t *places,
                           size_t count, const trm_array_source *source)
{
  size_t table = 0;
  for (size_t i = 0; i < count; i++)
    if (table < table_bytes(&arrays[i])) table = table_bytes(&arrays[i]);
  workspace w = {source, malloc(BLOCK), malloc(compressBound(BLOCK)), malloc(table)};
  const trm_status status =
      w.plain && w.packed && w.table
          ? write_arrays(file, arrays, places, count, &w)
          : TRM_FAIL(NO_HOST_MEMORY, "no memory to write %zu fields", count);
  free(w.plain);
  free(w.packed);
  free(w.table);
  return status;
}
