/* lbm3d_links.h - the cells beside boundaries in lbm3d_stored.k and lbm3d_levels.k: what comes to
 * them through each link, as lbm3d.k has it. Before it
 *   links_params, lbm3d_beside   types of a launch's parameters, of a cell and its neighbours
 *   LBM3D_OF(dx, dy, dz, k)      population k, as a collision left it, of the cell that lies (dx,
 *                                dy, dz) from the one in `b`, in the lattice f
 *   LBM3D_KEPT(got, k)           what is stored of what comes with population k
 *   LBM3D_PUT(i, k, kept)        puts it, of link i, where the step will find it
 *   lbm3d_sums.h                 what a link adds to sums
 *   LBM3D_BEGINS, LBM3D_SHARE    whether sums begin anew; a cell's share in them */

TRM_CONSTANT int lbm3d_ex[D3Q27] = D3_EX;
TRM_CONSTANT int lbm3d_ey[D3Q27] = D3_EY;
TRM_CONSTANT int lbm3d_ez[D3Q27] = D3_EZ;

/* Density less 1 and velocity of a cell after a collision, which has added the whole force. */
#define LBM3D_HERE(k) LBM3D_OF(0, 0, 0, k)
TRM_INLINE void lbm3d_look(TRM_IN(real) f, const lbm3d_beside b, const links_params p,
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
TRM_INLINE real lbm3d_along(TRM_IN(real) f, const lbm3d_beside b, const links_params p,
                            const int dx, const int dy, const int dz, const int ex, const int ey,
                            const int ez)
{
  real sum = R(0.0);
  for (int k = 1; k < LBM3D_Q; k++)
    sum += (real)(ex * lbm3d_ex[k] + ey * lbm3d_ey[k] + ez * lbm3d_ez[k]) * LBM3D_OF(dx, dy, dz, k);
  (void)p;
  return sum;
}

/* Population k that came to the cell through a boundary, from the cell's own of the step before, k
 * itself and its opposite `back`, and from `back` of the cell behind:
 *   f_k = link[0] back(x) + link[1] back(x + e_k) + link[2] f_k(x) + link[3]
 * (half-way bounce-back 1, 0, 0, 0; interpolated: Bouzidi et al. 2001; a moving wall or an inflow
 * in link[3]). WAY_OUTFLOW: anti-bounce-back from density 1 + link[3], with link[2] = 2 w, less the
 * viscous stress in the opening, link[1] = 18 w nu times how the momentum along the link differs in
 * the cell of WAY_ASIDE. */
TRM_INLINE real lbm3d_link(TRM_IN(real) f, TRM_IN(real) link, const lbm3d_beside b,
                           const links_params p, const int way, const real vx, const real vy,
                           const real vz)
{
  const int k = way & 255, back = D3_BACK(k);
  const int ex = lbm3d_ex[k], ey = lbm3d_ey[k], ez = lbm3d_ez[k];
  const real sent = LBM3D_OF(0, 0, 0, back);
  if (way & WAY_OUTFLOW) {
    const real along = vx * (real)ex + vy * (real)ey + vz * (real)ez;
    const real v2 = trm_fma(vx, vx, trm_fma(vy, vy, vz * vz));
    const real bent = trm_fma(R(4.5) * along, along, R(-1.5) * v2);
    const real given = trm_fma(R(1.0) + link[3], bent, link[3]);
    const real gain = lbm3d_along(f, b, p, WAY_ASIDE_X(way), WAY_ASIDE_Y(way), WAY_ASIDE_Z(way),
                                  ex, ey, ez) - lbm3d_along(f, b, p, 0, 0, 0, ex, ey, ez);
    return trm_fma(-link[1], gain, link[2] * given) - sent;
  }
  const real behind_it = link[1] != R(0.0) ? LBM3D_OF(ex, ey, ez, back) : R(0.0);
  const real own = link[2] * LBM3D_OF(0, 0, 0, k);
  return trm_fma(link[0], sent, trm_fma(link[1], behind_it, own)) + link[3];
}

/* What comes to the marked cell through its boundaries, to `to`; forces and fluxes to their places.
 * What interpolated links bring more than they took, and what is rounded, the population at rest
 * gives, as a last link with k = 0: mass is kept (Bao, Yuan, Schaefer 2008). */
TRM_INLINE void lbm3d_through(TRM_IN(real) f, TRM_OUT(real) to, TRM_IN(int) note, TRM_IN(int) ways,
                              TRM_IN(real) links, TRM_OUT(real) part, const lbm3d_beside b,
                              const links_params p)
{
  const int first = note[0], count = note[1] & 255;
  real change = R(0.0), vx = R(0.0), vy = R(0.0), vz = R(0.0), more = R(0.0);
  if (note[1] & MARK_LOOK) lbm3d_look(f, b, p, &change, &vx, &vy, &vz);
  for (int i = first; i < first + count; i++) {
    const int way = ways[2 * i], place = ways[2 * i + 1], k = way & 255;
    const real sent = LBM3D_OF(0, 0, 0, D3_BACK(k));
    const real got = k == 0 ? sent - more
      : lbm3d_link(f, links + 4 * (trm_index)i, b, p, way, vx, vy, vz);
    const real kept = LBM3D_KEPT(got, k);
    more += kept - (way & WAY_BENT ? sent : got);
    LBM3D_PUT(i, k, kept);
    if (place >= 0)
      lbm3d_count(part + p.part + place, p.places, way, LBM3D_BEGINS, LBM3D_SHARE, sent, got,
                  change, (real)lbm3d_ex[k], (real)lbm3d_ey[k], (real)lbm3d_ez[k]);
  }
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
