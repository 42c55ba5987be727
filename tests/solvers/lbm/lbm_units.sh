# lbm_units.sh - a channel in metres, seconds and kilograms computes the bits of the same channel in units of
# the lattice, and what is read from it is in those units; speeds and viscosities that do not fit are refused.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/lbm_units
rm -rf "$work"
mkdir -p "$work/water"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF
# A channel of 0.12 m by 0.04 m, a rod of 8 mm in it, 0.1 m/s of a fluid of 2e-5 m2/s: Re 40 on the rod. A cell has
# 1 mm and a step 0.5 ms; 0.1 m/s are 0.05 cells a step, and the viscosity 2e-5 * 5e-4 / 1e-6 = 0.01.
cat >water/case.conf <<'END'
solver = "lbm";
run: { steps = 300; precision = "f64"; };
grid: { nx = 120; ny = 40; };
lbm: { flow = "channel"; speed = 0.05; inflow = "parabolic"; }; bodies: { shapes = "cylinder 30.5 20.5 4"; }; probes = "60 20";
END
physical="--set units.cell=1e-3 --set units.speed=0.1 --set units.viscosity=2e-5 --set units.density=998"
print_of() { sed -n 's/^fingerprint  *//p' out; }
value_of() { awk -v name="$1" '$1 == name { print $2, $3 }' out; }
# A name's number with all digits: the terminal shows four.
number_of() { sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*\$/\1/p" "$1/run.json"; } # FOLDER NAME
is_times() { # NAME FACTOR UNIT : the value in si is that in lattice by this factor
  echo "$(number_of lattice "$1") $(number_of si "$1") $(awk -v name="$1" '$1 == name { print $3 }' si.out)" >both
  awk -v factor="$2" -v unit="$3" '{ exit !($1 != 0 && $2 != "" && ($2 / $1 / factor - 1) ^ 2 < 1e-20 && $3 == unit) }' both ||
    { cat both; return 1; }
}
check "a channel in units of the lattice" ends 0 run water --set lbm.viscosity=0.01 --formats=npy --output=lattice
lattice=$(print_of)
cp out lattice.out
check "the same in SI units" ends 0 run water $physical --formats=npy,vti --output=si
cp out si.out
check "has the same bits" test -n "$lattice" -a "$lattice" = "$(print_of)"
check "its speed is in m/s" is_times probe1_u 2 m/s
check "its density in kg/m3" is_times probe1_density 998 kg/m3
check "its mass in kg/m" is_times mass 9.98e-4 kg/m
check "numbers without a unit are the same" is_times drag 1 ''
check "so is the Reynolds number" is_times reynolds 1 ''
check "the image lies in metres" grep -q 'Spacing="0.001[0-9]* 0.001[0-9]* 0.001[0-9]*"' si/fields.vti
check "and has its time in seconds" grep -Eq 'Name="TimeValue"[^>]*>0\.(15|149999)[0-9]*<' si/fields.vti
check "it ends at a time in seconds" ends 0 run water $physical --set run.end_time=0.05 --formats=none
check "after that many steps" grep -Eq '^case .*, (100|101) steps, to time 0\.05' out
for python in python3 /usr/bin/python3 ""; do test -n "$python" && "$python" -c 'import numpy' 2>/dev/null && break; done
fields() {
  "$python" -c '
import numpy
for name, factor in ("velocity", 2), ("speed", 2), ("density", 998), ("vorticity", 2000):
    a, b = (numpy.load(folder + "/" + name + ".npy") for folder in ("lattice", "si"))
    assert abs(a).max() > 0 and numpy.allclose(a * factor, b, rtol=1e-12, atol=0), name'
}
if test -n "$python"; then check "fields are in SI units" fields; else skip "fields are in SI units" "no numpy"; fi
check "used.conf gives the same again" ends 0 run si/used.conf --formats=none
check "in bits" test "$lattice" = "$(print_of)"

refused() { # PART ARGUMENT...
  part=$1
  shift
  ends 2 run water --output=refused "$@" && grep -q -e "$part" err || { cat err; return 1; }
}
check "a speed beyond the method" refused 'is Mach 0.52' $physical --set lbm.speed=0.3
check "a viscosity too low for the cells" refused 'relaxation rate of 1.994.*make units.cell 0.0005.* m or less' $physical \
  --set units.viscosity=1e-6
check "one too high" refused 'relaxation rate of .*below 0.5; make lbm.speed 0.0' $physical --set units.viscosity=2e-2
check "a unit alone" refused 'go together; set units.speed too' --set units.cell=1e-3
check "two viscosities" refused 'lbm.viscosity = 0.02 contradicts units.viscosity' $physical --set lbm.viscosity=0.02
check "another flow" refused 'units.cell belongs to lbm.flow' --set lbm.flow=driven --set units.cell=1 --set lbm.speed=0 \
  --set bodies.shapes= --set lbm.inflow=uniform --set probes=
done_testing
