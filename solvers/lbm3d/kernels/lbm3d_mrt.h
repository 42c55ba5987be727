/* lbm3d_mrt.h - collision of 19 moments with rates of their own: D. d'Humieres, I. Ginzburg, M.
 * Krafczyk, P. Lallemand, L.-S. Luo, Philosophical Transactions A 360 (2002) 437, with its rates;
 * the force as the moments of Guo's term.
 *
 * For each moment: its departure from equilibrium times its rate, less the force's part, over the
 * norm of its row. Populations change by the rows' sum of these. */
#define MRT_E R(1.19)
#define MRT_EPS R(1.4)
#define MRT_Q R(1.2)
#define MRT_PI R(1.4)
#define MRT_M R(1.98)

/* rate (m - meq) - (1 - rate / 2) force, over norm */
#define MRT_OFF(rate, off, force, per_norm) \
  (per_norm * ((rate) * (off) - (forced ? trm_fma(R(-0.5), rate, R(1.0)) * (force) : R(0.0))))

#define D3_COLLIDE_MOMENTS \
  const real axes = (pair_x + pair_y) + pair_z; \
  const real xy_4 = pair_xy + pair_yx, xz_4 = pair_xz + pair_zx, yz_4 = pair_yz + pair_zy; \
  const real edges = (xy_4 + xz_4) + yz_4; \
  const real uf = ux * fx + uy * fy + uz * fz; \
  const real e = trm_fma(R(-30.0), f0, trm_fma(R(-11.0), axes, R(8.0) * edges)); \
  const real eps = trm_fma(R(12.0), f0, trm_fma(R(-4.0), axes, edges)); \
  const real e_off = MRT_OFF(MRT_E, e - trm_fma(R(-11.0), d, R(19.0) * ju), R(38.0) * uf, \
                             R(0.0004177109440267335004)); \
  const real eps_off = MRT_OFF(MRT_EPS, eps - trm_fma(R(3.0), d, R(-5.5) * ju), R(-11.0) * uf, \
                               R(0.003968253968253968254)); \
  const real axis_xx = trm_fma(R(2.0), pair_x, -(pair_y + pair_z)); \
  const real edge_xx = trm_fma(R(-2.0), yz_4, xy_4 + xz_4); \
  const real axis_ww = pair_y - pair_z, edge_ww = xy_4 - xz_4; \
  const real eq_xx = R(2.0) * jx * ux - (jy * uy + jz * uz), eq_ww = jy * uy - jz * uz; \
  const real push_xx = R(2.0) * ux * fx - (uy * fy + uz * fz), push_ww = uy * fy - uz * fz; \
  const real pxx = MRT_OFF(plus, (axis_xx + edge_xx) - eq_xx, R(2.0) * push_xx, \
                           R(0.02777777777777777778)); \
  const real pixx = MRT_OFF(MRT_PI, trm_fma(R(-2.0), axis_xx, edge_xx) + R(0.5) * eq_xx, \
                            -push_xx, R(0.01388888888888888889)); \
  const real pww = MRT_OFF(plus, (axis_ww + edge_ww) - eq_ww, R(2.0) * push_ww, \
                           R(0.08333333333333333333)); \
  const real piww = MRT_OFF(MRT_PI, trm_fma(R(-2.0), axis_ww, edge_ww) + R(0.5) * eq_ww, \
                            -push_ww, R(0.04166666666666666667)); \
  const real pxy = MRT_OFF(plus, (pair_xy - pair_yx) - jx * uy, ux * fy + uy * fx, R(0.25)); \
  const real pxz = MRT_OFF(plus, (pair_xz - pair_zx) - jx * uz, ux * fz + uz * fx, R(0.25)); \
  const real pyz = MRT_OFF(plus, (pair_yz - pair_zy) - jy * uz, uy * fz + uz * fy, R(0.25)); \
  const real xy_x = lean_xy + lean_yx, xz_x = lean_xz + lean_zx; \
  const real xy_y = lean_xy - lean_yx, yz_y = lean_yz + lean_zy; \
  const real xz_z = lean_xz - lean_zx, yz_z = lean_yz - lean_zy; \
  const real qx = MRT_OFF(MRT_Q, trm_fma(R(-4.0), f1 - f2, xy_x + xz_x) + MRT_2_3RDS * jx, \
                          -MRT_2_3RDS * fx, R(0.025)); \
  const real qy = MRT_OFF(MRT_Q, trm_fma(R(-4.0), f3 - f4, xy_y + yz_y) + MRT_2_3RDS * jy, \
                          -MRT_2_3RDS * fy, R(0.025)); \
  const real qz = MRT_OFF(MRT_Q, trm_fma(R(-4.0), f5 - f6, xz_z + yz_z) + MRT_2_3RDS * jz, \
                          -MRT_2_3RDS * fz, R(0.025)); \
  const real third_x = R(0.125) * MRT_M * (xy_x - xz_x); \
  const real third_y = R(0.125) * MRT_M * (yz_y - xy_y); \
  const real third_z = R(0.125) * MRT_M * (xz_z - yz_z); \
  const real gx = R(0.1) * fx, gy = R(0.1) * fy, gz = R(0.1) * fz; \
  const real axis = trm_fma(R(-11.0), e_off, R(-4.0) * eps_off); \
  const real edge = trm_fma(R(8.0), e_off, eps_off); \
  const real even_x = axis + trm_fma(R(2.0), pxx, R(-4.0) * pixx); \
  const real half_xx = trm_fma(R(2.0), pixx, -pxx), half_ww = trm_fma(R(-2.0), piww, pww); \
  const real even_y = axis + (half_xx + half_ww), even_z = axis + (half_xx - half_ww); \
  const real in_x = edge + (pxx + pixx), off_x = edge + R(-2.0) * (pxx + pixx); \
  const real in_w = pww + piww; \
  const real odd_x = trm_fma(R(-4.0), qx, -gx), odd_y = trm_fma(R(-4.0), qy, -gy), \
             odd_z = trm_fma(R(-4.0), qz, -gz); \
  const real sx = qx - gx, sy = qy - gy, sz = qz - gz; \
  D3_SET(0, f0 - trm_fma(R(-30.0), e_off, R(12.0) * eps_off)); \
  MRT_PAIR(1, 2, even_x, odd_x); \
  MRT_PAIR(3, 4, even_y, odd_y); \
  MRT_PAIR(5, 6, even_z, odd_z); \
  MRT_PAIR(7, 8, (in_x + in_w) + pxy, (sx + sy) + (third_x - third_y)); \
  MRT_PAIR(13, 14, (in_x + in_w) - pxy, (sx - sy) + (third_x + third_y)); \
  MRT_PAIR(9, 10, (in_x - in_w) + pxz, (sx + sz) - (third_x - third_z)); \
  MRT_PAIR(15, 16, (in_x - in_w) - pxz, (sx - sz) - (third_x + third_z)); \
  MRT_PAIR(11, 12, off_x + pyz, (sy + sz) + (third_y - third_z)); \
  MRT_PAIR(17, 18, off_x - pyz, (sy - sz) + (third_y + third_z))
#define MRT_2_3RDS R(0.6666666666666666667)
#define MRT_PAIR(a, b, even, odd) \
  do { \
    const real mean = even, lean = odd; \
    D3_SET(a, f##a - (mean + lean)); \
    D3_SET(b, f##b - (mean - lean)); \
  } while (0)
