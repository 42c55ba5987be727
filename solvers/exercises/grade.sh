# grade.sh - grades hand-ins of exercise @exercise@: `sh grade.sh [FOLDER | FILE.k]...`, by default this
# folder. Of each the file @name@.k alone is taken; all else is written anew, into ./grade. Prints a
# sentence for each hand-in and device, and writes a line of grades.csv: name, device, bits, ratio to
# the reference's speed, and its interval.
#
# ON="openmp opencl": the devices; RUNS: timed runs of each kernel, in turns; OPTIONS: more options of
# `trireme compare`, such as --set grid.nx=1024; LIMIT: seconds that a hand-in may take on a device.
# Ends with 0 where all are right, with 1 where the bits of one are wrong, with 2 where one could not
# be graded.
trireme=${TRIREME:-trireme}
worst=0
test $# -gt 0 || set -- .

line() { # NAME DEVICE BITS RATIO LOW HIGH
  printf '"%s",%s,%s,%s,%s,%s\n' "$(printf %s "$1" | sed 's/"/""/g')" "$2" "$3" "$4" "$5" "$6" >>grades.csv
}
cannot() { # NAME DEVICE REASON
  echo "$1: not graded: $3" >&2
  line "$1" "$2" "not graded"
  worst=2
}
compare() { # DEVICE FOLDER OPTION... : the two kernels in turns
  device=$1 results=grade/$2
  shift 2
  rm -rf "$results"
  TRIREME_SOLVER_PATH=$PWD/grade timeout -k 9 "${LIMIT:-300}" "$trireme" compare grade/case.conf --bisect \
    --vary=@name@.kernel=reference,yours --on="$device" --roof=false --json --quiet \
    --output="$results" "$@" $OPTIONS >/dev/null 2>grade/said
}
# Of compare.json: the first difference as a sentence, or the ratio of yours with its interval.
difference() {
  awk '/"bisections": \[/ { open = 1 } !open { next }
    { value = $2; gsub(/[",]/, "", value) }
    $1 == "\"step\":" { step = value } $1 == "\"field\":" { field = value }
    $1 == "\"buffer\":" { buffer = value } $1 == "\"component\":" { component = value }
    $1 == "\"x\":" { x = value } $1 == "\"y\":" { y = value }
    $1 == "\"values\":" { getline reference; getline yours; gsub(/[ ,]/, "", reference); gsub(/ /, "", yours)
      if (field == "null") field = buffer
      sub(/null/, "no finite number", reference); sub(/null/, "no finite number", yours)
      print field " differs first in step " step ", cell (" x ", " y "), component " component ": the " \
        "reference has " reference ", yours " yours; exit }' "$results/compare.json" 2>/dev/null
}
ratio() {
  awk '{ gsub(/[",:]/, "") } $1 == "ratio" { ratio = $2 }
    $1 == "ratio_interval" { getline low; getline high; gsub(/[ ,]/, "", low); gsub(/ /, "", high) }
    END { printf "%.3f %.3f %.3f\n", ratio, low, high }' "$results/compare.json"
}
grade() { # NAME DEVICE
  compare "$2" bits --runs=1 --steps=20 && compare "$2" speed --runs="${RUNS:-9}"
  status=$?
  case $status in
  0) set -- "$1" "$2" $(ratio)
    echo "$1: right on $2, $3 of the reference's speed ($4 to $5)"
    line "$1" "$2" right "$3" "$4" "$5" ;;
  1 | 3) reason=$(difference)
    echo "$1: wrong on $2: ${reason:-$(head -n 1 grade/said)}"
    line "$1" "$2" wrong
    test $worst = 2 || worst=1 ;;
  124 | 137) cannot "$1" "$2" "it takes more than ${LIMIT:-300} s on $2; does a loop end? LIMIT=SECONDS allows more" ;;
  2) cannot "$1" "$2" "$(sed -n '/error/{p;q;}' grade/said)" ;;
  *) cannot "$1" "$2" "the run on $2 ended with status $status; does the kernel leave its arrays? TRIREME_DEBUG_BUFFERS=1 tells" ;;
  esac
}

rm -rf grade
"$trireme" exercise @exercise@ grade >/dev/null || exit 2
echo 'name,device,bits,ratio,low,high' >grades.csv || exit 2
for handin; do
  file=$handin
  test ! -d "$handin" || file=$handin/@name@.k
  case $handin in . | ./) name=$(basename "$PWD") ;; *) name=$(basename "$handin" .k) ;; esac
  if ! cp "$file" grade/@name@.k 2>grade/said; then
    cannot "$name" "" "$file cannot be read; a hand-in is a file, or a folder with @name@.k"
  elif ! ${MAKE:-make} -C grade >grade/make.log 2>&1; then
    cannot "$name" "" "$(sed -n '/\.k:[0-9]/{p;q;}' grade/make.log | grep . || tail -n 1 grade/make.log) (grade/make.log)"
  else
    for on in ${ON:-openmp}; do grade "$name" "$on"; done
  fi
done
exit $worst
