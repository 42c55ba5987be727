/* water.h - a column of water, for all kernels: Lax and Friedrichs' scheme. */
typedef struct water { real h, hu, hv; } water;

TRM_INLINE water water_at(TRM_IN(real) c, const trm_index k, const int x)
{
  water w;
  w.h = c[x];
  w.hu = (c + k)[x];
  w.hv = (c + 2 * k)[x];
  return w;
}

/* The speed of its fastest wave, along x or y. */
TRM_INLINE real water_fastest(const water w, const real gravity)
{
  const real u = trm_fabs(w.hu / w.h), v = trm_fabs(w.hv / w.h);
  return (u > v ? u : v) + trm_sqrt(gravity * w.h);
}

TRM_INLINE water water_flux_x(const water w, const real gravity)
{
  const real u = w.hu / w.h;
  water f;
  f.h = w.hu;
  f.hu = w.hu * u + R(0.5) * gravity * (w.h * w.h);
  f.hv = w.hv * u;
  return f;
}

TRM_INLINE water water_flux_y(const water w, const real gravity)
{
  const real v = w.hv / w.h;
  water f;
  f.h = w.hv;
  f.hu = w.hu * v;
  f.hv = w.hv * v + R(0.5) * gravity * (w.h * w.h);
  return f;
}

TRM_INLINE real water_one(const real w, const real e, const real s, const real n, const real fw,
                          const real fe, const real fs, const real fn, const real half_x,
                          const real half_y)
{
  return R(0.25) * ((w + e) + (s + n)) - (half_x * (fe - fw) + half_y * (fn - fs));
}

/* The column after a step, from its four neighbours. */
TRM_INLINE water water_after(const water w, const water e, const water s, const water n,
                             const real gravity, const real half_x, const real half_y)
{
  const water fw = water_flux_x(w, gravity), fe = water_flux_x(e, gravity);
  const water fs = water_flux_y(s, gravity), fn = water_flux_y(n, gravity);
  water a;
  a.h = water_one(w.h, e.h, s.h, n.h, fw.h, fe.h, fs.h, fn.h, half_x, half_y);
  a.hu = water_one(w.hu, e.hu, s.hu, n.hu, fw.hu, fe.hu, fs.hu, fn.hu, half_x, half_y);
  a.hv = water_one(w.hv, e.hv, s.hv, n.hv, fw.hv, fe.hv, fs.hv, fn.hv, half_x, half_y);
  return a;
}
