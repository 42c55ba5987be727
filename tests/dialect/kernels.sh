# kernels.sh - what the compilers make of kernel texts: strict instances keep their bits whatever CFLAGS
# say, and no loop over cells is left scalar. Uses kernel-rules.mk as a solver of one's own would.
. "$srcdir/tests/tap.sh"

source=$(cd "$srcdir" && pwd)
build=${TRIREME%/cli/*}
work=$TRIREME_TEST_STATE/kernels
# The kernels that work for a living; those of other tests try what need not be fast.
texts=
for text in $TRM_KERNEL_TEXTS; do
  case $text in tests/*) ;; *) texts="$texts $text" ;; esac
done
isa=baseline # the best set of this build
for set in v3 v4; do
  case " $TRM_ISAS " in *" $set "*) isa=$set ;; esac
done

rm -rf "$work"
mkdir -p "$work"
cat >"$work/Makefile" <<END
top_srcdir = $source
srcdir = $source
VPATH = $source
TRM_KERNEL_TEXTS = $texts tests/dialect/contraction
include $source/m4/kernel-rules.mk
END

# compile FOLDER COMPILER CFLAGS STEM... : objects of TEXT.STEM into FOLDER, messages to FOLDER.log
compile() {
  folder=$work/$1 compiler=$2 flags=$3
  shift 3
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$work/Makefile" "$folder/Makefile"
  MAKEFLAGS= MFLAGS= $MAKE -s -C "$folder" CC="$compiler" LIBTOOL="$LIBTOOL --silent" MKDIR_P="mkdir -p" AWK="$AWK" \
    CPPFLAGS= CFLAGS="$flags" WARN_CFLAGS= "$@" >"$folder.log" 2>&1
}

code() { # instructions of an object without its name and addresses of symbols
  "$OBJDUMP" -d --no-show-raw-insn "$1" | sed 1,3d
}

has_fma() {
  code "$1" | grep -Eq '[[:space:]](v?fn?m(add|sub)|fml[as])'
}

has_no_fma() { # an object that is missing has none either, and proves nothing
  test -s "$1" && ! has_fma "$1"
}

stems() { # every text with each of the given PRECISION.MATH.ISA
  for text in $texts; do
    for stem in "$@"; do echo "$text.$stem.lo"; done
  done
}

if ! command -v "$OBJDUMP" >/dev/null 2>&1; then
  skip_all "objdump is missing (Debian: binutils)"
fi
# What a user's flags may ask for. -march=native in them changes tuning, hence it is left out where the
# code of instruction sets is compared.
plain="-O2" tempting="-O2 -ffp-contract=fast -ffast-math"

compile fast "$CC" "-O2" tests/dialect/contraction.f32.fast.$isa.lo
contracted="a fast kernel is contracted here, so that the next test can fail"
case $isa,$(uname -m) in
baseline,x86_64) skip "$contracted" "these processors have no fma without --with-isa=v3" ;;
*) check "$contracted" has_fma "$work/fast/tests/dialect/.libs/contraction.f32.fast.$isa.o" ;;
esac
for real in f32 f64; do
  compile strict "$CC" "-O2 -ffp-contract=fast" tests/dialect/contraction.$real.strict.$isa.lo
  check "no fma in a strict $real kernel compiled with -O2 -ffp-contract=fast" \
    has_no_fma "$work/strict/tests/dialect/.libs/contraction.$real.strict.$isa.o"
done

# tempted REAL ISA: the strict instances with tempting flags, once, with gcc's report of its loops
is_gcc=no
case $($CC --version 2>/dev/null) in *"Free Software Foundation"*) is_gcc=yes ;; esac
tempted() {
  test ! -e "$work/tempted-$1-$2" || return 0
  report=
  test $is_gcc = no || report=-fopt-info-loop-vec-optimized
  compile "tempting-$1-$2" "$CC" "$tempting $report" $(stems "$1.strict.$2") ||
    { cat "$work/tempting-$1-$2.log"; return 1; }
  touch "$work/tempted-$1-$2"
}
# The build has made the plain ones where nothing among its flags changes code.
made=no
case " $TRM_CFLAGS " in
  *" -O2 "*) case " $TRM_CFLAGS " in *" -f"* | *" -m"* | *" -D"*) ;; *) made=yes ;; esac ;;
esac
same_code() { # REAL ISA
  if few "$1" "$2"; then texts=$families; else texts=$all; fi
  tempted "$1" "$2" || return 1
  for text in $texts; do
    object=$(dirname "$text")/.libs/$(basename "$text").$1.strict.$2.o
    code "$work/tempting-$1-$2/$object" >"$work/tempting.s"
    test -s "$work/tempting.s" || { echo "$object: no code"; return 1; }
    if test $made = yes && test -e "$build/$object"; then
      code "$build/$object" | cmp -s - "$work/tempting.s" && continue
    fi
    compile plain "$CC" "$plain" "$text.$1.strict.$2.lo" || { cat "$work/plain.log"; return 1; }
    code "$work/plain/$object" | cmp - "$work/tempting.s" || { echo "$object"; return 1; }
  done
}
# Code follows from text and options, so options of which none differs give the same code: all of them in seconds. A text
# of each family is compiled to show it; make check-long compiles all.
options() { # FLAGS REAL ISA : what gcc makes of these flags and those of kernels after them
  cp "$work/Makefile" "$work/options.mk"
  printf 'show-flags:\n\t@echo $(call trm_kernel_flags,%s)\n' "$2.strict.$3" >>"$work/options.mk"
  kernel_flags=$(MAKEFLAGS= MFLAGS= $MAKE -s -f "$work/options.mk" KERNEL_DEBUG_CFLAGS= WARN_CFLAGS= show-flags) || return 1
  for list in optimizers common target c; do
    eval "$CC $1 $kernel_flags -Q --help=$list" >"$work/options" || return 1
    grep -v '^ *-o ' "$work/options" # a file of its own each time
  done
  eval "$CC $1 $kernel_flags -dM -E -x c /dev/null"
}
same_options() { # REAL ISA
  options "$plain" "$1" "$2" >"$work/options.plain" && options "$tempting" "$1" "$2" >"$work/options.tempting" &&
    test "$(grep -c enabled "$work/options.plain")" -gt 100 && diff "$work/options.plain" "$work/options.tempting"
}
seen_option() { # one that the strict flags do not set back
  options "$plain" f32 $isa >"$work/options.plain" && options "$plain -fno-inline" f32 $isa >"$work/options.tempting" &&
    ! cmp -s "$work/options.plain" "$work/options.tempting"
}
all=$texts families="core/kernels/reduce solvers/lbm/driven/lbm solvers/shallow/shallow_hllc solvers/nbody/kernels/nbody"
if test $is_gcc = yes; then
  check "an option that differs is seen, so that the next tests can fail" seen_option
  for real in f32 f64; do
    check "no option of strict kernels differs with -ffast-math -ffp-contract=fast before them, $real.$isa" \
      same_options $real $isa
  done
fi
# few REAL ISA : whether a family's text is enough, since the build has said what it vectorised
few() {
  test -z "${TRIREME_TEST_LONG-}" && test $is_gcc = yes || return 1
  case $2 in v3 | v4) reported "$1" "$2" ;; esac
}
# reported REAL ISA : the build has gcc's reports of all its loops (quickstart check), as new as its objects
reported() {
  found=
  for text in $all; do
    object=$build/$text.$1.strict.$2.lo
    test -e "$object" || continue # of one precision alone
    test -e "$object.vec" && test ! "$object.vec" -ot "$source/$text.k" || return 1
    found=yes
  done
  test -n "$found"
}
# Each precision once; every pair with another instruction set of this build in make check-long.
pairs="f32.$isa f64.$isa" others=
for set in v3 v4; do
  test $set = $isa && continue
  case " $TRM_ISAS " in *" $set "*) others="$others f32.$set f64.$set" ;; esac
done
has_pair() { # REAL ISA
  case " $pairs " in *" $1.$2 "*) ;; *) test -n "${TRIREME_TEST_LONG-}" ;; esac
}
for pair in $pairs $others; do
  name="strict kernels have the same code with -ffast-math -ffp-contract=fast before them, $pair"
  if has_pair ${pair%.*} ${pair#*.}; then check "$name" same_code ${pair%.*} ${pair#*.}
  else skip "$name" "long: run by make check-long"
  fi
done

# A loop over cells (TRM_CELLS) counts as vectorised when gcc reports one between it and the next, or in
# an inline function that it calls. A loop that only copies becomes a call of memcpy, and nothing is left.
scalar_loops() { # LOG TEXT...
  sed -n -e 's/^.*\/\([A-Za-z0-9_-]*\.[kh]\):\([0-9]*\):[0-9]*: optimized: loop vectorized.*/\1 \2/p' \
    -e 's/^.*\/\([A-Za-z0-9_-]*\.[kh]\):\([0-9]*\):[0-9]*: .* distributed: split to 0 loops .*/\1 \2/p' "$1" |
  sort -u >"$work/vectorised"
  shift
  for text in "$@"; do # with the headers that hold kernels
    echo "$source/$text.k"
    grep -l '^ *TRM_CELLS(' "$source/$(dirname $text)"/*.h
  done | sort -u >"$work/files"
  while read -r path; do
    "$AWK" -v file="$(basename "$path")" -v text="${path#"$source/"}" '
      function vectorised(first, end,   line) {
        for (line in done) if (line + 0 >= first + 0 && line + 0 < end + 0) return 1
        return 0
      }
      FNR == NR { if ($1 == file) done[$2]; next }
      /^TRM_INLINE/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); begin[name] = FNR }
      /^ *if \(!TRM_BY_SPAN\) [{]$/ { arm = index($0, "if"); next } # no loop of a host
      arm { if (match($0, /^ *}/) && RLENGTH == arm) arm = 0; next }
      /TRM_CELLS\(/ && !/#define/ { if (open) ends[open] = FNR; open = FNR }
      open { body[open] = body[open] $0 }
      /^}/ { if (open) ends[open] = FNR; open = 0; if (name) close_at[name] = FNR; name = "" }
      END {
        for (loop in ends) {
          found = vectorised(loop, ends[loop])
          for (called in begin)
            if (index(body[loop], called "(") && vectorised(begin[called], close_at[called])) found = 1
          if (!found) { print text ":" loop ": the loop is scalar"; bad = 1 }
        }
        exit bad
      }' "$work/vectorised" "$path" || return 1
  done <"$work/files"
}
seen_scalar() {
  compile gcc gcc "-O2 -fno-tree-vectorize -fopt-info-vec-optimized" solvers/shallow/shallow.f32.strict.$isa.lo &&
  ! scalar_loops "$work/gcc.log" solvers/shallow/shallow
}
if command -v gcc >/dev/null 2>&1; then
  check "a scalar loop is seen, so that the next tests can fail" seen_scalar
fi
vectorised_by_gcc() { # REAL ISA
  log=$work/tempting-$1-$2.log texts=$all
  if few "$1" "$2"; then
    log=$work/built.log
    for text in $all; do cat "$build/$text.$1.strict.$2.lo.vec" 2>/dev/null; done >"$log"
  elif test $is_gcc = yes; then tempted "$1" "$2" || return 1
  else
    log=$work/gcc.log
    compile gcc gcc "-O2 -fopt-info-loop-vec-optimized" $(stems "$1.strict.$2") || { cat "$log"; return 1; }
  fi
  scalar_loops "$log" $texts
}
promises_kept_by_clang() { # REAL ISA : of a text of each family; of all where the tests are long
  texts=$families
  test -z "${TRIREME_TEST_LONG-}" || texts=$all
  compile clang clang "-O2 -Werror=pass-failed" $(stems "$1.strict.$2") || { cat "$work/clang.log"; return 1; }
}
for set in v3 v4; do
  for real in f32 f64; do
    missing=
    case " $TRM_ISAS " in *" $set "*) ;; *) missing="this build does not have it (configure --with-isa)" ;; esac
    test -n "$missing" || has_pair $real $set || missing="long: run by make check-long"
    name="every loop over cells is vectorised by gcc, $real $set"
    if ! command -v gcc >/dev/null 2>&1; then skip "$name" "gcc is missing"
    elif test -n "$missing"; then skip "$name" "$missing"
    else check "$name" vectorised_by_gcc $real $set
    fi
    name="clang keeps every simd promise (-Wpass-failed), $real $set"
    if ! command -v clang >/dev/null 2>&1; then skip "$name" "clang is missing"
    elif test -n "$missing"; then skip "$name" "$missing"
    elif test $real = f64 && test -z "${TRIREME_TEST_LONG-}"; then skip "$name" "long: run by make check-long"
    else check "$name" promises_kept_by_clang $real $set
    fi
  done
done
done_testing
