# dialect_shown.sh - docs/dialect.md shows the text that tests/dialect/dialect_page compiles: each block of C
# under a line "From `FILE`:" is a run of whole lines of that file, and no kernel is missing.
. "$srcdir/tests/tap.sh"

page=$srcdir/docs/dialect.md
work=$TRIREME_TEST_STATE/dialect_page
rm -rf "$work"
mkdir -p "$work"

# Blocks into $work/1, 2, ...; their files' names into $work/1.from, ...
"$AWK" -v work="$work" '
  /^From `[^`]*`:$/ { from = $2; gsub(/[`:]/, "", from); next }
  /^```c$/ && from != "" { block++; inside = 1; print from > (work "/" block ".from"); next }
  /^```$/ { inside = 0; from = ""; next }
  inside { print > (work "/" block) }' "$page"

holds() { # FILE BLOCK: the block is a run of the file's lines
  "$AWK" '
    FNR == NR { text = text "\n" $0; next }
    { block = block "\n" $0 }
    END { exit block == "" || !index(text "\n", block "\n") }' "$1" "$2"
}

blocks=0
while test -f "$work/$((blocks + 1))"; do
  blocks=$((blocks + 1))
  file=$(cat "$work/$blocks.from")
  check "block $blocks of the page is in $file" holds "$srcdir/$file" "$work/$blocks"
done
every=$(grep -c '^```c$' "$page")
check "every block of C names its file" test "$blocks" -gt 0 -a "$blocks" -eq "$every"

sed s/real/float/ "$work/1" >"$work/changed"
check_not "a changed block is seen" holds "$srcdir/$(cat "$work/1.from")" "$work/changed"

for kernel in diffuse heat attract smooth burn flow direct; do
  check "the page shows kernel $kernel" grep -q "^TRM_.*_KERNEL.($kernel," "$page"
done
done_testing
