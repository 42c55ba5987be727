# feature.m4 - what configure looks for, with a reason for each answer and one table of them all.

# TRM_ROW(NAME, YES-OR-NO, TEXT) adds a row to the table that ends configure.
AC_DEFUN([TRM_ROW], [AS_VAR_APPEND([trm_rows], ["  `printf '%-10s %-4s' "$1" "$2"` $3
"])])

# TRM_FEATURE(NAME, WHAT FOR, CHECK)
# Adds --with-NAME=auto|yes|no (a _ of NAME is - there). CHECK runs unless the answer is no; it sets
# trm_found=yes and trm_where, or trm_why and trm_cure. Sets have_NAME to yes or no. Asked for and missing is an error.
AC_DEFUN([TRM_FEATURE], [
AC_ARG_WITH(m4_translit([$1], [_], [-]),
  [AS_HELP_STRING([--with-m4_translit([$1], [_], [-])=auto|yes|no], [$2 @<:@auto@:>@])], [], [with_$1=auto])
AS_CASE([$with_$1], [auto|yes|no], [],
  [AC_MSG_ERROR([--with-m4_translit([$1], [_], [-])=$with_$1: give auto, yes or no])])
trm_found=no trm_where= trm_why= trm_cure=
AS_IF([test "x$with_$1" = xno], [trm_why="switched off by --with-m4_translit([$1], [_], [-])=no"], [$3])
AS_IF([test "x$with_$1/$trm_found" = xyes/no],
  [AC_MSG_ERROR([--with-m4_translit([$1], [_], [-])=yes, but $trm_why; $trm_cure])])
have_$1=$trm_found
AS_IF([test "x$trm_found" = xyes], [TRM_ROW([$1], [yes], [$trm_where])],
  [test "x$trm_cure" = x], [TRM_ROW([$1], [no], [$trm_why])],
  [TRM_ROW([$1], [no], [$trm_why; $trm_cure])])
])

# TRM_MODULE(VARIABLE, MODULE, DEBIAN PACKAGE) asks pkg-config, for use as a CHECK.
AC_DEFUN([TRM_MODULE], [
PKG_CHECK_MODULES([$1], [$2],
  [trm_found=yes
   trm_where="`$PKG_CONFIG --modversion $2`, `$PKG_CONFIG --variable=pcfiledir $2`/$2.pc"],
  [trm_why="pkg-config knows no '$2'"; trm_cure="install $3 or set PKG_CONFIG_PATH"])
])

# TRM_REQUIRED(VARIABLE, MODULE, DEBIAN PACKAGE, WHAT FOR): nothing can be built without it.
AC_DEFUN([TRM_REQUIRED], [
trm_found=no
TRM_MODULE([$1], [$2], [$3])
AS_IF([test "x$trm_found" = xno], [AC_MSG_ERROR([$2 ($4) is needed, but $trm_why; $trm_cure])])
TRM_ROW([$2], [yes], [$trm_where ($4)])
])
