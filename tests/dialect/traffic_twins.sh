# traffic_twins.sh - kernel texts compiled for counting (tests/dialect/traffic.c). Sourced.
#
# Each text is compiled twice: for what it loads and stores as it stands, before any optimisation,
# since what a compiler saves differs from one to the next; and for its operations after common
# subexpressions were joined and dead ones dropped, as every compiler does.
clang=${CLANG:-clang}
twins_source=$(cd "$srcdir" && pwd)
twins_common="-std=gnu11 -w -fPIC -fno-vectorize -fno-slp-vectorize -ffp-contract=off
  -fno-math-errno -fno-trapping-math"
twins_traced="-O0 -Xclang -disable-O0-optnone -fsanitize-coverage=func,trace-loads,trace-stores"

# twins_missing: prints why there can be none
twins_missing() {
  command -v "$clang" >/dev/null 2>&1 || { echo "clang is missing (Debian: clang)"; return; }
  echo 'void f(float *a) { *a = 1; }' >probe.c
  "$clang" $twins_traced -w -S -emit-llvm -o - probe.c 2>probe.err |
    grep -q 'call void @__sanitizer_cov_store4' || echo "$clang does not trace loads and stores"
}

# twin OBJECT WHAT FLAGS TEXT.k FOLDER [FLAG]...: FOLDER has core/kernel.h
twin() {
  twin_object=$1 twin_what=$2 twin_flags=$3 twin_text=$4 twin_folder=$5
  shift 5
  "$clang" $twins_common $twin_flags -I"$twin_folder" -include "$twin_folder/core/kernel.h" \
    -DTRM_ISA="$twin_what" -DTRM_ISA_NAME="\"$twin_what\"" -DTRM_STRICT_KERNEL=1 "$@" \
    -x c -S -emit-llvm -o "$twin_object.plain.ll" "$twin_text" &&
    awk -f "$twins_source/tests/dialect/traffic_ops.awk" "$twin_object.plain.ll" >"$twin_object.ll" &&
    "$clang" -O0 -w -fPIC -c -o "$twin_object.o" "$twin_object.ll"
}

# twins PRECISION TEXT.k FOLDER [VARIANT]: objects NAME.PRECISION.*.o here
twins() {
  case $1 in f64) twins_is_f64=1 ;; *) twins_is_f64=0 ;; esac
  twins_name=$(basename "$2" .k)
  twins_stem=$twins_name.$1${4:+.$4} twins_text=$2 twins_folder=$3
  set -- -DTRM_F64_KERNEL="$twins_is_f64" -DTRM_PROGRAM="$twins_name" \
    ${4:+-DTRM_VARIANT=$4 -DTRM_VARIANT_$4=1}
  twin "$twins_stem.touches" touches "$twins_traced" "$twins_text" "$twins_folder" "$@" &&
    twin "$twins_stem.operations" operations -O1 "$twins_text" "$twins_folder" "$@"
}
