/* gas.h - the fluxes through the faces of a volume, for all kernels: Rusanov's flux (1961), of
 * first order. */
typedef struct gas { real density, along, across, energy; } gas;

/* The state of cell x. `along` is the momentum along the first axis. Faces in the south and north
 * take the one along the second axis. k: from a value to the next in memory. */
TRM_INLINE gas gas_along_x(TRM_IN(real) c, const trm_index k, const int x)
{
  gas g;
  g.density = c[x];
  g.along = (c + k)[x];
  g.across = (c + 2 * k)[x];
  g.energy = (c + 3 * k)[x];
  return g;
}

TRM_INLINE gas gas_along_y(TRM_IN(real) c, const trm_index k, const int x)
{
  const gas g = gas_along_x(c, k, x);
  gas t = g;
  t.along = g.across;
  t.across = g.along;
  return t;
}

TRM_INLINE real gas_pressure(const gas g, const real gamma)
{
  const real square = g.along * g.along + g.across * g.across;
  return (gamma - R(1.0)) * (g.energy - R(0.5) * square / g.density);
}

/* From the volume l into its neighbour r. */
TRM_INLINE gas gas_flux(const gas l, const gas r, const real gamma)
{
  const real pl = gas_pressure(l, gamma), pr = gas_pressure(r, gamma);
  const real ul = l.along / l.density, ur = r.along / r.density;
  const real sl = trm_fabs(ul) + trm_sqrt(gamma * pl / l.density);
  const real sr = trm_fabs(ur) + trm_sqrt(gamma * pr / r.density);
  const real s = R(0.5) * (sl > sr ? sl : sr);
  gas f;
  f.density = R(0.5) * (l.along + r.along) - s * (r.density - l.density);
  f.along = R(0.5) * ((l.along * ul + pl) + (r.along * ur + pr)) - s * (r.along - l.along);
  f.across = R(0.5) * (l.across * ul + r.across * ur) - s * (r.across - l.across);
  f.energy = R(0.5) * ((l.energy + pl) * ul + (r.energy + pr) * ur) - s * (r.energy - l.energy);
  return f;
}

/* Value i of the fluxes f and g in the order of the state: a flux of the second axis has its
 * momenta in the other order. */
TRM_INLINE real gas_value_x(const gas f, const int i)
{
  return i == 0 ? f.density : i == 1 ? f.along : i == 2 ? f.across : f.energy;
}

TRM_INLINE real gas_value_y(const gas f, const int i)
{
  return i == 0 ? f.density : i == 1 ? f.across : i == 2 ? f.along : f.energy;
}
