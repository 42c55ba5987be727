# timed.sh - runs a test's driver, and notes the processor time of the test in a file NAME.cpu beside NAME.log: seconds.
#
#   timed.sh DRIVER... --log-file NAME.log ...
"$@"
status=$?
log=
for word; do
  test "$log" = next && log=$word
  test "$word" != --log-file || log=next
done
cpu=${log%.log}.cpu
times >"$cpu.times" # in this shell: another one has no children yet
awk -F'[ms ]+' 'NR == 2 { print 60 * $1 + $2 + 60 * $3 + $4 }' "$cpu.times" >"$cpu"
rm -f "$cpu.times"
exit $status
