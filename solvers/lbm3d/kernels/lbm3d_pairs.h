/* lbm3d_pairs.h - what all collisions of lbm3d.k share (density, velocity, equilibrium by opposite
 * pairs), and collision with one or two relaxation times.
 *
 * Deviations from the weights: d = rho - 1 is their sum. For a pair, half the sum of the
 * equilibrium is w (d + rho (4.5 (e.u)^2 - 1.5 u^2)), half the difference 3 w rho e.u. Source: I.
 * Ginzburg, F. Verhaeghe, D. d'Humieres, Communications in Computational Physics 3
 * (2008) 427; the force: Z. Guo, C. Zheng, B. Shi, Physical Review E 65 (2002) 046308. */
#define D3_SUM19 \
  const real pair_x = f1 + f2, pair_y = f3 + f4, pair_z = f5 + f6; \
  const real pair_xy = f7 + f8, pair_xz = f9 + f10, pair_yz = f11 + f12; \
  const real pair_yx = f13 + f14, pair_zx = f15 + f16, pair_zy = f17 + f18; \
  const real lean_xy = f7 - f8, lean_xz = f9 - f10, lean_yz = f11 - f12; \
  const real lean_yx = f13 - f14, lean_zx = f15 - f16, lean_zy = f17 - f18

#if LBM3D_Q == 27
#define D3_MOMENTS \
  D3_SUM19; \
  const real corner_1 = f19 + f20, corner_2 = f21 + f22, corner_3 = f23 + f24, \
             corner_4 = f25 + f26; \
  const real lean_1 = f19 - f20, lean_2 = f21 - f22, lean_3 = f23 - f24, lean_4 = f25 - f26; \
  const real corners = (corner_1 + corner_2) + (corner_3 + corner_4); \
  const real d = ((f0 + (pair_x + (pair_y + pair_z))) + \
    ((pair_xy + pair_yx) + (pair_xz + pair_zx)) + (pair_yz + pair_zy)) + corners; \
  const real mx = ((f1 - f2) + ((lean_xy + lean_yx) + (lean_xz + lean_zx))) + \
    ((lean_1 + lean_2) + (lean_3 - lean_4)); \
  const real my = ((f3 - f4) + ((lean_xy - lean_yx) + (lean_yz + lean_zy))) + \
    ((lean_1 + lean_2) - (lean_3 - lean_4)); \
  const real mz = ((f5 - f6) + ((lean_xz - lean_zx) + (lean_yz - lean_zy))) + \
    ((lean_1 - lean_2) + (lean_3 + lean_4))
#define D3_SECOND_XX (pair_x + ((pair_xy + pair_yx) + (pair_xz + pair_zx)) + corners)
#define D3_SECOND_YY (pair_y + ((pair_xy + pair_yx) + (pair_yz + pair_zy)) + corners)
#define D3_SECOND_ZZ (pair_z + ((pair_xz + pair_zx) + (pair_yz + pair_zy)) + corners)
#define D3_SECOND_XY ((pair_xy - pair_yx) + ((corner_1 + corner_2) - (corner_3 + corner_4)))
#define D3_SECOND_XZ ((pair_xz - pair_zx) + ((corner_1 + corner_3) - (corner_2 + corner_4)))
#define D3_SECOND_YZ ((pair_yz - pair_zy) + ((corner_1 + corner_4) - (corner_2 + corner_3)))
#else
#define D3_MOMENTS \
  D3_SUM19; \
  const real d = (f0 + (pair_x + (pair_y + pair_z))) + \
    ((pair_xy + pair_yx) + (pair_xz + pair_zx)) + (pair_yz + pair_zy); \
  const real mx = (f1 - f2) + ((lean_xy + lean_yx) + (lean_xz + lean_zx)); \
  const real my = (f3 - f4) + ((lean_xy - lean_yx) + (lean_yz + lean_zy)); \
  const real mz = (f5 - f6) + ((lean_xz - lean_zx) + (lean_yz - lean_zy))
#define D3_SECOND_XX (pair_x + ((pair_xy + pair_yx) + (pair_xz + pair_zx)))
#define D3_SECOND_YY (pair_y + ((pair_xy + pair_yx) + (pair_yz + pair_zy)))
#define D3_SECOND_ZZ (pair_z + ((pair_xz + pair_zx) + (pair_yz + pair_zy)))
#define D3_SECOND_XY (pair_xy - pair_yx)
#define D3_SECOND_XZ (pair_xz - pair_zx)
#define D3_SECOND_YZ (pair_yz - pair_zy)
#endif

/* Velocity: half of the step's force belongs to the momentum. forced: a literal. */
#define D3_VELOCITY \
  const real rho = R(1.0) + d, per_rho = R(1.0) / rho; \
  const real fx = forced ? p.force_x : R(0.0), fy = forced ? p.force_y : R(0.0), \
             fz = forced ? p.force_z : R(0.0); \
  const real jx = forced ? trm_fma(R(0.5), fx, mx) : mx; \
  const real jy = forced ? trm_fma(R(0.5), fy, my) : my; \
  const real jz = forced ? trm_fma(R(0.5), fz, mz) : mz; \
  const real ux = jx * per_rho, uy = jy * per_rho, uz = jz * per_rho; \
  const real ju = trm_fma(jx, ux, trm_fma(jy, uy, jz * uz)); \
  const real rest = trm_fma(R(-1.5), ju, d)

/* Second moments of the departure from equilibrium, the force's half included. */
#define D3_STRESS \
  const real third = R(0.3333333333333333333) * d; \
  const real sxx = (D3_SECOND_XX - third) - jx * ux + (forced ? ux * fx : R(0.0)); \
  const real syy = (D3_SECOND_YY - third) - jy * uy + (forced ? uy * fy : R(0.0)); \
  const real szz = (D3_SECOND_ZZ - third) - jz * uz + (forced ? uz * fz : R(0.0)); \
  const real sxy = D3_SECOND_XY - jx * uy + (forced ? R(0.5) * (ux * fy + uy * fx) : R(0.0)); \
  const real sxz = D3_SECOND_XZ - jx * uz + (forced ? R(0.5) * (ux * fz + uz * fx) : R(0.0)); \
  const real syz = D3_SECOND_YZ - jy * uz + (forced ? R(0.5) * (uy * fz + uz * fy) : R(0.0))

/* The contribution to tau of eddies smaller than a cell (J. Smagorinsky, Monthly Weather Review 91
 * (1963) 99; S. Hou et al., Fields Institute Communications 6 (1996) 151). eddy: 18 sqrt(2)
 * Cs^2. */
TRM_INLINE real lbm3d_eddy_rate(const real omega, const real eddy, const real stress2)
{
  const real tau = R(1.0) / omega;
  return R(2.0) / (tau + trm_sqrt(trm_fma(eddy, trm_sqrt(stress2), tau * tau)));
}
#define D3_STRESS2 \
  (trm_fma(sxx, sxx, trm_fma(syy, syy, szz * szz)) + \
   R(2.0) * trm_fma(sxy, sxy, trm_fma(sxz, sxz, syz * syz)))

/* The relaxation rate of odd parts for a given rate of even parts; magic 0: the same rate. */
TRM_INLINE real lbm3d_minus(const real plus, const real magic)
{
  const real other = R(1.0) / (magic / (R(1.0) / plus - R(0.5)) + R(0.5));
  return magic > R(0.0) ? other : plus;
}

/* Every opposite pair: its populations, weight, e's sums of u, j and F, and e e : s. */
#define D3_PAIRS19(X) \
  X(1, 2, D3_AXIS, ux, jx, fx, sxx); X(3, 4, D3_AXIS, uy, jy, fy, syy); \
  X(5, 6, D3_AXIS, uz, jz, fz, szz); \
  X(7, 8, D3_EDGE, ux + uy, jx + jy, fx + fy, (sxx + syy) + R(2.0) * sxy); \
  X(9, 10, D3_EDGE, ux + uz, jx + jz, fx + fz, (sxx + szz) + R(2.0) * sxz); \
  X(11, 12, D3_EDGE, uy + uz, jy + jz, fy + fz, (syy + szz) + R(2.0) * syz); \
  X(13, 14, D3_EDGE, ux - uy, jx - jy, fx - fy, (sxx + syy) - R(2.0) * sxy); \
  X(15, 16, D3_EDGE, ux - uz, jx - jz, fx - fz, (sxx + szz) - R(2.0) * sxz); \
  X(17, 18, D3_EDGE, uy - uz, jy - jz, fy - fz, (syy + szz) - R(2.0) * syz)
#define D3_PAIRS27(X) \
  D3_PAIRS19(X); \
  X(19, 20, D3_CORNER, (ux + uy) + uz, (jx + jy) + jz, (fx + fy) + fz, \
    trace + R(2.0) * ((sxy + sxz) + syz)); \
  X(21, 22, D3_CORNER, (ux + uy) - uz, (jx + jy) - jz, (fx + fy) - fz, \
    trace + R(2.0) * ((sxy - sxz) - syz)); \
  X(23, 24, D3_CORNER, (ux - uy) + uz, (jx - jy) + jz, (fx - fy) + fz, \
    trace + R(2.0) * ((sxz - sxy) - syz)); \
  X(25, 26, D3_CORNER, (uy + uz) - ux, (jy + jz) - jx, (fy + fz) - fx, \
    trace + R(2.0) * ((syz - sxy) - sxz))

#define D3_SET(k, value) D3_AT(g, k)[x] = value

/* In a pair, the even part relaxes by plus and the odd part by minus. */
#define D3_RELAX(a, b, weight, eu, ej, ef, es) \
  do { \
    const real along = eu, moment = ej; \
    const real mean = R(0.5) * (f##a + f##b), lean = R(0.5) * (f##a - f##b); \
    const real even = weight * trm_fma(R(4.5) * moment, along, rest); \
    const real odd = R(3.0) * weight * moment; \
    const real push_even = forced ? half_plus * weight * (R(9.0) * along * (ef) - uf) : R(0.0); \
    const real push_odd = forced ? half_minus * R(3.0) * weight * (ef) : R(0.0); \
    const real dp = trm_fma(plus, even - mean, push_even); \
    const real dm = trm_fma(minus, odd - lean, push_odd); \
    D3_SET(a, f##a + (dp + dm)); \
    D3_SET(b, f##b + (dp - dm)); \
  } while (0)

#define D3_COLLIDE_PAIRS \
  const real half_plus = trm_fma(R(-0.5), plus, R(1.0)); \
  const real half_minus = trm_fma(R(-0.5), minus, R(1.0)); \
  const real uf = R(3.0) * (ux * fx + uy * fy + uz * fz); \
  const real push_0 = forced ? R(-1.0) * half_plus * D3_REST * uf : R(0.0); \
  D3_SET(0, f0 + trm_fma(plus, D3_REST * rest - f0, push_0)); \
  LBM3D_PAIRS(D3_RELAX); \
  (void)half_plus, (void)half_minus, (void)uf
