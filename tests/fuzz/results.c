/* Results of Bristol's program: av_vels.dat when the first byte is even, else final_state.dat. */
#include <stdlib.h>

#include "io/bristol.h"
#include "tests/fuzz/fuzz.h"

static void read_series(const char *path)
{
  trm_bristol_check check;
  double *values = NULL;
  size_t count = 0;
  if (!fuzz_accepted(trm_bristol_read_series(path, &values, &count))) return;
  trm_bristol_check_series(values, count, values, count, &check);
  FUZZ_CHECK(check.same_shape);
  free(values);
}

static void read_state(const char *path)
{
  trm_bristol_check check;
  trm_bristol_state state;
  if (!fuzz_accepted(trm_bristol_read_state(path, &state))) return;
  FUZZ_CHECK(state.nx > 0 && state.ny > 0);
  trm_bristol_check_state(&state, &state, &check);
  FUZZ_CHECK(check.same_shape && check.obstacles == 0);
  trm_bristol_state_free(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) return 0;
  char *path = fuzz_file("results.dat", data + 1, size - 1);
  if (data[0] & 1) read_state(path);
  else read_series(path);
  free(path);
  return 0;
}
