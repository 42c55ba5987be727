# grade.sh - grades hand-ins of exercise @exercise@: `sh grade.sh [FOLDER | FILE.k]...`, by default this
# folder. Of each the file @name@.k alone is taken; all else is written anew, into ./grade. Prints a
# sentence for each hand-in and device, and writes a line of grades.csv: name, device, bits, ratio to
# the reference's speed, and its interval. A file @name@.k has the name of its folder.
#
# ON="openmp opencl": the devices; RUNS: timed runs of each kernel, in turns; OPTIONS: more options of
# `trireme compare`, such as --set grid.nx=1024; LIMIT: seconds for each of a hand-in's builds and
# comparisons. Ends with 0 where all are right, with 1 where the bits of one are wrong, with 2 where
# one could not be graded.
trireme=${TRIREME:-trireme}
limit=${LIMIT:-300}
largest=1000000 # bytes of a hand-in
worst=0
unset CDPATH
test $# -gt 0 || set -- .

# Bits are compared where neither side is a multiple of 32, or of the other one.
case @exercise@ in
nbody*) odd="--set grid.ny=3" ;; # nx is a multiple of the group
*) odd="--set grid.nx=70 --set grid.ny=45" ;;
esac

# A name may hold anything: a line stays one line, and begins with one name.
plain() { printf %s "$1" | LC_ALL=C tr '[:cntrl:]' '[?*]'; }
say() { printf '%s\n' "$(plain "$1")"; }
refuse() {
  say "grade.sh: $1" >&2
  exit 2
}
line() { # NAME DEVICE BITS RATIO LOW HIGH ; a spreadsheet must not take a name for a formula
  case $1 in [=+@-]*) value="'$1" ;; *) value=$1 ;; esac
  printf '"%s",%s,%s,%s,%s,%s\n' "$(printf %s "$value" | sed 's/"/""/g')" "$2" "$3" "$4" "$5" "$6" >>grades.csv
}
cannot() { # NAME DEVICE REASON
  say "$1: not graded: $3" >&2
  line "$1" "$2" "not graded"
  worst=2
}

# ---- a hand-in ---------------------------------------------------------------------

path_of() { case $1 in -*) printf %s "./$1" ;; *) printf %s "$1" ;; esac; }
file_of() { if test -d "$1"; then printf %s "$1/@name@.k"; else printf %s "$1"; fi; }
name_of() {
  file=$(file_of "$1")
  case $file in
  @name@.k | */@name@.k) word=$(basename "$(cd "$(dirname "$file")" 2>/dev/null && pwd || dirname "$file")") ;;
  *) word=$(basename "$file" .k) ;;
  esac
  plain "$word" | tr : '?'
}
# Everything but the hand-in's kernel, as `trireme exercise` writes it.
write_anew() {
  rm -rf grade
  "$trireme" exercise @exercise@ grade >/dev/null && : >grade/made-by-grade.sh || exit 2
}
check_handins() {
  test ! -e grade && test ! -L grade || test -f grade/made-by-grade.sh ||
    refuse "there is a folder 'grade' that this script did not make, and it would be removed; rename it"
  names=
  for handin; do
    handin=$(path_of "$handin")
    case $(readlink -f "$(file_of "$handin")") in
    "$(pwd -P)"/grade/*) refuse "$handin lies in the folder 'grade', which is removed; move it elsewhere" ;;
    esac
    name=$(name_of "$handin")
    case "/$names/" in
    */"$name"/*) refuse "two hand-ins are named '$name', and grades.csv could not tell them apart; rename one" ;;
    esac
    names=$names/$name
  done
}
take() { # FILE NAME : into the folder, or a reason
  if test ! -f "$1" || ! timeout -k 9 10 head -c $((largest + 1)) "$1" >grade/@name@.k 2>grade/said; then
    cannot "$2" "" "$1 cannot be read; a hand-in is a file, or a folder with @name@.k"
  elif test "$(wc -c <grade/@name@.k)" -gt $largest; then
    cannot "$2" "" "$1 has more than $largest bytes; a hand-in is a kernel of a hundred lines"
  else
    return 0
  fi
  return 1
}
limited() { # COMMAND... : its $status, 124 after the limit
  began=$(date +%s)
  timeout -k 9 "$limit" "$@"
  status=$?
  took=$(($(date +%s) - began))
  test $status != 137 || test $took -lt "$limit" || status=124 # it did not end when told to
  return $status
}
build() { # NAME
  limited ${MAKE:-make} -C grade >grade/make.log 2>&1 && return 0
  case $status in
  124) cannot "$1" "" "make takes more than $limit s; LIMIT=SECONDS allows more (grade/make.log)" ;;
  137) cannot "$1" "" "make was killed after $took s; is memory short? (grade/make.log)" ;;
  *) cannot "$1" "" "$(sed -n '/\.k:[0-9]/{p;q;}' grade/make.log | grep . || tail -n 1 grade/make.log) (grade/make.log)" ;;
  esac
  return 1
}

# ---- a grade -----------------------------------------------------------------------

compare() { # DEVICE FOLDER OPTION... : the two kernels in turns
  device=$1 results=grade/$2
  shift 2
  rm -rf "$results"
  limited env TRIREME_SOLVER_PATH="$PWD/grade" TRIREME_DEBUG_BUFFERS=$guards "$trireme" compare grade/case.conf \
    --bisect --vary=@name@.kernel=reference,yours --on="$device" --roof=false --json \
    --output="$results" $OPTIONS "$@" >/dev/null 2>grade/said
}
# On a processor first with memory full of NaN between guards, and with another number of threads.
compare_bits() { # DEVICE
  case $1 in openmp*)
    guards=1
    compare "$1" bits --runs=1 --steps=20 $odd --threads=3 && test -z "$(outside)" || return ;;
  esac
  guards=0
  compare "$1" bits --runs=1 --steps=20 --quiet $odd
}
outside() { sed -n 's/.*\(a kernel wrote outside a buffer.*\)/\1/p' grade/said | head -n 1; }
compare_speed() { # DEVICE
  guards=0
  compare "$1" speed --runs="${RUNS:-9}" --quiet
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
# Both leave the finite numbers.
reference_diverges() { grep -m 1 '"diverged":' "$results/compare.json" 2>/dev/null | grep -q '"diverged": "'; }
ratio() {
  awk '{ gsub(/[",:]/, "") } $1 == "ratio" { ratio = $2 }
    $1 == "ratio_interval" { getline low; getline high; gsub(/[ ,]/, "", low); gsub(/ /, "", high) }
    $1 == "ratio_confidence" { sure = $2 }
    END { printf "%.3f %.3f %.3f %s\n", ratio, low, high, sure }' "$results/compare.json"
}
around() { # LOW HIGH CONFIDENCE : the interval, and what it leaves open
  awk -v low="$1" -v high="$2" -v sure="$3" 'BEGIN {
    if (sure < 0.4) { print "one run tells nothing of the noise"; exit }
    percent = "more than 99"
    if (sure < 0.995) percent = sprintf("%.0f", 100 * sure)
    if (sure < 0.9) more = "; too few runs for a verdict"
    else if (low <= 1 && high >= 1) more = "; no difference could be shown"
    print low " to " high " with " percent " % confidence" more }'
}
grade() { # NAME DEVICE
  compare_bits "$2" && compare_speed "$2"
  status=$?
  case $status in
  0) set -- "$1" "$2" $(ratio)
    say "$1: right on $2, $3 of the reference's speed ($(around "$4" "$5" "$6"))"
    line "$1" "$2" right "$3" "$4" "$5" ;;
  1 | 3) if test $status = 3 && reference_diverges; then
      cannot "$1" "$2" "the reference's values are not finite either; choose fewer steps or another grid in OPTIONS"
    else
      reason=$(outside)
      reason=${reason:-$(difference)}
      say "$1: wrong on $2: ${reason:-$(grep -m 1 'error:' grade/said || head -n 1 grade/said)}"
      line "$1" "$2" wrong
      test $worst = 2 || worst=1
    fi ;;
  124) cannot "$1" "$2" "a comparison takes more than $limit s on $2; does a loop end? LIMIT=SECONDS allows more" ;;
  75) cannot "$1" "$2" "somebody stopped the run on $2; grade it again" ;;
  137) cannot "$1" "$2" "the run on $2 was killed after $took s; is memory short? A smaller grid in OPTIONS needs less" ;;
  2) cannot "$1" "$2" "$(sed -n '/error/{p;q;}' grade/said)" ;;
  *) cannot "$1" "$2" "the run on $2 ended with status $status; does the kernel leave its arrays? TRIREME_DEBUG_BUFFERS=1 tells" ;;
  esac
}

case $limit in 0* | *[!0-9]*) refuse "LIMIT=$limit is no number of seconds; give one such as 300" ;; esac
case $PWD in *:*) refuse "the path $PWD has a colon, where lists of folders are split; work in a folder without one" ;; esac
check_handins "$@"
echo 'name,device,bits,ratio,low,high' >grades.csv || exit 2
for handin; do
  handin=$(path_of "$handin")
  name=$(name_of "$handin")
  write_anew
  if take "$(file_of "$handin")" "$name" && build "$name"; then
    for on in ${ON:-openmp}; do grade "$name" "$on"; done
  fi
done
exit $worst
