# tune.sh - `trireme tune` takes what is faster, never what has other bits, and later runs use it and say so.
. "$srcdir/tests/tap.sh"

workplace tune
silent() { ! grep -q 'tuned' err || { cat err; return 1; }; }
case_of="plant --steps=256 --set grid.nx=100 --set grid.ny=80"
run() { rm -rf run; ends 0 run $case_of --formats=none --output=run "$@"; }

check "a run before" run --backend=openmp
check "is not tuned" silent
before=$(print_of run)
# Nine runs: an interval that one run beside a busy neighbour does not decide; and once more where several did,
# of the value or of all together. No value is taken where all together gain nothing.
tuned() {
  for again in 1 2 3 4; do
    ends 1 tune $case_of --device=openmp --runs=9 || return 1
    ! grep -q '^Together ' out || return 0
    ! grep ' taken$' out | grep -v 'never taken$\|but not taken$' || return 1
  done
}
check "a broken promise ends with 1" tuned
check "and is never taken" has '^plant\.form +lying +- +- +DIFFERS: never taken$'
check "what is faster is taken" has '^plant\.form +plain .* taken$'
check "threads and wavefront are tried" has '^run\.wavefront +16 '
check "the gain is said" has '^Together [0-9.]* times the default.s speed'
check "a run after" run --backend=openmp
check "uses it and says so" \
  says 'tuned for this device: .*plant\.form=plain.*--no-tuned leaves it out'
check "with the same bits" test "$(print_of run)" = "$before"
check "and tells it in used.conf" grep -q 'form = "plain"' run/used.conf
check "--no-tuned" run --backend=openmp --no-tuned
check "leaves it out" silent
check "with the same bits again" test "$(print_of run)" = "$before"
check "a key that is set" run --backend=openmp --set plant.form=idle
check "stands" grep -q 'form = "idle"' run/used.conf
check "another precision" run --backend=openmp --precision=f64
check "is another matter" silent
check "so is another size" run --backend=openmp --set grid.nx=400
check "which is not tuned" silent

# a comparison takes them where it is asked to, for each side its own
side() { # COLUMN: that of the first row in the table of speeds
  sed -n '/^Speed/,/^Agreement/s/^openmp:0.* \([a-z]*\)$/\1/p' out | head -n 1
}
tuned_pair() { (COLUMNS=200; export COLUMNS; ends 0 compare $case_of --on=openmp,openmp --runs=1 "$@"); }
check "a comparison" tuned_pair --output=plain
check "takes no tuned value by itself" grep -q '"used": false' plain/compare.json
check "with --tuned" tuned_pair --tuned --output=sides
check "each side is tuned" test "$(side)" = yes
check "with its own values" test "$(grep -c '"plant.form": "plain"' sides/compare.json)" = 2
check "and the same bits" grep -q '"agrees": true' sides/compare.json
check "the case itself is as it was" test "$(grep -c '"plant.form": "plain"' plain/compare.json)" = 0
repeated() { # what "repeat" names, with another folder
  command=$(sed -n 's/^ *"repeat": "trireme \(.*\)",*$/\1/p' sides/compare.json)
  eval "ends 0 $command --output=again" && test "$(grep -c '"plant.form": "plain"' again/compare.json)" = 2
}
check "the command that repeats it does" repeated
check "a side without values" ends 0 compare $case_of --precision=f64 --on=openmp --runs=1 --tuned --output=none
check "is said to have none" grep -q '"kept": false' none/compare.json
check "another question" ends 2 compare $case_of --on=openmp,openmp --runs=1 --output=sides
check "has another folder" says 'belongs to another comparison'

check "a key that is set is not searched" \
  ends 0 tune $case_of --device=openmp --set plant.form=plain --json
check "as JSON tells" has '"not_searched": "plant.form=plain"'
run_tuned() { ends 1 tune $case_of --device=openmp --quiet; }
check "tuned once more" run_tuned
file=$(ls cache/tuned-*.json)
spoil() { # WORDS SED-SCRIPT
  cp "$file" kept && sed -i "$2" "$file" && run --backend=openmp && says "$1" && mv kept "$file"
}
check "it is about this text of the kernels" \
  grep -Eq '"conditions": ".*; text [0-9a-f]{16}"' "$file"
check "a file that is not JSON is named" \
  spoil 'is not used: it is not JSON; run that again, or remove the file' '1s/{/(/'
check "of another format" spoil 'it is of another format' 's/"format": 1/"format": 7/'
check "about another device" \
  spoil 'it is about another device or solver' 's/"conditions": "openmp/"conditions": "openmq/'
check "a key that may change results" \
  spoil 'kept the key plant.step: ignored: it no longer exists, or may change results' 's/"values": {/&"plant.step": "3",/; s/,}/}/'

# an interrupt at some launch: the values that it hits are neither broken promises nor kept
use_fault() {
  TRIREME_BACKEND_PATH=$build/tests/.libs:$build/backend-openmp/.libs
  TRIREME_FAULT_WRAPS=openmp
  export TRIREME_BACKEND_PATH TRIREME_FAULT_WRAPS
}
tune_fault() { (use_fault; ends "$1" tune $case_of --device=fault --set plant.form=plain --quiet); }
check "tuned on another device" tune_fault 0
for kept in cache/tuned-*.json; do test "$kept" = "$file" || break; done
cp "$kept" kept
interrupted() { TRIREME_FAULT=launch:$1 TRIREME_FAULT_SIGNAL=2 tune_fault 75; }
for launch in 2 40 60 80 100 300; do
  check "an interrupt in launch $launch stops tune" interrupted $launch
  check "and leaves what was kept" cmp kept "$kept"
done

check "a lattice" ends 0 tune lbm --steps=16 --set grid.nx=32 --set grid.ny=32 --set run.wavefront=8 \
  --set run.threads=1 --device=openmp
check "has values of other flows, which are named in a line" \
  has '^Refused, and so not tried: lbm.implementation=fused, lbm.implementation=split$'
check "and no wide table" \
  test "$(grep '^[a-z]*\.' out | awk '{ print length }' | sort -n | tail -1)" -lt 80
check "tiles of moments" ends 0 tune lbm3d --steps=8 --set grid.nx=32 --set grid.ny=16 --set grid.nz=64 \
  --set lbm.viscosity=0.02 --set lbm.storage=moments --set lbm.collision=regularised \
  --set run.wavefront=1 --set run.threads=1 --device=openmp
check "are tried in every shape" test "$(grep -c '^lbm\.tile  ' out)" = 8
check "and depth" test "$(grep -c '^lbm\.tile_depth  ' out)" = 6
check_not "though no other program is built for it" has '^lbm\.tile_depth .*builds the same'

check "a device that there is not" ends 2 tune $case_of --device=opemp
check "is answered with the nearest" says 'did you mean "openmp"'
no_folder() { TRIREME_CACHE_DIR=/proc/none ends 2 tune $case_of --device=openmp; }
check "no folder to keep it in" no_folder
check "is said before anything runs" \
  says 'there is no cache folder to keep the result in; set TRIREME_CACHE_DIR'
check "few runs are refused" ends 2 tune $case_of --device=openmp --runs=4
check "with the reason" says 'fewer than 5 runs tell no difference from noise'
check "--no-tuned is run's" ends 2 tune $case_of --no-tuned
if "$TRIREME" backends 2>/dev/null | grep -q '^opencl *ready'; then
  check "shapes of groups on opencl" \
    ends 0 tune $case_of --steps=32 --device=opencl --set plant.form=plain
  check "are tried" has '^run\.group +64x2 '
  check "but for the one that is the default" has '^run\.group .* builds the same$'
  lattice="lbm --steps=256 --set grid.nx=64 --set grid.ny=48 --set run.group=128x1 --set lbm.implementation=best"
  rm -f cache/tuned-*.json
  check "a lattice on opencl with nothing left to search" \
    ends 0 tune $lattice --device=opencl --set run.steps_shape=3:64x2
  kept=$(ls cache/tuned-*.json)
  sed -i 's/"values": {}/"values": {"run.steps_shape": "3:32x2"}/' "$kept"
  on_opencl() { rm -rf run; ends 0 run $lattice --backend=opencl --formats=none --output=run "$@"; }
  check "a run after, where a form of several steps was kept" on_opencl
  check "uses it and says so" says 'tuned for this device: run\.steps_shape=3:32x2'
  check "with three steps a launch" sh -c 'tr -d " \n" <run/run.json | grep -q "\"lbm_step\":{\"launches\":3}"'
  check "a run of one step a launch" on_opencl --steps-per-launch=1
  check "leaves it out" silent
  check "a form that is none is refused" ends 2 run $lattice --backend=opencl --set run.steps_shape=3:40x2
  check "with what to give" says 'columns in multiples of 32'
  check "one of other steps too" ends 2 run $lattice --backend=opencl --set run.steps_shape=3:32x2 --steps-per-launch=5
  check "with both" says "has 3 steps, run.steps_per_launch is 5"
  check "one that no device holds too" ends 2 run $lattice --backend=opencl --set run.steps_shape=3:512x8
  check "with the items" says 'items, and 1024 are the most'
  skip_unless_long "forms of several steps a launch are tried" || {
    check "forms of several steps a launch" ends 0 tune $lattice --device=opencl --steps-per-launch=3
    check "are tried" has '^run\.steps_shape +3:32x2 '
    check "but for those of other steps" has '^Refused, and so not tried: run.steps_shape=5:64x4'
  }
else
  skip "shapes of groups on opencl" "opencl is not ready"
fi
done_testing
