# several_steps.sh - recorded steps that share a launch leave the bits of one step a launch: every kernel
# that steps a field, as strips (3) and as tiles (5), on every backend that is ready. PoCL takes the
# kernel's plain form, so no GPU is needed for that.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/several_steps
rm -rf "$work"
mkdir -p "$work"
cases=$(cd "$srcdir" && pwd)/cases
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF
ready=$("$TRIREME" backends 2>/dev/null | awk '/^[a-z]/ && $2 == "ready" && $1 != "openmp" { print $1 }')
test -n "$ready" || skip_all "no backend but openmp is ready"

# In one batch, unless OPTION says otherwise: a slow machine has shorter ones, too short for a recording.
run() { # FOLDER BACKEND STEPS-PER-LAUNCH CASE OPTION...
  folder=$1 on=$2 several=$3 text=$4
  shift 4
  case $on in *,*) on="--devices=$on" ;; *) on="--backend=$on" ;; esac
  "$TRIREME" run "$cases/$text" "$on" --steps-per-launch="$several" --output="$folder" \
    --formats=none --verbose --steps=130 --batch=130 "$@" >"$folder.log" 2>&1 || { tail -n 5 "$folder.log"; return 1; }
}
print_of() { sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*/\1/p' "$1/run.json"; }
same() { # FOLDER FOLDER
  test -n "$(print_of "$1")" && test "$(print_of "$1")" = "$(print_of "$2")" && cmp "$1/series.csv" "$2/series.csv"
}
# What the log says: the words, or that a GPU's registers do not hold the channel's step, nor any step as
# NVIDIA's OpenCL builds it, which is then done once a launch.
shares() { # FOLDER WORDS
  case $1 in *-opencl-* | channel-*) full="a group needs more registers\|its values do not fit in registers" ;;
    *) full=$2 ;; esac
  grep -q "cells: $2" "$1.log" || grep -q "cells: 1 recorded step a launch: \($full\)" "$1.log" ||
    { grep 'recorded step' "$1.log"; return 1; }
}
at_once() { # FOLDER KERNEL: `launches`, and the `reason` where they are 1, of run.json
  tr -d '\n' <"$1/run.json" | sed -n "s/.*\"at_once\": {[^}]*\"$2\": {\([^}]*\)}.*/\1/p" | tr -s ' '
}
tells() { # FOLDER KERNEL PATTERN
  at_once "$1" "$2" | grep -Eq "$3" || { at_once "$1" "$2"; return 1; }
}
# NAME CASE OPTION... : the same as on openmp; `says` is what the log is to say of 3 and of 5, which is nothing where
# batches are too short for a recording
says_3="3 recorded steps a launch" says_5="[35] recorded steps a launch"
compare() {
  name=$1
  shift
  check "$name: on openmp" run "$name" openmp 1 "$@"
  for backend in $ready; do
    for most in 3 5; do
      eval "words=\$says_$most"
      check "$name: up to $most steps a launch on $backend" run "$name-$backend-$most" $backend $most "$@"
      test "$words" = nothing || check "$name: $words on $backend" shares "$name-$backend-$most" "$words"
      check "$name: the same bits, up to $most on $backend" same "$name" "$name-$backend-$most"
    done
  done
}

compare box driven-box --set grid.nx=160 --set grid.ny=70 --set lbm.obstacles=
for backend in $ready; do
  check "run.json says so on $backend" tells box-$backend-3 lbm_step '"launches": 3|"reason": "a group needs more reg'
done
# Parts of a run, on the only backend but openmp that has them: rows of ghosts for all steps of a launch.
in_parts() { # NAME LIST STEPS-PER-LAUNCH CASE OPTION...
  name=$1 list=$2 most=$3
  shift 3
  check "$name: on $list, up to $most steps a launch" run "$name-$most" "$list" $most "$@"
  check "which are parts" grep -q '"control": "parts"' "$name-$most/run.json"
  check "that do so" grep -q "cells: [35] recorded steps a launch" "$name-$most.log"
  check "with the same bits" same "$name" "$name-$most"
}
case $ready in *opencl*)
  tall="driven-box --set grid.nx=64 --set grid.ny=300 --set lbm.obstacles="
  check "a tall box on openmp" run tall openmp 1 $tall
  in_parts tall opencl:0,opencl:0 3 $tall
  in_parts tall 'opencl:0,opencl:0*1.2,openmp' 5 $tall
  upright() { "$@" channel --set grid.nx=64 --set grid.ny=300 --set bodies.shapes= --set "probes=40 150" --precision=f64; }
  check "a tall channel on openmp" upright run upright openmp 1
  upright in_parts upright opencl:0,opencl:0 3 ;;
esac
# Shapes that someone may ask for: the least of rows, more than there are, ticks and strips that end in the midst of the
# grid, a warp of columns and several.
shapes="3:32x1 3:64x1 3:96x1 5:32x1 5:64x1 7:32x1 9:32x1 3:32x2 5:64x2 3:64x3 3:32x4 3:64x7 3:32x5:tile 7:32x13:tile"
# PoCL compiles each for seconds.
case $ready,${TRIREME_TEST_LONG-} in opencl,) shapes="3:32x1 5:64x1 9:32x1 3:64x3 3:64x7 7:32x13:tile" ;; esac
for backend in $ready; do
  for shape in $shapes; do
    check "a shape of $shape on $backend" run box-$backend-$shape $backend ${shape%%:*} driven-box --set grid.nx=160 --set grid.ny=70 \
      --set lbm.obstacles= --set run.steps_shape=$shape
    check "has these bits too" same box box-$backend-$shape
  done
done
# What the backend chooses by itself: on NVIDIA's OpenCL a launch then does its steps several times where all groups are
# on the device at once.
chosen() { # NAME CASE OPTION...
  name=chosen-$1
  shift
  check "$name: on openmp" run "$name" openmp 1 "$@"
  for backend in $ready; do
    check "$name: as $backend has it" run "$name-$backend" $backend 0 "$@"
    check "$name: the same bits on $backend" same "$name" "$name-$backend"
  done
}
chosen small driven-box --set grid.nx=128 --set grid.ny=128 --set lbm.obstacles= --steps=1003 --batch=1003
chosen small-f64 driven-box --set grid.nx=64 --set grid.ny=45 --set lbm.obstacles= --steps=1003 --batch=1003 --precision=f64
chosen least driven-box --set grid.nx=4 --set grid.ny=13 --set lbm.obstacles= --steps=500 --batch=500
chosen batches driven-box --set grid.nx=64 --set grid.ny=29 --set lbm.obstacles= --steps=500 --batch=77
chosen channel channel --set grid.nx=68 --set grid.ny=30 --set "bodies.shapes=cylinder 20.5 15.5 5" --set probes="40 15" \
  --steps=400 --batch=400
check "and on openmp, of a pass over memory" tells box lbm_step '"launches": ([2-9]|[1-9][0-9])'
check "a run of one step a launch" run one openmp 1 driven-box --set grid.nx=64 --set grid.ny=32 --wavefront=1 \
  --set lbm.obstacles=
check "says why" tells one lbm_step '"launches": 1, "reason": "run.wavefront = 1"'
check "the plainest one" run plain openmp 1 driven-box --set grid.nx=64 --set grid.ny=32 --set lbm.obstacles= \
  --set run.plain_replay=true
check "says why, too" tells plain lbm_step '"launches": 1, "reason": "commands are enqueued one by one'
compare channel channel --set grid.nx=132 --set grid.ny=44 --set bodies.shapes="cylinder 40.5 20.5 6" \
  --set probes="80 20"
compare cylinder cylinder --set grid.nx=96 --set grid.ny=41 --precision=f64 \
  --set bodies.shapes="cylinder 30.5 20.5 6" --set probes="60 20"
# Groups at the first and the last columns, where marked cells are, have fewer rows than others, where these have many:
# a device with many groups at a time needs a higher grid.
case $ready in *cuda*) height=2100 ;; *) height=350 ;; esac
compare wide channel --set grid.nx=640 --set grid.ny=$height --set bodies.shapes= --set probes="80 20"
says_3="1 recorded step a launch: rows are no multiple of 16 bytes" says_5=$says_3
compare odd driven-box --set grid.nx=97 --set grid.ny=33 --set lbm.obstacles=
says_3="[13] recorded" says_5="1 recorded step a launch: the grid has too few rows"
compare flat driven-box --set grid.nx=64 --set grid.ny=3 --set lbm.obstacles=

# A value that is not finite is found at its own step, though that lies within a launch.
says_where() { sed -n "s/.*\(at step [0-9]* .*\)/\1/p" "$1.log" | head -n 1; }
ends_alike() { test -n "$(says_where "$1")" && test "$(says_where "$1")" = "$(says_where "$2")" || { says_where "$1"; says_where "$2"; return 1; }; }
awk 'BEGIN { for (x = 0; x < 48; x++) { print x, 0, 1; print x, 23, 1 }
  for (y = 0; y < 24; y++) { print 0, y, 1; print 47, y, 1 } }' >walls.dat
diverges() { ! run "$@" driven-box --set grid.nx=48 --set grid.ny=24 --set lbm.obstacles="$work/walls.dat" \
  --set lbm.accel=0.9 --set lbm.omega=1.99 --steps=5000 >/dev/null; }
check "a run diverges on openmp" diverges unstable openmp 1
for backend in $ready; do
  for most in 3 5; do
    check "and up to $most steps a launch on $backend" diverges unstable-$backend-$most $backend $most
    check "at the same step, field and cell" ends_alike unstable unstable-$backend-$most
  done
done

# Every kernel in both precisions, odd heights, tails of every length and batches.
every() {
  for precision in f32 f64; do
    for batch in 1 7 64; do
      says_3="[13] recorded steps* a launch" says_5="[135] recorded steps* a launch"
      test $batch -gt 7 || says_3=nothing says_5=nothing
      for steps in 128 129 130 131 132; do
        n=$((steps - 128)) rest="--precision=$precision --batch=$batch --steps=$steps"
        compare "box-$precision-$batch-$steps" driven-box --set grid.nx=$((64 + 4 * n)) --set grid.ny=$((33 + n)) \
          --set lbm.obstacles= $rest
        compare "channel-$precision-$batch-$steps" channel --set grid.nx=$((64 + 4 * n)) --set grid.ny=$((35 + n)) \
          --set bodies.shapes="cylinder 20.5 15.5 5" --set probes="40 15" $rest
        compare "forced-$precision-$batch-$steps" channel --set grid.nx=64 --set grid.ny=$((29 + n)) \
          --set bodies.shapes= --set probes="40 15" --set "body_force=1e-5 0 0" $rest
        compare "cylinder-$precision-$batch-$steps" cylinder --set grid.nx=$((64 + 4 * n)) --set grid.ny=$((35 + n)) \
          --set bodies.shapes="cylinder 20.5 15.5 5" --set probes="40 15" $rest
      done
    done
  done
}
skip_unless_long "every kernel, both precisions, tails of every length, batches of 1, 7 and 64" || every
for backend in $ready; do
  bisected() { "$TRIREME" compare "$cases/driven-box" --on=openmp,$backend --steps-per-launch=3 --bisect --steps=64 \
    --set grid.nx=64 --set grid.ny=33 --set lbm.obstacles= --output="bisect-$backend" >"bisect-$backend.log" 2>&1 ||
    { tail -n 5 "bisect-$backend.log"; return 1; }; }
  check "bisect finds no difference with steps on, on $backend" bisected
done
done_testing
