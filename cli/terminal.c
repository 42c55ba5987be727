/* terminal.c - the width of a terminal; tables whose least important columns go where it lacks. */
#include "cli/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_UNKNOWN = 79, BETWEEN = 2 };

int terminal_width(FILE *stream)
{
  struct winsize size;
  const char *columns = getenv("COLUMNS");
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int given = columns ? atoi(columns) : 0;
  return given > 0 && given < 100000 ? given : WIDTH_UNKNOWN;
}

int terminal_redraws(FILE *stream)
{
  const char *name = getenv("TERM");
  return isatty(fileno(stream)) && name && strcmp(name, "dumb") != 0;
}

static const char blanks[] = " \n";

/* The characters of text that stand on a line with this much room: up to a blank, or one word. */
static size_t line_length(const char *text, size_t room)
{
  size_t fits = 0, at = 0;
  do {
    at += strspn(text + at, blanks);
    at += strcspn(text + at, blanks);
    if (at <= room || fits == 0) fits = at;
  } while (text[at] && at <= room);
  return fits;
}

void terminal_print(int used, int indent, const char *text)
{
  const int width = terminal_width(stdout), least = 20;
  if (!isatty(STDOUT_FILENO) || width < indent + least) {
    puts(text);
    return;
  }
  for (int room = width - used; *text; room = width - indent) {
    const size_t length = line_length(text, room > 0 ? (size_t)room : 0);
    for (size_t i = 0; i < length; i++) putchar(text[i] == '\n' ? ' ' : text[i]);
    text += length + strspn(text + length, blanks);
    putchar('\n');
    if (*text) printf("%*s", indent, "");
  }
}

/* ---- tables ---------------------------------------------------------------------- */

/* Columns that UTF-8 takes: a character one. */
static int width_of(const char *text)
{
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static void measure(const table_column *columns, size_t count, table_cell *cell, const void *of,
                    size_t rows, int *widths)
{
  char text[TABLE_TEXT];
  for (size_t i = 0; i < count; i++) {
    widths[i] = width_of(columns[i].head);
    for (size_t row = 0; row < rows; row++) {
      cell(of, row, i, text);
      if (width_of(text) > widths[i]) widths[i] = width_of(text);
    }
  }
}

/* Columns whose rank is above the result do not fit together with the others. */
static int fitting_rank(const table_column *columns, size_t count, const int *widths, int room)
{
  int rank = 0, next = 0;
  for (size_t i = 0; i < count; i++)
    if (columns[i].rank > next) next = columns[i].rank;
  do {
    int sum = -BETWEEN;
    rank = next--;
    for (size_t i = 0; i < count; i++)
      if (columns[i].rank <= rank) sum += widths[i] + BETWEEN;
    if (sum <= room) return rank;
  } while (rank > 0);
  return 0;
}

static void print_line(const table_column *columns, size_t count, const int *widths, int rank,
                       table_cell *cell, const void *of, size_t row)
{
  char text[TABLE_TEXT], line[TABLE_COLUMNS * TABLE_TEXT];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (columns[i].rank > rank) continue;
    if (cell) cell(of, row, i, text);
    else snprintf(text, sizeof text, "%s", columns[i].head);
    const int free = widths[i] - width_of(text), left = columns[i].is_left ? 0 : free;
    used += (size_t)snprintf(line + used, sizeof line - used, "%*s%s%*s",
                             left + (used ? BETWEEN : 0), "", text, free - left, "");
  }
  while (used > 0 && line[used - 1] == ' ') used--;
  printf("%.*s\n", (int)used, line);
}

/* widths: of all columns, which together tell how wide a terminal would have room for them. */
static void print_left_out(const table_column *columns, size_t count, const int *widths, int rank)
{
  int needed = -BETWEEN;
  char text[TABLE_COLUMNS * 36] = "";
  size_t used = 0;
  for (size_t i = 0; i < count; i++) needed += widths[i] + BETWEEN;
  for (size_t i = 0; i < count; i++)
    if (columns[i].rank > rank)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.32s", used ? ", " : "",
                               columns[i].head);
  if (used)
    printf("Hidden columns: %s.\nShow them with COLUMNS=%d or --json.\n", text, needed);
}

void table_print(const table_column *columns, size_t count, table_cell *cell, const void *of,
                 size_t rows)
{
  int widths[TABLE_COLUMNS];
  measure(columns, count, cell, of, rows, widths);
  const int rank = fitting_rank(columns, count, widths, terminal_width(stdout));
  print_line(columns, count, widths, rank, NULL, of, 0);
  for (size_t row = 0; row < rows; row++)
    print_line(columns, count, widths, rank, cell, of, row);
  print_left_out(columns, count, widths, rank);
}

void table_number(char text[TABLE_TEXT], int digits, double value)
{
  if (isfinite(value)) snprintf(text, TABLE_TEXT, "%.*f", digits, value);
  else snprintf(text, TABLE_TEXT, "-");
}
