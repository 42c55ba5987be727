/* page.h - a report without a format: sections of paragraphs, lists, tables, commands and figures.
 * The files page_html.c, page_markdown.c and page_terminal.c write it out, with each figure as SVG
 * and each table as CSV.
 *
 * Text is plain UTF-8: it is cleaned (text_clean) when it is added, and the writers escape it. If
 * memory is short, the page fails once, at the end. */
#ifndef TRIREME_CLI_PAGE_H
#define TRIREME_CLI_PAGE_H

#include <stdio.h>

#include "core/trireme.h"

typedef enum page_mark { MARK_NONE, MARK_GOOD, MARK_WARNING, MARK_UNKNOWN } page_mark;

typedef enum block_kind { BLOCK_TEXT, BLOCK_ITEM, BLOCK_COMMAND, BLOCK_TABLE, BLOCK_FIGURE,
                          BLOCK_SECTION } block_kind;

typedef struct page_cell {
  char *text;                  /* as shown */
  double number;               /* for the CSV; NaN: the text */
} page_cell;

typedef struct page_block {
  block_kind kind;
  page_mark mark;              /* of an item */
  char *id;                    /* section, table, figure: also part of a file's name */
  char *text;                  /* paragraph, item, command; title of a section, caption of the
                                * others */
  char *more;                  /* figure: its text alternative */
  char *svg;                   /* figure: from chart.h */
  page_cell *cells;            /* table: the heading first, row by row */
  size_t cell_count, columns;
  const char *ranks;           /* table: of its columns on a terminal (page_table) */
} page_block;

typedef struct page {
  char *title;
  const char *style;           /* CSS of its figures (chart_style) */
  page_block *blocks;
  size_t count;
  int failed;                  /* there was no memory: the page cannot be written */
  int is_brief;                /* for page_print: numbers with four digits, no advice, and no line
                                * that only says that all is well */
  int is_explained;            /* for page_print: with the captions of its tables */
  page_block nowhere;          /* filled in place of a block for which there was no memory */
} page;

void page_begin(page *out, const char *style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_clear(page *out);

void page_section(page *out, const char *id, const char *title);
void page_text(page *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_item(page *out, page_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What to type. */
void page_command(page *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A table and its headings, ended by NULL; its cells follow, row by row. ranks: a digit for each
 * column. On a terminal that is too narrow, the columns of the highest digit are hidden first,
 * and those of 0 never. 'n': there the cell is a line of its own below the row. */
void page_table(page *out, const char *id, const char *caption, const char *const *headings,
                const char *ranks);
void page_cell_text(page *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number times `scale`, as `format` shows a double, and with nine digits in the CSV; "-", and
 * in the CSV nothing, when it is unknown. */
void page_cell_number(page *out, double number, double scale, const char *format);
/* The same, with a sign behind it that the CSV does not have. */
void page_cell_marked(page *out, double number, const char *format, const char *sign);

/* svg: malloc'd, the page's from now on; NULL: without memory. alternative: what a reader who does
 * not see it needs to know. */
void page_figure(page *out, const char *id, const char *title, char *svg,
                 const char *alternative, ...) __attribute__((format(printf, 5, 6)));

/* Zeroed memory for the data of a figure; the caller frees it; NULL: the page has failed. */
void *page_room(page *out, size_t bytes);

/* The whole page as text; malloc'd. files: the part of a name before "-speed.svg". */
char *page_html(const page *from);
char *page_markdown(const page *from, const char *files);
/* A figure as a file of its own. */
char *page_svg(const page *from, const page_block *figure);
char *page_csv(const page_block *table);
/* Without its figures on stdout, for a terminal. */
void page_print(const page *from);

#endif
