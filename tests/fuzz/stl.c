/* STL: every corner within the surface's box, every patch with a name. */
#include <math.h>
#include <stdlib.h>

#include "io/stl.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_stl stl;
  char *path = fuzz_file("surface.stl", data, size);
  if (fuzz_accepted(trm_stl_read(path, &stl))) {
    FUZZ_CHECK(stl.count > 0 && stl.patch_count > 0 && stl.patch_count <= TRM_STL_PATCHES);
    for (size_t i = 0; i < 9 * stl.count; i++)
      FUZZ_CHECK(stl.corners[i] >= stl.low[i % 3] && stl.corners[i] <= stl.high[i % 3]);
    for (size_t i = 0; i < stl.count; i++) FUZZ_CHECK(stl.names[stl.patch[i]][0]);
    fuzz_accepted(trm_stl_check_closed(&stl, path));
    fuzz_accepted(trm_stl_check_crossing(&stl, path));
    trm_stl_free(&stl);
  }
  free(path);
  return 0;
}
