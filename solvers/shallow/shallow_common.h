/* Depth, momenta, speeds and boundaries, shared by the schemes. */

#define SHALLOW_H(u) (u)
#define SHALLOW_HU(u) ((u) + p.component)
#define SHALLOW_HV(u) ((u) + 2 * (trm_index)p.component)

/* The numbers of a cell loop, taken out of the parameters before it: loads from the parameters inside
 * a selection end a simd loop. */
typedef struct shallow_numbers { real g, half_g, dry, film, inv_dx, inv_dy, friction, theta; } shallow_numbers;
#define SHALLOW_NUMBERS(n) \
  const shallow_numbers n = { p.g, p.half_g, p.dry, p.film, p.inv_dx, p.inv_dy, p.friction, p.theta }

TRM_INLINE real shallow_max(const real a, const real b) { return a > b ? a : b; }
TRM_INLINE real shallow_min(const real a, const real b) { return a < b ? a : b; }

/* A momentum too small to matter is none. A wave's tail would otherwise run through subnormal numbers, at
 * a twentieth of the speed on a CPU (f32: its square is still a normal number). */
TRM_INLINE real shallow_momentum(const real q) { return trm_fabs(q) < R(1e-16) ? R(0.0) : q; }

/* The cube root of a positive number: h^(1/4) h^(1/16) h^(1/64) is close, and each round of Halley's
 * iteration cubes its error. Within 2 units in the last place for 1e-12 to 1e12. */
TRM_INLINE real shallow_cbrt(const real h)
{
  const real a = trm_sqrt(trm_sqrt(h)), b = trm_sqrt(trm_sqrt(a)), c = trm_sqrt(trm_sqrt(b));
  real y = a * b * c;
  for (int i = 0; i < 3; i++) {
    const real y3 = y * y * y;
    y = y * (y3 + R(2.0) * h) / (R(2.0) * y3 + h);
  }
  return y;
}

/* 1 / h, 0 where h is dry: without a branch around the division, which would end a simd loop. */
TRM_INLINE real shallow_inverse(const real dry, const real h)
{
  const int is_wet = h > dry;
  return (is_wet ? R(1.0) : R(0.0)) / (is_wet ? h : R(1.0));
}

/* What the step's length depends on. Lax-Friedrichs: (|u| + c)^2 + (|v| + c)^2. HLLC: the larger of
 * (|u| + c) / dx and (|v| + c) / dy. */
TRM_INLINE real shallow_speed(const shallow_numbers n, const real h, const real hu, const real hv,
                              const int scheme)
{
  const real inverse = shallow_inverse(n.dry, h);
  const real c = trm_sqrt(n.g * h);
  const real a = trm_fabs(hu * inverse) + c, b = trm_fabs(hv * inverse) + c;
  return scheme == SHALLOW_LAX_FRIEDRICHS ? a * a + b * b
                                          : shallow_max(a * n.inv_dx, b * n.inv_dy);
}

/* The cell beyond an edge, made of its mirror image inside: kind says what the edge is, sign is +1
 * where inward is the positive direction (west, south); along is the momentum across the edge.
 * A given level lets what leaves leave: it keeps the outgoing invariant u -+ 2c. */
TRM_INLINE void shallow_edge(const shallow_params p, const int kind, const real sign,
                             const real value, const real critical, const real z, real *h,
                             real *along, real *across)
{
  if (kind == SHALLOW_WALL) *along = -*along;
  if (kind == SHALLOW_LEVEL) {
    const real inverse = shallow_inverse(p.dry, *h);
    const real depth = shallow_max(value - z, R(0.0));
    const real u = *along * inverse, v = *across * inverse;
    *along = depth * (u + sign * R(2.0) * (trm_sqrt(p.g * depth) - trm_sqrt(p.g * *h)));
    *across = depth * v;
    *h = depth;
  }
  if (kind == SHALLOW_DISCHARGE) {
    *h = shallow_max(*h, critical);
    *along = sign * value;
    *across = R(0.0);
  }
}

/* The ghost columns of a finished row, on a host; `stage` is the time of the values at the edges. */
#define SHALLOW_GHOST(to, bed_row, from, at, kind, side, sign) \
  do { \
    real ghost_h = SHALLOW_H(to)[from], ghost_u = SHALLOW_HU(to)[from]; \
    real ghost_v = SHALLOW_HV(to)[from]; \
    shallow_edge(p, kind, sign, clock[SHALLOW_VALUE + 2 * (side) + ghost_time], \
                 clock[SHALLOW_DEPTH + 2 * (side) + ghost_time], (bed_row)[from], &ghost_h, \
                 &ghost_u, &ghost_v); \
    TRM_GHOST(SHALLOW_H(to), at, ghost_h); \
    TRM_GHOST(SHALLOW_HU(to), at, ghost_u); \
    TRM_GHOST(SHALLOW_HV(to), at, ghost_v); \
  } while (0)
#if defined(TRM_HOST)
#define SHALLOW_GHOSTS(to, bed_row, time) \
  if (TRM_LAST_SPAN) { \
    const int ghost_time = time; \
    SHALLOW_GHOST(to, bed_row, 0, -1, p.west, 0, R(1.0)); \
    SHALLOW_GHOST(to, bed_row, 1, -2, p.west, 0, R(1.0)); \
    SHALLOW_GHOST(to, bed_row, TRM_NX - 1, TRM_NX, p.east, 1, R(-1.0)); \
    SHALLOW_GHOST(to, bed_row, TRM_NX - 2, TRM_NX + 1, p.east, 1, R(-1.0)); \
  }
#else
#define SHALLOW_GHOSTS(to, bed_row, time)
#endif
