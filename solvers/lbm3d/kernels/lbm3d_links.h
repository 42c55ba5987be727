/* lbm3d_links.h - the cells beside boundaries: the populations that come to them through each link,
 * on every kind of grid. Before it
 *   links_params, lbm3d_neighbours   types of a launch's parameters, of a cell and its neighbours
 *   LBM3D_OF(dx, dy, dz, k)      population k, as a collision left it, of the cell that lies (dx,
 *                                dy, dz) from the one in `b`, in the lattice f
 *   LBM3D_KEPT(got, k)           what is stored of what comes with population k
 *   LBM3D_PUT(i, k, kept)        puts it, of link i, where the step will find it
 *   lbm3d_sums.h, lbm3d_given.h  what a link adds to sums; what is given with a velocity
 *   LBM3D_BEGINS, LBM3D_SHARE    whether sums begin anew; a cell's share in them */

TRM_CONSTANT int lbm3d_ex[D3Q27] = D3_EX;
TRM_CONSTANT int lbm3d_ey[D3Q27] = D3_EY;
TRM_CONSTANT int lbm3d_ez[D3Q27] = D3_EZ;

/* Density less 1 and velocity of a cell after a collision, which has added the whole force. */
#define LBM3D_HERE(k) LBM3D_OF(0, 0, 0, k)
TRM_INLINE void lbm3d_sample(TRM_IN(real) f, const lbm3d_neighbours b, const links_params p,
                             real *change, real *vx, real *vy, real *vz)
{
  LBM3D_NAMES(LBM3D_HERE);
  D3_MOMENTS;
  const real per_rho = R(1.0) / (R(1.0) + d);
  *change = d;
  *vx = trm_fma(R(-0.5), p.force_x, mx) * per_rho;
  *vy = trm_fma(R(-0.5), p.force_y, my) * per_rho;
  *vz = trm_fma(R(-0.5), p.force_z, mz) * per_rho;
}

/* The momentum along e of the cell (dx, dy, dz) from it. */
TRM_INLINE real lbm3d_along(TRM_IN(real) f, const lbm3d_neighbours b, const links_params p,
                            const int dx, const int dy, const int dz, const int ex, const int ey,
                            const int ez)
{
  real sum = R(0.0);
  for (int k = 1; k < LBM3D_Q; k++)
    sum += (real)(ex * lbm3d_ex[k] + ey * lbm3d_ey[k] + ez * lbm3d_ez[k]) * LBM3D_OF(dx, dy, dz, k);
  (void)p;
  return sum;
}

/* Links of a cell whose numbers are fetched together: one after the other they would keep a GPU
 * waiting for memory. */
#define LBM3D_ABREAST (TRM_BY_SPAN ? 1 : 4)

/* The data of a link. */
typedef struct lbm3d_way {
  int bits, place;
  real part[4];
  real sent, own, behind;      /* of its cell and of the cell behind; 0: it has no use for it */
} lbm3d_way;

TRM_INLINE lbm3d_way lbm3d_way_of(TRM_IN(real) f, TRM_IN(int) ways, TRM_IN(real) links,
                                  const lbm3d_neighbours b, const links_params p, const trm_index i)
{
  lbm3d_way way;
  const int bits = ways[2 * i], k = bits & 255, back = D3_BACK(k);
  const int is_mixed = k > 0 && !(bits & WAY_OUTFLOW);
  way.bits = bits;
  way.place = ways[2 * i + 1];
  trm_read(way.part, links + 4 * i, 2);
  trm_read(way.part + 2, links + 4 * i + 2, 2);
  way.sent = LBM3D_OF(0, 0, 0, back);
  way.own = is_mixed && way.part[2] != R(0.0) ? LBM3D_OF(0, 0, 0, k) : R(0.0);
  way.behind = is_mixed && way.part[1] != R(0.0)
                 ? LBM3D_OF(lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k], back) : R(0.0);
  (void)p;
  return way;
}

/* WAY_OUTFLOW: anti-bounce-back from density 1 + part[3], with part[2] = 2 w, less the viscous
 * stress in the opening. The stress is part[1] = 18 w nu times the difference of the momentum along
 * the link between this cell and the cell of WAY_ASIDE. */
TRM_INLINE real lbm3d_outflow(TRM_IN(real) f, const lbm3d_way *way, const lbm3d_neighbours b,
                              const links_params p, const real vx, const real vy, const real vz)
{
  const int k = way->bits & 255, ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k];
  const real bent = lbm3d_bent(ex, ey, ez, vx, vy, vz);
  const real given = trm_fma(R(1.0) + way->part[3], bent, way->part[3]);
  const real gain = lbm3d_along(f, b, p, WAY_ASIDE_X(way->bits), WAY_ASIDE_Y(way->bits),
                                WAY_ASIDE_Z(way->bits), ex, ey, ez) -
                    lbm3d_along(f, b, p, 0, 0, 0, ex, ey, ez);
  return trm_fma(-way->part[1], gain, way->part[2] * given) - way->sent;
}

/* Population k that came to the cell through a boundary. It is a sum over populations of the step
 * before: the cell's own k and its opposite `back`, and `back` of the cell behind:
 *   f_k = part[0] back(x) + part[1] back(x + e_k) + part[2] f_k(x) + part[3]
 * (half-way bounce-back 1, 0, 0, 0; interpolated: Bouzidi et al. 2001; a moving wall or an inflow
 * in part[3]; WAY_OWN: of density 1, times the cell's own, 1 + change). */
TRM_INLINE real lbm3d_link(const lbm3d_way *way, const real change)
{
  const real own = way->part[2] * way->own;
  const real push = way->bits & WAY_OWN ? trm_fma(change, way->part[3], way->part[3])
                                        : way->part[3];
  return trm_fma(way->part[0], way->sent, trm_fma(way->part[1], way->behind, own)) + push;
}

/* Writes to `to` the populations that come to the marked cell through its boundaries; forces and
 * fluxes to their places. Interpolated links bring more than they took, and rounding changes sums.
 * The population at rest pays for both, as a last link with k = 0: mass is kept (Bao, Yuan,
 * Schaefer 2008). No population is fetched from a place that is written, except the last one's. */
TRM_INLINE void lbm3d_through(TRM_IN(real) f, TRM_OUT(real) to, TRM_IN(int) entry, TRM_IN(int) ways,
                              TRM_IN(real) links, TRM_OUT(real) part, const lbm3d_neighbours b,
                              const links_params p)
{
  const int first = entry[0], end = first + (entry[1] & 255);
  real change = R(0.0), vx = R(0.0), vy = R(0.0), vz = R(0.0), more = R(0.0);
  lbm3d_tally tally = { -1, 0, { R(0.0) } };
  if (entry[1] & MARK_SAMPLE) lbm3d_sample(f, b, p, &change, &vx, &vy, &vz);
  for (int from = first; from < end; from += LBM3D_ABREAST) {
    lbm3d_way some[LBM3D_ABREAST];
    TRM_UNROLL for (int j = 0; j < LBM3D_ABREAST; j++)
      some[j] = lbm3d_way_of(f, ways, links, b, p, from + j < end ? from + j : end - 1);
    TRM_UNROLL for (int j = 0; j < LBM3D_ABREAST; j++) {
      const lbm3d_way *way = &some[j];
      const int k = way->bits & 255;
      if (from + j >= end) continue;
      const real got = k == 0 ? way->sent - more
        : way->bits & WAY_OUTFLOW ? lbm3d_outflow(f, way, b, p, vx, vy, vz)
                                  : lbm3d_link(way, change);
      const real kept = LBM3D_KEPT(got, k);
      more += kept - (way->bits & WAY_BENT ? way->sent : got);
      LBM3D_PUT(from + j, k, kept);
      if (way->place < 0) continue;
      if (way->bits & WAY_FIRST) {
        lbm3d_tally_close(&tally, part + p.part, p.places);
        lbm3d_tally_open(&tally, part + p.part, p.places, way->place, way->bits, LBM3D_BEGINS);
      }
      lbm3d_count(&tally, way->bits, LBM3D_BEGINS, LBM3D_SHARE, way->sent, got, change,
                  (real)lbm3d_ex[k], (real)lbm3d_ey[k], (real)lbm3d_ez[k]);
    }
  }
  lbm3d_tally_close(&tally, part + p.part, p.places);
}

/* rho nu times how the velocity along the wall rises from it, of the velocities one[] and two[] of
 * two cells (shear.c). */
TRM_INLINE real lbm3d_wall_stress(const real *one, const real *two, const real rho,
                                  TRM_IN(real) parts, const links_params p)
{
  const real ax = trm_fma(parts[3], one[0], parts[4] * two[0]);
  const real ay = trm_fma(parts[3], one[1], parts[4] * two[1]);
  const real az = trm_fma(parts[3], one[2], parts[4] * two[2]);
  const real across = trm_fma(ax, parts[0], trm_fma(ay, parts[1], az * parts[2]));
  const real sx = ax - across * parts[0], sy = ay - across * parts[1], sz = az - across * parts[2];
  const real nu = R(0.3333333333333333333) * (R(1.0) / p.plus - R(0.5));
  return rho * nu * trm_sqrt(trm_fma(sx, sx, trm_fma(sy, sy, sz * sz)));
}
