# block_sides.sh - compressible flow has the same bits in blocks of 8 and of 16 cells a side. Sums over the box
# are the same but for rounding: a block's own sum is the first. Lattice Boltzmann: lbm3d_block_sides*.sh.
. "$srcdir/tests/tap.sh"

name_of_test=block_sides name_of_build=block_sides_program
sides="two lines of fv_clock.h"
change_sides() {
  edit fv/fv_clock.h 2 's/^\(#define FV_FLAT_SIDE\) 16$/\1 8/; s/^\(#define FV_SOLID_SIDE\) 8$/\1 16/'
}
solver=compressible formats=none shuffled=''
. "$srcdir/tests/solvers/other_sides.sh"

flat='grid.nx=64|grid.ny=48|grid.nz=1|'
deep='grid.nx=32|grid.ny=32|grid.nz=32|'
swirl='initial.velocity_x=0.3*sin(6*x)*cos(5*y)|compressible.viscosity=0.002|'
swirl="${swirl}initial.velocity_y=0.2*sin(3*x+y)|"
blobs='initial.density=1+exp(-200*((x-0.3)^2+(y-0.4)^2))+exp(-200*((x-0.62)^2+(y-0.17)^2))|'
blobs="${blobs}probes=a 0.3 0.4; b 0.81 0.2|initial.velocity_x=0.4|"
walls='boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=isothermal|'
walls="${walls}boundary.north_velocity=0.4 0 0|"
lid='boundary.south=wall|boundary.north=wall|'

flow "van Albada's slopes" "$flat${blobs}compressible.slopes=van-albada"
flow "walls and sums" "$flat$swirl${walls}compressible.integrals=true|compressible.schlieren=true"
flow "levels, a force, averages" "$flat${blobs}average_from=0.01|body_force=0.1 0.2 0|grid.levels=1|mesh.refine=0.25 0.75 0.25 0.5"
flow "sides by formula, a sponge" "${flat}boundary.west=farfield|boundary.west_velocity=0.1*min(1,9*t); 0; 0|boundary.east=subsonic_outflow|boundary.east_sponge=0.3|compressible.sponge_strength=1|compressible.sponge_density=1|compressible.sponge_pressure=1"
flow "a body at finer cells" "$flat$swirl${walls}grid.nx=128|grid.ny=96|grid.levels=1|mesh.refine=0.25 0.75 0.125 0.625|bodies.shapes=cylinder 0.5 0.375 0.04 wall spin 2"
flow "bodies that move" "$flat${blobs}bodies.shapes=box 0.5 0.7 0.3 0.5; cylinder 0.25 0.3 0.08|bodies.motion=0.3*t, 0.2*t, 2*t; "
flow "dual time" "$flat$swirl${walls}grid.nx=96|grid.ny=64|bodies.shapes=cylinder 0.2 0.35 0.12|compressible.time=dual|dual.dt=0.02|dual.iterations=2"
flow "lists of cells and faces" "$flat$swirl${walls}compressible.implementation=lists"
flow "two kernels" "$flat$swirl${walls}compressible.implementation=two-kernels"
flow "three dimensions" "$deep$swirl${lid}compressible.flux=hllc|compressible.slopes=van-albada"
flow "three dimensions, Sutherland's law" "$deep$swirl${lid}compressible.sutherland=0.4|compressible.viscosity_at=1|compressible.integrals=true"
flow "three dimensions, levels" "$deep$swirl${lid}grid.levels=1|mesh.refine=0 0.5 0 0.5 0 0.5"
flow "three dimensions, lists" "$deep$swirl${lid}compressible.implementation=lists"
flow "three dimensions, two kernels" "$deep$swirl${lid}compressible.implementation=two-kernels"
flow "a steady state" "$deep${swirl}compressible.time=steady|boundary.south=isothermal|boundary.north=isothermal"
flow "a sphere that moves" "${deep}bodies.shapes=sphere 0.5 0.45 0.5 0.2 wall|initial.velocity_x=0.3|bodies.motion=0.2*t, 0, 0|compressible.viscosity=0.001"
done_testing
