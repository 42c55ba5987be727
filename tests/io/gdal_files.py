"""Lets GDAL write rasters in its options, as ESRI ASCII grids and netCDF, and compares what the
reader makes of them with what GDAL itself reads back: the same numbers in the same places, or a
refusal. gdal_files.py READ_BACK FOLDER COUNT SEED NETCDF (yes|no)"""
import math, os, random, struct, subprocess, sys

from osgeo import gdal, osr

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")
reader, folder, count, seed, netcdf = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] != "no"
draw = random.Random(seed)
EARTH = 6371000.0 * math.pi / 180  # as the pages say
KINDS = {"Byte": ("B", gdal.GDT_Byte), "Int16": ("h", gdal.GDT_Int16), "Int32": ("i", gdal.GDT_Int32),
         "Float32": ("f", gdal.GDT_Float32), "Float64": ("d", gdal.GDT_Float64)}


def raster():
    """A raster in memory, and whether its axes are degrees (None: it does not say)."""
    kind = draw.choice(list(KINDS))
    letter, number = KINDS[kind]
    nx, ny = draw.randint(2, 6), draw.randint(2, 6)
    place = draw.choice(("metres", "metres", "degrees", "nothing"))
    side = draw.choice((0.25, 0.125)) if place == "degrees" else draw.choice((10.0, 2.5, 1000.0))
    tall = draw.choice((1, 1, 2)) * side
    west, north = (10.0, 50.0) if place == "degrees" else draw.choice(((0.0, ny * tall), (512000.5, 4100000.25)))
    low, high = (0, 200) if kind == "Byte" else (-200, 200)
    whole = kind in ("Byte", "Int16", "Int32")
    values = [draw.randint(low, high) if whole else draw.uniform(low, high) for _ in range(nx * ny)]
    marks = {"Byte": [255], "Int16": [-32768, -9999], "Int32": [-99999],
             "Float32": [-9999, struct.unpack("<f", struct.pack("<f", 1e20))[0], -3.4028234663852886e38, math.nan],
             "Float64": [-9999, 1e20, math.nan, -9999.9]}
    mark = draw.choice([None] + marks[kind])
    for _ in range(draw.randint(0, 2) if mark is not None else 0):
        values[draw.randrange(nx * ny)] = mark
    made = gdal.GetDriverByName("MEM").Create("", nx, ny, 1, number)
    made.SetGeoTransform((west, side, 0, north, 0, -tall))
    if place != "nothing":
        where = osr.SpatialReference()
        where.ImportFromEPSG(4326 if place == "degrees" else 32633)
        made.SetProjection(where.ExportToWkt())
    band = made.GetRasterBand(1)
    if mark is not None: band.SetNoDataValue(mark)
    band.WriteRaster(0, 0, nx, ny, struct.pack("<%d%s" % (nx * ny, letter), *values))
    return made, {"metres": False, "degrees": True, "nothing": None}[place]


def options(form):
    if form == "AAIGrid":
        more = draw.choice(([], ["DECIMAL_PRECISION=3"], ["SIGNIFICANT_DIGITS=7"], ["DECIMAL_PRECISION=17"]))
        return more + draw.choice(([], ["FORCE_CELLSIZE=TRUE"]))
    more = ["FORMAT=" + draw.choice(("NC", "NC2", "NC4", "NC4C")), "WRITE_BOTTOMUP=" + draw.choice(("YES", "NO"))]
    if more[0] in ("FORMAT=NC4", "FORMAT=NC4C"): more.append("COMPRESS=" + draw.choice(("NONE", "DEFLATE")))
    return more + draw.choice(([], ["WRITE_GDAL_TAGS=NO"], ["WRITE_LONLAT=IF_NEEDED"]))


def read_by_gdal(path, degrees):
    """As the reader prints it: row by row from the south, NaN where there is no value."""
    wide = ["DATATYPE=Float64"] if path.endswith(".asc") else []
    file = gdal.OpenEx(path, open_options=wide)
    if "lon#units" in file.GetMetadata(): degrees = True  # GDAL takes small places without a unit for degrees
    band, nx, ny = file.GetRasterBand(1), file.RasterXSize, file.RasterYSize
    west, side, _, north, _, tall = file.GetGeoTransform()
    values = struct.unpack("<%dd" % (nx * ny), band.ReadRaster(0, 0, nx, ny, buf_type=gdal.GDT_Float64))
    mark = band.GetNoDataValue()
    is_hole = lambda v: math.isnan(v) or (mark is not None and v == mark)
    rows = [values[nx * r:nx * (r + 1)] for r in range(ny - 1, -1, -1)]
    x0, y0, dx, dy = west, north + ny * tall, side, -tall
    if degrees:
        dx, dy = side * EARTH * math.cos(math.radians(north + 0.5 * ny * tall)), -tall * EARTH
        x0 = y0 = 0.0
    return [nx, ny, x0, y0, dx, dy] + [math.nan if is_hole(v) else v for row in rows for v in row]


def close(a, b, scale):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-9 * max(abs(b), scale)


files, asked = [], ""
for i in range(count):
    form = draw.choice(("AAIGrid", "netCDF")) if netcdf else "AAIGrid"
    source, degrees = raster()
    path = os.path.join(folder, "gdal%d.%s" % (i, "asc" if form == "AAIGrid" else "nc"))
    chosen = options(form)
    try:
        gdal.GetDriverByName(form).CreateCopy(path, source, options=chosen)
    except RuntimeError:  # what GDAL itself cannot write
        continue
    files.append((path, form, chosen, degrees, read_by_gdal(path, degrees)))
    asked += "grid %s\n" % path
answers = subprocess.run([reader], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
faults, read, placed = len(answers) != len(files), 0, sum(f[3] is not None for f in files)
for (path, form, chosen, degrees, expected), answer in zip(files, answers):
    words = answer.split()
    if words == ["refused"]: continue
    read += degrees is not None
    found = [float(w) for w in words[1:]]
    scale = max(expected[4], expected[5])
    if words[0] != "ok" or len(found) != len(expected) or not all(close(a, b, scale) for a, b in zip(found, expected)):
        faults += 1
        print("# %s %s: expected %s, read %s" % (path, " ".join(chosen), str(expected)[:200], answer[:200]))
print("# %d files by GDAL %s, of %d that say where they lie %d are read, %d faults" % (
    len(files), gdal.__version__, placed, read, faults))
sys.exit(1 if faults or read < 0.9 * placed else 0)
