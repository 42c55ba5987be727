/* What units take over from cells as lists, and what cells hold after the step: as cut_entries.c
 * has it. */

/* How many entries units have, and where in their group theirs begin. */
TRM_GROUP_KERNEL2(fv_geometry_count, fv_tallies, fv_geometry_params, TRM_RW(int) ints,
                  TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    s.of[0][lane] = 0;
    if (u < FV_UNITS) {
      int count = FV_UNIT(FV_U_OWNS)[u] + FV_UNIT(FV_U_HANDED)[u];
      for (int k = 0; k < FV_UNIT(FV_U_BESIDE)[u] && FV_UNIT(FV_U_WALLS)[u]; k++) {
        const int from = FV_UNIT(FV_U_WALLED + k)[u];
        if (fv_level_gift(p, ints, reals, from, u) > R(0.0)) count += FV_UNIT(FV_U_OWNS)[from];
      }
      s.of[0][lane] = count;
    }
  }
  FV_TALLY_UP(s, 1)
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS) FV_UNIT(FV_U_FIRST)[u] = FV_BEFORE(s, 0, lane);
  }
  TRM_SERIAL(c, FV_COUNTS) {
    ints[p.group_counts + (trm_index)group * FV_COUNTS + c] = c == 0 ? FV_ALL(s, 0) : 0;
  }
}

#define FV_FIRST_ENTRY(u) (FV_NUMBER_OF(0, (u) / FV_CUT_GROUP, 0) + FV_UNIT(FV_U_FIRST)[u])

/* A unit's own entries: its cells, what others filled it up with, the last one's last cell first,
 * and covered cells. Returns how many. */
TRM_INLINE int fv_list_own(const fv_geometry_params p, const fv_view *v, TRM_IN(int) spots,
                           TRM_IN(int) ints, TRM_IN(real) reals, const int u, TRM_OUT(int) froms,
                           TRM_OUT(real) parts)
{
  fv_owns o, other;
  fv_neighbours n;
  int count = 0, cells = 0;
  fv_list_owns(p, v, ints, reals, u, spots[u], &o);
  while (cells < o.count && FV_CELL(FV_CELL_HEIRS)[fv_index(v, o.cell[cells])] == 0) cells++;
  for (int k = 0; k < cells; k++) {
    froms[count] = o.cell[k];
    parts[count++] = o.part[k];
  }
  n.count = 0;
  if (FV_UNIT_REAL(FV_U_ALL)[u] > R(0.0)) fv_find_units(v, u, spots[u], 1, 0, &n);
  for (int i = n.count - 1; i >= 0; i--) {
    const real part = FV_GIFT(0, n.unit[i], u);
    if (part > R(0.0)) {
      fv_list_owns(p, v, ints, reals, n.unit[i], spots[n.unit[i]], &other);
      for (int k = other.count - 1; k >= 0; k--) {
        froms[count] = other.cell[k];
        parts[count++] = part / FV_UNIT_REAL(FV_U_OWN)[n.unit[i]] * other.part[k];
      }
    }
  }
  for (int k = cells; k < o.count; k++) {
    froms[count] = o.cell[k];
    parts[count++] = o.part[k];
  }
  return count;
}

TRM_GROUP_KERNEL7(fv_geometry_entries, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) firsts, TRM_RW(int) froms, TRM_RW(real) parts,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int first = FV_FIRST_ENTRY(u), count = FV_UNIT(FV_U_OWNS)[u];
      firsts[u] = first;
      if ((trm_index)first + count > p.rooms[3]) ints[FV_TOTAL_FAULT] = 1;
      else fv_list_own(p, &v, spots, ints, reals, u, froms + first, parts + first);
    }
    if (u == FV_UNITS) firsts[u] = ints[FV_TOTAL_FROMS];
  }
}

/* What a unit gives to another, of all that is listed as its own, from entry `at` on; returns where
 * the next one's begins. */
TRM_INLINE int fv_list_gift(const fv_geometry_params p, TRM_IN(int) ints, TRM_IN(real) reals,
                            const int from, const real gift, int at, TRM_OUT(int) froms,
                            TRM_OUT(real) parts)
{
  const int first = FV_FIRST_ENTRY(from), count = FV_UNIT(FV_U_OWNS)[from];
  const real part = gift / FV_UNIT_REAL(FV_U_OWN)[from];
  if (!(gift > R(0.0))) return at;
  for (int e = 0; e < count; e += 4) {
    int from_of[4]; /* four at a time, which a GPU reads at once */
    real part_of[4];
    TRM_UNROLL for (int i = 0; i < 4; i++) {
      const int own = first + (e + i < count ? e + i : count - 1), is = own < p.rooms[3];
      from_of[i] = is ? froms[own] : 0;
      part_of[i] = is ? parts[own] : R(0.0);
    }
    TRM_UNROLL for (int i = 0; i < 4; i++)
      if (e + i < count && at < p.rooms[3]) {
        froms[at] = from_of[i];
        parts[at++] = part * part_of[i];
      }
  }
  return at;
}

/* Rests, then what levels. */
TRM_INLINE int fv_list_gifts(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                             TRM_IN(real) reals, TRM_IN(int) spots, const int u, int at,
                             TRM_OUT(int) froms, TRM_OUT(real) parts)
{
  const int walls = FV_UNIT(FV_U_WALLS)[u], master = spots[u];
  fv_neighbours n;
  for (int round = 0; round < FV_REST_ROUNDS; round++) {
    if (FV_UNIT(FV_U_CALLED + 1 + round)[u]) {
      fv_find_askers(p, v, ints, round, u, master, &n);
      for (int k = 0; k < n.count; k++)
        if (FV_REST(n.unit[k]) < R(0.0))
          at = fv_list_gift(p, ints, reals, n.unit[k],
                            fv_handed(p, ints, reals, round, n.unit[k]), at, froms, parts);
    } else if (!walls && FV_FAR(u) > 0 && FV_REST(u) > R(0.0)) {
      fv_find_walled(p, v, ints, u, master, FV_FAR(u), &n);
      for (int k = 0; k < n.count; k++)
        at = fv_list_gift(p, ints, reals, n.unit[k], FV_TO_ASKER(n.unit[k], u), at, froms, parts);
    }
  }
  for (int k = 0; k < FV_UNIT(FV_U_BESIDE)[u] && walls; k++) {
    const int from = FV_UNIT(FV_U_WALLED + k)[u];
    at = fv_list_gift(p, ints, reals, from, fv_level_gift(p, ints, reals, from, u), at, froms,
                      parts);
  }
  return at;
}

TRM_GROUP_KERNEL6(fv_geometry_gifts, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) froms, TRM_RW(real) parts, TRM_RW(int) ints,
                  TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int first = FV_FIRST_ENTRY(u) + FV_UNIT(FV_U_OWNS)[u];
      const int end = fv_list_gifts(p, &v, ints, reals, spots, u, first, froms, parts);
      if (end > p.rooms[3]) ints[FV_TOTAL_FAULT] = 1;
    }
  }
}

/* Where the cell of an entry lay in its group. */
TRM_INLINE void fv_tilt(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                        TRM_IN(real) reals, const int cell, TRM_OUT(int) tilt, TRM_OUT(real) off)
{
  const trm_index at = fv_index(v, cell);
  const int was = at < 0 ? -1 : FV_CELL(FV_CELL_KIND + !p.now)[at];
  *tilt = was >= 0 ? FV_REC(FV_R_SLOPE + !p.now)[was] : -1;
  for (int a = 0; a < 3; a++)
    off[a] = was >= 0 ? FV_REC_REAL(FV_R_OFF + 3 * !p.now + a)[was] : R(0.0);
}

/* A unit's volume, before the step and what is swept; entries' parts of it. */
TRM_GROUP_KERNEL9(fv_geometry_share, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) firsts, TRM_RO(int) froms, TRM_RW(real) parts, TRM_RW(int) tilts,
                  TRM_RW(real) offs, TRM_RW(real) volumes, TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS && ints[FV_TOTAL_FROMS] <= p.rooms[3]) {
      const fv_view v = fv_look(p, near, ints, reals);
      const real own = FV_UNIT_REAL(FV_U_OWN)[u], kept = FV_UNIT_REAL(FV_U_KEPT)[u];
      const real sweep = FV_UNIT_REAL(FV_U_SWEEP)[u];
      const int first = firsts[u], end = firsts[u + 1];
      real old = R(0.0);
      if (kept < own || FV_UNIT_REAL(FV_U_ASKED)[u] > R(0.0))
        TRM_UNROLL_FOUR for (int e = first; e < first + FV_UNIT(FV_U_OWNS)[u]; e++)
          parts[e] *= (kept - fv_level_gifts(p, reals, u)) / own;
      TRM_UNROLL_FOUR for (int e = first; e < end; e++) old += parts[e];
      if (!(trm_min(old, old + sweep) > R(0.05))) ints[FV_TOTAL_FAULT] = 1;
      TRM_UNROLL_FOUR for (int e = first; e < end; e++) {
        parts[e] /= old;
        fv_tilt(p, &v, ints, reals, froms[e], tilts + e, offs + 3 * (trm_index)e);
      }
      volumes[3 * u] = R(1.0) / (old + sweep);
      volumes[3 * u + 1] = old;
      volumes[3 * u + 2] = sweep;
    }
  }
}

/* What cells hold after the step: of a unit with walls as much of its volume as of that which walls
 * leave. */
TRM_INLINE real fv_hold(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                        TRM_IN(real) volumes, const int cell)
{
  const int kind = fv_kind(v, cell), u = kind >= 0 ? fv_unit_at(v, cell) : -1;
  const real volume = kind >= 0 ? FV_VIEW_CUT(v, kind)[FV_CUT_VOLUME]
                                : kind == FV_KIND_WHOLE ? R(1.0) : R(0.0);
  real held = volume;
  if (kind >= 0 && u >= 0 && FV_UNIT(FV_U_WALLS)[u])
    held = volume * ((volumes[3 * u + 1] + volumes[3 * u + 2]) /
                     v->cut[FV_R_TOTAL * v->records + kind]);
  return p.is_f32 ? (real)(trm_single)held : held;
}

TRM_GROUP_KERNEL6(fv_geometry_hold, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(real) volumes, TRM_RO(int) numbers, TRM_RW(real) held, TRM_RO(int) ints,
                  TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, (p.nears + p.solids) * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS, is_near = leaf < p.nears;
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS], number = numbers[slot];
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int i = part % FV_LEAF_PARTS * FV_CUT_GROUP + lane;
      const real one = is_near ? fv_hold(p, &v, ints, volumes, slot * FV_CELLS + i) : R(0.0);
      if (is_near) FV_CELL_REAL(FV_CELL_HELD + p.now)[(trm_index)leaf * FV_CELLS + i] = one;
      if (number >= 0) held[(trm_index)number * FV_CELLS + i] = one;
    }
  }
}
