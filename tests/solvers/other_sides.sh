# other_sides.sh - a program whose blocks have other sides is built, and runs the flows that this one runs, on
# every backend that is ready. Sourced by tests that set before: name_of_test, name_of_build (of the program, which
# several tests may share), sides (what the sides are lines of), change_sides (edits the copied sources), solver,
# formats, shuffled (a setting for the other program alone); after it they call flow.
if skip_unless_long "$name_of_test"; then done_testing; exit 0; fi

work=$TRIREME_TEST_STATE/$name_of_test
place=$TRIREME_TEST_STATE/$name_of_build
rm -rf "$work"
mkdir -p "$work" "$place"
unset TRIREME_BACKEND_PATH
TRIREME_ROOF=false MAKEFLAGS='' MFLAGS=''
export TRIREME_ROOF MAKEFLAGS MFLAGS
ready=$("$TRIREME" backends 2>/dev/null | awk '/^[a-z]/ && $2 == "ready" { print $1 }')
jobs=$(nproc 2>/dev/null || echo 2)

quietly() { # COMMAND... : the end of the log where it fails
  "$@" >"$work/log" 2>&1 || { tail -n 15 "$work/log"; return 1; }
}
edit() { # FILE LINES SED: which changes so many lines
  sed -i.was "$3" "$work/source/solvers/$1" &&
    test "$(diff "$work/source/solvers/$1" "$work/source/solvers/$1.was" | grep -c '^<')" = "$2"
}
# The first of the tests that share it builds it, the others wait: unless these sources are built, CC was another
# one, or the build did not end.
is_built() {
  test -e "$place/built" && test "$(cat "$place/built")" = "$CC" && diff -rq "$work/source" "$place/source"
}
build_other() {
  is_built && return
  rm -rf "$place/source" "$place/build" "$place/built"
  mkdir "$place/build" && cp -pR "$work/source" "$place/source" && cd "$place/build" &&
    ../source/configure --with-isa=baseline CC="$CC" && "$MAKE" -j"$jobs" && echo "$CC" >"$place/built"
}
build_alone() {
  ( flock 9 && build_other 9>&- ) 9>"$place/lock"
}
check "the sources" quietly "$MAKE" distdir distdir="$work/source"
check "the sides are $sides" change_sides
check "a program with the other sides" quietly build_alone
other=$place/build/cli/trireme
cd "$work" || exit 1

run() { # PROGRAM FOLDER BACKEND PRECISION SETTINGS: KEY=VALUE|KEY=VALUE...
  program=$1 folder=$2 backend=$3 precision=$4 settings=$5
  set --
  while test -n "$settings"; do
    set -- "$@" --set "${settings%%|*}"
    case $settings in *'|'*) settings=${settings#*|} ;; *) settings= ;; esac
  done
  "$program" run "$solver" --backend="$backend" --precision="$precision" --steps=12 \
    --formats="$formats" --output="$folder" "$@" >"$folder.log" 2>&1 || { tail -n 5 "$folder.log"; return 1; }
}
columns() { # FOLDER: steps, forces; no sums over the box
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /^(kinetic|enstrophy|dissipation|residual)/ }
    { for (i = 1; i <= NF; i++) if (keep[i]) printf "%s,", $i; print "" }' "$1/series.csv"
}
# Both programs at once: most of a short run is the compiler of a GPU's kernels.
run_both() { # BACKEND PRECISION SETTINGS
  rm -rf one two one.log two.log
  run "$other" two "$1" "$2" "$3$shuffled" >/dev/null &
  run "$TRIREME" one "$1" "$2" "$3" >/dev/null
  one_ended=$?
  wait $!
  two_ended=$?
}
same() {
  test $one_ended = 0 || { tail -n 5 one.log; return 1; }
  test $two_ended = 0 || { tail -n 5 two.log; return 1; }
  columns one >one.csv
  columns two >two.csv
  test -n "$(print_of one)" && test "$(print_of one)" = "$(print_of two)" ||
    { echo "$(print_of one) and $(print_of two)"; return 1; }
  cmp one.csv two.csv || return 1
  test "$formats" = none || cmp one/fields.vti two/fields.vti
}
# A GPU's group may have no room for a block of 16^3 cells, and that of NVIDIA's OpenCL has none.
no_room() { test $two_ended != 0 && grep -o 'needs [0-9]* bytes of shared memory.*' two.log; }
flow() { # NAME SETTINGS
  for backend in $ready; do
    precisions=f32
    test "$backend" != openmp || precisions="f32 f64"
    for precision in $precisions; do
      name="$1: the same bits on $backend in $precision"
      run_both "$backend" $precision "$2"
      if why=$(no_room); then skip "$name" "$why"
      else check "$name" same
      fi
    done
  done
}
