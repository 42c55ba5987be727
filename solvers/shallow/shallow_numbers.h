/* Where a cell's values lie, the numbers of a cell loop, and the speed that limits a step: shared
 * by all kernels. */

#define SHALLOW_H(u) (u)
#define SHALLOW_HU(u) ((u) + p.component)
#define SHALLOW_HV(u) ((u) + 2 * (trm_index)p.component)

/* The numbers of a cell loop, taken out of the parameters before it: loads from the parameters
 * inside a selection end a simd loop. */
typedef struct shallow_numbers {
  real g, half_g, root_g, dry, film, inv_dx, inv_dy, friction, steep, mean, two_g;
  real still, creep, trace;
} shallow_numbers;

/* The rate that limits the step's length. Lax-Friedrichs: (|u| + c)^2 + (|v| + c)^2. HLLC: the
 * larger of (|u| + c) / dx and (|v| + c) / dy. One reciprocal root gives both the speed c and
 * 1 / h. */
TRM_INLINE real shallow_speed(const shallow_numbers n, const real h, const real hu, const real hv,
                              const int scheme)
{
  const real root = trm_near_rsqrt(h), c = n.root_g * (h * root);
  const real inverse = h > n.dry ? root * root : R(0.0);
  const real a = trm_fma(trm_fabs(hu), inverse, c), b = trm_fma(trm_fabs(hv), inverse, c);
  return scheme == SHALLOW_LAX_FRIEDRICHS ? a * a + b * b : trm_max(a * n.inv_dx, b * n.inv_dy);
}
