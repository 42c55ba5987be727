# cli_study.sh - trireme study: ladders whose implementations agree, sweeps with crossings and efficiency, results that
# are kept as they come, and rows that fail while the others go on.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/cli_study
rm -rf "$work"
mkdir -p "$work/box-40x40" "$work/box-64x64" "$work/ball" "$work/pond"
cd "$work" || exit 1
for n in 40 64; do
  cat >box-${n}x$n/case.conf <<END
solver = "lbm";
grid = { nx = $n; ny = $n; };
run = { steps = 60; };
lbm = { obstacles = "walls.dat"; };
END
  for i in $(seq 0 $((n - 1))); do echo "$i 0 1"; done >box-${n}x$n/walls.dat
done
cp -r box-40x40 box-40x64 && sed -i 's/ny = 40/ny = 64/' box-40x64/case.conf
cat >ball/case.conf <<'END'
solver = "nbody";
run = { steps = 4; };
nbody = { initial = "collapse"; bodies = 300; softening = 0.05; dt = 0.01; picture = 16; };
END
cat >pond/case.conf <<'END'
solver = "shallow";
grid = { nx = 40; ny = 24; dx = 1.0; };
run = { steps = 30; };
shallow = { bed_formula = "-1"; };
initial = { surface = "exp(-((x-20)^2+(y-12)^2)/20)"; };
END

study() { # CODE ARGUMENT...: short runs
  code=$1
  shift
  ends "$code" study "$@" --runs="${RUNS-2}" --seconds=0.001
}
count() { test "$(grep -Ec -e "$1" out)" = "$2" || { cat out; return 1; }; }
kept_has() { tr -d ' \n' <"$1/study.json" | grep -q -e "$2" || { cat "$1/study.json"; return 1; }; }
runs_of() { tr -d ' \n' <"$1/study.json" | sed 's/.*"rows"://' | grep -o '"runs":\[[^]]*\]'; }

# ladders; the costs of the device take a second, so one of them has them, and the whole case in equal
# batches, so that what it counts is the same on a machine with other load
lattice() { # CODE ARGUMENT...
  code=$1
  shift
  ends "$code" study box-40x40 --ladder --on=openmp --threads=2 "$@" --output=lattice --runs=2 --seconds=1 --batch=20
}
check "the ladder of the lattice" lattice 0
check "says first how long it takes" \
  grep -q '11 rows, 22 runs of at most about 1 s: about 22 s, and the start of each; before that, at most about 5 s to verify each row' err
check "has ten implementations equal to the first" count '^[a-z-]+ +[0-9.e+-]+ .* equal$' 10
check "which it has too" count '^copied +[0-9.e+-]+ .* the first$' 1
# an implementation and, below it, what it changes and why that gains, in one line
awk '/^    / { sub(/^ +/, " "); line = line $0; next } { if (line) print line; line = $0 } END { print line }' out >notes
check "and says why" has '^resident .*Saved [-0-9.e]+ [^ ]+s a step: .*unexplained ' notes
check "with counts" \
  has '^resident .*per step: 115 kB in [1-9][0-9.]* transfers before, [0-9.]* bytes in 0.* after: .*\(measured\)' notes
check "of launches" has '^fused .* 6[.0-9]* to 4[.0-9]* commands a step' notes
check "of a copy that is saved" has '^swapped .* 4[.0-9]* to 3[.0-9]* commands a step' notes
check "of serial work" has '^tree .* 1600 to 0 values a step summed by one item' notes
check "of groups whose cells take different paths" has '^selects .* [0-9]+ of 80 to 0 of 0 groups' notes
check "of passes over memory" has '^wavefront .* one pass over memory for 1 recorded step before, for ([2-9]|[1-9][0-9])' notes
check "an implementation for GPUs changes nothing on a processor" \
  has '^several-steps .* This step helps GPUs only; on a processor it changes nothing' notes
check "every line of it is within 79 columns" test "$(awk 'length($0) > 81' out | grep -c "^ ")" = 0
check "is kept" kept_has lattice '"kind":"study".*"ladders":\[{"on":"openmp"'
check "with settings" \
  kept_has lattice '"name":"resident","settings":{"lbm.implementation":"bristol-resident","run.plain_replay":"true"'
check "with the machine" kept_has lattice '"conditions":{"host":{"name":"[^"]'
check "with the case" kept_has lattice '"config":{.*"lbm.omega":'
check "with energy, or why there is none" \
  kept_has lattice '"energy":{"\(joules_per_update":[0-9]\|missing":"[^"]\)'
check "parts and rest" kept_has lattice '"why":\[{"what":"transfers",.*"unexplained_seconds":'
check "ratios with intervals" kept_has lattice '"ratio_interval":\[.*"total_ratio_interval":\['
TRIREME_ROOF=false
export TRIREME_ROOF
check "the ladder of bodies" study 0 ball --ladder --on=openmp --output=bodies
check "has seven implementations" count '^[a-z0-9-]+ +[0-9.e+-]+ .* (equal|the first)$' 7
check "on two devices" study 0 ball --ladder '--on=(openmp,openmp)' --set run.roof=true --output=shared
check "whose costs are those of neither" has 'costs were not measured: several devices share the work'
check "the ladder of a lattice, too" study 0 box-40x40 --ladder '--on=(openmp,openmp)' --output=shared-box
check "with equal bits" count '^[a-z0-9-]+ +[0-9.e+-]+ .* (equal|the first)$' 11
check "and its size" has '^\(openmp,openmp\) \(openmp:0, openmp:0\), 40 x 40 cells:$'
check "the ladder of shallow water" study 0 pond --ladder --on=openmp --output=water
check "whose foot waits for transfers" \
  kept_has water '"row":"watchedonopenmp",.*"cost":{[^}]*"transfers":[1-9]'
check "whose costs were not wanted" \
  has "^The device's costs were not measured: run.roof is false$"
check "the ladder of a gas" study 0 compressible --ladder --on=openmp --steps=20 --set grid.nx=32 --set grid.ny=32 \
  --set initial.velocity_x="sin(6*y)" --output=gas
check "has four implementations" count '^[a-z-]+ +[0-9.e+-]+ .* (equal|the first)$' 4
check "the ladder in fast arithmetic" study 0 box-40x40 --ladder --on=openmp --math=fast --output=fast
check "demands no bits" count '^[a-z-]+ +[0-9.e+-]+ .* not demanded$' 10
check "and says none are equal" count ' equal$' 0
check "f32 and f64 on two devices" study 0 box-40x40 --vary=precision=f32,f64 --on=openmp,openmp --output=widths
check "agree width by width" count '^openmp:0 f(32|64) #2 .* equal in every bit$' 2
check "and not f64 with f32" count '^openmp:0 f64 .* not demanded$' 1
check "which no tolerance is said of" count 'tolerance' 0
check "rows.csv has which of them must agree" sh -c 'grep -c ",false,true,[0-9a-f]*," widths/rows.csv | grep -qx 2 &&
  grep -c ",true,true,[0-9a-f]*," widths/rows.csv | grep -qx 2'
check "as JSON" study 0 pond --ladder --json --output=json
check "that is one document" sh -c 'test "$(head -c 1 out)" = "{" && grep -q "\"rungs\"" out'

# sizes: the case beside it, or the keys of size
check "sizes" study 0 box-40x40 --ladder --sizes=40,64 --output=sizes
check "take the case of that size" has '^openmp \(.*\), 64 x 64 cells:$'
check "and refuse to stretch its files" study 2 box-40x40 --ladder --sizes=48 --output=stretched
check "saying which" grep -q 'the file of lbm.obstacles belongs to this case' err
check "a size by its keys" study 0 ball --sizes=100,200 --vary=nbody.softening=0.05,0.1 --output=balls
check "is what runs" has '^openmp:0 200 .* softening=0.1 '
check "and is kept" kept_has balls '"values":{"nbody.softening":"0.05","size":"200"},"config":{[^}]*"nbody.bodies":200[,}]'
check "a report of it" ends 0 report balls lattice -o page.html
check "has its conditions" grep -q 'Other load' page.md
check "and energy, or why there is none" \
  sh -c "sed -n '/^## Energy/,/^## Fair/p' page.md | grep -Eq '^\\| openmp:0 200.*(powercap|too short)'"

check "its rows are CSV too" \
  grep -q '^row,rung,on,device,size,status,cells,.*,nbody_softening$' balls/rows.csv
check "a line each" grep -q '^"openmp, size 200, nbody.softening=0.1",,openmp,.*,200,finished,40000,.*,0.1$' balls/rows.csv
check "with headings that are names" sh -c '! head -1 balls/rows.csv | grep -q "[^a-z0-9_,]"'

# kept as it comes
before=$(runs_of lattice)
cp lattice/study.json lattice.json
check "a study that is finished" lattice 0
cp out lattice.out
check "is printed each time" lattice 0
check "is not run again" test "$before" = "$(runs_of lattice)"
check "nor its device" sh -c 'diff lattice/study.json lattice.json && diff out lattice.out'
costs() { tr -d ' \n' <"$1/study.json" | grep -o '"\(launch_seconds\|transfer_seconds\|copy_bytes_per_second\|unexplained_seconds\)":[-0-9.e]*' | sed '$d'; }
lacking() { # the last implementation lacks a run: that one is made, and what was measured before stays
  rm -rf open && cp -r lattice open && line=$(grep -n '"runs": \[' open/study.json | tail -1 | sed 's/:.*//') &&
    sed -i "$((line + 1))d" open/study.json && costs open >costs.before &&
    ends 0 study box-40x40 --ladder --on=openmp --threads=2 --output=open --runs=2 --seconds=1 --batch=20 &&
    test "$(runs_of open | sed '$d')" = "$(runs_of lattice | sed '$d')" && test "$(runs_of open)" != "$(runs_of lattice)" &&
    costs open | diff costs.before -
}
check "a ladder that lacks a run keeps what it has" lacking
check "another question in its folder is refused" lattice 2 --set lbm.omega=1.2
check "and said" grep -q 'belongs to another study' err
check "and what was there stands" test "$before" = "$(runs_of lattice)"
mkdir foreign && echo '{"kind": "run"}' >foreign/study.json
check "a foreign file is refused" study 2 box-40x40 --ladder --output=foreign
mkdir damaged && echo '{"kind": "stu' >damaged/study.json
check "a damaged one too" study 2 box-40x40 --ladder --output=damaged
check "with its line" grep -q 'damaged/study.json:1: not JSON' err
mkdir piped && mkfifo piped/study.json
check "a named pipe too" study 2 box-40x40 --ladder --output=piped
check "which is not waited for" grep -q "piped/study.json' is not a regular file" err
long="box-40x40 --on=openmp --vary=lbm.omega=1.1,1.2,1.3 --steps=100000 --set grid.nx=500 --set grid.ny=500 --set lbm.obstacles= --runs=2 --seconds=0.7 --output=long"
"$TRIREME" study $long >out 2>err &
process=$!
for wait in $(seq 600); do # until the first timed run is kept
  grep -sq '"timed_fingerprint": "[0-9a-f]' long/study.json && break
  sleep 0.1
done
kill -TERM $process
wait $process
check "an interrupted study ends with 75" test $? = 75
check "and says how to go on" grep -q 'with --output=long goes on from there' err
first=$(runs_of long | head -1 | tr -d ']')
check "has kept its runs" \
  kept_has long '"rows":\[{"row":"openmp,lbm.omega=1.1",.*"timed_fingerprint":"[0-9a-f]'
check "goes on" ends 0 study $long
check "from there" \
  sh -c 'case "$1" in "$2"*) ;; *) echo "$1 does not begin with $2"; exit 1 ;; esac' - "$(runs_of long | head -1)" "$first"

# a disk that fills
if test -w /dev/full; then
  check "a limit on files ends the study" sh -c 'ulimit -f 12
    "$0" study ball --on=openmp --sizes=100,200 --runs=2 --seconds=0.001 --output=small >out 2>err
    test $? = 2' "$TRIREME"
  check "with the file in the message" grep -q "cannot write 'small/" err
  check "nothing half is left" test "$(find small -name '.*' -type f | wc -l)" = 0
  check "and it goes on when there is room" study 0 ball --on=openmp --sizes=100,200 --output=small
fi

# refused before the first run
refused() {
  pattern=$1
  shift
  ends 2 study "$@" --output=refused || return 1
  test ! -s out && test ! -e refused && grep -Eq -e "$pattern" err || { cat err; return 1; }
}
check "an unknown key" refused "unknown key 'lbm\\.omga'" box-40x40 --vary=lbm.omga=1,1.2
check "a value out of its range" \
  refused '2\.5 is outside its range' box-40x40 --vary=lbm.omega=1,2.5
check "no question" refused 'nothing to study' box-40x40
check "what the implementations set is not varied" refused "^trireme: error: --vary=lbm.implementation: implementation 'copied' of the ladder sets lbm.implementation itself; leave out" \
  box-40x40 --ladder --vary=lbm.implementation=best,bristol-tree
check "nor set" refused "^trireme: error: --set nbody.implementation: implementation 'tiled' of the ladder sets nbody.implementation itself, to tiled; leave it out" \
  ball --ladder --set nbody.implementation=naive
check "nor under its former name" refused "^trireme: error: --set nbody.kernel: implementation 'tiled' of the ladder sets nbody.implementation itself" \
  ball --ladder --set nbody.kernel=naive
check "nor by an option" refused "^trireme: error: --wavefront: implementation '[a-z]*' of the ladder sets run.wavefront itself, to 1" pond --ladder --wavefront=4
check "what a size sets is not varied" refused "^trireme: error: --vary=nbody.bodies: --sizes sets nbody.bodies itself; leave out" \
  ball --sizes=100,200 --vary=nbody.bodies=100,200
check "nor set" refused "^trireme: error: --set nbody.bodies: --sizes sets nbody.bodies itself, to 200; leave it out" \
  ball --sizes=100,200 --set nbody.bodies=100
check "nor what is the size of the cases that a size takes" \
  refused "^trireme: error: --set grid.nx: --sizes takes cases of these sizes; leave out one of the two" \
  box-40x40 --sizes=40,64 --set lbm.obstacles= --set grid.nx=48
check "in either way" refused "^trireme: error: --vary=grid.nx: --sizes takes cases of these sizes; leave out one of the two" \
  box-40x40 --sizes=40,64 --set lbm.obstacles= --vary=grid.nx=48,56
check "a key that is set too is not varied" refused "^trireme: error: --vary=steps: --steps sets run.steps itself; leave out one" \
  ball --steps=5 --vary=steps=5,10
check "a solver whose size --sizes alone gives" study 0 lbm --ladder --sizes=64x48 --steps=4 --on=openmp --output=given
check "has that size" kept_has given '"size":"64x48"'
check "a size of sides that differ" study 0 box-40x40 --sizes=40x64,64 --set lbm.obstacles= --on=openmp --output=sides
check "has its row" has '^openmp:0 40 x 64 '
check "sets each key" kept_has sides '"grid.ny":64'
check "a case beside it has it in its name" study 0 box-40x64 --sizes=64x64,64 --on=openmp --output=beside
check "too many sides" refused "has 3 numbers, and the size of solver 'lbm' has 2" box-40x40 --sizes=4x4x4 --set lbm.obstacles=
check "no size" refused "'big' is not a size" box-40x40 --ladder --sizes=big
check "no seconds" refused '--seconds=0' box-40x40 --ladder --seconds=0
check "a ladder that is none of the case's flow" refused 'this case does not support the ladder: .*bristol-copied.* belongs to lbm.flow = "driven".*--vary=KEY=A,B' \
  lbm --ladder --on=openmp --set lbm.flow=channel --set grid.nx=20 --set grid.ny=20 --steps=4
check "an unknown backend" refused 'opemp.*openmp' box-40x40 --ladder --on=opemp
check "an option of study alone" ends 2 compare box-40x40 --ladder

# a device that fails in the middle, and one that is wrong
TRIREME_BACKEND_PATH=$TRIREME_BACKEND_PATH:${TRIREME%/cli/*}/tests/.libs
export TRIREME_BACKEND_PATH
failing() {
  TRIREME_FAULT_WRAPS=openmp TRIREME_FAULT=launch:400+ study 2 box-40x40 --ladder --on=fault,openmp --output=failing
}
check "a device that fails in the middle ends with 2" failing
check "its rows say so" has '^[a-z-]+ .* failed: '
check "the others go on" count '^[a-z-]+ +[0-9.e+-]+ .* equal$' 11
slow() { # 0.3 s a launch: the 60 steps of the case would take 18 s or more
  TRIREME_FAULT_WRAPS=openmp TRIREME_FAULT=launch:1+ TRIREME_FAULT_DELAY=300000 \
    ends 0 study box-40x40 --on=fault --set run.plain_replay=true --runs=1 --seconds=0.001 --output=slow
}
check "a row that is slow is verified for some seconds" slow
check "which is fewer steps" kept_has slow '"verified_steps":\([2-9]\|1[0-9]\),'
wrong() { TRIREME_FAKE_FLAW=solver study 1 box-40x40 --ladder --on=openmp,fake --output=wrong; }
check "a device that is wrong ends with 1" wrong
check "and is said to differ" has ' DIFFERS'

# known answers: speeds put into a finished study; the same command then prints what follows from them
RUNS=5
check "a sweep over two devices" study 0 ball --on=openmp,fake --sizes=64,128,256,512 --output=known
put() { # FOLDER VALUE...: the speeds of the rows, the same for every run, or A/B/...: by turns
  folder=$1
  shift
  awk -v list="$*" 'BEGIN { split(list, speed, " ") }
    /^  "contenders"/ { rows = 1 }
    /^  "rows"/ { rows = 0 }
    rows && /"runs": \[/ { n++; print; skip = 1; count = 0; next }
    skip && /\]/ { k = split(speed[n], turn, "/")
                    for (i = 1; i <= 5; i++) print turn[(i - 1) % k + 1] (i < 5 ? "," : ""); skip = 0 }
    skip { next }
    { print }' "$folder/study.json" >"$folder/new" && mv "$folder/new" "$folder/study.json"
}
put known 1e9 4e8 1e9 8e8 1e9 1.6e9 1e9 3.2e9
check "with known speeds" study 0 ball --on=openmp,fake --sizes=64,128,256,512 --output=known
check "has its crossing where the speeds cross" has '^- fake:0 .*wins over openmp:0 .*above about 25600 updates a step\.$'
put known 1e9 4e8 1e9 4e8 1e9 5e8 1e9 8e8
check "without one" study 0 ball --on=openmp,fake --sizes=64,128,256,512 --output=known
check "says so" has '^- openmp:0 .*is ahead of fake:0 .*at every size measured'
# ahead, behind, and then medians that noise puts ahead
put known 1e9 2e9 1e9 5e8 1e9 1.05e9/1.05e9/0.9e9 1e9 1.05e9/1.05e9/0.9e9
check "with noise at the largest sizes" study 0 ball --on=openmp,fake --sizes=64,128,256,512 --output=known
check "crosses where a difference was shown" has '^- openmp:0 .*wins over fake:0 .*above about 8192 updates a step; at the 2 largest sizes no difference could be shown'
# one row ahead in four of five rounds, or as fast: not shown
put known 1e9 1e9 1e9 1e9 1e9 1e9 1e9 1e9
check "of equal speeds" study 0 ball --on=openmp,fake --sizes=64,128,256,512 --output=known
check "no device is ahead" has 'no difference could be shown with 90 % confidence at any size'
check "threads" study 0 ball --vary=threads=1,2 --output=threads
put threads 1e9 1.5e9
check "with known speeds" study 0 ball --vary=threads=1,2 --output=threads
check "have their efficiency" has '2 threads run at 1\.5 times the speed of 1 thread \(75 % parallel efficiency\)'
unset RUNS
# An implementation whose series are summed in another order has the same state; one that keeps fewer bits, or takes another method,
# is not compared with others.
check "the ladder of a lattice in three dimensions" study 0 cavity-3d --ladder --on=openmp --set grid.nx=16 --set grid.ny=16 \
  --set grid.nz=16 --output=blocks
check "blocks have the same state" has '^blocks .* equal'
check "16 bits are another flow" has '^16-bit .* not demanded'
done_testing
