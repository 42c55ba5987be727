/* Cells beside one, numbered as fv_near is: those of its plane alone in two dimensions. */
#define FV_CUT_BEGIN (FV_SZ > 1 ? 0 : 9)
#define FV_CUT_END (FV_SZ > 1 ? 27 : 18)
#define FV_CUT_OWN 13
#define FV_CUT_AXES (FV_SZ > 1 ? 3 : 2)

/* The cell beside one with this number, in its block or that beside it. */
TRM_INLINE int fv_cut_next_to(TRM_IN(int) near, const int cell, const int k)
{
  const int x = cell % FV_SX + k % 3 - 1, y = cell / FV_SX % FV_SY + k / 3 % 3 - 1;
  const int z = cell / (FV_SX * FV_SY) % FV_SZ + k / 9 - 1;
  const int beside = (z < 0 ? 0 : z < FV_SZ ? 9 : 18) + (y < 0 ? 0 : y < FV_SY ? 3 : 6) +
                     (x < 0 ? 0 : x < FV_SX ? 1 : 2);
  return near[(trm_index)(cell / FV_CELLS) * FV_NEAR_INTS + beside] * FV_CELLS +
         ((z & (FV_SZ - 1)) * FV_SY + (y & (FV_SY - 1))) * FV_SX + (x & (FV_SX - 1));
}
