# nvidia_opencl.sh - every kernel text is accepted as NVIDIA's OpenCL has it, where several steps share
# a launch too: kernels are functions there. By clang for NVPTX, since that compiler is on GPUs alone.
. "$srcdir/tests/tap.sh"

clang=$(command -v clang || command -v clang-14) ||
  skip_all "clang is missing (Debian: clang)"
source=$(cd "$srcdir" && pwd)
work=$TRIREME_TEST_STATE/nvidia_opencl
mkdir -p "$work"

errors() { # REAL TEXT [DEFINE]... : what clang calls errors; declarations of halves are not in its header
  real=$1 text=$2
  shift 2
  {
    echo "#define TRM_OPENCL 1"
    echo "#define TRM_F64_KERNEL $real"
    echo "#define TRM_STRICT_KERNEL 1"
    echo "#define TRM_ROW_GX 128"
    echo "#define TRM_ROW_GY 1"
    echo "#define TRM_GROUP 64"
    for define in "$@"; do echo "#define $define"; done
    echo '#include "core/kernel.h"'
    echo "#include \"$text\""
  } >"$work/text.cl"
  "$clang" $extensions -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target nvptx64 \
    -D__NV_CL_C_VERSION=120 -DTRM_OVERLAPPING -I"$source" -fsyntax-only "$work/text.cl" 2>&1 |
    grep -E "error:" | grep -vE "v(load|store)_half"
}
accepted() { # TEXT...
  for text in "$@"; do ! errors 0 "$text" && ! errors 1 "$text" || return 1; done
}
stepped() { # TEXT [DEFINE]... ; items and bytes, which the plugin works out, are asserted by arrays of their own
  stepped_text=$1
  shift
  for real in 0 1; do
    ! errors $real "$stepped_text" "TRM_STEPS_WIDE 1" "TRM_STEPS_TALL 1" "TRM_STEPS_RESIDENT 0" \
      "TRM_STEPS_COMPONENTS 9" "TRM_STEPS_FOLDS 0" "TRM_STEPS_BYTES 1" "$@" | grep -v _agree || return 1
  done
}
# Temporal blocking itself, of each kernel of a text that steps a field.
blocked() { # TEXT DEFINE...
  blocked_text=$1
  shift
  for kernel in $(sed -n 's/^TRM_TABLE_[A-Z]*(\([a-z0-9_]*\), \([a-z0-9_]*\), \([0-9]*\), \([0-9]*\),.*/\1:\2:\3:\4/p' "$source/$blocked_text"); do
    IFS=: read -r name params from to <<END
$kernel
END
    arity=$(cat "$source/${blocked_text%/*}"/*.[hk] | sed -n "s/^TRM_ROW_KERNEL\([0-9]*\)($name,.*/\1/p")
    arrays= pass= i=0
    while test $i -lt "$arity"; do
      case $i in $from) is=trm_from ;; $to) is=trm_to ;; *) is=b$i ;; esac
      arrays="$arrays${arrays:+, }TRM_ANY b$i" pass="$pass${pass:+, }$is" i=$((i + 1))
    done
    {
      echo "#include \"$blocked_text\""
      printf '#define %s\n' "TRM_STEPS_NAME trm_steps_$name" "TRM_STEPS_ROW trm_${name}_row" \
        "TRM_STEPS_PARAMS trm_${name}_params" "TRM_STEPS_ARRAYS $arrays" "TRM_STEPS_PASS $pass" \
        "TRM_STEPS_READS b$from" "TRM_STEPS_WRITES b$to"
      echo '#include "core/kernel_temporal.h"'
    } >"$work/temporal.k"
    stepped "$work/temporal.k" "$@" || return 1
  done
}
refused() {
  echo 'TRM_ROW_KERNEL1(f, 0, trm_extent, TRM_RW(real) to) { nonsense }' >"$work/nonsense.k"
  errors 0 "$work/nonsense.k" | grep -q nonsense
}

check "a mistake is seen, so that the next tests can fail" refused
# OpenCL has atomics of 64 bits by two extensions; clang has none of them here unless it is asked. Each
# text is accepted without them, and has the kernels that ask for them where they are.
has_kernel() { # TEXT KERNEL DEFINE... : clang sees a second kernel of this name
  kernel_text=$1 kernel=$2
  shift 2
  { echo "#include \"$kernel_text\""; echo "__kernel void $kernel(void) { }"; } >"$work/twice.k"
  errors 1 "$work/twice.k" "$@" | grep -q "$kernel"
}
gathers() { # NUMBER
  { echo "IMPL_ONE 1|IMPL_TILED 0|IMPL_TILE_X 10|IMPL_TILE_Y 10|IMPL_PADDED 0|IMPL_CONSTANTS 0|IMPL_SLOPES 0"
    echo "IMPL_RESULTS 0|IMPL_PITCH 12|IMPL_SHUFFLES 0|IMPL_CONSTANTS_IN_TABLE 0|IMPL_GATHER $1"; } | tr '\n' '|'
}
has_form() { # GATHER KERNEL
  form_kernel=$2
  old_ifs=$IFS
  IFS='|'
  set -- $(gathers "$1")
  IFS=$old_ifs
  ! errors 1 solvers/shallow/shallow_implementations.k "$@" &&
    has_kernel solvers/shallow/shallow_implementations.k "$form_kernel" "$@"
}
push=solvers/compressible/kernels/fv_push.k
check "a kernel of sides needs no atomics" has_kernel $push fv_push_side
check_not "without atomics of 64 bits no kernel adds by them" has_kernel $push fv_push_both
check_not "nor gathers by them" has_form 1 shallow_maximum
check_not "nor by compare and swap" has_form 2 shallow_maximum
check "values are gathered all the same" has_form 0 shallow_maximum
check_not "a form without tiles has no tile in its text" has_form 0 shallow_update_tile
extensions="-Xclang -cl-ext=+cl_khr_int64_base_atomics"
check "with compare and swap one adds" has_kernel $push fv_push_both
check "and one gathers" has_form 2 shallow_maximum
check_not "not by the maximum" has_form 1 shallow_maximum
extensions="-Xclang -cl-ext=+cl_khr_int64_extended_atomics"
check "one gathers by the maximum" has_form 1 shallow_maximum
check_not "not by compare and swap" has_form 2 shallow_maximum
extensions=

stepping=
for text in $TRM_KERNEL_TEXTS; do
  case $text in tests/*) continue ;; esac
  check "$text" accepted "$text.k"
  grep -qE "TRM_TABLE_(STEPS|EDGES)" "$source/$text.k" && stepping="$stepping $text"
done
strip='TRM_STEPS 3|TRM_STEPS_WIDTH 64|TRM_STEPS_ROWS 2|TRM_STEPS_TILE 0|TRM_STEPS_WARPS 0|TRM_STEPS_INVARIANTS 1|TRM_STEPS_ITEMS 160'
tile='TRM_STEPS 5|TRM_STEPS_WIDTH 32|TRM_STEPS_ROWS 12|TRM_STEPS_TILE 1|TRM_STEPS_WARPS 0|TRM_STEPS_INVARIANTS 1|TRM_STEPS_ITEMS 480'
as() { # SHAPE TEXT [DEFINE]... : blocked, in that shape
  as_shape=$1 as_text=$2
  shift 2
  old_ifs=$IFS
  IFS='|'
  set -- $as_shape "$@"
  IFS=$old_ifs
  blocked "$as_text" "$@"
}
for text in $stepping; do
  check "$text, several steps a launch, in strips" as "$strip" "$text.k"
  check "$text, several steps a launch, in tiles" as "$tile" "$text.k"
  check "$text, the same, several times a launch" as "$tile" "$text.k" "TRM_STEPS_ROUNDS 9"
done
done_testing
