/* fv_volumes_flow_grip.h - friction at walls without slip, and heat at walls with a temperature.
 *
 * Velocities of the gas near a wall are taken relative to the body's rigid motion at their place. A
 * least-squares fit of eta (a + c x) has the slope a at the wall. eta is the distance from the
 * wall's plane, x the place from the wall. The fit goes over volumes behind one or two neighbours.
 * Weights are volumes, so slivers have none. A ridge of 1e-3 keeps c where places are few.
 *
 * The fit of 1 has the response 1/d to the whole neighbourhood. With kappa = dt mu A/(d m), summed
 * over the neighbourhood's walls, and k = max(0, kappa - 1/2), the impulse is
 * (J - k m (u_prov - u_old))/(1 + k). A steady state has J, the fit's. Heat follows in the same
 * way, with temperatures in place of velocities. */
#define FV_GRIP_WEIGHT 3
#define FV_GRIP_VELOCITY 4

TRM_INLINE int fv_flow_body_of(const fv_params p, TRM_IN(int) bodies, TRM_IN(int) owners,
                               const trm_index v, const int i)
{
  return bodies[v] > FV_SEVERAL_WALLS ? bodies[v]
                                      : owners[(i - p.units) * FV_OWNER_INTS + FV_OWNER_BODY];
}

TRM_INLINE int fv_flow_grips(TRM_IN(int) tables, const int body)
{
  return body >= 0 && tables[body * FV_SHAPE_INTS + FV_SHAPE_GRIPS];
}

/* The velocity of a wall: its body's, and that of its `spin`. Facets are planes, and a wall
 * slides along them. step: the step's length by a cell's side. */
TRM_INLINE void fv_flow_wall_speed(const fv_params p, TRM_IN(real) shapes, const int body,
                                   TRM_IN(real) wall, const real step, real *to)
{
  TRM_IN(real) n = wall + FV_WALL_VECTOR;
  TRM_IN(real) arm = wall + FV_WALL_ARM;
  const real slide = shapes[body * FV_SHAPE_REALS + FV_SHAPE_SLIDE] / p.inv_h;
  for (int a = 0; a < 3; a++) to[a] = wall[FV_WALL_VELOCITY + a] / step;
  if (slide == R(0.0)) return;
  const real square = (n[0] * n[0] + n[1] * n[1]) + n[2] * n[2];
  const real along = (arm[0] * n[1] - arm[1] * n[0]) * (slide / square);
  to[0] += -slide * arm[1] - along * n[0];
  to[1] += slide * arm[0] - along * n[1];
  to[2] += -along * n[2];
}

/* Normal equations of eta (a + c x), with the products of three velocities, of 1, and of T. */
typedef struct fv_grip_fit { real first, mixed[3], square[3][3], by[5], across[3][5]; } fv_grip_fit;

/* A wall as the fit sees it: its normal into the solid, how it moves, and turns; its T. */
typedef struct fv_grip_wall { real normal[3], velocity[3], spin[3], heat; } fv_grip_wall;

TRM_INLINE void fv_grip_add(const fv_grip_wall *wall, const real *at, const real weight,
                            TRM_IN(real) value, fv_grip_fit *f)
{
  const real eta = -((wall->normal[0] * at[0] + wall->normal[1] * at[1]) +
                     wall->normal[2] * at[2]);
  const real square = (at[0] * at[0] + at[1] * at[1]) + at[2] * at[2] + R(0.25);
  if (!(eta > R(0.0))) return;
  const real by = weight * eta / (square * square), own = by * eta;
  f->first += own;
  for (int a = 0; a < 3; a++) {
    f->mixed[a] += own * at[a];
    for (int b = 0; b < 3; b++) f->square[a][b] += own * (at[a] * at[b]);
  }
  for (int k = 0; k < 5; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const real rigid = k < 3 ? wall->velocity[k] + (wall->spin[i] * at[j] - wall->spin[j] * at[i])
                             : wall->heat;
    const real gain = by * (k == 3 ? R(1.0) : (k < 3 ? value[k] : value[4] / value[3]) - rigid);
    f->by[k] += gain;
    for (int a = 0; a < 3; a++) f->across[a][k] += gain * at[a];
  }
}

/* The slopes a at the wall. */
TRM_INLINE void fv_grip_solve(const fv_grip_fit *f, real *to)
{
  real m[3][3], inverse[3][3], z[3], rest = f->first;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) m[a][b] = f->square[a][b] + (a == b ? R(1e-3) * f->first : R(0.0));
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
      inverse[b][a] = m[a1][b1] * m[a2][b2] - m[a1][b2] * m[a2][b1];
    }
  const real determinant = (m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0]) +
                           m[0][2] * inverse[2][0];
  for (int a = 0; a < 3; a++)
    z[a] = determinant > R(0.0) ? ((inverse[a][0] * f->mixed[0] + inverse[a][1] * f->mixed[1]) +
                                   inverse[a][2] * f->mixed[2]) / determinant : R(0.0);
  for (int a = 0; a < 3; a++) rest -= z[a] * f->mixed[a];
  for (int k = 0; k < 5; k++) {
    real sum = f->by[k];
    for (int a = 0; a < 3; a++) sum -= z[a] * f->across[a][k];
    to[k] = rest > R(0.0) ? sum / rest : R(0.0);
  }
}

/* Adds the neighbours of volume i, which is `way` from the wall, and i itself. */
TRM_INLINE void fv_grip_gather(const fv_params p, const fv_grip_wall *wall, TRM_IN(real) places,
                               TRM_IN(int) near, TRM_IN(real) w, TRM_IN(int) fresh, const int i,
                               const real *way, fv_grip_fit *f)
{
  const real holds = fresh[i] == FV_FLOW_HOLDS ? places[i * FV_FLOW_PLACE] : R(0.0);
  TRM_IN(int) list = near + (i < p.units ? i : 0) * FV_NEAR_LIST_INTS;
  if (!(holds > R(0.0))) return;
  fv_grip_add(wall, way, holds * holds, w + i * FV_VALUES, f);
  for (int n = 1; i < p.units && n <= list[0]; n++) {
    const int j = FV_NEAR_VOLUME(list[n]);
    TRM_IN(real) other = places + j * FV_FLOW_PLACE;
    real at[3];
    if (fresh[j] != FV_FLOW_HOLDS) continue;
    fv_flow_way(list[n], places + i * FV_FLOW_PLACE, other, at);
    for (int a = 0; a < 3; a++) at[a] += way[a];
    fv_grip_add(wall, at, holds * other[0], w + j * FV_VALUES, f);
  }
}

/* grips: FV_FLOW_GRIP of each wall, by the fit. */
TRM_GROUP_KERNEL11(fv_flow_grip, TRM_NO_SHARED, fv_params, TRM_RO(real) shapes, TRM_RO(int) tables,
                   TRM_RO(int) bodies, TRM_RO(int) owners, TRM_RO(real) walls,
                   TRM_RO(real) places, TRM_RO(int) near, TRM_RO(real) w, TRM_RO(int) fresh,
                   TRM_RO(real) clock, TRM_RW(real) grips)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units)
      for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++) {
        TRM_IN(real) own = walls + (trm_index)i * FV_WALL_REALS;
        TRM_IN(int) list = near + v * FV_NEAR_LIST_INTS;
        TRM_OUT(real) to = grips + (trm_index)i * FV_FLOW_GRIP;
        const int body = fv_flow_body_of(p, bodies, owners, v, i);
        const real step = clock[FV_DT] * p.inv_h, size = fv_wall_size(own);
        for (int k = 0; k < FV_FLOW_GRIP; k++) to[k] = R(0.0);
        if (!(size > R(0.0)) || !fv_flow_grips(tables, body)) continue;
        fv_grip_wall wall;
        fv_grip_fit f;
        real way[3], slope[5], along = R(0.0), stress = size * step * (p.viscosity * p.inv_h);
        f.first = R(0.0);
        for (int a = 0; a < 3; a++) {
          wall.normal[a] = own[FV_WALL_VECTOR + a] / size;
          wall.spin[a] = shapes[body * FV_SHAPE_REALS + FV_SHAPE_SPIN + a] / step;
          way[a] = places[v * FV_FLOW_PLACE + 1 + a] - own[FV_WALL_CENTROID + a];
          f.mixed[a] = f.by[a] = R(0.0);
          for (int b = 0; b < 3; b++) f.square[a][b] = R(0.0);
          for (int k = 0; k < 5; k++) f.across[a][k] = R(0.0);
        }
        fv_flow_wall_speed(p, shapes, body, own, step, wall.velocity);
        wall.spin[2] += shapes[body * FV_SHAPE_REALS + FV_SHAPE_SLIDE] / p.inv_h;
        wall.heat = shapes[body * FV_SHAPE_REALS + FV_SHAPE_HEAT];
        f.by[3] = f.by[4] = R(0.0);
        fv_grip_gather(p, &wall, places, near, w, fresh, (int)v, way, &f);
        for (int n = 1; n <= list[0]; n++) {
          const int j = FV_NEAR_VOLUME(list[n]);
          real at[3];
          fv_flow_way(list[n], places + v * FV_FLOW_PLACE, places + j * FV_FLOW_PLACE, at);
          for (int a = 0; a < 3; a++) at[a] += way[a];
          fv_grip_gather(p, &wall, places, near, w, fresh, j, at, &f);
        }
        fv_grip_solve(&f, slope);
        if (FV_FORM_OF(p) & FV_SUTHERLAND)
          stress = stress * fv_viscosity(p, w[v * FV_VALUES + 4] / w[v * FV_VALUES + 3]);
        for (int a = 0; a < 3; a++) along += wall.normal[a] * slope[a];
        for (int a = 0; a < 3; a++) {
          to[a] = -stress * (slope[a] - along * wall.normal[a]);
          to[FV_GRIP_VELOCITY + a] = wall.velocity[a];
        }
        to[FV_GRIP_WEIGHT] = stress * trm_max(slope[3], R(0.0));
        to[FV_GRIP_HEAT] = wall.heat > R(0.0) ? -p.conduction * stress * slope[4] : R(0.0);
      }
  }
}

/* Adds a volume's part of a neighbourhood: contents at the stage's end, and at the step's begin. */
typedef struct fv_grip_hood { real now[FV_VALUES], old[FV_VALUES], weight; } fv_grip_hood;

TRM_INLINE real fv_grip_inner(const real *q)
{
  return q[0] > R(0.0) ? q[4] - R(0.5) * (((q[1] * q[1] + q[2] * q[2]) + q[3] * q[3]) / q[0])
                       : R(0.0);
}

TRM_INLINE void fv_grip_share(TRM_IN(int) bodies, TRM_IN(real) gas, TRM_IN(real) begin,
                              TRM_IN(real) contents, TRM_IN(real) grips, const trm_index v,
                              const real share, fv_grip_hood *to)
{
  const real held = share * gas[v * FV_VOLUME_REALS + FV_GAS_BEGIN];
  for (int k = 0; k < FV_VALUES; k++) {
    to->now[k] += share * contents[v * FV_VALUES + k];
    to->old[k] += held * begin[v * FV_VALUES + k];
  }
  for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++)
    to->weight += share * grips[(trm_index)i * FV_FLOW_GRIP + FV_GRIP_WEIGHT];
}

/* Impulses of walls that stay stable. pushes: momentum and energy that a volume gains. In dual time
 * walls have the fit's impulses, and the volume's whole change is damped: parts has the factor. */
TRM_GROUP_KERNEL12(fv_flow_drag, TRM_NO_SHARED, fv_params, TRM_RO(int) volumes, TRM_RO(int) sides,
                   TRM_RO(int) joins, TRM_RO(int) bodies, TRM_RO(real) gas, TRM_RO(real) shares,
                   TRM_RO(real) hoods, TRM_RO(real) begin, TRM_RO(real) contents,
                   TRM_RW(real) grips, TRM_RW(real) pushes, TRM_RW(real) parts)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      const int is_dual = FV_FORM_OF(p) & FV_IN_DUAL;
      const int k = volumes[v] / FV_CELL_PARTS;
      TRM_OUT(real) push = pushes + v * FV_FLOW_PUSHES;
      fv_grip_hood h;
      for (int i = 0; i < FV_VALUES; i++) h.now[i] = h.old[i] = R(0.0);
      h.weight = R(0.0);
      for (int i = 0; i < FV_FLOW_PUSHES; i++) push[i] = R(0.0);
      fv_grip_share(bodies, gas, begin, contents, grips, v, hoods[v * FV_HOOD_REALS + FV_HOOD_OWN],
                    &h);
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        const real share = j >= 0 ? FV_TAKES(s, f) : R(0.0);
        if (share > R(0.0)) fv_grip_share(bodies, gas, begin, contents, grips, j, share, &h);
      }
      const int is_held = h.now[0] > R(0.0) && h.weight > R(0.0);
      const real kappa = is_held ? p.alpha * h.weight / h.now[0] : R(0.0);
      const real slows = trm_max(R(0.0), kappa - R(0.5)), more = is_dual ? R(0.0) : slows;
      const real hot = p.conduction * p.heat * kappa;
      const real cools = trm_max(R(0.0), hot - R(0.5)), more_heat = is_dual ? R(0.0) : cools;
      const real inner = fv_grip_inner(h.now);
      const real gained = h.old[0] > R(0.0)
                            ? inner - h.now[0] * fv_grip_inner(h.old) / h.old[0] : R(0.0);
      if (is_dual) parts[v] = R(1.0) / (R(1.0) + trm_max(slows, cools));
      for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++) {
        TRM_OUT(real) own = grips + (trm_index)i * FV_FLOW_GRIP;
        const real part = is_held ? own[FV_GRIP_WEIGHT] / h.weight : R(0.0);
        for (int a = 0; a < 3; a++) {
          const real old = h.old[0] > R(0.0) ? h.now[0] * h.old[1 + a] / h.old[0] : h.now[1 + a];
          const real gain = is_held ? (p.alpha * own[a] - more * part * (h.now[1 + a] - old)) /
                                        (R(1.0) + more) : R(0.0);
          own[a] = gain / p.alpha;
          push[a] += gain;
          push[3] += gain * own[FV_GRIP_VELOCITY + a];
        }
        if (own[FV_GRIP_HEAT] != R(0.0)) {
          const real heat = is_held ? (p.alpha * own[FV_GRIP_HEAT] - more_heat * part * gained) /
                                        (R(1.0) + more_heat) : R(0.0);
          own[FV_GRIP_HEAT] = heat / p.alpha;
          push[3] += heat;
        }
      }
    }
  }
}

TRM_GROUP_KERNEL2(fv_flow_slow, TRM_NO_SHARED, fv_params, TRM_RO(real) pushes,
                  TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units)
      for (int i = 0; i < FV_FLOW_PUSHES; i++)
        contents[v * FV_VALUES + 1 + i] += pushes[v * FV_FLOW_PUSHES + i];
  }
}
