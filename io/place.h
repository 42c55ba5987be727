/* place.h - finds the place of an output file without following links of other users. */
#ifndef TRIREME_PLACE_H
#define TRIREME_PLACE_H

#include "core/trireme.h"

#include <limits.h>
#include <sys/stat.h>

/* The file's folder, which the caller closes (it was opened with O_PATH, for openat and its kin),
 * and its name there. A path that exists and is no regular file is refused. */
TRM_API trm_status trmi_place_find(const char *path, int *folder, char name[NAME_MAX + 1]);

/* From now on, names below `path` are sought in this very folder. The caller keeps the descriptor,
 * and calls trmi_place_forget before closing it. Refused where the process keeps another folder of
 * the same path. */
TRM_API trm_status trmi_place_keep(const char *path, int descriptor);
TRM_API void trmi_place_forget(int descriptor);

/* A descriptor, owned by the caller, of the kept folder on the path, and the rest of the path; -1:
 * the path has no kept folder, and the rest is the path. */
TRM_API int trmi_place_base(const char *path, const char **rest);

/* open, mkdir and stat, from the kept folder where there is one; links are followed. */
TRM_API int trmi_place_open(const char *path, int flags);
TRM_API int trmi_place_make(const char *path);
TRM_API int trmi_place_stat(const char *path, struct stat *about);

#endif
