# tap.sh - TAP for tests that are shell scripts. Sourced; end with done_testing.
tap_number=0

# check NAME COMMAND... : passes when the command succeeds; its output is shown when it does not.
check() {
  tap_number=$((tap_number + 1))
  tap_name=$1
  shift
  if tap_output=$("$@" 2>&1); then
    echo "ok $tap_number - $tap_name"
  else
    echo "not ok $tap_number - $tap_name"
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
  tap_number=$((tap_number + 1))
  echo "ok $tap_number - $1 # SKIP $2"
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

done_testing() { echo "1..$tap_number"; }
