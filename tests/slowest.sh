# slowest.sh - how long each test took, from the times of its files: a log is made when a test begins, its
# result when it ends. Beside it the test's processor time (timed.sh). Writes all to the file $1, and the ten slowest to
# standard output.
#
#   slowest.sh TIMES TEST... (names without .log)
times=$1
shift
for test; do
  begin=$(stat -c %.W "$test.log" 2>/dev/null) end=$(stat -c %.Y "$test.trs" 2>/dev/null)
  case $begin in '' | - | 0 | 0.*) continue ;; esac # this file system does not keep it
  echo "$begin $end $(cat "$test.cpu" 2>/dev/null || echo 0) $test"
done | awk '$2 > 0 { printf "%8.1f s, processor %6.1f s  %s\n", $2 - $1, $3, $4 }' | sort -rn >"$times"
test -s "$times" || exit 0
echo "slowest tests (all: $times)"
head -n 10 "$times"
awk '{ sum += $4 } END { printf "processor time of all tests: %.0f s\n", sum }' "$times"
