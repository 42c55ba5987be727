#!/usr/bin/env python3
"""measure.py - today's figures of every solver on this machine: JSON, and the tables of docs/measurements.md.

  docs/measure/measure.py                        # sizes for a processor, openmp
  docs/measure/measure.py --backend=cuda         # sizes for a large GPU
  docs/measure/measure.py --quick                # seconds: shows that every command runs; its speeds mean little
  docs/measure/measure.py --draw=measured.json   # the tables of an earlier measurement, nothing is run

--runs=N repeats each row N times and takes the median (3); --only=SOLVER measures one solver (may be repeated);
--output=FILE names the JSON (measured.json). --rivals=FILE adds a column: {"ROW": {"name": "...", "updates_per_second":
N}}, with the ROW's name as in the table, measured by you on the same machine. TRIREME names the program. The exit
status is 1 if a run failed; its line says so, and the other rows are measured."""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

SETS = ("gpu", "cores", "quick")


def cells(*names):
    """Keys of the grid, whose values a row of sizes has."""
    return lambda *sizes: [f"--set=grid.{name}={size}" for name, size in zip(names, sizes)]


square, cube = cells("nx", "ny"), cells("nx", "ny", "nz")
vortices = ["taylor-green-3d", "--set=lbm.lattice=d3q19", "--set=lbm.collision=trt", "--precision=f32"]
sea = ["shallow", "--set=grid.dx=1", "--set=initial.surface=1", "--set=shallow.bed_formula=-1"]
gas = ["compressible", "--set=initial.velocity_x=0.1*sin(6.28*x)", "--set=compressible.viscosity=1e-4"]
pairs = ["plummer", "--set=nbody.force=pairs", "--set=nbody.energy=false", "--precision=f32"]
folded = ["--set=lbm.rows=folded"]


def bodies(count):
    return [f"--set=nbody.bodies={count}"]


# solver, name of the row, arguments of `trireme run`, then for each of SETS the size's arguments and the steps
ROWS = [
    ("lbm", "driven box, f32", ["lbm", "--precision=f32"],
     (square(4096, 4096), 1440), (square(1024, 1024), 1200), (square(64, 64), 200)),
    ("lbm", "driven box, f64", ["lbm", "--precision=f64"],
     (square(4096, 4096), 1440), (square(1024, 1024), 600), (square(64, 64), 200)),
    ("lbm", "channel, f32", ["channel", "--precision=f32", "--set=bodies.shapes=", "--set=probes="],
     (square(4096, 2048), 1200), (square(1024, 512), 600), (square(64, 32), 100)),
    ("lbm3d", "vortices, D3Q19 trt, f32", vortices,
     (cube(512, 512, 512) + folded, 1000), (cube(192, 192, 192), 150), (cube(16, 16, 16), 20)),
    ("lbm3d", "vortices, D3Q19 trt, 16 bits", vortices + ["--set=lbm.storage=half"],
     (cube(512, 512, 512) + folded, 1000), (cube(192, 192, 192), 60), (cube(16, 16, 16), 20)),
    ("compressible", "viscous, f64", gas + ["--precision=f64"],
     (cube(256, 256, 256), 500), (cube(96, 96, 96), 30), (cube(16, 16, 16), 10)),
    ("compressible", "viscous, f32", gas + ["--precision=f32"],
     (cube(256, 256, 256), 1000), (cube(96, 96, 96), 30), (cube(16, 16, 16), 10)),
    ("shallow", "Lax-Friedrichs, f32", sea + ["--set=shallow.scheme=lax-friedrichs", "--precision=f32"],
     (square(8192, 8192), 600), (square(1999, 1999), 131), (square(64, 64), 50)),
    ("shallow", "HLLC, f32", sea + ["--set=shallow.scheme=hllc", "--precision=f32"],
     (square(8192, 8192), 300), (square(1000, 1000), 65), (square(64, 64), 50)),
    ("nbody", "all pairs, f32, strict", pairs,
     (bodies(262144), 6), (bodies(16512), 10), (bodies(256), 10)),
    ("nbody", "all pairs, f32, fast", pairs + ["--math=fast"],
     (bodies(262144), 6), (bodies(16512), 10), (bodies(256), 10)),
    ("nbody", "tree, f32", ["plummer", "--set=nbody.force=tree", "--set=nbody.theta=0.6", "--precision=f32"],
     (bodies(1000000), 40), (bodies(131072), 10), (bodies(1024), 5)),
]


def command(row, which, backend):
    size, steps = row[3 + SETS.index(which)]
    return ["run", *row[2], *size, f"--steps={steps}", f"--backend={backend}", "--formats=none"]


def run_once(program, arguments):
    """The object that `trireme run --json` prints; the message is raised if it fails."""
    with tempfile.TemporaryDirectory(prefix="measure-") as folder:
        done = subprocess.run([program, *arguments, "--json", f"--output={folder}/run"],
                              capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise RuntimeError(lines[-1])
    return json.loads(done.stdout)


def measured(program, row, which, backend, runs):
    arguments = command(row, which, backend)
    entry = {"solver": row[0], "row": row[1], "command": ["trireme", *arguments]}
    try:
        found = [run_once(program, arguments) for _ in range(runs)]
    except (RuntimeError, OSError, ValueError) as error:
        entry["error"] = str(error)
        return entry
    rates = sorted(one["speed"]["updates_per_second"] for one in found)
    first, rate = found[0], statistics.median(rates)
    shares = [one["speed"]["bytes_per_second"] / one["speed"]["ceiling"]["copy_bytes_per_second"]
              for one in found if one["speed"].get("bytes_per_second") and one["speed"].get("ceiling")
              and one["speed"]["ceiling"].get("copy_bytes_per_second")]
    entry.update(
        updates_per_second=rate, least=rates[0], most=rates[-1], runs=runs,
        seconds_per_step=statistics.median(one["speed"]["seconds_per_step"] for one in found),
        of_copy=statistics.median(shares) if shares else None,
        shape=first["shape"], fingerprint=first["fingerprint"], device=first["device"],
        trireme=first["trireme"])
    if len({one["fingerprint"] for one in found}) > 1:
        entry["error"] = "the runs have different fingerprints"
    return entry


def digits(value):
    """Four significant digits, as people write them."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def table(rows, rivals):
    lines = ["| work | grid | million updates/s | least to most | us a step | of the copy |",
             "| --- | --- | --- | --- | --- | --- |"]
    if rivals:
        lines = [lines[0] + " beside |", lines[1] + " --- |"]
    for row in rows:
        if "error" in row:
            cell = [row["row"], row.get("shape", ""), "failed: " + row["error"], "", "", ""]
        else:
            cell = [row["row"], row["shape"], digits(row["updates_per_second"] / 1e6),
                    f"{digits(row['least'] / 1e6)} to {digits(row['most'] / 1e6)}",
                    digits(row["seconds_per_step"] * 1e6),
                    "not known" if row["of_copy"] is None else f"{row['of_copy']:.3f}"]
        if rivals:
            rival = rivals.get(row["row"])
            ratio = row.get("updates_per_second", 0) / rival["updates_per_second"] if rival else 0
            cell.append(f"{ratio:.2f} times {rival['name']}" if ratio else "")
        lines.append("| " + " | ".join(cell) + " |")
    return lines


def page(result, rivals):
    """The tables as Markdown, one for each solver, and the conditions that belong to them."""
    known = [row for row in result["rows"] if "device" in row]
    lines = [f"{result['date']}; {result['machine']}, load {result['load']}; sizes: {result['sizes']}."]
    if known:
        device = known[0]["device"]
        lines.append(f"{device['name']}, {device['driver']}, {device['compiler']}; trireme {known[0]['trireme']}; strict "
                     f"arithmetic unless said; medians of {known[0]['runs']}.")
    for solver in dict.fromkeys(row["solver"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["solver"] == solver]
        lines += ["", f"## {solver}", "", *table(rows, rivals), "", "```sh"]
        lines += [" ".join(word if not set(word) & set("*();") else f"'{word}'" for word in row["command"])
                  for row in rows]
        lines.append("```")
    return "\n".join(lines) + "\n"


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="openmp")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--only", action="append", choices=sorted({row[0] for row in ROWS}))
    parser.add_argument("--output", default="measured.json")
    parser.add_argument("--rivals")
    parser.add_argument("--draw")
    given = parser.parse_args(words)
    given.runs = given.runs or (1 if given.quick else 3)
    if given.runs < 1:
        parser.error("--runs is at least 1")
    return given


def main(words):
    given = arguments_of(words)
    rivals = {}
    if given.rivals:
        with open(given.rivals, encoding="utf-8") as file:
            rivals = json.load(file)
    if given.draw:
        with open(given.draw, encoding="utf-8") as file:
            result = json.load(file)
    else:
        program = os.environ.get("TRIREME", "trireme")
        which = "quick" if given.quick else "cores" if given.backend == "openmp" else "gpu"
        rows = []
        for row in ROWS:
            if not given.only or row[0] in given.only:
                print(f"{row[0]}: {row[1]}", file=sys.stderr)
                rows.append(measured(program, row, which, given.backend, given.runs))
        result = {"schema": 1, "date": time.strftime("%Y-%m-%d"), "sizes": which, "rows": rows,
                  "machine": f"{platform.machine()}, {os.cpu_count()} processors",
                  "load": f"{os.getloadavg()[0]:.1f}"}
        with open(given.output, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    print(page(result, rivals), end="")
    return 1 if any("error" in row for row in result["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
