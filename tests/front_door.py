#!/usr/bin/env python3
"""What stands at the front of the tree is true of the tree: front_door.py WHAT, run in its root.

Prints what is wrong, a line each, and ends with 1 then."""
import fnmatch
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
import types

wrong = []


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def expect(condition, sentence):
    if not condition:
        wrong.append(sentence)


def version():
    return re.search(r"AC_INIT\(\[trireme\], \[([^]]*)\]", text("configure.ac")).group(1)


def files_of_the_tree():
    """In a clone what git knows; in an archive all but what bootstrap, builds and installations into
    its folder have made."""
    if os.path.exists(".git"):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"],
                                check=True, capture_output=True, text=True).stdout.splitlines()
        return [path for path in listed if os.path.isfile(path)]
    made = ["configure*", "aclocal.m4", "config.h.in*", "Makefile.in", "build-aux", "autom4te.cache",
            "libtool.m4", "lt*.m4", "_*", "build", "results", ".dirstamp"]
    found = []
    for folder, folders, names in os.walk("."):
        keep = lambda name: not any(fnmatch.fnmatch(name, pattern) for pattern in made) \
            or name == "configure.ac"
        folders[:] = [name for name in folders
                      if keep(name) and not any(os.path.exists(os.path.join(folder, name, mark))
                                            for mark in ("config.status", "bin/trireme"))]
        found += [os.path.relpath(os.path.join(folder, name), ".") for name in names if keep(name)]
    return found


# ---- .editorconfig ------------------------------------------------------------------------

def braces(pattern):
    """The patterns without braces that a pattern of .editorconfig stands for."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [whole for word in match.group(1).split(",")
            for whole in braces(pattern[:match.start()] + word + pattern[match.end():])]


def editor_rules():
    rules, keys = [], None
    for line in text(".editorconfig").splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            keys = {}
            rules.append((braces(line[1:-1]), keys))
        elif line and line[0] not in "#;":
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or (keys is None and key != "root"):
                wrong.append(f".editorconfig: '{line}' is no setting")
            elif keys is not None:
                keys[key] = value
    return rules


def matches(path, pattern):
    if "/" in pattern:
        return fnmatch.fnmatchcase(path, pattern.replace("**", "*"))
    return fnmatch.fnmatchcase(os.path.basename(path), pattern)


def settings_of(path, rules):
    settings = {}
    for patterns, keys in rules:
        if any(matches(path, pattern) for pattern in patterns):
            settings.update(keys)
    return {key: value for key, value in settings.items() if value != "unset"}


def check_file(path, settings):
    with open(path, "rb") as file:
        data = file.read()
    if settings.get("charset") == "utf-8":
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong.append(f"{path}: not UTF-8: {error}")
    expect("end_of_line" not in settings or b"\r" not in data, f"{path}: a line ends with CR")
    if settings.get("insert_final_newline") == "true":
        expect(not data or data.endswith(b"\n"), f"{path}: no newline at the end")
    most = int(settings.get("max_line_length", 0))
    for number, line in enumerate(data.split(b"\n"), 1):
        if settings.get("trim_trailing_whitespace") == "true":
            expect(line == line.rstrip(), f"{path}:{number}: blanks at the end of the line")
        if settings.get("indent_style") == "space":
            expect(b"\t" not in line[:len(line) - len(line.lstrip())], f"{path}:{number}: a tab in the indent")
        if most and b"\\\n" not in line:
            expect(len(line.decode("utf-8", "replace")) <= most, f"{path}:{number}: more than {most} columns")


def editorconfig():
    rules = editor_rules()
    files = [path for path in files_of_the_tree() if not path.endswith((".png", ".npy"))]
    expect(len(files) > 100, f"only {len(files)} files were found")
    for path in files:
        check_file(path, settings_of(path, rules))


# ---- CITATION.cff, CHANGELOG.md, the glossary ----------------------------------------------

def citation():
    import yaml
    cff = yaml.safe_load(text("CITATION.cff"))
    for key in ("cff-version", "message", "title", "authors", "type", "version", "license"):
        expect(cff.get(key), f"CITATION.cff lacks {key}")
    expect(cff.get("cff-version") == "1.2.0", "CITATION.cff: cff-version is not 1.2.0")
    expect(cff.get("type") in ("software", "dataset"), "CITATION.cff: type is software or dataset")
    expect(str(cff.get("version")) == version(), f"CITATION.cff has version {cff.get('version')}, "
           f"configure.ac {version()}")
    for author in cff.get("authors", []):
        expect(author.get("name") or author.get("family-names"), "CITATION.cff: an author without a name")
    known = ("cff-version message type title abstract authors version license keywords date-released doi url "
             "repository-code commit contact identifiers preferred-citation references").split()
    expect(set(cff) <= set(known), f"CITATION.cff has unknown keys: {set(cff) - set(known)}")


def changelog():
    lines = text("CHANGELOG.md").splitlines()
    releases = [line for line in lines if line.startswith("## ")]
    expect(lines[:1] == ["# Changelog"], "CHANGELOG.md does not begin with '# Changelog'")
    expect(releases[:1] == ["## [Unreleased]"], "CHANGELOG.md: the first section is not [Unreleased]")
    for line in releases[1:]:
        expect(re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", line), f"CHANGELOG.md: '{line}'")
    for line in lines:
        if line.startswith("### "):
            expect(line[4:] in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"),
                   f"CHANGELOG.md: '{line}'")


def glossary():
    entries = text("docs/glossary.md").strip().split("\n\n")[2:]
    words = []
    for entry in entries:
        match = re.match(r"\*\*([^*]+)\.\*\* ", entry)
        expect(match, f"docs/glossary.md: no word at the head of '{entry[:40]}'")
        words.append(match.group(1).lower() if match else "")
        expect(entry.count("\n") <= 1, f"docs/glossary.md: {words[-1]} has more than two lines")
    expect(30 < len(words) <= 40, f"docs/glossary.md has {len(words)} words; 40 at most")
    expect(words == sorted(words), "docs/glossary.md is not in alphabetical order")


# ---- what pages name ------------------------------------------------------------------------

FOLDERS = "core|backend-openmp|backend-opencl|backend-cuda|io|solvers|cli|tests|docs|cases|m4|packaging|debian"
# Names that stand for another, and files that are made.
STANDS_FOR = re.compile(r"NAME|NNNN|\*|\$|<|\.\.\.|FOLDER")
MADE = re.compile(r"(^|/)(configure|.*\.trs|.*\.log)$")


def named_files(path):
    """(line, file) for each file of the tree that a page names in backticks, or a source by docs/..."""
    for number, line in enumerate(text(path).splitlines(), 1):
        if path.endswith(".md"):
            for word in re.findall(r"`([^`\s]+)`", line):
                if re.match(rf"({FOLDERS})/[\w*.-]", word) or re.fullmatch(r"[A-Z]+\.(md|cff)", word):
                    yield number, word
            for word in re.findall(r"\]\(([^)#:\s]+)\)", line):
                yield number, os.path.relpath(os.path.join(os.path.dirname(path), word), ".")
        else:
            for word in re.findall(r"docs/[\w/-]+\.md", line):
                yield number, word


def exists(name):
    name = re.sub(r":\d+$", "", name)
    return os.path.exists(name) or any(os.path.exists(name + end) for end in (".c", ".sh", ".k", ".h"))


def names():
    pages = [path for path in files_of_the_tree()
             if re.search(r"\.(md|c|h|k|sh|awk|py|mk|am|ac|m4|conf|in)$|(^|/)[A-Za-z]+$", path)
             and not path.startswith(("docs/example-report/", "docs/journal/", "tests/data/", "tests/data/corpus/"))
             and path != "CHANGELOG.md"]
    count = 0
    for path in pages:
        for number, name in named_files(path):
            count += 1
            expect(STANDS_FOR.search(name) or MADE.search(name) or exists(name),
                   f"{path}:{number}: there is no {name}")
    expect(count > 100, f"only {count} names were found")


def comments():
    """A formatter that wraps a comment of full width leaves its end alone on a line."""
    sources = [path for path in files_of_the_tree() if path.endswith((".c", ".h", ".k"))]
    expect(len(sources) > 100, f"only {len(sources)} sources were found")
    for path in sources:
        for number, line in enumerate(text(path).splitlines(), 1):
            expect(line.strip() != "* */", f"{path}:{number}: the end of a comment alone on its line")


def contributing():
    tests = {os.path.splitext(os.path.basename(path))[0] for path in files_of_the_tree()
             if path.startswith("tests/")}
    page = text("CONTRIBUTING.md")
    rows = re.findall(r"^\| .* \| (`.*) \|$", page, re.M)
    table = [word for row in rows for word in re.findall(r"`([a-z_]+)(?:\.sh)?`", row)]
    by_hand = re.findall(r"tests/run ([a-z_]+)(?:\.sh)?", page + text("docs/versions.md"))
    expect(len(table) > 15 and len(by_hand) > 2, "CONTRIBUTING.md names hardly any test")
    for name in table + by_hand:
        expect(name in tests, f"there is no test {name}, which CONTRIBUTING.md or docs/versions.md names")


def abi():
    """docs/versions.md has today's number of each interface, and every interface of a header."""
    page = text("docs/versions.md")
    rows = dict(re.findall(r"^\| `([A-Z_]+|libtrireme[\w-]*\.so\.N)` \| (\d+) \|", page, re.M))
    found = {}
    for path in files_of_the_tree():
        if path.endswith(".h") and not path.startswith("tests/"):
            for name, number in re.findall(r"^enum \{ (TRM_\w*ABI) = (\d+) \};", text(path), re.M):
                found[name] = number
        if path.endswith("local.mk"):
            for library, current in re.findall(r"(libtrireme\w*)_la_LDFLAGS = .*-version-info (\d+):", text(path)):
                found[library.replace("_run", "-run").replace("_solver", "-solver") + ".so.N"] = current
    expect(len(found) > 5, f"only {sorted(found)} are interfaces")
    for name in sorted(set(rows) | set(found)):
        expect(rows.get(name) == found.get(name),
               f"docs/versions.md has {rows.get(name)} as the number of {name}, the sources {found.get(name)}")


# ---- packages -------------------------------------------------------------------------------

def modules():
    """What configure asks pkg-config for: {module: (Debian package, feature or None)}."""
    found = {}
    ac = text("configure.ac")
    for module, package in re.findall(r"TRM_REQUIRED\(\[\w+\], \[([\w-]+)\], \[([\w-]+)\]", ac):
        found[module] = (package, None)
    asks = r"TRM_MODULE\(\[\w+\], \[([\w-]+)\], \[([\w-]+)\]"
    for feature, body in re.findall(r"TRM_FEATURE\(\[(\w+)\]((?:(?!TRM_FEATURE).)*)", ac, re.S):
        for module, package in re.findall(asks, body):
            found[module] = (package, feature)
    for module, package in re.findall(asks, text("m4/opencl.m4")):
        found[module] = (package, "opencl")
    expect(len(found) == 10, f"configure asks pkg-config for {sorted(found)}: has front_door.py read it rightly?")
    return found


def features():
    return set(re.findall(r"^TRM_FEATURE\(\[(\w+)\]", text("configure.ac"), re.M))


def build_time():
    """README's one sentence about the build, against the processor time that quickstart took for a whole one."""
    said = re.search(r"\((\d+) minutes of processor time\)", text("README.md"))
    expect(said, "README.md does not say how long the build takes")
    for page in glob.glob("docs/*.md") + ["CONTRIBUTING.md"]:
        expect(not re.search(r"build takes \w+ minutes", text(page)), f"{page} says it too: README.md alone does")
    found = os.environ.get("TRIREME_BUILD_SECONDS", "")
    if found:
        ratio = float(found) / (60 * int(said.group(1)))
        expect(1 / 1.5 <= ratio <= 1.5, f"the build took {found} s of processor time, {ratio:.2f} of what README.md says")


def debian_packages():
    wanted = {package for package, _ in modules().values()}
    quickstart = " ".join(re.findall(r'^(?:needed|optional)="(.*?)"', text("quickstart"), re.M | re.S)).split()
    page = re.search(r"^apt install (.*?)^```", text("docs/install.md"), re.M | re.S).group(1).replace("\\", "").split()
    depends = re.search(r"^Build-Depends: (.*?)^\S", text("debian/control"), re.M | re.S).group(1)
    control = [re.match(r"[\w.+-]+", word.strip()).group(0) for word in depends.split(",")]
    for place, listed in (("quickstart", quickstart), ("docs/install.md", page), ("debian/control", control)):
        expect(wanted <= set(listed), f"{place} lacks {sorted(wanted - set(listed))}")
        libraries = {name for name in listed if name.endswith("-dev")} - {"libc6-dev", "libopenmpi-dev"}
        expect(libraries <= wanted, f"{place} has {sorted(libraries - wanted)}, which configure does not ask for")


def debian():
    stanzas = [dict(re.findall(r"^([\w-]+):\s*(.*?)(?=^[\w-]+:|\Z)", stanza, re.M | re.S))
               for stanza in re.split(r"\n\n+", text("debian/control").strip())]
    expect(stanzas[0].get("Source", "").strip() == "trireme", "debian/control: the first stanza is no source")
    for stanza in stanzas[1:]:
        name = stanza.get("Package", "").strip()
        for key in ("Package", "Architecture", "Description"):
            expect(stanza.get(key), f"debian/control: {name or 'a stanza'} lacks {key}")
        expect(os.path.exists(f"debian/{name}.install"), f"there is no debian/{name}.install")
    first = re.match(r"trireme \(([\d.]+)-\d+\) \w+; urgency=\w+$", text("debian/changelog").splitlines()[0])
    expect(first and first.group(1) == version(), f"debian/changelog does not begin with version {version()}")
    expect(os.access("debian/rules", os.X_OK), "debian/rules cannot be executed")


SPACK_NAMES = {"libconfig": "libconfig", "jansson": "jansson", "libxxhash": "xxhash", "zlib": "zlib-api", "libpng": "libpng",
               "fontconfig": "fontconfig", "libmicrohttpd": "libmicrohttpd", "netcdf": "netcdf-c", "cmocka": "cmocka", "OpenCL": "opencl"}


def spack():
    """Runs the recipe's class body with Spack's directives recorded, then its configure_args."""
    recipe = "packaging/spack/packages/trireme/package.py"
    calls = {name: [] for name in ("version", "variant", "depends_on", "license")}
    stub = types.ModuleType("spack.package")
    for name in calls:
        setattr(stub, name, lambda *words, called=name, **keys: calls[called].append((words, keys)))

    class AutotoolsPackage:
        run_tests = False

        def with_or_without(self, name):
            return [f"--with-{name}"]

    commands = []
    stub.AutotoolsPackage = AutotoolsPackage
    stub.Executable = lambda command: lambda *words: commands.append(command)
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": stub})
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("package", recipe)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    package = module.Trireme()

    variants = {words[0] for words, _ in calls["variant"]}
    expect(variants == features() - {"cuda", "cmocka", "mpi_abi"}, f"{recipe}: variants {sorted(variants)}")
    depends = {words[0].split("@")[0]: keys for words, keys in calls["depends_on"]}
    for name, (_, feature) in modules().items():
        keys = depends.get(SPACK_NAMES[name])
        expect(keys is not None, f"{recipe} does not depend on {SPACK_NAMES[name]}")
        expected = {} if feature is None else {"type": "test"} if feature == "cmocka" else {"when": "+" + feature}
        expect(keys in (None, expected), f"{recipe}: {SPACK_NAMES[name]} has {keys}, not {expected}")
    for name in ("openmpi", "mpich"):
        expect(depends.get(name) == {"when": "+" + name}, f"{recipe}: {name} has {depends.get(name)}")
    libraries = {name for name, keys in depends.items() if keys.get("type") != "build"}
    expect(libraries <= set(SPACK_NAMES.values()) | {"openmpi", "mpich"}, f"{recipe}: configure does not ask for {libraries}")
    expect(os.path.realpath(package.git[len("file://"):]) == os.path.realpath("."),
           f"{recipe}: git is {package.git}")
    options = set(re.findall(r"--with-([\w-]+)", " ".join(package.configure_args())))
    known = {feature.replace("_", "-") for feature in features()} | {"cuda-toolkit", "isa"}
    expect(options <= known, f"{recipe}: configure has no {options - features()}")
    package.autoreconf(None, None)
    expect(commands and all(os.access(command, os.X_OK) for command in commands),
           f"{recipe}: {commands} cannot be executed")
    expect(text("packaging/spack/repo.yaml").startswith("repo:\n"), "packaging/spack/repo.yaml is no repository")


# ---- who includes whom -------------------------------------------------------------------------

def room(path):
    """The room of docs/design.md's drawing that a source lies in; core is not drawn."""
    folder = os.path.dirname(path)
    wide = ("core", "cli/compare", "solvers/compressible", "solvers/exercises", "solvers/lbm", "solvers/lbm3d",
            "solvers/nbody", "solvers/shallow")
    return next((one for one in wide if folder == one or folder.startswith(one + "/")), folder)


def drawn_rooms():
    """The arrows of the drawing: {(room, room)}."""
    drawing = re.search(r"```mermaid\n(.*?)```", text("docs/design.md"), re.S).group(1)
    names = dict(re.findall(r'^  (\w+)\["(.*?)"\]$', drawing, re.M))
    arrows = set()
    for line in re.findall(r"^  (.+ --> .+)$", drawing, re.M):
        ends = [[names.get(word, word) for word in side.split(" & ")] for side in line.split(" --> ")]
        arrows |= {(a, b) for a in ends[0] for b in ends[1]}
    return arrows


def rooms():
    sources = {path for path in files_of_the_tree()
               if re.match(r"(core|io|solvers|run|cli)/.*\.[chk]$", path)}
    found = {}
    for path in sources:
        for name in re.findall(r'^#\s*include\s+["<](.+?)[">]', text(path), re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            for other in {name, beside} & sources:
                if "core" not in (room(path), room(other)) and room(path) != room(other):
                    found[room(path), room(other)] = path
                expect(room(path) != "core" or room(other) == "core", f"{path} includes {other}")
    for path in files_of_the_tree():
        if re.match(r"(backend-\w+|comm-\w+)/.*\.[chk]$", path):
            for name in re.findall(r'^#\s*include\s+"(.+?)"', text(path), re.M):
                if "/" in name and os.path.exists(name):
                    expect(name.split("/")[0] in ("core", path.split("/")[0]), f"{path} includes {name}")
    listed = set(re.findall(r"`([\w/-]+/)`", "".join(
        line.split("|")[1] for line in text("docs/design.md").splitlines() if re.match(r"\| `[\w/-]+/`", line))))
    makes = {path for path in files_of_the_tree() if re.search(r"/local\.mk$", path)}
    for folder in sorted({"/".join(path.split("/")[:2 if re.match(r"(core|cli)/.*/", path) else 1]) + "/"
                          for path in sources | makes}):
        expect(folder in listed, f"the folders of docs/design.md lack {folder}")
    for folder in listed:
        expect(os.path.isdir(folder), f"docs/design.md lists {folder}, which is not there")
    drawn = drawn_rooms()
    for a, b in sorted(set(found) - drawn):
        expect(False, f"{found[a, b]} includes {b}, and the drawing of docs/design.md has no {a} --> {b}")
    for a, b in sorted(drawn - set(found)):
        expect(False, f"the drawing of docs/design.md has {a} --> {b}, and no source does that")


# ---- machines of others -----------------------------------------------------------------------

def workflow():
    import yaml
    path = ".github/workflows/ci.yml"
    steps = [step for job in yaml.safe_load(text(path))["jobs"].values() for step in job["steps"]]
    runs = [step["run"].strip() for step in steps if "run" in step]
    expect(runs == [".ci/run"], f"{path} runs {runs}, not .ci/run alone")
    uses = [step["uses"].split("@")[0] for step in steps if "uses" in step]
    expect(uses == ["actions/checkout"], f"{path} uses {uses}")
    expect(os.access(".ci/run", os.X_OK), ".ci/run cannot be executed")


def containerfile():
    lines = re.sub(r"\\\n", " ", text("Containerfile")).splitlines()
    steps = [tuple(line.split(None, 1)) for line in lines if line.strip() and not line.startswith("#")]
    known = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "ENTRYPOINT", "CMD", "LABEL", "USER"}
    for word, _ in steps:
        expect(word in known, f"Containerfile: {word} is no instruction")
    kinds = [word for word, _ in steps]
    expect("FROM" in kinds and set(kinds[:kinds.index("FROM")]) <= {"ARG"}, "Containerfile: FROM is not first")
    runs = [rest for word, rest in steps if word == "RUN"]
    expect(len(runs) == 1 and runs[0].startswith("./quickstart"), "Containerfile: the build is not ./quickstart")
    expect("apt" not in " ".join(runs), "Containerfile has packages of its own; they belong into quickstart")
    for word, rest in steps:
        if word in ("ENTRYPOINT", "CMD"):
            expect(isinstance(json.loads(rest), list), f"Containerfile: {word} is no list")
    ignored = text(".dockerignore").split()
    expect({"build", "results"} <= set(ignored), ".dockerignore lets a build tree in")


if __name__ == "__main__":
    checks = [editorconfig, citation, changelog, glossary, names, comments, contributing, abi, rooms, build_time, debian_packages, debian,
              spack, workflow, containerfile]
    {check.__name__: check for check in checks}[sys.argv[1]]()
    print(*wrong[:40], sep="\n", end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
