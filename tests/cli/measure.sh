# measure.sh - docs/measure/measure.py, which makes the tables of docs/measurements.md: every command of it runs, its
# JSON has what the runs said, a table can be drawn from it, and a failure is told.
. "$srcdir/tests/tap.sh"
source=$(cd "$srcdir" && pwd)
for python in python3 /usr/bin/python3 ''; do
  test -n "$python" && "$python" -c 'import json' >/dev/null 2>&1 && break
done
test -n "$python" || skip_all "there is no python3; install python3"
work=$TRIREME_TEST_STATE/measure
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
TRIREME_CASES=$source/cases PYTHONDONTWRITEBYTECODE=1
export TRIREME_CASES PYTHONDONTWRITEBYTECODE TRIREME
script=$source/docs/measure/measure.py

check "every command runs" sh -c '"$0" "$1" --quick --output=m.json >tables.md' "$python" "$script"
check "with a table for each solver" \
  sh -c 'for s in lbm lbm3d compressible shallow nbody; do grep -qx "## $s" tables.md || { echo "$s"; exit 1; }; done'
check "and a speed, a fingerprint and a command in each row" "$python" -c '
import json
rows = json.load(open("m.json"))["rows"]
assert len(rows) > 9, rows
for row in rows:
    assert len(row["rates"]) == 1 and row["rates"][0] > 0 and len(row["fingerprint"]) == 32, row
    assert row["command"][:2] == ["trireme", "run"], row
assert any(row["of_copy"] for row in rows), rows'
check "the speed is that of the run: a step takes cells / speed" "$python" -c '
import json
row = json.load(open("m.json"))["rows"][0]
assert abs(row["rates"][0] * row["seconds_per_step"] / 64**2 - 1) < 1e-9, row'
check "the same tables are drawn from the JSON" sh -c '"$0" "$1" --draw=m.json | diff tables.md -' "$python" "$script"
echo '{"driven box, f32": {"name": "another", "updates_per_second": 1e3}}' >rivals.json
check "beside the speeds of other programs" \
  sh -c '"$0" "$1" --draw=m.json --rivals=rivals.json | grep -Eq "^\| driven box, f32 .* times another \|$"' "$python" "$script"
"$python" -c '
import json
result = json.load(open("m.json"))
row = result["rows"][0]
row["rates"] = [3 * row["rates"][0]]
json.dump(result, open("again.json", "w"))
row["device"]["name"] = "another device"
json.dump(result, open("other.json", "w"))'
check "rows of the same work and device in two files are one, with the runs of both" \
  sh -c '"$0" "$1" --draw=m.json --draw=again.json >two.md &&
    test "$(grep -c "^| driven box, f32 " two.md)" = 1 && "$0" - <<END
import json
rate = json.load(open("m.json"))["rows"][0]["rates"][0] / 1e6
cells = [line for line in open("two.md") if line.startswith("| driven box, f32 ")][0].split(" | ")
assert abs(float(cells[3]) / (2 * rate) - 1) < 1e-3, cells
END' "$python" "$script"
"$python" -c '
import json
result = json.load(open("m.json"))
assert result["rows"][0].pop("schema") >= 4
result["rows"][0]["fingerprint"] = 32 * "0"
json.dump(result, open("older.json", "w"))'
check "fingerprints of another version are of another row" sh -c '"$0" "$1" --draw=m.json --draw=older.json >three.md &&
  test "$(grep -c "^| driven box, f32 " three.md)" = 2 && ! grep "failed: " three.md' "$python" "$script"
check "those of another device stand below" sh -c '"$0" "$1" --draw=m.json --draw=other.json |
  grep -A 1 "^| driven box, f32 " | grep -q "^| driven box, f32 | another device"' "$python" "$script"
docs=$source/docs/measure
check "docs/measurements.md has the tables that the script draws from docs/measure" \
  sh -c '"$0" "$1" --draw="$2/h200.json" --draw="$2/hosts.json" --rivals="$2/rivals.json" |
    grep "^| " | sort -u | while read -r row; do
      grep -Fxq -e "$row" "$2/../measurements.md" || { echo "not there: $row"; exit 1; }; done' "$python" "$script" "$docs"
check "what fails is told in its row, with exit status 1" sh -c '"$0" "$1" --quick --only=lbm --backend=none \
  --output=f.json >failed.md; test $? = 1 && grep -q "failed: .*none" failed.md' "$python" "$script"
script=$source/docs/measure/scaling.py
several="$script --quick --runs=1 --by=threads --devices=openmp,openmp"
check "one device and two, in turns" sh -c '"$0" $1 --only="f32 8192" --output=s.json >several.md' "$python" "$several"
check "with the same fingerprint, and times as fast" "$python" -c '
import json
rows = json.load(open("s.json"))["rows"]
assert len(rows) == 3, rows
for row in rows:
    one, two = (row["seconds_per_step"][way][0] for way in ("one", "threads"))
    assert len(row["fingerprints"]) == 2 and len(set(row["fingerprints"])) == 1, row
    assert any(f"| {one / two:.3f} |" in line for line in open("several.md") if row["row"] in line), row
rows[1]["fingerprints"][1] = 32 * "0"
json.dump({**json.load(open("s.json")), "rows": rows}, open("differ.json", "w"))'
check "the table is drawn from the JSON" sh -c '"$0" "$1" --draw=s.json | diff several.md -' "$python" "$script"
check "other fingerprints are told, with status 1" sh -c '"$0" "$1" --draw=differ.json >differ.md
  test $? = 1 && grep -qx "HLLC.*: the fingerprints differ." differ.md' "$python" "$script"
check "a refusal stands below the table" sh -c '"$0" $1 --only="sphere in 256" >refused.md &&
  grep -q "^sphere in 256^3: .* on one device alone" refused.md' "$python" "$several"

done_testing
