# bristol_reference.sh - the program, given the course's own files, writes the course's own results: every
# line of the published references, where they lie beside the source tree.
. "$srcdir/tests/tap.sh"

data=$srcdir/../shared/data/lbm-d2q9
test -r "$data/128x128.av_vels.dat.gz" ||
  skip_all "the whole reference files are not in $data; tests/solvers/lbm/lbm_bristol holds a sample of them"
data=$(cd "$data" && pwd)
work=$TRIREME_TEST_STATE/lbm_bristol
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

# near TOLERANCE COLUMN... : lines of both files agree; columns are compared as numbers, relative to
# the reference or, where the column is marked with v, to the largest speed; the others as text
cat >near.awk <<'END'
function wrong(text) { print FILENAME ":" FNR ": " text; failed = 1; exit 1 }
BEGIN {
  count = split(columns, list, " ")
  for (i = 1; i <= count; i++) rule[list[i] + 0] = list[i]
}
NR == FNR { line[FNR] = $0; lines = FNR; if (NF == 7 && $5 > fastest) fastest = $5; next }
{
  if (split(line[FNR], expected, /[ \t]+/) != NF) wrong("another number of words")
  for (i = 1; i <= NF; i++) {
    if (!(i in rule)) {
      if ($i != expected[i]) wrong("column " i " is " $i ", not " expected[i])
      continue
    }
    if ($i !~ /^-?[0-9]\.[0-9]+E[-+][0-9]+$/) wrong("column " i " is " $i)
    off = $i - expected[i]
    if (off < 0) off = -off
    scale = rule[i] ~ /v/ ? fastest : expected[i]
    if (off > tolerance * scale) wrong("column " i " is " $i ", not " expected[i])
  }
}
END { if (!failed && FNR != lines) { print FNR " lines, not " lines; exit 1 } }
END
near() { # REFERENCE FILE TOLERANCE COLUMNS
  gunzip -c "$data/$1" >reference &&
    awk -v tolerance="$3" -v columns="$4" -f near.awk reference "$2"
}
run() { # NAME PRECISION
  "$TRIREME" run lbm "$data/input_$1.params" "$data/obstacles_$1.dat" --precision="$2" \
    --output="$1.$2" >out 2>&1 || { cat out; return 1; }
}

TRIREME_ROOF=false
export TRIREME_ROOF
for name in 128x128 128x256; do
  for precision in f64 f32; do
    tolerance=2e-3
    test $precision = f64 && tolerance=1e-10
    check "$name in $precision runs" run $name $precision
    check "every mean speed is within $tolerance" \
      near $name.av_vels.dat.gz $name.$precision/av_vels.dat $tolerance 2
    check "every cell is within $tolerance" \
      near $name.final_state.dat.gz $name.$precision/final_state.dat $tolerance "3v 4v 5v 6"
  done
done
check_not "another case's reference is refused" \
  near 128x256.av_vels.dat.gz 128x128.f64/av_vels.dat 2e-3 2
done_testing
