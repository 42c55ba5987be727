/* stl_pairs.h - pairs of a surface's triangles that are not known to be apart. */
#ifndef TRIREME_STL_PAIRS_H
#define TRIREME_STL_PAIRS_H

#include "io/stl.h"

/* Searches for two triangles of which `is_wrong` is 1, among all that may touch in more than
 * corners which they share; *pair: their numbers. depth is handed on. For n triangles, about n log
 * n pairs of groups are compared, whatever their shape, also where all triangles have a corner in
 * common. */
trm_status trmi_stl_find_pair(const trm_stl *surface, const char *path,
                              int (*is_wrong)(const double *v, const double *w, double depth),
                              double depth, int *is_found, size_t pair[2]);

#endif
