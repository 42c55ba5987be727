# tally.awk - adds up automake's .trs files into the last line of make check.
$1 == ":test-result:" { count[$2]++ }
END {
  passed = count["PASS"] + count["XFAIL"]
  failed = count["FAIL"] + count["XPASS"] + count["ERROR"]
  if (passed + failed == 0) print "make check: no case ran"
  printf "%d passed, %d failed, %d skipped\n", passed, failed, count["SKIP"]
  exit passed == 0 || failed > 0
}
