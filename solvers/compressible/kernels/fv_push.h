/* FV_ATOMIC_ADD(place, v) adds v to the real at `place` while others may add to it. The order of
 * additions is any, so that sums differ in their last bits from run to run. */
/* FV_ATOMIC_ADD_WHOLE(place, n) adds to a whole number of 64 bits: its sums are the same in any
 * order. FV_ATOMIC_MORE(place, v): the real at `place` becomes v where v is larger, or no number;
 * neither is negative. */
#if TRM_F64_KERNEL
#define FV_WHOLE R(72057594037927936.0) /* 2^56: a flux keeps the bits that a real has */
#define FV_LEAST_FLUX R(1e-280)          /* where all are smaller they count as 0 */
#else
#define FV_WHOLE R(1099511627776.0)      /* 2^40 */
#define FV_LEAST_FLUX R(1e-24)
#endif

#if TRM_BY_SPAN
#define FV_HAS_ATOMICS 1
#define FV_HAS_WHOLE_ATOMICS 1
TRM_INLINE void fv_atomic_add(TRM_OUT(real) place, const real v)
{
  real seen = *place, next;
  do next = seen + v;
  while (!__atomic_compare_exchange(place, &seen, &next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
#define FV_ATOMIC_ADD(place, v) fv_atomic_add(place, v)
TRM_INLINE void fv_atomic_more(TRM_OUT(real) place, real v)
{
  real seen = *place;
  while (!(v <= seen) && seen == seen &&
         !__atomic_compare_exchange(place, &seen, &v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { }
}
#define FV_ATOMIC_MORE(place, v) fv_atomic_more(place, v)
#define FV_ATOMIC_ADD_WHOLE(place, n) (void)__atomic_fetch_add(place, n, __ATOMIC_RELAXED)
#else
#define FV_HAS_ATOMICS TRM_HAS_SWAP
#define FV_ATOMIC_ADD(place, v) TRM_ATOMIC_ADD(place, v)
#define FV_ATOMIC_MORE(place, v) TRM_SWAP_MORE(place, v)
#define FV_HAS_WHOLE_ATOMICS TRM_HAS_ADD_WHOLE
#define FV_ATOMIC_ADD_WHOLE(place, n) TRM_ATOMIC_ADD_WHOLE(place, n)
#endif
