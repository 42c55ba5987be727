# terminal.sh - lines and tables fit the terminal: terminal_cases.py prints the cases on pseudo terminals.
command -v python3 >/dev/null 2>&1 && exec python3 "$srcdir/tests/cli/terminal_cases.py"
. "$srcdir/tests/tap.sh"
skip "terminals" "no python3 here to play one"
done_testing
