# resume.sh - a run that is stopped, killed or cut off goes on, elsewhere if need be, to the results of
# a run that never was; and what is refused.
. "$srcdir/tests/tap.sh"
workplace resume
ready=$("$TRIREME" backends | awk '/^[a-z]/ && $2 == "ready" { print $1 }')
first=$(echo $ready | cut -d' ' -f1) last=$(echo $ready | awk '{ print $NF }')
mkdir box
printf '3 4 1\n3 5 1\n5 6 1\n' >box/walls.dat
cat >box/case.conf <<'END'
solver = "lbm";
grid = { nx = 48; ny = 24; };
lbm = { obstacles = "walls.dat"; };
run = { steps = 400; roof = false; };
output = { formats = "png,vti,npy"; every = 100; };
END

# Every file of a run is as in one that was never interrupted, but for those that name the machine.
as_whole() { # FOLDER
  diff -r -x checkpoint -x run.json -x log.txt -x used.conf "whole" "$1" &&
    test "$(print_of whole)" = "$(print_of "$1")"
}
generations() { ls "$1/checkpoint" | grep -c '^step-'; }
newest() { ls -d "$1"/checkpoint/step-* | tail -n 1; }
kept() { # FOLDER: a run with a checkpoint after every ten steps, from which it may go on
  rm -rf "$1"
  "$TRIREME" run box --backend=$first --batch=10 --checkpoint-every=0.000001s --steps=250 --output="$1" --quiet >out 2>err
}

check "a run that is not interrupted" ends 0 run box --backend=$first --output=whole --quiet
check "leaves no checkpoint, being short" test ! -e whole/checkpoint
check "a run may keep its state" kept a
check "in two generations" test "$(generations a)" = 2
check "and goes on to a later end on another backend" ends 0 resume a --steps=400 --backend=$last
check "from where it says" says 'goes on after step 240 on '
check "with the results of the whole run" as_whole a
check "its parts are told" has '"to": 240' a/run.json
check "and its log has both" test "$(grep -c '^device ' a/log.txt)" = 2
check "a run that has finished has nothing to do" ends 0 resume a
check "and says so" says "has finished"

check "a time ends a run with 75" ends 75 run box --backend=$first --steps=2000000000 --for=0.3s --output=b
check "and a word on how it goes on" says "stopped when its time was over after step [0-9]*; 'trireme resume b' goes on"
check "its state is kept" test "$(generations b)" = 1

killed() {
  rm -rf c
  "$TRIREME" run box --backend=$first --steps=2000000000 --checkpoint-every=0.01s --output=c >out 2>err &
  pid=$! tries=0
  while test ! -e "$(newest c 2>/dev/null)" && test $tries -lt 900; do sleep 0.1; tries=$((tries + 1)); done
  sleep 0.3
  child=$(ps -o pid= --ppid $pid | head -n 1)
  kill -KILL ${child:-$pid}
  wait $pid
  test "$(generations c)" -ge 1 && grep -q '"status": "running"' c/run.json
}
check "a run that is killed leaves its state" killed

signalled() {
  rm -rf d
  "$TRIREME" run box --backend=$first --steps=2000000000 --output=d >out 2>err &
  pid=$! tries=0
  while test ! -s d/used.conf && test $tries -lt 900; do sleep 0.1; tries=$((tries + 1)); done
  sleep 0.3
  kill -USR1 $pid
  tries=0
  while test ! -e "$(newest d 2>/dev/null)" && test $tries -lt 900; do sleep 0.1; tries=$((tries + 1)); done
  kill -0 $pid && kill -TERM $pid
  wait $pid
  test $? = 75 && test "$(generations d)" = 2
}
check "SIGUSR1 keeps the state of a run, which goes on" signalled
check "SIGTERM keeps it and says how it goes on" says "stopped by the user after step [0-9]*; 'trireme resume d'"
exhausted() { # the limit is told again after each second of processor time, before this batch ends
  rm -rf d
  (ulimit -S -t 2; exec "$TRIREME" run box --backend=$first --steps=2000000000 --output=d) >out 2>err
  test $? = 75 && test "$(generations d)" = 1
}
check "so does the soft limit of processor time" exhausted
check "which is told" says "stopped at the limit of processor time .ulimit -t. after step [0-9]*; 'trireme resume d'"
check "a run that was stopped so goes on" "$TRIREME" resume d --backend=$first --dry-run

# ---- files whose times are of another clock
cp -r box later
find later -type f -exec touch -d 2099-01-01 {} +
check "files from the future keep no run from keeping its state" \
  ends 75 run later --backend=$first --steps=2000000000 --for=0.3s --output=ahead
check "which is there" test "$(generations ahead)" = 1
rewritten() { # its walls are written anew, with the time that they had
  "$TRIREME" run later --backend=$first --steps=2000000000 --output=anew >out 2>err &
  pid=$! tries=0
  while ! grep -qs '^checkpoints' anew/log.txt && test $tries -lt 900; do sleep 0.1; tries=$((tries + 1)); done
  cp later/walls.dat walls.new
  touch -r later/walls.dat walls.new
  mv walls.new later/walls.dat
  kill -TERM $pid
  wait $pid
  test $? = 75 && test ! -e anew/checkpoint
}
check "files that are others by then do" rewritten
check "for the reason" grep -q "walls.dat' (lbm.obstacles) changed after the run had begun" err anew/log.txt

hears() { # PROCESS: whether SIGUSR1 is caught
  mask=$(sed -n 's/^SigCgt:.*\(.\)..$/\1/p' "/proc/$1/status" 2>/dev/null)
  case $mask in 2 | 3 | 6 | 7 | a | b | e | f) return 0 ;; esac
  return 1
}
early() { # the signal comes before there is a run
  rm -rf early
  "$TRIREME" run box --backend=$first --steps=200000000 --output=early >out 2>err &
  pid=$! tries=0
  until hears $pid || test $tries -gt 10000; do tries=$((tries + 1)); done
  tries=0
  while test ! -e "$(newest early 2>/dev/null)" && test $tries -lt 900; do
    kill -USR1 $pid || break
    sleep 0.05; tries=$((tries + 1))
  done
  kill -TERM $pid
  wait $pid
  code=$?
  test $code = 75 && test "$(generations early)" = 2 || { echo "exit code $code"; cat err; return 1; }
}
check "SIGUSR1 ends no run, however often it comes from the first on" early
written() { # FOLDER: its outputs
  (cd "$1" && find . -name checkpoint -prune -o '(' -name '*-0*' -o -name series.csv ')' -type f -print | sort | xargs cksum)
}
hail() { # the signal comes while outputs are written, one a step
  many="--backend=$first --steps=60 --every=1 --formats=png,vti,npy --roof=false"
  "$TRIREME" run box $many --output=calm >out 2>err || return 1
  "$TRIREME" run box $many --output=hail >out 2>err &
  pid=$!
  until hears $pid || ! kill -0 $pid 2>/dev/null; do :; done
  while kill -USR1 $pid 2>/dev/null; do sleep 0.02; done
  wait $pid || { cat err; return 1; }
  test "$(generations hail)" -ge 1 && test "$(written calm | wc -l)" -gt 180 && test "$(written calm)" = "$(written hail)"
}
check "SIGUSR1 while outputs are written leaves them as they are without" hail

# ---- what is refused
kept a
check "another precision is refused with both" ends 2 resume a --steps=400 --precision=f64
check "values" says "--precision: run.precision = 'f64', but the checkpoint 'a/checkpoint/step-00000240' was written with 'f32'"
check "so is another arithmetic" ends 2 resume a --steps=400 --math=fast
check "with both values" says "'fast'.*'strict'"
check "so is a key that changes results" ends 2 resume a --steps=400 --set lbm.omega=1.5
check "with both values" says "'1.5'.*'1.85'"
check "so is another interval of outputs" ends 2 resume a --steps=400 --set output.every=50
check "an earlier end is refused" ends 2 resume a --steps=100
check "with both values" says 'run.steps = 100, and the run was to have 250'
check "a dry run looks and writes nothing" ends 0 resume a --steps=400 --dry-run
check "it names the step" has 'step-00000240: step 240, .*all hashes are right'
printf '3 4 1\n' >box/walls.dat
check "a file that is another is refused" ends 2 resume a --steps=400
check "with both hashes" says "walls.dat' has changed .*XXH128 [0-9a-f]{32} then, [0-9a-f]{32} now"
printf '3 4 1\n3 5 1\n5 6 1\n' >box/walls.dat
check "a folder without a checkpoint is refused" ends 2 resume whole --steps=500
check "with the cure" says 'there is no checkpoint in .*run the case again'
for inside in "$(newest a)" a/checkpoint a/run.json; do
  check "what lies in a folder of results is not one: $inside" ends 2 resume $inside --steps=400
  check "which is named" says "$inside' is not a folder of results, but lies in one; name that: '$PWD/a'"
done
rm -rf alone && cp -r "$(newest a)" alone
check "nor is one checkpoint that was copied" ends 2 resume alone
check "which is told where to put it" says "'alone' is one checkpoint, .*into RESULTS/checkpoint, beside the folder 'series'"
rm -rf lacking && cp -r a lacking && rm lacking/checkpoint/step-*/case.conf
check "a checkpoint whose case was left out is refused" ends 2 resume lacking --steps=400
check "with the cure of what is read, not written" \
  says "step-00000240/case.conf': No such .*removed, or not copied .*: copy the whole folder again"
stopped() { # FOLDER WORD: the command that goes on, as a shell takes it
  rm -rf "./$1"
  ends 75 run box --backend=$first --for=0.000001s --output="$1" &&
    grep -qF -e "; trireme resume $2 goes on from there" err || { cat err; return 1; }
}
check "a folder with a blank is quoted in the command that goes on" stopped "a b" "'a b'"
check "one with a quote too" stopped "it's" "'it'\\''s'"
check "one with a leading dash is no option" stopped -dash "'./-dash'"
check "the command goes on" ends 0 resume ./-dash
check "a folder that is not there is refused" ends 2 resume nowhere
check "by its name" says "there is no folder 'nowhere'; check the name"
printf x | dd of="$(newest a)/populations.00000000.npy" bs=1 seek=1000 conv=notrunc 2>/dev/null
check "of a newest one that is not whole the one before is taken" ends 0 resume a --steps=400
check "and that is said" says 'warning: an older checkpoint is used, .*: .*its hash has changed'
check "with the results of the whole run" as_whole a
kept a
for file in a/checkpoint/step-*/manifest.json; do printf ' ' >>$file; done
check "where none is whole it is refused" ends 2 resume a --steps=400
check "with every reason" says 'no checkpoint .* is intact: .*00240/manifest.json.*; .*00230/manifest.json'
busy() { flock a "$TRIREME" resume a --steps=400 >out 2>err; test $? = 2; }
rm -f a/run.json
check "checkpoints of another run are not mixed with new ones" ends 2 run box --output=a
check "and are named" says "'a' holds earlier results .checkpoint., which are not mixed"
check "a folder that another run is writing to is refused" busy
check "in these words" says "another run is writing its results to 'a'"

# ---- what is no file is not waited for
piped() { # CODE FILE ARGUMENT...: with a pipe in the place of a file that was kept
  rm -rf p && cp -r piped p && rm -f "p/$2" && mkfifo "p/$2" && tap_wanted=$1 && shift 2 || return 1
  timeout -k 2 60 "$TRIREME" "$@" >out 2>err
  test $? = "$tap_wanted" || { cat err; return 1; }
}
kept piped
last_step=checkpoint/$(basename "$(newest piped)")
check "a pipe in place of a manifest" piped 0 $last_step/manifest.json resume p --steps=300
check "has the generation before it taken" says "$last_step/manifest.json' is not a regular file"
check "in place of its hash likewise" piped 0 $last_step/manifest.xxh128 resume p --steps=300
check "in place of the log" piped 2 log.txt resume p --steps=300
check "of the result" piped 2 run.json resume p
check "a pipe that is called like an output" piped 2 velocity-00000299.npy resume p --steps=400
piped_run() { # a step that the run will not come to: nothing of it is written or removed
  mkdir q && mkfifo q/velocity-99999999.npy && timeout -k 2 60 "$TRIREME" run box --backend=$first --batch=10 \
    --checkpoint-every=0.000001s --steps=250 --output=q --quiet >out 2>err
}
check "nor does a checkpoint wait for one" piped_run

check "an implementation of the ladder cannot be asked for checkpoints" \
  ends 2 run box --set lbm.implementation=bristol-tree --checkpoint-every=1s --output=e
check "and says why" says "cannot have checkpoints: its lbm.implementation is one of the ladder's"
check "a time without a unit is none" ends 2 run box --for=10 --output=e
check "and is told how to write it" says "run.for = '10' has no unit; write 10s for seconds, or 10min for minutes"

# ---- the long rows of a comparison and of a study
row() { # FOLDER ROW-RUN COMMAND...: killed while that run has a checkpoint
  seen=$1/rows/$2/checkpoint
  shift 2
  "$TRIREME" "$@" >out 2>err &
  pid=$! tries=0
  while test ! -e "$(ls -d "$seen"/step-* 2>/dev/null | tail -n 1)" && kill -0 $pid 2>/dev/null && test $tries -lt 900; do
    sleep 0.1; tries=$((tries + 1))
  done
  child=$(ps -o pid= --ppid $pid | head -n 1)
  kill -KILL ${child:-$pid}
  wait $pid
  test $? = 137 || { cat err; return 1; }
}
prints() { grep -o '"fingerprint": "[0-9a-f]*"' "$1"; }
both="compare box --on=$first,$last --runs=2 --steps=300 --batch=2"
keep=--checkpoint-every=0.000001s
check "a comparison" ends 0 $both --output=f
check "leaves no rows" test ! -e f/rows -a ! -e f/rows.json
check "one is killed in its first run" row g 0001-01 $both $keep --output=g
check "and in that of another row" row g 0002-01 $both $keep --output=g
check "going on from its own step" says "goes on after step [0-9]*, from 'g/rows/0001-01/"
check "and in its second" row g 0001-02 $both $keep --output=g
check "is stopped when its time is over" ends 75 $both --output=g --for=0.001s
check "and says how it goes on" says 'finished runs are kept: the same command with --output=g goes on'
check "another comparison does not go on there" ends 2 $both --set lbm.omega=1.5 --output=g
check "and is told what is there" says 'belongs to another comparison .compare box '
check "nor does a run" ends 2 run box --output=g
rm -rf older && cp -r g older && sed -i 's/"schema": [0-9]*/"schema": 3/' older/rows.json
check "nor one whose fingerprints are of an earlier schema" ends 2 $both --output=older
check "which is told the cure" says 'older/rows.json: was begun in schema 3, .*; choose another folder with --output'
check "the same goes on to its end" ends 0 $both --output=g
check "with the results of one that was not" test "$(prints f/compare.json)" = "$(prints g/compare.json)"
check "in all its runs" test "$(grep -c '"repeats": true' g/compare.json)" = 2
check "and leaves no rows" test ! -e g/rows -a ! -e g/rows.json
sweep="study box --vary=run.threads=1,2 --runs=2 --seconds=1000 --steps=300 --batch=2"
check "a study is killed in a timed run" row h 0002-01 $sweep $keep --output=h
rm -rf older && cp -r h older && sed -i 's/"schema": [0-9]*/"schema": 3/' older/study.json
check "it does not go on in a schema of other fingerprints" ends 2 $sweep --output=older
check "and the cure is told" says 'older/study.json: was begun in schema 3, .*; choose another folder with --output'
check "it goes on to its end" ends 0 $sweep --output=h
check "from a step of that run" says "goes on after step [0-9]*, from 'h/rows/0002-01/"
print=$(prints f/compare.json | head -n 1 | cut -d'"' -f4)
check "with the results of a run" test "$(grep -c "\"timed_fingerprint\": \"$print\"" h/study.json)" = 2
check "and leaves no rows" test ! -e h/rows
check "a study of a ladder says that its implementations cannot go on" \
  ends 0 study box --ladder --set lbm.obstacles= --steps=2 --runs=1 --output=i
check "at once" says 'implementations of a ladder have no checkpoints'
done_testing
