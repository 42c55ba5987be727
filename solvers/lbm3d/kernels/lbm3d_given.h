/* lbm3d_given.h - the parts of the equilibrium that sides and openings give: the odd one in e for a
 * velocity, the even one for a density. The equilibrium is of second order. The equilibrium of
 * cumulants is a product instead. Over the weight it has a factor for each axis: 1 + 3 v^2 + 3 e v
 * along e, and 1 - 1.5 v^2 across. With another form a stream oblique to a side would not stay
 * uniform. */

#if defined(LBM3D_BY_CUMULANTS)
/* A factor's part that is even in e, less 1. */
#define GIVEN_EVEN(e, v) ((e) != 0 ? R(3.0) * (v) * (v) : R(-1.5) * (v) * (v))

/* The even part over weight and density, less 1. */
TRM_INLINE real lbm3d_bent(const int ex, const int ey, const int ez, const real vx, const real vy,
                           const real vz)
{
  const real ax = GIVEN_EVEN(ex, vx), ay = GIVEN_EVEN(ey, vy), az = GIVEN_EVEN(ez, vz);
  const real ox = (real)ex * vx, oy = (real)ey * vy, oz = (real)ez * vz;
  const real xy = trm_fma(ax, ay, ax + ay), all = trm_fma(xy, az, xy + az);
  const real twice = trm_fma(ox * oy, R(1.0) + az, trm_fma(ox * oz, R(1.0) + ay,
                                                           (oy * oz) * (R(1.0) + ax)));
  return trm_fma(R(9.0), twice, all);
}

/* The odd part over weight and density, by 3. */
TRM_INLINE real lbm3d_lean(const int ex, const int ey, const int ez, const real vx, const real vy,
                           const real vz)
{
  const real ax = R(1.0) + GIVEN_EVEN(ex, vx), ay = R(1.0) + GIVEN_EVEN(ey, vy),
             az = R(1.0) + GIVEN_EVEN(ez, vz);
  const real ox = (real)ex * vx, oy = (real)ey * vy, oz = (real)ez * vz;
  const real once = trm_fma(ox * ay, az, trm_fma(oy * ax, az, (oz * ax) * ay));
  return trm_fma(R(9.0) * ox, oy * oz, once);
}
#else
TRM_INLINE real lbm3d_bent(const int ex, const int ey, const int ez, const real vx, const real vy,
                           const real vz)
{
  const real along = vx * (real)ex + vy * (real)ey + vz * (real)ez;
  const real v2 = trm_fma(vx, vx, trm_fma(vy, vy, vz * vz));
  return trm_fma(R(4.5) * along, along, R(-1.5) * v2);
}

TRM_INLINE real lbm3d_lean(const int ex, const int ey, const int ez, const real vx, const real vy,
                           const real vz)
{
  return (real)ex * vx + (real)ey * vy + (real)ez * vz;
}
#endif
