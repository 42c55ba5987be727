/* lbm3d_levels_lattice.h - where the populations of a block's cell come from, by lattice
 * (lbm3d_lattice.h). */
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

#if LBM3D_Q == 27
#define LEVELS_PULL LEVELS_PULL27
#else
#define LEVELS_PULL LEVELS_PULL19
#endif

/* A cell's own populations. */
#define LEVELS_OWN(c, i) D3_ONE_ROW(c); LBM3D_LOAD(i, i, i)
