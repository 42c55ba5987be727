/* nearest.h - for each refusal of an unknown name: which known name was meant? */
#ifndef TRIREME_NEAREST_H
#define TRIREME_NEAREST_H

#include "core/trireme.h"

/* The nearest of `count` names to `name` by edit distance, or NULL when no name is near. Where no
 * whole name is near, the parts behind the last dot are compared: "omega" stands for
 * "lbm.omega". */
TRM_API const char *trm_nearest_name(const char *name, const char *const *names, size_t count);

#endif
