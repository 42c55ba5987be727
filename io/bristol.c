/* bristol.c - reads the input files of the Bristol coursework, checking every line.
 *
 * The course's own reader accepts any whitespace between numbers. Here each line must hold the
 * items of the format, so that a message can name the line. Blank lines and carriage returns are
 * allowed. */
#include <config.h>

#include "io/bristol.h"
#include "io/lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_LIMIT = 1 << 16 };
static const size_t obstacles_limit = (size_t)1 << 36;

static const char *const value_names[TRM_BRISTOL_VALUES] = {
  "nx", "ny", "maxIters", "reynolds_dim", "density", "accel", "omega"
};
#define ORDER "nx, ny, maxIters, reynolds_dim, density, accel and omega, one a line"

/* ---- parameters ------------------------------------------------------------ */

static trm_status read_number(const trmi_lines *l, int index, double *out)
{
  char *end = NULL;
  const double value = strtod(l->line, &end);
  if (end == l->line || strcspn(l->line, "xX") < (size_t)(end - l->line))   /* hexadecimal */
    return TRM_FAIL(INPUT, "%s:%d: %s needs a number, not '%.60s'; the file holds %s", l->path,
                    l->number, value_names[index], l->line, ORDER);
  if (*end)
    return TRM_FAIL(INPUT, "%s:%d: '%.60s' follows the value of %s; write one value a line: %s",
                    l->path, l->number, end + strspn(end, trmi_blanks), value_names[index], ORDER);
  if (!isfinite(value))
    return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is not finite; give a finite number", l->path,
                    l->number, value_names[index], l->line);
  *out = value;
  return TRM_OK;
}

static trm_status read_count(const trmi_lines *l, int index, int32_t minimum, int32_t *out)
{
  double value = 0.0;
  TRM_TRY(read_number(l, index, &value));
  const size_t sign = *l->line == '-' || *l->line == '+';
  if (l->line[sign + strspn(l->line + sign, "0123456789")])
    return TRM_FAIL(INPUT, "%s:%d: %s needs a whole number, not '%.60s'; write it in digits",
                    l->path, l->number, value_names[index], l->line);
  if (value > INT32_MAX)
    return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is too large; it can be at most %d", l->path,
                    l->number, value_names[index], l->line, INT32_MAX);
  if (value < minimum)
    return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is too small; give at least %d%s", l->path, l->number,
                    value_names[index], l->line, minimum,
                    index == 1 ? " (row ny-2 is accelerated, between two others)" : "");
  *out = (int32_t)value;
  return TRM_OK;
}

static trm_status read_positive(const trmi_lines *l, int index, int zero_allowed, double *out)
{
  TRM_TRY(read_number(l, index, out));
  if (*out > 0.0 || (zero_allowed && *out == 0.0)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is %s; give %s", l->path, l->number, value_names[index],
                  l->line, *out < 0.0 ? "negative" : "zero",
                  zero_allowed ? "0 or a positive number" : "a positive number");
}

static trm_status read_value(const trmi_lines *l, int index, trm_bristol_params *p)
{
  p->line[index] = l->number;
  if (strlen(l->line) >= sizeof p->text[index])
    return TRM_FAIL(INPUT, "%s:%d: the value of %s, '%.60s...', is too long; write at most %d "
                    "characters", l->path, l->number, value_names[index], l->line,
                    (int)sizeof p->text[index] - 1);
  snprintf(p->text[index], sizeof p->text[index], "%s", l->line);
  switch (index) {
  case 0: return read_count(l, index, 1, &p->nx);
  case 1: return read_count(l, index, 3, &p->ny);
  case 2: return read_count(l, index, 1, &p->steps);
  case 3: return read_positive(l, index, 0, &p->reynolds_dim);
  case 4: return read_positive(l, index, 0, &p->density);
  case 5: return read_positive(l, index, 1, &p->accel);
  default: break;
  }
  TRM_TRY(read_positive(l, index, 0, &p->omega));
  if (p->omega >= 2.0)
    return TRM_FAIL(INPUT,
                    "%s:%d: omega = %s is not below 2, which would make the viscosity zero or "
                    "negative; give a number between 0 and 2",
                    l->path, l->number, l->line);
  return TRM_OK;
}

/* 9 populations of double precision in two lattices must have a size. */
static trm_status check_cells(const char *path, const trm_bristol_params *p)
{
  size_t cells, bytes;
  const trm_status status = trm_size_mul((size_t)p->nx, (size_t)p->ny, "the grid", &cells);
  if (status == TRM_OK &&
      trm_size_mul(cells, 2 * 9 * sizeof(double), "the lattices", &bytes) == TRM_OK)
    return TRM_OK;
  return TRM_FAIL(OVERFLOW, "%s:%d: a grid of nx * ny = %d x %d cells needs more bytes than can be "
                  "counted; give a smaller grid", path, p->line[1], p->nx, p->ny);
}

trm_status trm_bristol_read_params(const char *path, trm_bristol_params *out)
{
  trm_bristol_params params = {0};
  trmi_lines l;
  TRM_TRY(trmi_lines_open(path, PARAMS_LIMIT, &l));
  trm_status status = TRM_OK;
  int index = 0;
  while (status == TRM_OK && trmi_lines_next(&l)) {
    if (index == TRM_BRISTOL_VALUES)
      status = TRM_FAIL(INPUT, "%s:%d: '%.60s' is one value too many; the file holds seven: %s",
                        path, l.number, l.line, ORDER);
    else
      status = read_value(&l, index++, &params);
  }
  if (status == TRM_OK && index < TRM_BRISTOL_VALUES)
    status =
        TRM_FAIL(INPUT, "%s:%d: the file ends after %d of its seven values, before %s; it holds %s",
                 path, l.number, index, value_names[index], ORDER);
  trmi_lines_close(&l);
  TRM_TRY(status);
  TRM_TRY(check_cells(path, &params));
  *out = params;
  return TRM_OK;
}

/* ---- obstacles ------------------------------------------------------------- */

/* Three whole numbers, and nothing else. 0 when the line is something else. */
static int scan_three(const char *line, long long value[3])
{
  for (int i = 0; i < 3; i++) {
    char *end = NULL;
    errno = 0;
    value[i] = strtoll(line, &end, 10);      /* what does not fit is out of any grid */
    if (end == line || (*end && !strchr(trmi_blanks, *end))) return 0;
    line = end;
  }
  return !line[strspn(line, trmi_blanks)];
}

static trm_status read_obstacle(const trmi_lines *l, size_t nx, size_t ny, uint8_t *solid,
                                size_t *blocked)
{
  long long v[3];
  if (!scan_three(l->line, v))
    return TRM_FAIL(INPUT, "%s:%d: '%.60s' is not an obstacle; write three whole numbers: x y 1",
                    l->path, l->number, l->line);
  for (int axis = 0; axis < 2; axis++) {
    const size_t n = axis ? ny : nx;
    if (v[axis] < 0 || (unsigned long long)v[axis] >= n)
      return TRM_FAIL(INPUT,
                      "%s:%d: %c = %lld lies outside the grid, whose n%c = %zu allows 0 to %zu; "
                      "correct the line, or take the obstacles that belong to the parameters",
                      l->path, l->number, 'x' + axis, v[axis], 'x' + axis, n, n - 1);
  }
  if (v[2] != 1)
    return TRM_FAIL(INPUT,
                    "%s:%d: the third number is %lld and must be 1 (blocked); leave free cells "
                    "out of the file",
                    l->path, l->number, v[2]);
  uint8_t *cell = &solid[(size_t)v[1] * nx + (size_t)v[0]];
  *blocked += !*cell;
  *cell = 1;
  return TRM_OK;
}

trm_status trm_bristol_read_obstacles(const char *path, size_t nx, size_t ny, uint8_t *solid,
                                      size_t *blocked)
{
  trmi_lines l;
  size_t count = 0;
  TRM_TRY(trmi_lines_open(path, obstacles_limit, &l));
  memset(solid, 0, nx * ny);
  trm_status status = TRM_OK;
  while (status == TRM_OK && trmi_lines_next(&l)) status = read_obstacle(&l, nx, ny, solid, &count);
  trmi_lines_close(&l);
  TRM_TRY(status);
  if (count == nx * ny)
    return TRM_FAIL(INPUT,
                    "%s: all %zu cells of the %zu x %zu grid are blocked, so there is no fluid "
                    "cell; leave at least one free",
                    path, count, nx, ny);
  *blocked = count;
  return TRM_OK;
}
