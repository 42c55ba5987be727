# cases.sh - every case of the tree runs, its first two steps, and the list of cases names it.
. "$srcdir/tests/tap.sh"

out=$TRIREME_TEST_STATE/cases
runs() { # CASE
  rm -rf "$out"
  "$TRIREME" run "$1" --steps=2 --backend=openmp --formats=none --roof=false --output="$out" --quiet
}
for file in "$srcdir"/cases/*/case.conf; do
  folder=${file%/case.conf}
  name=${folder##*/}
  check "$name runs" runs "$folder"
  check "$name is in the list of cases" grep -q "^| $name |" "$srcdir/cases/README.md"
done
done_testing
