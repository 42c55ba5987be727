/* grid.h - values on a regular grid, as bathymetry comes: an ESRI ASCII grid (ascii_grid.h) or a
 * netCDF file (netcdf.c). The first bytes tell the two apart. */
#ifndef TRIREME_GRID_H
#define TRIREME_GRID_H

#include "core/trireme.h"

enum { TRM_GRID_CAUTION = 400 };

typedef struct trm_grid_source trm_grid_source; /* netcdf.c: an open file */

typedef struct trm_grid {
  size_t nx, ny;
  double x0, y0;               /* the south-western corner */
  double dx, dy;               /* sides of a cell */
  double *values;              /* ny rows of nx, the southern one first; NaN: no value. With a
                                * source only the rows that are held */
  size_t missing;              /* cells without a value */
  int has_unit;                /* the file tells the unit of its axes */
  trm_grid_source *source;     /* NULL: all rows are in memory */
  size_t held, held_rows;      /* the first of the rows in memory, and their number */
  char caution[TRM_GRID_CAUTION]; /* names a height that is far from all others; "": none is */
} trm_grid;

/* Places in degrees, as longitude and latitude, become metres: the south-western corner (0, 0), a
 * sphere of 6371 km, the scale of the grid's middle latitude. */
trm_status trmi_grid_from_degrees(const char *path, double middle, trm_grid *grid);

/* grid_foreign.c: refuses what is known as another format of grids, with the command that converts
 * it. head: the file's first bytes, with a zero behind them. */
trm_status trmi_grid_check_foreign(const char *path, const char *head, size_t bytes);

/* grid_check.c: refuses heights that look like marks of missing cells where the file declares no
 * mark. Refuses places in degrees that the file does not declare as degrees, unless NAME.prj beside
 * it does; these are converted to metres. Names a height that is far from all others. */
trm_status trmi_grid_check(const char *path, trm_grid *grid);

/* grid_check.c: the first cell with this height, or without one (NAN). */
TRM_API trm_status trm_grid_find(trm_grid *grid, double z, size_t *cell);

/* variable: which one of a netCDF file's is meant; "": the only one on a grid of two dimensions.
 * values are malloc'd; free them with trm_grid_free. Every refusal names the file. */
TRM_API trm_status trm_grid_read(const char *path, const char *variable, trm_grid *out);
/* The same, but rows of a netCDF file are read when they are wanted, each time anew: at most 2^19
 * values, or one row, are in memory. */
TRM_API trm_status trm_grid_open(const char *path, const char *variable, trm_grid *out);
/* Copies rows [first, first + count); cells without a value get `fill`. */
TRM_API trm_status trm_grid_rows(trm_grid *grid, size_t first, size_t count, double fill,
                                 double *out);
/* The values of rows from `row` on that are in memory then, and how many rows these are. */
TRM_API trm_status trm_grid_hold(trm_grid *grid, size_t row, const double **values, size_t *rows);
TRM_API void trm_grid_free(trm_grid *grid);

/* Classic and HDF5-based netCDF with the attributes of the CF conventions. Axes are in m, km or
 * degrees (also axes called lon and lat without a unit), in either direction, packed or not
 * (scale_factor, add_offset, _Unsigned). Cells without a value are marked by _FillValue and
 * missing_value, or lie beyond valid_min, valid_max and valid_range. Heights are in m, cm or km.
 * They are positive up, unless "positive" says down or standard_name says that they are depths.
 * UNSUPPORTED in a build without libnetcdf. */
TRM_API trm_status trm_netcdf_read(const char *path, const char *variable, int is_by_rows,
                                   trm_grid *out);
/* Rows from `row` on are in memory then: `wanted` of them, if a block has so many. */
trm_status trmi_netcdf_hold(trm_grid *grid, size_t row, size_t wanted);
void trmi_netcdf_close(trm_grid_source **source);

#endif
