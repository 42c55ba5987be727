# cli_run.sh - what a run leaves behind, where its values come from, and its exit codes.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/cli_run
rm -rf "$work"
mkdir -p "$work/box"
cd "$work" || exit 1
printf '32\n16\n20\n10\n0.1\n0.005\n1.85\n' >good.params
printf '3 4 1\n3 4 1\n5 6 1\n' >good.dat
awk 'BEGIN {
  for (x = 0; x < 48; x++) { print x, 0, 1; print x, 23, 1 }
  for (y = 0; y < 24; y++) { print 0, y, 1; print 47, y, 1 }
}' >box/walls.dat
cat >box/case.conf <<'END'
solver = "lbm";
grid = { nx = 48; ny = 24; };
lbm = { obstacles = "walls.dat"; };
run = { steps = 40; roof = false; };
output = { formats = "none"; };
END
TRIREME_ROOF=false
export TRIREME_ROOF

empty() { test ! -s "$1" || { cat "$1"; return 1; }; }
files() { # FOLDER NAME...
  folder=$1
  shift
  for name in "$@"; do
    test -s "$folder/$name" || { echo "$folder/$name is missing or empty"; ls -l "$folder"; return 1; }
  done
}
steps_of() { sed -n 's/^  "steps": \([0-9]*\),$/\1/p' "$1"; }
no_course() { ! grep "==done==\|Elapsed" out; }
print_of() { sed -n 's/^fingerprint  *//p' out; }

# ---- a run of the course's files
check "the course's files run" \
  ends 0 run lbm good.params good.dat --output=a --formats=png,vti,npy,course
check "its lines come first" has '^==done==$' out
check "with the Reynolds number" has '^Reynolds number:		[0-9.]+E[+-][0-9]+$' out
check "and the elapsed times" has '^Elapsed Total time:			[0-9.]+ \(s\)$' out
check "then the speed" has '^speed +[0-9.]+ million lattice updates a second' out
check "with the bandwidth, whose roof was not asked for" \
  has '^bandwidth +[0-9.]+ GB/s; roof not measured: run.roof is false' out
check "and the fingerprint" has '^fingerprint +[0-9a-f]{32}$' out
check "no word on stderr" empty err
check "how its state is kept is in the log" has "checkpoints: the first after 10 minutes, then at intervals chosen by their cost; up to 55[.0-9]* kB, of .* free" a/log.txt
check "the folder holds every file" files a run.json used.conf log.txt series.csv av_vels.dat final_state.dat \
  fields.vti velocity.npy pressure.npy
check "the series has a line a step" test "$(wc -l <a/series.csv)" = 21
check "as has the course's own" test "$(wc -l <a/av_vels.dat)" = 20
check "and its state a line a cell" test "$(wc -l <a/final_state.dat)" = 512
check "nothing temporary is left" test "$(ls -A a | grep -c '^\.')" = 0
first=$(print_of)

check "a case.conf has the name of its folder" \
  ends 0 run box/case.conf --set lbm.flow=geneva --set lbm.speed=0.02 --set lbm.reynolds=20 --set lbm.reynolds_dim=6 \
  --set lbm.obstacles= --set "bodies.shapes=cylinder 12 12 3" --formats=png --fields=speed --output=named
check "in the table" has '^case +box \(lbm\)' out
check "without a course's lines" no_course
check "a number without a unit has none" has '^drag +[0-9.E+-]+$' out

# ---- values and where they come from
check "the used case gives the same run again" ends 0 run a/used.conf --output=b
check "with the same fingerprint" test "$first" = "$(print_of)"
check "a dry run prints the case" ends 0 run box --dry-run
check "with its keys" has 'nx = 48' out
check "and leaves nothing" test ! -e results
cp out dry.conf
check "with an estimate of the time" \
  has '^# time on openmp: [0-9.:]+( s)?, without outputs \(estimated from [0-9]+ steps made now\)$' out
host_bytes() { ends 0 run box --dry-run --json "$@" && sed -n 's/^  "host_bytes": \([0-9.]*\).*/\1/p' out; }
check "what an output takes of the host" has '^# memory of the host for outputs and series: [0-9.]+ [KMG]iB$' out
grows() { # 10 million values of the series, and the same without fields
  none=$(host_bytes --formats=none --steps=10) && more=$(host_bytes --formats=none --steps=10000010) &&
    parts=$(host_bytes --formats=vti,npy --steps=10) && echo "$none $more $parts" && test "$parts" = "$none" &&
    fields=$(host_bytes --formats=course --steps=10) && awk -v a="$none" -v b="$more" -v c="$fields" \
      'BEGIN { exit !(b - a >= 8e7 && (b - a) % 8e7 == 0 && c > a) }'
}
check "with the series in it, and fields that are taken whole" grows
check "what it takes of the device" has '^# memory on openmp: [0-9.]+ [MG]iB$' dry.conf
device_bytes() { ends 0 run "$@" --dry-run --json && sed -n 's/^  "memory_bytes": \([0-9]*\),/\1/p' out; }
is_known() { # SOLVER REALS OPTION...: at least so many reals a cell, and not half as many again
  solver=$1 reals=$2
  shift 2
  bytes=$(device_bytes "$solver" --set grid.nx=512 --set grid.ny=256 --steps=1 "$@") && echo "$bytes" &&
    awk -v b="$bytes" -v n="$reals" 'BEGIN { n *= 512 * 256 * 4; exit !(b > n && b < 1.5 * n) }'
}
check "of the lattice, two sets of populations" is_known lbm 18
check "of shallow water, two states of four numbers and the bed" is_known shallow 9 --set grid.dx=1 --set initial.surface=1
check "one that does not run here" ends 0 run box --dry-run --set run.backend=opencl:99
check "has none" has '^# time on opencl:99: unknown' out
hours() { # the estimate of 1e9 steps is 1000 times that of 1e6
  ends 0 run box --dry-run --json --steps=1000000000 && cp out long.json && ends 0 run box --dry-run --json --steps=1000000 &&
    awk -F'[:,]' '/"seconds"/ { s[++n] = $2 } END { exit !(n == 2 && s[1] > 200 * s[2] && s[1] < 5000 * s[2]) }' long.json out
}
check "which goes with the number of steps" hours
check "another grid than that of its obstacles" ends 2 run box --dry-run --set grid.nx=40
check "is refused with the cure" \
  has "the case has 48 x 24 cells, and lbm.obstacles = .*walls.dat' .* 40 x 24 cells too, or none \(--set lbm.obstacles=\)" err
check "which may be to have them scaled" has "scaled \(--set lbm.obstacles_grid=48x24\)" err
scaled() { # NX NY AWK-PROGRAM: as many cells as by hand, and no other
  awk "$3" box/walls.dat | sort -u >by_hand.dat
  rm -rf fine hand
  ends 0 run box --output=fine --set grid.nx=$1 --set grid.ny=$2 --set lbm.obstacles_grid=48x24 && print_of >print &&
    ends 0 run box --output=hand --set grid.nx=$1 --set grid.ny=$2 --set lbm.obstacles=by_hand.dat && print_of | cmp - print
}
check "in a finer grid each becomes several" scaled 96 48 \
  '{ for (i = 0; i < 2; i++) for (k = 0; k < 2; k++) print 2 * $1 + i, 2 * $2 + k, 1 }'
check "in a coarser one walls stay closed" scaled 24 12 '{ print int($1 / 2), int($2 / 2), 1 }'
check "a grid that is none is refused" ends 2 run box --set lbm.obstacles_grid=48
check "by its key" has 'lbm.obstacles_grid = "48" is not a grid; write its cells along x and y, such as 128x128' err
check "as JSON too" ends 0 run box --dry-run --json --set grid.nx=40 --set lbm.obstacles=
check "with its keys" has '"grid.nx": 40' out
check "and where they come from" has '"grid.nx": "--set grid.nx"' out
check "what it prints runs" ends 0 run dry.conf --output=c
steps() { # EXPECTED ARGUMENT...
  wanted=$1
  shift
  rm -rf d
  ends 0 run box --json --output=d "$@" && test "$(steps_of d/run.json)" = "$wanted"
}
check "the case says 40 steps" steps 40
TRIREME_STEPS=30
export TRIREME_STEPS
check "the environment wins over the case" steps 30
check "--set wins over the environment" steps 20 --set run.steps=20
check "the named option wins over --set" steps 10 --steps=10 --set run.steps=20
check "and says so" has '^trireme: warning: --set run\.steps=20 is not heeded: --steps=10 sets run\.steps too, and counts; leave' err
check "once, and nothing of the variable" test "$(wc -l <err)" = 1
unset TRIREME_STEPS
check "a count with an exponent" steps 10 --steps=1e1
check "precision as other programs name it" steps 10 --steps=10 --precision=double
check "is the precision of the run" grep -q '"run.precision": "f64"' d/run.json
check "times of several units" steps 10 --steps=10 --for=2h30m --checkpoint-every=01:30:00
check "more threads than processors" steps 2 --steps=2 --threads=999
check "are told" has 'warning: openmp: 999 threads take turns on the [0-9]+ processors? of this process; [0-9]+ threads? would each' err
check "as many as there are are not" steps 2 --steps=2 --threads=1
check "by a word" empty err
check "the last of two options wins" steps 12 --steps=11 --steps=12
check "without a word" empty err
check "the same value twice" steps 12 --steps=12 --set run.steps=12
check "is no reason for a word" empty err
check "--json prints run.json itself" cmp out d/run.json

# ---- folders and outputs
check "without --output a folder is numbered" ends 0 run box
check "from 1" files results/box-0001 run.json
shared() { # a run into the folder of one that is not done
  "$TRIREME" run box --steps=2000000000 --output=k >/dev/null 2>&1 &
  pid=$!
  tries=0
  while test ! -s k/used.conf && test $tries -lt 900; do sleep 0.1; tries=$((tries + 1)); done
  ends 2 run box --output=k && has "another run is writing its results to 'k'" err
  result=$?
  kill -TERM $pid
  wait $pid
  test $? = 75 && return $result
}
check "a folder in use is refused" shared
check "and still taken when its run is done" ends 2 run box --output=k
check "and the next run gets the next" ends 0 run box
check "number" files results/box-0002 run.json
check "fields are written on the way" \
  ends 0 run box --every=15 --formats=npy --fields=velocity --output=e
check "at each multiple and at the end" \
  files e velocity-00000015.npy velocity-00000030.npy velocity.npy
check "and only the fields asked for" test ! -e e/pressure.npy
check "looking in between does not change the result" \
  test "$(print_of)" = "$(ends 0 run box --output=f && print_of)"
check "--quiet says nothing but the result" ends 0 run box --quiet --output=g
check "a time alone ends a run whose steps have a fixed length" \
  ends 0 run lbm --set grid.nx=16 --set grid.ny=16 --end-time=5.5 --formats=none --output=timed
check "at the first step that reaches it" test "$(tail -n 1 timed/series.csv | cut -d , -f 1)" = 6
check "neither steps nor a time" ends 2 run lbm --set grid.nx=16 --set grid.ny=16
check "are asked for" has 'does not say when it ends: give it run.steps \(--steps=N\), or a time, run.end_time \(--end-time=T\)' err
check "an idle option is said to be idle" ends 0 run box --group=128x2 --output=idle
check "on stderr" has 'warning: --group: run.group concerns GPUs' err
tile="shallow --steps=2 --set grid.dx=1 --set grid.nx=40 --set grid.ny=40 --set shallow.scheme=lax-friedrichs
  --set shallow.implementation=tile --formats=none"
for shape in 32x32 16x16 10x10; do
  check "a tile of a host takes the shape $shape" ends 0 run $tile --group=$shape --output=tile-$shape
  check_not "and says nothing of it" grep -q 'run.group' err
done
rule="lbm --steps=2 --set grid.nx=256 --set grid.ny=64 --set lbm.implementation=bristol-tree --formats=none"
if "$TRIREME" backends 2>/dev/null | grep -q '^opencl *ready'; then
  # 2^14 cells and 32 groups: r = 9, c = 2; 2^floor(4.5 - 2) = 4, 2^min(ceil(4.5 + 2), 8) = 128
  check "a rule gives the group from the grid's sides" ends 0 run $rule --group=rule:32 --backend=opencl \
    --output=rule
  on_axes() { tr -d ' \n' <rule/run.json | grep -q '"row_group":\[128,4\]'; }
  check "the longer side along the longer axis" on_axes
else
  skip "a rule gives the group from the grid's sides" "opencl is not ready"
fi
check "a rule needs the number of groups" ends 2 run $rule --group=rule:
check "and says which" has "'rule:' is not a rule; write rule:N with N the groups that a GPU holds at once" err
check "a rule needs a grid" ends 2 run nbody --steps=1 --set nbody.dt=0.01 --group=rule:216
check "and says so" has 'is made from grid.nx and grid.ny, and this case gives none; write XxY' err
misspelt() { (export TRIREME_PRECISON=f64 TRIREME_HOME=x && ends 0 run box --output=misspelt); }
check "a variable that is misspelt is said to be none" misspelt
check "with the nearest" has 'warning: TRIREME_PRECISON is no variable of trireme, and is not heeded; the nearest is TRIREME_PRECISION$' err
check "and no other" test "$(grep -c 'is no variable' err)" = 1
check "so are several steps a launch, and their shape" \
  ends 0 run box --backend=openmp --steps-per-launch=3 --set run.steps_shape=3:128x4 --output=idle-steps
check "the number" has 'warning: --steps-per-launch: run.steps_per_launch concerns GPUs, not openmp' err
check "the shape" has 'warning: --set run.steps_shape: run.steps_shape concerns GPUs, not openmp' err

# ---- ends that are not good
unstable="--set lbm.omega=1.99 --set lbm.accel=0.9 --steps=5000"
check "a run that diverges ends with 3" ends 3 run box $unstable --output=h
check "names step, field and cell" \
  has "at step [0-9]+ field 'populations', component [0-8], is -?(inf|nan) in cell \([0-9]+, [0-9]+\)" err
check "in one line, behind the warning" test "$(grep -vc 'lbm.accel = 0.9 would drive' err)-$(wc -l <err)" = 1-2
check "prints no result" empty out
check "and keeps series, log and the reason" files h series.csv log.txt run.json
check "as a diverged run" has '"status": "diverged"' h/run.json
cp err first.err
check "the batch size does not change" ends 3 run box $unstable --batch=7 --output=h7
check "where it is found" cmp err first.err
check "in a comparison too" ends 3 compare box $unstable --on=openmp --runs=1
check "with the backend's name" has 'on openmp: the run diverged' err
check "and what to change" has 'with these parameters; (make|lower) ' err
# the only series are of a probe in the middle, which sees at step 278 what began in a corner by step 264
corner="lbm --set grid.nx=48 --set grid.ny=32 --set lbm.flow=channel --set lbm.omega=1.99 --set boundary.west=wall --set boundary.east=wall"
corner="$corner --set boundary.north=moving --set lbm.wall_speed=0.1 --set run.roof=false"
for how in --formats=none '--formats=none --every=7' '--formats=none --batch=1' --formats=npy '--formats=npy --every=13'; do
  rm -rf corner
  check "what no series has seen at the end, $how" ends 3 run $corner --steps=270 $how --output=corner
  check "is told with its cell, $how" has "at step (26[0-9]|270) field '[a-z]+'.* is -?nan in cell " err
  check "as a diverged run, $how" has '"status": "diverged"' corner/run.json
done
# checkpoints of each step: the last one that is kept is of finite values alone
rm -rf corner
check "a checkpoint of what no series has seen" ends 3 run $corner --steps=277 --formats=none --batch=1 \
  --checkpoint-every=0.000001s --output=corner
check "is none, and the one before it stays" has \
  "at step (26[0-9]|270) field '[a-z]+'.* is -?nan in cell .*; the checkpoint of step 2[5-7][0-9] is kept$" err
kept=$(sed -n 's/.*the checkpoint of step \([0-9]*\) is kept$/\1/p' err)
check "the newest on the disk" test "$(ls corner/checkpoint | sort | sed -n 's/^step-0*//p' | tail -n 1)" = "$kept"
check "which is whole" ends 0 resume corner --dry-run
check "what it begins with is finite" ends 0 run $corner --steps=250 --formats=none --output=corner0
check "no comparison is made of it" ends 3 compare $corner --steps=270 --on=openmp --runs=1
fast="--set grid.nx=16 --set grid.ny=16 --set initial.velocity_x=20 --set initial.velocity_y=20"
fast="$fast --set initial.density=1+0.2*sin(2*pi*(x+y))+0.001*cos(2*pi*(3*x-5*y)) --steps=20"
check "gas whose pressure is negative while all is finite" ends 3 run compressible --precision=f64 $fast \
  --set initial.pressure=0.7142857 --set compressible.slopes=van-albada --output=h8
check "is told with its cell" has "at step [0-9]+ field '(pressure|density)' is -[0-9.]+ in cell " err

disk_is_full() { # files of at most 2 KiB
  ( trap '' XFSZ; ulimit -f 4; "$TRIREME" run lbm good.params good.dat --output=i >out 2>err )
  code=$?
  cat err
  test $code = 2 && grep -q "cannot write 'i/" err
}
check "a full disk at the end is reported with 2" disk_is_full
check "and leaves no half file" test ! -e i/final_state.dat

interrupted() {
  "$TRIREME" run box --steps=2000000000 --threads=2 --roof=true --output=j >out 2>err &
  pid=$!
  tries=0
  while test ! -s j/used.conf && test $tries -lt 900; do sleep 0.1; tries=$((tries + 1)); done
  sleep 0.3
  kill -TERM $pid
  wait $pid
  code=$?
  cat err
  test $code = 75 && grep -q '"status": "stopped"' j/run.json
}
check "an interrupted run ends with 75 and its results" interrupted
check "without a roof, for which nobody would wait" has 'roof not measured: the run was interrupted' out
check "which say where it stopped" has 'stopped by the user after step [0-9]+' err
# One thread: a step of more waits for each of them where other tests hold the processors, so that a
# batch which was to take 0.1 s takes minutes, and nobody looks at the signal meanwhile. SIGTERM, since
# a shell's child in the background ignores SIGINT. A folder with used.conf means that it listens.
interrupted_comparison() {
  "$TRIREME" compare box --steps=2000000000 --on=openmp --threads=1 --output=stop "$@" >out 2>err &
  pid=$!
  tries=0
  while test ! -s stop/used.conf && test $tries -lt 600; do sleep 0.1; tries=$((tries + 1)); done
  kill -TERM $pid
  tries=0
  while kill -0 $pid 2>/dev/null && test $tries -lt 600; do sleep 0.2; tries=$((tries + 1)); done
  kill -KILL $pid 2>/dev/null
  wait $pid
  code=$?
  cat out err
  test $code = 75 && test ! -s out || { echo "exit code $code"; return 1; }
}
check "an interrupted comparison ends with 75 and no result" interrupted_comparison
check "a result that cannot be printed is a failure" \
  test "$("$TRIREME" devices 2>err >/dev/full; echo $?)" = 2

# ---- times
steady="nbody --set nbody.bodies=32 --set nbody.dt=0.001 --formats=vti --set run.roof=false"
free="shallow --set grid.nx=24 --set grid.ny=16 --set grid.dx=1 --set initial.surface=1 --formats=none"
entries() { # FOLDER STEP COUNT: lines of fields.pvd for the fields of that step
  test "$(grep -c "fields-0*$2\.vti" "$1/fields.pvd")" = "$3" || { cat "$1/fields.pvd"; return 1; }
}
for time in 1e-4 1e-12 1e-30; do
  check "fields wanted each $time of a step of 1e-3" ends 0 run $steady --steps=3 --every-time=$time --output=often$time
  check "are written once a step" entries often$time 1 1
  check "to the last but one" entries often$time 2 1
done
check "fields wanted each two steps" ends 0 run $steady --steps=5 --every-time=0.002 --output=second
check "are not written at the first" entries second 1 0
check "but at the second" entries second 2 1
check "and the fourth" entries second 4 1
for key in run.end_time output.every_time; do
  for time in 1e39 1e-39; do
    check "$key=$time in f32" ends 2 run $free --steps=3 --set $key=$time --output=beyond
    check "is refused with the range" has "$key is .*, and a time in f32 lies between" err
  done
  check "$key=1e39 in f64" ends 0 run $free --steps=3 --set $key=1e39 --precision=f64 --output=within-$key
  check "is a time" has "\b3 (of 3 )?steps" out
done

check "series that no machine has room for" \
  ends 2 run lbm --set grid.nx=3 --set grid.ny=3 --steps=8000000000000000 --output=endless
check "are refused with both numbers" has 'the series [0-9.]+ GiB and .* [0-9.]+ GiB, [0-9.]+ GiB are available' err

# ---- listings
for command in backends devices solvers; do
  check "$command" ends 0 $command
  check "$command --json" ends 0 $command --json
  check "has a schema" has '"schema": 4' out
done
check "the openmp device is listed" ends 0 devices
check "by the name that --backend takes" has '^openmp:0 ' out
check "with what it does with recorded steps" has '^openmp:0  several in one pass over memory' out
strange=$(printf 'x\033[2Jy')
plain() { ends 0 run lbm --set grid.nx=8 --set grid.ny=8 --steps=2 --output="$strange" "$@" && test "$(tr -dc '\033' <out | wc -c)" = 0; }
check "a folder's name holds no sequence for the terminal" plain --dry-run
check "nor does it in the table" plain
check "no colour without a terminal" test "$("$TRIREME" backends | tr -dc '\033' | wc -c)" = 0
check "help" ends 0 run --help
keys_of_each() { # help of a command tells every key of the solver that is named, by itself or by a case
  "$TRIREME" solvers --json | tr -d ' \n' | sed 's/"name":/\n/g' | sed -n 's/^"\([a-z0-9]*\)","summary.*/\1/p' >names
  echo >>names # the last line may have no end
  test "$(grep -c . names)" -ge 5 || { cat names; return 1; }
  for name in $(cat names); do
    ends 0 run "$name" --help || return
    "$TRIREME" solvers "$name" | sed -n '/Keys of a case:/,/Keys of every case:/s/^  \([a-z0-9]*[.][a-z0-9_.]*\) .*/\1/p' >keys
    test -s keys || { echo "no keys of $name"; return 1; }
    while read -r key; do grep -q "^  $key " out || { echo "nothing of $key"; return 1; }; done <keys
  done
}
check "with a solver it has all keys of that" keys_of_each
check "with a case those of its solver" ends 0 study box --help
check "too" has '^  lbm.omega ' out
check "with neither it ends with 2" ends 2 run nowhere --help
check "names every option" has '--wavefront=N' out
check "help of the program" ends 0 --help
check "version" ends 0 --version
# the file holds what was printed
kept_alike() {
  kept=$(sed -n "s/^trireme: kept for 'trireme run --profile': //p" err)
  test -n "$kept" && best=$(packed | sed 's/.*"fma_f32":{[^}]*"most":\([^,]*\),.*/\1/') &&
    tr -d ' \n' <"$kept" | grep -q "\"fma_f32\":{[^}]*\"most\":$best,"
}
check "bench of one backend" ends 0 bench --on=openmp --runs=1 --json
check "measures a copy" has '"copy_bytes_per_second": [1-9]' out
check "and launches" has '"launch_recorded_seconds": \{' out
for figure in triad read nine_stream copy_of_1_mib copy_of_64_mib fma_f32 fma_f64 to_device from_device; do
  check "and $figure" json_has "\"$figure\":{\"least\":[1-9]"
done
check "keeps them" kept_alike
unkept_bench() { TRIREME_CACHE_DIR=/proc/none ends 0 bench --on=openmp --runs=1 && has 'GFLOP/s' out; }
check "where they cannot be kept, they are shown" unkept_bench
check "with the reason" has 'the figures are not kept: there is no cache folder' err
done_testing
