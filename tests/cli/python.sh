# python.sh - trireme.py of the build tree: python_cases.py prints the cases, and this finds a Python.
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy' >/dev/null 2>&1 || continue
  unset TRIREME_BACKEND_PATH # trireme.py finds the plugins of its tree
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/python exec "$python" "$srcdir/tests/cli/python_cases.py"
done
. "$srcdir/tests/tap.sh"
skip "trireme.py" "no python3 with numpy here; apt install python3-numpy"
done_testing
