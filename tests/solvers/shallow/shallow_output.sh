# shallow_output.sh - outputs at times of the model: steps end there, fields.pvd knows the times,
# and gauges and maps are there.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/shallow_output
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF

check "a dam breaks" "$TRIREME" run shallow --set grid.nx=60 --set grid.ny=20 --set grid.dx=0.1 \
  --set "initial.surface=x<3?1:0.1" --set shallow.maps=true \
  --set "probes=near 3.05 1, far 5.05 1" --set run.end_time=0.5 --every-time=0.2 \
  --formats=vti --output=out

# the last member of each line of the collection: file and time
listed() { sed -n 's/.*timestep="\([^"]*\)".*file="\([^"]*\)".*/\1 \2/p' out/fields.pvd; }
right_times() { listed | awk '{ d = $1 - (NR < 4 ? 0.2 * (NR - 1) : 0.5); if (d * d > 1e-14) exit 1 }
  END { exit NR != 4 }'; }
check "fields.pvd has the times 0, 0.2, 0.4 and the end" right_times
inside() {
  listed | while read -r time file; do grep -q "TimeValue.*>$time<" "out/$file" || exit 1; done
}
check "every file of it is there, with the same time inside" inside
check "steps end at these times" awk -F, 'NR > 1 && ($3 == 0.2 || $3 == 0.4 || $3 == 0.5 ||
  ($3 - 0.2)^2 < 1e-14 || ($3 - 0.4)^2 < 1e-14) { n++ } END { exit n != 3 }' out/series.csv
check "the gauges are series" sh -c 'head -n 1 out/series.csv | grep -q "near.*far"'
arrives() { tail -n 1 out/series.csv | awk -F, '{ exit !($5 > 0.2 && $5 < 0.6 && $6 > 0.1) }'; }
check "and the wave passes them" arrives
for name in greatest_depth greatest_speed arrival land surface; do
  check "fields.vti has $name" grep -q "Name=\"$name\"" out/fields.vti
done
done_testing
