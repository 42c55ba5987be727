# checkpoints_page.sh - docs/checkpoints.md, followed word for word in an empty folder; and its script
# for Slurm, with a queue of our own.
. "$srcdir/tests/tap.sh"
page=$(cd "$srcdir" && pwd)/docs/checkpoints.md
script=$(cd "$srcdir" && pwd)/docs/slurm.sh
workplace checkpoints_page
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$TRIREME" >bin/trireme
printf '#!/bin/sh\necho "$1" >>"%s/queue"\n' "$work" >bin/sbatch
chmod +x bin/*
PATH=$work/bin:$PATH
opencl=opencl
"$TRIREME" backends | grep -q '^opencl  *ready' || opencl=openmp

block() { awk -v from="$1" '$0 ~ from { on = 1 } on && /^```$/ { exit } on && inside { print }
                            on && /^```sh$/ { inside = 1 }' "$page"; }
block '^## Try it' | sed "s/--backend=opencl/--backend=$opencl/" >lines
follow() { # each line ends with the code that stands behind it
  while read -r line; do
    code=$(echo "$line" | sed 's/.*# \([0-9]*\):.*/\1/')
    sh -c "$line" >out 2>err
    found=$?
    echo "$line"
    cat err
    test $found = "$code" || { echo "exit code $found"; return 1; }
  done <lines
}
check "the page has four commands to try" test "$(wc -l <lines)" = 4
check "each ends as it says" follow
check "the last one names the parts" test "$(grep -c '"to": ' box/run.json)" = 3
check "a run that was never stopped" ends 0 run driven-box --steps=200000 --output=whole
check "has the same fingerprint" test "$(print_of box)" = "$(print_of whole)"
check "and the same series" cmp box/series.csv whole/series.csv
check "and the same fields" cmp box/fields.vti whole/fields.vti

block 'for Slurm' >shown
check "the script of the page is the file" cmp shown "$script"
jobs=0
queue() {
  echo "$script" >queue
  STEPS=100000
  export LIMIT STEPS
  while test -s queue && test $jobs -lt 20; do
    test $jobs -lt 3 && LIMIT=0.25s || LIMIT=60s # then to the end, on a busy machine too
    job=$(head -n 1 queue)
    : >queue
    sh "$job" >out 2>err || { cat err; return 1; }
    jobs=$((jobs + 1))
  done
  echo "$jobs jobs"
  test $jobs -gt 1 && grep -q 'has finished' out
}
check "jobs with a time limit follow each other until the run has finished" queue
check "whose result is that of one job" ends 0 run driven-box --steps=100000 --output=alone
check "to the bit" test "$(print_of results/box)" = "$(print_of alone)"
done_testing
