# ranks.sh - one run over MPI ranks: fingerprint, series, pictures and VTK files byte for byte those of one
# device, written once, for any number of ranks, any cut and any mixture of backends; what ranks are refused
# for, and what becomes of the others when one ends.
. "$srcdir/tests/tap.sh"
pages=$(cd "$srcdir" && pwd)/docs
mpi=${TRIREME_TEST_MPI-openmpi}
workplace ranks_$mpi
test -e "$build/comm-mpi/.libs/comm_$mpi.so" || skip_all "built without $mpi"
TRIREME_COMM_PATH=$build/comm-mpi/.libs
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none OMP_NUM_THREADS=1
OMPI_MCA_odls_base_sigkill_timeout=0 # of a second that mpirun else gives to ranks that are ended
export OMPI_MCA_odls_base_sigkill_timeout TRIREME_COMM_PATH OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
  OMPI_MCA_btl_vader_single_copy_mechanism OMP_NUM_THREADS
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
mixed=no
"$TRIREME" backends --json | tr -d ' \n' | grep -q '"name":"opencl"[^}]*"ready":true' && mixed=yes

awk 'BEGIN {
  for (y = 0; y < 31; y++) { print 0, y, 1; print 44, y, 1 }
  for (x = 5; x < 9; x++) { print x, 29, 1; print x, 15, 1; print x, 16, 1 }
}' >solid.dat
cat >driven.conf <<END
solver = "lbm";
grid = { nx = 45; ny = 31; };
lbm = { obstacles = "solid.dat"; accel = 1e-7; };
run = { steps = 60; };
END

# ---- bytes

outputs() { (cd "$1" && rm -rf checkpoint && find . -type f ! -name run.json ! -name log.txt ! -name '*.conf' -exec cksum {} + | sort -k3); }
reference() { # OPTION...
  rm -rf run
  "$TRIREME" run driven.conf "$@" --backend=openmp --every=20 --output=run >out 2>err || return 1
  outputs run >reference
  sed -n 's/^fingerprint  *//p' out >reference_print
  test -s reference_print && grep -q series reference
}
same_over() { # RANKS OPTION...
  number=$1
  shift
  rm -rf run
  over "$number" "$TRIREME" run driven.conf "$@" --every=20 --output=run >out 2>err || { cat out err; return 1; }
  test ! -s err && test "$(grep -c ^fingerprint out)" = 1 || { cat out err; return 1; }
  sed -n 's/^fingerprint  *//p' out | cmp - reference_print && outputs run | diff - reference
}
counts="2 3 5"
test -z "${TRIREME_TEST_LONG-}" || counts="1 2 3 4 5 7"
for precision in f32 f64; do
  check "$precision: one device" reference --precision=$precision
  for number in $counts; do
    check "$precision: $number ranks" same_over $number --precision=$precision --backend=openmp
  done
  check "$precision: which are parts" has '"control": "parts"' run/run.json
  test $mixed = yes || continue
  check "$precision: 2 ranks of opencl" same_over 2 --precision=$precision --backend=opencl
  check "$precision: two kinds" same_over 2 --precision=$precision '--devices=opencl*2,openmp'
done
check "run.json has the rank of each part" has '"rank": 1' run/run.json
check "and the library that joined them" has '"mpi": "(Open MPI v|MPICH Version: )[0-9]' run/run.json
check "batches of 7 steps, plain replay" same_over 3 --precision=f64 --backend=openmp --batch=7 --plain-replay

# ---- many cuts in one job; compare fails where bits differ
cuts='(openmp),(openmp*3,openmp,openmp*0.5,openmp)'
for weight in 0.3 2 3.7 6; do
  cuts="$cuts,(openmp,openmp*$weight,openmp,openmp),(openmp*$weight,openmp,openmp*2,openmp*$weight)"
done
test $mixed = no || cuts="$cuts,(opencl:0,openmp,openmp*2,opencl:0*3)"
prints() { tr -d ' \n' <"$1" | grep -o '"fingerprint":"[0-9a-f]*"' | sort -u; }
agree() { # CASE OPTION... : compare itself fails where bits differ; they are those of one device
  over 4 "$TRIREME" compare "$@" --runs=1 "--vary=run.devices=$cuts" --json >out 2>err || { cat out err; return 1; }
  "$TRIREME" compare "$@" --runs=1 --on=openmp --json >of_one 2>err || { cat of_one err; return 1; }
  prints out >all_prints && test "$(wc -l <all_prints)" = 1 && prints of_one | diff - all_prints
}
check "cuts over 4 ranks, f32, batches of 5" agree driven.conf --steps=7 --batch=5 --precision=f32
check "with the part of time that moved rows" json_has '"exchange_part":0\.[0-9]'
# A thread gives signs of life once a second; without them (a limit of 0) there is none. A run that
# waited for the end of that second would take longer at each try, and so at its quickest.
milliseconds() { # SILENCE: of a run
  begun=$(date +%s%3N)
  TRIREME_COMM_SILENCE=$1 over 2 "$TRIREME" run driven.conf --steps=1 --backend=openmp >out 2>err || { cat out err; return 1; }
  echo $(($(date +%s%3N) - begun))
}
ends_at_once() {
  least_with=99999 least_without=99999
  for try in 1 2 3 4 5 6 7 8; do
    without=$(milliseconds 0) && with=$(milliseconds '') || return 1
    test $without -ge $least_without || least_without=$without
    test $with -ge $least_with || least_with=$with
    test $try -lt 3 || test $((least_with - least_without)) -ge 300 || return 0
  done
  echo "$least_with ms with signs of life, $least_without ms without"
  return 1
}
check "no run waits for the next heartbeat" ends_at_once
diverges() {
  rm -rf wild
  OMPI_MCA_orte_abort_on_non_zero_status=0 over 3 "$TRIREME" run driven.conf --set lbm.omega=1.999 --set lbm.accel=0.3 \
    --steps=900 --backend=openmp --output=wild >out 2>err
  test "$(grep -vc 'warning: lbm.accel = 0.3 would' err)" = 1 && test ! -e wild/fields.vti && has '"status": "diverged"' wild/run.json &&
    has 'at step [0-9]+ field .* is -?(inf|nan) in cell \([0-9]+, [0-9]+\), in a row of openmp:0 of rank [012]; the case' err ||
    { cat out err; return 1; }
}
check "a value that is no number: its step, cell and rank, and all end" diverges
check "cuts over 4 ranks, f64, batches of 1" agree driven.conf --steps=7 --batch=1 --precision=f64

cuts='(openmp),(openmp*2.1,openmp*3,openmp,openmp)'
check "a sphere in three dimensions" agree sphere --set grid.nx=40 --set grid.ny=14 --set grid.nz=15 \
  --set 'bodies.shapes=sphere 12 7 8 4' --steps=7

test $mixed = no || cuts="$cuts,(opencl:0,opencl:0*2,openmp,opencl:0)"
check "walls in three dimensions, on two kinds" agree cavity-3d --set grid.nx=16 --set grid.ny=9 --set grid.nz=45 --steps=7

cuts='(openmp),(openmp*0.6,openmp,openmp*2,openmp)'
check "a tsunami by blocks of rows, with gauges" agree tsunami --set grid.nx=64 --set grid.ny=61 --set grid.dx=8000 --steps=7
check "Lax-Friedrichs with shared lengths" agree tsunami --set shallow.scheme=lax-friedrichs --set shallow.dt_every=4 \
  --set grid.nx=64 --set grid.ny=61 --set grid.dx=8000 --set probes= --set shallow.maps=false --set shallow.manning=0 \
  --set shallow.bed_formula=-100 --steps=7

check "a channel with a cylinder" agree channel --set grid.nx=80 --set grid.ny=23 \
  --set 'bodies.shapes=cylinder 20 11 3' --set 'probes=50 12' --steps=7
check "compressible flow where levels meet" agree sod --set grid.nx=96 --set grid.ny=32 --set grid.levels=1 \
  --set 'mesh.refine=0.4 0.6 0 0.1' --steps=4
check "a tree of bodies" agree plummer --set nbody.force=tree --set nbody.bodies=1293 --steps=7
check "all pairs of bodies" agree plummer --set nbody.force=pairs --set nbody.bodies=1293 --steps=7

# ---- checkpoints
kept() {
  rm -rf kept
  over 3 "$TRIREME" run driven.conf --precision=f64 --every=20 --backend=openmp --for=0.001s --batch=20 --output=kept >out 2>err
  test -d kept/checkpoint || { cat out err; return 1; }
  over "$1" "$TRIREME" resume kept --backend=openmp >out 2>err || { cat out err; return 1; }
  outputs kept | diff - reference
}
check "a checkpoint of three ranks is resumed by two" kept 2
check "and by one process" kept 1
# Each rank writes what it has: the bytes of one device. Where a run ends at a time and the first
# length is not known yet, the first batch is one step: batches end at steps 4 and 7, not at 3 and 6.
of_checkpoints() { (cd "$1/checkpoint" && find . -name '*.npy' -exec cksum {} + | sort -k3); }
keeping="--batch=3 --steps=9 --checkpoint-every=0.000001s --formats=none"
same_kept() { # RANKS DEVICES CASE OPTION...
  number=$1 named=$2
  shift 2
  rm -rf kept of_one
  "$TRIREME" run "$@" $keeping --backend=openmp --output=of_one >out 2>err && of_checkpoints of_one >kept_by_one || { cat out err; return 1; }
  over "$number" "$TRIREME" run "$@" $keeping "$named" --output=kept >out 2>err && ! grep warning err || { cat out err; return 1; }
  grep -q "step-0000000[67]/.*.00000000.npy" kept_by_one && of_checkpoints kept | diff - kept_by_one || return 1
  "$TRIREME" resume kept --backend=openmp --checkpoint-every=0 >out 2>err || { cat out err; return 1; }
}
bytes_kept() { # RANKS DEVICES CASE OPTION...
  check "the checkpoint of one device: $*" same_kept "$@"
}
bytes_kept 2 --backend=openmp driven.conf
bytes_kept 4 '--devices=openmp*3,openmp,openmp,openmp*2' driven.conf --precision=f64
test $mixed = no || bytes_kept 3 '--devices=opencl*2,openmp,openmp' driven.conf
bytes_kept 3 --backend=openmp sphere --set grid.nx=40 --set grid.ny=14 --set grid.nz=15 --set 'bodies.shapes=sphere 12 7 8 4' \
  --set lbm.collision=mrt
bytes_kept 3 --backend=openmp cavity-3d --set lbm.storage=moments --set lbm.collision=regularised --set grid.nx=16 \
  --set grid.ny=9 --set grid.nz=130
bytes_kept 3 --backend=openmp taylor-green-3d --set lbm.storage=half --set grid.nx=64 --set grid.ny=16 --set grid.nz=23 --precision=f32
bytes_kept 3 --backend=openmp tsunami --set grid.nx=64 --set grid.ny=61 --set grid.dx=8000
bytes_kept 3 --backend=openmp sod --set grid.nx=96 --set grid.ny=32 --set grid.levels=1 --set 'mesh.refine=0.4 0.6 0 0.1'
bytes_kept 3 --backend=openmp plummer --set nbody.force=tree --set nbody.bodies=1293
not_kept() { # LINES OF RANK 1, PATTERN OF THE WARNING [CASE]: no checkpoint is written, nothing is left, and the run ends well
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || %s\nexec "%s" run %s %s --backend=openmp --output=kept\n' \
    "$1" "$TRIREME" "${3-driven.conf}" "$keeping" >each
  chmod +x each
  rm -rf kept
  over 3 ./each >out 2>err || { cat out err; return 1; }
  grep warning err | grep -Eq "$2" && test -z "$(find kept/checkpoint -name '*.npy' -o -name .new)" || { cat err; find kept; return 1; }
}
if test $mpi = mpich; then skip "a full disk of rank 1: no checkpoint, and all goes on" "MPICH shares memory by files"
else check "a full disk of rank 1: no checkpoint, and all goes on" not_kept 'ulimit -f 8' \
  'no checkpoint was written at step 6: rank 1 on .* cannot write .*: File too large; raise the limit'
  for how in lbm.storage=half lbm.rows=folded; do
    check "which rank 1 writes to with $how as well" not_kept 'ulimit -f 8' \
      'no checkpoint was written at step 6: rank 1 on .* cannot write .*: File too large; raise the limit' \
      "taylor-green-3d --set grid.nx=64 --set grid.ny=16 --set grid.nz=24 --set $how --precision=f32"
  done
fi
hidden() { # COMMAND, PATTERN: rank 1 sees another folder there, so rank 0 writes its part, and says so once
  printf '#!/bin/sh\ntest -z "${1-}" || { mkdir -p far && %s && shift && exec "$@"; exit 9; }\n' "$1" >elsewhere
  printf '#!/bin/sh\nhere=\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || here="unshare -m ./elsewhere -"\nexec $here "%s" run driven.conf %s --backend=openmp --output=far/kept\n' \
    "$TRIREME" "$keeping" >each
  chmod +x each elsewhere
  rm -rf far of_one && mkdir far
  "$TRIREME" run driven.conf $keeping --backend=openmp --output=of_one >out 2>err && of_checkpoints of_one >kept_by_one
  over 3 ./each >out 2>err || { cat out err; return 1; }
  of_checkpoints far/kept | diff - kept_by_one && test "$(grep -c warning err)" = 1 && grep warning err | grep -Eq "$2" || { cat err; return 1; }
}
unseen() { # PATTERN OF FAILURE: rank 1 sees other obstacles than rank 0, or none, and no folder for files of rank 0
  mkdir -p there temporary && cp solid.dat there
  printf '#!/bin/sh\nmount -t tmpfs own there && %s && exec "$@"; exit 9\n' "$2" >elsewhere
  printf '#!/bin/sh\nhere=\nexport TMPDIR=%s/temporary\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || here="unshare -m ./elsewhere"\nexec $here "%s" run driven.conf --set lbm.obstacles=there/solid.dat --precision=f64 --every=20 --backend=openmp --output=run\n' \
    "$work" "$TRIREME" >each
  chmod +x each elsewhere
  rm -rf run
  over 3 ./each >out 2>err
  if test -n "$1"; then test "$(grep -c '^trireme: ' err)" = 1 && has "$1" err && return; cat out err; return 1; fi
  test ! -s err && sed -n 's/^fingerprint  *//p' out | cmp - reference_print && outputs run | diff - reference && test -z "$(ls temporary)"
}
unseen_set() { # KEY, COMMAND: what rank 1 does with its own empty folder `there`; all others see the course's files in it
  rm -rf set there temporary run of_one && mkdir set there temporary
  for name in hu hv Zdx Zdy; do head -c 3528 /dev/zero >set/Data_nx21_10km_T0.01_$name.bin; done
  { printf '\000\000\000\000\000\000\360\077%.0s' $(seq 200); printf '\000\000\000\000\000\000\000\100%.0s' $(seq 241); } >set/Data_nx21_10km_T0.01_h.bin
  cp set/* there
  printf '#!/bin/sh\nmount -t tmpfs own there && %s && exec "$@"; exit 9\n' "$2" >elsewhere
  printf '#!/bin/sh\nhere=\nexport TMPDIR=%s/temporary\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || here="unshare -m ./elsewhere"\nexec $here "%s" run shallow %s --steps=20 --backend=openmp --output=run\n' \
    "$work" "$TRIREME" "$1" >each
  chmod +x each elsewhere
  "$TRIREME" run shallow "$1" --steps=20 --backend=openmp --output=of_one >out 2>err && outputs of_one >reference || { cat out err; return 1; }
  over 3 ./each >out 2>err && test ! -s err && outputs run | diff - reference && grep -q series reference && test -z "$(ls temporary)" || { cat out err; return 1; }
}
if unshare -m mount -t tmpfs own "$work" 2>/dev/null; then
  reference --precision=f64
  check "obstacles that rank 1 does not see come from rank 0" unseen '' true
  check "and where it sees others" unseen '' 'echo 3 3 1 >there/solid.dat'
  check "it has no room for them" unseen "rank 1: cannot (keep the file '.*solid.dat' of rank 0|make the folder)" 'mount -t tmpfs -o ro own temporary'
  for of in there/Data_nx21_10km_T0.01 there; do
    check "files that rank 1 does not see, by $of" unseen_set $of true
  done
  check "and where it sees another one of them" unseen_set there/Data_nx21_10km_T0.01 'cp set/* there && cp set/*_Zdx.bin there/Data_nx21_10km_T0.01_hu.bin'
  check "a folder that rank 1 does not see" hidden 'mount -t tmpfs own far' \
    "rank 1 on .* does not see the folder '.*kept/checkpoint' .*, so rank 0 writes its part .*; write to a folder that all machines share"
  check "another folder of the same name" hidden 'mount -t tmpfs own far && mkdir -p far/kept/checkpoint/.new' 'does not see the folder'
  check "one that rank 1 may not write to" hidden 'mount --bind far far && mount -o remount,ro,bind far' \
    "rank 1 on .* cannot write to the folder .*Read-only file system"
else
  skip "a folder that rank 1 does not see" "no mounts of one's own here"
fi

too_long() { # a folder whose whole path is longer than any that can be opened: by another rank too
  rm -rf of_one && "$TRIREME" run driven.conf $keeping --backend=openmp --output=of_one >out 2>err && of_checkpoints of_one >kept_by_one
  (here=$work
  each=$(printf 'd%.0s' $(seq 200))
  while left=$((4080 - $(pwd | wc -c))) && test $left -gt 1; do
    name=$(printf %s "$each" | cut -c "1-$((left - 1))")
    mkdir -p "$name" && cd "$name" || exit 1
  done
  over 2 "$TRIREME" run "$here/driven.conf" --set "lbm.obstacles=$here/solid.dat" $keeping --backend=openmp --output=o >"$here/out" 2>"$here/err" &&
    of_checkpoints o >"$here/kept_by_all")
  diff kept_by_all kept_by_one && test "$(grep -c warning err)" = 1 && rm -rf ddd* &&
    grep warning err | grep -Eq "rank 1 on .* cannot write to the folder 'o/checkpoint' \(File name too long\), so rank 0 writes its part .*; choose a shorter name" || { cat err; return 1; }
}
if test $mpi = mpich; then skip "a path that is too long for another rank" "MPICH hands it on"
else check "a path that is too long for another rank: rank 0 writes its part" too_long
fi

# ---- weights that are measured
weighed() { # DEVICES KIND: of the first; so many rows that the slowest keeps some. A busy machine may measure no gain
  devices=$1 kind=$2
  set -- driven.conf --set grid.ny=620 --set lbm.obstacles= --steps=700 --formats=none
  rm -rf of_one && "$TRIREME" run "$@" --backend=openmp --output=of_one >out 2>err || { cat out err; return 1; }
  for attempt in 1 2 3; do
    rm -rf run
    over 3 "$TRIREME" run "$@" "--devices=$devices" --output=run >out 2>err && test ! -s err &&
      cmp of_one/series.csv run/series.csv || { cat out err; return 1; }
    grep -Eq "^rows are shared out anew, as the devices were measured: $kind:0@0 [0-9]+, openmp:0@1 [0-9]+, openmp:0@2 [0-9]+ of 620\$" run/log.txt &&
      return 0
  done
  cat out run/log.txt
  return 1
}
check "weights that each rank measures: rows are shared out anew, with the same bits" weighed 'openmp*auto,openmp*9,openmp*2' openmp
test $mixed = no || check "and of two kinds" weighed 'opencl*auto,openmp*9,openmp*2' opencl
check "measured weights, with a fingerprint and files" reference --precision=f32 --steps=700
check "are those of one device" same_over 2 --precision=f32 --steps=700 '--devices=openmp*auto,openmp*9'

# ---- devices, and what is refused
listed() { over 2 "$TRIREME" devices >out 2>err && has '^openmp:0@0 ' && has '^openmp:0@1 '; }
check "each rank's devices are listed" listed
refused() { # RANKS PATTERN ARGUMENT...
  number=$1 pattern=$2
  shift 2
  # mpirun's own way to end a job takes seconds
  OMPI_MCA_orte_abort_on_non_zero_status=0 over "$number" "$TRIREME" "$@" >out 2>err
  test "$(grep -c '^trireme: ' err)" = 1 && grep '^trireme: ' err | grep -Eq "$pattern" || { cat out err; return 1; }
}
check "a device that a rank has not" refused 2 'rank 1: --devices: no device "openmp:7"' run driven.conf \
  --devices=openmp,openmp:7
check "a device of another rank" refused 2 '@ names none of another rank; start as many ranks as devices' run driven.conf --devices=openmp@1,openmp@0
check "devices for other ranks than there are" refused 3 '2 devices for 3 ranks' run driven.conf --devices=openmp,openmp
check "a bad setting" refused 3 'steps' run driven.conf --steps=-1 --backend=openmp
check "what a solver cannot share" refused 2 "a flow about bodies works on one device alone" run cylinder-compressible \
  --steps=1 --backend=openmp
check "a weight of a rank's device, with blanks" over 2 "$TRIREME" run driven.conf '--devices=openmp * 3, openmp ' --steps=1
check "more ranks than rows" refused 4 '4 devices share 3 rows .*, and openmp:0@2 would get none; start fewer ranks, name fewer' run driven.conf --set grid.ny=3 \
  --set lbm.obstacles= --backend=openmp
check "a command for one process" refused 2 'start it without mpirun' tune driven.conf
check "a bench of ranks" refused 2 'start it without mpirun' bench --on=openmp --runs=1
differ() {
  printf '#!/bin/sh\nexec "%s" run driven.conf --backend=openmp --steps=${OMPI_COMM_WORLD_RANK-${PMI_RANK-0}}0\n' "$TRIREME" >each
  chmod +x each
  over 2 ./each >out 2>err
  test $? = 2 && grep -c 'given other words than rank 0' err | grep -qx 1 || { cat out err; return 1; }
}
check "ranks with different command lines" differ
alone() {
  OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 PMIX_RANK='' TRIREME_COMM=none "$TRIREME" run driven.conf --backend=openmp \
    --steps=1 --output=alone >out 2>err && test ! -s err
}
check "TRIREME_COMM=none: each process on its own" alone
# as the mpirun of another MPI leaves it
another() {
  if test $mpi = openmpi; then export PMI_SIZE=2 PMI_RANK=0; else export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0; fi
  ends 2 run driven.conf --backend=openmp && says 'started 2 processes'
}
check "the launcher of an MPI that is not built in" another
# as srun leaves it: the variables of Slurm, and of MPI what belongs to the link that was asked for
if test $mpi = openmpi; then told='unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK; export SLURM_PROCID=$PMIX_RANK'
else told='export SLURM_PROCID=$PMI_RANK'
fi
printf '#!/bin/sh\n%s\nexec env SLURM_STEP_NUM_TASKS=3 "%s" "$@"\n' "$told" "$TRIREME" >task
chmod +x task
by_srun() {
  reference --precision=f32 || return 1
  rm -rf run
  over 3 ./task run driven.conf --precision=f32 --every=20 --backend=openmp --output=run >out 2>err || { cat out err; return 1; }
  test "$(grep -c ^fingerprint out)" = 1 && has '"rank": 2' run/run.json && outputs run | diff - reference
}
check "three tasks of srun are one run" by_srun
bare_srun() {
  for task in 0 1 2; do
    SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$task "$TRIREME" run driven.conf --backend=openmp --output=bare >out.$task 2>err.$task &
  done
  wait
  cat err.0 err.1 err.2 >err
  test "$(wc -l <err)" = 1 && says 'srun started 3 processes of one run without PMIx or PMI' && test ! -e bare || { cat err; return 1; }
}
check "srun that tells no MPI of the other tasks" bare_srun
one_of_mpirun() { # which is nearer than the srun around it
  rm -rf run
  export SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0
  over 1 "$TRIREME" run driven.conf --backend=openmp --steps=1 --output=run >out 2>err || { cat out err; return 1; }
}
check "mpirun of one rank inside of srun" one_of_mpirun
other=mpich their_launcher=mpiexec.mpich
test $mpi = openmpi || other=openmpi their_launcher=mpirun.openmpi
really() { # LAUNCHER COMM SAYS
  TRIREME_COMM=$2 limit=30 launcher=$1 over 2 "$TRIREME" run driven.conf --backend=openmp --steps=1 >out 2>err
  code=$?
  test $code != 0 && test $code != 124 && test "$(grep -c '^trireme: ' err)" = 1 && has "started 2 processes, and $3 .* sees 1: it is another MPI's" err ||
    { cat out err; echo "exit code $code"; return 1; }
}
called() { case $1 in mpich) echo MPICH ;; *) echo Open MPI ;; esac; }
if test -n "${TRIREME_TEST_LONG-}" && command -v $their_launcher >/dev/null && test -e "$build/comm-mpi/.libs/comm_$other.so"; then
  check "$mpi under $their_launcher" really $their_launcher $mpi "$(called $mpi)"
  check "$other under $launcher" really "$launcher" $other "$(called $other)"
fi
wrong() {
  export TRIREME_COMM=$mpi
  another && says "sees 1: it is another MPI's launcher"
}
check "the wrong launcher" wrong

# ---- docs/scale.md and its script for Slurm, with a queue of our own
mkdir bin page
printf '#!/bin/sh\nexec "%s" "$@"\n' "$TRIREME" >bin/trireme
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$launcher")" >bin/mpirun
printf '#!/bin/sh\necho "$1" >>"%s/queue"\n' "$work" >bin/sbatch
chmod +x bin/*
PATH=$work/bin:$PATH
follow() { # each line ends with the code that stands behind it
  while read -r line; do
    (cd page && timeout 180 sh -c "$line" >../out 2>../err </dev/null)
    found=$?
    test $found = "$(echo "$line" | sed 's/.*# \([0-9]*\):.*/\1/')" || { echo "$line"; cat out err; echo "exit code $found"; return 1; }
  done <lines
}
awk '/^## Try it/ { on = 1 } on && inside && /^```$/ { exit } on && inside { print } on && /^```sh$/ { inside = 1 }' "$pages/scale.md" >lines
check "the page has eight commands to try" test "$(wc -l <lines)" = 8
check "each ends as it says" follow
queue() {
  : >queue
  for limit in 0.01s 1h; do # the first submits the second
    (cd page && LAUNCH="mpirun -n 2" BACKEND=openmp LIMIT=$limit STEPS=2400 TRIREME_BATCH=200 sh "$pages/slurm-ranks.sh") >out 2>err || { cat out err; return 1; }
  done
  limit=60
  test "$(wc -l <queue)" = 1 && has 'has finished' && ends 0 run driven-box --steps=2400 --backend=openmp --output=whole &&
    cmp page/results/box/series.csv whole/series.csv
}
check "jobs follow each other until the run has finished" queue

# ---- faults
named=openmp
whole_or_none() { # FOLDER: what is written is whole, and is not where a run failed at once
  for file in fields.vti speed.png av_vels.dat final_state.dat; do
    test ! -e "$1/$file" || cmp "$1/$file" "faultless/$file" || return 1
  done
}
faulty() { # RANK CALL [COUNTS], and $kept: more options: a call of its plugin fails (tests/cli/comm_fault.c)
  rm -rf fault
  TRIREME_FAULT_LOST=${lost-} TRIREME_COMM_SILENCE=${silence-} TRIREME_COMM=fault TRIREME_COMM_PATH=$build/tests/.libs TRIREME_FAULT_COMM=$build/comm-mpi/.libs/comm_$mpi.so \
    TRIREME_FAULT_NAME=$mpi TRIREME_FAULT_RANK=$1 TRIREME_FAULT_AT=$2 TRIREME_FAULT_COUNT=${3-} limit=30 \
    over 3 "$TRIREME" run driven.conf --steps=${steps-2} "--devices=$named" --output=fault ${kept-} >out 2>err
}
stopped() { # RANK CALL
  faulty "$1" "$2"
  code=$?
  test $code != 0 && test $code != 124 && test "$(grep '^trireme: ' err | grep -vc ' checkpoints every ')" = 1 && has "call $2 fails, as asked" err &&
    whole_or_none fault || { cat out err; echo "rank $1, call $2: exit code $code"; return 1; }
}
rm -f calls.*
check "no call fails: the plugin counts them" faulty 0 1000000 calls
mv fault faultless
skip_unless_long "rank 1: the end of open fails" || check "rank 1: the end of open fails" stopped 1 1
check "rank 1: its first message fails" stopped 1 2
told_once() { OMPI_MCA_odls_base_sigkill_timeout=1 stopped "$@"; }
check "rank 1: a call before the first step, where mpirun sends SIGTERM first" told_once 1 20
check "rank 2: a call in the middle fails" stopped 2 $(($(cat calls.2) / 2))
check "rank 0: a call in the middle fails" stopped 0 $(($(cat calls.0) / 2))
mkdir keeps
often="--batch=1 --checkpoint-every=0.0001s"
counts_keeping() {
  cd keeps && ln -s ../driven.conf ../solid.dat . && named=openmp steps=6 kept=$often && faulty 1 1000000 calls && mv fault faultless &&
    test -n "$(find faultless/checkpoint -name 'step-*')" || { cat out err; return 1; }
}
half_kept() { # RANK PART OF ALL CALLS: what is kept is whole
  cd keeps && named=openmp steps=6 kept=$often && stopped "$1" $(($(cat "calls.$1") * $2 / 100)) || return 1
  test -n "$(find fault/checkpoint -name 'step-*' 2>/dev/null)" || return 0
  "$TRIREME" resume fault --backend=openmp --checkpoint-every=0 >out 2>err && cmp fault/series.csv faultless/series.csv || { cat out err; return 1; }
}
check "a run with checkpoints: the plugin counts its calls" counts_keeping
parts="35 60 80"
test -z "${TRIREME_TEST_LONG-}" || parts="30 33 37 42 45 50 54 60 63 67 71 75 80 84 88 92"
for part in $parts; do
  for rank in 0 1 2; do check "rank $rank: a call at $part %, with checkpoints" half_kept $rank $part; done
done
# Of each rank all calls, or all messages, by three workers at a time.
work_off() { # WORKER SUFFIX COMMAND
  for rank in 0 1 2; do
    for number in $(seq "$1" 3 $(($(cat "calls.$rank$2") - 1))); do
      "$3" $rank "$number" >failure 2>&1 || { cat failure; return; }
      echo >>done
    done
  done
}
each() { # WORD SUFFIX COMMAND
  for worker in 0 1 2; do
    rm -rf worker$worker && mkdir worker$worker && ln -s ../driven.conf ../solid.dat ../faultless worker$worker && cp calls.* worker$worker
    (cd worker$worker && work_off $worker "$2" "$3" >told) &
  done
  wait
  all=$(($(cat "calls.0$2") + $(cat "calls.1$2") + $(cat "calls.2$2"))) tried=$(cat worker?/done | wc -l)
  echo "# $tried of $all $1 were tried, and all ranks ended" >&3
  cat worker?/told
  test $tried = $all
}
each_one() { # NAME WORD SUFFIX COMMAND
  skip_unless_long "$1" && return
  check "$1" each "$2" "$3" "$4"
}
each_one "each call of each rank, one by one" calls '' stopped

lost() { # RANK: the last message that it sends never comes
  lost=$(cat "calls.$1.sent") silence=2 faulty "$1" 1000000
  code=$?
  test $code != 0 && test $code != 124 && test "$(grep -c '^trireme: ' err)" = 1 && whole_or_none fault &&
    has "a message between ranks was lost: for 2 seconds all have waited, rank 0 waits for rank $2" err ||
    { cat out err; echo "exit code $code"; return 1; }
}
check "the last message of rank 2 is lost: all end" lost 2 "2, rank 2 for all"
one_lost() { # RANK MESSAGE: where no other follows, all wait; else the next is not the one that is due
  lost=$(($2 + 1)) silence=2 faulty "$1" 1000000
  code=$?
  test $code != 0 && test $code != 124 && test "$(grep -c '^trireme: ' err)" = 1 && whole_or_none fault &&
    has 'a message between ranks was lost|out of step|bytes came, where|MPI_Irecv: ' err || { cat out err; echo "rank $1, message $2: exit code $code"; return 1; }
}
each_one "each message of each rank lost, one by one" messages .sent one_lost

under_way() { # a run that keeps checkpoints has one
  test -s fault/used.conf && { test -z "${kept-}" || test -n "$(find fault/checkpoint -name 'step-*' 2>/dev/null)"; }
}
find_rank() { # RANK: the process of it, once the run is under way
  for i in $(seq 600); do
    victims=$(for pid in $(pgrep -f -- "run driven.conf --steps=100000000"); do
      tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -Eqx "(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1" &&
        grep -Fqz "$work" "/proc/$pid/environ" && echo "$pid"
    done)
    test -n "$victims" && under_way && break
    sleep 0.1
  done
  sleep 0.5
}
victim() { # RANK SIGNAL [SILENCE]: of a run without end, which then ends within 30 s
  rm -rf fault
  (limit=150 TRIREME_COMM_SILENCE=${3-} over 3 "$TRIREME" run driven.conf --steps=100000000 "--devices=$named" --output=fault ${kept-} >out 2>err
  echo $? >code) &
  job=$!
  find_rank "$1"
  kill "-$2" $victims || return 1
  begun=$(date +%s)
  wait $job
  took=$(($(date +%s) - begun))
  test $took -le 30 && test "$(cat code)" != 0 && test ! -e fault/fields.vti || { ls fault; cat out err; return 1; }
  test -z "$(pgrep -f -- "run driven.conf --steps=100000000 --devices=.* --output=fault")"
}
silent() { # RANK [SILENCE]
  victim "$1" STOP "${2-}" && test "$(grep -c '^trireme: ' err)" = 1 && has "rank $1 has sent no heartbeat" err || { cat err; return 1; }
}
check "rank 2 killed: all end" victim 2 KILL
check "rank 0 killed: all end" victim 0 KILL
killed_keeping() { # RANK: while checkpoints are written all the time
  kept="--batch=20 --checkpoint-every=0.0001s" && victim "$1" KILL && rm -f err || return 1
  over 2 "$TRIREME" resume fault --backend=openmp --for=0.01s >out 2>err
  test $? = 75 && ! grep -E 'damaged|hash' err || { ls -A fault/checkpoint; cat out err; return 1; }
}
times="1 0"
test -z "${TRIREME_TEST_LONG-}" || times="0 1 2 0 1 2 0 1 2 0 1 2 0 1 2"
for rank in $times; do check "rank $rank killed where checkpoints are written: what is kept is whole" killed_keeping $rank; done
signal() { find_rank 0 && kill "-$1" $victims; }
short_of_memory() { # rank 1, where it is to save its part: a warning, and the run goes on
  rm -rf fault
  (limit=60 over 2 "$TRIREME" run driven.conf --steps=100000000 --backend=openmp --formats=none --checkpoint-every=1h --output=fault >out 2>err
  echo $? >code) &
  job=$!
  find_rank 1
  it=$victims
  prlimit --pid "$it" --as=$(($(awk '/^VmSize/ { print $2 }' "/proc/$it/status") * 1024 + 1000000)):
  signal USR1
  for i in $(seq 100); do grep -q warning err && break; sleep 0.1; done
  prlimit --pid "$it" --as=unlimited:
  signal TERM
  wait $job
  test "$(cat code)" = 75 && test "$(grep -c 'warning' err)" = 1 && test -n "$(find fault/checkpoint -name 'step-*')" &&
    has 'no checkpoint was written at step [0-9]+: rank 1: no memory to save a buffer in parts of [0-9]+ bytes; free some; the run continues' err ||
    { cat out err code; return 1; }
}
if test $mpi = openmpi && (ulimit -v 400000 && "$TRIREME" devices) >out 2>&1 && command -v prlimit >/dev/null; then
  check "a rank without memory for its part of a checkpoint" short_of_memory
else skip "a rank without memory for its part of a checkpoint" "no prlimit, or this build needs more to begin"
fi
check "rank 1 stopped: all end" silent 1 6
have_ended() { # each rank: its process is gone, or waits for its parent to ask
  for rank in 0 1 2; do
    test -s late.$rank || return 1
    case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat late.$rank)/status" 2>/dev/null) in '' | Z* | X*) ;; *) return 1 ;; esac
  done
}
# The launcher itself is not ours: where a rank never came to MPI's first meeting, mpirun of Open MPI 4.1 with PMIx 4.2
# now and then waits for a lock for ever, or dies, once all ranks are gone. It is given five seconds.
late() { # SECONDS: rank 1 is stopped so long after its start, where MPI waits by itself
  rm -rf fault late.?
  cat >late.sh <<END
#!/bin/sh
rank=\${OMPI_COMM_WORLD_RANK-}\${PMI_RANK-}
echo \$\$ >late.\$rank
test \$rank != 1 || { (sleep $1; exec kill -STOP \$\$) & }
exec "$TRIREME" "\$@"
END
  chmod +x late.sh
  TRIREME_COMM_SILENCE=${silence-2} "$launcher" -n 3 ./late.sh run driven.conf --steps=100000000 --backend=openmp --output=fault >out 2>err &
  job=$! begun=$(date +%s)
  until have_ended || test $(($(date +%s) - begun)) -gt 30; do sleep 0.1; done
  have_ended && is_over=yes || is_over=no
  for i in $(seq 50); do kill -0 $job 2>/dev/null || break; sleep 0.1; done
  test $is_over = no || ! kill -0 $job 2>/dev/null || echo "# $launcher was left without ranks, and did not end" >&3
  kill -KILL $job $(cat late.?) 2>/dev/null
  wait $job
  code=$?
  test $is_over = yes && test $code != 0 &&
    has '(the ranks have not all begun: one of them was stopped|rank 1 has sent no heartbeat)' err || { cat out err; echo "exit code $code"; return 1; }
}
check "rank 1 stopped 0.05 s after its start: all end" late 0.05
for seconds in 0.01 0.3; do
  skip_unless_long "rank 1 stopped $seconds s after its start: all end" || check "rank 1 stopped $seconds s after its start: all end" late $seconds
done
skip_unless_long "rank 0 stopped: all end" || check "rank 0 stopped: all end" silent 0 6
skip_unless_long "rank 1 stopped, after the time that it has unless told" ||
  check "rank 1 stopped, after the time that it has unless told" silent 1
rests() { # RANKS SECONDS: they are stopped for so long, and go on
  rm -rf fault
  (limit=150 TRIREME_COMM_SILENCE=6 over 3 "$TRIREME" run driven.conf --steps=100000000 --for=14s --backend=openmp --output=fault >out 2>err
  echo $? >code) &
  job=$!
  find_rank "$1"
  kill -STOP $victims
  sleep "$2"
  kill -CONT $victims
  wait $job
  test "$(cat code)" = 75 || { cat out err code; return 1; }
}
skip_unless_long "a job that is suspended goes on" || check "a job that is suspended goes on" rests "[012]" 9
skip_unless_long "a rank that is back in time goes on" || check "a rank that is back in time goes on" rests 1 3

# ---- full disks and other programs
no_space() { # RANK CODE: it can write no file
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != %s || ulimit -f 0\nexec "%s" run driven.conf --steps=2 --backend=openmp --output=fault\n' \
    "$1" "$TRIREME" >each
  rm -rf fault
  over 3 ./each >out 2>err
  test $? = "$2" && test "$(grep -c '^trireme: ' err)" = $(($2 / 2)) && whole_or_none fault || { cat out err; return 1; }
}
if test $mpi = mpich; then skip "a full disk of rank 0 ends all" "MPICH shares memory by files"
else check "a full disk of rank 0 ends all" no_space 0 2
fi
test $mpi = mpich || skip_unless_long "of rank 1 it is nobody's matter" || check "of rank 1 it is nobody's matter" no_space 1 0
other_program() {
  cp "$build/cli/.libs/trireme" other && echo >>other
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || exec "%s/other" run driven.conf --backend=openmp --steps=2\nexec "%s/cli/.libs/trireme" run driven.conf --backend=openmp --steps=2\n' \
    "$work" "$build" >each
  rm -rf results
  LD_LIBRARY_PATH=$build/core/.libs:$build/solvers/.libs over 2 ./each >out 2>err
  test $? = 2 && test "$(grep -c '^trireme: ' err)" = 1 && has 'rank 1 on .* runs another program' err || { cat out err; return 1; }
}
check "another program on rank 1" other_program
little_memory() { # of rank 1: too little for the run, and enough to see that it is the same program
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || ulimit -v 400000\nexec "%s" "$@"\n' "$TRIREME" >each
  over 2 ./each run driven-box --set grid.nx=4000 --set grid.ny=4000 --set lbm.obstacles= --steps=2 --backend=openmp --formats=none >out 2>err
  test $? = 2 && test "$(grep -c '^trireme: ' err)" = 1 && has 'rank 1: openmp:0 .*: buffer "lattice 0" needs' err || { cat out err; return 1; }
}
if (ulimit -v 400000 && "$TRIREME" devices) >out 2>&1; then check "a rank with little memory" little_memory
else skip "a rank with little memory" "this build needs more to begin"
fi
other_library() {
  mkdir -p library && cp "$build"/core/.libs/libtrireme.so.?* library && for file in library/*; do echo >>"$file"; done
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || LD_LIBRARY_PATH=%s/library:$LD_LIBRARY_PATH\nexec "%s/cli/.libs/trireme" run driven.conf --backend=openmp --steps=2\n' \
    "$work" "$build" >each
  LD_LIBRARY_PATH=$build/core/.libs:$build/solvers/.libs over 2 ./each >out 2>err
  test $? = 2 && test "$(grep -c '^trireme: ' err)" = 1 && has 'rank 1 on .* runs another program .* built otherwise' err ||
    { cat out err; return 1; }
}
skip_unless_long "another library on rank 1" || check "another library on rank 1" other_library
other_backend() {
  rm -rf plugins && mkdir -m 755 plugins && cp "$build/backend-openmp/.libs/trireme_openmp.so" plugins && echo >>plugins/trireme_openmp.so
  printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 || TRIREME_BACKEND_PATH=%s/plugins\nexec "%s" run driven.conf --backend=openmp --steps=2\n' \
    "$work" "$TRIREME" >each
  over 2 ./each >out 2>err
  test $? = 2 && test "$(grep -c '^trireme: error: ' err)" = 1 &&
    has 'rank 1 on .* has another build of the backend "openmp" than rank 0 on' err || { cat out err; return 1; }
}
check "another build of a backend on rank 1" other_backend
small_disk() { # of rank 0, on which checkpoints and series find room but fields do not, or not even they
  for blocks in 8 40; do
    printf '#!/bin/sh\ntest "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 0 || ulimit -f %s\nexec "%s" run driven.conf --steps=400 --batch=200 --checkpoint-every=0.01s --backend=openmp --output=fault\n' \
      $blocks "$TRIREME" >each
    rm -rf fault
    over 3 ./each >out 2>err
    test $? = 2 && test "$(grep -c '^trireme: error: ' err)" = 1 && has 'raise the limit on file sizes' err &&
      test ! -e fault/fields.vti || { ls fault; cat out err; return 1; }
  done
}
if test $mpi = mpich; then skip "a disk that fills on the way" "MPICH shares memory by files"
else skip_unless_long "a disk that fills on the way" || check "a disk that fills on the way" small_disk
fi
done_testing
