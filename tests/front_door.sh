# front_door.sh - what a newcomer meets first is true: the pages at the root, the layout of files, and
# the recipes of packages. front_door.py reads them; the Debian packages are built in the long tests.
. "$srcdir/tests/tap.sh"
python=$(command -v python3) || skip_all "there is no python3; install python3 and python3-yaml"
source=$(cd "$srcdir" && pwd)
build=$PWD
has_yaml() { "$python" -c 'import yaml' 2>/dev/null; }
holds() { (cd "$source" && "$python" tests/front_door.py "$1"); }
holds_yaml() { # NAME WHAT
  if has_yaml; then check "$1" holds "$2"; else skip "$1" "python3 has no yaml; install python3-yaml"; fi
}

check "every file is laid out as .editorconfig says" holds editorconfig
check "the glossary has two lines a word, in order" holds glossary
check "the changelog has the form of Keep a Changelog" holds changelog
check "every file that a page or a comment names is there" holds names
check "no comment was broken by a formatter" holds comments
# make gives the tests NAME and NAME.sh one log, and runs the first alone
logs_are_twice() { "$srcdir/tests/run" | sed 's/[.]sh$//' | sort | uniq -d | grep .; }
check_not "two tests have one log" logs_are_twice
check "every test that CONTRIBUTING names is there" holds contributing
check "docs/versions.md has today's number of each binary interface" holds abi
check "who includes whom is as docs/design.md draws it" holds rooms
# Machines differ: only hosted checks hold the figure against the clock.
if test -n "${CI-}" && test -s processor-seconds; then
  TRIREME_BUILD_SECONDS=$(cat processor-seconds)
  export TRIREME_BUILD_SECONDS
fi
check "one page says how long the build takes, and it takes so long" holds build_time
check "quickstart, docs/install.md and Debian install the libraries that configure asks for" holds debian_packages
check "the Debian packages have their parts, and this version" holds debian
check "the Spack recipe has configure's libraries and options" holds spack
check "the container's build is quickstart" holds containerfile
holds_yaml "the citation has what it needs, and this version" citation
holds_yaml "the hosted CI calls .ci/run and nothing else" workflow

# ---- the Debian packages: built from a copy, then the program that lies in them runs

work=$TRIREME_TEST_STATE/front_door
needed="dpkg-buildpackage dh chrpath"
missing=$(for tool in $needed; do command -v $tool >/dev/null || echo $tool; done)
if skip_unless_long "the Debian packages build"; then done_testing; exit 0; fi
if test -n "$missing"; then
  skip "the Debian packages build" "there is no $(echo $missing); install build-essential debhelper chrpath"
  done_testing
  exit 0
fi
rm -rf "$work"
mkdir -p "$work/deb/trireme" "$work/root"

copy_of_the_tree() {
  env -u MAKEFLAGS -u MFLAGS "$MAKE" distdir distdir="$work/dist" && mv "$work/dist" "$work/deb/trireme-tree" &&
    rmdir "$work/deb/trireme" && mv "$work/deb/trireme-tree" "$work/deb/trireme"
}
packages_build() {
  (cd "$work/deb/trireme" && unset MAKEFLAGS MFLAGS CC &&
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc 2>/dev/null || echo 2)" \
      dpkg-buildpackage -b -us -uc >"$work/build.log" 2>&1) ||
    { tail -n 20 "$work/build.log"; return 1; }
}
unpacked() {
  for package in "$work"/deb/*.deb; do dpkg-deb -x "$package" "$work/root" || return 1; done
}
fingerprint() { # PROGRAM
  rm -rf "$work/results"
  "$1" run "$source/cases/driven-box" --steps=200 --backend=openmp --roof=false --formats=none \
    --output="$work/results" 2>&1 | awk '$1 == "fingerprint" { print $2 }'
}
same_bits() {
  library=$(dirname "$(find "$work/root/usr/lib" -name 'libtrireme.so.*' -type l | head -n 1)")
  ours=$(fingerprint "$build/cli/trireme")
  theirs=$(LD_LIBRARY_PATH=$library TRIREME_BACKEND_PATH=$library/trireme \
    fingerprint "$work/root/usr/bin/trireme")
  test -n "$ours" && test "$ours" = "$theirs" || { echo "'$theirs' is not '$ours'"; return 1; }
}
no_errors_of_lintian() {
  lintian --no-tag-display-limit "$work"/deb/*.changes >"$work/lintian.log" 2>&1
  ! grep '^E:' "$work/lintian.log"
}

check "the tree is copied as make dist has it" copy_of_the_tree
check "the Debian packages build" packages_build
check "each package of debian/control is there" \
  test "$(ls "$work"/deb/*.deb 2>/dev/null | grep -vc dbgsym)" = "$(grep -c "^Package:" "$source/debian/control")"
check "they unpack" unpacked
check "the program in them runs a case to the same bits" same_bits
if command -v lintian >/dev/null; then check "lintian finds no error" no_errors_of_lintian
else skip "lintian finds no error" "there is no lintian; install lintian"
fi
rm -rf "$work/root" "$work/deb/trireme"
done_testing
