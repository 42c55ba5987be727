# report.sh - a report is made from stored results alone, says what they say, and refuses what it cannot read.
. "$srcdir/tests/tap.sh"

data=$(cd "$srcdir/tests/data/report" && pwd)
work=$TRIREME_TEST_STATE/report
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
# nothing may run: no backend is to be found
backends=${TRIREME_BACKEND_PATH-}
TRIREME_BACKEND_PATH=/nonexistent
export TRIREME_BACKEND_PATH

says() { # TEXT FILE: the text stands in it, whatever the line breaks
  tr '\n' ' ' <"$2" | grep -qF -e "$1" || { echo "no '$1' in:"; cat "$2"; return 1; }
}
lacks() { # TEXT FILE: a file that is there without it
  test -s "$2" || { echo "no $2"; return 1; }
  ! grep -qF -e "$1" "$2" || { grep -F -e "$1" "$2"; return 1; }
}
refused() { # TEXT ARGUMENT...
  text=$1
  shift
  ends 2 report "$@" -o refused.html && says "$text" err && test ! -e refused.html
}
section() { sed -n "/^## $1\$/,/^## /p" report.md; } # TITLE
section_lacks() { ! section "$1" | grep -F -e "$2"; }
section_says() { section "$1" | grep -qF -e "$2" || { echo "no '$2' in:"; section "$1"; return 1; }; }

# ---- a comparison on a GPU: known numbers, written by hand
check "a comparison is reported" ends 0 report --again "$data/compare.json"
check "the page's name is told" says report.html out
check "with its Markdown" test -s report.md
check "its figures" test -s report-speed.svg
check "and its tables" test -s report-speeds.csv
check "the verdict has ratio and interval" \
  section_says Verdict "cuda:0 is 20 times as fast as openmp:0 (19 to 21 with 94 % confidence)"
check "and the agreement" section_says Verdict "All results that must be identical are identical, bit for bit"
check "speeds are exact in the CSV" \
  says "openmp:0,Some CPU,1024 x 1024,5,500,490,510,1,,,2097.152,36,0.9" report-speeds.csv
check "their headings are names" grep -q \
  '^run_on,device,cells,runs,M_updates_s,least,most,ratio,from,to,us_a_step,GB_s,of_copy$' report-speeds.csv
check "the roofline has the device's roof" section_says Roofline "Roofline plot with 2 series"
check "energy is told where it was measured" section_says Energy "0.035"
check "and the reason where not" section_says Energy "No such file"
check "fairness: threads" section_says Fairness "Threads: openmp:0 used 8 of the 16 processors"
check "fairness: clocks" section_says Fairness "slowed by heat"
check "fairness: ECC" section_says Fairness "ECC: the memory of cuda:0 is checked"
check "fairness: other load" section_says Fairness "other processes kept 3.00 of 16 processors busy"
check "fairness: governor" section_says Fairness "governor 'powersave'"
check "with the clocks" section_says Fairness "Processor clocks: 2000 to 3000 MHz right after the runs; governor 'powersave'"
check "the verdict counts the warnings" \
  section_says Verdict "The comparison is not fair in 4 respects"
sed -e 's/"create": 0.1,/"create": 0.6,/' -e '0,/"create": 0.6,/s//"create": 0.1,/' \
  -e '0,/"values": {}/s//"values": {}, "tuned": {"kept": false, "values": "", "used": false}/' \
  "$data/compare.json" >whole.json
check "a whole run" ends 0 report --again whole.json
check "has its ratio beside that of the loop" \
  section_says Fairness "3.12 with its kernels built anew, 10.7 with kernels from the cache; in the loop alone 20"
check "and the steps from which it is ahead" section_says Fairness "it is ahead from 251 steps on"
check "whether a side is tuned" section_says Fairness "Tuned by 'trireme tune': openmp:0 no."
sed 's/"processor": /"stolen_part": 0.02, "machine": {"virtual": true, "vendor": "Acme Clouds",'\
'"sockets": 1, "threads_per_core": 2, "memory_nodes": null, "last_cache": {"bytes": 314572800, "processors": 2}}, &/' \
  "$data/compare.json" >slice.json
check "a slice of a machine" ends 0 report --again slice.json
check "is a virtual one" section_says Fairness "Machine: a virtual machine (Acme Clouds). Its 2 processors share"
check "with a cache of a larger chip" section_says Fairness "a last cache of 300 MiB, so that they may be a part"
check "its layout" section_says Fairness "1 socket, 2 threads a core, memory nodes not known; as shown by the"
check "and the time that its host took" section_says Fairness "Steal: the host took 2 %"
sed 's/"processor": /"machine": {"virtual": true, "chip_cores": "48"}, &/' "$data/compare.json" >chip.json
check "a chip whose cores a user gave" ends 0 report --again chip.json
check "has its largest speed" section_says Fairness 'Chip: 48 cores (given by TRIREME\_CHIP\_CORES), 3 times the 16 here'
sed 's/"chip_cores": "48"/"chip_cores": "4x"/' chip.json >chip-wrong.json
check "a number that is none" ends 0 report --again chip-wrong.json
check "is told" section_says Fairness "=4x is not used. Give the number of the chip's cores, 16 or more"
check "a comparison again" ends 0 report --again "$data/compare.json"
check "how to repeat it" \
  section_says "How to do it again" "trireme compare 'results/x/used.conf' --on='openmp,cuda' --runs=5"
for title in "Size sweep" Scaling Ladder; do
  check "without data, $title says what to run" section_says "$title" 'trireme '
done

sed -e 's/"processor": /"instruction_set": "v4", "processor": /' \
  -e 's/"flags": /"instruction_sets": "baseline v3", "flags": /' "$data/compare.json" >old-set.json
check "kernels built for less than the processor has" ends 0 report --again old-set.json
check "are named" section_says Fairness "this processor has instruction set v4"

# ---- differences
check "results that differ are reported" ends 0 report --again "$data/differ.json"
check "with a warning" section_says Verdict "1 of the results differ where they must not"
check "their growth" test -s report-growth.svg
check "their distances" says '% of the values' report-distances-2.svg
check "and their map" says 'not finite' report-map-2.svg
check "text of others is escaped" lacks '<script>' report.html
check "wherever it stands" lacks '<script>' report-speed.svg

# ---- sweeps with a known answer: a crossover at 10^4 cells, and 4 threads of half the efficiency
check "a sweep is reported" ends 0 report --again "$data/sweep.json"
check "with the crossover" \
  section_says "Size sweep" "cuda:0 wins over openmp:0 threads=8 above about 10000 cells (100 x 100)"
check "with the ratio of the peaks" \
  section_says "Size sweep" "PPR 2 (peaks at 40000 cells, the largest size measured, and 2500 cells; 2 to 2 with 94 % confidence)"
check "and the size at which the GPU beats the peak" section_says "Size sweep" "PRC 10000 cells (100 x 100): from there on"
check "and the scaling" \
  section_says Scaling "8 threads run at 4 times the speed of 1 thread (50 % parallel efficiency)"

check "a candidate that failed is not forgotten" \
  section_says Verdict "opencl:0 (200 x 200 cells) did not run: the device was lost"

# ---- several devices
check "several devices that share a run" ends 0 report --again "$data/devices.json"
check "what each number of them gains, and what sharing costs" \
  section_says Scaling '| devices:2 devices=(cuda:0,cuda:1) f32 | 2 | 555.556 | 1.800 | 90.0 % | 55.556 | - |'
check "each precision against its own" \
  section_says Scaling '| 4 | 833.333 | 2.400 | 60.0 % | 333.333 | - |'
check "the part of time that moved rows" section_says Scaling '| 60.0 % | 166.667 | 25.0 % |'
check "drawn, with no device between two whole numbers" lacks '>0.5</text><line' report-devices.svg
check "a line for each precision" says 'box f64' report-devices.svg

# Of the two devices one becomes another kind, which ran nowhere alone.
sed 's/"cuda:0, cuda:1"/"cuda:0, opencl:0"/' "$data/devices.json" >mixture.json
check "unlike devices, of which one was not run alone" ends 0 report --again mixture.json
check "have no parallel efficiency" \
  section_says Scaling '| devices:2 devices=(cuda:0,cuda:1) f32 | 2 | 555.556 | 1.800 | - | - | - |'
check "and the report says why" \
  section_says Scaling 'perfect speed-up of devices:2 devices=(cuda:0,cuda:1) f32 is unknown: opencl:0 was not run alone'
check "so no line says it of the most of them" section_lacks Scaling '% parallel efficiency'
check "while like ones have theirs" section_says Scaling '| 4 | 833.333 | 2.400 | 60.0 % | 333.333 | - |'

# ---- a profile
check "a profile is reported" ends 0 report --again "$data/run-b.json"
check "with its kernels" section_says "Where the time goes" "lbm\_step"
check "and the peak that the profile measured" \
  says "cuda:0: 4000 GB/s, 60 TFLOP/s" report-roofline.svg

# ---- a bench beside a comparison
printf '%s' '{"schema": 2, "trireme": "0.1.0", "kind": "bench", "devices": [{"device":' \
  '{"id": "openmp:0", "name": "Some CPU"}, "fma_f32": {"median": 1e12, "most": 2e12}}]}' >bench.json
check "a bench beside it" ends 0 report --again "$data/compare.json" bench.json
check "gives the peak of its device" says 'GB/s, 2 TFLOP/s' report-roofline.svg
check "and the command of it" section_says "How to do it again" 'trireme bench --json'
check "energy is drawn where it was measured" lacks 'openmp:0' report-energy.svg

# ---- a ladder
check "a study is reported" ends 0 report --again "$data/study.json"
check "with its implementations" section_says Ladder "resident"
check "the verdict has the fastest implementation against the foot, and the last where that is another" section_says Verdict \
  "the fastest implementation, 'resident', is 10 times as fast as the first (9 to 11 with 94 % confidence); the last implementation, 'swapped', 8.1 times."
check "and their reasons" section_says Ladder "transfers: +900"
check "a ratio beside a time that rose is marked as noise" says ",1.081," report-ladder-1.csv
check "in the table that is read" section_says Ladder "| 1.081 ~ |"
check "one that is clear is not" section_says Ladder "| 10.000 |"
check "a part larger than its whole is marked" section_says Ladder \
  "bytes: +1.16e+03 µs (declared; more than the whole step of 100 µs"
check "one within it is not" section_says Ladder "launches: -100 µs (measured)"
of_ladder() { # INTERVALS RATIOS: the study with these ratios to the first; a fourth row has the first of them
  python3 -c 'import copy, json, sys
one = json.load(open(sys.argv[1]))
rows = one["ladders"][0]["rungs"][:3]
rows.append(dict(copy.deepcopy(rows[1]), name="noisy"))
order = [rows[3], rows[1], rows[2]]
for row, span, ratio in zip(order, json.loads(sys.argv[2]), json.loads(sys.argv[3])):
    row.update(total_ratio_interval=span, total_ratio=ratio)
if json.loads(sys.argv[3])[0] == 1: rows.pop()
one["ladders"][0]["rungs"] = rows
json.dump(one, open("ladder.json", "w"))' "$data/study.json" "$1" "$2" && ends 0 report --again ladder.json
}
of_node() { # ENERGY...: the comparison whose sides took so much of the whole machine
  python3 -c 'import json, sys
one = json.load(open(sys.argv[1]))
for side, energy in zip(one["contenders"], sys.argv[2:]): side["node_energy"] = json.loads(energy)
json.dump(one, open("node.json", "w"))' "$data/compare.json" "$@" && ends 0 report --again node.json
}
of_runs() { # COUNT: the comparison with so many runs of each
  python3 -c 'import json, sys
one = json.load(open(sys.argv[1]))
for each in one["contenders"]: each["runs"] = each["runs"][:int(sys.argv[2])]
json.dump(one, open("few.json", "w"))' "$data/compare.json" "$1" && ends 0 report --again few.json
}
if command -v python3 >/dev/null; then
  check "a ladder whose largest ratio is noise" of_ladder "[[0.8, 2], [9, 11], [7, 12]]" "[12, 10, 8.1]"
  check "has the fastest of those that are shown" section_says Verdict "the fastest implementation, 'resident', is 10 times"
  check "one on which all are slower" of_ladder "[[1, 1], [0.7, 0.8], [0.8, 0.9]]" "[1, 0.75, 0.85]"
  check "has none that is faster" section_says Verdict "no implementation could be shown to be faster than the first; 'swapped' ran at 0.85"
  check "the energy of a whole machine" of_node '{"packages": 6e-10, "memory": null, "boards": 2.4e-9,
    "joules_per_update": 3e-9, "idle_part": 0.35, "idle_seconds": 2, "missing": {"memory": "no counter"}, "sampling": "Seldom"}'
  check "is said with its parts" section_says Fairness "3 nJ an update (packages 0.6, memory not known (no counter), boards 2.4); idle parts 35 % (measured for 2 s before the runs). Power supply and fans are not counted. Seldom."
  check "one without counters" of_node '{"packages": null, "memory": null, "boards": null, "joules_per_update": null,
    "missing": {"packages": "A", "memory": "B", "boards": "C"}}'
  check "has the reasons" section_says Fairness "Energy of the node: not known: packages not known (A), memory not known (B), boards not known (C)."
  none='{"packages": null, "memory": null, "boards": null, "joules_per_update": null, "missing": {"packages": "A"}}'
  check "a side without counters before one that has them" of_node "$none" '{"packages": 6e-10, "memory": null, "boards": null,
    "joules_per_update": 6e-10, "missing": {}}'
  check "has a line" section_says Fairness "Energy of the node with openmp:0: not known: packages not known (A)"
  check "as has the other" section_says Fairness "Energy of the node with cuda:0: 0.6 nJ an update"
  check "two without them for the same reasons" of_node "$none" "$none"
  check "have one line" test "$(section Fairness | grep -c 'Energy of the node')" = 1
  check "a comparison of three runs" of_runs 3
  check "has no verdict" section_says Verdict "with 75 % confidence): too few runs to show a difference; --runs=5 gives 94 %"
  check "nor of two" of_runs 2
  check "at 50 %" section_says Verdict "with 50 % confidence): too few runs"
fi

# ---- several files
check "an older file is read" ends 0 report --again "$data/old.json"
check "which says what it lacks" section_says Fairness "of schema 1"
check "runs of two machines" ends 0 report --again "$data/run-a.json" "$data/run-b.json"
check "are told apart" section_says Speed "there cuda:0"
check "as is their distance in time" section_says Fairness "commands of their own"
check "one bit of difference in a strict run is seen" section_says Agreement DIFFERS
sed 's/"written": "2026/"written": "2027/' "$data/run-a.json" >later.json
check "the same run at two times is a sample" ends 0 report --again "$data/run-a.json" later.json
check "of two" section_says Speed "| 2 | 100.0"
check "one file twice" ends 0 report --again "$data/run-a.json" "$data/run-a.json"
check "is one run" section_says Speed "| 1 | 100.0"
of_version_2() { # FINGERPRINT: the second run as this version writes it
  sed -e 's/"schema": 2/"schema": 4/' -e "s/f\{32\}/$1/" "$data/run-b.json" >"version-2-$1.json"
}
of_version_2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
of_version_2 bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
check "runs of fingerprints of two versions" ends 0 report --again "$data/run-a.json" version-2-*.json
check "are not compared" section_says Agreement "aaaaaaaa | here openmp:0 | not known |"
check "and the page says why" section_says Agreement "Fingerprints of version 1 and 2 cannot be compared"
check "those of one version are, though another file is first" section_says Verdict "1 of the results differ where they must not"
check "with each other" section_says Agreement "bbbbbbbb | there cuda:0 | DIFFERS |"
check "runs of one version" ends 0 report --again version-2-*.json
check "need no such line" section_lacks Agreement "cannot be compared"
check "different cases are refused" \
  refused "lbm.omega 1.7 and 1.8" "$data/run-a.json" "$data/other.json"
check "with what helps" says "--mixed" err
check "and reported when asked for" ends 0 report --again "$data/run-a.json" "$data/other.json" --mixed
check "with a warning" section_says Verdict "different cases"

# ---- one case in two sizes, as the course has them: files and keys of their own
of_size() { # N CELLS OMEGA WORD...: the comparison in another size; the command has these words more
  size=$1 cells=$2 omega=$3 && shift 3
  sed -e "s/1024 x 1024 cells/$size x $size cells/" -e "s/1048576\.0/$cells/" \
    -e "s/\(\"grid.n[xy]\": \)1024/\1$size/" -e "s/\(\"lbm.omega\": \)1.7/\1$omega/" \
    -e "s/walls.dat/walls_${size}x$size.dat/" -e "s/\"box\",\$/\"box-${size}x$size\",/" \
    -e "s/\"command\": \[/&$*/" "$data/compare.json" >"size-$size.json"
}
of_size 128 16384 1.7
of_size 256 65536 1.7
check "two sizes of a case are one report" ends 0 report --again size-128.json size-256.json
check "a ratio for each" \
  section_says Verdict "cuda:0 256 x 256 is 20 times as fast as openmp:0 256 x 256"
check "rows are named by their size alone" lacks "walls" report-speeds.csv
check "a sweep" section_says "Size sweep" "cuda:0 is ahead of openmp:0 at every size measured"
check "which is not unfair" section_says Fairness "the candidates took turns"
of_size 256 65536 1.8
check "what the two cases set apart is said" ends 0 report --again size-128.json size-256.json
check "with its values" \
  section_says Fairness "The cases of these sizes also set: lbm.omega (1.7, 1.8)"
of_size 256 65536 1.8 '"--set", "lbm.omega=1.8",'
check "what a command set apart is refused" \
  refused "lbm.omega 1.7 and 1.8" size-128.json size-256.json
sed -i 's/box-256x256/tank-256x256/' size-256.json
check "as are two names" refused "lbm.omega 1.7 and 1.8" size-128.json size-256.json

# ---- text from elsewhere: none of it acts in a terminal, a spreadsheet or a page
evil() { # SED-SCRIPT ARGUMENT...: a report of a result that somebody else made
  script=$1 && shift
  sed "$script" "$data/compare.json" >evil.json && ends 0 report --again evil.json -o evil.html "$@"
}
bytes_of() { cat evil.html evil.md evil-*.csv evil-*.svg out err | tr -dc "$1" | wc -c; } # SET
escapes='s/"Some CPU"/"\\u001b[2J\\u009b2J\\u0007"/; s/"box"/"\\u001b]0;x\\u0007"/'
cmp_picture() { # the picture in the page is that of the run
  grep -o 'base64,[^"]*' one-picture-speed.svg | sed 's/base64,//' | base64 -d | cmp - "$(ls kept/one/speed*.png | LC_ALL=C sort | tail -1)"
}
check "names with escapes" evil "$escapes"
check "lose them in every file" test "$(bytes_of '\033\007')" = 0
check "a name that is a formula" evil 's/"Some CPU"/"=1+1"/; s/"libgomp"/"@SUM(A1)"/'
check "is text in CSV" grep -q "^openmp:0,'=1+1," evil-speeds.csv
check "wherever it stands" grep -q "'@SUM(A1)" evil-devices.csv
check "and stands in the page as it is" grep -q '>=1+1<' evil.html
fence='x\\n```\\n<script>alert(1)</script>\\n````\\n'
check "a command with fences" evil "s|\"repeat\": \"[^\"]*|\"repeat\": \"$fence|"
check "stays in its block" sh -c 'awk "/^\`\`\`/ { n++ } /<script/ && n % 2 == 0 { bad = 1 } END { exit bad || n % 2 }" evil.md'
check "which has a longer fence" grep -q '^`````sh$' evil.md
for begin in '' a; do # wherever characters of two bytes begin
  long=$begin$(printf '\303\244%.0s' $(seq 200))
  for key in '"Some CPU"' '"openmp:0"' '"box"'; do
    check "a long name in place of $key" evil "s/$key/\"$long\"/"
    check "is cut between two characters" iconv -f UTF-8 -t UTF-8 evil.html evil.md evil-*.svg evil-*.csv -o /dev/null
  done
done

# ---- a single run: its pictures and series
one_run() { TRIREME_BACKEND_PATH=$backends TRIREME_ROOF=false ends 0 run "$@"; }
check "a run to report" one_run lbm --set grid.nx=32 --set grid.ny=24 --steps=30 --every=10 --output=kept/one
check "is reported" ends 0 report --again kept/one -o one.html
check "with the last picture of a field" grep -q '^!\[The last picture of the run, speed[-0-9]*.png' one.md
check "once" test "$(grep -c 'last picture of the run, speed' one.md)" = 1
check "in the page itself" grep -q '<image [^>]*href="data:image/png;base64,iVBORw0KGgo' one.html
check "whole" cmp_picture
check "with its series" test -s one-series-1.svg
check "which has its points" test "$(grep -o 'L[0-9.]* [0-9.]*' one-series-1.svg | wc -l)" -ge 29
check "and names no backend that may be missing" lacks 'cuda' one.md
check "a folder of results lists them" ends 0 report kept
check "with case and status" has '^kept/one: run of lbm \(lbm\), finished, 2'
check "and makes no page" test ! -e kept.html

# ---- what never ends, or takes all memory
quickly() { # TEXT FILE
  timeout 120 "$TRIREME" report --again "$2" -o quick.html >out 2>err
  test $? = 2 && says "$1" err
}
mkfifo pipe.json
check "a named pipe is refused" quickly "is not a regular file" pipe.json
check "so is a device" quickly "is not a regular file" /dev/zero
truncate -s 40G sparse.json
check "a file of 40 GB is refused" quickly "is larger than the 16777216 bytes" sparse.json
{ printf '['; head -c 4000000 /dev/zero | tr '\0' ',' | sed 's/,/0,/g'; printf '0]'; } >many.json
check "so is one of millions of values" quickly "has more than 1048576 values" many.json
mkdir -p strange/one strange/two && mv many.json strange/one/run.json && mkfifo strange/two/run.json
check "in a folder of folders neither is a result" quickly "strange holds no results" strange

# ---- bad input
printf 'schema = 2\n' >text.json
printf '{"schema": 2, "trireme": "0.1.0", "kind": "compare"\n' >cut.json
printf '{"type": "FeatureCollection"}\n' >foreign.json
printf '{"schema": 99, "trireme": "9.0.0", "kind": "run"}\n' >newer.json
printf '{"schema": 2, "trireme": "0.1.0", "kind": "devices"}\n' >devices.json
printf '{"schema": 2, "trireme": "0.1.0", "kind": "compare", "contenders": 5}\n' >damaged.json
printf '{"schema": 2, "trireme": "0.1.0", "kind": "compare", "contenders": [{"device": 1}]}\n' >hollow.json
printf '{"schema": 2, "trireme": "0.1.0", "kind": "run", "status": "diverged", "error": "speed is NaN"}\n' >diverged.json
printf '{"schema": 2, "trireme": "0.1.0", "kind": "compare", "contenders": [{"device": {"id": 7}, "runs": ["fast", -1], "values": 3, "differences": {"a": 1}, "row_group": "x"}]}\n' >odd.json
mkdir -p empty
check "no results" refused "no results given"
check "a file that is not there" refused "No such file" nowhere.json
check "a folder without results" refused "holds no results" empty
check "no JSON" refused "text.json:1: not JSON" text.json
check "half a file" refused "cut.json" cut.json
check "a file of another program" refused "not a result of trireme" foreign.json
check "a newer file" refused "written by trireme 9.0.0 in schema 99" newer.json
check "a file of another kind" refused "of the kind 'devices'" devices.json
check "a damaged file" refused 'no "contenders"' damaged.json
check "a run without a device" refused "damaged: a run without a device" hollow.json
check "a run that failed" refused "speed is NaN" diverged.json
check "members of other types are unknown, not zero" ends 0 report --again odd.json
check "and said to be" section_says Speed "| 0 | - | - | - | - |"
check "a page of another name" ends 2 report "$data/compare.json" -o report.txt
check "says which" says "must end in .html" err
check "a folder that is not there" ends 2 report "$data/compare.json" -o nowhere/report.html
check "-o is not an option of others" ends 2 bench -o x
check "and said so" says "unknown option '-o'" err

# ---- a disk that fills: nothing is half
if test -w /dev/full; then
  rm -rf small && mkdir small
  check "a limit on files ends the report" sh -c \
    'ulimit -f 4; "$0" report "$1" -o small/report.html >out 2>err; test $? = 2' "$TRIREME" "$data/differ.json"
  check "with the file in the message" says "small/report" err
  check "no page is left" test ! -e small/report.html
  check "nor anything half" test "$(ls -A small | grep -c '^\.')" = 0
fi

# ---- a page that is there
mkdir there
check "a page" ends 0 report "$data/compare.json" -o there/page.html
check "may be made again" ends 0 report "$data/compare.json" -o there/page.html
cp -r there before
check "one of other results is not written over it" ends 2 report "$data/differ.json" -o there/page.html
check "and the message says how" grep -q "'there/page-[a-z]*\.[a-z]*' is there already, and is not of these results; .*--output=FILE.html, or write over it with --again" err
check "nothing is changed" diff -r there before
rm there/page.html
echo "my notes" >there/page.md
check "nor over a file beside it" ends 2 report "$data/compare.json" -o there/page.html
check "which stays" grep -q "my notes" there/page.md
check "--again writes over it" ends 0 report "$data/differ.json" -o there/page.html --again
check "all of it" sh -c 'test -s there/page.html && ! grep -q "my notes" there/page.md'

# ---- the forms
check "a page with every kind of figure" ends 0 report --again "$data/differ.json" -o form.html
if command -v xmllint >/dev/null 2>&1; then
  check "figures are XML" xmllint --noout form-*.svg
else
  skip "figures are XML" "xmllint is missing (Debian: libxml2-utils)"
fi
if command -v tidy >/dev/null 2>&1; then
  for name in compare differ sweep study; do
    "$TRIREME" report "$data/$name.json" -o "form-$name.html" >/dev/null
    check "the page of $name is HTML" tidy -q -e "form-$name.html"
  done
else
  skip "pages are HTML" "tidy is missing (Debian: tidy)"
fi
check "and with its figures in it" test "$(grep -c '<svg' form.html)" -gt 3
check "a page asks nothing of the network" lacks 'src=' form.html
check "nor of a program" lacks '<script' form.html
check "each figure has words" \
  test "$(grep -o '<svg' form.html | wc -l)" = "$(grep -o '<svg[^>]*aria-label="[^"]' form.html | wc -l)"
check "a page is small" test "$(wc -c <form.html)" -lt 1000000
done_testing
