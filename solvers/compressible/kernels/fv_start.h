/* Values and rates of a state that was written from outside. */
TRM_GROUP_KERNEL4(fv_start, fv_rates, fv_params, TRM_RO(real) q, TRM_RW(real) to,
                  TRM_RW(real) part, TRM_RO(int) near)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_rates, s);
  const trm_index slot = group;
  TRM_IN(real) kept = q + slot * FV_BLOCK;
  const fv_params own = fv_at_level(p, near[slot * FV_NEAR_INTS + FV_LEVEL]);
  TRM_OUT(real) next = to + slot * FV_BLOCK;
  TRM_EACH(i, FV_SX * FV_SY) { s.speed[i] = R(0.0); }
  for (int k = 0; k < FV_SZ; k++)
    TRM_EACH(i, FV_SX * FV_SY) {
      const int at = k * FV_SX * FV_SY + i;
      const fv_cell c = fv_values(p, kept[at], kept[FV_CELLS + at], kept[2 * FV_CELLS + at],
                                  kept[3 * FV_CELLS + at], kept[4 * FV_CELLS + at]);
      FV_STORE(next, at, c);
      s.speed[i] = trm_more(s.speed[i], fv_rate(own, c));
    }
  FV_LEAVE_RATE
}
