/* modules.h - the list of a program's host instances, for its trm_program_source.
 *
 *   TRM_DECLARE_MODULES(lbm);
 *   static const trm_program_source source = { "lbm", "lbm.k", trm_text_lbm, TRM_MODULES(lbm) };
 *
 * m4/kernel-rules.mk writes the list beside the text: each precision and arithmetic, each variant
 * of lbm_VARIANTS, each instruction set of configure's --with-isa. It ends with NULL. */
#ifndef TRIREME_MODULES_H
#define TRIREME_MODULES_H

#include "trireme.h"

#define TRM_MODULES(program) trm_modules_##program
#define TRM_DECLARE_MODULES(program) extern const trm_host_module *const TRM_MODULES(program)[]

#endif
