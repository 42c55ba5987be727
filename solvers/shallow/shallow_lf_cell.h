/* Lax-Friedrichs, as the EPFL course has it (README.md): a cell becomes the mean of its four
 * neighbours plus the differences of their fluxes. Sums are paired west-east and south-north, so a
 * mirrored or transposed problem gives the mirrored or transposed bits. */

/* Values of a cell for its neighbours along an axis: depth, momentum `along` the axis and `across`
 * it, and their fluxes along the axis. A dry cell has no momentum. */
typedef struct shallow_gift { real h, along, across, push, carry; } shallow_gift;
TRM_INLINE shallow_gift shallow_give(const shallow_numbers n, const real h, const real along,
                                     const real across, const real inverse)
{
  const real speed = along * inverse;
  const shallow_gift gift = { h, along, across, trm_fma(n.half_g * h, h, along * speed),
                              across * speed };
  return gift;
}
/* f32: trm_reciprocal has the bits of the division. Cells shallower than its range have no momentum
 * to move: a value below `still` counts as 0. */
TRM_INLINE real shallow_lf_inverse(const shallow_numbers n, const real h)
{
#if TRM_F64_KERNEL
  return R(1.0) / trm_max(h, n.dry);
#else
  return trm_reciprocal(trm_max(h, trm_max(n.dry, R(1e-30))));
#endif
}

/* A cell after the step. live: 0 where the end is reached, and the cell stays what it was. */
typedef struct shallow_lf_cell { real h, hu, hv; } shallow_lf_cell;
TRM_INLINE shallow_lf_cell shallow_lf_step(const shallow_numbers n, const real rate,
                                           const real pull, const real live,
                                           const shallow_lf_cell old,
                                           const shallow_gift west, const shallow_gift east,
                                           const shallow_gift south, const shallow_gift north,
                                           const real bed_x, const real bed_y)
{
  const real h = trm_fma(rate, (west.along - east.along) + (south.along - north.along),
                         R(0.25) * ((west.h + east.h) + (south.h + north.h)));
  const real hu = trm_fma(rate, (west.push - east.push) + (south.carry - north.carry),
                          R(0.25) * ((west.along + east.along) + (south.across + north.across)));
  const real hv = trm_fma(rate, (west.carry - east.carry) + (south.push - north.push),
                          R(0.25) * ((west.across + east.across) + (south.along + north.along)));
  const real fall = pull * h;
  const real mu = trm_fma(-fall, bed_x, hu), mv = trm_fma(-fall, bed_y, hv);
  const real depth = h <= R(0.0) ? n.film : h;
  const int is_dry = depth <= n.dry;
  const real along_x = (is_dry | (trm_fabs(mu) < n.still)) ? R(0.0) : mu;
  const real along_y = (is_dry | (trm_fabs(mv) < n.still)) ? R(0.0) : mv;
  const shallow_lf_cell cell = { live > R(0.0) ? depth : old.h, live > R(0.0) ? along_x : old.hu,
                                 live > R(0.0) ? along_y : old.hv };
  return cell;
}

#define SHALLOW_FLIP(kind) ((kind) == SHALLOW_WALL ? R(-1.0) : R(1.0))
