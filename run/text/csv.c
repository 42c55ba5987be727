/* csv.c - see csv.h. */
#include "run/text/csv.h"

#include <string.h>

#include "run/text/members.h"
#include "run/text/text.h"

void csv_text(FILE *out, const char *text)
{
  const int is_quoted = text[strcspn(text, ",\"\n\r")] != 0;
  if (is_quoted) fputc('"', out);
  if (*text && strchr("=+-@", *text)) fputc('\'', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc((unsigned char)*text < 32 || *text == 127 ? ' ' : *text, out);
  }
  if (is_quoted) fputc('"', out);
}

static void csv_value(FILE *out, const json_t *value)
{
  if (json_is_integer(value)) fprintf(out, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value)) fprintf(out, "%.17g", json_real_value(value));
  else if (json_is_boolean(value)) fputs(json_is_true(value) ? "true" : "false", out);
  else if (json_is_string(value)) csv_text(out, json_string_value(value));
}

char *csv_rows(const json_t *rows, const char *const *columns)
{
  text_stream stream;
  const json_t *row;
  size_t i;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  for (size_t k = 0; columns[k]; k++) {
    if (k) fputc(',', out);
    for (const char *c = columns[k]; *c; c++) fputc(*c == '.' ? '_' : *c, out);
  }
  json_array_foreach((json_t *)rows, i, row)
    for (size_t k = 0; columns[k]; k++) {
      fputc(k ? ',' : '\n', out);
      csv_value(out, member(row, columns[k]));
    }
  fputc('\n', out);
  return text_end(&stream);
}
