/* scaling.c - see scaling.h. */
#include "run/measure/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double scaling_devices(const char *id)
{
  double count = 1;
  return sscanf(id, "devices:%lf", &count) == 1 ? count : 1;
}

/* ---- the devices of a run ------------------------------------------------------------ */

/* The next of "cuda:0, opencl:0@1 and 3 more", without its rank; NULL: there is none. */
static const char *next_device(const char *names, char *device, size_t bytes)
{
  names += strspn(names, ", ");
  const size_t length = strcspn(names, ", "), name = strcspn(names, ",@ ");
  if (length == 0 || strncmp(names, "and ", 4) == 0) return NULL;
  snprintf(device, bytes, "%.*s", (int)name, names);
  return names + length;
}

static const char *names_of(const scaled_run *run)
{
  return strncmp(run->id, "devices:", 8) == 0 ? run->name : run->id;
}

static int same_backend(const char *a, const char *b)
{
  const size_t length = strcspn(a, ":");
  return strcspn(b, ":") == length && strncmp(a, b, length) == 0;
}

/* 1 where all of the devices are of this one's backend. */
static int is_all_of(const scaled_run *run, const char *device)
{
  char one[64];
  for (const char *at = names_of(run); (at = next_device(at, one, sizeof one));)
    if (!same_backend(one, device)) return 0;
  return 1;
}

/* ---- a perfect run -------------------------------------------------------------------- */

static int is_known(const scaled_run *run) { return run->seconds > 0; }

/* Steps a second of this device alone, or of another of its backend; 0: none ran alone. */
static double speed_alone(const scaled_run *runs, size_t count, const char *device)
{
  double alike = 0;
  for (size_t i = 0; i < count; i++) {
    char alone[64];
    if (!is_known(&runs[i]) || scaling_devices(runs[i].id) > 1 ||
        !next_device(runs[i].id, alone, sizeof alone))
      continue;
    if (strcmp(alone, device) == 0) return 1 / runs[i].seconds;
    if (same_backend(alone, device) && !(alike > 0)) alike = 1 / runs[i].seconds;
  }
  return alike;
}

/* Seconds of a step; NaN: not known, and why. */
static double perfect_step(const scaled_run *runs, size_t count, const scaled_run *one,
                           const scaled_run *fewest, scaling *out)
{
  char device[64], first[64] = "";
  double speed = 0, listed = 0;
  (void)next_device(names_of(one), first, sizeof first);
  const int is_alike = is_all_of(one, first) && is_all_of(fewest, first);
  for (const char *at = names_of(one); (at = next_device(at, device, sizeof device)); listed++) {
    const double alone = speed_alone(runs, count, device);
    if (!(alone > 0) && is_alike) return fewest->seconds * out->fewest / out->devices;
    if (!(alone > 0)) {
      snprintf(out->missing, sizeof out->missing, "%s was not run alone", device);
      return (double)NAN;
    }
    speed += alone;
  }
  if (listed > 0 && (listed >= out->devices || is_alike)) return listed / speed / out->devices;
  snprintf(out->missing, sizeof out->missing, "not all of the devices are named");
  return (double)NAN;
}

void scaling_of(const scaled_run *runs, size_t count, size_t one, scaling *out)
{
  const scaled_run *run = &runs[one], *fewest = run;
  for (size_t i = 0; i < count; i++)
    if (is_known(&runs[i]) && scaling_devices(runs[i].id) < scaling_devices(fewest->id))
      fewest = &runs[i];
  *out = (scaling){ .devices = scaling_devices(run->id), .fewest = scaling_devices(fewest->id),
                    .speedup = fewest->seconds / run->seconds };
  const double perfect = fewest == run ? run->seconds
                                       : perfect_step(runs, count, run, fewest, out);
  out->efficiency = perfect / run->seconds;
  out->lost = run->seconds - perfect;
}
