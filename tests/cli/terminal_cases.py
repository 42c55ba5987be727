"""terminal_cases.py - the program on terminals of several widths: a pseudo terminal with a small
emulator behind it. Prints TAP."""
import fcntl, os, pty, re, select, shutil, struct, sys, termios, time

PROGRAM = os.environ["TRIREME"]
RUN = ["run", "lbm", "--set", "grid.nx=128", "--set", "grid.ny=128", "--threads=1", "--formats=none",
       "--ceiling=false", "--batch=8", "--set", "output.name=a-case-with-quite-a-long-name"]


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


def run(words, width, then=None, seconds=2.0):
    """The screen after the program has run on a terminal of that width, and of `then` columns in
    the second half; all lines drawn; and the most lines that stood there at once."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm"
        os.environ.pop("COLUMNS", None)
        while os.get_terminal_size().columns != (width or 0):
            time.sleep(0.01)
        os.execv(PROGRAM, [PROGRAM] + words)
    resize(terminal, width)
    screen, drawn, begin = Screen(width or 79), [], time.time()
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
        if then and time.time() - begin > seconds:
            resize(terminal, then)
            screen.resize(then)
            then = None
    os.waitpid(process, 0)
    os.close(terminal)
    return screen, drawn


def check(name, good, remark=""):
    check.count += 1
    print("%sok %d - %s" % ("" if good else "not ", check.count, name))
    if not good:
        print("".join("# %s\n" % line for line in str(remark).split("\n")), end="")


check.count = 0


def steps_for(seconds):
    """Steps that take about so long here."""
    begin = time.time()
    run(RUN + ["--steps=400", "--quiet"], 80)
    return max(400, int(400 * seconds / (time.time() - begin)))


def bars(drawn):
    text = "".join(piece for width, piece in drawn)
    return [line for line in re.split(r"\r\x1b\[J|\n", text) if re.search(r"[0-9] %.* left", line)]


def main():
    steps = ["--steps=%d" % steps_for(3)]
    for width in (20, 40, 80, 100, 200):
        screen, drawn = run(RUN + steps, width)
        lines = bars(drawn)
        check("%d columns: progress is drawn" % width, len(lines) > 2, drawn[:3])
        check("%d columns: and is shorter than the terminal" % width,
              all(len(line) < width for line in lines), max(lines, key=len, default=""))
        check("%d columns: and nothing of it stays" % width,
              not any(" left" in line for line in screen.lines), "\n".join(screen.lines))
        check("%d columns: the result is there" % width,
              any(line.startswith("fingerprint") for line in screen.lines))
    lines = bars(run(RUN + steps, 200)[1])
    check("a wide terminal has name, bar and rate", lines and re.match(
        r"a-case-with-quite-a-long-name on openmp:0 \[#*\.*\] [0-9.]+ %  [0-9.]+ million", lines[0]),
          lines[:1])
    lines = bars(run(RUN + steps, 0)[1])
    check("an unknown width counts as 79", lines and all(40 < len(line) < 79 for line in lines),
          lines[:1])
    for then in (40, 130):
        screen, drawn = run(RUN + steps, 100, then, 1.5)
        lines = bars([piece for piece in drawn if piece[0] == then])
        check("from 100 to %d columns: the next line fits" % then,
              lines and all(len(line) < then for line in lines[1:]), lines)
        check("from 100 to %d columns: and nothing stays" % then,
              not any(" left" in line for line in screen.lines), "\n".join(screen.lines))
    for width in (80, 100, 200):
        screen, drawn = run(RUN + ["--steps=50", "--profile"], width)
        head = [i for i, line in enumerate(screen.lines) if line.startswith("what ")]
        rows = screen.lines[head[0]:head[0] + 3] if head else []
        check("%d columns: a table of kernels" % width,
              rows and rows[1].startswith("lbm_step") and rows[2].startswith("reduce_sum"),
              "\n".join(screen.lines))
        check("%d columns: says what has no room" % width,
              any(line.startswith("(no room for: ") for line in screen.lines) == (width < 120),
              "\n".join(screen.lines))
        check("%d columns: or shows it" % width, ("occupancy" in rows[0]) == (width >= 120), rows)
    for words in (["devices"], ["solvers", "lbm"], ["run", "--help"], ["--help"]):
        text = "".join(piece for width, piece in run(words, 80)[1])
        widest = max(text.replace("\r", "").split("\n"), key=len)
        check("80 columns: '%s' fits" % " ".join(words), len(widest) <= 80, widest)
    print("1..%d" % check.count)


folder = os.path.join(os.environ["TRIREME_TEST_STATE"], "terminal")
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
main()
