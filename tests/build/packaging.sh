# packaging.sh - what a packager does: an archive that is the same wherever it is made and builds without
# autotools, a user's and a distribution's flags, an installation below DESTDIR that can be used.
. "$srcdir/tests/tap.sh"
if skip_unless_long packaging; then done_testing; exit 0; fi

source=$(cd "$srcdir" && pwd)
work=$TRIREME_TEST_STATE/packaging
rm -rf "$work"
mkdir -p "$work/no-autotools"
archive=trireme-$(sed -n 's/^VERSION = //p' Makefile)
unset TRIREME_BACKEND_PATH
MAKEFLAGS='' MFLAGS=''
export MAKEFLAGS MFLAGS

# Tools that a user of an archive does not have: each fails loudly.
for tool in autoconf autoheader autom4te automake aclocal autoreconf libtoolize; do
  printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' $tool >"$work/no-autotools/$tool"
  chmod +x "$work/no-autotools/$tool"
done

quietly() { # LOG COMMAND... : the end of the log where the command fails
  log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || { tail -n 15 "$log"; return 1; }
}
dist_elsewhere() { # the same archive from a build tree in another folder
  mkdir -p "$work/elsewhere/deep" && cd "$work/elsewhere/deep" && "$source/configure" && "$MAKE" dist
}
unpack() { # FOLDER
  mkdir -p "$work/$1" && tar xzf "$archive.tar.gz" -C "$work/$1"
}
jobs=$(nproc 2>/dev/null || echo 2)
build() { # FOLDER CFLAGS ARGUMENT...: from the archive, without autotools, beside the sources
  here=$1 flags=$2
  shift 2
  mkdir -p "$work/$here/build" && cd "$work/$here/build" &&
    PATH="$work/no-autotools:$PATH" "../$archive/configure" --prefix=/usr CC="$CC" \
      CFLAGS="$flags" "$@" && "$MAKE" -j"$jobs" && "$MAKE" install DESTDIR="$work/$here/root"
}
fingerprint() { # FOLDER PRECISION: library and plugins lie below DESTDIR
  rm -rf "$work/$1/results-$2"
  lib=$work/$1/root/usr/lib
  LD_LIBRARY_PATH=$lib TRIREME_BACKEND_PATH=$lib/trireme "$work/$1/root/usr/bin/trireme" \
    run "$source/cases/driven-box" --steps=200 --backend=openmp --precision="$2" --roof=false \
    --formats=none --output="$work/$1/results-$2" 2>&1 |
    awk '$1 == "fingerprint" { print $2 }'
}
same_bits() { # FOLDER
  for precision in f32 f64; do
    here=$(fingerprint "$1" $precision) reference=$(fingerprint plain $precision)
    test -n "$here" && test "$here" = "$reference" ||
      { echo "$precision: '$here' and '$reference'"; return 1; }
  done
}
no_path_of_the_build() { # FOLDER
  test -x "$work/$1/root/usr/bin/trireme" && ! grep -rlF "$work" "$work/$1/root"
}
identical() { diff -r "$work/$1/root" "$work/$2/root"; }

check "make dist" quietly dist "$MAKE" dist
check "make dist from another build tree" quietly elsewhere dist_elsewhere
check "both archives are the same bytes" \
  cmp "$archive.tar.gz" "$work/elsewhere/deep/$archive.tar.gz"
check "it unpacks" unpack plain
check "it builds and installs below DESTDIR without autotools" quietly plain build plain "-O2"
check "the installed program runs" test -n "$(fingerprint plain f32)"
check "a user's flags are taken" unpack native
# The other instances name a machine of their own after -march=native: the baseline has the user's.
check "and build" quietly native build native "-O3 -march=native -funroll-loops -ffp-contract=fast" \
  --with-isa=baseline
check "strict results have the same bits with a user's flags" same_bits native

# A distribution's flags, from its own tool where there is one; two folders, one result.
hardened="-O2 -g -fstack-protector-strong -Wformat -Werror=format-security -D_FORTIFY_SOURCE=2"
for folder in debian-one debian-two; do
  check "$folder unpacks" unpack $folder
  check "$folder builds with a distribution's flags" quietly $folder build $folder \
    "$hardened -ffile-prefix-map=$work/$folder/build=. -ffile-prefix-map=../$archive=." \
    LDFLAGS="-Wl,-z,relro -Wl,-z,now" --with-isa=baseline
done
check "strict results have the same bits with a distribution's flags" same_bits debian-one
check "no path of the build is left in the installation" no_path_of_the_build debian-one
check "two builds in different folders install the same bytes" identical debian-one debian-two
check "the archive passes its own make installcheck" \
  sh -c 'cd "$0" && "$1" installcheck DESTDIR="$2"' "$work/plain/build" "$MAKE" "$work/plain/root"
rm -rf "$work"
done_testing
