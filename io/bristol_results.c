/* bristol_results.c - writes and reads av_vels.dat and final_state.dat, the course's results. */
#include <config.h>

#include "io/bristol.h"
#include "io/decimal.h"
#include "io/file.h"
#include "io/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t results_limit = (size_t)1 << 36;

/* ---- writing --------------------------------------------------------------- */

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
  for (size_t i = 0; i < count && status == TRM_OK; i++) {
    char line[2 * TRMI_DECIMAL_BYTES];
    size_t n = trmi_decimal_size(i, line);
    line[n++] = ':';
    line[n++] = '\t';
    n += trmi_decimal_real(values[i], line + n);
    line[n++] = '\n';
    status = trm_file_write(file, line, n);
  }
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

static size_t state_text(size_t x, size_t y, const double v[4], int solid, char *line)
{
  size_t n = trmi_decimal_size(x, line);
  line[n++] = ' ';
  n += trmi_decimal_size(y, line + n);
  for (int i = 0; i < 4; i++) {
    line[n++] = ' ';
    n += trmi_decimal_real(v[i], line + n);
  }
  line[n++] = ' ';
  line[n++] = solid ? '1' : '0';
  line[n++] = '\n';
  return n;
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
      char line[8 * TRMI_DECIMAL_BYTES];
      state_of_cell(type, velocity, pressure, nx * ny, y * nx + x, v);
      status = trm_file_write(file, line, state_text(x, y, v, solid[y * nx + x], line));
    }
  return finish_file(&file, status);
}

/* ---- reading results ------------------------------------------------------- */

trm_status trm_bristol_read_series(const char *path, double **values, size_t *count)
{
  trmi_lines l;
  size_t n = 0;
  TRM_TRY(trmi_lines_open(path, results_limit, &l));
  trm_status status = TRM_OK;
  const size_t room = trmi_lines_count(&l);
  double *list = malloc(room * sizeof *list);
  if (!list) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu lines of '%s'", room, path);
  while (status == TRM_OK && trmi_lines_next(&l)) {
    char *end = NULL, *last = NULL;
    const unsigned long long step = strtoull(l.line, &end, 10);
    const double value = *end == ':' ? strtod(end + 1, &last) : 0.0;
    if (*end != ':' || last == end + 1 || *last)
      status = TRM_FAIL(INPUT, "%s:%d: '%.60s' is not a step and its mean speed; the form is "
                        "STEP:<tab>VALUE", path, l.number, l.line);
    else if (step != n)
      status =
          TRM_FAIL(INPUT, "%s:%d: step %llu where step %zu should stand; the steps count up from 0",
                   path, l.number, step, n);
    else
      list[n++] = value;
  }
  trmi_lines_close(&l);
  if (status != TRM_OK) {
    free(list);
    return status;
  }
  *values = list;
  *count = n;
  return TRM_OK;
}

static trm_status state_line(const trmi_lines *l, size_t index, size_t *x, size_t *y, double v[4],
                             int *solid)
{
  int end = 0;
  if (sscanf(l->line, "%zu %zu %lf %lf %lf %lf %d%n", x, y, &v[0], &v[1], &v[2], &v[3], solid,
             &end) != 7 ||
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
static trm_status read_cells(trmi_lines *l, size_t room, trm_bristol_state *s, size_t *count)
{
  size_t n = 0;
  for (; trmi_lines_next(l) && n < room; n++) {
    size_t x = 0, y = 0;
    double v[4];
    int solid = 0;
    TRM_TRY(state_line(l, n, &x, &y, v, &solid));
    if (!s->nx && y == 1) s->nx = n;
    const size_t nx = s->nx ? s->nx : n + 1;
    if (x != n % nx || y != n / nx)
      return TRM_FAIL(INPUT,
                      "%s:%d: cell %zu %zu where cell %zu %zu should stand; x counts up fastest",
                      l->path, l->number, x, y, n % nx, n / nx);
    s->ux[n] = v[0];
    s->uy[n] = v[1];
    s->speed[n] = v[2];
    s->pressure[n] = v[3];
    s->solid[n] = (uint8_t)solid;
  }
  if (!s->nx) s->nx = n;
  if (!n || n % s->nx)
    return TRM_FAIL(INPUT,
                    "%s:%d: the file ends after %zu cells, inside a row of %zu; it is not complete",
                    l->path, l->number, n, s->nx);
  *count = n;
  return TRM_OK;
}

trm_status trm_bristol_read_state(const char *path, trm_bristol_state *out)
{
  trmi_lines l;
  size_t count = 0;
  trm_bristol_state state = {0};
  TRM_TRY(trmi_lines_open(path, results_limit, &l));
  const size_t room = trmi_lines_count(&l);
  trm_status status = allocate_state(path, room, &state);
  if (status == TRM_OK) status = read_cells(&l, room, &state, &count);
  trmi_lines_close(&l);
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
