#!/usr/bin/env python3
"""A piston, a valve and the rooms they work in as closed surfaces: python3 engine.py > engine.stl

Bodies of revolution about the line y = 0.5, z = 0.5, in metres, each a polygon of (x, radius) that is
turned about it in FACETS steps. Solids: housing (the gas is inside of it: a cylinder, a port and a
chamber), piston and valve, both where they stand at the time 0.
"""
import math

FACETS = 32

ROOMS = {
    "housing": ((0.40, 0.35), (1.00, 0.35), (1.00, 0.17), (1.15, 0.17), (1.15, 0.35), (1.75, 0.35)),
    "piston": ((0.05, 0.42), (0.45, 0.42)),
    "valve": ((1.06, 0.25), (1.28, 0.25)),
}


def ring(x, radius):
    return [(x, 0.5 + radius * math.cos(2 * math.pi * k / FACETS),
             0.5 + radius * math.sin(2 * math.pi * k / FACETS)) for k in range(FACETS)]


def triangles(outline):
    """Round their normals outwards."""
    rings = [ring(x, r) for x, r in outline]
    first, last = (outline[0][0], 0.5, 0.5), (outline[-1][0], 0.5, 0.5)
    for k in range(FACETS):
        n = (k + 1) % FACETS
        yield first, rings[0][n], rings[0][k]
        yield last, rings[-1][k], rings[-1][n]
        for a, b in zip(rings, rings[1:]):
            yield a[k], a[n], b[n]
            yield a[k], b[n], b[k]


def normal(p, q, r):
    u, v = [[b - a for a, b in zip(p, other)] for other in (q, r)]
    n = [u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3] for i in range(3)]
    length = math.sqrt(sum(c * c for c in n))
    return [c / length for c in n]


for name, outline in ROOMS.items():
    print(f"solid {name}")
    for corners in triangles(outline):
        print("facet normal %.6g %.6g %.6g\nouter loop" % tuple(normal(*corners)))
        for corner in corners:
            print("vertex %.6f %.6f %.6f" % corner)
        print("endloop\nendfacet")
    print(f"endsolid {name}")
