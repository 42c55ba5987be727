# retired_words.sh - words that gave way to the field's (tests/data/retired-words.txt) do not come back, in any text of
# the tree: names, comments, messages and pages.
. "$srcdir/tests/tap.sh"

source=$(cd "$srcdir" && pwd)
list=$source/tests/data/retired-words.txt
work=$TRIREME_TEST_STATE/retired_words
rm -rf "$work"
mkdir -p "$work"

# The tracked texts; of an unpacked release all that its folders hold.
texts() {
  cd "$source" && { git ls-files 2>/dev/null || find . -type f ! -path './build*' | sed 's|^[.]/||'; } |
    grep -Ev '^(CHANGELOG[.]md|docs/journal/|docs/example-report/|tests/data/|tests/build/retired_|debian/)' |
    grep -Ev '^solvers/compressible/(cutcells/|kernels/fv_geometry)|[.](png|webp|gif|jpg|pdf|npy|gz)$'
}
told() { "$AWK" -f "$source/tests/build/retired-words.awk" "$list" "$@"; }
none() { cd "$source" && texts | xargs "$AWK" -f tests/build/retired-words.awk "$list"; }

plant() { # TEXT WORDS : a file with that text is told, with these words
  printf '%s\n' "$1" >"$work/planted.c"
  ! told "$work/planted.c" >"$work/log" && grep -Fq "$2" "$work/log" || { cat "$work/log"; return 1; }
}
spared() { # TEXT
  printf '%s\n' "$1" >"$work/planted.c"
  told "$work/planted.c"
}

check "a name with a retired word is told, with its successor" plant 'static int lbm_settle_all;' \
  'planted.c:1: lbm_settle_all has the retired word settle; write sync_state'
check "a macro too" plant '#define TRM_GHOST_SHELL 2' 'ghost_boundary'
check "and a comment" plant '/* the entrant that is compared */' 'candidate'
check "a word of two parts is none in other places" spared 'int look; int at; look = at; /* one looks at it */'
check "a longer word is another" spared 'int settler, kitchen;'
check "the list is of many words" test "$(grep -c '|' "$list")" -gt 80
check "no text has one" none

done_testing
