/* isa_features.h - whether this processor runs an instruction set of x86-64's psABI.
 *
 * A level counts only if the processor has all its features and the operating system saves its
 * registers. The same functions serve configure for --with-isa=native (m4/compiler.m4). */
#ifndef TRIREME_ISA_FEATURES_H
#define TRIREME_ISA_FEATURES_H

#ifdef __x86_64__
#include <cpuid.h>

static unsigned trmi_cpuid_leaf(unsigned function, char reg)
{
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(function, 0, &a, &b, &c, &d)) return 0;
  return reg == 'b' ? b : c;
}

/* The compilers' own test also asks the operating system, but does not know all of the features. */
static int trmi_has_v3(void)
{
  const unsigned basic = trmi_cpuid_leaf(1, 'c'), extended = trmi_cpuid_leaf(0x80000001u, 'c');
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx") &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
         (basic & bit_CMPXCHG16B) && (basic & bit_F16C) && (basic & bit_MOVBE) &&
         (extended & bit_LAHF_LM) && (extended & bit_LZCNT);
}

static int trmi_has_v4(void)
{
  return trmi_has_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
static int trmi_has_v3(void) { return 0; }
static int trmi_has_v4(void) { return 0; }
#endif

#endif
