# library_symbols.sh - what the shared library shows and takes, and what the program does not show.
. "$srcdir/tests/tap.sh"
library=run/.libs/libtrireme-run.so
program=cli/.libs/trireme
test -f "$program" || program=cli/trireme
nm -D --defined-only "$library" >/dev/null 2>&1 ||
  { skip "what the library shows" "nm cannot read $library"; done_testing; exit 0; }

shown() { nm -D --defined-only "$1" | "$AWK" '$3 !~ /^_/ { print $3 }'; }
only_its_own() {
  shown "$library" | grep -v '^trm_run_' && return 1
  shown "$library" | grep -q '^trm_run_open$'
}
as_the_header_says() { # every function of the header, and no other
  grep -o 'trm_run_[a-z_]*(' "$srcdir/run/trireme-run.h" | tr -d '(' | sort -u >library.header
  shown "$library" | sort -u | diff library.header - && rm library.header
}
# A library leaves standard streams, signals, the environment and the end of the process alone.
takes() { nm -D --undefined-only "$library" | sed 's/@.*//' | "$AWK" '{ print $NF }' | grep -xE "$1"; }
check "the library shows its own functions only" only_its_own
check "those of its header" as_the_header_says
check_not "it prints nothing" takes '(__)?(v?printf|puts|putchar|perror)(_chk)?|stdout|stderr'
check_not "and ends nothing" takes 'exit|_exit|quick_exit|abort|__assert_fail|raise|kill'
check_not "and catches no signal" takes 'signal|sigaction|sigprocmask|bsd_signal|sysv_signal'
check_not "and sets no variable" takes 'setenv|unsetenv|putenv|clearenv'
exports_nothing() { nm -D --defined-only "$program" | grep -E ' (trm|trmi|grid)_' && return 1; return 0; }
check "the program shows no function that a plugin could need" exports_nothing
check "what it takes can be seen" takes 'trm_device_open'
done_testing
