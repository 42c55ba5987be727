/* members.h - members of JSON objects: asked for by name, and written and read by tables.
 *
 * Documents come from elsewhere: a member that is absent or of another type is unknown, never a
 * crash and never zero. A path names a member of a member: "speed.seconds". */
#ifndef TRIREME_RUN_MEMBERS_H
#define TRIREME_RUN_MEMBERS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "run/measure/statistics.h"

/* Members of an object; NULL counts as an object without members: NaN and "" where there is no such
 * number or text. */
const json_t *member(const json_t *object, const char *path);
double member_number(const json_t *object, const char *path);
const char *member_text(const json_t *object, const char *path);
/* The median of a sample, or the number itself. */
double member_median(const json_t *object, const char *path);

typedef enum member_kind {
  MEMBER_NUMBER,               /* double; null where it is not finite */
  MEMBER_COUNT,                /* uint64_t or size_t */
  MEMBER_TEXT,                 /* char[]: cut between two characters where it is too long */
  MEMBER_FLAG,                 /* int: true or false */
  MEMBER_SAMPLE                /* sample; null where it was not measured */
} member_kind;

/* Where a member lies in a struct. */
typedef struct member_place {
  const char *path;
  member_kind kind;
  size_t offset, bytes;
} member_place;

#define MEMBER(type, kind, path, name) \
  {path, MEMBER_##kind, offsetof(type, name), sizeof ((type *)0)->name}

/* Sets the members of an object, and returns it; NULL, where no memory was left: does nothing. */
json_t *members_write(json_t *to, const member_place *table, size_t count, const void *from);
void members_read(const json_t *from, const member_place *table, size_t count, void *to);
#define MEMBERS_WRITE(to, table, from) \
  members_write(to, table, sizeof (table) / sizeof *(table), from)
#define MEMBERS_READ(from, table, to) \
  members_read(from, table, sizeof (table) / sizeof *(table), to)

/* "NAME_interval" and "NAME_confidence", as benchmark_json_ratio writes them. */
interval member_interval(const json_t *object, const char *name);
/* [low, high] of numbers; an array of them. */
json_t *member_pair(double low, double high);
json_t *member_array(const double *values, size_t count);

#endif
