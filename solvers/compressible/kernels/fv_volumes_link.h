/* fv_volumes_link.h - the control volumes of listed cells: parts of the gas that are apart in the
 * whole step.
 *
 * In a cell of kind CONVEX the gas is the union of pieces, one beyond each plane. In space and
 * time a piece is convex, if the body translates. Two pieces meet if no combination of their planes
 * parts them from the cell: that is a sum of sizes at six places at most. Pieces that meet,
 * directly or by others, are one part, named by its least plane. If the body turns, pieces meet if
 * they do at one of the ends, where openings are taken. The gas beyond a plane at both ends is one
 * piece.
 *
 * A part is the gas that its own planes alone leave. So it is cut like a cell of these planes. The
 * gas of kinds PLANE and HOLLOW is convex, and so one part.
 *
 * Each piece holds a corner of the cell, so there are eight parts at most at one time. Any others
 * in the same step are one with the eighth. */

/* The half-space m.x > c of a cell's places and the time, all from -1/2 to 1/2. */
typedef struct fv_piece { real m[4], c; } fv_piece;

/* cube: one of fv_plane_in, or FV_CELL_STEP for the cell over the step. */
#define FV_CELL_STEP 11
TRM_INLINE fv_piece fv_piece_of(const fv_cut_plane *plane, const int cube)
{
  fv_piece piece;
  piece.m[3] = R(0.0);
  piece.c = fv_plane_in(plane, cube == FV_CELL_STEP ? 0 : cube, piece.m);
  if (cube == FV_CELL_STEP) {
    piece.m[3] = plane->c[0] - plane->c[1];
    piece.c = R(0.5) * (plane->c[0] + plane->c[1]);
  }
  return piece;
}

/* How far s and t together, with shares that sum to 1, reach beyond their planes in the cell. */
TRM_INLINE real fv_reach(const fv_piece *s, const fv_piece *t, const real share)
{
  const real other = R(1.0) - share;
  real reach = R(0.0);
  for (int a = 0; a < 4; a++) reach += trm_fabs(share * s->m[a] + other * t->m[a]);
  return R(0.5) * reach - (share * s->c + other * t->c);
}

/* Whether two pieces meet within the cell; a piece meets itself if it is in the cell. By Farkas'
 * lemma they do if all combinations reach. The least reach is where a component vanishes. */
TRM_INLINE int fv_pieces_meet(const fv_piece *s, const fv_piece *t)
{
  int meet = fv_reach(s, t, R(0.0)) > R(0.0) && fv_reach(s, t, R(1.0)) > R(0.0);
  for (int a = 0; a < 4 && meet; a++)
    if ((s->m[a] < R(0.0) && t->m[a] > R(0.0)) || (s->m[a] > R(0.0) && t->m[a] < R(0.0)))
      meet = fv_reach(s, t, t->m[a] / (t->m[a] - s->m[a])) > R(0.0);
  return meet;
}

/* Two cubes in which pieces may meet, the same one twice or the ends of a step: the cell's, or an
 * upper face's. */
typedef struct fv_cubes { int at[2]; } fv_cubes;

TRM_INLINE fv_cubes fv_cell_cubes(const int turns)
{
  const fv_cubes cubes = { { turns ? 0 : FV_CELL_STEP, turns ? 1 : FV_CELL_STEP } };
  return cubes;
}

TRM_INLINE fv_cubes fv_face_cubes(const int axis, const int turns)
{
  const fv_cubes cubes = { { (turns ? 5 : 2) + axis, (turns ? 8 : 2) + axis } };
  return cubes;
}

TRM_INLINE int fv_planes_meet(const fv_cut_plane *j, const fv_cut_plane *k, const fv_cubes cubes)
{
  int meet = 0;
  for (int end = 0; end < 1 + (cubes.at[0] != cubes.at[1]) && !meet; end++) {
    const fv_piece s = fv_piece_of(j, cubes.at[end]), t = fv_piece_of(k, cubes.at[end]);
    meet = fv_pieces_meet(&s, &t);
  }
  return meet;
}

/* Numbers the pieces in a cube by 0 and the others by -1. Returns whether no component has both
 * signs. Then all of them hold one corner, and meet there. */
TRM_INLINE int fv_share_corner(const fv_cut_cell *cut, const int cube, int *part)
{
  int is_above[4] = { 0, 0, 0, 0 }, is_below[4] = { 0, 0, 0, 0 };
  for (int j = 0; j < cut->planes; j++) {
    const fv_piece s = fv_piece_of(&cut->plane[j], cube);
    part[j] = fv_reach(&s, &s, R(0.0)) > R(0.0) ? 0 : -1;
    for (int a = 0; a < 4; a++) {
      is_above[a] |= (part[j] == 0) & (s.m[a] > R(0.0));
      is_below[a] |= (part[j] == 0) & (s.m[a] < R(0.0));
    }
  }
  int share = 1;
  for (int a = 0; a < 4; a++) share &= !(is_above[a] & is_below[a]);
  return share;
}

/* Numbers the parts of a cell of kind CONVEX, or of its face. Returns how many there are. */
TRM_INLINE int fv_number_parts(const fv_cut_cell *cut, const fv_cubes cubes, int *part)
{
  int least[FV_FOUND_PLANES], parts = 0;
  if (cubes.at[0] == cubes.at[1] && fv_share_corner(cut, cubes.at[0], part)) {
    for (int j = 0; j < cut->planes; j++) parts |= part[j] == 0;
    return parts;
  }
  for (int j = 0; j < cut->planes; j++) {
    least[j] = fv_planes_meet(&cut->plane[j], &cut->plane[j], cubes) ? j : -1;
    for (int k = 0; k < j && least[j] >= 0; k++) {
      if (least[k] < 0 || least[k] == least[j]) continue;
      if (!fv_planes_meet(&cut->plane[j], &cut->plane[k], cubes)) continue;
      const int a = least[j], b = least[k];
      for (int i = 0; i <= j; i++)
        if (least[i] == a || least[i] == b) least[i] = a < b ? a : b;
    }
  }
  for (int j = 0; j < cut->planes; j++) {
    if (least[j] == j) {
      part[j] = parts < FV_CELL_PARTS ? parts : FV_CELL_PARTS - 1;
      parts += parts < FV_CELL_PARTS;
    } else {
      part[j] = least[j] < 0 ? -1 : part[least[j]];
    }
  }
  return parts;
}

/* Whether the planes of a cell leave more than one part. */
TRM_INLINE int fv_is_parted(const int planes, TRM_IN(int) part)
{
  int is_parted = 0;
  for (int j = 0; j < planes; j++) is_parted |= part[j] > 0;
  return is_parted;
}

/* The planes of one part alone. */
TRM_INLINE void fv_keep_part(fv_cut_cell *cut, TRM_IN(int) part, const int kept)
{
  int planes = 0;
  for (int j = 0; j < cut->planes; j++)
    if (part[j] == kept) cut->plane[planes++] = cut->plane[j];
  cut->planes = planes;
}
