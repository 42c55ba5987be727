/* case.h - what is asked of a case.conf before its options are known; see also trm_case_solver. */
#ifndef TRIREME_CASE_H
#define TRIREME_CASE_H

#include "core/trireme.h"

/* The text of one key, "run.devices"; "" where it is not there or is no string. malloc'd and the
 * caller's. */
TRM_API trm_status trm_case_text(const char *path, const char *key, char **text);

#endif
