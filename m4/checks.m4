# checks.m4 - switches for those who check Trireme: warnings as errors, libFuzzer, fewer host instances.

# TRM_WERROR: after every test of configure; kernel texts get it too, from CFLAGS.
AC_DEFUN([TRM_WERROR], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [make a warning an error])], [],
  [enable_werror=no])
AS_IF([test "x$enable_werror" = xyes], [AS_VAR_APPEND([CFLAGS], [" -Werror"])])
])

# TRM_FUZZER: CHECK_CFLAGS, for all but kernels, and FUZZER_LIBS. The targets of tests/fuzz keep their own main, which replays the
# corpus, and hand over to libFuzzer where TRIREME_FUZZ is set: hence the library without a main.
AC_DEFUN([TRM_FUZZER], [
AC_ARG_ENABLE([fuzzer],
  [AS_HELP_STRING([--enable-fuzzer], [link the targets of tests/fuzz with libFuzzer (clang; see docs/testing.md)])],
  [], [enable_fuzzer=no])
AC_ARG_VAR([CHECK_CFLAGS], [flags for everything but kernels, such as --coverage])
FUZZER_LIBS=
AS_IF([test "x$enable_fuzzer" = xyes], [
  CHECK_CFLAGS="$CHECK_CFLAGS -fsanitize=fuzzer-no-link -DTRM_FUZZER=1"
  FUZZER_LIBS="`$CC -print-runtime-dir 2>/dev/null`/libclang_rt.fuzzer_no_main-$host_cpu.a -lstdc++"
  AC_MSG_CHECKING([for libFuzzer])
  trm_saved_CFLAGS=$CFLAGS trm_saved_LIBS=$LIBS
  CFLAGS="$CFLAGS $CHECK_CFLAGS" LIBS="$FUZZER_LIBS -lm $LIBS"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *, size_t));
static int one(const uint8_t *data, size_t size) { return data == NULL && size > 0; }
int main(int argc, char **argv) { return LLVMFuzzerRunDriver(&argc, &argv, one); }
]])], [AC_MSG_RESULT([$FUZZER_LIBS])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([--enable-fuzzer: $CC does not link with libFuzzer; configure with CC=clang, and install \
libclang-rt-14-dev (or the one of your clang)])])
  CFLAGS=$trm_saved_CFLAGS LIBS=$trm_saved_LIBS
])
AC_SUBST([FUZZER_LIBS])
])
