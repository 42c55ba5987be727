/* build_flags.h - the compiler flags of this program; the Makefile writes build_flags.c. */
#ifndef TRIREME_RUN_BUILD_FLAGS_H
#define TRIREME_RUN_BUILD_FLAGS_H

extern const char build_flags[];          /* for all files: CPPFLAGS and CFLAGS */
extern const char build_kernel_flags[];   /* for every host kernel, after those */
extern const char build_strict_flags[], build_fast_flags[]; /* and for its arithmetic */
extern const char build_isas[];           /* "baseline v3 v4" */

#endif
