# manual.sh - the man pages and the completions say what the program and its header say.
. "$srcdir/tests/tap.sh"

page=cli/trireme.1 library=core/trireme.3 completion=cli/completion/trireme

# plain FILE: a page as a reader sees it, on one line, without hyphens at line ends
plain() { sed 's/\\-/-/g; s/\\f[BIR]//g; s/\\&//g; s/\\e/\\/g' "$1"; }

missing_from() { # FILE WORD...: words that the file lacks, one a line; fails where there are any
  file=$1
  shift
  plain "$file" >"$TRIREME_TEST_STATE/manual"
  status=0
  for word in "$@"; do
    grep -qF -- "$word" "$TRIREME_TEST_STATE/manual" || { echo "$file lacks $word"; status=1; }
  done
  return $status
}
# the variables of the options that stand for a key
options_of_keys() {
  sed -n 's/^  {"\([-a-z]*\)", [^,]*, "[a-z._]*", COMMAND.*/\1/p' "$srcdir/cli/arguments.c" | tr 'a-z-' 'A-Z_' | sed 's/^/TRIREME_/'
}
complete() { # COMMAND WORD... : what bash would offer
  PATH=$work/bin:$PATH bash -c 'compopt() { :; }; . "$0"; COMP_LINE="trireme $*"; COMP_POINT=${#COMP_LINE}; _trireme
    printf "%s\\n" "${COMPREPLY[@]}" | sort -u | paste -s -d " " -' "$completion" "$@"
}
offers() { # EXPECTED WORD...
  expected=$1
  shift
  offered=$(complete "$@")
  test "$offered" = "$expected" || { echo "offered: $offered"; return 1; }
}

work=$TRIREME_TEST_STATE/manual-bin
mkdir -p "$work/bin"
ln -sf "$TRIREME" "$work/bin/trireme"
if ! test -f $page; then skip_all "built for another machine: no page of the program was made"; fi

# An older installation of this program may lie where solvers are sought.
beside_another() {
  mkdir -p "$work/installed" && cp solvers/.libs/solver_lbm.so "$work/installed/" &&
    TRIREME_SOLVER_PATH=$work/installed cli/manual man >"$work/beside.1" && cmp "$work/beside.1" $page
}
check "the page is made where another program's solvers are installed" beside_another

names=$("$TRIREME" --help | sed -n 's/^  \([a-z][-a-z]*\) .*/\1/p')
check "the program names its commands" test -n "$names"
for name in $names; do
  check "every option of $name is in the page" missing_from $page "trireme $name" \
    $("$TRIREME" "$name" --help | sed -n 's/^  \(--[-a-z]*\).*/\1/p')
  "$TRIREME" completion words -- "$name" -- >"$TRIREME_TEST_STATE/words"
  check "every option of $name is offered by the completion" missing_from "$TRIREME_TEST_STATE/words" \
    $("$TRIREME" "$name" --help | sed -n 's/^  \(--[-a-z]*\).*/\1/p')
done
check "every key of every solver is in the page" missing_from $page \
  $("$TRIREME" solvers | awk '/^[a-z]/ { print $1 }' | while read -r solver; do
    "$TRIREME" solvers "$solver" | sed -n 's/^  \([a-z]*\.[a-z_]*\) .*/\1/p'; done)
check "every variable that the sources read is in the page" missing_from $page \
  $(grep -rhoE '"TRIREME_[A-Z_]+"' "$srcdir/core" "$srcdir/cli" "$srcdir/run" "$srcdir/io" "$srcdir/comm-mpi" \
    "$srcdir/solvers" "$srcdir"/backend-*/*.c | tr -d '"' | sort -u | grep -v '^TRIREME_LIBRARY_DIR$')
check "and every one that stands for an option" missing_from $page $(options_of_keys)

# and the other way round: what the page has, there is
only_in() { # FILE WORD...: words that the file lacks though the page has them
  file=$1
  shift
  for word in "$@"; do grep -qxF -e "$word" "$file" || { echo "the page has $word"; return 1; }; done
}
heads() { awk '/^\.TP/ { getline; print }' $page | sed 's/\\-/-/g; s/\\fB//; s/\\fR.*//; s/\\&//g; s/=$//'; }
state=$TRIREME_TEST_STATE
for name in $names; do "$TRIREME" "$name" --help; done | sed -n 's/^  \(--[-a-z]*\).*/\1/p' >"$state/options"
"$TRIREME" solvers | awk '/^[a-z]/ { print $1 }' | while read -r solver; do "$TRIREME" solvers "$solver"; done |
  sed -n 's/^  \([a-z]*\.[a-z_0-9]*\) .*/\1/p' | sort -u >"$state/keys"
{
  options_of_keys
  grep -rhoE '"(TRIREME|OMP|GOMP|NO)_[A-Z_]+"' "$srcdir/core" "$srcdir/cli" "$srcdir/run" "$srcdir/io" "$srcdir/comm-mpi" \
    "$srcdir/solvers" "$srcdir"/backend-* --include='*.c' --exclude=surroundings.c | tr -d '"'
} >"$state/variables"
check "the page has no option that is none" only_in "$state/options" $(heads | grep -e '^--')
check "nor a key" only_in "$state/keys" $(heads | grep -E '^[a-z]+\.[a-z_0-9]+$')
check "nor a variable" only_in "$state/variables" $(heads | grep -E '^[A-Z]+_[A-Z_]+$')
tells_all() {
  while read -r key; do "$TRIREME" help "$key" | grep -q "^  $key " || { echo "nothing of $key"; return 1; }; done <"$state/keys"
}
check "help tells every key" tells_all
check "and what a command takes" sh -c '"$TRIREME" help movie >"$0" && "$TRIREME" movie --help | diff "$0" -' "$state/help"
check "another word is refused with the nearest" sh -c '"$TRIREME" help lbm.omgea 2>"$0"; test $? = 2 &&
  grep "no command, no solver and no key; the nearest is .lbm.omega.;" "$0"' "$state/help"
check "and more than one" sh -c '"$TRIREME" help run compare 2>"$0"; test $? = 2 && grep "compare. as well; leave that out" "$0"' "$state/help"
check "every command is in docs/program.md" missing_from "$srcdir/docs/program.md" \
  $(for name in $names; do echo "\`$name"; done)
check "every function of the header is in the library's page" missing_from $library \
  $(sed -n 's/^TRM_API .*[ *]\(trm_[a-z_]*\)(.*/\1/p' "$srcdir/core/trireme.h")

if command -v man >/dev/null 2>&1; then
  for each in $page $library; do
    check "man shows $each without a complaint" \
      sh -c 'LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$0" 2>&1 >/dev/null | { ! grep .; }' "./$each"
  done
else
  skip "man shows the pages without a complaint" "man is missing (Debian: man-db)"
fi

if command -v bash >/dev/null 2>&1; then
  check "a command is completed" offers run ru
  check "an option is completed" offers --precision= run --prec
  check "choices are completed" offers "f32 f64" run --precision=f
  check "with a blank too" offers "f32 f64" run --precision f
  check "a key is completed" offers nbody.theta= run --set nbody.thet
  check "and after '='" offers "grid.nx= grid.ny= grid.nz=" run --set=grid.n
  check "one of many" offers lbm.inflow_table= run --set lbm.inflow_t
  check "of its choices" offers hllc run --set shallow.scheme=h
  check "of the solver that is named" offers "bgk regularised trt" run lbm --set lbm.collision=
  check "what may be left out or is a number" offers terminal run --view=
  check "and of a switch" offers "false true" compare --vary=run.roof=
  check "backends and devices" offers "openmp openmp:0" run --backend=openm
  check "where several are asked for" offers "openmp openmp:0" compare box --on openm
  check "and where several share a run" offers "openmp openmp:0" run --devices=openm
  check "and where one is tuned for" offers "openmp openmp:0" tune --device=openm
  check "what help tells of" offers "shallow.scheme" help shallow.sch
  check "a solver too" offers lbm3d help lbm3
  check "help itself" offers help hel
  check "cases" offers "bristol-1024x1024 bristol-128x128 bristol-128x256 bristol-256x256" run bris
  check "and solvers" offers shallow study shal
  check "a solver of 'solvers'" offers nbody solvers nb
  check "a shell" offers fish completion fi
  check "an exercise" offers "bristol-1 bristol-2 bristol-3" exercise bris
  check "an option of another command is not offered" offers "" bench --precision
else
  skip "completion" "bash is missing"
fi
for shell in zsh fish; do
  script=cli/completion/trireme.fish
  test $shell = zsh && script=cli/completion/_trireme
  if command -v $shell >/dev/null 2>&1; then check "$shell reads its script" $shell -n $script
  else skip "$shell reads its script" "$shell is missing"
  fi
done
fishes() { # EXPECTED LINE
  offered=$(PATH=$work/bin:$PATH fish -c 'source $argv[1]; complete -C $argv[2]' cli/completion/trireme.fish "$2" |
    sort -u | paste -s -d ' ' -)
  test "$offered" = "$1" || { echo "offered: $offered"; return 1; }
}
if command -v fish >/dev/null 2>&1; then
  check "fish offers commands" fishes "report run" "trireme r"
  check "and values" fishes "--precision=f32 --precision=f64" "trireme run --precision=f"
  check "and cases" fishes "driven-box" "trireme run driv"
fi
check "another shell is refused" tap_not "$TRIREME" completion tcsh
done_testing
