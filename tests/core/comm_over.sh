# comm_over.sh - what comm.c asks of threads, asked of the ranks of each MPI that there is, on 1, 2, 3, 5 and 8 ranks:
# order, sizes and collective calls; and how a run ends when a rank fails, is stopped, or waits for what never comes.
. "$srcdir/tests/tap.sh"
workplace comm_over
program=$build/tests/core/comm_over
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_odls_base_sigkill_timeout=0 OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
  OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_odls_base_sigkill_timeout OMP_NUM_THREADS
all=$("$program" | wc -l)

passes() { # RANKS: a silence that is shorter than one of them computes
  TRIREME_COMM_SILENCE=1 timeout -k 5 60 "$launcher" -n "$1" "$program" "$plugin" $mpi >out 2>err || { cat out err; return 1; }
  test "$(wc -l <out)" = 8 && test ! -s err || { cat out err; return 1; }
}
fails() { # END SILENCE SENTENCE: one rank at least says so, and all end soon; without a sentence: with the status 3 that a rank gave
  TRIREME_COMM_SILENCE=$2 timeout -k 5 60 "$launcher" -n 3 "$program" "$plugin" $mpi "$1" >out 2>err
  code=$?
  test $code != 0 && test $code != 124 && test $code != 137 || { cat out err; echo "exit code $code"; return 1; }
  if test -n "$3"; then grep -q "$3" err; else test $code = 3; fi || { cat out err; echo "exit code $code"; return 1; }
}
faulty() { # RANKS MODE : over tests/cli/comm_fault.c, which counts, and delays
  rm -f calls.*
  TRIREME_FAULT_COMM=$plugin TRIREME_FAULT_NAME=$mpi TRIREME_FAULT_COUNT=calls \
    timeout -k 5 60 "$launcher" -n "$1" "$program" "$build/tests/.libs/comm_fault.so" fault $2 >out 2>err ||
    { cat out err; return 1; }
}
counted() { # each of 3 ranks sends 48 messages to each rank, 4 large ones, and the last rank one to each other rank
  faulty 3 && cat calls.0.sent calls.1.sent calls.2.sent | paste -s -d ' ' - | grep -qx '148 148 150' || { cat calls.*.sent; return 1; }
}
late() { # by 30 ms, and less where the other rank began earlier: 40 ms of work hide them
  TRIREME_FAULT_DELAY=30000 faulty 2 late && awk '{ exit !($1 >= 15 && $2 >= 40 && $2 < 60) }' out || { cat out; return 1; }
}
over() { # MPI LAUNCHER...
  mpi=$1 plugin=$build/comm-mpi/.libs/comm_$1.so launcher=
  shift
  for name; do command -v "$name" >/dev/null && launcher=$name && break; done
  if test ! -e "$plugin" || test -z "$launcher"; then skip "$mpi" "not built, or no launcher"; return; fi
  for ranks in 1 2 3 5 8; do check "$mpi: $ranks ranks" passes $ranks; done
  "$program" >ends
  while IFS='|' read -r end silence sentence name <&3; do
    check "$mpi: $name" fails "$end" "$silence" "$sentence"
  done 3<ends
  check "$mpi: messages are counted" counted
  check "$mpi: late messages hide behind work" late
}
check "there are ends to try" test "$all" -gt 3
over openmpi mpirun.openmpi mpirun
over mpich mpiexec.hydra mpiexec.mpich
done_testing
