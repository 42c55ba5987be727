/* nearest.h - what every refusal of an unknown name asks: which known one was meant? */
#ifndef TRIREME_NEAREST_H
#define TRIREME_NEAREST_H

#include "core/trireme.h"

/* The nearest of `count` names to `name` by edit distance, or NULL when none is near. Where no
 * whole name is near, what follows the last dot is compared: "omega" stands for "lbm.omega". */
TRM_API const char *trm_nearest_name(const char *name, const char *const *names, size_t count);

#endif
