/* Depth, momenta, speeds and boundaries, shared by the schemes. */

/* Choices of a run. On a GPU they are constants of the step (shallow.c), so the compiler leaves out
 * the other branches. */
#ifndef SHALLOW_HAS_DISCHARGE
#define SHALLOW_HAS_DISCHARGE 1         /* an edge has a given discharge */
#define SHALLOW_IS_EXACT (p.exact)      /* HLLC: a depth has a rest */
#define SHALLOW_IS_ROUGH (p.friction > R(0.0))
#endif

#define SHALLOW_REST(u) ((u) + 3 * (trm_index)p.component)

#define SHALLOW_NUMBERS(n) \
  const shallow_numbers n = { p.g, R(0.5) * p.g, p.root_g, p.dry, p.film, p.inv_dx, p.inv_dy, \
                              p.friction, p.steep, p.mean, R(2.0) * p.g, \
                              p.still, p.creep, p.trace }

/* A momentum too small to matter becomes 0. A wave's tail would otherwise run through subnormal
 * numbers, at a twentieth of the speed on a CPU (f32: its square is still a normal number). */
TRM_INLINE real shallow_momentum(const shallow_numbers n, const real q)
{
  return trm_fabs(q) < n.still ? R(0.0) : q;
}

/* The cube root of a positive number: h^(1/4) h^(1/16) h^(1/64) is close, and each round of
 * Halley's iteration cubes its error. Within 2 units in the last place for 1e-12 to 1e12. */
TRM_INLINE real shallow_cbrt_round(const real h, const real y)
{
  const real y3 = y * y * y;
  return y * trm_fma(R(2.0), h, y3) * trm_near_reciprocal(trm_fma(R(2.0), y3, h));
}
TRM_INLINE real shallow_cbrt(const real h)
{
  const real a = trm_near_sqrt(trm_near_sqrt(h));
  const real b = trm_near_sqrt(trm_near_sqrt(a));
  const real y = a * b * trm_near_sqrt(trm_near_sqrt(b));
  return shallow_cbrt_round(h, shallow_cbrt_round(h, shallow_cbrt_round(h, y)));
}

/* 1 / h, 0 where h is dry; without a branch, which would end a simd loop. */
TRM_INLINE real shallow_inverse(const real dry, const real h)
{
  const real inverse = trm_reciprocal(trm_max(h, dry));
  return h > dry ? inverse : R(0.0);
}

/* A cell: its depth, momenta across and along the edge at hand, and its bed. */
typedef struct shallow_cell { real h, along, across, z; } shallow_cell;

/* A level's ghost. The surface is a straight line through the given height at the edge. Its slope
 * is the lesser of those on either side of the nearest cell, and 0 where they differ in sign. So a
 * lake at rest continues beyond the edge. Flow: the nearest cell's, adjusted to the level with the
 * outgoing u -+ 2c unchanged; an inflow is at most critical. The ghost has its discharge, but at
 * most twice its speed, where the bed beyond is higher. */
TRM_INLINE shallow_cell shallow_level(const shallow_params p, const real sign, const real value,
                                      const int far, const real z, const shallow_cell near,
                                      const shallow_cell next)
{
  const real surface = near.h + near.z, inverse = shallow_inverse(p.dry, near.h);
  const real outer = value - surface, inner = R(0.5) * (surface - (next.h + next.z));
  const real rise = trm_min(trm_max(outer, R(0.0)), trm_max(inner, R(0.0))) +
                    trm_max(trm_min(outer, R(0.0)), trm_min(inner, R(0.0)));
  const real depth = trm_max(value + (real)(2 * far + 1) * rise - z, R(0.0));
  const real moved = trm_max(near.h + (outer - rise), R(0.0)), c = trm_sqrt(p.g * moved);
  const real u = sign * near.along * inverse + R(2.0) * (c - trm_sqrt(p.g * near.h));
  const real kept = trm_min(moved, R(2.0) * depth);
  const shallow_cell ghost = { depth, sign * (kept * trm_min(u, c)),
                               kept * (near.across * inverse), z };
  return ghost;
}

/* A ghost's depth: that of a cell h deep, where waves run at c, changed so that they run at speed.
 * Where they would not run at all, it is 0 exactly. The difference of two equal numbers would be
 * some 1e-17, and rounding would decide whether that is water. */
TRM_INLINE real shallow_depth_of(const real g, const real h, const real c, const real speed)
{
  const real depth = h + (speed - c) * (speed + c) / g;
  return speed > R(0.0) ? trm_max(depth, R(0.0)) : R(0.0);
}

/* A wave's ghost: u +- 2c comes in, that of a wave of this height running into still water, where
 * u = 2 (c - c0); u -+ 2c leaves, the mirror image's. Where that leaves no water, the ghost is dry.
 * Where still water is not, the mirror image. */
TRM_INLINE shallow_cell shallow_incoming(const shallow_params p, const real sign, const real value,
                                         const shallow_cell mirror)
{
  const real inverse = shallow_inverse(p.dry, mirror.h), c = trm_sqrt(p.g * mirror.h);
  const real still = trm_sqrt(p.g * trm_max(p.still_level - mirror.z, R(0.0)));
  const real come = trm_sqrt(p.g * trm_max(value - mirror.z, R(0.0)));
  const real u = sign * mirror.along * inverse;
  const real gain = R(0.5) * ((come - still) + (come - c)) - R(0.25) * u; /* of c */
  const real depth = shallow_depth_of(p.g, mirror.h, c, c + gain);
  const int has_sea = still > R(0.0);
  const shallow_cell ghost = { has_sea ? depth : mirror.h,
                               has_sea ? depth * (sign * (u + R(2.0) * gain)) : mirror.along,
                               has_sea ? depth * (mirror.across * inverse) : mirror.across,
                               mirror.z };
  return ghost;
}

/* Where the clock has what lies outside an edge's cells. */
#define SHALLOW_OUT_WEST(y) (SHALLOW_OUTSIDE + (y))
#define SHALLOW_OUT_EAST(y) (SHALLOW_OUTSIDE + p.ny + (y))
#define SHALLOW_OUT_SOUTH(x) (SHALLOW_OUTSIDE + 2 * p.ny + (x))
#define SHALLOW_OUT_NORTH(x) (SHALLOW_OUTSIDE + 2 * p.ny + p.nx + (x))

/* An open edge's ghost. Water leaves with u -+ 2c of the nearest cell. Water comes in with u +- 2c
 * of the start, `outside` (positive inward): water beyond the edge is as at the start (Flather 1976
 * for long waves; here without linearising). The bed goes on level. So a lake at rest continues
 * beyond the edge to the last bit, and disturbances leave. A ghost made of the cells inside alone
 * lets the incoming u +- 2c drift; where the bed slopes towards the edge, the drift grows. Water
 * that leaves faster than waves run is copied. SHALLOW_COPIED: the bed is level at the edge, and
 * copying the cell keeps u +- 2c by itself. -SHALLOW_COPIED: dry at the start; arriving water
 * leaves, and nothing comes back. Both do without the roots: a launch waits for the groups at an
 * edge. */
TRM_INLINE shallow_cell shallow_open(const shallow_params p, const real sign, const real outside,
                                     const shallow_cell near)
{
  const real inverse = shallow_inverse(p.dry, near.h), u = sign * near.along * inverse;
  shallow_cell ghost = near;
  if (outside <= -(real)SHALLOW_COPIED) {
    ghost.along = u > R(0.0) ? -near.along : near.along;
  } else if (!(outside >= (real)SHALLOW_COPIED)) {
    const real c = trm_sqrt(p.g * near.h);
    const real gain = R(0.25) * ((outside - R(2.0) * c) - u); /* of c */
    const real depth = shallow_depth_of(p.g, near.h, c, c + gain);
    if (!(-u > c)) {
      ghost.h = depth;
      ghost.along = depth * (sign * (u + R(2.0) * gain));
      ghost.across = depth * (near.across * inverse);
    }
  }
  return ghost;
}

/* The cell beyond an edge. far: 0 for the first, 1 for the second. near and next: the two cells
 * inside from which it is made. kind: the kind of the edge. sign: +1 where inward is the positive
 * direction (west, south). along: momentum across the edge. z: the ghost's own bed. Walls: the
 * mirror image. A given discharge: shallow_passage computes its face, and ghosts serve the slopes
 * beside it alone. The depth is a straight line through the two cells inside, if both are wet; else
 * the surface continues level. */
TRM_INLINE shallow_cell shallow_beyond(const shallow_params p, const int kind, const real sign,
                                       const real value, TRM_IN(real) outside, const int far,
                                       const real z,
                                       const shallow_cell near, const shallow_cell next)
{
  shallow_cell ghost = far ? next : near;
  ghost.z = z;
  if (kind == SHALLOW_OPEN) ghost = shallow_open(p, sign, *outside, near);
  if (kind == SHALLOW_WALL) ghost.along = -ghost.along;
  if (kind == SHALLOW_WAVE) ghost = shallow_incoming(p, sign, value, ghost);
  if (kind == SHALLOW_LEVEL) ghost = shallow_level(p, sign, value, far, z, near, next);
  if (SHALLOW_HAS_DISCHARGE && kind == SHALLOW_DISCHARGE) {
    const int is_line = near.h > p.dry && next.h > p.dry;
    const real rise = is_line ? (real)(far + 1) * (near.h - next.h) : near.z - z;
    ghost.h = trm_max(near.h + rise, R(0.0));
    ghost.along = sign * value;
    ghost.across = R(0.0);
  }
  return ghost;
}

/* Cell i of a row as the western and eastern edges see it, and as the others do. */
TRM_INLINE shallow_cell shallow_across(const shallow_params p, TRM_IN(real) u, TRM_IN(real) bed,
                                       const int i)
{
  const shallow_cell cell = { SHALLOW_H(u)[i], SHALLOW_HU(u)[i], SHALLOW_HV(u)[i], bed[i] };
  return cell;
}
TRM_INLINE shallow_cell shallow_along(const shallow_params p, TRM_IN(real) u, TRM_IN(real) bed,
                                      const int i)
{
  const shallow_cell cell = { SHALLOW_H(u)[i], SHALLOW_HV(u)[i], SHALLOW_HU(u)[i], bed[i] };
  return cell;
}

/* The two ghost columns of the finished row y on a side, on a host; `time` is that of the values at
 * the edges. */
#define SHALLOW_GHOST(to, bed_row, near, step, kind, side, sign, outside) \
  for (int ghost_far = 0; ghost_far < 2; ghost_far++) { \
    const shallow_cell ghost = shallow_beyond( \
      p, kind, sign, clock[SHALLOW_VALUE + 2 * (side) + ghost_time], \
      clock + (outside), ghost_far, \
      (bed_row)[(near) - (ghost_far + 1) * (step)], \
      shallow_across(p, to, bed_row, near), shallow_across(p, to, bed_row, (near) + (step))); \
    TRM_GHOST(SHALLOW_H(to), (near) - (ghost_far + 1) * (step), ghost.h); \
    TRM_GHOST(SHALLOW_HU(to), (near) - (ghost_far + 1) * (step), ghost.along); \
    TRM_GHOST(SHALLOW_HV(to), (near) - (ghost_far + 1) * (step), ghost.across); \
  }
#define SHALLOW_GHOSTS(to, bed_row, y, time) \
  TRM_GHOSTS { \
    const int ghost_time = time; \
    SHALLOW_GHOST(to, bed_row, 0, 1, p.west, 0, R(1.0), SHALLOW_OUT_WEST(y)) \
    SHALLOW_GHOST(to, bed_row, TRM_NX - 1, -1, p.east, 1, R(-1.0), SHALLOW_OUT_EAST(y)) \
  }
