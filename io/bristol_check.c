/* bristol_check.c - the course's verdict on a run, and the stricter figures that we hold it to. */
#include <config.h>

#include "io/bristol.h"

#include <math.h>

/* 100 * (reference - value) / value, as the course's checker has it; 0 / 0 is NaN and fails. */
static double course_percent(double reference, double value)
{
  return fabs(100.0 * (reference - value) / value);
}

static void compare_values(const double *reference, const double *values, size_t count,
                           trm_bristol_check *out)
{
  for (size_t i = 0; i < count; i++) {
    const double percent = course_percent(reference[i], values[i]);
    const double relative = reference[i] == values[i] ? 0.0
                            : fabs(reference[i] - values[i]) / fabs(reference[i]);
    /* The negation lets a NaN win, and stay. */
    if (!isnan(out->percent) && !(percent <= out->percent)) {
      out->percent = percent;
      out->percent_at = i;
    }
    if (!isnan(out->relative) && !(relative <= out->relative)) out->relative = relative;
  }
}

void trm_bristol_check_series(const double *reference, size_t reference_count, const double *values,
                              size_t count, trm_bristol_check *out)
{
  *out = (trm_bristol_check){.same_shape = reference_count == count};
  if (out->same_shape) compare_values(reference, values, count, out);
}

static double largest(const double *values, size_t count)
{
  double most = 0.0;
  for (size_t i = 0; i < count; i++)
    if (fabs(values[i]) > most) most = fabs(values[i]);
  return most;
}

static void compare_velocity(const double *reference, const double *values, size_t count,
                             double scale, trm_bristol_check *out)
{
  for (size_t i = 0; i < count; i++) {
    const double part = reference[i] == values[i] ? 0.0 : fabs(reference[i] - values[i]) / scale;
    if (isnan(out->velocity) || part <= out->velocity) continue;
    out->velocity = part;
    out->velocity_at = i;
  }
}

void trm_bristol_check_state(const trm_bristol_state *reference, const trm_bristol_state *state,
                             trm_bristol_check *out)
{
  const size_t cells = reference->nx * reference->ny;
  *out =
      (trm_bristol_check){.same_shape = reference->nx == state->nx && reference->ny == state->ny};
  if (!out->same_shape) return;
  compare_values(reference->pressure, state->pressure, cells, out);
  const double scale = largest(reference->speed, cells);
  compare_velocity(reference->ux, state->ux, cells, scale, out);
  compare_velocity(reference->uy, state->uy, cells, scale, out);
  for (size_t i = 0; i < cells; i++) out->obstacles += reference->solid[i] != state->solid[i];
}

int trm_bristol_check_passes(const trm_bristol_check *check, double tolerance_percent)
{
  return check->same_shape && isfinite(check->percent) && check->percent <= tolerance_percent;
}
