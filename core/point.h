/* point.h - numbers with a point, in every locale that a program may set ("0,5" is German). */
#ifndef TRIREME_POINT_H
#define TRIREME_POINT_H

#include "core/trireme.h"

#include <locale.h>

/* From here to trm_numbers_end the calling thread reads and writes numbers as the C locale has
 * them. For the functions that a program calls. */
TRM_API locale_t trm_numbers_begin(void);
TRM_API void trm_numbers_end(locale_t before);

#endif
