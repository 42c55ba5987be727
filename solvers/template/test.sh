# test.sh - what `make check` runs: each case of the table on every backend that is ready, its bits, and
# what theory says of it. For another solver, change the table. TRIREME_REQUIRE="openmp opencl" makes
# those that are not ready a failure.
solver=@name@
every="--steps=500 --set grid.nx=64 --set grid.ny=64" # options of every run below
sizes="grid.nx grid.ny"                               # the keys that `order` halves

# case NAME KEY=VALUE...             a case that runs on every backend with the same bits
# decay CASE SERIES RATE TOLERANCE   its series falls as exp(-RATE time), up to that relative error
# order CASE SERIES RATE             the error of that rate falls fourfold with half the cells' sides
# stays CASE SERIES TOLERANCE        in f64 its series stays as it begins, up to that relative error
# within CASE SERIES LOW HIGH        its series ends between the two
# refuses KEY=VALUE WORDS            such a case is refused in these words
#
# The amplitude of cos(kx) cos(ky) falls as exp(-2 a k^2 t), its mean square twice as fast; k is 2 pi
# where the plate is periodic, pi between edges. (The scheme: 0.2 % off at 64 cells.)
table() {
  cat <<END
case periodic   $solver.initial=wave $solver.edge=periodic
case insulated  $solver.initial=wave $solver.edge=insulated
case fixed      $solver.initial=wave $solver.edge=fixed
case square     $solver.initial=square $solver.edge=insulated
case torus      $solver.initial=square $solver.edge=periodic
decay periodic  mean_square 157.9136704 0.005
decay insulated mean_square 39.4784176 0.005
decay fixed     mean_square 39.4784176 0.005
order insulated mean_square 39.4784176
stays square    total_heat 1e-12
stays torus     total_heat 1e-12
refuses $solver.dt=1 shorten it
END
}

# ---- from here on nothing names a solver -----------------------------------------

trireme=${TRIREME:-trireme}
number=0 failed=0
rm -rf check
mkdir check || exit 1

result() { # STATUS NAME
  number=$((number + 1))
  if test "$1" = 0; then echo "ok $number - $2"
  else
    failed=$((failed + 1))
    echo "not ok $number - $2"
    sed 's/^/# /' check/log
  fi
}
check() { # NAME COMMAND...
  name=$1
  shift
  "$@" >check/log 2>&1
  result $? "$name"
}
keys_of() { table | awk -v name="$1" '$1 == "case" && $2 == name { for (i = 3; i <= NF; i++) printf "--set %s ", $i }'; }
run() { # FOLDER CASE OPTION... : to check/FOLDER
  folder=check/$1 keys=$(keys_of "$2")
  shift 2
  "$trireme" run $solver --quiet --output="$folder" --formats=none --roof=false $every $keys "$@" >check/log 2>&1
}
fingerprint() { sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*/\1/p' "check/$1/run.json"; }
result_of() { sed -n "s/.*\"$2\": *\([-+.0-9e]*\).*/\1/p" "check/$1/run.json"; }

# over FOLDER SERIES PROGRAM : awk with `first`, `last`, `steps` (between them) and `worst` departure at the end
over() {
  awk -F, -v series="$2" -v time="$(result_of "$1" end_time)" '
    NR == 1 { for (i = 1; i <= NF; i++) { sub(/\[.*/, "", $i); if ($i == series) column = i }
              if (!column) { print "no series " series; exit 2 } next }
    NR == 2 { first = $column; begin = $1 }
    { last = $column; steps = $1 - begin; made = $1; d = last / first - 1; if (d < 0) d = -d
      if (d > worst) worst = d }
    END { if (column) { '"$3"' } }' "check/$1/series.csv"
}
rate() { over "$1" "$2" 'printf "%.9g", log(first / last) / (steps * time / made)'; } # FOLDER SERIES
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a / b - 1; print a, b, d; exit !(d < t && d > -t) }'; }
stays() { over "$1" "$2" "print worst; exit !(steps > 0 && worst < $3)"; }        # FOLDER SERIES TOLERANCE
within() { over "$1" "$2" "print last; exit !(last >= $3 && last <= $4)"; }       # FOLDER SERIES LOW HIGH
same() { # FINGERPRINT FOLDER...
  expected=$1
  shift
  for folder; do
    echo "$folder $(fingerprint $folder) expected $expected"
    test -n "$expected" && test "$(fingerprint $folder)" = "$expected" || return 1
  done
}

ready=$("$trireme" backends | awk '/^[a-z]/ && $2 == "ready" { print $1 }')
first=$(echo $ready | cut -d' ' -f1)
echo "# ready:" $ready
for name in $TRIREME_REQUIRE; do
  check "$name is ready, as required" sh -c 'case " $(echo $1) " in *" $2 "*) ;; *) exit 1 ;; esac' - "$ready" "$name"
done

# A run of a part of the steps that keeps its state; from there on another backend to the end.
test_resume() { # CASE
  steps=$(echo "$every" | sed 's/.*--steps=\([0-9]*\).*/\1/')
  run $1-parts $1 --backend=$first --batch=7 --checkpoint-every=0.000001s --steps=$((steps / 2))
  check "$1: goes on from a checkpoint" "$trireme" resume check/$1-parts --quiet --steps=$steps \
    --backend=$(echo $ready | awk '{ print $NF }') --batch=0
  check "$1: to the same bits and series" sh -c 'test "$1" = "$2" && cmp "$3" "$4"' - \
    "$(fingerprint $1-parts)" "$(fingerprint $1-$first)" check/$1-parts/series.csv check/$1-$first/series.csv
}
test_case() { # NAME
  for backend in $ready; do
    run $1-$backend $1 --backend=$backend
    result $? "$1 runs on $backend"
  done
  check "$1: the same bits on every backend" same "$(fingerprint $1-$first)" \
    $(for backend in $ready; do echo $1-$backend; done)
  run $1-singly $1 --backend=$first --batch=1
  check "$1: the same bits with batches of one step" same "$(fingerprint $1-$first)" $1-singly
  test_resume $1
  case " $ready " in *openmp*) test_reverse $1 ;; esac
}
# Kernels that go backwards: TRM_ISAS, which solver.mk sets, has the instruction sets of the program.
test_reverse() { # CASE
  claim="$1: the same bits with cells and phases in reverse order"
  case " ${TRM_ISAS:-reverse} " in *" reverse "*)
    TRIREME_ISA=reverse run $1-reverse $1 --backend=openmp
    check "$claim" same "$(fingerprint $1-$first)" $1-reverse ;;
  *)
    number=$((number + 1))
    echo "ok $number - $claim # SKIP the program has no such kernels: configure --with-isa=native,reverse" ;;
  esac
}
# half the cell, a quarter of the error (and of the step): a quarter of the grid's side against half of it
test_order() { # CASE SERIES RATE
  half= quarter= steps=$(echo "$every" | sed 's/.*--steps=\([0-9]*\).*/\1/')
  for key in $sizes; do
    cells=$(echo "$every" | sed "s/.*$key=\([0-9]*\).*/\1/")
    half="$half --set $key=$((cells / 2))" quarter="$quarter --set $key=$cells"
  done
  run order-half $1 --backend=$first --precision=f64 --steps=$((steps / 2)) $half
  run order-whole $1 --backend=$first --precision=f64 --steps=$((steps * 2)) $quarter
  check "$1: the error falls fourfold with half the cells" near "$(awk -v a="$(rate order-half $2)" \
    -v b="$(rate order-whole $2)" -v e=$3 'BEGIN { print (a - e) / (b - e) }')" 4 0.02
}
test_line() {
  what=$1
  shift
  case $what in
    case) test_case $1 ;;
    decay) for backend in $ready; do
        check "$1: $2 falls as theory says on $backend" near "$(rate $1-$backend $2)" $3 $4
      done ;;
    order) test_order "$@" ;;
    stays) run $1-f64 $1 --backend=$first --precision=f64
      check "$1: $2 stays" stays $1-f64 $2 $3 ;;
    within) check "$1: $2 ends between $3 and $4" within $1-$first $2 $3 $4 ;;
    refuses) key=$1
      shift
      run refused "" --backend=$first --set $key
      grep -qF -e "$*" check/log
      result $? "$key is refused: $*" ;;
    *) check "the table knows the word $what" false ;;
  esac
}
table >check/table
while read -r line; do test_line $line </dev/null; done <check/table
check "all backends agree in every bit in a comparison" "$trireme" compare case.conf --runs=1 --steps=100 \
  --on="$(echo $ready | tr ' ' ,)" --roof=false --output=check/comparison

echo "1..$number"
test $failed = 0
