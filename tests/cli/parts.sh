# parts.sh - parts of a run hold their own rows: the most memory that a rank has beside that of a run on one
# device, what a dry run says of it, and what a run took.
. "$srcdir/tests/tap.sh"
workplace parts
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

# ---- devices of one process

taken() { # FOLDER: bytes that each part took, a line each
  sed -n 's/.*"taken_bytes": *\([0-9]*\).*/\1/p' "$1/run.json"
}
grid='--set grid.nx=512 --set grid.ny=512 --set lbm.obstacles= --steps=20 --precision=f64'
told_is_taken() {
  rm -rf two
  ends 0 run driven-box $grid --devices=openmp,openmp*3 --dry-run --json && packed | sed 's/.*"memory_bytes_of_each":\[\([0-9,]*\)\].*/\1/' | tr ',' '\n' | sed '$a\' >told &&
    ends 0 run driven-box $grid --devices=openmp,openmp*3 --output=two && taken two >took && test "$(wc -l <took)" = 2 && paste told took | awk -v rows=$((2 * 9 * 520 * 8)) '{ print } $1 < $2 || $1 > $2 + rows { failed = 1 } END { exit failed }'
}
# Batches of other lengths may take a row more of one lattice, on either side.
check "a dry run tells what each part takes" told_is_taken
# 2 lattices of 9 populations: 128 and 384 of 512 rows, and up to 8 rows of others on either side. Sums of 32 cells take 17 MB
# of all rows; a fold reads those of 256 rows at once.
is_own_rows() {
  awk -v row=$((2 * 9 * 512 * 8)) 'NR == 1 { least = 128 * row; most = 144 * row + 12e6 } NR == 2 { least = 384 * row; most = 400 * row + 16e6 }
    $1 < least || $1 > most { print $1, "is not from", least, "to", most; failed = 1 } END { exit failed }' took
}
check "its own rows and those beside them" is_own_rows

small='--set grid.nx=64 --set grid.ny=48 --set lbm.obstacles= --steps=30'
in_debug() { # a buffer that nobody has written yet is zeros there too
  ends 0 run driven-box $small --backend=openmp && sed -n 's/^fingerprint  *//p' out >alone && test -s alone &&
    TRIREME_DEBUG_BUFFERS=1 ends 0 run driven-box $small --devices=openmp,openmp && sed -n 's/^fingerprint  *//p' out | cmp - alone
}
check "the same bits between guard bytes" in_debug

# Fields that are brought a component at a time take launches of all parts, in files, checkpoints and their way back.
brought='--set grid.nx=20 --set grid.ny=14 --set grid.nz=12 --set lbm.streaming=in-place --set lbm.storage=half --every=16'
print() { sed -n 's/^fingerprint  *//p' out; }
goes_on() {
  rm -rf one kept
  ends 0 run cavity-3d $brought --steps=48 --devices=openmp --output=one && print >alone && test -s alone &&
    ends 75 run cavity-3d $brought --steps=48 --devices=openmp,openmp --for=0.001s --batch=16 --output=kept &&
    ends 0 resume kept --devices=openmp,openmp*2,openmp && print | cmp - alone &&
    (cd one && find . -name '*.vt*' -exec cksum {} + | sort) >first && test -s first && (cd kept && find . -name '*.vt*' -exec cksum {} + | sort) | diff first -
}
check "a lattice in place goes on, on another number of parts" goes_on

# 64 and 192 of 256 blocks, each of 30720 bytes in three states, and blocks beside them in two states. All blocks take 7.9 MB.
blocks='--set grid.nx=256 --set grid.ny=256 --steps=2 --precision=f64'
blocks_are_own() {
  rm -rf cells
  ends 0 run vortex $blocks --devices=openmp,openmp*3 --dry-run --json && packed | sed 's/.*"memory_bytes_of_each":\[\([0-9,]*\)\].*/\1/' |
    tr , '\n' >told && echo >>told &&
    ends 0 run vortex $blocks --devices=openmp,openmp*3 --output=cells && taken cells >took && diff told took &&
    awk 'NR == 1 { least = 64; most = 64 + 50 } NR == 2 { least = 192; most = 192 + 50 }
      $1 < 30720 * least || $1 > 30720 * most { print $1, "is not of", least, "to", most, "blocks"; failed = 1 } END { exit failed || NR != 2 }' took
}
check "blocks of compressible flow: own ones and those beside them, as a dry run tells" blocks_are_own
levels='--set grid.nx=64 --set grid.ny=64 --set grid.levels=1 --set compressible.integrals=true'
blocks_go_on() {
  rm -rf flow flows
  ends 0 run vortex $levels --set 'mesh.refine=-1 2 -1 2' --set 'probes=a 0.3 0.1' --steps=40 --backend=openmp --output=flow && print >alone &&
    test -s alone &&
    ends 75 run vortex $levels --set 'mesh.refine=-1 2 -1 2' --set 'probes=a 0.3 0.1' --steps=40 --devices=openmp,openmp --for=0.001s \
      --batch=8 --output=flows &&
    ends 0 resume flows --devices=openmp,openmp*2,openmp && print | cmp - alone && cmp flow/series.csv flows/series.csv
}
check "compressible flow on two levels goes on, on another number of parts" blocks_go_on
# A blast leaves the first part's blocks, and the grid follows it; walls move across the cuts. What is kept goes from three parts to two.
box='--set grid.nx=64 --set grid.ny=48 --set grid.x0=0 --set grid.y0=0 --set compressible.length_x=1 --set initial.density=1 --set initial.velocity_x=0.5
  --set initial.velocity_y=0 --set output.formats=vtu'
goes_on_as() { # STEPS ARGUMENT... : a run on one device, and one that goes on
  rm -rf alone parts
  steps=$1
  shift
  ends 0 run vortex $box "$@" --steps=$steps --backend=openmp --output=alone && print >print && test -s print &&
    ends 75 run vortex $box "$@" --steps=$steps --devices=openmp*2,openmp,openmp --for=0.001s --batch=8 --output=parts &&
    ends 0 resume parts --devices=openmp,openmp && print | cmp - print && cmp alone/series.csv parts/series.csv && cmp alone/fields.vtu parts/fields.vtu
}
follows() {
  goes_on_as 40 --set grid.levels=2 --set mesh.adapt_every=2 --set average_from=0 --set compressible.integrals=true \
    --set 'mesh.refine=density 0.3; reach 4' --set 'initial.pressure=1+20*exp(-900*((x-0.2)^2+(y-0.2)^2))' &&
    grep '^rows that went to other parts, as the grid changed: [0-9.e+]* MB' parts/log.txt
}
check "a grid that follows a blast goes on, on another number of parts" follows
check "a body that moves in it, too" goes_on_as 12 --set compressible.cut_cells=redistribution --set grid.levels=1 \
  --set 'mesh.refine=pressure 0.1; 0.2 0.6 0.15 0.55' --set mesh.adapt_every=1 --set 'initial.pressure=1+9*exp(-600*((x-0.12)^2+(y-0.2)^2))' \
  --set 'bodies.shapes=cylinder 0.4 0.35 0.1 wall' --set 'bodies.motion=0.4*t, 0.2*t' --set compressible.viscosity=0.002

near_a_body() { # the memory that a small body takes; where lists look at all blocks it is 5.4 MB
  set -- $box --set grid.nx=512 --set grid.ny=256 --set initial.pressure=1 --set output.formats= --precision=f64 --steps=1 --devices=openmp,openmp
  rm -rf walls gas
  ends 0 run vortex "$@" --output=gas && ends 0 run vortex "$@" --set compressible.cut_cells=redistribution \
    --set 'bodies.shapes=cylinder 0.4 0.25 0.02' --output=walls && taken gas >without && taken walls | paste - without |
    awk '{ print $1 - $2 } $1 - $2 > 1.5e6 { failed = 1 } END { exit failed || NR != 2 }'
}
check "lists of cells at walls look at blocks near bodies alone" near_a_body

# ---- ranks

launcher=
for name in mpirun.openmpi mpirun; do
  test -n "$launcher" || ! command -v $name >/dev/null || launcher=$name
done
test -e "$build/comm-mpi/.libs/comm_openmpi.so" && test -n "$launcher" || { skip "ranks" "built without openmpi"; done_testing; exit 0; }
TRIREME_COMM_PATH=$build/comm-mpi/.libs
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export TRIREME_COMM_PATH OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
  OMPI_MCA_btl_vader_single_copy_mechanism

outputs() { (cd "$1" && find . -type f ! -path './checkpoint/*' ! -name run.json ! -name log.txt ! -name '*.conf' -exec cksum {} + | sort -k3); }
peaks() { # NAME ARGUMENT... : a run of one rank, NAME-1, and of four, NAME-4; the most kB of each rank in NAME.one and NAME.four
  name=$1
  shift
  rm -rf "$name-1" "$name-4" "$name.one" "$name.four"
  "$build/tests/peak" "$name.one" "$TRIREME" run "$@" --backend=openmp --roof=false --output=$name-1 >out 2>err || { cat out err; return 1; }
  timeout -k 5 120 $launcher -n 4 "$build/tests/peak" "$name.four" "$TRIREME" run "$@" --backend=openmp --roof=false \
    --output=$name-4 >out 2>err || { cat out err; return 1; }
  test "$(wc -l <$name.four)" = 4
}
# The program and MPI take much of a small run, and MPI more on larger machines: they are left out, as a run of few cells has them.
check "a run of few cells" peaks few driven-box --set grid.nx=16 --set grid.ny=16 --set lbm.obstacles= --set output.formats= --steps=2
ends_alike() { # NAME ARGUMENT... : by one rank and by four; each of the four has had at most $part of one's memory
  peaks "$@" || return 1
  test "$(print_of $1-1)" = "$(print_of $1-4)" && test -n "$(print_of $1-1)" || return 1
  outputs $1-1 >first && outputs $1-4 | diff first - || return 1
  awk -v part="$part" -v whole="${whole-1}" 'FILENAME ~ /few.one/ { alone = $2; next } FILENAME ~ /few.four/ { beside[$1] = $2; next }
    FILENAME ~ /[.]one/ { all = $2; one = $2 - alone; next } { four = $2 - beside[$1] } four > part * one || $2 > whole * all { failed = 1 }
    { printf "rank %s: %d of %d kB, %.2f\n", $1, four, one, four / one } END { exit failed }' few.one few.four $1.one $1.four
}
part=0.33 whole=0.4 # with the program and MPI
check "D3Q19 of 96^3 in f64: each of four ranks has 0.33 of one's memory at most" ends_alike d3q19 taylor-green-3d \
  --precision=f64 --set grid.nx=96 --set grid.ny=96 --set grid.nz=96 --set lbm.lattice=d3q19 --set lbm.collision=bgk \
  --set initial.density= --set output.formats= --steps=2
part=0.38 whole=1 # 0.62 where the first part has the leaves of forces and probes of 64 steps
check "a body, probes and means" ends_alike sphere sphere --set grid.nx=96 --set grid.ny=64 --set grid.nz=64 \
  --set "bodies.shapes=sphere 30 32 32 6" --set "probes=a point 60 40 30; b plane x 80; c plane z 39" --set average_from=0 --steps=2
part=0.36 # above 1.08 where the first device puts the first state in its place
check "16 bits" ends_alike half taylor-green-3d --precision=f32 --set grid.nx=96 --set grid.ny=96 --set grid.nz=128 \
  --set lbm.lattice=d3q19 --set lbm.collision=trt --set lbm.storage=half --set initial.density= --set output.formats= --steps=2
part=0.33 # 0.37 where the clock reads the whole bed, above 0.57 where rank 0 has the water, too
check "shallow water" ends_alike dam dam-break --set grid.nx=1280 --set grid.ny=1024 --set "probes=a 5.1 5.1" --set output.formats= \
  --steps=2
part=0.42
check "a channel" ends_alike channel channel --precision=f64 --set grid.nx=1024 --set grid.ny=768 --set lbm.statistics_from=0 --steps=2

done_testing
