/* Smaller and larger of two, reciprocals and roots, with the same bits on every device. */

/* The smaller and the larger of two finite numbers; of +0 and -0 either one. */
#if defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#if defined(TRM_CUDA) && !TRM_F64_KERNEL
#define shallow_min(a, b) fminf(a, b)
#define shallow_max(a, b) fmaxf(a, b)
#else
#define shallow_min(a, b) fmin(a, b)
#define shallow_max(a, b) fmax(a, b)
#endif
#else
TRM_INLINE real shallow_min(const real a, const real b) { return a < b ? a : b; }
TRM_INLINE real shallow_max(const real a, const real b) { return a > b ? a : b; }
#endif

/* 1 / a, the root of a and 1 / root of a, within 2 units in the last place, for normal positive a
 * (the root also for 0; 1 / a to 1e37), with the same bits everywhere: a guess from the bits of a,
 * then iterations that cube its error. No branch; where a loop has many of them, the divider of a
 * CPU would be its bottleneck. */
#if TRM_F64_KERNEL
#define SHALLOW_GUESS_RECIPROCAL 0x7fde623822fc16e6
#define SHALLOW_GUESS_RSQRT 0x5fe6eb50c7b537a9
#else
#define SHALLOW_GUESS_RECIPROCAL 0x7ef311c3
#define SHALLOW_GUESS_RSQRT 0x5f375a86
#endif
#if defined(TRM_HOST)
TRM_INLINE trm_mask shallow_bits(const real a) { trm_mask i; memcpy(&i, &a, sizeof i); return i; }
TRM_INLINE real shallow_from_bits(const trm_mask i) { real a; memcpy(&a, &i, sizeof a); return a; }
#elif defined(TRM_CUDA) && TRM_F64_KERNEL
#define shallow_bits(a) __double_as_longlong(a)
#define shallow_from_bits(i) __longlong_as_double(i)
#elif defined(TRM_CUDA)
#define shallow_bits(a) __float_as_int(a)
#define shallow_from_bits(i) __int_as_float(i)
#elif TRM_F64_KERNEL
#define shallow_bits(a) as_long(a)
#define shallow_from_bits(i) as_double(i)
#else
#define shallow_bits(a) as_int(a)
#define shallow_from_bits(i) as_float(i)
#endif
TRM_INLINE real shallow_near_reciprocal(const real a)
{
  real y = shallow_from_bits(SHALLOW_GUESS_RECIPROCAL - shallow_bits(a));
  real e = trm_fma(-a, y, R(1.0));
  y = trm_fma(y, trm_fma(e, e, e), y);
  e = trm_fma(-a, y, R(1.0));
  y = trm_fma(y, trm_fma(e, e, e), y);
#if TRM_F64_KERNEL
  e = trm_fma(-a, y, R(1.0));
  y = trm_fma(y, trm_fma(e, e, e), y);
#endif
  return y;
}
TRM_INLINE real shallow_rsqrt_guess(const real a)
{
  real y = shallow_from_bits(SHALLOW_GUESS_RSQRT - (shallow_bits(a) >> 1));
  real e = trm_fma(-a * y, y, R(1.0));
  y = trm_fma(y * e, trm_fma(e, R(0.375), R(0.5)), y);
#if TRM_F64_KERNEL
  e = trm_fma(-a * y, y, R(1.0));
  y = trm_fma(y * e, trm_fma(e, R(0.375), R(0.5)), y);
#endif
  return y;
}
TRM_INLINE real shallow_near_rsqrt(const real a)
{
  const real y = shallow_rsqrt_guess(a);
  return trm_fma(R(0.5) * y, trm_fma(-a * y, y, R(1.0)), y);
}
TRM_INLINE real shallow_near_sqrt(const real a)
{
  const real y = shallow_rsqrt_guess(a), root = a * y;
  return trm_fma(R(0.5) * y, trm_fma(-root, root, a), root);
}

/* 1 / a and the root of a for a from 1e-30 to 1e37. In f32 the correctly rounded ones, so that a
 * host divides; on NVIDIA's devices they are the compiler's own division and root without its look
 * at numbers outside that range (an H200 gave the same bits for every one of the 1 867
 * 414 371 numbers inside). */
#if TRM_F64_KERNEL
#define shallow_reciprocal(a) shallow_near_reciprocal(a)
#define shallow_root(a) shallow_near_sqrt(a)
#elif defined(TRM_CUDA) || defined(__NV_CL_C_VERSION)
#if defined(TRM_CUDA)
#define SHALLOW_APPROXIMATE(name, y, a) asm(name ".approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a))
#else
#define SHALLOW_APPROXIMATE(name, y, a) __asm__(name ".approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a))
#endif
TRM_INLINE real shallow_reciprocal(const real a)
{
  real y;
  SHALLOW_APPROXIMATE("rcp", y, a);
  return trm_fma(y, trm_fma(-a, y, R(1.0)), y);
}
TRM_INLINE real shallow_root(const real a)
{
  real y;
  SHALLOW_APPROXIMATE("rsqrt", y, a);
  const real root = a * y;
  return trm_fma(trm_fma(-root, root, a), R(0.5) * y, root);
}
#else
#define shallow_reciprocal(a) (R(1.0) / (a))
#define shallow_root(a) trm_sqrt(a)
#endif

/* Asks for the memory at a pointer, which a load some hundred instructions later then finds in the
 * second
 * cache: a core's first one is full of strips. No register waits for it. */
#if defined(TRM_HOST)
#define SHALLOW_ASK(pointer) __builtin_prefetch(pointer, 0, 2)
#elif defined(TRM_CUDA)
#define SHALLOW_ASK(pointer) asm volatile("prefetch.global.L2 [%0];" ::"l"(pointer))
#elif defined(__NV_CL_C_VERSION)
#define SHALLOW_ASK(pointer) __asm__ volatile("prefetch.global.L2 [%0];" : : "l"(pointer))
#else
#define SHALLOW_ASK(pointer)
#endif
