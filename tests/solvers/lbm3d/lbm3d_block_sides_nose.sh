# lbm3d_block_sides_nose.sh - lattice Boltzmann on levels has the same bits in blocks of 8 and of 16 cells a side: in
# a nose.
. "$srcdir/tests/tap.sh"

name_of_test=lbm3d_block_sides_nose
. "$srcdir/tests/solvers/lbm3d/lbm3d_other_sides.sh"

solver=$TRIREME_CASES/nose
flow "a nose" "lbm.blocks=true|grid.nx=80|grid.ny=32|grid.nz=64|bodies.stl_cell=1.5|units.cell=1.5e-3"
flow "a nose on two levels" "grid.levels=1|grid.nx=48|grid.ny=32|grid.nz=32|bodies.stl_cell=3|units.cell=3e-3|mesh.refine=wall 16"
done_testing
