#!/bin/sh
# Fields as VTK itself, ParaView's library, reads them (Debian: python3-vtk9).
. "$srcdir/tests/tap.sh"
for python in python3 /usr/bin/python3; do
  "$python" -c 'import vtk, numpy' 2>/dev/null && break
  python=
done
test -n "$python" || skip_all "python3 has no vtk (python3-vtk9)"
reader=$(cd "$srcdir" && pwd)/tests/cli/vtk_reads.py
workplace vtk

reads() { "$python" "$reader" "$@"; }

plane() {
  ends 0 run lbm --set grid.nx=300 --set grid.ny=140 --steps=20 --formats=vti,npy --output=plane \
    --roof=false &&
    reads plane 2
}
check "a plane of 300 x 140 cells, in several blocks a field, is a plane with the values of NumPy's" plane

bodies() {
  ends 0 run nbody --set nbody.bodies=64 --set nbody.dt=0.001 --set nbody.span=4 \
    --set nbody.picture=64 --steps=2 --formats=vti,npy --output=bodies --roof=false &&
    reads bodies 2 -2 -2 0.0625 0.0625
}
check "a density of bodies lies where the bodies are" bodies
levels() { # FOLDER CELLS AREA KEY=VALUE...
  folder=$1 cells=$2 area=$3
  shift 3
  ends 0 run compressible "$@" --set grid.levels=1 --set "initial.velocity_x=0.1*sin(6*y)" \
    --steps=2 --formats=vtu,htg,npy --output="$folder" --roof=false &&
    grep -q 'fields.vtu' "$folder/fields.pvd" && "$python" "${reader%/*}/vtu_reads.py" "$folder" "$cells" "$area"
}
trees() { "$python" "${reader%/*}/htg_reads.py" "$@"; } # FOLDER CELLS AREA
check "cells of two levels lie where they are, with the values of NumPy's" \
  levels flat 2560 0.5 --set grid.nx=64 --set grid.ny=16 --set "mesh.refine=0 0.5 0 1" \
    --set compressible.length_x=1.4142135623730951
check "and as trees, whose nodes have the means of their parts" trees flat 2560 0.5
check "in three dimensions too" \
  levels solid 4608 0.25 --set grid.nx=16 --set grid.ny=8 --set grid.nz=8 --set "mesh.refine=0 0.4 0 1 0 1"
check "and as trees" trees solid 4608 0.25
deep() {
  ends 0 run compressible --set grid.nx=32 --set grid.ny=16 --set grid.nz=8 --set grid.levels=2 --precision=f64 \
    --set "mesh.refine=0 0.1 0 0.1 0 1" --set "initial.velocity_x=0.1*sin(6*y)" --steps=2 \
    --formats=htg,npy --output=deep --roof=false && grep -q 'fields.htg' deep/fields.pvd && trees deep 25600 0.125
}
check "trees of different depth, f64, some roots split twice" deep

fluid() {
  ends 0 run lbm3d --set grid.nx=300 --set grid.ny=20 --set grid.nz=15 --set "body_force=1e-5 0 0" \
    --set "bodies.shapes=sphere 12.3 4.5 3.5 2.9; box 200 0 0 290 18 14" --set units.cell=0.5 --set units.speed=1 \
    --set lbm.reference_speed=0.1 --set units.viscosity=1 --steps=2 --formats=vtu,npy \
    --output=fluid --roof=false &&
    "$python" "${reader%/*}/vtu_reads.py" fluid "$1" "$2"
}
check "of a grid with bodies the fluid cells are written, each corner once" fluid 67222 8402.75

check "a grid of one size without bodies is refused" \
  ends 2 run shallow --set grid.nx=16 --set grid.ny=16 --set grid.dx=1 --set initial.surface=1 \
    --set shallow.bed_formula=0 --steps=2 --formats=vtu --output=none --roof=false
check "so is a grid without blocks as trees, by the format's name" \
  ends 2 run lbm3d --set grid.nx=16 --set grid.ny=16 --set grid.nz=16 --steps=2 --formats=htg \
    --output=none --roof=false
done_testing
