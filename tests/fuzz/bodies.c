/* Bodies of the N-body solver; the first byte picks the kind of file. */
#include <stdlib.h>
#include <string.h>

#include "solvers/nbody/nbody.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"bodies.txt", "bodies.npy", "bodies_f32.bin",
                                      "bodies_f64.bin"};
  if (size < 1) return 0;
  const char *name = names[data[0] & 3];
  nbody_bodies bodies = {0};
  char *path = fuzz_file(name, data + 1, size - 1), *masses = NULL;
  if (name == names[3]) { /* as many masses as the set has bodies: 72 bytes against 16 */
    const size_t bytes = (size - 1) / 72 * 16;
    masses = fuzz_file(names[2], data + 1, bytes < size - 1 ? bytes : size - 1);
  }
  if (fuzz_accepted(nbody_read(path, masses ? masses : "", &bodies))) {
    FUZZ_CHECK(bodies.count > 0);
    (void)fuzz_accepted(nbody_bodies_check(&bodies, data[0] & 4 ? 0.0 : 0.01, path));
  }
  nbody_bodies_free(&bodies);
  free(masses);
  free(path);
  return 0;
}
