/* fv_volumes_weights.h - the neighbourhoods of control volumes, from geometry alone.
 *
 * A volume that has little gas for its openings takes shares of its neighbours: weighted state
 * redistribution (Berger and Giuliani, J. Comput. Phys. 428 (2021) 109820 and 2024), with a target
 * from openings. So a gap between walls needs nothing, but a sliver does. The target is half of the
 * largest side's opening. The need is the target less the lesser of V0 and V1. Volume i asks its
 * neighbour j for the share need_i A_ij^2 / sum_k(A_ik^2 Vm_k), with Vm = (V0 + V1)/2. So the
 * shares that a volume asks hold its need in all. A covered volume never asks a covered one. A
 * volume gives half of its gas at most; the rest is its own share.
 *
 * Dust, a volume without gas, has no neighbourhood. It gives what it has by its openings. A
 * neighbourhood of its own would have less gas than the slivers that it takes shares of. So it
 * would hold their noise, and hand it back.
 *
 * Cells of gas beside a cut one are listed (fv_volumes_find.h). Their need is 0, so no volume
 * beyond the list is asked. */
#define FV_TARGET R(0.5)
#define FV_GIVES_MOST R(0.5)

/* The mean volume of the step. */
TRM_INLINE real fv_volume_between(TRM_IN(real) own)
{
  return R(0.5) * (own[FV_GAS_BEGIN] + own[FV_GAS_END]);
}

/* Whether a volume may ask another one, by the gas of both. */
TRM_INLINE int fv_may_ask(TRM_IN(real) own, TRM_IN(real) other)
{
  return fv_volume_between(own) > R(0.0) && fv_volume_between(other) > R(0.0) &&
         (own[FV_GAS_END] > R(0.0) || other[FV_GAS_END] > R(0.0));
}

/* The share that dust gives to a volume with gas at the end, at an opening of 1. Dust is a volume
 * without gas. It has what its openings and walls leave, and gives all of it. 0: it gives none. */
TRM_INLINE real fv_dust_rate(TRM_IN(real) gas, TRM_IN(int) sides, TRM_IN(int) joins,
                             TRM_IN(real) openings, const int v, const int k)
{
  real open = R(0.0);
  if (fv_volume_between(gas + v * FV_VOLUME_REALS) > R(0.0)) return R(0.0);
  FV_EACH_SIDE(v, k, s, f) {
    const int j = FV_BEYOND(s, f);
    if (j >= 0 && gas[j * FV_VOLUME_REALS + FV_GAS_END] > R(0.0))
      open += openings[f * FV_OPENING_REALS];
  }
  return open > R(0.0) ? R(1.0) / open : R(0.0);
}

TRM_GROUP_KERNEL6(fv_volumes_need, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RW(real) asks)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_IN(real) own = gas + v * FV_VOLUME_REALS;
      TRM_OUT(real) to = asks + v * FV_ASK_REALS;
      real open[FV_CELL_SIDES], largest = R(0.0), sum = R(0.0);
      for (int s = 0; s < FV_CELL_SIDES; s++) open[s] = R(0.0);
      FV_EACH_SIDE(v, k, s, f) open[s] += openings[f * FV_OPENING_REALS];
      for (int s = 0; s < FV_CELL_SIDES; s++) largest = trm_max(largest, open[s]);
      const real lacks = FV_TARGET * largest - trm_min(own[FV_GAS_BEGIN], own[FV_GAS_END]);
      if (lacks > R(0.0))
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          TRM_IN(real) other = gas + (j < 0 ? 0 : j) * FV_VOLUME_REALS;
          const real opening = openings[f * FV_OPENING_REALS];
          if (j >= 0 && fv_may_ask(own, other))
            sum += opening * opening * fv_volume_between(other);
        }
      const real dust = fv_dust_rate(gas, sides, joins, openings, (int)v, k);
      to[FV_ASK_NEED] = dust > R(0.0) ? R(0.0) : trm_max(R(0.0), lacks);
      to[FV_ASK_RATE] = dust > R(0.0) ? -dust : sum > R(0.0) ? lacks / sum : R(0.0);
    }
  }
}

/* The share that volume i asks of volume j through an opening. */
TRM_INLINE real fv_asked(TRM_IN(real) gas, TRM_IN(real) asks, const int i, const int j,
                         const real opening)
{
  const real rate = asks[i * FV_ASK_REALS + FV_ASK_RATE];
  return rate > R(0.0) && fv_may_ask(gas + i * FV_VOLUME_REALS, gas + j * FV_VOLUME_REALS)
           ? rate * (opening * opening) : R(0.0);
}

TRM_GROUP_KERNEL7(fv_volumes_give, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(real) asks, TRM_RW(real) gives)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      real sum = R(0.0);
      FV_EACH_SIDE(v, k, s, f) {
        const int i = FV_BEYOND(s, f);
        if (i >= 0) sum += fv_asked(gas, asks, i, (int)v, openings[f * FV_OPENING_REALS]);
      }
      gives[v * FV_GIVE_REALS + FV_GIVE_PART] = sum > FV_GIVES_MOST ? FV_GIVES_MOST / sum : R(1.0);
      gives[v * FV_GIVE_REALS + FV_GIVE_OWN] =
          asks[v * FV_ASK_REALS + FV_ASK_RATE] < R(0.0) ? R(0.0)
                                                        : R(1.0) - trm_min(sum, FV_GIVES_MOST);
    }
  }
}

/* Adds a share of a volume's gas to a neighbourhood's, at both ends. The volume's cell is `way`
 * cells along an axis from the neighbourhood's. */
TRM_INLINE void fv_add_share(TRM_IN(real) gas, const real share, const int axis, const real way,
                             TRM_OUT(real) to)
{
  for (int end = 0; end < 2; end++) {
    TRM_IN(real) from = gas + 4 * end;
    to[4 * end] += share * from[0];
    for (int a = 0; a < 3; a++)
      to[4 * end + 1 + a] += share * (a == axis ? from[1 + a] + way * from[0] : from[1 + a]);
  }
}

/* The sizes of a volume's walls. So walls of two bodies that face each other do not cancel. */
TRM_INLINE real fv_wall_sizes(TRM_IN(real) walls, TRM_IN(int) bodies, const trm_index v)
{
  real sum = R(0.0);
  for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++)
    sum += fv_wall_size(walls + (trm_index)i * FV_WALL_REALS);
  return sum;
}

TRM_GROUP_KERNEL11(fv_volumes_hood, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                   TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins,
                   TRM_RO(real) openings, TRM_RO(int) bodies, TRM_RO(real) walls,
                   TRM_RO(real) asks, TRM_RO(real) gives, TRM_RW(real) shares, TRM_RW(real) hoods)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      const real own = gives[v * FV_GIVE_REALS + FV_GIVE_OWN];
      TRM_OUT(real) to = hoods + v * FV_HOOD_REALS;
      to[FV_HOOD_OWN] = own;
      to[FV_HOOD_NEED] = asks[v * FV_ASK_REALS + FV_ASK_NEED];
      to[FV_HOOD_WALL] = own * fv_wall_sizes(walls, bodies, v);
      for (int i = 0; i < FV_VOLUME_REALS; i++)
        to[FV_HOOD_BEGIN + i] = own * gas[v * FV_VOLUME_REALS + i];
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        real share = R(0.0);
        if (j >= 0)
          share = gives[j * FV_GIVE_REALS + FV_GIVE_PART] *
                  fv_asked(gas, asks, (int)v, j, openings[f * FV_OPENING_REALS]);
        shares[f * FV_SHARE_REALS + !(s % 2)] = share;
        if (share > R(0.0)) {
          fv_add_share(gas + j * FV_VOLUME_REALS, share, s / 2, s % 2 ? R(1.0) : -R(1.0),
                       to + FV_HOOD_BEGIN);
          to[FV_HOOD_WALL] += share * fv_wall_sizes(walls, bodies, j);
        }
      }
    }
  }
}
