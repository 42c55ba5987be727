/* grid.c - picks the reader of a grid's file by its first bytes. */
#include <config.h>

#include "io/grid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/ascii_grid.h"
#include "io/file.h"

/* "CDF" and a version: classic; HDF5's signature: netCDF 4. */
static int is_netcdf(const unsigned char head[8])
{
  static const unsigned char hdf5[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  const int is_classic = memcmp(head, "CDF", 3) == 0 && head[3] >= 1 && head[3] <= 5;
  return is_classic || memcmp(head, hdf5, sizeof hdf5) == 0;
}

trm_status trmi_grid_from_degrees(const char *path, double middle, trm_grid *grid)
{
  static const double earth_radius = 6371000.0, degree = 0.017453292519943295;
  if (!(fabs(middle) < 89.0))
    return TRM_FAIL(INPUT, "%s: the grid's middle lies at latitude %g, where degrees are no "
                    "lengths; project the file (gdalwarp -t_srs EPSG:...)", path, middle);
  grid->dx *= earth_radius * degree * cos(middle * degree);
  grid->dy *= earth_radius * degree;
  grid->x0 = grid->y0 = 0.0;
  return TRM_OK;
}

static trm_status read_kind(const char *path, const char *variable, const char *head, size_t count,
                            int is_by_rows, trm_grid *out)
{
  if (count >= 4 && is_netcdf((const unsigned char *)head))
    return trm_netcdf_read(path, variable, is_by_rows, out);
  TRM_TRY(trmi_grid_check_foreign(path, head, count));
  if (*variable)
    return TRM_FAIL(INPUT, "%s: no netCDF file, so it has no variable '%s'", path, variable);
  return trm_ascii_grid_read(path, out);
}

static trm_status read_checked(const char *path, const char *variable, int is_by_rows,
                               trm_grid *out)
{
  enum { HEAD = 1024 };
  char head[HEAD + 1] = { 0 };
  trm_grid grid = { 0 };
  TRM_TRY(trm_file_require_lasting(path));
  FILE *file = fopen(path, "rb");
  if (!file) return TRM_FAIL(IO, "%s: cannot be opened: %s; check the name and the folder", path,
                             strerror(errno));
  const size_t count = fread(head, 1, HEAD, file);
  fclose(file);
  TRM_TRY(read_kind(path, variable, head, count, is_by_rows, &grid));
  const trm_status status = trmi_grid_check(path, &grid);
  if (status == TRM_OK) *out = grid;
  else trm_grid_free(&grid);
  return status;
}

trm_status trm_grid_read(const char *path, const char *variable, trm_grid *out)
{
  return read_checked(path, variable, 0, out);
}

trm_status trm_grid_open(const char *path, const char *variable, trm_grid *out)
{
  return read_checked(path, variable, 1, out);
}

/* wanted: rows that are asked for at once. */
static trm_status hold(trm_grid *grid, size_t row, size_t wanted, const double **values,
                       size_t *rows)
{
  size_t held = 0, count = grid->ny;
  if (grid->source) {
    TRM_TRY(trmi_netcdf_hold(grid, row, wanted));
    held = grid->held;
    count = grid->held_rows;
  }
  *values = grid->values + (row - held) * grid->nx;
  *rows = held + count - row;
  return TRM_OK;
}

trm_status trm_grid_hold(trm_grid *grid, size_t row, const double **values, size_t *rows)
{
  return hold(grid, row, 1, values, rows);
}

trm_status trm_grid_rows(trm_grid *grid, size_t first, size_t count, double fill, double *out)
{
  const double *values;
  for (size_t done = 0, rows; done < count; done += rows) {
    TRM_TRY(hold(grid, first + done, count - done, &values, &rows));
    if (rows > count - done) rows = count - done;
    for (size_t i = 0; i < rows * grid->nx; i++) *out++ = isnan(values[i]) ? fill : values[i];
  }
  return TRM_OK;
}

void trm_grid_free(trm_grid *grid)
{
  trmi_netcdf_close(&grid->source);
  free(grid->values);
  *grid = (trm_grid){ 0 };
}
