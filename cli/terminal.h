/* terminal.h - how wide the terminal is, and tables and paragraphs that fit it. */
#ifndef TRIREME_CLI_TERMINAL_H
#define TRIREME_CLI_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

enum { TABLE_TEXT = 160, TABLE_COLUMNS = 32 };

/* Columns that a line may have: COLUMNS if it is set, else the width of the terminal behind the
 * stream (read anew each time, since it may change), else 79. */
int terminal_width(FILE *stream);
/* Whether a line can be drawn over on it: no file, and no terminal that calls itself dumb. */
int terminal_redraws(FILE *stream);

/* Prints a text and a newline on stdout, of which the first `used` columns are taken. On a terminal
 * lines end at blanks, and further ones begin at column `indent`; elsewhere it is left as it is. */
void terminal_print(int used, int indent, const char *text);
/* The same on another stream. */
void terminal_write(FILE *stream, int used, int indent, const char *text);

typedef struct table_column {
  const char *head;
  int is_left;      /* text; else a number, to the right */
  int rank;         /* 0: always shown; of the others the highest goes first where width lacks */
} table_column;

/* Writes the cell into text; called more than once for each. */
typedef void table_cell(const void *of, size_t row, size_t column, char text[TABLE_TEXT]);

/* A table on stdout that fits its width, and a line that names the columns left out. */
/* With a line below each row for which `note` has one. */
typedef const char *table_note(const void *of, size_t row);
void table_print_noted(const table_column *columns, size_t count, table_cell *cell,
                       table_note *note, const void *of, size_t rows);
void table_print(const table_column *columns, size_t count, table_cell *cell, const void *of,
                 size_t rows);
/* A number with four significant digits, "-" where it is not known. */
void table_significant(double value, char *text, size_t bytes);
/* A number for a cell, "-" where it is not known. */
void table_number(char text[TABLE_TEXT], int digits, double value);

#endif
