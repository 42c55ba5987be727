# verdicts.sh - the verdicts of compare, of a sweep over sizes, of a ladder, of fairness, of a prediction and of a grade are
# those that follow from synthetic results, computed again by verdicts.py.
. "$srcdir/tests/tap.sh"

command -v python3 >/dev/null || skip_all "there is no python3"
python=$(cd "$srcdir/tests/cli" && pwd)/verdicts.py
grade=$(cd "$srcdir/solvers/exercises" && pwd)/grade.sh
MEASUREMENTS=$(cd "$srcdir/docs" && pwd)/measurements.md
export MEASUREMENTS
work=$TRIREME_TEST_STATE/verdicts
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

follows() { # PART: without a problem
  test -f "$1.problems" && test ! -s "$1.problems" || { cat "$1.problems"; return 1; }
}
check "synthetic results are judged" python3 "$python" "$grade"
check "runs in turns have the ratio and the interval of the sign test" follows ratios
check "runs apart have those of Mann and Whitney, and a file counts once" follows apart
check "of many rows the fastest of a size is told" follows several
check "what a file lacks is unknown" follows lacking
check "a wrong result wins nowhere" follows wrong
check "threads have their parallel efficiency" follows scaling
check "a first result that does not repeat itself is no agreement" follows agreement
check "crossovers, PPR and PRC follow from the sizes of both" follows sizes
check "each line of fairness says no more than its facts" follows fairness
check "energy adds up" follows energy
check "whole runs follow from start and loop" follows whole
check "a ladder's fastest implementation has the right result" follows ladders
check "a comparison in brief has the same verdicts" follows brief
check "predictions follow from the model" follows predictions
check "a grade has the confidence of its interval" follows grades
done_testing
