# openmp.m4 - TRM_OPENMP: the flag for the one plugin that uses OpenMP, as OPENMP_CFLAGS.
# Kernels are compiled with -fopenmp-simd, which needs no runtime.
AC_DEFUN([TRM_OPENMP], [
AC_MSG_CHECKING([for OpenMP])
trm_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -fopenmp"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <omp.h>]], [[return omp_get_max_threads() < 1;]])],
  [trm_found=yes])
CFLAGS=$trm_saved_CFLAGS
AC_MSG_RESULT([$trm_found])
AS_IF([test "x$trm_found" = xyes],
  [OPENMP_CFLAGS=-fopenmp; trm_where="$CC $OPENMP_CFLAGS"],
  [trm_why="a program with omp.h does not link with $CC -fopenmp"
   trm_cure="use gcc, or install libomp-dev for clang"])
AC_SUBST([OPENMP_CFLAGS])
])
