/* bristol_results.c - writes av_vels.dat and final_state.dat, the course's results. */
#include <config.h>

#include "io/bristol.h"
#include "io/decimal.h"
#include "io/file.h"

#include <math.h>

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
