# at_once.sh - processes that start at the same moment with nothing cached, neither by us nor by the driver: each
# builds, keeps and runs, and all have the bits of a run alone.
. "$srcdir/tests/tap.sh"

case $("$TRIREME" backends 2>/dev/null) in *"opencl "*ready*) ;; *) skip_all "the opencl backend is not ready" ;; esac
source=$(cd "$srcdir" && pwd)
work=$TRIREME_TEST_STATE/at_once
rm -rf "$work"
(umask 077 && mkdir -p "$work")
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF

unset POCL_CACHE_DIR
run() { # NAME STATE
  TRIREME_CACHE_DIR=$work/$2/cache "$TRIREME" run "$source/cases/driven-box" \
    --backend=opencl --steps=20 --formats=none --output="$work/$1" >"$1.out" 2>"$1.err"
}
print_of() { awk '$1 == "fingerprint" { print $2 }' "$1.out"; }
state() { (umask 077 && mkdir -p "$1/cache"); }

alone() { state alone && run alone alone && test -n "$(print_of alone)"; }
check "a run alone" alone

# NUMBER processes with one empty cache; then what each said
together() {
  rm -rf shared one* && state shared
  processes= failed=0
  for i in $(seq "$1"); do
    run "one$i" shared &
    processes="$processes $!"
  done
  for process in $processes; do wait "$process" || failed=1; done
  for i in $(seq "$1"); do
    test ! -s "one$i.err" || { cat "one$i.err"; failed=1; }
    test "$(print_of "one$i")" = "$(print_of alone)" || { cat "one$i.out"; failed=1; }
  done
  test -z "$(find shared/cache -name 'new-*')" || { echo "something temporary is left"; failed=1; }
  return $failed
}
check "two at once have its bits" together 2
check "and leave a cache that serves" run after shared
served() { grep -q 'kernels from the cache' after.out && test "$(print_of after)" = "$(print_of alone)"; }
check "with the same bits" served

programs() { find shared/cache -size +20k | wc -l; } # results of probe processes are smaller
check "which holds programs" test "$(programs)" -gt 0
if ! skip_unless_long "eight at once"; then check "eight at once have its bits" together 8; fi

# Where the user names a folder for PoCL, it keeps the kernels that are launched, and we keep none.
case $(sed -n 's/^device  *//p' alone.out) in
  *:0\ pthread-* | *:0\ cpu-*) # PoCL
    export POCL_CACHE_DIR=$work/pocl
    check "with a folder for PoCL, two at once have the same bits" together 2
    check "and PoCL alone keeps programs" test "$(programs)" = 0 -a -n "$(find pocl -name 'lbm*.so')"
    check "of kernels those that are launched" test -z "$(find pocl -name 'reduce_max*.so')"
    ;;
  *) skip "with a folder for PoCL, two at once have the same bits" "opencl is another driver" ;;
esac
done_testing
