/* fv_volumes_gaps.h - gaps between bodies that come nearer are shut before they vanish.
 *
 * Gas in a gap that vanishes is squeezed without end, and its last volume may be a rounding. So a
 * volume is shut at the end of a step where three things hold. Its gas is thinner than
 * FV_GAP_SHUTS. Another body is as near in front of its walls. And that body comes nearer. A gap at
 * rest, or one that slides, stays open however narrow it is.
 *
 * A volume that is shut is covered: its gas goes to its neighbours, by the sweeps and layers of any
 * covered gas. The rule takes gas at the end: this is the volume's lack. It stays, so the volume
 * stays shut, until the bodies part. Then the volume opens from nothing. The lack goes by as
 * much as the gap widens, so a gap that was shut at 0.06 is whole at 0.12. Where bodies have met,
 * no lack is left, and a gap opens as walls uncover it.
 *
 * Walls sweep what is taken and given, so mass and energy stay. Openings of a volume with a lack
 * are the part of theirs that its gas is of the whole. Walls take the rest of them. */
#define FV_GAP_SHUTS R(0.0973) /* cells; no simple part, which bodies on round paths would meet */
#define FV_GAP_SPEED R(1e-6)   /* cells a step; slower bodies do not come nearer */
#define FV_GAP_PART R(0.9)     /* of a volume's walls that have to be near */

/* ---- distances ----------------------------------------------------------------------------- */

TRM_INLINE real fv_dot(const real *a, const real *b)
{
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* The way from a place to the nearest place of a facet (Ericson, Real-Time Collision Detection,
 * 2005, 5.1.5). */
TRM_INLINE void fv_way_to_facet(const fv_shape *s, const int facet, const real *at, real *way)
{
  TRM_IN(real) plane = s->planes + 4 * s->facets[4 * facet + 3];
  real v[3][3], ab[3], ac[3], off[3][3], d[6];
  fv_facet_corners(s, facet, v);
  for (int a = 0; a < 3; a++) {
    ab[a] = v[1][a] - v[0][a];
    ac[a] = v[2][a] - v[0][a];
    for (int k = 0; k < 3; k++) off[k][a] = at[a] - v[k][a];
  }
  for (int k = 0; k < 3; k++) {
    d[2 * k] = fv_dot(ab, off[k]);
    d[2 * k + 1] = fv_dot(ac, off[k]);
  }
  const real vc = d[0] * d[3] - d[2] * d[1], vb = d[4] * d[1] - d[0] * d[5];
  const real va = d[2] * d[5] - d[4] * d[3];
  real b = R(0.0), c = R(0.0); /* the nearest place is v0 + b ab + c ac */
  if (d[0] <= R(0.0) && d[1] <= R(0.0)) {
    b = R(0.0);
  } else if (d[2] >= R(0.0) && d[3] <= d[2]) {
    b = R(1.0);
  } else if (d[5] >= R(0.0) && d[4] <= d[5]) {
    c = R(1.0);
  } else if (vc <= R(0.0) && d[0] >= R(0.0) && d[2] <= R(0.0)) {
    b = d[0] / (d[0] - d[2]);
  } else if (vb <= R(0.0) && d[1] >= R(0.0) && d[5] <= R(0.0)) {
    c = d[1] / (d[1] - d[5]);
  } else if (va <= R(0.0) && d[3] >= d[2] && d[4] >= d[5]) {
    c = (d[3] - d[2]) / ((d[3] - d[2]) + (d[4] - d[5]));
    b = R(1.0) - c;
  } else {
    const real beyond = ((plane[0] * at[0] + plane[1] * at[1]) + plane[2] * at[2]) - plane[3];
    for (int a = 0; a < 3; a++) way[a] = -beyond * plane[a];
    return;
  }
  for (int a = 0; a < 3; a++) way[a] = (b * ab[a] + c * ac[a]) - off[0][a];
}

/* The square of the distance to the body's nearest facet, and the way there, in the body's frame.
 * Beyond `reach` the square is that of twice the reach. */
TRM_INLINE real fv_way_to_body(const fv_shape *s, const real *at, const real reach, real *way)
{
  fv_box b;
  int from[3], to[3];
  real least = R(4.0) * (reach * reach);
  for (int a = 0; a < 3; a++) {
    b.low[a] = at[a] - reach;
    b.high[a] = at[a] + reach;
    way[a] = R(0.0);
  }
  if (!fv_bins_of(s, &b, from, to)) return least;
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) {
      const int row = (z * s->table[FV_SHAPE_BINS + 1] + y) * s->table[FV_SHAPE_BINS];
      const int end = s->first[row + to[0] + 1];
      for (int i = s->first[row + from[0]]; i < end; i++) {
        real other[3];
        if (fv_is_beside(s, s->list[i], &b)) continue;
        fv_way_to_facet(s, s->list[i], at, other);
        const real square = fv_dot(other, other);
        if (square >= least) continue;
        least = square;
        for (int a = 0; a < 3; a++) way[a] = other[a];
      }
    }
  return least > reach * reach ? R(4.0) * (reach * reach) : least;
}

/* ---- walls --------------------------------------------------------------------------------- */

/* How far another body is in front of a wall at the step's end, and how fast it comes nearer. */
typedef struct fv_gap { real width, speed; } fv_gap;

/* Looks at one body. size: of the wall. */
TRM_INLINE void fv_look_ahead(const fv_shape *s, const int *cell, TRM_IN(real) wall,
                              const real size, fv_gap *gap)
{
  TRM_IN(real) turn = s->own + FV_SHAPE_TURN + 9;
  const real reach = R(2.0) * FV_GAP_SHUTS;
  real middle[3], arm[3], velocity[3], off[3], at[3], out[3], way[3], speed = R(0.0);
  for (int a = 0; a < 3; a++) middle[a] = wall[FV_WALL_CENTROID + a];
  fv_body_velocity(s->own, cell, middle, arm, velocity);
  for (int a = 0; a < 3; a++) {
    const real n = wall[FV_WALL_VECTOR + a] / size;
    speed += (velocity[a] - wall[FV_WALL_VELOCITY + a]) * n;
    off[a] = (((real)cell[a] - s->own[FV_SHAPE_CELL + a]) +
              (R(0.5) - s->own[FV_SHAPE_REST + 3 + a])) +
             (middle[a] + R(0.5) * wall[FV_WALL_VELOCITY + a]);
  }
  for (int a = 0; a < 3; a++) {
    at[a] = (turn[3 * a] * off[0] + turn[3 * a + 1] * off[1]) + turn[3 * a + 2] * off[2];
    out[a] = -((turn[3 * a] * wall[FV_WALL_VECTOR] + turn[3 * a + 1] * wall[FV_WALL_VECTOR + 1]) +
               turn[3 * a + 2] * wall[FV_WALL_VECTOR + 2]) / size;
  }
  const real square = fv_way_to_body(s, at, reach, way), width = trm_sqrt(square);
  const int is_ahead = fv_dot(way, out) >= R(0.7) * width || width <= FV_GAP_SPEED;
  if (!is_ahead || width >= gap->width) return;
  gap->width = width;
  gap->speed = speed;
}

/* Sums of the sizes of a volume's walls: of all, and of walls near a body that comes nearer. Then
 * half of each size times how fast bodies part. */
typedef struct fv_gap_sums { real all, nears, parts; } fv_gap_sums;

TRM_INLINE void fv_sight_wall(const fv_volumes_params p, TRM_IN(real) shapes,
                              TRM_IN(int) tables, const int *cell, const int body,
                              TRM_IN(real) wall, fv_gap_sums *sums)
{
  const real size = fv_wall_size(wall);
  fv_gap gap = { R(4.0) * FV_GAP_SHUTS, R(0.0) };
  if (!(size > R(0.0))) return;
  for (int other = 0; other < p.bodies; other++) {
    const fv_shape s = fv_shape_of(shapes, tables, other);
    if (other != body) fv_look_ahead(&s, cell, wall, size, &gap);
  }
  sums->all += size;
  if (gap.width <= FV_GAP_SHUTS && gap.speed > FV_GAP_SPEED) sums->nears += size;
  const real parts = gap.width < R(2.0) * FV_GAP_SHUTS ? trm_max(R(0.0), -gap.speed) : FV_GAP_SHUTS;
  sums->parts += R(0.5) * (size * parts);
}

/* ---- volumes ------------------------------------------------------------------------------- */

/* The lacks at the begin, of the step before's volumes in each one. Where a volume goes to several,
 * so does its lack. was_gas, was_lacks: of the step before. */
TRM_GROUP_KERNEL6(fv_volumes_lack, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) olds,
                  TRM_RO(real) was_gas, TRM_RO(real) was_lacks, TRM_RW(real) taken,
                  TRM_RW(real) gas, TRM_RW(real) lacks)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      TRM_IN(int) old = olds + v * FV_OLD_INTS;
      TRM_OUT(real) begin = gas + v * FV_VOLUME_REALS + FV_GAS_BEGIN;
      real lack = R(0.0), change = R(0.0);
      for (int n = 1; n <= old[0]; n++) {
        const real was = was_lacks[(trm_index)old[n] * FV_LACK_REALS];
        const real end = was_gas[(trm_index)old[n] * FV_VOLUME_REALS + FV_GAS_END];
        TRM_OUT(real) part = taken + v * FV_CELL_PARTS + n - 1;
        if (!(was > R(0.0))) continue;
        if (*part == end) {
          lack += was;
        } else { /* a part of the gas, by the planes */
          const real all = *part;
          *part = all * (end / (end + was));
          lack += all - *part;
          change += *part - all;
        }
      }
      const real before = begin[0], per = before > R(0.0) ? (before + change) / before : R(0.0);
      for (int i = 0; i < 4 && change < R(0.0); i++) begin[i] *= per;
      lacks[v * FV_LACK_REALS] = lack;
      for (int i = 1; i < FV_LACK_REALS; i++) lacks[v * FV_LACK_REALS + i] = R(0.0);
    }
  }
}

/* Looks at other bodies from the walls of each volume. lacks: at the begin. */
TRM_GROUP_KERNEL11(fv_volumes_look, TRM_NO_SHARED, fv_volumes_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables, TRM_RO(int) leaves, TRM_RO(int) list, TRM_RO(int) volumes,
                   TRM_RO(int) bodies, TRM_RO(int) owners, TRM_RO(real) walls, TRM_RO(real) gas,
                   TRM_RO(real) lacks, TRM_RW(real) sights)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      TRM_OUT(real) to = sights + v * FV_SIGHT_REALS;
      const real begin = gas[v * FV_VOLUME_REALS + FV_GAS_BEGIN];
      const real end = gas[v * FV_VOLUME_REALS + FV_GAS_END], lack = lacks[v * FV_LACK_REALS];
      const int first = FV_WALLS_FIRST(v, bodies[v]), stop = FV_WALLS_END(v, bodies[v]);
      real size = R(0.0);
      int kind = FV_SIGHT_WIDE;
      fv_gap_sums sums = { R(0.0), R(0.0), first < stop ? R(0.0) : end };
      for (int i = first; i < stop; i++)
        size += fv_wall_size(walls + (trm_index)i * FV_WALL_REALS);
      const int is_thin = end > R(0.0) && end <= FV_GAP_SHUTS * size;
      if (is_thin || lack > R(0.0)) {
        int cell[3];
        fv_cell_place(p, leaves, list[volumes[v] / FV_CELL_PARTS], cell);
        for (int i = first; i < stop; i++)
          fv_sight_wall(p, shapes, tables, cell,
                        i < p.volumes ? bodies[v]
                                      : owners[(i - p.volumes) * FV_OWNER_INTS + FV_OWNER_BODY],
                        walls + (trm_index)i * FV_WALL_REALS, &sums);
        const int stays = lack > R(0.0) && begin == R(0.0) && !(sums.parts > FV_GAP_SPEED * size);
        kind = is_thin;
        if (stays || (is_thin && sums.nears > FV_GAP_PART * sums.all)) kind = FV_SIGHT_SHUTS;
      }
      to[FV_SIGHT_SIZE] = size;
      to[FV_SIGHT_KIND] = (real)kind;
      to[FV_SIGHT_PARTS] = sums.parts;
    }
  }
}

/* Whether a volume shuts. A thin one does among others that shut, or it would be a pocket. */
TRM_INLINE int fv_shuts(TRM_IN(int) sides, TRM_IN(int) joins, TRM_IN(real) openings,
                        TRM_IN(real) sights, const trm_index v, const int k)
{
  const int kind = (int)sights[v * FV_SIGHT_REALS + FV_SIGHT_KIND];
  real all = R(0.0), shut = R(0.0);
  if (kind != FV_SIGHT_THIN) return kind == FV_SIGHT_SHUTS;
  FV_EACH_SIDE(v, k, s, f) {
    const int j = FV_BEYOND(s, f);
    const real opening = openings[f * FV_OPENING_REALS];
    all += opening;
    if (j >= 0 && (int)sights[(trm_index)j * FV_SIGHT_REALS + FV_SIGHT_KIND] == FV_SIGHT_SHUTS)
      shut += opening;
  }
  return shut > FV_GAP_PART * all;
}

/* lacks: at the begin so far. gaps: FV_GAP_REALS of each volume. flags: whether it has a lack. */
TRM_GROUP_KERNEL9(fv_volumes_shut, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(real) sights, TRM_RW(real) gas, TRM_RW(real) lacks, TRM_RW(real) gaps,
                  TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      TRM_OUT(real) own = gas + v * FV_VOLUME_REALS;
      TRM_OUT(real) lack = lacks + v * FV_LACK_REALS;
      TRM_OUT(real) gap = gaps + v * FV_GAP_REALS;
      TRM_IN(real) sight = sights + v * FV_SIGHT_REALS;
      const real begin = own[FV_GAS_BEGIN], end = own[FV_GAS_END], before = lack[0];
      const int shuts =
          fv_shuts(sides, joins, openings, sights, v, volumes[v] / FV_CELL_PARTS);
      const int was_shut = before > R(0.0) && begin == R(0.0);
      const real left = trm_min(end, trm_max(R(0.0), before - sight[FV_SIGHT_PARTS]));
      const real takes = shuts ? end : left, whole = begin + before;
      const int closes = shuts && end > R(0.0) && !was_shut;
      const int opens = was_shut && end > takes;
      const real size = R(0.5) * sight[FV_SIGHT_SIZE];
      for (int i = 0; i < 4; i++) {
        const real all = own[FV_GAS_END + i];
        if (takes > R(0.0)) own[FV_GAS_END + i] = all * ((end - takes) / end);
        lack[i] = takes > R(0.0) ? all - own[FV_GAS_END + i] : R(0.0);
      }
      gap[FV_GAP_OPEN] = shuts ? (begin > R(0.0) ? begin / whole : R(0.0))
                         : before > R(0.0) ? (begin + (end - takes)) / (whole + end) : R(1.0);
      gap[FV_GAP_CLOSES] = closes ? size : R(0.0);
      gap[FV_GAP_OPENS] = opens ? size : R(0.0);
      gap[FV_GAP_TAKES] = closes ? takes : R(0.0);
      flags[v] = before > R(0.0) || takes > R(0.0);
    }
  }
}

/* wide: the openings as planes leave them. */
TRM_GROUP_KERNEL4(fv_volumes_narrow, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) joins,
                  TRM_RO(real) gaps, TRM_RO(real) wide, TRM_RW(real) openings)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      real share = R(1.0);
      for (int i = FV_JOIN_LOW; i <= FV_JOIN_HIGH; i++) {
        const int v = joins[f * FV_JOIN_INTS + i];
        if (v >= 0) share = trm_min(share, gaps[(trm_index)v * FV_GAP_REALS + FV_GAP_OPEN]);
      }
      for (int i = 0; i < FV_OPENING_REALS; i++)
        openings[f * FV_OPENING_REALS + i] = share * wide[f * FV_OPENING_REALS + i];
    }
  }
}

/* ---- ways out ------------------------------------------------------------------------------ */

/* A volume does not shut if its gas has no way out. flags: the volumes that now stay open. */
TRM_GROUP_KERNEL5(fv_volumes_unshut, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) layers,
                  TRM_RW(real) gas, TRM_RW(real) lacks, TRM_RW(real) gaps, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      TRM_OUT(real) gap = gaps + v * FV_GAP_REALS;
      flags[v] = layers[v] == FV_LAYER_NONE && gap[FV_GAP_CLOSES] > R(0.0);
      if (flags[v]) {
        for (int i = 0; i < 4; i++) {
          gas[v * FV_VOLUME_REALS + FV_GAS_END + i] += lacks[v * FV_LACK_REALS + i];
          lacks[v * FV_LACK_REALS + i] = R(0.0);
        }
        gap[FV_GAP_OPEN] = R(1.0);
        gap[FV_GAP_CLOSES] = gap[FV_GAP_TAKES] = R(0.0);
      }
    }
  }
}

/* ---- the log's counts ---------------------------------------------------------------------- */

#define FV_GAP_LANES 64
typedef struct fv_gap_counted { real lane[FV_GAP_COUNTS][FV_GAP_LANES]; } fv_gap_counted;

/* One group. which: the list of volumes with a lack. counts: FV_GAP_COUNTS reals. */
TRM_GROUP_KERNEL7(fv_volumes_gap_counts, fv_gap_counted, fv_volumes_params, TRM_RO(int) which,
                  TRM_RO(int) list, TRM_RO(int) volumes, TRM_RO(real) gas, TRM_RO(real) lacks,
                  TRM_RO(real) gaps, TRM_RW(real) counts)
{
  TRM_GROUP1(group); /* of one */
  TRM_SHARED(fv_gap_counted, s);
  TRM_SERIAL(lane, FV_GAP_LANES) {
    real sum[FV_GAP_COUNTS];
    for (int k = 0; k < FV_GAP_COUNTS; k++) sum[k] = R(0.0);
    sum[FV_GAP_AT] = FV_BEYOND_WORDS;
    for (int i = lane; i < p.gaps; i += FV_GAP_LANES) {
      const trm_index v = which[i];
      TRM_IN(real) gap = gaps + v * FV_GAP_REALS;
      const int changes = gap[FV_GAP_CLOSES] > R(0.0) || gap[FV_GAP_OPENS] > R(0.0);
      sum[FV_GAP_CLOSED] += gap[FV_GAP_CLOSES] > R(0.0) ? R(1.0) : R(0.0);
      sum[FV_GAP_CLOSED_AREA] += gap[FV_GAP_CLOSES];
      sum[FV_GAP_TAKEN] += gap[FV_GAP_TAKES];
      sum[FV_GAP_OPENED] += gap[FV_GAP_OPENS] > R(0.0) ? R(1.0) : R(0.0);
      sum[FV_GAP_OPENED_AREA] += gap[FV_GAP_OPENS];
      sum[FV_GAP_SHUT] +=
          lacks[v * FV_LACK_REALS] > R(0.0) && gas[v * FV_VOLUME_REALS + FV_GAS_END] == R(0.0)
            ? R(1.0) : R(0.0);
      if (changes) sum[FV_GAP_AT] = trm_min(sum[FV_GAP_AT], (real)list[volumes[v] / FV_CELL_PARTS]);
    }
    for (int k = 0; k < FV_GAP_COUNTS; k++) s.lane[k][lane] = sum[k];
  }
  for (int fold = FV_GAP_LANES / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) {
      for (int k = 0; k < FV_GAP_COUNTS; k++)
        s.lane[k][i] = k == FV_GAP_AT ? trm_min(s.lane[k][i], s.lane[k][i + fold])
                                      : s.lane[k][i] + s.lane[k][i + fold];
    }
  TRM_EACH(k, FV_GAP_COUNTS) { counts[group * FV_GAP_COUNTS + k] = s.lane[k][0]; }
}
