/* ascii_grid.c - reads ESRI ASCII grids. */
#include <config.h>

#include "io/ascii_grid.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "io/file.h"

typedef struct reader {
  const char *path, *next;
  int line;
} reader;

/* The next word without its blanks; its length, 0 at the end. */
static size_t word(reader *in, const char **begin)
{
  for (; isspace((unsigned char)*in->next); in->next++) in->line += *in->next == '\n';
  *begin = in->next;
  while (*in->next && !isspace((unsigned char)*in->next)) in->next++;
  return (size_t)(in->next - *begin);
}

static trm_status number(reader *in, const char *what, double *out)
{
  const char *begin;
  char *end;
  const size_t length = word(in, &begin);
  if (length == 0)
    return TRM_FAIL(INPUT, "%s:%d: the file ends where %s should be", in->path, in->line, what);
  *out = trm_number(begin, &end);
  if (end != in->next)
    return TRM_FAIL(INPUT, "%s:%d: '%.*s' is not a number, where %s should be", in->path, in->line,
                    (int)(length < 40 ? length : 40), begin, what);
  return TRM_OK;
}

enum { NCOLS, NROWS, XCORNER, YCORNER, XCENTRE, YCENTRE, CELLSIZE, DX, DY, NODATA, KEYS };
static const char nodata_too[] = "nodata";
static const char *const key_names[KEYS] = { "ncols", "nrows", "xllcorner", "yllcorner",
                                             "xllcenter", "yllcenter", "cellsize", "dx", "dy",
                                             "nodata_value" };

static int is_key(const char *word, size_t length, const char *name)
{
  return strlen(name) == length && strncasecmp(word, name, length) == 0;
}

/* Keys that say the same in two ways. */
static trm_status check_pairs(const reader *in, const int is_given[KEYS])
{
  static const int pairs[][2] = { { XCORNER, XCENTRE }, { YCORNER, YCENTRE }, { CELLSIZE, DX },
                                  { CELLSIZE, DY } };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (is_given[pairs[i][0]] && is_given[pairs[i][1]])
      return TRM_FAIL(INPUT, "%s: the head has %s and %s; leave one out", in->path,
                      key_names[pairs[i][0]], key_names[pairs[i][1]]);
  return TRM_OK;
}

static trm_status read_head(reader *in, double values[KEYS], int *has_nodata)
{
  int is_given[KEYS] = { 0 };
  for (int k = 0; k < KEYS; k++) values[k] = NAN;
  for (;;) {
    reader ahead = *in;
    const char *begin;
    const size_t length = word(&ahead, &begin);
    int key = 0;
    while (key < KEYS && !is_key(begin, length, key_names[key])) key++;
    if (key == KEYS && is_key(begin, length, nodata_too)) key = NODATA;
    if (key == KEYS && !(is_given[NCOLS] && is_given[NROWS]) && length > 0) {
      char *end;
      (void)trm_number(begin, &end);
      if (end == begin)
        return TRM_FAIL(INPUT, "%s:%d: '%.*s' is no word of the head of an ESRI ASCII grid, which "
                        "has ncols, nrows, xllcorner, yllcorner, cellsize and NODATA_value; "
                        "convert "
                        "the file: gdal_translate -of AAIGrid '%s' bed.asc", in->path, ahead.line,
                        (int)(length < 40 ? length : 40), begin, in->path);
    }
    if (key == KEYS) break;
    *in = ahead;
    if (is_given[key])
      return TRM_FAIL(INPUT, "%s:%d: the head has %s twice; leave one out", in->path, in->line,
                      key_names[key]);
    is_given[key] = 1;
    TRM_TRY(number(in, key_names[key], &values[key]));
  }
  TRM_TRY(check_pairs(in, is_given));
  *has_nodata = is_given[NODATA];
  for (int k = NCOLS; k <= NROWS; k++)
    if (!(values[k] >= 1 && values[k] <= INT_MAX && values[k] == floor(values[k])))
      return TRM_FAIL(INPUT, "%s: the head of an ESRI ASCII grid has %s with a whole number",
                      in->path, key_names[k]);
  const double dx = isnan(values[CELLSIZE]) ? values[DX] : values[CELLSIZE];
  const double dy = isnan(values[CELLSIZE]) ? values[DY] : values[CELLSIZE];
  if (!(dx > 0 && dy > 0 && isfinite(dx) && isfinite(dy)))
    return TRM_FAIL(INPUT, "%s: the head has neither a positive cellsize nor dx and dy", in->path);
  values[DX] = dx;
  values[DY] = dy;
  return TRM_OK;
}

/* Programs write the mark with other digits in the head than in the cells: as the nearest number of
 * single precision, or with six digits. */
static int is_mark(double value, double nodata)
{
  static const double far = 1e6, digits = 5e-6;
  if (value == nodata || (float)value == (float)nodata) return 1;
  return fabs(nodata) > far && fabs(value - nodata) <= digits * fabs(nodata);
}

static trm_status read_cells(reader *in, double nodata, trm_grid *out)
{
  for (size_t row = 0; row < out->ny; row++)
    for (size_t x = 0; x < out->nx; x++) {
      double value;
      TRM_TRY(number(in, "a cell", &value));
      const int is_missing = !isfinite(value) || is_mark(value, nodata);
      out->values[(out->ny - 1 - row) * out->nx + x] = is_missing ? NAN : value;
      out->missing += (size_t)is_missing;
    }
  const char *begin;
  if (word(in, &begin) > 0)
    return TRM_FAIL(INPUT, "%s:%d: more than ncols * nrows = %zu values", in->path, in->line,
                    out->nx * out->ny);
  return TRM_OK;
}

/* A head may claim anything; a value takes two bytes at least. */
static trm_status check_size(const reader *in, size_t cells, size_t length)
{
  if (cells <= length / 2 + 1) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: ncols * nrows = %zu values do not fit into the rest of the file, "
                  "%zu bytes; it is not complete, or its head is wrong", in->path, cells, length);
}

static trm_status read_grid(reader *in, trm_grid *out)
{
  double head[KEYS];
  size_t cells, bytes;
  int has_nodata = 0;
  TRM_TRY(read_head(in, head, &has_nodata));
  out->nx = (size_t)head[NCOLS];
  out->ny = (size_t)head[NROWS];
  out->dx = head[DX];
  out->dy = head[DY];
  out->x0 = !isnan(head[XCENTRE]) ? head[XCENTRE] - 0.5 * out->dx
                                  : isnan(head[XCORNER]) ? 0.0 : head[XCORNER];
  out->y0 = !isnan(head[YCENTRE]) ? head[YCENTRE] - 0.5 * out->dy
                                  : isnan(head[YCORNER]) ? 0.0 : head[YCORNER];
  if (!isfinite(out->x0) || !isfinite(out->y0))
    return TRM_FAIL(INPUT, "%s: the corner in the head is not finite; give xllcorner and yllcorner "
                    "as numbers", in->path);
  TRM_TRY(trm_size_mul(out->nx, out->ny, "ncols * nrows", &cells));
  TRM_TRY(check_size(in, cells, strlen(in->next)));
  TRM_TRY(trm_size_mul(cells, sizeof(double), in->path, &bytes));
  out->values = malloc(bytes);
  if (!out->values)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu cells of %s", cells, in->path);
  return read_cells(in, has_nodata ? head[NODATA] : -9999.0, out);
}

trm_status trm_ascii_grid_read(const char *path, trm_grid *out)
{
  char *text = NULL;
  TRM_TRY(trm_file_load_text(path, (size_t)1 << 36, &text, NULL));
  reader in = { path, text, 1 };
  trm_grid grid = { 0 };
  const trm_status status = read_grid(&in, &grid);
  free(text);
  if (status == TRM_OK) *out = grid;
  else trm_grid_free(&grid);
  return status;
}
