# cli_input.sh - bad input to the program gets one line that names the cause, exit code 2, and no result.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/cli_input
rm -rf "$work"
mkdir -p "$work/box"
cd "$work" || exit 1
printf '32\n16\n20\n10\n0.1\n0.005\n1.85\n' >good.params
printf '3 4 1\n3 4 1\n5 6 1\n' >good.dat
cat >box/case.conf <<'END'
solver = "lbm";
grid = { nx = 32; ny = 16; };
run = { steps = 20; roof = false; };
END

# refused PATTERN ARGUMENT... : exit code 2, one line on stderr that matches, nothing on stdout
refused() {
  pattern=$1
  shift
  "$TRIREME" "$@" >out 2>err
  code=$?
  cat err
  test $code = 2 || { echo "exit code $code"; return 1; }
  test "$(wc -l <err)" = 1 || { echo "not one line"; return 1; }
  test ! -s out || { echo "a result on standard output:"; cat out; return 1; }
  grep -Eq -e "$pattern" err || { echo "no match for: $pattern"; return 1; }
  test ! -e results || { echo "a folder of results was left"; return 1; }
}

# params LINE TEXT : good.params with one line replaced
params() {
  sed "$1s/.*/$2/" good.params >bad.params
}

check "no command" refused "no command given; try"
check "an unknown command names the nearest" refused "'rnu'.*'run'" rnu
check "an unknown option of the program names the nearest" refused "'--hlep'.*'--help'" --hlep
check "an unknown option names the nearest" refused "'--bakend=x'.*--backend" run box --bakend=x
check "an option cut too short" refused "'--s=1' is ambiguous.*--steps.*--set" run box --s=1
check "an unknown letter" refused "'-x'" run box -x
check "an option of another command" refused "--runs is not an option of 'trireme run'" run box --runs=2
check "an option without its value" refused "--steps needs a value" run box --steps
check "a value for an option that takes none" refused "--json takes no value" run box --json=1
check "an operand too many for a listing" refused "'foo'" devices foo
check "an unknown backend, in a dry run too" refused "no backend \"cdua\".*did you mean \"cuda\"" run box --backend=cdua --dry-run
check "half a step" refused "run.steps needs an integer, not '1\\.5'; the nearest is 2" run box --steps=1.5
check "a time without a unit" refused "run.for = '90' has no unit; write 90s for seconds, or 90min" run box --for=90
check "units in the wrong order" refused "run.for = '30m2h' is not a time; .* 2h30m, 1d or 01:30:00" run box --for=30m2h
check "a factor without its operator" refused "'\\*' between two factors \\(2\\*x, not 2x\\), at character 2" \
  run shallow --set grid.nx=4 --set grid.ny=4 --set grid.dx=1 --steps=1 --set "initial.surface=2x"
check "'=' where formulas compare" refused "<, <=, > or >= expected" \
  run shallow --set grid.nx=4 --set grid.ny=4 --set grid.dx=1 --steps=1 --set "initial.surface=x=2 ? 1 : 0"
check "no case" refused "no case given" run
check "a case that is not there" refused "'nowhere' is neither a case .* nor a solver" run nowhere
check "a mistyped solver" refused "'lbn'.*nearest solver is 'lbm'" run lbn
check "a mistyped solver with files" refused "unknown solver 'lbn'.*'lbm'" run lbn good.params good.dat
check "a mistyped solver to list" refused "unknown solver 'lmb'.*'lbm'" solvers lmb
mkdir -p held
touch held/used.conf
check "a folder of results" refused "'held' holds results, not a case; their case is 'held/used\\.conf', and 'trireme resume'" run held
check "a comparison where no backend is ready" env TRIREME_BACKEND_PATH="$PWD/held" sh -c \
  '"$TRIREME" compare box --runs=1 2>err; test $? = 2 && grep "no backend is ready; .trireme backends. says why" err || { cat err; exit 1; }'
check "a new solver below a folder that is not there" refused "cannot make the folder 'no/such': No such file.*; make the folder first" \
  new-solver heat no/such
check "a movie of no folder" refused "there is no folder 'nowhere'; check the name" movie nowhere
check "a folder without case.conf" refused "\\./case\\.conf" run .
check "a case with an operand too many" refused "'box' is a case, which takes no further operands, and 1 is given" run box extra

sed 's/lbm/lbn/' box/case.conf >wrong.conf
check "an unknown solver in a case names file and line" refused "wrong\\.conf:1: .*'lbn'.*'lbm'" run wrong.conf
sed 's/steps/stpes/' box/case.conf >wrong.conf
check "an unknown key names file, line and the nearest" refused "wrong\\.conf:3.*stpes.*run\\.steps" run wrong.conf
sed 's/= 32/= /' box/case.conf >wrong.conf
check "a syntax error names file and line" refused "wrong\\.conf:2" run wrong.conf
for wrong in 'solver = lbm;' "solver = 'lbm';" 'solver: lbm' 'solver = "lbm"; grid.nx = 40;' 'solver = "lbm"; lbm = { omega = 1,5; };' \
  'solver = "lbm"; run = { roof = yes; };'; do
  printf '%s\n' "$wrong" >wrong.conf
  check "and the form of values and groups: $wrong" refused \
    "wrong\\.conf:1: syntax error here or just before; .* key = value; and group = \{ key = value; \}; .* true, false, or a text in double quotes" \
    run wrong.conf
done
sed '$s/.*/&\n&/' box/case.conf >wrong.conf
check "a group that is given twice is told so" refused "wrong\\.conf:4: .*given before; leave one of the two" run wrong.conf
mkfifo pipe.conf
check "a case in a pipe, which is read more than once, is not waited for" \
  refused "'pipe.conf' is a pipe .*write them to a file" run pipe.conf
{ printf '\357\273\277' && cat box/case.conf; } >marked.conf
for file in good.params good.dat; do { printf '\357\273\277' && cat $file; } >marked.${file#good.}; done
check "the mark of UTF-8 before a case is none of its keys" "$TRIREME" run marked.conf --dry-run
check "nor is that before files of a course" "$TRIREME" run lbm marked.params marked.dat --dry-run
sed 's/= 32/= -32/' box/case.conf >wrong.conf
check "a negative size names file and line" refused "wrong\\.conf:2.*-32" run wrong.conf
sed '/run/d' box/case.conf >wrong.conf
check "a required key that is missing" refused "run\\.steps" run wrong.conf

check "a setting without a value" refused "--set lbm.omega.*KEY=VALUE" run box --set lbm.omega
check "an unknown key of --set" refused "--set lbm.omga.*'lbm.omega'" run box --set lbm.omga=1
check "a value out of range" refused "--set lbm.omega.*2\\.5" run box --set lbm.omega=2.5
check "NaN as a value" refused "--set lbm.omega.*nan" run box --set lbm.omega=nan
for key in run.for checkpoint.every checkpoint.mtbf; do
  check "a hexadecimal time, $key" refused "$key = '0x5s' is not a time" run box --set $key=0x5s
  check "a time beyond all, $key" refused "$key = '1e300d' is not between 0 and 1e9 s" run box --set $key=1e300d
  check "a negative one, $key" refused "$key = '-5min' is not between 0 and 1e9 s" run box --set $key=-5min
done
check "no time, with its unit" "$TRIREME" run box --steps=2 --set run.for=0s --set checkpoint.every=0.0min --output=no-time
check "files of a solver's own where it has none" refused "--formats.*course alone, and solver 'compressible' has no" \
  run compressible --steps=1 --formats=course --output=none-of-its-own
check "files of a solver's own that this flow lacks" refused "solver 'lbm' has no files of its own here, since its lbm.flow" \
  run channel --steps=1 --formats=course --output=none-of-its-own
check "files of a solver's own without a case of the course" refused "own here, since it has no shallow.course" \
  run dam-break --steps=1 --formats=course --output=none-of-its-own
check "a grid that is too large says what to do" refused "all together at most 2\\^31; make grid.nx or grid.ny smaller" \
  run shallow --set grid.nx=1000000 --set grid.ny=1000000 --set grid.dx=1 --steps=1
check "one of blocks too" refused "62500 x 62500 x 1 blocks are more than a grid may have, 16777216; take a coarser grid" \
  run compressible --set grid.nx=1000000 --set grid.ny=1000000 --steps=1
check "a side of one cell names its key" refused "--set grid.ny: a grid of 32 x 1 cells: each side" \
  run shallow --steps=1 --set grid.nx=32 --set grid.ny=1 --set grid.dx=1
env_refused() { # VARIABLE=VALUE ARGUMENT...: of a run
  setting=$1
  shift
  (export "$setting" && refused "^trireme: error: $setting: ${pattern_of-give 1 }" run "$@")
}
# keys that would not be looked at
unheeded() { # KEY OTHER ARGUMENT...
  key=$1 other=$2
  shift 2
  check "$key beside no $other" refused "^trireme: error: --set $key: $key has an effect only (where|together with) $other.*leave it out" \
    run "$@" --steps=1
}
: >bodies.txt
for of in nbody.extent:box nbody.heaviest:box nbody.eccentricity:kepler nbody.separation:galaxies nbody.impact:galaxies nbody.approach:galaxies; do
  unheeded "${of%:*}" "nbody.initial is ${of#*:}, and it is plummer" nbody --set nbody.dt=0.01 --set "${of%:*}=0.25"
done
unheeded nbody.file "nbody.initial is file, and it is plummer" nbody --set nbody.dt=0.01 --set nbody.file=bodies.txt
unheeded nbody.masses "nbody.initial is file, and it is cube" nbody --set nbody.dt=0.01 --set nbody.masses=bodies.txt --set nbody.initial=cube
check "planets in units that are not theirs" \
  refused '^trireme: error: --set nbody.initial: the five bodies are in AU.*nbody.units = "nbody"; set nbody.units = "solar"' \
  run nbody --steps=1 --set nbody.dt=0.01 --set nbody.initial=five-bodies
water="shallow --set grid.nx=32 --set grid.ny=32 --set grid.dx=1"
unheeded shallow.theta "shallow.scheme is hllc, and it is lax-friedrichs" $water --set shallow.theta=1.5 --set shallow.scheme=lax-friedrichs
unheeded lbm.obstacles_grid lbm.obstacles box --set lbm.obstacles_grid=16x16
channel="lbm --set lbm.flow=channel --set grid.nx=32 --set grid.ny=16 --set lbm.speed=0.05 --set lbm.viscosity=0.1"
unheeded lbm.mask_scale lbm.mask $channel --set lbm.mask_scale=true
unheeded units.density units.cell $channel --set units.density=998
unheeded units.density units.cell lbm3d --set grid.nx=8 --set grid.ny=8 --set grid.nz=8 --set lbm.viscosity=0.1 --set units.density=998
unheeded compressible.viscosity_at compressible.sutherland compressible --set grid.nx=16 --set grid.ny=16 --set compressible.viscosity_at=2
# keys of a method that a case may have beside another, and a command may not
unheeded nbody.theta "nbody.force is tree, and it is pairs" cold-collapse --set nbody.theta=0.3
unheeded nbody.bodies "nbody.initial is plummer.*box, and it is figure-eight" figure-eight --set nbody.bodies=100
unheeded nbody.seed "nbody.initial is plummer.*box, and it is kepler" nbody --set nbody.dt=0.01 --set nbody.initial=kepler --set nbody.seed=2
unheeded lbm.magic "lbm.collision is trt, and it is bgk" $channel --set lbm.magic=0.1
unheeded lbm.bounce_back bodies.shapes $channel --set lbm.bounce_back=interpolated
still="lbm --set lbm.flow=channel --set grid.nx=32 --set grid.ny=16 --set lbm.viscosity=0.1 --set boundary.west=periodic --set boundary.east=periodic"
unheeded lbm.inflow "boundary.west is inflow, and it is periodic" $still --set lbm.inflow=parabolic
unheeded lbm.perturbation "boundary.west is inflow, and it is periodic" $still --set lbm.perturbation=0.1
check "a speed without an inflow" refused "^trireme: error: --set lbm.speed: lbm.speed is the speed of an inflow.* leave it out" \
  run $still --steps=1 --set lbm.speed=0.05
for key in lbm.length lbm.statistics_from; do
  check "$key without obstacles" refused "^trireme: error: --set $key: $key needs obstacles, .* leave it out" \
    run $channel --steps=1 --set $key=3
done
box3="lbm3d --set grid.nx=8 --set grid.ny=8 --set grid.nz=8 --set lbm.viscosity=0.1"
unheeded lbm.magic "lbm.collision is trt, and it is mrt" $box3 --set lbm.collision=mrt --set lbm.magic=0.1
check "a surface without bodies" refused "^trireme: error: --set lbm.bounce_back: .* this case has no body; set bodies.shapes or bodies.stl, or leave" \
  run $box3 --steps=1 --set lbm.bounce_back=halfway
unheeded shallow.arrival "shallow.maps is true, and it is false" $water --set shallow.arrival=0.1
flat="compressible --set grid.nx=16 --set grid.ny=16"
unheeded compressible.prandtl compressible.viscosity $flat --set compressible.prandtl=1
unheeded compressible.cfl_viscous compressible.viscosity $flat --set compressible.cfl_viscous=0.1
unheeded compressible.chi "compressible.flux is ausm, and it is hllc" blasts --set compressible.chi=0.05
as_asked() { # CASE : each key that it sets, set by the command too, which would be told of what does nothing
  "$TRIREME" run "$1" --dry-run --json >keys.json 2>err || return 1
  awk '/^  "[a-z]+": [{]/ { part = $1 }
    NR == FNR { if (part == "\"origins\":" && /case\.conf:/) { split($0, word, "\""); of_case[word[2]] = 1 } next }
    part == "\"config\":" && /^    "/ {
      split($0, word, "\"")
      if (!(word[2] in of_case)) next
      sub(/^[^:]*: /, "")
      sub(/,$/, "")
      gsub(/^"|"$/, "")
      print "--set\n" word[2] "=" $0
    }' keys.json keys.json >keys.txt
  test "$(wc -l <keys.txt)" -gt 6 && xargs -d '\n' "$TRIREME" run "$1" --dry-run <keys.txt >out 2>err && test ! -s err || { cat keys.txt err; return 1; }
}
for case in cavity channel cylinder schaefer-turek-1 cold-collapse figure-eight five-bodies galaxies dam-break tsunami blasts \
  couette shu-osher sod vortex duct; do
  check "the case $case sets no key that does nothing" as_asked $case
done
rm -rf other
check "a case has them, and a command takes another method" "$TRIREME" run plummer --set nbody.force=pairs --set nbody.bodies=64 \
  --steps=1 --set nbody.picture=16 --roof=false --quiet --output=other
rm -rf again
check "whose used.conf runs" "$TRIREME" run other/used.conf --roof=false --quiet --output=again
printf '0 1\n1 2\n' >stage.txt
check "a level and its hydrograph" refused "^trireme: error: --set boundary.west_value: the file of boundary.west_table says it" \
  run $water --steps=1 --set boundary.west=level --set boundary.west_value=1 --set boundary.west_table=stage.txt
check "a wave where there is no sea" \
  refused "^trireme: error: the default: boundary.west: a wave runs in over still water, and this edge is dry: the bed is 0.5 m high .* shallow.still_level is 0; set it" \
  run $water --steps=1 --set shallow.bed_formula=0.5 --set initial.surface=2 --set boundary.west=wave --set boundary.west_value=2.3
check "a wall that would move into itself" \
  refused "the wall in the west moves along its own normal, at 0.2 0.1 0; it may slide only" \
  run compressible --steps=1 --set grid.nx=16 --set grid.ny=16 --set boundary.west=wall --set boundary.east=wall \
  --set "boundary.west_velocity=0.2 0.1 0"
# lists of numbers of each solver
lists() { # SOLVER KEY=VALUE
  solver=$1 key=$2 grid='--set grid.nx=32 --set grid.ny=32'
  number=$(printf '%s' "$key" | grep -oE 'nan|-inf|inf|1e400|0x5')
  test "$solver" != lbm3d || grid="$grid --set grid.nz=32"
  check "$number in the list ${key%%=*} of $solver" refused "${key%%=*} has the number '$number'; write finite" \
    run "$solver" --steps=1 $grid --set "$key"
}
lists lbm 'bodies.shapes=cylinder 0x5 9 3'
lists lbm 'probes=0x5 9'
lists lbm3d 'bodies.shapes=sphere 9 9 9 inf'
lists lbm3d 'boundary.west_velocity=nan; 0; 0'
lists lbm3d 'probes=a point 0x5 9 9'
lists lbm3d 'lbm.patches=a density 1e400'
lists lbm3d 'average_from=0x5'
lists lbm3d 'mesh.refine=0 inf 0 8 0 8'
lists shallow 'probes=a 0x5 1'
lists shallow 'shallow.fill=0x5'
lists compressible 'body_force=0.1 nan 0'
lists compressible 'compressible.sponge_velocity=-inf 0 0'
lists compressible 'probes=a 0x5 1'
lists compressible 'bodies.motion=0, t, t about nan 0'
lists compressible 'boundary.west_velocity=0 0 1e400'
lists compressible 'mesh.refine=density 0x5'
lists lbm 'run.devices=openmp,openmp*0x5'
flat="run compressible --steps=1 --set grid.nx=32 --set grid.ny=32"
for body in 'cylinder 0x5 1 1' 'cylinder 5 1 1 isothermal 0x1' 'cylinder 5 1 1 spin -0x1p-1'; do
  check "no body has a hexadecimal number: $body" refused "'$body' in bodies.shapes is no body" $flat \
    --set "bodies.shapes=$body"
done
check "nor has the time of means" refused "average_from = '0x5' is no time" $flat --set average_from=0x5
check "nor have seconds" refused '--seconds=0x1: ' study box --vary=lbm.omega=1,1.1 --seconds=0x1
check "one that is too large in a formula" refused "west_velocity.*too large for double" run compressible --steps=1 \
  --set boundary.west=farfield --set boundary.east=farfield --set 'boundary.west_velocity=0.1; 1e400+t; 0'
check "infinity as a value" refused "--set lbm.density.*inf" run box --set lbm.density=inf
check "a word as a number" refused "--set lbm.omega.*abc" run box --set lbm.omega=abc
check "no steps" refused "--steps" run box --steps=0
check "negative steps" refused "--steps.*-5" run box --steps=-5
check "a shape of steps that no device has is of its own key" \
  refused "^trireme: error: --set run.steps_shape: run.steps_shape = '4:128x4': a shape of 4 steps.*give 3, 5, 7 or 9" \
  run box --backend=openmp --set run.steps_shape=4:128x4
check "rows are checked by 1 or not" env_refused TRIREME_CHECK_ROWS=yes box --devices=openmp,openmp
check "on one device too" env_refused TRIREME_CHECK_ROWS=yes box --backend=openmp
check "and buffers" env_refused TRIREME_DEBUG_BUFFERS=on box --backend=openmp
pattern_of='there is no comm "mpihc" \(did you mean "mpich"\?\); those known here are .*; give one of them, or none, or unset it'
check "and an MPI that is none, without a launcher too" env_refused TRIREME_COMM=mpihc box --backend=openmp
unset pattern_of
check "an unknown precision" refused "--precision.*f16.*f32" run box --precision=f16
check "an unknown arithmetic" refused "--math.*fsat.*fast" run box --math=fsat
check "a group that is not a shape" refused "row group 100 x 2: .*multiple of 32" run box --group=100x2
check "an unknown format" refused "--formats.*'jpg'" run box --formats=jpg
check "a list without a format" refused "--formats: output.formats = ',' names no format" run box --formats=,
check "and without a field" refused "--fields: output.fields = ' , ' names no field" run box "--fields= , "
check "an unknown field names the nearest" refused "--fields.*'velocty'.*'velocity'" run box --fields=velocty
check "no number of runs" refused "--runs=0" compare box --runs=0
check "a grid beyond every size" refused "too large" run box --set grid.nx=1000000000 --set grid.ny=1000000000

check "an unknown backend names the nearest" refused "--backend.*opemp.*openmp" run box --backend=opemp
check "an unknown backend in a list" refused "--on.*opemp.*openmp" compare box --on=openmp,opemp
check "a device that is not there" refused "--backend.*openmp:7" run box --backend=openmp:7
check "an empty list of backends" refused "--on=, names no backend" compare box --on=,
check "and of devices to measure" refused "--on= names no backend" bench --on=
if "$TRIREME" backends --json | tr -d ' \n' | grep -q '"name":"cuda"[^}]*"ready":false'; then
  reason='cuda is not ready.*; '
  check "a backend that is not ready says why, and nothing else runs" refused "--backend.*$reason" run box --backend=cuda
  check "so in compare" refused "--on.*$reason" compare box --on=openmp,cuda
  check "so in bench" refused "--on.*$reason" bench --on=openmp,cuda
else
  skip "a backend that is not ready" "every backend is ready here, or cuda is not built"
fi

check "a course file that is not there" refused "missing\\.params" run lbm missing.params good.dat
check "obstacles that are not there" refused "missing\\.dat" run lbm good.params missing.dat
check "one course file only" refused "OBSTACLES" run lbm good.params
head -n 5 good.params >bad.params
check "a short parameter file" refused "bad\\.params" run lbm bad.params good.dat
{ cat good.params; echo 7; } >bad.params
check "a long parameter file" refused "bad\\.params:8" run lbm bad.params good.dat
check "course files in the other order" refused "'good\\.params' holds the parameters, and comes first: trireme run lbm good.params good.dat" \
  run lbm good.dat good.params
check "course files without the solver's name" refused "good\\.params: a file of numbers is no case; .*'trireme run lbm PARAMS OBSTACLES'" \
  run good.params good.dat
check "so a file of bodies" refused "good\\.dat: a file of numbers is no case; .*'trireme run nbody BODIES'" run good.dat
params 1 many
check "a word in a parameter file" refused "bad\\.params:1.*many" run lbm bad.params good.dat
params 2 -16
check "a negative size in a parameter file" refused "bad\\.params:2" run lbm bad.params good.dat
params 3 0
check "no steps in a parameter file" refused "bad\\.params:3" run lbm bad.params good.dat
params 5 nan
check "NaN in a parameter file" refused "bad\\.params:5" run lbm bad.params good.dat
params 7 inf
check "infinity in a parameter file" refused "bad\\.params:7" run lbm bad.params good.dat
params 1 99999999999999999999
check "a huge size in a parameter file" refused "bad\\.params:1" run lbm bad.params good.dat
params 2 2
check "fewer than three rows" refused "bad\\.params:2" run lbm bad.params good.dat
echo '32 4 1' >bad.dat
check "an obstacle outside the grid" refused "bad\\.dat:1" run lbm good.params bad.dat
printf '1 1 1\n2 x 1\n' >bad.dat
check "a malformed obstacle" refused "bad\\.dat:2" run lbm good.params bad.dat
for y in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  for x in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; do
    echo "$x $y 1"
  done
done >bad.dat
check "obstacles everywhere" refused "bad\\.dat" run lbm good.params bad.dat

touch file
check "a folder that cannot be made" refused "file" run box --output=file/deeper
check "a folder that is a file" refused "file" run box --output=file
mkdir -p locked/run.json
check "a result that is a folder" refused "run\\.json" run box --output=locked --formats=none
check "is found before the run" test ! -e locked/series.csv
mkdir -p locked2/speed.png
check "a picture that is a folder" refused "speed\\.png" run box --output=locked2
check "is found before the run, too" test ! -e locked2/fields.vti
if test -w /; then
  skip "a folder that cannot be written" "root writes everywhere"
else
  check "a folder that cannot be written" refused "/trireme-results" run box --output=/trireme-results
fi
done_testing
