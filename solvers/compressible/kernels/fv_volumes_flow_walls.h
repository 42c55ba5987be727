/* fv_volumes_flow_walls.h - what walls do to the gas of control volumes, and forces on bodies.
 *
 * A volume of several bodies has a wall of each. So does its neighbourhood, where sizes add up: gas
 * in a narrow gap between two bodies is held by both. */

/* gamma p at a wall, by the exact Riemann problem; into: how fast the gas runs into the wall. */
TRM_INLINE real fv_flow_push(const fv_params p, const real rho, const real gp, const real into)
{
  const real gamma = R(1.0) / p.inv_gamma, sound = trm_sqrt(gp / rho);
  if (into <= R(0.0)) {
    const real z = R(1.0) + R(0.5) * (into / (p.enthalpy * sound));
    return z > R(0.0) ? gp * fv_power(z, R(2.0) * gamma * p.enthalpy) : R(0.0);
  }
  const real h = R(0.5) * gamma * (gamma + R(1.0)) * rho * (into * into);
  const real base = gp * (R(1.0) + R(1.0) / (p.enthalpy * (gamma + R(1.0))));
  return gp + R(0.5) * (h + trm_sqrt(h * h + R(4.0) * h * base));
}

/* pressures: gamma p at each wall. Where walls would stop the neighbourhood's gas within a part of
 * the step, the difference to the gas is reduced. */
TRM_GROUP_KERNEL8(fv_flow_walls, TRM_NO_SHARED, fv_params, TRM_RO(int) bodies,
                  TRM_RO(real) places, TRM_RO(real) walls, TRM_RO(real) hoods, TRM_RO(real) w,
                  TRM_RO(real) slopes, TRM_RO(real) clock, TRM_RW(real) pressures)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      TRM_IN(real) hood = hoods + v * FV_HOOD_REALS;
      const real step = clock[FV_DT] * p.inv_h, all = fv_hood_then(hood, p.alpha).volume;
      for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++) {
        TRM_IN(real) wall = walls + (trm_index)i * FV_WALL_REALS;
        const real size = fv_wall_size(wall);
        real there[FV_VALUES], off[3], into = R(0.0);
        pressures[i] = R(0.0);
        if (!(size > R(0.0))) continue;
        for (int a = 0; a < 3; a++)
          off[a] = wall[FV_WALL_CENTROID + a] - places[v * FV_FLOW_PLACE + 1 + a];
        fv_flow_reach(w + v * FV_VALUES, slopes + v * FV_FLOW_SLOPES, off, there);
        for (int a = 0; a < 3; a++)
          into += wall[FV_WALL_VECTOR + a] * (there[a] - wall[FV_WALL_VELOCITY + a] / step);
        if (there[3] > R(2.0) * FV_FLOW_VACUUM) {
          const real push = fv_flow_push(p, there[3], there[4], into / size);
          const real stiff = step * trm_sqrt(there[4] / there[3]) * hood[FV_HOOD_WALL];
          const int is_thin = stiff > R(2.0) * all;
          const real part = is_thin ? R(2.0) * (all / stiff) : R(1.0);
          pressures[i] = is_thin ? there[4] + part * (push - there[4]) : push;
        }
      }
    }
  }
}

/* ---- forces -------------------------------------------------------------------------------- */

#define FV_FLOW_LANES 64
typedef struct fv_flow_forced { real lane[FV_FLOW_FORCES][FV_FLOW_LANES]; } fv_flow_forced;

TRM_INLINE void fv_flow_add_force(TRM_IN(real) wall, TRM_IN(real) grip, const int grips,
                                  const real pressure, const real step, real *to)
{
  TRM_IN(real) arm = wall + FV_WALL_ARM;
  real push[3];
  to[FV_FLOW_HEAT] -= grips ? grip[FV_GRIP_HEAT] : R(0.0);
  for (int a = 0; a < 3; a++) {
    const real friction = grips ? -grip[a] : R(0.0);
    push[a] = step * (pressure * wall[FV_WALL_VECTOR + a]);
    to[FV_FLOW_IMPULSE + a] += push[a];
    to[FV_FLOW_FRICTION + a] += friction;
    to[FV_FLOW_WORK] += grips ? friction * grip[FV_GRIP_VELOCITY + a] : R(0.0);
    push[a] += friction;
  }
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    to[FV_FLOW_MOMENT + a] += arm[b] * push[c] - arm[c] * push[b];
  }
  to[FV_FLOW_WORK] += pressure * wall[FV_WALL_SWEPT];
}

/* parts: FV_FLOW_FORCES of each body, each of as many sums as p.walls has chunks. A group adds up a
 * chunk for a body. */
TRM_GROUP_KERNEL7(fv_flow_forces, fv_flow_forced, fv_params, TRM_RO(int) bodies,
                  TRM_RO(int) owners, TRM_RO(real) walls, TRM_RO(real) pressures,
                  TRM_RO(real) grips, TRM_RO(real) clock, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_flow_forced, s);
  const int chunks = (p.walls + FV_FLOW_CHUNK - 1) / FV_FLOW_CHUNK;
  const int body = group / chunks, first = group % chunks * FV_FLOW_CHUNK;
  const int end = p.walls - first < FV_FLOW_CHUNK ? p.walls : first + FV_FLOW_CHUNK;
  TRM_SERIAL(lane, FV_FLOW_LANES) {
    real sum[FV_FLOW_FORCES];
    for (int k = 0; k < FV_FLOW_FORCES; k++) sum[k] = R(0.0);
    for (trm_index i = first + lane; i < end; i += FV_FLOW_LANES) {
      const int own = i < p.units ? bodies[i]
                                  : owners[(i - p.units) * FV_OWNER_INTS + FV_OWNER_BODY];
      if (own == body)
        fv_flow_add_force(walls + i * FV_WALL_REALS, grips + i * FV_FLOW_GRIP,
                          p.viscosity > R(0.0), p.inv_gamma * pressures[i],
                          clock[FV_DT] * p.inv_h, sum);
    }
    for (int k = 0; k < FV_FLOW_FORCES; k++) s.lane[k][lane] = sum[k];
  }
  for (int fold = FV_FLOW_LANES / 2; fold > 0; fold /= 2)
    TRM_EACH(i, fold) {
      for (int k = 0; k < FV_FLOW_FORCES; k++) s.lane[k][i] = s.lane[k][i] + s.lane[k][i + fold];
    }
  TRM_EACH(k, FV_FLOW_FORCES) {
    parts[((trm_index)body * FV_FLOW_FORCES + k) * chunks + group % chunks] = s.lane[k][0];
  }
}
