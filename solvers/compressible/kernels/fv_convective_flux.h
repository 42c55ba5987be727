/* The convective flux through a face between two states, left and right: velocity along the face's
 * normal u, across it v and w, density r, and gamma p. By one of three fluxes: AUSM; AUSM+
 * where FV_IS_PLUS is 1; HLLC where FV_IS_HLLC is 1; where FV_FLUX_BY_FORM is 1, the form's. */
#ifndef FV_IS_PLUS
#define FV_IS_PLUS 0
#endif
#ifndef FV_IS_HLLC
#define FV_IS_HLLC 0
#endif
#ifndef FV_FLUX_BY_FORM
#define FV_FLUX_BY_FORM 0
#endif

typedef struct fv_face_flux {
  real mass;             /* of the mass flux all else is a multiple: */
  real u, v, w, enthalpy;
  real pressure;         /* acts along the normal */
  real work;             /* energy beside mass * enthalpy */
} fv_face_flux;

/* Selects one of a value's two sides. It works on bits: with several ?: gcc makes branches, and the
 * loop over faces becomes scalar. is_right has all bits set or none. */
#define FV_UPWIND(q) \
  trm_real_of((trm_word_of(q##r) & is_right) | (trm_word_of(q##l) & ~is_right))

#if FV_IS_PLUS || FV_FLUX_BY_FORM
/* The part of a Mach number that runs to the right, by a polynomial of degree 4 (beta 1/8) between
 * -1 and 1; and the part of the pressure, degree 5 (alpha 3/16). `within` is the number clamped to
 * that range. */
TRM_INLINE real fv_mach_part(const real mach, const real within)
{
  const real up = within + R(1.0), square = trm_fma(within, within, R(-1.0));
  return trm_fma(R(0.25) * up, up, R(0.125) * (square * square)) +
         (trm_max(mach, R(1.0)) - R(1.0));
}
TRM_INLINE real fv_pressure_part(const real within)
{
  const real up = within + R(1.0), square = trm_fma(within, within, R(-1.0));
  return trm_fma(R(0.25) * up * up, R(2.0) - within,
                 R(0.1875) * within * (square * square));
}

/* Liou's AUSM+ (J. Comput. Phys. 129 (1996) 364): one speed of sound for the face, of the critical
 * ones of both sides. */
TRM_INLINE fv_face_flux fv_convective_plus(const fv_params p, const real open, const real ul,
                                           const real ur, const real vl, const real vr,
                                           const real wl, const real wr, const real rl,
                                           const real rr, const real pl, const real pr)
{
  const real squarel = trm_fma(ul, ul, vl * vl + wl * wl);
  const real squarer = trm_fma(ur, ur, vr * vr + wr * wr);
  const real hl = trm_fma(p.enthalpy * pl, trm_near_reciprocal(rl), R(0.5) * squarel);
  const real hr = trm_fma(p.enthalpy * pr, trm_near_reciprocal(rr), R(0.5) * squarer);
  const real cl = p.critical * hl, cr = p.critical * hr; /* squares of the critical speeds */
  const real al = cl * trm_near_reciprocal(trm_max(trm_near_sqrt(cl), ul));
  const real ar = cr * trm_near_reciprocal(trm_max(trm_near_sqrt(cr), -ur));
  const real a = trm_min(al, ar), inverse = trm_near_reciprocal(a);
  const real mach_l = ul * inverse, mach_r = ur * inverse;
  const real within_l = trm_max(trm_min(mach_l, R(1.0)), R(-1.0));
  const real within_r = trm_max(trm_min(mach_r, R(1.0)), R(-1.0));
  const real mach = fv_mach_part(mach_l, within_l) - fv_mach_part(-mach_r, -within_r);
  const trm_word is_right = -(trm_word)(mach < R(0.0));
  const real rho = FV_UPWIND(r);
  fv_face_flux c;
  c.mass = open * (mach * (rho * a));
  c.u = FV_UPWIND(u);
  c.v = FV_UPWIND(v);
  c.w = FV_UPWIND(w);
  c.enthalpy = FV_UPWIND(h);
  c.pressure = p.inv_gamma * trm_fma(fv_pressure_part(within_l), pl,
                                     fv_pressure_part(-within_r) * pr);
  c.work = R(0.0);
  return c;
}

#endif
#if FV_IS_HLLC || FV_FLUX_BY_FORM
/* HLLC (Toro, Spruce and Speares, Shock Waves 4 (1994) 25; outer waves by Davis). The waves are sl,
 * middle and sr; K is the side from which the middle wave comes. The flux is F_K + s (U*_K - U_K),
 * where s is K's outer wave, or 0 where that runs the same way. */
TRM_INLINE fv_face_flux fv_convective_hllc(const fv_params p, const real open, const real ul,
                                           const real ur, const real vl, const real vr,
                                           const real wl, const real wr, const real rl,
                                           const real rr, const real pl, const real pr)
{
  const real rootl = trm_near_rsqrt(pl * rl), rootr = trm_near_rsqrt(pr * rr);
  const real soundl = pl * rootl, soundr = pr * rootr;
  const real sl = trm_min(ul - soundl, ur - soundr), sr = trm_max(ul + soundl, ur + soundr);
  const real massl = rl * (sl - ul), massr = rr * (sr - ur); /* < 0, > 0 */
  const real middle = (p.inv_gamma * (pl - pr) + trm_fma(massr, ur, -(massl * ul))) *
                      trm_near_reciprocal(massr - massl);
  const trm_word is_right = -(trm_word)(middle < R(0.0));
  const real edgel = trm_min(sl, R(0.0)), edger = trm_max(sr, R(0.0));
  const real inversel = -trm_near_reciprocal(middle - sl);
  const real inverser = trm_near_reciprocal(sr - middle);
  const real u = FV_UPWIND(u), rho = FV_UPWIND(r), sound = FV_UPWIND(sound);
  const real pressure = FV_UPWIND(p), edge = FV_UPWIND(edge), part = FV_UPWIND(inverse);
  const real jump = edge * ((middle - u) * part); /* s (S_m - u) / (S_K - S_m) */
  const real push = jump * FV_UPWIND(mass);
  fv_face_flux c;
  c.u = u;
  c.v = FV_UPWIND(v);
  c.w = FV_UPWIND(w);
  c.mass = open * (rho * (u + jump));
  c.enthalpy = trm_fma(p.enthalpy * sound, sound,
                       R(0.5) * trm_fma(c.u, c.u, c.v * c.v + c.w * c.w));
  c.pressure = trm_fma(p.inv_gamma, pressure, push);
  c.work = open * (push * middle);
  return c;
}

#endif
#if !FV_IS_PLUS && !FV_IS_HLLC
/* AUSM as m-AIA has it (Liou & Steffen, J. Comput. Phys. 107 (1993) 23, with a pressure split
 * linear in the Mach number): the mass flux is M rho a of the side that the mean Mach number M
 * comes from. With s = 1 / root(gamma p rho), a = gamma p s and 1 / a = rho s, so that no flux
 * divides. open: 0 where no mass goes through, else 1. */
TRM_INLINE fv_face_flux fv_convective_ausm(const fv_params p, const real open, const real ul,
                                           const real ur, const real vl, const real vr,
                                           const real wl, const real wr, const real rl,
                                           const real rr, const real pl, const real pr)
{
  const real sl = trm_near_rsqrt(pl * rl), sr = trm_near_rsqrt(pr * rr);
  const real mach_l = ul * (rl * sl), mach_r = ur * (rr * sr);
  const real mach = R(0.5) * (mach_l + mach_r);
  const trm_word is_right = -(trm_word)(mach < R(0.0));
  const real soundl = pl * sl, soundr = pr * sr;
  const real sound = FV_UPWIND(sound), rho = FV_UPWIND(r);
  fv_face_flux c;
  c.u = FV_UPWIND(u);
  c.v = FV_UPWIND(v);
  c.w = FV_UPWIND(w);
  c.pressure = p.inv_gamma * trm_fma(trm_fma(p.chi, mach_l, R(0.5)), pl,
                                     trm_fma(-p.chi, mach_r, R(0.5)) * pr);
  const real square = trm_fma(c.u, c.u, c.v * c.v + c.w * c.w);
  c.mass = open * (mach * (rho * sound));
  c.enthalpy = trm_fma(p.enthalpy * sound, sound, R(0.5) * square);
  c.work = R(0.0);
  return c;
}
#endif

/* By the text's flux. form: as fv_rate_of has it. */
TRM_INLINE fv_face_flux fv_convective_flux(const fv_params p, const int form, const real open,
                                           const real ul, const real ur, const real vl,
                                           const real vr, const real wl, const real wr,
                                           const real rl, const real rr, const real pl,
                                           const real pr)
{
#if FV_FLUX_BY_FORM
  if (form & FV_BY_HLLC) return fv_convective_hllc(p, open, ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
  if (form & FV_BY_PLUS) return fv_convective_plus(p, open, ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
  return fv_convective_ausm(p, open, ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
#elif FV_IS_PLUS
  (void)form;
  return fv_convective_plus(p, open, ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
#elif FV_IS_HLLC
  (void)form;
  return fv_convective_hllc(p, open, ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
#else
  (void)form;
  return fv_convective_ausm(p, open, ul, ur, vl, vr, wl, wr, rl, rr, pl, pr);
#endif
}
