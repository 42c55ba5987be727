# host_check.sh - the solvers in the host's check mode: buffers full of NaN between guard bytes, cells and
# phases backwards, odd numbers of threads. The bits are those of a plain run, and no guard is broken.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/host_check
rm -rf "$work"
mkdir -p "$work"

fingerprint() { # ARGUMENT...
  rm -rf "$work/results"
  "$TRIREME" run "$@" --backend=openmp --roof=false --formats=none --output="$work/results" \
    --verbose 2>"$work/err" | awk '$1 == "fingerprint" { print $2 }'
  ! grep "outside a buffer" "$work/err"
}
orders=forwards
case " $TRM_ISAS " in
*" reverse "*) orders="forwards reverse" ;;
*) skip "backwards" "this build has no reverse instances (configure --with-isa=native,reverse)" ;;
esac
same() { # ARGUMENT... : forwards and backwards, in poisoned and guarded memory
  plain=$(fingerprint "$@") || return 1
  test -n "$plain" || { cat "$work/err"; return 1; }
  for isa in $orders; do
    TRIREME_ISA=${isa#forwards} TRIREME_DEBUG_BUFFERS=1
    export TRIREME_ISA TRIREME_DEBUG_BUFFERS
    checked=$(fingerprint "$@" --threads=3) || { cat "$work/err"; return 1; }
    unset TRIREME_ISA TRIREME_DEBUG_BUFFERS
    test "$checked" = "$plain" || { echo "$isa: $checked instead of $plain"; cat "$work/err"; return 1; }
  done
}
for real in f32 f64; do
  check "lbm, $real" same "$srcdir/cases/bristol-128x128" --steps=100 --precision=$real
  check "lbm, odd sides, $real" same lbm --set grid.nx=37 --set grid.ny=23 --steps=50 --precision=$real
  for integrator in leapfrog hermite4; do
    check "nbody, $integrator, $real" same nbody --set nbody.bodies=300 --set nbody.dt=0.01 --steps=5 \
      --precision=$real --set nbody.integrator=$integrator
  done
  check "nbody, the tree, $real" same nbody --set nbody.bodies=500 --set nbody.dt=0.01 --steps=5 \
    --precision=$real --set nbody.force=tree
  for scheme in lax-friedrichs hllc; do
    edge=open # Lax-Friedrichs refuses one where the bed slopes
    test $scheme = hllc || edge=wall
    check "shallow, $scheme, $real" same shallow --set grid.nx=53 --set grid.ny=31 --set grid.dx=1 \
      --steps=40 --precision=$real --set shallow.scheme=$scheme \
      --set boundary.south=$edge --set boundary.north=$edge \
      --set 'initial.surface=x < 20 ? 2 : 1' --set 'shallow.bed_formula=0.1*sin(y)'
  done
done
done_testing
