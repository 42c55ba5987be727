# predict.sh - trireme predict: the time of a case on a device that is not here; nothing is run.
. "$srcdir/tests/tap.sh"

measured=$(cd "$srcdir/docs/measure" && pwd)
python=$(cd "$srcdir/tests/cli" && pwd)/predict.py
work=$TRIREME_TEST_STATE/predict
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

kept=$measured/roofs.json,$measured/h200.json,$measured/journal.json,$measured/two-cores.json
says() { grep -qE -e "$1" "${2-out}" || { cat "${2-out}"; return 1; }; }
refuses() { # TEXT ARGUMENT...
  text=$1
  shift
  ends 2 predict "$@" && says "$text" err
}
if command -v python3 >/dev/null; then
  check "times that follow from the model by hand" python3 "$python" known
  check "results that lack something, or hold what no machine has" python3 "$python" files
  check "kept results, predicted again by other code, and met within the stated error" \
    python3 "$python" kept $(echo "$kept" | tr , ' ')
  check "two kinds of hosts are predicted, each by the other" \
    python3 "$python" hosts "$measured/hosts-roofs.json" "$measured/hosts.json"
else
  skip "the model is computed again" "there is no python3"
fi
COLUMNS=200
export COLUMNS
check "a case on a GPU that is not here" ends 0 predict lbm --set grid.nx=4096 --set grid.ny=4096 --steps=1000 --from="$kept" --on=H100
check "has its terms" says '^NVIDIA H100 80 GB by cuda +18[89]\.[0-9]+ +157\.3 .* bytes '
check "and their source" says 'from a step on NVIDIA H200 by cuda: 4096 x 4096 cells, 157.3 us .*data sheets'
check "with each measured step" says '^HLLC, f32 8192 x 8192 cells +NVIDIA H100'
check "and the worst error" says '^- Worst error: .* of 30 steps'
check "what the solver does not declare is not predicted" ends 0 predict plummer --set nbody.force=tree \
  --set nbody.bodies=1000000 --precision=f32 --from="$kept" --on=EPYC
check "and it says why" says 'AMD EPYC, 2 threads: not predictable: this work was measured on no other processor'
check "results are needed" refuses 'needs --from=RESULTS' lbm --set grid.nx=64 --set grid.ny=64
check "of measured steps" refuses 'hold no step that was measured' lbm --set grid.nx=64 --set grid.ny=64 \
  --from="$measured/roofs.json"
check "of this program" refuses 'holds no results of run' lbm --set grid.nx=64 --set grid.ny=64 \
  --from="$measured/../../tests/data/former/kept/checkpoint/step-00000001/manifest.json"
check "a key that nothing would heed is no option" refuses 'batch is not an option' lbm --batch=7 --from="$kept"
check "a run of one's own is read too" ends 0 predict lbm --set grid.nx=64 --set grid.ny=64 \
  --from="$measured/../../tests/data/report/run-b.json,$kept"
done_testing
