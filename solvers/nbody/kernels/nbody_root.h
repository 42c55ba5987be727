/* nbody_root.h - what the N-body kernels share: 1 / sqrt and mu / sqrt^3 in strict and fast
 * arithmetic, and the sweep of a group's items over a loop. Included by kernel texts only. */

/* Every item sweeps over sources j. A GPU's item runs the loop itself; on a host the lanes of the
 * group are the inner loop, which is the one that compilers vectorise. */
#if defined(TRM_HOST)
#define NBODY_SWEEP(t, j, end, step) for (int j = 0; j < (end); j += (step)) TRM_ITEMS(t)
#else
#define NBODY_SWEEP(t, j, end, step) TRM_ITEMS(t) for (int j = 0; j < (end); j += (step))
#endif

/* The bits of a real as an integer of its size, and back. */
#if TRM_F64_KERNEL
#if defined(TRM_HOST)
typedef int64_t nbody_bits;
#elif defined(TRM_CUDA)
typedef long long nbody_bits;
#else
typedef long nbody_bits;
#endif
#else
typedef int nbody_bits;
#endif
#if defined(TRM_HOST)
typedef union nbody_both { real value; nbody_bits bits; } nbody_both;
#define NBODY_BITS(a) (((nbody_both){ .value = (a) }).bits)
#define NBODY_REAL(a) (((nbody_both){ .bits = (a) }).value)
#elif defined(TRM_CUDA)
#if TRM_F64_KERNEL
#define NBODY_BITS(a) __double_as_longlong(a)
#define NBODY_REAL(a) __longlong_as_double(a)
#else
#define NBODY_BITS(a) __float_as_int(a)
#define NBODY_REAL(a) __int_as_float(a)
#endif
#else
#if TRM_F64_KERNEL
#define NBODY_BITS(a) as_long(a)
#define NBODY_REAL(a) as_double(a)
#else
#define NBODY_BITS(a) as_int(a)
#define NBODY_REAL(a) as_float(a)
#endif
#endif

/* 1 / sqrt(a) for normal a whose inverse is normal too, the same bits on every device: a start y
 * from half the exponent (|a y^2 - 1| < 0.0689), then y (1 + v)^(-1/2), v = a y^2 - 1, by a
 * minimax polynomial: of degree 4 (2.3e-8) in f32; of degree 5 (7.1e-10) and one Newton step in
 * f64. Relative error below 1.8e-7 (f32) and 4e-16 (f64): tests/solvers/nbody/nbody_root.c. The
 * plain kernel with it is 1.3 times as fast as gcc makes 1 / sqrtf with -Ofast on AVX-512. */
TRM_INLINE real nbody_root_strict(const real a)
{
#if TRM_F64_KERNEL
  const real y = NBODY_REAL(0x5fe6e60000000000 - (NBODY_BITS(a) >> 1));
  const real v = trm_fma(a, y * y, R(-1.0));
  real s = trm_fma(v, R(-0.24907112850893398), R(0.27500365805612232));
  s = trm_fma(v, s, R(-0.31249020467666072));
  s = trm_fma(v, s, R(0.37499728807620314));
  s = trm_fma(v, s, R(-0.50000000730882688));
  s = trm_fma(v, s, R(1.0000000006956757));
  const real near = y * s;
  const real rest = trm_fma(-(a * near), near, R(1.0));
  return trm_fma(R(0.5) * near, rest, near);
#else
  const real y = NBODY_REAL(0x5f373000 - (NBODY_BITS(a) >> 1));
  const real v = trm_fma(a, y * y, R(-1.0));
  real s = trm_fma(v, R(0.27615838217220112), R(-0.31392356343298966));
  s = trm_fma(v, s, R(0.37499332458392798));
  s = trm_fma(v, s, R(-0.49999835630990480));
  s = trm_fma(v, s, R(1.0));
  return y * s;
#endif
}

/* Fast: the device's own approximation where it has one; NVIDIA's f64 one has 20 bits. */
#if TRM_STRICT_KERNEL || defined(TRM_HOST)
#define nbody_root(a) nbody_root_strict(a)
#elif defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
TRM_INLINE real nbody_root(const real a)
{
  real y;
#if TRM_F64_KERNEL
#if defined(TRM_CUDA)
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
#else
  __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
#endif
  const real rest = trm_fma(-(a * y), y, R(1.0));
  return trm_fma(y * rest, trm_fma(rest, R(0.375), R(0.5)), y);
#else
#if defined(TRM_CUDA)
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
#else
  __asm__("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
#endif
  return y;
#endif
}
#elif TRM_F64_KERNEL
#define nbody_root(a) nbody_root_strict(a)
#else
#define nbody_root(a) native_rsqrt(a)
#endif

/* mu a^(-3/2), what a body at the squared distance a pulls with. In f32 the start y above and a
 * minimax polynomial of degree 4 for (1 + v)^(-3/2) (2.5e-7), which saves an operation of 21 and
 * two roundings; relative error below 5e-7. */
TRM_INLINE real nbody_pull(const real mu, const real a)
{
#if !TRM_F64_KERNEL && (TRM_STRICT_KERNEL || defined(TRM_HOST))
  const real y = NBODY_REAL(0x5f373000 - (NBODY_BITS(a) >> 1));
  const real y2 = y * y;
  const real v = trm_fma(a, y2, R(-1.0));
  real s = trm_fma(v, R(2.4882588822854944), R(-2.20319701258572));
  s = trm_fma(v, s, R(1.8749477230934858));
  s = trm_fma(v, s, R(-1.4999818616228427));
  s = trm_fma(v, s, R(1.0));
  return ((mu * y) * y2) * s;
#else
  const real inverse = nbody_root(a);
  return (mu * inverse) * (inverse * inverse);
#endif
}
