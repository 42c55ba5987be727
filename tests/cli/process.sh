# process.sh - what a process is handed by the one that starts it, and who ends it: closed descriptors, signals that
# are ignored, readers and terminals that go away, drivers that call exit.
. "$srcdir/tests/tap.sh"

workplace process
case_of="lbm --set grid.nx=32 --set grid.ny=32 --set lbm.accel=0.001"
small="$case_of --steps=20"
long="$case_of --steps=2000000000 --formats=none --threads=1"
status_of() { sed -n 's/^  "status": "\(.*\)",*/\1/p' "$1/run.json"; }
within() { timeout -k 5 60 "$@"; } # COMMAND...

# ---- closed descriptors

closed() { # FOLDER 0|1|2|012
  rm -rf cache && mkdir -m 700 cache
  case $2 in
  0) "$TRIREME" run $small --output="$1" <&- ;;
  1) "$TRIREME" run $small --output="$1" >&- ;;
  2) "$TRIREME" run $small --output="$1" 2>&- ;;
  *) "$TRIREME" run $small --output="$1" <&- >&- 2>&- ;;
  esac || return 1
  test "$(status_of "$1")" = finished
}
check "an ordinary run" ends 0 run $small --output=good
for which in 0 1 2 012; do
  check "a run with $which closed" closed "c$which" $which
  check "has its bits" test "$(print_of "c$which")" = "$(print_of good)"
  check "and the next finds every backend as it was" ends 0 run $small --output="after$which"
done

# ---- signals that were ignored

# timeout has children heard again; with an empty cache, so that what there is of backends is tried.
unheard() {
  rm -rf cache && mkdir -m 700 cache
  within env --ignore-signal=CHLD "$TRIREME" run $small --output=chld
}
if env --ignore-signal=CHLD true 2>/dev/null; then check "children that the parent ignored" unheard
else skip "children that the parent ignored" "this env has no --ignore-signal"; fi
# Whoever started the suite may ignore the end of a terminal (nohup), which only env can undo.
heard="env --default-signal=HUP"
$heard true 2>/dev/null || heard=
# begun SIGNAL...: a long run that ignores these and has its folder; $! is its number
begun() {
  rm -rf long
  if test $# -gt 0; then (trap '' "$@"; exec "$TRIREME" run $long --output=long -q >out 2>err) &
  else $heard "$TRIREME" run $long --output=long -q >out 2>err &
  fi
  run=$!
  while test ! -s long/used.conf && kill -0 $run 2>/dev/null; do sleep 0.05; done
  sleep 0.3
}
# send SIGNAL, and stopped: the run ended with 75 and the results of a step
send() {
  kill -"$1" $run
  wait $run
  code=$?
}
stopped() { test $code = 75 && test "$(status_of long)" = stopped || { echo "exit code $code"; cat err; return 1; }; }
goes_on() { kill -"$1" $run && sleep 0.5 && kill -0 $run; }
begun INT HUP
check "an interrupt that was ignored from the start stays so" goes_on INT
check "and so does the end of a terminal" goes_on HUP
send TERM
check "while the end of the process is heard" stopped
if test -n "$heard"; then
  begun
  send HUP
  check "a terminal that closes stops a run as SIGTERM does" stopped
else
  skip "a terminal that closes stops a run as SIGTERM does" "this env has no --default-signal"
fi

# ---- a signal before the first step

box="lbm3d --set grid.nx=9 --set grid.ny=9 --set grid.nz=9 --set lbm.viscosity=0.1"
# early SIGNAL HAS COMMAND...: when the program's files or mappings have this word; it ends with 75 and one line. Before
# it is the program, the process is this shell, which may have the file open too.
early() {
  signal=$1 word=$2
  shift 2
  $heard "$TRIREME" "$@" >out 2>err &
  run=$!
  while kill -0 $run 2>/dev/null; do
    grep -q libtrireme /proc/$run/maps 2>/dev/null &&
      { ls -l /proc/$run/fd && cat /proc/$run/maps; } 2>/dev/null | grep -q "$word" && break
    sleep 0.05
  done
  (sleep 60 && kill -KILL $run) >/dev/null 2>&1 & # one that is not heard
  send "$signal"
  kill $! 2>/dev/null
  test $code = 75 && test "$(grep -c '^trireme: ' err)" = 1 || { echo "exit code $code"; cat err; return 1; }
}
# A surface that is a pipe: the run waits in the middle of reading it.
mkfifo pipe.stl
reads() { # SIGNAL
  rm -rf long
  (exec 9<>pipe.stl && early "$1" 'pipe\.stl' run $box --set bodies.stl=pipe.stl --steps=9 --output=long 9<&-) &&
    says "stopped by the user before the first step; nothing was written" && test ! -e long
}
# A compiler that has not seen these kernels yet takes some seconds.
compiles() {
  (mkdir -m 700 empty empty/cache empty/pocl
    TRIREME_CACHE_DIR=$work/empty/cache POCL_CACHE_DIR=$work/empty/pocl
    export TRIREME_CACHE_DIR POCL_CACHE_DIR
    early TERM libclang resume kept --backend=opencl) &&
    says "stopped by the user before a step was made; 'trireme resume' goes on from the same checkpoint"
}
if test -d /proc/self/fd; then
  check "a signal while a surface is read ends the run with a line" reads TERM
  if test -n "$heard"; then check "likewise a terminal that closes" reads HUP; fi
  # compare, study and tune make solvers again and again, in the middle of their work.
  stops() { # LINE COMMAND...: pipe.stl is read by the first run
    line=$1
    shift
    rm -rf many
    (exec 9<>pipe.stl && early TERM 'pipe\.stl' "$@" 9<&-) && says "stopped by the user$line"
  }
  with_pipe="$box --set bodies.stl=pipe.stl --steps=9"
  goes_on="; finished runs are kept: the same command with --output=.*many goes on from there"
  check "a signal while compare makes a solver" stops "$goes_on" compare $with_pipe --on=openmp --output=many
  check "before its folder is there" \
    stops ' before the first run; nothing was written' compare $with_pipe --on=openmp --vary=threads=1,2 --output=many
  check "while study makes one" stops "$goes_on" study $with_pipe --on=openmp --runs=1 --vary=threads=1,2 --output=many
  check "while tune makes one" stops '; nothing was kept' tune $with_pipe --device=openmp
  check "a run that is stopped and kept" ends 75 run $box --steps=9000000 --for=0.01s --formats=none --output=kept
  if "$TRIREME" devices | grep -q pthread; then check "a signal while kernels are compiled" compiles
  else skip "a signal while kernels are compiled" "no PoCL here"
  fi
  check "the checkpoint is there" ends 75 resume kept --for=0.01s
else
  skip "a signal while a surface is read ends the run with a line" "no /proc here"
fi

# ---- readers that go away

reader() { # OUTPUT: what is said for people goes to a reader that has gone
  { sleep 0.2; "$TRIREME" run $small --group=128x2 --output="$1" 2>&1; echo $? >code; } | true
  test "$(status_of "$1")" = finished && test -s "$1/series.csv" && grep -q 'run.group concerns' "$1/log.txt"
}
check "a run outlives its reader" reader gone
check "which is no success" test "$(cat code)" = 2
quiet_end() { { sleep 0.2; "$TRIREME" solvers lbm 2>err; } | true; test ! -s err || { cat err; return 1; }; }
check "and no news to whoever left" quiet_end

# ---- a kill

begun
kill -KILL $run
wait $run 2>/dev/null
check "the log of a run that was killed is there" grep -q '^device openmp:0' long/log.txt
check "and its series so far" test "$(sed -n 2p long/series.csv)" = "$(sed -n 2p good/series.csv)"
check "in whole lines" awk -F, 'NF != n && NR > 1 { bad = 1 } { n = NF } END { exit bad || NR < 2 }' long/series.csv
check "its state is told" test "$(status_of long)" = running
check "and is not a result" ends 2 report long
check "for the reason" says "'running': it goes on, or was killed"
check "its folder takes no other run" ends 2 run $small --output=long

# ---- a driver that calls exit

leaves() { # CODE COMMAND...: the driver ends the process with 1 in its 3rd launch
  (
    TRIREME_BACKEND_PATH=$build/tests/.libs:$(ls -d "$build"/backend-openmp/.libs)
    TRIREME_FAULT_WRAPS=openmp TRIREME_FAULT=launch:3 TRIREME_FAULT_EXIT=1
    export TRIREME_BACKEND_PATH TRIREME_FAULT_WRAPS TRIREME_FAULT TRIREME_FAULT_EXIT
    ends "$@"
  )
}
check "a comparison that a driver ends is none that differs" leaves 2 compare $small --on=fault,openmp --runs=2
check "but says who most likely ended it" says 'was ended from inside, most likely by a driver'
check "so does a run" leaves 2 run $small --backend=fault --output=left
check "in its log too" grep -q 'was ended from inside' left/log.txt
check "which is not told to have ended" test "$(status_of left)" = running

# ---- limits on threads

limited() { (OMP_THREAD_LIMIT=1; unset OMP_NUM_THREADS; export OMP_THREAD_LIMIT; ends 0 run $small --output=limited); }
check "a limit of one thread is kept" limited
many() { (OMP_NUM_THREADS=100000; export OMP_NUM_THREADS; ends 2 run $small --output=many --backend=openmp); }
check "more threads than there can be are refused" many
check "by the name of who asked for them" says 'error: OMP_NUM_THREADS: 100000 threads asked for; at most'
stacks() { (OMP_STACKSIZE=$1; export OMP_STACKSIZE; shift; ends "$@" --backend=openmp --threads=2); }
check "threads with less stack than kernels need are refused" stacks 32k 2 run $small --output=stacks
check "with a cure" says 'OMP_STACKSIZE=32k gives threads a stack of 32 KiB, .* set it to 256k or more'
check "which helps" stacks 256k 0 run $small --output=stacks

# ---- a plugin that prints

mkdir printing && cp "$build/tests/.libs/trireme_rough.so" printing/trireme_print.so
TRIREME_BACKEND_PATH=$PWD/printing "$TRIREME" backends --json >out 2>err
check "JSON is all there is on stdout" test "$(sed -n '1p;$p' out | tr -d '\n')" = '{}'
check_not "and in it" grep -q 'that prints' out
check "what a plugin prints is for people" grep -q '^a plugin that prints' err
done_testing
