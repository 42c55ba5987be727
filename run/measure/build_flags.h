/* build_flags.h - with which flags this program was compiled; the Makefile writes build_flags.c. */
#ifndef TRIREME_CLI_BUILD_FLAGS_H
#define TRIREME_CLI_BUILD_FLAGS_H

extern const char build_flags[];          /* of everything: CPPFLAGS and CFLAGS */
extern const char build_kernel_flags[];   /* of every host kernel, after those */
extern const char build_strict_flags[], build_fast_flags[]; /* and by its arithmetic */
extern const char build_isas[];           /* "baseline v3 v4" */

#endif
