# new_backend.sh - a backend from outside the tree, made of the example of docs/backend.md: it compiles
# alone, is found, gives the same bits, and the suite's device cases run on it.
. "$srcdir/tests/tap.sh"

source=$(cd "$srcdir" && pwd)
work=$TRIREME_TEST_STATE/new_backend
rm -rf "$work"
mkdir -p "$work"
built=$TRIREME_BACKEND_PATH
sed 's/fake/serial/g' "$source/tests/core/fake_backend.c" >"$work/serial.c"

compiles() {
  $CC -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -O2 -fPIC -shared -fvisibility=hidden -I"$source" \
    -o "$work/trireme_serial.so" "$work/serial.c" -Wl,-z,defs
}
check "it compiles with the public header alone, and needs no symbol of the library" compiles
TRIREME_BACKEND_PATH=$built:$work
export TRIREME_BACKEND_PATH

says() { "$TRIREME" "$1" >"$work/out" 2>&1; grep -q "$2" "$work/out" || { cat "$work/out"; return 1; }; }
check "trireme backends lists it as ready" says backends '^serial *ready *one thread of this host'
check "with its file" says backends "$work/trireme_serial.so"
check "trireme devices lists its device" says devices '^serial:0'

same_bits() { # SOLVER'S CASE OPTION...
  case=$1
  shift
  "$TRIREME" compare "$source/cases/$case" --on=openmp,serial --runs=1 --roof=false \
    --output="$work/$case" "$@"
}
check "the same bits as openmp's: lattice Boltzmann" same_bits driven-box --steps=200
check "the same bits as openmp's: shallow water, f64" same_bits dam-break --precision=f64 --steps=50

suite() { # PROGRAM LEAST : its device cases run on serial, at least so many
  TRIREME_REQUIRE=serial "$1" '[serial]' >"$work/suite.tap" 2>&1 && ! grep -q '^not ok' "$work/suite.tap" &&
  test "$(grep -c '^ok .*\[serial\]$' "$work/suite.tap")" -ge "$2" || { cat "$work/suite.tap"; return 1; }
}
if test -x tests/core/dispatch_devices; then
  check "the suite runs on it: devices and buffers" suite tests/core/dispatch_devices 11 # 12 with reverse instances
  check "the suite runs on it: sequences" suite tests/core/dispatch_sequences 12
  check "the suite runs on it: the dialect" suite tests/dialect/dialect_phases 6
  check "the suite runs on it: sums" suite tests/core/reduction 10
else
  skip "the suite runs on it" "cmocka is missing"
fi
absent() {
  TRIREME_REQUIRE=nosuch tests/core/dispatch_devices '[nosuch]' >"$work/out" 2>&1
  grep -q '^not ok .*\[nosuch\]' "$work/out" || { cat "$work/out"; return 1; }
}
if test -x tests/core/dispatch_devices; then
  check "a required backend that is nowhere fails its cases" absent
fi
done_testing
