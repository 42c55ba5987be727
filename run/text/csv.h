/* csv.h - comma-separated values: a field, and objects of JSON as rows. */
#ifndef TRIREME_RUN_CSV_H
#define TRIREME_RUN_CSV_H

#include <jansson.h>
#include <stdio.h>

/* A field of a CSV file by RFC 4180. A text that a spreadsheet would read as a formula (= + - @)
 * gets an apostrophe. Line breaks and other control characters become blanks. */
void csv_text(FILE *out, const char *text);

/* The objects of an array as CSV: malloc'd; NULL without memory. The columns are paths, NULL at the
 * end; in the heading '.' becomes '_'. */
char *csv_rows(const json_t *rows, const char *const *columns);

#endif
