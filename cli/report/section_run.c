/* section_run.c - a run by itself: its last pictures and its series, from the files beside its
 * run.json. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "run/text/text.h"
#include "io/file.h"

enum { PICTURE_BYTES = 4 << 20, SERIES_BYTES = 256 << 20, SERIES = 8, POINTS = 400 };

/* "results/x/" of "results/x/run.json"; malloc'd, or NULL. */
static char *folder_of(const result_file *of)
{
  const char *slash = strrchr(of->path, '/');
  return slash ? strndup(of->path, (size_t)(slash - of->path) + 1) : strdup("./");
}

/* A file of the folder, at most so large; NULL if it does not exist. */
static char *load(const char *folder, const char *name, size_t limit, size_t *bytes)
{
  char *path = NULL, *text = NULL;
  struct stat about;
  if (asprintf(&path, "%s%s", folder, name) < 0) return NULL;
  if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
      trm_file_load(path, limit, &text, bytes) != TRM_OK)
    text = NULL;
  free(path);
  return text;
}

/* ---- pictures ------------------------------------------------------------------- */

static void put_base64(FILE *out, const unsigned char *data, size_t bytes)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes; i += 3) {
    const size_t left = bytes - i;
    const unsigned triple = (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) |
                            (left > 2 ? data[i + 2] : 0);
    for (int k = 0; k < 4; k++)
      fputc((size_t)k > left ? '=' : digits[triple >> (18 - 6 * k) & 63], out);
  }
}

static unsigned big_endian(const unsigned char *at)
{
  return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

/* The picture inside an <svg>, so that the page needs no other file; NULL: it is not a PNG. */
static char *picture_svg(const unsigned char *png, size_t bytes)
{
  text_stream stream;
  if (bytes < 33 || memcmp(png, "\211PNG\r\n\032\n", 8) != 0) return NULL;
  const unsigned width = big_endian(png + 16), height = big_endian(png + 20);
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  fprintf(out, "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\">"
          "<image width=\"%u\" height=\"%u\" href=\"data:image/png;base64,", width, height, width,
          height);
  put_base64(out, png, bytes);
  fputs("\"/></svg>", out);
  return text_end(&stream);
}

/* Characters of the field's name in "speed.png" and "speed-00001000.png"; 0: not a picture. */
static size_t field_length(const char *name)
{
  const size_t length = strlen(name);
  if (length < 5 || name[0] == '.' || strcmp(name + length - 4, ".png") != 0) return 0;
  const char *dash = strrchr(name, '-');
  const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
  return digits > 0 && dash + 1 + digits == name + length - 4 ? (size_t)(dash - name) : length - 4;
}

static int is_picture(const struct dirent *entry) { return field_length(entry->d_name) > 0; }

static void show_picture(page *out, const char *folder, const char *name)
{
  char id[96];
  size_t bytes = 0;
  char *data = load(folder, name, PICTURE_BYTES, &bytes);
  char *svg = data ? picture_svg((const unsigned char *)data, bytes) : NULL;
  snprintf(id, sizeof id, "picture-%.*s", (int)field_length(name), name);
  if (svg) page_figure(out, id, name, svg, "The last picture of the run, %s.", name);
  free(data);
}

/* The last picture of each field. */
static void show_pictures(page *out, const char *folder)
{
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, is_picture, alphasort);
  for (int i = 0; i < count; i++) {
    const size_t length = field_length(names[i]->d_name);
    if (i + 1 == count || field_length(names[i + 1]->d_name) != length ||
        strncmp(names[i]->d_name, names[i + 1]->d_name, length) != 0)
      show_picture(out, folder, names[i]->d_name);
  }
  for (int i = 0; i < count; i++) free(names[i]);
  free(names);
}

/* ---- series --------------------------------------------------------------------- */

typedef struct table {
  char names[SERIES + 1][64];
  double *rows;                /* of columns values each */
  size_t columns, count;
} table;

/* series.csv: the step, then a column a series. */
static int read_table(char *text, table *out)
{
  size_t lines = 0, used = 0;
  char *rest = text, *line = strsep(&rest, "\n");
  for (char *word; line && (word = strsep(&line, ",")) && out->columns <= SERIES;)
    text_copy(out->names[out->columns++], sizeof out->names[0], word);
  for (const char *c = rest; c && *c; c++) lines += *c == '\n';
  out->rows = out->columns > 1 ? calloc(lines + 1, out->columns * sizeof *out->rows) : NULL;
  while (out->rows && out->count < lines && (line = strsep(&rest, "\n"))) {
    for (used = 0; used < out->columns; used++) {
      char *end;
      out->rows[out->count * out->columns + used] = strtod(line, &end);
      line = *end == ',' ? end + 1 : end;
    }
    out->count++;
  }
  return out->count > 1;
}

static void draw_series(page *out, const table *of, size_t column)
{
  chart_point points[POINTS];
  const chart_axes axes = {"step", of->names[column], 0, 0, 0};
  char id[32];
  size_t count = 0;
  const size_t most = of->count < POINTS ? of->count : POINTS;
  for (; count < most; count++) {
    const double *row = of->rows + of->columns * (count * (of->count - 1) / (most - 1));
    points[count] = (chart_point){row[0], row[column], NULL};
  }
  const chart_series line = {NULL, points, count, 0, CHART_CURVE};
  snprintf(id, sizeof id, "series-%zu", column);
  page_figure(out, id, of->names[column], chart_lines(&axes, &line, 1),
              "The series %s over %zu steps, from %.6g to %.6g.", of->names[column], of->count,
              points[0].y, points[count - 1].y);
}

static void show_series(page *out, const char *folder)
{
  size_t bytes;
  table read = {.columns = 0};
  char *text = load(folder, "series.csv", SERIES_BYTES, &bytes);
  if (text && read_table(text, &read))
    for (size_t i = 1; i < read.columns; i++) draw_series(out, &read, i);
  free(read.rows);
  free(text);
}

void section_run(page *out, const report_data *all)
{
  if (all->count != 1 || strcmp(all->list[0].file->kind, "run") != 0) return;
  char *folder = folder_of(all->list[0].file);
  page_section(out, "run", "The run");
  page_text(out, "The last picture of each field, and each series, from the files beside "
                 "run.json.");
  if (folder) {
    show_pictures(out, folder);
    show_series(out, folder);
  } else out->failed = 1;
  free(folder);
}
