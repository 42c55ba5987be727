/* fv_volumes_outer.h - cells of gas beyond the list that volumes of the list look at: three maps.
 *
 * A cell is outer if it is gas, not listed, and a face or an edge away from a listed cell. The
 * slopes of volumes reach no further. Facets meet no outer cell and none beside it (`ring`). So it
 * is whole, as are the cells beside it. Its state lies among the whole cells of a block. */

/* Rows along x: a row itself, those a step away along y and z, and those a step along both. */
#define FV_ROWS_BY_FACES 5
#define FV_ROWS 9

/* A row beside the row y, z of a leaf: its first cell, and the cells before and after it; -1 where
 * their leaf is not near walls. */
typedef struct fv_row { int first, before, after; } fv_row;

TRM_INLINE fv_row fv_row_beside(const fv_volumes_params p, TRM_IN(int) beside, int leaf, int y,
                                int z, const int way_y, const int way_z)
{
  const int all = p.side[0] * p.side[1] * p.side[2];
  fv_row r = { -1, -1, -1 };
  y += way_y;
  if (y < 0 || y == p.side[1]) {
    leaf = beside[6 * leaf + (y < 0 ? 1 : 4)];
    y = y < 0 ? p.side[1] - 1 : 0;
  }
  z += way_z;
  if (leaf >= 0 && (z < 0 || z == p.side[2])) {
    leaf = beside[6 * leaf + (z < 0 ? 2 : 5)];
    z = z < 0 ? p.side[2] - 1 : 0;
  }
  if (leaf >= 0) {
    const int from = (z * p.side[1] + y) * p.side[0];
    const int west = beside[6 * leaf], east = beside[6 * leaf + 3];
    r.first = leaf * all + from;
    r.before = west < 0 ? -1 : west * all + from + p.side[0] - 1;
    r.after = east < 0 ? -1 : east * all + from;
  }
  return r;
}

/* An item has a row. listed: of ring. outer_of: 1 for outer cells, else 0. */
TRM_GROUP_KERNEL4(fv_volumes_outer, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) beside,
                  TRM_RO(int) kinds, TRM_RO(int) listed, TRM_RW(int) outer_of)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const int number = group * TRM_GROUP + lane, last = p.side[0] - 1;
    if (number < p.leaves * p.side[1] * p.side[2]) {
      const int y = number % p.side[1], z = number / p.side[1] % p.side[2];
      const int leaf = number / (p.side[1] * p.side[2]), first = number * p.side[0];
      fv_row row[FV_ROWS];
      int before = 0, after = 0, any = 0;
      for (int i = 0; i < FV_ROWS; i++) {
        const int way = i % 2 ? -1 : 1, is_face = i < FV_ROWS_BY_FACES;
        row[i] = fv_row_beside(p, beside, leaf, y, z,
                               i == 0 ? 0 : is_face ? (i < 3) * way : way,
                               i == 0 ? 0 : is_face ? (i > 2) * way : i < 7 ? -1 : 1);
        for (int x = 0; x <= last && row[i].first >= 0; x++) any |= listed[row[i].first + x];
        if (is_face) {
          before |= row[i].before >= 0 && listed[row[i].before];
          after |= row[i].after >= 0 && listed[row[i].after];
        }
      }
      if (!(any | before | after)) {
        for (int x = 0; x <= last; x++) outer_of[first + x] = 0;
      } else { /* before, here, after: whether the five rows have a listed cell at x - 1 to x + 1 */
        const int east = after;
        int here = 0;
        for (int i = 0; i < FV_ROWS_BY_FACES; i++)
          here |= row[i].first >= 0 && listed[row[i].first];
        for (int x = 0; x <= last; x++) {
          int edge = 0;
          after = x < last ? 0 : east;
          for (int i = 0; i < FV_ROWS_BY_FACES && x < last; i++)
            after |= row[i].first >= 0 && listed[row[i].first + x + 1];
          for (int i = FV_ROWS_BY_FACES; i < FV_ROWS; i++)
            edge |= row[i].first >= 0 && listed[row[i].first + x];
          outer_of[first + x] = !listed[first + x] && kinds[first + x] == FV_FOUND_GAS &&
                                (before | here | after | edge);
          before = here;
          here = after;
        }
      }
    }
  }
}

/* outer: the list of outer cells. outer_of: by cell its place in that list, plus 1; else 0. Then by
 * outer cell and side the face part to a listed cell; -1 where the cell there is not listed. */
TRM_GROUP_KERNEL3(fv_volumes_outer_number, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) outer,
                  TRM_RW(int) outer_of, TRM_RW(int) outer_sides)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.outer) {
      outer_of[outer[i]] = 1 + (int)i;
      for (int s = 0; s < FV_CELL_SIDES; s++) outer_sides[i * FV_CELL_SIDES + s] = -1;
    }
  }
}

/* A face part to a cell beyond the list: the cell's number becomes its place among outer cells. */
TRM_GROUP_KERNEL3(fv_volumes_outer_join, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) outer_of,
                  TRM_RW(int) joins, TRM_RW(int) outer_sides)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces)
      for (int is_high = 0; is_high < 2; is_high++) {
        TRM_OUT(int) own = joins + f * FV_JOIN_INTS;
        const int cell = -1 - own[FV_JOIN_LOW + is_high];
        if (cell >= 0) {
          const trm_index i = outer_of[cell] - 1;
          own[FV_JOIN_LOW + is_high] = -1 - (int)i;
          outer_sides[i * FV_CELL_SIDES + 2 * own[FV_JOIN_AXIS] + !is_high] = (int)f;
        }
      }
  }
}
