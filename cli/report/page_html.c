/* page_html.c - a page as one HTML file that needs nothing else: no script, no network, no font.
 *
 * Light and dark follow the reader's system. Wide tables and figures scroll in themselves, with a
 * shadow at the side of the hidden part. On a narrow screen a table of few columns has its long
 * text below the rest of each row. On paper everything is black on white and nothing scrolls. */
#include "cli/report/page.h"

#include <math.h>
#include <string.h>

#include "cli/report/markup.h"
#include "run/text/text.h"

static const char style[] =
  ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--paper:#fff;"
  "--box:#f6f8fa;--shade:#afb8c1;--good:#116329;--bad:#a40e26;--odd:#7d4e00}\n"
  "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--line:#3d444d;"
  "--paper:#0d1117;--box:#161b22;--shade:#57606a;--good:#56d364;--bad:#ff7b72;--odd:#e3b341}}\n"
  "body{margin:0 auto;padding:1rem;max-width:80rem;background:var(--paper);color:var(--ink);"
  "font:16px/1.5 system-ui,sans-serif}\n"
  "h1{font-size:1.7rem;line-height:1.2}h2{font-size:1.3rem;margin:2.2rem 0 .6rem;padding-top:.6rem;"
  "border-top:1px solid var(--line)}\n"
  "nav{font-size:.9rem}nav a{margin-right:.9rem;display:inline-block}a{color:inherit}\n"
  "p,li{max-width:60rem;overflow-wrap:anywhere}ul{padding-left:1.2rem}li{margin:.25rem 0}\n"
  "li b{font-weight:600}.good b{color:var(--good)}.warning b{color:var(--bad)}"
  ".unknown b{color:var(--odd)}\n"
  ".wide{margin:1rem 0 0;overflow-x:auto;background:"
  "linear-gradient(90deg,var(--paper),var(--paper)) left/1rem 100% no-repeat local,"
  "linear-gradient(90deg,var(--paper),var(--paper)) right/1rem 100% no-repeat local,"
  "linear-gradient(90deg,var(--shade),transparent) left/1rem 100% no-repeat,"
  "linear-gradient(270deg,var(--shade),transparent) right/1rem 100% no-repeat}\n"
  "table{border-collapse:collapse;font-size:.78rem;font-variant-numeric:tabular-nums}\n"
  ".under{color:var(--soft);font-size:.86rem;margin:.3rem 0 1rem}\n"
  "th,td{padding:.3rem .45rem;border-bottom:1px solid var(--line);text-align:left;"
  "vertical-align:top;white-space:nowrap}th{font-weight:600}.n{text-align:right}"
  ".w{white-space:normal;min-width:min(22rem,80vw)}"
  "@media screen and (max-width:48rem){tr>:first-child:not(:only-child){position:sticky;left:0;"
  "background:var(--paper)}}\n"
  "@media screen and (max-width:34rem){.few tr{display:flex;flex-wrap:wrap;"
  "border-bottom:1px solid var(--line)}.few th,.few td{border:0}"
  ".few .w{flex:0 0 100%;min-width:0;box-sizing:border-box;padding-top:0}}\n"
  "figure{margin:1.2rem 0}figure svg{display:block;width:100%;min-width:34rem;max-width:47rem;"
  "height:auto}figcaption{color:var(--soft);font-size:.86rem;max-width:60rem}\n"
  "pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem;"
  "white-space:pre-wrap;overflow-wrap:anywhere;font-size:.86rem}\n"
  "@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--box:#fff;--good:#116329;"
  "--bad:#a40e26;--odd:#7d4e00;color-scheme:light}body{max-width:none;padding:0;font-size:10pt}"
  "nav{display:none}.wide{overflow:visible;background:none}figure,tr,pre{break-inside:avoid}"
  "h2,p:has(+figure),p:has(+.wide),p:has(+pre){break-after:avoid}.under{break-before:avoid}"
  "figure svg{min-width:0;max-width:15cm}table{font-size:6.5pt}th,td{white-space:normal;"
  "padding:.15rem .3rem}.n,.s{white-space:nowrap}.w{min-width:0}}\n";

static void element(FILE *out, const char *open, const char *text, const char *close)
{
  fputs(open, out);
  html_text(out, text);
  fputs(close, out);
}

/* Columns with numbers stand to the right; those of long texts may be broken into lines, on paper
 * all but the shortest. */
static const char *column_class(const page_block *table, size_t column)
{
  enum { SHORT_TEXT = 14, LONG_TEXT = 44 };
  size_t longest = 0;
  for (size_t i = table->columns + column; i < table->cell_count; i += table->columns) {
    if (isfinite(table->cells[i].number)) return " class=\"n\"";
    const size_t length = strlen(table->cells[i].text);
    if (length > longest) longest = length;
  }
  return longest > LONG_TEXT ? " class=\"w\"" : longest <= SHORT_TEXT ? " class=\"s\"" : "";
}

static void print_table(FILE *out, const page_block *table)
{
  enum { FEW = 4 };
  fprintf(out, "<div class=\"wide\" tabindex=\"0\"><table%s aria-describedby=\"table-%s\">\n"
          "<thead><tr>", table->columns <= FEW ? " class=\"few\"" : "", table->id);
  for (size_t i = 0; i < table->cell_count; i++) {
    const size_t column = i % table->columns;
    const int heading = i < table->columns;
    if (column == 0 && i > 0) fputs("<tr>", out);
    fprintf(out, "<%s%s>", heading ? "th scope=\"col\"" : column == 0 ? "th scope=\"row\"" : "td",
            column_class(table, column));
    html_text(out, table->cells[i].text);
    fputs(heading || column == 0 ? "</th>" : "</td>", out);
    if (column + 1 == table->columns) fputs(heading ? "</tr></thead><tbody>\n" : "</tr>\n", out);
  }
  fprintf(out, "</tbody></table></div>\n<p class=\"under\" id=\"table-%s\">", table->id);
  element(out, "", table->text, "</p>\n");
}

/* The <svg> with its text alternative; alone: with the style that a page has once. */
static void print_figure(FILE *out, const page_block *figure, const char *alone)
{
  const char *rest = strchr(figure->svg, '>');
  fprintf(out, "%.*s role=\"img\" aria-label=\"", (int)(rest - figure->svg), figure->svg);
  element(out, "", figure->more, "\">");
  if (alone) fprintf(out, "<style>.chart{background:#fff}@media screen and "
                          "(prefers-color-scheme:dark)"
                     "{.chart{background:#0d1117}}\n%s</style>", alone);
  fputs(rest + 1, out);
}

char *page_svg(const page *from, const page_block *figure)
{
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
  print_figure(out, figure, from->style);
  fputc('\n', out);
  return text_end(&stream);
}

static void print_item(FILE *out, const page_block *item)
{
  static const char *const classes[] = {"", "good", "warning", "unknown"};
  static const char *const words[] = {"", "ok", "warning", "unknown"};
  fprintf(out, "<li class=\"%s\">", classes[item->mark]);
  if (item->mark != MARK_NONE) fprintf(out, "<b>%s</b>: ", words[item->mark]);
  element(out, "", item->text, "</li>\n");
}

static void print_block(FILE *out, const page_block *block)
{
  switch (block->kind) {
  case BLOCK_SECTION:
    fprintf(out, "<h2 id=\"%s\">", block->id);
    element(out, "", block->text, "</h2>\n");
    break;
  case BLOCK_TEXT: element(out, "<p>", block->text, "</p>\n"); break;
  case BLOCK_ITEM: print_item(out, block); break;
  case BLOCK_COMMAND: element(out, "<pre><code>", block->text, "</code></pre>\n"); break;
  case BLOCK_TABLE: print_table(out, block); break;
  case BLOCK_FIGURE:
    fputs("<figure><div class=\"wide\" tabindex=\"0\">", out);
    print_figure(out, block, NULL);
    element(out, "</div><figcaption>", block->text, "</figcaption></figure>\n");
    break;
  }
}

static void print_contents(FILE *out, const page *from)
{
  fputs("<nav aria-label=\"Sections\">", out);
  for (size_t i = 0; i < from->count; i++) {
    if (from->blocks[i].kind != BLOCK_SECTION) continue;
    fprintf(out, "<a href=\"#%s\">", from->blocks[i].id);
    element(out, "", from->blocks[i].text, "</a> ");
  }
  fputs("</nav>\n", out);
}

char *page_html(const page *from)
{
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  element(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>", from->title, "</title>\n<style>\n");
  fputs(style, out);
  fputs(from->style, out);
  element(out, "</style></head><body>\n<h1>", from->title, "</h1>\n");
  print_contents(out, from);
  fputs("<main>\n", out);
  for (size_t i = 0; i < from->count; i++) {
    const int item = from->blocks[i].kind == BLOCK_ITEM;
    if (item && (i == 0 || from->blocks[i - 1].kind != BLOCK_ITEM)) fputs("<ul>\n", out);
    print_block(out, &from->blocks[i]);
    if (item && (i + 1 == from->count || from->blocks[i + 1].kind != BLOCK_ITEM))
      fputs("</ul>\n", out);
  }
  fputs("</main></body></html>\n", out);
  return text_end(&stream);
}
