/* Beyond a farfield: a flow that is undisturbed far away, of which what leaves the box is not to
 * know. */

TRM_INLINE real fv_within(const real a, const real most)
{
  return trm_min(trm_max(a, -most), most);
}

/* The velocity along an axis. */
#define FV_ALONG(c, axis) ((axis) == 0 ? (c).u : (axis) == 1 ? (c).v : (c).w)

/* The cell n = 1 or 2 beyond a farfield, where `c` is the last cell before it, `inner` the cell
 * before c and `third` the cell before inner. By waves along the normal, p - rho a un and p + rho a
 * un, with rho a of the last cell (un leads out).
 *
 * - Where gas leaves, the outgoing wave and the velocity along the side continue as lines through
 *   the last two cells, the entropy as a parabola through three. With a line, `ausm` would make 20
 *   times as much sound as hot gas leaves. They change pressure and density by half at most.
 * - Where gas enters, the incoming wave is that of the flow outside; where it leaves, too, if draw
 *   is below 0. Else the incoming wave continues, with dp/dn - rho a dun/dn = T / a -
 *   draw (1 + M) (p - outside) in a cell. So it follows the gas's motion along the side (`drift`: T
 *   times h), weighted by the Mach number M, and draws the pressure to the pressure outside. Gas
 *   that leaves may then have any entropy and velocity.
 *
 * Poinsot & Lele, J. Comput. Phys. 101 (1992) 104; Yoo & Im, Combust. Theory Model. 11 (2007) 259;
 * Lodato, Domingo & Vervisch, J. Comput. Phys. 227 (2008) 5105: K = sigma a (1 - M^2) / length and
 * (1 - M) T, each over a - un. */
TRM_INLINE fv_cell fv_far(const fv_params p, const int axis, const real out, const fv_given given,
                          const fv_cell c, const fv_cell inner, const fv_cell third, const real n,
                          const real drift, const real draw)
{
  const real a = trm_sqrt(c.t), un = out * FV_ALONG(c, axis);
  const real p_in = c.rho * c.t * p.inv_gamma, p_out = given.value[4] * p.inv_gamma;
  const real t_out = given.value[4] / given.value[3], un_out = out * given.value[axis];
  const real z = c.rho * a, most = R(0.5) * p_in;
  const real p_inner = inner.rho * inner.t * p.inv_gamma, un_inner = out * FV_ALONG(inner, axis);
  const int leaves = un > R(0.0), is_given = un <= -a, is_free = un >= a;
  const real rise = trm_fma(z, un - un_inner, p_in - p_inner);
  const real gain = trm_fma(-draw * (R(1.0) + un / a), p_in - p_out, drift / a);
  const real going = trm_fma(z, un, p_in) + (leaves ? fv_within(n * rise, most) : R(0.0));
  const real goes_on = trm_fma(-z, un, p_in) + fv_within(n * gain, most);
  const real outside = trm_fma(-z, un_out, p_out);
  const real one = axis == 0 ? c.v : c.u, other = axis == 2 ? c.v : c.w;
  const real speed = trm_sqrt(un * un + (one * one + other * other));
  const real leaving = trm_min(R(2.0) * un / speed, R(1.0));
  const real part = leaves && draw >= R(0.0) ? leaving : R(0.0);
  const real coming = trm_fma(part, goes_on - outside, outside);
  const real pressure = trm_max(R(0.5) * (going + coming), R(0.1) * p_in);
  const real normal = R(0.5) * (going - coming) / z;
  const real p_third = third.rho * third.t * p.inv_gamma;
  const real last = (c.rho - inner.rho) - (p_in - p_inner) / c.t;
  const real before_it = (inner.rho - third.rho) - (p_inner - p_third) / c.t;
  const real more = n * trm_fma(R(0.5) * (n + R(1.0)), last - before_it, last);
  const real line = trm_min(trm_max(c.rho + more, R(0.5) * c.rho), R(2.0) * c.rho);
  const real before = leaves ? line : given.value[3];
  const real rho = leaves ? line + (pressure - p_in) / c.t
                          : given.value[3] + (pressure - p_out) / t_out;
  fv_cell to;
  to.u = leaves ? trm_fma(n, c.u - inner.u, c.u) : given.value[0];
  to.v = leaves ? trm_fma(n, c.v - inner.v, c.v) : given.value[1];
  to.w = leaves ? trm_fma(n, c.w - inner.w, c.w) : given.value[2];
  if (axis == 0) to.u = out * normal;
  if (axis == 1) to.v = out * normal;
  if (axis == 2) to.w = out * normal;
  to.rho = trm_max(rho, R(0.1) * before);
  to.t = pressure / (to.rho * p.inv_gamma);
  if (is_given) {
    to.u = given.value[0];
    to.v = given.value[1];
    to.w = given.value[2];
    to.rho = given.value[3];
    to.t = t_out;
  }
  return is_free ? c : to;
}

TRM_INLINE fv_cell fv_load(TRM_IN(real) from, const int at)
{
  fv_cell c;
  c.u = from[at];
  c.v = from[FV_CELLS + at];
  c.w = from[2 * FV_CELLS + at];
  c.rho = from[3 * FV_CELLS + at];
  c.t = from[4 * FV_CELLS + at];
  return c;
}

/* Whether a cell is a body's: fv_cut_update leaves it like that. */
TRM_INLINE int fv_is_solid(const fv_params p, const fv_cell c)
{
  return p.units > 0 && c.rho == R(1.0) && c.t == R(1.0) && c.u == R(0.0) && c.v == R(0.0) &&
         c.w == R(0.0);
}

/* The part of T along one axis, times h, for cell `at` of the ghost's source, place `own` along
 * that axis: v dp/dy + gamma p dv/dy - rho a v dun/dy. By central differences, at a closed side
 * with its image; one-sided next to unknown values. */
TRM_INLINE real fv_drift(const fv_params p, TRM_IN(real) w, TRM_IN(int) ghost, const int axis,
                         const real out, const int along, const int at, const int own,
                         const fv_cell c)
{
  const int cells = along == 0 ? FV_SX : along == 1 ? FV_SY : FV_SZ;
  const int stride = along == 0 ? 1 : along == 1 ? FV_SX : FV_SX * FV_SY;
  real pressure[2], un[2], v[2], ends = R(0.0);
  for (int up = 0; up < 2; up++) {
    const int next = own + 2 * up - 1, is_beyond = next < 0 || next >= cells;
    const int is_known = next >= ghost[FV_GHOST_FROM + along] && next < ghost[FV_GHOST_TO + along];
    const int slot = is_beyond ? ghost[FV_GHOST_BESIDE + 2 * along + up]
                               : is_known ? ghost[1] : FV_BESIDE_NONE;
    const int there = at + ((next & (cells - 1)) - own) * stride;
    fv_cell beside = c;
    if (slot >= 0) beside = fv_load(w + (trm_index)slot * FV_BLOCK, there);
    const int is_wall = slot == FV_BESIDE_IMAGE;
    const int is_one = is_wall || (slot >= 0 && !fv_is_solid(p, beside));
    if (!is_one) beside = c;
    pressure[up] = beside.rho * beside.t * p.inv_gamma;
    un[up] = out * FV_ALONG(beside, axis);
    v[up] = is_wall ? -FV_ALONG(c, along) : FV_ALONG(beside, along);
    ends += is_one ? R(1.0) : R(0.0);
  }
  const real share = ends > R(1.0) ? R(0.5) : R(1.0), speed = FV_ALONG(c, along);
  const real gp = c.rho * c.t, z = c.rho * trm_sqrt(c.t);
  const real carried = trm_fma(-z, un[1] - un[0], pressure[1] - pressure[0]);
  return share * trm_fma(speed, carried, gp * (v[1] - v[0]));
}

/* A farfield's ghost that lies next to one side alone: of cell `at` of its source, x, y, z. */
TRM_INLINE fv_cell fv_far_side(const fv_params p, TRM_IN(real) w, TRM_IN(int) ghost, const int axis,
                               const real out, const fv_given given, const real draw, const int at,
                               const int step, const int layer, const int x, const int y,
                               const int z)
{
  TRM_IN(real) from = w + (trm_index)ghost[1] * FV_BLOCK;
  const fv_cell c = fv_load(from, at);
  fv_cell inner = fv_load(from, at + step), third = fv_load(from, at + 2 * step);
  const int level = ghost[FV_GHOST_LEVEL];
  const real cell = level < 0 ? (real)(1 << -level) : R(1.0) / (real)(1 << level);
  real drift[3];
  drift[0] = axis == 0 ? R(0.0) : fv_drift(p, w, ghost, axis, out, 0, at, x, c);
  drift[1] = axis == 1 ? R(0.0) : fv_drift(p, w, ghost, axis, out, 1, at, y, c);
  drift[2] = R(0.0);
  if (FV_SZ > 1)
    if (axis != 2) drift[2] = fv_drift(p, w, ghost, axis, out, 2, at, z, c);
  if (fv_is_solid(p, inner) || fv_is_solid(p, third)) inner = third = c;
  return fv_far(p, axis, out, given, c, inner, third, (real)(layer + 1),
                drift[0] + (drift[1] + drift[2]), cell * draw);
}
