# new_solver.sh - a solver from outside the tree, from `trireme new-solver` to its runs, with nothing but
# what `make install` puts in place (docs/solver.md).
. "$srcdir/tests/tap.sh"
. "$srcdir/tests/dialect/traffic_twins.sh"

work=$TRIREME_TEST_STATE/new_solver
rm -rf "$work"
mkdir -p "$work/empty"
build=$PWD
MAKEFLAGS='' MFLAGS=''
export MAKEFLAGS MFLAGS

# What tells make where things are installed says where they lie below DESTDIR.
variable() { sed -n "s/^$1 = //p" Makefile | head -n 1; }
prefix=$(variable prefix)
installed=$TRIREME_TEST_STATE/installed
root=$installed$prefix
check "make install" test -x "$root/bin/trireme"

PKG_CONFIG="pkg-config --define-prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$installed" -name trireme.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
TRIREME_BACKEND_PATH=$LD_LIBRARY_PATH/trireme
TRIREME_SOLVER_PATH=$work/plugins
TRIREME=$root/bin/trireme
export PKG_CONFIG PKG_CONFIG_PATH LD_LIBRARY_PATH TRIREME_BACKEND_PATH TRIREME_SOLVER_PATH TRIREME
# A backend from outside that the suite requires is not installed here.
required=
for name in ${TRIREME_REQUIRE-}; do
  test ! -e "$TRIREME_BACKEND_PATH/trireme_$name.so" || required="$required $name"
done
TRIREME_REQUIRE=$required
unset TRM_ISAS TRM_KERNEL_TEXTS LIBTOOL AWK

# ---- the headers and trireme.pc -------------------------------------------------

headers=$($PKG_CONFIG --variable=headerdir trireme)
alone() { # every header but the dialect, which needs the build's definitions
  test "$(find "$headers" -name '*.h' | wc -l)" -ge 7 || return 1
  for header in $(cd "$headers" && find . -name '*.h' ! -name 'kernel*.h'); do
    echo "#include \"$header\"" >"$work/alone.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror $($PKG_CONFIG --cflags trireme) -fsyntax-only \
      "$work/alone.c" || return 1
  done
}
check "every installed header compiles alone" alone
program() {
  printf '#include <stdio.h>\n#include "core/trireme.h"\nint main(void) { puts(trm_version()); }\n' >"$work/version.c"
  $CC -std=c11 $($PKG_CONFIG --cflags trireme) -o "$work/version" "$work/version.c" \
    $($PKG_CONFIG --libs trireme) && test "$("$work/version")" = "$($PKG_CONFIG --modversion trireme)"
}
check "a program is compiled and linked with what trireme.pc says" program
exports() { nm -D --defined-only "$root/bin/trireme" | grep -E ' [A-Z] (trm|trmi)_'; }
check_not "the program exports no symbol that a plugin could need" exports

# ---- refusals -------------------------------------------------------------------

cd "$work/empty" || exit 1
refuses() { # WORDS ARGUMENT...
  words=$1
  shift
  "$TRIREME" new-solver "$@" >"$work/out" 2>&1
  status=$?
  cat "$work/out"
  test $status = 2 && test "$(wc -l <"$work/out")" = 1 && grep -qF -e "$words" "$work/out"
}
check "a capital letter is refused" refuses "is not a name for a solver" Heat
check "a name that leaves the folder is refused" refuses "is not a name for a solver" ../heat
check "a name that begins with a digit is refused" refuses "is not a name for a solver" 3d
check "32 letters are refused" refuses "at most 31" abcdefghijabcdefghijabcdefghijab
check "the name of an own solver is refused" refuses "is one of this program's own solvers" lbm
check "the library's own prefix is refused" refuses "belongs to the library" trm_heat
check "a group of every case's keys is refused" refuses "choose another" run
check "no name is refused" refuses "takes the name"
check "a folder that cannot be made is refused" refuses "No such file or directory" heat none/heat
nothing_made() { test -z "$(ls -A)"; }
check "and nothing was made" nothing_made

# ---- make, make check, make install ----------------------------------------------

check "trireme new-solver heat" "$TRIREME" new-solver heat
cp -r heat "$work/copy"
check "a folder that exists is refused" refuses "exists already" heat
check "and nothing in it was touched" diff -r heat "$work/copy"
no_marks() { ! grep -r '@name@\|solver\.k' heat; }
check "every file has the name" no_marks
short() { test "$(wc -l <heat/heat.c)" -le 60; }
check "its C has at most 60 lines" short

cd heat || exit 1
build_here() { $MAKE 2>&1 && test -f solver_heat.so; } # make's CFLAGS, not those of this build
check "make" build_here
quiet() { rm -f heat.o && $MAKE 2>&1 | tee "$work/make.log" && ! grep -q warning "$work/make.log"; }
check "the host side compiles without a warning" quiet
instances() { # as many as are compiled in the tree
  for isa in $isas; do
    kinds="f32.strict f64.strict f32.fast f64.fast"
    test $isa != reverse || kinds="f32.strict f64.strict"
    for kind in $kinds; do test -f heat.$kind.$isa.o || return 1; done
  done
}
isas=$(sed -n 's/^TRM_ISAS = //p' "$build/Makefile")
check "every host instance was made" instances
would() { # FILE : what make would make, were it new
  $MAKE -n -W "$1" >"$work/would" && ! $MAKE -n | grep CC && grep -q "CC *' heat[.]o" "$work/would"
}
spared() { would "$(sed -n 's/:$//; /core\/trireme[.]h$/p' heat.d | head -n 1)" && ! grep -E "(CC|GEN) *' heat[.](f32|f64|k)[.]" "$work/would"; }
check "a change of the library's header compiles its C alone" spared
kernels() { would heat_params.h && test "$(grep -cE "CC *' heat[.](f32|f64)[.]" "$work/would")" = "$(ls heat.f*.o | wc -l)"; }
check "a change of its parameters compiles its kernels too" kernels
bad_flags() { ! $MAKE CFLAGS="-O2 -ffast-math" -n >"$work/out" 2>&1 && grep -q "strict runs" "$work/out"; }
check "-ffast-math is refused with the reason" bad_flags
mistaken() { # by the installed rules, with the line
  cp -p heat.k "$work/heat.k"
  echo 'TRM_INLINE real heat_wave(const real a) { return sin(a); }' >>heat.k
  ! $MAKE heat.k.c >"$work/out" 2>&1 && grep -q "heat.k:$(grep -c '' heat.k): sin()" "$work/out"
  found=$?
  cp -p "$work/heat.k" heat.k
  return $found
}
check "a kernel's mistake is told with its line" mistaken
lost() { ! PKG_CONFIG_PATH= $MAKE PKG_CONFIG=false >"$work/out" 2>&1 && grep -q PKG_CONFIG_PATH "$work/out"; }
check "without trireme.pc make says what to do" lost
check "make check" $MAKE check
# As a quickstart's program is: without the set `reverse`. One case is enough.
natively() {
  sed '/^case [^p]/d; /^decay/d; /^order/d; /^stays/d; /^refuses/d' test.sh >"$work/short.sh"
  TRIREME_SOLVER_PATH=$PWD TRM_ISAS=baseline sh "$work/short.sh" >"$work/out" 2>&1 &&
    grep -q 'in reverse order # SKIP the program has no such kernels' "$work/out" || { cat "$work/out"; return 1; }
}
check "and where the program has no kernels that go backwards" natively
install_solver() { $MAKE install solverdir="$work/plugins"; }
check "make install" install_solver
cd ..

# ---- several devices: parts of a run, a thread each -------------------------------

on() { # OPTION... : the fingerprint of a run
  rm -rf "$work/on"
  "$TRIREME" run heat --set=grid.nx=96 --set=grid.ny=70 --formats=none --output="$work/on" "$@" >"$work/out" 2>&1
  ended=$?
  cat "$work/out" >&2
  test $ended = 0 || test $ended = 75 || return 1
  sed -n 's/^fingerprint  *//p' "$work/out"
}
alone=$(on --steps=333 --backend=openmp 2>/dev/null)
TRIREME_DEBUG_BUFFERS=rows # a row that a part does not hold ends the run, as on a GPU
export TRIREME_DEBUG_BUFFERS
control=parts
as_alone() { # OPTION...
  test -n "$alone" && test "$(on --steps=333 "$@")" = "$alone" && grep -q "\"control\": \"$control\"" "$work/on/run.json"
}
check "two parts have the fingerprint of one device" as_alone --devices=openmp,openmp
check "and a list in brackets" as_alone "--devices=(openmp,openmp)"
check "unequal parts" as_alone "--devices=openmp * 2.5, openmp,openmp"
if "$TRIREME" backends | grep -q '^opencl  *ready'; then
  check "a host, a device of OpenCL and a host" as_alone --devices=openmp,opencl,openmp*2
else skip "a host, a device of OpenCL and a host" "no OpenCL"
fi
check "parts of one row and more" as_alone --devices=openmp*34,openmp,openmp*34,openmp,openmp*34 --set=output.every=100
check "rows that are checked" env TRIREME_CHECK_ROWS=1 "$TRIREME" run heat --steps=3 --devices=openmp,openmp --formats=none --output="$work/checked"
no_device() { ! on --devices=openmp,openmp:7 && grep -q 'error: --devices: no device "openmp:7"' "$work/out"; }
check "a device that is not there is named" no_device
too_few() { ! on --set=grid.ny=3 --devices=openmp,openmp,openmp,openmp && grep -q '4 devices share 3 rows' "$work/out"; }
check "fewer rows than devices are refused" too_few
steps_of() { sed -n 's/^trireme: stopped.* after step \([0-9]*\).*/\1/p' "$work/out"; }
resumed() { # what parts have kept goes on, and has the bits of one device
  rm -rf "$work/kept"
  "$TRIREME" run heat --steps=90000000 --set=grid.nx=96 --set=grid.ny=70 --devices=openmp,openmp,openmp --for=1s --formats=none --output="$work/kept" >"$work/out" 2>&1
  "$TRIREME" resume "$work/kept" --for=2s >"$work/out" 2>&1
  found=$(sed -n 's/^fingerprint  *//p' "$work/out") steps=$(steps_of)
  cat "$work/out"
  test -n "$steps" && test -n "$found" && test "$(on --steps="$steps" --backend=openmp)" = "$found"
}
check "a resumed run of parts" resumed
unset TRIREME_DEBUG_BUFFERS

# ---- a solver like any other -------------------------------------------------------

says() { # WORDS ARGUMENT... : the program succeeds and says so
  words=$1
  shift
  "$TRIREME" "$@" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
  grep -qF -e "$words" "$work/out" || { cat "$work/out"; return 1; }
}
check "trireme solvers names its file" says "$work/plugins/solver_heat.so" solvers
check "trireme solvers heat lists its keys" says "heat.diffusivity" solvers heat
check "--json names the plugin" says "\"plugin\": \"$work/plugins/solver_heat.so\"" solvers heat --json
check "--dry-run prints its case" says "diffusivity = 1.0" run heat --dry-run
check "with the memory that it needs" says "# memory on openmp: " run heat --dry-run --backend=openmp
told() {
  says '"memory_bytes": ' run heat --dry-run --backend=openmp --json &&
    "$TRIREME" run heat --dry-run --backend=openmp --set heat.dt=1 2>&1 >"$work/out" |
    grep -q "here this case would not run: .*heat.dt = 1 s is too long"
}
check "as JSON too, and a case that the solver refuses is told" told
check "a case names it" says "diffusivity = 2.0" run heat/case.conf --set heat.diffusivity=2 --dry-run
wrong_key() { ! "$TRIREME" run heat --set heat.difusivity=2 --dry-run 2>&1 | grep -vq "heat.diffusivity"; }
check "a wrong key is answered with the nearest" wrong_key
unheeded() {
  "$TRIREME" run heat --set heat.wall=2 --steps=1 --output=unheeded 2>&1 | grep "heat.wall has an effect only where heat.edge is fixed, and it is ins"
}
check "a key that this edge has no use for is refused" unheeded

options="--steps=200 --quiet --roof=false --set grid.nx=96 --set grid.ny=64 --formats=png,vti,npy"
runs_on() {
  "$TRIREME" run heat --backend="$1" --output="$work/$1" $options &&
  for file in temperature.png fields.vti series.csv run.json used.conf; do
    test -s "$work/$1/$file" || { echo "$file is missing"; ls "$work/$1"; return 1; }
  done
}
fingerprint() { sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*/\1/p' "$work/$1/run.json"; }
same_bits() { test -n "$(fingerprint openmp)" && test "$(fingerprint openmp)" = "$(fingerprint opencl)"; }
check "it runs on openmp, with picture, fields and series" runs_on openmp
profiled() { # every step of it is counted
  "$TRIREME" run heat --backend=openmp --output="$work/profiled" $options --profile &&
    grep -q '^heat_step,kernel,200,' "$work/profiled/profile.csv" && test "$(fingerprint profiled)" = "$(fingerprint openmp)"
}
check "and is profiled" profiled
if "$TRIREME" backends 2>/dev/null | grep -q '^opencl *ready'; then
  check "it runs on opencl" runs_on opencl
  check "with the same fingerprint" same_bits
  check "and compare finds the same bits" "$TRIREME" compare heat/case.conf --on=openmp,opencl --runs=1 --steps=100
else
  skip "it runs on opencl" "opencl is not ready"
fi

# ---- the other solvers of docs/solver.md ---------------------------------------------

page=$twins_source/docs/solver.md
from_page() { # FILE : the block of C, of keys or of shell that follows the line "`FILE`:"
  awk -v line="\`$1\`:" '$0 == line { wanted = 1; next } wanted && /^```/ { if (inside) exit; inside = 1; next }
    inside { print }' "$page"
}
example() { # NAME : from the page to a tested plugin
  "$TRIREME" new-solver "$1" &&
    for file in $1.c $1.k $1_params.h case.conf test.sh; do
      from_page "$1/$file" >"$work/block" && test -s "$work/block" || { echo "no $1/$file"; return 1; }
      if test $file = test.sh; then sed -n '/^# ---- from here on/,$p' "$1/test.sh" >>"$work/block"; fi
      cp "$work/block" "$1/$file"
    done
  test "$(wc -l <"$1/$1.c")" -le 80 && $MAKE -C "$1" 2>&1 | tee "$work/make.log" && ! grep -q warning "$work/make.log"
}
for name in spots block; do
  check "the page's $name is written, of at most 80 lines of C, and compiles" example $name
  check "and passes its make check" $MAKE -C $name check
done

# what it declares of its traffic, as tests/dialect/traffic.sh has it of the built-in solvers
counted() { # PRECISION
  twins "$1" "$PWD/heat/heat.k" "$headers" && twins "$1" "$twins_source/core/kernels/reduce.k" "$headers" &&
    "$clang" -shared -o "$work/heat.$1.so" heat."$1".*.o reduce."$1".*.o && rm -f ./*.ll ./*.o &&
    "$build/tests/dialect/traffic" "$work/heat.$1.so" 64 0.03 heat/case.conf --precision="$1" --set grid.ny=128
}
cannot_count=$(twins_missing)
rm -f probe.c probe.err
if test -z "$cannot_count"; then
  check "its kernel moves and computes what it declares" counted f32
  check "in f64 too" counted f64
else
  skip "its kernel moves and computes what it declares" "$cannot_count"
fi

# ---- broken plugins beside it: the true reason, and nobody else suffers ---------------

broken() { # NAME SOURCE
  echo "$2" >"$work/$1.c"
  $CC -shared -fPIC -o "$work/plugins/solver_$1.so" "$work/$1.c"
}
refused() { # NAME WORDS : named it says why, and the list goes on
  "$TRIREME" run "$1" --steps=1 >"$work/out" 2>&1
  test $? = 2 && grep -qF -e "$2" "$work/out" && says "$2" solvers && says "plugins/solver_heat.so" solvers ||
    { cat "$work/out"; return 1; }
}
broken aborts '#include <stdlib.h>
__attribute__((constructor)) static void begin(void) { abort(); }'
broken lost 'void nobody_has_this(void); void trm_solver_lost(void) { nobody_has_this(); }'
broken other 'int trm_solver_heat[40] = {2};'
broken early 'int trm_solver_early[40] = {1};'
echo text >"$work/plugins/solver_text.so"
check "a plugin that aborts when it is loaded" refused aborts "Aborted"
check "a plugin with an undefined symbol" refused lost "undefined symbol: nobody_has_this"
check "a plugin without its table" refused other "does not export trm_solver_other"
check "a plugin for another solver.h" refused early "was built for ABI 1"
check "a text file" refused text "no ELF header"
for name in aborts lost other early text; do rm -f "$work/plugins/solver_$name.so"; done

# Names that a file of the rules has too: make looks how those are made before anything else.
named() { rm -rf named && "$TRIREME" new-solver "$1" named && $MAKE -n -C named >"$work/out" 2>&1 || { cat "$work/out"; return 1; }; }
for name in solver kernel; do
  check "a solver of the name $name does not make the rules anew" named $name
done

uninstall() { $MAKE -C heat uninstall solverdir="$work/plugins" && test -z "$(ls "$work/plugins")"; }
check "make uninstall" uninstall
clean() { $MAKE -C heat clean && diff -r heat "$work/copy"; }
check "make clean leaves what new-solver wrote" clean
done_testing
