# cli_vary.sh - compare --vary: every combination of values runs, keys that promise the same result are held
# to it, others are shown, and what is wrong is refused before the first run.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/cli_vary
rm -rf "$work"
mkdir -p "$work/box" "$work/ball" "$work/shared"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF
cat >box/case.conf <<'END'
solver = "lbm";
grid = { nx = 40; ny = 24; };
run = { steps = 150; };
END
sed 's/steps = 150;/steps = 20; devices = "openmp,openmp";/' box/case.conf >shared/case.conf
cat >ball/case.conf <<'END'
solver = "nbody";
run = { steps = 12; };
nbody = { initial = "collapse"; bodies = 300; softening = 0.05; dt = 0.01; picture = 16; };
END

# with a variable that names the device of a case
elsewhere() { (TRIREME_BACKEND=cdua; export TRIREME_BACKEND; ends 2 "$@"); }
shared() { (TRIREME_DEVICES=openmp,openmp; export TRIREME_DEVICES; ends 0 "$@"); }
named_width() { sed -n 's/.*Show them with COLUMNS=\([0-9]*\) or .*/\1/p' out | sort -n | tail -n 1; }
wide_enough() { # times of another run may have more digits: then that one names its own width
  columns=$(named_width)
  test "$columns" -gt 79 || { cat out; return 1; }
  for again in 1 2 3; do
    (COLUMNS=$columns; export COLUMNS; ends 0 compare box --on=openmp --runs=1) || return 1
    grep 'Hidden columns' out || return 0
    columns=$(named_width)
  done
  return 1
}
prints() { grep -oE ' [0-9a-f]{32} ' out | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' '; }

check "threads, batches and wavefronts" \
  ends 0 compare box --vary=threads=1,2 --vary=batch=7,0 --vary=wavefront=1,5 --runs=1
check "all have one fingerprint" test "$(prints)" = "8 "
check "and the title says what they share" \
  has '^case box \(lbm\): 40 x 24 cells, 150 steps, f32, strict$'
check "the last key turns fastest" \
  test "$(sed -n '/^Agreement/,$s/^openmp:0 threads=\(.\) batch=\(.\) wavefront=\(.\) .*[0-9a-f]\{32\}.*/\1\2\3/p' out | tr '\n' ' ')" = "171 175 101 105 271 275 201 205 "
check "every kernel of a solver" \
  ends 0 compare ball --vary=nbody.implementation=naive,tiled,tiled-unroll2,tiled-unroll4,tiled-unroll8,targets2,targets4,best --runs=1
check "has one fingerprint too" test "$(prints)" = "8 "
check "they agree in every bit" has '^- ok: All results that must be identical are identical, bit for bit\.$'

lines_of() { # LINES ARGUMENT...: in brief
  lines=$1
  shift
  ends 0 compare box --runs=1 --brief "$@" && test "$(wc -l <out)" = "$lines" || { cat out; return 1; }
}
widest() { test "$(awk '{ if (length > most) most = length } END { print most + 0 }' out)" -le 79 || { cat out; return 1; }; }
check "in brief two are five lines" lines_of 5 --vary=threads=1,2
check "that fit a terminal" widest
check "three too" lines_of 5 --vary=threads=1,2 --vary=wavefront=1,5,7
check "and six, of which the others are counted" has '^- openmp:0 threads=[12] wavefront=[157] [0-9.]+ ~, [0-9] more$'
check "sizes too" lines_of 5 --vary=grid.nx=48,64,80
check "without a ratio of one to itself" has '^- openmp:0 64 x 24: [0-9.]+ M updates/s$'
check "of which the others are counted" has '^- 1 more$'
check "one row of each size" lines_of 5 --vary=grid.nx=48,64 --vary=threads=1,2
check "has its ratio to the first of its size" has '^- openmp:0 .*64 x 24.*threads=2 [0-9.]+( ~)?, 1 more$'
check "two of which nothing can be compared" lines_of 5 --vary=grid.nx=48,64
check "are not marked as good" has '^- unknown: no results to compare, 1 may differ$'
check "six again" lines_of 5 --vary=threads=1,2 --vary=wavefront=1,5,7
check "with the agreement" has '^- warning: identical, bit for bit; not fair in [0-9]* respects?: see without --brief$'

# the processor's side, kept to some cores
cores=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))' 2>/dev/null || nproc)
unasked() { (unset OMP_NUM_THREADS; ends "$@"); }
check "a core" unasked 0 compare box --on=openmp --runs=1 --cpu-cores=1 --output=one
check "has a thread" grep -q '"threads": 1' one/compare.json
check "and it is said" has "the processor's side had 1 core of the machine's .* as asked for by --cpu-cores"
check "more than there are" ends 2 compare box --on=openmp --runs=1 --cpu-cores=$((cores + 1))
check "are refused" says "this process may use [0-9]* cores?; give at most so many"
check "and fewer than the threads" ends 2 compare box --on=openmp --threads=2 --runs=1 --cpu-cores=1
check "are too" says 'too few cores for run.threads = 2'
crowded() { (OMP_NUM_THREADS=2; export OMP_NUM_THREADS; ends "$@"); }
check "so are those of OMP_NUM_THREADS" crowded 2 compare box --on=openmp --runs=1 --cpu-cores=1
check "with the cure" says 'too few cores for OMP_NUM_THREADS=2; unset it, or leave out the option$'
check "which run.threads replaces" crowded 0 compare box --on=openmp --threads=1 --runs=1 --cpu-cores=1
check "no number is none" ends 2 compare box --cpu-cores=many

check "a variable names the case's own device" \
  elsewhere compare box --vary=batch=7,0 --runs=1
check "by its name" says "TRIREME_BACKEND: there is no backend \"cdua\".*did you mean \"cuda\""
check "in a study too" elsewhere study box --vary=batch=7,0 --runs=1
check "and for its settings" elsewhere tune box
check "or several" shared compare box --vary=batch=7,0 --runs=1
check "which share each run" has '^devices:2 openmp,openmp batch=7 '
check "but none where others are named" shared compare box --on=openmp --runs=1
check "they have all" has '^openmp:0 '
check "the line below a narrow table names a width that has room for it" wide_enough

check "precision, whose results may differ" ends 0 compare ball --vary=precision=f64,f32 --runs=1
check "has two fingerprints" test "$(prints)" = "1 1 "
check "shows the differences" has '^openmp:0 f32  *position  *9[0-9][0-9] '
check "without a verdict" test "$(grep -c 'position.*agrees\|position.*DIFFERS' out)" = 0
check "by steps for series" has '^openmp:0 f32  *kinetic  *1: .* 10: .* 12: '
check "and says that nothing was demanded" has '^- 1 of the results may differ: they have another value of a key that changes the result'
check "both kinds of key together" \
  ends 0 compare ball --vary=nbody.implementation=tiled,naive --vary=precision=f64,f32 --runs=1
check "are held to their own" test "$(prints)" = "2 2 "
check "the promise is checked" \
  test "$(grep -c '[0-9a-f]  equal in every bit' out)" = 2
check "and said" has '^- ok: All results that must be identical are identical, bit for bit\.$'
check "a grid" ends 0 compare box --vary=grid.nx=40,50 --runs=1
check "whose shapes cannot be compared, of which nothing is demanded" \
  has '^openmp:0 50 x 24  *[0-9a-f]+  not demanded'
check "steps" ends 0 compare ball --vary=run.steps=5,10 --runs=1
check "are told apart by their number" has '^openmp:0 steps=10 .* not demanded'
check "as JSON" ends 0 compare ball --vary=precision=f64,f32 --vary=threads=1,2 --runs=1 --json
check "with the keys" \
  json_has '"varied":\[{"key":"run.precision","same_result":false,"values":\["f64","f32"\]},{"key":"run.threads","same_result":true,'
check "the values of each run" json_has '"values":{"run.precision":"f32","run.threads":"2"}'
check "its reference" json_has '"reference":2,"must_agree":true,"agrees":true'
check "no verdict where none is due" json_has '"name":"position","series":false,"agrees":null'
check "no units in the last place between precisions" json_has '"ulp":null'
check "and the growth of the differences" json_has '"growth":\[{"step":1,'
awk 'BEGIN { for (x = 0; x < 40; x++) { print x, 0, 1; print x, 23, 1 }
  for (y = 0; y < 24; y++) { print 0, y, 1; print 39, y, 1 } }' >walls.dat
unstable="--set lbm.obstacles=walls.dat --set lbm.accel=0.9 --steps=3000"
check "a value with which the run diverges" \
  ends 3 compare box $unstable --vary=lbm.omega=1.99,0.4 --runs=2
check "has a line that says where" has '^- warning: on openmp, lbm.omega=1\.99: the run diverged: at step [0-9]+ field .* in cell '
check "beside the line of the other" has '^openmp:0 omega=0\.4 +[0-9]'
check "which was compared with nothing" \
  has ', and has no result to compare$'
check "and stderr says it too" grep -q 'lbm.omega=1.99: the run diverged' err
check "as JSON" ends 3 compare box $unstable --vary=lbm.omega=1.99,0.4 --runs=1 --json
check "with the reason" json_has '"diverged":"onopenmp,lbm.omega=1.99:therundiverged'
check "and no speed" json_has '"updates_per_second":{"least":null'
check "the backend as a key" ends 0 compare box --vary=backend=openmp,openmp:0 --runs=1
check "where the case has devices of its own" \
  ends 0 compare shared --vary=backend=openmp,openmp:0 --runs=1
check "it runs on the backend alone" has '^openmp:0 '
check_not "and on no other" has '^devices:2'
check "a variable is what a key of no other value has" \
  sh -c 'TRIREME_PRECISION=f64 "$TRIREME" compare box --vary=precision=f32,f64 --runs=1 >out 2>err'
check "devices and values" ends 0 compare box --on=openmp,openmp --vary=threads=1,2 --runs=1
check "make four runs" test "$(prints)" = "4 "
check "a value with commas in brackets" \
  ends 0 compare shallow --set grid.nx=8 --set grid.ny=8 --set grid.dx=1 --steps=2 --runs=1 --set shallow.bed_formula=-1 '--vary=initial.surface=max(0.1,x/99),0'
check "is one value" has '^openmp:0 surface=max\(0\.1,x/99\) '

# what a promise is worth: a backend of the tests whose arithmetic is wrong
TRIREME_BACKEND_PATH=$TRIREME_BACKEND_PATH:${TRIREME%/cli/*}/tests/.libs
TRIREME_FAKE_FLAW=solver
export TRIREME_BACKEND_PATH TRIREME_FAKE_FLAW
check "a broken promise ends with 1" \
  ends 1 compare box --vary=backend=openmp,fake --vary=precision=f32,f64 --runs=1
check "and is said" has '^- warning: 2 of the results differ where they must not'
check_not "not of fast arithmetic" has 'Fast arithmetic may differ'
unset TRIREME_FAKE_FLAW
check "fast arithmetic agrees to a tolerance" ends 0 compare box --on=openmp,fake --math=fast --runs=1 --output=quick
sed -i 's/"agrees": *true/"agrees": false/' quick/compare.json
check "where it does not" ends 0 report quick --output=quick.html
check "the page says what it is allowed" grep -q 'must not: see Agreement\. The tolerance of fast arithmetic covers its roundings, but not' quick.md

refused() {
  pattern=$1
  shift
  ends 2 compare "$@" --runs=1 || return 1
  test "$(wc -l <err)" = 1 && test ! -s out && grep -Eq -e "$pattern" err || { cat err; echo "no match for: $pattern"; return 1; }
}
check "no key" refused '--vary=threads: not of the form KEY=A,B' box --vary=threads
check "an unknown key names the nearest" \
  refused "--vary lbm\\.omga: unknown key 'lbm\\.omga'.*'lbm\\.omega'" box --vary=lbm.omga=1,1.2
check "no values" refused 'a value is missing' box --vary=threads=
check "a value that is missing" refused 'a value is missing' box --vary=threads=1,,2
check "a value out of its range" \
  refused '--vary lbm\.omega.*2\.5 is outside its range' box --vary=lbm.omega=1,2.5
check "a value of the wrong kind" refused "--vary threads.*'many'" box --vary=threads=1,many
check "an unknown choice" refused '--vary precision.*f16' box --vary=precision=f32,f16
check "a value that the solver refuses" \
  refused 'nbody\.group=100: .*nbody\.group = 100 is not a multiple of 32' ball --vary=nbody.group=64,100
check "a key twice" \
  refused 'run\.threads is varied already' box --vary=threads=1 --vary=run.threads=2
check "a key about files" refused 'output\.every is about files' box --vary=every=1,2
check "backends twice over" \
  refused '--on=openmp names the backends' box --vary=backend=openmp --on=openmp
check "varied devices beside --on" \
  refused '--vary=devices=\(openmp,openmp\): --on=openmp names the backends' box '--vary=devices=(openmp,openmp)' --on=openmp
check "a key that is set too" refused '--vary=lbm\.omega: --set lbm\.omega sets lbm\.omega itself; leave out one of the two' \
  box --set lbm.omega=1.1 --vary=lbm.omega=1,1.2
check "or by its option" refused '--vary=run\.precision: --precision sets run\.precision itself; leave out' \
  box --precision=f64 --vary=run.precision=f32,f64
check "varied backends beside devices that are set" \
  refused '--vary=backend: --set run\.devices sets run\.devices itself; leave out' box --set run.devices=openmp,openmp --vary=backend=openmp
check "backends and devices that are varied" refused '--vary=devices=openmp: run\.backend is varied already, and both say where' \
  box --vary=backend=openmp --vary=devices=openmp
check "a device that is set beside --on" \
  refused '--set run.devices=openmp,openmp: --on=openmp names the backends' box --set run.devices=openmp,openmp --on=openmp
for key in backend devices; do
  check "run.$key without --on, where every device is compared" \
    refused "^trireme: error: --set run.$key=openmp names where one run takes place.*leave it out, and name all of them with --on" \
    box --set run.$key=openmp
done
check "a variable too" sh -c 'TRIREME_BACKEND=openmp "$TRIREME" compare box --runs=1 2>err; test $? = 2 &&
  grep "the environment.s TRIREME_BACKEND=openmp names where one run.*; unset it, and name all" err'
check "a backend that there is not" \
  refused '--vary backend: .*opemp.*openmp' box --vary=backend=openmp,opemp
values=$(seq -s, 1 20)
check "too many cases" refused 'more than 256 cases' box --vary=threads=$values --vary=batch=$values
check "an option of compare alone" ends 2 run box --vary=threads=1,2
done_testing
