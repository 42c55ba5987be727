# cuda_states.sh - what the program says when CUDA's driver or compiler is missing, too old, damaged, full or
# lost: `backends -v` names state, reason and cure, `run` ends with 2 and one line. The driver and NVRTC are
# the fake ones (tests/fake), told by TRIREME_FAKE_CUDA what to do.
. "$srcdir/tests/tap.sh"

test -e "$FAKE_FOLDER/libcuda.so.1" || skip_all "the CUDA backend is not built"
work=$TRIREME_TEST_STATE/cuda_states
rm -rf "$work"
mkdir -p "$work/box" "$work/text" "$work/other" "$work/cache"
cd "$work" || exit 1
TRIREME_CACHE_DIR=$work/cache
TRIREME_NVRTC=$FAKE_FOLDER/libnvrtc.so
export TRIREME_CACHE_DIR TRIREME_NVRTC
cat >box/case.conf <<'END_OF_CASE'
solver = "lbm";
grid = { nx = 64; ny = 32; };
run = { steps = 200; math = "fast"; roof = false; backend = "cuda"; };
END_OF_CASE
echo "this is not a library" >text/libcuda.so.1
cp "$FAKE_FOLDER/libnvrtc.so" other/libcuda.so.1

# state NAME REASON CURE WORDS [FOLDER]: for `backends -v`, and the same sentence for `run`
state() {
  LD_LIBRARY_PATH=${5:-$FAKE_FOLDER} TRIREME_FAKE_CUDA=$4 "$TRIREME" backends -v >out 2>err || { cat err; return 1; }
  sed -n '/^cuda /,/^ *file: /p' out >cuda
  cat cuda
  grep -q "^cuda  *$1 " cuda || { echo "the state is not: $1"; return 1; }
  grep -Eq "reason: .*$2" cuda || { echo "no reason like: $2"; return 1; }
  grep -Eq "cure: .*$3" cuda || { echo "no cure like: $3"; return 1; }
  grep -q "file: .*/trireme_cuda.so" cuda || { echo "no file"; return 1; }
  grep -q "trireme_cuda.so is loaded: $1" err || { cat err; return 1; }
  fails "$2.*; .*$3" "$4" "${5:-$FAKE_FOLDER}"
}

# fails PATTERN WORDS [FOLDER]: a run ends with 2, one line on stderr, nothing on stdout
fails() {
  rm -rf results
  LD_LIBRARY_PATH=${3:-$FAKE_FOLDER} TRIREME_FAKE_CUDA=$2 timeout 60 "$TRIREME" run box >out 2>err
  code=$?
  cat err
  test $code = 2 || { echo "exit code $code"; return 1; }
  test "$(wc -l <err)" = 1 || { echo "not one line"; return 1; }
  test ! -s out || { echo "a result on standard output:"; cat out; return 1; }
  grep -Eq -e "$1" err || { echo "no match for: $1"; return 1; }
}

ready() {
  rm -rf again
  LD_LIBRARY_PATH=$FAKE_FOLDER TRIREME_FAKE_CUDA=any=1 "$TRIREME" run box --output=again >out 2>err || { cat err; return 1; }
  grep -q 'cuda:0 Fake GPU 0' out
}

check "the fake driver serves" ready
check "a driver that is not a library" state "no driver" "libcuda\.so\.1.*(invalid ELF header|file too short)" \
  "install NVIDIA's driver" "" "$work/text"
check "a libcuda without the driver's functions" state "no driver" "libcuda\.so\.1 has no function cu" \
  "install NVIDIA's driver" "" "$work/other"
check "no device, said by cuInit" state "no device" "CUDA_ERROR_NO_DEVICE" "nvidia-smi lists a GPU" "init=100"
check "no device, by count" state "no device" "CUDA_ERROR_NO_DEVICE" "CUDA_VISIBLE_DEVICES" "devices=0"
check "a driver too old" state "driver too old" "driver is for CUDA 11\.4; CUDA 11\.8" "release 520" "version=11040"
check "a driver older than the compiler" state "driver too old" "NVRTC found is 12\.4" "install NVRTC 11" "version=11080"
check "the toolkit's stub library" state "no driver" "CUDA_ERROR_STUB_LIBRARY" "stubs. out of LD_LIBRARY_PATH" "init=34"
check "a driver half updated" state "broken" "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" "restart the machine" "init=803"
check "a fabric manager that is not running" state "broken" "CUDA_ERROR_SYSTEM_NOT_READY" "nvidia-fabricmanager" "init=802"
check "a compatibility package in the way" state "driver too old" "CUDA_ERROR_COMPAT_NOT_SUPPORTED" \
  "compatibility package" "init=804"
check "a driver that fails without saying why" state "broken" "CUDA_ERROR_UNKNOWN" "nvidia-uvm" "init=999"

TRIREME_NVRTC=$work/nowhere.so
check "no NVRTC" state "missing library" "no NVRTC .*nowhere\.so: cannot open" "TRIREME_NVRTC" ""
TRIREME_NVRTC=$FAKE_FOLDER/libcuda.so.1
check "an NVRTC without the functions" state "missing library" "has no function nvrtc.*11\.2 or newer" "TRIREME_NVRTC" ""
TRIREME_NVRTC=$FAKE_FOLDER/libnvrtc.so

dry() {
  LD_LIBRARY_PATH=$FAKE_FOLDER TRIREME_FAKE_CUDA=devices=0 "$TRIREME" run box --dry-run >out 2>err || { cat err; return 1; }
  grep -q 'backend = "cuda"' out && grep -q "warning: here this case would not run: .*CUDA_ERROR_NO_DEVICE" err
}
check "a dry run warns, and prints the case" dry

check "a device that another process has to itself" fails "CUDA_ERROR_DEVICE_UNAVAILABLE.*wait for it" "retain=46"
check "no memory for the device itself" fails "CUDA_ERROR_OUT_OF_MEMORY.*nvidia-smi shows" "retain=2"
check "no memory for the first field" fails "a grid of [0-9]+ x [0-9]+ cells needs .* are available" "any=1 memory=50000"
check "no memory for a later one" fails "a grid of [0-9]+ x [0-9]+ cells needs .* are available" "any=1 memory=150000"
check "no memory for a recorded sequence" fails "cuGraphInstantiate.*OUT_OF_MEMORY.*nvidia-smi" "any=1 instantiate=2"
check "code that the driver refuses" fails "NVRTC 12\.4 for sm_90: CUDA_ERROR_NO_BINARY_FOR_GPU.*older NVRTC" "any=1 module=209"
check "a launch that is refused" fails "LAUNCH_OUT_OF_RESOURCES.*--group" "any=1 refused_launch=2 refused=701"
for code in 700 702 709 710 714 715 716 717 718 719 214 220; do
  check "a device lost in the middle by error $code" fails "CUDA_ERROR_[A-Z_]* .*device is lost to this process: start the program again" \
    "any=1 fatal_launch=100 fatal=$code"
done
check "a device that the driver gives up" fails "gave the device up: see nvidia-smi.*start the program again" \
  "any=1 fatal_launch=100 fatal=999"
check "a lost device is told in run.json" grep -q '"status": "failed"' results/*/run.json
check "the fake driver serves again" ready
done_testing
