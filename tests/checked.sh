# checked.sh NAME - the tests under another tool, in a tree of its own: checked/NAME in the build tree.
# Run by make check-NAME, which sets srcdir, MAKE, CLANG, GCC and FUZZ_SECONDS; docs/testing.md says what
# each finds. TESTS="..." narrows every one of them.
set -eu
name=$1
source=$(cd "$srcdir" && pwd)
top=$PWD
MAKE="$MAKE --no-print-directory"

# Ten times slower and on a busy machine, a driver is not hanging yet.
TRIREME_PROBE_SECONDS=${TRIREME_PROBE_SECONDS-300}
TRIREME_TEST_SECONDS=${TRIREME_TEST_SECONDS-7200}
export TRIREME_PROBE_SECONDS TRIREME_TEST_SECONDS

say() { printf 'check-%s: %s\n' "$name" "$*"; }
die() { say "$*" >&2; exit 1; }
need() { # PROGRAM DEBIAN-PACKAGE
  command -v "$1" >/dev/null 2>&1 || die "$1 is missing (Debian: $2)"
}

# tree FOLDER COMPILER CFLAGS [ARGUMENT...] : configured, built and entered
tree() {
  folder=$top/checked/$1 compiler=$2 flags=$3
  shift 3
  mkdir -p "$folder"
  cd "$folder"
  say "building in $folder (messages in make.log there)"
  if ! test -f Makefile; then
    "$source/configure" CC="$compiler" CFLAGS="$flags" "$@" >configure.log 2>&1 ||
      { tail -n 20 configure.log >&2; die "configure failed"; }
  fi
  # one after the other: both would make the same files, each in a make of its own
  for goal in ${build_goals-all check-programs}; do $MAKE $goal ${build_settings-} || exit; done >make.log 2>&1 || {
    grep -E 'error:|warning:|\*\*\*' make.log >&2 || tail -n 20 make.log >&2
    die "it does not build"
  }
}

# suite TEST... : make check there; the summary, and failures with the end of their logs
suite() {
  tests=${TESTS-$*}
  status=0
  $MAKE check TESTS="$tests" >check.log 2>&1 || status=$?
  grep -E '^(FAIL|ERROR):' check.log || true
  if test $status != 0; then
    grep -hE 'ERROR: |SUMMARY: |runtime error|WARNING: ThreadSanitizer|^==[0-9]+==' $(find tests -name "*.log") |
      sort | uniq -c | sort -rn | head -n 30
  fi
  say "$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' check.log | tail -n 1)"
  return $status
}

# asan_tree FOLDER : with address and undefined-behaviour sanitizers; TRM_KFLAGS_TOOL has what kernels add
asan_tree() {
  need "${CLANG##* }" clang
  export TRM_KFLAGS_TOOL
  tree "$1" "$CLANG" "-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=address,undefined,float-cast-overflow \
-fno-sanitize-recover=all" --enable-fuzzer --with-isa=baseline,reverse
  # use_tls: LeakSanitizer 14 dies of a signal of its own ("Tracer caught signal 11") where threads of
  # libomp have thread-local storage; ours keeps no pointer that only it knows.
  LSAN_OPTIONS=use_tls=0:suppressions=$source/tests/lsan.supp:print_suppressions=0
  ASAN_OPTIONS=protect_shadow_gap=0 # NVIDIA's driver maps memory there
  # Suppressions ask for the names of frames; of one that is none (libraries keep no frame pointers) the
  # symbolizer says so on standard error, where the tests expect one line.
  if symbolizer=$(command -v llvm-symbolizer || command -v llvm-symbolizer-14); then
    printf '#!/bin/sh\nexec %s "$@" 2>/dev/null\n' "$symbolizer" >llvm-symbolizer
    chmod +x llvm-symbolizer
    ASAN_OPTIONS=$ASAN_OPTIONS:external_symbolizer_path=$PWD/llvm-symbolizer
  fi
  export LSAN_OPTIONS ASAN_OPTIONS
}

# fuzz_one TARGET : for FUZZ_SECONDS; what it found is kept in found/ and bad/
fuzz_one() {
  here=checked/fuzz/inputs/$1
  mkdir -p "$top/$here/found" "$top/$here/bad"
  leaks=1
  # what libconfig and netCDF's libraries leak (lsan.supp) would be sought again and again
  case $1 in case | netcdf) leaks=0 ;; esac
  TRIREME_FUZZ=1 "tests/fuzz/$1" -max_total_time="$FUZZ_SECONDS" -print_final_stats=1 -timeout=10 \
    -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=4096 -detect_leaks=$leaks \
    -artifact_prefix="$top/$here/bad/" "$top/$here/found" "$source/tests/data/corpus/$1" \
    >"$top/$here/log" 2>&1 || {
    grep -hE -A 8 'ERROR: |SUMMARY: |broken promise|runtime error' "$top/$here/log"
    say "$1: a finding; its input is in $here/bad, the log is $here/log"
    return 1
  }
  say "$1: $(awk '/number_of_executed_units/ { print $2 }' "$top/$here/log") inputs in $FUZZ_SECONDS s"
}

# Every target, two at once.
fuzz() {
  failed=0
  set -- $FUZZ_TARGETS
  while test $# -gt 0; do
    fuzz_one "$1" & first=$!
    second=
    if test $# -gt 1; then fuzz_one "$2" & second=$!; shift; fi
    shift
    wait $first || failed=1
    test -z "$second" || wait $second || failed=1
  done
  return $failed
}

# Oclgrind as the only OpenCL platform: it interprets each work-item, so the cases are small.
oclgrind() {
  library=/usr/lib/oclgrind/liboclgrind-rt-icd.so
  test -f $library || die "$library is missing (Debian: oclgrind)"
  mkdir -p "$top/checked/oclgrind/vendors"
  echo $library >"$top/checked/oclgrind/vendors/oclgrind.icd"
  OCL_ICD_VENDORS=$top/checked/oclgrind/vendors
  export OCL_ICD_VENDORS
  $MAKE check TESTS=tests/dialect/oclgrind.sh TRIREME_OCLGRIND=1
}

# covered PART LEAST FILE... : lines of these sources that a test reached, in any of the objects made of them
# (the library's, and those of tests that compile a file in). Lines that none reached are in missed.log.
covered() {
  part=$1 least=$2
  shift 2
  say "$part"
  for file in "$@"; do
    base=$(basename "$file" .c)
    find "$(dirname "$file")" -name "*-$base.gcda" -o -name "$base.gcda" |
      while read -r data; do gcov -t -o "${data%.gcda}" "$data" 2>/dev/null; done
  done | awk -F: -v least="$least" -v source="$source/" -v wanted=" $* " '
    $2 + 0 == 0 && $3 == "Source" { file = $4; sub("^" source, "", file); next }
    index(wanted, " " file " ") && $1 !~ /-/ {
      if (!((file, $2) in lines)) { lines[file, $2]; total[file]++; all++ }
      text[file, $2] = $0
      if ($1 !~ /[#=]/ && !((file, $2) in reached)) { reached[file, $2]; hit[file]++; found++ }
    }
    END {
      for (file in total) printf "  %-28s %6.2f %% of %d\n", file, 100 * hit[file] / total[file], total[file] | "sort"
      close("sort")
      for (line in lines) if (!(line in reached)) {
        split(line, part, SUBSEP)
        sub(/^[^:]*: *[0-9]+:/, "", text[line])
        printf "%s:%d:%s\n", part[1], part[2], text[line] >>"missed.log"
      }
      if (!all) { print "  nothing was measured"; exit 1 }
      printf "  %-28s %6.2f %% of %d, at least %d %% wanted\n", "in all", 100 * found / all, all, least
      exit 100 * found / all < least }' || result=1
}

coverage() {
  need gcov gcc
  # the kernels are not what is measured: they are compiled as ever
  tree coverage "$GCC" "-g" --with-isa=baseline,reverse CHECK_CFLAGS="-O0 --coverage -fprofile-update=atomic"
  find . -name '*.gcda' -exec rm -f {} +
  rm -f missed.log
  result=0
  suite $COVERAGE_TESTS || result=1
  covered readers 95 io/array.c io/ascii_grid.c io/bristol.c io/bristol_results.c io/case.c \
    io/config.c io/config_print.c io/csv.c io/decimal.c io/epfl.c io/file.c io/formula.c io/formula_math.c io/formula_values.c io/grid.c io/lines.c \
    io/literals.c io/netcdf.c io/npy.c solvers/nbody/files.c
  covered cache 95 core/cache.c
  covered registry 95 core/backend.c core/plugins/plugin.c core/plugins/registry.c core/plugins/probe_process.c core/plugins/probe_cache.c core/plugins/probe_program.c
  return $result
}

case $name in
  sets)
    tree sets "$GCC" "-O2" --with-isa=all,reverse
    suite $RUN_TESTS
    ;;
  asan)
    # With all checks at once, clang 14 does not end on a kernel of the compressible solver (more than an hour).
    # What these two find there, the address sanitizer finds at the access.
    # -O1: every access is still checked, and the kernels' many variants compile in about half the time.
    TRM_KFLAGS_TOOL="-O1 -fno-sanitize=object-size,pointer-overflow"
    asan_tree asan
    suite $RUN_TESTS
    ;;
  fuzz)
    # Readers run no kernel: none is compiled, and none is listed (core/modules.h).
    TRM_KFLAGS_TOOL=
    build_goals=fuzz-programs build_settings="TRM_INSTANCES="
    asan_tree fuzz
    fuzz
    ;;
  tsan)
    need "${CLANG##* }" clang
    tree tsan "$CLANG" "-O1 -g -fno-omit-frame-pointer -fsanitize=thread" --with-isa=baseline,reverse
    # libomp and drivers are not instrumented; archer (libomp-14-dev) tells the tool of OpenMP's own
    OMP_TOOL_LIBRARIES=$($CLANG -print-file-name=libarcher.so)
    test -e "$OMP_TOOL_LIBRARIES" || OMP_TOOL_LIBRARIES=$(dirname "$($CLANG -print-resource-dir)")/../libarcher.so
    test -e "$OMP_TOOL_LIBRARIES" || die "libarcher.so is missing (Debian: libomp-14-dev)"
    export OMP_TOOL_LIBRARIES
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=$source/tests/tsan.supp:exitcode=66
    TRIREME_TEST_BACKENDS=openmp
    export TSAN_OPTIONS TRIREME_TEST_BACKENDS
    suite $TSAN_TESTS ;;
  valgrind)
    need valgrind valgrind
    tree valgrind "$GCC" "-O1 -g" --with-isa=baseline,reverse
    TRIREME_TEST_BACKENDS=openmp
    export TRIREME_TEST_BACKENDS
    LOG_COMPILER="$SHELL ./libtool --mode=execute valgrind -q --error-exitcode=66 --leak-check=full \
--errors-for-leak-kinds=definite --trace-children=no --suppressions=$source/tests/valgrind.supp"
    export LOG_COMPILER
    suite $VALGRIND_TESTS ;;
  oclgrind) oclgrind ;;
  coverage) coverage ;;
  warnings)
    need "${CLANG##* }" clang
    tree warnings-clang "$CLANG" "-O2 -g" --enable-werror
    say "no warning of $CLANG"
    if test -z "${CHECKED_BY_GCC-}"; then
      tree warnings-gcc "$GCC" "-O2 -g" --enable-werror
      say "no warning of $GCC"
    fi ;;
  *) die "no such check" ;;
esac || { say failed; exit 1; }
say "done"
