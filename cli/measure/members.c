/* members.c - JSON objects by name and by table. */
#include "cli/measure/members.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/json.h"

/* ---- by name ------------------------------------------------------------------- */

const json_t *member(const json_t *object, const char *path)
{
  while (object && *path) {
    char name[64];
    const size_t length = strcspn(path, ".");
    if (length >= sizeof name) return NULL;
    memcpy(name, path, length);
    name[length] = 0;
    object = json_object_get(object, name);
    path += length + (path[length] == '.');
  }
  return json_is_null(object) ? NULL : object;
}

double member_number(const json_t *object, const char *path)
{
  const json_t *found = member(object, path);
  return json_is_number(found) ? json_number_value(found) : (double)NAN;
}

const char *member_text(const json_t *object, const char *path)
{
  const char *text = json_string_value(member(object, path));
  return text ? text : "";
}

double member_median(const json_t *object, const char *path)
{
  const json_t *found = member(object, path);
  return json_is_object(found) ? member_number(found, "median") : member_number(object, path);
}

json_t *member_pair(double low, double high)
{
  return json_pack("[o,o]", json_number(low), json_number(high));
}

json_t *member_array(const double *values, size_t count)
{
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_number(values[i]));
  return array;
}

/* ---- by table ------------------------------------------------------------------- */

static json_t *value_of(const member_place *place, const void *at)
{
  switch (place->kind) {
  case MEMBER_NUMBER: return json_number(*(const double *)at);
  case MEMBER_COUNT: return json_integer((json_int_t)*(const uint64_t *)at);
  case MEMBER_TEXT: return json_text(at);
  case MEMBER_SAMPLE: return json_sample(at);
  case MEMBER_FLAG: break;
  }
  return json_boolean(*(const int *)at);
}

json_t *members_write(json_t *to, const member_place *table, size_t count, const void *from)
{
  if (!to) to = json_object();
  for (size_t i = 0; i < count; i++)
    json_object_set_new(to, table[i].path,
                        value_of(&table[i], (const char *)from + table[i].offset));
  return to;
}

void members_read(const json_t *from, const member_place *table, size_t count, void *to)
{
  for (size_t i = 0; i < count; i++) {
    const json_t *value = member(from, table[i].path);
    void *at = (char *)to + table[i].offset;
    switch (table[i].kind) {
    case MEMBER_NUMBER: *(double *)at = member_number(from, table[i].path); break;
    case MEMBER_COUNT: *(uint64_t *)at = (uint64_t)json_integer_value(value); break;
    case MEMBER_TEXT: text_copy(at, table[i].bytes, member_text(from, table[i].path)); break;
    case MEMBER_FLAG: *(int *)at = json_is_true(value); break;
    case MEMBER_SAMPLE:
      *(sample *)at = (sample){member_number(value, "least"), member_number(value, "median"),
                               member_number(value, "most"),
                               (int)json_integer_value(member(value, "count"))};
      break;
    }
  }
}

/* ---- texts ---------------------------------------------------------------------- */

void text_copy(char *out, size_t bytes, const char *text)
{
  size_t length = strnlen(text, bytes);
  if (length == bytes)
    for (length--; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) length--;
  memmove(out, text, length);
  out[length] = 0;
}

void text_append(char *text, size_t bytes, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, bytes - used, format, list);
  va_end(list);
}

/* Bytes of the character that begins here; 0: none does. */
static size_t character(const char *text)
{
  const unsigned char first = (unsigned char)*text;
  const size_t bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2
                       : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < bytes; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
  return bytes;
}

char *text_clean(char *text)
{
  char *to = text;
  for (const char *from = text; *from;) {
    const size_t bytes = character(from);
    const int is_control = (unsigned char)*from < 32 || *from == 127 ||
                           (bytes == 2 && *from == '\xc2' && (unsigned char)from[1] < 0xa0);
    if (is_control) *to++ = ' ';
    else for (size_t i = 0; i < bytes; i++) *to++ = from[i];
    from += bytes ? bytes : 1;
  }
  *to = 0;
  return text;
}

FILE *text_begin(text_stream *stream)
{
  *stream = (text_stream){0};
  return stream->out = open_memstream(&stream->text, &stream->bytes);
}

char *text_end(text_stream *stream)
{
  const int failed = ferror(stream->out);
  if (fclose(stream->out) == 0 && !failed) return stream->text;
  free(stream->text);
  return NULL;
}

/* ---- CSV ------------------------------------------------------------------------ */

void csv_text(FILE *out, const char *text)
{
  const int is_quoted = text[strcspn(text, ",\"\n\r")] != 0;
  if (is_quoted) fputc('"', out);
  if (*text && strchr("=+-@", *text)) fputc('\'', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc((unsigned char)*text < 32 || *text == 127 ? ' ' : *text, out);
  }
  if (is_quoted) fputc('"', out);
}

static void csv_value(FILE *out, const json_t *value)
{
  if (json_is_integer(value)) fprintf(out, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value)) fprintf(out, "%.17g", json_real_value(value));
  else if (json_is_boolean(value)) fputs(json_is_true(value) ? "true" : "false", out);
  else if (json_is_string(value)) csv_text(out, json_string_value(value));
}

char *csv_rows(const json_t *rows, const char *const *columns)
{
  text_stream stream;
  const json_t *row;
  size_t i;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  for (size_t k = 0; columns[k]; k++) {
    if (k) fputc(',', out);
    for (const char *c = columns[k]; *c; c++) fputc(*c == '.' ? '_' : *c, out);
  }
  json_array_foreach((json_t *)rows, i, row)
    for (size_t k = 0; columns[k]; k++) {
      fputc(k ? ',' : '\n', out);
      csv_value(out, member(row, columns[k]));
    }
  fputc('\n', out);
  return text_end(&stream);
}
