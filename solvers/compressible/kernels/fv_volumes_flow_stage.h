/* fv_volumes_flow_stage.h - a stage of the gas in control volumes (fv_volumes_flow.h). From fluxes
 * and walls it has contents and rates, and both sweeps of the last stage. */

/* Numbers of a volume's walls: momentum and energy that they add. */
#define FV_FLOW_PUSHES 4

/* ---- a stage ------------------------------------------------------------------------------- */

/* The shares that a volume takes of the volume beyond a side, and hands to it. */
#define FV_TAKES(s, f) shares[(f) * FV_SHARE_REALS + !((s) % 2)]
#define FV_HANDS(s, f) shares[(f) * FV_SHARE_REALS + (s) % 2]

/* contents: of each volume at the stage's end, before walls act and any redistribution. pushes:
 * momentum and energy that walls would add. q: at the step's begin. A volume gains its walls' swept
 * volumes to rounding. The rest, near 1e-15, comes with the volume's own state: else volumes near
 * that size would be off. */
TRM_GROUP_KERNEL12(fv_flow_sums, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes,
                   TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(int) bodies,
                   TRM_RO(real) walls, TRM_RO(real) q, TRM_RO(real) fluxes,
                   TRM_RO(real) pressures, TRM_RO(real) clock, TRM_RW(real) contents,
                   TRM_RW(real) pushes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      const real begin = gas[v * FV_VOLUME_REALS + FV_GAS_BEGIN];
      const real step = clock[FV_DT] * p.inv_h;
      real rest = gas[v * FV_VOLUME_REALS + FV_GAS_END] - begin, push[FV_FLOW_PUSHES];
      for (int i = 0; i < FV_FLOW_PUSHES; i++) push[i] = R(0.0);
      for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++) {
        TRM_IN(real) wall = walls + (trm_index)i * FV_WALL_REALS;
        const real pressure = p.inv_gamma * pressures[i];
        rest -= wall[FV_WALL_SWEPT];
        for (int a = 0; a < 3; a++) push[a] -= step * (pressure * wall[FV_WALL_VECTOR + a]);
        push[3] -= pressure * wall[FV_WALL_SWEPT];
      }
      real sum[FV_VALUES];
      for (int i = 0; i < FV_VALUES; i++) sum[i] = rest * q[v * FV_VALUES + i];
      FV_EACH_SIDE(v, k, s, f)
        for (int i = 0; i < FV_VALUES; i++) {
          const real flux = fluxes[f * FV_VALUES + i];
          sum[i] = s % 2 ? sum[i] - flux : sum[i] + flux;
        }
      for (int i = 0; i < FV_VALUES; i++)
        contents[v * FV_VALUES + i] = begin * q[v * FV_VALUES + i] + p.alpha * sum[i];
      for (int i = 0; i < FV_FLOW_PUSHES; i++)
        pushes[v * FV_FLOW_PUSHES + i] = p.alpha * push[i];
    }
  }
}

/* The share of dust j that a volume takes through a face part, 0 if it takes none (FV_ASK_RATE). */
TRM_INLINE real fv_flow_of_dust(TRM_IN(real) gas, TRM_IN(real) asks, TRM_IN(real) openings,
                                const int v, const int j, const int f)
{
  const real rate = j < 0 ? R(0.0) : -asks[j * FV_ASK_REALS + FV_ASK_RATE];
  return rate > R(0.0) && gas[v * FV_VOLUME_REALS + FV_GAS_END] > R(0.0)
           ? rate * openings[f * FV_OPENING_REALS] : R(0.0);
}

/* Volumes take what openings and walls of dust leave, and how its walls push. */
TRM_GROUP_KERNEL8(fv_flow_dust, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(real) gas,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings, TRM_RO(real) asks,
                  TRM_RW(real) contents, TRM_RW(real) pushes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        const real share = fv_flow_of_dust(gas, asks, openings, (int)v, j, f);
        if (!(share > R(0.0))) continue;
        for (int i = 0; i < FV_VALUES; i++)
          contents[v * FV_VALUES + i] += share * contents[j * FV_VALUES + i];
        for (int i = 0; i < FV_FLOW_PUSHES; i++)
          pushes[v * FV_FLOW_PUSHES + i] += share * pushes[j * FV_FLOW_PUSHES + i];
      }
    }
  }
}

/* A neighbourhood's gas at a part of the step, for each unit of its walls. 1 if it has none. */
TRM_INLINE real fv_flow_depth(TRM_IN(real) hood, const real when)
{
  const real size = hood[FV_HOOD_WALL];
  return size > R(0.0) ? fv_hood_then(hood, when).volume / size : R(1.0);
}

/* Neighbourhoods with less gas for their walls, in cells, move with these. */
#define FV_FLOW_HELD R(0.01)

/* held: pushes of walls that hold gas which is thin for them. If pressures at both walls of a
 * sliver of 1e-7 cells differ by 1e-3, they drive it at 1000 times the speed of sound. So each wall
 * adds its share of the impulse that lets the neighbourhood's gas move with it. It adds all of that
 * in the limit, and nothing from FV_FLOW_HELD on. No wall pulls. */
TRM_GROUP_KERNEL12(fv_flow_hold, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(int) sides,
                   TRM_RO(int) joins, TRM_RO(real) shares, TRM_RO(real) hoods,
                   TRM_RO(int) bodies, TRM_RO(real) walls, TRM_RO(real) contents,
                   TRM_RO(real) pushes, TRM_RO(real) clock, TRM_RW(real) pressures,
                   TRM_RW(real) held)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS, first = FV_WALLS_FIRST(v, bodies[v]);
      const int stop = FV_WALLS_END(v, bodies[v]);
      TRM_IN(real) hood = hoods + v * FV_HOOD_REALS;
      TRM_OUT(real) push = held + v * FV_FLOW_PUSHES;
      for (int i = 0; i < FV_FLOW_PUSHES; i++) push[i] = pushes[v * FV_FLOW_PUSHES + i];
      const real depth = first < stop ? fv_flow_depth(hood, p.alpha) : FV_FLOW_HELD;
      if (depth < FV_FLOW_HELD) {
        const real step = clock[FV_DT] * p.inv_h, own = hood[FV_HOOD_OWN];
        const real part = (R(1.0) - depth / FV_FLOW_HELD) / hood[FV_HOOD_WALL];
        real sum[4];
        for (int i = 0; i < 4; i++)
          sum[i] = own * (contents[v * FV_VALUES + i] +
                          (i > 0 ? pushes[v * FV_FLOW_PUSHES + i - 1] : R(0.0)));
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          const real share = j >= 0 ? FV_TAKES(s, f) : R(0.0);
          for (int i = 0; i < 4 && share > R(0.0); i++)
            sum[i] += share * (contents[j * FV_VALUES + i] +
                               (i > 0 ? pushes[j * FV_FLOW_PUSHES + i - 1] : R(0.0)));
        }
        for (int i = first; i < stop; i++) {
          TRM_IN(real) wall = walls + (trm_index)i * FV_WALL_REALS;
          real into = R(0.0);
          if (!(fv_wall_size(wall) > R(0.0))) continue;
          for (int a = 0; a < 3; a++)
            into += wall[FV_WALL_VECTOR + a] *
                    (sum[1 + a] - sum[0] * (wall[FV_WALL_VELOCITY + a] / step));
          const real by = p.alpha * p.inv_gamma, size = fv_wall_size(wall);
          const real more = trm_max(-pressures[i], part * into / (by * step * size));
          pressures[i] += more;
          for (int a = 0; a < 3; a++) push[a] -= by * step * (more * wall[FV_WALL_VECTOR + a]);
          push[3] -= by * (more * wall[FV_WALL_SWEPT]);
        }
      }
    }
  }
}

/* Walls act in part, 1 at most, so that the inner energy stays at `least` or above. It goes from e0
 * to e0 + part (slope - part bend). Where e0 itself is below, it does not fall. */
TRM_INLINE real fv_flow_bears(const real e0, const real least, const real slope, const real bend)
{
  const real room = trm_max(R(0.0), e0 - trm_min(least, e0));
  const real end = (e0 + slope) - bend;
  if (end >= least || end >= e0) return R(1.0);
  const real root = trm_sqrt(slope * slope + R(4.0) * (bend * room));
  return trm_min(R(1.0), slope < R(0.0) ? R(2.0) * room / (root - slope)
                                        : (slope + root) / (R(2.0) * bend));
}

/* parts: the part in which walls act, by the neighbourhood's gas. It keeps a twentieth of its inner
 * energy at the volume's temperature. In ordinary flow the part is 1. */
TRM_GROUP_KERNEL9(fv_flow_ease, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(int) sides,
                  TRM_RO(int) joins, TRM_RO(real) shares, TRM_RO(real) hoods, TRM_RO(real) w,
                  TRM_RO(real) contents, TRM_RO(real) pushes, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_IN(real) value = w + v * FV_VALUES;
      const real own = hoods[v * FV_HOOD_REALS + FV_HOOD_OWN];
      real sum[FV_VALUES], push[FV_FLOW_PUSHES], along = R(0.0), square = R(0.0), kept = R(0.0);
      for (int i = 0; i < FV_VALUES; i++) sum[i] = own * contents[v * FV_VALUES + i];
      for (int i = 0; i < FV_FLOW_PUSHES; i++) push[i] = own * pushes[v * FV_FLOW_PUSHES + i];
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        const real share = j >= 0 ? FV_TAKES(s, f) : R(0.0);
        if (share > R(0.0)) {
          for (int i = 0; i < FV_VALUES; i++) sum[i] += share * contents[j * FV_VALUES + i];
          for (int i = 0; i < FV_FLOW_PUSHES; i++)
            push[i] += share * pushes[j * FV_FLOW_PUSHES + i];
        }
      }
      for (int a = 0; a < 3; a++) {
        along += sum[1 + a] * push[a];
        square += push[a] * push[a];
        kept += sum[1 + a] * sum[1 + a];
      }
      const int is_pushed = square > R(0.0) || push[3] < R(0.0) || push[3] > R(0.0);
      const real per = sum[0] > R(0.0) ? R(1.0) / sum[0] : R(0.0);
      const real least = R(0.05) * sum[0] * value[4] / (value[3] * p.heat);
      parts[v] = !is_pushed ? R(1.0)
                 : !(sum[0] > R(0.0)) ? R(0.0)
                 : fv_flow_bears(sum[4] - R(0.5) * per * kept, least, push[3] - per * along,
                                 R(0.5) * per * square);
    }
  }
}

/* Walls act on the contents. Their pressures become the part that acts; walls of dust act in parts
 * of volumes that take it. */
TRM_GROUP_KERNEL11(fv_flow_press, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(real) gas,
                   TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings, TRM_RO(real) asks,
                   TRM_RO(int) bodies, TRM_RO(real) pushes, TRM_RO(real) parts,
                   TRM_RW(real) pressures, TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      const int is_dust = asks[v * FV_ASK_REALS + FV_ASK_RATE] < R(0.0);
      real part = is_dust ? R(0.0) : parts[v];
      if (is_dust)
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          if (j >= 0) part += fv_flow_of_dust(gas, asks, openings, j, (int)v, f) * parts[j];
        }
      for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++)
        pressures[i] *= part;
      for (int i = 0; i < FV_FLOW_PUSHES; i++)
        contents[v * FV_VALUES + 1 + i] += parts[v] * pushes[v * FV_FLOW_PUSHES + i];
    }
  }
}

/* States after a stage before the last. before: at the step's begin. */
TRM_GROUP_KERNEL9(fv_flow_rates, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(real) gas,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) shares,
                  TRM_RO(real) hoods, TRM_RO(real) before, TRM_RO(real) contents,
                  TRM_RW(real) q)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_IN(real) hood = hoods + v * FV_HOOD_REALS;
      TRM_IN(real) begin = before + v * FV_VALUES;
      TRM_IN(real) content = contents + v * FV_VALUES;
      TRM_OUT(real) to = q + v * FV_VALUES;
      const real volume = fv_gas_then(gas + v * FV_VOLUME_REALS, p.alpha).volume;
      if (!(hood[FV_HOOD_NEED] > R(0.0))) {
        for (int i = 0; i < FV_VALUES; i++)
          to[i] = volume > R(0.0) ? content[i] / volume : begin[i];
      } else {
        const real all = fv_hood_then(hood, p.alpha).volume;
        const real per = all > R(0.0) ? R(1.0) / all : R(0.0);
        real sum[FV_VALUES];
        for (int i = 0; i < FV_VALUES; i++)
          sum[i] = hood[FV_HOOD_OWN] * (content[i] - volume * begin[i]);
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          const real share = j >= 0 ? FV_TAKES(s, f) : R(0.0);
          if (share > R(0.0)) {
            const real other = fv_gas_then(gas + j * FV_VOLUME_REALS, p.alpha).volume;
            for (int i = 0; i < FV_VALUES; i++)
              sum[i] += share * (contents[j * FV_VALUES + i] - other * before[j * FV_VALUES + i]);
          }
        }
        for (int i = 0; i < FV_VALUES; i++) to[i] = begin[i] + per * sum[i];
      }
    }
  }
}

/* ---- the last stage ------------------------------------------------------------------------ */

/* Slopes of the conserved state, by those of the values. */
TRM_INLINE void fv_flow_conserved_slopes(const fv_params p, TRM_IN(real) w, TRM_IN(real) slopes,
                                         TRM_OUT(real) to)
{
  for (int a = 0; a < 3; a++) {
    const real rho = slopes[9 + a];
    real work = R(0.0), square = R(0.0);
    to[a] = rho;
    for (int i = 0; i < 3; i++) {
      to[3 * (1 + i) + a] = w[i] * rho + w[3] * slopes[3 * i + a];
      work += w[i] * slopes[3 * i + a];
      square += w[i] * w[i];
    }
    to[12 + a] = (slopes[12 + a] / p.heat + R(0.5) * (square * rho)) + w[3] * work;
  }
}

TRM_INLINE real fv_flow_inner(const real *q)
{
  return q[4] - R(0.5) * (((q[1] * q[1] + q[2] * q[2]) + q[3] * q[3]) / q[0]);
}

/* How much of the slopes leaves half of density and inner energy 0.7 cells from the middle: none in
 * gas without pressure. */
TRM_INLINE real fv_flow_scale(TRM_IN(real) mean)
{
  real scale = R(1.0), part = R(1.0), q[FV_VALUES];
  for (int i = 0; i < FV_VALUES; i++) q[i] = mean[i];
  const real least = R(0.5) * fv_flow_inner(q);
  if (!(least > R(0.0))) return R(0.0);
  for (int a = 0; a < 3; a++) {
    const real fall = R(0.7) * trm_fabs(mean[FV_VALUES + a]);
    if (fall > R(0.5) * mean[0]) scale = trm_min(scale, R(0.5) * mean[0] / fall);
  }
  for (int way = 0; way < 6; way++) {
    const real off = (way % 2 ? R(0.7) : -R(0.7)) * scale;
    for (int i = 0; i < FV_VALUES; i++)
      q[i] = mean[i] + off * mean[FV_VALUES + 3 * i + way / 2];
    const real inner = fv_flow_inner(q);
    if (inner < least) part = trm_min(part, least / (R(2.0) * least - inner));
  }
  return part * scale;
}

/* means: of each neighbourhood the state, and slopes about its middle. */
TRM_GROUP_KERNEL9(fv_flow_means, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(int) sides,
                  TRM_RO(int) joins, TRM_RO(real) shares, TRM_RO(real) hoods,
                  TRM_RO(real) contents, TRM_RO(real) w, TRM_RO(real) slopes,
                  TRM_RW(real) means)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_IN(real) hood = hoods + v * FV_HOOD_REALS;
      TRM_OUT(real) to = means + v * FV_FLOW_MEANS;
      const real all = hood[FV_HOOD_END];
      for (int i = 0; i < FV_VALUES; i++) to[i] = hood[FV_HOOD_OWN] * contents[v * FV_VALUES + i];
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        const real share = j >= 0 ? FV_TAKES(s, f) : R(0.0);
        if (share > R(0.0))
          for (int i = 0; i < FV_VALUES; i++) to[i] += share * contents[j * FV_VALUES + i];
      }
      for (int i = 0; i < FV_VALUES; i++) to[i] = all > R(0.0) ? to[i] / all : R(0.0);
      fv_flow_conserved_slopes(p, w + v * FV_VALUES, slopes + v * FV_FLOW_SLOPES, to + FV_VALUES);
      const real scale = all > R(0.0) && to[0] > R(0.0) ? fv_flow_scale(to) : R(0.0);
      for (int i = 0; i < FV_FLOW_SLOPES; i++) to[FV_VALUES + i] *= scale;
    }
  }
}

/* Adds a share of a neighbourhood's gas to a volume, at the volume's middle. The volume's cell is
 * `way` cells along an axis from the neighbourhood's. */
TRM_INLINE void fv_flow_hand(TRM_IN(real) mean, TRM_IN(real) hood, const fv_flow_gas *own,
                             const real share, const int axis, const real way, real *sum)
{
  const fv_flow_gas all = fv_hood_then(hood, R(1.0));
  real off[3];
  for (int a = 0; a < 3; a++)
    off[a] = (a == axis ? way : R(0.0)) + (own->at[a] - all.at[a]);
  for (int i = 0; i < FV_VALUES; i++)
    sum[i] += share * fv_flow_at(mean[i], mean + FV_VALUES + 3 * i, off);
}

/* Each volume holds what neighbourhoods with a share of it hand back. A neighbourhood that ends
 * without room keeps its gas, but dust keeps nothing. */
TRM_GROUP_KERNEL8(fv_flow_shares, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes,
                  TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) shares,
                  TRM_RO(real) hoods, TRM_RO(real) means, TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units && (hoods[v * FV_HOOD_REALS + FV_HOOD_END] > R(0.0) ||
                        hoods[v * FV_HOOD_REALS + FV_HOOD_OWN] == R(0.0))) {
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_IN(real) hood = hoods + v * FV_HOOD_REALS;
      const fv_flow_gas own = fv_gas_then(gas + v * FV_VOLUME_REALS, R(1.0));
      real sum[FV_VALUES];
      for (int i = 0; i < FV_VALUES; i++) sum[i] = R(0.0);
      fv_flow_hand(means + v * FV_FLOW_MEANS, hood, &own, hood[FV_HOOD_OWN], 0, R(0.0), sum);
      FV_EACH_SIDE(v, k, s, f) {
        const int i = FV_BEYOND(s, f);
        const real share = i >= 0 ? FV_HANDS(s, f) : R(0.0);
        if (share > R(0.0))
          fv_flow_hand(means + i * FV_FLOW_MEANS, hoods + i * FV_HOOD_REALS, &own, share, s / 2,
                       s % 2 ? -R(1.0) : R(1.0), sum);
      }
      for (int i = 0; i < FV_VALUES; i++) contents[v * FV_VALUES + i] = own.volume * sum[i];
    }
  }
}

/* flags: volumes that end without mass or pressure. asks: as fv_volumes_need has them. Such a
 * volume asks half of each neighbour, by the square of its opening. So further sweeps by these
 * asks, without slopes, give it some. In ordinary flow no volume asks. */
TRM_GROUP_KERNEL8(fv_flow_lack, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(real) gas,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(real) contents, TRM_RW(int) flags, TRM_RW(real) asks)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int k = volumes[v] / FV_CELL_PARTS;
      real own[FV_VALUES], largest = R(0.0);
      for (int i = 0; i < FV_VALUES; i++) own[i] = contents[v * FV_VALUES + i];
      FV_EACH_SIDE(v, k, s, f) largest = trm_max(largest, openings[f * FV_OPENING_REALS]);
      const int has = own[0] > R(0.0) && fv_flow_inner(own) > R(1e-3) * own[4];
      const int is_void = own[0] == R(0.0) && own[4] == R(0.0);
      flags[v] = gas[v * FV_VOLUME_REALS + FV_GAS_END] > R(0.0) && !has && !is_void;
      asks[v * FV_ASK_REALS + FV_ASK_NEED] = flags[v] ? R(1.0) : R(0.0);
      asks[v * FV_ASK_REALS + FV_ASK_RATE] =
          flags[v] && largest > R(0.0) ? R(0.5) / (largest * largest) : R(0.0);
    }
  }
}

/* States at the step's end. */
TRM_GROUP_KERNEL3(fv_flow_end, TRM_NO_SHARED, fv_params, TRM_RO(real) gas, TRM_RO(real) contents,
                  TRM_RW(real) q)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const real volume = gas[v * FV_VOLUME_REALS + FV_GAS_END];
      for (int i = 0; i < FV_VALUES; i++)
        q[v * FV_VALUES + i] = volume > R(0.0) ? contents[v * FV_VALUES + i] / volume : R(0.0);
    }
  }
}
