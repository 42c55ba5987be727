/* fv_volumes_flow_stress.h - viscous stress and heat through the face parts of control volumes.
 *
 * Launched where the gas is viscous. Gradients are least squares without a limit. At a face they
 * are the mean of both sides. Along the normal a tenth of the difference that both values have
 * beside that mean is added, as in fv_face. Walls that hold the gas fast count in gradients of
 * velocities, and walls with a temperature in those of T. */

/* The gradient of T = gamma p / rho. */
TRM_INLINE real fv_flow_of_heat(TRM_IN(real) value, const real rho, const real pressure)
{
  return (pressure - value[4] / value[3] * rho) / value[3];
}

/* Adds a wall to the least squares of velocities, and of T. A wall without a temperature has the
 * volume's own. */
TRM_INLINE void fv_flow_add_wall(TRM_IN(real) wall, TRM_IN(real) place, TRM_IN(real) value,
                                 const real *speed, const real heat, fv_flow_fit *f, real *hot)
{
  real way[3];
  for (int a = 0; a < 3; a++) way[a] = wall[FV_WALL_CENTROID + a] - place[1 + a];
  const real weight = fv_wall_size(wall) /
                      (((way[0] * way[0] + way[1] * way[1]) + way[2] * way[2]) + R(0.25));
  for (int a = 0; a < 3; a++) {
    f->square[a] += weight * (way[a] * way[a]);
    f->square[3 + a] += weight * (way[a] * way[(a + 1) % 3]);
    for (int i = 0; i < 3; i++)
      f->product[a][i] += weight * (way[a] * (speed[i] - value[i]));
    hot[a] += heat > R(0.0) ? weight * (way[a] * (heat - value[4] / value[3])) : R(0.0);
  }
}

TRM_GROUP_KERNEL11(fv_flow_gradients, TRM_NO_SHARED, fv_params, TRM_RO(real) shapes,
                   TRM_RO(int) tables,
                   TRM_RO(int) bodies, TRM_RO(int) owners, TRM_RO(real) walls,
                   TRM_RO(real) places, TRM_RO(int) near, TRM_RO(real) w, TRM_RO(int) fresh,
                   TRM_RO(real) clock, TRM_RW(real) gradients)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.units) {
      TRM_OUT(real) to = gradients + v * FV_FLOW_GRADIENTS;
      for (int i = 0; i < FV_FLOW_GRADIENTS; i++) to[i] = R(0.0);
      if (fresh[v] == FV_FLOW_HOLDS) {
        fv_flow_fit f;
        real inverse[3][3], hot[3];
        int has_heat = 0;
        TRM_IN(real) own = w + v * FV_VALUES;
        fv_flow_gather(places, near + v * FV_NEAR_LIST_INTS, w, fresh, v, &f);
        fv_flow_invert(&f, inverse);
        for (int a = 0; a < 3; a++)
          hot[a] = fv_flow_of_heat(own, f.product[a][3], f.product[a][4]);
        for (int a = 0; a < 3; a++)
          to[9 + a] = (inverse[a][0] * hot[0] + inverse[a][1] * hot[1]) + inverse[a][2] * hot[2];
        for (int i = FV_WALLS_FIRST(v, bodies[v]); i < FV_WALLS_END(v, bodies[v]); i++) {
          const int body = fv_flow_body_of(p, bodies, owners, v, i);
          if (p.is_plain || !fv_flow_grips(tables, body)) continue;
          const real heat = shapes[body * FV_SHAPE_REALS + FV_SHAPE_HEAT];
          TRM_IN(real) wall = walls + (trm_index)i * FV_WALL_REALS;
          real speed[3];
          if (!(fv_wall_size(wall) > R(0.0))) continue;
          has_heat |= heat > R(0.0);
          fv_flow_wall_speed(p, shapes, body, wall, clock[FV_DT] * p.inv_h, speed);
          fv_flow_add_wall(wall, places + v * FV_FLOW_PLACE, own, speed, heat, &f, hot);
        }
        fv_flow_invert(&f, inverse);
        for (int a = 0; a < 3; a++) {
          for (int i = 0; i < 3; i++)
            to[3 * i + a] = (inverse[a][0] * f.product[0][i] + inverse[a][1] * f.product[1][i]) +
                            inverse[a][2] * f.product[2][i];
          if (has_heat)
            to[9 + a] = (inverse[a][0] * hot[0] + inverse[a][1] * hot[1]) + inverse[a][2] * hot[2];
        }
      }
    }
  }
}

/* Both sides of a face part: gradients, values, and the way from the left middle to the right. */
typedef struct fv_flow_pair { real gradient[4][3], rise[4], apart[3]; } fv_flow_pair;

TRM_INLINE void fv_flow_take_pair(TRM_IN(real) places, TRM_IN(real) w, TRM_IN(real) gradients,
                                  const trm_index left, const trm_index right, const int n,
                                  fv_flow_pair *to)
{
  TRM_IN(real) l = w + left * FV_VALUES;
  TRM_IN(real) r = w + right * FV_VALUES;
  for (int a = 0; a < 3; a++)
    to->apart[a] = (a == n ? R(1.0) : R(0.0)) + (places[right * FV_FLOW_PLACE + 1 + a] -
                                                 places[left * FV_FLOW_PLACE + 1 + a]);
  for (int i = 0; i < 4; i++) {
    to->rise[i] = i < 3 ? r[i] - l[i] : r[4] / r[3] - l[4] / l[3];
    for (int a = 0; a < 3; a++)
      to->gradient[i][a] = R(0.5) * (gradients[left * FV_FLOW_GRADIENTS + 3 * i + a] +
                                     gradients[right * FV_FLOW_GRADIENTS + 3 * i + a]);
  }
}

/* The derivative of value i along the face's normal. Middles may be near each other, so the
 * difference counts as one over half a cell at least. */
TRM_INLINE real fv_flow_along(const fv_flow_pair *f, const int i, const int n)
{
  const real *g = f->gradient[i];
  const real beside =
      f->rise[i] - ((g[0] * f->apart[0] + g[1] * f->apart[1]) + g[2] * f->apart[2]);
  return g[n] + R(0.1) * beside / trm_max(f->apart[n], R(0.5));
}

/* Adds to the fluxes of face parts over the whole step. */
TRM_GROUP_KERNEL9(fv_flow_stress, TRM_NO_SHARED, fv_params, TRM_RO(int) joins,
                  TRM_RO(real) openings, TRM_RO(real) places, TRM_RO(real) w,
                  TRM_RO(real) slopes, TRM_RO(real) gradients, TRM_RO(int) fresh,
                  TRM_RO(real) clock, TRM_RW(real) fluxes)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index f = (trm_index)group * TRM_GROUP + lane;
    if (f < p.faces) {
      const int left = FV_STATE_OF(p.units, joins[f * FV_JOIN_INTS + FV_JOIN_LOW]);
      const int right = FV_STATE_OF(p.units, joins[f * FV_JOIN_INTS + FV_JOIN_HIGH]);
      const int n = joins[f * FV_JOIN_INTS + FV_JOIN_AXIS], a = (n + 1) % 3, b = (n + 2) % 3;
      TRM_IN(real) opening = openings + f * FV_OPENING_REALS;
      if (opening[0] > R(0.0) && fresh[left] == FV_FLOW_HOLDS && fresh[right] == FV_FLOW_HOLDS) {
        const real size = opening[0] * (clock[FV_DT] * p.inv_h);
        real l[FV_VALUES], r[FV_VALUES], stress = p.viscosity * p.inv_h;
        fv_flow_pair pair;
        fv_flow_side(places, w, slopes, opening, n, 0, left, l);
        fv_flow_side(places, w, slopes, opening, n, 1, right, r);
        fv_flow_take_pair(places, w, gradients, left, right, n, &pair);
        if (FV_FORM_OF(p) & FV_SUTHERLAND)
          stress = stress * fv_viscosity(p, R(0.5) * (l[4] / l[3] + r[4] / r[3]));
        const real along =
            stress * (R(1.3333333333333333) * fv_flow_along(&pair, n, n) -
                      R(0.66666666666666663) * (pair.gradient[a][a] + pair.gradient[b][b]));
        const real across_a = stress * (fv_flow_along(&pair, a, n) + pair.gradient[n][a]);
        const real across_b = stress * (fv_flow_along(&pair, b, n) + pair.gradient[n][b]);
        const real heat = p.conduction * stress * fv_flow_along(&pair, 3, n);
        const real work = R(0.5) * ((along * (l[n] + r[n]) + across_a * (l[a] + r[a])) +
                                    across_b * (l[b] + r[b]));
        TRM_OUT(real) to = fluxes + f * FV_VALUES;
        to[1 + n] -= size * along;
        to[1 + a] -= size * across_a;
        to[1 + b] -= size * across_b;
        to[4] -= size * (heat + work);
      }
    }
  }
}
