/* grid.c - picks the reader of a grid's file by its first bytes. */
#include <config.h>

#include "io/grid.h"

#include <errno.h>
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

trm_status trm_grid_read(const char *path, const char *variable, trm_grid *out)
{
  unsigned char head[8] = { 0 };
  TRM_TRY(trm_file_require_lasting(path));
  FILE *file = fopen(path, "rb");
  if (!file) return TRM_FAIL(IO, "%s: cannot be opened: %s; check the name and the folder", path,
                             strerror(errno));
  const size_t count = fread(head, 1, sizeof head, file);
  fclose(file);
  if (count >= 4 && is_netcdf(head)) return trm_netcdf_read(path, variable, out);
  if (*variable)
    return TRM_FAIL(INPUT, "%s: no netCDF file, so it has no variable '%s'", path, variable);
  return trm_ascii_grid_read(path, out);
}

void trm_grid_free(trm_grid *grid)
{
  free(grid->values);
  *grid = (trm_grid){ 0 };
}
