# test.sh - what `make check` runs: the decay of a mode against theory, the heat that must stay, and the
# same bits on every backend that is ready. TRIREME_REQUIRE="openmp opencl" makes those that are not
# ready a failure.
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
run() { # FOLDER OPTION... : the slowest mode, in 64 x 64 cells, to check/FOLDER
  folder=check/$1
  shift
  "$trireme" run @name@ --quiet --output="$folder" --formats=none --ceiling=false --steps=500 \
    --set grid.nx=64 --set grid.ny=64 --set @name@.initial=wave "$@" >check/log 2>&1
}
fingerprint() { sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*/\1/p' "check/$1/run.json"; }

# rate FOLDER : measured decay of the amplitude; the mean square decays twice as fast
rate() {
  time=$(sed -n 's/.*"end_time": *\([-+.0-9e]*\).*/\1/p' "check/$1/run.json")
  awk -F, -v time="$time" 'NR == 2 { first = $1; a = $3 }
    END { dt = time / $1; printf "%.9g", log(a / $3) / (2 * ($1 - first) * dt) }' "check/$1/series.csv"
}
# near A B TOLERANCE
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a / b - 1; print a, b, d; exit !(d < t && d > -t) }'; }
# heat_stays FOLDER
heat_stays() {
  awk -F, 'NR == 2 { a = $2 } NR > 1 { d = $2 - a; if (d < 0) d = -d; if (d > worst) worst = d }
    END { print worst; exit !(NR > 2 && worst < 1e-12) }' "check/$1/series.csv"
}

ready=$("$trireme" backends | awk '/^[a-z]/ && $2 == "ready" { print $1 }')
echo "# ready:" $ready
for name in $TRIREME_REQUIRE; do
  check "$name is ready, as required" sh -c 'case " $(echo $1) " in *" $2 "*) ;; *) exit 1 ;; esac' - "$ready" "$name"
done

# Theory: the amplitude of cos(kx) cos(ky) falls as exp(-2 a k^2 t); k is 2 pi where the plate is
# periodic, pi between edges. (Scheme: 0.2 % off at 64 cells.)
periodic=78.9568352087 between=19.7392088022
for backend in $ready; do
  for edge in periodic insulated fixed; do
    exact=$between
    test $edge = periodic && exact=$periodic
    run $backend-$edge --backend=$backend --set @name@.edge=$edge
    result $? "runs on $backend, $edge"
    check "the slowest mode decays as theory says on $backend, $edge" \
      near "$(rate $backend-$edge)" $exact 0.005
  done
done

first=$(echo $ready | cut -d' ' -f1)
for edge in periodic insulated; do
  run heat-$edge --backend=$first --precision=f64 --set @name@.edge=$edge --set @name@.initial=square
  check "no heat is lost, $edge" heat_stays heat-$edge
done

# of second order: half the cell, a quarter of the error (and of the step)
run order-32 --backend=$first --precision=f64 --steps=200 --set grid.nx=32 --set grid.ny=32
run order-64 --backend=$first --precision=f64 --steps=800
check "the error falls fourfold with half the cells" near \
  "$(awk -v a="$(rate order-32)" -v b="$(rate order-64)" -v e=$between 'BEGIN { print (a - e) / (b - e) }')" 4 0.02

same() { # FINGERPRINT FOLDER...
  expected=$1
  shift
  for folder; do
    echo "$folder $(fingerprint $folder) expected $expected"
    test -n "$expected" && test "$(fingerprint $folder)" = "$expected" || return 1
  done
}
for edge in periodic insulated fixed; do
  check "the same bits on every backend, $edge" same "$(fingerprint $first-$edge)" \
    $(for backend in $ready; do echo $backend-$edge; done)
done
run one-by-one --backend=$first --set @name@.edge=fixed --batch=1
check "the same bits with batches of one step" same "$(fingerprint $first-fixed)" one-by-one
case " $ready " in
  *openmp*)
    TRIREME_ISA=reverse run reverse --backend=openmp --set @name@.edge=fixed
    check "the same bits with cells and phases in reverse order" same "$(fingerprint $first-fixed)" reverse ;;
esac
check "all backends agree in every bit in a comparison" "$trireme" compare case.conf --runs=1 --steps=100 \
  --on="$(echo $ready | tr ' ' ,)" --ceiling=false --output=check/comparison

run long --backend=$first --set @name@.dt=1
grep -q 'shorten it' check/log
result $? "a step that is too long is refused, with the longest one"

echo "1..$number"
test $failed = 0
