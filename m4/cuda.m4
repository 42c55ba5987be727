# TRM_CHECK_CUDA
# --------------
# Looks for a CUDA toolkit: only for tests. The CUDA backend itself is built from its own
# declarations and needs none. Where a toolkit is found, `make check` compares every declaration
# with the toolkit's cuda.h and nvrtc.h, and compiles the project's kernels with its NVRTC.
#
# --with-cuda-toolkit=DIR|auto|yes|no (auto: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /usr).
# Sets the conditional HAVE_CUDA_TOOLKIT, substitutes CUDA_CPPFLAGS and CUDA_TOOLKIT_LIB (the folder
# of libnvrtc, or empty), and for the summary trm_cuda_toolkit (a folder, or "no") and
# trm_cuda_toolkit_reason.
AC_DEFUN([TRM_CHECK_CUDA], [
  AC_ARG_WITH([cuda-toolkit],
    [AS_HELP_STRING([--with-cuda-toolkit=DIR|auto|yes|no],
      [toolkit whose headers and NVRTC the tests use; never needed to build @<:@auto@:>@])],
    [], [with_cuda_toolkit=auto])
  trm_cuda_toolkit=no
  trm_cuda_toolkit_reason=
  AC_MSG_CHECKING([for a CUDA toolkit (for tests only)])
  AS_CASE([$with_cuda_toolkit],
    [no], [trm_cuda_folders=; trm_cuda_toolkit_reason="switched off"],
    [auto|yes], [trm_cuda_folders="$CUDA_HOME $CUDA_PATH /usr/local/cuda /usr"],
    [trm_cuda_folders=$with_cuda_toolkit])
  for trm_folder in $trm_cuda_folders; do
    AS_IF([test -r "$trm_folder/include/cuda.h" && test -r "$trm_folder/include/nvrtc.h"],
      [trm_cuda_toolkit=$trm_folder; break])
  done
  CUDA_CPPFLAGS=
  CUDA_TOOLKIT_LIB=
  AS_IF([test "x$trm_cuda_toolkit" != xno], [
    AS_IF([test "x$trm_cuda_toolkit" != x/usr],
      [CUDA_CPPFLAGS="-isystem $trm_cuda_toolkit/include"])
    for trm_folder in "$trm_cuda_toolkit/lib64" "$trm_cuda_toolkit/lib"; do
      AS_IF([ls "$trm_folder"/libnvrtc.so* >/dev/null 2>&1],
        [CUDA_TOOLKIT_LIB=$trm_folder; break])
    done
  ], [test -z "$trm_cuda_toolkit_reason"], [
    trm_cuda_toolkit_reason="no include/cuda.h and include/nvrtc.h in:"
    trm_cuda_toolkit_reason="$trm_cuda_toolkit_reason `echo $trm_cuda_folders`"
  ])
  AC_MSG_RESULT([$trm_cuda_toolkit])
  AS_CASE([$with_cuda_toolkit],
    [auto|no], [],
    [AS_IF([test "x$trm_cuda_toolkit" = xno],
      [AC_MSG_ERROR([--with-cuda-toolkit=$with_cuda_toolkit: $trm_cuda_toolkit_reason])])])
  AC_SUBST([CUDA_CPPFLAGS])
  AC_SUBST([CUDA_TOOLKIT_LIB])
  AM_CONDITIONAL([HAVE_CUDA_TOOLKIT], [test "x$trm_cuda_toolkit" != xno])
])
