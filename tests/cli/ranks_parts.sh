# ranks_parts.sh - ranks as parts of one run: each makes the same calls of a framework's solver. Bytes of one
# device on any number of ranks, what is kept goes on with another number, and all end when one ends.
. "$srcdir/tests/tap.sh"
mpi=${TRIREME_TEST_MPI-openmpi}
workplace ranks_parts_$mpi
test -e "$build/comm-mpi/.libs/comm_$mpi.so" || skip_all "built without $mpi"
TRIREME_COMM_PATH=$build/comm-mpi/.libs TRIREME_SOLVER_PATH=$build/tests/.libs
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1
OMPI_MCA_odls_base_sigkill_timeout=0 # of a second that mpirun else gives to ranks that are ended
export OMPI_MCA_odls_base_sigkill_timeout TRIREME_COMM_PATH TRIREME_SOLVER_PATH OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
  OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism OMP_NUM_THREADS
test $mpi = mpich && names="mpiexec.hydra mpiexec.mpich" || names="mpirun.openmpi mpirun"
for launcher in $names ''; do
  command -v "${launcher:-none}" >/dev/null && break
done
test -n "$launcher" || skip_all "none of $names is here"
over() { # RANKS PROGRAM ARGUMENT... : within two minutes
  ranks=$1
  shift
  timeout -k 5 "${limit-120}" "$launcher" -n "$ranks" "$@"
}
TRIREME_DEBUG_BUFFERS=rows # a row that a rank does not hold ends the run, as on a GPU
export TRIREME_DEBUG_BUFFERS
mixed=no
"$TRIREME" backends --json | tr -d ' \n' | grep -q '"name":"opencl"[^}]*"ready":true' && mixed=yes
cat >pond.conf <<'END'
solver = "pond";
grid = { nx = 45; ny = 61; };
run = { steps = 120; };
END

# ---- bytes

outputs() { (cd "$1" && rm -rf checkpoint && find . -type f ! -name run.json ! -name log.txt ! -name '*.conf' -exec cksum {} + | sort -k3); }
reference() { # OPTION...
  rm -rf run
  "$TRIREME" run pond.conf "$@" --backend=openmp --every=50 --movie=twice --movie-every=40 --output=run >out 2>err || { cat out err; return 1; }
  outputs run >reference
  sed -n 's/^fingerprint  *//p' out >reference_print
  test -s reference_print && grep -q series reference && grep -q vti reference && grep -q frames reference
}
same_over() { # RANKS OPTION...
  number=$1
  shift
  rm -rf run
  over "$number" "$TRIREME" run pond.conf "$@" --every=50 --movie=twice --movie-every=40 --output=run >out 2>err || { cat out err; return 1; }
  test ! -s err && test "$(grep -c ^fingerprint out)" = 1 || { cat out err; return 1; }
  sed -n 's/^fingerprint  *//p' out | cmp - reference_print && outputs run | diff - reference
}
are_parts() { # RANKS OPTION... : each with a copy of the host code
  same_over "$@" && has '"control": "parts"' run/run.json && has "\"rank\": $(($1 - 1))," run/run.json &&
    has '^control: parts, each with a copy of the host code; rows go by (Open MPI|MPICH)' run/log.txt &&
    has '^rows between parts: [1-9][0-9]* messages; 0 MB from device to device, [0-9.]+ MB by the host' run/log.txt
}
for precision in f32 f64; do
  counts="2 3 5 8"
  test $precision = f32 || counts="3 5"
  check "$precision: one device" reference --precision=$precision
  for number in $counts; do
    check "$precision: $number ranks" are_parts $number --precision=$precision --backend=openmp
  done
done
check "one rank" same_over 1 --precision=f64 --backend=openmp
check "unequal shares, in small batches" are_parts 3 --precision=f64 '--devices=openmp * 2, openmp,openmp*3.5' --batch=7
if test $mixed = yes; then check "two kinds of device" are_parts 3 --precision=f64 --devices=openmp,opencl*2,openmp
else skip "two kinds of device" "no OpenCL"
fi
checked() { (export TRIREME_CHECK_ROWS=1; are_parts 2 --precision=f64 --backend=openmp); }
check "ranks whose rows are checked" checked

sixty_four() { # CASE OPTION... : tiny parts
  rm -rf run of_one
  "$TRIREME" run "$@" --backend=openmp --formats=none --output=of_one >out 2>err && sed -n 's/^fingerprint  *//p' out >reference_print && test -s reference_print || { cat out err; return 1; }
  limit=600 over 64 "$TRIREME" run "$@" --backend=openmp --formats=none --output=run >out 2>err || { cat out err; return 1; }
  sed -n 's/^fingerprint  *//p' out | cmp - reference_print && has '"rank": 63,' run/run.json && has '"control": "parts"' run/run.json &&
    rm -r of_one
}
skip_unless_long "64 ranks" || check "64 ranks" sixty_four driven-box --set grid.nx=32 --set grid.ny=70 --set lbm.obstacles= --steps=10
skip_unless_long "64 ranks in three dimensions" || check "64 ranks in three dimensions" sixty_four cavity-3d --set grid.nx=12 --set grid.ny=12 --set grid.nz=70 --steps=5

# ---- stops and checkpoints

reference --precision=f64
kept() { # RANKS OF THE FIRST PART, OF THE SECOND
  rm -rf kept
  over "$1" "$TRIREME" run pond.conf --precision=f64 --every=50 --movie=twice --movie-every=40 --backend=openmp --for=0.001s --batch=20 --output=kept >out 2>err
  test $? = 75 && test -d kept/checkpoint || { cat out err; return 1; }
  over "$2" "$TRIREME" resume kept --backend=openmp >out 2>err || { cat out err; return 1; }
  outputs kept | diff - reference
}
check "a checkpoint of three ranks is resumed by two" kept 3 2
check "and one of one rank by five" kept 1 5
find_rank() { # RANK: the process of it, once the run is under way
  for i in $(seq 600); do
    victims=$(for pid in $(pgrep -f -- "run pond.conf --steps=100000000"); do
      tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -Eqx "(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1" &&
        grep -Fqz "$work" "/proc/$pid/environ" && echo "$pid"
    done)
    test -n "$victims" && test -s fault/used.conf && { test -z "${kept-}" || test -n "$(find fault/checkpoint -name 'step-*' 2>/dev/null)"; } && break
    sleep 0.1
  done
  sleep 0.3
}
begin() { # RANKS OPTION... : a run without end, as $job
  number=$1
  shift
  rm -rf fault
  (limit=100 over "$number" "$TRIREME" run pond.conf --steps=100000000 --precision=f64 --backend=openmp --output=fault "$@" >out 2>err
  echo $? >code) &
  job=$!
}
stopped_by() { # SIGNAL, to rank 0: the state is kept, and has the bits of one device at that step
  begin 3 --formats=none
  find_rank 0
  kill "-$1" $victims
  wait $job
  test "$(cat code)" = 75 && test "$(grep -c '^trireme: ' err)" = 1 || { cat out err code; return 1; }
  step=$(sed -n 's/.* after step \([0-9]*\).*/\1/p' err) print=$(sed -n 's/^fingerprint  *//p' out)
  "$TRIREME" run pond.conf --steps="$step" --precision=f64 --backend=openmp --formats=none --output=of_one >out 2>err || { cat out err; return 1; }
  rm -rf of_one
  test -n "$print" && test "$(sed -n 's/^fingerprint  *//p' out)" = "$print"
}
check "Ctrl-C" stopped_by INT
check "SIGTERM" stopped_by TERM
on_demand() { # SIGUSR1 to rank 0: a checkpoint, and the run goes on
  begin 3 --formats=none
  find_rank 0
  kill -USR1 $victims
  for i in $(seq 100); do test -z "$(find fault/checkpoint -name 'step-*' 2>/dev/null)" || break; sleep 0.1; done
  kill -TERM $victims
  wait $job
  test "$(cat code)" = 75 && has 'checkpoint at step' fault/log.txt || { cat out err code; return 1; }
}
check "a checkpoint on demand" on_demand

# ---- ranks that end

gone() { test -z "$(pgrep -f -- "run pond.conf --steps=100000000 --precision=f64 --backend=openmp --output=fault")"; }
victim() { # RANK SIGNAL OPTION... : of a run without end, which then ends within 30 s
  rank=$1 signal=$2
  shift 2
  begin 3 "$@"
  find_rank $rank
  kill "-$signal" $victims || return 1
  begun=$(date +%s)
  wait $job
  took=$(($(date +%s) - begun))
  test $took -le 30 && test "$(cat code)" != 0 && test "$(cat code)" != 124 && test ! -e fault/fields.vti || { ls fault; cat out err code; return 1; }
  gone
}
check "rank 2 killed: all end" victim 2 KILL
check "rank 0 killed: all end" victim 0 KILL
killed_keeping() { # RANK: while checkpoints are written all the time
  kept=1
  victim "$1" KILL --batch=20 --checkpoint-every=0.0001s && rm -f err || return 1
  over 2 "$TRIREME" resume fault --backend=openmp --for=0.01s >out 2>err
  test $? = 75 && ! grep -E 'damaged|hash' err || { ls -A fault/checkpoint; cat out err; return 1; }
}
check "rank 1 killed where checkpoints are written: what is kept is whole" killed_keeping 1
check "rank 0 killed there" killed_keeping 0
silent() { # RANK
  (export TRIREME_COMM_SILENCE=4; victim "$1" STOP) && test "$(grep -c '^trireme: ' err)" = 1 && has "rank $1 has sent no heartbeat" err || { cat err; return 1; }
}
check "rank 1 stopped: all end" silent 1

# Killed and stopped again and again at random moments, and resumed by other numbers of ranks, until the run has ended: its bits
# are those of one device.
random() { # N: a number from 0 to N-1, in $drawn
  seed=$(((seed * 1103515245 + 12345) & 2147483647))
  drawn=$((seed / 65536 % $1))
}
ended_at_random() { # ARGUMENT... : the run, or what is kept of it, by some ranks, of which one gets a signal; its code in $code
  random 4 && number=$((drawn + 2))
  rm -f pid.* code
  (over $number ./named "$@" --backend=openmp >out 2>err; echo $? >code) &
  job=$!
  random $number && victim=$drawn
  random 4
  test $drawn != 0 && signal=KILL || { signal=TERM; victim=0; }
  random 120
  sleep "$(awk "BEGIN { print 0.1 + $drawn / 100 }")"
  test ! -s pid.$victim || kill -$signal "$(cat pid.$victim)" 2>/dev/null
  wait $job
  code=$(cat code)
  test "$code" != 124 && test "$(grep -c '^trireme: error: ' err)" -le 1 || { cat out err code; return 1; }
}
many_ends() { # TIMES ARGUMENT... : so many kills and stops
  times=$1 seed=1 ends=0 whole=0 begun=no
  shift
  printf '#!/bin/sh\necho $$ >pid.${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}\nexec "%s" "$@"\n' "$TRIREME" >named
  chmod +x named
  rm -rf untouched cut
  "$TRIREME" run "$@" --backend=openmp --output=untouched >out 2>err || { cat out err; return 1; }
  outputs untouched >untouched.sums
  while test $ends -lt "$times"; do
    if test $begun = yes; then ended_at_random resume cut
    else rm -rf cut && ended_at_random run "$@" --batch=20 --checkpoint-every=0.002s --output=cut
    fi || return 1
    case $code in
    0) test "$(print_of cut)" = "$(print_of untouched)" && outputs cut | diff - untouched.sums || return 1
      whole=$((whole + 1)) begun=no;;
    2) grep -Eq 'there is no checkpoint|cannot be opened|cannot read' err || { cat err; return 1; }
      begun=no;;
    *) ends=$((ends + 1)) begun=yes;;
    esac
  done
  echo "# $ends kills and stops, $whole runs that ended"
  test $whole -gt 0
}
if skip_unless_long "ranks that are killed and stopped sixty times"; then :
else
  check "ranks of a framework's solver killed and stopped 20 times" many_ends 20 pond.conf --precision=f64 --steps=12000
  check "of a lattice" many_ends 20 driven-box --set grid.nx=64 --set grid.ny=60 --set lbm.obstacles= --steps=20000 --formats=npy
  check "of water" many_ends 20 tsunami --set grid.nx=64 --set grid.ny=61 --set grid.dx=8000 --steps=3000 --formats=npy
fi

# ---- calls that fail (tests/cli/comm_fault.c)

whole_or_none() { # FOLDER: what is written is whole
  test ! -e "$1/fields.vti" || cmp "$1/fields.vti" faultless/fields.vti
}
faulty() { # RANK CALL [COUNTS]: a call of its plugin fails
  rm -rf fault
  TRIREME_FAULT_LOST=${lost-} TRIREME_COMM_SILENCE=${silence-} TRIREME_COMM=fault TRIREME_COMM_PATH=$build/tests/.libs TRIREME_FAULT_COMM=$build/comm-mpi/.libs/comm_$mpi.so \
    TRIREME_FAULT_NAME=$mpi TRIREME_FAULT_RANK=$1 TRIREME_FAULT_AT=$2 TRIREME_FAULT_COUNT=${3-} limit=30 \
    over 3 "$TRIREME" run pond.conf --steps=${steps-6} --backend=openmp --output=fault >out 2>err
}
stopped() { # RANK CALL
  faulty "$1" "$2"
  code=$?
  test $code != 0 && test $code != 124 && test "$(grep -c '^trireme: ' err)" = 1 && has "call $2 fails, as asked" err && whole_or_none fault ||
    { cat out err; echo "rank $1, call $2: exit code $code"; return 1; }
}
rm -f calls.*
check "no call fails: the plugin counts them" faulty 0 1000000 calls
mv fault faultless
parts="10 90" # ranks.sh has calls between, with checkpoints
test -z "${TRIREME_TEST_LONG-}" || parts="5 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 99"
for rank in 0 1 2; do
  for part in $parts; do check "rank $rank: a call at $part %" stopped $rank $(($(cat calls.$rank) * part / 100)); done
done
lost() { # RANK MESSAGE: it never comes
  lost=$2 silence=2 faulty "$1" 1000000
  code=$?
  test $code != 0 && test $code != 124 && test "$(grep -c '^trireme: ' err)" = 1 && whole_or_none fault &&
    has 'a message between ranks was lost|out of step|bytes came, where|MPI_Irecv: ' err || { cat out err; echo "exit code $code"; return 1; }
}
check "a message of rank 1 is lost: all end" lost 1 $(($(cat calls.1.sent) / 2))
check "the last message of rank 2" lost 2 "$(cat calls.2.sent)"

# ---- what one rank cannot

refused() { # RANKS PATTERN ARGUMENT...
  number=$1 pattern=$2
  shift 2
  OMPI_MCA_orte_abort_on_non_zero_status=0 over "$number" "$TRIREME" "$@" >out 2>err
  test "$(grep -c '^trireme: ' err)" = 1 && grep '^trireme: ' err | grep -Eq "$pattern" || { cat out err; return 1; }
}
check "a device that a rank has not" refused 2 'rank 1: .*no device "openmp:7"' run pond.conf --devices=openmp,openmp:7
check "more ranks than rows" refused 4 '4 devices share 3 rows .*, and openmp:0@2 would get none; start fewer ranks' run pond.conf --set grid.ny=3 --backend=openmp
check "a bad setting" refused 3 'steps' run pond.conf --steps=-1 --backend=openmp
each() { # COMMAND: what rank 1 does before it runs
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != %s || %s\nexec "%s" "$@"\n' "$1" "$2" "$TRIREME" >each
  chmod +x each
}
little_memory() {
  each 1 'ulimit -v 400000'
  over 2 ./each run pond.conf --set grid.nx=9000 --set grid.ny=9000 --steps=2 --backend=openmp --formats=none >out 2>err
  test $? = 2 && test "$(grep -c '^trireme: ' err)" = 1 && has 'rank 1: .*(memory|needs)' err || { cat out err; return 1; }
}
if (ulimit -v 400000 && "$TRIREME" devices) >out 2>&1; then check "a rank with too little memory to create" little_memory
else skip "a rank with too little memory to create" "this build needs more to begin"
fi
no_space() { # RANK CODE: it can write no file
  each "$1" 'ulimit -f 0'
  rm -rf fault
  over 3 ./each run pond.conf --steps=6 --backend=openmp --output=fault >out 2>err
  test $? = "$2" && test "$(grep -c '^trireme: ' err)" = $(($2 / 2)) && whole_or_none fault || { cat out err; return 1; }
}
if test $mpi = mpich; then skip "a full disk of rank 0 ends all" "MPICH shares memory by files"
else
  check "a full disk of rank 0 ends all" no_space 0 2
  check "that of rank 1 is nobody's matter" no_space 1 0
fi
hidden_solver() { # rank 1 has no such solver
  each 1 'export TRIREME_SOLVER_PATH='
  over 2 ./each run pond.conf --steps=2 --backend=openmp --formats=none >out 2>err
  test $? = 2 && test "$(grep -c '^trireme: ' err)" = 1 && has "rank 1: unknown solver 'pond'" err || { cat out err; return 1; }
}
check "a rank that does not have the solver" hidden_solver

# ---- memory

peaks() { # RANKS: kB of each rank, in peaks
  rm -f peaks
  unset TRIREME_DEBUG_BUFFERS
  over "$1" "$build/tests/peak" peaks "$TRIREME" run pond.conf --set grid.nx="$2" --set grid.ny="$2" --steps=10 --backend=openmp \
    --roof=false --formats=npy,png,vti --checkpoint-every=0.001s --batch=5 --precision=f64 --output=peak >out 2>err || { cat out err; return 1; }
  rm -rf peak
}
own_memory() { # four ranks have their rows, with files and checkpoints: each at most 0.4 of the memory of one, without what few cells take
  peaks 4 40 && sort peaks >few && peaks 1 1400 && cp peaks one && peaks 4 1400 && sort peaks >four || return 1
  awk 'FILENAME == "few" { few[$1] = $2 } FILENAME == "one" { one = $2 - few[0] } FILENAME == "four" { part = ($2 - few[$1]) / one
    print "rank", $1, part; failed += part > 0.4 } END { exit failed > 0 || !one }' few one four
}
if test $mpi = openmpi; then check "each rank has memory for its own rows" own_memory
else skip "each rank has memory for its own rows" "measured over Open MPI"
fi
done_testing
