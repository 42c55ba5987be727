/* fv_volumes_neighbours.h - the neighbours of control volumes for slopes: those behind the face
 * parts of a volume, then those behind theirs, in 3 x 3 x 3 cells. So a wall is never between a
 * volume and a neighbour. Whole cells have 18. Cells that are not listed do not count. */

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

/* near: FV_NEAR_LIST_INTS of each volume. */
TRM_GROUP_KERNEL4(fv_volumes_neighbours, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RW(int) near)
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
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f), stride = 1 << s / 2 * 2;
        if (j >= 0) fv_add_near(&n, j, FV_NEAR_OWN_CELL + (s % 2 ? stride : -stride), to);
      }
      const int direct = n.count;
      for (int i = 0; i < direct; i++) {
        const int j = FV_NEAR_VOLUME(to[1 + i]), place = FV_NEAR_PLACE(to[1 + i]);
        const int other = volumes[j] / FV_CELL_PARTS;
        FV_EACH_SIDE(j, other, s, f) {
          const int way = s % 2 ? 1 : -1, beyond = FV_BEYOND(s, f);
          if (beyond >= 0 && FV_NEAR_WAY(place, s / 2) != way)
            fv_add_near(&n, beyond, place + way * (1 << s / 2 * 2), to);
        }
      }
      to[0] = n.count;
    }
  }
}
