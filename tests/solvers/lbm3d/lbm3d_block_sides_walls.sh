# lbm3d_block_sides_walls.sh - lattice Boltzmann on levels has the same bits in blocks of 8 and of 16 cells a side:
# along walls that move, and with openings.
. "$srcdir/tests/tap.sh"

name_of_test=lbm3d_block_sides_walls
. "$srcdir/tests/solvers/lbm3d/lbm3d_other_sides.sh"

closed='lbm.west=wall|lbm.east=wall|lbm.south=wall|lbm.north=moving|lbm.north_velocity=0.05; 0; 0.02*x/nx|'
closed="${closed}lbm.bottom=wall|lbm.top=wall|"
flow "finer along walls that move" "${box}${closed}grid.levels=1|mesh.refine=wall 10"
flow "openings on two levels" "${box}${open}grid.levels=1|mesh.refine=0 48 0 16 0 48|lbm.south=wall|lbm.north=wall|lbm.lattice=d3q27"
done_testing
