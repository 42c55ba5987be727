# tap.sh - TAP for tests that are shell scripts. Sourced; end with done_testing.
tap_number=0

# A script's first argument (tests/run NAME CASE) is a part of the names of the cases to be shown. All
# run, since later ones build on earlier ones; of the others, those that fail are told as remarks.
tap_part=${1-}
tap_asked() {
  case $1 in *"$tap_part"*) tap_number=$((tap_number + 1)) ;; *) return 1 ;; esac
}

# check NAME COMMAND... : passes when the command succeeds; its output is shown when it does not.
check() {
  tap_name=$1
  shift
  if tap_output=$("$@" 2>&1); then
    if tap_asked "$tap_name"; then echo "ok $tap_number - $tap_name"; fi
  else
    if tap_asked "$tap_name"; then echo "not ok $tap_number - $tap_name"
    else echo "# a case that was not asked for failed: $tap_name"
    fi
    printf '%s\n' "$*" "$tap_output" | sed 's/^/# /'
  fi
}

# check_not NAME COMMAND... : passes when the command fails.
tap_not() { ! "$@"; }
check_not() {
  tap_not_name=$1
  shift
  check "$tap_not_name" tap_not "$@"
}

skip() { # NAME REASON
  if tap_asked "$1"; then echo "ok $tap_number - $1 # SKIP $2"; fi
}

skip_all() { # REASON
  echo "1..0 # SKIP $1"
  exit 0
}

# The rest of the script runs in the long tests (make check-long) only: skip_unless_long NAME || work
skip_unless_long() {
  test -z "${TRIREME_TEST_LONG-}" || return 1
  skip "$1" "long: run by make check-long"
}

# ---- tests of the program

# ends CODE ARGUMENT... : runs it, keeps what it prints in out and err, and expects this exit code
ends() {
  tap_wanted=$1
  shift
  "$TRIREME" "$@" >out 2>err
  tap_found=$?
  test $tap_found = "$tap_wanted" || { cat out err; echo "exit code $tap_found"; return 1; }
}
# workplace NAME: an empty folder to stand in, with the planted solver and a cache of its own
workplace() {
  work=$TRIREME_TEST_STATE/$1
  build=${TRIREME%/cli/*}
  rm -rf "$work"
  mkdir -p "$work/solvers" "$work/cache"
  chmod 700 "$work/cache"
  ln -s "$build/tests/.libs/solver_plant.so" "$work/solvers/solver_plant.so"
  cd "$work" || exit 1
  TRIREME_SOLVER_PATH=$work/solvers
  TRIREME_CACHE_DIR=$work/cache
  TRIREME_ROOF=false
  export TRIREME_SOLVER_PATH TRIREME_CACHE_DIR TRIREME_ROOF
}
print_of() { sed -n 's/.*"fingerprint": *"\([0-9a-f]*\)".*/\1/p' "$1/run.json"; } # FOLDER
has() { # PATTERN [FILE]
  grep -Eq -e "$1" "${2-out}" || { echo "no match for $1 in:"; cat "${2-out}"; return 1; }
}
says() { has "$1" err; } # PATTERN
packed() { tr -d ' \n' <out; }
json_has() { packed | grep -q -e "$1" || { cat out; return 1; }; } # PATTERN, without blanks

done_testing() { echo "1..$tap_number"; }
