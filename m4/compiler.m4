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

# TRM_KERNEL_DEBUG: KERNEL_DEBUG_CFLAGS is -g1 where CFLAGS has -g: a kernel keeps its lines, for debuggers and
# profilers, and loses the places of its variables. Its instructions are the same, and it compiles in four
# fifths of the time. KERNEL_DEBUG_CFLAGS=-g keeps all.
AC_DEFUN([TRM_KERNEL_DEBUG], [
KERNEL_DEBUG_CFLAGS=
AS_CASE([" $CFLAGS"], [*" -g"*], [TRM_TRY_FLAG([-g1], [KERNEL_DEBUG_CFLAGS=-g1])])
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

# TRM_INSTRUCTION_SETS: TRM_ISAS, the instruction sets that host kernels are compiled for (kernel-rules.mk).
AC_DEFUN([TRM_INSTRUCTION_SETS], [
AC_REQUIRE([AC_CANONICAL_HOST])
AC_ARG_WITH([isa],
  [AS_HELP_STRING([--with-isa=native|all|LIST],
    [the instruction sets that host kernels are compiled for: the best one of this processor, all (the processor \
decides at run time), or some of baseline,v3,v4; reverse, for tests, may follow any @<:@native@:>@])],
  [], [with_isa=native])
TRM_ISAS=
for trm_set in `AS_ECHO(["$with_isa"]) | tr , ' '`; do
  AS_CASE([$trm_set],
    [native], [TRM_NATIVE_SET
      AS_VAR_APPEND([TRM_ISAS], [" $trm_native"])],
    [all], [AS_VAR_APPEND([TRM_ISAS], [" baseline"])
      TRM_KNOWN_SET([v3], [AS_VAR_APPEND([TRM_ISAS], [" v3"])])
      TRM_KNOWN_SET([v4], [AS_VAR_APPEND([TRM_ISAS], [" v4"])])],
    [baseline|reverse], [AS_VAR_APPEND([TRM_ISAS], [" $trm_set"])],
    [v3|v4], [TRM_KNOWN_SET([$trm_set], [AS_VAR_APPEND([TRM_ISAS], [" $trm_set"])],
      [AC_MSG_ERROR([--with-isa=$with_isa: $CC has no x86-64-$trm_set for $host_cpu])])],
    [AC_MSG_ERROR([--with-isa=$with_isa: give native, all, or some of baseline,v3,v4,reverse])])
done
AS_CASE([" $TRM_ISAS "], [*" baseline "*|*" v3 "*|*" v4 "*], [],
  [AC_MSG_ERROR([--with-isa=$with_isa: give one of native, all, baseline, v3 and v4 as well])])
TRM_ISAS=`AS_ECHO(["$TRM_ISAS"]) | tr ' ' '\n' | awk 'NF && !seen@<:@$''1@:>@++' | tr '\n' ' ' | sed 's/ $//'`
AC_SUBST([TRM_ISAS])
])

# TRM_KNOWN_SET(SET, IF-KNOWN, IF-NOT): whether the compiler has this set of x86-64.
AC_DEFUN([TRM_KNOWN_SET], [
AS_CASE([$host_cpu], [x86_64|amd64],
  [AS_CASE([$1], [v4], [trm_march="-march=x86-64-v4 -mprefer-vector-width=512"], [trm_march=-march=x86-64-$1])
   TRM_TRY_FLAG([$trm_march], [$2], [$3])], [$3])
])

# TRM_NATIVE_SET: trm_native gets the best set that this processor runs and the compiler has.
AC_DEFUN([TRM_NATIVE_SET], [
AC_MSG_CHECKING([for the best instruction set of this processor])
trm_native=baseline
trm_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS -I$srcdir/core"
for trm_try in 3 4; do
  AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include "isa_features.h"]],
    [[return !trmi_has_v$trm_try() || !(trmi_has_v3() | 1) || !(trmi_has_v4() | 1);]])],
    [trm_native=v$trm_try], [], [AC_MSG_RESULT([baseline, since this is built for another machine])])
done
CPPFLAGS=$trm_saved_CPPFLAGS
AC_MSG_RESULT([$trm_native])
AS_CASE([$trm_native], [v4], [TRM_KNOWN_SET([v4], [], [trm_native=v3])])
AS_CASE([$trm_native], [v3], [TRM_KNOWN_SET([v3], [], [trm_native=baseline])])
])
