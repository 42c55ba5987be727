/* One face: reconstruction, what the flow carries (fv_convective_flux.h), viscous stress and heat.
 *
 * Values of a cell: velocity u, v, w, density rho, and T = gamma p / rho, the square of the speed
 * of sound a. Along the face's normal lie the cells m, c | d, e. */

typedef struct fv_flux { real mass, along, across_a, across_b, energy; } fv_flux;

/* Van Albada's mean of two differences: 0 where they differ in sign. Their squares and products are
 * made of numbers about 1, whatever the units: both are divided by the larger one, by the guess
 * that trm_near_reciprocal begins with. 1e-30 matters only where both are 0. */
TRM_INLINE real fv_slope(const real a, const real b)
{
  const trm_word most = trm_word_of(trm_max(trm_fabs(a), trm_fabs(b)));
  const real scale = trm_real_of((trm_word)TRM_NEAR_RECIPROCAL_BITS - most);
  const real x = a * scale, y = b * scale;
  const real both = trm_max(x * y, R(0.0));
  return both * (a + b) * trm_near_reciprocal(trm_fma(x, x, trm_fma(y, y, R(1e-30))));
}

/* A value extrapolated from either side to the face by its slope, limited or central. */
#define FV_LIMIT(q) \
  q##l = trm_fma(R(0.5), fv_slope((q##c) - (q##m), (q##d) - (q##c)), q##c); \
  q##r = trm_fma(R(-0.5), fv_slope((q##d) - (q##c), (q##e) - (q##d)), q##d)
#define FV_CENTRAL(q) \
  q##l = trm_fma(R(0.25), (q##d) - (q##m), q##c); \
  q##r = trm_fma(R(-0.25), (q##e) - (q##c), q##d)

/* Its derivative along the normal times h: a tenth of the difference between the two cells, nine
 * tenths of the mean of their own slopes. (This is the five-point formula, which would not notice a
 * checkerboard by itself.) */
#define FV_NORMAL(qm, qc, qd, qe) \
  trm_fma(R(0.225), ((qe) - (qm)) + ((qd) - (qc)), R(0.1) * ((qd) - (qc)))
#define FV_FOUR(q, k) \
  const real q##m = s[(k) * FV_RING_REALS + m], q##c = s[(k) * FV_RING_REALS + c]; \
  const real q##d = s[(k) * FV_RING_REALS + d], q##e = s[(k) * FV_RING_REALS + e]

/* Twice a value at the face, by a cubic through the four cells. At a wall, where they lie on one
 * parabola, it is twice the wall's own value, so that friction at a wall at rest does no work. */
#define FV_TWICE(q) trm_fma(R(1.125), (q##c) + (q##d), R(-0.125) * ((q##m) + (q##e)))

/* The mean over both cells of a value's derivative across the normal, times h. */
#define FV_ACROSS(k, up, down) \
  (R(0.25) * ((s[(k) * FV_RING_REALS + c + (up)] - s[(k) * FV_RING_REALS + c + (down)]) + \
              (s[(k) * FV_RING_REALS + d + (up)] - s[(k) * FV_RING_REALS + d + (down)])))

/* The flux along axis n through the face between c and d. a, b: the other axes, whose neighbours
 * lie a_up, a_down, b_up, b_down from a cell. open: 0 where no mass passes, else 1. form: as in
 * fv_rate_of. */
TRM_INLINE fv_flux fv_face(const fv_params p, const int form, const TRM_LOCAL real *s,
                           const real open, const int n, const int a, const int b, const int m,
                           const int c, const int d, const int e, const int a_up, const int a_down,
                           const int b_up, const int b_down)
{
  FV_FOUR(u, n);
  FV_FOUR(v, a);
  FV_FOUR(w, b);
  FV_FOUR(r, 3);
  const real tm = s[4 * FV_RING_REALS + m], tc = s[4 * FV_RING_REALS + c];
  const real td = s[4 * FV_RING_REALS + d], te = s[4 * FV_RING_REALS + e];
  const real pm = rm * tm, pc = rc * tc, pd = rd * td, pe = re * te; /* gamma p */
  real ul, ur, vl, vr, wl, wr, rl, rr, pl, pr;
  if (form & FV_LIMITED) {
    FV_LIMIT(u);
    FV_LIMIT(v);
    FV_LIMIT(w);
    FV_LIMIT(r);
    FV_LIMIT(p);
  } else {
    FV_CENTRAL(u);
    FV_CENTRAL(v);
    FV_CENTRAL(w);
    FV_CENTRAL(r);
    FV_CENTRAL(p);
  }
  const fv_face_flux carried = fv_convective_flux(p, form, open, ul, ur, vl, vr, wl, wr, rl, rr, pl,
                                                  pr);
  real stress = p.viscosity * p.inv_h;
  if (form & FV_SUTHERLAND) stress = stress * fv_viscosity(p, R(0.5) * (tc + td));
  const real ua = FV_ACROSS(n, a_up, a_down), ub = FV_ACROSS(n, b_up, b_down);
  const real va = FV_ACROSS(a, a_up, a_down), wb = FV_ACROSS(b, b_up, b_down);
  const real un = FV_NORMAL(um, uc, ud, ue), vn = FV_NORMAL(vm, vc, vd, ve);
  const real wn = FV_NORMAL(wm, wc, wd, we), tn = FV_NORMAL(tm, tc, td, te);
  const real along = stress * trm_fma(R(1.3333333333333333), un,
                                      R(-0.66666666666666663) * (va + wb));
  const real across_a = stress * (vn + ua), across_b = stress * (wn + ub);
  const real work = R(0.5) * trm_fma(along, ul + ur,
                                     across_a * FV_TWICE(v) + across_b * FV_TWICE(w));
  fv_flux f;
  f.mass = carried.mass;
  f.along = trm_fma(carried.mass, carried.u, carried.pressure - along);
  f.across_a = trm_fma(carried.mass, carried.v, -across_a);
  f.across_b = trm_fma(carried.mass, carried.w, -across_b);
  f.energy = trm_fma(carried.mass, carried.enthalpy,
                     carried.work - trm_fma(p.conduction * stress, tn, work));
  return f;
}
