/* members.h - members of JSON objects: asked for by name, and written and read by tables; and rows
 * of objects as CSV.
 *
 * What was read is data from elsewhere: a member that is absent or of another type is unknown,
 * never a crash and never zero. A path names a member of a member: "speed.ceiling". */
#ifndef TRIREME_CLI_MEMBERS_H
#define TRIREME_CLI_MEMBERS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/measure/statistics.h"

/* Members of an object, NULL being none: NaN and "" where there is no such number or text. */
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

/* Sets the members of an object, which is handed back; NULL: a new one. */
json_t *members_write(json_t *to, const member_place *table, size_t count, const void *from);
void members_read(const json_t *from, const member_place *table, size_t count, void *to);
#define MEMBERS_WRITE(to, table, from) \
  members_write(to, table, sizeof (table) / sizeof *(table), from)
#define MEMBERS_READ(from, table, to) \
  members_read(from, table, sizeof (table) / sizeof *(table), to)

/* [low, high] of numbers; an array of them. */
json_t *member_pair(double low, double high);
json_t *member_array(const double *values, size_t count);

/* Copies UTF-8, cut between two characters. */
void text_copy(char *out, size_t bytes, const char *text);
/* Appends to a text as far as there is room. */
void text_append(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* In place: control characters become blanks, and bytes that are no UTF-8, such as half a character
 * at a cut, go. */
char *text_clean(char *text);

/* A stream that becomes a text: NULL without memory. text_end closes it: malloc'd, or NULL. */
typedef struct text_stream { FILE *out; char *text; size_t bytes; } text_stream;
FILE *text_begin(text_stream *stream);
char *text_end(text_stream *stream);

/* A field of a CSV file as RFC 4180 has it. What a spreadsheet would take for a formula (= + - @)
 * gets an apostrophe, and line breaks and other control characters become blanks. */
void csv_text(FILE *out, const char *text);

/* The objects of an array as CSV: malloc'd; NULL without memory. The columns are paths, NULL at the
 * end; in the heading '.' becomes '_'. */
char *csv_rows(const json_t *rows, const char *const *columns);

#endif
