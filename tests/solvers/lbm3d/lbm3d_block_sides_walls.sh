# lbm3d_block_sides_walls.sh - lattice Boltzmann on levels has the same bits in blocks of 8 and of 16 cells a side:
# along walls that move, and with openings.
. "$srcdir/tests/tap.sh"

name_of_test=lbm3d_block_sides_walls
. "$srcdir/tests/solvers/lbm3d/lbm3d_other_sides.sh"

closed='boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=moving|boundary.north_velocity=0.05; 0; 0.02*x/nx|'
closed="${closed}boundary.bottom=wall|boundary.top=wall|"
flow "finer along walls that move" "${box}${closed}grid.levels=1|mesh.refine=wall 10"
flow "openings on two levels" "${box}${open}grid.levels=1|mesh.refine=0 48 0 16 0 48|boundary.south=wall|boundary.north=wall|lbm.lattice=d3q27"
done_testing
