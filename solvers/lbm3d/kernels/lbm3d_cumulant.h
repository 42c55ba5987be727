/* lbm3d_cumulant.h - collision of cumulants on 27 velocities, all rates but the viscosity's 1: M.
 * Geier, M. Schoenherr, A. Pasquali, M. Krafczyk, Computers and Mathematics with Applications 70
 * (2015) 507.
 *
 * c_abc is the population of velocity (a - 1, b - 1, c - 1), and after three passes, along x, y and
 * z, the central moment of order a, b, c. All are kept less their values at rest with density 1, so
 * that f32 loses no digits. For a line whose populations at rest add up to `rest`, the moments at
 * rest are rest, 0 and rest / 3. */
#define CUM_36TH R(0.02777777777777777778)
#define CUM_18TH R(0.05555555555555555556)
#define CUM_9TH R(0.1111111111111111111)
#define CUM_6TH R(0.1666666666666666667)
#define CUM_2_9THS R(0.2222222222222222222)
#define CUM_3RD R(0.3333333333333333333)
#define CUM_4_9THS R(0.4444444444444444444)
#define CUM_2_3RDS R(0.6666666666666666667)

/* From a line's populations (below, here, above) their central moments of order 0, 1, 2; and
 * back. */
#define CUM_FORWARD(m, z, p, u, rest) \
  do { \
    const real both = m + p, lean = p - m, all = both + z, carried = u * (all + rest); \
    m = all; \
    z = lean - carried; \
    p = both - u * (R(2.0) * lean - carried); \
  } while (0)
#define CUM_BACKWARD(m, z, p, u, rest) \
  do { \
    const real all = m + rest, u2 = u * u, square = trm_fma(all, u2, p); \
    const real twice = R(2.0) * u * z, across = trm_fma(all, u, z); \
    const real both = square + twice; \
    z = m - both; \
    m = R(0.5) * (both - across); \
    p = R(0.5) * (both + across); \
  } while (0)
#define CUM_POPULATIONS \
  real c111 = f0, c211 = f1, c011 = f2; \
  real c121 = f3, c101 = f4, c112 = f5; \
  real c110 = f6, c221 = f7, c001 = f8; \
  real c212 = f9, c010 = f10, c122 = f11; \
  real c100 = f12, c201 = f13, c021 = f14; \
  real c210 = f15, c012 = f16, c120 = f17; \
  real c102 = f18, c222 = f19, c000 = f20; \
  real c220 = f21, c002 = f22, c202 = f23; \
  real c020 = f24, c022 = f25, c200 = f26
#define CUM_TO_MOMENTS \
  CUM_FORWARD(c000, c100, c200, ux, CUM_36TH); CUM_FORWARD(c001, c101, c201, ux, CUM_9TH); \
  CUM_FORWARD(c002, c102, c202, ux, CUM_36TH); CUM_FORWARD(c010, c110, c210, ux, CUM_9TH); \
  CUM_FORWARD(c011, c111, c211, ux, CUM_4_9THS); CUM_FORWARD(c012, c112, c212, ux, CUM_9TH); \
  CUM_FORWARD(c020, c120, c220, ux, CUM_36TH); CUM_FORWARD(c021, c121, c221, ux, CUM_9TH); \
  CUM_FORWARD(c022, c122, c222, ux, CUM_36TH); \
  CUM_FORWARD(c000, c010, c020, uy, CUM_6TH); CUM_FORWARD(c001, c011, c021, uy, CUM_2_3RDS); \
  CUM_FORWARD(c002, c012, c022, uy, CUM_6TH); CUM_FORWARD(c100, c110, c120, uy, R(0.0)); \
  CUM_FORWARD(c101, c111, c121, uy, R(0.0)); CUM_FORWARD(c102, c112, c122, uy, R(0.0)); \
  CUM_FORWARD(c200, c210, c220, uy, CUM_18TH); CUM_FORWARD(c201, c211, c221, uy, CUM_2_9THS); \
  CUM_FORWARD(c202, c212, c222, uy, CUM_18TH); \
  CUM_FORWARD(c000, c001, c002, uz, R(1.0)); CUM_FORWARD(c010, c011, c012, uz, R(0.0)); \
  CUM_FORWARD(c020, c021, c022, uz, CUM_3RD); CUM_FORWARD(c100, c101, c102, uz, R(0.0)); \
  CUM_FORWARD(c110, c111, c112, uz, R(0.0)); CUM_FORWARD(c120, c121, c122, uz, R(0.0)); \
  CUM_FORWARD(c200, c201, c202, uz, CUM_3RD); CUM_FORWARD(c210, c211, c212, uz, R(0.0)); \
  CUM_FORWARD(c220, c221, c222, uz, CUM_9TH)
#define CUM_FROM_MOMENTS \
  CUM_BACKWARD(c000, c001, c002, uz, R(1.0)); CUM_BACKWARD(c010, c011, c012, uz, R(0.0)); \
  CUM_BACKWARD(c020, c021, c022, uz, CUM_3RD); CUM_BACKWARD(c100, c101, c102, uz, R(0.0)); \
  CUM_BACKWARD(c110, c111, c112, uz, R(0.0)); CUM_BACKWARD(c120, c121, c122, uz, R(0.0)); \
  CUM_BACKWARD(c200, c201, c202, uz, CUM_3RD); CUM_BACKWARD(c210, c211, c212, uz, R(0.0)); \
  CUM_BACKWARD(c220, c221, c222, uz, CUM_9TH); \
  CUM_BACKWARD(c000, c010, c020, uy, CUM_6TH); CUM_BACKWARD(c001, c011, c021, uy, CUM_2_3RDS); \
  CUM_BACKWARD(c002, c012, c022, uy, CUM_6TH); CUM_BACKWARD(c100, c110, c120, uy, R(0.0)); \
  CUM_BACKWARD(c101, c111, c121, uy, R(0.0)); CUM_BACKWARD(c102, c112, c122, uy, R(0.0)); \
  CUM_BACKWARD(c200, c210, c220, uy, CUM_18TH); CUM_BACKWARD(c201, c211, c221, uy, CUM_2_9THS); \
  CUM_BACKWARD(c202, c212, c222, uy, CUM_18TH); \
  CUM_BACKWARD(c000, c100, c200, ux, CUM_36TH); CUM_BACKWARD(c001, c101, c201, ux, CUM_9TH); \
  CUM_BACKWARD(c002, c102, c202, ux, CUM_36TH); CUM_BACKWARD(c010, c110, c210, ux, CUM_9TH); \
  CUM_BACKWARD(c011, c111, c211, ux, CUM_4_9THS); CUM_BACKWARD(c012, c112, c212, ux, CUM_9TH); \
  CUM_BACKWARD(c020, c120, c220, ux, CUM_36TH); CUM_BACKWARD(c021, c121, c221, ux, CUM_9TH); \
  CUM_BACKWARD(c022, c122, c222, ux, CUM_36TH)
#define CUM_STORE \
  D3_SET(0, c111); D3_SET(1, c211); D3_SET(2, c011); \
  D3_SET(3, c121); D3_SET(4, c101); D3_SET(5, c112); \
  D3_SET(6, c110); D3_SET(7, c221); D3_SET(8, c001); \
  D3_SET(9, c212); D3_SET(10, c010); D3_SET(11, c122); \
  D3_SET(12, c100); D3_SET(13, c201); D3_SET(14, c021); \
  D3_SET(15, c210); D3_SET(16, c012); D3_SET(17, c120); \
  D3_SET(18, c102); D3_SET(19, c222); D3_SET(20, c000); \
  D3_SET(21, c220); D3_SET(22, c002); D3_SET(23, c202); \
  D3_SET(24, c020); D3_SET(25, c022); D3_SET(26, c200)

/* Second order: deviators by w = plus, the trace by 1, with the terms for Galilean invariance.
 * Third and fifth order: 0. Fourth and sixth: the moments of vanishing cumulants. First order: it
 * changes its sign, which adds the other half of the force. */
#define CUM_COLLIDE \
  const real w = plus, other_half = trm_fma(R(-0.5), w, R(1.0)), keep = R(1.0) - w; \
  const real xy = c200 - c020, xz = c200 - c002, sum = (c200 + c020) + c002; \
  const real slope_x = R(-0.5) * per_rho * trm_fma(w, xy + xz, sum - d); \
  const real slope_y = trm_fma(R(1.5) * w * per_rho, xy, slope_x); \
  const real slope_z = trm_fma(R(1.5) * w * per_rho, xz, slope_x); \
  const real gx = ux * ux * slope_x, gy = uy * uy * slope_y, gz = uz * uz * slope_z; \
  const real three = R(3.0) * rho * other_half; \
  const real d_xy = keep * xy - three * (gx - gy), d_xz = keep * xz - three * (gx - gz); \
  const real t = d - R(1.5) * rho * ((gx + gy) + gz); \
  const real a = CUM_3RD * ((d_xy + d_xz) + t); \
  const real b = CUM_3RD * (trm_fma(R(-2.0), d_xy, d_xz) + t); \
  const real c = CUM_3RD * (trm_fma(R(-2.0), d_xz, d_xy) + t); \
  const real s = keep * c110, q = keep * c101, r = keep * c011; \
  const real xx = a + CUM_3RD, yy = b + CUM_3RD, zz = c + CUM_3RD; \
  const real ab = a * b, bc = b * c, ca = c * a, ss = s * s, qq = q * q, rr = r * r; \
  const real ninth = CUM_9TH * d; \
  const real sextic = (CUM_9TH * ((a + b) + c) + CUM_3RD * ((ab + bc) + ca) + ab * c) + \
    (R(2.0) * ((xx * rr + yy * qq) + zz * ss) + R(8.0) * s * q * r) - \
    R(0.03703703703703703704) * d * (R(2.0) + d); \
  c000 = d; \
  c100 = -c100; c010 = -c010; c001 = -c001; \
  c200 = a; c020 = b; c002 = c; \
  c110 = s; c101 = q; c011 = r; \
  c210 = R(0.0); c201 = R(0.0); c120 = R(0.0); c021 = R(0.0); c102 = R(0.0); c012 = R(0.0); \
  c111 = R(0.0); \
  c220 = ((CUM_3RD * (a + b) + ab) + trm_fma(R(2.0), ss, -ninth)) * per_rho; \
  c202 = ((CUM_3RD * (a + c) + ca) + trm_fma(R(2.0), qq, -ninth)) * per_rho; \
  c022 = ((CUM_3RD * (b + c) + bc) + trm_fma(R(2.0), rr, -ninth)) * per_rho; \
  c211 = trm_fma(R(2.0) * s, q, xx * r) * per_rho; \
  c121 = trm_fma(R(2.0) * s, r, yy * q) * per_rho; \
  c112 = trm_fma(R(2.0) * q, r, zz * s) * per_rho; \
  c221 = R(0.0); c212 = R(0.0); c122 = R(0.0); \
  c222 = sextic * per_rho * per_rho

/* The moments are computed; of the rates only plus is used. */
#define D3_COLLIDE_CUMULANTS \
  CUM_POPULATIONS; \
  CUM_TO_MOMENTS; \
  CUM_COLLIDE; \
  CUM_FROM_MOMENTS; \
  CUM_STORE
