"""view_terminal_cases.py - a run drawn into pseudo terminals: sizes, colours, keys, and a terminal
that is given back however the run ends. Prints TAP."""
import fcntl, json, os, pty, re, select, signal, struct, subprocess, sys, termios, time

PROGRAM = os.environ["TRIREME"]
RUN = ["run", "lbm", "--set", "grid.nx=64", "--set", "grid.ny=48", "--set", "lbm.accel=0.00001", "--threads=1",
       "--formats=none", "--roof=false", "--view=terminal"]
FRAME = "\x1b[H"


def resize(descriptor, columns, rows):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def cells_of(line):
    return len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]", "", line))


class Terminal:
    """The program on a terminal of its own; what it drew is in `text`."""

    def __init__(self, words, columns=80, rows=24, environment=()):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "COLORTERM": "truecolor"})
            os.environ.update(environment)
            os.environ.pop("COLUMNS", None)
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
                signal.signal(number, signal.SIG_DFL)
            while os.get_terminal_size().columns != columns:
                time.sleep(0.01)
            os.execv(PROGRAM, [PROGRAM] + words)
        resize(self.descriptor, columns, rows)
        self.before = termios.tcgetattr(self.descriptor)
        self.data, self.status = b"", None

    @property
    def text(self):
        return self.data.decode(errors="replace")

    def read(self, seconds):
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.descriptor, 65536)
        except OSError:
            return False
        self.data += piece
        return bool(piece)

    def until(self, condition, seconds=60):
        end = time.time() + seconds
        while time.time() < end and not condition():
            if not self.read(0.05):
                break
        return condition()

    def frames(self):
        return self.text.split(FRAME)[1:]

    def draws(self, more=2):
        wanted = len(self.frames()) + more
        return self.until(lambda: len(self.frames()) >= wanted)

    def key(self, key):
        os.write(self.descriptor, key.encode())

    def end(self):
        """The exit code; a process that does not end within a minute is killed."""
        if not self.until(self.ended):
            time.sleep(0.1)        # it closed the terminal, and is about to end
            if not self.ended():
                os.kill(self.process, signal.SIGKILL)
                self.status = os.waitpid(self.process, 0)[1]
        while select.select([self.descriptor], [], [], 0)[0] and self.read(0):
            pass
        self.after = termios.tcgetattr(self.descriptor)
        return os.waitstatus_to_exitcode(self.status)

    def ended(self):
        if self.status is None:
            done, status = os.waitpid(self.process, os.WNOHANG)
            self.status = status if done else None
        return self.status is not None

    def is_given_back(self):
        left, entered = self.text.rfind("\x1b[?1049l"), self.text.rfind("\x1b[?1049h")
        return left > entered and self.text.rfind("\x1b[?25h") > self.text.rfind("\x1b[?25l") and \
            self.after == self.before


def check(name, good, remark=""):
    check.count += 1
    print("%sok %d - %s" % ("" if good else "not ", check.count, name))
    if not good:
        print("".join("# %r\n" % line for line in str(remark).split("\n")[:20]), end="")


check.count = 0


def fingerprint(folder):
    with open(os.path.join(folder, "run.json")) as file:
        return json.load(file)["fingerprint"]


def processor_seconds(process):
    with open("/proc/%d/stat" % process) as file:
        return int(file.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")


def steps_of(folder):
    with open(os.path.join(folder, "run.json")) as file:
        return json.load(file)["steps"]


def sizes():
    for columns, rows in ((40, 12), (80, 24), (100, 30), (200, 50)):
        terminal = Terminal(RUN + ["--steps=2000000000", "--output=size%d" % columns], columns, rows)
        check("%d columns: it is drawn" % columns, terminal.draws(3))
        frame = terminal.frames()[-2]
        lines = frame.split("\r\n")
        check("%d columns: every line fits" % columns, all(cells_of(line) <= columns for line in lines),
              max(map(cells_of, lines)))
        check("%d columns: and all of them do" % columns, len(lines) <= rows, len(lines))
        blocks = max(line.count("\u2580") for line in lines)
        check("%d columns: as large as there is room" % columns,
              blocks > columns / 2 or 2 * sum("\u2580" in line for line in lines) > rows, blocks)
        terminal.key("q")
        check("%d columns: q stops the run" % columns, terminal.end() == 75)
        check("%d columns: which says by whom" % columns, "by the user" in terminal.text, terminal.text[-300:])
        check("%d columns: and the terminal is as before" % columns, terminal.is_given_back(), terminal.text[-300:])


def colours():
    for environment, wanted, unwanted in (
            ({}, "\x1b[38;2;", "\x1b[38;5;"), ({"COLORTERM": ""}, "\x1b[38;5;", "\x1b[38;2;"),
            ({"LC_ALL": "C"}, "\x1b[48;2;", "\u2580")):
        terminal = Terminal(RUN + ["--steps=2000000000", "--output=colours"], environment=environment)
        terminal.draws()
        terminal.key("q")
        terminal.end()
        check("with %s: colours as the terminal has them" % (environment or "nothing said"),
              wanted in terminal.text and unwanted not in terminal.text)
        subprocess.run(["rm", "-rf", "colours"])


def solvers():
    """Every solver has something to show."""
    for name, words in (
            ("lbm3d", ["--set", "grid.nx=16", "--set", "grid.ny=16", "--set", "grid.nz=16",
                       "--set", "lbm.viscosity=0.1"]),
            ("compressible", ["--set", "grid.nx=32", "--set", "grid.ny=32"]),
            ("shallow", ["--set", "grid.nx=32", "--set", "grid.ny=32", "--set", "grid.dx=1"]),
            ("nbody", ["--set", "nbody.dt=0.01"])):
        terminal = Terminal(["run", name, "--view=terminal", "--threads=1", "--formats=none", "--roof=false",
                             "--steps=20000000", "--output=solver-" + name] + words)
        check("%s: is drawn" % name, terminal.draws(2), terminal.text[-300:])
        terminal.key("q")
        check("%s: and stopped" % name, terminal.end() == 75, terminal.text[-300:])


def orders():
    terminal = Terminal(RUN + ["--steps=2000000000", "--output=ordered"])
    terminal.draws()
    terminal.key(" ")
    paused = terminal.until(lambda: "paused" in terminal.frames()[-1])
    check("a blank pauses", paused)
    def step():
        terminal.until(lambda: re.search("step [0-9]+ of", terminal.frames()[-1]))
        return int(re.search("step ([0-9]+) of", terminal.frames()[-1]).group(1))
    first = step()
    terminal.key("s")
    check("s takes one step", terminal.until(lambda: step() == first + 1, 10), (first, step()))
    check("the field is named", terminal.until(lambda: "\nspeed " in terminal.frames()[-1], 60))
    terminal.key("f")
    check("f shows another one", terminal.until(lambda: "pressure 0.0" in terminal.frames()[-1], 10),
          terminal.frames()[-1][-200:])
    terminal.key("r")
    check("r keeps the range", terminal.until(lambda: "(kept)" in terminal.frames()[-1], 60))
    resize(terminal.descriptor, 60, 20)
    terminal.draws(1)
    check("a smaller terminal is drawn anew", max(map(cells_of, terminal.frames()[-1].split("\r\n"))) <= 60)
    os.kill(terminal.process, signal.SIGTSTP)
    check("Ctrl-Z gives the terminal back", terminal.until(lambda: terminal.text.endswith("\x1b[?1049l"), 60) or
          "\x1b[?1049l" in terminal.text[-40:])
    for wait in range(200):
        with open("/proc/%d/stat" % terminal.process) as file:
            if file.read().rsplit(")", 1)[1].split()[0] in "TZ":
                break
        time.sleep(0.05)
    os.kill(terminal.process, signal.SIGCONT)
    terminal.key(" ")
    terminal.draws(2)
    check("and the run goes on", step() > first + 1)
    terminal.key("q")
    check("until it is stopped", terminal.end() == 75, terminal.text[-400:])
    plain = [word for word in RUN if word != "--view=terminal"]
    subprocess.run([PROGRAM] + plain + ["--steps=%d" % steps_of("ordered"), "--output=unseen", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    check("with the bits of a run that nobody saw", fingerprint("ordered") == fingerprint("unseen"))


def ends():
    for name, signals, wanted in (("SIGTERM", [signal.SIGTERM], 75), ("SIGINT", [signal.SIGINT], 75),
                                  ("SIGHUP", [signal.SIGHUP], 75), ("SIGSEGV", [signal.SIGSEGV], -11),
                                  ("SIGABRT", [signal.SIGABRT], -6), ("SIGQUIT", [signal.SIGQUIT], -3)):
        terminal = Terminal(RUN + ["--steps=2000000000", "--output=ends-" + name])
        terminal.draws()
        for number in signals:
            os.kill(terminal.process, number)
        code = terminal.end()
        check("%s: ends as ever" % name, code == wanted, code)
        check("%s: and the terminal is as before" % name, terminal.is_given_back(), terminal.text[-200:])
    # a first batch of minutes; two seconds of processor time lie within it
    terminal = Terminal(RUN + ["--set", "grid.nx=1024", "--set", "grid.ny=1024", "--steps=2000000000",
                               "--output=twice", "--batch=60000"])
    terminal.until(lambda: processor_seconds(terminal.process) > 2)
    os.kill(terminal.process, signal.SIGINT)
    time.sleep(0.1)
    os.kill(terminal.process, signal.SIGINT)
    code = terminal.end()
    check("two at once end the run in a long batch", code == -2, code)
    check("and the terminal is as before", terminal.is_given_back(), terminal.text[-200:])


def refusals():
    def refused(name, environment, words, **options):
        done = subprocess.run([PROGRAM] + RUN + ["--steps=5", "--output=no"] + words, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
        check(name, done.returncode == 2 and "file or a pipe" in done.stderr and
              "\x1b" not in done.stderr, done.stderr)
        subprocess.run(["rm", "-rf", "no"])
    refused("a pipe is refused", {}, [])
    terminal = Terminal(RUN + ["--steps=5", "--output=dumb"], environment={"TERM": "dumb"})
    code = terminal.end()
    check("so is a terminal that cannot be drawn on", code == 2 and "(TERM)" in terminal.text, terminal.text)


def main():
    for part in (sizes, colours, solvers, orders, ends, refusals):
        part()
    print("1..%d" % check.count)


sys.stdout.reconfigure(line_buffering=True)
main()
