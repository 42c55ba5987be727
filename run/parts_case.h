/* parts_case.h - rank 0 sends a case to all ranks: the values of its keys, as text. */
#ifndef TRIREME_RUN_PARTS_CASE_H
#define TRIREME_RUN_PARTS_CASE_H

#include "run/case.h"

/* names: of the devices of all parts, with commas. *bytes is the caller's to free. */
trm_status parts_pack(const run_case *chosen, const char *names, char **bytes, size_t *count);
/* names: in the bytes. Clear the case in any case. */
trm_status parts_unpack(const char *bytes, size_t count, run_case *out, const char **names);

#endif
