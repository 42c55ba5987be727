# configure.sh - configure refuses what it cannot honour, with cause and cure.
. "$srcdir/tests/tap.sh"

configure=$(cd "$srcdir" && pwd)/configure
work=$TRIREME_TEST_STATE/configure
rm -rf "$work"
mkdir -p "$work/build" "$work/pkgconfig"

# A machine that has everything but libpng, as far as pkg-config can tell.
for folder in $(${PKG_CONFIG:-pkg-config} --variable pc_path pkg-config | tr : ' '); do
  for file in "$folder"/*.pc; do
    case $file in
      */libpng*.pc | *'*.pc') ;;
      *) ln -sf "$file" "$work/pkgconfig/" ;;
    esac
  done
done

run_configure() {
  (cd "$work/build" && PKG_CONFIG_LIBDIR=$work/pkgconfig PKG_CONFIG_PATH= MAKEFLAGS= \
    "$configure" -q --cache-file="$work/cache" "CC=$CC" "$@" >"$work/out" 2>&1)
}
refuses() { # PATTERN ARGUMENT...
  pattern=$1
  shift
  ! run_configure "$@" && grep -Eq "$pattern" "$work/out" || { cat "$work/out"; return 1; }
}
solver_refuses() { # FLAG
  ! "$MAKE" -n -f "$rules" SOLVER=heat CFLAGS="-O2 $1" >"$work/out" 2>&1 &&
    grep -q -e "$1 would change.*strict.*--math=fast" "$work/out" || { cat "$work/out"; return 1; }
}
row() { # PATTERN ARGUMENT...
  pattern=$1
  shift
  run_configure "$@" && grep -Eq "$pattern" "$work/out" || { cat "$work/out"; return 1; }
}
recorded() { # FLAGS: all but the one that names a folder are in the program
  MAKEFLAGS= "$MAKE" -s -C "$work/build" run/measure/build_flags.c CPPFLAGS= CFLAGS="$1" >"$work/out" 2>&1 &&
    grep -Fq ' build_flags[] = "-O2 -g";' "$work/build/run/measure/build_flags.c" ||
    { cat "$work/out" "$work/build/run/measure/build_flags.c"; return 1; }
}

# Each flag that changes the bits of strict runs, where a user may put it; solver.mk knows the same.
rules=$(cd "$srcdir" && pwd)/m4/solver.mk
for flag in -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math \
  -ffinite-math-only -fno-signed-zeros -fcx-limited-range -fsingle-precision-constant -mdaz-ftz \
  -ffp-model=fast; do
  if $CC $flag -fsyntax-only -x c /dev/null >/dev/null 2>&1; then
    check "$flag is refused with the reason" \
      refuses "^configure: error: $flag .*strict.*--math=fast" CFLAGS="-O2 $flag"
  else
    skip "$flag is refused with the reason" "$CC does not know it"
  fi
  check "$flag is refused for a solver from outside" solver_refuses $flag
done
check "-ffast-math is refused in LDFLAGS" \
  refuses '^configure: error: -ffast-math .*strict' LDFLAGS=-ffast-math
check "-Ofast is refused in CC" refuses '^configure: error: -Ofast .*strict' "CC=$CC -Ofast"
check "an answer that is none is refused" \
  refuses '^configure: error: --with-opencl=maybe: give auto, yes or no' --with-opencl=maybe
check "asked for and missing is an error with its cure" \
  refuses '^configure: error: --with-png=yes, but .*libpng.*install libpng-dev' --with-png=yes
check "missing and not asked for is a row of the table" \
  row '^ *png +no +.*libpng' --with-cuda-toolkit=no
check "switched off is a row of the table" \
  row '^ *opencl +no +switched off' --with-opencl=no --with-cuda-toolkit=no
check "a flag that hides the folder of the build does not bring it into the program" \
  recorded "-O2 -ffile-prefix-map=$work/build=. -g"
# The tree of this very build: with another --prefix, a program would look for its plugins in the old one.
remade() {
  MAKEFLAGS= "$MAKE" -pq list-tests >"$work/rules" 2>&1
  for file in $(cd "$srcdir" && grep -lEr --include='*.c' 'TRM_(PLUGIN_DIR|CASES)' core solvers cli); do
    grep -q "^${file%/*}/[a-z_]*la-$(basename "$file" .c)[.]lo:.* config[.]status" "$work/rules" || { echo "$file"; return 1; }
  done
}
check "what names folders of the installation is compiled anew when configure ran again" remade
after_all() { # else make -j2 all GOAL makes the same files twice, at once
  for goal in check-programs prepare-test; do
    grep -qx "$goal: all" "$work/rules" || { grep "^$goal:" "$work/rules" | cut -c 1-100; return 1; }
  done
}
check "what tests need is built when all else is, not beside it" after_all
done_testing
