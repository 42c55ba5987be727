# by_hand.sh - tests/run: finds a test by its name, runs it or some of its cases, and ends with its verdict.
. "$srcdir/tests/tap.sh"
work=$TRIREME_TEST_STATE/by_hand
rm -rf "$work"
mkdir -p "$work/bin"
run=$srcdir/tests/run
program=$(make -s --no-print-directory MAKEFLAGS= list-tests | grep '/io_config$')

runs() { # EXIT-STATUS ARGUMENT...
  wanted=$1
  shift
  "$run" "$@" >"$work/out" 2>"$work/err"
  found=$?
  test $found = "$wanted" || { cat "$work/out" "$work/err"; echo "exit status $found"; return 1; }
}
shows() { grep -Eq -e "$1" "$work/out" || { echo "no match for $1 in:"; cat "$work/out"; return 1; }; }
says() { grep -Eq -e "$1" "$work/err" || { echo "no match for $1 in:"; cat "$work/err"; return 1; }; }

check "without arguments it ends well" runs 0
check "and lists a script" shows '^tests/(.*/)?harness\.sh$'
if test -z "$program"; then
  skip "a program by its name" "configure found no cmocka"
else
  check "a program is found by its name" runs 0 io_config
  check "and all of its cases run" shows '^[1-9][0-9]+ passed, 0 failed'
  check "a part of a name picks cases" runs 0 io_config the nearest name
  check "one here" shows '^1 passed, 0 failed, 0 skipped$'
  check "the path of its source is its name too" runs 0 "$srcdir/$program.c" the nearest name
  check "a part that no case has is refused" runs 2 io_config no such case
  check "with the command that shows them" says "no such case.*'tests/run .*io_config' shows them all"
  check "a name of which two letters are wrong is refused" runs 2 io_konfih
  check "and the right one is near" says "near it: .*io_config"
fi
check "a script's cases are picked likewise" runs 0 harness.sh make check
check "those with the part in their names" shows '^[0-9]+ passed, 0 failed, 0 skipped$'
check "a name that is like no other is refused" runs 2 xxxxxxxxxxxx
check "an option that is none is refused" runs 2 --verbose
check "what is not a test of its own is told" runs 2 tap
check "with the reason" says "part of others"

# What it makes of a test's output, from a make that only prints.
cat >"$work/bin/make" <<'END'
#!/bin/sh
case "$*" in
  *list-tests*) echo tests/sample ;;
  *run-test*) cat "$SAMPLE"; for word; do case $word in BLESSED=?*) cat "$FOUND" >"${word#*=}" ;; esac; done ;;
esac
END
chmod +x "$work/bin/make"
PATH=$work/bin:$PATH SAMPLE=$work/sample
export PATH SAMPLE
known=$srcdir/tests/data/fingerprints.csv
FOUND=$work/found
export FOUND
blesses() { # EXIT-STATUS LINE... : the known fingerprints stay as they are
  wanted=$1
  shift
  printf '%s\n' "$@" >"$FOUND"
  printf '%s\n' "ok 1 - a" "1..1" "exit status 0" >"$SAMPLE"
  cp "$known" "$work/known"
  runs "$wanted" --bless sample && cmp "$known" "$work/known"
}
verdict() { # EXIT-STATUS LINE...
  wanted=$1
  shift
  printf '%s\n' "$@" >"$SAMPLE"
  runs "$wanted" sample
}
check "good cases and skipped ones end well" \
  verdict 0 "ok 1 - a" "ok 2 - b # SKIP long" "1..2" "exit status 0"
check "and are counted" shows "^1 passed, 0 failed, 1 skipped$"
check "a failed case is a failure" verdict 1 "1..2" "ok 1 - a" "not ok 2 - b" "exit status 0"
check "a test that ends early is one" verdict 1 "1..3" "ok 1 - a" "exit status 0"
check "and says how many are missing" says "announced 3 cases, but 1 ran"
check "a test that crashes is one" verdict 1 "1..1" "ok 1 - a" "exit status 139"
check "a test that gives up is one" verdict 1 "1..1" "Bail out! abort in: a" "exit status 0"
check "a fingerprint that is known is blessed again" blesses 0 "$(sed 1q "$known")"
check "one that differs between backends is refused, and nothing is lost" blesses 2 "a,1" "a,2"
check "with the two values" says "a has two values: 1, 2"
done_testing
