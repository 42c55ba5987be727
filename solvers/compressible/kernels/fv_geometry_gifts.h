/* Gas that units hand to one another: as cut_gifts.c has it. A unit finds by itself who gives to
 * it, in the order in which a list of all gifts would have them. */

/* ---- who is beside a unit ---------------------------------------------------------------- */

typedef struct fv_neighbours { int count, unit[FV_MOST_BESIDE]; } fv_neighbours;

/* A unit of its cells about this one's, if it is not found. sorted: they are kept in the order of
 * their numbers. */
TRM_INLINE void fv_add_unit(const int other, const int unit, const int sorted, fv_neighbours *n)
{
  int k = n->count;
  if (other < 0 || other == unit || k == FV_MOST_BESIDE) return;
  for (int i = 0; i < n->count; i++)
    if (n->unit[i] == other) return;
  for (; sorted && k > 0 && n->unit[k - 1] > other; k--) n->unit[k] = n->unit[k - 1];
  n->unit[k] = other;
  n->count++;
}

/* So many steps along axes away: 1, over faces. */
TRM_INLINE void fv_find_units(const fv_view *v, const int unit, const int master, const int far,
                              const int sorted, fv_neighbours *n)
{
  fv_spot own = fv_spot_of(v, master);
  for (int kind = fv_kind_at(v, own), left = 1; left;) {
    int beyond[6];
    TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++)
      beyond[f] = far == 1 ? fv_unit_in(v, fv_spot_beyond(v, own, f)) : -1;
    for (int f = 0; f < FV_CUT_BESIDE && far == 1; f++)
      fv_add_unit(beyond[f], unit, sorted, n);
    for (int k = FV_CUT_BEGIN; k < FV_CUT_END && far > 1; k++)
      if (fv_way(k) == far)
        fv_add_unit(fv_unit_at(v, fv_cut_next_to(v->near, own.cell, k)), unit, sorted, n);
    kind = fv_next(v, kind);
    left = kind >= 0;
    if (left) own = fv_spot_of(v, FV_VIEW_KIND(v, FV_R_CELL, kind));
  }
}

/* What a unit can do without, of its own, so that it has so much at least. */
TRM_INLINE real fv_spare(const real kept, const real has, const real least)
{
  return trm_max(R(0.0), trm_min(R(0.9) * kept, has - least));
}
#define FV_SPARE(u, least) \
  fv_spare(FV_UNIT_REAL(FV_U_KEPT)[u], FV_UNIT_REAL(FV_U_HAS)[u], least)

/* ---- units that walls uncover ------------------------------------------------------------ */

/* Whom a unit asks for a part that it lacks; and how many units with walls are beside each. */
TRM_GROUP_KERNEL4(fv_geometry_ask, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const real has = FV_UNIT_REAL(FV_U_HAS)[u], part = FV_LEAST - has;
      const int is_needy = has < FV_LEAST - FV_ROUNDING;
      real all = R(0.0);
      int walls = 0;
      if (is_needy || FV_UNIT(FV_U_WALLS)[u]) {
        fv_neighbours n;
        n.count = 0;
        fv_find_units(&v, u, spots[u], 1, 0, &n);
        for (int k = 0; k < n.count && is_needy; k++) {
          all += FV_SPARE(n.unit[k], FV_LEAST);
          FV_UNIT(FV_U_CALLED)[n.unit[k]] = 1;
        }
        for (int k = 0; k < n.count; k++)
          if (FV_UNIT(FV_U_WALLS)[n.unit[k]]) {
            if (walls < FV_MOST_WALLED) FV_UNIT(FV_U_WALLED + walls)[u] = n.unit[k];
            walls++;
          }
        if (n.count == FV_MOST_BESIDE || walls > FV_MOST_WALLED) ints[FV_TOTAL_FAULT] = 1;
      }
      if (is_needy && !(all >= part)) {
        if (!(has >= FV_LEAST_IN_GAP && fv_is_at_gap(&v, spots[u]))) ints[FV_TOTAL_FAULT] = 1;
        all = R(0.0);
      }
      FV_UNIT(FV_U_BESIDE)[u] = fv_within(walls, FV_MOST_WALLED);
      FV_UNIT_REAL(FV_U_SPARE)[u] = FV_SPARE(u, FV_LEAST);
      FV_UNIT_REAL(FV_U_ALL)[u] = all;
      FV_UNIT_REAL(FV_U_PART)[u] = part;
    }
  }
}

/* What unit `to` is given by another that it asked. */
#define FV_GIFT(which, from, to) \
  (FV_UNIT_REAL(FV_U_SPARE + (which))[from] / FV_UNIT_REAL(FV_U_ALL + (which))[to] * \
   FV_UNIT_REAL(FV_U_PART + (which))[to])

/* All give what they are asked for; nobody is asked for more than it has, or the host goes on. */
TRM_INLINE void fv_give(const fv_geometry_params p, const fv_view *v, const int u,
                        const int master, TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  const real spare = FV_UNIT_REAL(FV_U_SPARE)[u];
  real asked = R(0.0);
  fv_neighbours n;
  n.count = 0;
  fv_find_units(v, u, master, 1, 1, &n);
  for (int k = 0; k < n.count; k++)
    if (FV_UNIT_REAL(FV_U_ALL)[n.unit[k]] > R(0.0)) {
      const real part = FV_GIFT(0, u, n.unit[k]);
      asked += part;
      FV_UNIT_REAL(FV_U_KEPT)[u] -= part;
      FV_UNIT_REAL(FV_U_HAS)[u] -= part;
      FV_UNIT_REAL(FV_U_REST)[u] -= part;
    }
  if (asked > spare) ints[FV_TOTAL_FAULT] = 1;
}

TRM_INLINE void fv_take(const fv_geometry_params p, const fv_view *v, const int u,
                        const int master, TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  fv_neighbours n;
  n.count = 0;
  fv_find_units(v, u, master, 1, 0, &n);
  for (int k = 0; k < n.count; k++) {
    const real part = FV_GIFT(0, n.unit[k], u);
    if (part > R(0.0)) {
      FV_UNIT_REAL(FV_U_HAS)[u] += part;
      FV_UNIT_REAL(FV_U_REST)[u] += part;
    }
  }
  for (int k = 0; k < n.count; k++) {
    const real part = FV_GIFT(0, n.unit[k], u);
    if (part > R(0.0)) {
      FV_UNIT_REAL(FV_U_OWN)[u] += part;
      FV_UNIT_REAL(FV_U_KEPT)[u] += part;
      FV_UNIT(FV_U_OWNS)[u] += FV_UNIT(FV_U_OWNS)[n.unit[k]];
    }
  }
  if (FV_UNIT_REAL(FV_U_HAS)[u] < FV_LEAST - FV_ROUNDING) ints[FV_TOTAL_FAULT] = 1;
}

TRM_GROUP_KERNEL4(fv_geometry_fill, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      if (FV_UNIT_REAL(FV_U_ALL)[u] > R(0.0)) fv_take(p, &v, u, spots[u], ints, reals);
      else if (FV_UNIT(FV_U_CALLED)[u]) fv_give(p, &v, u, spots[u], ints, reals);
    }
  }
}

/* ---- units without walls ---------------------------------------------------------------- */

TRM_INLINE void fv_keep_walled(const fv_geometry_params p, TRM_IN(int) ints, const int from,
                               fv_neighbours *n)
{
  int count = from;
  for (int k = from; k < n->count; k++)
    if (FV_UNIT(FV_U_WALLS)[n->unit[k]]) n->unit[count++] = n->unit[k];
  n->count = count;
}

/* Those with walls to whom a unit hands its rest, or whom it asks for it: as far as it has to
 * look. */
TRM_INLINE void fv_find_walled(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                               const int u, const int master, const int far, fv_neighbours *n)
{
  n->count = 0;
  for (int k = 1; k <= far; k++) {
    const int from = n->count;
    fv_find_units(v, u, master, k, 0, n);
    fv_keep_walled(p, ints, from, n);
  }
}

/* The round's numbers of a unit: whom it looks at, and how much. */
#define FV_FAR(u) FV_UNIT(FV_U_FAR + round)[u]
#define FV_ASKED(u) FV_UNIT(FV_U_COUNT + round)[u]
#define FV_REST(u) FV_UNIT_REAL(FV_U_PART + 1 + round)[u]

TRM_INLINE void fv_ask_rest(const fv_geometry_params p, const fv_view *v, const int u,
                            const int master, TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  const real rest = FV_UNIT_REAL(FV_U_REST)[u];
  const int round = p.round;
  real all = R(0.0);
  int can = 0, far = 0;
  fv_neighbours n;
  while (!can && far < FV_CUT_AXES) {
    far++;
    fv_find_walled(p, v, ints, u, master, far, &n);
    all = R(0.0);
    for (int k = 0; k < n.count; k++) all += FV_SPARE(n.unit[k], R(0.0));
    can = rest < R(0.0) ? all >= -rest : n.count > 0 && rest <= FV_SPARE(u, R(0.0));
  }
  if (!can || n.count == FV_MOST_BESIDE) ints[FV_TOTAL_FAULT] = 1;
  for (int k = 0; k < n.count && can; k++) FV_UNIT(FV_U_CALLED + 1 + round)[n.unit[k]] = 1;
  FV_FAR(u) = can ? far : 0;
  FV_ASKED(u) = n.count;
  FV_UNIT_REAL(FV_U_ALL + 1 + round)[u] = all;
  FV_REST(u) = -rest;
}

/* A round in which units without walls hand on what they have too much, or ask for what they
 * lack. */
TRM_GROUP_KERNEL4(fv_geometry_rest, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane, round = p.round;
    if (u < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      FV_FAR(u) = 0;
      FV_UNIT_REAL(FV_U_SPARE + 1 + round)[u] = FV_SPARE(u, R(0.0));
      if (!FV_UNIT(FV_U_WALLS)[u] && trm_fabs(FV_UNIT_REAL(FV_U_REST)[u]) > FV_ROUNDING)
        fv_ask_rest(p, &v, u, spots[u], ints, reals);
    }
  }
}

/* Units without walls that ask a unit with one, or hand it their rests, in order. */
TRM_INLINE void fv_find_askers(const fv_geometry_params p, const fv_view *v, TRM_IN(int) ints,
                               const int round, const int u, const int master, fv_neighbours *n)
{
  int cell = master;
  n->count = 0;
  for (int kind = fv_kind(v, master), left = 1; left;) {
    int asks[27]; /* looked up one beside the other */
    TRM_UNROLL for (int k = FV_CUT_BEGIN; k < FV_CUT_END; k++) {
      const int far = fv_way(k);
      const int other = far > 0 ? fv_unit_at(v, fv_cut_next_to(v->near, cell, k)) : -1;
      asks[k] = other >= 0 && FV_FAR(other) >= far ? other : -1;
    }
    for (int k = FV_CUT_BEGIN; k < FV_CUT_END; k++) fv_add_unit(asks[k], u, 1, n);
    kind = fv_next(v, kind);
    left = kind >= 0;
    cell = left ? FV_VIEW_KIND(v, FV_R_CELL, kind) : cell;
  }
}

/* Whom more is asked of than it can spare gives everyone the same part. */
TRM_INLINE real fv_scale(const real spare, const real asked)
{
  return asked > R(0.0) ? trm_min(R(1.0), spare / asked) : R(1.0);
}

/* That part of a unit with a wall, whose askers are these. */
TRM_INLINE real fv_scale_of(const fv_geometry_params p, TRM_IN(real) reals, const int round,
                            const int u, const fv_neighbours *n)
{
  real asked = R(0.0);
  for (int k = 0; k < n->count; k++)
    if (FV_REST(n->unit[k]) > R(0.0)) asked += FV_GIFT(1 + round, u, n->unit[k]);
  return fv_scale(FV_UNIT_REAL(FV_U_SPARE + 1 + round)[u], asked);
}

/* What a unit without a wall hands to each that it found. */
TRM_INLINE real fv_handed(const fv_geometry_params p, TRM_IN(int) ints, TRM_IN(real) reals,
                          const int round, const int u)
{
  const int count = FV_ASKED(u);
  const real part = -FV_REST(u) / (real)count;
  real asked = R(0.0);
  for (int k = 0; k < count; k++) asked += part;
  return part * fv_scale(FV_UNIT_REAL(FV_U_SPARE + 1 + round)[u], asked);
}

/* What one of them gives to a unit with a wall, which gives this part of what is asked; less
 * than 0: what it takes. */
TRM_INLINE real fv_from_asker(const fv_geometry_params p, TRM_IN(int) ints, TRM_IN(real) reals,
                              const int round, const int u, const real scale, const int asker)
{
  return FV_REST(asker) < R(0.0) ? fv_handed(p, ints, reals, round, asker)
                                 : -(FV_GIFT(1 + round, u, asker) * scale);
}

TRM_INLINE void fv_settle_walled(const fv_geometry_params p, const fv_view *v, const int u,
                                 const int master, TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  fv_neighbours n;
  fv_find_askers(p, v, ints, p.round, u, master, &n);
  const real scale = fv_scale_of(p, reals, p.round, u, &n);
  FV_UNIT_REAL(FV_U_SCALE + p.round)[u] = scale;
  for (int k = 0; k < n.count; k++) {
    const real part = fv_from_asker(p, ints, reals, p.round, u, scale, n.unit[k]);
    if (part < R(0.0)) FV_UNIT_REAL(FV_U_KEPT)[u] += part;
    else FV_UNIT(FV_U_HANDED)[u] += FV_UNIT(FV_U_OWNS)[n.unit[k]];
    FV_UNIT_REAL(FV_U_HAS)[u] += part;
    FV_UNIT_REAL(FV_U_REST)[u] += part;
  }
  if (n.count == FV_MOST_BESIDE) ints[FV_TOTAL_FAULT] = 1;
}

/* What a unit without a wall is given by one that it asked. */
#define FV_TO_ASKER(from, asker) \
  (FV_GIFT(1 + round, from, asker) * FV_UNIT_REAL(FV_U_SCALE + round)[from])

TRM_INLINE void fv_settle_asker(const fv_geometry_params p, const fv_view *v, TRM_IN(int) spots,
                                const int u, TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  const int round = p.round, hands = FV_REST(u) < R(0.0);
  fv_neighbours n;
  fv_find_walled(p, v, ints, u, spots[u], FV_FAR(u), &n);
  for (int k = 0; k < n.count; k++) {
    const real part = hands ? -fv_handed(p, ints, reals, round, u)
                            : FV_TO_ASKER(n.unit[k], u);
    if (hands) FV_UNIT_REAL(FV_U_KEPT)[u] += part;
    if (part > R(0.0)) FV_UNIT(FV_U_HANDED)[u] += FV_UNIT(FV_U_OWNS)[n.unit[k]];
    FV_UNIT_REAL(FV_U_HAS)[u] += part;
    FV_UNIT_REAL(FV_U_REST)[u] += part;
  }
  if (round == FV_REST_ROUNDS - 1 && trm_fabs(FV_UNIT_REAL(FV_U_REST)[u]) > FV_ROUNDING)
    ints[FV_TOTAL_FAULT] = 1;
}

/* First those with walls, then those without. */
TRM_GROUP_KERNEL4(fv_geometry_called, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS && FV_UNIT(FV_U_CALLED + 1 + p.round)[u]) {
      const fv_view v = fv_look(p, near, ints, reals);
      fv_settle_walled(p, &v, u, spots[u], ints, reals);
    }
  }
}

TRM_GROUP_KERNEL4(fv_geometry_settle, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane, round = p.round;
    if (u < FV_UNITS && FV_FAR(u) > 0) {
      const fv_view v = fv_look(p, near, ints, reals);
      fv_settle_asker(p, &v, spots, u, ints, reals);
    }
  }
}

/* ---- units with walls level their rests ---------------------------------------------------- */

/* Half of what would make neighbours alike, were each pair alone. */
TRM_INLINE real fv_level_wish(const fv_geometry_params p, TRM_IN(int) ints, TRM_IN(real) reals,
                              const int from, const int to)
{
  const real more = FV_UNIT_REAL(FV_U_REST)[from] - FV_UNIT_REAL(FV_U_REST)[to];
  const int here = FV_UNIT(FV_U_BESIDE)[from], there = FV_UNIT(FV_U_BESIDE)[to];
  return more > FV_ROUNDING ? R(0.5) * more / (real)(here > there ? here : there) : R(0.0);
}

TRM_INLINE real fv_level_gifts(const fv_geometry_params p, TRM_IN(real) reals, const int from)
{
  return trm_min(FV_UNIT_REAL(FV_U_ASKED)[from], FV_SPARE(from, R(0.1)));
}

TRM_INLINE real fv_level_gift(const fv_geometry_params p, TRM_IN(int) ints, TRM_IN(real) reals,
                              const int from, const int to)
{
  const real wish = fv_level_wish(p, ints, reals, from, to);
  return wish > R(0.0)
           ? wish * (fv_level_gifts(p, reals, from) / FV_UNIT_REAL(FV_U_ASKED)[from]) : R(0.0);
}

TRM_GROUP_KERNEL2(fv_geometry_level, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) ints,
                  TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS && FV_UNIT(FV_U_WALLS)[u]) {
      real asked = R(0.0);
      for (int k = 0; k < FV_UNIT(FV_U_BESIDE)[u]; k++)
        asked += fv_level_wish(p, ints, reals, u, FV_UNIT(FV_U_WALLED + k)[u]);
      FV_UNIT_REAL(FV_U_ASKED)[u] = asked;
    }
  }
}
