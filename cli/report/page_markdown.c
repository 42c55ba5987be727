/* page_markdown.c - a page as Markdown, with its figures beside it as SVG. */
#include "cli/report/page.h"

#include "cli/report/markup.h"
#include "run/text/text.h"

static void print_table(FILE *out, const page_block *table)
{
  fputc('\n', out);
  for (size_t i = 0; i < table->cell_count; i++) {
    if (i % table->columns == 0) fputc('|', out);
    fputc(' ', out);
    markdown_text(out, table->cells[i].text);
    fputs(" |", out);
    if ((i + 1) % table->columns == 0) fputc('\n', out);
    if (i + 1 == table->columns) {
      fputc('|', out);
      for (size_t k = 0; k < table->columns; k++) fputs(" --- |", out);
      fputc('\n', out);
    }
  }
  fputs("\n*", out);
  markdown_text(out, table->text);
  fputs("*\n", out);
}

static void print_item(FILE *out, const page_block *item)
{
  static const char *const marks[] = {"", "**ok:** ", "**warning:** ", "**unknown:** "};
  fprintf(out, "- %s", marks[item->mark]);
  markdown_text(out, item->text);
  fputc('\n', out);
}

static void print_block(FILE *out, const page_block *block, int after_item, const char *files)
{
  if (after_item && block->kind != BLOCK_ITEM) fputc('\n', out);
  if (block->kind == BLOCK_SECTION || block->kind == BLOCK_TEXT) {
    fputs(block->kind == BLOCK_SECTION ? "\n## " : "\n", out);
    markdown_text(out, block->text);
    fputc('\n', out);
  } else if (block->kind == BLOCK_ITEM) {
    if (!after_item) fputc('\n', out);
    print_item(out, block);
  } else if (block->kind == BLOCK_COMMAND) {
    fputc('\n', out);
    markdown_code(out, "sh", block->text);
  } else if (block->kind == BLOCK_TABLE) {
    print_table(out, block);
  } else {
    fputs("\n![", out);
    markdown_text(out, block->more);
    fprintf(out, "](%s-%s.svg)\n\n*", files, block->id);
    markdown_text(out, block->text);
    fputs("*\n", out);
  }
}

char *page_markdown(const page *from, const char *files)
{
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  fputs("# ", out);
  markdown_text(out, from->title);
  fputc('\n', out);
  for (size_t i = 0; i < from->count; i++)
    print_block(out, &from->blocks[i], i > 0 && from->blocks[i - 1].kind == BLOCK_ITEM, files);
  return text_end(&stream);
}
