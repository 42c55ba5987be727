# lbm3d_block_sides_bodies.sh - lattice Boltzmann on levels has the same bits in blocks of 8 and of 16 cells a side:
# about bodies and a surface.
. "$srcdir/tests/tap.sh"

name_of_test=lbm3d_block_sides_bodies
. "$srcdir/tests/solvers/lbm3d/lbm3d_other_sides.sh"

awk 'function at(i) { return 6 * substr("000010110" "000110100" "001101111" "001111011" "000100101" "000101001" \
    "010011111" "010111110" "000001011" "000011010" "100110111" "100111101", i, 1) }
  BEGIN { print "solid cube"
    for (i = 0; i < 12; i++) { print "facet normal 0 0 0\nouter loop"
      for (j = 1; j < 10; j += 3) print "vertex", at(9 * i + j), at(9 * i + j + 1), at(9 * i + j + 2)
      print "endloop\nendfacet" }
    print "endsolid cube" }' >cube.stl
ball="${box}average_from=4|bodies.shapes=sphere 24.2 23.9 24.1 4|grid.levels=1|"
flow "finer about a sphere, means" "${ball}mesh.refine=wall 3|body_force=0 1e-5 0"
flow "a sphere in a stream" "${ball}mesh.refine=wall 3; 32 48 16 32 16 32|${open}lbm.collision=mrt|probes=a plane x 30 10 10 40 40"
flow "finer about a surface" "${box}bodies.stl=cube.stl|bodies.stl_cell=1|lbm.fluid=outside|grid.levels=1|mesh.refine=wall 3|lbm.bounce_back=halfway"
done_testing
