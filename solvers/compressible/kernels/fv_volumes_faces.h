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
