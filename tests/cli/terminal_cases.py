"""terminal_cases.py - the program on terminals of several widths: a pseudo terminal with a small
emulator behind it. Prints TAP."""
import fcntl, os, pty, re, select, shutil, signal, struct, sys, termios, time

PROGRAM = os.environ["TRIREME"]
RUN = ["run", "lbm", "--set", "grid.nx=128", "--set", "grid.ny=128", "--threads=1", "--formats=none",
       "--roof=false", "--batch=8", "--set", "output.name=a-case-with-quite-a-long-name"]


class Screen:
    """What stands on a terminal that breaks long lines anew when its width changes."""

    def __init__(self, width):
        self.width, self.lines, self.row, self.column = width, [""], 0, 0
        self.longest = 0

    def resize(self, width):
        text = self.lines[-1]
        self.width = width
        self.lines[-1:] = [text[i:i + width] for i in range(0, len(text), width)] or [""]
        self.row, self.column = len(self.lines) - 1, len(self.lines[-1])

    def put(self, character):
        if self.column == self.width:
            self.newline()
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def newline(self):
        self.row, self.column = self.row + 1, 0
        while len(self.lines) <= self.row:
            self.lines.append("")

    def feed(self, text):
        for token in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.|\n", text, re.S):
            if token == "\r":
                self.column = 0
            elif token == "\n":
                self.newline()
            elif token == "\x1b[A":
                self.row = max(0, self.row - 1)
            elif token == "\x1b[J":
                self.lines[self.row] = self.lines[self.row][:self.column]
                del self.lines[self.row + 1:]
            elif token[0] != "\x1b":
                self.put(token)
        self.longest = max(self.longest, len(self.lines))


def resize(descriptor, width):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))


def run(words, width, then=None, bars_wanted=0, columns=None):
    """The screen after the program has run on a terminal of that width, and of `then` columns once
    a bar was drawn; and all that was drawn, with the widths. bars_wanted: the run is stopped when so
    many bars stand there in the last width, however fast the machine is."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm"
        os.environ.pop("COLUMNS", None)
        while os.get_terminal_size().columns != (width or 0):
            time.sleep(0.01)
        if columns:
            os.environ["COLUMNS"] = str(columns)
        os.execv(PROGRAM, [PROGRAM] + words)
    resize(terminal, width)
    screen, drawn, begin, stopped = Screen(width or 79), [], time.time(), False
    while True:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                text = os.read(terminal, 65536).decode()
            except OSError:
                break
            if not text:
                break
            drawn.append((screen.width, text))
            screen.feed(text)
        if then and bars(drawn):
            resize(terminal, then)
            screen.resize(then)
            then = None
        last = [piece for piece in drawn if piece[0] == screen.width]
        enough = bars_wanted and not then and len(bars(last)) >= bars_wanted
        if (enough or time.time() - begin > 120) and not stopped:
            os.kill(process, signal.SIGINT)
            stopped = True
    os.waitpid(process, 0)
    os.close(terminal)
    return screen, drawn


def check(name, good, remark=""):
    check.count += 1
    print("%sok %d - %s" % ("" if good else "not ", check.count, name))
    if not good:
        print("".join("# %s\n" % line for line in str(remark).split("\n")), end="")


check.count = 0


def bars(drawn):
    text = "".join(piece for width, piece in drawn)
    return [line for line in re.split(r"\r\x1b\[J|\n", text) if re.search(r"[0-9] %.* left", line)]


def main():
    steps = ["--steps=2000000000"]
    for width in (24, 40, 80, 100, 200):
        screen, drawn = run(RUN + steps, width, None, 4)
        lines = bars(drawn)
        check("%d columns: progress is drawn" % width, len(lines) > 2, drawn[:3])
        check("%d columns: and is shorter than the terminal" % width,
              all(len(line) < width for line in lines), max(lines, key=len, default=""))
        check("%d columns: and nothing of it stays" % width,
              not any(" left" in line for line in screen.lines), "\n".join(screen.lines))
        check("%d columns: the result is there" % width,
              any(line.startswith("fingerprint") for line in screen.lines))
    lines = bars(run(RUN + steps, 200, None, 2)[1])
    check("a wide terminal has name, bar and rate", lines and re.match(
        r"a-case-with-quite-a-long-name on openmp:0 \[#*\.*\] [0-9.]+ %  [0-9.]+ million", lines[0]),
          lines[:1])
    lines = bars(run(RUN + steps, 0, None, 2)[1])
    check("an unknown width counts as 79", lines and all(40 < len(line) < 79 for line in lines),
          lines[:1])
    for then in (40, 130):
        screen, drawn = run(RUN + steps, 100, then, 4)
        lines = bars([piece for piece in drawn if piece[0] == then])
        check("from 100 to %d columns: the next line fits" % then,
              len(lines) > 1 and all(len(line) < then for line in lines[1:]), lines)
        check("from 100 to %d columns: and nothing stays" % then,
              not any(" left" in line for line in screen.lines), "\n".join(screen.lines))
    for width in (80, 100, 200):
        screen, drawn = run(RUN + ["--steps=50", "--profile"], width)
        head = [i for i, line in enumerate(screen.lines) if line.startswith("what ")]
        rows = screen.lines[head[0]:] if head else ["", ""]
        check("%d columns: a table of kernels, each on a line" % width,
              {"lbm_step", "reduce_sum"} <= {line.split(" ")[0] for line in rows[1:]},
              "\n".join(screen.lines))
        check("%d columns: says what has no room" % width,
              any(line.startswith("Hidden columns: ") for line in screen.lines) == (width < 120),
              "\n".join(screen.lines))
        check("%d columns: or shows it" % width, ("occupancy" in rows[0]) == (width >= 120), rows)
    for columns, is_shown in ((200, True), (None, False)):
        screen, drawn = run(RUN + ["--steps=50", "--profile"], 80, None, 0, columns)
        check("COLUMNS=%s counts over a terminal of 80" % columns,
              bool(re.search(r"what  [^\n]* occupancy", "".join(piece for at, piece in drawn))) == is_shown,
              "\n".join(screen.lines))
    small = RUN[1:] + ["--runs=1", "--quiet", "--set", "output.name=small"]
    small = [word for word in small if not word.startswith("--formats")]
    freely = [word for word in small if not word.startswith("--threads")]
    for words in (["devices"], ["cases"], ["solvers", "lbm"], ["run", "--help"], ["--help"],
                  RUN + ["--set", "lbm.nothing_that_is_like_a_key=1"], ["compare", "no-such-case"],
                  ["compare"] + small + ["--steps=9", "--on=openmp", "--brief"],
                  ["compare"] + small + ["--steps=9", "--on=openmp", "--explain"],
                  ["compare"] + small + ["--steps=9", "--on=openmp", "--vary=precision=f32,f64"],
                  ["study"] + freely + ["--seconds=0.01", "--steps=9", "--vary=threads=1,2"],
                  ["study"] + small + ["--seconds=0.01", "--steps=9", "--ladder"]):
        text = "".join(piece for width, piece in run(words, 80)[1])
        text = re.sub(r"\x1b\[[0-9;]*m|\r", "", text)
        widest = max(text.split("\n"), key=len)
        check("80 columns: '%s' fits" % " ".join(words[:2] + words[-1:]), len(widest) <= 80, widest)
    print("1..%d" % check.count)


folder = os.path.join(os.environ["TRIREME_TEST_STATE"], "terminal")
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
main()
