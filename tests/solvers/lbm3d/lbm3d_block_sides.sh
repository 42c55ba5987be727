# lbm3d_block_sides.sh - lattice Boltzmann on levels has the same bits in blocks of 8 and of 16 cells a side: in
# periodic boxes. Of bodies, of walls and openings and of noses: lbm3d_block_sides_*.sh.
. "$srcdir/tests/tap.sh"

name_of_test=lbm3d_block_sides
. "$srcdir/tests/solvers/lbm3d/lbm3d_other_sides.sh"

flow "finer in a box, a force, probes" "${box}grid.levels=1|mesh.refine=16 32 0 16 16 48|body_force=1e-5 0 0|probes=a point 20 20 20; b plane x 20"
flow "finer by formula, cumulants, eddies" "${box}lbm.lattice=d3q27|lbm.collision=cumulant|lbm.smagorinsky=0.1|grid.levels=1|mesh.refine=formula 7.5-abs(x-24)"
flow "levels 1 and 2" "${swirl}grid.nx=32|grid.ny=32|grid.nz=32|grid.levels=2|mesh.refine=0 16 0 16 0 16|lbm.collision=regularised"
done_testing
