/* The update of a cell in a stage, and the faces that let mass through, for both forms of a stage
 * (fv_stage_host.h, fv_stage_gpu.h). */

/* Cell number `at` of the block, in column i, after the stage, from its state at the step's begin
 * and the fluxes out of it. All stages begin at the step's state, so states between stages need not
 * be conserved. There the temperature stays positive: it is at least 1e-4 of the temperature from
 * the step's energy at its begin. Without this, a jump of the pressure in gas at rest (Toro's third
 * by AUSM+) drives matter before any energy has passed. */
#if defined(FV_FORM) && !(FV_FORM & FV_IN_DUAL)
#define FV_UPDATE_CELL(at, before, leaves, is_last, form, speed) \
  FV_UPDATE_CELL_BY(length, at, before, leaves, is_last, form, speed)
#else
#define FV_UPDATE_CELL(at, before, leaves, is_last, form, speed) \
  { \
    if ((form) & FV_IN_DUAL) { \
      const fv_state rest = fv_residual(own, per_dt, before, leaves, here + (at)); \
      if ((is_last) == FV_RESIDUAL) { \
        FV_STORE_STATE(next, at, rest) \
      } else { \
        const real share = fv_pseudo_step_of(own, per_dt, before, form); \
        FV_UPDATE_CELL_BY(share, at, before, rest, is_last, form, speed) \
      } \
    } else { \
      FV_UPDATE_CELL_BY(length, at, before, leaves, is_last, form, speed) \
    } \
  }
#endif
/* step: the length of the stage by the cell's size. */
#define FV_UPDATE_CELL_BY(step, at, before, leaves, is_last, form, speed) \
  { \
    const real q0 = trm_fma(-(step), (leaves).mass, (before).mass); \
    const real q1 = trm_fma(-(step), (leaves).u, (before).u); \
    const real q2 = trm_fma(-(step), (leaves).v, (before).v); \
    const real q3 = trm_fma(-(step), (leaves).w, (before).w); \
    const real q4 = trm_fma(-(step), (leaves).energy, (before).energy); \
    fv_cell c = fv_values(own, q0, q1, q2, q3, q4); \
    if (!(is_last)) \
      c.t = trm_more(c.t, R(1e-4) * own.heat * (before).energy * trm_near_reciprocal(q0)); \
    FV_STORE(next, at, c); \
    if (is_last) { \
      kept[at] = q0; \
      kept[FV_CELLS + (at)] = q1; \
      kept[2 * FV_CELLS + (at)] = q2; \
      kept[3 * FV_CELLS + (at)] = q3; \
      kept[4 * FV_CELLS + (at)] = q4; \
      speed = trm_more(speed, fv_rate_of(own, c, form)); \
    } \
  }
#define FV_STATE(v, at) \
  const fv_state v = { kept[at], kept[FV_CELLS + (at)], kept[2 * FV_CELLS + (at)], \
                       kept[3 * FV_CELLS + (at)], kept[4 * FV_CELLS + (at)] }
typedef struct fv_rates { real speed[FV_SX * FV_SY]; } fv_rates;

/* Leaves the largest rate of the block's columns. */
#define FV_LEAVE_RATE \
  for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2) \
    TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); } \
  TRM_EACH(i, 1) { part[slot] = s.speed[0]; }

/* Which faces along an axis let mass through: all except those at a closed side. The numbers are
 * `side` and the next; the block before or after lies beyond them. */
#define FV_IS_CLOSED(side, at) \
  (near[slot * FV_NEAR_INTS + (at)] >= p.boundaries && p.kind[side] != FV_PERIODIC && \
   p.kind[side] <= FV_CLOSED)
#define FV_OPEN(open, cells, side, before, after) \
  TRM_TILE(i, one, (cells) + 1, 1, 0) { \
    const int is_closed = i == 0 ? FV_IS_CLOSED(side, before) \
                                 : i == (cells) && FV_IS_CLOSED((side) + 1, after); \
    (open)[i + one] = is_closed ? R(0.0) : R(1.0); \
  }
#if !TRM_BY_SPAN /* there by face (fv_stage_host.h) */
#define FV_OPEN_X(open) FV_OPEN(open, FV_SX, 0, 12, 14)
#endif
