# mpi.m4 - TRM_MPI(VARIABLE, MODULE, WRAPPERS, SHOW, DROP, DEBIAN PACKAGE): an MPI's flags, by pkg-config or by what a
# compiler wrapper of its own says it would add (`mpicc --showme:compile`, `mpicc -compile_info`).
AC_DEFUN([TRM_MPI], [
TRM_MODULE([$1], [$2], [$6])
AS_IF([test "x$trm_found" = xno], [
  for trm_wrapper in $3; do
    trm_flags=`$trm_wrapper $4 2>/dev/null | $5` || continue
    AS_IF([test "x$trm_flags" = x], [continue])
    $1_CFLAGS=$trm_flags $1_LIBS=$trm_flags trm_found=yes trm_where="`command -v $trm_wrapper`"
    break
  done
  AS_IF([test "x$trm_found" = xno],
    [trm_why="pkg-config knows no '$2', and no wrapper ($3) is one of it"
     trm_cure="install $6, or put its mpicc into PATH"])
])
AS_IF([test "x$trm_found" = xyes], [
  trm_saved_CFLAGS=$CFLAGS trm_saved_LIBS=$LIBS
  CFLAGS="$CFLAGS $$1_CFLAGS" LIBS="$$1_LIBS $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return MPI_Init(0, 0);]])], [],
    [trm_found=no trm_why="a program with $2 does not link"; trm_cure="see config.log"])
  CFLAGS=$trm_saved_CFLAGS LIBS=$trm_saved_LIBS
])
])
