/* cure.h - what a user can do about a failed system call, for the end of an error message. */
#ifndef TRIREME_CURE_H
#define TRIREME_CURE_H

#include "core/trireme.h"

/* error is an errno. Never NULL. */
TRM_API const char *trmi_cure(int error);

#endif
