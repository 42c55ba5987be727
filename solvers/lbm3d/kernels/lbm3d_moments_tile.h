/* lbm3d_moments_tile.h - the tile of a group of lbm3d_moments.k: MOMENTS_X x MOMENTS_Y columns of
 * cells, with a halo of one column about them, and the values kept for each column while the group
 * goes up plane by plane.
 *
 * On a GPU the number of items tells the shape (moments.c asks for it); on a host the shape is a
 * parameter. */

#define MOMENTS_REALS 10  /* of a cell */
#define MOMENTS_LATERAL 16 /* populations that change columns: all but 0, 5 and 6 */

#if TRM_BY_SPAN
#define MOMENTS_COLUMNS 800 /* at most; shapes: moments.c */
#define MOMENTS_INNER 544
#define MOMENTS_X p.tile_x
#define MOMENTS_Y p.tile_y
#else
#if TRM_GROUP >= 800
#define MOMENTS_X 128
#define MOMENTS_Y 4
#define MOMENTS_MANY 0
#elif TRM_GROUP >= 672
#define MOMENTS_X 64
#define MOMENTS_Y 8
#define MOMENTS_MANY 0
#elif TRM_GROUP >= 640
#define MOMENTS_X 32
#define MOMENTS_Y 16
#define MOMENTS_MANY 1280
#elif TRM_GROUP >= 544
#define MOMENTS_X 128
#define MOMENTS_Y 2
#define MOMENTS_MANY 1088
#elif TRM_GROUP >= 416
#define MOMENTS_X 64
#define MOMENTS_Y 4
#define MOMENTS_MANY 832
#elif TRM_GROUP >= 352
#define MOMENTS_X 32
#define MOMENTS_Y 8
#define MOMENTS_MANY 1056
#elif TRM_GROUP >= 224
#define MOMENTS_X 32
#define MOMENTS_Y 4
#define MOMENTS_MANY 1120
#else
#define MOMENTS_X 32
#define MOMENTS_Y 2
#define MOMENTS_MANY 1120
#endif
/* Items at once on a multiprocessor: in f32 56 registers each, or 48 or 72, nearly without
 * spills. */
#define MOMENTS_RESIDENT (TRM_F64_KERNEL ? 0 : MOMENTS_MANY)
#define MOMENTS_INNER (MOMENTS_X * MOMENTS_Y)
#define MOMENTS_COLUMNS ((MOMENTS_X + 2) * (MOMENTS_Y + 2))
#endif

/* Place of a column, the halo's from -1 on, in arrays over the tile. */
#define MOMENTS_PITCH (MOMENTS_X + 2)
#define MOMENTS_AT(x, y) (((y) + 1) * MOMENTS_PITCH + (x) + 1)

typedef struct moments_shared {
  real f[2][MOMENTS_LATERAL * MOMENTS_COLUMNS]; /* of planes z with z even; odd */
  real energy[MOMENTS_INNER], change[MOMENTS_INNER];
} moments_shared;

/* Population k of a column's cell, in one of the two. */
#define MOMENTS_ROW_OF(k) ((k) < 5 ? (k) - 1 : (k) - 3)
#define MOMENTS_F(f, k, at) (f)[MOMENTS_ROW_OF(k) * MOMENTS_COLUMNS + (at)]
