/* text.h - texts of UTF-8: copied, appended to, cleaned, and written as a stream. */
#ifndef TRIREME_RUN_TEXT_H
#define TRIREME_RUN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Copies UTF-8, cut between two characters. */
void text_copy(char *out, size_t bytes, const char *text);
/* Appends to a text as far as there is room. */
void text_append(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* In place: control characters become blanks. Bytes that are not UTF-8, such as half a character at
 * a cut, are removed. */
char *text_clean(char *text);

/* A stream that becomes a text: NULL without memory. text_end closes it: malloc'd, or NULL. */
typedef struct text_stream { FILE *out; char *text; size_t bytes; } text_stream;
FILE *text_begin(text_stream *stream);
char *text_end(text_stream *stream);

#endif
