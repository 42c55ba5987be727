/* Bristol's obstacles: nx and ny are the first two bytes, the file is the rest. */
#include <stdlib.h>

#include "io/bristol.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2) return 0;
  const size_t nx = (size_t)data[0] + 1, ny = (size_t)data[1] + 1;
  size_t blocked = 0, counted = 0;
  uint8_t *solid = malloc(nx * ny);
  char *path = fuzz_file("obstacles.dat", data + 2, size - 2);
  FUZZ_CHECK(solid);
  if (fuzz_accepted(trm_bristol_read_obstacles(path, nx, ny, solid, &blocked))) {
    for (size_t i = 0; i < nx * ny; i++) {
      FUZZ_CHECK(solid[i] <= 1);
      counted += solid[i];
    }
    FUZZ_CHECK(counted == blocked && blocked < nx * ny);
  }
  free(path);
  free(solid);
  return 0;
}
