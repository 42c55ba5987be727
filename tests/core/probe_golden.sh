# probe_golden.sh - the bits that the strict probe asks for are those of exact rational arithmetic.
. "$srcdir/tests/tap.sh"
python3 -c 'import fractions' 2>/dev/null || skip_all "there is no python3 to compute them"

computed=$(python3 "$srcdir/tests/core/probe_golden.py" | grep -xE '[0-9a-f]{16}')
carried=$(sed -n '/golden\[2\]/,/^};/p' "$srcdir/core/probe.c" | grep -oE '[0-9a-f]{16}')
check "every operation in both precisions has its hash" test "$(echo "$computed" | wc -l)" -eq 30
check "probe.c carries the same hashes" test "$computed" = "$carried"
done_testing
