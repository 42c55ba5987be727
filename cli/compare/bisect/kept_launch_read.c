/* kept_launch_read.c - a kept launch from its folder: every number and file is checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/json.h"
#include "cli/compare/bisect/kept_launch.h"
#include "io/file.h"

enum { JSON_LIMIT = 1 << 22 };

/* Where a message says that something is. */
typedef struct source { const char *folder, *path; } source;

static trm_status damaged(const source *from, const char *what)
{
  return TRM_FAIL(INPUT, "%s: %s; the folder was not written by this program, or has been changed: "
                  "make it again with 'trireme compare ... --bisect'", from->path, what);
}

/* ---- small pieces ----------------------------------------------------------------- */

static trm_status read_text(const source *from, const json_t *object, const char *key, char *out,
                            size_t bytes)
{
  char what[96];
  const char *text = json_string_value(json_object_get(object, key));
  snprintf(what, sizeof what, "'%.40s' is missing or too long", key);
  if (!text || strlen(text) >= bytes) return damaged(from, what);
  snprintf(out, bytes, "%s", text);
  return TRM_OK;
}

static trm_status read_number(const source *from, const json_t *object, const char *key,
                              size_t most, size_t *out)
{
  char what[96];
  const json_t *value = json_object_get(object, key);
  snprintf(what, sizeof what, "'%.40s' is no number from 0 to %zu", key, most);
  if (!json_is_integer(value) || json_integer_value(value) < 0 ||
      (uint64_t)json_integer_value(value) > most)
    return damaged(from, what);
  *out = (size_t)json_integer_value(value);
  return TRM_OK;
}

static trm_status read_numbers(const source *from, const json_t *array, const char *what,
                               size_t count, size_t *out)
{
  if (json_array_size(array) != count) return damaged(from, what);
  for (size_t i = 0; i < count; i++) {
    const json_t *value = json_array_get(array, i);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return damaged(from, what);
    out[i] = (size_t)json_integer_value(value);
  }
  return TRM_OK;
}

static trm_status read_bytes(const source *from, const json_t *object, const char *key,
                             unsigned char *out, size_t most, uint32_t *count)
{
  const char *text = json_string_value(json_object_get(object, key));
  const size_t length = text ? strlen(text) : 1;
  if (length % 2 != 0 || length / 2 > most || strspn(text, "0123456789abcdef") != length)
    return damaged(from, "a list of bytes is damaged");
  for (size_t i = 0; i < length / 2; i++) {
    const char pair[3] = {text[2 * i], text[2 * i + 1], 0};
    out[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  *count = (uint32_t)(length / 2);
  return TRM_OK;
}

/* ---- buffers ----------------------------------------------------------------------- */

static trm_status check_sum(const source *from, const char *path, const json_t *entry,
                            const char *bytes, size_t count)
{
  char text[40];
  XXH128_canonical_t canonical;
  TRM_TRY(read_text(from, entry, "xxh128", text, sizeof text));
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  for (size_t i = 0; i < sizeof canonical.digest; i++) {
    char pair[3];
    snprintf(pair, sizeof pair, "%02x", canonical.digest[i]);
    if (strlen(text) != 2 * sizeof canonical.digest || strncmp(text + 2 * i, pair, 2) != 0)
      return TRM_FAIL(INPUT, "%s: its checksum is not the one in %s; make the folder again with "
                      "'trireme compare ... --bisect'", path, from->path);
  }
  return TRM_OK;
}

static trm_status read_file(const source *from, const json_t *entry, size_t expected,
                            unsigned char **out)
{
  char name[128], *path = NULL, *bytes = NULL;
  size_t count = 0;
  TRM_TRY(read_text(from, entry, "file", name, sizeof name));
  if (strchr(name, '/')) return damaged(from, "a file's name leads out of the folder");
  TRM_TRY(trm_path_join(from->folder, name, &path));
  trm_status status = trm_file_load(path, expected, &bytes, &count);
  if (status == TRM_OK && count != expected)
    status = TRM_FAIL(INPUT, "%s: has %zu bytes, %s tells of %zu; make the folder again with "
                      "'trireme compare ... --bisect'", path, count, from->path, expected);
  if (status == TRM_OK) status = check_sum(from, path, entry, bytes, count);
  if (status == TRM_OK) *out = (unsigned char *)bytes;
  else free(bytes);
  free(path);
  return status;
}

static trm_status read_buffer(const source *from, const json_t *entry, kept_data *out)
{
  char access[2];
  TRM_TRY(read_text(from, entry, "name", out->name, sizeof out->name));
  TRM_TRY(read_text(from, entry, "access", access, sizeof access));
  TRM_TRY(read_number(from, entry, "bytes", (size_t)1 << 46, &out->bytes));
  out->access = access[0] == 'w' ? 'w' : 'r';
  if (out->bytes == 0) return damaged(from, "a buffer has no bytes");
  TRM_TRY(read_file(from, json_object_get(entry, "before"), out->bytes, &out->before));
  return out->access == 'w'
             ? read_file(from, json_object_get(entry, "after"), out->bytes, &out->after) : TRM_OK;
}

/* ---- sides -------------------------------------------------------------------------- */

static trm_status read_case(const source *from, const json_t *object, run_case *out)
{
  char name[64], *path = NULL;
  TRM_TRY(read_text(from, object, "case", name, sizeof name));
  if (strchr(name, '/')) return damaged(from, "a file's name leads out of the folder");
  TRM_TRY(trm_path_join(from->folder, name, &path));
  const char *const operands[] = {path};
  const case_request wanted = {.operands = operands, .operand_count = 1};
  const trm_status status = case_create(&wanted, out);
  free(path);
  return status;
}

static trm_status read_kind(const source *from, const json_t *object, trm_command *out)
{
  static const char *const kinds[] = {"launch", "copy", "fill"};
  char text[16];
  size_t kind = 0;
  TRM_TRY(read_text(from, object, "command", text, sizeof text));
  while (kind < 3 && strcmp(kinds[kind], text) != 0) kind++;
  if (kind == 3) return damaged(from, "'command' is not launch, copy or fill");
  out->kind = (trm_command_kind)kind;
  return TRM_OK;
}

static trm_status read_command(const source *from, const json_t *object, trm_command *out)
{
  size_t extent[3];
  TRM_TRY(read_kind(from, object, out));
  TRM_TRY(read_numbers(from, json_object_get(object, "extent"), "'extent' is damaged", 3, extent));
  if (extent[0] > INT32_MAX || extent[1] > INT32_MAX || extent[2] > INT32_MAX)
    return damaged(from, "'extent' is too large");
  out->extent = (trm_extent){(int32_t)extent[0], (int32_t)extent[1], (int32_t)extent[2], 0};
  TRM_TRY(read_bytes(from, object, "parameters", out->params, sizeof out->params,
                     &out->param_bytes));
  TRM_TRY(read_bytes(from, object, "pattern", out->pattern, sizeof out->pattern,
                     &out->pattern_bytes));
  TRM_TRY(read_number(from, object, "offset", SIZE_MAX / 2, &out->offset));
  TRM_TRY(read_number(from, object, "source_offset", SIZE_MAX / 2, &out->source_offset));
  return read_number(from, object, "bytes", SIZE_MAX / 2, &out->bytes);
}

static trm_status read_side(const source *from, const json_t *object, kept_side *out)
{
  size_t number;
  const json_t *buffers = json_object_get(object, "buffers");
  const size_t count = json_array_size(buffers);
  TRM_TRY(read_text(from, object, "label", out->label, sizeof out->label));
  TRM_TRY(read_text(from, object, "device", out->spec, sizeof out->spec));
  TRM_TRY(read_text(from, object, "program", out->program, sizeof out->program));
  TRM_TRY(read_text(from, object, "variant", out->variant, sizeof out->variant));
  TRM_TRY(read_text(from, object, "kernel", out->kernel, sizeof out->kernel));
  TRM_TRY(read_number(from, object, "ghost_columns", 1024, &number));
  out->device.ghost_columns = (int)number;
  out->device.is_host = json_is_true(json_object_get(object, "is_host"));
  TRM_TRY(read_number(from, object, "group", 1024, &number));
  out->group = (int)number;
  TRM_TRY(read_command(from, object, &out->command));
  if (count == 0 || count > TRM_MAX_BUFFERS) return damaged(from,
                                                            "'buffers' has no or too many entries");
  for (size_t i = 0; i < count; i++) {
    out->command.buffer_count++;
    TRM_TRY(read_buffer(from, json_array_get(buffers, i), &out->buffers[i]));
  }
  return read_case(from, object, &out->chosen);
}

/* ---- views -------------------------------------------------------------------------- */

/* The cells lie inside the buffer. */
static int lies_inside(const bisection_view *v, int side, size_t bytes)
{
  const trm_layout *l = &v->layout[side];
  const size_t limit = bytes / trm_type_size(v->type), most = (size_t)1 << 46;
  if (!v->shape[0] || !v->shape[1] || !v->shape[2] || !v->shape[3]) return 0;
  for (int i = 0; i < 4; i++) if (v->shape[i] > limit) return 0;
  if (l->first > limit || l->row > limit || l->component > most) return 0;
  size_t last, rows, part;
  if (trm_size_mul(v->shape[1], v->shape[2], "rows", &rows) != TRM_OK ||
      trm_size_mul(rows - 1, l->row, "rows", &part) != TRM_OK ||
      trm_size_mul(v->shape[3] - 1, l->component, "components", &last) != TRM_OK ||
      trm_size_add(last, part, "cells", &last) != TRM_OK)
    return 0;
  return last <= limit && v->shape[0] + l->first <= limit - last;
}

static trm_status read_view(const source *from, const json_t *object, kept_launch *kept)
{
  kept_view *out = &kept->views[kept->view_count];
  char type[8];
  int k = TRM_TYPE_F32;
  const json_t *layouts = json_object_get(object, "layouts");
  TRM_TRY(read_numbers(from, json_object_get(object, "buffers"), "a view is damaged", 2,
                       out->buffers));
  TRM_TRY(read_numbers(from, json_object_get(object, "shape"), "a view is damaged", 4,
                       out->view.shape));
  TRM_TRY(read_text(from, object, "type", type, sizeof type));
  while (k <= TRM_TYPE_U8 && strcmp(trm_type_name((trm_type)k), type) != 0) k++;
  if (k > TRM_TYPE_U8) return damaged(from, "a view has an unknown type");
  out->view.type = (trm_type)k;
  out->view.is_whole = json_is_true(json_object_get(object, "whole"));
  for (int s = 0; s < 2; s++) {
    size_t values[4];
    TRM_TRY(read_numbers(from, json_array_get(layouts, (size_t)s), "a view is damaged", 4, values));
    out->view.layout[s] = (trm_layout){values[0], values[1], values[2], values[3], 0};
    const kept_side *side = &kept->sides[s];
    if (out->buffers[s] >= side->command.buffer_count || !side->buffers[out->buffers[s]].after ||
        !lies_inside(&out->view, s, side->buffers[out->buffers[s]].bytes))
      return damaged(from, "a view does not fit its buffer");
  }
  kept->view_count++;
  return TRM_OK;
}

/* ---- the whole ------------------------------------------------------------------------ */

static trm_status read_document(const source *from, const json_t *document, kept_launch *out)
{
  size_t format, step;
  const json_t *views = json_object_get(document, "views");
  TRM_TRY(read_number(from, document, "format", INT32_MAX, &format));
  if (format != KEPT_LAUNCH_FORMAT)
    return TRM_FAIL(INPUT, "%s: is of format %zu, this program reads %d; repeat the launch with "
                    "the version of trireme that kept it, or make it again with --bisect",
                    from->path, format, KEPT_LAUNCH_FORMAT);
  TRM_TRY(read_text(from, document, "name", out->name, sizeof out->name));
  TRM_TRY(read_text(from, document, "stage", out->stage, sizeof out->stage));
  TRM_TRY(read_number(from, document, "step", SIZE_MAX / 2, &step));
  out->step = step;
  for (size_t s = 0; s < 2; s++)
    TRM_TRY(read_side(from, json_array_get(json_object_get(document, "sides"), s), &out->sides[s]));
  if (json_array_size(views) > TRM_MAX_BUFFERS) return damaged(from, "there are too many views");
  for (size_t i = 0; i < json_array_size(views); i++)
    TRM_TRY(read_view(from, json_array_get(views, i), out));
  return TRM_OK;
}

static trm_status read_json(const char *path, json_t **out)
{
  char *text = NULL;
  json_error_t error;
  TRM_TRY(trm_file_load(path, JSON_LIMIT, &text, NULL));
  json_t *document = json_loads(text, 0, &error);
  free(text);
  if (!document)
    return TRM_FAIL(INPUT, "%s:%d: %s; --replay takes the folder that --bisect named", path,
                    error.line, error.text);
  *out = document;
  return TRM_OK;
}

trm_status kept_launch_read(const char *path, kept_launch *out)
{
  static const char tail[] = "launch.json";
  *out = (kept_launch){0};
  char *folder = strdup(path), *file = NULL;
  if (!folder) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  const size_t length = strlen(folder), end = strlen(tail);
  if (length >= end && strcmp(folder + length - end, tail) == 0 &&
      (length == end || folder[length - end - 1] == '/')) {
    folder[length - end] = 0;
    if (!folder[0]) {
      free(folder);
      folder = strdup(".");
    }
  }
  json_t *document = NULL;
  trm_status status = folder ? trm_path_join(folder, tail, &file)
                             : TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  if (status == TRM_OK) status = read_json(file, &document);
  const source from = {folder, file};
  if (status == TRM_OK) status = read_document(&from, document, out);
  json_decref(document);
  free(file);
  free(folder);
  return status;
}

void kept_launch_clear(kept_launch *kept)
{
  for (int s = 0; s < 2; s++) {
    for (size_t i = 0; i < TRM_MAX_BUFFERS; i++) {
      free(kept->sides[s].buffers[i].before);
      free(kept->sides[s].buffers[i].after);
    }
    case_clear(&kept->sides[s].chosen);
  }
  *kept = (kept_launch){0};
}
