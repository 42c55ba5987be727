# nbody_output.sh - the density's image lies where the bodies are: its corner and its cells are in
# the run's unit of length.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/nbody_output
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF

printf '0 0 0 0 0 0 1\n3 1 2 0 0 0 1\n' >two.txt
check "a picture of two bodies" ends 0 run nbody two.txt --set nbody.dt=1e-6 --steps=1 \
  --set nbody.span=10 --set nbody.picture=40 --formats=vti --output=two
image() { # ATTRIBUTE VALUE
  grep -a -q "<ImageData.* $1=\"$2\"" two/fields.vti && return
  grep -a ImageData two/fields.vti
  return 1
}
check "the image begins at a corner of the span" image Origin '-5 -5 0'
check "its cells have the span over their number" image Spacing '0.25 0.25 1'
check "it holds the density" grep -a -q 'Name="density"' two/fields.vti

# numbers of SI: their sums need f64
box="nbody --set nbody.initial=box --set nbody.bodies=64 --set nbody.units=si --set nbody.dt=1 --steps=2 --formats=none"
check "a sum beyond f32" ends 3 run $box --set nbody.energy=false --output=single
check "is told, with the cure" grep -q "'centre_x' is inf at step 1, .*choose --precision=f64 or other units" err
check "which is one" ends 0 run $box --precision=f64 --output=double
done_testing
