/* lbm3d_moments_cell.h - for a cell of lbm3d_moments.k: its populations from its moments. Also its
 * moments after a step, from the populations that stream to it. Both schedules call these, so their
 * bits are the same. */

/* f_k = w_k (d + 3 e.m + 4.5 (e e - 1/3) : S), by opposite pairs; those that change columns to `f`,
 * the others to rest, up and down. */
#define MOMENTS_PAIR(a, b, weight, even_part, odd_part) \
  do { \
    const real even = (weight) * (even_part), odd = (R(3.0) * (weight)) * (odd_part); \
    MOMENTS_F(f, a, at) = even + odd; \
    MOMENTS_F(f, b, at) = even - odd; \
  } while (0)
TRM_INLINE void moments_spread(TRM_LOCAL real *f, const int at, const real d,
                               const real x, const real y, const real z, const real xx,
                               const real yy, const real zz, const real xy, const real xz,
                               const real yz, real *rest, real *up, real *down)
{
  const real base = trm_fma(R(-1.5), (xx + yy) + zz, d);
  const real of_xy = trm_fma(R(4.5), xx + yy, base), of_xz = trm_fma(R(4.5), xx + zz, base),
             of_yz = trm_fma(R(4.5), yy + zz, base);
  const real even_z = D3_AXIS * trm_fma(R(4.5), zz, base), odd_z = (R(3.0) * D3_AXIS) * z;
  MOMENTS_PAIR(1, 2, D3_AXIS, trm_fma(R(4.5), xx, base), x);
  MOMENTS_PAIR(3, 4, D3_AXIS, trm_fma(R(4.5), yy, base), y);
  MOMENTS_PAIR(7, 8, D3_EDGE, trm_fma(R(9.0), xy, of_xy), x + y);
  MOMENTS_PAIR(9, 10, D3_EDGE, trm_fma(R(9.0), xz, of_xz), x + z);
  MOMENTS_PAIR(11, 12, D3_EDGE, trm_fma(R(9.0), yz, of_yz), y + z);
  MOMENTS_PAIR(13, 14, D3_EDGE, trm_fma(R(-9.0), xy, of_xy), x - y);
  MOMENTS_PAIR(15, 16, D3_EDGE, trm_fma(R(-9.0), xz, of_xz), x - z);
  MOMENTS_PAIR(17, 18, D3_EDGE, trm_fma(R(-9.0), yz, of_yz), y - z);
  *rest = D3_REST * base;
  *up = even_z + odd_z;
  *down = even_z - odd_z;
}

/* Populations that move up from the plane of `f` to the cell above: their sum, momentum and second
 * moments along x and y. */
TRM_INLINE void moments_rise(TRM_LOCAL const real *f, const int pitch,
                             const int at, const real up, real *sum, real *x, real *xx, real *y,
                             real *yy)
{
  const real f9 = MOMENTS_F(f, 9, at - 1), f16 = MOMENTS_F(f, 16, at + 1);
  const real f11 = MOMENTS_F(f, 11, at - pitch), f18 = MOMENTS_F(f, 18, at + pitch);
  *x = f9 - f16;
  *xx = f9 + f16;
  *y = f11 - f18;
  *yy = f11 + f18;
  *sum = up + ((f9 + f16) + (f11 + f18));
}

/* Sums of the populations that the cell got from its own plane and from the plane below: density,
 * momentum along x and y, second moments in the plane. */
TRM_INLINE void moments_meet(TRM_LOCAL const real *f, const int pitch,
                             const int at, const real rest, const real up, const real up_x,
                             const real up_xx, const real up_y, const real up_yy, real *d, real *x,
                             real *y, real *xx, real *yy, real *xy)
{
  const real f1 = MOMENTS_F(f, 1, at - 1), f2 = MOMENTS_F(f, 2, at + 1);
  const real f3 = MOMENTS_F(f, 3, at - pitch), f4 = MOMENTS_F(f, 4, at + pitch);
  const real f7 = MOMENTS_F(f, 7, at - 1 - pitch), f8 = MOMENTS_F(f, 8, at + 1 + pitch);
  const real f13 = MOMENTS_F(f, 13, at - 1 + pitch), f14 = MOMENTS_F(f, 14, at + 1 - pitch);
  const real pair_xy = f7 + f8, lean_xy = f7 - f8, pair_yx = f13 + f14, lean_yx = f13 - f14;
  const real both = pair_xy + pair_yx;
  *d = (rest + (((f1 + f2) + (f3 + f4)) + both)) + up;
  *x = ((f1 - f2) + (lean_xy + lean_yx)) + up_x;
  *y = ((f3 - f4) + (lean_xy - lean_yx)) + up_y;
  *xx = ((f1 + f2) + both) + up_xx;
  *yy = ((f3 + f4) + both) + up_yy;
  *xy = pair_xy - pair_yx;
}

#define MOMENTS_TO(c) (to + (c) * p.component)[from]
/* With j u of the equilibrium the second moment above d / 3 becomes j u + (1 - omega) (it - j u +
 * s / 2) + s / 2, where s / 2 is the force's share. */
#define MOMENTS_RELAX(c, moment, of_flow, of_force) \
  do { \
    const real flow = of_flow, push = forced ? (of_force) : R(0.0); \
    const real off = forced ? ((moment) - flow) + push : (moment) - flow; \
    MOMENTS_TO(c) = forced ? trm_fma(keep, off, flow + push) : trm_fma(keep, off, flow); \
  } while (0)
/* Populations that move down from the plane of `f` complete the moments of the cell below it, which
 * collide: `from` is its place from `to` on. up, up_x, up_y: sums of the populations that moved up
 * to it. Adds its share to energy and change, the sums of |u|^2 / 2 and of rho - 1. */
TRM_INLINE void moments_finish(TRM_LOCAL const real *f, const int pitch,
                               const int at, const real down, const real some, const real some_x,
                               const real some_y, const real some_xx, const real some_yy,
                               const real xy, const real up, const real up_x, const real up_y,
                               TRM_OUT(real) to, const int from, const moments_params p,
                               const int forced, real *energy, real *change)
{
  const real f15 = MOMENTS_F(f, 15, at - 1), f10 = MOMENTS_F(f, 10, at + 1);
  const real f17 = MOMENTS_F(f, 17, at - pitch), f12 = MOMENTS_F(f, 12, at + pitch);
  const real sum = down + ((f15 + f10) + (f17 + f12));
  const real down_x = f15 - f10, down_y = f17 - f12;
  const real d = some + sum, mx = some_x + down_x, my = some_y + down_y, mz = up - sum;
  const real fx = forced ? p.force_x : R(0.0), fy = forced ? p.force_y : R(0.0),
             fz = forced ? p.force_z : R(0.0);
  const real jx = forced ? trm_fma(R(0.5), fx, mx) : mx;
  const real jy = forced ? trm_fma(R(0.5), fy, my) : my;
  const real jz = forced ? trm_fma(R(0.5), fz, mz) : mz;
  const real per_rho = trm_reciprocal(R(1.0) + d);
  const real ux = jx * per_rho, uy = jy * per_rho, uz = jz * per_rho;
  const real third = R(0.3333333333333333333) * d, keep = R(1.0) - p.plus;
  MOMENTS_TO(0) = d;
  MOMENTS_TO(1) = forced ? mx + fx : mx;
  MOMENTS_TO(2) = forced ? my + fy : my;
  MOMENTS_TO(3) = forced ? mz + fz : mz;
  MOMENTS_RELAX(4, (some_xx + (f15 + f10)) - third, jx * ux, ux * fx);
  MOMENTS_RELAX(5, (some_yy + (f17 + f12)) - third, jy * uy, uy * fy);
  MOMENTS_RELAX(6, (up + sum) - third, jz * uz, uz * fz);
  MOMENTS_RELAX(7, xy, jx * uy, R(0.5) * (ux * fy + uy * fx));
  MOMENTS_RELAX(8, up_x - down_x, jx * uz, R(0.5) * (ux * fz + uz * fx));
  MOMENTS_RELAX(9, up_y - down_y, jy * uz, R(0.5) * (uy * fz + uz * fy));
  *energy += R(0.5) * trm_fma(ux, ux, trm_fma(uy, uy, uz * uz));
  *change += d;
}

/* ---- walls ---------------------------------------------------------------------------------- */

TRM_CONSTANT int moments_ex[D3Q27] = D3_EX;
TRM_CONSTANT int moments_ey[D3Q27] = D3_EY;
TRM_CONSTANT int moments_ez[D3Q27] = D3_EZ;

/* Half-way bounce-back of the populations with that e_z that come to the cell of column `at` from
 * beyond a side. Each is the opposite population of the cell's own plane, plus a moving wall's push
 * (walls[8 k + c]; c has a bit for each axis that it crosses). It is put into `beside`, at the
 * place that it would come from; no other cell reads that place. of_x, of_y, of_z: the e_x, e_y,
 * e_z that come from beyond a side, or 0. */
TRM_INLINE void moments_bounce(TRM_LOCAL const real *own, TRM_LOCAL real *beside,
                               TRM_IN(real) walls, const int pitch, const int at,
                               const int of_x, const int of_y, const int of_z, const int e_z)
{
  TRM_ROLL for (int k = 1; k < D3Q19; k++) {
    const int ex = moments_ex[k], ey = moments_ey[k];
    const int crossed = (ex != 0 && ex == of_x) | (ey != 0 && ey == of_y) << 1 |
                        (e_z != 0 && e_z == of_z) << 2;
    if (moments_ez[k] == e_z && (ex != 0 || ey != 0) && crossed != 0)
      MOMENTS_F(beside, k, at - ex - pitch * ey) =
        MOMENTS_F(own, D3_BACK(k), at) + walls[8 * k + crossed];
  }
}
#define MOMENTS_WALL(k) walls[8 * (k) + 4] /* of populations 5 and 6 */

/* Which e along an axis comes from beyond a side, at cell i of n. */
TRM_INLINE int moments_beyond(const int open, const int i, const int n)
{
  return !open ? 0 : i == 0 ? 1 : i == n - 1 ? -1 : 0;
}

TRM_INLINE int moments_wrapped(const int i, const int n)
{
  return i < 0 ? i + n : i >= n ? i - n : i;
}
