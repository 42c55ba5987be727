/* ESRI ASCII grids: as many cells without a value as are counted. */
#include <math.h>
#include <stdlib.h>

#include "io/ascii_grid.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_grid grid;
  char *path = fuzz_file("bed.asc", data, size);
  if (fuzz_accepted(trm_ascii_grid_read(path, &grid))) {
    size_t missing = 0;
    FUZZ_CHECK(grid.nx > 0 && grid.ny > 0 && grid.nx * grid.ny <= size);
    FUZZ_CHECK(grid.dx > 0 && grid.dy > 0 && isfinite(grid.x0) && isfinite(grid.y0));
    for (size_t i = 0; i < grid.nx * grid.ny; i++) missing += isfinite(grid.values[i]) ? 0 : 1;
    FUZZ_CHECK(missing == grid.missing);
    trm_grid_free(&grid);
  }
  free(path);
  return 0;
}
