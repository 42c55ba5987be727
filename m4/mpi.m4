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

# TRM_MPI_ABI: MPI_ABI_CFLAGS and MPI_ABI_LIBS, for the common interface of MPI 5. Open MPI has a file for pkg-config,
# which Debian keeps beside the one that ompi-c.pc is a link to; MPICH has a compiler wrapper, mpicc_abi, or mpicc
# with -mpi-abi. An mpicc that does not know this option shows another library than libmpi_abi.
AC_DEFUN([TRM_MPI_ABI], [
trm_saved_path=$PKG_CONFIG_PATH
trm_beside=`$PKG_CONFIG --variable=pcfiledir ompi-c 2>/dev/null`
PKG_CONFIG_PATH=$PKG_CONFIG_PATH${trm_beside:+:$trm_beside}
export PKG_CONFIG_PATH
TRM_MODULE([MPI_ABI], [ompi-abi-c], [MPICH 5 or Open MPI 6])
PKG_CONFIG_PATH=$trm_saved_path
trm_why="pkg-config knows no 'ompi-abi-c', and no wrapper (mpicc_abi; mpicc.mpich or mpicc with -mpi-abi) links libmpi_abi"
trm_cure="install MPICH 5 or Open MPI 6, or put its mpicc_abi into PATH"
AS_IF([test "x$trm_found" = xyes], [TRM_TRY_MPI_ABI])
for trm_wrapper in mpicc_abi mpicc.mpich mpicc; do
  AS_IF([test "x$trm_found" = xyes], [break])
  trm_flags=`$trm_wrapper -mpi-abi -show 2>/dev/null | sed -n '/ -lmpi_abi/{s/^@<:@^ @:>@* *//;s/ *-mpi-abi / /;p;}'`
  AS_IF([test "x$trm_flags" = x], [continue])
  MPI_ABI_CFLAGS=$trm_flags MPI_ABI_LIBS=$trm_flags trm_where="`command -v $trm_wrapper`"
  TRM_TRY_MPI_ABI
done
])

# TRM_TRY_MPI_ABI sets trm_found: types are those of the common interface, and a program links.
AC_DEFUN([TRM_TRY_MPI_ABI], [
trm_saved_CFLAGS=$CFLAGS trm_saved_LIBS=$LIBS
CFLAGS="$CFLAGS $MPI_ABI_CFLAGS" LIBS="$MPI_ABI_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
int trm_is_abi@<:@_Generic(MPI_COMM_WORLD, struct MPI_ABI_Comm *: 1)@:>@;]],
    [[int major, minor; return MPI_Init(0, 0) + MPI_Abi_get_version(&major, &minor);]])], [trm_found=yes],
  [trm_found=no trm_why="a program with libmpi_abi of $trm_where does not link"; trm_cure="see config.log"])
CFLAGS=$trm_saved_CFLAGS LIBS=$trm_saved_LIBS
])
