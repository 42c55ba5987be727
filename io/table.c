/* table.c - reads a table of two columns (table.h). */
#include <config.h>

#include "io/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "io/lines.h"

enum { FILE_LIMIT = 1 << 30 };

static trm_status add_point(const trmi_lines *lines, const char *place, const char *value,
                            trm_table *table)
{
  double x, y;
  int used = 0;
  if (sscanf(lines->line, "%lf%*[ \t,;]%lf%n", &x, &y, &used) != 2 || lines->line[used] ||
      trm_has_hexadecimal(lines->line) || !isfinite(x) || !isfinite(y))
    return TRM_FAIL(INPUT, "%s:%d: '%s' is not %s and %s; write lines such as '12.5 0.04'",
                    lines->path, lines->number, lines->line, place, value);
  if (table->count && !(x > table->places[table->count - 1]))
    return TRM_FAIL(INPUT, "%s:%d: %g comes after %g: sort the lines, each with %s of its own",
                    lines->path, lines->number, x, table->places[table->count - 1], place);
  table->places[table->count] = x;
  table->values[table->count++] = y;
  return TRM_OK;
}

static int is_passed_over(const trmi_lines *lines, const trm_table *table)
{
  const char c = lines->line[0];
  return c == '#' || (!table->count && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')));
}

trm_status trm_table_read(const char *path, const char *place, const char *value, trm_table *out)
{
  trmi_lines lines;
  TRM_TRY(trmi_lines_open(path, FILE_LIMIT, &lines));
  const size_t most = trmi_lines_count(&lines) + 1;
  out->count = 0;
  out->places = calloc(most, sizeof *out->places);
  out->values = calloc(most, sizeof *out->values);
  trm_status status = TRM_OK;
  if (!out->places || !out->values)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the points of %s", path);
  while (status == TRM_OK && trmi_lines_next(&lines))
    if (!is_passed_over(&lines, out)) status = add_point(&lines, place, value, out);
  trmi_lines_close(&lines);
  if (status == TRM_OK && out->count == 0)
    return TRM_FAIL(INPUT, "%s: holds no line of %s and %s; write lines such as '12.5 0.04'", path,
                    place, value);
  return status;
}

void trm_table_free(trm_table *table)
{
  free(table->places);
  free(table->values);
  *table = (trm_table){0};
}
