/* channel_record.h - code shared by cylinder.k and channel.k. It computes the fields derived from
 * the velocity, and brings forces and probes from a step to the series. */
/* Where the window keeps the three series of probe 1, 2, ...; the forces come before them. */
#define CHANNEL_PROBE(probe) \
  ((trm_index)(3 * ((probe) - 1) + 2 * p.has_forces) * CHANNEL_WINDOW)

/* From velocity and density in components 0 to 2 of g: speed and vorticity d(uy)/dx - d(ux)/dy in 3
 * and 4, by central differences, one-sided at edges that are not periodic. */
TRM_INLINE void channel_derive(TRM_OUT(real) g, const channel_params p, const trm_index south,
                               const trm_index north, const real per_y, const int x, const int west,
                               const int east, const int last)
{
  const real ux = g[x], uy = D2Q9_AT(g, 1)[x];
  const real to_east = D2Q9_AT(g, 1)[east], to_west = D2Q9_AT(g, 1)[west];
  const int ends_west = p.open_x & (x == 0), ends_east = p.open_x & (x == last);
  const real across = (ends_east ? uy : to_east) - (ends_west ? uy : to_west);
  const real per_x = ends_west | ends_east ? R(1.0) : R(0.5);
  const real along = (g + north)[x] - (g + south)[x];
  D2Q9_AT(g, 3)[x] = trm_sqrt(trm_fma(ux, ux, uy * uy));
  D2Q9_AT(g, 4)[x] = per_x * across - per_y * along;
}

TRM_ROW_KERNEL1(channel_vorticity, 1, channel_params, TRM_RW(real) g)
{
  TRM_ROW(y);
  TRM_OUT(real) here = g + p.first + y * p.row;
  const int ends_south = p.open_y && y == 0, ends_north = p.open_y && y == TRM_NY - 1;
  const trm_index south = ends_south ? 0 : (TRM_SOUTH(y) - y) * p.row;
  const trm_index north = ends_north ? 0 : (TRM_NORTH(y) - y) * p.row;
  const real per_y = ends_south || ends_north ? R(1.0) : R(0.5);
  const int last = TRM_NX - 1;
  TRM_CELLS(x) {
    channel_derive(here, p, south, north, per_y, x, TRM_WEST(x), TRM_EAST(x), last);
  }
}

/* Moves p.count steps of every series from the window to their place in the batch; an item a value:
 * row y is series y. */
TRM_ROW_KERNEL2(channel_collect, 0, channel_params, TRM_RO(real) window, TRM_RW(real) series)
{
  TRM_ROW(y);
  TRM_IN(real) from = window + y * CHANNEL_WINDOW;
  TRM_OUT(real) to = series + y * LBM_BATCH_LIMIT + p.at;
  TRM_CELLS(x) { to[x] = from[x]; }
}

/* A crossing at step `at` and a part of one. A period that makes the longest more than 5 % longer
 * than the shortest begins the regular periods anew. */
TRM_INLINE void channel_cross(TRM_OUT(real) shed, const real at, const real part)
{
  const real crossings = shed[SHED_CROSSINGS];
  const real period = (at - shed[SHED_LAST]) + (part - shed[SHED_LAST_PART]);
  const real least = shed[SHED_SHORTEST], most = shed[SHED_LONGEST];
  const real shortest = period < least ? period : least, longest = period > most ? period : most;
  const int is_first = crossings == R(0.0), begins = crossings == R(1.0);
  const int is_regular = !is_first & !begins & (longest <= R(1.05) * shortest);
  const int is_odd = !is_first & !begins & !is_regular;
  if (is_odd) shed[SHED_FIRST] = shed[SHED_LAST];
  if (is_odd) shed[SHED_FIRST_PART] = shed[SHED_LAST_PART];
  if (is_first) shed[SHED_FIRST] = at;
  if (is_first) shed[SHED_FIRST_PART] = part;
  shed[SHED_LAST] = at;
  shed[SHED_LAST_PART] = part;
  shed[SHED_SHORTEST] = is_regular ? shortest : period;
  shed[SHED_LONGEST] = is_regular ? longest : period;
  shed[SHED_CROSSINGS] = is_odd ? R(2.0) : crossings + R(1.0);
}

/* Statistics of drag and lift over the steps p.start to p.count - 1 of the window, in their order,
 * by one item. A crossing is where the lift goes from below zero to zero or above. Its time is
 * interpolated between the two steps and kept as a step and a fraction of one. */
TRM_GROUP_KERNEL2(channel_shed, TRM_NO_SHARED, channel_params, TRM_RO(real) window,
                  TRM_RW(real) shed)
{
  TRM_GROUP1(group);
  TRM_EACH(i, group == 0 ? 1 : 0) {
    for (int t = p.start; t < p.count; t++) {
      const real drag = window[i + t], lift = window[i + CHANNEL_WINDOW + t];
      const real since = shed[SHED_SINCE], before = shed[SHED_LIFT];
      if (since > R(0.0) && before < R(0.0) && lift >= R(0.0))
        channel_cross(shed, since - R(1.0), before / (before - lift));
      const real small = drag - shed[SHED_DRAG_LOST], sum = shed[SHED_DRAG_SUM] + small;
      shed[SHED_DRAG_LOST] = (sum - shed[SHED_DRAG_SUM]) - small;
      shed[SHED_DRAG_SUM] = sum;
      const int begins = since == R(0.0);
      shed[SHED_DRAG_MAX] = begins || drag > shed[SHED_DRAG_MAX] ? drag : shed[SHED_DRAG_MAX];
      shed[SHED_DRAG_MIN] = begins || drag < shed[SHED_DRAG_MIN] ? drag : shed[SHED_DRAG_MIN];
      shed[SHED_LIFT_MAX] = begins || lift > shed[SHED_LIFT_MAX] ? lift : shed[SHED_LIFT_MAX];
      shed[SHED_LIFT_MIN] = begins || lift < shed[SHED_LIFT_MIN] ? lift : shed[SHED_LIFT_MIN];
      shed[SHED_LIFT] = lift;
      shed[SHED_SINCE] = since + R(1.0);
    }
  }
}
