# ranks_choice.sh - which of several plugins of MPI joins the processes of a launcher: the one for the launcher's
# own MPI, or, where that is missing or does not load, the one for the common interface of MPI 5. In the latter's
# place stands one that counts its calls (tests/cli/comm_fault.c) on the first's MPI; no MPI 5 is needed.
. "$srcdir/tests/tap.sh"
workplace ranks_choice
stand_in=$build/tests/stand_in/.libs/comm_mpi_abi.so built=$build/comm-mpi/.libs
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
OMPI_MCA_odls_base_sigkill_timeout=0 # of a second that mpirun else gives to ranks that are ended
TRIREME_COMM_PATH=$work/plugins TRIREME_FAULT_COUNT=$work/calls
unset TRIREME_COMM TRIREME_FAULT_AT
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMP_NUM_THREADS TRIREME_COMM_PATH \
  PRTE_MCA_rmaps_default_mapping_policy OMPI_MCA_odls_base_sigkill_timeout TRIREME_FAULT_COUNT
"$TRIREME" run driven-box --steps=5 --backend=openmp --output=one >one.out 2>&1

with() { # FILE... : what the folder of plugins holds; a name ending in ! is a file that is no plugin
  rm -rf plugins calls.* && mkdir -m 755 plugins
  for file; do
    case $file in
      *!) echo "no plugin" >"plugins/comm_${file%!}.so" ;;
      mpi_abi) cp "$stand_in" plugins ;;
      *) cp "$built/comm_$file.so" plugins ;;
    esac
  done
}
over() { # ARGUMENT... : two ranks
  TRIREME_FAULT_COMM=$built/comm_$own.so TRIREME_FAULT_NAME=$own timeout -k 5 60 "$launcher" -n 2 "$TRIREME" "$@" >out 2>err
}
joined() { # yes|no: by the stand-in
  rm -rf run
  over run driven-box --steps=5 --backend=openmp --output=run && test "$(print_of run)" = "$(print_of one)" &&
    test "$(grep -c ^fingerprint out)" = 1 && has '"rank": 1' run/run.json || { cat out err; return 1; }
  test $1 = no && test ! -e calls.0 || { test $1 = yes && test -s calls.0 && test -s calls.1; } || { ls; return 1; }
}
taken() { # yes|no FILE...
  is_stand_in=$1
  shift
  with "$@" && joined $is_stand_in
}
refused() { # PATTERN FILE... : by rank 0, and in the same words by the other unless it was ended before
  pattern=$1
  shift
  with "$@"
  over run driven-box --steps=5 --backend=openmp
  code=$?
  test $code != 0 && test $code != 124 && grep -Eq "^trireme: .*$pattern" err && ! grep '^trireme: ' err | grep -Evq "$pattern" ||
    { cat out err; echo "exit code $code"; return 1; }
}
asked_for() { with mpi_abi $own && TRIREME_COMM=mpi_abi joined yes; }
alone() { # as a launcher of another MPI leaves it; that MPI's library then sees one process
  with mpi_abi
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 TRIREME_COMM=mpi_abi TRIREME_FAULT_COMM=$built/comm_$own.so TRIREME_FAULT_NAME=$own \
    "$TRIREME" run driven-box --steps=5 --backend=openmp >out 2>err
  test $? = 2 && says "sees 1: it is another MPI's launcher; start them by the mpirun that belongs to it, or name the folder of" &&
    says "the launcher's own libmpi_abi.so.1 in LD_LIBRARY_PATH"
}

number=0
for own in openmpi mpich; do
  test $own = mpich && names="mpiexec.hydra mpiexec.mpich" || names="mpirun.openmpi mpirun"
  for launcher in $names ''; do command -v "${launcher:-none}" >/dev/null && break; done
  if test -z "$launcher" || test ! -e "$built/comm_$own.so"; then skip "$own" "built without it, or its launcher is not here"; continue; fi
  number=$((number + 1))
  check "$own: its own plugin and the common one: its own" taken no $own mpi_abi
  check "$own: the common one alone" taken yes mpi_abi
  check "$own: its own does not load: the common one" taken yes $own! mpi_abi
  check "$own: the common one by TRIREME_COMM" asked_for
  check "$own: neither loads" refused "comm $own is not ready .* is not a shared object" $own! mpi_abi!
  check "$own: the common one does not load" refused "comm mpi_abi is not ready .* is not a shared object" mpi_abi!
  check "$own: none is there" refused "comm $own is not ready \(not found\): there is no file comm_$own.so"
  check "$own: the common interface of another MPI" alone
done
test $number != 0 || skip "all" "no MPI is here"
done_testing
