/* fv_volumes_begin.h - the gas at a step's begin in the control volumes: two maps.
 *
 * `keep` tells the next step the parts of each listed cell. `begin` joins the volumes of both
 * steps. In a cell of several parts, gas that is connected at that moment is one piece. A piece is
 * of one volume before, and of one after. A piece that is its volume's only one takes over all of
 * its gas, so none comes or goes between the steps. The planes cut the others. */

/* kept: FV_KEPT_INTS of each listed cell. */
TRM_GROUP_KERNEL6(fv_volumes_keep, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) list,
                  TRM_RO(int) found, TRM_RO(int) parts, TRM_RO(int) there, TRM_RO(int) numbers,
                  TRM_RW(int) kept)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index k = (trm_index)group * TRM_GROUP + lane;
    if (k < p.listed) {
      TRM_IN(int) own = found + k * FV_FOUND_INTS;
      TRM_OUT(int) to = kept + k * FV_KEPT_INTS;
      int count = 0;
      while (count < FV_CELL_PARTS && there[k * FV_CELL_PARTS + count]) count++;
      to[FV_KEPT_CELL] = list[k];
      to[FV_KEPT_BODY] = own[0];
      to[FV_KEPT_FIRST] = count > 0 ? numbers[k * FV_CELL_PARTS] : -1;
      to[FV_KEPT_COUNT] = count;
      to[FV_KEPT_PLANES] = own[1];
      to[FV_KEPT_PLANE] = own[FV_FOUND_TREE_PLACE];
      for (int j = 0; j < own[1]; j++) {
        to[FV_KEPT_PLANE + j] = own[2 + j];
        to[FV_KEPT_PART + j] = parts[k * FV_FOUND_PLANES + j];
      }
    }
  }
}

/* The number of the part that had a piece in the step before: a plane of each meet at the begin. It
 * is -1 where rounding leaves none. was: the cell as the step before kept it. */
TRM_INLINE int fv_part_before(const fv_shape *s, const int *cell, const fv_cut_cell *cut,
                              const int *piece, const int which, TRM_IN(int) was)
{
  const fv_cubes cubes = { { 0, 0 } };
  real middle[2][3];
  int part = was[FV_KEPT_COUNT] == 1 ? 0 : -1;
  for (int e = 0; e < 2; e++) fv_cell_middle(s, cell, e, middle[e]);
  for (int i = 0; i < was[FV_KEPT_PLANES] && part < 0; i++) {
    const fv_cut_plane plane = fv_place_plane(s, middle, was[FV_KEPT_PLANE + i]);
    for (int j = 0; j < cut->planes && part < 0; j++)
      if (piece[j] == which && fv_planes_meet(&cut->plane[j], &plane, cubes))
        part = was[FV_KEPT_PART + i];
  }
  return part;
}

/* The pieces of gas at the begin, and the part of the step before that each is of. */
typedef struct fv_pieces { int count, piece[FV_FOUND_PLANES], part[FV_CELL_PARTS]; } fv_pieces;

TRM_INLINE void fv_find_pieces(const fv_shape *s, const int *cell, const fv_cut_cell *cut,
                               TRM_IN(int) was, fv_pieces *to)
{
  const fv_cubes cubes = { { 0, 0 } };
  to->count = fv_number_parts(cut, cubes, to->piece);
  for (int i = 0; i < to->count; i++)
    to->part[i] = fv_part_before(s, cell, cut, to->piece, i, was);
}

/* Adds the gas of a piece to the sum that a volume takes. was_gas: of the volume before. */
TRM_INLINE void fv_take_piece(const fv_cut_cell *cut, const fv_pieces *pieces, const int which,
                              TRM_IN(real) was_gas, real *to)
{
  int alike = 0, planes = 0;
  for (int i = 0; i < pieces->count; i++) alike += pieces->part[i] == pieces->part[which];
  if (alike == 1) {
    for (int i = 0; i < 4; i++) to[i] += was_gas[FV_GAS_END + i];
  } else {
    fv_cut_cell own;
    own.is_hollow = 0;
    for (int j = 0; j < cut->planes; j++)
      if (pieces->piece[j] == which) own.plane[planes++] = cut->plane[j];
    own.planes = planes;
    const fv_moments m = fv_gas_in(&own, 0);
    to[0] += m.volume;
    for (int a = 0; a < 3; a++) to[1 + a] += m.moment[a];
  }
}

/* now, kept: cells as this step and the step before keep them. was: kinds of the step before. The
 * begin in `gas` comes by this step's planes so far. olds: FV_OLD_INTS of each volume. taken:
 * FV_CELL_PARTS reals, the gas of each. */
TRM_GROUP_KERNEL11(fv_volumes_begin, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) now, TRM_RO(int) volumes,
                   TRM_RO(int) was, TRM_RO(int) kept, TRM_RO(real) was_gas, TRM_RW(real) gas,
                   TRM_RW(int) olds, TRM_RW(real) taken)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS, which = volumes[v] % FV_CELL_PARTS;
      TRM_IN(int) own = now + k * FV_KEPT_INTS;
      TRM_IN(int) from = kept + FV_FOUND_PLACE(was[own[FV_KEPT_CELL]]) * FV_KEPT_INTS;
      TRM_IN(real) first = was_gas + from[FV_KEPT_FIRST] * FV_VOLUME_REALS;
      TRM_OUT(int) old = olds + v * FV_OLD_INTS;
      TRM_OUT(real) begin = gas + v * FV_VOLUME_REALS + FV_GAS_BEGIN;
      const int is_known = from[FV_KEPT_CELL] == own[FV_KEPT_CELL] && from[FV_KEPT_COUNT] > 0;
      fv_pieces pieces;
      fv_cut_cell cut;
      real sum[4] = { R(0.0), R(0.0), R(0.0), R(0.0) };
      pieces.count = 0;
      if (is_known && own[FV_KEPT_COUNT] > 1) {
        const fv_shape s = fv_shape_of(shapes, tables, own[FV_KEPT_BODY]);
        int cell[3];
        fv_cell_place(p, leaves, own[FV_KEPT_CELL], cell);
        fv_place_planes(&s, cell, FV_FOUND_CONVEX, own + FV_KEPT_PLANES - 1, &cut);
        fv_find_pieces(&s, cell, &cut, from, &pieces);
      }
      old[0] = 0;
      for (int n = 0; is_known && n < from[FV_KEPT_COUNT]; n++) {
        TRM_IN(real) other = first + n * FV_VOLUME_REALS;
        real gets[4] = { R(0.0), R(0.0), R(0.0), R(0.0) };
        int is_met = own[FV_KEPT_COUNT] == 1;
        for (int i = 0; i < 4 && is_met; i++) gets[i] = other[FV_GAS_END + i];
        for (int i = 0; i < pieces.count; i++) {
          int j = 0;
          while (pieces.piece[j] != i) j++;
          if (pieces.part[i] != n || own[FV_KEPT_PART + j] != which) continue;
          fv_take_piece(&cut, &pieces, i, other, gets);
          is_met = 1;
        }
        if (is_met) {
          taken[v * FV_CELL_PARTS + old[0]] = gets[0];
          old[++old[0]] = from[FV_KEPT_FIRST] + n;
        }
        for (int i = 0; i < 4; i++) sum[i] += gets[i];
      }
      if (is_known)
        for (int i = 0; i < 4; i++) begin[i] = sum[i];
    }
  }
}
