/* fv_volumes_flow_outer.h - where the control volumes of the list meet the whole cells of blocks.
 *
 * Whole cells beyond the list go by the stages of blocks (fv_stage.h). A face between both has one
 * flux, of the list. So an outer cell (fv_volumes_outer.h) with such a face is updated once more,
 * after the stage. Its other faces have the bits of the stage's fluxes.
 * Slopes of listed volumes read outer cells, and the stage reads listed cells of gas beside these.
 * So before a stage outer cells are fetched from blocks, and after it blocks have the state of
 * listed cells. Cells of several volumes have the mean.
 *
 * Parameters: outer cells, leaves or volumes from p.first on. p.values ends outer cells and leaves,
 * p.units ends volumes. Lengths and p.inv_h are the finest level's, where all of these are. slots:
 * the slot of each leaf of the lists. Blocks may be of single precision; lists and all arithmetic
 * here are double. */

/* Element i of an array of blocks. FV_VALUE_PLACE: the number of one that FV_VALUE names. */
#define FV_VALUE_PLACE(v, x, y, z) (&FV_VALUE(v, x, y, z) - w)
TRM_INLINE real fv_flow_held(const fv_params p, TRM_IN(real) from, const trm_index i)
{
  return FV_FORM_OF(p) & FV_IN_SINGLE ? (real)((TRM_IN(trm_single))from)[i] : from[i];
}

TRM_INLINE void fv_flow_put(const fv_params p, TRM_OUT(real) to, const trm_index i,
                            const real value)
{
  if (FV_FORM_OF(p) & FV_IN_SINGLE) ((TRM_OUT(trm_single))to)[i] = (trm_single)value;
  else to[i] = value;
}

/* The values and the conserved state of a cell, whose numbers begin at `at`. */
TRM_INLINE void fv_flow_put_values(const fv_params p, TRM_OUT(real) w, const trm_index at,
                                   const fv_cell c)
{
  const real values[FV_VALUES] = { c.u, c.v, c.w, c.rho, c.t };
  for (int k = 0; k < FV_VALUES; k++) fv_flow_put(p, w, at + k * FV_CELLS, values[k]);
}

TRM_INLINE void fv_flow_put_state(const fv_params p, TRM_OUT(real) q, const trm_index at,
                                  const real *state)
{
  for (int k = 0; k < FV_VALUES; k++) fv_flow_put(p, q, at + k * FV_CELLS, state[k]);
}

/* Values u, v, w, rho, gamma p of a block's cell at x, y, z, also beyond its sides. */
TRM_INLINE void fv_flow_fetch(const fv_params p, TRM_IN(real) w, TRM_IN(int) near,
                              const trm_index slot, const int x, const int y, const int z, real *to)
{
  for (int i = 0; i < FV_VALUES; i++) to[i] = fv_flow_held(p, w, FV_VALUE_PLACE(i, x, y, z));
  to[4] = to[3] * to[4];
}

/* Values of outer cells, with slopes along each axis as the stage has them. Viscous gas has
 * gradients, too. begin: the conserved state at the step's begin, which q has until the last stage
 * of blocks. */
TRM_GROUP_KERNEL11(fv_flow_outer, TRM_NO_SHARED, fv_params, TRM_RO(int) outer, TRM_RO(int) slots,
                   TRM_RO(int) near, TRM_RO(real) w, TRM_RO(real) q, TRM_RW(real) places,
                   TRM_RW(real) values, TRM_RW(int) fresh, TRM_RW(real) slopes,
                   TRM_RW(real) gradients, TRM_RW(real) begin)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = p.first + (trm_index)group * TRM_GROUP + lane, v = p.units + i;
    if (i < p.values) {
      const trm_index slot = slots[outer[i] / FV_CELLS];
      const int at = outer[i] % FV_CELLS;
      const int x = at % FV_SX, y = at / FV_SX % FV_SY, z = at / (FV_SX * FV_SY);
      real own[FV_VALUES];
      fv_flow_fetch(p, w, near, slot, x, y, z, own);
      for (int k = 0; k < FV_VALUES; k++) {
        values[v * FV_VALUES + k] = own[k];
        begin[i * FV_VALUES + k] = fv_flow_held(p, q, slot * FV_BLOCK + k * FV_CELLS + at);
      }
      for (int k = 0; k < FV_FLOW_PLACE; k++)
        places[v * FV_FLOW_PLACE + k] = k == 0 ? R(1.0) : R(0.0);
      fresh[v] = FV_FLOW_HOLDS;
      for (int a = 0; a < 3; a++) {
        const int is_along = a < FV_VOLUME_AXES;
        real low[FV_VALUES], high[FV_VALUES];
        fv_flow_fetch(p, w, near, slot, x - (a == 0), y - (a == 1), z - (a == 2 && is_along), low);
        fv_flow_fetch(p, w, near, slot, x + (a == 0), y + (a == 1), z + (a == 2 && is_along), high);
        for (int k = 0; k < FV_VALUES; k++)
          slopes[v * FV_FLOW_SLOPES + 3 * k + a] =
              FV_FORM_OF(p) & FV_LIMITED ? fv_slope(own[k] - low[k], high[k] - own[k])
                                         : R(0.5) * (high[k] - low[k]);
        if (p.viscosity > R(0.0) || p.is_plain) {
          TRM_OUT(real) to = gradients + v * FV_FLOW_GRADIENTS + a;
          for (int k = 0; k < 3; k++) to[3 * k] = R(0.5) * (high[k] - low[k]);
          to[9] = R(0.5) * (high[4] / high[3] - low[4] / low[3]);
        }
      }
    }
  }
}

/* Listed cells of gas that was beyond the list in the step before, or all (p.begins), have the
 * block's state at the begin. */
TRM_GROUP_KERNEL6(fv_flow_enter, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(int) list,
                  TRM_RO(int) slots, TRM_RO(int) olds, TRM_RO(real) q, TRM_RW(real) state)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = p.first + (trm_index)group * TRM_GROUP + lane;
    if (v < p.units && (p.begins || olds[v * FV_OLD_INTS] == 0)) {
      const int cell = list[volumes[v] / FV_CELL_PARTS];
      const trm_index at = (trm_index)slots[cell / FV_CELLS] * FV_BLOCK + cell % FV_CELLS;
      for (int k = 0; k < FV_VALUES; k++)
        state[v * FV_VALUES + k] = fv_flow_held(p, q, at + k * FV_CELLS);
    }
  }
}

/* ---- outer cells ---------------------------------------------------------------------------- */

/* Whether an outer cell has a face to a listed one. */
TRM_INLINE int fv_flow_is_beside(TRM_IN(int) outer_sides, const trm_index i)
{
  int is_beside = 0;
  for (int s = 0; s < FV_CELL_SIDES; s++) is_beside |= outer_sides[i * FV_CELL_SIDES + s] >= 0;
  return is_beside;
}

/* The cells about a group's faces lie in the place of a block's ring, where fv_face finds them.
 * These are the cells m, c, d and e, and the cells beside c and d along a and b, up and down. */
typedef struct fv_flow_about { real w[FV_VALUES * FV_RING_REALS]; } fv_flow_about;
#define FV_OUTER_BY(k) ((k) * FV_OUTER_FACES)

TRM_INLINE void fv_flow_put_about(const fv_params p, TRM_IN(real) w, TRM_IN(int) near,
                                  const trm_index slot, const int *at, const int *way,
                                  const int n, TRM_LOCAL real *to)
{
  const int x = at[0] + way[0], y = at[1] + way[1], z = FV_SZ > 1 ? at[2] + way[2] : 0;
  const int values[FV_VALUES] = { n, (n + 1) % 3, (n + 2) % 3, 3, 4 };
  for (int k = 0; k < FV_VALUES; k++)
    to[k * FV_RING_REALS] = fv_flow_held(p, w, FV_VALUE_PLACE(values[k], x, y, z));
}

/* 0 at a closed side of the grid (FV_IS_CLOSED), else 1. */
TRM_INLINE real fv_flow_opens(const fv_params p, TRM_IN(int) near, const trm_index slot,
                              const int *at, const int side)
{
  const int last = side % 2 ? side < 2 ? FV_SX : side < 4 ? FV_SY : FV_SZ : 1;
  const int stride = side < 2 ? 1 : side < 4 ? 3 : 9;
  const int is_last = at[side / 2] + 1 == last;
  return is_last && FV_IS_CLOSED(side, 13 + (side % 2 ? stride : -stride)) ? R(0.0) : R(1.0);
}

/* fluxes: of each side of an outer cell beside the list, where the list has no face part. */
TRM_GROUP_KERNEL6(fv_flow_outer_fluxes, fv_flow_about, fv_params, TRM_RO(int) outer,
                  TRM_RO(int) slots, TRM_RO(int) outer_sides, TRM_RO(int) near, TRM_RO(real) w,
                  TRM_RW(real) fluxes)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_flow_about, s);
  TRM_SERIAL(i, FV_OUTER_FACES) {
    const trm_index face = (trm_index)p.first * FV_CELL_SIDES +
                           (trm_index)group * FV_OUTER_FACES + i;
    const trm_index own = face / FV_CELL_SIDES;
    const int side = (int)(face % FV_CELL_SIDES), n = side / 2, a = (n + 1) % 3, b = (n + 2) % 3;
    if (own < p.values && outer_sides[face] < 0 && n < FV_VOLUME_AXES &&
        fv_flow_is_beside(outer_sides, own)) {
      const trm_index slot = slots[outer[own] / FV_CELLS];
      const int cell = outer[own] % FV_CELLS;
      const int at[3] = { cell % FV_SX, cell / FV_SX % FV_SY, cell / (FV_SX * FV_SY) };
      TRM_OUT(real) to = fluxes + face * FV_VALUES;
      for (int k = 0; k < 12; k++) { /* along n, from c on; then beside c and d */
        int way[3] = { 0, 0, 0 };
        way[n] = (k < 4 ? k - 1 : k % 2) - (side % 2 ? 0 : 1);
        if (k >= 4) way[k < 8 ? a : b] = k / 2 % 2 ? -1 : 1;
        fv_flow_put_about(p, w, near, slot, at, way, n, s.w + FV_OUTER_BY(k) + i);
      }
      const fv_flux f =
          fv_face(p, FV_FORM_OF(p), s.w, fv_flow_opens(p, near, slot, at, side), 0, 1, 2, i,
                  FV_OUTER_BY(1) + i, FV_OUTER_BY(2) + i, FV_OUTER_BY(3) + i, FV_OUTER_BY(3),
                  FV_OUTER_BY(5), FV_OUTER_BY(7), FV_OUTER_BY(9));
      to[0] = f.mass;
      to[1 + n] = f.along;
      to[1 + a] = f.across_a;
      to[1 + b] = f.across_b;
      to[4] = f.energy;
    }
  }
}

/* The flux of value k through a side of an outer cell, by time. The list has fluxes of a step, by
 * face part. */
#define FV_OUTER_OUT(side, k) \
  (parts[side] >= 0 ? per_step * fluxes[parts[side] * FV_VALUES + (k)] \
                    : others[(side) * FV_VALUES + (k)])
#define FV_OUTER_ALONG(a, k) (FV_OUTER_OUT(2 * (a) + 1, k) - FV_OUTER_OUT(2 * (a), k))
#define FV_OUTER_LEAVES(k) \
  fv_of_axes(FV_OUTER_ALONG(0, k), FV_OUTER_ALONG(1, k), \
             FV_SZ > 1 ? FV_OUTER_ALONG(2, k) : R(0.0))

/* fv_residual, of a cell whose numbers of `given` are here. */
TRM_INLINE fv_state fv_flow_residual(const fv_params p, const real per_dt, const fv_state q,
                                     const fv_state leaves, const real *here)
{
  const fv_state r = { trm_fma(p.inv_h, leaves.mass, trm_fma(per_dt, q.mass, -here[0])),
                       trm_fma(p.inv_h, leaves.u, trm_fma(per_dt, q.u, -here[1])),
                       trm_fma(p.inv_h, leaves.v, trm_fma(per_dt, q.v, -here[2])),
                       trm_fma(p.inv_h, leaves.w, trm_fma(per_dt, q.w, -here[3])),
                       trm_fma(p.inv_h, leaves.energy, trm_fma(per_dt, q.energy, -here[4])) };
  return r;
}

/* After the stage; w: its result. q: of the last stage. given: in dual time (fv_local_step.h). */
TRM_GROUP_KERNEL10(fv_flow_outer_update, TRM_NO_SHARED, fv_params, TRM_RO(int) outer,
                  TRM_RO(int) slots, TRM_RO(int) outer_sides, TRM_RO(real) begin,
                  TRM_RO(real) fluxes, TRM_RO(real) outer_fluxes, TRM_RO(real) clock,
                  TRM_RO(real) given, TRM_RW(real) w, TRM_RW(real) q)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = p.first + (trm_index)group * TRM_GROUP + lane;
    if (i < p.values && FV_RUNS(clock) && fv_flow_is_beside(outer_sides, i)) {
      const trm_index slot = slots[outer[i] / FV_CELLS];
      const int at = outer[i] % FV_CELLS;
      const real per_step = R(1.0) / (clock[FV_DT] * p.inv_h);
      TRM_IN(int) parts = outer_sides + i * FV_CELL_SIDES;
      TRM_IN(real) others = outer_fluxes + i * FV_CELL_SIDES * FV_VALUES;
      TRM_IN(real) from = begin + i * FV_VALUES;
      const fv_state before = { from[0], from[1], from[2], from[3], from[4] };
      fv_state leaves = { FV_OUTER_LEAVES(0), FV_OUTER_LEAVES(1), FV_OUTER_LEAVES(2),
                          FV_OUTER_LEAVES(3), FV_OUTER_LEAVES(4) };
      real length = clock[FV_DT] * p.alpha * p.inv_h;
      if (FV_FORM_OF(p) & FV_IN_DUAL) {
        real here[FV_VALUES];
        for (int k = 0; k < FV_VALUES; k++)
          here[k] = fv_flow_held(p, given, slot * FV_BLOCK + k * FV_CELLS + at);
        leaves = fv_flow_residual(p, clock[FV_PER_DT], before, leaves, here);
        length = fv_pseudo_step(p, clock[FV_PER_DT], before);
      }
      const real state[FV_VALUES] = {
        trm_fma(-length, leaves.mass, before.mass), trm_fma(-length, leaves.u, before.u),
        trm_fma(-length, leaves.v, before.v), trm_fma(-length, leaves.w, before.w),
        trm_fma(-length, leaves.energy, before.energy)
      };
      fv_cell c = fv_values(p, state[0], state[1], state[2], state[3], state[4]);
      if (!p.is_last) /* as in fv_update.h */
        c.t = trm_more(c.t, R(1e-4) * p.heat * before.energy * trm_near_reciprocal(state[0]));
      fv_flow_put_values(p, w, slot * FV_BLOCK + at, c);
      if (p.is_last) fv_flow_put_state(p, q, slot * FV_BLOCK + at, state);
    }
  }
}

/* In single precision, values of these cells from the state that blocks keep, after a step and
 * where a run goes on. So they are the same in both. */
TRM_GROUP_KERNEL5(fv_flow_outer_start, TRM_NO_SHARED, fv_params, TRM_RO(int) outer,
                  TRM_RO(int) slots, TRM_RO(int) outer_sides, TRM_RO(real) q, TRM_RW(real) w)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = p.first + (trm_index)group * TRM_GROUP + lane;
    if (i < p.values && fv_flow_is_beside(outer_sides, i)) {
      const trm_index at = (trm_index)slots[outer[i] / FV_CELLS] * FV_BLOCK + outer[i] % FV_CELLS;
      real state[FV_VALUES];
      for (int k = 0; k < FV_VALUES; k++) state[k] = fv_flow_held(p, q, at + k * FV_CELLS);
      fv_flow_put_values(p, w, at,
                         fv_values(p, state[0], state[1], state[2], state[3], state[4]));
    }
  }
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The gas of a listed cell: the mean state of its volumes, and the largest rate of these. */
typedef struct fv_flow_cell { real q[FV_VALUES], rate; } fv_flow_cell;

TRM_INLINE fv_flow_cell fv_flow_mean(const fv_params p, TRM_IN(int) kept, TRM_IN(real) gas,
                                     TRM_IN(real) state)
{
  fv_flow_cell c;
  real volume = R(0.0);
  c.rate = R(0.0);
  for (int k = 0; k < FV_VALUES; k++) c.q[k] = R(0.0);
  for (int i = 0; i < kept[FV_KEPT_COUNT]; i++) {
    const trm_index v = kept[FV_KEPT_FIRST] + i;
    TRM_IN(real) own = state + v * FV_VALUES;
    const real holds = fv_gas_then(gas + v * FV_VOLUME_REALS, p.alpha).volume;
    if (!(holds > R(0.0)) || (own[0] == R(0.0) && own[4] == R(0.0))) continue;
    for (int k = 0; k < FV_VALUES; k++) c.q[k] += holds * own[k];
    volume += holds;
    c.rate = trm_more(c.rate, fv_rate(p, fv_values(p, own[0], own[1], own[2], own[3], own[4])));
  }
  for (int k = 0; k < FV_VALUES; k++)
    c.q[k] = volume > R(0.0) ? kept[FV_KEPT_COUNT] == 1 ? state[(trm_index)kept[FV_KEPT_FIRST] *
                                                                FV_VALUES + k]
                                                        : c.q[k] / volume
                             : R(0.0);
  return c;
}

/* A group has the block of a leaf, if there is one more. Solid cells are at rest, and take no part
 * in the step's length. part: by slot the largest rate, after the last stage and where p.begins. */
TRM_GROUP_KERNEL10(fv_flow_blocks, fv_rates, fv_params, TRM_RO(int) slots, TRM_RO(int) kinds,
                   TRM_RO(int) list, TRM_RO(int) kept_cells, TRM_RO(real) gas, TRM_RO(real) state,
                   TRM_RO(real) clock, TRM_RW(real) w, TRM_RW(real) q, TRM_RW(real) part)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_rates, s);
  const int leaf = p.first + group, asks = p.begins || p.is_last;
  const trm_index slot = slots[leaf < p.values ? leaf : 0];
  if (leaf < p.values && (p.begins || FV_RUNS(clock))) {
    TRM_SERIAL(i, FV_SX * FV_SY) {
      real fastest = R(0.0);
      for (int z = 0; z < FV_SZ; z++) {
        const int at = z * FV_SX * FV_SY + i, cell = leaf * FV_CELLS + at;
        const trm_index place = slot * FV_BLOCK + at;
        const int is_listed = fv_is_listed(list, kinds, cell);
        fv_cell c;
        if (is_listed || FV_FOUND_KIND(kinds[cell]) == FV_FOUND_SOLID) {
          fv_flow_cell own;
          for (int k = 0; k < FV_VALUES; k++) own.q[k] = R(0.0);
          own.rate = R(0.0);
          if (is_listed)
            own = fv_flow_mean(p, kept_cells + (trm_index)FV_FOUND_PLACE(kinds[cell]) *
                                                 FV_KEPT_INTS, gas, state);
          const int is_gas = own.q[0] > R(0.0);
          c = fv_values(p, own.q[0], own.q[1], own.q[2], own.q[3], own.q[4]);
          c.u = is_gas ? c.u : R(0.0);
          c.v = is_gas ? c.v : R(0.0);
          c.w = is_gas ? c.w : R(0.0);
          c.rho = is_gas ? c.rho : R(1.0);
          c.t = is_gas ? c.t : R(1.0);
          fv_flow_put_values(p, w, place, c);
          for (int k = 0; k < FV_VALUES; k++) own.q[k] = is_gas ? own.q[k] : R(0.0);
          if (asks) fv_flow_put_state(p, q, place, own.q);
          fastest = trm_more(fastest, own.rate);
        } else if (asks) {
          c.u = fv_flow_held(p, w, place);
          c.v = fv_flow_held(p, w, place + FV_CELLS);
          c.w = fv_flow_held(p, w, place + 2 * FV_CELLS);
          c.rho = fv_flow_held(p, w, place + 3 * FV_CELLS);
          c.t = fv_flow_held(p, w, place + 4 * FV_CELLS);
          fastest = trm_more(fastest, fv_rate(p, c));
        }
      }
      s.speed[i] = fastest;
    }
    if (asks) {
      for (int fold = FV_SX * FV_SY / 2; fold > 0; fold /= 2)
        TRM_EACH(i, fold) { s.speed[i] = trm_more(s.speed[i], s.speed[i + fold]); }
      TRM_EACH(i, 1) { fv_flow_put(p, part, slot, s.speed[0]); }
    }
  }
}
