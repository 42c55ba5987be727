/* named.h - names of several devices with commas between them, as users write them. */
#ifndef TRIREME_DOMAIN_NAMED_H
#define TRIREME_DOMAIN_NAMED_H

#include "core/trireme.h"

/* "( cuda:0 * 2, openmp )" is "cuda:0*2,openmp": blanks inside of a name alone are its own. */
TRM_API void domain_named_tidy(char *names);

/* Refuses the number of a rank behind a name. */
trm_status domain_named_check(const char *names);

/* "opencl:0*2.5", so many letters of a text: the name, and the share of the rows beside those of
 * others. "*auto": the share is measured. */
TRM_API trm_status domain_named_read(const char *text, size_t length, char *name, size_t bytes,
                                     double *weight, int *is_auto);

/* Threads of each openmp device among these names; 0: as many as a device alone has. */
TRM_API int domain_named_threads(const char *names);

#endif
