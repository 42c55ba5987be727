# exercises.sh - every exercise of `trireme exercise`, from its folder to a grade, with what `make install` puts
# in place: the kernel as it is given and a sum in another order are wrong, the solved one is right. The
# solutions are tests/data/exercises/NAME.k. make check-long grades all on opencl and cuda too.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/exercises
solutions=$(cd "$srcdir" && pwd)/tests/data/exercises
rm -rf "$work"
mkdir -p "$work"
variable() { sed -n "s/^$1 = //p" Makefile | head -n 1; }
root=$TRIREME_TEST_STATE/installed$(variable prefix)
MAKEFLAGS='' MFLAGS=''
PKG_CONFIG="pkg-config --define-prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$TRIREME_TEST_STATE/installed" -name trireme.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
TRIREME_BACKEND_PATH=$LD_LIBRARY_PATH/trireme
TRIREME=$root/bin/trireme
TRM_ISAS=baseline TRM_KFLAGS_TOOL=-O1 CFLAGS=-O0 RUNS=1 TRIREME_PROBE_SECONDS=0
export MAKEFLAGS MFLAGS PKG_CONFIG PKG_CONFIG_PATH LD_LIBRARY_PATH TRIREME_BACKEND_PATH TRIREME TRM_ISAS TRM_KFLAGS_TOOL CFLAGS RUNS TRIREME_PROBE_SECONDS
unset TRM_KERNEL_TEXTS LIBTOOL AWK TRIREME_REQUIRE
cd "$work" || exit 1

# ---- the list and the folders ---------------------------------------------------

"$TRIREME" exercise >list
names=$(sed 's/ .*//' list)
check "ten exercises are listed" test "$(wc -l <list)" = 10
every_report() { for report in bristol nbody cylinder zfs shallow; do grep -q "^$report-" list || return 1; done; }
check "of all five reports" every_report
check "as JSON too" sh -c '"$1" exercise --json | grep -c "\"name\": " | grep -qx 10' - "$TRIREME"
refuses() { # WORDS ARGUMENT...
  words=$1
  shift
  "$TRIREME" exercise "$@" >out 2>&1
  test $? = 2 && test "$(wc -l <out)" = 1 && grep -qF -e "$words" out || { cat out; return 1; }
}
check "another name is answered with the nearest" refuses "did you mean 'bristol-3'?" bristol-33
check "a name without a number too" refuses "is no exercise" solver
check "a folder that cannot be made is refused" refuses "No such file or directory" bristol-1 none/here
check "three words are refused" refuses "takes the name" a b c

# The files of an exercise name no other, hold no mark, and the kernel has 30 to 130 lines.
whole() { # NAME
  "$TRIREME" exercise "$1" >out && test -f "$1/README.md" && ! grep -r '@[a-z]*@' "$1" &&
    test "$(wc -l <"$1/$2.k")" -ge 28 && test "$(wc -l <"$1/$2.k")" -le 130 && grep -q MISSING "$1/$2.k" &&
    grep -q '?\*\*$' "$1/README.md"
}
for name in $names; do check "$name is written, with a task and a question" whole $name $(echo $name | tr - _); done
check "a folder that exists is refused" refuses "exists already" bristol-1

# ---- grades ---------------------------------------------------------------------

ready=openmp
for other in opencl cuda; do
  "$TRIREME" backends | grep -q "^$other *ready" && ready="$ready $other"
done
# Small and short: the grade's own 20 steps, and no more for the speed.
small() { case $1 in nbody*) echo --threads=1 --steps=20 --set grid.ny=3 ;; *) echo --threads=1 --steps=20 --set grid.nx=64 --set grid.ny=${rows:-48} ;; esac; }
graded() { # NAME DEVICES EXIT-CODE HAND-IN... : into NAME/out
  folder=$1 devices=$2 code=$3
  shift 3
  (cd "$folder" && OPTIONS=$(small "$folder") ON=$devices sh ./grade.sh "$@" >out 2>&1)
  got=$?
  test $got = "$code" || { echo "exit code $got, not $code"; cat "$folder/out"; return 1; }
}
says() { grep -q "$2" "$1/out" || { cat "$1/out"; return 1; }; } # NAME PATTERN
unlike() { # NAME DEVICE : a sum in another order, where there is one
  solved=$solutions/$1.k
  case $1 in
  cylinder-1) sed 's/int i = 0; i < 9; i++/int i = 8; i >= 0; i--/' "$solved" ;;
  nbody-1) sed 's/tile[.]\([xyzm][as]*\)\[j\]/tile.\1[TRM_GROUP - 1 - j]/g' "$solved" ;;
  nbody-2) sed 's/\[j + 2\]/[j + 4]/g; s/\[j + 1\]/[j + 2]/g; s/\[j + 4\]/[j + 1]/g' "$solved" ;;
  zfs-?) awk '/residual = residual \+ p.ratio_y/ { kept = $0; next } { print } /residual = residual - p.ratio_x/ { print kept }' "$solved" ;;
  esac
}

# The kernel as it is given, the solved one, and one whose sums have another order, on these devices.
grades() { # NAME DEVICES
  kernel=$(echo "$1" | tr - _).k
  cp "$solutions/$1.k" "$1/solved.k"
  unlike "$1" >"$1/unlike.k"
  set -- "$1" "$2" . solved.k
  test -z "$sums" || { ! cmp -s "$1/unlike.k" "$1/solved.k" && test -s "$1/unlike.k" && set -- "$@" unlike.k; } || return 1
  name=$1 devices=$2
  shift 2
  graded "$name" "$devices" 1 "$@" || return 1
  for on in $devices; do
    says "$name" "^$name: wrong on $on: [a-z_]* differs first in step 1, cell ([0-9]*, [0-9]*), component [0-9]: the reference has [-0-9.e]*, yours [-0-9.e]*\$" &&
      says "$name" "^solved: right on $on, [0-9.]* of the reference's speed (one run tells nothing of the noise)\$" || return 1
    test $# = 2 || says "$name" "^unlike: wrong on $on: [a-z]* differs first in step [0-9]*, cell" || return 1
    grep -q "^\"$name\",$on,wrong,,,\$" "$name/grades.csv" || return 1
    grep -q "^\"solved\",$on,right,[0-9.]*,[0-9.]*,[0-9.]*\$" "$name/grades.csv" || return 1
  done
  test "$(wc -l <"$name/out")" = $(($# * $(echo $devices | wc -w))) || { cat "$name/out"; return 1; }
}
for name in $names; do
  devices=openmp
  case $name in bristol-1 | nbody-1) devices=$ready ;; esac
  test -z "${TRIREME_TEST_LONG-}" || devices=$ready
  case $name in cylinder-1 | nbody-* | zfs-*) sums=", sums in another order wrong" ;; *) sums= ;; esac
  check "$name: given wrong, solved right$sums on $devices" grades $name "$devices"
done

# ---- wrong kernels that few cases tell ----------------------------------------------

varied() { # NAME FILE SED-PROGRAM : the solved kernel, changed
  sed "$3" "$solutions/$1.k" >"$1/$2.k" && ! cmp -s "$solutions/$1.k" "$1/$2.k"
}
wrong() { # NAME DEVICES FILE PATTERN
  graded "$1" "$2" 1 "$3.k" && for on in $2; do says "$1" "^$3: wrong on $on: $4" || return 1; done
}
alike() { varied "$1" alike "$2" && wrong "$1" openmp alike "[a-z_]* differs first in step 1, cell"; }
check "zfs-1: ratio_x in place of ratio_y is wrong" alike zfs-1 's/ratio_y/ratio_x/'
check "shallow-1: half_x in place of half_y is wrong" alike shallow-1 's/half_y/half_x/'
square() { rows=64; alike "$@"; got=$?; rows=; return $got; }
check "bristol-1: TRM_NX in place of TRM_NY is wrong" square bristol-1 's/TRM_NY/TRM_NX/'
check "bristol-3: leaves of full groups alone are wrong" alike bristol-3 's/TRM_LEAVES_OF(TRM_NX)/TRM_NX \/ 32/'
no_leaves() { varied "$1" none '/TRM_FOLD/d; /TRM_ADD/d; /TRM_LEAVES(/d' && wrong "$1" "$2" none "leaves_of_speed differs first in step 1.*yours 0[.]0\$"; }
case $ready in *opencl*) on=opencl ;; *) on=openmp ;; esac
check "bristol-3: no leaves at all are wrong, and 0" no_leaves bristol-3 openmp
check "shallow-1: no leaves at all are wrong on $on" no_leaves shallow-1 $on
beyond() { varied bristol-1 beyond "/TRM_WRAP_EAST/{n;s/\$/ if (y == 0) next[$1] = R(1.0);/;}" && wrong bristol-1 openmp beyond "a kernel wrote outside a buffer of [0-9]* bytes, at byte"; }
check "a value beyond an array's end is wrong" beyond '9 * k + 20'
diverges() { varied bristol-1 diverges 's/p[.]push :/p.push * R(1e30) :/' && wrong bristol-1 openmp diverges "trireme: error: "; }
check "values that are not finite are wrong" diverges

# ---- what a hand-in may be --------------------------------------------------------

cd bristol-1 || exit 1
mkdir -p in/group-1 "in/group 2, or \"b\"" in/broken in/empty in/crashes
cp solved.k in/group-1/bristol_1.k
cp bristol_1.k "in/group 2, or \"b\"/bristol_1.k"
echo "this is no kernel" >in/broken/bristol_1.k
sed 's/to, k, x, d2q9_rebound/to + ((trm_index)1 << 40), k, x, d2q9_rebound/' solved.k >in/crashes/bristol_1.k
cd ..
check "one that is right ends with 0" graded bristol-1 openmp 0 in/group-1
handins() { graded bristol-1 openmp 2 in/group-1 "in/group 2, or \"b\"" in/broken in/crashes in/empty; }
check "one that cannot be graded ends with 2" handins
check "a kernel that does not compile is told with its line" says bristol-1 "^broken: not graded: bristol_1.k:1:"
check "a folder without the kernel too" says bristol-1 "^empty: not graded: in/empty/bristol_1.k cannot be read; a hand-in is a file, or a folder with bristol_1.k$"
check "a kernel that leaves its arrays too" says bristol-1 "^crashes: not graded: the run on openmp ended with status 139; does the kernel leave its arrays?"
check "the others are graded all the same" says bristol-1 "^group-1: right"
check "a name with a comma and quotes is one value" grep -qxF '"group 2, or ""b""",openmp,wrong,,,' bristol-1/grades.csv
host_part() { # the given files around the kernel do not count
  echo "#error a student's own" >>bristol-1/host.c && echo '#error another' >>bristol-1/reference.k && graded bristol-1 openmp 0 in/group-1
}
check "the kernel alone is taken" host_part
making() { (cd bristol-2 && cp solved.k bristol_2.k && OPTIONS=$(small bristol-2) $MAKE grade >out 2>&1) && says bristol-2 "^bristol-2: right on openmp"; }
check "make grade" making
# ---- names, folders, limits ----------------------------------------------------------

# A line of its own for each: with a make that ends, or a program, as said.
ends() { printf '#!/bin/sh\n%s\n' "$2" >"bristol-1/$1" && chmod +x "bristol-1/$1"; }
unmade() { MAKE=false graded bristol-1 openmp 2 "$@"; }
forged=$(printf 'x\ngroup-9: right on openmp.k')
forges() { echo >"bristol-1/$forged" && unmade "$forged" && says bristol-1 '^x?group-9? right on openmp: not graded' && test "$(wc -l <bristol-1/out)" = 1; }
check "a name with a line's end forges no grade" forges
cut_off() { echo >'bristol-1/one\c.k' && unmade 'one\c.k' && says bristol-1 '^one\\c: not graded'; }
check "a name with a backslash is whole" cut_off
formula() { for name in =1+1 +1 -1 @a; do echo >"bristol-1/$name.k"; done && unmade =1+1.k +1.k -1.k @a.k && test "$(grep -c "^\"'[=+@-]" bristol-1/grades.csv)" = 4; }
check "a name is no formula" formula
dashed() { cp bristol-1/solved.k bristol-1/-C.k && unmade -C.k && says bristol-1 '^-C: not graded: .*(grade/make.log)' && cmp bristol-1/solved.k bristol-1/grade/bristol_1.k; }
check "a name that begins with - is no option" dashed
folders() { unmade in/group-1/bristol_1.k in/broken/bristol_1.k && says bristol-1 "^group-1: " && says bristol-1 "^broken: "; }
check "the exercise's own file has its folder's name" folders
twice() { mkdir -p bristol-1/in/a bristol-1/in/b && cp bristol-1/solved.k bristol-1/in/a && cp bristol-1/solved.k bristol-1/in/b && unmade in/a/solved.k in/b/solved.k && says bristol-1 "two hand-ins are named 'solved'"; }
check "two of one name are refused" twice
inside() { cp bristol-1/solved.k bristol-1/grade/ && unmade grade/solved.k && says bristol-1 "lies in the folder 'grade'" && test -f bristol-1/grade/solved.k; }
check "a hand-in in the folder grade is refused, not removed" inside
theirs() { "$TRIREME" exercise bristol-1 theirs >out && mkdir -p theirs/grade/group-1 && cp bristol-1/solved.k theirs/grade/group-1 && graded theirs openmp 2 grade/group-1 && says theirs "that this script did not make" && test -f theirs/grade/group-1/solved.k; }
check "a folder grade of others is refused, not removed" theirs
colon() { "$TRIREME" exercise bristol-1 co:lon >out && graded co:lon openmp 2 . && says co:lon "has a colon"; }
check "a path with a colon is refused" colon
endless() { mkfifo bristol-1/fifo.k && ln -s /dev/zero bristol-1/zero.k && unmade fifo.k zero.k && says bristol-1 "^fifo: not graded: fifo.k cannot be read" && says bristol-1 "^zero: not graded: zero.k cannot be read"; }
check "a pipe and a device are no hand-ins" endless
large() { head -c 1000001 /dev/zero >bristol-1/large.k && unmade large.k && says bristol-1 "^large: not graded: large.k has more than 1000000 bytes"; }
check "nor is a large file" large
slow() { ends slow 'sleep 30' && LIMIT=1 MAKE=./slow graded bristol-1 openmp 2 solved.k && says bristol-1 "^solved: not graded: make takes more than 1 s"; }
check "make has a limit of time" slow
check "a limit that is no number is refused" sh -c 'cd bristol-1 && LIMIT=5m sh grade.sh solved.k 2>&1 | grep -q "^grade.sh: LIMIT=5m is no number of seconds"'
marks() { ends marks "make \"\$@\"; status=\$?; for file in host.c reference.k; do echo '#error' >>grade/\$file; done; exit \$status" && MAKE=./marks graded bristol-1 openmp 0 solved.k in/group-1 ; }
check "what a hand-in changes in grade does not outlive it" marks

# A program whose comparison ends so.
ended() { # COMMANDS PATTERN
  ends program "test \"\$1\" != compare || { $1; }; exec '$TRIREME' \"\$@\""
  (TRIREME=./program MAKE=true && graded bristol-1 openmp 2 solved.k) && says bristol-1 "^solved: not graded: $2"
}
check "a run that was stopped is told as such" ended 'exit 75' "somebody stopped the run on openmp"
check "a run that was killed too" ended 'kill -9 $$' "the run on openmp was killed after [0-9]* s; is memory short?"
both='mkdir -p grade/bits; echo "\"diverged\": \"f is not finite\"," >grade/bits/compare.json; exit 3'
check "and a reference that is not finite" ended "$both" "the reference's values are not finite either"
done_testing
