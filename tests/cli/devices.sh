# devices.sh - one run on several devices: fingerprint, series, pictures and VTK files byte for byte those
# of one device, for any number of them, any cut and any mixture; run.json names them; what cannot be is
# refused with its cure.
. "$srcdir/tests/tap.sh"
workplace devices
TRIREME_ROOF=false
TRIREME_DEBUG_BUFFERS=rows # a row that a device does not hold ends the run, as on a GPU
export TRIREME_ROOF TRIREME_DEBUG_BUFFERS
mixed=no
"$TRIREME" backends --json | tr -d ' \n' | grep -q '"name":"opencl"[^}]*"ready":true' && mixed=yes

# odd sizes, walls, a block, and solids in the driven row
awk 'BEGIN {
  for (y = 0; y < 31; y++) { print 0, y, 1; print 44, y, 1 }
  for (x = 5; x < 9; x++) { print x, 29, 1; print x, 15, 1; print x, 16, 1 }
}' >solid.dat
cat >driven.conf <<END
solver = "lbm";
grid = { nx = 45; ny = 31; };
lbm = { obstacles = "solid.dat"; accel = 1e-3; };
run = { steps = 75; };
END

# outputs FOLDER: what a run leaves beside what tells of the machine
outputs() { (cd "$1" && rm -rf checkpoint && find . -type f ! -name run.json ! -name log.txt ! -name '*.conf' -exec cksum {} + | sort -k3); }
run_of() { # CASE OPTION...
  rm -rf run
  "$TRIREME" run "$@" --output=run >out 2>err || { cat out err; return 1; }
}
# reference CASE OPTION...
reference() {
  run_of "$@" --backend=openmp || return 1
  outputs run >reference
  sed -n 's/^fingerprint  *//p' out >reference_print
  test -s reference_print && grep -q series reference
}
same_on() { # DEVICES CASE OPTION...
  devices=$1
  shift
  run_of "$@" --devices="$devices" || return 1
  sed -n 's/^fingerprint  *//p' out | cmp - reference_print && outputs run | diff - reference
}
five=openmp,openmp,openmp,openmp,openmp
# some LIST...: all in f32, and the last in f64 where the tests are not long: a cut has no precision
some() {
  test $precision = f64 && test -z "${TRIREME_TEST_LONG-}" || { printf '%s\n' "$@"; return; }
  shift $(($# - 1))
  echo "$1"
}
for precision in f32 f64; do
  check "driven box, $precision: one device" reference driven.conf --precision=$precision --every=25
  for devices in $(some openmp,openmp 'openmp*3,openmp' 'openmp,openmp*5,openmp*2' $five); do
    check "driven box, $precision: $devices" same_on "$devices" driven.conf --precision=$precision --every=25
  done
  test $mixed = yes || continue
  for devices in $(some openmp,opencl:0 'opencl:0*2,openmp,opencl:0'); do
    check "driven box, $precision: $devices" same_on "$devices" driven.conf --precision=$precision --every=25
  done
done
whole() { # a dry run and the log say who has memory for all rows
  "$TRIREME" run driven.conf --devices=openmp,opencl:0,opencl:0 --dry-run >out 2>err || { cat err; return 1; }
  grep -qx '# memory for whole buffers on each device: opencl:0 (its backend has no buffers by rows)' out || { cat out; return 1; }
  run_of driven.conf --devices=openmp,opencl:0,opencl:0 || return 1
  test "$(grep -c 'opencl:0 has memory for whole buffers' run/log.txt)" = 1
}
test $mixed = no || check "devices with memory for whole buffers are named" whole
check "batches of 7 steps, plain replay" same_on openmp,openmp driven.conf --precision=f64 --every=25 \
  --batch=7 --plain-replay

check "run.json has the devices and their rows" grep -q '"first_row": 16' run/run.json
check "and their number" grep -q '"id": "devices:2"' run/run.json
kept() {
  rm -rf kept
  ends 75 run driven.conf --precision=f64 --every=25 --devices=openmp,openmp,openmp --steps=75 \
    --for=0.001s --batch=20 --output=kept &&
    ends 0 resume kept "$1" && outputs kept | diff - reference
}
check "a checkpoint of three is resumed by two" kept '--devices=openmp,openmp*2'
check "and by one" kept --backend=openmp

# forces of marked cells, probes in rows of their own, ghost columns that are not periodic
cat >channel.conf <<END
solver = "lbm";
grid = { nx = 70; ny = 33; };
lbm = { flow = "channel"; speed = 0.05; reynolds = 60.0; bounce_back = "interpolated"; };
bodies = { shapes = "cylinder 20.5 16.2 4.1"; };
probes = "50 30; 40 16; 30 2; 31 2";
run = { steps = 30; };
END
sed 's/flow = "channel".*speed/flow = "geneva"; speed/; s/ bounce_back = "interpolated";//' channel.conf >geneva.conf
sed 's/ bounce_back = "interpolated";//; s/^probes/body_force = "1e-5 0 0"; probes/' channel.conf >forced.conf
for precision in f32 f64; do
  for case in channel.conf geneva.conf forced.conf; do
    check "$case, $precision: one device" reference $case --precision=$precision --every=10
    for devices in $(some 'openmp,openmp*2.1' 'openmp*0.6,openmp,openmp*2,openmp,openmp'); do
      check "$case, $precision: $devices" same_on $devices $case --precision=$precision --every=10
    done
  done
done
test $mixed = no || check "forced.conf, f64: two kinds" same_on openmp,opencl:0*2 forced.conf --precision=f64 --every=10
# kernels that are cut by rows, sums that one item makes on the first device, and lattices that travel
for case in "geneva.conf --set lbm.implementation=split" "driven.conf --set lbm.implementation=bristol-copied" \
  "driven.conf --set lbm.implementation=bristol-tree"; do
  check "$case: one device" reference $case --every=10
  check "$case: three devices" same_on openmp,openmp*2,openmp $case --every=10
done

# so many rows that those of others are fetched for several launches at once
awk 'BEGIN { for (y = 0; y < 161; y++) print 44, y, 1; for (x = 5; x < 9; x++) { print x, 159, 1; print x, 80, 1 } }' >tall.dat
sed 's/ny = 31/ny = 161/; s/solid.dat/tall.dat/; s/75/40/' driven.conf >tall.conf
sed 's/ny = 33/ny = 193/; s/20.5 16.2/20.5 96.2/; s/30 2; 31 2/30 2; 31 192/' channel.conf >high.conf
for precision in f32 f64; do
  for case in tall.conf high.conf "cavity-3d --set grid.nx=16 --set grid.ny=9 --set grid.nz=101 --steps=20"; do
    check "$case, $precision: one device" reference $case --precision=$precision --every=9
    for devices in $(some openmp,openmp 'openmp*1.3,openmp,openmp'); do
      check "$case, $precision: $devices" same_on $devices $case --precision=$precision --every=9
    done
  done
  test $mixed = yes || continue
  check "tall.conf, $precision: one device again" reference tall.conf --precision=$precision --every=9
  check "tall.conf, $precision: two kinds" same_on opencl:0,openmp tall.conf --precision=$precision --every=9
done

# a launch's row is a block of 8 rows, of which the last has 5
printf '0 1\n2 1.3\n9 0.8\n' >tide
cat >shallow.conf <<END
solver = "shallow";
grid = { nx = 67; ny = 45; dx = 1.0; };
shallow = { bed_formula = "0.5*exp(-((x-40)^2+(y-20)^2)/60)+0.003*x"; manning = 0.02;
  maps = true; };
initial = { surface = "x<20 ? 1.4 : 1"; };
probes = "north 50 44.5, dam 20.1 20.1, south 30 0.5, island 40 20, beside 41 20";
boundary = { west = "level"; west_table = "tide"; south = "wall"; };
run = { steps = 30; };
END
sed '/^shallow/,/^run/d' shallow.conf >lf.conf
cat >>lf.conf <<END
shallow = { scheme = "lax-friedrichs"; bed_formula = "0.5*exp(-((x-40)^2+(y-20)^2)/60)"; };
initial = { surface = "x<20 ? 1.4 : 1"; };
boundary = { south = "wall"; };
run = { steps = 30; };
END
kinds='openmp,openmp*2.1 openmp*3,openmp,openmp openmp*0.6,openmp,openmp*2,openmp,openmp'
gpus=no # a driver compiles these for a minute
test $mixed = yes && test -n "${TRIREME_TEST_LONG-}" && gpus=yes
test $gpus = no || kinds="$kinds opencl:0,opencl:0*2 openmp,opencl:0 opencl:0*2,openmp,opencl:0 opencl:0*auto,openmp,openmp"
for precision in f32 f64; do
  for case in shallow.conf "lf.conf --set shallow.maps=true" "lf.conf --set shallow.dt_every=4"; do
    check "$case, $precision: one device" reference $case --precision=$precision --every=10
    for devices in $(some $kinds); do
      check "$case, $precision: $devices" same_on $devices $case --precision=$precision --every=10
    done
  done
done
# rows that a GPU has made go to a host, which reads ghost columns of them, since the cut is changed. It begins far
# from what is measured. It stays where one device would be left without rows, as a busy neighbour may have it: then
# once more. The results are compared each time.
second_row() { sed -n 's/.*"first_row": *\([0-9]*\).*/\1/p' run/run.json | tail -1; }
weighed() { # CASE OPTION...
  run_of "$@" '--devices=opencl:0,openmp*0.2' || return 1
  begun=$(second_row)
  for again in 1 2 3 4 5; do
    same_on 'opencl:0*auto,openmp*0.2' "$@" || return 1
    test "$(second_row)" -eq "$begun" || return 0
  done
  echo "the second device still begins at row $begun"
  return 1
}
if test $mixed = yes; then
  sed 's/flow = "channel".*speed/flow = "geneva"; speed/; s/ bounce_back = "interpolated";//' high.conf >tower.conf
  for case in shallow.conf "lf.conf --set shallow.maps=true" tower.conf; do
    check "$case, 100 steps: one device" reference $case --precision=f32 --every=50 --steps=100
    check "$case: a GPU and a host, weights measured" weighed $case --precision=f32 --every=50 --steps=100
  done
fi
# maxima enough that each device folds its own
for scheme in hllc lax-friedrichs; do
  wide="shallow --precision=f32 --set shallow.scheme=$scheme --set grid.nx=33003 --set grid.ny=41 --set grid.dx=1 --steps=9 --formats=none"
  check "a wide grid, $scheme: one device" reference $wide --set 'initial.surface=2+0.5*sin(0.01*x)*sin(0.2*y)'
  for devices in $kinds; do
    check "a wide grid, $scheme: $devices" same_on $devices $wide --set 'initial.surface=2+0.5*sin(0.01*x)*sin(0.2*y)'
  done
done
pairs="plummer --set nbody.force=pairs --set nbody.bodies=1293 --set nbody.picture=32 --steps=9 --batch=5"
test $gpus = no || kinds="$kinds opencl:0*2,openmp"
for precision in f32 f64; do
  for how in leapfrog hermite4; do
    check "all pairs, $how, $precision: one device" reference $pairs --set nbody.integrator=$how --precision=$precision
    for devices in $(some ${kinds#* }); do
      test $devices = opencl:0,opencl:0*2 && continue # one block of 1024 bodies and a rest
      check "all pairs, $how, $precision: $devices" same_on $devices $pairs --set nbody.integrator=$how --precision=$precision
    done
  done
done
tree="plummer --set nbody.force=tree --set nbody.bodies=2311 --set nbody.picture=32 --steps=7 --batch=3"
for precision in f32 f64; do
  check "tree of bodies, $precision: one device" reference $tree --precision=$precision
  for devices in $(some 'openmp*0.4,openmp' openmp,openmp,openmp ${kinds##*,openmp,openmp }); do
    check "tree of bodies, $precision: $devices" same_on "$devices" $tree --precision=$precision
  done
done
shallow_kept() {
  reference shallow.conf --every=10 || return 1
  rm -rf kept
  ends 75 run shallow.conf --every=10 --devices=openmp,openmp,openmp --for=0.001s --batch=10 --output=kept &&
    ends 0 resume kept "$1" && outputs kept | diff - reference
}
check "shallow water of three devices is resumed by two" shallow_kept '--devices=openmp,openmp*2'

cuts='(openmp)'
for weight in 0.2 0.5 1.3 2.1 3 4.4 7; do
  cuts="$cuts,(openmp,openmp*$weight),(openmp*$weight,openmp,openmp),(openmp,openmp*$weight,openmp,openmp*2)"
  cuts="$cuts,(openmp*2,openmp,openmp*$weight,openmp,openmp*$weight,openmp,openmp)"
done
for precision in f32 f64; do
  for batch in 1 5; do
    check "29 cuts are compared, $precision, batches of $batch" ends 0 compare driven.conf --steps=7 --runs=1 --threads=1 \
      --precision=$precision --batch=$batch "--vary=run.devices=$cuts"
  done
done

scales() {
  ends 0 compare driven.conf --steps=60 --runs=1 --threads=1 --vary=run.devices='(openmp),(openmp,openmp*2)' \
    --vary=precision=f32,f64 --json &&
    json_has '"scaling":{"devices":2.0,"of":1.0,"speedup":[0-9.]*,"efficiency":[0-9.]*,"lost_seconds_per_step":[-0-9.e]*}' &&
    json_has '"exchange_part":0\.[0-9]' &&
    json_has '"ceiling_missing":"severaldevicessharethework"'
}
check "a comparison has the speed-up, its efficiency and what sharing costs" scales
# What one gains by another kind beside it is held against both, or against neither.
mixed_scales() { # PATTERN LISTS
  ends 0 compare driven.conf --steps=60 --runs=1 --threads=1 --vary=run.devices="$2" --json && json_has "$1"
}
if test $mixed = yes; then
  check "unlike devices are held against both alone" mixed_scales \
    '"devices":2.0,"of":1.0,"speedup":[0-9.]*,"efficiency":[0-9.]*,"lost_' '(openmp),(opencl:0),(openmp,opencl:0)'
  check "or the comparison says why not" mixed_scales '"efficiency_missing":"opencl:0wasnotrunalone"' \
    '(openmp),(openmp,opencl:0)'
fi

box="--set grid.nx=40 --set grid.ny=14 --set grid.nz=15 --steps=12 --runs=1 --threads=1"
cuts='(openmp),(openmp,openmp*2.1),(openmp*3,openmp,openmp),(openmp*0.6,openmp,openmp*2,openmp,openmp)'
mixed_cuts=$cuts
test $mixed = no || mixed_cuts="$cuts,(openmp,opencl:0),(opencl:0*2,openmp,opencl:0),(opencl:0,opencl:0*2.1)"
for precision in f32 f64; do
  # a driver compiles these for half a minute, and "links, deep" has a lattice of both kinds in f64
  test $precision = f32 || test -n "${TRIREME_TEST_LONG-}" || mixed_cuts=$cuts
  check "a sphere between openings, $precision" ends 0 compare sphere $box --set 'bodies.shapes=sphere 12 7 8 4' \
    --precision=$precision "--vary=run.devices=$mixed_cuts"
  check "a cavity of walls, $precision" ends 0 compare cavity-3d $box --precision=$precision \
    "--vary=run.devices=$mixed_cuts"
  check "vortices in a periodic box, $precision" ends 0 compare taylor-green-3d $box --precision=$precision \
    "--vary=run.devices=$mixed_cuts"
done

# blocks of a curve: walls and openings, and where levels meet, in two and three dimensions
cat >levels.conf <<END
solver = "compressible";
grid = { nx = 64; ny = 48; levels = 2; };
mesh = { refine = "0.3 0.6 0.2 0.5; 0.1 0.2 0.6 0.7"; };
compressible = { slopes = "van-albada"; viscosity = 0.002; integrals = true; };
initial = { velocity_x = "0.3*sin(6.28*y)";
  density = "1 + 0.5*exp(-((x-0.5)^2+(y-0.4)^2)/0.02)"; pressure = "1 + (x<0.4 ? 0.5 : 0)"; };
boundary = { west = "farfield"; east = "subsonic_outflow"; south = "wall"; north = "isothermal"; };
run = { steps = 8; };
END
cat >blocks.conf <<END
solver = "compressible";
grid = { nx = 24; ny = 16; nz = 16; levels = 1; };
mesh = { refine = "0.3 0.6 0.2 0.5 0.1 0.4"; };
compressible = { viscosity = 0.002; integrals = true; };
initial = { velocity_x = "0.3*sin(6.28*y)";
  density = "1 + 0.5*exp(-((x-0.5)^2+(y-0.4)^2+(z-0.3)^2)/0.02)"; pressure = "1 + 0.2*sin(6.28*x)"; };
boundary = { west = "wall"; east = "symmetry"; };
run = { steps = 4; };
END

# what a GPU has of links by launches of their own: where planes are fetched for several steps at once, and where the
# cut is changed between two steps
deep="cavity-3d --set grid.nx=16 --set grid.ny=9 --set grid.nz=101 --steps=20 --every=9 --precision=f64"
cat >stream.conf <<END
solver = "lbm3d";
grid = { nx = 16; ny = 12; nz = 101; };
lbm = { viscosity = 0.05; bounce_back = "interpolated"; };
boundary = { bottom = "inflow"; bottom_velocity = "0; 0; 0.05"; top = "outflow"; south = "wall"; north = "wall"; };
initial = { velocity_z = "0.05"; };
bodies = { shapes = "sphere 8 6 30 3.3; box 2 2 65 6 5 72"; };
probes = "a plane z 30.5";
run = { steps = 20; };
END
sed 's/nz = 101/nz = 40/; s/box 2 2 65 6 5 72/box 2 2 20 6 5 24/; s/8 6 30/8 6 12/' stream.conf >half.conf
for how in "lbm.storage=half" "lbm.storage=half --set lbm.rows=folded --set grid.nx=64" "lbm.rows=folded --set grid.nx=64"; do
  check "two lattices, $how: one device" reference half.conf --set $how --every=9
  for devices in 'openmp,openmp*2.1' openmp,openmp,openmp,openmp,openmp; do
    check "two lattices, $how: $devices" same_on $devices half.conf --set $how --every=9
  done
  test $mixed = no || check "two lattices, $how: two kinds" same_on 'opencl:0*1.3,openmp,opencl:0' half.conf --set $how --every=9
done
auto="cavity-3d --set grid.nx=8 --set grid.ny=8 --set grid.nz=40 --steps=400 --every=100"
if test $mixed = yes; then
  check "links on GPUs, deep: one device" reference $deep
  for devices in opencl:0,opencl:0 'opencl:0*1.3,openmp,opencl:0'; do
    check "links on GPUs, deep: $devices" same_on $devices $deep
  done
  check "links, openings at the ends: one device" reference stream.conf --every=9
  for devices in opencl:0,opencl:0 'opencl:0*1.3,openmp,opencl:0'; do
    check "links, openings at the ends: $devices" same_on $devices stream.conf --every=9
  done
  check "links, measured weights: one device" reference $auto
  check "links, measured weights" same_on 'opencl:0*auto,opencl:0*12' $auto
fi

for precision in f32 f64; do
  for case in levels.conf blocks.conf "sod --steps=9" "taylor-green-compressible --set grid.nx=16 --set grid.ny=16 --set grid.nz=24 --steps=3"; do
    check "$case, $precision: one device" reference $case --precision=$precision --every=2
    for devices in $(some 'openmp*3,openmp,openmp' 'openmp*0.6,openmp,openmp*2,openmp,openmp'); do
      check "$case, $precision: $devices" same_on $devices $case --precision=$precision --every=2
    done
    test $gpus = no || check "$case, $precision: two kinds" same_on openmp,opencl:0*2 $case --precision=$precision --every=2
  done
done

# values of sides by formula, in time too; a sponge in some of the blocks, and a force
cat >sided.conf <<END
solver = "compressible";
grid = { nx = 64; ny = 32; levels = 1; };
mesh = { refine = "0.2 0.5 0 0.25"; };
compressible = { slopes = "van-albada"; };
initial = { density = "1 + 0.2*sin(6.28*y)"; velocity_x = "0.3"; };
boundary = { west = "inflow"; west_velocity = "0.3 + 0.1*sin(6.28*y + 40*t); 0; 0"; west_density = "1 + 0.2*sin(6.28*y)";
  east = "outflow"; south = "symmetry"; south_there = "inflow"; south_where = "x < 0.3"; south_velocity = "0.1; 0.2*x; 0";
  north = "symmetry"; };
run = { steps = 8; };
END
cat >sponge.conf <<END
solver = "compressible";
grid = { nx = 40; ny = 16; nz = 16; };
compressible = { sponge_strength = 1; sponge_density = 1; sponge_pressure = 1; };
initial = { density = "1 + 0.2*sin(6.28*x)"; velocity_y = "0.3*sin(6.28*z)"; };
boundary = { west = "farfield"; east = "farfield"; east_sponge = 0.3; };
run = { steps = 5; };
END
sed 's/^compressible/body_force = "0.1 0 0.02"; compressible/' sponge.conf >force.conf
for case in sided.conf sponge.conf force.conf; do
  check "$case: one device" reference $case --every=2
  for devices in 'openmp*3,openmp,openmp' 'openmp*0.6,openmp,openmp*2,openmp,openmp'; do
    check "$case: $devices" same_on $devices $case --every=2
  done
  test $gpus = no || check "$case: two kinds" same_on openmp,opencl:0*2 $case --every=2
done
# blocks that each device makes of others, where the cut is changed in a step: it begins far from what is measured.
# It stays where one device would be left without blocks, as a busy neighbour may have it: then once more.
shared_anew() { # DEVICES CASE OPTION...: the results are compared each time
  for again in 1 2 3 4 5; do
    same_on "$@" || return 1
    ! grep -q 'shared out anew' run/log.txt || return 0
  done
  grep -h weights err run/log.txt
  return 1
}
for case in levels.conf blocks.conf sided.conf sponge.conf; do
  check "$case, measured weights: one device" reference $case --steps=40 --every=9
  check "$case, measured weights" shared_anew 'openmp*auto,openmp*9,openmp*2' $case --steps=40 --every=9
done
blocks_kept() {
  reference levels.conf --every=2 || return 1
  rm -rf kept
  ends 75 run levels.conf --every=2 --devices=openmp,openmp,openmp --for=0.001s --batch=2 --output=kept &&
    ends 0 resume kept "$1" && outputs kept | diff - reference
}
check "blocks of three devices are resumed by two" blocks_kept '--devices=openmp,openmp*2'

# rows that go from device to device without the host, as between two GPUs: the tests' wrapper has that way
by_lanes() {
  (
    TRIREME_BACKEND_PATH=$build/tests/.libs:$build/backend-openmp/.libs TRIREME_FAULT_WRAPS=openmp
    export TRIREME_BACKEND_PATH TRIREME_FAULT_WRAPS
    "$@"
  )
}
# of rows so long a piece is more than 4 MiB, and is copied; a launch reads less than that where it lies
long="driven.conf --set lbm.obstacles= --set grid.nx=130000 --set grid.ny=12 --steps=6 --batch=2 --every=3 --formats=none"
a_row_fails() { # the 60th copy is one from another device; fills are before it
  by_lanes env TRIREME_FAULT=copy:60 TRIREME_FAULT_REPORT=report "$TRIREME" run $long --devices=fault,fault \
    --output=refused >out 2>err
  test $? = 2 && test "$(wc -l <err)" = 1 && grep -q 'copying from another device' report
}
if test -e "$build/backend-openmp/.libs/trireme_openmp.so"; then
  for case in "driven.conf --every=25" "$long" "tall.conf --every=9" "high.conf --every=9" "shallow.conf --every=10" "$pairs" "$tree" \
    "levels.conf --every=2" "blocks.conf --every=2" "taylor-green-3d --set grid.nx=16 --set grid.ny=9 --set grid.nz=31 --steps=20" \
    "taylor-green-compressible --set grid.nx=32 --set grid.ny=24 --set grid.nz=32 --steps=2" \
    "taylor-green-compressible --set grid.nx=64 --set grid.ny=64 --set grid.nz=64 --steps=1"; do # of this one long pieces, not packed
    check "$case: one device" reference $case
    for devices in fault,fault 'fault*1.3,fault,fault'; do
      check "$case: rows by lanes, $devices" by_lanes same_on "$devices" $case
    done
  done
  check "a row that does not arrive ends the run" a_row_fails
fi

# every row that a device does not have is no number
checked() { (export TRIREME_CHECK_ROWS=1 && run_of "$@"); }
small_cavity="cavity-3d --set grid.nx=16 --set grid.ny=9 --set grid.nz=101"
for case in driven.conf tall.conf high.conf shallow.conf levels.conf sided.conf sponge.conf "$pairs" "$tree" "$small_cavity"; do
  check "$case reads nothing beyond its halo" checked $case --steps=3 --batch=2 --devices=openmp,openmp*2,openmp
done
test $mixed = no || check "openings on GPUs read nothing beyond their halo" checked stream.conf --set grid.nz=40 \
  --set 'bodies.shapes=' --steps=3 --batch=2 --devices=opencl:0,openmp,opencl:0*2
test $mixed = no || check "links on GPUs read nothing beyond their halo" checked sphere --set grid.nx=24 --set grid.ny=14 \
  --set grid.nz=15 --set 'bodies.shapes=sphere 12 7 8 4' --steps=3 --batch=2 --devices=opencl:0,openmp,opencl:0*2
# weights that are measured, of a device each of whose launches takes so many microseconds more: of many rows it keeps some
slowly() { # MICROSECONDS ARGUMENT...
  delay=$1
  shift
  rm -rf slow
  by_lanes env TRIREME_FAULT=launch:1+ TRIREME_FAULT_DELAY=$delay "$TRIREME" run driven.conf --set lbm.accel=1e-3 --output=slow "$@" \
    >out 2>err
}
anew() {
  slowly 4000 '--devices=fault*auto,openmp' --set grid.ny=3100 --set lbm.obstacles= --steps=200 --formats=none && test ! -s err &&
    grep -Eq '^rows are shared out anew, as the devices were measured: fault:0 [0-9]+, openmp:0 [0-9]+ of 3100$' slow/log.txt ||
    { cat err; grep 'anew' slow/log.txt; return 1; }
}
as_they_are() {
  slowly 2000 '--devices=fault*auto,openmp' --set grid.ny=4 --set lbm.obstacles= --steps=720 --formats=none &&
    test "$(grep -c 'rows stay as they are shared out: fault:0 is so slow that it would have none of 4 rows; name the devices without it' err)" = 1 &&
    test "$(wc -l <err)" = 1 && grep -q '^warning: .*it would have none of 4 rows' slow/log.txt && ! grep -q 'shared out anew' slow/log.txt
}
if test -e "$build/backend-openmp/.libs/trireme_openmp.so"; then
  check "the log tells rows that are shared out anew" anew
  check "rows that stay as a device would have none are told" as_they_are
fi
check "measured weights" reference driven.conf --every=25 --steps=700
check "give the same bits" same_on 'openmp*auto,openmp*9' driven.conf --every=25 --steps=700

refused() { # PATTERN ARGUMENT...
  pattern=$1
  shift
  rm -rf refused
  ends 2 run "$@" --output=refused && grep -Eq "$pattern" err && test "$(wc -l <err)" = 1 || { cat err; return 1; }
}
check "a device that is not there" refused "no device \"openmp:7\"" driven.conf --devices=openmp,openmp:7
check "more devices than rows" refused '5 devices share 3 rows .*openmp:0 would get none' driven.conf \
  --set grid.ny=3 --set lbm.obstacles= --devices=$five
check "two devices and one block of rows" refused '2 devices share 1 block of rows \("' shallow.conf --set grid.ny=8 \
  --set probes= --devices=openmp,openmp
check "bodies in a compressible flow" refused "a flow about bodies works on one device alone, and 2 were named" \
  cylinder-compressible --steps=1 --devices=openmp,openmp
memory_of_each() {
  ends 0 run driven.conf --devices=openmp,openmp*2 --dry-run && has '^# memory on openmp,openmp\*2: [0-9.]+ [kM]iB, [0-9.]+ [kM]iB$' &&
    run_of driven.conf --devices=openmp,openmp && has '^memory  *at most [0-9.]+ MiB of each device$'
}
check "memory is that of each device" memory_of_each
check "blocks of a lattice in three dimensions" refused 'blocks \(grid.levels, lbm.blocks\) are of one device, and openmp:0, openmp:0 were named' \
  cavity-levels --steps=1 --devices=openmp,openmp
check "a grid that follows the flow in shuffled slots" refused 'a grid that follows the flow in shuffled slots works on one device alone' \
  sod --set grid.levels=1 --set 'mesh.refine=density 0.05' --set mesh.shuffle=3 --steps=1 --devices=openmp,openmp
check "a cycle over coarser grids in shuffled slots" refused 'a cycle over coarser grids in shuffled slots works on one device alone' \
  taylor-green-compressible --set compressible.time=dual --set dual.dt=0.1 --set compressible.multigrid=1 --set mesh.shuffle=3 --steps=1 --devices=openmp,openmp
check "two devices and one block of bodies" refused '2 devices share 1 block of bodies \("' plummer --set nbody.bodies=100 \
  --devices=openmp,openmp
check "more devices than blocks of cells" refused '9 devices share 4 blocks of cells \("' taylor-green-compressible \
  --set grid.nx=16 --set grid.ny=16 --set grid.nz=8 --devices=$five,openmp,openmp,openmp,openmp
check "more devices than blocks of rows" refused '5 devices share 2 blocks of rows' shallow.conf --set grid.ny=9 \
  --set probes= --devices=$five
not_as_one() { ends 2 bench --on='(openmp,openmp*2)' --runs=2 && says 'trireme run --devices=openmp,openmp\*2, or trm_run_open'; }
check "a bench of several devices" not_as_one
check "a weight that is none" refused 'a number from 0.001' driven.conf '--devices=openmp*0,openmp'
check "a weight of the only device" refused 'device "openmp\*3": it is the only one' driven.conf '--devices=openmp*3'
check "blanks beside commas, stars and brackets" ends 0 run driven.conf --steps=1 '--devices=( openmp * 3 , openmp )' --output=blanks
not_pinned() { # two devices that a case names, and the case of a folder that is resumed
  sed 's/run = {/run = { devices = "openmp,openmp";/' driven.conf >named.conf
  rm -rf named
  (unset OMP_PROC_BIND
  ends 75 run named.conf --steps=75 --for=0.001s --batch=20 --output=named && has '"pinning": "none"' named/run.json &&
    ends 0 resume named && has '"pinning": "none"' named/run.json &&
    rm -rf named && ends 0 run named.conf --steps=1 --backend=openmp --output=named && has '"pinning": "cores"' named/run.json)
}
check "teams of threads are not bound to the same cores" not_pinned
pinned() { # "none" or "cores", COMMAND...
  how=$1
  shift
  rm -rf pinned
  (unset OMP_PROC_BIND && "$@" >out 2>err && has "\"pinning\": \"$how\"" pinned/run.json) || { cat out err; return 1; }
}
one_step() { "$TRIREME" run "$@" --steps=1 --output=pinned; }
sed 's/run = {/run = { devices =\n"openmp,"\n"openmp";/' driven.conf >broken.conf # over several lines
echo 'output = { name = "devices-openmp"; }; run = { devices = "openmp"; steps = 1; };' >named.conf # in one line
grep -v '^run' driven.conf >>named.conf
mkdir -p folder-openmp/cases/two && cp solid.dat folder-openmp/cases/two
sed 's/run = {/run = { devices = "openmp,openmp";/' driven.conf >folder-openmp/cases/two/case.conf
check "nor where the case names them on several lines" pinned none one_step broken.conf
check "nor where the case is a folder" pinned none one_step folder-openmp/cases/two
check "nor where it is found by its name" pinned none env TRIREME_CASES=$PWD/folder-openmp/cases "$TRIREME" run two --steps=1 --output=pinned
check "nor where a variable names them" pinned none env TRIREME_DEVICES=openmp,openmp "$TRIREME" run driven.conf --steps=1 --output=pinned
check "a variable counts before the case" pinned cores env TRIREME_BACKEND=openmp "$TRIREME" run broken.conf --steps=1 --output=pinned
check "the name of a folder or of the case names no device" pinned cores one_step named.conf
output_named() {
  rm -rf openmp-openmp
  (unset OMP_PROC_BIND && "$TRIREME" run driven.conf --steps=1 --backend=openmp --output=openmp-openmp >out 2>err &&
    has '"pinning": "cores"' openmp-openmp/run.json)
}
check "nor does that of the results" output_named
cp driven.conf folder-openmp/openmp.conf && cp solid.dat folder-openmp
check "nor that of a case's folder and file" pinned cores one_step folder-openmp/openmp.conf
many() { # more than their line has room for
  rm -rf many
  ends 0 run driven.conf --steps=1 --devices="$(printf 'openmp,%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14)openmp" --output=many &&
    has '"name": "openmp:0, (openmp:0, )*openmp:0 and [1-9] more"' many/run.json
}
check "a name of many devices says how many more there are" many
threads_are() { # OMP_NUM_THREADS, what each of two devices has
  rm -rf threads
  OMP_NUM_THREADS=$1 ends 0 run driven.conf --steps=1 --devices=openmp,openmp --output=threads && has "\"threads\": $2," threads/run.json
}
check "six threads of a process are three of each device" threads_are 6 3
check "one is one of each" threads_are 1 1
check "devices and a backend" refused 'leave one out' driven.conf --devices=openmp,openmp --backend=openmp
check "be one of them set" refused '^trireme: error: --set run.devices and --backend: .*leave one out' \
  driven.conf --backend=openmp --set run.devices=openmp,openmp
check "in a dry run as well" refused '^trireme: error: --set run.devices and --backend: .*leave one out' \
  driven.conf --dry-run --backend=openmp --set run.devices=openmp,openmp
by_variable() { # VARIABLE=VALUE OPTION PATTERN
  rm -rf by_variable
  (export "$1"; ends 0 run driven.conf --steps=1 "$2" --output=by_variable) && has "$3" by_variable/used.conf
}
check "a variable that names a backend counts after devices" \
  by_variable TRIREME_BACKEND=opencl:99 --devices=openmp,openmp 'devices = "openmp,openmp"'
check "and one that names devices after a backend" \
  by_variable TRIREME_DEVICES=openmp,opencl:99 --backend=openmp 'devices = ""'

done_testing
