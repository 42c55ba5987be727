/* Bristol's parameters: what is accepted can be run. */
#include <math.h>
#include <stdlib.h>

#include "io/bristol.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_bristol_params p;
  char *path = fuzz_file("input.params", data, size);
  if (fuzz_accepted(trm_bristol_read_params(path, &p))) {
    FUZZ_CHECK(p.nx >= 1 && p.ny >= 3 && p.steps >= 1);
    FUZZ_CHECK(p.reynolds_dim > 0 && p.density > 0 && p.accel >= 0);
    FUZZ_CHECK(p.omega > 0 && p.omega < 2 && isfinite(p.density) && isfinite(p.accel));
  }
  free(path);
  return 0;
}
