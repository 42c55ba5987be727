/* isa.c - which host instances of a kernel this processor can run, best first.
 *
 * The levels are those of the x86-64 psABI; a level counts only with every one of its features, and
 * with an operating system that saves its registers. A build with fewer sets (configure's
 * --with-isa) knows no more. TRIREME_ISA names one instance instead. */
#include "core/internal.h"
#include "core/modules.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && TRM_HOST_SETS >= 2
#include <cpuid.h>

static unsigned leaf(unsigned function, char reg)
{
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(function, 0, &a, &b, &c, &d)) return 0;
  return reg == 'b' ? b : c;
}

/* The compilers' own test asks the operating system as well, but knows not all of the features. */
static int has_v3(void)
{
  const unsigned basic = leaf(1, 'c'), extended = leaf(0x80000001u, 'c');
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx") &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
         (basic & bit_CMPXCHG16B) && (basic & bit_F16C) && (basic & bit_MOVBE) &&
         (extended & bit_LAHF_LM) && (extended & bit_LZCNT);
}

#if TRM_HOST_SETS >= 3
static int has_v4(void)
{
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif
#endif

#if TRM_HOST_SETS < 3
static int never(void) { return 0; }
#endif
static int always(void) { return 1; }

/* Best first. "reverse" runs cells and phases backwards, a test: only by name. */
static const struct { const char *name; int (*runs)(void); int by_name; } levels[] = {
#if TRM_HOST_SETS >= 3
  { "x86-64-v4", has_v4, 0 },
#else
  { "x86-64-v4", never, 0 },
#endif
#if TRM_HOST_SETS >= 2
  { "x86-64-v3", has_v3, 0 },
#else
  { "x86-64-v3", never, 0 },
#endif
  { "baseline", always, 0 },
  { "reverse", always, 1 },
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

trm_status trmi_isa_list(const char *names[TRMI_MAX_ISAS], size_t *count)
{
  const char *asked = secure_getenv("TRIREME_ISA");
  size_t found = 0;
  if (asked && !*asked) asked = NULL;
  for (size_t i = 0; i < LEVELS; i++) {
    if (asked ? strcmp(asked, levels[i].name) != 0 : levels[i].by_name || !levels[i].runs())
      continue;
    if (!levels[i].runs())
      return TRM_FAIL(UNSUPPORTED,
                      "TRIREME_ISA=%s: this processor, or this build (configure --with-isa), lacks "
                      "a feature of that instruction set; "
                      "unset TRIREME_ISA to use the best one it has",
                      asked);
    names[found++] = levels[i].name;
  }
  if (found == 0)
    return TRM_FAIL(INVALID,
                    "TRIREME_ISA=%s: no such instruction set; there are baseline, x86-64-v3, "
                    "x86-64-v4 and reverse",
                    asked);
  *count = found;
  return TRM_OK;
}
