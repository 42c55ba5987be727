# lbm3d_other_sides.sh - a program whose blocks of lattice Boltzmann have 16 cells a side, beside this one's of 8.
# All series and fields are to be the same, though its blocks lie in memory in another order. Sourced by
# lbm3d_block_sides*.sh, which set name_of_test before.
name_of_build=lbm3d_other_sides
sides="a line of lbm3d_levels_constants.h"
change_sides() { edit lbm3d/lbm3d_levels_constants.h 1 's/^\(#define LEVELS_SIDE\) 8$/\1 16/'; }
solver=lbm3d formats=vti shuffled='|mesh.shuffle=3'
. "$srcdir/tests/solvers/other_sides.sh"

swirl='lbm.viscosity=0.02|initial.velocity_x=0.05*sin(6.283*y/ny)*cos(6.283*z/nz)|initial.velocity_y=0.03*sin(6.283*x/nx)|'
box="grid.nx=48|grid.ny=48|grid.nz=48|$swirl"
open='boundary.west=inflow|boundary.west_velocity=0.05*(1-(2*y/ny-1)^2); 0; 0|boundary.east=outflow|'
