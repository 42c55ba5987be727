/* Chains of pieces without a large enough neighbour, and what groups are together: as cut_groups.c
 * has it. */

/* Beside a piece that joined in a round before: beyond this face; -1: there is none. */
TRM_INLINE int fv_choose_chained(const fv_geometry_params p, const fv_view *v, const int i)
{
  TRM_IN(real) cut = FV_VIEW_CUT(v, i);
  const int cell = FV_VIEW_KIND(v, FV_R_CELL, i);
  real most = R(0.0), area = R(0.0);
  int best = -1;
  for (int a = 0; a < 3; a++)
    area += cut[FV_CUT_WALL_AREA + a] * cut[FV_CUT_WALL_AREA + a];
  for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const int to = fv_kind(v, fv_beyond(v, cell, f));
    if (cut[FV_CUT_OPEN + f] > R(0.0) && to >= 0 && FV_VIEW_KIND(v, FV_R_ROUND, to) < p.round) {
      const real along = -cut[FV_CUT_WALL_AREA + f / 2] * (f % 2 ? R(1.0) : R(-1.0)) /
                         trm_sqrt(area);
      const real value = cut[FV_CUT_OPEN + f] * trm_max(along, R(0.01));
      if (value > most * FV_ALIKE) {
        most = value;
        best = f;
      }
    }
  }
  return best;
}

TRM_INLINE void fv_join_chain(const fv_geometry_params p, const fv_view *v, const int i,
                              const int f, TRM_OUT(int) ints)
{
  const int to = fv_kind(v, fv_beyond(v, FV_REC(FV_R_CELL)[i], f));
  const int master = FV_REC(FV_R_MASTER)[to];
  for (int a = 0; a < 3; a++)
    FV_REC(FV_R_TO + a)[i] = FV_REC(FV_R_TO + a)[to] + (f / 2 == a ? f % 2 ? 1 : -1 : 0);
  FV_REC(FV_R_MASTER)[i] = master;
  FV_REC(FV_R_ROUND)[i] = p.round;
  const int end = fv_kind(v, master);
  if (end >= 0) FV_REC(FV_R_CHAINED)[end] = p.round; /* it has a record, but for want of room */
}

/* Round p.round, from 1 on. */
TRM_GROUP_KERNEL3(fv_geometry_chain, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS && FV_REC(FV_R_FACE)[i] == FV_FACE_NONE &&
        FV_REC(FV_R_ROUND)[i] == FV_ROUND_NONE) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int f = fv_choose_chained(p, &v, i);
      if (f >= 0) fv_join_chain(p, &v, i, f, ints);
    }
  }
}

/* So many chained pieces of a group at most. */
#define FV_MOST_CHAINED 48

/* The cell so far from one, at most a block's side. */
TRM_INLINE int fv_cell_at(const fv_view *v, const int cell, const int dx, const int dy,
                          const int dz)
{
  const int x = cell % FV_SX + dx, y = cell / FV_SX % FV_SY + dy;
  const int z = cell / (FV_SX * FV_SY) % FV_SZ + dz;
  const int beside = (z < 0 ? 0 : z < FV_SZ ? 9 : 18) + (y < 0 ? 0 : y < FV_SY ? 3 : 6) +
                     (x < 0 ? 0 : x < FV_SX ? 1 : 2);
  return v->near[(trm_index)(cell / FV_CELLS) * FV_NEAR_INTS + beside] * FV_CELLS +
         ((z & (FV_SZ - 1)) * FV_SY + (y & (FV_SY - 1))) * FV_SX + (x & (FV_SX - 1));
}

/* Those whose chains end at a master, the last of which joined in this round, by rounds, then by
 * their numbers. Returns how many. */
TRM_INLINE int fv_find_chained(const fv_view *v, const int master, const int rounds, int *found)
{
  const int reach = rounds + 1;
  int count = 0;
  for (int z = FV_SZ > 1 ? -reach : 0; z <= (FV_SZ > 1 ? reach : 0); z++)
    for (int y = -reach; y <= reach; y++)
      for (int x = -reach; x <= reach; x++) {
        const int far = (x < 0 ? -x : x) + (y < 0 ? -y : y) + (z < 0 ? -z : z);
        const int at = far > 0 && far <= reach ? fv_cell_at(v, master, x, y, z) : -1;
        const int kind = at < 0 ? -1 : fv_kind(v, at);
        const int round = kind < 0 ? 0 : FV_VIEW_KIND(v, FV_R_ROUND, kind);
        if (round > 0 && round != FV_ROUND_NONE && count < FV_MOST_CHAINED &&
            FV_VIEW_KIND(v, FV_R_MASTER, kind) == master) {
          int k = count, is_new = 1;
          for (int j = 0; j < count; j++) is_new &= found[j] != kind;
          for (; is_new && k > 0; k--) {
            const int last = FV_VIEW_KIND(v, FV_R_ROUND, found[k - 1]);
            if (last < round || (last == round && found[k - 1] < kind)) break;
            found[k] = found[k - 1];
          }
          if (is_new) {
            found[k] = kind;
            count++;
          }
        }
      }
  return count;
}

TRM_GROUP_KERNEL3(fv_geometry_chained, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_RECORDS && FV_REC(FV_R_CHAINED)[i]) {
      const fv_view v = fv_look(p, near, ints, reals);
      int found[FV_MOST_CHAINED], last = i;
      const int rounds = FV_REC(FV_R_CHAINED)[i];
      const int count = fv_find_chained(&v, FV_REC(FV_R_CELL)[i], rounds, found);
      while (FV_REC(FV_R_NEXT)[last] >= 0) last = FV_REC(FV_R_NEXT)[last];
      for (int k = 0; k < count; k++) {
        FV_REC(FV_R_NEXT)[last] = found[k];
        last = found[k];
      }
      if (count == FV_MOST_CHAINED) ints[FV_TOTAL_FAULT] = 1;
    }
  }
}

/* ---- what groups are together ------------------------------------------------------------ */

TRM_INLINE void fv_weigh_group(const fv_geometry_params p, const fv_view *v, const int master,
                               TRM_OUT(real) reals)
{
  real total = R(0.0), moment[3] = { R(0.0), R(0.0), R(0.0) };
  for (int i = master; i >= 0; i = fv_next(v, i)) {
    TRM_IN(real) cut = FV_VIEW_CUT(v, i);
    total += cut[FV_CUT_VOLUME];
    for (int a = 0; a < 3; a++)
      moment[a] += cut[FV_CUT_VOLUME] *
                   (cut[FV_CUT_CENTROID + a] - (real)FV_VIEW_KIND(v, FV_R_TO + a, i));
  }
  for (int i = master; i >= 0; i = fv_next(v, i)) {
    FV_REC_REAL(FV_R_TOTAL)[i] = total;
    for (int a = 0; a < 3; a++)
      FV_REC_REAL(FV_R_CENTRE + a)[i] = moment[a] / total + (real)FV_VIEW_KIND(v, FV_R_TO + a, i);
  }
}

TRM_GROUP_KERNEL3(fv_geometry_weigh, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_RECORDS && FV_REC(FV_R_MASTER)[i] == FV_REC(FV_R_CELL)[i]) {
      const fv_view v = fv_look(p, near, ints, reals);
      if (FV_VIEW_CUT(&v, i)[FV_CUT_VOLUME] < p.small) ints[FV_TOTAL_FAULT] = 1;
      else fv_weigh_group(p, &v, i, reals);
    }
  }
}
