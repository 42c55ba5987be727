/* checkpoint_manifest.c - what a manifest says, looked at before anything is done with it. */
#include <config.h>

#include "io/checkpoint.h"
#include "io/json_kept.h"
#include "io/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_steps = 9e15;

#define REFUSE(...) TRM_FAIL(INPUT, __VA_ARGS__)

/* A name that stays in its folder, whoever wrote it. */
static int is_plain(const char *name)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  const size_t length = strlen(name);
  return length > 0 && length < TRM_CHECKPOINT_NAME && name[0] != '.' &&
         strspn(name, plain) == length;
}

static trm_status read_name(const json_t *from, const char *key, char out[TRM_CHECKPOINT_NAME])
{
  const char *text = json_string_value(json_object_get(from, key));
  if (!text || !is_plain(text))
    return REFUSE("the manifest has %s '%.40s', which is not a plain name", key, text ? text : "");
  strcpy(out, text);
  return TRM_OK;
}

static trm_status read_size(const json_t *value, const char *what, size_t *out)
{
  const json_int_t number = json_integer_value(value);
  if (!json_is_integer(value) || number < 0 || (double)number > most_steps)
    return REFUSE("the manifest has no %s that can be", what);
  *out = (size_t)number;
  return TRM_OK;
}

static trm_status read_hash(const json_t *from, char out[TRM_HASH_TEXT])
{
  const char *text = json_string_value(json_object_get(from, "xxh128"));
  if (!text || strlen(text) != TRM_HASH_TEXT - 1 ||
      strspn(text, "0123456789abcdef") != TRM_HASH_TEXT - 1)
    return REFUSE("the manifest has a file without its hash");
  strcpy(out, text);
  return TRM_OK;
}

/* ranged: first and count are there. data: the bytes that so many rows or steps take; each. */
static trm_status read_file(const json_t *from, int is_ranged, size_t each, trm_manifest_file *out)
{
  size_t bytes, data = 0;
  TRM_TRY(read_name(from, "file", out->name));
  TRM_TRY(read_hash(from, out->hash));
  TRM_TRY(read_size(json_object_get(from, "bytes"), "bytes", &bytes));
  out->bytes = bytes;
  if (!is_ranged) return TRM_OK;
  TRM_TRY(read_size(json_object_get(from, "first"), "first", &out->first));
  TRM_TRY(read_size(json_object_get(from, "count"), "count", &out->count));
  TRM_TRY(trm_size_mul(out->count, each, "a part", &data));
  if (out->count == 0 || bytes <= data || bytes - data > TRM_NPY_HEAD || (bytes - data) % 64 != 0)
    return REFUSE("the manifest gives %s %zu bytes, but its shape takes another number", out->name,
                  bytes);
  out->start = bytes - data;
  return TRM_OK;
}

/* In order, from 0 to `all` without a gap. */
static trm_status read_files(const json_t *list, int is_ranged, size_t each, size_t all,
                             trm_manifest_file **out, size_t *count)
{
  const size_t files = json_array_size(list);
  size_t next = 0;
  if (!json_is_array(list)) return REFUSE("the manifest lacks a list of files");
  *out = calloc(files + 1, sizeof **out);
  if (!*out) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a manifest of %zu files", files);
  *count = files;
  for (size_t i = 0; i < files; i++) {
    trm_manifest_file *file = &(*out)[i];
    TRM_TRY(read_file(json_array_get(list, i), is_ranged, each, file));
    if (is_ranged && (file->first != next || file->count > all - next))
      return REFUSE("the manifest's file %s has rows or steps that are not the next ones",
                    file->name);
    next += file->count;
  }
  if (is_ranged && next != all)
    return REFUSE("the manifest's files have %zu of %zu rows or steps", next, all);
  return TRM_OK;
}

static trm_status read_type(const json_t *from, trm_type *out)
{
  const char *text = json_string_value(json_object_get(from, "type"));
  for (int type = 0; type < 4 && text; type++)
    if (strcmp(text, trm_type_name((trm_type)type)) == 0) {
      *out = (trm_type)type;
      return TRM_OK;
    }
  return REFUSE("the manifest has an array of an unknown type");
}

static trm_status read_array(const json_t *from, trm_manifest_array *out)
{
  const json_t *shape = json_object_get(from, "shape");
  size_t each;
  TRM_TRY(read_name(from, "name", out->name));
  TRM_TRY(read_type(from, &out->type));
  if (json_array_size(shape) != 3) return REFUSE("the array '%s' has no shape", out->name);
  TRM_TRY(read_size(json_array_get(shape, 0), "shape", &out->components));
  TRM_TRY(read_size(json_array_get(shape, 1), "shape", &out->rows));
  TRM_TRY(read_size(json_array_get(shape, 2), "shape", &out->nx));
  TRM_TRY(trm_size_mul(out->components, out->nx, out->name, &each));
  TRM_TRY(trm_size_mul(each, trm_type_size(out->type), out->name, &each));
  if (each == 0 || out->rows == 0) return REFUSE("the array '%s' is empty", out->name);
  return read_files(json_object_get(from, "parts"), 1, each, out->rows, &out->parts,
                    &out->part_count);
}

static trm_status read_arrays(const json_t *list, trm_manifest *out)
{
  const size_t count = json_array_size(list);
  if (count == 0) return REFUSE("the manifest has no arrays");
  out->arrays = calloc(count, sizeof *out->arrays);
  if (!out->arrays) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu arrays", count);
  out->array_count = count;
  for (size_t i = 0; i < count; i++) {
    TRM_TRY(read_array(json_array_get(list, i), &out->arrays[i]));
    for (size_t k = 0; k < i; k++)
      if (strcmp(out->arrays[k].name, out->arrays[i].name) == 0)
        return REFUSE("the manifest has the array '%s' twice", out->arrays[i].name);
  }
  return TRM_OK;
}

static trm_status read_series(const json_t *from, trm_manifest *out)
{
  size_t each;
  TRM_TRY(read_size(json_object_get(from, "count"), "count of series", &out->series_count));
  TRM_TRY(trm_size_mul(out->series_count, sizeof(double), "the series", &each));
  return read_files(json_object_get(from, "segments"), 1, each,
                    out->series_count ? (size_t)out->step : 0, &out->segments,
                    &out->segment_count);
}

static trm_status read_time(const json_t *from, double *out)
{
  const char *text = json_string_value(json_object_get(from, "time"));
  char *end = NULL;
  const double time = text ? strtod(text, &end) : 0;
  if (!text || !*text || *end || !isfinite(time)) return REFUSE("the manifest has no time");
  *out = time;
  return TRM_OK;
}

static trm_status read_all(const json_t *json, trm_manifest *out)
{
  const char *kind = json_string_value(json_object_get(json, "kind"));
  const json_t *schema = json_object_get(json, "schema");
  size_t step;
  if (!kind || strcmp(kind, "checkpoint") != 0 || !json_is_integer(schema))
    return REFUSE("this is not a manifest of a checkpoint");
  const json_int_t number = json_integer_value(schema);
  if (number < 1 || number > TRM_CHECKPOINT_SCHEMA)
    return REFUSE("the manifest has schema %lld, and this program knows 1 to %d; use the version "
                  "of Trireme that wrote it", (long long)number, TRM_CHECKPOINT_SCHEMA);
  out->schema = (int)number;
  TRM_TRY(read_size(json_object_get(json, "step"), "step", &step));
  out->step = step;
  TRM_TRY(read_time(json, &out->time));
  TRM_TRY(read_arrays(json_object_get(json, "arrays"), out));
  TRM_TRY(read_series(json_object_get(json, "series"), out));
  return read_files(json_object_get(json, "files"), 0, 0, 0, &out->files, &out->file_count);
}

trm_status trm_manifest_read(const char *text, size_t bytes, trm_manifest *out)
{
  trm_manifest read = {0};
  TRM_TRY(trmi_json_parse("the manifest", text, bytes, &read.json));
  const trm_status status = read_all(read.json, &read);
  if (status == TRM_OK) *out = read;
  else trm_manifest_clear(&read);
  return status;
}

void trm_manifest_clear(trm_manifest *manifest)
{
  for (size_t i = 0; i < manifest->array_count; i++) free(manifest->arrays[i].parts);
  free(manifest->arrays);
  free(manifest->segments);
  free(manifest->files);
  json_decref(manifest->json);
  *manifest = (trm_manifest){0};
}
