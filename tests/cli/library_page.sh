# library_page.sh - docs/library.md and docs/bristol.ipynb do what they say: the page's C is compiled and
# linked as the page has it, its Python and the notebook's cells are run, and C and Python print the same.
. "$srcdir/tests/tap.sh"
source=$(cd "$srcdir" && pwd) tree=$PWD
work=$TRIREME_TEST_STATE/library_page
rm -rf "$work"
mkdir -p "$work" && cd "$work" || exit 1
block() { # LANGUAGE NUMBER: that block of the page
  "$AWK" -v mark="\`\`\`$1" -v wanted="$2" '$0 == mark { inside = ++count == wanted; next }
    $0 == "```" { inside = 0 } inside' "$source/docs/library.md"
}
block c 1 >watch.c
block python 1 >watch.py
block python 2 >again.py
case=$source/cases/driven-box

libraries="$tree/run/.libs $tree/core/.libs $tree/solvers/.libs"
build() { # NAME
  ${CC-cc} -Wall -Wextra -Werror -I"$source" -I"$source/run" "$1.c" -o "$1" \
    $(for f in $libraries; do printf ' -L%s -Wl,-rpath,%s' "$f" "$f"; done) -ltrireme-run -ltrireme \
    -Wl,-rpath-link,"$tree/solvers/.libs"
}
check "the page's C builds without a warning" build watch
check "runs" sh -c './watch "$0" openmp >c.out' "$case"
check "and prints four steps and a fingerprint" \
  sh -c 'test "$(grep -c "^step [0-9]*: greatest speed 0\.0[0-9]*, mean_speed " c.out)" = 4 &&
    grep -Eq "^fingerprint [0-9a-f]{32}$" c.out'
check "and leaves its results" test -s from-c/run.json
check "a case that is none ends it with its sentence" \
  sh -c '! ./watch no/such 2>err && grep -q "neither a case" err'

for python in python3 /usr/bin/python3 ''; do
  test -n "$python" && "$python" -c 'import numpy' >/dev/null 2>&1 && break
done
why="no python3 with numpy here; apt install python3-numpy"
PYTHONPATH=$tree/python PYTHONDONTWRITEBYTECODE=1 TRIREME_CASES=$source/cases TRIREME_NOTEBOOK_STEPS=200
export PYTHONPATH PYTHONDONTWRITEBYTECODE TRIREME_CASES TRIREME_NOTEBOOK_STEPS
if test -n "$python"; then # its whole path: mpirun may look in other folders first
  python=$("$python" -c 'import sys; print(sys.executable)')
  check "the page's Python runs" sh -c '"$0" watch.py "$1" openmp >python.out' "$python" "$case"
  check "and prints what the C prints" diff c.out python.out
  check "its results are read back" sh -c '"$0" again.py | grep -q "velocity"' "$python"
else
  skip "the page's Python" "$why"
fi

# ---- over ranks
block c 2 >ranks.c
mpirun= comm=$tree/comm-mpi/.libs
for name in mpirun.openmpi mpirun; do
  if test -e "$comm/comm_openmpi.so" && command -v $name >/dev/null; then mpirun=$name && break; fi
done
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
  OMPI_MCA_btl_vader_single_copy_mechanism
over() { TRIREME_COMM_PATH=$comm timeout 120 $mpirun -n "$@"; } # RANKS PROGRAM ARGUMENT...
joined_c() {
  rm -rf from-c
  build ranks && over 2 ./ranks "$case" openmp >ranks.out && diff c.out ranks.out
}
joined_python() {
  rm -rf from-python
  sed '/^import trireme/a trireme.join_ranks()' watch.py >ranks.py &&
    over 2 "$python" ranks.py "$case" openmp >ranks.out && diff c.out ranks.out
}
refused() { # PROGRAM ARGUMENT... : that does not join
  ! over 2 "$@" "$case" openmp >ranks.out 2>err && grep -q 'started 2 processes .* trireme.join_ranks' err &&
    ! grep -q fingerprint ranks.out
}
if test -n "$mpirun"; then
  check "under mpirun it is refused" refused ./watch
  check "unless it joins: one run, on devices of both ranks" joined_c
else
  skip "the page's C under mpirun" "built without Open MPI, or no mpirun here"
fi
if test -n "$mpirun" && test -n "$python"; then
  check "Python is refused" refused "$python" watch.py
  check "unless it joins" joined_python
else
  skip "the page's Python under mpirun" "built without Open MPI, or no python3 with numpy"
fi

# ---- in its order
# The page's commands, one after the other, as after an installation: pkg-config tells where this tree's
# files are.
mkdir -p order/bin && cd order || exit 1
block c 1 >watch.c
block c 2 >ranks.c
block python 1 >watch.py
cat >bin/pkg-config <<END
#!/bin/sh
case "\$*" in
  "--variable=pythondir trireme-run") echo "$tree/python" ;;
  "--cflags --libs trireme-run") echo "-I$source -I$source/run $(for f in $libraries; do
    printf ' -L%s -Wl,-rpath,%s' "$f" "$f"; done) -ltrireme-run -ltrireme -Wl,-rpath-link,$tree/solvers/.libs" ;;
  *) exit 1 ;;
esac
END
# By their paths: a bare name would find the script itself, since bin/ comes first below.
compiler=${CC-cc}
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v ${compiler%% *}) ${compiler#${compiler%% *}}" >bin/cc
test -n "$python" && printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$python")" >bin/python3
# Open MPI's launcher puts its own folder before PATH where it is called by a path: it is a link in bin/.
test -n "$mpirun" && ln -sf "$(command -v "$mpirun")" bin/orterun &&
  printf '#!/bin/sh\nexec timeout 120 orterun "$@"\n' >bin/mpirun
chmod +x bin/*
in_order() { # COMMANDS: the page's, without those of MPI where there is none
  (set -e; PATH=$PWD/bin:$PATH TRIREME_COMM_PATH=$comm; export PATH TRIREME_COMM_PATH; . "./$1") >out 2>err ||
    { cat out err; return 1; }
}
same_prints() { # COUNT: each program printed the same fingerprint
  test "$(grep -c '^fingerprint ' out)" = "$1" && test "$(grep '^fingerprint ' out | sort -u | wc -l)" = 1
}
{ block sh 1 && block sh 2; } >commands
test -n "$mpirun" && block sh 3 >>commands
if test -n "$python"; then
  check "the page's commands work in their order" in_order commands
  check "with one fingerprint" same_prints $((2 + $(grep -c "^mpirun" commands)))
else
  skip "the page's commands in their order" "$why"
fi
cd "$work" || exit 1

# By jupyter where it is, else cell by cell.
plain='
import json, sys
names = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), "cell", "exec"), names)
'
notebook() {
  cp "$source/docs/bristol.ipynb" bristol.ipynb
  if jupyter nbconvert --version >/dev/null 2>&1 && "$python" -c 'import ipykernel' 2>/dev/null; then
    HOME=$work JUPYTER_ALLOW_INSECURE_WRITES=1 jupyter nbconvert --to notebook --execute \
      --ExecutePreprocessor.timeout=500 --output done.ipynb bristol.ipynb >notebook.log 2>&1 || return
    grep -q 'image/png' done.ipynb && cp done.ipynb notebook.out
  else
    "$python" -c "$plain" bristol.ipynb >notebook.out
  fi
}
if test -n "$python"; then
  check "the notebook runs from top to bottom" notebook
  check "with the same state everywhere" grep -q "the same state on openmp" notebook.out
  check "and the whole ladder" grep -q "wavefront .* M/s" notebook.out
else
  skip "the notebook" "$why"
fi
done_testing
