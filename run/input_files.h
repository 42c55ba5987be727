/* input_files.h - the files that a key names. Its value is one file, a folder of files, or their
 * common beginning ("data/run1" for run1_h.bin and run1_z.bin). */
#ifndef TRIREME_RUN_INPUT_FILES_H
#define TRIREME_RUN_INPUT_FILES_H

#include "core/trireme.h"

/* Called for each of these regular files, in the order of their names; none may be there. It stops
 * at the first failure. */
typedef trm_status input_files_fn(void *user, const char *path);
trm_status input_files_each(const char *value, input_files_fn *each, void *user);

/* Whether the value names a folder. */
int input_files_is_folder(const char *value);

#endif
