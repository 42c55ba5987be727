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
  "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target nvptx64 \
    -D__NV_CL_C_VERSION=120 -DTRM_OVERLAPPING -I"$source" -fsyntax-only "$work/text.cl" 2>&1 |
    grep -E "error:" | grep -vE "v(load|store)_half"
}
accepted() { # TEXT...
  for text in "$@"; do ! errors 0 "$text" && ! errors 1 "$text" || return 1; done
}
stepped() { # TEXT... ; items and bytes, which the plugin works out, are asserted by arrays of their own
  for text in "$@"; do
    for real in 0 1; do
      ! errors $real "$text" "TRM_STEPS 3" "TRM_STEPS_WIDTH 64" "TRM_STEPS_ROWS 2" "TRM_STEPS_TILE 0" \
        "TRM_STEPS_WIDE 1" "TRM_STEPS_TALL 1" "TRM_STEPS_RESIDENT 0" "TRM_STEPS_COMPONENTS 9" "TRM_STEPS_FOLDS 0" "TRM_STEPS_ITEMS 160" \
        "TRM_STEPS_BYTES 1" | grep -v _agree || return 1
    done
  done
}
refused() {
  echo 'TRM_ROW_KERNEL1(f, 0, trm_extent, TRM_RW(real) to) { nonsense }' >"$work/nonsense.k"
  errors 0 "$work/nonsense.k" | grep -q nonsense
}

check "a mistake is seen, so that the next tests can fail" refused
stepping=
for text in $TRM_KERNEL_TEXTS; do
  case $text in tests/*) continue ;; esac
  check "$text" accepted "$text.k"
  grep -q TRM_TABLE_STEPS "$source/$text.k" && stepping="$stepping $text"
done
for text in $stepping; do check "$text, several steps a launch" stepped "$text.k"; done
done_testing
