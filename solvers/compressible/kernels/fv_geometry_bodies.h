/* How far places are from walls: as bodies.c has it. */

/* A place in the grid as the body had it where the case put it: turned back about its axis. */
TRM_INLINE void fv_from_here(TRM_IN(real) b, const real *at, real *own)
{
  real off[3];
  for (int a = 0; a < 3; a++) own[a] = at[a] - b[FV_BODY_MOVED + a];
  if (b[FV_BODY_TURNS] == R(0.0)) return;
  for (int a = 0; a < 3; a++) off[a] = own[a] - b[FV_BODY_CENTRE + a];
  TRM_IN(real) n = b + FV_BODY_AXIS;
  const real s = -b[FV_BODY_SINE], c = b[FV_BODY_COSINE];
  const real along = (R(1.0) - c) * (n[0] * off[0] + n[1] * off[1] + n[2] * off[2]);
  for (int a = 0; a < 3; a++) {
    const int i = (a + 1) % 3, j = (a + 2) % 3;
    own[a] = c * off[a] + s * (n[i] * off[j] - n[j] * off[i]) + along * n[a];
  }
  for (int a = 0; a < 3; a++) own[a] += b[FV_BODY_CENTRE + a];
}

TRM_INLINE real fv_to_outline(TRM_IN(real) p, const int corners, const real *at)
{
  real least = FV_BEYOND_ALL;
  int is_inside = 0;
  for (int i = 0, j = corners - 1; i < corners; j = i++) {
    const real dx = p[2 * i] - p[2 * j], dy = p[2 * i + 1] - p[2 * j + 1];
    const real ax = at[0] - p[2 * j], ay = at[1] - p[2 * j + 1], square = dx * dx + dy * dy;
    const real t = square > R(0.0)
                     ? trm_min(trm_max((ax * dx + ay * dy) / square, R(0.0)), R(1.0)) : R(0.0);
    const real rx = ax - t * dx, ry = ay - t * dy;
    least = trm_min(least, rx * rx + ry * ry);
    if ((p[2 * i + 1] > at[1]) != (p[2 * j + 1] > at[1]) && ax < dx * (ay / dy))
      is_inside = !is_inside;
  }
  return is_inside ? -trm_sqrt(least) : trm_sqrt(least);
}

/* How far from the wall of a body that is no surface of triangles a place is; here: as the body had
 * it where the case put it. */
TRM_INLINE real fv_to_shape(TRM_IN(real) bodies, TRM_IN(real) b, const real *here)
{
  const int shape = (int)b[FV_BODY_SHAPE];
  real off[3], most = -FV_BEYOND_ALL;
  for (int a = 0; a < 3; a++) off[a] = here[a] - b[FV_BODY_AT + a];
  if (shape == FV_SHAPE_SPHERE)
    return trm_sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) - b[FV_BODY_SIZE];
  if (shape == FV_SHAPE_CYLINDER)
    return trm_sqrt(off[0] * off[0] + off[1] * off[1]) - b[FV_BODY_SIZE];
  if (shape == FV_SHAPE_TUBE)
    return b[FV_BODY_SIZE] - trm_sqrt(off[0] * off[0] + off[1] * off[1]);
  if (shape == FV_SHAPE_PROFILE) {
    const real far = trm_sqrt(off[0] * off[0] + off[1] * off[1]) - R(1.1) * b[FV_BODY_SIZE];
    return far > R(0.5) * b[FV_BODY_SIZE]
             ? far : fv_to_outline(bodies + (int)b[FV_BODY_OUTLINE], (int)b[FV_BODY_CORNERS], here);
  }
  for (int a = 0; a < 3; a++)
    if (b[FV_BODY_SIZE + a] > R(0.0))
      most = trm_max(most, trm_max(off[a] - b[FV_BODY_ENDS + 2 * a + 1],
                                   -off[a] - b[FV_BODY_ENDS + 2 * a]));
  return most;
}

/* How far from a body's wall a place is: positive outside of it. last, by: of fv_to_surface. */
TRM_INLINE real fv_away(TRM_IN(real) bodies, const int number, const real *at, const real last,
                        const real by)
{
  TRM_IN(real) b = bodies + number * FV_BODY_REALS;
  real here[3];
  fv_from_here(b, at, here);
  return b[FV_BODY_SURFACE] < R(0.0) ? fv_to_shape(bodies, b, here)
                                     : fv_to_surface(bodies, b, here, last, by);
}

/* How far the step moved what of a body is at a place, at most. */
TRM_INLINE real fv_stray(TRM_IN(real) b, const real *at)
{
  real step = R(0.0), off = R(0.0);
  for (int a = 0; a < 3; a++) {
    const real from = at[a] - b[FV_BODY_CENTRE + a] - b[FV_BODY_MOVED + a];
    step += b[FV_BODY_STEP + a] * b[FV_BODY_STEP + a];
    off += from * from;
  }
  step = trm_sqrt(step);
  return (step + trm_fabs(b[FV_BODY_TURNED]) * (trm_sqrt(off) + step)) * (R(1.0) + R(1e-6));
}
