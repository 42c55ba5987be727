/* modules.h - the list of a program's host instances, for its trm_program_source.
 *
 *   TRM_DECLARE_MODULES(lbm);
 *   static const trm_host_module *const modules[] = { TRM_MODULES(lbm), NULL };
 *
 * names what m4/kernel-rules.mk compiles from lbm.k for this processor's family. */
#ifndef TRIREME_MODULES_H
#define TRIREME_MODULES_H

#include "trireme.h"

#define TRM_MODULES_OF(X, program, isa) \
  X(program, f32_strict_##isa), X(program, f64_strict_##isa), \
  X(program, f32_fast_##isa), X(program, f64_fast_##isa)
#define TRM_REVERSE_OF(X, program) X(program, f32_strict_reverse), X(program, f64_strict_reverse)
#define TRM_REVERSE_VARIANT_OF(X, program, variant) \
  X(program, f32_strict_reverse_##variant), X(program, f64_strict_reverse_##variant)

#if defined(__x86_64__)
#define TRM_EVERY_MODULE(X, program) \
  TRM_MODULES_OF(X, program, baseline), TRM_MODULES_OF(X, program, v3), \
  TRM_MODULES_OF(X, program, v4), TRM_REVERSE_OF(X, program)
#define TRM_EVERY_VARIANT(X, program, variant) \
  TRM_MODULES_OF(X, program, baseline_##variant), TRM_MODULES_OF(X, program, v3_##variant), \
  TRM_MODULES_OF(X, program, v4_##variant), TRM_REVERSE_VARIANT_OF(X, program, variant)
#else
#define TRM_EVERY_MODULE(X, program) \
  TRM_MODULES_OF(X, program, baseline), TRM_REVERSE_OF(X, program)
#define TRM_EVERY_VARIANT(X, program, variant) \
  TRM_MODULES_OF(X, program, baseline_##variant), TRM_REVERSE_VARIANT_OF(X, program, variant)
#endif

#define TRM_MODULE_SYMBOL(program, instance) trm_module_##program##_##instance
#define TRM_MODULE_ADDRESS(program, instance) &trm_module_##program##_##instance
#define TRM_DECLARE_MODULES(program) \
  extern const trm_host_module TRM_EVERY_MODULE(TRM_MODULE_SYMBOL, program)
#define TRM_MODULES(program) TRM_EVERY_MODULE(TRM_MODULE_ADDRESS, program)

/* The instances of a variant of NAME_VARIANTS, to stand in the same list. */
#define TRM_DECLARE_VARIANT(program, variant) \
  extern const trm_host_module TRM_EVERY_VARIANT(TRM_MODULE_SYMBOL, program, variant)
#define TRM_VARIANT_MODULES(program, variant) \
  TRM_EVERY_VARIANT(TRM_MODULE_ADDRESS, program, variant)

#endif
