/* bristol.c - reads and writes the files of the Bristol coursework, checking every line.
 *
 * The course's own reader takes numbers with blanks of any kind between them; here a line holds what
 * the format says, so that a message can name it. Blank lines and carriage returns are allowed. */
#include <config.h>

#include "io/bristol.h"
#include "io/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_LIMIT = 1 << 16 };
static const size_t results_limit = (size_t)1 << 36;
static const char blanks[] = " \t\r\v\f";

static const char *const value_names[TRM_BRISTOL_VALUES] = {
  "nx", "ny", "maxIters", "reynolds_dim", "density", "accel", "omega"
};
#define ORDER "nx, ny, maxIters, reynolds_dim, density, accel and omega, one a line"

/* ---- lines ----------------------------------------------------------------- */

typedef struct lines {
  const char *path;
  char *text, *next, *line;    /* line: without its end and leading blanks */
  int number;
} lines;

static trm_status open_lines(const char *path, size_t limit, lines *out)
{
  size_t bytes = 0;
  *out = (lines){.path = path};
  TRM_TRY(trm_file_load(path, limit, &out->text, &bytes));
  if (memchr(out->text, '\0', bytes)) {
    free(out->text);
    return TRM_FAIL(INPUT, "%s: a zero byte: this is not a text file; name another", path);
  }
  out->next = out->text;
  return TRM_OK;
}

/* The next line that is not blank; 0 at the end. */
static int next_line(lines *l)
{
  while (*l->next) {
    char *end = strchr(l->next, '\n');
    l->line = l->next + strspn(l->next, blanks);
    l->next = end ? end + 1 : l->next + strlen(l->next);
    if (end) *end = '\0';
    l->number++;
    size_t length = strlen(l->line);
    while (length && strchr(blanks, l->line[length - 1])) l->line[--length] = '\0';
    if (length) return 1;
  }
  return 0;
}

/* ---- parameters ------------------------------------------------------------ */

static trm_status read_number(const lines *l, int index, double *out)
{
  char *end = NULL;
  const double value = strtod(l->line, &end);
  if (end == l->line || strpbrk(l->line, "xX"))
    return TRM_FAIL(INPUT, "%s:%d: %s needs a number, not '%.60s'; the file holds %s", l->path,
                    l->number, value_names[index], l->line, ORDER);
  if (*end)
    return TRM_FAIL(INPUT, "%s:%d: '%.60s' follows the value of %s; write one value a line: %s",
                    l->path, l->number, end + strspn(end, blanks), value_names[index], ORDER);
  if (!isfinite(value))
    return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is not finite; give a finite number", l->path, l->number,
                    value_names[index], l->line);
  *out = value;
  return TRM_OK;
}

static trm_status read_count(const lines *l, int index, int32_t minimum, int32_t *out)
{
  double value = 0.0;
  TRM_TRY(read_number(l, index, &value));
  const size_t sign = *l->line == '-' || *l->line == '+';
  if (l->line[sign + strspn(l->line + sign, "0123456789")])
    return TRM_FAIL(INPUT, "%s:%d: %s needs a whole number, not '%.60s'; write it in digits", l->path,
                    l->number, value_names[index], l->line);
  if (value > INT32_MAX)
    return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is too large; it can be at most %d", l->path, l->number,
                    value_names[index], l->line, INT32_MAX);
  if (value < minimum)
    return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is too small; give at least %d%s", l->path, l->number,
                    value_names[index], l->line, minimum,
                    index == 1 ? " (row ny-2 is accelerated, between two others)" : "");
  *out = (int32_t)value;
  return TRM_OK;
}

static trm_status read_positive(const lines *l, int index, int zero_allowed, double *out)
{
  TRM_TRY(read_number(l, index, out));
  if (*out > 0.0 || (zero_allowed && *out == 0.0)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s:%d: %s = %.60s is %s; give %s", l->path, l->number, value_names[index],
                  l->line, *out < 0.0 ? "negative" : "zero",
                  zero_allowed ? "0 or a positive number" : "a positive number");
}

static trm_status read_value(const lines *l, int index, trm_bristol_params *p)
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
    return TRM_FAIL(INPUT, "%s:%d: omega = %s is not below 2, which would make the viscosity zero or "
                    "negative; give a number between 0 and 2", l->path, l->number, l->line);
  return TRM_OK;
}

/* 9 populations of double precision in two lattices must have a size. */
static trm_status check_cells(const char *path, const trm_bristol_params *p)
{
  size_t cells, bytes;
  const trm_status status = trm_size_mul((size_t)p->nx, (size_t)p->ny, "the grid", &cells);
  if (status == TRM_OK && trm_size_mul(cells, 2 * 9 * sizeof(double), "the lattices", &bytes) == TRM_OK)
    return TRM_OK;
  return TRM_FAIL(OVERFLOW, "%s:%d: a grid of nx * ny = %d x %d cells needs more bytes than can be "
                  "counted; give a smaller grid", path, p->line[1], p->nx, p->ny);
}

trm_status trm_bristol_read_params(const char *path, trm_bristol_params *out)
{
  trm_bristol_params params = {0};
  lines l;
  TRM_TRY(open_lines(path, PARAMS_LIMIT, &l));
  trm_status status = TRM_OK;
  int index = 0;
  while (status == TRM_OK && next_line(&l)) {
    if (index == TRM_BRISTOL_VALUES)
      status = TRM_FAIL(INPUT, "%s:%d: '%.60s' is one value too many; the file holds seven: %s", path,
                        l.number, l.line, ORDER);
    else
      status = read_value(&l, index++, &params);
  }
  if (status == TRM_OK && index < TRM_BRISTOL_VALUES)
    status = TRM_FAIL(INPUT, "%s:%d: the file ends after %d of its seven values, before %s; it holds %s",
                      path, l.number, index, value_names[index], ORDER);
  free(l.text);
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
    if (end == line || (*end && !strchr(blanks, *end))) return 0;
    line = end;
  }
  return !line[strspn(line, blanks)];
}

static trm_status read_obstacle(const lines *l, size_t nx, size_t ny, uint8_t *solid,
                                size_t *blocked)
{
  long long v[3];
  if (!scan_three(l->line, v))
    return TRM_FAIL(INPUT, "%s:%d: '%.60s' is not an obstacle; write three whole numbers: x y 1",
                    l->path, l->number, l->line);
  for (int axis = 0; axis < 2; axis++) {
    const size_t n = axis ? ny : nx;
    if (v[axis] < 0 || (unsigned long long)v[axis] >= n)
      return TRM_FAIL(INPUT, "%s:%d: %c = %lld lies outside the grid, whose n%c = %zu allows 0 to %zu; "
                      "correct the line, or take the obstacles that belong to the parameters", l->path,
                      l->number, 'x' + axis, v[axis], 'x' + axis, n, n - 1);
  }
  if (v[2] != 1)
    return TRM_FAIL(INPUT, "%s:%d: the third number is %lld and must be 1 (blocked); leave free cells "
                    "out of the file", l->path, l->number, v[2]);
  uint8_t *cell = &solid[(size_t)v[1] * nx + (size_t)v[0]];
  *blocked += !*cell;
  *cell = 1;
  return TRM_OK;
}

trm_status trm_bristol_read_obstacles(const char *path, size_t nx, size_t ny, uint8_t *solid,
                                      size_t *blocked)
{
  lines l;
  size_t count = 0;
  TRM_TRY(open_lines(path, results_limit, &l));
  memset(solid, 0, nx * ny);
  trm_status status = TRM_OK;
  while (status == TRM_OK && next_line(&l)) status = read_obstacle(&l, nx, ny, solid, &count);
  free(l.text);
  TRM_TRY(status);
  if (count == nx * ny)
    return TRM_FAIL(INPUT, "%s: all %zu cells of the %zu x %zu grid are blocked, so there is no fluid "
                    "cell; leave at least one free", path, count, nx, ny);
  *blocked = count;
  return TRM_OK;
}

/* ---- results --------------------------------------------------------------- */

static trm_status finish_file(trm_file **file, trm_status status)
{
  if (status == TRM_OK) return trm_file_commit(file);
  trm_file_discard(file);
  return status;
}

trm_status trm_bristol_write_series(const char *path, const double *values, size_t count)
{
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = TRM_OK;
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    status = trm_file_print(file, "%zu:\t%.12E\n", i, values[i]);
  return finish_file(&file, status);
}

/* ux, uy, |u| and pressure of a cell, as doubles; |u| in the precision of the fields. */
static void state_of_cell(trm_type type, const void *velocity, const void *pressure, size_t cells,
                          size_t i, double out[4])
{
  if (type == TRM_TYPE_F32) {
    const float *u = velocity, x = u[i], y = u[cells + i];
    out[0] = (double)x;
    out[1] = (double)y;
    out[2] = (double)sqrtf(x * x + y * y);
    out[3] = (double)((const float *)pressure)[i];
  } else {
    const double *u = velocity, x = u[i], y = u[cells + i];
    out[0] = x;
    out[1] = y;
    out[2] = sqrt(x * x + y * y);
    out[3] = ((const double *)pressure)[i];
  }
}

trm_status trm_bristol_write_state(const char *path, size_t nx, size_t ny, trm_type type,
                                   const void *velocity, const void *pressure, const uint8_t *solid)
{
  if (type != TRM_TYPE_F32 && type != TRM_TYPE_F64)
    return TRM_FAIL(INVALID, "final_state.dat holds real fields, not %s", trm_type_name(type));
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = TRM_OK;
  for (size_t y = 0; y < ny && status == TRM_OK; y++)
    for (size_t x = 0; x < nx && status == TRM_OK; x++) {
      double v[4];
      state_of_cell(type, velocity, pressure, nx * ny, y * nx + x, v);
      status = trm_file_print(file, "%zu %zu %.12E %.12E %.12E %.12E %d\n", x, y, v[0], v[1], v[2], v[3],
                              solid[y * nx + x] != 0);
    }
  return finish_file(&file, status);
}

/* ---- reading results ------------------------------------------------------- */

static size_t count_lines(const lines *l)
{
  size_t count = 1;
  for (const char *c = l->next; *c; c++) count += *c == '\n';
  return count;
}

trm_status trm_bristol_read_series(const char *path, double **values, size_t *count)
{
  lines l;
  size_t n = 0;
  TRM_TRY(open_lines(path, results_limit, &l));
  trm_status status = TRM_OK;
  const size_t room = count_lines(&l);
  double *list = malloc(room * sizeof *list);
  if (!list) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu lines of '%s'", room, path);
  while (status == TRM_OK && next_line(&l)) {
    char *end = NULL, *last = NULL;
    const unsigned long long step = strtoull(l.line, &end, 10);
    const double value = *end == ':' ? strtod(end + 1, &last) : 0.0;
    if (*end != ':' || last == end + 1 || *last)
      status = TRM_FAIL(INPUT, "%s:%d: '%.60s' is not a step and its mean speed; the form is "
                        "STEP:<tab>VALUE", path, l.number, l.line);
    else if (step != n)
      status = TRM_FAIL(INPUT, "%s:%d: step %llu where step %zu should stand; the steps count up from 0",
                        path, l.number, step, n);
    else
      list[n++] = value;
  }
  free(l.text);
  if (status != TRM_OK) {
    free(list);
    return status;
  }
  *values = list;
  *count = n;
  return TRM_OK;
}

static trm_status state_line(const lines *l, size_t index, size_t *x, size_t *y, double v[4],
                             int *solid)
{
  int end = 0;
  if (sscanf(l->line, "%zu %zu %lf %lf %lf %lf %d%n", x, y, &v[0], &v[1], &v[2], &v[3], solid, &end) != 7 ||
      l->line[end] || (*solid != 0 && *solid != 1))
    return TRM_FAIL(INPUT, "%s:%d: '%.60s' (cell %zu) is not a line of a final state; the form is "
                    "x y u_x u_y |u| pressure obstacle", l->path, l->number, l->line, index);
  return TRM_OK;
}

static trm_status allocate_state(const char *path, size_t cells, trm_bristol_state *out)
{
  double **fields[] = {&out->ux, &out->uy, &out->speed, &out->pressure};
  int complete = (out->solid = malloc(cells)) != NULL;
  for (int f = 0; f < 4; f++) complete &= (*fields[f] = malloc(cells * sizeof(double))) != NULL;
  if (complete) return TRM_OK;
  trm_bristol_state_free(out);
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu cells of '%s'", cells, path);
}

/* Reads the lines; the first row tells nx. */
static trm_status read_cells(lines *l, size_t room, trm_bristol_state *s, size_t *count)
{
  size_t n = 0;
  for (; next_line(l) && n < room; n++) {
    size_t x = 0, y = 0;
    double v[4];
    int solid = 0;
    TRM_TRY(state_line(l, n, &x, &y, v, &solid));
    if (!s->nx && y == 1) s->nx = n;
    const size_t nx = s->nx ? s->nx : n + 1;
    if (x != n % nx || y != n / nx)
      return TRM_FAIL(INPUT, "%s:%d: cell %zu %zu where cell %zu %zu should stand; x counts up fastest",
                      l->path, l->number, x, y, n % nx, n / nx);
    s->ux[n] = v[0];
    s->uy[n] = v[1];
    s->speed[n] = v[2];
    s->pressure[n] = v[3];
    s->solid[n] = (uint8_t)solid;
  }
  if (!s->nx) s->nx = n;
  if (!n || n % s->nx)
    return TRM_FAIL(INPUT, "%s:%d: the file ends after %zu cells, inside a row of %zu; it is not complete",
                    l->path, l->number, n, s->nx);
  *count = n;
  return TRM_OK;
}

trm_status trm_bristol_read_state(const char *path, trm_bristol_state *out)
{
  lines l;
  size_t count = 0;
  trm_bristol_state state = {0};
  TRM_TRY(open_lines(path, results_limit, &l));
  const size_t room = count_lines(&l);
  trm_status status = allocate_state(path, room, &state);
  if (status == TRM_OK) status = read_cells(&l, room, &state, &count);
  free(l.text);
  if (status != TRM_OK) {
    trm_bristol_state_free(&state);
    return status;
  }
  state.ny = count / state.nx;
  *out = state;
  return TRM_OK;
}

void trm_bristol_state_free(trm_bristol_state *state)
{
  free(state->ux);
  free(state->uy);
  free(state->speed);
  free(state->pressure);
  free(state->solid);
  *state = (trm_bristol_state){0};
}
