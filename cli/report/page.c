/* page.c - a page is a list of blocks. Every text is cleaned (text_clean) when it is added. */
#include "cli/report/page.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "run/text/csv.h"
#include "run/text/text.h"

static char *copy(page *out, const char *text)
{
  char *made = strdup(text ? text : "");
  if (!made) out->failed = 1;
  return made ? text_clean(made) : NULL;
}

__attribute__((format(printf, 2, 0)))
static char *print(page *out, const char *format, va_list list)
{
  char *made = NULL;
  if (vasprintf(&made, format, list) >= 0) return text_clean(made);
  out->failed = 1;
  return NULL;
}

static void clear_block(page_block *block)
{
  for (size_t i = 0; i < block->cell_count; i++) free(block->cells[i].text);
  free(block->cells);
  free(block->id);
  free(block->text);
  free(block->more);
  free(block->svg);
}

static page_block *add(page *out, block_kind kind)
{
  page_block *grown = realloc(out->blocks, (out->count + 1) * sizeof *grown);
  if (!grown) {
    out->failed = 1;
    clear_block(&out->nowhere);
    out->nowhere = (page_block){.kind = kind};
    return &out->nowhere;
  }
  out->blocks = grown;
  grown[out->count] = (page_block){.kind = kind};
  return &grown[out->count++];
}

void *page_room(page *out, size_t bytes)
{
  void *made = calloc(1, bytes);
  if (!made) out->failed = 1;
  return made;
}

void page_begin(page *out, const char *style, const char *format, ...)
{
  va_list list;
  *out = (page){.style = style};
  va_start(list, format);
  out->title = print(out, format, list);
  va_end(list);
}

void page_clear(page *out)
{
  for (size_t i = 0; i < out->count; i++) clear_block(&out->blocks[i]);
  clear_block(&out->nowhere);
  free(out->blocks);
  free(out->title);
  *out = (page){0};
}

void page_section(page *out, const char *id, const char *title)
{
  page_block *block = add(out, BLOCK_SECTION);
  block->id = copy(out, id);
  block->text = copy(out, title);
}

void page_text(page *out, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  add(out, BLOCK_TEXT)->text = print(out, format, list);
  va_end(list);
}

void page_item(page *out, page_mark mark, const char *format, ...)
{
  va_list list;
  page_block *block = add(out, BLOCK_ITEM);
  va_start(list, format);
  block->mark = mark;
  block->text = print(out, format, list);
  va_end(list);
}

void page_command(page *out, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  add(out, BLOCK_COMMAND)->text = print(out, format, list);
  va_end(list);
}

static void add_cell(page *out, char *text, double number)
{
  page_block *table = out->count ? &out->blocks[out->count - 1] : NULL;
  page_cell *grown = table && table->kind == BLOCK_TABLE
                         ? realloc(table->cells, (table->cell_count + 1) * sizeof *grown) : NULL;
  if (!grown || !text) {
    out->failed = 1;
    free(text);
    if (grown) table->cells = grown;
    return;
  }
  table->cells = grown;
  grown[table->cell_count++] = (page_cell){text, number};
}

void page_table(page *out, const char *id, const char *caption, const char *const *headings,
                const char *ranks)
{
  page_block *table = add(out, BLOCK_TABLE);
  table->ranks = ranks;
  table->id = copy(out, id);
  table->text = copy(out, caption);
  for (; headings[table->columns]; table->columns++) {}
  for (size_t i = 0; headings[i]; i++) add_cell(out, copy(out, headings[i]), NAN);
}

void page_cell_text(page *out, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  add_cell(out, print(out, format, list), NAN);
  va_end(list);
}

static void add_number(page *out, double number, const char *format, const char *sign)
{
  char text[64] = "-";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (isfinite(number)) snprintf(text, sizeof text, format, number);
#pragma GCC diagnostic pop
  const int is_count = strcmp(format, "%.0f") == 0;
  if (isfinite(number) && out->is_brief && !is_count) {
    table_significant(number, text, sizeof text / 2);
    if (strstr(format, " %%")) strcat(text, " %");
  }
  const size_t used = strlen(text);
  if (isfinite(number)) snprintf(text + used, sizeof text - used, "%s", sign);
  add_cell(out, copy(out, text), isfinite(number) ? number : (double)NAN);
}

void page_cell_number(page *out, double number, double scale, const char *format)
{
  add_number(out, number * scale, format, "");
}

void page_cell_marked(page *out, double number, const char *format, const char *sign)
{
  add_number(out, number, format, sign);
}

void page_figure(page *out, const char *id, const char *title, char *svg,
                 const char *alternative, ...)
{
  va_list list;
  page_block *block = add(out, BLOCK_FIGURE);
  block->id = copy(out, id);
  block->text = copy(out, title);
  block->svg = svg;
  if (!svg) out->failed = 1;
  va_start(list, alternative);
  block->more = print(out, alternative, list);
  va_end(list);
}

/* ---- CSV ------------------------------------------------------------------------ */

/* Prints "us_a_step" for "µs a step": a name that every program for tables accepts. */
static void csv_name(FILE *out, const char *heading)
{
  int is_gap = 0, begun = 0;
  for (const char *c = heading; *c; c++) {
    const char letter = strncmp(c, "\u00b5", 2) == 0 ? 'u' : *c;
    if (!isalnum((unsigned char)letter)) {
      is_gap = (unsigned char)letter < 0x80;
      continue;
    }
    if (is_gap && begun) fputc('_', out);
    fputc(letter, out);
    is_gap = 0;
    begun = 1;
  }
}

char *page_csv(const page_block *table)
{
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  for (size_t i = 0; i < table->cell_count; i++) {
    const page_cell *cell = &table->cells[i];
    if (i < table->columns) csv_name(out, cell->text);
    else if (isfinite(cell->number)) fprintf(out, "%.9g", cell->number);
    else if (strcmp(cell->text, "-") != 0) csv_text(out, cell->text);
    fputc((i + 1) % table->columns ? ',' : '\n', out);
  }
  return text_end(&stream);
}
