/* bristol_results.c - writes av_vels.dat and final_state.dat, the course's results. */
#include <config.h>

#include "io/bristol.h"
#include "io/decimal.h"
#include "io/file.h"

#include <math.h>
#include <stdlib.h>

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

/* Room for some rows. */
typedef struct part {
  trm_type type;
  size_t nx, rows;
  void *velocity, *pressure;
  uint8_t *solid;
} part;

static trm_status write_rows(trm_file *file, const part *p, size_t y, size_t cells)
{
  for (size_t i = 0; i < cells; i++) {
    double v[4];
    char line[8 * TRMI_DECIMAL_BYTES];
    state_of_cell(p->type, p->velocity, p->pressure, cells, i, v);
    TRM_TRY(trm_file_write(file, line,
                           state_text(i % p->nx, y + i / p->nx, v, p->solid[i], line)));
  }
  return TRM_OK;
}

static trm_status write_state(trm_file *file, const part *p, size_t ny, trm_bristol_source *source,
                              void *user)
{
  if (!p->velocity || !p->pressure || !p->solid)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu rows of final_state.dat", p->rows);
  for (size_t y = 0, rows; y < ny; y += rows) {
    rows = ny - y < p->rows ? ny - y : p->rows;
    TRM_TRY(source(user, y * p->nx, rows * p->nx, p->velocity, p->pressure, p->solid));
    TRM_TRY(write_rows(file, p, y, rows * p->nx));
  }
  return TRM_OK;
}

trm_status trm_bristol_write_state(const char *path, size_t nx, size_t ny, trm_type type,
                                   trm_bristol_source *source, void *user)
{
  enum { CELLS = 1 << 16 };
  if (type != TRM_TYPE_F32 && type != TRM_TYPE_F64)
    return TRM_FAIL(INVALID, "final_state.dat holds real fields, not %s", trm_type_name(type));
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  part p = { .type = type, .nx = nx, .rows = nx < CELLS ? CELLS / nx : 1 };
  if (p.rows > ny) p.rows = ny;
  p.velocity = malloc(2 * nx * p.rows * trm_type_size(type));
  p.pressure = malloc(nx * p.rows * trm_type_size(type));
  p.solid = malloc(nx * p.rows);
  const trm_status status = write_state(file, &p, ny, source, user);
  free(p.velocity);
  free(p.pressure);
  free(p.solid);
  return finish_file(&file, status);
}
