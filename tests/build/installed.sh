# installed.sh - make installcheck: the installed program, with nothing in the environment to help it
# (below DESTDIR: told where library and plugins lie), finds its plugins and runs a case to known bits.
# Run by make, which sets srcdir, DESTDIR, bindir, libdir, pkglibdir, pkgdatadir and EXEEXT.
set -eu
program=$DESTDIR$bindir/trireme$EXEEXT
plugins=$DESTDIR$pkglibdir
unset TRIREME_BACKEND_PATH TRIREME_SOLVER_PATH TRIREME_CASES LD_LIBRARY_PATH
if test -n "$DESTDIR"; then
  LD_LIBRARY_PATH=$DESTDIR$libdir TRIREME_BACKEND_PATH=$plugins
  TRIREME_CASES=$DESTDIR$pkgdatadir/cases
  export LD_LIBRARY_PATH TRIREME_BACKEND_PATH TRIREME_CASES
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TRIREME_CACHE_DIR=$work/cache
export TRIREME_CACHE_DIR

say() { printf 'installcheck: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

"$program" backends >"$work/backends" || die "$program backends ends with $?"
for plugin in "$plugins"/trireme_*.so; do
  grep -qF "file:    $plugin" "$work/backends" ||
    { cat "$work/backends"; die "$plugin is not listed"; }
done
grep -q '^openmp *ready' "$work/backends" || { cat "$work/backends"; die "openmp is not ready"; }

expected=$(sed -n 's|^lbm/COURSE_START/f32/state,||p' "$srcdir/tests/data/fingerprints.csv")
"$program" run bristol-128x128 --backend=openmp --steps=2001 --roof=false \
  --formats=none --output="$work/run" >"$work/log" 2>&1 ||
  { cat "$work/log"; die "the case does not run"; }
found=$(awk '$1 == "fingerprint" { print $2 }' "$work/log")
test -n "$expected" && test "$found" = "$expected" ||
  die "bristol-128x128 after 2001 steps has the fingerprint '$found', not '$expected'"
# Python finds the library beside itself, and gives the same bits; below DESTDIR it is told where.
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2>/dev/null && break
  python=
done
if test -n "$python"; then
  test -n "$DESTDIR" && TRIREME_LIBRARY_DIR=$DESTDIR$libdir && export TRIREME_LIBRARY_DIR
  found=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$DESTDIR$pkgdatadir/python "$python" -c '
import sys, trireme
with trireme.Run(sys.argv[1], backend="openmp") as run:
    print(run.advance(2001).fingerprint)' bristol-128x128) ||
    die "trireme.py does not run"
  test "$found" = "$expected" || die "trireme.py gives the fingerprint '$found', not '$expected'"
  say "trireme.py gives the same bits"
else
  say "trireme.py is not tried: no python3 here has numpy"
fi
say "$program: $(grep -c ' ready ' "$work/backends") backends ready, a case has the known bits"
