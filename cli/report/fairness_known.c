/* fairness_known.c - the speed of the processor's side over that of other code for the same work.
 * It was measured once (docs/measurements.md). A ratio of devices tells nothing of other code. */
#include "cli/report/fairness.h"

#include <stdio.h>
#include <string.h>

/* keys: of the case, as "lbm.flow=driven lbm.implementation=best"; a key that a result lacks is at
 * its default. said: Trireme's speed over that of the other code. */
typedef struct known_code { const char *solver, *keys, *precision, *math, *said; } known_code;

static const known_code known[] = {
  {"lbm", "lbm.flow=driven lbm.implementation=best", "f32", "strict",
   "1.12 times (128 x 128 cells), 1.82 times (1024 x 1024) and 2.38 times (4096 x 4096) the speed "
   "of a hand-written C program"},
  {"nbody", "nbody.force=pairs nbody.implementation=best", "f32", "strict",
   "1.34 times the speed of C that the compiler vectorises (16512 bodies)"},
  {"nbody", "nbody.force=pairs nbody.implementation=best", "f32", "fast",
   "0.83 of the speed of hand-written AVX-512 (16512 bodies)"},
  {"shallow", "shallow.scheme=lax-friedrichs shallow.implementation=best", "f32", "strict",
   "0.89 (2001 x 2001 cells) and 0.90 (8192 x 4096) of the speed of a hand-written C program"},
  {"shallow", "shallow.scheme=lax-friedrichs shallow.implementation=best", "f64", "strict",
   "1.14 times (2001 x 2001 cells) and 0.84 (8192 x 4096) of the speed of a hand-written C "
   "program"},
  {"compressible", "compressible.implementation=fused", "f64", "strict",
   "7.6 times (wenoz) and 18 times (ppmx) the speed of AthenaK, to the same time with steps of its "
   "own (64 x 64 x 64 cells, one core)"},
};

/* Whether a row's keys are those of the list. */
static int has_keys(const report_row *one, const char *list)
{
  char key[64], value[64];
  for (const char *at = list; *at;) {
    const size_t length = strcspn(at, "="), end = strcspn(at, " ");
    snprintf(key, sizeof key, "%.*s", (int)length, at);
    snprintf(value, sizeof value, "%.*s", (int)(end - length - 1), at + length + 1);
    const char *own = report_row_value(one, key);
    if (own && strcmp(own, value) != 0) return 0;
    at += end;
    at += strspn(at, " ");
  }
  return 1;
}

static const char *find(const report_row *one)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(one->solver, known[i].solver) == 0 &&
        strcmp(one->of.precision, known[i].precision) == 0 &&
        strcmp(one->of.math, known[i].math) == 0 && has_keys(one, known[i].keys))
      return known[i].said;
  return NULL;
}

void fairness_ask_known(answers *to, const report_data *all)
{
  int has_gpu = 0;
  for (size_t i = 0; i < all->count; i++) has_gpu |= report_row_is_gpu(&all->list[i]);
  for (size_t i = 0; has_gpu && i < all->count; i++) {
    const report_row *one = &all->list[i];
    if (!one->of.is_host || one->is_aside) continue;
    const char *said = find(one);
    if (said)
      answer(to, MARK_NONE, "Processor's code: this solver once had %s, on one or two cores of a "
             "processor (docs/measurements.md).", said);
    else
      answer(to, MARK_UNKNOWN, "Processor's code: no other code for this work was measured beside "
             "Trireme's on a processor, so that a faster one may exist.");
  }
}
