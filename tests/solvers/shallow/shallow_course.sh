# shallow_course.sh - the program, given the EPFL course's own kind of files, ends with the states
# that the public programs end with, after as many steps of the same lengths.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/shallow_course
data=$(cd "$srcdir/../shared/data/swe" 2>/dev/null && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF

says() { # PART ARGUMENTS... : the program fails and its message has this part
  says_part=$1
  shift
  "$TRIREME" run shallow "$@" --output=refused >said 2>&1 && return 1
  cat said
  grep -qF -e "$says_part" said
}
# The course's files for 9 x 9 cells: water 1 km deep and at rest on a level bed.
mkdir flat
for name in h hu hv Zdx Zdy; do
  head -c 648 /dev/zero >"flat/Data_nx9_500km_T0.2_$name.bin"
done
cells=81
while test $cells -gt 0; do
  printf '\000\000\000\000\000\000\360\077' # 1.0
  cells=$((cells - 1))
done >flat/Data_nx9_500km_T0.2_h.bin
check "a small folder runs" "$TRIREME" run shallow --set shallow.scheme=lax-friedrichs flat \
  --output=small
check "slopes alone do not serve hllc" \
  says "which hllc needs" --set shallow.scheme=hllc flat
check "a Courant number above 1 is told" says "shallow.cfl" --set shallow.cfl=2 flat
truncate -s 100 flat/Data_nx9_500km_T0.2_hu.bin
check "a short file is told with the bytes that it should have" \
  says "100 bytes; 9 x 9 values of 8 bytes are 648" flat
mkdir empty
check "a folder without files is told" says "holds 0 files" empty
check "a case without an end is told" \
  says "give it run.steps (--steps=N)" --set grid.nx=9 --set grid.ny=9 --set grid.dx=1

test -r "$data/epfl_analytic_Data_nx126_500km_T0.2_h.bin.gz" || {
  skip "the course's states" "the reference files are not in ../shared/data/swe"
  done_testing
  exit
}

# same N FILE REFERENCE : inner values differ by at most 1e-12 of the largest
same() {
  od -An -v -w8 -tf8 "$2" >left && od -An -v -w8 -tf8 "$3" >right &&
    paste left right | awk -v n="$1" '
    { i = NR - 1; x = int(i / n); y = i % n; size = $2 < 0 ? -$2 : $2 }
    size > most { most = size }
    x > 0 && y > 0 && x < n - 1 && y < n - 1 {
      d = $1 - $2; if (d < 0) d = -d
      if (!(d <= far)) far = d
      cells++
    }
    END { print far / most " of the largest"
      exit !(cells == (n - 2) * (n - 2) && far <= 1e-12 * most) }'
}

# same_times SERIES HISTORY : as many steps, at the same times
same_times() {
  tail -n +2 "$1" | tr , ' ' | paste - "$2" | awk '
    { d = $3 - $6; if (d < 0) d = -d; if (NF != 6 || $1 != $5 || d > 1e-13) { print; bad = 1 } }
    END { exit bad || NR == 0 }'
}

for n in 126 201; do
  mkdir -p "in$n"
  for file in Data_nx${n}_500km_T0.2_h Data_nx${n}_500km_T0.2_hu Data_nx${n}_500km_T0.2_hv \
    Data_nx${n}_500km_T0.2_Zdx Data_nx${n}_500km_T0.2_Zdy Solution_nx${n}_500km_T0.2_h \
    Solution_nx${n}_500km_T0.2_hu Solution_nx${n}_500km_T0.2_hv; do
    gunzip -c "$data/epfl_analytic_$file.bin.gz" >"in$n/$file.bin"
  done
  check "nx = $n runs" "$TRIREME" run shallow --set shallow.scheme=lax-friedrichs "in$n" \
    --output="out$n" --formats=course
  for name in h hu hv; do
    check "nx = $n: every inner $name" same $n "out$n/Solution_nx${n}_500km_T0.2_$name.bin" \
      "in$n/Solution_nx${n}_500km_T0.2_$name.bin"
  done
  check "nx = $n: the times of all steps" same_times "out$n/series.csv" \
    "$data/epfl_analytic_nx${n}_time_history.txt"
done
check_not "another size's reference is refused" same 126 out201/Solution_nx201_500km_T0.2_h.bin \
  in126/Solution_nx126_500km_T0.2_h.bin
done_testing
