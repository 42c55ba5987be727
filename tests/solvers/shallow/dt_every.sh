# dt_every.sh - steps of Lax-Friedrichs that share a length (shallow.dt_every) have the same bits for any batch,
# threads, instruction set and backend, also where a wave outruns the length; water is kept; what it cannot do is refused.
. "$srcdir/tests/tap.sh"

workplace dt_every
TRIREME_ROOF=false
export TRIREME_ROOF
# A column of water runs apart: its first waves speed up, and lengths are set before their time.
dam="shallow --set grid.nx=100 --set grid.ny=33 --set grid.dx=10 --set shallow.scheme=lax-friedrichs --set shallow.cfl=1
  --set boundary.north=wall --set boundary.west=wall --set boundary.east=wall --set boundary.south=wall --formats=none"
dam() { # FOLDER OPTION...
  folder=$1
  shift
  rm -rf "$folder"
  ends 0 run $dam --set "initial.surface=x < 300 ? 20 : 0.001" \
    --set "initial.velocity_x=x > 300 ? 0 : -0.05*x" --set shallow.dt_every=8 --steps=100 --output="$folder" "$@"
}
same() { # FOLDER OPTION...
  dam "$@" && test -n "$(print_of first)" && test "$(print_of first)" = "$(print_of "$1")" && cmp first/series.csv "$1/series.csv"
}
# Three steps a launch; one, if the run says that the device lacks the memory for a group of that shape.
at_once() {
  tr -d ' \n' <other/run.json >flat
  grep -q '"shallow_lf_line":{"launches":3}' flat ||
    grep -q '"shallow_lf_line":{"launches":1,"reason":"agroupneedsmore\(sharedmemorythanthereis\|registers\)' flat
}
number() { sed -n "s/^ *\"$2\": *\([-0-9.e+]*\).*/\1/p" "$1/run.json" | head -n 1; }

check "eight steps share a length" dam first --backend=openmp
check "some are set before their time" test "$(number first lengths_set_early | sed 's/\..*//')" -gt 3
check "the key is in run.json" grep -q '"shallow.dt_every": 8' first/run.json
kept() { awk -v v="$(number first volume_change)" 'BEGIN { exit !(v * v < 1e-12) }'; }
check "no water is lost between walls" kept
for batch in 1 7 64; do
  check "the same bits in batches of $batch" same other --backend=openmp --batch=$batch --threads=$((1 + batch % 3))
done
check "with 7 threads" same other --backend=openmp --threads=7
check "without wavefronts" same other --backend=openmp --wavefront=1
check "step by step" same other --backend=openmp --set run.plain_replay=true
backwards() { TRIREME_ISA=reverse same other --backend=openmp --batch=5; }
case " $TRM_ISAS " in
*" reverse "*) check "backwards" backwards ;;
*) skip "backwards" "this build has no reverse instances (configure --with-isa=native,reverse)" ;;
esac
if "$TRIREME" backends 2>/dev/null | grep -q '^opencl *ready'; then
  check "on opencl" same other --backend=opencl --batch=9
  # Items of 2 x 4, 2 x 3, 1 x 4 and 2 x 1 cells; strips and ticks that end in the midst of the grid; rows enough that
  # items take their cells together in two ticks and more, and one by one in others; a bed that no two rows or columns
  # share; and waves so low that no length is set before its time, which would have steps made anew one by one.
  calm="--set grid.ny=270 --set shallow.cfl=0.9 --set shallow.dt_every=3 --steps=240 --batch=120 --set initial.velocity_x=0
    --set initial.surface=6+0.1*sin(x/90)*cos(y/70) --set shallow.bed_formula=sin(x/71)*cos(y/53)+0.001*y"
  check "low waves over an uneven bed" dam first --backend=openmp $calm
  check "none of their lengths is set before its time" test "$(number first lengths_set_early | sed 's/\..*//')" -eq 0
  for shape in 128x8 64x6 32x4 64x7; do
    check "three steps a launch on opencl, in a shape of $shape" \
      same other --backend=opencl $calm --set run.steps_shape=3:$shape
    check "and not one" at_once
  done
  # What is left of a batch behind the long recording: 7 blocks, of which an odd number ends in the other buffer.
  for batch in 3 21 64; do
    check "batches of $batch steps go by blocks as well" same other --backend=opencl $calm --batch=$batch --set run.steps_shape=3:64x6
    check "three steps a launch" at_once
  done
  check "on opencl no warp goes alone" ends 2 run $dam $calm --backend=opencl --set run.steps_shape=3:56x1
  check "and the message says what to give" says 'columns in multiples of 32'
else
  skip "on opencl" "opencl is not ready"
fi
# CUDA: a warp alone. Strips that end in the midst of a leaf, at the end of one, and with one that no leaf begins in; grids
# of a few rows; walls, and edges that let waves out.
if "$TRIREME" backends 2>/dev/null | grep -q '^cuda *ready'; then
  for grid in 400x300 128x96 2048x200 132x6 56x40 1024x1000; do
    ground="--set shallow.bed_formula=sin(x/71)*cos(y/53)+0.001*y"
    test $grid != 400x300 || ground="--set boundary.west=open --set boundary.north=open
      --set shallow.bed_formula=exp(-((x-2000)^2+(y-1400)^2)/1e5)"
    alone="--set grid.nx=${grid%x*} --set grid.ny=${grid#*x} --set shallow.dt_every=3 --steps=240 --batch=120 $ground
      --set shallow.cfl=0.8 --set initial.velocity_x=0 --set initial.surface=6+0.1*sin(x/90)*cos(y/70)"
    check "$grid: one step a launch" dam first --backend=cuda $alone --steps-per-launch=1
    check "$grid: a warp alone takes three" same other --backend=cuda $alone --set run.steps_shape=3:56x1
    check "and not one" at_once
  done
  check "a grid of 2048 x 2048" dam first --backend=cuda $alone --set grid.nx=2048 --set grid.ny=2048 --steps-per-launch=1
  check "has the same bits by default" same other --backend=cuda $alone --set grid.nx=2048 --set grid.ny=2048
else
  skip "a warp alone" "cuda is not ready"
fi
# Up to a time, which cuts the last step; a shared length of one step is the scheme itself.
check "up to a time" dam first --backend=openmp --end-time=10 --steps=1000
check "the same bits in other batches" same other --backend=openmp --end-time=10 --steps=1000 --batch=3
check "each step with a length of its own" dam one --backend=openmp --end-time=10 --steps=1000 --set shallow.dt_every=1
near() { awk -v a="$(number first time)" -v b="$(number one time)" 'BEGIN { exit !(a == b && a > 0) }'; }
check "ends at the same time" near

check "hllc is refused" ends 2 run $dam --set shallow.scheme=hllc --set shallow.dt_every=3 --steps=2
check "with the cure" says 'hllc sets the length of each step; choose shallow.scheme'
check "so are maps" ends 2 run $dam --set shallow.maps=true --set shallow.dt_every=3 --steps=2
check "with theirs" says 'leave it at 1, or leave them out'
done_testing
