/* Which units have the gas that cells held before the step: as cut_covered.c and cut_heirs.c have
 * it. */

#define FV_LEAST R(0.25)      /* what a unit begins with; in a gap, where walls sweep the rest */
#define FV_LEAST_IN_GAP R(0.1)
#define FV_ROUNDING R(1e-15)
#define FV_MOST_OWNS 40       /* cells that a unit has gas of */
#define FV_MOST_BESIDE 96

/* ---- covered cells ------------------------------------------------------------------- */

/* Of a covered cell: the most room that a unit beside it has, far ones counting less, and how many
 * have as much. */
TRM_INLINE int fv_find_heirs(const fv_view *v, const int cell, real *most, TRM_OUT(int) covers)
{
  real room[27];
  int unit[27], count = 0;
  *most = R(0.0);
  TRM_UNROLL for (int k = FV_CUT_BEGIN; k < FV_CUT_END; k++) {
    const int far = fv_way(k);
    const fv_spot beside = fv_spot_of(v, fv_cut_next_to(v->near, cell, k));
    room[k] = R(0.0);
    unit[k] = far > 0 ? fv_unit_in(v, beside) : -1;
    if (unit[k] >= 0) {
      const int kind = fv_kind_at(v, beside);
      room[k] = (kind >= 0 ? v->cut[FV_R_TOTAL * v->records + kind] : R(1.0)) / (real)(far * far);
      *most = trm_max(*most, room[k]);
    }
  }
  for (int k = FV_CUT_BEGIN; k < FV_CUT_END; k++) {
    int is_new = *most > R(0.0) && unit[k] >= 0 && room[k] * FV_ALIKE >= *most;
    if (is_new) covers[unit[k]] = 1;
    for (int i = FV_CUT_BEGIN; i < k && is_new; i++)
      is_new = !(unit[i] == unit[k] && room[i] * FV_ALIKE >= *most);
    count += is_new;
  }
  return count;
}

TRM_GROUP_KERNEL3(fv_geometry_covered, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, p.nears * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS;
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS];
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int i = part % FV_LEAF_PARTS * FV_CUT_GROUP + lane;
      const trm_index at = (trm_index)leaf * FV_CELLS + i;
      int heirs = 0;
      if (v.kind[at] == FV_KIND_SOLID && v.held[at] > R(0.0)) {
        real most;
        heirs = fv_find_heirs(&v, slot * FV_CELLS + i, &most, FV_UNIT(FV_U_COVERS));
        FV_CELL_REAL(FV_CELL_ROOM)[at] = most;
        if (heirs == 0) ints[FV_TOTAL_FAULT] = 1;
      }
      FV_CELL(FV_CELL_HEIRS)[at] = heirs;
    }
  }
}

/* Cells that a unit has gas of, and how much: its own, then covered ones in their order. */
typedef struct fv_owns { int count, cell[FV_MOST_OWNS]; real part[FV_MOST_OWNS]; } fv_owns;

/* Of a covered cell beside one of a unit's, so far away: it is listed if the unit shares its gas
 * and it is not. */
TRM_INLINE void fv_add_covered(const fv_view *v, const int first, const int cell,
                               const trm_index at, const int heirs, fv_owns *o)
{
  int k = o->count;
  const int own = fv_turn_of(cell % FV_CELLS), of = v->near_of[cell / FV_CELLS];
  for (int i = first; i < o->count; i++)
    if (o->cell[i] == cell) return;
  if (k == FV_MOST_OWNS) return;
  for (; k > first; k--) {
    const int last = o->cell[k - 1], by = v->near_of[last / FV_CELLS];
    if (by < of || (by == of && fv_turn_of(last % FV_CELLS) < own)) break;
    o->cell[k] = last;
    o->part[k] = o->part[k - 1];
  }
  o->cell[k] = cell;
  o->part[k] = v->held[at] / (real)heirs;
  o->count++;
}

TRM_INLINE void fv_list_owns(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                             TRM_IN(real) reals, const int u, const int master, fv_owns *o)
{
  int cell = master;
  const int begun = fv_kind(v, master);
  const real total = begun >= 0 ? v->cut[FV_R_TOTAL * v->records + begun] : R(1.0);
  TRM_IN(int) heirs = FV_CELL(FV_CELL_HEIRS);
  TRM_IN(real) room = FV_CELL_REAL(FV_CELL_ROOM);
  o->count = 0;
  for (int kind = begun, left = 1; left;) {
    const real held = v->held[fv_index(v, cell)];
    if (held > R(0.0) && o->count < FV_MOST_OWNS) {
      o->cell[o->count] = cell;
      o->part[o->count++] = held;
    }
    kind = fv_next(v, kind);
    left = kind >= 0;
    cell = left ? FV_VIEW_KIND(v, FV_R_CELL, kind) : cell;
  }
  const int first = o->count;
  cell = master;
  for (int kind = begun, left = FV_UNIT(FV_U_COVERS)[u]; left;) {
    int shares = 0; /* a bit for each cell beside it */
    TRM_UNROLL for (int k = FV_CUT_BEGIN; k < FV_CUT_END; k++) {
      const int far = fv_way(k);
      const trm_index at = far > 0 ? fv_index(v, fv_cut_next_to(v->near, cell, k)) : -1;
      shares |= (at >= 0 && heirs[at] > 0 &&
                 total / (real)(far * far) * FV_ALIKE >= room[at]) << k;
    }
    for (int k = FV_CUT_BEGIN; k < FV_CUT_END && shares >> k; k++) {
      const int beside = shares >> k & 1 ? fv_cut_next_to(v->near, cell, k) : -1;
      const trm_index at = beside >= 0 ? fv_index(v, beside) : -1;
      if (at >= 0) fv_add_covered(v, first, beside, at, heirs[at], o);
    }
    kind = fv_next(v, kind);
    left = kind >= 0;
    cell = left ? FV_VIEW_KIND(v, FV_R_CELL, kind) : cell;
  }
}

/* ---- what units have ------------------------------------------------------------------ */

TRM_INLINE int fv_is_at_gap(const fv_view *v, const int master)
{
  int is = 0;
  for (int i = fv_kind(v, master); i >= 0 && !is; i = fv_next(v, i))
    is = FV_VIEW_KIND(v, FV_R_GAP, i);
  return is;
}

/* Walls sweep a part of what a unit in a gap has too much or too little (cut_heirs.c). Returns how
 * much they sweep more. */
TRM_INLINE real fv_open_gap(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                            const int master, const real own, const real sweep, const real total,
                            TRM_OUT(real) sizes)
{
  const real has = own + sweep, most = R(0.15) * own;
  const real lacks = trm_min(trm_max(trm_min(trm_max(has, R(0.8) * total), R(1.25) * total) - has,
                                     -most), most);
  real area = R(0.0);
  for (int pass = 0; pass < 2; pass++)
    for (int i = fv_kind(v, master); i >= 0; i = fv_next(v, i))
      if (FV_VIEW_KIND(v, FV_R_GAP, i) && i < ints[FV_TOTAL_CUTS]) {
        TRM_IN(real) n = FV_VIEW_CUT(v, i) + FV_CUT_WALL_AREA;
        const real part = trm_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const int of = v->near_of[FV_VIEW_KIND(v, FV_R_CELL, i) / FV_CELLS];
        if (pass == 0) area += part;
        else if (lacks != R(0.0) && area > R(0.0))
          FV_CUT_OF(FV_WALL_SIZES(p, sizes, i), 14) +=
            part / area * lacks * fv_width(p, ints + p.leaf + (trm_index)of * FV_LEAF_INTS) / p.dt;
      }
  return area > R(0.0) ? lacks : R(0.0);
}

TRM_GROUP_KERNEL7(fv_geometry_own, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RO(int) near, TRM_RO(int) spots, TRM_RO(real) volumes, TRM_RW(real) sizes,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int master = spots[u];
      real own = R(0.0), sweep = R(0.0);
      int walls = 0;
      fv_owns o;
      fv_list_owns(p, &v, ints, reals, u, master, &o);
      for (int k = 0; k < o.count; k++) own += o.part[k];
      if (o.count == FV_MOST_OWNS) ints[FV_TOTAL_FAULT] = 1;
      for (int i = fv_kind(&v, master); i >= 0; i = fv_next(&v, i))
        if (i < ints[FV_TOTAL_CUTS]) {
          const int of = v.near_of[FV_VIEW_KIND(&v, FV_R_CELL, i) / FV_CELLS];
          walls = 1;
          sweep += fv_sweep(p, &v, ints + p.leaf + (trm_index)of * FV_LEAF_INTS, bodies, i);
        }
      if (walls)
        sweep += fv_open_gap(p, &v, ints, master, own, sweep, volumes[3 * u + 1], sizes);
      FV_UNIT(FV_U_OWNS)[u] = o.count;
      FV_UNIT(FV_U_WALLS)[u] = walls;
      FV_UNIT_REAL(FV_U_OWN)[u] = FV_UNIT_REAL(FV_U_KEPT)[u] = FV_UNIT_REAL(FV_U_HAS)[u] = own;
      FV_UNIT_REAL(FV_U_SWEEP)[u] = sweep;
      FV_UNIT_REAL(FV_U_REST)[u] = own - (volumes[3 * u + 1] - sweep);
      FV_UNIT_REAL(FV_U_ASKED)[u] = R(0.0);
      FV_UNIT(FV_U_HANDED)[u] = 0;
      for (int k = 0; k <= FV_REST_ROUNDS; k++) FV_UNIT(FV_U_CALLED + k)[u] = 0;
    }
  }
}
