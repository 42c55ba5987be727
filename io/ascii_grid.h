/* ascii_grid.h - ESRI ASCII grids (.asc): bathymetry and the like.
 *
 *   ncols 4  nrows 3  xllcorner 0 (or xllcenter)  yllcorner 0  cellsize 10 (or dx and dy)
 *   NODATA_value -9999 (may be missing)
 * then nrows rows of ncols numbers, the northern row first. Key words in any case and order. */
#ifndef TRIREME_ASCII_GRID_H
#define TRIREME_ASCII_GRID_H

#include "io/grid.h"

/* values are malloc'd; free them with trm_grid_free. Every refusal names the file and line. */
TRM_API trm_status trm_ascii_grid_read(const char *path, trm_grid *out);

#endif
