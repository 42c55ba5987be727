/* kernel_math.h - the part of the dialect (kernel.h) for numbers: smaller and larger, the bits of a
 * real, reciprocals and roots. Where a target has a faster way to the same bits, it is taken here,
 * so that no kernel asks for its target. */
#ifndef TRM_KERNEL_MATH_H
#define TRM_KERNEL_MATH_H

/* 1 where trm_fma is an instruction; 0 on a host's baseline, where it is emulated and slow. */
#if defined(TRM_HOST) && !defined(__FMA__) && !defined(__ARM_FEATURE_FMA)
#define TRM_HAS_FMA 0
#else
#define TRM_HAS_FMA 1
#endif

/* ---- the smaller and the larger ------------------------------------------------------------ */

/* For two finite numbers; for +0 and -0 either one. */
#if defined(TRM_NVIDIA)
#if defined(TRM_CUDA) && !TRM_F64_KERNEL
#define trm_min(a, b) fminf(a, b)
#define trm_max(a, b) fmaxf(a, b)
#else
#define trm_min(a, b) fmin(a, b)
#define trm_max(a, b) fmax(a, b)
#endif
#else
TRM_INLINE real trm_min(const real a, const real b) { return a < b ? a : b; }
TRM_INLINE real trm_max(const real a, const real b) { return a > b ? a : b; }
#endif

/* The larger of two; a NaN is kept. */
TRM_INLINE real trm_more(const real a, const real b)
{
  const real most = b > a ? b : a;
  return b != b ? b : most;
}

/* ---- bits ---------------------------------------------------------------------------------- */

/* trm_word: a signed integer as wide as real. trm_word_of(a): the bits of a. trm_real_of(w): back.
 * trm_word_minus(a, b): a - b, which wraps around, for example if b has the bits of a negative
 * number. trm_ones(bits): the number of bits set in a trm_bits. */
#if defined(TRM_CUDA) && TRM_F64_KERNEL
typedef unsigned long long trm_unsigned_word;
#elif TRM_F64_KERNEL
typedef unsigned long trm_unsigned_word;
#else
typedef unsigned int trm_unsigned_word;
#endif
#define trm_word_minus(a, b) ((trm_word)((trm_unsigned_word)(a) - (trm_unsigned_word)(b)))
#if defined(TRM_HOST)
typedef trm_mask trm_word;
TRM_INLINE trm_word trm_word_of(const real a) { trm_word w; memcpy(&w, &a, sizeof w); return w; }
TRM_INLINE real trm_real_of(const trm_word w) { real a; memcpy(&a, &w, sizeof a); return a; }
#define trm_ones(bits) __builtin_popcount(bits)
#elif defined(TRM_CUDA)
#if TRM_F64_KERNEL
typedef long long trm_word;
#define trm_word_of(a) __double_as_longlong(a)
#define trm_real_of(w) __longlong_as_double(w)
#else
typedef int trm_word;
#define trm_word_of(a) __float_as_int(a)
#define trm_real_of(w) __int_as_float(w)
#endif
#define trm_ones(bits) __popc(bits)
#else
#if TRM_F64_KERNEL
typedef long trm_word;
#define trm_word_of(a) as_long(a)
#define trm_real_of(w) as_double(w)
#else
typedef int trm_word;
#define trm_word_of(a) as_int(a)
#define trm_real_of(w) as_float(w)
#endif
#define trm_ones(bits) ((int)popcount(bits))
#endif

/* ---- selections of a numerical scheme ------------------------------------------------------ */

/* trm_limit(mean, a, b): a limited slope: mean (a + b), but no steeper than a or b, and 0 where
 * they differ in sign (generalised minmod). By selections alone: a product of a and b would be
 * subnormal for small a and b, which is slow. trm_min_above(a, b, least): the smaller of two, and
 * at least `least`, which is positive. trm_falling(a, b), trm_rising(a, b): the smaller of two if
 * one is negative, the larger of two if one is positive; else either of them.
 *
 * A host's f32 selects as integers. Numbers that are not negative have the same order as integers;
 * a negative number is the least of all (unsigned: the greatest). Zen 4 makes twice as many such
 * selections a cycle. In trm_limit, b without the sign of a is negative where the two differ. A
 * GPU's f32 does the same with minima of numbers: 7 instructions of sm_90, 3 of them minima. The
 * form for f64 would take 8, 6 of them minima, which run at half the rate. */
#if defined(TRM_HOST) && !TRM_F64_KERNEL
#define TRM_SIGN ((int)0x80000000)
TRM_INLINE real trm_limit(const real mean, const real a, const real b)
{
  const int sign = trm_word_of(a) & TRM_SIGN, size = trm_word_of(a) & ~TRM_SIGN;
  const int other = trm_word_of(b) ^ sign;
  const int middle = trm_word_of(mean * (trm_real_of(size) + trm_real_of(other)));
  const int least = size < other ? size : other, limit = least < middle ? least : middle;
  return trm_real_of((limit > 0 ? limit : 0) | sign);
}
TRM_INLINE real trm_min_above(const real a, const real b, const real least)
{
  const int i = trm_word_of(a), k = trm_word_of(b), lesser = i < k ? i : k;
  const int floor_bits = trm_word_of(least);
  return trm_real_of(lesser > floor_bits ? lesser : floor_bits);
}
TRM_INLINE real trm_falling(const real a, const real b)
{
  const unsigned i = (unsigned)trm_word_of(a), k = (unsigned)trm_word_of(b);
  return trm_real_of((int)(i > k ? i : k));
}
TRM_INLINE real trm_rising(const real a, const real b)
{
  const int i = trm_word_of(a), k = trm_word_of(b);
  return trm_real_of(i > k ? i : k);
}
#else
#if !TRM_F64_KERNEL
TRM_INLINE real trm_limit(const real mean, const real a, const real b)
{
  const int sign = trm_word_of(a) & (int)0x80000000;
  const real other = trm_real_of(trm_word_of(b) ^ sign);
  const real least = trm_min(trm_min(trm_fabs(a), other), trm_fabs(mean * (a + b)));
  return trm_real_of(trm_word_of(trm_max(least, R(0.0))) | sign);
}
#else
TRM_INLINE real trm_limit(const real mean, const real a, const real b)
{
  const real up = trm_max(trm_min(a, b), R(0.0));
  const real down = trm_min(trm_max(a, b), R(0.0));
  return trm_max(trm_min(mean * (a + b), up), down);
}
#endif
#define trm_min_above(a, b, least) trm_max(trm_min(a, b), least)
#define trm_falling(a, b) trm_min(a, b)
#define trm_rising(a, b) trm_max(a, b)
#endif

/* ---- reciprocals and roots, with the same bits everywhere ----------------------------------- */

/* A device's own first guess of 1 / a and 1 / sqrt(a), which fma then refines. */
#if defined(TRM_NVIDIA)
#define TRM_GUESS_(operation, type, y, a) TRM_ASM(operation " %0, %1;" : "=" type(y) : type(a))
#if TRM_F64_KERNEL /* 20 bits */
#define TRM_GUESS_RSQRT(y, a) TRM_GUESS_("rsqrt.approx.ftz.f64", "d", y, a)
#else
#define TRM_GUESS_RECIPROCAL(y, a) TRM_GUESS_("rcp.approx.ftz.f32", "f", y, a)
#define TRM_GUESS_RSQRT(y, a) TRM_GUESS_("rsqrt.approx.ftz.f32", "f", y, a)
#endif
#endif

/* 1 / a, the root of a and 1 / root of a, within 2 units in the last place, for normal positive a
 * (the root also for 0; 1 / a to 1e37). The bits are the same everywhere: a guess from the bits of
 * a, then iterations that cube its error. No branch; where a loop has many of them, the divider of
 * a CPU would be its bottleneck. */
#if TRM_F64_KERNEL
#define TRM_NEAR_RECIPROCAL_BITS 0x7fde623822fc16e6
#define TRM_NEAR_RSQRT_BITS 0x5fe6eb50c7b537a9
#else
#define TRM_NEAR_RECIPROCAL_BITS 0x7ef311c3
#define TRM_NEAR_RSQRT_BITS 0x5f375a86
#endif
TRM_INLINE real trm_near_reciprocal(const real a)
{
  real y = trm_real_of(trm_word_minus(TRM_NEAR_RECIPROCAL_BITS, trm_word_of(a)));
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
TRM_INLINE real trm_near_rsqrt_start(const real a)
{
  real y = trm_real_of(trm_word_minus(TRM_NEAR_RSQRT_BITS, trm_word_of(a) >> 1));
  real e = trm_fma(-a * y, y, R(1.0));
  y = trm_fma(y * e, trm_fma(e, R(0.375), R(0.5)), y);
#if TRM_F64_KERNEL
  e = trm_fma(-a * y, y, R(1.0));
  y = trm_fma(y * e, trm_fma(e, R(0.375), R(0.5)), y);
#endif
  return y;
}
TRM_INLINE real trm_near_rsqrt(const real a)
{
  const real y = trm_near_rsqrt_start(a);
  return trm_fma(R(0.5) * y, trm_fma(-a * y, y, R(1.0)), y);
}
TRM_INLINE real trm_near_sqrt(const real a)
{
  const real y = trm_near_rsqrt_start(a), root = a * y;
  return trm_fma(R(0.5) * y, trm_fma(-root, root, a), root);
}

/* 1 / a and the root of a for a from 1e-30 to 1e37. In f64 those above. In f32 the correctly
 * rounded results: a host divides. NVIDIA's devices take the compiler's own division and root
 * without its test for numbers outside that range. (An H200 gave the same bits for every one of the
 * 1 867 414 371 numbers inside.) */
#if TRM_F64_KERNEL
#define trm_reciprocal(a) trm_near_reciprocal(a)
#define trm_root(a) trm_near_sqrt(a)
#elif defined(TRM_NVIDIA)
TRM_INLINE real trm_reciprocal(const real a)
{
  real y;
  TRM_GUESS_RECIPROCAL(y, a);
  return trm_fma(y, trm_fma(-a, y, R(1.0)), y);
}
TRM_INLINE real trm_root(const real a)
{
  real y;
  TRM_GUESS_RSQRT(y, a);
  const real root = a * y;
  return trm_fma(trm_fma(-root, root, a), R(0.5) * y, root);
}
#else
#define trm_reciprocal(a) (R(1.0) / (a))
#define trm_root(a) trm_sqrt(a)
#endif

/* a / b, correctly rounded; on NVIDIA's devices in f32 for b and a / b from 1e-30 to 1e37, of
 * either sign, without the branch for other numbers. With y, the rounded 1 / b, the product a y
 * differs from a / b by a unit in the last place at most. The remainder of a then corrects the
 * rounding (Markstein 1990). */
#if defined(TRM_NVIDIA) && !TRM_F64_KERNEL && TRM_STRICT_KERNEL
TRM_INLINE real trm_quotient(const real a, const real b)
{
  const real y = trm_reciprocal(b), q = a * y;
  return a == R(1.0) ? y : trm_fma(trm_fma(-b, q, a), y, q);
}
#else
#define trm_quotient(a, b) ((a) / (b))
#endif

/* 1 / sqrt(a) for normal a whose inverse is normal too. It is cheaper than trm_near_rsqrt, with a
 * relative error below 1.8e-7 (f32) and 4e-16 (f64); dialect_tools.c tests it. Strict: the same
 * bits on every device. The start y comes from half the exponent (|a y^2 - 1| < 0.0689). Then y (1
 * + v)^(-1/2), v = a y^2 - 1, by a minimax polynomial: of degree 4 (2.3e-8) in f32; of degree 5
 * (7.1e-10) and one Newton step in f64. An all-pairs kernel with it is 1.3 times as fast as gcc
 * makes 1 / sqrtf with -Ofast on AVX-512. */
TRM_INLINE real trm_rsqrt_strict(const real a)
{
#if TRM_F64_KERNEL
  const real y = trm_real_of(trm_word_minus(0x5fe6e60000000000, trm_word_of(a) >> 1));
  const real v = trm_fma(a, y * y, R(-1.0));
  real s = trm_fma(v, R(-0.24907112850893398), R(0.27500365805612232));
  s = trm_fma(v, s, R(-0.31249020467666072));
  s = trm_fma(v, s, R(0.37499728807620314));
  s = trm_fma(v, s, R(-0.50000000730882688));
  s = trm_fma(v, s, R(1.0000000006956757));
  const real near_root = y * s;
  const real rest = trm_fma(-(a * near_root), near_root, R(1.0));
  return trm_fma(R(0.5) * near_root, rest, near_root);
#else
  const real y = trm_real_of(trm_word_minus(0x5f373000, trm_word_of(a) >> 1));
  const real v = trm_fma(a, y * y, R(-1.0));
  real s = trm_fma(v, R(0.27615838217220112), R(-0.31392356343298966));
  s = trm_fma(v, s, R(0.37499332458392798));
  s = trm_fma(v, s, R(-0.49999835630990480));
  s = trm_fma(v, s, R(1.0));
  return y * s;
#endif
}

/* Fast: the device's own guess where it has one, in f64 with a step that cubes its error. */
#if TRM_STRICT_KERNEL || defined(TRM_HOST)
#define trm_rsqrt(a) trm_rsqrt_strict(a)
#elif defined(TRM_NVIDIA)
TRM_INLINE real trm_rsqrt(const real a)
{
  real y;
  TRM_GUESS_RSQRT(y, a);
#if TRM_F64_KERNEL
  const real rest = trm_fma(-(a * y), y, R(1.0));
  return trm_fma(y * rest, trm_fma(rest, R(0.375), R(0.5)), y);
#else
  return y;
#endif
}
#elif TRM_F64_KERNEL
#define trm_rsqrt(a) trm_rsqrt_strict(a)
#else
#define trm_rsqrt(a) native_rsqrt(a)
#endif

/* m / sqrt(a)^3: what a mass m at the squared distance a pulls with. In f32 the start y above and a
 * minimax polynomial of degree 4 for (1 + v)^(-3/2) (2.5e-7), which saves an operation of 21 and
 * two roundings; relative error below 5e-7. */
TRM_INLINE real trm_over_root3(const real m, const real a)
{
#if !TRM_F64_KERNEL && (TRM_STRICT_KERNEL || defined(TRM_HOST))
  const real y = trm_real_of(trm_word_minus(0x5f373000, trm_word_of(a) >> 1));
  const real y2 = y * y;
  const real v = trm_fma(a, y2, R(-1.0));
  real s = trm_fma(v, R(2.4882588822854944), R(-2.20319701258572));
  s = trm_fma(v, s, R(1.8749477230934858));
  s = trm_fma(v, s, R(-1.4999818616228427));
  s = trm_fma(v, s, R(1.0));
  return ((m * y) * y2) * s;
#else
  const real inverse = trm_rsqrt(a);
  return (m * inverse) * (inverse * inverse);
#endif
}

/* ---- memory -------------------------------------------------------------------------------- */

/* trm_prefetch(pointer): asks for the memory there, which a load some hundred instructions later
 * then finds in the second cache. No register waits for it. */
#if defined(TRM_HOST)
#define trm_prefetch(pointer) __builtin_prefetch(pointer, 0, 2)
#elif defined(TRM_NVIDIA)
#define trm_prefetch(pointer) TRM_ASM volatile("prefetch.global.L2 [%0];" : : "l"(pointer))
#else
#define trm_prefetch(pointer)
#endif

/* trm_read(to, from, n), trm_write(to, from, n): n = 1, 2 or (f32) 4 neighbouring reals as one load
 * or store of a GPU. The array's end lies at a multiple of n. Other n: one by one. */
#if defined(TRM_HOST)
TRM_INLINE void trm_read(real *to, TRM_IN(real) from, const int n)
{
  for (int i = 0; i < n; i++) to[i] = from[i];
}
TRM_INLINE void trm_write(TRM_OUT(real) to, const real *from, const int n)
{
  for (int i = 0; i < n; i++) to[i] = from[i];
}
#else
#if TRM_F64_KERNEL
typedef double2 trm_two;
#else
typedef float2 trm_two;
#endif
TRM_INLINE void trm_read(real *to, TRM_IN(real) from, const int n)
{
#if !TRM_F64_KERNEL
  if (n == 4) {
    const float4 four = *(const TRM_GLOBAL float4 *)from;
    to[0] = four.x; to[1] = four.y; to[2] = four.z; to[3] = four.w;
    return;
  }
#endif
  if (n == 2) {
    const trm_two two = *(const TRM_GLOBAL trm_two *)from;
    to[0] = two.x; to[1] = two.y;
  } else for (int i = 0; i < n; i++) to[i] = from[i];
}
TRM_INLINE void trm_write(TRM_OUT(real) to, const real *from, const int n)
{
#if !TRM_F64_KERNEL
  if (n == 4) {
    float4 four;
    four.x = from[0]; four.y = from[1]; four.z = from[2]; four.w = from[3];
    *(TRM_GLOBAL float4 *)to = four;
    return;
  }
#endif
  if (n == 2) {
    trm_two two;
    two.x = from[0]; two.y = from[1];
    *(TRM_GLOBAL trm_two *)to = two;
  } else for (int i = 0; i < n; i++) to[i] = from[i];
}
#endif

/* 16-bit floats in memory (binary16 of IEEE 754: 11 bits of precision, 2^-24 to 65504), for storage
 * alone. Element i of an array of trm_float16 is trm_load_half(array, i), as a real, exact. To
 * store a value, trm_store_half(array, i, value) rounds to nearest even, a double to a float first;
 * values beyond 65520 become infinity. Denormal numbers are kept. The same bits on every device; a
 * NaN stays a NaN, whose other bits are not promised. Two of them are a trm_bits:
 * trm_low_half(word), which comes first in memory, trm_high_half(word), trm_two_halves(low, high).
 *
 * Without a device's own conversion. From 16 bits: a product takes the exponent's bias from 15 to
 * 127 and makes denormal numbers normal. To 16 bits: below 2^-14 the sum with 1/2 rounds at 2^-24;
 * above it, the bit cut off and the parity of the rest carry into the exponent. These are macros,
 * so that texts without such numbers stay unchanged for a compiler's cache. */
#if !defined(TRM_NVIDIA)
#if defined(TRM_HOST)
#define TRM_FLOAT_OF(bits) __extension__({ \
  const trm_bits trm_b = (bits); \
  float trm_f; \
  __builtin_memcpy(&trm_f, &trm_b, sizeof trm_f); \
  trm_f; })
#define TRM_BITS_OF(value) __extension__({ \
  const float trm_v = (value); \
  trm_bits trm_u; \
  __builtin_memcpy(&trm_u, &trm_v, sizeof trm_u); \
  trm_u; })
#else
#define TRM_FLOAT_OF(bits) as_float((trm_bits)(bits))
#define TRM_BITS_OF(value) as_uint((float)(value))
#endif
#define TRM_FROM_HALF(to, bits) \
  const trm_bits trm_small_bits = (bits), trm_shifted = (trm_small_bits & 0x7fff) << 13; \
  const trm_bits trm_finite = TRM_BITS_OF(TRM_FLOAT_OF(trm_shifted) * 0x1p112f); \
  const real to = (real)TRM_FLOAT_OF((trm_small_bits & 0x8000) << 16 | \
                                     (trm_shifted >= 0x0f800000 ? trm_shifted | 0x7f800000 \
                                                                : trm_finite))
#define TRM_TO_HALF(to, value) \
  const trm_bits trm_all = TRM_BITS_OF((float)(value)), trm_size = trm_all & 0x7fffffff; \
  const trm_bits trm_small = TRM_BITS_OF(TRM_FLOAT_OF(trm_size) + 0.5f) - 0x3f000000; \
  const trm_bits trm_normal = (trm_size - 0x38000000 + 0xfff + (trm_size >> 13 & 1)) >> 13; \
  const trm_bits trm_large = trm_size > 0x7f800000 ? 0x7e00 : 0x7c00; \
  const trm_bits to = (trm_all >> 16 & 0x8000) | \
    (trm_size < 0x38800000 ? trm_small : trm_size < 0x47800000 ? trm_normal : trm_large)
#endif
#if defined(TRM_HOST)
#define trm_float16 uint16_t
#define trm_load_half(array, i) __extension__({ \
  uint16_t trm_h; \
  __builtin_memcpy(&trm_h, (array) + (i), sizeof trm_h); \
  TRM_FROM_HALF(trm_loaded, trm_h); \
  trm_loaded; })
#define trm_store_half(array, i, value) \
  do { \
    TRM_TO_HALF(trm_rounded, value); \
    const uint16_t trm_h = (uint16_t)trm_rounded; \
    __builtin_memcpy((array) + (i), &trm_h, sizeof trm_h); \
  } while (0)
#define trm_low_half(word) __extension__({ TRM_FROM_HALF(trm_low, (word) & 0xffff); trm_low; })
#define trm_high_half(word) __extension__({ TRM_FROM_HALF(trm_high, (word) >> 16); trm_high; })
#define TRM_ROUNDED_HALF(value) __extension__({ TRM_TO_HALF(trm_rounded, value); trm_rounded; })
#define trm_two_halves(low, high) (TRM_ROUNDED_HALF(high) << 16 | TRM_ROUNDED_HALF(low))
#else
#if defined(TRM_NVIDIA)
TRM_INLINE real trm_from_half(const trm_bits bits)
{
  const unsigned short word = (unsigned short)bits;
  float f;
  TRM_ASM("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(word));
  return (real)f;
}
TRM_INLINE trm_bits trm_to_half(const real value)
{
  unsigned short word;
  TRM_ASM("cvt.rn.f16.f32 %0, %1;" : "=h"(word) : "f"((float)value));
  return word;
}
#else
TRM_INLINE real trm_from_half(const trm_bits bits)
{
  TRM_FROM_HALF(value, bits);
  return value;
}
TRM_INLINE trm_bits trm_to_half(const real value)
{
  TRM_TO_HALF(bits, value);
  return bits;
}
#endif
#define trm_low_half(word) trm_from_half((word) & 0xffff)
#define trm_high_half(word) trm_from_half((word) >> 16)
#define trm_two_halves(low, high) (trm_to_half(high) << 16 | trm_to_half(low))
#if defined(TRM_CUDA)
typedef unsigned short trm_float16;
#define trm_load_half(array, i) trm_from_half((array)[i])
#define trm_store_half(array, i, value) ((array)[i] = (trm_float16)trm_to_half(value))
#else
typedef half trm_float16;
#define trm_load_half(array, i) ((real)vload_half((size_t)(i), array))
#define trm_store_half(array, i, value) vstore_half_rte((float)(value), (size_t)(i), array)
#endif
#endif

/* Before a long helper of several kernels, in place of TRM_INLINE: a host compiles it once, and
 * calls it. */
#if defined(TRM_HOST)
#define TRM_ONCE static __attribute__((noinline, unused))
#else
#define TRM_ONCE TRM_INLINE
#endif

#endif
