# ranks_mpi_abi.sh - one plugin file, built for the common interface of MPI 5, under the launcher of each MPI 5 that
# is here, with the bits of one device; and the library of one under the launcher of the other is refused by name.
. "$srcdir/tests/tap.sh"
workplace ranks_mpi_abi
plugin=$build/comm-mpi/.libs/comm_mpi_abi.so
test -e "$plugin" || skip_all "built without mpi_abi"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 TRIREME_COMM_PATH=$work/plugins
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
unset TRIREME_COMM
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMP_NUM_THREADS TRIREME_COMM_PATH PRTE_MCA_rmaps_default_mapping_policy
mkdir -m 755 plugins && cp "$plugin" plugins
"$TRIREME" run driven-box --steps=40 --backend=openmp --output=one >one.out 2>&1

# The folder of the library of an MPI, mpich or openmpi; Debian has both in one, under other names.
called() { # FOLDER: what its libmpi_abi.so.1 calls itself, or the one that the loader finds
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 TRIREME_COMM=mpi_abi LD_LIBRARY_PATH=$1:${LD_LIBRARY_PATH-} "$TRIREME" devices 2>&1 |
    sed -n 's/.* processes, and \(.*\) sees 1: .*/\1/p'
}
for file in /usr/lib/*/libmpi_abi_mpich.so.1.* /usr/lib/*/libmpi_abi_openmpi.so.1.*; do
  test -e "$file" || continue
  name=${file##*libmpi_abi_}
  mkdir -p "${name%%.*}" && ln -sf "$file" "${name%%.*}/libmpi_abi.so.1"
done
mpich= openmpi=
for folder in "$work/mpich" "$work/openmpi" ''; do
  case $(called "$folder") in
    MPICH*) mpich=${mpich:-${folder:-/}} ;;
    Open*) openmpi=${openmpi:-${folder:-/}} ;;
  esac
done
over() { # FOLDER LAUNCHER RANKS
  rm -rf run
  LD_LIBRARY_PATH=$1:${LD_LIBRARY_PATH-} timeout -k 5 120 "$2" -n "$3" "$TRIREME" run driven-box --steps=40 --backend=openmp --output=run >out 2>err
}
same() { # FOLDER LAUNCHER RANKS
  over "$@" && test "$(grep -c ^fingerprint out)" = 1 && test "$(print_of run)" = "$(print_of one)" &&
    cmp run/fields.vti one/fields.vti && cmp run/series.csv one/series.csv || { cat out err; return 1; }
  test $3 = 1 || has "\"rank\": $(($3 - 1))" run/run.json
}
refused() { # FOLDER LAUNCHER SAYS
  over "$1" "$2" 2
  code=$?
  test $code != 0 && test $code != 124 && has "^trireme: error: .* started 2 processes, and $3.* sees 1: it is another MPI's" err &&
    has "libmpi_abi.so.1 in LD_LIBRARY_PATH" err || { cat out err; echo "exit code $code"; return 1; }
}
each() { # MPI FOLDER LAUNCHER...
  kind=$1 folder=$2
  shift 2
  launcher=
  for name; do command -v "$name" >/dev/null && launcher=$name && break; done
  if test -z "$folder" || test -z "$launcher"; then skip "$kind" "no libmpi_abi of it, or no launcher"; return; fi
  for ranks in 1 2 3 4; do check "$kind: $ranks ranks" same "$folder" "$launcher" $ranks; done
  other=$openmpi says="Open MPI"
  test "$kind" = mpich || other=$mpich says=MPICH
  if test -n "$other"; then check "$says under the launcher of $kind" refused "$other" "$launcher" "$says"
  else skip "$kind: another MPI's library" "there is none"; fi
}
check "the library tells whose it is" test -n "$mpich$openmpi"
each mpich "$mpich" mpiexec.hydra mpiexec.mpich
each openmpi "$openmpi" mpirun.openmpi mpirun
done_testing
