/* One stage of the Runge-Kutta scheme on a block, by a group. Each face's flux is computed once in
 * the block, and by the block beside it once more from the same values, so both have the same
 * bits. */

/* From w, the state at the last stage, and q, the state at the step's begin, to `to`. The last
 * stage also updates q and stores the block's largest rate. given: of dual time alone
 * (fv_local_step.h). */
TRM_GROUP_KERNEL8(fv_stage, fv_shared, fv_params, TRM_RO(real) w, TRM_RW(real) to, TRM_RW(real) q,
                  TRM_RO(int) near, TRM_RO(real) clock, TRM_RW(real) part, TRM_RW(real) flux,
                  TRM_RO(real) given)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_shared, s);
#if FV_BY_COLUMNS
  TRM_PRIVATE(fv_state, before); TRM_PRIVATE(real, speed);
  TRM_PRIVATE(fv_state, west); TRM_PRIVATE(fv_state, south);
  TRM_PRIVATE(fv_state, below); TRM_PRIVATE(fv_state, above);
#endif
  const trm_index slot = group;
  TRM_IN(real) old = w + slot * FV_BLOCK;
  TRM_OUT(real) next = to + slot * FV_BLOCK;
  TRM_OUT(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  /* a form of explicit steps uses neither `here` nor `per_dt` */
  TRM_IN(real) here TRM_UNUSED = given + slot * FV_BLOCK;
  const real per_dt TRM_UNUSED = clock[FV_PER_DT], length = clock[FV_DT] * p.alpha * own.inv_h;

  if (!FV_RUNS(clock)) {
    if (p.is_last) TRM_EACH(i, FV_BLOCK) { next[i] = old[i]; }
  } else if (!near[slot * FV_NEAR_INTS + FV_IN_BODY]) { /* else fv_cut_update says what it holds */
    TRM_PHASE {
      TRM_TILE(i, one, 27, 1, 0) { s.near[i + one] = near[slot * FV_NEAR_INTS + i]; }
      FV_OPEN_X(s.open_x)
      FV_OPEN(s.open_y, FV_SY, 2, 10, 16)
      FV_OPEN(s.open_z, FV_SZ, 4, 4, 22)
#if FV_BY_COLUMNS
      TRM_TILE(i, one, FV_PIECES, 1, 0) { s.piece[i + one] = fv_piece(i); }
#endif
    }
#if FV_BY_COLUMNS
    TRM_PHASE { FV_BRING(-2) FV_BRING(-1) FV_BRING(0) FV_BRING(1) TRM_ARRIVED; }
    TRM_PHASE { FV_COLUMN_BELOW }
    TRM_PHASE { FV_BRING(2) TRM_ARRIVED; }
    TRM_ROLL for (int k = 0; k < FV_SZ; k++) {
      TRM_PHASE {
        if (k % 2 == 0) FV_RIM_FLUXES(k)
        FV_COLUMN_FLUXES(k)
      }
      TRM_PHASE {
        if (k < FV_SZ - 1) FV_BRING(k + 3)
        if (FV_MATCHES(p) && p.interfaces > 0) FV_KEEP_SIDES(k)
        FV_UPDATE_COLUMN(k)
        TRM_ARRIVED;
      }
    }
    TRM_EACH(i, FV_COLUMNS) { s.speed[i] = TRM_OF(speed, i); }
#else
    TRM_PHASE {
      if (FV_SZ > 1) { FV_BRING(-2) FV_BRING(-1) FV_BRING(0) }
      else FV_BRING(0)
    }
    TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
    for (int k = FV_FIRST_PLANE; k < FV_SZ; k++) { /* below the first plane there is no cell */
      if (FV_SZ > 1) {
        TRM_PHASE { FV_BRING(k + 2) }
        TRM_PHASE { if (k >= 0) FV_FLUX_XY(k) FV_FLUX_Z(k, FV_FACES_X + FV_FACES_Y) }
      } else {
        TRM_PHASE { FV_FLUX_XY(k) }
      }
      if (k >= 0) TRM_PHASE {
        FV_UPDATE_CELLS(k)
        if (FV_MATCHES(p) && p.interfaces > 0) FV_KEEP_SIDES(k)
      }
    }
#endif
    if (p.is_last) {
      FV_LEAVE_RATE
    }
  }
}
