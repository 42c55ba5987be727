"""trireme.py: runs, their arrays and results, and what is refused; printed as TAP."""
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback

import numpy
import trireme

SOURCE = os.path.abspath(os.environ["srcdir"])
BOX = os.path.join(SOURCE, "cases", "driven-box")
SMALL = dict(grid_nx=40, grid_ny=24, lbm_density=0.1, lbm_accel=0.005, lbm_omega=1.7,
             lbm_reynolds_dim=10.0, roof=False)
KEPT = tempfile.TemporaryDirectory()  # removed at the end
WORK = KEPT.name
READY = [name for name, reason in trireme.backends().items() if not reason]


def small(**more):
    return trireme.Run("lbm", **{**SMALL, "backend": "openmp", **more})


def expect(kind, part, call):
    try:
        call()
    except kind as error:
        assert part in str(error), str(error)
        return error
    raise AssertionError(f"no {kind.__name__} with {part!r}")


def every_backend_gives_the_same_bits():
    assert "openmp" in READY, trireme.backends()
    found = {}
    for name in READY:
        with small(backend=name) as run:
            found[name] = (run.advance(50).fingerprint, run.field("speed").tobytes(),
                           run.series["mean_speed"].tobytes())
            assert run.device.startswith(name)
    assert len(set(found.values())) == 1, found.keys()


def it_runs_to_the_bits_of_the_program():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ["TRIREME"], "run", BOX, "--steps=70", "--output=" + folder,
                        "--formats=none", "--roof=false", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            expected = json.load(file)["fingerprint"]
    with trireme.Run(BOX, steps=70) as run:
        assert run.advance(31).advance().fingerprint == expected
        assert run.step == 70 and run.advance().step == 70
        assert run.json["fingerprint"] == expected


def arrays_have_their_shapes_and_stay_when_the_run_is_closed():
    with small(precision="f64") as run:
        speed, velocity = run.advance(30).field("speed"), run.fields["velocity"]
        assert speed.shape == (24, 40) and speed.dtype == numpy.float64
        assert velocity.shape == (2, 24, 40)
        series = run.series["mean_speed"]
        assert series.shape == (30,) and run.unit("speed") == "lattice"
        run.advance(5)
        assert series.shape == (30,) and run.series["mean_speed"].shape == (35,)
    assert numpy.allclose(speed, numpy.hypot(*velocity), rtol=1e-12)
    assert abs(speed.mean() / series[-1] - 1) < 1e-9
    expect(trireme.Error, "closed", lambda: run.step)


def results_are_read_back_from_either_format():
    with tempfile.TemporaryDirectory() as folder:
        for formats in ("npy", "vti"):
            with small(output_formats=formats, output_every=20) as run:
                run.keep(os.path.join(folder, formats)).advance(20)
                on_the_way = run.field("velocity")
                results = run.advance(13).write()
                assert results.steps == [0, 20, 33] and sorted(results.fields) == sorted(
                    ["velocity", "speed", "pressure", "solid"]), (results.steps, list(results.fields))
                for name, array in results.fields.items():
                    assert numpy.array_equal(array, run.field(name)), (formats, name)
                assert numpy.array_equal(results.at(20)["velocity"], on_the_way), formats
                assert numpy.allclose(results.series["mean_speed"], run.series["mean_speed"], 1e-6)
                assert results.json["fingerprint"] == run.fingerprint
                again = run.advance(4).write()
                assert len(again.series["mean_speed"]) == 37 == again.json["steps"]


def vectors_have_the_shapes_of_the_run_in_either_format():
    """Of two components and of three, also where these have zeros, in two dimensions and in three."""
    cases = [("compressible", dict(grid_nx=16, grid_ny=16), "velocity", (3, 16, 16)),
             ("compressible", dict(grid_nx=16, grid_ny=8, grid_nz=8), "velocity", (3, 8, 8, 16)),
             ("compressible", dict(grid_nx=16, grid_ny=16, output_fields="time"), "time", (2, 1)),
             ("lbm3d", dict(grid_nx=8, grid_ny=6, grid_nz=4, lbm_viscosity=0.1), "velocity", (3, 4, 6, 8)),
             ("shallow", dict(grid_nx=12, grid_ny=8, grid_dx=1.0, initial_surface="1"), "velocity", (2, 8, 12)),
             ("lbm", dict(SMALL, lbm_accel=0.0), "velocity", (2, 24, 40))]
    with tempfile.TemporaryDirectory() as folder:
        for number, (solver, keys, name, shape) in enumerate(cases):
            with trireme.Run(solver, **dict(keys, steps=2, backend="openmp", roof=False, output_formats="vti")) as run:
                results = run.advance().write(os.path.join(folder, f"vti-{number}"))
                assert run.field(name).shape == shape, (solver, run.field(name).shape)
                assert results.fields, solver
                for field, array in results.fields.items():
                    wanted = run.field(field)
                    assert array.shape == wanted.shape and numpy.array_equal(array, wanted), (solver, field, array.shape)


def keys_have_their_former_names_for_one_version():
    """By name and by keyword; those without a group too. The warning goes to the logger."""
    flow = dict(grid_nx=24, grid_ny=16, lbm_flow="channel", lbm_speed=0.05, lbm_viscosity=0.05, steps=5,
                backend="openmp", roof=False, output_formats="none")
    warned = []
    handler = logging.Handler()
    handler.emit = lambda record: warned.append(record.getMessage())
    logging.getLogger("trireme").addHandler(handler)
    try:
        with trireme.Run("lbm", body_force="1e-6 0 0", probes="18 9", bodies_shapes="cylinder 8.5 8.5 2", **flow) as run:
            present = run.advance().fingerprint
            assert not [text for text in warned if " is now " in text], warned
        with trireme.Run("lbm", lbm_probes="18 9", keys={"lbm.force_x": 1e-6, "lbm.shapes": "cylinder 8.5 8.5 2"},
                         **flow) as run:
            assert run.advance().fingerprint == present and "probe1_u" in run.series
            assert run.value("bodies.shapes") == run.value("lbm.shapes") == "cylinder 8.5 8.5 2"
            assert run.value("body_force") == "1e-06 0 0"
    finally:
        logging.getLogger("trireme").removeHandler(handler)
    assert len([text for text in warned if "lbm.shapes is now bodies.shapes" in text]) == 1, warned
    expect(trireme.Error, "are one key", lambda: trireme.Run("lbm", probes="18 9", lbm_probes="18 9", **flow))


def keys_come_by_keyword_and_by_name():
    with small(keys={"lbm.omega": 1.2}, output_formats=["npy", "vti"], plain_replay=True) as run:
        assert run.value("lbm.omega") == "1.7"  # the keyword is the later one
        assert run.value("output.formats") == "npy,vti"
        assert run.value("run.plain_replay") == "true"
    expect(trireme.Error, "did you mean 'lbm.omega'?", lambda: small(keys={"lbm.omga": 1}))
    assert expect(trireme.Error, "outside its range", lambda: small(lbm_omega=7)).status == "INPUT"
    expect(trireme.Error, "nosuch", lambda: small(backend="nosuch"))
    expect(trireme.Error, "neither a case", lambda: trireme.Run("no/such"))


def a_divergence_is_an_exception_of_its_own():
    run = trireme.Run("driven-box", lbm_accel=0.9, lbm_omega=1.99)
    expect(trireme.Diverged, "the run diverged: at step", lambda: run.advance(5000))
    assert not numpy.isfinite(run.field("populations")).all()
    assert run.json["status"] == "diverged"


GENTLE = {"lbm_accel": 1e-7}  # does not diverge, however many steps a machine makes meanwhile


def ctrl_c_leaves_a_run_that_goes_on():
    with small(**GENTLE) as run:
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        expect(KeyboardInterrupt, "", lambda: run.advance(10**12))
        step = run.step
        assert step > 0 and len(run.series["mean_speed"]) == step
        state = run.advance(5).fingerprint
        with small(**GENTLE) as straight:
            assert straight.advance(step + 5).fingerprint == state


def an_interrupt_comes_from_another_thread():
    with small(**GENTLE) as run:
        threading.Timer(0.3, run.interrupt).start()
        error = expect(trireme.Error, "was interrupted", lambda: run.advance(10**12))
        assert error.status == "INTERRUPTED"


def threads_run_at_once():
    found = []

    def work():
        with small() as run:
            found.append(run.advance(60).fingerprint)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and len(set(found)) == 1


def names_that_are_not_there_are_told():
    with small() as run:
        expect(trireme.Error, "nearest is 'speed'", lambda: run.field("sped"))
        expect(KeyError, "mean_speed", lambda: run.series["nothing"])
        expect(KeyError, "no.key", lambda: run.value("no.key"))
        expect(trireme.Error, "not a number", lambda: run.advance(to=float("nan")))
    expect(FileNotFoundError, "no folder of results", lambda: trireme.Results("nowhere/at/all"))


def steps_that_are_no_count_are_refused():
    with small() as run:
        for steps in (-1, 2**64, 2**70, numpy.int64(-1)):
            expect(ValueError, "not from 0 to 2**64 - 1", lambda: run.advance(steps))
        for steps in (1.5, "3", numpy.float64(2)):
            expect(TypeError, "integer", lambda: run.advance(steps))
        assert run.step == 0 and run.advance(numpy.uint8(3)).step == 3
        expect(ValueError, "character NUL", lambda: run.field("speed\0d"))
        expect(ValueError, "character NUL", lambda: run.write("one\0two"))
    expect(trireme.Error, "run.steps", lambda: small(steps=2**64))
    expect(trireme.Error, "run.threads", lambda: small(threads=2**40))
    expect(ValueError, "character NUL", lambda: small(lbm_variant="fused\0"))


def a_flow_that_becomes_steady_ends_an_advance():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.alarm(60)
        with trireme.Run("compressible", backend="openmp", roof=False, grid_nx=16, grid_ny=16, steps=5000,
                         keys={"compressible.time": "steady", "dual.tolerance": 0.1, "compressible.viscosity": 0.01,
                               "initial.velocity_x": "0.1*sin(6.2831853*y)"}) as run:
            made = run.advance(4000).step
            assert 0 < made < 4000 and run.advance().step == made and run.advance(to=1e9).step == made
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def damaged(folder, name, text):
    """What stands in the place of a whole file; each reader of it must end."""
    with open(os.path.join(folder, name), "rb") as file:
        whole = file.read()
    for text in [whole[:n] for n in (0, 1, 100, 400, len(whole) // 2, len(whole) - 40)] + text:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
        yield
    os.remove(os.path.join(folder, name))
    os.mkfifo(os.path.join(folder, name))
    yield
    os.remove(os.path.join(folder, name))


def readers_end_where_their_input_ends():
    def ends(*_):
        raise AssertionError("a reader does not end")

    before = signal.signal(signal.SIGALRM, ends)
    try:
        for formats, name, read in (("vti", "fields.vti", lambda r: [r.fields[n] for n in r.fields]),
                                    ("npy", "speed.npy", lambda r: r.fields["speed"]),
                                    ("npy", "run.json", lambda r: r.json)):
            with small(output_formats=formats) as run:
                results = run.advance(3).write(os.path.join(WORK, "damaged-" + name))
            assert read(results) is not None
            odd = []
            if name == "fields.vti":
                with open(os.path.join(results.folder, name), "rb") as file:
                    whole = file.read()
                odd = [whole.replace(b'"base64"', b'"raw"'), whole.replace(b"Float", b"Flaot"),
                       whole.replace(b'offset="', b'offset="-'), whole.replace(b'Extent="0', b'Extent="9')]
            for _ in damaged(results.folder, name, odd):
                signal.alarm(20)
                expect((trireme.Error, ValueError, EOFError), "", lambda: read(trireme.Results(results.folder)))
                signal.alarm(0)
        with small() as run:
            results = run.advance(3).write(os.path.join(WORK, "damaged-series"))
        names = list(results.series)
        for text in ("", "a", ",".join(names), "step,a\n"):
            with open(os.path.join(results.folder, "series.csv"), "w") as file:
                file.write(text)
            assert all(len(values) == 0 for values in trireme.Results(results.folder).series.values())
        with open(os.path.join(results.folder, "series.csv"), "w") as file:
            file.write("step,a\n1,2,3\n")
        expect(trireme.Error, "3 columns and names 2", lambda: trireme.Results(results.folder).series)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


FORKED = """
import multiprocessing, sys, trireme
K = dict(grid_nx=40, grid_ny=24, steps=200, roof=False, threads=2)
def job(out):
    try:
        with trireme.Run("lbm", **K) as run:
            out.put(run.advance(50).fingerprint)
    except trireme.Error as error:
        out.put(f"{error.status}: {error}")
def child(method, target, *more):
    context = multiprocessing.get_context(method)
    out = context.Queue()
    process = context.Process(target=target, args=(out, *more))
    process.start()
    text = out.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0, process.exitcode
    return text
def use(out):
    try:
        out.put(open_run.advance(5).fingerprint)
    except trireme.Error as error:
        open_run.close()
        out.put(f"{error.status}: {error}")
if __name__ == "__main__":
    early = child("fork", job)          # before a device was opened
    open_run = trireme.Run("lbm", **K)
    own = open_run.advance(50).fingerprint
    assert early == own, early
    text = child("fork", job)
    assert text.startswith("INVALID: ") and 'get_context("spawn")' in text, text
    text = child("fork", use)
    assert text.startswith("INVALID: ") and "forked from" in text, text
    assert child("spawn", job) == own   # the cure
    assert open_run.advance(0).fingerprint == own
    open_run.close()
"""


def a_forked_child_is_refused_a_device():
    path = os.path.join(WORK, "forked.py")
    with open(path, "w") as file:
        file.write(FORKED)
    done = subprocess.run([sys.executable, path], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def results_go_where_they_went_before():
    at = lambda name: os.path.join(WORK, "moves-" + name)
    with small(output_formats="npy", steps=1000) as run:
        run.advance(5).write(at("a"))
        run.advance(5).write(at("b"))
        assert run.advance(5).write(at("a")).json["steps"] == 15
        assert run.advance(5).write().folder == at("a")
        with small(output_formats="npy") as other:
            other.advance(2).write(at("other"))
            expect(trireme.Error, "another run is writing", lambda: run.write(at("other")))
            expect(trireme.Error, "another run is writing", lambda: other.write(at("a")))
            assert other.write().folder == at("other")
        expect(trireme.Error, "holds earlier results", lambda: run.write(at("other")))
        assert run.advance(5).write().folder == at("a"), "a refused folder is chosen"
        assert trireme.Results(at("a")).json["steps"] == 25
        text = open(os.path.join(at("a"), "log.txt")).read()
        assert text.count("after step") == 5, text
        run.advance(1).write(at("b"))
        with small(output_formats="npy") as other:     # takes the place of this run's results
            for name in os.listdir(at("a")):
                os.remove(os.path.join(at("a"), name))
            other.advance(2).write(at("a"))
        expect(trireme.Error, "holds earlier results", lambda: run.write(at("a")))


def without_numpy_it_says_what_to_install():
    done = subprocess.run([sys.executable, "-c", "import sys; sys.modules['numpy'] = None; import trireme"],
                          stderr=subprocess.PIPE, text=True)
    last = done.stderr.rstrip().split("\n")[-1]
    assert done.returncode == 1 and "trireme.py needs numpy, which" in last and "apt install python3-numpy" in last, last


CASES = [every_backend_gives_the_same_bits, it_runs_to_the_bits_of_the_program,
         arrays_have_their_shapes_and_stay_when_the_run_is_closed,
         results_are_read_back_from_either_format,
         vectors_have_the_shapes_of_the_run_in_either_format, keys_come_by_keyword_and_by_name,
         keys_have_their_former_names_for_one_version,
         a_divergence_is_an_exception_of_its_own, ctrl_c_leaves_a_run_that_goes_on,
         an_interrupt_comes_from_another_thread, threads_run_at_once,
         names_that_are_not_there_are_told, steps_that_are_no_count_are_refused,
         a_flow_that_becomes_steady_ends_an_advance,
         readers_end_where_their_input_ends, a_forked_child_is_refused_a_device,
         results_go_where_they_went_before, without_numpy_it_says_what_to_install]

for number, case in enumerate(CASES, 1):
    try:
        case()
        print(f"ok {number} - {case.__name__.replace('_', ' ')}", flush=True)
    except BaseException:
        print(f"not ok {number} - {case.__name__.replace('_', ' ')}")
        print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
print(f"1..{len(CASES)}")
