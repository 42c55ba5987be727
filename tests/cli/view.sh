# view.sh - a page that shows a run: same bits, orders, and nobody but who has the key.
. "$srcdir/tests/tap.sh"
client=$(cd "$srcdir" && pwd)/tests/cli/view_client.py
workplace view
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null' EXIT
bodies="nbody --set nbody.bodies=64 --set nbody.picture=32 --set nbody.dt=1e-6 --formats=none"
box="lbm --set grid.nx=96 --set grid.ny=64 --set lbm.accel=1e-6 --formats=none"
if ! grep -q '^#define HAVE_VIEW' "$build/config.h"; then
  check "a build without libmicrohttpd refuses a view" ends 2 run $box --steps=5 --view
  check "with the cure" says 'install libmicrohttpd-dev'
  done_testing
  exit
fi
for python in python3 /usr/bin/python3; do command -v "$python" >/dev/null && break; done
"$python" -c '' 2>/dev/null || skip_all "no python3"

check "a port that is none is refused" ends 2 run $box --steps=5 --view=70000 --output=port
check "with those there are" says 'give a port from 1 to 65535'
check "a run that nobody looks at" ends 0 run $box --steps=4000 --view --output=alone
check "says its address" says 'look at http://127.0.0.1:[0-9]+/\?key=[0-9a-f]{32}$'
check "the same without a view" ends 0 run $box --steps=4000 --output=plain
check "has the same bits" test "$(print_of alone)" = "$(print_of plain)"

begin() { # FOLDER OPTION...: in the background, its address in `address`
  folder=$1; shift
  case $folder in bodies) what=$bodies ;; *) what=$box ;; esac
  "$TRIREME" run $what --output="$folder" --view "$@" >"$folder.out" 2>"$folder.err" &
  run=$!
  for wait in $(seq 900); do
    address=$(sed -n 's/.*look at //p' "$folder.err")
    test -n "$address" && return
    sleep 0.1
  done
  return 1
}
end() { wait $run; ended=$?; } # the exit code
look() { "$python" "$client" "$@"; }

begin looked --steps=100000000
check "pictures, orders and single steps" look orders "$address"
check "the page stops the run" look stop "$address"
end
check "which ends as one that was stopped" test $ended = 75
check "with its results" grep -q '"status": "stopped"' looked/run.json
steps=$(sed -n 's/^ *"steps": \([0-9]*\),*$/\1/p' looked/run.json | head -n 1)
check "a run of as many steps" ends 0 run $box --steps="$steps" --output=unseen
check "has the same bits" test "$(print_of looked)" = "$(print_of unseen)"
begin parts --steps=100000000 --devices=openmp,openmp*2
check "pictures and orders of a run on two parts" look orders "$address"
check "the page stops it" look stop "$address"
end
steps=$(sed -n 's/^ *"steps": \([0-9]*\),*$/\1/p' parts/run.json | head -n 1)
check "a run of as many steps on one device" ends 0 run $box --steps="$steps" --output=one
check "has its bits" test $ended = 75 -a "$(print_of parts)" = "$(print_of one)"
begin diverging --steps=100000000 --set output.colours=diverging
check "zero has the middle colour in every range that holds it" look middle "$address"
check "and the page stops that run" look stop "$address"
end
begin guarded --steps=100000000
check "one socket, of this machine alone" look socket "$address" $run
check "200 requests without the right to ask are refused" look hostile "$address"
check "a slow and a silent client do not stop the others" look slow "$address"
check "nor do many slow ones that never end" look crowd "$address"
check "the page gives no cookie" look cookie "$address"
kill -TERM $run
end
check "which ends as one that was stopped" test $ended = 75
begin paused --steps=100000000 --for=6s
check "a paused run" look pause "$address"
kill -USR1 $run
kept() { for i in $(seq 40); do ls paused/checkpoint/step-* >/dev/null 2>&1 && return; sleep 0.1; done; return 1; }
check "keeps its state when it is told to" kept
check "while it is paused" look paused "$address"
end
check "and ends when its time is over" test $ended = 75
check "with its results" grep -q '"status": "stopped"' paused/run.json
begin hurried --steps=100000000 --checkpoint-every=1s
check "a paused run with checkpoints" look pause "$address"
check "keeps its state without being told" sh -c 'sleep 2; ls hurried/checkpoint/step-*'
kill -TERM $run
end
check "and hears a signal" test $ended = 75
begin bodies --steps=100000000
check "colours by the logarithm begin above zero" look logarithm "$address"
kill -TERM $run
end
done_testing
