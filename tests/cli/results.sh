# results.sh - what run and compare leave is enough to do it again.
. "$srcdir/tests/tap.sh"
vtu_gas=$(cd "$srcdir" && pwd)/tests/cli/vtu_gas.py

work=$TRIREME_TEST_STATE/results
rm -rf "$work"
mkdir -p "$work/box"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF
cat >box/case.conf <<'END2'
solver = "lbm";
grid = { nx = 40; ny = 24; };
run = { steps = 150; };
output = { formats = "none"; };
END2

has() { tr -d ' \n' <"$2" | grep -q -e "$1" || { echo "no $1 in:"; cat "$2"; return 1; }; }
print_of() { sed -n 's/^ *"fingerprint": "\(.*\)",*/\1/p' "$1" | sort -u; }
# again FILE: the command that the file names, run by a shell
again() {
  command=$(sed -n 's/^  "repeat": "trireme \(.*\)",$/\1/p' "$1" | sed 's/\\\\/\\/g')
  rm -rf again
  test -n "$command" && eval "ends 0 $command --output=again --math=strict"
}

check "a run" ends 0 run box --output=a --set lbm.omega=1.6
for member in '"schema":4,' '"kind":"run"' '"written":"20' '"conditions":{"host":{"name":' '"cores":[1-9]' \
  '"cores_allowed":[1-9]' '"environment":{' '"compiler":"' '"flags":"' '"command":\["' '"lbm.omega":1.6' '"driver":"'; do
  check "its file has $member" has "$member" a/run.json
done
check "energy is a number or a reason" \
  has '"energy":{"\(missing":"[^"]\|joules":[0-9.e+-]*[1-9]\)' a/run.json
same_memory() { # of a grid that criteria make finer
  flow='compressible --steps=3 --set grid.nx=32 --set grid.ny=32 --set grid.levels=1'
  for way in '--dry-run --json' '--output=fine --formats=none'; do
    ends 0 run $flow --set 'mesh.refine=density 0.05' --set 'initial.density=x<0.5?1:2' $way || return 1
    test -s first || sed -n 's/^  "memory_bytes": \([0-9]*\),*$/\1/p' out >first
  done
  sed -n 's/^  "memory_bytes": \([0-9]*\),*$/\1/p' fine/run.json | diff - first
}
check "its memory is that which a dry run foresees" same_memory
many_probes() { # 32 of them have 160 series
  places=$(for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41; do
    printf '; p%s 0.%s 0.5' $i $i; done)
  ends 0 run compressible --steps=2 --set "probes=${places#; }" --output=probes --formats=none &&
  test "$(sed -n 1p probes/series.csv | tr , '\n' | grep -c '^p[1-4][0-9]_')" = 160
}
check "as many probes as there may be have their series" many_probes
check "the command in it" again a/run.json
check "gives the same bits" test "$(print_of a/run.json)" = "$(print_of again/run.json)"

# ---- files go into the folder that was opened, whichever has its name
for python in python3 /usr/bin/python3; do "$python" -c 'import ctypes' 2>/dev/null && break; done
exchange() { "$python" -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2) and 77)' "$1" "$2"; }
# moved FOLDER FILE ARGUMENT...: another folder takes the name when FILE is there; nothing goes into that one
moved() {
  folder=$1 first=$2
  shift 2
  rm -rf "$folder" "$folder.mine" && mkdir "$folder.mine" && echo mine >"$folder.mine/speed.npy" || return 1
  cp "$folder.mine/speed.npy" "$folder.mine/study.json" && rm -rf "$folder.left" && "$TRIREME" "$@" --output="$folder" >out 2>err &
  moving=$!
  for i in $(seq 3000); do test -n "$(ls $folder/$first 2>/dev/null)" && break; sleep 0.01; done
  exchange "$folder" "$folder.mine"
  wait $moving
  echo $? >ended
  test "$(ls "$folder")" = "$(printf 'speed.npy\nstudy.json')" && test "$(cat "$folder"/*)" = "$(printf 'mine\nmine')" ||
    { ls -lR "$folder"; cat err; return 1; }
}
mkdir swap.a swap.b
if exchange swap.a swap.b 2>/dev/null; then
  wrote() { # FOLDER FILE...: the run ended well, and its files are those of another run that was left alone
    test "$(cat ended)" = 0 && grep -q "'$1' is no longer the folder of the start.*$1.mine'" "$1.mine/log.txt" || { cat ended "$1.mine/log.txt"; return 1; }
    it=$1
    shift
    (cd $it.mine && ls run.json used.conf series.csv "$@") || return 1
    for part in . frames; do
      test -d "$it.left/$part" || continue
      (cd "$it.mine/$part" 2>/dev/null && ls) | grep -v checkpoint >list.a
      (cd "$it.left/$part" 2>/dev/null && ls) | grep -v checkpoint | diff list.a - || return 1
    done
    for file in series.csv $(cd "$it.left" && ls *.npy *.vti *.vtu *.htg *.dat 2>/dev/null); do cmp "$it.mine/$file" "$it.left/$file" || return 1; done
  }
  gas="compressible --steps=400 --batch=20 --threads=1 --set grid.nx=32 --set grid.ny=32 --set grid.levels=1 --every=40 --movie=mach
    --movie-every=40 --formats=npy,png,vtu,htg"
  check "a run whose folder is moved away" moved gas 'fields-00000040.vtu' run $gas --set 'mesh.refine=density 0.05' --set 'initial.density=x<0.5?1:2' \
    --checkpoint-every=0.1s
  check "its like, left alone" ends 0 run $gas --set 'mesh.refine=density 0.05' --set 'initial.density=x<0.5?1:2' --output=gas.left
  check "writes on where it is" wrote gas density.npy density.png fields-00000400.vtu fields.htg fields.pvd frames/mach-00000400.npy \
    checkpoint/series
  driven="lbm --steps=100000 --batch=200 --threads=1 --set grid.nx=40 --set grid.ny=24 --every=2000 --formats=npy,vti,png,course --profile"
  check "a run with files of its solver" moved driven 'fields-00002000.vti' run $driven
  check "its like" ends 0 run $driven --output=driven.left
  check "writes them where it is, too" wrote driven fields.vti av_vels.dat final_state.dat profile.csv fields.pvd
  check "a comparison" moved compared rows.json compare box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=3 --steps=6000
  check "keeps and forgets where it is" sh -c 'test "$(cat ended)" = 0 && test -s compared.mine/compare.json && test ! -e compared.mine/rows.json'
  check "a study" moved studied study.json study box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --seconds=0.2 --steps=60000
  check "does so, too" sh -c 'test "$(cat ended)" = 0 && test -s studied.mine/rows.csv && test ! -e studied.mine/rows'
else skip "a run whose folder is moved away" "this system cannot exchange two folders"
fi

# ---- what is finished is printed again
check "a comparison in a folder" ends 0 compare box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --output=once
cp out once.out && cp -r once once.kept
check "given again" ends 0 compare box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --output=once
check "is printed again" cmp out once.out
check "and said" grep -q "'once' holds this comparison, which is finished; --again makes it anew" err
check "and nothing is written" diff -r once once.kept
check "also as JSON" ends 0 compare box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --output=once --json
check "as it was kept" sh -c 'diff out once/compare.json && diff -r once once.kept'
check "one of another question is refused" ends 2 compare box --on=openmp --vary=lbm.omega=1.1,1.3 --runs=2 --output=once
check "and said to be" grep -q 'belongs to another comparison' err
check "even with --again" ends 2 compare box --on=openmp --vary=lbm.omega=1.1,1.3 --runs=2 --output=once --again
check "and left alone" diff -r once once.kept
check "without --bisect it has none" ends 2 compare box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --output=once --bisect
check "with the cure" grep -q 'make it anew by --again' err
check "--again" ends 0 compare box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --output=once --again
check "makes it anew" sh -c '! cmp -s once/compare.json once.kept/compare.json'
check "a study in a folder" ends 0 study box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --seconds=0.01 --output=one.study
cp out once.out && cp -r one.study study.kept
check "given again, without any device's time" ends 0 study box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --seconds=0.01 --output=one.study
check "is printed again, too" cmp out once.out
check "and left alone, too" diff -r one.study study.kept
check "with --again" ends 0 study box --on=openmp --vary=lbm.omega=1.1,1.2 --runs=2 --seconds=0.01 --output=one.study --again
check "it is measured anew" sh -c '! cmp -s one.study/study.json study.kept/study.json'

# ---- a folder holds the results of one command

sums() { find "$1" -type f -exec cksum {} + | sort; }
before=$(sums a)
untouched() { test "$(sums a)" = "$before" || { sums a; echo "before: $before"; return 1; }; }
check "a case that was used is run" ends 0 run a/used.conf
check "into a folder of its own, named for the case" test -s results/box-0001/run.json
check "and the folder it came from is as it was" untouched
check "the next time too" ends 0 run results/box-0001/used.conf
check "under the same name" grep -q '"case": "box"' results/box-0002/run.json
check "a case may say its name" ends 0 run box --steps=1 --set 'output.name=../my box'
check "of plain letters" test -s results/_._my_box-0001/run.json
taken() { # ARGUMENT... : refused, and nothing is written
  ends 2 "$@" && grep -q "'a' holds earlier results (run.json).*a new one below results/" err && untouched
}
check "a second run into a folder is refused" taken run box --output=a
check "before a device is opened" taken run box --output=a --backend=opencl:77
check "so is a comparison" taken compare box --on=openmp --runs=1 --output=a
check "and a study" taken study box --vary=threads=1,2 --runs=1 --seconds=0.01 --output=a
check "a study" ends 0 study box --vary=threads=1,2 --runs=1 --seconds=0.01 --output=study
check "leaves no run" test ! -e study/run.json
check "and its folder takes none" ends 2 run box --output=study
check "by the name of what it holds" grep -q "'study' holds earlier results (study.json)" err

for odd in 'my results' 'x;touch pwned;' "it's" '-q' '$HOME'; do
  check "a run into the folder $odd" ends 0 run box "--output=$odd"
  check "the command in it" again "./$odd/run.json"
  check "runs that case and no more" test ! -e pwned
done
rm -rf 'x;touch pwned;'
check "a comparison into such a folder" ends 0 compare box --on=openmp --runs=1 "--output=x;touch pwned;"
check "has its command" again 'x;touch pwned;/compare.json'
check "in quotes too" test ! -e pwned

check "a comparison is kept" \
  ends 0 compare box --on=openmp --runs=2 --vary=threads=1,2 --set lbm.omega=1.6
check "in a folder of its own" test -s results/box-compare-0001/compare.json
check "which it names" grep -q '^Results: results/box-compare-0001$' out
check "with its case" test -s results/box-compare-0001/used.conf
check "the command" again results/box-compare-0001/compare.json
check "gives the same bits" \
  test "$(print_of results/box-compare-0001/compare.json)" = "$(print_of again/compare.json)"
check "which are the run's" test "$(print_of a/run.json)" = "$(print_of again/compare.json)"
check "a comparison as JSON" ends 0 compare box --runs=1 --on=openmp --output=j --json
check "is what was kept" cmp out j/compare.json
check "a comparison of f32 and f64" \
  ends 0 compare box --vary=precision=f64,f32 --on=openmp --runs=1 --output=p
check "has maps of the differences" \
  has '"map":{"largest":[0-9.e-]*,"rows":\["[0-9=]*"' p/compare.json
check "and no distances" has '"spread":{"ulps":null' p/compare.json
printf 'not a folder\n' >file
check "a folder that cannot be made is refused" \
  ends 2 compare box --on=openmp --runs=1 --output=file/x
check "before anything runs" test ! -s out

# ---- where fields lie in space ------------------------------------------------------

places() { # FIELD : the VTI file of a run that writes it
  ends 0 run nbody --output="bodies-$1" --formats=vti --steps=1 --fields="$1" --precision=f64 \
    --set nbody.bodies=40 --set nbody.dt=0.01 --set nbody.span=6 --set nbody.picture=64 &&
    grep -o 'Origin="[^"]*" Spacing="[^"]*"' "bodies-$1/fields.vti"
}
check "a density of bodies lies where the bodies do" \
  test "$(places density)" = 'Origin="-3 -3 0" Spacing="0.09375 0.09375 1"'
check "a list of bodies lies nowhere" test "$(places mass)" = 'Origin="0 0 0" Spacing="1 1 1"'

# ---- a collection of many outputs: it grows in its place, and is not written whole each time
mark="shallow --set grid.nx=8 --set grid.ny=8 --set grid.dx=1 --set initial.surface=1 --threads=1 --quiet"
grown() {
  "$TRIREME" run $mark --steps=300 --every=1 --formats=vti --output=grown >out 2>err &
  run=$!
  while test ! -s grown/fields.pvd && kill -0 $run 2>/dev/null; do sleep 0.005; done
  ln grown/fields.pvd first.pvd
  wait $run && test "$(grep -c 'file="fields-' first.pvd)" -ge 300 && cmp first.pvd grown/fields.pvd
}
check "a collection grows in its place" grown

# ---- bodies for ParaView

cat >bodies.py <<'END'
import re, struct, sys
data = open(sys.argv[1], "rb").read()
raw = data[data.index(b"_", data.index(b"<AppendedData")) + 1:]
def values(name, kind):
    width = {"d": 8, "Q": 8}[kind]
    at = int(re.search(rb'Name="%s"[^>]*offset="(\d+)"' % name, data).group(1))
    size = struct.unpack_from("<Q", raw, at)[0]
    return struct.unpack_from("<%d%s" % (size // width, kind), raw, at + 8)
count = int(re.search(rb'NumberOfPoints="(\d+)"', data).group(1))
places, mass = values(b"position", "d"), values(b"mass", "d")
assert count == 40 and len(places) == 120 and len(mass) == 40, (count, len(places), len(mass))
assert values(b"connectivity", "Q") == tuple(range(40)) and values(b"offsets", "Q") == tuple(range(1, 41))
assert b'Name="density"' not in data and raw.endswith(b"</VTKFile>\n")
want = [line.strip().split(",") for line in open(sys.argv[2])]
assert [tuple(map(float, row)) for row in want] == [places[3 * i:3 * i + 3] for i in range(40)]
END
bodies="nbody --steps=2 --precision=f64 --set nbody.bodies=40 --set nbody.dt=0.01 --set nbody.picture=64"
check "bodies with their places" ends 0 run $bodies --formats=vti,npy --fields=position,velocity,mass,density \
  --every=1 --output=vtp
check "are points" test -s vtp/bodies.vtp
check "at each output" test -s vtp/bodies-00000000.vtp -a -s vtp/bodies-00000001.vtp -a -s vtp/bodies-00000002.vtp
check "beside the image of their density" grep -q 'Name="density"' vtp/fields.vti
check "and none of it" test "$(grep -c 'Name="mass"' vtp/fields.vti)" = 0
check "in one collection" test "$(grep -c 'part="1" file="bodies' vtp/fields.pvd)$(grep -c 'part="0" file="fields' vtp/fields.pvd)" = 33
moving="compressible --set grid.nx=32 --set grid.ny=32 --steps=2 --every=1 --fields=density,position"
check "walls that move" ends 0 run $moving --set bodies.motion="0.1*t, 0" --output=walls --formats=vtu \
  --set bodies.shapes="cylinder 0.5 0.5 0.2" --set compressible.length_x=1
check "are points beside fields cell by cell too" test "$(grep -c 'part="1" file="bodies' walls/fields.pvd)$(grep -c 'part="0" file="fields.*vtu' walls/fields.pvd)" = 33
check "a body in cells of two levels" ends 0 run compressible --set grid.nx=32 --set grid.ny=32 --steps=2 --formats=vtu,npy \
  --set bodies.shapes="cylinder 0.5 0.5 0.2" --set grid.levels=1 --fields=density,solid --output=gas.vtu
if command -v python3 >/dev/null; then
  check "leaves its own cells out of the file" python3 "$vtu_gas" gas.vtu 1
else skip "leaves its own cells out of the file" "no python3"
fi
check "bodies alone" ends 0 run $bodies --formats=vti --fields=position --output=alone
check "have a collection too" grep -q 'file="bodies.vtp"' alone/fields.pvd
for python in python3 /usr/bin/python3 ""; do test -n "$python" && "$python" -c 'import numpy' 2>/dev/null && break; done
if test -n "$python"; then
  "$python" -c 'import numpy; [print(*map(repr, map(float, row)), sep=",") for row in numpy.load("vtp/position.npy").reshape(3, -1).T]' >places
  check "their numbers are those of the fields" "$python" bodies.py vtp/bodies.vtp places
else skip "their numbers are those of the fields" "no python3 with numpy"
fi
done_testing
