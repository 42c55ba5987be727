# rusticl.sh - a third OpenCL driver: Mesa's rusticl on the processor (llvmpipe), where it is installed. What it
# cannot do is refused in a sentence; what it does has the bits of openmp.
. "$srcdir/tests/tap.sh"
installed=/etc/OpenCL/vendors/rusticl.icd
test -f "${TRIREME_RUSTICL_ICD:=$installed}" ||
  skip_all "rusticl is not installed (Debian: mesa-opencl-icd); TRIREME_RUSTICL_ICD names another rusticl.icd"

work=$TRIREME_TEST_STATE/rusticl
rm -rf "$work"
mkdir -p "$work/vendors"
cp "$TRIREME_RUSTICL_ICD" "$work/vendors/rusticl.icd"
cd "$work" && mkdir -m 700 cache || exit 1
OCL_ICD_VENDORS=$work/vendors RUSTICL_ENABLE=llvmpipe TRIREME_CACHE_DIR=$work/cache TRIREME_ROOF=false
export OCL_ICD_VENDORS RUSTICL_ENABLE TRIREME_CACHE_DIR TRIREME_ROOF

fingerprint() { sed -n 's/^  "fingerprint": "\(.*\)",*/\1/p' "$1/run.json"; }
# agrees NAME ARGUMENT... : it runs with the bits of openmp, or is refused in one line and leaves nothing
agrees() {
  name=$1
  shift
  "$TRIREME" run "$@" --formats=none --backend=openmp --output="openmp-$name" >/dev/null || return 1
  "$TRIREME" run "$@" --formats=none --backend=opencl --output="opencl-$name" >out 2>err
  code=$?
  cat err
  if test $code = 0; then test "$(fingerprint "opencl-$name")" = "$(fingerprint "openmp-$name")"
  else test $code = 2 && test "$(grep -c '^trireme: error: ' err)" = 1; fi
}
listed() {
  "$TRIREME" backends >out 2>err && cat out && grep -Eq '^opencl +(ready|no device)' out
}
check "it is met in a process of its own, and listed" listed
check "the lattice" agrees lbm lbm --set grid.nx=64 --set grid.ny=64 --steps=20
check "bodies" agrees nbody nbody --set nbody.bodies=64 --set nbody.dt=0.001 --steps=3
check "shallow water" agrees shallow shallow --set grid.nx=24 --set grid.ny=16 --set grid.dx=1 \
  --set initial.surface=1 --steps=3
check "double precision" agrees f64 lbm --set grid.nx=64 --set grid.ny=64 --steps=20 --precision=f64
done_testing
