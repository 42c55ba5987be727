/* lbm3d_lattice.h - the lattice of a variant of lbm3d_stored.k: how many velocities, their weights,
 * the lists of what is done with each. */
/* Every opposite pair a, b: the row and column of the cell x + e_a, where b comes from, and of the
 * cell x - e_a, where a comes from (bs ... an, x, west, east as in D3_LOAD19). */
#define D3_TIES19(X) \
  X(1, 2, mc, east, mc, west); X(3, 4, mn, x, ms, x); X(5, 6, ac, x, bc, x); \
  X(7, 8, mn, east, ms, west); X(9, 10, ac, east, bc, west); X(11, 12, an, x, bs, x); \
  X(13, 14, ms, east, mn, west); X(15, 16, bc, east, ac, west); X(17, 18, bn, x, as, x)
#define D3_TIES27(X) \
  D3_TIES19(X); \
  X(19, 20, an, east, bs, west); X(21, 22, bn, east, as, west); X(23, 24, as, east, bn, west); \
  X(25, 26, an, west, bs, east)

/* f0, f1, ... of what `of` makes of a population's number. */
#define D3_NAMES19(of) \
  const real f0 = of(0), f1 = of(1), f2 = of(2), f3 = of(3), f4 = of(4), f5 = of(5), \
    f6 = of(6), f7 = of(7), f8 = of(8), f9 = of(9), f10 = of(10), f11 = of(11), f12 = of(12), \
    f13 = of(13), f14 = of(14), f15 = of(15), f16 = of(16), f17 = of(17), f18 = of(18)
#define D3_NAMES27(of) \
  D3_NAMES19(of); \
  const real f19 = of(19), f20 = of(20), f21 = of(21), f22 = of(22), f23 = of(23), \
    f24 = of(24), f25 = of(25), f26 = of(26)

#if defined(TRM_VARIANT_cumulant)
#define LBM3D_Q 27
#define D3_REST R(0.2962962962962962963)
#define D3_AXIS R(0.07407407407407407407)
#define D3_EDGE R(0.01851851851851851852)
#define D3_CORNER R(0.00462962962962962963)
#define LBM3D_NAMES D3_NAMES27
#define LBM3D_TIES D3_TIES27
#define LBM3D_PAIRS D3_PAIRS27
#else
#define LBM3D_Q 19
#define D3_REST R(0.3333333333333333333)
#define D3_AXIS R(0.05555555555555555556)
#define D3_EDGE R(0.02777777777777777778)
#define LBM3D_NAMES D3_NAMES19
#define LBM3D_TIES D3_TIES19
#define LBM3D_PAIRS D3_PAIRS19
#endif
