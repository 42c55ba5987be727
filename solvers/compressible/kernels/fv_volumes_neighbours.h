/* fv_volumes_neighbours.h - the neighbours of control volumes for slopes: those behind the face
 * parts of a volume, then those behind theirs, in 3 x 3 x 3 cells. So a wall is never between a
 * volume and a neighbour. Whole cells have 18. Outer cells (fv_volumes_outer.h) count as volumes
 * behind those of the list. */

/* A list of neighbours as it grows, and the first volume at each place. */
typedef struct fv_near_list { int count, first[FV_NEAR_PLACES]; } fv_near_list;

TRM_INLINE void fv_add_near(fv_near_list *n, const int volume, const int place, TRM_OUT(int) to)
{
  int is_known = n->first[place] == volume;
  if (n->first[place] >= 0 && !is_known) /* several volumes in a cell */
    for (int i = 0; i < n->count; i++) is_known |= to[1 + i] == FV_NEAR_PLACES * volume + place;
  if (is_known || n->count == FV_NEAR_MOST) return;
  if (n->first[place] < 0) n->first[place] = volume;
  to[1 + n->count++] = FV_NEAR_PLACES * volume + place;
}

/* Beyond the face between a volume at `place` and another one: the latter, if it is near. */
TRM_INLINE void fv_add_beyond(fv_near_list *n, const int volume, const int place, const int side,
                              TRM_OUT(int) to)
{
  const int way = side % 2 ? 1 : -1;
  if (FV_NEAR_WAY(place, side / 2) != way)
    fv_add_near(n, volume, place + way * (1 << side / 2 * 2), to);
}

/* Beyond the faces of an outer cell, whose neighbours are whole. */
TRM_INLINE void fv_add_around(const fv_volumes_params p, TRM_IN(int) beside, TRM_IN(int) kinds,
                              TRM_IN(int) numbers, TRM_IN(int) outer_of, const int cell,
                              const int place, fv_near_list *n, TRM_OUT(int) to)
{
  const int all = p.side[0] * p.side[1] * p.side[2], within = cell % all;
  const int at[3] = { within % p.side[0], within / p.side[0] % p.side[1],
                      within / (p.side[0] * p.side[1]) };
  for (int s = 0; s < FV_CELL_SIDES; s++) {
    const int a = s / 2, stride = a == 0 ? 1 : a == 1 ? p.side[0] : p.side[0] * p.side[1];
    if (FV_NEAR_WAY(place, a) == (s % 2 ? 1 : -1)) continue;
    const int is_inside = s % 2 ? at[a] < p.side[a] - 1 : at[a] > 0;
    const int other = is_inside ? cell + (s % 2 ? stride : -stride)
                                : fv_cell_beside(p, beside, cell, a, s % 2);
    if (other < 0) continue;
    const int is_outer = outer_of[other] > 0;
    fv_add_beyond(n, is_outer ? p.volumes + outer_of[other] - 1
                              : numbers[FV_FOUND_PLACE(kinds[other]) * FV_CELL_PARTS],
                  place, s, to);
  }
}

/* near: FV_NEAR_LIST_INTS of each volume. */
TRM_GROUP_KERNEL9(fv_volumes_neighbours, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(int) beside, TRM_RO(int) kinds,
                  TRM_RO(int) numbers, TRM_RO(int) outer, TRM_RO(int) outer_of, TRM_RW(int) near)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_OUT(int) to = near + v * FV_NEAR_LIST_INTS;
      fv_near_list n;
      n.count = 0;
      for (int i = 0; i < FV_NEAR_PLACES; i++) n.first[i] = -1;
      n.first[FV_NEAR_OWN_CELL] = (int)v;
      FV_EACH_SIDE(v, k, s, f)
        fv_add_beyond(&n, FV_STATE_OF(p.volumes, FV_BEYOND(s, f)), FV_NEAR_OWN_CELL, s, to);
      const int direct = n.count;
      for (int i = 0; i < direct; i++) {
        const int j = FV_NEAR_VOLUME(to[1 + i]), place = FV_NEAR_PLACE(to[1 + i]);
        if (j >= p.volumes) {
          fv_add_around(p, beside, kinds, numbers, outer_of, outer[j - p.volumes], place, &n, to);
        } else {
          const int other = volumes[j] / FV_CELL_PARTS;
          FV_EACH_SIDE(j, other, s, f)
            fv_add_beyond(&n, FV_STATE_OF(p.volumes, FV_BEYOND(s, f)), place, s, to);
        }
      }
      to[0] = n.count;
    }
  }
}
