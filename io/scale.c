/* scale.c - the round numbers of an axis or a colour bar, linear or by powers of ten. */
#include <config.h>

#include "io/scale.h"

#include <math.h>
#include <stdio.h>

double trmi_scale_part(const trmi_scale *scale, double value)
{
  if (!scale->logarithmic) return (value - scale->low) / (scale->high - scale->low);
  if (!(value > 0)) return -(double)INFINITY;
  return log(value / scale->low) / log(scale->high / scale->low);
}

/* 1, 2 or 5 times a power of ten, so that a range holds `most` of it at most. */
static double round_step(double range, size_t most)
{
  const double least = range / (double)most, power = pow(10.0, floor(log10(least)));
  const double digit = least / power;
  return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

static void label(double value, double step, char *text, size_t bytes)
{
  const int decimals = (int)-floor(log10(step) + 1e-9);
  const int digits = decimals + 1 + (int)floor(log10(fmax(fabs(value), step)) + 1e-9);
  if (fabs(value) < step * 1e-6) snprintf(text, bytes, "0");
  else if (decimals > 5 || fabs(value) >= 1e6)
    snprintf(text, bytes, "%.*g", digits < 1 ? 1 : digits > 9 ? 9 : digits, value);
  else snprintf(text, bytes, "%.*f", decimals > 0 ? decimals : 0, value);
}

static size_t linear(const trmi_scale *scale, size_t most, trmi_tick ticks[])
{
  const double range = scale->high - scale->low, step = round_step(range, most);
  size_t count = 0;
  if (!(step > 0) || !isfinite(step)) return 0;
  const double first = ceil(scale->low / step - 1e-9);
  for (; count < TRMI_TICKS; count++) {
    const double value = (first + (double)count) * step;
    const double part = trmi_scale_part(scale, value);
    if (part > 1 + 1e-9) break;
    ticks[count].part = part;
    label(value, step, ticks[count].label, sizeof ticks[count].label);
  }
  return count;
}

/* Powers of ten; 2 and 5 times them too where there are few. */
static size_t decades(const trmi_scale *scale, size_t most, trmi_tick ticks[])
{
  static const double digits[] = {1, 2, 5};
  const double span = log10(scale->high / scale->low);
  const size_t each = span * 3 < (double)most && span <= 2 ? 3 : 1;
  const int last = (int)floor(log10(scale->high) + 1e-9);
  size_t count = 0;
  for (int power = (int)floor(log10(scale->low)); power <= last; power++)
    for (size_t d = 0; d < each && count < TRMI_TICKS; d++) {
      const double value = digits[d] * pow(10, power), part = trmi_scale_part(scale, value);
      if (part < -1e-9 || part > 1 + 1e-9) continue;
      ticks[count].part = part;
      char *text = ticks[count++].label;
      if (power >= -3 && power <= 5) snprintf(text, sizeof ticks->label, "%.6g", value);
      else snprintf(text, sizeof ticks->label, "%.0fe%d", digits[d], power);
    }
  return count;
}

size_t trmi_scale_ticks(const trmi_scale *scale, size_t most, trmi_tick ticks[TRMI_TICKS])
{
  if (!(scale->high > scale->low) || !isfinite(scale->high - scale->low) || most == 0) return 0;
  if (scale->logarithmic && !(scale->low > 0 && isfinite(scale->high / scale->low))) return 0;
  return scale->logarithmic ? decades(scale, most, ticks)
         : linear(scale, most < TRMI_TICKS - 2 ? most : TRMI_TICKS - 2, ticks);
}
