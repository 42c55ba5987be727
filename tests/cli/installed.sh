# installed.sh - cases are found by their names, listed, and suggested where a name is near.
. "$srcdir/tests/tap.sh"

source=$(cd "$srcdir" && pwd)
workplace cases_by_name
says() { grep -qF "$1" err || { cat err; return 1; }; }
TRIREME_CASES=$source/cases
export TRIREME_CASES
unset TRIREME_SOLVER_PATH

all_listed() {
  for file in "$TRIREME_CASES"/*/case.conf; do
    name=${file%/case.conf} name=${name##*/}
    grep -Eq "^$name +[A-Z].{20,160}[.]$" out || { echo "$name"; grep "^$name" out; return 1; }
  done
}
check "the cases are listed" ends 0 cases
check "each with a sentence" all_listed
one_column() { test "$(sed '$d' out | sed 's/^\([^ ]* *\).*/\1/' | awk '{ print length($0) }' | sort -u | wc -l)" = 1; }
check "which begin in one column" one_column
check "as JSON" ends 0 cases --json
check "with the same" grep -q '"name": "driven-box"' out
short="--steps=2 --on=openmp --runs=2"
check "a case runs by its name" ends 0 run driven-box --steps=2 --formats=none
named=$(sed -n 's/^fingerprint  *//p' out)
check "into a folder of that name" test -s results/driven-box-0001/run.json
check "with the bits of its folder" ends 0 run "$TRIREME_CASES/driven-box" --steps=2 --formats=none
check "the same" test "$named" = "$(sed -n 's/^fingerprint  *//p' out)"
check "its files are found" ends 0 run bristol-128x128 --steps=2 --formats=none
check "it is compared by its name" ends 0 compare driven-box $short
check "studied" ends 0 study driven-box $short --seconds=0.01 --vary=threads=1,2
check "and tuned" ends 0 tune figure-eight --steps=16 --device=openmp
mkdir driven-box
printf 'solver = "lbm";\ngrid = { nx = 40; ny = 24; };\nrun = { steps = 3; };\n' >driven-box/case.conf
check "a folder of that name wins" ends 0 run driven-box --formats=none
check "over the installed case" grep -q '40 x 24 cells, 3 of 3 steps' out
check "a near name is suggested" ends 2 run driven-bax
check "from the cases" says "the nearest case is 'driven-box' (see 'trireme cases')"
check "an installed case with an operand too many" ends 2 run driven-box extra
check "is named as a case" says "'driven-box' is a case, which takes no further operands, and 1 is given"
check "a near solver too" ends 2 run shalow
check "from the solvers" says "the nearest solver is 'shallow'"
check "a path is not a name" ends 2 run ./galaxies
check "and not found" says "'./galaxies' is neither a case"
check "the name that is meant is told" says "the installed case of that name is 'galaxies', without a folder"
check "as of the sources' folder of cases" ends 2 run cases/galaxies/
check "from elsewhere" says "the installed case of that name is 'galaxies', without a folder"
check "a case where a command belongs" ends 2 galaxies
check "is told how it runs" says "'galaxies' is no command; to run a case, write 'trireme run galaxies'"
TRIREME_CASES=$work/none
check "where nothing is installed" ends 0 cases
check "that is said with the folder" says "no case is installed in '$work/none'"
mkdir -p pipe/one
mkfifo pipe/one/case.conf
check "a pipe in the place of a case is not waited for" env TRIREME_CASES="$work/pipe" timeout 60 "$TRIREME" cases
unset TRIREME_CASES
TRIREME=${TRIREME%/cli/*}/cli/trireme # as users start it there
check "a program in a build tree finds the cases of its sources" ends 0 run bristol-128x128 --steps=2 --formats=none
done_testing
