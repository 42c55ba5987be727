"""far_field.py: what compressible_far.c compares a far field with, from another method.

Flows that leave a box of side 1 in the east go on here in a box so long that nothing comes back:
Euler's equations on a uniform grid, piecewise parabolic-free MUSCL on characteristic-free primitive
values by minmod(theta 1.5), Rusanov's flux, Heun's steps (SSP, two stages). Python 3 with NumPy:

    python3 far_field.py          # prints the tables of compressible_far.c
"""
import numpy as np

G = 1.4


def conserved(w):
    rho, u, v, p = w
    return np.array([rho, rho * u, rho * v, p / (G - 1) + 0.5 * rho * (u * u + v * v)])


def primitive(q):
    u, v = q[1] / q[0], q[2] / q[0]
    return np.array([q[0], u, v, (G - 1) * (q[3] - 0.5 * q[0] * (u * u + v * v))])


def slope(w, axis):
    a = w - np.roll(w, 1, axis)
    b = np.roll(w, -1, axis) - w
    least = np.minimum(np.minimum(1.5 * abs(a), 1.5 * abs(b)), 0.5 * abs(a + b))
    return np.where(a * b > 0, np.sign(a) * least, 0)


def flux(w, n):
    rho, p, un = w[0], w[3], w[1 + n]
    q = conserved(w)
    f = q * un
    f[1 + n] += p
    f[3] += p * un
    return f, q


def change(w, h):
    total = 0
    for n, axis in ((0, 2), (1, 1)):
        if w.shape[axis] == 1:
            continue
        half = 0.5 * slope(w, axis)
        left, right = w + half, np.roll(w - half, -1, axis)
        (fl, ql), (fr, qr) = flux(left, n), flux(right, n)
        speed = np.maximum(abs(left[1 + n]) + np.sqrt(G * left[3] / left[0]),
                           abs(right[1 + n]) + np.sqrt(G * right[3] / right[0]))
        f = 0.5 * (fl + fr) - 0.5 * speed * (qr - ql)
        total = total - (f - np.roll(f, 1, axis)) / h
    return total


def run(w, h, times, cfl=0.4):
    q, t = conserved(w), 0.0
    for end in times:
        while t < end - 1e-12:
            w = primitive(q)
            dt = min(cfl * h / (np.maximum(abs(w[1]), abs(w[2])) + np.sqrt(G * w[3] / w[0])).max(),
                     end - t)
            first = q + dt * change(w, h)
            q = 0.5 * (q + first + dt * change(primitive(first), h))
            t += dt
        yield end, primitive(q)


def puff():
    """A hot spot with an overpressure at Mach 0.3, which parts into two waves and itself, in 1D."""
    cells = 1024                # of the box
    h, a = 1.0 / cells, np.sqrt(G)
    x = (np.arange(8 * cells) + 0.5) * h - 3.5
    bump = np.exp(-((x - 0.5) / 0.1) ** 2)
    w = np.array([1 / (1 + 0.5 * bump), 0.3 * a + 0 * x, 0 * x, 1 + 0.2 * bump])[:, None, :]
    for t, w in run(w, h, (0.3, 0.6, 1.2, 1.8, 2.4)):
        at = [np.argmin(abs(x - place)) for place in (0.25, 0.5, 0.75)]
        mean = [w[3, 0, i - 8:i + 8].mean() for i in at]
        print("  { %.1f, { %s } }," % (t, ", ".join("%.5f" % p for p in mean)))


def vortex():
    """A vortex at Mach 0.3, in a box as long as three; y is periodic."""
    cells = 96
    h, a, r0, strength = 1.0 / cells, np.sqrt(G), 0.1, 0.1
    x = (np.arange(3 * cells) + 0.5) * h - 1.0
    y = ((np.arange(cells) + 0.5) * h)[:, None]
    dx, dy = x - 0.6, y - 0.5
    turn = strength * a / r0 * np.exp(0.5 * (1 - (dx * dx + dy * dy) / r0**2))
    t = 1 - (G - 1) / (2 * G) * (strength * a) ** 2 * np.exp(1 - (dx * dx + dy * dy) / r0**2)
    w = np.array([t ** (1 / (G - 1)), 0.3 * a - turn * dy, turn * dx, t ** (G / (G - 1))])
    print("# depression %.5f" % (1 - w[3].min()))
    for t, w in run(w, h, (0.6, 1.2, 1.8, 2.4)):
        places = ((0.5, 0.5), (0.75, 0.5), (0.9375, 0.375), (0.9375, 0.625))
        mean = []
        for px, py in places:
            i, j = int(round((px + 1.0) / h)), int(round(py / h))
            mean.append(w[3, j - 1:j + 1, i - 1:i + 1].mean())
        print("  { %.1f, { %s } }," % (t, ", ".join("%.5f" % p for p in mean)))


if __name__ == "__main__":
    puff()
    vortex()
