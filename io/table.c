/* table.c - reads a table of two columns (table.h). */
#include <config.h>

#include "io/table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "io/lines.h"

enum { FILE_LIMIT = 1 << 30 };

static trm_status add_point(const trmi_lines *lines, const char *place, const char *value,
                            int is_turned, trm_table *table)
{
  double x, y;
  int used = 0;
  if (sscanf(lines->line, "%lf%*[ \t,;]%lf%n", &x, &y, &used) != 2 || lines->line[used] ||
      trm_has_hexadecimal(lines->line) || !isfinite(x) || !isfinite(y))
    return TRM_FAIL(INPUT, "%s:%d: '%s' is not %s and %s; write lines such as '12.5 0.04'",
                    lines->path, lines->number, lines->line, place, value);
  if (is_turned) {
    const double kept = x;
    x = y;
    y = kept;
  }
  if (table->count && !(x > table->places[table->count - 1]))
    return TRM_FAIL(INPUT, "%s:%d: %.15g comes after %.15g: sort the lines, each with %s of its "
                           "own",
                    lines->path, lines->number, x, table->places[table->count - 1], place);
  table->places[table->count] = x;
  table->values[table->count++] = y;
  return TRM_OK;
}

/* ---- headings ---------------------------------------------------------------------- */

enum { WORD = 40 };

/* A column's name and the unit in brackets behind it. */
typedef struct named { char name[WORD], unit[WORD]; } named;

static void cut(const char *begin, const char *end, char out[WORD])
{
  while (begin < end && strchr(" \t\"'", *begin)) begin++;
  while (end > begin && strchr(" \t\"'", end[-1])) end--;
  const size_t length = (size_t)(end - begin) < WORD ? (size_t)(end - begin) : WORD - 1;
  memcpy(out, begin, length);
  out[length] = '\0';
}

static void name_column(const char *begin, const char *end, named *out)
{
  const char *open = begin;
  while (open < end && *open != '[' && *open != '(') open++;
  cut(begin, open, out->name);
  const char *close = open;
  while (close < end && *close != ']' && *close != ')') close++;
  cut(open < end ? open + 1 : end, close, out->unit);
}

/* Two columns, with a comma or semicolon between, or else a blank that no bracket follows. */
static int name_both(const char *line, named out[2])
{
  const char *between = strpbrk(line, ",;"), *end = line + strlen(line);
  if (between && strpbrk(between + 1, ",;")) return 0;
  for (const char *c = line; !between && *c; c++) {
    const char *next = c + strspn(c, " \t");
    if (next > c && *next && *next != '[' && *next != '(' && c > line) between = c;
  }
  if (!between) return 0;
  name_column(line, between, &out[0]);
  name_column(between + 1, end, &out[1]);
  const int is_more = !strpbrk(line, ",;") && strpbrk(out[1].name, " \t");
  return *out[0].name && *out[1].name && !is_more;
}

/* Whether a column is one of places: times, or heights. */
static int is_of_places(const char *name, const char *place)
{
  static const char *const times[] = { "t", "time", "times", "seconds", "second", "date", NULL };
  static const char *const heights[] = { "y", "z", "height", "heights", "h", "place", NULL };
  const char *const *names = strstr(place, "time") ? times : heights;
  while (*names && strcasecmp(name, *names) != 0) names++;
  return *names != NULL;
}

static int is_unit(const char *unit, int is_place, const char *place)
{
  static const char *const times[] = { "", "s", "sec", "second", "seconds", "lattice", "-", "1",
                                       NULL };
  static const char *const any[] = { "", "m", "m/s", "m s-1", "m2/s", "m^2/s", "m2 s-1", "lattice",
                                     "-", "1", "rad", "Pa", "K", "kg/m3", "kg/m^3", NULL };
  const char *const *known = is_place && strstr(place, "time") ? times : any;
  while (*known && strcmp(unit, *known) != 0) known++;
  return *known != NULL;
}

/* Which column has the places; a heading that does not tell is refused. */
static trm_status read_heading(const trmi_lines *lines, const char *place, const char *value,
                               int *is_turned)
{
  named column[2];
  const int is_both = name_both(lines->line, column);
  const int first = is_both && is_of_places(column[0].name, place);
  const int second = is_both && is_of_places(column[1].name, place);
  *is_turned = second && !first;
  if (!is_both || !(first || second))
    return TRM_FAIL(INPUT, "%s:%d: the heading '%s' does not say which column is %s; call it "
                           "'%s', or "
                    "put # before the heading where %s comes first and then %s", lines->path,
                    lines->number, lines->line, place, strstr(place, "time") ? "time" : "height",
                    place, value);
  for (int i = 0; i < 2; i++)
    if (!is_unit(column[i].unit, (i == 1) == *is_turned, place))
      return TRM_FAIL(INPUT, "%s:%d: the column '%s' is in '%s'; times are in s, lengths in m and "
                      "speeds in m/s: convert the numbers, and then the heading", lines->path,
                      lines->number, column[i].name, column[i].unit);
  return TRM_OK;
}

static int is_heading(const trmi_lines *lines)
{
  const char *at = lines->line + strspn(lines->line, "\"'");
  char *end;
  (void)trm_number(at, &end); /* nan and inf are numbers, which add_point refuses */
  return isalpha((unsigned char)*at) && (end == at || isalpha((unsigned char)*end));
}

trm_status trm_table_read(const char *path, const char *place, const char *value, trm_table *out)
{
  trmi_lines lines;
  TRM_TRY(trmi_lines_open(path, FILE_LIMIT, &lines));
  const size_t most = trmi_lines_count(&lines) + 1;
  int is_turned = 0, has_heading = 0;
  out->count = 0;
  out->places = calloc(most, sizeof *out->places);
  out->values = calloc(most, sizeof *out->values);
  trm_status status = TRM_OK;
  if (!out->places || !out->values)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the points of %s", path);
  while (status == TRM_OK && trmi_lines_next(&lines)) {
    if (lines.line[0] == '#') continue;
    if (!out->count && !has_heading && is_heading(&lines)) {
      status = read_heading(&lines, place, value, &is_turned);
      has_heading = 1;
    } else status = add_point(&lines, place, value, is_turned, out);
  }
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
