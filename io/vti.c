/* vti.c - VTK XML image data: a few lines of XML, then every field in base64.
 *
 * A field's block is its byte count (UInt64) and its bytes, encoded as one stream; offsets count
 * encoded characters. VTK wants the components of a cell together, so they are interleaved here. */
#include <config.h>

#include "io/vti.h"
#include "io/file.h"

#include <string.h>

enum { CHUNK = 3 * 4096 };

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

static const char *vtk_type(trm_type type)
{
  switch (type) {
  case TRM_TYPE_F32: return "Float32";
  case TRM_TYPE_F64: return "Float64";
  case TRM_TYPE_I32: return "Int32";
  case TRM_TYPE_U8: break;
  }
  return "UInt8";
}

/* Components in the file. */
static size_t file_components(const trm_array *f)
{
  return f->components == 2 ? 3 : (size_t)f->components;
}

static trm_status block_bytes(const trm_array *f, size_t *out)
{
  size_t bytes;
  TRM_TRY(trm_size_mul(f->nx * f->ny * f->nz, file_components(f), "a VTK field", &bytes));
  return trm_size_mul(bytes, trm_type_size(f->type), "a VTK field", out);
}

static trm_status write_field(trm_file *file, const trm_array *f)
{
  static const uint8_t zeros[8] = {0};
  encoder e = {.file = file};
  size_t bytes = 0;
  TRM_TRY(block_bytes(f, &bytes));
  const uint64_t header = bytes;
  const size_t size = trm_type_size(f->type), cells = f->nx * f->ny * f->nz;
  TRM_TRY(push(&e, &header, sizeof header));
  if (f->components == 1) {
    TRM_TRY(push(&e, f->data, bytes));
  } else {
    for (size_t i = 0; i < cells; i++)
      for (size_t c = 0; c < file_components(f); c++)
        TRM_TRY(push(&e,
                     c < (size_t)f->components ? (const uint8_t *)f->data + (c * cells + i) * size
                                               : zeros,
                     size));
  }
  return drain(&e);
}

/* A name as an attribute's value. */
static trm_status write_escaped(trm_file *file, const char *text)
{
  for (; *text; text++) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;" : NULL;
    TRM_TRY(escape ? trm_file_print(file, "%s", escape) : trm_file_print(file, "%c", *text));
  }
  return TRM_OK;
}

static trm_status write_head(trm_file *file, const trm_vti *v)
{
  const trm_array *f = v->fields;
  TRM_TRY(trm_file_print(file,
                         "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
                         "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
                         "  <ImageData WholeExtent=\"0 %zu 0 %zu 0 %zu\" Origin=\"%.17g %.17g "
                         "%.17g\" "
                         "Spacing=\"%.17g %.17g %.17g\">\n",
                         f->nx, f->ny, f->nz, v->origin[0], v->origin[1], v->origin[2],
                         v->spacing[0], v->spacing[1], v->spacing[2]));
  TRM_TRY(trm_file_print(file,
                         "    <FieldData>\n"
                         "      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                         "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n"
                         "      <DataArray type=\"UInt64\" Name=\"STEP\" NumberOfTuples=\"1\" "
                         "format=\"ascii\">%llu</DataArray>\n    </FieldData>\n",
                         v->time, (unsigned long long)v->step));
  TRM_TRY(trm_file_print(file, "    <Piece Extent=\"0 %zu 0 %zu 0 %zu\">\n      <CellData>\n",
                         f->nx, f->ny, f->nz));
  size_t offset = 0;
  for (size_t i = 0; i < v->field_count; i++) {
    size_t bytes = 0;
    TRM_TRY(block_bytes(&v->fields[i], &bytes));
    TRM_TRY(trm_file_print(file, "        <DataArray type=\"%s\" Name=\"",
                           vtk_type(v->fields[i].type)));
    TRM_TRY(write_escaped(file, v->fields[i].name));
    TRM_TRY(trm_file_print(file,
                           "\" NumberOfComponents=\"%zu\" format=\"appended\" offset=\"%zu\"/>\n",
                           file_components(&v->fields[i]), offset));
    offset += (bytes + 8 + 2) / 3 * 4;
  }
  return trm_file_print(file, "      </CellData>\n    </Piece>\n  </ImageData>\n"
                        "  <AppendedData encoding=\"base64\">\n_");
}

static trm_status write_all(trm_file *file, const trm_vti *v)
{
  TRM_TRY(write_head(file, v));
  for (size_t i = 0; i < v->field_count; i++) TRM_TRY(write_field(file, &v->fields[i]));
  return trm_file_print(file, "\n  </AppendedData>\n</VTKFile>\n");
}

trm_status trm_vti_write(const char *path, const trm_vti *image)
{
  if (!image->field_count) return TRM_FAIL(INVALID, "'%s' would hold no field; give one", path);
  const trm_array *first = image->fields;
  for (size_t i = 0; i < image->field_count; i++) {
    const trm_array *f = &image->fields[i];
    TRM_TRY(trm_array_elements(f, NULL));
    if (f->nx != first->nx || f->ny != first->ny || f->nz != first->nz)
      return TRM_FAIL(INVALID,
                      "'%s' holds one grid, and the fields '%s' and '%s' differ in shape; write "
                      "them to two files",
                      path, first->name, f->name);
  }
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  const trm_status status = write_all(file, image);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}
