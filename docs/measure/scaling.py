#!/usr/bin/env python3
"""scaling.py - one device and several in turns, with equal fingerprints: JSON, and the table "several GPUs".

  docs/measure/scaling.py --devices=cuda:0,cuda:1             # by threads of one process, then by ranks
  docs/measure/scaling.py --devices=openmp,openmp --quick     # seconds: shows that every command runs
  docs/measure/scaling.py --draw=scaling.json                 # the table of an earlier measurement, nothing is run

Each row runs on the first device alone, on all by threads, and on all by ranks (mpirun -n N, a rank for each device), and
so again for each of --runs=N (2). Medians of the runs count. --by=threads or --by=ranks leaves the other out; --only=TEXT
takes rows whose name holds TEXT. --output=FILE names the JSON (scaling.json). TRIREME names the program, MPIRUN the
launcher. A refusal stands below the table. The exit status is 1 if fingerprints of a row differ."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from measure import bodies, cube, digits, pairs, sea, square, vortices

driven = ["lbm", "--precision=f32"]
hllc = sea + ["--set=shallow.scheme=hllc", "--precision=f32"]
lax = sea + ["--set=shallow.scheme=lax-friedrichs", "--precision=f32"]
gas = ["compressible", "--set=initial.velocity_x=0.1*sin(6.28*x)", "--set=compressible.viscosity=1e-4",
       "--precision=f64"]
finer = ["--set=grid.levels=1", "--set=mesh.refine=-100 100 -100 100 0.4 0.525"]
still = ["--set=bodies.shapes=sphere 0.5 0.5 0.5 0.15"]
moving = still + ["--set=bodies.motion=0.01*sin(t), 0, 0"]
tree = ["plummer", "--set=nbody.force=tree", "--set=nbody.theta=0.6", "--precision=f32"]

# name, arguments of `trireme run`, the grid of a GPU and its steps, that of --quick and its steps, times asked on 2 and 4
ROWS = [
    ("D2Q9 f32 8192^2", driven, square(8192, 8192), 600, square(64, 64), 20, 1.97, 3.85),
    ("D3Q19 f32 512^3", vortices, cube(512, 512, 512), 150, cube(16, 16, 16), 5, 1.97, 3.9),
    ("D3Q19 16 bits 512^3", vortices + ["--set=lbm.storage=half"], cube(512, 512, 512), 150, cube(16, 16, 16), 5,
     1.97, 3.9),
    ("HLLC f32 8192^2", hllc, square(8192, 8192), 150, square(64, 64), 10, 1.95, 3.8),
    ("Lax-Friedrichs f32 8192^2", lax, square(8192, 8192), 600, square(64, 64), 10, 1.95, 3.8),
    ("compressible f64 256^3", gas, cube(256, 256, 256), 60, cube(16, 16, 16), 5, 1.93, 3.6),
    ("the same, a layer one level finer", gas + finer, cube(256, 256, 256), 20, cube(16, 16, 16), 5, 1.85, None),
    ("sphere in 256^3", gas + still, cube(256, 256, 256), 40, cube(32, 32, 32), 5, 1.85, None),
    ("moving sphere in 384^3", gas + moving, cube(384, 384, 384), 20, cube(32, 32, 32), 5, 1.8, None),
    ("Sedov, three levels", ["sedov", "--set=grid.levels=2"], cube(64, 64, 64), 100, cube(16, 16, 16), 5, 1.7, None),
    ("all pairs, 262144 bodies", pairs, bodies(262144), 6, bodies(1024), 4, 1.99, None),
    ("tree, 10^6 bodies", tree, bodies(1000000), 30, bodies(1024), 4, 1.7, None),
]


def run_once(launch, program, arguments):
    """The report of a run; the message is raised if it fails."""
    with tempfile.TemporaryDirectory(prefix="scaling-") as folder:
        done = subprocess.run([*launch, program, *arguments, f"--output={folder}/run"], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            head = "trireme: error: "
            lines = [line for line in done.stderr.splitlines() if line.startswith(head)]
            raise RuntimeError(lines[0].removeprefix(head) if lines else f"exit status {done.returncode}")
        with open(f"{folder}/run/run.json", encoding="utf-8") as file:
            return json.load(file)


def measured(row, given):
    """The row's seconds a step by each way, in turns."""
    arguments = [*row[1], *(row[4] if given.quick else row[2]), f"--steps={row[5] if given.quick else row[3]}"]
    devices = given.devices.split(",")
    mpirun = os.environ.get("MPIRUN", "mpirun").split() + ["-n", str(len(devices))]
    ways = {"one": ([], f"--devices={devices[0]}")}
    if given.by != "ranks":
        ways["threads"] = ([], f"--devices={given.devices}")
    if given.by != "threads":
        ways["ranks"] = (mpirun, f"--devices={given.devices}")
    entry = {"row": row[0], "command": ["trireme", "run", *arguments], "devices": given.devices, "asked": row[6:],
             "seconds_per_step": {}, "refused": {}, "fingerprints": []}
    for _ in range(given.runs):
        for way, (launch, where) in ways.items():
            if way in entry["refused"]:
                continue
            try:
                report = run_once(launch, given.program, ["run", *arguments, where, "--formats=none", "--roof=false"])
            except RuntimeError as error:
                entry["refused"][way] = str(error)
                continue
            entry["seconds_per_step"].setdefault(way, []).append(report["speed"]["seconds_per_step"])
            entry["fingerprints"].append(report["fingerprint"])
            entry["device"], entry["trireme"] = report["device"]["name"], report["trireme"]
    return entry


def differs(row):
    return len(set(row["fingerprints"])) > 1


def refusal(row, way):
    return "refused" if way in row["refused"] else "-"


def table(result):
    """The table of a measurement as Markdown."""
    several = len(result["rows"][0]["devices"].split(","))
    place = {2: 0, 4: 1}.get(several)
    lines = [f"| us a step | one | {several} by threads | times as fast | {several} by ranks | times as fast | asked |",
             "|" + " --- |" * 7]
    for row in result["rows"]:
        times = {way: statistics.median(found) for way, found in row["seconds_per_step"].items()}
        cells = [row["row"], digits(times["one"] * 1e6) if "one" in times else refusal(row, "one")]
        for way in ("threads", "ranks"):
            both = way in times and "one" in times
            cells += [digits(times[way] * 1e6), f"{times['one'] / times[way]:.3f}"] if both else [refusal(row, way), ""]
        asked = row["asked"][place] if place is not None else None
        lines.append("| " + " | ".join([*cells, f"{asked}" if asked else ""]) + " |")
    return lines


def page(result):
    """The table with its conditions, each refusal once, and a line for each row whose fingerprints differ."""
    known = [row for row in result["rows"] if "device" in row]
    lines = [f"{result['date']}; {result['rows'][0]['devices']}" +
             (f"; {known[0]['device']}; trireme {known[0]['trireme']}" if known else "") +
             f"; sizes: {result['sizes']}; runs of a row: {result['runs']}.", "", *table(result)]
    refusals = {}
    for row in result["rows"]:
        for text in row["refused"].values():
            refusals.setdefault(row["row"], text)
    lines += [f"\n{row}: {text}." for row, text in refusals.items()]
    lines += [f"\n{row['row']}: the fingerprints differ." for row in result["rows"] if differs(row)]
    return "\n".join(lines) + "\n"


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", default="cuda:0,cuda:1")
    parser.add_argument("--by", choices=["threads", "ranks"])
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--output", default="scaling.json")
    parser.add_argument("--draw")
    given = parser.parse_args(words)
    given.program = os.environ.get("TRIREME", "trireme")
    rows = [row for row in ROWS if given.only in row[0]]
    if given.runs < 1 or "," not in given.devices or not rows:
        parser.error("--runs is at least 1, --devices names two or more, and --only a row")
    if given.draw:
        with open(given.draw, encoding="utf-8") as file:
            result = json.load(file)
    else:
        result = {"date": time.strftime("%Y-%m-%d"), "runs": given.runs, "rows": [],
                  "sizes": "quick" if given.quick else "as named"}
        for row in rows:
            print(row[0], file=sys.stderr)
            result["rows"].append(measured(row, given))
            with open(given.output, "w", encoding="utf-8") as file:
                json.dump(result, file, indent=1)
                file.write("\n")
    print(page(result), end="")
    return 1 if any(differs(row) for row in result["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
