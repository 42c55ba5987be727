"""staggered.py: what shallow_given.c and shallow_thin.c compare hllc with, from another method.

Shallow water in one and two dimensions on a staggered grid: depths in the cells, velocities at the
faces, depths at faces from upstream, velocities advected with the flow that conserves momentum
(Stelling & Duinmeijer, Int. J. Numer. Meth. Fluids 43 (2003) 1329), friction implicit, explicit
steps. No reconstruction, no Riemann problem and no limiter is in it. A discharge is the flow through
the edge's faces. Python 3 with NumPy:

    python3 staggered.py          # prints the numbers that the tests hold; a minute or two
"""
import numpy as np

G, DRY = 9.81, 1e-9


def faces(z, h, u):
    """Depths at the inner faces of rows: upstream, and from the higher bed where nothing moves."""
    e = h + z
    level = np.maximum(np.maximum(e[..., :-1], e[..., 1:]) - np.maximum(z[..., :-1], z[..., 1:]), 0)
    return np.where(u > 0, h[..., :-1], np.where(u < 0, h[..., 1:], level))


def advection(q, u, dx):
    """(u u_x) at inner faces, from the flow q through all faces and the velocities u of all."""
    middle = 0.5 * (q[..., :-1] + q[..., 1:])                       # through cells' middles
    carried = np.where(middle > 0, u[..., :-1], u[..., 1:])         # upstream
    return middle, carried


def line(z, h, dx, end, n, q_west=None, open_east=False, h_east=None, courant=0.2, u0=0.0):
    """A channel from depths h; q_west(t): discharge that comes in; east: wall or a free fall.
    Returns depths, flows through all faces, what came in and what left."""
    cells = len(z)
    u = np.full(cells + 1, u0)
    h, t, came, left = h.copy(), 0.0, 0.0, 0.0
    q_in = q_west if q_west else (lambda t: 0.0)
    hu = np.zeros(cells + 1)
    while t < end - 1e-12:
        q = q_in(t)
        speed = (np.abs(u).max() + np.sqrt(G * h.max())) if h.max() > DRY else 0.0
        speed = max(speed, 2 * (G * abs(q_in(t + 0.1))) ** (1 / 3), 1e-3)
        dt = min(courant * dx / speed, end - t, 0.05 * end)
        q = q_in(t + 0.5 * dt)
        hu[1:-1] = faces(z, h, u[1:-1])
        # the edges' own faces
        critical = (q * q / G) ** (1 / 3)
        hu[0] = max(h[0], critical) if q > 0 else h[0]
        u[0] = q / hu[0] if hu[0] > DRY else 0.0
        hu[-1] = h[-1]
        u[-1] = u[-2] if open_east else 0.0
        if open_east and u[-1] < 0:
            u[-1] = 0.0
        flow = hu * u
        flow[0] = q
        # no cell gives more than it has
        out = dt / dx * (np.maximum(flow[1:], 0) + np.maximum(-flow[:-1], 0))
        part = np.where(out > h, h / np.maximum(out, 1e-300), 1.0)
        flow[1:] = np.where(flow[1:] > 0, flow[1:] * part, flow[1:])
        flow[:-1] = np.where(flow[:-1] < 0, flow[:-1] * part, flow[:-1])
        if q > 0:
            flow[0] = q
        fresh = h - dt / dx * (flow[1:] - flow[:-1])
        came += dt * flow[0]
        left += dt * flow[-1]
        # velocities of inner faces: mean depth of the two cells carries them
        middle, carried = advection(flow, u, dx)
        mean_old = 0.5 * (h[:-1] + h[1:])
        e = fresh + z
        deep = faces(z, fresh, u[1:-1])
        wet = (deep > DRY) & (mean_old > DRY)
        push = (middle[1:] * carried[1:] - middle[:-1] * carried[:-1]
                - u[1:-1] * (middle[1:] - middle[:-1])) / (dx * np.maximum(mean_old, DRY))
        fall = G * (e[1:] - e[:-1]) / dx
        moved = u[1:-1] - dt * (np.where(wet, push, 0) + fall)
        drag = dt * G * n * n / np.maximum(deep, DRY) ** (4 / 3)
        moved = 2 * moved / (1 + np.sqrt(1 + 4 * drag * np.abs(moved)))
        u[1:-1] = np.where(deep > DRY, moved, 0.0)
        h = np.maximum(fresh, 0)
        t += dt
    return h, flow, came, left


def rough(cells_per_m, amplitude=0.08, length=100, slope=0.1):
    """Ground of `slope` with a knot each metre, between which it is straight."""
    x = (np.arange(length * cells_per_m) + 0.5) / cells_per_m
    knot = lambda m: np.mod(np.sin(12.9898 * (m + 1)) * 43758.5453, 1.0)
    m = np.floor(x)
    return slope * (length - x) + amplitude * ((1 - x + m) * knot(m) + (x - m) * knot(m + 1) - 0.5)


def film(per_m):
    """What lies on the first 99 m; the last metre depends on what is made of the end."""
    z = rough(per_m)
    h, flow, came, left = line(z, np.full(len(z), 0.005), 1 / per_m, 600, 0.03, open_east=True)
    return h[:99 * per_m].sum() / per_m


def fed(per_m, q=5e-4):
    z = rough(per_m)
    h, flow, came, left = line(z, np.zeros(len(z)), 1 / per_m, 1200, 0.03, lambda t: q, True)
    return h[:99 * per_m].sum() / per_m


def front(per_10m, slope, n=0.03, q=0.5, length=300):
    """A dry slope that is closed at its end: depths after 60 s, means of 10 m."""
    dx = 10 / per_10m
    x = (np.arange(int(length / dx)) + 0.5) * dx
    h, flow, came, left = line(slope * (length - x), np.zeros(len(x)), dx, 60, n, lambda t: q)
    return h.reshape(-1, per_10m).mean(axis=1), came


if __name__ == "__main__":
    for per_m in (1, 2, 4, 8):
        print("film of 0.5 m2 on rough ground, %d cells a metre: left after 600 s %.4f m2" %
              (per_m, film(per_m)))
    for per_m in (1, 2, 4, 8):
        print("fed by 5e-4 m2/s, %d cells a metre: %.4f m2 lie on it" % (per_m, fed(per_m)))
    for slope in (0.05, 0.1, 0.3):
        for per in (1, 4, 16):
            h, came = front(per, slope)
            print("front, slope %g, %d cells in 10 m: %.3f m2 came; volume west of 100 m %.3f, "
                  "of 150 m %.3f" % (slope, per, came, 10 * h[:10].sum(), 10 * h[:15].sum()))
