# retrace.sh - trireme study --retrace: a published report, row by row, with verdicts; nothing is invented.
. "$srcdir/tests/tap.sh"

reports=$(cd "$srcdir/cli/retrace/reports" && pwd)
pages=$(cd "$srcdir/docs/reports" && pwd)
python=$(cd "$srcdir/tests/cli" && pwd)/reports.py
work=$TRIREME_TEST_STATE/retrace
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

retrace() { # CODE NAME ARGUMENT...: short runs of small grids
  tap_code=$1
  tap_name_of=$2
  shift 2
  ends "$tap_code" study --retrace="$tap_name_of" --on=openmp --runs=2 --seconds=0.001 --roof=false "$@"
}
says() { grep -qE -e "$1" "${2-out}" || { cat "${2-out}"; return 1; }; }
refuses() { # TEXT ARGUMENT...
  text=$1
  shift
  ends 2 study "$@" && says "$text" err
}

if command -v python3 >/dev/null; then
  check "derived numbers follow from the published ones, and a changed number is noticed" \
    python3 "$python" "$reports"
else
  skip "derived numbers follow from the published ones" "there is no python3"
fi

# ---- the table of all reports has the counts of each page
counted() {
  table=0
  for page in "$pages"/[a-z]*.md; do
    name=$(basename "$page")
    for device in openmp:0 cuda:0; do
      counts=$(sed -n "s/^- $device: \\([0-9].* without a verdict\\)\\.$/\\1/p" "$page" |
        sed 's/ [a-z][a-z ,]*//g; s/;/ |/g')
      grep -qF "]($name) | $device | $counts |" "$pages/README.md" || { echo "$name, $device: $counts"; return 1; }
      table=$((table + 1))
    done
  done
  test $table -eq 10
}
check "the table of all reports has the counts of each page" counted

# ---- a report on a host
check "bristol is retraced" retrace 0 bristol --sizes=32 --output=bristol --page=page.md
check "a row of GPUs is not shown on a host" eval "! grep -q '^B1 ' out && grep -q '^copied *openmp' out"
check "no verdict on a GPU's claim is made on a processor" \
  says 'the report tells of GPUs, and this is a processor'
check "how to do it again has the options" says 'study --retrace=bristol --on=openmp --sizes=32 --runs=2 --seconds=0.001' page.md
check "a factor tells the row that it is over" says "Factor over row 'final'" page.md
check "its bits are checked" says '^bits +openmp +reproduced'
check "the machine is described" says '^- .*Machine: '
check "sizes that differ are told" says 'Sizes differ from the report: 32 x 32 cells'
check "the tables are kept" test -s bristol/table-1.csv
check "as numbers" says '^serial,openmp,7.67,' bristol/table-1.csv
check "the page too" says '<h1>Bristol: a driven box on a Tesla K20m' bristol/retrace.html
check "and where it was asked for" says '^# Bristol: a driven box' page.md
if command -v python3 >/dev/null; then
  check "every number, factor and verdict is in retrace.json" python3 -c '
import json
made = json.load(open("bristol/retrace.json"))
tables = {t["id"]: t["rows"] for t in made["tables"]}
copied, resident = tables["one-item-128x128"][:2]
openmp = next(row for row in tables["stages-128x128"] if row["row"] == "openmp")
assert made["kind"] == "retrace" and made["report"] == "bristol"
assert openmp["published"] == 0.93 and abs(openmp["factor_published"] - 7.67 / 0.93) < 1e-12
assert openmp["unit"] == openmp["here_unit"] == "s" and copied["here_unit"] == "s a step"
assert openmp["factor"] > 0 and openmp["factor_interval"][0] <= openmp["factor"]
assert openmp["agrees"] is True and openmp["verdict"] == "not testable here" and "too few runs" in openmp["reason"]
assert copied["fingerprint"] == resident["fingerprint"] != ""
rows = [row for t in made["tables"] for row in t["rows"]]
assert all(row["verdict"] == "not testable here" and row["reason"] for row in rows if row["here"] is None)
assert all(c["reason"] for c in made["claims"] if c["verdict"] not in ("reproduced", "-"))
'
  check "and its columns follow from the published and the measured numbers" python3 -c '
import json, sys
report = {t["id"]: t for t in json.load(open(sys.argv[1] + "/bristol.json"))["tables"]}
compared = 0
for table in json.load(open("bristol/retrace.json"))["tables"]:
    given, before = report[table["id"]], None
    speeds = {row["row"]: row["seconds_per_step"] for row in table["rows"]}
    for row in given["rows"]:
        made = next((r for r in table["rows"] if r["row"] == row["row"]), None)
        if made is None:
            before = row
            continue
        base = next((r for r in given["rows"] if r["row"] == row["against"]), None) if "against" in row else before
        if base and "published" in base and "published" in row:
            assert abs(made["factor_published"] - base["published"] / row["published"]) < 1e-12, row
            compared += 1
        else: assert made["factor_published"] is None, row
        if made["here"] is not None:
            assert abs(made["here"] - made["seconds_per_step"] * given.get("steps", 1)) <= 1e-9 * made["here"]
        low, high = made["factor_interval"] or (None, None)
        assert made["factor"] is None or low is None or low <= made["factor"] <= high, row
        before = row
assert compared >= 3
' "$reports"
else
  skip "every number, factor and verdict is in retrace.json" "there is no python3"
fi
check "the same command again measures nothing" retrace 0 bristol --sizes=32 --output=bristol
check "and says so" says 'is finished; --again measures it anew' err
check "with the same tables" says '^openmp +openmp +8\.25 '
if command -v python3 >/dev/null; then
  mkdir fewer
  python3 -c '
import json
document = json.load(open("bristol/study.json"))
document["rows"].pop()
json.dump(document, open("fewer/study.json", "w"))
'
  check "a study of other devices is refused" refuses 'has [0-9]+ rows, and the same command has [0-9]+ with the devices of' \
    --retrace=bristol --on=openmp --runs=2 --seconds=0.001 --roof=false --sizes=32 --output=fewer
else
  skip "a study of other devices is refused" "there is no python3"
fi
check "verdicts alone" retrace 0 bristol --sizes=32 --output=bristol --brief
check "are short" test "$(wc -l <out)" -lt 30

check "a cylinder lies in the grid of any size" retrace 0 cylinder --sizes=324 --output=cylinder
check "one kernel and eight agree" says '^bits +openmp +reproduced'
check "two gases agree" retrace 0 zfs --sizes=16 --output=zfs
check "in all their forms" says '^bits +openmp +reproduced'
check "a form with bits of its own keeps its bound, and the page says so" \
  says 'steps it is [0-9.e-]+ of the$|after [0-9]+ steps|is allowed'
if command -v python3 >/dev/null; then
  check "the distance is kept, also that of two runs whose bits vary" python3 -c '
import json
rows = {r["row"]: r for t in json.load(open("zfs/retrace.json"))["tables"] for r in t["rows"]}
for name in ("push-sides", "gather", "push-atomics", "push-fixed"):
    assert 0 < rows[name]["apart"] <= rows[name]["tolerance"] == 1e-11 and rows[name]["apart_in"], name
assert rows["push-atomics"]["own_apart"] <= 1e-11 and rows["push-fixed"]["own_apart"] is None
assert rows["push-sides"]["fingerprint"] == rows["gather"]["fingerprint"] != rows["arrays"]["fingerprint"]
'
  edit() { # FOLDER CODE: a copy of zfs, or of $from, with other values in study.json
    cp -r "${from-zfs}" "$1" && python3 -c '
import json, sys
made = json.load(open(sys.argv[1] + "/study.json"))
rows = {r["row"].split(" on ")[0].split(":")[-1].split(",")[0]: r for r in made["rows"]}
names = [r["row"] for r in made["rows"]]
def row(text): return next(r for r in made["rows"] if text in r["row"])
exec(sys.argv[2])
json.dump(made, open(sys.argv[1] + "/study.json", "w"))
' "$1" "$2"
  }
  check "a result of another order of sums" edit order \
    'row("copies:lists")["fingerprint"] = row("push:gather")["fingerprint"]'
  check "is told, and the command fails" retrace 1 zfs --sizes=16 --output=order
  check "by its row" says 'its bits differ from those of'
  check "a result beyond its bound" edit far 'row("push:push-fixed")["apart"] = 2e-11'
  check "is told too" retrace 1 zfs --sizes=16 --output=far
  check "by its distance" says 'further from that of another row|^ +row than its bound|2e-11 of the'
else
  skip "the distance is kept" "there is no python3"
fi
check "a serial program without optimisation" retrace 0 shallow --sizes=126 --output=shallow
check "has the bits of the optimised one" says '^Od +openmp .* the first *$|^Od +openmp'
if command -v python3 >/dev/null; then
  check "and other code; fast arithmetic and single precision keep their bounds" python3 -c '
import json
rows = {t["id"] + ":" + r["row"]: r for t in json.load(open("shallow/retrace.json"))["tables"] for r in t["rows"]}
assert rows["flags:Od"]["fingerprint"] == rows["flags:O2"]["fingerprint"] != ""
for name in ("flags:fast", "precision:f32"):
    assert 0 <= rows[name]["apart"] <= rows[name]["tolerance"], name
'
fi
if command -v python3 >/dev/null; then
  check "a row's profile is kept" eval "from=shallow; edit profile '
for kernel in made[\"kernels\"][\"serial-kernels:three on openmp\"][0]:
    kernel[\"share\"] = {\"shallow_update\": 0.6, \"shallow_nu\": 0.2}.get(kernel[\"name\"], 0.05)'"
  check "the study is printed again" retrace 0 shallow --sizes=126 --output=profile
  check "by that profile" says 'update 75.0 % [(]published 65.6[)], calculate_nu 25.0 %' profile/retrace.json
else
  skip "a row's profile is kept" "there is no python3"
fi
refuses_run() { # TEXT ARGUMENT...
  text=$1
  shift
  ends 2 run "$@" --steps=2 --output=none && says "$text" err
}
check "a solver without plain kernels refuses them" refuses_run "kernels of solver .lbm. are not compiled so" \
  bristol-128x128 --set run.host_build=plain
check "a host has no residency" refuses_run 'run.residency: not testable on openmp' bristol-128x128 --set run.residency=0.25
check "nor loads of another kind" refuses_run 'run.loads: not testable on openmp: a processor has one kind of loads' \
  bristol-128x128 --set run.loads=read-only
check "nor launches that overlap" refuses_run 'run.overlap: not testable on openmp: no launch overlaps another' \
  bristol-128x128 --set run.overlap=false
check "such loads are of one step" refuses_run 'run.loads is of launches of one step, and run.steps_shape asks for 3' \
  bristol-128x128 --set run.loads=read-only --set run.steps_shape=3:128x4
check "columns have their units" grep -q '^row,on,published_s,its_factor,s_here,.*,before_s,' bristol/table-1.csv
check "also those of a step" grep -q '^row,on,us_a_step,.*,before_s,' bristol/table-6.csv
check "quick halves the sides" ends 0 study --retrace=nbody --on=openmp --quick --runs=1 --seconds=0.001 \
  --roof=false --sizes=256 --output=nbody
check "a size of bodies is told in bodies" says 'Sizes differ from the report: 256 bodies'
check "groups of a size that is too small are none of ours" says '^tiled +openmp'

check "an unknown report is refused" refuses "the nearest is 'bristol'" --retrace=bristl
check "a case beside a report" refuses 'leave out the case' bristol-128x128 --retrace=bristol
check "a ladder beside a report" refuses 'leave out --ladder' --ladder --retrace=bristol
check "two numbers as a size" refuses "a report takes one number" --retrace=bristol --sizes=32,64
check "a page of another kind" refuses "must end in .md or .html" --retrace=bristol --page=page.pdf
check "quick without a report" refuses '--quick goes with --retrace=NAME' bristol-128x128 --ladder --quick
check "a key that a row sets" refuses "sets run.threads itself" --retrace=bristol --threads=2 --on=openmp
skip_unless_long "rows of several devices" || {
  if "$TRIREME" backends 2>/dev/null | grep -q '^opencl *ready' && command -v python3 >/dev/null; then
    POCL_DEVICES="pthread basic"
    export POCL_DEVICES
    check "rows of several devices" ends 0 study --retrace=zfs --on=opencl --sizes=16 --runs=1 --seconds=0.001 \
      --roof=false --output=several
    check "run where the devices are there, with equal bits; else the page says how many are missing" python3 -c '
import json
rows = {r["row"]: r for t in json.load(open("several/retrace.json"))["tables"] for r in t["rows"] if t["id"] == "forms"}
assert rows["2 devices"]["fingerprint"] == rows["recorded"]["fingerprint"] != "", rows["2 devices"]
assert "8 devices of opencl are needed, and this machine has 2" in rows["8 devices"]["reason"], rows["8 devices"]
'
  else
    skip "rows of several devices" "no opencl, or no python3"
  fi
}
done_testing
