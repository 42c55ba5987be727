/* fv_plane.h - what a plane leaves of a cell, in closed form.
 *
 * Lengths are in cells: the cell is the cube of side 1 about the origin. A face over a step is such
 * a cube too: its axes are two of the face and the time, from -1/2 to 1/2. With the plane n.x = c
 * in mid-step and the way D of the step, its normal there is (n_u, n_v, -n.D). In two dimensions a
 * component of the normal is 0.
 *
 * Errors, in units of the cell: volume 5e-16, moments 5e-16 (f32: 3e-7), for all finite n and c. A
 * normal of 0 makes the condition 0 < c, so all or nothing is left. Permuted and mirrored axes give
 * the permuted and mirrored result to the last bit; where components of n are equal, permuted
 * moments may differ by the errors above. The two sides of a plane add up to 1 to one rounding,
 * their moments to 0.
 *
 * Source: Scardovelli and Zaleski, J. Comput. Phys. 164 (2000) 228, with the plane's distance from
 * the middle of the cell as the variable. So no case has a difference of nearly equal cubes. */

/* The volume of a part of the cube, and the integral of the place over that part. */
typedef struct fv_moments { real volume, moment[3]; } fv_moments;

/* A component of a normal, as |n_a|, and its axis. */
typedef struct fv_component { real size; int axis; } fv_component;

/* Afterwards a is not the larger one. */
TRM_INLINE void fv_order(fv_component *a, fv_component *b)
{
  const fv_component low = *a, high = *b;
  const int swaps = high.size < low.size;
  a->size = swaps ? high.size : low.size;
  a->axis = swaps ? high.axis : low.axis;
  b->size = swaps ? low.size : high.size;
  b->axis = swaps ? low.axis : high.axis;
}

/* Adds `sign` times a corner that a plane cuts off. The plane meets its edges at e/m1, e/m2 and e.
 * The corner lies at +1/2 along axis k, and at -1/2 along the others; k = -1: along all. */
TRM_INLINE void fv_add_corner(const real m1, const real m2, const real e, const int k,
                              const real sign, fv_moments *to)
{
  const real e1 = e / m1, e2 = e / m2, volume = sign * (e * e1 * e2 / R(6.0));
  to->volume += volume;
  to->moment[0] += volume * (R(0.25) * e1 - R(0.5));
  to->moment[1] += volume * (R(0.25) * e2 + (k == 1 ? R(0.5) : -R(0.5)));
  to->moment[2] += volume * (R(0.25) * e + (k == 2 ? R(0.5) : -R(0.5)));
}

/* The plane meets all four edges along the third axis, `middle` above the lower end on average. */
TRM_INLINE void fv_make_column(const real m1, const real m2, const real middle, fv_moments *to)
{
  to->volume = middle;
  to->moment[0] = -m1 / R(12.0);
  to->moment[1] = -m2 / R(12.0);
  to->moment[2] = (m1 * m1 + m2 * m2) / R(24.0) - R(0.5) * middle * (R(1.0) - middle);
}

/* The plane meets the edges along axes 2 and 3 at both ends of axis 1, or lines that continue these
 * edges. middle: how far along axis 3 on average. */
TRM_INLINE void fv_make_wedge(const real m1, const real m2, const real middle, fv_moments *to)
{
  const real p = middle / m2, q = m1 / m2;
  const real volume = R(0.5) * (p * middle + q * m1 / R(12.0));
  to->volume = volume;
  to->moment[0] = -(q * middle) / R(12.0);
  to->moment[1] = middle * (p * p + R(0.25) * (q * q)) / R(6.0) - R(0.5) * volume;
  to->moment[2] = middle * (p * middle + R(0.25) * (q * m1)) / R(6.0) - R(0.5) * volume;
}

/* The part of the cube with m1 x1 + m2 x2 + x3 < -away: at most half of it. 0 <= m1 <= m2 <= 1,
 * away >= 0. */
TRM_INLINE fv_moments fv_cut_corner(const real m1, const real m2, const real away)
{
  fv_moments s = { R(0.0), { R(0.0), R(0.0), R(0.0) } };
  const real reach = R(0.5) * ((R(1.0) + m2) + m1) - away; /* along axis 3 from the corner */
  if (!(reach > R(0.0))) return s;
  if (away <= R(0.5) * ((R(1.0) - m2) - m1)) {
    fv_make_column(m1, m2, R(0.5) - away, &s);
  } else if (R(0.5) * ((R(1.0) + m2) - m1) < away) {
    fv_add_corner(m1, m2, reach, -1, R(1.0), &s);
  } else {
    const real past2 = R(0.5) * ((R(1.0) - m2) + m1) - away; /* how far beyond the other corners */
    const real past3 = R(0.5) * (m1 - (R(1.0) - m2)) - away;
    fv_make_wedge(m1, m2, R(0.5) * (R(1.0) + m2) - away, &s);
    if (past2 > R(0.0)) fv_add_corner(m1, m2, past2, 1, -R(1.0), &s);
    if (past3 > R(0.0)) fv_add_corner(m1, m2, past3, 2, -R(1.0), &s);
  }
  return s;
}

/* The part of the cube with n.x < c. */
TRM_INLINE fv_moments fv_plane_cube(const real *n, const real c)
{
  fv_component a = { trm_fabs(n[0]), 0 }, b = { trm_fabs(n[1]), 1 }, d = { trm_fabs(n[2]), 2 };
  fv_moments cube = { c > R(0.0) ? R(1.0) : R(0.0), { R(0.0), R(0.0), R(0.0) } };
  fv_order(&a, &b);
  fv_order(&b, &d);
  fv_order(&a, &b);
  if (d.size == R(0.0)) return cube;
  const fv_moments s = fv_cut_corner(a.size / d.size, b.size / d.size, trm_fabs(c) / d.size);
  cube.volume = c > R(0.0) ? R(1.0) - s.volume : c < R(0.0) ? s.volume : R(0.5);
  TRM_UNROLL for (int i = 0; i < 3; i++) {
    const real moment = i == a.axis ? s.moment[0] : i == b.axis ? s.moment[1] : s.moment[2];
    cube.moment[i] = n[i] < R(0.0) ? -moment : moment;
  }
  return cube;
}
