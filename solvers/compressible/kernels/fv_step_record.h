/* The record of a finished step, for the clocks of both kinds of steps (fv_record.h, fv_dual.h). */

/* So much longer than wanted a step may be that ends where the run does: else rounding would leave
 * one more, of next to no length. */
#define FV_STRETCH (TRM_F64_KERNEL ? R(1.000000001) : R(1.00001))

typedef struct fv_lanes { real lane[256]; } fv_lanes;

/* The time after the step, in two parts: the sum, and its rounding error. */
TRM_INLINE void fv_add(real *time, real *rest, const real dt)
{
  const real small = dt + *rest, sum = *time + small;
  *rest = small - (sum - *time);
  *time = sum;
}

/* The record of the finished step by fv_clock and fv_pseudo_clock. */
#define FV_RECORD_STEP \
  fv_add(&time, &rest, clock[FV_DT]); \
  time = live > R(1.0) ? end : time; \
  rest = live > R(1.0) ? end_rest : rest; \
  series[slot] = clock[FV_DT]; \
  series[(trm_index)p.limit + slot] = time; \
  series[2 * (trm_index)p.limit + slot] = rate;
