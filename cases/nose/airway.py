#!/usr/bin/env python3
"""The airway of a nose as a closed surface, airway.stl: python3 airway.py > airway.stl
Turned about x, y and z by degrees, so that no wall lies along the grid: python3 airway.py 17 0 11

Two passages with three turbinates each, a septum between them, and the nasopharynx where they meet.
No person's anatomy: smooth shapes by formula, of an adult's size. Millimetres; x runs from the face
to the back, y from right to left, z up; the hard palate is z = 0. Solids: wall, nostril_left,
nostril_right, throat. The three openings are level.

A passage is a closed curve swept through planes that turn about a pivot: through the vestibule from
"up" to "back", through the nasopharynx from "back" to "down". Every curve has the same number of
points; a curve with turbinates is mixed with an oval by a weight that goes to 0 at both ends.
"""
import math
import sys

SEPTUM = 12            # points up the septum
FACE, FINGER = 2, 5    # points down a turbinate's face; along one side of a meatus
HALF_SEPTUM = 1.5      # mm, half its thickness
STRAIGHT = 6.0         # mm of straight duct at each nostril
CAVITY = 62.0          # mm from the vestibule's bend to the choanae
PHARYNX = 22.0         # mm of straight nasopharynx down to the throat
PIVOT = 4.0            # mm from a bend's pivot to the floor

# height of its mouth above the floor, rise of its end, reach, thickness: of each meatus from above,
# as parts of the passage's height, then mm
MEATUSES = ((0.78, 0.06, 5.0, 2.6), (0.45, 0.14, 9.0, 3.0), (0.09, 0.19, 12.5, 3.4))


def smooth(t):
    t = min(1.0, max(0.0, t))
    return t * t * (3.0 - 2.0 * t)


def between(table, at):
    """A smooth way through (place, value) pairs."""
    for (a, low), (b, high) in zip(table, table[1:]):
        if at <= b:
            return low + (high - low) * smooth((at - a) / (b - a))
    return table[-1][1]


def oval(width, height, count, power):
    """The curve of an opening: up its medial side, then down its lateral one."""
    out = []
    for i in range(count):
        medial = i <= SEPTUM
        part = i / SEPTUM if medial else (i - SEPTUM) / (count - SEPTUM)
        angle = math.pi * part
        side = math.copysign(abs(math.sin(angle)) ** (2.0 / power), -1.0 if medial else 1.0)
        up = math.copysign(abs(math.cos(angle)) ** (2.0 / power), math.cos(angle))
        out.append((0.5 * width * (1.0 + side), 0.5 * height * (1.0 - up if medial else 1.0 + up)))
    return out


def turbinates(width, height):
    """The same with a slit along the septum and three meatuses; width: of the slit."""
    out = [(0.0, height * i / SEPTUM) for i in range(SEPTUM + 1)]
    top = height
    for mouth, rise, reach, thick in MEATUSES:
        low, high = mouth * height - 0.5 * thick, mouth * height + 0.5 * thick
        for i in range(1, FACE + 1):
            out.append((width, top + (high - top) * i / (FACE + 1)))
        sides = ([], [])
        for i in range(FINGER):
            part = i / (FINGER - 1)
            bend = rise * height * part * part
            slope = math.atan2(2.0 * rise * height * part, reach)
            for side, sign in zip(sides, (1.0, -1.0)):
                half = 0.5 * thick * sign
                side.append((width + reach * part - half * math.sin(slope),
                             mouth * height + bend + half * math.cos(slope)))
        end = (width + reach + 0.5 * thick * math.cos(slope),
               mouth * height + rise * height + 0.5 * thick * math.sin(slope))
        out += sides[0] + [end] + sides[1][::-1]
        top = low
    return out


def rings():
    """Of the left passage: curves in space, from the nostril to the choana."""
    count = len(turbinates(3.0, 40.0))
    wide = ((0, 8.0), (6, 8.0), (18, 6.4), (32, 7.0), (90, 12.5))
    high = ((0, 14.0), (10, 16.0), (20, 22.0), (48, 42.0), (66, 42.0), (90, 24.0))
    weight = ((0, 0.0), (18, 0.0), (32, 1.0), (74, 1.0), (88, 0.0))
    bend = 0.5 * math.pi * 10.0 # mm of path that the vestibule's bend counts as
    places = [STRAIGHT * i / 2 for i in range(2)] + [STRAIGHT + bend * i / 7 for i in range(8)]
    first = STRAIGHT + bend
    places += [first + CAVITY * i / 20 for i in range(1, 21)]
    scale = 90.0 / places[-1]
    out = []
    for place in places:
        at = place * scale
        b, height = between(weight, at), between(high, at)
        plain = oval(between(wide, at), height, count, 2.0 + 2.0 * smooth((at - 60) / 30))
        slit = turbinates(between(((0, 3.0), (40, 3.0), (90, 3.4)), at), height)
        turn = 0.5 * math.pi * min(1.0, max(0.0, (place - STRAIGHT) / bend))
        ring = []
        for (l0, h0), (l1, h1) in zip(plain, slit):
            lateral, up = l0 + (l1 - l0) * b, h0 + (h1 - h0) * b + PIVOT
            ring.append((max(0.0, place - first) - up * math.cos(turn), HALF_SEPTUM + lateral,
                         min(0.0, place - STRAIGHT) - PIVOT + up * math.sin(turn)))
        out.append(ring)
    return out


def pharynx(start):
    """Curves from the choanae, one around both, to the throat."""
    count = len(start)
    out = [start]
    middle = sum(p[2] for p in start) / count
    steps = [(i / 10, 0.0) for i in range(1, 11)] + [(1.0, PHARYNX * i / 4) for i in range(1, 5)]
    for number, (part, down) in enumerate(steps):
        turn, ring = 0.5 * math.pi * part, []
        b = smooth((number + 1) / 8)
        for i, (_, y, z) in enumerate(start):
            angle = 2.0 * math.pi * (i + 0.5) / count
            y1, z1 = 13.0 * math.sin(angle), 10.0 * (1.0 + math.cos(angle)) + 1.0
            y, up = y + (y1 - y) * b, z + (z1 - z) * b + PIVOT
            ring.append((CAVITY + up * math.sin(turn), y, up * math.cos(turn) - PIVOT - down))
        out.append(ring)
    return out


def tube(rows):
    for one, two in zip(rows, rows[1:]):
        for i in range(len(one)):
            j = (i + 1) % len(one)
            yield one[i], two[j], one[j]
            yield one[i], two[i], two[j]


def lid(ring):
    middle = tuple(sum(p[a] for p in ring) / len(ring) for a in range(3))
    for i, p in enumerate(ring):
        yield p, ring[(i + 1) % len(ring)], middle


def flipped(triangles):
    return [(a, c, b) for a, b, c in triangles]


def mirrored(ring):
    return [(x, -y, z) for x, y, z in ring]


def solids():
    left = rings()
    right = [mirrored(ring) for ring in left]
    a, b = left[-1], right[-1]
    both = pharynx(a[SEPTUM:] + [a[0], b[0]] + b[:SEPTUM - 1:-1])
    end = []
    for i in range(SEPTUM):
        end += [(a[i], a[i + 1], b[i + 1]), (a[i], b[i + 1], b[i])] # the septum's back
    wall = list(tube(left)) + flipped(tube(right)) + flipped(end) + list(tube(both))
    return (("wall", wall), ("nostril_left", list(lid(left[0]))),
            ("nostril_right", flipped(lid(right[0]))), ("throat", flipped(lid(both[-1]))))


def turned(point, degrees):
    """About x, then y, then z."""
    p = list(point)
    for axis, angle in enumerate(degrees):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        p[a], p[b] = c * p[a] - s * p[b], s * p[a] + c * p[b]
    return p


def main():
    degrees = [float(word) for word in sys.argv[1:]]
    if len(degrees) not in (0, 3):
        sys.exit("airway.py takes three angles, about x, y and z, or none")
    digits = 6 if degrees else 4
    for name, triangles in solids():
        print("solid", name)
        for triangle in triangles:
            print("facet normal 0 0 0\nouter loop")
            for p in triangle:
                at = turned([round(v, 3) for v in p], degrees)
                print("vertex %.*g %.*g %.*g" % sum(((digits, v + 0.0) for v in at), ()))
            print("endloop\nendfacet")
        print("endsolid", name)


if __name__ == "__main__":
    main()
