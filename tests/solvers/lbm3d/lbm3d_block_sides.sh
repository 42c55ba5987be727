# lbm3d_block_sides.sh - lattice Boltzmann on levels has the same bits in blocks of 8 and of 16 cells a side, all
# series and fields included, though the other program's blocks lie in memory in another order.
. "$srcdir/tests/tap.sh"

name_of_test=lbm3d_block_sides
sides="a line of lbm3d_levels_constants.h"
change_sides() { edit lbm3d/lbm3d_levels_constants.h 1 's/^\(#define LEVELS_SIDE\) 8$/\1 16/'; }
solver=lbm3d formats=vti shuffled='|mesh.shuffle=3'
. "$srcdir/tests/solvers/other_sides.sh"

awk 'function at(i) { return 6 * substr("000010110" "000110100" "001101111" "001111011" "000100101" "000101001" \
    "010011111" "010111110" "000001011" "000011010" "100110111" "100111101", i, 1) }
  BEGIN { print "solid cube"
    for (i = 0; i < 12; i++) { print "facet normal 0 0 0\nouter loop"
      for (j = 1; j < 10; j += 3) print "vertex", at(9 * i + j), at(9 * i + j + 1), at(9 * i + j + 2)
      print "endloop\nendfacet" }
    print "endsolid cube" }' >cube.stl
swirl='lbm.viscosity=0.02|lbm.u_formula=0.05*sin(6.283*y/ny)*cos(6.283*z/nz)|lbm.v_formula=0.03*sin(6.283*x/nx)|'
box="grid.nx=48|grid.ny=48|grid.nz=48|$swirl"
ball="${box}lbm.average_from=4|lbm.shapes=sphere 24.2 23.9 24.1 4|grid.levels=1|"
open='lbm.west=inflow|lbm.west_velocity=0.05*(1-(2*y/ny-1)^2); 0; 0|lbm.east=outflow|'
closed='lbm.west=wall|lbm.east=wall|lbm.south=wall|lbm.north=moving|lbm.north_velocity=0.05; 0; 0.02*x/nx|'
closed="${closed}lbm.bottom=wall|lbm.top=wall|"
flow "finer in a box, a force, probes" "${box}grid.levels=1|mesh.refine=16 32 0 16 16 48|lbm.force_x=1e-5|lbm.probes=a point 20 20 20; b plane x 20"
flow "finer by formula, cumulants, eddies" "${box}lbm.lattice=d3q27|lbm.collision=cumulant|lbm.smagorinsky=0.1|grid.levels=1|mesh.refine=formula 7.5-abs(x-24)"
flow "levels 1 and 2" "${swirl}grid.nx=32|grid.ny=32|grid.nz=32|grid.levels=2|mesh.refine=0 16 0 16 0 16|lbm.collision=regularised"
flow "finer about a sphere, means" "${ball}mesh.refine=wall 3|lbm.force_y=1e-5"
flow "a sphere in a stream" "${ball}mesh.refine=wall 3; 32 48 16 32 16 32|${open}lbm.collision=mrt|lbm.probes=a plane x 30 10 10 40 40"
flow "finer about a surface" "${box}lbm.geometry=cube.stl|lbm.geometry_cell=1|lbm.fluid=outside|grid.levels=1|mesh.refine=wall 3|lbm.surface=halfway"
flow "finer along walls that move" "${box}${closed}grid.levels=1|mesh.refine=wall 10"
flow "openings on two levels" "${box}${open}grid.levels=1|mesh.refine=0 48 0 16 0 48|lbm.south=wall|lbm.north=wall|lbm.lattice=d3q27"
solver=$TRIREME_CASES/nose
flow "a nose" "lbm.blocks=true|grid.nx=80|grid.ny=32|grid.nz=64|lbm.geometry_cell=1.5|units.cell=1.5e-3"
flow "a nose on two levels" "grid.levels=1|grid.nx=48|grid.ny=32|grid.nz=32|lbm.geometry_cell=3|units.cell=3e-3|mesh.refine=wall 16"
done_testing
