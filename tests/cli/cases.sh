# cases.sh - every case of the tree runs: its first two steps, or half a second of its time where it ends by one;
# and the list of cases names it.
. "$srcdir/tests/tap.sh"

out=$TRIREME_TEST_STATE/cases
runs() { # CASE
  set -- "$1" --steps=2
  grep -q 'end_time' "$1/case.conf" && set -- "$1" --set run.end_time=0.5
  rm -rf "$out"
  "$TRIREME" run "$@" --backend=openmp --formats=none --ceiling=false --output="$out" --quiet
}
for file in "$srcdir"/cases/*/case.conf; do
  folder=${file%/case.conf}
  name=${folder##*/}
  check "$name runs" runs "$folder"
  check "$name is in the list of cases" grep -q "^| $name |" "$srcdir/cases/README.md"
done
done_testing
