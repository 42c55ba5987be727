/* NumPy's arrays: the shape of what is accepted has as many elements as there are. */
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_npy npy;
  char *path = fuzz_file("array.npy", data, size);
  if (fuzz_accepted(trm_npy_read(path, &npy))) {
    size_t elements = 1, bytes = npy.elements * trm_type_size(npy.type);
    for (int i = 0; i < npy.axes; i++) elements *= npy.shape[i];
    FUZZ_CHECK(elements == npy.elements && bytes <= size);
    FUZZ_CHECK(bytes == 0 || memcmp(npy.data, data + size - bytes, bytes) == 0);
    trm_npy_free(&npy);
  }
  free(path);
  return 0;
}
