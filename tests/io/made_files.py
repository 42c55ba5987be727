"""Writes files in many of the ways in which their formats allow it, and compares what the readers
make of them: the same numbers, or a refusal where the file is wrong. made_files.py READ_BACK FOLDER
COUNT SEED; the writers are its own, so that a fault of a reader is not theirs too."""
import math, os, random, struct, subprocess, sys

reader, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
draw = random.Random(seed)
single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
EARTH = 6371000.0 * math.pi / 180


def text_of(x):
    return draw.choice(("%.17g", "%.17e", "%+.17g"))% x


def ascii_grid():
    nx, ny, side = draw.randint(2, 6), draw.randint(2, 6), draw.choice((10.0, 2.5, 0.125))
    x0, y0 = draw.choice((0.0, 512000.5)), draw.choice((0.0, 4100000.25))
    mark = draw.choice((None, -9999.0, -32768.0, 1e20, -3.4028234663852886e38, float("nan")))
    z = [[draw.uniform(-50, 50) for _ in range(nx)] for _ in range(ny)]
    holes = [(draw.randrange(ny), draw.randrange(nx)) for _ in range(draw.randint(0, 2))]
    wrong = draw.random() < 0.25
    is_centre, is_pair = draw.random() < 0.5, draw.random() < 0.3
    dy = 2 * side if is_pair else side
    head = [("ncols", nx), ("nrows", ny),
            ("xllcenter", x0 + side / 2) if is_centre else ("xllcorner", x0),
            ("yllcenter", y0 + dy / 2) if is_centre else ("yllcorner", y0)]
    head += [("dx", side), ("dy", dy)] if is_pair else [("cellsize", side)]
    if mark is not None:
        head.append(("NODATA_value", draw.choice(("%.17g", "%.6g" if abs(mark) > 1e6 else "%g")) % mark))
    draw.shuffle(head)
    word = lambda r, c: ("%.17g" % (-9999 if mark is None else mark)) if (r, c) in holes else text_of(z[r][c])
    rows = [draw.choice((" ", "\t", "  ")).join(word(r, c) for c in range(nx)) for r in range(ny - 1, -1, -1)]
    lines = ["%s %s" % (draw.choice((k, k.upper())), v) for k, v in head] + rows
    if wrong:
        what = draw.randrange(4)
        if what == 0: lines[-1] += " 7"
        elif what == 1: lines[-1] = lines[-1].rsplit(None, 1)[0] if nx > 1 else ""
        elif what == 2: lines[-1] = lines[-1] + "m"
        else: lines.insert(0, "ncols %d" % nx)
    end = draw.choice(("\n", "\r\n"))
    expected = [nx, ny, x0, y0, side, dy] + [math.nan if (r, c) in holes else z[r][c]
                                             for r in range(ny) for c in range(nx)]
    return "grid", ".asc", end.join(lines + [""]).encode(), None if wrong else expected


def netcdf():
    """Classic netCDF, versions 1 and 2."""
    nx, ny = draw.randint(2, 5), draw.randint(2, 5)
    kind = draw.choice(("short", "int", "float", "double"))
    number, form = {"short": (3, ">h"), "int": (4, ">i"), "float": (5, ">f"), "double": (6, ">d")}[kind]
    scale, offset = draw.choice(((1.0, 0.0), (0.5, -20.0), (0.25, 8.0))) if kind in ("short", "int") else (1.0, 0.0)
    raw = [draw.randint(-200, 200) if kind in ("short", "int") else draw.uniform(-50, 50) for _ in range(nx * ny)]
    if kind == "float": raw = [single(v) for v in raw]
    mark = {"short": -32768, "int": -99999}.get(kind, draw.choice((1e20, -9999.9, float("nan"))))
    holes = {draw.randrange(nx * ny) for _ in range(draw.randint(0, 2))}
    for i in holes: raw[i] = mark
    degrees = draw.random() < 0.4
    swapped, downward = draw.random() < 0.3, draw.random() < 0.3
    wrong = draw.random() < 0.2
    xs = [10 + 0.5 * i for i in range(nx)] if degrees else [100 + 25.0 * i for i in range(nx)]
    ys = [40 + 0.25 * i for i in range(ny)] if degrees else [300 + 12.5 * i for i in range(ny)]
    x_name, y_name = draw.choice((("lon", "lat"), ("Longitude", "Latitude"))) if degrees else ("x", "y")
    file_ys = ys[::-1] if downward else ys
    order = [(j, i) for i in range(nx) for j in range(ny)] if swapped else [(j, i) for j in range(ny) for i in range(nx)]
    cell = lambda j, i: (ny - 1 - j if downward else j) * nx + i
    values = [raw[cell(j, i)] for j, i in order]

    def name(s): return struct.pack(">I", len(s)) + s.encode() + b"\0" * (-len(s) % 4)
    def text_attribute(k, s): return name(k) + struct.pack(">II", 2, len(s)) + s.encode() + b"\0" * (-len(s) % 4)
    def number_attribute(k, v, n, f):
        data = struct.pack(f, v)
        return name(k) + struct.pack(">II", n, 1) + data + b"\0" * (-len(data) % 4)
    def listed(tag, items): return struct.pack(">II", tag if items else 0, len(items)) + b"".join(items)

    z_attributes = []
    how = draw.randrange(3)
    if how == 0: z_attributes.append(number_attribute("_FillValue", mark, number, form))
    elif how == 1 or not math.isfinite(mark): z_attributes.append(number_attribute("missing_value", mark, 6, ">d"))
    else: z_attributes.append(text_attribute("missing_value", "%.17g" % mark))
    if scale != 1: z_attributes += [number_attribute("scale_factor", scale, 6, ">d"), number_attribute("add_offset", offset, 6, ">d")]
    unit = draw.choice(("m", "metres", "Meters"))
    z_attributes.append(text_attribute("units", "feet" if wrong else unit))
    x_unit = draw.choice(("", "degrees_east", "degree_east", "degrees")) if degrees else draw.choice(("m", "metre"))
    y_unit = draw.choice(("", "degrees_north", "degrees")) if degrees else "m"
    pack = lambda f, vs: b"".join(struct.pack(f, v) for v in vs)
    datas = [pack(">d", xs), pack(">d", file_ys), pack(form, values)]
    datas = [d + b"\0" * (-len(d) % 4) for d in datas]
    version = draw.choice((1, 2))

    def head(begins):
        where = lambda k: struct.pack(">I" if version == 1 else ">Q", begins[k])
        variable = lambda k, n, dims, atts, t: (name(n) + struct.pack(">I", len(dims)) + b"".join(struct.pack(">I", d) for d in dims) +
                                                listed(12, atts) + struct.pack(">II", t, len(datas[k])) + where(k))
        return (b"CDF" + bytes([version]) + struct.pack(">I", 0) +
                listed(10, [name(x_name) + struct.pack(">I", nx), name(y_name) + struct.pack(">I", ny)]) + listed(12, []) +
                listed(11, [variable(0, x_name, [0], [text_attribute("units", x_unit)] if x_unit else [], 6),
                            variable(1, y_name, [1], [text_attribute("units", y_unit)] if y_unit else [], 6),
                            variable(2, "z", [0, 1] if swapped else [1, 0], z_attributes, number)]))
    size = len(head([0, 0, 0]))
    data = head([size, size + len(datas[0]), size + len(datas[0]) + len(datas[1])]) + b"".join(datas)
    dx, dy = xs[1] - xs[0], ys[1] - ys[0]
    place = [nx, ny, xs[0] - dx / 2, ys[0] - dy / 2, dx, dy]
    if degrees:
        middle = math.radians((ys[0] + ys[-1]) / 2)
        place = [nx, ny, 0, 0, dx * EARTH * math.cos(middle), dy * EARTH]
    heights = [math.nan if k in holes else raw[k] * scale + offset for k in range(nx * ny)]
    return "grid", ".nc", data, None if wrong else place + heights


def surface():
    triangles = [[single(draw.uniform(-5, 5)) for _ in range(9)] for _ in range(draw.randint(1, 8))]
    wrong = draw.random() < 0.3
    if draw.random() < 0.4:
        data = draw.choice((b"solid binary", b"made")).ljust(80, b" ") + struct.pack("<I", len(triangles))
        data += b"".join(struct.pack("<12fH", 0, 0, 0, *t, draw.randrange(65536)) for t in triangles)
        return "stl", ".stl", data[:-1] if wrong else data, None if wrong else [len(triangles)] + sum(triangles, [])
    gap, end = draw.choice((("\n", "\n"), ("\r\n", "\n"), (" ", " "), ("\n  ", "\r\n")))
    case = draw.choice((str.lower, str.upper))
    out = [case("solid") + " " + draw.choice(("part", "1", "a b")) + ("\n" if gap != " " else "")]
    for t in triangles:
        out.append(case("facet normal") + " 0 0 1" + gap + case("outer loop"))
        out += [case("vertex") + " " + " ".join(text_of(v) for v in t[3 * k:3 * k + 3]) for k in range(3)]
        out += [case("endloop"), case("endfacet")]
    out.append(case("endsolid"))
    if wrong:
        k = draw.choice([i for i, w in enumerate(out) if w.lower().startswith("vertex")])
        out[k] = draw.choice((out[k] + "m", out[k] + ",5", out[k] + " 1", out[k].rsplit(" ", 1)[0] + " 1,5", out[k] + " # top"))
    return "stl", ".stl", gap.join(out).encode() + end.encode(), None if wrong else [len(triangles)] + sum(triangles, [])


def bodies():
    rows = [[draw.uniform(-5, 5) for _ in range(7)] for _ in range(draw.randint(1, 6))]
    names = ["x", "y", "z", "vx", "vy", "vz", "m"]
    order, sep = list(range(7)), draw.choice((" ", ",", ", ", "\t", ";"))
    has_heading = draw.random() < 0.6
    if has_heading: draw.shuffle(order)
    wrong = draw.random() < 0.25
    lines = [sep.join(text_of(r[c]) for c in order) for r in rows]
    heading = sep.join(draw.choice((names[c], names[c].upper())) for c in order)
    if wrong:
        if has_heading and draw.random() < 0.5: heading = heading.replace(names[order[0]], "height", 1) if heading.startswith(names[order[0]]) else "q" + heading
        else: lines[-1] += draw.choice(("kg", sep + "1", ",,1", " 0x5"))
    if has_heading: lines.insert(0, draw.choice(("", "" if wrong else "# ")) + heading)
    return "bodies", ".csv", "\n".join(lines).encode(), None if wrong else [len(rows)] + sum(rows, [])


def close(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12 * abs(b)


writers = [ascii_grid, surface, bodies] + ([netcdf] if sys.argv[5:] != ["no"] else [])
made, asked = [], ""
for i in range(count):
    kind, suffix, data, expected = draw.choice(writers)()
    path = os.path.join(folder, "made%d%s" % (i, suffix))
    with open(path, "wb") as file: file.write(data)
    made.append((path, expected))
    asked += "%s %s\n" % (kind, path)
answers = subprocess.run([reader], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
faults = 0 if len(answers) == count else 1
for (path, expected), answer in zip(made, answers):
    words = answer.split()
    good = (words == ["refused"]) if expected is None else (
        words[0] == "ok" and len(words) == 1 + len(expected) and
        all(close(float(w), e) for w, e in zip(words[1:], expected)))
    if not good:
        faults += 1
        print("# %s: expected %s, read %s" % (path, "a refusal" if expected is None else str(expected)[:150], answer[:150]))
print("# %d files, %d refused, %d faults" % (count, sum(a == "refused" for a in answers), faults))
sys.exit(1 if faults else 0)
