/* lbm3d_regularised.h - collision from the second moments of the non-equilibrium alone: f = feq +
 * (1 - omega) 4.5 w (e e - 1/3) : Pi + S / 2, S what the force adds (J. Latt, B. Chopard,
 * Mathematics and Computers in Simulation 72 (2006) 165). */
#define D3_FILTER(a, b, weight, eu, ej, ef, es) \
  do { \
    const real along = eu, moment = ej; \
    const real strain = R(4.5) * keep * ((es) - trace_third); \
    const real push_even = forced ? R(0.5) * (R(9.0) * along * (ef) - uf) : R(0.0); \
    const real push_odd = forced ? R(1.5) * (ef) : R(0.0); \
    const real even = weight * ((trm_fma(R(4.5) * moment, along, rest) + strain) + push_even); \
    const real odd = weight * trm_fma(R(3.0), moment, push_odd); \
    D3_SET(a, even + odd); \
    D3_SET(b, even - odd); \
  } while (0)

#define D3_COLLIDE_FILTERED \
  const real keep = R(1.0) - plus; \
  const real trace = (sxx + syy) + szz, trace_third = R(0.3333333333333333333) * trace; \
  const real uf = R(3.0) * (ux * fx + uy * fy + uz * fz); \
  const real push_0 = forced ? R(-0.5) * uf : R(0.0); \
  D3_SET(0, D3_REST * ((rest - R(4.5) * keep * trace_third) + push_0)); \
  LBM3D_PAIRS(D3_FILTER); \
  (void)trace, (void)uf
