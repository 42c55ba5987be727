# probe_program.sh - trireme-probe, the program that meets plugins first: where the library looks for it,
# and what is said where it is missing or cannot be started. A copy of the library stands for an
# installation that was moved; plugins are then loaded untried.
. "$srcdir/tests/tap.sh"

build=${TRIREME%/cli/*}
libraries=$build/core/.libs
program=$build/cli/.libs/trireme # which looks for its libraries where LD_LIBRARY_PATH says
test -x "$program" && test -e "$libraries/libtrireme.so.0" || skip_all "the library is not a shared one"
case $("$TRIREME" backends -v 2>/dev/null) in *openmp*) ;; *) skip_all "the openmp backend is not built" ;; esac
work=$TRIREME_TEST_STATE/probe_program
rm -rf "$work"
mkdir -p "$work/lib/trireme"
cp "$libraries/libtrireme.so.0" "$work/lib/"
LD_LIBRARY_PATH=$work/lib:$build/solvers/.libs
export LD_LIBRARY_PATH

# told PATTERN... : `backends -v` of the moved library, with an empty cache, lists openmp as ready and says this
told() {
  rm -rf "$work/cache"
  TRIREME_CACHE_DIR=$work/cache "$program" backends -v >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
  grep -q '^openmp *ready' "$work/out" || { cat "$work/out"; return 1; }
  for told_pattern in "$@"; do
    grep -Eq -e "$told_pattern" "$work/err" || { echo "no line like: $told_pattern"; cat "$work/err"; return 1; }
  done
}
ldd "$program" | grep -qF "$work/lib/libtrireme.so.0" || skip_all "the program does not take the copied library"
# The place that was configured may hold another installation's.
if told "was tried in a process of its own" >/dev/null; then
  skip "a missing program is named, with the cure" "one is installed where this build would be"
else
  check "a missing program is named, with the cure" told \
    "warning: there is no /.*/trireme-probe, so .*/trireme_openmp\.so is loaded without having been tried.*make install"
fi
cp "$build/core/trireme-probe" "$work/lib/trireme/trireme-probe"
check "beside a moved library it is found" told "trireme_openmp\.so was tried in a process of its own"
echo "no program" >"$work/lib/trireme/trireme-probe"
check "one that cannot be started is named, with the reason" told \
  "warning: $work/lib/trireme/trireme-probe cannot be started \(Exec format error\), so .*trireme_openmp\.so is loaded"

by_hand() {
  "$build/core/trireme-probe" 2>"$work/err"
  test $? = 2 && grep -q "not for use by hand" "$work/err" || { cat "$work/err"; return 1; }
}
check "by hand it says what it is for" by_hand
unset LD_LIBRARY_PATH
seconds() {
  rm -rf "$work/cache"
  TRIREME_CACHE_DIR=$work/cache TRIREME_PROBE_SECONDS=$1 "$TRIREME" backends -v >"$work/out" 2>"$work/err" &&
    grep -q "warning: TRIREME_PROBE_SECONDS=$1: give whole seconds from 0 (no probe processes) to 3600; 60 are taken" "$work/err"
}
check "seconds that are no number are named" seconds soon
check "seconds below none are named" seconds -1
check "seconds beyond an hour are named" seconds 3601
done_testing
