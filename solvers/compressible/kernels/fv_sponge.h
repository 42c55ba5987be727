/* Along an axis how deep a place lies in the sponges at both ends, 0 to 1. */
TRM_INLINE real fv_sponge_depth(TRM_IN(real) sources, const int axis, const real at)
{
  const real low = sources[FV_SPONGE_WIDTH + 2 * axis];
  const real high = sources[FV_SPONGE_WIDTH + 2 * axis + 1];
  const real before = low > R(0.0) ? R(1.0) - at / low : R(0.0);
  const real after = high > R(0.0) ? R(1.0) - (sources[FV_SOURCE_LENGTH + axis] - at) / high
                                   : R(0.0);
  return trm_max(trm_max(before, after), R(0.0));
}
