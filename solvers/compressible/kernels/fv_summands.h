/* The summands of integrals over the gas (fv_integrals.h, fv_cut_integrals.h). */

typedef struct fv_gradient { real s[9]; } fv_gradient; /* of u, v and w along x, y and z each */
typedef struct fv_integrand { real value[FV_SUMS]; } fv_integrand;

TRM_INLINE fv_integrand fv_integrate(const fv_params p, const fv_cell c, const fv_gradient g)
{
  const real curl_x = g.s[7] - g.s[5], curl_y = g.s[2] - g.s[6], curl_z = g.s[3] - g.s[1];
  const real shear_x = g.s[7] + g.s[5], shear_y = g.s[2] + g.s[6], shear_z = g.s[3] + g.s[1];
  const real spread = (g.s[0] + g.s[4]) + g.s[8];
  const real stretch = fv_square(g.s[0], g.s[4], g.s[8]);
  const real shear = fv_square(shear_x, shear_y, shear_z);
  real viscosity = p.viscosity;
  if (FV_FORM_OF(p) & FV_SUTHERLAND) viscosity = viscosity * fv_viscosity(p, c.t);
  fv_integrand to;
  to.value[0] = R(0.5) * c.rho * fv_square(c.u, c.v, c.w);
  to.value[1] = R(0.5) * fv_square(curl_x, curl_y, curl_z);
  to.value[2] = viscosity * trm_fma(R(2.0), stretch,
                                    trm_fma(R(-0.66666666666666663) * spread, spread, shear));
  return to;
}

TRM_INLINE real fv_volume(const fv_params own)
{
  const real h = R(1.0) / own.inv_h;
  return FV_SZ > 1 ? h * h * h : h * h;
}
