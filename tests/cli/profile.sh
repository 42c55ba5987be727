# profile.sh - `trireme run --profile`: calls are exact, shares add up, the bits are the same as without, table,
# JSON and CSV say one thing, and what is not known says why.
. "$srcdir/tests/tap.sh"

workplace profile

same_bits() { test -n "$(print_of plain)" && test "$(print_of plain)" = "$(print_of run)"; }
calls() { # KIND/NAME=NUMBER... : rows of profile.csv with so many calls, each timed at least once
  for wanted in "$@"; do
    awk -F, -v wanted="$wanted" '{ gsub(/"/, "", $1) } NR > 1 && $2 "/" $1 "=" $3 == wanted && $4 > 0 && $4 <= $3 \
      { found = 1 } END { exit !found }' run/profile.csv || { echo "no $wanted in:"; cat run/profile.csv; return 1; }
  done
}
shares() { # of the rows that were timed, if any takes longer than timing itself; mean times calls is the row's time;
  # no row says less than nothing
  awk -F, 'NR > 1 && $5 != "" { sum += $7; all += $5; said += $7 != ""; off += ($5 - $6 * $3) ^ 2 > 1e-20 + 1e-20 * $5 ^ 2; low += $5 < 0 || $6 < 0 }
    END { exit off || low || (all > 0 ? sum < 1 - 1e-9 || sum > 1 + 1e-9 : said) }' run/profile.csv || { cat run/profile.csv; return 1; }
}
# numbers KEY COLUMN: member KEY of each row in run.json is that column of profile.csv; null is an empty one; only
# kernels have columns after the 15th
COLUMNS=200 # every column of the table
export COLUMNS
numbers() {
  tr -d ' \n' <run/run.json | sed 's/.*"profile":{"rows":\[//; s/\],"seconds".*//' | grep -o "\"$1\":[^,}]*" | sed "s/.*://; s/null//; s/\"//g" >one
  awk -F, -v c="$2" 'NR > 1 && (c < 16 || $2 == "kernel") { gsub(/[" ]/, "", $c); print $c }' run/profile.csv >other
  paste -d, one other | awk -F, '$1 == "" || $2 == "" || $1 + 0 != $1 ? $1 "" != $2 "" : ($1 - $2) ^ 2 > 1e-24 * $2 ^ 2 \
    { print; bad = 1 } END { exit bad || NR == 0 }' || { echo "in run.json and profile.csv"; return 1; }
  test "$(wc -l <one)" = "$(wc -l <other)"
}
same_everywhere() {
  numbers name 1 && numbers kind 2 && numbers calls 3 && numbers timed 4 && numbers seconds_per_call 6 &&
    numbers share 7 && numbers bytes_per_second 10 && numbers bound 14 && numbers registers 17 &&
    numbers occupancy 21 || return 1
  awk -F, 'NR > 1 { gsub(/"/, "", $1); print $1, $2, $3 }' run/profile.csv | while read -r line; do
    name=${line% * *} rest=${line#"$name "}
    has "^$name +${rest% *} +${rest#* } " || return 1
  done
}
reasons() { # a kernel without a number of registers says why, in the file and in the table
  awk -F, 'NR > 1 && $2 == "kernel" && ($17 == "" || $21 == "") && $22 == "" { bad = 1 } END { exit bad }' \
    run/profile.csv || { cat run/profile.csv; return 1; }
  awk -F, 'NR > 1 && $2 == "kernel" && $21 == "" { unknown = 1 } END { exit !unknown }' run/profile.csv || return 0
  has "^not available +a kernel's registers, memory or occupancy: [a-zA-Z]"
}

together() { # each kernel that was recorded, in the file and in the table; one alone with its reason
  awk -F, 'NR > 1 && $23 != "" { many += $23 >= 1 } $23 == 1 && $24 == "" { bad = 1 }
    END { exit bad ? 1 : many ? 0 : 2 }' run/profile.csv
  case $? in
    0) has '^launches at once +[a-z_0-9]+: [0-9]+( in one |: )' && has '"at_once": [{]' run/run.json ;;
    2) ! has '^launches at once' >/dev/null ;;
    *) cat run/profile.csv; return 1 ;;
  esac
}

# whole WHAT CALLS ARGUMENT...: a run without and one with a profile, on $backend
whole() {
  what="$1 on $backend" expected=$2
  shift 2
  rm -rf plain run
  check "$what" ends 0 run "$@" --backend="$backend" --formats=none --output=plain
  check "$what, profiled" ends 0 run "$@" --backend="$backend" --formats=none --output=run --profile
  check "has the same bits" same_bits
  check "and every call" calls $expected
  check "whose times add up" shares
  check "and are the same in the table, run.json and profile.csv" same_everywhere
  check "what is not known says why" reasons
  check "and how many recorded launches go at once, or why one" together
}

mkdir flow
cat >flow/case.conf <<'END'
solver = "lbm";
run: { steps = 257; precision = "f64"; };
grid: { nx = 64; ny = 36; };
lbm: { flow = "geneva"; speed = 0.04; reynolds = 50.0; reynolds_dim = 6.0; }; bodies: { shapes = "cylinder 16.5 18.5 3"; };
END
every="kernel/streaming_step=257 kernel/outflow=257 kernel/macroscopic=257 kernel/inflow=257 kernel/equilibrium=257
  kernel/update_fin=257 kernel/collision=257 kernel/bounce_back=257"
pool="shallow --set shallow.scheme=lax-friedrichs --set grid.nx=60 --set grid.ny=44 --set grid.dx=1
  --set initial.surface=1 --set shallow.bed_formula=-1 --steps=150"
for backend in openmp opencl cuda; do
  "$TRIREME" backends 2>/dev/null | grep -q "^$backend *ready" || { skip "$backend" "not ready"; continue; }
  whole "a driven box" kernel/lbm_step=1000 lbm --set grid.nx=64 --set grid.ny=48 --steps=1000
  whole "a flow in eight kernels" "$every" flow --set lbm.implementation=split
  whole "a flow in one" kernel/cylinder_step=257 flow --set lbm.implementation=fused
  whole "bodies" "kernel/nbody_drift=40 kernel/nbody_kick_full=40" nbody --set nbody.bodies=500 \
    --set nbody.dt=0.001 --steps=40
  whole "a tree of bodies" "kernel/nbody_drift=12 kernel/tree_keys=12 kernel/walk_force=12" nbody \
    --set nbody.bodies=2000 --set nbody.dt=0.001 --set nbody.force=tree --steps=12
  whole "a pool" kernel/shallow_lf=150 $pool
  whole "a solver from outside" kernel/plant_move=256 plant --steps=256 --set grid.nx=100 --set grid.ny=80
  whole "batches of one step" kernel/lbm_step=9 lbm --set grid.nx=64 --set grid.ny=48 --steps=9 --batch=1
  whole "one batch" kernel/lbm_step=200 lbm --set grid.nx=64 --set grid.ny=48 --steps=200 --batch=200
done

# ---- a part of a unit: 0.25 of 2048 items are 512, and one group more does not fit
if "$TRIREME" backends 2>/dev/null | grep -q "^opencl *ready" && command -v python3 >/dev/null; then
  of_a_unit="bristol-128x128 --steps=20 --formats=none --output=run --backend=opencl --set run.residency=0.25"
  part() {
    rm -rf run
    TRIREME_OPENCL_UNIT=65536:2048 ends 0 run $of_a_unit --profile && python3 -c '
import json
used = json.load(open("run/run.json"))["profile"]["rows"][0]["resources"]
most = 65536 // (512 // used["group_items"] + 1)
assert most < used["shared_bytes"] <= most + 128, used'
  }
  check "a quarter of a unit's items" part
  print_of run >quarter
  rm -rf run
  check "all of them" ends 0 run bristol-128x128 --steps=20 --formats=none --output=run --backend=opencl
  check "have the same bits" test "$(print_of run)" = "$(cat quarter)"
  rm -rf run
  check "a unit of which nothing is known, or NVIDIA's, whose groups get too little of it" ends 2 run $of_a_unit
  check "says the cure" grep -q -e 'name it in TRIREME_OPENCL_UNIT=BYTES:ITEMS' -e 'gives a group [0-9]*; ask for .* or more' err
else
  skip "a quarter of a unit's items" "no opencl, or no python3"
fi

# ---- beside the roofs
again() { rm -rf run; ends 0 run $box "$@"; }
box="lbm --set grid.nx=64 --set grid.ny=48 --steps=300 --formats=none --output=run --backend=openmp --profile"
check "without stored roofs" again
check "the command that measures them is named" has '^roofs .*none stored: run .*trireme bench --on=openmp'
check "nothing is bound by what is not known" awk -F, 'NR > 1 && $14 != "" && $14 != "launch" { exit 1 }' run/profile.csv
check "with its own copy" again --roof=true
check "that stands there" has '^roofs +copy [0-9.]+ GB/s .*measured after this run'
check "bench" ends 0 bench --on=openmp --runs=1
check "after it" again
check "both roofs stand there" has '^roofs +copy [0-9.]+ GB/s, fused multiply-add [0-9.]+ GFLOP/s \(trireme bench, 20'
check "and what binds the step" awk -F, '$1 == "lbm_step" && $14 ~ /^(bandwidth|arithmetic|latency|launch)$/ && \
  $15 > 0 { found = 1 } END { exit !found }' run/profile.csv
check "a report" ends 0 report run -o page.html
check "shows each kernel" grep -q 'lbm\\_step | kernel | 300 |' page.md
check "and what all take" grep -q '^The rows add up to [0-9.e-]* s; the steps took the device' page.md
check "and both roofs" grep -q 'openmp:0: [0-9.]* GB/s, [0-9.]* TFLOP/s' page-roofline.svg

# ---- refusals
check "a comparison has no profile" ends 2 compare flow --profile
check "and says whose it is" says "\-\-profile is not an option of 'trireme compare'"
check "it takes no value" ends 2 run $box --profile=yes
check "and says so" says 'profile takes no value'
done_testing
