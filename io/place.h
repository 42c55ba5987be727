/* place.h - finds the place of an output file without following links of other users. */
#ifndef TRIREME_PLACE_H
#define TRIREME_PLACE_H

#include "core/trireme.h"

#include <limits.h>

/* The file's folder, which the caller closes (it was opened with O_PATH, for openat and its kin),
 * and its name there. A path that exists and is no regular file is refused. */
TRM_API trm_status trmi_place_find(const char *path, int *folder, char name[NAME_MAX + 1]);

#endif
