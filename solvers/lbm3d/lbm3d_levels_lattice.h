/* lbm3d_levels_lattice.h - the lattice of a variant of lbm3d_levels.k, and where the populations of
 * a block's cell come from. */
#define LEVELS_PULL19 \
  const real f0 = LEVELS_FROM(0, 0, 0, 0), f1 = LEVELS_FROM(1, 1, 0, 0); \
  const real f2 = LEVELS_FROM(2, -1, 0, 0), f3 = LEVELS_FROM(3, 0, 1, 0); \
  const real f4 = LEVELS_FROM(4, 0, -1, 0), f5 = LEVELS_FROM(5, 0, 0, 1); \
  const real f6 = LEVELS_FROM(6, 0, 0, -1), f7 = LEVELS_FROM(7, 1, 1, 0); \
  const real f8 = LEVELS_FROM(8, -1, -1, 0), f9 = LEVELS_FROM(9, 1, 0, 1); \
  const real f10 = LEVELS_FROM(10, -1, 0, -1), f11 = LEVELS_FROM(11, 0, 1, 1); \
  const real f12 = LEVELS_FROM(12, 0, -1, -1), f13 = LEVELS_FROM(13, 1, -1, 0); \
  const real f14 = LEVELS_FROM(14, -1, 1, 0), f15 = LEVELS_FROM(15, 1, 0, -1); \
  const real f16 = LEVELS_FROM(16, -1, 0, 1), f17 = LEVELS_FROM(17, 0, 1, -1); \
  const real f18 = LEVELS_FROM(18, 0, -1, 1)
#define LEVELS_PULL27 \
  LEVELS_PULL19; \
  const real f19 = LEVELS_FROM(19, 1, 1, 1), f20 = LEVELS_FROM(20, -1, -1, -1); \
  const real f21 = LEVELS_FROM(21, 1, 1, -1), f22 = LEVELS_FROM(22, -1, -1, 1); \
  const real f23 = LEVELS_FROM(23, 1, -1, 1), f24 = LEVELS_FROM(24, -1, 1, -1); \
  const real f25 = LEVELS_FROM(25, -1, 1, 1), f26 = LEVELS_FROM(26, 1, -1, -1)

#if defined(TRM_VARIANT_d3q27) || defined(TRM_VARIANT_regularised27) || \
  defined(TRM_VARIANT_cumulant)
#define LBM3D_Q 27
#define D3_REST R(0.2962962962962962963)
#define D3_AXIS R(0.07407407407407407407)
#define D3_EDGE R(0.01851851851851851852)
#define D3_CORNER R(0.00462962962962962963)
#define LEVELS_LOAD D3_LOAD27
#define LEVELS_PULL LEVELS_PULL27
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
#define LEVELS_LOAD D3_LOAD19
#define LEVELS_PULL LEVELS_PULL19
#define LBM3D_PAIRS D3_PAIRS19
#define LBM3D_FS \
  const real f0, const real f1, const real f2, const real f3, const real f4, const real f5, \
  const real f6, const real f7, const real f8, const real f9, const real f10, const real f11, \
  const real f12, const real f13, const real f14, const real f15, const real f16, \
  const real f17, const real f18
#define LBM3D_PASS f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, \
  f17, f18
#endif

/* A cell's own populations. */
#define LEVELS_OWN(c, i) D3_ONE_ROW(c); LEVELS_LOAD(i, i, i)
