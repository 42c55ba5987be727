/* Pieces of gas that are too small and whom they join: as cut_groups.c has it. */

/* Large enough neighbours of a small piece, and how much each counts; 0: it may not join that. */
TRM_INLINE void fv_find_choices(const fv_geometry_params p, const fv_view *v, const int i,
                                TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  TRM_IN(real) cut = FV_VIEW_CUT(v, i);
  const int cell = FV_REC(FV_R_CELL)[i];
  real area = R(0.0);
  int whole = 0;
  for (int a = 0; a < 3; a++)
    area += cut[FV_CUT_WALL_AREA + a] * cut[FV_CUT_WALL_AREA + a];
  for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const int beside = fv_beyond(v, cell, f), kind = fv_kind(v, beside);
    const int may = cut[FV_CUT_OPEN + f] > R(0.0) && kind != FV_KIND_SOLID &&
                    !fv_is_ghost(v, beside) &&
                    (kind < 0 || !(FV_VIEW_CUT(v, kind)[FV_CUT_VOLUME] < p.small));
    const real along = -cut[FV_CUT_WALL_AREA + f / 2] * (f % 2 ? R(1.0) : R(-1.0)) /
                       trm_sqrt(area);
    FV_REC_REAL(FV_R_VALUE + f)[i] =
      may ? (kind >= 0 ? R(0.5) : R(1.0)) * cut[FV_CUT_OPEN + f] * trm_max(along, R(0.01)) : R(0.0);
    whole |= may && kind < 0 ? 1 << f : 0;
  }
  FV_REC(FV_R_WHOLE)[i] = whole;
}

TRM_GROUP_KERNEL3(fv_geometry_choices, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int is_small = FV_VIEW_CUT(&v, i)[FV_CUT_VOLUME] < p.small;
      if (is_small) fv_find_choices(p, &v, i, ints, reals);
      FV_REC(FV_R_FACE)[i] = FV_REC(FV_R_FACE + 1)[i] = is_small ? FV_FACE_OPEN : FV_FACE_LARGE;
    }
  }
}

/* ---- whom they join ------------------------------------------------------------------ */

/* The record of the small piece beyond face f of a cell, if that may join the cell; -1. */
TRM_INLINE int fv_piece_beside(const fv_view *v, TRM_IN(int) face, const int cell, const int f)
{
  const int kind = fv_kind(v, fv_beyond(v, cell, f));
  if (kind < 0 || face[kind] == FV_FACE_LARGE) return -1;
  return FV_VIEW_CUT(v, kind)[FV_CUT_OPEN + (f ^ 1)] > R(0.0) ? kind : -1;
}

/* Whether a whole cell became a master by pieces before this one: 1, 0, or FV_FACE_OPEN. */
TRM_INLINE int fv_is_taken(const fv_view *v, TRM_IN(int) face, const int i, const int cell)
{
  int is = 0;
  for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const int other = fv_piece_beside(v, face, cell, f);
    if (other >= 0 && other < i) {
      if (face[other] == (f ^ 1)) return 1;
      if (face[other] == FV_FACE_OPEN) is = FV_FACE_OPEN;
    }
  }
  return is;
}

/* What differs by less is as much (cut_maker.h). */
#define FV_ALIKE R(1.000000001)

/* The face of the best, of some that count alike the first axis's; those of `taken` count half. */
TRM_INLINE int fv_best_face(const real *values, const int taken)
{
  real most = R(0.0);
  int best = FV_FACE_NONE;
  for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const real value = taken >> f & 1 ? R(0.5) * values[f] : values[f];
    if (value > most * FV_ALIKE) {
      most = value;
      best = f;
    }
  }
  return best;
}

/* Whether the best is the same whichever of these are taken besides. */
TRM_INLINE int fv_is_sure(const real *values, const int taken, const int open)
{
  const int best = fv_best_face(values, taken);
  for (int some = open; some; some = (some - 1) & open)
    if (fv_best_face(values, taken | some) != best) return 0;
  return 1;
}

TRM_INLINE int fv_choose_face(const fv_view *v, TRM_IN(int) face, const int i, const int cell,
                              const real *values, const int whole)
{
  int taken = 0, open = whole;
  if (fv_is_sure(values, 0, open)) return fv_best_face(values, 0);
  for (int f = 0; f < FV_CUT_BESIDE; f++)
    if (whole >> f & 1) {
      const int is = fv_is_taken(v, face, i, fv_beyond(v, cell, f));
      if (is == 1) taken |= 1 << f;
      if (is != FV_FACE_OPEN) open &= ~(1 << f);
    }
  return fv_is_sure(values, taken, open) ? fv_best_face(values, taken) : FV_FACE_OPEN;
}

/* A round: each piece by what all had chosen when it began. */
TRM_GROUP_KERNEL3(fv_geometry_choose, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS) {
      const fv_view v = fv_look(p, near, ints, reals);
      TRM_IN(int) face = FV_REC(FV_R_FACE + (p.round & 1));
      int next = face[i];
      if (next == FV_FACE_OPEN) {
        real values[6];
        for (int f = 0; f < FV_CUT_BESIDE; f++) values[f] = FV_REC_REAL(FV_R_VALUE + f)[i];
        next = fv_choose_face(&v, face, i, FV_REC(FV_R_CELL)[i], values, FV_REC(FV_R_WHOLE)[i]);
      }
      FV_REC(FV_R_FACE + !(p.round & 1))[i] = next;
    }
  }
}

/* ---- groups -------------------------------------------------------------------------- */

/* Of the pieces that join the same master, whether this one is the first, and which is next. */
TRM_INLINE int fv_find_follower(const fv_view *v, TRM_IN(int) face, const int i, const int master,
                                int *follows)
{
  int leads = 1;
  *follows = -1;
  for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const int other = f == (face[i] ^ 1) ? -1 : fv_piece_beside(v, face, master, f);
    if (other >= 0 && face[other] == (f ^ 1)) {
      if (other < i) leads = 0;
      else if (*follows < 0 || other < *follows) *follows = other;
    }
  }
  return leads && fv_kind(v, master) < 0 ? 3 : leads;
}

TRM_GROUP_KERNEL3(fv_geometry_leads, fv_tallies, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    s.of[0][lane] = 0;
    if (i < FV_CUTS) {
      const fv_view v = fv_look(p, near, ints, reals);
      TRM_IN(int) face = FV_REC(FV_R_FACE);
      int follows = -1, leads = 0;
      if (face[i] == FV_FACE_OPEN) ints[FV_TOTAL_FAULT] = 1;
      if (face[i] >= 0)
        leads = fv_find_follower(&v, face, i, fv_beyond(&v, FV_REC(FV_R_CELL)[i], face[i]),
                                 &follows);
      FV_REC(FV_R_LEADS)[i] = leads;
      FV_REC(FV_R_FOLLOWS)[i] = follows;
      s.of[0][lane] = leads == 3;
    }
  }
  FV_TALLY_UP(s, 1)
  TRM_SERIAL(c, FV_COUNTS) {
    ints[p.group_counts + (trm_index)group * FV_COUNTS + c] = c == 0 ? FV_ALL(s, 0) : 0;
  }
}

/* Whole cells that become masters have records too, behind all others; of piece i the master. */
TRM_INLINE void fv_make_master(const fv_geometry_params p, const fv_view *v, const int i,
                               const int record, TRM_OUT(int) ints, TRM_OUT(real) reals)
{
  const int cell = fv_beyond(v, FV_REC(FV_R_CELL)[i], FV_REC(FV_R_FACE)[i]);
  if (record >= p.most_records) {
    ints[FV_TOTAL_FAULT] = 1;
    return;
  }
  FV_CELL(FV_CELL_KIND + p.now)[fv_index(v, cell)] = record;
  fv_cut_whole(FV_REC_REAL(FV_R_CUT) + (trm_index)record * FV_CUT_REALS);
  FV_REC(FV_R_CELL)[record] = FV_REC(FV_R_MASTER)[record] = cell;
  FV_REC(FV_R_NEXT)[record] = -1;
  FV_REC(FV_R_BODY)[record] = FV_REC(FV_R_GAP)[record] = FV_REC(FV_R_CHAINED)[record] = 0;
  for (int a = 0; a < 3; a++) FV_REC(FV_R_TO + a)[record] = 0;
  FV_REC(FV_R_FACE)[record] = FV_REC(FV_R_FACE + 1)[record] = FV_FACE_LARGE;
  FV_REC(FV_R_ROUND)[record] = FV_ROUND_NONE;
}

TRM_GROUP_KERNEL3(fv_geometry_masters, fv_tallies, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    s.of[0][lane] = i < FV_CUTS && FV_REC(FV_R_LEADS)[i] == 3;
  }
  FV_TALLY_UP(s, 1)
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_CUTS && FV_REC(FV_R_LEADS)[i] == 3) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int first = FV_NUMBER_OF(0, group, 0);
      fv_make_master(p, &v, i, ints[FV_TOTAL_CUTS] + first + FV_BEFORE(s, 0, lane), ints, reals);
    }
  }
}

/* Each entry of a group is written by one piece: its own, its master's by the first. */
TRM_GROUP_KERNEL3(fv_geometry_link, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    const int face = i < FV_CUTS ? FV_REC(FV_R_FACE)[i] : FV_FACE_NONE;
    if (face >= 0) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int master = fv_beyond(&v, FV_REC(FV_R_CELL)[i], face), kind = fv_kind(&v, master);
      FV_REC(FV_R_TO + face / 2)[i] = face % 2 ? 1 : -1;
      FV_REC(FV_R_MASTER)[i] = master;
      FV_REC(FV_R_NEXT)[i] = FV_REC(FV_R_FOLLOWS)[i];
      FV_REC(FV_R_ROUND)[i] = 0;
      if (FV_REC(FV_R_LEADS)[i] && kind >= 0) FV_REC(FV_R_NEXT)[kind] = i;
    }
  }
}
