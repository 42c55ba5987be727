/* modules.h - the list of a program's host instances, for its trm_program_source.
 *
 *   TRM_DECLARE_MODULES(lbm);
 *   static const trm_host_module *const modules[] = { TRM_MODULES(lbm), NULL };
 *
 * names what m4/kernel-rules.mk compiles from lbm.k for this processor's family: with
 * TRM_HOST_SETS 1 for baseline alone, with 2 for x86-64-v3 too, with 3 (where nothing is said)
 * for x86-64-v4 too. With 0 no host instance is named: for programs that run no kernel. */
#ifndef TRIREME_MODULES_H
#define TRIREME_MODULES_H

#include "trireme.h"

#define TRM_MODULES_OF(X, program, isa) \
  X(program, f32_strict_##isa), X(program, f64_strict_##isa), \
  X(program, f32_fast_##isa), X(program, f64_fast_##isa)
#define TRM_EXACT_OF(X, program, isa) X(program, f64_strict_##isa)
#define TRM_REVERSE_OF(X, program) X(program, f32_strict_reverse), X(program, f64_strict_reverse)
#define TRM_REVERSE_VARIANT_OF(X, program, variant) \
  X(program, f32_strict_reverse_##variant), X(program, f64_strict_reverse_##variant)

#ifndef TRM_HOST_SETS
#ifdef __x86_64__
#define TRM_HOST_SETS 3
#else
#define TRM_HOST_SETS 1
#endif
#endif

#if TRM_HOST_SETS >= 2
#define TRM_MODULES_OF_V3(X, program) , TRM_MODULES_OF(X, program, v3)
#define TRM_VARIANTS_OF_V3(X, program, variant) , TRM_MODULES_OF(X, program, v3_##variant)
#define TRM_EXACT_OF_V3(X, program) , TRM_EXACT_OF(X, program, v3)
#define TRM_EXACT_VARIANT_OF_V3(X, program, variant) , TRM_EXACT_OF(X, program, v3_##variant)
#else
#define TRM_MODULES_OF_V3(X, program)
#define TRM_VARIANTS_OF_V3(X, program, variant)
#define TRM_EXACT_OF_V3(X, program)
#define TRM_EXACT_VARIANT_OF_V3(X, program, variant)
#endif
#if TRM_HOST_SETS >= 3
#define TRM_MODULES_OF_V4(X, program) , TRM_MODULES_OF(X, program, v4)
#define TRM_VARIANTS_OF_V4(X, program, variant) , TRM_MODULES_OF(X, program, v4_##variant)
#define TRM_EXACT_OF_V4(X, program) , TRM_EXACT_OF(X, program, v4)
#define TRM_EXACT_VARIANT_OF_V4(X, program, variant) , TRM_EXACT_OF(X, program, v4_##variant)
#else
#define TRM_MODULES_OF_V4(X, program)
#define TRM_VARIANTS_OF_V4(X, program, variant)
#define TRM_EXACT_OF_V4(X, program)
#define TRM_EXACT_VARIANT_OF_V4(X, program, variant)
#endif

#define TRM_EVERY_MODULE(X, program) \
  TRM_MODULES_OF(X, program, baseline), TRM_REVERSE_OF(X, program) \
  TRM_MODULES_OF_V3(X, program) TRM_MODULES_OF_V4(X, program)
#define TRM_EVERY_VARIANT(X, program, variant) \
  TRM_MODULES_OF(X, program, baseline_##variant), TRM_REVERSE_VARIANT_OF(X, program, variant) \
  TRM_VARIANTS_OF_V3(X, program, variant) TRM_VARIANTS_OF_V4(X, program, variant)
#define TRM_EVERY_EXACT(X, program) \
  TRM_EXACT_OF(X, program, baseline), TRM_EXACT_OF(X, program, reverse) \
  TRM_EXACT_OF_V3(X, program) TRM_EXACT_OF_V4(X, program)
#define TRM_EVERY_EXACT_VARIANT(X, program, variant) \
  TRM_EXACT_OF(X, program, baseline_##variant), TRM_EXACT_OF(X, program, reverse_##variant) \
  TRM_EXACT_VARIANT_OF_V3(X, program, variant) TRM_EXACT_VARIANT_OF_V4(X, program, variant)

#define TRM_MODULE_SYMBOL(program, instance) trm_module_##program##_##instance
#define TRM_MODULE_ADDRESS(program, instance) &trm_module_##program##_##instance
#if TRM_HOST_SETS >= 1
#define TRM_DECLARE_MODULES(program) \
  extern const trm_host_module TRM_EVERY_MODULE(TRM_MODULE_SYMBOL, program)
#define TRM_MODULES(program) TRM_EVERY_MODULE(TRM_MODULE_ADDRESS, program)

/* The instances of a variant of NAME_VARIANTS, to stand in the same list. */
#define TRM_DECLARE_VARIANT(program, variant) \
  extern const trm_host_module TRM_EVERY_VARIANT(TRM_MODULE_SYMBOL, program, variant)
#define TRM_VARIANT_MODULES(program, variant) \
  TRM_EVERY_VARIANT(TRM_MODULE_ADDRESS, program, variant)

/* The same of a program with NAME_ONLY = f64.strict, which runs in double precision and strict
 * arithmetic alone. */
#define TRM_DECLARE_EXACT(program) \
  extern const trm_host_module TRM_EVERY_EXACT(TRM_MODULE_SYMBOL, program)
#define TRM_EXACT_MODULES(program) TRM_EVERY_EXACT(TRM_MODULE_ADDRESS, program)
#define TRM_DECLARE_EXACT_VARIANT(program, variant) \
  extern const trm_host_module TRM_EVERY_EXACT_VARIANT(TRM_MODULE_SYMBOL, program, variant)
#define TRM_EXACT_VARIANT_MODULES(program, variant) \
  TRM_EVERY_EXACT_VARIANT(TRM_MODULE_ADDRESS, program, variant)
#else /* none is compiled: each list ends where it begins */
#define TRM_DECLARE_MODULES(program) extern const trm_host_module trm_module_##program##_none
#define TRM_MODULES(program) NULL
#define TRM_DECLARE_VARIANT(program, variant) \
  extern const trm_host_module trm_module_##program##_none_##variant
#define TRM_VARIANT_MODULES(program, variant) NULL
#define TRM_DECLARE_EXACT(program) TRM_DECLARE_MODULES(program)
#define TRM_EXACT_MODULES(program) NULL
#define TRM_DECLARE_EXACT_VARIANT(program, variant) TRM_DECLARE_VARIANT(program, variant)
#define TRM_EXACT_VARIANT_MODULES(program, variant) NULL
#endif

#endif
