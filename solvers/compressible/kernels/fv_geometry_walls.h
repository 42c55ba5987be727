/* Pieces of walls, as cut_lists.c has them, and the turns of slopes, in which cut_turns.c keeps
 * what did not change: here all are new. */

/* ---- walls --------------------------------------------------------------------------- */

/* How far a place of a body's wall goes in the step along an axis. */
TRM_INLINE real fv_wall_step(TRM_IN(real) b, const real *at, const int axis)
{
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  TRM_IN(real) n = b + FV_BODY_AXIS;
  TRM_IN(real) c = b + FV_BODY_CENTRE;
  TRM_IN(real) moved = b + FV_BODY_MOVED;
  if (b[FV_BODY_TURNS] == R(0.0)) return b[FV_BODY_STEP + axis];
  return b[FV_BODY_STEP + axis] + b[FV_BODY_TURNED] * (n[i] * (at[j] - c[j] - moved[j]) -
                                                       n[j] * (at[i] - c[i] - moved[i]));
}

/* What a cut cell's wall sweeps in the step, in cells. */
TRM_INLINE real fv_sweep(const fv_geometry_params p, const fv_view *v, TRM_IN(int) leaf,
                         TRM_IN(real) bodies, const int i)
{
  TRM_IN(real) b = bodies + FV_VIEW_KIND(v, FV_R_BODY, i) * FV_BODY_REALS;
  TRM_IN(real) cut = FV_VIEW_CUT(v, i);
  const int in = FV_VIEW_KIND(v, FV_R_CELL, i) % FV_CELLS;
  const real width = fv_width(p, leaf);
  real at[3], sweep = R(0.0);
  for (int a = 0; a < 3; a++) at[a] = fv_place(p, leaf, a, fv_at_along(in, a), R(0.0));
  for (int a = 0; a < 3; a++) {
    sweep += fv_wall_step(b, at, a) * cut[FV_CUT_WALL_AREA + a] / width;
    if (b[FV_BODY_TURNS] != R(0.0))
      sweep += b[FV_BODY_TURNED] * b[FV_BODY_AXIS + a] * cut[FV_CUT_WALL_TURN + a];
  }
  return sweep;
}

/* Behind the room for sizes of faces. */
#define FV_WALL_SIZES(p, sizes, i) \
  FV_CUT_ENTRY((sizes) + (trm_index)(((p).rooms[1] + FV_CUT_GROUP - 1) / FV_CUT_GROUP) * \
                           FV_FACE_SIZES * FV_CUT_GROUP, FV_CUT_SIZES, i)

TRM_INLINE void fv_list_wall(const fv_geometry_params p, const fv_view *v, TRM_IN(int) leaf,
                             TRM_IN(real) bodies, const int i, TRM_OUT(real) to,
                             const trm_index walls, TRM_OUT(real) places)
{
  TRM_IN(real) b = bodies + FV_VIEW_KIND(v, FV_R_BODY, i) * FV_BODY_REALS;
  TRM_IN(real) cut = FV_VIEW_CUT(v, i);
  const int in = FV_VIEW_KIND(v, FV_R_CELL, i) % FV_CELLS;
  const real width = fv_width(p, leaf);
  real place[3], speed[3], area = R(0.0);
  for (int a = 0; a < 3; a++)
    place[a] = fv_place(p, leaf, a, fv_at_along(in, a), cut[FV_CUT_WALL_AT + a]);
  speed[0] = -b[FV_BODY_SPIN] * (place[1] - b[FV_BODY_HERE + 1]);
  speed[1] = b[FV_BODY_SPIN] * (place[0] - b[FV_BODY_HERE]);
  speed[2] = R(0.0);
  for (int a = 0; a < 3; a++) {
    const real n = cut[FV_CUT_WALL_AREA + a];
    FV_CUT_OF(to, a) = n;
    FV_CUT_OF(to, 3 + a) = fv_from_centre(v, i, a, cut[FV_CUT_WALL_AT + a]);
    FV_CUT_OF(to, 6 + a) = speed[a] + fv_wall_step(b, place, a) / p.dt;
    FV_CUT_OF(to, 10 + a) = place[a] - b[FV_BODY_HERE + a];
    area += n * n;
    places[a * walls + i] = place[a];
    places[(3 + a) * walls + i] = n * (FV_SZ == 1 ? width : width * width);
  }
  FV_CUT_OF(to, 9) = b[FV_BODY_TEMPERATURE];
  FV_CUT_OF(to, 13) = area > R(1e-24) ? R(1.0) / trm_sqrt(area) : R(0.0);
  FV_CUT_OF(to, 14) = fv_sweep(p, v, leaf, bodies, i) * width / p.dt;
  FV_CUT_OF(to, 15) = R(0.0);
}

/* Walls of cut cells; what factors of slopes are made of, and the way of a cell in its group. */
TRM_GROUP_KERNEL9(fv_geometry_walls, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RO(int) near, TRM_RW(int) faces, TRM_RW(real) sizes, TRM_RW(real) places,
                  TRM_RW(int) members, TRM_RW(real) centres, TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_RECORDS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int cell = FV_REC(FV_R_CELL)[i], master = FV_REC(FV_R_MASTER)[i];
      const trm_index at = fv_index(&v, master);
      const int is_cut = i < FV_CUTS, body = FV_REC(FV_R_BODY)[i];
      const int slope = at < 0 ? -1 : FV_CELL(FV_CELL_SLOPE)[at];
      const int is_one = master == cell && FV_REC(FV_R_NEXT)[i] < 0;
      const int wall = (int)bodies[body * FV_BODY_REALS + FV_BODY_WALL];
      int way = 0;
      for (int a = 0; a < 3; a++) {
        const int to = FV_REC(FV_R_TO + a)[i];
        way += to < 0 ? -to : to;
        FV_REC_REAL(FV_R_OFF + 3 * p.now + a)[i] =
          a < FV_CUT_AXES ? FV_VIEW_CUT(&v, i)[FV_CUT_CENTROID + a] -
                               FV_REC_REAL(FV_R_CENTRE + a)[i] : R(0.0);
        centres[4 * (trm_index)i + a] = FV_REC_REAL(FV_R_CENTRE + a)[i];
      }
      centres[4 * (trm_index)i + 3] = FV_REC_REAL(FV_R_TOTAL)[i];
      FV_REC(FV_R_SLOPE + p.now)[i] = is_one ? -1 : slope;
      TRM_OUT(int) member = members + FV_RECORD_INTS * (trm_index)i;
      member[FV_RECORD_MASTER] = master;
      member[FV_RECORD_NEXT] = FV_REC(FV_R_NEXT)[i];
      member[FV_RECORD_WALL] = is_cut ? i : -1;
      member[FV_RECORD_FLAGS] = (is_cut && wall != FV_CUT_SLIP ? FV_CUT_FAST : 0) |
                                (FV_REC(FV_R_GAP)[i] ? FV_CUT_GAP : 0) |
                                (way > 1 ? FV_CUT_CHAIN : 0);
      if (is_cut) {
        TRM_IN(int) leaf = ints + p.leaf + (trm_index)v.near_of[cell / FV_CELLS] * FV_LEAF_INTS;
        TRM_OUT(int) face =
          faces + 4 * ((trm_index)fv_within(ints[FV_TOTAL_FACES], p.rooms[0]) + i);
        face[0] = wall;
        face[1] = slope;
        face[2] = body;
        face[3] = leaf[1];
        fv_list_wall(p, &v, leaf, bodies, i, FV_WALL_SIZES(p, sizes, i), FV_CUTS, places);
      }
    }
  }
}

/* ---- turns --------------------------------------------------------------------------- */

/* Of a unit: walls that hold the gas fast, and FV_TURN_ flags. Returns its kind of turn. */
TRM_INLINE int fv_order_of(const fv_geometry_params p, const fv_view *v, TRM_IN(real) bodies,
                           TRM_IN(int) ints, const int cell, int *walls, int *flags)
{
  *walls = *flags = 0;
  for (int i = fv_kind(v, cell); i >= 0; i = fv_next(v, i)) {
    TRM_IN(real) b = bodies + FV_VIEW_KIND(v, FV_R_BODY, i) * FV_BODY_REALS;
    const int wall = i < ints[FV_TOTAL_CUTS] ? (int)b[FV_BODY_WALL] : FV_CUT_SLIP;
    if (FV_VIEW_KIND(v, FV_R_NEXT, i) >= 0) *flags |= FV_STENCIL_GROUP;
    if (wall == FV_CUT_ISOTHERMAL) *flags |= FV_STENCIL_HEAT;
    *walls += wall != FV_CUT_SLIP;
  }
  return fv_is_central(v, ints + p.cell + FV_CELL_BESIDE * p.cells, cell) ? FV_ORDER_CENTRAL
           : *walls == 0 ? FV_ORDER_PLAIN
           : *walls > FV_SPARE_WALLS ? FV_ORDER_HARD : FV_ORDER_WALLED;
}

/* How many turns of each kind a group of slopes needs; all turns are nobody's. */
TRM_GROUP_KERNEL7(fv_geometry_orders, fv_tallies, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RO(int) near, TRM_RO(int) spots, TRM_RW(int) turns, TRM_RW(int) renewed,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    for (int c = 0; c < FV_COUNTS; c++) s.of[c][lane] = 0;
    if (i < FV_SLOPED) {
      const fv_view v = fv_look(p, near, ints, reals);
      int walls, flags;
      s.of[fv_order_of(p, &v, bodies, ints, spots[i], &walls, &flags)][lane] = 1;
      if (walls > FV_MOST_WALLS) ints[FV_TOTAL_FAULT] = 1;
    }
    if (group < p.turn_groups) {
      turns[(trm_index)i * FV_STENCIL_INTS + FV_STENCIL_NUMBER] = -1;
      renewed[i] = 2 * i;
    }
  }
  FV_TALLY_UP(s, FV_COUNTS)
  TRM_SERIAL(c, FV_COUNTS) {
    ints[p.group_counts + (trm_index)group * FV_COUNTS + c] = FV_ALL(s, c);
  }
}

/* Turn number i of a kind: those of a kind are groups of their own, the longest first. number: of
 * its slopes. */
TRM_INLINE void fv_fill_turn(const fv_geometry_params p, TRM_OUT(int) ints, const int kind,
                             const int i, const int number, const int cell, const int walls,
                             const int flags, TRM_OUT(int) turns)
{
  const int own = i / FV_CUT_GROUP;
  int groups = 0, looks = 0, weights = 0;
  for (int k = 0; k < kind; k++) {
    const int before = (ints[FV_TOTAL_TURNS + k] + FV_CUT_GROUP - 1) / FV_CUT_GROUP;
    groups += before;
    looks += before * FV_ORDER_STENCILS(k, FV_SZ);
    weights += before * FV_ORDER_FACTORS(k, FV_SZ);
  }
  looks += own * FV_ORDER_STENCILS(kind, FV_SZ);
  weights += own * FV_ORDER_FACTORS(kind, FV_SZ);
  TRM_OUT(int) turn = turns + ((trm_index)groups * FV_CUT_GROUP + i) * FV_STENCIL_INTS;
  if (groups + own >= p.turn_groups ||
      looks + FV_ORDER_STENCILS(kind, FV_SZ) > p.looks ||
      weights + FV_ORDER_FACTORS(kind, FV_SZ) > p.weights) {
    ints[FV_TOTAL_FAULT] = 1;
    return;
  }
  turn[FV_STENCIL_NUMBER] = number;
  turn[FV_STENCIL_CELL] = cell;
  turn[FV_STENCIL_FIRST] = looks * FV_CUT_GROUP;
  turn[FV_STENCIL_WEIGHT] = weights;
  turn[FV_STENCIL_ROOM] = FV_ORDER_ROWS(kind, FV_SZ);
  turn[FV_STENCIL_WALLS] = walls;
  turn[FV_STENCIL_KIND] = kind == FV_ORDER_CENTRAL ? FV_STENCIL_CENTRAL
                         : kind == FV_ORDER_PLAIN ? FV_STENCIL_PLAIN : FV_STENCIL_WALLED;
  turn[FV_STENCIL_FLAGS] = flags;
}

TRM_GROUP_KERNEL6(fv_geometry_turns, fv_tallies, fv_geometry_params, TRM_RO(real) bodies,
                  TRM_RO(int) near, TRM_RO(int) spots, TRM_RW(int) turns, TRM_RW(int) ints,
                  TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    for (int c = 0; c < FV_COUNTS; c++) s.of[c][lane] = 0;
    if (i < FV_SLOPED) {
      const fv_view v = fv_look(p, near, ints, reals);
      int walls, flags;
      s.of[fv_order_of(p, &v, bodies, ints, spots[i], &walls, &flags)][lane] = 1;
    }
  }
  FV_TALLY_UP(s, FV_COUNTS)
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_SLOPED) {
      const fv_view v = fv_look(p, near, ints, reals);
      int walls, flags;
      const int kind = fv_order_of(p, &v, bodies, ints, spots[i], &walls, &flags);
      const int first = FV_NUMBER_OF(0, group, kind);
      fv_fill_turn(p, ints, kind, first + FV_BEFORE(s, kind, lane), i, spots[i], walls, flags,
                   turns);
    }
  }
}
