/* members.c - JSON objects by name and by table. */
#include "run/text/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/text/json.h"
#include "run/text/text.h"

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

interval member_interval(const json_t *object, const char *name)
{
  char path[96];
  snprintf(path, sizeof path, "%s_interval", name);
  const json_t *range = member(object, path), *low = json_array_get(range, 0);
  const json_t *high = json_array_get(range, 1);
  snprintf(path, sizeof path, "%s_confidence", name);
  return (interval){json_is_number(low) ? json_number_value(low) : (double)NAN,
                    json_is_number(high) ? json_number_value(high) : (double)NAN,
                    member_number(object, path)};
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
