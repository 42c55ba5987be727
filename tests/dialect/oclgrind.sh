# oclgrind.sh - small cases of each solver in Oclgrind, which interprets kernels and looks at every access:
# planted races and overruns are found, and nothing in ours. Run by make check-oclgrind, which names
# Oclgrind as the only OpenCL platform; docs/testing.md says what is left out, and why.
. "$srcdir/tests/tap.sh"
if test -z "${TRIREME_OCLGRIND-}"; then skip_all "run by make check-oclgrind"; fi

work=${TRIREME_TEST_STATE:-$PWD/tests/state}/oclgrind
rm -rf "$work"
(umask 077 && mkdir -p "$work/cache")
TRIREME_CACHE_DIR=$work/cache OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOG=$work/log
# Nothing is inlined: where a function that returns a struct is, clang leaves an intrinsic
# (llvm.experimental.noalias.scope.decl) that Oclgrind 21.10 does not know.
OCLGRIND_BUILD_OPTIONS="-cl-opt-disable -Dalways_inline=unused"
export TRIREME_CACHE_DIR OCLGRIND_DATA_RACES OCLGRIND_CHECK_API OCLGRIND_LOG OCLGRIND_BUILD_OPTIONS
planted=$PWD/tests/dialect/planted

plant() { # WHAT WORDS : the log has these words; nothing: it is empty
  : >"$work/log"
  TRIREME_PLANT=$1 "$planted" what_was_asked >"$work/out" 2>&1
  grep -q '^ok 1 - what was asked for is planted$' "$work/out" || { cat "$work/out"; return 1; }
  if test "$1" = nothing; then cat "$work/log"; test ! -s "$work/log"
  else grep -q "$2" "$work/log"; fi
}
check "a correct kernel is left in peace" plant nothing
check "a race between cells of a row is found" plant row "data race"
check "a race between items of a group is found" plant group "data race"
check "a write outside a buffer is found" plant overrun "Invalid write"

fingerprint() { # BACKEND ARGUMENT...
  backend=$1
  shift
  rm -rf "$work/results"
  "$TRIREME" run "$@" --backend="$backend" --roof=false --formats=none --output="$work/results" \
    2>"$work/err" | awk '$1 == "fingerprint" { print $2 }'
}
clean() { # ARGUMENT... : no report, and the bits of openmp
  : >"$work/log"
  found=$(fingerprint opencl "$@")
  cat "$work/log" "$work/err"
  test -n "$found" && test ! -s "$work/log" && test "$found" = "$(fingerprint openmp "$@")"
}
check "lbm, f32" clean lbm --set grid.nx=37 --set grid.ny=9 --steps=3
check "lbm, f64" clean lbm --set grid.nx=16 --set grid.ny=5 --steps=2 --precision=f64
bodies="--set nbody.bodies=48 --set nbody.dt=0.01 --set nbody.picture=16"
check "nbody, all pairs" clean nbody $bodies --steps=1
check "nbody, the tree" clean nbody $bodies --steps=1 --set nbody.force=tree
check "nbody, two forces a step" clean nbody $bodies --steps=1 --set nbody.integrator=hermite4
basin="--set grid.nx=17 --set grid.ny=6 --set grid.dx=1 --steps=2"
for scheme in lax-friedrichs hllc; do
  check "shallow, $scheme" clean shallow $basin --set shallow.scheme=$scheme \
    --set 'initial.surface=x < 5 ? 2 : 1' --set 'shallow.bed_formula=0.1*sin(y)'
done
done_testing
