/* npy.c - NumPy's array files: a magic number, a Python dictionary as text, then the bytes. */
#include <config.h>

#include "io/npy.h"
#include "io/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
static const char *const descriptions[] = {
  [TRM_TYPE_F32] = "<f4", [TRM_TYPE_F64] = "<f8", [TRM_TYPE_I32] = "<i4", [TRM_TYPE_U8] = "|u1"
};
static const size_t limit = (size_t)1 << 40;
enum { PART_BYTES = 1 << 20 };

/* "(3, 4, 5)", with a comma after a single axis, as Python writes a tuple. */
static void shape_text(const trm_array *a, char *text, size_t bytes)
{
  const size_t axes[3] = {(size_t)a->components, a->nz, a->ny};
  const int keep[3] = {a->components > 1, a->nz > 1, a->ny > 1 || a->nz > 1};
  int length = snprintf(text, bytes, "("), count = 1;
  for (int i = 0; i < 3; i++)
    if (keep[i]) {
      length += snprintf(text + length, bytes - (size_t)length, "%zu, ", axes[i]);
      count++;
    }
  snprintf(text + length, bytes - (size_t)length, "%zu%s)", a->nx, count == 1 ? "," : "");
}

size_t trm_npy_head(const trm_array *shape, char head[TRM_NPY_HEAD])
{
  char axes[128], text[192];
  shape_text(shape, axes, sizeof axes);
  const int length =
      snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
               descriptions[shape->type], axes);
  /* The data begin at a multiple of 64 bytes; blanks and a line end fill the gap. */
  const size_t total = ((size_t)length + 11 + 63) / 64 * 64;
  memset(head, ' ', TRM_NPY_HEAD);
  memcpy(head, magic, sizeof magic);
  head[6] = 1;
  head[7] = 0;
  head[8] = (char)((total - 10) & 255);
  head[9] = (char)((total - 10) >> 8);
  memcpy(head + 10, text, (size_t)length);
  head[total - 1] = '\n';
  return total;
}

static trm_status write_parts(trm_file *file, const trm_array *array,
                              const trm_array_source *source)
{
  const size_t size = trm_type_size(array->type), most = PART_BYTES / size;
  const size_t cells = array->nx * array->ny * array->nz;
  void *part = malloc(PART_BYTES);
  trm_status status = part ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a part of a field");
  for (size_t c = 0; c < (size_t)array->components; c++)
    for (size_t first = 0, count; first < cells && status == TRM_OK; first += count) {
      count = cells - first < most ? cells - first : most;
      status = trm_array_part(array, source, c, first, count, part);
      if (status == TRM_OK) status = trm_file_write(file, part, count * size);
    }
  free(part);
  return status;
}

trm_status trm_npy_stream(const char *path, const trm_array *array,
                          const trm_array_source *source)
{
  char head[TRM_NPY_HEAD];
  TRM_TRY(source ? trm_array_shape(array, NULL) : trm_array_elements(array, NULL));
  const size_t total = trm_npy_head(array, head);
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = trm_file_write(file, head, total);
  if (status == TRM_OK) status = write_parts(file, array, source);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}

trm_status trm_npy_write(const char *path, const trm_array *array)
{
  return trm_npy_stream(path, array, NULL);
}

/* ---- reading ---------------------------------------------------------------- */

static const char *value_of(const char *head, const char *key)
{
  const char *at = strstr(head, key);
  if (!at) return NULL;
  at += strlen(key);
  at += strspn(at, " :");
  return at;
}

static trm_status read_shape(const char *path, const char *at, trm_npy *out)
{
  if (!at || *at++ != '(')
    return TRM_FAIL(INPUT, "%s: the .npy header has no shape; write the file again", path);
  out->axes = 0;
  out->elements = 1;
  while (*at && *at != ')') {
    char *end = NULL;
    const unsigned long long n = strtoull(at, &end, 10);
    if (end == at || out->axes == TRM_NPY_MAX_AXES)
      return TRM_FAIL(INPUT,
                      "%s: the .npy header has a shape that cannot be read; at most %d axes are",
                      path, TRM_NPY_MAX_AXES);
    out->shape[out->axes++] = (size_t)n;
    TRM_TRY(trm_size_mul(out->elements, (size_t)n, "the elements of a .npy file", &out->elements));
    at = end + strspn(end, ", ");
  }
  if (*at != ')')
    return TRM_FAIL(INPUT, "%s: the shape in the .npy header has no end; write the file again",
                    path);
  return TRM_OK;
}

static trm_status read_head(const char *path, const char *head, trm_npy *out)
{
  const char *descr = value_of(head, "'descr'"), *order = value_of(head, "'fortran_order'");
  int known = 0;
  for (int type = 0; type < 4 && descr; type++)
    if (*descr && !strncmp(descr + 1, descriptions[type], 3) && descr[4] == *descr) {
      out->type = (trm_type)type;
      known = 1;
    }
  if (!known)
    return TRM_FAIL(INPUT,
                    "%s: the .npy file holds another type than little-endian f32, f64, i32 or "
                    "u8; convert it with astype",
                    path);
  if (!order || strncmp(order, "False", 5))
    return TRM_FAIL(INPUT, "%s: the .npy file is in Fortran order; write it with ascontiguousarray",
                    path);
  return read_shape(path, value_of(head, "'shape'"), out);
}

static trm_status parse_npy(const char *path, const char *text, size_t bytes, trm_npy *out)
{
  if (bytes < 12 || memcmp(text, magic, sizeof magic) || text[6] < 1 || text[6] > 3)
    return TRM_FAIL(INPUT, "%s: this is not a .npy file of version 1 to 3; name another", path);
  const uint8_t *u = (const uint8_t *)text;
  const size_t start = text[6] == 1 ? 10 : 12;
  const size_t length =
      text[6] == 1 ? (size_t)u[8] | (size_t)u[9] << 8
                   : (size_t)u[8] | (size_t)u[9] << 8 | (size_t)u[10] << 16 | (size_t)u[11] << 24;
  if (length > bytes - start)
    return TRM_FAIL(INPUT, "%s: the .npy file ends inside its header; it is not complete", path);
  char *head = strndup(text + start, length);
  if (!head) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  const trm_status status = read_head(path, head, out);
  free(head);
  TRM_TRY(status);
  size_t needed;
  TRM_TRY(
      trm_size_mul(out->elements, trm_type_size(out->type), "the bytes of a .npy file", &needed));
  if (bytes - start - length != needed)
    return TRM_FAIL(INPUT,
                    "%s: the .npy file holds %zu bytes of data where its shape needs %zu; it is "
                    "not complete",
                    path, bytes - start - length, needed);
  out->data = malloc(needed ? needed : 1);
  if (!out->data) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  memcpy(out->data, text + start + length, needed);
  return TRM_OK;
}

trm_status trm_npy_read(const char *path, trm_npy *out)
{
  char *text = NULL;
  size_t bytes = 0;
  trm_npy npy = {0};
  TRM_TRY(trm_file_load_kept(AT_FDCWD, path, path, limit, &text, &bytes));
  const trm_status status = parse_npy(path, text, bytes, &npy);
  free(text);
  TRM_TRY(status);
  *out = npy;
  return TRM_OK;
}

void trm_npy_free(trm_npy *npy)
{
  free(npy->data);
  *npy = (trm_npy){0};
}
