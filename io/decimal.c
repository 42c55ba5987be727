/* decimal.c - "%.12E" by one multiplication, with printf for the rare doubtful case.
 *
 * The value is scaled to an integer of 13 digits in long double. Its rounding is at most 2^-64 of
 * the result on x86 (less elsewhere), since powers of ten up to 10^27 are exact in it. A scaled
 * value below 10^13 < 2^44 then has an error below 2^-19, so rounding it is right unless its
 * fraction lies that close to a half. Those cases, and exponents out of the table's reach, go to
 * printf. */
#include <config.h>

#include "io/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 13, LARGEST_POWER = 27 };

static const long double powers[LARGEST_POWER + 1] = {
  1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
  1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L
};

size_t trmi_decimal_size(size_t value, char *text)
{
  char digits[TRMI_DECIMAL_BYTES];
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  for (size_t i = 0; i < count; i++) text[i] = digits[count - 1 - i];
  text[count] = '\0';
  return count;
}

/* magnitude as digits * 10^(exponent - 12), rounded as printf does; 0 when that is in doubt. */
static int scale(double magnitude, uint64_t *digits, int *exponent)
{
  int e = (int)floor(log10(magnitude));
  for (int attempt = 0; attempt < 2; attempt++) {
    const int shift = DIGITS - 1 - e;
    if (shift > LARGEST_POWER || shift < -LARGEST_POWER) return 0;
    const long double scaled = shift >= 0 ? (long double)magnitude * powers[shift]
                                          : (long double)magnitude / powers[-shift];
    const uint64_t whole = (uint64_t)scaled;
    const long double fraction = scaled - (long double)whole;
    if (whole < UINT64_C(1000000000000)) return 0;        /* log10 was off by one */
    if (fraction > 0.5L - 0x1p-18L && fraction < 0.5L + 0x1p-18L) return 0;
    const uint64_t rounded = whole + (fraction > 0.5L);
    if (rounded < UINT64_C(10000000000000)) {
      *digits = rounded;
      *exponent = e;
      return 1;
    }
    e++;                                                  /* 9.9999999999999 became 10 */
  }
  return 0;
}

size_t trmi_decimal_real(double value, char *text)
{
  uint64_t digits = 0;
  int exponent = 0;
  char *at = text;
  if (LDBL_MANT_DIG < 64 || !isfinite(value) ||
      (value != 0.0 && !scale(fabs(value), &digits, &exponent)))
    return (size_t)snprintf(text, TRMI_DECIMAL_BYTES, "%.12E", value);
  if (signbit(value)) *at++ = '-';
  for (int i = DIGITS; i > 0; i--) {
    at[i == 1 ? 0 : i] = (char)('0' + digits % 10);
    digits /= 10;
  }
  at[1] = '.';
  at += DIGITS + 1;
  *at++ = 'E';
  *at++ = exponent < 0 ? '-' : '+';
  const int magnitude = exponent < 0 ? -exponent : exponent;
  *at++ = (char)('0' + magnitude / 10);
  *at++ = (char)('0' + magnitude % 10);
  *at = '\0';
  return (size_t)(at - text);
}
