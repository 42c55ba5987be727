# raised.sh - in a program with raised rights (set-user-ID) the environment of whoever starts it chooses neither
# plugins nor folders: TRIREME_BACKEND_PATH, TRIREME_CACHE_DIR and HOME are not read. Needs root, to make one.
. "$srcdir/tests/tap.sh"

test "$(id -u)" = 0 || skip_all "needs root, to give a program another owner"
command -v setpriv >/dev/null || skip_all "needs setpriv (util-linux)"
source=$(cd "$srcdir" && pwd)
libraries=$FAKE_FOLDER/../../../core/.libs
test -e "$libraries/libtrireme.so.0" || skip_all "needs a shared libtrireme"
work=$(mktemp -d /tmp/trireme-raised-XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/plugins" "$work/home" "$work/lib" "$work/lib/trireme"
chmod 755 "$work" "$work/plugins" "$work/lib" "$work/lib/trireme"
chown 1:1 "$work/home"

# A program of its own, with the library moved to where other users can reach it.
cat >"$work/list.c" <<'END_OF_C'
#include <stdio.h>
#include <unistd.h>
#include "core/trireme.h"
int main(void)
{
  trm_context *context = NULL;
  const trm_backend_info *list = NULL;
  size_t count = 0;
  if (trm_context_create(NULL, &context) != TRM_OK || trm_backend_list(context, &list, &count) != TRM_OK) return 1;
  for (size_t i = 0; i < count; i++)
    printf("%s: %s: %s\n", list[i].name, trm_backend_state_text(list[i].state), list[i].reason);
  trm_context_destroy(&context);
  puts(getuid() != geteuid() ? "raised" : "not raised");
  return 0;
}
END_OF_C
cp "$libraries/libtrireme.so.0" "$work/lib"
cp "$libraries/../trireme-probe" "$work/lib/trireme"
$CC -I"$source" -o "$work/plain" "$work/list.c" "$work/lib/libtrireme.so.0" -Wl,-rpath,"$work/lib" ||
  skip_all "no program can be built here"
cp "$work/plain" "$work/raised"
chown 65534:65534 "$work/raised"
chmod 755 "$work/plain" "$work/lib"/*.so.0 "$work/lib/trireme"/*
chmod 4755 "$work/raised"
cp "$FAKE_FOLDER/../../.libs/trireme_fake.so" "$FAKE_FOLDER/../../.libs/trireme_rough.so" "$work/plugins"
chmod 644 "$work/plugins"/*

# as_user PROGRAM ARGUMENT... : as the user daemon, with an environment that points to the plugins
as_user() {
  (cd / && TRIREME_BACKEND_PATH=$work/plugins TRIREME_CACHE_DIR=$work/home/cache HOME=$work/home \
    XDG_CACHE_HOME=$work/home/xdg TRIREME_TEST_MARK=$work/home/mark TRIREME_PROBE_SECONDS= \
    setpriv --reuid=1 --regid=1 --clear-groups "$@")
}
as_user "$work/plain" >/dev/null 2>&1 || skip_all "other users cannot run programs of /tmp here"
as_user "$work/raised" 2>&1 | grep -q "^raised" || skip_all "no raised program runs here"
rm -rf "$work/home/mark" "$work/home/cache"

lists() { as_user "$work/$1" >"$work/out" 2>&1; cat "$work/out"; grep -q -e "$2" "$work/out"; }
check "a plain program finds the plugins of its user" lists plain "^fake: ready"
check "and opens them, tried first" test "$(wc -c <"$work/home/mark")" = 2
check "and keeps its notes where its user says" test -d "$work/home/cache"
rm -rf "$work/home/mark" "$work/home/cache"
check "a raised one searches the installed folder" lists raised "^openmp: "
check_not "and lists nothing of the other" grep -q -e fake -e rough -e "$work" "$work/out"
check_not "and opens nothing of it" test -e "$work/home/mark"
check_not "and writes nothing where its user points" test -e "$work/home/cache" -o -e "$work/home/xdg" -o -e "$work/home/.cache"
done_testing
