# harness.sh - the harness tells good from bad: every way to fail is reported as a failure.
. "$srcdir/tests/tap.sh"
sample=tests/harness_sample
out=$TRIREME_TEST_STATE/harness_sample.out

# Its report alone: lines of the log may come at any time.
TRIREME_TEST_BACKENDS=nosuch TRIREME_REQUIRE= $sample >"$out" 2>"$out.log"
has() { grep -Eq "$1" "$out" || { cat "$out"; return 1; }; }

check "the plan counts every case" has '^1\.\.13$'
check "a good case passes" has '^ok 1 - a good case$'
check_not "and what it printed stays hidden" has 'this is not shown'
check "a failed assertion fails" has '^not ok 2 - a failed assertion$'
check "and what it printed is shown" has '^# what it printed$'
check "a failed call fails" has '^not ok 3 - a failed call$'
check "with the recorded error's text" has '^#.*the disk is on fire'
check "a call that should have failed fails the case" has '^not ok 4 - an unexpected success$'
check "another message than the expected one fails" has '^not ok 5 - another message$'
check "the expected failure passes" has '^ok 6 - an expected failure$'
check "+0 and -0 differ in bits" has '^not ok 7 - other bits$'
check "10 % is not within 1 %" has '^not ok 8 - not close$'
check "a skipped case says why" has '^ok 9 - a skipped case # SKIP because of rain$'
check "a bad pointer fails its case only" has '^not ok 10 - a bad pointer$'
check "a backend that is not there is skipped" has '^ok 11 - a device case\[nosuch\] # SKIP '
check "the cases after a failure still run" has '^ok 12 - an abort$'

TRIREME_TEST_BACKENDS=nosuch TRIREME_REQUIRE="openmp nosuch" $sample device >"$out" 2>&1
check "a required backend that is not there fails" has '^not ok 1 - a device case\[nosuch\]$'

elsewhere() { # LONG: a case of physics on one device, and on the same by another name
  TRIREME_TEST_LONG=$1 TRIREME_TEST_BACKENDS="openmp (openmp:0)" TRIREME_REQUIRE= $sample physics >"$out" 2>&1
}
elsewhere ''
check "a case of physics runs on the first backend" has '^ok 1 - a case of physics\[openmp\]$'
check "and on others in the long tests" has '^ok 2 - a case of physics\[\(openmp:0\)\] # SKIP long: run on openmp, and here by'
elsewhere 1
check "which run it there" has '^ok 2 - a case of physics\[\(openmp:0\)\]$'

HARNESS_SAMPLE_ABORTS=1 $sample abort >"$out" 2>&1
check "an abort is told with its case" has '^Bail out! abort in: an abort'

tally() { printf ':test-result: %s a\n' "$@" | "$AWK" -f "$srcdir/tests/tally.awk"; }
check_not "make check fails when every case was skipped" tally SKIP SKIP
check_not "make check fails when one case failed" tally PASS FAIL
check "make check passes when one passed" tally PASS SKIP
# a reader that waits for a pipe, ended by a signal: libtool's wrapper has the number of the program
fifo=$TRIREME_TEST_STATE/harness.fifo
rm -f "$fifo" && mkfifo "$fifo"
tests/fuzz/params "$srcdir/tests/data/corpus/params" "$fifo" >"$out" 2>&1 &
fuzzer=$!
folders() { find /dev/shm /tmp -maxdepth 1 -name "trireme-fuzz-$fuzzer-*" 2>/dev/null; }
begun() { # within a minute
  for i in $(seq 1200); do test -z "$(folders)" || return 0; sleep 0.05; done
  return 1
}
gone() {
  for i in $(seq 1200); do test -n "$(folders)" || return 0; sleep 0.05; done
  folders
  return 1
}
check "a reader is given files of its own" begun
kill -KILL $fuzzer
wait $fuzzer 2>/dev/null
check "which go with it when a signal ends it" gone
done_testing
