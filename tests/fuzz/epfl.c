/* Raw files of EPFL's course: a line is the name, the rest are the values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/epfl.h"
#include "tests/fuzz/fuzz.h"

static void read_case(const char *path, size_t bytes)
{
  trm_epfl_case about;
  char *prefix = NULL;
  if (!fuzz_accepted(trm_epfl_find(path, &prefix, &about))) return;
  FUZZ_CHECK(about.nx >= 5 && about.size > 0 && about.end_time > 0);
  if (about.nx * about.nx * sizeof(double) == bytes) {
    double *values = malloc(bytes);
    FUZZ_CHECK(values);
    (void)fuzz_accepted(trm_epfl_read(prefix, "h", about.nx, values));
    free(values);
  } else {
    double none[1];
    FUZZ_CHECK(!fuzz_accepted(trm_epfl_read(prefix, "h", about.nx, none)));
  }
  free(prefix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint8_t *end = memchr(data, '\n', size);
  if (!end || end - data > 200 || memchr(data, '/', (size_t)(end - data))) return 0;
  char *name = fuzz_text(data, (size_t)(end - data)), *file = NULL, *path;
  if (name[0] && name[0] != '.') {
    const size_t bytes = size - (size_t)(end + 1 - data);
    FUZZ_CHECK(asprintf(&file, "%s_h.bin", name) > 0);
    path = fuzz_file(file, end + 1, bytes);
    read_case(path, bytes);
    read_case(fuzz_folder(), bytes);
    remove(path);
    free(path);
    free(file);
  }
  free(name);
  return 0;
}
