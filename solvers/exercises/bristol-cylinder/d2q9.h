/* d2q9.h - D2Q9 with one relaxation time (Qian, d'Humieres and Lallemand, 1992), for all kernels.
 *
 *   6 2 5    the numbers of the directions; 0 rests
 *   3 0 1
 *   7 4 8 */
typedef struct cell { real f[9]; } cell;

/* The populations that arrive in cell x, from its row c and the rows s and n beside it. k:
 * from a direction to the next in memory. */
TRM_INLINE cell d2q9_arriving(TRM_IN(real) c, TRM_IN(real) s, TRM_IN(real) n, const trm_index k,
                              const int x, const int west, const int east)
{
  cell a;
  a.f[0] = c[x];
  a.f[1] = (c + k)[west];
  a.f[2] = (s + 2 * k)[x];
  a.f[3] = (c + 3 * k)[east];
  a.f[4] = (n + 4 * k)[x];
  a.f[5] = (s + 5 * k)[west];
  a.f[6] = (s + 6 * k)[east];
  a.f[7] = (n + 7 * k)[east];
  a.f[8] = (n + 8 * k)[west];
  return a;
}

TRM_INLINE cell d2q9_here(TRM_IN(real) c, const trm_index k, const int x)
{
  cell a;
  a.f[0] = c[x];
  a.f[1] = (c + k)[x];
  a.f[2] = (c + 2 * k)[x];
  a.f[3] = (c + 3 * k)[x];
  a.f[4] = (c + 4 * k)[x];
  a.f[5] = (c + 5 * k)[x];
  a.f[6] = (c + 6 * k)[x];
  a.f[7] = (c + 7 * k)[x];
  a.f[8] = (c + 8 * k)[x];
  return a;
}

TRM_INLINE void d2q9_store(TRM_OUT(real) to, const trm_index k, const int x, const cell a)
{
  to[x] = a.f[0];
  (to + k)[x] = a.f[1];
  (to + 2 * k)[x] = a.f[2];
  (to + 3 * k)[x] = a.f[3];
  (to + 4 * k)[x] = a.f[4];
  (to + 5 * k)[x] = a.f[5];
  (to + 6 * k)[x] = a.f[6];
  (to + 7 * k)[x] = a.f[7];
  (to + 8 * k)[x] = a.f[8];
}

/* A wall sends all back to where they came from. */
TRM_INLINE cell d2q9_rebound(const cell a)
{
  cell b;
  b.f[0] = a.f[0];
  b.f[1] = a.f[3];
  b.f[2] = a.f[4];
  b.f[3] = a.f[1];
  b.f[4] = a.f[2];
  b.f[5] = a.f[7];
  b.f[6] = a.f[8];
  b.f[7] = a.f[5];
  b.f[8] = a.f[6];
  return b;
}

TRM_INLINE real d2q9_density(const cell a)
{
  const real first = (((a.f[0] + a.f[1]) + a.f[2]) + a.f[3]) + a.f[4];
  return (((first + a.f[5]) + a.f[6]) + a.f[7]) + a.f[8];
}

/* density * velocity */
TRM_INLINE real d2q9_momentum_x(const cell a)
{
  return ((a.f[1] + a.f[5]) + a.f[8]) - ((a.f[3] + a.f[6]) + a.f[7]);
}

TRM_INLINE real d2q9_momentum_y(const cell a)
{
  return ((a.f[2] + a.f[5]) + a.f[6]) - ((a.f[4] + a.f[7]) + a.f[8]);
}

/* The equilibrium of one direction: along is the velocity along it. */
TRM_INLINE real d2q9_one(const real weighted, const real along, const real square)
{
  return weighted * ((R(1.0) + R(3.0) * along) + (R(4.5) * (along * along) - R(1.5) * square));
}

TRM_INLINE cell d2q9_equilibrium(const real density, const real u, const real v)
{
  const real square = u * u + v * v;
  const real rest = density * R(0.44444444444444444), side = density * R(0.11111111111111111);
  const real corner = density * R(0.027777777777777778);
  cell e;
  e.f[0] = d2q9_one(rest, R(0.0), square);
  e.f[1] = d2q9_one(side, u, square);
  e.f[2] = d2q9_one(side, v, square);
  e.f[3] = d2q9_one(side, -u, square);
  e.f[4] = d2q9_one(side, -v, square);
  e.f[5] = d2q9_one(corner, u + v, square);
  e.f[6] = d2q9_one(corner, v - u, square);
  e.f[7] = d2q9_one(corner, -u - v, square);
  e.f[8] = d2q9_one(corner, u - v, square);
  return e;
}

/* A part omega of the way to the equilibrium. */
TRM_INLINE cell d2q9_relaxed(const cell a, const cell e, const real omega)
{
  cell r;
  r.f[0] = trm_fma(omega, e.f[0] - a.f[0], a.f[0]);
  r.f[1] = trm_fma(omega, e.f[1] - a.f[1], a.f[1]);
  r.f[2] = trm_fma(omega, e.f[2] - a.f[2], a.f[2]);
  r.f[3] = trm_fma(omega, e.f[3] - a.f[3], a.f[3]);
  r.f[4] = trm_fma(omega, e.f[4] - a.f[4], a.f[4]);
  r.f[5] = trm_fma(omega, e.f[5] - a.f[5], a.f[5]);
  r.f[6] = trm_fma(omega, e.f[6] - a.f[6], a.f[6]);
  r.f[7] = trm_fma(omega, e.f[7] - a.f[7], a.f[7]);
  r.f[8] = trm_fma(omega, e.f[8] - a.f[8], a.f[8]);
  return r;
}
