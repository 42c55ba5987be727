# view_terminal.sh - a run drawn into a terminal: view_terminal_cases.py prints the cases.
. "$srcdir/tests/tap.sh"
cases=$(cd "$srcdir" && pwd)/tests/cli/view_terminal_cases.py
workplace view_terminal
for python in python3 /usr/bin/python3; do
  "$python" -c 'import os; os.waitstatus_to_exitcode' 2>/dev/null && exec "$python" "$cases"
done
skip_all "no python3 of 3.9 or later here to play a terminal"
