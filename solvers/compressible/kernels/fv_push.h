/* FV_ATOMIC_ADD(place, v) adds v to the real at `place` while others may add to it. The order of
 * additions is any, so that sums differ in their last bits from run to run. */
#if TRM_BY_SPAN
#define FV_HAS_ATOMICS 1
TRM_INLINE void fv_atomic_add(TRM_OUT(real) place, const real v)
{
  real seen = *place, next;
  do next = seen + v;
  while (!__atomic_compare_exchange(place, &seen, &next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
#define FV_ATOMIC_ADD(place, v) fv_atomic_add(place, v)
#else
#define FV_HAS_ATOMICS TRM_HAS_SWAP
#define FV_ATOMIC_ADD(place, v) TRM_ATOMIC_ADD(place, v)
#endif
