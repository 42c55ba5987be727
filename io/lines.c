/* lines.c - a text file line by line. */
#include <config.h>

#include "io/lines.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>

const char trmi_blanks[] = " \t\r\v\f";

trm_status trmi_lines_open(const char *path, size_t limit, trmi_lines *out)
{
  size_t bytes = 0;
  *out = (trmi_lines){.path = path};
  TRM_TRY(trm_file_load_text(path, limit, &out->text, &bytes));
  if (memchr(out->text, '\0', bytes)) {
    trmi_lines_close(out);
    return TRM_FAIL(INPUT, "%s: a zero byte: this is not a text file; name another", path);
  }
  out->next = out->text;
  return TRM_OK;
}

void trmi_lines_close(trmi_lines *lines)
{
  free(lines->text);
  *lines = (trmi_lines){0};
}

int trmi_lines_next(trmi_lines *lines)
{
  while (*lines->next) {
    char *end = strchr(lines->next, '\n');
    if (end) *end = '\0';
    lines->line = lines->next + strspn(lines->next, trmi_blanks);
    lines->next = end ? end + 1 : lines->next + strlen(lines->next);
    lines->number++;
    size_t length = strlen(lines->line);
    while (length && strchr(trmi_blanks, lines->line[length - 1])) lines->line[--length] = '\0';
    if (length) return 1;
  }
  return 0;
}

size_t trmi_lines_count(const trmi_lines *lines)
{
  size_t count = 1;
  for (const char *c = lines->next; *c; c++) count += *c == '\n';
  return count;
}
