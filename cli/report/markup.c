/* markup.c - escapes characters that have a meaning in HTML, SVG or Markdown. */
#include "cli/report/markup.h"

#include <string.h>

void html_text(FILE *out, const char *text)
{
  for (; text && *text; text++) {
    if (*text == '<') fputs("&lt;", out);
    else if (*text == '>') fputs("&gt;", out);
    else if (*text == '&') fputs("&amp;", out);
    else if (*text == '"') fputs("&quot;", out);
    else fputc(*text, out);
  }
}

void markdown_text(FILE *out, const char *text)
{
  for (; text && *text; text++) {
    if (strchr("\\`*_[]<>#|&", *text)) fputc('\\', out);
    fputc(*text, out);
  }
}

void markdown_code(FILE *out, const char *language, const char *text)
{
  size_t longest = 2;
  for (const char *at = text; (at = strchr(at, '`'));) {
    const size_t length = strspn(at, "`");
    if (length > longest) longest = length;
    at += length;
  }
  for (int is_end = 0; is_end < 2; is_end++) {
    for (size_t i = 0; i <= longest; i++) fputc('`', out);
    if (!is_end) fprintf(out, "%s\n%s\n", language, text);
  }
  fputc('\n', out);
}
