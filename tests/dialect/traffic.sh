# traffic.sh - what solvers declare of their kernels' traffic (solver.h: trm_traffic) is what the
# kernels do: clang compiles the kernel texts anew, with a call at each load, store and operation,
# and tests/dialect/traffic holds the counts against the declarations.
. "$srcdir/tests/tap.sh"
. "$srcdir/tests/dialect/traffic_twins.sh"

source=$(cd "$srcdir" && pwd)
counter=${TRIREME%/cli/*}/tests/dialect/traffic
work=$TRIREME_TEST_STATE/traffic
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
cannot_count=$(twins_missing)
test -z "$cannot_count" || skip_all "$cannot_count"

texts="core/kernels/reduce core/kernels/sort solvers/lbm/driven/lbm solvers/lbm/driven/lbm_implementations
  solvers/lbm/channel/cylinder solvers/lbm/channel/channel solvers/lbm3d/kernels/lbm3d
  solvers/lbm3d/kernels/lbm3d_trt solvers/lbm3d/kernels/lbm3d_regularised solvers/lbm3d/kernels/lbm3d_mrt
  solvers/lbm3d/kernels/lbm3d_cumulant solvers/lbm3d/kernels/lbm3d_levels solvers/lbm3d/kernels/lbm3d_levels_trt
  solvers/lbm3d/kernels/lbm3d_means solvers/lbm3d/kernels/lbm3d_moments solvers/lbm3d/kernels/lbm3d_stored
  solvers/shallow/shallow solvers/shallow/shallow_lf solvers/shallow/shallow_hllc
  solvers/shallow/shallow_implementations
  solvers/compressible/kernels/fv_ausm solvers/compressible/kernels/fv_common solvers/compressible/kernels/fv_implementations solvers/compressible/kernels/fv_push solvers/nbody/kernels/nbody
  solvers/nbody/kernels/nbody_force solvers/nbody/kernels/nbody_hermite
  solvers/nbody/kernels/nbody_tree solvers/nbody/kernels/nbody_walk"
library() { # PRECISION
  for text in $texts; do twins "$1" "$source/$text.k" "$source" || return 1; done
  # the sort has integers alone, and is built in f32 whatever the run's precision is
  test "$1" = f32 || twins f32 "$source/core/kernels/sort.k" "$source" || return 1
  for text in lbm3d lbm3d_trt lbm3d_regularised; do
    twins "$1" "$source/solvers/lbm3d/kernels/$text.k" "$source" d3q27 || return 1
  done
  twins "$1" "$source/solvers/lbm3d/kernels/lbm3d.k" "$source" cumulant || return 1
  twins "$1" "$source/solvers/lbm/channel/channel.k" "$source" regularised &&
    twins "$1" "$source/solvers/compressible/kernels/fv_ausm.k" "$source" flat &&
    twins "$1" "$source/solvers/compressible/kernels/fv_common.k" "$source" flat &&
    twins "$1" "$source/solvers/compressible/kernels/fv_implementations.k" "$source" flat &&
    twins "$1" "$source/solvers/compressible/kernels/fv_push.k" "$source" flat &&
    twins "$1" "$source/solvers/nbody/kernels/nbody_force.k" "$source" naive &&
    "$clang" -shared -o "$1.so" $(ls ./*."$1".*.o ./sort.f32.*.o | sort -u)
}
tolerance=0.03 # ghost columns and edges
count() { # PRECISION STEPS CASE [OPTION]...
  count_real=$1 count_steps=$2
  shift 2
  "$counter" "$work/$count_real.so" "$count_steps" "$tolerance" "$@" --precision="$count_real"
}
# what count_all runs for one precision
count_all() {
  real=$1
  check "$real: kernels that count" library "$real"
  cases=$source/cases
  check "$real: the driven box" count "$real" 64 "$cases/bristol-128x128"
  for implementation in copied fused swapped arrays tree selects; do
    check "$real: the implementation $implementation" count "$real" 2 "$cases/bristol-128x128" \
      --set lbm.implementation=bristol-$implementation
  done
  for form in "arrays --set lbm.walls=mask --set lbm.sum=group" "selects --set lbm.split=true" \
    "swapped --set lbm.split=true --set lbm.walls=mask" "fused --set lbm.back=kernel"; do
    check "$real: $form" count "$real" 2 "$cases/bristol-128x128" --set lbm.implementation=bristol-$form
  done
  for how in memory registers; do
    check "$real: the study's eight, moments in $how" count "$real" 2 "$cases/cylinder" \
      --set lbm.implementation=split --set lbm.moments=$how
  done
  check "$real: the cylinder in one kernel" count "$real" 8 "$cases/cylinder"
  check "$real: and in the study's eight" count "$real" 2 "$cases/cylinder" --set lbm.implementation=split
  flow="lbm --steps=64 --set lbm.flow=channel --set grid.nx=200 --set grid.ny=100
    --set lbm.viscosity=0.05"
  for how in trt regularised; do
    check "$real: a channel, $how" count "$real" 8 $flow --set lbm.collision=$how \
      --set lbm.speed=0.05
    check "$real: driven by a force, $how" count "$real" 8 $flow --set lbm.collision=$how \
      --set "body_force=1e-5 0 0" --set boundary.west=periodic --set boundary.east=periodic
  done
  flow="compressible --steps=1000 --set initial.velocity_x=0.1*sin(6*x)
    --set compressible.viscosity=0.001"
  check "$real: compressible flow" count "$real" 8 $flow
  check "$real: in three dimensions" count "$real" 8 $flow --set grid.nx=16 --set grid.ny=16 \
    --set grid.nz=16
  for stage in two-kernels lists push-sides lists-side-order; do
    case $stage in push-sides) steps=24 ;; *) steps=4 ;; esac # it fills once more, at the start
    check "$real: $stage" count "$real" $steps $flow --set compressible.implementation=$stage
    check "$real: $stage in three dimensions" count "$real" $steps $flow --set grid.nx=16 \
      --set grid.ny=16 --set grid.nz=16 --set compressible.implementation=$stage
  done
  cube="$cases/cavity-3d --set grid.nx=64 --set grid.ny=40 --set grid.nz=32"
  for how in d3q19,trt d3q19,regularised d3q19,mrt d3q27,trt d3q27,regularised d3q27,cumulant; do
    collision="--set lbm.lattice=${how%,*} --set lbm.collision=${how#*,}"
    case $how in d3q27*) collision="$collision --set grid.nz=40" ;; esac # more of its edges
    check "$real: a cube, $how" count "$real" 2 $cube $collision
    check "$real: driven by a force, $how" count "$real" 2 $cube $collision --set "body_force=0 0 1e-6"
    check "$real: with eddies, $how" count "$real" 2 $cube $collision --set lbm.smagorinsky=0.1
  done
  check "$real: a cube in place" count "$real" 2 $cube --set lbm.streaming=in-place
  for how in two-lattices in-place; do
    test "$real" = f64 || check "$real: of 16 bits, $how" count "$real" 2 $cube --set lbm.storage=half \
      --set lbm.streaming=$how
  done
  check "$real: a box in place, walls across y alone, with a probe" count "$real" 2 \
    "$cases/taylor-green-3d" --set lbm.lattice=d3q19 --set lbm.collision=trt --set lbm.streaming=in-place \
    --set grid.nx=70 --set grid.ny=20 --set grid.nz=20 --set boundary.south=wall --set boundary.north=moving \
    --set "boundary.north_velocity=0.05; 0; 0.01" --set "probes=a plane x 31.5"
  moments="--set lbm.storage=moments --set lbm.collision=regularised --set grid.nx=128 --set grid.nz=70"
  check "$real: a cube's moments" count "$real" 2 $cube $moments
  check "$real: driven by a force, with a probe and means" count "$real" 2 $cube $moments \
    --set "body_force=0 0 1e-6" --set average_from=0 --set "probes=a plane x 31.5"
  check "$real: periodic, in other tiles" count "$real" 2 "$cases/taylor-green-3d" $moments \
    --set lbm.lattice=d3q19 --set grid.nx=130 --set grid.ny=40 --set lbm.tile=64x4 \
    --set lbm.tile_depth=32
  check "$real: a cube with means over time" count "$real" 2 $cube --set average_from=0
  check "$real: a cube in blocks" count "$real" 2 $cube --set lbm.blocks=true
  water="shallow --steps=1000 --set grid.nx=500 --set grid.ny=60 --set grid.dx=1"
  hills="--set initial.surface=0.2*exp(-((x-20)^2+(y-30)^2)/200)
    --set shallow.bed_formula=0.03*sin(x/9)*cos(y/7)-1"
  maps="--set shallow.maps=true --set boundary.west=wall --set boundary.north=wall"
  friedrichs="--set shallow.scheme=lax-friedrichs" friction="--set shallow.manning=0.02"
  check "$real: Lax-Friedrichs" count "$real" 4 $water $hills $friedrichs
  check "$real: with maps and walls" count "$real" 4 $water $hills $friedrichs $maps
  for form in three-kernels tile "tile-bed-global --set shallow.results=memory"; do
    check "$real: the form $form" count "$real" 16 $water $hills $friedrichs $maps \
      --set shallow.implementation=$form
  done
  check "$real: HLLC" count "$real" 4 $water $hills
  check "$real: with friction, maps and walls" count "$real" 4 $water $hills $friction $maps
  bodies="$cases/cold-collapse --set nbody.bodies=192"
  check "$real: all pairs" count "$real" 64 $bodies
  check "$real: without the potential" count "$real" 64 $bodies --set nbody.energy=false
  check "$real: in another form" count "$real" 64 $bodies --set nbody.implementation=naive
  for how in explicit yoshida4 hermite4; do
    check "$real: $how" count "$real" 64 $bodies --set nbody.integrator=$how
  done
  check "$real: a tree" count "$real" 64 $bodies --set nbody.force=tree
}
count_all f32
narrow() { tolerance=0.004 && count f32 64 "$source/cases/bristol-128x128"; }
check_not "ghost columns, half a per cent, are found where none are allowed for" narrow
skip_unless_long "the same in f64" || count_all f64
done_testing
