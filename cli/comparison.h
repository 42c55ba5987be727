/* comparison.h - the same case on several devices, several times in turn, and how far they agree.
 *
 * The first device is the reference: fields and series of its first run are kept in host memory,
 * those of the others are compared with them one by one. Later runs must repeat the first run's
 * fingerprint. Devices take turns, so that a machine that slows down slows them all. */
#ifndef TRIREME_CLI_COMPARISON_H
#define TRIREME_CLI_COMPARISON_H

#include "cli/ceiling.h"
#include "cli/session.h"
#include "cli/statistics.h"
#include "io/difference.h"

enum { CONTENDER_LIMIT = 16 };

/* One field or series against the reference's. */
typedef struct field_difference {
  char name[64];
  int is_series;
  trm_difference difference;
  int agrees;                  /* strict: every bit; fast: within the tolerance */
} field_difference;

typedef struct contender {
  char spec[128];              /* as asked for: "opencl:1" */
  trm_device *device;
  double *rates;               /* updates a second of each run */
  double *ratios;              /* to the reference's rate of the same round */
  session_times times;         /* of the first run */
  char fingerprint[33];        /* of the first run */
  int repeats;                 /* 1: every later run had the same fingerprint */
  field_difference *differences; /* none for the reference */
  size_t difference_count;
  double step_bytes, step_seconds; /* by the solver's count; median over runs */
  char isa[32];
  int row_group_x, row_group_y, from_cache;
  ceiling roof;
  char roof_missing[256];      /* why there is no ceiling; "" where there is */
} contender;

typedef struct comparison {
  const run_case *chosen;
  contender contenders[CONTENDER_LIMIT];
  size_t count;
  size_t runs;
  trm_array *fields;           /* of the reference, owned with their data */
  size_t field_count;
  trm_array *series;
  size_t series_count;
  double tolerance;            /* fast: largest difference allowed, relative to the largest value */
  double cells;                /* updated in a step */
  char shape[96];
} comparison;

/* Opens every device of the list (NULL or "": every device of every ready backend) before anything
 * runs; one that is not ready fails all. */
trm_status comparison_open(comparison *out, trm_context *context, const run_case *chosen,
                           const char *on, size_t runs);
trm_status comparison_run(comparison *all);
void comparison_close(comparison *all);

/* 1: fields, series, fingerprints agree, and runs repeat (strict), or fields and series are within
 * the tolerance (fast). */
int contender_agrees(const comparison *all, size_t index);
int comparison_agrees(const comparison *all);

sample contender_rate(const comparison *all, size_t index);
sample contender_ratio(const comparison *all, size_t index, interval *out);

/* Tables on stdout, and the JSON document. */
void comparison_print(const comparison *all);
trm_status comparison_show_json(const comparison *all);

#endif
