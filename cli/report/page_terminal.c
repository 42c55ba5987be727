/* page_terminal.c - a page on a terminal: its texts and tables, as wide as that is. */
#include "cli/report/page.h"

#include <math.h>
#include <string.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "run/text/text.h"

static void cell_of(const void *of, size_t row, size_t column, char text[TABLE_TEXT])
{
  const page_block *table = of;
  text_copy(text, TABLE_TEXT, table->cells[(row + 1) * table->columns + column].text);
}

static int has_numbers(const page_block *table, size_t column)
{
  for (size_t i = table->columns + column; i < table->cell_count; i += table->columns)
    if (isfinite(table->cells[i].number)) return 1;
  return 0;
}

/* The line below a row; "-" is none. */
static const char *remark_of(const void *of, size_t row)
{
  const page_block *table = of;
  const char *text = table->cells[(row + 2) * table->columns - 1].text;
  return text && strcmp(text, "-") != 0 ? text : NULL;
}

static void print_table(const page_block *table, int is_explained)
{
  table_column columns[TABLE_COLUMNS];
  const int has_notes = table->ranks[table->columns - 1] == 'n';
  const size_t count = table->columns - (size_t)has_notes;
  for (size_t i = 0; i < count; i++)
    columns[i] =
      (table_column){table->cells[i].text, !has_numbers(table, i), table->ranks[i] - '0'};
  table_print_noted(columns, count, cell_of, has_notes ? remark_of : NULL, table,
                    table->cell_count / table->columns - 1);
  if (is_explained) terminal_print(0, 0, table->text);
}

static void print_item(const page_block *item)
{
  static const char *const words[] = {"", "ok: ", "warning: ", "unknown: "};
  const message_colour colour = item->mark == MARK_WARNING ? COLOUR_BAD : COLOUR_GOOD;
  const int is_coloured = item->mark == MARK_WARNING || item->mark == MARK_GOOD;
  printf("- %s%s%s", is_coloured ? colour_begin(stdout, colour) : "", words[item->mark],
         is_coloured ? colour_end(stdout, colour) : "");
  terminal_print(2 + (int)strlen(words[item->mark]), 2, item->text);
}

static int is_kind(const page *from, size_t i, block_kind kind)
{
  return i < from->count && from->blocks[i].kind == kind;
}

/* A text that leads to a figure goes with it, unless a table follows that. */
static int is_shown(const page *from, size_t i)
{
  const int leads_on = is_kind(from, i, BLOCK_TEXT) && is_kind(from, i + 1, BLOCK_FIGURE) &&
                       !is_kind(from, i + 2, BLOCK_TABLE);
  return !is_kind(from, i, BLOCK_FIGURE) && !leads_on;
}

static void print_block(const page *from, const page_block *block)
{
  switch (block->kind) {
  case BLOCK_TEXT: terminal_print(0, 0, block->text); break;
  case BLOCK_ITEM: print_item(block); break;
  case BLOCK_COMMAND: printf("  %s\n", block->text); break;
  case BLOCK_TABLE: print_table(block, from->is_explained); break;
  case BLOCK_SECTION:
  case BLOCK_FIGURE: break;
  }
}

void page_print(const page *from)
{
  const page_block *section = NULL; /* whose title comes before what is in it */
  if (from->title[0]) printf("%s\n", from->title);
  for (size_t i = 0; i < from->count; i++) {
    const page_block *block = &from->blocks[i];
    if (block->kind == BLOCK_SECTION) section = block;
    else if (is_shown(from, i)) {
      if (section) printf("\n%s\n", section->text);
      else if (is_kind(from, i - 1, BLOCK_TABLE)) printf("\n");
      section = NULL;
      print_block(from, block);
    }
  }
}
