/* program_text.h - whether two programs have the same text. Internal: for the program trireme and
 * tests. */
#ifndef TRIREME_CORE_PROGRAM_TEXT_H
#define TRIREME_CORE_PROGRAM_TEXT_H

#include <stdint.h>

#include "core/trireme.h"

/* XXH3 over the dialect and the kernel text, without the defines: the same for every device,
 * precision and group shape. 0: no program. */
TRM_API uint64_t trmi_program_text(const trm_program_info *info);

#endif
