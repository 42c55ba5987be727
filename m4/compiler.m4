# compiler.m4 - the warnings we build with, the flags we refuse, and the instruction sets of host kernels.

# TRM_WARNINGS: WARN_CFLAGS gets those of our warnings that the compiler knows.
AC_DEFUN([TRM_WARNINGS], [
WARN_CFLAGS=
for trm_flag in -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes; do
  TRM_TRY_FLAG([$trm_flag], [AS_VAR_APPEND([WARN_CFLAGS], [" $trm_flag"])])
done
AC_SUBST([WARN_CFLAGS])
])

# TRM_SHORT_ROWS: SHORT_ROWS_CFLAGS gets what keeps gcc from going cell by cell, at either end of a row, to where
# its stores are aligned: of rows of 8 or 16 cells that leaves little.
AC_DEFUN([TRM_SHORT_ROWS], [
SHORT_ROWS_CFLAGS=
TRM_TRY_FLAG([--param=vect-max-peeling-for-alignment=0],
  [SHORT_ROWS_CFLAGS=--param=vect-max-peeling-for-alignment=0])
AC_SUBST([SHORT_ROWS_CFLAGS])
])

# TRM_LIBTOOL_SHELL: libtool is a long script that runs for every file; dash reads it in two thirds of the time
# that bash takes, which is a tenth of a second for each program that is linked.
AC_DEFUN([TRM_LIBTOOL_SHELL], [
AC_ARG_VAR([LIBTOOL_SHELL], [shell that runs libtool (dash, where there is one)])
AC_CHECK_PROGS([LIBTOOL_SHELL], [dash], [\$(SHELL)])
AC_SUBST([LIBTOOL], ['$(LIBTOOL_SHELL) $(top_builddir)/libtool'])
])

# TRM_KERNEL_DEBUG: KERNEL_DEBUG_CFLAGS gets what keeps gcc, under -g, from following every value through kernels
# whose cells it has unrolled and vectorised: lines and types stay, instructions are the same, and a kernel
# compiles in four fifths of the time.
AC_DEFUN([TRM_KERNEL_DEBUG], [
KERNEL_DEBUG_CFLAGS=
TRM_TRY_FLAG([-fno-var-tracking-assignments], [KERNEL_DEBUG_CFLAGS=-fno-var-tracking-assignments])
AC_SUBST([KERNEL_DEBUG_CFLAGS])
])

# TRM_TRY_FLAG(FLAG, IF-KNOWN, IF-NOT)
AC_DEFUN([TRM_TRY_FLAG], [
AC_MSG_CHECKING([whether $CC knows $1])
trm_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int trm_flag_probe;]])], [trm_known=yes], [trm_known=no])
CFLAGS=$trm_saved_CFLAGS
AC_MSG_RESULT([$trm_known])
AS_IF([test "x$trm_known" = xyes], [$2], [$3])
])

# TRM_REFUSE_FAST_MATH: strict runs promise the same bits everywhere, and -ffast-math even changes the
# processor's mode for everyone who loads the object (gcc links crtfastmath.o).
AC_DEFUN([TRM_REFUSE_FAST_MATH], [
for trm_flag in $CC $CPPFLAGS $CFLAGS $LDFLAGS; do
  AS_CASE([$trm_flag],
    [-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|\
-ffinite-math-only|-fno-signed-zeros|-fcx-limited-range|-fsingle-precision-constant|-mdaz-ftz|-ffp-model=fast],
    [AC_MSG_ERROR([$trm_flag in CFLAGS, LDFLAGS or CC would change the bits of strict runs, which are promised \
to be equal on every backend; leave it out and use --math=fast at run time for quick arithmetic])])
done
AC_MSG_CHECKING([that float and double are computed in their own precision])
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#include <float.h>
/* 16 differs from 0 for _Float16 only (gcc -march=native where there is AVX512-FP16) */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error excess precision
#endif
]])], [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no])
   AC_MSG_ERROR([FLT_EVAL_METHOD is not 0: this target keeps excess precision, so strict runs cannot have the \
bits of other machines; on 32-bit x86 add -msse2 -mfpmath=sse to CFLAGS])])
])

# TRM_INSTRUCTION_SETS: TRM_ISAS and their number TRM_HOST_SETS (core/modules.h), the instruction sets that host kernels are compiled for
# (see kernel-rules.mk): all that the compiler knows, or the first ones, up to --with-isa.
AC_DEFUN([TRM_INSTRUCTION_SETS], [
AC_REQUIRE([AC_CANONICAL_HOST])
AC_ARG_WITH([isa],
  [AS_HELP_STRING([--with-isa=baseline|v3|v4],
    [the highest instruction set that host kernels are compiled for; the processor decides at run time @<:@v4@:>@])],
  [], [with_isa=v4])
AS_CASE([$with_isa], [baseline|v3|v4], [],
  [AC_MSG_ERROR([--with-isa=$with_isa: give baseline, v3 or v4])])
TRM_ISAS=baseline
AS_CASE([$host_cpu/$with_isa], [x86_64/v*|amd64/v*], [
  TRM_TRY_FLAG([-march=x86-64-v3], [AS_VAR_APPEND([TRM_ISAS], [" v3"])])
])
AS_CASE([$host_cpu/$with_isa], [x86_64/v4|amd64/v4], [
  TRM_TRY_FLAG([-march=x86-64-v4 -mprefer-vector-width=512], [AS_VAR_APPEND([TRM_ISAS], [" v4"])])
])
AS_CASE([$TRM_ISAS], [*v4], [TRM_HOST_SETS=3], [*v3], [TRM_HOST_SETS=2], [TRM_HOST_SETS=1])
AC_SUBST([TRM_ISAS])
AC_SUBST([TRM_HOST_SETS])
])
