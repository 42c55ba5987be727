# manual.sh - the man pages and bash's completion say what the program and its header say.
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
complete() { # COMMAND WORD... : what bash would offer
  bash -c 'compopt() { :; }; . "$0"; COMP_WORDS=(trireme "$@"); COMP_CWORD=$#; _trireme; echo "${COMPREPLY[*]}"' \
    "$completion" "$@"
}
offers() { # EXPECTED WORD...
  expected=$1
  shift
  offered=$(complete "$@")
  test "$offered" = "$expected" || { echo "offered: $offered"; return 1; }
}

if ! test -f $page; then skip_all "built for another machine: no page of the program was made"; fi

names=$("$TRIREME" --help | sed -n 's/^  \([a-z][-a-z]*\) .*/\1/p')
check "the program names its commands" test -n "$names"
for name in $names; do
  check "every option of $name is in the page" missing_from $page "trireme $name" \
    $("$TRIREME" "$name" --help | sed -n 's/^  \(--[-a-z]*\).*/\1/p')
  check "every option of $name is offered by the completion" missing_from $completion \
    $("$TRIREME" "$name" --help | sed -n 's/^  \(--[-a-z]*\).*/\1/p')
done
check "every key of every solver is in the page" missing_from $page \
  $("$TRIREME" solvers | awk '{ print $1 }' | while read -r solver; do
    "$TRIREME" solvers "$solver" | sed -n 's/^  \([a-z]*\.[a-z_]*\) .*/\1/p'; done)
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
  check "choices are completed" offers "f32 f64" run --precision = f
  check "a key is completed" offers nbody.theta= run --set nbody.thet
  check "an option of another command is not offered" offers "" bench --precision
else
  skip "completion" "bash is missing"
fi
done_testing
