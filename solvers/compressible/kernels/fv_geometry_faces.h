/* The faces of units at walls, and their joins: as cut_faces.c has it. */

/* ---- faces --------------------------------------------------------------------------- */

TRM_INLINE int fv_is_central(const fv_view *v, TRM_IN(int) beside, const int cell)
{
  const int of = fv_is_ghost(v, cell) ? FV_KIND_WHOLE : v->near_of[cell / FV_CELLS];
  return of == FV_KIND_WHOLE || (of >= 0 && !beside[fv_index(v, cell)]);
}

/* A place relative to a unit's centroid, from one in its cell of this record, < 0: a whole one. */
TRM_INLINE real fv_from_centre(const fv_view *v, const int record, const int axis, const real at)
{
  if (axis >= FV_CUT_AXES) return R(0.0);
  return at - (record >= 0 ? v->cut[(FV_R_CENTRE + axis) * v->records + record] : R(0.5));
}

/* Of the face between cells of these kinds along an axis: cut_faces.c. */
TRM_INLINE void fv_measure_face(const fv_view *v, const int r, const int other, const int axis,
                                TRM_OUT(real) to)
{
  real at[3], open = R(1.0), size[6];
  for (int a = 0; a < 3; a++) at[a] = R(0.5);
  if (r >= 0) {
    TRM_IN(real) cut = FV_VIEW_CUT(v, r);
    for (int a = 0; a < 3; a++) at[a] = cut[FV_CUT_FACE + 3 * (2 * axis + 1) + a];
    open = cut[FV_CUT_OPEN + 2 * axis + 1];
  } else if (other >= 0) {
    TRM_IN(real) cut = FV_VIEW_CUT(v, other);
    for (int a = 0; a < 3; a++) at[a] = cut[FV_CUT_FACE + 3 * 2 * axis + a];
    open = cut[FV_CUT_OPEN + 2 * axis];
  }
  at[axis] = R(1.0);
  for (int a = 0; a < 3; a++) size[a] = fv_from_centre(v, r, a, at[a]);
  at[axis] = R(0.0);
  for (int a = 0; a < 3; a++) size[3 + a] = fv_from_centre(v, other, a, at[a]);
  FV_CUT_OF(to, 0) = open;
  FV_CUT_OF(to, 1) = R(1.0) / trm_max(size[axis] - size[3 + axis], R(0.5));
  for (int k = 0; k < 6; k++) FV_CUT_OF(to, 2 + k) = size[k];
}

/* Its number, and among those with sizes, -1: it has none. */
TRM_INLINE void fv_fill_face(const fv_geometry_params p, const fv_view *v, const int unit,
                             const int cell, const int f, const int number, const int sized,
                             TRM_OUT(int) faces, TRM_OUT(real) sizes, TRM_OUT(int) ints)
{
  const fv_spot own = fv_spot_of(v, cell), beside = fv_spot_beyond(v, own, f);
  const fv_spot left = f % 2 ? own : beside, right = f % 2 ? beside : own;
  const int kind = fv_kind_at(v, own), beyond = fv_kind_at(v, beside);
  TRM_IN(int) close = FV_CELL(FV_CELL_BESIDE);
  TRM_OUT(int) face = faces + 4 * (trm_index)number;
  const int there = FV_CELL(FV_CELL_SLOPE)[fv_at(fv_unit_spot(v, beside, beyond))];
  FV_CELL(FV_CELL_FACE + f / 2)[fv_at(left)] = number;
  if (number >= p.rooms[0] || sized >= p.rooms[1]) {
    ints[FV_TOTAL_FAULT] = 1;
    return;
  }
  face[0] = f / 2 + (sized < 0 ? FV_FACE_WHOLE : 0) +
            (!close[fv_at(left)] && !close[fv_at(right)] ? FV_FACE_CENTRAL : 0);
  face[1] = f % 2 ? unit : there; /* slopes of units have their numbers */
  face[2] = f % 2 ? there : unit;
  face[3] = ints[p.leaf + (trm_index)own.of * FV_LEAF_INTS + 1] +
            (sized < 0 ? 0 : (FV_FACE_LEVEL + 1) * sized);
  if (sized >= 0)
    fv_measure_face(v, f % 2 ? kind : beyond, f % 2 ? beyond : kind, f / 2,
                    FV_CUT_ENTRY(sizes, FV_FACE_SIZES, sized));
}

/* Faces of a group's units, so many at once: a cell and 8 times the unit's place in the group and
 * the side, and the number among those with sizes, -1: it has none. */
#define FV_FACES_AT_ONCE 384
typedef struct fv_all_faces {
  int of[FV_SEEN_JOINS][FV_CUT_GROUP], part[FV_SEEN_JOINS][FV_EIGHTS];
  int cell[FV_FACES_AT_ONCE], side[FV_FACES_AT_ONCE], sized[FV_FACES_AT_ONCE];
} fv_all_faces;

/* A unit's own faces, of the group's those from number `from` on; next: at each side the first
 * number in the group, then of those with sizes among all. */
TRM_INLINE void fv_note_faces(const fv_view *v, const int unit, const int master, const int from,
                              int *next, TRM_LOCAL fv_all_faces *s)
{
  fv_spot own = fv_spot_of(v, master);
  for (int kind = fv_kind_at(v, own), left = 1; left;) {
    fv_sights look;
    fv_look_around(v, master, own, kind, &look);
    TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
      const trm_index to = look.sees[f] ? fv_at(look.at[f].other) : -1;
      if (to >= 0 && fv_is_own(unit, f, v->unit[to])) {
        const int k = next[f]++ - from;
        if (k >= 0 && k < FV_FACES_AT_ONCE) {
          s->cell[k] = own.cell;
          s->side[k] = unit % FV_CUT_GROUP * 8 + f;
          s->sized[k] = look.at[f].is_whole ? -1 : next[6 + f];
        }
        next[6 + f] += !look.at[f].is_whole;
      }
    }
    kind = fv_next(v, kind);
    left = kind >= 0;
    if (left) own = fv_spot_of(v, FV_VIEW_KIND(v, FV_R_CELL, kind));
  }
}

/* All faces at one side, then all at the next: units note theirs, then items make a face each. */
TRM_GROUP_KERNEL6(fv_geometry_faces, fv_all_faces, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) faces, TRM_RW(real) sizes, TRM_RW(int) ints,
                  TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_all_faces, s);
  const int first = FV_NUMBER_OF(0, group, 0);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    for (int k = 0; k < FV_SEEN_JOINS; k++)
      s.of[k][lane] = i < FV_UNITS ? FV_UNIT(FV_U_SEEN + k)[i] : 0;
  }
  FV_TALLY_UP(s, FV_SEEN_JOINS)
  int all = 0;
  for (int f = 0; f < 6; f++) all += FV_ALL(s, f);
  for (int from = 0; from < all; from += FV_FACES_AT_ONCE) {
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const int i = group * FV_CUT_GROUP + lane;
      if (i < FV_UNITS) {
        const fv_view v = fv_look(p, near, ints, reals);
        int next[FV_SEEN_JOINS];
        for (int c = 0; c < 2; c++) {
          int before = c ? FV_NUMBER_OF(0, group, 1) : 0;
          for (int f = 0; f < 6; f++) {
            next[6 * c + f] = before + FV_BEFORE(s, 6 * c + f, lane);
            before += FV_ALL(s, 6 * c + f);
          }
        }
        fv_note_faces(&v, i, spots[i], from, next, &s);
      }
    }
    TRM_SERIAL(k, all - from < FV_FACES_AT_ONCE ? all - from : FV_FACES_AT_ONCE) {
      const fv_view v = fv_look(p, near, ints, reals);
      fv_fill_face(p, &v, group * FV_CUT_GROUP + s.side[k] / 8, s.cell[k], s.side[k] % 8,
                   first + from + k, s.sized[k], faces, sizes, ints);
    }
  }
}

/* ---- joins --------------------------------------------------------------------------- */

/* A unit's joins from number `next` on. */
TRM_INLINE void fv_list_joins(const fv_geometry_params p, const fv_view *v, const int master,
                              int next, TRM_OUT(int) joins, TRM_OUT(int) ints)
{
  fv_spot own = fv_spot_of(v, master);
  for (int kind = fv_kind_at(v, own), left = 1; left;) {
    fv_sights look;
    fv_look_around(v, master, own, kind, &look);
    TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
      if (look.sees[f] && next < p.rooms[2]) {
        const trm_index at = fv_at(f % 2 ? own : look.at[f].beside);
        joins[next++] = at < 0 ? 0 : 2 * FV_CELL(FV_CELL_FACE + f / 2)[at] + (f % 2 == 0);
      }
    }
    if (kind >= 0 && kind < ints[FV_TOTAL_CUTS] && next < p.rooms[2])
      joins[next++] = 2 * (ints[FV_TOTAL_FACES] + kind);
    kind = fv_next(v, kind);
    left = kind >= 0;
    if (left) own = fv_spot_of(v, FV_VIEW_KIND(v, FV_R_CELL, kind));
  }
}

/* A unit's joins, and its volume as walls leave it. */
TRM_GROUP_KERNEL7(fv_geometry_joins, fv_tallies, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) units, TRM_RW(int) joins, TRM_RW(real) volumes,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  const int first = FV_NUMBER_OF(0, group, 2);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    s.of[0][lane] = i < FV_UNITS ? FV_UNIT(FV_U_SEEN + FV_SEEN_JOINS)[i] : 0;
  }
  FV_TALLY_UP(s, 1)
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    if (i < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      const fv_spot own = fv_spot_of(&v, spots[i]);
      const int kind = fv_kind_at(&v, own), join = first + FV_BEFORE(s, 0, lane);
      fv_list_joins(p, &v, spots[i], join, joins, ints);
      units[3 * i] = spots[i];
      units[3 * i + 1] = join;
      units[3 * i + 2] = ints[p.leaf + (trm_index)own.of * FV_LEAF_INTS + 1];
      volumes[3 * i + 1] = kind >= 0 ? FV_REC_REAL(FV_R_TOTAL)[kind] : R(1.0);
      FV_UNIT(FV_U_COVERS)[i] = 0;
    }
    if (i == FV_UNITS) {
      units[3 * i] = units[3 * i + 2] = 0;
      units[3 * i + 1] = ints[FV_TOTAL_JOINS];
    }
  }
}
