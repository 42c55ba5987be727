# bisect.sh - compare --bisect finds a planted error of one unit in the last place: the step, the kernel,
# the field and the cell, on each backend.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/bisect
rm -rf "$work"
mkdir -p "$work/solvers"
build=${TRIREME%/cli/*}
ln -s "$build/tests/.libs/solver_plant.so" "$work/solvers/solver_plant.so"
cases=$(cd "$srcdir/cases" && pwd)
cd "$work" || exit 1
TRIREME_SOLVER_PATH=$work/solvers
TRIREME_ROOF=false
export TRIREME_SOLVER_PATH TRIREME_ROOF

check "a solver without restore is refused checkpoints" \
  ends 2 run plant --steps=2 --checkpoint-every=1s --output=kept
check "and says why" says 'cannot have checkpoints: its solver cannot be resumed from one'

check "a key without a help is listed" ends 0 solvers plant
check "with its values" has '^  plant.x +integer .*from 0 to 4095; default 0'
check "in JSON too" ends 0 solvers plant --json
check "with an empty help" json_has '"key":"plant.x","type":"integer","unit":"1","help":""'

# PAIR ON WHERE STEP X Y: bisects it in 200 steps, of which 8 at a time are recorded
plant() {
  ends 1 compare plant --on="$1" --runs=1 --steps=200 --bisect --set plant.form=plain --set plant.on="$2" \
    --set plant.where="$3" --set plant.step="$4" --set plant.x="$5" --set plant.y="$6" $7
}
ready() { "$TRIREME" backends 2>/dev/null | grep -q "^$1 *ready"; }

# PAIR TARGET: the whole, for two backends of which one is guilty
search_for() {
  pair=$1
  check "$pair: an error in the height on $2" plant "$pair" "$2" move 117 35 20
  check "$pair: its step" has 'differ first in step 117 of 200$'
  check "$pair: its kernel" has 'by command 2 of 3 there: kernel plant_move \(program plant\) over 37 x 21 x 1$'
  check "$pair: its field and cell" has "first in field 'height' in buffer \"height 1\", cell \(35, 20\)$"
  check "$pair: its size" has '  1 ULP apart; 1 of its 777 values differs$'
  check "$pair: equal inputs" has 'from inputs that are equal in every bit'
  check "$pair: an error in the trace on $2, in f64" plant "$pair" "$2" trace 8 0 0 --precision=f64
  check "$pair: its kernel, field, component and cell" has "first in field 'trace' in buffer \"trace\", cell \(0, 0\), component 1$"
  check "$pair: and its step" has 'differ first in step 8 of 200$'
  check "$pair: and its size" has '  1 ULP apart; 1 of its 1554 values differs$'
  check "$pair: an error in a derived field on $2" plant "$pair" "$2" observe 200 3 7
  check "$pair: its field" has "first in field 'shown' in buffer \"shown\", cell \(3, 7\)$"
  check "$pair: and its stage" has 'differ first in the derived fields after step 200$'
}

if ready openmp && ready opencl; then
  search_for openmp,opencl opencl
  search_for opencl,openmp host
  check "an error in the first step" plant openmp,opencl opencl move 1 0 0
  check "is found there" has 'differ first in step 1 of 200$'
  check "as JSON" plant openmp,opencl opencl trace 100 9 2 --json
  check "with step, kernel and cell" json_has '"stage":"step","step":100,.*"kernel":"plant_trace".*"field":"trace","cell":{"component":1,"x":9,"y":2,"z":0}'
  interrupted() { # the 100th launch is one of the search's
    (
      TRIREME_BACKEND_PATH=$build/tests/.libs:$build/backend-openmp/.libs:$build/backend-opencl/.libs
      TRIREME_FAULT_WRAPS=openmp TRIREME_FAULT=launch:100 TRIREME_FAULT_SIGNAL=2
      export TRIREME_BACKEND_PATH TRIREME_FAULT_WRAPS TRIREME_FAULT TRIREME_FAULT_SIGNAL
      ends 75 compare plant --on=fault,opencl --runs=1 --steps=200 --bisect --set plant.form=plain \
        --set plant.on=opencl --set plant.where=move --set plant.step=117 --set plant.x=1 --set plant.y=1
    )
  }
  check "and the distance" json_has '"ulp":1,"differing":1,"equal_inputs":true'
  check "an interrupt stops the search" interrupted
  check "for that reason" says 'stopped by the user'
  check "what was compared is kept" has '^Results: '
else
  skip "planted errors on opencl" "openmp and opencl are not both ready"
fi
if ready openmp && ready cuda; then search_for openmp,cuda cuda
else skip "planted errors on cuda" "openmp and cuda are not both ready"; fi
if ready opencl && ready cuda; then search_for opencl,cuda cuda; fi

# what differs in nothing, and what differs everywhere
check "no error" ends 0 compare plant --set plant.form=plain --on=openmp,openmp --runs=1 --steps=20 --bisect
check "nothing to bisect" says 'nothing to bisect: the results agree'
check "f32 against f64" ends 0 compare plant --vary=precision=f32,f64 --runs=1 --steps=20 --bisect
check "is not bisected" says 'runs that must agree do agree; those of different'

# a host backend of the tests that rounds otherwise: every solver has its first launch found
TRIREME_BACKEND_PATH=$TRIREME_BACKEND_PATH:$build/tests/.libs
export TRIREME_BACKEND_PATH
rounds() { # WORDS ARGUMENT...
  words=$1
  shift
  TRIREME_FAKE_FLAW=solver ends 1 compare "$@" --on=openmp,fake --runs=1 --bisect && has "$words" &&
    has 'from inputs that are equal in every bit'
}
check "lbm" rounds 'in step 1 .*' lbm --set grid.nx=40 --set grid.ny=24 --steps=40
check "by its kernel" has 'kernel lbm_accelerate \(program lbm\)'
check "shallow" rounds 'kernel shallow_' "$cases/dam-break" --steps=3
ball="nbody --steps=3 --set nbody.initial=plummer --set nbody.bodies=500 --set nbody.dt=0.01"
check "nbody" rounds 'kernel nbody_force' $ball
check "a tree" rounds 'kernel tree_' $ball --set nbody.force=tree
varied() { TRIREME_FAKE_FLAW=solver ends 1 compare $ball --vary=backend=openmp,fake --vary=nbody.implementation=naive,best --runs=1 --bisect; }
check "kernels that go by other names" varied
check "are matched by what they write" has '^openmp, backend=openmp, nbody\.implementation=naive and fake, backend=fake, nbody\.implementation=best differ first'

done_testing
