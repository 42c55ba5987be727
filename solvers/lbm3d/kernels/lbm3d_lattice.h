/* lbm3d_lattice.h - the lattice of a variant: the number of velocities, their weights, and lists
 * over the velocities. */

/* Every opposite pair a, b: the row and column of the cell x + e_a, from which b comes, and of the
 * cell x - e_a, from which a comes (bs ... an, x, west, east as in D3_LOAD19). */
#define D3_TIES19(X) \
  X(1, 2, mc, east, mc, west); X(3, 4, mn, x, ms, x); X(5, 6, ac, x, bc, x); \
  X(7, 8, mn, east, ms, west); X(9, 10, ac, east, bc, west); X(11, 12, an, x, bs, x); \
  X(13, 14, ms, east, mn, west); X(15, 16, bc, east, ac, west); X(17, 18, bn, x, as, x)
#define D3_TIES27(X) \
  D3_TIES19(X); \
  X(19, 20, an, east, bs, west); X(21, 22, bn, east, as, west); X(23, 24, as, east, bn, west); \
  X(25, 26, an, west, bs, east)

/* f0, f1, ... as `of` of a population's number. */
#define D3_NAMES19(of) \
  const real f0 = of(0), f1 = of(1), f2 = of(2), f3 = of(3), f4 = of(4), f5 = of(5), \
    f6 = of(6), f7 = of(7), f8 = of(8), f9 = of(9), f10 = of(10), f11 = of(11), f12 = of(12), \
    f13 = of(13), f14 = of(14), f15 = of(15), f16 = of(16), f17 = of(17), f18 = of(18)
#define D3_NAMES27(of) \
  D3_NAMES19(of); \
  const real f19 = of(19), f20 = of(20), f21 = of(21), f22 = of(22), f23 = of(23), \
    f24 = of(24), f25 = of(25), f26 = of(26)

#if defined(TRM_VARIANT_cumulant) && !defined(LBM3D_BY_CUMULANTS)
#define LBM3D_BY_CUMULANTS 1
#endif
#if defined(TRM_VARIANT_d3q27) || defined(LBM3D_BY_CUMULANTS)
#define LBM3D_Q 27
#define D3_REST R(0.2962962962962962963)
#define D3_AXIS R(0.07407407407407407407)
#define D3_EDGE R(0.01851851851851851852)
#define D3_CORNER R(0.00462962962962962963)
#define LBM3D_LOAD D3_LOAD27
#define LBM3D_WRAP D3_WRAP27
#define LBM3D_NAMES D3_NAMES27
#define LBM3D_TIES D3_TIES27
#define LBM3D_PAIRS D3_PAIRS27
#define LBM3D_FS \
  const real f0, const real f1, const real f2, const real f3, const real f4, const real f5, \
  const real f6, const real f7, const real f8, const real f9, const real f10, const real f11, \
  const real f12, const real f13, const real f14, const real f15, const real f16, \
  const real f17, const real f18, const real f19, const real f20, const real f21, \
  const real f22, const real f23, const real f24, const real f25, const real f26
#define LBM3D_PASS f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, \
  f17, f18, f19, f20, f21, f22, f23, f24, f25, f26
#else
#define LBM3D_Q 19
#define D3_REST R(0.3333333333333333333)
#define D3_AXIS R(0.05555555555555555556)
#define D3_EDGE R(0.02777777777777777778)
#define LBM3D_LOAD D3_LOAD19
#define LBM3D_WRAP D3_WRAP19
#define LBM3D_NAMES D3_NAMES19
#define LBM3D_TIES D3_TIES19
#define LBM3D_PAIRS D3_PAIRS19
#define LBM3D_FS \
  const real f0, const real f1, const real f2, const real f3, const real f4, const real f5, \
  const real f6, const real f7, const real f8, const real f9, const real f10, const real f11, \
  const real f12, const real f13, const real f14, const real f15, const real f16, \
  const real f17, const real f18
#define LBM3D_PASS f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, \
  f17, f18
#endif
