#!/usr/bin/env python3
"""levels_2d.py - flow in a plane on two levels of cells, to hold lbm3d's levels against.

D2Q9 with two relaxation times. What does not change along z has the same flow on D3Q19, since its
populations, summed over e_z, are those of D2Q9. Written from the method (Rohde et al. 2006; Ladd
1994; Ginzburg et al. 2008), not from the kernels: every population is a part on the finer grid, and
the parts make two moves there. Cells of the finer level collide after each move; coarser ones are
means of their four parts and collide after the second. Sides are the exception: what a coarser
cell sent to a side comes back to it as a whole, but for the parts that were in finer cells after
the first move. A finer cell gets back the population that it sent there through a coarser one; an
opening of given density gives it what it makes of the part that was there.

    python3 tests/solvers/lbm3d/levels_2d.py > tests/data/lbm3d_levels_2d.txt

writes the numbers of lbm3d_edges; needs numpy.
"""
import math

import numpy as np

E = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
BACK = [0, 2, 1, 4, 3, 6, 5, 8, 7]
RANK = {"periodic": 0, "outflow": 1, "moving": 2, "inflow": 3, "wall": 4}
WEST, EAST, SOUTH, NORTH = range(4)


def still(x, y):
    return 0.0, 0.0


class Plane:
    """sides: (kind, velocity) from west to north; is_fine(x, y): of a coarser cell."""

    def __init__(self, nx, ny, nu, sides, is_fine, start, magic=3 / 16):
        self.n = (nx, ny)
        self.nu, self.magic, self.sides = nu, magic, sides
        self.fine = np.array([[bool(is_fine(x, y)) for y in range(ny)] for x in range(nx)])
        self.coarse = np.zeros((nx, ny, 9))
        self.small = np.zeros((2 * nx, 2 * ny, 9))
        for level, cells in ((0, self.coarse), (1, self.small)):
            h = 0.5 ** level
            for x in range(cells.shape[0]):
                for y in range(cells.shape[1]):
                    cells[x, y] = self.begin(start, h * (x + 0.5), h * (y + 0.5), h)
        self.early = self.timing()

    # ---- where things are

    def wrap(self, at, level):
        """The cell of a level, through periodic sides; None beyond others."""
        out = []
        for a in (0, 1):
            n, i = self.n[a] << level, at[a]
            if not 0 <= i < n:
                if self.sides[2 * a][0] != "periodic":
                    return None
                i %= n
            out.append(int(i))
        return tuple(out)

    def side_of(self, at, level):
        """The side that decides beyond the box; the first of those of one rank."""
        best = None
        for a in (0, 1):
            side = 2 * a if at[a] < 0 else 2 * a + 1 if at[a] >= self.n[a] << level else None
            if side is None or self.sides[side][0] == "periodic":
                continue
            if best is None or RANK[self.sides[side][0]] > RANK[self.sides[best][0]]:
                best = side
        return best

    def in_fine(self, at):
        cell = self.wrap(at, 1)
        return cell is not None and self.fine[cell[0] // 2, cell[1] // 2]

    # ---- one cell

    @staticmethod
    def equilibrium(rho, u, v):
        eu = E[:, 0] * u + E[:, 1] * v
        return W * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (u * u + v * v))

    def begin(self, start, x, y, h):
        """Equilibrium, and off it by the slopes, as a collision leaves it."""
        u, v = start(x, y)
        d = 1e-3
        slope = np.zeros((2, 2))
        for j, by in enumerate(((d, 0), (0, d))):
            up, down = start(x + by[0], y + by[1]), start(x - by[0], y - by[1])
            for i in (0, 1):
                slope[i, j] = (up[i] - down[i]) / (2 * d) * h
        omega = 1 / (3 * self.nu / h + 0.5)
        strain = np.einsum("ki,kj,ij->k", E, E, slope) - np.trace(slope) / 3
        return self.equilibrium(1.0, u, v) - W * 3 * strain * (1 - omega) / omega

    def collide(self, f, level):
        plus = 3 * self.nu * 2 ** level + 0.5
        minus = self.magic / (plus - 0.5) + 0.5
        rho = f.sum(axis=-1, keepdims=True)
        u = (f @ E) / rho
        eu = u @ E.T
        off = f - W * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (u * u).sum(axis=-1, keepdims=True))
        back = off[..., BACK]
        return f - 0.5 * (off + back) / plus - 0.5 * (off - back) / minus

    # ---- sides

    def place(self, at, k, level):
        """Where the link of k into the cell crosses, in coarser cells."""
        return [(at[a] + 0.5 - 0.5 * E[k][a]) * 0.5 ** level for a in (0, 1)]

    def push(self, side, at, k, level, cell):
        """Of density 1; of an inflow, where a side has a given one, with that of the cell."""
        u = self.sides[side][1](*self.place(at, k, level))
        is_own = self.sides[side][0] == "inflow" and ("outflow", still) in self.sides
        return (cell.sum() if is_own else 1) * 6 * W[k] * (E[k][0] * u[0] + E[k][1] * u[1])

    def given(self, side, cells, at, k, level):
        """What an opening of density 1 gives for a pair: f_k + f_back."""
        here = cells[at]
        rho = here.sum()
        j = here @ E
        u = j / rho
        eu = E[k] @ u
        flat = np.array(E[k])
        flat[side // 2] = 0
        gain, beside = 0.0, self.wrap(np.array(at) - flat, level)
        behind = self.wrap(np.array(at) + E[k], level)
        if beside is not None and self.is_of(beside, level):
            gain = (j - cells[beside] @ E) @ E[k]
        elif behind is not None and self.is_of(behind, level):
            gain = (cells[behind] @ E - j) @ E[k]
        shear = 18 * W[k] * self.nu * 2 ** level * gain
        return 2 * W[k] * (1 + 4.5 * eu * eu - 1.5 * (u @ u)) - shear

    def is_of(self, cell, level):
        return self.fine[cell[0] // 2, cell[1] // 2] if level else not self.fine[cell]

    def turned(self, cells, at, k, level):
        """What a side makes of what the cell sent to it."""
        side = self.side_of(np.array(at) - E[k], level)
        sent = cells[at][BACK[k]]
        if self.sides[side][0] == "outflow":
            return self.given(side, cells, at, k, level) - sent
        return sent + self.push(side, at, k, level, cells[at])

    # ---- parts

    def timing(self):
        """1 for parts that meet finer cells at the first move, -1 at the second, where their cell
        has as many of the one as of the other."""
        early = np.zeros((2 * self.n[0], 2 * self.n[1], 9))
        for x in range(self.n[0]):
            for y in range(self.n[1]):
                if self.fine[x, y]:
                    continue
                for k in range(1, 9):
                    parts = [(2 * x + i, 2 * y + j) for i in (0, 1) for j in (0, 1)]
                    when = [1 if self.in_fine(np.array(p) + E[k])
                            else -1 if self.in_fine(np.array(p) + 2 * E[k]) else 0 for p in parts]
                    if when.count(1) == when.count(-1):
                        for p, value in zip(parts, when):
                            early[p][k] = value
        return early

    def slope(self, x, y, axis):
        """A quarter of it, from coarser cells alone."""
        by = np.eye(2, dtype=int)[axis]
        low, high = self.wrap((x, y) - by, 0), self.wrap((x, y) + by, 0)
        here, up, down = self.coarse[x, y], None, None
        if low is not None and not self.fine[low]:
            down = here - self.coarse[low]
        if high is not None and not self.fine[high]:
            up = self.coarse[high] - here
        if up is None and down is None:
            return np.zeros(9)
        return 0.25 * (up if down is None else down if up is None else 0.5 * (up + down))

    def split(self):
        """All populations as parts."""
        parts = self.small.copy()
        for x in range(self.n[0]):
            for y in range(self.n[1]):
                if self.fine[x, y]:
                    continue
                qx, qy = self.slope(x, y, 0), self.slope(x, y, 1)
                for i in (0, 1):
                    for j in (0, 1):
                        at = 2 * x + i, 2 * y + j
                        parts[at] = (self.coarse[x, y] +
                                     (2 * i - 1 - self.early[at] * E[:, 0]) * qx +
                                     (2 * j - 1 - self.early[at] * E[:, 1]) * qy)
        return parts

    def move(self, parts):
        """Along the box as if it were periodic: sides put right what came through them."""
        out = np.empty_like(parts)
        for k in range(9):
            out[..., k] = np.roll(parts[..., k], tuple(E[k]), axis=(0, 1))
        return out

    def cells_at_sides(self, level):
        n = [self.n[0] << level, self.n[1] << level]
        for x in range(n[0]):
            for y in range(n[1]):
                if x in (0, n[0] - 1) or y in (0, n[1] - 1):
                    yield x, y

    def fine_sides(self, before, after):
        for at in self.cells_at_sides(1):
            if not self.in_fine(at):
                continue
            for k in range(1, 9):
                if self.wrap(np.array(at) - E[k], 1) is None:
                    after[at][k] = self.turned(before, at, k, 1)

    def step(self):
        first = self.split()
        mask = np.repeat(np.repeat(self.fine, 2, axis=0), 2, axis=1)
        half = self.move(first)
        self.fine_sides(first, half)
        half[mask] = self.collide(half[mask], 1)
        end = self.move(half)
        self.fine_sides(half, end)
        self.come_back(first, end)
        mean = end.reshape(self.n[0], 2, self.n[1], 2, 9).mean(axis=(1, 3))
        self.coarse_sides(first, half, mean)
        self.small = end
        self.small[mask] = self.collide(end[mask], 1)
        self.coarse = self.collide(mean, 0)

    def come_back(self, first, end):
        """To finer cells, what they sent to a side through a coarser one."""
        for x in range(2 * self.n[0]):
            for y in range(2 * self.n[1]):
                if not self.in_fine((x, y)):
                    continue
                for k in range(1, 9):
                    via = self.wrap(np.array((x, y)) - E[k], 1)
                    if via is None or self.in_fine(via):
                        continue
                    if self.wrap(np.array(via) - E[k], 1) is not None:
                        continue
                    side = self.side_of(np.array(via) - E[k], 1)
                    cell = via[0] // 2, via[1] // 2
                    if self.sides[side][0] == "outflow":
                        end[x, y, k] = (self.given(side, self.coarse, cell, k, 0) -
                                        first[via][BACK[k]])
                    else:
                        end[x, y, k] = (first[x, y, BACK[k]] +
                                        self.push(side, via, k, 1, self.coarse[cell]))

    def coarse_sides(self, first, half, mean):
        for at in self.cells_at_sides(0):
            if self.fine[at]:
                continue
            for k in range(1, 9):
                if self.wrap(np.array(at) - E[k], 0) is None:
                    mean[at][k] = self.coarse_link(first, half, at, k)

    def coarse_link(self, first, half, at, k):
        side = self.side_of(np.array(at) - E[k], 0)
        parts = [(2 * at[0] + i, 2 * at[1] + j) for i in (0, 1) for j in (0, 1)]
        entered = [self.in_fine(np.array(p) - E[k]) for p in parts]
        total = 0.0
        for part, is_in in zip(parts, entered):
            if is_in:
                total += half[self.wrap(np.array(part) - E[k], 1)][k]
                continue
            sent = first[part][BACK[k]]
            if self.sides[side][0] == "outflow":
                total += self.given(side, self.coarse, at, k, 0) - sent
            elif self.sides[side][0] == "inflow" or not any(entered):
                total += sent + self.push(side, at, k, 0, self.coarse[at])
            else:
                by = part if self.wrap(np.array(part) - E[k], 1) is None else \
                    self.wrap(np.array(part) - E[k], 1)
                crossed = self.side_of(np.array(by) - E[k], 1)
                total += sent + self.push(crossed, by, k, 1, self.coarse[at])
        return total / 4

    # ---- what is kept

    def mass(self):
        mask = np.repeat(np.repeat(self.fine, 2, axis=0), 2, axis=1)
        return self.coarse[~self.fine].sum() + 0.25 * self.small[mask].sum()

    def velocity(self, x, y):
        """Of the cell that has the finer cell."""
        f = self.small[x, y] if self.in_fine((x, y)) else self.coarse[x // 2, y // 2]
        return tuple((f @ E) / f.sum()) + (f.sum(),)


# ---- the flows of lbm3d_edges

def uniform(u, v):
    return lambda x, y: (u, v)


WALL, PERIODIC = ("wall", still), ("periodic", still)


def flows():
    """name, steps, plane. The settings of lbm3d are in lbm3d_edges.c."""
    wave = lambda x, y: (0.03 * math.sin(0.3 * x) * math.cos(0.4 * y), 0.02 * math.cos(0.5 * x))
    yield "channel", 40, Plane(
        24, 24, 0.02, [("inflow", lambda x, y: (0.05 * y * (24 - y) / 144, 0.0)),
                       ("outflow", still), WALL, WALL],
        lambda x, y: y < 8 or y >= 16, lambda x, y: (0.05 * y * (24 - y) / 144, 0.0))
    yield "lid", 40, Plane(
        16, 16, 0.03, [WALL, WALL, WALL,
                       ("moving", lambda x, y: (0.05 * math.sin(math.pi * x / 16), 0.0))],
        lambda x, y: x < 8, uniform(0.0, 0.0))
    yield "corner", 40, Plane(
        16, 16, 0.03, [("inflow", uniform(0.04, 0.02)), ("outflow", still),
                       ("moving", uniform(0.05, 0.0)), ("outflow", still)],
        lambda x, y: x >= 8 and y >= 8, lambda x, y: tuple(np.add((0.04, 0.02), wave(x, y))))
    yield "shear", 40, Plane(
        16, 16, 0.1, [PERIODIC, PERIODIC, ("moving", uniform(-0.02, 0.0)),
                      ("moving", lambda x, y: (0.05 + 0.01 * math.sin(math.pi * x / 8), 0.0))],
        lambda x, y: x < 8, lambda x, y: (0.05 * y / 16, 0.0))


def main():
    print("# levels_2d.py: flow, steps, cell of the finer grid: x, y; u, v, density - 1")
    for name, steps, plane in flows():
        for _ in range(steps):
            plane.step()
        n = 2 * plane.n[0], 2 * plane.n[1]
        for i in range(24):
            x, y = (7 * i + 3) % n[0], (11 * i * i + 5 * i + n[1] - 1) % n[1]
            u, v, rho = plane.velocity(x, y)
            print(f"{name} {steps} {x} {y} {u:.17g} {v:.17g} {rho - 1:.17g}")


if __name__ == "__main__":
    main()
