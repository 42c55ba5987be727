"""vtu_gas.py FOLDER AREA: of fields.vtu about bodies the gas alone is there, as large as solid.npy has
it in a grid of this area, and no point that no cell has. Python without VTK."""
import base64
import re
import struct
import sys
import zlib

KINDS = {"Float64": "d", "Float32": "f", "Int32": "i", "UInt8": "B"}
data = open(sys.argv[1] + "/fields.vtu", "rb").read()
head, rest = data.split(b'<AppendedData encoding="base64">', 1)
rest = rest[rest.index(b"_") + 1:]
arrays = {}


def decode(at, size):
    """So many bytes of the section, and where the next begin."""
    end = at + (size + 2) // 3 * 4
    return base64.b64decode(rest[at:end])[:size], end


for tag in re.findall(r"<DataArray [^>]*/>", head.decode()):
    words = dict(re.findall(r'(\w+)="([^"]*)"', tag))
    at, kind, raw = int(words["offset"]), KINDS[words["type"]], b""
    blocks = struct.unpack("<Q", decode(at, 24)[0][:8])[0]
    numbers, at = decode(at, 24 + 8 * blocks)
    sizes = struct.unpack("<%dQ" % blocks, numbers[24:])
    packed, at = decode(at, sum(sizes))
    for size in sizes:
        raw, packed = raw + zlib.decompress(packed[:size]), packed[size:]
    arrays[words["Name"]] = struct.unpack("<%d%s" % (len(raw) // struct.calcsize(kind), kind), raw)
cells = len(arrays["offsets"])
corners = len(arrays["connectivity"]) // cells
assert len(arrays["density"]) == cells and len(arrays["level"]) == cells
assert min(arrays["density"]) > 0.5, min(arrays["density"])
assert not any(arrays["solid"])
used = set(arrays["connectivity"])
assert used == set(range(len(arrays["Points"]) // 3)), "points that no cell has"
area = 0
for cell in range(cells):
    first, last = (arrays["connectivity"][cell * corners + k] for k in (0, corners - 1))
    low, high = (arrays["Points"][3 * point:3 * point + 3] for point in (first, last))
    area += (high[0] - low[0]) * (high[1] - low[1])
npy = open(sys.argv[1] + "/solid.npy", "rb").read()
flags = npy[10 + struct.unpack_from("<H", npy, 8)[0]:]
gas = float(sys.argv[2]) * flags.count(0) / len(flags)
assert 0 < flags.count(0) < len(flags) and abs(area - gas) < 1e-9 * gas, (area, gas)
