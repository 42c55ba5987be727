# block_sides.sh - compressible flow and lattice Boltzmann on levels have the same bits in blocks of 8 and of 16
# cells a side: a program with the other sides is built, and both run the same flows on every backend that is
# ready. Sums of compressible flow over the box are the same but for rounding: a block's own sum is the first.
# lbm3d has all series and fields the same, and the other program's blocks lie in memory in another order.
. "$srcdir/tests/tap.sh"
if skip_unless_long block_sides; then done_testing; exit 0; fi

work=$TRIREME_TEST_STATE/block_sides
rm -rf "$work"
mkdir -p "$work/build"
unset TRIREME_BACKEND_PATH
TRIREME_CEILING=false MAKEFLAGS='' MFLAGS=''
export TRIREME_CEILING MAKEFLAGS MFLAGS
ready=$("$TRIREME" backends 2>/dev/null | awk '/^[a-z]/ && $2 == "ready" { print $1 }')
jobs=$(nproc 2>/dev/null || echo 2)

quietly() { # COMMAND... : the end of the log where it fails
  "$@" >"$work/log" 2>&1 || { tail -n 15 "$work/log"; return 1; }
}
edit() { # FILE LINES SED: which changes so many lines
  sed -i.was "$3" "$work/source/solvers/$1" &&
    test "$(diff "$work/source/solvers/$1" "$work/source/solvers/$1.was" | grep -c '^<')" = "$2"
}
change_sides() {
  edit fv/fv_clock.h 2 's/^\(#define FV_FLAT_SIDE\) 16$/\1 8/; s/^\(#define FV_SOLID_SIDE\) 8$/\1 16/' &&
    edit lbm3d/lbm3d_levels_constants.h 1 's/^\(#define LEVELS_SIDE\) 8$/\1 16/'
}
build_other() {
  cd "$work/build" && ../source/configure --with-isa=baseline CC="$CC" && "$MAKE" -j"$jobs"
}
check "the sources" quietly "$MAKE" distdir distdir="$work/source"
check "the sides are two lines of fv_clock.h and one of lbm3d_levels_constants.h" change_sides
check "a program with the other sides" quietly build_other
other=$work/build/cli/trireme
cd "$work" || exit 1

run() { # PROGRAM FOLDER BACKEND PRECISION SETTINGS: KEY=VALUE|KEY=VALUE...
  program=$1 folder=$2 backend=$3 precision=$4 settings=$5
  set --
  while test -n "$settings"; do
    set -- "$@" --set "${settings%%|*}"
    case $settings in *'|'*) settings=${settings#*|} ;; *) settings= ;; esac
  done
  "$program" run "$solver" --backend="$backend" --precision="$precision" --steps=12 \
    --formats="$formats" --output="$folder" "$@" >"$folder.log" 2>&1 || { tail -n 5 "$folder.log"; return 1; }
}
columns() { # FOLDER: steps, forces; no sums over the box
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /^(kinetic|enstrophy|dissipation|residual)/ }
    { for (i = 1; i <= NF; i++) if (keep[i]) printf "%s,", $i; print "" }' "$1/series.csv"
}
same() { # BACKEND PRECISION SETTINGS
  rm -rf one two
  run "$TRIREME" one "$1" "$2" "$3" && run "$other" two "$1" "$2" "$3$shuffled" || return 1
  columns one >one.csv
  columns two >two.csv
  test -n "$(print_of one)" && test "$(print_of one)" = "$(print_of two)" ||
    { echo "$(print_of one) and $(print_of two)"; return 1; }
  cmp one.csv two.csv || return 1
  test "$formats" = none || cmp one/fields.vti two/fields.vti
}
# A GPU's group may have no room for a block of 16^3 cells, and that of NVIDIA's OpenCL has none.
no_room() { # BACKEND PRECISION SETTINGS
  rm -rf two
  run "$other" two "$1" "$2" "$3" >/dev/null
  grep -o 'needs [0-9]* bytes of shared memory.*' two.log
}
flow() { # NAME SETTINGS
  for backend in $ready; do
    precisions=f32
    test "$backend" != openmp || precisions="f32 f64"
    for precision in $precisions; do
      name="$1: the same bits on $backend in $precision"
      if why=$(no_room "$backend" $precision "$2"); then skip "$name" "$why"
      else check "$name" same "$backend" $precision "$2"
      fi
    done
  done
}

solver=compressible formats=none shuffled=''
flat='grid.nx=64|grid.ny=48|grid.nz=1|'
deep='grid.nx=32|grid.ny=32|grid.nz=32|'
swirl='compressible.velocity_x=0.3*sin(6*x)*cos(5*y)|compressible.viscosity=0.002|'
swirl="${swirl}compressible.velocity_y=0.2*sin(3*x+y)|"
blobs='compressible.density=1+exp(-200*((x-0.3)^2+(y-0.4)^2))+exp(-200*((x-0.62)^2+(y-0.17)^2))|'
blobs="${blobs}compressible.probes=a 0.3 0.4; b 0.81 0.2|compressible.velocity_x=0.4|"
walls='boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=isothermal|'
walls="${walls}boundary.north_velocity=0.4 0 0|"
lid='boundary.south=wall|boundary.north=wall|'

flow "van Albada's slopes" "$flat${blobs}compressible.slopes=van-albada"
flow "walls and sums" "$flat$swirl${walls}compressible.integrals=true|compressible.schlieren=true"
flow "levels, a force, averages" "$flat${blobs}compressible.average_from=0.01|compressible.force=0.1 0.2 0|grid.levels=1|mesh.refine=0.25 0.75 0.25 0.5"
flow "sides by formula, a sponge" "${flat}boundary.west=farfield|boundary.west_velocity=0.1*min(1,9*t); 0; 0|boundary.east=subsonic_outflow|boundary.east_sponge=0.3"
flow "a body at finer cells" "$flat$swirl${walls}grid.nx=128|grid.ny=96|grid.levels=1|mesh.refine=0.25 0.75 0.125 0.625|compressible.bodies=cylinder 0.5 0.375 0.04 wall spin 2"
flow "bodies that move" "$flat${blobs}compressible.bodies=box 0.5 0.7 0.3 0.5; cylinder 0.25 0.3 0.08|compressible.motion=0.3*t, 0.2*t, 2*t; "
flow "dual time" "$flat$swirl${walls}grid.nx=96|grid.ny=64|compressible.bodies=cylinder 0.2 0.35 0.12|compressible.time=dual|dual.dt=0.02|dual.iterations=2"
flow "lists of cells and faces" "$flat$swirl${walls}compressible.stage=lists"
flow "two kernels" "$flat$swirl${walls}compressible.stage=two-kernels"
flow "three dimensions" "$deep$swirl${lid}compressible.flux=hllc|compressible.slopes=van-albada"
flow "three dimensions, Sutherland's law" "$deep$swirl${lid}compressible.sutherland=0.4|compressible.integrals=true"
flow "three dimensions, levels" "$deep$swirl${lid}grid.levels=1|mesh.refine=0 0.5 0 0.5 0 0.5"
flow "three dimensions, lists" "$deep$swirl${lid}compressible.stage=lists"
flow "three dimensions, two kernels" "$deep$swirl${lid}compressible.stage=two-kernels"
flow "a steady state" "$deep${swirl}compressible.time=steady|boundary.south=isothermal|boundary.north=isothermal"
flow "a sphere that moves" "${deep}compressible.bodies=sphere 0.5 0.45 0.5 0.2 wall|compressible.velocity_x=0.3|compressible.motion=0.2*t, 0, 0|compressible.viscosity=0.001"

solver=lbm3d formats=vti shuffled='|mesh.shuffle=3'
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
flow "lattice Boltzmann: finer in a box, a force, probes" "${box}grid.levels=1|mesh.refine=16 32 0 16 16 48|lbm.force_x=1e-5|lbm.probes=a point 20 20 20; b plane x 20"
flow "lattice Boltzmann: finer by formula, cumulants, eddies" "${box}lbm.lattice=d3q27|lbm.collision=cumulant|lbm.smagorinsky=0.1|grid.levels=1|mesh.refine=formula 7.5-abs(x-24)"
flow "lattice Boltzmann: levels 1 and 2" "${swirl}grid.nx=32|grid.ny=32|grid.nz=32|grid.levels=2|mesh.refine=0 16 0 16 0 16|lbm.collision=regularised"
flow "lattice Boltzmann: finer about a sphere, means" "${ball}mesh.refine=wall 3|lbm.force_y=1e-5"
flow "lattice Boltzmann: a sphere in a stream" "${ball}mesh.refine=wall 3; 32 48 16 32 16 32|${open}lbm.collision=mrt|lbm.probes=a plane x 30 10 10 40 40"
flow "lattice Boltzmann: finer about a surface" "${box}lbm.geometry=cube.stl|lbm.geometry_cell=1|lbm.fluid=outside|grid.levels=1|mesh.refine=wall 3|lbm.surface=halfway"
flow "lattice Boltzmann: finer along walls that move" "${box}${closed}grid.levels=1|mesh.refine=wall 10"
flow "lattice Boltzmann: openings on two levels" "${box}${open}grid.levels=1|mesh.refine=0 48 0 16 0 48|lbm.south=wall|lbm.north=wall|lbm.lattice=d3q27"
solver=$TRIREME_CASES/nose
flow "lattice Boltzmann: a nose" "lbm.blocks=true|grid.nx=80|grid.ny=32|grid.nz=64|lbm.geometry_cell=1.5|units.cell=1.5e-3"
flow "lattice Boltzmann: a nose on two levels" "grid.levels=1|grid.nx=48|grid.ny=32|grid.nz=32|lbm.geometry_cell=3|units.cell=3e-3|mesh.refine=wall 16"
done_testing
