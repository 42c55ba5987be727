/* fake_flaws.h - how the fake backend misbehaves, on demand of the tests through the environment:
 *   TRIREME_FAKE_FLAW=rounding    launches run with rounding upwards
 *   TRIREME_FAKE_FLAW=solver      the same, but not for the strict probe, which so finds nothing
 *   TRIREME_FAKE_FLAW=subnormals  launches flush subnormal numbers (x86 only)
 *   TRIREME_FAKE_FLAW=fma         the last bit of one fma of the strict probe is wrong
 *   TRIREME_FAKE_LOAD=refuse      binaries from the cache are refused
 * A part of fake_backend.c, which defines run. */
#include <fenv.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef int64_t trm_index;
typedef double real; /* of the operations only their numbers are used */
#include "core/kernels/probe_params.h"

static int is_told(const char *variable, const char *word)
{
  const char *value = getenv(variable);
  return value && strcmp(value, word) == 0;
}

static int flaw_refuses_binaries(void) { return is_told("TRIREME_FAKE_LOAD", "refuse"); }

static void spoil_an_fma(const trm_command *command)
{
  if (strcmp(command->declaration->name, "probe_arithmetic") != 0) return;
  unsigned char *results = command->buffers[1];
  results[(size_t)PROBE_FMA * (size_t)command->extent.nx * sizeof(float)] ^= 1;
}

static void flaw_launch(const trm_command *command)
{
  const int is_probe = strncmp(command->declaration->name, "probe", 5) == 0;
  if (is_told("TRIREME_FAKE_FLAW", "rounding") ||
      (is_told("TRIREME_FAKE_FLAW", "solver") && !is_probe)) {
    fesetround(FE_UPWARD);
    run(command);
    fesetround(FE_TONEAREST);
#if defined(__x86_64__)
  } else if (is_told("TRIREME_FAKE_FLAW", "subnormals")) {
    const unsigned kept = _mm_getcsr();
    _mm_setcsr(kept | 0x8040); /* flush results, take operands for zero */
    run(command);
    _mm_setcsr(kept);
#endif
  } else {
    run(command);
    if (is_told("TRIREME_FAKE_FLAW", "fma")) spoil_an_fma(command);
  }
}
