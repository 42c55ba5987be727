/* fv_volumes_faces.h - the openings between control volumes: parts of the gas on a face.
 *
 * On a face the gas beyond each plane is a convex piece again, in two places and time. So pieces
 * that meet on the face are one face part, by the rule of fv_volumes_link.h. Its planes alone cut
 * its opening. A face is cut once, by the planes of the cell below it.
 *
 * In the cell below, all pieces of a face part are of one control volume, since the face is a part
 * of the cell. The cell above may be cut by other planes. The first of its pieces that meets one of
 * the face part has the volume.
 *
 * Each face part holds a corner of the face. If the body translates, a corner is in the solid once
 * at most, with gas before and after. So a face has eight parts at most; at two ends also. */

/* A listed cell, and its planes in its own frame if it is of kind PLANE, CONVEX or HOLLOW. */
typedef struct fv_sided { int k, kind, turns; fv_cut_cell cut; } fv_sided;

TRM_INLINE void fv_take_cell(const fv_volumes_params p, TRM_IN(real) shapes, TRM_IN(int) tables,
                             TRM_IN(int) leaves, TRM_IN(int) list, TRM_IN(int) kinds,
                             TRM_IN(int) found, const int k, fv_sided *to)
{
  to->k = k;
  to->kind = FV_FOUND_KIND(kinds[list[k]]);
  to->turns = to->cut.planes = to->cut.is_hollow = 0;
  if (to->kind == FV_FOUND_CONVEX) {
    TRM_IN(int) own = found + k * FV_FOUND_INTS;
    const fv_shape s = fv_shape_of(shapes, tables, own[0]);
    int cell[3];
    fv_cell_place(p, leaves, list[k], cell);
    fv_place_planes(&s, cell, to->kind, own, &to->cut);
    to->turns = fv_turns(s.own);
  }
}

/* How many parts an upper face has, by the cell's planes. */
TRM_INLINE int fv_count_face(const fv_sided *s, TRM_IN(real) gas, const int axis)
{
  const real opening = gas[s->k * FV_GAS_REALS + FV_GAS_FACES + 4 * axis];
  int part[FV_FOUND_PLANES];
  if (s->kind < FV_FOUND_PLANE || s->kind > FV_FOUND_HOLLOW) return s->kind == FV_FOUND_GAS;
  if (s->kind != FV_FOUND_CONVEX || opening <= R(0.0) || opening >= R(1.0))
    return opening > R(0.0);
  return fv_number_parts(&s->cut, fv_face_cubes(axis, s->turns), part);
}

TRM_INLINE int fv_is_listed(TRM_IN(int) list, TRM_IN(int) kinds, const int cell)
{
  return list[FV_FOUND_PLACE(kinds[cell])] == cell;
}

/* flags: FV_CELL_FACES of each listed cell. The list of these (trm_compact) has the face parts in
 * order. */
TRM_GROUP_KERNEL9(fv_volumes_faces, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                  TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(real) gas, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) {
      fv_sided s;
      fv_take_cell(p, shapes, tables, leaves, list, kinds, found, (int)k, &s);
      for (int axis = 0; axis < 3; axis++) {
        const int above = fv_cell_beside(p, beside, list[k], axis, 1);
        const int below = fv_cell_beside(p, beside, list[k], axis, 0);
        int count = 0;
        if (above >= 0 && FV_FOUND_KIND(kinds[above]) != FV_FOUND_SOLID)
          count = fv_count_face(&s, gas, axis);
        TRM_OUT(int) own = flags + k * FV_CELL_FACES;
        for (int i = 0; i < FV_FACE_PARTS; i++) own[axis * FV_FACE_PARTS + i] = i < count;
        own[FV_LOWER_FACES + axis] = s.kind != FV_FOUND_SOLID && below >= 0 &&
                                     kinds[below] == FV_FOUND_GAS &&
                                     !fv_is_listed(list, kinds, below);
      }
    }
  }
}

/* The face of a place among the flags: a cell's upper ones, then lower ones. */
TRM_INLINE int fv_face_of(const int place)
{
  const int slot = place % FV_CELL_FACES;
  return place / FV_CELL_FACES * 6 + (slot >= FV_LOWER_FACES ? 3 + slot - FV_LOWER_FACES
                                                             : slot / FV_FACE_PARTS);
}

/* Whether a face part is its face's only one; faces: see fv_volumes_join. */
TRM_INLINE int fv_is_alone(const fv_volumes_params p, TRM_IN(int) faces, const trm_index f)
{
  const int slot = faces[f] % FV_CELL_FACES;
  const int has_next = f + 1 < p.faces && faces[f + 1] == faces[f] + 1;
  return slot >= FV_LOWER_FACES || (slot % FV_FACE_PARTS == 0 && !has_next);
}

/* The part of the gas above a face part, or above a whole face where `low` has no planes. Each
 * plane has its cell's part (high_part) or its face's (low_part). A face part that meets no piece
 * is of no size but for rounding. */
TRM_INLINE int fv_part_above(const fv_sided *high, TRM_IN(int) high_part, const fv_sided *low,
                             const int *low_part, const int which, const int axis)
{
  const fv_cubes cubes = fv_face_cubes(axis, high->turns);
  int part = -1;
  for (int k = 0; k < high->cut.planes && part < 0; k++) {
    fv_cut_plane plane = high->cut.plane[k];
    for (int e = 0; e < 2; e++) plane.c[e] += plane.n[e][axis]; /* in the frame of the cell below */
    int meets = low->cut.planes == 0 && fv_planes_meet(&plane, &plane, cubes);
    for (int j = 0; j < low->cut.planes && !meets; j++)
      meets = low_part[j] == which && fv_planes_meet(&low->cut.plane[j], &plane, cubes);
    part = meets ? high_part[k] : part;
  }
  return part < 0 ? 0 : part;
}

/* faces: the list of flags' places. joins: FV_JOIN_INTS of each face part. */
TRM_GROUP_KERNEL11(fv_volumes_join, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) beside, TRM_RO(int) list,
                   TRM_RO(int) kinds, TRM_RO(int) found, TRM_RO(int) parts, TRM_RO(int) numbers,
                   TRM_RO(int) faces, TRM_RW(int) joins)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const int k = faces[f] / FV_CELL_FACES, slot = faces[f] % FV_CELL_FACES;
      const int is_lower = slot >= FV_LOWER_FACES;
      const int axis = is_lower ? slot - FV_LOWER_FACES : slot / FV_FACE_PARTS;
      const int other = fv_cell_beside(p, beside, list[k], axis, !is_lower);
      const int above = fv_is_listed(list, kinds, other) ? FV_FOUND_PLACE(kinds[other]) : -1;
      const int high = is_lower ? k : above;
      int part[FV_FOUND_PLANES], low_part = 0, high_part = 0;
      fv_sided s, t;
      s.k = k;
      s.cut.planes = 0;
      const int is_high_parted =
          high >= 0 && fv_is_parted(FV_FOUND_PLANES, parts + high * FV_FOUND_PLANES);
      const int is_parted = fv_is_parted(FV_FOUND_PLANES, parts + k * FV_FOUND_PLANES);
      if (!is_lower && (is_high_parted || is_parted)) {
        fv_take_cell(p, shapes, tables, leaves, list, kinds, found, k, &s);
        if (s.cut.planes > 0) fv_number_parts(&s.cut, fv_face_cubes(axis, s.turns), part);
        for (int j = s.cut.planes - 1; j >= 0; j--)
          if (part[j] == slot % FV_FACE_PARTS) low_part = parts[k * FV_FOUND_PLANES + j];
      }
      if (is_high_parted) {
        fv_take_cell(p, shapes, tables, leaves, list, kinds, found, high, &t);
        high_part = fv_part_above(&t, parts + high * FV_FOUND_PLANES, &s, part,
                                  slot % FV_FACE_PARTS, axis);
      }
      TRM_OUT(int) to = joins + f * FV_JOIN_INTS;
      to[FV_JOIN_LOW] = is_lower ? -1 - other : numbers[k * FV_CELL_PARTS + low_part];
      to[FV_JOIN_HIGH] = high < 0 ? -1 - other : numbers[high * FV_CELL_PARTS + high_part];
      to[FV_JOIN_AXIS] = axis;
    }
  }
}

/* openings: FV_OPENING_REALS of each face part. A face of one part has the cell's own. */
TRM_GROUP_KERNEL9(fv_volumes_open, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                  TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) kinds,
                  TRM_RO(int) found, TRM_RO(real) gas, TRM_RO(int) faces, TRM_RW(real) openings)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const int k = faces[f] / FV_CELL_FACES, slot = faces[f] % FV_CELL_FACES;
      const int axis = slot / FV_FACE_PARTS;
      TRM_OUT(real) to = openings + f * FV_OPENING_REALS;
      if (slot >= FV_LOWER_FACES || FV_FOUND_KIND(kinds[list[k]]) == FV_FOUND_GAS) {
        for (int i = 0; i < FV_OPENING_REALS; i++) to[i] = i == 0 ? R(1.0) : R(0.0);
      } else if (fv_is_alone(p, faces, f)) {
        TRM_IN(real) own = gas + k * FV_GAS_REALS + FV_GAS_FACES + 4 * axis;
        for (int i = 0; i < FV_OPENING_REALS; i++) to[i] = own[i];
      } else {
        int part[FV_FOUND_PLANES], planes = 0;
        fv_sided s;
        fv_take_cell(p, shapes, tables, leaves, list, kinds, found, k, &s);
        fv_number_parts(&s.cut, fv_face_cubes(axis, s.turns), part);
        for (int j = 0; j < s.cut.planes; j++)
          if (part[j] == slot % FV_FACE_PARTS) s.cut.plane[planes++] = s.cut.plane[j];
        s.cut.planes = planes;
        const fv_moments m = s.turns ? fv_average_face(&s.cut, axis) : fv_gas_in(&s.cut, 2 + axis);
        fv_put_moments(&m, to);
      }
    }
  }
}

TRM_GROUP_KERNEL1(fv_volumes_no_sides, TRM_NO_SHARED, fv_volumes_params, TRM_RW(int) sides)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed)
      for (int s = 0; s < FV_CELL_SIDES; s++) sides[k * FV_CELL_SIDES + s] = -1;
  }
}

/* The first face part of each side tells the side to the cells below and above it. */
TRM_GROUP_KERNEL5(fv_volumes_sides, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) beside,
                  TRM_RO(int) list, TRM_RO(int) kinds, TRM_RO(int) faces, TRM_RW(int) sides)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    const int own = f < p.faces ? fv_face_of(faces[f]) : -1;
    if (own >= 0 && (f == 0 || fv_face_of(faces[f - 1]) != own)) {
      const int k = own / 6, is_lower = own % 6 >= 3, axis = own % 3;
      int last = (int)f;
      while (last + 1 < p.faces && fv_face_of(faces[last + 1]) == own) last++;
      const int side = 8 * (int)f + last - (int)f;
      sides[k * FV_CELL_SIDES + 2 * axis + !is_lower] = side;
      if (!is_lower) {
        const int above = fv_cell_beside(p, beside, list[k], axis, 1);
        if (fv_is_listed(list, kinds, above))
          sides[FV_FOUND_PLACE(kinds[above]) * FV_CELL_SIDES + 2 * axis] = side;
      }
    }
  }
}
