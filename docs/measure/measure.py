#!/usr/bin/env python3
"""measure.py - today's figures of every solver on this machine: JSON, and the tables of docs/measurements.md.

  docs/measure/measure.py                        # sizes for a processor, openmp
  docs/measure/measure.py --backend=cuda         # sizes for a large GPU
  docs/measure/measure.py --quick                # seconds: shows that every command runs; its speeds mean little
  docs/measure/measure.py --draw=measured.json   # the tables of an earlier measurement, nothing is run

--draw may be repeated: the tables then have the rows of all files. Rows of the same work, grid, device, program and
schema of results are one row, of all their runs; before schema 4 fingerprints were others. --runs=N repeats each row N
times and takes the median (3); --only=SOLVER measures one solver (may be repeated); --output=FILE names the JSON
(measured.json). --rivals=FILE adds a column: {"ROW": {"name": "...", "device": "...", "updates_per_second": N}}, with
the names of ROW and device as in the table; without a device the rival is beside all. TRIREME names the program. The
exit status is 1 if a run failed; its line says so, and the other rows are measured."""
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
    shares = [one["speed"]["bytes_per_second"] / one["speed"]["ceiling"]["copy_bytes_per_second"]
              for one in found if one["speed"].get("bytes_per_second") and one["speed"].get("ceiling")
              and one["speed"]["ceiling"].get("copy_bytes_per_second")]
    first = found[0]
    speed = first["speed"]

    def of_a_step(rate):
        return rate * speed["seconds_per_step"] if rate else None

    entry.update(
        updates_per_step=of_a_step(speed["updates_per_second"]), step_bytes=of_a_step(speed.get("bytes_per_second")),
        step_flops=of_a_step(speed.get("flops_per_second")),
        rates=[one["speed"]["updates_per_second"] for one in found],
        seconds_per_step=statistics.median(one["speed"]["seconds_per_step"] for one in found),
        memory_bytes=first.get("memory_bytes"), counted=first["speed"].get("counted"), of_copy=statistics.median(shares) if shares else None,
        shape=first["shape"], fingerprint=first["fingerprint"], device=first["device"], trireme=first["trireme"],
        schema=first["schema"])
    if len({one["fingerprint"] for one in found}) > 1:
        entry["error"] = "the runs have different fingerprints"
    return entry


def one_row(rows):
    """Rows of the same work on the same device as one, with the runs of all."""
    median = statistics.median
    merged = dict(rows[0], rates=[rate for row in rows for rate in row["rates"]])
    merged["seconds_per_step"] = median(row["seconds_per_step"] for row in rows)
    shares = [row["of_copy"] for row in rows if row["of_copy"]]
    merged["of_copy"] = median(shares) if shares else None
    if len({row["fingerprint"] for row in rows}) > 1:
        merged["error"] = "the runs have different fingerprints"
    return merged


def merged_rows(results):
    """The rows of all files, in the order of ROWS; a row knows its file's date and machine."""
    groups = {}
    for result in results:
        for row in result["rows"]:
            row = dict(row, date=result["date"])
            key = (row["row"], row["solver"], row.get("shape"), row.get("device", {}).get("name"), row.get("trireme"),
                   row.get("schema"), row.get("error"))
            groups.setdefault(key, []).append(row)
    order = [(row[0], row[1]) for row in ROWS]
    rows = [one_row(group) if "error" not in group[0] else group[0] for group in groups.values()]
    return sorted(rows, key=lambda row: order.index((row["solver"], row["row"])))


def digits(value):
    """Four significant digits, as people write them."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def beside(row, rivals):
    """The row's speed in terms of the rival's on the same device, or nothing."""
    rival = rivals.get(row["row"])
    if not rival or "error" in row or rival.get("device", row["device"]["name"]) != row["device"]["name"]:
        return ""
    return f"{statistics.median(row['rates']) / rival['updates_per_second']:.2f} times {rival['name']}"


def table(rows, rivals):
    heads = ["work", "device", "grid", "million updates/s", "least to most", "us a step", "of the copy"]
    heads += ["beside"] if rivals else []
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in rows:
        if "error" in row:
            cell = [row["row"], "", row.get("shape", ""), "failed: " + row["error"], "", "", ""]
        else:
            rates = row["rates"]
            device = row["device"]["name"]
            if row["device"]["host"]:
                device += f", {row['device']['threads']} threads"
            share = "" if row["counted"] == "interactions" else "not known"
            cell = [row["row"], device, row["shape"], digits(statistics.median(rates) / 1e6),
                    f"{digits(min(rates) / 1e6)} to {digits(max(rates) / 1e6)}",
                    digits(row["seconds_per_step"] * 1e6),
                    share if row["of_copy"] is None or share == "" else f"{row['of_copy']:.3f}"]
        lines.append("| " + " | ".join(cell + ([beside(row, rivals)] if rivals else [])) + " |")
    return lines


def conditions(result):
    """A line for each measurement: its day, machine, device and program."""
    line = f"{result['date']}; {result['machine']}, load {result['load']}; sizes: {result['sizes']}"
    known = [row for row in result["rows"] if "device" in row]
    if known:
        device = known[0]["device"]
        line += (f"; {device['name']}, {device['driver']}, {device['compiler']}; trireme {known[0]['trireme']}; strict "
                 f"arithmetic unless said; runs of a row: {len(known[0]['rates'])}")
    return line + "."


def page(results, rivals):
    """The tables as Markdown, one for each solver, and the conditions that belong to them."""
    lines = [conditions(result) for result in results]
    all_rows = merged_rows(results)
    for solver in dict.fromkeys(row["solver"] for row in all_rows):
        rows = [row for row in all_rows if row["solver"] == solver]
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
    parser.add_argument("--draw", action="append")
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
        results = []
        for name in given.draw:
            with open(name, encoding="utf-8") as file:
                results.append(json.load(file))
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
        results = [result]
    print(page(results, rivals), end="")
    return 1 if any("error" in row for result in results for row in result["rows"]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
