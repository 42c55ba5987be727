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
    assert row["updates_per_second"] > 0 and len(row["fingerprint"]) == 32, row
    assert row["least"] <= row["updates_per_second"] <= row["most"], row
    assert row["command"][:2] == ["trireme", "run"], row
assert any(row["of_copy"] for row in rows), rows'
check "the speed is that of the run: a step takes cells / speed" "$python" -c '
import json
row = json.load(open("m.json"))["rows"][0]
assert abs(row["updates_per_second"] * row["seconds_per_step"] / 64**2 - 1) < 1e-9, row'
check "the same tables are drawn from the JSON" sh -c '"$0" "$1" --draw=m.json | diff tables.md -' "$python" "$script"
echo '{"driven box, f32": {"name": "another", "updates_per_second": 1e3}}' >rivals.json
check "beside the speeds of other programs" \
  sh -c '"$0" "$1" --draw=m.json --rivals=rivals.json | grep -Eq "^\| driven box, f32 .* times another \|$"' "$python" "$script"
check "what fails is told in its row, with exit status 1" sh -c '"$0" "$1" --quick --only=lbm --backend=none \
  --output=f.json >failed.md; test $? = 1 && grep -q "failed: .*none" failed.md' "$python" "$script"
done_testing
