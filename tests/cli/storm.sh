# storm.sh - what surrounds a run, at random: signals at any moment, disks that end at any page, closed descriptors, long
# environments, planted links, many processes at once, memory limits, ignored and blocked signals. Whatever comes, a
# run ends with a code of docs/program.md, one line of cause where it failed, whole files, and bits that are right.
#
# The same seed gives the same storm: TRIREME_STORM_SEED, printed. `make check-storm` raises a long one
# (TRIREME_TEST_LONG=1); each case tells how many were tried and how many held.
. "$srcdir/tests/tap.sh"

workplace storm
seed=${TRIREME_STORM_SEED:-1}
echo "# TRIREME_STORM_SEED=$seed"
is_long=${TRIREME_TEST_LONG:+yes}
count() { if test -n "$is_long"; then echo "$2"; else echo "$1"; fi; } # SHORT LONG
all_tried=0 all_held=0

# random N: a number from 0 to N-1, in $drawn
random() {
  seed=$(((seed * 1103515245 + 12345) & 2147483647))
  drawn=$((seed / 65536 % $1))
}
pick() { # WORD...: one of them, in $drawn
  random $#
  shift $drawn
  drawn=$1
}

# ---- what holds of every run

whole() { # FOLDER: each file there is as it should be to its end
  for file in "$1"/* ; do
    case $file in
    *.vti | *.pvd) tail -n 1 "$file" | grep -q '^</VTKFile>$' ;;
    *.json) test "$(tail -n 1 "$file")" = '}' ;;
    *.png) tail -c 8 "$file" | head -c 4 | grep -q IEND ;;
    *.csv) awk -F, 'NR > 1 && NF != n { bad = 1 } { n = NF } END { exit bad }' "$file" ;;
    esac || { echo "$file is cut"; return 1; }
  done
}
status_of() { sed -n 's/^  "status": "\(.*\)",*/\1/p' "$1/run.json" 2>/dev/null; }
one_line() { # FILE: one line of cause
  test "$(grep -c '^trireme: error: ' "$1")" = 1 || { echo "not one line of cause:"; cat "$1"; return 1; }
}
# sound FOLDER CODE: a run that was left alone, or refused
sound() {
  case $2 in
  0) test "$(status_of "$1")" = finished && test "$(print_of "$1")" = "$wanted" ;;
  2) one_line err ;;
  *) false ;;
  esac || { echo "exit code $2, status $(status_of "$1")"; cat err; return 1; }
  test ! -d "$1" || whole "$1"
}

# storm NAME TIMES FUNCTION: so many times, each from the seed; the first failures are told
storm() {
  name=$1 times=$2 one=$3 held=0 tried=0
  : >failures
  while test $tried -lt "$times"; do
    tried=$((tried + 1)) at=$seed
    if "$one" >told 2>&1; then held=$((held + 1))
    else { echo "$name number $tried, seed $at:"; tail -n 5 told; } >>failures; fi
  done
  check "$name" none_failed
  echo "# $name: tried $tried, held $held"
  all_tried=$((all_tried + tried)) all_held=$((all_held + held))
}
none_failed() { head -n 40 failures; test ! -s failures; }

case_of="lbm --set grid.nx=64 --set grid.ny=64 --steps=400"
outputs="--every=100 --formats=png,vti,npy,course --threads=1"
check "a run in peace" ends 0 run $case_of $outputs --output=peace
wanted=$(print_of peace)
check "a comparison in peace" ends 0 compare $case_of --on=openmp --runs=2 --output=compared
cp peace/run.json peace.json

# ---- signals at any moment

# A shell has its background jobs ignore interrupts, which only env can undo.
heard="env --default-signal=INT"
$heard true 2>/dev/null || heard=
# ended SIGNAL CODE FOLDER: as it may end that had this signal
ended() {
  case $2 in
  0) test "$(status_of "$3")" = finished && test "$(print_of "$3")" = "$wanted" ;;
  75) test "$1" != KILL && { test "$(status_of "$3")" = stopped ||
    { test ! -d "$3" && says 'stopped by the user before the first step'; }; } ;;
  137) # at any moment, even between its last file and its end
    test "$1" = KILL && case $(status_of "$3") in
      finished) test "$(print_of "$3")" = "$wanted" ;;
      *) test "$(status_of "$3")" != stopped ;;
    esac ;;
  129 | 130 | 143) # before it was ready to be stopped
    test "$(status_of "$3")" != finished && test "$(status_of "$3")" != stopped ;;
  *) false ;;
  esac || { echo "SIG$1: exit code $2, status $(status_of "$3")"; cat err; return 1; }
}
one_signal() {
  pick TERM HUP KILL STOP ${heard:+INT}
  signal=$drawn
  random 500
  moment=$drawn
  rm -rf hit
  $heard "$TRIREME" run $case_of $outputs --output=hit >out 2>err &
  run=$!
  sleep "0.$(printf %03d "$moment")"
  kill -"$signal" $run 2>/dev/null
  if test "$signal" = STOP; then sleep 0.02; kill -CONT $run; kill -TERM $run; fi 2>/dev/null
  wait $run 2>/dev/null
  ended "$signal" $? hit || return 1
  if test -d hit; then
    whole hit || return 1
    rm -rf hit/run.json hit/checkpoint # what is left is not a result: another run may have the folder
    "$TRIREME" run $case_of $outputs --output=hit >out 2>err
    code=$?
    sound hit $code && test $code = 0 || { cat err; return 1; }
    left=$(ls -A hit | grep '^\.trireme-')
    test -z "$left" || { echo "left behind: $left"; return 1; }
  fi
}
storm "signals" "$(count 12 1000)" one_signal

# ---- disks and limits that end at any page

size=0
limited() { (ulimit -f "$1"; shift; exec "$TRIREME" "$@") >out 2>err; } # PAGES COMMAND...
one_page() {
  size=$((size + $(count 36 4))) # of 512 or 1024 bytes
  rm -rf small page.html
  limited $size run $case_of $outputs --output=small
  sound small $? || return 1
  limited $size compare $case_of --on=openmp --runs=1 --output=small/pair
  code=$?
  test $code = 0 || { test $code = 2 && one_line err; } || { echo "compare: exit code $code"; cat err; return 1; }
  limited $size report peace.json --output=page.html
  code=$?
  test $code = 0 || { test $code = 2 && one_line err && test ! -f page.html; } ||
    { echo "report: exit code $code"; cat err; return 1; }
}
storm "file sizes" "$(count 8 80)" one_page

# ---- closed descriptors

one_closing() {
  random 8
  closed=$drawn
  rm -rf shut
  (
    case $closed in 1 | 3 | 5 | 7) exec <&- ;; esac
    case $closed in 2 | 3 | 6 | 7) exec >&- ;; *) exec >out ;; esac
    case $closed in 4 | 5 | 6 | 7) exec 2>&- ;; *) exec 2>err ;; esac
    exec "$TRIREME" run $case_of $outputs --output=shut
  )
  sound shut $?
}
storm "closed descriptors" "$(count 4 64)" one_closing

# ---- long environments

one_environment() {
  pick LD_LIBRARY_PATH LD_PRELOAD OCL_ICD_VENDORS OCL_ICD_FILENAMES PATH TMPDIR HOME XDG_CACHE_HOME TRIREME_CACHE_DIR \
    TRIREME_BACKEND_PATH TRIREME_ISA TRIREME_STEPS TRIREME_PROBE_SECONDS OMP_PLACES POCL_DEVICES LANG LOGNAME
  variable=$drawn
  pick /opt/module/lib: /a : ../ x . %s
  part=$drawn
  random 16
  value=$part
  while test $drawn -gt 0; do value=$value$value; drawn=$((drawn - 1)); done
  value=$(printf %s "$value" | head -c 100000)
  rm -rf long
  (eval "$variable=\$value"; export "$variable"
    exec "$TRIREME" run $case_of $outputs --output=long) >out 2>err
  code=$?
  grep '^trireme: error: ' err >line
  mv line err
  sound long $code
}
storm "environments" "$(count 12 400)" one_environment

# ---- variables that lead to what has no end, to a folder, or nowhere

mkdir -p places/fontconfig/conf.d places/fonts places/.fonts places/.config/fontconfig places/trireme
mkfifo pipe places/fonts.conf places/fontconfig/fonts.conf places/fontconfig/conf.d/10-pipe.conf \
  places/fonts/dots.ttf places/.fonts/dots.ttf places/.config/fontconfig/fonts.conf places/solver_one.so
truncate -s 40G endless
one_place() {
  pick FONTCONFIG_FILE FONTCONFIG_PATH FONTCONFIG_SYSROOT XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_DATA_DIRS \
    XDG_RUNTIME_DIR HOME TMPDIR TRIREME_CASES TRIREME_CACHE_DIR TRIREME_SOLVER_PATH TRIREME_BACKEND_PATH TRIREME_NVRTC \
    OMP_PLACES OMP_NUM_THREADS LANG LOCPATH TERMINFO LD_LIBRARY_PATH
  variable=$drawn
  pick /dev/zero /dev/full "$PWD/pipe" "$PWD/endless" "$PWD/places" "$PWD" /none ''
  value=$drawn
  rm -rf long
  (eval "$variable=\$value"; export "$variable"
    exec timeout -k 1 60 "$TRIREME" run $case_of $outputs --output=long) >out 2>err
  code=$?
  test $code -lt 124 || { echo "$variable=$value"; return 1; }
  grep '^trireme: error: ' err >line
  mv line err
  sound long $code
}
storm "variables that lead elsewhere" "$(count 8 200)" one_place
rm -rf endless places pipe

# ---- links of another user

# One in the place of run.json is a result that is there already.
one_link() {
  pick run.json series.csv log.txt used.conf fields.vti fields.pvd speed.png velocity.npy fields-00000100.vti
  planted=$drawn
  rm -rf trap
  mkdir -m 777 trap
  echo precious >victim
  ln -s "$PWD/victim" "trap/$planted" && chown -h 1001 "trap/$planted"
  "$TRIREME" run $case_of $outputs --output=trap >out 2>err
  code=$?
  test "$(cat victim)" = precious || { echo "$planted led to another file"; return 1; }
  rm -f "trap/$planted"
  cause='symbolic link of another user'
  test "$planted" != run.json || cause="$cause|'trap' holds earlier results \\(run.json\\)"
  case $code in 2) one_line err && says "$cause" ;; *) sound trap $code ;; esac
}
if test "$(id -u)" = 0; then storm "planted links" "$(count 4 60)" one_link
else skip "planted links" "only root can make links of another user"; fi

# ---- many at once, with an empty cache

one_crowd() {
  rm -rf crowd cache
  mkdir crowd && mkdir -m 700 cache
  i=0
  while test $i -lt "$crowd"; do
    i=$((i + 1))
    { "$TRIREME" run $case_of $crowd_on --threads=1 --output="crowd/$i" >"crowd/$i.out" 2>"crowd/$i.err"
      echo $? >"crowd/$i.code"; } &
  done
  wait
  i=0
  while test $i -lt "$crowd"; do
    i=$((i + 1))
    cp "crowd/$i.err" err
    sound "crowd/$i" "$(cat "crowd/$i.code")" && test "$(cat "crowd/$i.code")" = 0 || return 1
  done
}
crowd=30 crowd_on=
storm "30 processes at once" "$(count 1 10)" one_crowd

# ---- limits on memory

# The group of this process, and a name of the limit's file, for either version of control groups.
own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup 2>/dev/null)
group=/sys/fs/cgroup/memory$own/trireme-storm-$$ limit=memory.limit_in_bytes
if test -z "$own"; then
  group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null)/trireme-storm-$$ limit=memory.max
fi
# A surface takes memory of its own before the first buffer, which the first of these cases has not.
flat="lbm --set grid.nx=1024 --set grid.ny=1024"
body="lbm3d --set grid.nx=200 --set grid.ny=200 --set grid.nz=200 --set lbm.viscosity=0.1 --set bodies.stl=$PWD/body.stl"
awk 'function face(a, b, c) { printf "facet\nvertex %s\nvertex %s\nvertex %s\nendfacet\n", a, b, c }
  BEGIN { print "solid body"; o = "0 0 0"; x = "1 0 0"; y = "0 1 0"; z = "0 0 1"
    face(o, y, x); face(o, x, z); face(o, z, y); face(x, y, z); print "endsolid" }' >body.stl
one_limit() {
  random 360
  mebi=$((40 + drawn))
  if test $tried -le 3; then mebi=$((82 + 4 * tried)); fi # little more than the buffers
  flow=$flat
  if test $((tried % 6)) = 5; then flow=$body mebi=$((40 + drawn / 6)); fi
  echo ${mebi}M >"$group/$limit" || return 1
  pick png vti npy course none png,vti,npy,course
  rm -rf tight
  sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" \
    "$TRIREME" run $flow --steps=4 --threads=1 --formats=$drawn --output=tight >out 2>err
  code=$?
  case $code in
  0) test "$(status_of tight)" = finished ;;
  2) one_line err ;;
  *) false ;;
  esac || { echo "$mebi MiB: exit code $code"; cat err; return 1; }
}
if mkdir "$group" 2>/dev/null && test -f "$group/$limit"; then
  storm "limits on memory" "$(count 6 120)" one_limit
  rmdir "$group"
else
  rmdir "$group" 2>/dev/null
  skip "limits on memory" "no control group can be made here"
fi

# ---- what a parent hands down

one_disposition() {
  options=
  for signal in HUP INT QUIT PIPE ALRM TERM USR1 CHLD XFSZ; do
    pick ignore block default default
    options="$options --$drawn-signal=$signal"
  done
  rm -rf handed
  env $options "$TRIREME" run $case_of $outputs --output=handed >out 2>err
  sound handed $?
}
if env --block-signal=INT true 2>/dev/null; then storm "dispositions" "$(count 6 200)" one_disposition
else skip "dispositions" "this env has no --block-signal"; fi

echo "# in all: tried $all_tried, held $all_held"
done_testing
