# lbm3d_run.sh - the program runs the cubic cavity: the same bits on every backend and number of threads, its
# memory said before, pictures of the middle plane, an image in three dimensions, a comparison.
. "$srcdir/tests/tap.sh"

workplace lbm3d_run
small="--set grid.nx=24 --set grid.ny=20 --set grid.nz=16 --steps=120"
run() { # FOLDER OPTION...
  folder=$1
  shift
  ends 0 run "$TRIREME_CASES/cavity-3d" $small --output="$folder" "$@"
}
same() { test -n "$(print_of "$1")" && test "$(print_of "$1")" = "$(print_of "$2")"; }

for real in f32 f64; do
  for threads in 1 2 3; do
    check "$real on $threads threads" run $real-$threads --backend=openmp --precision=$real --threads=$threads
  done
  check "$real: 2 threads have the bits of 1" same $real-1 $real-2
  check "$real: so have 3" same $real-1 $real-3
done
check "the energy is a series" has '^step,energy.*density_change' f32-1/series.csv
check "120 steps of it" test "$(grep -c '^[0-9]' f32-1/series.csv)" = 120
check "a picture of the speed" test -s f32-1/speed.png
check "an image of 24 x 20 x 16 cells" has 'WholeExtent="0 24 0 20 0 16"' f32-1/fields.vti
check "a cube too coarse for its collision" ends 0 run "$TRIREME_CASES/cavity-3d" $small --steps=1 --output=coarse
check "is told so" says '= "trt" was seen to diverge above 25; make the grid finer'
check "one that is fine enough" ends 0 run "$TRIREME_CASES/cavity-3d" --set grid.nx=8 --set grid.ny=8 --set lbm.reynolds=400 \
  --set grid.nz=48 --steps=1 --output=fine
check_not "is not" says 'was seen to diverge'
stream() { # COLLISION VISCOSITY OPTION...: 0.1 of a cell a step past a sphere, out of the box at its eastern side
  collision=$1 viscosity=$2
  shift 2
  rm -rf stream
  ends 0 run lbm3d --set grid.nx=64 --set grid.ny=16 --set grid.nz=16 --set "bodies.shapes=sphere 20 8 8 2" --steps=1 \
    --set boundary.west=inflow --set "boundary.west_velocity=0.1; 0; 0" --set boundary.east=outflow --set lbm.collision="$collision" \
    --set lbm.viscosity="$viscosity" --formats=none --backend=openmp --output=stream "$@"
}
check "a stream too fast for its collision to leave the box" stream mrt 0.00267
check "is told so, with what helps" says '"mrt" was seen to diverge above 33 where there is an outflow; make the grid finer along it'
check "so it is with another collision" stream trt 0.008
check "which has its own bound" says '"trt" was seen to diverge above 8 where there is an outflow; .*, or take "mrt"'
check "one with finer cells along the outflow" stream mrt 0.00267 --set grid.levels=1 --set "mesh.refine=56 64 0 16 0 16"
check_not "is not told" says 'was seen to diverge'
check "nor one that is slow enough" stream mrt 0.0031
check_not "for its collision" says 'was seen to diverge'
check "memory is said before" ends 0 run "$TRIREME_CASES/cavity-3d" $small --dry-run --backend=openmp
check "as a number" has 'memory' out
printf 'solid a\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n\0facet\n' >zero.stl
check "a surface with a zero byte is not read to there" ends 2 run lbm3d --set grid.nx=9 --set grid.ny=9 --set grid.nz=9 \
  --steps=1 --set lbm.viscosity=0.1 --set bodies.stl=zero.stl --output=zero
check "but refused" says 'zero.stl: a zero byte'
check "a grid beyond memory is told at once" ends 0 run lbm3d --set grid.nx=1200 --set grid.ny=1200 --set grid.nz=1200 \
  --set lbm.viscosity=0.1 --set lbm.lattice=d3q27 --precision=f64 --steps=1 --dry-run --backend=openmp
check "by how much" says 'are available; make it smaller'
coarse="--set grid.nx=76 --set grid.ny=30 --set grid.nz=50 --set bodies.stl_cell=1.5 --set units.cell=1.5e-3"
nose() { # STEPS OPTION...
  steps=$1
  shift
  ends 0 run "$TRIREME_CASES/nose" $coarse --steps="$steps" --backend=openmp "$@"
}
last() { # SERIES: its last value
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, name "[") == 1) at = i } END { print $at }' \
    nose/series.csv
}
nearly() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN { exit !(a * b > 0 && (a / b - 1) ^ 2 < by ^ 2) }'; }
if python3 -c '' 2>/dev/null; then
  python3 -B "$TRIREME_CASES/nose/airway.py" >airway.stl
  check "the nose's surface is what its script writes" cmp airway.stl "$TRIREME_CASES/nose/airway.stl"
else
  skip "the nose's surface is what its script writes" "no python3 here"
fi
check "air is drawn through a coarse nose" nose 400 --output=nose
check "in at both nostrils alike" nearly "$(last nostril_left_flux)" "$(last nostril_right_flux)" 1e-3
out_of_it=$(last throat_flux)
check "and out at the throat" test "${out_of_it#-}" != "$out_of_it"
levels() { # FOLDER STEPS OPTION...
  folder=$1 steps=$2
  shift 2
  ends 0 run "$TRIREME_CASES/cavity-levels" --set grid.nx=24 --set grid.ny=16 --set grid.nz=16 --set lbm.reynolds=100 \
    --set "mesh.refine=wall 1; 0 4 0 4 0 4" --set grid.levels=2 --set average_from=4 --steps="$steps" --output="$folder" "$@"
}
many=17
test -z "${TRIREME_TEST_LONG-}" || many=31
check "a cavity of several levels" levels levels-1 $many --formats=vtu,png,npy --backend=openmp --threads=1
check "has the bits on two threads" levels levels-2 $many --formats=none --backend=openmp --threads=2
check "that it has on one" same levels-1 levels-2
check "its cells are written as they are" has 'NumberOfCells="' levels-1/fields.vtu
check "and a picture" test -s levels-1/speed.png
check "kept on its way" levels levels-3 13 --formats=npy --backend=openmp --batch=5 --checkpoint-every=0.000001s
check "it goes on from step 10" ends 0 resume levels-3 --steps=$many
check "to the same bits" same levels-1 levels-3
check "and the same means over time" cmp levels-1/rms_velocity.npy levels-3/rms_velocity.npy
check "of the steps that they were asked of" cmp levels-1/averaged_time.npy levels-3/averaged_time.npy
# the coarse nose again, as the finer of two levels
around="--set grid.nx=40 --set grid.ny=24 --set grid.nz=32 --set bodies.stl_cell=3 --set units.cell=3e-3 --set grid.levels=1"
airway() { # FOLDER OPTION...
  folder=$1
  shift
  ends 0 run "$TRIREME_CASES/nose" $around --set "mesh.refine=wall 4" --steps=60 --backend=openmp --output="$folder" "$@"
}
check "a nose of two levels" airway airway-1 --formats=vtu,png,npy --threads=1 --set average_from=0.01 --set output.rendering=lumen
for threads in 3 ${TRIREME_TEST_LONG:+2 7}; do
  check "also on $threads threads" airway airway-$threads --formats=none --threads=$threads --set average_from=0.01
  check "with the bits that it has on one" same airway-1 airway-$threads
done
check "where its walls are is written with its cells" has 'Name="solid"' airway-1/fields.vtu
check "and the shear on them" has 'Name="wall_shear"' airway-1/fields.vtu
check "its surface is shown" test -s airway-1/pressure.png
check "kept on its way" airway airway-kept --steps=23 --formats=npy --batch=5 --checkpoint-every=0.000001s \
  --set average_from=0.01
check "it goes on" ends 0 resume airway-kept --steps=60
check "to the same bits" same airway-1 airway-kept
check "and the same means over time" cmp airway-1/rms_velocity.npy airway-kept/rms_velocity.npy
fluid() {
  ends 0 run lbm3d --set grid.nx=30 --set grid.ny=20 --set grid.nz=15 --set lbm.viscosity=0.02 --set "body_force=1e-5 0 0" \
    --set "bodies.shapes=sphere 12.3 4.5 3.5 2.9" --steps=2 --formats=vtu --output=fluid
}
check "around a body the fluid cells are written" fluid
check "and no others" has 'NumberOfPoints="10376" NumberOfCells="8902"' fluid/fields.vtu
if "$TRIREME" backends 2>/dev/null | grep -q '^opencl  *ready'; then
  check "opencl has the same bits" ends 0 compare "$TRIREME_CASES/cavity-3d" $small --on=openmp,opencl --runs=1
  check "also with a sphere, openings and a force" ends 0 compare "$TRIREME_CASES/sphere" $small --on=openmp,opencl --runs=1 \
    --set bodies.shapes="sphere 8 9.3 8.2 3.3" --set initial.velocity_x= --set lbm.lattice=d3q27 --set lbm.collision=cumulant \
    --set "body_force=0 0 1e-5" --set "probes=in plane x 3; wake point 14 9 8"
  check "and of several levels" ends 0 compare "$TRIREME_CASES/cavity-levels" --set grid.nx=16 --set grid.ny=16 --set grid.nz=16 \
    --set lbm.reynolds=100 --set grid.levels=2 --set "mesh.refine=0 4 0 4 0 4" --steps=20 --on=openmp,opencl --runs=1
  check "and of the nose" ends 0 compare "$TRIREME_CASES/nose" $coarse --steps=60 --on=openmp,opencl --runs=1
  check "also on two levels" ends 0 compare "$TRIREME_CASES/nose" $around --set "mesh.refine=wall 4" --steps=20 \
    --on=openmp,opencl --runs=1 --set lbm.lattice=d3q27 --set lbm.collision=cumulant
else
  skip "opencl has the same bits" "no OpenCL here"
  skip "also with a sphere, openings and a force" "no OpenCL here"
  skip "and of several levels" "no OpenCL here"
  skip "and of the nose" "no OpenCL here"
  skip "also on two levels" "no OpenCL here"
fi
done_testing
